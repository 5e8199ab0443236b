#pragma once
// A reverse post-order of a control flow graph in which the nodes of a loop stand together.
#include <cstdint>
#include <vector>

namespace fencepost::spirv {

// `next`: the nodes that may follow, by node. Nodes that no way from `start` leads to are not in the result.
std::vector<uint32_t> loops_together(const std::vector<std::vector<uint32_t>>& next, uint32_t start);

}  // namespace fencepost::spirv

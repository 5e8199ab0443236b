#pragma once
// Addresses in group memory of another group of the cluster (Op::map_rank), and what is computed from them.
#include <cstdint>
#include <vector>

#include "ir/ir.h"

namespace fencepost::ir {

// By value of the function: not 0 if it is such an address, or may be computed from one.
std::vector<uint8_t> mapped(const Function& f);

}  // namespace fencepost::ir

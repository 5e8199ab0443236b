#pragma once
// Which values of a function can matter to a verdict: what addresses, meeting points, annotations and the branches
// around them are computed from. Invariants about others (sums of floats, mostly) are not worth proposing.
//
// A branch matters unless it lies in a loop that does nothing that is looked at (no access to memory that threads share
// and some thread writes, no meeting point, no annotation, no call) and of which no value is used where it matters.
// Not needed for soundness: only invariants are left out by it.
#include <cstdint>
#include <functional>
#include <vector>

#include "flow/effects.h"

namespace fencepost::flow {

// By value: 1 if it matters. `watched`: of a region, whether accesses to it are looked at.
std::vector<uint8_t> essential(const ir::Module& m, const ir::Cfg& cfg, ir::FunctionId f,
                               const std::function<bool(ir::RegionId)>& watched);

}  // namespace fencepost::flow

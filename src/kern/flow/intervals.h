#pragma once
// Barrier intervals of a function: stretches from one meeting point to another such that who passes the first will pass
// the second, and who passes the second has passed the first; the function's begin and end count as meeting points.
// Only the innermost are counted. For information (--debug): the proof needs no intervals.
#include "ir/cfg.h"
#include "ir/ir.h"

namespace fencepost::flow {

uint32_t barrier_intervals(const ir::Function& f, const ir::Cfg& cfg);

}  // namespace fencepost::flow

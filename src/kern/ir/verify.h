#pragma once
// Holds a Module to the laws of ir/ir.h: types, dominance, phis, reducibility, region lists. The front end runs it on
// everything it makes; a fault is ours, not the input's.
#include <string>
#include <vector>

#include "ir/ir.h"

namespace fencepost::ir {

// Sentences that name function, block and instruction; empty when all laws hold.
std::vector<std::string> faults(const Module& m);

}  // namespace fencepost::ir

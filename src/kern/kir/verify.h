#pragma once
// Holds a Module to the laws of kir/ir.h: types, dominance, phis, reducibility, region lists. The front end runs it on
// everything it makes; a fault is ours, not the input's.
#include <string>
#include <vector>

#include "kir/ir.h"

namespace fencepost::kir {

// Sentences that name function, block and instruction; empty when all laws hold.
std::vector<std::string> faults(const Module& m);

}  // namespace fencepost::kir

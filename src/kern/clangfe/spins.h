#pragma once
// Internal to the room: loops that wait at an mbarrier (spins.cpp).
#include <llvm/IR/Function.h>

namespace fencepost::clangfe {

// Behind promotion. True: it has changed something.
bool collapse_spins(llvm::Function& f);

}  // namespace fencepost::clangfe

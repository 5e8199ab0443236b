#pragma once
// Internal to the room: loops over the stages of a pipeline of barrier objects (stages.cpp).
#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace fencepost::clangfe {

// Behind collapse_spins. True: it has changed something.
bool number_stages(llvm::Function& f, llvm::FunctionAnalysisManager& analyses);

}  // namespace fencepost::clangfe

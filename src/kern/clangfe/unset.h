#pragma once
// Internal to the room: variables that nobody has set hold any value (unset.cpp says why LLVM would choose one).
#include <llvm/IR/Module.h>

namespace fencepost::clangfe {

// Before inlining and promotion: each variable is given a frozen undefined value where its function begins and where it
// is declared. Needs clang's code of -O0 with its debug records.
void hold_unset(llvm::Module& module);
// After the last pass: these are undefined values again.
void release_unset(llvm::Function& f);

}  // namespace fencepost::clangfe

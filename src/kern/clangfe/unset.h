#pragma once
// Internal to the room: variables that nobody has set hold any value (unset.cpp says why LLVM would choose one).
#include <llvm/IR/Module.h>

namespace fencepost::clangfe {

// Before inlining: a mark for each variable where its function begins and where it is declared. Needs clang's code of
// -O0 with its debug records.
void mark_unset(llvm::Module& module);
// After inlining and before promotion: a frozen undefined value at each mark.
void hold_unset(llvm::Function& f);
// After the last pass: these are undefined values again.
void release_unset(llvm::Function& f);

}  // namespace fencepost::clangfe

#pragma once
// Internal to the room: lifetimes of the variables of a kernel (lives.cpp says how). The functions go in this order:
// inlining after the first, a promotion to values after the second and the third.
#include <llvm/IR/Function.h>

namespace fencepost::clangfe {

// What stands in a kernel afterwards. void (i1 alive): undefined behaviour if not `alive`. void (ptr): a variable, to
// which pointers are kept, begins or ends here.
inline constexpr const char *k_alive = "__fencepost_life_alive", *k_begins = "__fencepost_life_begins",
                            *k_ends = "__fencepost_life_ends";

// Notes which variables are accessed by their names alone.
void find_named(llvm::Module& module);
// Variables that begin hold nothing. LLVM's marks go away; those of variables whose address is kept become calls.
void keep_lives(llvm::Module& module, llvm::Function& kernel);
// Of these, such as only their names lead to now: a call of `k_alive` before each access.
void follow_lives(llvm::Module& module, llvm::Function& kernel);
// Those that nobody can violate go away.
void drop_decided_lives(llvm::Function& kernel);

}  // namespace fencepost::clangfe

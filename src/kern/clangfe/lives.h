#pragma once
// Internal to the room: lifetimes of the variables of a kernel (lives.cpp says how). The functions go in this order:
// inlining after the first, a promotion to values after the second and the third.
#include <llvm/IR/Function.h>

namespace fencepost::clangfe {

// void (i1 alive, ptr at, ptr variable, i64 bytes): undefined behaviour if `at` points into the variable, which has so
// many bytes, and not `alive`.
inline constexpr const char* k_alive = "__fencepost_life_alive";

// Notes which variables are accessed by their names alone.
void find_named(llvm::Module& module);
// Variables that begin hold nothing. LLVM's marks go away; those of variables whose address is kept become calls.
void keep_lives(llvm::Module& module, llvm::Function& kernel);
// A call of `k_alive` before each access that may reach such a variable.
void follow_lives(llvm::Module& module, llvm::Function& kernel);
// Those that nobody can violate go away.
void drop_decided_lives(llvm::Function& kernel);

}  // namespace fencepost::clangfe

#pragma once
// A kernel broken in one place, in the ways that programmers break them: a barrier is gone, an access goes to the next
// element, an atomic update is a load and a store. For measuring verifiers: a mutant that a run shows to be wrong must
// not be verified. The result keeps the laws of ir/ir.h.
#include <string>
#include <vector>

#include "ir/ir.h"

namespace fencepost::ir {

enum class Break : uint8_t { barrier_gone, index_shifted, atomic_split };
const char* name(Break b);

struct Mutant {
  Break what = Break::barrier_gone;
  PlaceId place;  // of what was changed
  Module module;
};

// How many mutants `mutant` can make of the functions that `entry` reaches, itself included.
size_t mutants(const Module& m, FunctionId entry);
Mutant mutant(const Module& m, FunctionId entry, size_t number);

}  // namespace fencepost::ir

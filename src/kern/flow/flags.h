#pragma once
// Flags that are volatile: `while (*(volatile int *)flag == 0);`. CUDA's guide builds messages of volatile accesses and
// fences, and PTX gives a volatile access of one word the strength of a relaxed atomic of the system (PTX ISA 8, memory
// consistency model, "volatile"). So such accesses become relaxed atomics, named `volatile load` and `volatile store`,
// before anything else looks at the module: prover and interpreter then see the same.
//
// Only of places that are nothing but flags: each load that may touch such a place is volatile, of the same bytes, and
// decides whether a loop around it is left. Volatile data, that is read for its value, stays what it is: it races. So
// does a load of the flag itself that decides no loop: it stays a plain one beside the flag's atomics, and races with
// them where threads come to it without order.
// Places are told apart by the constant part of their address, modulo what the variable parts are multiples of: the
// fields of an array of structures are places of their own.
#include "ir/ir.h"

namespace fencepost::flow {

inline constexpr const char *k_volatile_load = "volatile load", *k_volatile_store = "volatile store";

// Of a module for CUDA; others are left alone.
void strengthen_flags(ir::Module& m);

// All volatile accesses of one word to memory that threads share: what they are in the model of PTX. Of a module for
// CUDA; others are left alone.
void strengthen_volatile(ir::Module& m);

}  // namespace fencepost::flow

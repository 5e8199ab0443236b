#pragma once
// Programs drawn from a seed: program number n of a seed is always the same, whatever was drawn before.
//
// Half are atomic operations alone, which race only where a scope is too narrow. Half hand data over: a thread writes
// data and then a flag, another reads the flag and, if it is set, the data; a third may stand between them. Three in
// four of these have the orders that make them free of races, so that plain accesses are looked at and not only
// undefined programs.
#include <cstdint>

#include "translation/program.h"

namespace fencepost::translation {

Program draw_program(uint64_t seed, uint64_t number);

}  // namespace fencepost::translation

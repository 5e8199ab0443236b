#pragma once
// Programs drawn from a seed: program number n of a seed is always the same, whatever was drawn before.
//
// Half are atomic operations alone, which race only where a scope is too narrow. Half hand data over: a thread writes
// data and then a flag, another reads the flag and, if it is set, the data; a third may stand between them. Three in
// four of these have the orders that make them free of races, so that plain accesses are looked at and not only
// undefined programs.
//
// In OpenCL C atomic operations race unless their scopes are the same ("inclusive scopes" asks each to include the
// other), so a program there has one scope, but for one in ten. With a scope for each operation 57 in 100 programs had
// a race.
#include <cstdint>

#include "translation/texts.h"

namespace fencepost::translation {

Program draw_program(uint64_t seed, uint64_t number, Language language = Language::nvcc);
// Changes with what a language's programs are, so that a store of other programs is not gone on with.
const char* drawing_of(Language language);

}  // namespace fencepost::translation

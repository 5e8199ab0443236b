#pragma once
// How the source calls the cells of a test's objects. Whatever `outcomes` and `explain` print of memory, a question may
// be about, in the same words (spirv/header.h): "x[1].b[2]"; "x[0]+4" is the piece of x[0] that begins 4 bytes behind
// its beginning. Members without a name are numbers, "x[1][0]". What a question cannot name has no name either: memory
// that one invocation has for itself, floating point results, padding, and what lies beyond the known end of a buffer.
#include "spirv/memory.h"
#include "spirv/spirv.h"

namespace fencepost::spirv {

// Whether the numbers of a scalar have no sign; nothing where nobody says: kernels do not say it of their types, the
// text that they were made of may.
std::optional<bool> has_no_sign(const Module& m, const SourceType* source, Id type, const Instruction& user);

void name_cells(const Constants& constants, const Memory& memory, const Compiled* compiled, prog::Test& test);

}  // namespace fencepost::spirv

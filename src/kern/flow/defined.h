#pragma once
// Operations without a value. In C++ division by zero ([expr.mul]), the least number divided by -1 and a shift by the
// width or more ([expr.shift]) are undefined. In OpenCL C (6.3) and in PTX a division by zero gives a value that nobody
// names; shifts are taken modulo the width or are clamped there, which the front end has written out. So no
// counterexample may rest on one: a run that comes to one is impossible, as by `__builtin_assume`. The profile says so.
//
// Left out: that `<<` of a signed number does not overflow, which C++20 defines.
#include "ir/ir.h"

namespace fencepost::flow {

// Before each division, remainder and shift by a number that is no constant: it has a value. These assumptions have no
// place.
void keep_defined(ir::Module& m);

// Does the function divide, or shift, by a number that is no constant?
bool divides(const ir::Function& f);
bool shifts(const ir::Function& f);

}  // namespace fencepost::flow

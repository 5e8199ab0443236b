#pragma once
// Division by zero. In C and C++ it is undefined ([expr.mul], C11 6.5.5), in OpenCL C (6.3) and in PTX it gives a value
// that nobody names. So no counterexample may rest on one: a run in which a divisor is 0 is impossible, as by
// `__builtin_assume`, and the profile says so.
#include "ir/ir.h"

namespace fencepost::flow {

// Before each division and remainder by a number that is no constant: it is not 0. These assumptions have no place.
void keep_divisors_from_zero(ir::Module& m);

// Does the function divide by a number that is no constant?
bool divides(const ir::Function& f);

}  // namespace fencepost::flow

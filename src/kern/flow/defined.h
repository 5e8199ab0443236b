#pragma once
// Division by zero. In C++ it is undefined ([expr.mul]), and so is the least number divided by -1; in OpenCL C (6.3)
// and in PTX a division by zero gives a value that nobody names. So no counterexample may rest on one: a run that
// comes to one is impossible, as by `__builtin_assume`. The profile says so.
//
// Only of divisors that are the same for all threads, as lengths are. One that is 0 for some threads of each launch is
// a fault of the kernel, and what these threads do then is looked at. Tried and lost: shifts by the width or more,
// which are undefined too. `1u << lane` with the number in the block for `lane` is a common fault, that was verified.
#include "ir/ir.h"

namespace fencepost::flow {

// Before each division and remainder by such a number: it has a value. These assumptions have no place.
void keep_defined(ir::Module& m);

// Does the function divide by such a number?
bool divides(const ir::Function& f);

}  // namespace fencepost::flow

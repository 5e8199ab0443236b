#pragma once
// Which regions a pointer may point into: fills Access::regions and Call::targets of a whole module (law 2 of
// ir/ir.h). Flow- and context-insensitive inclusion constraints (Andersen 1994) over all values, numbers too, since an
// address may travel as a number; one set of contents for each region. An unknown pointer, read from memory that nobody
// wrote, points to no array, and may be the address of any function that the program takes the address of; anything
// else is an error of the access or call then, never silently fine.
#include "ir/ir.h"

namespace fencepost::ir {

void resolve_pointers(Module& m);

}  // namespace fencepost::ir

#pragma once
// Numbers of operations (Instr::operation) as a reader gives them.
#include "prog/test.h"

namespace fencepost::prog {

// Numbers the operations of a template by their first instruction, from 0 without gaps; what awaits one that is gone
// awaits nothing. Programs that differ in nothing else are then equal.
void number_operations(Template& t);

}  // namespace fencepost::prog

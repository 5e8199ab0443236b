#pragma once
// Which objects of a program that a compiler made are objects of C that are not atomic. Litmus tests declare it;
// compiled programs show it by their accesses.
#include "prog/test.h"

namespace fencepost::prog {

// Marks with NAL each object that no atomic operation of the program may touch. An atomic operation at a computed
// address may touch every object, so a program with one has no marks. An object that is also accessed atomically stays
// without a mark: the OpenCL models then promise nothing about the values of its plain reads.
void mark_plain_objects(Test& test);

}  // namespace fencepost::prog

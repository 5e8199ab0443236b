#pragma once
// Which gate this is: a hash of the sources that decide what a record of machine code is judged to be (links.cmake). A
// store of a hunt keeps it, so that verdicts of two gates do not meet in one store.
#include <string>

namespace fencepost::hunt {

std::string gate_print();

}  // namespace fencepost::hunt

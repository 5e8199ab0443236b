#pragma once
// The end of a litmus file, the same in every dialect:
//   locations [..]  filter C  exists C | ~exists C | forall C
// Law: reading it back gives the same values. A location on the right of a comparison prints as [y], since a
// bare name there is an address.
#include <string>

#include "prog/names.h"

namespace fencepost::print {

std::string print_condition(const prog::Test& test, const prog::Cond& c);
std::string print_question(const prog::Test& test);  // each line ends in a line feed; "" when nothing is asked

}  // namespace fencepost::print

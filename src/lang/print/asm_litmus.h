#pragma once
// The frame that PTX and VULKAN litmus files share, as text: columns of equal width, one instruction a row.
// Every location is declared, so that the order of objects survives a round trip.
#include <string>

#include "prog/names.h"

namespace fencepost::print {

// `language`: the first word. Threads are placed by the names of their scope levels, narrowest first.
std::string print_asm(const prog::Test& test, const char* language);

}  // namespace fencepost::print

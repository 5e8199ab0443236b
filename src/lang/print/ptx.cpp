#include "print/asm_litmus.h"
#include "print/litmus.h"

namespace fencepost::print {

std::string print_ptx(const prog::Test& test) { return print_asm(test, "PTX"); }

}  // namespace fencepost::print

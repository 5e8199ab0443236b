#include "emit/asm_litmus.h"
#include "emit/litmus.h"

namespace fencepost::emit {

std::string print_ptx(const prog::Test& test) { return print_asm(test, "PTX"); }

}  // namespace fencepost::emit

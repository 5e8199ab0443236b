#include "print/asm_litmus.h"
#include "print/litmus.h"

namespace fencepost::print {

std::string print_vulkan(const prog::Test& test) { return print_asm(test, "VULKAN"); }

}  // namespace fencepost::print

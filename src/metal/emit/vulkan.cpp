#include "emit/asm_litmus.h"
#include "emit/litmus.h"

namespace fencepost::emit {

std::string print_vulkan(const prog::Test& test) { return print_asm(test, "VULKAN"); }

}  // namespace fencepost::emit

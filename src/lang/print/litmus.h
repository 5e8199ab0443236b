#pragma once
// prog::Test -> text, in the syntax the test was written in. Law: parse(print(t)) == t.
#include <string>

#include "prog/names.h"

namespace fencepost::print {

std::string print(const prog::Test& test);  // by test.syntax
std::string print_ptx(const prog::Test& test);
std::string print_vulkan(const prog::Test& test);
std::string print_opencl(const prog::Test& test);
std::string print_gpu_ptx(const prog::Test& test);
std::string print_khronos_test(const prog::Test& test);
std::string print_mixedproxy_test(const prog::Test& test);

}  // namespace fencepost::print

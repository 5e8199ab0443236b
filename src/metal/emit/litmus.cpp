#include "emit/litmus.h"

namespace fencepost::emit {

std::string print(const prog::Test& test) {
  switch (test.syntax) {
    case prog::Syntax::ptx:
      return print_ptx(test);
    case prog::Syntax::vulkan:
      return print_vulkan(test);
    case prog::Syntax::opencl:
      return print_opencl(test);
    case prog::Syntax::gpu_ptx:
      return print_gpu_ptx(test);
    case prog::Syntax::vulkan_test:
      return print_khronos_test(test);
    case prog::Syntax::mixedproxy_test:
      return print_mixedproxy_test(test);
  }
  return print_ptx(test);
}

}  // namespace fencepost::emit

#pragma once
// Kernels of CUDA C++. They are compiled to a module as shaders are (Syntax::spirv), and their events are those of a
// CUDA litmus test, in the dialect of OpenCL; the remark tells them from OpenCL kernels.
#include "prog/syntax.h"
#include "prog/test.h"

namespace fencepost::prog {

inline constexpr const char* k_cuda_cpp = "CUDA C++";

inline bool is_cuda_cpp(const Test& test) {
  return test.syntax == Syntax::spirv && test.dialect == Dialect::opencl && test.remarks.size() == 1 &&
         test.remarks.front() == k_cuda_cpp;
}

}  // namespace fencepost::prog

#pragma once
// CUDA C++ -> prog::Test, under the memory model of CUDA C++. clang 19 in libfencepost_kern.so, the one that `prove` uses,
// compiles one kernel of the file (clangfe/plain.h), and ptxmod/cuda_kernel.h reads what comes of it. Host code of the
// file is passed over.
//
// Launch, initial memory and question stand in comments, or come from options, which go first:
//   // @Config: 1, 2, 2      // @Input: n = 4, x = {0, 1}      // @Output: forall (x[0] == 4)      // @Filter: ...
//   // @Define: TILE=2, DEBUG   macros for the preprocessor
// Conditions and inputs name parameters of the kernel, its __shared__ variables, and variables of the file.
//
// Global memory without an input starts at 0; shared memory, and variables of a thread, start with any value.
//
// Errors: the library is missing (unsupported); clang's, at their lines; what is not modelled, by name and line.
#include "prog/names.h"
#include "spirv/spirv.h"

namespace fencepost::ptxmod {

// A name that ends in ".cu" or ".cuh", or a text with "__global__" in it.
bool is_cuda_cpp(const Source& source);

Expected<prog::Test> parse_cuda_cpp(const SourcePtr& source, const spirv::LaunchOptions& options = {});

}  // namespace fencepost::ptxmod

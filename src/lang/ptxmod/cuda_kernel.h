#pragma once
// A kernel of CUDA C++, compiled to the notation of PTX with instructions of its own -> prog::Test, under the memory
// model of CUDA C++. The compiler is clang in libfencepost_kern.so (clangfe/plain.h), and cuda_cpp.h drives it. What
// the instructions mean: cuda.cpp.
//
// Names in headers and questions are those of the source; places are places in it.
#include <map>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "prog/names.h"
#include "ptxmod/data_type.h"
#include "spirv/spirv.h"

namespace fencepost::ptxmod {

struct CudaKernel {
  struct Variable {
    std::string shown;  // its name in the source
    uint32_t line = 0;
    DataType type;
  };
  SourcePtr source;                           // the user's text
  std::string module;                         // lines of .loc are lines of that text
  std::string title;                          // the kernel's name in the source
  uint32_t line = 0;                          // of the kernel
  std::map<std::string, Variable> variables;  // by their names in the module; parameters too
  std::vector<std::string> absent;            // included files that are not there
  std::vector<std::string> arch;              // sentences: what is assumed of the value of __CUDA_ARCH__
  std::vector<std::string> own;               // names of what each thread has for itself
};

Expected<prog::Test> parse_cuda_kernel(const CudaKernel& kernel, const spirv::LaunchOptions& options);

}  // namespace fencepost::ptxmod

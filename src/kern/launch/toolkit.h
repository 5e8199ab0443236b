#pragma once
// --cuda-path: a CUDA toolkit whose headers are read in the place of our own declarations. Input: a folder as nvcc's
// installation has it (include/cuda.h, include/cuda_runtime.h), or the word `env` for the folder that CUDA_PATH,
// CUDA_HOME or CUDA_ROOT names. The variables are looked at for that word alone. Errors, with a hint: no such folder, a
// folder without these headers, a version that clang 19 does not take, variables that name two folders, or none.
#include <functional>
#include <string>

#include "base/diagnostic.h"

namespace fencepost::launch {

struct Toolkit {
  std::string folder;
  uint32_t version = 0;  // CUDA_VERSION: 12090 for 12.9
};

// What an environment variable holds; "" if it is not set.
using Environment = std::function<std::string(const char*)>;
Environment process_environment();

Expected<Toolkit> find_toolkit(const std::string& given, const Environment& environment = process_environment());

// "12.9"
std::string version_name(uint32_t version);

}  // namespace fencepost::launch

#pragma once
// A kernel of a CUDA C++ file as plain text without LLVM, for `check`, which decides kernels under memory models. A
// line "%%" divides the text. Before it stands a table: files, included files that were not found, variables and types.
// Behind it stands a module in the notation of PTX, with instructions of its own (`cuda.ld.acq.device.u32`) where C++
// says what PTX does not: orders, scopes, and what is undefined. ptxmod/cuda.cpp reads these, ptxmod/cuda_cpp.h the
// table.
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "clangfe/clangfe.h"

namespace fencepost::clangfe {

// `words`: "entry=NAME", "-DNAME=VALUE", "-IDIR". Errors: clang's, at their lines; what is not modelled, by name and
// line (unsupported).
Expected<std::string> kernel_text(const SourcePtr& file, const std::vector<std::string>& words);

}  // namespace fencepost::clangfe

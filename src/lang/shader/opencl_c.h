#pragma once
// OpenCL C kernels -> prog::Test, under the OpenCL memory model. clang compiles the text to LLVM IR and the LLVM-SPIR-V
// translator that to SPIR-V, both as child processes; spirv.h reads the result. They are looked for when a kernel
// comes: clang-15 with llvm-spirv-15, else clang-14 with llvm-spirv-14, on PATH and in /usr/lib/llvm-15/bin.
// FENCEPOST_CLANG and FENCEPOST_LLVM_SPIRV name others.
//
// The level is -O0: an optimiser may drop, merge and invent plain accesses, and what is judged should be the accesses
// that stand in the text. Variables of an invocation become values in spirv.h, which takes away what -O0 adds.
// clang's own SPIR-V backend is not used: in versions that were tried (22.1.8) it gives atomics the wrong order and
// scope.
//
// Launch, initial memory and question stand in comments, or come from options, which go first:
//   // @Config: 1, 2, 2      // @Input: n = 4, x = {0, 1}      // @Output: forall (x[0] == 4)      // @Filter: ...
//   // @Define: TILE=2, DEBUG   macros for the preprocessor
// Conditions and inputs name parameters of the kernel, its __local variables, and variables of the program. A pointer
// is an array: "x[2]". Members of structures are numbers: "s[0][1]".
//
// Global memory without an input starts at 0; local memory, and variables of an invocation, start with any value.
//
// Errors: tools that are missing; those of the compiler, at their lines; those of spirv.h at lines of the kernel.
#include "prog/names.h"
#include "spirv/spirv.h"

namespace fencepost::shader::opencl_c {

// A name that ends in ".cl", or a text with a kernel in it.
bool is_opencl_c(const Source& source);

struct Tools {
  std::string clang, translator;  // paths
};
// Without the tools: which are missing, and how to get them.
Expected<Tools> find_tools(const SourcePtr& source);

// The module, and the names of the source in it. `entry`: as in LaunchOptions.
Expected<spirv::Compiled> compile(const SourcePtr& source, const std::string& entry);

// Names of the source for another entry point of the same module, in the place of those that it has.
void name_entry(spirv::Compiled& module, const std::string& entry);

Expected<prog::Test> parse_opencl_c(const SourcePtr& source, const spirv::LaunchOptions& options = {});

}  // namespace fencepost::shader::opencl_c

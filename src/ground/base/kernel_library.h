#pragma once
// libfencepost_kern.so: clang, LLVM and the kernel verifier, in a library of their own that is opened when a kernel comes.
// It is looked for beside the program and in ../lib and ../lib/fencepost.
#include "base/diagnostic.h"

namespace fencepost {

// Both sides are built together; this tells when they were not. A change of any type that crosses the border changes it.
inline constexpr const char* k_kernel_library_stamp = "fencepost-kern 6 " __VERSION__;

// Opened once, and kept: clang and LLVM do not like to be unloaded. Error (unsupported): it is absent, or of another
// build.
Expected<void*> kernel_library();
// One of its functions. Null: it has none of that name.
void* kernel_function(void* library, const char* name);

}  // namespace fencepost

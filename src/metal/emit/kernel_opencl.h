#pragma once
// code::Kernel -> OpenCL C, two kinds that never mix in one text:
//
//   scoped      OpenCL C 3.0 (-cl-std=CL3.0) with the atomics of a device that has orders and scopes. Instructions of
//               OPENCL tests are the calls that the test writes, with its orders and scopes; its plain accesses are
//               plain accesses. Instructions of other dialects are refused by name.
//   inline_ptx  OpenCL C 1.2 of NVIDIA's compiler, which has no scoped orders: instructions of PTX tests, and the
//               frame's accesses, are inline assembly with the test's own mnemonics. The text says so in its second
//               line. What runs there says something about PTX, nothing about OpenCL. OPENCL tests are refused.
//
// Differences from the test's text (scoped): atomic_compare_exchange_weak is printed as _strong (a spurious failure is
// no outcome of a model); a failure order that C forbids (release, acq_rel) is printed as relaxed or acquire; consume
// is printed as relaxed, as the models read it; atomic_thread_fence(o) as atomic_work_item_fence over both address
// spaces at device scope.
//
// Law 2 of kernel.h: every atomic access is volatile (scoped) or volatile assembly that clobbers memory (inline_ptx),
// so compilers leave it; plain accesses of an OPENCL test are the compiler's to merge or move, as in the program that
// the test stands for. A kernel's buffers are `global uint*`, its shared memory `local uint[]`; atomics of words are
// made through a pointer cast to an atomic type of the same size. 64-bit atomics need cl_khr_int64_base_atomics and
// cl_khr_int64_extended_atomics. There is no clock (scoped: 0) and no pause (scoped: nothing).
//
// All kernels of one text have names of their own. Errors: unsupported instructions, at their place.
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "code/kernel.h"

namespace fencepost::emit {

enum class OpenclKind : uint8_t { scoped, inline_ptx };

struct OpenclText {
  std::string text;
  std::string options;  // for clBuildProgram
};

Expected<OpenclText> kernel_opencl(const std::vector<code::Kernel>& kernels, OpenclKind kind = OpenclKind::scoped);

}  // namespace fencepost::emit

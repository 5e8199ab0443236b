#pragma once
// code::Kernel -> a C++20 function that one thread runs for each invocation:
//   void NAME(const Ids& ids, std::barrier<>& meeting, std::uint32_t* shared_words, std::uint32_t* b_BUFFER...)
// with `struct Ids { std::uint32_t group, lane, groups, lanes; };` before it.
//
// Instructions of every dialect become accesses through std::atomic_ref, as strong as the dialect asks for; scopes and
// proxies are forgotten (one process is one scope):
//   plain, weak, relaxed, volatile   memory_order_relaxed         acquire, release   acquire, release
//   seq_cst (OPENCL)                 memory_order_seq_cst         rmw                its orders; all else relaxed
//   fence sc, seq_cst; membar of PTX; proxy fences   seq_cst fence      other fences     acquire, release or acq_rel
//   fence avdevice, visdevice        nothing                       control barrier   std::barrier of the workgroup
// Plain accesses become relaxed ones because a data race would make the C++ program undefined. Law 2 of kernel.h is not
// promised: a C++ compiler may merge relaxed accesses (g++ 12 and clang 19 do not).
// Refused by name: barriers with an id, a quorum or without waiting.
#include <string>

#include "base/diagnostic.h"
#include "code/kernel.h"

namespace fencepost::emit {

Expected<std::string> kernel_cpp(const code::Kernel& kernel);

}  // namespace fencepost::emit

#pragma once
// Inside of test.h: one writer for each dialect. Input: a layout whose accesses are all described. Output: litmus text.
#include <string>

#include "cycle/layout.h"
#include "cycle/tree.h"
#include "prog/names.h"

namespace fencepost::gen {

struct Draft {
  std::string title;
  std::vector<std::string> remarks;
  Layout layout;
  Tree tree;
  std::string question;  // "exists (...)"
};
Expected<std::string> write_ptx(const Draft& d);
// The instructions of one x86 thread of the host, in a PTX test (litmus/ptx_host.h).
Expected<std::vector<std::string>> write_host(const Draft& d, size_t thread);
Expected<std::string> write_gpu_ptx(const Draft& d);
Expected<std::string> write_vulkan(const Draft& d);
Expected<std::string> write_opencl(const Draft& d);

// "... is not in PTX" at the place of the access or relation.
std::unexpected<Diagnostics> refuse(const Span& at, const std::string& what, const char* dialect,
                                    const std::string& hint);
// Refuses what none of the dialects has: clusters (but for PTX), async, widths, dshared and host memory, mmio.
Expected<void> refuse_common(const Draft& d, const char* dialect);

// Columns of instruction rows, as PTX, VULKAN and GPU_PTX have them.
std::string rows(const std::vector<std::string>& heads, const std::vector<std::vector<std::string>>& columns);
std::string header(const Draft& d, const char* language);
// Value whose bit no location ever has: `and` with it is 0 and no rewriting knows it.
inline constexpr int k_false_bit = 128;

}  // namespace fencepost::gen

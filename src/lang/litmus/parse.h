#pragma once
// Text of a litmus test -> prog::Test, one function for each syntax. Grammar: docs/litmus.md. Which syntax a text has
// is told by read/read.h.
//
// Errors are at their place in the text. Each syntax is a file of its own (ptx.cpp, vulkan.cpp, opencl.cpp,
// gpu_ptx.cpp, khronos_test.cpp, mixedproxy_test.cpp).
#include <vector>

#include "base/diagnostic.h"
#include "prog/names.h"

namespace fencepost::litmus {

// One per syntax; each is a file of its own (ptx.cpp, vulkan.cpp, opencl.cpp, gpu_ptx.cpp, khronos_test.cpp,
// mixedproxy_test.cpp).
Expected<prog::Test> parse_ptx(SourcePtr source);
Expected<prog::Test> parse_vulkan(SourcePtr source);
Expected<prog::Test> parse_opencl(SourcePtr source);
Expected<prog::Test> parse_gpu_ptx(SourcePtr source);
Expected<std::vector<prog::Test>> parse_khronos_test(SourcePtr source);
Expected<std::vector<prog::Test>> parse_mixedproxy_test(SourcePtr source);

}  // namespace fencepost::litmus

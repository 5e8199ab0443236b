#pragma once
// Text -> prog::Test. The syntax is chosen by the first word of a litmus file (PTX, VULKAN, OPENCL,
// GPU_PTX), or by the ending `.test` (the notations of KhronosGroup/Vulkan-MemoryModel and of
// NVlabs/mixedproxy, told apart by content). A `.test` file may hold several tests (its table expands).
// Grammar: docs/litmus.md. SPIR-V is known by its magic number or its assembly (spirv.h; docs/spirv.md), GLSL by
// "#version" (glsl.h; docs/glsl.md), OpenCL C by the ending `.cl` or a kernel in the text (opencl_c.h; docs/opencl-c.md).
#include <vector>

#include "base/diagnostic.h"
#include "front/spirv.h"
#include "prog/test.h"

namespace fencepost::front {

// `launch` is for SPIR-V, GLSL and OpenCL C, which have no launch and no question of their own; other syntaxes do not look at it.
Expected<std::vector<prog::Test>> parse(SourcePtr source, const spirv::LaunchOptions& launch = {});
Expected<prog::Test> parse_one(SourcePtr source);   // error when the text holds several tests

Expected<std::vector<prog::Test>> parse_file(const std::string& path,
                                             const spirv::LaunchOptions& launch = {});  // "-" = standard input

// One per syntax; each is a file of its own (ptx.cpp, vulkan.cpp, opencl.cpp, gpu_ptx.cpp, khronos_test.cpp,
// mixedproxy_test.cpp).
Expected<prog::Test> parse_ptx(SourcePtr source);
Expected<prog::Test> parse_vulkan(SourcePtr source);
Expected<prog::Test> parse_opencl(SourcePtr source);
Expected<prog::Test> parse_gpu_ptx(SourcePtr source);
Expected<std::vector<prog::Test>> parse_khronos_test(SourcePtr source);
Expected<std::vector<prog::Test>> parse_mixedproxy_test(SourcePtr source);

}  // namespace fencepost::front

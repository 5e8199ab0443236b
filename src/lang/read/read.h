#pragma once
// Text -> prog::Test. The syntax is chosen by the first word of a litmus file (PTX, VULKAN, OPENCL,
// GPU_PTX), or by the ending `.test` (the notations of KhronosGroup/Vulkan-MemoryModel and of
// NVlabs/mixedproxy, told apart by content). A `.test` file may hold several tests (its table expands).
// Grammar: docs/litmus.md. SPIR-V is known by its magic number or its assembly (spirv.h; docs/spirv.md), GLSL by
// "#version" (glsl.h; docs/glsl.md), OpenCL C by the ending `.cl` or a kernel in the text (opencl_c.h;
// docs/opencl-c.md), CUDA C++ by the endings `.cu` and `.cuh` or "__global__" (cuda_cpp.h; docs/cuda-cpp.md), a PTX
// module by its ".version" (ptxmod.h; docs/ptx-modules.md).
#include <vector>

#include "base/diagnostic.h"
#include "prog/names.h"
#include "spirv/spirv.h"

namespace fencepost::read {

// The assumption of a test whose weak compare-exchanges were made strong (spirv::LaunchOptions::spurious).
inline constexpr const char* k_never_spurious = "weak compare-exchanges do not fail spuriously";

// `launch` is for SPIR-V, GLSL and OpenCL C, which have no launch and no question of their own; of it other syntaxes
// heed `spurious` alone.
Expected<std::vector<prog::Test>> parse(SourcePtr source, const spirv::LaunchOptions& launch = {});
Expected<prog::Test> parse_one(SourcePtr source);  // error when the text holds several tests

Expected<std::vector<prog::Test>> parse_file(const std::string& path,
                                             const spirv::LaunchOptions& launch = {});  // "-" = standard input

}  // namespace fencepost::read

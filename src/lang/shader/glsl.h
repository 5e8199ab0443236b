#pragma once
// GLSL compute shaders -> prog::Test, under the Vulkan memory model. glslang compiles the text in this process to
// SPIR-V 1.5 (as if it began with "#pragma use_vulkan_memory_model"), and spirv.h reads the result.
//
// Launch, initial memory and question stand in comments, or come from options, which go first:
//   // @Config: 1, 2, 2          // @Input: lock = 0          // @Output: forall (x == 4)          // @Filter: ...
// Conditions and inputs name variables as the shader does: "lock" for a member of a block without an instance name,
// "b.lock", "shared_array[2]"; "%id" stays what it is in the compiled module.
//
// Memory without an input starts at 0.
//
// Errors: those of the compiler, at their lines; those of spirv.h, which name source lines where the module has them.
#include "prog/names.h"
#include "spirv/spirv.h"

namespace fencepost::shader::glsl {

// Does this text look like GLSL? ("#version" or "#extension" before any code)
bool is_glsl(std::string_view text);

// The compiled module as SPIR-V assembly with readable ids. Compute stage.
Expected<std::string> compile(const SourcePtr& source);

Expected<prog::Test> parse_glsl(const SourcePtr& source, const spirv::LaunchOptions& options = {});

}  // namespace fencepost::shader::glsl

#pragma once
// code::Kernel -> a GLSL compute shader for the Vulkan memory model (GL_KHR_memory_scope_semantics): the text to read
// and to send. Devices get the words of kernel_spirv.h, which say more than GLSL can.
//
// Atomic accesses, memory barriers and control barriers carry the test's scope, storage classes and semantics one for
// one. Plain accesses have their qualifiers on the variable, not on the access: a buffer whose plain accesses are not
// all of one kind (private; nonprivate; made available and visible in one scope) is refused by name, and so is one with
// words of 32 and of 64 bits. Shared variables are workgroupcoherent, always. What kernel_spirv.h refuses is refused
// here too. Buffer k is binding k; `main` is the kernel; shaders have a fixed number of lanes.
#include <string>

#include "base/diagnostic.h"
#include "code/kernel.h"

namespace fencepost::emit {

struct GlslOptions {
  uint32_t lanes = 1;
  std::string comment;  // lines for the head, without "// "
};
Expected<std::string> kernel_glsl(const code::Kernel& kernel, const GlslOptions& options);

// The name of a buffer's array in the shader.
std::string glsl_name(const code::Buffer& buffer);

}  // namespace fencepost::emit

// libFuzzer target: any bytes as a shader, and, with FENCEPOST_HEADER, any bytes as the comments above a fixed shader.
// Reading must answer with a test or with diagnostics that can be shown.
//
// The first includes glslang, which is not ours: see tests/fuzz/README.md. The second asks what is ours alone.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "shader/glsl.h"

using namespace fencepost;

namespace {

[[maybe_unused]] const char* const k_shader = R"(#version 450
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 1) in;
layout(binding = 0) buffer Data { uint next; uint x; uint seen[2]; };
layout(binding = 1) buffer More { uint far; } more;
shared uint near;
void main() {
  near = 1u;
  seen[gl_GlobalInvocationID.x] = atomicAdd(next, near, gl_ScopeDevice, 0, gl_SemanticsRelaxed);
  more.far = x;
}
)";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
#ifdef FENCEPOST_HEADER
  std::string comments = "// ";
  for (const char c : text) {
    if (c == '\0' || c == '\\' || c == '\r') continue;  // would end the comment, or go on with the next line
    comments += c;
    if (c == '\n') comments += "// ";
  }
  text = comments + "\n" + k_shader;
#endif
  spirv::LaunchOptions launch;
  launch.grid = spirv::Grid{1, 1, {2, 1, 1}};
  const auto test = shader::glsl::parse_glsl(make_source("fuzz.comp", std::move(text)), launch);
  if (!test && render(test.error()).empty()) std::abort();  // a refusal without a word
  return 0;
}

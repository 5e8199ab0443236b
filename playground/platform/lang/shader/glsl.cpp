// shader/glsl.h without the compiler of GLSL, which would be as large as the rest of the program.
#include "shader/glsl.h"

#include "prog/test.h"

namespace fencepost::shader::glsl {

Expected<prog::Test> parse_glsl(const SourcePtr& source, const spirv::LaunchOptions&) {
  return unsupported_at(Span{source, 0, 0}, "GLSL is not read in the playground", "ask the program: fencepost check");
}

}  // namespace fencepost::shader::glsl

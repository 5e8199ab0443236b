// shader/opencl_c.h where no compiler can be started.
#include "shader/opencl_c.h"

#include "prog/test.h"

namespace fencepost::shader::opencl_c {

Expected<prog::Test> parse_opencl_c(const SourcePtr& source, const spirv::LaunchOptions&) {
  return unsupported_at(Span{source, 0, 0}, "OpenCL C is not read in the playground",
                        "ask the program: fencepost check");
}

}  // namespace fencepost::shader::opencl_c

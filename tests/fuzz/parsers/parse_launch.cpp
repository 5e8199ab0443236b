// libFuzzer target: what a command line says of a launch (--grid, --input, --condition, --filter: one line each), about
// a fixed module. A line that is read must name something of the module; every refusal can be shown.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "spirv/spirv.h"

using namespace fencepost;

namespace {

const char* const k_module = R"(; SPIR-V
OpCapability Shader
OpCapability VulkanMemoryModel
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main"
OpDecorate %ints ArrayStride 4
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 4
OpDecorate %block Block
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%ints = OpTypeRuntimeArray %uint
%block = OpTypeStruct %uint %ints
%buffer = OpTypePointer StorageBuffer %block
%word = OpTypePointer StorageBuffer %uint
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%x = OpVariable %buffer StorageBuffer
%y = OpVariable %buffer StorageBuffer
%main = OpFunction %void None %fn
%start = OpLabel
%p = OpAccessChain %word %x %zero
%q = OpAccessChain %word %y %one %one
%v = OpAtomicIAdd %uint %p %one %zero %one
OpAtomicStore %q %one %zero %v
OpReturn
OpFunctionEnd
)";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::array<std::string, 4> lines;
  for (size_t k = 0, at = 0; k < lines.size() && at <= text.size(); ++k) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines[k] = text.substr(at, end - at);
    at = end + 1;
  }
  spirv::LaunchOptions launch;
  if (const auto grid = spirv::parse_grid(lines[0])) {
    if (spirv::parse_grid(to_string(*grid)) != *grid) std::abort();
    if (grid->threads() <= 16) launch.grid = *grid;
  } else if (render(grid.error()).empty()) {
    std::abort();
  }
  if (!lines[1].empty()) launch.inputs.push_back(lines[1]);
  launch.condition = lines[2];
  launch.filter = lines[3];
  const auto test = spirv::parse_spirv(make_source("fuzz.spvasm", k_module), launch);
  if (!test && render(test.error()).empty()) std::abort();  // a refusal without a word
  return 0;
}

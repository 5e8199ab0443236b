#pragma once
// The languages that tests are written in.
#include <cstdint>

namespace fencepost::prog {

// The surface syntax a test was written in; Test::dialect says under which machine it is judged.
enum class Syntax : uint8_t { ptx, vulkan, opencl, gpu_ptx, vulkan_test, mixedproxy_test, spirv, cuda };
const char* name(Syntax s);

}  // namespace fencepost::prog

#include "device/backend.h"

namespace fencepost::device {

const char* name(Api a) {
  switch (a) {
    case Api::cpu:
      return "cpu";
    case Api::cuda:
      return "cuda";
    case Api::vulkan:
      return "vulkan";
    case Api::opencl:
      return "opencl";
  }
  return "cpu";
}

const char* name(Language l) {
  switch (l) {
    case Language::code:
      return "code";
    case Language::ptx:
      return "ptx";
    case Language::opencl_c:
      return "opencl_c";
    case Language::spirv:
      return "spirv";
  }
  return "code";
}

}  // namespace fencepost::device

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

namespace {

std::unexpected<Diagnostics> alone(const Info& info) {
  return unsupported_at({}, info.id + " does not work together with other devices",
                        "devices of CUDA do, and the processors");
}

}  // namespace

Expected<uint64_t> Backend::address(BufferId) const { return alone(info()); }
Expected<BufferId> Backend::adopt(uint64_t, uint64_t) { return alone(info()); }
Expected<BufferId> Backend::allocate_on_host(uint64_t) { return alone(info()); }
Expected<void> Backend::start(const Launch&) { return alone(info()); }
Expected<std::optional<Outcome>> Backend::poll() { return alone(info()); }

}  // namespace fencepost::device

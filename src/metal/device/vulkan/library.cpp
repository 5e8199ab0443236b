#include "device/vulkan/library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <memory>

namespace fencepost::device::vulkan {
namespace {

struct Loader {
  PFN_vkGetInstanceProcAddr get = nullptr;
  std::string failure;
};

Loader open_loader() {
  Loader out;
  void* handle = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    out.failure = dlerror();
    return out;
  }
  out.get = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(handle, "vkGetInstanceProcAddr"));
  if (out.get == nullptr) out.failure = "libvulkan.so.1 has no vkGetInstanceProcAddr";
  return out;
}

}  // namespace

Expected<std::unique_ptr<Instance>> make_instance() {
  static const Loader loader = open_loader();  // for the process: drivers do not survive being closed
  if (!loader.failure.empty())
    return unsupported_at({}, loader.failure, "install a Vulkan loader and driver, for processors mesa-vulkan-drivers");
  const auto create = reinterpret_cast<PFN_vkCreateInstance>(loader.get(nullptr, "vkCreateInstance"));
  VkApplicationInfo app{};
  app.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  app.pApplicationName = "fencepost";
  app.apiVersion = VK_API_VERSION_1_2;
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &app;
  auto out = std::make_unique<Instance>();
  const VkResult r = create(&info, nullptr, &out->handle);
  if (r != VK_SUCCESS) {
    out->handle = VK_NULL_HANDLE;
    return unsupported_at({}, fmt::format("vkCreateInstance: {}", result_name(r)),
                          "install a Vulkan driver, for processors mesa-vulkan-drivers");
  }
  std::string missing;
#define X(f)                                                                 \
  out->vk.f = reinterpret_cast<PFN_vk##f>(loader.get(out->handle, "vk" #f)); \
  if (out->vk.f == nullptr && missing.empty()) missing = "vk" #f;
  FENCEPOST_VULKAN_INSTANCE(X)
#undef X
  if (!missing.empty()) {
    if (out->vk.DestroyInstance == nullptr) out->keep = true;
    return unsupported_at({}, fmt::format("the Vulkan loader has no {}", missing));
  }
  return out;
}

void find_device_functions(Functions& vk, VkDevice device){
#define X(f) vk.f = reinterpret_cast<PFN_vk##f>(vk.GetDeviceProcAddr(device, "vk" #f));
    FENCEPOST_VULKAN_DEVICE(X)
#undef X
}

std::string result_name(VkResult r) {
  switch (r) {
    case VK_SUCCESS:
      return "VK_SUCCESS";
    case VK_NOT_READY:
      return "VK_NOT_READY";
    case VK_TIMEOUT:
      return "VK_TIMEOUT";
    case VK_ERROR_OUT_OF_HOST_MEMORY:
      return "VK_ERROR_OUT_OF_HOST_MEMORY";
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
      return "VK_ERROR_OUT_OF_DEVICE_MEMORY";
    case VK_ERROR_INITIALIZATION_FAILED:
      return "VK_ERROR_INITIALIZATION_FAILED";
    case VK_ERROR_DEVICE_LOST:
      return "VK_ERROR_DEVICE_LOST";
    case VK_ERROR_MEMORY_MAP_FAILED:
      return "VK_ERROR_MEMORY_MAP_FAILED";
    case VK_ERROR_LAYER_NOT_PRESENT:
      return "VK_ERROR_LAYER_NOT_PRESENT";
    case VK_ERROR_EXTENSION_NOT_PRESENT:
      return "VK_ERROR_EXTENSION_NOT_PRESENT";
    case VK_ERROR_FEATURE_NOT_PRESENT:
      return "VK_ERROR_FEATURE_NOT_PRESENT";
    case VK_ERROR_INCOMPATIBLE_DRIVER:
      return "VK_ERROR_INCOMPATIBLE_DRIVER";
    case VK_ERROR_TOO_MANY_OBJECTS:
      return "VK_ERROR_TOO_MANY_OBJECTS";
    case VK_ERROR_OUT_OF_POOL_MEMORY:
      return "VK_ERROR_OUT_OF_POOL_MEMORY";
    case VK_ERROR_INVALID_SHADER_NV:
      return "VK_ERROR_INVALID_SHADER_NV";
    default:
      return fmt::format("VkResult {}", static_cast<int>(r));
  }
}

}  // namespace fencepost::device::vulkan

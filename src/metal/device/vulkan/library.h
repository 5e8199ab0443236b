#pragma once
// Vulkan's functions, found at run time: those of the loader, of an instance and of a device.
#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#include <string>

#include "base/diagnostic.h"

namespace fencepost::device::vulkan {

// clang-format off
#define FENCEPOST_VULKAN_INSTANCE(X)                                                                               \
  X(DestroyInstance)                                                                                               \
  X(EnumeratePhysicalDevices) X(GetPhysicalDeviceProperties) X(GetPhysicalDeviceProperties2)                       \
      X(GetPhysicalDeviceFeatures2) X(GetPhysicalDeviceQueueFamilyProperties) X(GetPhysicalDeviceMemoryProperties) \
          X(EnumerateDeviceExtensionProperties) X(CreateDevice) X(GetDeviceProcAddr)
#define FENCEPOST_VULKAN_DEVICE(X)                                                                                  \
  X(DestroyDevice)                                                                                                  \
  X(GetDeviceQueue) X(CreateBuffer) X(DestroyBuffer) X(GetBufferMemoryRequirements) X(AllocateMemory) X(FreeMemory) \
      X(BindBufferMemory) X(MapMemory) X(CreateShaderModule) X(DestroyShaderModule) X(CreateDescriptorSetLayout)    \
          X(DestroyDescriptorSetLayout) X(CreatePipelineLayout) X(DestroyPipelineLayout) X(CreateComputePipelines)  \
              X(DestroyPipeline) X(CreateDescriptorPool) X(DestroyDescriptorPool) X(ResetDescriptorPool)            \
                  X(AllocateDescriptorSets) X(UpdateDescriptorSets) X(CreateCommandPool) X(DestroyCommandPool)      \
                      X(AllocateCommandBuffers) X(ResetCommandPool) X(BeginCommandBuffer) X(EndCommandBuffer)       \
                          X(CmdBindPipeline) X(CmdBindDescriptorSets) X(CmdDispatch) X(CmdPipelineBarrier)          \
                              X(CmdCopyBuffer) X(CmdFillBuffer) X(CmdResetQueryPool) X(CmdWriteTimestamp)           \
                                  X(CreateQueryPool) X(DestroyQueryPool) X(GetQueryPoolResults) X(CreateFence)      \
                                      X(DestroyFence) X(ResetFences) X(WaitForFences) X(QueueSubmit)
// clang-format on

struct Functions {
#define X(f) PFN_vk##f f = nullptr;
  FENCEPOST_VULKAN_INSTANCE(X)
  FENCEPOST_VULKAN_DEVICE(X)
#undef X
};

// An instance, its functions, and what destroys it.
struct Instance {
  VkInstance handle = VK_NULL_HANDLE;
  Functions vk;
  bool keep = false;  // do not destroy (a launch hangs)
  Instance() = default;
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
  ~Instance() {
    if (handle != VK_NULL_HANDLE && !keep) vk.DestroyInstance(handle, nullptr);
  }
};

Expected<std::unique_ptr<Instance>> make_instance();
void find_device_functions(Functions& vk, VkDevice device);
std::string result_name(VkResult r);  // "VK_ERROR_DEVICE_LOST"

}  // namespace fencepost::device::vulkan

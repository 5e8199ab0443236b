#include "device/vulkan/vulkan.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <thread>

#include "device/vulkan/library.h"

namespace fencepost::device::vulkan {
namespace {

constexpr uint64_t k_staging_bytes = uint64_t{16} << 20;
constexpr uint32_t k_max_buffers = 16;                            // of a launch
constexpr uint64_t k_transfer_limit = uint64_t{60} * 1000000000;  // nanoseconds that a copy may take

struct Candidate {
  VkPhysicalDevice device = VK_NULL_HANDLE;
  uint32_t queue_family = 0;
  uint32_t timestamp_bits = 0;
};

// What a device has of what kernels may ask for.
struct Features {
  VkPhysicalDeviceFeatures2 all{};
  VkPhysicalDeviceVulkan12Features v12{};
  Features() {
    all.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    all.pNext = &v12;
  }
  Features(const Features&) = delete;
  Features& operator=(const Features&) = delete;
};

Expected<std::vector<Candidate>> candidates(const Instance& in) {
  uint32_t n = 0;
  VkResult r = in.vk.EnumeratePhysicalDevices(in.handle, &n, nullptr);
  std::vector<VkPhysicalDevice> devices(n);
  if (r == VK_SUCCESS && n > 0) r = in.vk.EnumeratePhysicalDevices(in.handle, &n, devices.data());
  if (r != VK_SUCCESS && r != VK_INCOMPLETE)
    return unsupported_at({}, fmt::format("vkEnumeratePhysicalDevices: {}", result_name(r)));
  std::vector<Candidate> out;
  for (const VkPhysicalDevice d : devices) {
    VkPhysicalDeviceProperties p{};
    in.vk.GetPhysicalDeviceProperties(d, &p);
    if (p.apiVersion < VK_API_VERSION_1_2) continue;
    uint32_t families = 0;
    in.vk.GetPhysicalDeviceQueueFamilyProperties(d, &families, nullptr);
    std::vector<VkQueueFamilyProperties> queues(families);
    in.vk.GetPhysicalDeviceQueueFamilyProperties(d, &families, queues.data());
    for (uint32_t f = 0; f < families; ++f)
      if (queues[f].queueFlags & VK_QUEUE_COMPUTE_BIT) {
        out.push_back({d, f, queues[f].timestampValidBits});
        break;
      }
  }
  if (out.empty())
    return unsupported_at({}, "no Vulkan 1.2 device has a compute queue",
                          "install a Vulkan driver, for processors mesa-vulkan-drivers");
  return out;
}

// Compute units: only vendors' extensions tell.
uint32_t units_of(const Instance& in, VkPhysicalDevice d, bool processors) {
  if (processors) return std::max(1u, std::thread::hardware_concurrency());
  uint32_t n = 0;
  in.vk.EnumerateDeviceExtensionProperties(d, nullptr, &n, nullptr);
  std::vector<VkExtensionProperties> extensions(n);
  in.vk.EnumerateDeviceExtensionProperties(d, nullptr, &n, extensions.data());
  const auto has = [&](const char* name) {
    return std::any_of(extensions.begin(), extensions.end(),
                       [&](const auto& e) { return std::strcmp(e.extensionName, name) == 0; });
  };
  VkPhysicalDeviceProperties2 p{};
  p.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  if (has(VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME)) {
    VkPhysicalDeviceShaderSMBuiltinsPropertiesNV sm{};
    sm.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV;
    p.pNext = &sm;
    in.vk.GetPhysicalDeviceProperties2(d, &p);
    return sm.shaderSMCount;
  }
  if (has(VK_AMD_SHADER_CORE_PROPERTIES_EXTENSION_NAME)) {
    VkPhysicalDeviceShaderCorePropertiesAMD core{};
    core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_AMD;
    p.pNext = &core;
    in.vk.GetPhysicalDeviceProperties2(d, &p);
    return core.shaderEngineCount * core.shaderArraysPerEngineCount * core.computeUnitsPerShaderArray;
  }
  return 0;
}

const char* yes(VkBool32 b) { return b ? "yes" : "no"; }

Info describe(const Instance& in, const Candidate& c, uint32_t index) {
  VkPhysicalDeviceProperties2 p{};
  VkPhysicalDeviceDriverProperties driver{};
  VkPhysicalDeviceSubgroupProperties subgroup{};
  p.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
  subgroup.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES;
  p.pNext = &driver;
  driver.pNext = &subgroup;
  in.vk.GetPhysicalDeviceProperties2(c.device, &p);
  Features f;
  in.vk.GetPhysicalDeviceFeatures2(c.device, &f.all);
  VkPhysicalDeviceMemoryProperties memory{};
  in.vk.GetPhysicalDeviceMemoryProperties(c.device, &memory);

  const VkPhysicalDeviceLimits& limits = p.properties.limits;
  const bool processors = p.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
  Info i;
  i.id = fmt::format("vulkan:{}", index);
  i.api = Api::vulkan;
  i.name = p.properties.deviceName;
  i.driver = fmt::format("{} {}", driver.driverName, driver.driverInfo);
  const uint32_t units = units_of(in, c.device, processors);
  i.units = std::max(1u, units);
  i.subgroup = std::max(1u, subgroup.subgroupSize);
  i.max_lanes = std::min(limits.maxComputeWorkGroupInvocations, limits.maxComputeWorkGroupSize[0]);
  i.max_groups = limits.maxComputeWorkGroupCount[0];
  i.shared_bytes = limits.maxComputeSharedMemorySize;
  for (uint32_t h = 0; h < memory.memoryHeapCount; ++h)
    if (memory.memoryHeaps[h].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) i.memory_bytes += memory.memoryHeaps[h].size;
  i.line_bytes = p.properties.vendorID == 0x10de ? 128 : 64;
  i.runs_groups_together = !processors;
  i.device_scope = f.v12.vulkanMemoryModel && f.v12.vulkanMemoryModelDeviceScope;
  const uint32_t v = p.properties.apiVersion;
  i.properties = {
      {"version", fmt::format("{}.{}.{}", VK_API_VERSION_MAJOR(v), VK_API_VERSION_MINOR(v), VK_API_VERSION_PATCH(v))},
      {"compute units", units == 0 ? "not told, 1 assumed" : fmt::format("{}", units)},
      {"vulkanMemoryModel", yes(f.v12.vulkanMemoryModel)},
      {"vulkanMemoryModelDeviceScope", yes(f.v12.vulkanMemoryModelDeviceScope)},
      {"vulkanMemoryModelAvailabilityVisibilityChains", yes(f.v12.vulkanMemoryModelAvailabilityVisibilityChains)},
      {"shaderInt64", yes(f.all.features.shaderInt64)},
      {"shaderBufferInt64Atomics", yes(f.v12.shaderBufferInt64Atomics)},
      {"shaderSharedInt64Atomics", yes(f.v12.shaderSharedInt64Atomics)},
  };
  return i;
}

class Vulkan : public Backend {
 public:
  Vulkan(std::unique_ptr<Instance> instance, const Candidate& c, uint32_t index)
      : instance_(std::move(instance)), vk_(instance_->vk), candidate_(c), info_(describe(*instance_, c, index)) {}

  ~Vulkan() override {
    if (!dead_.empty()) {
      instance_->keep = true;  // destroying waits for a shader that may never end
      return;
    }
    if (device_ == VK_NULL_HANDLE) return;
    for (auto& [id, b] : buffers_) destroy(b);
    if (staging_.buffer != VK_NULL_HANDLE) destroy(staging_);
    for (Module& m : modules_) destroy(m);
    if (queries_ != VK_NULL_HANDLE) vk_.DestroyQueryPool(device_, queries_, nullptr);
    if (fence_ != VK_NULL_HANDLE) vk_.DestroyFence(device_, fence_, nullptr);
    if (descriptors_ != VK_NULL_HANDLE) vk_.DestroyDescriptorPool(device_, descriptors_, nullptr);
    if (commands_ != VK_NULL_HANDLE) vk_.DestroyCommandPool(device_, commands_, nullptr);
    vk_.DestroyDevice(device_, nullptr);
  }
  Vulkan(const Vulkan&) = delete;
  Vulkan& operator=(const Vulkan&) = delete;

  Expected<void> start() {
    Features have, use;
    vk_.GetPhysicalDeviceFeatures2(candidate_.device, &have.all);
    if (!have.v12.vulkanMemoryModel)
      return unsupported_at({}, fmt::format("{} ({}) lacks vulkanMemoryModel", info_.id, info_.name),
                            "litmus tests need the Vulkan memory model");
    use.v12.vulkanMemoryModel = VK_TRUE;
    use.v12.vulkanMemoryModelDeviceScope = have.v12.vulkanMemoryModelDeviceScope;
    use.v12.vulkanMemoryModelAvailabilityVisibilityChains = have.v12.vulkanMemoryModelAvailabilityVisibilityChains;
    use.v12.shaderBufferInt64Atomics = have.v12.shaderBufferInt64Atomics;
    use.v12.shaderSharedInt64Atomics = have.v12.shaderSharedInt64Atomics;
    use.all.features.shaderInt64 = have.all.features.shaderInt64;
    const float priority = 1;
    VkDeviceQueueCreateInfo queue{};
    queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    queue.queueFamilyIndex = candidate_.queue_family;
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    VkDeviceCreateInfo device{};
    device.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    device.pNext = &use.all;
    device.queueCreateInfoCount = 1;
    device.pQueueCreateInfos = &queue;
    if (const VkResult r = vk_.CreateDevice(candidate_.device, &device, nullptr, &device_); r != VK_SUCCESS) {
      device_ = VK_NULL_HANDLE;
      return failure("vkCreateDevice", r);
    }
    find_device_functions(vk_, device_);
    vk_.GetDeviceQueue(device_, candidate_.queue_family, 0, &queue_);
    vk_.GetPhysicalDeviceMemoryProperties(candidate_.device, &memory_);
    VkPhysicalDeviceProperties p{};
    vk_.GetPhysicalDeviceProperties(candidate_.device, &p);
    max_range_ = p.limits.maxStorageBufferRange;
    period_ = candidate_.timestamp_bits > 0 ? p.limits.timestampPeriod : 0;
    if (auto e = make_pools(); !e) return e;
    return self_test();
  }

  const Info& info() const override { return info_; }
  Language language() const override { return Language::spirv; }

  Expected<ModuleId> load(const Source& source) override {
    if (auto e = alive(); !e) return std::unexpected(e.error());
    if (source.language != Language::spirv)
      return unsupported_at({}, fmt::format("{}: modules are SPIR-V, not {}", info_.id, name(source.language)));
    if (source.bytes.size() < 20 || source.bytes.size() % 4 != 0)
      return unsupported_at({}, fmt::format("{}: {} bytes are not a SPIR-V module", info_.id, source.bytes.size()));
    Module m;
    std::vector<uint32_t> words(source.bytes.size() / 4);
    std::memcpy(words.data(), source.bytes.data(), source.bytes.size());
    m.words = source.bytes;
    for (const code::Kernel& k : source.kernels) {
      if (k.buffers.size() > k_max_buffers)
        return unsupported_at({}, fmt::format("{}: kernel '{}' has {} buffers, at most {}", info_.id, k.name,
                                              k.buffers.size(), k_max_buffers));
      m.kernels[k.name].buffers = static_cast<uint32_t>(k.buffers.size());
    }
    VkShaderModuleCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
    info.codeSize = source.bytes.size();
    info.pCode = words.data();
    if (const VkResult r = vk_.CreateShaderModule(device_, &info, nullptr, &m.shader); r != VK_SUCCESS)
      return failure("vkCreateShaderModule", r);
    modules_.push_back(std::move(m));
    return static_cast<ModuleId>(modules_.size() - 1);
  }

  Binary binary(ModuleId module) const override { return {"spirv", modules_.at(module).words}; }

  // Of processors one workgroup for each thread of the driver; of others only that every unit holds one.
  uint32_t resident_groups(ModuleId, const std::string&, uint32_t) const override { return info_.units; }

  Expected<BufferId> allocate(uint64_t words) override {
    if (auto e = alive(); !e) return std::unexpected(e.error());
    if (words * 4 > max_range_)
      return unsupported_at({}, fmt::format("{}: a buffer of {} words; at most {}", info_.id, words, max_range_ / 4));
    auto b = make_buffer(std::max<uint64_t>(words * 4, 16), VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0);
    if (!b) return std::unexpected(b.error());
    b->words = words;
    buffers_[next_buffer_] = *b;
    return next_buffer_++;
  }
  void release(BufferId buffer) override {
    const auto it = buffers_.find(buffer);
    if (it == buffers_.end()) return;
    if (dead_.empty()) destroy(it->second);
    buffers_.erase(it);
  }

  Expected<void> fill(BufferId buffer, uint64_t first, uint64_t words, uint32_t value) override {
    const auto b = range(buffer, first, words);
    if (!b) return std::unexpected(b.error());
    if (words == 0) return {};
    if (auto e = begin(); !e) return e;
    vk_.CmdFillBuffer(command_, (*b)->buffer, first * 4, words * 4, value);
    return finish_transfer();
  }
  Expected<void> write(BufferId buffer, uint64_t first, std::span<const uint32_t> words) override {
    const auto b = range(buffer, first, words.size());
    if (!b) return std::unexpected(b.error());
    for (uint64_t at = 0; at < words.size_bytes(); at += k_staging_bytes) {
      const uint64_t bytes = std::min(k_staging_bytes, words.size_bytes() - at);
      std::memcpy(staging_.mapped, reinterpret_cast<const char*>(words.data()) + at, bytes);
      if (auto e = copy(staging_.buffer, (*b)->buffer, 0, first * 4 + at, bytes); !e) return e;
    }
    return {};
  }
  Expected<void> read(BufferId buffer, uint64_t first, std::span<uint32_t> words) override {
    const auto b = range(buffer, first, words.size());
    if (!b) return std::unexpected(b.error());
    for (uint64_t at = 0; at < words.size_bytes(); at += k_staging_bytes) {
      const uint64_t bytes = std::min(k_staging_bytes, words.size_bytes() - at);
      if (auto e = copy((*b)->buffer, staging_.buffer, first * 4 + at, 0, bytes); !e) return e;
      std::memcpy(reinterpret_cast<char*>(words.data()) + at, staging_.mapped, bytes);
    }
    return {};
  }

  Expected<Outcome> launch(const Launch& l) override {
    if (auto e = alive(); !e) return std::unexpected(e.error());
    const auto pipeline = prepare(l);
    if (!pipeline) return std::unexpected(pipeline.error());
    if (auto e = begin(); !e) return std::unexpected(e.error());
    if (period_ > 0) {
      vk_.CmdResetQueryPool(command_, queries_, 0, 2);
      vk_.CmdWriteTimestamp(command_, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, queries_, 0);
    }
    vk_.CmdBindPipeline(command_, VK_PIPELINE_BIND_POINT_COMPUTE, (*pipeline)->pipeline);
    vk_.CmdBindDescriptorSets(command_, VK_PIPELINE_BIND_POINT_COMPUTE, (*pipeline)->layout, 0, 1, &set_, 0, nullptr);
    vk_.CmdDispatch(command_, l.groups, 1, 1);
    if (period_ > 0) vk_.CmdWriteTimestamp(command_, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries_, 1);
    Outcome out;
    const auto start = std::chrono::steady_clock::now();
    const auto limit = static_cast<uint64_t>(std::clamp(l.limit, 0.0, 1e9) * 1e9);
    const VkResult r = submit(limit);
    out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (r == VK_TIMEOUT) {
      out.status = Outcome::Status::timed_out;
      dead_ = fmt::format("{}: kernel '{}' did not end within {} s", info_.id, l.kernel, l.limit);
      return out;
    }
    if (r != VK_SUCCESS) return lost(fmt::format("kernel '{}': {}", l.kernel, result_name(r)));
    uint64_t ticks[2] = {0, 0};
    if (period_ > 0 &&
        vk_.GetQueryPoolResults(device_, queries_, 0, 2, sizeof ticks, ticks, 8, VK_QUERY_RESULT_64_BIT) ==
            VK_SUCCESS &&
        ticks[1] > ticks[0])
      out.seconds = static_cast<double>(ticks[1] - ticks[0]) * period_ * 1e-9;
    return out;
  }

 private:
  struct Buffer {
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    uint64_t words = 0;
    void* mapped = nullptr;
  };
  struct Pipeline {
    VkPipeline pipeline = VK_NULL_HANDLE;
    VkPipelineLayout layout = VK_NULL_HANDLE;
  };
  struct Kernel {
    uint32_t buffers = 0;
    VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    std::map<uint32_t, Pipeline> pipelines;  // by lanes
  };
  struct Module {
    VkShaderModule shader = VK_NULL_HANDLE;
    std::string words;
    std::map<std::string, Kernel> kernels;
  };

  std::unexpected<Diagnostics> failure(const std::string& what, VkResult r) const {
    return unsupported_at({}, fmt::format("{} ({}): {}: {}", info_.id, info_.name, what, result_name(r)));
  }
  Expected<void> alive() const {
    if (!dead_.empty()) return unsupported_at({}, dead_, "end this process and open the device in a new one");
    return {};
  }
  Outcome lost(std::string message) {
    dead_ = fmt::format("{} ({}): {}", info_.id, info_.name, message);
    return {Outcome::Status::lost, 0, std::move(message)};
  }

  // ---- objects ----
  Expected<void> make_pools() {
    VkCommandPoolCreateInfo pool{};
    pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    pool.queueFamilyIndex = candidate_.queue_family;
    if (const VkResult r = vk_.CreateCommandPool(device_, &pool, nullptr, &commands_); r != VK_SUCCESS)
      return failure("vkCreateCommandPool", r);
    VkCommandBufferAllocateInfo command{};
    command.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
    command.commandPool = commands_;
    command.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    command.commandBufferCount = 1;
    if (const VkResult r = vk_.AllocateCommandBuffers(device_, &command, &command_); r != VK_SUCCESS)
      return failure("vkAllocateCommandBuffers", r);
    VkFenceCreateInfo fence{};
    fence.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
    if (const VkResult r = vk_.CreateFence(device_, &fence, nullptr, &fence_); r != VK_SUCCESS)
      return failure("vkCreateFence", r);
    const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, k_max_buffers};
    VkDescriptorPoolCreateInfo sets{};
    sets.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
    sets.maxSets = 1;
    sets.poolSizeCount = 1;
    sets.pPoolSizes = &size;
    if (const VkResult r = vk_.CreateDescriptorPool(device_, &sets, nullptr, &descriptors_); r != VK_SUCCESS)
      return failure("vkCreateDescriptorPool", r);
    if (period_ > 0) {
      VkQueryPoolCreateInfo queries{};
      queries.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
      queries.queryType = VK_QUERY_TYPE_TIMESTAMP;
      queries.queryCount = 2;
      if (vk_.CreateQueryPool(device_, &queries, nullptr, &queries_) != VK_SUCCESS) period_ = 0;
    }
    auto staging =
        make_buffer(k_staging_bytes, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                    VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
    if (!staging) return std::unexpected(staging.error());
    staging_ = *staging;
    if (const VkResult r = vk_.MapMemory(device_, staging_.memory, 0, VK_WHOLE_SIZE, 0, &staging_.mapped);
        r != VK_SUCCESS)
      return failure("vkMapMemory", r);
    return {};
  }

  Expected<Buffer> make_buffer(uint64_t bytes, VkMemoryPropertyFlags need, VkMemoryPropertyFlags wish) {
    Buffer b;
    VkBufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = bytes;
    info.usage =
        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    if (const VkResult r = vk_.CreateBuffer(device_, &info, nullptr, &b.buffer); r != VK_SUCCESS)
      return failure(fmt::format("vkCreateBuffer of {} bytes", bytes), r);
    VkMemoryRequirements asks{};
    vk_.GetBufferMemoryRequirements(device_, b.buffer, &asks);
    VkMemoryAllocateInfo memory{};
    memory.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    memory.allocationSize = asks.size;
    memory.memoryTypeIndex = memory_type(asks.memoryTypeBits, need, wish);
    VkResult r = vk_.AllocateMemory(device_, &memory, nullptr, &b.memory);
    if (r == VK_SUCCESS) r = vk_.BindBufferMemory(device_, b.buffer, b.memory, 0);
    if (r != VK_SUCCESS) {
      destroy(b);
      return failure(fmt::format("memory of {} bytes", bytes), r);
    }
    return b;
  }
  uint32_t memory_type(uint32_t allowed, VkMemoryPropertyFlags need, VkMemoryPropertyFlags wish) const {
    for (const VkMemoryPropertyFlags want : {need | wish, need, VkMemoryPropertyFlags{0}})
      for (uint32_t t = 0; t < memory_.memoryTypeCount; ++t)
        if ((allowed >> t & 1) != 0 && (memory_.memoryTypes[t].propertyFlags & want) == want) return t;
    return 0;
  }
  void destroy(const Buffer& b) {
    vk_.DestroyBuffer(device_, b.buffer, nullptr);
    vk_.FreeMemory(device_, b.memory, nullptr);
  }
  void destroy(Module& m) {
    for (auto& [name, k] : m.kernels) {
      for (auto& [lanes, p] : k.pipelines) vk_.DestroyPipeline(device_, p.pipeline, nullptr);
      vk_.DestroyPipelineLayout(device_, k.layout, nullptr);
      vk_.DestroyDescriptorSetLayout(device_, k.set_layout, nullptr);
    }
    vk_.DestroyShaderModule(device_, m.shader, nullptr);
  }

  Expected<Buffer*> range(BufferId buffer, uint64_t first, uint64_t words) {
    if (auto e = alive(); !e) return std::unexpected(e.error());
    const auto it = buffers_.find(buffer);
    if (it == buffers_.end()) return unsupported_at({}, fmt::format("{}: there is no buffer {}", info_.id, buffer));
    if (first > it->second.words || words > it->second.words - first)
      return unsupported_at(
          {}, fmt::format("{}: words {} to {} of a buffer of {}", info_.id, first, first + words, it->second.words));
    return &it->second;
  }

  // ---- commands ----
  // Everything before is seen by everything after.
  void full_barrier() {
    VkMemoryBarrier b{};
    b.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    b.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_MEMORY_READ_BIT;
    b.dstAccessMask = VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_HOST_READ_BIT;
    vk_.CmdPipelineBarrier(command_, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                           VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &b, 0, nullptr, 0,
                           nullptr);
  }
  Expected<void> begin() {
    vk_.ResetCommandPool(device_, commands_, 0);
    VkCommandBufferBeginInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    if (const VkResult r = vk_.BeginCommandBuffer(command_, &info); r != VK_SUCCESS)
      return failure("vkBeginCommandBuffer", r);
    full_barrier();
    return {};
  }
  VkResult submit(uint64_t nanoseconds) {
    full_barrier();
    VkResult r = vk_.EndCommandBuffer(command_);
    if (r != VK_SUCCESS) return r;
    vk_.ResetFences(device_, 1, &fence_);
    VkSubmitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    info.commandBufferCount = 1;
    info.pCommandBuffers = &command_;
    r = vk_.QueueSubmit(queue_, 1, &info, fence_);
    if (r != VK_SUCCESS) return r;
    return vk_.WaitForFences(device_, 1, &fence_, VK_TRUE, nanoseconds);
  }
  Expected<void> finish_transfer() {
    const VkResult r = submit(k_transfer_limit);
    if (r == VK_SUCCESS) return {};
    lost(fmt::format("transfer: {}", result_name(r)));
    return alive();
  }
  Expected<void> copy(VkBuffer from, VkBuffer to, uint64_t from_at, uint64_t to_at, uint64_t bytes) {
    if (auto e = begin(); !e) return e;
    const VkBufferCopy region{from_at, to_at, bytes};
    vk_.CmdCopyBuffer(command_, from, to, 1, &region);
    return finish_transfer();
  }

  // ---- kernels ----
  Expected<void> make_layout(Kernel& k) {
    if (k.layout != VK_NULL_HANDLE) return {};
    std::vector<VkDescriptorSetLayoutBinding> bindings;
    for (uint32_t b = 0; b < k.buffers; ++b)
      bindings.push_back({b, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
    VkDescriptorSetLayoutCreateInfo set{};
    set.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
    set.bindingCount = k.buffers;
    set.pBindings = bindings.data();
    if (const VkResult r = vk_.CreateDescriptorSetLayout(device_, &set, nullptr, &k.set_layout); r != VK_SUCCESS)
      return failure("vkCreateDescriptorSetLayout", r);
    VkPipelineLayoutCreateInfo layout{};
    layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
    layout.setLayoutCount = 1;
    layout.pSetLayouts = &k.set_layout;
    if (const VkResult r = vk_.CreatePipelineLayout(device_, &layout, nullptr, &k.layout); r != VK_SUCCESS)
      return failure("vkCreatePipelineLayout", r);
    return {};
  }

  Expected<Pipeline*> make_pipeline(const Module& m, const std::string& name, Kernel& k, uint32_t lanes) {
    const auto have = k.pipelines.find(lanes);
    if (have != k.pipelines.end()) return &have->second;
    if (auto e = make_layout(k); !e) return std::unexpected(e.error());
    const VkSpecializationMapEntry entry{0, 0, 4};
    const VkSpecializationInfo special{1, &entry, 4, &lanes};
    VkComputePipelineCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = m.shader;
    info.stage.pName = name.c_str();
    info.stage.pSpecializationInfo = &special;
    info.layout = k.layout;
    Pipeline p;
    p.layout = k.layout;
    if (const VkResult r = vk_.CreateComputePipelines(device_, VK_NULL_HANDLE, 1, &info, nullptr, &p.pipeline);
        r != VK_SUCCESS)
      return failure(fmt::format("vkCreateComputePipelines of '{}'", name), r);
    return &(k.pipelines[lanes] = p);
  }

  Expected<Pipeline*> prepare(const Launch& l) {
    if (l.module >= modules_.size())
      return unsupported_at({}, fmt::format("{}: there is no module {}", info_.id, l.module));
    Module& m = modules_[l.module];
    const auto it = m.kernels.find(l.kernel);
    if (it == m.kernels.end())
      return unsupported_at({}, fmt::format("{}: the module has no kernel '{}'", info_.id, l.kernel));
    if (l.cluster > 1) return unsupported_at({}, fmt::format("{}: there are no clusters of workgroups", info_.id));
    if (l.groups == 0 || l.lanes == 0 || l.groups > info_.max_groups || l.lanes > info_.max_lanes)
      return unsupported_at({}, fmt::format("{}: {} workgroups of {} invocations; at most {} of {}", info_.id, l.groups,
                                            l.lanes, info_.max_groups, info_.max_lanes));
    if (l.buffers.size() != it->second.buffers)
      return unsupported_at({}, fmt::format("{}: kernel '{}' takes {} buffers, {} are given", info_.id, l.kernel,
                                            it->second.buffers, l.buffers.size()));
    auto pipeline = make_pipeline(m, l.kernel, it->second, l.lanes);
    if (!pipeline) return std::unexpected(pipeline.error());
    vk_.ResetDescriptorPool(device_, descriptors_, 0);
    VkDescriptorSetAllocateInfo allocate{};
    allocate.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
    allocate.descriptorPool = descriptors_;
    allocate.descriptorSetCount = 1;
    allocate.pSetLayouts = &it->second.set_layout;
    if (const VkResult r = vk_.AllocateDescriptorSets(device_, &allocate, &set_); r != VK_SUCCESS)
      return failure("vkAllocateDescriptorSets", r);
    std::vector<VkDescriptorBufferInfo> infos(l.buffers.size());
    std::vector<VkWriteDescriptorSet> writes;
    for (uint32_t b = 0; b < l.buffers.size(); ++b) {
      const auto at = buffers_.find(l.buffers[b]);
      if (at == buffers_.end())
        return unsupported_at({}, fmt::format("{}: there is no buffer {}", info_.id, l.buffers[b]));
      infos[b] = {at->second.buffer, 0, VK_WHOLE_SIZE};
      VkWriteDescriptorSet w{};
      w.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
      w.dstSet = set_;
      w.dstBinding = b;
      w.descriptorCount = 1;
      w.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
      w.pBufferInfo = &infos[b];
      writes.push_back(w);
    }
    vk_.UpdateDescriptorSets(device_, static_cast<uint32_t>(writes.size()), writes.data(), 0, nullptr);
    return pipeline;
  }

  Expected<void> self_test() {
    const auto words = loop_test_words();
    Source s{Language::spirv, std::string(reinterpret_cast<const char*>(words.data()), words.size_bytes()), {}};
    s.kernels.resize(1);
    s.kernels[0].name = "loop_test";
    s.kernels[0].buffers.resize(1);
    if (!info_.device_scope) return {};  // the shader asks for it; tests at device scope are refused there anyway
    const auto m = load(s);
    if (!m) return std::unexpected(m.error());
    const auto b = allocate(2);
    if (!b) return std::unexpected(b.error());
    const uint32_t given[2] = {k_loop_test_iterations, 0};
    if (auto e = write(*b, 0, given); !e) return e;
    const auto o = launch({*m, "loop_test", 1, 1, 1, {*b}, 10});
    if (!o) return std::unexpected(o.error());
    if (o->status != Outcome::Status::done)
      return unsupported_at({}, fmt::format("{} ({}): the self-test, a loop of {} iterations, did not end", info_.id,
                                            info_.name, k_loop_test_iterations));
    uint32_t seen[2] = {0, 0};
    if (auto e = read(*b, 0, seen); !e) return e;
    if (seen[1] != k_loop_test_iterations)
      info_.defects.push_back({"loop-limit",
                               fmt::format("a loop of {} iterations ran {}: the driver leaves loops silently",
                                           k_loop_test_iterations, seen[1]),
                               true});
    release(*b);
    destroy(modules_.back());
    modules_.pop_back();
    return {};
  }

  std::unique_ptr<Instance> instance_;
  Functions vk_;
  Candidate candidate_;
  Info info_;
  VkDevice device_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  VkCommandPool commands_ = VK_NULL_HANDLE;
  VkCommandBuffer command_ = VK_NULL_HANDLE;
  VkFence fence_ = VK_NULL_HANDLE;
  VkDescriptorPool descriptors_ = VK_NULL_HANDLE;
  VkDescriptorSet set_ = VK_NULL_HANDLE;
  VkQueryPool queries_ = VK_NULL_HANDLE;
  VkPhysicalDeviceMemoryProperties memory_{};
  uint64_t max_range_ = 0;
  double period_ = 0;  // nanoseconds of a timestamp's tick; 0: no timestamps
  std::string dead_;
  std::vector<Module> modules_;
  std::map<BufferId, Buffer> buffers_;
  Buffer staging_;
  BufferId next_buffer_ = 0;
};

}  // namespace

Expected<std::vector<Info>> list() {
  uint32_t count = 0;
  {
    auto in = make_instance();
    if (!in) return std::unexpected(in.error());
    const auto found = candidates(**in);
    if (!found) return std::unexpected(found.error());
    count = static_cast<uint32_t>(found->size());
  }
  std::vector<Info> out;
  for (uint32_t k = 0; k < count; ++k) {
    const auto device = open(k);
    if (device) {
      out.push_back((*device)->info());
      continue;
    }
    // A device that cannot be opened is listed with the reason.
    auto in = make_instance();
    const auto found = in ? candidates(**in) : Expected<std::vector<Candidate>>(std::unexpected(in.error()));
    if (!found || k >= found->size()) continue;
    Info i = describe(**in, (*found)[k], k);
    i.defects.push_back(
        {"not-usable", device.error().list.empty() ? "cannot be opened" : device.error().list[0].message, true});
    out.push_back(std::move(i));
  }
  return out;
}

Expected<std::unique_ptr<Backend>> open(uint32_t index) {
  auto in = make_instance();
  if (!in) return std::unexpected(in.error());
  const auto found = candidates(**in);
  if (!found) return std::unexpected(found.error());
  if (index >= found->size())
    return unsupported_at({}, fmt::format("there is no device vulkan:{}", index),
                          fmt::format("Vulkan has {} here", found->size()));
  auto device = std::make_unique<Vulkan>(std::move(*in), (*found)[index], index);
  if (auto e = device->start(); !e) return std::unexpected(e.error());
  return std::unique_ptr<Backend>(std::move(device));
}

}  // namespace fencepost::device::vulkan

#include "device/opencl/opencl.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

#include "device/opencl/library.h"

namespace fencepost::device::opencl {
namespace {

using Clock = std::chrono::steady_clock;

struct Place {
  Platform platform;
  Device device;
};

std::string text_of(const Library& cl, Device d, uint32_t what) {
  size_t n = 0;
  if (cl.GetDeviceInfo(d, what, 0, nullptr, &n) != k_success || n == 0) return {};
  std::string s(n, '\0');
  if (cl.GetDeviceInfo(d, what, n, s.data(), nullptr) != k_success) return {};
  while (!s.empty() && (s.back() == '\0' || s.back() == ' ')) s.pop_back();
  return s;
}

template <class T>
T value_of(const Library& cl, Device d, uint32_t what, T otherwise) {
  T v{};
  size_t n = 0;
  return cl.GetDeviceInfo(d, what, sizeof v, &v, &n) == k_success && n == sizeof v ? v : otherwise;
}

Expected<std::vector<Place>> places(const Library& cl) {
  uint32_t n = 0;
  const int32_t code = cl.GetPlatformIDs(0, nullptr, &n);
  if (code == k_platform_not_found || (code == k_success && n == 0))
    return unsupported_at({}, "the OpenCL loader knows no platform",
                          "install a driver, for processors pocl-opencl-icd");
  if (code != k_success) return unsupported_at({}, fmt::format("clGetPlatformIDs: {}", error_name(code)));
  std::vector<Platform> platforms(n);
  cl.GetPlatformIDs(n, platforms.data(), nullptr);
  std::vector<Place> out;
  for (const Platform p : platforms) {
    uint32_t count = 0;
    if (cl.GetDeviceIDs(p, k_device_type_all, 0, nullptr, &count) != k_success || count == 0) continue;
    std::vector<Device> devices(count);
    if (cl.GetDeviceIDs(p, k_device_type_all, count, devices.data(), nullptr) != k_success) continue;
    for (const Device d : devices) out.push_back({p, d});
  }
  if (out.empty()) return unsupported_at({}, "no OpenCL platform has a device");
  return out;
}

std::string words(uint64_t bits, std::initializer_list<std::pair<uint64_t, const char*>> names) {
  std::string out;
  for (const auto& [bit, name] : names)
    if (bits & bit) out += (out.empty() ? "" : ", ") + std::string(name);
  return out.empty() ? "none" : out;
}

Info describe(const Library& cl, const Place& at, uint32_t index) {
  Info i;
  const Device d = at.device;
  i.id = fmt::format("opencl:{}", index);
  i.api = Api::opencl;
  i.name = text_of(cl, d, k_device_name);
  i.driver = text_of(cl, d, k_driver_version);
  i.units = std::max(1u, value_of<uint32_t>(cl, d, k_device_units, 1));
  i.max_lanes = static_cast<uint32_t>(std::min<size_t>(value_of<size_t>(cl, d, k_device_max_group, 1), 1u << 16));
  i.max_groups = 1u << 24;
  i.shared_bytes =
      static_cast<uint32_t>(std::min<uint64_t>(value_of<uint64_t>(cl, d, k_device_local_memory, 0), UINT32_MAX));
  i.memory_bytes = value_of<uint64_t>(cl, d, k_device_global_memory, 0);
  i.line_bytes = std::max(16u, value_of<uint32_t>(cl, d, k_device_global_line, 64));
  const bool cpu = (value_of<uint64_t>(cl, d, k_device_type, 0) & k_device_type_cpu) != 0;
  i.runs_groups_together = !cpu;
  const bool nvidia = text_of(cl, d, k_device_extensions).find("cl_nv_") != std::string::npos;
  // Kernels that do not say their size are compiled for 256 there.
  if (nvidia) i.max_lanes = std::min(i.max_lanes, 256u);
  i.subgroup = nvidia ? std::max(1u, value_of<uint32_t>(cl, d, k_device_warp_nv, 32)) : 1;
  const uint64_t atomics = value_of<uint64_t>(cl, d, k_device_atomic_capabilities, 0);
  i.device_scope = (atomics & k_scope_device) != 0 && (atomics & k_order_acq_rel) != 0;
  std::string platform(256, '\0');
  size_t n = 0;
  if (cl.GetPlatformInfo(at.platform, k_platform_name, platform.size(), platform.data(), &n) == k_success && n > 0)
    i.properties.push_back({"platform", platform.substr(0, n - 1)});
  i.properties.push_back({"version", text_of(cl, d, k_device_version)});
  i.properties.push_back({"OpenCL C", text_of(cl, d, k_device_c_version)});
  i.properties.push_back(
      {"atomic orders",
       words(atomics, {{k_order_relaxed, "relaxed"}, {k_order_acq_rel, "acq_rel"}, {k_order_seq_cst, "seq_cst"}})});
  i.properties.push_back({"atomic scopes", words(atomics, {{k_scope_work_item, "work_item"},
                                                           {k_scope_work_group, "work_group"},
                                                           {k_scope_device, "device"},
                                                           {k_scope_all_devices, "all_devices"}})});
  if (nvidia) i.properties.push_back({"inline ptx", "yes"});
  return i;
}

class Opencl : public Backend {
 public:
  Opencl(const Library& cl, const Place& at, uint32_t index)
      : cl_(cl), device_(at.device), info_(describe(cl, at, index)) {}
  ~Opencl() override {
    if (!dead_.empty()) return;  // releasing waits for a kernel that may never end
    for (auto& [id, b] : buffers_) cl_.ReleaseMemObject(b.memory);
    for (Module& m : modules_) {
      for (auto& [name, k] : m.kernels) cl_.ReleaseKernel(k);
      cl_.ReleaseProgram(m.program);
    }
    if (queue_ != nullptr) cl_.ReleaseCommandQueue(queue_);
    if (context_ != nullptr) cl_.ReleaseContext(context_);
  }
  Opencl(const Opencl&) = delete;
  Opencl& operator=(const Opencl&) = delete;

  Expected<void> start() {
    int32_t code = 0;
    context_ = cl_.CreateContext(nullptr, 1, &device_, nullptr, nullptr, &code);
    if (code != k_success) return failure("clCreateContext", code);
    queue_ = cl_.CreateCommandQueue(context_, device_, k_queue_profiling, &code);
    if (code != k_success) return failure("clCreateCommandQueue", code);
    return {};
  }

  const Info& info() const override { return info_; }
  Language language() const override { return Language::opencl_c; }

  Expected<ModuleId> load(const Source& source) override {
    if (auto e = alive(); !e) return std::unexpected(e.error());
    if (source.language != Language::opencl_c)
      return unsupported_at({}, fmt::format("{}: modules are OpenCL C, not {}", info_.id, name(source.language)));
    const char* text = source.bytes.data();
    const size_t size = source.bytes.size();
    int32_t code = 0;
    Module m;
    m.program = cl_.CreateProgramWithSource(context_, 1, &text, &size, &code);
    if (code != k_success) return failure("clCreateProgramWithSource", code);
    code = cl_.BuildProgram(m.program, 1, &device_, options_of(source.bytes).c_str(), nullptr, nullptr);
    if (code != k_success) {
      const std::string log = build_log(m.program);
      cl_.ReleaseProgram(m.program);
      return unsupported_at(
          {}, fmt::format("{}: the driver did not build the program ({}):\n{}", info_.id, error_name(code), log));
    }
    for (const code::Kernel& k : source.kernels) {
      m.kernels[k.name] = cl_.CreateKernel(m.program, k.name.c_str(), &code);
      if (code != k_success) {
        m.kernels.erase(k.name);
        for (auto& [name, kernel] : m.kernels) cl_.ReleaseKernel(kernel);
        cl_.ReleaseProgram(m.program);
        return failure(fmt::format("clCreateKernel of '{}'", k.name), code);
      }
    }
    modules_.push_back(std::move(m));
    return static_cast<ModuleId>(modules_.size() - 1);
  }

  Binary binary(ModuleId module) const override {
    Binary out{"none", ""};
    size_t size = 0;
    const Program p = modules_.at(module).program;
    if (cl_.GetProgramInfo(p, k_program_binary_sizes, sizeof size, &size, nullptr) != k_success || size == 0)
      return out;
    out.bytes.resize(size);
    char* data = out.bytes.data();
    if (cl_.GetProgramInfo(p, k_program_binaries, sizeof data, &data, nullptr) != k_success) return {"none", ""};
    const bool ptx =
        out.bytes.find(".target sm_") != std::string::npos && out.bytes.find(".version") != std::string::npos;
    out.kind = ptx ? "ptx" : "opencl";
    if (ptx)
      while (!out.bytes.empty() && out.bytes.back() == '\0') out.bytes.pop_back();
    return out;
  }

  // A processor-backed device runs one workgroup for each of its threads at a time; of others it is known only that
  // every unit holds a workgroup.
  uint32_t resident_groups(ModuleId, const std::string&, uint32_t) const override { return info_.units; }

  Expected<BufferId> allocate(uint64_t words) override {
    if (auto e = alive(); !e) return std::unexpected(e.error());
    int32_t code = 0;
    const Memory m = cl_.CreateBuffer(context_, k_memory_read_write, std::max<uint64_t>(words * 4, 4), nullptr, &code);
    if (code != k_success) return failure(fmt::format("clCreateBuffer of {} words", words), code);
    buffers_[next_buffer_] = {m, words};
    return next_buffer_++;
  }
  void release(BufferId buffer) override {
    const auto it = buffers_.find(buffer);
    if (it == buffers_.end()) return;
    if (dead_.empty()) cl_.ReleaseMemObject(it->second.memory);
    buffers_.erase(it);
  }

  Expected<void> fill(BufferId buffer, uint64_t first, uint64_t words, uint32_t value) override {
    const auto m = range(buffer, first, words);
    if (!m) return std::unexpected(m.error());
    if (words == 0) return {};
    return done("clEnqueueFillBuffer",
                cl_.EnqueueFillBuffer(queue_, *m, &value, 4, first * 4, words * 4, 0, nullptr, nullptr));
  }
  Expected<void> write(BufferId buffer, uint64_t first, std::span<const uint32_t> words) override {
    const auto m = range(buffer, first, words.size());
    if (!m) return std::unexpected(m.error());
    if (words.empty()) return {};
    return done("clEnqueueWriteBuffer", cl_.EnqueueWriteBuffer(queue_, *m, 1, first * 4, words.size_bytes(),
                                                               words.data(), 0, nullptr, nullptr));
  }
  Expected<void> read(BufferId buffer, uint64_t first, std::span<uint32_t> words) override {
    const auto m = range(buffer, first, words.size());
    if (!m) return std::unexpected(m.error());
    if (words.empty()) return {};
    return done("clEnqueueReadBuffer",
                cl_.EnqueueReadBuffer(queue_, *m, 1, first * 4, words.size_bytes(), words.data(), 0, nullptr, nullptr));
  }

  Expected<Outcome> launch(const Launch& l) override {
    if (auto e = alive(); !e) return std::unexpected(e.error());
    const auto kernel = prepare(l);
    if (!kernel) return std::unexpected(kernel.error());
    const size_t local = l.lanes, global = uint64_t{l.groups} * l.lanes;
    Event event = nullptr;
    const auto start = Clock::now();
    int32_t code = cl_.EnqueueNDRangeKernel(queue_, *kernel, 1, nullptr, &global, &local, 0, nullptr, &event);
    if (code != k_success) return failure(fmt::format("clEnqueueNDRangeKernel of {} x {}", l.groups, l.lanes), code);
    code = cl_.Flush(queue_);
    if (code != k_success) return lost(fmt::format("clFlush: {}", error_name(code)));
    return wait(l, event, start);
  }

 private:
  struct Module {
    Program program = nullptr;
    std::map<std::string, Kernel> kernels;
  };
  struct Buffer {
    Memory memory;
    uint64_t words;
  };

  std::unexpected<Diagnostics> failure(const std::string& what, int32_t code) const {
    return unsupported_at({}, fmt::format("{} ({}): {}: {}", info_.id, info_.name, what, error_name(code)));
  }
  Expected<void> done(const char* what, int32_t code) const {
    if (code != k_success) return failure(what, code);
    return {};
  }
  Expected<void> alive() const {
    if (!dead_.empty()) return unsupported_at({}, dead_, "end this process and open the device in a new one");
    return {};
  }
  Outcome lost(std::string message) {
    dead_ = fmt::format("{} ({}): {}", info_.id, info_.name, message);
    return {Outcome::Status::lost, 0, std::move(message)};
  }

  static std::string options_of(const std::string& text) {
    constexpr std::string_view prefix = "// options: ";
    if (!text.starts_with(prefix)) return "-cl-std=CL3.0";
    return text.substr(prefix.size(), text.find('\n') - prefix.size());
  }

  std::string build_log(Program p) const {
    size_t n = 0;
    cl_.GetProgramBuildInfo(p, device_, k_build_log, 0, nullptr, &n);
    std::string log(n, '\0');
    if (n > 0) cl_.GetProgramBuildInfo(p, device_, k_build_log, n, log.data(), nullptr);
    while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
    return log;
  }

  Expected<Memory> range(BufferId buffer, uint64_t first, uint64_t words) const {
    if (auto e = alive(); !e) return std::unexpected(e.error());
    const auto it = buffers_.find(buffer);
    if (it == buffers_.end()) return unsupported_at({}, fmt::format("{}: there is no buffer {}", info_.id, buffer));
    if (first > it->second.words || words > it->second.words - first)
      return unsupported_at(
          {}, fmt::format("{}: words {} to {} of a buffer of {}", info_.id, first, first + words, it->second.words));
    return it->second.memory;
  }

  Expected<Kernel> prepare(const Launch& l) {
    if (l.module >= modules_.size())
      return unsupported_at({}, fmt::format("{}: there is no module {}", info_.id, l.module));
    const auto it = modules_[l.module].kernels.find(l.kernel);
    if (it == modules_[l.module].kernels.end())
      return unsupported_at({}, fmt::format("{}: the module has no kernel '{}'", info_.id, l.kernel));
    if (l.cluster > 1) return unsupported_at({}, fmt::format("{}: there are no clusters of workgroups", info_.id));
    if (l.groups == 0 || l.lanes == 0 || l.groups > info_.max_groups)
      return unsupported_at({}, fmt::format("{}: {} workgroups of {} invocations; at most {} workgroups", info_.id,
                                            l.groups, l.lanes, info_.max_groups));
    size_t most = 0;
    if (cl_.GetKernelWorkGroupInfo(it->second, device_, k_kernel_work_group_size, sizeof most, &most, nullptr) ==
            k_success &&
        l.lanes > most)
      return unsupported_at({}, fmt::format("{}: workgroups of {} invocations; kernel '{}' allows {}", info_.id,
                                            l.lanes, l.kernel, most));
    for (uint32_t k = 0; k < l.buffers.size(); ++k) {
      const auto b = buffers_.find(l.buffers[k]);
      if (b == buffers_.end())
        return unsupported_at({}, fmt::format("{}: there is no buffer {}", info_.id, l.buffers[k]));
      const int32_t code = cl_.SetKernelArg(it->second, k, sizeof(Memory), &b->second.memory);
      if (code != k_success) return failure(fmt::format("clSetKernelArg {} of '{}'", k, l.kernel), code);
    }
    return it->second;
  }

  Outcome wait(const Launch& l, Event event, Clock::time_point start) {
    const auto passed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
    int32_t status = 1;
    for (uint32_t turns = 0;; ++turns) {
      const int32_t code = cl_.GetEventInfo(event, k_event_status, sizeof status, &status, nullptr);
      if (code != k_success) return lost(fmt::format("clGetEventInfo: {}", error_name(code)));
      if (status <= 0) break;
      if (passed() > l.limit) {
        dead_ = fmt::format("{}: kernel '{}' did not end within {} s", info_.id, l.kernel, l.limit);
        return {Outcome::Status::timed_out, passed(), ""};
      }
      // Long launches must not lose a processor to this look, which may be the device's own.
      std::this_thread::sleep_for(std::chrono::microseconds(turns < 20 ? 50 : turns < 200 ? 500 : 2000));
    }
    Outcome out;
    out.seconds = passed();
    if (status < 0) {
      cl_.ReleaseEvent(event);
      return lost(fmt::format("kernel '{}' failed: {}", l.kernel, error_name(status)));
    }
    uint64_t from = 0, to = 0;
    if (cl_.GetEventProfilingInfo(event, k_profile_start, sizeof from, &from, nullptr) == k_success &&
        cl_.GetEventProfilingInfo(event, k_profile_end, sizeof to, &to, nullptr) == k_success && to > from)
      out.seconds = static_cast<double>(to - from) * 1e-9;
    cl_.ReleaseEvent(event);
    return out;
  }

  const Library& cl_;
  Device device_;
  Info info_;
  Context context_ = nullptr;
  Queue queue_ = nullptr;
  std::string dead_;
  std::vector<Module> modules_;
  std::map<BufferId, Buffer> buffers_;
  BufferId next_buffer_ = 0;
};

}  // namespace

Expected<std::vector<Info>> list() {
  const auto cl = library();
  if (!cl) return std::unexpected(cl.error());
  const auto found = places(**cl);
  if (!found) return std::unexpected(found.error());
  std::vector<Info> out;
  for (uint32_t k = 0; k < found->size(); ++k) out.push_back(describe(**cl, (*found)[k], k));
  return out;
}

Expected<std::unique_ptr<Backend>> open(uint32_t index) {
  const auto cl = library();
  if (!cl) return std::unexpected(cl.error());
  const auto found = places(**cl);
  if (!found) return std::unexpected(found.error());
  if (index >= found->size())
    return unsupported_at({}, fmt::format("there is no device opencl:{}", index),
                          fmt::format("OpenCL has {} here", found->size()));
  auto device = std::make_unique<Opencl>(**cl, (*found)[index], index);
  if (auto e = device->start(); !e) return std::unexpected(e.error());
  return std::unique_ptr<Backend>(std::move(device));
}

}  // namespace fencepost::device::opencl

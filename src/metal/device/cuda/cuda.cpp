#include "device/cuda/cuda.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <fstream>
#include <optional>
#include <thread>

#include "device/cuda/assembler.h"
#include "device/cuda/driver.h"

namespace fencepost::device::cuda {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint32_t k_zero_bytes = 4096, k_extra_parameters = 8;

int32_t attribute(const Driver& d, Device device, Attribute a) {
  int32_t v = 0;
  return d.DeviceGetAttribute(&v, a, device) == k_success ? v : 0;
}

// "580.95.05", from the kernel module's own file.
std::string kernel_module() {
  std::ifstream in("/proc/driver/nvidia/version");
  std::string line;
  std::getline(in, line);
  for (size_t at = 0; at < line.size();) {
    const size_t begin = line.find_first_not_of(' ', at);
    if (begin == std::string::npos) break;
    const size_t end = std::min(line.find(' ', begin), line.size());
    const std::string word = line.substr(begin, end - begin);
    if (std::count(word.begin(), word.end(), '.') >= 1 && word.find_first_not_of("0123456789.") == std::string::npos)
      return word;
    at = end;
  }
  return {};
}

Info describe(const Driver& d, Device device, uint32_t index, const std::optional<Assembler>& assembler) {
  const auto a = [&](Attribute x) { return attribute(d, device, x); };
  const auto positive = [&](Attribute x) { return static_cast<uint32_t>(std::max(a(x), 1)); };
  Info i;
  i.id = fmt::format("cuda:{}", index);
  i.api = Api::cuda;
  std::array<char, 256> name{};
  if (d.DeviceGetName(name.data(), static_cast<int32_t>(name.size()) - 1, device) == k_success) i.name = name.data();
  int32_t version = 0;
  d.DriverGetVersion(&version);
  const std::string kernel = kernel_module();
  i.driver =
      fmt::format("{}CUDA {}.{}", kernel.empty() ? "" : "NVIDIA " + kernel + ", ", version / 1000, version % 1000 / 10);
  i.units = positive(k_multiprocessors);
  i.subgroup = positive(k_warp_size);
  i.max_lanes = positive(k_max_threads_per_block);
  i.max_groups = positive(k_max_grid_x);
  i.shared_bytes = static_cast<uint32_t>(a(k_shared_per_block));
  const int32_t major = a(k_capability_major), minor = a(k_capability_minor);
  i.max_cluster = d.LaunchKernelEx != nullptr && a(k_cluster_launch) != 0 ? (major >= 9 ? 16 : 8) : 1;
  size_t memory = 0;
  d.DeviceTotalMem(&memory, device);
  i.memory_bytes = memory;
  i.line_bytes = 128;
  const auto property = [&](const char* what, std::string value) { i.properties.push_back({what, std::move(value)}); };
  property("compute capability", fmt::format("{}.{}", major, minor));
  property("sm", fmt::format("{}", 10 * major + minor));
  property("threads per multiprocessor", fmt::format("{}", a(k_threads_per_multiprocessor)));
  property("workgroups per multiprocessor", fmt::format("{}", a(k_blocks_per_multiprocessor)));
  property("level 2 cache", fmt::format("{} bytes", a(k_l2_bytes)));
  property("clock", fmt::format("{} MHz", a(k_clock_khz) / 1000));
  property("memory", fmt::format("{} bits at {} MHz", a(k_memory_bus_bits), a(k_memory_clock_khz) / 1000));
  property("host native atomics", a(k_host_native_atomics) != 0 ? "yes" : "no");
  property("maps host memory", a(k_can_map_host) != 0 ? "yes" : "no");
  property("cooperative launch", a(k_cooperative_launch) != 0 ? "yes" : "no");
  property("assembler", assembler ? "ptxas " + assembler->version : "the driver's own");
  return i;
}

struct PeerLink {  // from one device to the memory of another
  bool access = false, atomics = false;
  int32_t rank = 0;  // the driver's performance rank: smaller is faster
  std::string text() const {
    if (!access) return "no access";
    return fmt::format("peer access {} native atomics, performance rank {}", atomics ? "with" : "without", rank);
  }
};
PeerLink link_between(const Driver& d, Device from, Device to) {
  int32_t can = 0;
  if (d.DeviceCanAccessPeer(&can, from, to) != k_success || can == 0) return {};
  const auto peer = [&](PeerAttribute x) {
    int32_t v = 0;
    return d.DeviceGetPeerAttribute != nullptr && d.DeviceGetPeerAttribute(&v, x, from, to) == k_success ? v : 0;
  };
  return {true, peer(k_peer_native_atomics) != 0, peer(k_peer_rank)};
}

// What was assembled last: devices of one kind that work together are given the same texts one after another.
const Assembled& assembled(const Assembler& a, const std::string& ptx, uint32_t sm) {
  struct Kept {
    std::string key;
    Assembled made;
  };
  static std::deque<Kept> kept;
  std::string key = fmt::format("{} {} {}", a.program, sm, ptx);
  for (const Kept& k : kept)
    if (k.key == key) return k.made;
  if (kept.size() >= 8) kept.pop_front();
  kept.push_back({std::move(key), assemble(a, ptx, sm)});
  return kept.back().made;
}

class CudaBackend final : public Backend {
  struct Entry {
    std::string name;
    Function function = nullptr;
    size_t buffers = 0;
  };
  struct Loaded {
    Module module = nullptr;
    std::string source, cubin;
    std::vector<Entry> entries;
  };
  struct Memory {
    Address address = 0;
    uint64_t words = 0;    // 0: released
    void* host = nullptr;  // memory of the host
    bool adopted = false;  // another's
  };

 public:
  CudaBackend(const Driver& driver, Device device, Context context, Info info, std::optional<Assembler> assembler)
      : d_(driver), device_(device), context_(context), info_(std::move(info)), assembler_(std::move(assembler)) {}

  ~CudaBackend() override {
    if (!dead_.empty()) return;  // whatever the driver is busy with, it would be waited for
    d_.CtxSetCurrent(context_);
    if (begin_ != nullptr) d_.EventDestroy(begin_);
    if (end_ != nullptr) d_.EventDestroy(end_);
    for (const Memory& m : buffers_)
      if (m.words > 0) free(m);
    for (const Loaded& m : modules_) d_.ModuleUnload(m.module);
    d_.PrimaryCtxRelease(device_);
  }

  // Right after construction.
  Expected<void> begin() {
    for (Event* e : {&begin_, &end_})
      if (auto ok = check(d_.EventCreate(e, 0), "cuEventCreate"); !ok) return ok;
    return {};
  }

  const Info& info() const override { return info_; }
  Language language() const override { return Language::ptx; }

  Expected<ModuleId> load(const Source& source) override {
    if (auto ok = alive(); !ok) return std::unexpected(ok.error());
    if (source.language != Language::ptx)
      return error_at({}, fmt::format("{} takes PTX, not {}", info_.id, name(source.language)));
    // Configurations of one test differ in parameters, not in code.
    for (size_t m = 0; m < modules_.size(); ++m)
      if (modules_[m].source == source.bytes) return static_cast<ModuleId>(m);
    Loaded out;
    out.source = source.bytes;
    if (assembler_) {
      Assembled made = assembled(*assembler_, source.bytes, sm_of(info_));
      if (made.cubin.empty())
        return error_at(
            {}, fmt::format("{}: ptxas {} refuses the kernel: {}", info_.id, assembler_->version, made.message));
      if (d_.ModuleLoadData(&out.module, made.cubin.data()) == k_success) out.cubin = std::move(made.cubin);
    }
    if (out.cubin.empty()) {
      auto linked = link(source.bytes);
      if (!linked) return std::unexpected(linked.error());
      out.cubin = std::move(*linked);
      if (auto ok = check(d_.ModuleLoadData(&out.module, out.cubin.data()), "cuModuleLoadData"); !ok)
        return std::unexpected(ok.error());
    }
    for (const code::Kernel& k : source.kernels) {
      Entry e{k.name, nullptr, k.buffers.size()};
      if (auto ok =
              check(d_.ModuleGetFunction(&e.function, out.module, k.name.c_str()), "cuModuleGetFunction of " + k.name);
          !ok) {
        d_.ModuleUnload(out.module);
        return std::unexpected(ok.error());
      }
      if (info_.max_cluster > 8) d_.FuncSetAttribute(e.function, k_function_large_clusters, 1);
      out.entries.push_back(std::move(e));
    }
    modules_.push_back(std::move(out));
    return static_cast<ModuleId>(modules_.size() - 1);
  }

  Binary binary(ModuleId module) const override {
    return module < modules_.size() ? Binary{"cubin", modules_[module].cubin} : Binary{"none", {}};
  }

  uint32_t resident_groups(ModuleId module, const std::string& kernel, uint32_t lanes) const override {
    const Entry* e = entry(module, kernel);
    int32_t blocks = 0;
    if (e == nullptr || !dead_.empty() || lanes == 0) return 0;
    d_.CtxSetCurrent(context_);
    if (d_.OccupancyMaxActiveBlocks(&blocks, e->function, static_cast<int32_t>(lanes), 0) != k_success || blocks < 0)
      return 0;
    return static_cast<uint32_t>(blocks) * info_.units;
  }

  Expected<BufferId> allocate(uint64_t words) override {
    if (auto ok = alive(); !ok) return std::unexpected(ok.error());
    Memory m{0, std::max<uint64_t>(words, 1)};
    if (auto ok = check(d_.MemAlloc(&m.address, m.words * 4), fmt::format("cuMemAlloc of {} bytes", m.words * 4)); !ok)
      return std::unexpected(ok.error());
    return kept(m);
  }

  Expected<uint64_t> address(BufferId buffer) const override {
    const auto at = place(buffer, 0, 0);
    if (!at) return std::unexpected(at.error());
    return *at;
  }

  Expected<BufferId> adopt(uint64_t address, uint64_t words) override {
    if (auto ok = alive(); !ok) return std::unexpected(ok.error());
    Memory m{address, std::max<uint64_t>(words, 1)};
    m.adopted = true;
    return kept(m);
  }

  // With unified addressing all devices and the host have one address for it.
  Expected<BufferId> allocate_on_host(uint64_t words) override {
    if (auto ok = alive(); !ok) return std::unexpected(ok.error());
    Memory m{0, std::max<uint64_t>(words, 1)};
    if (auto ok = check(d_.MemHostAlloc(&m.host, m.words * 4, k_host_portable | k_host_mapped),
                        fmt::format("cuMemHostAlloc of {} bytes", m.words * 4));
        !ok)
      return std::unexpected(ok.error());
    if (auto ok = check(d_.MemHostGetDevicePointer(&m.address, m.host, 0), "cuMemHostGetDevicePointer"); !ok) {
      d_.MemFreeHost(m.host);
      return std::unexpected(ok.error());
    }
    if (m.address != reinterpret_cast<uintptr_t>(m.host)) {
      d_.MemFreeHost(m.host);
      return unsupported_at({}, fmt::format("{}: host memory has another address on the device", info_.id));
    }
    return kept(m);
  }

  // Opens the memory of another device to this one.
  Expected<void> reach(const CudaBackend& peer) {
    if (auto ok = alive(); !ok) return ok;
    const Result r = d_.CtxEnablePeerAccess(peer.context_, 0);
    return r == k_peer_already_enabled ? Expected<void>{} : check(r, "cuCtxEnablePeerAccess to " + peer.info_.id);
  }
  Device device() const { return device_; }

  Expected<BufferId> kept(const Memory& m) {
    for (size_t k = 0; k < buffers_.size(); ++k)
      if (buffers_[k].words == 0) {
        buffers_[k] = m;
        return static_cast<BufferId>(k);
      }
    buffers_.push_back(m);
    return static_cast<BufferId>(buffers_.size() - 1);
  }

  void release(BufferId buffer) override {
    if (buffer >= buffers_.size() || buffers_[buffer].words == 0 || !alive()) return;
    free(buffers_[buffer]);
    buffers_[buffer] = {};
  }

  Expected<void> fill(BufferId buffer, uint64_t first, uint64_t words, uint32_t value) override {
    auto at = place(buffer, first, words);
    if (!at) return std::unexpected(at.error());
    return words == 0 ? Expected<void>{} : check(d_.MemsetD32(*at, value, words), "cuMemsetD32");
  }

  Expected<void> write(BufferId buffer, uint64_t first, std::span<const uint32_t> words) override {
    auto at = place(buffer, first, words.size());
    if (!at) return std::unexpected(at.error());
    return words.empty() ? Expected<void>{}
                         : check(d_.MemcpyHtoD(*at, words.data(), words.size_bytes()), "cuMemcpyHtoD");
  }

  Expected<void> read(BufferId buffer, uint64_t first, std::span<uint32_t> words) override {
    auto at = place(buffer, first, words.size());
    if (!at) return std::unexpected(at.error());
    return words.empty() ? Expected<void>{}
                         : check(d_.MemcpyDtoH(words.data(), *at, words.size_bytes()), "cuMemcpyDtoH");
  }

  Expected<Outcome> launch(const Launch& launch) override {
    if (auto ok = begin_launch(launch); !ok) return std::unexpected(ok.error());
    if (!launch.wait) return Outcome{};
    return wait(launch.limit);
  }

  Expected<void> start(const Launch& launch) override {
    Launch waited = launch;
    waited.wait = true;
    started_ = Clock::now();
    return begin_launch(waited);
  }

  Expected<std::optional<Outcome>> poll() override {
    if (auto ok = alive(); !ok) return std::unexpected(ok.error());
    return ended(std::chrono::duration<double>(Clock::now() - started_).count());
  }

  void give_up(const std::string& why) override {
    if (dead_.empty()) dead_ = fmt::format("{} ({}): {}", info_.id, info_.name, why);
  }

 private:
  Expected<void> begin_launch(const Launch& launch) {
    if (auto ok = alive(); !ok) return std::unexpected(ok.error());
    const Entry* e = entry(launch.module, launch.kernel);
    if (e == nullptr)
      return error_at({}, fmt::format("{}: there is no kernel '{}' in that module", info_.id, launch.kernel));
    if (launch.groups == 0 || launch.lanes == 0 || launch.lanes > info_.max_lanes || launch.groups > info_.max_groups)
      return error_at(
          {},
          fmt::format("{}: {} workgroups of {} invocations cannot be launched", info_.id, launch.groups, launch.lanes),
          fmt::format("at most {} of {}", info_.max_groups, info_.max_lanes));
    if (launch.cluster == 0 || launch.cluster > info_.max_cluster || launch.groups % launch.cluster != 0)
      return error_at(
          {}, fmt::format("{}: {} workgroups cannot form clusters of {}", info_.id, launch.groups, launch.cluster),
          fmt::format("the largest cluster is {}, and clusters are whole", info_.max_cluster));
    if (launch.buffers.size() != e->buffers)
      return error_at({}, fmt::format("{}: kernel '{}' has {} buffers, not {}", info_.id, launch.kernel, e->buffers,
                                      launch.buffers.size()));
    std::vector<Address> addresses;
    for (const BufferId b : launch.buffers) {
      const auto at = place(b, 0, 0);
      if (!at) return std::unexpected(at.error());
      addresses.push_back(*at);
    }
    std::array<uint64_t, k_zero_bytes / 8> zeros{};
    std::vector<void*> parameters;
    for (Address& a : addresses) parameters.push_back(&a);
    for (uint32_t k = 0; k < k_extra_parameters; ++k) parameters.push_back(zeros.data());
    if (launch.wait)
      if (auto ok = check(d_.EventRecord(begin_, nullptr), "cuEventRecord"); !ok) return std::unexpected(ok.error());
    if (auto ok = check(start(*e, launch, parameters.data()), fmt::format("the launch of '{}'", launch.kernel)); !ok)
      return std::unexpected(ok.error());
    if (!launch.wait) return {};
    return check(d_.EventRecord(end_, nullptr), "cuEventRecord");
  }

  Expected<void> alive() const {
    if (!dead_.empty()) return error_at({}, dead_);
    d_.CtxSetCurrent(context_);
    return {};
  }

  Expected<void> check(Result r, const std::string& what) const {
    if (r == k_success) return {};
    return error_at({}, fmt::format("{} ({}): {}: {}", info_.id, info_.name, what, words(d_, r)));
  }

  const Entry* entry(ModuleId module, const std::string& kernel) const {
    if (module >= modules_.size()) return nullptr;
    const auto& all = modules_[module].entries;
    const auto at = std::find_if(all.begin(), all.end(), [&](const Entry& e) { return e.name == kernel; });
    return at == all.end() ? nullptr : &*at;
  }

  Expected<Address> place(BufferId buffer, uint64_t first, uint64_t words) const {
    if (auto ok = alive(); !ok) return std::unexpected(ok.error());
    if (buffer >= buffers_.size() || buffers_[buffer].words == 0)
      return error_at({}, fmt::format("{}: there is no buffer {}", info_.id, buffer));
    const Memory& m = buffers_[buffer];
    if (first > m.words || words > m.words - first)
      return error_at(
          {}, fmt::format("{}: words {} to {} lie outside a buffer of {}", info_.id, first, first + words, m.words));
    return m.address + first * 4;
  }

  void free(const Memory& m) const {
    if (m.adopted) return;
    if (m.host != nullptr)
      d_.MemFreeHost(m.host);
    else
      d_.MemFree(m.address);
  }

  // PTX to machine code by the driver's compiler.
  Expected<std::string> link(const std::string& ptx) const {
    std::string errors(16 * 1024, '\0');
    const auto number = [](uintptr_t v) { return reinterpret_cast<void*>(v); };
    JitOption options[] = {k_error_log, k_error_log_size, k_line_info};
    void* values[] = {errors.data(), number(errors.size()), number(1)};
    Link link = nullptr;
    if (auto ok = check(d_.LinkCreate(3, options, values, &link), "cuLinkCreate"); !ok)
      return std::unexpected(ok.error());
    std::string text = ptx;  // with its final zero
    Result r = d_.LinkAddData(link, k_input_ptx, text.data(), text.size() + 1, "kernel.ptx", 0, nullptr, nullptr);
    void* cubin = nullptr;
    size_t size = 0;
    if (r == k_success) r = d_.LinkComplete(link, &cubin, &size);
    std::string out;
    if (r == k_success) out.assign(static_cast<const char*>(cubin), size);
    d_.LinkDestroy(link);
    if (r == k_success) return out;
    errors.resize(std::min(errors.find('\0'), errors.size()));
    while (!errors.empty() && errors.back() == '\n') errors.pop_back();
    return error_at({}, fmt::format("{}: the driver's compiler refuses the kernel: {}{}{}", info_.id, words(d_, r),
                                    errors.empty() ? "" : ": ", errors));
  }

  Result start(const Entry& e, const Launch& launch, void** parameters) const {
    if (launch.cluster == 1 && !launch.cooperative)
      return d_.LaunchKernel(e.function, launch.groups, 1, 1, launch.lanes, 1, 1, 0, nullptr, parameters, nullptr);
    std::array<LaunchAttribute, 2> attributes{};
    LaunchConfig config;
    config.grid[0] = launch.groups;
    config.block[0] = launch.lanes;
    config.attributes = attributes.data();
    if (launch.cluster > 1) {
      LaunchAttribute& a = attributes[config.attribute_count++];
      a.id = k_attribute_cluster;
      a.value[0] = launch.cluster;
      a.value[1] = a.value[2] = 1;
    }
    if (launch.cooperative) {
      LaunchAttribute& a = attributes[config.attribute_count++];
      a.id = k_attribute_cooperative;
      a.value[0] = 1;
    }
    if (d_.LaunchKernelEx == nullptr) return k_not_supported;
    return d_.LaunchKernelEx(&config, e.function, parameters, nullptr);
  }

  // Looks often at first, then every 200 microseconds.
  Outcome wait(double limit) {
    const auto begin = Clock::now();
    const auto passed = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
    for (;;) {
      if (const auto out = ended(passed())) return *out;
      if (passed() > limit) {
        dead_ = fmt::format("{} ({}): a launch did not end within {} s", info_.id, info_.name, limit);
        return {Outcome::Status::timed_out, passed(), dead_};
      }
      if (passed() > 0.002) std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  }

  // The launch that was begun, if it has ended; `passed`: seconds since.
  std::optional<Outcome> ended(double passed) {
    const Result r = d_.EventQuery(end_);
    if (r == k_not_ready) return std::nullopt;
    if (r != k_success) {
      dead_ = fmt::format("{} ({}): {}", info_.id, info_.name, words(d_, r));
      return Outcome{Outcome::Status::lost, passed, words(d_, r)};
    }
    float milliseconds = 0;
    Outcome out;
    out.seconds = d_.EventElapsedTime(&milliseconds, begin_, end_) == k_success ? milliseconds * 1e-3 : passed;
    return out;
  }

  static constexpr Result k_not_supported = 801;

  Driver d_;
  Device device_;
  Context context_;
  Info info_;
  std::optional<Assembler> assembler_;
  Event begin_ = nullptr, end_ = nullptr;
  Clock::time_point started_;
  std::vector<Loaded> modules_;
  std::vector<Memory> buffers_;
  std::string dead_;
};

Expected<int32_t> count(const Driver& d) {
  int32_t n = 0;
  const Result r = d.DeviceGetCount(&n);
  if (r != k_success && r != k_no_device) return error_at({}, "cuDeviceGetCount: " + words(d, r));
  return r == k_no_device ? 0 : n;
}

Expected<std::unique_ptr<CudaBackend>> open_one(uint32_t index) {
  const auto d = open_driver();
  if (!d) return std::unexpected(d.error());
  const auto n = count(*d);
  if (!n) return std::unexpected(n.error());
  if (index >= static_cast<uint32_t>(std::max(*n, 0)))
    return error_at({}, fmt::format("there is no device 'cuda:{}'", index), fmt::format("the driver has {}", *n));
  Device device = 0;
  if (const Result r = d->DeviceGet(&device, static_cast<int32_t>(index)); r != k_success)
    return error_at({}, "cuDeviceGet: " + words(*d, r));
  auto assembler = find_assembler();
  Info info = describe(*d, device, index, assembler);
  Context context = nullptr;
  if (const Result r = d->PrimaryCtxRetain(&context, device); r != k_success)
    return error_at({}, fmt::format("{} ({}): cuDevicePrimaryCtxRetain: {}", info.id, info.name, words(*d, r)));
  d->CtxSetCurrent(context);
  auto backend = std::make_unique<CudaBackend>(*d, device, context, std::move(info), std::move(assembler));
  if (auto ok = backend->begin(); !ok) return std::unexpected(ok.error());
  return backend;
}

}  // namespace

Expected<std::vector<Info>> list() {
  const auto d = open_driver();
  if (!d) return std::unexpected(d.error());
  const auto n = count(*d);
  if (!n) return std::unexpected(n.error());
  const auto assembler = *n > 0 ? find_assembler() : std::nullopt;
  std::vector<Info> out;
  for (int32_t k = 0; k < *n; ++k) {
    Device device = 0;
    if (const Result r = d->DeviceGet(&device, k); r != k_success) return error_at({}, "cuDeviceGet: " + words(*d, r));
    out.push_back(describe(*d, device, static_cast<uint32_t>(k), assembler));
    for (int32_t other = 0; other < *n; ++other) {
      Device peer = 0;
      if (other == k || d->DeviceCanAccessPeer == nullptr || d->DeviceGet(&peer, other) != k_success) continue;
      out.back().properties.push_back({fmt::format("memory of cuda:{}", other), link_between(*d, device, peer).text()});
    }
  }
  return out;
}

Expected<std::unique_ptr<Backend>> open(uint32_t index) {
  auto one = open_one(index);
  if (!one) return std::unexpected(one.error());
  return std::unique_ptr<Backend>(std::move(*one));
}

Expected<std::unique_ptr<Several>> open_several(const std::vector<uint32_t>& indices, std::unique_ptr<Backend> host) {
  const auto d = open_driver();
  if (!d) return std::unexpected(d.error());
  if (d->MemHostAlloc == nullptr || d->MemFreeHost == nullptr || d->MemHostGetDevicePointer == nullptr ||
      d->DeviceCanAccessPeer == nullptr || d->DeviceGetPeerAttribute == nullptr || d->CtxEnablePeerAccess == nullptr)
    return unsupported_at({}, "this driver has no functions for several devices", "install a newer NVIDIA driver");
  std::vector<std::unique_ptr<CudaBackend>> all;
  std::string id = "cuda:";
  for (const uint32_t i : indices) {
    auto one = open_one(i);
    if (!one) return std::unexpected(one.error());
    id += fmt::format("{}{}", all.empty() ? "" : "+", i);
    all.push_back(std::move(*one));
  }
  std::vector<std::vector<Reach>> reach(all.size(), std::vector<Reach>(all.size() + 1, Reach::none));
  std::vector<Property> links;
  for (size_t a = 0; a < all.size(); ++a) {
    reach[a][a] = Reach::atomic;
    const Device mine = all[a]->device();
    const bool host_atomics = attribute(*d, mine, k_host_native_atomics) != 0;
    if (attribute(*d, mine, k_can_map_host) != 0 && attribute(*d, mine, k_unified_addressing) != 0) {
      reach[a][all.size()] = host_atomics ? Reach::atomic : Reach::plain;
      links.push_back({fmt::format("gpu {} to memory of the host", a),
                       fmt::format("mapped, {} native atomics", host_atomics ? "with" : "without")});
    }
    for (size_t b = 0; b < all.size(); ++b) {
      if (a == b) continue;
      const Device other = all[b]->device();
      const PeerLink link = link_between(*d, mine, other);
      if (link.access) {
        if (const auto ok = all[a]->reach(*all[b]); !ok) return std::unexpected(ok.error());
        reach[a][b] = link.atomics ? Reach::atomic : Reach::plain;
      }
      links.push_back({fmt::format("gpu {} to memory of gpu {}", a, b), link.text()});
    }
  }
  std::vector<std::unique_ptr<Backend>> members(std::make_move_iterator(all.begin()),
                                                std::make_move_iterator(all.end()));
  if (host != nullptr)
    return Several::make_with_host(id + "+host", std::move(members), std::move(reach), std::move(links),
                                   std::move(host));
  return Several::make(std::move(id), std::move(members), std::move(reach), std::move(links));
}

uint32_t sm_of(const Info& info) {
  for (const Property& p : info.properties)
    if (info.api == Api::cuda && p.name == "sm") return static_cast<uint32_t>(std::stoul(p.value));
  return 0;
}

}  // namespace fencepost::device::cuda

#include "device/cpu/cpu.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <thread>

#include "device/cpu/machine.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace fencepost::device::cpu {
namespace {

constexpr uint32_t k_max_groups = 65535;
constexpr uint32_t k_max_lanes = 1024;
constexpr uint32_t k_shared_bytes = 64 * 1024;
constexpr uint32_t k_shared_pattern = 0xb5b5b5b5;
// What the registers of all invocations of a launch may take.
constexpr uint64_t k_max_register_bytes = uint64_t{2} << 30;

std::vector<int> allowed_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> out;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    for (int c = 0; c < CPU_SETSIZE; ++c)
      if (CPU_ISSET(c, &set)) out.push_back(c);
  if (out.empty()) out.push_back(0);
  return out;
}

std::string model_name() {
  std::ifstream f("/proc/cpuinfo");
  for (std::string line; std::getline(f, line);)
    if (line.starts_with("model name"))
      if (const size_t colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
  return "processor";
}

// Memory that starts on a page of its own; large pages where the system gives them.
class Memory {
 public:
  // Another's.
  Memory(uint32_t* data, uint64_t words) : words_(words), bytes_(0), data_(data) {}
  explicit Memory(uint64_t words) : words_(words), bytes_(std::max<uint64_t>(words * 4, 4)) {
    void* p = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return;
    if (bytes_ >= (2u << 20)) madvise(p, bytes_, MADV_HUGEPAGE);
    data_ = static_cast<uint32_t*>(p);
  }
  ~Memory() {
    if (data_ != nullptr && bytes_ > 0) munmap(data_, bytes_);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  uint32_t* data() const { return data_; }
  uint64_t words() const { return words_; }

 private:
  uint64_t words_, bytes_;
  uint32_t* data_ = nullptr;
};

// One launch: its workgroups and invocations, and which thread holds which.
struct Job {
  const Program* program = nullptr;
  std::vector<std::unique_ptr<Group>> groups;
  std::vector<uint64_t> registers;
  std::vector<std::vector<Invocation>> parts;  // by thread
  std::atomic<bool> abort{false};
  std::atomic<uint32_t> ready{0};  // threads that stand at the start
  std::mutex fault_mutex;
  std::string fault;

  void faulty(const Invocation& v) {
    const Ins& i = program->code[v.at];
    const std::lock_guard lock(fault_mutex);
    if (fault.empty())
      fault = fmt::format("kernel '{}' accessed word {} of {}, which has {} words", program->name, v.registers[i.a],
                          program->slots[i.b], v.group->slots[i.b].size);
    abort.store(true, std::memory_order_relaxed);
  }

  void run(uint32_t thread) {
    std::vector<Invocation>& mine = parts[thread];
    // All threads start together, or none gains a head start while the others are being woken.
    ready.fetch_add(1);
    for (uint32_t turns = 0; ready.load() < parts.size() && turns < 200000; ++turns) relax();
    Conditions on{&abort, 1024, mine.size() == 1};
    if (on.alone) {
      if (execute(*program, mine[0], on) == Stop::fault) faulty(mine[0]);
      return;
    }
    // Odd, and without small divisors: a loop of 2 or 4 back edges would else be left at the same place every time, and
    // nobody who shares the processor would ever see what it writes in between.
    on.quantum = 257;
    take_turns(mine, on);
  }

 private:
  static void relax() {
#if defined(__x86_64__)
    _mm_pause();
#endif
  }

  // Round after round, each begun at another invocation, so that no order among those of one thread is preferred.
  void take_turns(std::vector<Invocation>& mine, const Conditions& on) {
    std::vector<Invocation*> live;
    for (Invocation& v : mine) live.push_back(&v);
    uint32_t state = 12345;
    while (!live.empty() && !abort.load(std::memory_order_relaxed)) {
      state = state * 1664525 + 1013904223;
      const size_t n = live.size(), first = (uint64_t{state} * n) >> 32;
      size_t ended = 0;
      for (size_t k = 0; k < n; ++k) {
        Invocation*& v = live[first + k < n ? first + k : first + k - n];
        if (v->waits && !v->group->meeting.past(v->ticket)) continue;
        v->waits = false;
        const Stop stop = execute(*program, *v, on);
        if (stop == Stop::fault) faulty(*v);
        if (stop != Stop::ended) continue;
        v = nullptr;
        ++ended;
      }
      if (ended > 0) std::erase(live, nullptr);
    }
  }
};

// Threads that are made when first needed and wait for launches.
class Crew {
 public:
  explicit Crew(std::vector<int> processors) : processors_(std::move(processors)) {}
  ~Crew() {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
    }
    wake_.notify_all();
    for (std::thread& t : threads_) t.join();
  }

  // False: not over after `limit` seconds; it has been stopped since.
  Expected<bool> run(Job& job, double limit, double& seconds) {
    if (const auto ok = start(job); !ok) return std::unexpected(ok.error());
    std::unique_lock lock(mutex_);
    const auto enough = std::chrono::duration<double>(std::clamp(limit, 0.0, 1e7));
    const bool in_time = over_.wait_for(lock, enough, [&] { return working_ == 0; });
    if (!in_time) {
      job.abort.store(true, std::memory_order_relaxed);
      over_.wait(lock, [&] { return working_ == 0; });
    }
    end(seconds);
    return in_time;
  }

  Expected<void> start(Job& job) {
    const auto n = static_cast<uint32_t>(job.parts.size());
    try {
      while (threads_.size() < n) {
        const auto id = static_cast<uint32_t>(threads_.size());
        threads_.emplace_back([this, id, turn = turn_] { wait_for_work(id, turn); });
      }
    } catch (const std::exception& e) {
      return unsupported_at({}, fmt::format("cpu: {} threads cannot be made: {}", n, e.what()), "use fewer workgroups");
    }
    begun_ = std::chrono::steady_clock::now();
    const std::unique_lock lock(mutex_);
    job_ = &job;
    working_ = n;
    ++turn_;
    wake_.notify_all();
    return {};
  }

  // Whether what was started has ended.
  bool ended(double& seconds) {
    const std::unique_lock lock(mutex_);
    if (working_ > 0) return false;
    end(seconds);
    return true;
  }

  // Ends it.
  void abort() {
    std::unique_lock lock(mutex_);
    if (job_ == nullptr) return;
    job_->abort.store(true, std::memory_order_relaxed);
    over_.wait(lock, [&] { return working_ == 0; });
    job_ = nullptr;
  }

 private:
  // With the lock.
  void end(double& seconds) {
    job_ = nullptr;
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
  }

  void wait_for_work(uint32_t id, uint64_t seen) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processors_[id % processors_.size()], &set);
    pthread_setaffinity_np(pthread_self(), sizeof set, &set);  // where it fails the system places the thread
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [&] { return closing_ || turn_ != seen; });
      if (closing_) return;
      seen = turn_;
      Job* job = job_;
      if (job == nullptr || id >= job->parts.size()) continue;
      lock.unlock();
      job->run(id);
      lock.lock();
      if (--working_ == 0) over_.notify_all();
    }
  }

  std::vector<int> processors_;
  std::mutex mutex_;
  std::condition_variable wake_, over_;
  Job* job_ = nullptr;
  std::chrono::steady_clock::time_point begun_;
  uint32_t working_ = 0;
  uint64_t turn_ = 0;
  bool closing_ = false;
  std::vector<std::thread> threads_;
};

class Cpu : public Backend {
 public:
  explicit Cpu(const std::vector<int>& processors) : info_(describe()), crew_(processors) {
    info_.units = static_cast<uint32_t>(processors.size());
  }
  ~Cpu() override { crew_.abort(); }

  const Info& info() const override { return info_; }
  Language language() const override { return Language::code; }

  Expected<ModuleId> load(const Source& source) override {
    if (auto e = alive(); !e) return std::unexpected(e.error());
    if (source.language != Language::code)
      return unsupported_at({}, fmt::format("cpu: modules are kernels as values, not {}", name(source.language)));
    std::map<std::string, Program> module;
    for (const code::Kernel& k : source.kernels) {
      if (k.shared_words * 4ull > k_shared_bytes)
        return unsupported_at({}, fmt::format("cpu: kernel '{}' wants {} bytes of shared memory, there are {}", k.name,
                                              k.shared_words * 4ull, k_shared_bytes));
      auto p = compile(k);
      if (!p) return std::unexpected(p.error());
      module[k.name] = std::move(*p);
    }
    modules_.push_back(std::move(module));
    return static_cast<ModuleId>(modules_.size() - 1);
  }

  Binary binary(ModuleId module) const override {
    Binary b{"code", ""};
    for (const auto& [name, program] : modules_.at(module)) b.bytes += listing(program);
    return b;
  }

  uint32_t resident_groups(ModuleId, const std::string&, uint32_t) const override { return k_max_groups; }

  Expected<BufferId> allocate(uint64_t words) override {
    if (auto e = alive(); !e) return std::unexpected(e.error());
    auto m = words < (uint64_t{1} << 48) ? std::make_unique<Memory>(words) : nullptr;
    if (m == nullptr || m->data() == nullptr)
      return unsupported_at({},
                            fmt::format("cpu: a buffer of {} words cannot be had: {}", words, std::strerror(ENOMEM)));
    buffers_[next_buffer_] = std::move(m);
    return next_buffer_++;
  }
  void release(BufferId buffer) override { buffers_.erase(buffer); }

  Expected<void> fill(BufferId buffer, uint64_t first, uint64_t words, uint32_t value) override {
    const auto at = range(buffer, first, words);
    if (!at) return std::unexpected(at.error());
    std::fill_n(*at, words, value);
    return {};
  }
  Expected<void> write(BufferId buffer, uint64_t first, std::span<const uint32_t> words) override {
    const auto at = range(buffer, first, words.size());
    if (!at) return std::unexpected(at.error());
    std::copy(words.begin(), words.end(), *at);
    return {};
  }
  Expected<void> read(BufferId buffer, uint64_t first, std::span<uint32_t> words) override {
    const auto at = range(buffer, first, words.size());
    if (!at) return std::unexpected(at.error());
    std::copy_n(*at, words.size(), words.begin());
    return {};
  }

  Expected<Outcome> launch(const Launch& l) override {
    if (auto e = alive(); !e) return std::unexpected(e.error());
    Job job;
    if (auto e = prepare(l, job); !e) return std::unexpected(e.error());
    Outcome out;
    const auto in_time = crew_.run(job, l.limit, out.seconds);
    if (!in_time) return std::unexpected(in_time.error());
    if (!*in_time && job.fault.empty()) {
      out.status = Outcome::Status::timed_out;
      dead_ = fmt::format("cpu: kernel '{}' did not end within {} s", l.kernel, l.limit);
    }
    return faulty(job, out);
  }

  Expected<uint64_t> address(BufferId buffer) const override {
    const auto at = range(buffer, 0, 0);
    if (!at) return std::unexpected(at.error());
    return reinterpret_cast<uintptr_t>(*at);
  }
  Expected<BufferId> adopt(uint64_t address, uint64_t words) override {
    if (auto e = alive(); !e) return std::unexpected(e.error());
    buffers_[next_buffer_] =
        std::make_unique<Memory>(reinterpret_cast<uint32_t*>(static_cast<uintptr_t>(address)), words);
    return next_buffer_++;
  }
  Expected<BufferId> allocate_on_host(uint64_t words) override { return allocate(words); }

  Expected<void> start(const Launch& l) override {
    if (auto e = alive(); !e) return e;
    started_ = std::make_unique<Job>();
    if (auto e = prepare(l, *started_); !e) return e;
    return crew_.start(*started_);
  }
  Expected<std::optional<Outcome>> poll() override {
    if (auto e = alive(); !e) return std::unexpected(e.error());
    Outcome out;
    if (started_ == nullptr || !crew_.ended(out.seconds)) return std::optional<Outcome>();
    const std::unique_ptr<Job> job = std::move(started_);
    return faulty(*job, out);
  }
  void give_up(const std::string& why) override {
    crew_.abort();
    started_.reset();
    dead_ = "cpu: " + why;
  }

 private:
  Expected<void> alive() const {
    if (!dead_.empty()) return unsupported_at({}, dead_, "open the device again");
    return {};
  }

  Outcome faulty(const Job& job, Outcome out) {
    if (job.fault.empty()) return out;
    out.status = Outcome::Status::lost;
    out.message = job.fault;
    dead_ = fmt::format("cpu: {}", job.fault);
    return out;
  }

  Expected<uint32_t*> range(BufferId buffer, uint64_t first, uint64_t words) const {
    if (auto e = alive(); !e) return std::unexpected(e.error());
    const auto it = buffers_.find(buffer);
    if (it == buffers_.end()) return unsupported_at({}, fmt::format("cpu: there is no buffer {}", buffer));
    if (first > it->second->words() || words > it->second->words() - first)
      return unsupported_at(
          {}, fmt::format("cpu: words {} to {} of a buffer of {}", first, first + words, it->second->words()));
    return it->second->data() + first;
  }

  Expected<void> prepare(const Launch& l, Job& job) {
    if (l.module >= modules_.size()) return unsupported_at({}, fmt::format("cpu: there is no module {}", l.module));
    const auto& module = modules_[l.module];
    const auto it = module.find(l.kernel);
    if (it == module.end()) return unsupported_at({}, fmt::format("cpu: the module has no kernel '{}'", l.kernel));
    const Program& p = it->second;
    if (l.groups == 0 || l.groups > k_max_groups || l.lanes == 0 || l.lanes > std::min(k_max_lanes, p.group_limit))
      return unsupported_at({}, fmt::format("cpu: {} workgroups of {} invocations; at most {} of {}", l.groups, l.lanes,
                                            k_max_groups, std::min(k_max_lanes, p.group_limit)));
    if (l.cluster > 1) return unsupported_at({}, "cpu: there are no clusters of workgroups");
    if (l.buffers.size() + 1 != p.slots.size())
      return unsupported_at({}, fmt::format("cpu: kernel '{}' takes {} buffers, {} are given", l.kernel,
                                            p.slots.size() - 1, l.buffers.size()));
    const uint64_t invocations = uint64_t{l.groups} * l.lanes;
    // Registers of an invocation begin on a cache line of their own, or invocations disturb one another.
    const uint64_t stride = (p.registers + 15) / 8 * 8;
    if (invocations * stride * 8 > k_max_register_bytes)
      return unsupported_at(
          {}, fmt::format("cpu: {} invocations with {} registers are too many", invocations, p.registers));

    std::vector<Slot> slots;
    for (const BufferId b : l.buffers) {
      const auto m = buffers_.find(b);
      if (m == buffers_.end()) return unsupported_at({}, fmt::format("cpu: there is no buffer {}", b));
      slots.push_back({m->second->data(), m->second->words()});
    }
    job.program = &p;
    job.registers.assign(invocations * stride + 8, 0);
    uint64_t* const base =
        reinterpret_cast<uint64_t*>((reinterpret_cast<uintptr_t>(job.registers.data()) + 63) & ~uintptr_t{63});
    for (uint32_t g = 0; g < l.groups; ++g) {
      job.groups.push_back(std::make_unique<Group>(l.lanes));
      Group& group = *job.groups.back();
      group.slots = slots;
      if (p.shared_words > 0) {
        group.shared = std::make_unique<uint32_t[]>(p.shared_words);
        std::fill_n(group.shared.get(), p.shared_words, k_shared_pattern);
      }
      group.slots.push_back({group.shared.get(), p.shared_words});
    }
    const uint32_t processors = info_.units;
    const uint32_t parts_of_group = std::clamp(processors / l.groups, 1u, l.lanes);
    const uint32_t threads = std::min(l.groups * parts_of_group, processors);
    job.parts.resize(threads);
    for (uint32_t g = 0; g < l.groups; ++g)
      for (uint32_t lane = 0; lane < l.lanes; ++lane) {
        uint64_t* r = base + (uint64_t{g} * l.lanes + lane) * stride;
        r[static_cast<size_t>(code::Builtin::group)] = g;
        r[static_cast<size_t>(code::Builtin::lane)] = lane;
        r[static_cast<size_t>(code::Builtin::groups)] = l.groups;
        r[static_cast<size_t>(code::Builtin::lanes)] = l.lanes;
        for (const auto& [reg, value] : p.constants) r[reg] = value;
        const uint32_t part = static_cast<uint32_t>(uint64_t{lane} * parts_of_group / l.lanes);
        job.parts[(g * parts_of_group + part) % threads].push_back({job.groups[g].get(), r});
      }
    return {};
  }

  Info info_;
  std::string dead_;
  std::vector<std::map<std::string, Program>> modules_;
  std::map<BufferId, std::unique_ptr<Memory>> buffers_;
  BufferId next_buffer_ = 0;
  std::unique_ptr<Job> started_;
  Crew crew_;
};

}  // namespace

Info describe() {
  Info i;
  i.id = "cpu";
  i.api = Api::cpu;
  i.name = model_name();
  i.driver = "threads of this process";
  const std::vector<int> processors = allowed_processors();
  i.units = static_cast<uint32_t>(processors.size());
  i.subgroup = 1;
  i.max_lanes = k_max_lanes;
  i.max_groups = k_max_groups;
  i.shared_bytes = k_shared_bytes;
  i.memory_bytes = static_cast<uint64_t>(std::max(0L, sysconf(_SC_PHYS_PAGES))) *
                   static_cast<uint64_t>(std::max(0L, sysconf(_SC_PAGESIZE)));
  const long line = sysconf(_SC_LEVEL1_DCACHE_LINESIZE);
  i.line_bytes = line > 0 ? static_cast<uint32_t>(line) : 64;
  i.properties.push_back({"processors", fmt::format("{}", fmt::join(processors, ","))});
#if defined(__x86_64__)
  i.properties.push_back({"memory model", "x86-TSO"});
#else
  i.properties.push_back({"memory model", "C++ atomics"});
#endif
  return i;
}

Expected<std::unique_ptr<Backend>> open() {
  return std::unique_ptr<Backend>(std::make_unique<Cpu>(allowed_processors()));
}

namespace {

// The processors, dealt out to so many.
std::vector<std::unique_ptr<Backend>> dealt(uint32_t count) {
  const std::vector<int> all = allowed_processors();
  std::vector<std::unique_ptr<Backend>> members;
  for (uint32_t k = 0; k < count; ++k) {
    std::vector<int> mine;
    for (size_t c = k; c < all.size(); c += count) mine.push_back(all[c]);
    members.push_back(std::make_unique<Cpu>(mine.empty() ? all : mine));
  }
  return members;
}

std::string id_of(uint32_t count) {
  std::string id = "cpu";
  for (uint32_t k = 1; k < count; ++k) id += "+cpu";
  return id;
}

}  // namespace

Expected<std::unique_ptr<Several>> open_several(uint32_t count) {
  return Several::make(id_of(count), dealt(count), std::vector(count, std::vector<Reach>(count + 1, Reach::atomic)),
                       {});
}

Expected<std::unique_ptr<Several>> open_with_host(uint32_t count) {
  std::vector<std::unique_ptr<Backend>> members = dealt(count + 1);
  std::unique_ptr<Backend> host = std::move(members.back());
  members.pop_back();
  return Several::make_with_host(id_of(count) + "+host", std::move(members),
                                 std::vector(count, std::vector<Reach>(count + 1, Reach::atomic)), {}, std::move(host));
}

}  // namespace fencepost::device::cpu

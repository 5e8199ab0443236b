// A Backend over the sequential executor: the device that is only a definition.
#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <thread>

#include "campaign/runner.h"
#include "code/execute.h"

namespace fencepost::campaign {
namespace {

class Reference final : public device::Backend {
 public:
  Reference(uint64_t seed, std::string fault) : rng_(seed), fault_(std::move(fault)) {
    info_.id = "reference";
    info_.name = "sequential executor";
    info_.driver = "of this program";
    info_.units = 4;
    info_.subgroup = 4;
    info_.max_lanes = 64;
    info_.max_groups = 256;
    info_.max_cluster = 8;
    info_.shared_bytes = 16384;
    info_.memory_bytes = uint64_t{1} << 26;
  }

  const device::Info& info() const override { return info_; }
  // The seed of a round group draws its parameters too; the numbers here are to be others.
  void begin(uint64_t seed) override { rng_ = Rng(seed ^ 0x7265666572656e63u); }
  device::Language language() const override { return device::Language::code; }

  Expected<device::ModuleId> load(const device::Source& source) override {
    std::map<std::string, code::Executable> kernels;
    for (const code::Kernel& k : source.kernels) kernels.emplace(k.name, code::Executable(k));
    modules_.push_back(std::move(kernels));
    std::string text;
    for (const code::Kernel& k : source.kernels) text += code::to_string(k);
    texts_.push_back(std::move(text));
    return static_cast<device::ModuleId>(modules_.size() - 1);
  }
  device::Binary binary(device::ModuleId module) const override { return {"code", texts_.at(module)}; }
  uint32_t resident_groups(device::ModuleId, const std::string&, uint32_t) const override { return 64; }

  Expected<device::BufferId> allocate(uint64_t words) override {
    buffers_.emplace_back(words, 0);
    return static_cast<device::BufferId>(buffers_.size() - 1);
  }
  void release(device::BufferId b) override { buffers_.at(b).clear(); }
  Expected<void> fill(device::BufferId b, uint64_t first, uint64_t words, uint32_t value) override {
    std::fill_n(buffers_.at(b).begin() + static_cast<std::ptrdiff_t>(first), words, value);
    return {};
  }
  Expected<void> write(device::BufferId b, uint64_t first, std::span<const uint32_t> words) override {
    std::copy(words.begin(), words.end(), buffers_.at(b).begin() + static_cast<std::ptrdiff_t>(first));
    return {};
  }
  Expected<void> read(device::BufferId b, uint64_t first, std::span<uint32_t> words) override {
    std::copy_n(buffers_.at(b).begin() + static_cast<std::ptrdiff_t>(first), words.size(), words.begin());
    return {};
  }

  Expected<device::Outcome> launch(const device::Launch& l) override {
    ++launches_;
    if (fault_ == "hang" && launches_ > k_good) std::this_thread::sleep_for(std::chrono::hours(24));
    if (fault_ == "die" && launches_ > k_good) std::abort();
    std::vector<code::Words*> buffers;
    for (const device::BufferId b : l.buffers) buffers.push_back(&buffers_.at(b));
    const auto done = modules_.at(l.module).at(l.kernel).run(l.groups, l.lanes, buffers,
                                                             {.seed = rng_.next(),
                                                              .burst = 1 + static_cast<uint32_t>(rng_.below(40)),
                                                              .resident = 64,
                                                              .cluster = l.cluster});
    device::Outcome out;
    out.seconds = k_seconds_per_statement * static_cast<double>(done.statements);
    if (!done.fault.empty()) {
      out.status = device::Outcome::Status::lost;
      out.message = done.fault;
    }
    return out;
  }

 private:
  // Its time is counted, not measured: how often a round group launches must not depend on the machine.
  static constexpr double k_seconds_per_statement = 1e-7;
  static constexpr uint32_t k_good = 4;  // launches before the fault

  device::Info info_;
  Rng rng_;
  std::string fault_;
  uint32_t launches_ = 0;
  std::vector<std::map<std::string, code::Executable>> modules_;
  std::vector<std::string> texts_;
  std::vector<code::Words> buffers_;
};

}  // namespace

std::unique_ptr<device::Backend> open_reference(uint64_t seed) { return std::make_unique<Reference>(seed, ""); }

Expected<std::unique_ptr<device::Backend>> open_device(const std::string& id, uint64_t seed) {
  if (id == "reference") return open_reference(seed);
  if (id == "reference:hang") return std::make_unique<Reference>(seed, "hang");
  if (id == "reference:die") return std::make_unique<Reference>(seed, "die");
  return device::open(id);
}

}  // namespace fencepost::campaign

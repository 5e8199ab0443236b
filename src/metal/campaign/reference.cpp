// A Backend over the sequential executor: the device that is only a definition.
#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "campaign/runner.h"
#include "code/execute.h"
#include "device/several.h"

namespace fencepost::campaign {
namespace {

constexpr std::string_view k_reference = "reference";

class Reference final : public device::Backend {
 public:
  // What was started on devices that work together and has not run.
  struct Moment {
    std::vector<code::ExecutionPart> parts;
    std::vector<Reference*> of;
  };

  Reference(uint64_t seed, std::string fault, std::shared_ptr<Moment> moment = nullptr)
      : rng_(seed), fault_(std::move(fault)), moment_(std::move(moment)) {
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
    own_.push_back(std::make_unique<code::Words>(words, 0));
    buffers_.push_back(own_.back().get());
    return static_cast<device::BufferId>(buffers_.size() - 1);
  }
  void release(device::BufferId b) override {
    std::erase_if(own_, [&](const auto& w) { return w.get() == buffers_.at(b); });
    buffers_.at(b) = nullptr;
  }
  Expected<void> fill(device::BufferId b, uint64_t first, uint64_t words, uint32_t value) override {
    std::fill_n(buffers_.at(b)->begin() + static_cast<std::ptrdiff_t>(first), words, value);
    return {};
  }
  Expected<void> write(device::BufferId b, uint64_t first, std::span<const uint32_t> words) override {
    std::copy(words.begin(), words.end(), buffers_.at(b)->begin() + static_cast<std::ptrdiff_t>(first));
    return {};
  }
  Expected<void> read(device::BufferId b, uint64_t first, std::span<uint32_t> words) override {
    std::copy_n(buffers_.at(b)->begin() + static_cast<std::ptrdiff_t>(first), words.size(), words.begin());
    return {};
  }

  // Of several: buffers are shared by their addresses here, and what was started on all runs when one is asked.
  Expected<uint64_t> address(device::BufferId b) const override { return reinterpret_cast<uintptr_t>(buffers_.at(b)); }
  Expected<device::BufferId> adopt(uint64_t address, uint64_t) override {
    buffers_.push_back(reinterpret_cast<code::Words*>(static_cast<uintptr_t>(address)));
    return static_cast<device::BufferId>(buffers_.size() - 1);
  }
  Expected<device::BufferId> allocate_on_host(uint64_t words) override { return allocate(words); }
  Expected<void> start(const device::Launch& l) override {
    code::ExecutionPart part{&modules_.at(l.module).at(l.kernel), l.groups, l.lanes, l.cluster, {}};
    for (const device::BufferId b : l.buffers) part.buffers.push_back(buffers_.at(b));
    moment_->parts.push_back(std::move(part));
    moment_->of.push_back(this);
    return {};
  }
  Expected<std::optional<device::Outcome>> poll() override {
    if (const auto ok = run_moment(); !ok) return std::unexpected(ok.error());
    if (!ended_) return error_at({}, "reference: nothing was started");
    return std::exchange(ended_, std::nullopt);
  }

  Expected<device::Outcome> launch(const device::Launch& l) override {
    ++launches_;
    if (fault_ == "hang" && launches_ > k_good) std::this_thread::sleep_for(std::chrono::hours(24));
    if (fault_ == "die" && launches_ > k_good) std::abort();
    std::vector<code::Words*> buffers;
    for (const device::BufferId b : l.buffers) buffers.push_back(buffers_.at(b));
    return outcome(modules_.at(l.module).at(l.kernel).run(l.groups, l.lanes, buffers,
                                                          {.seed = rng_.next(),
                                                           .burst = 1 + static_cast<uint32_t>(rng_.below(40)),
                                                           .resident = 64,
                                                           .cluster = l.cluster}));
  }

 private:
  Expected<void> run_moment() {
    if (moment_ == nullptr || moment_->parts.empty()) return {};
    Moment now = std::move(*moment_);
    *moment_ = {};
    const auto done = code::run_together(
        now.parts, {.seed = rng_.next(), .burst = 1 + static_cast<uint32_t>(rng_.below(40)), .resident = 64});
    for (size_t k = 0; k < done.size(); ++k) now.of[k]->ended_ = outcome(done[k]);
    return {};
  }

  static device::Outcome outcome(const code::Execution& done) {
    device::Outcome out;
    out.seconds = k_seconds_per_statement * static_cast<double>(done.statements);
    if (!done.fault.empty()) {
      out.status = device::Outcome::Status::lost;
      out.message = done.fault;
    }
    return out;
  }

  // Its time is counted, not measured: how often a round group launches must not depend on the machine.
  static constexpr double k_seconds_per_statement = 1e-7;
  static constexpr uint32_t k_good = 4;  // launches before the fault

  device::Info info_;
  Rng rng_;
  std::string fault_;
  uint32_t launches_ = 0;
  std::vector<std::map<std::string, code::Executable>> modules_;
  std::vector<std::string> texts_;
  std::vector<std::unique_ptr<code::Words>> own_;
  std::vector<code::Words*> buffers_;
  std::shared_ptr<Moment> moment_;
  std::optional<device::Outcome> ended_;
};

}  // namespace

bool is_reference(std::string_view id) {
  while (id.starts_with(k_reference)) {
    id.remove_prefix(k_reference.size());
    if (id.empty()) return true;
    if (id.front() != '+') return false;
    id.remove_prefix(1);
  }
  return false;
}

std::unique_ptr<device::Backend> open_reference(uint64_t seed) { return std::make_unique<Reference>(seed, ""); }

Expected<std::unique_ptr<device::Backend>> open_device(const std::string& id, uint64_t seed) {
  if (id == "reference") return open_reference(seed);
  if (id == "reference:hang") return std::make_unique<Reference>(seed, "hang");
  if (id == "reference:die") return std::make_unique<Reference>(seed, "die");
  // "reference+reference": so many devices of one moment.
  std::vector<std::unique_ptr<device::Backend>> members;
  const auto moment = std::make_shared<Reference::Moment>();
  for (size_t at = 0; id.compare(at, k_reference.size(), k_reference) == 0; ++at) {
    members.push_back(std::make_unique<Reference>(seed, "", moment));
    at += k_reference.size();
    if (at == id.size()) {
      const size_t n = members.size();
      auto made = device::Several::make(id, std::move(members),
                                        std::vector(n, std::vector<device::Reach>(n + 1, device::Reach::atomic)), {});
      if (!made) return std::unexpected(made.error());
      return std::unique_ptr<device::Backend>(std::move(*made));
    }
    if (id[at] != '+') break;
  }
  return device::open(id);
}

}  // namespace fencepost::campaign

#pragma once
// The launches of a Program on several devices at once (plan.h and device/several.h say how): modules and buffers of
// each place, the parameters of each launch, and the three phases. For runner.cpp alone.
//
// Every place that has threads is launched with its own machine code, and the gate reads each: the run is as written
// only where all of them are, and the reason of the first that is not is told with its place. Where the host is a
// place, the kernel of each place has the test's instructions of its own threads alone, since the others' are of
// another machine.
#include <map>
#include <vector>

#include "campaign/runner.h"
#include "code/kernel.h"
#include "device/several.h"
#include "plan/plan.h"

namespace fencepost::campaign {

std::vector<std::vector<plan::Access>> access_of(const device::Several& several);

class Together {
 public:
  // Loads the kernels; completes `setup` (what ran) and `target` (workgroups that fit on every device).
  static Expected<Together> make(const plan::Program& program, device::Several& several, Setup& setup,
                                 plan::Target& target);
  Together(Together&& other) noexcept;
  Together& operator=(Together&&) = delete;
  ~Together();

  Expected<void> reserve(const plan::Configuration& c, std::span<const uint32_t> interest);
  // One launch of each phase; the seconds of the slowest `test`. An error names the device that was lost.
  Expected<double> launch(const plan::Configuration& c, double limit, const plan::Target& target, uint32_t stale);
  device::BufferId main(plan::BufferUse use) const;  // counts, series
  std::vector<device::BufferId> syncs() const;       // of each place that has threads

 private:
  struct Key {
    plan::BufferUse use = plan::BufferUse::memory;
    uint32_t where = 0;  // place, or home of memory
    auto operator<=>(const Key&) const = default;
  };
  struct Held {
    device::BufferId id = 0;
    uint64_t words = 0;
  };
  Together(const plan::Program& program, device::Several& several) : program_(&program), several_(&several) {}
  Expected<void> load(uint32_t place, Setup& setup);
  Expected<bool> hold(const Key& key, uint64_t words) { return hold(key, words, key.where); }
  Expected<bool> hold(const Key& key, uint64_t words, uint32_t home);  // true: it is new
  device::BufferId at(plan::BufferUse use, uint32_t where) const { return buffers_.at({use, where}).id; }
  code::Kernel kernel_of(plan::Phase phase, uint32_t place) const;
  uint32_t meeting() const { return several_->places(); }  // home of what devices and host share
  device::Several::Part part(plan::Phase phase, uint32_t place, const plan::Configuration& c) const;
  Expected<double> run(std::span<const device::Several::Part> parts, double limit);

  const plan::Program* program_;
  device::Several* several_;
  std::map<uint32_t, std::array<device::ModuleId, 3>> modules_;  // by place
  std::map<Key, Held> buffers_;
};

}  // namespace fencepost::campaign

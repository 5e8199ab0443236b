#pragma once
// One launch of a plan on the sequential executor, in clusters of the plan's size or of another.
#include <algorithm>
#include <string>

#include "code/execute.h"
#include "plan/plan.h"

namespace fencepost::plan {

struct Ran {
  std::string fault;
  std::vector<uint64_t> counts;
  uint32_t timeouts = 0, waits = 0, done = 0;
  code::Words series;
  uint64_t total() const {
    uint64_t sum = 0;
    for (const uint64_t c : counts) sum += c;
    return sum;
  }
};

inline Ran run_on_executor(const Program& p, const Configuration& c, const code::ExecuteOptions& options,
                           const std::vector<uint32_t>& interest = {}, uint32_t cluster = 0) {
  Ran out;
  std::array<code::Words, k_buffer_uses> buffers;
  for (size_t b = 0; b < k_buffer_uses; ++b) buffers[b].assign(c.sizes[b], 0xdeadbeef);
  buffers[static_cast<size_t>(BufferUse::parameters)] = c.words;
  auto& wanted = buffers[static_cast<size_t>(BufferUse::interest)];
  std::fill(wanted.begin(), wanted.end(), 0);
  for (const uint32_t s : interest) wanted[s] = 1;
  for (const Phase phase : {Phase::initialise, Phase::test, Phase::classify}) {
    const auto i = static_cast<size_t>(phase);
    std::vector<code::Words*> arguments;
    for (const BufferUse u : p.uses[i]) arguments.push_back(&buffers[static_cast<size_t>(u)]);
    code::ExecuteOptions how = options;
    how.cluster = phase != Phase::test ? 1 : cluster != 0 ? cluster : c.cluster;
    const auto done = code::Executable(p.kernels[i]).run(c.groups, c.lanes, arguments, how);
    if (!done.fault.empty()) {
      out.fault = done.fault;
      return out;
    }
  }
  const auto& counts = buffers[static_cast<size_t>(BufferUse::counts)];
  out.counts.assign(counts.begin(), counts.end());
  const auto& sync = buffers[static_cast<size_t>(BufferUse::sync)];
  out.timeouts = sync[k_sync_timeouts * k_sync_stride];
  out.waits = sync[k_sync_waits * k_sync_stride];
  out.done = sync[k_sync_done * k_sync_stride];
  out.series = buffers[static_cast<size_t>(BufferUse::series)];
  return out;
}

}  // namespace fencepost::plan

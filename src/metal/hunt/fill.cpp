#include "hunt/fill.h"

#include <fmt/format.h>

#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <thread>

namespace fencepost::hunt {

Expected<bool> fill_store(Ledger& ledger, const Filling& filling, const Job& job, const Told& told,
                          const std::function<Expected<std::optional<Batch>>(size_t, uint64_t)>& make) {
  struct Piece {
    size_t configuration;
    uint64_t batch;
  };
  std::vector<Piece> todo;
  for (uint64_t b = 0; b < (filling.tests + filling.batch - 1) / filling.batch; ++b)
    for (size_t c = 0; c < filling.configurations.size(); ++c) {
      const auto there = ledger.has(filling.configurations[c], b);
      if (!there) return std::unexpected(there.error());
      if (!*there) todo.push_back({c, b});
    }
  std::atomic<size_t> next = 0, done = 0;
  std::mutex mutex;
  std::shared_mutex quiet;  // held whole by a batch that is made alone
  const auto together = [&](const Piece& p) {
    const std::shared_lock lock(quiet);
    return make(p.configuration, p.batch * filling.batch);
  };
  const auto alone = [&](const Piece& p) {
    const std::unique_lock lock(quiet);
    return make(p.configuration, p.batch * filling.batch);
  };
  std::optional<Diagnostics> trouble;
  bool late = false;
  const auto work = [&] {
    for (size_t n = next++; n < todo.size(); n = next++) {
      if (job.out_of_time()) {
        const std::lock_guard lock(mutex);
        late = true;
        return;
      }
      const Piece& p = todo[n];
      auto b = together(p);
      if (b && *b && (*b)->timed_out) b = alone(p);
      const std::lock_guard lock(mutex);
      if (trouble) return;
      if (!b) {
        trouble = b.error();
        next = todo.size();
        return;
      }
      if (!*b) {
        late = true;
        return;
      }
      if (const auto ok = ledger.add(filling.configurations[p.configuration], p.batch, **b); !ok) {
        trouble = ok.error();
        return;
      }
      told(++done, todo.size());
    }
  };
  std::vector<std::jthread> pool;
  for (uint32_t t = 1; t < filling.threads; ++t) pool.emplace_back(work);
  work();
  pool.clear();
  if (trouble) return std::unexpected(*trouble);
  return !late;
}

Diagnostics hopeless(const std::string& configuration, const std::string& message) {
  return error_at({}, fmt::format("{} compiles nothing: {}", configuration, message),
                  "leave it out, or mend its path, target or headers")
      .error();
}

}  // namespace fencepost::hunt

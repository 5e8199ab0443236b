#pragma once
// Passed down to everything that may take long: time budget, cancellation, seed. No globals.
#include <atomic>
#include <chrono>
#include <cstdint>

namespace fencepost {

struct Job {
  using Clock = std::chrono::steady_clock;
  Clock::time_point deadline = Clock::time_point::max();
  const std::atomic<bool>* cancelled = nullptr;
  uint64_t seed = 1;

  static Job with_budget(double seconds);  // <= 0 or infinite: no deadline
  bool out_of_time() const {
    return (cancelled != nullptr && cancelled->load(std::memory_order_relaxed)) ||
           (deadline != Clock::time_point::max() && Clock::now() >= deadline);
  }
};

// Deterministic generator (splitmix64-seeded xoshiro256**); same seed, same stream on every platform.
class Rng {
 public:
  explicit Rng(uint64_t seed);
  uint64_t next();
  uint64_t below(uint64_t n);       // uniform in [0, n), n > 0
  bool chance(double probability);  // true with this probability
  template <class Range>
  auto& pick(Range& r) {
    return r[below(r.size())];
  }

 private:
  uint64_t s_[4];
};

}  // namespace fencepost

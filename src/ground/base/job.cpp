#include "base/job.h"

#include <cmath>

#include "base/diagnostic.h"

namespace fencepost {

Job Job::with_budget(double seconds) {
  Job job;
  // Above a century the sum would leave the clock's range; no budget means that much.
  constexpr double k_unlimited = 100.0 * 365 * 86400;
  if (seconds > 0 && seconds < k_unlimited)
    job.deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  return job;
}

// xoshiro256** 1.0 (Blackman and Vigna, 2018), seeded by splitmix64 as its authors recommend.
Rng::Rng(uint64_t seed) {
  for (uint64_t& s : s_) {
    seed += 0x9e3779b97f4a7c15u;
    uint64_t z = seed;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    s = z ^ (z >> 31);
  }
}

uint64_t Rng::next() {
  const auto rotl = [](uint64_t x, int k) { return (x << k) | (x >> (64 - k)); };
  const uint64_t result = rotl(s_[1] * 5, 7) * 9;
  const uint64_t t = s_[1] << 17;
  s_[2] ^= s_[0];
  s_[3] ^= s_[1];
  s_[1] ^= s_[2];
  s_[0] ^= s_[3];
  s_[2] ^= t;
  s_[3] = rotl(s_[3], 45);
  return result;
}

uint64_t Rng::below(uint64_t n) {
  FENCEPOST_INVARIANT(n > 0, "a random number below zero was asked for");
  // Lemire's method: the rejected part makes every result equally likely.
  unsigned __int128 product = static_cast<unsigned __int128>(next()) * n;
  if (static_cast<uint64_t>(product) < n) {
    const uint64_t threshold = (0 - n) % n;
    while (static_cast<uint64_t>(product) < threshold) product = static_cast<unsigned __int128>(next()) * n;
  }
  return static_cast<uint64_t>(product >> 64);
}

bool Rng::chance(double probability) { return static_cast<double>(next() >> 11) * 0x1.0p-53 < probability; }

}  // namespace fencepost

#include "stats/reproduce.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/diagnostic.h"

namespace fencepost::stats {
namespace {
void check(double r) { FENCEPOST_INVARIANT(r >= 0 && r < 1, "a reproducibility lies between 0 and below 1"); }
constexpr double k_never = std::numeric_limits<double>::infinity();

double missed(double rate, double iterations) { return rate >= 1 ? 0.0 : std::exp(iterations * std::log1p(-rate)); }
}  // namespace

double reproducibility(double events) {
  FENCEPOST_INVARIANT(events >= 0, "events are counted from zero");
  return -std::expm1(-events);
}

double reproducibility(uint64_t events, uint64_t iterations) {
  FENCEPOST_INVARIANT(events <= iterations, "there are not more events than iterations");
  if (iterations == 0) return 0;
  const double n = static_cast<double>(iterations);
  return 1 - missed(static_cast<double>(events) / n, n);
}

uint64_t events_needed(double r) {
  check(r);
  return static_cast<uint64_t>(std::ceil(-std::log1p(-r)));
}

double iterations_needed(double rate, double r) {
  check(r);
  FENCEPOST_INVARIANT(rate >= 0 && rate <= 1, "a rate per iteration lies between 0 and 1");
  if (r == 0) return 0;
  if (rate == 0) return k_never;
  if (rate == 1) return 1;
  return std::ceil(std::log1p(-r) / std::log1p(-rate));
}

double target_rate(double r, double seconds) {
  FENCEPOST_INVARIANT(seconds > 0, "a budget is above zero seconds");
  return static_cast<double>(events_needed(r)) / seconds;
}

double seconds_needed(double rate_per_second, double r) {
  FENCEPOST_INVARIANT(rate_per_second >= 0, "a rate is not negative");
  const auto n = static_cast<double>(events_needed(r));
  if (n == 0) return 0;
  return rate_per_second == 0 ? k_never : n / rate_per_second;
}

double suite_reproducibility(double r, uint32_t tests) { return std::pow(r, tests); }

double per_test_reproducibility(double suite, uint32_t tests) {
  FENCEPOST_INVARIANT(tests > 0, "a suite has tests");
  return std::pow(suite, 1.0 / tests);
}

double false_negatives(std::span<const Seen> runs) {
  double sum = 0;
  for (const Seen& s : runs) {
    if (s.iterations <= 0) continue;
    FENCEPOST_INVARIANT(s.events <= s.iterations, "there are not more events than iterations");
    sum += s.count * missed(s.events / s.iterations, s.iterations);
  }
  return sum;
}

double iterations_for_absence(std::span<const double> rates_where_seen, double r) {
  double most = 0;
  bool seen = false;
  for (double rate : rates_where_seen) {
    if (rate <= 0) continue;
    seen = true;
    most = std::max(most, iterations_needed(rate, r));
  }
  return seen ? most : k_never;
}

double redundant_iterations(uint64_t events, uint64_t iterations, double r) {
  if (events == 0 || iterations == 0) return 0;
  const double n = static_cast<double>(iterations);
  return std::max(0.0, n - iterations_needed(static_cast<double>(events) / n, r));
}

}  // namespace fencepost::stats

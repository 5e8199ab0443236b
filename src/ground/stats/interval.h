#pragma once
// Confidence intervals of rates of rare events: `events` weak outcomes among `trials` instances (per instance,
// binomial), or among instances that took `exposure` seconds (per second, Poisson). Pure functions.
//
// Input: counts with events <= trials, exposure > 0, a confidence level in (0, 1). Output: an interval with
// lower <= estimate <= upper; no trials give [0, 1]. Units: a rate per instance is a fraction, a rate per second is
// 1/s. Laws: exact intervals (clopper_pearson, poisson) cover at least the level whatever the rate; Wilson's covers
// about the level on average; Wald's collapses to a point at 0 events and is here only because published tuning rules
// use it. Sources: Wilson 1927; Clopper and Pearson 1934; Garwood 1936; Hanley and Lippman-Hand 1983 (the rule of
// three).
#include <cstdint>

namespace fencepost::stats {

struct Interval {
  double lower = 0, upper = 1;
  bool operator==(const Interval&) const = default;
};

inline constexpr double k_level = 0.95;

double normal_quantile(double p);            // of N(0, 1)
double two_sided_z(double level = k_level);  // 1.96 at 95 %

Interval wilson(uint64_t events, uint64_t trials, double level = k_level);
Interval clopper_pearson(uint64_t events, uint64_t trials, double level = k_level);
Interval wald(uint64_t events, uint64_t trials, double level = k_level);     // clipped to [0, 1]
Interval poisson(uint64_t events, double exposure, double level = k_level);  // Garwood's, exact

// Counts that scatter more than independent trials would (var/mean = dispersion > 1) hold as much information as
// events/dispersion independent ones: the interval of that many, around the same rate. dispersion < 1 counts as 1.
Interval wilson_dispersed(uint64_t events, uint64_t trials, double dispersion, double level = k_level);
Interval poisson_dispersed(uint64_t events, double exposure, double dispersion, double level = k_level);

// What `never observed` says: the largest rate under which seeing nothing still has probability 1 - level. One-sided.
// 3/N at 95 %, nearly: 1 - 0.05^(1/N) per instance, 2.996/T per second.
double zero_event_bound(uint64_t trials, double level = k_level);
double zero_event_bound_per_second(double seconds, double level = k_level);

}  // namespace fencepost::stats

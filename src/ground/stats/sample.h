#pragma once
// Samples and series: moments, dispersion, two-sample Kolmogorov-Smirnov, stationarity, bootstrap over batches.
// Pure functions; random ones take a seed.
//
// The unit of sampling is a batch (a launch, or a group of rounds): instances of one batch are not independent, so
// spread is measured between batches. Sources: Kolmogorov 1933, Smirnov 1948; Hodges 1957 for the exact
// distribution of two samples; Efron 1979. Stationarity as OOPSLA 2020, section 5: inter-arrival counts of the first
// 20 % of a run against those of the last 10 %.
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "stats/interval.h"

namespace fencepost::stats {

double mean(std::span<const double> xs);            // 0 of an empty sample
double variance(std::span<const double> xs);        // unbiased; 0 below two values
double quantile(std::vector<double> xs, double p);  // linear between order statistics; xs not empty
double median(std::vector<double> xs);
double geometric_mean(std::span<const double> xs);  // of positive values; 1 of an empty sample

// var/mean of counts: 1 when Poisson. 0 when nothing was counted.
double index_of_dispersion(std::span<const double> counts);
// p-value of the hypothesis that the counts are Poisson with one rate, against more spread: (n-1) var/mean as
// chi-squared.
double dispersion_p_value(std::span<const double> counts);

struct KsResult {
  double statistic = 0;  // largest distance of the two empirical distributions
  double p_value = 1;    // that samples of one distribution lie so far apart or farther
  bool exact = false;    // counted, not approximated (no ties and sizes whose product is at most 10^6)
};
// An empty sample gives p = 1: nothing speaks against equality.
KsResult kolmogorov_smirnov(std::span<const double> a, std::span<const double> b);
double kolmogorov_tail(double x);  // P(K > x) of Kolmogorov's distribution: 0.05 at 1.3581

// Iterations between one weak outcome and the next, counted from the one before (the first from the beginning).
std::vector<double> inter_arrival_counts(std::span<const uint64_t> positions);
struct Stationarity {
  KsResult ks;
  size_t first = 0, last = 0;  // values compared
  bool enough = false;         // both sides have at least k_least_arrivals
};
inline constexpr size_t k_least_arrivals = 8;
// `series`: inter-arrival counts, or weak outcomes per round in parallel mode, in order of time.
Stationarity stationarity(std::span<const double> series, double first = 0.2, double last = 0.1);

struct Batch {
  double events = 0, trials = 0, seconds = 0;
};
// Interval of events per trial (per_second: per second) by resampling whole batches. Same seed, same interval.
Interval bootstrap_rate(std::span<const Batch> batches, bool per_second, uint64_t seed, uint32_t resamples = 2000,
                        double level = k_level);
// The same of any statistic of a sample.
Interval bootstrap(std::span<const double> xs, const std::function<double(std::span<const double>)>& statistic,
                   uint64_t seed, uint32_t resamples = 2000, double level = k_level);

}  // namespace fencepost::stats

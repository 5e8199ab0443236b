#include "stats/sample.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/job.h"

namespace fencepost::stats {
namespace {

using Values = std::vector<double>;

TEST(Sample, Moments) {
  const Values xs = {2, 4, 4, 4, 5, 5, 7, 9};
  EXPECT_EQ(mean(xs), 5);
  EXPECT_NEAR(variance(xs), 32.0 / 7, 1e-12);
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(quantile({0, 10}, 0.25), 2.5);
  EXPECT_NEAR(geometric_mean(Values{1, 100}), 10, 1e-12);
  EXPECT_EQ(index_of_dispersion(Values{}), 0);
  EXPECT_EQ(index_of_dispersion(Values{0, 0}), 0);
}

TEST(Sample, DispersionTellsClustersFromPoisson) {
  Rng rng(11);
  Values calm, bursts;
  for (int k = 0; k < 300; ++k) {
    double n = 0;
    for (int i = 0; i < 200; ++i) n += rng.chance(0.05);
    calm.push_back(n);
    bursts.push_back(rng.chance(0.5) ? 0 : 2 * n);
  }
  EXPECT_NEAR(index_of_dispersion(calm), 0.95, 0.2);
  EXPECT_GT(dispersion_p_value(calm), 0.01);
  EXPECT_GT(index_of_dispersion(bursts), 5);
  EXPECT_LT(dispersion_p_value(bursts), 1e-6);
}

TEST(KolmogorovSmirnov, LimitDistribution) {
  EXPECT_NEAR(kolmogorov_tail(1.3581), 0.05, 1e-4);
  EXPECT_NEAR(kolmogorov_tail(1.6276), 0.01, 1e-4);
  EXPECT_NEAR(kolmogorov_tail(1.18 - 1e-9), kolmogorov_tail(1.18), 1e-8);  // the two series meet
  EXPECT_EQ(kolmogorov_tail(0), 1);
}

TEST(KolmogorovSmirnov, ExactBySmallCounting) {
  const KsResult apart = kolmogorov_smirnov(Values{1, 2, 3}, Values{4, 5, 6});
  EXPECT_TRUE(apart.exact);
  EXPECT_EQ(apart.statistic, 1);
  EXPECT_NEAR(apart.p_value, 2.0 / 20, 1e-12);  // 2 of the C(6,3) orders
  EXPECT_NEAR(kolmogorov_smirnov(Values{1, 2}, Values{3, 4, 5}).p_value, 2.0 / 10, 1e-12);
  EXPECT_EQ(kolmogorov_smirnov(Values{1}, Values{2}).p_value, 1);
  EXPECT_EQ(kolmogorov_smirnov(Values{}, Values{2}).p_value, 1);
  EXPECT_FALSE(kolmogorov_smirnov(Values{1, 1}, Values{1}).exact);
}

// Every order of two samples of 4 and 3: the exact p-value against counting.
TEST(KolmogorovSmirnov, ExactAgainstAllOrders) {
  std::vector<int> side = {0, 0, 0, 1, 1, 1, 1};
  std::vector<double> distances;
  std::vector<KsResult> results;
  do {
    Values a, b;
    for (size_t k = 0; k < side.size(); ++k) (side[k] ? a : b).push_back(static_cast<double>(k));
    results.push_back(kolmogorov_smirnov(a, b));
    distances.push_back(results.back().statistic);
  } while (std::next_permutation(side.begin(), side.end()));
  ASSERT_EQ(results.size(), 35u);
  for (const KsResult& r : results) {
    const auto n =
        std::count_if(distances.begin(), distances.end(), [&](double d) { return d >= r.statistic - 1e-12; });
    EXPECT_NEAR(r.p_value, static_cast<double>(n) / 35, 1e-12);
  }
}

TEST(KolmogorovSmirnov, RejectsAtItsLevel) {
  Rng rng(5);
  uint32_t rejected = 0;
  const uint32_t runs = 400;
  for (uint32_t r = 0; r < runs; ++r) {
    Values a, b;
    for (int k = 0; k < 20; ++k)
      a.push_back(static_cast<double>(rng.next() >> 12)), b.push_back(static_cast<double>(rng.next() >> 12));
    rejected += kolmogorov_smirnov(a, b).p_value <= 0.05;
  }
  EXPECT_LE(rejected, 0.08 * runs);
  EXPECT_GE(rejected, 0.005 * runs);
}

TEST(Stationarity, SteadyAndDrifting) {
  const std::vector<uint64_t> at = {3, 10, 10, 25};
  EXPECT_EQ(inter_arrival_counts(at), (Values{3, 7, 0, 15}));
  Rng rng(1);
  std::vector<uint64_t> steady, drifting;
  for (uint64_t i = 0; i < 20'000; ++i) {
    if (rng.chance(0.02)) steady.push_back(i);
    if (rng.chance(0.005 + 0.05 * static_cast<double>(i) / 20'000)) drifting.push_back(i);
  }
  const Stationarity a = stationarity(inter_arrival_counts(steady)), b = stationarity(inter_arrival_counts(drifting));
  EXPECT_TRUE(a.enough && b.enough);
  EXPECT_GT(a.ks.p_value, 0.01);
  EXPECT_LT(b.ks.p_value, 0.01);
  EXPECT_FALSE(stationarity(Values{1, 2, 3}).enough);
}

TEST(Bootstrap, SeededAndCovering) {
  Rng rng(9);
  uint32_t covered = 0;
  const uint32_t runs = 60;
  for (uint32_t r = 0; r < runs; ++r) {
    std::vector<Batch> batches;
    for (int k = 0; k < 40; ++k) {
      const double rate = rng.chance(0.5) ? 0.02 : 0.06;  // batches differ: instances are not independent
      double n = 0;
      for (int i = 0; i < 100; ++i) n += rng.chance(rate);
      batches.push_back({n, 100, 0.5});
    }
    const Interval i = bootstrap_rate(batches, false, r, 200);
    covered += i.lower <= 0.04 && 0.04 <= i.upper;
    EXPECT_EQ(i, bootstrap_rate(batches, false, r, 200));
  }
  EXPECT_GE(covered, 0.85 * runs);
  const std::vector<Batch> one = {{10, 100, 2}};
  EXPECT_EQ(bootstrap_rate(one, true, 1, 50), (Interval{5, 5}));
  const Values xs = {1, 2, 3, 4};
  const Interval m = bootstrap(xs, [](std::span<const double> s) { return mean(s); }, 4, 300);
  EXPECT_LT(m.lower, 2.5);
  EXPECT_GT(m.upper, 2.5);
}

}  // namespace
}  // namespace fencepost::stats

#include "stats/interval.h"

#include <gtest/gtest.h>

#include "base/job.h"

namespace fencepost::stats {
namespace {

// Number of successes in n trials.
uint64_t draw(Rng& rng, uint32_t n, double p) {
  uint64_t k = 0;
  for (uint32_t i = 0; i < n; ++i) k += rng.chance(p) ? 1 : 0;
  return k;
}

TEST(Interval, KnownValues) {
  EXPECT_NEAR(two_sided_z(0.95), 1.959964, 1e-6);
  EXPECT_NEAR(wilson(5, 10).lower, 0.2366, 1e-4);
  EXPECT_NEAR(wilson(5, 10).upper, 0.7634, 1e-4);
  EXPECT_NEAR(wilson(0, 10).upper, 3.841459 / 13.841459, 1e-6);
  EXPECT_NEAR(clopper_pearson(0, 10).upper, 0.30850, 1e-5);
  EXPECT_NEAR(clopper_pearson(5, 10).lower, 0.18709, 1e-5);
  EXPECT_NEAR(clopper_pearson(5, 10).upper, 0.81291, 1e-5);
  EXPECT_NEAR(poisson(0, 1).upper, 3.68888, 1e-5);
  EXPECT_NEAR(poisson(10, 1).lower, 4.79539, 1e-5);
  EXPECT_NEAR(poisson(10, 1).upper, 18.39036, 1e-5);
  EXPECT_NEAR(poisson(10, 5).upper, 18.39036 / 5, 1e-5);
}

TEST(Interval, NothingSeen) {
  EXPECT_NEAR(zero_event_bound(1000), 3.0 / 1000, 1e-5);      // the rule of three
  EXPECT_NEAR(zero_event_bound(3'000'000'000), 1e-9, 2e-12);  // no cancellation at small rates
  EXPECT_NEAR(zero_event_bound_per_second(10), 0.29957, 1e-5);
  EXPECT_EQ(zero_event_bound(0), 1);
  EXPECT_EQ(wald(0, 1000), (Interval{0, 0}));  // why Wald is not to be trusted
  EXPECT_GT(wilson(0, 1000).upper, 0.003);
}

TEST(Interval, EndsHoldTheEstimate) {
  for (uint64_t n : {uint64_t{1}, uint64_t{7}, uint64_t{100}, uint64_t{1} << 40})
    for (uint64_t k : {uint64_t{0}, uint64_t{1}, n / 2, n - 1, n}) {
      const double p = static_cast<double>(k) / static_cast<double>(n);
      for (const Interval& i : {wilson(k, n), clopper_pearson(k, n), wald(k, n), wilson_dispersed(k, n, 3)}) {
        EXPECT_LE(i.lower, p) << k << "/" << n;
        EXPECT_GE(i.upper, p) << k << "/" << n;
        EXPECT_GE(i.lower, 0);
        EXPECT_LE(i.upper, 1);
      }
    }
}

TEST(Interval, ExactOnesCoverAtLeastTheLevel) {
  Rng rng(7);
  for (double p : {0.02, 0.3}) {
    uint32_t exact = 0, middle = 0, rate = 0, runs = 1500;
    for (uint32_t r = 0; r < runs; ++r) {
      const uint64_t k = draw(rng, 100, p);
      const Interval c = clopper_pearson(k, 100), w = wilson(k, 100), s = poisson(k, 100);
      exact += c.lower <= p && p <= c.upper;
      middle += w.lower <= p && p <= w.upper;
      rate += s.lower <= p && p <= s.upper;
    }
    EXPECT_GE(exact, 0.945 * runs);
    EXPECT_GE(middle, 0.92 * runs);
    EXPECT_GE(rate, 0.945 * runs);  // a binomial scatters less than a Poisson variable
  }
}

TEST(Interval, DispersionWidens) {
  EXPECT_EQ(wilson_dispersed(50, 1000, 1), wilson(50, 1000));
  EXPECT_EQ(wilson_dispersed(50, 1000, 0.2), wilson(50, 1000));
  const Interval narrow = wilson(50, 1000), wide = wilson_dispersed(50, 1000, 4);
  EXPECT_LT(wide.lower, narrow.lower);
  EXPECT_GT(wide.upper, narrow.upper);
  EXPECT_GT(poisson_dispersed(50, 10, 4).upper, poisson(50, 10).upper);
}

}  // namespace
}  // namespace fencepost::stats

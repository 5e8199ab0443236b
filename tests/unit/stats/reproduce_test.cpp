#include "stats/reproduce.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/job.h"

namespace fencepost::stats {
namespace {

TEST(Reproduce, PublishedFigures) {
  EXPECT_NEAR(reproducibility(3.0), 0.95, 0.0005);
  EXPECT_GT(reproducibility(12.0), 0.99999);
  EXPECT_LT(reproducibility(11.0), 0.99999);
  EXPECT_EQ(events_needed(0.95), 3u);
  EXPECT_EQ(events_needed(0.99999), 12u);
  EXPECT_EQ(target_rate(0.99999, 4), 3.0);
  EXPECT_EQ(target_rate(0.99999, 1.0 / 64), 768.0);
  EXPECT_EQ(seconds_needed(6, 0.99999), 2.0);
  EXPECT_NEAR(suite_reproducibility(0.95, 20), 0.3585, 1e-4);
  EXPECT_NEAR(suite_reproducibility(per_test_reproducibility(0.99, 20), 20), 0.99, 1e-12);
}

TEST(Reproduce, FiniteRunsComeNearTheLimit) {
  EXPECT_NEAR(reproducibility(3, 10'000), reproducibility(3.0), 3e-5);
  EXPECT_GT(reproducibility(3, 10'000), reproducibility(3.0));
  EXPECT_EQ(reproducibility(0, 10), 0);
  EXPECT_EQ(reproducibility(10, 10), 1);
  EXPECT_EQ(reproducibility(0, 0), 0);
}

TEST(Reproduce, NeededIterationsSuffice) {
  for (double rate : {1e-9, 1e-4, 0.3, 1.0})
    for (double r : {0.5, 0.95, 0.99999}) {
      const double n = iterations_needed(rate, r);
      if (rate < 1) {
        EXPECT_GE(1 - std::exp(n * std::log1p(-rate)), r - 1e-12);
        EXPECT_LT(1 - std::exp((n - 1) * std::log1p(-rate)), r + 1e-9);
      }
    }
  EXPECT_TRUE(std::isinf(iterations_needed(0, 0.95)));
  EXPECT_TRUE(std::isinf(seconds_needed(0, 0.95)));
}

TEST(Reproduce, FalseNegativesBySimulation) {
  const Seen runs[] = {{4, 1, 100}, {2, 3, 100}, {10, 0, 100}, {1, 100, 100}};
  // Never seen again stays never seen: 10 of 10 are missed; always seen is never missed.
  const double expected = 4 * std::pow(0.99, 100) + 2 * std::pow(0.97, 100) + 10;
  EXPECT_NEAR(false_negatives(runs), expected, 1e-9);
  Rng rng(3);
  uint32_t missed = 0;
  for (int r = 0; r < 400; ++r) {
    bool seen = false;
    for (int i = 0; i < 100; ++i) seen |= rng.chance(0.01);
    missed += seen ? 0 : 1;
  }
  EXPECT_NEAR(missed / 400.0, std::pow(0.99, 100), 0.06);
}

TEST(Reproduce, AbsenceAsksForTheRarestSighting) {
  const double rates[] = {0.1, 0, 0.001};
  EXPECT_EQ(iterations_for_absence(rates), iterations_needed(0.001, 0.95));
  EXPECT_TRUE(std::isinf(iterations_for_absence({})));
  EXPECT_EQ(redundant_iterations(0, 1000), 0);
  EXPECT_EQ(redundant_iterations(500, 1000), 1000 - 5);  // 0.5^5 = 3 %
}

}  // namespace
}  // namespace fencepost::stats

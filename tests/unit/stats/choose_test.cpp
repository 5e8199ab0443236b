// Correlation, peeking and portable parameters.
#include <gtest/gtest.h>

#include <cmath>

#include "base/job.h"
#include "stats/correlate.h"
#include "stats/peek.h"
#include "stats/portable.h"

namespace fencepost::stats {
namespace {

using Values = std::vector<double>;
using Order = std::vector<size_t>;

TEST(Correlate, Coefficients) {
  const Values x = {1, 2, 3, 4}, y = {2, 4, 6, 8.5}, z = {4, 3, 2, 1};
  EXPECT_NEAR(pearson(x, z), -1, 1e-12);
  EXPECT_NEAR(r_squared(x, y), 115.5625 / 115.9375, 1e-12);
  EXPECT_NEAR(spearman(x, y), 1, 1e-12);
  EXPECT_EQ(pearson(x, Values{5, 5, 5, 5}), 0);
  EXPECT_EQ(ranks(Values{10, 20, 10, 5}), (Values{2.5, 4, 2.5, 1}));
  EXPECT_NEAR(spearman(Values{1, 2, 3}, Values{1, 1, 2}), std::sqrt(3) / 2, 1e-12);
}

// The published cross-test R^2 of two devices and the published order of tests (OOPSLA 2020, tables 8 and 9).
// Tests: MP LB SB R S 2+2W.
Matrix symmetric(const Values& upper) {
  Matrix m(6, Values(6, 1));
  size_t k = 0;
  for (size_t a = 0; a < 6; ++a)
    for (size_t b = a + 1; b < 6; ++b) m[a][b] = m[b][a] = upper[k++];
  return m;
}

TEST(Correlate, PublishedPriorityOrders) {
  const Matrix vega = symmetric({.05, .09, 0, .01, .01, .01, .19, .61, .13, .03, .01, 0, .02, .12, .04});
  EXPECT_EQ(priority_order(vega), (Order{1, 4, 3, 5, 0, 2}));  // LB S R 2+2W MP SB
  EXPECT_NEAR(priority_sums(vega)[1], 0.99, 1e-9);
  EXPECT_NEAR(priority_sums(vega)[2], 0.14, 1e-9);
  const Matrix quadro =
      symmetric({.034, .126, .089, .041, .029, .029, .033, .787, .618, .149, .035, .021, .037, .027, .636});
  EXPECT_EQ(priority_order(quadro), (Order{4, 1, 5, 2, 3, 0}));  // S LB 2+2W SB R MP
  EXPECT_NEAR(priority_sums(quadro)[4], 1.536, 1e-9);
  const Matrix both[] = {vega, quadro};
  EXPECT_EQ(global_priority_order(both).front(), 1u);
  const Matrix m = r_squared_matrix({{1, 2, 3}, {2, 4, 6}, {3, 1, 2}});
  EXPECT_NEAR(m[0][1], 1, 1e-12);
  EXPECT_NEAR(m[0][2], 0.25, 1e-12);
}

TEST(Correlate, FalseDiscoveries) {
  const Values p = {0.01, 0.04, 0.03, 0.5};
  const Values adjusted = adjusted_p_values(p);
  EXPECT_NEAR(adjusted[0], 0.04, 1e-12);
  EXPECT_NEAR(adjusted[1], 0.16 / 3, 1e-12);
  EXPECT_NEAR(adjusted[2], 0.16 / 3, 1e-12);
  EXPECT_NEAR(adjusted[3], 0.5, 1e-12);
  EXPECT_EQ(benjamini_hochberg(p), (std::vector<bool>{true, false, false, false}));
  EXPECT_EQ(benjamini_hochberg(p, 0.06), (std::vector<bool>{true, true, true, false}));
  EXPECT_TRUE(benjamini_hochberg({}).empty());
  Rng rng(2);  // all hypotheses true: rarely anything is rejected
  uint32_t any = 0;
  for (int r = 0; r < 200; ++r) {
    Values null;
    for (int k = 0; k < 20; ++k) null.push_back(static_cast<double>(rng.next() >> 11) * 0x1.0p-53);
    for (bool b : benjamini_hochberg(null)) any += b;
  }
  EXPECT_LE(any, 30u);
}

TEST(Peek, PublishedRule) {
  PeekRule rule;
  rule.kind = PeekRule::Kind::wald;
  const Count best{100, 10'000};
  EXPECT_EQ(next_chunk(rule, {}, {}), 10'000u);  // the first configuration has no incumbent
  EXPECT_EQ(next_chunk(rule, best, {}), 1'000u);
  EXPECT_EQ(next_chunk(rule, best, {0, 9'500}), 500u);
  EXPECT_EQ(next_chunk(rule, best, {0, 10'000}), 0u);
  EXPECT_TRUE(drop(rule, best, {0, 1'000}));  // one barren chunk
  EXPECT_FALSE(drop(rule, best, {9, 1'000}));
  EXPECT_FALSE(drop(rule, {}, {0, 1'000}));
}

TEST(Peek, CorrectedRuleWaitsForExpectedEvents) {
  PeekRule rule;
  const Count rare{6, 10'000};
  EXPECT_EQ(next_chunk(rule, rare, {}), 10'000u);  // nothing to be learned earlier
  const Count best{100, 10'000};
  EXPECT_EQ(next_chunk(rule, best, {}), 1'200u);
  EXPECT_FALSE(drop(rule, best, {0, 1'000}));
  EXPECT_TRUE(drop(rule, best, {0, 1'200}));
  rule.samples = 1'000'000;
  EXPECT_EQ(next_chunk(rule, rare, {}), 20'000u);
}

// The corrected rule keeps the best of configurations as often as measuring all in full, in fewer samples.
TEST(Peek, SavesSamplesAndKeepsTheBest) {
  Rng rng(4);
  uint64_t full = 0, spent = 0;
  uint32_t found = 0;
  const uint32_t runs = 20;
  for (uint32_t r = 0; r < runs; ++r) {
    PeekRule rule;
    rule.samples = 2'000;
    Count best;
    uint32_t chosen = 0;
    for (uint32_t f = 0; f < 10; ++f) {
      const double rate = f == 6 ? 0.08 : 0.004 * f;
      Count c;
      while (const uint64_t n = next_chunk(rule, best, c)) {
        for (uint64_t i = 0; i < n; ++i) c.events += rng.chance(rate);
        c.trials += n;
        if (drop(rule, best, c)) break;
      }
      full += rule.samples;
      spent += c.trials;
      if (c.trials == rule.samples && (best.trials == 0 || c.rate() > best.rate())) best = c, chosen = f;
    }
    found += chosen == 6;
  }
  EXPECT_EQ(found, runs);
  EXPECT_LT(spent, full * 0.75);
}

TEST(Portable, MetricsDiffer) {
  // Two devices, two tests; configurations: 0 frequent for one test alone, 1 even, 2 everywhere but rare.
  const std::vector<Combination> c = {{0, 0, {1000, 20, 1}}, {0, 1, {0, 20, 1}}, {1, 0, {0, 20, 1}}, {1, 1, {1, 0, 2}}};
  EXPECT_EQ(portable(c, Metric::mfs, Domain::global).configuration, (std::vector<uint32_t>{0, 0, 0, 0}));
  EXPECT_EQ(portable(c, Metric::mlfs, Domain::global).configuration, (std::vector<uint32_t>{1, 1, 1, 1}));
  const Portable f = portable(c, Metric::mlfs_f, Domain::global);
  EXPECT_EQ(f.configuration, (std::vector<uint32_t>{2, 2, 2, 2}));
  EXPECT_EQ(f.weak, 4u);
  EXPECT_EQ(f.possible, 4u);
  EXPECT_EQ(portable(c, Metric::mfs, Domain::device).configuration, (std::vector<uint32_t>{0, 0, 1, 1}));
  EXPECT_EQ(portable(c, Metric::mlfs_f, Domain::test).configuration, (std::vector<uint32_t>{1, 2, 1, 2}));
  EXPECT_EQ(portable(c, Metric::mfs, Domain::combination).configuration, (std::vector<uint32_t>{0, 1, 1, 2}));
}

// OOPSLA 2020, 5.2: for one test on one GPU the highest rate is taken whatever the metric. MLFS ignores zeros, so
// that of ln 1 = 0 and an ignored zero the first came, and one combination of 26 lost the one outcome that it had.
TEST(Portable, OneCombinationTakesItsHighestCount) {
  std::vector<Combination> combinations;
  for (uint32_t k = 0; k < 26; ++k) combinations.push_back({k / 6, k % 6, {0, k == 25 ? 1.0 : 7.0, 0}});
  for (const Metric m : {Metric::mfs, Metric::mlfs, Metric::mlfs_f}) {
    const Portable p = portable(combinations, m, Domain::combination);
    EXPECT_EQ(p.possible, 26u);
    EXPECT_EQ(p.weak, 26u) << name(m);
  }
}

TEST(Portable, NarrowerDomainsAreNeverWorse) {
  Rng rng(8);
  for (int r = 0; r < 50; ++r) {
    std::vector<Combination> c;
    for (uint32_t d = 0; d < 3; ++d)
      for (uint32_t t = 0; t < 3; ++t) {
        Combination x{d, t, {}};
        for (int f = 0; f < 6; ++f) x.counts.push_back(rng.chance(0.5) ? 0 : static_cast<double>(1 + rng.below(100)));
        c.push_back(x);
      }
    const uint32_t global = portable(c, Metric::mlfs_f, Domain::global).weak;
    EXPECT_LE(global, portable(c, Metric::mlfs_f, Domain::device).weak);
    EXPECT_LE(global, portable(c, Metric::mlfs_f, Domain::test).weak);
    const Portable each = portable(c, Metric::mlfs_f, Domain::combination);
    EXPECT_EQ(each.weak, each.possible);
    EXPECT_LE(portable(c, Metric::mfs, Domain::global).weak, global);
  }
}

TEST(Portable, MergeByTarget) {
  EXPECT_EQ(merge_by_target({{5, 1, 9}, {0, 4, 3}}, 3), 2u);
  EXPECT_EQ(merge_by_target({{5, 1, 2}, {0, 1, 2}}, 3), 0u);
  EXPECT_EQ(merge_by_target({{1, 1}, {0, 1}}, 3), std::nullopt);
  EXPECT_EQ(merge_by_target({}, 3), std::nullopt);
}

}  // namespace
}  // namespace fencepost::stats

#include "base/job.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "base/verdict.h"

using namespace fencepost;

TEST(Job, BudgetsAndCancellation) {
  EXPECT_FALSE(Job{}.out_of_time());
  EXPECT_FALSE(Job::with_budget(0).out_of_time());
  EXPECT_FALSE(Job::with_budget(-1).out_of_time());
  EXPECT_FALSE(Job::with_budget(std::numeric_limits<double>::infinity()).out_of_time());
  EXPECT_FALSE(Job::with_budget(1e300).out_of_time());
  EXPECT_FALSE(Job::with_budget(1000).out_of_time());
  EXPECT_TRUE(Job::with_budget(1e-9).out_of_time());
  std::atomic<bool> stop = false;
  Job job;
  job.cancelled = &stop;
  EXPECT_FALSE(job.out_of_time());
  stop = true;
  EXPECT_TRUE(job.out_of_time());
}

TEST(Rng, SameSeedSameStream) {
  Rng a(42), b(42), c(43);
  bool differs = false;
  for (int i = 0; i < 100; ++i) {
    const uint64_t x = a.next();
    EXPECT_EQ(x, b.next());
    differs = differs || x != c.next();
  }
  EXPECT_TRUE(differs);
  // The stream is part of the interface: seeds are printed and replayed later, elsewhere.
  Rng fixed(0);
  EXPECT_EQ(fixed.next(), 0x99ec5f36cb75f2b4u);
}

TEST(Rng, BelowIsUniformAndChanceHonest) {
  Rng rng(5);
  std::map<uint64_t, int> seen;
  for (int i = 0; i < 60000; ++i) ++seen[rng.below(6)];
  ASSERT_EQ(seen.size(), 6u);
  for (const auto& [value, times] : seen) {
    EXPECT_LT(value, 6u);
    EXPECT_NEAR(times, 10000, 500);
  }
  for (int i = 0; i < 100; ++i) EXPECT_EQ(rng.below(1), 0u);
  int hits = 0;
  for (int i = 0; i < 10000; ++i) hits += rng.chance(0.25) ? 1 : 0;
  EXPECT_NEAR(hits, 2500, 200);
  EXPECT_FALSE(rng.chance(0));
  EXPECT_TRUE(rng.chance(1));
}

TEST(Verdict, OnlyHoldsExitsZero) {
  EXPECT_EQ(exit_code(Status::holds), 0);
  EXPECT_EQ(exit_code(Status::fails), 1);
  EXPECT_EQ(exit_code(Status::unknown), 3);
  EXPECT_EQ(exit_code(Status::unsupported), 3);
  EXPECT_EQ(exit_code(Status::gave_up), 3);
  EXPECT_STREQ(name(Status::gave_up), "gave_up");
}

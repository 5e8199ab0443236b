// The oracle against the slow one on random programs: published models, models that users wrote, wide states. The long
// form takes its number of programs from FENCEPOST_ORACLE_PROGRAMS.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "oracle/oracle.h"
#include "slow_oracle.h"

namespace fencepost::oracle {
namespace {

const char* const k_published[] = {"unfair", "hsa", "obe", "hsa+obe", "lobe", "fair"};
// Machines with variables of their own; lock-holder looks at instructions.
const char* const k_own[] = {"window", "lock-holder", "token", "patience"};

std::vector<fair::Model> published() {
  std::vector<fair::Model> models;
  for (const char* name : k_published) models.push_back(fair::load_model(name).value());
  return models;
}

std::vector<fair::Model> own() {
  std::vector<fair::Model> models;
  for (const char* name : k_own)
    models.push_back(
        fair::load_model(fmt::format("{}/examples/progress-models/{}.progress", FENCEPOST_SOURCE_DIR, name)).value());
  return models;
}

// Threads that exchange and spin on one bit: the livelocks, on which weak and strong fairness differ.
const slow::Shape k_livelocks = {3, 4, 4, 1, 2, 0.95, 0.6, 0.05};

struct Tally {
  uint64_t programs = 0, too_big = 0, starve = 0, weak_only = 0;
};

// Every verdict of `test`; lassos are asked for, and replayed inside, where the program is small.
void hold_against_slow(const axb::Test& test, Decider& decider, size_t max_states, Tally& tally, bool lassos) {
  const size_t published_models = std::size(k_published);
  const auto slow = slow::decide_published(test, max_states);
  if (!slow) {
    ++tally.too_big;
    return;
  }
  ++tally.programs;
  const auto verdicts = decider(test);
  ASSERT_TRUE(verdicts) << render(verdicts.error());
  ASSERT_TRUE(verdicts->has_value());
  const std::vector<Pair> fast((*verdicts)->begin(), (*verdicts)->end());
  for (size_t m = 0; m < decider.models().size(); ++m) {
    const fair::Model& model = decider.models()[m];
    const Pair expected = m < published_models ? (*slow)[m] : slow::decide(test, model, 100 * max_states).value();
    ASSERT_EQ(fast[m], expected) << model.name() << '\n' << axb::to_text(test);
    tally.starve += !expected.weak;
    tally.weak_only += !expected.weak && expected.strong;
    if (!lassos) continue;
    for (Fairness f : {Fairness::weak, Fairness::strong}) {
      Job job;
      const auto answer = decide(test, model, f, {}, job);
      ASSERT_TRUE(answer) << render(answer.error());
      ASSERT_EQ(answer->verdict.status == Status::holds, passes(expected, f)) << model.name() << '\n'
                                                                              << axb::to_text(test);
      ASSERT_EQ(answer->lasso.has_value(), !passes(expected, f));
    }
  }
}

uint64_t programs(uint64_t otherwise) {
  const char* n = std::getenv("FENCEPOST_ORACLE_PROGRAMS");
  return n == nullptr ? otherwise : std::strtoull(n, nullptr, 10);
}

TEST(Random, SmallProgramsAgreeWithTheSlowOracleAndEveryLassoReplays) {
  Rng rng(20211017);
  std::vector<fair::Model> models = published();
  for (fair::Model& m : own()) models.push_back(m);
  Decider decider(models);
  Tally tally;
  for (uint64_t k = 0; k < 300; ++k) {
    hold_against_slow(
        slow::random_test(rng, k % 2 == 0 ? slow::Shape{2, 3, 3, 2, 2} : slow::Shape{2, 3, 2, 1, 2, 0.95, 0.7, 0.05}),
        decider, 2'000, tally, true);
    if (HasFatalFailure()) return;
  }
  // The comparison means something only if both verdicts and both fairnesses differ often.
  EXPECT_GT(tally.programs, 250u);
  EXPECT_GT(tally.starve, 300u);
  EXPECT_GT(tally.weak_only, 50u);
}

TEST(Random, LargerProgramsAgreeWithTheSlowOracle) {
  Rng rng(7);
  std::vector<fair::Model> models = published();
  for (fair::Model& m : own()) models.push_back(m);
  Decider decider(models);
  Tally tally;
  const uint64_t wanted = programs(40);
  while (tally.programs < wanted) {
    const slow::Shape shape = rng.chance(0.5) ? slow::Shape{3, 5, 4, 3, 3} : k_livelocks;
    hold_against_slow(slow::random_test(rng, shape), decider, wanted > 100 ? 20'000 : 1'500, tally, false);
    if (HasFatalFailure()) return;
    ASSERT_LT(tally.too_big, 50 * (wanted + 10)) << "hardly any program is small enough";
  }
  EXPECT_GT(tally.weak_only, wanted / 10);
  fmt::print("{} programs, {} passed over as too big, {} starving verdicts, {} of them only weakly\n", tally.programs,
             tally.too_big, tally.starve, tally.weak_only);
}

// Compare-and-swaps, jumping where they exchanged and where not, in states of one word.
TEST(Random, CompareAndSwapsAgreeWithTheSlowOracle) {
  Rng rng(31);
  Decider decider(published());
  Tally tally;
  for (int k = 0; k < 60; ++k) {
    slow::Shape shape{2, 3, 3, 2, 3};
    shape.swaps = 0.6;
    hold_against_slow(slow::random_test(rng, shape), decider, 20'000, tally, k < 10);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(tally.starve, 20u);
}

// States of several words: a further thread that stores to 40 locations of its own.
TEST(Random, WideStatesAgreeWithTheSlowOracle) {
  Rng rng(99);
  Decider decider(published());
  Tally tally;
  for (int k = 0; k < 12; ++k) {
    slow::Shape shape{2, 2, 2, 1, 2};
    if (k % 2 == 1) shape.swaps = 0.6;
    axb::Test test = slow::random_test(rng, shape);
    axb::Thread last;
    for (uint32_t n = 0; n < 70; ++n) {
      last.code.push_back({static_cast<uint32_t>(test.locations.size()), 0, n + 1, true, 1, {}});
      test.locations.push_back({fmt::format("pad{}", n), 0});
    }
    test.threads.push_back(last);
    hold_against_slow(test, decider, 20'000, tally, k < 3);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(tally.programs, 8u);
  EXPECT_GT(tally.starve, 0u);
}

}  // namespace
}  // namespace fencepost::oracle

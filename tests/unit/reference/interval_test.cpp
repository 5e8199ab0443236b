// The interval evaluator against the concrete one, on random models and executions: equal bounds give the
// same answer, wider bounds never call something violated that a completion satisfies.
#include "reference/interval.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "explain_random.h"
#include "prog/test.h"

namespace fencepost::reference {
namespace {

TEST(Interval, EqualBoundsAgreeWithTheJudge) {
  uint32_t violated = 0;
  uint32_t raised = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    Rng rng(seed);
    cat::Model m = random_cases::model(rng, 25);
    m.axioms.erase(m.axioms.begin(), m.axioms.begin() + static_cast<long>(rng.below(8)));  // else all are violated
    IntervalEvaluator bounds(m);
    for (int k = 0; k < 4; ++k) {  // the same evaluator over several executions: nothing stale is left
      const Execution x = random_cases::execution(rng, 3 + static_cast<uint32_t>(rng.below(6)));
      const Evaluation ev = evaluate(m, x);
      bounds.start(x.events, x.base);
      const auto v = bounds.violated();
      ASSERT_EQ(v.has_value(), !ev.consistent()) << "seed " << seed;
      if (v) {
        EXPECT_NE(std::find(ev.violated.begin(), ev.violated.end(), *v), ev.violated.end());
      }
      EXPECT_EQ(bounds.raised(), ev.raised) << "seed " << seed;
      EXPECT_EQ(bounds.may_flag(), !ev.raised.empty());
      violated += v.has_value();
      raised += !ev.raised.empty();
    }
  }
  EXPECT_GT(violated, 50u);
  EXPECT_LT(violated, 1150u);
  EXPECT_GT(raised, 50u);
}

TEST(Interval, BoundsNeverLoseACompletion) {
  uint32_t pruned = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    Rng rng(seed * 7919);
    const cat::Model m = random_cases::model(rng, 12);
    IntervalEvaluator bounds(m);
    const Execution x = random_cases::execution(rng, 5);
    bounds.start(x.events, x.base);
    const Evaluation ev = evaluate(m, x);
    // Loosen a few relations around x, tighten them again step by step: x stays inside all the time.
    for (int step = 0; step < 6; ++step) {
      for (const vocab::Base b : {vocab::Base::rf, vocab::Base::co}) {
        Relation lo = x.rel(b);
        Relation hi = x.rel(b);
        for (uint32_t i = 0; i < 5; ++i)
          for (uint32_t j = 0; j < 5; ++j) {
            if (rng.chance(0.5 - 0.1 * step)) lo.reset(i, j);
            if (rng.chance(0.5 - 0.1 * step)) hi.set(i, j);
          }
        bounds.set(b, lo, hi);
      }
      const auto v = bounds.violated();
      pruned += v.has_value();
      if (v) {
        EXPECT_NE(std::find(ev.violated.begin(), ev.violated.end(), *v), ev.violated.end()) << "seed " << seed;
      }
      for (uint32_t a : ev.raised) {
        const auto may = bounds.raised();
        EXPECT_NE(std::find(may.begin(), may.end(), a), may.end()) << "seed " << seed;
      }
    }
  }
  EXPECT_GT(pruned, 100u) << "the bounds decide nothing";
}

}  // namespace
}  // namespace fencepost::reference

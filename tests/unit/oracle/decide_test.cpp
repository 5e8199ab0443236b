#include <fmt/format.h>
#include <gtest/gtest.h>

#include "hand_made.h"
#include "oracle/lasso.h"
#include "oracle/oracle.h"

namespace fencepost::oracle {
namespace {

using namespace hand_made;

fair::Model shipped(const char* name) { return fair::load_model(name).value(); }

// "PF": passes weak... one letter each for weak and strong, per model: unfair hsa obe hsa+obe lobe fair.
std::string verdicts(const axb::Test& test) {
  std::string out;
  for (const char* name : {"unfair", "hsa", "obe", "hsa+obe", "lobe", "fair"}) {
    const Pair p = decide_both(test, shipped(name), {}).value().value();
    out += fmt::format("{}{}{}", out.empty() ? "" : " ", p.weak ? 'P' : 'F', p.strong ? 'P' : 'F');
  }
  return out;
}

TEST(Decide, WaitingForALaterThreadNeedsFair) {
  // Thread 1 need not start under anything but fair.
  EXPECT_EQ(verdicts(waits_for_later()), "FF FF FF FF FF PP");
}

TEST(Decide, WaitingForAnEarlierThreadNeedsHsaOrMore) {
  // Under obe thread 0 may never start; under lobe it is fair as soon as thread 1 starts.
  EXPECT_EQ(verdicts(waits_for_earlier()), "FF PP FF PP PP PP");
}

TEST(Decide, AMutexNeedsObe) {
  // hsa may leave thread 1 in its critical section; every started thread is fair under obe.
  EXPECT_EQ(verdicts(mutex()), "FF FF PP PP PP PP");
}

TEST(Decide, ALivelockNeedsStrongFairness) { EXPECT_EQ(verdicts(livelock()), "FF FP FP FP FP FP"); }

TEST(Decide, AProgramWithoutALoopEndsUnderEverything) {
  EXPECT_EQ(verdicts(test_of("straight", 1, {{store(0, 1, 0)}, {store(0, 2, 0), branch(0, 7, 2)}})),
            "PP PP PP PP PP PP");
}

TEST(Decide, AnEndlessLoopStarvesUnderEverything) {
  // Nobody ever leaves: x is 0 for ever.
  EXPECT_EQ(verdicts(test_of("loop", 1, {{branch(0, 0, 0)}})), "FF FF FF FF FF FF");
}

TEST(Decide, ThreadsWithoutCodeHaveEnded) {
  // Thread 0 has ended before it starts, so that hsa's lowest live thread is 1.
  EXPECT_EQ(verdicts(test_of("empty", 1, {{}, {store(0, 1, 0)}, {branch(0, 0, 0)}})), "FF PP FF PP PP PP");
  EXPECT_EQ(verdicts(test_of("nothing", 1, {{}, {}})), "PP PP PP PP PP PP");
}

TEST(Decide, InitialValuesAndValuesThatNothingWritesAreRead) {
  axb::Test t = test_of("initial", 1, {{branch(0, 5, 0)}});
  EXPECT_EQ(verdicts(t), "PP PP PP PP PP PP");
  t.locations[0].init = 5;
  EXPECT_EQ(verdicts(t), "FF FF FF FF FF FF");
}

TEST(Decide, TheAnswerTellsTheLasso) {
  Job job;
  const Answer a = decide(waits_for_later(), shipped("obe"), Fairness::weak, {}, job).value();
  ASSERT_EQ(a.verdict.status, Status::fails);
  ASSERT_TRUE(a.lasso);
  EXPECT_TRUE(a.lasso->prefix.size() <= 1);
  EXPECT_EQ(a.lasso->cycle.size(), 1u);
  EXPECT_EQ(a.lasso->cycle[0].thread, 0u);
  EXPECT_EQ(a.lasso->starving, 3u);
  const Answer quiet = decide(waits_for_later(), shipped("obe"), Fairness::weak, {}, job, false).value();
  EXPECT_EQ(quiet.verdict.status, Status::fails);
  EXPECT_FALSE(quiet.lasso);
}

TEST(Decide, ALassoIsShort) {
  Job job;
  const axb::Test t = mutex();
  // Thread 1 takes the lock, then thread 0 spins: nothing shorter.
  const Answer a = decide(t, shipped("hsa"), Fairness::strong, {}, job).value();
  ASSERT_TRUE(a.lasso);
  EXPECT_EQ(a.lasso->prefix.size(), 1u);
  EXPECT_EQ(a.lasso->cycle.size(), 1u);
  EXPECT_EQ(a.lasso->fair, 1u);
  const std::string text = to_text(t, shipped("hsa"), Fairness::strong, *a.lasso);
  EXPECT_NE(text.find("for ever"), std::string::npos) << text;
  EXPECT_NE(text.find("again from step 2"), std::string::npos) << text;
  EXPECT_NE(text.find("thread 1 is outside F"), std::string::npos) << text;
  const draw::Graph g = to_graph(t, shipped("hsa"), Fairness::strong, *a.lasso);
  EXPECT_EQ(g.columns.size(), 2u);
  EXPECT_EQ(g.nodes.size(), 2u);
  EXPECT_EQ(g.edges.size(), 2u);
  EXPECT_NE(draw::to_svg(g).find("</svg>"), std::string::npos);
}

TEST(Decide, AStrongTourTakesEveryFairStep) {
  // F = {0}: the cycle has two states, thread 0 steps in both.
  const axb::Test t = test_of("toggle", 1, {{exch(0, 1, 0, 1), exch(0, 0, 1, 0)}, {branch(0, 0, 0)}});
  Job job;
  const Answer a = decide(t, shipped("fair"), Fairness::strong, {}, job).value();
  EXPECT_EQ(a.verdict.status, Status::fails);
  ASSERT_TRUE(a.lasso);
  EXPECT_GE(a.lasso->cycle.size(), 2u);
}

TEST(Decide, LimitsGiveUp) {
  Job job;
  Options few;
  few.max_states = 3;
  const Answer a = decide(mutex(), shipped("fair"), Fairness::weak, few, job).value();
  EXPECT_EQ(a.verdict.status, Status::gave_up);
  EXPECT_NE(a.verdict.detail.find("more than 3 states"), std::string::npos);
  EXPECT_FALSE(decide_both(mutex(), shipped("fair"), few).value().has_value());
}

TEST(Decide, TheBudgetIsKept) {
  std::atomic<bool> stop = true;
  Job job;
  job.cancelled = &stop;
  // Large enough that the clock is looked at: 6 threads of 6 stores to their own location.
  axb::Test t = test_of("big", 1, {});
  t.locations.clear();
  for (uint32_t k = 0; k < 6; ++k) {
    t.locations.push_back({fmt::format("l{}", k), 0});
    axb::Thread thread;
    for (uint32_t pc = 0; pc < 6; ++pc) thread.code.push_back(store(k, pc, pc));
    t.threads.push_back(thread);
  }
  const Answer a = decide(t, shipped("fair"), Fairness::weak, {}, job).value();
  EXPECT_EQ(a.verdict.status, Status::gave_up);
  job.cancelled = nullptr;
  EXPECT_EQ(decide(t, shipped("fair"), Fairness::weak, {}, job).value().verdict.status, Status::holds);
}

TEST(Decide, AModelThatDropsALiveThreadIsAnError) {
  const auto model = fair::parse_model(make_source("drops.progress",
                                                   "# Drops.\nmodel \"drops\"\nvar fair = live\n"
                                                   "on step(t, instr) {\n  fair = {}\n}\n"
                                                   "on terminate(t) {\n  fair = fair & live\n}\n"));
  ASSERT_TRUE(model) << render(model.error());
  Job job;
  const auto a = decide(mutex(), *model, Fairness::weak, {}, job);
  ASSERT_FALSE(a);
  EXPECT_NE(render(a.error()).find("drops.progress:5"), std::string::npos) << render(a.error());
  EXPECT_FALSE(decide_both(mutex(), *model, {}));
}

TEST(Decide, AClosedFormThatDropsALiveThreadIsAnErrorToo) {
  const auto model = fair::parse_model(
      make_source("odd.progress", "# Odd.\nmodel \"odd\"\nfair = { t in live | not (t in started) }\n"));
  ASSERT_TRUE(model) << render(model.error());
  ASSERT_TRUE(model->closed_form());
  EXPECT_FALSE(decide_both(mutex(), *model, {}));
  // Where no live thread ever steps there is nothing to complain about.
  EXPECT_TRUE(decide_both(test_of("nothing", 1, {{}, {}}), *model, {}));
}

TEST(Decide, OneDeciderServesTestsOfAllShapes) {
  Decider decider({shipped("obe"), shipped("fair")});
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ((**decider(mutex()))[0], (Pair{true, true}));
    EXPECT_EQ((**decider(waits_for_later()))[0], (Pair{false, false}));
    EXPECT_EQ((**decider(waits_for_later()))[1], (Pair{true, true}));
    EXPECT_EQ((**decider(test_of("loop", 1, {{branch(0, 0, 0)}})))[1], (Pair{false, false}));
    // Seven threads: beyond the tables of closed forms.
    axb::Test many = waits_for_later();
    for (int k = 0; k < 5; ++k) many.threads.push_back(many.threads[0]);
    EXPECT_EQ((**decider(many))[0], (Pair{false, false}));
    EXPECT_EQ((**decider(many))[1], (Pair{true, true}));
  }
}

TEST(Size, CountsStatesAndActionsOfTheProgram) {
  EXPECT_EQ(size_of(waits_for_later()), (Size{3, 3}));
  EXPECT_EQ(size_of(waits_for_earlier()), (Size{3, 3}));
  EXPECT_EQ(size_of(livelock()), (Size{8, 8}));
}

// The replay is worth something only if it refuses.
class ReplayDeathTest : public testing::Test {
 protected:
  void SetUp() override {
    Job job;
    test_ = mutex();
    lasso_ = *decide(test_, model_, Fairness::weak, {}, job).value().lasso;
  }
  void refuses(const char* why) {
    EXPECT_EXIT(replay(test_, model_, Fairness::weak, lasso_), testing::ExitedWithCode(4), why);
  }
  fair::Model model_ = shipped("hsa");
  axb::Test test_;
  Lasso lasso_;
};

TEST_F(ReplayDeathTest, AWrongRead) {
  lasso_.cycle[0].read ^= 1;
  refuses("reads what memory holds");
}
TEST_F(ReplayDeathTest, AWrongMemory) {
  lasso_.prefix[0].memory[0] ^= 1;
  refuses("leaves the memory");
}
TEST_F(ReplayDeathTest, AWrongFairSet) {
  lasso_.cycle[0].fair ^= 2;
  refuses("has the model's F");
}
TEST_F(ReplayDeathTest, AStepOfTheWrongThread) {
  lasso_.cycle[0].thread ^= 1;
  refuses("is at its thread's pc");
}
TEST_F(ReplayDeathTest, ACycleThatDoesNotClose) {
  lasso_.cycle = {lasso_.prefix[0]};
  lasso_.prefix.clear();
  refuses("the cycle closes");
}
TEST_F(ReplayDeathTest, ACycleWithoutAThreadOfF) {
  // Thread 0 takes the lock, thread 1 spins: closed, but thread 0 is in F.
  Event take, spin;
  take = {0, 0, 1, 0, false, 1, {1}};
  spin = {1, 0, 0, 1, false, 1, {1}};
  lasso_.prefix = {take};
  lasso_.cycle = {spin};
  refuses("every thread of F steps");
}

}  // namespace
}  // namespace fencepost::oracle

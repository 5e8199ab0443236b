// Loops that run a number of times which the code says: the bounds at which no execution is complete are passed over.
#include "check/first_bounds.h"
#include "enumerate_support.h"
#include "prog/test.h"

namespace fencepost::check {
namespace {

// P0 counts to `times` in a register and writes x in each round; P1 has the loop that is given.
prog::Test counted(uint32_t times, const std::string& second, const std::string& condition) {
  const std::string order = ", memory_order_relaxed, memory_scope_device); ";
  const std::string parameters = ", dev 0 (global atomic_int* x, global atomic_int* y) ";
  return parsed("OPENCL counted\n{ [x] = 0; [y] = 0; }\nP0@wg 0" + parameters +
                "{ int i = 0; while (i != " + std::to_string(times) + ") { i = i + 1; atomic_store_explicit(x, i" +
                order + "} }\nP1@wg 1" + parameters + "{ int r0 = 0; " + second + " }\n" + condition + "\n");
}

const std::string k_read = "r0 = atomic_load_explicit(x, memory_order_relaxed, memory_scope_device);";

prog::LoopBounds past(const prog::Test& t, uint32_t most) { return past_counted_loops(t, 1, most, Job()).bounds; }

TEST(CountedLoops, BoundsWithoutACompleteExecutionArePassedOver) {
  const std::string condition = "exists (1:r0=5)";
  EXPECT_EQ(past(counted(5, k_read, condition), 32).largest(), 8u);
  EXPECT_EQ(past(counted(5, k_read, condition), 6).largest(), 6u);
  EXPECT_EQ(past(counted(5, k_read, condition), 3).largest(), 3u);
  EXPECT_EQ(past(counted(1, k_read, condition), 32).largest(), 2u);
  EXPECT_EQ(past(counted(0, k_read, condition), 32), prog::LoopBounds(1));
}

// What memory says is no count; nor are rounds without an effect, which may be left out at any bound.
TEST(CountedLoops, OthersAreNot) {
  const std::string condition = "exists (1:r0=1)";
  for (const std::string& loop : {"while (r0 != 5) { " + k_read + " }", "while (1) { " + k_read + " }",
                                  k_read + " int j = 0; while (j != r0) { j = j + 1; }"}) {
    const prog::Test t = counted(0, loop, condition);
    EXPECT_EQ(past(t, 32), prog::LoopBounds(1)) << loop;
  }
}

// Of nested loops one is raised after the other, as the code says which is come to. Where memory says it, none is: an
// inner loop that no execution takes beyond its bound stays as it is.
TEST(CountedLoops, OneLoopAtATime) {
  const auto nest = [](const std::string& inner) {
    return counted(0,
                   "int k = 0; while (k != 3) { k = k + 1; " + k_read + " int j = 0; while (j != " + inner +
                       ") { j = j + 1; atomic_store_explicit(y, j, memory_order_relaxed, memory_scope_device); } }",
                   "exists (1:r0=1)");
  };
  EXPECT_EQ(past(nest("4"), 32).largest(), 8u);
  EXPECT_EQ(past(nest("1"), 32).largest(), 4u);
  EXPECT_EQ(past(nest("r0"), 32), prog::LoopBounds(1));
}

// Nothing is left to be left out where every thread ends; not so where one still waits, or is cut.
TEST(CountedLoops, WhereEveryThreadEnds) {
  const std::string condition = "exists (1:r0=1)";
  EXPECT_TRUE(past_counted_loops(counted(3, k_read, condition), 1, 32, Job()).all_end);
  EXPECT_FALSE(past_counted_loops(counted(3, k_read, condition), 1, 3, Job()).all_end);
  EXPECT_TRUE(past_counted_loops(counted(3, k_read, condition), 1, 3, Job()).none_ends);
  EXPECT_FALSE(past_counted_loops(counted(3, k_read, condition), 1, 4, Job()).none_ends);
  EXPECT_FALSE(past_counted_loops(counted(3, "while (r0 == 0) { " + k_read + " }", condition), 1, 32, Job()).all_end);
  EXPECT_FALSE(past_counted_loops(counted(3, "while (1) { " + k_read + " }", condition), 1, 32, Job()).all_end);
}

// The same answers, at the bounds that are passed over too, and from fewer questions.
TEST(CountedLoops, AnswersAreThoseOfTheOtherEngine) {
  for (const char* condition : {"exists (1:r0=3)", "~exists (1:r0=3)", "forall (x=3)", "exists (x=2)"})
    for (uint32_t bound = 1; bound <= 6; ++bound) {
      const prog::Test t = counted(3, k_read, condition);
      const cat::Model m = shipped("opencl", t.dialect);
      Options o;
      o.bound = bound;
      Job job;
      const Result below = check(t, m, o, job);
      o.engine = Engine::enumerate;
      const Result other = check(t, m, o, job);
      EXPECT_EQ(below.verdict.status, other.verdict.status) << condition << " bound " << bound;
      EXPECT_EQ(below.verdict.status == Status::unknown, bound < 4) << condition << " bound " << bound;
      if (bound == 2 || bound == 3) EXPECT_EQ(below.stats.queries, 1u) << condition << " bound " << bound;
    }
}

}  // namespace
}  // namespace fencepost::check

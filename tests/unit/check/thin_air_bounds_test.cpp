// Loops that end on values out of thin air, several in a row: what a bound decides from below is what it decides whole.
#include "enumerate_support.h"
#include "prog/test.h"

namespace fencepost::check {
namespace {

// P0 reads x until it is `rounds` and counts the numbers on its way; P1 writes 1 to `rounds` when it has read y, which
// P0 writes behind its loop.
prog::Test chain(uint32_t rounds, const std::string& condition) {
  const std::string n = std::to_string(rounds), order = ", memory_order_relaxed, memory_scope_device); ";
  const std::string parameters = ", dev 0 (global atomic_int* x, global atomic_int* y) ";
  std::string writes;
  for (uint32_t k = 1; k <= rounds; ++k) writes += "atomic_store_explicit(x, " + std::to_string(k) + order;
  return parsed("OPENCL chain\n{ [x] = 0; [y] = 0; }\nP0@wg 0" + parameters + "{ int n = 0; int r0 = 0; while (r0 != " +
                n + ") { r0 = atomic_load_explicit(x" + order + "if (r0 != 0) n = n + 1; } atomic_store_explicit(y, 1" +
                order + "}\nP1@wg 1" + parameters + "{ int r1 = 0; while (r1 == 0) { r1 = atomic_load_explicit(y" +
                order + "} " + writes + "}\n" + condition + "\n");
}

TEST(ThinAirBounds, EndsInARowAreSeenAtTheirBound) {
  for (uint32_t rounds = 1; rounds <= 3; ++rounds)
    for (const char* quantifier : {"exists", "~exists"}) {
      const prog::Test t = chain(rounds, std::string(quantifier) + " (0:n=" + std::to_string(rounds) + ")");
      const cat::Model m = shipped("opencl", t.dialect);
      for (uint32_t bound = 1; bound <= 5; ++bound)
        for (const Property property : {Property::condition, Property::races, Property::termination}) {
          Options o;
          o.property = property;
          o.bound = bound;
          Job job;
          const Result below = check(t, m, o, job);
          o.engine = Engine::solve;
          const Result whole = check(t, m, o, job);
          const std::string what = std::string(quantifier) + " " + std::to_string(rounds) + " rounds, bound " +
                                   std::to_string(bound) + ", " + name(property);
          // What is left open whole may be decided from below, and never otherwise than whole.
          if (whole.verdict.status != Status::unknown) EXPECT_EQ(below.verdict.status, whole.verdict.status) << what;
          if (property != Property::condition) continue;
          EXPECT_EQ(below.execution.has_value(), whole.execution.has_value()) << what;
          EXPECT_EQ(below.execution.has_value(), bound > rounds) << what;
        }
    }
}

// Under a model that forbids such values nothing more is asked: what is decided below is decided.
TEST(ThinAirBounds, NothingIsAskedAgainWhereTheModelForbidsThem) {
  const prog::Test t = chain(2, "exists (0:n=2)");
  const cat::Model m = shipped("sc", t.dialect);
  Options o;
  o.bound = 1;
  Job job;
  const uint64_t once = check(t, m, o, job).stats.queries;
  o.bound = 4;
  const Result r = check(t, m, o, job);
  EXPECT_FALSE(r.execution.has_value());
  EXPECT_EQ(r.stats.queries, once);
}

}  // namespace
}  // namespace fencepost::check

// What check() says that it did.
#include <gtest/gtest.h>

#include "cat/library.h"
#include "check/check.h"
#include "check/processor_time.h"
#include "prog/test.h"
#include "read/read.h"

namespace fencepost::check {
namespace {

struct Asked {
  Result result;
  double seconds = 0;  // of the processor
};

Asked ask(const std::string& text, const Options& o, double seconds = 60) {
  auto test = read::parse_one(make_source("test.litmus", text));
  auto model = cat::load_model("ptx-8", vocab::Dialect::ptx);
  EXPECT_TRUE(test && model);
  Job job = Job::with_budget(seconds);
  const double start = processor_seconds();
  Asked out{check(*test, *model, o, job)};
  out.seconds = processor_seconds() - start;
  return out;
}

// Threads that add one to each of two locations in turn: what is read is not known before the search.
std::string adders(int threads) {
  std::string head, first, second;
  for (int t = 0; t < threads; ++t) {
    const std::string bar = t == 0 ? " " : " | ", n = std::to_string(t);
    head += bar + "P" + n + "@cta " + n + ",gpu 0";
    first += bar + "atom.relaxed.gpu.add r0, " + (t % 2 == 0 ? "x" : "y") + ", 1";
    second += bar + "atom.relaxed.gpu.add r1, " + (t % 2 == 0 ? "y" : "x") + ", 1";
  }
  return "PTX adders\n{ x = 0; y = 0; }\n" + head + " ;\n" + first + " ;\n" + second +
         " ;\n~exists (x == " + std::to_string(threads - 1) + ")\n";
}

const std::string k_lock = R"(PTX lock
{ x = 0; lock = 0; }
 P0@cta 0,gpu 0                    | P1@cta 1,gpu 0                    ;
 LC00:                             | LC10:                             ;
 atom.acquire.gpu.cas r0, lock, 0, 1 | atom.acquire.gpu.cas r0, lock, 0, 1 ;
 bne r0, 0, LC00                   | bne r0, 0, LC10                   ;
 ld.weak r1, x                     | ld.weak r1, x                     ;
 add r2, r1, 1                     | add r2, r1, 1                     ;
 st.weak x, r2                     | st.weak x, r2                     ;
 st.release.gpu lock, 0            | st.release.gpu lock, 0            ;
~exists (P0:r1 = P1:r1)
)";

// Every property and engine: nothing that takes time is outside of the phases.
TEST(Statistics, PhasesSumUpToTheProcessorTime) {
  for (const Property p : {Property::condition, Property::races, Property::termination})
    for (const Engine e : {Engine::solve, Engine::enumerate, Engine::both, Engine::automatic})
      for (const bool automatic : {false, true}) {
        Options o;
        o.property = p;
        o.engine = e;
        o.auto_bound = automatic;
        o.bound = automatic ? 1 : 2;
        const Asked a = ask(k_lock, o, 1);  // some do not come to an end; the sum is right then too
        const Phases& s = a.result.stats.phases;
        EXPECT_NEAR(s.sum(), a.seconds, 0.02 * a.seconds + 1e-3) << name(p) << " " << name(e);
        EXPECT_GT(s.sum(), 0);
        const bool solves = e == Engine::solve || e == Engine::both;
        if (e == Engine::enumerate) EXPECT_EQ(s.sum(), s.other) << name(p);
        if (solves) EXPECT_GT(s.program, 0) << name(p);
        if (solves) EXPECT_GT(a.result.stats.queries, 0u);
        if (e == Engine::both && p != Property::termination) EXPECT_GT(a.result.stats.candidates, 0u);
      }
}

TEST(Statistics, WhatTheSolverDidIsTold) {
  Options o;
  o.engine = Engine::solve;
  const Asked few = ask(adders(4), o), many = ask(adders(7), o);
  for (const Asked* a : {&few, &many}) {
    EXPECT_EQ(a->result.verdict.status, Status::holds);
    EXPECT_TRUE(a->result.stats.effort_known);
  }
  EXPECT_GT(many.result.stats.effort.conflicts, few.result.stats.effort.conflicts);
  EXPECT_GT(many.result.stats.effort.decisions, few.result.stats.effort.decisions);
  EXPECT_GT(many.result.stats.effort.propagations, few.result.stats.effort.propagations);
  EXPECT_GT(many.result.stats.effort.propagations, many.result.stats.effort.conflicts);
}

TEST(Statistics, WorkIsAddedUp) {
  Statistics a, b;
  a.effort = {1, 2, 3};
  b.effort = {10, 20, 30};
  a.phases = {1, 2, 3, 4, 5, 6, 7};
  b.phases = {10, 20, 30, 40, 50, 60, 70};
  a.seconds = 1, b.seconds = 2, a.queries = 3, b.queries = 4;
  a.add(b);
  EXPECT_EQ(a.effort, (sat::Effort{11, 22, 33}));
  EXPECT_EQ(a.phases.sum(), 28 + 280);
  EXPECT_EQ(a.phases.other, 77);
  EXPECT_EQ(a.queries, 7u);
  EXPECT_TRUE(a.effort_known);
  a.add(std::optional<sat::Effort>{});
  b.add(a);
  EXPECT_FALSE(b.effort_known);
}

}  // namespace
}  // namespace fencepost::check

// Verdicts, states and witnesses of the enumerating engine.
#include <map>

#include "check/enumerate_replay.h"
#include "enumerate_support.h"
#include "prog/test.h"

namespace fencepost::check {
namespace {

const std::string k_two = "PTX t\n{ x=0; y=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n";

TEST(EnumerateVerdict, Quantifiers) {
  const auto verdict = [](const std::string& condition) {
    const prog::Test t = parsed(vulkan({{W("x", 1), R("r0", "y")}, {W("y", 1), R("r0", "x")}}, condition));
    return ask(t, model_text(k_sc, t.dialect));
  };
  EXPECT_EQ(verdict("exists (P0:r0 == 1 /\\ P1:r0 == 1)").verdict.status, Status::holds);
  EXPECT_EQ(verdict("exists (P0:r0 == 0 /\\ P1:r0 == 0)").verdict.status, Status::fails);
  EXPECT_EQ(verdict("~exists (P0:r0 == 0 /\\ P1:r0 == 0)").verdict.status, Status::holds);
  EXPECT_EQ(verdict("~exists (P0:r0 == 1)").verdict.status, Status::fails);
  EXPECT_EQ(verdict("forall (P0:r0 == 1 \\/ P1:r0 == 1)").verdict.status, Status::holds);
  EXPECT_EQ(verdict("forall (P0:r0 == 1)").verdict.status, Status::fails);
  EXPECT_EQ(verdict("").verdict.status, Status::holds);
  const Result filtered = verdict("filter (P0:r0 == 0) forall (P1:r0 == 1)");
  EXPECT_EQ(filtered.verdict.status, Status::holds);
  EXPECT_FALSE(filtered.verdict.vacuous);
  EXPECT_TRUE(verdict("filter (P0:r0 == 7) forall (P1:r0 == 1)").verdict.vacuous);
}

TEST(EnumerateVerdict, EveryVerdictWithAnExecutionCarriesIt) {
  const prog::Test t =
      parsed(vulkan({{W("x", 1), W("y", 1)}, {R("r0", "y"), R("r1", "x")}}, "exists (P1:r0 == 1 /\\ P1:r1 == 0)"));
  const cat::Model m = model_text(k_anything, t.dialect);
  const Result r = ask(t, m);
  ASSERT_EQ(r.verdict.status, Status::holds);
  ASSERT_TRUE(r.execution && r.choices);
  EXPECT_TRUE(r.reachable);
  const auto again = reference::run(t, *r.choices, {1});
  ASSERT_TRUE(again);
  EXPECT_TRUE(reference::satisfies_condition(t, again->execution));
  EXPECT_GE(r.stats.candidates, 1u);
}

TEST(EnumerateVerdict, ThinAirValuesAreFree) {
  const std::string copy = k_two + " ld.weak r0, x | ld.weak r0, y ;\n st.weak y, r0 | st.weak x, r0 ;\n";
  const prog::Test t = parsed(copy + "exists (P0:r0 == 42 /\\ P1:r0 == 42)\n");
  const cat::Model anything = model_text(k_anything, t.dialect);
  EXPECT_EQ(ask(t, anything).verdict.status, Status::holds);
  EXPECT_EQ(texts(all(t, anything)), (std::set<std::string>{"0:r0=?; 1:r0=?;", "0:r0=0; 1:r0=0;"}));
  EXPECT_EQ(ask(parsed(copy + "exists (P0:r0 == 42 /\\ P1:r0 == 41)\n"), anything).verdict.status, Status::fails);
  EXPECT_EQ(ask(t, shipped("ptx-7.5", t.dialect)).verdict.status, Status::fails) << "no thin air in PTX";
}

// Found by random models: values that nothing fixes may decide which barriers meet; each way they can meet is a case.
TEST(EnumerateVerdict, FreeValuesDecideWhichBarriersMeet) {
  const auto outcomes = [](const std::string& columns) {
    const prog::Test t = parsed("PTX t\n{ }\n" + columns);
    return texts(all(t, model_text(k_anything, t.dialect)));
  };
  // The compare-and-swap may read what it writes; the barriers meet only then.
  EXPECT_EQ(outcomes(" P0@cta 0,gpu 0 | P1@cta 0,gpu 0 | P2@cta 0,gpu 0 | P3@cta 0,gpu 0 ;\n"
                     " bar.cta.arrive 0, 1, 2 | bar.cta.arrive 0, 1, 2 | atom.relaxed.cta.cas r1, x, 0, 1 | "
                     "bar.cta.sync 0, 1, 4 ;\n"
                     " | | bar.cta.sync 0, r1, 4 | ;\nexists (2:r1 = 1)\n"),
            (std::set<std::string>{"2:r1=1;"}));
  // A quorum that is a circle of copies: one or two are met, any number below one as well.
  EXPECT_EQ(
      outcomes(" P0@cta 0,gpu 0 | P1@cta 0,gpu 0 | P2@cta 0,gpu 0 ;\n"
               " ld.relaxed.cta r0, x | ld.relaxed.cta r1, y | bar.cta.arrive 0, 1, 2 ;\n"
               " bar.cta.sync 0, 1, r0 | st.relaxed.cta x, r1 | ;\n st.relaxed.cta y, r0 | | ;\nexists (0:r0 = 2)\n"),
      (std::set<std::string>{"0:r0=0;", "0:r0=1;", "0:r0=2;", "0:r0=?;"}));
}

TEST(EnumerateVerdict, EquationsOnCyclesAreSolved) {
  const auto status = [](const std::string& code, const std::string& condition) {
    const prog::Test t = parsed(k_two + code + condition + "\n");
    return ask(t, model_text(k_anything, t.dialect)).verdict.status;
  };
  const std::string increments =
      " ld.weak r0, x | ld.weak r0, y ;\n add r1, r0, 1 | add r1, r0, 1 ;\n st.weak y, r1 | st.weak x, r1 ;\n";
  // x = y + 1, y = x + 1 has no solution in 64 bits.
  EXPECT_EQ(status(increments, "exists (P0:r0 > 1)"), Status::fails);
  EXPECT_EQ(status(increments, "exists (P0:r0 == 1 /\\ P1:r0 == 0)"), Status::holds);
  const std::string inverse =
      " ld.weak r0, x | ld.weak r0, y ;\n add r1, r0, 1 | sub r1, r0, 1 ;\n st.weak y, r1 | st.weak x, r1 ;\n";
  EXPECT_EQ(status(inverse, "exists (P0:r0 == 77 /\\ P1:r0 == 78)"), Status::holds);
  EXPECT_EQ(status(inverse, "exists (P0:r0 == 77 /\\ P1:r0 == 77)"), Status::fails);
  // r0 = 3 * r0 only for 0 (3 - 1 = 2 divides 2^64: also for 2^63).
  const std::string triple =
      " ld.weak r0, x | ld.weak r0, y ;\n mul r1, r0, 3 | add r1, r0, 0 ;\n st.weak y, r1 | st.weak x, r1 ;\n";
  EXPECT_EQ(status(triple, "exists (P0:r0 == 5)"), Status::fails);
  EXPECT_EQ(status(triple, "exists (P0:r0 < 0)"), Status::holds);
}

TEST(EnumerateVerdict, BranchesPinFreeValues) {
  // The store happens only if r0 is 5: on the cycle the value is 5, not free.
  const prog::Test t =
      parsed(k_two +
             " ld.weak r0, x | ld.weak r0, y ;\n bne r0, 5, LC00 | st.weak x, r0 ;\n st.weak y, r0 | ;\n LC00: | ;\n"
             "exists (P0:r0 == 5)\n");
  const cat::Model m = model_text(k_anything, t.dialect);
  EXPECT_EQ(ask(t, m).verdict.status, Status::holds);
  const prog::Test all_states =
      parsed(k_two +
             " ld.weak r0, x | ld.weak r0, y ;\n bne r0, 5, LC00 | st.weak x, r0 ;\n st.weak y, r0 | ;\n LC00: | ;\n"
             "locations [P0:r0; P1:r0;]\n");
  EXPECT_EQ(texts(all(all_states, m)), (std::set<std::string>{"0:r0=5; 1:r0=5;", "0:r0=0; 1:r0=0;"}));
}

TEST(EnumerateVerdict, FailedCompareExchangeStillWritesInPtx) {
  const std::string code =
      "PTX t\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n"
      " atom.relaxed.gpu.cas r0, x, 0, 1 | atom.relaxed.gpu.cas r0, x, 0, 2 ;\n";
  const prog::Test t = parsed(code + "exists (P0:r0 == 0 /\\ P1:r0 == 0)\n");
  const cat::Model m = shipped("ptx-7.5", t.dialect);
  EXPECT_EQ(ask(t, m).verdict.status, Status::fails) << "one of the two must fail";
  EXPECT_EQ(texts(all(parsed(code + "locations [P0:r0; P1:r0; x;]\n"), m)),
            (std::set<std::string>{"0:r0=0; 1:r0=1; x=1;", "0:r0=2; 1:r0=0; x=2;"}));
  const Result r = ask(t, model_text(k_anything, t.dialect));
  ASSERT_TRUE(r.execution);
  EXPECT_EQ(r.execution->execution.events.size(), 1u + 4u);
}

TEST(EnumerateVerdict, SpinLoopsAreExactCutLoopsAreUnknown) {
  const std::string spin =
      "PTX t\n{ f=0; x=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n st.weak x, 1 | LC00: ;\n st.release.gpu f, 1 |"
      " ld.acquire.gpu r0, f ;\n | beq r0, 0, LC00 ;\n | ld.weak r1, x ;\nforall (P1:r1 == 1)\n";
  const prog::Test t = parsed(spin);
  const cat::Model m = shipped("ptx-7.5", t.dialect);
  EXPECT_EQ(ask(t, m).verdict.status, Status::holds) << "r0 is not read after the loop";
  EXPECT_EQ(ask(t, m, Engine::enumerate, Property::condition, 3).verdict.status, Status::holds);

  // A loop that counts: what it does at three iterations needs bound 3.
  const std::string count = "PTX t\n{ x=0; }\n P0@cta 0,gpu 0 ;\n LC00: ;\n add r0, r0, 1 ;\n blt r0, 3, LC00 ;\n";
  const prog::Test c = parsed(count + "~exists (P0:r0 == 2)\n");
  EXPECT_EQ(ask(c, m, Engine::enumerate, Property::condition, 1).verdict.status, Status::unknown);
  EXPECT_EQ(ask(c, m, Engine::enumerate, Property::condition, 2).verdict.status, Status::unknown);
  EXPECT_EQ(ask(c, m, Engine::enumerate, Property::condition, 3).verdict.status, Status::holds);
  EXPECT_EQ(ask(parsed(count + "exists (P0:r0 == 3)\n"), m, Engine::enumerate, Property::condition, 3).verdict.status,
            Status::holds);
  EXPECT_NE(ask(c, m).verdict.detail.find("bound 1"), std::string::npos);
  const Outcomes o = all(c, m, 2);
  EXPECT_TRUE(o.bound_hit);
  EXPECT_FALSE(o.states.complete);
  EXPECT_EQ(o.status.status, Status::unknown);
}

// The second loop begins inside the first and ends behind it: the first contains it, and unrolling ends.
TEST(EnumerateVerdict, OverlappingLoopsUnrollToAnEnd) {
  const prog::Test t = parsed(
      "PTX t\n{ x=0; }\n P0@cta 0,gpu 0 ;\n LC00: ;\n atom.relaxed.gpu.add r0, x, 1 ;\n LC01: ;\n add r1, r1, 1 ;\n"
      " blt r0, 2, LC00 ;\n blt r1, 7, LC01 ;\n~exists (P0:r1 == 9)\n");
  Job job;
  for (uint32_t bound = 1; bound <= 4; ++bound) {
    const Paths p = walk(t, {.bound = bound}, job);
    EXPECT_TRUE(p.complete);
    EXPECT_LT(p.of_thread[0].size(), 200u);
    for (const Engine e : {Engine::enumerate, Engine::solve})
      EXPECT_EQ(ask(t, shipped("ptx-7.5", t.dialect), e, Property::condition, bound).verdict.status, Status::unknown)
          << bound;
  }
}

// Models that close co again keep their bounds: an order that is ruled out pair by pair stays ruled out.
TEST(EnumerateVerdict, ReclosedCoherenceStillPrunes) {
  const prog::Test t = parsed(
      "PTX t\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 | P2@cta 0,gpu 0 ;\n atom.relaxed.gpu.exch r0, x, 1 |"
      " atom.relaxed.gpu.exch r0, x, 2 | atom.relaxed.gpu.exch r0, x, 3 ;\n atom.relaxed.gpu.exch r1, x, 4 |"
      " atom.relaxed.gpu.exch r1, x, 5 | atom.relaxed.gpu.exch r1, x, 6 ;\n"
      "exists (P0:r0 == 0 /\\ P1:r0 == 0)\n");
  const cat::Model m = model_text(
      "let co = co+\nlet fr = rf^-1; co\nempty ((W * W) & loc & ext) \\ (co | co^-1) as total\n"
      "empty amo & (fr; co) as atomic\nacyclic (po & loc) | rf | fr | co as coherent",
      t.dialect);
  Options o;
  o.engine = Engine::enumerate;
  Job job = Job::with_budget(20);
  const Result r = check(t, m, o, job);
  EXPECT_EQ(r.verdict.status, Status::fails);
  EXPECT_LT(r.stats.candidates, 100u);
}

TEST(EnumerateVerdict, BothEnginesAnswerTogether) {
  const prog::Test t =
      parsed(vulkan({{W("x", 1), R("r0", "y")}, {W("y", 1), R("r0", "x")}}, "exists (P0:r0 == 0 /\\ P1:r0 == 0)"));
  const cat::Model m = model_text(k_sc, t.dialect);
  const Result r = ask(t, m, Engine::both);
  EXPECT_EQ(r.verdict.status, Status::fails);
  EXPECT_EQ(r.stats.decided_by, Engine::both);
  EXPECT_GT(r.stats.clauses, 0u);
  EXPECT_EQ(ask(t, m, Engine::automatic).stats.decided_by, Engine::solve);
  // One engine without an answer: the other's stands, and says so.
  Options o;
  o.engine = Engine::both;
  Job late = Job::with_budget(1e-9);
  const Result none = check(t, m, o, late);
  EXPECT_FALSE(none.verdict.status == Status::holds) << "no answer may look like one";
}

TEST(EnumerateVerdict, BlockedThreadsHaveNoFinalState) {
  const prog::Test t = parsed(
      "PTX t\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n bar.cta.sync 1 | bar.cta.sync 2 ;\n"
      " bar.cta.sync 2 | bar.cta.sync 1 ;\n~exists (x == 0)\n");
  const Result r = ask(t, shipped("ptx-7.5", t.dialect));
  EXPECT_EQ(r.verdict.status, Status::holds);
  EXPECT_TRUE(r.verdict.vacuous);
}

TEST(EnumerateVerdict, DynamicBarrierIds) {
  // P1 synchronises with P0 only if it reads 1.
  const std::string code =
      "PTX t\n{ x=0; y=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n st.weak x, 1 | ld.weak r0, y ;\n"
      " bar.cta.sync 1, 1 | bar.cta.sync 1, r0 ;\n st.weak y, 1 | ld.weak r1, x ;\n";
  const prog::Test t = parsed(code + "exists (P1:r0 == 0 /\\ P1:r1 == 0)\n");
  const cat::Model m = shipped("ptx-7.5", t.dialect);
  EXPECT_EQ(ask(t, m).verdict.status, Status::holds);
  EXPECT_EQ(
      ask(parsed("PTX t\n{ x=0; y=1; }" + code.substr(code.find("}") + 1) + "exists (P1:r1 == 0)\n"), m).verdict.status,
      Status::fails);
}

TEST(EnumerateVerdict, RacesCountOnUnfinishedExecutions) {
  // P1 hangs at its barrier, after racing.
  const std::string hang =
      "VULKAN t\n{ x=0; y=0; }\n P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 0, qf 0 ;\n st.sc0 x, 1 | st.sc0 x, 2 ;\n"
      " st.sc0 y, 1 | cbar.wg 0 ;\n | cbar.wg 0 ;\n cbar.wg 0 | ;\nexists (x == 3)\n";
  const prog::Test t = parsed(hang);
  const cat::Model m = shipped("vulkan", t.dialect);
  const Result r = ask(t, m, Engine::enumerate, Property::races);
  EXPECT_EQ(r.verdict.status, Status::fails);
  ASSERT_FALSE(r.flags.empty());
  ASSERT_TRUE(r.execution);
  EXPECT_FALSE(r.execution->execution.complete());
  const Outcomes o = all(t, m);
  EXPECT_TRUE(o.states.states.empty());
  EXPECT_EQ(o.flags.size(), 1u);
  const prog::Test clean = parsed(vulkan({{W("x", 1)}, {W("x", 2)}}, "exists (x == 3)"));
  EXPECT_EQ(ask(clean, m, Engine::enumerate, Property::races).verdict.status, Status::holds);
}

// P1 comes to the barrier twice and P0 once: no execution ends, so that no race says nothing of what stands behind.
TEST(EnumerateVerdict, NoRaceIsVacuousWhereNoExecutionEnds) {
  const auto with = [](const char* second) {
    return parsed(
        std::string("VULKAN t\n{ x=0; }\n P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 0, qf 0 ;\n st.atom.dv.sc0 x, 1 | "
                    "cbar.wg 0 ;\n cbar.wg 0 | ") +
        second + " ;\nexists (x == 3)\n");
  };
  const prog::Test hangs = with("cbar.wg 0"), ends = with("");
  const cat::Model m = shipped("vulkan", hangs.dialect);
  for (const Engine e : {Engine::enumerate, Engine::solve, Engine::both, Engine::automatic}) {
    const Result r = ask(hangs, m, e, Property::races);
    EXPECT_EQ(r.verdict.status, Status::holds) << name(e);
    EXPECT_TRUE(r.verdict.vacuous) << name(e);
    EXPECT_FALSE(ask(ends, m, e, Property::races).verdict.vacuous) << name(e);
  }
}

TEST(EnumerateVerdict, GivesUpWhenTimeIsOver) {
  const prog::Test t = parsed(vulkan({{W("x", 1)}, {W("x", 2)}, {R("r0", "x"), R("r1", "x")}}, "exists (P2:r0 == 7)"));
  Job job = Job::with_budget(1e-9);
  Options o;
  o.engine = Engine::enumerate;
  EXPECT_EQ(check(t, model_text(k_sc, t.dialect), o, job).verdict.status, Status::gave_up);
  EXPECT_FALSE(outcomes(t, model_text(k_sc, t.dialect), o, job).states.complete);
}

TEST(EnumerateVerdict, ForbiddenCandidatesMeetTheConditionAndViolateTheModel) {
  const prog::Test t =
      parsed(vulkan({{W("x", 1), W("y", 1)}, {R("r0", "y"), R("r1", "x")}}, "exists (P1:r0 == 1 /\\ P1:r1 == 0)"));
  const cat::Model m = model_text(k_sc, t.dialect);
  uint32_t seen = 0;
  Job job;
  forbidden_candidates(t, m, {}, job, [&](const reference::RunResult& r, const reference::Choices&) {
    ++seen;
    EXPECT_TRUE(reference::satisfies_condition(t, r.execution));
    EXPECT_FALSE(reference::evaluate(m, r.execution).consistent());
    return true;
  });
  EXPECT_EQ(seen, 1u);
}

// Pruning, value propagation and the order of choices lose nothing: every consistent execution that the plain
// enumeration finds is found, with the same state and flags, and nothing else.
TEST(EnumerateVerdict, PruningIsExact) {
  struct Case {
    std::string text, model;
  };
  const std::string mixed =
      "PTX t\n{ x=0; y=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 | P2@cta 0,gpu 0 ;\n"
      " st.relaxed.gpu x, 1 | ld.acquire.gpu r0, y | st.weak x, 2 ;\n fence.sc.cta | fence.sc.gpu | fence.sc.cta ;\n"
      " st.release.cta y, 1 | ld.weak r1, x | atom.acq_rel.gpu.add r0, y, 1 ;\n"
      "locations [P1:r0; P1:r1; P2:r0; x; y;]\n";
  const std::string sync =
      "VULKAN t\n{ x=0; y=0; }\n P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 0, qf 0 | P2@sg 0, wg 1, qf 0 ;\n"
      " st.av.dv.sc0 x, 1 | ld.atom.acq.dv.sc0.semsc0.semvis r0, y | rmw.atom.acq_rel.dv.sc0.semsc0.semav.semvis.add "
      "r0, y, 1 ;\n"
      " st.atom.rel.dv.sc0.semsc0.semav y, 1 | bne r0, 1, LC00 | st.sc0 x, 3 ;\n cbar.acq_rel.wg.semsc0 1 | "
      "ld.vis.dv.sc0 r1, x | ;\n"
      " ld.sc0 r1, x | cbar.acq_rel.wg.semsc0 1 | ;\n | LC00: | ;\nlocations [P0:r1; P1:r0; P1:r1; P2:r0; x; y;]\n";
  for (const Case& c :
       {Case{mixed, "ptx-6.0"}, Case{mixed, "ptx-7.5"}, Case{sync, "vulkan"}, Case{sync, "vulkan-nochains"}}) {
    const prog::Test t = parsed(c.text);
    const cat::Model m = shipped(c.model, t.dialect);
    for (const Goal::Stops stops : {Goal::Stops::all_end, Goal::Stops::some_stop}) {
      Goal goal;
      goal.stops = stops;
      goal.observe = prog::observables(t);
      std::map<std::pair<prog::State, std::vector<uint32_t>>, uint64_t> pruned, plain;
      Job job;
      Search search(t, m, job, 1);
      search.run(goal, [&](const Candidate& x) {
        ++pruned[{x.state, x.raised}];
        return true;
      });
      const uint64_t visited = search.candidates();
      goal.consistent = false;
      search.run(goal, [&](const Candidate& x) {
        const ReplayedExecution r = replay(t, m, goal, x, 1, true);
        if (r.evaluation.consistent()) ++plain[{x.state, r.evaluation.raised}];
        return true;
      });
      EXPECT_EQ(pruned, plain) << c.model;
      if (stops == Goal::Stops::some_stop && t.dialect == vocab::Dialect::ptx) continue;  // nothing stops there
      EXPECT_LT(visited, search.candidates() - visited) << "nothing was pruned";
      EXPECT_GT(pruned.size(), 3u);
    }
  }
}

}  // namespace
}  // namespace fencepost::check

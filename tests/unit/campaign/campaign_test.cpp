#include <fmt/format.h>
#include <gtest/gtest.h>

#include <thread>

#include "../../support/parsed.h"
#include "campaign/runner.h"
#include "campaign/session.h"
#include "campaign/wire.h"
#include "judge/judge.h"
#include "results/log.h"

using namespace fencepost;
using namespace fencepost::campaign;
using namespace fencepost::results;

namespace {

using support::parsed;

prog::Test sb() {
  return parsed(
      "PTX SB\n{ x = 0; y = 0; }\n P0@cta 0,gpu 0      | P1@cta 1,gpu 0      ;\n st.relaxed.gpu x, 1 | st.relaxed.gpu "
      "y, 1 ;\n"
      " ld.relaxed.gpu r0, y | ld.relaxed.gpu r1, x ;\nexists (P0:r0 = 0 /\\ P1:r1 = 0)\n");
}

prog::Test mp() {
  return parsed(
      "PTX MP\n{ x = 0; y = 0; }\n P0@cta 0,gpu 0      | P1@cta 1,gpu 0      ;\n st.relaxed.gpu x, 1 | ld.relaxed.gpu "
      "r0, y ;\n"
      " st.relaxed.gpu y, 1 | ld.relaxed.gpu r1, x ;\nexists (P1:r0 = 1 /\\ P1:r1 = 0)\n");
}

Options quick() {
  Options o;
  o.iterations = 1;
  o.group_seconds = 0;
  const auto ok = plan::set_parameters(
      o.parameters, "groups=3,lanes=8,rounds=20,stress-groups=0..2,stress-iterations=5,pre-stress-iterations=2");
  EXPECT_TRUE(ok.has_value());
  return o;
}

TEST(Runner, GroupsAreFunctionsOfSeedAndNumber) {
  const auto once = [&](const Options& o, uint64_t number) {
    const auto b = open_reference(5);
    auto r = Runner::make(sb(), o, *b);
    EXPECT_TRUE(r.has_value()) << render(r.error());
    auto g = r->run_group(number);
    EXPECT_TRUE(g.has_value());
    g->seconds = g->device_seconds = 0;
    return *g;
  };
  const Options o = quick();
  const RoundGroup third = once(o, 3);
  EXPECT_EQ(once(o, 3), third);
  EXPECT_NE(once(o, 4).parameters, third.parameters);
  // A run with the group's seed begins with it, and giving the parameters that were drawn changes nothing.
  Options again = o;
  again.seed = third.seed;
  for (const bool given : {false, true}) {
    if (given) {
      ASSERT_TRUE(plan::set_parameters(again.parameters, third.parameters).has_value());
    }
    RoundGroup first = once(again, 0);
    EXPECT_EQ(first.seed, third.seed);
    first.number = third.number;
    EXPECT_EQ(first, third) << given;
  }
}

// What is between the groups (here: somebody who is slow to take them) does not make a run by seconds shorter than it
// says: a store would call it unfinished.
TEST(Runner, SecondsAreThoseOfTheGroups) {
  Options o = quick();
  o.iterations = 0;
  o.seconds = 0.05;
  const auto b = open_reference(5);
  auto r = Runner::make(sb(), o, *b);
  ASSERT_TRUE(r.has_value());
  Job job;
  const auto totals = run_groups(*r, sb(), o, job, 0, [](const RoundGroup&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return true;
  });
  ASSERT_TRUE(totals.has_value());
  EXPECT_GE(totals->seconds, o.seconds);
}

TEST(Runner, CountsAddUpAndOnlyInterleavingsAreSeen) {
  Options o = quick();
  o.iterations = 5000;
  o.series_room = 4;
  const auto b = open_reference(9);
  for (const prog::Test& t : {sb(), mp()}) {
    auto r = Runner::make(t, o, *b);
    ASSERT_TRUE(r.has_value()) << render(r.error());
    Job job;
    uint64_t groups = 0;
    const auto totals = run_groups(*r, t, o, job, 0, [&](const RoundGroup& g) {
      uint64_t sum = g.corrupt + g.incomplete + g.filtered;
      for (const auto& [s, n] : g.states) sum += n;
      EXPECT_EQ(sum, g.instances);
      EXPECT_EQ(g.number, groups++);
      return true;
    });
    ASSERT_TRUE(totals.has_value());
    EXPECT_GE(totals->instances, 5000u);
    EXPECT_EQ(totals->corrupt, 0u);
    EXPECT_EQ(positive(t, r->setup().observables, totals->states), 0u);
    EXPECT_EQ(totals->states.size(), 3u);
    EXPECT_EQ(r->setup().placement, "D-cta:S-ker-Global");
  }
}

TEST(Runner, SeriesNameTheInstancesThatMeetTheCondition) {
  // The condition is an interleaving, so the executor sees it.
  const prog::Test t = parsed(
      "PTX T\n{ x = 0; }\n P0@cta 0,gpu 0      | P1@cta 1,gpu 0      ;\n st.relaxed.gpu x, 1 | ld.relaxed.gpu r0, x "
      ";\nexists (P1:r0 = 1)\n");
  Options o = quick();
  o.series_room = 5;
  const auto b = open_reference(1);
  auto r = Runner::make(t, o, *b);
  ASSERT_TRUE(r.has_value());
  const auto g = r->run_group(0);
  ASSERT_TRUE(g.has_value());
  const uint64_t weak = positive(t, r->setup().observables, g->states);
  ASSERT_GT(weak, 5u);
  EXPECT_EQ(g->series.size(), 5u);
  EXPECT_EQ(g->series_lost, weak - 5);
  for (const Event& e : g->series) {
    EXPECT_EQ(e.state[0].value, 1u);
    EXPECT_LT(e.round, g->rounds);
  }
}

// More states than a workgroup's memory counts, and more than the host would want to be sent one by one.
TEST(Runner, ManyStatesAreCounted) {
  std::string condition;
  for (int r = 0; r < 7; ++r) condition += fmt::format("{}P1:r{} = 0", r == 0 ? "" : " /\\ ", r);
  std::string text = "PTX M\n{ x = 0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n";
  for (int r = 0; r < 7; ++r)
    text += fmt::format(" {} | ld.relaxed.gpu r{}, x ;\n", r < 3 ? fmt::format("st.relaxed.gpu x, {}", r + 1) : "", r);
  const prog::Test t = parsed(text + "exists (" + condition + ")\n");  // 4^7 = 16384 states
  Options o = quick();
  o.series_room = 3;
  const auto b = open_reference(3);
  auto r = Runner::make(t, o, *b);
  ASSERT_TRUE(r.has_value()) << render(r.error());
  const auto g = r->run_group(0);
  ASSERT_TRUE(g.has_value()) << render(g.error());
  EXPECT_EQ(g->corrupt, 0u);
  EXPECT_EQ(fault_of(*g, o, 0), "");
  EXPECT_GT(g->states.size(), 2u);
  for (const auto& [s, n] : g->states)
    for (size_t i = 1; i < s.size(); ++i) EXPECT_GE(s[i].value, s[i - 1].value) << "reads of one location go forward";
}

TEST(Session, OneHungAndOneDeadDeviceCostOneTaskEach) {
  const Options o = quick();
  std::vector<Task> tasks;
  for (const char* device : {"reference", "reference:hang", "reference", "reference:die", "reference", "nothing:7"})
    tasks.push_back({sb(), device, o, 0});
  tasks[1].options.iterations = tasks[3].options.iterations = 1000000;
  for (Task& t : tasks) t.options.launch_limit = 0.2;
  std::vector<std::string> ends;
  Job job;
  const bool all = run_tasks(tasks, {.silence = 1}, job, [&](const Message& m) {
    if (const auto* f = std::get_if<Finished>(&m)) ends.push_back(std::to_string(f->task) + " finished");
    if (const auto* l = std::get_if<Lost>(&m)) ends.push_back(std::to_string(l->task) + " lost");
    if (const auto* r = std::get_if<Refused>(&m)) ends.push_back(std::to_string(r->task) + " refused");
    return true;
  });
  EXPECT_TRUE(all);
  EXPECT_EQ(ends,
            (std::vector<std::string>{"0 finished", "1 lost", "2 finished", "3 lost", "4 finished", "5 refused"}));
}

TEST(Session, AListenerMayStopIt) {
  Options o = quick();
  o.iterations = 0;
  o.seconds = 60;
  Job job;
  int groups = 0;
  EXPECT_FALSE(run_tasks({{sb(), "reference", o, 0}}, {}, job,
                         [&](const Message& m) { return !std::holds_alternative<Grouped>(m) || ++groups < 3; }));
  EXPECT_EQ(groups, 3);
}

TEST(Session, UnsupportedTestsNameTheFeature) {
  const prog::Test two = parsed(
      "PTX T\n{ x = 0; }\n P0@cta 0,gpu 0      | P1@cta 1,gpu 1      ;\n st.relaxed.gpu x, 1 | ld.relaxed.gpu r0, x "
      ";\nexists (P1:r0 = 1)\n");
  Job job;
  Diagnostics why;
  run_tasks({{two, "reference", quick(), 0}}, {}, job, [&](const Message& m) {
    if (const auto* r = std::get_if<Refused>(&m)) why = r->why;
    return true;
  });
  ASSERT_EQ(why.list.size(), 1u);
  EXPECT_EQ(why.list[0].fault, Fault::unsupported);
  EXPECT_NE(why.list[0].message.find("P0 and P1 are in two gpus"), std::string::npos);
}

TEST(Session, DevicesAreFoundInAChild) {
  const device::Found f = find_devices_apart(60);
  ASSERT_FALSE(f.devices.empty());
  EXPECT_EQ(f.devices[0].id, "cpu");
}

// A report without a device.
Report sample() {
  Report r;
  r.name = "sb.litmus";
  r.test = sb();
  r.setup.device.id = "gpu";
  r.setup.device.name = "Some, GPU";
  r.setup.placement = "D-cta:S-ker-Global";
  r.setup.observables = prog::observables(r.test);
  r.setup.evidence = Evidence::as_written;
  r.setup.what_ran.verdict = inspect::WhatRan::as_written;
  const auto state = [](uint64_t a, uint64_t b) { return prog::State{{false, a}, {false, b}}; };
  r.totals.states = {{state(0, 0), 7}, {state(0, 1), 1000}, {state(1, 1), 893}};
  r.totals.instances = 1900;
  r.totals.seconds = 0.5;
  r.allows = judge::Allows{"strict", {.states = {{state(0, 1), state(1, 0), state(1, 1)}, true}}};
  return r;
}

TEST(Log, IsThatOfLitmus7) {
  EXPECT_EQ(litmus_log(sample()),
            "Test SB Allowed\nHistogram (3 states)\n7       *>0:r0=0; 1:r1=0;\n1000    :>0:r0=0; 1:r1=1;\n893     "
            ":>0:r0=1; 1:r1=1;\nOk\n\n"
            "Witnesses\nPositive: 7, Negative: 1893\nCondition exists (0:r0=0 /\\ 1:r1=0) is validated\n"
            "Device=Some, "
            "GPU\nMode=parallel\nPlacement=D-cta:S-ker-Global\nSeed=1\nWhatRan=as-written\nTimeouts=0/"
            "0\nCorrupt=0\nIncomplete=0\n"
            "Model=strict\nForbiddenState=0:r0=0; 1:r1=0;\nObservation SB Sometimes 7 1893\nTime SB 0.50\n\n");
}

TEST(Log, ForbiddenStatesAreLoudAndOnlyCompleteSetsForbid) {
  Report r = sample();
  EXPECT_EQ(forbidden_states(r).size(), 1u);
  EXPECT_NE(text(r).find("FORBIDDEN: 0:r0=0; 1:r1=0; seen 7 times, and strict forbids it\n"), std::string::npos);
  EXPECT_NE(csv(r).find(
                "sb.litmus,\"Some, GPU\",0:r0=0; 1:r1=0;,7,1900,0.500000,1,strict,forbidden,as-written,as-written,1\n"),
            std::string::npos);
  EXPECT_NE(json(r).find("\"schema\": \"fencepost.run/1\""), std::string::npos);
  EXPECT_NE(json(r).find("\"allowed_not_seen\": [\n      \"0:r0=1; 1:r1=0;\"\n    ]"), std::string::npos);
  r.setup.evidence = Evidence::none;
  r.setup.what_ran.verdict = inspect::WhatRan::unverified;
  EXPECT_NE(text(r).find("no evidence against the device: the machine code could not be inspected"), std::string::npos);
  r.setup.what_ran.verdict = inspect::WhatRan::reordered;
  EXPECT_NE(text(r).find("the machine code is another program (reordered)"), std::string::npos);
  EXPECT_EQ(text(r).find("could not be inspected"), std::string::npos);
  r.allows->outcomes.states.complete = false;
  EXPECT_TRUE(forbidden_states(r).empty());
  EXPECT_EQ(allowed(r, {{false, 0}, {false, 1}}), judge::Allowed::yes);
  EXPECT_EQ(allowed(r, {{false, 0}, {false, 0}}), judge::Allowed::unknown);
  EXPECT_EQ(allowed(Report{}, {{false, 0}, {false, 0}}), judge::Allowed::unknown);
  EXPECT_NE(text(r).find("not all states known"), std::string::npos);
  // Nothing that ends is nothing that could be seen.
  r.allows = judge::Allows{"strict", {.states = {{}, true}}};
  EXPECT_NE(text(r).find("no state is allowed"), std::string::npos);
  EXPECT_EQ(text(r).find("all were observed"), std::string::npos);
  // A value that nothing fixes covers every value.
  r.allows = judge::Allows{"strict", {.states = {{{{true, 0}, {false, 0}}}, true}}};
  EXPECT_EQ(allowed(r, {{false, 5}, {false, 0}}), judge::Allowed::yes);
}

// The judge of `run` is that of `judge`: a race excuses, missing evidence suspects, what is undecided is not forbidden.
TEST(Log, StandingsAreThoseOfTheOneJudge) {
  Report r = sample();
  EXPECT_EQ(ruling(r).standing, judge::Standing::violated);
  r.setup.evidence = Evidence::none;
  EXPECT_EQ(ruling(r).standing, judge::Standing::suspected);
  r.setup.evidence = Evidence::language_level;
  r.allows->outcomes.flags = {"race"};
  EXPECT_EQ(ruling(r).standing, judge::Standing::consistent);
  EXPECT_TRUE(forbidden_states(r).empty());
  EXPECT_EQ(text(r).find("FORBIDDEN"), std::string::npos);
  EXPECT_NE(text(r).find("the test has race under strict, which then promises nothing"), std::string::npos);
  EXPECT_EQ(litmus_log(r).find("ForbiddenState"), std::string::npos);
  EXPECT_NE(csv(r).find(",undefined,"), std::string::npos);
  r.allows->outcomes.flags.clear();
  r.allows->outcomes.states.complete = false;
  EXPECT_EQ(ruling(r).standing, judge::Standing::undecided);
  r.allows->decided[{{false, 0}, {false, 0}}] = judge::Allowed::no;
  EXPECT_EQ(ruling(r).standing, judge::Standing::violated);
  r.allows->decided[{{false, 0}, {false, 0}}] = judge::Allowed::yes;
  EXPECT_EQ(ruling(r).standing, judge::Standing::consistent);
  r.totals.corrupt = 1;
  EXPECT_EQ(ruling(r).standing, judge::Standing::broken_run);
}

TEST(Wire, MessagesSurvive) {
  RoundGroup g;
  g.number = 3, g.seed = ~uint64_t{0}, g.parameters = "a=1", g.groups = 2, g.lanes = 3, g.rounds = 4, g.launches = 5,
  g.instances = 6;
  g.states[{{false, ~uint64_t{0}}}] = 7;
  g.corrupt = 8, g.incomplete = 9, g.filtered = 10, g.waits = 11, g.time_outs = 12, g.seconds = 0.25,
  g.device_seconds = 0.125;
  g.series.push_back({{{false, 1}}, 2, 3, 4});
  g.series_lost = 13;
  const Message m = message_of(to_json(Message(Grouped{42, g})));
  ASSERT_TRUE(std::holds_alternative<Grouped>(m));
  EXPECT_EQ(std::get<Grouped>(m).task, 42u);
  EXPECT_EQ(std::get<Grouped>(m).group, g);
  const Message lost = message_of(to_json(Message(Lost{1, "why"})));
  EXPECT_EQ(std::get<Lost>(lost).why, "why");
}

// Real memory: x86 reorders a store with a later load of another place, and nothing else.
TEST(Cpu, StoreBufferingIsWeakAndMessagePassingIsNot) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one processor shows interleavings only";
  const auto b = open_device("cpu", 1);
  ASSERT_TRUE(b.has_value());
  Options o;
  o.seconds = 20;
  o.events = 1;
  for (const prog::Test& t : {sb(), mp()}) {
    auto r = Runner::make(t, o, **b);
    ASSERT_TRUE(r.has_value()) << render(r.error());
    Job job;
    const auto totals = run_groups(*r, t, o, job, 0, [](const RoundGroup&) { return true; });
    ASSERT_TRUE(totals.has_value()) << render(totals.error());
    EXPECT_EQ(totals->corrupt, 0u);
    const uint64_t weak = positive(t, r->setup().observables, totals->states);
#if defined(__x86_64__)
    if (t.title == "MP") {
      EXPECT_EQ(weak, 0u);
    }
#endif
    if (t.title == "SB") {
      EXPECT_GT(weak, 0u);
    }
    o.seconds = 1;
    o.events = 0;
  }
}

}  // namespace

// Tests whose threads are on several devices, run on threads of the processors that pass for them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "../../support/parsed.h"
#include "campaign/runner.h"
#include "campaign/session.h"
#include "campaign/together.h"
#include "device/cpu/cpu.h"

namespace fencepost::campaign {
namespace {

using support::parsed;

// Message passing by `fence`s, or none.
prog::Test mp(const std::string& fence, const std::string& second = "cta 0, gpu 1") {
  const std::string line = fence.empty() ? "" : " " + fence + " | " + fence + " ;\n";
  return parsed("PTX MP\n{ x = 0; y = 0; }\n P0@cta 0, gpu 0 | P1@" + second +
                " ;\n st.relaxed.sys x, 1 | ld.relaxed.sys r0, y ;\n" + line +
                " st.relaxed.sys y, 1 | ld.relaxed.sys r1, x ;\nexists (P1:r0 = 1 /\\ P1:r1 = 0)\n");
}

prog::Test iriw() {
  return parsed(
      "PTX IRIW\n{ x = 0; y = 0; }\n P0@cta 0, gpu 0 | P1@cta 0, gpu 1 | P2@cta 0, gpu 2 | P3@cta 0, gpu 3 ;\n"
      " st.relaxed.sys x, 1 | ld.relaxed.sys r0, x | st.relaxed.sys y, 1 | ld.relaxed.sys r0, y ;\n"
      " | ld.relaxed.sys r1, y | | ld.relaxed.sys r1, x ;\n"
      "exists (P1:r0 = 1 /\\ P1:r1 = 0 /\\ P3:r0 = 1 /\\ P3:r1 = 0)\n");
}

Options quick(const std::string& parameters = "groups=1,lanes=2,rounds=32,stress=off,align-limit=2000") {
  Options o;
  o.iterations = 2000;
  o.group_seconds = 0;
  EXPECT_TRUE(plan::set_parameters(o.parameters, parameters).has_value());
  return o;
}

TEST(Reference, ItsIdIsOneOfSeveralOfIt) {
  for (const char* id : {"reference", "reference+reference", "reference+reference+reference"})
    EXPECT_TRUE(is_reference(id)) << id;
  for (const char* id :
       {"", "reference+", "reference+host", "reference+cpu", "references", "reference:die", "cpu+reference"})
    EXPECT_FALSE(is_reference(id)) << id;
}

TEST(RunnerOnSeveral, CountsAddUpOnTwoAndOnFourDevices) {
  for (const prog::Test& t : {mp(""), mp("fence.sc.sys"), iriw()}) {
    const auto n = static_cast<uint32_t>(t.threads.size());
    const auto backend = device::cpu::open_several(n);
    ASSERT_TRUE(backend.has_value());
    const Options o = quick();
    auto r = Runner::make(t, o, **backend);
    ASSERT_TRUE(r.has_value()) << render(r.error());
    EXPECT_EQ(r->setup().placement, "D-gpu:S-sys-Global");
    EXPECT_EQ(r->setup().evidence, Evidence::as_written);
    Job job;
    std::set<std::string> homes;
    const auto totals = run_groups(*r, t, o, job, 0, [&](const RoundGroup& g) {
      uint64_t sum = g.corrupt + g.incomplete + g.filtered;
      for (const auto& [s, count] : g.states) sum += count;
      EXPECT_EQ(sum, g.instances);
      EXPECT_EQ(g.waits % n, 0u) << "every device waits as often";
      homes.insert(g.parameters.substr(g.parameters.find("home=")));
      return true;
    });
    ASSERT_TRUE(totals.has_value()) << render(totals.error());
    EXPECT_GE(totals->instances, 2000u);
    EXPECT_EQ(totals->corrupt, 0u);
    EXPECT_EQ(positive(t, r->setup().observables, totals->states), 0u) << "x86 shows it in no home";
    EXPECT_GT(homes.size(), 1u) << "homes are drawn";
  }
}

// The host place of the first test that runs at the same time: both orders of the two threads are seen.
TEST(RunnerOnSeveral, DevicesReallyMeet) {
  const auto backend = device::cpu::open_several(2);
  ASSERT_TRUE(backend.has_value());
  const prog::Test t = mp("");
  Options o = quick("groups=1,lanes=1,rounds=512,stress=off,align=on,align-every=1");
  o.iterations = 100000;
  auto r = Runner::make(t, o, **backend);
  ASSERT_TRUE(r.has_value());
  Job job;
  const auto totals = run_groups(*r, t, o, job, 0, [](const RoundGroup&) { return true; });
  ASSERT_TRUE(totals.has_value());
  EXPECT_GE(totals->states.size(), 2u);
}

// Whatever the home, all devices and the launches before and after the test mean one word: nothing is lost of what
// three devices add, and what one device leaves is what the host counts.
TEST(RunnerOnSeveral, AllLaunchesMeanTheSameMemory) {
  const prog::Test adders = parsed(
      "PTX A\n{ x = 0; y = 0; }\n P0@cta 0, gpu 0 | P1@cta 0, gpu 1 | P2@cta 0, gpu 2 ;\n"
      " atom.relaxed.sys.add r0, x, 1 | atom.relaxed.sys.add r0, x, 2 | atom.relaxed.sys.add r0, x, 4 ;\n"
      " st.relaxed.sys y, 5 | | ;\nexists (x = 7 /\\ y = 5)\n");
  for (const char* id : {"cpu+cpu+cpu", "reference+reference+reference"})
    for (const char* home : {"gpu0.gpu1", "gpu1.host", "gpu2.gpu2", "host.gpu0"}) {
      Options o = quick(std::string("rounds=8,stress=off,align-limit=50,home=") + home);
      o.iterations = 200;
      const auto b = open_device(id, 7);
      ASSERT_TRUE(b.has_value());
      auto r = Runner::make(adders, o, **b);
      ASSERT_TRUE(r.has_value()) << render(r.error());
      Job job;
      const auto totals = run_groups(*r, adders, o, job, 0, [](const RoundGroup&) { return true; });
      ASSERT_TRUE(totals.has_value()) << render(totals.error());
      EXPECT_EQ(totals->corrupt, 0u);
      EXPECT_EQ(positive(adders, r->setup().observables, totals->states), totals->instances) << id << " " << home;
    }
}

// On the sequential executor several devices are a function of the seed, and only interleavings are seen.
TEST(RunnerOnSeveral, GroupsOnTheExecutorAreFunctionsOfSeedAndNumber) {
  const std::string parameters = "groups=3,lanes=8,rounds=6,stress-groups=0..2,stress-iterations=5,align-limit=400";
  for (const prog::Test& t : {mp(""), iriw()}) {
    std::string id = "reference";
    for (size_t k = 1; k < t.threads.size(); ++k) id += "+reference";
    Options o = quick(parameters);
    o.iterations = 600;
    const auto once = [&](uint64_t number) {
      const auto b = open_device(id, 5);
      EXPECT_TRUE(b.has_value());
      auto r = Runner::make(t, o, **b);
      EXPECT_TRUE(r.has_value()) << render(r.error());
      auto g = r->run_group(number);
      EXPECT_TRUE(g.has_value()) << render(g.error());
      g->seconds = g->device_seconds = 0;
      return *g;
    };
    const RoundGroup third = once(3);
    EXPECT_EQ(once(3), third);
    EXPECT_NE(once(4).parameters, third.parameters);
    const auto b = open_device(id, 5);
    auto r = Runner::make(t, o, **b);
    ASSERT_TRUE(r.has_value());
    Job job;
    const auto totals = run_groups(*r, t, o, job, 0, [](const RoundGroup&) { return true; });
    ASSERT_TRUE(totals.has_value());
    EXPECT_EQ(totals->corrupt, 0u);
    EXPECT_EQ(positive(t, r->setup().observables, totals->states), 0u);
    EXPECT_EQ(totals->states.size(), t.threads.size() == 2 ? 3u : totals->states.size());
    EXPECT_LT(totals->time_outs, totals->waits) << "they meet";
  }
}

TEST(RunnerOnSeveral, ASessionNamesWhatItRefuses) {
  const std::vector<Task> tasks = {{mp(""), "cpu+cpu", quick(), 0},
                                   {iriw(), "cpu+cpu", quick(), 0},
                                   {mp(""), "cpu", quick(), 0},
                                   {mp("", "cta 1, gpu 0"), "cpu+cpu", quick("rounds=8"), 0}};
  std::vector<std::string> said(tasks.size());
  Job job;
  run_tasks(tasks, {}, job, [&](const Message& m) {
    if (const auto* r = std::get_if<Refused>(&m)) said[r->task] = r->why.list.front().message;
    if (const auto* f = std::get_if<Finished>(&m)) said[f->task] = f->totals.corrupt == 0 ? "ran" : "corrupt";
    if (const auto* l = std::get_if<Lost>(&m)) said[l->task] = l->why;
    return true;
  });
  EXPECT_EQ(said,
            (std::vector<std::string>{"ran", "test.litmus:1:1: the test has threads on 4 devices, and the run has 2",
                                      "test.litmus:1:1: P0 and P1 are in two gpus, and a launch has one", "ran"}));
}

// ---- the host as a place ----

prog::Test sb_host(const std::string& gpu, const std::string& host) {
  return parsed("PTX SB\n{ x = 0; y = 0; }\n P0@cta 0, gpu 0 | P1@host ;\n st.relaxed.sys x, 1 | mov [y], 1 ;\n " +
                gpu + " | " + host +
                " ;\n ld.relaxed.sys r0, y | mov r0, [x] ;\n"
                "exists (P0:r0 = 0 /\\ P1:r0 = 0)\n");
}

TEST(RunnerWithHost, CountsAddUpAndTheHostsInstructionsRunOnTheHostAlone) {
  for (const prog::Test& t : {sb_host("", ""), sb_host("fence.sc.sys", "mfence")}) {
    const auto backend = device::open("cpu+host");
    ASSERT_TRUE(backend.has_value());
    EXPECT_EQ((*backend)->info().id, "cpu+host");
    const Options o = quick();
    auto r = Runner::make(t, o, **backend);
    ASSERT_TRUE(r.has_value()) << render(r.error());
    EXPECT_EQ(r->setup().placement, "D-gpu+host:S-sys-Global");
    EXPECT_EQ(r->setup().evidence, Evidence::as_written);
    Job job;
    const auto totals = run_groups(*r, t, o, job, 0, [&](const RoundGroup& g) {
      uint64_t sum = g.corrupt + g.incomplete + g.filtered;
      for (const auto& [s, count] : g.states) sum += count;
      EXPECT_EQ(sum, g.instances);
      EXPECT_NE(g.parameters.find("home=host.host"), std::string::npos) << g.parameters;
      return true;
    });
    ASSERT_TRUE(totals.has_value()) << render(totals.error());
    EXPECT_GE(totals->instances, 2000u);
    EXPECT_EQ(totals->corrupt, 0u);
    EXPECT_EQ(totals->incomplete, 0u);
    if (!t.instrs(1)[1].tags.has(vocab::Tag::F)) continue;
    EXPECT_EQ(positive(t, r->setup().observables, totals->states), 0u) << "both are fenced";
  }
}

// Nothing is lost of what a device and the host add with their own instructions, and each launch has its own alone: a
// kernel of a device that had the host's too would add twice.
TEST(RunnerWithHost, LockedOperationsAndAtomicsMeanOneWord) {
  const prog::Test t = parsed(
      "PTX A\n{ x = 0; P1:r0 = 2; P2:r0 = 9; y = 0; }\n P0@cta 0, gpu 0 | P1@host | P2@host ;\n"
      " atom.relaxed.sys.add r0, x, 1 | lock xadd [x], r0 | lock add [x], 4 ;\n"
      " | mov [y], 5 | xchg [y], r0 ;\nexists (x = 7 /\\ ((y = 9 /\\ P2:r0 = 5) \\/ (y = 5 /\\ P2:r0 = 0) \\/ "
      "(y = 9 /\\ P2:r0 = 0)))\n");
  const auto backend = device::open("cpu+host");
  ASSERT_TRUE(backend.has_value());
  const Options o = quick("groups=2,lanes=2,rounds=32,stress=off,align-limit=2000");
  auto r = Runner::make(t, o, **backend);
  ASSERT_TRUE(r.has_value()) << render(r.error());
  Job job;
  const auto totals = run_groups(*r, t, o, job, 0, [](const RoundGroup&) { return true; });
  ASSERT_TRUE(totals.has_value()) << render(totals.error());
  EXPECT_EQ(totals->corrupt, 0u);
  EXPECT_EQ(positive(t, r->setup().observables, totals->states), totals->instances);
}

// `y` is of two threads of the GPU alone, and is then in its memory or the host's; the host has no access to the
// former.
TEST(RunnerWithHost, ALocationThatOnlyTheDeviceAccessesMayBeInItsMemory) {
  const prog::Test t = parsed(
      "PTX WRC\n{ x = 0; y = 0; }\n P0@host | P1@cta 0, gpu 0 | P2@cta 1, gpu 0 ;\n"
      " mov [x], 1 | ld.relaxed.sys r0, x | ld.relaxed.sys r0, y ;\n"
      " | st.relaxed.sys y, 1 | ld.relaxed.sys r1, x ;\nexists (P1:r0 = 1 /\\ P2:r0 = 1 /\\ P2:r1 = 0)\n");
  for (const char* home : {"home=host.gpu0", "home=host.host"}) {
    const auto backend = device::open("cpu+host");
    ASSERT_TRUE(backend.has_value());
    const Options o = quick(fmt::format("groups=2,lanes=2,rounds=32,stress=off,align-limit=2000,{}", home));
    auto r = Runner::make(t, o, **backend);
    ASSERT_TRUE(r.has_value()) << render(r.error());
    Job job;
    const auto totals = run_groups(*r, t, o, job, 0, [](const RoundGroup&) { return true; });
    ASSERT_TRUE(totals.has_value()) << home << ": " << render(totals.error());
    EXPECT_EQ(totals->corrupt, 0u);
    EXPECT_EQ(totals->incomplete, 0u);
    EXPECT_GE(totals->instances, 2000u);
  }
}

TEST(RunnerWithHost, ATestWithoutHostThreadsRunsThereToo) {
  const auto backend = device::open("cpu+cpu+host");
  ASSERT_TRUE(backend.has_value());
  const prog::Test t = mp("");
  const Options o = quick();
  auto r = Runner::make(t, o, **backend);
  ASSERT_TRUE(r.has_value()) << render(r.error());
  EXPECT_EQ(r->setup().placement, "D-gpu:S-sys-Global");
  const auto alone = device::cpu::open();
  ASSERT_TRUE(alone.has_value());
  const auto refused = Runner::make(sb_host("", ""), o, **alone);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().list.front().message, "P1 is a thread of the host, and the run has none");
}

}  // namespace
}  // namespace fencepost::campaign

// Runs in a child process: hanging devices, stored runs, early stops.
#include "trial/session.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

namespace fencepost::trial {
namespace {

using exports::Mapping;

axb::Test read(const std::string& json) {
  auto tests = axb::parse(make_source("tests.jsonl", json + "\n"));
  if (!tests || tests->size() != 1) throw std::runtime_error(tests ? "not one test" : render(tests.error()));
  return tests->front();
}
axb::Test consumer() { return read(R"({"config":"2t2i","id":4,"threads":[[[0,0,0,0,0]],[[0,0,1,1,1]]]})"); }
axb::Test livelock() {  // ends only when the other thread's write falls between two instructions
  return read(R"({"config":"strong","id":0,"threads":[[[0,0,1,1,1],[0,1,0,1,0]],[[0,0,1,1,0],[0,0,0,1,0]]]})");
}

struct Received {
  std::vector<Started> started;
  std::vector<Ran> ran;
  std::vector<Refused> refused;
  size_t finished = 0;
};
Received all_of(const std::vector<Task>& tasks, double patience = 20) {
  Received h;
  Job job;
  run_tasks(tasks, patience, job, [&](const Message& m) {
    if (const auto* s = std::get_if<Started>(&m)) h.started.push_back(*s);
    if (const auto* r = std::get_if<Ran>(&m)) h.ran.push_back(*r);
    if (const auto* x = std::get_if<Refused>(&m)) h.refused.push_back(*x);
    h.finished += std::holds_alternative<Finished>(m);
    return true;
  });
  return h;
}

Task task(axb::Test test, Mapping mapping, uint32_t runs, std::string device = "reference") {
  Task t;
  t.test = std::move(test);
  t.device = std::move(device);
  t.options.mapping = mapping;
  t.runs = runs;
  return t;
}

TEST(Session, RunsEveryTaskAndStopsEarlyWhenAsked) {
  Task early = task(consumer(), Mapping::plain, 20);
  early.early_stop = true;
  const Received h = all_of({task(consumer(), Mapping::round_robin, 3), early, task(consumer(), Mapping::plain, 2)});
  EXPECT_EQ(h.finished, 3u);
  ASSERT_EQ(h.ran.size(), 3u + k_same + 2u);
  EXPECT_EQ(h.ran[2].number, 2u);
  EXPECT_EQ(h.started[0].variant, "inter-workgroup total=60");
  EXPECT_EQ(h.started[0].device, "cpu sequential executor");
}

TEST(Session, ResumedRunsAreThoseOfAnUninterruptedSession) {
  const Received whole = all_of({task(livelock(), Mapping::round_robin, 12)});
  ASSERT_EQ(whole.ran.size(), 12u);
  std::set<double> seconds;
  for (uint32_t n = 0; n < 12; ++n) {
    Task t = task(livelock(), Mapping::round_robin, 12);
    for (uint32_t k = 0; k < 12; ++k) {
      if (k == n) continue;
      store::ProgressRecord r = record_of(t.test, t.options, whole.started.front(), whole.ran[k]);
      t.known.push_back(std::move(r));
    }
    const Received one = all_of({t});
    ASSERT_EQ(one.ran.size(), 1u);
    EXPECT_EQ(one.ran[0].number, n);
    EXPECT_EQ(one.ran[0].run, whole.ran[n].run) << n;
    seconds.insert(whole.ran[n].run.seconds);
  }
  EXPECT_GT(seconds.size(), 1u) << "the runs differ among each other";
}

TEST(Session, AHangingDeviceIsKilledAndTheRunCountsAsHung) {
  Task t = task(consumer(), Mapping::plain, 6, "reference:hang");  // hangs at its fifth launch
  t.options.launch_limit = 0.1;
  const Received h = all_of({t, task(consumer(), Mapping::plain, 1)}, 0.5);
  ASSERT_EQ(h.ran.size(), 7u);
  EXPECT_EQ(h.ran[3].run.outcome, Outcome::terminated);
  EXPECT_EQ(h.ran[4].run.outcome, Outcome::hung);
  EXPECT_EQ(h.ran[4].number, 4u);
  EXPECT_EQ(h.ran[5].run.outcome, Outcome::terminated) << "a new child went on";
  EXPECT_EQ(h.ran[5].number, 5u);
  EXPECT_EQ(h.finished, 2u);
}

TEST(Session, ADyingDeviceLosesItsTaskOnly) {
  const Received h =
      all_of({task(consumer(), Mapping::plain, 6, "reference:die"), task(consumer(), Mapping::plain, 1)});
  EXPECT_EQ(h.ran.size(), 5u);
  ASSERT_EQ(h.refused.size(), 1u);
  EXPECT_NE(h.refused[0].why.find("lost"), std::string::npos);
  EXPECT_EQ(h.finished, 1u);
}

TEST(Session, RefusalsNameTheReason) {
  const Received h = all_of({task(consumer(), Mapping::plain, 1, "toaster"), task(consumer(), Mapping::plain, 1)});
  EXPECT_EQ(h.refused.size(), 1u);
  EXPECT_EQ(h.finished, 1u);
}

TEST(Session, WhatTheStoreHasIsNotRunAgain) {
  const std::string file = (std::filesystem::path(testing::TempDir()) / "trial-session.db").string();
  std::filesystem::remove(file);
  {
    auto made = store::Store::open(file);
    ASSERT_TRUE(made);
    Task t = task(consumer(), Mapping::chunked, 4);
    t.options.total = 240;
    const Received first = all_of({t});
    ASSERT_EQ(first.ran.size(), 4u);
    for (const Ran& r : first.ran) {
      const auto record = record_of(t.test, t.options, first.started[0], r);
      EXPECT_EQ(*made->add(record), true);
      EXPECT_EQ(*run_of(record), r.run);
      EXPECT_EQ(record.outcome, "starved");
      EXPECT_EQ(record.mapping, "chunked");
      EXPECT_EQ(record.variant, "inter-workgroup total=240");
    }
    t.runs = 6;
    t.known = *made->progress_records({});
    const Received second = all_of({t});
    ASSERT_EQ(second.ran.size(), 2u);
    EXPECT_EQ(second.ran[0].number, 4u);
    t.options.total = 120;  // another launch: nothing is known of it
    EXPECT_EQ(all_of({t}).ran.size(), 6u);
  }
  std::filesystem::remove(file);
}

TEST(Session, SettledNeedsTheFirstFiveAlike) {
  std::map<uint32_t, trial::Run> runs;
  for (uint32_t n = 0; n < k_same; ++n) {
    EXPECT_FALSE(settled(runs));
    runs[n] = {};
  }
  EXPECT_TRUE(settled(runs));
  runs[3].outcome = Outcome::starved;
  EXPECT_FALSE(settled(runs));
}

}  // namespace
}  // namespace fencepost::trial

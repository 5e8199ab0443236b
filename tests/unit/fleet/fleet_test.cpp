// What Slurm prints, and the folder that tasks have in common.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "base/child.h"
#include "fleet/folder.h"
#include "fleet/follow.h"
#include "fleet/local.h"
#include "fleet/slurm.h"

namespace fencepost::fleet {
namespace {

TEST(Slurm, WhatIsInTheQueueIsAtWork) {
  std::vector<std::string> held;
  const auto look = look_of(
      "7|1|COMPLETED|n1|None\n7|2|RUNNING|n2|None\n7|3|PENDING||Resources\n7|4|NODE_FAIL|n3|NodeDown\n"
      "7|5|TIMEOUT|n1|TimeLimit\n9|5|COMPLETING|n4|None\n7|6|FAILED|n1|NonZeroExitCode\n9|6|CANCELLED||None\n",
      held);
  ASSERT_TRUE(look);
  EXPECT_EQ(look->at_work, (std::set<uint32_t>{2, 3, 5}));
  EXPECT_EQ(look->running, 2u);
  EXPECT_EQ(look->waits_for, "Resources");
  EXPECT_EQ(look->ended,
            (std::map<uint32_t, std::string>{{1, "COMPLETED on n1"}, {4, "NODE_FAIL on n3"}, {6, "CANCELLED"}}));
  EXPECT_TRUE(held.empty());
}

TEST(Slurm, ANewerJobTellsHowATaskEnded) {
  std::vector<std::string> held;
  const auto look = look_of("9|1|TIMEOUT|n2|TimeLimit\n7|1|NODE_FAIL|n1|NodeDown\n", held);
  ASSERT_TRUE(look);
  EXPECT_EQ(look->ended.at(1), "TIMEOUT on n2");
}

TEST(Slurm, AJobWhoseLaunchFailedIsNotWaitedFor) {
  std::vector<std::string> held;
  const auto look = look_of("7|3|PENDING||launch failed requeued held\n", held);
  ASSERT_TRUE(look);
  EXPECT_TRUE(look->at_work.empty());
  EXPECT_EQ(held, std::vector<std::string>{"7_3"});
}

// An unknown line might be a task at work: starting it once more would be a guess.
TEST(Slurm, WhatIsNotUnderstoodIsAnError) {
  std::vector<std::string> held;
  EXPECT_FALSE(look_of("7|N/A|RUNNING|n1|None\n", held));
  EXPECT_FALSE(look_of("7_[1-3]|1|RUNNING|n1|None\n", held));
  EXPECT_FALSE(look_of("7|1||n1|None\n", held));
  EXPECT_FALSE(look_of("slurm_load_jobs error: Unable to contact slurm controller\n", held));
  const auto unknown = look_of("7|1|SOMETHING_NEW|n1|None\n", held);
  ASSERT_TRUE(unknown);
  EXPECT_TRUE(unknown->at_work.contains(1));
}

TEST(Slurm, Arrays) {
  EXPECT_EQ(array_of({7, 1, 2, 3, 9, 10}), "1-3,7,9-10");
  EXPECT_EQ(array_of({4}), "4");
}

// Looks until `is` holds.
template <class P>
Look look_until(Engine& engine, P&& is) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (true) {
    auto look = engine.look();
    EXPECT_TRUE(look);
    if (!look || is(*look) || std::chrono::steady_clock::now() > end) return look ? *look : Look{};
    ::usleep(10'000);
  }
}

// A process that somebody ends from outside while its task is at work: how it ended is told, the task is no longer at
// work, the one that waits begins, and it may be started again.
TEST(Local, AProcessKilledInMidTaskIsNamedAndItsTaskMayBeStartedAgain) {
  const ScratchFolder scratch;
  const Folder folder(scratch.path());
  const std::string program = scratch.path() + "/program";
  // "program campaign FOLDER --task K" tells its process and works for ever.
  std::ofstream(program)
      << "#!/bin/sh\necho $$ > \"$2/pid-$4.new\"; mv \"$2/pid-$4.new\" \"$2/pid-$4\"; exec sleep 600\n";
  ASSERT_EQ(::chmod(program.c_str(), 0755), 0);
  const auto process_of = [&](int task) {
    pid_t pid = 0;
    const std::string path = fmt::format("{}/pid-{}", scratch.path(), task);
    for (int i = 0; i < 12'000 && pid == 0; ++i) {
      std::ifstream(path) >> pid;
      if (pid == 0) ::usleep(10'000);
    }
    std::filesystem::remove(path);
    return pid;
  };
  Local engine(folder, program, 1);
  ASSERT_TRUE(engine.start({1, 2}));
  const pid_t first = process_of(1);
  ASSERT_GT(first, 0);
  Look look = *engine.look();
  EXPECT_EQ(look.at_work, (std::set<uint32_t>{1, 2}));
  EXPECT_EQ(look.running, 1u);
  ASSERT_EQ(::kill(first, SIGKILL), 0);
  look = look_until(engine, [](const Look& l) { return l.ended.contains(1); });
  EXPECT_EQ(look.ended, (std::map<uint32_t, std::string>{{1, "signal 9 (Killed)"}}));
  EXPECT_EQ(look.at_work, std::set<uint32_t>{2});
  const pid_t second = process_of(2);
  ASSERT_GT(second, 0);
  ASSERT_TRUE(engine.start({1}));
  ASSERT_EQ(::kill(second, SIGTERM), 0);
  look = look_until(engine, [](const Look& l) { return l.ended.contains(2); });
  EXPECT_EQ(look.ended, (std::map<uint32_t, std::string>{{2, "signal 15 (Terminated)"}})) << "task 1 is at work again";
  EXPECT_EQ(look.at_work, std::set<uint32_t>{1});
  const pid_t again = process_of(1);
  ASSERT_GT(again, 0);
  EXPECT_NE(again, first);
  EXPECT_NE(engine.leave(), "");
  EXPECT_NE(::kill(again, 0), 0) << "none is left behind";
}

Tasks one_task() {
  Tasks t;
  t.version = "v";
  t.id = "fencepost-1";
  t.plan = "name = \"x\"";
  t.store = "/nowhere/x.db";
  t.tasks = {{}};
  return t;
}

TEST(Tasks, TheFirstThatIsOverCounts) {
  const ScratchFolder scratch;
  const Folder folder(scratch.path() + "/tasks");
  ASSERT_TRUE(folder.make(one_task()));
  std::vector<std::string> before;
  EXPECT_EQ(folder.begin(1, before).value(), "task-1.1.db");
  EXPECT_EQ(folder.begin(1, before).value(), "task-1.2.db");
  EXPECT_EQ(before, std::vector<std::string>{"task-1.1.db"});
  EXPECT_EQ(folder.begin(11, before).value(), "task-11.1.db");
  EXPECT_TRUE(folder.finished().empty());
  EXPECT_TRUE(folder.finish(1, {"task-1.2.db", 3, {}}));
  EXPECT_TRUE(folder.finish(1, {"task-1.1.db", 4, {}}));
  EXPECT_EQ(folder.finished(), std::set<uint32_t>{1});
  EXPECT_EQ(folder.done(1)->store, "task-1.2.db");
  EXPECT_EQ(folder.done(1)->works, 3u);
}

TEST(Tasks, ADoneThatNamesAnothersStoreIsRefused) {
  const ScratchFolder scratch;
  const Folder folder(scratch.path());
  EXPECT_TRUE(folder.finish(1, {"task-2.1.db", 3, {}}));
  EXPECT_FALSE(folder.done(1));
  EXPECT_TRUE(folder.finish(2, {"../task-2.1.db", 3, {}}));
  EXPECT_FALSE(folder.done(2));
}

TEST(Tasks, OneProgramFollows) {
  const ScratchFolder scratch;
  Folder one(scratch.path()), two(scratch.path());
  EXPECT_TRUE(one.hold());
  EXPECT_FALSE(two.hold());
}

// An engine that plays what tests want of it.
class Played : public Engine {
 public:
  std::function<Expected<Look>()> looks;
  std::function<Expected<void>(const std::vector<uint32_t>&)> starts;
  int left = 0;
  Expected<Look> look() override { return looks(); }
  Expected<void> start(const std::vector<uint32_t>& tasks) override { return starts(tasks); }
  std::string leave() override {
    ++left;
    return "left";
  }
  double pause() const override { return 0.001; }
};

TEST(Follow, GivesUpByNameAndIsNotWhole) {
  const ScratchFolder scratch;
  Folder folder(scratch.path());
  const Tasks tasks = one_task();
  Played engine;
  int started = 0;
  engine.looks = [] { return Expected<Look>(Look{.ended = {{1, "TIMEOUT on n1"}}}); };
  engine.starts = [&](const std::vector<uint32_t>&) {
    ++started;
    return Expected<void>();
  };
  Job job;
  const auto r = follow(folder, tasks, "x", engine, {.retries = 4}, job, nullptr);
  ASSERT_TRUE(r);
  EXPECT_EQ(started, 4);
  ASSERT_EQ(r->given_up.size(), 1u);
  EXPECT_NE(r->given_up[0].why.find("4 attempts in a row brought no round group; the last: TIMEOUT on n1"),
            std::string::npos);
}

TEST(Follow, AnEngineThatDoesNotAnswerIsAskedAgainAndNothingIsStarted) {
  const ScratchFolder scratch;
  Folder folder(scratch.path());
  Played engine;
  int asked = 0, started = 0;
  engine.looks = [&]() -> Expected<Look> {
    if (++asked < 4) return error_at({}, "no controller");
    EXPECT_TRUE(folder.finish(1, {"task-1.1.db", 0, {}}));
    std::vector<std::string> before;
    (void)folder.begin(1, before);
    (void)store::Store::open(folder.file("task-1.1.db"));
    return Look{};
  };
  engine.starts = [&](const std::vector<uint32_t>&) {
    ++started;
    return Expected<void>();
  };
  Tasks tasks = one_task();
  tasks.store = scratch.path() + "/x.db";
  Job job;
  const auto r = follow(folder, tasks, "x", engine, {}, job, nullptr);
  ASSERT_TRUE(r) << render(r.error());
  EXPECT_EQ(started, 0);
  EXPECT_EQ(asked, 4);
  EXPECT_TRUE(r->given_up.empty());
  engine.looks = []() -> Expected<Look> { return error_at({}, "no controller"); };
  folder.forget_done(1);
  EXPECT_FALSE(follow(folder, tasks, "x", engine, {.patience = 0.05}, job, nullptr));
}

TEST(Follow, RefusedOptionsEndAtOnce) {
  const ScratchFolder scratch;
  Folder folder(scratch.path());
  Played engine;
  engine.looks = [] { return Expected<Look>(Look{}); };
  engine.starts = [](const std::vector<uint32_t>&) -> Expected<void> { return error_at({}, "sbatch: no such option"); };
  Job job;
  const auto r = follow(folder, one_task(), "x", engine, {}, job, nullptr);
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().list.front().message, "sbatch: no such option");
}

TEST(Follow, WhoIsInterruptedLeavesTheTasks) {
  const ScratchFolder scratch;
  Folder folder(scratch.path());
  Played engine;
  std::atomic<bool> cancelled = false;
  engine.looks = [&] {
    cancelled = true;
    return Expected<Look>(Look{.at_work = {1}, .running = 1});
  };
  engine.starts = [](const std::vector<uint32_t>&) { return Expected<void>(); };
  Job job;
  job.cancelled = &cancelled;
  const auto r = follow(folder, one_task(), "x", engine, {}, job, nullptr);
  ASSERT_TRUE(r);
  EXPECT_TRUE(r->stopped);
  EXPECT_EQ(engine.left, 1);
}

}  // namespace
}  // namespace fencepost::fleet

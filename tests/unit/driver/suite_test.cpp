// --timeout is processor time and --budget wall time, and both hold for whatever the verifier does with a file.
#include "driver/suite.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "base/child.h"

namespace fencepost::driver {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); }

void work(double seconds) {
  const auto begin = std::clock();
  volatile uint64_t n = 0;
  while (static_cast<double>(std::clock() - begin) < seconds * CLOCKS_PER_SEC) n = n + 1;
}

void good(launch::Answer& a) {
  a.exit_code = 0;
  a.ending = launch::Ending::success;
}

// As a compilation that goes on and on: it does not look whether the time is spent.
void compile_for_ever(const launch::Options&, const Expected<SourcePtr>&, launch::Answer& a) {
  work(60);
  good(a);
}
// As a proof or a replay, which do look.
void run_until_spent(const launch::Options& o, const Expected<SourcePtr>&, launch::Answer& a) {
  while (o.spent == nullptr || !*o.spent) work(0.01);
  a.exit_code = 3;
  a.err = "not decided: the time is spent\n";
}
void wait_for_ever(const launch::Options&, const Expected<SourcePtr>&, launch::Answer& a) {
  std::this_thread::sleep_for(std::chrono::seconds(60));
  good(a);
}
void wait_a_second(const launch::Options&, const Expected<SourcePtr>&, launch::Answer& a) {
  std::this_thread::sleep_for(std::chrono::milliseconds(1200));
  good(a);
}

class SuiteTimes : public testing::Test {
 protected:
  void SetUp() override {
    for (size_t i = 0; i < 3; ++i) {
      files.push_back(folder.path() + "/k" + std::to_string(i) + ".cl");
      std::ofstream(files.back()) << "//pass\n//--local_size=64 --num_groups=4\nkernel void k() {}\n";
    }
  }
  ScratchFolder folder;
  std::vector<std::string> files;
};

TEST_F(SuiteTimes, a_compilation_ends_when_the_processor_time_of_its_file_is_spent) {
  const auto begin = Clock::now();
  const auto rows = run_suite({files[0]}, {"--timeout=1"}, 1, 1, 0, compile_for_ever);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].verdict, "out of time");
  EXPECT_EQ(rows[0].why, "the time is spent");
  EXPECT_LT(rows[0].processor_seconds, 1.5);
  EXPECT_LT(since(begin), 30);
}

TEST_F(SuiteTimes, runs_are_told_that_the_time_is_spent) {
  const auto rows = run_suite({files[0]}, {"--timeout=1"}, 1, 1, 0, run_until_spent);
  EXPECT_EQ(rows[0].verdict, "undecided");
  // Not far from the second: what tells it and what is reported are two clocks, which differ on a virtual machine.
  EXPECT_GE(rows[0].processor_seconds, 0.5);
  EXPECT_LT(rows[0].processor_seconds, 5) << "told at all: left alone it would run for ever";
}

TEST_F(SuiteTimes, waiting_is_no_processor_time) {
  const auto rows = run_suite({files[0]}, {"--timeout=1"}, 1, 1, 0, wait_a_second);
  EXPECT_EQ(rows[0].verdict, "verified");
  EXPECT_GE(rows[0].seconds, 1.2);
  EXPECT_LT(rows[0].processor_seconds, 0.5);
}

TEST_F(SuiteTimes, the_budget_is_wall_time_for_all_files) {
  for (const launch::AnswerFunction f : {&wait_for_ever, &compile_for_ever}) {
    const auto begin = Clock::now();
    const auto rows = run_suite(files, {}, 1, 0, 1, f);
    EXPECT_LT(since(begin), 10);
    ASSERT_EQ(rows.size(), 3u);
    for (const Ran& r : rows) EXPECT_EQ(r.verdict, "out of time");
    EXPECT_EQ(rows[0].why, "the time is spent");
    EXPECT_EQ(rows[2].why, "the budget of the suite is spent");
  }
}

}  // namespace
}  // namespace fencepost::driver

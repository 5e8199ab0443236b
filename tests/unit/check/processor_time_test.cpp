// A limit of processor time that a busy machine does not shorten.
#include "check/processor_time.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace fencepost::check {
namespace {

using namespace std::chrono_literals;

// Works for `need` seconds of processor time, a millisecond in `one_in`, until it is out of time.
std::function<bool(Job&)> work(double need, int one_in, int& times) {
  return [=, &times](Job& job) {
    ++times;
    const double begin = processor_seconds();
    while (!job.out_of_time()) {
      const double slice = processor_seconds();
      while (processor_seconds() - slice < 0.001) {
      }
      if (processor_seconds() - begin >= need) return true;
      std::this_thread::sleep_for((one_in - 1) * 1ms);
    }
    return false;
  };
}

TEST(ProcessorTime, WhatAnIdleMachineAnswersABusyOneAnswers) {
  for (const int one_in : {1, 5, 20}) {
    int times = 0;
    EXPECT_TRUE(within_processor_time({}, 0.05, work(0.02, one_in, times))) << one_in;
    if (one_in == 20) EXPECT_GT(times, 1);
  }
}

TEST(ProcessorTime, WhatTakesLongerIsNoAnswer) {
  for (const int one_in : {1, 4}) {
    int times = 0;
    const double before = processor_seconds();
    EXPECT_FALSE(within_processor_time({}, 0.05, work(0.2, one_in, times))) << one_in;
    EXPECT_LT(processor_seconds() - before, 4 * 0.05) << one_in;
  }
  EXPECT_FALSE(within_processor_time({}, 0.05, [](Job&) {
    const double begin = processor_seconds();
    while (processor_seconds() - begin < 0.06) {
    }
    return true;
  })) << "an answer that came too late";
}

TEST(ProcessorTime, WhoHasNoAnswerIsNotAskedAgain) {
  int times = 0;
  EXPECT_FALSE(within_processor_time({}, 1, [&](Job&) { return ++times > 1; }));
  EXPECT_EQ(times, 1);
}

TEST(ProcessorTime, TheJobsDeadlineHolds) {
  int times = 0;
  const auto before = Job::Clock::now();
  EXPECT_FALSE(within_processor_time(Job::with_budget(0.1), 10, work(5, 10, times)));
  EXPECT_LT(std::chrono::duration<double>(Job::Clock::now() - before).count(), 1);
  EXPECT_EQ(times, 1);
}

}  // namespace
}  // namespace fencepost::check

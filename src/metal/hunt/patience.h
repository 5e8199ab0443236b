#pragma once
// How long compilers are waited for, and what of their words is kept.
//
// A run may take five minutes. Where one took as long, all further runs for the same tests may take five minutes
// together, so that a compiler that hangs costs ten minutes for a batch and not five for each of its halves; a batch of
// which nothing ended is tried once more, alone (fill.h). Where the job has a budget, a run is ended ten seconds behind
// it, and what it was for counts as never tried.
#include <algorithm>
#include <chrono>
#include <string>

#include "base/child.h"
#include "base/job.h"
#include "base/printable.h"

namespace fencepost::hunt {

class Patience {
 public:
  using Clock = std::chrono::steady_clock;
  explicit Patience(const Job& job, std::chrono::seconds run = k_run) : run_(run) {
    if (job.deadline != Clock::time_point::max()) job_ = job.deadline + std::chrono::seconds(10);
  }

  // For the next run.
  std::chrono::seconds left() const {
    const auto left = std::chrono::ceil<std::chrono::seconds>(std::min(end_, job_) - Clock::now());
    return std::clamp(left, std::chrono::seconds(0), run_);
  }
  void heard(const ChildResult& done) {
    if (done.timed_out && end_ == Clock::time_point::max()) end_ = Clock::now() + run_;
  }
  bool is_over() const { return Clock::now() >= end_ || job_is_over(); }
  bool job_is_over() const { return Clock::now() >= job_; }
  std::string time_out() const { return k_late + std::string(" no end within ") + std::to_string(run_.count()) + " s"; }

  static constexpr std::chrono::seconds k_run{300};
  static constexpr const char* k_late = "time-out:";

 private:
  std::chrono::seconds run_;
  Clock::time_point end_ = Clock::time_point::max(), job_ = Clock::time_point::max();
};

// A message of a compiler as a store keeps it: its words, not its control characters, and not a megabyte of them.
inline std::string said(const std::string& message) {
  constexpr size_t most = 400;
  return printable_name(message.size() > most ? message.substr(0, most) + "..." : message);
}

}  // namespace fencepost::hunt

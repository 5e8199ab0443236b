#include "check/processor_time.h"

#include <time.h>

#include <algorithm>
#include <chrono>

namespace fencepost::check {

double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

bool within_processor_time(const Job& job, double seconds, const std::function<bool(Job&)>& ask) {
  constexpr double k_slack = 1.25, k_more = 1.5, k_most = 1000;  // times
  double wall = k_slack * seconds;
  for (;;) {
    Job part = job;
    const auto limit =
        Job::Clock::now() + std::chrono::duration_cast<Job::Clock::duration>(std::chrono::duration<double>(wall));
    part.deadline = std::min(job.deadline, limit);
    const double before = processor_seconds();
    const bool answered = ask(part);
    const double used = processor_seconds() - before;
    if (answered || used >= seconds) return answered && used <= seconds;
    // Not out of time: it has no answer at all.
    if (job.out_of_time() || Job::Clock::now() < limit || wall > k_most * seconds) return false;
    wall *= std::clamp(k_more * seconds / std::max(used, 1e-3 * seconds), k_more, 100.0);
  }
}

}  // namespace fencepost::check

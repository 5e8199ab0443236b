#pragma once
// Work over 0..n-1 on several threads with results handed over in order, so that the output does not depend on
// the number of threads, and a progress bar for people who watch.
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/job.h"
#include "cli/console.h"

namespace fencepost::cli {

// Drawn on the terminal's error stream when the work takes longer than a moment; draws nothing elsewhere.
class Progress {
 public:
  Progress(const Console& console, size_t total, std::string_view what);  // the console outlives the bar
  Progress(Console&&, size_t, std::string_view) = delete;
  ~Progress();  // wipes the bar
  void at(size_t done);
  void clear();   // before other output

 private:
  const Console& console_;
  size_t total_;
  std::string what_;
  Job::Clock::time_point start_, drawn_;
  bool visible_ = false;
};

// 0: one per processor; never more than there is work.
uint32_t thread_count(uint32_t wanted, size_t work);

// work(i) runs on any thread; emit(i, result) on the calling thread, in order of i. `work` does not throw.
template <class Work, class Emit>
void in_order(size_t n, uint32_t threads, Progress& progress, Work&& work, Emit&& emit) {
  using Result = decltype(work(size_t{0}));
  threads = thread_count(threads, n);
  if (threads <= 1) {
    for (size_t i = 0; i < n; ++i) {
      emit(i, work(i));
      progress.at(i + 1);
    }
    return;
  }
  std::vector<std::optional<Result>> results(n);
  std::mutex mutex;
  std::condition_variable ready;
  std::atomic<size_t> next = 0;
  const auto worker = [&] {
    for (size_t i = next++; i < n; i = next++) {
      Result r = work(i);
      const std::lock_guard lock(mutex);
      results[i] = std::move(r);
      ready.notify_one();
    }
  };
  std::vector<std::jthread> pool;
  for (uint32_t t = 0; t < threads; ++t) pool.emplace_back(worker);
  for (size_t i = 0; i < n; ++i) {
    std::optional<Result> r;
    {
      std::unique_lock lock(mutex);
      while (!results[i].has_value()) {
        ready.wait_for(lock, std::chrono::milliseconds(200));
        progress.at(i);
      }
      r.swap(results[i]);
    }
    emit(i, std::move(*r));
    progress.at(i + 1);
  }
}

}  // namespace fencepost::cli

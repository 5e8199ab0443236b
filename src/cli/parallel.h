#pragma once
// Work over 0..n-1 on several threads with results handed over in order, so that the output does not depend on
// the number of threads, and a progress bar for people who watch.
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/job.h"
#include "cli/console.h"

namespace fencepost::cli {

// When a line tells how far long work is, where no terminal shows a bar: after 30 s, and then each time that the work
// has taken half as long again, so that a night's work has less than twenty.
class SlowLines {
 public:
  explicit SlowLines(Job::Clock::time_point start) : start_(start), due_(start + std::chrono::seconds(30)) {}
  bool due(Job::Clock::time_point now) {
    if (now < due_) return false;
    due_ = now + (now - start_) / 2;
    return true;
  }

 private:
  Job::Clock::time_point start_, due_;
};

// Drawn on the terminal's error stream when the work takes longer than a moment. Elsewhere it says nothing, or, with
// `lines`, a line now and then (SlowLines).
class Progress {
 public:
  // The console outlives the bar.
  Progress(const Console& console, size_t total, std::string_view what, bool lines = false);
  Progress(Console&&, size_t, std::string_view, bool = false) = delete;
  ~Progress();  // wipes the bar
  void at(size_t done);
  void clear();  // before other output

 private:
  const Console& console_;
  size_t total_;
  std::string what_;
  Job::Clock::time_point start_, drawn_;
  bool lines_, visible_ = false;
  SlowLines slow_;
};

// 0: one per processor; never more than there is work.
uint32_t thread_count(uint32_t wanted, size_t work);

// work(i) runs on any thread; emit(i, result) on the calling thread, in order of i. What either throws comes out of the
// calling thread, after the results before it; then no further work is begun.
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
  struct Slot {
    std::optional<Result> result;
    std::exception_ptr thrown;
    bool done() const { return result.has_value() || thrown != nullptr; }
  };
  std::vector<Slot> results(n);
  std::mutex mutex;
  std::condition_variable ready;
  std::atomic<size_t> next = 0;
  const auto worker = [&] {
    for (size_t i = next++; i < n; i = next++) {
      Slot slot;
      try {
        slot.result = work(i);
      } catch (...) {
        slot.thrown = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      results[i] = std::move(slot);
      ready.notify_one();
    }
  };
  std::vector<std::jthread> pool;
  for (uint32_t t = 0; t < threads; ++t) pool.emplace_back(worker);
  try {
    for (size_t i = 0; i < n; ++i) {
      Slot slot;
      {
        std::unique_lock lock(mutex);
        while (!results[i].done()) {
          ready.wait_for(lock, std::chrono::milliseconds(200));
          progress.at(i);
        }
        std::swap(slot, results[i]);
      }
      if (slot.thrown != nullptr) std::rethrow_exception(slot.thrown);
      emit(i, std::move(*slot.result));
      progress.at(i + 1);
    }
  } catch (...) {
    next = n;
    throw;
  }
}

}  // namespace fencepost::cli

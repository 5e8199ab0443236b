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

// Drawn on the terminal's error stream when the work takes longer than a moment; draws nothing elsewhere.
class Progress {
 public:
  Progress(const Console& console, size_t total, std::string_view what);  // the console outlives the bar
  Progress(Console&&, size_t, std::string_view) = delete;
  ~Progress();  // wipes the bar
  void at(size_t done);
  void clear();  // before other output

 private:
  const Console& console_;
  size_t total_;
  std::string what_;
  Job::Clock::time_point start_, drawn_;
  bool visible_ = false;
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

#pragma once
// ^C ends long work between two steps that are kept; a second one ends the process at once.
#include <atomic>

namespace fencepost::cli {

class Interruptible {
 public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
  const std::atomic<bool>* flag() const;  // for Job::cancelled

 private:
  void (*old_)(int);
};

}  // namespace fencepost::cli

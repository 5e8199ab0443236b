#pragma once
// Who runs tasks. Two engines: processes on this machine (local.h), a job array of Slurm (slurm.h).
//
// An engine promises little: a task that it was asked to start is in `at_work` until it has ended, however it ended.
// Whether a task is over says the folder alone (folder.h), so an engine that loses a task, or starts one twice, costs
// time and nothing else.
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/diagnostic.h"

namespace fencepost::fleet {

struct Look {
  std::set<uint32_t> at_work;             // waiting or running
  size_t running = 0;                     // of these
  std::map<uint32_t, std::string> ended;  // how those ended that are not at work: "TIMEOUT on n3", "signal 9"
  std::string waits_for;                  // why some wait, in the scheduler's word
};

class Engine {
 public:
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  virtual ~Engine() = default;
  // An error is one of the moment (a controller that is started again): it is asked again later.
  virtual Expected<Look> look() = 0;
  virtual Expected<void> start(const std::vector<uint32_t>& tasks) = 0;
  // The follower goes. A sentence on what becomes of the tasks.
  virtual std::string leave() = 0;
  virtual double pause() const = 0;  // seconds between two looks
  // Whether an error of `start` may pass by itself (a controller that is busy), or lies in what was asked.
  virtual bool may_pass(const Diagnostics&) const { return false; }
};

}  // namespace fencepost::fleet

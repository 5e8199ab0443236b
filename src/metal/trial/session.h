#pragma once
// Runs of progress tests in a child process that can be killed (campaign/child.h), and what the store keeps of them.
//
// A task is one test under one set of options. The child opens the device once and runs task after task; a run that
// hangs (the launch did not end, or the child said nothing for `patience` beyond the launch's limit) counts as `hung`,
// and a new child goes on with the next run. A run that was lost or is corrupt ends its task, and counts as nothing.
//
// Resuming. Runs that are known (Task::known, from the store) are not run again: of runs 0 .. runs-1 only the others
// are. Early stop: a task ends when it has k_same runs in a row, from number 0 on, with the same outcome and threads.
//
// Precondition: the calling process has opened no device and runs no other thread that holds a lock (fork).
#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "base/job.h"
#include "store/store.h"
#include "trial/trial.h"

namespace fencepost::trial {

inline constexpr uint32_t k_same = 5;

struct Task {
  axb::Test test;
  std::string device;  // "reference", or what device::open knows
  Options options;
  uint32_t runs = 20;
  bool early_stop = false;
  // Runs of this test and mapping in the store; those of another device or variant are passed over.
  std::vector<store::ProgressRecord> known;
};

struct Started {
  size_t task = 0;
  std::string device, driver, variant, binary_hash, what_ran;  // device, variant: as in the store
  uint32_t total = 0, instances = 0;
  double limit = 0;
};
struct Ran {
  size_t task = 0;
  uint32_t number = 0;
  Run run;
};
struct Finished {
  size_t task = 0;
};
struct Refused {  // bad options, unsupported feature, no such device, a run that was corrupt or lost
  size_t task = 0;
  bool unsupported = false;
  std::string why, hint;
};
using Message = std::variant<Started, Ran, Finished, Refused>;

// The tasks in order; each ends with Finished or Refused. False: `on_message` or the job stopped it.
bool run_tasks(const std::vector<Task>& tasks, double patience, Job& job,
               const std::function<bool(const Message&)>& on_message);

// ---- the store -------------------------------------------------------------------------------------------
std::string stored_name(const device::Info& info);  // "cuda NVIDIA H200"; "cpu"
// As the test is printed, without its name and remarks.
std::string hash_of(const axb::Test& test);
store::ProgressRecord record_of(const axb::Test& test, const Options& options, const Started& started, const Ran& ran);
// The run that a record keeps. Bad input: words that no record_of wrote.
Expected<Run> run_of(const store::ProgressRecord& record);

// Whether the first runs, from number 0, decide the rest.
bool settled(const std::map<uint32_t, Run>& runs);

}  // namespace fencepost::trial

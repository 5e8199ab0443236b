#pragma once
// Conducts a campaign: every test on every device under every configuration until the plan's end, round group after
// round group into a store. What is in the store is not done again, so a campaign that was killed goes on where it was.
//
// Laws. (1) A finished round group is in the store before the next message is read; a killed campaign loses at most the
// group that was running. (2) Groups are numbered from 0 without gaps for each key and their seeds depend on the number
// alone; resuming gives the groups that a run without interruption would have given. (3) A test that hangs or crashes
// costs one child process; the campaign goes on with the next, and says so. (4) A shard does the work whose key hashes
// to it; merged shards are the whole.
#include <functional>
#include <string>
#include <vector>

#include "base/job.h"
#include "campaign/plan_file.h"
#include "campaign/session.h"
#include "store/store.h"

namespace fencepost::campaign {

struct Work {  // one test on one device under one configuration
  campaign::Task task;
  store::Record key;       // key members filled in; driver too
  uint64_t instances = 0;  // done before
  double seconds = 0;
  uint64_t events = 0;
  bool finished = false;  // nothing is left to do
};

struct Progress {
  size_t done = 0, all = 0;  // works
  uint64_t instances = 0;    // of this process
  uint64_t events = 0;
  double part = 0;  // of everything, 0..1, by the plan's ends
  std::string now;  // "MP on cuda NVIDIA H200, default"
};

struct Problem {
  std::string test, device, configuration;
  Diagnostics why;  // refused: unsupported or bad; lost: the child's end
  bool lost = false;
};

struct Report {
  uint64_t added = 0;  // round groups
  uint64_t instances = 0;
  double seconds = 0;
  std::vector<Problem> problems;
  bool stopped = false;  // by the job
};

// Everything the plan asks for, in order: configurations innermost, so that those of one test run close together.
// `devices`: what is there (campaign::find_devices_apart); a device of the plan that is not is an error that says why.
Expected<std::vector<Work>> list_work(const Plan& plan, const std::vector<prog::Test>& tests,
                                      const device::Found& devices, const store::Shard& shard,
                                      const store::Store& store);

Expected<Report> conduct(const Plan& plan, std::vector<Work> work, store::Store& store, Job& job,
                         const std::function<void(const Progress&)>& on_progress);

// Whether a work has reached one of its plan's ends. `options`: as the plan has them, not what is left of them.
bool is_finished(const Options& options, uint64_t instances, double seconds, uint64_t events);

// How a store names a device: "cuda NVIDIA H200"; two of one kind on one machine are the same to it.
std::string stored_name(const device::Info& info);

// A round group as a row.
store::Record record_of(const store::Record& key, const campaign::Setup& setup, const campaign::RoundGroup& group);

}  // namespace fencepost::campaign

#pragma once
// Work on devices in a child process, so that a driver that hangs or dies costs one process. The child is forked before
// any device is opened, opens the device once, runs task after task, and writes what it finds to a pipe; the parent
// reads, and kills a child that says nothing for too long. A task that hung or crashed is reported as such, and a new
// child goes on with the next one (or, `retry`, with the same task's next round group).
//
// Precondition: the calling process has opened no device and runs no other thread that holds a lock (fork).
// The pipe carries messages of a length and JSON; schema internal, one program on both ends.
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "campaign/runner.h"

namespace fencepost::campaign {

struct Task {
  prog::Test test;
  std::string device;  // as open_device takes it
  Options options;
  uint64_t first_group = 0;  // resume: groups before are done
};

struct Started {
  size_t task = 0;
  Setup setup;
};
struct Grouped {
  size_t task = 0;
  RoundGroup group;
};
struct Finished {
  size_t task = 0;
  Totals totals;
};
struct Refused {
  size_t task = 0;
  Diagnostics why;
};  // bad options, unsupported feature, no such device
struct Lost {
  size_t task = 0;
  std::string why;
};  // the child hung, was killed or died
using Message = std::variant<Started, Grouped, Finished, Refused, Lost>;

struct SessionOptions {
  double silence = 120;  // seconds without a message after which the child is killed; grows with launch_limit
};

// Runs the tasks in order. `on_message` returns false to stop everything (the child is killed). Every task ends with
// one of Finished, Refused, Lost. Returns false when it was stopped.
bool run_tasks(const std::vector<Task>& tasks, const SessionOptions& options, Job& job,
               const std::function<bool(const Message&)>& on_message);

// What `devices` finds, asked in a child process too: a driver that crashes at opening is one more line in `absent`.
device::Found find_devices_apart(double seconds);

}  // namespace fencepost::campaign

#pragma once
// Tuning on a device: searches, exploratory data sets and ablations, into a store. Everything measured is a Trial
// there.
//
//   search    per test: the rule's search (search.h), then the winner, the median random configuration and no stress
//             again, in turns, on seeds that the search has not seen
//   explore   per test: every configuration alike, rounds and executions given
//   ablate    per test: {none, bank, stress, both} x {none, random, sync, both}, as tables 3.1 and 3.2 of the 2014
//             thesis
//
// The device is used in a child process, which runs the whole task and says what it measured; a hang or a crash loses
// the part that was running, which is kept as lost, and another child goes on. What the store holds already is not
// measured again: decisions are functions of what was measured, so a task that was killed goes on where it was, and
// makes the decisions it would have made. Results are computed from the store alone (law (1) of search.h).
//
// Units: seconds. Errors: a device that is not there, a store that cannot be written; a test that is refused or lost
// too often is a Problem.
#include <functional>
#include <string>
#include <vector>

#include "base/job.h"
#include "campaign/runner.h"
#include "prog/names.h"
#include "store/store.h"
#include "tune/search.h"
#include "tune/space.h"

namespace fencepost::tune {

struct Task {
  enum class Kind : uint8_t { search, explore, ablate } kind = Kind::search;
  std::vector<prog::Test> tests;
  std::string device = "cpu";     // as campaign::open_device takes it
  std::string device_name;        // as the store names it (campaign::stored_name)
  std::string campaign = "tune";  // the store's name for this task
  uint64_t seed = 1;
  plan::Shape shape;
  plan::Parameters given;         // fixed by the user
  Rule rule;                      // search; explore: configurations and rounds
  uint64_t executions = 10'000;   // explore: at least so many of a configuration, in at least `rule.rounds` rounds
  uint32_t confirm_rounds = 100;  // search: of each of the three
  uint32_t cell_rounds = 200;     // ablate: of each cell
  double launch_limit = 10;
  uint64_t memory_words = 0;  // of a launch; 0: by device, but small enough that a round is short
};
// What a store keeps as the task's plan: a task is resumed only under the same. The budget is not part of it.
std::string plan_text(const Task& t);

struct Confirmed {            // on fresh seeds
  std::string what;           // "winner", "median", "none"
  std::string configuration;  // its name in the store
  std::string parameters;
  Estimate estimate;
  stats::Interval interval;  // of the rate, by resampling rounds
  double stability = 1;      // p-value
};

struct Tuned {  // one test
  prog::Test test;
  std::string test_hash, what_ran, evidence;
  Found found;
  std::vector<Confirmed> confirmed;     // winner, median, none; empty where the search found nothing
  std::vector<std::string> parameters;  // of found.candidates
  bool better_than_median = false, better_than_none = false;  // the intervals are apart
};

struct Cell {
  std::string critical, extra;  // none, bank, stress, both; none, random, sync, both
  Estimate per_second, per_instance;
  stats::Interval interval;  // of weak outcomes per 100,000 instances
};
struct Ablated {
  prog::Test test;
  std::string what_ran;
  std::vector<Cell> cells;  // critical outermost
};

struct Explored {
  prog::Test test;
  std::string what_ran;
  uint32_t configurations = 0, with_events = 0, rounds = 0, unstable = 0, tested = 0;  // tested for stability
  uint64_t instances = 0, events = 0;
  double seconds = 0, device_seconds = 0;
};

struct Problem {
  std::string test;
  Diagnostics why;
  bool lost = false;
};

struct Report {
  std::vector<Tuned> tuned;
  std::vector<Ablated> ablated;
  std::vector<Explored> explored;
  std::vector<Problem> problems;
  uint64_t trials_added = 0, trials_before = 0;
  double seconds = 0;  // of wall time, of this process
  bool stopped = false;
};

struct Progress {
  std::string test, now;     // now: "configuration 17"
  size_t done = 0, all = 0;  // tests
  double part = 0;           // of the test
  double best = -1;          // rate of the best so far
  uint64_t instances = 0;    // of this process
};

Expected<Report> conduct(const Task& task, store::Store& store, Job& job,
                         const std::function<void(const Progress&)>& on_progress);

}  // namespace fencepost::tune

#pragma once
// A campaign's plan: which tests, on which devices, under which configurations, for how long. TOML; run unchanged for
// every test and device, so that what was measured can be compared.
//
//   name = "two-thread families"            # a store knows the campaign by it
//   tests = ["mp*.litmus", "families/"]     # files, folders, * and ? in the last part; relative to the plan
//   devices = ["cuda", "vulkan:0"]
//   seed = 1
//   weakenings = true                       # also every test that is one step weaker than a test that its model
//                                           # forbids
//   model = "ptx-7.5"                       # for weakenings and judge; default: of each test's dialect
//   iterations = 1_000_000_000              # of each test, device and configuration; or seconds = 2.5, or until_events
//                                           # = 100
//   group_seconds = 0.1
//   series = 0                              # weak outcomes kept for each launch, with their place in time
//   [[configuration]]
//   name = "default"
//   mode = "parallel"                       # parallel, warp, single
//   region = "as-written"                   # as-written, shared, global
//   parameters = "stress=0..1,stride=4..64"
//   tests = ["MP", "MP+*"]                  # only tests of these titles (* and ?); then several configurations may
//                                           have # one name, and a test has the first that fits: stress tuned for each
//                                           test
//   give_way = true                         # parameters that a test cannot meet give way (plan/fitted.h), else it is
//                                           # refused
//
// Errors are at their place in the plan: an unknown key (with the nearest), a value out of range, a name used twice.
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "campaign/runner.h"

namespace fencepost::campaign {

struct Configuration {
  std::string name;
  campaign::Options options;       // its seed and its ends are the plan's
  std::vector<std::string> tests;  // patterns of titles; empty: all
  Span at;                         // of `tests` in the plan
  bool applies(const std::string& title) const;
};

struct Plan {
  std::string name;
  std::vector<std::string> tests;  // patterns, made relative to the working folder
  std::vector<std::string> devices;
  std::string model;  // "": by dialect
  bool weakenings = false;
  std::vector<Configuration> configurations;  // at least one
  std::string text;                           // as read, for the store
};

Expected<Plan> read_plan(SourcePtr source);

// Holds the plan's configurations against the titles of its tests. A configuration whose patterns no title meets is an
// error at their line: nothing would be measured. Returns the titles that no configuration takes.
Expected<std::vector<std::string>> left_out(const Plan& plan, const std::vector<std::string>& titles);

// Files that match a pattern: '*' and '?' in its last part; a folder stands for itself. Sorted; nothing is an error.
Expected<std::vector<std::string>> files_of(const std::string& pattern);

}  // namespace fencepost::campaign

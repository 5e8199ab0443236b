#pragma once
// The result of a run for people and for other tools, beside what a model says of each state. The standing is that of
// judge/standing.h.
//
// `text` is for people. `litmus_log` is the log of litmus7, which mcompare7 and its relatives read (States, Ok or No,
// Witnesses, Condition, Observation, Time; further Key=value lines). JSON has the schema fencepost.run/1
// (docs/json.md); CSV one row for each state.
#include <optional>
#include <string>
#include <vector>

#include "campaign/runner.h"
#include "judge/standing.h"
#include "prog/state.h"

namespace fencepost::results {

// What a model says. `complete` false: only the states in it are known to be allowed, and of the others only those in
// `decided` are known at all.
struct Oracle {
  std::string model;
  prog::StateSet states;
  std::string why;                      // incomplete: why, in one clause
  std::vector<std::string> flags = {};  // data races and the like: then the model promises nothing
  std::map<prog::State, judge::Allowed> decided = {};
};
judge::Allowed allowed(const std::optional<Oracle>& oracle, const prog::State& s);

struct Report {
  std::string name;  // of the file, or file and test
  prog::Test test;
  campaign::Options options;
  std::string device;  // as asked for
  campaign::Setup setup;
  campaign::Totals totals;
  std::vector<campaign::RoundGroup> groups;  // kept with --series or --json
  std::optional<Oracle> oracle;
};
judge::Ruling ruling(const Report& r);  // of what was seen; without an oracle nothing is decided
// States that were observed, that the oracle knows to be forbidden, and that count: none of a flagged test.
std::vector<prog::State> forbidden_states(const Report& r);

std::string text(const Report& r);
std::string litmus_log(const Report& r);
std::string json(const Report& r);
inline constexpr const char* k_csv_header =
    "test,device,state,instances,of,seconds,condition,model,verdict,what_ran,evidence,seed\n";
std::string csv(const Report& r);  // without header

}  // namespace fencepost::results

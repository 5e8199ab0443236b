#pragma once
// The result of a run for people and for other tools, beside what a model says of each state.
//
// `text` is for people. `litmus_log` is the log of litmus7, which mcompare7 and its relatives read (States, Ok or No,
// Witnesses, Condition, Observation, Time; further Key=value lines). JSON has the schema fencepost.run/1
// (docs/json.md); CSV one row for each state.
#include <optional>
#include <string>
#include <vector>

#include "campaign/runner.h"

namespace fencepost::campaign {

// What a model says. `complete` false: only the states in it are known to be allowed, and nothing is forbidden.
struct Oracle {
  std::string model;
  prog::StateSet states;
  std::string why;  // incomplete: why, in one clause
};

enum class Judgement : uint8_t { allowed, forbidden, unknown };
const char* name(Judgement j);
Judgement judge(const std::optional<Oracle>& oracle, const prog::State& s);

struct Report {
  std::string name;  // of the file, or file and test
  prog::Test test;
  Options options;
  std::string device;  // as asked for
  Setup setup;
  Totals totals;
  std::vector<RoundGroup> groups;  // kept with --series or --json
  std::optional<Oracle> oracle;
};
// States that were observed and are forbidden by a complete set.
std::vector<prog::State> forbidden_states(const Report& r);

std::string text(const Report& r);
std::string litmus_log(const Report& r);
std::string json(const Report& r);
inline constexpr const char* k_csv_header =
    "test,device,state,instances,of,seconds,condition,model,verdict,what_ran,evidence,seed\n";
std::string csv(const Report& r);  // without header

// "1.23e+09", "12.3 M/s"; shared by the verbs.
std::string rate_text(double per_second);

}  // namespace fencepost::campaign

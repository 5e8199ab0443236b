#pragma once
// The result of a run, held against what a model allows, for people and for other tools. The standing is that of
// judge/standing.h.
//
// `text` is for people. `litmus_log` is the log of litmus7, which mcompare7 and its relatives read (States, Ok or No,
// Witnesses, Condition, Observation, Time; further Key=value lines). JSON has the schema fencepost.run/1
// (docs/json.md); CSV one row for each state.
#include <optional>
#include <string>
#include <vector>

#include "campaign/runner.h"
#include "judge/judge.h"
#include "prog/state.h"

namespace fencepost::results {

struct Report {
  std::string name;  // of the file, or file and test
  prog::Test test;
  campaign::Options options;
  std::string device;  // as asked for
  campaign::Setup setup;
  campaign::Totals totals;
  std::vector<campaign::RoundGroup> groups;  // kept with --series or --json
  std::optional<judge::Allows> allows;       // none: no model was asked
};
judge::Allowed allowed(const Report& r, const prog::State& s);
judge::Ruling ruling(const Report& r);  // of what was seen; without a model nothing is decided
// States that were observed, that the model forbids, and that count: none of a flagged test.
std::vector<prog::State> forbidden_states(const Report& r);

std::string text(const Report& r);
std::string litmus_log(const Report& r);
std::string json(const Report& r);
inline constexpr const char* k_csv_header =
    "test,device,state,instances,of,seconds,condition,model,verdict,what_ran,evidence,seed\n";
std::string csv(const Report& r);  // without header

// ---- a run held against a model, and told -----------------------------------------------------------------
enum class Form : uint8_t { text, csv, json };
struct Told {
  std::string answer, log;  // in the form; litmus_log
  bool forbidden = false;   // a state was seen that the model forbids
  int exit_code = 0;
};
// `r` has all but `allows`. `asked`: none, where no model is.
Told told(Report r, const std::optional<judge::Question>& asked, Form form);

}  // namespace fencepost::results

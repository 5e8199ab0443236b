#pragma once
// What a store holds against what a model allows. In: round groups of a store, a model. Out: for every test on every
// device under every configuration one Judgement: each final state with its count, its rate with an interval, and
// whether the model allows it; and one standing.
//
// Laws. (1) A state is called forbidden only when the model's set of final states is complete, or when `check` has
// decided that very state. (2) The standing is that of judge/standing.h, as in `run`. (3) Never seen is always given
// with the upper bound of its rate, and with what the same stress found: whether the one-step weakenings of the test
// that the model allows were seen on the same device under the same configuration ("sensitivity"); a weakening that a
// compiler changed bites nobody. A plan is a list of configurations, the same for every test: the count over all tests
// takes a test's sensitivity under any of them. (4) Intervals take round groups as samples: they are widened by the
// dispersion between groups. (5) Of a campaign that is not finished only `violated` and `broken_run` are verdicts: what
// is owed is named, and the exit status is that of `undecided`.
//
// Sources: MC Mutants (ASPLOS 2023) for sensitivity; OOPSLA 2020 for rates.
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/job.h"
#include "cat/model.h"
#include "check/check.h"
#include "judge/standing.h"
#include "prog/state.h"
#include "prog/test.h"
#include "stats/interval.h"
#include "stats/sample.h"
#include "store/store.h"

namespace fencepost::judge {

// ---- what was seen ----------------------------------------------------------------------------------
struct Observation {  // of one test on one device under one configuration
  prog::Test test;
  std::string campaign, test_hash, device, driver, configuration, what_ran, evidence;
  std::vector<prog::Observable> observables;
  std::map<prog::State, uint64_t> states;
  std::vector<stats::Batch> groups;  // events: instances with the outcome asked about
  uint64_t instances = 0, corrupt = 0, incomplete = 0, filtered = 0, waits = 0, time_outs = 0;
  uint32_t frame_missing = 0;  // most of any group: stress and alignment are weaker than asked for
  double seconds = 0, device_seconds = 0;
  uint64_t positive() const;  // instances with the outcome that the test asks about
};
// Sums the round groups of a store, and its trials: all configurations of one purpose ("explore", "search") are one
// observation under that name. Groups of one key whose evidence differs have the weaker. Errors: a test whose text
// the store lacks, a state that is none of its test.
Expected<std::vector<Observation>> observations(const store::Store& store, const store::Filter& filter = {});

// ---- weakenings ---------------------------------------------------------------------------------------
struct Weakening {
  prog::Test test;   // title: the original's with "~1", "~2", ...
  std::string what;  // "P0: fence.acq_rel.gpu becomes nothing"
};
// Every test that is one step weaker at one instruction (prog/weaken.h), in the order of the text.
std::vector<Weakening> one_step_weakenings(const prog::Test& test);

// ---- the model ------------------------------------------------------------------------------------------

struct NamedModel {
  const cat::Model* model = nullptr;  // none: the test is left out
  std::string name;
};
// What a model says of the final states of a test: all of them, or else those that somebody asked about.
struct Allows {
  std::string model;
  check::Outcomes outcomes;
  std::string why = {};                         // its states are not complete: why, in one clause
  std::map<prog::State, Allowed> decided = {};  // then also: states beyond them, each asked about by itself
  Allowed of(const prog::State& s) const;
};

// The final states that a model allows, complete, or else decided state by state.
class Oracle {
 public:
  Oracle(const prog::Test& test, const cat::Model& model, const check::Options& options, Job& job);
  Allowed allowed(const prog::State& s);
  Allowed condition();  // the outcome that the test asks about is allowed
  bool complete() const { return outcomes_.states.complete; }
  // Empty where values that nothing fixes make them infinitely many, or where the set is not complete.
  std::vector<prog::State> states() const;
  const std::vector<std::string>& flags() const { return outcomes_.flags; }
  const check::Outcomes& outcomes() const { return outcomes_; }

 private:
  const prog::Test& test_;
  const cat::Model& model_;
  check::Options options_;
  Job& job_;
  check::Outcomes outcomes_;
  std::map<prog::State, Allowed> asked_;
};

struct Question {
  NamedModel model;
  check::Options check;
  double seconds = 10;
};
// Which states the model allows. If listing all of them takes too long, each state that was `seen` is asked about
// alone.
Allows allows(const prog::Test& test, const Question& q, const std::map<prog::State, uint64_t>& seen);

// ---- judging --------------------------------------------------------------------------------------------

struct StateRow {
  prog::State state;
  std::string text;
  uint64_t count = 0;
  Allowed allowed = Allowed::unknown;
  bool positive = false;  // the outcome asked about
  stats::Interval rate;   // per instance; count 0: [0, upper bound]
};

struct SeenWeakening {  // a one-step weakening of a forbidden test
  std::string title, what;
  Allowed allowed = Allowed::unknown;  // its condition
  bool ran = false;
  uint64_t seen = 0, instances = 0;
};

struct Judgement {
  Observation seen;
  std::string model;
  Standing standing = Standing::undecided;
  std::string reason;  // one sentence
  Allowed condition = Allowed::unknown;
  std::vector<std::string> flags;  // data races and the like: then the model promises nothing
  std::vector<StateRow> rows;      // seen, and allowed but not seen; seen ones first, by count
  double dispersion = 1;           // of positive counts between groups, at least 1
  uint64_t positive = 0;
  stats::Interval positive_rate;  // per instance
  stats::Interval positive_per_second;
  std::vector<SeenWeakening> weakenings;  // when the condition is forbidden
  bool is_sensitive() const;              // an allowed weakening was seen under the same stress
};

// What a campaign's plan asks for and the store does not have whole: no verdict rests on a campaign that owes anything.
struct Owed {
  std::string campaign, test, device, configuration;
  uint64_t instances = 0;  // that are there
};
// Of the campaigns of these observations, in the order of the plan's devices, then tests. A test without any row in the
// store is owed by each of them: which one was to run it is not known. Tests that a device refused are among them.
// Campaigns without a plan, single runs and tuning, owe nothing.
Expected<std::vector<Owed>> owed(const store::Store& store, const std::vector<Observation>& seen);
std::string sentence(const std::vector<Owed>& owed);  // how many, and one of them; "" for none

struct Judged {
  std::vector<Judgement> list;  // tests by name, then device, then configuration
  std::vector<Owed> owed;       // filled in by the caller, from owed()
  uint32_t count(Standing s) const;
  uint64_t instances() const;
  // Of the forbidden tests (on one device each) with weakenings that the model allows and that ran: how many have one
  // that was seen under one of the plan's configurations.
  uint32_t forbidden = 0, sensitive = 0;
  int exit_code() const;  // 1 violated or broken_run, 3 suspected, undecided or something owed, else 0
};

// Weakenings of a test are judged as tests of their own where they ran.
struct Judge {
  std::function<NamedModel(const prog::Test&)> model_of;
  check::Options check;
  double seconds_per_test = 20;
};
Judged judge(std::vector<Observation> observations, const Judge& how, Job& job);

// ---- showing --------------------------------------------------------------------------------------------
std::string to_text(const Judged& j);      // a table for people, violated first, then details of those
std::string to_markdown(const Judged& j);  // the table for docs/results
std::string to_csv(const Judged& j);       // one row per state
std::string to_json(const Judged& j);

}  // namespace fencepost::judge

#pragma once
// Published results against models: how often devices showed the outcome that each test asks about, or whole
// histograms, as logs and tables give them. There is no store behind them, so nothing is known of stress, weakenings
// and round groups; judge.h is for those.
//
// Laws. (1) Those of standing.h: what a log does not say ran as written is at most `suspected`. (2) A histogram is
// judged state by state, not only by the outcome asked about. (3) An outcome that was not seen is never held against a
// model: such rows are counted (allowed, not seen), and say only that the model is weaker than what was seen.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/job.h"
#include "check/check.h"
#include "judge/judge.h"
#include "judge/standing.h"
#include "prog/test.h"

namespace fencepost::judge {

struct Sighting {
  std::string name, device;                // as the input names them
  const prog::Test* test = nullptr;        // outlives what is made of it
  uint64_t weak = 0, instances = 0;        // instances 0: not known
  std::map<std::string, uint64_t> states;  // of a histogram; empty: the input has counts of the outcome alone
  std::string what_ran, evidence;          // as in a store; empty: the input does not say
};

struct Sighted {
  Sighting seen;
  std::string model;
  Allowed condition = Allowed::unknown;
  std::string detail;  // why the condition is undecided
  Standing standing = Standing::undecided;
  std::string reason;
};

struct SightedBy {  // one model
  std::string model;
  std::vector<Sighted> list;  // in the order of the input
  uint32_t count(Standing s) const;
};

// By model, in the order given. Errors: a state of a histogram that its test does not have.
Expected<std::vector<SightedBy>> judge_sightings(const std::vector<Sighting>& seen,
                                                 const std::vector<NamedModel>& models, const Judge& how, Job& job);
int exit_code(const std::vector<SightedBy>& all);  // of the worst standing

// For each model and device: rows by what is allowed and what was seen; then each row that is not consistent.
std::string to_text(const std::vector<SightedBy>& all);
std::string to_markdown(const std::vector<SightedBy>& all);  // a row for each test, a column for each model
std::string to_csv(const std::vector<SightedBy>& all);       // a row for each test, device and model
std::string to_json(const std::vector<SightedBy>& all);

}  // namespace fencepost::judge

#pragma once
// Whether a variant of a test keeps the properties of the test. The judge remembers every execution that broke a
// variant and first tries whether one of them, carried over, breaks the next: the reference interpreter runs it and
// the evaluator judges it there, so that the answer rests on an execution of that very variant. Nothing is inferred
// from one variant to another; what no known execution breaks is asked of `check`.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/job.h"
#include "cat/model.h"
#include "check/check.h"
#include "prog/weaken.h"
#include "reference/execution.h"

namespace fencepost::relax {

enum class Outcome : uint8_t { kept, broken, undecided };
const char* name(Outcome o);

struct Decision {
  Outcome outcome = Outcome::undecided;
  check::Property property = check::Property::condition;  // broken, undecided: which
  std::string detail;               // undecided: why; broken without an execution: what is missing
  std::optional<uint32_t> witness;  // broken: which of the judge's executions breaks it
};

// An execution by its choices, in the places of the test as written; inserted fences are k_inserted + instruction.
struct Witness {
  reference::Choices choices;
  check::Property property = check::Property::condition;
  prog::LoopBounds bound = 1;  // under which it was found
};

struct Counts {
  uint64_t asked = 0;       // calls of check
  uint64_t replayed = 0;    // variants broken by an execution known before
  uint64_t remembered = 0;  // asked for twice
};

class Judge {
 public:
  // `test` is asked with `keep`: its condition, as a question whose good answer is `holds`, and the other properties.
  Judge(const prog::Test& test, const cat::Model& model, const check::Options& options,
        std::vector<check::Property> keep, const std::vector<prog::Site>& sites, Job& job);

  Decision decide(const prog::Choice& choice);
  // The execution behind a broken variant, as `check` would give it; none when there is none.
  std::optional<check::Result> evidence(const prog::Choice& choice, const Decision& d) const;
  // An execution of the test as written, to begin with.
  void learn(const check::Result& r, check::Property property);
  const Counts& counts() const { return counts_; }

 private:
  std::optional<check::Result> replay(const prog::Variant& v, const Witness& w) const;
  Witness carried_back(const prog::Choice& choice, const prog::Variant& v, const check::Result& r,
                       check::Property p) const;

  const prog::Test& test_;
  const cat::Model& model_;
  check::Options options_;
  std::vector<check::Property> keep_;
  const std::vector<prog::Site>& sites_;
  Job& job_;
  std::map<prog::Choice, Decision> known_;
  std::vector<Witness> witnesses_;
  std::vector<uint32_t> recent_;  // witnesses, the one that last broke something first
  Counts counts_;
};

}  // namespace fencepost::relax

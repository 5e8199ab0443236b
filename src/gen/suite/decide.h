#pragma once
// What a model says of a generated test, and whether it is a smallest forbidden one. Every answer is `check`'s about
// that very test; nothing is inferred from a weaker or stronger one.
#include <string>

#include "base/job.h"
#include "cat/model.h"
#include "check/check.h"
#include "prog/test.h"

namespace fencepost::gen {

enum class Reach : uint8_t {
  allowed,    // some execution of the model ends in the condition
  forbidden,  // none does, and the program has executions
  racy,       // none does, but some execution has a data race or raises another flag: then the model promises nothing
  vacuous,    // the program has none at all (a barrier that nobody else reaches)
  undecided,
};
const char* name(Reach r);
struct Answer {
  Reach reach = Reach::undecided;
  std::string detail;  // undecided: why
};
// The test's condition as a state to reach, whatever its quantifier.
Answer ask(const prog::Test& test, const cat::Model& model, const check::Options& options, Job& job);

// Of a forbidden test: whether each weakening by one step (prog/weaken.h) of one instruction allows the condition.
struct Minimality {
  enum class Kind : uint8_t { minimal, not_minimal, undecided } kind = Kind::minimal;
  std::string step;    // not minimal: a step that leaves it forbidden; undecided: one that could not be decided
  prog::Test weaker;   // not minimal: the test after that step
  uint32_t steps = 0;  // asked
};
Minimality minimality(const prog::Test& test, const cat::Model& model, const check::Options& options, Job& job);

}  // namespace fencepost::gen

// The candidates behind a "no": executions of the program that end as the question asks and that the model does not
// accept. The search is that of `enumerate` with the axioms left out, so the condition prunes first; every candidate is
// rebuilt by the reference interpreter before it is shown to anybody.
#include "base/diagnostic.h"
#include "check/check.h"
#include "check/enumerate_search.h"

namespace fencepost::check {

void forbidden_candidates(const prog::Test& test, const cat::Model& model, const Options& options, Job& job,
                          const std::function<bool(const witness::RunResult&, const witness::Choices&)>& visit) {
  Search search(test, model, job, options.bound);
  Goal goal;
  goal.final = test.quantifier == prog::Quantifier::none     ? Goal::Final::any
               : test.quantifier == prog::Quantifier::forall ? Goal::Final::refutes
                                                             : Goal::Final::satisfies;
  goal.filter = options.filter;
  goal.consistent = false;
  search.run(goal, [&](const Candidate& candidate) {
    const Expected<witness::RunResult> run = witness::run(test, candidate.choices, {.bound = options.bound});
    FENCEPOST_INVARIANT(run.has_value(), "the interpreter refuses a candidate that the search found");
    if (witness::evaluate(model, run->execution).consistent()) return true;
    return visit(*run, candidate.choices);
  });
}

}  // namespace fencepost::check

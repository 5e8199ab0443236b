#pragma once
// Does every execution end? (docs/semantics.md, Liveness). Three ways: `solve` looks for a lasso among the executions
// of the program unrolled up to the bound; `enumerate` builds those executions one by one and looks whether one is a
// lasso; `decide_by_states` explores all states of a program on one location whose accesses the model keeps coherent.
// Whatever violation any of them finds, reference::verify has confirmed.
#include <optional>

#include "check/check.h"

namespace fencepost::check {

// Fills what is shown of a violation: as many rounds of its loops as the lasso gives.
void show_lasso(Result& r, const prog::Test& test, reference::Lasso lasso);

Result termination(const prog::Test& test, const cat::Model& model, const Options& options, Job& job);

Result solve_termination(const prog::Test& test, const cat::Model& model, const Options& options, Job& job);

Result enumerate_termination(const prog::Test& test, const cat::Model& model, const Options& options, Job& job);

// nullopt: the program does not meet the criterion, or has too many states.
// `spent`: gets the work of the solver, also where there is no answer.
std::optional<Result> decide_by_states(const prog::Test& test, const cat::Model& model, const Options& options,
                                       Job& job, Statistics& spent);

}  // namespace fencepost::check

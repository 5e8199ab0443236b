#pragma once
// Law 2 for the enumerating engine: what it reports is built again by the interpreter and judged by the
// concrete evaluator; a difference is our fault and ends the program.
#include <string>

#include "check/enumerate_search.h"
#include "reference/evaluate.h"
#include "reference/run.h"

namespace fencepost::check {

struct ReplayedExecution {
  reference::RunResult run;
  reference::Evaluation evaluation;
};
// `check` off: only runs and evaluates.
ReplayedExecution replay(const prog::Test& test, const cat::Model& model, const Goal& goal, const Candidate& c,
                         const prog::LoopBounds& bound, bool check);

// "bound 2 reached in the loop that jumps back at line 7"
std::string bound_detail(const prog::Test& test, const Search& search, const prog::LoopBounds& bound);

}  // namespace fencepost::check

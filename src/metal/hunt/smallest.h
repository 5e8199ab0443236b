#pragma once
// Greedy reduction, of PTX tests and of programs alike: the first smaller candidate that still fails takes the place of
// the whole, until none does or the job is out of time. Candidates come with the largest steps first, and all of a
// round are compiled together, which costs less than to stop compiling at the first that fails.
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "base/job.h"

namespace fencepost::hunt {

// smaller(c): candidates, one step each. failing(candidates): the first that fails, if one does.
template <class Case, class Smaller, class Failing>
Case smallest(Case c, const Job& job, const Smaller& smaller, const Failing& failing) {
  while (!job.out_of_time()) {
    std::vector<Case> candidates = smaller(c);
    if (candidates.empty()) break;
    const std::optional<size_t> n = failing(candidates);
    if (!n) break;
    c = std::move(candidates[*n]);
  }
  return c;
}

}  // namespace fencepost::hunt

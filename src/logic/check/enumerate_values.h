#pragma once
// Values that read and write each other in a circle: rf and data dependencies need not be grounded, so a
// set of equations over the values of some reads has to be solved. Decided exactly, by bit-blasting.
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "base/job.h"
#include "check/enumerate_paths.h"
#include "prog/names.h"
#include "prog/state.h"
#include "sat/solver.h"

namespace fencepost::check {

struct Equations {
  std::vector<std::pair<Expr, Expr>> equal;
  std::vector<Constraint> constraints;
};
using Solution = std::map<uint64_t, uint64_t>;  // by variable

// sat: `solution` gives every variable that occurs a value. unknown: the job ran out of time.
sat::Answer solve(const Equations& problem, const Job& job, Solution& solution);

enum class Tri : uint8_t { no, yes, unknown };
Tri tri(bool b);

// The terms that stand for final values; an empty term is not known yet.
struct FinalTerms {
  std::function<Expr(uint32_t thread, prog::RegId)> reg;
  std::function<Expr(prog::ObjectId, uint64_t cell)> memory;
};
// Value of a condition as far as it is known.
Tri evaluate(const prog::Test& test, const prog::Cond& c, const FinalTerms& final, const term::Env& env);
// The condition as a term of width 1; every final value must be known as a term.
Expr condition_term(const prog::Test& test, const prog::Cond& c, const FinalTerms& final);

}  // namespace fencepost::check

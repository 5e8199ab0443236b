#pragma once
// Satisfiability of formulas: bit-blasting into logic/sat, uninterpreted functions by congruence added where a model
// breaks it. Complete for what a Pool can express; `unknown` only when the job runs out of time.
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/job.h"
#include "formula/pool.h"
#include "sat/circuit.h"
#include "sat/solver.h"

namespace fencepost::formula {

enum class Answer : uint8_t { sat, unsat, unknown };

// An assignment of all variables (those that the formula did not mention are 0) and a table for every function.
class Model {
 public:
  uint64_t value(const Pool& pool, Term t) const;
  std::unordered_map<uint64_t, uint64_t> variables;
  struct Application {
    uint64_t symbol;
    std::vector<uint64_t> arguments;
    uint64_t value;
  };
  std::vector<Application> applications;

 private:
  mutable std::unordered_map<uint32_t, uint64_t> memo_;
};

struct Statistics {
  uint64_t folded = 0;  // answered by rewriting alone
  uint64_t solved = 0;  // by the solver
  uint64_t clauses = 0;
  double seconds = 0;
};

// Facts that may matter to a question: only those that share a variable or a function with it, directly or through
// other facts, are given to the solver. Leaving out a fact can only make an unsatisfiable question satisfiable when the
// facts contradict each other; `facts_consistent` tells.
class Facts {
 public:
  void add(const Pool& pool, Term fact, uint32_t position);
  // Of those before `position`.
  std::vector<Term> relevant(const Pool& pool, std::vector<Term> goal, uint32_t position) const;
  struct Fact {
    Term term;
    uint32_t position;
    std::vector<uint64_t> names;  // variables, and functions offset by k_function
  };
  const std::vector<Fact>& all() const { return facts_; }

 private:
  std::vector<Fact> facts_;
};

Answer solve(const Pool& pool, const std::vector<Term>& conjunction, const Job& job, Model* model,
             Statistics& statistics);

}  // namespace fencepost::formula

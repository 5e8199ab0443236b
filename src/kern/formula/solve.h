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

// The variables that occur in a term, and the functions, numbered from k_function on.
inline constexpr uint64_t k_function = uint64_t{1} << 40;
std::vector<uint64_t> names(const Pool& pool, Term t);

class Second;  // second.h

// Questions about the terms of one pool that come one after the other: what they share is encoded once.
class Session {
 public:
  // `second` hears every question that is not answered by rewriting alone, with our answer.
  explicit Session(const Pool& pool, Second* second = nullptr);
  ~Session();
  Answer solve(const std::vector<Term>& conjunction, const Job& job, Model* model, Statistics& statistics);

 private:
  struct State;
  const Pool& pool_;
  Second* second_;
  std::unique_ptr<State> state_;
};

Answer solve(const Pool& pool, const std::vector<Term>& conjunction, const Job& job, Model* model,
             Statistics& statistics);

}  // namespace fencepost::formula

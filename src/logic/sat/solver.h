#pragma once
// The satisfiability interface: literals are non-zero integers, -x is the negation of x. One
// implementation, over CaDiCaL (MIT licence; A. Biere et al.), chosen for its incremental interface.
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/job.h"

namespace fencepost::sat {

using Lit = int32_t;

enum class Answer : uint8_t { sat, unsat, unknown };

class Solver {
 public:
  virtual ~Solver() = default;
  virtual void add_clause(std::span<const Lit> clause) = 0;
  // unknown: the job ran out of time.
  virtual Answer solve(std::span<const Lit> assumptions, const Job& job) = 0;
  virtual bool value(Lit l) const = 0;  // after sat
  virtual uint64_t conflicts() const = 0;
};

std::unique_ptr<Solver> make_cadical();

}  // namespace fencepost::sat

#pragma once
// The satisfiability interface: literals are non-zero integers, -x is the negation of x. One
// implementation, over CaDiCaL (MIT licence; A. Biere et al.), chosen for its incremental interface.
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/job.h"

namespace fencepost::sat {

using Lit = int32_t;

enum class Answer : uint8_t { sat, unsat, unknown };

// What a solver has done so far, as it counts it itself: conflicts, decisions, literals that unit propagation set
// (while it searched, and between).
struct Effort {
  uint64_t conflicts = 0, decisions = 0, propagations = 0;
  Effort& operator+=(const Effort& x) {
    conflicts += x.conflicts;
    decisions += x.decisions;
    propagations += x.propagations;
    return *this;
  }
  bool operator==(const Effort&) const = default;
};

class Solver {
 public:
  virtual ~Solver() = default;
  virtual void add_clause(std::span<const Lit> clause) = 0;
  // unknown: the job ran out of time.
  virtual Answer solve(std::span<const Lit> assumptions, const Job& job) = 0;
  virtual bool value(Lit l) const = 0;  // after sat
  // nullopt: the library that was linked does not say.
  virtual std::optional<Effort> effort() = 0;
};

std::unique_ptr<Solver> make_cadical();

}  // namespace fencepost::sat

#pragma once
// Free values of a candidate: reads on rf-data cycles and undefined initial values, of which the equations of the
// candidate leave more than one solution. There may be 2^64 of them, so the search does not visit each. It visits one
// for each way in which barriers can meet (`meeting_of`), and, where outcomes are asked for, one for each final state
// that can be told from the others (`list_values`, `shown_by`).
#include <functional>
#include <optional>
#include <vector>

#include "base/job.h"
#include "check/enumerate_combination.h"
#include "check/enumerate_values.h"
#include "prog/test.h"
#include "term/term.h"

namespace fencepost::check {

// What decides which barriers meet, as the solution has it: which ids are equal, to each other and to the constant
// ids of the code, and how each quorum stands to the numbers of arrivals that are possible. Solutions of one meeting
// have the same barriers; there are finitely many. `known` puts decided values into a term.
Expr meeting_of(const prog::Test& test, const Combination& c, const std::function<Expr(const Expr&)>& known,
                const Solution& s);

struct Observed {
  Expr value;         // at the end, decided values put in
  uint8_t width = 0;  // of the register or the cell
};

// Which observables are free, and printed so: those that are one variable of which nothing else is said. The others
// are listed value by value, up to 64 final states of one candidate; if there are more, these too are called free.
struct Listing {
  std::vector<bool> free;  // by observable
  bool loose = false;      // some free value stands for more than the program gives
};
// `barriers`: ids and quorums of the arrivals, decided values put in. Nullopt: the job ran out of time.
std::optional<Listing> list_values(const Equations& base, const std::vector<Observed>& observed,
                                   const std::vector<Expr>& barriers, const Job& job);

// What a solution shows: the values that are listed, and whether `condition` holds.
Expr shown_by(const Solution& s, const std::vector<Observed>& observed, const std::vector<bool>& free,
              const Expr& condition);

}  // namespace fencepost::check

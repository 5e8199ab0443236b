#pragma once
// The smallest program with a fault, and which other programs have the same one.
//
// Reduction turns an operation into a simpler one as long as the fault stays: seq_cst and acq_rel into acquire or
// release, any order into relaxed, a compare-exchange into an addition. So the operation at fault in the smallest
// program stands for others than those of its own kind: for all that a reduction could have turned into it (`covers`).
// That one of these has the fault is asked, not assumed: `weakened` makes it the operation at fault, and the program
// must fail still.
#include <optional>

#include "base/job.h"
#include "translation/judge.h"

namespace fencepost::translation {

// Every statement is possible, and a condition has a result before it.
bool is_well_formed(const Program& p);

// Could a reduction of s have ended with the culprit?
bool covers(const Statement& culprit, const Statement& s);
// The same kind of operation, order and spelling: one signature.
bool is_of_kind(const Statement& culprit, const Statement& s);
// s, which the culprit covers, with its order and kind.
Statement weakened(Statement s, const Statement& culprit);

// The smallest program of the same kind of fault that was found, and what is at fault in it.
struct Reduced {
  Program program;
  Judged judged;
  std::optional<Statement> culprit;
  std::optional<Spelling> repair;  // that makes it right
};
Reduced reduced(const Configuration& c, const Program& p, const Models& models, double seconds, const Job& job);

}  // namespace fencepost::translation

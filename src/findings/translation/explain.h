#pragma once
// Are known faults the reason that a program fails?
//
// They are if the program is right once every operation that they may have spoilt is spelt otherwise, and if those of
// these operations that are at fault have the known faults: each is of a signature's kind, or the program still fails
// when it is weakened to that kind. Which ones are at fault is asked of each alone. Where none is, several are
// together: an acquiring operation and a releasing one behind it stay in order by either, so that both must lose
// theirs.
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "translation/judge.h"

namespace fencepost::translation {

// A known fault of a compiler: the operation that is compiled wrongly in the smallest program, and another spelling of
// this operation with which the program is compiled rightly.
struct Repair {
  std::string signature;
  Statement culprit;
  Spelling spelling = Spelling::ref;
};

// A statement that a known fault may have spoilt.
struct Site {
  size_t thread = 0, at = 0;
  std::vector<const Repair*> covering;
  Statement& in(Program& p) const { return p.threads[thread].body[at]; }
  const Statement& in(const Program& p) const { return p.threads[thread].body[at]; }
};

// A program that fails, and what is asked of it to find out whether known faults are the reason.
struct Case {
  uint64_t test = 0;
  Program program, all;  // as drawn; with every site spelt otherwise
  std::vector<Site> sites;
  std::set<std::string> proven;  // signatures
  std::optional<Program> rest;   // fails by something else
};
// Nothing where no known fault may have spoilt a statement. The repairs must outlive the case.
std::optional<Case> case_of(uint64_t test, const Program& program, const std::vector<Repair>& repairs);

// Compiles programs and judges them; fewer answers than programs if the time is over.
using Ask = std::function<std::vector<Judged>(const std::vector<Program>&)>;
// Fills `proven` and `rest` of cases whose `all` is right. Each has one of them afterwards, unless the time was over or
// the compiler does not do the same each time.
void prove(const std::vector<Case*>& cases, const Ask& ask);

}  // namespace fencepost::translation

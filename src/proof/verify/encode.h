#pragma once
// The naive encoding: a test under a model, as a circuit whose satisfying
// inputs are the consistent executions in question.
//
// Input: a program, the prelude and the model, a bound for loops, and what is
// asked. Output: events and demands. Every demand is a rule of
// docs/semantics.md or of the model, put to particular events; so each clause
// is obeyed by every execution that the statement speaks of. Nothing is left
// out for symmetry, nothing is ruled out beforehand by bounds of relations: an
// event, a pair or a bit is missing only where it is constant by the text of
// the program.
//
// docs/certificates.md lists the rules by the names that labels carry.
#include <optional>

#include "verify/cat.h"
#include "verify/program.h"

namespace fencepost::verify {

struct Event {
  int thread = -1;                  // -1: an initial write
  std::string name;                 // "P0:3", the instruction's position in the code; "P0:3/1"
                                    // in a later iteration
  std::string text;                 // as written
  std::map<std::string, Lit> tags;  // the condition under which the event has the tag
  Lit exec = k_true;
  bool read = false, write = false;
  int symbol = -1, object = -1;
  int width = 64;
  Word value{};                         // reads and writes
  int partner = -1;                     // the read of an rmw: its write
  std::map<int, Lit> data, addr, ctrl;  // from which reads, and when
  // Barriers.
  const Instr* barrier = nullptr;
  Lit arrived = k_false;
  Word ordinal{};  // how many arrivals its thread had there before
  Word id{}, quorum{};
};

struct Question {
  bool races = false;  // else the test's condition
  bool use_filter = true;
  uint64_t bound = 1;  // each loop goes back less than this many times
};

struct Encoding {
  Circuit circuit;
  std::vector<Event> events;
  bool bounded = false;   // some loop may go beyond the bound
  Lit partial = k_false;  // races: some thread was left behind in a loop
};

// Throws NotCertified or BadText.
Encoding encode(const Program& program, const CatModel& prelude, const CatModel& model, const Question& question);

// The threads of the program as events, in `out`. `known` gives bits of reads
// that are constant, by the name of the event.
using KnownBits = std::map<std::string, std::array<std::optional<bool>, 64>>;
void unroll(const Program& p, const Question& q, const KnownBits& known, Encoding& out,
            std::vector<std::vector<Word>>& final_registers, std::vector<Lit>& complete);

// The value of an expression; `leaf` gives those of "reg", "old", "final" and "address". A truth value is 0 or 1.
Word evaluate(Circuit& c, const Expr& e, const std::function<Word(const Expr&)>& leaf);

}  // namespace fencepost::verify

#pragma once
// An infinite execution as a finite value: a prefix, and a loop that some threads repeat for ever while the others have
// ended, are blocked at barriers or are never scheduled again (docs/semantics.md, Liveness). The judge of liveness:
// whatever an engine finds is played here, more rounds of it than the engine saw, before anybody hears of it.
//
// The choices of a lasso cover the first rounds of every loop (`given`); further rounds repeat the last given one,
// shifted: a read of the prefix reads the same write again, a read of the loop reads the write as many rounds back.
#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "cat/model.h"
#include "reference/evaluate.h"
#include "reference/progress.h"
#include "reference/run.h"

namespace fencepost::reference {

// What a read in the loop may go on reading for ever.
//   co: only a write that no write of its location follows in co.
//   scoped: a later write may be missed for ever if it is out of scope: not related to the read by `sr`, and of another
//   thread.
enum class Fairness : uint8_t { co, scoped };
const char* name(Fairness f);

enum class Fate : uint8_t {
  ended,
  blocked,  // at a control barrier that never passes
  halted,   // never scheduled again
  running,  // repeats its loop for ever
};
const char* name(Fate f);

struct ThreadLasso {
  Fate fate = Fate::ended;
  uint64_t prefix = 0;  // running: instructions before the loop; halted: instructions executed
  uint64_t cycle = 0;   // running: instructions in one round
  uint32_t given = 0;   // running: rounds that the choices cover, 1 or 2
};

struct Lasso {
  Choices choices;
  std::vector<ThreadLasso> threads;
};

// The rounds of an execution's events: -1 in the prefix.
struct LassoRun {
  RunResult run;
  std::vector<int32_t> round;
};

// Plays `rounds` rounds of every loop (at least as many as are given). Errors: the choices do not fit the program.
Expected<LassoRun> play(const prog::Test& test, const Lasso& lasso, uint32_t rounds);

// Why this is no violation of termination, or nothing: the judge's word. Checks, on the executions with 2, 3 and 4
// rounds, that the model allows them; that every loop ends where it began, with the same live registers; that whoever
// is blocked stays blocked; that reads of the loop are fair; that the scheduler keeps its promise; that somebody does
// not end.
Expected<void> verify(const prog::Test& test, const cat::Model& model, const Lasso& lasso, const Progress& progress,
                      Fairness fairness);

// The same, and what kind of fault it is. `not_repeated`: the given rounds are as they should be, and more of them,
// made by the rule above, are not. Then there may still be another way to go on, so nobody may conclude that there is
// none.
struct Judgement {
  enum class Kind : uint8_t { confirmed, no_lasso, not_repeated } kind = Kind::confirmed;
  std::string why;
};
Judgement judge(const prog::Test& test, const cat::Model& model, const Lasso& lasso, const Progress& progress,
                Fairness fairness);

// Whether the read of event `r` may miss the write of event `w` for ever, although it follows in co what r reads.
bool may_miss(const Execution& x, uint32_t r, uint32_t w, Fairness fairness);

}  // namespace fencepost::reference

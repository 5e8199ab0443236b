#pragma once
// Decides a test under a model. Two engines that share only prog, cat and the reference interpreter that
// replays every execution either of them finds.
#include <functional>
#include <optional>
#include <string>

#include "base/diagnostic.h"
#include "base/job.h"
#include "base/verdict.h"
#include "bounds/rules.h"
#include "cat/model.h"
#include "prog/loop_bounds.h"
#include "prog/names.h"
#include "prog/state.h"
#include "reference/evaluate.h"
#include "reference/lasso.h"
#include "reference/run.h"
#include "sat/solver.h"

namespace fencepost::check {

enum class Engine : uint8_t { automatic, enumerate, solve, both };
enum class Property : uint8_t { condition, races, termination };
const char* name(Engine e);
const char* name(Property p);

struct Options {
  Engine engine = Engine::automatic;
  Property property = Property::condition;
  prog::LoopBounds bound = 1;
  // Doubles the bounds of the loops that reached theirs until the answer is not unknown; at most k_auto_bound without a
  // deadline.
  bool auto_bound = false;
  bool replay = true;            // law 2; only mutation tests switch it off
  bool companion = true;         // law 2: satisfiable companion behind every unsatisfiable query
  bool filter = true;            // `filter` clauses are hard constraints on every query
  reference::Progress progress;  // termination: what the scheduler promises
  reference::Fairness fairness = reference::Fairness::co;  // termination: what a read in a loop may go on reading
  bool explicit_state =
      true;  // termination, engine automatic: decide finite programs by their states where that is exact
  // solve: leave out iterations that had no effect, where that loses nothing (encode/reduction.h). Then the bound
  // counts only iterations with an effect, so that an answer may be given that would else be unknown; check() sets it
  // for auto_bound, unless the engine is `both`.
  bool reduce = false;
  // solve, condition and races: that nothing is found within the bound is known, from a question of the same bound that
  // counts fewer iterations; asked is whether the bound hides something.
  bool nothing_found = false;
  bool symmetry = true;      // solve: of executions that differ in the order of exchangeable threads, look at one
  std::optional<bool> lazy;  // solve: learn the model's constraints from violations; empty: when the problem is large
};

inline constexpr uint32_t k_auto_bound = 32;

// Processor seconds of this thread, by what is done. After check() their sum is all that it took.
struct Phases {
  double leave_out = 0;  // which iterations may be left out (encode/reduction.h, weaker.h, repeats.h)
  double program = 0;    // unrolling, clauses of the program, symmetry
  double settle = 0;     // what needs no search (encode/model_bounds.cpp)
  double model = 0;      // clauses of the model
  double search = 0;     // the solver
  double replay = 0;     // reading executions off, and the judge
  double other = 0;      // enumerating, exploring states, and whatever is in no other phase
  double sum() const { return leave_out + program + settle + model + search + replay + other; }
};

struct Statistics {
  double seconds = 0;
  uint64_t candidates = 0;              // enumerate: complete executions looked at
  uint64_t clauses = 0, variables = 0;  // solve: over all queries and bounds
  sat::Effort effort;                   // of the solver
  bool effort_known = true;             // false: not what it says (sat/solver.h)
  uint64_t queries = 0, settled = 0;    // questions, and those that needed no search
  uint64_t rounds = 0;                  // of bounds and propagation, over all queries
  bounds::Fired rules;                  // that said something new in them
  Phases phases;
  uint64_t symmetric_runs = 0;  // solve: lists of exchangeable threads or groups, over all queries
  Engine decided_by = Engine::automatic;
  void add(const Statistics& before);              // the work of an earlier bound, or of another engine
  void add(const std::optional<sat::Effort>& of);  // of a solver that has done its work
};

struct Result {
  Verdict verdict;
  prog::LoopBounds bound = 0;         // the bounds that it was decided at
  std::vector<prog::LoopId> reached;  // unknown: loops that go beyond them, as far as known
  bool every_iteration = false;       // unknown: told with every iteration counted
  // Present whenever the verdict rests on an execution, already replayed: a witness of exists, a counter-
  // example of forall / ~exists, a racy execution.
  std::optional<reference::RunResult> execution;
  std::optional<reference::Choices> choices;
  std::optional<reference::Lasso> lasso;  // termination that fails; `execution` shows two rounds of its loops
  std::vector<int32_t> round;             // termination that fails: by event of `execution`, -1 in the prefix
  std::vector<std::string> flags;         // names of raised flags in that execution
  bool reachable = false;                 // whether the condition (exists, ~exists) or its negation (forall) is reached
  Statistics stats;
};

// Whether the model knows every scope that the test's instructions name (cat::Model::knows_clusters), every location
// lies in one address space, and the question says of which work-group's local memory it speaks (both but for
// cat::Model::any_space). What follows asks this too and then answers `unsupported`.
Expected<void> fits(const prog::Test& test, const cat::Model& model);
// The test as the model reads it, where that is another than written: under models of published tables local memory is
// one for all work-groups (cat::Model::any_space), and PTX barriers wait for those whose code has them
// (cat::Model::mentioned_barriers); volatile accesses of CUDA C++ are plain under models with a set `A \ VOLATILE`.
std::optional<prog::Test> as_read(const prog::Test& test, const cat::Model& model);

// `condition`: exists C holds iff some complete consistent execution satisfies C; ~exists C iff none does;
// forall C iff all do; no condition holds iff a complete consistent execution exists... vacuously true, as
// herd treats it. `races`: holds iff no consistent execution (complete or not) raises a flag.
// `termination`: holds iff no consistent execution goes on for ever (or blocks for ever) while the scheduler keeps its
// promise and memory is fair (docs/semantics.md, Liveness).
// Engine both: a disagreement between engines is an internal error (exit 4), never a verdict.
Result check(const prog::Test& test, const cat::Model& model, const Options& options, Job& job);

// One engine alone.
Result enumerate(const prog::Test& test, const cat::Model& model, const Options& options, Job& job);
Result solve(const prog::Test& test, const cat::Model& model, const Options& options, Job& job);

// All final states of complete consistent executions, with the number that satisfy / refute the condition.
struct Outcomes {
  prog::StateSet states;
  std::vector<prog::Observable> observables;
  uint64_t positive = 0;  // executions that satisfy the condition; by solving, final states
  uint64_t negative = 0;
  bool bound_hit = false;
  bool loose = false;  // free values stand for more than the program gives: what they cover may not be reachable
  prog::LoopBounds bound = 0;  // the bounds that it was decided at
  // Raised by some execution; complete if the states are.
  std::vector<std::string> flags;     // those that make the program undefined (check/races.h)
  std::vector<std::string> findings;  // those that do not: data races of PTX
  Verdict status;                     // holds = complete; gave_up, unknown otherwise
};
Outcomes outcomes(const prog::Test& test, const cat::Model& model, const Options& options, Job& job);
// The same set by repeated solving with blocking clauses; used to hold the engines against each other.
Outcomes outcomes_by_solving(const prog::Test& test, const cat::Model& model, const Options& options, Job& job);

// Candidate executions that satisfy the condition but are not consistent: for `explain` on forbidden tests.
// Calls back with each until it returns false. Values, rf and completeness are respected; axioms are not.
void forbidden_candidates(const prog::Test& test, const cat::Model& model, const Options& options, Job& job,
                          const std::function<bool(const reference::RunResult&, const reference::Choices&)>& visit);

}  // namespace fencepost::check

#pragma once
// Depth-first search through every candidate execution of a test: control paths, rf, last writes, fence
// order, quorum sets, co. After each choice the model is evaluated on what is decided so far, by intervals
// (reference/interval.h); values prune as soon as they are known; what is asked of the final state is
// checked before any axiom that needs co.
//
// Under a partial co all partial orders are visited, the sparsest first.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/job.h"
#include "cat/model.h"
#include "check/enumerate_combination.h"
#include "check/enumerate_paths.h"
#include "check/enumerate_values.h"
#include "prog/names.h"
#include "prog/state.h"
#include "reference/execution.h"

namespace fencepost::check {

// Which candidates are wanted.
struct Goal {
  enum class Final : uint8_t { any, satisfies, refutes } final = Final::any;  // the condition, on the final state
  enum class Stops : uint8_t { all_end, some_cut, some_stop, any } stops = Stops::all_end;
  bool flagged = false;    // raises a flag of the model
  bool filter = true;      // satisfies the filter; then no thread is cut, since what it ends with is not known
  bool consistent = true;  // satisfies the model; false: axioms are not looked at
  std::vector<prog::Observable> observe;                        // fills Candidate::state
  std::function<bool(const std::vector<const Path*>&)> wanted;  // which choices of one path per thread; empty: all
};

struct Candidate {
  reference::Choices choices;
  prog::State state;               // of the observables asked for
  bool satisfies = false;          // the condition holds of it (with free values: for some of them)
  std::vector<uint32_t> raised;    // flags, by axiom
  std::vector<const Path*> paths;  // by thread; valid as long as the search
};

enum class SearchEnd : uint8_t { exhausted, stopped, gave_up };

class Search {
 public:
  Search(const prog::Test& test, const cat::Model& model, const Job& job, const prog::LoopBounds& bound,
         PathKind kind = PathKind::safety);
  ~Search();
  // Calls back with every candidate until it returns false.
  SearchEnd run(const Goal& goal, const std::function<bool(const Candidate&)>& visit);
  uint64_t candidates() const;  // looked at, consistent or not, over all runs
  // Some candidate's free values were too many to list: they stand for values that the program may not give, alone or
  // together.
  bool is_loose() const;
  // Whether some thread may stop in a loop with effects, and the first jump that does.
  bool has_cut() const;
  std::optional<std::pair<uint32_t, uint32_t>> first_cut() const;  // thread, instruction

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace fencepost::check

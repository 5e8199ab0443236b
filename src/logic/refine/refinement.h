#pragma once
// Refinement: a program may replace another if it does nothing new. Decided on complete sets of outcomes, compared
// over the observables that both programs have, by their text ("1:r0", "x").
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cat/model.h"
#include "check/check.h"
#include "prog/state.h"

namespace fencepost::refine {

struct Refinement {
  // holds (vacuously if no execution of the target ends), or not. Of a source that is undefined: holds, with the flag.
  Verdict verdict;
  std::vector<prog::Observable> observables;    // of the target, those that the source has too
  size_t source_states = 0, target_states = 0;  // after projection to the observables
  std::vector<prog::State> new_states;          // of the target, not of the source; over `observables`
  std::vector<std::string> new_flags;           // raised by the target only
  // The source raises a flag that undefines it (check/races.h), so that everything is allowed. The new states and flags
  // are then what would be new if the flag were disregarded; none if the source's states are not all known.
  bool undefined = false;
  bool race = false;                       // `execution` shows a new flag, not a new state
  std::optional<check::Result> execution;  // of the target: the first new thing
};

// A flag that undefines the source allows everything to the target. Other flags (races under PTX models) are compared:
// the target may raise none that the source does not. `options.property` is not used. An error when the programs have
// no observable in common.
Expected<Refinement> refine(const prog::Test& source, const prog::Test& target, const cat::Model& model,
                            const check::Options& options, Job& job);

// The same between two dialects, each judged by its own model. A source that raises a flag (a race) allows everything;
// the target may not raise one where the source does not. Values are compared as signed numbers. `names`: what the
// source calls an observable of the target ("param_3[0]" -> "0:r0"), for those that it calls otherwise.
using Names = std::map<std::string, std::string>;
Expected<Refinement> refine(const prog::Test& source, const cat::Model& source_model, const prog::Test& target,
                            const cat::Model& target_model, const check::Options& options, Job& job,
                            const Names& names = {});

// The target with the question "exists: these observables have these values" (free values are left open).
prog::Test asking_for(const prog::Test& test, const std::vector<prog::Observable>& obs, const prog::State& s);

}  // namespace fencepost::refine

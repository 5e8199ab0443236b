#pragma once
// Chooses what to ask of a random program so that both answers are frequent and neither is trivial: the states
// that a model allows are known, so a question about one of them is answered yes, and a question about a state
// that only a model without axioms allows is answered no for a reason that lies in the model.
#include "check/check.h"
#include "program.h"

namespace fencepost::fuzz {

struct Allowed {
  std::vector<prog::Observable> observables;
  std::vector<prog::State> states;      // of the pivot model
  std::vector<prog::State> candidates;  // of the model without axioms; may be empty
};

// A filter that some state satisfies.
Conjunction choose_filter(Rng& rng, const Allowed& allowed);

// A question whose verdict under the pivot model is `holds` or `fails` as wanted (if the states are complete).
Question choose_question(Rng& rng, const Allowed& allowed, bool wanted);

}  // namespace fencepost::fuzz

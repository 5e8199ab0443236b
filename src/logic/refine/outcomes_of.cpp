#include "refine/outcomes_of.h"

#include <algorithm>

namespace fencepost::refine {

namespace {

// The solving engine lists the values that enumerate calls free.
bool has_free(const check::Outcomes& o) {
  return std::any_of(o.states.states.begin(), o.states.states.end(), [](const prog::State& s) {
    return std::any_of(s.begin(), s.end(), [](const prog::StateValue& v) { return v.free; });
  });
}

}  // namespace

check::Outcomes outcomes_of(const prog::Test& test, const cat::Model& model, const check::Options& options, Job& job) {
  using check::Engine;
  if (options.engine == Engine::solve) return check::outcomes_by_solving(test, model, options, job);
  check::Outcomes out = check::outcomes(test, model, options, job);
  if (options.engine != Engine::both) return out;
  const check::Outcomes other = check::outcomes_by_solving(test, model, options, job);
  const bool comparable = out.states.complete && other.states.complete && !has_free(out);
  FENCEPOST_INVARIANT(!comparable || out.states.states == other.states.states,
                      "the two engines found different outcomes");
  return out.states.complete || !other.states.complete ? out : other;
}

std::string why_incomplete(const check::Outcomes& outcomes) {
  if (!outcomes.status.detail.empty()) return outcomes.status.detail;
  if (outcomes.bound_hit) return "a loop reached its bound, see --bound";
  return name(outcomes.status.status);
}

}  // namespace fencepost::refine

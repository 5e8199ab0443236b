#include "compare.h"

#include <fmt/format.h>

#include <algorithm>

#include "prog/test.h"

namespace fencepost::fuzz {

namespace {

bool answered(Status s) { return s == Status::holds || s == Status::fails || s == Status::unknown; }

std::string told(const check::Result& r) {
  return fmt::format("{}{}{}{}", name(r.verdict.status), r.verdict.vacuous ? " (vacuous)" : "",
                     r.verdict.detail.empty() ? "" : ": ", r.verdict.detail);
}

std::optional<Status> verdicts(const prog::Test& test, const cat::Model& model, const CompareOptions& options,
                               check::Property property, Comparison& out) {
  check::Options o;
  o.property = property;
  o.bound = options.bound;
  o.lazy = options.lazy;
  Job first = Job::with_budget(options.seconds);
  const check::Result e = check::enumerate(test, options.reference != nullptr ? *options.reference : model, o, first);
  Job second = Job::with_budget(options.seconds);
  const check::Result s = check::solve(test, model, o, second);
  out.rules |= s.stats.rules;
  if (answered(s.verdict.status) && s.stats.symmetric_runs > 0) {
    ++out.symmetric;
    o.symmetry = false;
    Job third = Job::with_budget(options.seconds);
    const check::Result all = check::solve(test, model, o, third);
    if (answered(all.verdict.status) &&
        (all.verdict.status != s.verdict.status || all.verdict.vacuous != s.verdict.vacuous))
      out.disagreements.push_back(
          fmt::format("{}: solve says {}, with symmetry broken {}", name(property), told(all), told(s)));
  }
  if (!answered(e.verdict.status) || !answered(s.verdict.status)) {
    out.gave_up += (answered(e.verdict.status) ? 0 : 1) + (answered(s.verdict.status) ? 0 : 1);
    // An engine that cannot do what the other can is a difference too.
    if ((e.verdict.status == Status::unsupported) != (s.verdict.status == Status::unsupported) &&
        e.verdict.status != Status::gave_up && s.verdict.status != Status::gave_up)
      out.disagreements.push_back(
          fmt::format("{}: enumerate says {}, solve says {}", name(property), told(e), told(s)));
    return std::nullopt;
  }
  if (e.verdict.status != s.verdict.status || e.verdict.vacuous != s.verdict.vacuous)
    out.disagreements.push_back(fmt::format("{}: enumerate says {}, solve says {}", name(property), told(e), told(s)));
  return e.verdict.status;
}

void outcome_sets(const prog::Test& test, const cat::Model& model, const CompareOptions& options, Comparison& out) {
  check::Options o;
  o.bound = options.bound;
  o.lazy = options.lazy;
  Job first = Job::with_budget(options.seconds);
  const check::Outcomes e = check::outcomes(test, options.reference != nullptr ? *options.reference : model, o, first);
  Job second = Job::with_budget(options.seconds);
  const check::Outcomes s = check::outcomes_by_solving(test, model, o, second);
  if (!e.states.complete || !s.states.complete) {
    out.gave_up += (e.states.complete ? 0 : 1) + (s.states.complete ? 0 : 1);
    return;
  }
  out.outcomes_compared = true;
  const auto missing = [&](const check::Outcomes& from, const check::Outcomes& in, const char* who) {
    for (const prog::State& state : from.states.states) {
      const bool free = std::any_of(state.begin(), state.end(), [](const prog::StateValue& v) { return v.free; });
      if (in.states.states.contains(state) || free) continue;
      // A state with "?" stands for every value there.
      const bool covered = std::any_of(in.states.states.begin(), in.states.states.end(), [&](const prog::State& other) {
        for (size_t i = 0; i < other.size(); ++i)
          if (!other[i].free && other[i].value != state[i].value) return false;
        return true;
      });
      if (!covered) {
        out.disagreements.push_back(
            fmt::format("outcomes: only {} allows {}", who, prog::to_string(from.observables, state)));
        return;
      }
    }
  };
  missing(e, s, "enumerate");
  missing(s, e, "solve");
  if (e.bound_hit != s.bound_hit)
    out.disagreements.push_back(fmt::format("outcomes: enumerate says the bound was {}, solve says {}",
                                            e.bound_hit ? "hit" : "not hit", s.bound_hit ? "hit" : "not hit"));
}

}  // namespace

Comparison compare(const prog::Test& test, const cat::Model& model, const CompareOptions& options) {
  Comparison out;
  out.condition = verdicts(test, model, options, check::Property::condition, out);
  out.races = verdicts(test, model, options, check::Property::races, out);
  if (options.outcomes) outcome_sets(test, model, options, out);
  return out;
}

}  // namespace fencepost::fuzz

#include <algorithm>
#include <set>

#include "cat/lanes.h"
#include "check/check.h"
#include "check/enumerate_replay.h"
#include "check/enumerate_search.h"
#include "check/first_bounds.h"
#include "check/machine.h"
#include "check/races.h"
#include "prog/lanes.h"
#include "prog/test.h"

namespace fencepost::check {

namespace {

Outcomes outcomes_at_bound(const prog::Test& test, const cat::Model& model, const Options& options, Job& job) {
  Outcomes out;
  out.bound = options.bound;
  out.observables = prog::observables(test);
  if (const auto many = prog::too_many_exchanges(test, options.bound)) {
    out.status = {Status::unsupported, *many, false};
    return out;
  }
  Search search(test, model, job, options.bound);
  std::set<uint32_t> raised;

  Goal goal;
  goal.filter = options.filter;
  goal.observe = out.observables;
  SearchEnd end = search.run(goal, [&](const Candidate& c) {
    (c.satisfies ? out.positive : out.negative)++;
    bool is_new = out.states.states.insert(c.state).second;
    for (uint32_t a : c.raised) is_new = raised.insert(a).second || is_new;
    if (is_new) replay(test, model, goal, c, options.bound, options.replay);  // one witness of each state and flag
    return true;
  });

  // Executions that do not end add no states, but flags, and they say whether the bound was reached.
  if (end == SearchEnd::exhausted && search.has_cut()) {
    Goal cut;
    cut.filter = false;
    cut.stops = Goal::Stops::some_cut;
    end = search.run(cut, [&](const Candidate& c) {
      replay(test, model, cut, c, options.bound, options.replay);
      return false;
    });
    out.bound_hit = end == SearchEnd::stopped;
    if (out.bound_hit) end = SearchEnd::exhausted;
  }
  const auto flags = static_cast<size_t>(
      std::count_if(model.axioms.begin(), model.axioms.end(), [](const cat::Axiom& a) { return a.flag; }));
  if (end == SearchEnd::exhausted && raised.size() < flags) {
    Goal stopped;
    stopped.filter = options.filter;
    stopped.flagged = true;
    stopped.stops = Goal::Stops::some_stop;
    end = search.run(stopped, [&](const Candidate& c) {
      bool is_new = false;
      for (uint32_t a : c.raised) is_new = raised.insert(a).second || is_new;
      if (is_new) replay(test, model, stopped, c, options.bound, options.replay);
      return raised.size() < flags;
    });
    if (end == SearchEnd::stopped) end = SearchEnd::exhausted;
  }
  for (uint32_t a : raised)
    (undefines(model, model.axioms[a]) ? out.flags : out.findings).push_back(model.axioms[a].name);

  out.loose = search.is_loose();
  out.states.complete = end == SearchEnd::exhausted && !out.bound_hit;
  if (end == SearchEnd::gave_up)
    out.status = {Status::gave_up, "out of time", false};
  else if (out.bound_hit)
    out.status = {Status::unknown, bound_detail(test, search, options.bound), false};
  else
    out.status = {Status::holds, {}, out.states.states.empty()};
  return out;
}

}  // namespace

Outcomes outcomes(const prog::Test& test, const cat::Model& model, const Options& options, Job& job) {
  if (is_machine(model)) return outcomes_by_machine(test, model, options, job);
  if (prog::has_lanes(test) && !cat::knows_lanes(model)) return outcomes(test, cat::with_lanes(model), options, job);
  if (const auto other = as_read(test, model)) return outcomes(*other, model, options, job);
  if (const auto ok = fits(test, model); !ok) {
    Outcomes none;
    none.observables = prog::observables(test);
    none.status = {Status::unsupported, ok.error().list[0].message, false};
    return none;
  }
  if (job.out_of_time()) {
    Outcomes none;
    none.observables = prog::observables(test);
    none.status = {Status::gave_up, "out of time", false};
    return none;
  }
  Options now = options;
  if (options.auto_bound && now.bound == 1) now.bound = first_bounds(test, model);
  Outcomes out = outcomes_at_bound(test, model, now, job);
  const bool timed = job.deadline != Job::Clock::time_point::max();
  while (options.auto_bound && out.status.status == Status::unknown &&
         (timed || now.bound.largest() * 2 <= k_auto_bound)) {
    now.bound = prog::raised(test, now.bound, {});
    Outcomes next = outcomes_at_bound(test, model, now, job);
    if (next.status.status == Status::gave_up || next.status.status == Status::unsupported) break;
    out = std::move(next);
  }
  return out;
}

}  // namespace fencepost::check

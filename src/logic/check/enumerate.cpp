// The enumerating engine: candidate executions one by one (enumerate_search.h). Everything it reports is
// run again by the reference interpreter and judged by the concrete evaluator.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/trace.h"
#include "cat/lanes.h"
#include "check/check.h"
#include "check/enumerate_replay.h"
#include "check/enumerate_search.h"
#include "prog/lanes.h"
#include "prog/test.h"

namespace fencepost::check {
namespace {

using prog::Quantifier;

class Timer {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

struct Found {
  SearchEnd end = SearchEnd::exhausted;
  std::optional<Candidate> candidate;
};

Found first(Search& search, const Goal& goal) {
  Found out;
  out.end = search.run(goal, [&](const Candidate& c) {
    out.candidate = c;
    return false;
  });
  return out;
}

}  // namespace

std::string bound_detail(const prog::Test& test, const Search& search, const prog::LoopBounds& bound) {
  std::string s = "bound " + prog::to_string(bound) + " reached in the loop";
  if (const auto cut = search.first_cut()) {
    const Span& span = test.instrs(cut->first)[cut->second].span;
    s += span.source ? " that jumps back at line " + std::to_string(span.position().line)
                     : " of thread " + std::to_string(cut->first);
  }
  return s;
}

ReplayedExecution replay(const prog::Test& test, const cat::Model& model, const Goal& goal, const Candidate& c,
                         const prog::LoopBounds& bound, bool check) {
  const auto require = [&](bool ok, const std::string& what) {
    if (!ok) invariant_failed(__FILE__, __LINE__, ("enumerate on " + test.title + ": " + what).c_str());
  };
  auto run = reference::run(test, c.choices, {bound});
  if (!run) require(false, "the interpreter rejects an execution: " + run.error().list[0].message);
  ReplayedExecution out{std::move(*run), {}};
  const reference::Execution& x = out.run.execution;
  out.evaluation = reference::evaluate(model, x);
  if (!check) return out;
  if (goal.consistent) {
    for (uint32_t a : out.evaluation.violated)
      require(false, "the evaluator finds a violation of " + model.axioms[a].name);
    require(out.evaluation.raised == c.raised, "engine and evaluator disagree on flags");
  }
  if (goal.flagged) require(!out.evaluation.raised.empty(), "no flag is raised");
  if (goal.filter) require(reference::satisfies_filter(test, x), "an execution misses the filter");
  if (goal.stops == Goal::Stops::all_end) require(x.complete(), "an execution is not complete");
  if (goal.stops == Goal::Stops::some_cut)
    require(std::any_of(out.run.threads.begin(), out.run.threads.end(),
                        [](const reference::ThreadRun& t) { return t.stop == reference::StopReason::cut; }),
            "no thread is cut");
  if (goal.final != Goal::Final::any)
    require(prog::holds(test, test.condition, x.final) == (goal.final == Goal::Final::satisfies),
            "the final state does not fit the question");
  const prog::State state = prog::state_of(test, goal.observe, x.final);
  for (size_t i = 0; i < c.state.size(); ++i)
    require(c.state[i].free || c.state[i] == state[i],
            "engine and interpreter disagree on the final value of " + goal.observe[i].text);
  return out;
}

Result enumerate(const prog::Test& test, const cat::Model& model, const Options& options, Job& job) {
  const Timer timer;
  Result r;
  r.stats.decided_by = Engine::enumerate;
  Search search(test, model, job, options.bound);
  const auto done = [&](Status s, std::string detail = {}) {
    r.verdict.status = s;
    r.verdict.detail = std::move(detail);
    r.stats.candidates = search.candidates();
    if (trace::on(trace::Room::check))
      trace::say(trace::Room::check, fmt::format("enumerate: {} candidate executions", search.candidates()));
    r.stats.seconds = timer.seconds();
    return r;
  };

  const bool races = options.property == Property::races;
  if (!races && test.quantifier == Quantifier::none) return done(Status::holds);
  if (races && std::none_of(model.axioms.begin(), model.axioms.end(), [](const cat::Axiom& a) { return a.flag; }))
    return done(Status::holds, "the model raises no flags");

  Goal goal;
  goal.filter = options.filter;
  goal.flagged = races;
  goal.stops = races ? Goal::Stops::any : Goal::Stops::all_end;
  if (!races) goal.final = test.quantifier == Quantifier::forall ? Goal::Final::refutes : Goal::Final::satisfies;

  const Found found = first(search, goal);
  if (found.candidate) {
    ReplayedExecution x = replay(test, model, goal, *found.candidate, options.bound, options.replay);
    for (uint32_t a : x.evaluation.raised) r.flags.push_back(model.axioms[a].name);
    r.execution = std::move(x.run);
    r.choices = found.candidate->choices;
    r.reachable = true;
    return done(!races && test.quantifier == Quantifier::exists ? Status::holds : Status::fails);
  }
  if (found.end == SearchEnd::gave_up) return done(Status::gave_up, "out of time");

  // Nothing found: it matters whether the bound hid something, and whether there was anything to find.
  if (search.has_cut()) {
    Goal cut;
    cut.filter = false;
    cut.stops = Goal::Stops::some_cut;
    const Found f = first(search, cut);
    if (f.candidate) {
      replay(test, model, cut, *f.candidate, options.bound, options.replay);
      return done(Status::unknown, bound_detail(test, search, options.bound));
    }
    if (f.end == SearchEnd::gave_up) return done(Status::gave_up, "out of time");
  }
  if (options.companion) {
    Goal any;
    any.filter = options.filter;
    any.stops = Goal::Stops::all_end;  // of races too: where no execution ends, that none is found says next to nothing
    const Found f = first(search, any);
    if (f.end == SearchEnd::gave_up && !f.candidate) return done(Status::gave_up, "out of time");
    if (f.candidate) replay(test, model, any, *f.candidate, options.bound, options.replay);
    r.verdict.vacuous = !f.candidate;
  }
  return done(races || test.quantifier != Quantifier::exists ? Status::holds : Status::fails);
}

void forbidden_candidates(const prog::Test& test, const cat::Model& model, const Options& options, Job& job,
                          const std::function<bool(const reference::RunResult&, const reference::Choices&)>& visit) {
  if (prog::has_lanes(test) && !cat::knows_lanes(model))
    return forbidden_candidates(test, cat::with_lanes(model), options, job, visit);
  if (const auto other = as_read(test, model)) return forbidden_candidates(*other, model, options, job, visit);
  if (prog::too_many_exchanges(test, options.bound)) return;
  Search search(test, model, job, options.bound);
  const bool races = options.property == Property::races;
  Goal goal;
  goal.consistent = false;
  goal.filter = options.filter;
  goal.stops = races ? Goal::Stops::any : Goal::Stops::all_end;
  if (!races && test.quantifier != Quantifier::none)
    goal.final = test.quantifier == Quantifier::forall ? Goal::Final::refutes : Goal::Final::satisfies;
  search.run(goal, [&](const Candidate& c) {
    const ReplayedExecution x = replay(test, model, goal, c, options.bound, options.replay);
    if (x.evaluation.consistent() || (races && x.evaluation.raised.empty())) return true;
    return visit(x.run, c.choices);
  });
}

}  // namespace fencepost::check

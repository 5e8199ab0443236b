// The solving engine: which questions make a verdict, and what each answer means. solve_queries.h asks them.
#include <algorithm>
#include <chrono>

#include "base/trace.h"
#include "cat/lanes.h"
#include "check/left_out.h"
#include "check/machine.h"
#include "check/races.h"
#include "check/solve_queries.h"
#include "encode/weaker.h"
#include "prog/lanes.h"

namespace fencepost::check {
namespace {

using namespace solving;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Whether no flag is raised where no thread stops after an iteration that had no effect, but is left behind before it:
// then none is raised at all. Leaving out the idle and silent iterations of an execution, also those after which a
// thread stops, gives such a fragment, consistent and with the same flags (encode/reduction.h; docs/semantics.md,
// Iterations left out: that a thread goes on behind them is not used there). With a filter registers and memory of
// threads that have stopped count, so that it is not asked.
//
// What this gives: of a lock, only who takes it is there. Symmetry puts those in the order in which they take it, and
// the rounds of settle() decide what each of them reads. Where failed attempts may be last, each may read anything.
bool races_of_nobody_waiting(const prog::Test& test, const cat::Model& model, const Options& options,
                             const encode::Reduction& reduction, const Queries& direct, Job& job, Statistics& stats,
                             const cat::Model* exchange = nullptr) {
  if (prog::needs_ptx9(test) != nullptr) return false;  // operations that go on without their thread
  if (!direct.may_idle() || (options.filter && test.filter.kind != prog::Cond::Kind::always)) return false;
  Queries q(test, model, options, job);
  if (!q.prepare(encode::Unrolling::direct_waiting, reduction.silent)) return false;
  if (exchange != nullptr) q.exchange_under(*exchange);
  q.leave_out_idle();
  return q.ask(Goal::fragment_flag, false, stats).answer == Answer::unsat;
}

// What a weaker model says, under which idle and silent iterations may be left out (encode/weaker.h). nullopt: nothing.
// An execution is one of the model too, or says nothing; that there is none says that the model has none.
std::optional<Found> by_weaker_model(const prog::Test& test, const cat::Model& model, const Options& options, Job& job,
                                     Statistics& stats, LeftOut& known) {
  if (!options.reduce) return std::nullopt;
  Stopwatch watch;
  if (!known.weaker) known.weaker = encode::weaker_of(test, model);
  const auto& weaker = *known.weaker;
  watch.lap(stats.phases.leave_out);
  const bool races = options.property == Property::races;
  if (!weaker || !(races ? weaker->reduction.races : weaker->reduction.conditions)) return std::nullopt;
  const cat::Model* exchange = weaker->some_axioms ? &model : nullptr;
  Queries q(test, weaker->model, options, job);
  if (!q.prepare(encode::Unrolling::direct, weaker->reduction.silent)) return std::nullopt;
  if (exchange != nullptr) q.exchange_under(*exchange);
  Found found =
      races && races_of_nobody_waiting(test, weaker->model, options, weaker->reduction, q, job, stats, exchange)
          ? Found{Answer::unsat}
          : q.ask(races ? Goal::flag : Goal::final_state, test.quantifier == Quantifier::forall, stats);
  if (found.answer == Answer::sat && !found.early) {
    found.evaluation = reference::evaluate(model, found.run.execution);
    if (found.evaluation.consistent() && (!races || !found.evaluation.raised.empty())) return found;
  }
  if (found.answer != Answer::unsat) return std::nullopt;
  if (q.may_be_cut()) {
    Queries fragments(test, weaker->model, options, job);
    if (!fragments.prepare(encode::Unrolling::direct_fragments, weaker->reduction.silent)) return std::nullopt;
    if (exchange != nullptr) fragments.exchange_under(*exchange);
    fragments.leave_out_idle();
    if (fragments.ask(Goal::fragment_cut, false, stats).answer != Answer::unsat) return std::nullopt;
  }
  return found;
}

}  // namespace

Result solve(const prog::Test& test, const cat::Model& model, const Options& options, Job& job) {
  LeftOut nothing;
  return solve(test, model, options, job, nothing);
}

Result solve(const prog::Test& test, const cat::Model& model, const Options& options, Job& job, LeftOut& known) {
  const auto start = std::chrono::steady_clock::now();
  Result r;
  r.stats.decided_by = Engine::solve;
  const auto refused = [&](const Verdict& why) {
    r.verdict = why;
    r.stats.seconds = seconds_since(start);
    return r;
  };
  auto done = [&](Status s, std::string detail = {}) {
    r.verdict.status = s;
    r.verdict.detail = std::move(detail);
    r.stats.seconds = seconds_since(start);
    return r;
  };
  const bool races = options.property == Property::races;
  if (!races && test.quantifier == Quantifier::none) return done(Status::holds);
  if (races && std::none_of(model.axioms.begin(), model.axioms.end(), [](const cat::Axiom& a) { return a.flag; }))
    return done(Status::holds, "the model raises no flags");
  const std::optional<Found> weaker = by_weaker_model(test, model, options, job, r.stats, known);
  if (trace::on(trace::Room::encode) && options.reduce)
    trace::say(trace::Room::encode, weaker ? "a weaker model, without idle and silent iterations, decides"
                                    : known.weaker && *known.weaker ? "a weaker model was asked, and did not decide"
                                                                    : "no weaker model leaves iterations out");
  Queries q(test, model, options, job);
  Stopwatch watch;
  if (options.reduce && !known.reduction) known.reduction = encode::reduction_of(test, model);
  const encode::Reduction reduction = options.reduce ? *known.reduction : encode::Reduction{};
  watch.lap(r.stats.phases.leave_out);
  const std::vector<std::vector<bool>> none;
  const bool direct = races ? reduction.races : reduction.conditions;
  if (trace::on(trace::Room::encode) && options.reduce)
    trace::say(trace::Room::encode, direct ? "iterations without an effect are left out: the model loses nothing by it"
                                           : "iterations without an effect count: the model may see them");
  if (auto ok = direct ? q.prepare(encode::Unrolling::direct, reduction.silent) : q.prepare(); !ok)
    return refused(q.not_prepared(ok.error()));
  const auto ask_whole = [&](Goal goal, bool negate = false) {
    Queries full(test, model, options, job);
    return full.prepare() ? full.ask(goal, negate, r.stats) : Found{};
  };
  // An execution in which some thread stops early shows that there is one in which it does not.
  const auto ask = [&](Goal goal, bool negate) {
    Found found = q.ask(goal, negate, r.stats);
    if (found.answer != Answer::sat || !found.early) return found;
    Queries full(test, model, options, job);
    if (!full.prepare()) return found;
    Found shown = full.ask(goal, negate, r.stats);
    if (shown.answer == Answer::unsat) shown.early = true;
    return shown;
  };

  Found found = weaker                  ? *weaker
                : options.nothing_found ? Found{Answer::unsat}
                : races && direct && races_of_nobody_waiting(test, model, options, reduction, q, job, r.stats)
                    ? Found{Answer::unsat}
                    : ask(races ? Goal::flag : Goal::final_state, test.quantifier == Quantifier::forall);
  if (found.early)
    return done(Status::unknown, "the execution found stops waiting before bound " + prog::to_string(options.bound));
  if (found.answer == Answer::unknown) return done(Status::gave_up, "out of time");
  if (found.answer == Answer::sat) {
    r.reachable = true;
    r.execution = std::move(found.run);
    r.choices = std::move(found.choices);
    for (uint32_t a : found.evaluation.raised) r.flags.push_back(model.axioms[a].name);
    return done(!races && test.quantifier == Quantifier::exists ? Status::holds : Status::fails);
  }
  // Nothing found: it matters whether the bound hid something, and whether there was anything to find.
  if (!weaker && q.may_be_cut()) {
    const bool asked = !options.reduce || !known.repeats;
    const auto repeats = asked ? repeats_left_out(test, model, options, reduction, job, r.stats) : *known.repeats;
    if (options.reduce) known.repeats = repeats;
    // Without idle or repeated iterations threads come less far than they did: so the others may stand anywhere.
    Queries fragments(test, model, options, job);
    if (direct || !repeats.empty())
      if (auto ok = fragments.prepare(direct ? encode::Unrolling::direct_fragments : encode::Unrolling::all_fragments,
                                      direct ? reduction.silent : none);
          !ok)
        return refused(fragments.not_prepared(ok.error()));
    if (direct) fragments.leave_out_idle();
    const Found cut = direct || !repeats.empty() ? fragments.ask(Goal::fragment_cut, false, r.stats, repeats)
                                                 : q.ask(Goal::cut, false, r.stats);
    if (cut.answer == Answer::unknown) return done(Status::gave_up, "out of time");
    r.reached = cut.reached;
    r.every_iteration = !direct && repeats.empty();
    if (cut.answer == Answer::sat)
      return done(Status::unknown, "a loop reached bound " + prog::to_string(options.bound));
  }
  // Of races too, which count in executions that never end: where none ends, that none is found says next to nothing.
  if (options.companion && !q.runs_in_sequence(true, r.stats)) {
    Found any = ask(Goal::complete, false);
    // What leaves out iterations for races alone may have left out the executions that end.
    if (any.answer == Answer::unsat && direct && !reduction.conditions) any = ask_whole(Goal::complete);
    if (any.early)
      return done(Status::unknown, "the execution found stops waiting before bound " + prog::to_string(options.bound));
    if (any.answer == Answer::unknown) return done(Status::gave_up, "out of time");
    r.verdict.vacuous = any.answer == Answer::unsat;
  }
  return done(races || test.quantifier != Quantifier::exists ? Status::holds : Status::fails);
}

namespace {

// Each flag has a question of its own: a copy of the model that raises no other.
void raised_by_solving(const prog::Test& test, const cat::Model& model, const Options& options, Job& job,
                       Outcomes& out) {
  Options asked = options;
  asked.property = Property::races;
  asked.companion = false;
  for (const cat::Axiom& flag : model.axioms) {
    if (!flag.flag) continue;
    cat::Model one = model;
    std::erase_if(one.axioms, [&](const cat::Axiom& a) { return a.flag && a.name != flag.name; });
    const Status s = solve(test, one, asked, job).verdict.status;
    if (s == Status::fails) (undefines(model, flag) ? out.flags : out.findings).push_back(flag.name);
    if (s == Status::holds || s == Status::fails || !out.states.complete) continue;
    out.states.complete = false;
    out.status = {s, "whether " + flag.name + " is raised is not known", false};
  }
}

}  // namespace

Outcomes outcomes_by_solving(const prog::Test& test, const cat::Model& model, const Options& options, Job& job) {
  if (is_machine(model)) return outcomes_by_machine(test, model, options, job);
  if (prog::has_lanes(test) && !cat::knows_lanes(model))
    return outcomes_by_solving(test, cat::with_lanes(model), options, job);
  if (const auto other = as_read(test, model)) return outcomes_by_solving(*other, model, options, job);
  if (const auto ok = fits(test, model); !ok) {
    Outcomes none;
    none.observables = prog::observables(test);
    none.status = {Status::unsupported, ok.error().list[0].message, false};
    return none;
  }
  Outcomes out;
  out.observables = prog::observables(test);
  Queries q(test, model, options, job);
  if (auto ok = q.prepare(); !ok) {
    out.status = q.not_prepared(ok.error());
    return out;
  }
  Statistics stats;
  sat::Circuit c;
  encode::ProgramEncoding p(q.skeleton(), encode::needs_of(model, test.dialect), c);
  c.add({p.complete()});
  if (options.filter) c.add({p.condition(test.filter, true)});
  std::vector<encode::Bits> observed;
  for (const prog::Observable& o : out.observables) observed.push_back(p.observable(o));
  Found found;
  constexpr size_t k_limit = 20000;  // a free value has 2^64 of them
  const Answer last = q.solve_with(
      c, p, Goal::complete,
      [&](const Found& f, const sat::Solver&) {
        const prog::State state = prog::state_of(test, out.observables, f.run.execution.final);
        if (out.states.states.insert(state).second)
          (prog::holds(test, test.condition, f.run.execution.final) ? out.positive : out.negative)++;
        std::vector<Lit> block;
        for (size_t k = 0; k < observed.size(); ++k)
          for (size_t i = 0; i < observed[k].size(); ++i)
            block.push_back(((state[k].value >> i) & 1) != 0 ? -observed[k][i] : observed[k][i]);
        c.add(block);
        return out.states.states.size() < k_limit && !c.contradictory();
      },
      found, stats);
  const bool all = last == Answer::unsat || c.contradictory();
  out.states.complete = all;
  out.status.status = all ? Status::holds : Status::gave_up;
  if (all && q.may_be_cut() && q.ask(Goal::cut, false, stats).answer != Answer::unsat) {
    out.bound_hit = true;
    out.states.complete = false;
    out.status = {Status::unknown, "a loop reached bound " + prog::to_string(options.bound), false};
  }
  if (out.states.states.size() >= k_limit) out.status.detail = "more than " + std::to_string(k_limit) + " final states";
  out.status.vacuous = out.states.complete && out.states.states.empty();
  raised_by_solving(test, model, options, job, out);
  return out;
}

}  // namespace fencepost::check

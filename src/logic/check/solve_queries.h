#pragma once
// The questions that the solving engine asks about one unrolled test, shared by the properties: encode the program, let
// unit propagation settle what it can (with the goal already in place, so that a condition fixes reads), read may/must
// bounds off it, encode the model, solve, read the execution off the answer, replay it.
//
// Goals are separate encodings rather than assumptions of one: a goal inside the bounds makes the model part
// several times smaller, which saves more than sharing would.
//
// The model is encoded eagerly unless very many pairs of fences are unordered (k_lazy_pairs); then it is refined
// lazily.
#include <fmt/format.h>

#include <utility>

#include "base/trace.h"
#include "check/check.h"
#include "check/processor_time.h"
#include "encode/model.h"
#include "encode/program.h"
#include "encode/reduction.h"
#include "encode/refine.h"
#include "encode/repeats.h"
#include "encode/symmetry.h"
#include "reference/relations.h"
#include "sat/solver.h"
#include "term/term.h"
#include "vocab/vocab.h"

namespace fencepost::check::solving {

using encode::Lit;
using prog::Quantifier;
using reference::EventKey;
using sat::Answer;

enum class Goal : uint8_t {
  final_state,    // complete, filter, condition (negated for forall)
  complete,       // complete, filter
  any,            // filter: some execution at all
  cut,            // some thread stopped at the bound after an iteration that did something; never filtered
  flag,           // filter, some flag raised
  blocked,        // some thread waits at a barrier, and all others do or have ended
  fragment_flag,  // as flag, of an unrolling `direct_waiting`; not replayed, since only that there is none is an answer
  fragment_cut,   // as cut, of an unrolling into fragments; not replayed, since only `unknown` rests on it
  lasso,          // what the caller has asked for; the caller replays
};

inline const char* name(Goal g) {
  constexpr const char* names[] = {"an execution with the asked end",
                                   "a complete execution",
                                   "any execution",
                                   "a loop that goes beyond its bound",
                                   "an execution that raises a flag",
                                   "a thread that waits at a barrier for ever",
                                   "a flag with threads left behind",
                                   "a loop beyond its bound with threads left behind",
                                   "a lasso"};
  return names[static_cast<size_t>(g)];
}

// Measured on rings of fences, bench/rings: lazy is 6 times faster with 100 threads. Where co and rf are open, learning
// is slower: 7 to 40 times on the locks of bench/table7.
inline constexpr uint64_t k_lazy_pairs = 400;

struct Found {
  Answer answer = Answer::unknown;
  reference::RunResult run;
  reference::Choices choices;
  reference::Evaluation evaluation;
  std::vector<EventKey> key;  // by event of the skeleton
  std::vector<prog::LoopId>
      reached;         // cut, fragment_cut: loops that go beyond their bound; with auto_bound all that can
  bool early = false;  // some thread stops before the bound: not replayed, since programs do not do that
};

// Processor seconds of this thread since the last lap.
class Stopwatch {
 public:
  void lap(double& phase) {
    const double now = processor_seconds();
    phase += now - last_;
    last_ = now;
  }

 private:
  double last_ = processor_seconds();
};

// Adds the work of a solver when it is done with.
struct Spent {
  sat::Solver& solver;
  Statistics& stats;
  Spent(sat::Solver& s, Statistics& to) : solver(s), stats(to) {}
  Spent(const Spent&) = delete;
  Spent& operator=(const Spent&) = delete;
  ~Spent() { stats.add(solver.effort()); }
};

// Adds to a clause that one of the conjuncts of e does not hold.
inline void add_conjuncts(encode::ProgramEncoding& p, const encode::Expr& e, std::vector<Lit>& clause) {
  if (!e.is_const() && e.op() == term::Op::and_ && e.width() == 1)
    for (const encode::Expr& k : e.kids()) add_conjuncts(p, k, clause);
  else
    clause.push_back(-p.lit(e));
}

class Queries {
 public:
  Queries(const prog::Test& test, const cat::Model& model, const Options& options, Job& job)
      : test_(test), model_(model), options_(options), job_(job) {}

  Expected<void> prepare(encode::Unrolling kind = encode::Unrolling::safety,
                         const std::vector<std::vector<bool>>& silent = {}) {
    Stopwatch watch;
    auto s = encode::unroll(test_, options_.bound, encode::needs_dependencies(model_), kind, silent, &job_);
    watch.lap(unrolling_);
    if (!s) return std::unexpected(s.error());
    skeleton_ = std::move(*s);
    if (trace::on(trace::Room::encode))
      trace::say(trace::Room::encode,
                 fmt::format("unrolled to bound {}: {} events, {} of them initial writes",
                             prog::to_string(options_.bound), skeleton_.events.size(), skeleton_.init_events));
    return {};
  }

  // Why prepare() failed: the program is outside of what can be unrolled, or the time is over.
  Verdict not_prepared(const Diagnostics& why) const {
    if (job_.out_of_time()) return {Status::gave_up, "out of time"};
    return {Status::unsupported, why.list[0].message};
  }

  // From now on no thread stops after an iteration that had no effect: for unrollings in which it may be left behind
  // before that iteration, of programs whose idle and silent iterations may be left out (encode/reduction.h).
  void leave_out_idle() { leaves_out_idle_ = true; }

  // Exchangeable are threads whose groups this model does not see: of one that asserts whole axioms of it.
  void exchange_under(const cat::Model& model) { exchange_ = &model; }

  static void tell(Goal goal, Answer a) {
    if (trace::on(trace::Room::check))
      trace::say(trace::Room::check, fmt::format("asked for {}: {}", name(goal),
                                                 a == Answer::sat     ? "there is one"
                                                 : a == Answer::unsat ? "there is none"
                                                                      : "not decided"));
  }

  // Whether some thread may stop after an iteration that had no effect.
  bool may_idle() const {
    for (const auto& t : skeleton_.threads)
      for (const auto& x : t.exits)
        if (x.kind == encode::Exit::Kind::stopped && !x.effect.is_const(1)) return true;
    return false;
  }

  bool may_be_cut() const {
    if (!skeleton_.has_stops) return false;
    for (const auto& t : skeleton_.threads)
      for (const auto& x : t.exits)
        if (x.kind == encode::Exit::Kind::stopped && !x.effect.is_const(0)) return true;
    return false;
  }

  // `repeats`: leave executions with repeated iterations of these instructions out (encode/repeats.h); only for goals
  // that are not found.
  Found ask(Goal goal, bool negate_condition, Statistics& stats, const std::vector<std::vector<bool>>& repeats = {}) {
    Found out;
    Stopwatch watch;
    stats.phases.program += std::exchange(unrolling_, 0);
    sat::Circuit c;
    encode::ProgramEncoding p(skeleton_, encode::needs_of(model_, test_.dialect), c);
    const bool complete = goal == Goal::final_state || goal == Goal::complete;
    if (complete) c.add({p.complete()});
    const bool cut = goal == Goal::cut || goal == Goal::fragment_cut;
    if (goal == Goal::blocked) c.add({p.blocked()});
    if (filtered() && !cut && goal != Goal::blocked) {
      c.add({p.condition(test_.filter, complete)});
      // Behind the bound a thread may yet come to the values that the filter wants, or leave them.
      if (!complete) c.add({-p.cut()});
    }
    if (goal == Goal::final_state) {
      const Lit l = p.condition(test_.condition, true);
      c.add({negate_condition ? -l : l});
    }
    if (cut) c.add({p.cut()});
    encode::forbid_repeats(p, c, repeats);
    if (leaves_out_idle_) forbid_idle(c, p);
    if (!complete)
      for (const auto& t : skeleton_.threads)
        for (const auto& x : t.exits)
          if (x.early) p.lit(x.guard);  // so that extract() can ask for it
    if (options_.symmetry) {
      std::vector<const prog::Cond*> questions;
      if (filtered() && !cut) questions.push_back(&test_.filter);
      if (goal == Goal::final_state) questions.push_back(&test_.condition);
      const auto runs = encode::symmetric_runs(skeleton_, questions, exchange_);
      stats.symmetric_runs += runs.size();
      if (trace::on(trace::Room::encode) && !runs.empty())
        trace::say(trace::Room::encode, fmt::format("{} lists of exchangeable threads are put in order", runs.size()));
      encode::require_order(p, c, runs);
    }
    watch.lap(stats.phases.program);
    if (cut) {
      ask_which(c, p, goal, out, stats);
      tell(goal, out.answer);
      return out;
    }
    out.answer = solve_with(c, p, goal, nullptr, out, stats);
    tell(goal, out.answer);
    return out;
  }

  // The guard as its conjuncts, so that unit propagation sees which of them the effect contradicts.
  void forbid_idle(sat::Circuit& c, encode::ProgramEncoding& p) const {
    for (const auto& t : skeleton_.threads)
      for (const auto& x : t.exits) {
        if (x.kind != encode::Exit::Kind::stopped) continue;
        std::vector<Lit> clause{p.lit(x.effect)};
        add_conjuncts(p, x.guard, clause);
        c.add(clause);
      }
  }

  // Which loops can be cut. With auto_bound every one that can: again and again one that is not known yet.
  void ask_which(sat::Circuit& c, encode::ProgramEncoding& p, Goal goal, Found& out, Statistics& stats) {
    struct Cut {
      prog::LoopId loop;
      Lit lit;
      bool known = false;
    };
    std::vector<Cut> cuts;
    for (uint32_t t = 0; t < skeleton_.threads.size(); ++t)
      for (const auto& x : skeleton_.threads[t].exits)
        if (x.kind == encode::Exit::Kind::stopped && !x.effect.is_const(0))
          cuts.push_back(
              {{t, skeleton_.threads[t].loops[x.loop].label}, c.and_(p.lit(x.guard), p.lit(x.effect)), false});
    const auto alike = [&](const prog::LoopId& a, const prog::LoopId& b) {
      return a.second == b.second && test_.threads[a.first].templ == test_.threads[b.first].templ;
    };
    out.answer = solve_with(
        c, p, goal,
        [&](const Found&, const sat::Solver& solver) {
          for (const Cut& found : cuts) {
            const Lit l = c.fold(found.lit);
            if (found.known || l == sat::k_false || (l != sat::k_true && !solver.value(l))) continue;
            out.reached.push_back(found.loop);
            for (Cut& k : cuts)
              if (alike(k.loop, found.loop)) k.known = true;
          }
          std::vector<Lit> others;
          for (const Cut& k : cuts)
            if (!k.known) others.push_back(k.lit);
          if (!options_.auto_bound || others.empty()) return false;
          c.add(others);
          return !c.contradictory();
        },
        out, stats);
    if (!out.reached.empty()) out.answer = Answer::sat;
  }

  // Encodes the model on top and solves; `again`, when given, is called after each model and may add clauses
  // (returning true to go on).
  Answer solve_with(sat::Circuit& c, encode::ProgramEncoding& p, Goal goal,
                    const std::function<bool(const Found&, const sat::Solver&)>& again, Found& found,
                    Statistics& stats) {
    Stopwatch watch;
    stats.phases.program += std::exchange(unrolling_, 0);
    ++stats.queries;
    if (!c.propagate()) {
      ++stats.settled;
      watch.lap(stats.phases.settle);
      if (trace::on(trace::Room::encode)) trace::say(trace::Room::encode, "the program alone decides: no execution");
      return Answer::unsat;
    }
    encode::ModelEncoding m(model_, p, c);
    stats.rounds += m.settle();
    stats.rules |= m.fired();
    watch.lap(stats.phases.settle);
    if (trace::on(trace::Room::encode))
      trace::say(trace::Room::encode,
                 fmt::format("bounds and propagation: {} rounds, {} clauses{}", stats.rounds, c.clause_count(),
                             c.contradictory() ? "; they decide: no execution" : ""));
    if (c.contradictory()) {  // decided without search
      stats.clauses += c.clause_count();
      stats.variables += c.variables();
      ++stats.settled;
      return Answer::unsat;
    }
    std::optional<encode::LazyModel> lazy;
    if (goal != Goal::flag && goal != Goal::fragment_flag && encode::LazyModel::suits(model_) &&
        options_.lazy.value_or(m.unordered_fences() >= k_lazy_pairs))
      lazy.emplace(model_, p, c, m.base_bounds(),
                   [&m](vocab::Base b, uint32_t i, uint32_t j) { return m.base_literal(b, i, j); });
    else
      m.require_consistency();
    if (goal == Goal::flag || goal == Goal::fragment_flag) {
      std::vector<Lit> flags;
      for (uint32_t a = 0; a < model_.axioms.size(); ++a)
        if (model_.axioms[a].flag) flags.push_back(m.raised(a));
      c.add(flags);
    }
    stats.clauses += c.clause_count();
    stats.variables += c.variables();
    if (trace::on(trace::Room::encode))
      trace::say(trace::Room::encode,
                 fmt::format("model {}: {} clauses, {} variables",
                             lazy ? "learnt from violations, since many fences are unordered" : "encoded whole",
                             c.clause_count(), c.variables()));
    watch.lap(stats.phases.model);
    if (c.contradictory()) {
      ++stats.settled;
      return Answer::unsat;
    }
    auto solver = sat::make_cadical();
    c.feed(*solver);
    const Spent spent{*solver, stats};
    for (;;) {
      const Answer a = solver->solve({}, job_);
      watch.lap(stats.phases.search);
      if (a != Answer::sat) return a;
      auto value = [&](Lit l) {
        const Lit f = c.fold(l);
        return f == sat::k_true || (f != sat::k_false && solver->value(l));
      };
      if (m.add_loop_formulas(value) || (lazy && lazy->refine([&](Lit l) { return solver->value(l); }))) {
        if (job_.out_of_time()) return Answer::unknown;
        c.feed(*solver);
        continue;
      }
      extract(p, value, found);
      replay(goal, found, m, value);
      watch.lap(stats.phases.replay);
      if (!again || !again(found, *solver)) return Answer::sat;
      c.feed(*solver);
    }
  }

  const encode::Skeleton& skeleton() const { return skeleton_; }

  // Whether running the threads one after the other, forwards or backwards, is a consistent execution. No model is
  // encoded for that, so it answers most companion queries (law 2) for next to nothing; false says nothing.
  bool runs_in_sequence(bool complete, Statistics& stats) {
    Stopwatch watch;
    for (bool forwards : {true, false}) {
      sat::Circuit c;
      encode::ProgramEncoding p(skeleton_, encode::needs_of(model_, test_.dialect), c);
      if (complete) c.add({p.complete()});
      if (options_.filter) c.add({p.condition(test_.filter, complete)});
      const auto& events = skeleton_.events;
      const auto before = [&](uint32_t a, uint32_t b) {
        const uint32_t s = events[a].thread;
        const uint32_t t = events[b].thread;
        if (s == t) return a < b;
        if (s == encode::k_init_thread || t == encode::k_init_thread) return s == encode::k_init_thread;
        return (s < t) == forwards;
      };
      for (uint32_t r = 0; r < events.size(); ++r)
        for (const auto& [w, l] : p.rf_candidates(r)) {
          if (!before(w, r)) c.add({-l});
          for (const auto& [x, unused] : p.rf_candidates(r))
            if (x != w && before(w, x) && before(x, r)) c.add({-l, -p.exec(x), -p.same_location(x, r)});
        }
      for (uint32_t a : p.writes())
        for (uint32_t b : p.writes())
          if (a >= skeleton_.init_events && b >= skeleton_.init_events && before(a, b) &&
              !c.is_false(p.same_location(a, b))) {
            c.add({-p.co(b, a)});
            c.add({-p.both(a, b), -p.same_location(a, b), p.co(a, b)});
          }
      for (uint32_t a : p.sc_fences())
        for (uint32_t b : p.sc_fences())
          if (before(a, b)) c.add({-p.fsc(b, a)});
      const bool open = c.propagate();
      watch.lap(stats.phases.program);
      if (!open) continue;
      auto solver = sat::make_cadical();
      c.feed(*solver);
      const Answer answer = solver->solve({}, job_);
      stats.add(solver->effort());
      watch.lap(stats.phases.search);
      if (answer != Answer::sat) continue;
      auto value = [&](Lit l) {
        const Lit f = c.fold(l);
        return f == sat::k_true || (f != sat::k_false && solver->value(f));
      };
      Found found;
      extract(p, value, found);
      const auto run = reference::run(test_, found.choices, {options_.bound});
      if (!run || (complete && !run->execution.complete())) continue;
      if (complete && options_.filter && !prog::holds(test_, test_.filter, run->execution.final)) continue;
      if (!complete && filtered()) continue;
      if (reference::evaluate(model_, run->execution).consistent()) return true;
    }
    return false;
  }

 private:
  bool filtered() const { return options_.filter && test_.filter.kind != prog::Cond::Kind::always; }

  template <class Value>
  void extract(encode::ProgramEncoding& p, Value&& value, Found& found) const {
    const auto& events = skeleton_.events;
    reference::Choices ch;
    std::vector<EventKey> key(events.size());
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> occurrences;
    auto runs = [&](uint32_t e) { return value(p.exec(e)); };
    auto number = [&](const encode::Bits& bits) {
      uint64_t v = 0;
      for (size_t i = 0; i < bits.size(); ++i)
        if (value(bits[i])) v |= uint64_t{1} << i;
      return v;
    };
    for (uint32_t e = 0; e < events.size(); ++e) {
      const encode::SymEvent& ev = events[e];
      if (e < skeleton_.init_events) {
        key[e] = {reference::k_init, ev.instr, ev.cell, 0};
        if (ev.value.is_var()) ch.init_value[key[e]] = number(p.bits(ev.value));
        continue;
      }
      if (ev.part == 1) {
        key[e] = key[ev.partner];
        key[e].part = 1;
        continue;
      }
      const bool reached = value(p.lit(ev.guard));
      uint32_t& count = occurrences[{ev.thread, ev.instr}];
      key[e] = {ev.thread, ev.instr, count, 0};
      if (reached) ++count;
    }
    for (uint32_t e = 0; e < events.size(); ++e) {
      if (!events[e].read || !runs(e)) continue;
      for (const auto& [w, l] : p.rf_candidates(e))
        if (value(l)) ch.rf[key[e]] = key[w];
      ch.read_value[key[e]] = number(p.bits(events[e].value));
      if (events[e].spurious && value(p.lit(events[e].spurious))) ch.spurious.insert(key[e]);
    }
    for (uint32_t a : p.writes())
      for (uint32_t b : p.writes())
        if (a != b && a >= skeleton_.init_events && value(p.co(a, b))) ch.co.push_back({key[a], key[b]});
    for (uint32_t a : p.sc_fences())
      for (uint32_t b : p.sc_fences()) {
        if (a == b) continue;
        if (value(p.fsc(a, b))) ch.fence_order.push_back({key[a], key[b]});
        // A model that does not name the order leaves it out of the formula: any order will do.
        else if (a < b && reference::has_fence_order(test_.dialect) && runs(a) && runs(b) &&
                 p.in_scope_of_each_other(a, b) && !value(p.fsc(b, a)))
          ch.fence_order.push_back({key[a], key[b]});
        else if (!p.in_scope_of_each_other(a, b) && value(p.sync_fence(a, b)))
          ch.sync_fence_free.push_back({key[a], key[b]});
      }
    for (const auto& [e, l] : p.quorum_members())
      if (value(l)) ch.quorum_members.push_back(key[e]);
    for (prog::ObjectId o = 0; o < test_.objects.size(); ++o)
      for (uint64_t k = 0; k < test_.objects[o].init.size(); ++k)
        if (p.has_final_picks(o, k))
          for (const auto& [w, l] : p.final_picks(o, k))
            if (value(l)) ch.final_write[{o, k}] = key[w];
    found.choices = std::move(ch);
    found.early = false;
    for (const auto& t : skeleton_.threads)
      for (const auto& x : t.exits)
        if (x.early && value(p.lit(x.guard))) found.early = true;
    for (uint32_t e = 0; e < events.size(); ++e)
      if (!runs(e)) key[e].occurrence = 0xffffffffu;  // names no event of the execution
    found.key = std::move(key);
  }

  // Which literal of the encoding lied, for the report of a fault of ours.
  template <class Value>
  std::string blame(const Found& found, encode::ModelEncoding& m, Value&& value) const {
    const reference::Execution& x = found.run.execution;
    std::vector<std::optional<uint32_t>> event(skeleton_.events.size());
    for (uint32_t e = 0; e < event.size(); ++e) event[e] = x.find(found.key[e]);
    return m.broken_promise(value, [&](cat::NodeId id, uint32_t i, uint32_t j) {
      if (!event[i] || !event[j]) return false;
      const auto& v = found.evaluation.value[id];
      return std::holds_alternative<BitSet>(v) ? std::get<BitSet>(v).test(*event[i])
                                               : std::get<Relation>(v).test(*event[i], *event[j]);
    });
  }

  // Law 2: the judge runs the program on the choices and evaluates the model on what comes out.
  template <class Value>
  void replay(Goal goal, Found& found, encode::ModelEncoding& m, Value&& value) const {
    if (!options_.replay || goal == Goal::lasso || goal == Goal::fragment_cut || goal == Goal::fragment_flag ||
        found.early)
      return;
    auto run = reference::run(test_, found.choices, {options_.bound});
    if (!run) {
      const std::string why = "solve found an execution that the interpreter rejects: " + run.error().list[0].message;
      FENCEPOST_INVARIANT(run.has_value(), why.c_str());
    }
    found.run = std::move(*run);
    found.evaluation = reference::evaluate(model_, found.run.execution);
    if (!found.evaluation.consistent()) {
      const std::string why = "solve found an execution that violates " +
                              model_.axioms[found.evaluation.violated[0]].name + "; " + blame(found, m, value);
      FENCEPOST_INVARIANT(false, why.c_str());
    }
    const bool complete = found.run.execution.complete();
    FENCEPOST_INVARIANT(
        goal == Goal::flag || goal == Goal::any || goal == Goal::cut || goal == Goal::blocked || complete,
        "solve took an incomplete execution for a complete one");
    if (goal == Goal::flag && found.evaluation.raised.empty()) {
      const std::string why = "solve raised no flag on replay; " + blame(found, m, value);
      FENCEPOST_INVARIANT(false, why.c_str());
    }
    if (goal == Goal::final_state) {
      const bool c = prog::holds(test_, test_.condition, found.run.execution.final);
      FENCEPOST_INVARIANT(c == (test_.quantifier != Quantifier::forall),
                          "solve's final state does not meet its condition");
    }
    if ((complete || goal == Goal::flag || goal == Goal::any) && options_.filter)
      FENCEPOST_INVARIANT(prog::holds(test_, test_.filter, found.run.execution.final),
                          "solve's execution fails the filter");
  }

  const prog::Test& test_;
  const cat::Model& model_;
  const Options& options_;
  Job& job_;
  encode::Skeleton skeleton_;
  double unrolling_ = 0;  // seconds that no statistics have yet
  const cat::Model* exchange_ = &model_;
  bool leaves_out_idle_ = false;
};

// The instructions whose repeated iterations may be left out of the question whether the bound hides something; empty:
// none.
inline std::vector<std::vector<bool>> repeats_left_out(const prog::Test& test, const cat::Model& model,
                                                       const Options& options, const encode::Reduction& reduction,
                                                       const Job& job, Statistics& stats) {
  Stopwatch watch;
  // Where silent iterations are left out, there are no repeated ones. With a filter, races are asked of threads that
  // have stopped, and who goes on with exchanges for ever has not.
  const bool races = options.property == Property::races;
  if (!options.reduce || reduction.any_silent() ||
      (races && options.filter && test.filter.kind != prog::Cond::Kind::always))
    return {};
  const encode::Repeats repeats = encode::repeats_of(test, model, [&](prog::ObjectId object, uint64_t cell) {
    const auto spent = [&](const std::optional<sat::Effort>& of) { stats.add(of); };
    return !encode::may_be_incoherent(test, model, object, cell, job, spent).value_or(true);
  });
  watch.lap(stats.phases.leave_out);
  const auto& which = races ? repeats.races : repeats.conditions;
  return encode::Repeats::any_of(which) ? which : std::vector<std::vector<bool>>{};
}

}  // namespace fencepost::check::solving

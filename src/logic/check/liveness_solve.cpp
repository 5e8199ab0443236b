// Termination by solving: a lasso within the bound, or the proof that there is none and that
// no loop with effects was cut.
//
// Fragments: to know that no loop with effects goes beyond the bound, executions are not enough in which everybody
// comes as far as possible. The first thread to go beyond it does so while the others are anywhere; so the question is
// asked of executions in which any thread may be left behind before any event.
//
// Silent iterations (encode/reduction.h) count as iterations without effect there, if the lasso was looked for with one
// iteration more: who goes on for ever with silent iterations alone shows it in two rounds, behind less iterations with
// an effect than the bound of the fragments (docs/semantics.md, Iterations left out).
//
// Repeated iterations (encode/repeats.h) are left out of the fragments if the lasso was looked for with two iterations
// more: in an infinite execution whose other iterations are finitely many, who goes on repeats one iteration for ever,
// and that shows in two rounds behind them.
#include <chrono>

#include "check/liveness.h"
#include "check/liveness_encoding.h"
#include "check/liveness_waiting.h"
#include "check/solve_queries.h"
#include "prog/test.h"

namespace fencepost::check {

using namespace solving;

Result solve_termination(const prog::Test& test, const cat::Model& model, const Options& options, Job& job) {
  const auto start = std::chrono::steady_clock::now();
  Result r;
  r.stats.decided_by = Engine::solve;
  const auto refused = [&](const Verdict& why) {
    r.verdict = why;
    r.stats.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return r;
  };
  auto done = [&](Status s, std::string detail = {}) {
    r.verdict.status = s;
    r.verdict.detail = std::move(detail);
    r.stats.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return r;
  };
  const auto ends = [&] {
    if (options.companion) {
      Queries any(test, model, options, job);
      if (auto ok = any.prepare(); !ok) return refused(any.not_prepared(ok.error()));
      if (!any.runs_in_sequence(false, r.stats)) {
        const Found one = any.ask(Goal::any, false, r.stats);
        if (one.answer == Answer::unknown) return done(Status::gave_up, "out of time");
        r.verdict.vacuous = one.answer == Answer::unsat;
      }
    }
    return done(Status::holds);
  };
  if (nobody_waits_for_ever(test, model, options, job, r.stats)) return ends();
  const bool fair = options.progress.all_fair();
  Queries q(test, model, options, job);
  if (auto ok = q.prepare(fair ? encode::Unrolling::liveness : encode::Unrolling::unfair_liveness); !ok)
    return refused(q.not_prepared(ok.error()));

  constexpr uint32_t k_attempts = 64;
  uint32_t rejected = 0;
  std::string why;
  {
    sat::Circuit c;
    encode::ProgramEncoding p(q.skeleton(), encode::needs_of(model, test.dialect), c);
    LivenessEncoding live(p, c, options.progress, options.fairness);
    if (auto feature = live.require()) return done(Status::unsupported, *feature);
    // Only a scheduler that is fair to everybody treats everybody alike.
    if (options.symmetry && fair) {
      const auto runs = encode::symmetric_runs(q.skeleton(), {}, &model);
      r.stats.symmetric_runs += runs.size();
      encode::require_order(p, c, runs);
    }
    Found found;
    const Answer a = q.solve_with(
        c, p, Goal::lasso,
        [&](const Found& f, const sat::Solver& solver) {
          const auto value = [&](Lit l) {
            const Lit g = c.fold(l);
            return g == sat::k_true || (g != sat::k_false && solver.value(g));
          };
          reference::Lasso lasso{f.choices, live.threads(value)};
          lasso.choices.final_write.clear();
          if (auto ok = reference::verify(test, model, lasso, options.progress, options.fairness); !ok) {
            why = ok.error().list[0].message;
            std::vector<Lit> block;
            for (Lit l : live.signature(value)) block.push_back(-l);
            c.add(block);
            return ++rejected < k_attempts && !c.contradictory();
          }
          r.lasso = std::move(lasso);
          return false;
        },
        found, r.stats);
    if (r.lasso) {
      show_lasso(r, test, std::move(*r.lasso));
      return done(Status::fails);
    }
    if (a == Answer::unknown) return done(Status::gave_up, "out of time");
  }
  // That the judge could not repeat a candidate does not say that nobody can.
  if (rejected > 0)
    return done(Status::unknown, std::to_string(rejected) + " candidates did not repeat, the last one because " + why);
  Options shorter = options;
  encode::Reduction reduction;
  // What may be left out of asynchronous tests was not proved.
  const bool reduce = options.reduce && prog::needs_ptx9(test) == nullptr;
  Stopwatch watch;
  if (reduce && options.bound.least() >= 2) reduction = encode::reduction_of(test, model);
  watch.lap(r.stats.phases.leave_out);
  if (reduction.any_silent())
    shorter.bound = options.bound.shorter();
  else
    reduction.silent.clear();
  std::vector<std::vector<bool>> repeats;
  if (reduce && options.bound.least() >= 3) repeats = repeats_left_out(test, model, options, reduction, job, r.stats);
  if (!repeats.empty()) shorter.bound = options.bound.shorter().shorter();
  Queries fragments(test, model, shorter, job);
  if (auto ok = fragments.prepare(encode::Unrolling::fragments, reduction.silent); !ok)
    return refused(fragments.not_prepared(ok.error()));
  if (fragments.may_be_cut()) {
    const Found cut = fragments.ask(Goal::fragment_cut, false, r.stats, repeats);
    if (cut.answer == Answer::unknown) return done(Status::gave_up, "out of time");
    r.reached = cut.reached;
    if (cut.answer == Answer::sat)
      return done(Status::unknown, "a loop with effects reached bound " + prog::to_string(options.bound));
  }
  return ends();
}

}  // namespace fencepost::check

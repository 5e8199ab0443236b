#include "check/liveness_waiting.h"

#include "check/solve_queries.h"
#include "encode/weaker.h"
#include "reference/eventual.h"

namespace fencepost::check {

using namespace solving;

namespace {

using encode::Exit;

constexpr uint32_t k_who_waits = 0;

bool has_barrier(const prog::Test& test) {
  for (const prog::Template& t : test.templates)
    for (const prog::Instr& i : t.code)
      if (i.kind == prog::Kind::barrier) return true;
  return false;
}

class Waiting {
 public:
  Waiting(const encode::Skeleton& s, encode::ProgramEncoding& p, sat::Circuit& c, reference::Fairness fairness)
      : s_(s), p_(p), c_(c), fairness_(fairness) {}

  void require() {
    std::vector<Lit> any;
    for (uint32_t t = 0; t < s_.threads.size(); ++t)
      for (const Exit& x : s_.threads[t].exits) {
        p_.lit(x.guard);  // so that extract() can ask for it
        if (t != k_who_waits) {
          if (x.kind == Exit::Kind::stopped) c_.add(unless(x));
          continue;
        }
        std::vector<Lit> clause = unless(x);
        if (x.kind != Exit::Kind::stopped) {
          c_.add(clause);
          continue;
        }
        clause.push_back(-p_.lit(x.effect));
        c_.add(clause);
        any.push_back(p_.lit(x.guard));
        read_fairly(x);
      }
    c_.add(any);
  }

 private:
  // The clause that denies the guard, by its conjuncts, so that unit propagation sees them.
  std::vector<Lit> unless(const Exit& x) {
    std::vector<Lit> clause;
    add_conjuncts(p_, x.guard, clause);
    return clause;
  }

  // Whether an event of the thread that waits lies in the iteration with which it leaves by x.
  bool inside(const Exit& x, uint32_t e) const {
    if (s_.events[e].thread != k_who_waits) return false;
    const encode::SymThread& t = s_.threads[k_who_waits];
    const encode::SymLoop& loop = t.loops[x.loop];
    const encode::SymNode& n = t.nodes[s_.events[e].node];
    if (n.position < loop.from || n.position > loop.to) return false;
    for (size_t k = 0; k < t.loops.size(); ++k)
      if (t.loops[k].from <= loop.from && t.loops[k].to >= loop.to && n.counters[k] != t.nodes[x.node].counters[k])
        return false;
    return true;
  }

  bool may_miss(uint32_t r, uint32_t w) const {
    if (reference::plain(s_.events[r].tags, s_.events[w].tags)) return true;
    return fairness_ == reference::Fairness::scoped && s_.events[r].thread != s_.events[w].thread &&
           !p_.in_scope_of_each_other(r, w);
  }

  void read_fairly(const Exit& x) {
    const encode::SymThread& t = s_.threads[k_who_waits];
    for (uint32_t r = t.first_event; r < t.last_event; ++r) {
      if (!s_.events[r].read || !inside(x, r)) continue;
      for (const auto& [w, rf] : p_.rf_candidates(r))
        for (uint32_t v : p_.writes()) {
          if (v == w || inside(x, v) || may_miss(r, v)) continue;
          const Lit co = p_.co(w, v);
          if (!c_.is_false(co)) c_.add({-p_.lit(x.guard), -rf, -co});
        }
    }
  }

  const encode::Skeleton& s_;
  encode::ProgramEncoding& p_;
  sat::Circuit& c_;
  reference::Fairness fairness_;
};

// The order of all threads but the one that waits; nothing where they are not all alike.
std::optional<encode::SymmetricRun> order_of_others(const encode::Skeleton& s, const cat::Model& model) {
  const auto runs = encode::symmetric_runs(s, {}, &model);
  if (runs.size() != 1 || runs[0].keys.size() != s.threads.size()) return std::nullopt;
  encode::SymmetricRun out = runs[0];
  std::erase_if(out.keys, [&](uint32_t key) { return s.events[key].thread == k_who_waits; });
  return out;
}

// `exchange`: a model whose whole axioms this one asserts, of which it is asked what threads may be exchanged.
bool nobody_waits(const prog::Test& test, const cat::Model& model, const encode::Reduction& reduction,
                  const cat::Model& exchange, const Options& options, Job& job, Statistics& stats) {
  if (!reduction.conditions) return false;
  Queries q(test, model, options, job);
  if (!q.prepare(encode::Unrolling::direct_waiting, reduction.silent)) return false;
  const auto order = order_of_others(q.skeleton(), exchange);
  if (!order) return false;
  Queries fragments(test, model, options, job);
  if (!fragments.prepare(encode::Unrolling::direct_fragments, reduction.silent)) return false;
  fragments.exchange_under(exchange);
  if (fragments.may_be_cut()) {
    fragments.leave_out_idle();
    if (fragments.ask(Goal::fragment_cut, false, stats).answer != Answer::unsat) return false;
  }
  sat::Circuit c;
  encode::ProgramEncoding p(q.skeleton(), encode::needs_of(model, test.dialect), c);
  Waiting(q.skeleton(), p, c, options.fairness).require();
  ++stats.symmetric_runs;
  encode::require_order(p, c, {*order});
  Found found;
  return q.solve_with(c, p, Goal::lasso, nullptr, found, stats) == Answer::unsat;
}

}  // namespace

bool nobody_waits_for_ever(const prog::Test& test, const cat::Model& model, const Options& options, Job& job,
                           Statistics& stats) {
  if (!options.reduce || !options.symmetry || !options.progress.all_fair() || has_barrier(test)) return false;
  // Asynchronous operations, phases: what goes on without its thread is not left behind with it.
  if (prog::needs_ptx9(test) != nullptr) return false;
  Stopwatch watch;
  const auto weaker = encode::weaker_of(test, model);
  const encode::Reduction reduction = weaker ? weaker->reduction : encode::reduction_of(test, model);
  watch.lap(stats.phases.leave_out);
  if (weaker)
    return nobody_waits(test, weaker->model, reduction, weaker->some_axioms ? model : weaker->model, options, job,
                        stats);
  return nobody_waits(test, model, reduction, model, options, job, stats);
}

}  // namespace fencepost::check

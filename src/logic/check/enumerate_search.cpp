#include "check/enumerate_search.h"

#include <algorithm>

#include "base/diagnostic.h"
#include "check/enumerate_free.h"
#include "prog/test.h"
#include "reference/interval.h"
#include "reference/relations.h"
#include "vocab/vocab.h"

namespace fencepost::check {

using reference::StopReason;
using vocab::Base;

class Search::State {
 public:
  State(const prog::Test& test, const cat::Model& model, const Job& job, const prog::LoopBounds& bound, PathKind kind)
      : test_(test),
        model_(model),
        job_(job),
        bound_(bound),
        kind_(kind),
        total_co_(reference::co_is_total(test.dialect)),
        uses_fences_(model.uses(Base::fsc) || model.uses(Base::sync_fence)),
        uses_free_fences_(model.uses(Base::sync_fence)),
        uses_barriers_(model.uses(Base::syncbar)),
        bounds_(model) {
    bounds_.assume_transitive(Base::co);
  }

  SearchEnd run(const Goal& goal, const std::function<bool(const Candidate&)>& visit) {
    goal_ = &goal;
    visit_ = &visit;
    gave_up_ = stopped_ = false;
    const Paths& paths = all_paths();
    if (!paths.complete) gave_up_ = true;
    watch_cells();
    std::vector<const Path*> chosen;
    threads(paths, chosen);
    if (stopped_) return SearchEnd::stopped;
    return gave_up_ ? SearchEnd::gave_up : SearchEnd::exhausted;
  }

  uint64_t candidates() const { return candidates_; }
  bool is_loose() const { return loose_; }

  std::optional<std::pair<uint32_t, uint32_t>> first_cut() {
    const Paths& all = all_paths();
    for (uint32_t t = 0; t < all.of_thread.size(); ++t)
      for (const Path& p : all.of_thread[t])
        if (p.stop == StopReason::cut) return std::pair{t, p.stop_instr};
    return std::nullopt;
  }

 private:
  const Paths& all_paths() {
    if (!paths_) paths_ = walk(test_, {.bound = bound_, .kind = kind_}, job_);
    return *paths_;
  }

  // ---- paths ----
  bool threads(const Paths& paths, std::vector<const Path*>& chosen) {
    if (!go_on()) return false;
    const size_t t = chosen.size();
    if (t == paths.of_thread.size()) return combination(chosen);
    for (const Path& p : paths.of_thread[t]) {
      if (goal_->stops == Goal::Stops::all_end && p.stop != StopReason::end) continue;
      chosen.push_back(&p);
      const bool more = threads(paths, chosen);
      chosen.pop_back();
      if (!more) return false;
    }
    return true;
  }

  bool combination(const std::vector<const Path*>& chosen) {
    const auto stops = [&](auto&& which) {
      return std::any_of(chosen.begin(), chosen.end(), [&](const Path* p) { return which(p->stop); });
    };
    if (goal_->stops == Goal::Stops::some_cut && !stops([](StopReason r) { return r == StopReason::cut; })) return true;
    if (goal_->filter && test_.filter.kind != prog::Cond::Kind::always &&
        stops([](StopReason r) { return r == StopReason::cut; }))
      return true;
    if (goal_->stops == Goal::Stops::some_stop && !stops([](StopReason r) { return r != StopReason::end; }))
      return true;
    if (goal_->wanted && !goal_->wanted(chosen)) return true;
    auto c = combine(test_, chosen);
    if (!c) return true;
    c_ = std::move(*c);
    const uint32_t n = static_cast<uint32_t>(c_.events.size());
    known_.assign(n, std::nullopt);
    source_.assign(n, std::nullopt);
    for (uint32_t i = 0; i < n; ++i)
      if (c_.value[i] && c_.value[i].is_const() && is_write(i)) known_[i] = c_.value[i].value();
    last_.assign(c_.locations.size(), std::nullopt);
    for (size_t l = 0; l < c_.locations.size(); ++l)
      if (c_.locations[l].writes.size() <= 1)
        last_[l] = c_.locations[l].writes.empty() ? c_.locations[l].init : c_.locations[l].writes[0];
    unresolved_.clear();
    members_.clear();
    dead_ends_ = leaves_ = 0;
    set_bounds();
    barriers_ = bind_barriers(test_, c_, env());
    barriers_early_ = barriers_.has_value();
    if (barriers_) {
      if (!barriers_->consistent) return true;
      syncbar_ = {barriers_->lower, barriers_->upper};
    }
    order_reads();
    if (goal_->consistent) bounds_.start(c_.events, c_.base);
    if (!goal_possible() || !possible()) return true;
    return reads(0);
  }

  void set_bounds() {
    const uint32_t n = static_cast<uint32_t>(c_.events.size());
    rf_ = co_ = fsc_ = sync_fence_ = syncbar_ = Bounds{Relation(n), Relation(n)};
    for (const OpenRead& r : c_.reads)
      for (uint32_t w : r.writes) {
        rf_.hi.set(w, r.event);
        if (r.writes.size() == 1) rf_.lo.set(w, r.event);
      }
    for (const OpenLocation& l : c_.locations)
      for (uint32_t a : l.writes) {
        co_.lo.set(l.init, a);
        co_.hi.set(l.init, a);
        for (uint32_t b : l.writes)
          if (a != b) co_.hi.set(a, b);
      }
    for (const auto& [a, b] : c_.fences) {
      fsc_.hi.set(a, b);
      fsc_.hi.set(b, a);
    }
    sync_fence_.hi = fsc_.hi;
    for (const auto& [a, b] : c_.free_fences) sync_fence_.hi.set(a, b);
    // Operands of barriers may be unknown: any two barriers of threads may then synchronise.
    for (const OpenArrival& a : c_.arrivals)
      for (const OpenArrival& b : c_.arrivals)
        if (a.event && b.event) syncbar_.hi.set(*a.event, *b.event);
  }

  // Reads whose values decide branches or the question come first: they cut the most.
  void order_reads() {
    std::vector<bool> early(c_.events.size(), false);
    const auto mark = [&](const Expr& e) {
      term::for_each_variable(e, [&](uint64_t v) { early[c_.event_of_variable(v)] = true; });
    };
    for (const Constraint& k : c_.constraints) mark(k.term);
    mark_condition(test_.filter, mark);
    if (goal_->final != Goal::Final::any) mark_condition(test_.condition, mark);
    read_order_.clear();
    for (bool first : {true, false})
      for (uint32_t r = 0; r < c_.reads.size(); ++r)
        if (early[c_.reads[r].event] == first) read_order_.push_back(r);
  }

  template <class F>
  void mark_condition(const prog::Cond& c, const F& mark) {
    for (const prog::Cond& k : c.kids) mark_condition(k, mark);
    if (c.kind != prog::Cond::Kind::atom) return;
    for (const prog::CondValue* v : {&c.lhs, &c.rhs})
      if (v->kind == prog::CondValue::Kind::reg) mark(c_.paths[v->thread]->registers[v->reg]);
  }

  // ---- rf ----
  bool reads(size_t k) {
    if (!go_on()) return false;
    if (k == read_order_.size()) return all_reads();
    const OpenRead& r = c_.reads[read_order_[k]];
    const Bounds saved = rf_;
    const Bounds saved_co = co_;
    for (uint32_t w : r.writes) {
      source_[r.event] = w;
      for (uint32_t other : r.writes)
        if (other != w) rf_.hi.reset(other, r.event);
      rf_.lo.set(w, r.event);
      const size_t mark = trail_.size();
      bool more = true;
      if (propagate() && goal_possible() && (r.writes.size() == 1 || (possible() && look_ahead()))) more = reads(k + 1);
      undo(mark);
      rf_ = saved;
      co_ = saved_co;
      if (!more) return false;
    }
    source_[r.event].reset();
    return true;
  }

  // Values that follow from the reads decided so far; false when a constraint of a path fails.
  bool propagate() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const OpenRead& r : c_.reads)
        if (const auto w = source_[r.event]; w && !known_[r.event]) changed = learn(r.event, value_of(*w)) || changed;
    }
    for (const Constraint& k : c_.constraints)
      if (const auto v = term::eval(k.term, env()); v && (*v != 0) != k.value) return false;
    return true;
  }

  bool learn(uint32_t event, std::optional<uint64_t> v) {
    if (!v) return false;
    known_[event] = v;
    trail_.push_back(event);
    return true;
  }

  void undo(size_t mark) {
    while (trail_.size() > mark) {
      known_[trail_.back()].reset();
      trail_.pop_back();
    }
  }

  // Of a read or write, if it follows from known reads.
  std::optional<uint64_t> value_of(uint32_t event) const {
    return known_[event] ? known_[event] : is_write(event) ? term::eval(c_.value[event], env()) : std::nullopt;
  }

  term::Env env() const {
    return [this](uint64_t v) -> std::optional<uint64_t> { return known_[c_.event_of_variable(v)]; };
  }

  bool all_reads() {
    unresolved_.clear();
    for (const OpenRead& r : c_.reads)
      if (!known_[r.event]) unresolved_.push_back(r.event);
    for (const OpenLocation& l : c_.locations)
      if (!known_[l.init]) unresolved_.push_back(l.init);
    if (!unresolved_.empty()) {
      Solution s;
      const sat::Answer a = solve(equations(), job_, s);
      if (a == sat::Answer::unknown) gave_up_ = true;
      if (a != sat::Answer::sat) return true;
    }
    return last_writes(0);
  }

  // What the values on rf-data cycles have to satisfy.
  Equations equations() const {
    Equations q;
    for (uint32_t r : unresolved_)
      if (source_[r]) q.equal.push_back({c_.value[r], with_known(c_.value[*source_[r]])});  // else an undefined Init
    for (const Constraint& k : c_.constraints) {
      const Expr t = with_known(k.term);
      if (!t.is_const()) q.constraints.push_back({t, k.value});
    }
    return q;
  }

  Expr with_known(const Expr& e) const {
    return term::substitute(e, [&](uint64_t v, uint8_t width) {
      const auto k = known_[c_.event_of_variable(v)];
      return k ? term::constant(*k, width) : Expr{};
    });
  }

  // ---- last writes ----
  bool last_writes(size_t l) {
    if (!go_on()) return false;
    while (l < c_.locations.size() && (!watched_[l] || last_[l])) ++l;
    if (l >= c_.locations.size()) return values();
    const OpenLocation& loc = c_.locations[l];
    const Bounds saved = co_;
    for (uint32_t w : loc.writes) {
      bool fits = true;
      for (uint32_t x : loc.writes) {
        if (x == w) continue;
        fits = fits && forbid(co_, w, x) && (!total_co_ || order(co_, x, w));
      }
      last_[l] = w;
      bool more = true;
      if (fits && goal_possible() && possible()) more = last_writes(l + 1);
      last_[l].reset();
      co_ = saved;
      if (!more) return false;
    }
    return true;
  }

  // ---- values ----
  // Here the final state is chosen, as terms; free values get one solution. Where they decide which barriers meet, they
  // get one for each way that barriers can meet; where outcomes are asked for, one for each that an observable can show
  // (see choose_listed), with the condition and without.
  bool values() {
    const size_t mark = trail_.size();
    const std::vector<uint32_t> open = unresolved_;
    std::vector<Expr> seen;
    for (bool again = true; again;) {
      again = false;
      const bool more = values_inside(seen, again);
      undo(mark);
      unresolved_ = open;
      if (!more) return false;
    }
    return true;
  }

  // `seen`: meetings of barriers that had their turn; `again`: one was added.
  bool values_inside(std::vector<Expr>& seen, bool& again) {
    if (!go_on()) return false;
    free_.assign(goal_->observe.size(), false);
    if (!unresolved_.empty()) {
      Equations base = filtered_equations();
      for (const Expr& e : seen) base.constraints.push_back({e, false});
      Equations wanted = base;
      if (looks_at_condition()) {
        // Outcomes take a solution that satisfies the condition, if there is one.
        const Expr condition = with_known(condition_term(test_, test_.condition, final_terms()));
        wanted.constraints.push_back({condition, goal_->final != Goal::Final::refutes});
        Solution s;
        if (goal_->final == Goal::Final::any && solve(wanted, job_, s) != sat::Answer::sat) wanted = base;
      }
      Solution s;
      const sat::Answer a = solve(wanted, job_, s);
      if (a == sat::Answer::unknown) gave_up_ = true;
      if (a != sat::Answer::sat) return true;
      if (!barriers_early_) {
        if (const Expr meeting = meeting_of(
                test_, c_, [this](const Expr& e) { return with_known(e); }, s);
            !meeting.is_const()) {
          base.constraints.push_back({meeting, true});
          seen.push_back(meeting);
          again = true;
        }
      }
      return goal_->observe.empty() ? go_on_with(s) : each_shown(std::move(base), std::move(s));
    }
    return values_chosen();
  }

  bool go_on_with(const Solution& s) {
    for (uint32_t r : unresolved_) {
      const auto it = s.find(c_.value[r].value());
      learn(r, it == s.end() ? 0 : it->second);
    }
    unresolved_.clear();
    FENCEPOST_INVARIANT(propagate(), "a solution of the values' equations breaks a constraint");
    return values_chosen();
  }

  // Solutions that show something new, `s` first.
  bool each_shown(Equations base, Solution s) {
    const std::vector<Observed> seen = observed();
    const Expr condition = with_known(condition_term(test_, test_.condition, final_terms()));
    const auto listing = list_values(base, seen, barrier_operands(), job_);
    if (!listing) {
      gave_up_ = true;
      return true;
    }
    free_ = listing->free;
    loose_ = loose_ || listing->loose;
    const size_t mark = trail_.size();
    const std::vector<uint32_t> open = unresolved_;
    for (;;) {
      const Expr shown = shown_by(s, seen, free_, condition);
      const bool more = go_on_with(s);
      undo(mark);
      unresolved_ = open;
      if (!more || shown.is_const()) return more;
      base.constraints.push_back({shown, false});
      s.clear();
      const sat::Answer a = solve(base, job_, s);
      if (a == sat::Answer::unknown) gave_up_ = true;
      if (a != sat::Answer::sat) return true;
    }
  }

  bool values_chosen() {
    if (goal_met() != Tri::yes) return true;
    if (!barriers_early_) {
      barriers_ = bind_barriers(test_, c_, env());
      FENCEPOST_INVARIANT(barriers_.has_value(), "a barrier's operands have no values");
      if (!barriers_->consistent) return true;
      const Bounds any = syncbar_;  // other values of the operands let other barriers meet
      syncbar_ = {barriers_->lower, barriers_->upper};
      const bool more = !possible() || fence_order(0);
      syncbar_ = any;
      return more;
    }
    return fence_order(0);
  }

  Equations filtered_equations() const {
    Equations q = equations();
    if (goal_->filter) {
      const Expr f = with_known(condition_term(test_, test_.filter, final_terms()));
      if (!f.is_const(1)) q.constraints.push_back({f, true});
    }
    return q;
  }

  // What the observables are at the end, as far as it is known.
  std::vector<Observed> observed() const {
    const FinalTerms final = final_terms();
    std::vector<Observed> out;
    for (const prog::Observable& o : goal_->observe)
      out.push_back({with_known(o.is_register ? final.reg(o.thread, o.reg)
                                              : final.memory(test_.symbols[o.symbol].object, o.cell)),
                     o.width});
    return out;
  }
  std::vector<Expr> barrier_operands() const {
    std::vector<Expr> out;
    for (const OpenArrival& o : c_.arrivals)
      for (const Expr& e : {o.arrival->id, o.arrival->quorum})
        if (e) out.push_back(with_known(e));
    return out;
  }

  // ---- fences ----
  bool fence_order(size_t k) {
    if (!go_on()) return false;
    if (k == c_.fences.size()) return free_fences(0);
    const auto [a, b] = c_.fences[k];
    const Bounds saved_fsc = fsc_;
    const Bounds saved_sync = sync_fence_;
    for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
      if (!uses_fences_ && from > to) break;  // the model does not look at the order: one is enough
      for (Bounds* x : {&fsc_, &sync_fence_}) {
        x->lo.set(from, to);
        x->hi.reset(to, from);
      }
      bool more = true;
      if (fsc_.lo.acyclic() && (!uses_fences_ || possible())) more = fence_order(k + 1);
      fsc_ = saved_fsc;
      sync_fence_ = saved_sync;
      if (!more) return false;
    }
    return true;
  }

  bool free_fences(size_t k) {
    if (!go_on()) return false;
    if (k == c_.free_fences.size()) return quorums(0, 0);
    const auto [a, b] = c_.free_fences[k];
    const Bounds saved = sync_fence_;
    for (bool related : {false, true}) {
      if (related && !uses_free_fences_) break;
      if (related)
        sync_fence_.lo.set(a, b);
      else
        sync_fence_.hi.reset(a, b);
      bool more = true;
      if (!uses_free_fences_ || possible()) more = free_fences(k + 1);
      sync_fence_ = saved;
      if (!more) return false;
    }
    return true;
  }

  // ---- quorums ----
  bool quorums(size_t cls, size_t k) {
    if (!go_on()) return false;
    if (cls == barriers_->classes.size()) return coherence();
    const BoundBarriers::Class& q = barriers_->classes[cls];
    if (k == q.members.size()) {
      const auto in = std::count_if(q.members.begin(), q.members.end(), [&](uint32_t i) { return member(i); });
      return in < q.need || quorums(cls + 1, 0);
    }
    const Bounds saved = syncbar_;
    const uint32_t i = q.members[k];
    for (bool in : {true, false}) {
      if (!in && !uses_barriers_) break;
      const uint32_t a = *barriers_->event[i];
      barriers_->upper.for_each_in_row(a, [&](uint32_t b) {
        if (in)
          syncbar_.lo.set(a, b);
        else
          syncbar_.hi.reset(a, b);
      });
      if (in) members_.push_back(i);
      const bool more = !possible() || quorums(cls, k + 1);
      if (in) members_.pop_back();
      syncbar_ = saved;
      if (!more) return false;
    }
    return true;
  }

  bool member(uint32_t i) const { return std::find(members_.begin(), members_.end(), i) != members_.end(); }

  // ---- co ----
  bool coherence() {
    if (!go_on()) return false;
    const Bounds saved = co_;
    const bool more = !look_ahead() || choose_pair();
    co_ = saved;
    return more;
  }

  // How two writes of a location may be related.
  enum class Pair : uint8_t { none, forward, backward };

  bool open(uint32_t a, uint32_t b) const {
    return !co_.lo.test(a, b) && !co_.lo.test(b, a) && (total_co_ || co_.hi.test(a, b) || co_.hi.test(b, a));
  }

  bool apply(Pair p, uint32_t a, uint32_t b) {
    switch (p) {
      case Pair::none:
        return !total_co_ && forbid(co_, a, b) && forbid(co_, b, a);
      case Pair::forward:
        return order(co_, a, b);
      case Pair::backward:
        return order(co_, b, a);
    }
    return false;
  }

  bool choose_pair() {
    for (const OpenLocation& l : c_.locations)
      for (size_t i = 0; i < l.writes.size(); ++i)
        for (size_t j = i + 1; j < l.writes.size(); ++j)
          if (open(l.writes[i], l.writes[j])) return branch(l.writes[i], l.writes[j]);
    return leaf();
  }

  bool branch(uint32_t a, uint32_t b) {
    const Bounds saved = co_;
    for (const Pair p : {Pair::none, Pair::forward, Pair::backward}) {
      const bool more = !apply(p, a, b) || !possible() || coherence();
      co_ = saved;
      if (!more) return false;
    }
    return true;
  }

  // Once a combination has shown many dead ends: tries every open pair of co in every way, keeps what is
  // still possible. A pair without any possibility is a dead end found before the pairs in front of it are
  // enumerated. False: dead end.
  bool look_ahead() {
    if (dead_ends_ < 64 + 4 * leaves_) return true;
    for (bool changed = true; changed;) {
      changed = false;
      for (const OpenLocation& l : c_.locations)
        for (size_t i = 0; i < l.writes.size(); ++i)
          for (size_t j = i + 1; j < l.writes.size(); ++j) {
            const uint32_t a = l.writes[i];
            const uint32_t b = l.writes[j];
            if (!open(a, b)) continue;
            const Bounds saved = co_;
            std::vector<Pair> left;
            for (const Pair p : {Pair::none, Pair::forward, Pair::backward}) {
              if (apply(p, a, b) && possible()) left.push_back(p);
              co_ = saved;
            }
            if (left.empty()) return false;
            if (left.size() == 1) {
              apply(left[0], a, b);
              changed = true;
            }
          }
    }
    return true;
  }

  bool leaf() {
    ++candidates_;
    ++leaves_;
    Candidate out;
    if (goal_->consistent) {
      if (!possible()) return true;
      FENCEPOST_INVARIANT(bounds_are_equal(), "a candidate execution is not fully decided");
      out.raised = bounds_.raised();
    }
    fill(out);
    if (!(*visit_)(out)) {
      stopped_ = true;
      return false;
    }
    return true;
  }

  bool bounds_are_equal() const {
    for (const Bounds* b : {&rf_, &co_, &fsc_, &sync_fence_, &syncbar_})
      if (b->lo != b->hi) return false;
    return true;
  }

  // ---- shared by all choices ----
  struct Bounds {
    Relation lo, hi;
  };

  // a before b, with what follows by transitivity. False: contradicts what is decided.
  static bool order(Bounds& x, uint32_t a, uint32_t b) {
    if (x.lo.test(a, b)) return true;
    const uint32_t n = x.lo.universe();
    for (uint32_t p = 0; p < n; ++p) {
      if (p != a && !x.lo.test(p, a)) continue;
      for (uint32_t s = 0; s < n; ++s) {
        if (s != b && !x.lo.test(b, s)) continue;
        if (p == s || !x.hi.test(p, s)) return false;
        x.lo.set(p, s);
        x.hi.reset(s, p);
      }
    }
    return true;
  }
  static bool forbid(Bounds& x, uint32_t a, uint32_t b) {
    if (x.lo.test(a, b)) return false;
    x.hi.reset(a, b);
    return true;
  }

  // Whether some completion may be consistent (and raise a flag, if one is asked for).
  bool possible() {
    if (!goal_->consistent) return true;
    bounds_.set(Base::rf, rf_.lo, rf_.hi);
    bounds_.set(Base::co, co_.lo, co_.hi);
    bounds_.set(Base::fsc, fsc_.lo, fsc_.hi);
    bounds_.set(Base::sync_fence, sync_fence_.lo, sync_fence_.hi);
    bounds_.set(Base::syncbar, syncbar_.lo, syncbar_.hi);
    const bool ok = !bounds_.violated() && (!goal_->flagged || bounds_.may_flag());
    if (!ok) ++dead_ends_;
    return ok;
  }

  FinalTerms final_terms() const {
    return {[this](uint32_t t, prog::RegId r) { return c_.paths[t]->registers[r]; },
            [this](prog::ObjectId o, uint64_t cell) {
              const auto w = last_[location(o, cell)];
              return w ? c_.value[*w] : Expr{};
            }};
  }

  size_t location(prog::ObjectId o, uint64_t cell) const {
    for (size_t l = 0; l < c_.locations.size(); ++l)
      if (c_.locations[l].object == o && c_.locations[l].cell == cell) return l;
    FENCEPOST_INVARIANT(false, "a memory cell has no location");
    return 0;
  }

  // Whether the condition on the final state holds, fails, or is still open in this partial execution.
  Tri goal_met() const {
    const FinalTerms final = final_terms();
    Tri all = Tri::yes;
    const auto also = [&](Tri t) {
      if (t == Tri::no || all == Tri::no)
        all = Tri::no;
      else if (t == Tri::unknown)
        all = t;
    };
    if (goal_->filter) also(evaluate(test_, test_.filter, final, env()));
    if (goal_->final != Goal::Final::any && all != Tri::no) {
      const Tri t = evaluate(test_, test_.condition, final, env());
      const bool negate = goal_->final == Goal::Final::refutes;
      also(t == Tri::unknown ? t : tri((t == Tri::yes) != negate));
    }
    return all;
  }
  bool goal_possible() const { return goal_met() != Tri::no; }

  bool looks_at_condition() const { return goal_->final != Goal::Final::any || !goal_->observe.empty(); }

  // Cells whose last write is part of what is asked.
  void watch_cells() {
    std::vector<std::pair<prog::ObjectId, uint64_t>> cells;
    if (goal_->filter) cells_of(test_.filter, cells);
    if (looks_at_condition()) cells_of(test_.condition, cells);
    for (const prog::Observable& o : goal_->observe)
      if (!o.is_register) cells.push_back({test_.symbols[o.symbol].object, o.cell});
    watched_.clear();
    for (prog::ObjectId o = 0; o < test_.objects.size(); ++o)
      for (uint64_t c = 0; c < test_.objects[o].init.size(); ++c)
        watched_.push_back(std::find(cells.begin(), cells.end(), std::pair{o, c}) != cells.end());
  }
  void cells_of(const prog::Cond& c, std::vector<std::pair<prog::ObjectId, uint64_t>>& out) const {
    for (const prog::Cond& k : c.kids) cells_of(k, out);
    if (c.kind != prog::Cond::Kind::atom) return;
    for (const prog::CondValue* v : {&c.lhs, &c.rhs})
      if (v->kind == prog::CondValue::Kind::location) out.push_back({test_.symbols[v->symbol].object, v->cell});
  }

  void fill(Candidate& out) const {
    const auto key = [&](uint32_t e) { return c_.events[e].key; };
    for (const OpenRead& r : c_.reads) {
      out.choices.rf.emplace(key(r.event), key(*source_[r.event]));
      out.choices.read_value.emplace(key(r.event), *known_[r.event]);
      if (c_.events[r.event].spurious) out.choices.spurious.insert(key(r.event));
    }
    for (const OpenLocation& l : c_.locations)
      if (!c_.value[l.init].is_const()) out.choices.init_value.emplace(key(l.init), *known_[l.init]);
    const auto pairs = [&](const Relation& rel, auto& to) {
      rel.for_each([&](uint32_t a, uint32_t b) { to.push_back({key(a), key(b)}); });
    };
    pairs(co_.lo, out.choices.co);
    pairs(fsc_.lo, out.choices.fence_order);
    for (const auto& [a, b] : c_.free_fences)
      if (sync_fence_.lo.test(a, b)) out.choices.sync_fence_free.push_back({key(a), key(b)});
    for (uint32_t i : barriers_->always) out.choices.quorum_members.push_back(barriers_->arrived[i].key);
    for (uint32_t i : members_) out.choices.quorum_members.push_back(barriers_->arrived[i].key);
    for (size_t l = 0; l < c_.locations.size(); ++l)
      if (watched_[l] && last_[l])
        out.choices.final_write.emplace(std::pair{c_.locations[l].object, c_.locations[l].cell}, key(*last_[l]));
    const FinalTerms final = final_terms();
    for (size_t i = 0; i < goal_->observe.size(); ++i) {
      const prog::Observable& o = goal_->observe[i];
      const Expr e = o.is_register ? final.reg(o.thread, o.reg) : final.memory(test_.symbols[o.symbol].object, o.cell);
      const auto v = term::eval(e, env());
      FENCEPOST_INVARIANT(v.has_value(), "an observable has no value at the end");
      out.state.push_back({free_[i], free_[i] ? 0 : *v & term::mask(o.width)});
    }
    out.paths = c_.paths;
    out.satisfies = evaluate(test_, test_.condition, final, env()) == Tri::yes;
  }

  bool is_write(uint32_t e) const { return c_.events[e].tags.has(vocab::Tag::W); }

  bool go_on() {
    if (stopped_) return false;
    if ((++ticks_ & 15) == 0 && job_.out_of_time()) out_of_time_ = true;
    if (out_of_time_) gave_up_ = true;
    return !out_of_time_;
  }

  const prog::Test& test_;
  const cat::Model& model_;
  const Job& job_;
  prog::LoopBounds bound_;
  PathKind kind_;
  bool total_co_, uses_fences_, uses_free_fences_, uses_barriers_;
  reference::IntervalEvaluator bounds_;
  std::optional<Paths> paths_;
  const Goal* goal_ = nullptr;
  const std::function<bool(const Candidate&)>* visit_ = nullptr;
  bool gave_up_ = false, stopped_ = false, out_of_time_ = false;
  uint32_t ticks_ = 0;
  uint64_t candidates_ = 0;
  uint64_t dead_ends_ = 0, leaves_ = 0;  // of this combination

  Combination c_;
  std::vector<bool> watched_;  // per location
  std::vector<uint32_t> read_order_;
  std::vector<std::optional<uint64_t>> known_;  // value per event (constant writes, decided reads)
  std::vector<uint32_t> trail_;
  std::vector<std::optional<uint32_t>> source_;  // per read: its write
  std::vector<std::optional<uint32_t>> last_;    // per location
  std::vector<uint32_t> unresolved_;             // reads on rf-data cycles and undefined initial values
  std::vector<bool> free_;                       // per observable
  bool loose_ = false;                           // some free value stands for more than the program gives
  std::optional<BoundBarriers> barriers_;
  bool barriers_early_ = false;
  std::vector<uint32_t> members_;  // arrivals chosen into quorum sets
  Bounds rf_, co_, fsc_, sync_fence_, syncbar_;
};

Search::Search(const prog::Test& test, const cat::Model& model, const Job& job, const prog::LoopBounds& bound,
               PathKind kind)
    : state_(std::make_unique<State>(test, model, job, bound, kind)) {}
Search::~Search() = default;
SearchEnd Search::run(const Goal& goal, const std::function<bool(const Candidate&)>& visit) {
  return state_->run(goal, visit);
}
uint64_t Search::candidates() const { return state_->candidates(); }
bool Search::is_loose() const { return state_->is_loose(); }
bool Search::has_cut() const { return state_->first_cut().has_value(); }
std::optional<std::pair<uint32_t, uint32_t>> Search::first_cut() const { return state_->first_cut(); }

}  // namespace fencepost::check

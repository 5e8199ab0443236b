#include "order/engine.h"

#include <algorithm>
#include <bit>

#include "order/position.h"

namespace fencepost::order {

using namespace ir;

namespace {

// Before OpenCL 3.1 two scopes are inclusive only if they are the same one (The OpenCL Specification, "Memory Ordering
// Rules: Inclusive Scope"). A fence beside an atomic of another scope is none then, in the memory of that atomic.
bool inclusive(Dialect dialect, Scope a, Scope b) { return dialect != Dialect::opencl || a == b; }

Trace& of_one_scope(Trace& trace, Dialect dialect) {
  for (FenceRecord& f : trace.fences)
    for (const AccessRecord& a : trace.accesses)
      if (a.atomic != nullptr && !inclusive(dialect, f.scope, a.atomic->scope))
        (a.space == Space::group ? f.local : f.global) = false;
  return trace;
}

}  // namespace

Engine::Engine(Pool& pool, const Module& m, Trace& trace, const Setting& setting, Question impossible)
    : pool_(pool),
      m_(m),
      x_(of_one_scope(trace, setting.dialect)),
      setting_(setting),
      impossible_(std::move(impossible)),
      locks_(pool, m, trace, setting_, impossible_),
      last_(pool, m, trace, impossible_) {
  held_.assign(x_.accesses.size(), {});
  if (locks_.any())
    for (size_t i = 0; i < x_.accesses.size(); ++i)
      // A copy may be in flight when its thread gives the lock back.
      if (x_.accesses[i].mode != Mode::atomic && !x_.accesses[i].async()) held_[i] = locks_.held(x_.accesses[i]);
}

// ---- conflicts ---------------------------------------------------------------------------------------------

// Is an atomic not atomic for the other thread of the pair? Its scope must hold both; a warp holds them only in runs
// for pairs of one warp.
bool Engine::narrow(const AccessRecord& a) const {
  switch (a.atomic->scope) {
    case Scope::thread:
      return true;
    case Scope::warp:
      return setting_.lanes != Lanes::same_warp;
    case Scope::group:
      return setting_.pairing == Pairing::other_group;
    case Scope::cluster:  // two groups may be of two clusters
      return setting_.pairing == Pairing::other_group && setting_.groups != Groups::of_one_cluster;
    default:
      return false;
  }
}

Engine::Conflict Engine::conflict(const AccessRecord& a, const AccessRecord& b) const {
  Conflict none{pool_.no(), pool_.no()};
  const auto reads = [](const AccessRecord& x) {
    return x.kind == AccessKind::read || (x.atomic != nullptr && x.atomic->op == AtomicOp::load);
  };
  if (a.region != b.region || (reads(a) && reads(b))) return none;
  const bool scopes =
      a.atomic == nullptr || b.atomic == nullptr || inclusive(setting_.dialect, a.atomic->scope, b.atomic->scope);
  const bool atomics =
      a.kind == AccessKind::atomic && b.kind == AccessKind::atomic && !narrow(a) && !narrow(b) && scopes;
  const auto aligned = [&](Term o) {
    return std::has_single_bit(a.bytes) && pool_[o].trailing_zeros >= std::countr_zero(a.bytes);
  };
  const bool whole = a.bytes == b.bytes && aligned(a.offset[0]) && aligned(b.offset[1]);
  Conflict r;
  r.same = r.possible = pool_.eq(a.offset[0], b.offset[1]);
  if (!whole) {
    const uint8_t w = pool_.width(a.offset[0]);
    const Term d = pool_.sub(b.offset[1], a.offset[0]);
    r.possible =
        pool_.any(pool_.ult(d, pool_.constant(a.bytes, w)), pool_.ult(pool_.neg(d), pool_.constant(b.bytes, w)));
  }
  if (atomics && a.bytes == b.bytes) r.possible = pool_.all(r.possible, pool_.not_(r.same));
  return r;
}

// ---- edges -------------------------------------------------------------------------------------------------

Link Engine::link(const BarrierRecord& r) {
  const auto named = [&](const Pair& flags) {
    if (r.meets) return pool_.all(flags[0], flags[1]);
    return setting_.both_fences ? pool_.all(flags[0], flags[1]) : flags[0];
  };
  Link l;
  l.from = l.to = r.position;
  l.happens = r.meets ? r.meets : pool_.yes();
  l.cover = {named(r.local), named(r.global)};
  return l;
}

Term Engine::waited(const AccessRecord& a, uint32_t position) {
  std::vector<Term> any{waited_here(a, position)};
  // What was started before a loop and waited for in its first iterations: these are looked at where the first of the
  // iterations that are run is the loop's very first, and later ones have it behind a barrier.
  for (const StepRecord& s : x_.steps)
    if (a.own && s.exact && a.position < s.begin && s.begin <= position && waited_in_first(a, s))
      any.push_back(pool_.all(s.entry[0], pool_.not_(s.at_once[0])));
  return pool_.any(std::move(any));
}

bool Engine::waited_in_first(const AccessRecord& a, const StepRecord& s) {
  const auto key =
      std::make_pair(static_cast<size_t>(&a - x_.accesses.data()), static_cast<size_t>(&s - x_.steps.data()));
  const auto it = waited_in_first_.find(key);
  if (it != waited_in_first_.end()) return it->second;
  const Term not_yet = pool_.not_(waited_here(a, s.last_end));
  const bool waits = impossible_({a.guard[0], s.at_once[0], s.goes_on[0], not_yet}, s.last_end);
  return waited_in_first_.emplace(key, waits).first->second;
}

bool Engine::in_step(uint32_t loop) const {
  return std::any_of(x_.steps.begin(), x_.steps.end(), [&](const StepRecord& s) { return s.loop == loop; });
}

Term Engine::waited_here(const AccessRecord& a, uint32_t position) {
  std::vector<Term> any;
  for (const WaitRecord& w : x_.waits)
    if (between(a.position, w.position, position) && pool_.width(w.event[0]) == pool_.width(a.event[0]))
      any.push_back(pool_.all(w.guard[0], pool_.eq(w.event[0], a.event[0])));
  return pool_.any(std::move(any));
}

// The other thread itself has waited for the group's copy: all of it is made when that returns, whichever thread made
// which part (OpenCL C 3.0, 6.15.11; the reference asks for a barrier as well). Of the iterations of a summary it is
// not known whether they are the same.
Term Engine::waited_by_other(const AccessRecord& a, uint32_t position) {
  std::vector<Term> any;
  if (a.own || !setting_.group_waits || setting_.pairing != Pairing::same_group || a.iteration[0]) return pool_.no();
  for (const WaitRecord& w : x_.waits)
    if (between(a.position, w.position, position) && pool_.width(w.event[1]) == pool_.width(a.event[1]))
      any.push_back(pool_.all(w.guard[1], pool_.eq(w.event[1], a.event[1])));
  return pool_.any(std::move(any));
}

void Engine::meetings(const AccessRecord& a, const AccessRecord& b, Edges& out) {
  if (a.async()) {
    const Term done = waited_by_other(a, b.position);
    out.settled = pool_.is_true(done);
    if (out.settled) return;
    if (!pool_.is_false(done)) out.orders.push_back(done);
  }
  for (const BarrierRecord& r : x_.barriers) {
    if (!between(a.position, r.position, b.position)) continue;
    Link l = link(r);
    if (a.async()) {
      // The copy is made by one thread, whose waiting a barrier must pass on to the others.
      const Link end{a.position + 1, r.position, waited(a, r.position), {pool_.yes(), pool_.yes()}, false};
      l = *compose(pool_, end, l);  // the one ends where the other stands
    }
    const Term o = ordered(pool_, l, a, b);
    out.settled = out.settled || pool_.is_true(o);
    if (out.settled) return;
    if (!pool_.is_false(o)) out.orders.push_back(o);
  }
}

// Whoever arrives comes before whoever waits in the same phase, in the order of time, not of the text (PTX ISA 8.9.5: a
// barrier.arrive or barrier.sync synchronizes with a barrier.sync of the same barrier).
void Engine::named_barriers(const AccessRecord& a, const AccessRecord& b, Edges& out) {
  if (setting_.pairing != Pairing::same_group || (a.async() && !a.own) || (b.async() && !b.own)) return;
  for (const NamedRole& i : x_.named.roles)
    for (const NamedRole& j : x_.named.roles) {
      const Term both = pool_.all(i.member[0], j.member[1]);
      if (pool_.is_false(both)) continue;
      for (const bool forth : {true, false}) {
        const Term o = forth ? named_end_before(i, a, 0, j, b, 1) : named_end_before(j, b, 1, i, a, 0);
        if (!pool_.is_false(o)) out.orders.push_back(pool_.all(both, o));
      }
    }
}

// A copy of the thread is over where the thread has waited for it, in the same iteration.
Term Engine::named_end_before(const NamedRole& i, const AccessRecord& a, size_t first, const NamedRole& j,
                              const AccessRecord& b, size_t second) {
  if (!a.async()) return named_before(i, a, first, j, b, second);
  if (std::ranges::any_of(a.loops, [&](uint32_t l) { return in_step(l); })) return pool_.no();
  std::vector<Term> any;
  for (const WaitRecord& w : x_.waits) {
    if (w.position <= a.position || w.loops != a.loops || pool_.width(w.event[first]) != pool_.width(a.event[first]))
      continue;
    const Term waited = pool_.all(w.guard[first], pool_.eq(w.event[first], a.event[first]));
    if (pool_.is_false(waited)) continue;
    AccessRecord end = a;
    end.position = w.position;
    any.push_back(pool_.all(waited, named_before(i, end, first, j, b, second)));
  }
  return pool_.any(std::move(any));
}

// Under which condition what the first thread does, of the one role, comes before what the second does, of the other.
Term Engine::named_before(const NamedRole& i, const AccessRecord& a, size_t first, const NamedRole& j,
                          const AccessRecord& b, size_t second) {
  const auto inside = [](const NamedRole& r, const AccessRecord& x) {
    return r.loop != 0 && std::ranges::count(x.loops, r.loop) != 0;
  };
  const auto follows = [&](const NamedRole& r, const AccessRecord& x) { return x.second != 0 && inside(r, x); };
  if ((follows(i, a) && !i.again.contains(a.second)) || (follows(j, b) && !j.again.contains(b.second)))
    return pool_.no();
  // What stands in the outer of two loops alone is before no round and behind none, for all that is known.
  const auto between_rounds = [&](const NamedRole& r, const AccessRecord& x) {
    return r.outer != 0 && !inside(r, x) && std::ranges::count(x.loops, r.outer) != 0;
  };
  if (between_rounds(i, a) || between_rounds(j, b)) return pool_.no();
  // `ends`: what stands at the access comes behind it.
  const auto place = [&](const NamedRole& r, const AccessRecord& x, bool ends) {
    NamedRounds::Place p;
    p.part = inside(r, x)                                                   ? NamedRounds::round
             : r.loop != 0 && x.position > r.at[NamedRounds::round].front() ? NamedRounds::behind
                                                                            : NamedRounds::before;
    for (const uint32_t at : follows(r, x) ? r.again.at(x.second) : r.at[p.part])
      p.operations += at < x.position || (!ends && at == x.position) ? 1 : 0;
    return p;
  };
  const auto count = [&](const NamedRole& r, const AccessRecord& x, size_t thread) {
    return x_.named.counts.at({r.loop, x.second})[thread];
  };
  const NamedRounds::Place from = place(i, a, false), to = place(j, b, true);
  uint64_t most = 0;
  for (const size_t v : i.warps)
    for (const size_t w : j.warps) {
      const std::optional<uint64_t> d = x_.named.rounds.distance(v, from, w, to);
      if (!d) return pool_.no();
      most = std::max(most, *d);
    }
  // An iteration that is left before its barriers is no round. What is known at its beginning is.
  Term in_round = pool_.yes();
  if (from.part == NamedRounds::round) in_round = i.comes.at(a.second)[first];
  if (to.part == NamedRounds::round && to.operations != 0) in_round = pool_.all(in_round, j.comes.at(b.second)[second]);
  if (to.part != NamedRounds::round) return in_round;
  const Term now = count(j, b, second);
  const Term far = pool_.all(in_round, pool_.ule(pool_.constant(most, pool_.width(now)), now));
  if (from.part != NamedRounds::round) return far;
  const Term then = count(i, a, first);
  const Term orders = pool_.all(far, pool_.ule(then, pool_.sub(now, pool_.constant(most, pool_.width(now)))));
  if (i.outer == 0) return orders;
  // Rounds of an earlier iteration of the outer loop lie one before, at least.
  const Term outer = x_.named.counts.at({i.outer, 0})[first], outer_now = x_.named.counts.at({j.outer, 0})[second];
  return pool_.any(pool_.all(pool_.eq(outer, outer_now), orders),
                   most <= 1 ? pool_.all(in_round, pool_.ult(outer, outer_now)) : pool_.no());
}

// Whoever arrives at a barrier object, or whose copy is complete there, comes before whoever waits for that phase or a
// later one (PTX ISA 9.7.13.15: the arrive releases, the test or try that says yes acquires): who arrives for a phase
// has waited for the one before it, so that the later arrival passes on what the earlier brought.
void Engine::phases(const AccessRecord& a, size_t first, const AccessRecord& b, size_t second, Edges& out) {
  if (setting_.pairing != Pairing::same_group) return;
  const auto brought = [](const PhaseRecord& i, const AccessRecord& x) {
    if (x.async() && !i.copies) return i.event == x.event;
    return !i.event[0] && x.position < i.position;
  };
  for (const PhaseRecord& j : x_.phases)
    for (const PhaseRecord& i : x_.phases)
      if (j.waits && !i.waits && i.object == j.object && i.phase <= j.phase && brought(i, a) && j.position < b.position)
        out.orders.push_back(pool_.all(i.guard[first], j.guard[second]));
}

namespace {

// k + at <= l + to, as integers.
Term up_to(Pool& pool, Term k, int64_t at, Term l, int64_t to) {
  const Term by = pool.constant(static_cast<uint64_t>(at < to ? to - at : at - to), pool.width(k));
  if (at <= to) return pool.any(pool.ult(k, by), pool.ule(pool.sub(k, by), l));
  return pool.all(pool.ule(by, l), pool.ule(k, pool.sub(l, by)));
}

// The access is of an iteration of the loop that the record stands in.
bool of_iteration(const RingRecord& r, const AccessRecord& x) {
  return !r.loops.empty() && !x.loops.empty() && r.loops[0] == x.loops[0];
}

}  // namespace

// Who arrives at a ring behind the first access, or in the next iteration, comes before who has waited there for that
// number or a later one before the second access, or in the iteration before it (prove/rings.h).
void Engine::rings(const AccessRecord& a, size_t first, const AccessRecord& b, size_t second, Edges& out) {
  if (setting_.pairing != Pairing::same_group) return;
  for (const RingRecord& i : x_.rings) {
    if (i.waits) continue;
    const bool behind = a.position < i.position, around = of_iteration(i, a);
    if (!around && !(i.loops.empty() && behind)) continue;
    if (a.async() && !(i.copies && behind)) continue;
    for (const RingRecord& j : x_.rings) {
      if (!j.waits || j.ring != i.ring || !of_iteration(j, b)) continue;
      const bool before = j.position < b.position;
      const Term both = pool_.all(i.guard[first], before ? j.guard[second] : j.earlier[second]);
      if (pool_.is_false(both)) continue;
      std::vector<Term> any{up_to(pool_, i.k[first], i.at + (behind ? 0 : 1), j.k[second], j.at - (before ? 0 : 1))};
      if (behind && before && i.lap[first] && j.lap[second])
        any.push_back(pool_.all(pool_.eq(i.place[first], j.place[second]),
                                up_to(pool_, i.lap[first], i.laps, j.lap[second], j.laps)));
      out.orders.push_back(pool_.all(both, pool_.any(std::move(any))));
    }
  }
}

// A copy of thread 0 is complete before the other access, since an object was waited for that knows of it.
Term Engine::known_complete(const AccessRecord& a, const AccessRecord& b, size_t thread) {
  Edges out;
  phases(a, 0, b, thread, out);
  rings(a, 0, b, thread, out);
  return pool_.any(std::move(out.orders));
}

// In lock-step, an access that both threads make together, at or after the first and up to the second, puts them in
// order, and so does any instruction between them that both execute: the end of a block, at least. The parts of one
// access are made at once.
void Engine::lock_step(const AccessRecord& a, const AccessRecord& b, Edges& out) {
  if (!setting_.lockstep || pool_.is_false(x_.same_warp)) return;
  if (a.async()) return;  // the lanes start copies together; nothing says when they end
  std::vector<Term> together;
  // Of a loop that all leave in the same iteration, and that is run as a summary: lanes are in different iterations of
  // it one after the other, since both execute the header of the later one, and in the same one as outside of loops.
  if (a.iteration[0] && a.loops.size() == 1 && a.loops == b.loops && x_.uniform_loops.contains(a.loops[0])) {
    const Term same = pool_.eq(a.iteration[0], b.iteration[1]);
    if (a.instant != b.instant)
      for (const AccessRecord& m : x_.accesses)
        if (m.position >= a.position && m.position <= b.position && m.loops == a.loops)
          together.push_back(pool_.all({same, m.guard[0], m.guard[1]}));
    together.push_back(pool_.not_(same));
    out.by_lock_step.push_back(pool_.all(x_.same_warp, pool_.any(std::move(together))));
    return;
  }
  if (a.instant == b.instant) return;
  for (const AccessRecord& m : x_.accesses)
    // In a summary the guards of the two threads are of different iterations.
    if (m.position >= a.position && m.position <= b.position && !m.iteration[0])
      together.push_back(pool_.all(m.guard[0], m.guard[1]));
  for (const CommonRecord& m : x_.commons)
    if (between(a.position, m.position, b.position)) together.push_back(pool_.all(m.guard[0], m.guard[1]));
  out.by_lock_step.push_back(pool_.all(x_.same_warp, pool_.any(std::move(together))));
}

// Both in critical sections of one place of one lock.
void Engine::critical_sections(const AccessRecord& a, const AccessRecord& b, Edges& out) {
  for (const Held& h : held_[static_cast<size_t>(&a - x_.accesses.data())])
    for (const Held& k : held_[static_cast<size_t>(&b - x_.accesses.data())])
      if (h.region == k.region) {
        out.orders.push_back(pool_.eq(h.offset[0], k.offset[1]));
        if (locks_.from_zero(h.region)) last_.assumptions.insert(starts_at_zero(m_, h.region));
      }
}

Engine::Edges Engine::edges(const AccessRecord& a, const AccessRecord& b) {
  Edges out;
  // A barrier that all pass stands between them: the common case, without a look at any record.
  if (!a.async() &&
      (a.space == Space::group ? a.local_segment != b.local_segment : a.global_segment != b.global_segment)) {
    out.settled = true;
    return out;
  }
  meetings(a, b, out);
  if (out.settled) return out;
  // Fences and ordered atomics of OpenCL order an image only where they name images, which is not followed.
  const bool image = m_.dialect == Dialect::opencl && m_.region(a.region).origin == Origin::image;
  if (last_.any() && !image) {
    const Term behind = last_.ordered(a, b);
    out.settled = pool_.is_true(behind);
    if (out.settled) return out;
    if (!pool_.is_false(behind)) out.orders.push_back(behind);
  }
  named_barriers(a, b, out);
  phases(a, 0, b, 1, out);
  phases(b, 1, a, 0, out);
  rings(a, 0, b, 1, out);
  rings(b, 1, a, 0, out);
  lock_step(a, b, out);
  if (!image) critical_sections(a, b, out);
  return out;
}

Term Engine::read_before_matrix(const AccessRecord& a, const AccessRecord& b) const {
  return between(a.position, b.arrival, b.position) && a.kind == AccessKind::read && !a.async() &&
                 setting_.pairing == Pairing::same_group
             ? b.arrived
             : pool_.no();
}

RegionId Engine::perhaps(const AccessRecord& a, const AccessRecord& b) const {
  if (a.async() || b.async()) return {};
  const bool fenced = std::any_of(x_.fences.begin(), x_.fences.end(), [](const FenceRecord& f) {
    return for_grid(f.scope) && (releases(f.order) || acquires(f.order));
  });
  const auto around_both = [](const LockRecord& q, const AccessRecord& x) {
    return std::any_of(x.loops.begin(), x.loops.end(),
                       [&](uint32_t l) { return std::find(q.loops.begin(), q.loops.end(), l) != q.loops.end(); });
  };
  const auto taken_before = [&](const LockRecord& q, const AccessRecord& x) {
    return !q.release && (q.position < x.position || around_both(q, x));
  };
  const auto given_behind = [&](const LockRecord& s, const AccessRecord& x) {
    return s.release && (s.position > x.position || around_both(s, x));
  };
  // Who has taken it and not given it back may be the only one.
  const auto kept = [&](const LockRecord& q, const AccessRecord& x) {
    return taken_before(q, x) && std::none_of(x_.locks.begin(), x_.locks.end(), [&](const LockRecord& s) {
             return s.release && s.region == q.region && between(q.position, s.position, x.position);
           });
  };
  for (const LockRecord& q : x_.locks) {
    if (locks_.valid(q.region)) continue;
    for (const LockRecord& s : x_.locks)
      if (q.region == s.region && ((kept(q, a) && kept(s, b)) || (taken_before(q, a) && given_behind(s, b)) ||
                                   (taken_before(q, b) && given_behind(s, a))))
        return q.region;
  }
  if (setting_.pairing != Pairing::other_group) return {};
  for (const TicketRecord& k : x_.last_tickets)
    for (const TicketRecord& n : x_.last_tickets)
      if (k.region == n.region && !last_.valid(k.region) && (fenced || (k.releases && n.acquires)))
        for (const auto& [one, other] : {std::pair(&a, &b), std::pair(&b, &a)})
          if (k.position >= one->position && n.position <= other->position) return k.region;
  return {};
}

bool Engine::ends_in_iteration(const AccessRecord& a) {
  std::vector<Term> any;
  for (const WaitRecord& w : x_.waits)
    if (a.position < w.position && !a.loops.empty() &&
        std::find(w.loops.begin(), w.loops.end(), a.loops.back()) != w.loops.end() &&
        pool_.width(w.event[0]) == pool_.width(a.event[0]))
      any.push_back(pool_.all(w.guard[0], pool_.eq(w.event[0], a.event[0])));
  const Term waited = pool_.any(std::move(any));
  return pool_.is_true(waited) || impossible_({a.guard[0], pool_.not_(waited)}, a.position);
}

bool Engine::copy_outlives_iterations(const AccessRecord& a) {
  if (!a.async()) return false;
  for (const StepRecord& s : x_.steps) {
    if (!between(s.begin, a.position, s.end)) continue;
    if (!impossible_({a.guard[0], s.goes_on[0], pool_.not_(waited_here(a, s.last_end))}, s.last_end)) return true;
  }
  return false;
}

}  // namespace fencepost::order

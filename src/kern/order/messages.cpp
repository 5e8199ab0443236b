#include "order/messages.h"

#include <algorithm>
#include <bit>

#include "order/position.h"

namespace fencepost::order {

using namespace ir;

namespace {

bool common_loop(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b) {
  return std::any_of(a.begin(), a.end(), [&](uint32_t l) { return std::find(b.begin(), b.end(), l) != b.end(); });
}

bool shares(const std::set<uint64_t>& known, const std::vector<uint64_t>& names) {
  return std::any_of(names.begin(), names.end(), [&](uint64_t n) { return known.contains(n); });
}

}  // namespace

Messages::Messages(Pool& pool, const Module& m, const Trace& trace, const Setting& setting, Question impossible,
                   Others others, LastGroup& last)
    : pool_(pool),
      m_(m),
      x_(trace),
      setting_(setting),
      impossible_(std::move(impossible)),
      others_(std::move(others)),
      last_(last) {}

bool Messages::reaches(Scope s) const {
  return for_grid(s) || (setting_.pairing == Pairing::same_group && (s == Scope::group || s == Scope::cluster));
}

bool Messages::orders(RegionId flag, const AccessRecord& data) const {
  return setting_.dialect == Dialect::cuda || m_.region(flag).space == data.space;
}

bool Messages::acquire_fence(const FenceRecord& f, const AccessRecord& data) const {
  return acquires(f.order) && reaches(f.scope) && (data.space == Space::group ? f.local : f.global);
}

bool Messages::release_fence(const FenceRecord& f, const AccessRecord& data) const {
  return releases(f.order) && reaches(f.scope) && (data.space == Space::group ? f.local : f.global);
}

const std::vector<BarrierRecord>& Messages::barriers() const {
  return setting_.pairing == Pairing::same_group ? x_.barriers : x_.group_barriers;
}

// Whenever the goal and the rest hold.
bool Messages::follows(const Asked& q, std::vector<Term> also, Term then) {
  if (pool_.is_true(then)) return true;
  also.insert(also.end(), q.goal.begin(), q.goal.end());
  also.push_back(pool_.not_(then));
  return impossible_(std::move(also), q.limits);
}

// Of each thread that comes to the position.
bool Messages::alone(Term guard, size_t thread, Term then, uint32_t position) const {
  if (pool_.is_true(then)) return true;
  std::array<uint32_t, 2> limits{};
  limits[thread] = position;
  return impossible_({guard, pool_.not_(then)}, limits);
}

// What is known of the thread alone when it has come to the position, as far as it has to do with the terms.
std::vector<Term> Messages::facts_of(size_t thread, uint32_t position, const std::vector<Term>& about,
                                     const std::function<Term(Term)>& rename) const {
  std::set<uint64_t> known, ids, others;
  for (const size_t d : k_dimensions)
    for (const size_t t : k_both)
      for (const Term id : {x_.local_id[t][d], x_.group_id[t][d]})
        for (uint64_t n : formula::names(pool_, id)) (t == thread ? ids : others).insert(n);
  for (uint64_t n : ids) others.erase(n);
  for (Term t : about)
    for (uint64_t n : formula::names(pool_, t)) known.insert(n);
  std::vector<Term> out;
  std::vector<uint8_t> taken(x_.facts.size());
  for (bool again = true; again;) {
    again = false;
    for (size_t i = 0; i < x_.facts.size(); ++i) {
      const Fact& f = x_.facts[i];
      const bool launch = f.threads == 0 && shares(ids, f.names) && !shares(others, f.names);
      if (taken[i] != 0 || (!launch && f.threads != 1u << thread) || !shares(known, f.names)) continue;
      if (!launch && (position < f.from[thread] || f.until[thread] < position)) continue;
      taken[i] = 1;
      again = true;
      known.insert(f.names.begin(), f.names.end());
      out.push_back(rename(f.term));
    }
  }
  return out;
}

bool Messages::ordered(const AccessRecord& a, const AccessRecord& b, const std::vector<Term>& goal) {
  if (x_.observations.empty() || a.async() || b.async() || a.by_contract || b.by_contract || a.spec || b.spec)
    return false;
  if (m_.dialect == Dialect::opencl && m_.region(a.region).origin == Origin::image) return false;  // as Engine::edges
  const std::array<uint32_t, 2> limits{a.position, b.position};
  return passes({a, b, 0, 1, goal, limits}) || passes({b, a, 1, 0, goal, limits}) ||
         in_turns({a, b, 0, 1, goal, limits}) || handed_over(a, b, goal, limits);
}

bool Messages::passes(const Asked& q) {
  for (const ObservationRecord& o : x_.observations) {
    if (o.position >= q.behind.position || !o.aligned || !reaches(o.scope)) continue;
    // Group memory starts with any contents.
    if (m_.region(o.region).space != Space::global) continue;
    for (const Reader& r : readers(q, o))
      if (granted(q, o, r)) return true;
  }
  return false;
}

// ---- the side of the reader -----------------------------------------------------------------------------------

std::vector<Messages::Reader> Messages::readers(const Asked& q, const ObservationRecord& o) {
  const size_t c = q.reader;
  std::vector<Reader> out;
  const bool ordered_read = o.acquires && orders(o.region, q.behind);
  if (follows(q, {}, o.guard[c])) {
    Side side{ordered_read, false};
    for (const FenceRecord& f : x_.fences)
      if (between(o.position, f.position, q.behind.position) && acquire_fence(f, q.behind) &&
          follows(q, {}, f.guard[c])) {
        side.fenced = true;
        side.sequential = side.sequential || (setting_.dialect == Dialect::cuda && f.order == Order::seq_cst);
      }
    if (side.fenced) out.push_back({{}, o.offset[c], o.value[c], side});
  }
  const auto as_first = [&](Term t) { return others_.first(t, static_cast<int>(c)); };
  for (const BarrierRecord& b : barriers()) {
    if (!between(o.position, b.position, q.behind.position) || b.by != Provider::barrier || b.meets) continue;
    const Term orders_data = q.behind.space == Space::group ? b.local[c] : b.global[c];
    if (!follows(q, {}, orders_data)) continue;
    // The first thread has come to the barrier too.
    const Term came = as_first(b.guard[c]), read = as_first(o.guard[c]);
    Reader r{{came}, as_first(o.offset[c]), as_first(o.value[c]), {ordered_read, false}};
    const std::vector<Term> known =
        facts_of(c, b.position, {b.guard[c], o.guard[c], o.offset[c], o.value[c]}, as_first);
    r.known.insert(r.known.end(), known.begin(), known.end());
    if (!follows(q, r.known, read)) continue;
    for (const FenceRecord& f : x_.fences) {
      if (!acquire_fence(f, q.behind)) continue;
      const bool sc = setting_.dialect == Dialect::cuda && f.order == Order::seq_cst;
      if (between(o.position, f.position, b.position) && follows(q, r.known, as_first(f.guard[c]))) {
        r.side.fenced = true;
        r.side.sequential = r.side.sequential || sc;
      } else if (sc && between(b.position, f.position, q.behind.position) && follows(q, {}, f.guard[c])) {
        r.side.sequential = true;
      }
    }
    if (r.side.fenced || r.side.sequential) out.push_back(std::move(r));
  }
  // What needs no order of two fences first.
  std::stable_partition(out.begin(), out.end(), [](const Reader& r) { return r.side.fenced; });
  return out;
}

// ---- the side of the writers ----------------------------------------------------------------------------------

bool Messages::granted(const Asked& q, const ObservationRecord& o, const Reader& r) {
  if (!follows(q, r.known, pool_.ne(r.value, pool_.constant(0, pool_.width(r.value))))) return false;
  by_order_of_fences_ = false;
  if (!all_writers(q, o, r)) return false;
  if (by_order_of_fences_) assumptions.insert(fences_in_order());
  assumptions.insert(starts_at_zero(m_, o.region));
  return true;
}

bool Messages::all_writers(const Asked& q, const ObservationRecord& o, const Reader& r) {
  return std::all_of(x_.accesses.begin(), x_.accesses.end(), [&](const AccessRecord& w) {
    return w.region != o.region || w.kind == AccessKind::read || w.leaves || by_writer(q, o, r, w);
  });
}

// ---- turns ----------------------------------------------------------------------------------------------------

// Has each thread that writes to the array read one less at that place before, by this read, and does it pass on what
// it has read? None: no.
std::optional<Messages::Side> Messages::chained(const ObservationRecord& o) {
  Side all{true, setting_.dialect == Dialect::cuda};
  for (const AccessRecord& w : x_.accesses) {
    if (w.region != o.region || w.kind == AccessKind::read || w.leaves) continue;
    if (w.mode != Mode::atomic || !w.value[0] || w.bytes != o.bytes || !for_grid(w.atomic->scope) || !w.loops.empty() ||
        w.position <= o.position || pool_.width(w.value[0]) != pool_.width(o.value[0]) ||
        pool_[w.offset[0]].trailing_zeros < std::countr_zero(w.bytes))
      return std::nullopt;
    const Term next = pool_.add(o.value[0], pool_.constant(1, pool_.width(o.value[0])));
    const Term one_more = pool_.all({o.guard[0], pool_.eq(o.offset[0], w.offset[0]), pool_.eq(w.value[0], next)});
    if (!alone(w.guard[0], 0, one_more, w.position)) return std::nullopt;
    Side side{o.acquires && releases(w.atomic->order) && setting_.dialect == Dialect::cuda, false};
    for (const FenceRecord& f : x_.fences)
      if (between(o.position, f.position, w.position) && f.global && for_grid(f.scope) &&
          (f.order == Order::acq_rel || f.order == Order::seq_cst) && alone(w.guard[0], 0, f.guard[0], w.position)) {
        side.fenced = true;
        side.sequential = side.sequential || f.order == Order::seq_cst;
      }
    if (!side.fenced) return std::nullopt;
    all.sequential = all.sequential && side.sequential;
  }
  return all;
}

bool Messages::in_turns(const Asked& q) {
  if (setting_.pairing != Pairing::other_group || q.before.space != Space::global) return false;
  const Asked back{q.behind, q.before, q.reader, q.writer, q.goal, q.limits};
  for (const ObservationRecord& o : x_.observations) {
    if (o.position >= std::min(q.before.position, q.behind.position) || !o.aligned || !for_grid(o.scope) ||
        m_.region(o.region).space != Space::global)
      continue;
    const std::optional<Side> chain = chained(o);
    if (!chain) continue;
    for (const Reader& first : readers(back, o))
      for (const Reader& second : readers(q, o)) {
        std::vector<Term> known = first.known;
        known.insert(known.end(), second.known.begin(), second.known.end());
        if (!follows(q, known, pool_.all(pool_.eq(first.offset, second.offset), pool_.ne(first.value, second.value))))
          continue;
        // Who else can write what ends the turn, and has it been in that turn?
        const auto ends = [&](const Asked& turn, const Reader& mine, const Reader& other) {
          const Side side{other.side.fenced, other.side.sequential && chain->sequential};
          const Term next = pool_.add(mine.value, pool_.constant(1, pool_.width(mine.value)));
          return all_writers(turn, o, {known, mine.offset, next, side});
        };
        by_order_of_fences_ = false;
        if (!ends(q, first, second) || !ends(back, second, first)) continue;
        if (by_order_of_fences_) assumptions.insert(fences_in_order());
        assumptions.insert(starts_at_zero(m_, o.region));
        return true;
      }
  }
  return false;
}

// Behind the access in the order of the program, with a release between. In a loop around both, a write may be of an
// earlier iteration.
Messages::Side Messages::released_by_itself(const Asked& q, const AccessRecord& w) {
  const AccessRecord& a = q.before;
  Side s;
  if (a.position >= w.position || common_loop(a.loops, w.loops)) return s;
  s.fenced = releases(w.atomic->order) && orders(w.region, a);
  for (const FenceRecord& f : x_.fences)
    if (between(a.position, f.position, w.position) && release_fence(f, a) &&
        alone(w.guard[q.writer], q.writer, f.guard[q.writer], w.position)) {
      s.fenced = true;
      s.sequential = s.sequential || (setting_.dialect == Dialect::cuda && f.order == Order::seq_cst);
    }
  return s;
}

// Whichever thread of the group writes.
Messages::Side Messages::released_by_barrier(const Asked& q, const AccessRecord& w) {
  const AccessRecord& a = q.before;
  const size_t p = q.writer;
  Side s;
  if (a.position >= w.position || common_loop(a.loops, w.loops)) return s;
  for (const BarrierRecord& b : barriers()) {
    if (!between(a.position, b.position, w.position) || b.by != Provider::barrier || b.meets) continue;
    const Term orders_data = a.space == Space::group ? b.local[p] : b.global[p];
    if (!alone(a.guard[p], p, orders_data, w.position) || !alone(w.guard[p], p, orders_data, w.position)) continue;
    if (releases(w.atomic->order) && orders(w.region, a)) s.fenced = true;
    for (const FenceRecord& f : x_.fences) {
      if (!release_fence(f, a)) continue;
      const bool sc = setting_.dialect == Dialect::cuda && f.order == Order::seq_cst;
      if (between(b.position, f.position, w.position) && alone(w.guard[p], p, f.guard[p], w.position)) {
        s.fenced = true;
        s.sequential = s.sequential || sc;
      } else if (sc && between(a.position, f.position, b.position) && alone(a.guard[p], p, f.guard[p], b.position)) {
        s.sequential = true;
      }
    }
  }
  return s;
}

// When the write is made by the last group, which has come behind the access (thread 0 before thread 1).
Term Messages::behind_last(const Asked& q, const AccessRecord& w) {
  if (!last_.any() || q.writer != 0 || setting_.pairing != Pairing::other_group) return pool_.no();
  uint32_t ticket = 0;
  for (const TicketRecord& k : x_.last_tickets) ticket = std::max(ticket, k.position);
  const bool handed_on = std::any_of(x_.fences.begin(), x_.fences.end(), [&](const FenceRecord& f) {
    return between(ticket, f.position, w.position) && release_fence(f, q.before) && f.order != Order::release &&
           f.order != Order::acquire && alone(w.guard[1], 1, f.guard[1], w.position);
  });
  return handed_on ? last_.ordered(q.before, w) : pool_.no();
}

Messages::Third Messages::third(size_t of) {
  Third t{{}, x_.local_id[of], x_.group_id[of]};
  for (const size_t d : k_dimensions)
    for (const Term id : {x_.local_id[of][d], x_.group_id[of][d]}) {
      const formula::Node n = pool_[id];
      const Term v = n.op == formula::Op::zext ? n.kids[0] : id;
      if (!pool_.is_constant(v)) t.renaming.emplace(v.id, pool_.variable(pool_.width(v), "third"));
    }
  for (const size_t d : k_dimensions) {
    t.local[d] = others_.another(t.local[d], t.renaming);
    t.group[d] = others_.another(t.group[d], t.renaming);
  }
  return t;
}

// Can a third thread have written the value, and not behind the access?
bool Messages::by_writer(const Asked& q, const ObservationRecord& o, const Reader& r, const AccessRecord& w) {
  const size_t p = q.writer, c = q.reader;
  Third other = third(c);
  const auto& [renaming, local, group] = other;
  const auto rename = [&](Term t) { return others_.another(t, other.renaming); };
  const bool atomic = w.mode == Mode::atomic && w.bytes == o.bytes && std::has_single_bit(w.bytes) &&
                      pool_[w.offset[c]].trailing_zeros >= std::countr_zero(w.bytes) && reaches(w.atomic->scope);
  const Term at = rename(w.offset[c]);
  std::vector<Term> also = r.known;
  also.push_back(rename(w.guard[c]));
  if (atomic) {
    also.push_back(pool_.eq(at, r.offset));
  } else {
    const uint8_t width = pool_.width(at);
    const Term d = pool_.sub(r.offset, at);
    also.push_back(pool_.any(pool_.ult(d, pool_.constant(w.bytes, width)),
                             pool_.ult(pool_.neg(d), pool_.constant(o.bytes, width))));
  }
  if (atomic && w.value[c] && pool_.width(w.value[c]) == pool_.width(r.value))
    also.push_back(pool_.eq(rename(w.value[c]), r.value));
  std::vector<Term> about{w.guard[c], w.offset[c]};
  if (w.value[c]) about.push_back(w.value[c]);
  for (const size_t d : k_dimensions) about.insert(about.end(), {x_.local_id[c][d], x_.group_id[c][d]});
  const std::vector<Term> known = facts_of(c, w.position, about, rename);
  also.insert(also.end(), known.begin(), known.end());
  // Tickets of two threads are apart: of the writer of the data and the third.
  std::vector<Term> tickets;
  for (const ApartRecord& f : x_.apart)
    if (f.from[p] <= q.before.position && q.before.position <= f.until[p] && f.from[c] <= w.position &&
        w.position <= f.until[c]) {
      ApartRecord r = f;
      r.guard[c] = rename(f.guard[c]);
      r.offset[c] = rename(f.offset[c]);
      r.value[c] = rename(f.value[c]);
      tickets.push_back(apart(pool_, r));
    }

  std::vector<Term> same, same_thread;
  for (const size_t d : k_dimensions) {
    same.push_back(pool_.eq(group[d], x_.group_id[p][d]));
    same_thread.push_back(pool_.eq(local[d], x_.local_id[p][d]));
  }
  const Term in_group = pool_.all(std::move(same)), itself = pool_.all(std::move(same_thread));
  const auto with = [&](std::vector<Term> more) {
    more.insert(more.end(), also.begin(), also.end());
    return more;
  };
  const Side by_barrier = atomic ? released_by_barrier(q, w) : Side{};
  const Side by_itself = atomic ? released_by_itself(q, w) : Side{};
  const auto own = [&] { return follows(q, with({in_group}), itself); };
  const auto by_order_of_fences = [&] {
    if (!r.side.sequential || !(by_barrier.sequential || (by_itself.sequential && own()))) return false;
    by_order_of_fences_ = true;
    return true;
  };
  const bool released = r.side.fenced && (by_barrier.fenced || (by_itself.fenced && own()));
  if (!released && !follows(q, with({in_group}), pool_.no()) && !by_order_of_fences()) return false;
  if (setting_.one_group) return true;
  std::vector<Term> elsewhere = with({pool_.not_(in_group)});
  elsewhere.insert(elsewhere.end(), tickets.begin(), tickets.end());
  const Term last = atomic && r.side.fenced ? behind_last(q, w) : pool_.no();
  return follows(q, std::move(elsewhere), rename(last));
}

}  // namespace fencepost::order

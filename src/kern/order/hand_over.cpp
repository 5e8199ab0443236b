// Places that are handed over: whoever has read a value there that is meant for it alone may use the data until it
// writes the place itself.
//
//   while (full[s] != 0); fence; buf[s] = x; fence; full[s] = 1;     one thread
//   while (full[s] != 1); fence; x = buf[s]; fence; full[s] = 0;     another one
//
// A thread holds a place from a read of it by an atomic until it next writes there. To be shown of the array of places:
//  1. Each write to it is an atomic one of the whole place, of a scope that holds the grid, by a thread that holds the
//     place: in the order of the program its read comes before, in the same iterations of the loops around the write,
//     and no write to the array stands between. (An atomic that leaves what is there is no write.)
//  2. Between the read and the write stands a fence that acquires and releases; or the one acquires and the other
//     releases.
//  3. No two threads, of all of the grid, hold one place by reads of one value, where they write, or write and access.
// Then two accesses are ordered if their threads hold one place by reads of different values, a fence that acquires (or
// the read) stands between the read and the access, and a fence that releases (or the write) between the access and
// every write behind it.
//
// Why. Let w1, w2, ... be the writes to one place in their coherence order, w0 what the place holds at first, and say
// that what leaves the contents is a part of the write before it. Claim: the holder that made w(i+1) holds by a read of
// w(i). Else take the first that does not, made by thread Y, which holds by a read of w(j), j < i. The maker of w(j+1)
// has read w(j), so the same value, so by 3 it is Y. If w(j+1) comes before Y's read in the order of the program, the
// read is against coherence. If it comes behind the read, it lies between it and w(i+1), or is it: against 1. In the
// same way, who holds by a read of w(j) without writing afterwards has read the last write, and an access of a thread
// that holds by w(j) comes before w(j+1) in the order of its program. So by 2 what is done under w(j) happens before
// w(j+1), and that before what is done under each later write. Nothing is said of what the place holds at first, of
// values that come again, or of how often the loops go round.
// Not covered: data that the holder's group uses behind a barrier; two places that count (head and tail of a queue);
// a thread that takes the place by a comparison (locks.h).
// Source: as messages.h; a protocol of one token for each place, as in GPS. That coherence alone gives the chain,
// whatever the place holds at first, was found in no paper. A test breaks each of 1 to 3:
// tests/unit/verifier/hand_over_test.cpp.
//
// `perhaps`: a race of which no run is seen may be none if a message orders it in a form that is not decided here. The
// least that any message needs: one thread, or its group behind a barrier, writes a place behind its access, the other
// reads it before its own, with a fence or an order for release and acquire, or others pass on what they have read. An
// update that says what was there reads the place too, whatever it does to it: fetch_min(n) leaves what is less.
#include <algorithm>
#include <bit>

#include "order/messages.h"
#include "order/position.h"

namespace fencepost::order {

using namespace ir;

namespace {

bool within(const std::vector<uint32_t>& loops, uint32_t l) {
  return std::find(loops.begin(), loops.end(), l) != loops.end();
}

bool share(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b) {
  return std::any_of(a.begin(), a.end(), [&](uint32_t l) { return within(b, l); });
}

bool writes(const AccessRecord& w, RegionId place) {
  return w.region == place && w.kind != AccessKind::read && !w.leaves;
}

}  // namespace

// The last read by which the thread holds a place of the array at the use.
std::optional<Messages::Holding> Messages::holding(RegionId place, size_t thread, const AccessRecord& use) const {
  const ObservationRecord* last = nullptr;
  for (const ObservationRecord& o : x_.observations) {
    if (o.region != place || o.position >= use.position || (last != nullptr && o.position < last->position)) continue;
    if (!std::all_of(use.loops.begin(), use.loops.end(), [&](uint32_t l) { return within(o.loops, l); })) continue;
    const bool interrupted = std::any_of(x_.accesses.begin(), x_.accesses.end(), [&](const AccessRecord& w) {
      if (!writes(w, place)) return false;
      // By the comparison that reads, between the two, or in a further iteration of a loop around the read alone.
      if (o.position <= w.position && w.position < use.position &&
          !pool_.is_false(pool_.all(w.guard[thread], use.guard[thread])))
        return true;
      return std::any_of(o.loops.begin(), o.loops.end(),
                         [&](uint32_t l) { return !within(use.loops, l) && within(w.loops, l); });
    });
    if (interrupted) continue;
    const bool whole = !writes(use, place) || use.bytes == o.bytes;
    const Term at = writes(use, place) ? pool_.eq(o.offset[thread], use.offset[thread]) : pool_.yes();
    if (o.aligned && for_grid(o.scope) && whole &&
        alone(use.guard[thread], thread, pool_.all(o.guard[thread], at), use.position))
      last = &o;
  }
  if (last == nullptr) return std::nullopt;
  return Holding{use.guard, use.position, last};
}

bool Messages::fence_between(uint32_t from, uint32_t to, Term guard, size_t thread, bool acquire, bool release,
                             const AccessRecord& data) {
  return std::any_of(x_.fences.begin(), x_.fences.end(), [&](const FenceRecord& f) {
    return between(from, f.position, to) && for_grid(f.scope) && (!acquire || acquires(f.order)) &&
           (!release || releases(f.order)) && (data.space == Space::group ? f.local : f.global) &&
           alone(guard, thread, f.guard[thread], to);
  });
}

// That no other thread holds the same place by the same value.
bool Messages::exclusive(size_t thread, const Holding& one, const Holding& other) {
  Third another = third(thread);
  const auto rename = [&](Term t) { return others_.another(t, another.renaming); };
  const ObservationRecord &mine = *one.read, &its = *other.read;
  if (mine.bytes != its.bytes) return false;
  std::vector<Term> goal{one.guard[thread], rename(other.guard[thread]),
                         pool_.eq(mine.offset[thread], rename(its.offset[thread])),
                         pool_.eq(mine.value[thread], rename(its.value[thread]))};
  std::vector<Term> same, about{other.guard[thread], its.offset[thread], its.value[thread]};
  for (const size_t d : k_dimensions) {
    same.push_back(pool_.eq(another.local[d], x_.local_id[thread][d]));
    same.push_back(pool_.eq(another.group[d], x_.group_id[thread][d]));
    about.insert(about.end(), {x_.local_id[thread][d], x_.group_id[thread][d]});
  }
  goal.push_back(pool_.not_(pool_.all(std::move(same))));
  const std::vector<Term> known = facts_of(thread, other.position, about, rename);
  goal.insert(goal.end(), known.begin(), known.end());
  std::array<uint32_t, 2> limits{};
  limits[thread] = one.position;
  return impossible_(std::move(goal), limits);
}

// What all of its writers hold; null: it is not handed over.
const std::vector<Messages::Holding>* Messages::owners(RegionId place) {
  const auto [it, fresh] = owners_.try_emplace(place.index);
  const auto known = [&] { return it->second ? &*it->second : nullptr; };
  if (!fresh) return known();
  std::vector<Holding> all;
  for (const AccessRecord& w : x_.accesses) {
    if (!writes(w, place)) continue;
    if (w.mode != Mode::atomic || w.atomic == nullptr || !for_grid(w.atomic->scope) || w.spec || w.by_contract ||
        !std::has_single_bit(w.bytes) || pool_[w.offset[0]].trailing_zeros < std::countr_zero(w.bytes))
      return nullptr;
    const std::optional<Holding> h = holding(place, 0, w);
    if (!h) return nullptr;
    // Of what the holder passes on any part may be meant, so both spaces.
    AccessRecord data = w;
    const bool by_orders = h->read->acquires && releases(w.atomic->order) && setting_.dialect == Dialect::cuda;
    for (const Space s : {Space::global, Space::group}) {
      data.space = s;
      if (!by_orders && !fence_between(h->read->position, w.position, w.guard[0], 0, true, true, data)) return nullptr;
    }
    all.push_back(*h);
  }
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t j = i; j < all.size(); ++j)
      if (!exclusive(0, all[i], all[j])) return nullptr;
  it->second = std::move(all);
  return known();
}

bool Messages::handed_over(const AccessRecord& a, const AccessRecord& b, const std::vector<Term>& goal,
                           std::array<uint32_t, 2> limits) {
  std::set<uint32_t> places;
  for (const ObservationRecord& o : x_.observations)
    if (m_.region(o.region).space == Space::global) places.insert(o.region.index);
  const Asked q{a, b, 0, 1, goal, limits};
  for (const uint32_t index : places) {
    const RegionId place{index};
    if (a.region == place || b.region == place) continue;
    const std::optional<Holding> first = holding(place, 0, a), second = first ? holding(place, 1, b) : std::nullopt;
    if (!second) continue;
    const std::vector<Holding>* writers = owners(place);
    if (writers == nullptr || writers->empty()) continue;
    const auto takes = [&](const Holding& h, const AccessRecord& x, size_t t) {
      return (h.read->acquires && orders(place, x)) ||
             fence_between(h.read->position, x.position, x.guard[t], t, true, false, x);
    };
    const auto gives = [&](const AccessRecord& x, size_t t) {
      return std::all_of(x_.accesses.begin(), x_.accesses.end(), [&](const AccessRecord& w) {
        if (!writes(w, place) || (releases(w.atomic->order) && orders(place, x))) return true;
        // One that stands before it is made behind it in a further iteration.
        if (w.position < x.position) return !share(w.loops, x.loops);
        return fence_between(x.position, w.position, w.guard[t], t, false, true, x);
      });
    };
    if (!takes(*first, a, 0) || !takes(*second, b, 1) || !gives(a, 0) || !gives(b, 1)) continue;
    const auto alone_with = [&](const Holding& h, size_t t) {
      return std::all_of(writers->begin(), writers->end(), [&](const Holding& w) { return exclusive(t, h, w); });
    };
    if (!alone_with(*first, 0) || !alone_with(*second, 1)) continue;
    if (follows(q, {},
                pool_.all(pool_.eq(first->read->offset[0], second->read->offset[1]),
                          pool_.ne(first->read->value[0], second->read->value[1]))))
      return true;
  }
  return false;
}

// ---- orders that are not shown ---------------------------------------------------------------------------------

namespace {

// Is the position between the two, or may it be, in loops around both?
bool perhaps_between(uint32_t from, const std::vector<uint32_t>& a, uint32_t to, const std::vector<uint32_t>& b,
                     uint32_t x, bool in_loop) {
  return between(from, x, to) || (in_loop && share(a, b));
}

}  // namespace

bool Messages::barrier_between(uint32_t from, uint32_t to) const {
  return std::any_of(barriers().begin(), barriers().end(),
                     [&](const BarrierRecord& b) { return between(from, b.position, to); });
}

// Does the read stand before the access, and something that acquires between them?
bool Messages::acquired(const Asked& q, const ObservationRecord& o) const {
  const AccessRecord& b = q.behind;
  if (o.position >= b.position && !share(o.loops, b.loops)) return false;
  return o.acquires || std::any_of(x_.fences.begin(), x_.fences.end(), [&](const FenceRecord& f) {
           return acquire_fence(f, b) &&
                  perhaps_between(o.position, o.loops, b.position, b.loops, f.position, f.in_loop);
         });
}

// Is the array written behind the access, with something that releases between them, so that `o` may read it?
bool Messages::sent(const Asked& q, RegionId place, const ObservationRecord* o) {
  const AccessRecord &a = q.before, &b = q.behind;
  return std::any_of(x_.accesses.begin(), x_.accesses.end(), [&](const AccessRecord& w) {
    if (!writes(w, place) || w.mode != Mode::atomic || (w.position < a.position && !share(w.loops, a.loops)))
      return false;
    if (!releases(w.atomic->order) && std::none_of(x_.fences.begin(), x_.fences.end(), [&](const FenceRecord& f) {
          return release_fence(f, a) &&
                 perhaps_between(a.position, a.loops, w.position, w.loops, f.position, f.in_loop);
        }))
      return false;
    // Another thread of the group may write or read, or the same one in another iteration.
    if (o == nullptr || !w.loops.empty() || share(o->loops, b.loops) || barrier_between(a.position, w.position) ||
        barrier_between(o->position, b.position))
      return true;
    std::vector<Term> also{w.guard[q.writer], o->guard[q.reader], pool_.eq(w.offset[q.writer], o->offset[q.reader])};
    // An update may be any part of what was read.
    if (w.value[q.writer] && pool_.width(w.value[q.writer]) == pool_.width(o->value[q.reader]))
      also.push_back(pool_.eq(w.value[q.writer], o->value[q.reader]));
    return !follows(q, std::move(also), pool_.no());
  });
}

// Every record of a read that may be of a message, shown or not.
std::vector<const ObservationRecord*> Messages::reads() const {
  std::vector<const ObservationRecord*> out;
  for (const auto* list : {&x_.observations, &x_.updates})
    for (const ObservationRecord& o : *list) out.push_back(&o);
  return out;
}

bool Messages::released(const Asked& q) {
  const auto all = reads();
  return std::any_of(all.begin(), all.end(), [&](const ObservationRecord* o) { return sent(q, o->region, nullptr); });
}

// Does some thread write a flag behind what it has read, so that it may hand on what is not its own?
bool Messages::may_pass_on() const {
  const auto all = reads();
  return std::any_of(x_.accesses.begin(), x_.accesses.end(), [&](const AccessRecord& w) {
    if (w.mode != Mode::atomic || w.kind == AccessKind::read || w.leaves) return false;
    bool flag = false, behind = false;
    for (const ObservationRecord* o : all) {
      flag = flag || o->region == w.region;
      behind = behind || share(o->loops, w.loops) ||
               (o->position < w.position && !alone(w.guard[0], 0, pool_.not_(o->guard[0]), w.position));
    }
    return flag && behind;
  });
}

RegionId Messages::perhaps(const AccessRecord& a, const AccessRecord& b, const std::vector<Term>& goal) {
  const auto all = reads();
  if (all.empty() || a.async() || b.async() || a.by_contract || b.by_contract || a.spec || b.spec) return {};
  const std::array<uint32_t, 2> limits{a.position, b.position};
  const bool through_others = may_pass_on();
  for (const bool direct : {true, false})
    for (const ObservationRecord* o : all) {
      if (m_.region(o->region).space != Space::global || !o->aligned || !reaches(o->scope)) continue;
      if (!direct && !through_others) continue;
      for (const Asked& q : {Asked{a, b, 0, 1, goal, limits}, Asked{b, a, 1, 0, goal, limits}})
        if (acquired(q, *o) && (direct ? sent(q, o->region, o) : released(q))) return o->region;
    }
  return {};
}

}  // namespace fencepost::order

#include "order/locks.h"

#include <algorithm>

#include "order/position.h"

namespace fencepost::order {

using namespace ir;

Locks::Locks(Pool& pool, const Module& m, const Trace& trace, const Setting& setting, Question impossible)
    : pool_(pool), m_(m), x_(trace), setting_(setting), impossible_(std::move(impossible)) {
  for (const LockRecord& q : x_.locks)
    if (!q.release && std::find(valid_.begin(), valid_.end(), q.region) == valid_.end()) valid_.push_back(q.region);
  std::erase_if(valid_, [&](RegionId r) {
    if (released_by_holders(r)) return false;
    from_zero_.push_back(r);
    if (released_by_holders(r)) return false;
    from_zero_.pop_back();
    return true;
  });
}

bool Locks::released_by_holders(RegionId r) const {
  return std::all_of(x_.locks.begin(), x_.locks.end(), [&](const LockRecord& s) {
    if (s.region != r) return true;
    if (!s.aligned) return false;
    if (!s.release || s.again) return true;
    return std::any_of(x_.locks.begin(), x_.locks.end(), [&](const LockRecord& q) {
      return !q.release && q.region == r && holds(q, s.guard, s.position, s.loops, false, Space::global, &s.offset);
    });
  });
}

bool Locks::from_zero(RegionId r) const {
  return std::find(from_zero_.begin(), from_zero_.end(), r) != from_zero_.end();
}

bool Locks::valid(RegionId r) const { return std::find(valid_.begin(), valid_.end(), r) != valid_.end(); }

// Is there a fence at one of the positions between, whenever the guard holds?
bool Locks::fenced(RegionId lock, uint32_t from, uint32_t to, Pair guard, uint32_t position, Space space,
                   bool acquire) const {
  for (const size_t t : k_both) {
    std::vector<Term> goal{guard[t]};
    for (const FenceRecord& f : x_.fences)
      if (between(from, f.position, to) && (space == Space::group ? f.local : f.global) &&
          (f.order == Order::acq_rel || f.order == Order::seq_cst ||
           f.order == (acquire ? Order::acquire : Order::release)) &&
          reaches(f.scope, lock))
        goal.push_back(pool_.not_(f.guard[t]));
    if (goal.size() == 1 || !impossible_(std::move(goal), position)) return false;
  }
  return true;
}

// A meeting point between the attempt and the position, also in an earlier iteration of a loop around the position
// alone.
bool Locks::met_between(const LockRecord& q, uint32_t position, const std::vector<uint32_t>& loops) const {
  const auto around = [](const std::vector<uint32_t>& in, uint32_t loop) {
    return std::find(in.begin(), in.end(), loop) != in.end();
  };
  return std::any_of(x_.meetings.begin(), x_.meetings.end(), [&](const MeetingRecord& m) {
    if (between(q.position, m.position, position)) return true;
    return std::any_of(loops.begin(), loops.end(),
                       [&](uint32_t l) { return around(m.loops, l) && !around(q.loops, l); });
  });
}

bool Locks::holds(const LockRecord& q, Pair guard, uint32_t position, const std::vector<uint32_t>& loops, bool fences,
                  Space space, const Pair* offset) const {
  if (q.position >= position || met_between(q, position, loops)) return false;
  const auto around = [](const std::vector<uint32_t>& in, uint32_t loop) {
    return std::find(in.begin(), in.end(), loop) != in.end();
  };
  for (const LockRecord& s : x_.locks) {
    if (!s.release || s.region != q.region) continue;
    const bool earlier =
        std::any_of(loops.begin(), loops.end(), [&](uint32_t l) { return around(s.loops, l) && !around(q.loops, l); });
    if (between(q.position, s.position, position) || earlier) return false;
  }
  const Pair& got = from_zero(q.region) ? q.not_refused : q.taken;
  if (!got[0]) return false;
  for (const size_t t : k_both) {
    std::vector<Term> taken{q.guard[t], got[t]};
    if (offset != nullptr) taken.push_back(pool_.eq(q.offset[t], (*offset)[t]));
    if (!impossible_({guard[t], pool_.not_(pool_.all(std::move(taken)))}, position)) return false;
  }
  return !fences || (q.acquires && orders(q.region, space)) ||
         fenced(q.region, q.position, position, guard, position, space, true);
}

// Does the scope hold all threads that may take the lock?
bool Locks::reaches(Scope scope, RegionId lock) const {
  return scope >= Scope::device ||
         (scope >= Scope::group && (m_.region(lock).space == Space::group || setting_.one_group));
}

bool Locks::orders(RegionId lock, Space space) const {
  return setting_.dialect == Dialect::cuda || (m_.region(lock).space == Space::group) == (space == Space::group);
}

std::vector<Held> Locks::held(const AccessRecord& a) const {
  std::vector<Held> out;
  for (const LockRecord& q : x_.locks) {
    if (q.release || !valid(q.region)) continue;
    const Space space = a.space;
    // The lock must be one for both threads.
    if (m_.region(q.region).space == Space::group && setting_.pairing == Pairing::other_group) continue;
    if (!reaches(q.scope, q.region)) continue;
    if (!holds(q, a.guard, a.position, a.loops, true, space, nullptr)) continue;
    const bool handed_on = std::all_of(x_.locks.begin(), x_.locks.end(), [&](const LockRecord& s) {
      if (!s.release || s.region != q.region || s.again) return true;
      // In the next iteration of a loop around both.
      if (s.position < a.position)
        return (s.releases && orders(s.region, space)) || std::none_of(a.loops.begin(), a.loops.end(), [&](uint32_t l) {
                 return std::find(s.loops.begin(), s.loops.end(), l) != s.loops.end();
               });
      if (!reaches(s.scope, s.region)) return false;
      return (s.releases && orders(s.region, space)) ||
             fenced(s.region, a.position, s.position, s.guard, s.position, space, false);
    });
    if (handed_on) out.push_back({q.region, q.offset});
  }
  return out;
}

}  // namespace fencepost::order

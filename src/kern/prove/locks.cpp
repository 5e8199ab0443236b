#include "prove/locks.h"

#include <algorithm>

namespace fencepost::prove {

using namespace ir;

Locks::Locks(Pool& pool, const Execution& x, Pairing pairing, Question impossible)
    : pool_(pool), x_(x), pairing_(pairing), impossible_(std::move(impossible)) {
  for (const LockRecord& q : x_.locks)
    if (!q.release && std::find(valid_.begin(), valid_.end(), q.region) == valid_.end()) valid_.push_back(q.region);
  // Each release must be the holder's.
  std::erase_if(valid_, [&](RegionId r) {
    return std::any_of(x_.locks.begin(), x_.locks.end(), [&](const LockRecord& s) {
      if (s.region != r) return false;
      if (!s.aligned) return true;
      if (!s.release || s.again) return false;
      return std::none_of(x_.locks.begin(), x_.locks.end(), [&](const LockRecord& q) {
        return !q.release && q.region == r && holds(q, s.guard, s.position, s.loops, false, Space::global, &s.offset);
      });
    });
  });
}

// Is there a fence at one of the positions between, whenever the guard holds?
bool Locks::fenced(RegionId lock, uint32_t from, uint32_t to, Pair guard, uint32_t position, Space space,
                   bool acquire) const {
  for (size_t t = 0; t < 2; ++t) {
    std::vector<Term> goal{guard[t]};
    for (const FenceRecord& f : x_.fences)
      if (from < f.position && f.position < to && (space == Space::group ? f.local : f.global) &&
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
    if (q.position < m.position && m.position < position) return true;
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
    const bool between = q.position < s.position && s.position < position;
    const bool earlier =
        std::any_of(loops.begin(), loops.end(), [&](uint32_t l) { return around(s.loops, l) && !around(q.loops, l); });
    if (between || earlier) return false;
  }
  for (size_t t = 0; t < 2; ++t) {
    std::vector<Term> taken{q.guard[t], q.taken[t]};
    if (offset != nullptr) taken.push_back(pool_.eq(q.offset[t], (*offset)[t]));
    if (!impossible_({guard[t], pool_.not_(pool_.all(std::move(taken)))}, position)) return false;
  }
  return !fences || (q.acquires && orders(q.region, space)) ||
         fenced(q.region, q.position, position, guard, position, space, true);
}

// Does the scope hold all threads that may take the lock?
bool Locks::reaches(Scope scope, RegionId lock) const {
  return scope >= Scope::device || (scope >= Scope::group && (x_.space(lock) == Space::group || x_.one_group()));
}

bool Locks::orders(RegionId lock, Space space) const {
  return x_.cuda() || (x_.space(lock) == Space::group) == (space == Space::group);
}

std::vector<Held> Locks::held(const AccessRecord& a) const {
  std::vector<Held> out;
  for (const LockRecord& q : x_.locks) {
    if (q.release || std::find(valid_.begin(), valid_.end(), q.region) == valid_.end()) continue;
    const Space space = x_.space(a.region);
    // The lock must be one for both threads.
    if (x_.space(q.region) == Space::group && pairing_ == Pairing::other_group) continue;
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

// ---- what the execution notes --------------------------------------------------------------------------------

// The two constants of a lock array: attempts by comparison say which is which; else, exchanges whose result someone
// looks at, the other value being the one that is put back.
std::optional<Execution::LockValues> Execution::lock_values(RegionId r) const {
  if (!writers_.atomics_alone(r) || writers_.of(r).empty()) return std::nullopt;
  const auto constant = [&](const flow::Writer& w, size_t i) -> std::optional<uint64_t> {
    const Value& v = m_.function(w.function).value(w.as_atomic()->operands[i]);
    return v.kind == Value::constant ? std::optional(v.constant_bits) : std::nullopt;
  };
  std::optional<LockValues> found;
  std::set<uint64_t> written;
  const uint32_t bytes = writers_.of(r).front().access->bytes;
  for (const flow::Writer& w : writers_.of(r)) {
    const Atomic& at = *w.as_atomic();
    if (at.access.regions.size() != 1 || at.access.bytes != bytes) return std::nullopt;
    if (at.op == AtomicOp::compare_exchange) {
      const auto free = constant(w, 0), taken = constant(w, 1);
      if (!free || !taken || *free == *taken) return std::nullopt;
      if (found && (found->free != *free || found->taken != *taken)) return std::nullopt;
      found = LockValues{*free, *taken, bytes};
    } else if (at.op == AtomicOp::store || at.op == AtomicOp::exchange) {
      const auto value = constant(w, 0);
      if (!value) return std::nullopt;
      written.insert(*value);
    } else {
      return std::nullopt;
    }
  }
  for (const flow::Writer& w : writers_.of(r))
    if (!found && written.size() == 2 && w.as_atomic()->op == AtomicOp::exchange && w.result_used) {
      const uint64_t taken = *constant(w, 0);
      found = LockValues{*written.begin() == taken ? *written.rbegin() : *written.begin(), taken, bytes};
    }
  if (!found) return std::nullopt;
  for (const flow::Writer& w : writers_.of(r)) {
    const AtomicOp op = w.as_atomic()->op;
    if (op == AtomicOp::compare_exchange) continue;
    const uint64_t value = *constant(w, 0);
    if (value != found->free && (op != AtomicOp::exchange || value != found->taken)) return std::nullopt;
  }
  return found;
}

void Execution::find_locks() {
  for (uint32_t r = 0; r < m_.regions.size(); ++r)
    if (const auto values = lock_values({r})) lock_values_.emplace(r, *values);
}

void Execution::lock(const Activation& a, const Instruction& in, const Atomic& at, Pair guard, Pair pointer,
                     Mode mode) {
  const auto it = at.access.regions.size() == 1 ? lock_values_.find(at.access.regions[0].index) : lock_values_.end();
  if (it == lock_values_.end() || at.op == AtomicOp::load) return;
  LockRecord r;
  r.region = at.access.regions[0];
  r.guard = guard;
  r.offset = {offset_of(pointer[0]), offset_of(pointer[1])};
  r.position = position_;
  r.again = !mode.log;
  r.scope = at.scope;
  r.loops = loops_around_;
  r.acquires = at.order == Order::acquire || at.order == Order::acq_rel || at.order == Order::seq_cst;
  r.releases = at.order == Order::release || at.order == Order::acq_rel || at.order == Order::seq_cst;
  r.aligned = true;
  for (Term o : r.offset)
    r.aligned = r.aligned && 1u << std::min<unsigned>(pool_[o].trailing_zeros, 16) >= it->second.bytes;
  const bool compare = at.op == AtomicOp::compare_exchange;
  r.release = !compare && a.f->value(at.operands[0]).constant_bits == it->second.free;
  if (!r.release) {
    if (in.results.empty()) return;  // taken or not: no one knows
    for (size_t t = 0; t < 2; ++t) {
      const Term result = a.values[in.results[0].index][t];
      r.taken[t] = pool_.eq(result, pool_.constant(it->second.free, pool_.width(result)));
    }
    maybe_held_ = true;
    // What the last holder wrote is seen from here on.
    const flow::FunctionEffects& e = effects_.function(entry_);
    for (uint32_t x = 0; x < m_.regions.size(); ++x) {
      const Space s = m_.regions[x].space;
      if (e.writes[x] != 0 && !memory.adversarial({x}) && (s == Space::group || s == Space::global))
        memory.forget({x}, guard, false);
    }
  }
  locks.push_back(std::move(r));
}

}  // namespace fencepost::prove

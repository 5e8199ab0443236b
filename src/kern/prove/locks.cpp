// Which arrays are locks, and what the execution notes of them; order/locks.h says what they order.
#include <algorithm>

#include "prove/execute.h"

namespace fencepost::prove {

using namespace ir;

// The two constants of a lock array: attempts by comparison say which is which; else, exchanges whose result someone
// looks at, the other value being the one that is put back.
std::optional<Execution::LockValues> Execution::lock_values(RegionId r) const {
  if (m_.region(r).clustered) return std::nullopt;
  std::vector<flow::Writer> writers = writers_.of(r);
  // Stores that give a lock of the group its first value; where they stand is looked at later (locks_begin).
  if (m_.region(r).space == Space::group)
    std::erase_if(writers, [&](const flow::Writer& w) {
      return w.kind == flow::Writer::store && w.function == entry_ &&
             std::holds_alternative<Store>(w.instruction->action);
    });
  if (writers.empty() ||
      std::any_of(writers.begin(), writers.end(), [](const flow::Writer& w) { return w.kind != flow::Writer::atomic; }))
    return std::nullopt;
  const auto constant = [&](const flow::Writer& w, size_t i) -> std::optional<uint64_t> {
    const Value& v = m_.function(w.function).value(w.as_atomic()->operands[i]);
    return v.kind == Value::constant ? std::optional(v.constant_bits) : std::nullopt;
  };
  std::optional<LockValues> found;
  std::set<uint64_t> written;
  const uint32_t bytes = writers.front().access->bytes;
  for (const flow::Writer& w : writers) {
    const Atomic& at = *w.as_atomic();
    if (at.access.regions.size() != 1 || at.access.bytes != bytes) return std::nullopt;
    if (at.op == AtomicOp::compare_exchange) {
      const auto free = constant(w, 0), taken = constant(w, 1);
      if (!free || !taken || *free == *taken) return std::nullopt;
      if (found && (found->free != *free || found->taken != *taken)) return std::nullopt;
      found = LockValues{*free, *taken, bytes, false};
    } else if (at.op == AtomicOp::store || at.op == AtomicOp::exchange) {
      const auto value = constant(w, 0);
      if (!value) return std::nullopt;
      written.insert(*value);
    } else {
      return std::nullopt;
    }
  }
  for (const flow::Writer& w : writers)
    if (!found && written.size() == 2 && w.as_atomic()->op == AtomicOp::exchange && w.result_used) {
      const uint64_t taken = *constant(w, 0);
      found = LockValues{*written.begin() == taken ? *written.rbegin() : *written.begin(), taken, bytes, false};
    }
  if (!found) return std::nullopt;
  for (const flow::Writer& w : writers) {
    const AtomicOp op = w.as_atomic()->op;
    if (op == AtomicOp::compare_exchange) continue;
    const uint64_t value = *constant(w, 0);
    found->released = found->released || value == found->free;
    if (value != found->free && (op != AtomicOp::exchange || value != found->taken)) return std::nullopt;
  }
  return found;
}

void Execution::find_locks() {
  for (uint32_t r = 0; r < m_.regions.size(); ++r)
    if (const auto values = lock_values({r})) lock_values_.emplace(r, *values);
}

// A lock that a plain store writes is one only if each such store stands before a barrier of the whole group for local
// memory, outside loops, and every attempt and release behind that barrier.
void Execution::locks_begin() {
  std::set<uint32_t> none;
  for (const LockRecord& q : trace.locks)
    for (const CounterWrite& w : lock_stores_) {
      const bool before =
          w.loops.empty() && std::any_of(meetings_of_all_.begin(), meetings_of_all_.end(),
                                         [&](uint32_t at) { return w.position < at && at < q.position; });
      if (w.region == q.region && !before) none.insert(q.region.index);
    }
  std::erase_if(trace.locks, [&](const LockRecord& q) { return none.contains(q.region.index); });
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
    const LockValues& v = it->second;
    const bool from_zero = m_.region(r.region).space == Space::global && (v.free == 0 || v.taken == 0);
    for (const size_t t : k_both) {
      const Term result = a.values[in.results[0].index][t];
      const auto is = [&](uint64_t n) { return pool_.eq(result, pool_.constant(n, pool_.width(result))); };
      r.taken[t] = is(v.free);
      if (from_zero) r.not_refused[t] = pool_.not_(is(v.taken));
    }
    maybe_held_ = true;
    // What the last holder wrote is seen from here on.
    forget_written(guard, {Space::group, Space::global});
  }
  trace.locks.push_back(std::move(r));
}

}  // namespace fencepost::prove

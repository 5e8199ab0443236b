// Which atomics may be the last ticket of a grid, and what the execution notes of them; order/last_group.h says what
// they order.
#include "order/last_group.h"

#include <algorithm>

#include "prove/execute.h"

namespace fencepost::prove {

using namespace ir;

// Arrays in global memory of which atomic instructions add 1.
void Execution::find_last_tickets() {
  one_ticket_.assign(m_.regions.size(), 0);
  if (!options_.refined_atomics) return;
  for (uint32_t r = 0; r < m_.regions.size(); ++r) {
    if (m_.regions[r].space != Space::global) continue;
    size_t adding = 0;
    for (const flow::Writer& w : writers_.of({r})) {
      const Atomic* at = w.as_atomic();
      if (at == nullptr || at->access.regions.size() != 1 || !order::for_grid(at->scope)) continue;
      const Function& f = m_.function(w.function);
      if (at->op == AtomicOp::increment || at->op == AtomicOp::increment_to ||
          (at->op == AtomicOp::add && ticket_step(*at, f) == 1 && f.value(at->operands[0]).constant_bits == 1))
        ++adding;
    }
    one_ticket_[r] = adding >= 1 ? 1 : 0;
    tickets_possible_ = tickets_possible_ || one_ticket_[r] != 0;
  }
}

// How many groups the launch has, in the width; none: that cannot be said without wrapping.
Term Execution::group_count(uint8_t width) {
  uint64_t known = 1;
  Term open;
  for (const Term n : num_groups) {
    if (pool_.is_constant(n)) {
      if (__builtin_mul_overflow(known, pool_.value(n), &known)) return {};
    } else if (open) {
      return {};
    } else {
      open = n;
    }
  }
  if (open) return known == 1 && width >= 32 ? pool_.zext(open, width) : Term{};
  return known <= formula::ones(width) ? pool_.constant(known, width) : Term{};
}

void Execution::last_ticket(Activation& a, const Instruction& in, const Atomic& at, Pair guard, Pair pointer,
                            Mode mode) {
  if (at.access.regions.size() != 1 || one_ticket_[at.access.regions[0].index] == 0) return;
  // Others that touch the array do not add 1: LastGroup looks at them.
  if (at.op != AtomicOp::increment && at.op != AtomicOp::increment_to &&
      (at.op != AtomicOp::add || ticket_step(at, *a.f) != 1 || a.f->value(at.operands[0]).constant_bits != 1))
    return;
  const bool first = by_masters(guard) && loops_around_.empty() && masters.in_step();
  // What other groups have written is seen from here on.
  if (first) forget_written(guard, {Space::global});
  if (!mode.log || pairing_ != Pairing::other_group) return;
  TicketRecord k;
  k.region = at.access.regions[0];
  k.guard = guard;
  k.value = in.results.empty() ? unknown(static_cast<uint8_t>(8 * at.access.bytes), "ticket", false)
                               : a.values[in.results[0].index];
  const Term groups = group_count(pool_.width(k.value[0]));
  k.first_thread = first && static_cast<bool>(groups);
  k.groups = groups ? groups : pool_.constant(0, pool_.width(k.value[0]));
  for (const size_t t : k_both) {
    k.master_guard[t] = first ? masters.of(guard[t], t) : pool_.no();
    k.master_value[t] = first ? masters.of(k.value[t], t) : k.value[t];
  }
  for (const Term p : pointer)
    k.first_thread =
        k.first_thread && 1u << std::min<unsigned>(pool_[offset_of(p)].trailing_zeros, 16) >= at.access.bytes;
  if (at.op == AtomicOp::increment_to) k.limit = get(a, at.operands[0]);
  k.position = position_;
  k.acquires = order::acquires(at.order);
  k.releases = order::releases(at.order);
  trace.last_tickets.push_back(std::move(k));
}

}  // namespace fencepost::prove

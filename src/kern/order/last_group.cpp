#include "order/last_group.h"

#include <algorithm>

namespace fencepost::order {

using namespace ir;

bool releases(Order o) { return o == Order::release || o == Order::acq_rel || o == Order::seq_cst; }
bool acquires(Order o) { return o == Order::acquire || o == Order::acq_rel || o == Order::seq_cst; }
bool for_grid(Scope s) { return s == Scope::device || s == Scope::system; }

LastGroup::LastGroup(Pool& pool, const Module& m, Trace& trace, Question impossible)
    : pool_(pool), m_(m), x_(trace), impossible_(std::move(impossible)) {
  for (const TicketRecord& k : x_.last_tickets)
    if (valid(k)) valid_.push_back(&k);
  // Only one group comes last.
  for (const TicketRecord* k : valid_) {
    Fact f;
    f.term = pool_.not_(pool_.all(last(*k, 0), last(*k, 1)));
    f.from = {k->position, k->position};
    f.threads = 3;
    f.names = formula::names(pool_, f.term);
    if (!pool_.is_true(f.term)) x_.facts.push_back(std::move(f));
  }
}

// The thread's group has the last ticket, by what the thread itself took or the first thread of its group.
Term LastGroup::last(const TicketRecord& k, size_t t) {
  const Term least = pool_.sub(k.groups, pool_.constant(1, pool_.width(k.groups)));
  const auto of = [&](Term guard, Term value) { return pool_.all(guard, pool_.not_(pool_.ult(value, least))); };
  return pool_.any(of(k.guard[t], k.value[t]), of(k.master_guard[t], k.master_value[t]));
}

bool LastGroup::always(std::vector<Term> when, Term then, uint32_t position) {
  if (pool_.is_true(then)) return true;
  when.push_back(pool_.not_(then));
  return impossible_(std::move(when), position);
}

bool LastGroup::valid(const TicketRecord& k) {
  size_t executions = 0;
  for (const TicketRecord& other : x_.last_tickets) executions += other.region == k.region ? 1 : 0;
  if (executions != 1 || !k.first_thread) return false;
  for (const AccessRecord& a : x_.accesses) {
    if (a.region != k.region) continue;
    if (a.async() || a.by_contract) return false;
    if (a.kind == AccessKind::read || a.position == k.position) continue;
    if (a.position < k.position) return false;
    for (size_t t = 0; t < 2; ++t)
      if (!always({a.guard[t]}, last(k, t), a.position)) return false;
  }
  return true;
}

// Between the access and its own group's ticket.
LastGroup::Release LastGroup::released(const TicketRecord& k, const AccessRecord& a) {
  const bool cuda = m_.dialect == Dialect::cuda;
  const auto fences = [&](uint32_t from, uint32_t to, Term when, Release& r) {
    for (const FenceRecord& f : x_.fences)
      if (from < f.position && f.position < to && !f.in_loop && f.global && for_grid(f.scope) && releases(f.order) &&
          always({when}, f.guard[0], to)) {
        r.how = Evidence::fenced;
        r.sequential = r.sequential || (cuda && f.order == Order::seq_cst);
      }
  };
  Release r;
  const bool own = made_by_first(pool_, x_, a.guard[0], 0);
  if (own) {
    if (k.releases) r.how = Evidence::fenced;
    fences(a.position, k.position, k.guard[0], r);
    if (r.how != Evidence::none) return r;
  }
  for (const BarrierRecord& b : x_.group_barriers) {
    if (b.position <= a.position || b.position >= k.position) continue;
    if (!always({a.guard[0]}, b.global[0], k.position) || !always({k.guard[0]}, b.global[0], k.position)) continue;
    if (k.releases) r.how = Evidence::fenced;
    fences(b.position, k.position, k.guard[0], r);
    if (r.how == Evidence::fenced || !cuda) continue;
    for (const FenceRecord& f : x_.fences)
      if (a.position < f.position && f.position < b.position && !f.in_loop && f.global && for_grid(f.scope) &&
          f.order == Order::seq_cst && always({a.guard[0]}, f.guard[0], b.position)) {
        r.how = Evidence::by_fences;
        r.sequential = true;
      }
  }
  return r;
}

// Between the last ticket and the access. `none` in CUDA still has the barrier that the guide's example has: how is
// then by_fences, and not sequential.
LastGroup::Release LastGroup::acquired(const TicketRecord& k, const AccessRecord& a) {
  const bool cuda = m_.dialect == Dialect::cuda;
  const Term came_last = last(k, 1);
  const auto fences = [&](uint32_t from, uint32_t to, std::vector<Term> when, Release& r) {
    for (const FenceRecord& f : x_.fences)
      if (from < f.position && f.position < to && !f.in_loop && f.global && for_grid(f.scope) && acquires(f.order) &&
          always(when, f.guard[1], to)) {
        r.how = Evidence::fenced;
        r.sequential = r.sequential || (cuda && f.order == Order::seq_cst);
      }
  };
  Release r;
  if (made_by_first(pool_, x_, a.guard[1], 1)) {
    if (k.acquires) r.how = Evidence::fenced;
    fences(k.position, a.position, {a.guard[1], came_last}, r);
    if (r.how != Evidence::none) return r;
  }
  for (const BarrierRecord& b : x_.group_barriers) {
    if (b.position <= k.position || b.position >= a.position) continue;
    if (!always({a.guard[1], came_last}, b.global[1], a.position) ||
        !always({k.guard[1], came_last}, b.global[1], b.position))
      continue;
    if (k.acquires) r.how = Evidence::fenced;
    fences(k.position, b.position, {k.guard[1], came_last}, r);
    if (r.how == Evidence::fenced || !cuda) continue;
    r.how = Evidence::by_fences;
    for (const FenceRecord& f : x_.fences)
      if (b.position < f.position && f.position < a.position && !f.in_loop && f.global && for_grid(f.scope) &&
          f.order == Order::seq_cst && always({a.guard[1], came_last}, f.guard[1], a.position))
        r.sequential = true;
  }
  return r;
}

Term LastGroup::ordered(const AccessRecord& before, const AccessRecord& behind) {
  if (before.async() || behind.async() || before.by_contract || behind.by_contract) return pool_.no();
  std::vector<Term> when;
  for (const TicketRecord* k : valid_) {
    if (!(before.position <= k->position && k->position < behind.position)) continue;
    if (before.position == k->position && before.region != k->region) continue;
    const Term came_last = last(*k, 1);
    if (pool_.is_false(came_last)) continue;
    const auto at = [&](const AccessRecord& a) {
      return std::make_pair(static_cast<size_t>(&a - x_.accesses.data()), k->region.index);
    };
    const auto memo = [&](auto& known, const AccessRecord& a, auto&& make) {
      const auto it = known.find(at(a));
      return it != known.end() ? it->second : known.emplace(at(a), make()).first->second;
    };
    const Release in = memo(acquired_, behind, [&] { return acquired(*k, behind); });
    if (before.position == k->position) {
      // The ticket itself.
      const bool seen = m_.dialect == Dialect::cuda
                            ? in.how != Evidence::none || made_by_first(pool_, x_, behind.guard[1], 1)
                            : in.how == Evidence::fenced && k->acquires && k->releases;
      if (!seen) continue;
    } else {
      if (in.how == Evidence::none) continue;
      const Release out = memo(released_, before, [&] { return released(*k, before); });
      if (out.how == Evidence::none) continue;
      const bool exact =
          (in.how == Evidence::fenced && out.how == Evidence::fenced) || (in.sequential && out.sequential);
      // Nothing but the barrier behind the ticket: as in CUDA's guide.
      if (!exact && in.how == Evidence::fenced) continue;
      if (!exact)
        assumptions.insert(
            "loads behind the last ticket of " + m_.region(k->region).name +
            " see what other blocks wrote before theirs, as in CUDA's guide, though no fence stands there");
    }
    assumptions.insert("the counter " + m_.region(k->region).name + " is 0 when the kernel starts");
    when.push_back(came_last);
  }
  return pool_.any(std::move(when));
}

}  // namespace fencepost::order

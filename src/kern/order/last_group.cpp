#include "order/last_group.h"

#include <algorithm>

#include "order/position.h"

namespace fencepost::order {

using namespace ir;

bool releases(Order o) { return o == Order::release || o == Order::acq_rel || o == Order::seq_cst; }
namespace {

// As in the guide on the side that reads, but not on the side that writes: there the fence is not beside the ticket.
Assumption fence_of_each() {
  return {
      "what a thread wrote before its own __threadfence and a barrier is released by the ticket that another thread of "
      "its block takes behind it, as in PTX; C++ and CUDA's guide do not say so",
      Assumption::fences_in_order};
}

}  // namespace

bool acquires(Order o) { return o == Order::acquire || o == Order::acq_rel || o == Order::seq_cst; }
bool for_grid(Scope s) { return s == Scope::device || s == Scope::system; }

LastGroup::LastGroup(Pool& pool, const Module& m, Trace& trace, Question impossible)
    : pool_(pool), m_(m), x_(trace), impossible_(std::move(impossible)) {
  std::map<uint32_t, std::vector<const TicketRecord*>> by_counter;
  for (const TicketRecord& k : x_.last_tickets) by_counter[k.region.index].push_back(&k);
  for (const auto& [counter, tickets] : by_counter)
    if (tickets.size() == 1 && valid(*tickets[0])) valid_.push_back(tickets[0]);
  // Only one group comes last.
  for (const TicketRecord* k : valid_) {
    Fact f;
    f.term = pool_.not_(pool_.all(last(*k, 0), last(*k, 1)));
    f.from = {k->position, k->position};
    f.threads = 3;
    f.names = formula::names(pool_, f.term);
    if (!pool_.is_true(f.term)) x_.facts.push_back(std::move(f));
  }
  for (const auto& [counter, tickets] : by_counter)
    if (tickets.size() > 1 && in_turns(tickets))
      for (size_t i = 0; i < tickets.size(); ++i) {
        valid_.push_back(tickets[i]);
        turn_.emplace(tickets[i], i + 1);
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
    if (a.kind == AccessKind::read || a.leaves || a.position == k.position) continue;
    if (a.position < k.position) return false;
    for (const size_t t : k_both)
      if (!always({a.guard[t]}, last(k, t), a.position)) return false;
  }
  return true;
}

bool LastGroup::valid(RegionId counter) const {
  return std::any_of(valid_.begin(), valid_.end(), [&](const TicketRecord* k) { return k->region == counter; });
}

bool LastGroup::puts_back(RegionId counter) {
  const auto found = std::find_if(valid_.begin(), valid_.end(),
                                  [&](const TicketRecord* k) { return k->region == counter && !turn_.contains(k); });
  if (found == valid_.end()) return false;
  const TicketRecord& k = **found;
  const auto is_ticket = [&](const AccessRecord& a) { return a.region == counter && a.position == k.position; };
  const auto ticket = std::find_if(x_.accesses.begin(), x_.accesses.end(), is_ticket);
  if (ticket == x_.accesses.end()) return false;
  const uint8_t w = pool_.width(k.groups);
  const Term last_value = pool_.sub(k.groups, pool_.constant(1, w));
  if (!always({}, pool_.eq(k.master_guard[0], k.master_guard[1]), k.position) ||
      !always({k.guard[0], k.guard[1]}, pool_.eq(ticket->offset[0], ticket->offset[1]), k.position))
    return false;
  bool back = false;
  if (k.limit[0]) {
    // Below the number of groups it starts again before the last one has come.
    if (pool_.width(k.limit[0]) != w || !always({k.guard[0]}, pool_.ule(last_value, k.limit[0]), k.position))
      return false;
    back = always({k.guard[0]}, pool_.eq(k.limit[0], last_value), k.position);
  }
  // What the first thread of the group took is its own ticket; the last of as many as groups, from 0 on, is one less.
  std::vector<Term> first_of_last{k.guard[0], k.master_guard[0], pool_.eq(k.value[0], k.master_value[0]),
                                  pool_.eq(k.value[0], last_value)};
  for (const Term id : x_.local_id[0]) first_of_last.push_back(pool_.eq(id, pool_.constant(0, pool_.width(id))));
  for (const AccessRecord& a : x_.accesses) {
    if (a.region != counter || a.kind == AccessKind::read || a.leaves || is_ticket(a)) continue;
    if (!a.value[0] || a.bytes != ticket->bytes || pool_.width(a.value[0]) != 8 * a.bytes ||
        !always({a.guard[0]}, pool_.eq(a.value[0], pool_.constant(0, pool_.width(a.value[0]))), a.position) ||
        !always({a.guard[0], k.guard[1]}, pool_.eq(a.offset[0], ticket->offset[1]), a.position))
      return false;
    const bool certain = a.atomic == nullptr || a.atomic->op != AtomicOp::compare_exchange;
    back = back || (certain && !a.iteration[0] && always(first_of_last, a.guard[0], a.position));
  }
  return back;
}

// Between the access and its own group's ticket.
LastGroup::Release LastGroup::released(const TicketRecord& k, const AccessRecord& a) {
  const bool cuda = m_.dialect == Dialect::cuda;
  const auto fences = [&](uint32_t from, uint32_t to, Term when, Release& r) {
    for (const FenceRecord& f : x_.fences)
      if (between(from, f.position, to) && !f.in_loop && f.global && for_grid(f.scope) && releases(f.order) &&
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
    if (!between(a.position, b.position, k.position)) continue;
    if (!always({a.guard[0]}, b.global[0], k.position) || !always({k.guard[0]}, b.global[0], k.position)) continue;
    if (k.releases) r.how = Evidence::fenced;
    fences(b.position, k.position, k.guard[0], r);
    if (r.how == Evidence::fenced || !cuda) continue;
    for (const FenceRecord& f : x_.fences)
      if (between(a.position, f.position, b.position) && !f.in_loop && f.global && for_grid(f.scope) &&
          f.order == Order::seq_cst && always({a.guard[0]}, f.guard[0], b.position)) {
        r.how = Evidence::by_fences;
        r.sequential = true;
      }
  }
  return r;
}

// Than the tickets that were noted.
bool LastGroup::nothing_else_changes(RegionId counter) const {
  return std::all_of(x_.accesses.begin(), x_.accesses.end(), [&](const AccessRecord& a) {
    return a.region != counter || a.kind == AccessKind::read || a.leaves ||
           std::any_of(x_.last_tickets.begin(), x_.last_tickets.end(),
                       [&](const TicketRecord& k) { return k.region == counter && k.position == a.position; });
  });
}

// The thread has read that all groups have their tickets: as many as groups, for each turn.
Term LastGroup::seen(const TicketRecord& k, const ObservationRecord& o, size_t t) {
  const uint8_t w = pool_.width(k.groups);
  const auto turn = turn_.find(&k);
  Term least = k.groups;
  if (turn != turn_.end()) least = pool_.constant(pool_.value(k.groups) * turn->second, w);
  return pool_.all({o.guard[t], pool_.ne(k.groups, pool_.constant(0, w)), pool_.ule(least, o.value[t])});
}

// Several tickets of a counter, each but the first behind a read that all have taken the one before.
bool LastGroup::in_turns(const std::vector<const TicketRecord*>& tickets) {
  if (!nothing_else_changes(tickets[0]->region)) return false;
  for (size_t i = 0; i < tickets.size(); ++i) {
    const TicketRecord& k = *tickets[i];
    const uint8_t w = pool_.width(k.groups);
    if (!k.first_thread || !pool_.is_constant(k.groups) || w < 32 || k.groups != tickets[0]->groups ||
        pool_.value(k.groups) == 0 || pool_.value(k.groups) > (uint64_t{1} << 31) / (tickets.size() + 1))
      return false;
    if (i == 0) continue;
    const Term least = pool_.constant(pool_.value(k.groups) * i, w);
    const bool waits = std::any_of(x_.observations.begin(), x_.observations.end(), [&](const ObservationRecord& o) {
      return o.region == k.region && o.aligned && for_grid(o.scope) && pool_.width(o.value[1]) == w &&
             between(tickets[i - 1]->position, o.position, k.position) &&
             always({k.guard[1]}, pool_.all(o.guard[1], pool_.ule(least, o.value[1])), k.position);
    });
    if (!waits) return false;
  }
  return true;
}

std::vector<LastGroup::Sight> LastGroup::sights(const TicketRecord& k) {
  std::vector<Sight> out;
  if (!turn_.contains(&k)) out.push_back({k.position, k.guard[1], last(k, 1), k.acquires, true, false});
  if (!nothing_else_changes(k.region)) return out;
  for (const ObservationRecord& o : x_.observations) {
    const uint8_t w = pool_.width(k.groups);
    if (o.region != k.region || !for_grid(o.scope) || pool_.width(o.value[1]) != w || !o.aligned) continue;
    for (const bool by_first : {false, true})
      out.push_back({o.position, o.guard[1], seen(k, o, 1), o.acquires, false, by_first});
  }
  return out;
}

// Between the sight and the access. A barrier alone behind the last ticket, as in the guide's example: how is then
// by_fences, and not sequential.
LastGroup::Behind LastGroup::acquired(const Sight& s, const AccessRecord& a) {
  const bool cuda = m_.dialect == Dialect::cuda;
  const auto fences = [&](uint32_t from, uint32_t to, std::vector<Term> when, Release& r) {
    for (const FenceRecord& f : x_.fences)
      if (between(from, f.position, to) && !f.in_loop && f.global && for_grid(f.scope) && acquires(f.order) &&
          always(when, f.guard[1], to)) {
        r.how = Evidence::fenced;
        r.sequential = r.sequential || (cuda && f.order == Order::seq_cst);
      }
  };
  Behind out{{}, s.came_last};
  Release& r = out.side;
  if (!s.by_first && (!s.own_ticket || made_by_first(pool_, x_, a.guard[1], 1))) {
    if (s.acquires) r.how = Evidence::fenced;
    fences(s.position, a.position, {a.guard[1], s.came_last}, r);
    if (r.how != Evidence::none || !s.own_ticket) return out;
  }
  for (const BarrierRecord& b : x_.group_barriers) {
    if (!between(s.position, b.position, a.position)) continue;
    std::vector<Term> mine{a.guard[1]}, taken{s.guard, s.came_last};
    if (s.own_ticket) {
      mine.push_back(s.came_last);
      if (!always(taken, b.global[1], b.position)) continue;
    } else {
      // Whichever group it is: its first thread has come to the barrier, and so has seen all.
      taken = {b.global[1]};
      for (const Term id : x_.local_id[1]) taken.push_back(pool_.eq(id, pool_.constant(0, pool_.width(id))));
      if (!always(taken, s.came_last, b.position)) continue;
    }
    if (!always(mine, b.global[1], a.position)) continue;
    if (!s.own_ticket) out.when = pool_.yes();
    if (s.acquires) r.how = Evidence::fenced;
    fences(s.position, b.position, taken, r);
    if (r.how == Evidence::fenced || !cuda) continue;
    r.how = Evidence::by_fences;
    for (const FenceRecord& f : x_.fences)
      if (between(b.position, f.position, a.position) && !f.in_loop && f.global && for_grid(f.scope) &&
          f.order == Order::seq_cst && always(mine, f.guard[1], a.position))
        r.sequential = true;
  }
  return out;
}

// None: never.
std::optional<LastGroup::Grant> LastGroup::behind_sight(const TicketRecord& k, const Sight& s,
                                                        const AccessRecord& before, const AccessRecord& behind) {
  if (!(before.position <= k.position && s.position < behind.position)) return std::nullopt;
  if (before.position == k.position && (before.region != k.region || !s.own_ticket)) return std::nullopt;
  if (pool_.is_false(s.came_last)) return std::nullopt;
  const auto number = [&](const AccessRecord& a) { return static_cast<size_t>(&a - x_.accesses.data()); };
  const auto memo = [](auto& known, auto key, auto&& make) {
    const auto it = known.find(key);
    return it != known.end() ? it->second : known.emplace(key, make()).first->second;
  };
  const Behind in = memo(acquired_, std::make_tuple(number(behind), s.position, k.position, s.by_first),
                         [&] { return acquired(s, behind); });
  if (before.position == k.position) {
    // The ticket itself.
    const bool seen = m_.dialect == Dialect::cuda
                          ? in.side.how != Evidence::none || made_by_first(pool_, x_, behind.guard[1], 1)
                          : in.side.how == Evidence::fenced && k.acquires && k.releases;
    return seen ? std::optional(Grant{in.when, {}}) : std::nullopt;
  }
  if (in.side.how == Evidence::none) return std::nullopt;
  const Release out = memo(released_, std::make_pair(number(before), k.position), [&] { return released(k, before); });
  if (out.how == Evidence::none) return std::nullopt;
  Grant g{in.when, {}};
  if (in.side.how == Evidence::fenced && out.how == Evidence::fenced) return g;
  const bool by_fences = in.side.sequential && out.sequential;
  // Nothing but the barrier behind the ticket: as in CUDA's guide.
  if (!by_fences && (in.side.how == Evidence::fenced || !s.own_ticket)) return std::nullopt;
  if (!by_fences)
    g.by.insert({"loads behind the last ticket of " + m_.region(k.region).name +
                     " see what other blocks wrote before theirs, as in CUDA's guide, though no fence stands there",
                 Assumption::as_in_guide, k.region});
  if (by_fences)
    g.by.insert(fences_in_order());
  else if (out.how == Evidence::by_fences)
    g.by.insert(fence_of_each());
  return g;
}

Term LastGroup::ordered(const AccessRecord& before, const AccessRecord& behind) {
  if (before.async() || behind.async() || before.by_contract || behind.by_contract) return pool_.no();
  std::vector<Grant> grants;
  for (const TicketRecord* k : valid_)
    for (const Sight& s : sights(*k))
      if (auto g = behind_sight(*k, s, before, behind)) {
        g->by.insert(starts_at_zero(m_, k->region));
        grants.push_back(std::move(*g));
      }
  // What is so without an assumption is not granted by one.
  std::stable_sort(grants.begin(), grants.end(),
                   [](const Grant& a, const Grant& b) { return a.by.size() < b.by.size(); });
  std::vector<Term> when;
  for (Grant& g : grants) {
    if (pool_.is_true(pool_.any(when))) break;
    if (std::find(when.begin(), when.end(), g.when) != when.end()) continue;
    assumptions.merge(g.by);
    when.push_back(g.when);
  }
  return pool_.any(std::move(when));
}

}  // namespace fencepost::order

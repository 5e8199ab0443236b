// What one thread of a group does for all of it: `if (lid == 0) s = atomicAdd(&next, 1); barrier; ... s ...`.
//
// Pairs of different groups see group memory as unknown contents of their own. A store whose guard names the thread
// that makes it (it implies that the local id is a constant) is made by a third thread, the master of the group; after
// the barrier the others read what the master stored. Its terms are those of the thread with the master's local id, and
// with unknowns of its own where the thread's are its own: loads, tickets, iterations of loops.
//
// Why this is sound. The master goes through the same barriers as the thread (that is asked of pairs of one group), so
// between two barriers it makes the stores that the code between them says, under its own guards. If any other thread
// of the group stored to the same place between the same barriers, that would be a race, and is asked of pairs of one
// group as well; but not where locks, flags or named barriers put such stores in some order, so that with them one
// store of another thread leaves nothing known. Stores in loops without barriers are left out: the master may have
// gone through another iteration last. In a loop with barriers all threads of the group are in one iteration where they
// meet, so that its number is the master's too, and so are contents that no one changes any more (settle). Every other
// unknown of the master is a fresh variable, of which nothing is assumed but what holds of all threads: different
// threads take different tickets.
#include "prove/execute.h"

namespace fencepost::prove {

using namespace ir;

namespace {

// The variable of a thread's id: ids of fixed launches are short variables, extended.
Term variable_of(const Pool& pool, Term id) {
  const formula::Node& n = pool[id];
  if (n.op == formula::Op::variable) return id;
  return n.op == formula::Op::zext ? n.kids[0] : Term{};
}

}  // namespace

bool Execution::by_master(Term guard, int thread) {
  return order::made_by_first(pool_, trace, guard, static_cast<size_t>(thread));
}

bool Execution::by_masters(const Pair& guard) {
  return std::ranges::all_of(k_both, [&](size_t t) { return by_master(guard[t], static_cast<int>(t)); });
}

Pair Execution::as_masters(const Pair& p) { return {as_master(p[0], 0), as_master(p[1], 1)}; }

// A term of the thread as the master of its group has it.
Term Execution::as_master(Term t, int thread) {
  auto& memo = master_terms_[static_cast<size_t>(thread)];
  if (memo.empty())
    for (Term id : local_id[static_cast<size_t>(thread)])
      if (const Term v = variable_of(pool_, id); v) memo.emplace(v.id, pool_.constant(0, pool_.width(v)));
  return as_another(t, memo);
}

// A term that all threads of a group have alike, as the master has it.
void Execution::same_for_group(Term t, int thread) {
  as_master(pool_.yes(), thread);  // which begins the memo
  master_terms_[static_cast<size_t>(thread)].emplace(t.id, t);
}

// A term as another thread has it: `memo` says of which id, and gains unknowns of its own.
Term Execution::as_another(Term t, std::unordered_map<uint32_t, Term>& memo) {
  // Its number in a sub-group is its own, wherever that is not known.
  for (const size_t t : k_both)
    for (const Term own : {warp_of[t], lane_of[t]})
      if (own && !memo.contains(own.id)) memo.emplace(own.id, pool_.variable(32, "another"));
  // Unknowns first: substitution does not look into what it replaces.
  std::vector<Term> todo{t};
  std::set<uint32_t> seen;
  while (!todo.empty()) {
    const Term u = todo.back();
    todo.pop_back();
    if (memo.contains(u.id) || !seen.insert(u.id).second) continue;
    const formula::Node n = pool_[u];
    const bool pure = n.op == formula::Op::apply && !pool_.symbol_name(n.value).starts_with("m") &&
                      !pool_.symbol_name(n.value).starts_with("init");
    if ((n.op == formula::Op::variable && n.value >= common_variables) || (n.op == formula::Op::apply && !pure)) {
      const std::string name = n.op == formula::Op::variable ? pool_.variable_name(n.value) : "";
      const bool told = name.starts_with(k_exchanged) || name.starts_with(k_ticket);
      memo.emplace(u.id, pool_.variable(n.width, told ? name : "another"));
      continue;
    }
    for (Term k : n.kids) todo.push_back(k);
  }
  return pool_.substitute(t, memo);
}

void Execution::master_store(RegionId r, Pair guard, Pair pointer, uint32_t bytes, bool pointer_value, Pair value) {
  if (pairing_ != Pairing::other_group || m_.region(r).space != Space::group) return;
  // In a loop too: it may come later than the master's store behind the loop.
  const bool others = !by_masters(guard);
  if (stores_in_any_order_ && others && !never(guard)) {
    many_writers_.insert(r.index);
    std::erase_if(master_stores_, [&](const MasterStore& x) { return x.region == r; });
  }
  if (unmastered_ > 0) return;
  if (many_writers_.contains(r.index)) return;
  MasterStore s{.region = r, .bytes = bytes, .pointer = pointer_value};
  for (const int t : {0, 1}) {
    const auto i = static_cast<size_t>(t);
    const Term g = pool_.all(guard[i], pool_.eq(base_of(pointer[i]), pool_.constant(r.index + 1, 16)));
    const bool known = by_master(g, t);
    s.guard[i] = known ? as_master(g, t) : pool_.no();
    s.offset[i] = known ? as_master(offset_of(pointer[i]), t) : offset_of(pointer[i]);
    s.value[i] = known ? as_master(value[i], t) : value[i];
    // A store of unknown threads to the region: nothing is known of it any more.
    if (!known && !pool_.is_false(g)) {
      std::erase_if(master_stores_, [&](const MasterStore& x) { return x.region == r; });
      if (stores_in_any_order_) many_writers_.insert(r.index);
    }
  }
  if (many_writers_.contains(r.index)) return;
  master_stores_.push_back(std::move(s));
}

void Execution::touch(const Access& access) {
  for (const RegionId r : access.regions) touched_.insert(r.index);
}

// What no one has written since the last barrier is what it was there.
bool Execution::untouched(RegionId r) const {
  return pairing_ == Pairing::other_group && !touched_.contains(r.index) &&
         std::all_of(writers_.of(r).begin(), writers_.of(r).end(),
                     [](const flow::Writer& w) { return w.kind == flow::Writer::store; });
}

void Execution::master_ticket(const Ticket& k) {
  if (pairing_ != Pairing::other_group || unmastered_ > 0 || !by_masters(k.guard)) return;
  Ticket m = k;
  for (const int t : {0, 1}) {
    const auto i = static_cast<size_t>(t);
    m.guard[i] = as_master(k.guard[i], t);
    m.offset[i] = as_master(k.offset[i], t);
    m.value[i] = as_master(k.value[i], t);
    if (k.amount[0]) m.amount[i] = as_master(k.amount[i], t);
  }
  tickets.push_back(std::move(m));
}

// After a barrier that ordered group memory: contents are unknown but for what the master stored.
void Execution::master_contents(Pair barrier) {
  if (pairing_ != Pairing::other_group) return;
  for (const MasterStore& s : master_stores_)
    if (!memory.adversarial(s.region))
      for (const size_t t : k_both)
        memory.write(s.region, static_cast<int>(t), pool_.all(barrier[t], s.guard[t]), s.offset[t], s.bytes, s.pointer,
                     s.value[t]);
  master_stores_.clear();
}

}  // namespace fencepost::prove

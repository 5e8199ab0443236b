#include "prove/master.h"

#include <algorithm>

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

Pair Masters::of_both(const Pair& p) { return {of(p[0], 0), of(p[1], 1)}; }

Term Masters::of(Term t, size_t thread) {
  auto& memo = terms_[thread];
  if (memo.empty())
    for (Term id : run_.local_id[thread])
      if (const Term v = variable_of(pool_, id); v) memo.emplace(v.id, pool_.constant(0, pool_.width(v)));
  return as_another(t, memo);
}

void Masters::same_for_group(Term t, size_t thread) {
  of(pool_.yes(), thread);  // which begins the memo
  terms_[thread].emplace(t.id, t);
}

Term Masters::as_another(Term t, std::unordered_map<uint32_t, Term>& memo) {
  // Its number in a sub-group is its own, wherever that is not known.
  for (const size_t t : k_both)
    for (const Term own : {run_.warp_of[t], run_.lane_of[t]})
      if (own && !memo.contains(own.id)) memo.emplace(own.id, pool_.variable(32, "another"));
  // Unknowns first: substitution does not look into what it replaces.
  std::vector<Term> todo{t};
  std::set<uint32_t> seen;
  while (!todo.empty()) {
    const Term u = todo.back();
    todo.pop_back();
    if (memo.contains(u.id) || !seen.insert(u.id).second) continue;
    const formula::Node n = pool_[u];
    // What an array holds that nobody writes is the same for all.
    const auto unwritten = [&](const std::string& symbol) {
      const RegionId r = Memory::contents(run_.module(), symbol);
      return r && run_.module().region(r).space == Space::global && !run_.memory.adversarial(r) &&
             writers_.of(r).empty();
    };
    const bool pure =
        n.op == formula::Op::apply &&
        ((!pool_.symbol_name(n.value).starts_with("m") && !pool_.symbol_name(n.value).starts_with("init")) ||
         unwritten(pool_.symbol_name(n.value)));
    if ((n.op == formula::Op::variable && n.value >= run_.common_variables) || (n.op == formula::Op::apply && !pure)) {
      const std::string name = n.op == formula::Op::variable ? pool_.variable_name(n.value) : "";
      const bool told = name.starts_with(k_exchanged) || name.starts_with(k_ticket);
      memo.emplace(u.id, pool_.variable(n.width, told ? name : "another"));
      continue;
    }
    for (Term k : n.kids) todo.push_back(k);
  }
  return pool_.substitute(t, memo);
}

void Masters::store(RegionId r, const Pair& guard, const Pair& pointer, uint32_t bytes, bool pointer_value,
                    const Pair& value) {
  if (run_.of_one_group() || run_.module().region(r).space != Space::group) return;
  // In a loop too: it may come later than the master's store behind the loop.
  const bool others = !run_.by_masters(guard);
  if (in_any_order_ && others && !run_.never(guard)) {
    others_wrote_.insert(r.index);
    forget(r);
  }
  if (loose_ > 0 || others_wrote_.contains(r.index)) return;
  Store s{.region = r, .bytes = bytes, .pointer = pointer_value};
  for (const size_t t : k_both) {
    const Term g = pool_.all(guard[t], run_.leads_to(pointer[t], r)), at = run_.offset_of(pointer[t]);
    const bool known = run_.by_master(g, t);
    s.guard[t] = known ? of(g, t) : pool_.no();
    s.offset[t] = known ? of(at, t) : at;
    s.value[t] = known ? of(value[t], t) : value[t];
    // A store of unknown threads to the region: nothing is known of it any more.
    if (!known && !pool_.is_false(g)) {
      forget(r);
      if (in_any_order_) others_wrote_.insert(r.index);
    }
  }
  if (!others_wrote_.contains(r.index)) stores_.push_back(std::move(s));
}

void Masters::forget(RegionId r) {
  std::erase_if(stores_, [&](const Store& x) { return x.region == r; });
}

bool Masters::untouched(RegionId r) const {
  return !run_.of_one_group() && !touched_.contains(r.index) &&
         std::ranges::all_of(writers_.of(r), [](const flow::Writer& w) { return w.kind == flow::Writer::store; });
}

void Masters::contents(const Pair& barrier) {
  if (run_.of_one_group()) return;
  for (const Store& s : stores_)
    if (!run_.memory.adversarial(s.region))
      for (const size_t t : k_both)
        run_.memory.write(s.region, static_cast<int>(t), pool_.all(barrier[t], s.guard[t]), s.offset[t], s.bytes,
                          s.pointer, s.value[t]);
  stores_.clear();
}

}  // namespace fencepost::prove

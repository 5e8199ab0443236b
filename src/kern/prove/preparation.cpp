#include "prove/preparation.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "formula/solve.h"

namespace fencepost::prove {
namespace {

constexpr int k_most_equations = 20;  // variables that are replaced

}  // namespace

std::vector<Term> simplified(Pool& pool, std::vector<Term> goal) {
  for (int round = 0; round < 3; ++round) {
    std::vector<Term> units, others;
    std::unordered_map<uint32_t, Term> memo;
    for (Term t : pool.conjuncts(pool.all(goal))) {
      const formula::Node& n = pool[t];
      const bool denied = n.op == formula::Op::not_;
      const Term inner = denied ? n.kids[0] : t;
      if (pool[inner].op == formula::Op::all) {
        others.push_back(t);  // a disjunction
        continue;
      }
      units.push_back(t);
      memo.emplace(inner.id, pool.truth(!denied));
    }
    bool changed = false;
    for (Term& t : others) {
      const Term s = pool.substitute(t, memo);
      changed = changed || s != t;
      t = s;
    }
    units.insert(units.end(), others.begin(), others.end());
    goal = std::move(units);
    if (!changed) break;
  }
  return goal;
}

std::vector<Term> prepared(Pool& pool, const Products& products, std::vector<Term> goal) {
  goal = simplified(pool, std::move(goal));
  // Truth values.
  std::unordered_map<uint32_t, Term> known;
  const auto literal = [&](Term t) {
    const Term inner = pool[t].op == formula::Op::not_ ? pool[t].kids[0] : t;
    return pool[inner].op == formula::Op::variable ? inner : Term{};
  };
  for (const Term t : goal)
    if (const Term v = literal(t); v) known.emplace(v.id, pool.truth(v == t));
  if (!known.empty())
    for (Term& t : goal)
      if (!literal(t)) t = pool.substitute(t, known);
  std::unordered_set<uint32_t> done;
  for (int round = 0; round < k_most_equations; ++round) {
    size_t at = goal.size();
    Term variable, value;
    for (size_t i = 0; i < goal.size() && at == goal.size(); ++i) {
      const formula::Node& n = pool[goal[i]];
      if (n.op != formula::Op::eq || pool.width(n.kids[0]) == 1) continue;
      for (const size_t side : {0, 1}) {
        const Term v = n.kids[side], t = n.kids[1 - side];
        if (pool[v].op != formula::Op::variable || products.number(v) || done.contains(v.id)) continue;
        const std::vector<uint64_t> in = formula::names(pool, t);
        if (std::binary_search(in.begin(), in.end(), pool[v].value)) continue;
        at = i;
        variable = v;
        value = t;
        break;
      }
    }
    if (at == goal.size()) break;
    done.insert(variable.id);
    std::unordered_map<uint32_t, Term> memo{{variable.id, value}};
    for (size_t i = 0; i < goal.size(); ++i)
      if (i != at) goal[i] = pool.substitute(goal[i], memo);
  }
  std::unordered_map<uint32_t, Term> equals;
  for (size_t i = 0, n = goal.size(); i < n; ++i) {
    const formula::Node e = pool[goal[i]];
    if (e.op != formula::Op::eq || pool.width(e.kids[0]) == 1) continue;
    for (const size_t side : {0, 1}) {
      if (pool.is_constant(e.kids[side])) continue;
      const auto [it, fresh] = equals.emplace(e.kids[side].id, e.kids[1 - side]);
      if (!fresh) goal.push_back(pool.eq(it->second, e.kids[1 - side]));
    }
  }
  return goal;
}

std::vector<Term> about(const Pool& pool, const Products& products, const std::vector<Term>& goal, size_t without,
                        Term t) {
  const auto names_of = [&](Term u) {
    std::vector<uint64_t> out = formula::names(pool, u);
    std::erase_if(out, [&](uint64_t n) { return products.is_size(n); });
    return out;
  };
  std::vector<std::vector<uint64_t>> names;
  for (const Term u : goal) names.push_back(names_of(u));
  std::vector<uint64_t> list = names_of(t);
  std::unordered_set<uint64_t> known(list.begin(), list.end());
  std::vector<Term> out{t};
  std::vector<uint8_t> taken(goal.size());
  for (bool again = true; again;) {
    again = false;
    for (size_t i = 0; i < goal.size(); ++i) {
      if (i == without || taken[i] != 0) continue;
      if (!names[i].empty() &&
          std::none_of(names[i].begin(), names[i].end(), [&](uint64_t n) { return known.contains(n); }))
        continue;
      taken[i] = 1;
      again = true;
      known.insert(names[i].begin(), names[i].end());
      out.push_back(goal[i]);
    }
  }
  return out;
}

}  // namespace fencepost::prove

#include "encode/leaving_out.h"

#include <algorithm>

namespace fencepost::encode {

using cat::AxiomKind;
using cat::Node;
using cat::NodeId;
using cat::NodeOp;
using vocab::Base;

LeavingOut::LeavingOut(const prog::Test& test, const cat::Model& m, const Folded& folded,
                       const bounds::BaseBounds& base, const bounds::Bounds& bounds, const BetweenPlaces& between,
                       const std::vector<uint32_t>& silent)
    : test_(test),
      m_(m),
      folded_(folded),
      base_(base),
      bounds_(bounds),
      between_(between),
      dropped_(folded.dropped()),
      loses_(m.nodes.size(), false) {
  const auto& places = folded.places();
  std::set<Cell> cells;
  for (uint32_t p : silent) {
    dropped_.set(p);
    dropped_.set(places[p].partner);
    cells.insert(*places[p].cells.begin());
  }
  std::vector<uint32_t> kind(places.size(), k_nobody);
  for (uint32_t p = 0; p < places.size(); ++p) {
    if (places[p].cells.size() != 1 || !cells.contains(*places[p].cells.begin())) continue;
    const auto alike = [&](const Kind& k) {
      const Place& q = places[k.places[0]];
      return (q.thread == k_nobody) == (places[p].thread == k_nobody) && q.cells == places[p].cells &&
             q.part == places[p].part && q.read == places[p].read && q.write == places[p].write &&
             q.tags == places[p].tags && q.failed_tags == places[p].failed_tags &&
             (q.thread == k_nobody || q.instr == places[p].instr);
    };
    const auto it = std::find_if(kinds_.begin(), kinds_.end(), alike);
    kind[p] = static_cast<uint32_t>(it - kinds_.begin());
    if (it == kinds_.end())
      kinds_.push_back({{}, places[p].thread == k_nobody, places[p].read, places[p].write, *places[p].cells.begin()});
    kinds_[kind[p]].places.push_back(p);
  }
  std::set<std::pair<uint32_t, uint32_t>> known;
  for (uint32_t p : silent)
    if (known.emplace(kind[p], kind[places[p].partner]).second)
      silent_.push_back({kind[p], kind[places[p].partner], *places[p].cells.begin()});
  for (uint32_t w = 0; w < kinds_.size(); ++w)
    for (uint32_t r = 0; r < kinds_.size(); ++r) {
      if (!kinds_[w].write || !kinds_[r].read || kinds_[w].cell != kinds_[r].cell) continue;
      pairs_.push_back({{w, 1, 0}, {r, 0, 1}});
      if (!kinds_[w].init) pairs_.push_back({{w, 0, 0}, {r, 0, 1}});
    }
}

// ---- what is sure of events of two kinds ----

BetweenPlaces::Known LeavingOut::known(NodeId id, const Point& a, const Point& b) {
  const bool same_event = a.number == b.number;
  const bool same_thread = !kinds_[a.kind].init && !kinds_[b.kind].init && a.thread == b.thread;
  const auto [it, fresh] = known_.try_emplace({id, a.kind, b.kind,
                                               static_cast<uint8_t>(same_event    ? 2
                                                                    : same_thread ? 1
                                                                                  : 0)});
  if (!fresh) return it->second;
  BetweenPlaces::Known out{false, true};
  for (uint32_t i : kinds_[a.kind].places)
    for (uint32_t j : kinds_[b.kind].places) {
      if (out.may && !out.must) break;
      const bool alike = folded_.places()[i].thread == folded_.places()[j].thread;
      if (same_event ? i != j : kinds_[a.kind].init || kinds_[b.kind].init ? false : alike != same_thread) continue;
      const BetweenPlaces::Known one = between_.at(id, i, j, same_event);
      out.may = out.may || one.may;
      out.must = out.must && one.must;
    }
  return it->second = out;
}

bool LeavingOut::surely_in(NodeId set, const Point& a) const {
  return std::all_of(kinds_[a.kind].places.begin(), kinds_[a.kind].places.end(),
                     [&](uint32_t i) { return bounds_.node[set].must_set.test(i); });
}
bool LeavingOut::may_be_in(NodeId set, const Point& a) const {
  return std::any_of(kinds_[a.kind].places.begin(), kinds_[a.kind].places.end(),
                     [&](uint32_t i) { return bounds_.node[set].may_set.test(i); });
}

bool LeavingOut::contains(NodeId id, const Path& p) {
  Memo memo;
  return contains(id, p, 0, p.points.size() - 1, memo);
}

// Whether the node has the pair of points i and j if all links of the path hold; backwards where i > j.
bool LeavingOut::contains(NodeId id, const Path& p, size_t i, size_t j, Memo& memo) {
  const auto [it, fresh] = memo.try_emplace({id, i, j}, false);
  if (!fresh) return it->second;
  const bool is = contains_new(id, p, i, j, memo);
  memo[{id, i, j}] = is;
  return is;
}

bool LeavingOut::contains_new(NodeId id, const Path& p, size_t i, size_t j, Memo& memo) {
  const Node& node = m_.nodes[id];
  const bool one = p.points[i].number == p.points[j].number;
  if (i + 1 == j || j + 1 == i) {
    const Link& l = p.links[std::min(i, j)];
    const bool back = (j < i) != l.back;
    if (l.step == Step::node && l.node == id && !back) return true;
    if (node.op == NodeOp::base_rel && !back)
      if ((node.base == Base::rf && l.step == Step::rf) || (node.base == Base::co && l.step == Step::co) ||
          (node.base == Base::amo && l.step == Step::amo) || (node.base == Base::po && l.step == Step::po))
        return true;
  }
  const BetweenPlaces::Known sure = known(id, p.points[i], p.points[j]);
  if (sure.must) return true;
  const auto kid = [&](size_t k) { return contains(node.kids[k], p, i, j, memo); };
  switch (node.op) {
    case NodeOp::union_:
      for (size_t k = 0; k < node.kids.size(); ++k)
        if (kid(k)) return true;
      return false;
    case NodeOp::inter:
      for (size_t k = 0; k < node.kids.size(); ++k)
        if (!kid(k)) return false;
      return true;
    case NodeOp::diff:
      return kid(0) && !known(node.kids[1], p.points[i], p.points[j]).may;
    case NodeOp::inverse:
      return contains(node.kids[0], p, j, i, memo);
    case NodeOp::opt:
      return one || kid(0);
    case NodeOp::star:
      return one || closure_contains(node.kids[0], p, i, j, memo);
    case NodeOp::plus:
      return closure_contains(node.kids[0], p, i, j, memo);
    case NodeOp::seq: {
      std::vector<NodeId> factors;
      factors_of(id, factors);
      return all_contain(factors, 0, p, i, j, memo);
    }
    case NodeOp::ident:
      return i == j && surely_in(node.kids[0], p.points[i]);
    default:
      return false;
  }
}

bool LeavingOut::closure_contains(NodeId id, const Path& p, size_t i, size_t j, Memo& memo) {
  if (contains(id, p, i, j, memo)) return true;
  const bool on = i < j;
  for (size_t m = on ? i + 1 : i - 1; on ? m < j : m > j && i > j; on ? ++m : --m)
    if (contains(id, p, i, m, memo) && closure_contains(id, p, m, j, memo)) return true;
  return false;
}

bool LeavingOut::all_contain(const std::vector<NodeId>& factors, size_t from, const Path& p, size_t i, size_t j,
                             Memo& memo) {
  if (from + 1 == factors.size()) return contains(factors[from], p, i, j, memo);
  for (size_t m = i;; i < j ? ++m : --m) {
    if (contains(factors[from], p, i, m, memo) && all_contain(factors, from + 1, p, m, j, memo)) return true;
    if (m == j) return false;
  }
}

// Some way for each operand of an intersection.
bool LeavingOut::each_contains(NodeId id, const std::vector<Path>& ways) {
  const Node& node = m_.nodes[id];
  if (node.op == NodeOp::inter)
    return std::all_of(node.kids.begin(), node.kids.end(), [&](NodeId k) { return each_contains(k, ways); });
  return std::any_of(ways.begin(), ways.end(), [&](const Path& p) { return contains(id, p); });
}

// The last point of a closed path is the first one.
bool LeavingOut::forbids_cycle(const cat::Axiom& a, const Path& closed) {
  if (a.flag || a.negated || a.kind == AxiomKind::empty) return false;
  const size_t n = closed.links.size();
  for (size_t s = 0; s < n; ++s) {
    Path turned;
    for (size_t k = 0; k <= n; ++k) turned.points.push_back(closed.points[(s + k) % n]);
    for (size_t k = 0; k < n; ++k) turned.links.push_back(closed.links[(s + k) % n]);
    Memo memo;
    if (a.kind == AxiomKind::acyclic ? closure_contains(a.node, turned, 0, n, memo)
                                     : contains(a.node, turned, 0, n, memo))
      return true;
  }
  return false;
}

// ---- the order of a silent cell ----

bool LeavingOut::has_next(const std::vector<cat::Axiom>& by) {
  const auto constraint = [](const cat::Axiom& a) { return !a.flag && !a.negated; };
  const auto is_co = [&](auto&& self, NodeId id) -> bool {
    const Node& node = m_.nodes[id];
    if (node.op == NodeOp::union_)
      return std::all_of(node.kids.begin(), node.kids.end(), [&](NodeId k) { return self(self, k); });
    return within_co(node.op == NodeOp::inverse ? node.kids[0] : id);
  };
  const auto ordered = [&](const Point& x, const Point& y) {
    return std::any_of(by.begin(), by.end(), [&](const cat::Axiom& a) {
      const Node& node = m_.nodes[a.node];
      return constraint(a) && a.kind == AxiomKind::empty && node.op == NodeOp::diff && is_co(is_co, node.kids[1]) &&
             contains(node.kids[0], {{x, y}, {{}}});
    });
  };
  const auto forbidden = [&](const Path& closed) {
    return std::any_of(by.begin(), by.end(), [&](const cat::Axiom& a) { return forbids_cycle(a, closed); });
  };
  const auto may_follow = [&](const Point& a, const Point& b) {  // in program order
    for (uint32_t i : kinds_[a.kind].places)
      for (uint32_t j : kinds_[b.kind].places)
        if (folded_.may_precede(i, j)) return true;
    return false;
  };
  for (const Rmw& s : silent_)
    for (uint32_t x = 0; x < kinds_.size(); ++x) {
      if (!kinds_[x].write || kinds_[x].init || kinds_[x].cell != s.cell) continue;
      for (uint32_t t = 0; t < 2; ++t) {
        for (uint32_t y = 0; y < kinds_.size() && m_.dialect == vocab::Dialect::ptx; ++y)
          if (kinds_[y].write && !kinds_[y].init && kinds_[y].cell == s.cell && !ordered({x, t, 0}, {y, 0, 1}))
            return false;
        for (uint32_t w = 0; w < kinds_.size(); ++w) {
          if (!kinds_[w].write || kinds_[w].cell != s.cell) continue;
          for (uint32_t u = 0; u < 3; ++u) {
            const Point read{s.read, 0, 0}, write{s.write, 0, 1}, between{x, t, 2}, source{w, u, 3};
            const Path over{{read, source, between, write}, {{Step::rf, true}, {Step::co}, {Step::co}}};
            const Path own{{read, write}, {{Step::amo}}};
            if (std::any_of(by.begin(), by.end(), [&](const cat::Axiom& a) {
                  return constraint(a) && a.kind == AxiomKind::empty && each_contains(a.node, {over, own});
                }))
              continue;
            if (t != 0) return false;
            if (may_follow(between, read) &&
                !forbidden({{between, read, source, between}, {{Step::po}, {Step::rf, true}, {Step::co}}}))
              return false;
            if (may_follow(write, between) && !forbidden({{write, between, write}, {{Step::po}, {Step::co}}}))
              return false;
          }
        }
      }
    }
  return true;
}

// ---- the formula ----

void LeavingOut::factors_of(NodeId id, std::vector<NodeId>& out) const {
  if (m_.nodes[id].op != NodeOp::seq) {
    out.push_back(id);
    return;
  }
  for (NodeId k : m_.nodes[id].kids) factors_of(k, out);
}

bool LeavingOut::within_co(NodeId id) const {
  const Node& node = m_.nodes[id];
  const auto within = [&](NodeId k) { return within_co(k); };
  switch (node.op) {
    case NodeOp::base_rel:
      return node.base == Base::co;
    case NodeOp::inter:
      return std::any_of(node.kids.begin(), node.kids.end(), within);
    case NodeOp::union_:
    case NodeOp::plus:
      return std::all_of(node.kids.begin(), node.kids.end(), within);
    case NodeOp::diff:
      return within(node.kids[0]);
    case NodeOp::seq: {  // co is transitive
      std::vector<NodeId> factors;
      factors_of(id, factors);
      bool some = false;
      for (NodeId f : factors)
        if (!is_ident(f)) {
          if (!within(f)) return false;
          some = true;
        }
      return some;
    }
    default:
      return false;
  }
}

// Whether (x, W) is in the node if (x, w) is, or (W, x) if (w, x) is, where W is next after w in co and x is neither.
bool LeavingOut::moves(NodeId id, const Cell& cell, bool right) {
  const Node& node = m_.nodes[id];
  switch (node.op) {
    case NodeOp::base_rel:
      return node.base == Base::co;
    case NodeOp::opt:
      return right && moves(node.kids[0], cell, right) && holds_next(node.kids[0], cell);
    case NodeOp::union_:
      return std::all_of(node.kids.begin(), node.kids.end(), [&](NodeId k) { return moves(k, cell, right); });
    case NodeOp::inter:
      return within_co(id) && std::all_of(node.kids.begin(), node.kids.end(), [&](NodeId k) {
               return moves(k, cell, right) || moves_as_it_is(k, cell, right);
             });
    case NodeOp::diff:
      return right && moves(node.kids[0], cell, right) && nothing_between(node.kids[0], node.kids[1], cell);
    case NodeOp::seq: {
      std::vector<NodeId> factors;
      factors_of(id, factors);
      if (right) std::reverse(factors.begin(), factors.end());
      for (NodeId f : factors) {
        if (!is_ident(f)) return moves(f, cell, right);
        for (const Rmw& s : silent_)
          if (s.cell == cell && !surely_in(m_.nodes[f].kids[0], {s.write, 0, 0})) return false;
      }
      return false;
    }
    default:
      return false;
  }
}

// The same of a node that leaving out does not change, between writes of the cell.
bool LeavingOut::moves_as_it_is(NodeId id, const Cell& cell, bool right) {
  for (uint32_t x = 0; x < kinds_.size(); ++x)
    for (uint32_t w = 0; w < kinds_.size(); ++w) {
      if (!kinds_[x].write || kinds_[x].cell != cell || !kinds_[w].write || kinds_[w].cell != cell) continue;
      const auto at = [&](const Point& y) { return right ? known(id, {x, 0, 0}, y) : known(id, y, {x, 0, 0}); };
      if (!at({w, 0, 1}).may && !at({w, 1, 1}).may) continue;
      for (const Rmw& s : silent_)
        if (s.cell == cell && (!at({s.write, 0, 1}).must || !at({s.write, 1, 1}).must)) return false;
    }
  return true;
}

// Whether (w, W) is in the node, W next after w.
bool LeavingOut::holds_next(NodeId id, const Cell& cell) {
  const Node& node = m_.nodes[id];
  if (node.op == NodeOp::diff) {
    std::vector<NodeId> first, second;
    return holds_next(node.kids[0], cell) && split_at_middle(node.kids[1], first, second);
  }
  if (node.op == NodeOp::union_)
    return std::any_of(node.kids.begin(), node.kids.end(), [&](NodeId k) { return holds_next(k, cell); });
  for (uint32_t w = 0; w < kinds_.size(); ++w) {
    if (!kinds_[w].write || kinds_[w].cell != cell) continue;
    for (const Rmw& s : silent_)
      for (uint32_t t = 0; t < 2 && s.cell == cell; ++t)
        if (!contains(id, {{{w, t, 0}, {s.write, 0, 1}}, {{Step::co}}})) return false;
  }
  return true;
}

// Two compositions, each within co.
bool LeavingOut::split_at_middle(NodeId id, std::vector<NodeId>& first, std::vector<NodeId>& second) const {
  std::vector<NodeId> factors;
  factors_of(id, factors);
  uint32_t steps = 0;
  for (NodeId f : factors) {
    if (!is_ident(f)) {
      ++steps;
      if (!within_co(f)) return false;
    }
    (steps < 2 ? first : second).push_back(f);
  }
  return steps == 2;
}

// With `away` = p; q: if (x, w) is in `kept` but not in p; q, then (x, W) is not in p; q. Nothing lies between w and W:
// what is between x and W is w, and p has not (x, w), or lies between x and w, and q has it before w too.
bool LeavingOut::nothing_between(NodeId kept, NodeId away, const Cell& cell) {
  std::vector<NodeId> first, second;
  if (!split_at_middle(away, first, second)) return false;
  for (uint32_t w = 0; w < kinds_.size(); ++w) {
    if (!kinds_[w].write || kinds_[w].cell != cell) continue;
    for (uint32_t x = 0; x < kinds_.size(); ++x) {
      if (!kinds_[x].write || kinds_[x].cell != cell) continue;
      for (uint32_t t = 0; t < 2; ++t) {
        const Point from{x, t, 0}, to{w, 0, 1};
        // x as the one between: q has (x, w) if it has (x, W).
        bool before = true;
        for (NodeId f : second) {
          if (is_ident(f)) {
            if (!before && !surely_in(m_.nodes[f].kids[0], to)) return false;
          } else {
            before = false;
            if (!kinds_[x].init && !kinds_[w].init && !contains(f, {{from, to}, {{Step::co}}})) return false;
          }
        }
        // w as the one between.
        before = true;
        bool may = known(kept, from, to).may;
        for (NodeId f : first) {
          if (!may) break;
          if (is_ident(f)) {
            may = may_be_in(m_.nodes[f].kids[0], before ? from : to);
          } else {
            before = false;
            may = known(f, from, to).may;
          }
        }
        if (may) return false;
      }
    }
  }
  return true;
}

template <class F>
bool LeavingOut::for_each_way(size_t pair, F&& f) {
  const auto& [w, r] = pairs_[pair];
  for (const Rmw& s : silent_) {
    if (s.cell != kinds_[w.kind].cell) continue;
    for (uint32_t t = 0; t < 3; ++t) {
      const Point read{s.read, t, 2}, write{s.write, t, 3};
      if (!f(Path{{w, write, r}, {{Step::co}, {Step::rf}}},
             Path{{w, read, write, r}, {{Step::rf}, {Step::amo}, {Step::rf}}}))
        return false;
    }
  }
  return true;
}

// The node, or its closure, had the pair before.
bool LeavingOut::covered(NodeId id, size_t pair, bool back, bool closure) {
  return for_each_way(pair, [&](const Path& short_way, const Path& long_way) {
    for (const Path* p : {&short_way, &long_way}) {
      const size_t n = p->points.size() - 1;
      Memo memo;
      if (closure ? closure_contains(id, *p, back ? n : 0, back ? 0 : n, memo)
                  : contains(id, *p, back ? n : 0, back ? 0 : n, memo))
        return true;
    }
    return false;
  });
}

// Without the pairs that the node cannot have, and those that it had.
LeavingOut::Gain LeavingOut::narrowed(NodeId id, Gain g) {
  if (bounds_.node[id].may.empty()) return {false, false, BitSet(static_cast<uint32_t>(pairs_.size()))};
  if (g.unknown) return g;
  for (size_t k = 0; k < pairs_.size(); ++k) {
    if (!g.pairs.test(static_cast<uint32_t>(k))) continue;
    const auto& [w, r] = pairs_[k];
    if (!(g.back ? known(id, r, w) : known(id, w, r)).may || covered(id, k, g.back, false))
      g.pairs.reset(static_cast<uint32_t>(k));
  }
  return g;
}

bool LeavingOut::absorbed_by_neighbour(const std::vector<NodeId>& factors, size_t i) {
  const Gain& g = gain_[factors[i]];
  std::set<Cell> cells;
  for (size_t k = 0; k < pairs_.size(); ++k) {
    if (!g.pairs.test(static_cast<uint32_t>(k))) continue;
    cells.insert(kinds_[pairs_[k].first.kind].cell);
    // What the pair becomes: (W, r).
    if (!for_each_way(k, [&](const Path& way, const Path&) {
          const Path last{{way.points[1], way.points[2]}, {way.links[1]}};
          Memo memo;
          return contains(factors[i], last, g.back ? 1 : 0, g.back ? 0 : 1, memo);
        }))
      return false;
  }
  for (size_t k = i; g.back ? k + 1 < factors.size() : k > 0;) {
    g.back ? ++k : --k;
    const NodeId f = factors[k];
    if (!is_ident(f))
      return gain_[f].none() &&
             std::all_of(cells.begin(), cells.end(), [&](const Cell& c) { return moves(f, c, !g.back); });
    for (const Rmw& s : silent_)
      if (cells.contains(s.cell) && !surely_in(m_.nodes[f].kids[0], {s.write, 0, 0})) return false;
  }
  return false;
}

// r ; (s; r)+ : (w, r) becomes (w, R), then R, W, r in the closure.
bool LeavingOut::absorbed_by_chain(const std::vector<NodeId>& factors, size_t i) {
  const Gain& g = gain_[factors[i]];
  if (g.back || i + 1 >= factors.size()) return false;
  const Node& next = m_.nodes[factors[i + 1]];
  if (next.op != NodeOp::plus && next.op != NodeOp::star) return false;
  for (size_t k = 0; k < pairs_.size(); ++k)
    if (g.pairs.test(static_cast<uint32_t>(k)) && !for_each_way(k, [&](const Path&, const Path& way) {
          Memo memo;
          return contains(factors[i], way, 0, 1, memo) && closure_contains(next.kids[0], way, 1, 3, memo);
        }))
      return false;
  return gain_[factors[i + 1]].none();
}

bool LeavingOut::absorbed(const std::vector<NodeId>& factors, size_t i) {
  return absorbed_by_neighbour(factors, i) || absorbed_by_chain(factors, i);
}

LeavingOut::Gain LeavingOut::of_union(NodeId id) {
  Gain out{false, false, BitSet(static_cast<uint32_t>(pairs_.size()))};
  bool some = false;
  for (NodeId k : m_.nodes[id].kids) {
    const Gain& g = gain_[k];
    if (g.none()) continue;
    if (g.unknown || (some && g.back != out.back)) return {true, false, out.pairs};
    out.back = g.back;
    out.pairs |= g.pairs;
    some = true;
  }
  return narrowed(id, out);
}

LeavingOut::Gain LeavingOut::of_seq(NodeId id, const std::vector<NodeId>& factors) {
  const Gain none{false, false, BitSet(static_cast<uint32_t>(pairs_.size()))};
  const Gain unknown{true, false, none.pairs};
  for (size_t i = 0; i < factors.size(); ++i) {
    const Gain& g = gain_[factors[i]];
    if (g.unknown) return narrowed(id, unknown);
    if (g.none() || absorbed(factors, i)) continue;
    // Between sets alone, it is the gain of the whole.
    for (size_t k = 0; k < factors.size(); ++k)
      if (k != i && !is_ident(factors[k])) return narrowed(id, unknown);
    return narrowed(id, g);
  }
  return none;
}

bool LeavingOut::loses_middle(const std::vector<NodeId>& factors) const {
  size_t from = 0, to = factors.size();
  while (to - from > 1 && is_ident(factors[from])) ++from;
  while (to - from > 1 && is_ident(factors[to - 1])) --to;
  const auto enters = [&](NodeId f, uint32_t d) { return any_pair(f, d, true); };
  const auto leaves = [&](NodeId f, uint32_t d) { return any_pair(f, d, false); };
  for (size_t k = from; k + 1 < to;) {
    const NodeId first = factors[k];
    BitSet middle = bounds_.node[first].may.range() & dropped_;
    for (++k; k + 1 < to && is_ident(factors[k]); ++k) middle &= bounds_.node[m_.nodes[factors[k]].kids[0]].may_set;
    middle &= bounds_.node[factors[k]].may.domain();
    bool some = false;
    middle.for_each([&](uint32_t d) { some = some || (enters(first, d) && leaves(factors[k], d)); });
    if (some) return true;
  }
  return false;
}

// Whether the node may have a pair that ends, or begins, in an event of the place.
bool LeavingOut::any_pair(NodeId id, uint32_t place, bool ends) const {
  const Relation& may = bounds_.node[id].may;
  for (uint32_t i = 0; i < may.universe(); ++i)
    if (ends ? may.test(i, place) && between_.may(id, i, place) : may.test(place, i) && between_.may(id, place, i))
      return true;
  return false;
}

// What the node gains, and whether it may lose pairs of events that stay.
std::pair<LeavingOut::Gain, bool> LeavingOut::effect(NodeId id) {
  const Node& node = m_.nodes[id];
  const uint32_t n = static_cast<uint32_t>(pairs_.size());
  const Gain none{false, false, BitSet(n)};
  const Gain unknown{true, false, BitSet(n)};
  bool loses = false, gains = false;
  for (NodeId k : node.kids) {
    loses = loses || loses_[k];
    gains = gains || !gain_[k].none();
  }
  const auto either = [&] {
    return node.type == cat::Type::set ? (gains ? unknown : none) : narrowed(id, gains ? unknown : none);
  };
  switch (node.op) {
    case NodeOp::base_rel:
      if (node.base == Base::data || node.base == Base::addr || node.base == Base::ctrl) return {unknown, true};
      return {node.base == Base::rf ? narrowed(id, Gain{false, false, BitSet(n, true)}) : none, false};
    case NodeOp::rec_var: {
      const NodeId d = m_.variables[node.rec].definition;
      return {gain_[d], loses_[d]};
    }
    case NodeOp::union_:
    case NodeOp::inter:
      return {node.type == cat::Type::set ? either() : of_union(id), loses};
    case NodeOp::diff: {
      const bool less = loses_[node.kids[0]] || !gain_[node.kids[1]].none();
      if (loses_[node.kids[1]]) return {node.type == cat::Type::set ? unknown : narrowed(id, unknown), less};
      return {node.type == cat::Type::set ? gain_[node.kids[0]] : narrowed(id, gain_[node.kids[0]]), less};
    }
    case NodeOp::complement:
      return {loses ? unknown : none, gains};
    case NodeOp::inverse: {
      Gain g = gain_[node.kids[0]];
      g.back = !g.back;
      return {g, loses};
    }
    case NodeOp::opt:
      return {gain_[node.kids[0]], loses};
    case NodeOp::seq: {
      std::vector<NodeId> factors;
      factors_of(id, factors);
      bool gone = loses_middle(factors);
      for (NodeId f : factors) gone = gone || loses_[f];
      return {of_seq(id, factors), gone};
    }
    case NodeOp::plus:
    case NodeOp::star: {
      const NodeId kid = node.kids[0];
      const bool gone = loses || meets(bounds_.node[kid].may.range() & bounds_.node[kid].may.domain());
      Gain g = gain_[kid];
      if (g.none()) return {none, gone};
      if (!g.unknown) {
        bool all = true;
        for (uint32_t k = 0; k < n && all; ++k) all = !g.pairs.test(k) || covered(kid, k, g.back, true);
        if (all) return {none, gone};
      }
      // (s; r)+ is (s; r; s; r)+ too.
      std::vector<NodeId> factors;
      factors_of(kid, factors);
      const size_t last = factors.size() - 1;
      bool others = last > 0 && !gain_[factors[last]].unknown && !gain_[factors[last]].back;
      for (size_t k = 0; k < last; ++k) others = others && gain_[factors[k]].none();
      if (others) {
        bool all = true;
        for (uint32_t k = 0; k < n && all; ++k)
          all = !gain_[factors[last]].pairs.test(k) || for_each_way(k, [&](const Path&, const Path& way) {
            Memo memo;
            return contains(factors[last], way, 0, 1, memo) && all_contain(factors, 0, way, 1, 3, memo);
          });
        if (all) return {none, gone};
      }
      return {narrowed(id, unknown), gone};
    }
    case NodeOp::domain:
    case NodeOp::range: {
      const bool dom = node.op == NodeOp::domain;
      const Relation& may = bounds_.node[node.kids[0]].may;
      return {either(), loses || meets(dom ? may.range() : may.domain())};
    }
    default:
      return {either(), loses};
  }
}

void LeavingOut::follow() {
  gain_.assign(m_.nodes.size(), {false, false, BitSet(static_cast<uint32_t>(pairs_.size()))});
  loses_.assign(m_.nodes.size(), false);
  for (bool changed = true; changed;) {
    changed = false;
    for (NodeId id = 0; id < m_.nodes.size(); ++id) {
      if (!bounds_.needed[id]) continue;
      auto [g, l] = effect(id);
      Gain& mine = gain_[id];
      // Upwards only, so that recursions end.
      if (!mine.none() && !g.none() && mine.back != g.back) g.unknown = true;
      g.unknown = g.unknown || mine.unknown;
      g.pairs |= mine.pairs;
      l = l || loses_[id];
      if (g.unknown != mine.unknown || !(g.pairs == mine.pairs) || l != loses_[id]) changed = true;
      if (mine.none() || !g.none()) mine = g;
      loses_[id] = l;
    }
  }
}

// ---- axioms ----

bool LeavingOut::keeps(const cat::Axiom& a) {
  if (a.flag) return keeps_flag(a);
  if (a.negated) return false;
  const Gain& g = gain_[a.node];
  if (g.none()) return true;
  if (g.unknown || m_.nodes[a.node].type == cat::Type::set) return false;
  if (a.kind == AxiomKind::irreflexive) return true;  // w is not r
  if (a.kind != AxiomKind::acyclic) return false;
  for (uint32_t k = 0; k < pairs_.size(); ++k)
    if (g.pairs.test(k) && !covered(a.node, k, g.back, true)) return false;
  return true;
}

bool LeavingOut::keeps(const cat::Axiom& a, const std::vector<cat::Axiom>& by) {
  if (keeps(a)) return true;
  if (a.flag || a.negated || a.kind != AxiomKind::irreflexive) return false;
  std::vector<NodeId> factors;
  factors_of(a.node, factors);
  std::optional<size_t> which;
  std::vector<NodeId> rest;
  for (size_t i = 0; i < factors.size(); ++i) {
    const Gain& g = gain_[factors[i]];
    if (g.unknown) return false;
    if (!g.none() && !absorbed(factors, i)) {
      if (which) return false;
      which = i;
    } else if (!is_ident(factors[i])) {
      rest.push_back(factors[i]);
    }
  }
  if (!which) return false;
  if (rest.size() != 1 || !gain_[rest[0]].none()) return false;
  const Gain& g = gain_[factors[*which]];
  for (uint32_t k = 0; k < pairs_.size(); ++k)
    if (g.pairs.test(k) && !cannot_close(rest[0], k, g.back, by)) return false;
  return true;
}

// No (r, w) in `rest`, or (w, r) where the pair is taken backwards.
bool LeavingOut::cannot_close(NodeId rest, size_t pair, bool back, const std::vector<cat::Axiom>& by) {
  const auto& [w, r] = pairs_[pair];
  const auto may = [&](NodeId id) { return (back ? known(id, w, r) : known(id, r, w)).may; };
  if (!may(rest)) return true;
  if (back) return false;
  for (;;) {  // the one operand that may have it
    const Node& node = m_.nodes[rest];
    if (node.op != NodeOp::union_) break;
    std::vector<NodeId> left;
    for (NodeId k : node.kids)
      if (may(k)) left.push_back(k);
    if (left.size() != 1) break;
    rest = left[0];
  }
  const Link closing{Step::node, false, rest};
  return for_each_way(pair, [&](const Path& short_way, const Path& long_way) {
    for (const Path* p : {&short_way, &long_way}) {
      Path closed = *p;
      closed.points.push_back(w);
      closed.links.push_back(closing);
      if (std::any_of(by.begin(), by.end(), [&](const cat::Axiom& a) { return forbids_cycle(a, closed); })) return true;
    }
    // (W, w) in co.
    const Path round{{short_way.points[1], r, w}, {{Step::rf}, closing}};
    return std::any_of(by.begin(), by.end(), [&](const cat::Axiom& a) {
      const Node& node = m_.nodes[a.node];
      return !a.flag && !a.negated && a.kind == AxiomKind::empty && node.op == NodeOp::diff &&
             within_co(node.kids[1]) && contains(node.kids[0], round);
    });
  });
}

bool LeavingOut::keeps_flag(const cat::Axiom& a) const {
  if (!a.negated) return gain_[a.node].none();
  if (loses_[a.node]) return false;
  if (m_.nodes[a.node].type == cat::Type::set) return !meets(bounds_.node[a.node].may_set);
  const Relation& pairs = bounds_.node[a.node].may;
  bool apart = true;
  pairs.for_each([&](uint32_t i, uint32_t j) {
    if (apart && (dropped_.test(i) || dropped_.test(j)) && between_.may(a.node, i, j)) apart = false;
  });
  return apart;
}

}  // namespace fencepost::encode

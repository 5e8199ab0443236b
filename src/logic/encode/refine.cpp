#include "encode/refine.h"

#include <algorithm>

#include "base/diagnostic.h"

namespace fencepost::encode {

using cat::Node;
using cat::NodeId;
using cat::NodeOp;
using sat::k_false;
using sat::k_true;

// ---- reasons -----------------------------------------------------------------------------------------

void LazyModel::holds(Lit l, Reason& why) const {
  const Lit f = c_.fold(l);
  FENCEPOST_INVARIANT(f != k_false, "a reason must hold");
  if (f != k_true) why.insert(f);
}

void LazyModel::path(NodeId step, uint32_t i, uint32_t j, Reason& why) {
  const Relation& r = now_.node[step].may;
  std::vector<uint32_t> from(base_.n, prog::k_none);
  std::vector<uint32_t> queue{i};
  bool found = false;
  for (size_t head = 0; head < queue.size() && !found; ++head) {
    const uint32_t u = queue[head];
    r.for_each_in_row(u, [&](uint32_t v) {
      if (found || from[v] != prog::k_none) return;
      from[v] = u;
      queue.push_back(v);
      found = v == j;
    });
  }
  FENCEPOST_INVARIANT(found, "a closure pair has a path");
  for (uint32_t v = j;;) {
    const uint32_t u = from[v];
    present(step, u, v, why);
    v = u;
    if (v == i) break;
  }
}

void LazyModel::present_set(NodeId id, uint32_t i, Reason& why) {
  if (static_.node[id].must_set.test(i)) return holds(p_.exec(i), why);
  const Node& node = m_.nodes[id];
  switch (node.op) {
    case NodeOp::union_:
      for (NodeId k : node.kids)
        if (in_set(k, i)) return present_set(k, i, why);
      break;
    case NodeOp::inter:
      for (NodeId k : node.kids) present_set(k, i, why);
      return;
    case NodeOp::diff:
      present_set(node.kids[0], i, why);
      return absent_set(node.kids[1], i, why);
    case NodeOp::complement:
      holds(p_.exec(i), why);
      return absent_set(node.kids[0], i, why);
    case NodeOp::domain:
      for (uint32_t j = 0; j < base_.n; ++j)
        if (in(node.kids[0], i, j)) return present(node.kids[0], i, j, why);
      break;
    case NodeOp::range:
      for (uint32_t j = 0; j < base_.n; ++j)
        if (in(node.kids[0], j, i)) return present(node.kids[0], j, i, why);
      break;
    case NodeOp::base_set: {  // of a compare-exchange: it has or has not written
      const Lit wrote = p_.wrote(i);
      holds(p_.exec(i), why);
      return holds(p_.skeleton().events[i].tags.has(node.tag) ? wrote : -wrote, why);
    }
    default:
      break;
  }
  FENCEPOST_INVARIANT(false, "no reason for a member of a set");
}

void LazyModel::absent_set(NodeId id, uint32_t i, Reason& why) {
  if (!static_.node[id].may_set.test(i)) return;
  if (!exact_.live.test(i)) return holds(-p_.exec(i), why);
  const Node& node = m_.nodes[id];
  switch (node.op) {
    case NodeOp::union_:
      for (NodeId k : node.kids) absent_set(k, i, why);
      return;
    case NodeOp::inter:
      for (NodeId k : node.kids)
        if (!in_set(k, i)) return absent_set(k, i, why);
      break;
    case NodeOp::diff:
      if (!in_set(node.kids[0], i)) return absent_set(node.kids[0], i, why);
      return present_set(node.kids[1], i, why);
    case NodeOp::complement:
      return present_set(node.kids[0], i, why);
    case NodeOp::domain:
      for (uint32_t j = 0; j < base_.n; ++j) absent(node.kids[0], i, j, why);
      return;
    case NodeOp::range:
      for (uint32_t j = 0; j < base_.n; ++j) absent(node.kids[0], j, i, why);
      return;
    case NodeOp::base_set: {
      const Lit wrote = p_.wrote(i);
      return holds(p_.skeleton().events[i].tags.has(node.tag) ? -wrote : wrote, why);
    }
    default:
      break;
  }
  FENCEPOST_INVARIANT(false, "no reason for a non-member of a set");
}

void LazyModel::present(NodeId id, uint32_t i, uint32_t j, Reason& why) {
  if (static_.node[id].must.test(i, j)) return holds(p_.both(i, j), why);
  const Node& node = m_.nodes[id];
  switch (node.op) {
    case NodeOp::base_rel:
      return holds(literal_(node.base, i, j), why);
    case NodeOp::union_: {
      for (NodeId k : node.kids)
        if (static_.node[k].must.test(i, j)) return present(k, i, j, why);
      for (NodeId k : node.kids)
        if (in(k, i, j)) return present(k, i, j, why);
      break;
    }
    case NodeOp::inter:
      for (NodeId k : node.kids) present(k, i, j, why);
      return;
    case NodeOp::diff:
      present(node.kids[0], i, j, why);
      return absent(node.kids[1], i, j, why);
    case NodeOp::complement:
      holds(p_.exec(i), why);
      holds(p_.exec(j), why);
      return absent(node.kids[0], i, j, why);
    case NodeOp::inverse:
      return present(node.kids[0], j, i, why);
    case NodeOp::product:
      present_set(node.kids[0], i, why);
      return present_set(node.kids[1], j, why);
    case NodeOp::ident:
      return present_set(node.kids[0], i, why);
    case NodeOp::opt:
      return present(node.kids[0], i, j, why);
    case NodeOp::seq:
      for (uint32_t k = 0; k < base_.n; ++k)
        if (in(node.kids[0], i, k) && in(node.kids[1], k, j)) {
          present(node.kids[0], i, k, why);
          return present(node.kids[1], k, j, why);
        }
      break;
    case NodeOp::plus:
    case NodeOp::star:
      return path(node.kids[0], i, j, why);
    default:
      break;
  }
  FENCEPOST_INVARIANT(false, "no reason for a pair of a relation");
}

void LazyModel::absent(NodeId id, uint32_t i, uint32_t j, Reason& why) {
  if (!static_.node[id].may.test(i, j)) return;
  for (uint32_t e : {i, j})
    if (!exact_.live.test(e)) return holds(-p_.exec(e), why);
  const Node& node = m_.nodes[id];
  switch (node.op) {
    case NodeOp::base_rel:
      return holds(-literal_(node.base, i, j), why);
    case NodeOp::union_:
      for (NodeId k : node.kids) absent(k, i, j, why);
      return;
    case NodeOp::inter:
      for (NodeId k : node.kids)
        if (!in(k, i, j)) return absent(k, i, j, why);
      break;
    case NodeOp::diff:
      if (!in(node.kids[0], i, j)) return absent(node.kids[0], i, j, why);
      return present(node.kids[1], i, j, why);
    case NodeOp::complement:
      return present(node.kids[0], i, j, why);
    case NodeOp::inverse:
      return absent(node.kids[0], j, i, why);
    case NodeOp::product:
      if (!in_set(node.kids[0], i)) return absent_set(node.kids[0], i, why);
      return absent_set(node.kids[1], j, why);
    case NodeOp::ident:
      return absent_set(node.kids[0], i, why);
    case NodeOp::opt:
      return absent(node.kids[0], i, j, why);
    case NodeOp::seq:
      for (uint32_t k = 0; k < base_.n; ++k) {
        if (in(node.kids[0], i, k))
          absent(node.kids[1], k, j, why);
        else
          absent(node.kids[0], i, k, why);
      }
      return;
    case NodeOp::plus:
    case NodeOp::star: {
      // Everything reachable from i has no step out of the reachable set.
      BitSet reached(base_.n);
      reached.set(i);
      reached |= now_.node[node.kids[0]].may.closure().successors(i);
      reached.for_each([&](uint32_t u) {
        for (uint32_t v = 0; v < base_.n; ++v)
          if (!reached.test(v)) absent(node.kids[0], u, v, why);
      });
      return;
    }
    default:
      break;
  }
  FENCEPOST_INVARIANT(false, "no reason for the absence of a pair");
}

// ---- refinement --------------------------------------------------------------------------------------

void LazyModel::learn(const Reason& why, std::set<std::vector<Lit>>& learned) {
  std::vector<Lit> clause;
  for (Lit l : why) clause.push_back(-l);
  learned.insert(std::move(clause));
}

bool LazyModel::refine(const std::function<bool(Lit)>& value) {
  auto is_true = [&](Lit l) {
    const Lit f = c_.fold(l);
    return f == k_true || (f != k_false && value(f));
  };
  exact_ = base_;
  exact_.live = BitSet(base_.n);
  base_.live.for_each([&](uint32_t e) {
    if (is_true(p_.exec(e))) exact_.live.set(e);
  });
  exact_.always = exact_.live;
  for (size_t t = 0; t < exact_.sometimes.size(); ++t) {
    base_.sometimes[t].for_each([&](uint32_t e) {
      if (is_true(p_.wrote(e)) != p_.skeleton().events[e].tags.has(static_cast<vocab::Tag>(t))) exact_.tags[t].reset(e);
    });
    exact_.sometimes[t] = BitSet(base_.n);
  }
  const Relation running = Relation::product(exact_.live, exact_.live) & base_.compatible;
  exact_.compatible = running;
  for (BitSet& b : exact_.implied_by) b = exact_.live;
  for (size_t b = 0; b < vocab::k_bases; ++b) {
    Relation r = base_.must[b] & running;
    (base_.may[b] - base_.must[b]).for_each([&](uint32_t i, uint32_t j) {
      if (running.test(i, j) && is_true(literal_(static_cast<vocab::Base>(b), i, j))) r.set(i, j);
    });
    exact_.may[b] = r;
    exact_.must[b] = std::move(r);
  }
  now_ = bounds::compute(m_, exact_);

  std::set<std::vector<Lit>> learned;
  for (const cat::Axiom& a : m_.axioms) {
    if (a.flag) continue;
    const NodeId id = a.node;
    const bool is_set = m_.nodes[id].type == cat::Type::set;
    if (a.negated) {
      Reason why;
      const bool empty = is_set ? now_.node[id].may_set.empty() : now_.node[id].may.empty();
      if (a.kind == cat::AxiomKind::empty && empty) {
        if (is_set)
          for (uint32_t i = 0; i < base_.n; ++i) absent_set(id, i, why);
        else
          for (uint32_t i = 0; i < base_.n; ++i)
            for (uint32_t j = 0; j < base_.n; ++j) absent(id, i, j, why);
        learn(why, learned);
      } else if (a.kind == cat::AxiomKind::irreflexive && now_.node[id].may.irreflexive()) {
        for (uint32_t i = 0; i < base_.n; ++i) absent(id, i, i, why);
        learn(why, learned);
      } else if (a.kind == cat::AxiomKind::acyclic && now_.node[id].may.acyclic()) {
        for (uint32_t i = 0; i < base_.n; ++i)
          for (uint32_t j = 0; j < base_.n; ++j)
            if (!in(id, i, j)) absent(id, i, j, why);
        learn(why, learned);
      }
      continue;
    }
    if (a.kind == cat::AxiomKind::empty) {
      if (is_set) {
        now_.node[id].may_set.for_each([&](uint32_t i) {
          Reason why;
          present_set(id, i, why);
          learn(why, learned);
        });
      } else {
        size_t budget = 1000;
        now_.node[id].may.for_each([&](uint32_t i, uint32_t j) {
          if (budget == 0) return;
          --budget;
          Reason why;
          present(id, i, j, why);
          learn(why, learned);
        });
      }
      continue;
    }
    const Relation& r = now_.node[id].may;
    if (a.kind == cat::AxiomKind::irreflexive) {
      for (uint32_t i = 0; i < base_.n; ++i)
        if (r.test(i, i)) {
          Reason why;
          present(id, i, i, why);
          learn(why, learned);
        }
      continue;
    }
    // A shortest cycle through every event that lies on one.
    const Relation closed = r.closure();
    for (uint32_t i = 0; i < base_.n; ++i)
      if (closed.test(i, i)) {
        Reason why;
        path(id, i, i, why);
        learn(why, learned);
      }
  }
  // Added together: a unit clause folds literals that the assignment still has true, and other reasons need them.
  for (const std::vector<Lit>& clause : learned) c_.add(clause);
  return !learned.empty();
}

}  // namespace fencepost::encode

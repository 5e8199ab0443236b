#include "cat/thin_air.h"

#include <algorithm>

namespace fencepost::cat {
namespace {

// What a relation holds for sure, in every execution.
constexpr uint8_t k_rf_inside = 1, k_rf_across = 2;  // rf of one thread, and of two
constexpr uint8_t k_addr = 4, k_data = 8, k_ctrl = 16, k_po = 32;
constexpr uint8_t k_every = 64;  // the identity on every event; of a set: every event
constexpr uint8_t k_rf = k_rf_inside | k_rf_across, k_order = k_po | k_addr | k_data | k_ctrl;

uint8_t held_by(vocab::Base b) {
  switch (b) {
    case vocab::Base::rf:
    case vocab::Base::loc:
      return k_rf;
    case vocab::Base::po:
      return k_order;
    case vocab::Base::addr:
      return k_addr;
    case vocab::Base::data:
      return k_data;
    case vocab::Base::ctrl:
      return k_ctrl;
    case vocab::Base::ext:
      return k_rf_across;
    case vocab::Base::int_:
      return k_rf_inside | k_order | k_every;
    case vocab::Base::id:
      return k_every;
    default:
      return 0;
  }
}

uint8_t held(const Model& m, const Node& n, const std::vector<uint8_t>& all) {
  const auto kid = [&](size_t i) { return all[n.kids[i]]; };
  switch (n.op) {
    case NodeOp::base_rel:
      return held_by(n.base);
    case NodeOp::everything:
      return k_every;
    case NodeOp::rec_var:
      return all[m.variables[n.rec].definition];
    case NodeOp::union_:
      return kid(0) | kid(1);
    case NodeOp::inter:
      return kid(0) & kid(1);
    case NodeOp::seq:
      return static_cast<uint8_t>(((kid(0) & k_every) != 0 ? kid(1) : 0) | ((kid(1) & k_every) != 0 ? kid(0) : 0));
    case NodeOp::plus:
      return kid(0);
    case NodeOp::star:
    case NodeOp::opt:
      return kid(0) | k_every;
    case NodeOp::inverse:
    case NodeOp::ident:
      return kid(0) & k_every;
    case NodeOp::product:
      return (kid(0) & kid(1) & k_every) != 0 ? k_rf | k_order | k_every : 0;
    default:
      return 0;
  }
}

bool is_circular(uint8_t held) {
  const bool depends = (held & k_po) != 0 || (held & k_order) == (k_addr | k_data | k_ctrl);
  return depends && (held & k_rf_across) != 0 && (held & k_rf_inside) != 0;
}

}  // namespace

bool forbids_thin_air(const Model& m) {
  std::vector<uint8_t> all(m.nodes.size(), 0);
  // What is held only grows, from nothing: a fixpoint is the least solution of its equations.
  for (bool changed = true; changed;) {
    changed = false;
    for (NodeId i = 0; i < m.nodes.size(); ++i) {
      const uint8_t next = held(m, m.nodes[i], all);
      changed = changed || next != all[i];
      all[i] = next;
    }
  }
  return std::any_of(m.axioms.begin(), m.axioms.end(), [&](const Axiom& a) {
    if (a.flag || a.negated) return false;
    const Node& n = m.nodes[a.node];
    const bool closed = a.kind == AxiomKind::irreflexive && n.op == NodeOp::plus;
    return (a.kind == AxiomKind::acyclic || closed) && is_circular(all[a.node]);
  });
}

Model without_thin_air(const Model& model) {
  Model out = model;
  const auto relation = [&](vocab::Base b) {
    Node n;
    n.op = NodeOp::base_rel;
    n.type = Type::rel;
    n.base = b;
    out.nodes.push_back(std::move(n));
    return static_cast<NodeId>(out.nodes.size() - 1);
  };
  NodeId round = relation(vocab::Base::rf);
  for (const vocab::Base b : {vocab::Base::addr, vocab::Base::data, vocab::Base::ctrl}) {
    Node both;
    both.op = NodeOp::union_;
    both.type = Type::rel;
    both.kids = {round, relation(b)};
    out.nodes.push_back(std::move(both));
    round = static_cast<NodeId>(out.nodes.size() - 1);
  }
  out.axioms.push_back({AxiomKind::acyclic, false, false, round, "no-value-out-of-thin-air", {}});
  return out;
}

}  // namespace fencepost::cat

#include "bounds/forbidden.h"

namespace fencepost::bounds {
namespace {

using cat::Node;
using cat::NodeId;
using cat::NodeOp;
using cat::Type;

class Walk {
 public:
  Walk(const cat::Model& m, const BaseBounds& base, const Bounds& bounds, Fired* fired)
      : m_(m), base_(base), bounds_(bounds), fired_(fired), no_(m.nodes.size()), seen_(m.nodes.size(), false) {}

  std::vector<ForbiddenPair> run() {
    for (const cat::Axiom& a : m_.axioms)
      if (asserted(a)) order(a.node);
    for (const cat::Axiom& a : m_.axioms)
      if (asserted(a)) start(a);
    // Parents before children; what a recursion hands back to its definition waits for the next round.
    for (size_t k = order_.size(); k-- > 0;) hand_down(order_[k]);
    return std::move(out_);
  }

 private:
  static bool asserted(const cat::Axiom& a) { return !a.flag && !a.negated; }

  void order(NodeId id) {
    if (seen_[id] || m_.nodes[id].type == Type::set) return;
    seen_[id] = true;
    const Node& node = m_.nodes[id];
    if (node.op == NodeOp::rec_var) order(m_.variables[node.rec].definition);
    for (NodeId k : node.kids) order(k);
    order_.push_back(id);
  }

  const Relation& may(NodeId id) const { return bounds_.node[id].may; }
  const Relation& must(NodeId id) const { return bounds_.node[id].must; }

  void forbid(NodeId id, const Relation& pairs, Rule by) {
    if (m_.nodes[id].type == Type::set) return;
    if (no_[id].universe() == 0) no_[id] = Relation(base_.n);
    Relation possible = pairs;
    possible &= may(id);
    if (fired_ != nullptr && !possible.subset_of(no_[id])) fired_->set(static_cast<size_t>(by));
    no_[id] |= possible;
  }

  Relation close(const Relation& r) const {
    Relation all = r;
    for (;;) {
      Relation next = compose_must(all, all, base_.implied_by);
      next &= base_.compatible;
      next |= all;
      if (next == all) return all;
      all = std::move(next);
    }
  }

  void start(const cat::Axiom& a) {
    if (m_.nodes[a.node].type == Type::set) return;
    if (a.kind == cat::AxiomKind::empty) {
      forbid(a.node, may(a.node), Rule::empty);
      return;
    }
    const Relation diagonal = Relation::identity(base_.n);
    forbid(a.node, diagonal, Rule::irreflexive);
    if (a.kind == cat::AxiomKind::acyclic) forbid(a.node, close(must(a.node)).inverse(), Rule::acyclic);
  }

  // Out of (i, j) forbidden in first ; second: the pairs (k, j) of second.
  Relation through_first(const Relation& no, NodeId first) const {
    Relation out(base_.n);
    const uint32_t stride = out.stride();
    for (uint32_t i = 0; i < base_.n; ++i)
      must(first).for_each_in_row(i, [&](uint32_t k) {
        uint64_t* to = out.row(k);
        const uint64_t* from = no.row(i);
        const bool whenever_k = base_.implied_by[i].test(k);
        const auto& whenever_j = base_.implied_by[i].words();
        for (uint32_t w = 0; w < stride; ++w) to[w] |= whenever_k ? from[w] : from[w] & whenever_j[w];
      });
    return out;
  }
  // The pairs (i, k) of first.
  Relation through_second(const Relation& no, NodeId second) const {
    Relation out(base_.n);  // inverse
    const uint32_t stride = out.stride();
    const Relation back = no.inverse();
    const Relation ways = must(second).inverse();
    for (uint32_t j = 0; j < base_.n; ++j)
      ways.for_each_in_row(j, [&](uint32_t k) {
        uint64_t* to = out.row(k);
        const uint64_t* from = back.row(j);
        const bool whenever_k = base_.implied_by[j].test(k);
        const auto& whenever_i = base_.implied_by[j].words();
        for (uint32_t w = 0; w < stride; ++w) to[w] |= whenever_k ? from[w] : from[w] & whenever_i[w];
      });
    return out.inverse();
  }

  void hand_down(NodeId id) {
    if (no_[id].universe() == 0 || no_[id].empty()) return;
    const Node& node = m_.nodes[id];
    const Relation& no = no_[id];
    switch (node.op) {
      case NodeOp::base_rel:
        no.for_each([&](uint32_t i, uint32_t j) { out_.push_back({node.base, i, j}); });
        return;
      case NodeOp::rec_var:
        forbid(m_.variables[node.rec].definition, no, Rule::union_);
        return;
      case NodeOp::union_:
        for (NodeId k : node.kids) forbid(k, no, Rule::union_);
        return;
      case NodeOp::inter:
        for (size_t k = 0; k < node.kids.size(); ++k) {
          Relation pairs = no;
          for (size_t other = 0; other < node.kids.size(); ++other)
            if (other != k) pairs &= must(node.kids[other]);
          forbid(node.kids[k], pairs, Rule::inter);
        }
        return;
      case NodeOp::diff:
        forbid(node.kids[0], no - may(node.kids[1]), Rule::diff);
        return;
      case NodeOp::inverse:
        forbid(node.kids[0], no.inverse(), Rule::inverse);
        return;
      case NodeOp::seq:
        if (node.kids.size() != 2) return;
        forbid(node.kids[1], through_first(no, node.kids[0]), Rule::first_step);
        forbid(node.kids[0], through_second(no, node.kids[1]), Rule::second_step);
        return;
      case NodeOp::plus:
      case NodeOp::star: {
        // no is closed under these steps after a few rounds; a is part of a+, so its pairs fall too.
        const Relation more = no | through_first(no, id) | through_second(no, id);
        forbid(node.kids[0], more, Rule::closure);
        return;
      }
      case NodeOp::opt:
        forbid(node.kids[0], no, Rule::union_);
        return;
      default:
        return;
    }
  }

  const cat::Model& m_;
  const BaseBounds& base_;
  const Bounds& bounds_;
  Fired* fired_;
  std::vector<Relation> no_;
  std::vector<bool> seen_;
  std::vector<NodeId> order_;
  std::vector<ForbiddenPair> out_;
};

class Required {
 public:
  Required(const cat::Model& m, const BaseBounds& base, const Bounds& bounds) : m_(m), base_(base), bounds_(bounds) {}

  std::vector<ForbiddenPair> run() {
    for (const cat::Axiom& a : m_.axioms)
      if (!a.flag && !a.negated && a.kind == cat::AxiomKind::empty) start(a.node);
    return std::move(out_);
  }

 private:
  void start(NodeId id) {
    const Node& node = m_.nodes[id];
    if (node.type == Type::set) return;
    if (node.op == NodeOp::union_)
      for (NodeId k : node.kids) start(k);
    if (node.op == NodeOp::diff) require(node.kids[1], bounds_.node[node.kids[0]].must, 0);
  }

  void require(NodeId id, const Relation& pairs, uint32_t depth) {
    constexpr uint32_t k_deep = 20;  // recursions hand on to themselves
    if (pairs.empty() || depth > k_deep) return;
    const Node& node = m_.nodes[id];
    switch (node.op) {
      case NodeOp::base_rel:
        (pairs - base_.must[static_cast<size_t>(node.base)]).for_each([&](uint32_t i, uint32_t j) {
          if (i != j) out_.push_back({node.base, i, j});
        });
        return;
      case NodeOp::union_:
        for (NodeId k : node.kids) {
          Relation left = pairs;
          for (NodeId other : node.kids)
            if (other != k) left -= bounds_.node[other].may;
          require(k, left, depth + 1);
        }
        return;
      case NodeOp::inter:
        for (NodeId k : node.kids) require(k, pairs, depth + 1);
        return;
      case NodeOp::inverse:
        require(node.kids[0], pairs.inverse(), depth + 1);
        return;
      case NodeOp::rec_var:
        require(m_.variables[node.rec].definition, pairs, depth + 1);
        return;
      default:
        return;
    }
  }

  const cat::Model& m_;
  const BaseBounds& base_;
  const Bounds& bounds_;
  std::vector<ForbiddenPair> out_;
};

}  // namespace

std::vector<ForbiddenPair> required(const cat::Model& m, const BaseBounds& base, const Bounds& bounds) {
  return Required(m, base, bounds).run();
}

std::vector<ForbiddenPair> forbidden(const cat::Model& m, const BaseBounds& base, const Bounds& bounds, Fired* fired) {
  return Walk(m, base, bounds, fired).run();
}

}  // namespace fencepost::bounds

#include "bounds/bounds.h"

namespace fencepost::bounds {

using cat::Node;
using cat::NodeId;
using cat::NodeOp;
using cat::Type;

Relation compose_must(const Relation& a, const Relation& b, const std::vector<BitSet>& implied_by) {
  const uint32_t n = a.universe();
  Relation out(n);
  const uint32_t stride = out.stride();
  for (uint32_t i = 0; i < n; ++i)
    a.for_each_in_row(i, [&](uint32_t k) {
      uint64_t* to = out.row(i);
      const uint64_t* from = b.row(k);
      if (implied_by[k].test(i)) {
        for (uint32_t w = 0; w < stride; ++w) to[w] |= from[w];
      } else {
        const auto& allowed = implied_by[k].words();
        for (uint32_t w = 0; w < stride; ++w) to[w] |= from[w] & allowed[w];
      }
    });
  return out;
}

namespace {

class Analysis {
 public:
  Analysis(const cat::Model& m, const BaseBounds& base) : m_(m), base_(base), n_(base.n) {}

  Bounds run() {
    out_.node.resize(m_.nodes.size());
    out_.needed.assign(m_.nodes.size(), false);
    std::vector<NodeId> work;
    for (const cat::Axiom& a : m_.axioms) work.push_back(a.node);
    while (!work.empty()) {
      const NodeId id = work.back();
      work.pop_back();
      if (out_.needed[id]) continue;
      out_.needed[id] = true;
      for (NodeId k : m_.nodes[id].kids) work.push_back(k);
      if (m_.nodes[id].op == NodeOp::rec_var)
        for (uint32_t v : m_.groups[m_.variables[m_.nodes[id].rec].group].variables) {
          work.push_back(m_.variables[v].definition);
          work.push_back(m_.variables[v].reference);
        }
    }
    done_.assign(m_.nodes.size(), false);
    for (NodeId id = 0; id < m_.nodes.size(); ++id)
      if (out_.needed[id]) visit(id);
    return std::move(out_);
  }

 private:
  // Nodes that mention a recursion variable are solved with its whole group.
  void visit(NodeId id) {
    if (done_[id]) return;
    const Node& node = m_.nodes[id];
    if (node.op == NodeOp::rec_var) {
      solve_group(m_.variables[node.rec].group);
      return;
    }
    done_[id] = true;
    for (NodeId k : node.kids) visit(k);
    compute(id);
  }

  void solve_group(uint32_t g) {
    const auto& variables = m_.groups[g].variables;
    for (uint32_t v : variables) {
      const NodeId ref = m_.variables[v].reference;
      done_[ref] = true;
      NodeBounds& b = out_.node[ref];
      if (m_.variables[v].type == Type::set) {
        b.may_set = b.must_set = BitSet(n_);
      } else {
        b.may = b.must = Relation(n_);
      }
    }
    // The nodes between the variables and their definitions, in dependency order.
    std::vector<NodeId> inner;
    std::vector<bool> seen(m_.nodes.size(), false);
    for (uint32_t v : variables) collect(m_.variables[v].definition, seen, inner);
    for (bool changed = true; changed;) {
      changed = false;
      for (NodeId id : inner) compute(id);
      for (uint32_t v : variables) {
        const NodeBounds& d = out_.node[m_.variables[v].definition];
        NodeBounds& r = out_.node[m_.variables[v].reference];
        if (m_.variables[v].type == Type::set) {
          if (!(r.may_set == d.may_set) || !(r.must_set == d.must_set)) changed = true;
          r.may_set = d.may_set;
          r.must_set = d.must_set;
        } else {
          if (!(r.may == d.may) || !(r.must == d.must)) changed = true;
          r.may = d.may;
          r.must = d.must;
        }
      }
    }
    for (NodeId id : inner) done_[id] = true;
  }

  void collect(NodeId id, std::vector<bool>& seen, std::vector<NodeId>& order) {
    if (seen[id] || done_[id]) return;
    seen[id] = true;
    const Node& node = m_.nodes[id];
    if (node.op == NodeOp::rec_var) {
      solve_group(m_.variables[node.rec].group);  // an outer, already started group is done_; another is solved first
      return;
    }
    for (NodeId k : node.kids) collect(k, seen, order);
    order.push_back(id);
  }

  void compute(NodeId id) {
    compute_node(id);
    if (base_.folded && m_.nodes[id].type != Type::set)
      out_.node[id].must = out_.node[id].must - Relation::identity(base_.live - base_.always);
  }

  void compute_node(NodeId id) {
    const Node& node = m_.nodes[id];
    NodeBounds& out = out_.node[id];
    auto kid = [&](size_t k) -> const NodeBounds& { return out_.node[node.kids[k]]; };
    const bool is_set = node.type == Type::set;
    switch (node.op) {
      case NodeOp::base_rel:
        out.may = base_.may[static_cast<size_t>(node.base)];
        out.must = base_.must[static_cast<size_t>(node.base)];
        return;
      case NodeOp::base_set:
        out.may_set = out.must_set = base_.tags[static_cast<size_t>(node.tag)] & base_.live;
        if (!base_.sometimes.empty()) out.must_set = out.must_set - base_.sometimes[static_cast<size_t>(node.tag)];
        return;
      case NodeOp::everything:
        out.may_set = out.must_set = base_.live;
        return;
      case NodeOp::memory:
        out.may_set = out.must_set =
            (base_.tags[static_cast<size_t>(vocab::Tag::R)] | base_.tags[static_cast<size_t>(vocab::Tag::W)]) &
            base_.live;
        return;
      case NodeOp::empty_set:
        out.may_set = out.must_set = BitSet(n_);
        return;
      case NodeOp::empty_rel:
        out.may = out.must = Relation(n_);
        return;
      case NodeOp::rec_var:
        return;
      case NodeOp::union_:
        if (is_set) {
          out.may_set = kid(0).may_set;
          out.must_set = kid(0).must_set;
          for (size_t k = 1; k < node.kids.size(); ++k) {
            out.may_set |= kid(k).may_set;
            out.must_set |= kid(k).must_set;
          }
        } else {
          out.may = kid(0).may;
          out.must = kid(0).must;
          for (size_t k = 1; k < node.kids.size(); ++k) {
            out.may |= kid(k).may;
            out.must |= kid(k).must;
          }
        }
        return;
      case NodeOp::inter:
        if (is_set) {
          out.may_set = kid(0).may_set;
          out.must_set = kid(0).must_set;
          for (size_t k = 1; k < node.kids.size(); ++k) {
            out.may_set &= kid(k).may_set;
            out.must_set &= kid(k).must_set;
          }
        } else {
          out.may = kid(0).may;
          out.must = kid(0).must;
          for (size_t k = 1; k < node.kids.size(); ++k) {
            out.may &= kid(k).may;
            out.must &= kid(k).must;
          }
        }
        return;
      case NodeOp::diff:
        if (is_set) {
          (out.may_set = kid(0).may_set) -= kid(1).must_set;
          (out.must_set = kid(0).must_set) -= kid(1).may_set;
        } else {
          (out.may = kid(0).may) -= kid(1).must;
          (out.must = kid(0).must) -= kid(1).may;
        }
        return;
      case NodeOp::complement:
        if (is_set) {
          (out.may_set = base_.live) -= kid(0).must_set;
          (out.must_set = base_.live) -= kid(0).may_set;
        } else {
          (out.may = base_.compatible) -= kid(0).must;
          (out.must = base_.compatible) -= kid(0).may;
        }
        return;
      case NodeOp::seq: {
        const Relation *may = &kid(0).may, *must = &kid(0).must;
        for (size_t k = 1; k < node.kids.size(); ++k) {
          out.may = may->compose(kid(k).may);
          out.may &= base_.compatible;
          out.must = compose_must(*must, kid(k).must, base_.implied_by);
          may = &out.may, must = &out.must;
        }
        if (node.kids.size() == 1) out.may = *may, out.must = *must;
        out.must &= base_.compatible;
        return;
      }
      case NodeOp::inverse:
        out.may = kid(0).may.inverse();
        out.must = kid(0).must.inverse();
        return;
      case NodeOp::plus:
      case NodeOp::star:
        out.may = kid(0).may.closure();
        out.may &= base_.compatible;
        out.must = close_must(kid(0).must);
        if (node.op == NodeOp::star) {
          out.may |= Relation::identity(base_.live);
          out.must |= Relation::identity(base_.live);
        }
        return;
      case NodeOp::opt:
        (out.may = kid(0).may) |= Relation::identity(base_.live);
        (out.must = kid(0).must) |= Relation::identity(base_.live);
        return;
      case NodeOp::product:
        (out.may = Relation::product(kid(0).may_set, kid(1).may_set)) &= base_.compatible;
        (out.must = Relation::product(kid(0).must_set, kid(1).must_set)) &= base_.compatible;
        return;
      case NodeOp::ident:
        out.may = Relation::identity(kid(0).may_set);
        out.must = Relation::identity(kid(0).must_set);
        return;
      case NodeOp::domain:
      case NodeOp::range: {
        const bool dom = node.op == NodeOp::domain;
        out.may_set = dom ? kid(0).may.domain() : kid(0).may.range();
        out.must_set = BitSet(n_);
        kid(0).must.for_each([&](uint32_t i, uint32_t j) {
          const uint32_t here = dom ? i : j;
          const uint32_t there = dom ? j : i;
          if (base_.implied_by[there].test(here)) out.must_set.set(here);
        });
        return;
      }
    }
  }

  Relation close_must(const Relation& r) const {
    Relation all = r;
    for (;;) {
      Relation next = compose_must(all, all, base_.implied_by);
      next &= base_.compatible;
      next |= all;
      if (next == all) return all;
      all = std::move(next);
    }
  }

  const cat::Model& m_;
  const BaseBounds& base_;
  uint32_t n_;
  Bounds out_;
  std::vector<bool> done_;
};

}  // namespace

Bounds compute(const cat::Model& m, const BaseBounds& base) { return Analysis(m, base).run(); }

}  // namespace fencepost::bounds

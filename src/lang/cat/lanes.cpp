#include "cat/lanes.h"

#include <algorithm>
#include <string>

#include "cat/thin_air.h"

namespace fencepost::cat {
namespace {

const std::string k_axiom = "lane-exchange";

class Hiding {
 public:
  explicit Hiding(const Model& from) : from_(from) {}

  Model run() {
    out_ = from_;
    out_.nodes.clear();
    const NodeId warp = set(vocab::Tag::WARP), block = set(vocab::Tag::B);
    lanes_ = add(NodeOp::diff, Type::set, {warp, block});
    const NodeId all = add(NodeOp::everything, Type::set, {});
    to_lanes_ = add(NodeOp::product, Type::rel, {all, lanes_});
    const NodeId first = add(NodeOp::ident, Type::rel, {set(vocab::Tag::IW)}), rf = relation(vocab::Base::rf),
                 at_lanes = add(NodeOp::ident, Type::rel, {lanes_});
    const NodeId from_first = add(NodeOp::seq, Type::rel, {first, rf});
    const NodeId unwritten = add(NodeOp::seq, Type::rel, {from_first, at_lanes});
    for (const Node& n : from_.nodes) now_.push_back(copied(n));
    // A fixpoint variable's definition may come behind what refers to it.
    for (RecVariable& v : out_.variables) {
      v.definition = now_[v.definition];
      v.reference = now_[v.reference];
    }
    for (const auto& [node, kid, of] : later_) out_.nodes[node].kids[kid] = now_[of];
    for (Axiom& a : out_.axioms) a.node = now_[a.node];
    for (Shown& s : out_.shown) s.node = now_[s.node];
    for (auto& [name, node] : out_.names) node = now_[node];
    out_.axioms.push_back({AxiomKind::empty, false, false, unwritten, k_axiom, {}});
    // Values that go round through lanes are as much out of thin air as those that go round through memory.
    if (forbids_thin_air(from_)) {
      NodeId round = rf;
      for (const vocab::Base b : {vocab::Base::addr, vocab::Base::data, vocab::Base::ctrl})
        round = add(NodeOp::union_, Type::rel, {round, relation(b)});
      out_.axioms.push_back({AxiomKind::acyclic, false, false, round, "lane-thin-air", {}});
    }
    return std::move(out_);
  }

 private:
  struct Later {
    NodeId node = 0;
    size_t kid = 0;
    NodeId of = 0;
  };
  NodeId add(NodeOp op, Type type, std::vector<NodeId> kids) {
    Node n;
    n.op = op;
    n.type = type;
    n.kids = std::move(kids);
    return put(std::move(n));
  }
  NodeId put(Node n) {
    out_.nodes.push_back(std::move(n));
    return static_cast<NodeId>(out_.nodes.size() - 1);
  }
  NodeId set(vocab::Tag t) {
    const NodeId n = add(NodeOp::base_set, Type::set, {});
    out_.nodes[n].tag = t;
    return n;
  }
  NodeId relation(vocab::Base b) {
    const NodeId n = add(NodeOp::base_rel, Type::rel, {});
    out_.nodes[n].base = b;
    return n;
  }

  static bool sees_lanes(const Node& n) {
    using vocab::Base;
    switch (n.op) {
      case NodeOp::base_set:
      case NodeOp::memory:
      case NodeOp::everything:
        return true;
      case NodeOp::base_rel:
        return n.base == Base::rf || n.base == Base::co || n.base == Base::loc || n.base == Base::vloc ||
               n.base == Base::syncbar;
      default:
        return false;
    }
  }

  NodeId copied(const Node& n) {
    Node c = n;
    for (size_t k = 0; k < c.kids.size(); ++k) {
      if (c.kids[k] < now_.size())
        c.kids[k] = now_[c.kids[k]];
      else
        later_.push_back({static_cast<NodeId>(out_.nodes.size()), k, c.kids[k]});
    }
    if (!sees_lanes(n)) return put(std::move(c));
    c.name.clear();
    const NodeId leaf = put(std::move(c));
    const NodeId rest = add(NodeOp::diff, n.type, {leaf, n.type == Type::set ? lanes_ : to_lanes_});
    out_.nodes[rest].name = n.name;
    out_.nodes[rest].span = n.span;
    return rest;
  }

  const Model& from_;
  Model out_;
  NodeId lanes_ = 0, to_lanes_ = 0;
  std::vector<NodeId> now_;  // by node of `from_`
  std::vector<Later> later_;
};

}  // namespace

bool knows_lanes(const Model& model) {
  return std::any_of(model.axioms.begin(), model.axioms.end(), [](const Axiom& a) { return a.name == k_axiom; });
}

Model with_lanes(const Model& model) { return knows_lanes(model) ? model : Hiding(model).run(); }

}  // namespace fencepost::cat

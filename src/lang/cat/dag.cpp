#include "cat/dag.h"

namespace fencepost::cat {

NodeId Dag::variable(uint32_t index, Type t, Place p) {
  Entry e;
  e.op = NodeOp::rec_var;
  e.type = t;
  e.payload = index;
  e.place = p;
  e.open = true;
  entries_.push_back(std::move(e));
  return static_cast<NodeId>(entries_.size() - 1);
}

NodeId Dag::add(NodeOp op, Type t, NodeId a, NodeId b, uint32_t payload, Place p) {
  // Union and intersection commute: the operands keep their order, the key does not.
  NodeId x = a, y = b;
  if ((op == NodeOp::union_ || op == NodeOp::inter) && x > y) std::swap(x, y);
  const Key key{(static_cast<uint64_t>(op) << 40) | (static_cast<uint64_t>(t) << 32) | payload,
                (static_cast<uint64_t>(x) << 32) | y};
  const auto [it, fresh] = known_.try_emplace(key, static_cast<NodeId>(entries_.size()));
  if (!fresh) return it->second;
  Entry e;
  e.op = op;
  e.type = t;
  e.a = a;
  e.b = b;
  e.payload = payload;
  e.place = p;
  e.open = (a != k_no_node && open(a)) || (b != k_no_node && open(b));
  entries_.push_back(std::move(e));
  return it->second;
}

void Dag::name(NodeId n, std::string name, bool applied, bool alias, Place place) {
  Entry& e = entries_[n];
  if (is_leaf(n)) return;  // a leaf is best called what the vocabulary calls it
  if (!e.name.empty() && (!e.applied || applied)) return;
  if (e.alias && !applied) e.place = place;
  e.name = std::move(name);
  e.applied = applied;
  e.alias = alias;
}

bool Dag::is_full(NodeId n) const {
  const Entry& e = entries_[n];
  return e.op == NodeOp::everything ||
         (e.op == NodeOp::product && is(e.a, NodeOp::everything) && is(e.b, NodeOp::everything));
}

bool Dag::is_id(NodeId n) const {
  return is(n, NodeOp::base_rel) && entries_[n].payload == static_cast<uint32_t>(vocab::Base::id);
}

NodeId Dag::unary(NodeOp op, NodeId a, Place p) {
  const Entry e = entries_[a];
  switch (op) {
    case NodeOp::complement:
      if (e.op == NodeOp::complement) return e.a;
      if (is_full(a)) return empty(e.type, p);
      if (e.op == NodeOp::empty_set) return everything(p);
      return add(op, e.type, a, k_no_node, 0, p);
    case NodeOp::inverse:
      if (e.op == NodeOp::inverse) return e.a;
      if (is_empty(a) || is_id(a) || e.op == NodeOp::ident) return a;
      break;
    case NodeOp::plus:
      if (e.op == NodeOp::plus || e.op == NodeOp::star || e.op == NodeOp::ident || is_empty(a) || is_id(a) ||
          is_full(a))
        return a;
      if (e.op == NodeOp::opt) return unary(NodeOp::star, e.a, p);
      break;
    case NodeOp::star:
      if (e.op == NodeOp::star) return a;
      if (e.op == NodeOp::plus || e.op == NodeOp::opt) return unary(NodeOp::star, e.a, p);
      if (is_empty(a) || is_id(a) || e.op == NodeOp::ident) return base(vocab::Base::id, p);
      break;
    case NodeOp::opt:
      if (e.op == NodeOp::star || e.op == NodeOp::opt) return a;
      if (e.op == NodeOp::plus) return unary(NodeOp::star, e.a, p);
      if (is_empty(a) || is_id(a) || e.op == NodeOp::ident) return base(vocab::Base::id, p);
      break;
    case NodeOp::ident:
      if (is_empty(a)) return empty(Type::rel, p);
      if (e.op == NodeOp::everything) return base(vocab::Base::id, p);
      break;
    case NodeOp::domain:
    case NodeOp::range:
      if (is_empty(a)) return empty(Type::set, p);
      if (e.op == NodeOp::ident) return e.a;
      if (is_id(a)) return everything(p);
      return add(op, Type::set, a, k_no_node, 0, p);
    default:
      break;
  }
  return add(op, Type::rel, a, k_no_node, 0, p);
}

NodeId Dag::binary(NodeOp op, NodeId a, NodeId b, Place p) {
  switch (op) {
    case NodeOp::union_:
      return fold_union(a, b, p);
    case NodeOp::inter:
      return fold_inter(a, b, p);
    case NodeOp::diff:
      return fold_diff(a, b, p);
    case NodeOp::seq:
      return fold_seq(a, b, p);
    case NodeOp::product:
      if (is_empty(a) || is_empty(b)) return empty(Type::rel, p);
      return add(op, Type::rel, a, b, 0, p);
    default:
      break;
  }
  FENCEPOST_INVARIANT(false, "a cat operator with two operands is one of | & \\ ; *");
  return a;
}

NodeId Dag::fold_union(NodeId a, NodeId b, Place p) {
  if (a == b || is_empty(b) || is_full(a)) return a;
  if (is_empty(a) || is_full(b)) return b;
  const auto is_tag = [&](NodeId n, vocab::Tag t) {
    return is(n, NodeOp::base_set) && entries_[n].payload == static_cast<uint32_t>(t);
  };
  if ((is_tag(a, vocab::Tag::R) && is_tag(b, vocab::Tag::W)) || (is_tag(a, vocab::Tag::W) && is_tag(b, vocab::Tag::R)))
    return memory(p);
  return add(NodeOp::union_, entries_[a].type, a, b, 0, p);
}

NodeId Dag::fold_inter(NodeId a, NodeId b, Place p) {
  if (a == b || is_empty(a) || is_full(b)) return a;
  if (is_empty(b) || is_full(a)) return b;
  if (is(a, NodeOp::ident) && is(b, NodeOp::ident))
    return unary(NodeOp::ident, binary(NodeOp::inter, entries_[a].a, entries_[b].a, p), p);
  return add(NodeOp::inter, entries_[a].type, a, b, 0, p);
}

NodeId Dag::fold_diff(NodeId a, NodeId b, Place p) {
  if (is_empty(a) || is_empty(b)) return a;
  if (a == b || is_full(b)) return empty(entries_[a].type, p);
  return add(NodeOp::diff, entries_[a].type, a, b, 0, p);
}

NodeId Dag::fold_seq(NodeId a, NodeId b, Place p) {
  if (is_empty(a) || is_id(b)) return a;
  if (is_empty(b) || is_id(a)) return b;
  if (is(a, NodeOp::ident) && is(b, NodeOp::ident))
    return unary(NodeOp::ident, binary(NodeOp::inter, entries_[a].a, entries_[b].a, p), p);
  return add(NodeOp::seq, Type::rel, a, b, 0, p);
}

}  // namespace fencepost::cat

#include "encode/places.h"

#include "vocab/vocab.h"

namespace fencepost::encode {

using cat::NodeId;
using cat::NodeOp;
using vocab::Base;

BetweenPlaces::Known BetweenPlaces::at(NodeId id, uint32_t i, uint32_t j, bool same) const {
  const cat::Node& node = m_.nodes[id];
  switch (node.op) {
    case NodeOp::base_rel:
      return based(id, i, j, same);
    case NodeOp::empty_rel:
      return {false, false};
    case NodeOp::union_:
    case NodeOp::inter:
      return joined(node, i, j, same);
    case NodeOp::diff: {
      const Known kept = at(node.kids[0], i, j, same), away = at(node.kids[1], i, j, same);
      return {kept.may && !away.must, kept.must && !away.may};
    }
    case NodeOp::complement: {
      const Known away = at(node.kids[0], i, j, same);
      return {!away.must, !away.may};
    }
    case NodeOp::inverse:
      return at(node.kids[0], j, i, same);
    case NodeOp::opt:
      return same ? Known{true, true} : at(node.kids[0], i, j, same);
    case NodeOp::product: {
      const Known from = member(node.kids[0], i), to = member(node.kids[1], j);
      return {from.may && to.may, from.must && to.must};
    }
    case NodeOp::ident:
      return same ? member(node.kids[0], i) : Known{false, false};
    case NodeOp::seq:
      return composed(id, i, j, same);
    default:
      return {bounds_.node[id].may.test(i, j), i != j && bounds_.node[id].must.test(i, j)};
  }
}

BetweenPlaces::Known BetweenPlaces::joined(const cat::Node& node, uint32_t i, uint32_t j, bool same) const {
  const bool all = node.op == NodeOp::inter;
  Known out{all, all};
  for (const NodeId k : node.kids) {
    const Known one = at(k, i, j, same);
    out.may = all ? out.may && one.may : out.may || one.may;
    out.must = all ? out.must && one.must : out.must || one.must;
  }
  return out;
}

// Sets at the two ends narrow what stands between them; other compositions are left to the bounds.
BetweenPlaces::Known BetweenPlaces::composed(NodeId id, uint32_t i, uint32_t j, bool same) const {
  const std::vector<NodeId>& kids = m_.nodes[id].kids;
  size_t from = 0, to = kids.size();
  Known out{true, true};
  const auto narrow = [&](NodeId ident, uint32_t event) {
    const Known one = member(m_.nodes[ident].kids[0], event);
    out = {out.may && one.may, out.must && one.must};
  };
  for (; from + 1 < to && m_.nodes[kids[from]].op == NodeOp::ident; ++from) narrow(kids[from], i);
  for (; to > from + 1 && m_.nodes[kids[to - 1]].op == NodeOp::ident; --to) narrow(kids[to - 1], j);
  if (to != from + 1) return {bounds_.node[id].may.test(i, j), i != j && bounds_.node[id].must.test(i, j)};
  const Known between = at(kids[from], i, j, same);
  return {out.may && between.may, out.must && between.must};
}

BetweenPlaces::Known BetweenPlaces::based(NodeId id, uint32_t i, uint32_t j, bool same) const {
  const Base base = m_.nodes[id].base;
  const auto k = static_cast<size_t>(base);
  if (base == Base::id) return {same, same};
  if (base == Base::int_ && same) return {true, base_.may[k].test(i, i)};
  if (i != j) return {base_.may[k].test(i, j), base_.must[k].test(i, j)};
  return {base_.may[k].test(i, i), !same && base_.may[k].test(i, i) && always_(base, i)};
}

}  // namespace fencepost::encode

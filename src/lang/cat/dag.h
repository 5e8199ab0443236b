#pragma once
// Private to the room: the nodes of a model under construction. Equal operations on equal nodes are one node,
// and expressions that are equal for every execution by the laws below are folded:
//   0 and _ as units and zeros, x op x, [s];[t] = [s & t], id; r = r, closures of closures, double inverse
//   and complement, domain([s]) = s, R | W = M.
#include <unordered_map>

#include "cat/syntax.h"

namespace fencepost::cat {

struct Place {
  uint16_t file = 0;
  uint32_t begin = 0;
  uint32_t end = 0;
};

inline constexpr NodeId k_no_node = UINT32_MAX;

class Dag {
 public:
  struct Entry {
    NodeOp op = NodeOp::empty_rel;
    Type type = Type::rel;
    NodeId a = k_no_node;
    NodeId b = k_no_node;
    uint32_t payload = 0;  // tag, base or fixpoint variable
    Place place;
    bool open = false;     // mentions a variable of the group that is being defined
    bool applied = false;  // `name` is that of a function application or an alias: a definition may replace it
    bool alias = false;
    std::string name;
  };

  NodeId base(vocab::Base b, Place p) { return leaf(NodeOp::base_rel, Type::rel, static_cast<uint32_t>(b), p); }
  NodeId tag(vocab::Tag t, Place p) { return leaf(NodeOp::base_set, Type::set, static_cast<uint32_t>(t), p); }
  NodeId everything(Place p) { return leaf(NodeOp::everything, Type::set, 0, p); }
  NodeId memory(Place p) { return leaf(NodeOp::memory, Type::set, 0, p); }
  NodeId empty(Type t, Place p) { return leaf(t == Type::set ? NodeOp::empty_set : NodeOp::empty_rel, t, 0, p); }
  // Never shared: two variables with equal definitions are two variables.
  NodeId variable(uint32_t index, Type t, Place p);
  NodeId unary(NodeOp op, NodeId a, Place p);
  NodeId binary(NodeOp op, NodeId a, NodeId b, Place p);

  const Entry& operator[](NodeId n) const { return entries_[n]; }
  size_t size() const { return entries_.size(); }
  bool is_leaf(NodeId n) const { return entries_[n].a == k_no_node && entries_[n].op != NodeOp::rec_var; }
  // `alias`: a later definition replaces the name and the place.
  void name(NodeId n, std::string name, bool applied, bool alias = false, Place place = {});
  // The nodes made so far no longer count as open.
  void close() { open_from_ = static_cast<NodeId>(entries_.size()); }
  bool open(NodeId n) const { return n >= open_from_ && entries_[n].open; }

 private:
  struct Key {
    uint64_t op_payload;
    uint64_t kids;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    size_t operator()(const Key& k) const {
      uint64_t x = (k.op_payload * 0x9e3779b97f4a7c15ull) ^ k.kids;
      x ^= x >> 32;
      x *= 0xd6e8feb86659fd93ull;
      return x ^ (x >> 32);
    }
  };
  NodeId leaf(NodeOp op, Type t, uint32_t payload, Place p) { return add(op, t, k_no_node, k_no_node, payload, p); }
  NodeId add(NodeOp op, Type t, NodeId a, NodeId b, uint32_t payload, Place p);
  bool is(NodeId n, NodeOp op) const { return entries_[n].op == op; }
  bool is_empty(NodeId n) const { return is(n, NodeOp::empty_set) || is(n, NodeOp::empty_rel); }
  bool is_full(NodeId n) const;
  bool is_id(NodeId n) const;
  NodeId fold_union(NodeId a, NodeId b, Place p);
  NodeId fold_inter(NodeId a, NodeId b, Place p);
  NodeId fold_diff(NodeId a, NodeId b, Place p);
  NodeId fold_seq(NodeId a, NodeId b, Place p);

  std::vector<Entry> entries_;
  std::unordered_map<Key, NodeId, Hash> known_;
  NodeId open_from_ = 0;
};

}  // namespace fencepost::cat

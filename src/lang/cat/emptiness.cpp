#include "cat/emptiness.h"

namespace fencepost::cat {
namespace {

using vocab::Base;
using vocab::Tag;

constexpr uint8_t k_read = 1, k_write = 2, k_fence = 4, k_other = 8, k_any = 15, k_memory = k_read | k_write;
constexpr uint8_t k_self = 1, k_same = 2, k_cross = 4, k_all = 7;  // same event, same thread, other thread

struct Shape {
  uint8_t from = 0, to = 0;  // a set has from == to
  uint8_t link = 0;
  bool exact = false;  // sets: holds every event of these kinds
  bool operator==(const Shape&) const = default;
};
constexpr Shape k_nothing{};

Shape tidy(Shape s) {
  if (s.link == k_self) s.from = s.to = s.from & s.to;
  if (s.from == 0 || s.to == 0 || s.link == 0) return k_nothing;
  return s;
}

Shape of_tag(Tag t) {
  switch (t) {
    case Tag::R:
      return {k_read, k_read, k_self, true};
    case Tag::W:
      return {k_write, k_write, k_self, true};
    case Tag::F:
      return {k_fence, k_fence, k_self, true};
    case Tag::IW:
      return {k_write, k_write, k_self, false};
    case Tag::RMW:
      return {k_memory, k_memory, k_self, false};
    default:
      return {k_any, k_any, k_self, false};
  }
}

Shape of_base(Base b) {
  switch (b) {
    case Base::po:
      return {k_any, k_any, k_same};
    case Base::int_:
      return {k_any, k_any, k_self | k_same};
    case Base::ext:
      return {k_any, k_any, k_cross};
    case Base::id:
      return {k_any, k_any, k_self};
    case Base::loc:
    case Base::vloc:
      return {k_memory, k_memory, k_all};
    case Base::rf:
      return {k_write, k_read, k_same | k_cross};
    case Base::co:
      return {k_write, k_write, k_same | k_cross};
    case Base::amo:
    case Base::lxsx:
      return {k_read, k_write, k_same};
    case Base::addr:
    case Base::data:
    case Base::ctrl:
      return {k_read, k_any, k_same};
    case Base::si:
      return {k_any, k_any, k_self | k_same};
    case Base::await:
      return {k_any, k_any, k_same};
    case Base::sync_fence:
    case Base::fsc:
      return {k_fence, k_fence, k_same | k_cross};
    default:
      return {k_any, k_any, k_all};
  }
}

uint8_t chained(uint8_t a, uint8_t b) {
  uint8_t out = 0;
  if (a & k_self) out |= b;
  if (b & k_self) out |= a;
  if ((a & k_same) && (b & k_same)) out |= k_self | k_same;
  if (((a & k_same) && (b & k_cross)) || ((a & k_cross) && (b & k_same))) out |= k_cross;
  if ((a & k_cross) && (b & k_cross)) out |= k_all;
  return out;
}

Shape joined(Shape a, Shape b) {
  return {static_cast<uint8_t>(a.from | b.from), static_cast<uint8_t>(a.to | b.to),
          static_cast<uint8_t>(a.link | b.link), a.exact && b.exact};
}

Shape without(const Model& m, const Node& n, const std::vector<Shape>& s) {
  Shape a = s[n.kids[0]];
  const Shape b = s[n.kids[1]];
  const Node& right = m.nodes[n.kids[1]];
  if (n.type == Type::set) {
    if (b.exact) a.from = a.to = a.from & ~b.from;
    a.exact = a.exact && b.exact;
  } else if (right.op == NodeOp::base_rel) {
    if (right.base == Base::id) a.link &= ~k_self;
    if (right.base == Base::ext) a.link &= ~k_cross;
    if (right.base == Base::int_) a.link &= ~(k_self | k_same);
  }
  return tidy(a);
}

Shape shape(const Model& m, const Node& n, const std::vector<Shape>& s) {
  const auto kid = [&](size_t i) { return s[n.kids[i]]; };
  const Shape everything{k_any, k_any, k_self, true}, all{k_any, k_any, k_all, false};
  switch (n.op) {
    case NodeOp::base_rel:
      return of_base(n.base);
    case NodeOp::base_set:
      return of_tag(n.tag);
    case NodeOp::everything:
      return everything;
    case NodeOp::memory:
      return {k_memory, k_memory, k_self, true};
    case NodeOp::empty_set:
    case NodeOp::empty_rel:
      return k_nothing;
    case NodeOp::rec_var:
      return s[m.variables[n.rec].definition];
    case NodeOp::union_:
      return joined(kid(0), kid(1));
    case NodeOp::inter: {
      const Shape a = kid(0), b = kid(1);
      return tidy({static_cast<uint8_t>(a.from & b.from), static_cast<uint8_t>(a.to & b.to),
                   static_cast<uint8_t>(a.link & b.link), a.exact && b.exact});
    }
    case NodeOp::diff:
      return without(m, n, s);
    case NodeOp::complement: {
      if (n.type == Type::rel) return all;
      if (!kid(0).exact) return {k_any, k_any, k_self, false};
      const auto rest = static_cast<uint8_t>(k_any & ~kid(0).from);
      return tidy({rest, rest, k_self, true});
    }
    case NodeOp::seq: {
      const Shape a = kid(0), b = kid(1);
      const auto middle = static_cast<uint8_t>(a.to & b.from);
      if (middle == 0) return k_nothing;
      // [s]; r starts and r; [s] ends in the middle.
      return tidy(
          {a.link == k_self ? middle : a.from, b.link == k_self ? middle : b.to, chained(a.link, b.link), false});
    }
    case NodeOp::inverse:
      return {kid(0).to, kid(0).from, kid(0).link, false};
    case NodeOp::plus: {
      Shape a = kid(0);
      // Without a kind that both ends have there is no second step.
      if ((a.from & a.to) != 0) a.link = chained(chained(a.link, a.link) | a.link, a.link) | a.link;
      return tidy(a);
    }
    case NodeOp::star:
    case NodeOp::opt:
      return all;
    case NodeOp::product:
      return tidy({kid(0).from, kid(1).from, k_all, false});
    case NodeOp::ident:
      return tidy({kid(0).from, kid(0).from, k_self, false});
    case NodeOp::domain:
      return tidy({kid(0).from, kid(0).from, k_self, false});
    case NodeOp::range:
      return tidy({kid(0).to, kid(0).to, k_self, false});
  }
  return all;
}

}  // namespace

std::vector<bool> always_empty(const Model& m) {
  std::vector<Shape> s(m.nodes.size());
  // Shapes of fixpoint variables only grow, by at most 12 bits each; the bound is a belt to these braces.
  size_t rounds = 0;
  for (bool changed = true; changed;) {
    if (++rounds > 16 * (m.variables.size() + 2)) return std::vector<bool>(m.nodes.size(), false);
    changed = false;
    for (NodeId i = 0; i < m.nodes.size(); ++i) {
      const Shape next = shape(m, m.nodes[i], s);
      if (next == s[i]) continue;
      s[i] = next;
      changed = true;
    }
  }
  std::vector<bool> out;
  for (const Shape& x : s) out.push_back(x.from == 0);
  return out;
}

}  // namespace fencepost::cat

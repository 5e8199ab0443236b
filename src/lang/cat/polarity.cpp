// Polarity as a least fixpoint: constant < increasing, decreasing < mixed. A fixpoint variable has the
// polarity of its definition, so the pass repeats until nothing changes (at most twice per variable).
#include "cat/model.h"

namespace fencepost::cat {
namespace {

Polarity join(Polarity a, Polarity b) {
  if (a == Polarity::constant) return b;
  if (b == Polarity::constant || a == b) return a;
  return Polarity::mixed;
}

Polarity flip(Polarity p) {
  if (p == Polarity::increasing) return Polarity::decreasing;
  if (p == Polarity::decreasing) return Polarity::increasing;
  return p;
}

}  // namespace

std::vector<Polarity> polarities(const Model& m) {
  std::vector<Polarity> out(m.nodes.size(), Polarity::constant);
  for (bool changed = true; changed;) {
    changed = false;
    for (NodeId i = 0; i < m.nodes.size(); ++i) {
      const Node& n = m.nodes[i];
      Polarity p = Polarity::constant;
      switch (n.op) {
        case NodeOp::base_rel:
          if (vocab::bases()[static_cast<size_t>(n.base)].kind != vocab::BaseKind::fixed) p = Polarity::increasing;
          break;
        case NodeOp::rec_var:
          p = out[m.variables[n.rec].definition];
          break;
        case NodeOp::diff:
          p = join(out[n.kids[0]], flip(out[n.kids[1]]));
          break;
        case NodeOp::complement:
          p = flip(out[n.kids[0]]);
          break;
        default:
          for (NodeId k : n.kids) p = join(p, out[k]);
      }
      if (p == out[i]) continue;
      out[i] = p;
      changed = true;
    }
  }
  return out;
}

}  // namespace fencepost::cat

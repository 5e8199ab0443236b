#include "cat/model.h"

#include <algorithm>

namespace fencepost::cat {

const char* name(NodeOp op) {
  switch (op) {
    case NodeOp::base_rel:
      return "base_rel";
    case NodeOp::base_set:
      return "base_set";
    case NodeOp::everything:
      return "everything";
    case NodeOp::memory:
      return "memory";
    case NodeOp::empty_set:
      return "empty_set";
    case NodeOp::empty_rel:
      return "empty_rel";
    case NodeOp::rec_var:
      return "rec_var";
    case NodeOp::union_:
      return "union";
    case NodeOp::inter:
      return "inter";
    case NodeOp::diff:
      return "diff";
    case NodeOp::complement:
      return "complement";
    case NodeOp::seq:
      return "seq";
    case NodeOp::inverse:
      return "inverse";
    case NodeOp::plus:
      return "plus";
    case NodeOp::star:
      return "star";
    case NodeOp::opt:
      return "opt";
    case NodeOp::product:
      return "product";
    case NodeOp::ident:
      return "ident";
    case NodeOp::domain:
      return "domain";
    case NodeOp::range:
      return "range";
  }
  return "?";
}

const char* name(AxiomKind k) {
  switch (k) {
    case AxiomKind::acyclic:
      return "acyclic";
    case AxiomKind::irreflexive:
      return "irreflexive";
    case AxiomKind::empty:
      return "empty";
  }
  return "?";
}

bool Model::uses(vocab::Base b) const {
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](const Node& n) { return n.op == NodeOp::base_rel && n.base == b; });
}

std::optional<NodeId> Model::find(std::string_view name) const {
  for (const auto& [n, node] : names)
    if (n == name) return node;
  return std::nullopt;
}

}  // namespace fencepost::cat

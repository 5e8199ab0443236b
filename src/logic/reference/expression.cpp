// Model nodes as cat text, with as few brackets as docs/cat.md's precedences allow (product, postfix, ~, &, \, ;, |).
#include <algorithm>

#include "reference/explain.h"

namespace fencepost::reference {
namespace {

using cat::NodeId;
using cat::NodeOp;

struct Writer {
  const cat::Model& model;
  size_t limit;

  static int strength(NodeOp op) {
    switch (op) {
      case NodeOp::union_:
        return 1;
      case NodeOp::seq:
        return 2;
      case NodeOp::diff:
        return 3;
      case NodeOp::inter:
        return 4;
      case NodeOp::complement:
        return 5;
      case NodeOp::inverse:
      case NodeOp::plus:
      case NodeOp::star:
      case NodeOp::opt:
        return 6;
      case NodeOp::product:
        return 7;
      default:
        return 9;
    }
  }

  void write(std::string& out, NodeId id, int around, bool unfold) const {
    const cat::Node& m = model.nodes[id];
    if (out.size() > limit) return;
    if (!unfold && !m.name.empty()) {
      out += m.name;
      return;
    }
    int s = strength(m.op);
    bool brackets = s < around;
    if (brackets) out += '(';
    auto join = [&](const char* sep) {
      for (size_t k = 0; k < m.kids.size(); ++k) {
        if (k) out += sep;
        write(out, m.kids[k], s + (m.op == NodeOp::diff || m.op == NodeOp::product ? (k > 0 ? 1 : 0) : 0), false);
      }
    };
    switch (m.op) {
      case NodeOp::base_rel:
        out += vocab::name(m.base);
        break;
      case NodeOp::base_set:
        out += vocab::name(m.tag);
        break;
      case NodeOp::everything:
        out += '_';
        break;
      case NodeOp::memory:
        out += 'M';
        break;
      case NodeOp::empty_set:
        out += "{}";
        break;
      case NodeOp::empty_rel:
        out += '0';
        break;
      case NodeOp::rec_var:
        out += model.variables[m.rec].name;
        break;
      case NodeOp::union_:
        join(" | ");
        break;
      case NodeOp::inter:
        join(" & ");
        break;
      case NodeOp::diff:
        join(" \\ ");
        break;
      case NodeOp::seq:
        join("; ");
        break;
      case NodeOp::product:
        join(" * ");
        break;
      case NodeOp::complement:
        out += '~';
        write(out, m.kids[0], s, false);
        break;
      case NodeOp::inverse:
        write(out, m.kids[0], s, false);
        out += "^-1";
        break;
      case NodeOp::plus:
        write(out, m.kids[0], s, false);
        out += '+';
        break;
      case NodeOp::star:
        write(out, m.kids[0], s, false);
        out += '*';
        break;
      case NodeOp::opt:
        write(out, m.kids[0], s, false);
        out += '?';
        break;
      case NodeOp::ident:
        out += '[';
        write(out, m.kids[0], 0, false);
        out += ']';
        break;
      case NodeOp::domain:
        out += "domain(";
        write(out, m.kids[0], 0, false);
        out += ')';
        break;
      case NodeOp::range:
        out += "range(";
        write(out, m.kids[0], 0, false);
        out += ')';
        break;
    }
    if (brackets) out += ')';
  }
};

}  // namespace

std::string expression(const cat::Model& model, NodeId node, size_t limit, bool unfold) {
  std::string out;
  Writer{model, limit}.write(out, node, 0, unfold);
  if (out.size() > limit) {
    out.resize(limit);
    out += "...";
  }
  return out;
}

}  // namespace fencepost::reference

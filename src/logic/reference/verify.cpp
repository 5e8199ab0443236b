// Checks an explanation rule by rule against the evaluator's values, with no prices and no search: it shares nothing
// with derivation.cpp but the Reason type. A reason is a finite tree whose leaves are base facts or absences, so
// local checks suffice for recursive nodes as well.
#include <algorithm>

#include "reference/explain.h"

namespace fencepost::reference {
namespace {

using cat::NodeId;
using cat::NodeOp;
using cat::Type;

struct Checker {
  const cat::Model& model;
  const Execution& x;
  const Evaluation& ev;

  bool related(NodeId node, uint32_t from, uint32_t to) const {
    const SetOrRel& v = ev.value[node];
    if (const auto* s = std::get_if<BitSet>(&v)) return from == to && s->test(from);
    return std::get<Relation>(v).test(from, to);
  }

  bool one(const Reason& r, NodeId node, uint32_t from, uint32_t to) const {
    return r.because.size() == 1 && same(r.because[0], node, from, to) && good(r.because[0]);
  }
  static bool same(const Reason& r, NodeId node, uint32_t from, uint32_t to) {
    return !r.absent && r.node == node && r.from == from && r.to == to;
  }
  static bool same_absent(const Reason& r, NodeId node, uint32_t from, uint32_t to) {
    return r.absent && r.because.empty() && r.node == node && r.from == from && r.to == to;
  }

  bool good(const Reason& r) const {
    if (r.node >= model.nodes.size() || r.from >= x.events.size() || r.to >= x.events.size()) return false;
    const cat::Node& m = model.nodes[r.node];
    if (m.type == Type::set && r.from != r.to) return false;
    if (r.absent) return r.because.empty() && !related(r.node, r.from, r.to);
    if (!related(r.node, r.from, r.to)) return false;
    switch (m.op) {
      case NodeOp::base_rel:
        return r.because.empty() && x.rel(m.base).test(r.from, r.to);
      case NodeOp::base_set:
        return r.because.empty() && x.events[r.from].tags.has(m.tag);
      case NodeOp::everything:
        return r.because.empty();
      case NodeOp::memory:
        return r.because.empty() &&
               (x.events[r.from].tags.has(vocab::Tag::R) || x.events[r.from].tags.has(vocab::Tag::W));
      case NodeOp::empty_set:
      case NodeOp::empty_rel:
        return false;
      case NodeOp::rec_var:
        return one(r, model.variables[m.rec].definition, r.from, r.to);
      case NodeOp::union_:
        return r.because.size() == 1 && std::count(m.kids.begin(), m.kids.end(), r.because[0].node) > 0 &&
               one(r, r.because[0].node, r.from, r.to);
      case NodeOp::inter: {
        if (r.because.size() != m.kids.size()) return false;
        for (size_t k = 0; k < m.kids.size(); ++k)
          if (!same(r.because[k], m.kids[k], r.from, r.to) || !good(r.because[k])) return false;
        return true;
      }
      case NodeOp::diff:
        return r.because.size() == 2 && same(r.because[0], m.kids[0], r.from, r.to) && good(r.because[0]) &&
               same_absent(r.because[1], m.kids[1], r.from, r.to) && good(r.because[1]);
      case NodeOp::complement:
        return r.because.size() == 1 && same_absent(r.because[0], m.kids[0], r.from, r.to) && good(r.because[0]);
      case NodeOp::seq: {
        if (r.because.size() != m.kids.size()) return false;
        uint32_t at = r.from;
        for (size_t k = 0; k < m.kids.size(); ++k) {
          if (!same(r.because[k], m.kids[k], at, r.because[k].to) || !good(r.because[k])) return false;
          at = r.because[k].to;
        }
        return at == r.to;
      }
      case NodeOp::inverse:
        return one(r, m.kids[0], r.to, r.from);
      case NodeOp::plus:
      case NodeOp::star: {
        if (r.because.empty()) return m.op == NodeOp::star && r.from == r.to;
        uint32_t at = r.from;
        for (const Reason& k : r.because) {
          if (!same(k, m.kids[0], at, k.to) || !good(k)) return false;
          at = k.to;
        }
        return at == r.to;
      }
      case NodeOp::opt:
        return r.because.empty() ? r.from == r.to : one(r, m.kids[0], r.from, r.to);
      case NodeOp::product:
        return r.because.size() == 2 && same(r.because[0], m.kids[0], r.from, r.from) && good(r.because[0]) &&
               same(r.because[1], m.kids[1], r.to, r.to) && good(r.because[1]);
      case NodeOp::ident:
        return r.from == r.to && one(r, m.kids[0], r.from, r.from);
      case NodeOp::domain:
        return r.because.size() == 1 && one(r, m.kids[0], r.from, r.because[0].to);
      case NodeOp::range:
        return r.because.size() == 1 && one(r, m.kids[0], r.because[0].from, r.from);
    }
    return false;
  }
};

}  // namespace

bool verify(const cat::Model& model, const Execution& x, const Evaluation& ev, const Reason& r) {
  return Checker{model, x, ev}.good(r);
}

bool verify(const cat::Model& model, const Execution& x, const Evaluation& ev, const Explanation& e) {
  if (e.axiom >= model.axioms.size()) return false;
  const cat::Axiom& axiom = model.axioms[e.axiom];
  const std::vector<uint32_t>& claimed = axiom.flag ? ev.raised : ev.violated;
  if (std::count(claimed.begin(), claimed.end(), e.axiom) != 1) return false;
  for (const Reason& r : e.edges)
    if (r.node != axiom.node || r.absent || !verify(model, x, ev, r)) return false;
  bool something = axiom.flag == axiom.negated;
  if (!something) return e.edges.empty() && e.cycle.empty();
  if (axiom.kind == cat::AxiomKind::empty) return e.edges.size() == 1 && e.cycle.empty();
  if (e.edges.empty() || e.edges.size() != e.cycle.size()) return false;
  if (axiom.kind == cat::AxiomKind::irreflexive && e.edges.size() != 1) return false;
  for (size_t k = 0; k < e.edges.size(); ++k)
    if (e.edges[k].from != e.cycle[k] || e.edges[k].to != e.cycle[(k + 1) % e.cycle.size()]) return false;
  return true;
}

}  // namespace fencepost::reference

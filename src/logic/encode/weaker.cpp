#include "encode/weaker.h"

#include <algorithm>

#include "encode/folded.h"
#include "encode/leaving_out.h"
#include "encode/places.h"

namespace fencepost::encode {
namespace {

using cat::Axiom;
using cat::AxiomKind;
using cat::Model;
using cat::Node;
using cat::NodeId;
using cat::NodeOp;
using vocab::Tag;

// The parts of constraints, as nodes at the end of the model.
class Parts {
 public:
  explicit Parts(Model& m) : m_(m) {}

  std::vector<NodeId> of(AxiomKind kind, NodeId id) {
    std::vector<NodeId> out;
    split(kind, id, out);
    return out;
  }

 private:
  NodeId make(NodeOp op, NodeId a, NodeId b) {
    for (NodeId k = 0; k < m_.nodes.size(); ++k)
      if (m_.nodes[k].op == op && m_.nodes[k].kids == std::vector<NodeId>{a, b}) return k;
    Node n;
    n.op = op;
    n.type = m_.nodes[a].type;
    n.kids = {a, b};
    m_.nodes.push_back(std::move(n));
    return static_cast<NodeId>(m_.nodes.size() - 1);
  }

  void split(AxiomKind kind, NodeId id, std::vector<NodeId>& out) {
    const Node node = m_.nodes[id];
    if (node.op == NodeOp::union_) {
      for (NodeId k : node.kids) split(kind, k, out);
    } else if (kind == AxiomKind::irreflexive && node.op == NodeOp::seq && node.kids.size() == 2) {
      for (size_t side = 0; side < 2; ++side) {
        const Node part = m_.nodes[node.kids[side]];
        if (part.op != NodeOp::union_) continue;
        for (NodeId k : part.kids)
          split(kind, side == 0 ? make(NodeOp::seq, k, node.kids[1]) : make(NodeOp::seq, node.kids[0], k), out);
        return;
      }
      out.push_back(id);
    } else if (kind == AxiomKind::empty && node.op == NodeOp::diff) {
      const NodeId from = node.kids[0];
      const Node away = m_.nodes[node.kids[1]];
      if (away.op == NodeOp::diff) {
        split(kind, make(NodeOp::diff, from, away.kids[0]), out);
        split(kind, make(NodeOp::inter, from, away.kids[1]), out);
      } else if (away.op == NodeOp::inter) {
        for (NodeId k : away.kids) split(kind, make(NodeOp::diff, from, k), out);
      } else {
        out.push_back(id);
      }
    } else {
      out.push_back(id);
    }
  }

  Model& m_;
};

// Without the nodes that no axiom needs: what a model uses is asked of all its nodes.
Model compacted(const Model& m) {
  Model out = m;
  out.names.clear();
  out.shown.clear();
  std::vector<bool> needed(m.nodes.size(), false);
  std::vector<NodeId> work;
  for (const Axiom& a : m.axioms) work.push_back(a.node);
  while (!work.empty()) {
    const NodeId id = work.back();
    work.pop_back();
    if (needed[id]) continue;
    needed[id] = true;
    for (NodeId k : m.nodes[id].kids) work.push_back(k);
    if (m.nodes[id].op == NodeOp::rec_var)
      for (uint32_t v : m.groups[m.variables[m.nodes[id].rec].group].variables) {
        work.push_back(m.variables[v].definition);
        work.push_back(m.variables[v].reference);
      }
  }
  // Nodes of recursions that nothing needs stay as empty ones, so that variables keep their numbers.
  for (NodeId id = 0; id < out.nodes.size(); ++id)
    if (!needed[id]) {
      Node& n = out.nodes[id];
      n.op = n.type == cat::Type::set ? NodeOp::empty_set : NodeOp::empty_rel;
      n.kids.clear();
    }
  return out;
}

// Reads of read-modify-writes in loops that always write, in a cell that all its accesses surely are in and that the
// scopes of a failed one do not change.
std::vector<uint32_t> candidates(const prog::Test& test, const Folded& folded) {
  static constexpr Tag k_scopes[] = {Tag::WI,  Tag::SG,  Tag::WG,      Tag::QF,  Tag::DV,
                                     Tag::ALL, Tag::CTA, Tag::CLUSTER, Tag::GPU, Tag::SYS};
  std::vector<uint32_t> out;
  const auto& places = folded.places();
  const auto one_cell = [&](const Cell& cell) {
    return std::all_of(places.begin(), places.end(), [&](const Place& p) {
      if (!p.cells.contains(cell)) return true;
      if (p.cells.size() != 1) return false;
      if (!p.failed_tags) return true;
      return std::all_of(std::begin(k_scopes), std::end(k_scopes),
                         [&](Tag t) { return p.tags.has(t) == p.failed_tags->has(t); });
    });
  };
  for (uint32_t p = 0; p < places.size(); ++p) {
    const Place& place = places[p];
    if (place.thread == k_nobody || !place.read || place.partner == k_nobody || !folded.in_loop(p)) continue;
    const prog::Instr& in = test.instrs(place.thread)[place.instr];
    if (in.guard || in.predicate != prog::k_none || place.symbol == prog::k_none || place.cells.size() != 1) continue;
    if (one_cell(*place.cells.begin())) out.push_back(p);
  }
  return out;
}

// Relations between events that do not tell in which groups threads are.
bool names_no_scope(const Model& m, NodeId id) {
  using vocab::Base;
  static constexpr Base k_free[] = {Base::po, Base::int_, Base::ext,  Base::id,   Base::loc,  Base::vloc, Base::rf,
                                    Base::co, Base::amo,  Base::lxsx, Base::data, Base::addr, Base::ctrl};
  const Node& node = m.nodes[id];
  if (node.op == NodeOp::rec_var) return false;
  if (node.op == NodeOp::base_rel && std::find(std::begin(k_free), std::end(k_free), node.base) == std::end(k_free))
    return false;
  return std::all_of(node.kids.begin(), node.kids.end(), [&](NodeId k) { return names_no_scope(m, k); });
}

struct Whole {
  size_t axiom = 0;  // of the model
  std::vector<size_t> parts;
};

}  // namespace

std::optional<Weaker> weaker_of(const prog::Test& test, const Model& model) {
  if (prog::needs_ptx9(test) != nullptr) return std::nullopt;
  const Folded folded(test);
  if (folded.dropped().empty()) return std::nullopt;
  const std::vector<uint32_t> silent = candidates(test, folded);
  const Reduction plain = reduction_of(test, model);
  if (plain.conditions && plain.races && std::all_of(silent.begin(), silent.end(), [&](uint32_t p) {
        return plain.silent[folded.places()[p].thread][folded.places()[p].instr];
      }))
    return std::nullopt;
  // Every constraint and every part of one, as an axiom.
  Model all = model;
  std::vector<Whole> wholes;
  for (size_t a = 0; a < model.axioms.size(); ++a) {
    const Axiom axiom = model.axioms[a];
    if (axiom.flag || axiom.negated) continue;
    Whole w{a, {}};
    for (NodeId part : Parts(all).of(axiom.kind, axiom.node))
      if (part != axiom.node) {
        w.parts.push_back(all.axioms.size());
        all.axioms.push_back(axiom);
        all.axioms.back().node = part;
      }
    wholes.push_back(std::move(w));
  }
  const bounds::BaseBounds base = folded.bounds(all);
  const bounds::Bounds bounds = bounds::compute(all, base);
  const BetweenPlaces between(all, base, bounds, folded.always());
  const auto attempt = [&](const std::vector<uint32_t>& left_out) -> std::optional<Weaker> {
    LeavingOut effect(test, all, folded, base, bounds, between, left_out);
    if (!left_out.empty() && !effect.has_next(all.axioms)) return std::nullopt;
    effect.follow();
    std::vector<Axiom> alone, kept;
    for (const Axiom& a : all.axioms)
      if (!a.flag && effect.keeps(a)) alone.push_back(a);
    Weaker out;
    out.some_axioms = true;
    out.reduction.conditions = out.reduction.races = true;
    for (const Whole& w : wholes) {
      if (effect.keeps(all.axioms[w.axiom], alone)) {
        kept.push_back(all.axioms[w.axiom]);
        continue;
      }
      for (size_t part : w.parts)
        if (effect.keeps(all.axioms[part], alone)) {
          kept.push_back(all.axioms[part]);
          out.some_axioms = out.some_axioms && names_no_scope(all, all.axioms[part].node);
        }
    }
    for (const Axiom& a : model.axioms) {
      if (!a.flag) continue;
      kept.push_back(a);
      out.reduction.races = out.reduction.races && effect.keeps_flag(a);
    }
    for (uint32_t t = 0; t < test.threads.size(); ++t) out.reduction.silent.emplace_back(test.instrs(t).size(), false);
    for (uint32_t p : left_out) out.reduction.silent[folded.places()[p].thread][folded.places()[p].instr] = true;
    Model m = all;
    m.axioms = std::move(kept);
    out.model = compacted(m);
    return out;
  };
  if (!silent.empty())
    if (auto out = attempt(silent)) return out;
  return plain.conditions ? std::nullopt : attempt({});
}

}  // namespace fencepost::encode

#pragma once
// Random executions (events and base relations without a program) and random models, for the tests of explanations.
#include "base/job.h"
#include "cat/model.h"
#include "reference/execution.h"

namespace fencepost::reference::random_cases {

inline Execution execution(Rng& rng, uint32_t n) {
  Execution x;
  for (uint32_t i = 0; i < n; ++i) {
    Event e;
    e.key = {i % 2, i / 2, 0, 0};
    e.is_memory = true;
    e.tags.add(rng.chance(0.5) ? vocab::Tag::R : vocab::Tag::W);
    for (vocab::Tag t : {vocab::Tag::ACQ, vocab::Tag::REL, vocab::Tag::SC})
      if (rng.chance(0.4)) e.tags.add(t);
    x.events.push_back(e);
  }
  double density = 0.08 + 0.05 * static_cast<double>(rng.below(6));
  for (size_t b = 0; b < vocab::k_bases; ++b) {
    Relation r(n);
    for (uint32_t i = 0; i < n; ++i)
      for (uint32_t j = 0; j < n; ++j)
        if (rng.chance(density)) r.set(i, j);
    x.base.push_back(r);
  }
  x.base[static_cast<size_t>(vocab::Base::id)] = Relation::identity(n);
  x.thread_complete = {true, true};
  return x;
}

// A DAG of `size` random operators over a few bases and tags, perhaps one group of two recursive relations, and three
// axioms of every kind.
inline cat::Model model(Rng& rng, uint32_t size) {
  using cat::NodeId;
  using cat::NodeOp;
  using cat::Type;
  cat::Model m;
  std::vector<NodeId> rels, sets;
  auto add = [&](NodeOp op, Type type, std::vector<NodeId> kids) {
    cat::Node n;
    n.op = op;
    n.type = type;
    n.kids = std::move(kids);
    m.nodes.push_back(n);
    auto id = static_cast<NodeId>(m.nodes.size() - 1);
    (type == Type::rel ? rels : sets).push_back(id);
    return id;
  };
  for (vocab::Base b : {vocab::Base::po, vocab::Base::rf, vocab::Base::co, vocab::Base::loc, vocab::Base::id})
    m.nodes[add(NodeOp::base_rel, Type::rel, {})].base = b;
  for (vocab::Tag t : {vocab::Tag::R, vocab::Tag::W, vocab::Tag::ACQ, vocab::Tag::REL})
    m.nodes[add(NodeOp::base_set, Type::set, {})].tag = t;
  add(NodeOp::everything, Type::set, {});
  add(NodeOp::memory, Type::set, {});
  if (rng.chance(0.5)) {  // r0 = a | r0;r1 | ..., r1 = b | r0;c
    NodeId a = rels[rng.below(4)], b = rels[rng.below(4)], c = rels[rng.below(4)];
    auto reference = [&](uint32_t v) {
      NodeId id = add(NodeOp::rec_var, Type::rel, {});
      m.nodes[id].rec = v;
      m.nodes[id].name = v == 0 ? "reca" : "recb";
      return id;
    };
    NodeId r0 = reference(0), r1 = reference(1);
    NodeId d0 = add(NodeOp::union_, Type::rel, {a, add(NodeOp::seq, Type::rel, {r0, r1})});
    NodeId mixed = rng.chance(0.5) ? add(NodeOp::seq, Type::rel, {r0, c}) : add(NodeOp::inter, Type::rel, {r0, c});
    NodeId d1 = add(NodeOp::union_, Type::rel, {rng.chance(0.5) ? add(NodeOp::inverse, Type::rel, {b}) : b, mixed});
    m.groups.push_back({{0, 1}});
    m.variables.push_back({"reca", Type::rel, d0, r0, 0});
    m.variables.push_back({"recb", Type::rel, d1, r1, 0});
  }
  auto rel = [&] { return rels[rng.below(rels.size())]; };
  auto set = [&] { return sets[rng.below(sets.size())]; };
  for (uint32_t k = 0; k < size; ++k) {
    switch (rng.below(15)) {
      case 0:
      case 1:
        add(NodeOp::union_, Type::rel, {rel(), rel()});
        break;
      case 2:
        add(NodeOp::inter, Type::rel, {rel(), rel()});
        break;
      case 3:
        add(NodeOp::diff, Type::rel, {rel(), rel()});
        break;
      case 4:
      case 5:
        add(NodeOp::seq, Type::rel, {rel(), rel()});
        break;
      case 6:
        add(NodeOp::seq, Type::rel, {rel(), add(NodeOp::seq, Type::rel, {rel(), rel()})});
        break;
      case 7:
        add(NodeOp::inverse, Type::rel, {rel()});
        break;
      case 8:
        add(NodeOp::plus, Type::rel, {rel()});
        break;
      case 9:
        add(rng.chance(0.5) ? NodeOp::star : NodeOp::opt, Type::rel, {rel()});
        break;
      case 10:
        add(NodeOp::product, Type::rel, {set(), set()});
        break;
      case 11:
        add(NodeOp::ident, Type::rel, {set()});
        break;
      case 12:
        add(rng.chance(0.5) ? NodeOp::domain : NodeOp::range, Type::set, {rel()});
        break;
      case 13: {
        NodeOp ops[] = {NodeOp::union_, NodeOp::inter, NodeOp::diff};
        add(ops[rng.below(3)], Type::set, {set(), set()});
        break;
      }
      default:
        rng.chance(0.5) ? add(NodeOp::complement, Type::rel, {rel()}) : add(NodeOp::complement, Type::set, {set()});
    }
    if (rng.chance(0.3)) m.nodes.back().name = "n" + std::to_string(k);
  }
  for (uint32_t k = 0; k < 9; ++k) {
    cat::Axiom a;
    a.kind = static_cast<cat::AxiomKind>(k % 3);
    a.negated = rng.chance(0.25);
    a.flag = rng.chance(0.3);
    a.node = a.kind == cat::AxiomKind::empty && rng.chance(0.3) ? set() : rel();
    a.name = "ax" + std::to_string(k);
    m.axioms.push_back(a);
  }
  return m;
}

}  // namespace fencepost::reference::random_cases

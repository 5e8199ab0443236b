#include "weaker_laws.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "encode/folded.h"
#include "encode/leaving_out.h"
#include "encode/places.h"
#include "left_out.h"
#include "reference/evaluate.h"

namespace fencepost::fuzz {
namespace {

using cat::Axiom;
using cat::AxiomKind;
using cat::Model;
using cat::Node;
using cat::NodeId;
using cat::NodeOp;
using cat::Type;

bool holds(AxiomKind kind, const reference::SetOrRel& v) {
  if (std::holds_alternative<BitSet>(v)) return std::get<BitSet>(v).empty();
  const Relation& r = std::get<Relation>(v);
  return kind == AxiomKind::empty ? r.empty() : kind == AxiomKind::irreflexive ? r.irreflexive() : r.acyclic();
}
bool is_empty(const reference::SetOrRel& v) { return holds(AxiomKind::empty, v); }

// Formulas over those of the model.
void add_formulas(Model& m, uint32_t count, Rng& rng) {
  std::vector<NodeId> relations, sets, leaves;
  for (NodeId id = 0; id < m.nodes.size(); ++id) {
    (m.nodes[id].type == Type::rel ? relations : sets).push_back(id);
    if (m.nodes[id].op == NodeOp::base_rel || !m.nodes[id].name.empty())
      if (m.nodes[id].type == Type::rel) leaves.push_back(id);
  }
  if (relations.empty() || sets.empty() || leaves.empty()) return;
  const auto relation = [&] { return rng.below(2) == 0 ? rng.pick(leaves) : rng.pick(relations); };
  for (uint32_t k = 0; k < count; ++k) {
    Node n;
    n.type = Type::rel;
    switch (rng.below(10)) {
      case 0:
        n.op = NodeOp::union_;
        n.kids = {relation(), relation()};
        break;
      case 1:
        n.op = NodeOp::inter;
        n.kids = {relation(), relation()};
        break;
      case 2:
        n.op = NodeOp::diff;
        n.kids = {relation(), relation()};
        break;
      case 3:
        n.op = rng.below(2) == 0 ? NodeOp::inverse : NodeOp::plus;
        n.kids = {relation()};
        break;
      case 4:
        n.op = NodeOp::ident;
        n.kids = {rng.pick(sets)};
        break;
      case 5:
        n.op = NodeOp::product;
        n.kids = {rng.pick(sets), rng.pick(sets)};
        break;
      case 6:
        n.op = rng.below(2) == 0 ? NodeOp::opt : NodeOp::star;
        n.kids = {relation()};
        break;
      default:
        n.op = NodeOp::seq;
        n.kids = {relation(), relation()};
    }
    m.nodes.push_back(n);
    const NodeId id = static_cast<NodeId>(m.nodes.size() - 1);
    relations.push_back(id);
    leaves.push_back(id);
  }
}

std::string text(const Model& m, NodeId id, int depth = 3) {
  const Node& n = m.nodes[id];
  if (!n.name.empty() && depth < 3) return n.name;
  if (n.op == NodeOp::base_rel) return vocab::name(n.base);
  if (n.op == NodeOp::base_set) return vocab::name(n.tag);
  if (depth == 0) return "..";
  std::string out = std::string(cat::name(n.op)) + "(";
  for (NodeId k : n.kids) out += text(m, k, depth - 1) + " ";
  return out + ")";
}

}  // namespace

Kept hold_kept(const prog::Test& test, const cat::Model& model, const KeptOptions& options, Rng& rng) {
  Kept out;
  const auto plain = encode::reduction_of(test, model);
  auto weaker = encode::weaker_of(test, model);
  out.weaker = weaker.has_value();
  out.silent = weaker && weaker->reduction.any_silent();
  if (weaker && options.alter) options.alter(*weaker);
  const auto& silent = weaker ? weaker->reduction.silent : plain.silent;
  // The formulas, and what is said of them, as weaker_of asks it.
  Model all = model;
  add_formulas(all, options.formulas, rng);
  const size_t own = all.axioms.size();
  for (NodeId id = 0; id < all.nodes.size() && !options.alter; ++id) {
    if (all.nodes[id].type != Type::rel) continue;
    for (const AxiomKind kind : {AxiomKind::acyclic, AxiomKind::irreflexive, AxiomKind::empty}) {
      Axiom a;
      a.kind = kind;
      a.node = id;
      all.axioms.push_back(a);
    }
    Axiom flag;
    flag.kind = AxiomKind::empty;
    flag.negated = flag.flag = true;
    flag.node = id;
    all.axioms.push_back(flag);
  }
  const encode::Folded folded(test);
  const bounds::BaseBounds base = folded.bounds(all);
  const bounds::Bounds bounds = bounds::compute(all, base);
  const encode::BetweenPlaces between(all, base, bounds, folded.always());
  std::vector<uint32_t> places;
  for (uint32_t p = 0; p < folded.places().size(); ++p) {
    const encode::Place& place = folded.places()[p];
    if (weaker && place.thread != encode::k_nobody && place.read && place.partner != encode::k_nobody &&
        silent[place.thread][place.instr])
      places.push_back(p);
  }
  std::vector<size_t> kept, flags;
  if (!folded.dropped().empty() && !options.alter) {
    encode::LeavingOut effect(test, all, folded, base, bounds, between, places);
    const std::vector<Axiom> of_model(all.axioms.begin(), all.axioms.begin() + static_cast<ptrdiff_t>(own));
    if (places.empty() || effect.has_next(of_model)) {
      effect.follow();
      std::vector<Axiom> alone;
      for (const Axiom& a : of_model)
        if (!a.flag && effect.keeps(a)) alone.push_back(a);
      for (size_t a = own; a < all.axioms.size(); ++a) {
        if (all.axioms[a].flag) {
          if (effect.keeps_flag(all.axioms[a])) flags.push_back(a);
        } else if (effect.keeps(all.axioms[a], alone)) {
          kept.push_back(a);
        }
      }
    }
  }
  out.formulas = kept.size() + flags.size();
  const auto same_silent = [&] {
    for (size_t t = 0; t < silent.size(); ++t)
      for (size_t i = 0; i < silent[t].size(); ++i)
        if (silent[t][i] && !plain.silent[t][i]) return false;
    return true;
  }();
  Job job = Job::with_budget(options.seconds);
  const auto wrong = [&](const std::string& what) {
    if (out.wrong.empty()) out.wrong = what;
  };
  for_each_rest(test, model, options.bound, silent, rng, job, [&](const Rest& r) {
    ++out.rests;
    out.silent_rests += r.silent;
    if (!r.wrong.empty()) wrong(r.wrong);
    const auto& x = r.whole.execution;
    const auto& y = r.rest.execution;
    const auto before = reference::evaluate(all, x), after = reference::evaluate(all, y);
    const bool raised = std::any_of(before.raised.begin(), before.raised.end(), [&](uint32_t a) { return a < own; });
    out.flagged += raised;
    const auto held_to = [&](const Model& m, const reference::Execution& e, const std::string& which) {
      const auto found = reference::evaluate(m, e);
      for (uint32_t a : found.violated) {
        if (&m != &model) out.violated.insert(m.axioms[a].name);
        wrong(fmt::format("{} violates {}", which, m.axioms[a].name));
      }
      return found;
    };
    if (weaker) {
      held_to(weaker->model, x, "the whole");
      const auto rest = held_to(weaker->model, y, "the rest");
      if (raised && weaker->reduction.races && rest.raised.empty()) wrong("the rest raises no flag");
    }
    if (plain.conditions && (same_silent || !r.silent)) {
      for (uint32_t a : after.violated)
        if (a < own) wrong(fmt::format("the rest violates {} of the model", all.axioms[a].name));
      if (raised && plain.races &&
          std::none_of(after.raised.begin(), after.raised.end(), [&](uint32_t a) { return a < own; }))
        wrong("the rest raises no flag of the model");
    }
    // What is proven of a model is more than LeavingOut was asked about.
    if (r.silent && places.empty()) return out.rests < options.rests && (out.wrong.empty() || options.alter);
    for (const size_t a : kept) {
      const Axiom& axiom = all.axioms[a];
      if (!holds(axiom.kind, before.value[axiom.node])) continue;
      out.instances += !is_empty(after.value[axiom.node]);
      if (!holds(axiom.kind, after.value[axiom.node]))
        wrong(fmt::format("{} {} is said to be kept", cat::name(axiom.kind), text(all, axiom.node)));
    }
    for (const size_t a : flags) {
      const NodeId id = all.axioms[a].node;
      if (is_empty(before.value[id])) continue;
      ++out.instances;
      if (is_empty(after.value[id])) wrong(fmt::format("a flag on {} is said to be kept", text(all, id)));
    }
    return out.rests < options.rests && (out.wrong.empty() || options.alter);
  });
  return out;
}

Model stronger_than(const Model& model) {
  Model out = model;
  std::erase_if(out.axioms, [](const Axiom& a) { return !a.flag; });
  for (const Axiom& axiom : model.axioms) {
    if (axiom.flag || axiom.negated) continue;
    std::set<std::pair<NodeId, bool>> seen;
    std::vector<std::pair<NodeId, bool>> work{{axiom.node, true}};  // whether more pairs make the axiom stronger
    // The formula with one node replaced, at the end of the model. Recursions are left alone.
    const auto by = [&](NodeId old, NodeId kid) {
      std::map<NodeId, NodeId> copy{{old, kid}};
      const auto copied = [&](auto&& self, NodeId id) -> NodeId {
        if (const auto it = copy.find(id); it != copy.end()) return it->second;
        Node n = out.nodes[id];
        bool changed = false;
        for (NodeId& k : n.kids) {
          const NodeId c = self(self, k);
          changed = changed || c != k;
          k = c;
        }
        if (!changed) return copy[id] = id;
        out.nodes.push_back(n);
        return copy[id] = static_cast<NodeId>(out.nodes.size() - 1);
      };
      Axiom a = axiom;
      a.node = copied(copied, axiom.node);
      if (a.node == axiom.node) return;
      a.name += fmt::format(": {} -> {}", text(model, old, 2), text(model, kid, 2));
      out.axioms.push_back(a);
    };
    while (!work.empty()) {
      const auto [id, more] = work.back();
      work.pop_back();
      if (!seen.insert({id, more}).second) continue;
      const Node& n = model.nodes[id];
      if (n.op == NodeOp::diff && more) by(id, n.kids[0]);
      if (n.op == (more ? NodeOp::inter : NodeOp::union_))
        for (NodeId k : n.kids) by(id, k);
      if (n.op == NodeOp::seq && more && n.kids.size() == 2)
        for (size_t k = 0; k < 2; ++k)
          if (model.nodes[n.kids[k]].op == NodeOp::ident) by(id, n.kids[1 - k]);
      if ((n.op == NodeOp::plus || n.op == NodeOp::star || n.op == NodeOp::opt) && !more) by(id, n.kids[0]);
      for (size_t k = 0; k < n.kids.size(); ++k)
        work.push_back({n.kids[k], (n.op == NodeOp::diff && k == 1) || n.op == NodeOp::complement ? !more : more});
    }
  }
  return out;
}

}  // namespace fencepost::fuzz

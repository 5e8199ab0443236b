// The concrete evaluator: every node once, fixpoints by iteration from the empty relation. Deliberately
// plain; interval.cpp is the fast one, and tests hold the two against each other.
#include "reference/evaluate.h"

#include <algorithm>

#include "base/diagnostic.h"
#include "prog/test.h"

namespace fencepost::reference {
namespace {

using cat::NodeId;
using cat::NodeOp;
using cat::Type;

class ConcreteEvaluator {
 public:
  ConcreteEvaluator(const cat::Model& model, const Execution& x)
      : model_(model),
        x_(x),
        n_(static_cast<uint32_t>(x.events.size())),
        value_(model.nodes.size()),
        known_(model.nodes.size(), false),
        current_(model.variables.size()),
        iterating_(model.groups.size(), false) {}

  std::vector<SetOrRel> all() {
    for (NodeId i = 0; i < model_.nodes.size(); ++i) get(i);
    return std::move(value_);
  }

 private:
  const SetOrRel& get(NodeId i) {
    if (known_[i]) return value_[i];
    value_[i] = compute(model_.nodes[i]);
    known_[i] = true;
    return value_[i];
  }
  const BitSet& set(NodeId i) { return std::get<BitSet>(get(i)); }
  const Relation& rel(NodeId i) { return std::get<Relation>(get(i)); }

  SetOrRel empty(Type t) const { return t == Type::set ? SetOrRel(BitSet(n_)) : SetOrRel(Relation(n_)); }

  SetOrRel compute(const cat::Node& node) {
    const bool is_set = node.type == Type::set;
    const auto kid = [&](size_t k) { return node.kids.at(k); };
    switch (node.op) {
      case NodeOp::base_rel:
        return x_.rel(node.base);
      case NodeOp::base_set:
        return tag_set(x_.events, node.tag);
      case NodeOp::everything:
        return BitSet(n_, true);
      case NodeOp::memory:
        return tag_set(x_.events, vocab::Tag::R) | tag_set(x_.events, vocab::Tag::W);
      case NodeOp::empty_set:
        return BitSet(n_);
      case NodeOp::empty_rel:
        return Relation(n_);
      case NodeOp::rec_var:
        return variable(node.rec);
      case NodeOp::union_:
        return is_set ? SetOrRel(set(kid(0)) | set(kid(1))) : SetOrRel(rel(kid(0)) | rel(kid(1)));
      case NodeOp::inter:
        return is_set ? SetOrRel(set(kid(0)) & set(kid(1))) : SetOrRel(rel(kid(0)) & rel(kid(1)));
      case NodeOp::diff:
        return is_set ? SetOrRel(set(kid(0)) - set(kid(1))) : SetOrRel(rel(kid(0)) - rel(kid(1)));
      case NodeOp::complement:
        return is_set ? SetOrRel(set(kid(0)).complement()) : SetOrRel(Relation(n_, true) - rel(kid(0)));
      case NodeOp::seq:
        return rel(kid(0)).compose(rel(kid(1)));
      case NodeOp::inverse:
        return rel(kid(0)).inverse();
      case NodeOp::plus:
        return rel(kid(0)).closure();
      case NodeOp::star:
        return rel(kid(0)).closure() | Relation::identity(n_);
      case NodeOp::opt:
        return rel(kid(0)) | Relation::identity(n_);
      case NodeOp::product:
        return Relation::product(set(kid(0)), set(kid(1)));
      case NodeOp::ident:
        return Relation::identity(set(kid(0)));
      case NodeOp::domain:
        return rel(kid(0)).domain();
      case NodeOp::range:
        return rel(kid(0)).range();
    }
    return Relation(n_);
  }

  // The value of a recursive variable: while its group is being iterated the value so far.
  SetOrRel variable(uint32_t v) {
    const uint32_t g = model_.variables[v].group;
    if (iterating_[g]) return current_[v];
    const auto& members = model_.groups[g].variables;
    for (uint32_t m : members) current_[m] = empty(model_.variables[m].type);
    iterating_[g] = true;
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t m : members) {
        forget_dependents(g);
        SetOrRel next = get(model_.variables[m].definition);
        if (next != current_[m]) {
          current_[m] = std::move(next);
          changed = true;
        }
      }
    }
    iterating_[g] = false;
    forget_dependents(g);
    for (uint32_t m : members) {
      value_[model_.variables[m].reference] = current_[m];
      known_[model_.variables[m].reference] = true;
    }
    return current_[v];
  }

  // Drops every node that hangs on a variable of the group.
  void forget_dependents(uint32_t g) {
    for (NodeId i : dependents(g)) known_[i] = false;
  }

  const std::vector<NodeId>& dependents(uint32_t g) {
    if (dependents_.empty()) dependents_.resize(model_.groups.size());
    if (dependents_[g].empty()) {
      std::vector<bool> hangs(model_.nodes.size(), false);
      const auto hangs_now = [&](NodeId i) {
        const cat::Node& node = model_.nodes[i];
        if (node.op == NodeOp::rec_var) {
          const uint32_t own = model_.variables[node.rec].group;
          if (own == g) return true;
          const auto& members = model_.groups[own].variables;
          return std::any_of(members.begin(), members.end(),
                             [&](uint32_t m) { return hangs[model_.variables[m].definition]; });
        }
        return std::any_of(node.kids.begin(), node.kids.end(), [&](NodeId k) { return hangs[k]; });
      };
      for (bool changed = true; changed;) {
        changed = false;
        for (NodeId i = 0; i < model_.nodes.size(); ++i)
          if (!hangs[i] && hangs_now(i)) hangs[i] = changed = true;
      }
      for (NodeId i = 0; i < model_.nodes.size(); ++i)
        if (hangs[i]) dependents_[g].push_back(i);
    }
    return dependents_[g];
  }

  const cat::Model& model_;
  const Execution& x_;
  uint32_t n_;
  std::vector<SetOrRel> value_;
  std::vector<bool> known_;
  std::vector<SetOrRel> current_;  // per variable
  std::vector<bool> iterating_;    // per group
  std::vector<std::vector<NodeId>> dependents_;
};

bool predicate(const cat::Axiom& a, const SetOrRel& v) {
  bool is = false;
  switch (a.kind) {
    case cat::AxiomKind::acyclic:
      is = std::get<Relation>(v).acyclic();
      break;
    case cat::AxiomKind::irreflexive:
      is = std::get<Relation>(v).irreflexive();
      break;
    case cat::AxiomKind::empty:
      is = std::visit([](const auto& s) { return s.empty(); }, v);
      break;
  }
  return is != a.negated;
}

}  // namespace

BitSet tag_set(const std::vector<Event>& events, vocab::Tag t) {
  BitSet out(static_cast<uint32_t>(events.size()));
  for (uint32_t i = 0; i < events.size(); ++i)
    if (events[i].tags.has(t)) out.set(i);
  return out;
}

Evaluation evaluate(const cat::Model& model, const Execution& x) {
  Evaluation ev;
  ev.value = ConcreteEvaluator(model, x).all();
  for (uint32_t i = 0; i < model.axioms.size(); ++i) {
    const cat::Axiom& a = model.axioms[i];
    const bool is_true = predicate(a, ev.value[a.node]);
    if (a.flag && is_true) ev.raised.push_back(i);
    if (!a.flag && !is_true) ev.violated.push_back(i);
  }
  return ev;
}

bool satisfies_filter(const prog::Test& test, const Execution& x) { return prog::holds(test, test.filter, x.final); }

bool satisfies_condition(const prog::Test& test, const Execution& x) {
  return x.complete() && prog::holds(test, test.condition, x.final);
}

}  // namespace fencepost::reference

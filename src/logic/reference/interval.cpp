#include "reference/interval.h"

#include <algorithm>
#include <functional>

#include "base/diagnostic.h"

namespace fencepost::reference {
namespace {

using cat::NodeId;
using cat::NodeOp;
using cat::Type;
static_assert(vocab::k_bases <= 32);

const BitSet& as_set(const SetOrRel& v) { return std::get<BitSet>(v); }
const Relation& as_rel(const SetOrRel& v) { return std::get<Relation>(v); }

bool is_predicate(cat::AxiomKind kind, const SetOrRel& v) {
  switch (kind) {
    case cat::AxiomKind::acyclic:
      return as_rel(v).acyclic();
    case cat::AxiomKind::irreflexive:
      return as_rel(v).irreflexive();
    case cat::AxiomKind::empty:
      return std::visit([](const auto& s) { return s.empty(); }, v);
  }
  return false;
}

}  // namespace

IntervalEvaluator::IntervalEvaluator(const cat::Model& model)
    : model_(model), value_(model.nodes.size()), below_(model.nodes.size(), 0), inside_(model.groups.size()) {
  // Base relations below every node, through the definitions of recursive variables.
  for (bool changed = true; changed;) {
    changed = false;
    for (NodeId i = 0; i < model.nodes.size(); ++i) {
      const cat::Node& node = model.nodes[i];
      uint32_t mask = below_[i];
      if (node.op == NodeOp::base_rel) mask |= 1u << static_cast<uint32_t>(node.base);
      if (node.op == NodeOp::rec_var)
        for (uint32_t m : model.groups[model.variables[node.rec].group].variables)
          mask |= below_[model.variables[m].definition];
      for (NodeId k : node.kids) mask |= below_[k];
      changed = changed || mask != below_[i];
      below_[i] = mask;
    }
  }
  // Nodes to iterate with each group, kids first.
  for (uint32_t g = 0; g < model.groups.size(); ++g) {
    std::vector<char> state(model.nodes.size(), 0);  // 0 unseen, 1 independent of the group, 2 inside
    const std::function<bool(NodeId)> visit = [&](NodeId i) {
      if (state[i] != 0) return state[i] == 2;
      state[i] = 1;
      const cat::Node& node = model.nodes[i];
      if (node.op == NodeOp::rec_var) {
        if (model.variables[node.rec].group == g) state[i] = 2;
        return state[i] == 2;  // solved before, or iterated by its own group
      }
      bool in = false;
      for (NodeId k : node.kids) in = visit(k) || in;
      if (in) {
        state[i] = 2;
        inside_[g].push_back(i);
      }
      return in;
    };
    for (uint32_t m : model.groups[g].variables) visit(model.variables[m].definition);
  }
  for (uint32_t a = 0; a < model.axioms.size(); ++a)
    if (!model.axioms[a].flag) order_.push_back(a);
}

void IntervalEvaluator::start(const std::vector<Event>& events, std::vector<Relation> base) {
  n_ = static_cast<uint32_t>(events.size());
  events_ = &events;
  lower_ = base;
  upper_ = std::move(base);
  started_ = ++clock_;
  changed_.assign(vocab::k_bases, clock_);
}

void IntervalEvaluator::set(vocab::Base b, Relation lo, Relation hi) {
  const auto i = static_cast<size_t>(b);
  if (lower_[i] == lo && upper_[i] == hi) return;
  lower_[i] = std::move(lo);
  upper_[i] = std::move(hi);
  changed_[i] = ++clock_;
}

bool IntervalEvaluator::fresh(NodeId i) const {
  const uint64_t stamp = value_[i].stamp;
  if (stamp < started_) return false;
  for (uint32_t m = below_[i]; m != 0; m &= m - 1)
    if (changed_[static_cast<uint32_t>(std::countr_zero(m))] > stamp) return false;
  return true;
}

void IntervalEvaluator::need(NodeId i) {
  if (fresh(i)) return;
  const cat::Node& node = model_.nodes[i];
  if (node.op == NodeOp::rec_var) {
    solve_group(model_.variables[node.rec].group);
    return;
  }
  for (NodeId k : node.kids) need(k);
  compute(i);
}

void IntervalEvaluator::solve_group(uint32_t g) {
  const auto& members = model_.groups[g].variables;
  for (uint32_t m : members) {
    Value& v = value_[model_.variables[m].reference];
    v.lo = model_.variables[m].type == Type::set ? SetOrRel(BitSet(n_)) : SetOrRel(Relation(n_));
    v.same = true;
    v.stamp = clock_;
  }
  // What lies outside the group is computed once.
  std::vector<bool> inside(model_.nodes.size(), false);
  for (NodeId i : inside_[g]) inside[i] = true;
  for (NodeId i : inside_[g])
    for (NodeId k : model_.nodes[i].kids)
      if (!inside[k]) need(k);
  for (uint32_t m : members)
    if (const NodeId d = model_.variables[m].definition; !inside[d]) need(d);
  for (bool changed = true; changed;) {
    changed = false;
    for (NodeId i : inside_[g]) compute(i);
    for (uint32_t m : members) {
      Value& v = value_[model_.variables[m].reference];
      const Value& d = value_[model_.variables[m].definition];
      if (v.lo == d.lo && v.same == d.same && (v.same || v.hi == d.hi)) continue;
      v.lo = d.lo;
      v.same = d.same;
      if (!v.same) v.hi = d.hi;
      changed = true;
    }
  }
}

void IntervalEvaluator::compute(NodeId i) {
  const cat::Node& node = model_.nodes[i];
  Value& v = value_[i];
  v.stamp = clock_;
  ++evaluations_;
  const bool is_set = node.type == Type::set;
  const auto one = [&](const SetOrRel& a, const SetOrRel* b) -> SetOrRel {
    switch (node.op) {
      case NodeOp::union_:
        return is_set ? SetOrRel(as_set(a) | as_set(*b)) : SetOrRel(as_rel(a) | as_rel(*b));
      case NodeOp::inter:
        return is_set ? SetOrRel(as_set(a) & as_set(*b)) : SetOrRel(as_rel(a) & as_rel(*b));
      case NodeOp::diff:
        return is_set ? SetOrRel(as_set(a) - as_set(*b)) : SetOrRel(as_rel(a) - as_rel(*b));
      case NodeOp::complement:
        return is_set ? SetOrRel(as_set(a).complement()) : SetOrRel(Relation(n_, true) - as_rel(a));
      case NodeOp::seq:
        return as_rel(a).compose(as_rel(*b));
      case NodeOp::inverse:
        return as_rel(a).inverse();
      case NodeOp::plus:
        return as_rel(a).closure();
      case NodeOp::star:
        return as_rel(a).closure() | Relation::identity(n_);
      case NodeOp::opt:
        return as_rel(a) | Relation::identity(n_);
      case NodeOp::product:
        return Relation::product(as_set(a), as_set(*b));
      case NodeOp::ident:
        return Relation::identity(as_set(a));
      case NodeOp::domain:
        return as_rel(a).domain();
      case NodeOp::range:
        return as_rel(a).range();
      default:
        break;
    }
    FENCEPOST_INVARIANT(false, "a leaf of a model was computed as an operator");
    return BitSet(n_);
  };
  switch (node.op) {
    case NodeOp::base_rel: {
      const auto b = static_cast<size_t>(node.base);
      v.same = lower_[b] == upper_[b];
      v.lo = lower_[b];
      if (!v.same) v.hi = upper_[b];
      return;
    }
    case NodeOp::base_set:
      v.lo = tag_set(*events_, node.tag);
      v.same = true;
      return;
    case NodeOp::everything:
      v.lo = BitSet(n_, true);
      v.same = true;
      return;
    case NodeOp::memory:
      v.lo = tag_set(*events_, vocab::Tag::R) | tag_set(*events_, vocab::Tag::W);
      v.same = true;
      return;
    case NodeOp::empty_set:
      v.lo = BitSet(n_);
      v.same = true;
      return;
    case NodeOp::empty_rel:
      v.lo = Relation(n_);
      v.same = true;
      return;
    default:
      break;
  }
  const Value& a = value_[node.kids[0]];
  const Value* b = node.kids.size() > 1 ? &value_[node.kids[1]] : nullptr;
  const SetOrRel& a_hi = a.same ? a.lo : a.hi;
  const SetOrRel* b_lo = b == nullptr ? nullptr : &b->lo;
  const SetOrRel* b_hi = b == nullptr ? nullptr : (b->same ? &b->lo : &b->hi);
  const bool same = a.same && (b == nullptr || b->same);
  if (node.op == NodeOp::diff) {
    v.lo = one(a.lo, b_hi);
    if (!same) v.hi = one(a_hi, b_lo);
  } else if (node.op == NodeOp::complement) {
    v.lo = one(a_hi, nullptr);
    if (!same) v.hi = one(a.lo, nullptr);
  } else if (const cat::Node& kid = model_.nodes[node.kids[0]];
             node.op == NodeOp::plus && kid.op == NodeOp::base_rel &&
             ((transitive_ >> static_cast<uint32_t>(kid.base)) & 1)) {
    v.lo = one(a.lo, nullptr);
    if (!same) v.hi = a_hi;
  } else {
    v.lo = one(a.lo, b_lo);
    if (!same) v.hi = one(a_hi, b_hi);
  }
  v.same = same || v.lo == v.hi;
}

bool IntervalEvaluator::may_be(const cat::Axiom& a, bool outcome) {
  need(a.node);
  const Value& v = value_[a.node];
  // Acyclic, irreflexive and empty are easiest for the lower bound, their opposites for the upper one.
  const bool positive = outcome != a.negated;
  return positive ? is_predicate(a.kind, v.lo) : !is_predicate(a.kind, v.same ? v.lo : v.hi);
}

std::optional<uint32_t> IntervalEvaluator::violated() {
  for (size_t k = 0; k < order_.size(); ++k) {
    const uint32_t a = order_[k];
    if (may_be(model_.axioms[a], true)) continue;
    std::rotate(order_.begin(), order_.begin() + static_cast<long>(k), order_.begin() + static_cast<long>(k) + 1);
    return a;
  }
  return std::nullopt;
}

bool IntervalEvaluator::may_flag() {
  return std::any_of(model_.axioms.begin(), model_.axioms.end(),
                     [&](const cat::Axiom& a) { return a.flag && may_be(a, true); });
}

std::vector<uint32_t> IntervalEvaluator::raised() {
  std::vector<uint32_t> out;
  for (uint32_t a = 0; a < model_.axioms.size(); ++a)
    if (model_.axioms[a].flag && may_be(model_.axioms[a], true)) out.push_back(a);
  return out;
}

}  // namespace fencepost::reference

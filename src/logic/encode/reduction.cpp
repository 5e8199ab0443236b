#include "encode/reduction.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "bounds/bounds.h"
#include "encode/folded.h"
#include "encode/places.h"
#include "encode/skeleton.h"

namespace fencepost::encode {
namespace {

using cat::Node;
using cat::NodeId;
using cat::NodeOp;
using prog::Instr;
using prog::k_none;
using prog::Kind;
using vocab::Base;
using vocab::Tag;

// What leaving out D does to each node, seen from the events that stay.
class Monotone {
 public:
  Monotone(const cat::Model& m, const bounds::Bounds& bounds, const BitSet& dropped, const BetweenPlaces& between)
      : m_(m),
        bounds_(bounds),
        dropped_(dropped),
        between_(between),
        grows_(m.nodes.size(), false),
        shrinks_(m.nodes.size(), false) {
    for (bool changed = true; changed;) {
      changed = false;
      for (NodeId id = 0; id < m.nodes.size(); ++id) {
        if (!bounds.needed[id]) continue;
        const auto [g, s] = effect(id);
        if (g != grows_[id] || s != shrinks_[id]) {
          grows_[id] = grows_[id] || g;
          shrinks_[id] = shrinks_[id] || s;
          changed = true;
        }
      }
    }
  }

  // An execution that the axioms allow stays allowed.
  bool keeps_consistency() const {
    return std::all_of(m_.axioms.begin(), m_.axioms.end(),
                       [&](const cat::Axiom& a) { return a.flag || keeps(a, !a.negated); });
  }
  // And a raised flag stays raised.
  bool keeps_flags() const {
    return std::all_of(m_.axioms.begin(), m_.axioms.end(),
                       [&](const cat::Axiom& a) { return !a.flag || keeps(a, !a.negated); });
  }

  // No flag is raised by an event of D.
  bool flags_lie_elsewhere() const {
    return std::all_of(m_.axioms.begin(), m_.axioms.end(), [&](const cat::Axiom& a) {
      const bounds::NodeBounds& b = bounds_.node[a.node];
      if (!a.flag) return true;
      if (!a.negated) return false;
      if (m_.nodes[a.node].type == cat::Type::set) return !meets(b.may_set);
      const Relation pairs = pairs_of(a.node);
      return !meets(pairs.domain()) && !meets(pairs.range());
    });
  }

 private:
  bool of_two_threads(NodeId id) const {
    const Node& node = m_.nodes[id];
    if (node.op == NodeOp::base_rel) return node.base == Base::ext;
    if (node.op == NodeOp::inter)
      return std::any_of(node.kids.begin(), node.kids.end(), [&](NodeId k) { return of_two_threads(k); });
    if (node.op != NodeOp::diff) return false;
    const Node& away = m_.nodes[node.kids[1]];
    return of_two_threads(node.kids[0]) || (away.op == NodeOp::base_rel && away.base == Base::int_);
  }
  // `small`: the predicate says that there is little; else that there is something, and then it must not lie in D.
  bool keeps(const cat::Axiom& a, bool small) const {
    if (small) return !grows_[a.node];
    const bounds::NodeBounds& b = bounds_.node[a.node];
    if (m_.nodes[a.node].type == cat::Type::set) return !shrinks_[a.node] && !meets(b.may_set);
    if (shrinks_[a.node]) return false;
    const Relation pairs = pairs_of(a.node);
    return !meets(pairs.domain()) && !meets(pairs.range());
  }
  // The pairs that may be; a place stands for all iterations of one thread.
  Relation pairs_of(NodeId id) const {
    Relation pairs = bounds_.node[id].may;
    const bool threads = of_two_threads(id);
    for (uint32_t i = 0; i < pairs.universe(); ++i)
      for (uint32_t j = 0; j < pairs.universe(); ++j)
        if (pairs.test(i, j) && ((threads && i == j) || !between_.may(id, i, j))) pairs.reset(i, j);
    return pairs;
  }
  bool meets(const BitSet& s) const { return !(s & dropped_).empty(); }

  std::pair<bool, bool> effect(NodeId id) const {
    const Node& node = m_.nodes[id];
    bool g = false;
    bool s = false;
    const auto kid = [&](size_t k) { return node.kids[k]; };
    switch (node.op) {
      case NodeOp::diff:
        return {grows_[kid(0)] || shrinks_[kid(1)], shrinks_[kid(0)] || grows_[kid(1)]};
      case NodeOp::complement:
        return {shrinks_[kid(0)], grows_[kid(0)]};
      case NodeOp::rec_var: {
        const NodeId d = m_.variables[node.rec].definition;
        return {grows_[d], shrinks_[d]};
      }
      default:
        break;
    }
    for (NodeId k : node.kids) {
      g = g || grows_[k];
      s = s || shrinks_[k];
    }
    if (node.op == NodeOp::seq)
      for (size_t k = 0; k + 1 < node.kids.size(); ++k)
        s = s || meets(bounds_.node[kid(k)].may.range() & bounds_.node[kid(k + 1)].may.domain());
    if (node.op == NodeOp::plus || node.op == NodeOp::star)
      s = s || meets(bounds_.node[kid(0)].may.range() & bounds_.node[kid(0)].may.domain());
    if (node.op == NodeOp::domain) s = s || meets(bounds_.node[kid(0)].may.range());
    if (node.op == NodeOp::range) s = s || meets(bounds_.node[kid(0)].may.domain());
    return {g, s};
  }

  const cat::Model& m_;
  const bounds::Bounds& bounds_;
  const BitSet& dropped_;
  const BetweenPlaces& between_;
  std::vector<bool> grows_, shrinks_;
};

// What fusing two repeated read-modify-writes (repeats.h) does to each node: D goes, and amo, data and ctrl gain the
// pair of the first one's read and the second one's write. Here R1, W1, R2, W2 are these four events, R2 reads W1; `r`,
// `w` are their places.
class Fusing {
 public:
  Fusing(const cat::Model& m, const bounds::BaseBounds& base, const bounds::Bounds& bounds, const BitSet& dropped,
         const BetweenPlaces& between, uint32_t r, uint32_t w)
      : m_(m),
        base_(base),
        bounds_(bounds),
        left_out_(m, bounds, dropped, between),
        r_(r),
        w_(w),
        gain_(m.nodes.size(), Gain::none) {
    for (bool changed = true; changed;) {
      changed = false;
      for (NodeId id = 0; id < m.nodes.size(); ++id) {
        if (!bounds.needed[id]) continue;
        const Gain g = std::max(gain(id), gain_[id]);
        changed = changed || g != gain_[id];
        gain_[id] = g;
      }
    }
  }

  bool keeps_consistency() const {
    return left_out_.keeps_consistency() && std::all_of(m_.axioms.begin(), m_.axioms.end(), [&](const cat::Axiom& a) {
             return a.flag || gain_[a.node] == Gain::none ||
                    (!a.negated && a.kind == cat::AxiomKind::acyclic && covered(a.node));
           });
  }
  bool keeps_flags() const {
    return left_out_.keeps_flags() && std::all_of(m_.axioms.begin(), m_.axioms.end(), [&](const cat::Axiom& a) {
             return !a.flag || !a.negated || gain_[a.node] == Gain::none;  // a flag on what there is may gain
           });
  }

 private:
  // pair: (R1, W2) at most. round: (R1, b) at most, with (R1, R2) and (R2, b) there before.
  enum class Gain : uint8_t { none, pair, round, any };

  Gain gain(NodeId id) const {
    const Node& node = m_.nodes[id];
    const auto kid = [&](size_t k) { return gain_[node.kids[k]]; };
    Gain most = Gain::none;
    for (NodeId k : node.kids) most = std::max(most, gain_[k]);
    switch (node.op) {
      case NodeOp::base_rel:
        return node.base == Base::amo || node.base == Base::data || node.base == Base::ctrl ? Gain::pair : Gain::none;
      case NodeOp::rec_var:
        return gain_[m_.variables[node.rec].definition];
      case NodeOp::union_:
        return most;
      case NodeOp::inter:
        return most == Gain::pair && impossible(id) ? Gain::none
               : most == Gain::none                 ? most
               : most == Gain::pair                 ? most
                                                    : Gain::any;
      // That a taken-away side loses nothing is part of what left_out_ says.
      case NodeOp::diff:
        if (kid(1) != Gain::none) return Gain::any;
        return kid(0) == Gain::none                               ? Gain::none
               : kid(0) == Gain::pair && impossible(node.kids[0]) ? Gain::none
               : kid(0) == Gain::pair                             ? Gain::pair
                                                                  : Gain::any;
      case NodeOp::seq:
        if (node.kids.size() == 2 && only_amo(node.kids[0]) && kid(1) == Gain::none && surely(node.kids[1], w_, r_))
          return Gain::round;
        return most == Gain::none ? most : Gain::any;
      case NodeOp::plus:
      case NodeOp::star:
        return most == Gain::round || (most == Gain::pair && covered(node.kids[0])) ? Gain::none
               : most == Gain::none                                                 ? most
                                                                                    : Gain::any;
      default:
        return most == Gain::none ? most : Gain::any;
    }
  }

  // rf in union with what gains the pair: instead of (R1, W2) it has the way R1, W1, R2, W2.
  bool covered(NodeId id) const {
    bool reads = false;
    return m_.nodes[id].op == NodeOp::union_ && only_bases_gain(id, reads) && reads;
  }
  bool only_bases_gain(NodeId id, bool& reads) const {
    const Node& node = m_.nodes[id];
    if (node.op == NodeOp::union_)
      return std::all_of(node.kids.begin(), node.kids.end(), [&](NodeId k) { return only_bases_gain(k, reads); });
    reads = reads || (node.op == NodeOp::base_rel && node.base == Base::rf);
    return node.op == NodeOp::base_rel || gain_[id] == Gain::none;
  }

  bool only_amo(NodeId id) const {
    const Node& node = m_.nodes[id];
    if (node.op == NodeOp::base_rel) return node.base == Base::amo || node.base == Base::lxsx;
    return node.op == NodeOp::union_ &&
           std::all_of(node.kids.begin(), node.kids.end(), [&](NodeId k) { return only_amo(k); });
  }

  bool within(NodeId id, Base base) const {
    const Node& node = m_.nodes[id];
    if (node.op == NodeOp::base_rel) return node.base == base;
    if (node.op == NodeOp::inter)
      return std::any_of(node.kids.begin(), node.kids.end(), [&](NodeId k) { return within(k, base); });
    return node.op == NodeOp::diff && within(node.kids[0], base);
  }
  bool within_fr(NodeId id) const {
    const Node& node = m_.nodes[id];
    if (node.op == NodeOp::inter)
      return std::any_of(node.kids.begin(), node.kids.end(), [&](NodeId k) { return within_fr(k); });
    if (node.op == NodeOp::diff) return within_fr(node.kids[0]);
    return node.op == NodeOp::seq && node.kids.size() == 2 && m_.nodes[node.kids[0]].op == NodeOp::inverse &&
           within(m_.nodes[node.kids[0]].kids[0], Base::rf) && within(node.kids[1], Base::co);
  }
  // (R1, W2) is not in it: no write lies between them, since none did between R1 and W1, nor between R2 and W2.
  bool impossible(NodeId id) const {
    const Node& node = m_.nodes[id];
    if (node.op == NodeOp::seq)
      return node.kids.size() == 2 && within_fr(node.kids[0]) && within(node.kids[1], Base::co);
    if (node.op == NodeOp::inter)
      return std::any_of(node.kids.begin(), node.kids.end(), [&](NodeId k) { return impossible(k); });
    return node.op == NodeOp::diff && impossible(node.kids[0]);
  }

  // Holds of the pair (W1, R2), or of the pair (R2, W1), given in this order.
  bool surely(NodeId id, uint32_t i, uint32_t j) const {
    const Node& node = m_.nodes[id];
    const auto each = [&](NodeId k) { return surely(k, i, j); };
    switch (node.op) {
      case NodeOp::base_rel:
        switch (node.base) {
          case Base::po:
          case Base::rf:
            return i == w_;
          case Base::amo:
          case Base::lxsx:
            return false;
          default:
            return base_.must[static_cast<size_t>(node.base)].test(i, j);
        }
      case NodeOp::union_:
        return std::any_of(node.kids.begin(), node.kids.end(), each);
      case NodeOp::inter:
        return std::all_of(node.kids.begin(), node.kids.end(), each);
      case NodeOp::diff:
        return surely(node.kids[0], i, j) && !bounds_.node[node.kids[1]].may.test(i, j);
      case NodeOp::complement:
        return !bounds_.node[node.kids[0]].may.test(i, j);
      case NodeOp::inverse:
        return surely(node.kids[0], j, i);
      case NodeOp::opt:
      case NodeOp::plus:
      case NodeOp::star:
        return surely(node.kids[0], i, j);
      case NodeOp::product:
        return surely_in(node.kids[0], i) && surely_in(node.kids[1], j);
      case NodeOp::seq: {
        size_t from = 0;
        size_t to = node.kids.size();
        const auto test_of = [&](size_t k, uint32_t e) {
          const Node& n = m_.nodes[node.kids[k]];
          return n.op == NodeOp::ident && surely_in(n.kids[0], e);
        };
        while (to - from > 1 && test_of(from, i)) ++from;
        while (to - from > 1 && test_of(to - 1, j)) --to;
        return to - from == 1 && surely(node.kids[from], i, j);
      }
      default:
        return false;
    }
  }
  bool surely_in(NodeId id, uint32_t e) const {
    const Node& node = m_.nodes[id];
    const auto each = [&](NodeId k) { return surely_in(k, e); };
    switch (node.op) {
      case NodeOp::base_set:
        return base_.tags[static_cast<size_t>(node.tag)].test(e) &&
               !base_.sometimes[static_cast<size_t>(node.tag)].test(e);
      case NodeOp::everything:
      case NodeOp::memory:
        return true;
      case NodeOp::union_:
        return std::any_of(node.kids.begin(), node.kids.end(), each);
      case NodeOp::inter:
        return std::all_of(node.kids.begin(), node.kids.end(), each);
      case NodeOp::diff:
        return surely_in(node.kids[0], e) && !bounds_.node[node.kids[1]].may_set.test(e);
      case NodeOp::complement:
        return !bounds_.node[node.kids[0]].may_set.test(e);
      default:
        return false;
    }
  }

  const cat::Model& m_;
  const bounds::BaseBounds& base_;
  const bounds::Bounds& bounds_;
  Monotone left_out_;
  uint32_t r_, w_;
  std::vector<Gain> gain_;
};

// Whether all accesses of the rmw's cell are atomic, through one name, and in scope of one another.
bool mutually_ordered(const Folded& f, const Place& rmw) {
  if (rmw.cells.size() != 1 || rmw.symbol == k_none) return false;
  std::vector<const Place*> accesses;
  for (const Place& p : f.places())
    if (p.thread != k_nobody && p.cells.contains(*rmw.cells.begin())) accesses.push_back(&p);
  for (const Place* a : accesses) {
    if (!a->tags.has(Tag::ATOM) || a->symbol != rmw.symbol) return false;
    if (a->failed_tags)  // atomic, and of one scope, either way
      for (Tag t : {Tag::ATOM, Tag::SG, Tag::WG, Tag::QF, Tag::DV})
        if (a->tags.has(t) != a->failed_tags->has(t)) return false;
    for (const Place* b : accesses)
      if (!f.in_scope_of_each_other(*a, *b)) return false;
  }
  return true;
}

}  // namespace

Reduction reduction_of(const prog::Test& test, const cat::Model& model) {
  Reduction out;
  for (uint32_t t = 0; t < test.threads.size(); ++t) out.silent.emplace_back(test.instrs(t).size(), false);
  // Dependencies of later events may pass through the registers that an iteration leaves as they were.
  if (model.uses(Base::data) || model.uses(Base::addr) || model.uses(Base::ctrl)) return out;
  const Folded folded(test);
  const BitSet dropped = folded.dropped();
  if (dropped.empty()) return out;
  const bounds::BaseBounds base = folded.bounds(model);
  const bounds::Bounds bounds = bounds::compute(model, base);
  const BetweenPlaces between(model, base, bounds, folded.always());
  const Monotone monotone(model, bounds, dropped, between);
  out.conditions = monotone.keeps_consistency();
  out.races = out.conditions && monotone.keeps_flags();
  if (!out.conditions || !is_proven(proven_silent(), fingerprint(model))) return out;
  for (uint32_t p = 0; p < folded.places().size(); ++p) {
    const Place& place = folded.places()[p];
    if (place.thread != k_nobody && place.read && place.partner != k_nobody && folded.in_loop(p) &&
        mutually_ordered(folded, place))
      out.silent[place.thread][place.instr] = true;
  }
  return out;
}

Repeats repeats_of(const prog::Test& test, const cat::Model& model,
                   const std::function<bool(prog::ObjectId, uint64_t)>& coherent) {
  Repeats out;
  for (uint32_t t = 0; t < test.threads.size(); ++t) out.conditions.emplace_back(test.instrs(t).size(), false);
  out.races = out.conditions;
  const Folded folded(test);
  const auto once = unroll(test, 1, false);
  if (folded.dropped().empty() || !once) return out;
  const auto& places = folded.places();
  const bounds::BaseBounds base = folded.bounds(model);
  const bounds::Bounds bounds = bounds::compute(model, base);
  const BetweenPlaces between(model, base, bounds, folded.always());
  const bool dependencies = model.uses(Base::data) || model.uses(Base::addr) || model.uses(Base::ctrl);
  const bool proven = is_proven(proven_repeats(), fingerprint(model, false));
  std::map<Cell, bool> ordered;
  for (uint32_t p = 0; p < places.size(); ++p) {
    const Place& place = places[p];
    if (place.thread == k_nobody || !place.read || !folded.in_loop(p) || !folded.one_access(p, *once, dependencies))
      continue;
    const bool writes = place.partner != k_nobody && !test.instrs(place.thread)[place.instr].guard;
    BitSet dropped(static_cast<uint32_t>(places.size()));
    dropped.set(p);
    if (writes) {
      const Cell cell = *place.cells.begin();
      if (!folded.read_by_exchanges_alone(cell)) continue;
      const auto [known, fresh] = ordered.try_emplace(cell, false);
      if (fresh) known->second = coherent(cell.first, cell.second);
      if (!known->second) continue;
      dropped.set(place.partner);
    }
    const Monotone left_out(model, bounds, dropped, between);
    bool consistent = proven, flags = proven && left_out.flags_lie_elsewhere();
    if (!proven && writes) {
      const Fusing fused(model, base, bounds, dropped, between, p, place.partner);
      consistent = fused.keeps_consistency();
      flags = fused.keeps_flags();
    } else if (!proven) {
      consistent = left_out.keeps_consistency();
      flags = left_out.keeps_flags();
    }
    out.conditions[place.thread][place.instr] = consistent;
    out.races[place.thread][place.instr] = consistent && flags;
  }
  return out;
}

}  // namespace fencepost::encode

#include "encode/reduction.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "bounds/bounds.h"
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

using Cell = std::pair<prog::ObjectId, uint64_t>;
constexpr uint32_t k_nobody = 0xffffffffu;

// One instruction's event, whichever iteration it runs in; or an initial write.
struct Place {
  uint32_t thread = k_nobody;
  uint32_t instr = 0;
  uint32_t part = 0;
  vocab::TagSet tags;
  std::optional<vocab::TagSet> failed_tags;  // of the read of an rmw that does not write
  bool read = false, write = false, barrier = false;
  std::set<Cell> cells;  // that it may access
  prog::SymbolId symbol = k_none;
  uint32_t partner = k_nobody;
};

struct Extent {
  uint32_t from = 0, to = 0;
};

std::vector<Extent> loops_of(const prog::Template& code) {
  std::vector<Extent> out;
  for (uint32_t i = 0; i < code.code.size(); ++i) {
    const Instr& in = code.code[i];
    if ((in.kind == Kind::jump || in.kind == Kind::branch) && code.labels[in.label].at <= i)
      out.push_back({code.labels[in.label].at, i});
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (Extent& a : out)
      for (const Extent& b : out)
        if (a.from <= b.from && b.from <= a.to && a.to < b.to) {
          a.to = b.to;
          changed = true;
        }
  }
  return out;
}

class Folded {
 public:
  explicit Folded(const prog::Test& test) : test_(test) {
    using vocab::Dialect;
    const Dialect wide = test.dialect == Dialect::opencl ? Dialect::opencl : Dialect::vulkan;
    const std::tuple<Base, Dialect, const char*> scopes[] = {{Base::scta, Dialect::ptx, "cta"},
                                                             {Base::sgpu, Dialect::ptx, "gpu"},
                                                             {Base::scluster, Dialect::ptx, "cluster"},
                                                             {Base::swarp, Dialect::ptx, "warp"},
                                                             {Base::ssg, Dialect::vulkan, "sg"},
                                                             {Base::sqf, Dialect::vulkan, "qf"},
                                                             {Base::swg, wide, "wg"},
                                                             {Base::sdv, wide, "dv"}};
    for (const auto& [b, dialect, level] : scopes) levels_[static_cast<size_t>(b)] = *vocab::level_of(dialect, level);
    for (prog::ObjectId o = 0; o < test.objects.size(); ++o)
      for (uint64_t k = 0; k < test.objects[o].init.size(); ++k) {
        Place p;
        p.instr = o;
        p.tags = test.objects[o].tags;
        p.tags.add(Tag::IW).add(Tag::W);
        p.write = true;
        p.cells = {{o, k}};
        places_.push_back(std::move(p));
      }
    for (uint32_t t = 0; t < test.threads.size(); ++t) {
      loops_.push_back(loops_of(test.code(t)));
      add_thread(t);
    }
  }

  const std::vector<Place>& places() const { return places_; }
  bool in_loop(uint32_t p) const {
    return places_[p].thread != k_nobody &&
           std::any_of(loops_[places_[p].thread].begin(), loops_[places_[p].thread].end(),
                       [&](const Extent& l) { return l.from <= places_[p].instr && places_[p].instr <= l.to; });
  }

  // Reads and fences of loops: what an idle iteration may have done.
  BitSet dropped() const {
    BitSet out(static_cast<uint32_t>(places_.size()));
    for (uint32_t p = 0; p < places_.size(); ++p)
      if (in_loop(p) && !places_[p].write && !places_[p].barrier) out.set(p);
    return out;
  }

  // Whether every two events of a place, in two iterations, are related.
  std::function<bool(Base, uint32_t)> always() const {
    return [this](Base base, uint32_t i) { return may(base, i, i) && must(base, i, i); };
  }

  bounds::BaseBounds bounds(const cat::Model& model) const {
    const uint32_t n = static_cast<uint32_t>(places_.size());
    bounds::BaseBounds b;
    b.n = n;
    b.folded = true;
    b.live = BitSet(n);
    for (uint32_t i = 0; i < n; ++i) b.live.set(i);
    b.always = BitSet(n);
    b.compatible = Relation::product(b.live, b.live);
    b.implied_by.assign(n, BitSet(n));
    b.tags.assign(vocab::k_tags, BitSet(n));
    b.sometimes.assign(vocab::k_tags, BitSet(n));
    for (uint32_t i = 0; i < n; ++i)
      for (size_t t = 0; t < vocab::k_tags; ++t) {
        const Place& p = places_[i];
        const bool good = p.tags.has(static_cast<Tag>(t));
        const bool failed = p.failed_tags ? p.failed_tags->has(static_cast<Tag>(t)) : good;
        if (good || failed) b.tags[t].set(i);
        if (good != failed) b.sometimes[t].set(i);
      }
    for (size_t k = 0; k < vocab::k_bases; ++k) {
      b.may[k] = Relation(n);
      b.must[k] = Relation(n);
      if (!model.uses(static_cast<Base>(k))) continue;
      for (uint32_t i = 0; i < n; ++i)
        for (uint32_t j = 0; j < n; ++j) {
          if (!may(static_cast<Base>(k), i, j)) continue;
          b.may[k].set(i, j);
          if (i != j && must(static_cast<Base>(k), i, j)) b.must[k].set(i, j);
        }
    }
    return b;
  }

  // Of a read: in one cell that the text names, in an innermost loop. With `dependencies` the loop must not write a
  // register that its label needs: what was read before the loop might be what a later event depends on, in place of
  // the iteration.
  bool one_access(uint32_t p, const Skeleton& once, bool dependencies) const {
    const Place& place = places_[p];
    const prog::Template& code = test_.code(place.thread);
    const Instr& in = code.code[place.instr];
    if (place.symbol == k_none || place.cells.size() != 1 || in.predicate != k_none) return false;
    const auto& loops = once.threads[place.thread].loops;
    for (const SymLoop& l : loops) {
      if (place.instr < l.from || place.instr > l.to) continue;
      if (std::any_of(loops.begin(), loops.end(), [&](const SymLoop& x) { return x.from > l.from && x.from <= l.to; }))
        continue;
      for (uint32_t i = l.from; i <= l.to && dependencies; ++i)
        for (const prog::RegId r : {code.code[i].dst, code.code[i].spurious})
          if (r != k_none && l.live[r]) return false;
      return true;
    }
    return false;
  }

  // All accesses that may meet the cell are of it alone, and all reads of it are halves of rmws that always write.
  bool read_by_exchanges_alone(const Cell& cell) const {
    return std::all_of(places_.begin(), places_.end(), [&](const Place& p) {
      if (p.thread == k_nobody || !p.cells.contains(cell)) return true;
      return p.cells.size() == 1 && p.symbol != k_none &&
             (!p.read || (p.partner != k_nobody && !test_.instrs(p.thread)[p.instr].guard));
    });
  }

  bool in_scope_of_each_other(const Place& a, const Place& b) const {
    const auto level = [&](const Place& p) -> std::optional<uint32_t> {
      static constexpr Tag k_order[] = {Tag::CTA, Tag::CLUSTER, Tag::GPU, Tag::SYS, Tag::WI,
                                        Tag::SG,  Tag::WG,      Tag::QF,  Tag::DV,  Tag::ALL};
      if (p.thread == k_nobody) return std::nullopt;
      for (Tag t : k_order)
        if (p.tags.has(t))
          if (auto l = vocab::level_of(test_.dialect, t)) return l;
      return std::nullopt;
    };
    const auto la = level(a);
    const auto lb = level(b);
    return la && lb && same_level(a, b, *la) && same_level(a, b, *lb);
  }

 private:
  void add_thread(uint32_t t) {
    const prog::Template& code = test_.code(t);
    // Registers that keep their first value.
    std::vector<std::optional<uint64_t>> constant(code.registers.size(), 0);
    for (const prog::InitValue& v : test_.threads[t].init)
      constant[v.reg] = (v.address != k_none ? prog::address_of(test_.symbols[v.address].object) : v.value) &
                        term::mask(code.registers[v.reg].width);
    for (const Instr& in : code.code)
      for (const prog::RegId r : {in.dst, in.spurious})
        if (r != k_none) constant[r] = std::nullopt;
    for (uint32_t i = 0; i < code.code.size(); ++i) {
      const Instr& in = code.code[i];
      Place p;
      p.thread = t;
      p.instr = i;
      p.tags = in.tags;
      switch (in.kind) {
        case Kind::load:
        case Kind::rmw:
          p.read = true;
          p.tags.add(Tag::R);
          if (in.kind == Kind::rmw) p.tags.add(Tag::RMW);
          if (in.kind == Kind::rmw && in.guard && in.failed_tags) {
            p.failed_tags = *in.failed_tags;
            p.failed_tags->add(Tag::R).add(Tag::RMW);
          }
          break;
        case Kind::store:
          p.write = true;
          p.tags.add(Tag::W);
          break;
        case Kind::fence:
          if (!p.tags.has(Tag::AVDEVICE) && !p.tags.has(Tag::VISDEVICE)) p.tags.add(Tag::F);
          break;
        case Kind::barrier:
          p.barrier = true;
          break;
        default:
          continue;
      }
      if (p.read || p.write) {
        p.symbol = in.addr.symbol;
        p.cells = cells(in.addr, constant);
      }
      places_.push_back(p);
      if (in.kind != Kind::rmw) continue;
      places_.back().partner = static_cast<uint32_t>(places_.size());
      p.partner = static_cast<uint32_t>(places_.size()) - 1;
      p.part = 1;
      p.failed_tags.reset();
      p.read = false;
      p.write = true;
      p.tags = in.store_tags;
      p.tags.add(Tag::W).add(Tag::RMW);
      places_.push_back(p);
    }
  }

  std::set<Cell> cells(const prog::Address& a, const std::vector<std::optional<uint64_t>>& constant) const {
    std::set<Cell> out;
    const auto object = [&](prog::ObjectId o) {
      for (uint64_t k = 0; k < test_.objects[o].init.size(); ++k) out.insert({o, k});
    };
    if (a.symbol == k_none) {
      for (prog::ObjectId o = 0; o < test_.objects.size(); ++o) object(o);
      return out;
    }
    const prog::ObjectId o = test_.symbols[a.symbol].object;
    std::optional<uint64_t> index = 0;
    if (a.index)
      index = term::eval(a.index, [&](uint64_t v) -> std::optional<uint64_t> {
        return v < constant.size() ? constant[v] : std::nullopt;
      });
    if (!index) {
      object(o);
    } else if (*index < test_.objects[o].init.size()) {
      out.insert({o, *index});
    }
    return out;
  }

  static bool overlap(const Place& a, const Place& b) {
    return std::any_of(a.cells.begin(), a.cells.end(), [&](const Cell& c) { return b.cells.contains(c); });
  }

  bool same_level(const Place& a, const Place& b, uint32_t level) const {
    if (a.thread == k_nobody || b.thread == k_nobody) return false;
    if (level == vocab::k_level_thread) return a.thread == b.thread;
    return prog::same_scope(test_.threads[a.thread], test_.threads[b.thread], level);
  }

  bool before(uint32_t i, uint32_t j) const {
    const Place& a = places_[i];
    const Place& b = places_[j];
    if (a.thread != b.thread || a.thread == k_nobody) return false;
    if (i < j) return true;
    return std::any_of(loops_[a.thread].begin(), loops_[a.thread].end(),
                       [&](const Extent& l) { return l.from <= b.instr && a.instr <= l.to; });
  }

  bool may(Base base, uint32_t i, uint32_t j) const {
    const Place& a = places_[i];
    const Place& b = places_[j];
    const bool threads = a.thread != k_nobody && b.thread != k_nobody;
    switch (base) {
      case Base::po:
        return before(i, j);
      case Base::int_:
        return i == j || (threads && a.thread == b.thread);
      case Base::ext:
        return i != j && (a.thread != b.thread || !threads);
      case Base::id:
        return i == j;
      case Base::loc:
      case Base::vloc:
        return overlap(a, b);
      case Base::rf:
        return a.write && b.read && overlap(a, b);
      case Base::co:
        return a.write && b.write && b.thread != k_nobody && overlap(a, b);
      case Base::amo:
        return a.read && a.partner == j;
      case Base::lxsx:
        return false;
      case Base::data:
      case Base::addr:
      case Base::ctrl:
        return a.read && before(i, j);
      case Base::sr:
        return in_scope_of_each_other(a, b);
      case Base::scta:
      case Base::sgpu:
      case Base::scluster:
      case Base::swarp:
      case Base::ssg:
      case Base::sqf:
      case Base::swg:
      case Base::sdv:
        return same_level(a, b, levels_[static_cast<size_t>(base)]);
      case Base::ssw:
        return threads &&
               std::find(test_.ssw.begin(), test_.ssw.end(), std::pair{a.thread, b.thread}) != test_.ssw.end();
      case Base::si:
        return i == j || (threads && a.thread == b.thread);
      case Base::await:
        return threads && a.thread == b.thread;
      case Base::home:
        return a.thread != k_nobody;
      case Base::syncbar:
        return a.barrier && b.barrier;
      case Base::sync_fence:
      case Base::fsc:
        return a.tags.has(Tag::F) && b.tags.has(Tag::F) && a.tags.has(Tag::SC) && b.tags.has(Tag::SC);
      case Base::count_:
        break;
    }
    return true;
  }

  // Of a pair that may be: every two events of the two places are related.
  bool must(Base base, uint32_t i, uint32_t j) const {
    const Place& a = places_[i];
    const Place& b = places_[j];
    switch (base) {
      case Base::loc:
        return a.cells.size() == 1 && a.cells == b.cells;
      case Base::vloc:
        return a.cells.size() == 1 && a.cells == b.cells && a.symbol == b.symbol && a.symbol != k_none;
      case Base::int_:
      case Base::ext:
      case Base::sr:
      case Base::scta:
      case Base::sgpu:
      case Base::scluster:
      case Base::swarp:
      case Base::ssg:
      case Base::sqf:
      case Base::swg:
      case Base::sdv:
      case Base::ssw:
        return true;
      default:
        return false;
    }
  }

  const prog::Test& test_;
  std::array<uint32_t, vocab::k_bases> levels_{};  // of the bases that are scopes
  std::vector<Place> places_;
  std::vector<std::vector<Extent>> loops_;
};

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

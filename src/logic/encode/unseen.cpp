#include "encode/unseen.h"

#include <algorithm>
#include <set>

#include "bounds/bounds.h"
#include "encode/reduction.h"
#include "vocab/vocab.h"

namespace fencepost::encode {
namespace {

using cat::Node;
using cat::NodeId;
using cat::NodeOp;
using prog::k_none;
using vocab::Base;
using vocab::Dialect;
using vocab::Tag;

// The models that the proofs in the header are about.
constexpr Proven k_vulkan[] = {{"vulkan", 0x52c15830118058e3}, {"vulkan-tables", 0x3351a11983189e2e}};
constexpr Proven k_ptx[] = {{"ptx-7.5", 0x02c31050a9330673}, {"ptx-8", 0x02c31050a9330673}};

struct ScopeBase {
  Base base;
  Dialect dialect;
  const char* level;
};
constexpr ScopeBase k_scopes[] = {
    {Base::sgpu, Dialect::ptx, "gpu"},   {Base::scluster, Dialect::ptx, "cluster"}, {Base::scta, Dialect::ptx, "cta"},
    {Base::swarp, Dialect::ptx, "warp"}, {Base::sdv, Dialect::vulkan, "dv"},        {Base::sqf, Dialect::vulkan, "qf"},
    {Base::swg, Dialect::vulkan, "wg"},  {Base::ssg, Dialect::vulkan, "sg"},        {Base::sdv, Dialect::opencl, "dv"},
    {Base::swg, Dialect::opencl, "wg"},
};
constexpr Tag k_scope_tags[] = {Tag::CTA, Tag::CLUSTER, Tag::GPU, Tag::SYS, Tag::SG,
                                Tag::WG,  Tag::QF,      Tag::DV,  Tag::ALL};

class Unseen {
 public:
  Unseen(const Skeleton& s, const cat::Model& model) : s_(s), test_(*s.test), m_(model), n_(size(s)) {}

  bool holds() {
    if (!test_.ssw.empty()) return false;
    // Shared memory belongs to one CTA.
    if (std::any_of(test_.objects.begin(), test_.objects.end(), [](const prog::Object& o) { return o.home != k_none; }))
      return false;
    for (const SymEvent& e : s_.events) {
      if (e.barrier != nullptr) return false;
      for (Tag t : k_scope_tags)
        if ((e.tags.has(t) || (e.failed_tags && e.failed_tags->has(t))) && names_a_divided_scope(t)) return false;
    }
    for (const ScopeBase& b : k_scopes) {
      if (b.dialect != test_.dialect) continue;
      const auto level = vocab::level_of(b.dialect, b.level);
      if (!level || divided(*level)) divided_.insert(b.base);
    }
    return by_hand() || by_formula();
  }

 private:
  static uint32_t size(const Skeleton& s) { return static_cast<uint32_t>(s.events.size()); }

  bool divided(uint32_t level) const {
    return std::any_of(test_.threads.begin(), test_.threads.end(),
                       [&](const prog::Thread& t) { return !prog::same_scope(test_.threads[0], t, level); });
  }
  // An unknown tag counts as one.
  bool names_a_divided_scope(Tag t) const {
    const auto level = vocab::level_of(test_.dialect, t);
    return !level || divided(*level);
  }

  // ---- the proofs of the header ----
  bool is_one_of(std::span<const Proven> models) const { return is_proven(models, fingerprint(m_)); }
  template <class P>
  bool every_event(P&& p) const {
    return std::all_of(s_.events.begin(), s_.events.end(),
                       [&](const SymEvent& e) { return p(e, e.tags) && (!e.failed_tags || p(e, *e.failed_tags)); });
  }
  bool by_hand() const {
    if (test_.dialect == Dialect::vulkan) {
      constexpr std::pair<Tag, Tag> k_classes[] = {
          {Tag::SC0, Tag::SEMSC0}, {Tag::SC1, Tag::SEMSC1}, {Tag::SC2, Tag::SEMSC2}, {Tag::SC3, Tag::SEMSC3}};
      const auto within = [&](std::pair<Tag, Tag> k) {
        return every_event([&](const SymEvent& e, const vocab::TagSet& tags) {
          if (e.memory() && e.thread != k_init_thread && !tags.has(k.first)) return false;
          for (const auto& other : k_classes)
            if (other != k && (tags.has(other.first) || tags.has(other.second))) return false;
          if (tags.has(Tag::SG) || tags.has(Tag::WG) || tags.has(Tag::QF)) return false;
          if (!(tags.has(Tag::AV) || tags.has(Tag::VIS) || tags.has(Tag::SEMAV) || tags.has(Tag::SEMVIS))) return true;
          return tags.has(Tag::DV) && (tags.has(k.first) || tags.has(k.second));
        });
      };
      return is_one_of(k_vulkan) && std::any_of(std::begin(k_classes), std::end(k_classes), within);
    }
    if (test_.dialect != Dialect::ptx) return false;
    return is_one_of(k_ptx) && every_event([](const SymEvent& e, const vocab::TagSet& tags) {
             if (tags.has(Tag::ALIAS)) return false;
             return !e.memory() || e.thread == k_init_thread ||
                    (tags.has(Tag::GEN) && !tags.has(Tag::SUR) && !tags.has(Tag::TEX) && !tags.has(Tag::CON));
           });
  }

  // ---- the formula ----
  bool by_formula() {
    read_bounds();
    bounds_ = bounds::compute(m_, base_);
    depends_.assign(m_.nodes.size(), false);
    for (bool changed = true; changed;) {  // upwards, from "nothing depends"
      changed = false;
      for (NodeId id = 0; id < m_.nodes.size(); ++id)
        if (bounds_.needed[id] && !depends_[id] && depends(id)) changed = depends_[id] = true;
    }
    return std::none_of(m_.axioms.begin(), m_.axioms.end(), [&](const cat::Axiom& a) { return depends_[a.node]; });
  }

  void read_bounds() {
    base_.n = n_;
    base_.live = BitSet(n_, true);
    base_.always = BitSet(n_);
    base_.compatible = Relation(n_);
    base_.implied_by.assign(n_, BitSet(n_));
    base_.tags.assign(vocab::k_tags, BitSet(n_));
    base_.sometimes.assign(vocab::k_tags, BitSet(n_));
    for (uint32_t i = 0; i < n_; ++i) {
      const SymEvent& e = s_.events[i];
      base_.implied_by[i].set(i);
      for (size_t t = 0; t < vocab::k_tags; ++t) {
        const bool good = e.tags.has(static_cast<Tag>(t));
        const bool failed = e.failed_tags ? e.failed_tags->has(static_cast<Tag>(t)) : good;
        if (good || failed) base_.tags[t].set(i);
        if (good != failed) base_.sometimes[t].set(i);
      }
      for (uint32_t j = 0; j < n_; ++j)
        if (s_.compatible(i, j)) base_.compatible.set(i, j);
    }
    for (size_t k = 0; k < vocab::k_bases; ++k) {
      const Base b = static_cast<Base>(k);
      Relation& may = base_.may[k] = Relation(n_);
      Relation& must = base_.must[k] = Relation(n_);
      if (!m_.uses(b)) continue;
      base_.compatible.for_each([&](uint32_t i, uint32_t j) {
        const auto [maybe, surely] = pair(b, i, j);
        if (maybe) may.set(i, j);
        if (surely) must.set(i, j);
      });
    }
  }

  // Whether some execution has the pair, and whether all have it: coarse but for what is written in the program.
  std::pair<bool, bool> pair(Base b, uint32_t i, uint32_t j) const {
    const SymEvent &x = s_.events[i], &y = s_.events[j];
    const auto always = [](bool is) { return std::pair{is, is}; };
    switch (b) {
      case Base::po:
        return always(s_.program_order(i, j));
      case Base::int_:
        return always(i == j || (x.thread == y.thread && x.thread != k_init_thread));
      case Base::ext:
        return always(i != j && (x.thread != y.thread || x.thread == k_init_thread));
      case Base::id:
        return always(i == j);
      case Base::amo:
        return always(x.read && x.partner == j);
      case Base::loc:
      case Base::vloc:
        return {x.memory() && y.memory(), x.memory() && i == j};
      case Base::rf:
        return {x.write && y.read, false};
      case Base::co:
        return {x.write && y.write && i != j, false};
      case Base::ssw:
      case Base::syncbar:
      case Base::lxsx:
        return {false, false};
      case Base::data:
      case Base::addr:
      case Base::ctrl:
        return {s_.program_order(i, j), false};
      case Base::si:
        return always(s_.same_instruction(i, j));
      case Base::await:
        return always(s_.awaits(i, j));
      default:  // scopes, fences
        return {true, false};
    }
  }

  bool depends(NodeId id) const {
    const Node& node = m_.nodes[id];
    if (node.op == NodeOp::base_rel) return divided_.contains(node.base);
    if (node.op == NodeOp::rec_var) return depends_[m_.variables[node.rec].definition];
    const auto open = [&](NodeId k) { return depends_[k]; };
    if (std::none_of(node.kids.begin(), node.kids.end(), open)) return false;
    const bounds::NodeBounds& mine = bounds_.node[id];
    if (node.type == cat::Type::set) return !(mine.may_set == mine.must_set);
    if (mine.may == mine.must) return false;
    if (node.op == NodeOp::union_ || node.op == NodeOp::inter) {
      const bool any = node.op == NodeOp::union_;
      Relation others = any ? Relation(n_) : base_.compatible;  // what the independent operands surely, or may, have
      for (NodeId k : node.kids) {
        if (depends_[k] || m_.nodes[k].type == cat::Type::set) continue;
        if (any)
          others |= bounds_.node[k].must;
        else
          others &= bounds_.node[k].may;
      }
      return !std::all_of(node.kids.begin(), node.kids.end(), [&](NodeId k) {
        if (!depends_[k]) return true;
        return any ? bounds_.node[k].may.subset_of(others) : others.subset_of(bounds_.node[k].must);
      });
    }
    return true;
  }

  const Skeleton& s_;
  const prog::Test& test_;
  const cat::Model& m_;
  uint32_t n_;
  std::set<Base> divided_;
  bounds::BaseBounds base_;
  bounds::Bounds bounds_;
  std::vector<bool> depends_;
};

}  // namespace

std::vector<Proven> proven_unseen() {
  std::vector<Proven> out(std::begin(k_vulkan), std::end(k_vulkan));
  out.insert(out.end(), std::begin(k_ptx), std::end(k_ptx));
  return out;
}

bool scopes_unseen(const Skeleton& s, const cat::Model& model) { return Unseen(s, model).holds(); }

}  // namespace fencepost::encode

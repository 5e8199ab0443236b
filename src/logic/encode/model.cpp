#include "encode/model.h"

#include <algorithm>
#include <tuple>

#include "base/diagnostic.h"
#include "encode/acyclic.h"

namespace fencepost::encode {

using cat::Node;
using cat::NodeId;
using cat::NodeOp;
using sat::k_false;
using sat::k_true;
using vocab::Base;
using vocab::Tag;

ProgramNeeds needs_of(const cat::Model& m, vocab::Dialect d) {
  ProgramNeeds needs;
  needs.total_co = d != vocab::Dialect::ptx;
  needs.free_sync_fence = m.uses(Base::sync_fence);
  needs.fence_order = needs.free_sync_fence || m.uses(Base::fsc);
  return needs;
}

bool needs_dependencies(const cat::Model& m) { return m.uses(Base::data) || m.uses(Base::addr) || m.uses(Base::ctrl); }

ModelEncoding::ModelEncoding(const cat::Model& m, ProgramEncoding& p, Circuit& c)
    : m_(m), p_(p), c_(c), n_(p.size()), upper_(m.nodes.size()), lower_(m.nodes.size()) {
  find_levels();
  read_bounds(true);
  bounds_ = bounds::compute(m_, base_);
}

std::optional<bool> ModelEncoding::fixed(Base b, uint32_t i, uint32_t j) const {
  const Skeleton& s = p_.skeleton();
  const SymEvent& x = s.events[i];
  const SymEvent& y = s.events[j];
  switch (b) {
    case Base::po:
      return s.program_order(i, j);
    case Base::int_:
      return i == j || (x.thread == y.thread && x.thread != k_init_thread);
    case Base::ext:
      return i != j && (x.thread != y.thread || x.thread == k_init_thread);
    case Base::id:
      return i == j;
    case Base::amo:
      return x.read && x.partner == j;
    case Base::lxsx:
      return false;
    case Base::sr:
      return p_.in_scope_of_each_other(i, j);
    case Base::scta:
    case Base::sgpu:
    case Base::scluster:
    case Base::swarp:
    case Base::ssg:
    case Base::swg:
    case Base::sqf:
    case Base::sdv:
      return p_.same_level(i, j, levels_[static_cast<size_t>(b)]);
    case Base::ssw:
      if (x.thread == k_init_thread || y.thread == k_init_thread) return false;
      return std::find(s.test->ssw.begin(), s.test->ssw.end(), std::pair{x.thread, y.thread}) != s.test->ssw.end();
    case Base::si:
      return s.same_instruction(i, j);
    case Base::await:
      return s.awaits(i, j);
    case Base::home:
      return s.at_home(i, j);
    default:
      return std::nullopt;
  }
}

void ModelEncoding::find_levels() {
  using vocab::Dialect;
  const Dialect wide = p_.skeleton().test->dialect == Dialect::opencl ? Dialect::opencl : Dialect::vulkan;
  const std::tuple<Base, Dialect, const char*> scopes[] = {
      {Base::scta, Dialect::ptx, "cta"},         {Base::sgpu, Dialect::ptx, "gpu"},
      {Base::scluster, Dialect::ptx, "cluster"}, {Base::swarp, Dialect::ptx, "warp"},
      {Base::ssg, Dialect::vulkan, "sg"},        {Base::swg, wide, "wg"},
      {Base::sqf, Dialect::vulkan, "qf"},        {Base::sdv, wide, "dv"},
  };
  for (const auto& [b, dialect, level] : scopes) levels_[static_cast<size_t>(b)] = *vocab::level_of(dialect, level);
}

Lit ModelEncoding::base(Base b, uint32_t i, uint32_t j) {
  if (const auto is = fixed(b, i, j)) return *is ? p_.both(i, j) : k_false;
  const SymEvent& y = p_.skeleton().events[j];
  switch (b) {
    case Base::loc:
      return c_.and_(p_.both(i, j), p_.same_location(i, j));
    case Base::vloc:
      return c_.and_(p_.both(i, j), p_.same_virtual(i, j));
    case Base::rf:
      return y.read ? p_.rf(i, j) : k_false;
    case Base::co:
      return p_.co(i, j);
    case Base::data:
      return c_.and_(p_.both(i, j), p_.depends(y.data, i));
    case Base::addr:
      return c_.and_(p_.both(i, j), p_.depends(y.addr, i));
    case Base::ctrl:
      return c_.and_(p_.both(i, j), p_.depends(y.ctrl, i));
    case Base::syncbar:
      return p_.syncbar(i, j);
    case Base::sync_fence:
      return p_.sync_fence(i, j);
    case Base::fsc:
      return p_.fsc(i, j);
    default:
      return k_false;
  }
}

// ---- literals of nodes -------------------------------------------------------------------------------

Lit& ModelEncoding::slot(Tables& tables, NodeId id, uint64_t index, uint64_t size) {
  if (tables[id] == nullptr) tables[id] = std::make_unique<Table>();
  Table& t = *tables[id];
  if (size <= 40000) {
    if (t.dense.empty()) t.dense.assign(size, 0);
    return t.dense[index];
  }
  return t.sparse[index];
}

// The upper literal of a disjunction: `mine` is the slot, given a variable before its kids exist if the node is
// recursive.
Lit ModelEncoding::any_upper(Lit& mine, std::vector<Lit> kids) {
  std::vector<Lit> open;
  for (Lit k : kids) {
    const Lit f = c_.fold(k);
    if (f == k_true && mine == 0) return mine = k_true;
    if (f != k_false && std::find(open.begin(), open.end(), f) == open.end()) open.push_back(f);
  }
  if (mine == 0) {
    if (open.empty()) return mine = k_false;
    if (open.size() == 1) return mine = open[0];
    mine = c_.fresh();
  }
  for (Lit k : open) c_.add({-k, mine});
  return mine;
}

Lit ModelEncoding::any_lower(std::vector<Lit> kids, Lit own) {
  std::vector<Lit> open;
  for (Lit k : kids) {
    const Lit f = c_.fold(k);
    if (f == k_true && own == 0) return k_true;
    if (f != k_false && std::find(open.begin(), open.end(), f) == open.end()) open.push_back(f);
  }
  if (own == 0) {
    if (open.empty()) return k_false;
    if (open.size() == 1) return open[0];
    own = c_.fresh();
  }
  std::vector<Lit> clause = open;
  clause.push_back(-own);
  c_.add(clause);
  gates_[own] = Gate{true, std::move(open)};
  return own;
}

Lit ModelEncoding::all_lower(std::vector<Lit> kids) {
  const Lit l = c_.and_(kids);
  if (l != k_true && l != k_false && std::find(kids.begin(), kids.end(), l) == kids.end() && !gates_.contains(l))
    gates_[l] = Gate{false, std::move(kids)};
  return l;
}

Lit ModelEncoding::upper_set(NodeId id, uint32_t i) {
  const bounds::NodeBounds& b = bounds_.node[id];
  if (!b.may_set.test(i)) return k_false;
  if (b.must_set.test(i)) return p_.exec(i);
  const Node& node = m_.nodes[id];
  {
    const Lit known = slot(upper_, id, i, n_);
    if (known != 0) return c_.fold(known);
  }
  Lit result = 0;
  switch (node.op) {
    case NodeOp::union_: {
      std::vector<Lit> kids;
      for (NodeId k : node.kids) kids.push_back(upper_set(k, i));
      any_upper(result, std::move(kids));
      break;
    }
    case NodeOp::inter: {
      std::vector<Lit> kids;
      for (NodeId k : node.kids) kids.push_back(upper_set(k, i));
      result = c_.and_(std::move(kids));
      break;
    }
    case NodeOp::diff:
      result = c_.and_(upper_set(node.kids[0], i), -lower_set(node.kids[1], i));
      break;
    case NodeOp::complement:
      result = c_.and_(p_.exec(i), -lower_set(node.kids[0], i));
      break;
    case NodeOp::domain:
    case NodeOp::range: {
      std::vector<Lit> kids;
      for (uint32_t j = 0; j < n_; ++j)
        kids.push_back(node.op == NodeOp::domain ? upper(node.kids[0], i, j) : upper(node.kids[0], j, i));
      any_upper(result, std::move(kids));
      break;
    }
    case NodeOp::rec_var: {
      result = c_.fresh();
      slot(upper_, id, i, n_) = result;
      any_upper(result, {upper_set(m_.variables[node.rec].definition, i)});
      break;
    }
    case NodeOp::base_set: {  // of a compare-exchange: it has or has not written
      const Lit wrote = p_.wrote(i);
      result = c_.and_(p_.exec(i), p_.skeleton().events[i].tags.has(node.tag) ? wrote : -wrote);
      break;
    }
    default:
      FENCEPOST_INVARIANT(false, "an upper set literal of a decided node");
  }
  slot(upper_, id, i, n_) = result;
  return c_.fold(result);
}

Lit ModelEncoding::lower_set(NodeId id, uint32_t i) {
  const bounds::NodeBounds& b = bounds_.node[id];
  if (!b.may_set.test(i)) return k_false;
  if (b.must_set.test(i)) return p_.exec(i);
  const Node& node = m_.nodes[id];
  {
    const Lit known = slot(lower_, id, i, n_);
    if (known != 0) return c_.fold(known);
  }
  Lit result = 0;
  switch (node.op) {
    case NodeOp::union_: {
      std::vector<Lit> kids;
      for (NodeId k : node.kids) kids.push_back(lower_set(k, i));
      result = any_lower(std::move(kids));
      break;
    }
    case NodeOp::inter: {
      std::vector<Lit> kids;
      for (NodeId k : node.kids) kids.push_back(lower_set(k, i));
      result = all_lower(std::move(kids));
      break;
    }
    case NodeOp::diff:
      result = all_lower({lower_set(node.kids[0], i), -upper_set(node.kids[1], i)});
      break;
    case NodeOp::complement:
      result = all_lower({p_.exec(i), -upper_set(node.kids[0], i)});
      break;
    case NodeOp::domain:
    case NodeOp::range: {
      std::vector<Lit> kids;
      for (uint32_t j = 0; j < n_; ++j)
        kids.push_back(node.op == NodeOp::domain ? lower(node.kids[0], i, j) : lower(node.kids[0], j, i));
      result = any_lower(std::move(kids));
      break;
    }
    case NodeOp::rec_var: {
      circular_ = true;
      result = c_.fresh();
      slot(lower_, id, i, n_) = result;
      any_lower({lower_set(m_.variables[node.rec].definition, i)}, result);
      break;
    }
    case NodeOp::base_set: {  // of a compare-exchange: it has or has not written
      const Lit wrote = p_.wrote(i);
      result = c_.and_(p_.exec(i), p_.skeleton().events[i].tags.has(node.tag) ? wrote : -wrote);
      break;
    }
    default:
      FENCEPOST_INVARIANT(false, "a lower set literal of a decided node");
  }
  slot(lower_, id, i, n_) = result;
  return c_.fold(result);
}

Lit ModelEncoding::upper(NodeId id, uint32_t i, uint32_t j) {
  const bounds::NodeBounds& b = bounds_.node[id];
  if (!b.may.test(i, j)) return k_false;
  if (b.must.test(i, j)) return p_.both(i, j);
  const Node& node = m_.nodes[id];
  const uint64_t at = uint64_t{i} * n_ + j;
  const uint64_t size = uint64_t{n_} * n_;
  {
    const Lit known = slot(upper_, id, at, size);
    if (known != 0) return c_.fold(known);
  }
  auto kid = [&](size_t k) { return node.kids[k]; };
  Lit result = 0;
  switch (node.op) {
    case NodeOp::base_rel:
      result = base(node.base, i, j);
      break;
    case NodeOp::union_: {
      std::vector<Lit> kids;
      for (NodeId k : node.kids) kids.push_back(upper(k, i, j));
      any_upper(result, std::move(kids));
      break;
    }
    case NodeOp::inter: {
      // Must conjuncts only say that both run, which the others imply.
      std::vector<Lit> kids;
      for (NodeId k : node.kids)
        if (!bounds_.node[k].must.test(i, j)) kids.push_back(upper(k, i, j));
      result = c_.and_(std::move(kids));
      break;
    }
    case NodeOp::diff:
      result = c_.and_(upper(kid(0), i, j), -lower(kid(1), i, j));
      break;
    case NodeOp::complement:
      result = c_.and_(p_.both(i, j), -lower(kid(0), i, j));
      break;
    case NodeOp::inverse:
      result = upper(kid(0), j, i);
      break;
    case NodeOp::product:
      result = c_.and_(upper_set(kid(0), i), upper_set(kid(1), j));
      break;
    case NodeOp::ident:
      result = upper_set(kid(0), i);
      break;
    case NodeOp::opt:
      result = upper(kid(0), i, j);
      break;  // i != j: the diagonal is a must pair
    case NodeOp::seq: {
      // Left to right; a longer chain was built as nested pairs or is folded here pair by pair.
      FENCEPOST_INVARIANT(node.kids.size() == 2, "seq nodes are binary");
      std::vector<Lit> kids;
      bounds_.node[kid(0)].may.for_each_in_row(i, [&](uint32_t k) {
        if (!bounds_.node[kid(1)].may.test(k, j)) return;
        const Lit first = upper(kid(0), i, k);
        if (first == k_false) return;
        const Lit second = upper(kid(1), k, j);
        kids.push_back(c_.and_(first, second));
      });
      any_upper(result, std::move(kids));
      break;
    }
    case NodeOp::plus:
    case NodeOp::star: {
      result = c_.fresh();
      slot(upper_, id, at, size) = result;
      const bounds::NodeBounds& step = bounds_.node[kid(0)];
      if (step.may.test(i, j)) c_.add({-upper(kid(0), i, j), result});
      std::vector<uint32_t> mids;
      step.may.for_each_in_row(i, [&](uint32_t k) {
        if (k != i && b.may.test(k, j)) mids.push_back(k);
      });
      for (uint32_t k : mids) {
        if (k == j && node.op == NodeOp::star) continue;
        const Lit first = upper(kid(0), i, k);
        if (first == k_false) continue;
        c_.add({-first, -upper(id, k, j), result});
      }
      break;
    }
    case NodeOp::rec_var: {
      result = c_.fresh();
      slot(upper_, id, at, size) = result;
      c_.add({-upper(m_.variables[node.rec].definition, i, j), result});
      break;
    }
    default:
      FENCEPOST_INVARIANT(false, "an upper literal of a decided node");
  }
  slot(upper_, id, at, size) = result;
  return c_.fold(result);
}

Lit ModelEncoding::lower(NodeId id, uint32_t i, uint32_t j) {
  const bounds::NodeBounds& b = bounds_.node[id];
  if (!b.may.test(i, j)) return k_false;
  if (b.must.test(i, j)) return p_.both(i, j);
  const Node& node = m_.nodes[id];
  const uint64_t at = uint64_t{i} * n_ + j;
  const uint64_t size = uint64_t{n_} * n_;
  {
    const Lit known = slot(lower_, id, at, size);
    if (known != 0) return c_.fold(known);
  }
  auto kid = [&](size_t k) { return node.kids[k]; };
  Lit result = 0;
  switch (node.op) {
    case NodeOp::base_rel:
      result = base(node.base, i, j);
      break;
    case NodeOp::union_: {
      std::vector<Lit> kids;
      for (NodeId k : node.kids) kids.push_back(lower(k, i, j));
      result = any_lower(std::move(kids));
      break;
    }
    case NodeOp::inter: {
      std::vector<Lit> kids;
      for (NodeId k : node.kids)
        if (!bounds_.node[k].must.test(i, j)) kids.push_back(lower(k, i, j));
      result = all_lower(std::move(kids));
      break;
    }
    case NodeOp::diff:
      result = all_lower({lower(kid(0), i, j), -upper(kid(1), i, j)});
      break;
    case NodeOp::complement:
      result = all_lower({p_.both(i, j), -upper(kid(0), i, j)});
      break;
    case NodeOp::inverse:
      result = lower(kid(0), j, i);
      break;
    case NodeOp::product:
      result = all_lower({lower_set(kid(0), i), lower_set(kid(1), j)});
      break;
    case NodeOp::ident:
      result = lower_set(kid(0), i);
      break;
    case NodeOp::opt:
      result = lower(kid(0), i, j);
      break;
    case NodeOp::seq: {
      std::vector<Lit> kids;
      bounds_.node[kid(0)].may.for_each_in_row(i, [&](uint32_t k) {
        if (!bounds_.node[kid(1)].may.test(k, j)) return;
        kids.push_back(all_lower({lower(kid(0), i, k), lower(kid(1), k, j)}));
      });
      result = any_lower(std::move(kids));
      break;
    }
    case NodeOp::plus:
    case NodeOp::star: {
      circular_ = true;
      result = c_.fresh();
      slot(lower_, id, at, size) = result;
      const bounds::NodeBounds& step = bounds_.node[kid(0)];
      std::vector<Lit> kids;
      if (step.may.test(i, j)) kids.push_back(lower(kid(0), i, j));
      std::vector<uint32_t> mids;
      step.may.for_each_in_row(i, [&](uint32_t k) {
        if (k != i && b.may.test(k, j)) mids.push_back(k);
      });
      for (uint32_t k : mids) {
        if (k == j && node.op == NodeOp::star) continue;
        kids.push_back(all_lower({lower(kid(0), i, k), lower(id, k, j)}));
      }
      any_lower(std::move(kids), result);
      break;
    }
    case NodeOp::rec_var: {
      circular_ = true;
      result = c_.fresh();
      slot(lower_, id, at, size) = result;
      any_lower({lower(m_.variables[node.rec].definition, i, j)}, result);
      break;
    }
    default:
      FENCEPOST_INVARIANT(false, "a lower literal of a decided node");
  }
  slot(lower_, id, at, size) = result;
  return c_.fold(result);
}

// ---- axioms ------------------------------------------------------------------------------------------

void ModelEncoding::assert_true(const cat::Axiom& a, Lit when) {
  NodeId id = a.node;
  cat::AxiomKind kind = a.kind;
  const Node& node = m_.nodes[id];
  if (kind == cat::AxiomKind::empty) {
    if (node.type == cat::Type::set) {
      bounds_.node[id].may_set.for_each([&](uint32_t i) { c_.add({-when, -upper_set(id, i)}); });
    } else {
      bounds_.node[id].may.for_each([&](uint32_t i, uint32_t j) { c_.add({-when, -upper(id, i, j)}); });
    }
    return;
  }
  // irreflexive r+ is acyclic r.
  if (node.op == NodeOp::plus && (kind == cat::AxiomKind::irreflexive || kind == cat::AxiomKind::acyclic)) {
    id = node.kids[0];
    kind = cat::AxiomKind::acyclic;
  }
  if (kind == cat::AxiomKind::irreflexive) {
    for (uint32_t i = 0; i < n_; ++i)
      if (bounds_.node[id].may.test(i, i)) c_.add({-when, -upper(id, i, i)});
    return;
  }
  // Only edges inside a strongly connected part of may can close a cycle.
  const Relation& may = bounds_.node[id].may;
  const Relation closed = may.closure();
  std::vector<WeightedEdge> edges;
  may.for_each([&](uint32_t i, uint32_t j) {
    if (i == j || closed.test(j, i)) edges.push_back({i, j, upper(id, i, j)});
  });
  forbid_cycles(c_, n_, std::move(edges), when);
}

Lit ModelEncoding::violated(const cat::Axiom& a) {
  const NodeId id = a.node;
  const Node& node = m_.nodes[id];
  std::vector<Lit> any;
  if (a.kind == cat::AxiomKind::empty) {
    if (node.type == cat::Type::set)
      bounds_.node[id].may_set.for_each([&](uint32_t i) { any.push_back(lower_set(id, i)); });
    else
      bounds_.node[id].may.for_each([&](uint32_t i, uint32_t j) { any.push_back(lower(id, i, j)); });
    return any_lower(std::move(any));
  }
  if (a.kind == cat::AxiomKind::irreflexive) {
    for (uint32_t i = 0; i < n_; ++i)
      if (bounds_.node[id].may.test(i, i)) any.push_back(lower(id, i, i));
    return any_lower(std::move(any));
  }
  // A cycle: pick one edge set in which every chosen event has a chosen successor; on a finite set that closes.
  const Relation& may = bounds_.node[id].may;
  const Relation closed = may.closure();
  std::vector<Lit> on(n_, 0);
  for (uint32_t i = 0; i < n_; ++i)
    if (closed.test(i, i)) {
      on[i] = c_.fresh();
      any.push_back(on[i]);
    }
  for (uint32_t i = 0; i < n_; ++i) {
    if (on[i] == 0) continue;
    std::vector<Lit> next{-on[i]};
    may.for_each_in_row(i, [&](uint32_t j) {
      if (on[j] != 0) next.push_back(c_.and_(lower(id, i, j), on[j]));
    });
    c_.add(next);
  }
  return c_.or_(std::move(any));
}

void ModelEncoding::require_consistency() {
  for (const cat::Axiom& a : m_.axioms) {
    if (a.flag) continue;
    if (a.negated)
      c_.add({violated(a)});
    else
      assert_true(a, k_true);
    if (c_.contradictory()) return;
  }
}

Lit ModelEncoding::raised(uint32_t axiom) {
  if (auto it = raised_.find(axiom); it != raised_.end()) return it->second;
  const cat::Axiom& a = m_.axioms[axiom];
  Lit l = 0;
  if (a.negated) {
    l = violated(a);
  } else {
    l = c_.fresh();
    assert_true(a, l);
  }
  return raised_[axiom] = l;
}

std::string ModelEncoding::broken_promise(const std::function<bool(Lit)>& value, const Member& member) {
  auto is_true = [&](Lit l) {
    const Lit f = c_.fold(l);
    return f == k_true || (f != k_false && value(f));
  };
  for (NodeId id = 0; id < m_.nodes.size(); ++id) {
    if (!bounds_.needed[id]) continue;
    const bool is_set = m_.nodes[id].type == cat::Type::set;
    const bounds::NodeBounds& b = bounds_.node[id];
    const std::string where = std::string("node ") + std::to_string(id) + " (" + cat::name(m_.nodes[id].op) + " " +
                              m_.nodes[id].name + " at " + m_.nodes[id].span.location() + ")";
    for (uint32_t i = 0; i < n_; ++i)
      for (uint32_t j = 0; j < n_; ++j) {
        if (is_set && i != j) continue;
        const std::string pair = " for " + std::to_string(i) + ", " + std::to_string(j);
        const bool in = member(id, i, j);
        const bool may = is_set ? b.may_set.test(i) : b.may.test(i, j);
        const bool must = is_set ? b.must_set.test(i) : b.must.test(i, j);
        if (in && !may) return where + pair + ": a member outside may";
        if (!in && must && is_true(p_.both(i, j))) return where + pair + ": a must pair is missing";
        const uint64_t at = is_set ? i : uint64_t{i} * n_ + j;
        const uint64_t size = is_set ? n_ : uint64_t{n_} * n_;
        const Lit u = slot(upper_, id, at, size);
        if (u != 0 && in && !is_true(u)) return where + pair + ": a member without its upper literal";
        const Lit l = slot(lower_, id, at, size);
        if (l != 0 && !in && is_true(l)) return where + pair + ": a lower literal without a member";
      }
  }
  return {};
}

}  // namespace fencepost::encode

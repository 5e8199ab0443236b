#include "reference/derivation.h"

#include <algorithm>

#include "base/diagnostic.h"

namespace fencepost::reference {
namespace {

using cat::NodeId;
using cat::NodeOp;
using cat::Type;

uint32_t plus(uint32_t a, uint32_t b) { return a >= k_never - b ? k_never : a + b; }

}  // namespace

bool may_suppose(const Event& e, vocab::Tag t) {
  using vocab::Tag;
  bool read = e.tags.has(Tag::R), write = e.tags.has(Tag::W), fence = e.tags.has(Tag::F);
  bool vulkan_access = e.tags.has(Tag::SC0) || e.tags.has(Tag::SC1) || e.tags.has(Tag::SC2) || e.tags.has(Tag::SC3);
  bool semantics = fence || e.tags.has(Tag::CBAR) || e.tags.has(Tag::ATOM);
  if (e.key.thread == k_init || e.tags.has(Tag::NA)) return false;
  switch (t) {
    case Tag::RLX:
      return read || write;
    case Tag::ACQ:
      return vulkan_access ? read && semantics : read || (fence && semantics);
    case Tag::REL:
      return vulkan_access ? write && semantics : write || (fence && semantics);
    case Tag::ACQ_REL:
    case Tag::SC:
      return fence || e.tags.has(Tag::A);
    case Tag::CTA:
    case Tag::CLUSTER:
    case Tag::GPU:
    case Tag::SYS:
    case Tag::ALL:
    case Tag::SG:
    case Tag::WG:
    case Tag::QF:
    case Tag::DV:
      return true;
    case Tag::ATOM:
    case Tag::NONPRIV:
      return vulkan_access;
    case Tag::AV:
      return vulkan_access && write;
    case Tag::VIS:
      return vulkan_access && read;
    case Tag::SEMAV:
      return semantics && !read;
    case Tag::SEMVIS:
      return semantics && !write;
    case Tag::SEMSC0:
    case Tag::SEMSC1:
    case Tag::SEMSC2:
    case Tag::SEMSC3:
      return semantics;
    default:
      return false;
  }
}

std::string reason_label(const cat::Model& model, NodeId node, bool absent) {
  std::string s = expression(model, node);
  return absent ? "not " + s : s;
}

Derivations::Derivations(const cat::Model& model, const Execution& x, const Evaluation& ev,
                         const std::vector<NodeId>& roots, bool suppose)
    : model_(model), x_(x), ev_(ev), suppose_(suppose), n_(static_cast<uint32_t>(x.events.size())) {
  size_t count = model.nodes.size();
  needed_.assign(count, false);
  prices_.resize(count);
  for (NodeId r : roots) need(r);
  // Which nodes may need more than one round: those that reach a fixpoint variable. Two sweeps are not enough in
  // general (a definition may mention a later variable), so sweep until nothing changes.
  recursive_.assign(count, false);
  auto kids_of = [&](NodeId i) -> std::vector<NodeId> {
    const cat::Node& node = model_.nodes[i];
    if (node.op == NodeOp::rec_var) return {model_.variables[node.rec].definition};
    return node.kids;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (NodeId i = 0; i < count; ++i) {
      if (recursive_[i] || !needed_[i]) continue;
      bool r = model_.nodes[i].op == NodeOp::rec_var;
      for (NodeId k : kids_of(i)) r = r || recursive_[k];
      if (r) {
        recursive_[i] = true;
        changed = true;
      }
    }
  }
  for (NodeId i = 0; i < count; ++i)
    if (needed_[i]) {
      prices_[i].assign(model_.nodes[i].type == Type::rel ? static_cast<size_t>(n_) * n_ : n_, k_never);
    }
  // Prices are unsigned and only fall, so this ends. Nodes without recursion settle as soon as their kids have,
  // which the storage order gives in one sweep; a second sweep is skipped for them.
  std::vector<bool> settled(count, false);
  for (bool changed = true; changed;) {
    changed = false;
    for (NodeId i = 0; i < count; ++i) {
      if (!needed_[i] || settled[i]) continue;
      if (update(i)) changed = true;
      if (!recursive_[i]) settled[i] = true;
    }
    bool any = false;
    for (NodeId i = 0; i < count; ++i) any = any || (needed_[i] && recursive_[i]);
    if (!any) break;
  }
}

void Derivations::need(NodeId node) {
  std::vector<NodeId> stack = {node};
  while (!stack.empty()) {
    NodeId i = stack.back();
    stack.pop_back();
    if (needed_[i]) continue;
    needed_[i] = true;
    const cat::Node& m = model_.nodes[i];
    if (m.op == NodeOp::rec_var) stack.push_back(model_.variables[m.rec].definition);
    for (NodeId k : m.kids) stack.push_back(k);
  }
}

bool Derivations::in(NodeId node, uint32_t from, uint32_t to) const {
  const SetOrRel& v = ev_.value[node];
  if (const auto* s = std::get_if<BitSet>(&v)) return from == to && s->test(from);
  return std::get<Relation>(v).test(from, to);
}

// Price of "(from, to) is not in node".
uint32_t Derivations::absence(NodeId node, uint32_t from, uint32_t to) const {
  if (!suppose_ || model_.nodes[node].type == Type::rel) return in(node, from, to) ? k_never : 16;
  return absence_price(node, from);
}

// When tags may be supposed, a membership can also be undone: "(R | W) \ NONPRIV" does not hold once the event is
// NONPRIV. Tags are only ever added, so a tag that is there stays.
uint32_t Derivations::absence_price(NodeId set, uint32_t e) const {
  const cat::Node& m = model_.nodes[set];
  switch (m.op) {
    case NodeOp::union_: {
      uint32_t sum = 1;
      for (NodeId k : m.kids) sum = plus(sum, absence_price(k, e));
      return sum;
    }
    case NodeOp::inter: {
      uint32_t best = k_never;
      for (NodeId k : m.kids) best = std::min(best, absence_price(k, e));
      return plus(best, 1);
    }
    case NodeOp::diff:
      return plus(std::min(absence_price(m.kids[0], e), price(m.kids[1], e, e)), 1);
    case NodeOp::complement:
      return plus(price(m.kids[0], e, e), 1);
    default:
      return in(set, e, e) ? k_never : 16;
  }
}

void Derivations::absence_tags(NodeId set, uint32_t e, Reason& into) const {
  const cat::Node& m = model_.nodes[set];
  switch (m.op) {
    case NodeOp::union_:
      for (NodeId k : m.kids) absence_tags(k, e, into);
      return;
    case NodeOp::inter: {
      NodeId best = m.kids[0];
      for (NodeId k : m.kids)
        if (absence_price(k, e) < absence_price(best, e)) best = k;
      absence_tags(best, e, into);
      return;
    }
    case NodeOp::diff:
      if (absence_price(m.kids[0], e) <= price(m.kids[1], e, e))
        absence_tags(m.kids[0], e, into);
      else
        into.because.push_back(derive(m.kids[1], e, e));
      return;
    case NodeOp::complement:
      into.because.push_back(derive(m.kids[0], e, e));
      return;
    default:
      return;
  }
}

uint32_t Derivations::price(NodeId node, uint32_t from, uint32_t to) const {
  if (model_.nodes[node].type == Type::set) return from == to ? prices_[node][from] : k_never;
  return prices_[node][static_cast<size_t>(from) * n_ + to];
}

// Prices of going from `from` through the first, second, ... kid of a sequence to every event.
Derivations::Prices Derivations::row(NodeId node, uint32_t from) const {
  const cat::Node& m = model_.nodes[node];
  Prices now(n_, k_never);
  for (uint32_t j = 0; j < n_; ++j) now[j] = price(m.kids[0], from, j);
  for (size_t k = 1; k < m.kids.size(); ++k) {
    Prices next(n_, k_never);
    for (uint32_t mid = 0; mid < n_; ++mid) {
      if (now[mid] == k_never) continue;
      for (uint32_t j = 0; j < n_; ++j) next[j] = std::min(next[j], plus(now[mid], price(m.kids[k], mid, j)));
    }
    now = std::move(next);
  }
  for (uint32_t& p : now) p = plus(p, 1);
  return now;
}

bool Derivations::update(NodeId node) {
  const cat::Node& m = model_.nodes[node];
  Prices& out = prices_[node];
  Prices old = out;
  auto cell = [&](uint32_t i, uint32_t j) -> uint32_t& { return out[static_cast<size_t>(i) * n_ + j]; };
  auto each = [&](auto&& f) {
    if (m.type == Type::set) {
      for (uint32_t i = 0; i < n_; ++i) out[i] = std::min(out[i], f(i, i));
    } else {
      for (uint32_t i = 0; i < n_; ++i)
        for (uint32_t j = 0; j < n_; ++j) cell(i, j) = std::min(cell(i, j), f(i, j));
    }
  };
  switch (m.op) {
    case NodeOp::base_rel: {
      const Relation& r = x_.rel(m.base);
      uint32_t p = m.base == vocab::Base::id || m.base == vocab::Base::int_ || m.base == vocab::Base::ext
                       ? 2
                       : k_base_edge_price;
      bool scope = suppose_ && m.base == vocab::Base::sr;
      each([&](uint32_t i, uint32_t j) {
        if (r.test(i, j)) return p;
        return scope && i != j && x_.events[i].key.thread != k_init && x_.events[j].key.thread != k_init
                   ? k_missing_price
                   : k_never;
      });
      break;
    }
    case NodeOp::base_set:
      each([&](uint32_t i, uint32_t) {
        if (x_.events[i].tags.has(m.tag)) return 16u;
        return suppose_ && may_suppose(x_.events[i], m.tag) ? k_missing_price : k_never;
      });
      break;
    case NodeOp::everything:
      each([](uint32_t, uint32_t) { return 1u; });
      break;
    case NodeOp::memory:
      each([&](uint32_t i, uint32_t) {
        return x_.events[i].tags.has(vocab::Tag::R) || x_.events[i].tags.has(vocab::Tag::W) ? 2u : k_never;
      });
      break;
    case NodeOp::empty_set:
    case NodeOp::empty_rel:
      break;
    case NodeOp::rec_var: {
      NodeId d = model_.variables[m.rec].definition;
      each([&](uint32_t i, uint32_t j) { return plus(price(d, i, j), 1); });
      break;
    }
    case NodeOp::union_:
      each([&](uint32_t i, uint32_t j) {
        uint32_t best = k_never;
        for (NodeId k : m.kids) best = std::min(best, price(k, i, j));
        return plus(best, 1);
      });
      break;
    case NodeOp::inter:
      each([&](uint32_t i, uint32_t j) {
        uint32_t sum = 1;
        for (NodeId k : m.kids) sum = plus(sum, price(k, i, j));
        return sum;
      });
      break;
    case NodeOp::diff:
      each([&](uint32_t i, uint32_t j) {
        uint32_t left = price(m.kids[0], i, j);
        return left == k_never ? k_never : plus(plus(left, absence(m.kids[1], i, j)), 1);
      });
      break;
    case NodeOp::complement:
      each([&](uint32_t i, uint32_t j) { return plus(absence(m.kids[0], i, j), 1); });
      break;
    case NodeOp::seq:
      for (uint32_t i = 0; i < n_; ++i) {
        Prices r = row(node, i);
        for (uint32_t j = 0; j < n_; ++j) cell(i, j) = std::min(cell(i, j), r[j]);
      }
      break;
    case NodeOp::inverse:
      each([&](uint32_t i, uint32_t j) { return plus(price(m.kids[0], j, i), 1); });
      break;
    case NodeOp::plus:
    case NodeOp::star: {
      for (uint32_t i = 0; i < n_; ++i)
        for (uint32_t j = 0; j < n_; ++j) cell(i, j) = std::min(cell(i, j), plus(price(m.kids[0], i, j), 1));
      for (uint32_t k = 0; k < n_; ++k)
        for (uint32_t i = 0; i < n_; ++i) {
          uint32_t ik = cell(i, k);
          if (ik == k_never) continue;
          for (uint32_t j = 0; j < n_; ++j) cell(i, j) = std::min(cell(i, j), plus(ik, cell(k, j)));
        }
      if (m.op == NodeOp::star)
        for (uint32_t i = 0; i < n_; ++i) cell(i, i) = 1;
      break;
    }
    case NodeOp::opt:
      each([&](uint32_t i, uint32_t j) { return i == j ? 1u : plus(price(m.kids[0], i, j), 1); });
      break;
    case NodeOp::product:
      each([&](uint32_t i, uint32_t j) { return plus(plus(price(m.kids[0], i, i), price(m.kids[1], j, j)), 1); });
      break;
    case NodeOp::ident:
      for (uint32_t i = 0; i < n_; ++i) cell(i, i) = std::min(cell(i, i), plus(price(m.kids[0], i, i), 1));
      break;
    case NodeOp::domain:
    case NodeOp::range:
      for (uint32_t i = 0; i < n_; ++i)
        for (uint32_t j = 0; j < n_; ++j)
          out[i] = std::min(out[i], plus(m.op == NodeOp::domain ? price(m.kids[0], i, j) : price(m.kids[0], j, i), 1));
      break;
  }
  return out != old;
}

Reason Derivations::leaf(NodeId node, uint32_t from, uint32_t to) const {
  return {node, from, to, reason_label(model_, node, false), {}, false};
}

Reason Derivations::absent(NodeId node, uint32_t from, uint32_t to) const {
  Reason r{node, from, to, reason_label(model_, node, true), {}, true};
  if (suppose_ && model_.nodes[node].type == Type::set) absence_tags(node, from, r);
  return r;
}

// r+ : the hops of a cheapest path.
Reason Derivations::path(NodeId node, uint32_t from, uint32_t to) const {
  NodeId step = model_.nodes[node].kids[0];
  bool star = model_.nodes[node].op == NodeOp::star;
  Reason out = leaf(node, from, to);
  if (star && from == to) return out;
  uint32_t at = from;
  uint32_t left = price(node, from, to);
  // Closed at `to`: with star the identity is free, so only the first arrival counts.
  while (true) {
    if (plus(price(step, at, to), 1) <= left) {
      out.because.push_back(derive(step, at, to));
      return out;
    }
    bool moved = false;
    for (uint32_t mid = 0; mid < n_ && !moved; ++mid) {
      if (star && mid == to) continue;
      uint32_t hop = plus(price(step, at, mid), 1);
      uint32_t rest = price(node, mid, to);
      if (hop == k_never || rest == k_never || plus(hop, rest) > left) continue;
      out.because.push_back(derive(step, at, mid));
      at = mid;
      left = rest;
      moved = true;
    }
    FENCEPOST_INVARIANT(moved, "a path that has a price has a next hop");
  }
}

Reason Derivations::derive(NodeId node, uint32_t from, uint32_t to) const {
  const cat::Node& m = model_.nodes[node];
  FENCEPOST_INVARIANT(price(node, from, to) < k_never, "only an edge that holds is explained");
  Reason out = leaf(node, from, to);
  switch (m.op) {
    case NodeOp::base_rel:
    case NodeOp::base_set:
    case NodeOp::everything:
    case NodeOp::memory:
    case NodeOp::empty_set:
    case NodeOp::empty_rel:
      return out;
    case NodeOp::rec_var:
      out.because.push_back(derive(model_.variables[m.rec].definition, from, to));
      return out;
    case NodeOp::union_: {
      NodeId best = m.kids[0];
      for (NodeId k : m.kids)
        if (price(k, from, to) < price(best, from, to)) best = k;
      out.because.push_back(derive(best, from, to));
      return out;
    }
    case NodeOp::inter:
      for (NodeId k : m.kids) out.because.push_back(derive(k, from, to));
      return out;
    case NodeOp::diff:
      out.because.push_back(derive(m.kids[0], from, to));
      out.because.push_back(absent(m.kids[1], from, to));
      return out;
    case NodeOp::complement:
      out.because.push_back(absent(m.kids[0], from, to));
      return out;
    case NodeOp::seq: {
      // Prices of the suffixes: rest[k][i] = cheapest way from i through kids k.. to `to`.
      size_t count = m.kids.size();
      std::vector<Prices> rest(count + 1, Prices(n_, k_never));
      rest[count][to] = 0;
      for (size_t k = count; k-- > 0;)
        for (uint32_t i = 0; i < n_; ++i)
          for (uint32_t j = 0; j < n_; ++j)
            if (rest[k + 1][j] != k_never)
              rest[k][i] = std::min(rest[k][i], plus(price(m.kids[k], i, j), rest[k + 1][j]));
      uint32_t at = from;
      for (size_t k = 0; k < count; ++k)
        for (uint32_t j = 0; j < n_; ++j)
          if (rest[k + 1][j] != k_never && plus(price(m.kids[k], at, j), rest[k + 1][j]) == rest[k][at]) {
            out.because.push_back(derive(m.kids[k], at, j));
            at = j;
            break;
          }
      return out;
    }
    case NodeOp::inverse:
      out.because.push_back(derive(m.kids[0], to, from));
      return out;
    case NodeOp::plus:
    case NodeOp::star:
      return path(node, from, to);
    case NodeOp::opt:
      if (from != to) out.because.push_back(derive(m.kids[0], from, to));
      return out;
    case NodeOp::product:
      out.because.push_back(derive(m.kids[0], from, from));
      out.because.push_back(derive(m.kids[1], to, to));
      return out;
    case NodeOp::ident:
      out.because.push_back(derive(m.kids[0], from, from));
      return out;
    case NodeOp::domain:
    case NodeOp::range: {
      uint32_t best = 0, best_price = k_never;
      for (uint32_t j = 0; j < n_; ++j) {
        uint32_t p = m.op == NodeOp::domain ? price(m.kids[0], from, j) : price(m.kids[0], j, from);
        if (p < best_price) {
          best_price = p;
          best = j;
        }
      }
      out.because.push_back(m.op == NodeOp::domain ? derive(m.kids[0], from, best) : derive(m.kids[0], best, from));
      return out;
    }
  }
  return out;
}

}  // namespace fencepost::reference

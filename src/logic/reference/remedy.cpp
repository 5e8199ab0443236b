// What is missing. The prices of derivation.h are computed once more with tags and scopes that are not there offered at
// a high price: the cheapest derivation then uses as few of them as possible. Prices ignore that a new tag may take an
// edge away elsewhere, so the changed execution is evaluated before anything is claimed.
#include <algorithm>
#include <functional>

#include "reference/derivation.h"

namespace fencepost::reference {
namespace {

using cat::NodeId;
using cat::NodeOp;
using vocab::Tag;

void collect(const cat::Model& model, const Execution& x, const Reason& r, Remedy& out) {
  const cat::Node& m = model.nodes[r.node];
  if (!r.absent && m.op == NodeOp::base_set && !x.events[r.from].tags.has(m.tag)) out.tags.push_back({r.from, m.tag});
  if (!r.absent && m.op == NodeOp::base_rel && !x.rel(m.base).test(r.from, r.to))
    out.scopes.push_back(std::minmax(r.from, r.to));
  for (const Reason& k : r.because) collect(model, x, k, out);
}

void tidy(Remedy& r) {
  std::sort(r.tags.begin(), r.tags.end());
  r.tags.erase(std::unique(r.tags.begin(), r.tags.end()), r.tags.end());
  std::sort(r.scopes.begin(), r.scopes.end());
  r.scopes.erase(std::unique(r.scopes.begin(), r.scopes.end()), r.scopes.end());
}

Execution changed(const Execution& x, const Remedy& r) {
  Execution out = x;
  for (const Remedy::Missing& m : r.tags) {
    out.events[m.event].tags.add(m.tag);
    out.events[m.event].tags.remove(Tag::WEAK);  // an order replaces "no order"
  }
  for (const auto& [a, b] : r.scopes) {
    out.base[static_cast<size_t>(vocab::Base::sr)].set(a, b);
    out.base[static_cast<size_t>(vocab::Base::sr)].set(b, a);
  }
  return out;
}

// A cheapest cycle, whatever its length (the shortest may need more that is not there).
std::vector<uint32_t> cheapest_cycle(const Derivations& d, NodeId node, uint32_t n, uint64_t& best_price) {
  constexpr uint64_t never = UINT64_MAX / 2;
  std::vector<uint64_t> price(static_cast<size_t>(n) * n, never);
  std::vector<uint32_t> next(static_cast<size_t>(n) * n, n);
  for (uint32_t i = 0; i < n; ++i)
    for (uint32_t j = 0; j < n; ++j)
      if (uint32_t p = d.price(node, i, j); p < k_never) {
        price[static_cast<size_t>(i) * n + j] = p;
        next[static_cast<size_t>(i) * n + j] = j;
      }
  for (uint32_t k = 0; k < n; ++k)
    for (uint32_t i = 0; i < n; ++i)
      for (uint32_t j = 0; j < n; ++j) {
        uint64_t through = price[static_cast<size_t>(i) * n + k] + price[static_cast<size_t>(k) * n + j];
        if (through < price[static_cast<size_t>(i) * n + j]) {
          price[static_cast<size_t>(i) * n + j] = through;
          next[static_cast<size_t>(i) * n + j] = next[static_cast<size_t>(i) * n + k];
        }
      }
  std::vector<uint32_t> out;
  best_price = never;
  for (uint32_t i = 0; i < n; ++i) best_price = std::min(best_price, price[static_cast<size_t>(i) * n + i]);
  if (best_price == never) return out;
  uint32_t start = 0;
  while (price[static_cast<size_t>(start) * n + start] != best_price) ++start;
  uint32_t at = start;
  do {
    out.push_back(at);
    at = next[static_cast<size_t>(at) * n + start];
  } while (at != start && out.size() <= n);
  return out.size() > n ? std::vector<uint32_t>{} : out;
}

}  // namespace

std::optional<Remedy> remedy_for_edge(const cat::Model& model, const Execution& x, const Evaluation& ev, NodeId node,
                                      uint32_t from, uint32_t to) {
  Derivations d(model, x, ev, {node}, true);
  if (d.price(node, from, to) == k_never) return std::nullopt;
  Remedy out;
  collect(model, x, d.derive(node, from, to), out);
  tidy(out);
  Evaluation again = evaluate(model, changed(x, out));
  const SetOrRel& v = again.value[node];
  bool holds =
      std::holds_alternative<Relation>(v) ? std::get<Relation>(v).test(from, to) : std::get<BitSet>(v).test(from);
  if (!holds) return std::nullopt;
  return out;
}

std::optional<Remedy> remedy_for_axioms(const cat::Model& model, const Execution& x, const Evaluation& ev) {
  std::vector<NodeId> roots;
  for (const cat::Axiom& a : model.axioms)
    if (!a.flag && !a.negated) roots.push_back(a.node);
  Derivations d(model, x, ev, roots, true);
  auto n = static_cast<uint32_t>(x.events.size());
  struct Option {
    uint64_t price;
    uint32_t axiom;
    std::vector<std::pair<uint32_t, uint32_t>> edges;
  };
  std::vector<Option> options;
  for (uint32_t i = 0; i < model.axioms.size(); ++i) {
    const cat::Axiom& a = model.axioms[i];
    if (a.flag || a.negated) continue;
    Option o{UINT64_MAX, i, {}};
    if (a.kind == cat::AxiomKind::acyclic) {
      std::vector<uint32_t> cycle = cheapest_cycle(d, a.node, n, o.price);
      for (size_t k = 0; k < cycle.size(); ++k) o.edges.push_back({cycle[k], cycle[(k + 1) % cycle.size()]});
    } else {
      bool diagonal = a.kind == cat::AxiomKind::irreflexive || model.nodes[a.node].type == cat::Type::set;
      for (uint32_t from = 0; from < n; ++from)
        for (uint32_t to = diagonal ? from : 0; to < (diagonal ? from + 1 : n); ++to)
          if (uint32_t p = d.price(a.node, from, to); p < k_never && p < o.price) {
            o.price = p;
            o.edges = {{from, to}};
          }
    }
    if (!o.edges.empty()) options.push_back(std::move(o));
  }
  std::stable_sort(options.begin(), options.end(), [](const Option& a, const Option& b) { return a.price < b.price; });
  for (const Option& o : options) {
    Remedy out;
    out.axiom = o.axiom;
    for (const auto& [from, to] : o.edges) collect(model, x, d.derive(model.axioms[o.axiom].node, from, to), out);
    tidy(out);
    Evaluation again = evaluate(model, changed(x, out));
    if (std::count(again.violated.begin(), again.violated.end(), o.axiom) > 0) return out;
  }
  return std::nullopt;
}

}  // namespace fencepost::reference

// Cycles are found by breadth-first search layer by layer from every event: the first layer that returns to its
// start gives the fewest edges, and within equally many edges a running minimum of prices gives the smallest
// unfolding. Litmus executions have tens of events, so n searches of n^3 steps are cheap.
#include "reference/explain.h"

#include <algorithm>

#include "base/diagnostic.h"
#include "reference/derivation.h"

namespace fencepost::reference {
namespace {

using cat::AxiomKind;
using cat::NodeId;
using cat::NodeOp;

uint32_t count_base_edges(const cat::Model& model, const Reason& r) {
  if (r.absent) return 0;
  if (r.because.empty()) return model.nodes[r.node].op == NodeOp::base_rel ? 1 : 0;
  uint32_t sum = 0;
  for (const Reason& k : r.because) sum += count_base_edges(model, k);
  return sum;
}

}  // namespace

std::vector<uint32_t> shortest_cycle(const Derivations& d, NodeId node, uint32_t n) {
  std::vector<uint32_t> best;
  uint64_t best_price = 0;
  for (uint32_t start = 0; start < n; ++start) {
    // price[k][v]: cheapest walk of k edges from start to v. A shortest cycle is simple, so walks suffice.
    std::vector<std::vector<uint64_t>> price(1, std::vector<uint64_t>(n, UINT64_MAX));
    std::vector<std::vector<uint32_t>> from(1, std::vector<uint32_t>(n, 0));
    price[0][start] = 0;
    size_t limit = best.empty() ? n : best.size();
    for (size_t k = 1; k <= limit; ++k) {
      price.emplace_back(n, UINT64_MAX);
      from.emplace_back(n, 0);
      bool alive = false;
      for (uint32_t v = 0; v < n; ++v) {
        if (price[k - 1][v] == UINT64_MAX) continue;
        for (uint32_t w = 0; w < n; ++w) {
          uint32_t p = d.price(node, v, w);
          if (p == k_never) continue;
          uint64_t sum = price[k - 1][v] + p;
          if (sum < price[k][w]) {
            price[k][w] = sum;
            from[k][w] = v;
            alive = true;
          }
        }
      }
      if (price[k][start] != UINT64_MAX) {
        if (best.empty() || k < best.size() || price[k][start] < best_price) {
          best_price = price[k][start];
          best.assign(k, start);
          uint32_t at = start;
          for (size_t j = k; j-- > 0;) {
            at = from[j + 1][at];
            best[j] = at;
          }
        }
        break;
      }
      if (!alive) break;
    }
  }
  return best;
}

std::optional<Reason> derive(const cat::Model& model, const Execution& x, const Evaluation& ev, NodeId node,
                             uint32_t from, uint32_t to) {
  Derivations d(model, x, ev, {node});
  if (d.price(node, from, to) == k_never) return std::nullopt;
  return d.derive(node, from, to);
}

std::vector<Explanation> explain(const cat::Model& model, const Execution& x, const Evaluation& ev, bool flags) {
  const std::vector<uint32_t>& axioms = flags ? ev.raised : ev.violated;
  std::vector<NodeId> roots;
  for (uint32_t a : axioms) roots.push_back(model.axioms[a].node);
  Derivations d(model, x, ev, roots);
  auto n = static_cast<uint32_t>(x.events.size());
  std::vector<Explanation> out;
  for (uint32_t a : axioms) {
    const cat::Axiom& axiom = model.axioms[a];
    Explanation e;
    e.axiom = a;
    // A constraint is violated, or a negated flag raised, by something that is there; the others by its absence.
    bool something = axiom.flag == axiom.negated;
    if (something && axiom.kind == AxiomKind::acyclic) {
      e.cycle = shortest_cycle(d, axiom.node, n);
      for (size_t k = 0; k < e.cycle.size(); ++k)
        e.edges.push_back(d.derive(axiom.node, e.cycle[k], e.cycle[(k + 1) % e.cycle.size()]));
    } else if (something) {
      uint32_t best = k_never, from = 0, to = 0;
      bool diagonal = axiom.kind == AxiomKind::irreflexive || model.nodes[axiom.node].type == cat::Type::set;
      for (uint32_t i = 0; i < n; ++i)
        for (uint32_t j = diagonal ? i : 0; j < (diagonal ? i + 1 : n); ++j) {
          uint32_t p = d.price(axiom.node, i, j);
          if (p < best) {
            best = p;
            from = i;
            to = j;
          }
        }
      FENCEPOST_INVARIANT(best < k_never, "a violated axiom has an edge to show");
      if (axiom.kind == AxiomKind::irreflexive) e.cycle = {from};
      e.edges.push_back(d.derive(axiom.node, from, to));
    }
    for (const Reason& r : e.edges) e.base_edges += count_base_edges(model, r);
    out.push_back(std::move(e));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Explanation& a, const Explanation& b) { return a.base_edges < b.base_edges; });
  return out;
}

}  // namespace fencepost::reference

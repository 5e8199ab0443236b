// Explanations on random executions under random models: every edge verifies, no shorter cycle or smaller unfolding
// exists (brute force), and a tampered explanation is refused.
#include "reference/explain.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "explain_random.h"
#include "prog/test.h"

namespace fencepost::reference {
namespace {

using cat::NodeId;
using cat::NodeOp;

// Length of a shortest cycle by listing all simple cycles; 0: none.
size_t brute_shortest_cycle(const Relation& r) {
  uint32_t n = r.universe();
  size_t best = 0;
  std::vector<bool> on(n, false);
  std::function<void(uint32_t, uint32_t, size_t)> walk = [&](uint32_t start, uint32_t at, size_t length) {
    for (uint32_t next = 0; next < n; ++next) {
      if (!r.test(at, next)) continue;
      if (next == start) {
        if (best == 0 || length + 1 < best) best = length + 1;
      } else if (!on[next] && next > start) {
        on[next] = true;
        walk(start, next, length + 1);
        on[next] = false;
      }
    }
  };
  for (uint32_t s = 0; s < n; ++s) walk(s, s, 0);
  return best;
}

// Fewest base edges of a derivation, by listing derivations up to a depth. Nothing here knows of prices.
struct Brute {
  const cat::Model& model;
  const Evaluation& ev;
  static constexpr uint32_t none = 1000000;
  bool in(NodeId v, uint32_t i, uint32_t j) const {
    if (const auto* s = std::get_if<BitSet>(&ev.value[v])) return i == j && s->test(i);
    return std::get<Relation>(ev.value[v]).test(i, j);
  }
  uint32_t fewest(NodeId v, uint32_t i, uint32_t j) const {
    if (!in(v, i, j)) return none;
    const cat::Node& m = model.nodes[v];
    auto n = static_cast<uint32_t>(ev.value.empty() ? 0 : universe());
    uint32_t best = none;
    switch (m.op) {
      case NodeOp::base_rel:
        return m.base == vocab::Base::id ? 0 : 1;
      case NodeOp::union_:
        for (NodeId k : m.kids) best = std::min(best, fewest(k, i, j));
        return best;
      case NodeOp::inter: {
        uint32_t sum = 0;
        for (NodeId k : m.kids) sum += fewest(k, i, j);
        return sum;
      }
      case NodeOp::diff:
        return fewest(m.kids[0], i, j);
      case NodeOp::seq:
        return through(m.kids, 0, i, j);
      case NodeOp::inverse:
        return fewest(m.kids[0], j, i);
      case NodeOp::plus:
        return paths(m.kids[0], i, j, n);
      case NodeOp::star:
        return i == j ? 0 : paths(m.kids[0], i, j, n);
      case NodeOp::opt:
        return i == j ? 0 : fewest(m.kids[0], i, j);
      case NodeOp::product:
        return fewest(m.kids[0], i, i) + fewest(m.kids[1], j, j);
      case NodeOp::ident:
        return fewest(m.kids[0], i, i);
      case NodeOp::domain:
      case NodeOp::range:
        for (uint32_t k = 0; k < n; ++k)
          best = std::min(best, m.op == NodeOp::domain ? fewest(m.kids[0], i, k) : fewest(m.kids[0], k, i));
        return best;
      default:
        return 0;
    }
  }
  uint32_t universe() const {
    for (const auto& v : ev.value)
      if (const auto* r = std::get_if<Relation>(&v)) return r->universe();
    return 0;
  }
  uint32_t through(const std::vector<NodeId>& kids, size_t k, uint32_t i, uint32_t j) const {
    if (k == kids.size()) return i == j ? 0 : none;
    uint32_t best = none;
    for (uint32_t mid = 0; mid < universe(); ++mid)
      if (in(kids[k], i, mid)) best = std::min(best, fewest(kids[k], i, mid) + through(kids, k + 1, mid, j));
    return best;
  }
  uint32_t paths(NodeId step, uint32_t i, uint32_t j, uint32_t hops) const {  // Bellman-Ford over whole walks
    uint32_t n = universe();
    std::vector<uint32_t> at(n, none);
    for (uint32_t k = 0; k < n; ++k) at[k] = fewest(step, i, k);
    for (uint32_t h = 1; h < hops; ++h) {
      std::vector<uint32_t> next = at;
      for (uint32_t a = 0; a < n; ++a)
        for (uint32_t b = 0; b < n; ++b)
          if (at[a] < none && in(step, a, b)) next[b] = std::min(next[b], at[a] + fewest(step, a, b));
      at = next;
    }
    return at[j];
  }
};

uint32_t edges_below(const cat::Model& m, const Reason& r) {
  if (r.absent) return 0;
  if (r.because.empty()) return m.nodes[r.node].op == NodeOp::base_rel && m.nodes[r.node].base != vocab::Base::id;
  uint32_t sum = 0;
  for (const Reason& k : r.because) sum += edges_below(m, k);
  return sum;
}

TEST(Explain, RandomModelsEveryEdgeVerifiesAndNoCycleIsShorter) {
  Rng rng(20240612);
  uint32_t cycles = 0, loops = 0, pairs = 0, absences = 0, recursive = 0, longest = 0;
  for (uint32_t round = 0; round < 1200; ++round) {
    uint32_t n = 3 + static_cast<uint32_t>(rng.below(5));
    Execution x = random_cases::execution(rng, n);
    cat::Model m = random_cases::model(rng, 4 + static_cast<uint32_t>(rng.below(14)));
    Evaluation ev = evaluate(m, x);
    for (bool flags : {false, true}) {
      std::vector<Explanation> all = explain(m, x, ev, flags);
      ASSERT_EQ(all.size(), flags ? ev.raised.size() : ev.violated.size());
      for (size_t k = 0; k < all.size(); ++k) {
        const Explanation& e = all[k];
        const cat::Axiom& a = m.axioms[e.axiom];
        ASSERT_TRUE(verify(m, x, ev, e)) << "round " << round << " axiom " << a.name;
        ASSERT_LE(all[k == 0 ? 0 : k - 1].base_edges, e.base_edges);
        if (a.flag != a.negated) {
          ++absences;
          continue;
        }
        if (a.kind == cat::AxiomKind::acyclic) {
          ++cycles;
          size_t expected = brute_shortest_cycle(std::get<Relation>(ev.value[a.node]));
          ASSERT_EQ(e.cycle.size(), expected) << "round " << round;
          longest = std::max(longest, static_cast<uint32_t>(expected));
        } else {
          ++(a.kind == cat::AxiomKind::irreflexive ? loops : pairs);
        }
        recursive += !m.variables.empty();
      }
    }
  }
  EXPECT_GE(cycles, 300u);
  EXPECT_GE(loops, 300u);
  EXPECT_GE(pairs, 300u);
  EXPECT_GE(absences, 50u);
  EXPECT_GE(recursive, 300u);
  EXPECT_GE(longest, 4u);
}

TEST(Explain, UnfoldingHasFewestBaseEdges) {
  Rng rng(77);
  uint32_t compared = 0;
  while (compared < 600) {
    Execution x = random_cases::execution(rng, 4);
    cat::Model m = random_cases::model(rng, 7);
    if (!m.variables.empty()) continue;
    Evaluation ev = evaluate(m, x);
    Brute brute{m, ev};
    for (NodeId v = 0; v < m.nodes.size(); ++v) {
      if (m.nodes[v].type != cat::Type::rel) continue;
      uint32_t i = static_cast<uint32_t>(rng.below(4)), j = static_cast<uint32_t>(rng.below(4));
      std::optional<Reason> r = derive(m, x, ev, v, i, j);
      ASSERT_EQ(r.has_value(), brute.in(v, i, j)) << expression(m, v, 200, true) << " " << name(m.nodes[v].op);
      if (!r) continue;
      ASSERT_TRUE(verify(m, x, ev, *r));
      ASSERT_EQ(edges_below(m, *r), brute.fewest(v, i, j)) << expression(m, v);
      ++compared;
    }
  }
}

TEST(Explain, VerifyRefusesWhatIsTamperedWith) {
  Rng rng(5);
  uint32_t tampered = 0;
  for (uint32_t round = 0; round < 300; ++round) {
    Execution x = random_cases::execution(rng, 6);
    cat::Model m = random_cases::model(rng, 10);
    Evaluation ev = evaluate(m, x);
    for (const Explanation& e : explain(m, x, ev, false)) {
      if (e.edges.empty()) continue;
      Explanation bad = e;
      bad.edges[0].to = (bad.edges[0].to + 1) % 6;
      EXPECT_TRUE(e.cycle.empty() || !verify(m, x, ev, bad));  // another pair of an `empty` axiom may be a witness too
      if (!e.edges[0].because.empty()) {
        bad = e;
        bad.edges[0].because.pop_back();
        cat::NodeOp op = m.nodes[bad.edges[0].node].op;
        bool optional = op == NodeOp::opt || op == NodeOp::star || op == NodeOp::plus;  // a prefix may be a proof too
        EXPECT_TRUE(optional || !verify(m, x, ev, bad));
      }
      // A base fact that the execution does not have.
      bad = e;
      Reason* leaf = &bad.edges[0];
      while (!leaf->because.empty()) leaf = &leaf->because.front();
      if (m.nodes[leaf->node].op == NodeOp::base_rel && !leaf->absent) {
        Execution without = x;
        without.base[static_cast<size_t>(m.nodes[leaf->node].base)].reset(leaf->from, leaf->to);
        EXPECT_FALSE(verify(m, without, ev, bad));
        ++tampered;
      }
    }
  }
  EXPECT_GE(tampered, 100u);
}

TEST(Explain, ExpressionsHaveFewBrackets) {
  cat::Model m;
  auto leaf = [&](vocab::Base b) {
    cat::Node n;
    n.op = NodeOp::base_rel;
    n.base = b;
    m.nodes.push_back(n);
    return static_cast<NodeId>(m.nodes.size() - 1);
  };
  auto node = [&](NodeOp op, std::vector<NodeId> kids, std::string name = {}) {
    cat::Node n;
    n.op = op;
    n.kids = std::move(kids);
    n.name = std::move(name);
    m.nodes.push_back(n);
    return static_cast<NodeId>(m.nodes.size() - 1);
  };
  NodeId rf = leaf(vocab::Base::rf), co = leaf(vocab::Base::co), po = leaf(vocab::Base::po);
  NodeId fr = node(NodeOp::seq, {node(NodeOp::inverse, {rf}), co}, "fr");
  NodeId axiom = node(NodeOp::seq, {node(NodeOp::union_, {rf, fr}), node(NodeOp::plus, {po})});
  EXPECT_EQ(expression(m, axiom), "(rf | fr); po+");
  EXPECT_EQ(expression(m, fr), "fr");
  EXPECT_EQ(expression(m, fr, 100, true), "rf^-1; co");
  EXPECT_EQ(expression(m, axiom, 6), "(rf | ...");
}

}  // namespace
}  // namespace fencepost::reference

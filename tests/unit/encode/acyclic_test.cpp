// Vertex elimination against depth-first search, on every subset of random graphs.
#include "encode/acyclic.h"

#include <gtest/gtest.h>

#include "base/bits.h"
#include "base/job.h"

namespace fencepost::encode {
namespace {

TEST(ForbidCycles, AgreesWithSearchOnEveryEdgeSubset) {
  Rng rng(11);
  for (int round = 0; round < 60; ++round) {
    const uint32_t n = 2 + static_cast<uint32_t>(rng.below(5));
    const uint32_t m = 1 + static_cast<uint32_t>(rng.below(9));
    sat::Circuit c;
    std::vector<WeightedEdge> edges;
    for (uint32_t k = 0; k < m; ++k)
      edges.push_back({static_cast<uint32_t>(rng.below(n)), static_cast<uint32_t>(rng.below(n)), c.fresh()});
    const sat::Lit when = c.fresh();
    forbid_cycles(c, n, edges, when);
    auto solver = sat::make_cadical();
    c.feed(*solver);
    for (uint32_t bits = 0; bits < (1u << m); ++bits) {
      Relation r(n);
      std::vector<sat::Lit> pins{when};
      for (uint32_t k = 0; k < m; ++k) {
        const bool on = ((bits >> k) & 1) != 0;
        if (on) r.set(edges[k].from, edges[k].to);
        pins.push_back(on ? edges[k].lit : -edges[k].lit);
      }
      EXPECT_EQ(solver->solve(pins, Job{}) == sat::Answer::sat, r.acyclic());
      pins[0] = -when;
      EXPECT_EQ(solver->solve(pins, Job{}), sat::Answer::sat);
    }
  }
}

TEST(ForbidCycles, RingsStayLinear) {
  sat::Circuit c;
  std::vector<WeightedEdge> ring;
  for (uint32_t k = 0; k < 500; ++k) ring.push_back({k, (k + 1) % 500, c.fresh()});
  forbid_cycles(c, 500, ring, sat::k_true);
  EXPECT_LT(c.clause_count(), 5000u);
}

}  // namespace
}  // namespace fencepost::encode

// Exact numbers of candidate executions and of states, known from counting by hand (and as herd counts them).
#include "enumerate_support.h"
#include "prog/test.h"

namespace fencepost::check {
namespace {

const std::string k_sb =
    vulkan({{W("x", 1), R("r0", "y")}, {W("y", 1), R("r0", "x")}}, "exists (P0:r0 == 0 /\\ P1:r0 == 0)");
const std::string k_mp =
    vulkan({{W("x", 1), W("y", 1)}, {R("r0", "y"), R("r1", "x")}}, "exists (P1:r0 == 1 /\\ P1:r1 == 0)");
const std::string k_lb =
    vulkan({{R("r0", "x"), W("y", 1)}, {R("r0", "y"), W("x", 1)}}, "exists (P0:r0 == 1 /\\ P1:r0 == 1)");
const std::string k_22w = vulkan({{W("x", 1), W("y", 2)}, {W("y", 1), W("x", 2)}}, "exists (x == 1 /\\ y == 1)");
const std::string k_iriw =
    vulkan({{W("x", 1)}, {W("y", 1)}, {R("r0", "x"), R("r1", "y")}, {R("r0", "y"), R("r1", "x")}},
           "exists (P2:r0 == 1 /\\ P2:r1 == 0 /\\ P3:r0 == 1 /\\ P3:r1 == 0)");
const std::string k_corr = vulkan({{W("x", 1)}, {R("r0", "x"), R("r1", "x")}}, "exists (P1:r0 == 1 /\\ P1:r1 == 0)");
const std::string k_coww = vulkan({{W("x", 1), W("x", 2)}}, "exists (x == 1)");

TEST(EnumerateCounts, CandidatesWithoutAxioms) {
  EXPECT_EQ(executions(k_sb, k_anything), 4u);
  EXPECT_EQ(executions(k_mp, k_anything), 4u);
  EXPECT_EQ(executions(k_lb, k_anything), 4u);
  EXPECT_EQ(executions(k_22w, k_anything), 4u);
  EXPECT_EQ(executions(k_iriw, k_anything), 16u);
  EXPECT_EQ(executions(k_corr, k_anything), 4u);
  EXPECT_EQ(executions(k_coww, k_anything), 2u);
  EXPECT_EQ(executions(vulkan({{W("x", 1)}, {W("x", 2)}, {W("x", 3)}, {W("x", 4)}}, "exists (x == 1)"), k_anything),
            24u);
}

TEST(EnumerateCounts, SequentialConsistency) {
  EXPECT_EQ(executions(k_sb, k_sc), 3u);
  EXPECT_EQ(executions(k_mp, k_sc), 3u);
  EXPECT_EQ(executions(k_lb, k_sc), 3u);
  EXPECT_EQ(executions(k_22w, k_sc), 3u);
  EXPECT_EQ(executions(k_iriw, k_sc), 15u);
  EXPECT_EQ(executions(k_corr, k_sc), 3u);
  EXPECT_EQ(executions(k_coww, k_sc), 1u);
}

TEST(EnumerateCounts, PositiveAndNegative) {
  const prog::Test t = parsed(k_sb);
  const Outcomes o = all(t, model_text(k_anything, t.dialect));
  EXPECT_EQ(o.positive, 1u);
  EXPECT_EQ(o.negative, 3u);
  EXPECT_TRUE(o.states.complete);
  EXPECT_EQ(texts(o),
            (std::set<std::string>{"0:r0=0; 1:r0=0;", "0:r0=0; 1:r0=1;", "0:r0=1; 1:r0=0;", "0:r0=1; 1:r0=1;"}));
}

TEST(EnumerateCounts, PartialCoherence) {
  // Per location: two orders with one last write each, and no order with two.
  const std::string ptx =
      "PTX t\n{ x=0; y=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n st.weak x, 1 | st.weak y, 1 ;\n st.weak y, 2 | "
      "st.weak x, 2 ;\n"
      "exists (x == 1 /\\ y == 1)\n";
  EXPECT_EQ(executions(ptx, k_anything), 16u);
  const std::string three =
      "PTX t\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 | P2@cta 0,gpu 0 ;\n"
      " st.weak x, 1 | st.weak x, 2 | st.weak x, 3 ;\n";
  // Strict partial orders on three elements: 19. Maximal elements over all of them: 6 chains and 3 joins with
  // one, 3 forks and 6 single pairs with two, the empty one with three.
  EXPECT_EQ(executions(three + "exists (x == 1)\n", k_anything), 6u + 3u + 2u * (3u + 6u) + 3u);
  EXPECT_EQ(executions(three + "locations [x;]\n", "acyclic co | co^-1 as none"), 0u);
}

TEST(EnumerateCounts, FenceOrders) {
  // Three fences that see each other: acyclic tournaments, 3! of 8. Out of scope: any set of ordered pairs.
  const auto fences = [](const std::string& scope, const std::string& second_cta) {
    return "PTX t\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta " + second_cta + ",gpu 0 | P2@cta 0,gpu 0 ;\n fence.sc." + scope +
           " | fence.sc." + scope + " | fence.sc." + scope + " ;\nexists (x == 0)\n";
  };
  EXPECT_EQ(executions(fences("gpu", "1"), "acyclic fsc as order"), 6u);
  EXPECT_EQ(executions(fences("gpu", "1"), "flag ~empty sync_fence as f"), 6u);
  EXPECT_EQ(executions(fences("cta", "1"), "acyclic fsc as order"), 2u);
  EXPECT_EQ(executions(fences("cta", "1"), "flag ~empty sync_fence as f"), 2u * 16u);
  EXPECT_EQ(executions(fences("cta", "1"), k_anything), 1u) << "nobody looks at the order";
}

TEST(EnumerateCounts, QuorumSets) {
  const std::string t =
      "PTX t\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 | P2@cta 0,gpu 0 ;\n"
      " bar.cta.sync 1, 1, 2 | bar.cta.sync 1, 1, 2 | bar.cta.sync 1, 1, 2 ;\nexists (x == 0)\n";
  EXPECT_EQ(executions(t, "flag ~empty syncbar as f"), 4u) << "sets of at least two of three";
}

TEST(EnumerateCounts, ReadModifyWrite) {
  // Two increments: each reads 0 or the other's 1; without axioms both orders of co.
  const std::string t = vulkan({{"rmw.atom.dv.sc0.add r0, x, 1"}, {"rmw.atom.dv.sc0.add r0, x, 1"}}, "exists (x == 2)");
  const prog::Test p = parsed(t);
  const Outcomes free = all(p, model_text(k_anything, p.dialect));
  EXPECT_EQ(free.positive + free.negative, 6u) << "reading from each other has no values";
  const Outcomes atomic = all(
      p,
      model_text("let fr = rf^-1; co\nacyclic po | rf | co | fr as sc\nempty amo & ((fr & ext); (co & ext)) as atomic",
                 p.dialect));
  EXPECT_EQ(texts(atomic), (std::set<std::string>{"x=2;"}));
}

}  // namespace
}  // namespace fencepost::check

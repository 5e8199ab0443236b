// The scope of a cluster: what ptx-8 decides with it, in both engines, and that models without it refuse it by name.
#include <gtest/gtest.h>

#include <array>

#include "../../support/parsed.h"
#include "cat/library.h"
#include "check/check.h"
#include "prog/test.h"

namespace fencepost::check {
namespace {

cat::Model shipped(const std::string& name) {
  auto m = cat::load_model(name, vocab::Dialect::ptx);
  EXPECT_TRUE(m) << (m ? "" : render(m.error()));
  return std::move(*m);
}

using support::parsed;

const char* const k_places[] = {"cta 0, cluster 0, gpu 0",
                                "cta 1, cluster 0, gpu 0",
                                "cta 1, cluster 1, gpu 0",
                                "cta 0, cluster 0, gpu 1",
                                "cta 0, gpu 0",
                                "cta 1, gpu 0"};
enum Where { here, beside, away, elsewhere, plain, plain_beside };

std::string mp(Where a, Where b, const std::string& fence, const std::string& access) {
  return std::string("PTX MP\n{ x = 0; y = 0; }\n P0@") + k_places[a] + " | P1@" + k_places[b] + " ;\n st." + access +
         " x, 1 | ld." + access + " r0, y ;\n " + fence + " | " + fence + " ;\n st." + access + " y, 1 | ld." + access +
         " r1, x ;\nexists (P1:r0 = 1 /\\ P1:r1 = 0)\n";
}
std::string sb(Where a, Where b, const std::string& fence, const std::string& access) {
  return std::string("PTX SB\n{ x = 0; y = 0; }\n P0@") + k_places[a] + " | P1@" + k_places[b] + " ;\n st." + access +
         " x, 1 | st." + access + " y, 1 ;\n " + fence + " | " + fence + " ;\n ld." + access + " r0, y | ld." + access +
         " r0, x ;\nexists (P0:r0 = 0 /\\ P1:r0 = 0)\n";
}

Status both(const prog::Test& t, const cat::Model& m) {
  Options o;
  o.engine = Engine::both;  // a disagreement ends the process
  Job job = Job::with_budget(20);
  const Result r = check(t, m, o, job);
  Job again = Job::with_budget(20), more = Job::with_budget(20);
  const Outcomes a = outcomes(t, m, {}, again), b = outcomes_by_solving(t, m, {}, more);
  EXPECT_TRUE(a.states.complete);
  EXPECT_EQ(a.states.states, b.states.states);
  return r.verdict.status;
}

TEST(ClusterScope, HoldsInTheClusterAndNoFurther) {
  const cat::Model m = shipped("ptx-8");
  const std::string c = "relaxed.cluster", g = "relaxed.gpu", t = "relaxed.cta", f = "fence.acq_rel.cluster";
  const struct {
    std::string text;
    Status weak;
  } rows[] = {
      {mp(here, beside, f, c), Status::fails},
      {mp(here, beside, f, g), Status::fails},
      {mp(here, beside, "fence.sc.cluster", c), Status::fails},
      {mp(here, beside, "fence.acq_rel.gpu", c), Status::fails},
      {mp(here, beside, "fence.acq_rel.cta", c), Status::holds},  // too narrow
      {mp(here, beside, f, t), Status::holds},                    // accesses too narrow
      {mp(here, away, f, c), Status::holds},                      // another cluster
      {mp(here, away, f, g), Status::holds},
      {mp(here, away, "fence.acq_rel.gpu", g), Status::fails},
      {mp(here, away, "fence.acq_rel.gpu", c), Status::holds},
      {mp(here, elsewhere, f, g), Status::holds},  // the same number on another device
      {mp(here, elsewhere, "fence.acq_rel.sys", "relaxed.sys"), Status::fails},
      {mp(here, here, f, c), Status::fails},           // one CTA
      {mp(plain, plain_beside, f, c), Status::holds},  // clusters of their own
      {mp(plain, plain, f, c), Status::fails},
      {sb(here, beside, "fence.sc.cluster", c), Status::fails},
      {sb(here, away, "fence.sc.cluster", g), Status::holds},
      {sb(here, away, "fence.sc.gpu", g), Status::fails},
      {sb(here, beside, f, c), Status::holds},
      {sb(plain, plain_beside, "fence.sc.cluster", g), Status::holds},
  };
  for (const auto& r : rows) {
    const prog::Test test = parsed(r.text);
    ASSERT_TRUE(fits(test, m));
    EXPECT_EQ(both(test, m), r.weak) << r.text;
  }
}

TEST(ClusterScope, APlaceInAClusterChangesNothingElse) {
  for (const char* name : {"ptx-8", "ptx-7.5", "ptx-7.5-tables", "ptx-6.0", "sc"}) {
    const cat::Model m = shipped(name);
    for (const char* fence : {"fence.acq_rel.cta", "fence.acq_rel.gpu", "fence.sc.cta", "fence.sc.gpu"})
      for (const auto& make : {mp, sb}) {
        const prog::Test placed = parsed(make(here, beside, fence, "relaxed.gpu")),
                         unplaced = parsed(make(plain, plain_beside, fence, "relaxed.gpu"));
        ASSERT_TRUE(fits(placed, m));
        EXPECT_EQ(both(placed, m), both(unplaced, m)) << name << " " << fence;
      }
  }
  // ptx-8 is ptx-7.5 for tests without the scope.
  const cat::Model a = shipped("ptx-8"), b = shipped("ptx-7.5");
  EXPECT_EQ(a.axioms.size(), b.axioms.size());
  EXPECT_EQ(a.nodes.size(), b.nodes.size());
}

TEST(ClusterScope, ModelsThatDoNotKnowItRefuseIt) {
  for (const char* name : {"ptx-8", "sc"}) EXPECT_TRUE(shipped(name).knows_clusters) << name;
  const prog::Test test = parsed(mp(here, beside, "fence.acq_rel.cluster", "relaxed.gpu"));
  for (const char* name :
       {"ptx-6.0", "ptx-6.0-tables", "ptx-7.5", "ptx-7.5-tables", "ptx-7.5-isca22", "ptx-7.5-asplos24", "rmo-scoped"}) {
    const cat::Model m = shipped(name);
    EXPECT_FALSE(m.knows_clusters) << name;
    const auto ok = fits(test, m);
    ASSERT_FALSE(ok) << name;
    const Diagnostic& d = ok.error().list.front();
    EXPECT_EQ(d.message, std::string("'fence.acq_rel.cluster' has the scope .cluster, and the model ") + name +
                             " does not know it");
    EXPECT_NE(d.hint.find("--model ptx-8"), std::string::npos);
    EXPECT_EQ(d.fault, Fault::unsupported);
    EXPECT_EQ(d.span.text(), "fence.acq_rel.cluster");
    Job job;
    EXPECT_EQ(check(test, m, {}, job).verdict.status, Status::unsupported) << "never a verdict by accident";
    EXPECT_FALSE(outcomes(test, m, {}, job).states.complete);
    EXPECT_FALSE(outcomes_by_solving(test, m, {}, job).states.complete);
  }
  const auto model = [](const std::string& text) {
    cat::LoadOptions o;
    o.prelude = cat::models_dir() + "/prelude-ptx.cat";
    auto m = cat::load_text(make_source("mine", text), o);
    EXPECT_TRUE(m) << (m ? "" : render(m.error()));
    return std::move(*m);
  };
  EXPECT_TRUE(model("\"a\"\nacyclic po | rf as a\n").knows_clusters) << "it looks at no scope";
  EXPECT_FALSE(model("\"a\"\nacyclic (sr & rf) | po as a\n").knows_clusters);
  EXPECT_FALSE(model("\"a\"\nempty [GPU] & rf as a\n").knows_clusters);
  EXPECT_TRUE(model("\"a\"\n(* scopes: cta cluster gpu sys *)\nacyclic (sr & rf) | po as a\n").knows_clusters);
  EXPECT_FALSE(model("\"a\"\n(* scopes: cta gpu sys *)\nacyclic (sr & rf) | po as a\n").knows_clusters);
  EXPECT_TRUE(model("\"a\"\nacyclic (scluster & rf) | po as a\n").knows_clusters);
  EXPECT_TRUE(model("\"a\"\nempty ([CLUSTER]; rf; [CLUSTER]) \\ sr as a\n").knows_clusters);
}

TEST(ClusterScope, RelationsAndSetsAreThereForModels) {
  // Reads from within a cluster only; of operations of its scope only.
  cat::LoadOptions o;
  o.prelude = cat::models_dir() + "/prelude-ptx.cat";
  const auto within = cat::load_text(
      make_source("m", "\"m\"\nempty ([_ \\ IW]; rfe) \\ scluster as far\nacyclic po | rf | co | fr as sc\n"), o);
  ASSERT_TRUE(within) << render(within.error());
  const auto told =
      cat::load_text(make_source("m", "\"m\"\nempty [W & CLUSTER]; rfe as told\nacyclic po | rf | co | fr as sc\n"), o);
  ASSERT_TRUE(told) << render(told.error());
  const auto read = [](Where b, const char* access) {
    return parsed(std::string("PTX R\n{ x = 0; }\n P0@") + k_places[here] + " | P1@" + k_places[b] + " ;\n st." +
                  access + " x, 1 | ld." + access + " r0, x ;\nexists (P1:r0 = 1)\n");
  };
  EXPECT_EQ(both(read(beside, "relaxed.gpu"), *within), Status::holds);
  EXPECT_EQ(both(read(away, "relaxed.gpu"), *within), Status::fails);
  EXPECT_EQ(both(read(elsewhere, "relaxed.sys"), *within), Status::fails);
  EXPECT_EQ(both(read(beside, "relaxed.cluster"), *told), Status::fails);
  EXPECT_EQ(both(read(beside, "relaxed.gpu"), *told), Status::holds);
}

// Two writers of equal code, of which only one is in the reader's cluster: they are not exchangeable. Read is what is
// last, and from within the cluster; so the other's write has to come first.
TEST(ClusterScope, WritersOfTwoClustersAreNotExchangeable) {
  cat::LoadOptions o;
  o.prelude = cat::models_dir() + "/prelude-ptx.cat";
  const auto m =
      cat::load_text(make_source("m",
                                 "\"m\"\nempty ([_ \\ IW]; rfe) \\ scluster as near\nempty fr as last\nempty ((W * W) "
                                 "& loc) \\ (co | co^-1 | id) as total\nacyclic po | rf | co | fr as sc\n"),
                     o);
  ASSERT_TRUE(m) << render(m.error());
  for (const int reader : {0, 1}) {
    const prog::Test t =
        parsed("PTX R\n{ x = 0; }\n P0@cta 0, cluster 0, gpu 0 | P1@cta 1, cluster 1, gpu 0 | P2@cta 2, cluster " +
               std::to_string(reader) +
               ", gpu 0 ;\n st.relaxed.gpu x, 1 | st.relaxed.gpu x, 1 | ld.relaxed.gpu r0, x ;\nexists (P2:r0 = 1)\n");
    EXPECT_EQ(both(t, *m), Status::holds) << reader;
  }
}

// Threads of two clusters are not exchangeable with each other where that would change who is in one.
TEST(ClusterScope, SymmetryKeepsClusters) {
  const cat::Model m = shipped("ptx-8");
  std::string text = "PTX S\n{ x = 0; }\n";
  const int clusters[] = {0, 1, 0, 1};
  for (int k = 0; k < 4; ++k)
    text += std::string(k == 0 ? " P" : " | P") + std::to_string(k) + "@cta " + std::to_string(k) + ", cluster " +
            std::to_string(clusters[k]) + ", gpu 0";
  text += " ;\n";
  for (int k = 0; k < 4; ++k) text += std::string(k == 0 ? " " : " | ") + "atom.relaxed.cluster.add r0, x, 1";
  text += " ;\nexists (x = ";
  for (const int total : {1, 2, 3, 4}) {
    const prog::Test t = parsed(text + std::to_string(total) + ")\n");
    Status seen[2];
    for (const bool symmetry : {true, false}) {
      Options o;
      o.engine = Engine::solve;
      o.symmetry = symmetry;
      Job job = Job::with_budget(60);
      seen[symmetry] = check(t, m, o, job).verdict.status;
    }
    EXPECT_EQ(seen[0], seen[1]) << total;
    Options o;
    o.engine = Engine::enumerate;
    Job job = Job::with_budget(60);
    EXPECT_EQ(check(t, m, o, job).verdict.status, seen[0]) << total;
  }
}

}  // namespace
}  // namespace fencepost::check

// Clusters of CTAs in PTX tests: places, scopes, printing back, and what is refused.
#include <gtest/gtest.h>

#include "print/litmus.h"
#include "prog/test.h"
#include "read/read.h"

namespace fencepost::litmus {
namespace {

using vocab::Tag;

std::string text(const std::string& row,
                 const std::string& code = "st.relaxed.cluster x, 1 | ld.acquire.cluster r0, x") {
  return "PTX t\n{\nx = 0;\n}\n " + row + " ;\n " + code + " ;\nexists (P1:r0 = 1)\n";
}

Expected<prog::Test> read(const std::string& t) { return read::parse_one(make_source("t.litmus", t)); }

TEST(Clusters, PlacesAreReadAndPrinted) {
  const auto t = read(text("P0@cta 0,cluster 3,gpu 0 | P1@gpu 0, cta 1, cluster 3"));
  ASSERT_TRUE(t) << render(t.error());
  EXPECT_EQ(t->threads[0].scope, (prog::ScopePath{0, 0, 0})) << "the path is that of tests without clusters";
  EXPECT_EQ(t->threads[0].cluster, 3u);
  EXPECT_EQ(t->threads[1].cluster, 3u);
  EXPECT_TRUE(prog::has_clusters(*t));
  EXPECT_TRUE(prog::has_cluster_scope(*t));
  const std::string printed = print::print(*t);
  EXPECT_NE(printed.find("P1@cta 1, cluster 3, gpu 0"), std::string::npos) << printed;
  const auto back = read(printed);
  ASSERT_TRUE(back) << render(back.error());
  EXPECT_EQ(*back, *t);
  const auto plain = read(text("P0@cta 0,gpu 0 | P1@cta 1,gpu 0", "st.relaxed.gpu x, 1 | ld.acquire.gpu r0, x"));
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->threads[0].cluster, prog::k_none);
  EXPECT_FALSE(prog::has_clusters(*plain));
  EXPECT_EQ(print::print(*plain).find("cluster"), std::string::npos);
}

TEST(Clusters, WhoIsInOne) {
  const auto t = read(
      "PTX t\n{ x = 0; }\n P0@cta 0,cluster 0,gpu 0 | P1@cta 0,cluster 0,gpu 0 | P2@cta 1,cluster 0,gpu 0 | P3@cta "
      "2,cluster 1,gpu 0 | P4@cta 0,cluster 0,gpu 1 ;\n st.weak x, 1 | st.weak x, 1 | st.weak x, 1 | st.weak x, 1 | "
      "st.weak x, 1 ;\nexists (x = 1)\n");
  ASSERT_TRUE(t) << render(t.error());
  const auto same = [&](size_t a, size_t b) {
    return prog::same_scope(t->threads[a], t->threads[b], vocab::k_level_cluster);
  };
  EXPECT_TRUE(same(0, 0) && same(0, 1) && same(0, 2) && same(2, 1));
  EXPECT_FALSE(same(0, 3) || same(2, 3));
  EXPECT_FALSE(same(0, 4)) << "a cluster is on one device";
  EXPECT_FALSE(prog::same_scope(t->threads[0], t->threads[2], 2)) << "another CTA";
  const auto plain = read(text("P0@cta 0,gpu 0 | P1@cta 1,gpu 0"));
  ASSERT_TRUE(plain);
  EXPECT_FALSE(prog::same_scope(plain->threads[0], plain->threads[1], vocab::k_level_cluster))
      << "clusters of their own";
  EXPECT_TRUE(prog::same_scope(plain->threads[0], plain->threads[0], vocab::k_level_cluster));
}

TEST(Clusters, ScopesAreTags) {
  const auto t = read(text("P0@cta 0,cluster 0,gpu 0 | P1@cta 1,cluster 0,gpu 0",
                           "st.release.cluster x, 1 | ld.acquire.cluster r0, x ;\n atom.acq_rel.cluster.add r2, x, 1 | "
                           "red.relaxed.cluster.add x, 1 ;\n fence.sc.cluster | fence.acq_rel.cluster"));
  ASSERT_TRUE(t) << render(t.error());
  for (uint32_t th = 0; th < 2; ++th)
    for (const prog::Instr& i : t->instrs(th)) {
      EXPECT_TRUE(i.tags.has(Tag::CLUSTER)) << i.mnemonic;
      EXPECT_FALSE(i.tags.has(Tag::GPU) || i.tags.has(Tag::CTA) || i.tags.has(Tag::SYS)) << i.mnemonic;
      EXPECT_NE(i.mnemonic.find(".cluster"), std::string::npos);
      if (i.kind == prog::Kind::rmw) {
        EXPECT_TRUE(i.store_tags.has(Tag::CLUSTER));
      }
    }
  const auto back = read(print::print(*t));
  ASSERT_TRUE(back) << render(back.error());
  EXPECT_EQ(*back, *t);
}

TEST(Clusters, WhatIsWrongIsSaidWhereItIs) {
  const struct {
    std::string text;
    const char *message, *hint, *place;
  } rows[] = {
      {text("P0@cta 0,cluster 0,gpu 0 | P1@cta 1,gpu 0"), "thread P1 lacks its cluster, and P0 names one",
       "write P1@cta 1, cluster 0, gpu 0, or name no clusters", "t.litmus:5:29"},
      {text("P0@cta 0,gpu 0 | P1@cta 1,cluster 2,gpu 0"), "thread P0 lacks its cluster, and P1 names one",
       "write P0@cta 0, cluster 2, gpu 0, or name no clusters", "t.litmus:5:2"},
      {text("P0@cta 0,cluster 0,gpu 0 | P1@cta 0,cluster 1,gpu 0"),
       "cta 0 of gpu 0 is in cluster 1 and, by P0, in cluster 0",
       "CTAs are numbered on their gpu, not in their cluster: give one of the two another number", "t.litmus:5:29"},
      {text("P0@cta 0,cluster 0,cluster 0,gpu 0 | P1@cta 1,cluster 1,gpu 0"), "'cluster' is given twice",
       "give every level once", "t.litmus:5:21"},
      {text("P0@cta 0,clusters 0,gpu 0 | P1@cta 1,gpu 0"), "there is no scope level 'clusters'",
       "did you mean 'cluster'?", "t.litmus:5:11"},
      {text("P0@cluster 0,gpu 0 | P1@cta 1,cluster 0,gpu 0"), "thread P0 lacks its cta", "write P0@cta 0, gpu 0", ""},
      {text("P0@cta 0,gpu 0 | P1@cta 1,gpu 0", "st.weak.cluster x, 1 | ld.weak r0, x"), "a weak access has no scope",
       "remove .cluster, or write .relaxed.cluster", ""},
      {text("P0@cta 0,gpu 0 | P1@cta 1,gpu 0", "st.relaxed.cluster.gpu x, 1 | ld.weak r0, x"),
       "a second scope after '.cluster'", "keep one of .cluster and .gpu", ""},
      {text("P0@cta 0,gpu 0 | P1@cta 1,gpu 0", "st.relaxed.clustre x, 1 | ld.weak r0, x"),
       "'clustre' is not a modifier of 'st'", "did you mean 'cluster'?", ""},
  };
  for (const auto& r : rows) {
    const auto t = read(r.text);
    ASSERT_FALSE(t) << r.text;
    const Diagnostic& d = t.error().list.front();
    EXPECT_EQ(d.message, r.message);
    EXPECT_EQ(d.hint, r.hint);
    EXPECT_EQ(d.fault, Fault::bad_input);
    if (*r.place != 0) {
      EXPECT_EQ(d.span.location().substr(0, std::string(r.place).size()), r.place);
    }
  }
  // One number of a CTA on two devices is two CTAs.
  EXPECT_TRUE(read(text("P0@cta 0,cluster 0,gpu 0 | P1@cta 0,cluster 1,gpu 1")));
  // Other dialects have no such level.
  const auto vulkan = read("VULKAN t\n{ x = 0; }\n P0@sg 0,wg 0,cluster 0,qf 0 ;\n st.sc0 x, 1 ;\nexists (x = 1)\n");
  ASSERT_FALSE(vulkan);
  EXPECT_NE(vulkan.error().list.front().message.find("there is no scope level 'cluster'"), std::string::npos);
}

}  // namespace
}  // namespace fencepost::litmus

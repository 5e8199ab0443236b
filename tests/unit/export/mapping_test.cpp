// Laws of the mappings: bijective on the ids that have a role, exact inverse, order kept within every instance.
#include "export/mapping.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace fencepost::exports {
namespace {

const Mapping k_all[] = {Mapping::plain, Mapping::round_robin, Mapping::chunked, Mapping::hybrid};

void expect_laws(const Layout& layout) {
  SCOPED_TRACE(std::string(to_string(layout.mapping)) + " T=" + std::to_string(layout.threads) +
               " N=" + std::to_string(layout.total) + " seed=" + std::to_string(layout.seed));
  const uint32_t count = instances(layout), used = participants(layout);
  ASSERT_EQ(used, count * layout.threads);
  ASSERT_LE(used, layout.total);
  std::vector<int> taken(used, 0);
  for (uint32_t gid = 0; gid < layout.total; ++gid) {
    const auto role = role_of(layout, gid);
    ASSERT_EQ(role.has_value(), gid < used) << gid;
    if (!role) continue;
    ASSERT_LT(role->thread, layout.threads);
    ASSERT_LT(role->instance, count);
    ++taken[role->instance * layout.threads + role->thread];
    ASSERT_EQ(gid_of(layout, *role), gid);
  }
  ASSERT_TRUE(std::all_of(taken.begin(), taken.end(), [](int n) { return n == 1; }));
  for (uint32_t i = 0; i < count; ++i)
    for (uint32_t k = 1; k < layout.threads; ++k) ASSERT_LT(gid_of(layout, {k - 1, i}), gid_of(layout, {k, i}));
}

TEST(Mapping, BijectiveInverseAndOrderPreservingForAllSmallSizes) {
  for (const Mapping m : k_all)
    for (uint32_t t = 1; t <= 7; ++t)
      for (uint32_t n = t; n <= 40; ++n) expect_laws({m, t, n, n + t});
}

TEST(Mapping, LawsHoldAtTheEdges) {
  for (const Mapping m : k_all) {
    expect_laws({m, 64, 64, 3});
    expect_laws({m, 64, 200, 3});  // 8 surplus
    expect_laws({m, 1, 300, 9});
    expect_laws({m, 3, 6553, 0});
  }
}

TEST(Mapping, TheFormulasAreTheDocumentedOnes) {
  const Layout rr{Mapping::round_robin, 3, 11}, ch{Mapping::chunked, 3, 11}, pl{Mapping::plain, 3, 11};
  EXPECT_EQ(role_of(rr, 7), (Role{1, 2}));
  EXPECT_EQ(role_of(ch, 7), (Role{2, 1}));
  EXPECT_EQ(role_of(pl, 2), (Role{2, 0}));
  EXPECT_EQ(role_of(pl, 3), std::nullopt);
  EXPECT_EQ(role_of(rr, 9), std::nullopt);  // 11 = 3 * 3 + 2: ids 9 and 10 take no role
  EXPECT_EQ(role_of(ch, 9), std::nullopt);
  EXPECT_EQ(instances({Mapping::round_robin, 3, 65532}), 21844u);
}

TEST(Mapping, HybridIsSeededAndReachesEveryOrderKeepingAssignment) {
  // 6 ids in two instances of three threads: choosing the ids of instance 0 decides all: 20 assignments.
  std::set<std::vector<uint32_t>> seen;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    const Layout layout{Mapping::hybrid, 3, 6, seed};
    std::vector<uint32_t> ids;
    for (uint32_t k = 0; k < 3; ++k) ids.push_back(gid_of(layout, {k, 0}));
    seen.insert(ids);
  }
  EXPECT_EQ(seen.size(), 20u);
  const Layout a{Mapping::hybrid, 2, 1000, 1}, b{Mapping::hybrid, 2, 1000, 2};
  int same = 0;
  for (uint32_t gid = 0; gid < 1000; ++gid) {
    EXPECT_EQ(role_of(a, gid), role_of(a, gid));
    same += role_of(a, gid) == role_of(b, gid);
  }
  EXPECT_LT(same, 50);
}

TEST(Mapping, HybridMixesNearAndFar) {
  // Neither round-robin (distance 1) nor chunked (distance N/2): distances spread over the whole range.
  const Layout layout{Mapping::hybrid, 2, 4096, 7};
  uint64_t sum = 0;
  for (uint32_t i = 0; i < 2048; ++i) sum += gid_of(layout, {1, i}) - gid_of(layout, {0, i});
  const double mean = static_cast<double>(sum) / 2048;  // uniform pairs: N / 3
  EXPECT_GT(mean, 4096 / 3.0 * 0.93);
  EXPECT_LT(mean, 4096 / 3.0 * 1.07);
}

TEST(Mapping, PermutationIsInvertedExactly) {
  for (const uint32_t size : {1u, 2u, 3u, 4u, 5u, 16u, 17u, 65532u}) {
    const Permutation p = permutation(size, 42);
    std::vector<bool> hit(size);
    for (uint32_t v = 0; v < size; ++v) {
      const uint32_t w = forward(p, v);
      ASSERT_LT(w, size);
      ASSERT_FALSE(hit[w]);
      hit[w] = true;
      ASSERT_EQ(backward(p, w), v);
    }
  }
}

TEST(Mapping, NamesRoundTrip) {
  for (const Mapping m : k_all) EXPECT_EQ(mapping_from(to_string(m)), m);
  EXPECT_EQ(mapping_from("chunk"), std::nullopt);
}

}  // namespace
}  // namespace fencepost::exports

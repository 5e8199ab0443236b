#include "plan/map.h"

#include <gtest/gtest.h>

#include <set>

#include "prog/test.h"

using namespace fencepost;
using namespace fencepost::plan;

namespace {

// A random tree of 1 to 5 roles.
Tree random_tree(Rng& rng, bool subgroups) {
  prog::Test t;
  const auto n = static_cast<uint32_t>(1 + rng.below(5));
  t.templates.emplace_back();
  for (uint32_t i = 0; i < n; ++i) {
    prog::ScopePath path = {0, 0, static_cast<uint32_t>(rng.below(3))};
    if (rng.chance(0.6)) path.push_back(static_cast<uint32_t>(rng.below(3)));
    t.threads.push_back({i, 0, path, {}});
  }
  return *tree_of(t, subgroups);
}

TEST(Map, EveryRoleIsABijectionAndScopesAreKept) {
  Rng rng(20261121);
  for (int round = 0; round < 3000; ++round) {
    const uint32_t sizes[] = {1, 2, 4, 8, 32};
    MapWish w;
    w.subgroup = sizes[rng.below(5)];
    Tree tree = random_tree(rng, w.subgroup > 1);
    if (tree.positions > w.subgroup) continue;
    w.split = rng.chance(0.5);
    w.one_instance = rng.chance(0.1);
    w.one_lane = rng.chance(0.1);
    w.shuffle = rng.chance(0.8);
    w.groups = least_groups(tree, w) + static_cast<uint32_t>(rng.below(9));
    w.lanes = least_lanes(tree, w) + w.subgroup * static_cast<uint32_t>(rng.below(w.subgroup > 8 ? 3 : 7));
    const Map m = draw_map(tree, w, rng);
    ASSERT_LE(m.groups, w.groups);
    ASSERT_LE(m.lanes, w.lanes);
    ASSERT_GT(m.instances(), 0u);
    for (uint32_t r = 0; r < m.roles.size(); ++r) {
      std::set<Invocation> used;
      for (uint64_t i = 0; i < m.instances(); ++i) {
        const Invocation at = place_of(m, r, i);
        ASSERT_LT(at.group, m.groups);
        ASSERT_LT(at.lane, m.lanes);
        ASSERT_TRUE(used.insert(at).second) << "two instances on one invocation";
        ASSERT_EQ(instance_of(m, r, at), i);
      }
      // The inverse knows nobody else.
      uint64_t players = 0;
      for (uint64_t g = 0; g < m.groups; ++g)
        for (uint64_t l = 0; l < m.lanes; ++l) players += instance_of(m, r, {g, l}).has_value();
      ASSERT_EQ(players, m.instances());
    }
    for (uint64_t i = 0; i < m.instances(); ++i)
      for (uint32_t r = 0; r < m.roles.size(); ++r)
        for (uint32_t s = 0; s < r; ++s) {
          const Invocation x = place_of(m, r, i), y = place_of(m, s, i);
          const Seat &p = tree.seats[r], &q = tree.seats[s];
          ASSERT_NE(x, y);
          ASSERT_EQ(x.group == y.group, p.block == q.block);
          if (p.block == q.block) {
            ASSERT_EQ(x.lane / m.subgroup == y.lane / m.subgroup, p.warp == q.warp);
          }
        }
  }
}

TEST(Map, FusedMapsUseEveryInvocationForEveryRole) {
  Rng rng(7);
  prog::Test t;
  t.templates.emplace_back();
  t.threads = {{0, 0, {0, 0, 0}, {}}, {1, 0, {0, 0, 1}, {}}};
  const Tree tree = *tree_of(t, true);
  const Map m = draw_map(tree, {.groups = 12, .lanes = 96, .subgroup = 32}, rng);
  EXPECT_EQ(m.instances(), 12u * 96u);
}

TEST(Map, AffineMapsArePermutations) {
  Rng rng(3);
  for (int round = 0; round < 200; ++round) {
    const Affine f = draw_affine(1 + rng.below(300), true, rng);
    std::set<uint64_t> seen;
    for (uint64_t x = 0; x < f.n; ++x) seen.insert(f(x));
    ASSERT_EQ(seen.size(), f.n);
  }
  for (int round = 0; round < 2000; ++round) {
    const uint64_t n = 2 + rng.below(0xfffffff0);
    const Affine f = draw_affine(n, true, rng);
    ASSERT_EQ(static_cast<unsigned __int128>(f.a) * inverse(f.a, n) % n, 1u);
  }
}

TEST(Tree, PathsBecomeBlocksAndWarps) {
  prog::Test t;
  t.templates.emplace_back();
  t.threads = {{0, 0, {0, 0, 0, 0}, {}},
               {1, 0, {0, 0, 0, 0}, {}},
               {2, 0, {0, 0, 0, 1}, {}},
               {3, 0, {0, 0, 1}, {}},
               {4, 0, {}, {}}};
  const Tree tree = *tree_of(t, true);
  EXPECT_EQ(to_string(tree), "{{0 1} {2}} {3} {4}");
  EXPECT_EQ(tree.positions, 2u);
  const Tree flat = *tree_of(t, false);
  EXPECT_EQ(to_string(flat), "{{0} {1} {2}} {3} {4}");
  EXPECT_TRUE(flat.merged);
  t.threads[1].scope = {0, 1, 0, 0};
  const auto refused = tree_of(t, true);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().list[0].message, "P0 and P1 are in two gpus, and a launch has one");
  EXPECT_EQ(refused.error().list[0].fault, Fault::unsupported);
}

TEST(Tree, PlacementsHaveTheThesisNames) {
  prog::Test t;
  t.templates.emplace_back();
  t.threads = {{0, 0, {0, 0, 0, 0}, {}}, {1, 0, {0, 0, 0, 1}, {}}};
  EXPECT_EQ(placement_name(*tree_of(t, true), {true, true}), "D-warp:S-cta-Shared");
  EXPECT_EQ(placement_name(*tree_of(t, true), {false, false}), "D-warp:S-cta-Global");
  EXPECT_EQ(placement_name(*tree_of(t, true), {true, false}), "D-warp:S-cta-mixed");
  t.threads[1].scope = {0, 0, 1, 0};
  EXPECT_EQ(placement_name(*tree_of(t, true), {false, false}), "D-cta:S-ker-Global");
}

}  // namespace

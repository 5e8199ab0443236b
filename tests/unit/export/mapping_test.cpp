// Laws of the mappings: bijective on the ids that have a role, exact inverse, order kept within every instance.
#include "export/mapping.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "export/table.h"

namespace fencepost::exports {
namespace {

const Mapping k_all[] = {Mapping::plain, Mapping::round_robin, Mapping::chunked, Mapping::hybrid, Mapping::paired};

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

// Section 6.3.3: the first two threads as round-robin has them, the third in a chunk of its own.
TEST(Mapping, PairedIsTheHybridOfThePaper) {
  const Layout three{Mapping::paired, 3, 10};
  std::string roles;
  for (uint32_t gid = 0; gid < 10; ++gid) {
    const auto r = role_of(three, gid);
    roles += r ? std::to_string(r->instance) + "." + std::to_string(r->thread) + " " : "- ";
  }
  EXPECT_EQ(roles, "0.0 0.1 1.0 1.1 2.0 2.1 0.2 1.2 2.2 - ");
  for (uint32_t gid = 0; gid < 12; ++gid)
    EXPECT_EQ(role_of({Mapping::paired, 2, 12}, gid), role_of({Mapping::round_robin, 2, 12}, gid));
}

std::shared_ptr<const RoleTable> table(const std::string& text) {
  const auto t = parse_table(make_source("own.map", text));
  if (!t) throw std::runtime_error(render(t.error()));
  return *t;
}

TEST(Table, OfAFileIsAMapping) {
  const auto t = table("# two instances\nmapping own\n0.0 1.0 - 0.1 1.1 # the end\n");
  EXPECT_EQ(t->threads, 2u);
  EXPECT_EQ(t->instances, 2u);
  const Layout l{Mapping::table, 2, 5, 1, t};
  EXPECT_EQ(instances(l), 2u);
  EXPECT_EQ(role_of(l, 2), std::nullopt);
  EXPECT_EQ(role_of(l, 3), (Role{1, 0}));
  EXPECT_EQ(gid_of(l, {1, 1}), 4u);
  EXPECT_EQ(to_text(*table(to_text(*t))), to_text(*t));
}

// Every named mapping, written down, is the same mapping.
TEST(Table, WritesDownWhatTheNamesMean) {
  for (const Mapping m : k_all) {
    const Layout named{m, 3, 20, 7};
    RoleTable t{"written", 3, instances(named), {}, false};
    for (uint32_t gid = 0; gid < 20; ++gid) t.roles.push_back(role_of(named, gid));
    const Layout read{Mapping::table, 3, 20, 1, table(to_text(t))};
    for (uint32_t gid = 0; gid < 20; ++gid) EXPECT_EQ(role_of(read, gid), role_of(named, gid)) << gid;
  }
}

TEST(Table, RepeatsBlocks) {
  const auto t = table("mapping own repeat 3 ( 0.0 0.1 ) - repeat 3 (0.2)");
  const Layout paired{Mapping::paired, 3, 9}, read{Mapping::table, 3, 10, 1, t};
  for (uint32_t gid = 0; gid < 9; ++gid) EXPECT_EQ(role_of(read, gid < 6 ? gid : gid + 1), role_of(paired, gid)) << gid;
  EXPECT_EQ(role_of(read, 6), std::nullopt);
  EXPECT_EQ(table("mapping own repeat 2 ( 0.0 1.0 ) repeat 4 ( 0.1 )")->instances, 4u);
}

TEST(Table, RefusesWithPlaceAndHint) {
  const auto refused = [](const std::string& text) {
    const auto t = parse_table(make_source("own.map", text));
    EXPECT_FALSE(t) << text;
    return t ? "" : render(t.error());
  };
  const auto says = [&](const std::string& text, const std::string& place, const std::string& what) {
    const std::string told = refused(text);
    EXPECT_NE(told.find("own.map:" + place), std::string::npos) << told;
    EXPECT_NE(told.find(what), std::string::npos) << told;
  };
  says("", "1:1", "the text is empty");
  says("maping own 0.0", "1:1", "expected 'mapping'");
  says("mapping chunked\n0.0", "1:9", "is a mapping already");
  says("mapping own\n", "1:9", "no invocation");
  says("mapping own\n- -", "2:3", "no invocation has a role");
  says("mapping own\n0.0 x.1", "2:5", "'x.1' is not a role");
  says("mapping own\n0.0 -1.1", "2:5", "'-1.1' is not a role");
  says("mapping own\n0.64", "2:1", "thread 64 is one too many");
  says("mapping own\n0.0 0.1 0.0", "2:9", "played twice");
  says("mapping own\n0.0 0.1 2.0 2.1", "2:9", "no invocation plays thread 0 of instance 1");
  says("mapping own\n0.0 0.1 1.0", "2:9", "no invocation plays thread 1 of instance 1");
  says("mapping own\n0.0 0.2", "2:5", "no invocation plays thread 1 of instance 0");
  says("mapping own\n4294967295.0", "2:1", "instance 4294967295 is one too many");
  says("mapping own\n7.0", "2:1", "no invocation plays thread 0 of instance 0");
  says("mapping own\nrepeat 0 ( 0.0 )", "2:8", "how often");
  says("mapping own\nrepeat 3 0.0", "2:10", "'(' is missing");
  says("mapping own\nrepeat 3 ( 0.0", "2:1", "')' of this 'repeat'");
  says("mapping own\nrepeat 3 ( )", "2:12", "nothing to repeat");
  says("mapping own\n0.0 )", "2:5", "')' is not a role");
  says("mapping own\nrepeat 2 ( 0.0 ) repeat 3 ( 0.1 )", "2:29", "no invocation plays thread 0 of instance 2");
  says("mapping own\nrepeat 16777217 ( 0.0 )", "2:8", "1 to 2^24");
  says("mapping own\n0.1 0.0", "2:1", "smaller id");
  EXPECT_TRUE(table("mapping own any-order\n0.1 0.0")->any_order);
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

// Clusters of workgroups: the tree, the map, launches, and who really accesses what on the sequential executor.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "../../support/parsed.h"
#include "run_on_executor.h"

using namespace fencepost;
using namespace fencepost::plan;

namespace {

using support::parsed;

// Two exchanges, of which exactly one sees 0.
std::string exchanges(const char* a, const char* b) {
  return fmt::format(
      "PTX X\n{{ x = 0; }}\n P0@{} | P1@{} ;\n atom.relaxed.cluster.exch r0, x, 1 | atom.relaxed.cluster.exch r0, x, 1 "
      ";\nexists (P0:r0 = 0 /\\ P1:r0 = 0)\n",
      a, b);
}
constexpr const char *k_here = "cta 0, cluster 0, gpu 0", *k_beside = "cta 1, cluster 0, gpu 0",
                     *k_away = "cta 1, cluster 1, gpu 0";

std::string message(const std::string& p0, const std::string& p1) {
  return "PTX MP\n{ x = 0; y = 0; }\n P0@" + p0 + " | P1@" + p1 +
         " ;\n st.relaxed.cluster x, 1 | ld.relaxed.cluster r0, y ;\n fence.acq_rel.cluster | fence.acq_rel.cluster ;\n"
         " st.relaxed.cluster y, 1 | ld.relaxed.cluster r1, x ;\nexists (P1:r0 = 1 /\\ P1:r1 = 0)\n";
}

Target target_of_size(Rng& rng) {
  Target t;
  t.units = 1 + static_cast<uint32_t>(rng.below(8));
  const uint32_t subgroups[] = {1, 2, 4};
  t.subgroup = subgroups[rng.below(3)];
  t.max_lanes = 16;
  t.max_groups = 64;
  t.max_cluster = 8;
  t.shared_words = 4096;
  t.memory_words = 1 << 20;
  if (rng.chance(0.5)) t.resident = {{16, 40}};
  return t;
}

Parameters wishes(const std::string& text = "") {
  Parameters p;
  EXPECT_TRUE(set_parameters(p,
                             "rounds=1..4,align-limit=20..400,stress-iterations=1..4,stress-groups=0..5,churn=0..3,"
                             "pre-stress-iterations=1..3,spin-limit=200")
                  .has_value());
  const auto ok = set_parameters(p, text);
  EXPECT_TRUE(ok.has_value()) << (ok ? "" : render(ok.error()));
  return p;
}

TEST(ClusterTree, PathsBecomeClusters) {
  prog::Test t;
  t.templates.emplace_back();
  t.threads = {{0, 0, {0, 0, 4}, {}, 7}, {1, 0, {0, 0, 5}, {}, 7}, {2, 0, {0, 0, 6}, {}, 1}, {3, 0, {0, 0, 4}, {}, 7}};
  const Tree tree = *tree_of(t, true);
  EXPECT_TRUE(tree.clustered);
  EXPECT_EQ(to_string(tree), "[{{0} {3}} {1}] [{2}]");
  EXPECT_EQ(tree.clusters, 2u);
  EXPECT_EQ(tree.ranks, 2u);
  EXPECT_EQ(tree.seats[1].cluster, 0u);
  EXPECT_EQ(tree.seats[1].rank, 1u);
  EXPECT_EQ(tree.seats[2].cluster, 1u);
  EXPECT_EQ(tree.seats[2].rank, 0u);
  EXPECT_EQ(placement_name(tree, {false}), "mixed [{{0} {3}} {1}] [{2}]-Global");
  EXPECT_EQ(placement_name(*tree_of(parsed(exchanges(k_here, k_beside)), true), {false}), "D-cta:S-cluster-Global");
  EXPECT_EQ(placement_name(*tree_of(parsed(exchanges(k_here, k_away)), true), {false}), "D-cluster:S-ker-Global");
  const Tree plain = *tree_of(parsed(exchanges("cta 0, gpu 0", "cta 1, gpu 0")), true);
  EXPECT_FALSE(plain.clustered);
  EXPECT_EQ(plain.clusters, 2u);
  EXPECT_EQ(to_string(plain), "{0} {1}");
  EXPECT_EQ(placement_name(plain, {false}), "D-cta:S-ker-Global");
}

// A random tree of 1 to 5 roles in up to 4 workgroups, in up to 3 clusters.
Tree random_tree(Rng& rng, bool subgroups) {
  prog::Test t;
  const auto n = static_cast<uint32_t>(1 + rng.below(5));
  t.templates.emplace_back();
  const bool named = rng.chance(0.8);
  uint32_t cluster[4];
  for (uint32_t& c : cluster) c = static_cast<uint32_t>(rng.below(3));
  for (uint32_t i = 0; i < n; ++i) {
    prog::ScopePath path = {0, 0, static_cast<uint32_t>(rng.below(4))};
    if (rng.chance(0.6)) path.push_back(static_cast<uint32_t>(rng.below(3)));
    t.threads.push_back({i, 0, path, {}, named ? cluster[path[2]] : prog::k_none});
  }
  return *tree_of(t, subgroups);
}

TEST(ClusterMap, EveryRoleIsABijectionAndClustersAreKept) {
  Rng rng(20261122);
  uint32_t spread = 0, apart = 0, together = 0;
  for (int round = 0; round < 3000; ++round) {
    const uint32_t sizes[] = {1, 2, 4, 8};
    MapWish w;
    w.subgroup = sizes[rng.below(4)];
    const Tree tree = random_tree(rng, w.subgroup > 1);
    if (tree.positions > w.subgroup) continue;
    w.split = rng.chance(0.5);
    w.one_instance = rng.chance(0.1);
    w.one_lane = rng.chance(0.1);
    w.shuffle = rng.chance(0.8);
    w.cluster = tree.ranks + static_cast<uint32_t>(rng.below(5));
    w.groups = least_groups(tree, w) + w.cluster * static_cast<uint32_t>(rng.below(5));
    w.lanes = least_lanes(tree, w) + w.subgroup * static_cast<uint32_t>(rng.below(3));
    const Map m = draw_map(tree, w, rng);
    ASSERT_LE(m.groups, w.groups);
    ASSERT_EQ(m.groups % w.cluster, 0u);
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
      uint64_t players = 0;
      for (uint64_t g = 0; g < m.groups; ++g)
        for (uint64_t l = 0; l < m.lanes; ++l) players += instance_of(m, r, {g, l}).has_value();
      ASSERT_EQ(players, m.instances());
      spread += m.roles[r].d_m > 1;
    }
    for (uint64_t i = 0; i < m.instances(); ++i)
      for (uint32_t r = 0; r < m.roles.size(); ++r)
        for (uint32_t s = 0; s < r; ++s) {
          const Invocation x = place_of(m, r, i), y = place_of(m, s, i);
          const Seat &p = tree.seats[r], &q = tree.seats[s];
          ASSERT_NE(x, y);
          ASSERT_EQ(x.group / w.cluster == y.group / w.cluster, p.cluster == q.cluster);
          ASSERT_EQ(x.group == y.group, p.block == q.block);
          if (p.block == q.block) {
            ASSERT_EQ(x.lane / m.subgroup == y.lane / m.subgroup, p.warp == q.warp);
          }
          (p.cluster == q.cluster ? together : apart) += p.block != q.block;
        }
  }
  EXPECT_GT(spread, 100u);
  EXPECT_GT(apart, 1000u);
  EXPECT_GT(together, 1000u);
}

// ---- launches ----------------------------------------------------------------------------------------

TEST(ClusterLaunch, SizesAreMultiplesAndTheDefaultHoldsTheTest) {
  Rng rng(5);
  const prog::Test three = parsed(
      "PTX T\n{ x = 0; }\n P0@cta 0, cluster 0, gpu 0 | P1@cta 1, cluster 0, gpu 0 | P2@cta 2, cluster 0, gpu 0 | "
      "P3@cta "
      "3, cluster 1, gpu 0 ;\n st.relaxed.gpu x, 1 | st.relaxed.gpu x, 2 | st.relaxed.gpu x, 3 | ld.relaxed.gpu r0, x "
      ";\nexists (P3:r0 = 3)\n");
  Target t = target_of_size(rng);
  t.resident.clear();
  const Program p = *make_program(three, t, {});
  EXPECT_TRUE(p.clusters);
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const auto c = draw(p, t, wishes(), seed, 4);
    ASSERT_TRUE(c.has_value()) << render(c.error());
    EXPECT_EQ(c->cluster, 4u) << "three workgroups share a cluster";
    EXPECT_EQ(c->map.cluster, 4u);
    EXPECT_EQ(c->groups % 4, 0u);
    EXPECT_EQ(c->map.groups % 4, 0u);
    EXPECT_GE(c->map.groups, 8u);
    EXPECT_LE(c->groups, t.max_groups);
    EXPECT_NE(to_string(c->drawn).find(",cluster=4"), std::string::npos);
    // What is printed draws the same again.
    Parameters again;
    ASSERT_TRUE(set_parameters(again, to_string(c->drawn)).has_value());
    const auto same = draw(p, t, again, seed, 4);
    ASSERT_TRUE(same.has_value()) << render(same.error());
    EXPECT_EQ(same->words, c->words);
    EXPECT_EQ(same->groups, c->groups);
  }
  const auto fixed = draw(p, t, wishes("cluster=8,groups=19"), 1, 4);
  ASSERT_TRUE(fixed.has_value()) << render(fixed.error());
  EXPECT_EQ(fixed->cluster, 8u);
  EXPECT_EQ(fixed->map.groups, 16u) << "made smaller to whole clusters";
  for (const auto& [text, hint] : {std::pair{"cluster=2", "this test on this device needs 4 to 8"},
                                   {"cluster=16", "this test on this device needs 4 to 8"}}) {
    const auto bad = draw(p, t, wishes(text), 1, 4);
    ASSERT_FALSE(bad.has_value());
    EXPECT_EQ(bad.error().list[0].message, fmt::format("{} cannot be met", text));
    EXPECT_EQ(bad.error().list[0].hint, hint);
    EXPECT_EQ(bad.error().list[0].fault, Fault::bad_input);
  }
  const auto ticket = draw(p, t, wishes("ticket=on"), 1, 4);
  ASSERT_FALSE(ticket.has_value());
  EXPECT_EQ(ticket.error().list[0].message, "ticket=on cannot be met in a launch with clusters");
  EXPECT_TRUE(draw(p, t, wishes("cluster=1..8,ticket=off..on"), 1, 4).has_value());
}

TEST(ClusterLaunch, DevicesWithoutClustersRefuseByName) {
  Target t;
  t.subgroup = 4, t.max_lanes = 16;
  const prog::Test test = parsed(exchanges(k_here, k_beside));
  const auto none = make_program(test, t, {});
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().list[0].message, "the test places its threads in clusters, and this device has none");
  EXPECT_EQ(none.error().list[0].fault, Fault::unsupported);
  EXPECT_FALSE(none.error().list[0].span.location().empty());
  const prog::Test plain = parsed(exchanges("cta 0, gpu 0", "cta 1, gpu 0"));
  ASSERT_TRUE(make_program(plain, t, {}).has_value()) << "without a place in a cluster none is needed";
  Parameters p;
  ASSERT_TRUE(set_parameters(p, "cluster=2").has_value());
  const auto option = make_program(plain, t, with_clusters({}, p));
  ASSERT_FALSE(option.has_value());
  EXPECT_EQ(option.error().list[0].fault, Fault::bad_input);
  EXPECT_NE(option.error().list[0].message.find("this device has no clusters"), std::string::npos);
  t.max_cluster = 2;
  std::string crowd = "PTX T\n{ x = 0; }\n";
  for (int k = 0; k < 3; ++k) crowd += fmt::format("{} P{}@cta {}, cluster 0, gpu 0", k == 0 ? "" : " |", k, k);
  crowd += " ;\n st.weak x, 1 | st.weak x, 2 | st.weak x, 3 ;\nexists (x = 1)\n";
  const auto large = make_program(parsed(crowd), t, {});
  ASSERT_FALSE(large.has_value());
  EXPECT_EQ(large.error().list[0].message, "the test needs clusters of 4 workgroups, and this device's have at most 2");
}

TEST(ClusterLaunch, PlansWithoutClustersKnowNothingOfThem) {
  Rng rng(9);
  Target t = target_of_size(rng);
  const prog::Test plain = parsed(exchanges("cta 0, gpu 0", "cta 1, gpu 0"));
  const Program p = *make_program(plain, t, {});
  EXPECT_FALSE(p.clusters);
  for (const code::Kernel& k : p.kernels) {
    EXPECT_FALSE(code::uses_clusters(k));
    // The scope of the test's own instructions is all that is said of clusters.
    std::string text = code::to_string(k);
    for (size_t at = text.find(".cluster"); at != std::string::npos; at = text.find(".cluster")) text.erase(at, 8);
    EXPECT_EQ(text.find("cluster"), std::string::npos);
  }
  EXPECT_FALSE(p.parameter_words.contains("cluster"));
  Target without = t;
  without.max_cluster = 1;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const auto a = draw(p, t, {}, seed, 4), b = draw(p, without, {}, seed, 4);
    ASSERT_TRUE(a && b);
    EXPECT_EQ(a->words, b->words);
    EXPECT_EQ(to_string(a->drawn).find("cluster"), std::string::npos);
  }
  const auto fixed = draw(p, t, wishes("cluster=2"), 1, 4);
  ASSERT_FALSE(fixed.has_value()) << "its kernels read no clusters";
}

// ---- who accesses what ---------------------------------------------------------------------------------

struct Watched {
  std::string wrong;  // the first access from a place where the tree has nobody
  uint64_t accesses = 0;
};

// Runs one launch; every word of the test's objects must be accessed by roles at the places that the tree asks for:
// from one cluster or from different ones, from one workgroup or from different ones.
Watched watch(const Program& p, const Configuration& c, uint64_t seed, Ran& ran, uint32_t launched = 0) {
  const uint32_t size = launched != 0 ? launched : c.cluster;
  Watched out;
  struct At {
    uint32_t group, lane;
  };
  std::map<std::pair<bool, uint64_t>, std::map<uint32_t, At>> seen;  // by word: of each role
  code::ExecuteOptions o{.seed = seed, .burst = 5, .limit = 20000000};
  o.watch = [&](uint32_t group, uint32_t lane, const code::Operation& op, uint64_t word) {
    if (op.place.buffer == code::k_shared) return;
    ++out.accesses;
    auto& roles = seen[{true, word}];
    roles[op.role] = {group, lane};
    for (const auto& [other, at] : roles) {
      const Seat &x = p.tree.seats[op.role], &y = p.tree.seats[other];
      const bool cluster = at.group / size == group / size, block = at.group == group;
      if (cluster != (x.cluster == y.cluster) || block != (x.block == y.block))
        if (out.wrong.empty())
          out.wrong =
              fmt::format("roles {} and {} of one instance in workgroups {} and {}", other, op.role, at.group, group);
    }
  };
  ran = run_on_executor(p, c, o, {}, size);
  return out;
}

const std::vector<std::string> k_placed = {
    message(k_here, k_beside), message(k_here, k_away), exchanges(k_here, k_beside), exchanges(k_here, k_away),
    exchanges("cta 3, cluster 2, gpu 0", "cta 3, cluster 2, gpu 0"),
    // Two readers and two writers; each cluster has one of each.
    "PTX IRIW\n{ x = 0; y = 0; }\n P0@cta 0, cluster 0, gpu 0 | P1@cta 1, cluster 0, gpu 0 | P2@cta 2, cluster 1, gpu "
    "0 | "
    "P3@cta 3, cluster 1, gpu 0 ;\n st.relaxed.cluster x, 1 | ld.relaxed.gpu r0, x | st.relaxed.gpu y, 1 | "
    "ld.relaxed.gpu r0, y ;\n | ld.relaxed.gpu r1, y | | ld.relaxed.cluster r1, x ;\nexists (P1:r0 = 1 /\\ P1:r1 = 0 "
    "/\\ "
    "P3:r0 = 1 /\\ P3:r1 = 0)\n",
    // Workgroups of two clusters by turns, so that a rank is no remainder of a number.
    "PTX T\n{ x = 0; y = 0; }\n P0@cta 0, cluster 0, gpu 0 | P1@cta 1, cluster 1, gpu 0 | P2@cta 2, cluster 0, gpu 0 | "
    "P3@cta 3, cluster 1, gpu 0 ;\n st.relaxed.gpu x, 1 | ld.relaxed.gpu r0, x | ld.relaxed.gpu r0, x | ld.relaxed.gpu "
    "r0, x ;\n | | ld.relaxed.gpu r1, x | ;\nexists (P2:r0 = 1 /\\ P2:r1 = 0)\n",
    // Three workgroups of one cluster, two threads in one of them, and a barrier.
    "PTX B\n{ x = 0; y = 0; }\n P0@cta 0, cluster 0, gpu 0 | P1@cta 0, cluster 0, gpu 0 | P2@cta 1, cluster 0, gpu 0 | "
    "P3@cta 2, cluster 0, gpu 0 ;\n st.weak x, 1 | bar.cta.sync 0 | st.relaxed.cluster y, 1 | ld.relaxed.cluster r0, y "
    ";\n bar.cta.sync 0 | ld.weak r0, x | | ;\nexists (P1:r0 = 0)\n"};

TEST(ClusterRuns, InstancesAreWhereTheTreeSaysInEveryMode) {
  Rng rng(31);
  uint64_t accesses = 0, runs = 0;
  for (const std::string& text : k_placed) {
    const prog::Test test = parsed(text);
    for (const Mode mode : {Mode::parallel, Mode::warp, Mode::single})
      for (int n = 0; n < 12; ++n) {
        const Target t = target_of_size(rng);
        const auto p = make_program(test, t, {.mode = mode, .clusters = n % 4 == 0});
        if (!p && mode != Mode::parallel) {
          ASSERT_EQ(p.error().list[0].fault, Fault::unsupported) << render(p.error());
          break;
        }
        ASSERT_TRUE(p.has_value()) << render(p.error());
        const auto c = draw(*p, t, wishes(n % 3 == 0 ? "cluster=1..8" : "shuffle=off..on"), rng.next(), 4);
        if (!c) {
          ASSERT_EQ(c.error().list[0].fault, Fault::unsupported) << render(c.error());
          continue;
        }
        Ran r;
        const Watched w = watch(*p, *c, rng.next(), r);
        ASSERT_EQ(r.fault, "") << text << to_string(c->drawn);
        ASSERT_EQ(w.wrong, "") << text << to_string(c->drawn);
        ASSERT_EQ(r.total(), c->instances()) << to_string(c->drawn);
        ASSERT_EQ(r.counts[p->corrupt()], 0u) << to_string(c->drawn);
        for (uint32_t s = 0; s < p->states; ++s)
          if (r.counts[s] > 0) {
            ASSERT_FALSE(holds(test, p->observables, p->state(s), test.condition)) << "no interleaving has this state";
          }
        accesses += w.accesses;
        ++runs;
      }
  }
  EXPECT_GT(accesses, 10000u);
  EXPECT_GT(runs, 200u);
}

TEST(ClusterRuns, WithoutANamedClusterWorkgroupsAreInClustersOfTheirOwn) {
  Rng rng(77);
  const prog::Test test = parsed(exchanges("cta 0, gpu 0", "cta 1, gpu 0"));
  std::set<uint32_t> sizes;
  for (int n = 0; n < 40; ++n) {
    const Target t = target_of_size(rng);
    const Parameters asked = wishes("cluster=1..8");
    const Program p = *make_program(test, t, with_clusters({}, asked));
    EXPECT_TRUE(p.clusters);
    const auto c = draw(p, t, asked, rng.next(), 4);
    ASSERT_TRUE(c.has_value()) << render(c.error());
    sizes.insert(c->cluster);
    Ran r;
    const Watched w = watch(p, *c, rng.next(), r);
    ASSERT_EQ(w.wrong, "") << to_string(c->drawn);
    ASSERT_EQ(r.total(), c->instances());
    ASSERT_EQ(r.counts[p.corrupt()], 0u);
  }
  EXPECT_EQ(sizes, (std::set<uint32_t>{1, 2, 4, 8}));
}

TEST(ClusterRuns, SharedMemoryIsThatOfTheWorkgroup) {
  Rng rng(3);
  const prog::Test test = parsed(
      "PTX S\n{ x = 0; y = 0; }\n P0@cta 0, cluster 0, gpu 0 | P1@cta 0, cluster 0, gpu 0 | P2@cta 1, cluster 0, gpu 0 "
      ";\n atom.relaxed.cta.exch r0, x, 1 | atom.relaxed.cta.exch r0, x, 1 | st.relaxed.cluster y, 1 ;\nexists (P0:r0 "
      "= "
      "P1:r0 \\/ x = 0 \\/ y = 0)\n");
  for (int n = 0; n < 30; ++n) {
    const Target t = target_of_size(rng);
    const auto p =
        make_program(test, t, {.mode = n % 3 == 0 ? Mode::single : Mode::parallel, .region = Region::mixed_even});
    ASSERT_TRUE(p.has_value()) << render(p.error());
    ASSERT_TRUE(p->shared[0]);
    ASSERT_FALSE(p->shared[1]);
    const auto c = draw(*p, t, wishes(), rng.next(), 4);
    ASSERT_TRUE(c.has_value()) << render(c.error());
    Ran r;
    ASSERT_EQ(watch(*p, *c, rng.next(), r).wrong, "");
    ASSERT_EQ(r.fault, "");
    ASSERT_EQ(r.total(), c->instances());
    ASSERT_EQ(r.counts[p->corrupt()], 0u) << to_string(c->drawn);
    for (uint32_t s = 0; s < p->states; ++s)
      if (r.counts[s] > 0) {
        ASSERT_FALSE(holds(test, p->observables, p->state(s), test.condition));
      }
  }
}

// ---- faults ----------------------------------------------------------------------------------------------

struct Case {
  Program program;
  Configuration configuration;
  uint32_t launched = 0;  // cluster size of the launch, as it is made
};

Case made(const std::string& text, const std::string& parameters = "") {
  Target t;
  t.subgroup = 4, t.max_lanes = 16, t.max_groups = 64, t.max_cluster = 8, t.memory_words = 1 << 20;
  Case c;
  c.program = *make_program(parsed(text), t, {});
  Parameters p;
  EXPECT_TRUE(
      set_parameters(p, "groups=16,lanes=16,rounds=4,stress=off,pre-stress=off,align-limit=100000,churn=0,shuffle=off")
          .has_value());
  EXPECT_TRUE(set_parameters(p, "schedule=fused,cluster=4" + (parameters.empty() ? "" : "," + parameters)).has_value());
  const auto drawn = draw(c.program, t, p, 17, 4);
  EXPECT_TRUE(drawn.has_value()) << (drawn ? "" : render(drawn.error()));
  c.configuration = *drawn;
  c.launched = c.configuration.cluster;
  return c;
}

bool caught(const Case& c) {
  const Configuration& launched = c.configuration;
  Ran r;
  const Watched w = watch(c.program, launched, 3, r, c.launched);
  if (!w.wrong.empty() || !r.fault.empty() || r.total() != launched.instances() || r.counts[c.program.corrupt()] > 0)
    return true;
  const uint64_t batches = (launched.rounds + of(launched.drawn, ParameterId::align_every) - 1) /
                           of(launched.drawn, ParameterId::align_every);
  return r.waits != (of(launched.drawn, ParameterId::align) != 0 ? batches * launched.map.groups : 0);
}

uint32_t& word(Case& c, const std::string& name) { return c.configuration.words[c.program.parameter_words.at(name)]; }

void change_builtin(Case& c, code::Builtin from, code::Builtin to) {
  for (code::Statement& s : c.program.kernels[static_cast<size_t>(Phase::test)].body)
    if (s.kind == code::Statement::Kind::builtin && s.builtin == from) s.builtin = to;
}

TEST(ClusterFaults, EachIsCaught) {
  const struct {
    const char* name;
    std::function<void(Case&)> plant;
    bool together;  // in the test of one cluster; else in that of two
  } faults[] = {
      {"roles of one cluster are put into two", [](Case& c) { word(c, "r1.d-offset") += 1; }, true},
      {"roles of two clusters are put into one", [](Case& c) { word(c, "r1.d-offset") = 0; }, false},
      {"two workgroups of a cluster are one", [](Case& c) { word(c, "r1.r") = word(c, "r0.r"); }, true},
      {"the inverse of a rank is wrong", [](Case& c) { word(c, "r1.p-inverse") = 2; }, true},
      {"ranks are outside of the map", [](Case& c) { word(c, "y") -= 1; }, true},
      {"clusters are outside of the map", [](Case& c) { word(c, "x") -= 1; }, false},
      {"the size of a cluster is another to the kernel", [](Case& c) { word(c, "cluster") = 2; }, true},
      {"the launch has no clusters", [](Case& c) { c.launched = 1; }, true},
      {"the launch has clusters of another size", [](Case& c) { c.launched = 2; }, true},
      {"the launch has clusters of another size", [](Case& c) { c.launched = 8; }, false},
      {"a rank is taken for a cluster", [](Case& c) { change_builtin(c, code::Builtin::cluster, code::Builtin::rank); },
       true},
      {"a cluster is taken for a rank", [](Case& c) { change_builtin(c, code::Builtin::rank, code::Builtin::cluster); },
       false},
  };
  for (const bool together : {true, false})
    for (const char* parameters : {"", "align=on,align-every=1"})
      EXPECT_FALSE(caught(made(message(k_here, together ? k_beside : k_away), parameters))) << "without a fault";
  for (const auto& f : faults) {
    Case c = made(message(k_here, f.together ? k_beside : k_away), "align=on,align-every=1");
    f.plant(c);
    EXPECT_TRUE(caught(c)) << f.name;
  }
}

// The same without the watch: a launch that lost its clusters shows in what the host counts.
TEST(ClusterFaults, ALaunchWithOtherClustersIsSeenByTheHost) {
  for (const uint32_t launched : {1u, 2u, 8u}) {
    const Case c = made(message(k_here, k_away));
    const Ran r = run_on_executor(c.program, c.configuration, {.seed = 1}, {}, launched);
    EXPECT_EQ(r.fault, "");
    EXPECT_EQ(r.done, 0u) << "no workgroup takes part";
    EXPECT_EQ(r.counts[c.program.corrupt()], c.configuration.instances());
  }
}

}  // namespace

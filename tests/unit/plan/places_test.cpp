// Tests on several devices: the tree's places, the map over them, homes of memory, and the kernels of each launch.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "../../support/parsed.h"
#include "code/execute.h"
#include "plan/fitted.h"
#include "plan/plan.h"

namespace fencepost::plan {
namespace {

using support::parsed;

prog::Test mp(const std::string& first, const std::string& second) {
  return parsed("PTX MP\n{ x = 0; y = 0; }\n P0@" + first + " | P1@" + second +
                " ;\n st.relaxed.sys x, 1 | ld.relaxed.sys r0, y ;\n st.relaxed.sys y, 1 | ld.relaxed.sys r1, x ;\n"
                "exists (P1:r0 = 1 /\\ P1:r1 = 0)\n");
}

// P0 adds to x, P1 adds to it too, P2 reads.
prog::Test adders() {
  return parsed(
      "PTX A\n{ x = 0; y = 0; }\n P0@cta 0, gpu 0 | P1@cta 0, gpu 1 | P2@cta 0, gpu 2 ;\n"
      " atom.relaxed.sys.add r0, x, 1 | atom.relaxed.sys.add r0, x, 1 | ld.relaxed.sys r0, y ;\n"
      "exists (P0:r0 = 1)\n");
}

std::string message(const Diagnostics& d) { return d.list.empty() ? "" : d.list[0].message; }

Target devices(uint32_t n, Access peers = Access::atomic, Access host = Access::plain) {
  Target t;
  t.units = 4;
  t.subgroup = 4;
  t.max_lanes = 64;
  t.max_groups = 64;
  t.memory_words = 1u << 16;
  for (uint32_t p = 0; p < n; ++p) {
    t.access.emplace_back(n + 1, peers);
    t.access[p][p] = Access::atomic;
    t.access[p][n] = host;
  }
  return t;
}

TEST(Places, DevicesOfTheTestAreGivenOutInTheirOrder) {
  const Tree tree = *tree_of(mp("cta 0, gpu 3", "cta 0, gpu 1"), true, {2});
  EXPECT_EQ(tree.seats[0].place, 1u);
  EXPECT_EQ(tree.seats[1].place, 0u);
  EXPECT_EQ(tree.places, (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(tree.clusters, 1u) << "each device has one block";
  EXPECT_NE(tree.seats[0].block, tree.seats[1].block);
  EXPECT_EQ(to_string(tree), "{1} | {0}");
  EXPECT_EQ(placement_name(tree, {false, false}), "D-gpu:S-sys-Global");
  const Tree one = *tree_of(mp("cta 0, gpu 0", "cta 1, gpu 0"), true, {2});
  EXPECT_EQ(one.places, std::vector<uint32_t>{0});
  EXPECT_EQ(placement_name(one, {false, false}), "D-cta:S-ker-Global");
}

TEST(Places, WhatCannotBePlacedIsRefusedByName) {
  const prog::Test across = mp("cta 0, gpu 0", "cta 0, gpu 1");
  const auto one = tree_of(across, true);
  ASSERT_FALSE(one);
  EXPECT_EQ(message(one.error()), "P0 and P1 are in two gpus, and a launch has one");
  const auto three = tree_of(adders(), true, {2});
  ASSERT_FALSE(three);
  EXPECT_EQ(message(three.error()), "the test has threads on 3 devices, and the run has 2");
  const auto warp = make_program(across, devices(2), {.mode = Mode::warp});
  ASSERT_FALSE(warp);
  EXPECT_EQ(message(warp.error()), "mode warp is not for tests on several devices");
}

TEST(Places, EveryRoleIsABijectionOntoItsDevice) {
  Rng rng(20261124);
  for (int round = 0; round < 2000; ++round) {
    prog::Test t;
    t.templates.emplace_back();
    const auto n = static_cast<uint32_t>(2 + rng.below(4));
    for (uint32_t i = 0; i < n; ++i)
      t.threads.push_back({i, 0, {0, static_cast<uint32_t>(rng.below(3)), static_cast<uint32_t>(rng.below(3))}, {}});
    const Tree tree = *tree_of(t, true, {3});
    MapWish w;
    w.subgroup = 4;
    w.split = rng.chance(0.5);
    w.one_instance = rng.chance(0.1);
    w.shuffle = rng.chance(0.8);
    w.groups = least_groups(tree, w) + static_cast<uint32_t>(rng.below(9));
    w.lanes = least_lanes(tree, w) + w.subgroup * static_cast<uint32_t>(rng.below(5));
    const Map m = draw_map(tree, w, rng);
    ASSERT_GT(m.instances(), 0u);
    for (uint32_t r = 0; r < n; ++r) {
      std::set<Invocation> used;
      for (uint64_t i = 0; i < m.instances(); ++i) {
        const Invocation at = place_of(m, r, i);
        ASSERT_EQ(at.place, tree.seats[r].place);
        ASSERT_LT(at.group, m.groups);
        ASSERT_LT(at.lane, m.lanes);
        ASSERT_TRUE(used.insert(at).second) << "two instances on one invocation";
        ASSERT_EQ(instance_of(m, r, at), i);
        Invocation elsewhere = at;
        ++elsewhere.place;
        ASSERT_FALSE(instance_of(m, r, elsewhere)) << "a role is played on its device alone";
        for (uint32_t s = 0; s < r; ++s) {
          const Invocation other = place_of(m, s, i);
          ASSERT_NE(at, other);
          const bool same = at.place == other.place && at.group == other.group;
          ASSERT_EQ(same, tree.seats[r].block == tree.seats[s].block);
        }
      }
    }
  }
}

// The launches one after another, so that who waits meets its limit: P0's device first.
struct Ran {
  std::map<std::string, uint64_t> states;
  uint64_t bad = 0, waits = 0, time_outs = 0, done = 0;
};
// `fault`: "place": the second launch is told that it is the first; "home": the first location of the second launch is
// in another memory; "results": the second launch has the first one's results; "twice": the second runs twice;
// "missing": it does not run.
Ran one_after_another(const Program& p, const Configuration& c, const std::vector<uint32_t>& order,
                      const std::string& fault = "") {
  using Key = std::pair<BufferUse, uint32_t>;
  std::map<Key, code::Words> buffers;
  const auto buffer = [&](BufferUse u, uint32_t where) -> code::Words& {
    auto& b = buffers[{u, where}];
    if (b.empty()) b.assign(std::max<uint64_t>(c.sizes[static_cast<size_t>(u)], 1), u == BufferUse::sync ? 0 : 0xdead);
    return b;
  };
  const auto launch = [&](Phase phase, uint32_t place) {
    const auto i = static_cast<size_t>(phase);
    auto& words = buffer(BufferUse::parameters, place);
    words = c.words;
    words[p.parameter_words.at("place")] = fault == "place" ? 0 : place;
    std::vector<code::Words*> arguments;
    for (size_t k = 0; k < p.uses[i].size(); ++k) {
      const uint32_t number = p.numbers[i][k];
      const BufferUse u = p.uses[i][k];
      uint32_t where = u == BufferUse::memory ? c.homes[number] : number != k_own ? number : place;
      if (phase == Phase::test && place == 1) {
        if (fault == "home" && u == BufferUse::memory && number == 0) where += 7;
        if (fault == "results" && u == BufferUse::out) where = 0;
      }
      arguments.push_back(&buffer(u, where));
      if (u == BufferUse::interest) std::fill(arguments.back()->begin(), arguments.back()->end(), 0);
    }
    const auto done = code::Executable(p.kernels[i]).run(c.groups, c.lanes, arguments, {.seed = 3, .resident = 64});
    EXPECT_EQ(done.fault, "");
  };
  launch(Phase::initialise, 0);
  for (const uint32_t place : order) {
    if (fault == "missing" && place == 1) continue;
    launch(Phase::test, place);
    if (fault == "twice" && place == 1) launch(Phase::test, place);
  }
  launch(Phase::classify, 0);
  Ran out;
  const auto& counts = buffer(BufferUse::counts, 0);
  for (uint32_t s = 0; s < p.states; ++s)
    if (counts[s] > 0) out.states[prog::to_string(p.observables, p.state(s))] += counts[s];
  out.bad = counts[p.corrupt()] + counts[p.incomplete()];
  for (const uint32_t place : p.tree.places) {
    const auto& sync = buffer(BufferUse::sync, place);
    out.waits += sync[k_sync_waits * k_sync_stride];
    out.time_outs += sync[k_sync_timeouts * k_sync_stride];
    out.done += sync[k_sync_done * k_sync_stride];
    // Every device told every other of every batch.
    for (const uint32_t other : p.tree.places)
      if (of(c.drawn, ParameterId::align) == 1 && fault.empty()) {
        EXPECT_EQ(sync[(k_sync_flags + other) * k_sync_stride],
                  (c.rounds + of(c.drawn, ParameterId::align_every) - 1) / of(c.drawn, ParameterId::align_every));
      }
  }
  return out;
}

TEST(Places, LaunchesPlayTheirRolesOfEveryInstance) {
  const Target target = devices(2);
  const Program p = *make_program(mp("cta 0, gpu 0", "cta 0, gpu 1"), target, {});
  for (uint64_t seed = 1; seed <= 24; ++seed) {
    Parameters wishes;
    ASSERT_TRUE(set_parameters(wishes, "align=on,align-limit=3,stress-groups=0..2,stress-iterations=4").has_value());
    const auto c = draw(p, target, wishes, seed, 0);
    ASSERT_TRUE(c.has_value()) << message(c.error());
    ASSERT_EQ(c->homes.size(), 2u);
    const uint64_t all = c->instances();
    const Ran forth = one_after_another(p, *c, {0, 1});
    EXPECT_EQ(forth.states, (std::map<std::string, uint64_t>{{"1:r0=1; 1:r1=1;", all}})) << seed;
    const Ran back = one_after_another(p, *c, {1, 0});
    EXPECT_EQ(back.states, (std::map<std::string, uint64_t>{{"1:r0=0; 1:r1=0;", all}})) << seed;
    for (const Ran& r : {forth, back}) {
      EXPECT_EQ(r.bad, 0u);
      EXPECT_EQ(r.done, 2u * c->map.groups);
      EXPECT_GT(r.time_outs, 0u) << "the first device waits for one that has not begun";
      EXPECT_LE(r.time_outs, r.waits);
    }
  }
}

// Each of these would pass for a result if nothing looked: it costs instances their state, or the launch its count, or
// shows what no interleaving has.
TEST(Places, FaultsBetweenDevicesAreFound) {
  const Target target = devices(2);
  const Program p = *make_program(mp("cta 0, gpu 0", "cta 0, gpu 1"), target, {});
  Parameters wishes;
  ASSERT_TRUE(set_parameters(wishes, "align=on,align-limit=3,stress=off,home=gpu0.gpu1").has_value());
  const auto c = draw(p, target, wishes, 5, 0);
  ASSERT_TRUE(c.has_value());
  const uint64_t all = c->instances(), groups = 2u * c->map.groups;
  EXPECT_EQ(one_after_another(p, *c, {0, 1}, "place").bad, all) << "P1 is played by nobody";
  EXPECT_EQ(one_after_another(p, *c, {0, 1}, "results").bad, all) << "P1's results are not where they are looked for";
  EXPECT_EQ(one_after_another(p, *c, {0, 1}, "missing").done, groups / 2);
  EXPECT_EQ(one_after_another(p, *c, {0, 1}, "twice").done, groups + groups / 2);
  const Ran home = one_after_another(p, *c, {0, 1}, "home");
  EXPECT_FALSE(home.states.contains("1:r0=1; 1:r1=1;")) << "P1 looks at memory that nobody writes";
}

TEST(Places, HomesAreDrawnAmongThoseThatAreLegal) {
  const Target no_atomics = devices(3, Access::plain);
  const auto refused = make_program(adders(), no_atomics, {});
  ASSERT_FALSE(refused) << "two devices add to x, and no memory is both's own";
  EXPECT_EQ(
      message(refused.error()),
      "'x' can be in the memory of no device: P1 on gpu 1 makes read-modify-writes, which are not atomic there in "
      "memory of gpu 0");
  const Target target = devices(3);
  const Program p = *make_program(adders(), target, {});
  std::set<std::vector<uint32_t>> seen;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    const auto c = draw(p, target, {}, seed, 0);
    ASSERT_TRUE(c.has_value());
    EXPECT_LT(c->homes[0], 3u) << "the host has no atomics for devices";
    seen.insert(c->homes);
    // What was drawn can be given, and draws the same.
    Parameters again;
    ASSERT_TRUE(set_parameters(again, to_string(c->drawn)).has_value());
    EXPECT_EQ(draw(p, target, again, seed, 0)->homes, c->homes);
  }
  EXPECT_EQ(seen.size(), 12u) << "three homes for x, four for y";
  Parameters wish;
  ASSERT_TRUE(set_parameters(wish, "home=host").has_value());
  const auto bad = draw(p, target, wish, 1, 0);
  ASSERT_FALSE(bad);
  EXPECT_EQ(message(bad.error()),
            "'x' cannot be in the memory of the host: P0 on gpu 0 makes read-modify-writes, which are not atomic there "
            "in memory of the host");
  for (const auto& [text, why] : std::map<std::string, std::string>{
           {"home=gpu3", "'x' cannot be in the memory of gpu 3: the run has 3 devices"},
           {"home=gpu0.gpu1.gpu2", "home=gpu0.gpu1.gpu2 cannot be met: the test has 2 locations"}}) {
    Parameters w;
    ASSERT_TRUE(set_parameters(w, text).has_value());
    const auto c = draw(p, target, w, 1, 0);
    ASSERT_FALSE(c);
    EXPECT_EQ(message(c.error()), why);
  }
  // Where parameters give way, what a location cannot have is drawn.
  const auto fits = [&](const Parameters& q) { return draw(p, target, q, 1, 0).has_value(); };
  Parameters mixed;
  ASSERT_TRUE(set_parameters(mixed, "home=host.gpu2.gpu0").has_value());
  EXPECT_EQ(to_string(fitted(mixed, fits)), "home=any.gpu2");
}

TEST(Places, HomesAreReadAndTold) {
  for (const char* good : {"home=gpu1.gpu0", "home=host", "home=any.host", "home=gpu13"}) {
    Parameters p;
    ASSERT_TRUE(set_parameters(p, good).has_value()) << good;
    EXPECT_EQ(to_string(p), good);
  }
  for (const char* bad : {"home=", "home=gpu", "home=gpu14", "home=cpu", "home=gpu0.", "home=gpu0..gpu1", "home=3",
                          "home=any.any.any.any.any.any.any.any.any"}) {
    Parameters p;
    EXPECT_FALSE(set_parameters(p, bad).has_value()) << bad;
  }
  const prog::Test t = mp("cta 0, gpu 0", "cta 0, gpu 1");
  EXPECT_EQ(home_text(*homes_of(t, "y=gpu1")), "any.gpu1");
  EXPECT_EQ(home_text(*homes_of(t, "y=host,x=gpu0")), "gpu0.host");
  EXPECT_EQ(message(homes_of(t, "z=gpu0").error()), "the test has no location 'z'");
  EXPECT_FALSE(homes_of(t, "x"));
  EXPECT_FALSE(homes_of(t, "x=gpu0.gpu1"));
  // One device has no homes.
  Target one = devices(2);
  one.access.clear();
  const Program p = *make_program(mp("cta 0, gpu 0", "cta 1, gpu 0"), one, {});
  Parameters wish;
  ASSERT_TRUE(set_parameters(wish, "home=gpu0").has_value());
  EXPECT_EQ(message(draw(p, one, wish, 1, 0).error()), "home=gpu0 cannot be met: the run has one device");
  EXPECT_EQ(to_string(draw(p, one, {}, 1, 0)->drawn).find("home"), std::string::npos);
}

// What leaves a device: stores of the alignment's flags, each to one word of its own. No read-modify-write does.
TEST(Places, OnlyFlagsAndTheTestLeaveADevice) {
  const Target target = devices(2);
  const Program p = *make_program(mp("cta 0, gpu 0", "cta 0, gpu 1"), target, {});
  const auto i = static_cast<size_t>(Phase::test);
  std::map<std::string, std::set<std::string>> how;  // by buffer
  const std::function<void(const std::vector<code::Statement>&)> walk = [&](const std::vector<code::Statement>& body) {
    for (const code::Statement& s : body) {
      const bool access = s.kind == code::Statement::Kind::load || s.kind == code::Statement::Kind::store ||
                          s.kind == code::Statement::Kind::atomic;
      if (access && s.place.buffer != code::k_shared)
        how[p.kernels[i].buffers[s.place.buffer].name].insert(s.kind == code::Statement::Kind::load    ? "load"
                                                              : s.kind == code::Statement::Kind::store ? "store"
                                                                                                       : "atomic");
      walk(s.body);
      walk(s.other);
    }
  };
  walk(p.kernels[i].body);
  EXPECT_EQ(how["sync_0"], std::set<std::string>{"store"});
  EXPECT_EQ(how["sync_1"], std::set<std::string>{"store"});
  EXPECT_EQ(how["memory_0"], std::set<std::string>{"load"}) << "touch";
  EXPECT_TRUE(how["sync"].contains("atomic"));
  EXPECT_FALSE(how.contains("results_0")) << "results are written to memory of one's own";
}

// ---- the host as a place ----

// GPUs and the host, which shares memory of the home behind all places.
Target with_host(uint32_t gpus, Access host = Access::plain) {
  Target t = devices(gpus, Access::atomic, host);
  for (std::vector<Access>& row : t.access) row.insert(row.begin() + gpus, Access::none);
  t.access.emplace_back(gpus, Access::none);
  t.access.back().insert(t.access.back().end(), {Access::atomic, Access::atomic});
  t.host = true;
  return t;
}

prog::Test mp_host(const std::string& first = "st.relaxed.sys x, 1", const std::string& place = "cta 0, gpu 0") {
  return parsed("PTX MP\n{ x = 0; y = 0; z = 0; }\n P0@" + place + " | P1@host ;\n " + first +
                " | mov r0, [y] ;\n st.relaxed.sys y, 1 | mov r1, [x] ;\n st.relaxed.sys z, 1 | ;\n"
                "exists (P1:r0 = 1 /\\ P1:r1 = 0)\n");
}

TEST(HostPlace, ThreadsOfTheHostAreOnTheLastPlace) {
  const Tree tree = *tree_of(mp_host(), true, {3, true});
  EXPECT_EQ(tree.seats[0].place, 0u);
  EXPECT_EQ(tree.seats[1].place, 2u) << "also where a device between has no thread";
  EXPECT_EQ(tree.places, (std::vector<uint32_t>{0, 2}));
  EXPECT_TRUE(tree.host);
  EXPECT_EQ(placement_name(tree, {false, false, false}), "D-gpu+host:S-sys-Global");
  const Tree none = *tree_of(mp("cta 0, gpu 0", "cta 1, gpu 0"), true, {2, true});
  EXPECT_FALSE(none.host);
  EXPECT_EQ(none.places, std::vector<uint32_t>{0});
}

TEST(HostPlace, WithoutAHostTheyAreRefusedByName) {
  for (const Places& places : {Places{1, false}, Places{2, false}}) {
    const auto tree = tree_of(mp_host(), true, places);
    ASSERT_FALSE(tree);
    EXPECT_EQ(message(tree.error()), "P1 is a thread of the host, and the run has none");
  }
  const auto two = tree_of(mp("cta 0, gpu 0", "cta 0, gpu 1"), true, {2, true});
  ASSERT_FALSE(two) << "the host is not a GPU";
  EXPECT_EQ(message(two.error()), "the test has threads on 2 devices, and the run has 1");
}

TEST(HostPlace, WhatTheHostTouchesIsInItsMemoryAndTheRestWhereItWas) {
  const Target target = with_host(2);
  const auto p = make_program(mp_host(), target, {});
  ASSERT_TRUE(p) << render(p.error());
  std::set<std::vector<uint32_t>> homes;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const auto c = draw(*p, target, {}, seed, 0);
    ASSERT_TRUE(c) << render(c.error());
    EXPECT_EQ(c->homes[0], 3u);
    EXPECT_EQ(c->homes[1], 3u);
    homes.insert(c->homes);
  }
  EXPECT_EQ(homes, (std::set<std::vector<uint32_t>>{{3, 3, 0}, {3, 3, 1}, {3, 3, 3}}));
  Parameters asked;
  ASSERT_TRUE(set_parameters(asked, "home=gpu0"));
  const auto c = draw(*p, target, asked, 1, 0);
  ASSERT_FALSE(c);
  EXPECT_NE(message(c.error()).find("P1 on the host has no access to memory of gpu 0"), std::string::npos)
      << message(c.error());
}

TEST(HostPlace, ReadModifyWritesOfAGpuNeedNativeAtomics) {
  const prog::Test t = mp_host("atom.relaxed.sys.add r0, x, 1");
  EXPECT_TRUE(make_program(t, with_host(1, Access::atomic), {}));
  const auto refused = make_program(t, with_host(1), {});
  ASSERT_FALSE(refused);
  EXPECT_NE(message(refused.error()).find("'x' can be in the memory of no device"), std::string::npos)
      << message(refused.error());
}

// One word of the alignment for each place, and none of them in memory that another place cannot reach.
TEST(HostPlace, PlacesMeetInOneBufferOfTheHost) {
  const auto p = make_program(mp_host(), with_host(1), {});
  ASSERT_TRUE(p);
  const auto& numbers = p->numbers[static_cast<size_t>(Phase::test)];
  const auto& uses = p->uses[static_cast<size_t>(Phase::test)];
  std::multiset<uint32_t> syncs;
  for (size_t k = 0; k < uses.size(); ++k)
    if (uses[k] == BufferUse::sync) syncs.insert(numbers[k]);
  EXPECT_EQ(syncs, (std::multiset<uint32_t>{k_meeting, k_own}));
}

}  // namespace
}  // namespace fencepost::plan

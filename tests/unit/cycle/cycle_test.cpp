// Cycles, names and layout.
#include "cycle/cycle.h"

#include <gtest/gtest.h>

#include "base/job.h"
#include "cycle/layout.h"
#include "cycle/name.h"
#include "cycle/test.h"
#include "prog/syntax.h"
#include "prog/test.h"

namespace fencepost::gen {
namespace {

Cycle cycle(const std::string& text) {
  auto c = parse_cycle(text);
  EXPECT_TRUE(c) << text << "\n" << render(c ? Diagnostics{} : c.error());
  return c ? *c : Cycle{};
}
Spec spec(const std::string& text) {
  auto s = spec_of(cycle(text));
  EXPECT_TRUE(s) << text << "\n" << render(s ? Diagnostics{} : s.error());
  return s ? *s : Spec{};
}

// Names and conditions of diyone7 (single reads of a thread are r1 here).
TEST(Cycle, NamesAndConditionsOfDiy) {
  struct Row {
    const char *cycle, *name, *condition;
  };
  const Row rows[] = {{"PodWW Rfe PodRR Fre", "MP", "1:r1=1 /\\ 1:r3=0"},
                      {"PodWR Fre PodWR Fre", "SB", "0:r1=0 /\\ 1:r1=0"},
                      {"PodRW Rfe PodRW Rfe", "LB", "0:r1=1 /\\ 1:r1=1"},
                      {"PodWW Rfe PodRW Coe", "S", "[x]=2 /\\ 1:r1=1"},
                      {"PodWW Coe PodWR Fre", "R", "[y]=2 /\\ 1:r1=0"},
                      {"PodWW Coe PodWW Coe", "2+2W", "[x]=2 /\\ [y]=2"},
                      {"Rfe PodRW Rfe PodRR Fre", "WRC", nullptr},
                      {"Rfe PodRR Fre PodWR Fre", "RWC", nullptr},
                      {"PodWW Rfe PodRW Rfe PodRR Fre", "ISA2", nullptr},
                      {"Rfe PodRW Coe PodWW Coe", "WRW+2W", "[x]=2 /\\ [y]=2 /\\ 0:r1=2"},
                      {"Rfe PodRW Coe PodWR Fre", "WRW+WR", nullptr},
                      {"Rfe PodRR Fre PodWW Coe", "WRR+2W", nullptr},
                      {"PodWW Coe PodWW Coe PodWW Coe", "3.2W", nullptr},
                      {"PodWR Fre PodWR Fre PodWR Fre", "3.SB", nullptr},
                      {"PodRW Rfe PodRW Rfe PodRW Rfe", "3.LB", nullptr},
                      {"PodWW Rfe PodRW Coe PodWR Fre", "Z6.0", nullptr},
                      {"PodWW Coe PodWW Rfe PodRW Coe", "Z6.1", nullptr},
                      {"PodWW Rfe PodRW Rfe PodRW Coe", "Z6.2", nullptr},
                      {"PodWW Coe PodWW Rfe PodRR Fre", "Z6.3", "[y]=2 /\\ 2:r1=1 /\\ 2:r3=0"},
                      {"PodWW Coe PodWR Fre PodWR Fre", "Z6.4", nullptr},
                      {"PodWW Coe PodWW Coe PodWR Fre", "Z6.5", nullptr},
                      {"PodWW Rfe PodRR Fre PodWR Fre", "W+RWC", nullptr},
                      {"Rfe PodRR Fre Rfe PodRR Fre", "IRIW", nullptr},
                      {"Rfe PodRR Fre Rfe PodRW Coe", "IRRWIW", "[x]=2 /\\ 0:r1=2 /\\ 0:r3=0 /\\ 2:r1=1"},
                      {"Rfe PodRW Coe Rfe PodRW Coe", "IRWIW", nullptr},
                      {"Rfe PosRR Fre", "CoRR", "0:r1=1 /\\ 0:r3=0"},
                      {"Rfe PosRW Coe", "CoRW", "[x]=2 /\\ 0:r1=2"},
                      {"Rfe PodRW Coe Coe", "", nullptr}};
  for (const Row& r : rows) {
    if (*r.name == 0) {
      EXPECT_FALSE(parse_cycle(r.cycle));
      continue;
    }
    const Spec s = spec(r.cycle);
    EXPECT_EQ(name(s), r.name) << r.cycle;
    const auto l = lay_out(s.cycle);
    ASSERT_TRUE(l);
    if (r.condition != nullptr) {
      EXPECT_EQ(print_condition(*l), r.condition) << r.cycle;
    }
    const auto back = parse_name(r.name);
    ASSERT_TRUE(back) << r.name << render(back.error());
    EXPECT_EQ(*back, canonical(s)) << r.name;
  }
}

TEST(Cycle, PrintsAndReads) {
  for (const char* text :
       {"PodWW Rfe PodRR Fre", "release.gpu PodWW relaxed.cta.shared Rfe@cta acquire.gpu DpAddrdRR Fre@gpu",
        "Fence.acq_rel.gpudWW Rfe Fence.sc.sysdRR Fre", "PodWW exch Rfe Rmw PodWR tex Fre",
        "Proxy.aliasdWW Rfe Bar.12dRW Coe", "weak.alias.w32 PodWW Rfe volatile DpCtrldRR Rfi"}) {
    const auto c = parse_cycle(text);
    if (std::string(text).ends_with("Rfi")) {
      EXPECT_FALSE(c);
      continue;
    }
    ASSERT_TRUE(c) << text << render(c.error());
    EXPECT_EQ(print(*c), text);
    EXPECT_EQ(cycle(print(*c)), *c);
  }
  EXPECT_EQ(cycle("Fence.sc.gpu.dWR Fre,PodWR Fre"), cycle("Fence.sc.gpudWR Fre PodWR Fre"));
  EXPECT_EQ(cycle("PodWW Rfe PodRR Fre release.gpu"), cycle("release.gpu PodWW Rfe PodRR Fre"));
  EXPECT_EQ(cycle("PodWW Wse PodWW Wse"), cycle("PodWW Coe PodWW Coe"));
}

TEST(Cycle, RefusesWithAPlaceAndAHint) {
  struct Row {
    const char *cycle, *message, *place;
  };
  const Row rows[] = {{"PodWW Rfe PodRR Rfe", "ends at a read", "cycle:1:17"},
                      {"PodWW Rfe PodRW Coe Coe", "two communications in a row", "cycle:1:21"},
                      {"PodWW Rfi PodRR Fre", "1 communication to another thread", "cycle:1:1"},
                      {"Rfe PodRR Fre", "alone changes the location", "cycle:1:5"},
                      {"PodWX Rfe PodRR Fre", "neither a relation nor", "cycle:1:1"},
                      {"Fence.weak.gpudWW Rfe PodRR Fre", "not an order of a fence", "cycle:1:7"},
                      {"Fence.sc.gppudWW Rfe PodRR Fre", "not a level", "cycle:1:10"},
                      {"PodWW Rfe@blok PodRR Fre", "not a level", "cycle:1:11"},
                      {"PodWW Rfi@cta PodRR Fre", "has no level", "cycle:1:10"},
                      {"relaxed relaxed PodWW Rfe PodRR Fre", "two descriptions", "cycle:1:9"},
                      {"relaxed.weak PodWW Rfe PodRR Fre", "second word of its kind", "cycle:1:9"},
                      {"DpDatadRR Rfe PodRR Fre", "ends at a write", "cycle:1:9"},
                      {"DpAddrdWR Fre PodWR Fre", "starts at a read", "cycle:1:8"},
                      {"", "needs relations", ""}};
  for (const Row& r : rows) {
    const auto c = parse_cycle(r.cycle);
    ASSERT_FALSE(c) << r.cycle;
    const Diagnostic& d = c.error().list.front();
    EXPECT_NE(d.message.find(r.message), std::string::npos) << r.cycle << ": " << d.message;
    EXPECT_FALSE(d.hint.empty()) << r.cycle;
    if (*r.place != 0) {
      EXPECT_EQ(d.span.location(), r.place) << r.cycle;
    }
  }
  const auto three = spec_of(cycle("PodWW Coe PosWW Coe PodWR Fre"));
  ASSERT_FALSE(three);
  EXPECT_EQ(three.error().list.front().fault, Fault::unsupported);
  EXPECT_NE(parse_cycle("PodWR relaxd Fre PodWR Fre").error().list.front().hint.find("relaxed"), std::string::npos);
}

TEST(Name, TagsAndSuffixes) {
  struct Row {
    const char *cycle, *name;
  };
  const Row rows[] = {{"Fence.sc.gpudWW Rfe Fence.sc.gpudRR Fre", "MP+fence.sc.gpus"},
                      {"Fence.sc.gpudWW Rfe DpAddrdRR Fre", "MP+fence.sc.gpu+addr"},
                      {"PodWR Fre Fence.sc.sysdWR Fre", "SB+fence.sc.sys+po"},
                      {"Fence.sc.sysdWR Fre PodWR Fre", "SB+fence.sc.sys+po"},
                      {"PodWW Rfe DpCtrldRW Rfi DpAddrdRR Fre", "MP+po+ctrl-rfi-addr"},
                      {"PodWW Rfe PodRR PodRR Fre", "MP+po+poR-po"},
                      {"release.gpu PodWW Rfe PodRR Fre", "MP+release.gpu-po+po"},
                      {"PodWW release.gpu Rfe acquire.gpu PodRR Fre", "MP+po-release.gpu+acquire.gpu-po"},
                      {"relaxed.cta Rfe PosRR Fre", "CoRR+relaxed.cta+pos"},
                      {"Rfe Fence.sc.ctasRR Fre", "CoRR+fence.sc.ctas"},
                      {"PosWW Rfe PosRR Fre", "RR+WW+poss"},
                      {"PodWW Rfe@cta PodRR Fre@cta", "MP@01"},
                      {"PodWW Rfe@sys PodRR Fre@sys", "MP@0_1"},
                      {"PodWW Rfe@warp PodRR Fre", "MP@0=1"},
                      {"shared PodWW Rfe@cta PodRR Fre", "MP@01-xs"},
                      {"Rfe@cta PodRW Rfe@gpu PodRR Fre", "WRC@02.1"}};
  for (const Row& r : rows) {
    const Spec s = spec(r.cycle);
    EXPECT_EQ(name(s), r.name) << r.cycle;
    const auto back = parse_name(r.name);
    ASSERT_TRUE(back) << r.name << "\n" << render(back.error());
    EXPECT_EQ(*back, canonical(s)) << r.name;
  }
  for (const char* bad : {"MQ", "MP+po", "MP+po+po+po", "MP+pp+po", "MP@0", "MP@01.1", "MP+ctrl+po", "RR+RR",
                          "MP@01-qs", "WW", "CoRR+po-po"})
    EXPECT_FALSE(parse_name(bad)) << bad;
}

// Random cycles: printing and naming give them back, whatever access they begin with.
TEST(Name, RoundTripsOfRandomCycles) {
  Rng rng(17);
  const std::vector<std::string> kinds = {"Po",     "Po",     "Po",     "Fence.sc.gpu", "Fence.acq_rel.cta",
                                          "DpAddr", "DpData", "DpCtrl", "Bar.0",        "Proxy.alias",
                                          "Rmw"};
  const std::vector<std::string> nodes = {
      "", "", "", "relaxed.gpu", "acquire.sys", "weak", "volatile", "relaxed.cta.alias", "shared", "exch"};
  uint32_t made = 0;
  for (int round = 0; round < 30'000 && made < 1'500; ++round) {
    std::string text;
    const uint64_t threads = 2 + rng.below(3);
    Dir at = rng.chance(0.5) ? Dir::read : Dir::write;
    const Dir begin = at;
    const auto letter = [](Dir d) { return d == Dir::read ? 'R' : 'W'; };
    for (uint64_t t = 0; t < threads; ++t) {
      for (uint64_t k = rng.below(3); k > 0; --k) {
        const Dir to = rng.chance(0.5) ? Dir::read : Dir::write;
        const std::string& kind = rng.pick(kinds);
        const std::string& node = rng.pick(nodes);
        text += node + " " + kind + (kind == "Rmw" || rng.chance(0.25) ? "s" : "d") + letter(at) + letter(to) + " ";
        at = to;
      }
      const Dir to = t + 1 == threads ? begin : rng.chance(0.5) ? Dir::read : Dir::write;
      text += rng.pick(nodes) + " " + (at == Dir::read ? "Fr" : to == Dir::read ? "Rf" : "Co");
      text += "e ";
      at = to;
    }
    const auto c = parse_cycle(text);
    if (!c) continue;
    EXPECT_EQ(cycle(print(*c)), *c) << text;
    const auto base = spec_of(*c);
    if (!base) continue;  // three writes to a location, or two regions of one
    ++made;
    const auto trees = all_trees(base->tree.places.size(), true);
    const Spec s{base->cycle, trees[rng.below(trees.size())]};
    const std::string n = name(s);
    const auto back = parse_name(n);
    ASSERT_TRUE(back) << n << " of " << text << "\n" << render(back.error());
    EXPECT_EQ(*back, canonical(s)) << n << " of " << text;
    EXPECT_EQ(name(*back), n);
    EXPECT_EQ(canonical(canonical(s)), canonical(s)) << n;
    // The same cycle from another of its accesses, with its threads renumbered, is the same spec.
    const size_t by = rng.below(c->size());
    const Cycle turned = rotated(s.cycle, by);
    const auto a = lay_out(s.cycle), b = lay_out(turned);
    ASSERT_TRUE(a && b);
    std::vector<uint32_t> from(b->threads.size());
    for (size_t k = 0; k < c->size(); ++k) from[b->thread_of[k]] = a->thread_of[(k + by) % c->size()];
    EXPECT_EQ(canonical({turned, permuted(s.tree, from)}), canonical(s)) << n;
    EXPECT_EQ(name({turned, permuted(s.tree, from)}), n);
  }
  EXPECT_GE(made, 1'000u);
}

TEST(Tree, EnumeratesAndPrints) {
  EXPECT_EQ(all_trees(2, false).size(), 3u);
  EXPECT_EQ(all_trees(2, true).size(), 4u);
  EXPECT_EQ(all_trees(3, false).size(), 12u);
  EXPECT_EQ(all_trees(4, false).size(), 60u);
  for (size_t n = 1; n <= 4; ++n)
    for (const Tree& t : all_trees(n, true)) {
      const auto back = parse_tree(print(t), n);
      ASSERT_TRUE(back) << print(t);
      EXPECT_EQ(*back, t) << print(t);
    }
  // A thread or more on the host, one or more elsewhere: of each tree those that have a device for themselves.
  EXPECT_EQ(host_trees(1).size(), 0u);
  EXPECT_EQ(host_trees(2).size(), 2u);
  EXPECT_EQ(host_trees(3).size(), 3u * 2 + 6);
  for (size_t n = 2; n <= 4; ++n)
    for (const Tree& t : host_trees(n)) {
      const auto back = parse_tree(print(t), n);
      ASSERT_TRUE(back) << print(t);
      EXPECT_EQ(*back, t) << print(t);
    }
  EXPECT_EQ(print(*parse_tree("1.0", 2)), "0.1");
  EXPECT_EQ(print(*parse_tree("2=0.1", 3)), "0=2.1");
  for (const char* bad : {"", "0", "0.", "00", "0.2", "0..1", "=01", "0=", "01x"})
    EXPECT_FALSE(parse_tree(bad, 2)) << bad;
}

TEST(Tree, LevelsOfRelations) {
  EXPECT_EQ(print(spec("PodWW Rfe@cta PodRR Fre").tree), "01");
  EXPECT_EQ(print(spec("PodWR Fre@cta PodWR Fre@gpu PodWR Fre").tree), "01.2");
  EXPECT_FALSE(spec_of(cycle("PodWW Rfe@cta PodRR Fre@gpu")));
  EXPECT_FALSE(spec_of(cycle("PodWW Rfe@cta PodRR Fre"), "0.1"));
}

TEST(Tree, Clusters) {
  for (const char* text : {"0~1", "~0.1", "0~1.2", "0=1~2.3", "01~2_3", "0~1~2.3", "~01.2"}) {
    const auto t = parse_tree(text, 2 + (std::string(text).find('2') != std::string::npos) +
                                        (std::string(text).find('3') != std::string::npos));
    ASSERT_TRUE(t) << text << render(t.error());
    EXPECT_TRUE(t->clusters);
    EXPECT_EQ(print(*t), text);
  }
  EXPECT_EQ(print(*parse_tree("~0~1", 2)), "0~1");
  EXPECT_EQ(print(*parse_tree("2.1~0", 3)), "0~1.2");
  for (const char* bad : {"~", "0~", "0~.1", "~~0.1", "0~~1", "0=~1", "0~=1"}) EXPECT_FALSE(parse_tree(bad, 2)) << bad;
  const Tree t = *parse_tree("0~1.2_3", 4);
  EXPECT_EQ(common_level(t, 0, 1), Scope::cluster);
  EXPECT_EQ(common_level(t, 0, 2), Scope::gpu);
  EXPECT_EQ(common_level(t, 0, 3), Scope::sys);
  EXPECT_NE(*parse_tree("~0.1", 2), spread(2)) << "clusters that are named are another placement";
  EXPECT_EQ(common_level(spread(2), 0, 1), Scope::gpu);
  // Without clusters every tree is what it was; with them the number is that of chains of partitions.
  for (size_t n = 1; n <= 4; ++n)
    for (const Tree& k : all_trees(n, false)) EXPECT_FALSE(k.clusters);
  EXPECT_EQ(all_trees(2, false).size(), 3u);
  EXPECT_EQ(all_trees(2, false, true).size(), 4u);
  EXPECT_EQ(all_trees(3, false, true).size(), 22u);
  EXPECT_EQ(print(spec("PodWW Rfe@cluster PodRR Fre").tree), "0~1");
  EXPECT_EQ(print(spec("PodWR Fre@cluster PodWR Fre@gpu PodWR Fre").tree), "0~1.2");
  EXPECT_EQ(print(spec("PodWR Fre@cluster PodWR Fre@cta PodWR Fre").tree), "0~12");
  EXPECT_FALSE(spec_of(cycle("PodWW Rfe@cluster PodRR Fre@gpu")));
  // Names come back.
  for (const char* name : {"MP@0~1", "SB+fence.sc.clusters@~0.1", "IRIW+fence.sc.gpus@0~1.2~3", "CoRR@0~1",
                           "MP+fence.acq_rel.cluster+po@0~1"}) {
    const auto s = parse_name(name);
    ASSERT_TRUE(s) << name << render(s.error());
    EXPECT_EQ(gen::name(*s), name);
  }
}

TEST(Tree, ThreadsOfTheHost) {
  for (const char* text : {"0_H1", "H0_1", "H0_H1", "0.1_H2", "H0_12", "0_H1_2"}) {
    const size_t n = 2 + (std::string(text).find('2') != std::string::npos);
    const auto t = parse_tree(text, n);
    ASSERT_TRUE(t) << text << render(t.error());
    EXPECT_EQ(print(*t), text);
    for (size_t k = 0; k < n; ++k) {
      EXPECT_EQ(t->places[k].host, std::string(text).find("H" + std::to_string(k)) != std::string::npos) << text;
      for (size_t o = 0; o < n; ++o)
        if (o != k && t->places[k].host) EXPECT_EQ(common_level(*t, k, o), Scope::sys);
    }
  }
  EXPECT_NE(*parse_tree("0_H1", 2), *parse_tree("0_1", 2)) << "the host is not a device";
  for (const char* bad : {"0H1", "0.H1", "0=H1", "0_H", "H", "HH0_1", "H0.1", "0_1H", "H0~1"})
    EXPECT_FALSE(parse_tree(bad, 2)) << bad;
  for (const char* name : {"MP@0_H1", "MP@H0_1", "SB+fence.sc.syss@0_H1", "WRC@0.2_H1"}) {
    const auto s = parse_name(name);
    ASSERT_TRUE(s) << name << render(s.error());
    EXPECT_EQ(parse_name(gen::name(*s))->tree, s->tree) << gen::name(*s);
  }
  // A thread of the host has instructions of x86, and what x86 has not is refused.
  const auto made = [](const char* name, prog::Syntax syntax = prog::Syntax::ptx) {
    TestOptions o;
    o.syntax = syntax;
    return make_test(*parse_name(name), o);
  };
  const auto t = made("SB+fence.sc.syss@0_H1");
  ASSERT_TRUE(t) << render(t.error());
  ASSERT_NE(prog::host_thread(*t), nullptr);
  const uint32_t host = prog::host_thread(*t)->id;
  std::vector<std::string> code;
  for (const prog::Instr& i : t->instrs(host)) code.push_back(prog::to_string(*t, host, i));
  EXPECT_EQ(code.size(), 3u);
  EXPECT_TRUE(code[0].starts_with("mov [") && code[1] == "mfence" && code[2].starts_with("mov r")) << code[0];
  EXPECT_FALSE(made("SB+fence.acq_rel.syss@0_H1"));
  EXPECT_FALSE(made("SB+fence.sc.gpus@0_H1"));
  EXPECT_FALSE(made("MP@0_H1", prog::Syntax::gpu_ptx));
  EXPECT_FALSE(made("MP@0_H1", prog::Syntax::vulkan));
}

}  // namespace
}  // namespace fencepost::gen

// Tests made from cycles: what each dialect says and what it refuses.
#include "cycle/test.h"

#include <gtest/gtest.h>

#include "base/job.h"
#include "print/litmus.h"
#include "prog/syntax.h"
#include "read/read.h"

namespace fencepost::gen {
namespace {

using prog::Syntax;

prog::Test made(const std::string& cycle, Syntax syntax, const std::string& access = "") {
  const auto c = parse_cycle(cycle);
  EXPECT_TRUE(c) << cycle;
  const auto s = spec_of(*c);
  EXPECT_TRUE(s) << cycle;
  TestOptions o;
  o.syntax = syntax;
  if (!access.empty()) o.access = *parse_node(access);
  const auto t = make_test(*s, o);
  EXPECT_TRUE(t) << cycle << "\n" << (t ? "" : render(t.error())) << litmus_text(*s, o).value_or("");
  return t ? *t : prog::Test{};
}

std::vector<std::string> lines(const prog::Test& t, uint32_t thread) {
  std::vector<std::string> out;
  for (const auto& i : t.instrs(thread)) out.push_back(prog::to_string(t, thread, i));
  return out;
}
using Lines = std::vector<std::string>;

TEST(MakeTest, Ptx) {
  const prog::Test mp = made("release.gpu PodWW release.gpu Rfe acquire.gpu PodRR Fre", Syntax::ptx);
  EXPECT_EQ(mp.title, "MP+release.gpu-po-release.gpu+acquire.gpu-po");
  EXPECT_EQ(lines(mp, 0), (Lines{"st.release.gpu x, 1", "st.release.gpu y, 1"}));
  EXPECT_EQ(lines(mp, 1), (Lines{"ld.acquire.gpu r1, y", "ld.weak r3, x"}));
  EXPECT_EQ(mp.quantifier, prog::Quantifier::exists);
  EXPECT_EQ(prog::to_string(mp, mp.condition), prog::to_string(mp, mp.condition));
  const prog::Test sb = made("Fence.sc.gpudWR Fre Proxy.aliasdWR alias Fre", Syntax::ptx, "relaxed.sys");
  EXPECT_EQ(lines(sb, 0), (Lines{"st.relaxed.sys x, 1", "fence.sc.gpu", "ld.relaxed.sys r1, y"}));
  const prog::Test lb = made("DpDatadRW Rfe DpCtrldRW Rfe", Syntax::ptx);
  EXPECT_EQ(lines(lb, 0), (Lines{"ld.weak r1, x", "and r2, r1, 128", "add r4, r2, 1", "st.weak y, r4"}));
  EXPECT_EQ(lines(lb, 1)[1].substr(0, 10), "bne r1, 0,");
  const prog::Test rmw =
      made("PodWW release.gpu Rfe acquire.gpu Rmw relaxed.gpu PodWR Fre", Syntax::ptx, "relaxed.gpu");
  EXPECT_EQ(lines(rmw, 1), (Lines{"atom.acquire.gpu.exch r1, y, 2", "ld.relaxed.gpu r3, x"}));
  const prog::Test places = made("PodWW Rfe@sys PodRR Fre", Syntax::ptx);
  EXPECT_NE(places.threads[0].scope, places.threads[1].scope);
}

TEST(MakeTest, Vulkan) {
  const prog::Test t = made("Fence.acq_rel.ctadWW Rfe@cta acquire.gpu PodRR weak.sys Fre", Syntax::vulkan);
  EXPECT_EQ(lines(t, 0), (Lines{"st.atom.dv.sc0 x, 1", "membar.acq_rel.wg.semsc0", "st.atom.dv.sc0 y, 1"}));
  EXPECT_EQ(lines(t, 1), (Lines{"ld.atom.acq.qf.sc0.semsc0 r1, y", "ld.vis.dv.sc0 r3, x"}));
}

TEST(MakeTest, GpuPtx) {
  const prog::Test t = made("Fence.sc.gpudWW Rfe DpAddrdRR ca Fre", Syntax::gpu_ptx);
  EXPECT_EQ(lines(t, 0)[1], "membar.gl");
  EXPECT_EQ(t.instrs(1).front().mnemonic, "ld.cg.s32");
  EXPECT_EQ(t.instrs(1).back().mnemonic, "ld.ca.s32");
  made("shared PodWW Rfe@cta DpCtrldRW shared Coe", Syntax::gpu_ptx);
  made("PodRW Rfe DpDatadRW Rfe", Syntax::gpu_ptx);
  made("PodWW Rfe Rmw PodWR Fre", Syntax::gpu_ptx);
}

TEST(MakeTest, OpenCl) {
  const prog::Test t = made("Fence.sc.gpudWW Rfe DpCtrldRR Fre", Syntax::opencl);
  EXPECT_EQ(t.threads.size(), 2u);
  made("shared PodWW Rfe@cta DpAddrdRR shared Fre", Syntax::opencl);
  made("weak PodWW release.gpu Rfe acquire.gpu DpCtrldRR weak Fre", Syntax::opencl);
  made("PodRW Rfe DpDatadRW Rfe", Syntax::opencl, "relaxed.gpu");
  made("sc.gpu PodWR sc.gpu Fre sc.gpu PodWR Fre", Syntax::opencl);
  made("Bar.0dWW Rfe@cta Bar.0dRR Fre", Syntax::opencl);
  made("PodWW Rfe Rmw PodWR Fre", Syntax::opencl);
}

TEST(MakeTest, VulkanStorageClassesAndAvailability) {
  const auto text = [](const std::string& cycle) {
    TestOptions o;
    o.syntax = Syntax::vulkan;
    const auto c = parse_cycle(cycle);
    EXPECT_TRUE(c) << render(c.error());
    const auto t = litmus_text(*spec_of(*c), o);
    EXPECT_TRUE(t) << render(t.error());
    // The name says all of it: it is read back to the same test.
    const auto again = parse_name(name(*spec_of(*c)));
    EXPECT_TRUE(again) << name(*spec_of(*c));
    EXPECT_EQ(name(*again), name(*spec_of(*c)));
    EXPECT_TRUE(make_test(*again, o)) << cycle;
    return t ? *t : "";
  };
  std::string t = text("weak.sc1.nonpriv PodWW release.sys.semav Rfe acquire.sys.semvis PodRR weak.nonpriv Fre");
  EXPECT_NE(t.find("st.nonpriv.sc1 x, 1"), std::string::npos) << t;
  EXPECT_NE(t.find("st.atom.rel.dv.sc0.semsc0.semsc1.semav y, 1"), std::string::npos) << t;
  EXPECT_NE(t.find("ld.atom.acq.dv.sc0.semsc0.semsc1.semvis r1, y"), std::string::npos) << t;
  EXPECT_NE(t.find("ld.nonpriv.sc1 r3, x"), std::string::npos) << t;
  t = text("weak Fence.release.cta.semsc2.semavdWW sc2 Rfe AvDevicesRW VisDevicedWR weak.cta Fre");
  EXPECT_NE(t.find("membar.rel.wg.semsc2.semav"), std::string::npos) << t;
  EXPECT_NE(t.find("avdevice"), std::string::npos) << t;
  EXPECT_NE(t.find("visdevice"), std::string::npos) << t;
  EXPECT_NE(t.find("ld.vis.wg.sc0"), std::string::npos) << t;
  t = text("PodWW Rfe acquire.sys.semvis Rmw release.sys.semav.semsc0 PodWR Fre");
  EXPECT_NE(t.find("rmw.atom.acq_rel.dv.sc0.semsc0.semav.semvis"), std::string::npos) << t;
  t = text("Bar.1.semav.semvisdWW Rfe@cta Bar.1dRR Fre");
  EXPECT_NE(t.find("cbar.acq_rel.wg.semsc0.semav.semvis 1"), std::string::npos) << t;
  EXPECT_NE(t.find("cbar.acq_rel.wg.semsc0 1"), std::string::npos) << t;
}

// Every family of diy in every dialect is read back from its own printed form.
TEST(MakeTest, PrintsToItself) {
  for (Syntax s : {Syntax::ptx, Syntax::vulkan, Syntax::opencl, Syntax::gpu_ptx})
    for (const char* n : {"MP", "SB", "LB", "S", "R", "2+2W", "WRC", "ISA2", "IRIW@01.2_3", "Z6.3", "CoRR", "LB+datas",
                          "MP+po+ctrl", "SB+bar.0s@01", "MP+fence.sc.gpus", "WW+RR+poss"}) {
      const auto spec = parse_name(n);
      ASSERT_TRUE(spec) << n;
      TestOptions o;
      o.syntax = s;
      const auto t = make_test(*spec, o);
      if (!t) {
        EXPECT_EQ(t.error().list.front().fault, Fault::unsupported) << n << render(t.error());
        continue;
      }
      const auto back = read::parse_one(make_source("x.litmus", print::print(*t)));
      ASSERT_TRUE(back) << n << render(back.error()) << print::print(*t);
      EXPECT_EQ(*back, *t) << n;
    }
}

TEST(MakeTest, RefusesByName) {
  struct Row {
    const char* cycle;
    Syntax syntax;
    const char* what;
  };
  const Row rows[] = {
      {"PodWW Rfe DpAddrdRR Fre", Syntax::ptx, "an address dependency is not in PTX"},
      {"cg PodWW Rfe PodRR Fre", Syntax::ptx, "a cache operator is not in PTX"},
      {"relaxed.warp PodWW Rfe PodRR Fre", Syntax::ptx, "scope 'warp' is not in PTX"},
      {"relaxed.cluster PodWW Rfe PodRR Fre", Syntax::vulkan, "scope 'cluster'"},
      {"Fence.sc.clusterdWW Rfe PodRR Fre", Syntax::gpu_ptx, "scope 'cluster'"},
      {"relaxed.cluster PodWW Rfe PodRR Fre", Syntax::opencl, "scope 'cluster'"},
      {"mmio PodWW Rfe PodRR Fre", Syntax::ptx, "'mmio'"},
      {"acquire.gpu PodWW Rfe PodRR Fre", Syntax::ptx, "an acquiring write"},
      {"weak.w16 PodWW Rfe PodRR Fre", Syntax::ptx, "a width of 16 bits"},
      {"const PodWW Rfe PodRR Fre", Syntax::ptx, "a write through the proxy 'const'"},
      {"Fence.acquire.gpudWW Rfe PodRR Fre", Syntax::ptx, "a fence of order 'acquire'"},
      {"Fence.sc.gpudWW Rfe PodRR Fre", Syntax::vulkan, "a fence of order 'sc' is not in VULKAN"},
      {"Proxy.texdWW Rfe PodRR Fre", Syntax::vulkan, "a proxy fence"},
      {"Bar.0dWW Rfe@cta PodRR Fre", Syntax::gpu_ptx, "a barrier is not in GPU_PTX"},
      {"relaxed.gpu PodWW Rfe PodRR Fre", Syntax::gpu_ptx, "an access with a scope"},
      {"shared.cg PodWW Rfe PodRR Fre", Syntax::gpu_ptx, "x lies in shared memory"},
      {"sc1 PodWW Rfe PodRR Fre", Syntax::ptx, "storage class 'sc1' is not in PTX"},
      {"weak.nonpriv PodWW Rfe PodRR Fre", Syntax::opencl, "'nonpriv' is not in OPENCL"},
      {"release.semav PodWW Rfe PodRR Fre", Syntax::ptx, "what an operation makes available"},
      {"AvDevicedWW Rfe PodRR Fre", Syntax::ptx, "'AvDevice' is not in PTX"},
      {"Fence.acq_rel.gpu.semavdWW Rfe PodRR Fre", Syntax::gpu_ptx, "is not in GPU_PTX"},
      {"relaxed.sys.semav PodWW Rfe PodRR Fre", Syntax::vulkan, "'semav' of an operation that does not"},
      {"relaxed.sys.semsc1 PodWW Rfe PodRR Fre", Syntax::vulkan, "storage classes of an operation"},
      {"Fence.release.sys.semvisdWW Rfe PodRR Fre", Syntax::vulkan, "'semvis' of an operation that"},
      {"relaxed.sys.nonpriv PodWW Rfe PodRR Fre", Syntax::vulkan, "'nonpriv' of an atomic access"},
      {"weak.sys.nonpriv PodWW Rfe PodRR Fre", Syntax::vulkan, "'nonpriv' of an access with a scope"},
      {"volatile PodWW Rfe PodRR Fre", Syntax::opencl, "a volatile access is not in OPENCL"}};
  for (const Row& r : rows) {
    const auto c = parse_cycle(r.cycle);
    ASSERT_TRUE(c) << r.cycle << render(c.error());
    TestOptions o;
    o.syntax = r.syntax;
    const auto t = make_test(*spec_of(*c), o);
    ASSERT_FALSE(t) << r.cycle;
    const Diagnostic& d = t.error().list.front();
    EXPECT_EQ(d.fault,
              std::string(r.what).find("lies in") == std::string::npos ? Fault::unsupported : Fault::bad_input);
    EXPECT_NE(d.message.find(r.what), std::string::npos) << d.message;
    EXPECT_FALSE(d.span.location().empty()) << r.cycle;
    EXPECT_FALSE(d.hint.empty());
  }
}

TEST(MakeTest, ClustersArePtx) {
  const auto t =
      make_test(*parse_name("MP+fence.acq_rel.clusters@0~1"), {.access = parse_node("relaxed.cluster").value()});
  ASSERT_TRUE(t) << render(t.error());
  EXPECT_EQ(t->threads[0].cluster, t->threads[1].cluster);
  EXPECT_FALSE(prog::same_scope(t->threads[0].scope, t->threads[1].scope, 2));
  EXPECT_TRUE(prog::has_cluster_scope(*t));
  const auto two = make_test(*parse_name("MP@~0.1"), {});
  ASSERT_TRUE(two);
  EXPECT_NE(two->threads[0].cluster, two->threads[1].cluster);
  EXPECT_FALSE(prog::has_cluster_scope(*two));
  TestOptions vulkan;
  vulkan.syntax = Syntax::vulkan;
  const auto refused = make_test(*parse_name("MP@0~1"), vulkan);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().list.front().message, "a placement with clusters is not in VULKAN");
  EXPECT_EQ(refused.error().list.front().fault, Fault::unsupported);
}

// Whatever a cycle says, its test is read by the front end, or refused at a place in the cycle; and it prints to
// itself.
TEST(MakeTest, RandomCyclesAreMadeOrRefused) {
  Rng rng(23);
  const std::vector<std::string> kinds = {"Po",
                                          "Po",
                                          "Fence.sc.gpu",
                                          "Fence.acq_rel.cta",
                                          "Fence.acquire.sys",
                                          "Fence.release.warp",
                                          "DpAddr",
                                          "DpData",
                                          "DpCtrl",
                                          "Bar.1",
                                          "Fence.acq_rel.sys.semsc1.semav",
                                          "AvDevice",
                                          "VisDevice",
                                          "Proxy.alias",
                                          "Proxy.const",
                                          "Rmw"};
  const std::vector<std::string> nodes = {"",
                                          "",
                                          "relaxed.gpu",
                                          "acquire.sys",
                                          "release.cta",
                                          "weak",
                                          "weak.sys",
                                          "volatile",
                                          "relaxed.cta.alias",
                                          "shared",
                                          "exch",
                                          "sc.gpu",
                                          "tex",
                                          "surf.relaxed.sys",
                                          "acq_rel.gpu",
                                          "ca",
                                          "cg",
                                          "mmio",
                                          "w64",
                                          "const",
                                          "add",
                                          "weak.shared.cv"};
  uint32_t made = 0, refused = 0;
  for (int round = 0; round < 6'000; ++round) {
    std::string text;
    const uint64_t threads = 2 + rng.below(2);
    Dir at = rng.chance(0.5) ? Dir::read : Dir::write;
    const Dir begin = at;
    const auto letter = [](Dir d) { return d == Dir::read ? 'R' : 'W'; };
    for (uint64_t t = 0; t < threads; ++t) {
      for (uint64_t k = rng.below(3); k > 0; --k) {
        const Dir to = rng.chance(0.5) ? Dir::read : Dir::write;
        const std::string& kind = rng.pick(kinds);
        text += (rng.chance(0.3) ? rng.pick(nodes) : "") + " " + kind +
                (kind == "Rmw" || rng.chance(0.25) ? "s" : "d") + letter(at) + letter(to) + " ";
        at = to;
      }
      const Dir to = t + 1 == threads ? begin : rng.chance(0.5) ? Dir::read : Dir::write;
      text += at == Dir::read ? "Fre " : to == Dir::read ? "Rfe " : "Coe ";
      at = to;
    }
    const auto c = parse_cycle(text);
    if (!c) continue;
    auto spec = spec_of(*c);
    if (!spec) continue;
    const auto trees = all_trees(spec->tree.places.size(), true);
    spec->tree = trees[rng.below(trees.size())];
    for (Syntax s : {Syntax::ptx, Syntax::vulkan, Syntax::opencl, Syntax::gpu_ptx}) {
      TestOptions o;
      o.syntax = s;
      const auto t = make_test(*spec, o);
      if (!t) {
        ++refused;
        const Diagnostic& d = t.error().list.front();
        ASSERT_TRUE(d.span.source) << text << render(t.error());
        EXPECT_EQ(d.span.source->name, "cycle") << text << "\n"
                                                << render(t.error()) << litmus_text(*spec, o).value_or("");
        EXPECT_FALSE(d.hint.empty()) << render(t.error());
        continue;
      }
      ++made;
      const auto back = read::parse_one(make_source("x.litmus", print::print(*t)));
      ASSERT_TRUE(back) << text << render(back.error()) << print::print(*t);
      EXPECT_EQ(*back, *t) << text;
    }
  }
  EXPECT_GE(made, 500u);
  EXPECT_GE(refused, 500u);
}

TEST(Coherence, FiveTestsInEveryDialect) {
  for (Syntax s : {Syntax::ptx, Syntax::vulkan, Syntax::opencl, Syntax::gpu_ptx}) {
    TestOptions o;
    o.syntax = s;
    const auto tests = coherence_tests(o, *parse_tree("01", 2));
    ASSERT_TRUE(tests) << render(tests.error());
    ASSERT_EQ(tests->size(), 5u);
    EXPECT_EQ((*tests)[0].name, "CoRR@01");
    EXPECT_EQ((*tests)[4].name, "CoWW");
    EXPECT_EQ((*tests)[4].test.threads.size(), 1u);
  }
}

}  // namespace
}  // namespace fencepost::gen

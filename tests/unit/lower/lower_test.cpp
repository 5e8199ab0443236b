// Tables, what they make of tests, and that no shipped one adds an outcome.
#include "lower/lower.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>

#include "../../support/parsed.h"
#include "cat/library.h"
#include "check/check.h"
#include "print/litmus.h"
#include "prog/syntax.h"

namespace fencepost {
namespace {

using support::parsed;

lower::Table table(const std::string& name) {
  auto t = lower::load_table(name);
  EXPECT_TRUE(t.has_value()) << (t ? "" : render(t.error()));
  return t ? *t : lower::Table{};
}

std::string known_bad() { return std::string(FENCEPOST_SOURCE_DIR) + "/examples/lowering/opencl-ptx-unfenced.map"; }

vocab::Dialect dialect(prog::Syntax s) {
  return s == prog::Syntax::ptx      ? vocab::Dialect::ptx
         : s == prog::Syntax::vulkan ? vocab::Dialect::vulkan
                                     : vocab::Dialect::opencl;
}

// Outcomes as texts of signed values, or nullopt when a flag is raised.
std::optional<std::set<std::string>> outcomes(const prog::Test& t, const std::string& model) {
  const auto m = cat::load_model(model, t.dialect);
  EXPECT_TRUE(m.has_value()) << model;
  Job job;
  const auto o = check::outcomes(t, *m, {}, job);
  EXPECT_TRUE(o.states.complete);
  if (!o.flags.empty()) return std::nullopt;
  std::set<std::string> out;
  for (const auto& s : o.states.states) {
    std::set<std::string> parts;  // by name: the two list registers and locations in their own orders
    for (size_t i = 0; i < s.size(); ++i)
      parts.insert(o.observables[i].text + "=" + std::to_string(term::to_signed(s[i].value, o.observables[i].width)));
    std::string text;
    for (const std::string& p : parts) text += p + ";";
    out.insert(text);
  }
  return out;
}

TEST(Lower, OpenClBecomesPtx) {
  const prog::Test t = parsed(
      "OPENCL sb\n{ x=0; y=0; }\nP0@wg 0, dev 0 (global atomic_int* x, global atomic_int* y) {\n  atomic_store(x, "
      "1);\n  int r0 = atomic_load(y);\n}\n"
      "P1@wg 1, dev 0 (global atomic_int* x, global atomic_int* y) {\n  atomic_store(y, 1);\n  int r0 = "
      "atomic_load(x);\n}\n"
      "exists (P0:r0 = 0 /\\ P1:r0 = 0)\n");
  const auto good = lower::apply(table("opencl-ptx"), t);
  ASSERT_TRUE(good.has_value()) << render(good.error());
  const std::string text = print::print(*good);
  for (const char* part : {"fence.sc.gpu", "st.release.gpu x, 1", "ld.acquire.gpu r0, y", "P1@cta 1, gpu 0"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_TRUE(parsed(text) == *good);
  const auto source = outcomes(t, "opencl");
  ASSERT_TRUE(source.has_value());
  const auto lowered = outcomes(*good, "ptx-7.5");
  ASSERT_TRUE(lowered.has_value());
  for (const auto& s : *lowered) EXPECT_TRUE(source->count(s)) << s;
  // Without the fences store buffering shows through.
  const auto bad = lower::apply(table(known_bad()), t);
  ASSERT_TRUE(bad.has_value());
  const auto more = outcomes(*bad, "ptx-7.5");
  EXPECT_TRUE(std::any_of(more->begin(), more->end(), [&](const auto& s) { return !source->count(s); }));
}

TEST(Lower, CudaBecomesPtx) {
  const prog::Test t = parsed(
      "CUDA lock\n{ l=0; x=0; }\nP0@block 0, device 0 (int* l, volatile int* x) {\n  int r0 = atomicCAS(l, 0, 1);\n  "
      "__threadfence();\n  int r1 = *x;\n"
      "  *x = 1;\n  __threadfence_system();\n  atomicExch(l, 0);\n  __syncthreads();\n}\n"
      "P1@block 1, device 0 (int* l, int* x) {\n  __threadfence_block();\n  int r0 = atomicAdd(l, 2);\n  "
      "__syncthreads();\n}\nexists (P0:r0 = 0 /\\ P1:r0 = 1)\n");
  const auto p = lower::apply(table("cuda-ptx"), t);
  ASSERT_TRUE(p.has_value()) << render(p.error());
  const std::string text = print::print(*p);
  for (const char* part : {"atom.relaxed.gpu.cas r0, l, 0, 1", "fence.sc.gpu", "fence.sc.cta", "fence.sc.sys",
                           "ld.volatile r1, x", "st.volatile x, 1", "atom.relaxed.gpu.exch",
                           "atom.relaxed.gpu.add r0, l, 2", "bar.cta.sync", "P1@cta 1, gpu 0"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_TRUE(parsed(text) == *p);
  // A place in a cluster is kept.
  const auto placed = lower::apply(
      table("cuda-ptx"),
      parsed("CUDA t\n{ x=0; }\nP0@block 0, cluster 1, device 0 (volatile int* x) {\n  *x = 1;\n}\n"
             "P1@block 1, cluster 1, device 0 (volatile int* x) {\n  int r0 = *x;\n}\nexists (P1:r0 = 1)\n"));
  ASSERT_TRUE(placed.has_value()) << render(placed.error());
  EXPECT_NE(print::print(*placed).find("P1@cta 1, cluster 1, gpu 0"), std::string::npos) << print::print(*placed);
  // A mapping without the fences adds the outcome that they forbid.
  const prog::Test mp = parsed(
      "CUDA mp\n{ x=0; y=0; }\nP0@block 0, device 0 (volatile int* x, volatile int* y) {\n  *x = 1;\n  "
      "__threadfence();\n  *y = 1;\n}\n"
      "P1@block 1, device 0 (volatile int* x, volatile int* y) {\n  int r0 = *y;\n  __threadfence();\n  int r1 = "
      "*x;\n}\nexists (P1:r0 = 1 /\\ P1:r1 = 0)\n");
  lower::Table unfenced = table("cuda-ptx");
  for (lower::Rule& r : unfenced.rules)
    if (r.from[0].starts_with("__threadfence")) r.to.clear();
  const auto source = outcomes(mp, "opencl"), good = outcomes(*lower::apply(table("cuda-ptx"), mp), "ptx-7.5"),
             bad = outcomes(*lower::apply(unfenced, mp), "ptx-7.5");
  ASSERT_TRUE(source && good && bad);
  EXPECT_TRUE(std::includes(source->begin(), source->end(), good->begin(), good->end()));
  EXPECT_FALSE(std::includes(source->begin(), source->end(), bad->begin(), bad->end()));
}

TEST(Lower, ControlFlowAndBarriersBetweenPtxAndVulkan) {
  const prog::Test t = parsed(
      "PTX loop\n{ x=0; y=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n st.weak x, 7 | L: ;\n st.release.gpu y, 1 | "
      "ld.acquire.gpu r0, y ;\n"
      " bar.cta.sync 0 | beq r0, 0, L ;\n | bar.cta.sync 0 ;\n | ld.weak r1, x ;\n | add r2, r1, 1 ;\nforall (P1:r1 = "
      "7 /\\ P1:r2 = 8)\n");
  const auto v = lower::apply(table("ptx-vulkan"), t);
  ASSERT_TRUE(v.has_value()) << render(v.error());
  const std::string text = print::print(*v);
  for (const char* part :
       {"VULKAN loop", "beq r0, 0, L", "add r2, r1, 1", "cbar.acq_rel.wg.semsc0.semav.semvis 0", "forall"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  const auto back = lower::apply(table("vulkan-ptx"), *v);
  ASSERT_TRUE(back.has_value()) << render(back.error());
  EXPECT_EQ(back->instrs(1).size(), t.instrs(1).size());
}

TEST(Lower, NoShippedTableAddsAnOutcomeToTheSmallTests) {
  const auto names = lower::shipped_tables();
  EXPECT_GE(names.size(), 5u);
  for (const std::string& name : names) {
    const lower::Table t = table(name);
    uint64_t seen = 0, compared = 0;
    lower::generate(t, 4, [&](lower::Generated g) {
      EXPECT_EQ(g.number, seen + 1);
      ++seen;
      // All of two accesses; of the larger ones every 499th among the first 30,000 (of CUDA, where most race, every
      // 97th).
      if (g.number > 150 && g.number % (t.from == prog::Syntax::cuda ? 97 : 499) != 0) return g.number < 30000;
      EXPECT_EQ(g.test.dialect, dialect(t.from));
      const auto source = outcomes(g.test, t.from_model);
      if (!source) return true;
      const auto lowered = lower::apply(t, g.test);
      EXPECT_TRUE(lowered.has_value()) << render(lowered.error()) << print::print(g.test);
      if (!lowered) return false;
      const auto target = outcomes(*lowered, t.to_model);
      EXPECT_TRUE(target.has_value()) << name << "\n" << print::print(g.test) << print::print(*lowered);
      if (target)
        for (const auto& s : *target)
          EXPECT_TRUE(source->count(s)) << name << " " << s << "\n" << print::print(g.test) << print::print(*lowered);
      ++compared;
      return true;
    });
    EXPECT_GT(compared, 50u) << name;
  }
}

TEST(Lower, CountsMatchWhatIsMade) {
  for (const std::string& name : lower::shipped_tables()) {
    const lower::Table t = table(name);
    uint64_t made = 0;
    std::set<std::string> texts;
    lower::generate(t, 2, [&](lower::Generated g) {
      ++made;
      g.test.title = "t";
      EXPECT_TRUE(texts.insert(print::print(g.test)).second) << "twice: " << print::print(g.test);
      return true;
    });
    EXPECT_EQ(made, lower::count_generated(t, 2)) << name;
  }
}

TEST(Lower, FaultsAreLocatedAndHinted) {
  const auto fault = [](const std::string& text) {
    const auto t = lower::parse_table(make_source("my.map", text));
    EXPECT_FALSE(t.has_value()) << text;
    return t ? std::string() : render(t.error());
  };
  const std::string head = "lowering t\nfrom PTX ptx-7.5\nto VULKAN vulkan\n";
  for (const auto& [text, part] : {std::pair<std::string, std::string>{"", "begins with its name"},
                                   {"lowering t\n", "where it leads"},
                                   {head, "has no rule"},
                                   {"lowering a b\n", "my.map:1:1"},
                                   {"lowering t\nfrom PTZ m\n", "did you mean 'PTX'"},
                                   {head + "ld.weak ld.sc0\n", "my.map:4:1"},
                                   {head + "ld.weak -> ld.sc0 ld.sc0\n", "my.map:4:19"},
                                   {head + "ld.weak -> ld.sc0 ;\n", "missing after ';'"},
                                   {head + "ld.weak -> ; ld.sc0\n", "missing before ';'"},
                                   {head + "scope cta wg\n", "takes two words"}}) {
    const std::string said = fault(text);
    EXPECT_NE(said.find(part), std::string::npos) << text << "\n" << said;
    EXPECT_NE(said.find("hint"), std::string::npos) << text << "\n" << said;
  }
  EXPECT_FALSE(lower::load_table("opencl-ptz").has_value());
}

TEST(Lower, WhatCannotBeLoweredIsNamed) {
  const auto refused = [](const lower::Table& t, const std::string& test) {
    const auto r = lower::apply(t, parsed(test));
    EXPECT_FALSE(r.has_value()) << test;
    return r ? std::string() : render(r.error());
  };
  const lower::Table pv = table("ptx-vulkan");
  EXPECT_NE(refused(pv, "PTX f\n{ x=0; }\n P0@cta 0,gpu 0 ;\n fence.sc.gpu ;\n ld.weak r0, x ;\nexists (P0:r0 = 0)\n")
                .find("no rule for fence.sc.gpu"),
            std::string::npos);
  EXPECT_NE(
      refused(pv, "PTX a\n{ x=0; y @ surface aliases x; }\n P0@cta 0,gpu 0 ;\n ld.weak r0, x ;\nexists (P0:r0 = 0)\n")
          .find("aliases"),
      std::string::npos);
  EXPECT_NE(refused(pv, "PTX c\n{ x=0; }\n P0@cta 0,gpu 0 ;\n atom.relaxed.gpu.cas r0, x, 0, 1 ;\nexists (P0:r0 = 0)\n")
                .find("compare-and-swap"),
            std::string::npos);
  EXPECT_NE(refused(table("opencl-ptx"), "PTX f\n{ x=0; }\n P0@cta 0,gpu 0 ;\n ld.weak r0, x ;\nexists (P0:r0 = 0)\n")
                .find("leads from OPENCL"),
            std::string::npos);
  // A form that the target does not have is the table's fault, found when it is used.
  lower::Table wrong = pv;
  wrong.rules.front().to = {{"ld", "atom", "gpu"}};
  EXPECT_FALSE(lower::apply(wrong, parsed("PTX f\n{ x=0; }\n P0@cta 0,gpu 0 ;\n ld.weak r0, x ;\nexists (P0:r0 = 0)\n"))
                   .has_value());
}

TEST(Lower, AWordThatNoInstructionHasIsAnError) {
  const auto text = [](const std::string& rule) {
    const auto t = lower::parse_table(make_source("t.map", "lowering t\nfrom OPENCL opencl\nto PTX ptx-7.5\n" + rule));
    return t ? std::string() : render(t.error());
  };
  EXPECT_EQ(text("load.plain -> ld.weak\n"), "");
  EXPECT_NE(text("laod.plain -> ld.weak\n").find("'laod' is not a word of opencl instructions"), std::string::npos);
  EXPECT_NE(text("laod.plain -> ld.weak\n").find("did you mean 'load'?"), std::string::npos);
  EXPECT_NE(text("load.plain -> ld.waek\n").find("'waek' is not a word of ptx instructions"), std::string::npos);
  EXPECT_NE(text("load.plain -> ld.weak ; fnce.sc.gpu\n").find("'fnce'"), std::string::npos);
}

TEST(Lower, RulesThatNoTestMeetsAreKnown) {
  const lower::Table t = table("opencl-ptx");
  std::vector<bool> used;
  EXPECT_TRUE(lower::apply(t,
                           parsed("OPENCL o\n{ [x] = 0; }\nP0@wg 0, dev 0 (global int* x) { int r0 = *x; }\n"
                                  "exists (0:r0 = 0)\n"),
                           &used)
                  .has_value());
  ASSERT_EQ(used.size(), t.rules.size());
  for (size_t k = 0; k < used.size(); ++k) EXPECT_EQ(used[k], lower::to_string(t.rules[k]) == "load.plain") << k;
}

}  // namespace
}  // namespace fencepost

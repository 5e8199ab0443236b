// Litmus tests written as modules have the verdicts of the litmus files: the tests of the repository, and with
// FENCEPOST_LITMUS_FOLDERS (folders, separated by ':') those found there.
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "litmus_as_module.h"
#include "prog/syntax.h"
#include "ptxmod_support.h"

namespace {

using namespace ptxmod_test;

struct Count {
  size_t same = 0, not_expressed = 0;
  std::map<std::string, size_t> reasons;
};

void hold(const std::string& path, Count& count) {
  auto tests = read::parse_file(path);
  if (!tests || tests->size() != 1) return;
  const prog::Test& t = tests->front();
  if (t.syntax != prog::Syntax::ptx || t.quantifier == prog::Quantifier::none) return;
  AsModule printer(t);
  const auto text = printer.run();
  if (!text) {
    ++count.not_expressed;
    ++count.reasons[printer.why];
    return;
  }
  auto module = ptxmod::parse_ptx_module(make_source("t.ptx", *text), {});
  // In a module the thread that has no such barrier has ended, which would release it.
  if (!module && render(module.error()).contains("does not come to")) {
    ++count.not_expressed;
    ++count.reasons["a barrier that some thread does not come to"];
    return;
  }
  // Litmus tests may have a reduction that acquires; the instruction has no such order (PTX ISA, red).
  if (!module && render(module.error()).contains("'.acq_rel' is not an order of red")) {
    ++count.not_expressed;
    ++count.reasons["an order that red does not have"];
    return;
  }
  ASSERT_TRUE(module.has_value()) << path << "\n" << render(module.error()) << *text;
  for (const check::Property p : {check::Property::condition, check::Property::races}) {
    const Status asked = verdict(t, p), given = verdict(*module, p);
    // A module's loops are split where an iteration has no effect, so that a bound may cut less of it.
    if (asked == Status::unknown && given != Status::unknown) continue;
    EXPECT_EQ(asked, given) << path << ": " << check::name(p) << "\n" << *text;
  }
  ++count.same;
}

Count hold_all(const std::vector<std::string>& folders) {
  Count count;
  for (const std::string& f : folders) {
    if (!std::filesystem::exists(f)) continue;
    std::vector<std::string> files;
    for (const auto& e : std::filesystem::recursive_directory_iterator(f))
      if (e.path().extension() == ".litmus") files.push_back(e.path().string());
    std::sort(files.begin(), files.end());
    for (const std::string& path : files) hold(path, count);
  }
  std::cout << count.same << " tests as modules; " << count.not_expressed << " that modules do not express:\n";
  for (const auto& [why, n] : count.reasons) std::cout << "    " << n << " " << why << "\n";
  return count;
}

TEST(PtxmodLitmus, TestsOfTheRepository) {
  const std::string root = FENCEPOST_SOURCE_DIR;
  const Count c = hold_all({root + "/examples/ptx", root + "/tests/corpus/ptx", root + "/tests/corpus/ptx-spec"});
  EXPECT_GE(c.same, 40U);
}

// Both notations of a column: that of the published corpora and the ISA's own.
TEST(PtxmodLitmus, ColumnsWithTheTextOfModules) {
  const std::string root = FENCEPOST_SOURCE_DIR;
  std::vector<std::string> files;
  for (const char* folder : {"/examples/ptx", "/tests/corpus/ptx", "/tests/corpus/ptx-spec", "/examples/ptx-8"})
    if (std::filesystem::exists(root + folder))
      for (const auto& e : std::filesystem::recursive_directory_iterator(root + folder))
        if (e.path().extension() == ".litmus") files.push_back(e.path().string());
  std::sort(files.begin(), files.end());
  size_t same = 0;
  std::map<std::string, size_t> reasons;
  for (const std::string& path : files) {
    const auto tests = read::parse_file(path);
    if (!tests || tests->size() != 1) continue;
    const prog::Test& t = tests->front();
    if (t.syntax != prog::Syntax::ptx || t.quantifier == prog::Quantifier::none) continue;
    AsModule printer(t);
    const auto text = printer.columns();
    if (!text) {
      ++reasons[printer.why];
      continue;
    }
    const auto other = read::parse_one(make_source("t.litmus", *text));
    ASSERT_TRUE(other.has_value()) << path << "\n" << render(other.error()) << *text;
    for (const check::Property p : {check::Property::condition, check::Property::races}) {
      const Status asked = verdict(t, p, 2, check::Engine::automatic, "ptx-8"),
                   given = verdict(*other, p, 2, check::Engine::automatic, "ptx-8");
      if (asked == Status::unknown && given != Status::unknown) continue;
      EXPECT_EQ(asked, given) << path << ": " << check::name(p) << "\n" << *text;
    }
    ++same;
  }
  std::cout << same << " tests in both notations\n";
  for (const auto& [why, n] : reasons) std::cout << "    " << n << " " << why << "\n";
  EXPECT_GE(same, 100U);
}

std::string columns(const std::string& init, const std::string& threads, const std::string& rows,
                    const std::string& question) {
  return "PTX t\n{ " + init + " }\n" + threads + " ;\n" + rows + question + "\n";
}
Status decided(const std::string& text, check::Property p = check::Property::condition) {
  const auto t = read::parse_one(make_source("t.litmus", text));
  EXPECT_TRUE(t.has_value()) << (t ? "" : render(t.error())) << text;
  return t ? verdict(*t, p, 4) : Status::unknown;
}

TEST(PtxmodLitmus, WhatColumnsMaySay) {
  const std::string two = " P0@cta 0, gpu 0 | P1@cta 1, gpu 0";
  const std::string mp =
      " st.weak.global.u32 [x], 1 | ld.acquire.gpu.global.u32 %r1, [y] ;\n"
      " st.release.gpu.u32 [y], 1 | ld.weak.u32 %r2, [x] ;\n";
  EXPECT_EQ(decided(columns("x = 0; y = 0;", two, mp, "exists (P1:%r1 = 1 /\\ P1:%r2 = 0)")), Status::fails);
  EXPECT_EQ(decided(columns("x = 0; y = 0;", two, mp, "exists (P1:%r1 = 1 /\\ P1:%r2 = 1)")), Status::holds);
  std::string relaxed = mp;
  relaxed.replace(relaxed.find("acquire"), 7, "relaxed");
  EXPECT_EQ(decided(columns("x = 0; y = 0;", two, relaxed, "exists (P1:%r1 = 1 /\\ P1:%r2 = 0)")), Status::holds);
  // Predicates, branches, addresses in registers, two results of one instruction, comments.
  const std::string one = " P0@cta 0, gpu 0";
  EXPECT_EQ(decided(columns("x = 5; P0:%rd1 = x;", one,
                            " ld.u32 %r1, [%rd1] ;\n setp.eq.u32 %p1|%p2, %r1, 5 ;\n @%p1 add.u32 %r1, %r1, 2 ;\n"
                            " @%p2 add.u32 %r1, %r1, 100 ; (* a | b; c *)\n selp.b32 %r2, 3, 4, %p1 ;\n",
                            "forall (P0:%r1 = 7 /\\ P0:%r2 = 3 /\\ x = 5)")),
            Status::holds);
  EXPECT_EQ(decided(columns("x = 0;", one,
                            " mov.u32 %r1, 3 ;\n L: ;\n sub.u32 %r1, %r1, 1 ;\n st.u32 [x+4], %r1 ;\n "
                            "setp.ne.u32 %p1, %r1, 0 ;\n @%p1 bra L ;\n ret ;\n st.u32 [x], 9 ;\n",
                            "forall (x[1] = 0 /\\ x[0] = 0 /\\ P0:%r1 = 0)")),
            Status::holds);
  EXPECT_EQ(decided(columns("x = -1;", one, " .reg .b16 h ;\n ld.s16 h, [x] ;\n cvt.s32.s16 %r1, h ;\n",
                            "forall (P0:%r1 = -1)")),
            Status::holds);
  // Shared memory, barriers, and what a register starts with.
  const std::string same = " P0@cta 0, gpu 0 | P1@cta 0, gpu 0";
  const std::string shared = " st.shared.u32 [s], %r1 | bar.sync 0 ;\n bar.sync 0 | ld.shared.u32 %r1, [s] ;\n";
  EXPECT_EQ(decided(columns("s @ shared P0 = 2; P0:%r1 = 8;", same, shared, "forall (P1:%r1 = 8 /\\ s = 8)")),
            Status::holds);
  EXPECT_EQ(decided(columns("s @ shared P0 = 2;", same, shared, "exists (P1:%r1 = 1)"), check::Property::races),
            Status::holds);
  EXPECT_EQ(decided(columns("s @ shared P0 = 2;", one, " st.global.u32 [s], 1 ;\n", "exists (s = 1)"),
                    check::Property::races),
            Status::fails);
}

TEST(PtxmodLitmus, WhatColumnsMayNotSay) {
  const std::string one = " P0@cta 0, gpu 0", two = " P0@cta 0, gpu 0 | P1@cta 1, gpu 0";
  const auto said = [](const std::string& text, const char* what) {
    const auto t = read::parse_one(make_source("t.litmus", text));
    ASSERT_FALSE(t.has_value()) << text;
    EXPECT_NE(render(t.error()).find(what), std::string::npos) << render(t.error());
  };
  said(columns("x = 0;", one, " st.u32 [x], %tid.x ;\n", "exists (x = 0)"), "which has no launch");
  said(columns("x = 0;", one, " st.u32 [x], %q ;\n", "exists (x = 0)"), "%q");
  said(columns("x = 0;", one, " st.u32 [y], %r1 ;\n", "exists (x = 0)"), "'y'");
  said(columns("x = 0;", one, " mov.u64 %rd1, %r1 ;\n", "exists (x = 0)"), "32 bits");
  said(columns("x = 0;", one, " ld.u32 %r1, [x] ;\n", "exists (P0:%q = 0)"), "no register");
  said(columns("x = 0;", one, " ld.u32 %r1, [x] ;\n", "exists (P1:%r1 = 0)"), "no thread P1");
  said(columns("x = 0;", one, " ld.u32 %r1, [x] ;\n", "exists (P0:%p1 = 0)"), "predicate");
  said(columns("s @ shared P0 = 0;", two, " st.shared.u32 [s], 1 | ld.shared.u32 %r1, [s] ;\n", "exists (s = 0)"),
       "shared memory of another CTA");
  said(columns("m @ mbarrier P0 = 1;", one, " ld.u32 %r1, [m] ;\n", "exists (m = 0)"), "only shared memory");
  said(columns("x = 0;", two, " ld.u32 %r1, [x] ;\n", "exists (x = 0)"), "1 cells for 2 threads");
  said(columns("x = 0;", one, " ld.u32 %r1, [x] | ld.u32 %r1, [x] ;\n", "exists (x = 0)"), "more cells");
  said(columns("x = 300;", one, " st.u8 [x], %r1 ;\n", "exists (x = 0)"), "does not fit");
  said(columns("x = 0;", " P0@warp 0, cta 0, gpu 0", " st.u8 [x], %r1 ;\n", "exists (x = 0)"), "warp");
  said(columns("x = 0;", one, " st.u32 [x], %r1", ""), "not finished");
  said(columns("x = 0; y aliases x;", one, " st.u32 [x], %r1 ;\n", "exists (x = 0)"), "initial value");
}

TEST(PtxmodLitmus, TestsOfGivenFolders) {
  const char* given = std::getenv("FENCEPOST_LITMUS_FOLDERS");
  if (given == nullptr) GTEST_SKIP() << "SKIPPED: FENCEPOST_LITMUS_FOLDERS names no folders";
  std::vector<std::string> folders;
  std::string rest = given;
  for (size_t at = 0; at <= rest.size();) {
    const size_t end = std::min(rest.find(':', at), rest.size());
    folders.push_back(rest.substr(at, end - at));
    at = end + 1;
  }
  hold_all(folders);
}

}  // namespace

// The PTX printer: every statement, every published test, refusals by name. ptxas judges the text where it is present.
#include "emit/kernel_ptx.h"

#include <filesystem>
#include <map>

#include "base/read_file.h"
#include "inspect/ptx_gate.h"
#include "kernels.h"
#include "read/read.h"

using namespace fencepost;
namespace fs = std::filesystem;

namespace {

std::string words(const Diagnostics& ds) { return ds.list.empty() ? "" : ds.list.front().message; }

// Prints and assembles every PTX test under `folder`; refusals by their sentence.
void check_folder(const fs::path& folder, size_t least, std::map<std::string, size_t>& refused) {
  size_t printed = 0, seen = 0;
  std::map<std::string, size_t> verdicts;
  for (const auto& e : fs::recursive_directory_iterator(folder)) {
    const std::string ext = e.path().extension();
    if (ext != ".litmus" && ext != ".test") continue;
    const auto text = read_file(e.path().string());
    ASSERT_TRUE(text) << e.path();
    const auto tests = read::parse(*text);
    if (!tests) continue;
    for (const prog::Test& t : *tests) {
      if (t.dialect != prog::Dialect::ptx) continue;
      ++seen;
      std::string why;
      const auto kernel = straight_kernel(t, why);
      if (!kernel) {
        ++refused[why];
        continue;
      }
      EXPECT_EQ(code::fault_of(*kernel), "") << e.path();
      const auto ptx = emit::kernel_ptx(*kernel);
      if (!ptx) {
        ++refused[words(ptx.error())];
        continue;
      }
      ++printed;
      const auto out = device::cuda::assemble(*ptxas(), ptx->text, 90);
      EXPECT_FALSE(out.cubin.empty()) << e.path() << "\n" << out.message << ptx->text;
      const auto ran = inspect::what_ran(*ptx, out.cubin);
      ++verdicts[inspect::name(ran.verdict)];
      if (ran.verdict != inspect::WhatRan::as_written && verdicts[inspect::name(ran.verdict)] <= 5)
        std::cout << "  " << e.path().stem().string() << " is " << inspect::name(ran.verdict) << ": " << ran.reason
                  << "\n";
    }
  }
  std::cout << folder.filename() << ": " << seen << " PTX tests, " << printed << " printed;";
  for (const auto& [verdict, n] : verdicts) std::cout << " " << n << " " << verdict;
  std::cout << "\n";
  EXPECT_GE(printed, least);
}

}  // namespace

TEST(KernelPtx, EveryStatementAssembles) {
  SKIP_WITHOUT_PTXAS();
  const code::Kernel k = every_statement();
  ASSERT_EQ(code::fault_of(k), "");
  const auto ptx = emit::kernel_ptx(k);
  ASSERT_TRUE(ptx) << words(ptx.error());
  for (const uint32_t sm : {75u, 80u, 90u, 100u, 120u}) {
    const auto text = emit::kernel_ptx(k, {.sm = sm});
    ASSERT_TRUE(text);
    const auto out = device::cuda::assemble(*ptxas(), text->text, sm);
    EXPECT_FALSE(out.cubin.empty()) << sm << ": " << out.message;
  }
}

TEST(KernelPtx, InstructionsKeepTheirMnemonic) {
  const auto text_of = [](const std::string& instruction, bool shared = false, uint8_t width = 32) {
    const auto ptx = emit::kernel_ptx(role_of({instruction}, shared, width));
    return !ptx ? words(ptx.error()) : ptx->sites.at(0).instruction;
  };
  EXPECT_EQ(text_of("ld.weak x"), "ld.weak.global.b32");
  EXPECT_EQ(text_of("ld.acquire.sys x", false, 64), "ld.acquire.sys.global.b64");
  EXPECT_EQ(text_of("ld.volatile x", true), "ld.volatile.shared.b32");
  EXPECT_EQ(text_of("ld.volatile.s32 x"), "ld.volatile.global.b32");
  EXPECT_EQ(text_of("ld.global.cg.s32 x"), "ld.global.cg.b32");
  EXPECT_EQ(text_of("ld.cv.u32 x"), "ld.global.cv.b32");
  EXPECT_EQ(text_of("ld.s32 x"), "ld.weak.global.b32");
  EXPECT_EQ(text_of("ld.mmio.relaxed.sys x"), "ld.mmio.relaxed.sys.global.b32");
  EXPECT_EQ(text_of("st.release.cta x 1"), "st.release.cta.global.b32");
  EXPECT_EQ(text_of("st.wt.s32 x 1"), "st.global.wt.b32");
  EXPECT_EQ(text_of("st.relaxed.cluster x 1", true, 64), "st.relaxed.cluster.shared.b64");
  EXPECT_EQ(text_of("atom.acq_rel.gpu.add x 1"), "atom.acq_rel.gpu.global.add.u32");
  EXPECT_EQ(text_of("atom.add.release.sys x 1"), "atom.release.sys.global.add.u32");
  EXPECT_EQ(text_of("atom.relaxed.gpu.cas x 1 2", false, 64), "atom.relaxed.gpu.global.cas.b64");
  EXPECT_EQ(text_of("atom.exch.b32 x 1"), "atom.global.exch.b32");
  EXPECT_EQ(text_of("atom.shared.max.u32 x 1", true), "atom.shared.max.u32");
  EXPECT_EQ(text_of("red.relaxed.cta.add x 1"), "red.relaxed.cta.global.add.u32");
  EXPECT_EQ(text_of("fence.acq_rel.cluster"), "fence.acq_rel.cluster");
  EXPECT_EQ(text_of("fence.proxy.async.global"), "fence.proxy.async.global");
  EXPECT_EQ(text_of("membar.gl"), "membar.gl");
  EXPECT_EQ(text_of("bar.cta.sync"), "barrier.sync");
  EXPECT_EQ(text_of("fence.proxy.texture"), "PTX has no 'fence.proxy.texture'");
  EXPECT_EQ(text_of("atom.relaxed.gpu.mul x 2"), "PTX has no 'atom.mul'");
  EXPECT_NE(text_of("tld.weak x").find("'tld.weak' works through another proxy"), std::string::npos);
  EXPECT_NE(text_of("ld.weak.u16 x").find("an element of 16 bits"), std::string::npos);
}

TEST(KernelPtx, OtherDialectsAreRefusedByName) {
  code::Kernel k = role_of({"ld.weak x"});
  k.operations[0].dialect = prog::Dialect::opencl;
  k.operations[0].instr.mnemonic = "atomic_load_explicit";
  const auto ptx = emit::kernel_ptx(k);
  ASSERT_FALSE(ptx);
  EXPECT_EQ(ptx.error().list.front().fault, Fault::unsupported);
  EXPECT_EQ(words(ptx.error()), "'atomic_load_explicit' is not a PTX instruction");
}

TEST(KernelPtx, SitesHaveLinesOfTheirOwn) {
  const auto ptx = emit::kernel_ptx(role_of({"st.weak x 1", "fence.sc.gpu", "ld.weak y"}));
  ASSERT_TRUE(ptx);
  ASSERT_EQ(ptx->sites.size(), 3u);
  for (uint32_t k = 0; k < 3; ++k) {
    EXPECT_EQ(ptx->sites[k].line, emit::k_first_site + k);
    EXPECT_NE(ptx->text.find(".loc 1 " + std::to_string(ptx->sites[k].line)), std::string::npos);
  }
  EXPECT_EQ(ptx->sites[0].segment, ptx->sites[2].segment);
}

TEST(KernelPtx, BundledExamplesAssemble) {
  SKIP_WITHOUT_PTXAS();
  std::map<std::string, size_t> refused;
  check_folder(FENCEPOST_SOURCE_DIR "/examples/asplos24", 5, refused);
  check_folder(FENCEPOST_SOURCE_DIR "/examples/locks", 6, refused);
  for (const auto& [why, n] : refused) std::cout << "  " << n << " refused: " << why << "\n";
}

TEST(KernelPtx, PublishedCorporaAssemble) {
  SKIP_WITHOUT_PTXAS();
  const std::pair<const char*, size_t> corpora[] = {{"FENCEPOST_PEER_CORPUS", 600}, {"FENCEPOST_MIXEDPROXY_TESTS", 1}};
  std::map<std::string, size_t> refused;
  std::string absent;
  for (const auto& [variable, least] : corpora) {
    if (const char* folder = std::getenv(variable))
      check_folder(fs::path(folder) / (variable == corpora[0].first ? "litmus/PTX" : ""), least, refused);
    else
      absent += std::string(absent.empty() ? "" : ", ") + variable;
  }
  for (const auto& [why, n] : refused) std::cout << "  " << n << " refused: " << why << "\n";
  if (!absent.empty()) GTEST_SKIP() << absent << ": the folder of that corpus is not named";
}

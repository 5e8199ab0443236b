// The gate on tests of asynchronous PTX: what ptxas makes of every bundled test, and of each with one fence, order or
// scope weakened in the text. Where there is no ptxas, recorded machine code of ptxas 12.9 and 13.5 takes its place
// (tests/unit/cuda/recorded; FENCEPOST_RECORD_SASS names a folder to write it to). FENCEPOST_GATE_ONLY names a part of
// the names of tests, for a shorter run.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "async/ptx9.h"
#include "inspect/cubin.h"
#include "inspect/ptx_gate.h"
#include "kernels.h"
#include "read/read.h"
#include "weaker.h"

using namespace fencepost;
using inspect::WhatRan;
namespace fs = std::filesystem;

namespace {

std::vector<fs::path> bundled() {
  std::vector<fs::path> out;
  const char* only = std::getenv("FENCEPOST_GATE_ONLY");
  for (const auto& e : fs::directory_iterator(FENCEPOST_SOURCE_DIR "/examples/ptx9"))
    if (e.path().extension() == ".litmus" && (only == nullptr || e.path().stem().string().contains(only)))
      out.push_back(e.path());
  std::sort(out.begin(), out.end());
  return out;
}

std::optional<async::Ptx9Module> module_of(const fs::path& file) {
  const auto tests = read::parse_file(file.string());
  if (!tests) return std::nullopt;
  auto m = async::ptx9_module(tests->front());
  if (!m) return std::nullopt;
  return std::move(*m);
}

emit::PtxText sites_of(const async::Ptx9Module& m) {
  emit::PtxText out;
  out.kernel = "test";
  out.sites = m.sites;
  return out;
}

std::string told(const inspect::WhatRanReport& r) {
  std::string out = fmt::format("{} {}\n", name(r.verdict), r.reason);
  for (const auto& s : r.sites)
    out += fmt::format("  P{}.{} {}: {} ({})\n", s.role, s.position, s.written, s.found, name(s.verdict));
  return out;
}

const char* const k_recorded[] = {"MP+mbarrier",
                                  "bulk-store+writer-fences",
                                  "cp.async.mbarrier.arrive",
                                  "MP+barrier.cluster",
                                  "red.async+mbarrier",
                                  "st.async+mbarrier",
                                  "bulk+relaxed-wait+fence",
                                  "cp.async+two-groups-first",
                                  "MP+bar.warp.sync",
                                  "ISA+tensormap",
                                  "st.async.release",
                                  "red.async.release",
                                  "ISA+wait-3"};

fs::path example(const std::string& name) {
  return fs::path(FENCEPOST_SOURCE_DIR "/examples/ptx9") / (name + ".litmus");
}

// What the gate looks at: instructions of the test, of memory, branches, and those that wait.
bool matters(const inspect::SassInstruction& i, uint32_t sm) {
  return i.line >= emit::k_first_site || !inspect::memory_instruction(i).empty() || inspect::branch_target(i, sm) ||
         inspect::is_warp_sync(i) || inspect::awaited_scoreboards(i) != 0;
}

void record(const fs::path& folder, const std::string& name, const inspect::CubinKernel& k) {
  std::ofstream out(folder / (name + ".sass"));
  out << k.sm << "\n";
  for (const auto& i : k.code)
    if (matters(i, k.sm)) out << fmt::format("{:x} {} {:016x} {:016x}\n", i.address, i.line, i.low, i.high);
}

inspect::CubinKernel recorded(const fs::path& file) {
  std::ifstream in(file);
  inspect::CubinKernel k{"test", 0, true, {}};
  in >> std::dec >> k.sm;
  inspect::SassInstruction i;
  while (in >> std::hex >> i.address >> std::dec >> i.line >> std::hex >> i.low >> i.high) k.code.push_back(i);
  return k;
}

}  // namespace

// Instructions without a row in the table of machine code: most of them no program has (multimem addresses, declared
// tensor maps, cancelled launches). `run` names one and stops there.
bool has_no_row(const std::string& reason) {
  static constexpr const char* k_without[] = {"multimem.",
                                              "tensormap.cp_fenceproxy",
                                              "clusterlaunchcontrol.",
                                              "cp.async.bulk.prefetch",
                                              "bulk.tensor.",
                                              "fence.proxy.generic",
                                              "mbarrier.check_layout",
                                              "multicast::cluster",
                                              "L2::cache_hint",
                                              ".min.f16 ",
                                              ".add.noftz.",
                                              "mbarrier::complete_tx::bytes.b128 [s], 1",
                                              "[s], [x], 8, r9 !=",
                                              "[s], [x], 4, r8 !=",
                                              "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.cp_mask"};
  return reason.find("has no row in the table") != std::string::npos &&
         std::any_of(std::begin(k_without), std::end(k_without),
                     [&](const char* w) { return reason.find(w) != std::string::npos; });
}

TEST(AsyncGate, EveryBundledTestIsAsWrittenOrNamed) {
  SKIP_WITHOUT_PTXAS();
  std::map<WhatRan, size_t> verdicts;
  for (const fs::path& file : bundled()) {
    const auto m = module_of(file);
    if (!m) continue;  // `run` refuses it by name: surfaces
    const auto out = device::cuda::assemble(*ptxas(), m->text, m->sm);
    if (out.cubin.empty()) continue;  // an older ptxas
    const auto r = inspect::what_ran(sites_of(*m), out.cubin);
    ++verdicts[r.verdict];
    EXPECT_EQ(r.sites.size(), m->sites.size()) << file;
    const auto says = [&](const char* what) { return r.reason.find(what) != std::string::npos; };
    if (r.verdict == WhatRan::unverified) EXPECT_TRUE(has_no_row(r.reason)) << file << told(r);
    if (r.verdict == WhatRan::reordered)
      EXPECT_TRUE(says("comes after") || says("does not wait for the answer")) << file << told(r);
    // Results that nobody reads: a load, and the old value of an atomic operation.
    if (r.verdict == WhatRan::dropped && !(m->sm >= 107 && says("mbarrier.")))  // there USYNCS, which is not read
      EXPECT_TRUE(says("ld.weak.global.b64, is not in") || says("ld.weak.shared.b64, is not in") ||
                  (says("ld.relaxed.") && says("is not in the machine code")) ||
                  // One thread of a warp that has one.
                  (says("bar.warp.sync, is not in") && file.stem() == "bar.warp.sync-of-one-warp") ||
                  says("atom.relaxed.gpu.global.add.u64, became REDG"))
          << file << told(r);
    // Two loads of one place, of which nobody reads the first.
    if (r.verdict == WhatRan::merged) EXPECT_EQ(file.stem(), "MP+relaxed-then-acquire") << told(r);
    if (file.stem() == "MP+mbarrier" || file.stem() == "bulk-does-not-carry") {
      EXPECT_TRUE(says("ld.weak.global.b64, does not wait for the answer of instruction")) << told(r);
    }
  }
  if (std::getenv("FENCEPOST_GATE_ONLY") == nullptr) EXPECT_GE(verdicts[WhatRan::as_written], 160u);
}

// The text is weakened and the test is not: the gate must see it, unless both have one machine code.
TEST(AsyncGate, NothingWeakerPassesForTheTest) {
  SKIP_WITHOUT_PTXAS();
  std::set<std::pair<std::string, std::string>> tried;
  size_t seen = 0, same = 0, refused = 0;
  for (const fs::path& file : bundled()) {
    const auto m = module_of(file);
    if (!m) continue;
    bool whole = false, looked = false;
    for (const emit::PtxSite& site : m->sites)
      for (const std::string& w : weaker(site.instruction)) {
        if (!tried.insert({site.instruction.substr(0, site.instruction.find(' ')), w}).second) continue;
        if (!looked) {
          const auto out = device::cuda::assemble(*ptxas(), m->text, m->sm);
          looked = true;
          whole = !out.cubin.empty() && inspect::what_ran(sites_of(*m), out.cubin).verdict == WhatRan::as_written;
        }
        if (!whole) {
          tried.erase({site.instruction.substr(0, site.instruction.find(' ')), w});  // another test may have it
          continue;
        }
        const auto out = device::cuda::assemble(*ptxas(), with(m->text, site, w), m->sm);
        if (out.cubin.empty()) {
          ++refused;  // PTX has no such instruction
          continue;
        }
        const auto r = inspect::what_ran(sites_of(*m), out.cubin);
        const auto row = inspect::expected_sass(site.instruction);
        const bool equal = w.empty() ? row.front().empty() : row == inspect::expected_sass(w);
        ++(equal ? same : seen);
        if (equal) continue;  // orders at scope cta have no instruction; what is around them may move or not
        EXPECT_NE(r.verdict, WhatRan::as_written) << file << ": " << site.instruction << " as '" << w << "'\n"
                                                  << told(r);
      }
  }
  RecordProperty("seen", static_cast<int>(seen));
  RecordProperty("same", static_cast<int>(same));
  RecordProperty("refused", static_cast<int>(refused));
  if (std::getenv("FENCEPOST_GATE_ONLY") != nullptr) return;
  EXPECT_GE(seen, 40u);
  EXPECT_GE(same, 5u);
}

// What the reader takes ptxas takes, and what it refuses as no PTX ptxas refuses.
TEST(AsyncGate, StBulkIsReadAsPtxasReadsIt) {
  SKIP_WITHOUT_PTXAS();
  const auto read_as = [](const std::string& instruction) {
    return read::parse_one(make_source("t.litmus", "PTX t\n{ s @ shared P0 = 1; }\n P0@cta 0, cluster 0, gpu 0 ;\n " +
                                                       instruction + " ;\nexists (s = 1)\n"));
  };
  const auto bytes = [](const std::string& text) { return device::cuda::assemble(*ptxas(), text, 100).cubin; };
  const auto test = read_as("st.bulk.weak.shared::cta [s], 8, 0"), generic = read_as("st.bulk [s], 8, 0");
  ASSERT_TRUE(test && generic);
  const auto m = async::ptx9_module(*test), g = async::ptx9_module(*generic);
  ASSERT_TRUE(m && g);
  EXPECT_EQ(m->sm, 100u);
  if (bytes(m->text).empty()) GTEST_SKIP() << "this ptxas does not know sm_100";
  EXPECT_FALSE(bytes(g->text).empty());
  const std::string operands = ", 8, 0;";
  const auto written = [&](const std::string& mnemonic, const std::string& last) {
    std::string text = with(m->text, m->sites.front(), mnemonic);
    const size_t at = text.find(operands);
    EXPECT_NE(at, std::string::npos) << text;
    return text.replace(at, operands.size(), last + ";");
  };
  const std::string whole = "st.bulk.weak.shared::cta";
  for (const auto& [mnemonic, last] : std::vector<std::pair<std::string, std::string>>{
           {whole, ", 8, 0"},
           {"st.bulk.shared::cta", ", 8, 0"},
           {"st.bulk.shared::cta.weak", ", 8, 0"},
           {whole, ", 12, 0"},
           {whole, ", 16777224, 0"},
           {whole, ", 8, 1"},
           {whole, ", 8"},
           {whole + ".b64", ", 8, 0"},
           {"st.bulk.shared", ", 8, 0"},
           {"st.bulk.weak.shared::cluster", ", 8, 0"},
           {"st.bulk.weak.global", ", 8, 0"},
           {"st.bulk.relaxed.cta.shared::cta", ", 8, 0"},
       })
    EXPECT_EQ(read_as(mnemonic + " [s]" + last).has_value(), !bytes(written(mnemonic, last)).empty())
        << mnemonic << last;
}

TEST(AsyncGate, RecordedMachineCodeIsRead) {
  const char* to = std::getenv("FENCEPOST_RECORD_SASS");
  if (to != nullptr && ptxas()) {
    for (const char* name : k_recorded) {
      const auto m = module_of(example(name));
      const auto kernels = inspect::read_cubin(device::cuda::assemble(*ptxas(), m->text, m->sm).cubin);
      ASSERT_TRUE(kernels);
      record(to, name, kernels->front());
    }
    return;
  }
  for (const char* version : {"12.9", "13.5"})
    for (const char* name : k_recorded) {
      const auto m = module_of(example(name));
      ASSERT_TRUE(m) << name;
      const fs::path file =
          fs::path(FENCEPOST_SOURCE_DIR "/tests/unit/cuda/recorded") / version / (name + std::string(".sass"));
      const inspect::CubinKernel k = recorded(file);
      ASSERT_GT(k.code.size(), 50u) << file;
      const auto r = inspect::what_ran(sites_of(*m), k);
      EXPECT_EQ(r.verdict, std::string(name) == "MP+mbarrier" ? WhatRan::reordered : WhatRan::as_written)
          << file << told(r) << "was the text that async emits changed? record again";
      if (r.verdict != WhatRan::as_written) continue;
      // Without any one of a site's machine instructions, in all copies of its code, it is not as written.
      std::set<std::pair<uint32_t, std::string>> all;
      for (const auto& i : k.code)
        if (const std::string text = inspect::memory_instruction(i); i.line >= emit::k_first_site && !text.empty())
          all.insert({i.line, text});
      if (name == std::string("MP+bar.warp.sync")) {
        inspect::CubinKernel less = k;
        std::erase_if(less.code, [](const auto& i) { return inspect::is_warp_sync(i); });
        EXPECT_EQ(inspect::what_ran(sites_of(*m), less).verdict, WhatRan::dropped);
      } else {
        EXPECT_GE(all.size(), name == std::string("red.async.release") ? 3u : 4u) << file;
      }
      for (const auto& [line, text] : all) {
        if (text == "ERRBAR") continue;
        const bool wider = text == "MEMBAR.ALL.CTA" && (all.contains({line, "MEMBAR.ALL.GPU"}));
        const bool before_init = text == "FENCE.VIEW.ASYNC.S" && all.contains({line, "SYNCS.EXCH.64"});
        // What one of the two versions has beside.
        const bool flush = text == "UTMACMDFLUSH" && all.contains({line, "UTMACCTL.IV"});
        const bool done = text == "DEPBAR.LE.0" && all.contains({line, "MEMBAR.ALL.CTA"});
        if (wider || before_init || flush || done) continue;
        inspect::CubinKernel less = k;
        std::erase_if(less.code,
                      [&](const auto& i) { return i.line == line && inspect::memory_instruction(i) == text; });
        EXPECT_NE(inspect::what_ran(sites_of(*m), less).verdict, WhatRan::as_written) << file << " without " << text;
      }
    }
}

// The gate on every bundled PTX test that `run` takes, for every target of the assemblers at hand: machine code is as
// written or named, and with one fence, order or scope weaker in the text it is not as written. Needs no GPU.
//
//   FENCEPOST_GATE_PTXAS    programs, separated by commas: /opt/12.9/ptxas,/opt/13.5/ptxas; without it nothing is
//                           looked at
//   FENCEPOST_GATE_TARGETS  only these: 70,90; else all that a program knows, from sm_70 on
//   FENCEPOST_GATE_SHARD    3/16: every sixteenth pair of program and test, from the third
//   FENCEPOST_GATE_KEEP     a folder for the PTX and the machine code of what is not as written
//   FENCEPOST_GATE_EACH     weakens every instruction of every test, else each (instruction, weakening) once a target
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

#include "base/child.h"
#include "inspect/cubin.h"
#include "inspect/ptx_gate.h"
#include "kernels.h"
#include "plan/plan.h"
#include "read/read.h"
#include "weaker.h"

using namespace fencepost;
using inspect::WhatRan;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> words_of(const char* variable) {
  std::vector<std::string> out;
  const char* text = std::getenv(variable);
  std::istringstream in(text == nullptr ? "" : text);
  for (std::string w; std::getline(in, w, ',');)
    if (!w.empty()) out.push_back(w);
  return out;
}

// Targets that the assembler's help names, without suffixes.
std::set<uint32_t> targets_of(const std::string& program) {
  const ScratchFolder scratch;
  const ChildResult said = run_child({program, "--help"}, scratch.path() + "/help", std::chrono::seconds(60));
  std::set<uint32_t> out;
  for (size_t at = 0; (at = said.output.find("'sm_", at)) != std::string::npos; at += 4) {
    const size_t end = said.output.find('\'', at + 4);
    const std::string number = said.output.substr(at + 4, end - at - 4);
    if (number.find_first_not_of("0123456789") == std::string::npos && std::stoul(number) >= 70)
      out.insert(static_cast<uint32_t>(std::stoul(number)));
  }
  return out;
}

struct Bundled {
  std::string name;
  prog::Test test;
};

// Every PTX test of the examples and of the corpus of instructions, but asynchronous ones (async_gate_test.cpp).
std::vector<Bundled> bundled() {
  std::vector<fs::path> files;
  for (const char* folder : {"/examples", "/tests/corpus/ptx", "/tests/corpus/ptx-spec", "/tests/corpus/liveness"})
    for (const auto& e : fs::recursive_directory_iterator(std::string(FENCEPOST_SOURCE_DIR) + folder))
      if (e.path().extension() == ".litmus") files.push_back(e.path());
  std::sort(files.begin(), files.end());
  std::vector<Bundled> out;
  for (const fs::path& f : files) {
    auto tests = read::parse_file(f.string());
    if (!tests) continue;  // refused on purpose, as their .expect says
    for (prog::Test& t : *tests) {
      if (t.dialect != vocab::Dialect::ptx || f.string().find("/ptx9/") != std::string::npos) continue;
      out.push_back({fs::relative(f, FENCEPOST_SOURCE_DIR).string(), std::move(t)});
    }
  }
  return out;
}

std::optional<plan::Program> program_of(const prog::Test& test, uint32_t sm) {
  plan::Target t;
  t.units = 132;
  t.subgroup = 32;
  t.max_lanes = 1024;
  t.shared_words = 8192;
  t.max_cluster = sm >= 90 ? 16 : 1;
  std::set<uint32_t> devices;
  for (const prog::Thread& x : test.threads)
    if (x.scope.size() > 1) devices.insert(x.scope[1]);
  if (devices.size() > 1)
    for (size_t p = 0; p < devices.size(); ++p) t.access.emplace_back(devices.size() + 1, plan::Access::atomic);
  auto made = plan::make_program(test, t, {});
  if (!made) return std::nullopt;
  return std::move(*made);
}

std::string told(const inspect::WhatRanReport& r) {
  std::string out = fmt::format("{} {}\n", name(r.verdict), r.reason);
  for (const auto& s : r.sites)
    if (s.verdict != WhatRan::as_written)
      out += fmt::format("  P{}.{} {}: {} ({})\n", s.role, s.position, s.written, s.found, name(s.verdict));
  return out;
}

struct Count {
  size_t as_written = 0, other = 0, unverified = 0, refused = 0, seen = 0, same = 0, passed = 0;
  std::map<std::string, size_t> reasons;
};

}  // namespace

TEST(PtxGate, EveryBundledTestOnEveryTarget) {
  const auto programs = words_of("FENCEPOST_GATE_PTXAS");
  if (programs.empty()) GTEST_SKIP() << "FENCEPOST_GATE_PTXAS names no ptxas: no machine code of any target was read";
  size_t part = 1, parts = 1;
  if (const char* shard = std::getenv("FENCEPOST_GATE_SHARD")) std::sscanf(shard, "%zu/%zu", &part, &parts);
  const bool each = std::getenv("FENCEPOST_GATE_EACH") != nullptr;
  const auto wanted = words_of("FENCEPOST_GATE_TARGETS");
  const auto tests = bundled();
  EXPECT_GE(tests.size(), 150u);
  std::map<std::pair<std::string, uint32_t>, Count> counts;
  std::set<std::string> not_run;
  for (const std::string& path : programs) {
    const device::cuda::Assembler assembler{path, ""};
    const auto targets = targets_of(path);
    EXPECT_GE(targets.size(), 5u) << path;
    for (const uint32_t sm : targets) {
      if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), std::to_string(sm)) == wanted.end()) continue;
      Count& c = counts[{path, sm}];
      std::set<std::string> tried;
      for (size_t n = 0; n < tests.size(); ++n) {
        if (n % parts != part - 1) continue;
        const auto program = program_of(tests[n].test, sm);
        if (!program) {
          not_run.insert(tests[n].name);
          continue;
        }
        const auto ptx = emit::kernel_ptx(program->kernels[static_cast<size_t>(plan::Phase::test)], {.sm = sm});
        if (!ptx) {
          ++c.refused;
          ++c.reasons["no PTX: " + ptx.error().list.front().message];
          continue;
        }
        const auto whole = device::cuda::assemble(assembler, ptx->text, sm);
        if (whole.cubin.empty()) {
          ++c.refused;
          ++c.reasons["ptxas: " + whole.message.substr(0, whole.message.find('\n'))];
          continue;
        }
        const auto r = inspect::what_ran(*ptx, whole.cubin);
        if (r.verdict != WhatRan::as_written) {
          ++(r.verdict == WhatRan::unverified ? c.unverified : c.other);
          ++c.reasons[r.verdict == WhatRan::unverified
                          ? fmt::format("{}: {}", name(r.verdict), r.reason)
                          : fmt::format("{}: {} ({})", name(r.verdict), r.reason, tests[n].name)];
          if (const char* keep = std::getenv("FENCEPOST_GATE_KEEP")) {
            const std::string stem = fmt::format("{}/{}.sm_{}", keep, fs::path(tests[n].name).stem().string(), sm);
            std::ofstream(stem + ".ptx") << ptx->text;
            std::ofstream(stem + ".cubin", std::ios::binary) << whole.cubin;
          }
          EXPECT_FALSE(r.reason.empty()) << tests[n].name;
          // A target that cannot be read is that and nothing else. On the others these are what ptxas does: a weak load
          // that leaves its loop, cached accesses of two memories that change places; and before sm_90 no acquire of
          // shared memory has a CCTL.IVALL.
          const auto says = [&](const char* what) { return r.reason.find(what) != std::string::npos; };
          if (sm < 80)
            EXPECT_TRUE(r.verdict == WhatRan::unverified && says("cannot read the machine code")) << told(r);
          else
            EXPECT_TRUE(
                (r.verdict == WhatRan::reordered &&
                 (says("st.shared.cg.b32, comes after") || (says("ld.weak") && says("was moved out of a loop")))) ||
                (sm < 90 && r.verdict == WhatRan::dropped &&
                 (says(".shared.") ||
                  // Before sm_90 the CCTL.IVALL of a load in a loop may carry the line of what is behind the loop.
                  (says("ld.acquire") && tests[n].name == "examples/locks/sense-barrier.litmus"))))
                << path << " sm_" << sm << " " << tests[n].name << " " << told(r);
          continue;
        }
        ++c.as_written;
        EXPECT_GE(sm, 80u) << "nobody can read this target";
        for (const emit::PtxSite& site : ptx->sites)
          for (const std::string& w : weaker(site.instruction)) {
            if (!each && !tried.insert(site.instruction + " > " + w).second) continue;
            const auto out = device::cuda::assemble(assembler, with(ptx->text, site, w), sm);
            if (out.cubin.empty()) continue;  // PTX has no such instruction
            const auto weak = inspect::what_ran(*ptx, out.cubin);
            const auto row = inspect::expected_sass(site.instruction);
            const bool equal = w.empty() ? row.front().empty() : row == inspect::expected_sass(w);
            if (equal) {
              ++c.same;
              continue;
            }
            ++c.seen;
            if (weak.verdict != WhatRan::as_written) continue;
            ++c.passed;
            ADD_FAILURE() << path << " sm_" << sm << " " << tests[n].name << ": " << site.instruction << " as '" << w
                          << "' passes for the test\n"
                          << told(weak);
          }
      }
      std::cout
          << fmt::format(
                 "{} sm_{}: {} as written, {} another verdict, {} unverified, {} refused; weaker: {} told apart, {} "
                 "not, {} have one machine code",
                 path, sm, c.as_written, c.other, c.unverified, c.refused, c.seen - c.passed, c.passed, c.same)
          << std::endl;
      for (const auto& [why, times] : c.reasons) std::cout << fmt::format("    {} x {}", times, why) << std::endl;
      if (parts == 1 && sm >= 80) EXPECT_GE(c.as_written, 100u) << path << " sm_" << sm;
      if (parts == 1 && sm >= 80) EXPECT_GE(c.seen, 30u) << path << " sm_" << sm;
    }
  }
  std::cout << fmt::format("{} tests; {} that the plan refuses", tests.size(), not_run.size()) << std::endl;
  for (const std::string& name : not_run) std::cout << "    " << name << std::endl;
}

// ptxas for sm_80 gives the fence of a release that comes first no line. It counts where nothing but it leads to the
// access, and the access without it is dropped.
TEST(PtxGate, AFenceThatLeadsToTheFirstInstructionIsIts) {
  SKIP_WITHOUT_PTXAS();
  const auto tests = read::parse_file(FENCEPOST_SOURCE_DIR "/tests/corpus/ptx/IRIW+acq.gpu.litmus");
  ASSERT_TRUE(tests);
  const auto program = program_of(tests->front(), 80);
  ASSERT_TRUE(program);
  const auto ptx = emit::kernel_ptx(program->kernels[static_cast<size_t>(plan::Phase::test)], {.sm = 80});
  const auto made = device::cuda::assemble(*ptxas(), ptx->text, 80);
  const auto kernels = inspect::read_cubin(made.cubin);
  ASSERT_TRUE(kernels) << made.message;
  const inspect::CubinKernel whole = kernels->front();
  EXPECT_EQ(inspect::what_ran(*ptx, whole).verdict, WhatRan::as_written) << told(inspect::what_ran(*ptx, whole));
  size_t at = whole.code.size(), fence = at;
  for (size_t k = 3; k < whole.code.size() && at == whole.code.size(); ++k)
    if (whole.code[k].line >= emit::k_first_site && inspect::memory_instruction(whole.code[k]).starts_with("STG"))
      for (size_t back = 1; back <= 3; ++back)
        if (whole.code[k - back].line < emit::k_first_site &&
            inspect::memory_instruction(whole.code[k - back]) == "MEMBAR.ALL.GPU")
          fence = k - back, at = k;
  ASSERT_LT(fence, at);
  ASSERT_LT(at, whole.code.size());
  const auto verdict = [&](const std::function<void(inspect::CubinKernel&)>& change) {
    inspect::CubinKernel other = whole;
    change(other);
    return inspect::what_ran(*ptx, other).verdict;
  };
  EXPECT_EQ(verdict([&](auto& k) { k.code.erase(k.code.begin() + static_cast<ptrdiff_t>(fence)); }), WhatRan::dropped);
  // Executed by some lanes alone.
  EXPECT_EQ(verdict([&](auto& k) { k.code[fence].low &= ~uint64_t{0x7000}; }), WhatRan::dropped);
  // Executed by the lanes that do the access; not where something between them may set the guard.
  ASSERT_LT(fence + 1, at);
  const auto guarded = [&](inspect::CubinKernel& k) {
    for (size_t n = fence + 1; n < at; ++n) k.code[n].low = 0x79ab;  // ERRBAR
    for (size_t n = fence; n <= at; ++n) k.code[n].low &= ~uint64_t{0x7000};
  };
  EXPECT_EQ(verdict(guarded), WhatRan::as_written);
  EXPECT_EQ(verdict([&](auto& k) {
              guarded(k);
              k.code[fence].low |= uint64_t{0x8000};
            }),
            WhatRan::dropped);
  EXPECT_EQ(verdict([&](auto& k) {
              guarded(k);
              k.code[fence + 1].low = 0x720c;  // ISETP
            }),
            WhatRan::dropped);
  // A place where lanes meet again, a branch between.
  for (const uint64_t control : {0x941u, 0x947u, 0x94du, 0x348u})
    EXPECT_EQ(verdict([&](auto& k) { k.code[fence + 1].low = (k.code[fence + 1].low & ~uint64_t{0xfff}) | control; }),
              WhatRan::dropped)
        << control;
  // A branch from elsewhere to behind the fence.
  EXPECT_EQ(verdict([&](auto& k) {
              const auto jump = std::find_if(k.code.begin(), k.code.end(),
                                             [&](const auto& i) { return inspect::branch_target(i, 80).has_value(); });
              ASSERT_NE(jump, k.code.end());
              const uint64_t old = *inspect::branch_target(*jump, 80), to = k.code[at].address;
              // Its target is relative.
              jump->address += to - old;
              std::sort(k.code.begin(), k.code.end(),
                        [](const auto& a, const auto& b) { return a.address < b.address; });
            }),
            WhatRan::dropped);
}

// ptxas 12.9 puts a wait for results behind a membar.cta of sm_90 and later. The wait counts for nothing: what is
// dropped beside it is dropped.
TEST(PtxGate, AWaitForResultsIsNoPartOfAFence) {
  SKIP_WITHOUT_PTXAS();
  const auto tests = read::parse_file(FENCEPOST_SOURCE_DIR "/examples/thesis/DLB-MP+membar.ctas.litmus");
  ASSERT_TRUE(tests);
  const auto program = program_of(tests->front(), 90);
  ASSERT_TRUE(program);
  const auto ptx = emit::kernel_ptx(program->kernels[static_cast<size_t>(plan::Phase::test)], {.sm = 90});
  const auto made = device::cuda::assemble(*ptxas(), ptx->text, 90);
  const auto kernels = inspect::read_cubin(made.cubin);
  ASSERT_TRUE(kernels) << made.message;
  inspect::CubinKernel other = kernels->front();
  const auto fence = std::find_if(other.code.begin(), other.code.end(), [](const auto& i) {
    return i.line >= emit::k_first_site && inspect::memory_instruction(i) == "MEMBAR.SC.CTA";
  });
  ASSERT_NE(fence, other.code.end());
  inspect::SassInstruction wait = *fence;
  wait.low = 0x91a | uint64_t{7} << 12 | uint64_t{1} << 47;
  EXPECT_EQ(inspect::memory_instruction(wait), "DEPBAR.LE.0");
  const auto at = other.code.insert(fence + 1, wait);
  EXPECT_EQ(inspect::what_ran(*ptx, other).verdict, WhatRan::as_written) << told(inspect::what_ran(*ptx, other));
  other.code.erase(at - 1);
  EXPECT_EQ(inspect::what_ran(*ptx, other).verdict, WhatRan::dropped) << told(inspect::what_ran(*ptx, other));
}

// The gate finds what an assembler did to a test, and what it did not do.
#include "inspect/ptx_gate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "inspect/cubin.h"
#include "kernels.h"
#include "plan/plan.h"
#include "read/read.h"

using namespace fencepost;
using inspect::WhatRan;

namespace {

inspect::WhatRanReport gate(const code::Kernel& k, emit::PtxOptions options = {}) {
  const auto ptx = emit::kernel_ptx(k, options);
  EXPECT_TRUE(ptx) << ptx.error().list.front().message;
  const auto out = device::cuda::assemble(*ptxas(), ptx->text, options.sm);
  EXPECT_FALSE(out.cubin.empty()) << out.message;
  return inspect::what_ran(*ptx, out.cubin);
}

std::string told(const inspect::WhatRanReport& r) {
  std::string out = fmt::format("{} {}\n", name(r.verdict), r.reason);
  for (const auto& s : r.sites)
    out += fmt::format("  T{}.{} {}: {} ({})\n", s.role, s.position, s.written, s.found, name(s.verdict));
  return out;
}

}  // namespace

TEST(PtxGate, EveryInstructionIsAsTheTableSays) {
  SKIP_WITHOUT_PTXAS();
  std::vector<std::string> all;
  for (const char* o : {"weak", "relaxed.cta", "relaxed.gpu", "relaxed.cluster", "relaxed.sys", "acquire.cta",
                        "acquire.gpu", "acquire.cluster", "acquire.sys", "volatile"})
    all.push_back(fmt::format("ld.{} x", o));
  for (const char* o : {"weak", "relaxed.cta", "relaxed.gpu", "relaxed.cluster", "relaxed.sys", "release.cta",
                        "release.gpu", "release.cluster", "release.sys", "volatile"})
    all.push_back(fmt::format("st.{} x 1", o));
  for (const char* c : {"ca", "cg", "cv"}) all.push_back(fmt::format("ld.{} x", c));
  for (const char* c : {"wb", "cg", "wt"}) all.push_back(fmt::format("st.{} x 1", c));
  for (const char* o : {"relaxed", "acquire", "release", "acq_rel"})
    for (const char* s : {"cta", "cluster", "gpu", "sys"}) {
      for (const char* f : {"add", "exch", "max"}) all.push_back(fmt::format("atom.{}.{}.{} x 3", o, s, f));
      all.push_back(fmt::format("atom.{}.{}.cas x 3 4", o, s));
      if (std::string(o) == "relaxed" || std::string(o) == "release")
        all.push_back(fmt::format("red.{}.{}.add x 3", o, s));
    }
  for (const char* o : {"sc", "acq_rel"})
    for (const char* s : {"cta", "cluster", "gpu", "sys"}) all.push_back(fmt::format("fence.{}.{}", o, s));
  for (const char* f : {"membar.cta", "membar.gl", "membar.sys", "fence.proxy.alias", "fence.proxy.async",
                        "fence.proxy.async.global", "fence.proxy.async.shared::cta", "bar.cta.sync"})
    all.emplace_back(f);
  // Weak accesses may be moved past each other; a fence after each pins them.
  for (size_t k = 0; k < all.size(); ++k)
    if (all[k].find(".weak") != std::string::npos || all[k].find(".c") == 2 || all[k].find(".w") == 2)
      all.insert(all.begin() + static_cast<int64_t>(++k), "fence.sc.cta");
  size_t seen = 0;
  for (const bool shared : {false, true})
    for (const uint8_t width : {uint8_t{32}, uint8_t{64}}) {
      const auto r = gate(role_of(all, shared, width));
      if (shared && width == 64) {
        // A defect of ptxas up to 13.0 at least: the loop that stands for 64-bit arithmetic has no fences.
        for (const auto& s : r.sites) {
          const bool loop = s.written.ends_with("add.u64") || s.written.ends_with("max.u64");
          const bool ordered = loop && s.written.find(".relaxed") == std::string::npos &&
                               !(s.written.find(".acquire.cta") != std::string::npos);
          EXPECT_TRUE(s.verdict == WhatRan::as_written || (ordered && s.verdict == WhatRan::dropped)) << told(r);
        }
      } else {
        EXPECT_EQ(r.verdict, WhatRan::as_written) << (shared ? "shared " : "global ") << int(width) << "\n" << told(r);
      }
      seen += r.sites.size();
    }
  EXPECT_EQ(seen, 4 * all.size());
  EXPECT_EQ(gate(role_of({"ld.mmio.relaxed.sys x", "st.mmio.relaxed.sys y 1"})).verdict, WhatRan::as_written);
}

TEST(PtxGate, CoherenceTestsSurviveWithAddressesOfRunTime) {
  SKIP_WITHOUT_PTXAS();
  for (const char* o : {"weak", "relaxed.cta", "relaxed.gpu", "relaxed.sys", "volatile"}) {
    const std::string st = fmt::format("st.{} x ", o), ld = fmt::format("ld.{} x", o);
    for (const bool shared : {false, true})
      for (const std::vector<std::string>& role : {std::vector{st + "1", st + "2"}, std::vector{ld, ld},
                                                   std::vector{st + "1", ld}, std::vector{ld, st + "1"}}) {
        const auto r = gate(role_of(role, shared));
        EXPECT_EQ(r.verdict, WhatRan::as_written) << o << shared << "\n" << told(r);
      }
  }
}

TEST(PtxGate, RewritesAreFoundWithPlainAddresses) {
  SKIP_WITHOUT_PTXAS();
  const auto plain = [](const std::vector<std::string>& role, bool shared = false) {
    return gate(role_of(role, shared), {.runtime_addresses = false});
  };
  for (const bool shared : {false, true}) {
    const auto overwritten = plain({"st.relaxed.gpu x 1", "st.relaxed.gpu x 2"}, shared);
    EXPECT_EQ(overwritten.verdict, WhatRan::merged) << told(overwritten);
    EXPECT_EQ(overwritten.sites[0].verdict, WhatRan::merged);
    EXPECT_EQ(overwritten.sites[0].found, "");
    EXPECT_EQ(overwritten.reason,
              fmt::format("instruction 0 of thread 0, st.relaxed.gpu.{}.b32, was merged with another",
                          shared ? "shared" : "global"));
    EXPECT_EQ(plain({"ld.weak x", "ld.weak x"}, shared).verdict, WhatRan::merged);
    EXPECT_EQ(plain({"st.weak x 1", "ld.weak x"}, shared).verdict, WhatRan::merged);
  }
  EXPECT_EQ(plain({"st.volatile x 1", "st.volatile x 2"}).verdict, WhatRan::as_written);
}

TEST(PtxGate, UnreadLoadsAreKept) {
  SKIP_WITHOUT_PTXAS();
  code::Kernel k = role_of({"ld.acquire.gpu x", "ld.relaxed.sys y", "ld.weak z", "atom.relaxed.gpu.exch w 1"});
  k.body.erase(std::remove_if(k.body.begin(), k.body.end(),
                              [](const auto& s) { return s.kind == code::Statement::Kind::store; }),
               k.body.end());
  const auto r = gate(k);
  EXPECT_EQ(r.verdict, WhatRan::as_written) << told(r);
  for (auto& op : k.operations)
    if (op.instr.kind == prog::Kind::load) op.var = code::k_no_var;
  EXPECT_EQ(gate(k).verdict, WhatRan::as_written);
}

// A weak load of a place that the loop does not write is made once; a relaxed one is not.
TEST(PtxGate, LoadsThatLeaveTheirLoopAreFound) {
  SKIP_WITHOUT_PTXAS();
  for (const char* order : {"weak", "relaxed.gpu"}) {
    code::Kernel k = role_of({fmt::format("ld.{} x", order)});
    const code::Var n = code::add_variable(k, "n"), sum = code::add_variable(k, "sum");
    const auto plus = [&](code::Var v, term::Expr e) {
      return code::set(v, term::binary(term::Op::add, code::value_of(k, v), e));
    };
    const auto at =
        std::find_if(k.body.begin(), k.body.end(), [](const auto& s) { return s.kind == code::Statement::Kind::test; });
    *at =
        code::loop({code::leave_if(term::binary(term::Op::uge, code::value_of(k, n), code::value_of(k, 0))),
                    code::test(0), plus(sum, code::value_of(k, k.operations[0].var)), plus(n, term::constant(1, 32))});
    k.body.push_back(code::store({2, term::constant(8, 32)}, code::value_of(k, sum)));
    ASSERT_EQ(code::fault_of(k), "");
    const auto r = gate(k);
    EXPECT_EQ(r.verdict, std::string(order) == "weak" ? WhatRan::reordered : WhatRan::as_written) << told(r);
  }
}

TEST(PtxGate, OneOperationForAWarpIsFound) {
  SKIP_WITHOUT_PTXAS();
  for (const char* f : {"atom.relaxed.gpu.add x 1", "red.relaxed.gpu.add x 1", "red.relaxed.gpu.max x 1"}) {
    code::Kernel k = role_of({f});
    EXPECT_EQ(gate(k).verdict, WhatRan::as_written) << f;
    k.operations[0].place.index = term::constant(3, 32);  // one address for all
    EXPECT_EQ(gate(k).verdict, WhatRan::as_written) << f;
    const auto r = gate(k, {.runtime_addresses = false});
    EXPECT_EQ(r.verdict, WhatRan::merged) << told(r);
  }
}

TEST(PtxGate, IncrementsOfSharedMemoryCountLanes) {
  SKIP_WITHOUT_PTXAS();
  const auto r = gate(role_of({"red.relaxed.cta.add x 1"}, true));
  EXPECT_EQ(r.verdict, WhatRan::merged) << told(r);
  EXPECT_EQ(r.sites[0].found, "ATOMS.POPC.INC.U32");
  EXPECT_EQ(gate(role_of({"red.relaxed.cta.add x 2"}, true)).verdict, WhatRan::as_written);
}

// Machine code of one test held against the table of another: what a compiler could have done.
TEST(PtxGate, PlantedFaultsAreNamed) {
  SKIP_WITHOUT_PTXAS();
  const auto against = [](const std::vector<std::string>& written, const std::vector<std::string>& ran,
                          const std::vector<uint32_t>& as) {
    const auto text = emit::kernel_ptx(role_of(written)), other = emit::kernel_ptx(role_of(ran));
    std::string ptx = other->text;  // line k of what ran becomes line as[k] of what was written
    for (size_t k = 0; k < ran.size(); ++k) {
      const std::string from = fmt::format(".loc 1 {} 0", emit::k_first_site + k);
      ptx.replace(ptx.find(from), from.size(), fmt::format(".loc 1 {} 0", emit::k_first_site + as[k] + 100));
    }
    for (size_t at = 0; (at = ptx.find(".loc 1 11", at)) != std::string::npos;) ptx.replace(at, 9, ".loc 1 10");
    const auto out = device::cuda::assemble(*ptxas(), ptx, 90);
    EXPECT_FALSE(out.cubin.empty()) << out.message;
    return inspect::what_ran(*text, out.cubin);
  };
  const std::vector<std::string> mp = {"st.relaxed.gpu x 1", "fence.acq_rel.gpu", "st.relaxed.gpu y 1"};
  EXPECT_EQ(against(mp, mp, {0, 1, 2}).verdict, WhatRan::as_written);
  EXPECT_EQ(against(mp, {mp[0], mp[2]}, {0, 2}).verdict, WhatRan::dropped);
  const auto gone = against(mp, {mp[0], mp[1]}, {0, 1});
  EXPECT_EQ(gone.verdict, WhatRan::dropped);
  EXPECT_EQ(gone.reason, "instruction 2 of thread 0, st.relaxed.gpu.global.b32, is not in the machine code");
  const auto swapped = against(mp, {mp[2], mp[1], mp[0]}, {2, 1, 0});
  EXPECT_EQ(swapped.verdict, WhatRan::reordered);
  const std::vector<std::string> two = {mp[0], mp[2]};
  EXPECT_EQ(against(two, {two[1], two[0]}, {1, 0}).reason,
            "in the code of thread 0, instruction 0, st.relaxed.gpu.global.b32, comes after instruction 1, "
            "st.relaxed.gpu.global.b32");
  EXPECT_EQ(against(mp, {mp[0], "fence.acq_rel.cta", mp[2]}, {0, 1, 2}).verdict, WhatRan::dropped);
  EXPECT_EQ(against(mp, {"st.weak x 1", mp[1], mp[2]}, {0, 1, 2}).verdict, WhatRan::dropped);
  EXPECT_EQ(against(mp, {mp[0], "fence.sc.gpu", mp[2]}, {0, 1, 2}).verdict, WhatRan::dropped);
  EXPECT_EQ(against(mp, {mp[0], mp[1], mp[1], mp[2]}, {0, 0, 1, 2}).verdict, WhatRan::unverified);  // a fence too many
  // Two copies of the code, of which one lacks something.
  const std::vector<std::string> twice = {mp[0], mp[1], mp[2], "st.relaxed.gpu z 1", mp[1], "st.relaxed.gpu z 2"};
  EXPECT_EQ(against(mp, twice, {0, 1, 2, 0, 1, 2}).verdict, WhatRan::as_written);
  const auto without = [&](size_t k) {
    std::vector<std::string> ran = twice;
    std::vector<uint32_t> as = {0, 1, 2, 0, 1, 2};
    ran.erase(ran.begin() + static_cast<ptrdiff_t>(k));
    as.erase(as.begin() + static_cast<ptrdiff_t>(k));
    return against(mp, ran, as);
  };
  for (const size_t k : {1u, 4u}) EXPECT_NE(without(k).verdict, WhatRan::as_written) << k;
  EXPECT_EQ(
      without(4).reason,
      "the code of thread 0 is there in copies, and one that instruction 2, st.relaxed.gpu.global.b32, ends lacks "
      "what comes before it or after it");
}

TEST(PtxGate, OtherGenerationsReadAlike) {
  SKIP_WITHOUT_PTXAS();
  const std::vector<std::string> role = {
      "st.relaxed.gpu x 1", "fence.acq_rel.gpu", "ld.acquire.sys y", "atom.acq_rel.gpu.add z 1",
      "st.release.gpu y 2", "ld.relaxed.cta z",  "fence.sc.sys",     "ld.weak x"};
  EXPECT_EQ(gate(role_of(role), {.sm = 75}).verdict, WhatRan::unverified);
  for (const uint32_t sm : {80u, 86u, 89u, 90u, 100u, 120u})
    for (const bool shared : {false, true}) {
      if (shared && sm < 90) continue;  // another table, see ptx_gate.h
      const auto r = gate(role_of(role, shared), {.sm = sm});
      EXPECT_EQ(r.verdict, WhatRan::as_written) << "sm_" << sm << " " << told(r);
    }
}

// Code to be linked, which the driver's own compiler may make, has more before its fences, and the same order.
TEST(PtxGate, RelocatableCodeReadsAlike) {
  SKIP_WITHOUT_PTXAS();
  const std::vector<std::string> role = {"st.relaxed.gpu x 1",       "fence.acq_rel.gpu",  "ld.acquire.sys y",
                                         "atom.acq_rel.gpu.add z 1", "st.release.gpu y 2", "fence.sc.sys",
                                         "fence.acq_rel.cta",        "membar.cta"};
  for (const bool shared : {false, true}) {
    const auto ptx = emit::kernel_ptx(role_of(role, shared));
    const auto out = device::cuda::assemble(*ptxas(), ptx->text, 90, "-c");
    const auto r = inspect::what_ran(*ptx, out.cubin);
    EXPECT_EQ(r.verdict, WhatRan::as_written) << out.message << told(r);
  }
}

TEST(PtxGate, NobodyLooksIntoWhatIsNoBinary) {
  const auto ptx = emit::kernel_ptx(role_of({"ld.weak x"}));
  EXPECT_EQ(inspect::what_ran(*ptx, "").verdict, WhatRan::unverified);
  EXPECT_EQ(
      inspect::what_ran(*ptx, "no ELF file at all, but some words of text that are long enough to be one").verdict,
      WhatRan::unverified);
}

TEST(PtxGate, DamagedBinariesAreErrors) {
  SKIP_WITHOUT_PTXAS();
  const auto ptx = emit::kernel_ptx(role_of({"ld.weak x", "fence.sc.gpu"}));
  const std::string whole = device::cuda::assemble(*ptxas(), ptx->text, 90).cubin;
  for (size_t cut = 0; cut < whole.size(); cut += 7) (void)inspect::read_cubin(whole.substr(0, cut));
  uint64_t state = 88172645463325252ull;
  for (int k = 0; k < 3000; ++k) {
    std::string broken = whole;
    for (int n = 0; n < 4; ++n) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      broken[state % broken.size()] = static_cast<char>(state >> 32);
    }
    (void)inspect::what_ran(*ptx, broken);
  }
}

// The launch of each device is one text; its flags go to other devices at system scope, and the machine code says so.
TEST(PtxGate, KernelsOfSeveralDevicesAreAsWritten) {
  SKIP_WITHOUT_PTXAS();
  plan::Target t;
  t.units = 132;
  t.subgroup = 32;
  t.max_lanes = 1024;
  for (uint32_t p = 0; p < 4; ++p) t.access.emplace_back(5, plan::Access::atomic);
  for (const char* fence : {"fence.sc.sys", "fence.acq_rel.sys", "fence.sc.gpu"}) {
    const auto test = read::parse_one(make_source(
        "t.litmus",
        fmt::format("PTX IRIW\n{{ x = 0; y = 0; }}\n P0@cta 0, gpu 0 | P1@cta 0, gpu 1 | P2@cta 0, gpu 2 | "
                    "P3@cta 0, gpu 3 ;\n st.relaxed.sys x, 1 | ld.relaxed.sys r0, x | st.relaxed.sys y, 1 | "
                    "ld.relaxed.sys r0, y ;\n | {0} | | {0} ;\n | ld.relaxed.sys r1, y | | ld.relaxed.sys "
                    "r1, x ;\nexists (P1:r0 = 1 /\\ P1:r1 = 0)\n",
                    fence)));
    ASSERT_TRUE(test) << render(test.error());
    const auto program = plan::make_program(*test, t, {});
    ASSERT_TRUE(program) << program.error().list.front().message;
    const code::Kernel& k = program->kernels[static_cast<size_t>(plan::Phase::test)];
    for (const uint32_t sm : {80u, 86u, 89u, 90u, 100u, 120u}) {
      const auto r = gate(k, {.sm = sm});
      EXPECT_EQ(r.verdict, WhatRan::as_written) << told(r);
      EXPECT_EQ(r.frame_missing, 0u) << r.first_missing;
      // The same machine code is not that of a test with a weaker fence, or with a stronger one.
      auto other = *test;
      for (auto& code : other.templates)
        for (prog::Instr& i : code.code)
          if (i.kind == prog::Kind::fence)
            i.mnemonic = std::string(fence) == "fence.sc.sys" ? "fence.acq_rel.gpu" : "fence.sc.sys";
      const auto changed = plan::make_program(other, t, {});
      ASSERT_TRUE(changed);
      const auto text = emit::kernel_ptx(changed->kernels[static_cast<size_t>(plan::Phase::test)], {.sm = sm});
      const auto made = device::cuda::assemble(*ptxas(), emit::kernel_ptx(k, {.sm = sm})->text, sm);
      EXPECT_NE(inspect::what_ran(*text, made.cubin).verdict, WhatRan::as_written) << fence;
    }
  }
}

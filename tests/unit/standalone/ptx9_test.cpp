// Tests of asynchronous PTX as kernels and programs: what is written for each kind of instruction, what is refused by
// name, and that ptxas takes every bundled test.
#include "async/ptx9.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "../../support/parsed.h"
#include "device/cuda/assembler.h"
#include "read/read.h"
#include "standalone/ptx9_host.h"

using namespace fencepost;
namespace fs = std::filesystem;

namespace {

using support::parsed;
async::Ptx9Module module_of(const std::string& text) {
  const auto m = async::ptx9_module(parsed(text));
  EXPECT_TRUE(m) << (m ? "" : render(m.error()));
  return m ? *m : async::Ptx9Module{};
}
std::string refusal(const std::string& text) {
  const auto m = async::ptx9_module(parsed(text));
  return m ? "" : render(m.error());
}
bool contains(const std::string& text, const std::string& what) { return text.find(what) != std::string::npos; }
// `first` stands before `second`.
bool in_order(const std::string& text, const std::string& first, const std::string& second) {
  const size_t a = text.find(first);
  return a != std::string::npos && text.find(second, a) != std::string::npos;
}
std::vector<fs::path> bundled() {
  std::vector<fs::path> out;
  for (const auto& e : fs::directory_iterator(FENCEPOST_SOURCE_DIR "/examples/ptx9"))
    if (e.path().extension() == ".litmus") out.push_back(e.path());
  std::sort(out.begin(), out.end());
  return out;
}

const standalone::Origin k_origin{"fencepost test", ""};

}  // namespace

TEST(Ptx9Module, CopiesByAnMbarrierKeepTheirText) {
  const auto m = module_of(R"(PTX tile
{ g = 7; s @ shared P0 = 3; m @ mbarrier P0 = 2; }
 P0@cta 0, gpu 0                                                                 | P1@cta 0, gpu 0 ;
 mbarrier.arrive.expect_tx.shared::cta.b64 _, [m], 16                            | L0: ;
 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [g], 16, [m] | mbarrier.try_wait.parity.shared::cta.b64 r0, [m], 0 ;
 fence.proxy.async                                                               | beq r0, 0, L0 ;
                                                                                 | ld.weak r1, s ;
exists (P1:r1 = 7 /\ g = 7 /\ s = 7)
)");
  EXPECT_TRUE(contains(m.text, "mbarrier.init.shared::cta.b64 [shared_memory+128], 2;"));
  EXPECT_TRUE(contains(m.text, "mov.b64 %data, 3;\n\tst.weak.shared.b64 [shared_memory+0], %data;"));
  EXPECT_TRUE(in_order(m.text, "fence.mbarrier_init.release.cluster;\n\tfence.proxy.async;\n\tbarrier.cluster.arrive;",
                       "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r"));
  EXPECT_TRUE(contains(m.text, "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r"));
  EXPECT_TRUE(contains(m.text, "selp.b64 %v0, 1, 0, %p"));
  EXPECT_TRUE(in_order(m.text, "%globaltimer;\n\tsetp.gt.u64", "mov.u32 %gaveup, 1")) << "loops end";
  EXPECT_EQ(m.lanes, 64u) << "threads are in warps of their own";
  EXPECT_EQ(m.ranks, 1u);
  EXPECT_EQ(m.memory.front(), 7u);
  ASSERT_EQ(m.where.size(), 3u);
  EXPECT_FALSE(m.where[0].in_memory);
  EXPECT_TRUE(m.where[1].in_memory) << "g";
  EXPECT_FALSE(m.where[2].in_memory) << "s";
  EXPECT_EQ(m.version, 86u) << "copies to shared::cta came with PTX 8.6";
}

TEST(Ptx9Module, PeersAreReachedInTheirCta) {
  const auto m = module_of(R"(PTX peers
{ x @ shared P1 = 0; m @ mbarrier P1 = 1; }
 P0@cta 0, cluster 0, gpu 0 | P1@cta 1, cluster 0, gpu 0 ;
 st.weak x, 1 | mbarrier.test_wait.parity.acquire.cluster.shared::cta.b64 r0, [m], 0 ;
 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [m] | ld.weak r1, x ;
exists (P1:r0 = 1 /\ P1:r1 = 0)
)");
  EXPECT_EQ(m.ranks, 2u);
  EXPECT_TRUE(contains(m.text, ".reqnctapercluster 2, 1, 1"));
  EXPECT_TRUE(in_order(m.text, "mapa.shared::cluster.u32 %r0, %r0, 1;", "st.weak.shared::cluster.b64 [%r0], 1;"));
  EXPECT_TRUE(contains(m.text, "ld.weak.shared.b64 %v")) << "its own CTA";
}

TEST(Ptx9Module, VectorsAreNeighboursInEitherOrder) {
  const auto m = module_of(R"(PTX vectors
{ x = 1; y = 2; z = 3; }
 P0@cta 0, gpu 0 | P1@cta 1, gpu 0 ;
 st.relaxed.gpu.v2.b64 {z, x}, {5, 6} | ld.acquire.gpu.v2.b64 {r0, r1}, {x, z} ;
exists (P1:r0 = 6 /\ P1:r1 = 5)
)");
  EXPECT_TRUE(
      in_order(m.text, "mov.b64 %d0, 6;\n\tmov.b64 %d1, 5;", "st.relaxed.gpu.global.v2.b64 [%d2], {%d0, %d1};"));
  EXPECT_TRUE(contains(m.text, "ld.acquire.gpu.global.v2.b64 {%v0, %v1}, [%d"));
  EXPECT_EQ(m.memory[0], 1u);
  EXPECT_EQ(m.memory[1], 3u) << "z stands beside x";
  EXPECT_EQ(m.clusters, 2u) << "each CTA is a cluster of its own";
}

TEST(Ptx9Module, AThreadWithoutABarrierOfItsClusterArrivesAtTheEnd) {
  const auto m = module_of(R"(PTX arrivals
{ x = 0; }
 P0@cta 0, cluster 0, gpu 0 | P1@cta 1, cluster 0, gpu 0 ;
 barrier.cluster.arrive     | ld.weak r0, x              ;
 barrier.cluster.wait       |                            ;
exists (P1:r0 = 1)
)");
  EXPECT_TRUE(contains(
      m.text,
      "// others of the cluster have this barrier\n\tbarrier.cluster.arrive.relaxed;\n\tbarrier.cluster.wait;"));
}

TEST(Ptx9Module, TensorMapsChangeByReplace) {
  const auto m = module_of(R"(PTX map
{ d = 3; s @ shared P0 = 0; m @ mbarrier P0 = 1; }
 P0@cta 0, gpu 0 ;
 st.weak d, 2 ;
 fence.proxy.tensormap::generic.acquire.gpu [d], 128 ;
 mbarrier.arrive.expect_tx.shared::cta.b64 _, [m], 16 ;
 cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes [s], [d, {0}], [m] ;
exists (s = 2)
)");
  EXPECT_TRUE(in_order(m.text, "add.u64 %d0, %values, 32;",
                       "tensormap.replace.tile.global_address.global.b1024.b64 [%d1], %d0;"));
  EXPECT_EQ(m.map_at, std::vector<uint32_t>{0});
  EXPECT_EQ(m.memory.front(), 3u);
}

TEST(Ptx9Module, TheTargetIsTheLeastThatHasTheInstructions) {
  const auto of = [](const std::string& instruction) {
    const auto m =
        module_of("PTX t\n{ x = 0; }\n P0@cta 0, gpu 0 ;\n " + instruction + " ;\n st.weak x, 1 ;\nexists (x = 1)\n");
    return std::pair{m.version, m.sm};
  };
  EXPECT_EQ(of("st.async.release.sys.global.b64 [x], 1"), (std::pair{87u, 100u}));
  EXPECT_EQ(of("fence.acquire.gpu"), (std::pair{86u, 90u}));
  EXPECT_EQ(of("fence.proxy.async"), (std::pair{80u, 90u}));
  EXPECT_EQ(of("fence.proxy.alias.release.sys"), (std::pair{94u, 90u}));
}

TEST(Ptx9Module, WhatADeviceCannotHoldIsRefusedByName) {
  EXPECT_TRUE(contains(
      refusal("PTX t\n{ m @ mbarrier P0 = 1; x = 0; }\n P0@cta 0, gpu 0 ;\n mbarrier.arrive.shared::cta.b64 r0, "
              "[m] ;\n st.weak x, r0 ;\nexists (x = 0)\n"),
      "opaque on a device"));
  EXPECT_TRUE(
      contains(refusal("PTX t\n{ x = 0; y = 0; z = 0; }\n P0@cta 0, gpu 0 ;\n ld.weak.v2.b64 {r0, r1}, {x, y} ;\n "
                       "ld.weak.v2.b64 {r2, r3}, {y, z} ;\nexists (P0:r0 = 0)\n"),
               "'y' is a part of two vectors"));
  EXPECT_TRUE(contains(refusal("PTX t\n{ d = 77; s @ shared P0 = 0; m @ mbarrier P0 = 1; }\n P0@cta 0, gpu 0 ;\n "
                               "cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes [s], [d, "
                               "{0}], [m] ;\nexists (s = 0)\n"),
                       "a tensor map of the value 77"));
  EXPECT_TRUE(contains(refusal("PTX t\n{ x = 0; m @ mbarrier P0; }\n P0@cta 0, gpu 0 | P1@cta 0, gpu 0 ;\n L0: | "
                               "bar.sync 0 ;\n bar.sync 0 | ;\n "
                               "ld.weak r0, x | ;\n beq r0, 0, L0 | ;\nexists (P0:r0 = 0)\n"),
                       "in a loop or behind a branch"));
  EXPECT_TRUE(contains(refusal("PTX t\n{ g = 4294967296; s @ shared P0 = 0; }\n P0@cta 0, gpu 0 ;\n "
                               "cp.async.ca.shared::cta.global [s], [g], 4 ;\nexists (s = 0)\n"),
                       "moves 4 of the 8 bytes"));
}

// Each thread is a warp of its own: a barrier of the CTA counts two of them, and one of a warp stays in it.
TEST(Ptx9Module, BarriersAreOfTheirLevel) {
  const auto text = [](const std::string& barrier) {
    return module_of(
               "PTX t\n{ g = 1; s @ shared P0 = 0; }\n P0@cta 0, gpu 0 | P1@cta 0, gpu 0 ;\n "
               "cp.async.ca.shared::cta.global [s], [g], 8 | " +
               barrier + " ;\n cp.async.wait_all | ld.weak r0, s ;\n " + barrier + " | ;\nexists (P1:r0 = 0)\n")
        .text;
  };
  EXPECT_TRUE(contains(text("bar.sync 0"), "barrier.cta.sync 0, 64;"));
  EXPECT_FALSE(contains(text("bar.sync 0"), "bar.warp.sync"));
  EXPECT_TRUE(contains(text("bar.warp.sync 0xffffffff"), "bar.warp.sync 0xffffffff;"));
}

TEST(Ptx9Source, AQuestionAboutAnMbarrierIsRefused) {
  const prog::Test test = parsed(
      "PTX t\n{ m @ mbarrier P0 = 1; }\n P0@cta 0, gpu 0 ;\n mbarrier.arrive.shared::cta.b64 _, [m] ;\nexists (m = "
      "0)\n");
  const auto source = standalone::ptx9_cuda_source(test, k_origin);
  ASSERT_FALSE(source);
  EXPECT_TRUE(contains(render(source.error()), "m is an mbarrier object, whose value no program can tell"));
  const auto text = standalone::ptx9_text(test, k_origin);
  ASSERT_TRUE(text);
  EXPECT_TRUE(contains(*text, "//   m is an mbarrier object: no program can tell its value\n"));
}

TEST(Ptx9Source, TheConditionIsAskedOfTheFinalState) {
  const auto source = standalone::ptx9_cuda_source(
      parsed("PTX t\n{ x = 0; y = 0; }\n P0@cta 0, gpu 0 | P1@cta 1, gpu 0 ;\n st.weak x, 1 | ld.relaxed.gpu r0, y ;\n "
             "fence.release.gpu | fence.acquire.gpu ;\n st.relaxed.gpu y, 1 | ld.weak r1, x ;\nexists (P1:r0 = 1 /\\ "
             "~(P1:r1 = 1 \\/ x = 0))\n"),
      k_origin);
  ASSERT_TRUE(source) << render(source.error());
  EXPECT_TRUE(contains(*source, "observable_names[] = {\"1:r0\", \"1:r1\", \"x\"}"));
  EXPECT_TRUE(contains(*source, "(v[0]) == (static_cast<value>(1ull))"));
  EXPECT_TRUE(contains(*source, "!(")) << "the negation";
  EXPECT_FALSE(contains(*source, "@CONDITION@"));
}

TEST(Ptx9Module, EveryBundledTestAssembles) {
  const auto ptxas = device::cuda::find_assembler();
  if (!ptxas) {
    std::cout << "SKIPPED: no ptxas took part; set FENCEPOST_PTXAS to one of CUDA 13.5 or later\n";
    GTEST_SKIP() << "no ptxas: set FENCEPOST_PTXAS or put it on the PATH";
  }
  // Earlier ones lack PTX 9.4.
  const auto newest = device::cuda::assemble(*ptxas, ".version 9.4\n.target sm_90a\n.address_size 64\n", 90);
  if (newest.cubin.empty()) GTEST_SKIP() << "ptxas " << ptxas->version << " is older than PTX 9.4";
  const auto files = bundled();
  ASSERT_GE(files.size(), 178u);
  for (const fs::path& f : files) {
    const auto tests = read::parse_file(f.string());
    ASSERT_TRUE(tests) << f;
    const auto m = async::ptx9_module(tests->front());
    ASSERT_TRUE(m) << f << ": " << render(m.error());
    const auto done = device::cuda::assemble(*ptxas, m->text, m->sm);
    EXPECT_FALSE(done.cubin.empty()) << f << ": " << done.message;
  }
}

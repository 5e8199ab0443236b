// The instructions of the examples of PTX ISA 9.4 (9.7.10.12 to 9.7.10.29, 9.7.15) with the names of a test in place of
// registers: each is read, or refused by its name. What the examples say as programs is in examples/ptx9/ISA+*.
#include <gtest/gtest.h>

#include <string>

#include "prog/test.h"
#include "read/read.h"

namespace fencepost::check {
namespace {

// What the reader says: "" where it reads the instruction.
std::string refusal(const std::string& instruction) {
  const auto t = read::parse_one(
      make_source("t.litmus",
                  "PTX t\n{ x = 0; y = 0; s @ shared P0 = 0; c @ shared P0 = 0; d @ shared "
                  "P1 = 0; m @ mbarrier P0 = 9; k @ mbarrier P1 = 9; e @ shared P0 = 0; f @ shared P0 = 0; h @ "
                  "shared P0 = 0; z = 0; w = 0; tm @ tensormap x, y, z, w; mm @ multimem x, y; nn @ multimem z, w;" +
                      std::string(instruction.contains("[j]") ? " j @ mbarrier P0 layout::v1;" : "") +
                      " }\n"
                      " P0@cta 0, cluster 0, gpu 0 | P1@cta 1, cluster 0, gpu 0 ;\n " +
                      instruction + " | ;\nexists (x = 1)\n"));
  return t ? "" : t.error().list[0].message;
}

TEST(Ptx9Examples, TheseAreRead) {
  for (const char* i : {
           // 9.7.15.2, 9.7.15.4
           "bar.warp.sync 0xffffffff",
           "membar.gl",
           "membar.cta",
           "membar.sys",
           "fence.sc.cta",
           "fence.sc.cluster",
           "fence.proxy.alias",
           "membar.proxy.alias",
           "fence.mbarrier_init.release.cluster",
           "fence.proxy.async",
           "fence.proxy.async.shared::cta",
           "fence.proxy.async.shared::cluster",
           "fence.proxy.async.global",
           "fence.proxy.tensormap::generic.release.gpu",
           "fence.proxy.tensormap::generic.acquire.gpu [x], 128",
           "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [s], [x, {0}], [m]",
           "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster",
           "fence.acquire.sync_restrict::shared::cluster.cluster",
           "fence.release.sync_restrict::shared::cta.cluster",
           "mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [k]",
           "mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 r0, [m], 0",
           "fence.proxy.alias.release.sys",
           "fence.proxy.alias.acquire.sys",
           "fence.proxy.async::generic.release.sync_restrict::shared::cluster::read.cluster",
           "fence.cluster.acq_rel",
           "fence.gpu",
           // 9.7.10.12, 9.7.15.8
           "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [d], 1, [k]",
           "st.async.release.sys.global.u32 [x], 1",
           "red.async.release.sys.global.add.u32 [x], 1",
           // 9.7.15.16.12 to 19
           "mbarrier.init.b64 [m], 12",
           "mbarrier.init.shared::cta.b64 [m], 12",
           "mbarrier.init.layout::v0.shared.b64 [m], 4",
           "mbarrier.inval.b64 [m]",
           "mbarrier.inval.shared.b64 [m]",
           "mbarrier.expect_tx.b64 [m], 32",
           "mbarrier.expect_tx.relaxed.cta.shared.b64 [m], 512",
           "mbarrier.complete_tx.b64 [m], 32",
           "mbarrier.complete_tx.shared.b64 [m], 512",
           "mbarrier.complete_tx.relaxed.cta.b64 [m], 32",
           "mbarrier.arrive.shared.b64 r0, [m]",
           "mbarrier.arrive.release.cta.shared::cluster.b64 _, [k]",
           "mbarrier.arrive.release.cluster.b64 _, [k], 2",
           "mbarrier.arrive.expect_tx.release.cluster.b64 _, [k], 16",
           "mbarrier.arrive.noComplete.b64 r1, [m], 2",
           "mbarrier.arrive.relaxed.cta.b64 r2, [m], 4",
           "mbarrier.arrive.b64 r2, [m], 1",
           "mbarrier.arrive_drop.shared.b64 _, [m]",
           "mbarrier.arrive_drop.noComplete.shared.b64 _, [m], 1",
           "mbarrier.arrive_drop.release.cluster.shared::cta.b64 _, [m], 2",
           "mbarrier.arrive_drop.expect_tx.relaxed.cluster.shared::cta.b64 r0, [m], 16",
           "cp.async.mbarrier.arrive.shared.b64 [m]",
           "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [m]",
           "mbarrier.test_wait.phase_type::primary.shared.b64 r0, [m], r1",
           "mbarrier.try_wait.phase_type::primary.relaxed.cluster.shared.b64 r0, [m], r1",
           "mbarrier.test_wait.parity.shared.b64 r0, [m], 1",
           "mbarrier.test_wait.shared::cta.b64 r0, [m], r1",
           "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 r0, [m], 0",
           "mbarrier.try_wait.parity.phase_type::conditional.relaxed.cluster.shared::cta.b64 r0, [m], 1, r1",
           "mbarrier.try_wait.shared::cta.b64 r0, [m], r1, 1000",
           "mbarrier.pending_count.b64 r1, r0",
           // 9.7.10.28
           "cp.async.ca.shared.global [s], [x], 4",
           "cp.async.ca.shared::cta.global [s], [x], 8",
           "cp.async.cg.shared.global [s], [x], 16",
           "cp.async.commit_group",
           "cp.async.wait_all",
           "cp.async.wait_group 1",
           "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [x], 16, [m]",
           "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [x], 16, [m]",
           "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [d], [s], 16, [k]",
           "cp.async.bulk.global.shared::cta.bulk_group [x], [s], 16",
           "cp.async.bulk.relaxed.cta.shared::cta.global.mbarrier::complete_tx::bytes.b128 [s], [x], 16, [m]",
           "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u64 [d], [s], 16, [k]",
           "cp.reduce.async.bulk.relaxed.cta.global.shared::cta.bulk_group.add.u64 [x], [s], 16",
           "cp.reduce.async.bulk.global.shared::cta.bulk_group.xor.b32 [x], [s], 16",
           "cp.async.cg.shared.global.L2::64B [s], [x], 16",
           "cp.async.cg.shared.global.L2::128B [s], [x], 16",
           "cp.async.cg.shared.global.L2::256B [s], [x], 16",
           "cp.async.ca.shared.global.L2::cache_hint [s], [x], 4, r0",
           "cp.async.ca.shared.global [s], [x], 4, r0 != 0",
           "cp.async.cg.shared.global.L2::cache_hint [s], [x], 16, r0 != 0, r1",
           "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint [s], [x], 16, [m], r0",
           "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [{s, d}], [x], 16, "
           "[{m, k}], 3",
           "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [s], [x], 16, [m], r0",
           "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster::32b [{s, d}], [x], "
           "16, [{m, k}], 3",
           "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [x], [s], 16, r0",
           "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.cp_mask [x], [s], 16, r0, 255",
           "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob [s], [x], 16, 0, 4, [m]",
           "cp.async.bulk.relaxed.cta.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint.b128 [s], [x], "
           "16, [m], r0",
           "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.min.s32 [d], [s], 16, [k]",
           "cp.reduce.async.bulk.global.shared::cta.bulk_group.min.f16 [x], [s], 16",
           "cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.xor.b32 [x], [s], 16, r0",
           "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [x], [s], 16",
           "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f32 [x], [s], 16",
           "cp.async.bulk.prefetch.L2.global [x], 16",
           "cp.async.bulk.prefetch.L2.global.L2::cache_hint [x], 16, r0",
           "cp.async.bulk.prefetch.L2.global.L2::evict_last [x], 16",
           "multimem.cp.async.bulk.global.shared::cta.bulk_group [mm], [s], 16",
           "multimem.cp.async.bulk.global.shared::cta.bulk_group.cp_mask [mm], [s], 16, 255",
           "multimem.cp.async.bulk.relaxed.cta.global.shared::cta.bulk_group.b128 [mm], [s], 16",
           "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [mm], [s], 16",
           "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.xor.b64 [mm], [s], 16",
           "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.inc.u32 [mm], [s], 16",
           "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.dec.u32 [mm], [s], 16",
           "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s32 [mm], [s], 16",
           "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [mm], [s], 16",
           "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.min.bf16 [mm], [s], 16",
           "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.bf16 [mm], [s], 16",
           "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f32 [mm], [s], 16",
           "multimem.cp.reduce.async.bulk.relaxed.cta.global.shared::cta.bulk_group.add.u64 [mm], [s], 16",
           "multimem.ld_reduce.and.b32 r0, [mm]",
           "multimem.ld_reduce.acquire.gpu.global.add.u32 r0, [mm]",
           "multimem.st.relaxed.gpu.b32 [mm], r0",
           "multimem.st.release.cta.global.u32 [mm], r0",
           "multimem.red.release.cta.global.add.v4.f32 [{mm, nn, mm, nn}], {r0, r1, r2, r3}",
           "multimem.ld_reduce.add.acc::f32.v2.f16x2 {r0, r1}, [{mm, nn}]",
           "multimem.ld_reduce.relaxed.cta.min.v2.e4m3x2 {r0, r1}, [{mm, nn}]",
           "multimem.ld_reduce.relaxed.cta.add.v4.e4m3 {r0, r1, r2, r3}, [{mm, nn, mm, nn}]",
           "multimem.ld_reduce.add.acc::f16.v4.e5m2 {r0, r1, r2, r3}, [{mm, nn, mm, nn}]",
           "multimem.st.async.release.gpu.global.u32 [mm], r0",
           "multimem.st.async.release.sys.f64 [mm], r0",
           "multimem.red.async.release.gpu.global.add.u32 [mm], r0",
           "cp.async.bulk.tensor.1d.shared::cta.global.mbarrier::complete_tx::bytes.tile [s], [tm, {r0}], [m]",
           "cp.async.bulk.tensor.5d.shared::cta.global.im2col.mbarrier::complete_tx::bytes [s], [tm, {r0, 0, 0, 0, "
           "0}], [m], {0, 0, 0}",
           "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes.tile [s], [tm, {r0}], [m]",
           "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [{s, d}], "
           "[tm, {r0, 0}], [{m, k}], 3",
           "cp.async.bulk.tensor.5d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [s], [tm, {0, 0, 0, r0, "
           "0}], [m], {0, 0, 0}",
           "cp.async.bulk.tensor.3d.im2col.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [s], "
           "[tm, {r0, 0, 0}], [m], {0}, r1",
           "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [tm, {r0}], [s]",
           "cp.async.bulk.tensor.2d.tile::gather4.shared::cluster.global.mbarrier::complete_tx::bytes [{s, e, f, h}], "
           "[tm, {0, 0, 1, 2, 3}], [m]",
           "cp.async.bulk.tensor.3d.im2col::w.shared::cluster.global.mbarrier::complete_tx::bytes [s], [tm, {r0, 0, "
           "0}], [m], {0, 0}",
           "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::2 [s], [tm, "
           "{r0}], [k]",
           "cp.async.bulk.tensor.mbarrier::complete_tx::bytes.shared::cta.global.1d.override::global_address [s], [tm, "
           "r1, {r0}], [m]",
           "cp.async.bulk.tensor.mbarrier::complete_tx::bytes.shared::cta.global.5d.tile.override::global_address.cta_"
           "group::1.override::global_dim_stride [s], [tm, r1, {1, 1, 1, 1, 1}, {r2, r3, r4, r5}, r6, {0, 0, 0, 0, "
           "0}], [m]",
           "cp.async.bulk.tensor.global.shared::cta.1d.bulk_group.tile.override::global_address.override::global_dim "
           "[tm, r1, {1}, {0}], [s]",
           "cp.async.bulk.tensor.mbarrier::complete_tx::bytes.shared::cluster.global.4d.im2col::w::128.override::"
           "global_address.cta_group::1 [s], [tm, r1, {r0, 0, 0, 0}], [m], {0, 0}",
           "cp.async.bulk.tensor.3d.global.shared::cta.bulk_group.im2col_no_offs::w [tm, {r0, 0, 0}], [s]",
           "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [tm, {r0}], [s]",
           "cp.reduce.async.bulk.tensor.2d.global.shared::cta.and.bulk_group.L2::cache_hint [tm, {r0, 0}], [s], r1",
           "cp.reduce.async.bulk.tensor.global.shared::cta.bulk_group.2d.tile.min.override::global_address [tm, r1, "
           "{0, r0}], [s]",
           "cp.reduce.async.bulk.tensor.global.shared::cta.bulk_group.1d.max.L2::cache_hint.override::global_address."
           "override::global_dim [tm, r1, {1}, {0}], [s], r2",
           "cp.reduce.async.bulk.tensor.3d.global.shared::cta.or.im2col_no_offs::w.bulk_group [tm, {r0, 0, 0}], [s]",
           "cp.async.bulk.prefetch.tensor.1d.L2.global.tile [tm, {r0}]",
           "cp.async.bulk.prefetch.tensor.2d.L2.global [tm, {r0, 0}]",
           "cp.async.bulk.prefetch.tensor.5d.L2.global.im2col [tm, {r0, 0, 0, 0, 0}], {0, 0, 0}",
           "cp.async.bulk.prefetch.tensor.3d.L2.global.im2col.L2::cache_hint [tm, {r0, 0, 0}], {0}, r1",
           "cp.async.bulk.prefetch.tensor.2d.L2.global.tile::gather4 [tm, {0, 0, 1, 2, 3}]",
           "cp.async.bulk.prefetch.tensor.4d.L2.global.im2col::w::128 [tm, {r0, 0, 0, 0}], {0, 0}",
           "cp.async.bulk.prefetch.tensor.2d.L2.global.tile.override::global_address [tm, r1, {r0, 0}]",
           "cp.async.bulk.prefetch.tensor.3d.L2.global.override::global_address.override::global_dim_stride.L2::cache_"
           "hint [tm, r1, {1, 1, 1}, {r2, r3}, r4, {0, 0, 0}], r5",
           "tensormap.replace.tile.global_address.global.b1024.b64 [tm], 1",
           "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [s], 1",
           "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [tm], [s], 128",
           "fence.proxy.generic::fabric.alias.release.sys",
           "fence.proxy.fabric::generic.alias.acquire.sys",
           "st.async.sys.release.global.u32 [x], 1",
           "st.async.mbarrier::complete_tx::bytes.b128 [d], 1, [k]",
           "st.async.shared::cluster.mbarrier::complete_tx::bytes.b128 [d], 1, [k]",
           "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.min.u32 [d], 1, [k]",
           "mbarrier.init.layout::v1.shared::cta.b64 [j], 4",
           "mbarrier.check_layout.layout::v1.shared.b64 r0, [j]",
           "mbarrier.expect_tx.relaxed.cta.shared::cluster.multicast::cluster::32b.b64 [{m, k}], 512, 3",
           "mbarrier.complete_tx.relaxed.cta.shared::cluster.multicast::cluster::32b.b64 [{m, k}], 512, 3",
           "mbarrier.arrive.release.cta.shared::cluster.multicast::cluster::32b.b64 _, [{m, k}], 3",
           "mbarrier.arrive_drop.shared::cluster.multicast::cluster::32b.b64 _, [{m, k}], 3",
           "mbarrier.arrive_drop.shared::cta.release.cluster.b64 _, [m], 2",
           "mbarrier.arrive_drop.expect_tx.shared::cta.relaxed.cluster.b64 r0, [m], 16",
           "clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes.b128 [s], [m]",
           "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all."
           "b128 [{s, d}], [{m, k}]",
           "cp.async.bulk.commit_group",
           "cp.async.bulk.wait_group 0",
           "cp.async.bulk.wait_group.read 0",
       })
    EXPECT_EQ(refusal(i), "") << i;
}

TEST(Ptx9Examples, TheseAreRefusedByName) {
  const struct {
    const char *instruction, *part;
  } rows[] = {
      // Known, and not modelled: docs/isa-examples.md says why.
      {"multimem.red.async.release.gpu.global.inc.u32 [mm], 1", "'inc' of multimem.red.async"},
      {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.mbarrier::report::validity::per_16bytes::"
       "8000 [s], [x], 16, [m]",
       "'mbarrier::report::validity::per_16bytes"},
      {"cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes.mbarrier::report::validity::per_"
       "16bytes::8 [s], [tm, {0}], "
       "[m]",
       "'mbarrier::report::validity::per_16bytes"},
      {"cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes.mbarrier::report::"
       "validity::per_element::ff "
       "[{s, e, f, h}], [tm, {0, 0, 1, 2, 3}], [m]",
       "'mbarrier::report::validity::per_element"},
      {"fabric.submit", "is not modelled"},
      {"elect.sync r0, 1", "'elect.sync' is not modelled"},
      {"redux.sync.add.s32 r0, r1, 1", "'redux.sync.add.s32' is not modelled"},
      {"griddepcontrol.wait", "is not modelled"},
      {"tensormap.replace.tile.rank.global.b1024.b32 [tm], 1", "'rank' of tensormap.replace"},
      // What is read of these in one form only.
      {"cp.async.ca.shared.global [s], [x], 4, r0", "can be a number of bytes and a predicate"},
      {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [s], [x], 16, [m], 3",
       "is not that of the CTAs"},
      {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [{s, d}], [x], 16, [{m, "
       "k}], r0",
       "in a register"},
      {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [{s, d}], [x], 16, [{m, k}]",
       "without .multicast::cluster"},
      {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [{s, e}], [x], 16, [{m, "
       "k}], 3",
       "the second in its"},
      {"cp.async.bulk.global.shared::cta.bulk_group.cp_mask [x], [s], 16, 3", "a part of a location"},
      {"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob [s], [x], 16, 1, 1, [m]",
       "out of bounds"},
      {"cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [s], [tm, {r0, r1}], [m]",
       "more than one dimension"},
      {"cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [s], [tm, {r0}], [m]", "1 coordinates"},
      {"cp.async.bulk.tensor.2d.shared::cta.global.im2col.mbarrier::complete_tx::bytes [s], [tm, {0, 0}], [m], {0}",
       "three dimensions or more"},
      {"cp.async.bulk.tensor.3d.shared::cta.global.im2col.mbarrier::complete_tx::bytes [s], [tm, {0, 0, 0}], [m], {1}",
       "other than 0"},
      {"cp.async.bulk.tensor.3d.shared::cta.global.im2col.mbarrier::complete_tx::bytes [s], [tm, {0, 0, 0}], [m], {0, "
       "0}",
       "2 values for im2col"},
      {"cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [x, {0}], [s]", "is not a tensor map"},
      {"cp.async.bulk.tensor.1d.shared::cta.global.mbarrier::complete_tx::bytes [s], [x, {1}], [m]", "has no boxes"},
      {"cp.async.bulk.tensor.1d.shared::cta.global.mbarrier::complete_tx::bytes.override::global_dim [s], [tm, {1}, "
       "{0}], [m]",
       "another address"},
      {"multimem.st.relaxed.gpu.b32 [x], 1", "is not a multimem address"},
      {"st.weak mm, 1", "is a multimem address"},
      {"multimem.st.relaxed.gpu.f16 [mm], 1", "16 bits in all"},
      {"multimem.ld_reduce.min.f32 r0, [mm]", "has no min and max"},
      {"multimem.ld_reduce.acquire.add.u32 r0, [mm]", "needs a scope"},
      {"st.weak z, 2000 | ;\n cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [z], [s], 16",
       "may not have exactly"},
      {"mul r0, r1, 2 | ;\n cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [z], [s], 16",
       "beside arithmetic"},
      {"mbarrier.init.layout::v1.shared::cta.b64 [m], 4", "is declared with the layout v0"},
      {"mbarrier.try_wait.parity.phase_type::conditional.shared::cta.b64 r0, [j], 0", "the conditional phase"},
      // In no syntax of their sections.
      {"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.b32 [d], 1, [k]",
       "'b32' does not fit"},
      {"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.xor.u32 [d], 1, [k]",
       "'u32' does not fit"},
      {"cp.reduce.async.bulk.global.shared::cta.bulk_group.xor.s32 [x], [s], 16", "'s32' does not fit"},
      {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.b64 [x], [s], 16", "'b64' does not fit"},
      {"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.b32 [d], [s], 16, [k]",
       "'b32' does not fit"},
      // Examples that are not in the syntax of their sections, and refused by ptxas 13.5 as well (BUGS-FOUND.md).
      {"mbarrier.arrive.relaxed.cluster.shared::cluster.b64 r0, [k]", "returns no state"},
      {"cp.async.bulk.tensor.1d.shared::cluster.global.tile [s], [x, {0}], [m]", "is not"},
      {"cp.async.bulk.tensor.1d.shared::cluster.global.tile.cta_group::2 [s], [tm, {0}], [k]", "is not"},
      {"cp.async.bulk.relaxed.shared::cta.global.mbarrier::complete_tx::bytes.b128 [s], [x], 16, [m]", "needs a scope"},
      {"cp.reduce.async.bulk.relaxed.cta.global.bulk_group.add.u64 [x], [s], 16", "is not"},
      {"multimem.cp.async.bulk.relaxed.cta.global.bulk_group.b128 [mm], [s], 16", "is not"},
      {"multimem.cp.reduce.async.bulk.relaxed.cta.global.bulk_group.add.u64 [mm], [s], 16, [m]", "is not"},
      {"multimem.red.relaxed.gpu.max.f64 [mm], r0", "'f64' of multimem.red"},
      {"cp.reduce.async.bulk.tensor.3d.global.shared::cta.xor.im2col.bulk_group [tm, {0, 0, 0}], [s]", "'im2col' of"},
      {"cp.async.bulk.prefetch.tensor.3d.L2.global.tile::gather4.L2::evict_last [tm, {0, 0, 0}], {0}",
       "two dimensions"},
  };
  for (const auto& r : rows)
    EXPECT_NE(refusal(r.instruction).find(r.part), std::string::npos)
        << r.instruction << ": " << refusal(r.instruction);
}

}  // namespace
}  // namespace fencepost::check

// What asynchronous PTX means as events, instruction by instruction: tests/golden/ptx-events.txt, which is to be read
// beside docs/ptx9.md (FENCEPOST_UPDATE_GOLDEN writes it anew). What an mbarrier becomes is told of one state.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "asm_support.h"
#include "prog/mbarrier.h"

using namespace asm_test;

namespace {

constexpr const char* k_init =
    "x = 0; y = 0; s @ shared P0 = 0; c @ shared P0 = 0; d @ shared P1 = 0; m @ mbarrier P0 = 9; k @ mbarrier P1 = 9; "
    "n @ mbarrier P0; e @ shared P0 = 0; f @ shared P0 = 0; h @ shared P0 = 0; z = 0; w = 0; "
    "tm @ tensormap x, y, z, w; mm @ multimem x, y; nn @ multimem z, w;";

// Each line: the instructions of P0, then after a bar those of P1.
constexpr const char* k_programs[] = {
    "st.bulk.weak.shared::cta [s], 8, 0",
    "st.bulk [s], 8, 0",
    "st.bulk [d], 8, 0",
    "bar.warp.sync 0xffffffff",
    "membar.proxy.async",
    "fence.acquire.cta",
    "fence.release.sys",
    "fence.acquire.sync_restrict::shared::cluster.cluster",
    "fence.release.sync_restrict::shared::cta.cluster",
    "fence.mbarrier_init.release.cluster",
    "fence.proxy.async",
    "fence.proxy.async.global",
    "fence.proxy.async.shared::cta",
    "fence.proxy.async.shared::cluster",
    "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster",
    "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster",
    "fence.proxy.async::generic.release.sync_restrict::shared::cluster::read.cluster",
    "fence.proxy.tensormap::generic.release.gpu",
    "fence.proxy.tensormap::generic.acquire.cta [x], 128",
    "fence.proxy.alias.acquire.sys",
    "mbarrier.init.shared::cta.b64 [n], 12",
    "mbarrier.inval.b64 [m]",
    "mbarrier.inval.shared.b64 [k]",
    "mbarrier.expect_tx.b64 [m], 32",
    "mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [k], 32",
    "mbarrier.complete_tx.relaxed.cta.shared.b64 [m], 16",
    "mbarrier.arrive.shared.b64 r0, [m]",
    "mbarrier.arrive.shared.b64 _, [k]",
    "mbarrier.arrive.b64 _, [m], 3",
    "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [k], 2",
    "mbarrier.arrive.relaxed.cta.b64 r2, [m], r1",
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [m], 16",
    "mbarrier.arrive.noComplete.b64 r1, [m], 2",
    "mbarrier.arrive_drop.shared.b64 _, [m]",
    "mbarrier.arrive_drop.noComplete.shared.b64 r1, [m], 1",
    "mbarrier.arrive_drop.expect_tx.relaxed.cluster.shared::cta.b64 _, [m], 16",
    "mbarrier.test_wait.shared::cta.b64 r0, [m], r1",
    "mbarrier.test_wait.parity.shared.b64 r0, [m], 1",
    "mbarrier.test_wait.parity.shared.b64 r0, [k], r1",
    "ld.weak r3, x; ld.weak r4, y; mbarrier.test_wait.parity.shared.b64 r0, [m], r2",
    "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 r0, [m], 0, 1000",
    "mbarrier.try_wait.parity.phase_type::conditional.relaxed.cluster.shared::cta.b64 r0, [m], 1",
    "cp.async.mbarrier.arrive.shared.b64 [m]",
    "cp.async.mbarrier.arrive.shared.b64 [k]",
    "cp.async.ca.shared.global [s], [x], 4; cp.async.mbarrier.arrive.noinc.shared::cta.b64 [m]",
    "cp.async.ca.shared.global [s], [x], 8; cp.async.commit_group; cp.async.cg.shared::cta.global [c], [y], 16; "
    "cp.async.commit_group; cp.async.wait_group 1",
    "cp.async.ca.shared.global [s], [x], 8; cp.async.wait_all",
    "cp.async.ca.shared.global [d], [x], 8",
    "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [x], 16, [m]",
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [d], [x], 16, [k]",
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [d], [x], 16, [m]",
    "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [d], [x], 16, [k]",
    "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [d], [s], 16, [k]",
    "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [c], [s], 16, [m]",
    "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [d], [d], 16, [k]",
    "cp.async.bulk.relaxed.gpu.shared::cta.global.mbarrier::complete_tx::bytes.b128 [s], [x], 16, [m]",
    "cp.async.bulk.global.shared::cta.bulk_group [x], [s], 16; cp.async.bulk.commit_group; "
    "cp.async.bulk.wait_group 0",
    "cp.async.bulk.global.shared::cta.bulk_group [x], [d], 16",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.xor.b64 [x], [s], 16; cp.async.bulk.commit_group; "
    "cp.async.bulk.wait_group.read 0; cp.async.wait_all",
    "cp.reduce.async.bulk.relaxed.cta.global.shared::cta.bulk_group.add.u64 [x], [d], 16",
    "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.and.b32 [d], [s], 16, [k]",
    "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.and.b32 [d], [d], 16, [m]",
    "cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes [s], [x, {0}], [m]",
    "st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [d], 1, [k]",
    "st.async.mbarrier::complete_tx::bytes.u32 [d], r1, [k]",
    "st.async.mbarrier::complete_tx::bytes.u32 [d], r1, [m]",
    "st.async.release.sys.global.b64 [x], 1",
    "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.or.b32 [d], 4, [k]",
    "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [s], 1, [m]",
    "red.async.release.gpu.global.add.u64 [x], r1",
    "barrier.cluster.arrive.relaxed; barrier.cluster.wait | barrier.cluster.arrive; barrier.cluster.wait.acquire",
    "barrier.cluster.arrive; barrier.cluster.wait; barrier.cluster.arrive.release; barrier.cluster.wait | "
    "barrier.cluster.arrive",
    "barrier.cluster.arrive; barrier.cluster.wait",
    "ld.weak.v2.b64 {r0, r1}, {x, y}",
    "ld.acquire.gpu.v2.u64 {r0, r1}, {x, y}",
    "st.relaxed.sys.v2.b64 {x, y}, {1, r1}",
    "ld.weak r0, m",
    "atom.relaxed.gpu.add r0, d, 1",
    "mbarrier.arrive_drop.noComplete.shared.b64 r1, [m], 1; mbarrier.pending_count.b64 r2, r1",
    "mbarrier.check_layout.layout::v0.shared.b64 r0, [m]",
    "mbarrier.check_layout.layout::v1.b64 r0, [k]",
    "mbarrier.init.layout::v1.shared::cta.b64 [j], r1",
    "mbarrier.arrive.release.cta.shared::cluster.multicast::cluster::32b.b64 _, [{m, k}], 3",
    "mbarrier.complete_tx.relaxed.cta.shared::cluster.multicast::cluster::32b.b64 [{m, k}], 512, 3",
    // Parts of a copy.
    "cp.async.ca.shared.global [s], [x], 8, 0",
    "cp.async.ca.shared.global [s], [x], 8, 3",
    "cp.async.ca.shared.global [s], [x], 4, 4",
    "cp.async.ca.shared.global [s], [x], 4, 8",
    "cp.async.cg.shared.global [s], [x], 16, 8",
    "cp.async.ca.shared.global [s], [x], 4, r0 != 0",
    "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [x], [s], 16, 255",
    "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [x], [s], 16, 65280",
    "cp.async.bulk.prefetch.L2.global [x], 16",
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [{s, d}], [x], 16, "
    "[{m, k}], 3; cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.inc.u32 [x], [s], 16",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.dec.u32 [x], [s], 16",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.min.s32 [x], [s], 16",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.max.u64 [x], [s], 16",
    "clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes.b128 [s], [m]",
    "clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes.b128 [d], [m]",
    "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 "
    "[{s, d}], [{m, k}]",
    // Tensor copies.
    "cp.async.bulk.tensor.1d.shared::cta.global.mbarrier::complete_tx::bytes [s], [tm, {r0}], [m]; "
    "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0",
    "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [{s, d}], "
    "[tm, {1, 0}], [{m, k}], 3",
    "cp.async.bulk.tensor.2d.tile::gather4.shared::cluster.global.mbarrier::complete_tx::bytes [{s, e, f, h}], "
    "[tm, {0, 0, 1, 2, 3}], [m]",
    "cp.async.bulk.tensor.2d.tile::gather4.shared::cta.global.mbarrier::complete_tx::bytes [{s, e, d, h}], "
    "[tm, {0, 0, 1, 2, 3}], [m]",
    "cp.async.bulk.tensor.1d.shared::cta.global.mbarrier::complete_tx::bytes.override::global_address [s], "
    "[tm, r1, {2}], [m]",
    "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::2 [s], [tm, {4}], [m]",
    "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::2 [s], [tm, {0}], [k]",
    "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.cta_group::2 "
    "[{s, d}], [tm, {1, 0}], [{m, m}], 3",
    "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::1 [s], [tm, {0}], [k]",
    "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [tm, {0, 3, 2, 1, 0}], [{s, e, f, h}]",
    "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [tm, {0}], [d]",
    "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [tm, {0, r0}], [s]",
    "cp.async.bulk.prefetch.tensor.2d.L2.global.tile::gather4 [tm, {0, 0, 1, 2, 3}]",
    "tensormap.replace.tile.global_address.global.b1024.b64 [tm], 1",
    "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [d], r0",
    "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [tm], [s], 128",
    // Multimem operations.
    "multimem.ld_reduce.and.b32 r0, [mm]",
    "multimem.ld_reduce.acquire.gpu.global.add.u32 r0, [mm]",
    "multimem.ld_reduce.add.acc::f32.v2.f16x2 {r0, _}, [{mm, nn}]",
    "multimem.st.weak.b64 [mm], r1",
    "multimem.st.release.cta.global.v2.f32 [{mm, nn}], {r0, r1}",
    "multimem.red.min.s64 [mm], 4",
    "multimem.red.release.cta.global.add.v2.f32 [{mm, nn}], {r0, r1}",
    "multimem.st.async.release.gpu.global.u32 [mm], r0",
    "multimem.red.async.release.sys.add.u64 [mm], r0",
    "multimem.cp.async.bulk.relaxed.cta.global.shared::cta.bulk_group.b128 [mm], [s], 16",
    "multimem.cp.async.bulk.global.shared::cta.bulk_group.cp_mask [mm], [d], 16, 65535",
    "multimem.cp.async.bulk.global.shared::cta.bulk_group.cp_mask [mm], [s], 16, 65280",
    "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.xor.b64 [mm], [s], 16; cp.async.bulk.commit_group; "
    "cp.async.bulk.wait_group 0",
    // Whether an arrival may come in a second phase, of which the ends are told: at most as many as the first expects;
    // one more; in a loop; a number in a register; another object; an object that is initialised, and twice.
    "mbarrier.arrive.b64 _, [m], 8; mbarrier.arrive.b64 _, [m]",
    "mbarrier.arrive.b64 _, [m], 8; mbarrier.arrive.b64 _, [m], 2",
    "mbarrier.arrive.b64 _, [m]; beq r0, 0, L; L:",
    "L:; mbarrier.arrive.b64 _, [m]; beq r0, 0, L",
    "L:; mbarrier.arrive.b64 _, [m]; goto L",
    "mbarrier.arrive.b64 _, [m], 1048575; mbarrier.arrive.b64 _, [k]",
    "mbarrier.init.b64 [n], 3; mbarrier.arrive.b64 _, [n], 3",
    "mbarrier.init.b64 [n], 3; mbarrier.arrive.b64 _, [n], 4",
    "mbarrier.init.b64 [n], r1; mbarrier.arrive.b64 _, [n]",
    "mbarrier.init.b64 [n], 1; mbarrier.inval.b64 [n]; mbarrier.arrive.b64 _, [n]",
    "mbarrier.init.b64 [n], 1; mbarrier.init.b64 [n], 1; mbarrier.arrive.b64 _, [n]",
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [m], 16; mbarrier.arrive.b64 _, [m], 8",
};

std::string initial(const std::string& text) {
  return std::string(k_init) + (text.find("[j]") == std::string::npos ? "" : " j @ mbarrier P0 layout::v1;");
}

std::vector<std::string> cells(const std::string& text) {
  std::vector<std::string> out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find("; ", at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 2;
  }
  return out;
}

prog::Test program(const std::string& text) {
  const size_t bar = std::min(text.find(" | "), text.size());
  const auto a = cells(text.substr(0, bar)), b = cells(bar == text.size() ? "" : text.substr(bar + 3));
  std::string rows;
  for (size_t i = 0; i < std::max(a.size(), b.size()); ++i)
    rows += fmt::format(" {} | {} ;\n", i < a.size() ? a[i] : "", i < b.size() ? b[i] : "");
  return parse(
      fmt::format("PTX t\n{{ {} }}\n P0@cta 0, cluster 0, gpu 0 | P1@cta 1, cluster 0, gpu 0 ;\n{}exists (x = 1)\n",
                  initial(text), rows));
}

const char* kind(prog::Kind k) {
  switch (k) {
    case prog::Kind::load:
      return "load";
    case prog::Kind::store:
      return "store";
    case prog::Kind::rmw:
      return "rmw";
    case prog::Kind::fence:
      return "fence";
    case prog::Kind::barrier:
      return "barrier";
    case prog::Kind::local:
      return "local";
    default:
      return "other";
  }
}

// A value, or what an mbarrier that expects 9 (fresh: that is none) becomes where registers are 3. Of a longer term,
// what it is there.
std::string value(const prog::Test& t, uint32_t thread, const term::Expr& e, bool state, bool fresh) {
  if (!e) return "";
  const auto name = [&](uint64_t v) {
    return v == prog::k_old_value ? std::string("old") : t.code(thread).registers[v].name;
  };
  const auto env = [&](uint64_t v) {
    return std::optional<uint64_t>(v != prog::k_old_value ? 3 : fresh ? 0 : prog::mbarrier_initial(9));
  };
  const std::string text = term::to_string(e, name);
  const auto now = term::eval(e, env);
  if (state && now) return prog::mbarrier_text(*now);
  return text.size() < 60 ? text : fmt::format("({})", now.value_or(~uint64_t{0}));
}

std::string told(const prog::Test& t, uint32_t thread, const prog::Instr& i) {
  const auto reg = [&](prog::RegId r) { return t.code(thread).registers[r].name; };
  std::string out = fmt::format("    {}{}", i.hidden ? "+ " : "", kind(i.kind));
  if (!i.mnemonic.empty()) out += fmt::format(" '{}'", i.mnemonic);
  if (i.operands) out += fmt::format(" '{}'", *i.operands);
  if (i.dst != prog::k_none) out += fmt::format(" to {}", reg(i.dst));
  const bool object = i.addr.symbol != prog::k_none && t.objects[t.symbols[i.addr.symbol].object].mbarrier;
  const bool fresh = object && t.symbols[i.addr.symbol].name == "n";
  if (i.addr.symbol != prog::k_none) out += fmt::format(" at {}", t.symbols[i.addr.symbol].name);
  out += fmt::format(" {{{}}}", to_string(i.tags));
  if (i.kind == prog::Kind::rmw) out += fmt::format(" {{{}}}", to_string(i.store_tags));
  if (i.value) out += fmt::format(" value {}", value(t, thread, i.value, object && i.kind == prog::Kind::rmw, fresh));
  if (i.result) out += fmt::format(" result {}", value(t, thread, i.result, false, fresh));
  if (i.predicate != prog::k_none) out += fmt::format(" if {}", reg(i.predicate));
  if (i.operation != prog::k_none) out += fmt::format(" of {}", i.operation);
  if (!i.awaits.empty()) out += fmt::format(" behind {}", fmt::join(i.awaits, ","));
  if (i.kind == prog::Kind::barrier)
    out += fmt::format(" '{}' level {}{}{}", i.barrier.instance, i.barrier.level, i.barrier.arrive ? " arrives" : "",
                       i.barrier.everyone ? " everyone" : "");
  return out + "\n";
}

}  // namespace

TEST(PtxEvents, OfEachInstruction) {
  std::string now;
  for (const char* text : k_programs) {
    const prog::Test t = program(text);
    if (t.threads.size() != 2) continue;
    expect_round_trip(t);
    now += fmt::format("{}\n", text);
    for (uint32_t thread = 0; thread < 2; ++thread) {
      if (thread == 1 && !t.instrs(1).empty()) now += "  |\n";
      for (const prog::Instr& i : t.instrs(thread)) {
        now += told(t, thread, i);
        EXPECT_NE(i.span.source, nullptr) << text;
      }
    }
  }
  const std::string file = FENCEPOST_SOURCE_DIR "/tests/golden/ptx-events.txt";
  if (std::getenv("FENCEPOST_UPDATE_GOLDEN") != nullptr) std::ofstream(file) << now;
  std::ifstream in(file);
  std::ostringstream expected;
  expected << in.rdbuf();
  EXPECT_EQ(now, expected.str()) << "FENCEPOST_UPDATE_GOLDEN=1 writes " << file;
}

// What the reader says of it: "" where it reads the program.
std::string refusal(const std::string& text) {
  std::string rows;
  for (const std::string& cell : cells(text)) rows += fmt::format(" {} | ;\n", cell);
  const auto t = read::parse_one(make_source(
      "t.litmus", fmt::format("PTX t\n{{ {} }}\n P0@cta 0, cluster 0, gpu 0 | P1@cta 1, cluster 0, gpu 0 ;\n{}"
                              "exists (x = 1)\n",
                              initial(text), rows)));
  return t ? "" : t.error().list[0].message;
}

TEST(PtxEvents, ReductionsOfFloatingPointAreExact) {
  const std::string group = "cp.reduce.async.bulk.global.shared::cta.bulk_group.";
  const struct {
    std::string instruction;
    uint64_t most;  // the largest number that it is read with
  } rows[] = {
      // One addition doubles.
      {group + "add.f64 [z], [s], 16", uint64_t{1} << 52},
      {group + "add.f32 [z], [s], 16", uint64_t{1} << 23},
      {group + "add.noftz.f16 [z], [s], 16", uint64_t{1} << 10},
      {group + "add.noftz.bf16 [z], [s], 16", uint64_t{1} << 7},
      {group + "min.f16 [z], [s], 16", uint64_t{1} << 11},
      {group + "add.f32 [z], [s], 16; " + group + "add.noftz.f16 [z], [s], 16", uint64_t{1} << 9},
      {group + "add.noftz.f16 [z], [s], 16; " + group + "add.f32 [z], [s], 16", uint64_t{1} << 9},
      {group + "inc.u32 [z], [s], 16; " + group + "add.noftz.f16 [z], [s], 16", uint64_t{1} << 9},
      {"red.relaxed.gpu.add z, 1; " + group + "add.noftz.f16 [z], [s], 16", uint64_t{1} << 9},
      // The sum of two locations.
      {"multimem.ld_reduce.add.v4.e4m3 {r0, r1, r2, r3}, [{mm, nn, mm, nn}]", 8},
      {"multimem.ld_reduce.add.v4.e5m2 {r0, r1, r2, r3}, [{mm, nn, mm, nn}]", 4},
      {"multimem.ld_reduce.min.v4.e4m3 {r0, r1, r2, r3}, [{mm, nn, mm, nn}]", 16},
      {"multimem.ld_reduce.add.v2.f16x2 {r0, r1}, [{mm, nn}]; st.weak y, r0", uint64_t{1} << 10},
      {"multimem.ld_reduce.add.v2.f16x2 {r0, r1}, [{mm, nn}]; multimem.ld_reduce.add.v2.f16x2 {r2, r3}, [{mm, nn}]; "
       "st.weak y, r0",
       uint64_t{1} << 9},
      {"multimem.ld_reduce.add.v2.bf16x2 {r0, r1}, [{mm, nn}]; ld.weak r2, x", uint64_t{1} << 7},
  };
  for (const auto& r : rows) {
    EXPECT_EQ(refusal(fmt::format("st.weak x, {}; {}", r.most, r.instruction)), "") << r.instruction;
    EXPECT_NE(refusal(fmt::format("st.weak x, {}; {}", r.most + 1, r.instruction)).find("may not have exactly"),
              std::string::npos)
        << r.instruction;
  }
}

TEST(PtxEvents, TheseAreRefused) {
  const std::string load = "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes";
  const std::string store = "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group";
  const std::string dimension = ".override::global_address.override::global_dim";
  const struct {
    std::string instruction, part;
  } rows[] = {
      {"mbarrier.pending_count.b64 _, r0", "needs a register"},
      {"st.bulk.weak.shared::cta [x], 8, 0", "lies in global memory"},
      {"st.bulk.weak.shared::cta [s], 12, 0", "is not a number of bytes"},
      {"st.bulk.weak.shared::cta [s], 0, 0", "is not a number of bytes"},
      {"st.bulk.weak.shared::cta [s], 16, 0", "of 16 bytes"},
      {"st.bulk.weak.shared::cta [s], 8, 1", "expected"},
      {"st.bulk.relaxed.cta.shared::cta [s], 8, 0", "'relaxed' does not fit"},
      {"st.bulk.shared::cluster [s], 8, 0", "'shared::cluster' does not fit"},
      {"mbarrier.complete_tx.relaxed.cta.shared::cluster.multicast::cluster::32b.b64 [{m, k}], 512, 1", "not that of"},
      {load + " [s], [c, {0}], [m]", "lies in shared memory"},
      {"mbarrier.pending_count.layout::v1.b64 r1, r0", "'layout::v1'"},
      {"mbarrier.init.layout::v1.shared::cta.b64 [j], 4; mbarrier.pending_count.b64 r1, r0", "beside an mbarrier of"},
      {"cp.async.mbarrier.arrive.shared.b64 [j]", "of an mbarrier of layout::v1"},
      {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [{s, d}], [x], 16, [m], 3",
       "differ in length"},
      {"clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes.b128 [{s, d}], [m]", "differ in length"},
      {"clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes.b128 [{s, d}], [{m, k}]", "several dest"},
      {"clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes.b128 [x], [m]", "lies in global memory"},
      {load + ".multicast::cluster [{s, d}], [tm, {0}], [m], 3", "differ in length"},
      {load + " [{s, d}], [tm, {0}], [{m, k}]", "without .multicast::cluster"},
      {load + dimension + " [s], [tm, r1, {1}, {1}], [m]", "coordinates other than 0"},
      {load + dimension + " [s], [tm, r1, {1}, {r0}], [m]", "coordinates other than 0"},
      {load + dimension + " [s], [tm, r1, {0}, {0}], [m]", "sizes that are 0"},
      {load + dimension + " [s], [tm, r1, {r0}, {0}], [m]", "sizes that are 0"},
      {load + ".override::global_address.override::global_dim_stride [s], [tm, r1, {1}, {r2}, r3, {0}], [m]",
       "that of one dimension"},
      {"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes" + dimension +
           " [s], [tm, r1, {1, 1}, {0, 0}], [m]",
       "that of one dimension"},
      {"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [s], [x, {0, 0}], [m]",
       "has no boxes"},
      {"cp.async.bulk.tensor.2d.tile::gather4.shared::cluster.global.mbarrier::complete_tx::bytes [{s, e, f, h}], [x, "
       "{0, 0, 0, 0, 0}], [m]",
       "has no boxes"},
      {"cp.async.bulk.tensor.2d.tile::gather4.shared::cluster.global.mbarrier::complete_tx::bytes [{s, e}], [tm, {0, "
       "0, 0, 0, 0}], [m]",
       "has four rows"},
      {store + " [tm, {0}], [{s, e}]", "has one source"},
      {"cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [tm, {0, 3, 2, 1, 0}], [{s, e}]",
       "four rows"},
      {"multimem.st.relaxed.gpu.v2.f32 [{mm, x}], {r0, r1}", "is not a multimem address"},
      {"multimem.st.relaxed.gpu.v4.f32 [{mm, mm, mm, x}], {r0, r1, r2, r3}", "is not a multimem address"},
      {"multimem.st.relaxed.gpu.v8.e4m3 [{mm, mm, mm, mm, mm, mm, mm, x}], {r0, r1, r2, r3, r4, r5, r6, r7}",
       "is not a multimem address"},
      {"multimem.st.relaxed.gpu.v2.e5m2 [{mm, mm}], {r0, r1}", "16 bits in all"},
      {"multimem.st.relaxed.gpu.v2.e4m3 [{mm, mm}], {r0, r1}", "16 bits in all"},
      {"multimem.st.relaxed.gpu.e4m3x2 [mm], r0", "16 bits in all"},
      {"multimem.red.relaxed.gpu.add.f16 [mm], r0", "16 bits in all"},
      {"multimem.st.relaxed.gpu.v8.f32 [{mm, mm, mm, mm, mm, mm, mm, mm}], {r0, r1, r2, r3, r4, r5, r6, r7}",
       "256 bits in all"},
      {"multimem.st.relaxed.gpu.v8.e4m3x4 [{mm, mm, mm, mm, mm, mm, mm, mm}], {r0, r1, r2, r3, r4, r5, r6, r7}",
       "256 bits in all"},
      {"multimem.ld_reduce.add.acc::f32.v2.e4m3x2 {r0, r1}, [{mm, nn}]", ".acc::f32"},
      {"multimem.ld_reduce.add.acc::f16.v2.f16 {r0, r1}, [{mm, nn}]", ".acc::f16"},
      {"multimem.ld_reduce.add.acc::f16.v2.f16x2 {r0, r1}, [{mm, nn}]", ".acc::f16"},
      {"multimem.ld_reduce.add.acc::f16.v2.bf16x2 {r0, r1}, [{mm, nn}]", ".acc::f16"},
      {"multimem.ld_reduce.add.acc::f16.f32 r0, [mm]", ".acc::f16"},
      {"multimem.cp.async.bulk.global.shared::cta.bulk_group [mm], [s], 8", "is not a number of bytes"},
      {"multimem.cp.async.bulk.global.shared::cta.bulk_group [mm], [x], 16", "lies in global memory"},
      {"multimem.cp.async.bulk.global.shared::cta.bulk_group.cp_mask [mm], [s], 16, r0", "a part of a location"},
      {"multimem.cp.async.bulk.global.shared::cta.bulk_group.cp_mask [mm], [s], 16, 1", "a part of a location"},
      {"multimem.cp.async.bulk.relaxed.cta.global.shared::cta.bulk_group [mm], [s], 16", "together, or neither"},
      {"L:; multimem.red.relaxed.gpu.add.v2.f16x2 [{mm, nn}], {r0, r1}; beq r0, 0, L", "additions in loops"},
      {"L:; multimem.red.relaxed.gpu.add.v2.f16x2 [{mm, nn}], {r0, r1}; goto L", "additions in loops"},
      {"L:; red.relaxed.gpu.add z, 1; beq r0, 0, L; multimem.red.relaxed.gpu.add.v2.f16x2 [{mm, nn}], {r0, r1}",
       "additions in loops"},
  };
  for (const auto& r : rows)
    EXPECT_NE(refusal(r.instruction).find(r.part), std::string::npos)
        << r.instruction << ": " << refusal(r.instruction);
  // A loop in which it does not stand is no matter.
  EXPECT_EQ(refusal("multimem.red.relaxed.gpu.add.v2.f16x2 [{mm, nn}], {r0, r1}; L:; ld.weak r4, y; beq r4, 0, L"), "");
}

TEST(PtxEvents, ExamplesAreReadBackAsPrinted) {
  size_t n = 0;
  for (const auto& e : std::filesystem::directory_iterator(FENCEPOST_SOURCE_DIR "/examples/ptx9")) {
    if (e.path().extension() != ".litmus") continue;
    const auto t = read::parse_file(e.path().string());
    ASSERT_TRUE(t.has_value()) << e.path();
    expect_round_trip(t->front());
    ++n;
  }
  EXPECT_GT(n, 200u);
}

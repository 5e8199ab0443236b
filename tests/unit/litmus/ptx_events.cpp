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
    "n @ mbarrier P0;";

// Each line: the instructions of P0, then after a bar those of P1.
constexpr const char* k_programs[] = {
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
};

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
  return parse(fmt::format(
      "PTX t\n{{ {} }}\n P0@cta 0, cluster 0, gpu 0 | P1@cta 1, cluster 0, gpu 0 ;\n{}exists (x = 1)\n", k_init, rows));
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

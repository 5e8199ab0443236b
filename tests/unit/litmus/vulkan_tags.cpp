// Tags of every VULKAN instruction class, written out by hand.
#include "asm_support.h"

using namespace asm_test;
using prog::Kind;

namespace {

struct Row {
  const char* text;
  Kind kind;
  TagSet tags;
  TagSet store_tags = {};
  const char* canonical = nullptr;
};

const std::vector<Row>& rows() {
  using enum Tag;
  static const std::vector<Row> table = {
      {"ld.sc0 r0, x", Kind::load, {R, SC0}},
      {"ld.nonpriv.sc1 r0, x", Kind::load, {R, NONPRIV, SC1}},
      {"ld.vis.dv.sc2 r0, x", Kind::load, {R, NONPRIV, VIS, DV, SC2}},
      {"st.sc3 x, 1", Kind::store, {W, SC3}},
      {"st.nonpriv.sc0 x, 1", Kind::store, {W, NONPRIV, SC0}},
      {"st.av.wg.sc0 x, r1", Kind::store, {W, NONPRIV, AV, WG, SC0}},
      {"ld.atom.dv.sc0 r0, x", Kind::load, {R, ATOM, NONPRIV, VIS, DV, SC0}},
      {"ld.atom.acq.qf.sc0.semsc0.semsc1.semvis r0, x",
       Kind::load,
       {R, ATOM, NONPRIV, VIS, ACQ, QF, SC0, SEMSC0, SEMSC1, SEMVIS}},
      {"ld.sc0.atom.acquire.wg.semsc0 r0, x",
       Kind::load,
       {R, ATOM, NONPRIV, VIS, ACQ, WG, SC0, SEMSC0},
       {},
       "ld.atom.acq.wg.sc0.semsc0"},
      {"st.atom.sg.sc0 x, 1", Kind::store, {W, ATOM, NONPRIV, AV, SG, SC0}},
      {"st.atom.rel.dv.sc1.semsc2.semsc3.semav x, 1",
       Kind::store,
       {W, ATOM, NONPRIV, AV, REL, DV, SC1, SEMSC2, SEMSC3, SEMAV}},
      {"rmw.atom.wg.sc0 r0, x, 1",
       Kind::rmw,
       {R, RMW, ATOM, NONPRIV, VIS, WG, SC0},
       {W, RMW, ATOM, NONPRIV, AV, WG, SC0}},
      {"rmw.atom.acq.wg.sc0.semsc0.semvis.add r0, x, 1",
       Kind::rmw,
       {R, RMW, ATOM, NONPRIV, VIS, ACQ, WG, SC0, SEMSC0, SEMVIS},
       {W, RMW, ATOM, NONPRIV, AV, WG, SC0}},
      {"rmw.atom.rel.wg.sc0.semsc1.semav r0, x, 1",
       Kind::rmw,
       {R, RMW, ATOM, NONPRIV, VIS, WG, SC0},
       {W, RMW, ATOM, NONPRIV, AV, REL, WG, SC0, SEMSC1, SEMAV}},
      {"rmw.atom.acq_rel.dv.sc0.semsc0.semav.semvis r0, x, 1",
       Kind::rmw,
       {R, RMW, ATOM, NONPRIV, VIS, ACQ, DV, SC0, SEMSC0, SEMVIS},
       {W, RMW, ATOM, NONPRIV, AV, REL, DV, SC0, SEMSC0, SEMAV}},
      {"membar.acq.wg.semsc0.semvis", Kind::fence, {F, ACQ, WG, SEMSC0, SEMVIS}},
      {"membar.rel.dv.semsc0.semsc1.semav", Kind::fence, {F, REL, DV, SEMSC0, SEMSC1, SEMAV}},
      {"membar.acq_rel.sg.semsc0", Kind::fence, {F, ACQ, REL, SG, SEMSC0}},
      {"cbar.wg 0", Kind::barrier, {CBAR, B, WG}},
      {"cbar.acq_rel.dv.semsc0.semav.semvis 0", Kind::barrier, {F, CBAR, B, ACQ, REL, DV, SEMSC0, SEMAV, SEMVIS}},
      {"avdevice", Kind::fence, {AVDEVICE}},
      {"visdevice", Kind::fence, {VISDEVICE}},
      {"ld.sc0 r3, 1", Kind::local, {}, {}, "ld"},  // the paper's move
      {"ld r3, 1", Kind::local, {}},
      {"xor r0, r1, 2", Kind::local, {}},
  };
  return table;
}

TEST(VulkanTags, EveryInstructionClass) {
  for (const Row& row : rows()) {
    const prog::Test t = vulkan_of(row.text);
    ASSERT_EQ(t.instrs(0).size(), 1u) << row.text;
    const prog::Instr& i = first(t);
    EXPECT_EQ(i.kind, row.kind) << row.text;
    EXPECT_EQ(to_string(i.tags), to_string(row.tags)) << row.text;
    EXPECT_EQ(to_string(i.store_tags), to_string(row.store_tags)) << row.text;
    const std::string text = row.text;
    EXPECT_EQ(i.mnemonic, row.canonical != nullptr ? row.canonical : text.substr(0, text.find(' '))) << row.text;
    expect_round_trip(t);
  }
}

TEST(VulkanTags, ExchangeAndOperation) {
  const auto stored = [](const prog::Test& t, uint64_t old) {
    return term::eval(first(t).value, [&](uint64_t) { return std::optional<uint64_t>(old); }).value_or(~uint64_t{0});
  };
  EXPECT_EQ(stored(vulkan_of("rmw.atom.wg.sc0 r0, x, 5"), 3), 5u);
  EXPECT_EQ(stored(vulkan_of("rmw.atom.wg.sc0.add r0, x, 5"), 3), 8u);
}

TEST(VulkanTags, BarriersWaitForTheWorkgroupWhateverTheirScope) {
  for (const char* text : {"cbar.sg 0", "cbar.wg 0", "cbar.acq_rel.dv.semsc0 0, r1, 2"})
    EXPECT_EQ(first(vulkan_of(text)).barrier.level, *vocab::level_of(prog::Dialect::vulkan, "wg")) << text;
}

}  // namespace

// Tags of every PTX instruction class, written out by hand.
#include "asm_support.h"

using namespace asm_test;
using prog::Kind;

namespace {

struct Row {
  const char* text;
  Kind kind;
  TagSet tags;
  TagSet store_tags = {};
  const char* canonical = nullptr;  // mnemonic, if not the text's own
};

const std::vector<Row>& rows() {
  using enum Tag;
  static const std::vector<Row> table = {
      {"ld.weak r0, x", Kind::load, {R, WEAK, GEN}},
      {"ld.relaxed.cta r0, x", Kind::load, {R, RLX, CTA, GEN}},
      {"ld.acquire.sys r0, x", Kind::load, {R, ACQ, SYS, GEN}},
      {"ld.acq.gpu r0, x", Kind::load, {R, ACQ, GPU, GEN}, {}, "ld.acquire.gpu"},
      {"ld.rlx.gpu r0, x", Kind::load, {R, RLX, GPU, GEN}, {}, "ld.relaxed.gpu"},
      {"ld.gpu.acquire r0, x", Kind::load, {R, ACQ, GPU, GEN}, {}, "ld.acquire.gpu"},
      {"ld.volatile r0, x", Kind::load, {R, RLX, SYS, GEN}},
      {"tld.weak r0, x", Kind::load, {R, WEAK, TEX}},
      {"suld.relaxed.gpu r0, x", Kind::load, {R, RLX, GPU, SUR}},
      {"cold.weak r0, x", Kind::load, {R, WEAK, CON}},
      {"st.weak x, 1", Kind::store, {W, WEAK, GEN}},
      {"st.relaxed.gpu x, r3", Kind::store, {W, RLX, GPU, GEN}},
      {"st.release.cta x, 1", Kind::store, {W, REL, CTA, GEN}},
      {"st.rel.sys x, 1", Kind::store, {W, REL, SYS, GEN}, {}, "st.release.sys"},
      {"sust.weak x, 1", Kind::store, {W, WEAK, SUR}},
      {"atom.relaxed.gpu.add r0, x, 1", Kind::rmw, {R, RMW, RLX, GPU, GEN}, {W, RMW, RLX, GPU, GEN}},
      {"atom.acquire.cta.exch r0, x, 1", Kind::rmw, {R, RMW, ACQ, CTA, GEN}, {W, RMW, RLX, CTA, GEN}},
      {"atom.release.sys.cas r0, x, 0, 1", Kind::rmw, {R, RMW, RLX, SYS, GEN}, {W, RMW, REL, SYS, GEN}},
      {"atom.acq_rel.gpu.xor r0, x, 1", Kind::rmw, {R, RMW, ACQ, GPU, GEN}, {W, RMW, REL, GPU, GEN}},
      {"atom.add.acq_rel.gpu r0, x, 1", Kind::rmw, {R, RMW, ACQ, GPU, GEN}, {W, RMW, REL, GPU, GEN}, "atom.acq_rel.gpu.add"},
      {"suatom.relaxed.gpu.or r0, x, 1", Kind::rmw, {R, RMW, RLX, GPU, SUR}, {W, RMW, RLX, GPU, SUR}},
      {"red.release.gpu.and x, 1", Kind::rmw, {R, RMW, RLX, GPU, GEN}, {W, RMW, REL, GPU, GEN}},
      {"sured.relaxed.cta.sub x, 1", Kind::rmw, {R, RMW, RLX, CTA, SUR}, {W, RMW, RLX, CTA, SUR}},
      {"fence.acq_rel.gpu", Kind::fence, {F, ACQ_REL, GPU, GEN}},
      {"fence.sc.cta", Kind::fence, {F, SC, CTA, GEN}},
      {"fence.proxy.generic", Kind::fence, {F, GEN}},
      {"fence.proxy.texture", Kind::fence, {F, TEX}},
      {"fence.proxy.surface", Kind::fence, {F, SUR}},
      {"fence.proxy.constant", Kind::fence, {F, CON}},
      {"fence.proxy.alias", Kind::fence, {F, ALIAS}},
      {"bar.cta.sync 0", Kind::barrier, {F, B}},
      {"bar.cta.arrive 1, r0, 2", Kind::barrier, {F, B}},
      {"ld r0, 5", Kind::local, {}},
      {"add r0, r1, 2", Kind::local, {}},
  };
  return table;
}

TEST(PtxTags, EveryInstructionClass) {
  for (const Row& row : rows()) {
    const prog::Test t = ptx_of(row.text);
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

// Value that the write of an rmw stores, given what it read and its registers.
uint64_t stored(const prog::Instr& i, uint64_t old, uint64_t reg = 0) {
  const auto v = term::eval(i.value, [&](uint64_t n) { return std::optional<uint64_t>(n == prog::k_old_value ? old : reg); });
  return v.value_or(~uint64_t{0});
}

TEST(PtxTags, ReadModifyWriteValues) {
  EXPECT_EQ(stored(first(ptx_of("atom.relaxed.gpu.add r0, x, 3")), 4), 7u);
  EXPECT_EQ(stored(first(ptx_of("atom.relaxed.gpu.sub r0, x, 3")), 4), 1u);
  EXPECT_EQ(stored(first(ptx_of("atom.relaxed.gpu.exch r0, x, 3")), 4), 3u);
  EXPECT_EQ(stored(first(ptx_of("atom.relaxed.gpu.add r0, x, r1")), 4, 10), 14u);
  const prog::Test cas = ptx_of("atom.relaxed.gpu.cas r0, x, 0, 9");
  EXPECT_EQ(stored(first(cas), 0), 9u);
  EXPECT_EQ(stored(first(cas), 4), 4u);           // writes the old value back
  EXPECT_FALSE(static_cast<bool>(first(cas).guard));  // and always writes
  EXPECT_EQ(first(ptx_of("red.relaxed.gpu.add x, 1")).dst, prog::k_none);
}

TEST(PtxTags, Barriers) {
  const prog::Instr named = first(ptx_of("bar.cta.arrive 1, r0, 2"));
  EXPECT_EQ(named.barrier.instance, "1");
  EXPECT_TRUE(named.barrier.arrive);
  EXPECT_TRUE(named.barrier.id.is_var());
  EXPECT_TRUE(named.barrier.quorum.is_const(2));
  EXPECT_EQ(named.barrier.level, *vocab::level_of(prog::Dialect::ptx, "cta"));
  const prog::Instr plain = first(ptx_of("bar.cta.sync 00"));
  EXPECT_EQ(plain.barrier.instance, "00");  // text, not a number
  EXPECT_FALSE(static_cast<bool>(plain.barrier.id));
  const prog::Instr paper = first(ptx_of("bar.cta.sync r2"));  // the paper's spelling: instance 0, id in r2
  EXPECT_EQ(paper.barrier.instance, "0");
  EXPECT_TRUE(paper.barrier.id.is_var());
  EXPECT_EQ(first(ptx_of("bar.sync 3")), first(ptx_of("barrier.cta.sync 3")));
}

}  // namespace

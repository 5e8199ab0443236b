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
      {"atom.add.acq_rel.gpu r0, x, 1",
       Kind::rmw,
       {R, RMW, ACQ, GPU, GEN},
       {W, RMW, REL, GPU, GEN},
       "atom.acq_rel.gpu.add"},
      {"suatom.relaxed.gpu.or r0, x, 1", Kind::rmw, {R, RMW, RLX, GPU, SUR}, {W, RMW, RLX, GPU, SUR}},
      {"red.release.gpu.and x, 1", Kind::rmw, {R, RMW, RLX, GPU, GEN, Tag::RED}, {W, RMW, REL, GPU, GEN}},
      {"sured.relaxed.cta.sub x, 1", Kind::rmw, {R, RMW, RLX, CTA, SUR, Tag::RED}, {W, RMW, RLX, CTA, SUR}},
      {"fence.acq_rel.gpu", Kind::fence, {F, ACQ_REL, GPU, GEN}},
      {"fence.sc.cta", Kind::fence, {F, SC, CTA, GEN}},
      {"fence.cluster", Kind::fence, {F, ACQ_REL, CLUSTER, GEN}, {}, "fence.acq_rel.cluster"},
      {"membar.cta", Kind::fence, {F, SC, CTA, GEN}, {}, "fence.sc.cta"},
      {"membar.gl", Kind::fence, {F, SC, GPU, GEN}, {}, "fence.sc.gpu"},
      {"membar.sys", Kind::fence, {F, SC, SYS, GEN}, {}, "fence.sc.sys"},
      {"membar.proxy.alias", Kind::fence, {F, ALIAS}, {}, "fence.proxy.alias"},
      {"membar.proxy.async.global", Kind::fence, {F, ASYNC, GLOBAL}, {}, "fence.proxy.async.global"},
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
  const auto v =
      term::eval(i.value, [&](uint64_t n) { return std::optional<uint64_t>(n == prog::k_old_value ? old : reg); });
  return v.value_or(~uint64_t{0});
}

TEST(PtxTags, ReadModifyWriteValues) {
  EXPECT_EQ(stored(first(ptx_of("atom.relaxed.gpu.add r0, x, 3")), 4), 7u);
  EXPECT_EQ(stored(first(ptx_of("atom.relaxed.gpu.sub r0, x, 3")), 4), 1u);
  EXPECT_EQ(stored(first(ptx_of("atom.relaxed.gpu.exch r0, x, 3")), 4), 3u);
  EXPECT_EQ(stored(first(ptx_of("atom.relaxed.gpu.add r0, x, r1")), 4, 10), 14u);
  const prog::Test cas = ptx_of("atom.relaxed.gpu.cas r0, x, 0, 9");
  EXPECT_EQ(stored(first(cas), 0), 9u);
  EXPECT_EQ(stored(first(cas), 4), 4u);               // writes the old value back
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
  EXPECT_EQ(plain.barrier.instance, "0");  // a number, not a text
  EXPECT_EQ(first(ptx_of("bar.cta.sync 0x0")), first(ptx_of("bar.cta.sync 0")));
  EXPECT_FALSE(static_cast<bool>(plain.barrier.id));
  EXPECT_EQ(first(ptx_of("bar.sync 3")), first(ptx_of("barrier.cta.sync 3")));
}

const prog::Barrier& barrier_of(const prog::Test& t, uint32_t thread) {
  for (const prog::Instr& i : t.instrs(thread))
    if (i.kind == prog::Kind::barrier) return i.barrier;
  ADD_FAILURE() << "no barrier";
  return t.instrs(thread).front().barrier;
}

// A name whose value can be read off the code is that value, and prints as it was written.
TEST(PtxTags, BarriersNamedByARegister) {
  for (const char* code : {"bar.cta.sync r2 ;\n", "ld r2, 5 ;\n bar.cta.sync r2 ;\n",
                           "ld r1, 2 ;\n add r2, r1, 3 ;\n bar.cta.sync r2 ;\n"}) {
    const prog::Test t = parse(std::string("PTX t\n{ x=0; P0:r2=5; }\n P0@cta 0,gpu 0 ;\n ") + code);
    EXPECT_EQ(barrier_of(t, 0).instance, "5") << code;
    EXPECT_FALSE(static_cast<bool>(barrier_of(t, 0).id)) << code;
    EXPECT_NE(expect_round_trip(t).find("bar.cta.sync r2"), std::string::npos) << code;
  }
  // What is read, or set behind a label, is compared when it has its value; then constants are names by value as well.
  for (const char* code : {"ld.weak r2, x ;\n bar.cta.sync r2 ;\n", "LC00: ;\n ld r2, 5 ;\n bar.cta.sync r2 ;\n",
                           "ld r2, 5 ;\n ld r2, 6 ;\n bar.cta.sync r2 ;\n"}) {
    const prog::Test t = parse(std::string("PTX t\n{ x=0; }\n P0@cta 0,gpu 0 ;\n ") + code + " bar.cta.sync 0x1 ;\n");
    EXPECT_TRUE(barrier_of(t, 0).by_value()) << code;
    EXPECT_TRUE(t.instrs(0).back().barrier.by_value()) << code;
    EXPECT_TRUE(t.instrs(0).back().barrier.id.is_const(1)) << code;
    expect_round_trip(t);
  }
  // One register can be read off the code, the other cannot: both print as they were written.
  const prog::Test mixed = parse(
      "PTX t\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n ld r2, 1 | ld.weak r3, x ;\n bar.cta.sync r2 | "
      "bar.cta.sync r3 ;\n");
  EXPECT_NE(expect_round_trip(mixed).find("bar.cta.sync r2 "), std::string::npos);
}

// In the ISA's spelling the second operand is a number of threads; a thread of a test stands for its warp.
TEST(PtxTags, BarriersWithANumberOfThreads) {
  // P2 does not take part, and would hold the others up if the number were left out.
  const std::string printed =
      expect_round_trip(parse("PTX t\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 | P2@cta 0,gpu 0 ;\n bar.sync 0, 64 | "
                              "bar.sync 0, 64 | st.weak x, 1 ;\n"));
  EXPECT_NE(printed.find("bar.cta.sync 0, 64"), std::string::npos) << printed;
  const auto two = [](const std::string& a, const std::string& b) {
    return read::parse_one(
        make_source("t.litmus", "PTX t\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n " + a + " | " + b + " ;\n"));
  };
  for (const char* one : {"bar.sync 0, 64", "barrier.sync 0, 64", "barrier.cta.sync 0, 64", "bar.cta.sync 0, 64"}) {
    const auto t = two(one, one);
    ASSERT_TRUE(t) << one << render(t.error());
    EXPECT_FALSE(static_cast<bool>(barrier_of(*t, 0).id)) << one;
    EXPECT_FALSE(static_cast<bool>(barrier_of(*t, 0).quorum)) << one;
  }
  const struct {
    const char *a, *b;
    Fault fault;
    const char* message;
  } bad[] = {
      {"bar.cta.sync 0", "bar.cta.sync 0, 64", Fault::unsupported, "no number of threads here and with 64"},
      {"bar.sync 0, 64", "bar.sync 0, 96", Fault::unsupported, "two numbers of threads, 64 and 96"},
      {"bar.sync 0, 128", "bar.sync 0, 128", Fault::unsupported, "a barrier for 128 threads, where 2 of cta 0"},
      {"bar.sync 0, 32", "bar.sync 0, 32", Fault::unsupported, "a barrier for 32 threads, where 2 of cta 0"},
      {"bar.sync 0, r1", "bar.sync 0, 64", Fault::unsupported, "a number of threads in a register"},
      {"bar.sync 0, 2", "bar.sync 0, 2", Fault::bad_input, "2 threads are not whole warps"},
      {"bar.sync 0, 1, 2", "bar.sync 0, 1, 2", Fault::bad_input, "written bar.cta.sync"},
      {"bar.cta.sync 0, 2", "bar.cta.sync 0", Fault::unsupported, "one operand here and two elsewhere"},
      {"bar.cta.sync r1, 2", "bar.cta.sync 0", Fault::unsupported, "an id beside a barrier that a register names"},
  };
  for (const auto& b : bad) {
    const auto t = two(b.a, b.b);
    ASSERT_FALSE(t) << b.a << " | " << b.b;
    EXPECT_EQ(t.error().list.front().fault, b.fault) << b.a;
    EXPECT_NE(t.error().list.front().message.find(b.message), std::string::npos) << render(t.error());
    EXPECT_FALSE(t.error().list.front().hint.empty());
  }
}

}  // namespace

// What GPU_PTX tests become: tags, widths, addresses, scope trees, regions.
#include "asm_support.h"
#include "prog/places.h"
#include "prog/syntax.h"

using namespace asm_test;
using prog::Instr;
using prog::Kind;

namespace {

const char* const k_tree = "ScopeTree (device (cta (warp T0)) (cta (warp T1)))\n";

prog::Test gpu(const std::string& cell, const std::string& after = k_tree) {
  return parse(
      "GPU_PTX t\n{ x = 0; y = 0; 0:.reg .s32 r0; 0:.reg .u32 u0; 0:.reg .b64 a = x; 0:.reg .b64 b = y; 0:.reg .u64 d; "
      "0:.reg .pred p; 0:.reg .pred q; }\n"
      " T0 | T1 ;\n " +
      cell + " | ;\n" + after);
}

TagSet tags(const std::string& cell) { return gpu(cell).instrs(0).front().tags; }

TEST(GpuPtxTags, LoadsAndStores) {
  EXPECT_EQ(tags("ld.cg.s32 r0, [a]"), (TagSet{Tag::WEAK, Tag::GEN, Tag::CG}));
  EXPECT_EQ(tags("ld.ca.s32 r0, [a]"), (TagSet{Tag::WEAK, Tag::GEN, Tag::CA}));
  EXPECT_EQ(tags("ld.cv.s32 r0, [a]"), (TagSet{Tag::WEAK, Tag::GEN, Tag::CV}));
  EXPECT_EQ(tags("ld.s32 r0, [x]"), (TagSet{Tag::WEAK, Tag::GEN, Tag::CA}));
  EXPECT_EQ(tags("st.cg.s32 [a], 1"), (TagSet{Tag::WEAK, Tag::GEN, Tag::CG}));
  EXPECT_EQ(tags("st.wt.s32 [a], 1"), (TagSet{Tag::WEAK, Tag::GEN, Tag::WT}));
  EXPECT_EQ(tags("st [a], 1"), (TagSet{Tag::WEAK, Tag::GEN, Tag::WB}));
  EXPECT_EQ(tags("ld.volatile.s32 r0, [a]"), (TagSet{Tag::RLX, Tag::SYS, Tag::GEN, Tag::VOLATILE}));
  EXPECT_EQ(tags("st.volatile.global.s32 [a], r0"), (TagSet{Tag::RLX, Tag::SYS, Tag::GEN, Tag::VOLATILE}));
}

TEST(GpuPtxTags, FencesAndAtomics) {
  EXPECT_EQ(tags("membar.cta"), (TagSet{Tag::F, Tag::SC, Tag::CTA, Tag::GEN}));
  EXPECT_EQ(tags("membar.gl"), (TagSet{Tag::F, Tag::SC, Tag::GPU, Tag::GEN}));
  EXPECT_EQ(tags("membar.sys"), (TagSet{Tag::F, Tag::SC, Tag::SYS, Tag::GEN}));
  const Instr i = gpu("atom.add.s32 r0, [a], 1").instrs(0).front();
  EXPECT_EQ(i.kind, Kind::rmw);
  EXPECT_EQ(i.tags, (TagSet{Tag::RLX, Tag::GPU, Tag::GEN}));
  EXPECT_EQ(i.store_tags, (TagSet{Tag::RLX, Tag::GPU, Tag::GEN}));
  EXPECT_EQ(gpu("red.add.s32 [a], 1").instrs(0).front().dst, prog::k_none);
}

TEST(GpuPtxAtomics, NewValues) {
  const auto after = [](const std::string& operation, uint32_t old) {
    const Instr i = gpu("atom." + operation).instrs(0).front();
    EXPECT_FALSE(i.guard) << operation;  // always writes
    return static_cast<uint32_t>(*term::eval(i.value, [&](uint64_t) { return std::optional<uint64_t>(old); }));
  };
  EXPECT_EQ(after("cas.b32 r0, [a], 5, 9", 5), 9u);
  EXPECT_EQ(after("cas.b32 r0, [a], 5, 9", 6), 6u);
  EXPECT_EQ(after("exch.b32 r0, [a], 3", 6), 3u);
  EXPECT_EQ(after("add.s32 r0, [a], -1", 6), 5u);
  EXPECT_EQ(after("inc.u32 u0, [a], 3", 2), 3u);
  EXPECT_EQ(after("inc.u32 u0, [a], 3", 3), 0u);
  EXPECT_EQ(after("dec.u32 u0, [a], 3", 2), 1u);
  EXPECT_EQ(after("dec.u32 u0, [a], 3", 0), 3u);
  EXPECT_EQ(after("dec.u32 u0, [a], 3", 9), 3u);
  EXPECT_EQ(after("and.b32 r0, [a], 6", 3), 2u);
  EXPECT_EQ(after("or.b32 r0, [a], 6", 3), 7u);
  EXPECT_EQ(after("xor.b32 r0, [a], 6", 3), 5u);
  EXPECT_EQ(after("min.s32 r0, [a], -2", 3), 0xfffffffeu);
  EXPECT_EQ(after("min.u32 u0, [a], 4294967294", 3), 3u);
  EXPECT_EQ(after("max.s32 r0, [a], -2", 3), 3u);
  EXPECT_EQ(after("max.u32 u0, [a], 4294967294", 3), 0xfffffffeu);
}

TEST(GpuPtxArithmetic, TypesDecide) {
  const auto result = [](const std::string& cell, uint64_t v) {
    const Instr i = gpu(cell).instrs(0).front();
    return *term::eval(i.value, [&](uint64_t) { return std::optional<uint64_t>(v); });
  };
  EXPECT_EQ(result("setp.lt.s32 p, r0, 0", 0xffffffff), 1u);
  EXPECT_EQ(result("setp.lt.u32 p, u0, 1", 0xffffffff), 0u);
  EXPECT_EQ(result("setp.eq p, r0, 7", 7), 1u);
  EXPECT_EQ(result("shr.s32 r0, r0, 4", 0x80000000), 0xf8000000u);
  EXPECT_EQ(result("shr.u32 u0, u0, 4", 0x80000000), 0x08000000u);
  EXPECT_EQ(result("cvt.u64.u32 d, u0", 0x80000000), 0x80000000u);
  EXPECT_EQ(result("cvt.u64.s32 d, r0", 0x80000000), 0xffffffff80000000u);
  EXPECT_EQ(result("cvt.s32.u64 r0, d", 0x100000007), 7u);
  EXPECT_EQ(result("and.b32 r0, r0, 0x80000000", 0x80000001), 0x80000000u);
  EXPECT_EQ(result("not.pred p, q", 1), 0u);
  EXPECT_EQ(result("and.pred p, q, q", 1), 1u);
  EXPECT_EQ(result("mov.u64 d, y", 0), prog::address_of(1));
  EXPECT_EQ(gpu("setp.eq.s32 p, r0, 0").code(0).registers[5].width, 1);
}

TEST(GpuPtxPredicates, GuardAnyInstruction) {
  const Instr a = gpu("@p membar.gl").instrs(0).front();
  EXPECT_EQ(a.predicate, 5u);
  EXPECT_FALSE(a.predicate_negated);
  const Instr b = gpu("@!p st.cg.s32 [a], 1").instrs(0).front();
  EXPECT_TRUE(b.predicate_negated);
  const prog::Test t = gpu("L: @p bra L");
  EXPECT_EQ(t.instrs(0)[1].kind, Kind::jump);
  EXPECT_EQ(t.instrs(0)[1].predicate, 5u);
  EXPECT_EQ(t.code(0).labels[0].at, 0u);
}

TEST(GpuPtxAddresses, KnownUnlessTheRegisterIsWritten) {
  EXPECT_EQ(gpu("ld.s32 r0, [b]").instrs(0).front().addr.symbol, 1u);
  const prog::Test checked = parse(
      "GPU_PTX t\n{ x = 0; 0:.reg .s32 r0; 0:.reg .b64 a = x; 0:.reg .u64 d; }\n T0 ;\n add.u64 a, a, d ;\n ld.s32 r0, "
      "[a] ;\nScopeTree (cta (warp T0))");
  EXPECT_TRUE(prog::has_place_checks(checked));
  const prog::Test t = prog::without_place_checks(checked);
  EXPECT_EQ(t.instrs(0)[1].addr.symbol, prog::k_none);
  EXPECT_TRUE(t.instrs(0)[1].addr.index.is_var());
  EXPECT_EQ(t.threads[0].init.front().address, 0u);
}

TEST(GpuPtxScopes, TreesAndTheirSpellings) {
  const auto paths = [](const std::string& tree, const std::string& threads) {
    const prog::Test t = parse("GPU_PTX t\n{ }\n " + threads + " ;\n" + tree + "\n");
    std::vector<prog::ScopePath> out;
    for (const auto& x : t.threads) out.push_back(x.scope);
    expect_round_trip(t);
    return out;
  };
  using P = std::vector<prog::ScopePath>;
  EXPECT_EQ(paths("ScopeTree (device (cta (warp T0) (warp T1)) (cta (warp T2)))", "T0 | T1 | T2"),
            (P{{0, 0, 0, 0}, {0, 0, 0, 1}, {0, 0, 1, 0}}));
  EXPECT_EQ(paths("ScopeTree(grid(cta(warp T0) (warp T1)))", "T0 | T1"), (P{{0, 0, 0, 0}, {0, 0, 0, 1}}));
  EXPECT_EQ(paths("scopeTree (device (kernel (cta (warp P0)) (cta (warp P1))))", "P0 | P1"),
            (P{{0, 0, 0, 0}, {0, 0, 1, 0}}));
  EXPECT_EQ(paths("ScopeTree (device (kernel (cta (warp T0))) (kernel (cta (warp T1))))", "T0 | T1"),
            (P{{0, 0, 0, 0}, {0, 0, 1, 0}}));
  EXPECT_EQ(paths("ScopeTree (system (device (cta T0)) (device (cta (warp T1))))", "T0 | T1"),
            (P{{0, 0, 0}, {0, 1, 0, 0}}));
  EXPECT_EQ(paths("ScopeTree (cta (warp T0 T1))", "T0 | T1"), (P{{0, 0, 0, 0}, {0, 0, 0, 0}}));
}

TEST(GpuPtxRegions, SharedIsATag) {
  const std::string head =
      "GPU_PTX t\n{ shared x = 1; y = 0; 0:.reg .s32 r0; 0:.reg .b64 a = x; 1:.reg .s32 r0; }\n T0 | T1 ;\n";
  const std::string tree = "ScopeTree (device (cta (warp T0) (warp T1)))\ny: global\n";
  const prog::Test t = parse(head + " ld.s32 r0, [a] | atom.add.s32 r0, [x], 1 ;\n st.s32 [y], r0 | ;\n" + tree);
  EXPECT_EQ(t.objects[0].tags, TagSet{Tag::SHARED});
  EXPECT_EQ(t.objects[1].tags, TagSet{});
  EXPECT_TRUE(t.instrs(0)[0].tags.has(Tag::SHARED));
  EXPECT_FALSE(t.instrs(0)[1].tags.has(Tag::SHARED));
  EXPECT_TRUE(t.instrs(1)[0].tags.has(Tag::SHARED));
  EXPECT_TRUE(t.instrs(1)[0].store_tags.has(Tag::SHARED));
  expect_round_trip(t);
}

TEST(GpuPtxWidths, LocationsAreAsWideAsTheirAccesses) {
  const prog::Test t = parse(
      "GPU_PTX t\n{ x = -1; y = 1; .s64 z = 5; 0:.reg .s64 l; 0:.reg .s32 r; }\n T0 ;\n ld.s64 l, [x] ;\n ld.s32 r, "
      "[y] ;\nScopeTree (cta (warp T0))");
  EXPECT_EQ(t.objects[0].width, 64);
  EXPECT_EQ(t.objects[0].init.front(), ~uint64_t{0});
  EXPECT_EQ(t.objects[1].width, 32);
  EXPECT_EQ(t.objects[2].width, 64);
  const auto bad = read::parse(make_source("t.litmus",
                                           "GPU_PTX t\n{ x = 0; 0:.reg .s64 l; 0:.reg .s32 r; }\n T0 ;\n ld.s64 l, "
                                           "[x] ;\n ld.s32 r, [x] ;\nScopeTree (cta (warp T0))"));
  ASSERT_FALSE(bad.has_value());
  EXPECT_EQ(bad.error().list.front().fault, Fault::unsupported);
  EXPECT_EQ(bad.error().list.front().span.position().line, 5u);
}

// Figure 12 of the ASPLOS 2015 paper, laid out as there.
TEST(GpuPtxFormat, Figure12) {
  const prog::Test t = parse(
      "GPU_PTX SB\n{0:.reg .s32 r0;\n0:.reg .s32 r2;\n0:.reg .b64 r1 = x;\n0:.reg .b64 r3 = y;\n1:.reg .s32 "
      "r0;\n1:.reg .s32 r2;\n1:.reg .b64 r1 = y;\n1:.reg .b64 r3 = x;}\n"
      "T0 | T1 ;\nmov.s32 r0,1 | mov.s32 r0,1 ;\nst.cg.s32 [r1],r0 | st.cg.s32 [r1],r0 ;\nld.cg.s32 r2,[r3] | "
      "ld.cg.s32 r2,[r3] ;\n"
      "ScopeTree(grid(cta(warp T0) (warp T1)))\nx: shared, y: global\nexists (0:r2=0 /\\ 1:r2=0)\n");
  EXPECT_EQ(t.dialect, vocab::Dialect::ptx);
  EXPECT_EQ(t.syntax, prog::Syntax::gpu_ptx);
  EXPECT_EQ(t.instrs(0)[1].addr.symbol, 0u);
  EXPECT_EQ(t.instrs(1)[1].addr.symbol, 1u);
  EXPECT_TRUE(t.instrs(0)[1].tags.has(Tag::SHARED));
  EXPECT_FALSE(t.instrs(1)[1].tags.has(Tag::SHARED));
  EXPECT_EQ(prog::event_count(t), 4u);
  expect_round_trip(t);
}

TEST(GpuPtxFormat, ConditionsMayNameThreadsAsTheTableDoes) {
  const prog::Test a = gpu("ld.s32 r0, [x]", std::string(k_tree) + "exists (T0:r0 = 1)");
  const prog::Test b = gpu("ld.s32 r0, [x]", std::string(k_tree) + "exists (0:r0 = 1)");
  EXPECT_EQ(a, b);
}

}  // namespace

// Memory, fences, barriers and what is refused.
#include <algorithm>
#include <set>

#include "ptxmod_support.h"

namespace {

using namespace ptxmod_test;
using vocab::Tag;
using vocab::TagSet;

const prog::Instr* find(const prog::Test& t, const std::string& mnemonic, uint32_t thread = 0) {
  for (const prog::Instr& i : t.instrs(thread))
    if (i.mnemonic == mnemonic) return &i;
  return nullptr;
}

TEST(PtxmodMemory, TagsOfEachForm) {
  const struct {
    const char *text, *mnemonic;
    TagSet tags;
  } forms[] = {
      {"ld.global.u32 %r3, [%rd4];", "ld.weak", {Tag::R, Tag::GEN, Tag::WEAK}},
      {"ld.weak.u32 %r3, [%rd4];", "ld.weak", {Tag::R, Tag::GEN, Tag::WEAK}},
      {"ld.relaxed.gpu.global.u32 %r3, [%rd4];", "ld.relaxed.gpu", {Tag::R, Tag::GEN, Tag::RLX, Tag::GPU}},
      {"ld.global.acquire.sys.u32 %r3, [%rd4];", "ld.acquire.sys", {Tag::R, Tag::GEN, Tag::ACQ, Tag::SYS}},
      {"ld.volatile.global.u32 %r3, [%rd4];", "ld.volatile", {Tag::R, Tag::GEN, Tag::RLX, Tag::SYS}},
      {"ld.global.L1::no_allocate.L2::128B.u32 %r3, [%rd4];", "ld.weak", {Tag::R, Tag::GEN, Tag::WEAK}},
      {"st.global.cs.u32 [%rd4], 1;", "st.weak", {Tag::W, Tag::GEN, Tag::WEAK}},
      {"st.release.cta.u32 [%rd4], 1;", "st.release.cta", {Tag::W, Tag::GEN, Tag::REL, Tag::CTA}},
      {"st.relaxed.cluster.global.u32 [%rd4], 1;", "st.relaxed.cluster", {Tag::W, Tag::GEN, Tag::RLX, Tag::CLUSTER}},
      {"membar.gl;", "fence.sc.gpu", {Tag::F, Tag::GEN, Tag::SC, Tag::GPU}},
      {"membar.cta;", "fence.sc.cta", {Tag::F, Tag::GEN, Tag::SC, Tag::CTA}},
      {"fence.acq_rel.sys;", "fence.acq_rel.sys", {Tag::F, Tag::GEN, Tag::ACQ_REL, Tag::SYS}},
      {"fence.sc.cluster;", "fence.sc.cluster", {Tag::F, Tag::GEN, Tag::SC, Tag::CLUSTER}},
      {"fence.acquire.gpu;", "fence.acquire.gpu", {Tag::F, Tag::GEN, Tag::ACQ, Tag::GPU}},
      {"fence.release.cta;", "fence.release.cta", {Tag::F, Tag::GEN, Tag::REL, Tag::CTA}},
      {"fence.proxy.alias;", "fence.proxy.alias", {Tag::F, Tag::ALIAS}},
  };
  for (const auto& f : forms) {
    const prog::Test t = module_of(kernel("// @Config: 1,1,1\n", f.text));
    const prog::Instr* i = find(t, f.mnemonic);
    ASSERT_NE(i, nullptr) << f.text;
    EXPECT_TRUE(i->tags == f.tags) << f.text << " has " << vocab::to_string(i->tags);
  }
}

TEST(PtxmodMemory, TagsOfAtomicOperations) {
  const prog::Test t =
      module_of(kernel("// @Config: 1,1,1\n",
                       "atom.global.add.u32 %r3, [%rd4], 1;\natom.acq_rel.cta.global.cas.b32 %r4, [%rd4], "
                       "1, 2;\nred.release.sys.global.max.s32 [%rd4], 5;\n"));
  const prog::Instr *add = find(t, "atom.relaxed.gpu.add"), *cas = find(t, "atom.acq_rel.cta.cas"),
                    *red = find(t, "red.release.sys.max");
  ASSERT_TRUE(add != nullptr && cas != nullptr && red != nullptr);
  EXPECT_TRUE(add->tags == (TagSet{Tag::R, Tag::RMW, Tag::GEN, Tag::RLX, Tag::GPU}));
  EXPECT_TRUE(cas->tags == (TagSet{Tag::R, Tag::RMW, Tag::GEN, Tag::ACQ, Tag::CTA}));
  EXPECT_TRUE(cas->store_tags == (TagSet{Tag::W, Tag::RMW, Tag::GEN, Tag::REL, Tag::CTA}));
  EXPECT_TRUE(red->tags == (TagSet{Tag::R, Tag::RMW, Tag::GEN, Tag::RLX, Tag::SYS, Tag::RED}));
  EXPECT_TRUE(red->store_tags == (TagSet{Tag::W, Tag::RMW, Tag::GEN, Tag::REL, Tag::SYS}));
}

TEST(PtxmodMemory, AtomicArithmetic) {
  const auto result = [](const std::string& code, const std::string& question) {
    return ask(kernel("// @Config: 1,1,1\n// @Output: forall (" + question + ")\n", code));
  };
  EXPECT_EQ(result("st.global.u32 [%rd4], 3;\natom.global.inc.u32 %r3, [%rd4], 3;\natom.global.inc.u32 %r4, [%rd4], 3;",
                   "x[0] == 1"),
            Status::holds);
  EXPECT_EQ(result("atom.global.dec.u32 %r3, [%rd4], 7;", "x[0] == 7"), Status::holds);
  EXPECT_EQ(result("st.global.u32 [%rd4], 9;\natom.global.dec.u32 %r3, [%rd4], 7;", "x[0] == 7"), Status::holds);
  EXPECT_EQ(result("st.global.u32 [%rd4], 5;\natom.global.dec.u32 %r3, [%rd4], 7;", "x[0] == 4"), Status::holds);
  EXPECT_EQ(result("st.global.u32 [%rd4], -1;\nred.global.min.s32 [%rd4], 3;", "x[0] == -1"), Status::holds);
  EXPECT_EQ(result("st.global.u32 [%rd4], -1;\nred.global.min.u32 [%rd4], 3;", "x[0] == 3"), Status::holds);
  EXPECT_EQ(
      result(
          "atom.global.cas.b32 %r3, [%rd4], 0, 6;\natom.global.cas.b32 %r4, [%rd4], 0, 7;\nst.global.u32 [%rd6], %r4;",
          "x[0] == 6 and out[0] == 6"),
      Status::holds);
  EXPECT_EQ(result("atom.global.exch.b64 %rd7, [%rd4], 0x100000002;\nld.global.u64 %rd8, [%rd4];\nshr.u64 %rd8, %rd8, "
                   "32;\nst.global.u64 [%rd6], %rd8;",
                   "out[0] == 1"),
            Status::holds);
}

// What ptxas 13.5 takes of 11 types with each operation; min.b32 would be signed or not.
TEST(PtxmodMemory, TypesOfAtomicOperations) {
  const std::set<std::string> right = {"add.u32", "add.s32",  "add.u64",  "inc.u32", "dec.u32", "min.u32",
                                       "min.s32", "min.u64",  "min.s64",  "max.u32", "max.s32", "max.u64",
                                       "max.s64", "and.b32",  "and.b64",  "or.b32",  "or.b64",  "xor.b32",
                                       "xor.b64", "exch.b32", "exch.b64", "cas.b16", "cas.b32", "cas.b64"};
  for (const std::string operation : {"add", "inc", "dec", "min", "max", "and", "or", "xor", "exch", "cas"})
    for (const std::string type : {"b8", "u8", "b16", "u16", "s16", "b32", "u32", "s32", "b64", "u64", "s64"})
      for (const bool reduces : {false, true}) {
        const std::string r = type.ends_with("64")   ? "%rd"
                              : type.ends_with("32") ? "%r"
                                                     : "%h",
                          form = operation + "." + type;
        const std::string text =
            kernel("", (reduces ? "red.global." : "atom.global.") + form + (reduces ? " " : " " + r + "8, ") +
                           "[%rd4], " + r + "7" + (operation == "cas" ? ", " + r + "7;" : ";"));
        const auto t = ptxmod::parse_ptx_module(make_source("t.ptx", text), {});
        EXPECT_EQ(t.has_value(), right.contains(form) && !(reduces && (operation == "exch" || operation == "cas")))
            << reduces << " " << form << (t ? "" : render(t.error()));
      }
}

TEST(PtxmodMemory, VectorsAndMixedSizes) {
  // A store of four, read as bytes and as a long number, little end first.
  const std::string code =
      "st.global.v4.u32 [%rd4], {1, 2, 3, 0x01020304};\nld.global.u8 %r3, [%rd4+13];\nst.global.u32 [%rd6], %r3;\n"
      "ld.global.u64 %rd7, [%rd4];\nst.global.u64 [%rd6+8], %rd7;\nld.global.s8 %r4, [%rd4+4];\nst.global.u32 "
      "[%rd6+4], %r4;\n";
  const std::string header =
      "// @Config: 1,1,1\n// @Output: forall (out.s32[0] == 3 and out.s32[1] == 2 and out.s64[1] == 8589934593)\n";
  std::string text = kernel(header, code);
  text.erase(text.find("// @Input:"), text.find('\n', text.find("// @Input:")) + 1 - text.find("// @Input:"));
  EXPECT_EQ(ask(text), Status::holds);
  EXPECT_NE(
      refusal(kernel("// @Config: 1,1,1\n", "ld.relaxed.gpu.global.u64 %rd7, [%rd4];\nld.global.u32 %r3, [%rd4+4];"))
          .find("mixed sizes"),
      std::string::npos);
  EXPECT_NE(refusal(kernel("// @Config: 1,1,1\n", "ld.acquire.gpu.global.v2.u32 {%r3, %r4}, [%rd4];")).find("vector"),
            std::string::npos);
}

TEST(PtxmodMemory, StateSpaces) {
  const std::string outside =
      ".global .align 4 .u32 counter = 5;\n.const .align 4 .b8 table[16] = {1,0,0,0, 2,0,0,0, 3,0,0,0, "
      "4,0,0,0};\n.shared .align 4 .b8 tile[16];\n"
      ".func (.param .b32 r) twice(.param .b32 a)\n{\n.reg .b32 %q;\n.local .align 4 .b8 own[8];\nld.param.u32 %q, "
      "[a];\nst.local.u32 [own+4], %q;\nld.local.u32 %q, [own+4];\nadd.u32 %q, %q, %q;\nst.param.b32 [r], "
      "%q;\nret;\n}\n";
  const std::string code =
      "mov.u64 %rd7, table;\nadd.s64 %rd7, %rd7, 8;\nld.const.u32 %r3, [%rd7];\n"
      "{\n.param .b32 p0;\n.param .b32 back;\nst.param.b32 [p0], %r3;\ncall.uni (back), twice, (p0);\nld.param.b32 "
      "%r4, [back];\n}\n"
      "mov.u32 %r5, tile;\nst.shared.u32 [%r5+4], %r4;\nmov.u64 %rd8, tile;\ncvta.shared.u64 %rd8, %rd8;\nld.u32 %r6, "
      "[%rd8+4];\n"
      "ld.global.u32 %r7, [counter];\nadd.u32 %r6, %r6, %r7;\nst.global.u32 [%rd6], %r6;";
  EXPECT_EQ(ask(kernel("// @Config: 1,1,1\n// @Output: forall (out[0] == 11 and counter == 5)\n", code, outside)),
            Status::holds);
}

TEST(PtxmodMemory, OutsideOfAnObjectIsUndefined) {
  const std::string outside = ".global .align 4 .b8 a[8];\n";
  const auto flags = [&](const std::string& code) { return races(kernel("// @Config: 1,1,1\n", code, outside)); };
  EXPECT_EQ(flags("st.global.u32 [a+4], 1;"), Status::holds);
  EXPECT_EQ(flags("st.global.u32 [a+8], 1;"), Status::fails);
  EXPECT_EQ(flags("st.global.u32 [a+2], 1;"), Status::fails);
  const std::string computed =
      "ld.global.u32 %r3, [%rd4+4];\nmul.wide.u32 %rd7, %r3, 4;\nmov.u64 %rd8, a;\nadd.s64 %rd8, %rd8, "
      "%rd7;\nst.global.u32 [%rd8], 1;";
  EXPECT_EQ(flags(computed), Status::holds);
  EXPECT_EQ(flags("st.global.u32 [%rd4+4], 2;\n" + computed), Status::fails);
}

// An access through a state space is of an address of that space; vectors lie on multiples of their size.
TEST(PtxmodMemory, AnAddressOfAnotherSpaceIsUndefined) {
  const auto flags = [&](const std::string& code) {
    std::string text =
        kernel("// @Config: 1,1,1\n", code, ".shared .align 16 .b8 q[32];\n.global .align 16 .b8 g[32];\n");
    for (size_t at; (at = text.find("cvta.to.global.u64 %rd")) != std::string::npos;) text.replace(at, 18, "mov.u64");
    return races(text);
  };
  EXPECT_EQ(flags("mov.u64 %rd7, q;\nst.shared.u32 [%rd7], 5;"), Status::holds);
  EXPECT_EQ(flags("mov.u64 %rd7, q;\ncvta.shared.u64 %rd7, %rd7;\nst.u32 [%rd7], 5;"), Status::holds);
  EXPECT_EQ(flags("mov.u64 %rd7, q;\nst.u32 [%rd7], 5;"), Status::fails);
  // The mark is on the address, whatever else the kernel converts.
  EXPECT_EQ(flags("mov.u64 %rd7, q;\ncvta.shared.u64 %rd8, %rd7;\nst.u32 [%rd7], 5;"), Status::fails);
  EXPECT_EQ(flags("mov.u64 %rd7, q;\ncvta.shared.u64 %rd8, %rd7;\nst.u32 [%rd8+4], 5;"), Status::holds);
  EXPECT_EQ(flags("mov.u64 %rd7, q;\ncvta.shared.u64 %rd8, %rd7;\nst.shared.u32 [%rd8], 5;"), Status::fails);
  EXPECT_EQ(flags("mov.u64 %rd7, q;\ncvta.shared.u64 %rd8, %rd7;\ncvta.to.shared.u64 %rd8, %rd8;\nst.shared.u32 "
                  "[%rd8], 5;"),
            Status::holds);
  EXPECT_EQ(flags("mov.u64 %rd7, q;\ncvta.to.shared.u64 %rd8, %rd7;\nst.shared.u32 [%rd8], 5;"), Status::fails);
  EXPECT_EQ(flags("mov.u64 %rd7, q;\ncvta.global.u64 %rd8, %rd7;\nst.u32 [%rd8], 5;"), Status::fails);
  EXPECT_EQ(flags("cvta.shared.u64 %rd8, q;\nadd.s64 %rd8, %rd8, 8;\nst.u32 [%rd8], 5;"), Status::holds);
  // A way on which it is converted, and one on which it is not.
  EXPECT_EQ(flags("mov.u64 %rd7, q;\nld.global.u32 %r3, [g];\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 cvta.shared.u64 %rd7, "
                  "%rd7;\n@!%p1 bra E;\nst.u32 [%rd7], 5;\nE:"),
            Status::holds);
  EXPECT_EQ(flags("mov.u64 %rd7, q;\nld.global.u32 %r3, [g];\nsetp.eq.u32 %p1, %r3, 1;\n@%p1 cvta.shared.u64 %rd7, "
                  "%rd7;\nst.u32 [%rd7], 5;"),
            Status::fails);
  EXPECT_EQ(flags("mov.u64 %rd7, q;\nst.global.u32 [%rd7], 5;"), Status::fails);
  EXPECT_EQ(flags("mov.u64 %rd7, g;\nst.shared.u32 [%rd7], 5;"), Status::fails);
  EXPECT_EQ(flags("mov.u64 %rd7, g;\nst.u32 [%rd7], 5;"), Status::holds);
  EXPECT_EQ(flags("st.global.v2.u32 [g+8], {1, 2};"), Status::holds);
  EXPECT_EQ(flags("st.global.v2.u32 [g+4], {1, 2};"), Status::fails);
  EXPECT_EQ(flags("ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [q+8];"), Status::fails);
}

TEST(PtxmodMemory, WhatAnotherModuleInitialisesIsAnyValue) {
  for (const char* space : {"global", "const"}) {
    const std::string own = std::string(".") + space + " .u32 e = 7;\n",
                      other = std::string(".extern .") + space + " .u32 e;\n";
    const std::string code = std::string("ld.") + space + ".u32 %r3, [e];\nst.global.u32 [%rd6], %r3;";
    EXPECT_EQ(ask(kernel("// @Config: 1,1,1\n// @Output: forall (out[0] == 7)\n", code, own)), Status::holds);
    EXPECT_EQ(ask(kernel("// @Config: 1,1,1\n// @Output: forall (out[0] == 0)\n", code, other)), Status::fails);
  }
}

TEST(PtxmodMemory, DynamicSharedMemoryIsOne) {
  const std::string outside = ".extern .shared .align 16 .b8 a[];\n.extern .shared .align 16 .b8 b[];\n";
  EXPECT_EQ(
      ask(kernel("// @Config: 1,1,1\n// @Output: forall (out[0] == 8)\n",
                 "st.shared.u32 [a], 7;\nst.shared.u32 [b], 8;\nld.shared.u32 %r3, [a];\nst.global.u32 [%rd6], %r3;",
                 outside)),
      Status::holds);
}

// A number whose input is given, in pieces; and one that nobody gives.
TEST(PtxmodMemory, PiecesOfAParameter) {
  const auto text = [](const std::string& header) {
    return header + "// @Input: o = {0, 0}\n// @Config: 1,1,1\n" + k_top +
           ".visible .entry k(.param .u32 a, .param .u64 o)\n{\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n"
           "ld.param.u64 %rd1, [o];\ncvta.to.global.u64 %rd1, %rd1;\nld.param.u8 %r1, [a+1];\nld.param.u32 %r2, [a];\n"
           "st.global.u32 [%rd1], %r1;\nst.global.u32 [%rd1+4], %r2;\nret;\n}\n";
  };
  EXPECT_EQ(ask(text("// @Input: a = 513\n// @Output: forall (o[0] == 2 and o[1] == 513)\n")), Status::holds);
  EXPECT_NE(refusal(text("// @Output: exists (o[0] == 77)\n")).find("pieces that overlap"), std::string::npos);
}

// bar.sync is .aligned: all threads of a warp come to it together, or the reader refuses.
TEST(PtxmodMemory, AlignedBarriersAreForWholeWarps) {
  const auto read = [](const char* config, const std::string& code) {
    auto t =
        ptxmod::parse_ptx_module(make_source("t.ptx", kernel(std::string("// @Config: ") + config + "\n", code)), {});
    const std::string said = t ? "" : render(t.error());
    // Refused for another reason, behind this one: a thread that ends releases the barrier.
    if (said.contains("does not come to") || said.contains("memory decides")) return true;
    if (!t) EXPECT_NE(said.find("which is .aligned"), std::string::npos) << said;
    return t.has_value();
  };
  const struct {
    const char* code;
    bool together;
  } cases[] = {
      {"bar.sync 0;", true},
      {"setp.eq.u32 %p1, %r2, 0;\n@%p1 bar.sync 0;", false},
      {"setp.eq.u32 %p1, %r2, 0;\n@%p1 barrier.sync 0;", true},  // this form is not aligned
      {"setp.eq.u32 %p1, %r2, 0;\n@%p1 barrier.sync.aligned 0;", false},
      {"setp.lt.u32 %p1, %r2, 2;\n@%p1 bar.sync 0;", true},  // true for all that there are
      {"setp.eq.u32 %p1, %r1, 0;\n@%p1 bar.sync 0;", true},  // one CTA as a whole
      // Two instructions, though one barrier.
      {"setp.eq.u32 %p1, %r2, 0;\n@%p1 bra A;\nbar.sync 0;\nbra B;\nA:\nbar.sync 0;\nB:", false},
      {"setp.eq.u32 %p1, %r2, 0;\n@%p1 bra A;\nst.global.u32 [%rd4], 1;\nA:\nbar.sync 0;", true},
      // A value out of memory may be another for each thread that reads it.
      {"ld.global.u32 %r3, [%rd4];\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bar.sync 0;", false},
      {"ld.global.u32 %r3, [%rd4];\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 st.global.u32 [%rd5], 1;\nbar.sync 0;", true},
      // Loops: of one count for all, of the thread's own, and one that a thread leaves early.
      {"mov.u32 %r3, 0;\nL:\nbar.sync 0;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 2;\n@%p1 bra L;", true},
      {"mov.u32 %r3, %r2;\nL:\nbar.sync 0;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 2;\n@%p1 bra L;", false},
      {"mov.u32 %r3, 0;\nL:\nld.global.u32 %r4, [%rd4];\nsetp.eq.u32 %p2, %r4, 1;\n@%p2 bra E;\nbar.sync "
       "0;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 2;\n@%p1 bra L;\nE:",
       false},
      {"setp.eq.u32 %p1, %r2, 0;\n@%p1 exit;\nbar.sync 0;", false},
      {"setp.eq.u32 %p1, %r2, 0;\nselp.u32 %r3, 1, 2, %p1;\nmov.u32 %r4, 0;\nL:\nadd.u32 %r4, %r4, 1;\nsetp.lt.u32 "
       "%p2, %r4, %r3;\n@%p2 bra L;\nbar.sync 0;",
       true},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(read("2,1,1", c.code), c.together) << c.code;
    EXPECT_TRUE(read("1,2,1", c.code)) << c.code;
  }
  EXPECT_TRUE(read("2,2,1", "setp.lt.u32 %p1, %r2, 2;\n@%p1 bar.sync 1, 32;"));  // one warp of two
  EXPECT_FALSE(read("2,2,1", "setp.lt.u32 %p1, %r2, 3;\n@%p1 bar.sync 1, 32;"));
}

TEST(PtxmodMemory, BarriersOrderAndBlock) {
  const std::string exchange =
      "mov.u32 %r5, tile;\nshl.b32 %r6, %r2, 2;\nadd.s32 %r7, %r5, %r6;\nst.shared.u32 [%r7], %r2;\nBARRIER\n"
      "sub.s32 %r8, 4, %r6;\nadd.s32 %r8, %r5, %r8;\nld.shared.u32 %r9, [%r8];\nmul.wide.u32 %rd7, %r2, 4;\nadd.s64 "
      "%rd7, %rd6, %rd7;\nst.global.u32 [%rd7], %r9;";
  const auto with = [&](const std::string& barrier, const std::string& launch) {
    std::string code = exchange;
    code.replace(code.find("BARRIER"), 7, barrier);
    return kernel("// @Config: " + launch + "\n// @Output: forall (out[0] == 1 and out[1] == 0)\n", code,
                  ".shared .align 4 .b8 tile[8];\n");
  };
  for (const char* b : {"bar.sync 0;", "barrier.sync.aligned 3;", "barrier.cta.sync 2;", "bar.sync 1, 64;"}) {
    EXPECT_EQ(ask(with(b, "1,2,1")), Status::holds) << b;
    EXPECT_EQ(races(with(b, "1,2,1")), Status::holds) << b;
  }
  EXPECT_EQ(ask(with("bar.warp.sync 0xffffffff;", "2,1,1")), Status::holds);
  EXPECT_EQ(races(with("bar.warp.sync -1;", "2,1,1")), Status::holds);
  EXPECT_EQ(ask(with("", "1,2,1")), Status::fails);
  EXPECT_EQ(races(with("", "1,2,1")), Status::fails);
  EXPECT_NE(refusal(with("bar.sync 1, 128;", "1,2,1")).find("4 warps"), std::string::npos);
  EXPECT_NE(refusal(with("bar.sync 16;", "1,2,1")).find("no barrier 16"), std::string::npos);
  // One thread goes around it.
  const std::string around = kernel("// @Config: 1,2,1\n", "setp.eq.u32 %p1, %r2, 0;\n@%p1 bar.sync 0;");
  EXPECT_NE(refusal(around).find("does not come to"), std::string::npos);
  // The one that ends releases the barrier, so that the stores of two blocks race.
  const std::string ends = kernel("// @Config: 1,2,2\n", "setp.eq.u32 %p1, %r2, 1;\n@%p1 exit;\nbar.sync 0;");
  EXPECT_NE(refusal(ends).find("does not come to"), std::string::npos);
}

// Where the way to the end leads over other blocks, before or behind the barrier in the text.
TEST(PtxmodMemory, AThreadThatMemoryEndsBeforeABarrierIsRefused) {
  const std::string load = "ld.global.u32 %r3, [%rd4];\nsetp.eq.u32 %p1, %r3, 0;\n";
  for (const char* way : {"@%p1 exit;\nbar.sync 0;",
                          "@%p1 bra A;\nbra.uni B;\nA:\nst.global.u32 [%rd5], 1;\nbra.uni E;\nB:\nbar.sync "
                          "0;\nE:",
                          "bra.uni B;\nA:\nst.global.u32 [%rd5], 1;\nret;\nB:\n@%p1 bra A;\nbar.sync 0;"})
    EXPECT_NE(refusal(kernel("// @Config: 1,2,1\n", load + way)).find("memory decides whether this thread ends"),
              std::string::npos)
        << way;
  EXPECT_EQ(races(kernel("// @Config: 1,2,1\n", load + "bar.sync 0;\n@%p1 bra A;\nexit;\nA:")), Status::holds);
}

// A parameter of 64 bits may be a number: nothing is known of its bits and of its order.
TEST(PtxmodMemory, NumbersThatMayBeAddresses) {
  const auto with = [](const std::string& question, const std::string& code) {
    std::string text = kernel("// @Config: 1,1,1\n// @Output: " + question + "\n", code);
    text.replace(text.find(".param .u64 out"), 15, ".param .u64 out, .param .u64 n");
    return ask(text);
  };
  const std::string low = "ld.param.u64 %rd9, [n];\nand.b64 %rd10, %rd9, 3;\nst.global.u64 [%rd6], %rd10;";
  EXPECT_EQ(with("exists (out[0] == 3)", low), Status::holds);
  EXPECT_EQ(with("exists (out[0] == 4)", low), Status::fails);
  const std::string order =
      "ld.param.u64 %rd9, [n];\nadd.s64 %rd10, %rd9, 1;\nsetp.lt.u64 %p1, %rd10, %rd9;\n@%p1 st.global.u32 [%rd6], 1;";
  EXPECT_EQ(with("exists (out[0] == 1)", order), Status::holds);
  EXPECT_EQ(with("exists (out[0] == 0)", order), Status::holds);
  const std::string zero = "ld.param.u64 %rd9, [n];\nsetp.eq.s64 %p1, %rd9, 0;\n@%p1 st.global.u32 [%rd6], 1;";
  EXPECT_EQ(with("exists (out[0] == 1)", zero), Status::holds);
  EXPECT_EQ(with("exists (out[0] == 0)", zero), Status::holds);
  // One that is accessed is no null pointer.
  const std::string null =
      "setp.eq.s64 %p1, %rd1, 0;\nld.global.u32 %r3, [%rd4];\nst.global.u32 [%rd6], 0;\n@%p1 st.global.u32 [%rd6], 1;";
  EXPECT_EQ(with("exists (out[0] == 1)", null), Status::fails);
  // What the host writes into constant memory is not known.
  EXPECT_EQ(ask(kernel("// @Config: 1,1,1\n// @Output: forall (out[0] == 0)\n",
                       "ld.const.u32 %r3, [c];\nst.global.u32 [%rd6], %r3;", ".const .align 4 .u32 c;\n")),
            Status::fails);
}

// Variables of the thread, read and written in other sizes, in straight lines and over rounds of a loop.
TEST(PtxmodMemory, PiecesOfOwnVariables) {
  const auto result = [](const std::string& code, const std::string& question) {
    return ask(
        kernel("// @Config: 1,1,1\n// @Output: forall (" + question + ")\n", ".local .align 8 .b8 own[16];\n" + code),
        8);
  };
  EXPECT_EQ(result("ld.global.u32 %r9, [%rd4];\nadd.u32 %r9, %r9, 0x11223344;\nst.local.u32 [own], %r9;\nst.local.u8 "
                   "[own+1], 255;\n"
                   "ld.local.u32 %r3, [own];\nst.global.u32 [%rd6], %r3;\nld.local.u16 %r4, [own+2];\nst.global.u32 "
                   "[%rd6+4], %r4;",
                   "out[0] == 287506244 and out[1] == 4386"),
            Status::holds);
  EXPECT_EQ(result("st.local.u64 [own], 0x1122334455667788;\nst.local.u32 [own+4], 1;\nld.local.u64 %rd9, "
                   "[own];\nshr.u64 %rd9, %rd9, 16;\n"
                   "st.global.u64 [%rd6], %rd9;\nld.local.v2.u8 {%r3, %r4}, [own+2];\ncvt.u64.u32 %rd9, %r4;\n"
                   "st.global.u64 [%rd6+8], %rd9;",
                   "out.u64[0] == 87398 and out.u64[1] == 85"),
            Status::holds);
  // Written in the first round, read in the second.
  EXPECT_EQ(result("mov.u32 %r3, 0;\nL:\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 bra M;\nst.local.u32 [own], 7;\nM:\nadd.u32 "
                   "%r3, %r3, 1;\n"
                   "setp.lt.u32 %p1, %r3, 3;\n@%p1 bra L;\nld.local.u32 %r4, [own];\nst.global.u32 [%rd6], %r4;",
                   "out[0] == 7"),
            Status::holds);
  EXPECT_EQ(result("mov.u32 %r3, 0;\nst.local.u64 [own], 0;\nL:\nld.local.u32 %r4, [own+4];\nadd.u32 %r4, %r4, "
                   "2;\nst.local.u32 [own+4], %r4;\n"
                   "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 3;\n@%p1 bra L;\nld.local.u64 %rd9, [own];\nshr.u64 "
                   "%rd9, %rd9, 32;\nst.global.u64 [%rd6], %rd9;",
                   "out[0] == 6"),
            Status::holds);
}

// Values that nobody gave are no memory that anybody looks at.
TEST(PtxmodMemory, WhatIsObserved) {
  const prog::Test t = module_of(kernel("// @Config: 1,1,1\n", "st.global.u32 [%rd4], %r9;"));
  for (const prog::CondValue& v : t.locations) EXPECT_EQ(t.symbols[v.symbol].name, "x");
  EXPECT_EQ(t.locations.size(), 8U);
}

TEST(PtxmodMemory, MatchOfOneLane) {
  const std::string code =
      "ld.global.u32 %r3, [%rd4];\nmatch.any.sync.b32 %r4, %r3, 1;\nmatch.all.sync.b64 %r5|%p1, %rd4, 1;\nselp.u32 "
      "%r6, "
      "7, 8, %p1;\nst.global.v2.u32 [%rd6], {%r4, %r5};\nst.global.u32 [%rd6+8], %r6;";
  EXPECT_EQ(ask(kernel("// @Config: 1,1,1\n// @Output: forall (out[0] == 1 and out[1] == 1 and out[2] == 7)\n", code)),
            Status::holds);
  refusal(kernel("// @Config: 1,1,1\n", "match.any.sync.b32 %r4|%p1, %r3, 1;"));
}

TEST(PtxmodMemory, RefusedByName) {
  const struct {
    const char *code, *said;
  } cases[] = {
      {"cp.async.ca.shared.global [%rd4], [%rd5], 16;", "cp.async.ca.shared.global"},
      {"mbarrier.init.shared.b64 [%rd4], 1;", "mbarrier.init.shared.b64"},
      {"fence.proxy.async;", "fence.proxy.async"},
      {"ld.shared::cluster.u32 %r3, [%rd4];", "shared::cluster"},
      {"atom.global.add.noftz.f16x2 %r3, [%rd4], %r4;", "memory"},
      {"add.u16x2 %r3, %r4, %r5;", "add.u16x2"},
      {"mov.u32 %r3, %pm0;", "%pm0"},
      {"ld.global.u64 %rd7, [%rd4];\nld.global.u32 %r3, [%rd7];", "not known to be in an object"},
      {"ld.global.u32 %r3, [%rd5];\nst.global.u64 [%rd4], %rd5;", "memory that holds addresses"},
      {"bar.red.popc.u32 %r3, 0, %p1;", "bar.red.popc.u32"},
      {"tex.2d.v4.f16.f32 {%h1,%h2,%h3,%h4}, [%rd4, {%f5,%f6}];", "tex"},
      {"ld.global.nc.u32 %r3, [%rd4];\nst.global.u32 [%rd4], 1;", "ld.global.nc"},
      {"wgmma.fence.sync.aligned;", "wgmma.fence"},
      {"add.foo.u32 %r3, %r4, %r5;", "foo"},
  };
  for (const auto& c : cases) {
    auto t = ptxmod::parse_ptx_module(make_source("t.ptx", kernel("// @Config: 1,1,1\n", c.code)), {});
    if (std::string(c.said) == "memory") continue;
    ASSERT_FALSE(t.has_value()) << c.code;
    EXPECT_NE(render(t.error()).find(c.said), std::string::npos) << render(t.error());
  }
  EXPECT_NE(refusal(kernel("// @Config: 1,1,1\n", "cvta.to.shared.u64 %rd7, %rd1;\nst.shared.u32 [%rd7], 1;"))
                .find("given to the kernel"),
            std::string::npos);
}

// Pointers are numbers: the distance of two objects leads from one to the other.
TEST(PtxmodMemory, DistanceOfTwoObjects) {
  const std::string code = "sub.s64 %rd7, %rd5, %rd4;\nadd.s64 %rd8, %rd4, %rd7;\nst.global.u32 [%rd8+4], 3;";
  EXPECT_EQ(ask(kernel("// @Config: 1,1,1\n// @Output: forall (y[1] == 3)\n", code)), Status::holds);
  EXPECT_EQ(races(kernel("// @Config: 1,1,1\n", code)), Status::holds);
  const std::string moved =
      "add.s64 %rd4, %rd4, 8;\nsub.s64 %rd7, %rd5, %rd4;\nadd.s64 %rd7, %rd7, 4;\nadd.s64 %rd8, %rd7, "
      "%rd4;\nst.global.u32 [%rd8], 3;";
  EXPECT_EQ(ask(kernel("// @Config: 1,1,1\n// @Output: forall (y[1] == 3)\n", moved)), Status::holds);
  const std::string outside = ".global .align 4 .u32 a;\n.global .align 4 .u32 b;\n";
  EXPECT_EQ(ask(kernel("// @Config: 1,1,1\n// @Output: forall (b == 3)\n",
                       "mov.u64 %rd7, a;\nmov.u64 %rd8, b;\nsub.s64 %rd9, %rd8, %rd7;\nadd.s64 %rd9, %rd9, "
                       "%rd7;\nst.global.u32 [%rd9], 3;",
                       outside)),
            Status::holds);
  // What is half of a distance leads nowhere that is known.
  refusal(kernel("// @Config: 1,1,1\n",
                 "mov.u64 %rd7, a;\nmov.u64 %rd8, b;\nsub.s64 %rd9, %rd8, %rd7;\nshr.s64 %rd9, %rd9, 1;\nadd.s64 %rd9, "
                 "%rd9, %rd7;\nst.global.u32 [%rd9], 3;",
                 outside));
}

TEST(PtxmodMemory, InputsOfStructures) {
  const auto text = [](const std::string& header) {
    return header + "// @Input: o = {0, 0}\n// @Config: 1,1,1\n" + k_top +
           ".visible .entry k(.param .align 4 .b8 s[12], .param .u64 o, .param .u16 h)\n{\n.reg .b32 %r<4>;\n"
           ".reg .b64 %rd<4>;\nld.param.u64 %rd1, [o];\nld.param.u32 %r1, [s];\nld.param.u32 %r2, [s+8];\n"
           "ld.param.u16 %r3, [h];\nst.global.u32 [%rd1], %r1;\nst.global.u32 [%rd1+4], %r2;\nret;\n}\n";
  };
  EXPECT_EQ(ask(text("// @Input: s.0 = 7, s.8 = 9\n// @Output: forall (o[0] == 7 and o[1] == 9)\n")), Status::holds);
  EXPECT_NE(refusal(text("// @Input: s = 7\n")).find("12 bytes"), std::string::npos);
  EXPECT_NE(refusal(text("// @Input: s.0 = 4294967296\n")).find("does not fit"), std::string::npos);
  EXPECT_NE(refusal(text("// @Input: h = 65536\n")).find("does not fit"), std::string::npos);
  EXPECT_NE(refusal(text("// @Input: h = -32769\n")).find("does not fit"), std::string::npos);
  module_of(text("// @Input: h = -32768\n"));
  module_of(text("// @Input: h = 65535\n"));
}

TEST(PtxmodMemory, BuffersDoNotOverlapIsSaid) {
  const auto said = [](const std::string& code) {
    const prog::Test t = module_of(kernel("// @Config: 1,1,1\n", code));
    return std::ranges::any_of(t.assumptions,
                               [](const std::string& a) { return a.find("do not overlap") != std::string::npos; });
  };
  EXPECT_TRUE(said("st.global.u32 [%rd4], 1;\nst.global.u32 [%rd5], 1;"));
  EXPECT_FALSE(said("st.global.u32 [%rd4], 1;\nst.global.u32 [%rd4+4], 1;"));
}

// The axioms say nothing of a race of accesses of two sizes; their pieces race, so that the flag is raised.
TEST(PtxmodMemory, RacesOfTwoSizesAreAssumedAway) {
  const auto with = [](const char* second, const char* size) {
    return module_of(
        kernel("// @Config: 1,1,2\n// @Output: exists (true)\n",
               std::string("mov.u32 %r1, %ctaid.x;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra FIRST;\nst.global.u") + size +
                   " [%rd4], " + second + ";\nret;\nFIRST:\nst.global.u32 [%rd4], 1;"));
  };
  const auto said = [](const prog::Test& t) {
    return std::ranges::any_of(t.assumptions,
                               [](const std::string& a) { return a.find("different sizes") != std::string::npos; });
  };
  EXPECT_TRUE(said(with("%h1", "16")));
  EXPECT_FALSE(said(with("%r1", "32")));
}

// What ptxas says of each, by hand.
TEST(PtxmodMemory, RegistersOfTheRightSize) {
  for (const char* code : {"mov.u32 %r3, %rd1;",
                           "mov.u64 %rd7, %r3;",
                           "mov.b32 %r3, %h1;",
                           "mov.u32 %f1, %p1;",
                           "add.u32 %r3, %rd1, %r2;",
                           "add.u32 %rd7, %r1, %r2;",
                           "st.global.u64 [%rd4], %r2;",
                           "ld.global.u64 %r3, [%rd4];",
                           "atom.global.add.u32 %rd7, [%rd4], %rd8;",
                           "atom.global.add.u32 %r3, [%rd4], %rd8;",
                           "red.global.add.u32 [%rd4], %rd8;",
                           "cvt.u64.u32 %r3, %r4;",
                           "cvt.u16.u32 %h1, %h2;",
                           "setp.eq.u32 %p1, %rd1, %rd2;",
                           "selp.u32 %rd7, %r3, %r4, %p1;",
                           "shl.b64 %rd7, %rd1, %rd2;",
                           "mul.wide.u32 %r3, %r4, %r5;",
                           "mov.u64 %rd7, %tid.x;",
                           "mov.u32 %r3, %clock64;",
                           "popc.b64 %rd7, %rd1;",
                           "bar.sync %rd1;",
                           "mov.b64 {%h1, %r3}, %rd1;",
                           "mov.b64 %rd7, {%r3, %rd1};",
                           "mad.lo.u32 %r3, %r4, %r5, %rd1;",
                           "brev.b32 %r3, %rd1;",
                           "bfe.u64 %rd7, %rd1, %rd2, %r3;",
                           "set.eq.u32.u64 %rd7, %rd1, %rd2;",
                           "st.global.v2.u64 [%rd4], {%rd1, %r3};",
                           "mov.u64 %rd7, generic(q);",
                           "add.u32 %f1, %r3, %r4;"})
    refusal(kernel("// @Config: 1,1,1\n", code, ".shared .align 8 .b8 q[8];\n"));
  for (const char* code :
       {"mov.b32 %f1, %r3;", "st.global.u32 [%rd4], %rd1;", "ld.global.u8 %rd7, [%rd4];", "ld.global.u8 %h1, [%rd4];",
        "cvt.u32.u64 %rd7, %rd1;", "cvt.u32.u16 %r3, %r4;", "shl.b16 %h1, %h2, %r3;", "mov.u16 %h1, %tid.x;",
        "mov.b64 {%r3, %r4}, %rd1;", "add.f32 %r3, %f1, %f2;", "mov.u32 %r3, 0x1ffffffff;",
        "set.eq.u32.u64 %r3, %rd1, %rd2;", "add.u16 %h1, %h2, 1;", "mov.pred %p1, %p2;"})
    module_of(kernel("// @Config: 1,1,1\n", code));
}

// 4.5: they are PTX, so that they are not called wrong.
TEST(PtxmodMemory, ConstantExpressionsAreRefusedByName) {
  for (const char* code : {"mov.u32 %r3, (4*8+1);", "mov.u32 %r3, 4*8;", "ld.global.u32 %r3, [%rd4+4*2];",
                           "mov.u32 %r3, ~1;", "mov.u32 %r3, 8%3;", "mov.u32 %r3, 1<<3;", "mov.u32 %r3, (.u64)1;",
                           ".shared .b8 q[4*2];", ".shared .b8 q[(4)];", "mov.u32 %r3, 3 & 1;", "mov.u32 %r3, -(3);"}) {
    auto t = ptxmod::parse_ptx_module(make_source("t.ptx", kernel("// @Config: 1,1,1\n", code)), {});
    ASSERT_FALSE(t.has_value()) << code;
    EXPECT_NE(render(t.error()).find("constant expressions"), std::string::npos) << code << render(t.error());
    EXPECT_NE(render(t.error()).find("unsupported"), std::string::npos) << code << render(t.error());
  }
}

TEST(PtxmodMemory, FaultsOfTheText) {
  for (const char* code : {"add.u32 %r3, %r4;", "ld.global.u32 %r3, %rd4;", "bra NOWHERE;", "add.u32 %r99, %r1, %r2;",
                           "@%r1 bra X;\nX:", "ld.relaxed.u32 %r3, [%rd4];", "ld.release.gpu.u32 %r3, [%rd4];",
                           "st.weak.gpu.u32 [%rd4], 1;", "X:\nX:", "add.u32 %r3, %r4, %r5",
                           "mov.u32 %r3, 0xfffffffffffffffff;", "{", "}", "ld.global.u32 {%r3, %r4}, [%rd4];"})
    refusal(kernel("// @Config: 1,1,1\n", code));
  refusal(".version 8.0\n.target sm_80\n.address_size 64\n");
  refusal(".version 8.0\n.visible .entry k() { ret; }\n.visible .entry l() { ret; }\n");
  refusal(kernel("// @Config: 1,1,1\n// @Outptu: forall (x[0] == 0)\n", ""));
  refusal(kernel("// @Config: 1,1,1\n// @Output: forall (z[0] == 0)\n", ""));
  refusal(".version 8.0\n.visible .entry k() .reqntid 64 { ret; }\n// @Config: 1,2,1\n");
}

TEST(PtxmodMemory, LoopsAndTables) {
  const std::string sum =
      "mov.u32 %r3, 0;\nmov.u32 %r4, 0;\nL:\nadd.u32 %r4, %r4, %r3;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, "
      "5;\n@%p1 bra L;\nst.global.u32 [%rd6], %r4;";
  EXPECT_EQ(ask(kernel("// @Config: 1,1,1\n// @Output: forall (out[0] == 10)\n", sum), 8), Status::holds);
  const std::string walk =
      "mov.u64 %rd7, %rd6;\nmov.u32 %r3, 0;\nL:\nst.global.u32 [%rd7], %r3;\nadd.s64 %rd7, %rd7, 4;\nadd.u32 %r3, %r3, "
      "1;\nsetp.ne.u32 %p1, %r3, 3;\n@%p1 bra L;";
  EXPECT_EQ(
      ask(kernel("// @Config: 1,1,1\n// @Output: forall (out[0] == 0 and out[1] == 1 and out[2] == 2)\n", walk), 8),
      Status::holds);
  const std::string table =
      "ts: .branchtargets A, B, A;\nld.global.u32 %r3, [%rd4];\nbrx.idx %r3, ts;\nA:\nst.global.u32 [%rd6], 1;\nbra "
      "E;\nB:\nst.global.u32 [%rd6], 2;\nE:";
  for (const auto& [index, result] : {std::pair{0, 1}, {1, 2}, {2, 1}})
    EXPECT_EQ(ask(kernel("// @Config: 1,1,1\n// @Output: forall (out[0] == " + std::to_string(result) + ")\n",
                         "st.global.u32 [%rd4], " + std::to_string(index) + ";\n" + table)),
              Status::holds);
  // Two registers that change places in a loop.
  const std::string swap =
      "mov.u32 %r3, 1;\nmov.u32 %r4, 2;\nmov.u32 %r5, 0;\nL:\nmov.u32 %r6, %r3;\nmov.u32 %r3, %r4;\nmov.u32 %r4, "
      "%r6;\nadd.u32 %r5, %r5, 1;\nsetp.ne.u32 %p1, %r5, 3;\n@%p1 bra L;\nst.global.u32 [%rd6], %r3;\nst.global.u32 "
      "[%rd6+4], %r4;";
  EXPECT_EQ(ask(kernel("// @Config: 1,1,1\n// @Output: forall (out[0] == 2 and out[1] == 1)\n", swap), 8),
            Status::holds);
}

// LLVM notes the name of each function in a comment, which is no header; everything else that looks like one is an
// error.
TEST(PtxmodMemory, ReadsTheNotesOfLlvm) {
  const auto with = [](const std::string& before, const std::string& behind) {
    return std::string("// @Config: 1, 1, 1\n") + k_top + before + ".visible .entry k(.param .u64 x)" + behind +
           "\n{\nret;\n}\n                                        // -- End function\n";
  };
  const auto reads = [](const std::string& text) {
    return ptxmod::parse_ptx_module(make_source("t.ptx", text), {}).has_value();
  };
  EXPECT_TRUE(reads(with("", "    // @k")));
  EXPECT_TRUE(reads(with("\t// .globl\tk                      // -- Begin function k\n    // @k\n", "")));
  // What is left of the next kernel where a module was taken apart.
  EXPECT_TRUE(reads(with("", "") + "\t// .globl\t_Z1tv     // -- Begin function _Z1tv\n     // @_Z1tv\n"));
  // A kernel that is called as a header does not take the header away.
  const std::string config = std::string(k_top) + ".visible .entry Config()   // @Config\n{\nret;\n}\n";
  EXPECT_TRUE(reads("// @Config: 1, 1, 1\n" + config));
  EXPECT_NE(refusal("// @Config: 1, 1\n" + config).find("three to five numbers"), std::string::npos);
  EXPECT_NE(refusal("// @Config\n" + config).find("expected ':'"), std::string::npos);
  // No notes: another name, a name with more behind it, behind an instruction.
  EXPECT_NE(refusal(with("// -- Begin function k\n// @other\n", "")).find("no header @other"), std::string::npos);
  EXPECT_NE(refusal(with("// @Confg\n", "")).find("did you mean @Config?"), std::string::npos);
  EXPECT_NE(refusal(with("", "  // @Confg: 1, 1, 1")).find("did you mean @Config?"), std::string::npos);
  EXPECT_NE(refusal(with("", "") + ".extern .func f;   // @other\n").find("@other"), std::string::npos);
}

TEST(PtxmodMemory, ATextureHoldsAnyValue) {
  const auto text = [](const std::string& condition) {
    return kernel("// @Config: 1, 1, 1\n// @Output: " + condition + "\n",
                  "mov.u64 %rd7, 0;\ntex.1d.v4.s32.s32 {%r3, %r4, %r5, %r6}, [%rd7, {%r2}];\n"
                  "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd7, {%f5, %f6}];\nst.global.u32 [%rd6], %r5;");
  };
  EXPECT_EQ(ask(text("exists (out.u32[0] == 77)")), Status::holds);
  EXPECT_EQ(ask(text("forall (out.u32[0] == 0)")), Status::fails);
  const prog::Test t = module_of(text("forall (out.u32[0] == 0)"));
  EXPECT_NE(std::find(t.assumptions.begin(), t.assumptions.end(),
                      "what is read through textures may be any value, and nobody writes it"),
            t.assumptions.end());
}

}  // namespace

// Malformed input: where the error points, what it says, and that it says what to do.
#include "asm_support.h"

using namespace asm_test;

namespace {

struct Bad {
  const char* text;
  uint32_t line, column;
  const char* message;    // part of it
  const char* hint = "";  // part of it; never empty in the result
};

void expect_error(const Bad& b, const std::string& name) {
  const auto t = read::parse(make_source(name, b.text));
  ASSERT_FALSE(t.has_value()) << b.text;
  ASSERT_FALSE(t.error().list.empty());
  const Diagnostic& d = t.error().list.front();
  const std::string shown = render(d);
  EXPECT_EQ(d.span.position().line, b.line) << shown;
  EXPECT_EQ(d.span.position().column, b.column) << shown;
  EXPECT_NE(d.message.find(b.message), std::string::npos) << shown;
  EXPECT_FALSE(d.hint.empty()) << shown;
  EXPECT_NE(d.hint.find(b.hint), std::string::npos) << shown;
  EXPECT_TRUE(shown.starts_with(name + ":" + std::to_string(b.line) + ":" + std::to_string(b.column) + ": error: "))
      << shown;
}

// Two threads on line 3; the code of P0 starts on line 4 in column 2.
#define PTX2 "PTX t\n{ x=0; y=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n"
#define ROW " ld.weak r0, x | ld.weak r1, y ;\n"
#define VK2 "VULKAN t\n{ x=0; y=0; }\n P0@sg 0,wg 0,qf 0 | P1@sg 1,wg 0,qf 0 ;\n"

const Bad k_frame[] = {
    {"", 1, 1, "empty", "PTX"},
    {"PTZ t\n{}\n", 1, 1, "'PTZ' is not a language", "did you mean 'PTX'?"},
    {"PTX t\n P0@cta 0,gpu 0 ;\n", 3, 1, "initial state is missing", "{ ... }"},
    {"PTX t \"never closed\n{}\n", 1, 7, "string is never closed"},
    {"PTX t (* never closed\n{}\n", 1, 7, "comment is never closed", "*)"},
    {"PTX t\n{}\n P0@cta 0,gpu 0 ; (* open\n", 3, 19, "comment is never closed", "*)"},
    {"PTX t\n{ x=0 y=1; }\n", 2, 7, "expected ';' or '}', found 'y'", "';'"},
    {"PTX t\n{ x=0;", 2, 7, "the end of the text"},
    {"PTX t\n{ x=0; x=1; }\n", 2, 8, "'x' is declared twice"},
    {"PTX t\n{ x=y; }\n", 2, 5, "no location 'y' yet", "'y = 0'"},
    {"PTX t\n{ flag=0; s @ surface aliases flg; }\n", 2, 31, "no location 'flg'", "did you mean 'flag'?"},
    {"PTX t\n{ x=0; s @ surfac aliases x; }\n", 2, 12, "no proxy 'surfac'", "did you mean 'surface'?"},
    {"PTX t\n{ x=0; s aliases x; }\n", 2, 10, "needs its proxy", "s @ generic aliases x"},
    {"VULKAN t\n{ x=0; s @ surface aliases x; }\n", 2, 8, "no proxy in this dialect", "s aliases x"},
    {"PTX t\n{ x=99999999999999999999; }\n", 2, 5, "does not fit 64 bits"},
    {"PTX t\n{ x=-9223372036854775809; }\n", 2, 6, "out of range", "9223372036854775808"},
    {"PTX t\n{ x=12ab; }\n", 2, 5, "'12ab' is not a number", "0x"},
    {"PTX t\n{ x=010; }\n", 2, 5, "'010' begins with 0: in C and PTX that is an octal number", "write 10"},
    {"PTX t\n{ x=08; }\n", 2, 5, "'08' begins with 0", "write 8"},
    {"PTX t\n{ x=\xc3\xa9; }\n", 2, 5, "byte 0xc3 is outside ASCII", "comments"},
    {"PTX t\n{ r1=0; }\n", 2, 3, "'r1' needs its thread", "P0:r1"},
    {"PTX t\n{ P0:x=0; }\n", 2, 6, "expected a register", "r0"},
    {"PTX t\n{ P3:r1=1; }\n P0@cta 0,gpu 0 ;\n ;\n", 2, 3, "no thread P3", "P0"},
    {"PTX t\n{ P0:r1=1; 0:r1=2; }\n P0@cta 0,gpu 0 ;\n ;\n", 2, 14, "initialised twice"},
    {"PTX t\n{}\n P0@cta 0,gpu 0 | P2@cta 0,gpu 0 ;\n", 3, 19, "column 2 is thread P1, not P2", "left to right"},
    {"PTX t\n{}\n P1@cta 0,gpu 0 ;\n", 3, 2, "column 1 is thread P0, not P1"},
    {"PTX t\n{}\n P0 ;\n", 3, 5, "expected '@'", "P0@cta 0, gpu 0"},
    {"PTX t\n{}\n P0@cta 0 ;\n", 3, 2, "lacks its gpu", "P0@cta 0, gpu 0"},
    {"PTX t\n{}\n P0@cta 0, gpi 0 ;\n", 3, 12, "no scope level 'gpi'", "did you mean 'gpu'?"},
    {"PTX t\n{}\n P0@cta 0, cta 1 ;\n", 3, 12, "given twice"},
    {"VULKAN t\n{}\n P0@sg 0, wg 0 ;\n", 3, 2, "lacks its qf", "qf 0"},
    {"PTX t\n{}\n P0@cta 0,gpu 0 \n ld.weak r0, x ;\n", 4, 2, "expected ';'", "'|'"},
    {"VULKAN t\n{}{ ssw 0 4; }\n P0@sg 0,wg 0,qf 0 ;\n", 2, 5, "no thread P4", "P0 to P0"},
    {"VULKAN t\n{}{ sww 0 0; }\n", 2, 5, "expected 'ssw'", "ssw 0 1"},
    {PTX2 " ld.weak r0, x ;\n", 4, 16, "1 cell for 2 threads", "'|'"},
    {PTX2 " ld.weak r0, x | | st.weak x, 1 ;\n", 4, 18, "more cells than the 2 threads", "';'"},
    {PTX2 " ld.weak r0, x | st.weak x, 1\n", 5, 1, "not finished", "';'"},
    {PTX2 " ld.weak r0, x st.weak x, 1 | ;\n", 4, 16, "unexpected 'st'", "'|'"},
};

const Bad k_ptx[] = {
    {PTX2 " ld.acquire r0, y | ;\n", 4, 12, "'ld.acquire' needs a scope here", "add .cta, .cluster, .gpu or .sys"},
    {PTX2 " st.release y, 1 | ;\n", 4, 12, "'st.release' needs a scope here", ".cta"},
    {PTX2 " ld.weak.gpu r0, y | ;\n", 4, 10, "weak access has no scope", ".relaxed.gpu"},
    {PTX2 " ld.aquire.gpu r0, y | ;\n", 4, 5, "'aquire' is not a modifier of 'ld'", "did you mean 'acquire'?"},
    {PTX2 " ld.release.gpu r0, y | ;\n", 4, 5, "not an order of a load", ".acquire"},
    {PTX2 " st.acquire.gpu y, 1 | ;\n", 4, 5, "not an order of a store", ".release"},
    {PTX2 " ld.weak.relaxed.gpu r0, y | ;\n", 4, 10, "a second order"},
    {PTX2 " ld.relaxed.gpu.cta r0, y | ;\n", 4, 17, "a second scope"},
    {PTX2 " ld.gpu r0, y | ;\n", 4, 8, "'ld.gpu' needs an order here", ".weak"},
    {PTX2 " ld r0, y | ;\n", 4, 4, "a load needs an order here", "ld.weak r0, y"},
    {PTX2 ROW "exist (0:r0 = 1)", 5, 1, "no instruction 'exist'", "did you mean 'exists'?"},
    {PTX2 " ldd.weak r0, y | ;\n", 4, 2, "no instruction 'ldd'", "did you mean 'ld'?"},
    {PTX2 " mbarier.inval.b64 [y] | ;\n", 4, 2, "no instruction 'mbarier'", "did you mean 'mbarrier'?"},
    {PTX2 " ld.weak y, r0 | ;\n", 4, 10, "expected a register, found 'y'", "r0"},
    {PTX2 " ld.weak r0, r1 | ;\n", 4, 14, "expected a location, found the register 'r1'", "name the location"},
    {PTX2 " st.weak x | ;\n", 4, 12, "expected ','", "another operand"},
    {PTX2 " st.weak x, y | ;\n", 4, 13, "expected a constant or a register"},
    {PTX2 " st.weak x, 0x1ffffffffffffffff | ;\n", 4, 13, "does not fit 64 bits"},
    {PTX2 " atom.relaxed.gpu r0, x, 1 | ;\n", 4, 18, "needs an operation", ".cas"},
    {PTX2 " atom.relaxed.add r0, x, 1 | ;\n", 4, 18, "needs a scope", ".gpu"},
    {PTX2 " atom.sc.gpu.add r0, x, 1 | ;\n", 4, 7, "not an order of an atomic", ".acq_rel"},
    {PTX2 " atom.relaxed.gpu.cas r0, x, 1 | ;\n", 4, 32, "expected ','", "'atom'"},
    {PTX2 " red.relaxed.gpu.exch x, 1 | ;\n", 4, 18, "'red' has no .exch", "atom"},
    {PTX2 " fence | ;\n", 4, 7, "needs an order", ".sc"},
    {PTX2 " membar | ;\n", 4, 8, "'membar' needs a level here", ".gl"},
    {PTX2 " membar.gpu | ;\n", 4, 9, "'gpu' is not a modifier of 'membar'"},
    {PTX2 " membar.gl.sc | ;\n", 4, 12, "unexpected modifier 'sc'", "membar.gl"},
    {PTX2 " vote.sync.all.pred r0, 1 | ;\n", 4, 2, "'vote.sync.all.pred' is not modelled", "%r1"},
    {PTX2 " fence.sc | ;\n", 4, 10, "needs a scope", ".sys"},
    {PTX2 " fence.relaxed.gpu | ;\n", 4, 8, "not an order of a fence", ".acq_rel"},
    {PTX2 " fence.proxy.txture | ;\n", 4, 14, "'txture' is not a modifier", "did you mean 'texture'?"},
    {PTX2 " fence.proxy.alias.gpu | ;\n", 4, 20, "neither order nor scope", "fence.proxy.alias"},
    {PTX2 " bar.cta.wait 0 | ;\n", 4, 10, "'wait' is not a modifier", ".sync"},
    {PTX2 " bar.cta.sync | ;\n", 4, 15, "expected a barrier instance", "bar.cta.sync 0"},
    {PTX2 " add.s32 r0, r1, 1 | ;\n", 4, 6, "'add' takes no modifier", ".s32"},
    {PTX2 " ld.weak. r0, x | ;\n", 4, 11, "'r0' is not a modifier"},
    {PTX2 " goto LC00 | ;\n", 4, 7, "no label 'LC00'", "'LC00:'"},
    {PTX2 " LC00: | LC00: ;\n bne r0, 1, LC0 | ;\n", 5, 13, "no label 'LC0'", "did you mean 'LC00'?"},
    {PTX2 " LC00: | ;\n LC00: | ;\n", 5, 2, "defined twice", "rename"},
    {PTX2 " bne r0, LC00 | ;\n", 4, 10, "expected a constant or a register, found 'LC00'"},
};

const Bad k_vulkan[] = {
    {VK2 " ld r0, y | ;\n", 4, 4, "needs a storage class", "ld.sc0 r0, y"},
    {VK2 " ld.atom.sc0 r0, y | ;\n", 4, 13, "'ld.atom.sc0' needs a scope here", "add .sg, .wg, .qf or .dv"},
    {VK2 " ld.atom.wg r0, y | ;\n", 4, 12, "needs a storage class", ".sc0"},
    {VK2 " st.av.sc0 y, 1 | ;\n", 4, 11, "needs a scope", ".dv"},
    {VK2 " st.dv.sc0 y, 1 | ;\n", 4, 5, "'.dv' does not fit here", "add .av"},
    {VK2 " st.vis.dv.sc0 y, 1 | ;\n", 4, 5, "'.vis' does not fit here", ".av on stores"},
    {VK2 " st.atom.acq.dv.sc0.semsc0 y, 1 | ;\n", 4, 10, "a store cannot acquire", ".rel"},
    {VK2 " ld.atom.rel.dv.sc0.semsc0 r0, y | ;\n", 4, 10, "a load cannot release", ".acq"},
    {VK2 " ld.acq.sc0.semsc0 r0, y | ;\n", 4, 5, "only atomic accesses have an order", ".atom"},
    {VK2 " ld.atom.acq.dv.sc0 r0, y | ;\n", 4, 20, "storage classes that its order covers", ".semsc0"},
    {VK2 " ld.atom.dv.sc0.semsc1 r0, y | ;\n", 4, 17, "belong to an order", ".acq"},
    {VK2 " st.atom.dv.sc0.semav y, 1 | ;\n", 4, 17, "belongs to a release", ".rel"},
    {VK2 " ld.sc0.sc1 r0, y | ;\n", 4, 9, "a second storage class", ".sc0"},
    {VK2 " ld.sc4 r0, y | ;\n", 4, 5, "'sc4' is not a modifier of 'ld'", "did you mean"},
    {VK2 " ld.nonprv.sc0 r0, y | ;\n", 4, 5, "'nonprv' is not a modifier", "did you mean 'nonpriv'?"},
    {VK2 " rmw.wg.sc0 r0, y, 1 | ;\n", 4, 12, "needs '.atom'", "always atomic"},
    {VK2 " rmw.atom.wg.sc0.add.sub r0, y, 1 | ;\n", 4, 22, "a second operation", "one operation"},
    {VK2 " membar.wg.semsc0 | ;\n", 4, 18, "needs an order", ".acq_rel"},
    {VK2 " membar.acq.semsc0 | ;\n", 4, 19, "needs a scope", ".wg"},
    {VK2 " membar.acq.wg.sc0.semsc0 | ;\n", 4, 16, "accesses no memory", "remove"},
    {VK2 " cbar 0 | ;\n", 4, 6, "'cbar' needs a scope here", ".wg"},
    {VK2 " cbar.wg | ;\n", 4, 10, "expected a barrier instance", "cbar.wg 0"},
    {VK2 " avdevice.sc0 | ;\n", 4, 11, "takes no modifier", "avdevice"},
    {VK2 " fence.sc.gpu | ;\n", 4, 2, "VULKAN has no instruction 'fence'"},
};

const Bad k_question[] = {
    {PTX2 ROW "exists (0:r7 = 1)", 5, 11, "thread P0 has no register 'r7'", "r0"},
    {PTX2 ROW "exists (2:r0 = 1)", 5, 9, "no thread P2", "P0 to P1"},
    {PTX2 ROW "exists (zz = 1)", 5, 9, "no location 'zz'", "initialised"},
    {PTX2 ROW "exists (r0 = 1)", 5, 9, "'r0' needs its thread", "0:r0"},
    {PTX2 ROW "exists (x[1] = 1)", 5, 11, "'x' has no cell 1", "one cell"},
    {PTX2 ROW "exists (0:r0 1)", 5, 14, "expected a comparison", "="},
    {PTX2 ROW "exists (0:r0 = )", 5, 16, "expected a value", "0:r1"},
    {PTX2 ROW "exists (0:r0 = 1", 5, 17, "expected ')'", "parenthesis"},
    {PTX2 ROW "exists (0:r0 = 1) exists (x=1)", 5, 19, "a second question", "one thing"},
    {PTX2 ROW "filter (x=1) filter (y=1)", 5, 14, "a second filter", "/\\"},
    {PTX2 ROW "exists (x=1) garbage", 5, 14, "expected a question, found 'garbage'"},
    {PTX2 ROW "exists (x=1) foral (x=1)", 5, 14, "expected a question", "did you mean 'forall'?"},
    {PTX2 ROW "~forall (x=1)", 5, 2, "expected 'exists'", "~exists"},
    {PTX2 ROW "locations [x y]", 5, 14, "expected ';' or ']'", "';'"},
    {PTX2 ROW "exists (x = \"1\")", 5, 13, "a quoted string"},
    {PTX2 ROW "exists (x = 1 && y = 1)", 5, 15, "expected ')'", "/\\"},
    {PTX2 ROW "exists (x=1)\n\x01", 6, 1, "control character 0x01", "text file"},
};

TEST(AsmErrors, Frame) {
  for (const Bad& b : k_frame) expect_error(b, "bad.litmus");
}
TEST(AsmErrors, PtxInstructions) {
  for (const Bad& b : k_ptx) expect_error(b, "bad.litmus");
}
TEST(AsmErrors, VulkanInstructions) {
  for (const Bad& b : k_vulkan) expect_error(b, "bad.litmus");
}
TEST(AsmErrors, Questions) {
  for (const Bad& b : k_question) expect_error(b, "bad.litmus");
}

TEST(AsmErrors, DeepConditionIsAnErrorAndNoCrash) {
  for (const char* open : {"(", "~", "not "}) {
    std::string q = "exists ";
    for (int i = 0; i < 100000; ++i) q += open;
    const auto t = read::parse(make_source("deep.litmus", std::string(PTX2 ROW) + q + "x=1"));
    ASSERT_FALSE(t.has_value());
    EXPECT_NE(t.error().list.front().message.find("nested too deeply"), std::string::npos);
  }
}

// Whatever depth is read is read again from the printed text, which has more parentheses.
TEST(AsmErrors, TheDeepestConditionsComeBack) {
  for (const auto& [before, after] :
       {std::pair<std::string, std::string>{"~", ""}, {"~(x=2 /\\ x=1 \\/ ", ")"}, {"(x=2 \\/ x=1 /\\ ", ")"}}) {
    int deepest = 0;
    for (int n = 1; n < 300; ++n) {
      std::string q = "exists ";
      for (int i = 0; i < n; ++i) q += before;
      q += "x=1";
      for (int i = 0; i < n; ++i) q += after;
      const auto t = read::parse(make_source("deep.litmus", std::string(PTX2 ROW) + q));
      if (!t) continue;
      deepest = n;
      const auto back = read::parse(make_source("back.litmus", print::print(t->front())));
      ASSERT_TRUE(back.has_value()) << n << before << render(back.error());
      EXPECT_EQ(*back, *t);
    }
    EXPECT_GE(deepest, 40) << before;
    EXPECT_LT(deepest, 200) << before;
  }
}

TEST(AsmErrors, UnreadableFile) {
  const auto t = read::parse_file("no/such/file.litmus");
  ASSERT_FALSE(t.has_value());
  EXPECT_NE(t.error().list.front().message.find("cannot read"), std::string::npos);
}

// ---- `.test` notations ----------------------------------------------------------------------------------

const Bad k_khronos[] = {
    {"// nothing\n", 1, 1, "neither", "NEWWG"},
    {"NEWWG\n", 2, 1, "no instructions", "NEWTHREAD"},
    {"NEWTHREAD\nst.sc0 x\n", 2, 9, "store without a value", "x = 1"},
    {"NEWTHREAD\nrmw.scopewg.sc0 x = 1\n", 2, 22, "without both values", "x = 1 2"},
    {"NEWTHREAD\nst.atom.sc0 x = 1\n", 2, 12, "needs a scope", ".scopewg"},
    {"NEWTHREAD\nst.atom.scopewgg.sc0 x = 1\n", 2, 9, "'scopewgg' is not a modifier", "did you mean 'scopewg'?"},
    {"NEWTHREAD\nld.vis.scopedev x\n", 2, 16, "needs a storage class", ".sc0"},
    {"NEWTHREAD\nstt.sc0 x = 1\n", 2, 1, "no instruction 'stt'", "did you mean 'st'?"},
    {"NEWTHREAD\nld.sc0 x = 1 2\n", 2, 14, "unexpected '2'", "per line"},
    {"NEWTHREAD\ncbar.scopewg\n", 2, 13, "expected a barrier instance", "cbar.scopewg 0"},
    {"NEWTHREAD\navdevice x\n", 2, 10, "unexpected 'x'"},
    {"NEWTHREAD 0\nld.sc0 x\nNEWTHREAD 0\n", 3, 1, "thread 0 exists", "own number"},
    {"NEWTHREAD\nld.sc0 x\nNEWSG\nld.sc0 x\n", 4, 1, "two groups", "NEWTHREAD"},
    {"NEWTHREAD\nld.sc0 x\nNEWWG\n", 3, 1, "no thread follows", "NEWTHREAD"},
    {"NEWTHREAD 0\nld.sc0 x\nSSW 0 7\n", 3, 7, "no thread 7", "NEWTHREAD"},
    {"NEWTHREAD 0\nld.sc0 xab\nSLOC xab xbb\n", 3, 10, "no instruction uses the location 'xbb'", "did you mean 'xab'?"},
    {"NEWTHREAD 0\nld.sc0 x\nSATISFIABLE\n", 3, 1, "lacks its formula", "consistent[X]"},
    {"NEWTHREAD 0\nmembar.scopewg.semsc0\n", 2, 22, "needs an order", ".acq"},
};
const Bad k_mixedproxy[] = {
    {".global x\nd0.b0.t0 { st [x], 1; }\n", 2, 1, "expected 'physically'", "aliases"},
    {".globl x;\n.global y;\nd0.b0.t0 { }\n", 1, 2, "no declaration .globl", "did you mean 'global'?"},
    {".global x;\nd0.b0.t0 {\n  st [z], 1;\n}\n", 3, 7, "no location 'z'"},
    {".global x;\nd0.b0.t0 {\n  st x, 1;\n}\n", 3, 6, "expected '['", "[x]"},
    {".global x;\nd0.b0.t0 {\n  st.release [x], 1;\n}\n", 3, 13, "needs a scope", ".cta"},
    {".global x;\nd0.b0.t0 {\n  ld r0, [x];\n  ld r0, [x];\n}\n", 4, 6, "written twice"},
    {".global x;\nd0.b0.t0 {\n  ld r0, [x];\n}\npermit (r9 == 1) as a;\n", 5, 9, "no thread has the register 'r9'"},
    {".global x;\nd0.b0.t0 {\n  ld r0, [x];\n}\npermitt (r0 == 1) as a;\n", 5, 1, "expected permit",
     "did you mean 'permit'?"},
    {".global x;\nd0.b0.t0 {\n  ld r0, [x];\n}\npermit (r0 == 1);\n", 5, 17, "expected 'as'", "name the command"},
    {".global x;\nd0.b0.t0 {\n  ld r0, [x];\n}\n", 5, 1, "asks nothing", "permit"},
    {".global x;\nd0.b0.t0 { ld r0, [x]; }\nd0.b0.t0 { ld r1, [x]; }\n", 3, 1, "exists already", "own"},
    {".global x;\nd0.b0 { ld r0, [x]; }\n", 2, 7, "expected '.'"},
    {".global x;\nd0.b0.t0 {\n $0 r0, [x]; }\nassert (r0 == 1) as a;\n$$\n", 5, 1, "has no rows", "cells"},
    {".global x;\nd0.b0.t0 {\n $0 r0, [x]; }\nassert (r0 == $2) as a;\n$$\nld | 1\n", 4, 15, "no column '$2'",
     "$0 to $1"},
    {".global x;\nd0.b0.t0 {\n $0 r0, [x]; }\nassert (r0 == $1) as a;\n$$\nld | 1\nld\n", 7, 1,
     "this row has 1 cell, the first row 2", "'|'"},
    {".global x;\nd0.b0.t0 {\n  $0 r0, [x];\n}\n", 3, 3, "expected an instruction"},
    {".shared x;\n.global y physically aliases x;\n", 2, 2, "lies in .shared", "same memory"},
};

TEST(AsmErrors, KhronosNotation) {
  for (const Bad& b : k_khronos) expect_error(b, "bad.test");
}
TEST(AsmErrors, MixedProxyNotation) {
  for (const Bad& b : k_mixedproxy) expect_error(b, "bad.test");
}

TEST(AsmErrors, RowsOfATableAreNamed) {
  const auto t = read::parse(
      make_source("m.test", ".global x;\nd0.b0.t0 {\n  $0 r0, [x];\n}\nassert (r0 == 1) as a;\n$$\nld\nldd\n"));
  ASSERT_FALSE(t.has_value());
  EXPECT_TRUE(render(t.error()).starts_with("m.test(row 2):3:3: error: ")) << render(t.error());
}

}  // namespace

// What a PTX or VULKAN file means beyond single instructions: initial state, aliases, places, templates, jumps,
// and the question.
#include "asm_support.h"
#include "prog/syntax.h"

using namespace asm_test;
using prog::Cond;
using prog::CondValue;
using prog::Kind;

namespace {

TEST(AsmProgram, HeaderTitleRemarksAndComments) {
  const prog::Test t = parse(
      "(* before *) PTX  my test-1+po (* inside *) \"https://example.org/{x}\"\n"
      "free words between\n  \"two\n   lines\"\n<< annotation >> { x = 1; }\n P0@cta 0,gpu 0 ;\n (* c *) ld.weak r0, x "
      ";\n");
  EXPECT_EQ(t.title, "my test-1+po");
  EXPECT_EQ(t.remarks, (std::vector<std::string>{"https://example.org/{x}", "free words between", "two lines"}));
  EXPECT_EQ(t.syntax, prog::Syntax::ptx);
  expect_round_trip(t);
}

TEST(AsmProgram, LanguageInAnyCase) {
  for (const char* lang : {"PTX", "ptx", "Ptx"})
    EXPECT_EQ(parse(std::string(lang) + " t {} P0@cta 0,gpu 0; ;").dialect, prog::Dialect::ptx);
  EXPECT_EQ(parse("\xef\xbb\xbfVulkan t {} P0@sg 0,wg 0,qf 0; ;").dialect, prog::Dialect::vulkan);
}

TEST(AsmProgram, InitialState) {
  const prog::Test t = parse(
      "PTX init\n{ ;; x = 5; y = x; p = &x; n = -1; h = 0x10; P0:r1 = 7; P0:r2 = &z; 1:r0 = 0; P1:r9 = 0; P1:r8 = 3 "
      "};\n"
      " P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.weak x, r1 | ld.weak r0, w ;\n st.weak y, r2 | ;\nexists (P1:r9 = 0)\n");
  const auto object = [&](const char* name) {
    for (const auto& s : t.symbols)
      if (s.name == name) return t.objects[s.object];
    ADD_FAILURE() << name;
    return prog::Object{};
  };
  EXPECT_EQ(object("x").init, std::vector<uint64_t>{5});
  EXPECT_EQ(object("y").init, std::vector<uint64_t>{5});  // a copy, not a pointer
  EXPECT_TRUE(object("y").init_address.empty());
  EXPECT_EQ(object("p").init_address, std::vector<prog::SymbolId>{0});
  EXPECT_EQ(object("n").init, std::vector<uint64_t>{~uint64_t{0}});
  EXPECT_EQ(object("h").init, std::vector<uint64_t>{16});
  EXPECT_EQ(object("w").init, std::vector<uint64_t>{0});  // made by its first use
  EXPECT_EQ(object("z").init, std::vector<uint64_t>{0});
  // A zero is kept only where nothing else mentions the register.
  ASSERT_EQ(t.threads[0].init.size(), 2u);
  EXPECT_EQ(t.threads[0].init[0].value, 7u);
  EXPECT_EQ(t.symbols[t.threads[0].init[1].address].name, "z");
  ASSERT_EQ(t.threads[1].init.size(), 2u);
  const auto& regs = t.code(1).registers;
  EXPECT_EQ(regs[t.threads[1].init[0].reg].name, "r9");
  EXPECT_EQ(regs[t.threads[1].init[1].reg].name, "r8");
  for (const auto& r : regs) EXPECT_EQ(r.width, 64);
  expect_round_trip(t);
}

TEST(AsmProgram, PtxAliases) {
  const prog::Test t = parse(
      "PTX a\n{ x = 3; y @ generic aliases x; s @ surface aliases x; s2 @ surface aliases y; c @ constant aliases y; "
      "}\n"
      " P0@cta 0,gpu 0 ;\n ld.weak r0, y ;\n");
  ASSERT_EQ(t.objects.size(), 1u);
  ASSERT_EQ(t.symbols.size(), 5u);
  const prog::SymbolId x = 0, y = 1, s = 2, s2 = 3, c = 4;
  for (const auto& sym : t.symbols) EXPECT_EQ(sym.object, 0u);
  EXPECT_EQ(t.symbols[x].generic, x);
  EXPECT_EQ(t.symbols[y].generic, y);  // a second virtual address
  EXPECT_EQ(t.symbols[s].generic, x);  // x's virtual address through another proxy
  EXPECT_EQ(t.symbols[s2].generic, y);
  EXPECT_EQ(t.symbols[c].generic, y);
  EXPECT_EQ(t.symbols[s2].aliased, y);
  EXPECT_EQ(t.symbols[s2].proxy, "surface");
  expect_round_trip(t);
}

TEST(AsmProgram, VulkanAliasesAndSsw) {
  const prog::Test t = parse(
      "VULKAN a\n{ x = 3; y aliases x; }\n{ ssw 0 1; ssw P1 P0; }\n"
      " P0@sg 0,wg 1,qf 2 | P1@sg 3, wg 4, qf 5 ;\n ld.sc0 r0, y | avdevice ;\n");
  ASSERT_EQ(t.symbols.size(), 2u);
  EXPECT_EQ(t.symbols[1].object, t.symbols[0].object);
  EXPECT_EQ(t.symbols[1].generic, 1u);
  EXPECT_EQ(t.ssw, (std::vector<std::pair<uint32_t, uint32_t>>{{0, 1}, {1, 0}}));
  EXPECT_EQ(t.threads[0].scope, (prog::ScopePath{0, 2, 1, 0}));  // dv qf wg sg
  EXPECT_EQ(t.threads[1].scope, (prog::ScopePath{0, 5, 4, 3}));
  expect_round_trip(t);
}

TEST(AsmProgram, EqualCodeSharesOneTemplate) {
  const prog::Test t = parse(
      "PTX t\n{ P1:r0 = 1; }\n P0@cta 1,gpu 2 | P1@gpu 2, cta 3 | P2@cta 0,gpu 0 ;\n"
      " ld.weak r0, x | ld.weak  r0 , x | st.weak x, 1 ;\n st.weak y, r0 | st.weak y, r0 | ;\n");
  EXPECT_EQ(t.templates.size(), 2u);
  EXPECT_EQ(t.threads[0].templ, t.threads[1].templ);
  EXPECT_EQ(t.threads[0].scope, (prog::ScopePath{0, 2, 1}));  // sys gpu cta
  EXPECT_EQ(t.threads[1].scope, (prog::ScopePath{0, 2, 3}));
  expect_round_trip(t);
}

TEST(AsmProgram, JumpsAndLabels) {
  const prog::Test t = parse(
      "PTX t\n{}\n P0@cta 0,gpu 0 ;\n LC00: ;\n ld.weak r0, x ;\n bne r0, 1, LC00 ;\n blt r0, -3, LC01 ;\n goto LC00 "
      ";\n LC01: add r1, r0, 0 ;\n");
  const auto& code = t.instrs(0);
  ASSERT_EQ(code.size(), 7u);
  EXPECT_EQ(code[0].kind, Kind::label);
  EXPECT_EQ(code[2].kind, Kind::branch);
  EXPECT_EQ(code[2].value.op(), term::Op::ne);
  EXPECT_EQ(code[3].value.op(), term::Op::slt);
  EXPECT_EQ(code[4].kind, Kind::jump);
  EXPECT_EQ(code[4].label, code[0].label);
  EXPECT_EQ(code[6].args.size(), 2u);  // kept as written for the printer, though the value folds
  for (const auto& l : t.code(0).labels) EXPECT_EQ(code[l.at].kind, Kind::label) << l.name;
  expect_round_trip(t);
}

TEST(AsmProgram, EmptyCellsAndSpansPointAtInstructions) {
  const std::string text = "PTX t\n{}\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n | st.weak x, 1 ;\n || ;\n";
  EXPECT_FALSE(read::parse(make_source("t", text)).has_value());  // three cells
  const prog::Test t = parse("PTX t\n{}\n P0@cta 0,gpu 0|P1@cta 1,gpu 0;\n|st.weak x, 1;\n|;\n ld.weak r0,x|;\n");
  EXPECT_EQ(t.instrs(0).size(), 1u);
  EXPECT_EQ(t.instrs(1).size(), 1u);
  EXPECT_EQ(t.instrs(1)[0].span.text(), "st.weak x, 1");
  EXPECT_EQ(t.instrs(0)[0].span.position().line, 6u);
  EXPECT_EQ(t.instrs(0)[0].span.position().column, 2u);
}

// ---- questions ----------------------------------------------------------------------------------------

prog::Test asked(const std::string& question) {
  return parse("PTX t\n{ x=0; y=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n ld.weak r0, x | ld.weak r1, y ;\n" +
               question);
}

TEST(AsmProgram, Quantifiers) {
  EXPECT_EQ(asked("").quantifier, prog::Quantifier::none);
  EXPECT_EQ(asked("exists 0:r0=1").quantifier, prog::Quantifier::exists);
  EXPECT_EQ(asked("~exists (0:r0=1)").quantifier, prog::Quantifier::not_exists);
  EXPECT_EQ(asked("not exists (0:r0=1);").quantifier, prog::Quantifier::not_exists);
  EXPECT_EQ(asked("forall (0:r0=1)").quantifier, prog::Quantifier::forall);
  EXPECT_EQ(asked("final (0:r0=1) with tso: ~exists; cc: exists;").quantifier, prog::Quantifier::exists);
  const prog::Test t = asked("locations [x; 0:r0; P1:r1;] filter (0:r0 = 1) exists (1:r1 != 0)");
  EXPECT_EQ(t.locations.size(), 3u);
  EXPECT_EQ(t.filter.kind, Cond::Kind::atom);
  expect_round_trip(t);
}

TEST(AsmProgram, ConditionPrecedenceAndFlattening) {
  const Cond c = asked("exists 0:r0=1 \\/ 1:r1=2 /\\ ~x=3 /\\ y<0x10 \\/ true").condition;
  ASSERT_EQ(c.kind, Cond::Kind::or_);
  ASSERT_EQ(c.kids.size(), 3u);
  ASSERT_EQ(c.kids[1].kind, Cond::Kind::and_);
  ASSERT_EQ(c.kids[1].kids.size(), 3u);
  EXPECT_EQ(c.kids[1].kids[1].kind, Cond::Kind::not_);
  EXPECT_EQ(c.kids[1].kids[2].rhs.constant, 16u);
  EXPECT_EQ(c.kids[2].kind, Cond::Kind::always);
  const Cond nested = asked("exists ((0:r0=1 /\\ 1:r1=2) /\\ (x=3 /\\ y=4))").condition;
  EXPECT_EQ(nested.kids.size(), 4u);
  for (const char* q : {"exists 0:r0=1 \\/ 1:r1=2 /\\ ~x=3", "exists (~(0:r0=1 \\/ ~~x=2))", "forall (false)",
                        "exists (0:r0 >= -1 /\\ 0:r0 <= 1:r1)", "exists (x > 1 \\/ [x] < 2 \\/ x[0] != 3)",
                        "exists (0:r0 = &x)", "exists (x = [y])", "exists 0==0"})
    expect_round_trip(asked(q));
}

TEST(AsmProgram, LocationsInConditions) {
  const Cond c = asked("exists (x = y)").condition;
  EXPECT_EQ(c.lhs.kind, CondValue::Kind::location);
  EXPECT_EQ(c.rhs.kind, CondValue::Kind::address);  // a bare location on the right is its address
  EXPECT_EQ(asked("exists (x = [y])").condition.rhs.kind, CondValue::Kind::location);
  EXPECT_EQ(asked("exists (&x = 1)").condition.lhs.kind, CondValue::Kind::address);
  EXPECT_EQ(asked("exists (x[0] = 1)").condition.lhs.cell, 0u);
  EXPECT_EQ(asked("exists (0:r0 = -1)").condition.rhs.constant, ~uint64_t{0});
}

TEST(AsmProgram, PrintsAlignedColumns) {
  EXPECT_EQ(print::print(asked("~exists (P0:r0=1 /\\ x=2)")),
            "PTX t\n{\nx = 0;\ny = 0;\n}\n P0@cta 0, gpu 0 | P1@cta 1, gpu 0 ;\n ld.weak r0, x   | ld.weak r1, y   ;\n"
            "~exists (0:r0=1 /\\ x=2)\n");
}

}  // namespace

// The notation of NVlabs/mixedproxy.
#include "asm_support.h"

using namespace asm_test;
using prog::Cond;
using prog::Kind;

namespace {

const char* const k_text =
    "// comment\n.global x;\n.shared z;\n.global y physically aliases x;\n.texref t virtually aliases x;\n.surfref s "
    "virtually aliases y;\n\n"
    "d0.b1.t0 {\n  st [x], 42;\n  st.volatile [y], 1;\n  fence.sc.cta;\n  fence.proxy.surface;\n  fence.alias;\n}\n"
    "d0.b1.t3 {\n  ld.acquire.gpu r0, [y] == 1;\n  tld r1, [t];\n  ldc r2, [x];\n}\n"
    "d1.b0.t0 {\n  atom.add.acq_rel.gpu r3, [x], 1 == 7;\n  red.add [x], r3;\n  suld.relaxed.sys r4, [s];\n}\n";

TEST(MixedProxy, Structure) {
  using enum Tag;
  const prog::Test t =
      parse(std::string(k_text) + "permit (r1 == 42 && not (r2 != 0 || r4 == 1)) as out;\n", "a/b.test");
  EXPECT_EQ(t.title, "b");
  EXPECT_EQ(t.dialect, prog::Dialect::ptx);
  ASSERT_EQ(t.threads.size(), 3u);
  EXPECT_EQ(t.threads[0].scope, (prog::ScopePath{0, 0, 1}));
  EXPECT_EQ(t.threads[2].scope, (prog::ScopePath{0, 1, 0}));
  ASSERT_EQ(t.objects.size(), 2u);
  EXPECT_TRUE(t.objects[1].tags.has(SHARED));
  const prog::SymbolId x = 0, y = 2, tex = 3, sur = 4;
  EXPECT_EQ(t.symbols[y].generic, y);
  EXPECT_EQ(t.symbols[tex].generic, x);
  EXPECT_EQ(t.symbols[sur].generic, y);
  EXPECT_EQ(t.symbols[sur].proxy, "surface");
  const auto& p0 = t.instrs(0);
  EXPECT_EQ(to_string(p0[0].tags), to_string(TagSet{W, WEAK, GEN}));  // no order is weak
  EXPECT_EQ(to_string(p0[1].tags), to_string(TagSet{W, RLX, SYS, GEN}));
  EXPECT_EQ(to_string(p0[4].tags), to_string(TagSet{F, ALIAS}));
  EXPECT_EQ(to_string(t.instrs(1)[2].tags), to_string(TagSet{R, WEAK, CON}));
  EXPECT_EQ(t.instrs(2)[0].mnemonic, "atom.add.acq_rel.gpu");
  EXPECT_EQ(to_string(t.instrs(2)[1].store_tags), to_string(TagSet{W, RMW, RLX, GPU, GEN}));
  EXPECT_EQ(t.quantifier, prog::Quantifier::exists);
  ASSERT_EQ(t.filter.kids.size(), 2u);  // r0 == 1 and r3 == 7
  EXPECT_EQ(t.filter.kids[1].rhs.constant, 7u);
  EXPECT_EQ(t.condition.kind, Cond::Kind::and_);
  expect_round_trip(t);
}

TEST(MixedProxy, Commands) {
  const auto tests = parse_all(
      std::string(k_text) + "permit (r1 == 1) as a;\nassert (r1\n  == 2) as b;\ncheck (r4 == 0) as c;\n", "m.test");
  ASSERT_EQ(tests.size(), 3u);
  EXPECT_EQ(tests[0].title, "m-a");
  EXPECT_EQ(tests[0].quantifier, prog::Quantifier::exists);
  EXPECT_EQ(tests[1].quantifier, prog::Quantifier::forall);
  EXPECT_EQ(tests[2].quantifier, prog::Quantifier::exists);
  EXPECT_EQ(tests[1].expectations, (std::vector<prog::Expectation>{{"assert (r1 == 2) as b", "condition", true, ""}}));
  EXPECT_EQ(tests[1].filter, tests[0].filter);  // an assert, too, speaks of the filtered executions only
  for (const auto& t : tests) expect_round_trip(t);
}

TEST(MixedProxy, TableGivesOneTestPerRow) {
  const auto tests = parse_all(
      ".global x;\nd0.b0.t0 {\n  $0 [x], 1;\n  $1\n  ld r0, [x];\n}\n$2(r0 $3 1) as out;\n\n$$\n\n"
      "st       |            | assert | ==\n# a comment\nsust | fence.proxy.surface; fence.proxy.alias; | permit | "
      "!=\n",
      "dir/tab.test");
  ASSERT_EQ(tests.size(), 2u);
  EXPECT_EQ(tests[0].title, "tab-1");
  EXPECT_EQ(tests[1].title, "tab-2");
  EXPECT_EQ(tests[0].instrs(0).size(), 2u);
  EXPECT_EQ(tests[1].instrs(0).size(), 4u);
  EXPECT_EQ(tests[0].quantifier, prog::Quantifier::forall);
  EXPECT_EQ(tests[1].condition.cmp, term::Op::ne);
  for (const auto& t : tests) expect_round_trip(t);
  EXPECT_FALSE(
      read::parse_one(
          make_source("tab.test", ".global x;\nd0.b0.t0 { $0 r0, [x]; }\npermit (r0 == 1) as a;\n$$\nld\ntld\n"))
          .has_value());
}

}  // namespace

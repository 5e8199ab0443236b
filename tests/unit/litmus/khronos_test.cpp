// The notation of KhronosGroup/Vulkan-MemoryModel.
#include "asm_support.h"
#include "prog/syntax.h"

using namespace asm_test;
using prog::Cond;
using prog::Kind;

namespace {

const char* const k_text =
    "// A comment\r\n\r\n"
    "NEWWG\nNEWSG\nNEWTHREAD\nst.av.scopedev.sc0 x = 1\nst.atom.rel.scopewg.sc1.semsc0 y = 1\n"
    "NEWSG\nNEWTHREAD\nld.atom.acq.scopewg.sc1.semsc0 y = 1\nld.vis.scopedev.sc0 z\nrmw.acq.rel.semsc0.scopewg.sc1 y = "
    "1 2\n"
    "NEWTHREAD\ncbar.acq.rel.scopesg.semvis.semav.semsc0 0\nNEWWG\nNEWSG\nNEWTHREAD\navdevice\nvisdevice\n"
    "NEWQF\nNEWTHREAD 9\nmembar.acq.scopeqf.semsc1\nst.ld.atom.scopedev.sc0 w = 0 5\n"
    "SLOC x z\nSSW 2 9\n";

prog::Test sample(const std::string& questions = "SATISFIABLE consistent[X]\n") {
  return parse(k_text + questions, "dir/sample.test");
}

TEST(Khronos, Structure) {
  const prog::Test t = sample();
  EXPECT_EQ(t.title, "sample");
  EXPECT_EQ(t.syntax, prog::Syntax::vulkan_test);
  EXPECT_EQ(t.dialect, prog::Dialect::vulkan);
  ASSERT_EQ(t.threads.size(), 5u);
  const prog::ScopePath expected[] = {
      {0, 0, 0, 0}, {0, 0, 0, 1}, {0, 0, 0, 1}, {0, 0, 1, 0}, {0, 1, 0, 0}};  // dv qf wg sg
  for (size_t i = 0; i < 5; ++i) EXPECT_EQ(t.threads[i].scope, expected[i]) << i;
  // The first NEWTHREAD without a number is thread 1; 2 is the second; 9 the last.
  EXPECT_EQ(t.ssw, (std::vector<std::pair<uint32_t, uint32_t>>{{1, 4}}));
  ASSERT_EQ(t.symbols.size(), 4u);  // x y z w
  EXPECT_EQ(t.symbols[2].object, t.symbols[0].object);
  EXPECT_EQ(t.symbols[2].generic, 2u);  // another reference to the same memory
  EXPECT_EQ(t.symbols[2].aliased, 0u);
  expect_round_trip(t);
}

TEST(Khronos, InstructionsAndTags) {
  using enum Tag;
  const prog::Test t = sample();
  EXPECT_EQ(to_string(t.instrs(0)[0].tags), to_string(TagSet{W, NONPRIV, AV, DV, SC0}));
  EXPECT_EQ(to_string(t.instrs(0)[1].tags), to_string(TagSet{W, ATOM, NONPRIV, AV, REL, WG, SC1, SEMSC0}));
  const prog::Instr& rmw = t.instrs(1)[2];
  EXPECT_EQ(rmw.kind, Kind::rmw);
  EXPECT_EQ(to_string(rmw.tags), to_string(TagSet{R, RMW, ATOM, NONPRIV, VIS, ACQ, WG, SC1, SEMSC0}));
  EXPECT_EQ(to_string(rmw.store_tags), to_string(TagSet{W, RMW, ATOM, NONPRIV, AV, REL, WG, SC1, SEMSC0}));
  EXPECT_TRUE(rmw.value.is_const(2));
  const prog::Instr& bar = t.instrs(2)[0];
  EXPECT_EQ(to_string(bar.tags), to_string(TagSet{F, CBAR, B, ACQ, REL, SG, SEMSC0, SEMAV, SEMVIS}));
  EXPECT_EQ(bar.barrier.level, *vocab::level_of(prog::Dialect::vulkan, "sg"));
  EXPECT_EQ(t.instrs(4)[1].mnemonic, "rmw.scopedev.sc0");
}

TEST(Khronos, ValuesBecomeTheFilter) {
  const prog::Test t = sample();
  ASSERT_EQ(t.filter.kind, Cond::Kind::and_);
  ASSERT_EQ(t.filter.kids.size(), 3u);  // y = 1, rmw reads 1, rmw reads 0; the load of z is free
  EXPECT_EQ(t.filter.kids[0].lhs.thread, 1u);
  EXPECT_EQ(t.filter.kids[0].rhs.constant, 1u);
  EXPECT_EQ(t.filter.kids[2].lhs.thread, 4u);
  EXPECT_EQ(t.filter.kids[2].rhs.constant, 0u);
  EXPECT_EQ(t.quantifier, prog::Quantifier::exists);
  EXPECT_EQ(t.condition.kind, Cond::Kind::always);
}

TEST(Khronos, Expectations) {
  struct Row {
    const char* lines;
    std::vector<prog::Expectation> expected;
  };
  const Row rows[] = {
      {"SATISFIABLE consistent[X]", {{"SATISFIABLE consistent[X]", "condition", true, ""}}},
      {"NOSOLUTION consistent[X]  ", {{"NOSOLUTION consistent[X]", "condition", false, ""}}},
      {"SATISFIABLE consistent[X] && #dr=0", {{"SATISFIABLE consistent[X] && #dr=0", "race_free", true, ""}}},
      {"SATISFIABLE consistent[X] && #dr=0\nNOSOLUTION consistent[X] && #dr>0",
       {{"SATISFIABLE consistent[X] && #dr=0", "condition", true, ""},
        {"NOSOLUTION consistent[X] && #dr>0", "races", true, ""}}},
      {"NOSOLUTION consistent[X] && #dr=0\nSATISFIABLE consistent[X] && #dr>0",
       {{"NOSOLUTION consistent[X] && #dr=0", "race_free", false, ""},
        {"SATISFIABLE consistent[X] && #dr>0", "races", false, ""}}},
      // The other model's line does not make this one weaker.
      {"SATISFIABLE consistent[X] && #dr=0\nNOSOLUTION NOCHAINS consistent[X] && #dr>0",
       {{"SATISFIABLE consistent[X] && #dr=0", "race_free", true, ""},
        {"NOSOLUTION NOCHAINS consistent[X] && #dr>0", "races", true, "nochains"}}},
      {"SATISFIABLE consistent[X] && (#rs=2)", {{"SATISFIABLE consistent[X] && (#rs=2)", "", true, ""}}},
      {"SATISFIABLE #dr>0", {{"SATISFIABLE #dr>0", "", true, ""}}},  // says nothing of consistent executions
      {"NOSOLUTION #dr>0", {{"NOSOLUTION #dr>0", "races", true, ""}}},
  };
  for (const Row& row : rows) {
    const prog::Test t = sample(std::string(row.lines) + "\n");
    EXPECT_EQ(t.expectations, row.expected) << row.lines;
    expect_round_trip(t);
  }
}

}  // namespace

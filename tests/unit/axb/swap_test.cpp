// Compare-and-swaps and barriers in the three notations, and as litmus tests.
#include <gtest/gtest.h>

#include "axb/test.h"
#include "axb/translate.h"
#include "print/litmus.h"
#include "read/read.h"

namespace fencepost::axb {
namespace {

Expected<std::vector<axb::Test>> parsed(const std::string& text) { return parse(make_source("t.axb", text)); }

axb::Test test(const std::string& text) {
  auto tests = parsed(text);
  if (!tests || tests->size() != 1) throw std::runtime_error(tests ? "not one test" : render(tests.error()));
  return tests->front();
}

const std::string k_lock =
    "progress \"lock\"\nl = 0;\nthread 0 {\n  0: if (cas(l, 0, 1) != 0) goto 0;\n  1: l = 0;\n}\n"
    "thread 1 {\n  0: if (cas(l, 0, 1) == 0) goto 2;\n  1: if (l == 1) goto 0;\n  2: cas(l, 1, 7);\n}\n";

TEST(Swap, IsReadAndPrinted) {
  const axb::Test t = test(k_lock);
  const Instr& spin = t.threads[0].code[0];
  EXPECT_TRUE(spin.exchanges && spin.compares && spin.unless);
  EXPECT_EQ(spin.check, 0u);
  EXPECT_EQ(spin.value, 1u);
  EXPECT_FALSE(t.threads[1].code[0].unless);
  EXPECT_FALSE(is_store(t.threads[1].code[2], 2)) << "it may write nothing";
  EXPECT_EQ(to_text(t), k_lock);
  EXPECT_TRUE(validate(t));
  EXPECT_EQ(test(to_json_line(t)), t);
  axb::Test numbered = t;  // the pseudo-code has no names
  numbered.locations[0].name = "x";
  axb::Test again = test(to_pseudo_code(t));
  again.name = t.name;
  EXPECT_EQ(again, numbered);
  EXPECT_TRUE(has_compare_and_swap(t));
}

TEST(Swap, WritesAndJumps) {
  const axb::Test t = test(k_lock);
  const Instr& unless = t.threads[0].code[0];
  EXPECT_TRUE(writes(unless, 0) && !jumps(unless, 0));
  EXPECT_TRUE(!writes(unless, 5) && jumps(unless, 5));
  const Instr& swap = t.threads[1].code[0];
  EXPECT_TRUE(writes(swap, 0) && jumps(swap, 0));
  EXPECT_TRUE(!writes(swap, 5) && !jumps(swap, 5));
}

// Keys tell an exchange from a compare-and-swap, and the two ways to jump apart.
TEST(Swap, KeysDiffer) {
  const auto key = [](const std::string& line) {
    return canonical_key(test("progress \"t\" x = 0; thread 0 { 0: " + line + " x = 1; } thread 1 { x = 0; }"), true,
                         true);
  };
  const std::string a = key("if (exch(x, 1) == 0) goto 0;"), b = key("if (cas(x, 0, 1) == 0) goto 0;"),
                    c = key("if (cas(x, 0, 1) != 0) goto 0;");
  EXPECT_TRUE(a != b && b != c && a != c);
}

TEST(Swap, RefusesWithPlaceAndHint) {
  const auto says = [](const std::string& line, const std::string& part) {
    const auto t = parsed("progress \"t\"\nx = 0;\nthread 0 {\n" + line + "\n}\n");
    ASSERT_FALSE(t) << line;
    const std::string told = render(t.error());
    EXPECT_NE(told.find(part), std::string::npos) << told;
    EXPECT_NE(told.find("t.axb:4:"), std::string::npos) << told;
  };
  says("if (cas(x, 0, 1) == 1) goto 0;", "compared with the value that it expects, 0");
  says("if (cas(x, 0) == 0) goto 0;", "expected ','");
  says("if (x != 0) goto 0;", "for equality only");
  says("cas(y, 0, 1);", "unknown location 'y'");
  says("cas = 1;", "cas");
}

TEST(Barrier, IsWrittenOutAsFlags) {
  const axb::Test t = test(
      "progress \"b\" x = 0; thread 0 { x = 1; barrier; if (x == 1) goto end; } thread 1 { barrier; x = 2; } "
      "thread 2 { 0: if (x == 0) goto 2; 1: x = 3; 2: barrier; }");
  ASSERT_EQ(t.locations.size(), 4u);
  EXPECT_EQ(t.locations[1].name, "b0_0");
  EXPECT_EQ(to_text(t),
            "progress \"b\"\nx = 0, b0_0 = 0, b0_1 = 0, b0_2 = 0;\n"
            "thread 0 {\n  0: x = 1;\n  1: b0_0 = 1;\n  2: if (b0_1 == 0) goto 2;\n  3: if (b0_2 == 0) goto 3;\n"
            "  4: if (x == 1) goto end;\n}\n"
            "thread 1 {\n  0: b0_1 = 1;\n  1: if (b0_0 == 0) goto 1;\n  2: if (b0_2 == 0) goto 2;\n  3: x = 2;\n}\n"
            "thread 2 {\n  0: if (x == 0) goto 2;\n  1: x = 3;\n  2: b0_2 = 1;\n  3: if (b0_0 == 0) goto 3;\n"
            "  4: if (b0_1 == 0) goto 4;\n}\n");
  EXPECT_TRUE(validate(t));
}

TEST(Barrier, RefusesWhatItsFlagsCannotSay) {
  const auto told = [](const std::string& text) {
    const auto t = parsed(text);
    return t ? std::string("accepted") : render(t.error());
  };
  EXPECT_NE(told("progress \"b\" x = 0; thread 0 { barrier; barrier; } thread 1 { barrier; }")
                .find("thread 0 has 2 barriers and thread 1 has 1"),
            std::string::npos);
  EXPECT_NE(told("progress \"b\" x = 0; thread 0 { 0: barrier; 1: if (x == 0) goto 0; } thread 1 { barrier; }")
                .find("goes backwards over a barrier"),
            std::string::npos);
}

// There and back, through the text of a PTX litmus test.
TEST(Swap, IsALitmusTestAndBack) {
  const axb::Test t = test(
      "progress \"lock\" l = 0; thread 0 { 0: if (cas(l, 0, 1) != 0) goto 0; 1: l = 0; } "
      "thread 1 { 0: if (cas(l, 0, 1) == 0) goto end; 1: cas(l, 1, 0); }");
  const auto p = to_prog(t, vocab::Dialect::ptx);
  ASSERT_TRUE(p) << render(p.error());
  const std::string text = print::print(*p);
  EXPECT_NE(text.find("atom.relaxed.gpu.cas r0, l, 0, 1"), std::string::npos) << text;
  const auto again = read::parse_one(make_source("lock.litmus", text));
  ASSERT_TRUE(again) << render(again.error()) << text;
  const auto back = from_prog(*again);
  ASSERT_TRUE(back) << render(back.error()) << text;
  EXPECT_EQ(to_text(*back), to_text(t));
  EXPECT_FALSE(to_prog(t, vocab::Dialect::vulkan));
}

}  // namespace
}  // namespace fencepost::axb

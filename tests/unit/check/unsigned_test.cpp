// Questions about values whose declared type has no sign: in both engines, the judge and the list of outcomes. C's
// conversions decide; a constant that is no value of the type is an error, since the comparison would say nothing.
#include "enumerate_support.h"
#include "prog/test.h"

namespace fencepost::check {
namespace {

Status both(const prog::Test& t) {
  static const cat::Model opencl = shipped("opencl", vocab::Dialect::opencl);
  Options o;
  o.engine = Engine::both;
  Job job = Job::with_budget(20);
  return check(t, opencl, o, job).verdict.status;
}

// y of the type holds the value, and so does the register 0:r.
std::string holding(const std::string& type, const std::string& value, const std::string& question) {
  return "OPENCL t\n{ " + type + " y = 0; }\nP0@wg 0, dev 0 (global " + type + "* y) {\n  *y = " + value + ";\n  " +
         type + " r = *y;\n}\n" + question + "\n";
}

std::string error(const std::string& text) {
  const auto t = read::parse(make_source("t.litmus", text));
  return t ? "" : t.error().list.front().message;
}

TEST(Unsigned, OfEveryWidth) {
  const std::vector<std::tuple<std::string, std::string, std::string>> rows = {
      {"uchar", "200", "127"},
      {"ushort", "40000", "32767"},
      {"uint", "4000000000u", "2147483647"},
      {"ulong", "18000000000000000000ul", "9223372036854775807"},
      {"bool", "1", "0"},
  };
  for (const auto& [type, value, smaller] : rows) {
    std::string plain = value;
    while (plain.back() == 'u' || plain.back() == 'l') plain.pop_back();
    for (const std::string side : {"y", "0:r"}) {
      const auto ask = [&](const std::string& question) { return both(parsed(holding(type, value, question))); };
      EXPECT_EQ(ask("exists (" + side + " = " + plain + ")"), Status::holds) << type << side;
      EXPECT_EQ(ask("~exists (" + side + " = " + plain + ")"), Status::fails) << type << side;
      EXPECT_EQ(ask("forall (" + side + " > " + smaller + ")"), Status::holds) << type << side;
      EXPECT_EQ(ask("forall (" + plain + " <= " + (side == "y" ? "[y]" : side) + ")"), Status::holds) << type << side;
      EXPECT_EQ(ask("filter (" + side + " > " + smaller + ")\nexists (y = " + plain + ")"), Status::holds) << type;
      EXPECT_EQ(ask("forall (y = 0:r)"), Status::holds) << type;
    }
    Job job = Job::with_budget(20);
    const prog::Test t = parsed(holding(type, value, "locations [y;]\nexists (0:r = " + plain + ")"));
    const cat::Model m = shipped("opencl", vocab::Dialect::opencl);
    const Outcomes o = outcomes(t, m, {}, job), p = outcomes_by_solving(t, m, {}, job);
    ASSERT_EQ(o.states.states.size(), 1u);
    EXPECT_EQ(prog::to_string(o.observables, *o.states.states.begin()), "0:r=" + plain + "; y=" + plain + ";");
    EXPECT_EQ(o.states.states, p.states.states);
    EXPECT_EQ(p.positive, 1u);
  }
}

TEST(Unsigned, SignedOnesStaySigned) {
  for (const std::string type : {"char", "short", "int", "long"})
    for (const std::string side : {"y", "0:r"}) {
      EXPECT_EQ(both(parsed(holding(type, "-3", "forall (" + side + " = -3)"))), Status::holds) << type;
      EXPECT_EQ(both(parsed(holding(type, "-3", "exists (" + side + " > 0)"))), Status::fails) << type;
    }
}

// C converts a negative constant beside an unsigned type from int up; narrower types become int first.
TEST(Unsigned, NegativeConstants) {
  for (const std::string side : {"y", "0:r"}) {
    EXPECT_EQ(both(parsed(holding("uint", "4294967295u", "exists (" + side + " = -1)"))), Status::holds);
    EXPECT_EQ(both(parsed(holding("ulong", "~0ul", "exists (" + side + " = -1)"))), Status::holds);
    EXPECT_EQ(both(parsed(holding("uint", "7", "exists (" + side + " = -1)"))), Status::fails);
  }
  EXPECT_EQ(error(holding("uchar", "1", "exists (y = -1)")), "-1 is not a value of 8 bits without a sign");
  EXPECT_EQ(error(holding("ushort", "1", "exists (0:r > -1)")), "-1 is not a value of 16 bits without a sign");
}

TEST(Unsigned, AConstantThatIsNoValueIsAnError) {
  for (const std::string op : {"=", "!=", "<", ">="})
    for (const std::string quantifier : {"exists", "forall", "~exists", "exists (y = 1)\nfilter"}) {
      EXPECT_EQ(error(holding("uchar", "1", quantifier + " (y " + op + " 256)")),
                "256 is not a value of 8 bits without a sign");
      EXPECT_EQ(error(holding("char", "1", quantifier + " (200 " + op + " 0:r)")),
                "200 is not a value of 8 bits with a sign");
      EXPECT_EQ(error(holding("int", "1", quantifier + " (y " + op + " 4294967295)")),
                "4294967295 is not a value of 32 bits with a sign");
      EXPECT_EQ(error(holding("int", "1", quantifier + " (y " + op + " -2147483649)")),
                "-2147483649 is not a value of 32 bits with a sign");
      EXPECT_EQ(error(holding("uint", "1", quantifier + " (0:r " + op + " 0x100000000)")),
                "0x100000000 is not a value of 32 bits without a sign");
      EXPECT_EQ(error(holding("long", "1", quantifier + " (y " + op + " 9223372036854775808)")),
                "9223372036854775808 is not a value of 64 bits with a sign");
      EXPECT_EQ(error(holding("bool", "1", quantifier + " (y " + op + " 2)")),
                "2 is not a value of 1 bits without a sign");
    }
  EXPECT_EQ(error(holding("int", "1", "exists (y = -2147483648)")), "");
}

// An initial value of less than 32 bits is one of its type, as in a question; int and wider types convert.
TEST(Unsigned, InitialValuesAreOfTheirType) {
  const auto initial = [](const std::string& type, const std::string& value) {
    return error("OPENCL t\n{ " + type + " y = " + value + "; }\nP0@wg 0, dev 0 (global " + type + "* y) {\n  " + type +
                 " r = *y;\n}\nexists (0:r = 1)\n");
  };
  EXPECT_EQ(initial("char", "200"), "200 is not a value of 8 bits with a sign");
  EXPECT_EQ(initial("short", "40000"), "40000 is not a value of 16 bits with a sign");
  EXPECT_EQ(initial("uchar", "-1"), "-1 is not a value of 8 bits without a sign");
  EXPECT_EQ(initial("ushort", "-1"), "-1 is not a value of 16 bits without a sign");
  EXPECT_EQ(initial("uchar", "256"), "256 does not fit 8 bits");
  for (const auto& [type, value] : {std::pair("char", "-128"),
                                    {"char", "127"},
                                    {"uchar", "255"},
                                    {"short", "-32768"},
                                    {"ushort", "65535"},
                                    {"uint", "-1"},
                                    {"int", "0xffffffff"},
                                    {"ulong", "-1"}})
    EXPECT_EQ(initial(type, value), "") << type << " " << value;
}

// Two values: as C's usual arithmetic conversions have it.
TEST(Unsigned, BesideASignedValue) {
  const auto ask = [&](const std::string& a, const std::string& b, const std::string& question) {
    const std::string text =
        "OPENCL t\n{ }\nP0@wg 0, dev 0 () {\n  " + a + " a = -1;\n  " + b + " b = -1;\n}\n" + question + "\n";
    return error(text).empty() ? name(both(parsed(text))) : error(text);
  };
  EXPECT_EQ(ask("int", "uint", "forall (0:a = 0:b)"), "holds");
  EXPECT_EQ(ask("uint", "int", "forall (0:a = 0:b)"), "holds");
  EXPECT_EQ(ask("int", "ulong", "forall (0:a = 0:b)"), "holds");
  EXPECT_EQ(ask("long", "uint", "exists (0:a = 0:b)"), "fails");
  EXPECT_EQ(ask("long", "uint", "forall (0:a < 0:b)"), "holds");
  EXPECT_EQ(ask("int", "uchar", "exists (0:a = 0:b)"), "fails");
  EXPECT_EQ(ask("uchar", "uint", "forall (0:a < 0:b)"), "holds");
  EXPECT_EQ(ask("short", "uint", "forall (0:a = 0:b)"),
            "a value of 16 bits with a sign is compared with one of 32 without");
}

TEST(Unsigned, CopiesOfInitialValuesKeepThem) {
  const std::string text =
      "OPENCL t\n{ uchar y = 200; int z = *y; }\nP0@wg 0, dev 0 (global uchar* y, global int* z) {\n  int r = *z;\n}\n"
      "forall (0:r = 200)\n";
  EXPECT_EQ(both(parsed(text)), Status::holds);
}

}  // namespace
}  // namespace fencepost::check

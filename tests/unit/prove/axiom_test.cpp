// Axioms in files: what is read, what is refused, what instances say.
#include "prove/axiom.h"

#include <gtest/gtest.h>

#include <set>

#include "base/job.h"
#include "formula/solve.h"

namespace fencepost::prove {
namespace {

using formula::Pool;
using formula::Term;

Expected<std::vector<Axiom>> read(const std::string& text) { return parse_axioms(make_source("a.bpl", text)); }

std::string message(const std::string& text) {
  const auto a = read(text);
  return a ? "" : render(a.error());
}

bool follows(Pool& p, const std::vector<Axiom>& axioms, Term claim) {
  std::vector<Term> goal = instances(p, axioms);
  goal.push_back(p.not_(claim));
  formula::Statistics s;
  return formula::solve(p, goal, Job{}, nullptr, s) == formula::Answer::unsat;
}

Term call(Pool& p, const std::string& f, std::vector<Term> operands) {
  std::vector<uint8_t> widths;
  for (Term o : operands) widths.push_back(p.width(o));
  const uint8_t w = widths[0];
  return p.apply(p.symbol(function_symbol("function " + f, w, widths)), w, std::move(operands));
}

TEST(Axiom, an_increasing_operation) {
  const auto a = read(
      "type T = bv32; // a synonym\n"
      "function {:bvbuiltin \"bvule\"} ULE(T, T) : bool;\n"
      "axiom (forall x, y : T :: { F(x, y) } ULE(x, F(x, y)) && ULE(y, F(x, y)));");
  ASSERT_TRUE(a) << render(a.error());
  Pool p;
  const Term x = p.variable(32, "x"), y = p.variable(32, "y");
  EXPECT_TRUE(follows(p, *a, p.ule(y, call(p, "F", {x, y}))));
  EXPECT_FALSE(follows(p, *a, p.ule(call(p, "F", {x, y}), x)));
}

TEST(Axiom, one_of_two_and_values_side_by_side) {
  const auto a = read(
      "function {:bvbuiltin \"bvule\"} ULE(bv8, bv8) : bool;\n"
      "axiom (forall x, y : bv8 :: { F(x, y) } ULE(F(x, y), x) || ULE(F(x, y), y));\n"
      "axiom (forall x, y : bv8 :: { G(x, y) } G(x, y) ++ x == y ++ x);\n");
  ASSERT_TRUE(a) << render(a.error());
  Pool p;
  const Term x = p.variable(8, "x"), y = p.variable(8, "y"), f = call(p, "F", {x, y});
  EXPECT_TRUE(follows(p, *a, p.any(p.ule(f, x), p.ule(f, y))));
  EXPECT_FALSE(follows(p, *a, p.ule(f, x)));
  EXPECT_TRUE(follows(p, *a, p.eq(call(p, "G", {x, y}), y)));
}

TEST(Axiom, instances_bring_further_instances) {
  const auto a = read(
      "axiom (forall x, y, z : bv8 :: { G(x, F(y, z)) } G(x, F(y, z)) == G(F(x, y), z));\n"
      "axiom (forall x, y : bv8 :: { G(x, y) } G(x, y) == F(x, y));\n");
  ASSERT_TRUE(a) << render(a.error());
  Pool p;
  std::vector<Term> v;
  for (int i = 0; i < 4; ++i) v.push_back(p.variable(8, "v"));
  const auto f = [&](Term l, Term r) { return call(p, "F", {l, r}); };
  const Term right = call(p, "G", {v[0], f(v[1], f(v[2], v[3]))}), left = f(f(f(v[0], v[1]), v[2]), v[3]);
  // Not for nothing: without the axioms it does not follow, with the first alone neither.
  EXPECT_FALSE(follows(p, {}, p.eq(call(p, "G", {v[0], v[1]}), f(v[0], v[1]))));
  EXPECT_TRUE(follows(p, *a, p.eq(call(p, "G", {v[0], v[1]}), f(v[0], v[1]))));
  EXPECT_TRUE(follows(p, *a, p.eq(right, call(p, "G", {f(v[0], v[1]), f(v[2], v[3])}))));
  EXPECT_FALSE(follows(p, *a, p.eq(left, f(v[0], v[3]))));
}

TEST(Axiom, a_pattern_is_found_where_none_is_given) {
  const auto a = read("axiom (forall x : bv16 :: F(x, 0bv16) == x);\naxiom true;");
  ASSERT_TRUE(a) << render(a.error());
  Pool p;
  const Term x = p.variable(16, "x");
  EXPECT_TRUE(follows(p, *a, p.eq(call(p, "F", {x, p.constant(0, 16)}), x)));
  EXPECT_FALSE(follows(p, *a, p.eq(call(p, "F", {x, p.constant(1, 16)}), x)));
}

// Each operation, by instances of an axiom whose sides are computed.
TEST(Axiom, every_operation_has_its_formula) {
  const std::string head =
      "function {:bvbuiltin \"bvneg\"} NEG(bv8) : bv8;\nfunction {:bvbuiltin \"bvnot\"} NOT(bv8) : bv8;\n";
  struct Operation {
    const char *builtin, *arguments;
    uint64_t result;
  };
  std::string declared = head;
  const Operation numbers[] = {
      {"bvadd", "200bv8, 100bv8", 44}, {"bvsub", "3bv8, 5bv8", 254},  {"bvmul", "20bv8, 20bv8", 144},
      {"bvudiv", "200bv8, 7bv8", 28},  {"bvurem", "200bv8, 7bv8", 4}, {"bvsdiv", "249bv8, 2bv8", 253},
      {"bvsrem", "249bv8, 2bv8", 255}, {"bvand", "12bv8, 10bv8", 8},  {"bvor", "12bv8, 10bv8", 14},
      {"bvxor", "12bv8, 10bv8", 6},    {"bvshl", "129bv8, 1bv8", 2},  {"bvlshr", "129bv8, 1bv8", 64},
      {"bvashr", "129bv8, 1bv8", 192}};
  const Operation truths[] = {{"bvult", "5bv8, 200bv8", 1}, {"bvult", "5bv8, 5bv8", 0},   {"bvule", "5bv8, 5bv8", 1},
                              {"bvule", "200bv8, 5bv8", 0}, {"bvugt", "200bv8, 5bv8", 1}, {"bvugt", "5bv8, 5bv8", 0},
                              {"bvuge", "5bv8, 5bv8", 1},   {"bvuge", "5bv8, 200bv8", 0}, {"bvslt", "200bv8, 5bv8", 1},
                              {"bvslt", "5bv8, 5bv8", 0},   {"bvsle", "5bv8, 5bv8", 1},   {"bvsle", "5bv8, 200bv8", 0},
                              {"bvsgt", "5bv8, 200bv8", 1}, {"bvsgt", "5bv8, 5bv8", 0},   {"bvsge", "5bv8, 5bv8", 1},
                              {"bvsge", "200bv8, 5bv8", 0}};
  std::vector<std::pair<std::string, uint64_t>> terms;
  std::set<std::string> known;
  const auto declare = [&](const Operation& o, const char* type) {
    if (known.insert(o.builtin).second)
      declared +=
          std::string("function {:bvbuiltin \"") + o.builtin + "\"} O" + o.builtin + "(bv8, bv8) : " + type + ";\n";
  };
  for (const Operation& o : numbers) {
    declare(o, "bv8");
    terms.emplace_back(std::string("O") + o.builtin + "(" + o.arguments + ")", o.result);
  }
  const auto chosen = [](const std::string& truth) { return "(if " + truth + " then 1bv8 else 0bv8)"; };
  for (const Operation& o : truths) {
    declare(o, "bool");
    terms.emplace_back(chosen(std::string("O") + o.builtin + "(" + o.arguments + ")"), o.result);
  }
  terms.insert(terms.end(), {{"NEG(1bv8)", 255},
                             {"NOT(1bv8)", 254},
                             {"1bv4 ++ 2bv4", 18},
                             {"4660bv16[12:4]", 0x23},
                             {chosen("1bv4 ++ 2bv4 == 1bv4 ++ 2bv4"), 1},
                             {chosen("18bv8 == 1bv4 ++ 2bv4"), 1},
                             {chosen("1bv8 == 2bv8 || 1bv8 == 1bv8"), 1},
                             {chosen("1bv8 == 2bv8 || 1bv8 == 3bv8"), 0},
                             {chosen("1bv8 == 1bv8 && 1bv8 == 2bv8"), 0},
                             {chosen("1bv8 == 1bv8 && !(1bv8 == 2bv8)"), 1},
                             {chosen("1bv8 != 2bv8"), 1},
                             {chosen("1bv8 != 1bv8"), 0},
                             {chosen("1bv8 == 2bv8 ==> 1bv8 == 3bv8"), 1},
                             {chosen("1bv8 == 1bv8 ==> 1bv8 == 3bv8"), 0},
                             {chosen("1bv8 == 2bv8 <==> 1bv8 == 3bv8"), 1},
                             {chosen("1bv8 == 1bv8 <==> 1bv8 == 3bv8"), 0}});
  for (const auto& [term, result] : terms) {
    const auto a = read(declared + "axiom (forall x : bv8 :: { F(x) } F(x) == " + term + ");");
    ASSERT_TRUE(a) << term << ": " << render(a.error());
    Pool p;
    const Term x = p.variable(8, "x");
    EXPECT_TRUE(follows(p, *a, p.eq(call(p, "F", {x}), p.constant(result, 8)))) << term;
    EXPECT_FALSE(follows(p, *a, p.eq(call(p, "F", {x}), p.constant(result ^ 1, 8)))) << term;
  }
}

TEST(Axiom, what_is_refused_has_its_place) {
  EXPECT_NE(message("axiom (forall x : bv32 :: x == y);").find("a.bpl:1:32: error: 'y' is not a variable here"),
            std::string::npos)
      << message("axiom (forall x : bv32 :: x == y);");
  for (const char* text :
       {"axiom (forall x : bv32 :: { F(x) } F(x) == x;",      // a parenthesis
        "axiom (exists x : bv32 :: F(x) == x);",              // no instances
        "axiom (forall x : int :: F(x) == x);",               // integers
        "axiom (forall x : bv32 :: { x } F(x) == x);",        // no pattern
        "axiom (forall x, y : bv32 :: { F(x) } F(x) == y);",  // y is not in it
        "axiom (forall x : bv32 :: F(x) == 0bv8);",           // widths
        "axiom (forall x : bv32 :: F(x));",                   // no truth
        "axiom (forall x : bv32 :: F(x) < x);",               // of integers
        "function {:bvbuiltin \"bvfoo\"} P(bv8) : bool;", "lemma true;", "axiom 300bv8 == 0bv8;", "axiom", "/* no end"})
    EXPECT_NE(message(text), "") << text;
}

}  // namespace
}  // namespace fencepost::prove

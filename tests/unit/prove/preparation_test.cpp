// What rewriting makes of a question: the same models, and fewer unknowns.
#include "prove/preparation.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "formula/solve.h"

namespace fencepost::prove {
namespace {

using formula::Model;

struct Question {
  Pool pool;
  Products products{pool};
  Term x = pool.variable(1, "x"), y = pool.variable(1, "y"), z = pool.variable(1, "z");
  Term a = pool.variable(3, "a"), b = pool.variable(3, "b"), c = pool.variable(3, "c"), d = pool.variable(3, "d");
  Term k(uint64_t v) { return pool.constant(v, 3); }
  // Both conjunctions hold for the same values of all variables.
  void same(const std::vector<Term>& before, const std::vector<Term>& after) {
    const Term p = pool.all(before), q = pool.all(after);
    for (uint64_t v = 0; v < 1u << 15; ++v) {
      Model m;
      m.variables = {{pool.value(x), v & 1},      {pool.value(y), v >> 1 & 1}, {pool.value(z), v >> 2 & 1},
                     {pool.value(a), v >> 3 & 7}, {pool.value(b), v >> 6 & 7}, {pool.value(c), v >> 9 & 7},
                     {pool.value(d), v >> 12 & 7}};
      ASSERT_EQ(m.value(pool, p), m.value(pool, q)) << v;
    }
  }
  // In any order.
  static void expect(std::vector<Term> found, std::vector<Term> expected) {
    std::sort(found.begin(), found.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(found, expected);
  }
  static bool has(const std::vector<Term>& list, Term t) {
    return std::find(list.begin(), list.end(), t) != list.end();
  }
};

TEST(Preparation, WhatStandsAloneIsKnownInTheRest) {
  Question q;
  Pool& p = q.pool;
  const std::vector<Term> goal{p.implies(q.y, q.z), q.x, p.implies(q.x, q.y)};
  const auto r = simplified(p, goal);
  q.same(goal, r);
  EXPECT_EQ(r.size(), 3u);
  for (const Term t : {q.x, q.y, q.z}) EXPECT_TRUE(Question::has(r, t));
  const std::vector<Term> denied{p.not_(q.x), p.any({q.x, q.y, q.z})};
  const auto s = simplified(p, denied);
  q.same(denied, s);
  Question::expect(s, {p.not_(q.x), p.any(q.y, q.z)});
  const Term less = p.ult(q.a, q.b);
  const std::vector<Term> compared{p.any(p.not_(less), q.x), less};
  Question::expect(simplified(p, compared), {less, q.x});
  // In several rounds.
  std::vector<Term> links{q.x, p.implies(q.z, less), p.implies(q.y, q.z), p.implies(q.x, q.y)};
  Question::expect(simplified(p, links), {q.x, q.y, q.z, less});
}

// What is known goes into terms that no conjunction looks into, round by round.
TEST(Preparation, WhatIsKnownDeepInside) {
  Question q;
  Pool& p = q.pool;
  const Term less = p.ult(q.a, q.b), then = p.ult(q.c, q.d);
  const Term by_less = p.any(p.ult(p.ite(less, q.a, q.b), q.a), then),
             by_then = p.any(p.ult(p.ite(then, q.c, q.d), q.c), q.y);
  const std::vector<Term> goal{by_then, by_less, less};
  q.same(goal, simplified(p, goal));
  Question::expect(simplified(p, goal), {less, then, q.y});
  Question::expect(prepared(p, q.products, goal), {less, then, q.y});
  const std::vector<Term> denied{p.not_(less), p.any(p.ult(p.ite(less, q.b, q.a), q.a), then)};
  q.same(denied, simplified(p, denied));
  Question::expect(simplified(p, denied), {p.not_(less), then});
}

// An equation of truth values replaces nothing.
TEST(Preparation, EquationsOfTruthValues) {
  Question q;
  Pool& p = q.pool;
  const std::vector<Term> goal{p.eq(q.x, q.y), p.eq(q.x, q.z), p.any(q.x, p.ult(q.a, q.b))};
  const auto r = prepared(p, q.products, goal);
  q.same(goal, r);
  Question::expect(r, goal);
  const std::vector<Term> compared{p.eq(q.x, p.ult(q.a, q.b)), p.any(q.x, p.ult(q.c, q.d))};
  Question::expect(prepared(p, q.products, compared), compared);
}

TEST(Preparation, TruthValuesArePutIn) {
  Question q;
  Pool& p = q.pool;
  const std::vector<Term> goal{q.x, p.not_(q.y), p.eq(p.ite(q.x, q.a, q.b), p.ite(q.y, q.c, p.or_(q.a, q.d)))};
  const auto r = prepared(p, q.products, goal);
  q.same(goal, r);
  Question::expect(r, {q.x, p.not_(q.y), p.eq(q.a, p.or_(q.a, q.d))});
}

TEST(Preparation, VariablesAreReplacedByWhatTheyAreEqualTo) {
  Question q;
  Pool& p = q.pool;
  const Term equal = p.eq(q.a, p.and_(q.b, q.c));
  const std::vector<Term> goal{p.ult(q.a, q.d), equal};
  const auto r = prepared(p, q.products, goal);
  q.same(goal, r);
  Question::expect(r, {p.ult(p.and_(q.b, q.c), q.d), equal});
  // One after the other: b is in what a is.
  const Term second = p.eq(q.b, p.or_(q.c, q.d));
  const std::vector<Term> two{p.ult(q.a, q.d), equal, second};
  const auto s = prepared(p, q.products, two);
  q.same(two, s);
  const Term inner = p.and_(p.or_(q.c, q.d), q.c);
  EXPECT_TRUE(Question::has(s, p.ult(inner, q.d)));
  EXPECT_TRUE(Question::has(s, p.eq(q.a, inner)));
  EXPECT_TRUE(Question::has(s, second));
  // Not by what it is in itself.
  const std::vector<Term> circle{p.ult(q.a, q.d), p.eq(q.a, p.and_(q.a, q.c))};
  Question::expect(prepared(p, q.products, circle), circle);
  // Where both sides are variables, one of them.
  const std::vector<Term> alike{p.eq(q.a, q.b), p.ult(q.a, q.d), p.ult(q.c, q.b)};
  const auto t = prepared(p, q.products, alike);
  q.same(alike, t);
  EXPECT_TRUE((Question::has(t, p.ult(q.a, q.d)) && Question::has(t, p.ult(q.c, q.a))) ||
              (Question::has(t, p.ult(q.b, q.d)) && Question::has(t, p.ult(q.c, q.b))));
}

TEST(Preparation, WhatIsEqualToTheSameIsEqual) {
  Question q;
  Pool& p = q.pool;
  const Term f = p.and_(q.a, q.b), g = p.or_(q.c, q.d), h = p.xor_(q.a, q.c);
  const std::vector<Term> goal{p.eq(f, g), p.eq(f, h)};
  const auto r = prepared(p, q.products, goal);
  q.same(goal, r);
  Question::expect(r, {p.eq(f, g), p.eq(f, h), p.eq(g, h)});
  // Not by way of a constant, which says nothing.
  const std::vector<Term> constant{p.eq(f, q.k(3)), p.eq(g, q.k(3))};
  Question::expect(prepared(p, q.products, constant), constant);
}

TEST(Preparation, NumbersOfTheLaunchStay) {
  Pool pool;
  Products products(pool);
  products.launch({0, 1, 1, 0, 1, 1}, [](Term) {});
  const Term size = products.size(0, "size"), id = products.id(0, 0, "id");
  const Term v = pool.variable(32, "v"), w = pool.variable(32, "w");
  const std::vector<Term> goal{pool.eq(size, pool.and_(v, w)), pool.ult(size, v)};
  Question::expect(prepared(pool, products, goal), goal);
  const std::vector<Term> other{pool.eq(v, pool.and_(size, id)), pool.ult(v, w)};
  Question::expect(prepared(pool, products, other), {other[0], pool.ult(pool.and_(size, id), w)});
}

TEST(Preparation, AboutATerm) {
  Question q;
  Pool& p = q.pool;
  const Term one = p.ult(q.a, q.b), two = p.ult(q.b, q.c), three = p.ult(q.d, q.k(5)), four = p.ult(q.a, q.k(6));
  const std::vector<Term> goal{two, one, three, four};
  const Term asked = p.ult(q.a, q.k(2));
  // What has to do with b comes in by way of a.
  Question::expect(about(p, q.products, goal, 9, asked), {asked, one, four, two});
  Question::expect(about(p, q.products, goal, 1, asked), {asked, four});
  Question::expect(about(p, q.products, goal, 0, asked), {asked, one, four});
  Question::expect(about(p, q.products, goal, 9, p.ult(q.d, q.k(3))), {p.ult(q.d, q.k(3)), three});
  // Sizes have to do with everything, and bring nothing else in.
  Pool pool;
  Products products(pool);
  products.launch({0, 1, 1, 0, 1, 1}, [](Term) {});
  const Term size = products.size(0, "size"), groups = products.size(3, "groups");
  const Term v = pool.variable(32, "v"), w = pool.variable(32, "w");
  const Term of_size = pool.ult(size, groups), of_v = pool.ult(v, size), of_w = pool.ult(w, size);
  EXPECT_EQ(about(pool, products, {of_size, of_v, of_w}, 9, pool.ult(v, pool.constant(3, 32))),
            (std::vector<Term>{pool.ult(v, pool.constant(3, 32)), of_size, of_v}));
}

}  // namespace
}  // namespace fencepost::prove

// Sums and products as Rows keeps them: what they are made of, which numbers they can be, when they are exact; and
// equations of positions in rows without products.
#include <gtest/gtest.h>

#include "prove/rows.h"

namespace fencepost::prove {
namespace {

using Wide = __int128;

struct Terms {
  Pool pool;
  Rows rows{pool};
  // A number of 32 bits; in offsets, of 48, it is extended.
  Rows::Sum number(const std::string& name, Wide low, Wide high) {
    const Term v = pool.variable(32, name);
    return rows.leaf(pool.sext(v, 48), v, low, high);
  }
  Rows::Sum any(const std::string& name) { return number(name, -(Wide{1} << 31), (Wide{1} << 31) - 1); }
  Rows::Sum constant(int64_t c) {
    return rows.leaf(pool.constant(static_cast<uint64_t>(c) & ((uint64_t{1} << 48) - 1), 48),
                     pool.constant(static_cast<uint64_t>(c), 64), c, c);
  }
  static std::string text(const Rows::Sum& s) {
    std::string out = s.exact ? "exact" : "not";
    out += " " + std::to_string(static_cast<int64_t>(s.low)) + ".." + std::to_string(static_cast<int64_t>(s.high));
    for (const Rows::Part& p : s.parts) {
      out += " " + std::to_string(p.c);
      if (p.a) out += "*" + std::to_string(p.a.id);
      if (p.b) out += "*" + std::to_string(p.b.id);
      if (p.d) out += "*" + std::to_string(p.d.id);
    }
    return out;
  }
  std::string part(int64_t c, const Rows::Sum& a) const {
    return " " + std::to_string(c) + "*" + std::to_string(a.whole.id);
  }
};

TEST(RowSums, Leaves) {
  Terms t;
  const Rows::Sum a = t.number("a", 3, 9);
  EXPECT_EQ(Terms::text(a), "exact 3..9" + t.part(1, a));
  EXPECT_EQ(t.pool.width(a.whole), 64);
  EXPECT_EQ(Terms::text(t.constant(-5)), "exact -5..-5 -5");
  EXPECT_EQ(Terms::text(t.rows.known(t.pool.constant(7, 48))), "exact 7..7 7");
  EXPECT_EQ(Terms::text(t.rows.known(a.term)),
            "not " + std::to_string(-(int64_t{1} << 46)) + ".." + std::to_string(int64_t{1} << 46));
  t.rows.note(a);
  EXPECT_TRUE(t.rows.known(a.term).exact);
  EXPECT_EQ(t.rows.known(a.term).parts.size(), 1u);
  Rows::Sum b = a;
  b.exact = false;
  t.rows.note(b);  // once not exact, it stays so
  EXPECT_FALSE(t.rows.known(a.term).exact);
  t.rows.note(a);
  EXPECT_FALSE(t.rows.known(a.term).exact);
}

TEST(RowSums, SumsAndDifferences) {
  Terms t;
  const Rows::Sum a = t.number("a", 3, 9), b = t.number("b", -2, 5);
  EXPECT_EQ(Terms::text(t.rows.add(a, b, false, 32, false)), "exact 1..14" + t.part(1, a) + t.part(1, b));
  EXPECT_EQ(Terms::text(t.rows.add(a, b, true, 32, false)), "exact -2..11" + t.part(1, a) + t.part(-1, b));
  EXPECT_EQ(t.rows.add(a, b, false, 32, false).term, t.pool.add(a.term, b.term));
  EXPECT_EQ(t.rows.add(a, b, true, 32, false).term, t.pool.sub(a.term, b.term));
  // Numbers of four bits: -8..7.
  const auto four = [&](Wide low, Wide high, bool undefined) {
    return Terms::text(t.rows.add(t.number("x", low, high), t.constant(0), false, 4, undefined)).substr(0, 12);
  };
  EXPECT_EQ(four(-8, 7, false), "exact -8..7 ");
  EXPECT_EQ(four(-8, 8, false), "not -8..8");
  EXPECT_EQ(four(-9, 7, false), "not -9..7");
  EXPECT_EQ(four(-9, 9, true), "exact -8..7 ");
  EXPECT_EQ(four(8, 9, true), "exact 7..7 1");
  EXPECT_EQ(four(-20, -9, true), "exact -8..-8");
  Rows::Sum inexact = a;
  inexact.exact = false;
  EXPECT_FALSE(t.rows.add(inexact, b, false, 32, true).exact);
  EXPECT_FALSE(t.rows.add(b, inexact, false, 32, true).exact);
  EXPECT_TRUE(t.rows.add(b, inexact, false, 32, true).parts.empty());
  // Not of more than 24 parts.
  Rows::Sum many = t.constant(0);
  for (int i = 0; i < 24; ++i) many = t.rows.add(many, t.number("n", 0, 1), false, 32, false);
  EXPECT_FALSE(many.exact);
  Rows::Sum few = t.number("n", 0, 1);
  for (int i = 0; i < 23; ++i) few = t.rows.add(few, t.number("n", 0, 1), false, 32, false);
  EXPECT_TRUE(few.exact);
}

TEST(RowSums, Products) {
  Terms t;
  const Rows::Sum a = t.number("a", -3, 9), b = t.number("b", -2, 5), sum = t.rows.add(a, b, false, 32, false);
  const auto times = [&](const Rows::Sum& x, const Rows::Sum& y) {
    return Terms::text(t.rows.multiply(x, y, 32, false));
  };
  EXPECT_EQ(times(a, t.constant(4)), "exact -12..36" + t.part(4, a));
  EXPECT_EQ(times(t.constant(4), a), "exact -12..36" + t.part(4, a));
  EXPECT_EQ(times(t.constant(-4), sum), "exact -56..20" + t.part(-4, a) + t.part(-4, b));
  EXPECT_EQ(times(t.constant(3), t.constant(5)), "exact 15..15 15");
  EXPECT_EQ(times(a, b), "exact -18..45" + t.part(1, a) + "*" + std::to_string(b.whole.id));
  EXPECT_EQ(t.rows.multiply(a, b, 32, false).term, t.pool.mul(a.term, b.term));
  // A sum that is a factor is one number: what its term says.
  EXPECT_EQ(Terms::text(t.rows.multiply(sum, b, 32, false)),
            "exact -28..70 1*" + std::to_string(t.pool.sext(sum.term, 64).id) + "*" + std::to_string(b.whole.id));
  const auto exact = [&](int64_t c, Wide high) {
    return t.rows.multiply(t.constant(c), t.number("x", 0, high), 32, true).exact;
  };
  EXPECT_TRUE(exact(16383, 9));
  EXPECT_FALSE(exact(16384, 9));
  EXPECT_TRUE(exact(-16383, 9));
  EXPECT_FALSE(exact(-16384, 9));
  // Coefficients stay below 2^40.
  Rows::Sum large = t.number("x", 0, 1);
  large.parts[0].c = (int64_t{1} << 40) - 1;
  EXPECT_TRUE(t.rows.multiply(t.constant(2), large, 64, true).exact);
  large.parts[0].c = int64_t{1} << 40;
  EXPECT_FALSE(t.rows.multiply(t.constant(2), large, 64, true).exact);
  large.parts[0].c = -(int64_t{1} << 40);
  EXPECT_FALSE(t.rows.multiply(t.constant(2), large, 64, true).exact);
  large.parts[0].c = 1 - (int64_t{1} << 40);
  EXPECT_TRUE(t.rows.multiply(t.constant(2), large, 64, true).exact);
  Rows::Sum inexact = a;
  inexact.exact = false;
  EXPECT_FALSE(t.rows.multiply(inexact, b, 32, true).exact);
  EXPECT_FALSE(t.rows.multiply(b, inexact, 32, true).exact);
  EXPECT_FALSE(t.rows.multiply(b, b, 3, false).exact);
  EXPECT_TRUE(t.rows.multiply(b, b, 6, false).exact);
}

// y * w + x of two threads.
struct Positions : Terms {
  Rows::Sum w = any("w"), x[2] = {any("x"), any("x'")}, y[2] = {any("y"), any("y'")};
  Rows::Sum product(const Rows::Sum& a, const Rows::Sum& b) { return rows.multiply(a, b, 32, true); }
  Rows::Sum plus(const Rows::Sum& a, const Rows::Sum& b) { return rows.add(a, b, false, 32, true); }
  Term zero = pool.constant(0, 64);
  // Rows of a length below 0 lie below 0.
  Term outside_of_row() {
    const Term row = pool.ite(pool.slt(w.whole, zero), pool.neg(w.whole), w.whole);
    std::vector<Term> above, below;
    for (const Rows::Sum& n : x) {
      above.push_back(pool.all(pool.sle(zero, n.whole), pool.slt(n.whole, row)));
      below.push_back(pool.all(pool.sle(n.whole, zero), pool.slt(pool.neg(row), n.whole)));
    }
    const Term within = pool.any(pool.all(above), pool.all(below));
    return pool.not_(pool.all(pool.ne(zero, w.whole), within));
  }
  std::vector<Term> asked;
  std::vector<Term> split(const Rows::Sum& a, const Rows::Sum& b, bool excluded = true) {
    rows.note(a);
    rows.note(b);
    asked.clear();
    return rows.split(a.term, b.term, [&](const std::vector<Term>&, Term t) {
      asked.push_back(t);
      return excluded;
    });
  }
};

TEST(RowSums, ProductsOfThree) {
  Terms t;
  const Rows::Sum a = t.number("a", 0, 9), b = t.number("b", 0, 9), c = t.number("c", 0, 9), d = t.number("d", 0, 9);
  const auto times = [&](const Rows::Sum& x, const Rows::Sum& y) { return t.rows.multiply(x, y, 32, false); };
  const Rows::Sum ab = times(a, b);
  const std::string all = t.part(1, a) + "*" + std::to_string(b.whole.id) + "*" + std::to_string(c.whole.id);
  EXPECT_EQ(Terms::text(times(ab, c)), "exact 0..729" + all);
  // In one order, whichever product was made first.
  EXPECT_EQ(Terms::text(times(c, ab)), "exact 0..729" + all);
  EXPECT_EQ(Terms::text(times(times(c, b), a)), "exact 0..729" + all);
  const auto coefficient = [&](const Rows::Sum& s) { return s.exact && s.parts.size() == 1 ? s.parts[0].c : 0; };
  EXPECT_EQ(coefficient(times(times(ab, t.constant(3)), times(c, t.constant(5)))), 15);
  // Four are two: the factors that are products are numbers of their own.
  const Rows::Sum four = times(ab, times(c, d));
  ASSERT_EQ(four.parts.size(), 1u);
  EXPECT_FALSE(four.parts[0].d);
  ASSERT_EQ(times(times(ab, c), d).parts.size(), 1u);
  EXPECT_FALSE(times(times(ab, c), d).parts[0].d);
  // A product that may wrap is a number of its own, too.
  const Rows::Sum wraps = t.rows.multiply(a, b, 6, false);
  EXPECT_FALSE(wraps.exact);
  EXPECT_FALSE(times(wraps, c).exact);
}

// (z * h + y) * w + x, written as z * h * w + y * w + x.
TEST(RowSums, Planes) {
  Terms t;
  const Rows::Sum w = t.any("w"), h = t.any("h");
  const auto add = [&](const Rows::Sum& x, const Rows::Sum& y) { return t.rows.add(x, y, false, 32, true); };
  const auto times = [&](const Rows::Sum& x, const Rows::Sum& y) { return t.rows.multiply(x, y, 32, true); };
  const auto position = [&](int i) {
    const std::string n = std::to_string(i);
    const Rows::Sum x = t.any("x" + n), y = t.any("y" + n), z = t.any("z" + n);
    const Rows::Sum s = add(add(times(times(z, h), w), times(y, w)), x);
    t.rows.note(s);
    return s.term;
  };
  const Term left = position(0), right = position(1);
  size_t asked = 0;
  const auto yes = [&](const std::vector<Term>&, Term) { return ++asked > 0; };
  const auto no = [](const std::vector<Term>&, Term) { return false; };
  // x, y and z are equal: each where the rest is in its row.
  EXPECT_EQ(t.rows.split(left, right, yes).size(), 3u);
  EXPECT_EQ(asked, 2u);
  EXPECT_TRUE(t.rows.split(left, right, no).empty());
}

TEST(RowSums, PositionsInARow) {
  Positions p;
  const auto position = [&](size_t t) { return p.plus(p.product(p.y[t], p.w), p.x[t]); };
  const auto said = p.split(position(0), position(1));
  EXPECT_EQ(said, (std::vector<Term>{p.pool.eq(p.x[0].whole, p.x[1].whole), p.pool.eq(p.y[0].whole, p.y[1].whole)}));
  // What had to be excluded: that a rest is not in its row.
  ASSERT_EQ(p.asked.size(), 1u);
  EXPECT_EQ(p.asked[0], p.outside_of_row());
  EXPECT_TRUE(p.split(position(0), position(1), false).empty());
  EXPECT_EQ(p.asked.size(), 1u);
}

TEST(RowSums, RestsOfKnownSize) {
  Positions p;
  const auto position = [&](size_t t, int64_t c) {
    return p.plus(p.plus(p.product(p.y[t], p.w), p.product(p.constant(c), p.x[t])), p.constant(t == 0 ? 3 : 1));
  };
  const auto said = p.split(position(0, 2), position(1, 2));
  ASSERT_EQ(said.size(), 2u);
  // 2 * x + 3 = 2 * x' + 1 in 64 bits, that is x + 1 = x'.
  EXPECT_EQ(said[0], p.pool.eq(p.pool.add(p.x[0].whole, p.pool.constant(1, 64)), p.x[1].whole));
  EXPECT_EQ(said[1], p.pool.eq(p.y[0].whole, p.y[1].whole));
  const Term rest =
      p.pool.add(p.pool.sub(p.pool.scale(p.x[0].whole, 2), p.pool.scale(p.x[1].whole, 2)), p.pool.constant(2, 64));
  ASSERT_EQ(p.asked.size(), 1u);
  EXPECT_EQ(p.asked[0],
            p.pool.not_(p.pool.all(p.pool.slt(p.zero, p.w.whole),
                                   p.pool.all(p.pool.slt(rest, p.w.whole), p.pool.slt(p.pool.neg(p.w.whole), rest)))));
}

TEST(RowSums, UnitsOfRows) {
  Positions p;
  const auto position = [&](size_t t) { return p.product(p.constant(4), p.plus(p.product(p.y[t], p.w), p.x[t])); };
  const auto said = p.split(position(0), position(1));
  EXPECT_EQ(said, (std::vector<Term>{p.pool.eq(p.x[0].whole, p.x[1].whole), p.pool.eq(p.y[0].whole, p.y[1].whole)}));
  ASSERT_EQ(p.asked.size(), 1u);
  EXPECT_EQ(p.asked[0], p.outside_of_row());
}

TEST(RowSums, RowsOfRows) {
  Positions p;
  const Rows::Sum h = p.any("h"), z[2] = {p.any("z"), p.any("z'")};
  const auto position = [&](size_t t) { return p.plus(p.product(p.plus(p.product(z[t], h), p.y[t]), p.w), p.x[t]); };
  for (const size_t t : {0u, 1u}) p.rows.note(p.plus(p.product(z[t], h), p.y[t]));
  const auto said = p.split(position(0), position(1));
  EXPECT_EQ(said, (std::vector<Term>{p.pool.eq(p.x[0].whole, p.x[1].whole), p.pool.eq(p.y[0].whole, p.y[1].whole),
                                     p.pool.eq(z[0].whole, z[1].whole)}));
  EXPECT_EQ(p.asked.size(), 2u);
}

// (x * w + y) * w + x: what is equal by the first step is one number in the second.
TEST(RowSums, OneNumberTwice) {
  Positions p;
  const auto position = [&](size_t t) {
    return p.plus(p.product(p.plus(p.product(p.x[t], p.w), p.y[t]), p.w), p.x[t]);
  };
  for (const size_t t : {0u, 1u}) p.rows.note(p.plus(p.product(p.x[t], p.w), p.y[t]));
  const auto said = p.split(position(0), position(1));
  EXPECT_EQ(said, (std::vector<Term>{p.pool.eq(p.x[0].whole, p.x[1].whole), p.pool.eq(p.y[0].whole, p.y[1].whole)}));
  EXPECT_EQ(p.asked.size(), 1u);
}

// Rests that are no two numbers of one unit.
TEST(RowSums, OtherRests) {
  Positions p;
  const auto row = [&](size_t t) { return p.product(p.y[t], p.w); };
  const auto question = [&](Term rest, Term far) {
    const Term within = p.pool.all(p.pool.slt(rest, p.w.whole), p.pool.slt(p.pool.neg(p.w.whole), rest));
    return p.pool.not_(p.pool.all(p.pool.slt(p.zero, p.w.whole), p.pool.any(far, within)));
  };
  const Term x = p.x[0].whole, z = p.x[1].whole;
  EXPECT_EQ(p.split(p.plus(p.plus(row(0), p.x[0]), p.x[1]), row(1)).size(), 2u);
  EXPECT_EQ(p.asked, (std::vector<Term>{question(p.pool.add(x, z), p.pool.no())}));
  EXPECT_EQ(p.split(p.plus(row(0), p.product(p.constant(2), p.x[0])), row(1)).size(), 2u);
  EXPECT_EQ(p.asked, (std::vector<Term>{question(p.pool.scale(x, 2), p.pool.no())}));
  // Constants alone.
  const auto alike = p.split(p.plus(row(0), p.constant(3)), p.plus(row(1), p.constant(3)));
  EXPECT_EQ(alike, (std::vector<Term>{p.pool.yes(), p.pool.eq(p.y[0].whole, p.y[1].whole)}));
  const auto apart = p.split(p.plus(row(0), p.constant(3)), p.plus(row(1), p.constant(1)));
  ASSERT_EQ(apart.size(), 2u);
  EXPECT_EQ(apart[0], p.pool.no());
  // Rests stay below 2^46.
  const auto many = [&](const Rows::Sum& n) { return p.product(p.constant(16383), n); };
  EXPECT_FALSE(p.split(p.plus(row(0), many(p.x[0])), row(1)).empty());
  EXPECT_FALSE(p.split(row(0), p.plus(row(1), many(p.x[0]))).empty());
  const Rows::Sum sum = p.plus(many(p.x[0]), p.plus(many(p.x[1]), many(p.any("u"))));
  EXPECT_TRUE(p.split(p.plus(row(0), sum), row(1)).empty());
  EXPECT_TRUE(p.split(row(0), p.plus(row(1), sum)).empty());
}

// A row that may be longer than any rest.
TEST(RowSums, LongRows) {
  Positions p;
  const Term l = p.pool.variable(64, "l");
  const Rows::Sum w = p.rows.leaf(p.pool.extract(l, 0, 48), l, -(Wide{1} << 40), Wide{1} << 40);
  const auto position = [&](size_t t) {
    return p.plus(p.rows.multiply(p.y[t], w, 64, true), p.product(p.constant(2), p.x[t]));
  };
  ASSERT_EQ(p.split(position(0), position(1)).size(), 2u);
  const Term rest = p.pool.sub(p.pool.scale(p.x[0].whole, 2), p.pool.scale(p.x[1].whole, 2));
  const Term within = p.pool.all(p.pool.slt(rest, l), p.pool.slt(p.pool.neg(l), rest));
  const Term far = p.pool.sle(p.pool.constant(uint64_t{1} << 46, 64), l);
  EXPECT_EQ(p.asked, (std::vector<Term>{p.pool.not_(p.pool.all(p.pool.slt(p.zero, l), p.pool.any(far, within)))}));
}

// (x * w + y) * w + r: x and x' are one number only where the first step says so.
TEST(RowSums, NumbersThatAreNotOne) {
  Positions p;
  const auto position = [&](size_t t, const Rows::Sum& rest) {
    const Rows::Sum inner = p.plus(p.product(p.x[t], p.w), p.y[t]);
    p.rows.note(inner);
    return p.plus(p.product(inner, p.w), rest);
  };
  const Term x = p.pool.eq(p.x[0].whole, p.x[1].whole), y = p.pool.eq(p.y[0].whole, p.y[1].whole);
  const auto by = [&](int64_t c, size_t t) { return p.product(p.constant(c), p.x[t]); };
  const auto other = p.split(position(0, by(2, 0)), position(1, by(3, 1)));
  ASSERT_EQ(other.size(), 3u);
  EXPECT_EQ(other[0], p.pool.eq(p.pool.scale(p.x[0].whole, 2), p.pool.scale(p.x[1].whole, 3)));
  EXPECT_EQ(other[1], y);
  EXPECT_EQ(other[2], x);
  const auto constant = p.split(position(0, p.x[0]), position(1, p.constant(5)));
  ASSERT_EQ(constant.size(), 3u);
  EXPECT_EQ(constant[1], y);
  EXPECT_EQ(constant[2], x);
  const auto turned = p.split(position(0, p.constant(5)), position(1, p.x[1]));
  ASSERT_EQ(turned.size(), 3u);
  EXPECT_EQ(turned[1], y);
  EXPECT_EQ(turned[2], x);
}

TEST(RowSums, WithoutProducts) {
  Positions p;
  // Small sums say nothing new.
  EXPECT_TRUE(p.split(p.plus(p.x[0], p.y[0]), p.plus(p.x[1], p.y[1])).empty());
  // Numbers that offsets are too narrow for.
  const Term l = p.pool.variable(64, "l"), m = p.pool.variable(64, "m");
  const Rows::Sum a = p.rows.leaf(p.pool.extract(l, 0, 48), l, -(Wide{1} << 63), (Wide{1} << 63) - 1),
                  b = p.rows.leaf(p.pool.extract(m, 0, 48), m, -(Wide{1} << 63), (Wide{1} << 63) - 1);
  EXPECT_EQ(p.split(a, b), (std::vector<Term>{p.pool.eq(l, m)}));
  const Term s = p.pool.sext(p.pool.variable(47, "s"), 64), u = p.pool.zext(p.pool.variable(46, "u"), 64);
  const Rows::Sum c = p.rows.leaf(p.pool.extract(s, 0, 48), s, -(Wide{1} << 46), (Wide{1} << 46) - 1),
                  d = p.rows.leaf(p.pool.extract(u, 0, 48), u, 0, (Wide{1} << 46) - 1);
  EXPECT_TRUE(p.split(c, d).empty());
  const Term o = p.pool.zext(p.pool.variable(47, "o"), 64);
  const Rows::Sum e = p.rows.leaf(p.pool.extract(o, 0, 48), o, 0, (Wide{1} << 47) - 1);
  EXPECT_EQ(p.split(e, d), (std::vector<Term>{p.pool.eq(o, u)}));
  // Nothing is known of the other side.
  const Term lonely = p.pool.variable(48, "lonely");
  EXPECT_TRUE(p.rows.split(a.term, lonely, [](const auto&, Term) { return true; }).empty());
  EXPECT_TRUE(p.rows.split(lonely, a.term, [](const auto&, Term) { return true; }).empty());
}

}  // namespace
}  // namespace fencepost::prove

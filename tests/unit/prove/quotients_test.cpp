// Quotients and remainders as numbers of their own: whatever is said of them holds of all numbers, where a divisor is
// 0, a dividend negative or a product wraps too; and it is enough for what questions need.
#include "prove/quotients.h"

#include <gtest/gtest.h>

#include "base/job.h"
#include "formula/solve.h"

namespace fencepost::prove {
namespace {

using formula::Answer;
using formula::Model;
using formula::Op;

// Two dividends, three sizes and what kernels make of them.
struct Numbers {
  Pool pool;
  Quotients quotients{pool};
  Term i, j, n, h, c, guard;
  bool is_signed;
  std::vector<Term> made;

  Numbers(uint8_t width, bool as_signed, uint8_t of_sizes = 0) : is_signed(as_signed) {
    const auto size = [&](const char* name) {
      const uint8_t w = of_sizes == 0 ? width : of_sizes;
      const Term t = pool.variable(w, name);
      return is_signed ? pool.sext(t, width) : pool.zext(t, width);
    };
    i = pool.variable(width, "i");
    j = pool.variable(width, "j");
    n = size("n");
    h = size("h");
    c = size("c");
    guard = pool.variable(1, "guard");
  }
  Term over(Term a, Term b) { return is_signed ? pool.sdiv(a, b) : pool.udiv(a, b); }
  Term rest(Term a, Term b) { return is_signed ? pool.srem(a, b) : pool.urem(a, b); }
  Term less(Term a, Term b) { return is_signed ? pool.slt(a, b) : pool.ult(a, b); }
  void make() {
    const Term nh = pool.mul(n, h), hc = pool.mul(h, c), nhc = pool.mul(nh, c);
    for (const Term x : {i, j})
      for (const Term y : {over(x, n), rest(x, n), over(over(x, n), h), rest(over(x, n), h), over(x, nh),
                           pool.mul(over(x, n), n), pool.mul(rest(x, n), h), over(x, hc)})
        made.push_back(y);
    made.insert(made.end(), {nh, hc, nhc, rest(h, i), pool.mul(n, n), over(rest(i, nh), n)});
  }
  // What is said of them.
  std::vector<Term> said() {
    std::vector<Term> goal;
    for (const Term t : made) goal.push_back(pool.eq(t, pool.variable(pool.width(t), "is")));
    std::vector<Term> out = quotients.apart(goal, {{n, h, guard}}).goal;
    // As they are made, the equations come first.
    EXPECT_GT(out.size(), goal.size());
    return {out.begin() + static_cast<std::ptrdiff_t>(goal.size()), out.end()};
  }
};

bool fits(const Pool& pool, const Model& model, const Quotients::Stand& s) {
  const formula::Node& p = pool[s.of];
  const uint64_t a = model.value(pool, p.kids[0]), b = model.value(pool, p.kids[1]);
  const __int128 half = __int128{1} << (p.width - 1);
  const auto x = static_cast<__int128>(formula::as_signed(a, p.width)) * formula::as_signed(b, p.width);
  return s.kind == Quotients::Stand::no_signed_overflow
             ? x >= -half && x < half
             : static_cast<unsigned __int128>(a) * b <= formula::ones(p.width);
}

// Holds what is said against arithmetic on these values of i, j, n, h and c.
void hold(Numbers& x, const std::vector<Term>& said, const std::array<uint64_t, 5>& values) {
  const auto plain = [&](Term t) {
    while (x.pool[t].op == Op::sext || x.pool[t].op == Op::zext) t = x.pool[t].kids[0];
    return t;
  };
  Model exact;
  size_t k = 0;
  for (const Term t : {x.i, x.j, x.n, x.h, x.c}) {
    const Term v = plain(t);
    exact.variables[x.pool.value(v)] = values[k++] & formula::ones(x.pool.width(v));
  }
  Model all;
  all.variables = exact.variables;
  for (const Quotients::Stand& s : x.quotients.stands())
    all.variables[x.pool.value(s.variable)] =
        s.kind == Quotients::Stand::value ? exact.value(x.pool, s.of) : fits(x.pool, exact, s);
  const Term nh = x.pool.mul(x.n, x.h);
  all.variables[x.pool.value(x.guard)] =
      x.pool[nh].op == Op::mul && fits(x.pool, exact, {Quotients::Stand::no_signed_overflow, {}, nh});
  for (const Term t : said)
    ASSERT_NE(all.value(x.pool, t), 0u) << x.pool.print(t) << " of " << values[0] << " " << values[1] << " "
                                        << values[2] << " " << values[3] << " " << values[4];
}

TEST(Quotients, what_is_said_holds_of_all_small_numbers) {
  for (const bool is_signed : {false, true}) {
    Numbers x(3, is_signed);
    x.make();
    const std::vector<Term> said = x.said();
    for (uint64_t v = 0; v < 1u << 15; v += 11) {
      hold(x, said, {v & 7, v >> 3 & 7, v >> 6 & 7, v >> 9 & 7, v >> 12});
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(Quotients, what_is_said_holds_at_the_corners) {
  Rng rng(7);
  for (const bool is_signed : {false, true})
    for (const auto& [width, of_sizes] : {std::pair<uint8_t, uint8_t>{32, 0}, {64, 0}, {64, 32}, {32, 16}}) {
      Numbers x(width, is_signed, of_sizes);
      x.make();
      const std::vector<Term> said = x.said();
      const auto number = [&]() -> uint64_t {
        const uint64_t power = uint64_t{1} << rng.below(width);
        switch (rng.below(5)) {
          case 0:
            return rng.below(9);
          case 1:
            return power + rng.below(3) - 1;
          case 2:
            return ~uint64_t{0} - rng.below(9);
          case 3:
            return rng.below(power);
          default:
            return rng.next();
        }
      };
      for (int round = 0; round < 400; ++round) {
        std::array<uint64_t, 5> v{};
        for (uint64_t& y : v) y = number();
        if (rng.chance(0.3)) v[0] = v[2] * v[3] + rng.below(3) - 1;  // around a multiple
        if (rng.chance(0.3)) v[1] = v[0] + rng.below(3) - 1;
        hold(x, said, v);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
}

// A question about quotients and remainders, with what is said of them alone.
Answer asked(Numbers& x, const std::vector<Term>& goal, const std::vector<Quotients::Kept>& kept = {}) {
  formula::Statistics statistics;
  return formula::solve(x.pool, x.quotients.apart(goal, kept).goal, Job::with_budget(20), nullptr, statistics);
}

// i and j have one row and one column; i is in a row behind the last.
TEST(Quotients, what_is_said_is_enough) {
  for (const bool is_signed : {false, true}) {
    Numbers x(32, is_signed);
    Pool& p = x.pool;
    const Term zero = p.constant(0, 32), some = p.ne(x.n, zero), row = x.over(x.i, x.n);
    const std::vector<Term> same{p.eq(row, x.over(x.j, x.n)), p.eq(x.rest(x.i, x.n), x.rest(x.j, x.n)), p.ne(x.i, x.j)};
    std::vector<Term> positive = same;
    positive.push_back(x.less(zero, x.n));
    positive.push_back(p.sle(zero, x.i));
    positive.push_back(p.sle(zero, x.j));
    EXPECT_EQ(asked(x, positive), Answer::unsat);
    EXPECT_EQ(asked(x, {same[0], same[2], some}), Answer::sat);
    EXPECT_EQ(asked(x, {same[1], same[2], some}), Answer::sat);
    const std::vector<Term> behind{x.less(x.i, p.mul(x.n, x.h)), p.sle(zero, x.i), x.less(zero, x.n),
                                   p.not_(x.less(row, x.h))};
    // As it may wrap, or overflow; unless that is promised where a guard holds.
    EXPECT_EQ(asked(x, behind), Answer::sat);
    EXPECT_EQ(asked(x, behind, {{x.n, x.h, x.guard}}), Answer::sat);
    std::vector<Term> guarded = behind;
    guarded.push_back(x.guard);
    guarded.push_back(p.sle(zero, x.h));
    guarded.push_back(p.sle(zero, x.n));
    EXPECT_EQ(asked(x, guarded, {{x.h, x.n, x.guard}}), Answer::unsat);
    EXPECT_EQ(asked(x, guarded), Answer::sat);
  }
}

// A divisor that is 0 leaves what is divided, as SMT-LIB has it; of signed numbers nothing.
TEST(Quotients, what_is_said_of_a_divisor_that_is_zero) {
  for (const bool is_signed : {false, true}) {
    Numbers x(32, is_signed);
    Pool& p = x.pool;
    const Term zero = p.constant(0, 32), none = p.eq(x.n, zero);
    const Term quotient = is_signed ? zero : p.constant(0xffffffff, 32), left = is_signed ? zero : x.i;
    EXPECT_EQ(asked(x, {none, p.ne(x.over(x.i, x.n), quotient)}), Answer::unsat) << is_signed;
    EXPECT_EQ(asked(x, {none, p.ne(x.rest(x.i, x.n), left)}), Answer::unsat) << is_signed;
    EXPECT_EQ(asked(x, {none, p.eq(x.over(x.i, x.n), quotient), p.eq(x.rest(x.i, x.n), left)}), Answer::sat);
  }
}

// Only a division by what is no constant is set apart.
TEST(Quotients, what_divides) {
  Numbers x(32, false);
  const Term seven = x.pool.constant(7, 32);
  const Term constant = x.pool.eq(x.over(x.i, seven), x.n), product = x.pool.eq(x.pool.mul(x.n, x.h), x.c);
  EXPECT_FALSE(x.quotients.any({constant, product}));
  EXPECT_TRUE(x.quotients.any({constant, x.pool.not_(x.pool.eq(x.rest(x.i, x.n), x.c))}));
}

// Divisors alone are given numbers.
TEST(Quotients, divisors_as_numbers) {
  Numbers x(32, false);
  const Term goal = x.pool.eq(x.over(x.i, x.n), x.h);
  const auto fixed = x.quotients.with_lengths({goal}, [](Term) { return std::optional<uint64_t>(3); });
  EXPECT_EQ(fixed, (std::vector<Term>{x.pool.eq(x.n, x.pool.constant(3, 32)),
                                      x.pool.eq(x.over(x.i, x.pool.constant(3, 32)), x.h)}));
  EXPECT_EQ(x.quotients.with_lengths({goal}, [](Term) { return std::nullopt; }), std::vector<Term>{goal});
}

}  // namespace
}  // namespace fencepost::prove

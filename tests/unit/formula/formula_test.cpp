// Rewriting never changes a value, ranges hold, and the solver agrees with evaluation.
#include <gtest/gtest.h>

#include "base/job.h"
#include "formula/pool.h"
#include "formula/solve.h"

namespace fencepost::formula {
namespace {

// A random expression beside its value under a fixed assignment, computed without the rewriting.
struct Pair {
  Term term;
  uint64_t value;
};

struct Generator {
  Pool pool;
  Rng rng;
  std::vector<Pair> leaves;
  Model model;

  explicit Generator(uint64_t seed) : rng(seed) {
    for (const uint8_t w : {1, 3, 6, 8, 8, 16, 32}) {
      const Term v = pool.variable(w, "v" + std::to_string(leaves.size()));
      const uint64_t x = rng.chance(0.3) ? rng.below(4) & ones(w) : rng.next() & ones(w);
      model.variables[pool[v].value] = x;
      leaves.push_back({v, x});
    }
  }

  Pair sized(Pair p, uint8_t w) {
    const uint8_t from = pool.width(p.term);
    if (from == w) return p;
    if (from > w) {
      const auto low = static_cast<uint8_t>(rng.below(from - w + 1u));
      return {pool.extract(p.term, low, w), (p.value >> low) & ones(w)};
    }
    if (rng.chance(0.7)) return {pool.zext(p.term, w), p.value};
    return {pool.sext(p.term, w), static_cast<uint64_t>(as_signed(p.value, from)) & ones(w)};
  }

  Pair make(uint8_t w, int depth) {
    if (depth == 0) {
      if (rng.chance(0.35)) {
        static constexpr uint64_t k_edges[] = {0, 1, 2, 3, 4, 7, 8, 12, 15, 16, 63, 64, ~0ull, ~1ull, 0x80, 0x7f};
        const uint64_t v = k_edges[rng.below(std::size(k_edges))] & ones(w);
        return {pool.constant(v, w), v};
      }
      return sized(leaves[rng.below(leaves.size())], w);
    }
    const uint64_t m = ones(w);
    if (w == 1 && rng.chance(0.7)) {
      static constexpr uint8_t k_widths[] = {1, 4, 8, 16, 32};
      const uint8_t k = k_widths[rng.below(5)];
      const Pair a = make(k, depth - 1);
      const Pair b = make(k, depth - 1);
      const int64_t sa = as_signed(a.value, k), sb = as_signed(b.value, k);
      switch (rng.below(6)) {
        case 0:
          return {pool.eq(a.term, b.term), a.value == b.value};
        case 1:
          return {pool.ult(a.term, b.term), a.value < b.value};
        case 2:
          return {pool.slt(a.term, b.term), sa < sb};
        case 3:
          return {pool.ule(a.term, b.term), a.value <= b.value};
        case 4:
          return {pool.sle(a.term, b.term), sa <= sb};
        default:
          return {pool.ne(a.term, b.term), a.value != b.value};
      }
    }
    const Pair a = make(w, depth - 1);
    if (rng.chance(0.12)) {
      const auto k = static_cast<uint8_t>(1 + rng.below(w));
      return sized(sized(a, k), w);
    }
    if (rng.chance(0.08) && w > 1) {
      const auto low = static_cast<uint8_t>(1 + rng.below(w - 1u));
      const Pair h = sized(a, static_cast<uint8_t>(w - low)), l = make(low, depth - 1);
      return {pool.concat(h.term, l.term), (h.value << low | l.value) & m};
    }
    const Pair b = make(w, depth - 1);
    const auto plain = [&](Op op) { return evaluate(op, w, w, a.value, b.value, 0, 0); };
    switch (rng.below(17)) {
      case 0:
        return {pool.add(a.term, b.term), (a.value + b.value) & m};
      case 1:
        return {pool.sub(a.term, b.term), (a.value - b.value) & m};
      case 2:
        return {pool.mul(a.term, b.term), (a.value * b.value) & m};
      case 3:
        return {pool.udiv(a.term, b.term), plain(Op::udiv)};
      case 4:
        return {pool.urem(a.term, b.term), plain(Op::urem)};
      case 5:
        return {pool.sdiv(a.term, b.term), plain(Op::sdiv)};
      case 6:
        return {pool.srem(a.term, b.term), plain(Op::srem)};
      case 7:
        return {pool.and_(a.term, b.term), a.value & b.value};
      case 8:
        return {pool.or_(a.term, b.term), a.value | b.value};
      case 9:
        return {pool.xor_(a.term, b.term), a.value ^ b.value};
      case 10:
        return {pool.shl(a.term, b.term), plain(Op::shl)};
      case 11:
        return {pool.lshr(a.term, b.term), plain(Op::lshr)};
      case 12:
        return {pool.ashr(a.term, b.term), plain(Op::ashr)};
      case 13:
        return {pool.not_(a.term), ~a.value & m};
      case 14:
        return {pool.neg(a.term), (0 - a.value) & m};
      default: {
        const Pair c = make(1, depth - 1);
        return {pool.ite(c.term, a.term, b.term), c.value != 0 ? a.value : b.value};
      }
    }
  }
};

TEST(Formula, rewriting_keeps_values_and_ranges_hold) {
  for (uint64_t seed = 1; seed <= 6000; ++seed) {
    Generator g(seed);
    static constexpr uint8_t k_widths[] = {1, 1, 8, 16, 32, 32, 64};
    const Pair p = g.make(k_widths[seed % 7], 1 + static_cast<int>(seed % 5));
    ASSERT_EQ(g.model.value(g.pool, p.term), p.value) << "seed " << seed << " " << g.pool.print(p.term);
    const Node& n = g.pool[p.term];
    ASSERT_LE(n.low, p.value) << "seed " << seed << g.pool.print(p.term);
    ASSERT_GE(n.high, p.value) << "seed " << seed << g.pool.print(p.term);
    ASSERT_LE(n.signed_low, as_signed(p.value, n.width)) << "seed " << seed << g.pool.print(p.term);
    ASSERT_GE(n.signed_high, as_signed(p.value, n.width)) << "seed " << seed << g.pool.print(p.term);
    if (n.trailing_zeros > 0 && n.trailing_zeros < 64) {
      ASSERT_EQ(p.value & ones(n.trailing_zeros), 0u) << "seed " << seed;
    }
  }
}

// What index arithmetic looks like: sums of small numbers with strides.
TEST(Formula, comparisons_of_sums_keep_their_values) {
  for (uint64_t seed = 1; seed <= 20000; ++seed) {
    Pool p;
    Rng rng(seed);
    Model model;
    const auto w = static_cast<uint8_t>(rng.chance(0.5) ? 32 : 12);
    std::vector<Pair> atoms;
    for (int i = 0; i < 4; ++i) {
      const auto bits = static_cast<uint8_t>(1 + rng.below(rng.chance(0.8) ? 6 : w));
      const Term v = p.variable(bits, "x" + std::to_string(i));
      const uint64_t x = rng.chance(0.3) ? ones(bits) : rng.next() & ones(bits);
      model.variables[p[v].value] = x;
      atoms.push_back({p.zext(v, w), x});
    }
    const auto sum = [&] {
      static constexpr uint64_t k_strides[] = {1,   2,   4,    3,    16,    64,    63,     65,
                                               255, 256, 1024, 0x80, ~0ull, ~3ull, ~63ull, ~64ull};
      Pair r{p.constant(0, w), 0};
      for (const Pair& a : atoms) {
        if (rng.chance(0.3)) continue;
        const uint64_t c = k_strides[rng.below(std::size(k_strides))];
        r = {p.add(r.term, p.scale(a.term, c)), (r.value + c * a.value) & ones(w)};
      }
      if (rng.chance(0.4)) {
        const uint64_t c = k_strides[rng.below(std::size(k_strides))];
        r = {p.add(r.term, p.constant(c, w)), (r.value + c) & ones(w)};
      }
      return r;
    };
    const Pair a = sum();
    Pair b = sum();
    if (rng.chance(0.3)) {
      const uint64_t d = (a.value - b.value) & ones(w);
      b = {p.add(b.term, p.constant(d, w)), a.value};
    }
    const int64_t sa = as_signed(a.value, w), sb = as_signed(b.value, w);
    ASSERT_EQ(model.value(p, p.eq(a.term, b.term)), a.value == b.value) << seed;
    ASSERT_EQ(model.value(p, p.ult(a.term, b.term)), a.value < b.value) << seed;
    ASSERT_EQ(model.value(p, p.slt(a.term, b.term)), sa < sb) << seed;
    const uint64_t by = 1 + rng.below(70);
    ASSERT_EQ(model.value(p, p.udiv(a.term, p.constant(by, w))), a.value / by) << seed;
    ASSERT_EQ(model.value(p, p.urem(a.term, p.constant(by, w))), a.value % by) << seed;
    ASSERT_EQ(model.value(p, p.sext(a.term, 64)), static_cast<uint64_t>(sa)) << seed;
    ASSERT_EQ(model.value(p, p.zext(a.term, 64)), a.value) << seed;
  }
}

TEST(Formula, the_solver_agrees_with_evaluation) {
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    Generator g(seed * 77);
    const Pair p = g.make(seed % 2 == 0 ? 8 : 16, 2);
    std::vector<Term> question{g.pool.eq(p.term, g.pool.constant(p.value, g.pool.width(p.term)))};
    for (const Pair& leaf : g.leaves)
      question.push_back(g.pool.eq(leaf.term, g.pool.constant(leaf.value, g.pool.width(leaf.term))));
    Statistics s;
    Model model;
    ASSERT_EQ(solve(g.pool, question, Job{}, &model, s), Answer::sat) << seed << g.pool.print(p.term);
    question[0] = g.pool.not_(question[0]);
    ASSERT_EQ(solve(g.pool, question, Job{}, nullptr, s), Answer::unsat) << seed << g.pool.print(p.term);
  }
}

TEST(Formula, offsets_of_two_threads_fold_without_a_solver) {
  Pool p;
  std::vector<Term> facts;
  const Term a = p.number_below(64, 32, "a", facts), b = p.number_below(64, 32, "b", facts);
  const Term group = p.number_below(1024, 32, "g", facts);
  const auto offset = [&](Term lid) { return p.scale(p.add(p.scale(group, 64), lid), 4); };
  EXPECT_EQ(p.eq(offset(a), offset(b)), p.eq(a, b));
  EXPECT_EQ(p.eq(offset(a), p.add(offset(b), p.constant(2, 32))), p.no());
  EXPECT_EQ(p.udiv(p.add(p.scale(group, 64), a), p.constant(64, 32)), group);
  EXPECT_EQ(p.urem(p.add(p.scale(group, 64), a), p.constant(64, 32)), a);
  EXPECT_EQ(p.ult(a, p.constant(64, 32)), p.yes());
  EXPECT_EQ(p.slt(p.sub(a, p.constant(1, 32)), p.constant(64, 32)), p.yes());
  EXPECT_TRUE(facts.empty());
}

TEST(Formula, functions_are_congruent) {
  Pool p;
  const Term x = p.variable(8, "x"), y = p.variable(8, "y");
  const uint64_t f = p.symbol("f");
  Statistics s;
  const Term differ = p.ne(p.apply(f, 8, {x}), p.apply(f, 8, {y}));
  EXPECT_EQ(solve(p, {differ, p.eq(p.add(x, y), p.scale(y, 2))}, Job{}, nullptr, s), Answer::unsat);
  Model m;
  EXPECT_EQ(solve(p, {differ}, Job{}, &m, s), Answer::sat);
  EXPECT_EQ(m.value(p, differ), 1u);
}

TEST(Formula, a_session_answers_as_single_questions_do) {
  Rng rng(7);
  Pool p;
  Session session(p);
  Statistics s;
  const uint64_t f = p.symbol("f");
  std::vector<Term> terms{p.variable(8, "x"), p.variable(8, "y"), p.constant(3, 8)};
  const auto any = [&] { return terms[rng.below(terms.size())]; };
  for (int i = 0; i < 300; ++i) {
    const Term a = any(), b = any();
    switch (rng.below(6)) {
      case 0:
        terms.push_back(p.add(a, b));
        break;
      case 1:
        terms.push_back(p.mul(a, p.shl(p.constant(1, 8), p.extract(b, 0, 8))));
        break;
      case 2:
        terms.push_back(p.udiv(a, p.shl(p.constant(1, 8), p.zext(p.extract(b, 0, 2), 8))));
        break;
      case 3:
        terms.push_back(p.urem(a, p.shl(p.constant(1, 8), p.zext(p.extract(b, 0, 3), 8))));
        break;
      case 4:
        terms.push_back(p.apply(f, 8, {a}));
        break;
      default:
        terms.push_back(p.xor_(a, b));
    }
    const std::vector<Term> goal{p.eq(any(), any()), p.ult(any(), any())};
    Model m;
    const Answer answer = session.solve(goal, Job{}, &m, s);
    ASSERT_EQ(answer, solve(p, goal, Job{}, nullptr, s)) << i;
    if (answer == Answer::sat)
      for (Term t : goal) ASSERT_EQ(m.value(p, t), 1u) << i;
    if (terms.size() > 40) terms.resize(3);
  }
}

TEST(Formula, names_are_variables_and_functions) {
  Pool p;
  const Term x = p.variable(8, "x"), y = p.variable(8, "y");
  const uint64_t f = p.symbol("f");
  EXPECT_EQ(names(p, p.add(p.apply(f, 8, {x}), y)), (std::vector<uint64_t>{0, 1, k_function + f}));
}

// Rows and columns are put together again, in whatever sum, also for rows of no elements.
TEST(Formula, QuotientTimesDivisorAndRest) {
  Pool p;
  const Term x = p.variable(32, "x"), y = p.variable(32, "y"), n = p.variable(32, "n"), m = p.variable(32, "m");
  const Term a = p.add(p.scale(x, 1024), y);
  const auto row = [&](Term of, Term by, Term times) { return p.add(p.mul(p.udiv(of, by), times), p.urem(of, by)); };
  EXPECT_EQ(row(a, n, n), a);
  EXPECT_EQ(p.add(p.scale(row(x, n, n), 4), y), p.add(p.scale(x, 4), y));
  EXPECT_EQ(row(x, p.constant(3, 32), p.constant(3, 32)), x);
  // Not with another divisor, another row or another multiple.
  EXPECT_NE(row(x, n, m), x);
  EXPECT_NE(row(x, p.constant(3, 32), p.constant(5, 32)), x);
  EXPECT_NE(p.add(p.mul(p.udiv(x, n), n), p.urem(y, n)), x);
  EXPECT_NE(p.add(p.mul(p.udiv(x, n), n), p.urem(x, m)), x);
  EXPECT_NE(p.add(p.mul(p.udiv(x, n), n), p.scale(p.urem(x, n), 2)), x);
  // What the rule says of zero is what evaluation says.
  Model zero;
  zero.variables = {{p[x].value, 77}, {p[n].value, 0}};
  EXPECT_EQ(zero.value(p, p.udiv(x, n)), ones(32));
  EXPECT_EQ(zero.value(p, p.urem(x, n)), 77u);
}

}  // namespace
}  // namespace fencepost::formula

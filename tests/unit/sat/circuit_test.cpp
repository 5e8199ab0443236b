// Gates and bit-vector operators against their arithmetic meaning, through the solver.
#include "sat/circuit.h"

#include <gtest/gtest.h>

#include "base/job.h"

namespace fencepost::sat {
namespace {

using term::Op;

uint64_t number(const Bits& b, const Circuit& c, const Solver& s) {
  uint64_t v = 0;
  for (size_t i = 0; i < b.size(); ++i) {
    const Lit f = c.fold(b[i]);
    if (f == k_true || (f != k_false && s.value(f))) v |= uint64_t{1} << i;
  }
  return v;
}

// The operator on free inputs that are then pinned by assumptions, so that nothing folds early.
TEST(BitVectors, AgreeWithTermEvaluation) {
  const Op ops[] = {Op::add,  Op::sub, Op::mul,  Op::sdiv, Op::udiv, Op::srem, Op::urem, Op::and_, Op::or_,
                    Op::xor_, Op::shl, Op::lshr, Op::ashr, Op::smin, Op::smax, Op::umin, Op::umax, Op::eq,
                    Op::ne,   Op::slt, Op::sle,  Op::sgt,  Op::sge,  Op::ult,  Op::ule,  Op::ugt,  Op::uge};
  Rng rng(7);
  for (uint8_t width : {uint8_t{1}, uint8_t{4}, uint8_t{8}, uint8_t{13}}) {
    for (Op op : ops) {
      Circuit c;
      BitVectors bv(c);
      const Bits a = bv.fresh(width);
      const Bits b = bv.fresh(width);
      const Bits r = bv.apply(op, width, {a, b});
      auto solver = make_cadical();
      c.feed(*solver);
      for (int k = 0; k < 24; ++k) {
        uint64_t x = rng.next() & term::mask(width);
        uint64_t y = rng.next() & term::mask(width);
        if (k == 0) y = 0;
        if (k == 1) x = uint64_t{1} << (width - 1), y = term::mask(width);
        std::vector<Lit> pins;
        for (uint8_t i = 0; i < width; ++i) {
          pins.push_back(((x >> i) & 1) != 0 ? a[i] : -a[i]);
          pins.push_back(((y >> i) & 1) != 0 ? b[i] : -b[i]);
        }
        ASSERT_EQ(solver->solve(pins, Job{}), Answer::sat);
        const uint8_t result_width = term::is_comparison(op) ? 1 : width;
        EXPECT_EQ(number(r, c, *solver), term::eval_op(op, width, result_width, x, y, 0))
            << term::name(op) << " width " << int{width} << " of " << x << ", " << y;
      }
    }
  }
}

TEST(BitVectors, ConstantsFoldWithoutClauses) {
  Circuit c;
  BitVectors bv(c);
  for (uint64_t x : {0u, 1u, 5u, 200u, 255u})
    for (uint64_t y : {0u, 1u, 7u, 255u})
      for (Op op : {Op::add, Op::sub, Op::mul, Op::udiv, Op::sdiv, Op::ashr}) {
        const Bits r = bv.apply(op, 8, {bv.constant(x, 8), bv.constant(y, 8)});
        uint64_t v = 0;
        for (size_t i = 0; i < r.size(); ++i) {
          ASSERT_TRUE(c.is_true(r[i]) || c.is_false(r[i]));
          if (c.is_true(r[i])) v |= uint64_t{1} << i;
        }
        EXPECT_EQ(v, term::eval_op(op, 8, 8, x, y, 0));
      }
  EXPECT_EQ(c.clause_count(), 0u);
}

TEST(Circuit, AtLeastAndAtMostOneCountExactly) {
  for (uint32_t n = 1; n <= 9; ++n)
    for (uint32_t k = 0; k <= n + 1; ++k) {
      Circuit c;
      std::vector<Lit> xs;
      for (uint32_t i = 0; i < n; ++i) xs.push_back(c.fresh());
      const Lit enough = c.at_least(xs, k);
      auto solver = make_cadical();
      c.feed(*solver);
      for (uint32_t bits = 0; bits < (1u << n); ++bits) {
        std::vector<Lit> pins;
        for (uint32_t i = 0; i < n; ++i) pins.push_back(((bits >> i) & 1) != 0 ? xs[i] : -xs[i]);
        ASSERT_EQ(solver->solve(pins, Job{}), Answer::sat);
        const Lit f = c.fold(enough);
        const bool got = f == k_true || (f != k_false && solver->value(f));
        EXPECT_EQ(got, static_cast<uint32_t>(std::popcount(bits)) >= k);
      }
    }
  for (uint32_t n = 1; n <= 9; ++n) {
    Circuit c;
    std::vector<Lit> xs;
    for (uint32_t i = 0; i < n; ++i) xs.push_back(c.fresh());
    c.at_most_one(xs);
    auto solver = make_cadical();
    c.feed(*solver);
    for (uint32_t bits = 0; bits < (1u << n); ++bits) {
      std::vector<Lit> pins;
      for (uint32_t i = 0; i < n; ++i) pins.push_back(((bits >> i) & 1) != 0 ? xs[i] : -xs[i]);
      EXPECT_EQ(solver->solve(pins, Job{}) == Answer::sat, std::popcount(bits) <= 1);
    }
  }
}

TEST(Circuit, PropagationFixesWhatFollows) {
  Circuit c;
  const Lit a = c.fresh(), b = c.fresh(), d = c.fresh();
  const Lit g = c.and_(a, b);
  c.add({-g, d});
  c.add({a});
  c.add({b});
  ASSERT_TRUE(c.propagate());
  EXPECT_TRUE(c.is_true(g));
  EXPECT_TRUE(c.is_true(d));
  c.add({-d});
  EXPECT_FALSE(c.propagate());
}

}  // namespace
}  // namespace fencepost::sat

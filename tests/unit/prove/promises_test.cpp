// What is promised of signed arithmetic and of offsets: a claim holds for just those numbers that do not overflow, and
// whoever has room keeps it.
#include "prove/promises.h"

#include <gtest/gtest.h>

#include "formula/solve.h"

namespace fencepost::prove {
namespace {

using formula::Answer;
using formula::Model;
using formula::Pool;
using formula::Term;
using ir::Op;

struct Numbers {
  Pool pool;
  Promises promises{pool};
  Term a, b, guard;
  explicit Numbers(uint8_t width) {
    a = pool.variable(width, "a");
    b = pool.variable(width, "b");
    guard = pool.variable(1, "guard");
  }
  Model model(uint64_t x, uint64_t y, bool there = true) {
    Model m;
    m.variables = {{pool.value(a), x}, {pool.value(b), y}, {pool.value(guard), there ? 1u : 0u}};
    return m;
  }
  std::vector<Promises::Broken> broken(uint64_t x, uint64_t y, bool there = true, uint32_t limit = 5) {
    return promises.broken(model(x, y, there), {limit, 0});
  }
};

int64_t exact(Op op, int64_t x, int64_t y) { return op == Op::add ? x + y : op == Op::sub ? x - y : x * y; }

// All pairs of numbers of six bits, and both with a constant.
TEST(Promises, ClaimsSayWhatDoesNotOverflow) {
  for (const Op op : {Op::add, Op::sub, Op::mul}) {
    for (int constant = -34; constant < 32; ++constant) {  // -34, -33: two unknowns
      Numbers n(6);
      const bool two = constant < -32;
      const bool first = constant == -34 || constant % 2 == 0;
      const Term c = n.pool.constant(static_cast<uint64_t>(constant) & 63, 6);
      const Term x = two || first ? n.a : c, y = two || !first ? n.b : c;
      n.promises.arithmetic(op, x, y, n.guard, 0, 3);
      for (int64_t p = -32; p < 32; ++p)
        for (int64_t q = -32; q < 32; ++q) {
          if (!two && (first ? q : p) != constant) continue;
          const int64_t r = exact(op, p, q);
          const bool fits = r >= -32 && r < 32;
          const auto broken = n.broken(static_cast<uint64_t>(p) & 63, static_cast<uint64_t>(q) & 63);
          ASSERT_EQ(broken.empty(), fits) << p << " " << q;
        }
    }
  }
}

// The claim of a broken promise, for all numbers; and its smaller form.
TEST(Promises, ClaimsHoldOfJustTheseNumbers) {
  for (const Op op : {Op::add, Op::sub, Op::mul})
    for (int kind = 0; kind < 10; ++kind) {
      Numbers n(6);
      static constexpr int64_t k_constants[] = {2, -1, -2, 3, -5, -32, 31, 17, 1};
      const bool two = kind == 9;
      const int64_t c = two ? 0 : k_constants[kind];
      const Term y = two ? n.b : n.pool.constant(static_cast<uint64_t>(c) & 63, 6);
      if (kind % 2 == 0 && !two && op != Op::sub)
        n.promises.arithmetic(op, y, n.a, n.guard, 0, 3);
      else
        n.promises.arithmetic(op, n.a, y, n.guard, 0, 3);
      std::optional<Promises::Broken> claim;
      for (int64_t p = -32; p < 32 && !claim; ++p)
        for (int64_t q = -32; q < 32 && !claim; ++q)
          if (const auto b = n.broken(static_cast<uint64_t>(p) & 63, static_cast<uint64_t>(q) & 63); !b.empty())
            claim = b[0];
      ASSERT_EQ(claim.has_value(), op != Op::mul || two || c != 1);
      if (!claim) continue;
      EXPECT_FALSE(claim->offset);
      for (int64_t p = -32; p < 32; ++p)
        for (int64_t q = two ? -32 : c; q < (two ? 32 : c + 1); ++q) {
          const int64_t r = exact(op, p, q);
          const bool fits = r >= -32 && r < 32;
          const Model m = n.model(static_cast<uint64_t>(p) & 63, static_cast<uint64_t>(q) & 63);
          EXPECT_EQ(m.value(n.pool, claim->claim) != 0, fits) << static_cast<int>(op) << ": " << p << " " << q;
          const int64_t room = op == Op::mul ? 4 : 16;
          const bool near = p >= -room && p < room && q >= -room && q < room;
          const bool small = op == Op::mul && !two ? fits : near;
          EXPECT_EQ(m.value(n.pool, claim->small) != 0, small) << static_cast<int>(op) << ": " << p << " " << q;
        }
      // Where the guard does not hold, nothing is claimed.
      const Model other = n.model(31, 31, false);
      EXPECT_NE(other.value(n.pool, claim->claim), 0u);
      EXPECT_TRUE(n.broken(31, 31, false).empty());
    }
}

// In the forms that cost a solver least.
TEST(Promises, FormsOfClaims) {
  for (const bool first : {true, false})
    for (const int64_t c : {3, -3, -1}) {
      Numbers n(6);
      const auto k = [&](int64_t v) { return n.pool.constant(static_cast<uint64_t>(v) & 63, 6); };
      n.promises.arithmetic(Op::mul, first ? k(c) : n.a, first ? n.a : k(c), n.guard, 0, 3);
      const auto broken = n.broken(32, 0);
      ASSERT_EQ(broken.size(), 1u);
      const Term kept = c == -1 ? n.pool.ne(n.a, k(-32)) : n.pool.all(n.pool.sle(k(-10), n.a), n.pool.sle(n.a, k(10)));
      EXPECT_EQ(broken[0].claim, n.pool.implies(n.guard, kept));
    }
  Numbers n(6);
  n.promises.arithmetic(Op::add, n.a, n.b, n.guard, 0, 3);
  const Term sum = n.pool.add(n.pool.sext(n.a, 7), n.pool.sext(n.b, 7));
  const auto broken = n.broken(31, 31);
  ASSERT_EQ(broken.size(), 1u);
  EXPECT_EQ(broken[0].claim, n.pool.implies(n.guard, n.pool.all(n.pool.sle(n.pool.constant(96, 7), sum),
                                                                n.pool.sle(sum, n.pool.constant(31, 7)))));
  // Half of the bits of either factor.
  Numbers odd(7);
  odd.promises.arithmetic(Op::mul, odd.a, odd.b, odd.guard, 0, 3);
  const auto product = odd.broken(63, 63);
  ASSERT_EQ(product.size(), 1u);
  EXPECT_NE(odd.model(7, 120).value(odd.pool, product[0].small), 0u);
  EXPECT_EQ(odd.model(8, 0).value(odd.pool, product[0].small), 0u);
  EXPECT_EQ(odd.model(0, 119).value(odd.pool, product[0].small), 0u);
}

TEST(Promises, SumsOf64Bits) {
  constexpr uint64_t k_high = uint64_t{1} << 63, k_most = k_high - 1;
  const std::vector<uint64_t> values{0, 1, 2, k_most, k_most - 1, k_high, k_high + 1, ~uint64_t{0}, uint64_t{1} << 62};
  for (const Op op : {Op::add, Op::sub}) {
    Numbers n(64);
    n.promises.arithmetic(op, n.a, n.b, n.guard, 0, 3);
    const auto claims = op == Op::add ? n.broken(k_most, 1) : n.broken(k_high, 1);
    ASSERT_EQ(claims.size(), 1u);
    for (const uint64_t x : values)
      for (const uint64_t y : values) {
        int64_t r = 0;
        const auto p = static_cast<int64_t>(x), q = static_cast<int64_t>(y);
        const bool over = op == Op::add ? __builtin_add_overflow(p, q, &r) : __builtin_sub_overflow(p, q, &r);
        EXPECT_EQ(n.broken(x, y).empty(), !over) << x << " " << y;
        EXPECT_EQ(n.model(x, y).value(n.pool, claims[0].claim) != 0, !over) << x << " " << y;
      }
  }
}

TEST(Promises, ShiftsAreProducts) {
  for (uint64_t by = 0; by < 8; ++by) {
    Numbers n(6);
    n.promises.arithmetic(Op::shl, n.a, n.pool.constant(by, 6), n.guard, 0, 3);
    EXPECT_EQ(n.promises.size(), by < 5 ? 1u : 0u);
    for (int64_t p = -32; p < 32 && by < 5; ++p) {
      const int64_t r = p * (int64_t{1} << by);
      EXPECT_EQ(n.broken(static_cast<uint64_t>(p) & 63, 0).empty(), r >= -32 && r < 32) << p << " by " << by;
    }
  }
  Numbers n(6);
  n.promises.arithmetic(Op::shl, n.a, n.b, n.guard, 0, 3);
  EXPECT_EQ(n.promises.size(), 0u);
}

TEST(Promises, WhatNeedsNoPromise) {
  Numbers n(6);
  const Term one = n.pool.constant(1, 6), two = n.pool.constant(2, 6);
  n.promises.arithmetic(Op::add, one, two, n.guard, 0, 3);
  n.promises.arithmetic(Op::add, n.a, n.b, n.pool.no(), 0, 3);
  n.promises.arithmetic(Op::udiv, n.a, n.b, n.guard, 0, 3);
  n.promises.arithmetic(Op::mul, n.guard, n.guard, n.guard, 0, 3);
  EXPECT_EQ(n.promises.size(), 0u);
  n.promises.arithmetic(Op::add, one, n.a, n.guard, 0, 3);
  n.promises.arithmetic(Op::add, n.a, one, n.guard, 0, 3);
  EXPECT_EQ(n.promises.size(), 2u);
  const Term bits = n.pool.variable(2, "bits");
  n.promises.arithmetic(Op::add, bits, bits, n.guard, 0, 3);
  EXPECT_EQ(n.promises.size(), 3u);
}

// From its position on, up to where it ends, and of its own thread.
TEST(Promises, PlacesOfAPromise) {
  Numbers n(6);
  n.promises.arithmetic(Op::add, n.a, n.b, n.guard, 0, 3);
  const auto at = [&](uint32_t zero, uint32_t one) { return n.promises.broken(n.model(31, 31), {zero, one}).size(); };
  EXPECT_EQ(at(2, 9), 0u);
  EXPECT_EQ(at(3, 0), 1u);
  EXPECT_EQ(at(99, 0), 1u);
  n.promises.end(0, 7);
  n.promises.end(0, 8);  // it has ended before
  EXPECT_EQ(at(7, 0), 1u);
  EXPECT_EQ(at(8, 0), 0u);
  n.promises.arithmetic(Op::sub, n.a, n.b, n.guard, 1, 5);
  EXPECT_EQ(n.promises.broken(n.model(31, 32), {9, 5}).size(), 1u);
  EXPECT_EQ(n.promises.broken(n.model(31, 32), {9, 4}).size(), 0u);
  n.promises.end(2, 0);  // none of them
  EXPECT_EQ(n.promises.broken(n.model(31, 32), {9, 5}).size(), 1u);
  // One claim is told once.
  n.promises.arithmetic(Op::sub, n.a, n.b, n.guard, 1, 5);
  EXPECT_EQ(n.promises.broken(n.model(31, 32), {9, 5}).size(), 1u);
}

TEST(Promises, ProductsInForce) {
  Numbers n(6);
  n.promises.arithmetic(Op::mul, n.a, n.b, n.guard, 0, 3);
  n.promises.arithmetic(Op::add, n.a, n.b, n.guard, 0, 3);
  n.promises.offset(n.pool.variable(48, "offset"), n.guard, 0, 3);
  n.promises.end(0, 7);
  const auto at = [&](uint32_t zero) { return n.promises.products({zero, 5}); };
  EXPECT_TRUE(at(2).empty());
  EXPECT_TRUE(at(8).empty());
  ASSERT_EQ(at(3).size(), 1u);
  EXPECT_EQ(at(7)[0].a, n.a);
  EXPECT_EQ(at(7)[0].b, n.b);
  EXPECT_EQ(at(7)[0].guard, n.guard);
}

TEST(Promises, Offsets) {
  constexpr int64_t k_most = int64_t{1} << 46;
  Numbers n(48);
  n.promises.offset(n.a, n.guard, 0, 3);
  n.promises.offset(n.pool.zext(n.pool.variable(45, "short"), 48), n.guard, 0, 3);
  n.promises.offset(n.pool.sext(n.pool.variable(47, "signed"), 48), n.guard, 0, 3);
  EXPECT_EQ(n.promises.size(), 1u);
  n.promises.offset(n.pool.zext(n.pool.variable(47, "long"), 48), n.pool.no(), 0, 3);
  EXPECT_EQ(n.promises.size(), 2u);
  const auto bits = [](int64_t v) { return static_cast<uint64_t>(v) & ((uint64_t{1} << 48) - 1); };
  const auto claims = n.broken(bits(k_most), 0);
  ASSERT_EQ(claims.size(), 1u);
  EXPECT_TRUE(claims[0].offset);
  for (const int64_t v : {int64_t{0}, k_most - 1, k_most, k_most + 1, -k_most, -k_most - 1, -k_most + 1, k_most / 4,
                          k_most / 4 - 1, -k_most / 4, -k_most / 4 - 1}) {
    const bool kept = v >= -k_most && v < k_most;
    EXPECT_EQ(n.broken(bits(v), 0).empty(), kept) << v;
    EXPECT_EQ(n.model(bits(v), 0).value(n.pool, claims[0].claim) != 0, kept) << v;
    EXPECT_EQ(n.model(bits(v), 0).value(n.pool, claims[0].small) != 0, v >= -k_most / 4 && v < k_most / 4) << v;
  }
}

}  // namespace
}  // namespace fencepost::prove

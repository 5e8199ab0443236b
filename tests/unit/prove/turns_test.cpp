// Terms that come round with a count of iterations (prove/turns.h).
#include "prove/turns.h"

#include <gtest/gtest.h>

#include <random>
#include <unordered_map>

namespace fencepost::prove {
namespace {

using formula::Pool;
using formula::Term;

uint64_t in_iteration(Pool& pool, Term t, Term k, uint64_t n) {
  std::unordered_map<uint32_t, Term> memo{{k.id, pool.constant(n, pool.width(k))}};
  const Term v = pool.substitute(t, memo);
  EXPECT_TRUE(pool.is_constant(v)) << pool.print(v);
  return pool.value(v);
}

TEST(Turns, of_stages_and_parities) {
  Pool pool;
  const Term k = pool.variable(32, "k"), wide = pool.zext(k, 64), three = pool.constant(3, 64);
  const auto stage = turn_of(pool, pool.urem(wide, three), k);
  ASSERT_TRUE(stage);
  EXPECT_EQ(stage->values, (std::vector<uint64_t>{0, 1, 2}));
  EXPECT_EQ(stage->least, 0u);
  const auto parity = turn_of(pool, pool.and_(pool.udiv(wide, three), pool.constant(1, 64)), k);
  ASSERT_TRUE(parity);
  EXPECT_EQ(parity->values, (std::vector<uint64_t>{0, 0, 0, 1, 1, 1}));
  const Term before = pool.sub(k, pool.constant(1, 32));
  const auto shifted = turn_of(pool, pool.srem(before, pool.constant(3, 32)), k);
  ASSERT_TRUE(shifted);
  EXPECT_EQ(shifted->least, 1u);
  EXPECT_EQ(shifted->most, uint64_t{1} << 31);
  EXPECT_FALSE(turn_of(pool, k, k));
  EXPECT_FALSE(turn_of(pool, pool.mul(k, k), k));
  EXPECT_FALSE(turn_of(pool, pool.urem(wide, pool.constant(1000, 64)), k));
  EXPECT_FALSE(turn_of(pool, pool.urem(pool.add(k, pool.variable(32, "n")), pool.constant(3, 32)), k));
}

// The rounds end where a number of fewer bits would wrap.
TEST(Turns, of_few_bits_end_where_these_wrap) {
  Pool pool;
  const Term k = pool.variable(32, "k"), three = pool.constant(3, 32), one = pool.constant(1, 32);
  for (const int64_t shift : {5, -5}) {
    const Term lap = pool.udiv(pool.add(k, pool.constant(static_cast<uint32_t>(shift), 32)), three);
    for (const uint64_t more : {0, 2}) {
      const Term low = pool.zext(pool.extract(pool.add(lap, pool.constant(more, 32)), 0, 8), 32);
      const auto turn = turn_of(pool, pool.urem(low, three), k);
      ASSERT_TRUE(turn) << shift << " " << more;
      const auto last = static_cast<uint64_t>(3 * (256 - static_cast<int64_t>(more)) - shift - 1);
      EXPECT_EQ(turn->most, last) << shift << " " << more;
      EXPECT_EQ(turn->least, shift < 0 ? 5u : 0u);
      EXPECT_EQ(in_iteration(pool, low, k, last), 255u);
      EXPECT_EQ(in_iteration(pool, low, k, last + 1), 0u);
    }
  }
  // What is the same in each iteration may be added, whichever way it is written.
  const auto added = turn_of(pool, pool.urem(pool.add(k, pool.srem(k, one)), three), k);
  ASSERT_TRUE(added);
  EXPECT_EQ(added->values, (std::vector<uint64_t>{0, 1, 2}));
}

using Values = std::vector<uint64_t>;

// 0 so often, 1 so often, and on.
Values laps(uint64_t by, uint64_t size, uint64_t first = 0) {
  Values out;
  for (uint64_t i = 0; i < by * size; ++i) out.push_back((i + first) / by % size);
  return out;
}

struct Read : testing::Test {
  Term number(uint64_t n) { return pool.constant(n, 32); }
  Term bits(Term t, uint8_t low, uint8_t width) { return pool.extract(t, low, width); }
  Term rest(Term t, uint64_t n = 3) { return pool.urem(t, number(n)); }
  Term plus(Term t, int64_t n) { return pool.add(t, number(static_cast<uint32_t>(n))); }
  Values values(Term t) {
    const auto turn = turn_of(pool, t, k);
    return turn ? turn->values : Values{};
  }
  std::vector<uint64_t> range(Term t) {
    const auto turn = turn_of(pool, t, k);
    return turn ? std::vector<uint64_t>{turn->least, turn->most} : std::vector<uint64_t>{};
  }
  Pool pool;
  const Term k = pool.variable(32, "k");
  const Values three{0, 1, 2}, none;
};

TEST_F(Read, bits_of_a_count) {
  EXPECT_EQ(values(bits(k, 0, 1)), laps(1, 2));
  EXPECT_EQ(values(bits(k, 0, 6)), laps(1, 64));
  EXPECT_EQ(values(bits(k, 2, 1)), laps(4, 2));
  EXPECT_EQ(values(bits(k, 1, 6)), laps(2, 64));
  EXPECT_EQ(values(bits(k, 6, 1)), laps(64, 2));
  EXPECT_EQ(values(bits(k, 6, 2)), none);
  EXPECT_EQ(values(bits(k, 7, 1)), none);
  const Term next = plus(k, 1);
  EXPECT_EQ(values(bits(next, 2, 1)), laps(4, 2, 1));
  EXPECT_EQ(values(bits(next, 6, 1)), laps(64, 2, 1));
  // What is made bit by bit.
  const Term mask = pool.and_(next, number(0x56));
  EXPECT_EQ(values(bits(mask, 2, 1)), laps(4, 2, 1));
  EXPECT_EQ(values(bits(mask, 6, 1)), laps(64, 2, 1));
  EXPECT_EQ(values(bits(mask, 1, 2)), laps(2, 4, 1));
  EXPECT_EQ(values(bits(mask, 3, 1)), Values{0});
  EXPECT_EQ(values(bits(mask, 0, 6)).size(), 32u);
  EXPECT_EQ(values(bits(pool.or_(next, number(0x56)), 3, 1)), laps(8, 2, 1));
  EXPECT_EQ(values(bits(pool.xor_(next, number(0x56)), 2, 1)), laps(4, 2, 5));
  EXPECT_EQ(values(bits(pool.and_(next, pool.variable(32, "n")), 2, 1)), none);
  EXPECT_EQ(values(bits(pool.and_(next, k), 7, 1)), none);
  EXPECT_EQ(values(bits(pool.and_(rest(k, 5), rest(next, 5)), 0, 2)), (Values{0, 0, 2, 0, 0}));
}

TEST_F(Read, sums_of_a_count_and_of_numbers) {
  EXPECT_EQ(values(rest(plus(k, 1 << 20))), (Values{1, 2, 0}));
  EXPECT_EQ(values(rest(plus(k, -(1 << 20)))), (Values{2, 0, 1}));
  EXPECT_EQ(values(rest(plus(k, (1 << 20) + 1))), none);
  EXPECT_EQ(values(rest(plus(k, -(1 << 20) - 1))), none);
  EXPECT_EQ(values(rest(pool.add(k, pool.udiv(k, number(3))))), none);
  EXPECT_EQ(values(rest(pool.scale(k, 2))), none);
  EXPECT_EQ(values(rest(pool.add(k, rest(k)))), none);
  // Of laps: one more, but not laps of these.
  const Term lap = plus(pool.udiv(k, number(3)), 1);
  EXPECT_EQ(values(rest(lap, 2)), (Values{1, 1, 1, 0, 0, 0}));
  EXPECT_EQ(values(rest(pool.udiv(lap, number(3)), 2)), none);
  EXPECT_EQ(values(rest(pool.udiv(pool.udiv(k, number(3)), number(3)), 2)), laps(9, 2));
  // From sum to sum, as far as 2^20 and once more.
  const Term narrow = pool.variable(24, "narrow");
  for (const int64_t by : {1 << 20, -(1 << 20)})
    for (const bool of_laps : {false, true}) {
      if (of_laps && by > 0) continue;  // which cannot wrap, and are one sum
      Term t = of_laps ? pool.udiv(narrow, pool.constant(3, 24)) : narrow;
      for (const uint8_t width : {24, 32, 64}) {
        t = pool.add(pool.zext(t, width), pool.constant(static_cast<uint64_t>(by) & formula::ones(width), width));
        const bool found = turn_of(pool, pool.urem(t, pool.constant(3, width)), narrow).has_value();
        EXPECT_EQ(found, width < 64) << by << " " << of_laps << " " << int{width};
      }
    }
  EXPECT_EQ(values(bits(plus(pool.zext(bits(k, 0, 8), 32), 1), 2, 1)), laps(4, 2, 1));
  // What is one number, however it is written.
  const Term nothing = pool.srem(k, number(1));
  EXPECT_EQ(values(rest(pool.add(k, nothing))), three);
  EXPECT_EQ(values(rest(pool.lshr(k, plus(nothing, 2)), 2)), laps(4, 2));
  EXPECT_EQ(values(rest(pool.lshr(k, plus(nothing, 8)), 2)), none);
  EXPECT_EQ(values(rest(pool.lshr(k, nothing), 2)), laps(1, 2));
  EXPECT_EQ(values(rest(pool.add(k, pool.xor_(nothing, number(5))))), (Values{2, 0, 1}));
  EXPECT_EQ(values(rest(pool.udiv(k, k), 2)), none);
  EXPECT_EQ(values(rest(pool.udiv(k, plus(rest(k), 1)), 2)), none);
  EXPECT_EQ(values(pool.apply(pool.symbol("f"), 32, {rest(k)})), none);
  // Laps and rounds of up to 128.
  EXPECT_EQ(values(pool.srem(pool.sdiv(k, number(128)), number(1))), Values{0});
  EXPECT_EQ(values(rest(k, 127)).size(), 127u);
  EXPECT_EQ(values(pool.srem(k, number(128))).size(), 128u);
  EXPECT_EQ(values(rest(k, 129)), none);
  EXPECT_EQ(values(pool.add(rest(k, 11), rest(k, 13))), none);
}

TEST_F(Read, for_which_counts_it_holds) {
  using Range = std::vector<uint64_t>;
  const Term low = rest(pool.zext(bits(k, 0, 8), 32)), late = rest(plus(k, -255));
  EXPECT_EQ(range(low), (Range{0, 255}));
  EXPECT_EQ(range(late), (Range{255, (uint64_t{1} << 32) + 254}));
  EXPECT_EQ(range(pool.add(low, late)), (Range{255, 255}));
  EXPECT_EQ(range(pool.add(low, rest(plus(k, -256)))), Range{});
  EXPECT_EQ(range(rest(pool.zext(bits(pool.udiv(plus(k, 767), number(3)), 0, 8), 32))), (Range{0, 0}));
  EXPECT_EQ(range(rest(pool.zext(bits(pool.udiv(plus(k, 768), number(3)), 0, 8), 32))), Range{});
  EXPECT_EQ(range(rest(pool.zext(bits(pool.udiv(plus(k, 900), number(3)), 0, 8), 32))), Range{});
  EXPECT_EQ(range(rest(pool.sdiv(k, number(3)), 2)), (Range{0, (uint64_t{1} << 31) - 1}));
  EXPECT_EQ(range(pool.srem(k, number(3))), (Range{0, (uint64_t{1} << 31) - 1}));
  EXPECT_EQ(range(rest(pool.extract(pool.sext(k, 64), 0, 32))), (Range{0, ~uint64_t{0}}));
}

// A count of few bits is tried.
TEST_F(Read, counts_of_few_bits_are_tried) {
  for (const uint8_t width : {3, 6, 7}) {
    const Term few = pool.variable(width, "few"), wide = pool.zext(few, 32);
    const auto turn = turn_of(pool, bits(pool.mul(wide, wide), 0, 3), few);
    ASSERT_EQ(turn.has_value(), width < 7) << int{width};
    if (!turn) continue;
    EXPECT_EQ(turn->values, (Values{0, 1, 4, 1}));
    EXPECT_EQ(turn->least, 0u);
    EXPECT_EQ(turn->most, (1u << width) - 1);
    EXPECT_FALSE(turn_of(pool, pool.mul(wide, k), few));
  }
}

// What is said of drawn terms is so.
TEST(Turns, are_what_the_terms_are) {
  std::mt19937 random(1);
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  size_t found = 0;
  for (int round = 0; round < 3000; ++round) {
    Pool pool;
    const auto bits = static_cast<uint8_t>(below(4) == 0 ? 4 + below(4) : 20 + below(13));
    const Term k = pool.variable(bits, "k");
    std::vector<Term> terms{pool.zext(k, 32), pool.constant(below(7), 32)};
    for (int step = 0; step < 6; ++step) {
      const Term a = terms[below(static_cast<uint32_t>(terms.size()))],
                 b = terms[below(static_cast<uint32_t>(terms.size()))], c = pool.constant(1 + below(6), 32);
      switch (below(12)) {
        case 0:
          terms.push_back(pool.add(a, c));
          break;
        case 1:
          terms.push_back(pool.sub(a, c));
          break;
        case 2:
          terms.push_back(pool.urem(a, c));
          break;
        case 3:
          terms.push_back(pool.udiv(a, c));
          break;
        case 4:
          terms.push_back(pool.srem(a, c));
          break;
        case 5:
          terms.push_back(pool.sdiv(a, c));
          break;
        case 6:
          terms.push_back(pool.xor_(a, pool.constant(below(3), 32)));
          break;
        case 7:
          terms.push_back(pool.ite(pool.eq(b, c), a, pool.constant(below(4), 32)));
          break;
        case 8:
          terms.push_back(pool.zext(pool.extract(a, static_cast<uint8_t>(below(4)), 2), 32));
          break;
        case 9:
          terms.push_back(pool.scale(a, 1 + below(8)));
          break;
        case 10:
          terms.push_back(pool.extract(pool.sext(a, 64), 0, 32));
          break;
        default:
          terms.push_back(pool.add(a, b));
      }
    }
    const Term t = terms.back();
    const auto turn = turn_of(pool, t, k);
    if (!turn) continue;
    ++found;
    const uint64_t last = std::min({turn->most, turn->least + 150, (uint64_t{1} << bits) - 1});
    for (uint64_t n = turn->least; n <= last; ++n)
      ASSERT_EQ(in_iteration(pool, t, k, n), turn->values[n % turn->values.size()]) << pool.print(t) << " at " << n;
    for (uint64_t n = std::min(turn->most, (uint64_t{1} << bits) - 1), i = 0; i < 50 && n >= turn->least && n > 0;
         --n, ++i)
      ASSERT_EQ(in_iteration(pool, t, k, n), turn->values[n % turn->values.size()]) << pool.print(t) << " at " << n;
  }
  EXPECT_GT(found, 500u);
}

}  // namespace
}  // namespace fencepost::prove

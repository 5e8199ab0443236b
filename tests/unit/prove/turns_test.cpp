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

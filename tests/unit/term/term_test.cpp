// Terms against arithmetic on 128-bit integers, over every width that matters and every operator.
#include "term/term.h"

#include <gtest/gtest.h>

#include "base/job.h"

using namespace fencepost;
using namespace fencepost::term;

namespace {

using Wide = __int128;

Wide as_signed(uint64_t v, uint8_t w) {
  const Wide x = v;
  return (v >> (w - 1)) & 1 ? x - (Wide{1} << w) : x;
}

uint64_t cut(Wide v, uint8_t w) { return static_cast<uint64_t>(static_cast<unsigned __int128>(v)) & mask(w); }

// Second definition of every binary operator, on unbounded-enough integers.
uint64_t direct(Op op, uint8_t w, uint64_t a, uint64_t b) {
  const Wide ua = a, ub = b, sa = as_signed(a, w), sb = as_signed(b, w);
  const auto shifted = [&](bool left) -> Wide {
    Wide x = op == Op::ashr ? sa : ua;
    for (uint64_t i = 0; i < std::min<uint64_t>(b, 64); ++i)
      x = left ? static_cast<Wide>(cut(x * 2, w)) : (x < 0 ? (x - 1) / 2 : x / 2);
    return x;
  };
  switch (op) {
    case Op::add:
      return cut(ua + ub, w);
    case Op::sub:
      return cut(ua - ub, w);
    case Op::mul:
      return cut(static_cast<Wide>(static_cast<unsigned __int128>(ua) * static_cast<unsigned __int128>(ub)), w);
    case Op::sdiv:
      return ub == 0 ? 0 : cut(sa / sb, w);
    case Op::srem:
      return ub == 0 ? 0 : cut(sa % sb, w);
    case Op::udiv:
      return ub == 0 ? mask(w) : cut(ua / ub, w);
    case Op::urem:
      return ub == 0 ? a : cut(ua % ub, w);
    case Op::and_:
      return a & b;
    case Op::or_:
      return a | b;
    case Op::xor_:
      return a ^ b;
    case Op::shl:
      return cut(shifted(true), w);
    case Op::lshr:
    case Op::ashr:
      return cut(shifted(false), w);
    case Op::smin:
      return sa < sb ? a : b;
    case Op::smax:
      return sa < sb ? b : a;
    case Op::umin:
      return ua < ub ? a : b;
    case Op::umax:
      return ua < ub ? b : a;
    case Op::eq:
      return ua == ub;
    case Op::ne:
      return ua != ub;
    case Op::slt:
      return sa < sb;
    case Op::sle:
      return sa <= sb;
    case Op::sgt:
      return sa > sb;
    case Op::sge:
      return sa >= sb;
    case Op::ult:
      return ua < ub;
    case Op::ule:
      return ua <= ub;
    case Op::ugt:
      return ua > ub;
    case Op::uge:
      return ua >= ub;
    default:
      ADD_FAILURE() << name(op);
      return 0;
  }
}

std::vector<uint64_t> interesting(uint8_t w, Rng& rng) {
  std::vector<uint64_t> out = {0, 1,     2, 7, 31, 32, 63, mask(w), mask(w) - 1, mask(w) >> 1, (mask(w) >> 1) + 1,
                               w, w - 1u};
  for (int i = 0; i < 8; ++i) out.push_back(rng.next());
  for (uint64_t& v : out) v &= mask(w);
  return out;
}

constexpr uint8_t k_widths[] = {1, 2, 8, 16, 31, 32, 33, 63, 64};

std::vector<Op> binary_ops() {
  std::vector<Op> out;
  for (int i = static_cast<int>(Op::add); i <= static_cast<int>(Op::uge); ++i) out.push_back(static_cast<Op>(i));
  return out;
}

const Env k_nothing = [](uint64_t) { return std::nullopt; };

}  // namespace

TEST(Term, BinaryOperatorsAgreeWithDirectComputation) {
  Rng rng(1);
  for (const uint8_t w : k_widths)
    for (const Op op : binary_ops())
      for (const uint64_t a : interesting(w, rng))
        for (const uint64_t b : interesting(w, rng)) {
          const uint64_t want = direct(op, w, a, b);
          const uint8_t rw = is_comparison(op) ? 1 : w;
          ASSERT_EQ(eval_op(op, w, rw, a, b, 0), want) << name(op) << int(w) << ' ' << a << ' ' << b;
          // The same through terms: folded, and with variables on either or both sides.
          const Expr x = variable(1, w), y = variable(2, w);
          const Env env = [&](uint64_t v) -> std::optional<uint64_t> { return v == 1 ? a : b; };
          const Expr folded = binary(op, constant(a, w), constant(b, w));
          ASSERT_TRUE(folded.is_const(want)) << name(op);
          ASSERT_EQ(folded.width(), rw);
          ASSERT_EQ(eval(binary(op, x, y), env), want);
          ASSERT_EQ(eval(binary(op, x, constant(b, w)), env), want) << name(op) << int(w) << ' ' << a << ' ' << b;
          ASSERT_EQ(eval(binary(op, constant(a, w), y), env), want) << name(op) << int(w) << ' ' << a << ' ' << b;
          if (a == b) {
            ASSERT_EQ(eval(binary(op, x, x), env), want);
          }
        }
}

TEST(Term, SignedCases) {
  EXPECT_EQ(to_signed(0xffffffff, 32), -1);
  EXPECT_EQ(to_signed(0x7fffffff, 32), 0x7fffffff);
  EXPECT_EQ(to_signed(1, 1), -1);
  EXPECT_EQ(to_signed(~uint64_t{0}, 64), -1);
  const uint64_t least = uint64_t{1} << 63;
  EXPECT_EQ(eval_op(Op::sdiv, 64, 64, least, ~uint64_t{0}, 0), least);
  EXPECT_EQ(eval_op(Op::srem, 64, 64, least, ~uint64_t{0}, 0), 0u);
  EXPECT_EQ(eval_op(Op::sdiv, 8, 8, 0x80, 0xff, 0), 0x80u);
  EXPECT_EQ(eval_op(Op::sdiv, 32, 32, static_cast<uint32_t>(-7), 2, 0), static_cast<uint32_t>(-3));
  EXPECT_EQ(eval_op(Op::srem, 32, 32, static_cast<uint32_t>(-7), 2, 0), static_cast<uint32_t>(-1));
}

TEST(Term, UnaryAndResize) {
  Rng rng(2);
  for (const uint8_t w : k_widths)
    for (const uint64_t a : interesting(w, rng)) {
      const Expr x = variable(1, w);
      const Env env = [&](uint64_t) { return std::optional<uint64_t>(a); };
      EXPECT_EQ(eval(unary(Op::not_, x), env), ~a & mask(w));
      EXPECT_EQ(eval(unary(Op::neg, x), env), cut(-static_cast<Wide>(a), w));
      EXPECT_EQ(eval(unary(Op::neg, unary(Op::neg, x)), env), a);
      EXPECT_EQ(eval(truth(x), env), a != 0 ? 1u : 0u);
      EXPECT_EQ(truth(x).width(), 1);
      for (const uint8_t to : k_widths) {
        EXPECT_EQ(eval(resize(x, to, true), env), cut(as_signed(a, w), to));
        EXPECT_EQ(eval(resize(x, to, false), env), a & mask(to));
        EXPECT_TRUE(resize(constant(a, w), to, true).is_const(cut(as_signed(a, w), to)));
        EXPECT_EQ(resize(x, to, true).width(), to);
        EXPECT_EQ(eval(truth(resize(x, std::max(w, to), false)), env), a != 0 ? 1u : 0u);
      }
    }
}

TEST(Term, ChoiceNeedsOnlyItsBranch) {
  const Expr c = variable(0, 1), t = variable(1, 8), e = constant(9, 8);
  const Expr x = ite(c, t, e);
  EXPECT_EQ(
      eval(x, [](uint64_t v) -> std::optional<uint64_t> { return v == 0 ? std::optional<uint64_t>(0) : std::nullopt; }),
      9u);
  EXPECT_EQ(
      eval(x, [](uint64_t v) -> std::optional<uint64_t> { return v == 0 ? std::optional<uint64_t>(1) : std::nullopt; }),
      std::nullopt);
  EXPECT_EQ(eval(x, k_nothing), std::nullopt);
  EXPECT_EQ(ite(constant(1, 1), t, e), t);
  EXPECT_EQ(ite(constant(0, 1), t, e), e);
  EXPECT_EQ(ite(c, constant(1, 1), constant(0, 1)), c);
}

TEST(Term, RewritingKeepsDependencies) {
  const Expr x = variable(4, 32), zero = constant(0, 32), ones = constant(~uint64_t{0}, 32);
  const auto mentions = [](const Expr& e) {
    bool found = false;
    for_each_variable(e, [&](uint64_t v) { found = found || v == 4; });
    return found;
  };
  for (const Op op : binary_ops()) {
    EXPECT_TRUE(mentions(binary(op, x, x))) << name(op);
    for (const Expr& c : {zero, constant(1, 32), ones}) {
      EXPECT_TRUE(mentions(binary(op, x, c))) << name(op);
      EXPECT_TRUE(mentions(binary(op, c, x))) << name(op);
    }
  }
  EXPECT_TRUE(mentions(ite(truth(x), zero, zero)));
  EXPECT_EQ(binary(Op::add, x, zero), x);
  EXPECT_EQ(binary(Op::add, zero, x), x);
  EXPECT_EQ(binary(Op::and_, x, ones), x);
}

TEST(Term, EqualityIsStructural) {
  const auto build = [] { return binary(Op::add, variable(1, 32), constant(5, 32)); };
  EXPECT_EQ(build(), build());
  EXPECT_FALSE(build() == binary(Op::sub, variable(1, 32), constant(5, 32)));
  EXPECT_FALSE(variable(1, 32) == variable(1, 64));
  EXPECT_FALSE(variable(1, 32) == constant(1, 32));
  EXPECT_EQ(Expr{}, Expr{});
  EXPECT_FALSE(Expr{} == variable(1, 32));
}

TEST(Term, SubstitutionRebuilds) {
  const Expr e = ite(binary(Op::slt, variable(1, 32), constant(3, 32)), resize(variable(2, 8), 32, true),
                     unary(Op::not_, variable(1, 32)));
  const auto with = [](uint64_t a, uint64_t b) {
    return [a, b](uint64_t v, uint8_t w) { return constant(v == 1 ? a : b, w); };
  };
  EXPECT_TRUE(substitute(e, with(2, 0xff)).is_const(0xffffffff));
  EXPECT_TRUE(substitute(e, with(3, 0xff)).is_const(0xfffffffc));
  EXPECT_EQ(substitute(e, [](uint64_t v, uint8_t w) { return variable(v, w); }), e);
  EXPECT_EQ(substitute(Expr{}, with(0, 0)), Expr{});
}

// Found by feeding the SPIR-V parser: a value that is added to itself a few dozen times is a tree of billions of nodes.
TEST(Term, SharedPartsAreVisitedOnce) {
  const auto doubled = [](int times) {
    Expr e = variable(7, 32);
    for (int i = 0; i < times; ++i)
      e = binary(Op::xor_, binary(Op::mul, e, constant(3, 32)), binary(Op::add, e, constant(1, 32)));
    return e;
  };
  const Expr e = doubled(600);
  uint64_t variables = 0;
  for_each_variable(e, [&](uint64_t v) {
    EXPECT_EQ(v, 7u);
    ++variables;
  });
  EXPECT_GE(variables, 1u);
  uint64_t x = 5;
  for (int i = 0; i < 600; ++i) x = ((x * 3) ^ (x + 1)) & 0xffffffffu;
  EXPECT_EQ(eval(e, [](uint64_t) { return std::optional<uint64_t>(5); }), x);
  EXPECT_EQ(eval(e, [](uint64_t) { return std::optional<uint64_t>(); }), std::nullopt);
  const Expr other = substitute(e, [](uint64_t, uint8_t w) { return variable(8, w); });
  EXPECT_EQ(eval(other, [](uint64_t v) { return v == 8 ? std::optional<uint64_t>(5) : std::nullopt; }), x);
  EXPECT_EQ(e, doubled(600));
  EXPECT_FALSE(e == other);
  EXPECT_FALSE(e == doubled(599));
}

TEST(Term, Text) {
  const auto names = [](uint64_t v) { return "r" + std::to_string(v); };
  EXPECT_EQ(to_string(constant(~uint64_t{0}, 32), names), "-1");
  EXPECT_EQ(to_string(constant(1, 1), names), "1");
  EXPECT_EQ(to_string(binary(Op::add, variable(0, 64), constant(1, 64)), names), "(r0 + 1)");
  EXPECT_EQ(to_string(Expr{}, names), "");
}

TEST(TermDeathTest, MixedWidthsAreOurFault) {
  EXPECT_EXIT(binary(Op::add, constant(1, 8), constant(1, 16)), testing::ExitedWithCode(4), "different widths");
}

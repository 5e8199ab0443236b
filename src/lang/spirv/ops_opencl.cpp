// The extended instructions of OpenCL: the unified specification, "OpenCL SPIR-V Extended Instruction Set", and for
// what its short sentences leave out the built-in functions of OpenCL C, "Integer Functions" and "Miscellaneous Vector
// Functions".
#include <spirv/unified1/OpenCL.std.h>

#include <spirv/unified1/spirv.hpp11>

#include "spirv/ops.h"
#include "spirv/ops_lanes.h"

namespace fencepost::spirv {

using T = term::Op;

namespace {

Expr below_zero(const Expr& e) { return term::binary(T::slt, e, number(0, e.width())); }

// A product of two numbers of one width, as two of that width.
struct Product {
  Expr high, low;
};

Product unsigned_product(const Expr& x, const Expr& y) {
  const uint8_t w = x.width();
  if (w <= 32) {
    const auto w2 = static_cast<uint8_t>(2 * w);
    const Expr p = term::binary(T::mul, to_width(x, w2, false), to_width(y, w2, false));
    return {to_width(term::binary(T::lshr, p, number(w, w2)), w, false), to_width(p, w, false)};
  }
  // Four products of halves, each of which fits.
  const uint8_t h = w / 2;
  const auto low = [&](const Expr& e) { return term::binary(T::and_, e, number(term::mask(h), w)); };
  const auto high = [&](const Expr& e) { return term::binary(T::lshr, e, number(h, w)); };
  const auto times = [](const Expr& a, const Expr& b) { return term::binary(T::mul, a, b); };
  const auto plus = [](const Expr& a, const Expr& b) { return term::binary(T::add, a, b); };
  const Expr ll = times(low(x), low(y)), lh = times(low(x), high(y)), hl = times(high(x), low(y));
  const Expr middle = plus(plus(high(ll), low(lh)), low(hl));
  return {plus(plus(times(high(x), high(y)), high(middle)), plus(high(lh), high(hl))), times(x, y)};
}

Product product(const Expr& x, const Expr& y, bool is_signed) {
  Product p = unsigned_product(x, y);
  if (!is_signed) return p;
  const uint8_t w = x.width();
  const Expr zero = number(0, w);
  p.high = term::binary(T::sub, p.high, term::ite(below_zero(x), y, zero));
  p.high = term::binary(T::sub, p.high, term::ite(below_zero(y), x, zero));
  return p;
}

// x * y + z, saturated.
Expr mad_sat(const std::vector<Expr>& x, uint8_t w, bool is_signed) {
  const Product p = product(x[0], x[1], is_signed);
  const Expr low = term::binary(T::add, p.low, x[2]), carry = to_width(term::binary(T::ult, low, p.low), w, false);
  Expr high = term::binary(T::add, p.high, carry);
  if (!is_signed) return term::ite(term::truth(high), number(~uint64_t{0}, w), low);
  high = term::binary(T::add, high, term::ite(below_zero(x[2]), number(~uint64_t{0}, w), number(0, w)));
  const Expr fits = term::binary(T::eq, high, term::binary(T::ashr, low, number(w - 1u, w)));
  const uint64_t least = uint64_t{1} << (w - 1);
  return term::ite(fits, low, term::ite(below_zero(high), number(least, w), number(least - 1, w)));
}

// Saturating x op y of the largest width.
Expr saturated_sum(T op, const std::vector<Expr>& x, uint8_t w, bool is_signed) {
  const Expr r = term::binary(op, x[0], x[1]);
  if (!is_signed)
    return op == T::add ? term::ite(term::binary(T::ult, r, x[0]), number(~uint64_t{0}, w), r)
                        : term::ite(term::binary(T::ult, x[0], x[1]), number(0, w), r);
  // It wraps where the sign of the result is not that of x, and y counted the other way.
  const Expr turns = term::binary(T::xor_, r, x[0]);
  const Expr other = op == T::add ? term::binary(T::xor_, r, x[1]) : term::binary(T::xor_, x[0], x[1]);
  const uint64_t least = uint64_t{1} << (w - 1);
  return term::ite(below_zero(term::binary(T::and_, turns, other)),
                   term::ite(below_zero(x[0]), number(least, w), number(least - 1, w)), r);
}

}  // namespace

Value Operations::magnitude(const Operation& o) const {
  return lanes(o, 1, [&](const std::vector<Expr>& x, uint8_t) {
    return term::ite(below_zero(x[0]), term::unary(T::neg, x[0]), x[0]);
  });
}

// Both GLSL and OpenCL leave the result undefined where the least number is above the largest.
Value Operations::clamp(const Operation& o, bool is_signed) const {
  return lanes(o, 3, [&](const std::vector<Expr>& x, uint8_t) {
    const Expr e =
        term::binary(is_signed ? T::smin : T::umin, term::binary(is_signed ? T::smax : T::umax, x[0], x[1]), x[2]);
    return unless(term::binary(is_signed ? T::sgt : T::ugt, x[1], x[2]), e, o.at);
  });
}

// Of each index the bits count that say which component it is.
Value Operations::shuffled(const Operation& o, size_t vectors) const {
  std::vector<Value> from;
  for (size_t k = 0; k < vectors; ++k) {
    const Value v = arg(o, k);
    if (!v.is(Value::Kind::composite)) m_.fail(o.at, "a shuffle is of vectors");
    from.insert(from.end(), v.parts.begin(), v.parts.end());
  }
  const Value which = arg(o, vectors);
  if ((from.size() & (from.size() - 1)) != 0)
    m_.refuse(o.at, "a shuffle of vectors of 3 components is not read", "OpenCL has it of 2, 4, 8 and 16");
  if (!which.is(Value::Kind::composite) || which.parts.size() != types_.count(o.type, o.at))
    m_.fail(o.at, "a shuffle has an index for each component of its result");
  std::vector<Value> parts;
  for (const Value& w : which.parts) {
    const Expr index = term(w, o.at);
    Value out = from[0];
    for (size_t k = 1; k < from.size(); ++k) {
      const Expr kept = term::binary(T::and_, index, number(from.size() - 1, index.width()));
      out = select(term::binary(T::eq, kept, number(k, index.width())), from[k], out, o.at);
    }
    parts.push_back(std::move(out));
  }
  return Value::composite(o.type, std::move(parts));
}

std::optional<Value> Operations::opencl(const Operation& o, uint32_t n) const {
  const auto two = [&](T op) { return arithmetic(o, op); };
  // Saturating a op b, computed one bit wider.
  const auto saturate = [&](T op, bool is_signed) {
    return lanes(o, 2, [&, op, is_signed](const std::vector<Expr>& x, uint8_t w) {
      if (w > 62) return saturated_sum(op, x, w, is_signed);
      const auto w2 = static_cast<uint8_t>(w + 2);
      const Expr r = term::binary(op, to_width(x[0], w2, is_signed), to_width(x[1], w2, is_signed));
      const uint64_t least = is_signed ? (~uint64_t{0} << (w - 1)) : 0;
      const uint64_t most = is_signed ? term::mask(static_cast<uint8_t>(w - 1)) : term::mask(w);
      const Expr low = number(least, w2), high = number(most, w2);
      return to_width(term::binary(T::smin, term::binary(T::smax, r, low), high), w, false);
    });
  };
  const auto high_half = [&](bool is_signed, bool adds) {
    return lanes(o, adds ? 3 : 2, [&, is_signed, adds](const std::vector<Expr>& x, uint8_t w) {
      if (x[0].width() != w || x[1].width() != w) m_.fail(o.at, "operands and result have one width");
      const Expr high = product(x[0], x[1], is_signed).high;
      return adds ? term::binary(T::add, high, x[2]) : high;
    });
  };
  // (x + y) >> 1 and (x + y + 1) >> 1, of sums that do not wrap.
  const auto halved_sum = [&](T shift, bool up) {
    return lanes(o, 2, [&, shift, up](const std::vector<Expr>& x, uint8_t w) {
      const Expr half = term::binary(shift, term::binary(T::xor_, x[0], x[1]), number(1, w));
      return up ? term::binary(T::sub, term::binary(T::or_, x[0], x[1]), half)
                : term::binary(T::add, term::binary(T::and_, x[0], x[1]), half);
    });
  };
  // What the product is of numbers that have more than 24 bits is up to the implementation.
  const auto product24 = [&](bool is_signed, bool adds) {
    return lanes(o, adds ? 3 : 2, [&, is_signed, adds](const std::vector<Expr>& x, uint8_t w) {
      if (w != 32) m_.fail(o.at, "24-bit numbers are in 32 bits");
      const auto large = [&](const Expr& e) {
        return term::binary(T::ne, to_width(to_width(e, 24, false), 32, is_signed), e);
      };
      const Expr p = unless(term::binary(T::or_, large(x[0]), large(x[1])), term::binary(T::mul, x[0], x[1]), o.at);
      return adds ? term::binary(T::add, p, x[2]) : p;
    });
  };
  const Type& t = m_.type(o.type, o.at);
  const Type& element = t.kind == Type::Kind::vector ? m_.type(t.element, o.at) : t;
  switch (static_cast<OpenCLLIB::Entrypoints>(n)) {
    case OpenCLLIB::SMin:
      return two(T::smin);
    case OpenCLLIB::SMax:
      return two(T::smax);
    case OpenCLLIB::UMin:
      return two(T::umin);
    case OpenCLLIB::UMax:
      return two(T::umax);
    case OpenCLLIB::SAbs:
      return magnitude(o);
    case OpenCLLIB::UAbs:
      return arg(o, 0);
    case OpenCLLIB::SClamp:
      return clamp(o, true);
    case OpenCLLIB::UClamp:
      return clamp(o, false);
    case OpenCLLIB::SAdd_sat:
      return saturate(T::add, true);
    case OpenCLLIB::UAdd_sat:
      return saturate(T::add, false);
    case OpenCLLIB::SSub_sat:
      return saturate(T::sub, true);
    case OpenCLLIB::USub_sat:
      return saturate(T::sub, false);
    case OpenCLLIB::SHadd:
      return halved_sum(T::ashr, false);
    case OpenCLLIB::UHadd:
      return halved_sum(T::lshr, false);
    case OpenCLLIB::SRhadd:
      return halved_sum(T::ashr, true);
    case OpenCLLIB::URhadd:
      return halved_sum(T::lshr, true);
    case OpenCLLIB::Popcount:
      return lanes(o, 1, [&](const std::vector<Expr>& x, uint8_t) { return count_bits(x[0]); });
    case OpenCLLIB::SMad24:
      return product24(true, true);
    case OpenCLLIB::UMad24:
      return product24(false, true);
    case OpenCLLIB::SMul24:
      return product24(true, false);
    case OpenCLLIB::UMul24:
      return product24(false, false);
    case OpenCLLIB::SMul_hi:
      return high_half(true, false);
    case OpenCLLIB::UMul_hi:
      return high_half(false, false);
    case OpenCLLIB::SMad_hi:
      return high_half(true, true);
    case OpenCLLIB::UMad_hi:
      return high_half(false, true);
    case OpenCLLIB::SMad_sat:
      return lanes(o, 3, [&](const std::vector<Expr>& x, uint8_t w) { return mad_sat(x, w, true); });
    case OpenCLLIB::UMad_sat:
      return lanes(o, 3, [&](const std::vector<Expr>& x, uint8_t w) { return mad_sat(x, w, false); });
    case OpenCLLIB::U_Upsample:
    case OpenCLLIB::S_Upsample:
      return lanes(o, 2, [&](const std::vector<Expr>& x, uint8_t w) {
        if (x[0].width() * 2 != w || x[1].width() * 2 != w) m_.fail(o.at, "a half is half as wide as the result");
        return term::binary(T::or_, term::binary(T::shl, to_width(x[0], w, false), number(w / 2u, w)),
                            to_width(x[1], w, false));
      });
    case OpenCLLIB::Shuffle:
      return shuffled(o, 1);
    case OpenCLLIB::Shuffle2:
      return shuffled(o, 2);
    case OpenCLLIB::SAbs_diff:
    case OpenCLLIB::UAbs_diff: {
      const T less = n == static_cast<uint32_t>(OpenCLLIB::SAbs_diff) ? T::slt : T::ult;
      return lanes(o, 2, [&, less](const std::vector<Expr>& x, uint8_t) {
        return term::ite(term::binary(less, x[0], x[1]), term::binary(T::sub, x[1], x[0]),
                         term::binary(T::sub, x[0], x[1]));
      });
    }
    case OpenCLLIB::Rotate:
      return lanes(o, 2, [&](const std::vector<Expr>& x, uint8_t w) {
        const Expr by = term::binary(T::urem, x[1], number(w, w)),
                   back = term::binary(T::urem, term::binary(T::sub, number(w, w), by), number(w, w));
        return term::binary(T::or_, term::binary(T::shl, x[0], by), term::binary(T::lshr, x[0], back));
      });
    case OpenCLLIB::Clz:
      return lanes(o, 1, [&](const std::vector<Expr>& x, uint8_t w) {  // highest_bit: all ones without a bit
        return term::binary(T::sub, number(w - 1u, w), highest_bit(x[0], w));
      });
    case OpenCLLIB::Ctz:
      return lanes(o, 1, [&](const std::vector<Expr>& x, uint8_t w) {
        return term::ite(term::binary(T::eq, x[0], number(0, w)), number(w, w), lowest_bit(x[0], w));
      });
    case OpenCLLIB::Bitselect:
      return lanes(o, 3, [&](const std::vector<Expr>& x, uint8_t) {
        return term::binary(T::or_, term::binary(T::and_, x[0], term::unary(T::not_, x[2])),
                            term::binary(T::and_, x[1], x[2]));
      });
    case OpenCLLIB::Select: {  // of a vector, the sign bit of the last operand decides; of a scalar, whether it is 0
      const bool vector = t.kind == Type::Kind::vector;
      return lanes(o, 3, [&, vector](const std::vector<Expr>& x, uint8_t) {
        const Expr c = vector ? term::binary(T::slt, x[2], number(0, x[2].width())) : term::truth(x[2]);
        return term::ite(c, x[1], x[0]);
      });
    }
    case OpenCLLIB::Printf:
      return Value::scalar(o.type,
                           number(0, types_.bits(o.type, o.at)));  // it has succeeded; nobody sees what it prints
    default:
      if (element.kind == Type::Kind::float_ && !takes_pointer(o)) return opaque_result(o);
      return std::nullopt;
  }
}

}  // namespace fencepost::spirv

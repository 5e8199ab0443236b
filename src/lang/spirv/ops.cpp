#include "spirv/ops.h"

#include <fmt/format.h>
#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>
#include <spirv/unified1/spirv.hpp11>

#include "spirv/ops_lanes.h"

namespace fencepost::spirv {

using spv::Op;
using T = term::Op;

namespace {

// An upper bound of a term as an unsigned number.
uint64_t most(const Expr& e, int depth = 0) {
  const uint64_t all = term::mask(e.width());
  if (e.is_const()) return e.value();
  if (depth > 8) return all;
  const auto kid = [&](size_t k) { return most(e.kids()[k], depth + 1); };
  switch (e.op()) {
    case T::and_:
      return std::min(kid(0), kid(1));
    case T::umin:
      return std::min(kid(0), kid(1));
    case T::urem:
      return e.kids()[1].is_const() && e.kids()[1].value() != 0 ? e.kids()[1].value() - 1 : all;
    case T::lshr:
      return e.kids()[1].is_const() && e.kids()[1].value() < e.width() ? kid(0) >> e.kids()[1].value() : kid(0);
    case T::zext:
      return kid(0);
    case T::ite:
      return std::max(kid(1), kid(2));
    case T::add: {
      const uint64_t a = kid(0), b = kid(1);
      return a <= all - std::min(b, all) ? a + b : all;
    }
    default:
      return all;
  }
}
// A field of `n` bits from `at` on reaches out of `w` bits.
Expr beyond(const Expr& at, const Expr& n, uint8_t w) {
  if (most(at) <= w && most(n) <= w && most(at) + most(n) <= w) return number(0, 1);
  const Expr wide = term::binary(T::ugt, n, number(w, w));
  return term::binary(T::or_, wide, term::binary(T::ugt, at, term::binary(T::sub, number(w, w), n)));
}

bool never_zero(const Expr& e, int depth = 0) {
  if (e.is_const()) return e.value() != 0;
  if (depth > 8) return false;
  const auto kid = [&](size_t k) { return never_zero(e.kids()[k], depth + 1); };
  switch (e.op()) {
    case T::or_:
      return kid(0) || kid(1);
    case T::ite:
      return kid(1) && kid(2);
    case T::zext:
    case T::sext:
      return kid(0);
    case T::add: {  // a sum that does not wrap
      const uint64_t a = most(e.kids()[0]), b = most(e.kids()[1]);
      return a <= term::mask(e.width()) - b && (kid(0) || kid(1));
    }
    default:
      return false;
  }
}

}  // namespace

Value Operations::arg(const Operation& o, size_t k) const {
  if (k >= o.size()) m_.fail(o.at, "an operand is missing");
  return source_.value(o.word(k), o.at);
}

bool Operations::any_opaque(const Value& v) {
  if (v.is(Value::Kind::opaque)) return true;
  return std::any_of(v.parts.begin(), v.parts.end(), any_opaque);
}

Expr Operations::term(const Value& v, const Instruction& user) const {
  switch (v.kind) {
    case Value::Kind::scalar:
      return v.e;
    case Value::Kind::undefined:
      return source_.demand(v, user);
    case Value::Kind::pointer:
      return address_term(v, user);
    case Value::Kind::opaque:
      m_.refuse(user, "the result of floating point arithmetic decides something here",
                "such results may be stored and nothing else");
    case Value::Kind::composite:
      m_.fail(user, "a scalar is needed, and this is a composite");
    case Value::Kind::none:
      break;
  }
  m_.fail(user, "a value is needed, and this operand has none");
}

Expr Operations::truth(const Value& v, const Instruction& user) const { return term::truth(term(v, user)); }

Value Operations::null(Id type, const Instruction& user) const {
  const Type& t = m_.type(type, user);
  if (t.scalar()) return Value::scalar(type, number(0, types_.bits(type, user)));
  if (t.kind == Type::Kind::pointer) return Value::pointer(type, {Target{{}, k_null_root, {}}});
  if (t.kind == Type::Kind::struct_) {
    std::vector<Value> parts;
    for (const Id m : t.members) parts.push_back(null(m, user));
    return Value::composite(type, std::move(parts));
  }
  if (t.kind == Type::Kind::vector || t.kind == Type::Kind::array)
    return Value::composite(type, std::vector<Value>(types_.count(type, user), null(t.element, user)));
  m_.refuse(user, fmt::format("a null value of the type {} is not read", m_.name(type)));
}

Value Operations::undefined(Id type, const std::string& what, const Instruction& user, bool each_use) const {
  const Type& t = m_.type(type, user);
  if (t.scalar() || t.kind == Type::Kind::pointer) return Value::unknown(type, what, each_use);
  std::vector<Value> parts;
  if (t.kind == Type::Kind::struct_) {
    for (size_t k = 0; k < t.members.size(); ++k)
      parts.push_back(undefined(t.members[k], fmt::format("{}.{}", what, k), user, each_use));
  } else if (t.kind == Type::Kind::vector || t.kind == Type::Kind::array) {
    const uint64_t n = types_.count(type, user);
    for (uint64_t k = 0; k < n; ++k)
      parts.push_back(undefined(t.element, fmt::format("{}.{}", what, k), user, each_use));
  } else {
    m_.refuse(user, fmt::format("an undefined value of the type {} is not read", m_.name(type)));
  }
  return Value::composite(type, std::move(parts));
}

Value Operations::opaque_of(Id type, const Instruction& user) const {
  const Type& t = m_.type(type, user);
  if (t.kind == Type::Kind::vector)
    return Value::composite(type, std::vector<Value>(t.count, opaque_of(t.element, user)));
  return Value::opaque(type);
}

Value Operations::opaque_result(const Operation& o) const {
  for (size_t k = 0; k < o.size(); ++k)
    if (o.at.args[o.first + k].is_id) arg(o, k);  // every id must have a value
  return opaque_of(o.type, o.at);
}

// sincos, modf, frexp, vloadn ... are accesses, whatever they compute.
bool Operations::takes_pointer(const Operation& o) const {
  for (size_t k = 0; k < o.size(); ++k)
    if (o.at.args[o.first + k].is_id && arg(o, k).is(Value::Kind::pointer)) return true;
  return false;
}

// ---- lane by lane ------------------------------------------------------------------------------------

Value Operations::arithmetic(const Operation& o, term::Op op) const {
  return lanes(o, 2, [&](const std::vector<Expr>& x, uint8_t w) {
    if (x[0].width() != w) m_.fail(o.at, "operand and result differ in width");
    const bool shift = op == T::shl || op == T::lshr || op == T::ashr;
    if (!shift && x[1].width() != w) m_.fail(o.at, "the operands differ in width");
    if (shift) {
      const Expr& by = x[1];
      const Expr far = most(by) < w ? number(0, 1) : term::binary(T::uge, by, number(w, by.width()));
      return unless(far, term::binary(op, x[0], to_width(by, w, false)), o.at);
    }
    if (op == T::sdiv || op == T::udiv || op == T::srem || op == T::urem)
      return unless(bad_divisor(op, x[0], x[1]), term::binary(op, x[0], x[1]), o.at);
    return term::binary(op, x[0], x[1]);
  });
}

Expr Operations::unless(const Expr& outside, const Expr& e, const Instruction& user) const {
  if (outside.is_const(0)) return e;
  return term::ite(outside, source_.any(e.width(), outside, user), e);
}

// A divisor of zero, and of signed numbers the least one divided by -1.
Expr Operations::bad_divisor(T op, const Expr& a, const Expr& b) const {
  const uint8_t w = b.width();
  Expr bad = never_zero(b) ? number(0, 1) : term::binary(T::eq, b, number(0, w));
  const uint64_t least = uint64_t{1} << (w - 1);
  const bool is_signed = op == T::sdiv || op == T::srem;
  const bool possible = (b.is_const() ? b.is_const(term::mask(w)) : most(b) >= least) &&
                        (a.is_const() ? a.is_const(least) : most(a) >= least);
  if (is_signed && possible) {
    const Expr overflows = term::binary(T::and_, term::binary(T::eq, a, number(least, w)),
                                        term::binary(T::eq, b, number(~uint64_t{0}, w)));
    bad = bad.is_const(0) ? overflows : term::binary(T::or_, bad, overflows);
  }
  return bad;
}

Value Operations::compare(const Operation& o, term::Op op) const {
  return lanes(o, 2, [&](const std::vector<Expr>& x, uint8_t) {
    if (x[0].width() != x[1].width()) m_.fail(o.at, "the operands differ in width");
    return term::binary(op, x[0], x[1]);
  });
}

Value Operations::convert(const Operation& o, bool is_signed) const {
  if (m_.saturates(o.at.result)) return saturated(o, is_signed, is_signed);
  return lanes(o, 1, [&](const std::vector<Expr>& x, uint8_t w) { return to_width(x[0], w, is_signed); });
}

// The nearest number that the type of the result has.
Value Operations::saturated(const Operation& o, bool from_signed, bool to_signed) const {
  return lanes(o, 1, [&](const std::vector<Expr>& x, uint8_t w) {
    const uint8_t from = x[0].width();
    const uint64_t most = term::mask(to_signed ? static_cast<uint8_t>(w - 1) : w);
    Expr e = x[0];
    if (!from_signed) {
      if (most < term::mask(from)) e = term::binary(T::umin, e, number(most, from));
      return to_width(e, w, false);
    }
    const uint64_t least = to_signed ? ~most : 0;  // two's complement
    if (!to_signed || w < from) e = term::binary(T::smax, e, number(least, from));
    if (most < term::mask(static_cast<uint8_t>(from - 1))) e = term::binary(T::smin, e, number(most, from));
    return to_width(e, w, to_signed);
  });
}

Value Operations::bitcast(const Operation& o) const {
  Value v = arg(o, 0);
  const Type& to = m_.type(o.type, o.at);
  if (to.kind == Type::Kind::pointer) {
    if (v.is(Value::Kind::pointer)) {
      v.type = o.type;
      return v;
    }
    m_.refuse(o.at, "integers are not turned into pointers here", "pointers come from variables and parameters");
  }
  if (v.is(Value::Kind::pointer))
    return Value::scalar(o.type, to_width(address_term(v, o.at), types_.bits(o.type, o.at), false));
  if (v.is(Value::Kind::opaque) || any_opaque(v)) return opaque_of(o.type, o.at);
  // Scalars and vectors as bits, least significant first.
  std::vector<Expr> from;
  if (v.is(Value::Kind::composite)) {
    for (const Value& p : v.parts) from.push_back(term(p, o.at));
  } else {
    from.push_back(term(v, o.at));
  }
  const uint32_t lanes = to.kind == Type::Kind::vector ? to.count : 1;
  const Id lane_type = to.kind == Type::Kind::vector ? to.element : o.type;
  const uint8_t w = types_.bits(lane_type, o.at);
  const uint8_t fw = from[0].width();
  if (from.size() * fw != uint64_t{lanes} * w) m_.fail(o.at, "a bitcast keeps the number of bits");
  std::vector<Value> out;
  for (uint32_t l = 0; l < lanes; ++l) {
    Expr e;
    if (fw == w) {
      e = from[l];
    } else if (fw > w) {
      const uint32_t per = fw / w;
      e = to_width(term::binary(T::lshr, from[l / per], number(uint64_t{l % per} * w, fw)), w, false);
    } else {
      const uint32_t per = w / fw;
      e = number(0, w);
      for (uint32_t k = 0; k < per; ++k)
        e = term::binary(T::or_, e,
                         term::binary(T::shl, to_width(from[l * per + k], w, false), number(uint64_t{k} * fw, w)));
    }
    out.push_back(Value::scalar(lane_type, std::move(e)));
  }
  if (to.kind == Type::Kind::vector) return Value::composite(o.type, std::move(out));
  return std::move(out.front());
}

Expr Operations::count_bits(const Expr& e) const {
  const uint8_t w = e.width();
  Expr sum = number(0, w);
  for (uint8_t k = 0; k < w; ++k)
    sum = term::binary(T::add, sum, term::binary(T::and_, term::binary(T::lshr, e, number(k, w)), number(1, w)));
  return sum;
}

Expr Operations::lowest_bit(const Expr& e, uint8_t width) const {
  Expr at = number(~uint64_t{0}, width);
  for (int k = e.width() - 1; k >= 0; --k)
    at = term::ite(term::truth(term::binary(T::and_, e, number(uint64_t{1} << k, e.width()))),
                   number(static_cast<uint64_t>(k), width), at);
  return at;
}

Expr Operations::highest_bit(const Expr& e, uint8_t width) const {
  Expr at = number(~uint64_t{0}, width);
  for (int k = 0; k < e.width(); ++k)
    at = term::ite(term::truth(term::binary(T::and_, e, number(uint64_t{1} << k, e.width()))),
                   number(static_cast<uint64_t>(k), width), at);
  return at;
}

// OpIAddCarry, OpISubBorrow, OpUMulExtended, OpSMulExtended: structures of two.
Value Operations::carry(const Operation& o) const {
  const Type& t = m_.type(o.type, o.at);
  if (t.kind != Type::Kind::struct_ || t.members.size() != 2)
    m_.fail(o.at, "the result type is not a structure of two members");
  const Value a = arg(o, 0), b = arg(o, 1);
  if (a.is(Value::Kind::composite)) m_.refuse(o.at, "this instruction is read for scalars only");
  const Expr x = term(a, o.at), y = term(b, o.at);
  const uint8_t w = x.width();
  if (y.width() != w || types_.bits(t.members[0], o.at) != w || types_.bits(t.members[1], o.at) != w)
    m_.fail(o.at, "operands and members have one width");
  Expr low, high;
  switch (static_cast<Op>(o.op)) {
    case Op::OpIAddCarry:
      low = term::binary(T::add, x, y);
      high = to_width(term::binary(T::ult, low, x), w, false);
      break;
    case Op::OpISubBorrow:
      low = term::binary(T::sub, x, y);
      high = to_width(term::binary(T::ult, x, y), w, false);
      break;
    default: {
      if (w > 32) m_.refuse(o.at, "wide products of more than 32 bits are not read");
      const bool is_signed = static_cast<Op>(o.op) == Op::OpSMulExtended;
      const auto w2 = static_cast<uint8_t>(2 * w);
      const Expr p = term::binary(T::mul, to_width(x, w2, is_signed), to_width(y, w2, is_signed));
      low = to_width(p, w, false);
      high = to_width(term::binary(T::lshr, p, number(w, w2)), w, false);
    }
  }
  return Value::composite(o.type, {Value::scalar(t.members[0], low), Value::scalar(t.members[1], high)});
}

// ---- the table -----------------------------------------------------------------------------------------

std::optional<Value> Operations::compute(const Operation& o) const {
  const auto unary = [&](T op) {
    return lanes(o, 1, [&](const std::vector<Expr>& x, uint8_t) { return term::unary(op, x[0]); });
  };
  switch (static_cast<Op>(o.op)) {
    case Op::OpIAdd:
      return arithmetic(o, T::add);
    case Op::OpISub:
      return arithmetic(o, T::sub);
    case Op::OpIMul:
      return arithmetic(o, T::mul);
    case Op::OpUDiv:
      return arithmetic(o, T::udiv);
    case Op::OpSDiv:
      return arithmetic(o, T::sdiv);
    case Op::OpUMod:
      return arithmetic(o, T::urem);
    case Op::OpSRem:
      return arithmetic(o, T::srem);
    case Op::OpSMod:
      return lanes(o, 2, [&](const std::vector<Expr>& x, uint8_t w) {
        const Expr r = unless(bad_divisor(T::srem, x[0], x[1]), term::binary(T::srem, x[0], x[1]), o.at),
                   zero = number(0, w);
        const Expr other_sign = term::binary(T::slt, term::binary(T::xor_, r, x[1]), zero);
        return term::ite(term::binary(T::and_, term::truth(r), other_sign), term::binary(T::add, r, x[1]), r);
      });
    case Op::OpSNegate:
      return unary(T::neg);
    case Op::OpNot:
      return unary(T::not_);
    case Op::OpLogicalNot:
      return unary(T::not_);
    case Op::OpShiftLeftLogical:
      return arithmetic(o, T::shl);
    case Op::OpShiftRightLogical:
      return arithmetic(o, T::lshr);
    case Op::OpShiftRightArithmetic:
      return arithmetic(o, T::ashr);
    case Op::OpBitwiseAnd:
    case Op::OpLogicalAnd:
      return arithmetic(o, T::and_);
    case Op::OpBitwiseOr:
    case Op::OpLogicalOr:
      return arithmetic(o, T::or_);
    case Op::OpBitwiseXor:
      return arithmetic(o, T::xor_);
    case Op::OpLogicalEqual:
      return compare(o, T::eq);
    case Op::OpLogicalNotEqual:
      return compare(o, T::ne);
    case Op::OpIEqual:
      return compare(o, T::eq);
    case Op::OpINotEqual:
      return compare(o, T::ne);
    case Op::OpULessThan:
      return compare(o, T::ult);
    case Op::OpULessThanEqual:
      return compare(o, T::ule);
    case Op::OpUGreaterThan:
      return compare(o, T::ugt);
    case Op::OpUGreaterThanEqual:
      return compare(o, T::uge);
    case Op::OpSLessThan:
      return compare(o, T::slt);
    case Op::OpSLessThanEqual:
      return compare(o, T::sle);
    case Op::OpSGreaterThan:
      return compare(o, T::sgt);
    case Op::OpSGreaterThanEqual:
      return compare(o, T::sge);
    case Op::OpPtrEqual:
      return pointer_compare(o, T::eq);
    case Op::OpPtrNotEqual:
      return pointer_compare(o, T::ne);
    case Op::OpAny:
    case Op::OpAll: {
      const Value v = arg(o, 0);
      const bool all = static_cast<Op>(o.op) == Op::OpAll;
      Expr e = number(all ? 1 : 0, 1);
      for (const Value& p : v.parts) e = term::binary(all ? T::and_ : T::or_, e, truth(p, o.at));
      return Value::scalar(o.type, e);
    }
    case Op::OpBitCount:
      return lanes(o, 1, [&](const std::vector<Expr>& x, uint8_t w) { return to_width(count_bits(x[0]), w, false); });
    case Op::OpBitReverse:
      return lanes(o, 1, [&](const std::vector<Expr>& x, uint8_t w) {
        Expr e = number(0, w);
        for (uint8_t k = 0; k < w; ++k)
          e = term::binary(
              T::or_, e,
              term::binary(T::shl, term::binary(T::and_, term::binary(T::lshr, x[0], number(k, w)), number(1, w)),
                           number(w - 1u - k, w)));
        return e;
      });
    case Op::OpBitFieldInsert:
      return lanes(o, 4, [&](const std::vector<Expr>& x, uint8_t w) {
        const Expr at = to_width(x[2], w, false), n = to_width(x[3], w, false);
        const Expr ones = number(~uint64_t{0}, w);
        const Expr field = term::binary(T::shl, term::unary(T::not_, term::binary(T::shl, ones, n)), at);
        const Expr e = term::binary(T::or_, term::binary(T::and_, x[0], term::unary(T::not_, field)),
                                    term::binary(T::and_, term::binary(T::shl, x[1], at), field));
        return unless(beyond(at, n, w), e, o.at);
      });
    case Op::OpBitFieldUExtract:
    case Op::OpBitFieldSExtract:
      return lanes(o, 3, [&](const std::vector<Expr>& x, uint8_t w) {
        const Expr at = to_width(x[1], w, false), n = to_width(x[2], w, false);
        const Expr left = term::binary(T::sub, term::binary(T::sub, number(w, w), at), n);
        const Expr right = term::binary(T::sub, number(w, w), n);
        const bool is_signed = static_cast<Op>(o.op) == Op::OpBitFieldSExtract;
        const Expr e = term::binary(is_signed ? T::ashr : T::lshr, term::binary(T::shl, x[0], left), right);
        return unless(beyond(at, n, w), term::ite(term::binary(T::eq, n, number(0, w)), number(0, w), e), o.at);
      });
    case Op::OpIAddCarry:
    case Op::OpISubBorrow:
    case Op::OpUMulExtended:
    case Op::OpSMulExtended:
      return carry(o);
    case Op::OpSelect: {
      const Value c = arg(o, 0), t = arg(o, 1), e = arg(o, 2);
      if (!c.is(Value::Kind::composite)) return select(truth(c, o.at), t, e, o.at);
      if (c.parts.size() != t.parts.size() || c.parts.size() != e.parts.size())
        m_.fail(o.at, "operands of a vector operation are vectors of its size");
      Value out = t;
      for (size_t k = 0; k < c.parts.size(); ++k)
        out.parts[k] = select(truth(c.parts[k], o.at), t.parts[k], e.parts[k], o.at);
      return out;
    }
    case Op::OpUConvert:
      return convert(o, false);
    case Op::OpSConvert:
      return convert(o, true);
    case Op::OpSatConvertSToU:
      return saturated(o, true, false);
    case Op::OpSatConvertUToS:
      return saturated(o, false, true);
    case Op::OpBitcast:
      return bitcast(o);
    case Op::OpConvertPtrToU: {
      const Value p = arg(o, 0);
      return Value::scalar(o.type, to_width(term(p, o.at), types_.bits(o.type, o.at), false));
    }
    case Op::OpConvertUToPtr:
      return bitcast(o);
    case Op::OpGenericCastToPtr:
    case Op::OpGenericCastToPtrExplicit:
      return from_generic(o);
    case Op::OpPtrCastToGeneric: {
      Value v = arg(o, 0);
      v.type = o.type;
      return v;
    }
    case Op::OpCopyObject:
      return arg(o, 0);
    case Op::OpCopyLogical:
      return copy_logical(o.type, arg(o, 0), o.at);
    case Op::OpCompositeExtract:
      return extract(o);
    case Op::OpCompositeInsert:
      return insert(o);
    case Op::OpCompositeConstruct:
      return construct(o);
    case Op::OpVectorShuffle:
      return shuffle(o);
    case Op::OpVectorExtractDynamic:
    case Op::OpVectorInsertDynamic:
      return dynamic(o);
    case Op::OpAccessChain:
    case Op::OpInBoundsAccessChain:
      return access_chain(o, false);
    case Op::OpPtrAccessChain:
    case Op::OpInBoundsPtrAccessChain:
      return access_chain(o, true);
    case Op::OpFNegate:
    case Op::OpFAdd:
    case Op::OpFSub:
    case Op::OpFMul:
    case Op::OpFDiv:
    case Op::OpFRem:
    case Op::OpFMod:
    case Op::OpVectorTimesScalar:
    case Op::OpDot:
    case Op::OpFConvert:
    case Op::OpConvertFToU:
    case Op::OpConvertFToS:
    case Op::OpConvertSToF:
    case Op::OpConvertUToF:
    case Op::OpQuantizeToF16:
    case Op::OpIsNan:
    case Op::OpIsInf:
    case Op::OpFOrdEqual:
    case Op::OpFUnordEqual:
    case Op::OpFOrdNotEqual:
    case Op::OpFUnordNotEqual:
    case Op::OpFOrdLessThan:
    case Op::OpFUnordLessThan:
    case Op::OpFOrdGreaterThan:
    case Op::OpFUnordGreaterThan:
    case Op::OpFOrdLessThanEqual:
    case Op::OpFUnordLessThanEqual:
    case Op::OpFOrdGreaterThanEqual:
    case Op::OpFUnordGreaterThanEqual:
      return opaque_result(o);
    default:
      return std::nullopt;
  }
}

std::optional<Value> Operations::extended(const Operation& o, ExtendedSet set, uint32_t n) const {
  const auto two = [&](T op) { return arithmetic(o, op); };
  const Type& t = m_.type(o.type, o.at);
  const Type& element = t.kind == Type::Kind::vector ? m_.type(t.element, o.at) : t;
  if (set == ExtendedSet::glsl) {
    switch (static_cast<GLSLstd450>(n)) {
      case GLSLstd450UMin:
        return two(T::umin);
      case GLSLstd450UMax:
        return two(T::umax);
      case GLSLstd450SMin:
        return two(T::smin);
      case GLSLstd450SMax:
        return two(T::smax);
      case GLSLstd450SAbs:
        return magnitude(o);
      case GLSLstd450SSign:
        return lanes(o, 1, [&](const std::vector<Expr>& x, uint8_t w) {
          return term::ite(term::binary(T::slt, x[0], number(0, w)), number(~uint64_t{0}, w),
                           to_width(term::truth(x[0]), w, false));
        });
      case GLSLstd450UClamp:
        return clamp(o, false);
      case GLSLstd450SClamp:
        return clamp(o, true);
      case GLSLstd450FindILsb:
        return lanes(o, 1, [&](const std::vector<Expr>& x, uint8_t w) { return lowest_bit(x[0], w); });
      case GLSLstd450FindUMsb:
        return lanes(o, 1, [&](const std::vector<Expr>& x, uint8_t w) { return highest_bit(x[0], w); });
      case GLSLstd450FindSMsb:
        return lanes(o, 1, [&](const std::vector<Expr>& x, uint8_t w) {
          const uint8_t v = x[0].width();
          return highest_bit(term::binary(T::xor_, x[0], term::binary(T::ashr, x[0], number(v - 1u, v))), w);
        });
      default:
        if (element.kind == Type::Kind::float_ && !takes_pointer(o)) return opaque_result(o);
        return std::nullopt;
    }
  }
  return opencl(o, n);
}

}  // namespace fencepost::spirv

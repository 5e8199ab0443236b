#include "interp/value.h"

#include <bit>
#include <cmath>
#include <map>

namespace fencepost::interp {

using ir::Op;

uint64_t mask(uint32_t width) { return width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1; }
int64_t to_signed(uint64_t v, uint32_t width) {
  return width >= 64 ? static_cast<int64_t>(v) : static_cast<int64_t>(v << (64 - width)) >> (64 - width);
}
uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9e3779b97f4a7c15u ^ (b + 0xd1b54a32d192ed03u + (a << 6) + (a >> 2));
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

namespace {

double half_to_double(uint64_t h) {
  const int exponent = static_cast<int>(h >> 10 & 31);
  const double fraction = static_cast<double>(h & 1023) / 1024;
  const double magnitude = exponent == 0    ? std::ldexp(fraction, -14)
                           : exponent == 31 ? (fraction == 0 ? INFINITY : NAN)
                                            : std::ldexp(1 + fraction, exponent - 15);
  return (h >> 15 & 1) != 0 ? -magnitude : magnitude;
}

uint64_t double_to_half(double d) {
  const uint64_t sign = std::signbit(d) ? 0x8000 : 0;
  if (std::isnan(d)) return 0x7e00;
  const double m = std::fabs(d);
  if (m >= 65520) return sign | 0x7c00;
  if (m < std::ldexp(1, -14)) return sign | static_cast<uint64_t>(std::nearbyint(std::ldexp(m, 24)));
  int e = 0;
  const double f = std::frexp(m, &e);  // f in [0.5, 1)
  auto n = static_cast<uint64_t>(std::nearbyint(std::ldexp(f, 11)));
  if (n == 2048) {
    n = 1024;
    ++e;
  }
  return sign | ((static_cast<uint64_t>(e + 14) << 10) + (n - 1024));
}

double as_double(uint64_t bits, uint32_t width) {
  if (width == 64) return std::bit_cast<double>(bits);
  if (width == 32) return std::bit_cast<float>(static_cast<uint32_t>(bits));
  return half_to_double(bits);
}

uint64_t from_double(double d, uint32_t width) {
  if (width == 64) return std::bit_cast<uint64_t>(d);
  if (width == 32) return std::bit_cast<uint32_t>(static_cast<float>(d));
  return double_to_half(d);
}

// In the width of the operands: rounding a float's result from double is exact for one operation.
double arithmetic(Op op, double a, double b) {
  switch (op) {
    case Op::fadd:
      return a + b;
    case Op::fsub:
      return a - b;
    case Op::fmul:
      return a * b;
    case Op::fdiv:
      return a / b;
    default:
      return std::fmod(a, b);
  }
}

bool compare(ir::FloatCompare c, double a, double b) {
  const bool unordered = std::isnan(a) || std::isnan(b);
  const auto n = static_cast<uint8_t>(c);
  if (unordered) return (n & 8) != 0;
  return ((n & 1) != 0 && a == b) || ((n & 2) != 0 && a > b) || ((n & 4) != 0 && a < b);
}

uint64_t to_integer(double d, uint32_t width, bool is_signed) {
  if (std::isnan(d)) return 0;
  const double t = std::trunc(d);
  const double high = std::ldexp(1, static_cast<int>(is_signed ? width - 1 : width)), low = is_signed ? -high : 0;
  if (t >= high) return is_signed ? mask(width) >> 1 : mask(width);
  if (t < low) return is_signed ? uint64_t{1} << (width - 1) : 0;
  return (t < 0 ? static_cast<uint64_t>(static_cast<int64_t>(t)) : static_cast<uint64_t>(t)) & mask(width);
}

}  // namespace

uint64_t evaluate(const ir::Compute& c, const std::vector<uint64_t>& x, uint32_t w, uint32_t r) {
  const auto s = [&](size_t i) { return to_signed(x[i], w); };
  const auto f = [&](size_t i) { return as_double(x[i], w); };
  switch (c.op) {
    case Op::not_:
      return ~x[0] & mask(r);
    case Op::neg:
      return -x[0] & mask(r);
    case Op::add:
      return (x[0] + x[1]) & mask(r);
    case Op::sub:
      return (x[0] - x[1]) & mask(r);
    case Op::mul:
      return (x[0] * x[1]) & mask(r);
    case Op::udiv:
      return x[1] == 0 ? mask(r) : x[0] / x[1];
    case Op::urem:
      return x[1] == 0 ? x[0] : x[0] % x[1];
    case Op::sdiv:
      if (x[1] == 0) return s(0) < 0 ? 1 : mask(r);
      return s(1) == -1 ? -x[0] & mask(r) : static_cast<uint64_t>(s(0) / s(1)) & mask(r);
    case Op::srem:
      if (x[1] == 0) return x[0];
      return s(1) == -1 ? 0 : static_cast<uint64_t>(s(0) % s(1)) & mask(r);
    case Op::and_:
      return x[0] & x[1];
    case Op::or_:
      return x[0] | x[1];
    case Op::xor_:
      return x[0] ^ x[1];
    case Op::shl:
      return x[1] >= w ? 0 : (x[0] << x[1]) & mask(r);
    case Op::lshr:
      return x[1] >= w ? 0 : x[0] >> x[1];
    case Op::ashr:
      return static_cast<uint64_t>(s(0) >> (x[1] >= w ? w - 1 : x[1])) & mask(r);
    case Op::smin:
      return s(0) < s(1) ? x[0] : x[1];
    case Op::smax:
      return s(0) > s(1) ? x[0] : x[1];
    case Op::umin:
      return x[0] < x[1] ? x[0] : x[1];
    case Op::umax:
      return x[0] > x[1] ? x[0] : x[1];
    case Op::clz:
      return x[0] == 0 ? w : static_cast<uint64_t>(std::countl_zero(x[0])) - (64 - w);
    case Op::ctz:
      return x[0] == 0 ? w : static_cast<uint64_t>(std::countr_zero(x[0]));
    case Op::popcount:
      return static_cast<uint64_t>(std::popcount(x[0]));
    case Op::bitreverse: {
      uint64_t out = 0;
      for (uint32_t i = 0; i < w; ++i) out |= (x[0] >> i & 1) << (w - 1 - i);
      return out;
    }
    case Op::byteswap: {
      uint64_t out = 0;
      for (uint32_t i = 0; i < w / 8; ++i) out |= (x[0] >> (8 * i) & 255) << (w - 8 - 8 * i);
      return out;
    }
    case Op::eq:
      return x[0] == x[1];
    case Op::ne:
      return x[0] != x[1];
    case Op::slt:
      return s(0) < s(1);
    case Op::sle:
      return s(0) <= s(1);
    case Op::sgt:
      return s(0) > s(1);
    case Op::sge:
      return s(0) >= s(1);
    case Op::ult:
      return x[0] < x[1];
    case Op::ule:
      return x[0] <= x[1];
    case Op::ugt:
      return x[0] > x[1];
    case Op::uge:
      return x[0] >= x[1];
    case Op::zext:
      return x[0];
    case Op::sext:
      return static_cast<uint64_t>(s(0)) & mask(r);
    case Op::trunc:
      return x[0] & mask(r);
    case Op::extract:
      return x[0] >> c.imm & mask(r);
    case Op::fneg:
      return x[0] ^ (uint64_t{1} << (w - 1));
    case Op::fabs:
      return x[0] & (mask(w) >> 1);
    case Op::fadd:
    case Op::fsub:
    case Op::fmul:
    case Op::fdiv:
    case Op::frem:
      return from_double(arithmetic(c.op, f(0), f(1)), w);
    case Op::fma:
      return w == 64 ? from_double(std::fma(f(0), f(1), f(2)), w)
                     : from_double(
                           std::fma(static_cast<float>(f(0)), static_cast<float>(f(1)), static_cast<float>(f(2))), w);
    case Op::fcmp:
      return compare(static_cast<ir::FloatCompare>(c.imm), f(0), f(1));
    case Op::float_to_sint:
      return to_integer(f(0), r, true);
    case Op::float_to_uint:
      return to_integer(f(0), r, false);
    case Op::sint_to_float:
      return r == 32 ? std::bit_cast<uint32_t>(static_cast<float>(s(0))) : from_double(static_cast<double>(s(0)), r);
    case Op::uint_to_float:
      return r == 32 ? std::bit_cast<uint32_t>(static_cast<float>(x[0])) : from_double(static_cast<double>(x[0]), r);
    case Op::float_to_float:
      return from_double(f(0), r);
    case Op::implies:
      return (x[0] == 0 || x[1] != 0) ? 1 : 0;
    default:
      return 0;
  }
}

uint64_t evaluate_function(const std::string& name, const std::vector<uint64_t>& x, const std::vector<uint32_t>& widths,
                           uint32_t r, bool& known) {
  using Unary = double (*)(double);
  static const std::map<std::string, Unary> k_unary = {
      {"sqrt", std::sqrt},   {"exp", std::exp},        {"exp2", std::exp2}, {"log", std::log},
      {"log2", std::log2},   {"log10", std::log10},    {"sin", std::sin},   {"cos", std::cos},
      {"tan", std::tan},     {"floor", std::floor},    {"ceil", std::ceil}, {"trunc", std::trunc},
      {"round", std::round}, {"rint", std::nearbyint}, {"fabs", std::fabs}, {"asin", std::asin},
      {"acos", std::acos},   {"atan", std::atan},      {"sinh", std::sinh}, {"cosh", std::cosh},
      {"tanh", std::tanh},   {"cbrt", std::cbrt}};
  std::string base = name;
  for (const char* prefix : {"native_", "half_", "__"})
    if (base.starts_with(prefix)) base = base.substr(std::string(prefix).size());
  if (base.size() > 2 && base.back() == 'f' && !k_unary.contains(base)) base.pop_back();
  known = true;
  const bool floats = !widths.empty() && widths[0] == r && (r == 32 || r == 64 || r == 16);
  if (floats && x.size() == 1) {
    if (const auto it = k_unary.find(base); it != k_unary.end()) return from_double(it->second(as_double(x[0], r)), r);
    if (base == "rsqrt") return from_double(1 / std::sqrt(as_double(x[0], r)), r);
    if (base == "recip") return from_double(1 / as_double(x[0], r), r);
  }
  if (floats && x.size() == 2 && widths[1] == r) {
    const double a = as_double(x[0], r), b = as_double(x[1], r);
    if (base == "min" || base == "fmin") return from_double(std::fmin(a, b), r);
    if (base == "max" || base == "fmax") return from_double(std::fmax(a, b), r);
    if (base == "pow" || base == "powr") return from_double(std::pow(a, b), r);
    if (base == "fmod") return from_double(std::fmod(a, b), r);
    if (base == "divide" || base == "fdivide") return from_double(a / b, r);
  }
  if (floats && x.size() == 3 && (base == "clamp" || base == "mad" || base == "fma")) {
    const double a = as_double(x[0], r), b = as_double(x[1], r), c = as_double(x[2], r);
    return from_double(base == "clamp" ? std::fmin(std::fmax(a, b), c) : a * b + c, r);
  }
  known = false;
  uint64_t h = 0x243f6a8885a308d3u;
  for (const char ch : name) h = mix(h, static_cast<unsigned char>(ch));
  for (const uint64_t v : x) h = mix(h, v);
  return h & mask(r);
}

}  // namespace fencepost::interp

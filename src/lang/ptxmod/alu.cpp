// Integer arithmetic (PTX ISA, sections "Integer Arithmetic Instructions", "Logic and Shift Instructions", "Comparison
// and Selection Instructions", "Data Movement and Conversion Instructions"). Where the text says "unspecified", as of a
// division by zero, the result is any value.
//
// Results of floating point arithmetic are opaque: they may be moved and stored; where one decides something it is any
// value, which the answer says as an assumption.
#include <fmt/format.h>

#include <algorithm>

#include "ptxmod/lower.h"

namespace fencepost::ptxmod {

using T = term::Op;

namespace {

Expr number_in(uint64_t v, uint8_t w) { return term::constant(v & term::mask(w), w); }
Expr op(T o, const Expr& a, const Expr& b) { return term::binary(o, a, b); }
Expr all_ones(uint8_t w) { return term::constant(term::mask(w), w); }

struct Type {
  bool known = false, is_signed = false;
  uint8_t width = 32;
};
Type type_of(const std::string& w) {
  if (w == "pred") return {true, false, 1};
  if (w.size() < 2 || w.size() > 3 || (w[0] != 'u' && w[0] != 's' && w[0] != 'b')) return {};
  const uint32_t n = bytes_of(w);
  if (n == 0 || n > 8 || w != fmt::format("{}{}", w[0], 8 * n)) return {};
  return {true, w[0] == 's', static_cast<uint8_t>(8 * n)};
}

// Modifiers of an instruction beside its head and its type.
class Modifiers {
 public:
  Modifiers(const std::vector<std::string>& words, size_t types) {
    for (size_t k = 1; k + types < words.size(); ++k) left_.push_back(words[k]);
  }
  bool take(const char* w) {
    const auto it = std::find(left_.begin(), left_.end(), w);
    if (it == left_.end()) return false;
    left_.erase(it);
    return true;
  }
  std::string rest() const { return left_.empty() ? "" : left_.front(); }

 private:
  std::vector<std::string> left_;
};

}  // namespace

Expr Lowering::unless(const Expr& outside, const Expr& e) {
  if (outside.is_const(0)) return e;
  const Expr other = any(e.width(), "unspecified", outside);
  return term::ite(outside, other, e);
}

Expr Lowering::shifted(T o, const Expr& e, Expr by) {
  const uint8_t w = e.width();
  if (by.width() > w)  // shift amounts are clamped, not wrapped
    by = term::ite(op(T::ult, by, term::constant(w, by.width())), term::resize(by, w, false), term::constant(w, w));
  else
    by = term::resize(by, w, false);
  return op(o, e, by);
}

Expr Lowering::high_product(const Expr& a, const Expr& b, bool is_signed) {
  const uint8_t w = a.width();
  if (w <= 32) {
    const auto d = static_cast<uint8_t>(2 * w);
    const Expr p = op(T::mul, term::resize(a, d, is_signed), term::resize(b, d, is_signed));
    return term::resize(op(T::lshr, p, term::constant(w, d)), w, false);
  }
  // Halves: (ah 2^32 + al)(bh 2^32 + bl), and for signed numbers what the signs take away.
  const auto low = [](const Expr& x) { return op(T::and_, x, term::constant(0xffffffff, 64)); };
  const auto high = [](const Expr& x) { return op(T::lshr, x, term::constant(32, 64)); };
  const Expr ll = op(T::mul, low(a), low(b)), hl = op(T::mul, high(a), low(b)), lh = op(T::mul, low(a), high(b));
  const Expr middle = op(T::add, op(T::add, low(hl), low(lh)), high(ll));
  Expr out = op(T::add, op(T::add, op(T::mul, high(a), high(b)), op(T::add, high(hl), high(lh))), high(middle));
  if (is_signed) {
    const Expr zero = term::constant(0, 64);
    out = op(T::sub, out, term::ite(op(T::slt, a, zero), b, zero));
    out = op(T::sub, out, term::ite(op(T::slt, b, zero), a, zero));
  }
  return out;
}

Expr Lowering::count_bits(const Expr& e) {
  const uint8_t w = e.width();
  const auto part = [&](const Expr& x, uint64_t m) { return op(T::and_, x, number_in(m, w)); };
  const auto shr = [&](const Expr& x, uint64_t n) { return op(T::lshr, x, number_in(n, w)); };
  Expr x = op(T::add, part(e, 0x5555555555555555), part(shr(e, 1), 0x5555555555555555));
  x = op(T::add, part(x, 0x3333333333333333), part(shr(x, 2), 0x3333333333333333));
  x = op(T::add, part(x, 0x0f0f0f0f0f0f0f0f), part(shr(x, 4), 0x0f0f0f0f0f0f0f0f));
  x = shr(op(T::mul, x, number_in(0x0101010101010101, w)), w - 8);
  return term::resize(x, 32, false);
}

Expr Lowering::leading(const Expr& e) {
  const uint8_t w = e.width();
  Expr filled = e;
  for (uint8_t n = 1; n < w; n = static_cast<uint8_t>(2 * n))
    filled = op(T::or_, filled, op(T::lshr, filled, number_in(n, w)));
  filled = var(set(filled, "filled"));
  return op(T::sub, count_bits(filled), term::constant(1, 32));
}

Expr Lowering::saturated(const Expr& e, bool from_signed, uint8_t width, bool is_signed) {
  const uint8_t w = e.width();
  const uint64_t most = is_signed ? term::mask(width) >> 1 : term::mask(width);
  const uint64_t least = is_signed ? ~(term::mask(width) >> 1) : 0;  // as a signed number
  Expr out = e;
  if (from_signed) {
    out = op(T::smax, out, w > width || !is_signed ? number_in(least, w) : number_in(uint64_t{1} << (w - 1), w));
    if (width < w || (width == w && is_signed)) out = op(T::smin, out, number_in(most, w));
  } else if (most < term::mask(w)) {
    out = op(T::umin, out, number_in(most, w));
  }
  return term::resize(out, width, from_signed && is_signed);
}

Expr Lowering::compare(const std::string& o, const Expr& a, const Expr& b, bool s) {
  if (o == "eq") return op(T::eq, a, b);
  if (o == "ne") return op(T::ne, a, b);
  if (o == "lt") return op(s ? T::slt : T::ult, a, b);
  if (o == "le") return op(s ? T::sle : T::ule, a, b);
  if (o == "gt") return op(s ? T::sgt : T::ugt, a, b);
  if (o == "ge") return op(s ? T::sge : T::uge, a, b);
  if (o == "lo") return op(T::ult, a, b);
  if (o == "ls") return op(T::ule, a, b);
  if (o == "hi") return op(T::ugt, a, b);
  if (o == "hs") return op(T::uge, a, b);
  refuse(fmt::format("the comparison .{} is not read", o));
}

// ---- addresses -------------------------------------------------------------------------------------------

Value Lowering::add_values(const Value& a, const Value& b, bool subtract) {
  const bool pa = a.is(Value::Kind::address), pb = b.is(Value::Kind::address);
  if (pa && pb && subtract && a.targets.size() == 1 && b.targets.size() == 1) {
    const Target &x = a.targets[0], &y = b.targets[0];
    if (x.is_beside(y)) return Value::scalar(term::resize(op(T::sub, x.offset, y.offset), a.width, false));
    if (x.root != k_number_root && y.root != k_number_root) return {Value::Kind::distance, a.width, {}, {}, {x, y}};
  }
  if (a.is(Value::Kind::distance) || (b.is(Value::Kind::distance) && !subtract)) {
    if (const auto v = add_to_distance(a, b, subtract)) return *v;
  }
  if (pa != pb && !(pb && subtract)) {
    const Value& p = pa ? a : b;
    const Value& n = pa ? b : a;
    Value out = p;
    const Expr by = term::resize(term(n), 64, true);
    for (Target& t : out.targets) t.offset = op(subtract ? T::sub : T::add, t.offset, by);
    return out;
  }
  return Value::scalar(op(subtract ? T::sub : T::add, term(a), term(b)));
}

// y - x: with x it is y again, and a number moves it.
std::optional<Value> Lowering::add_to_distance(const Value& a, const Value& b, bool subtract) {
  const bool first = a.is(Value::Kind::distance);
  const Value& d = first ? a : b;
  const Value& n = first ? b : a;
  if (n.is(Value::Kind::distance) || n.width != d.width) return std::nullopt;
  if (!n.is(Value::Kind::address)) {
    Value out = d;
    const Expr by = term::resize(term(n), 64, true);
    out.targets[0].offset = op(subtract ? T::sub : T::add, out.targets[0].offset, by);
    return out;
  }
  if (subtract || n.targets.size() != 1 || !n.targets[0].is_beside(d.targets[1])) return std::nullopt;
  Value out = Value::address({d.targets[0]}, d.width);
  out.targets[0].offset = op(T::add, d.targets[0].offset, op(T::sub, n.targets[0].offset, d.targets[1].offset));
  return out;
}

// The low bits of an address that are masked out, or are all that is kept: those of the offset, as objects lie aligned.
Value Lowering::and_values(const Value& a, const Value& b) {
  const bool pa = a.is(Value::Kind::address), pb = b.is(Value::Kind::address);
  if (pa != pb) {
    const Value& p = pa ? a : b;
    const Value& n = pa ? b : a;
    const bool known =
        std::all_of(p.targets.begin(), p.targets.end(), [&](const Target& t) { return surely_address(t); });
    if (known && n.is(Value::Kind::scalar) && n.e.is_const()) {
      const uint64_t m = n.e.value(), low = ~m & term::mask(p.width);
      if ((low & (low + 1)) == 0 && low < 256) {  // aligned down
        notes_.addresses = true;
        Value out = p;
        for (Target& t : out.targets) t.offset = op(T::and_, t.offset, term::constant(~low, 64));
        return out;
      }
      if ((m & (m + 1)) == 0 && m < 256) {
        notes_.addresses = true;
        Expr out;
        for (size_t k = p.targets.size(); k-- > 0;) {
          const Expr e = op(T::and_, p.targets[k].offset, term::constant(m, 64));
          out = !out || !p.targets[k].when ? e : term::ite(p.targets[k].when, e, out);
        }
        return Value::scalar(term::resize(out, p.width, false));
      }
    }
  }
  return Value::scalar(op(T::and_, term(a), term(b)));
}

std::optional<Expr> Lowering::compare_addresses(const std::string& o, const Value& a, const Value& b) {
  const bool pa = a.is(Value::Kind::address), pb = b.is(Value::Kind::address);
  if (!pa && !pb) return std::nullopt;
  const auto single = [](const Value& v) { return v.targets.size() == 1 && v.targets[0].root != k_number_root; };
  const bool equality = o == "eq" || o == "ne";
  if (pa && pb && single(a) && single(b) && a.targets[0].is_beside(b.targets[0]) &&
      (equality || surely_address(a.targets[0])))
    return compare(o, a.targets[0].offset, b.targets[0].offset, true);
  // No object lies at 0.
  const Value& p = pa ? a : b;
  const Value& n = pa ? b : a;
  if (pa != pb && single(p) && n.is(Value::Kind::scalar) && n.e.is_const(0) && equality && surely_address(p.targets[0]))
    return term::constant(o == "ne" ? 1 : 0, 1);
  return std::nullopt;
}

// ---- instructions ------------------------------------------------------------------------------------------

bool Lowering::arithmetic() {
  const std::vector<std::string>& words = node_->words;
  const std::string& head = words[0];
  static constexpr const char* known[] = {
      "add",  "sub",   "mul",  "mul24", "mad", "mad24", "sad",  "div",  "rem",  "abs",   "neg",  "min", "max", "popc",
      "clz",  "bfind", "fns",  "brev",  "bfe", "bfi",   "and",  "or",   "xor",  "not",   "cnot", "shl", "shr", "shf",
      "lop3", "prmt",  "setp", "set",   "cvt", "addc",  "subc", "madc", "bmsk", "szext", "dp4a", "dp2a"};
  if (std::find(std::begin(known), std::end(known), head) == std::end(known) || head == "fns") return false;
  if (head == "cvt") return convert(), true;
  if (head == "prmt") return permute(), true;
  if (head == "dp4a" || head == "dp2a") return dot_product(), true;
  if (head == "bfe" || head == "bfi" || head == "bmsk" || head == "szext" || head == "lop3" || head == "shf")
    return fields(), true;
  const bool cc = std::find(words.begin(), words.end(), "cc") != words.end();
  if (cc || head == "addc" || head == "subc" || head == "madc") return carries(head), true;
  const Type t = type_of(words.back());
  if (!t.known) return false;
  const uint8_t w = t.width;
  Modifiers mods(words, 1);
  const auto done = [&] {
    if (!mods.rest().empty()) refuse(fmt::format("'.{}' is not read", mods.rest()));
  };
  const auto result = [&](Value v) { define(argument(0), std::move(v), t.is_signed); };

  if (head == "setp" || head == "set") {
    // setp.op[.bool].type p|q, a, b[, c]; set.op[.bool].dtype.type d, a, b[, c]
    const bool sets = head == "set";
    if (words.size() < (sets ? 4u : 3u)) fail("a comparison is missing");
    const std::string combine = words.size() == (sets ? 5u : 4u) ? words[2] : "";
    if (words.size() > (sets ? 5u : 4u)) fail("there are too many modifiers");
    arguments(combine.empty() ? 3 : 4);
    const Value a = value(argument(1), w), b = value(argument(2), w);
    const auto by_address = compare_addresses(words[1], a, b);
    const Expr is = by_address ? *by_address : compare(words[1], term(a), term(b), t.is_signed);
    Expr p = is, q = term::unary(T::not_, is);
    if (!combine.empty()) {
      const T o = combine == "and" ? T::and_ : combine == "or" ? T::or_ : T::xor_;
      if (o == T::xor_ && combine != "xor") refuse(fmt::format("'.{}' is not read", combine));
      const Expr c = number(argument(3), 1);
      p = op(o, p, c);
      q = op(o, q, c);
    }
    if (sets) {
      const Type d = type_of(words[words.size() - 2]);
      if (!d.known) refuse("this type of a result is not read");
      define(argument(0), Value::scalar(term::ite(p, all_ones(d.width), term::constant(0, d.width))));
      return true;
    }
    if (argument(0).kind == Argument::Kind::list) {
      if (argument(0).parts.size() != 2) fail("expected two results, written p|q");
      const Argument first = argument(0).parts[0], second = argument(0).parts[1];
      define(first, Value::scalar(p));
      define(second, Value::scalar(q));
    } else {
      define(argument(0), Value::scalar(p));
    }
    return true;
  }

  if (head == "add" || head == "sub") {
    const bool saturates = mods.take("sat");
    done();
    arguments(3);
    const Value a = value(argument(1), w), b = value(argument(2), w);
    if (a.is(Value::Kind::opaque) && b.is(Value::Kind::opaque)) return result(Value::opaque(w)), true;
    if (!saturates) {
      result(add_values(a, b, head == "sub"));
      return true;
    }
    const Expr sum =
        op(head == "sub" ? T::sub : T::add, term::resize(term(a), 64, true), term::resize(term(b), 64, true));
    result(Value::scalar(saturated(sum, true, w, true)));
    return true;
  }
  if (head == "mul" || head == "mad" || head == "mul24" || head == "mad24") {
    const bool wide = mods.take("wide"), high = mods.take("hi"), low = mods.take("lo"), saturates = mods.take("sat");
    done();
    if (!wide && !high && !low) fail(".lo, .hi or .wide is missing");
    const bool adds = head[1] == 'a';
    arguments(adds ? 4 : 3);
    Expr a = number(argument(1), w), b = number(argument(2), w);
    Expr p;
    if (head.ends_with("24")) {
      // The product of the low 24 bits has 48; .lo are its low 32, .hi those from 16 on.
      const auto cut = [&](const Expr& x) {
        const Expr up = term::resize(op(T::shl, x, term::constant(8, 32)), 64, false);
        const Expr at_top = op(T::shl, up, term::constant(32, 64));
        return op(t.is_signed ? T::ashr : T::lshr, at_top, term::constant(40, 64));
      };
      p = op(T::mul, cut(a), cut(b));
      p = term::resize(high ? op(T::lshr, p, term::constant(16, 64)) : p, 32, false);
    } else if (wide) {
      const auto d = static_cast<uint8_t>(2 * w);
      if (d > 64) refuse("products of 128 bits are not read");
      p = op(T::mul, term::resize(a, d, t.is_signed), term::resize(b, d, t.is_signed));
    } else {
      p = high ? high_product(a, b, t.is_signed) : op(T::mul, a, b);
    }
    if (!adds) {
      result(Value::scalar(p));
      return true;
    }
    const Value c = value(argument(3), p.width());
    if (saturates)
      result(Value::scalar(
          saturated(op(T::add, term::resize(p, 64, true), term::resize(term(c), 64, true)), true, p.width(), true)));
    else
      result(add_values(Value::scalar(p), c, false));
    return true;
  }
  if (head == "and" || head == "or" || head == "xor") {
    done();
    arguments(3);
    const Value a = value(argument(1), w), b = value(argument(2), w);
    if (a.is(Value::Kind::opaque) && b.is(Value::Kind::opaque)) return result(Value::opaque(w)), true;
    if (head == "and")
      result(and_values(a, b));
    else
      result(Value::scalar(op(head == "or" ? T::or_ : T::xor_, term(a), term(b))));
    return true;
  }
  if (head == "shl" || head == "shr") {
    done();
    arguments(3);
    const Expr a = number(argument(1), w), by = number(argument(2), 32);
    result(Value::scalar(shifted(head == "shl" ? T::shl : t.is_signed ? T::ashr : T::lshr, a, by)));
    return true;
  }
  if (head == "div" || head == "rem") {
    done();
    arguments(3);
    const Expr a = number(argument(1), w), b = number(argument(2), w);
    const T o = head == "div" ? (t.is_signed ? T::sdiv : T::udiv) : (t.is_signed ? T::srem : T::urem);
    result(Value::scalar(unless(op(T::eq, b, term::constant(0, w)), op(o, a, b))));
    return true;
  }
  if (head == "min" || head == "max") {
    const bool relu = mods.take("relu");
    done();
    arguments(3);
    const T o = head == "min" ? (t.is_signed ? T::smin : T::umin) : (t.is_signed ? T::smax : T::umax);
    Expr out = op(o, number(argument(1), w), number(argument(2), w));
    if (relu) out = op(T::smax, out, term::constant(0, w));
    result(Value::scalar(out));
    return true;
  }
  if (head == "sad") {
    done();
    arguments(4);
    const Expr a = number(argument(1), w), b = number(argument(2), w);
    const Expr less = op(t.is_signed ? T::slt : T::ult, a, b);
    result(Value::scalar(op(T::add, number(argument(3), w), term::ite(less, op(T::sub, b, a), op(T::sub, a, b)))));
    return true;
  }
  if (head == "bfind") {
    const bool amount = mods.take("shiftamt");
    done();
    arguments(2);
    Expr a = number(argument(1), w);
    if (t.is_signed) a = term::ite(op(T::slt, a, term::constant(0, w)), term::unary(T::not_, a), a);
    const Expr at = leading(a);
    const Expr none = term::constant(0xffffffff, 32);
    const Expr out = amount ? term::ite(op(T::eq, at, none), none, op(T::sub, term::constant(w - 1u, 32), at)) : at;
    define(argument(0), Value::scalar(out));
    return true;
  }
  // One operand.
  done();
  arguments(2);
  const Expr a = number(argument(1), w);
  if (head == "popc") {
    define(argument(0), Value::scalar(count_bits(a)));
  } else if (head == "clz") {
    define(argument(0), Value::scalar(op(T::sub, term::constant(w - 1u, 32), leading(a))));
  } else if (head == "not") {
    result(Value::scalar(term::unary(T::not_, a)));
  } else if (head == "cnot") {
    result(Value::scalar(term::ite(op(T::eq, a, term::constant(0, w)), term::constant(1, w), term::constant(0, w))));
  } else if (head == "neg") {
    result(Value::scalar(term::unary(T::neg, a)));
  } else if (head == "abs") {
    result(Value::scalar(term::ite(op(T::slt, a, term::constant(0, w)), term::unary(T::neg, a), a)));
  } else if (head == "brev") {
    Expr x = a;
    const uint64_t masks[] = {0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
                              0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff};
    for (uint8_t n = 1, k = 0; n < w; n = static_cast<uint8_t>(2 * n), ++k) {
      const Expr m = number_in(masks[k], w), by = number_in(n, w);
      x = op(T::or_, op(T::and_, op(T::lshr, x, by), m), op(T::shl, op(T::and_, x, m), by));
    }
    result(Value::scalar(x));
  } else {
    return false;
  }
  return true;
}

// dp4a.atype.btype d, a, b, c: c and the products of four bytes; dp2a.{lo,hi}: of a's halves and two bytes of b.
void Lowering::dot_product() {
  const std::vector<std::string>& words = node_->words;
  const bool four = words[0] == "dp4a";
  const bool high = !four && words.size() == 4 && words[1] == "hi";
  const auto typed = [](const std::string& w) { return w == "s32" || w == "u32"; };
  if (words.size() != (four ? 3u : 4u) || !typed(words[words.size() - 2]) || !typed(words.back()) ||
      (!four && !high && words[1] != "lo"))
    fail("dp4a.{s32,u32}.{s32,u32}, or dp2a.{lo,hi}.{s32,u32}.{s32,u32}, is meant");
  arguments(4);
  const auto part = [](const Expr& x, uint32_t bits, uint32_t k, bool is_signed) {
    const Expr top = op(T::shl, x, term::constant(32 - bits * (k + 1), 32));
    return op(is_signed ? T::ashr : T::lshr, top, term::constant(32 - bits, 32));
  };
  const Expr a = number(argument(1), 32), b = number(argument(2), 32);
  Expr sum = number(argument(3), 32);
  for (uint32_t k = 0; k < (four ? 4u : 2u); ++k)
    sum = op(T::add, sum,
             op(T::mul, part(a, four ? 8 : 16, k, words[words.size() - 2] == "s32"),
                part(b, 8, high ? k + 2 : k, words.back() == "s32")));
  define(argument(0), Value::scalar(sum));
}

// Bit fields, and what takes its bits apart in other ways.
void Lowering::fields() {
  const std::string& head = node_->words[0];
  const Type t = type_of(node_->words.back());
  if (head == "lop3") {
    if (node_->words.size() != 2) refuse("the form with a predicate is not read");
    arguments(5);
    const Expr a = number(argument(1), 32), b = number(argument(2), 32), c = number(argument(3), 32);
    if (argument(4).kind != Argument::Kind::number) fail("the table is a constant");
    const uint64_t table = argument(4).number;
    Expr out = term::constant(0, 32);
    for (uint32_t k = 0; k < 8; ++k) {  // the table's bit for a, b, c = the bits of k
      if ((table >> k & 1) == 0) continue;
      const auto pick = [&](const Expr& x, uint32_t bit) { return bit != 0 ? x : term::unary(T::not_, x); };
      out = op(T::or_, out, op(T::and_, op(T::and_, pick(a, k & 4), pick(b, k & 2)), pick(c, k & 1)));
    }
    define(argument(0), Value::scalar(out));
    return;
  }
  if (!t.known || t.width < 32) refuse("this type is not read");
  const uint8_t w = t.width;
  if (head == "shf") {  // shf.{l,r}.{clamp,wrap}.b32 d, a, b, c: b:a shifted
    if (node_->words.size() != 4 || w != 32) fail("shf is shf.l or shf.r, .clamp or .wrap, .b32");
    const bool left = node_->words[1] == "l", wraps = node_->words[2] == "wrap";
    arguments(4);
    const Expr both = op(T::or_, term::resize(number(argument(1), 32), 64, false),
                         op(T::shl, term::resize(number(argument(2), 32), 64, false), term::constant(32, 64)));
    Expr by = number(argument(3), 32);
    by = wraps ? op(T::and_, by, term::constant(31, 32)) : op(T::umin, by, term::constant(32, 32));
    by = term::resize(by, 64, false);
    const Expr out = left ? op(T::lshr, op(T::shl, both, by), term::constant(32, 64)) : op(T::lshr, both, by);
    define(argument(0), Value::scalar(term::resize(out, 32, false)));
    return;
  }
  const auto ones = [&](const Expr& n) {  // n ones, n of the operand's width
    return term::ite(op(T::uge, n, term::constant(w, w)), all_ones(w),
                     op(T::sub, op(T::shl, term::constant(1, w), n), term::constant(1, w)));
  };
  const auto byte = [&](size_t k) {
    return term::resize(op(T::and_, number(argument(k), 32), term::constant(0xff, 32)), w, false);
  };
  if (head == "bfe") {
    arguments(4);
    const Expr a = number(argument(1), w), pos = byte(2), len = byte(3);
    const Expr mask = op(T::and_, ones(len), op(T::lshr, all_ones(w), pos));  // bits of the field that the operand has
    Expr out = op(T::and_, op(T::lshr, a, pos), mask);
    if (t.is_signed) {
      const Expr last = op(T::umin, op(T::sub, op(T::add, pos, len), term::constant(1, w)), term::constant(w - 1u, w));
      const Expr sign = op(T::and_, op(T::lshr, a, last), term::constant(1, w));
      const Expr fill = op(T::and_, op(T::ne, sign, term::constant(0, w)), op(T::ne, len, term::constant(0, w)));
      out = term::ite(fill, op(T::or_, out, term::unary(T::not_, mask)), out);
    }
    define(argument(0), Value::scalar(out), t.is_signed);
  } else if (head == "bfi") {
    arguments(5);
    const Expr a = number(argument(1), w), b = number(argument(2), w), pos = byte(3), len = byte(4);
    const Expr mask = op(T::shl, ones(len), pos);
    define(argument(0), Value::scalar(op(T::or_, op(T::and_, b, term::unary(T::not_, mask)),
                                         op(T::and_, op(T::shl, a, pos), mask))));
  } else if (head == "bmsk") {
    arguments(3);
    if (node_->words.size() != 3) fail("bmsk is .clamp or .wrap");
    const bool wraps = node_->words[1] == "wrap";
    Expr pos = number(argument(1), 32), len = number(argument(2), 32);
    if (wraps) {
      pos = op(T::and_, pos, term::constant(31, 32));
      len = op(T::and_, len, term::constant(31, 32));
    }
    define(argument(0), Value::scalar(op(T::shl, ones(len), pos)));
  } else {  // szext
    arguments(3);
    if (node_->words.size() != 3) fail("szext is .clamp or .wrap");
    const bool wraps = node_->words[1] == "wrap";
    const Expr a = number(argument(1), 32);
    Expr n = number(argument(2), 32);
    if (wraps) n = op(T::and_, n, term::constant(31, 32));
    const Expr mask = ones(n);
    Expr out = op(T::and_, a, mask);
    if (t.is_signed) {
      const Expr sign =
          op(T::and_, op(T::lshr, a, op(T::umin, op(T::sub, n, term::constant(1, 32)), term::constant(31, 32))),
             term::constant(1, 32));
      const Expr fill = op(T::and_, op(T::ne, sign, term::constant(0, 32)), op(T::ne, n, term::constant(0, 32)));
      out = term::ite(fill, op(T::or_, out, term::unary(T::not_, mask)), out);
    }
    define(argument(0), Value::scalar(out));
  }
}

void Lowering::permute() {
  const std::string mode = node_->words.size() == 3 ? node_->words[2] : "";
  arguments(4);
  const Expr both = op(T::or_, term::resize(number(argument(1), 32), 64, false),
                       op(T::shl, term::resize(number(argument(2), 32), 64, false), term::constant(32, 64)));
  const Expr c = number(argument(3), 32);
  const auto byte = [&](const Expr& index) {  // of b:a; 32 bits
    return term::resize(
        op(T::and_, op(T::lshr, both, op(T::mul, term::resize(index, 64, false), term::constant(8, 64))),
           term::constant(0xff, 64)),
        32, false);
  };
  Expr out = term::constant(0, 32);
  const auto put = [&](uint32_t k, const Expr& b) { out = op(T::or_, out, op(T::shl, b, term::constant(8 * k, 32))); };
  const auto low = op(T::and_, c, term::constant(3, 32));
  for (uint32_t k = 0; k < 4; ++k) {
    if (mode.empty()) {
      const Expr nibble = op(T::and_, op(T::lshr, c, term::constant(4 * k, 32)), term::constant(15, 32));
      const Expr b = byte(op(T::and_, nibble, term::constant(7, 32)));
      const Expr sign =
          term::ite(op(T::uge, b, term::constant(0x80, 32)), term::constant(0xff, 32), term::constant(0, 32));
      put(k, term::ite(op(T::uge, nibble, term::constant(8, 32)), sign, b));
    } else if (mode == "f4e") {
      put(k, byte(op(T::add, low, term::constant(k, 32))));
    } else if (mode == "b4e") {
      put(k, byte(op(T::and_, op(T::sub, low, term::constant(k, 32)), term::constant(7, 32))));
    } else if (mode == "rc8") {
      put(k, byte(low));
    } else if (mode == "ecl") {
      put(k, byte(op(T::umax, low, term::constant(k, 32))));
    } else if (mode == "ecr") {
      put(k, byte(op(T::umin, low, term::constant(k, 32))));
    } else if (mode == "rc16") {
      put(k, byte(op(T::add, op(T::mul, op(T::and_, c, term::constant(1, 32)), term::constant(2, 32)),
                     term::constant(k & 1, 32))));
    } else {
      refuse(fmt::format("'.{}' is not read", mode));
    }
  }
  define(argument(0), Value::scalar(out));
}

// add.cc, addc, sub.cc, subc, mad.cc, madc: the carry is a register of one bit.
void Lowering::carries(const std::string& head) {
  const std::vector<std::string>& words = node_->words;
  const Type t = type_of(words.back());
  if (!t.known || (t.width != 32 && t.width != 64)) refuse("this type is not read");
  const uint8_t w = t.width;
  Modifiers mods(words, 1);
  const bool sets = mods.take("cc"), high = mods.take("hi"), low = mods.take("lo");
  (void)low;
  if (!mods.rest().empty()) refuse(fmt::format("'.{}' is not read", mods.rest()));
  const bool multiplies = head.starts_with("mad"), subtracts = head.starts_with("sub"),
             takes = head.ends_with("c") && head != "mad.c";
  Expr a, b;
  if (multiplies) {
    arguments(4);
    const Expr x = number(argument(1), w), y = number(argument(2), w);
    a = high ? high_product(x, y, t.is_signed) : op(T::mul, x, y);
    b = number(argument(3), w);
  } else {
    arguments(3);
    a = number(argument(1), w);
    b = number(argument(2), w);
  }
  const auto carry = static_cast<uint32_t>(flat_.registers.size());
  const Expr in = takes ? term(register_now(carry)) : term::constant(0, 1);
  const Expr c = term::resize(in, w, false);
  const Expr first = op(subtracts ? T::sub : T::add, a, b), sum = op(subtracts ? T::sub : T::add, first, c);
  const Expr out = subtracts ? op(T::or_, op(T::ult, a, b), op(T::ult, first, c))
                             : op(T::or_, op(T::ult, first, a), op(T::ult, sum, first));
  define(argument(0), Value::scalar(sum));
  if (sets) {
    Value v = Value::scalar(out);
    if (guard_) v = select(guard_, v, register_now(carry));
    now_[{false, carry, 0, 0}] = settle(std::move(v), "CC.CF");
  }
}

void Lowering::convert() {
  const std::vector<std::string>& words = node_->words;
  if (words.size() < 3) fail("cvt has two types");
  const Type to = type_of(words[words.size() - 2]), from = type_of(words.back());
  if (words[1] == "pack" || !to.known || !from.known) refuse("this conversion is not read");
  Modifiers mods(words, 2);
  const bool saturates = mods.take("sat");
  if (!mods.rest().empty()) refuse(fmt::format("'.{}' is not read", mods.rest()));
  arguments(2);
  const Value v = value(argument(1), from.width);
  if (v.is(Value::Kind::address) && !saturates && to.width >= 32) {
    define(argument(0), resized(v, to.width), to.is_signed);
    return;
  }
  if (v.is(Value::Kind::opaque) && !saturates) {
    define(argument(0), Value::opaque(to.width), to.is_signed);
    return;
  }
  const Expr e = saturates ? saturated(term(v), from.is_signed, to.width, to.is_signed)
                           : term::resize(term(v), to.width, from.is_signed);
  define(argument(0), Value::scalar(e), to.is_signed);
}

// ---- floating point ----------------------------------------------------------------------------------------

bool Lowering::floating() {
  const std::string& head = node_->words[0];
  static constexpr const char* known[] = {"add",   "sub", "mul",      "mad",   "fma",  "div",  "rcp", "sqrt",
                                          "rsqrt", "sin", "cos",      "lg2",   "ex2",  "tanh", "abs", "neg",
                                          "min",   "max", "copysign", "testp", "setp", "set",  "cvt"};
  if (std::find(std::begin(known), std::end(known), head) == std::end(known)) return false;
  const std::vector<std::string>& words = node_->words;
  uint32_t bytes = bytes_of(words.back());
  if (head == "cvt" || head == "set") bytes = bytes_of(words[words.size() - 2]);
  if (head == "setp" || head == "testp") bytes = 0;
  const auto w = static_cast<uint8_t>(bytes == 0 ? 1 : 8 * bytes);
  const Argument to = argument(0);
  if (to.kind == Argument::Kind::list) {
    for (const Argument& p : to.parts) define(p, Value::opaque(w));
  } else {
    define(to, Value::opaque(w));
  }
  return true;
}

}  // namespace fencepost::ptxmod

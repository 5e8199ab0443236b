// Rewriting of sums, products, quotients and bitwise operations.
//
// The form that carries the rest is Linear: constant + sum of coefficient * term modulo 2^w, in which additions,
// subtractions, shifts and products by constants are one n-ary node. a / b * b + a % b is a, also for b = 0, where
// SMT-LIB lets a / b be all ones and a % b be a: kernels split an index into row and column and put it together again,
// and those of any size gave up before this rule.
#include <algorithm>
#include <bit>

#include "base/diagnostic.h"
#include "formula/pool.h"
#include "formula/rules.h"

namespace fencepost::formula {

// ---- sums --------------------------------------------------------------------------------------------------

Pool::Linear Pool::linear(Term t) const {
  const Node& n = nodes_[t.id];
  Linear l;
  if (n.op == Op::constant) {
    l.constant = n.value;
  } else if (n.op == Op::sum) {
    l.constant = n.value;
    for (size_t i = 0; i < n.kids.size(); ++i) l.parts.emplace_back(n.kids[i], n.coefficients[i]);
  } else {
    l.parts.emplace_back(t, 1);
  }
  return l;
}

Pool::Linear Pool::combine(const Linear& a, uint64_t sa, const Linear& b, uint64_t sb, uint8_t width) const {
  Linear r;
  const uint64_t m = ones(width);
  r.constant = (a.constant * sa + b.constant * sb) & m;
  size_t i = 0, j = 0;
  const auto push = [&](Term t, uint64_t c) {
    if ((c & m) != 0) r.parts.emplace_back(t, c & m);
  };
  while (i < a.parts.size() || j < b.parts.size()) {
    if (j == b.parts.size() || (i < a.parts.size() && a.parts[i].first < b.parts[j].first)) {
      push(a.parts[i].first, a.parts[i].second * sa);
      ++i;
    } else if (i == a.parts.size() || b.parts[j].first < a.parts[i].first) {
      push(b.parts[j].first, b.parts[j].second * sb);
      ++j;
    } else {
      push(a.parts[i].first, a.parts[i].second * sa + b.parts[j].second * sb);
      ++i, ++j;
    }
  }
  return r;
}

// a / b * b + a % b is a, also for b = 0, where a / b is all ones and a % b is a (SMT-LIB). How indices are split into
// rows and columns, and put together again.
bool Pool::joined(Linear& l, uint8_t width) const {
  for (size_t i = 0; i < l.parts.size(); ++i) {
    const auto [rest, times] = l.parts[i];
    if (nodes_[rest.id].op != Op::urem) continue;
    const Term a = nodes_[rest.id].kids[0], b = nodes_[rest.id].kids[1];
    const auto quotient = [&](Term t) {
      const Node& n = nodes_[t.id];
      return n.op == Op::udiv && n.kids[0] == a && n.kids[1] == b;
    };
    for (size_t j = 0; j < l.parts.size(); ++j) {
      const auto [t, by] = l.parts[j];
      const Node& n = nodes_[t.id];
      const bool product = n.op == Op::mul && by == times &&
                           ((n.kids[0] == b && quotient(n.kids[1])) || (n.kids[1] == b && quotient(n.kids[0])));
      const bool scaled = is_constant(b) && quotient(t) && by == ((times * value(b)) & ones(width));
      if (!product && !scaled) continue;
      Linear without = l;
      std::erase_if(without.parts, [&](const auto& part) { return part.first == rest || part.first == t; });
      l = combine(without, 1, linear(a), times, width);
      return true;
    }
  }
  return false;
}

Term Pool::from_linear(Linear l, uint8_t width) {
  while (joined(l, width)) continue;
  l.constant &= ones(width);
  if (l.parts.empty()) return constant(l.constant, width);
  if (l.constant == 0 && l.parts.size() == 1 && l.parts[0].second == 1) return l.parts[0].first;
  Node n;
  n.op = Op::sum;
  n.width = width;
  n.value = l.constant;
  for (const auto& [t, c] : l.parts) {
    n.kids.push_back(t);
    n.coefficients.push_back(c);
  }
  return intern(std::move(n));
}

Term Pool::add(Term a, Term b) {
  const uint8_t w = width(a);
  FENCEPOST_INVARIANT(w == width(b), "formulas of different widths were added");
  if (w == 1) return xor_(a, b);
  return from_linear(combine(linear(a), 1, linear(b), 1, w), w);
}

Term Pool::sub(Term a, Term b) {
  const uint8_t w = width(a);
  FENCEPOST_INVARIANT(w == width(b), "formulas of different widths were subtracted");
  if (w == 1) return xor_(a, b);
  return from_linear(combine(linear(a), 1, linear(b), ~uint64_t{0}, w), w);
}

Term Pool::neg(Term a) { return width(a) == 1 ? a : scale(a, ~uint64_t{0}); }

Term Pool::scale(Term a, uint64_t by) {
  const uint8_t w = width(a);
  if (w == 1) return (by & 1) != 0 ? a : false_;
  return from_linear(combine(linear(a), by, Linear{}, 0, w), w);
}

Term Pool::mul(Term a, Term b) {
  const uint8_t w = width(a);
  FENCEPOST_INVARIANT(w == width(b), "formulas of different widths were multiplied");
  if (w == 1) return all(a, b);
  if (is_constant(a)) return scale(b, value(a));
  if (is_constant(b)) return scale(a, value(b));
  const auto sum_like = [&](Term t) { return nodes_[t.id].op == Op::sum && nodes_[t.id].kids.size() <= 6; };
  if (!sum_like(a)) std::swap(a, b);
  if (sum_like(a) && (!sum_like(b) || nodes_[b.id].kids.size() * nodes_[a.id].kids.size() <= 12)) {
    const Node n = nodes_[a.id];
    Term r = scale(b, n.value);
    for (size_t i = 0; i < n.kids.size(); ++i) r = add(r, scale(mul(n.kids[i], b), n.coefficients[i]));
    return r;
  }
  for (int side = 0; side < 2; ++side, std::swap(a, b))
    if (nodes_[b.id].op == Op::shl) {
      const std::vector<Term> kids = nodes_[b.id].kids;
      return shl(mul(a, kids[0]), kids[1]);
    }
  if (rule_)
    if (const Term known = rule_(Op::mul, a, b); known) return known;
  if (b < a) std::swap(a, b);
  return make(Op::mul, w, {a, b});
}

// a = by * quotient + remainder with 0 <= remainder < by, when that can be read off an exact sum.
bool Pool::split(Term a, uint64_t by, Term& quotient, Term& remainder) {
  const Node& n = nodes_[a.id];
  const uint8_t w = n.width;
  if (n.high < by) {
    quotient = constant(0, w);
    remainder = a;
    return true;
  }
  if (n.op != Op::sum || !n.exact) return false;
  const Node s = n;
  Linear whole, rest;
  Wide rest_high = 0;
  const int64_t c0 = as_signed(s.value, w);
  if (c0 < 0) return false;
  whole.constant = s.value / by;
  rest.constant = s.value % by;
  rest_high += rest.constant;
  for (size_t i = 0; i < s.kids.size(); ++i) {
    const int64_t c = as_signed(s.coefficients[i], w);
    if (c < 0) return false;
    const auto cu = static_cast<uint64_t>(c);
    if (cu / by != 0) whole.parts.emplace_back(s.kids[i], cu / by);
    if (cu % by != 0) {
      rest.parts.emplace_back(s.kids[i], cu % by);
      rest_high += Wide{cu % by} * nodes_[s.kids[i].id].high;
    }
  }
  if (rest_high >= Wide{by}) return false;
  quotient = from_linear(std::move(whole), w);
  remainder = from_linear(std::move(rest), w);
  return true;
}

// e, if the term is 2^e and not 0.
Term Pool::exponent(Term t) const {
  const Node& n = nodes_[t.id];
  return n.op == Op::shl && is_constant(n.kids[0], 1) && nodes_[n.kids[1].id].high < n.width ? n.kids[1] : Term{};
}

Term Pool::udiv(Term a, Term b) {
  const uint8_t w = width(a);
  if (is_constant(b) && value(b) != 0) {
    const uint64_t by = value(b);
    if (by == 1) return a;
    Term q, r;
    if (split(a, by, q, r)) return q;
    if (is_power(by)) return lshr(a, constant(log2(by), w));
  }
  if (const Term e = exponent(b); e) return lshr(a, e);
  if (rule_)
    if (const Term known = rule_(Op::udiv, a, b); known) return known;
  return make(Op::udiv, w, {a, b});
}

Term Pool::urem(Term a, Term b) {
  const uint8_t w = width(a);
  if (is_constant(b) && value(b) != 0) {
    const uint64_t by = value(b);
    if (by == 1) return constant(0, w);
    Term q, r;
    if (split(a, by, q, r)) return r;
    if (is_power(by)) return zext(extract(a, 0, log2(by)), w);
  }
  if (exponent(b)) return and_(a, sub(b, constant(1, w)));
  if (rule_)
    if (const Term known = rule_(Op::urem, a, b); known) return known;
  return make(Op::urem, w, {a, b});
}

Term Pool::sdiv(Term a, Term b) {
  if (nodes_[a.id].signed_low >= 0 && nodes_[b.id].signed_low > 0) return udiv(a, b);
  if (width(a) > 1 && is_constant(b, 1)) return a;
  return make(Op::sdiv, width(a), {a, b});
}

Term Pool::srem(Term a, Term b) {
  if (nodes_[a.id].signed_low >= 0 && nodes_[b.id].signed_low > 0) return urem(a, b);
  return make(Op::srem, width(a), {a, b});
}

// ---- bits --------------------------------------------------------------------------------------------------

Term Pool::and_(Term a, Term b) {
  const uint8_t w = width(a);
  if (w == 1) return all(a, b);
  if (a == b) return a;
  if (is_constant(a)) std::swap(a, b);
  if (is_constant(b)) {
    const uint64_t v = value(b);
    if (v == 0) return b;
    if (v == ones(w)) return a;
    if (is_power(v + 1)) return urem(a, constant(v + 1, w));
    // A mask whose low bits are clear: only the high part counts.
    const uint64_t up = v | (v - 1);
    if (up == ones(w)) {
      const uint8_t low = log2(v);
      return concat(extract(a, low, static_cast<uint8_t>(w - low)), constant(0, low));
    }
    if (is_power(v)) {
      const uint8_t low = log2(v);
      return shl(zext(extract(a, low, 1), w), constant(low, w));
    }
  }
  if (b < a) std::swap(a, b);
  return make(Op::and_, w, {a, b});
}

Term Pool::or_(Term a, Term b) {
  const uint8_t w = width(a);
  if (w == 1) return any(a, b);
  if (a == b) return a;
  if (is_constant(a)) std::swap(a, b);
  if (is_constant(b, 0)) return a;
  if (is_constant(b, ones(w))) return b;
  const auto below = [&](Term x, Term y) {
    const uint8_t z = nodes_[y.id].trailing_zeros;
    return z >= 64 || nodes_[x.id].high < (uint64_t{1} << z);
  };
  if (below(a, b) || below(b, a)) return add(a, b);
  if (b < a) std::swap(a, b);
  return make(Op::or_, w, {a, b});
}

Term Pool::xor_(Term a, Term b) {
  const uint8_t w = width(a);
  if (a == b) return constant(0, w);
  if (w == 1) return not_(eq(a, b));
  if (is_constant(a)) std::swap(a, b);
  if (is_constant(b, 0)) return a;
  if (is_constant(b, ones(w))) return not_(a);
  const auto below = [&](Term x, Term y) {
    const uint8_t z = nodes_[y.id].trailing_zeros;
    return z >= 64 || nodes_[x.id].high < (uint64_t{1} << z);
  };
  if (below(a, b) || below(b, a)) return add(a, b);
  if (b < a) std::swap(a, b);
  return make(Op::xor_, w, {a, b});
}

Term Pool::shl(Term a, Term b) {
  const uint8_t w = width(a);
  if (is_constant(a, 0)) return a;
  if (is_constant(b)) return value(b) >= w ? constant(0, w) : scale(a, uint64_t{1} << value(b));
  return make(Op::shl, w, {a, b});
}

Term Pool::lshr(Term a, Term b) {
  const uint8_t w = width(a);
  if (is_constant(a, 0)) return a;
  if (is_constant(b)) {
    const uint64_t by = value(b);
    if (by >= w) return constant(0, w);
    if (by == 0) return a;
    Term q, r;
    if (split(a, uint64_t{1} << by, q, r)) return q;
    return zext(extract(a, static_cast<uint8_t>(by), static_cast<uint8_t>(w - by)), w);
  }
  return make(Op::lshr, w, {a, b});
}

Term Pool::ashr(Term a, Term b) {
  const uint8_t w = width(a);
  if (nodes_[a.id].signed_low >= 0) return lshr(a, b);
  if (is_constant(b)) {
    const uint64_t by = std::min<uint64_t>(value(b), w - 1u);
    if (by == 0) return a;
    return sext(extract(a, static_cast<uint8_t>(by), static_cast<uint8_t>(w - by)), w);
  }
  return make(Op::ashr, w, {a, b});
}

}  // namespace fencepost::formula

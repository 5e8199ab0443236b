#include "prove/rows.h"

#include <algorithm>
#include <numeric>

namespace fencepost::prove {
namespace {

constexpr uint8_t k_bits = 64;
constexpr size_t k_most_parts = 24;
constexpr int k_most_depth = 6;
constexpr int64_t k_most_coefficient = int64_t{1} << 14;
constexpr __int128 k_most = __int128{1} << 46;

}  // namespace

Rows::Part Rows::Part::without(Term factor) const {
  if (a == factor) return {c, b, d, {}};
  if (b == factor) return {c, a, d, {}};
  return {c, a, b, {}};
}

Rows::Sum Rows::leaf(Term t, Term whole, __int128 low, __int128 high) const {
  const Term of_64 = pool_.width(whole) < k_bits ? pool_.sext(whole, k_bits) : whole;
  Sum s{.term = t, .whole = of_64, .exact = true, .parts = {}, .low = low, .high = high};
  if (pool_.is_constant(of_64))
    s.parts = {{formula::as_signed(pool_.value(of_64), k_bits), {}, {}}};
  else
    s.parts = {{1, of_64, {}}};
  return s;
}

// The result of an operation of so many bits: undefined overflow does not happen, what wraps must be shown not to.
Rows::Sum Rows::clipped(Sum s, uint8_t bits, bool undefined) {
  const __int128 high = (__int128{1} << (bits - 1)) - 1, low = -high - 1;
  if (undefined) {
    s.low = std::clamp(s.low, low, high);
    s.high = std::clamp(s.high, low, high);
  } else {
    s.exact = s.exact && s.low >= low && s.high <= high;
  }
  s.exact = s.exact && s.parts.size() <= k_most_parts;
  if (!s.exact) s.parts.clear();
  return s;
}

Rows::Sum Rows::add(const Sum& a, const Sum& b, bool minus, uint8_t bits, bool undefined) const {
  Sum s{.term = minus ? pool_.sub(a.term, b.term) : pool_.add(a.term, b.term),
        .whole = {},
        .exact = a.exact && b.exact,
        .parts = a.parts,
        .low = minus ? a.low - b.high : a.low + b.low,
        .high = minus ? a.high - b.low : a.high + b.high};
  for (Part p : b.parts) {
    if (minus) p.c = -p.c;
    s.parts.push_back(p);
  }
  return clipped(std::move(s), bits, undefined);
}

Rows::Sum Rows::multiply(const Sum& a, const Sum& b, uint8_t bits, bool undefined) const {
  const auto corners = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  Sum s{.term = pool_.mul(a.term, b.term),
        .whole = {},
        .exact = a.exact && b.exact,
        .parts = {},
        .low = std::min(corners),
        .high = std::max(corners)};
  const auto constant = [](const Sum& x) {
    return x.parts.size() == 1 && !x.parts[0].a ? std::optional(x.parts[0].c) : std::nullopt;
  };
  const auto single = [](const Sum& x) { return x.exact && x.parts.size() == 1 ? &x.parts[0] : nullptr; };
  for (const auto& [x, y] : {std::pair(&a, &b), std::pair(&b, &a)})
    if (const auto c = constant(*x); c && s.parts.empty()) {
      s.exact = s.exact && *c > -k_most_coefficient && *c < k_most_coefficient;
      for (Part p : y->parts) {
        s.exact = s.exact && p.c > -(int64_t{1} << 40) && p.c < (int64_t{1} << 40);
        if (s.exact) p.c *= *c;
        s.parts.push_back(p);
      }
    }
  // Three factors, in one order: (z * h) * w is z * (h * w).
  if (const Part *x = single(a), *y = single(b);
      s.parts.empty() && x != nullptr && y != nullptr && !(x->b && y->b) && (x->b || y->b) && !x->d && !y->d) {
    std::vector<Term> of;
    for (const Part* p : {x, y})
      for (const Term t : {p->a, p->b})
        if (t) of.push_back(t);
    std::ranges::sort(of, {}, &Term::id);
    const auto small = [](int64_t c) { return c > -k_most_coefficient && c < k_most_coefficient; };
    if (small(x->c) && small(y->c)) s.parts = {{x->c * y->c, of[0], of[1], of[2]}};
  }
  if (s.parts.empty()) {
    const auto whole = [&](const Sum& x) { return x.whole ? x.whole : pool_.sext(x.term, k_bits); };
    s.parts = {{1, whole(a), whole(b)}};
  }
  return clipped(std::move(s), bits, undefined);
}

void Rows::note(const Sum& s) {
  for (const Term t : {s.term, s.whole ? s.whole : pool_.sext(s.term, k_bits)}) {
    if (s.exact)
      exact_.emplace(t.id, s.parts);
    else
      inexact_.insert(t.id);
  }
}

Rows::Sum Rows::known(Term t) const {
  if (pool_.is_constant(t)) {
    const int64_t v = formula::as_signed(pool_.value(t), pool_.width(t));
    return leaf(t, t, v, v);
  }
  const Parts* parts = find(t);
  return {.term = t,
          .whole = {},
          .exact = parts != nullptr,
          .parts = parts == nullptr ? Parts() : *parts,
          .low = -k_most,
          .high = k_most};
}

const Rows::Parts* Rows::find(Term t) const {
  const auto it = exact_.find(t.id);
  return it == exact_.end() || inexact_.contains(t.id) ? nullptr : &it->second;
}

// Of a sum without products, where it is known to be small.
std::optional<std::pair<int64_t, int64_t>> Rows::range(const Parts& parts) const {
  __int128 low = 0, high = 0;
  for (const Part& p : parts) {
    if (p.b) return std::nullopt;
    const __int128 least = p.a ? pool_[p.a].signed_low : 1, most = p.a ? pool_[p.a].signed_high : 1;
    low += p.c > 0 ? p.c * least : p.c * most;
    high += p.c > 0 ? p.c * most : p.c * least;
  }
  if (low <= -k_most || high >= k_most) return std::nullopt;
  return std::pair(static_cast<int64_t>(low), static_cast<int64_t>(high));
}

Term Rows::sum(const Parts& parts) const {
  Term t;
  for (const Part& p : parts)
    if (p.a) {
      Term product = p.a;
      for (const Term by : {p.b, p.d})
        if (by) product = pool_.mul(product, by);
      const Term x = pool_.scale(product, static_cast<uint64_t>(p.c));
      t = t ? pool_.add(t, x) : x;
    }
  return t;
}

// The sum is 0. Parts of both signs are on sides of their own.
Term Rows::equation(const Parts& parts) const {
  Parts left, right;
  int64_t constant = 0, unit = 0;
  for (const Part& p : parts) unit = std::gcd(unit, p.c);
  for (const Part& p : parts) {
    if (!p.a)
      constant += p.c / unit;
    else if (p.c > 0)
      left.push_back({p.c / unit, p.a, p.b, p.d});
    else
      right.push_back({-p.c / unit, p.a, p.b, p.d});
  }
  const Term l = sum(left), r = sum(right);
  if (!l && !r) return pool_.truth(constant == 0);
  const uint8_t w = pool_.width(l ? l : r);
  const Term zero = pool_.constant(0, w);
  const auto c = pool_.constant(static_cast<uint64_t>(constant), w);
  return pool_.eq(pool_.add(l ? l : zero, c), r ? r : zero);
}

// Parts that are sums themselves, taken apart.
Rows::Parts Rows::expanded(const Parts& parts) const {
  Parts out;
  for (const Part& p : parts) {
    const Parts* inner = p.a && !p.b ? find(p.a) : nullptr;
    const auto large = [](int64_t c, int64_t most) { return c <= -most || c >= most; };
    if (inner == nullptr || large(p.c, k_most_coefficient) ||
        std::any_of(inner->begin(), inner->end(), [&](const Part& q) { return large(q.c, int64_t{1} << 40); })) {
      out.push_back(p);
      continue;
    }
    for (Part q : *inner) {
      q.c *= p.c;
      out.push_back(q);
    }
  }
  return collected(std::move(out));
}

// What is on both sides goes.
Rows::Parts Rows::collected(Parts out) {
  for (size_t i = 0; i < out.size(); ++i)
    for (size_t j = i + 1; j < out.size();)
      if (out[i].a == out[j].a && out[i].b == out[j].b && out[i].d == out[j].d) {
        out[i].c += out[j].c;
        out.erase(out.begin() + static_cast<ptrdiff_t>(j));
      } else {
        ++j;
      }
  std::erase_if(out, [](const Part& p) { return p.c == 0; });
  return out;
}

// Holds if the rest does not lie between -unit * length and unit * length. None: that cannot be said without wrapping.
Term Rows::outside(const Parts& rest, Term length, int64_t unit) const {
  const Term zero = pool_.constant(0, k_bits);
  // Two numbers of one unit, of any size: each is in its row, which is what guards say.
  std::array<Term, 2> sides;
  const bool two = std::all_of(rest.begin(), rest.end(), [&](const Part& p) {
    Term& side = sides[p.c < 0];
    if (!p.a || p.b || (p.c != unit && p.c != -unit) || side) return false;
    side = p.a;
    return true;
  });
  if (two) {
    // A length may be negative, as a quotient by a negative number is: what counts is how far from 0 the two are.
    const Term row = pool_.ite(pool_.slt(length, zero), pool_.neg(length), length);
    std::vector<Term> above, below;
    for (const Term x : sides)
      if (x) {
        above.push_back(pool_.all(pool_.sle(zero, x), pool_.slt(x, row)));
        below.push_back(pool_.all(pool_.sle(x, zero), pool_.slt(pool_.neg(row), x)));
      }
    const Term within = pool_.any(pool_.all(std::move(above)), pool_.all(std::move(below)));
    return pool_.not_(pool_.all(pool_.ne(zero, length), within));
  }
  if (range(rest)) {
    Term r = sum(rest);
    int64_t constant = 0;
    for (const Part& p : rest)
      if (!p.a) constant += p.c;
    const Term c = pool_.constant(static_cast<uint64_t>(constant), k_bits);
    r = r ? pool_.add(r, c) : c;
    // A term whose range is known has less than 2^46: it never leaves a row that is at least as long.
    const Term row = pool_.scale(length, static_cast<uint64_t>(unit));
    const Term within = pool_.all(pool_.slt(r, row), pool_.slt(pool_.neg(row), r));
    const Term far =
        range({{unit, length, {}}}) ? pool_.no() : pool_.sle(pool_.constant(uint64_t{1} << 46, k_bits), length);
    return pool_.not_(pool_.all(pool_.slt(zero, length), pool_.any(far, within)));
  }
  return {};
}

// The sum is 0: in `out`, conjuncts that say so; false if there is a product that no row explains.
bool Rows::step(Parts equation_parts, const Excluded& excluded, std::vector<Term>& out, int depth) const {
  const bool products = std::any_of(equation_parts.begin(), equation_parts.end(), [](const Part& p) { return !!p.b; });
  if (!products) {
    out.push_back(equation(equation_parts));
    return true;
  }
  if (depth >= k_most_depth || equation_parts.size() > 2 * k_most_parts) return false;
  std::vector<Term> lengths;
  for (const Part& p : equation_parts)
    if (p.b)
      for (const Term t : {p.b, p.a, p.d})
        if (t && std::find(lengths.begin(), lengths.end(), t) == lengths.end()) lengths.push_back(t);
  for (const Term length : lengths) {
    Parts quotient, rest;
    int64_t unit = 0;
    for (const Part& p : equation_parts) {
      if (p.b && p.has(length))
        quotient.push_back(p.without(length)), unit = std::gcd(unit, p.c);
      else
        rest.push_back(p);
    }
    if (unit > k_most_coefficient) continue;
    const Term over = outside(rest, length, unit);
    if (!over || (!pool_.is_false(over) && !excluded(out, over))) continue;
    for (Part& p : quotient) p.c /= unit;
    std::vector<Term> said = out;
    said.push_back(equation(rest));
    Parts next = expanded(quotient);
    // Two numbers that are equal by now are one: x of (x * w + y) * w + x.
    if (rest.size() == 2 && rest[0].a && rest[1].a && !rest[0].b && !rest[1].b && rest[0].c == -rest[1].c) {
      for (Part& p : next)
        for (Term* t : {&p.a, &p.b, &p.d})
          if (*t == rest[1].a) *t = rest[0].a;
      next = collected(std::move(next));
    }
    if (!step(std::move(next), excluded, said, depth + 1)) continue;
    out = std::move(said);
    return true;
  }
  return false;
}

std::vector<Term> Rows::split(Term left, Term right, const Excluded& excluded) const {
  const Parts *a = find(left), *b = find(right);
  if (a == nullptr || b == nullptr) return {};
  Parts difference = *a;
  for (Part p : *b) {
    p.c = -p.c;
    difference.push_back(p);
  }
  difference = expanded(difference);
  if (std::none_of(difference.begin(), difference.end(), [](const Part& p) { return !!p.b; })) {
    // Numbers that offsets are too narrow for: the equation is one of 64 bits.
    const auto large = [&](const Part& p) {
      return p.a && (pool_[p.a].signed_low < -k_most || pool_[p.a].signed_high >= k_most);
    };
    if (std::none_of(difference.begin(), difference.end(), large)) return {};
    return {equation(difference)};
  }
  std::vector<Term> out;
  return step(std::move(difference), excluded, out, 0) ? out : std::vector<Term>();
}

}  // namespace fencepost::prove

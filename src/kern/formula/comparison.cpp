// Rewriting of equations, orders and changes of width.
//
// Equations are the questions of the verifier: do the offsets of two threads meet? So most of the work is in eq(). Both
// sides are linear sums; what is common cancels, common powers of two and superfluous high bits go, and by a common
// coefficient c both sides are split into quotient and remainder, q * c + r with r < c: `64 * row + col` of two threads
// is equal only if rows and columns are. Modulo 2^w that also holds of sums that wrap, if c is a power of two. Orders
// fold by the ranges that each node knows. Every rule is an equality of SMT-LIB's bit-vectors; tests evaluate both
// sides.
#include <algorithm>
#include <bit>

#include "base/diagnostic.h"
#include "formula/pool.h"
#include "formula/rules.h"

namespace fencepost::formula {

// ---- comparisons -------------------------------------------------------------------------------------------

// a == b over linear sums: what is common cancels, common powers of two and superfluous high bits go.
Term Pool::eq_sums(Term a, Term b) {
  const uint8_t w = width(a);
  const Linear d = combine(linear(a), 1, linear(b), ~uint64_t{0}, w);
  if (d.parts.empty()) return truth(d.constant == 0);
  // Positive coefficients to the left, the others to the right.
  Linear left, right;
  unsigned zeros = 64;
  for (const auto& [t, c] : d.parts) {
    const int64_t s = as_signed(c, w);
    if (s > 0 || s == as_signed(uint64_t{1} << (w - 1), w))
      left.parts.emplace_back(t, c);
    else
      right.parts.emplace_back(t, (0 - c) & ones(w));
    zeros = std::min<unsigned>(zeros, log2(c) + nodes_[t.id].trailing_zeros);
  }
  if (zeros > 0 && d.constant != 0 && log2(d.constant) < zeros) return false_;
  if (const int64_t s = as_signed(d.constant, w); s > 0)
    left.constant = d.constant;
  else
    right.constant = (0 - d.constant) & ones(w);
  unsigned factor = 64;
  for (const auto& [t, c] : d.parts) factor = std::min<unsigned>(factor, log2(c));
  if (d.constant != 0) factor = std::min<unsigned>(factor, log2(d.constant));
  if (factor > 0 && factor < w) {
    const auto narrow = static_cast<uint8_t>(w - factor);
    const auto reduce = [&](const Linear& l) {
      Term r = constant(l.constant >> factor, narrow);
      for (const auto& [t, c] : l.parts) r = add(r, scale(extract(t, 0, narrow), c >> factor));
      return r;
    };
    const Term l = reduce(left), r = reduce(right);
    return eq(l, r);
  }
  Term l = from_linear(left, w), r = from_linear(right, w);
  // Quotients and remainders by a common coefficient: q * c + r with r < c on both sides. Modulo 2^w this also holds
  // of sums that wrap when c is a power of two.
  std::vector<uint64_t> tried;
  for (const auto& [t, coefficient] : d.parts) {
    const int64_t s = as_signed(coefficient, w);
    const auto c = static_cast<uint64_t>(s < 0 ? -s : s);
    if (c > 1 && c <= ones(w) >> 1) tried.push_back(c);
  }
  std::sort(tried.rbegin(), tried.rend());
  tried.erase(std::unique(tried.begin(), tried.end()), tried.end());
  for (uint64_t c : tried) {
    Term ql, rl, qr, rr;
    if (split(l, c, ql, rl) && split(r, c, qr, rr)) {
      if (is_constant(ql, 0) && is_constant(qr, 0)) continue;
      return all(eq(ql, qr), eq(rl, rr));
    }
    if (!is_power(c)) continue;
    const auto part = [&](const Linear& x, Linear& whole, Linear& rest) {
      Wide high = x.constant % c;
      whole.constant = x.constant / c;
      rest.constant = x.constant % c;
      for (const auto& [t, coefficient] : x.parts) {
        if (coefficient % c == 0) {
          whole.parts.emplace_back(t, coefficient / c);
        } else {
          if (coefficient >= c || std::bit_width(coefficient) + std::bit_width(nodes_[t.id].high) > 100) return false;
          rest.parts.emplace_back(t, coefficient);
          high += Wide{coefficient} * nodes_[t.id].high;
        }
      }
      return high < Wide{c} && !whole.parts.empty();
    };
    Linear wl, sl, wr, sr;
    const bool on_left = part(left, wl, sl), on_right = part(right, wr, sr);
    const auto small = [&](const Linear& x) { return x.parts.empty() && x.constant < c; };
    if ((on_left || small(left)) && (on_right || small(right)) && (on_left || on_right)) {
      const auto narrow = static_cast<uint8_t>(w - log2(c));
      const auto reduce = [&](const Linear& x) {
        Term sum = constant(x.constant, narrow);
        for (const auto& [t, coefficient] : x.parts) sum = add(sum, scale(extract(t, 0, narrow), coefficient));
        return sum;
      };
      const Term lows = eq(from_linear(sl, w), from_linear(sr, w));
      if (is_false(lows)) return false_;
      const Term a1 = reduce(wl), b1 = reduce(wr);
      return all(eq(a1, b1), lows);
    }
  }
  const uint64_t top = std::max(nodes_[l.id].high, nodes_[r.id].high);
  if (nodes_[l.id].low > nodes_[r.id].high || nodes_[r.id].low > nodes_[l.id].high) return false_;
  const auto need = static_cast<uint8_t>(std::max<int>(1, std::bit_width(top)));
  if (need < w) return eq(extract(l, 0, need), extract(r, 0, need));
  if (rule_)
    if (const Term known = rule_(Op::eq, l, r); known) return known;
  if (r < l) std::swap(l, r);
  return make(Op::eq, 1, {l, r});
}

Term Pool::eq(Term a, Term b) {
  FENCEPOST_INVARIANT(width(a) == width(b), "formulas of different widths were compared");
  if (a == b) return true_;
  const uint8_t w = width(a);
  if (is_constant(a)) std::swap(a, b);
  if (is_constant(a) && is_constant(b)) return truth(value(a) == value(b));
  if (nodes_[a.id].low > nodes_[b.id].high || nodes_[b.id].low > nodes_[a.id].high) return false_;
  if (nodes_[a.id].signed_low > nodes_[b.id].signed_high || nodes_[b.id].signed_low > nodes_[a.id].signed_high)
    return false_;
  if (w == 1) {
    if (b == true_) return a;
    if (b == false_) return not_(a);
    const bool flip_a = nodes_[a.id].op == Op::not_, flip_b = nodes_[b.id].op == Op::not_;
    if (flip_a) a = nodes_[a.id].kids[0];
    if (flip_b) b = nodes_[b.id].kids[0];
    if (a == b) return truth(flip_a == flip_b);
    if (b < a) std::swap(a, b);
    const Term e = make(Op::eq, 1, {a, b});
    return flip_a != flip_b ? not_(e) : e;
  }
  // Copies: building may grow the store.
  const Node x = nodes_[a.id], y = nodes_[b.id];
  if (x.op == Op::ite && y.op == Op::constant) {
    if (is_constant(x.kids[1]))
      return value(x.kids[1]) == y.value ? any(x.kids[0], eq(x.kids[2], b)) : all(not_(x.kids[0]), eq(x.kids[2], b));
    if (is_constant(x.kids[2]))
      return value(x.kids[2]) == y.value ? any(not_(x.kids[0]), eq(x.kids[1], b)) : all(x.kids[0], eq(x.kids[1], b));
  }
  if (x.op == Op::ite && y.op == Op::ite && x.kids[0] == y.kids[0])
    return ite(x.kids[0], eq(x.kids[1], y.kids[1]), eq(x.kids[2], y.kids[2]));
  if (x.op == Op::concat) {
    const uint8_t low = width(x.kids[1]);
    if (y.op == Op::concat || y.op == Op::constant)
      return all(eq(x.kids[0], extract(b, low, static_cast<uint8_t>(w - low))), eq(x.kids[1], extract(b, 0, low)));
  } else if (y.op == Op::concat) {
    return eq(b, a);
  }
  if (x.op == Op::zext) {
    const uint8_t k = width(x.kids[0]);
    if (y.op == Op::zext) {
      const uint8_t j = width(y.kids[0]);
      const uint8_t m = std::max(k, j);
      return eq(zext(x.kids[0], m), zext(y.kids[0], m));
    }
    if (y.op == Op::constant) return eq(x.kids[0], constant(y.value, k));  // in range, as checked above
  }
  if (x.op == Op::sext && y.op == Op::sext && width(x.kids[0]) == width(y.kids[0])) return eq(x.kids[0], y.kids[0]);
  return eq_sums(a, b);
}

Term Pool::ult(Term a, Term b) {
  const Node x = nodes_[a.id], y = nodes_[b.id];
  FENCEPOST_INVARIANT(x.width == y.width, "formulas of different widths were compared");
  const uint8_t w = x.width;
  if (a == b || x.low >= y.high) return false_;
  if (x.high < y.low) return true_;
  if (w == 1) return all(not_(a), b);
  if (y.op == Op::constant && y.value == x.low + 1) return eq(a, constant(x.low, w));
  if (x.op == Op::constant && x.value + 1 == y.high) return eq(b, constant(y.high, w));
  if (x.op == Op::zext && y.op == Op::zext) {
    const uint8_t m = std::max(width(x.kids[0]), width(y.kids[0]));
    if (m < w) return ult(zext(x.kids[0], m), zext(y.kids[0], m));
  }
  if (x.op == Op::zext && y.op == Op::constant) {
    const uint8_t k = width(x.kids[0]);
    if (y.value <= ones(k)) return ult(x.kids[0], constant(y.value, k));
  }
  const auto exact = [](const Node& n) { return n.op != Op::sum || n.exact; };
  if ((x.op == Op::sum || y.op == Op::sum) && exact(x) && exact(y)) {
    // As integers: subtract what both have, divide by what all share.
    const Linear d = combine(linear(a), 1, linear(b), ~uint64_t{0}, w);
    Linear left, right;
    unsigned factor = 64;
    for (const auto& [t, c] : d.parts) {
      const bool positive = as_signed(c, w) > 0;
      (positive ? left : right).parts.emplace_back(t, positive ? c : (0 - c) & ones(w));
      factor = std::min<unsigned>(factor, log2(c));
    }
    const int64_t c0 = as_signed(d.constant, w);
    (c0 > 0 ? left : right).constant = c0 > 0 ? d.constant : (0 - d.constant) & ones(w);
    const Term l = from_linear(left, w), r = from_linear(right, w);
    const auto fits = [&](Term t) { return nodes_[t.id].op != Op::sum || nodes_[t.id].exact; };
    // The difference of two integers in [0, 2^w) must itself have been representable with these coefficients.
    Wide low = c0, high = c0;
    for (const auto& [t, c] : d.parts) {
      const Wide s = as_signed(c, w);
      if (d.parts.size() > 63 || std::bit_width(c) + std::bit_width(nodes_[t.id].high) > 100) high = limit(100);
      low += s * (s > 0 ? nodes_[t.id].low : nodes_[t.id].high);
      high += s * (s > 0 ? nodes_[t.id].high : nodes_[t.id].low);
    }
    const bool same_integers = low > -limit(w) && high < limit(w);
    if (fits(l) && fits(r) && same_integers && (l != a || r != b)) {
      bool true_difference = true;
      // Coefficients of both sides are exact integers, so their difference is too unless a coefficient wrapped.
      const Linear la = linear(a), lb = linear(b);
      for (const auto& [t, c] : d.parts) {
        Wide s = 0;
        for (const auto& [u, e] : la.parts)
          if (u == t) s += as_signed(e, w);
        for (const auto& [u, e] : lb.parts)
          if (u == t) s -= as_signed(e, w);
        true_difference = true_difference && s == Wide{as_signed(c, w)};
      }
      true_difference = true_difference && Wide{as_signed(la.constant, w)} - as_signed(lb.constant, w) == Wide{c0};
      if (true_difference) return ult(l, r);
    }
  }
  if (rule_)
    if (const Term known = rule_(Op::ult, a, b); known) return known;
  return make(Op::ult, 1, {a, b});
}

Term Pool::slt(Term a, Term b) {
  const Node& x = nodes_[a.id];
  const Node& y = nodes_[b.id];
  FENCEPOST_INVARIANT(x.width == y.width, "formulas of different widths were compared");
  if (a == b || x.signed_low >= y.signed_high) return false_;
  if (x.signed_high < y.signed_low) return true_;
  if (x.signed_low >= 0 && y.signed_low >= 0) return ult(a, b);
  return make(Op::slt, 1, {a, b});
}

// ---- widths ------------------------------------------------------------------------------------------------

Term Pool::zext(Term a, uint8_t to) {
  const Node n = nodes_[a.id];
  if (n.width == to) return a;
  FENCEPOST_INVARIANT(n.width < to, "a formula was extended to less than its width");
  if (n.op == Op::constant) return constant(n.value, to);
  if (n.op == Op::zext) return zext(n.kids[0], to);
  if (n.op == Op::sum && n.exact) {
    Term r = constant(static_cast<uint64_t>(as_signed(n.value, n.width)), to);
    for (size_t i = 0; i < n.kids.size(); ++i)
      r = add(r, scale(zext(n.kids[i], to), static_cast<uint64_t>(as_signed(n.coefficients[i], n.width))));
    return r;
  }
  return make(Op::zext, to, {a});
}

Term Pool::sext(Term a, uint8_t to) {
  const Node n = nodes_[a.id];
  if (n.width == to) return a;
  FENCEPOST_INVARIANT(n.width < to, "a formula was extended to less than its width");
  if (n.signed_low >= 0) return zext(a, to);
  if (n.op == Op::sext) return sext(n.kids[0], to);
  if (n.op == Op::sum && n.signed_exact) {
    Term r = constant(static_cast<uint64_t>(as_signed(n.value, n.width)), to);
    for (size_t i = 0; i < n.kids.size(); ++i)
      r = add(r, scale(zext(n.kids[i], to), static_cast<uint64_t>(as_signed(n.coefficients[i], n.width))));
    return r;
  }
  return make(Op::sext, to, {a});
}

Term Pool::extract(Term a, uint8_t low, uint8_t to) {
  const Node n = nodes_[a.id];
  FENCEPOST_INVARIANT(low + to <= n.width && to > 0, "bits outside a formula were extracted");
  if (n.width == to) return a;
  if (n.op == Op::extract) return extract(n.kids[0], static_cast<uint8_t>(n.value + low), to);
  if ((n.high >> low) == 0) return constant(0, to);
  if (n.op == Op::zext || n.op == Op::sext) {
    const uint8_t k = width(n.kids[0]);
    if (low + to <= k) return extract(n.kids[0], low, to);
    if (low == 0) return n.op == Op::zext ? zext(n.kids[0], to) : sext(n.kids[0], to);
    if (n.op == Op::zext && low < k) return zext(extract(n.kids[0], low, static_cast<uint8_t>(k - low)), to);
  }
  if (n.op == Op::concat) {
    const uint8_t k = width(n.kids[1]);
    if (low + to <= k) return extract(n.kids[1], low, to);
    if (low >= k) return extract(n.kids[0], static_cast<uint8_t>(low - k), to);
    return concat(extract(n.kids[0], 0, static_cast<uint8_t>(low + to - k)),
                  extract(n.kids[1], low, static_cast<uint8_t>(k - low)));
  }
  if (n.op == Op::sum) {
    if (low == 0) {
      if (to == 1) {
        Term r = truth((n.value & 1) != 0);
        for (size_t i = 0; i < n.kids.size(); ++i)
          if ((n.coefficients[i] & 1) != 0) r = xor_(r, extract(n.kids[i], 0, 1));
        return r;
      }
      Term r = constant(n.value, to);
      for (size_t i = 0; i < n.kids.size(); ++i) r = add(r, scale(extract(n.kids[i], 0, to), n.coefficients[i]));
      return r;
    }
    Term q, r;
    if (split(a, uint64_t{1} << low, q, r)) return extract(q, 0, to);
  }
  if (n.op == Op::ite && (is_constant(n.kids[1]) || is_constant(n.kids[2])))
    return ite(n.kids[0], extract(n.kids[1], low, to), extract(n.kids[2], low, to));
  return make(Op::extract, to, {a}, low);
}

Term Pool::concat(Term high, Term low) {
  const Node h = nodes_[high.id], l = nodes_[low.id];
  const auto w = static_cast<uint8_t>(h.width + l.width);
  FENCEPOST_INVARIANT(h.width + l.width <= 64, "a formula wider than 64 bits was built");
  if (is_constant(high, 0)) return zext(low, w);
  if (is_constant(high) && is_constant(low)) return constant(h.value << l.width | l.value, w);
  if (h.op == Op::extract && l.op == Op::extract && h.kids[0] == l.kids[0] && h.value == l.value + l.width)
    return extract(h.kids[0], static_cast<uint8_t>(l.value), w);
  if (h.op == Op::extract && h.kids[0] == low && h.value == l.width) {
    // never: an extract of `low` lies within `low`
  }
  if (is_constant(low, 0)) return scale(zext(high, w), uint64_t{1} << l.width);
  return make(Op::concat, w, {high, low});
}

}  // namespace fencepost::formula

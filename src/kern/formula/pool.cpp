// All rewriting in one file, past 800 lines: its rules call each other (an equation of sums extracts bits, which splits
// sums), and whoever changes one must see the others.
#include "formula/pool.h"

#include <algorithm>
#include <bit>

#include "base/diagnostic.h"

namespace fencepost::formula {

using Wide = __int128;

uint64_t ones(uint8_t width) { return width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1; }

int64_t as_signed(uint64_t v, uint8_t width) {
  const unsigned gap = 64u - width;
  return static_cast<int64_t>(v << gap) >> gap;
}

uint64_t evaluate(Op op, uint8_t ow, uint8_t rw, uint64_t a, uint64_t b, uint64_t c, uint64_t imm) {
  const uint64_t m = ones(ow);
  const auto divide = [&](bool remainder) -> uint64_t {
    const int64_t x = as_signed(a, ow), y = as_signed(b, ow);
    if (y == 0) return 0;
    if (y == -1) return remainder ? 0 : (0 - a) & m;
    return static_cast<uint64_t>(remainder ? x % y : x / y) & m;
  };
  switch (op) {
    case Op::not_: return ~a & m;
    case Op::ite: return a != 0 ? b : c;
    case Op::mul: return (a * b) & m;
    case Op::udiv: return b == 0 ? m : a / b;
    case Op::urem: return b == 0 ? a : a % b;
    case Op::sdiv: return divide(false);
    case Op::srem: return divide(true);
    case Op::and_: return a & b;
    case Op::or_: return a | b;
    case Op::xor_: return a ^ b;
    case Op::shl: return b >= ow ? 0 : (a << b) & m;
    case Op::lshr: return b >= ow ? 0 : a >> b;
    case Op::ashr: return static_cast<uint64_t>(as_signed(a, ow) >> std::min<uint64_t>(b, ow - 1u)) & m;
    case Op::eq: return a == b;
    case Op::ult: return a < b;
    case Op::slt: return as_signed(a, ow) < as_signed(b, ow);
    case Op::zext: return a;
    case Op::sext: return static_cast<uint64_t>(as_signed(a, ow)) & ones(rw);
    case Op::extract: return (a >> imm) & ones(rw);
    case Op::concat: return ((a << (rw - ow)) | b) & ones(rw);  // ow: width of the high part
    case Op::constant:
    case Op::variable:
    case Op::apply:
    case Op::all:
    case Op::sum: break;
  }
  FENCEPOST_INVARIANT(false, "an operator without fixed operands was evaluated as one");
  return 0;
}

namespace {

uint64_t hash_of(const Node& n) {
  uint64_t h = (static_cast<uint64_t>(n.op) << 8 | n.width) * 0x9e3779b97f4a7c15ull ^ n.value;
  const auto mix = [&](uint64_t x) {
    h ^= x + 0x9e3779b97f4a7c15ull + (h << 6) + (h >> 2);
    h *= 0xff51afd7ed558ccdull;
    h ^= h >> 33;
  };
  for (Term k : n.kids) mix(k.id);
  for (uint64_t c : n.coefficients) mix(c);
  mix(n.kids.size());
  return h;
}

bool same(const Node& a, const Node& b) {
  return a.op == b.op && a.width == b.width && a.value == b.value && a.kids == b.kids &&
         a.coefficients == b.coefficients;
}

Wide limit(uint8_t width) { return Wide{1} << width; }

bool is_power(uint64_t v) { return std::has_single_bit(v); }

uint8_t log2(uint64_t v) { return static_cast<uint8_t>(std::countr_zero(v)); }

}  // namespace

Pool::Pool() {
  table_.assign(1 << 12, 0);
  false_ = constant(0, 1);
  true_ = constant(1, 1);
}

Term Pool::intern(Node n) {
  const uint64_t h = hash_of(n);
  size_t at = h & (table_.size() - 1);
  for (; table_[at] != 0; at = (at + 1) & (table_.size() - 1))
    if (same(nodes_[table_[at] - 1], n)) return {table_[at] - 1};
  set_range(n);
  if (n.op != Op::constant && n.low == n.high) return constant(n.low, n.width);
  nodes_.push_back(std::move(n));
  const auto id = static_cast<uint32_t>(nodes_.size() - 1);
  table_[at] = id + 1;
  if (nodes_.size() * 2 > table_.size()) {
    std::vector<uint32_t> bigger(table_.size() * 4, 0);
    for (uint32_t i = 0; i < nodes_.size(); ++i) {
      size_t p = hash_of(nodes_[i]) & (bigger.size() - 1);
      while (bigger[p] != 0) p = (p + 1) & (bigger.size() - 1);
      bigger[p] = i + 1;
    }
    table_ = std::move(bigger);
  }
  return {id};
}

Term Pool::make(Op op, uint8_t width, std::vector<Term> kids, uint64_t value) {
  FENCEPOST_INVARIANT(width >= 1 && width <= 64, "a formula of a width outside 1..64 was built");
  bool fixed = !kids.empty() && op != Op::apply;
  for (Term k : kids) fixed = fixed && is_constant(k);
  if (fixed) {
    const auto at = [&](size_t i) { return i < kids.size() ? nodes_[kids[i].id].value : 0; };
    return constant(evaluate(op, nodes_[kids[0].id].width, width, at(0), at(1), at(2), value), width);
  }
  Node n;
  n.op = op;
  n.width = width;
  n.value = value;
  n.kids = std::move(kids);
  return intern(std::move(n));
}

void Pool::set_range(Node& n) const {
  const uint64_t m = ones(n.width);
  n.low = 0;
  n.high = m;
  n.trailing_zeros = 0;
  const auto kid = [&](size_t i) -> const Node& { return nodes_[n.kids[i].id]; };
  bool signed_known = false;
  switch (n.op) {
    case Op::constant:
      n.low = n.high = n.value;
      n.trailing_zeros = n.value == 0 ? n.width : log2(n.value);
      break;
    case Op::ite:
      n.low = std::min(kid(1).low, kid(2).low);
      n.high = std::max(kid(1).high, kid(2).high);
      n.signed_low = std::min(kid(1).signed_low, kid(2).signed_low);
      n.signed_high = std::max(kid(1).signed_high, kid(2).signed_high);
      signed_known = true;
      n.trailing_zeros = std::min(kid(1).trailing_zeros, kid(2).trailing_zeros);
      break;
    case Op::sum: {
      Wide low = as_signed(n.value, n.width), high = low;
      unsigned zeros = n.value == 0 ? 64 : log2(n.value);
      bool countable = true;  // within 128 bits
      for (size_t i = 0; i < n.kids.size(); ++i) {
        const Wide c = as_signed(n.coefficients[i], n.width);
        zeros = std::min<unsigned>(zeros, log2(n.coefficients[i]) + kid(i).trailing_zeros);
        countable = countable && n.kids.size() < 64 &&
                    std::bit_width(static_cast<uint64_t>(c < 0 ? -c : c)) + std::bit_width(kid(i).high) <= 100;
        if (!countable) continue;
        low += c * (c > 0 ? kid(i).low : kid(i).high);
        high += c * (c > 0 ? kid(i).high : kid(i).low);
      }
      n.exact = countable && low >= 0 && high < limit(n.width);
      n.signed_exact = countable && low >= -limit(n.width - 1) && high < limit(n.width - 1);
      if (n.exact) n.low = static_cast<uint64_t>(low), n.high = static_cast<uint64_t>(high);
      if (n.signed_exact) {
        n.signed_low = static_cast<int64_t>(low), n.signed_high = static_cast<int64_t>(high);
        signed_known = true;
      }
      n.trailing_zeros = static_cast<uint8_t>(std::min<unsigned>(zeros, n.width));
      break;
    }
    case Op::mul: {
      if (std::bit_width(kid(0).high) + std::bit_width(kid(1).high) <= n.width) {
        n.low = kid(0).low * kid(1).low;
        n.high = kid(0).high * kid(1).high;
      }
      n.trailing_zeros = static_cast<uint8_t>(std::min<unsigned>(kid(0).trailing_zeros + kid(1).trailing_zeros, n.width));
      break;
    }
    case Op::udiv:
      if (kid(1).low > 0) n.low = kid(0).low / kid(1).high, n.high = kid(0).high / kid(1).low;
      break;
    case Op::urem:
      if (kid(1).low > 0) n.high = std::min(kid(0).high, kid(1).high - 1);
      break;
    case Op::and_: n.high = std::min(kid(0).high, kid(1).high); break;
    case Op::or_:
    case Op::xor_: {
      const uint64_t top = std::max(kid(0).high, kid(1).high);
      n.high = top == 0 ? 0 : ones(static_cast<uint8_t>(64 - std::countl_zero(top)));
      if (n.op == Op::or_) n.low = std::max(kid(0).low, kid(1).low);
      break;
    }
    case Op::lshr:
      n.high = kid(0).high;
      if (kid(1).low < n.width) n.high >>= kid(1).low;
      break;
    case Op::zext:
      n.low = kid(0).low;
      n.high = kid(0).high;
      n.trailing_zeros = kid(0).trailing_zeros;
      break;
    case Op::sext:
      n.signed_low = kid(0).signed_low;
      n.signed_high = kid(0).signed_high;
      signed_known = true;
      n.trailing_zeros = kid(0).trailing_zeros;
      break;
    case Op::extract:
      if (const Node& k = kid(0); (k.high >> n.value) <= m) {
        n.low = k.low >> n.value;
        n.high = k.high >> n.value;
      }
      break;
    case Op::concat:
      n.low = (kid(0).low << kid(1).width) | kid(1).low;
      n.high = (kid(0).high << kid(1).width) | kid(1).high;
      n.trailing_zeros = kid(1).trailing_zeros;
      break;
    default: break;
  }
  if (!signed_known) {
    if (n.high <= m >> 1) {
      n.signed_low = static_cast<int64_t>(n.low);
      n.signed_high = static_cast<int64_t>(n.high);
    } else if (n.low > m >> 1) {
      n.signed_low = as_signed(n.low, n.width);
      n.signed_high = as_signed(n.high, n.width);
    } else {
      n.signed_low = as_signed(m ^ (m >> 1), n.width);
      n.signed_high = static_cast<int64_t>(m >> 1);
    }
  } else {
    if (n.signed_low >= 0) {
      n.low = std::max(n.low, static_cast<uint64_t>(n.signed_low));
      n.high = std::min(n.high, static_cast<uint64_t>(n.signed_high));
    } else if (n.signed_high < 0) {
      n.low = std::max(n.low, static_cast<uint64_t>(n.signed_low) & m);
      n.high = std::min(n.high, static_cast<uint64_t>(n.signed_high) & m);
    }
  }
}

// ---- leaves ------------------------------------------------------------------------------------------------

Term Pool::constant(uint64_t value, uint8_t width) {
  Node n;
  n.width = width;
  n.value = value & ones(width);
  return intern(std::move(n));
}

Term Pool::variable(uint8_t width, std::string name) {
  Node n;
  n.op = Op::variable;
  n.width = width;
  n.value = variable_names_.size();
  variable_names_.push_back(std::move(name));
  return intern(std::move(n));
}

Term Pool::number_below(uint64_t count, uint8_t width, std::string name, std::vector<Term>& constraints) {
  FENCEPOST_INVARIANT(count > 0, "a number below zero was asked for");
  if (count == 1) return constant(0, width);
  const auto bits = static_cast<uint8_t>(std::min<unsigned>(std::bit_width(count - 1), width));
  const Term v = variable(bits, std::move(name));
  if (!is_power(count)) constraints.push_back(ule(v, constant(count - 1, bits)));
  return zext(v, width);
}

uint64_t Pool::symbol(const std::string& name) {
  const auto [it, fresh] = symbols_.emplace(name, symbol_names_.size());
  if (fresh) symbol_names_.push_back(name);
  return it->second;
}

Term Pool::apply(uint64_t symbol, uint8_t width, std::vector<Term> arguments) {
  return make(Op::apply, width, std::move(arguments), symbol);
}

// ---- truth -------------------------------------------------------------------------------------------------

Term Pool::not_(Term a) {
  const Node& n = nodes_[a.id];
  if (n.op == Op::constant) return constant(~n.value, n.width);
  if (n.width > 1) return sub(constant(~uint64_t{0}, n.width), a);
  if (n.op == Op::not_) return n.kids[0];
  return make(Op::not_, 1, {a});
}

Term Pool::all(std::vector<Term> kids) {
  std::vector<Term> flat;
  for (Term k : kids) {
    const Node& n = nodes_[k.id];
    if (k == true_) continue;
    if (k == false_) return false_;
    if (n.op == Op::all)
      flat.insert(flat.end(), n.kids.begin(), n.kids.end());
    else
      flat.push_back(k);
  }
  std::sort(flat.begin(), flat.end());
  flat.erase(std::unique(flat.begin(), flat.end()), flat.end());
  const auto has = [&](Term t) { return std::binary_search(flat.begin(), flat.end(), t); };
  bool again = false;
  for (Term& k : flat) {
    const Node& n = nodes_[k.id];
    if (n.op != Op::not_) continue;
    const Term inner = n.kids[0];
    if (has(inner)) return false_;
    if (nodes_[inner.id].op != Op::all) continue;
    // not (a and b) beside a is not b; beside not a it says nothing.
    std::vector<Term> rest;
    bool vacuous = false;
    const std::vector<Term> parts = nodes_[inner.id].kids;
    for (Term p : parts) {
      if (has(p)) continue;
      const Term opposite = nodes_[p.id].op == Op::not_ ? nodes_[p.id].kids[0] : Term{};
      if (opposite && has(opposite)) vacuous = true;
      if (!opposite)
        for (Term f : flat)
          if (nodes_[f.id].op == Op::not_ && nodes_[f.id].kids[0] == p) vacuous = true;
      rest.push_back(p);
    }
    if (vacuous) {
      k = true_;
      again = true;
    } else if (rest.size() != parts.size()) {
      const Term smaller = not_(all(std::move(rest)));
      std::vector<Term> next;
      for (Term f : flat) next.push_back(f == k ? smaller : f);
      return all(std::move(next));
    }
  }
  if (again) return all(std::move(flat));
  if (flat.empty()) return true_;
  if (flat.size() == 1) return flat[0];
  Node n;
  n.op = Op::all;
  n.width = 1;
  n.kids = std::move(flat);
  return intern(std::move(n));
}

Term Pool::all(Term a, Term b) {
  if (a == b || a == true_) return b;
  if (b == true_) return a;
  return all(std::vector<Term>{a, b});
}

Term Pool::any(std::vector<Term> kids) {
  for (Term& k : kids) k = not_(k);
  return not_(all(std::move(kids)));
}

Term Pool::any(Term a, Term b) {
  if (a == b || a == false_) return b;
  if (b == false_) return a;
  return any(std::vector<Term>{a, b});
}

Term Pool::ite(Term c, Term t, Term e) {
  FENCEPOST_INVARIANT(width(t) == width(e), "a choice between formulas of different widths was built");
  if (c == true_ || t == e) return t;
  if (c == false_) return e;
  if (nodes_[c.id].op == Op::not_) return ite(nodes_[c.id].kids[0], e, t);
  if (width(t) == 1) {
    if (t == true_) return any(c, e);
    if (t == false_) return all(not_(c), e);
    if (e == true_) return any(not_(c), t);
    if (e == false_) return all(c, t);
    if (t == c) return any(c, e);
    if (e == c) return all(c, t);
  }
  const Node& x = nodes_[t.id];
  const Node& y = nodes_[e.id];
  if (x.op == Op::ite && x.kids[0] == c) return ite(c, x.kids[1], e);
  if (y.op == Op::ite && y.kids[0] == c) return ite(c, t, y.kids[2]);
  const auto parts = [&](const Node& n, uint8_t low, Term& h, Term& l) {
    if (n.op == Op::concat && nodes_[n.kids[1].id].width == low) {
      h = n.kids[0];
      l = n.kids[1];
      return true;
    }
    if (n.op == Op::constant) {
      const uint64_t v = n.value;
      const uint8_t w = n.width;
      h = constant(v >> low, static_cast<uint8_t>(w - low));
      l = constant(v, low);
      return true;
    }
    return false;
  };
  if (x.op == Op::concat || y.op == Op::concat) {
    const Node& lead = x.op == Op::concat ? x : y;
    const uint8_t low = nodes_[lead.kids[1].id].width;
    Term th, tl, eh, el;
    const Node tn = x, en = y;  // copies: constant() may grow the store
    if (parts(tn, low, th, tl) && parts(en, low, eh, el)) return concat(ite(c, th, eh), ite(c, tl, el));
  }
  return make(Op::ite, width(t), {c, t, e});
}

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

Term Pool::from_linear(Linear l, uint8_t width) {
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
      true_difference =
          true_difference && Wide{as_signed(la.constant, w)} - as_signed(lb.constant, w) == Wide{c0};
      if (true_difference) return ult(l, r);
    }
  }
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

// ---- walking -----------------------------------------------------------------------------------------------

std::vector<Term> Pool::conjuncts(Term t) const {
  if (nodes_[t.id].op == Op::all) return nodes_[t.id].kids;
  return {t};
}

Term Pool::substitute(Term t, std::unordered_map<uint32_t, Term>& memo) {
  if (const auto it = memo.find(t.id); it != memo.end()) return it->second;
  const Node n = nodes_[t.id];
  Term r = t;
  if (!n.kids.empty()) {
    std::vector<Term> kids;
    bool changed = false;
    for (Term k : n.kids) {
      kids.push_back(substitute(k, memo));
      changed = changed || kids.back() != k;
    }
    if (changed) {
      switch (n.op) {
        case Op::apply: r = apply(n.value, n.width, kids); break;
        case Op::all: r = all(kids); break;
        case Op::not_: r = not_(kids[0]); break;
        case Op::ite: r = ite(kids[0], kids[1], kids[2]); break;
        case Op::sum: {
          r = constant(n.value, n.width);
          for (size_t i = 0; i < kids.size(); ++i) r = add(r, scale(kids[i], n.coefficients[i]));
          break;
        }
        case Op::mul: r = mul(kids[0], kids[1]); break;
        case Op::udiv: r = udiv(kids[0], kids[1]); break;
        case Op::urem: r = urem(kids[0], kids[1]); break;
        case Op::sdiv: r = sdiv(kids[0], kids[1]); break;
        case Op::srem: r = srem(kids[0], kids[1]); break;
        case Op::and_: r = and_(kids[0], kids[1]); break;
        case Op::or_: r = or_(kids[0], kids[1]); break;
        case Op::xor_: r = xor_(kids[0], kids[1]); break;
        case Op::shl: r = shl(kids[0], kids[1]); break;
        case Op::lshr: r = lshr(kids[0], kids[1]); break;
        case Op::ashr: r = ashr(kids[0], kids[1]); break;
        case Op::eq: r = eq(kids[0], kids[1]); break;
        case Op::ult: r = ult(kids[0], kids[1]); break;
        case Op::slt: r = slt(kids[0], kids[1]); break;
        case Op::zext: r = zext(kids[0], n.width); break;
        case Op::sext: r = sext(kids[0], n.width); break;
        case Op::extract: r = extract(kids[0], static_cast<uint8_t>(n.value), n.width); break;
        case Op::concat: r = concat(kids[0], kids[1]); break;
        case Op::constant:
        case Op::variable: break;
      }
    }
  }
  memo.emplace(t.id, r);
  return r;
}

std::string Pool::print(Term t) const {
  static constexpr const char* k_names[] = {"const", "var",  "apply", "and",  "not", "ite", "+",    "*",    "udiv",
                                            "urem",  "sdiv", "srem",  "band", "bor", "xor", "shl",  "lshr", "ashr",
                                            "=",     "ult",  "slt",   "zext", "sext", "extract", "concat"};
  const Node& n = nodes_[t.id];
  const std::string w = std::to_string(n.width);
  if (n.op == Op::constant) return n.width == 1 ? (n.value != 0 ? "true" : "false") : std::to_string(as_signed(n.value, n.width));
  if (n.op == Op::variable) return variable_names_[n.value];
  std::string s = "(";
  s += n.op == Op::apply ? symbol_names_[n.value] : k_names[static_cast<size_t>(n.op)];
  if (n.op == Op::zext || n.op == Op::sext) s += w;
  if (n.op == Op::extract) s += std::to_string(n.value) + "+" + w;
  if (n.op == Op::sum && n.value != 0) s += " " + std::to_string(as_signed(n.value, n.width));
  for (size_t i = 0; i < n.kids.size(); ++i) {
    s += " ";
    if (n.op == Op::sum && n.coefficients[i] != 1) s += std::to_string(as_signed(n.coefficients[i], n.width)) + "*";
    s += print(n.kids[i]);
  }
  return s + ")";
}

}  // namespace fencepost::formula

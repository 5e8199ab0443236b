// The store of formulas: shared nodes, their ranges, truth, and walks over them. The rules about sums and bits are in
// arithmetic.cpp, those about comparisons and widths in comparison.cpp; they call each other (an equation of sums
// extracts bits, which splits sums), so whoever changes one must see the others.
#include "formula/pool.h"

#include <algorithm>
#include <bit>

#include "base/diagnostic.h"
#include "formula/rules.h"

namespace fencepost::formula {

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
    case Op::not_:
      return ~a & m;
    case Op::ite:
      return a != 0 ? b : c;
    case Op::mul:
      return (a * b) & m;
    case Op::udiv:
      return b == 0 ? m : a / b;
    case Op::urem:
      return b == 0 ? a : a % b;
    case Op::sdiv:
      return divide(false);
    case Op::srem:
      return divide(true);
    case Op::and_:
      return a & b;
    case Op::or_:
      return a | b;
    case Op::xor_:
      return a ^ b;
    case Op::shl:
      return b >= ow ? 0 : (a << b) & m;
    case Op::lshr:
      return b >= ow ? 0 : a >> b;
    case Op::ashr:
      return static_cast<uint64_t>(as_signed(a, ow) >> std::min<uint64_t>(b, ow - 1u)) & m;
    case Op::eq:
      return a == b;
    case Op::ult:
      return a < b;
    case Op::slt:
      return as_signed(a, ow) < as_signed(b, ow);
    case Op::zext:
      return a;
    case Op::sext:
      return static_cast<uint64_t>(as_signed(a, ow)) & ones(rw);
    case Op::extract:
      return (a >> imm) & ones(rw);
    case Op::concat:
      return ((a << (rw - ow)) | b) & ones(rw);  // ow: width of the high part
    case Op::constant:
    case Op::variable:
    case Op::apply:
    case Op::all:
    case Op::sum:
      break;
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
      n.trailing_zeros =
          static_cast<uint8_t>(std::min<unsigned>(kid(0).trailing_zeros + kid(1).trailing_zeros, n.width));
      break;
    }
    case Op::udiv:
      if (kid(1).low > 0) n.low = kid(0).low / kid(1).high, n.high = kid(0).high / kid(1).low;
      break;
    case Op::urem:
      if (kid(1).low > 0) n.high = std::min(kid(0).high, kid(1).high - 1);
      break;
    case Op::and_:
      n.high = std::min(kid(0).high, kid(1).high);
      break;
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
    default:
      break;
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
        case Op::apply:
          r = apply(n.value, n.width, kids);
          break;
        case Op::all:
          r = all(kids);
          break;
        case Op::not_:
          r = not_(kids[0]);
          break;
        case Op::ite:
          r = ite(kids[0], kids[1], kids[2]);
          break;
        case Op::sum: {
          r = constant(n.value, n.width);
          for (size_t i = 0; i < kids.size(); ++i) r = add(r, scale(kids[i], n.coefficients[i]));
          break;
        }
        case Op::mul:
          r = mul(kids[0], kids[1]);
          break;
        case Op::udiv:
          r = udiv(kids[0], kids[1]);
          break;
        case Op::urem:
          r = urem(kids[0], kids[1]);
          break;
        case Op::sdiv:
          r = sdiv(kids[0], kids[1]);
          break;
        case Op::srem:
          r = srem(kids[0], kids[1]);
          break;
        case Op::and_:
          r = and_(kids[0], kids[1]);
          break;
        case Op::or_:
          r = or_(kids[0], kids[1]);
          break;
        case Op::xor_:
          r = xor_(kids[0], kids[1]);
          break;
        case Op::shl:
          r = shl(kids[0], kids[1]);
          break;
        case Op::lshr:
          r = lshr(kids[0], kids[1]);
          break;
        case Op::ashr:
          r = ashr(kids[0], kids[1]);
          break;
        case Op::eq:
          r = eq(kids[0], kids[1]);
          break;
        case Op::ult:
          r = ult(kids[0], kids[1]);
          break;
        case Op::slt:
          r = slt(kids[0], kids[1]);
          break;
        case Op::zext:
          r = zext(kids[0], n.width);
          break;
        case Op::sext:
          r = sext(kids[0], n.width);
          break;
        case Op::extract:
          r = extract(kids[0], static_cast<uint8_t>(n.value), n.width);
          break;
        case Op::concat:
          r = concat(kids[0], kids[1]);
          break;
        case Op::constant:
        case Op::variable:
          break;
      }
    }
  }
  memo.emplace(t.id, r);
  return r;
}

std::string Pool::print(Term t) const {
  static constexpr const char* k_names[] = {
      "const", "var", "apply", "and",  "not",  "ite", "+",   "*",   "udiv", "urem", "sdiv",    "srem",  "band",
      "bor",   "xor", "shl",   "lshr", "ashr", "=",   "ult", "slt", "zext", "sext", "extract", "concat"};
  const Node& n = nodes_[t.id];
  const std::string w = std::to_string(n.width);
  if (n.op == Op::constant)
    return n.width == 1 ? (n.value != 0 ? "true" : "false") : std::to_string(as_signed(n.value, n.width));
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

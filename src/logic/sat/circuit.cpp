#include "sat/circuit.h"

#include <algorithm>
#include <utility>

#include "base/diagnostic.h"

namespace fencepost::sat {

Circuit::Circuit() : fixed_{0, 1} {}

Lit Circuit::fresh() {
  fixed_.push_back(0);
  return static_cast<Lit>(fixed_.size() - 1);
}

void Circuit::fix(Lit l) {
  const Lit f = fold(l);
  if (f == k_true) return;
  if (f == k_false) {
    contradictory_ = true;
    return;
  }
  fixed_[static_cast<size_t>(l < 0 ? -l : l)] = l > 0 ? 1 : -1;
  units_.push_back(l);
}

void Circuit::add(std::span<const Lit> clause) {
  FENCEPOST_INVARIANT(levels_.empty(), "a clause was added under an assumption");
  const size_t start = clauses_.size();
  for (Lit l : clause) {
    const Lit f = fold(l);
    if (f == k_true) {
      clauses_.resize(start);
      return;
    }
    if (f != k_false) clauses_.push_back(f);
  }
  const size_t length = clauses_.size() - start;
  if (length == 0) {
    contradictory_ = true;
    return;
  }
  if (length == 1) {
    const Lit unit = clauses_.back();
    clauses_.pop_back();
    fix(unit);
    return;
  }
  clauses_.push_back(0);
  ++clause_count_;
}

Lit Circuit::and_(Lit a, Lit b) {
  a = fold(a);
  b = fold(b);
  if (a == k_false || b == k_false || a == -b) return k_false;
  if (a == k_true || a == b) return b;
  if (b == k_true) return a;
  if (a > b) std::swap(a, b);
  const std::pair<uint64_t, uint64_t> key{static_cast<uint32_t>(a) | (uint64_t{static_cast<uint32_t>(b)} << 32), 1};
  if (auto it = gates_.find(key); it != gates_.end()) return fold(it->second);
  const Lit g = fresh();
  gates_.emplace(key, g);
  add({-g, a});
  add({-g, b});
  add({g, -a, -b});
  return g;
}

Lit Circuit::and_(std::vector<Lit> ls) {
  size_t kept = 0;
  for (Lit l : ls) {
    const Lit f = fold(l);
    if (f == k_false) return k_false;
    if (f != k_true) ls[kept++] = f;
  }
  ls.resize(kept);
  std::sort(ls.begin(), ls.end());
  ls.erase(std::unique(ls.begin(), ls.end()), ls.end());
  if (ls.empty()) return k_true;
  if (ls.size() == 1) return ls[0];
  if (ls.size() == 2) return and_(ls[0], ls[1]);
  const Lit g = fresh();
  std::vector<Lit> back{g};
  for (Lit l : ls) {
    add({-g, l});
    back.push_back(-l);
  }
  add(back);
  return g;
}

Lit Circuit::or_(std::vector<Lit> ls) {
  for (Lit& l : ls) l = -l;
  return -and_(std::move(ls));
}

Lit Circuit::xor_(Lit a, Lit b) {
  a = fold(a);
  b = fold(b);
  if (a == k_false) return b;
  if (b == k_false) return a;
  if (a == k_true) return -b;
  if (b == k_true) return -a;
  if (a == b) return k_false;
  if (a == -b) return k_true;
  const bool flip = (a < 0) != (b < 0);
  a = a < 0 ? -a : a;
  b = b < 0 ? -b : b;
  if (a > b) std::swap(a, b);
  const std::pair<uint64_t, uint64_t> key{static_cast<uint32_t>(a) | (uint64_t{static_cast<uint32_t>(b)} << 32), 2};
  Lit g = 0;
  if (auto it = gates_.find(key); it != gates_.end()) {
    g = fold(it->second);
  } else {
    g = fresh();
    gates_.emplace(key, g);
    add({-g, a, b});
    add({-g, -a, -b});
    add({g, -a, b});
    add({g, a, -b});
  }
  return flip ? -g : g;
}

Lit Circuit::ite(Lit c, Lit t, Lit e) {
  c = fold(c);
  t = fold(t);
  e = fold(e);
  if (c == k_true) return t;
  if (c == k_false) return e;
  if (t == e) return t;
  if (t == k_true) return or_(c, e);
  if (t == k_false) return and_(-c, e);
  if (e == k_true) return or_(-c, t);
  if (e == k_false) return and_(c, t);
  if (t == -e) return iff(c, t);
  if (c < 0) {
    c = -c;
    std::swap(t, e);
  }
  const std::pair<uint64_t, uint64_t> key{static_cast<uint32_t>(t) | (uint64_t{static_cast<uint32_t>(e)} << 32),
                                          (uint64_t{static_cast<uint32_t>(c)} << 2) | 3};
  if (auto it = gates_.find(key); it != gates_.end()) return fold(it->second);
  const Lit g = fresh();
  gates_.emplace(key, g);
  add({-c, -t, g});
  add({-c, t, -g});
  add({c, -e, g});
  add({c, e, -g});
  return g;
}

void Circuit::at_most_one(const std::vector<Lit>& ls) {
  if (ls.size() <= 6) {
    for (size_t i = 0; i < ls.size(); ++i)
      for (size_t j = i + 1; j < ls.size(); ++j) add({-ls[i], -ls[j]});
    return;
  }
  // Sequential counter (Sinz 2005) for one.
  Lit seen = ls[0];
  for (size_t i = 1; i < ls.size(); ++i) {
    add({-seen, -ls[i]});
    if (i + 1 < ls.size()) {
      const Lit next = fresh();
      add({-seen, next});
      add({-ls[i], next});
      seen = next;
    }
  }
}

Lit Circuit::at_least(const std::vector<Lit>& ls, uint32_t k) {
  if (k == 0) return k_true;
  if (k > ls.size()) return k_false;
  // count[j]: at least j+1 of the literals seen so far.
  std::vector<Lit> count(k, k_false);
  for (Lit l : ls)
    for (size_t j = k; j-- > 0;) count[j] = or_(count[j], and_(l, j == 0 ? k_true : count[j - 1]));
  return count[k - 1];
}

// ---- unit propagation ------------------------------------------------------------------------------
// Two watched literals (M. Moskewicz et al., Chaff, 2001), the lists threaded through the clauses (A. Biere, PicoSAT
// essentials, 2008), so that building them allocates nothing. Watched are the first two literals of a clause. Each open
// clause has two watched literals that are not false, under what is fixed and assumed; retracting undoes no move.
// Measured on a compare-and-swap lock of 32 invocations under PTX, where rounds of bounds assume each event: lists of
// occurrences took 95 % of 20 s.

bool Circuit::watch_new() {
  first_.resize(2 * fixed_.size(), 0);
  if (watching_.empty()) watching_.push_back(0);  // so that no clause is at 0
  while (watched_ < clauses_.size()) {
    const size_t c = watching_.size();
    watching_.insert(watching_.end(), 3, 0);
    bool satisfied = false;
    for (; clauses_[watched_] != 0; ++watched_) {
      const Lit l = clauses_[watched_];
      const int8_t v = value(l);
      satisfied = satisfied || v > 0;
      if (v == 0 && (watching_.size() != c + 4 || l != watching_[c + 3])) watching_.push_back(l);
    }
    ++watched_;
    const size_t length = watching_.size() - c - 3;
    if (!satisfied && length >= 2) {
      FENCEPOST_INVARIANT(watching_.size() < (size_t{1} << 31), "clauses beyond the numbers of places");
      watching_[c] = static_cast<Lit>(length);
      for (size_t k = 0; k < 2; ++k)
        watching_[c + 1 + k] = std::exchange(first_[place(watching_[c + 3 + k])], static_cast<Lit>(c));
      continue;
    }
    const Lit unit = length == 1 ? watching_[c + 3] : 0;
    watching_.resize(c);
    if (satisfied) continue;
    if (unit == 0) {
      contradictory_ = true;
      return false;
    }
    fix(unit);
  }
  return true;
}

// Visits the clauses that watch l, which is false: each finds another literal, is satisfied, or sets its last one.
// False: a clause is violated. `for_ever`: nothing will be retracted, so that clauses lose what is false.
template <bool for_ever, class Set>
bool Circuit::falsified(Lit l, Set&& set) {
  if (place(l) >= first_.size()) return true;
  Lit* link = &first_[place(l)];
  while (*link != 0) {
    Lit* const clause = &watching_[static_cast<size_t>(*link)];
    Lit* const literals = clause + 3;
    const size_t mine = literals[0] == l ? 0 : 1;
    const Lit other = literals[1 - mine];
    const int8_t v = value(other);
    if (v <= 0) {
      const Lit length = clause[0];
      Lit k = 2;
      while (k < length && (value(literals[k]) < 0 || literals[k] == other)) ++k;  // a literal may occur twice
      if (k < length) {
        const Lit at = *link;
        *link = clause[1 + mine];
        literals[mine] = literals[k];
        literals[k] = l;
        if (for_ever) std::swap(literals[k], literals[--clause[0]]);
        clause[1 + mine] = std::exchange(first_[place(literals[mine])], at);
        continue;
      }
      if (v < 0) return false;
      set(other);
    }
    link = &clause[1 + mine];
  }
  return true;
}

bool Circuit::propagate() {
  if (contradictory_ || !watch_new()) return false;
  // A clause that has a unit now was seen with all units before it.
  for (; propagated_ < units_.size(); ++propagated_)
    if (!falsified<true>(-units_[propagated_], [&](Lit x) { fix(x); })) contradictory_ = true;
  return !contradictory_;
}

bool Circuit::assume(Lit l) {
  levels_.push_back(assumed_.size());
  const auto set = [&](Lit x) {
    fixed_[static_cast<size_t>(x < 0 ? -x : x)] = x > 0 ? 1 : -1;
    assumed_.push_back(x);
  };
  const Lit start = fold(l);
  if (start == k_true) return true;
  if (start == k_false) return false;
  set(start);
  for (size_t next = levels_.back(); next < assumed_.size(); ++next)
    if (!falsified<false>(-assumed_[next], set)) return false;
  return true;
}

void Circuit::retract() {
  for (; assumed_.size() > levels_.back(); assumed_.pop_back())
    fixed_[static_cast<size_t>(assumed_.back() < 0 ? -assumed_.back() : assumed_.back())] = 0;
  levels_.pop_back();
}

void Circuit::feed(Solver& solver) {
  if (units_fed_ == 0) {
    const Lit t = k_true;
    solver.add_clause(std::span<const Lit>(&t, 1));
  }
  for (; units_fed_ < units_.size(); ++units_fed_) solver.add_clause(std::span<const Lit>(&units_[units_fed_], 1));
  while (fed_ < clauses_.size()) {
    size_t end = fed_;
    while (clauses_[end] != 0) ++end;
    solver.add_clause(std::span<const Lit>(&clauses_[fed_], end - fed_));
    fed_ = end + 1;
  }
  if (contradictory_) solver.add_clause({});
}

// ---- bit-vectors -----------------------------------------------------------------------------------

Bits BitVectors::constant(uint64_t v, uint8_t width) const {
  Bits b(width);
  for (uint8_t i = 0; i < width; ++i) b[i] = ((v >> i) & 1) != 0 ? k_true : k_false;
  return b;
}

Bits BitVectors::fresh(uint8_t width) {
  Bits b(width);
  for (Lit& l : b) l = c_.fresh();
  return b;
}

Bits BitVectors::add(const Bits& a, const Bits& b, Lit carry) {
  Bits sum(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    const Lit half = c_.xor_(a[i], b[i]);
    sum[i] = c_.xor_(half, carry);
    if (i + 1 < a.size()) carry = c_.or_(c_.and_(a[i], b[i]), c_.and_(half, carry));
  }
  return sum;
}

Bits BitVectors::neg(const Bits& a) {
  Bits inverted(a);
  for (Lit& l : inverted) l = -l;
  return add(inverted, constant(0, static_cast<uint8_t>(a.size())), k_true);
}

Bits BitVectors::mul(const Bits& a, const Bits& b) {
  const size_t n = a.size();
  Bits sum(n, k_false);
  for (size_t i = 0; i < n; ++i) {
    if (c_.is_false(b[i])) continue;
    Bits row(n, k_false);
    for (size_t j = 0; i + j < n; ++j) row[i + j] = c_.and_(a[j], b[i]);
    sum = add(sum, row);
  }
  return sum;
}

Lit BitVectors::eq(const Bits& a, const Bits& b) {
  std::vector<Lit> same;
  for (size_t i = 0; i < a.size(); ++i) {
    const Lit l = c_.iff(a[i], b[i]);
    if (c_.is_false(l)) return k_false;
    same.push_back(l);
  }
  // One literal for what is asked twice: that a lock is free, as the branch and the write behind it ask.
  Lit& known = equal_[same];
  if (known == 0) known = c_.and_(same);
  return known;
}

Lit BitVectors::ult(const Bits& a, const Bits& b) {
  Lit less = k_false;
  for (size_t i = 0; i < a.size(); ++i) less = c_.ite(c_.xor_(a[i], b[i]), b[i], less);
  return less;
}

Lit BitVectors::slt(const Bits& a, const Bits& b) {
  Bits x(a);
  Bits y(b);
  x.back() = -x.back();
  y.back() = -y.back();
  return ult(x, y);
}

Bits BitVectors::ite(Lit c, const Bits& a, const Bits& b) {
  Bits r(a.size());
  for (size_t i = 0; i < a.size(); ++i) r[i] = c_.ite(c, a[i], b[i]);
  return r;
}

void BitVectors::equal_if(Lit guard, const Bits& a, const Bits& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    const Lit x = c_.fold(a[i]);
    const Lit y = c_.fold(b[i]);
    if (x == y) continue;
    c_.add({-guard, -x, y});
    c_.add({-guard, x, -y});
  }
}

// Restoring division; by zero it gives all ones and the dividend, as SMT-LIB's bvudiv and bvurem.
void BitVectors::divide(const Bits& a, const Bits& b, Bits& quotient, Bits& remainder) {
  const size_t n = a.size();
  quotient.assign(n, k_false);
  Bits rest(n + 1, k_false);
  Bits divisor(b);
  divisor.push_back(k_false);
  for (size_t i = n; i-- > 0;) {
    rest.pop_back();
    rest.insert(rest.begin(), a[i]);
    const Lit fits = -ult(rest, divisor);
    quotient[i] = fits;
    Bits inverted(divisor);
    for (Lit& l : inverted) l = -l;
    rest = ite(fits, add(rest, inverted, k_true), rest);
  }
  rest.pop_back();
  remainder = std::move(rest);
}

Bits BitVectors::shift(term::Op op, const Bits& a, const Bits& b) {
  const size_t n = a.size();
  const Lit filler = op == term::Op::ashr ? a.back() : k_false;
  Bits r(a);
  Lit too_far = k_false;
  for (size_t k = 0; k < n; ++k) {
    if (k >= 6 || (size_t{1} << k) >= n) {
      too_far = c_.or_(too_far, b[k]);
      continue;
    }
    const size_t by = size_t{1} << k;
    Bits moved(n, filler);
    for (size_t i = 0; i < n; ++i) {
      if (op == term::Op::shl) {
        if (i >= by)
          moved[i] = r[i - by];
        else
          moved[i] = k_false;
      } else if (i + by < n) {
        moved[i] = r[i + by];
      }
    }
    r = ite(b[k], moved, r);
  }
  return ite(too_far, Bits(n, filler), r);
}

Bits BitVectors::apply(term::Op op, uint8_t width, const std::vector<Bits>& k) {
  using term::Op;
  switch (op) {
    case Op::not_: {
      Bits r(k[0]);
      for (Lit& l : r) l = -l;
      return r;
    }
    case Op::neg:
      return neg(k[0]);
    case Op::add:
      return add(k[0], k[1]);
    case Op::sub: {
      Bits inverted(k[1]);
      for (Lit& l : inverted) l = -l;
      return add(k[0], inverted, k_true);
    }
    case Op::mul:
      return mul(k[0], k[1]);
    case Op::udiv:
    case Op::urem: {
      Bits q, r;
      divide(k[0], k[1], q, r);
      return op == Op::udiv ? q : r;
    }
    case Op::sdiv:
    case Op::srem: {
      const Lit sa = k[0].back();
      const Lit sb = k[1].back();
      Bits q, r;
      divide(ite(sa, neg(k[0]), k[0]), ite(sb, neg(k[1]), k[1]), q, r);
      // By zero both are 0 (term.h).
      const Bits none = constant(0, width);
      const Lit zero = eq(k[1], none);
      q = ite(zero, none, q);
      r = ite(zero, none, r);
      return op == Op::sdiv ? ite(c_.xor_(sa, sb), neg(q), q) : ite(sa, neg(r), r);
    }
    case Op::and_:
    case Op::or_:
    case Op::xor_: {
      Bits r(k[0].size());
      for (size_t i = 0; i < r.size(); ++i)
        r[i] = op == Op::and_  ? c_.and_(k[0][i], k[1][i])
               : op == Op::or_ ? c_.or_(k[0][i], k[1][i])
                               : c_.xor_(k[0][i], k[1][i]);
      return r;
    }
    case Op::shl:
    case Op::lshr:
    case Op::ashr:
      return shift(op, k[0], k[1]);
    case Op::smin:
      return ite(slt(k[0], k[1]), k[0], k[1]);
    case Op::smax:
      return ite(slt(k[0], k[1]), k[1], k[0]);
    case Op::umin:
      return ite(ult(k[0], k[1]), k[0], k[1]);
    case Op::umax:
      return ite(ult(k[0], k[1]), k[1], k[0]);
    case Op::eq:
      return {eq(k[0], k[1])};
    case Op::ne:
      return {-eq(k[0], k[1])};
    case Op::slt:
      return {slt(k[0], k[1])};
    case Op::sle:
      return {-slt(k[1], k[0])};
    case Op::sgt:
      return {slt(k[1], k[0])};
    case Op::sge:
      return {-slt(k[0], k[1])};
    case Op::ult:
      return {ult(k[0], k[1])};
    case Op::ule:
      return {-ult(k[1], k[0])};
    case Op::ugt:
      return {ult(k[1], k[0])};
    case Op::uge:
      return {-ult(k[0], k[1])};
    case Op::ite:
      return ite(k[0][0], k[1], k[2]);
    case Op::zext: {
      Bits r(k[0]);
      r.resize(width, k_false);
      return r;
    }
    case Op::sext: {
      Bits r(k[0]);
      r.resize(width, k[0].back());
      return r;
    }
    case Op::trunc:
      return Bits(k[0].begin(), k[0].begin() + width);
    case Op::constant:
    case Op::variable:
      break;
  }
  FENCEPOST_INVARIANT(false, "a leaf is not an operator");
  return {};
}

}  // namespace fencepost::sat

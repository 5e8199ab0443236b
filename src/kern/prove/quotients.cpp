#include "prove/quotients.h"

#include <algorithm>
#include <bit>
#include <unordered_set>

namespace fencepost::prove {

using formula::Node;
using formula::Op;

namespace {

constexpr size_t k_most_multiples = 12;  // of one length, that are told apart
constexpr size_t k_most_divisions = 24;

bool quotient_or_rest(Op op) { return op == Op::udiv || op == Op::urem || op == Op::sdiv || op == Op::srem; }
bool quotient(Op op) { return op == Op::udiv || op == Op::sdiv; }
bool of_signed(Op op) { return op == Op::sdiv || op == Op::srem; }

// What is left of the factors; false: the part is not in them, or is all of them.
bool taken_out(std::vector<Term> whole, const std::vector<Term>& part, std::vector<Term>& rest) {
  for (const Term f : part) {
    const auto at = std::find(whole.begin(), whole.end(), f);
    if (at == whole.end()) return false;
    whole.erase(at);
  }
  rest = std::move(whole);
  return !rest.empty();
}

}  // namespace

// ---- what is in a question -----------------------------------------------------------------------------------

bool Quotients::divides(Term t) const {
  const Node& n = pool_[t];
  return quotient_or_rest(n.op) && !pool_.is_constant(n.kids[1]);
}

bool Quotients::any(const std::vector<Term>& goal) {
  // Operands come before what is made of them.
  for (auto i = static_cast<uint32_t>(has_.size()); i < pool_.size(); ++i) {
    const std::vector<Term>& kids = pool_[Term{i}].kids;
    has_.push_back(divides({i}) || std::ranges::any_of(kids, [&](Term k) { return has_[k.id] != 0; }) ? 1 : 0);
  }
  return std::ranges::any_of(goal, [&](Term t) { return has_[t.id] != 0; });
}

// Terms of which these are made, themselves among them: those that `wanted` names, operands first.
template <class Wanted>
std::vector<Term> Quotients::made_of(std::vector<Term> todo, Wanted wanted) const {
  std::vector<Term> out;
  std::unordered_set<uint32_t> seen;
  while (!todo.empty()) {
    const Term t = todo.back();
    todo.pop_back();
    if (!seen.insert(t.id).second) continue;
    if (wanted(t)) out.push_back(t);
    todo.insert(todo.end(), pool_[t].kids.begin(), pool_[t].kids.end());
  }
  std::ranges::sort(out, {}, &Term::id);
  return out;
}

std::vector<Term> Quotients::inside(const std::vector<Term>& goal) const {
  return made_of(goal, [&](Term t) { return divides(t) || pool_[t].op == Op::mul; });
}

std::vector<Term> Quotients::lengths(const std::vector<Term>& goal) const {
  std::vector<Term> divisors;
  for (const Term t : inside(goal))
    if (divides(t)) divisors.push_back(pool_[t].kids[1]);
  return made_of(std::move(divisors), [&](Term t) { return pool_[t].op == Op::variable; });
}

std::vector<Term> Quotients::with_lengths(const std::vector<Term>& goal, const Number& number) {
  std::unordered_map<uint32_t, Term> memo;
  std::vector<Term> out;
  for (const Term v : lengths(goal))
    if (const std::optional<uint64_t> n = number(v); n) {
      const Term c = pool_.constant(*n, pool_.width(v));
      memo.emplace(v.id, c);
      out.push_back(pool_.eq(v, c));
    }
  for (const Term t : goal) out.push_back(pool_.substitute(t, memo));
  return out;
}

Term Quotients::inner(Term t) const {
  while (pool_[t].op == Op::zext || pool_[t].op == Op::sext) t = pool_[t].kids[0];
  return t;
}

// ---- terms ---------------------------------------------------------------------------------------------------

Term Quotients::variable(uint8_t width, const char* name, Term of, Stand::Kind kind) {
  const Term v = pool_.variable(width, name);
  stands_.push_back({kind, v, of});
  return v;
}

Term Quotients::negative(Term t) { return pool_.slt(t, pool_.constant(0, pool_.width(t))); }

// Of quotients and remainders it is what they are made of.
Term Quotients::magnitude(Term t) {
  const Node n = pool_[t];
  if (const auto it = magnitudes_.find(t.id); it != magnitudes_.end()) return it->second;
  if (n.op == Op::sext || n.op == Op::zext) return n.op == Op::sext ? magnitude(n.kids[0]) : wide(t);
  if (n.op == Op::ite) return pool_.ite(n.kids[0], magnitude(n.kids[1]), magnitude(n.kids[2]));
  return wide(n.signed_low >= 0 ? t : pool_.ite(negative(t), pool_.neg(t), t));
}

// ---- divisions -----------------------------------------------------------------------------------------------

size_t Quotients::division(Term t) {
  if (const auto it = by_node_.find(t.id); it != by_node_.end()) return it->second;
  const Node n = pool_[t];
  const bool is_signed = of_signed(n.op);
  auto d = std::ranges::find_if(
      divisions_, [&](const Division& o) { return o.a == n.kids[0] && o.b == n.kids[1] && o.is_signed == is_signed; });
  if (d == divisions_.end()) {
    divisions_.push_back({.a = n.kids[0], .b = n.kids[1], .is_signed = is_signed});
    describe(divisions_.back(), stand(n.kids[0]), stand(n.kids[1]));
    d = divisions_.end() - 1;
  }
  const auto index = static_cast<size_t>(d - divisions_.begin());
  memo_[t.id] = quotient(n.op) ? d->quotient : d->rest;
  by_node_.emplace(t.id, index);
  return index;
}

// No more bits than the dividend has.
void Quotients::describe(Division& d, Term a, Term b) {
  const uint8_t w = pool_.width(a);
  const auto number = [&](Term t) { return d.is_signed ? magnitude(t) : wide(t); };
  const auto low = [&](Term t, uint8_t bits) { return pool_.extract(t, 0, bits); };
  d.dividend = number(a);
  const auto bits = static_cast<uint8_t>(std::clamp<int>(std::bit_width(pool_[d.dividend].high), 1, w));
  const Term q = d.is_signed ? pool_.sdiv(d.a, d.b) : pool_.udiv(d.a, d.b);
  const Term r = d.is_signed ? pool_.srem(d.a, d.b) : pool_.urem(d.a, d.b);
  const Term quotient = variable(bits, "quotient", low(number(q), bits));
  const Term rest = variable(bits, "rest", low(number(r), bits));
  const Term zero = pool_.constant(0, w), none = pool_.eq(b, zero);
  const auto with_sign = [&](Term is_negative, Term t) {
    const Term r = pool_.ite(is_negative, pool_.neg(pool_.zext(t, w)), pool_.zext(t, w));
    magnitudes_.emplace(r.id, wide(t));
    return r;
  };
  if (d.is_signed) {
    d.quotient = with_sign(pool_.ne(negative(a), negative(b)), quotient);
    d.rest = with_sign(negative(a), rest);
  } else {
    // As SMT-LIB has it.
    d.quotient = pool_.ite(none, pool_.not_(zero), pool_.zext(quotient, w));
    d.rest = pool_.zext(rest, w);
  }
  const Term length = number(b), nothing = pool_.constant(0, 64), one = pool_.constant(1, 64);
  const Term times = wide(quotient), left = wide(rest);
  d.multiple = {inner(d.b), length, times, d.dividend, left, pool_.not_(none)};
  const auto known = [&](Term when, std::vector<Term> claims) {
    d.known.push_back(pool_.implies(when, pool_.all(std::move(claims))));
  };
  known(none,
        {d.is_signed ? pool_.eq(times, nothing) : pool_.yes(), pool_.eq(left, d.is_signed ? nothing : d.dividend)});
  known(pool_.not_(none), {pool_.ult(left, length), pool_.ule(times, d.dividend), pool_.ule(left, d.dividend),
                           pool_.eq(pool_.ult(d.dividend, length), pool_.eq(times, nothing)),
                           pool_.implies(pool_.eq(times, nothing), pool_.eq(left, d.dividend)),
                           pool_.implies(pool_.eq(times, one), pool_.eq(pool_.sub(d.dividend, left), length)),
                           pool_.implies(pool_.eq(length, one), pool_.eq(times, d.dividend))});
}

// ---- products ------------------------------------------------------------------------------------------------

const Quotients::Product* Quotients::product_of(Term node) const {
  if (pool_[node].op != Op::mul) return nullptr;
  const auto it = by_node_.find(node.id);
  return it == by_node_.end() ? nullptr : &products_[it->second];
}

size_t Quotients::product(Term t) {
  if (const auto it = by_node_.find(t.id); it != by_node_.end()) return it->second;
  const Node n = pool_[t];
  Product p{.node = t, .a = n.kids[0], .b = n.kids[1]};
  for (const Term f : {p.a, p.b}) {
    if (const Product* inner = product_of(f); inner != nullptr)
      p.factors.insert(p.factors.end(), inner->factors.begin(), inner->factors.end());
    else
      p.factors.push_back(f);
  }
  std::ranges::sort(p.factors, {}, &Term::id);
  p.value = variable(n.width, "product", t);
  memo_[t.id] = p.value;
  describe(p, stand(p.a), stand(p.b));
  by_node_.emplace(t.id, products_.size());
  products_.push_back(std::move(p));
  return products_.size() - 1;
}

Term Quotients::no_overflow(Term t, Term a, Term b, bool is_signed) {
  const Node &x = pool_[a], &y = pool_[b];
  const uint8_t w = x.width;
  if (!is_signed) {
    if (static_cast<unsigned __int128>(x.high) * y.high <= formula::ones(w)) return pool_.yes();
    return variable(1, "does not wrap", t, Stand::no_unsigned_overflow);
  }
  const auto in_range = [&](int64_t p, int64_t q) {
    const __int128 r = static_cast<__int128>(p) * q, half = __int128{1} << (w - 1);
    return r >= -half && r < half;
  };
  if (in_range(x.signed_low, y.signed_low) && in_range(x.signed_low, y.signed_high) &&
      in_range(x.signed_high, y.signed_low) && in_range(x.signed_high, y.signed_high))
    return pool_.yes();
  return variable(1, "does not overflow", t, Stand::no_signed_overflow);
}

void Quotients::describe(Product& p, Term a, Term b) {
  p.as_signed = no_overflow(p.node, a, b, true);
  p.as_unsigned = no_overflow(p.node, a, b, false);
  const Term v = p.value, zero = pool_.constant(0, pool_.width(a)), one = pool_.constant(1, pool_.width(a));
  const Term some = pool_.all(pool_.ne(a, zero), pool_.ne(b, zero));
  const Term natural = pool_.all(pool_.not_(negative(a)), pool_.not_(negative(b)));
  p.known = {pool_.implies(pool_.all(p.as_signed, natural), p.as_unsigned),
             pool_.implies(pool_.all({p.as_unsigned, natural, pool_.not_(negative(v))}), p.as_signed),
             pool_.implies(p.as_unsigned, pool_.any(pool_.eq(v, zero), some)),
             pool_.implies(pool_.all(p.as_unsigned, some), pool_.all(pool_.ule(a, v), pool_.ule(b, v)))};
  for (const auto& [x, y] : {std::pair(a, b), std::pair(b, a)}) {
    p.known.push_back(pool_.implies(pool_.eq(x, zero), pool_.eq(v, zero)));
    p.known.push_back(pool_.implies(pool_.eq(x, one), pool_.eq(v, y)));
  }
  const Term alike = pool_.eq(negative(a), negative(b));
  p.known.push_back(
      pool_.implies(pool_.all(p.as_signed, some),
                    pool_.all({pool_.ite(alike, pool_.slt(zero, v), negative(v)), pool_.ule(magnitude(a), magnitude(v)),
                               pool_.ule(magnitude(b), magnitude(v))})));
  const Term none = pool_.constant(0, 64);
  for (const auto& [length, of, times] : {std::tuple(p.a, a, b), std::tuple(p.b, b, a)}) {
    p.multiples.push_back({inner(length), wide(of), wide(times), wide(v), none, p.as_unsigned});
    p.multiples.push_back({inner(length), magnitude(of), magnitude(times), magnitude(v), none, p.as_signed});
  }
}

// The factors' product as an integer.
Term Quotients::exact(const Product& p, bool is_signed) const {
  Term r = is_signed ? p.as_signed : p.as_unsigned;
  for (const Term f : {p.a, p.b})
    if (const Product* inner = product_of(f); inner != nullptr) r = pool_.all(r, exact(*inner, is_signed));
  return r;
}

// (a * b) * c as a multiple of b * c, and of b by a * c.
void Quotients::regrouped(const Product& p, const std::vector<size_t>& products, std::vector<Multiple>& out) {
  if (p.factors.size() < 3) return;
  struct Part {
    std::vector<Term> factors;
    Term node;
    const Product* product = nullptr;  // none: one factor
  };
  std::vector<Part> parts;
  for (const Term f : p.factors) parts.push_back({{f}, f});
  for (const size_t i : products)
    if (products_[i].factors.size() < p.factors.size())
      parts.push_back({products_[i].factors, products_[i].node, &products_[i]});
  for (const Part& length : parts)
    for (const Part& times : parts) {
      std::vector<Term> rest;
      if (!taken_out(p.factors, length.factors, rest) || rest != times.factors) continue;
      for (const bool is_signed : {false, true}) {
        Term when = exact(p, is_signed);
        for (const Part* x : {&length, &times})
          if (x->product != nullptr) when = pool_.all(when, exact(*x->product, is_signed));
        const auto as = [&](Term t) { return is_signed ? magnitude(stand(t)) : wide(stand(t)); };
        out.push_back({inner(length.node), as(length.node), as(times.node), as(p.node), pool_.constant(0, 64), when});
      }
    }
}

// ---- together ------------------------------------------------------------------------------------------------

// Of multiples of one length: in as few bits as sums of three numbers need.
Term Quotients::apart(const Multiple& x, const Multiple& y) {
  uint64_t most = 0;
  for (const Multiple* m : {&x, &y})
    for (const Term t : {m->length, m->of, m->rest}) most |= pool_[t].high;
  const auto bits = static_cast<uint8_t>(std::min<int>(64, std::bit_width(most) + 2));
  const auto sum = [&](Term a, Term b) { return pool_.add(pool_.extract(a, 0, bits), pool_.extract(b, 0, bits)); };
  const auto before = [&](const Multiple& p, const Multiple& q) {
    if (std::bit_width(most) + 2 <= 64)
      return pool_.ule(pool_.add(sum(p.of, q.rest), pool_.extract(p.length, 0, bits)), sum(q.of, p.rest));
    const Term from = pool_.sub(p.of, p.rest), to = pool_.sub(q.of, q.rest);
    return pool_.all(pool_.ule(from, to), pool_.ule(p.length, pool_.sub(to, from)));
  };
  const auto follows = [&](const Multiple& p, const Multiple& q) {
    return pool_.implies(pool_.ult(p.quotient, q.quotient), before(p, q));
  };
  const Term same = pool_.implies(pool_.eq(x.quotient, y.quotient), pool_.eq(sum(x.of, y.rest), sum(y.of, x.rest)));
  return pool_.implies(pool_.all({x.when, y.when, pool_.eq(x.length, y.length)}),
                       pool_.all({follows(x, y), follows(y, x), same}));
}

// (i / n) / h is i / (n * h).
void Quotients::nested(const std::vector<size_t>& divisions, std::vector<Term>& out) {
  const auto factors = [&](Term t) {
    const Product* p = product_of(t);
    return p == nullptr ? std::vector<Term>{t} : p->factors;
  };
  const auto claim = [&](const Division& whole, const Division& x, const Division& y) {
    const bool plain = !whole.is_signed && !x.is_signed && !y.is_signed;
    std::vector<Term> when{pool_.eq(whole.dividend, x.dividend), pool_.eq(y.dividend, x.multiple.quotient)};
    for (const Division* d : {&whole, &x, &y}) {
      when.push_back(d->multiple.when);
      if (!plain) when.push_back(pool_.eq(d->multiple.length, magnitude(stand(d->b))));
      if (const Product* p = product_of(d->b); p != nullptr) when.push_back(exact(*p, !plain));
    }
    out.push_back(pool_.implies(pool_.all(std::move(when)), pool_.eq(whole.multiple.quotient, y.multiple.quotient)));
  };
  for (const size_t i : divisions) {
    const Product* p = product_of(divisions_[i].b);
    if (p == nullptr) continue;
    for (const size_t j : divisions)
      for (const size_t k : divisions) {
        std::vector<Term> rest;
        if (taken_out(p->factors, factors(divisions_[j].b), rest) && rest == factors(divisions_[k].b))
          claim(divisions_[i], divisions_[j], divisions_[k]);
      }
  }
}

void Quotients::promised(const std::vector<Kept>& kept, std::vector<Term>& out) {
  for (const Kept& k : kept)
    for (const Product& p : products_)
      if ((p.a == k.a && p.b == k.b) || (p.a == k.b && p.b == k.a))
        out.push_back(pool_.implies(stand(k.guard), p.as_signed));
}

Quotients::Apart Quotients::apart(const std::vector<Term>& goal, const std::vector<Kept>& kept) {
  // Guards of promises about products of the question are a part of it.
  std::vector<Term> all = goal;
  std::vector<Kept> about;
  for (const Term t : inside(goal))
    for (const Kept& k : kept)
      if (const Node& n = pool_[t];
          n.op == Op::mul && ((n.kids[0] == k.a && n.kids[1] == k.b) || (n.kids[0] == k.b && n.kids[1] == k.a))) {
        about.push_back(k);
        all.push_back(k.guard);
      }
  std::vector<size_t> divisions, products;
  for (const Term t : inside(all)) {
    std::vector<size_t>& list = pool_[t].op == Op::mul ? products : divisions;
    const size_t i = pool_[t].op == Op::mul ? product(t) : division(t);
    if (std::ranges::find(list, i) == list.end()) list.push_back(i);
  }
  Apart answer;
  std::vector<Term>& out = answer.goal;
  for (const Term t : goal) out.push_back(stand(t));
  promised(about, out);
  std::vector<Multiple> multiples;
  for (const size_t i : divisions) {
    out.insert(out.end(), divisions_[i].known.begin(), divisions_[i].known.end());
    multiples.push_back(divisions_[i].multiple);
    const Term zero = pool_.not_(divisions_[i].multiple.when);
    if (!pool_.is_false(zero) && std::ranges::find(answer.zeros, zero) == answer.zeros.end())
      answer.zeros.push_back(zero);
  }
  const size_t of_divisions = multiples.size();
  for (const size_t i : products) {
    const Product& p = products_[i];
    out.insert(out.end(), p.known.begin(), p.known.end());
    multiples.insert(multiples.end(), p.multiples.begin(), p.multiples.end());
    regrouped(p, products, multiples);
  }
  if (divisions.size() > k_most_divisions) return answer;
  nested(divisions, out);
  std::unordered_map<uint32_t, std::vector<Multiple>> by_length;
  for (size_t i = 0; i < multiples.size(); ++i) {
    const Multiple& m = multiples[i];
    const bool divided = i < of_divisions;
    // Lengths by which nothing is divided do not matter.
    if (!divided && !by_length.contains(m.by.id)) continue;
    std::vector<Multiple>& others = by_length[m.by.id];
    if (std::ranges::find(others, m) != others.end()) continue;
    if (others.size() >= k_most_multiples) continue;
    for (const Multiple& o : others) out.push_back(apart(o, m));
    if (divided) others.push_back(m);
  }
  std::erase_if(out, [&](Term t) { return pool_.is_true(t); });
  return answer;
}

}  // namespace fencepost::prove

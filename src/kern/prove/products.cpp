#include "prove/products.h"

#include <algorithm>
#include <bit>
#include <ranges>

namespace fencepost::prove {

using formula::Op;

namespace {

constexpr size_t k_most_ordered = 24;  // rows of one length that are told apart by lemmas
constexpr uint64_t k_counted = uint64_t{1} << 32;
constexpr uint64_t k_most_coefficient = uint64_t{1} << 24;
constexpr auto k_every_axis = std::views::iota(size_t{0}, Products::k_axes);

}  // namespace

void Products::launch(const std::array<uint64_t, k_axes>& fixed, std::function<void(Term)> state) {
  fixed_ = fixed;
  state_ = std::move(state);
  const auto log_of = [&](size_t axes) {
    __int128 product = 1;
    for (size_t a = 0; a < axes; ++a)
      if (product < (__int128{1} << 60) && fixed[a] != 0) product *= fixed[a];
    unsigned n = 0;
    while ((__int128{2} << n) <= product) ++n;
    return n;
  };
  const unsigned local = log_of(3), all = log_of(k_axes);
  group_ = std::max(16u, local + 11);
  launch_ = std::max(30u, all + 11);
  local_bits_ = static_cast<uint8_t>(std::min(16u, group_ - local));
  grid_bits_ = static_cast<uint8_t>(std::min(30u, launch_ - all));
  any_ = std::find(fixed.begin(), fixed.end(), 0u) != fixed.end();
  if (any_) pool_.rule([this](Op op, Term a, Term b) { return stating_ ? Term{} : rule(op, a, b); });
}

std::string Products::assumption() const {
  const bool group = std::find(fixed_.begin(), fixed_.begin() + 3, 0u) != fixed_.begin() + 3;
  return "a launch has fewer than 2^" + std::to_string(launch_) + " threads" +
         (group ? ", fewer than 2^" + std::to_string(group_) + " in a group" : "");
}

Products::Stating::Stating(Products& p) : products(p), before(p.stating_) { p.stating_ = true; }
Products::Stating::~Stating() { products.stating_ = before; }

void Products::state(Term t) {
  if (pool_.is_true(t)) return;
  lemmas_.insert(t.id);
  state_(t);
}

Term Products::size(size_t axis, const std::string& name) {
  if (fixed_[axis] != 0) return pool_.constant(fixed_[axis], 32);
  const Stating now(*this);
  Monomial m{};
  m[axis] = whole;
  const Term v = pool_.variable(bits(m), name);
  bases_[axis][whole] = v;
  sizes_.insert(pool_[v].value);
  numbers_[m] = v;
  known_[v.id] = m;
  replaced_.push_back(v);
  state_(pool_.ne(v, pool_.constant(0, bits(m))));
  return pool_.zext(v, 32);
}

Term Products::id(size_t axis, int thread, const std::string& name) {
  const Stating now(*this);
  if (fixed_[axis] != 0) {
    std::vector<Term> bounds;
    const Term t = pool_.number_below(fixed_[axis], 32, name, bounds);
    for (Term b : bounds) state_(b);
    return t;
  }
  Monomial m{};
  const auto factor = static_cast<uint8_t>(thread == 0 ? first : second);
  m[axis] = factor;
  const Term v = pool_.variable(bits(m), name);
  bases_[axis][factor] = v;
  numbers_[m] = v;
  known_[v.id] = m;
  replaced_.push_back(v);
  state_(pool_.ult(v, bases_[axis][whole]));
  return pool_.zext(v, 32);
}

// ---- what products are -------------------------------------------------------------------------------------

bool Products::sizes_only(const Monomial& m) {
  return std::none_of(m.begin(), m.end(), [](uint8_t x) { return x == first || x == second; });
}

bool Products::holds(const Monomial& m, const Monomial& part) {
  for (const size_t i : k_every_axis)
    if (part[i] != none && m[i] != part[i]) return false;
  return true;
}

uint8_t Products::bits(const Monomial& m) const {
  const bool grid = m[3] != none || m[4] != none || m[5] != none;
  return grid ? grid_bits_ : std::min(local_bits_, grid_bits_);
}

Term Products::inner(Term t) const {
  while (pool_[t].op == Op::zext) t = pool_[t].kids[0];
  return t;
}

Term Products::fit(Term t, uint8_t width) {
  return pool_.width(t) > width ? pool_.extract(t, 0, width) : pool_.zext(t, width);
}

std::optional<Products::Monomial> Products::monomial(Term t) const {
  const auto it = known_.find(inner(t).id);
  return it == known_.end() ? std::nullopt : std::optional(it->second);
}

// x * r and y * r are rows of length r.
void Products::order(Term x, Term xr, Term y, Term yr, Term r, Term when) {
  const auto wide = [&](Term t) { return pool_.zext(t, 64); };
  x = wide(x), xr = wide(xr), y = wide(y), yr = wide(yr), r = wide(r);
  state(pool_.implies(pool_.all(when, pool_.ult(x, y)), pool_.ule(pool_.add(xr, r), yr)));
  state(pool_.implies(pool_.all(when, pool_.ult(y, x)), pool_.ule(pool_.add(yr, r), xr)));
  state(pool_.implies(pool_.eq(x, y), pool_.eq(xr, yr)));
}

Term Products::value(const Monomial& m) {
  if (const auto it = numbers_.find(m); it != numbers_.end()) return it->second;
  std::vector<size_t> axes;
  for (size_t a = 0; a < k_axes; ++a)
    if (m[a] != none) axes.push_back(a);
  if (axes.empty()) return pool_.constant(1, 1);
  const Stating now(*this);
  const auto base = [&](size_t a, uint8_t factor) { return bases_[a][factor]; };
  const auto without = [&](size_t a) {
    Monomial r = m;
    r[a] = none;
    return r;
  };
  const Term rest = value(without(axes.back()));
  std::string name;
  for (const size_t a : axes) name += (name.empty() ? "" : "*") + pool_.variable_name(pool_[base(a, m[a])].value);
  const Term v = pool_.variable(bits(m), name);
  numbers_[m] = v;
  known_[v.id] = m;
  replaced_.push_back(v);
  if (sizes_only(m)) sizes_.insert(pool_[v].value);
  const Term factor = base(axes.back(), m[axes.back()]);
  made_.push_back({v, factor, rest});
  const auto twice = static_cast<uint8_t>(std::max<int>(pool_.width(v), pool_.width(factor) + pool_.width(rest)));
  definitions_.push_back(pool_.eq(pool_.zext(v, twice), pool_.mul(pool_.zext(factor, twice), pool_.zext(rest, twice))));
  const auto wide = [&](Term t) { return pool_.zext(t, static_cast<uint8_t>(grid_bits_ + 1)); };
  const auto number = [&](uint64_t n) { return wide(pool_.constant(n, 1)); };
  for (const size_t a : axes) {
    const Term x = base(a, m[a]);
    const Term r = value(without(a));
    if (m[a] == whole) {
      state(pool_.ule(wide(r), wide(v)));
      continue;
    }
    Monomial z = m;
    z[a] = whole;
    const Term all = value(z);
    state(pool_.ule(pool_.add(wide(v), wide(r)), wide(all)));
    state(pool_.implies(pool_.eq(wide(x), number(0)), pool_.eq(wide(v), number(0))));
    state(pool_.implies(pool_.eq(wide(x), number(1)), pool_.eq(wide(v), wide(r))));
    Monomial other = m;
    other[a] = m[a] == first ? second : first;
    const auto it = numbers_.find(other);
    if (it == numbers_.end()) continue;
    order(x, v, base(a, other[a]), it->second, r, pool_.yes());
    // Of places in rows of a group: the rows of the two do not overlap, said of the places themselves.
    if (a < 3 || r != bases_[a - 3][whole]) continue;
    const Term mine = bases_[a - 3][m[a]], others = bases_[a - 3][other[a]];
    const auto place = [&](Term start, Term at) { return pool_.add(wide(start), wide(at)); };
    const Term g = place(v, mine), h = place(it->second, others);
    state(pool_.implies(pool_.ult(x, base(a, other[a])), pool_.ult(g, wide(it->second))));
    state(pool_.implies(pool_.ult(base(a, other[a]), x), pool_.ult(h, wide(v))));
  }
  return v;
}

// u * f modulo 2^width.
Term Products::counted(Term u, const Monomial& f, uint8_t width, uint8_t most_bits) {
  u = inner(u);
  // The low bits of a product are those of the low bits.
  if (pool_[u].op == Op::extract && pool_[u].value == 0 && pool_[u].width == width) u = inner(pool_[u].kids[0]);
  for (const Counted& c : counted_)
    if (c.u == u && c.f == f) return fit(c.value, width);
  const Stating now(*this);
  const Term r = value(f);
  const uint64_t high = pool_[u].high;
  const bool sure = high < k_counted;
  const auto w =
      std::min(most_bits, static_cast<uint8_t>(sure ? std::max<int>(1, std::bit_width(high)) + bits(f) : 64));
  Counted c;
  c.u = u;
  c.f = f;
  c.small = sure ? pool_.yes() : pool_.ult(u, pool_.constant(k_counted, pool_.width(u)));
  c.value = pool_.variable(w, "(" + pool_.print(u) + ")*" + pool_.print(r));
  replaced_.push_back(c.value);
  const Term u64 = pool_.zext(u, 64), r64 = pool_.zext(r, 64), v64 = pool_.zext(c.value, 64);
  definitions_.push_back(pool_.eq(v64, pool_.mul(u64, r64)));
  const Term zero = pool_.constant(0, 64);
  state(pool_.implies(pool_.eq(u64, zero), pool_.eq(v64, zero)));
  state(pool_.implies(pool_.all(c.small, pool_.ne(u64, zero)), pool_.ule(r64, v64)));
  if (sizes_only(f)) state(pool_.implies(c.small, pool_.ule(u64, v64)));
  if (!sure) state(pool_.implies(c.small, pool_.ult(v64, pool_.constant(uint64_t{1} << 62, 64))));
  size_t ordered = 0;
  for (const Counted& o : counted_)
    if (o.f == f && ++ordered <= k_most_ordered) order(u, c.value, o.u, o.value, r, pool_.all(c.small, o.small));
  // Against whole sizes and ids, as u < size.
  for (size_t a = 0; a < k_axes; ++a)
    for (const uint8_t x : {whole, first, second}) {
      if (!bases_[a][x] || f[a] != none) continue;
      Monomial m = f;
      m[a] = x;
      if (const auto it = numbers_.find(m); it != numbers_.end())
        order(u, c.value, bases_[a][x], it->second, r, c.small);
    }
  counts_.emplace(c.value.id, counted_.size());
  counted_.push_back(c);
  return fit(c.value, width);
}

// ---- rules -------------------------------------------------------------------------------------------------

Term Products::rule(Op op, Term a, Term b) {
  switch (op) {
    case Op::mul:
      return multiply(a, b);
    case Op::eq:
      return equal(a, b);
    case Op::ult: {
      const auto x = parts(a), y = parts(b);
      if (!x || !y || y->size() != 1 || y->front().u || !sizes_only(y->front().f)) return {};
      return below(*x, {y->front().c, y->front().f}) ? pool_.yes() : Term{};
    }
    case Op::udiv:
    case Op::urem: {
      const auto y = parts(b);
      if (!y || y->size() != 1 || y->front().u || y->front().f == Monomial{} || !sizes_only(y->front().f)) return {};
      Term q, r, c, t, e;
      if (divide(a, {y->front().c, y->front().f}, q, r)) return op == Op::udiv ? q : r;
      if (!choice(a, c, t, e)) return {};
      return op == Op::udiv ? pool_.ite(c, pool_.udiv(t, b), pool_.udiv(e, b))
                            : pool_.ite(c, pool_.urem(t, b), pool_.urem(e, b));
    }
    default:
      return {};
  }
}

// Neither is a sum.
Term Products::multiply(Term a, Term b) {
  const auto x = monomial(a), y = monomial(b);
  if (!x && !y) return {};
  const uint8_t w = pool_.width(a);
  if (!x) return counted(a, *y, w);
  if (!y) return counted(b, *x, w);
  Monomial m = *x;
  for (const size_t i : k_every_axis) {
    if ((*y)[i] == none) continue;
    if (m[i] != none) return counted(a, *y, w);
    m[i] = (*y)[i];
  }
  return fit(value(m), w);
}

Term Products::stepped(Term k, Term step, uint8_t bits) {
  const auto s = any_ && positive(step) ? parts(step) : std::nullopt;
  // Another number in it may be another one of each thread.
  if (!s || std::any_of(s->begin(), s->end(), [](const Part& p) { return p.u || !sizes_only(p.f); }))
    return pool_.mul(k, step);
  const uint8_t w = pool_.width(step);
  Term r = pool_.constant(0, w);
  for (const Part& p : *s) r = pool_.add(r, pool_.scale(p.f == Monomial{} ? k : counted(k, p.f, w, bits), p.c));
  return r;
}

bool Products::positive(Term t) {
  if (pool_[t].low > 0) return pool_[t].signed_low > 0;
  const auto s = any_ && pool_[t].signed_low >= 0 ? parts(t) : std::nullopt;
  if (!s || s->empty()) return false;  // 0 is the sum of nothing
  return std::all_of(s->begin(), s->end(), [](const Part& p) { return !p.u && sizes_only(p.f); });
}

// The term as a sum of such parts with coefficients above 0, as an integer; none: it is not one.
std::optional<Products::Parts> Products::parts(Term t) {
  const formula::Node n = pool_[t];
  Parts out;
  const auto add = [&](Term k, uint64_t c) {
    const Term v = inner(k);
    if (const auto m = known_.find(v.id); m != known_.end()) {
      out.push_back({c, m->second, {}});
    } else if (const auto it = counts_.find(v.id); it != counts_.end() && pool_.is_true(counted_[it->second].small)) {
      out.push_back({c, counted_[it->second].f, counted_[it->second].u});
    } else {
      out.push_back({c, {}, v});
    }
  };
  if (n.op == Op::constant) {
    if (n.value != 0) out.push_back({n.value, {}, {}});
  } else if (n.op == Op::sum) {
    if (formula::as_signed(n.value, n.width) < 0) return std::nullopt;
    if (n.value != 0) out.push_back({n.value, {}, {}});
    for (size_t i = 0; i < n.kids.size(); ++i) {
      if (formula::as_signed(n.coefficients[i], n.width) < 0) return std::nullopt;
      add(n.kids[i], n.coefficients[i]);
    }
    // By the ranges of its parts, or as digits: a place in the grid is less than the grid.
    if (!n.exact && !fits(out, n.width)) return std::nullopt;
  } else {
    add(t, 1);
  }
  return out;
}

bool Products::fits(const Parts& parts, uint8_t width) {
  const std::optional<Unit> above = bound(parts);
  return above && above->c < k_most_coefficient && std::bit_width(above->c - 1) + bits(above->f) <= width;
}

Term Products::term(const Part& p, uint8_t width) {
  const Term v = !p.u ? value(p.f) : p.f == Monomial{} ? p.u : counted(p.u, p.f, width);
  return pool_.scale(fit(v, width), p.c);
}

// Counters of one unit are added up: (k * 2 + j) * f.
bool Products::digits(const Parts& parts, std::vector<Digit>& out) {
  for (const Part& p : parts) {
    if (p.c >= k_most_coefficient) return false;
    Digit d{.c = p.c, .f = p.f, .x = p.u};
    if (p.u) {
      if (!sizes_only(p.f)) return false;
      if (p.f != Monomial{}) {
        d.c = 1;
        d.x = pool_.scale(pool_.zext(p.u, 64), p.c);  // u < 2^32
        const auto same =
            std::find_if(out.begin(), out.end(), [&](const Digit& o) { return o.axis == k_axes && o.f == d.f; });
        if (same != out.end()) {
          if (pool_[same->x].high >> 62 != 0 || pool_[d.x].high >> 62 != 0) return false;
          same->x = pool_.add(same->x, d.x);
          continue;
        }
      }
    } else {
      for (const size_t i : k_every_axis) {
        if (p.f[i] != first && p.f[i] != second) continue;
        if (d.axis != k_axes) return false;
        d.axis = i;
        d.x = bases_[i][p.f[i]];
        d.f[i] = none;
      }
      if (d.axis == k_axes) return false;  // a number or a size
    }
    out.push_back(d);
  }
  return true;
}

// The lowest digit that is left whose unit is at least `above`.
Products::Digit* Products::lowest(std::vector<Digit>& digits, const Unit& above) const {
  const auto size = [](const Monomial& m) {
    return std::count_if(m.begin(), m.end(), [](uint8_t x) { return x != none; });
  };
  Digit* r = nullptr;
  for (Digit& d : digits) {
    if (d.used || d.c < above.c || !holds(d.f, above.f)) continue;
    if (r == nullptr || size(d.f) < size(r->f) || (size(d.f) == size(r->f) && d.c < r->c)) r = &d;
  }
  return r;
}

// What a sum of digits up to this one is less than, whichever of the two it is; false: nothing is known.
bool Products::past(Unit& above, const Digit& a, const Digit& b) const {
  above.c = a.c;
  above.f = a.f;
  if (a.axis != k_axes) {
    above.f[a.axis] = whole;
    return true;
  }
  const uint64_t high = std::max(pool_[a.x].high, pool_[b.x].high);
  if (high >= k_counted) return false;
  above.c *= high + 1;
  return true;
}

// A unit that the sum is less than.
std::optional<Products::Unit> Products::bound(const Parts& parts) {
  std::vector<Digit> ds;
  if (!digits(parts, ds)) return std::nullopt;
  Unit above;
  for (size_t n = 0; n < ds.size(); ++n) {
    Digit* d = lowest(ds, above);
    if (d == nullptr) return std::nullopt;
    d->used = true;
    if (!past(above, *d, *d)) return std::nullopt;
  }
  return above;
}

bool Products::below(const Parts& parts, const Unit& unit) {
  const std::optional<Unit> above = bound(parts);
  return above && above->c <= unit.c && holds(unit.f, above->f);
}

// Both sides as digits of mixed-radix numbers of the same units: they are equal if all digits are.
Term Products::equal(Term a, Term b) {
  const auto x = parts(a), y = parts(b);
  if (!x || !y) return {};
  // One side is less than a size that the other holds.
  for (const auto& [less, more] : {std::pair(&*x, &*y), std::pair(&*y, &*x)})
    for (const Part& p : *more)
      if (!p.u && sizes_only(p.f) && below(*less, {p.c, p.f})) return pool_.no();
  std::vector<Digit> left, right;
  if (!digits(*x, left) || !digits(*y, right) || left.size() != right.size()) return {};
  if (left.size() == 1 && left[0].c == 1 && left[0].f == Monomial{}) return {};
  if (std::all_of(left.begin(), left.end(), [](const Digit& d) { return d.f == Monomial{} && d.axis == k_axes; }))
    return {};
  Unit above;
  std::vector<std::pair<Term, Term>> same;
  for (size_t n = 0; n < left.size(); ++n) {
    Digit* d = lowest(left, above);
    if (d == nullptr) return {};
    const auto e = std::find_if(right.begin(), right.end(), [&](const Digit& o) {
      return !o.used && o.c == d->c && o.f == d->f && o.axis == d->axis;
    });
    if (e == right.end()) return {};
    d->used = e->used = true;
    if (!past(above, *d, *e) && n + 1 != left.size()) return {};
    same.emplace_back(d->x, e->x);
  }
  std::vector<Term> all;
  for (const auto& [p, q] : same) {
    const uint8_t w = std::max(pool_.width(p), pool_.width(q));
    all.push_back(pool_.eq(pool_.zext(p, w), pool_.zext(q, w)));
  }
  return pool_.all(std::move(all));
}

// The multiples of the unit, divided by it, and the rest.
void Products::by_unit(const Parts& parts, const Unit& unit, uint8_t width, Term& quotient, Term& remainder,
                       Parts& rest) {
  quotient = remainder = pool_.constant(0, width);
  for (Part p : parts) {
    if (p.c % unit.c == 0 && holds(p.f, unit.f)) {
      p.c /= unit.c;
      for (const size_t i : k_every_axis)
        if (unit.f[i] != none) p.f[i] = none;
      quotient = pool_.add(quotient, term(p, width));
    } else {
      rest.push_back(p);
      remainder = pool_.add(remainder, term(p, width));
    }
  }
}

// Is it a choice of two, extended or cut?
bool Products::choice(Term t, Term& condition, Term& then, Term& otherwise) {
  const formula::Node n = pool_[t];
  if (n.op == Op::ite) {
    condition = n.kids[0];
    then = n.kids[1];
    otherwise = n.kids[2];
    return true;
  }
  if ((n.op != Op::zext && n.op != Op::extract) || !choice(n.kids[0], condition, then, otherwise)) return false;
  for (Term* x : {&then, &otherwise})
    *x = n.op == Op::zext ? pool_.zext(*x, n.width) : pool_.extract(*x, static_cast<uint8_t>(n.value), n.width);
  return true;
}

bool Products::divide(Term a, const Unit& unit, Term& quotient, Term& remainder) {
  const auto x = parts(a);
  if (!x) return false;
  Parts rest;
  Term q, r;
  by_unit(*x, unit, pool_.width(a), q, r, rest);
  if (!below(rest, unit)) return false;
  quotient = q;
  remainder = r;
  return true;
}

std::vector<Products::Split> Products::splits(Term a, Term b) {
  std::vector<Split> out;
  const auto x = parts(a), y = parts(b);
  if (!x || !y) return out;
  const uint8_t w = pool_.width(a);
  std::vector<Unit> units;
  for (const Parts* ps : {&*x, &*y})
    for (const Part& p : *ps) {
      Unit u{p.c, p.f};
      for (uint8_t& f : u.f)
        if (f == first || f == second) f = none;
      if (u != Unit{} && (p.u || p.f != Monomial{}) && std::find(units.begin(), units.end(), u) == units.end())
        units.push_back(u);
    }
  const auto factors = [](const Unit& u) {
    return std::count_if(u.f.begin(), u.f.end(), [](uint8_t f) { return f != none; });
  };
  std::sort(units.begin(), units.end(), [&](const Unit& p, const Unit& q) {
    return factors(p) != factors(q) ? factors(p) > factors(q) : p.c > q.c;
  });
  for (const Unit& u : units) {
    Split s;
    std::array<Parts, 2> rest;
    by_unit(*x, u, w, s.quotient[0], s.rest[0], rest[0]);
    by_unit(*y, u, w, s.quotient[1], s.rest[1], rest[1]);
    if (rest[0].empty() && rest[1].empty()) continue;
    s.unit = term({u.c, u.f, {}}, w);
    out.push_back(s);
  }
  return out;
}

// ---- small launches ----------------------------------------------------------------------------------------

std::unordered_map<uint32_t, Term>& Products::small(const Sizes& sizes, bool exactly) {
  Small& s = smalls_[{sizes, exactly}];
  if (!s.begun) {
    s.begun = true;
    unsigned group = local_bits_ - 1u, all = grid_bits_ - 1u;  // bits that are left: products fit
    for (size_t a = 0; a < k_axes; ++a) {
      if (!bases_[a][whole]) continue;
      unsigned n = static_cast<unsigned>(std::bit_width(sizes[a] - 1u));
      const unsigned most = std::min(all, a < 3 ? group : all);
      const uint64_t fixed = n > most ? uint64_t{1} << most : sizes[a];
      n = std::min(n, most);
      all -= n;
      if (a < 3) group -= n;
      for (const uint8_t x : {whole, first, second}) {
        const Term v = bases_[a][x];
        if (!v) continue;
        const uint8_t w = pool_.width(v);
        if (exactly && x == whole) {
          s.memo.emplace(v.id, pool_.constant(fixed, w));
          continue;
        }
        const Term few =
            n == 0 ? pool_.constant(0, w)
                   : pool_.zext(pool_.variable(static_cast<uint8_t>(n), "small " + pool_.variable_name(pool_[v].value)),
                                w);
        s.memo.emplace(v.id, x == whole ? pool_.add(few, pool_.constant(1, w)) : few);
      }
    }
  }
  // Products that were made meanwhile.
  for (; s.made < made_.size(); ++s.made) {
    const Made& m = made_[s.made];
    const uint8_t w = pool_.width(m.value);
    s.memo[m.value.id] =
        pool_.mul(fit(pool_.substitute(m.factor, s.memo), w), fit(pool_.substitute(m.rest, s.memo), w));
  }
  for (; s.counted < counted_.size(); ++s.counted) {
    const Counted& c = counted_[s.counted];
    const uint8_t w = pool_.width(c.value);
    s.memo[c.value.id] =
        pool_.mul(fit(pool_.substitute(c.u, s.memo), w), fit(pool_.substitute(numbers_.at(c.f), s.memo), w));
  }
  return s.memo;
}

}  // namespace fencepost::prove

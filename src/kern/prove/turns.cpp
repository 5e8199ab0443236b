#include "prove/turns.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace fencepost::prove {

namespace {

using formula::Node;
using formula::Op;
using formula::Pool;
using formula::Term;
using Wide = __int128;

constexpr uint64_t k_longest = 128;

struct Shape {
  enum Kind : uint8_t {
    unknown,
    counts,  // k + shift
    laps,    // (k + shift) / by + more
    rounds   // values[k % size]
  } kind = unknown;
  int64_t shift = 0, more = 0;
  uint64_t by = 1;
  std::vector<uint64_t> values;
};

int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// What comes again goes; `whole`: the list comes round itself.
void shorten(std::vector<uint64_t>& values, bool whole) {
  for (size_t n = 1; n < values.size(); ++n)
    if ((!whole || values.size() % n == 0) &&
        std::equal(values.begin() + static_cast<std::ptrdiff_t>(n), values.end(), values.begin()))
      return values.resize(n);
}

class Reader {
 public:
  Reader(const Pool& pool, Term k) : pool_(pool), k_(k) {}

  std::optional<Turn> turn(Term t) {
    Shape s = of(t);
    if (s.kind != Shape::rounds || least_ > most_) return std::nullopt;
    shorten(s.values, true);
    return Turn{std::move(s.values), least_, most_};
  }

 private:
  Shape of(Term t) {
    if (const auto it = seen_.find(t.id); it != seen_.end()) return it->second;
    Shape s = make(t);
    seen_.emplace(t.id, s);
    return s;
  }

  static Shape rounds(std::vector<uint64_t> values) {
    Shape s;
    if (values.size() > k_longest) return s;
    s.kind = Shape::rounds;
    s.values = std::move(values);
    return s;
  }

  // That the number, as an integer, lies in [0, below).
  bool keep(const Shape& s, Wide below) {
    Wide first = -Wide{s.shift}, last = below - 1 - s.shift;
    if (s.kind == Shape::laps) {
      first = -Wide{s.more} * s.by - s.shift;
      last = (below - s.more) * s.by - s.shift - 1;
    }
    if (last < 0) return false;
    constexpr Wide k_all = std::numeric_limits<uint64_t>::max();
    if (first > 0) least_ = std::max(least_, static_cast<uint64_t>(std::min(first, k_all)));
    if (last < k_all) most_ = std::min(most_, static_cast<uint64_t>(last));
    return true;
  }
  Shape kept(Shape s, uint8_t bits) { return keep(s, Wide{1} << bits) ? s : Shape{}; }

  Shape make(Term t) {
    const Node& n = pool_[t];
    if (t == k_) {
      Shape s;
      s.kind = Shape::counts;
      return s;
    }
    if (n.op == Op::constant) return rounds({n.value});
    if (n.op == Op::variable || n.op == Op::apply) return {};
    if (n.op == Op::extract)
      if (Shape s = bits(n.kids[0], static_cast<uint8_t>(n.value), n.width); s.kind != Shape::unknown) return s;
    std::vector<Shape> kids;
    bool all_round = true;
    for (const Term kid : n.kids) {
      kids.push_back(of(kid));
      if (kids.back().kind == Shape::unknown) return {};
      all_round = all_round && kids.back().kind == Shape::rounds;
    }
    return all_round ? pointwise(n, kids) : of_count(n, std::move(kids));
  }

  // Bits of what is made bit by bit.
  Shape bits(Term t, uint8_t low, uint8_t width) {
    const Node& n = pool_[t];
    if (n.op != Op::and_ && n.op != Op::or_ && n.op != Op::xor_ && n.op != Op::not_) {
      if (n.op == Op::variable || n.op == Op::apply) return {};
      const Shape whole = of(t);
      if (whole.kind == Shape::unknown) return {};
      if (whole.kind != Shape::rounds) {
        const Shape above = low == 0 ? whole : low <= 6 ? quotient(whole, uint64_t{1} << low) : Shape{};
        return above.kind == Shape::unknown || width > 6 ? Shape{} : rest(above, uint64_t{1} << width);
      }
      Shape part = whole;
      for (uint64_t& v : part.values) v = (v >> low) & formula::ones(width);
      return part;
    }
    std::vector<Shape> kids;
    for (const Term kid : n.kids) {
      kids.push_back(bits(kid, low, width));
      if (kids.back().kind == Shape::unknown) return {};
    }
    return pointwise(n.op, width, width, 0, {}, kids);
  }

  Shape pointwise(const Node& n, const std::vector<Shape>& kids) {
    return pointwise(n.op, pool_.width(n.kids[0]), n.width, n.value, n.coefficients, kids);
  }

  Shape pointwise(Op op, uint8_t from, uint8_t width, uint64_t value, const std::vector<uint64_t>& coefficients,
                  const std::vector<Shape>& kids) {
    uint64_t size = 1;
    for (const Shape& s : kids) size = std::lcm(size, s.values.size());
    if (size > k_longest) return {};
    std::vector<uint64_t> values;
    for (uint64_t i = 0; i < size; ++i) {
      const auto at = [&](size_t kid) { return kids[kid].values[i % kids[kid].values.size()]; };
      uint64_t v = op == Op::all ? 1 : value;
      for (size_t kid = 0; kid < kids.size() && (op == Op::all || op == Op::sum); ++kid)
        v = op == Op::all ? (v & at(kid)) : v + coefficients[kid] * at(kid);
      if (op != Op::all && op != Op::sum)
        v = formula::evaluate(op, from, width, at(0), kids.size() > 1 ? at(1) : 0, kids.size() > 2 ? at(2) : 0, value);
      values.push_back(v & formula::ones(width));
    }
    return rounds(std::move(values));
  }

  // The number of a shape that counts, in iterations i of one round of so many, modulo `m`.
  static Shape listed(const Shape& s, uint64_t size, uint64_t m) {
    std::vector<uint64_t> values;
    for (uint64_t i = 0; i < size && size <= k_longest; ++i) {
      int64_t v = static_cast<int64_t>(i) + s.shift;
      if (s.kind == Shape::laps) v = floor_div(v, static_cast<int64_t>(s.by)) + s.more;
      const auto by = static_cast<int64_t>(m);
      values.push_back(static_cast<uint64_t>(v - floor_div(v, by) * by));
    }
    return values.empty() ? Shape{} : rounds(std::move(values));
  }

  Shape rest(const Shape& s, uint64_t m) {
    return m == 0 || m > k_longest ? Shape{} : listed(s, s.kind == Shape::laps ? s.by * m : m, m);
  }
  Shape quotient(Shape s, uint64_t m) {
    if (m == 0 || m > k_longest || s.more != 0) return {};
    s.kind = Shape::laps;
    s.by *= m;
    return s.by > k_longest ? Shape{} : s;
  }

  // What is made of k.
  Shape of_count(const Node& n, std::vector<Shape> kids) {
    const uint8_t from = pool_.width(n.kids[0]);
    switch (n.op) {
      case Op::zext:
        return kids[0];
      case Op::sext:
        return kept(kids[0], from - 1);
      case Op::extract:
        if (n.value == 0 && n.width <= 6)
          if (Shape s = rest(kids[0], uint64_t{1} << n.width); s.kind != Shape::unknown) return s;
        if (n.value == 0) return kept(kids[0], n.width);
        if (n.value > 6) return {};
        if (Shape s = quotient(kids[0], uint64_t{1} << n.value); s.kind != Shape::unknown) {
          const Shape low = n.width <= 6 ? rest(s, uint64_t{1} << n.width) : Shape{};
          return low.kind != Shape::unknown ? low : kept(s, n.width);
        }
        return {};
      case Op::sum:
        return sum(n, kids);
      case Op::srem:
      case Op::sdiv:
      case Op::urem:
      case Op::udiv:
      case Op::lshr: {
        if (kids[0].kind == Shape::rounds || kids[1].kind != Shape::rounds || kids[1].values.size() != 1) return {};
        uint64_t m = kids[1].values[0];
        const bool is_signed = n.op == Op::srem || n.op == Op::sdiv;
        if (n.op == Op::lshr) m = m > 7 ? 0 : uint64_t{1} << m;
        if (is_signed && !keep(kids[0], Wide{1} << (from - 1))) return {};
        return n.op == Op::urem || n.op == Op::srem ? rest(kids[0], m) : quotient(kids[0], m);
      }
      default:
        return {};
    }
  }

  Shape sum(const Node& n, const std::vector<Shape>& kids) {
    const Shape* one = nullptr;
    uint64_t constant = n.value;
    for (size_t i = 0; i < kids.size(); ++i) {
      if (kids[i].kind == Shape::rounds && kids[i].values.size() == 1) {
        constant += n.coefficients[i] * kids[i].values[0];
      } else if (kids[i].kind != Shape::rounds && one == nullptr && n.coefficients[i] == 1) {
        one = &kids[i];
      } else {
        return {};
      }
    }
    if (one == nullptr) return {};
    Shape s = *one;
    const int64_t by = formula::as_signed(constant & formula::ones(n.width), n.width);
    constexpr int64_t k_most = 1 << 20;
    if (by > k_most || by < -k_most || s.shift > k_most || s.shift < -k_most || s.more > k_most || s.more < -k_most)
      return {};
    (s.kind == Shape::laps ? s.more : s.shift) += by;
    return kept(s, n.width);
  }

  const Pool& pool_;
  Term k_;
  std::unordered_map<uint32_t, Shape> seen_;
  uint64_t least_ = 0, most_ = ~uint64_t{0};
};

}  // namespace

std::optional<Turn> turn_of(Pool& pool, Term t, Term k) {
  if (std::optional<Turn> found = Reader(pool, k).turn(t)) return found;
  constexpr uint64_t k_few = 64;
  if (!k || pool[k].high >= k_few) return std::nullopt;
  Turn all;
  all.most = pool[k].high;
  for (uint64_t i = 0; i <= all.most; ++i) {
    std::unordered_map<uint32_t, Term> memo{{k.id, pool.constant(i, pool.width(k))}};
    const Term v = pool.substitute(t, memo);
    if (!pool.is_constant(v)) return std::nullopt;
    all.values.push_back(pool.value(v));
  }
  shorten(all.values, false);
  return all;
}

}  // namespace fencepost::prove

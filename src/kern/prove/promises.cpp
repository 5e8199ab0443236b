#include "prove/promises.h"

#include <algorithm>

namespace fencepost::prove {

using formula::Term;
using ir::Op;

namespace {

constexpr int64_t k_most_offset = int64_t{1} << 46;

}  // namespace

void Promises::arithmetic(Op op, Term a, Term b, Term guard, int thread, uint32_t position) {
  if (pool_.width(a) < 2 || pool_.is_false(guard) || (pool_.is_constant(a) && pool_.is_constant(b))) return;
  if (op == Op::shl) {
    if (!pool_.is_constant(b) || pool_.value(b) + 1 >= pool_.width(a)) return;
    b = pool_.constant(uint64_t{1} << pool_.value(b), pool_.width(a));
    op = Op::mul;
  }
  if (op != Op::add && op != Op::sub && op != Op::mul) return;
  all_.push_back({op, a, b, guard, position, ~0u, static_cast<uint8_t>(thread)});
}

void Promises::offset(Term offset, Term guard, int thread, uint32_t position) {
  const formula::Node& n = pool_[offset];
  if (n.signed_low >= -k_most_offset && n.signed_high < k_most_offset) return;
  all_.push_back({Op::add, offset, {}, guard, position, ~0u, static_cast<uint8_t>(thread)});
}

void Promises::end(size_t first, uint32_t position) {
  for (size_t i = first; i < all_.size(); ++i) all_[i].until = std::min(all_[i].until, position);
}

bool Promises::kept(const Promise& p, const formula::Model& model) const {
  const uint8_t w = pool_.width(p.a);
  const __int128 a = formula::as_signed(model.value(pool_, p.a), w);
  if (!p.b) return a >= -k_most_offset && a < k_most_offset;
  const __int128 b = formula::as_signed(model.value(pool_, p.b), w);
  const __int128 r = p.op == Op::mul ? a * b : p.op == Op::add ? a + b : a - b;
  const __int128 half = __int128{1} << (w - 1);
  return r >= -half && r < half;
}

Term Promises::between(Term t, int64_t low, int64_t high) const {
  const uint8_t w = pool_.width(t);
  return pool_.all(pool_.sle(pool_.constant(static_cast<uint64_t>(low), w), t),
                   pool_.sle(t, pool_.constant(static_cast<uint64_t>(high), w)));
}

Term Promises::product(Term a, Term b) const {
  const uint8_t w = pool_.width(a);
  const Term zero = pool_.constant(0, w);
  if (pool_.is_constant(a)) std::swap(a, b);
  if (pool_.is_constant(b)) {
    const int64_t c = formula::as_signed(pool_.value(b), w);
    const auto half = static_cast<int64_t>(formula::ones(w) >> 1);
    const int64_t least = -half - 1;
    if (c == 0 || c == 1) return pool_.yes();
    if (c == -1) return pool_.ne(a, pool_.constant(static_cast<uint64_t>(least), w));
    return c > 0 ? between(a, least / c, half / c) : between(a, half / c, least / c);
  }
  const auto magnitude = [&](Term t) { return pool_.ite(pool_.slt(t, zero), pool_.not_(t), t); };
  const Term x = magnitude(a), y = magnitude(b);
  std::vector<Term> conjuncts;
  for (uint8_t i = 0; i + 1 < w; ++i) {
    const auto low = static_cast<uint8_t>(w - 1 - i);
    const auto bits = static_cast<uint8_t>(w - low);
    conjuncts.push_back(pool_.implies(pool_.eq(pool_.extract(x, i, 1), pool_.yes()),
                                      pool_.eq(pool_.extract(y, low, bits), pool_.constant(0, bits))));
  }
  const Term r = pool_.mul(a, b);
  const Term differ = pool_.ne(pool_.slt(a, zero), pool_.slt(b, zero));
  conjuncts.push_back(pool_.any(
      {pool_.eq(a, zero), pool_.eq(b, zero), pool_.all(pool_.ne(r, zero), pool_.eq(pool_.slt(r, zero), differ))}));
  return pool_.all(std::move(conjuncts));
}

Term Promises::claim(const Promise& p) const {
  const uint8_t w = pool_.width(p.a);
  Term kept;
  if (!p.b) {
    kept = between(p.a, -k_most_offset, k_most_offset - 1);
  } else if (p.op == Op::mul) {
    kept = product(p.a, p.b);
  } else if (w < 64) {
    const auto more = static_cast<uint8_t>(w + 1);
    const Term a = pool_.sext(p.a, more), b = pool_.sext(p.b, more);
    const auto half = static_cast<int64_t>(formula::ones(w) >> 1);
    kept = between(p.op == Op::add ? pool_.add(a, b) : pool_.sub(a, b), -half - 1, half);
  } else {
    const Term zero = pool_.constant(0, w), r = p.op == Op::add ? pool_.add(p.a, p.b) : pool_.sub(p.a, p.b);
    const auto negative = [&](Term t) { return pool_.slt(t, zero); };
    const Term alike = pool_.eq(negative(p.a), negative(p.b));
    kept = pool_.implies(p.op == Op::add ? alike : pool_.not_(alike), pool_.eq(negative(r), negative(p.a)));
  }
  return pool_.implies(p.guard, kept);
}

std::vector<Promises::Product> Promises::products(std::array<uint32_t, 2> limit) const {
  std::vector<Product> out;
  for (const Promise& p : all_)
    if (p.b && p.op == Op::mul && holds_at(p, limit)) out.push_back({p.a, p.b, p.guard});
  return out;
}

std::vector<Promises::Broken> Promises::broken(const formula::Model& model, std::array<uint32_t, 2> limit) const {
  std::vector<Broken> out;
  for (const Promise& p : all_) {
    if (!holds_at(p, limit) || model.value(pool_, p.guard) == 0 || kept(p, model)) continue;
    Broken b{.claim = claim(p), .small = {}, .offset = !p.b};
    const uint8_t w = pool_.width(p.a);
    const auto bits = static_cast<uint8_t>(p.op == Op::mul ? (w - 1) / 2 : w - 2);
    const int64_t room = p.b ? int64_t{1} << bits : k_most_offset / 4;
    b.small = between(p.a, -room, room - 1);
    if (p.b) b.small = pool_.all(b.small, between(p.b, -room, room - 1));
    if (p.b && p.op == Op::mul && (pool_.is_constant(p.a) || pool_.is_constant(p.b))) b.small = b.claim;
    if (std::none_of(out.begin(), out.end(), [&](const Broken& o) { return o.claim == b.claim; }))
      out.push_back(std::move(b));
  }
  return out;
}

}  // namespace fencepost::prove

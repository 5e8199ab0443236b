// Bit rows. Laws kept by every operation: bits at or above the universe are zero, so that equality, counts
// and subset tests are plain word comparisons; rows of one word are looped without the inner word loop.
//
// closure: Warshall on rows, O(n^2) row operations whatever the density; for the usual n <= 64 that is n^2
// word operations. acyclic: repeated removal of events without successors inside the rest, by whole rows;
// at most n rounds, usually as many as the longest path.
#include "base/bits.h"

#include <algorithm>

#include "base/diagnostic.h"

namespace fencepost {
namespace {

uint32_t words_for(uint32_t n) { return (n + 63) / 64; }

// Mask of the last word of a row over n elements.
uint64_t last_mask(uint32_t n) { return (n & 63) == 0 ? ~uint64_t{0} : (uint64_t{1} << (n & 63)) - 1; }

void same_universe(uint32_t a, uint32_t b) {
  FENCEPOST_INVARIANT(a == b, "sets over different universes were combined");
}

}  // namespace

BitSet::BitSet(uint32_t n, bool full) : n_(n), w_(words_for(n), full ? ~uint64_t{0} : 0) {
  if (full && n > 0) w_.back() &= last_mask(n);
}

bool BitSet::empty() const {
  return std::all_of(w_.begin(), w_.end(), [](uint64_t x) { return x == 0; });
}

uint32_t BitSet::count() const {
  uint32_t total = 0;
  for (uint64_t x : w_) total += static_cast<uint32_t>(std::popcount(x));
  return total;
}

BitSet& BitSet::operator|=(const BitSet& o) {
  same_universe(n_, o.n_);
  for (size_t k = 0; k < w_.size(); ++k) w_[k] |= o.w_[k];
  return *this;
}

BitSet& BitSet::operator&=(const BitSet& o) {
  same_universe(n_, o.n_);
  for (size_t k = 0; k < w_.size(); ++k) w_[k] &= o.w_[k];
  return *this;
}

BitSet& BitSet::operator-=(const BitSet& o) {
  same_universe(n_, o.n_);
  for (size_t k = 0; k < w_.size(); ++k) w_[k] &= ~o.w_[k];
  return *this;
}

BitSet BitSet::complement() const {
  BitSet out(n_, true);
  return out -= *this;
}

bool BitSet::subset_of(const BitSet& o) const {
  same_universe(n_, o.n_);
  for (size_t k = 0; k < w_.size(); ++k)
    if ((w_[k] & ~o.w_[k]) != 0) return false;
  return true;
}

Relation::Relation(uint32_t n, bool full)
    : n_(n), stride_(words_for(n)), w_(static_cast<size_t>(n) * words_for(n), full ? ~uint64_t{0} : 0) {
  if (!full || n == 0) return;
  const uint64_t mask = last_mask(n);
  for (uint32_t i = 0; i < n; ++i) row(i)[stride_ - 1] &= mask;
}

Relation Relation::identity(uint32_t n) {
  Relation out(n);
  for (uint32_t i = 0; i < n; ++i) out.set(i, i);
  return out;
}

Relation Relation::identity(const BitSet& s) {
  Relation out(s.universe());
  s.for_each([&](uint32_t i) { out.set(i, i); });
  return out;
}

Relation Relation::product(const BitSet& a, const BitSet& b) {
  same_universe(a.universe(), b.universe());
  Relation out(a.universe());
  a.for_each([&](uint32_t i) { std::copy(b.words().begin(), b.words().end(), out.row(i)); });
  return out;
}

bool Relation::empty() const {
  return std::all_of(w_.begin(), w_.end(), [](uint64_t x) { return x == 0; });
}

uint64_t Relation::count() const {
  uint64_t total = 0;
  for (uint64_t x : w_) total += static_cast<uint64_t>(std::popcount(x));
  return total;
}

Relation& Relation::operator|=(const Relation& o) {
  same_universe(n_, o.n_);
  for (size_t k = 0; k < w_.size(); ++k) w_[k] |= o.w_[k];
  return *this;
}

Relation& Relation::operator&=(const Relation& o) {
  same_universe(n_, o.n_);
  for (size_t k = 0; k < w_.size(); ++k) w_[k] &= o.w_[k];
  return *this;
}

Relation& Relation::operator-=(const Relation& o) {
  same_universe(n_, o.n_);
  for (size_t k = 0; k < w_.size(); ++k) w_[k] &= ~o.w_[k];
  return *this;
}

bool Relation::subset_of(const Relation& o) const {
  same_universe(n_, o.n_);
  for (size_t k = 0; k < w_.size(); ++k)
    if ((w_[k] & ~o.w_[k]) != 0) return false;
  return true;
}

Relation Relation::compose(const Relation& o) const {
  same_universe(n_, o.n_);
  Relation out(n_);
  if (stride_ == 1) {
    for (uint32_t i = 0; i < n_; ++i) {
      uint64_t acc = 0;
      for (uint64_t x = w_[i]; x != 0; x &= x - 1) acc |= o.w_[static_cast<size_t>(std::countr_zero(x))];
      out.w_[i] = acc;
    }
    return out;
  }
  for (uint32_t i = 0; i < n_; ++i) {
    uint64_t* to = out.row(i);
    for_each_in_row(i, [&](uint32_t j) {
      const uint64_t* from = o.row(j);
      for (uint32_t k = 0; k < stride_; ++k) to[k] |= from[k];
    });
  }
  return out;
}

Relation Relation::inverse() const {
  Relation out(n_);
  for_each([&](uint32_t i, uint32_t j) { out.set(j, i); });
  return out;
}

Relation Relation::closure() const {
  Relation out = *this;
  if (stride_ == 1) {
    for (uint32_t k = 0; k < n_; ++k) {
      const uint64_t via = out.w_[k];
      if (via == 0) continue;
      const uint64_t bit = uint64_t{1} << k;
      for (uint32_t i = 0; i < n_; ++i)
        if ((out.w_[i] & bit) != 0) out.w_[i] |= via;
    }
    return out;
  }
  for (uint32_t k = 0; k < n_; ++k) {
    const uint64_t* via = out.row(k);
    if (std::all_of(via, via + stride_, [](uint64_t x) { return x == 0; })) continue;
    for (uint32_t i = 0; i < n_; ++i) {
      if (i == k || !out.test(i, k)) continue;
      uint64_t* to = out.row(i);
      for (uint32_t w = 0; w < stride_; ++w) to[w] |= via[w];
    }
  }
  return out;
}

Relation Relation::restrict_domain(const BitSet& s) const {
  same_universe(n_, s.universe());
  Relation out(n_);
  s.for_each([&](uint32_t i) { std::copy(row(i), row(i) + stride_, out.row(i)); });
  return out;
}

Relation Relation::restrict_range(const BitSet& s) const {
  same_universe(n_, s.universe());
  Relation out = *this;
  for (uint32_t i = 0; i < n_; ++i)
    for (uint32_t k = 0; k < stride_; ++k) out.row(i)[k] &= s.words()[k];
  return out;
}

BitSet Relation::domain() const {
  BitSet out(n_);
  for (uint32_t i = 0; i < n_; ++i) {
    uint64_t any = 0;
    for (uint32_t k = 0; k < stride_; ++k) any |= row(i)[k];
    if (any != 0) out.set(i);
  }
  return out;
}

BitSet Relation::range() const {
  BitSet out(n_);
  for (uint32_t i = 0; i < n_; ++i)
    for (uint32_t k = 0; k < stride_; ++k) out.words()[k] |= row(i)[k];
  return out;
}

BitSet Relation::successors(uint32_t i) const {
  BitSet out(n_);
  std::copy(row(i), row(i) + stride_, out.words().begin());
  return out;
}

bool Relation::irreflexive() const {
  for (uint32_t i = 0; i < n_; ++i)
    if (test(i, i)) return false;
  return true;
}

bool Relation::acyclic() const {
  if (stride_ == 1) {
    uint64_t rest = n_ == 0 ? 0 : last_mask(n_);
    for (;;) {
      uint64_t kept = rest;
      for (uint64_t x = rest; x != 0; x &= x - 1) {
        const auto i = static_cast<size_t>(std::countr_zero(x));
        if ((w_[i] & kept) == 0) kept &= ~(x & (0 - x));  // no successor is left: on no cycle
      }
      if (kept == 0) return true;
      if (kept == rest) return false;
      rest = kept;
    }
  }
  BitSet rest(n_, true);
  for (;;) {
    bool removed = false, left = false;
    for (uint32_t i = 0; i < n_; ++i) {
      if (!rest.test(i)) continue;
      uint64_t any = 0;
      for (uint32_t k = 0; k < stride_; ++k) any |= row(i)[k] & rest.words()[k];
      if (any == 0) {
        rest.reset(i);
        removed = true;
      } else {
        left = true;
      }
    }
    if (!left) return true;
    if (!removed) return false;
  }
}

std::vector<std::pair<uint32_t, uint32_t>> Relation::pairs() const {
  std::vector<std::pair<uint32_t, uint32_t>> out;
  out.reserve(count());
  for_each([&](uint32_t i, uint32_t j) { out.emplace_back(i, j); });
  return out;
}

}  // namespace fencepost

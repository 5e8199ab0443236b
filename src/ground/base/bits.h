#pragma once
// Sets and relations over 0..n-1 as rows of 64-bit words. One word per row is the fast case (n <= 64).
// Shared by the evaluator and by the bounds analysis: an n-by-n relation costs n * ceil(n/64) words.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace fencepost {

class BitSet {
 public:
  BitSet() = default;
  explicit BitSet(uint32_t n, bool full = false);
  uint32_t universe() const { return n_; }
  bool test(uint32_t i) const { return (w_[i >> 6] >> (i & 63)) & 1; }
  void set(uint32_t i) { w_[i >> 6] |= uint64_t{1} << (i & 63); }
  void reset(uint32_t i) { w_[i >> 6] &= ~(uint64_t{1} << (i & 63)); }
  bool empty() const;
  uint32_t count() const;
  BitSet& operator|=(const BitSet& o);
  BitSet& operator&=(const BitSet& o);
  BitSet& operator-=(const BitSet& o);  // set difference
  friend BitSet operator|(BitSet a, const BitSet& b) { return a |= b; }
  friend BitSet operator&(BitSet a, const BitSet& b) { return a &= b; }
  friend BitSet operator-(BitSet a, const BitSet& b) { return a -= b; }
  BitSet complement() const;
  bool subset_of(const BitSet& o) const;
  bool operator==(const BitSet&) const = default;
  const std::vector<uint64_t>& words() const { return w_; }
  std::vector<uint64_t>& words() { return w_; }
  template <class F>
  void for_each(F&& f) const {
    for (uint32_t k = 0; k < w_.size(); ++k)
      for (uint64_t x = w_[k]; x != 0; x &= x - 1) f(k * 64 + static_cast<uint32_t>(std::countr_zero(x)));
  }

 private:
  uint32_t n_ = 0;
  std::vector<uint64_t> w_;
};

class Relation {
 public:
  Relation() = default;
  explicit Relation(uint32_t n, bool full = false);
  static Relation identity(uint32_t n);
  static Relation identity(const BitSet& s);                  // [s]
  static Relation product(const BitSet& a, const BitSet& b);  // a * b

  uint32_t universe() const { return n_; }
  bool test(uint32_t i, uint32_t j) const { return (row(i)[j >> 6] >> (j & 63)) & 1; }
  void set(uint32_t i, uint32_t j) { row(i)[j >> 6] |= uint64_t{1} << (j & 63); }
  void reset(uint32_t i, uint32_t j) { row(i)[j >> 6] &= ~(uint64_t{1} << (j & 63)); }
  bool empty() const;
  uint64_t count() const;

  Relation& operator|=(const Relation& o);
  Relation& operator&=(const Relation& o);
  Relation& operator-=(const Relation& o);
  friend Relation operator|(Relation a, const Relation& b) { return a |= b; }
  friend Relation operator&(Relation a, const Relation& b) { return a &= b; }
  friend Relation operator-(Relation a, const Relation& b) { return a -= b; }
  bool operator==(const Relation&) const = default;
  bool subset_of(const Relation& o) const;

  Relation compose(const Relation& o) const;  // this ; o
  Relation inverse() const;
  Relation closure() const;                         // transitive, not reflexive
  Relation restrict_domain(const BitSet& s) const;  // [s] ; this
  Relation restrict_range(const BitSet& s) const;   // this ; [s]
  BitSet domain() const;
  BitSet range() const;
  BitSet successors(uint32_t i) const;
  bool irreflexive() const;
  bool acyclic() const;

  uint64_t* row(uint32_t i) { return w_.data() + static_cast<size_t>(i) * stride_; }
  const uint64_t* row(uint32_t i) const { return w_.data() + static_cast<size_t>(i) * stride_; }
  uint32_t stride() const { return stride_; }
  template <class F>
  void for_each(F&& f) const {
    for (uint32_t i = 0; i < n_; ++i)
      for (uint32_t k = 0; k < stride_; ++k)
        for (uint64_t x = row(i)[k]; x != 0; x &= x - 1) f(i, k * 64 + static_cast<uint32_t>(std::countr_zero(x)));
  }
  template <class F>
  void for_each_in_row(uint32_t i, F&& f) const {
    for (uint32_t k = 0; k < stride_; ++k)
      for (uint64_t x = row(i)[k]; x != 0; x &= x - 1) f(k * 64 + static_cast<uint32_t>(std::countr_zero(x)));
  }
  std::vector<std::pair<uint32_t, uint32_t>> pairs() const;

 private:
  uint32_t n_ = 0;
  uint32_t stride_ = 0;
  std::vector<uint64_t> w_;
};

}  // namespace fencepost

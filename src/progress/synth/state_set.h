#pragma once
// Sets of states of one test as machine words. A state is a number, mem + M * (pc_0 + (n_0+1) * (pc_1 + ...)) with the
// memory as digits of base `values`: a step of one thread from one pc with one value read always adds the same number,
// so the image of a set under a step is a mask and a shift. The tests of the paper's sizes have at most 64 states, and
// one fixpoint over a dozen such steps costs about 100 ns; this is where the speed of the enumeration comes from.
#include <array>
#include <bit>
#include <cstdint>

namespace fencepost::synth {

template <uint32_t W>
class StateSet {
 public:
  static constexpr uint32_t k_capacity = W * 64;
  static StateSet single(uint32_t s) {
    StateSet r;
    r.add(s);
    return r;
  }
  void add(uint32_t s) { w_[s >> 6] |= uint64_t{1} << (s & 63); }
  bool any() const {
    uint64_t x = 0;
    for (uint32_t i = 0; i < W; ++i) x |= w_[i];
    return x != 0;
  }
  bool meets(const StateSet& o) const {
    uint64_t x = 0;
    for (uint32_t i = 0; i < W; ++i) x |= w_[i] & o.w_[i];
    return x != 0;
  }
  bool within(const StateSet& o) const {
    uint64_t x = 0;
    for (uint32_t i = 0; i < W; ++i) x |= w_[i] & ~o.w_[i];
    return x == 0;
  }
  uint32_t count() const {
    uint32_t n = 0;
    for (uint32_t i = 0; i < W; ++i) n += static_cast<uint32_t>(std::popcount(w_[i]));
    return n;
  }
  StateSet& operator|=(const StateSet& o) {
    for (uint32_t i = 0; i < W; ++i) w_[i] |= o.w_[i];
    return *this;
  }
  StateSet& operator&=(const StateSet& o) {
    for (uint32_t i = 0; i < W; ++i) w_[i] &= o.w_[i];
    return *this;
  }
  friend StateSet operator&(StateSet a, const StateSet& b) { return a &= b; }
  friend StateSet operator|(StateSet a, const StateSet& b) { return a |= b; }
  StateSet operator~() const {
    StateSet r;
    for (uint32_t i = 0; i < W; ++i) r.w_[i] = ~w_[i];
    return r;
  }
  bool operator==(const StateSet&) const = default;

  // Every member plus `by`, which may be negative; |by| < capacity.
  StateSet moved(int32_t by) const {
    return by >= 0 ? up(static_cast<uint32_t>(by)) : down(static_cast<uint32_t>(-by));
  }

 private:
  StateSet up(uint32_t by) const {
    StateSet r;
    if constexpr (W == 1) {
      r.w_[0] = w_[0] << by;
    } else {
      const uint32_t words = by >> 6, bits = by & 63;
      for (uint32_t i = W; i-- > words;) {
        r.w_[i] = w_[i - words] << bits;
        if (bits != 0 && i > words) r.w_[i] |= w_[i - words - 1] >> (64 - bits);
      }
    }
    return r;
  }
  StateSet down(uint32_t by) const {
    StateSet r;
    if constexpr (W == 1) {
      r.w_[0] = w_[0] >> by;
    } else {
      const uint32_t words = by >> 6, bits = by & 63;
      for (uint32_t i = 0; i + words < W; ++i) {
        r.w_[i] = w_[i + words] >> bits;
        if (bits != 0 && i + words + 1 < W) r.w_[i] |= w_[i + words + 1] << (64 - bits);
      }
    }
    return r;
  }
  std::array<uint64_t, W> w_{};
};

}  // namespace fencepost::synth

#pragma once
// Builds clauses out of gates: hash-consed two-sided AND / XOR / ITE gates, bit-vectors, cardinality and
// order helpers, with constants folded. Clauses are kept here, so that unit propagation can fix literals
// before anything expensive is encoded on top; the solver gets them in one go.
//
// Literal 1 is true, -1 is false. Literals fixed by propagate() are folded in everything built afterwards.
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "sat/solver.h"
#include "term/term.h"

namespace fencepost::sat {

inline constexpr Lit k_true = 1;
inline constexpr Lit k_false = -1;

class Circuit {
 public:
  Circuit();
  Lit fresh();
  Lit constant(bool b) const { return b ? k_true : k_false; }
  // The literal itself, or k_true / k_false when its value is fixed.
  Lit fold(Lit l) const {
    const int8_t v = fixed_[static_cast<size_t>(l < 0 ? -l : l)];
    return v == 0 ? l : ((v > 0) == (l > 0) ? k_true : k_false);
  }
  bool is_true(Lit l) const { return fold(l) == k_true; }
  bool is_false(Lit l) const { return fold(l) == k_false; }

  void add(std::span<const Lit> clause);
  void add(std::initializer_list<Lit> clause) { add(std::span<const Lit>(clause.begin(), clause.size())); }

  Lit and_(Lit a, Lit b);
  Lit or_(Lit a, Lit b) { return -and_(-a, -b); }
  Lit and_(std::vector<Lit> ls);
  Lit or_(std::vector<Lit> ls);
  Lit xor_(Lit a, Lit b);
  Lit iff(Lit a, Lit b) { return -xor_(a, b); }
  Lit ite(Lit c, Lit t, Lit e);
  void at_most_one(const std::vector<Lit>& ls);
  // A literal that is true iff at least k of ls are.
  Lit at_least(const std::vector<Lit>& ls, uint32_t k);

  // Unit propagation over everything added so far. False: the clauses are contradictory.
  bool propagate();
  // What follows from `l` by unit propagation over the clauses that the last propagate() saw, on top of what is fixed
  // and of earlier assumptions: until retract(), which takes back the last one, fold() answers under the assumption.
  // Nothing may be built or added meanwhile. False: no model has l and the earlier ones; retract() is to be called too.
  bool assume(Lit l);
  void retract();
  bool contradictory() const { return contradictory_; }
  uint64_t clause_count() const { return clause_count_; }
  uint32_t variables() const { return static_cast<uint32_t>(fixed_.size()) - 1; }
  // Adds the clauses that `solver` has not got yet.
  void feed(Solver& solver);

 private:
  void fix(Lit l);
  int8_t value(Lit l) const {  // 1 true, -1 false, 0 open
    const int8_t v = fixed_[static_cast<size_t>(l < 0 ? -l : l)];
    return l < 0 ? static_cast<int8_t>(-v) : v;
  }
  static size_t place(Lit l) { return l > 0 ? 2 * static_cast<size_t>(l) : 2 * static_cast<size_t>(-l) + 1; }
  // Two literals of each clause are watched (circuit.cpp).
  bool watch_new();
  template <bool for_ever, class Set>
  bool falsified(Lit l, Set&& set);
  size_t watched_ = 0;          // of clauses_
  std::vector<Lit> watching_;   // by clause: its length, the next clause of each of its two lists, literals
  std::vector<Lit> first_;      // by place of a literal: the first clause that watches it, in watching_; 0: none
  size_t propagated_ = 0;       // units
  std::vector<Lit> assumed_;    // and what follows
  std::vector<size_t> levels_;  // where each assumption begins in it
  std::vector<int8_t> fixed_;   // by variable: 0 open, 1 true, -1 false
  std::vector<Lit> clauses_;    // zero-terminated
  size_t fed_ = 0;
  size_t units_fed_ = 0;
  std::vector<Lit> units_;
  uint64_t clause_count_ = 0;
  bool contradictory_ = false;
  struct KeyHash {
    size_t operator()(const std::pair<uint64_t, uint64_t>& k) const {
      return (k.first * 0x9e3779b97f4a7c15ull) ^ (k.second * 0xc2b2ae3d27d4eb4full);
    }
  };
  std::unordered_map<std::pair<uint64_t, uint64_t>, Lit, KeyHash> gates_;
};

using Bits = std::vector<Lit>;  // least significant bit first

class BitVectors {
 public:
  explicit BitVectors(Circuit& c) : c_(c) {}
  Bits constant(uint64_t v, uint8_t width) const;
  Bits fresh(uint8_t width);
  Bits add(const Bits& a, const Bits& b, Lit carry = k_false);
  Bits neg(const Bits& a);
  Bits mul(const Bits& a, const Bits& b);
  Lit eq(const Bits& a, const Bits& b);
  Lit ult(const Bits& a, const Bits& b);
  Lit slt(const Bits& a, const Bits& b);
  Bits ite(Lit c, const Bits& a, const Bits& b);
  Bits apply(term::Op op, uint8_t width, const std::vector<Bits>& kids);
  // guard -> a == b
  void equal_if(Lit guard, const Bits& a, const Bits& b);

 private:
  void divide(const Bits& a, const Bits& b, Bits& quotient, Bits& remainder);
  Bits shift(term::Op op, const Bits& a, const Bits& b);
  Circuit& c_;
  std::map<std::vector<Lit>, Lit> equal_;  // by the literals that say of each bit that it is the same
};

}  // namespace fencepost::sat

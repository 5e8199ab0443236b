#pragma once
// Positions in rows whose length is known at run time only: y * w + x with x < w, the commonest indexing there is.
//
// A SAT solver does not compare products of unknowns. It need not: if two positions q * w + r are equal as integers and
// the difference of the rests is less than w, then the quotients are equal, and so are the rests. What stands here is
// that step. It needs positions that are integers: C's signed arithmetic is (overflow is undefined, and so assumed
// absent), and so is what cannot wrap by the ranges of its operands. Such sums are noted as they are built
// (Execution::wide), product by product.
//
// Assumption, which the profile names: signed arithmetic does not overflow, and an offset is less than 2^46 bytes
// (promises.h). Sums are of numbers of 64 bits: offsets, of fewer, would cut off those of `long long`.
// Tried and lost: facts about the bounds of products, and the order of rows as lemmas over products that are numbers of
// their own; the first still needs a multiplier, the second is asked more than the step above.
#include <functional>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "formula/pool.h"

namespace fencepost::prove {

using formula::Pool;
using formula::Term;

class Rows {
 public:
  // c, c * a, c * a * b or c * a * b * d; these are numbers of 64 bits, which offsets need not have.
  struct Part {
    int64_t c = 0;
    Term a, b, d;
    // Without one of its factors.
    Part without(Term factor) const;
    bool has(Term factor) const { return a == factor || b == factor || d == factor; }
  };
  using Parts = std::vector<Part>;
  // An integer as a term of the width of offsets, and what it is a sum of. Not exact: the term is the integer modulo
  // 2^width, and nothing else is known.
  struct Sum {
    Term term;
    Term whole;  // the integer in 64 bits
    bool exact = false;
    Parts parts;
    __int128 low = 0, high = 0;
  };

  explicit Rows(Pool& pool) : pool_(pool) {}
  // `whole`: the number itself, of which `t` has the low bits.
  Sum leaf(Term t, Term whole, __int128 low, __int128 high) const;
  // `bits`: of the operation, whose overflow is undefined (`undefined`) or wraps.
  Sum add(const Sum& a, const Sum& b, bool minus, uint8_t bits, bool undefined) const;
  Sum multiply(const Sum& a, const Sum& b, uint8_t bits, bool undefined) const;

  // What is noted of an offset; a constant is exact, and of others nothing is known.
  Sum known(Term t) const;
  // `t` is this sum. One term may come from sums that are exact and others that are not: then it is not.
  void note(const Sum& s);
  // Both are sums that are exact: conjuncts that say the same as left = right, without products where that can be
  // shown. `excluded(so_far, t)`: t cannot hold where the question and `so_far` do. Empty: nothing is gained.
  using Excluded = std::function<bool(const std::vector<Term>& so_far, Term t)>;
  std::vector<Term> split(Term left, Term right, const Excluded& excluded) const;

 private:
  const Parts* find(Term t) const;
  static Sum clipped(Sum s, uint8_t bits, bool undefined);
  std::optional<std::pair<int64_t, int64_t>> range(const Parts& parts) const;
  Term outside(const Parts& rest, Term length, int64_t unit) const;
  Term equation(const Parts& parts) const;
  Term sum(const Parts& parts) const;
  bool step(Parts equation, const Excluded& excluded, std::vector<Term>& out, int depth) const;
  Parts expanded(const Parts& parts) const;
  static Parts collected(Parts out);

  Pool& pool_;
  std::unordered_map<uint32_t, Parts> exact_;
  std::unordered_set<uint32_t> inexact_;
};

}  // namespace fencepost::prove

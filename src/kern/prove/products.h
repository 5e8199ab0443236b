#pragma once
// Products of numbers of a launch whose sizes are not fixed.
//
// Positions are sums of products of ids and sizes: gid * size + lid, (y * width + x) * 4. A multiplier of unknown
// numbers is what a SAT solver does worst, and nearly never needed. So a product of ids and sizes with at most one of
// them for each axis of the launch, a place of a mixed-radix number, is a number of its own. Of it is known
//   x * r + r <= size * r           x an id below size
//   x < y:  x * r + r <= y * r      rows of the two threads do not overlap
//   x = 0:  x * r = 0;  else r <= x * r
// A product of any other number u and of such a number r is one too, with the order of rows, for u < 2^32. What they
// are by definition is asked when that is not enough: for small sizes first (`small`), where a model is a launch that
// can be run, then with multipliers (`definitions`).
//
// Most questions never come so far: as digits show it (`Pool::rule`), equations of mixed-radix numbers become equations
// of their digits, comparisons with sizes are decided, quotients and remainders by sizes are read off.
//
// Assumptions, to be said of every proof that rests on them (`assumption`): a launch has fewer than 2^30 threads, a
// work group fewer than 2^16; where fixed sizes alone come near that, fewer than 2048 times as many.
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "formula/pool.h"

namespace fencepost::prove {

using formula::Pool;
using formula::Term;

class Products {
 public:
  // Axes: 0..2 local, 3..5 group.
  static constexpr size_t k_axes = 6;
  using Sizes = std::array<uint32_t, k_axes>;

  explicit Products(Pool& pool) : pool_(pool) {}
  // The sizes that are fixed; 0: any. Then `size` and `id` give the numbers of the launch, of 32 bits, and what is
  // known of them goes to `state`.
  void launch(const std::array<uint64_t, k_axes>& fixed, std::function<void(Term)> state);
  Term size(size_t axis, const std::string& name);
  Term id(size_t axis, int thread, const std::string& name);

  bool any() const { return any_; }  // a size is not fixed
  std::string assumption() const;
  // k * step for a counter k whose product is known to be less than 2^bits.
  Term stepped(Term k, Term step, uint8_t bits);
  // A sum of sizes: at least 1.
  bool positive(Term t);

  // Both sides of an equation by one of its units: with rests below the unit, it says that quotients and rests are
  // equal.
  struct Split {
    Term unit;
    std::array<Term, 2> rest, quotient;
  };
  std::vector<Split> splits(Term a, Term b);
  // An id, a size or a product.
  bool number(Term variable) const { return known_.contains(variable.id) || counts_.contains(variable.id); }

  // Of sizes alone, by the number of the variable.
  bool is_size(uint64_t variable) const { return sizes_.contains(variable); }

  // What the product variables are: true by definition, and costly.
  const std::vector<Term>& definitions() const { return definitions_; }
  bool lemma(Term t) const { return lemmas_.contains(t.id); }
  // The same terms for few threads: sizes, of the axes that are not fixed, up to these (rounded up to powers of two),
  // or exactly these. The map grows with what is substituted.
  std::unordered_map<uint32_t, Term>& small(const Sizes& sizes, bool exactly);
  // The variables that `small` replaces.
  const std::vector<Term>& replaced() const { return replaced_; }

 private:
  enum Factor : uint8_t { none, whole, first, second };  // of an axis: nothing, the size, the id of a thread
  using Monomial = std::array<uint8_t, k_axes>;
  struct Counted {
    Term u, value;  // `value` = u * f, exact for u < 2^32
    Term small;     // that
    Monomial f;
  };
  struct Made {
    Term value, factor, rest;
  };
  // c * f * u; without u: c * f.
  struct Part {
    uint64_t c = 1;
    Monomial f{};
    Term u;
  };
  using Parts = std::vector<Part>;
  // A digit of a mixed-radix number: unit c * f, value x below the size of an axis, or below a number.
  struct Digit {
    uint64_t c = 1;
    Monomial f{};
    size_t axis = k_axes;
    Term x;
    bool used = false;
  };
  struct Unit {
    uint64_t c = 1;
    Monomial f{};
    friend bool operator==(const Unit&, const Unit&) = default;
  };
  // While it lives, the rules are not asked: what they rest on is being written down.
  struct Stating {
    explicit Stating(Products& p);
    ~Stating();
    Products& products;
    bool before;
  };

  Term rule(formula::Op op, Term a, Term b);
  Term multiply(Term a, Term b);
  Term equal(Term a, Term b);
  bool divide(Term a, const Unit& unit, Term& quotient, Term& remainder);
  bool choice(Term t, Term& condition, Term& then, Term& otherwise);

  static bool sizes_only(const Monomial& m);
  static bool holds(const Monomial& m, const Monomial& part);
  uint8_t bits(const Monomial& m) const;
  std::optional<Monomial> monomial(Term t) const;
  Term inner(Term t) const;         // without extensions
  Term fit(Term t, uint8_t width);  // cut or extended
  std::optional<Parts> parts(Term t);
  bool fits(const Parts& parts, uint8_t width);
  std::optional<Unit> bound(const Parts& parts);
  Term term(const Part& p, uint8_t width);
  void by_unit(const Parts& parts, const Unit& unit, uint8_t width, Term& quotient, Term& remainder, Parts& rest);
  bool digits(const Parts& parts, std::vector<Digit>& out);
  Digit* lowest(std::vector<Digit>& digits, const Unit& above) const;
  bool past(Unit& above, const Digit& a, const Digit& b) const;
  bool below(const Parts& parts, const Unit& unit);

  Term value(const Monomial& m);
  Term counted(Term u, const Monomial& f, uint8_t width, uint8_t most_bits = 64);
  void state(Term t);
  void order(Term x, Term xr, Term y, Term yr, Term r, Term when);

  Pool& pool_;
  std::array<uint64_t, k_axes> fixed_{};
  std::function<void(Term)> state_;
  bool any_ = false, stating_ = false;
  unsigned group_ = 16, launch_ = 30;         // fewer threads than 2^this
  uint8_t local_bits_ = 16, grid_bits_ = 30;  // of products of the sizes of a group that are not fixed, of all sizes
  std::array<std::array<Term, 4>, k_axes> bases_{};
  std::map<Monomial, Term> numbers_;
  std::unordered_map<uint32_t, Monomial> known_;
  std::unordered_map<uint32_t, size_t> counts_;  // by value
  std::vector<Made> made_;
  std::vector<Counted> counted_;
  std::vector<Term> definitions_, replaced_;
  std::unordered_set<uint32_t> lemmas_;
  std::unordered_set<uint64_t> sizes_;
  struct Small {
    std::unordered_map<uint32_t, Term> memo;
    size_t made = 0, counted = 0;
    bool begun = false;
  };
  std::map<std::pair<Sizes, bool>, Small> smalls_;
};

}  // namespace fencepost::prove

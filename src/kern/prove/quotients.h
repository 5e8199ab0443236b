#pragma once
// Quotients and remainders by numbers that are known at run time only: y = i / n, x = i % n.
//
// Two dividers of two threads are more than a SAT solver finishes, and what a question needs of them is little. So a
// question is asked first with numbers of their own for quotients, remainders and products, and with what holds of
// these. An answer `unsat` counts; of any other the question is asked as it is.
//
// What is known. A division gives a multiple of its divisor, m = a - a % n = (a / n) * n; a product x * n that does not
// wrap is a multiple of n, too. Of two multiples of one length n, with their quotients p and q:
//   p < q:  m + n <= m'           p = q:  m = m'
// and of a remainder that it is less than n and not more than a. That gives q < h where i < n * h, and that two threads
// with equal quotients and remainders have equal numbers. (i / n) / h is i / (n * h), where n * h does not wrap.
//
// Of signed numbers all these are magnitudes, beside their signs (C divides towards 0). Each holds under
// a condition of its own, which stands in it: the divisor is not 0; products do not wrap, as unsigned numbers or as
// signed ones, which is shown by ranges or promised (promises.h), and is otherwise a truth value of its own.
//
// Every conjunct that is added holds of all values of the operands, if what stands for a term has its value (`Stand`).
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "formula/pool.h"
#include "prove/promises.h"

namespace fencepost::prove {

using formula::Pool;
using formula::Term;

class Quotients {
 public:
  using Kept = Promises::Product;
  // A variable and what it stands for.
  struct Stand {
    enum Kind : uint8_t { value, no_signed_overflow, no_unsigned_overflow } kind = value;
    Term variable, of;  // `of`: the quotient, the remainder or the product
  };

  explicit Quotients(Pool& pool) : pool_(pool) {}
  // Is there a quotient or a remainder by what is no constant?
  bool any(const std::vector<Term>& goal);
  // The question with a fresh variable for each quotient, remainder and product, and with what is known of these
  // variables. `kept`: products that are promised not to overflow. `zeros`: for each divisor, the claim that it is 0.
  struct Apart {
    std::vector<Term> goal, zeros;
  };
  Apart apart(const std::vector<Term>& goal, const std::vector<Kept>& kept);
  // The conjunction where the variables that divisors are made of are such numbers (none: any), so that a solver has
  // constants to divide by.
  using Number = std::function<std::optional<uint64_t>(Term)>;
  std::vector<Term> with_lengths(const std::vector<Term>& goal, const Number& number);
  const std::vector<Stand>& stands() const { return stands_; }

 private:
  // As unsigned numbers of 64 bits: of = quotient * length + rest where `when` holds.
  struct Multiple {
    Term by;  // the length without extensions
    Term length, quotient, of, rest, when;
    friend bool operator==(const Multiple&, const Multiple&) = default;
  };
  struct Division {
    Term a, b;
    bool is_signed = false;
    Term quotient, rest, dividend;  // the last as an unsigned number
    Multiple multiple;
    std::vector<Term> known;
  };
  struct Product {
    Term node, a, b, value;
    Term as_signed, as_unsigned;  // it does not overflow
    std::vector<Term> factors;    // sorted; of a product of products, theirs
    std::vector<Multiple> multiples;
    std::vector<Term> known;
  };

  template <class Wanted>
  std::vector<Term> made_of(std::vector<Term> todo, Wanted wanted) const;
  // Divisions whose divisor is not a constant, and products.
  std::vector<Term> inside(const std::vector<Term>& goal) const;
  bool divides(Term t) const;
  // The variables that divisors are made of.
  std::vector<Term> lengths(const std::vector<Term>& goal) const;
  Term inner(Term t) const;
  Term stand(Term t) { return pool_.substitute(t, memo_); }
  Term variable(uint8_t width, const char* name, Term of, Stand::Kind kind = Stand::value);
  Term wide(Term t) { return pool_.zext(t, 64); }
  Term magnitude(Term t);
  Term negative(Term t);
  size_t division(Term t);
  void describe(Division& d, Term a, Term b);
  size_t product(Term t);
  void describe(Product& p, Term a, Term b);
  Term no_overflow(Term t, Term a, Term b, bool is_signed);
  Term exact(const Product& p, bool is_signed) const;
  const Product* product_of(Term node) const;
  void regrouped(const Product& p, const std::vector<size_t>& products, std::vector<Multiple>& out);
  Term apart(const Multiple& x, const Multiple& y);
  void nested(const std::vector<size_t>& divisions, std::vector<Term>& out);
  void promised(const std::vector<Kept>& kept, std::vector<Term>& out);

  Pool& pool_;
  std::vector<uint8_t> has_;  // by term: a division is in it
  std::unordered_map<uint32_t, Term> memo_;
  std::unordered_map<uint32_t, size_t> by_node_;  // divisions and products
  std::unordered_map<uint32_t, Term> magnitudes_;
  std::vector<Division> divisions_;
  std::vector<Product> products_;
  std::vector<Stand> stands_;
};

}  // namespace fencepost::prove

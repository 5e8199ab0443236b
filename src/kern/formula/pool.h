#pragma once
// Bit-vector formulas of the kernel verifier: a hash-consed graph, rewritten strongly as it is built, so that most
// questions about two threads are answered before a solver sees them.
//
// How it differs from ground/term: nodes are shared (equal structure means equal id, so comparison is free), rewriting
// may drop variables, and there are uninterpreted functions (floats, unknown memory). Rules that carry the weight:
//  - additions, subtractions, shifts and products by constants are one n-ary linear sum, so the offsets of two threads
//    cancel in their difference;
//  - every node knows an unsigned and a signed range, so comparisons fold, equations lose common factors and
//    extensions, and divisions by constants split a sum into quotient and remainder;
//  - a conjunction is a sorted set; disjunction and implication are made of it.
// Semantics: SMT-LIB QF_BV, except that sdiv and srem by zero give 0 (as ground/term); widths 1..64; width 1 is truth.
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace fencepost::formula {

struct Term {
  uint32_t id = ~0u;
  explicit operator bool() const { return id != ~0u; }
  friend auto operator<=>(const Term&, const Term&) = default;
};

enum class Op : uint8_t {
  constant,  // value
  variable,  // value: number of the variable
  apply,     // value: symbol; kids: arguments
  all,       // width 1: conjunction of two or more different kids, sorted
  not_,      // width 1
  ite,
  sum,  // value + coefficients[i] * kids[i]
  mul,
  udiv,
  urem,
  sdiv,
  srem,
  and_,
  or_,
  xor_,
  shl,
  lshr,
  ashr,
  eq,
  ult,
  slt,
  zext,
  sext,
  extract,  // value: lowest bit
  concat,   // high, low
};

struct Node {
  Op op = Op::constant;
  uint8_t width = 1;
  uint64_t value = 0;
  std::vector<Term> kids;
  std::vector<uint64_t> coefficients;  // sum only, never 0
  // Ranges that hold for every assignment.
  uint64_t low = 0, high = 0;
  int64_t signed_low = 0, signed_high = 0;
  uint8_t trailing_zeros = 0;
  bool exact = false;         // sum: as an integer (signed coefficients, unsigned kids) it lies in [0, 2^width)
  bool signed_exact = false;  // ... in [-2^(width-1), 2^(width-1))
};

class Pool {
 public:
  Pool();
  const Node& operator[](Term t) const { return nodes_[t.id]; }
  uint8_t width(Term t) const { return nodes_[t.id].width; }
  bool is_constant(Term t) const { return nodes_[t.id].op == Op::constant; }
  bool is_constant(Term t, uint64_t v) const { return is_constant(t) && nodes_[t.id].value == v; }
  uint64_t value(Term t) const { return nodes_[t.id].value; }
  size_t size() const { return nodes_.size(); }

  Term constant(uint64_t value, uint8_t width);
  Term truth(bool b) const { return b ? true_ : false_; }
  Term yes() const { return true_; }
  Term no() const { return false_; }
  bool is_true(Term t) const { return t == true_; }
  bool is_false(Term t) const { return t == false_; }
  // A new variable, with values in [0, below) when `below` is not 0: the caller asserts that bound as a constraint if
  // it is not a power of two (`bound`), since a variable itself only has a width.
  Term variable(uint8_t width, std::string name);
  // A value in [0, count): a variable of as few bits as can hold it, extended to `width`; its bound, if it is not
  // implied by the bits, is appended to `constraints`.
  Term number_below(uint64_t count, uint8_t width, std::string name, std::vector<Term>& constraints);
  const std::string& variable_name(uint64_t number) const { return variable_names_[number]; }
  uint64_t variables() const { return variable_names_.size(); }
  uint64_t symbol(const std::string& name);
  uint64_t symbols() const { return symbol_names_.size(); }
  const std::string& symbol_name(uint64_t s) const { return symbol_names_[s]; }
  Term apply(uint64_t symbol, uint8_t width, std::vector<Term> arguments);

  Term not_(Term a);  // bitwise
  Term all(std::vector<Term> kids);
  Term all(Term a, Term b);
  Term any(std::vector<Term> kids);
  Term any(Term a, Term b);
  Term implies(Term a, Term b) { return any(not_(a), b); }
  Term ite(Term c, Term t, Term e);
  Term add(Term a, Term b);
  Term sub(Term a, Term b);
  Term neg(Term a);
  Term scale(Term a, uint64_t by);
  Term mul(Term a, Term b);
  Term udiv(Term a, Term b);
  Term urem(Term a, Term b);
  Term sdiv(Term a, Term b);
  Term srem(Term a, Term b);
  Term and_(Term a, Term b);
  Term or_(Term a, Term b);
  Term xor_(Term a, Term b);
  Term shl(Term a, Term b);
  Term lshr(Term a, Term b);
  Term ashr(Term a, Term b);
  Term eq(Term a, Term b);
  Term ne(Term a, Term b) { return not_(eq(a, b)); }
  Term ult(Term a, Term b);
  Term ule(Term a, Term b) { return not_(ult(b, a)); }
  Term slt(Term a, Term b);
  Term sle(Term a, Term b) { return not_(slt(b, a)); }
  Term zext(Term a, uint8_t width);
  Term sext(Term a, uint8_t width);
  Term extract(Term a, uint8_t low, uint8_t width);
  Term concat(Term high, Term low);

  // What else is known of a comparison, product, quotient or remainder (eq, ult, mul, udiv, urem) that the rules above
  // leave: an equal term, or none. Of eq, both sides have only coefficients above 0.
  using Rule = std::function<Term(Op, Term, Term)>;
  void rule(Rule r) { rule_ = std::move(r); }

  // The conjuncts of a width-1 term: itself unless it is `all`.
  std::vector<Term> conjuncts(Term t) const;
  // The term with subterms replaced; `memo` starts with the replacements and gains what was built.
  Term substitute(Term t, std::unordered_map<uint32_t, Term>& memo);
  std::string print(Term t) const;

 private:
  struct Linear {
    std::vector<std::pair<Term, uint64_t>> parts;  // sorted by term
    uint64_t constant = 0;
  };
  Term intern(Node n);
  Term make(Op op, uint8_t width, std::vector<Term> kids, uint64_t value = 0);
  void set_range(Node& n) const;
  Linear linear(Term t) const;
  Term from_linear(Linear l, uint8_t width);
  bool joined(Linear& l, uint8_t width) const;
  Linear combine(const Linear& a, uint64_t scale_a, const Linear& b, uint64_t scale_b, uint8_t width) const;
  bool split(Term a, uint64_t by, Term& quotient, Term& remainder);
  Term eq_sums(Term a, Term b);
  Term exponent(Term t) const;

  std::vector<Node> nodes_;
  std::vector<uint32_t> table_;  // open addressing, id + 1
  std::vector<std::string> variable_names_, symbol_names_;
  std::unordered_map<std::string, uint64_t> symbols_;
  Term true_, false_;
  Rule rule_;
};

uint64_t ones(uint8_t width);
int64_t as_signed(uint64_t v, uint8_t width);
// One operator on values; `result` is the width of the result, `operand` that of the first operand.
uint64_t evaluate(Op op, uint8_t operand, uint8_t result, uint64_t a, uint64_t b, uint64_t c, uint64_t imm);

}  // namespace fencepost::formula

#pragma once
// Typed bit-vector terms, widths 1..64: the expressions of programs. Immutable, shared, compared by
// structure. Variables are numbered by their user (prog uses register numbers). Semantics are those of
// SMT-LIB QF_BV, except that sdiv/srem by zero give 0 (PTX ISA 9.7.1: the result is unspecified; a fixed
// value keeps runs deterministic). Comparisons give width 1.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fencepost::term {

enum class Op : uint8_t {
  constant,
  variable,
  // width-preserving
  not_,
  neg,
  add,
  sub,
  mul,
  sdiv,
  udiv,
  srem,
  urem,
  and_,
  or_,
  xor_,
  shl,
  lshr,
  ashr,
  smin,
  smax,
  umin,
  umax,
  // to width 1
  eq,
  ne,
  slt,
  sle,
  sgt,
  sge,
  ult,
  ule,
  ugt,
  uge,
  // others
  ite,  // kids: condition (width 1), then, else
  zext,
  sext,
  trunc,  // to `width`
};
const char* name(Op op);
bool is_comparison(Op op);

class Expr;
struct Node {
  Op op;
  uint8_t width;
  uint64_t value = 0;  // constant: masked value; variable: its number
  std::vector<Expr> kids;
};

class Expr {
 public:
  Expr() = default;  // empty: "no expression"
  explicit operator bool() const { return node_ != nullptr; }
  Op op() const { return node_->op; }
  uint8_t width() const { return node_->width; }
  uint64_t value() const { return node_->value; }
  const std::vector<Expr>& kids() const { return node_->kids; }
  bool is_const() const { return node_ && node_->op == Op::constant; }
  bool is_const(uint64_t v) const { return is_const() && node_->value == v; }
  bool is_var() const { return node_ && node_->op == Op::variable; }
  const Node* identity() const { return node_.get(); }  // for hash-consing caches
  friend bool operator==(const Expr& a, const Expr& b);

  static Expr make(Node n);

 private:
  std::shared_ptr<const Node> node_;
};

uint64_t mask(uint8_t width);
int64_t to_signed(uint64_t v, uint8_t width);

Expr constant(uint64_t value, uint8_t width);
Expr variable(uint64_t number, uint8_t width);
// Build with light rewriting (constant folding, x+0, ite with constant condition). Except for the branch that a
// constant condition excludes, rewriting never drops a variable: dependencies are read off the variables of a
// term, and `xor r1, r0, r0` depends on r0.
Expr unary(Op op, Expr a);
Expr binary(Op op, Expr a, Expr b);
Expr ite(Expr c, Expr t, Expr e);
Expr resize(Expr a, uint8_t width, bool is_signed);  // zext/sext/trunc as needed
Expr truth(Expr a);                                  // a != 0, width 1

uint64_t eval_op(Op op, uint8_t operand_width, uint8_t result_width, uint64_t a, uint64_t b, uint64_t c);
// Value of an expression; nullopt when it needs a variable that `env` does not know.
using Env = std::function<std::optional<uint64_t>(uint64_t variable)>;
std::optional<uint64_t> eval(const Expr& e, const Env& env);
void for_each_variable(const Expr& e, const std::function<void(uint64_t)>& f);
Expr substitute(const Expr& e, const std::function<Expr(uint64_t, uint8_t)>& f);
std::string to_string(const Expr& e, const std::function<std::string(uint64_t)>& variable_name);

}  // namespace fencepost::term

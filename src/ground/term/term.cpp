// Terms are immutable trees with shared parts, rewritten as they are built: constants fold, neutral and absorbing
// constants go, double negations go. That is all, on purpose:
//   - no rewriting drops a variable (x * 0, x ^ x stay), because programs read their dependencies off the variables of
//     a term, and a dependency that the code has must not vanish from its events;
//   - nothing is reordered, so that what is printed is what the test said.
// Terms are not hash-consed: they are compared by structure, and identity() only says that two are the same object. The
// kernel verifier has terms of its own (kern/formula/pool.h), hash-consed and rewritten strongly, since none of its
// answers rests on which variables a term mentions.
#include "term/term.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/diagnostic.h"

namespace fencepost::term {
namespace {

// Terms share their parts: `x = x + x` forty times over is forty nodes, and a tree of 2^40. Walks of small terms go
// without a memory; from this many steps on they remember where they have been.
constexpr size_t k_small = 256;

bool commutative(Op op) {
  switch (op) {
    case Op::add:
    case Op::mul:
    case Op::and_:
    case Op::or_:
    case Op::xor_:
    case Op::smin:
    case Op::smax:
    case Op::umin:
    case Op::umax:
    case Op::eq:
    case Op::ne:
      return true;
    default:
      return false;
  }
}

bool is_unary(Op op) { return op == Op::not_ || op == Op::neg; }

bool is_binary(Op op) { return op >= Op::add && op <= Op::uge; }

void check_width(unsigned width) {
  FENCEPOST_INVARIANT(width >= 1 && width <= 64, "a bit-vector width outside 1..64 was built");
}

// Rewritings of `a op b` where `b` is a constant; empty when none applies. None drops a variable: x * 0 and
// x ^ x stay as they are, because programs read their dependencies off the variables of a term.
Expr simplify_right(Op op, const Expr& a, const Expr& b) {
  const uint64_t v = b.value();
  switch (op) {
    case Op::add:
    case Op::sub:
    case Op::or_:
    case Op::xor_:
    case Op::shl:
    case Op::lshr:
    case Op::ashr:
      if (v == 0) return a;
      break;
    case Op::mul:
    case Op::udiv:
      if (v == 1) return a;
      break;
    case Op::sdiv:
      if (v == 1 && a.width() > 1) return a;  // at width 1 the constant is -1
      break;
    case Op::and_:
      if (v == mask(a.width())) return a;
      break;
    default:
      break;
  }
  return {};
}

}  // namespace

const char* name(Op op) {
  switch (op) {
    case Op::constant:
      return "const";
    case Op::variable:
      return "var";
    case Op::not_:
      return "not";
    case Op::neg:
      return "neg";
    case Op::add:
      return "add";
    case Op::sub:
      return "sub";
    case Op::mul:
      return "mul";
    case Op::sdiv:
      return "sdiv";
    case Op::udiv:
      return "udiv";
    case Op::srem:
      return "srem";
    case Op::urem:
      return "urem";
    case Op::and_:
      return "and";
    case Op::or_:
      return "or";
    case Op::xor_:
      return "xor";
    case Op::shl:
      return "shl";
    case Op::lshr:
      return "lshr";
    case Op::ashr:
      return "ashr";
    case Op::smin:
      return "smin";
    case Op::smax:
      return "smax";
    case Op::umin:
      return "umin";
    case Op::umax:
      return "umax";
    case Op::eq:
      return "eq";
    case Op::ne:
      return "ne";
    case Op::slt:
      return "slt";
    case Op::sle:
      return "sle";
    case Op::sgt:
      return "sgt";
    case Op::sge:
      return "sge";
    case Op::ult:
      return "ult";
    case Op::ule:
      return "ule";
    case Op::ugt:
      return "ugt";
    case Op::uge:
      return "uge";
    case Op::ite:
      return "ite";
    case Op::zext:
      return "zext";
    case Op::sext:
      return "sext";
    case Op::trunc:
      return "trunc";
  }
  return "const";
}

bool is_comparison(Op op) { return op >= Op::eq && op <= Op::uge; }

namespace {

class Comparison {
 public:
  bool equal(const Expr& a, const Expr& b) {
    if (a.identity() == b.identity()) return true;
    if (!a || !b) return false;
    if (a.op() != b.op() || a.width() != b.width() || a.value() != b.value() || a.kids().size() != b.kids().size())
      return false;
    // Pairs met before are equal, or the comparison would have ended there.
    if (!a.kids().empty() && ++steps_ > k_small && !met_.emplace(a.identity(), b.identity()).second) return true;
    for (size_t i = 0; i < a.kids().size(); ++i)
      if (!equal(a.kids()[i], b.kids()[i])) return false;
    return true;
  }

 private:
  size_t steps_ = 0;
  std::set<std::pair<const Node*, const Node*>> met_;
};

}  // namespace

bool operator==(const Expr& a, const Expr& b) { return Comparison().equal(a, b); }

Expr Expr::make(Node n) {
  check_width(n.width);
  Expr e;
  e.node_ = std::make_shared<const Node>(std::move(n));
  return e;
}

uint64_t mask(uint8_t width) { return width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1; }

int64_t to_signed(uint64_t v, uint8_t width) {
  const unsigned gap = 64u - std::min<unsigned>(width, 64);
  return static_cast<int64_t>(v << gap) >> gap;
}

Expr constant(uint64_t value, uint8_t width) { return Expr::make({Op::constant, width, value & mask(width), {}}); }
Expr variable(uint64_t number, uint8_t width) { return Expr::make({Op::variable, width, number, {}}); }

Expr unary(Op op, Expr a) {
  FENCEPOST_INVARIANT(is_unary(op) && a, "a unary term was built with another operator or without operand");
  const uint8_t w = a.width();
  if (a.is_const()) return constant(eval_op(op, w, w, a.value(), 0, 0), w);
  if (a.op() == op) return a.kids()[0];
  return Expr::make({op, w, 0, {std::move(a)}});
}

Expr binary(Op op, Expr a, Expr b) {
  FENCEPOST_INVARIANT(is_binary(op) && a && b, "a binary term was built with another operator or without operands");
  FENCEPOST_INVARIANT(a.width() == b.width(), "operands of different widths were combined");
  const uint8_t w = a.width();
  const uint8_t result = is_comparison(op) ? uint8_t{1} : w;
  if (a.is_const() && b.is_const()) return constant(eval_op(op, w, result, a.value(), b.value(), 0), result);
  if (b.is_const())
    if (Expr e = simplify_right(op, a, b)) return e;
  if (a.is_const() && commutative(op))
    if (Expr e = simplify_right(op, b, a)) return e;
  return Expr::make({op, result, 0, {std::move(a), std::move(b)}});
}

Expr ite(Expr c, Expr t, Expr e) {
  FENCEPOST_INVARIANT(c && t && e && c.width() == 1, "the condition of a choice must have width 1");
  FENCEPOST_INVARIANT(t.width() == e.width(), "branches of different widths were combined");
  if (c.is_const()) return c.value() != 0 ? t : e;
  if (t.width() == 1 && t.is_const(1) && e.is_const(0)) return c;
  const uint8_t w = t.width();
  return Expr::make({Op::ite, w, 0, {std::move(c), std::move(t), std::move(e)}});
}

Expr resize(Expr a, uint8_t width, bool is_signed) {
  check_width(width);
  const uint8_t from = a.width();
  if (from == width) return a;
  const Op op = width < from ? Op::trunc : is_signed ? Op::sext : Op::zext;
  if (a.is_const()) return constant(eval_op(op, from, width, a.value(), 0, 0), width);
  return Expr::make({op, width, 0, {std::move(a)}});
}

Expr truth(Expr a) {
  if (a.width() == 1) return a;
  // A widened truth value is true exactly when the value it was made of is.
  if ((a.op() == Op::zext || a.op() == Op::sext)) return truth(a.kids()[0]);
  const uint8_t w = a.width();
  return binary(Op::ne, std::move(a), constant(0, w));
}

uint64_t eval_op(Op op, uint8_t ow, uint8_t rw, uint64_t a, uint64_t b, uint64_t c) {
  const uint64_t m = mask(ow);
  const auto sa = [&] { return to_signed(a, ow); };
  const auto sb = [&] { return to_signed(b, ow); };
  // INT64_MIN / -1 overflows in C++; in bit-vector arithmetic it wraps to itself, remainder 0.
  const auto divide = [&](bool remainder) -> uint64_t {
    if ((b & m) == 0) return 0;
    if (sb() == -1) return remainder ? 0 : (0 - a) & m;
    return static_cast<uint64_t>(remainder ? sa() % sb() : sa() / sb()) & m;
  };
  a &= op == Op::ite ? 1 : m;
  if (op != Op::ite) b &= m;
  switch (op) {
    case Op::constant:
    case Op::variable:
      return a;
    case Op::not_:
      return ~a & m;
    case Op::neg:
      return (0 - a) & m;
    case Op::add:
      return (a + b) & m;
    case Op::sub:
      return (a - b) & m;
    case Op::mul:
      return (a * b) & m;
    case Op::sdiv:
      return divide(false);
    case Op::srem:
      return divide(true);
    case Op::udiv:
      return b == 0 ? m : a / b;
    case Op::urem:
      return b == 0 ? a : a % b;
    case Op::and_:
      return a & b;
    case Op::or_:
      return a | b;
    case Op::xor_:
      return a ^ b;
    case Op::shl:
      return b >= ow ? 0 : (a << b) & m;
    case Op::lshr:
      return b >= ow ? 0 : a >> b;
    case Op::ashr:
      return static_cast<uint64_t>(sa() >> std::min<uint64_t>(b, ow - 1u)) & m;
    case Op::smin:
      return sa() <= sb() ? a : b;
    case Op::smax:
      return sa() >= sb() ? a : b;
    case Op::umin:
      return std::min(a, b);
    case Op::umax:
      return std::max(a, b);
    case Op::eq:
      return a == b;
    case Op::ne:
      return a != b;
    case Op::slt:
      return sa() < sb();
    case Op::sle:
      return sa() <= sb();
    case Op::sgt:
      return sa() > sb();
    case Op::sge:
      return sa() >= sb();
    case Op::ult:
      return a < b;
    case Op::ule:
      return a <= b;
    case Op::ugt:
      return a > b;
    case Op::uge:
      return a >= b;
    case Op::ite:
      return (a != 0 ? b : c) & mask(rw);
    case Op::zext:
      return a & mask(rw);
    case Op::sext:
      return static_cast<uint64_t>(sa()) & mask(rw);
    case Op::trunc:
      return a & mask(rw);
  }
  return 0;
}

namespace {

class Evaluation {
 public:
  explicit Evaluation(const Env& env) : env_(env) {}

  std::optional<uint64_t> of(const Expr& e) {
    switch (e.op()) {
      case Op::constant:
        return e.value();
      case Op::variable: {
        auto v = env_(e.value());
        if (v) *v &= mask(e.width());
        return v;
      }
      default:
        break;
    }
    if (++steps_ <= k_small) return inner(e);
    if (const auto it = known_.find(e.identity()); it != known_.end()) return it->second;
    const auto v = inner(e);
    known_.emplace(e.identity(), v);
    return v;
  }

 private:
  std::optional<uint64_t> inner(const Expr& e) {
    if (e.op() == Op::ite) {
      // Only the chosen branch is needed: the other may hang on a variable that is not known.
      const auto c = of(e.kids()[0]);
      if (!c) return std::nullopt;
      return of(e.kids()[*c != 0 ? 1 : 2]);
    }
    const auto a = of(e.kids()[0]);
    if (!a) return std::nullopt;
    uint64_t b = 0;
    if (e.kids().size() > 1) {
      const auto value = of(e.kids()[1]);
      if (!value) return std::nullopt;
      b = *value;
    }
    return eval_op(e.op(), e.kids()[0].width(), e.width(), *a, b, 0);
  }

  const Env& env_;
  size_t steps_ = 0;
  std::unordered_map<const Node*, std::optional<uint64_t>> known_;
};

class VariableWalk {
 public:
  explicit VariableWalk(const std::function<void(uint64_t)>& f) : f_(f) {}
  void walk(const Expr& e) {
    if (e.is_var()) f_(e.value());
    if (e.kids().empty() || (++steps_ > k_small && !met_.insert(e.identity()).second)) return;
    for (const Expr& k : e.kids()) walk(k);
  }

 private:
  const std::function<void(uint64_t)>& f_;
  size_t steps_ = 0;
  std::unordered_set<const Node*> met_;
};

class Substitution {
 public:
  explicit Substitution(const std::function<Expr(uint64_t, uint8_t)>& f) : f_(f) {}

  Expr of(const Expr& e) {
    if (!e || e.is_const()) return e;
    if (e.is_var()) {
      Expr with = f_(e.value(), e.width());
      FENCEPOST_INVARIANT(!with || with.width() == e.width(), "a variable was replaced by a term of another width");
      return with ? with : e;
    }
    if (++steps_ <= k_small) return inner(e);
    if (const auto it = known_.find(e.identity()); it != known_.end()) return it->second;
    Expr with = inner(e);
    known_.emplace(e.identity(), with);
    return with;
  }

 private:
  Expr inner(const Expr& e) {
    std::vector<Expr> kids;
    bool changed = false;
    for (const Expr& k : e.kids()) {
      kids.push_back(of(k));
      changed = changed || kids.back().identity() != k.identity();
    }
    if (!changed) return e;
    if (is_unary(e.op())) return unary(e.op(), kids[0]);
    if (is_binary(e.op())) return binary(e.op(), kids[0], kids[1]);
    if (e.op() == Op::ite) return ite(kids[0], kids[1], kids[2]);
    return resize(kids[0], e.width(), e.op() == Op::sext);
  }

  const std::function<Expr(uint64_t, uint8_t)>& f_;
  size_t steps_ = 0;
  std::unordered_map<const Node*, Expr> known_;
};

}  // namespace

std::optional<uint64_t> eval(const Expr& e, const Env& env) {
  FENCEPOST_INVARIANT(static_cast<bool>(e), "an empty term was evaluated");
  return Evaluation(env).of(e);
}

void for_each_variable(const Expr& e, const std::function<void(uint64_t)>& f) {
  if (e) VariableWalk(f).walk(e);
}

Expr substitute(const Expr& e, const std::function<Expr(uint64_t, uint8_t)>& f) { return Substitution(f).of(e); }

std::string to_string(const Expr& e, const std::function<std::string(uint64_t)>& variable_name) {
  if (!e) return "";
  if (e.is_const())
    return std::to_string(e.width() == 1 ? static_cast<int64_t>(e.value()) : to_signed(e.value(), e.width()));
  if (e.is_var()) return variable_name(e.value());
  const auto kid = [&](size_t i) { return to_string(e.kids()[i], variable_name); };
  const auto infix = [&](const char* op) { return "(" + kid(0) + " " + op + " " + kid(1) + ")"; };
  switch (e.op()) {
    case Op::not_:
      return (e.width() == 1 ? "!" : "~") + kid(0);
    case Op::neg:
      return "-" + kid(0);
    case Op::add:
      return infix("+");
    case Op::sub:
      return infix("-");
    case Op::mul:
      return infix("*");
    case Op::sdiv:
      return infix("/");
    case Op::srem:
      return infix("%");
    case Op::and_:
      return infix("&");
    case Op::or_:
      return infix("|");
    case Op::xor_:
      return infix("^");
    case Op::shl:
      return infix("<<");
    case Op::ashr:
      return infix(">>");
    case Op::eq:
      return infix("==");
    case Op::ne:
      return infix("!=");
    case Op::slt:
      return infix("<");
    case Op::sle:
      return infix("<=");
    case Op::sgt:
      return infix(">");
    case Op::sge:
      return infix(">=");
    case Op::ite:
      return "(" + kid(0) + " ? " + kid(1) + " : " + kid(2) + ")";
    case Op::zext:
    case Op::sext:
    case Op::trunc:
      return std::string(name(e.op())) + std::to_string(e.width()) + "(" + kid(0) + ")";
    default:
      return std::string(name(e.op())) + "(" + kid(0) + ", " + kid(1) + ")";
  }
}

}  // namespace fencepost::term

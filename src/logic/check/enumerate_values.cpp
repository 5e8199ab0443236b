#include "check/enumerate_values.h"

#include <unordered_map>

#include "base/diagnostic.h"
#include "prog/test.h"
#include "sat/circuit.h"

namespace fencepost::check {
namespace {

class Blaster {
 public:
  Blaster() : bits_(circuit_) {}

  const sat::Bits& of(const Expr& e) {
    if (const auto it = known_.find(e.identity()); it != known_.end()) return it->second;
    sat::Bits b;
    if (e.is_const()) {
      b = bits_.constant(e.value(), e.width());
    } else if (e.is_var()) {
      auto [it, fresh] = variables_.try_emplace(e.value());
      if (fresh) it->second = bits_.fresh(e.width());
      FENCEPOST_INVARIANT(it->second.size() == e.width(), "a variable is used at two widths");
      b = it->second;
    } else {
      std::vector<sat::Bits> kids;
      for (const Expr& k : e.kids()) kids.push_back(of(k));
      b = bits_.apply(e.op(), e.width(), kids);
    }
    keep_.push_back(e);  // so that the identity stays taken
    return known_.emplace(e.identity(), std::move(b)).first->second;
  }

  void equal(const Expr& a, const Expr& b) {
    const sat::Bits x = of(a);
    const sat::Bits y = of(b);
    circuit_.add({bits_.eq(x, y)});
  }
  void require(const Constraint& c) {
    const sat::Lit l = of(c.term)[0];
    circuit_.add({c.value ? l : -l});
  }

  sat::Answer solve(const Job& job, Solution& out) {
    if (!circuit_.propagate()) return sat::Answer::unsat;
    const auto solver = sat::make_cadical();
    circuit_.feed(*solver);
    const sat::Answer answer = solver->solve({}, job);
    if (answer != sat::Answer::sat) return answer;
    for (const auto& [v, b] : variables_) {
      uint64_t value = 0;
      for (size_t k = 0; k < b.size(); ++k) {
        const sat::Lit l = circuit_.fold(b[k]);
        const bool bit = l == sat::k_true || (l != sat::k_false && solver->value(l));
        if (bit) value |= uint64_t{1} << k;
      }
      out[v] = value;
    }
    return answer;
  }

 private:
  sat::Circuit circuit_;
  sat::BitVectors bits_;
  std::unordered_map<const term::Node*, sat::Bits> known_;
  std::map<uint64_t, sat::Bits> variables_;
  std::vector<Expr> keep_;
};

Expr value_term(const prog::Test& test, const prog::CondValue& v, const FinalTerms& final) {
  switch (v.kind) {
    case prog::CondValue::Kind::reg:
      return final.reg(v.thread, v.reg);
    case prog::CondValue::Kind::location:
      return final.memory(test.symbols[v.symbol].object, v.cell);
    case prog::CondValue::Kind::constant:
      return term::constant(v.constant, 64);
    case prog::CondValue::Kind::address:
      return term::constant(prog::address_of(test.symbols[v.symbol].object, v.cell), 64);
  }
  return {};
}

}  // namespace

sat::Answer solve(const Equations& problem, const Job& job, Solution& solution) {
  Blaster b;
  for (const auto& [x, y] : problem.equal) b.equal(x, y);
  for (const Constraint& c : problem.constraints) b.require(c);
  return b.solve(job, solution);
}

Tri tri(bool b) { return b ? Tri::yes : Tri::no; }

Tri evaluate(const prog::Test& test, const prog::Cond& c, const FinalTerms& final, const term::Env& env) {
  using Kind = prog::Cond::Kind;
  switch (c.kind) {
    case Kind::always:
      return Tri::yes;
    case Kind::not_: {
      const Tri t = evaluate(test, c.kids.front(), final, env);
      return t == Tri::unknown ? t : tri(t == Tri::no);
    }
    case Kind::and_:
    case Kind::or_: {
      const Tri deciding = tri(c.kind == Kind::or_);
      bool open = false;
      for (const prog::Cond& k : c.kids) {
        const Tri t = evaluate(test, k, final, env);
        if (t == deciding) return t;
        open = open || t == Tri::unknown;
      }
      return open ? Tri::unknown : tri(c.kind == Kind::and_);
    }
    case Kind::atom:
      break;
  }
  const Expr a = value_term(test, c.lhs, final);
  const Expr b = value_term(test, c.rhs, final);
  if (!a || !b) return Tri::unknown;
  const auto x = term::eval(a, env);
  const auto y = term::eval(b, env);
  if (!x || !y) return Tri::unknown;
  const auto extended = [](const prog::CondValue& v, uint64_t n, uint8_t width) {
    return v.is_unsigned ? n : static_cast<uint64_t>(term::to_signed(n, width));
  };
  return tri(term::eval_op(c.cmp, 64, 1, extended(c.lhs, *x, a.width()), extended(c.rhs, *y, b.width()), 0) != 0);
}

Expr condition_term(const prog::Test& test, const prog::Cond& c, const FinalTerms& final) {
  using Kind = prog::Cond::Kind;
  switch (c.kind) {
    case Kind::always:
      return term::constant(1, 1);
    case Kind::not_:
      return term::unary(term::Op::not_, condition_term(test, c.kids.front(), final));
    case Kind::and_:
    case Kind::or_: {
      Expr e = term::constant(c.kind == Kind::and_ ? 1 : 0, 1);
      for (const prog::Cond& k : c.kids)
        e = term::binary(c.kind == Kind::and_ ? term::Op::and_ : term::Op::or_, e, condition_term(test, k, final));
      return e;
    }
    case Kind::atom:
      break;
  }
  const Expr a = value_term(test, c.lhs, final);
  const Expr b = value_term(test, c.rhs, final);
  FENCEPOST_INVARIANT(a && b, "a condition was made a term before its values were chosen");
  return term::binary(c.cmp, term::resize(a, 64, !c.lhs.is_unsigned), term::resize(b, 64, !c.rhs.is_unsigned));
}

}  // namespace fencepost::check

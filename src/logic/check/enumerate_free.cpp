#include "check/enumerate_free.h"

#include <map>
#include <set>

namespace fencepost::check {
namespace {

constexpr size_t k_most_listed = 64;  // final states of one candidate that differ in free values alone

uint64_t value_under(const Expr& e, const Solution& s) {
  return *term::eval(e, [&](uint64_t var) -> std::optional<uint64_t> {
    const auto it = s.find(var);
    return it == s.end() ? 0 : it->second;
  });
}

Expr is_value_under(const Expr& e, const Solution& s) {
  return term::binary(term::Op::eq, e, term::constant(value_under(e, s), e.width()));
}

bool varies(const Equations& base, const Expr& e, const Job& job) {
  Solution s;
  if (solve(base, job, s) != sat::Answer::sat) return true;
  Equations other = base;
  other.constraints.push_back({is_value_under(e, s), false});
  Solution unused;
  return solve(other, job, unused) != sat::Answer::unsat;
}

// Variables that equations make equal go by one of them.
uint64_t root(const Equations& base, uint64_t variable) {
  std::set<uint64_t> same{variable};
  for (bool grew = true; grew;) {
    grew = false;
    for (const auto& [a, b] : base.equal)
      if (a.is_var() && b.is_var() && same.contains(a.value()) != same.contains(b.value())) {
        same.insert(a.value());
        same.insert(b.value());
        grew = true;
      }
  }
  return *same.begin();
}

// By root: how many constraints, other equations, observables and operands of barriers speak of the variable.
std::map<uint64_t, uint32_t> occurrences(const Equations& base, const std::vector<Observed>& observed,
                                         const std::vector<Expr>& barriers) {
  std::map<uint64_t, uint32_t> out;
  const auto count = [&](const Expr& e) {
    if (e) term::for_each_variable(e, [&](uint64_t v) { ++out[root(base, v)]; });
  };
  for (const auto& [a, b] : base.equal)
    if (!(a.is_var() && b.is_var())) count(a), count(b);
  for (const Constraint& c : base.constraints) count(c.term);
  for (const Observed& o : observed) count(o.value);
  for (const Expr& e : barriers) count(e);
  return out;
}

}  // namespace

Expr meeting_of(const prog::Test& test, const Combination& c, const std::function<Expr(const Expr&)>& known,
                const Solution& s) {
  Expr all = term::constant(1, 1);
  const auto as_solved = [&](const Expr& t) {
    all = term::binary(term::Op::and_, all, value_under(t, s) != 0 ? t : term::unary(term::Op::not_, t));
  };
  const auto operand = [&](const Expr& e) { return known(term::resize(e, 64, true)); };
  std::vector<Expr> ids;
  for (const OpenArrival& o : c.arrivals)
    if (o.arrival->id) ids.push_back(operand(o.arrival->id));
  for (const prog::Template& t : test.templates)
    for (const prog::Instr& i : t.code)
      if (i.kind == prog::Kind::barrier && i.barrier.id && i.barrier.id.is_const())
        ids.push_back(term::resize(i.barrier.id, 64, true));
  for (size_t i = 0; i < ids.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (!ids[i].is_const() || !ids[j].is_const()) as_solved(term::binary(term::Op::eq, ids[i], ids[j]));
  for (const OpenArrival& o : c.arrivals) {
    if (!o.arrival->quorum) continue;
    const Expr q = operand(o.arrival->quorum);
    if (q.is_const()) continue;
    for (size_t n = 0; n <= c.arrivals.size(); ++n) as_solved(term::binary(term::Op::sle, q, term::constant(n, 64)));
  }
  return all;
}

std::optional<Listing> list_values(const Equations& base, const std::vector<Observed>& observed,
                                   const std::vector<Expr>& barriers, const Job& job) {
  Listing out;
  out.free.assign(observed.size(), false);
  const auto uses = occurrences(base, observed, barriers);
  for (size_t i = 0; i < observed.size(); ++i) {
    const Expr& e = observed[i].value;
    out.free[i] = e.is_var() && e.width() == observed[i].width && uses.at(root(base, e.value())) == 1;
  }
  Equations left = base;
  for (size_t n = 0; n <= k_most_listed; ++n) {
    Solution s;
    const sat::Answer a = solve(left, job, s);
    if (a == sat::Answer::unknown) return std::nullopt;
    if (a != sat::Answer::sat) return out;
    const Expr shown = shown_by(s, observed, out.free, term::constant(1, 1));
    if (shown.is_const()) return out;
    left.constraints.push_back({shown, false});
  }
  out.loose = true;
  for (size_t i = 0; i < observed.size(); ++i)
    if (!observed[i].value.is_const()) out.free[i] = out.free[i] || varies(base, observed[i].value, job);
  return out;
}

Expr shown_by(const Solution& s, const std::vector<Observed>& observed, const std::vector<bool>& free,
              const Expr& condition) {
  Expr all = term::constant(1, 1);
  for (size_t i = 0; i < observed.size(); ++i)
    if (!free[i] && !observed[i].value.is_const())
      all = term::binary(term::Op::and_, all, is_value_under(observed[i].value, s));
  if (condition.is_const()) return all;
  return term::binary(term::Op::and_, all,
                      value_under(condition, s) != 0 ? condition : term::unary(term::Op::not_, condition));
}

}  // namespace fencepost::check

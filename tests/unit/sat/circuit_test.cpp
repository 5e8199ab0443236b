// Gates and bit-vector operators against their arithmetic meaning, through the solver.
#include "sat/circuit.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <thread>

#include "base/job.h"

namespace fencepost::sat {
namespace {

using term::Op;

uint64_t number(const Bits& b, const Circuit& c, const Solver& s) {
  uint64_t v = 0;
  for (size_t i = 0; i < b.size(); ++i) {
    const Lit f = c.fold(b[i]);
    if (f == k_true || (f != k_false && s.value(f))) v |= uint64_t{1} << i;
  }
  return v;
}

// The operator on free inputs that are then pinned by assumptions, so that nothing folds early.
TEST(BitVectors, AgreeWithTermEvaluation) {
  const Op ops[] = {Op::add,  Op::sub, Op::mul,  Op::sdiv, Op::udiv, Op::srem, Op::urem, Op::and_, Op::or_,
                    Op::xor_, Op::shl, Op::lshr, Op::ashr, Op::smin, Op::smax, Op::umin, Op::umax, Op::eq,
                    Op::ne,   Op::slt, Op::sle,  Op::sgt,  Op::sge,  Op::ult,  Op::ule,  Op::ugt,  Op::uge};
  Rng rng(7);
  for (uint8_t width : {uint8_t{1}, uint8_t{4}, uint8_t{8}, uint8_t{13}}) {
    for (Op op : ops) {
      Circuit c;
      BitVectors bv(c);
      const Bits a = bv.fresh(width);
      const Bits b = bv.fresh(width);
      const Bits r = bv.apply(op, width, {a, b});
      auto solver = make_cadical();
      c.feed(*solver);
      for (int k = 0; k < 24; ++k) {
        uint64_t x = rng.next() & term::mask(width);
        uint64_t y = rng.next() & term::mask(width);
        if (k == 0) y = 0;
        if (k == 1) x = uint64_t{1} << (width - 1), y = term::mask(width);
        std::vector<Lit> pins;
        for (uint8_t i = 0; i < width; ++i) {
          pins.push_back(((x >> i) & 1) != 0 ? a[i] : -a[i]);
          pins.push_back(((y >> i) & 1) != 0 ? b[i] : -b[i]);
        }
        ASSERT_EQ(solver->solve(pins, Job{}), Answer::sat);
        const uint8_t result_width = term::is_comparison(op) ? 1 : width;
        EXPECT_EQ(number(r, c, *solver), term::eval_op(op, width, result_width, x, y, 0))
            << term::name(op) << " width " << int{width} << " of " << x << ", " << y;
      }
    }
  }
}

TEST(BitVectors, ConstantsFoldWithoutClauses) {
  Circuit c;
  BitVectors bv(c);
  for (uint64_t x : {0u, 1u, 5u, 200u, 255u})
    for (uint64_t y : {0u, 1u, 7u, 255u})
      for (Op op : {Op::add, Op::sub, Op::mul, Op::udiv, Op::sdiv, Op::ashr}) {
        const Bits r = bv.apply(op, 8, {bv.constant(x, 8), bv.constant(y, 8)});
        uint64_t v = 0;
        for (size_t i = 0; i < r.size(); ++i) {
          ASSERT_TRUE(c.is_true(r[i]) || c.is_false(r[i]));
          if (c.is_true(r[i])) v |= uint64_t{1} << i;
        }
        EXPECT_EQ(v, term::eval_op(op, 8, 8, x, y, 0));
      }
  EXPECT_EQ(c.clause_count(), 0u);
}

TEST(Circuit, AtLeastAndAtMostOneCountExactly) {
  for (uint32_t n = 1; n <= 9; ++n)
    for (uint32_t k = 0; k <= n + 1; ++k) {
      Circuit c;
      std::vector<Lit> xs;
      for (uint32_t i = 0; i < n; ++i) xs.push_back(c.fresh());
      const Lit enough = c.at_least(xs, k);
      auto solver = make_cadical();
      c.feed(*solver);
      for (uint32_t bits = 0; bits < (1u << n); ++bits) {
        std::vector<Lit> pins;
        for (uint32_t i = 0; i < n; ++i) pins.push_back(((bits >> i) & 1) != 0 ? xs[i] : -xs[i]);
        ASSERT_EQ(solver->solve(pins, Job{}), Answer::sat);
        const Lit f = c.fold(enough);
        const bool got = f == k_true || (f != k_false && solver->value(f));
        EXPECT_EQ(got, static_cast<uint32_t>(std::popcount(bits)) >= k);
      }
    }
  for (uint32_t n = 1; n <= 9; ++n) {
    Circuit c;
    std::vector<Lit> xs;
    for (uint32_t i = 0; i < n; ++i) xs.push_back(c.fresh());
    c.at_most_one(xs);
    auto solver = make_cadical();
    c.feed(*solver);
    for (uint32_t bits = 0; bits < (1u << n); ++bits) {
      std::vector<Lit> pins;
      for (uint32_t i = 0; i < n; ++i) pins.push_back(((bits >> i) & 1) != 0 ? xs[i] : -xs[i]);
      EXPECT_EQ(solver->solve(pins, Job{}) == Answer::sat, std::popcount(bits) <= 1);
    }
  }
}

TEST(Circuit, PropagationFixesWhatFollows) {
  Circuit c;
  const Lit a = c.fresh(), b = c.fresh(), d = c.fresh();
  const Lit g = c.and_(a, b);
  c.add({-g, d});
  c.add({a});
  c.add({b});
  ASSERT_TRUE(c.propagate());
  EXPECT_TRUE(c.is_true(g));
  EXPECT_TRUE(c.is_true(d));
  c.add({-d});
  EXPECT_FALSE(c.propagate());
}

// ---- propagation, held against a reading of all clauses until nothing changes ----

using Clauses = std::vector<std::vector<Lit>>;

// Values by variable; nullopt: some clause is violated.
std::optional<std::vector<int>> closure(const Clauses& clauses, std::vector<Lit> units, uint32_t variables) {
  std::vector<int> v(variables + 1, 0);
  const auto value = [&](Lit l) { return l > 0 ? v[static_cast<size_t>(l)] : -v[static_cast<size_t>(-l)]; };
  const auto set = [&](Lit l) {
    if (value(l) < 0) return false;
    v[static_cast<size_t>(std::abs(l))] = l > 0 ? 1 : -1;
    return true;
  };
  for (Lit l : units)
    if (!set(l)) return std::nullopt;
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& clause : clauses) {
      std::set<Lit> open;
      bool satisfied = false;
      for (Lit l : clause) {
        satisfied = satisfied || value(l) > 0;
        if (value(l) == 0) open.insert(l);
      }
      if (satisfied || open.size() > 1) continue;
      if (open.empty() || !set(*open.begin())) return std::nullopt;
      changed = true;
    }
  }
  return v;
}

// Clauses come in several goes, with literals that occur twice or with both signs; assumptions stand on each other.
TEST(Circuit, PropagationFindsWhatReadingAllClausesFinds) {
  Rng rng(11);
  uint32_t contradictions = 0, refuted = 0, deep = 0, derived = 0;
  for (int program = 0; program < 600; ++program) {
    const uint32_t variables = 4 + static_cast<uint32_t>(rng.below(24));
    Circuit c;
    Clauses clauses{{k_true}};
    for (uint32_t k = 1; k < variables; ++k) c.fresh();
    const auto literal = [&] {
      const Lit l = 1 + static_cast<Lit>(rng.below(variables));
      return rng.below(2) == 0 ? l : -l;
    };
    bool possible = true;
    for (int go = 0; go < 3 && possible; ++go) {
      for (uint64_t k = rng.below(variables) + 1; k > 0; --k) {
        std::vector<Lit> clause;
        for (uint64_t n = 1 + (rng.below(8) == 0 ? 0 : 1) + rng.below(5); n > 0; --n)
          clause.push_back(!clause.empty() && rng.below(6) == 0 ? clause[0] : literal());
        clauses.push_back(clause);
        c.add(clause);
      }
      const auto all = closure(clauses, {}, variables);
      possible = all.has_value();
      ASSERT_EQ(c.propagate(), possible);
      if (!possible) ++contradictions;
      for (int question = 0; question < 12 && possible; ++question) {
        std::vector<Lit> assumed;
        bool holds = true;
        for (uint64_t n = 1 + rng.below(4); n > 0 && holds; --n) {
          assumed.push_back(literal());
          holds = c.assume(assumed.back());
          const auto expected = closure(clauses, assumed, variables);
          ASSERT_EQ(holds, expected.has_value());
          if (!holds) ++refuted;
          if (holds && assumed.size() > 1) ++deep;
          for (uint32_t v = 1; v <= variables && holds; ++v) {
            const Lit l = static_cast<Lit>(v);
            ASSERT_EQ(c.is_true(l) ? 1 : c.is_false(l) ? -1 : 0, (*expected)[v]) << "variable " << v;
            derived += c.fold(l) != l ? 1 : 0;
          }
        }
        for (size_t k = 0; k < assumed.size(); ++k) {
          c.retract();
          const auto expected =
              closure(clauses, {assumed.begin(), assumed.end() - static_cast<ptrdiff_t>(k) - 1}, variables);
          ASSERT_TRUE(expected);
          for (uint32_t v = 1; v <= variables; ++v)
            ASSERT_EQ(c.is_true(static_cast<Lit>(v)) ? 1 : c.is_false(static_cast<Lit>(v)) ? -1 : 0, (*expected)[v]);
        }
      }
    }
  }
  EXPECT_GT(contradictions, 50u);
  EXPECT_GT(refuted, 500u);
  EXPECT_GT(deep, 500u);
  EXPECT_GT(derived, 10000u);
}

// ---- what a solver says that it did ----

// n + 1 pigeons in n holes.
void pigeons(Solver& solver, Lit n) {
  const auto in = [n](Lit pigeon, Lit hole) { return pigeon * n + hole + 1; };
  for (Lit p = 0; p <= n; ++p) {
    std::vector<Lit> somewhere;
    for (Lit h = 0; h < n; ++h) somewhere.push_back(in(p, h));
    solver.add_clause(somewhere);
    for (Lit q = 0; q < p; ++q)
      for (Lit h = 0; h < n; ++h) solver.add_clause(std::vector<Lit>{-in(p, h), -in(q, h)});
  }
}

TEST(Solver, SaysWhatItDid) {
  auto none = make_cadical();
  ASSERT_TRUE(none->effort()) << "CaDiCaL is not linked from its archive, see links.cmake";
  EXPECT_EQ(*none->effort(), Effort{});
  auto few = make_cadical(), many = make_cadical();
  pigeons(*few, 3);
  pigeons(*many, 7);
  EXPECT_EQ(few->solve({}, Job{}), Answer::unsat);
  EXPECT_EQ(many->solve({}, Job{}), Answer::unsat);
  const Effort a = *few->effort(), b = *many->effort();
  EXPECT_GT(a.conflicts, 0u);
  EXPECT_GT(a.decisions, 0u);
  EXPECT_GT(a.propagations, 0u);
  // Resolution proofs of 8 pigeons in 7 holes have hundreds of steps.
  EXPECT_GT(b.conflicts, 200u);
  EXPECT_GT(b.decisions, a.decisions);
  EXPECT_GT(b.propagations, b.conflicts);
  EXPECT_EQ(*few->effort(), a);
}

TEST(Solver, CountsGoOnFromQuestionToQuestion) {
  const Lit guard = 1000;  // clauses under an assumption: satisfiable without it
  auto guarded = make_cadical();
  for (Lit p = 0; p <= 4; ++p) {
    std::vector<Lit> somewhere{-guard};
    for (Lit h = 0; h < 4; ++h) somewhere.push_back(p * 4 + h + 1);
    guarded->add_clause(somewhere);
    for (Lit q = 0; q < p; ++q)
      for (Lit h = 0; h < 4; ++h) guarded->add_clause(std::vector<Lit>{-(p * 4 + h + 1), -(q * 4 + h + 1)});
  }
  const Lit yes[] = {guard}, no[] = {-guard};
  EXPECT_EQ(guarded->solve(yes, Job{}), Answer::unsat);
  const Effort first = *guarded->effort();
  EXPECT_GT(first.conflicts, 0u);
  EXPECT_EQ(guarded->solve(no, Job{}), Answer::sat);
  const Effort second = *guarded->effort();
  EXPECT_GE(second.conflicts, first.conflicts);
  EXPECT_GT(second.propagations, first.propagations);
}

TEST(Solver, ThreadsCountForThemselves) {
  std::vector<Effort> found(6);
  std::vector<std::jthread> threads;
  for (size_t k = 0; k < found.size(); ++k)
    threads.emplace_back([&found, k] {
      auto solver = make_cadical();
      pigeons(*solver, k % 2 == 0 ? 3 : 6);
      solver->solve({}, Job{});
      found[k] = solver->effort().value_or(Effort{});
    });
  threads.clear();
  for (size_t k = 2; k < found.size(); ++k) EXPECT_EQ(found[k], found[k - 2]);
  EXPECT_NE(found[0], found[1]);
}

}  // namespace
}  // namespace fencepost::sat

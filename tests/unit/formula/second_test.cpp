// Questions as SMT-LIB text, asked of another solver where one is installed.
#include "formula/second.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/job.h"

namespace fencepost::formula {
namespace {

// Random questions with all operators; half of the functions of the language's corner cases have small widths.
Term random_term(Pool& pool, Rng& rng, const std::vector<Term>& leaves, uint8_t w, int depth) {
  const auto sized = [&](Term t) {
    const uint8_t from = pool.width(t);
    if (from == w) return t;
    if (from > w) return pool.extract(t, static_cast<uint8_t>(rng.below(from - w + 1u)), w);
    return rng.chance(0.5) ? pool.zext(t, w) : pool.sext(t, w);
  };
  if (depth == 0) return rng.chance(0.3) ? pool.constant(rng.below(9), w) : sized(leaves[rng.below(leaves.size())]);
  const auto kid = [&] { return random_term(pool, rng, leaves, w, depth - 1); };
  const auto truth = [&] {
    const Term a = random_term(pool, rng, leaves, 5, depth - 1), b = random_term(pool, rng, leaves, 5, depth - 1);
    return rng.chance(0.3) ? pool.eq(a, b) : rng.chance(0.5) ? pool.ult(a, b) : pool.slt(a, b);
  };
  if (w == 1)
    return rng.chance(0.5) ? truth() : rng.chance(0.5) ? pool.any(kid(), kid()) : pool.not_(pool.all(kid(), kid()));
  switch (rng.below(16)) {
    case 0:
      return pool.add(kid(), kid());
    case 1:
      return pool.sub(kid(), kid());
    case 2:
      return pool.mul(kid(), kid());
    case 3:
      return pool.udiv(kid(), kid());
    case 4:
      return pool.urem(kid(), kid());
    case 5:
      return pool.sdiv(kid(), kid());
    case 6:
      return pool.srem(kid(), kid());
    case 7:
      return pool.and_(kid(), kid());
    case 8:
      return pool.or_(kid(), kid());
    case 9:
      return pool.xor_(kid(), kid());
    case 10:
      return pool.shl(kid(), kid());
    case 11:
      return pool.lshr(kid(), kid());
    case 12:
      return pool.ashr(kid(), kid());
    case 13:
      return pool.ite(truth(), kid(), kid());
    case 14:
      return pool.apply(pool.symbol("f"), w, {kid()});
    default:
      return pool.scale(kid(), rng.below(9));
  }
}

class SecondOpinion : public testing::TestWithParam<const char*> {};

TEST_P(SecondOpinion, agrees_on_random_questions) {
  auto second = Second::make({.solver = GetParam()});
  if (!second) GTEST_SKIP() << GetParam() << " is not on PATH: Debian's package of that name has it";
  uint64_t asked = 0;
  for (uint64_t seed = 1; seed <= 400 && asked < 40; ++seed) {
    Pool pool;
    Rng rng(seed);
    std::vector<Term> leaves, question;
    for (const uint8_t w : {1, 3, 5, 8}) leaves.push_back(pool.variable(w, "v"));
    for (int i = 0; i < 3; ++i) {
      const uint8_t w = rng.chance(0.5) ? 5 : 4;
      question.push_back(pool.eq(random_term(pool, rng, leaves, w, 2), random_term(pool, rng, leaves, w, 2)));
    }
    question.push_back(random_term(pool, rng, leaves, 1, 3));
    Session session(pool, second->get());
    Statistics statistics;
    session.solve(question, Job{}, nullptr, statistics);
    asked += statistics.solved;
  }
  const Second::Told t = (*second)->told();
  EXPECT_GT(t.agreed, 30u);
  EXPECT_EQ(t.disagreed, 0u) << t.disagreements[0];
  EXPECT_EQ(t.unanswered, 0u) << t.fault;
}

TEST_P(SecondOpinion, a_wrong_answer_is_heard) {
  auto second = Second::make({.solver = GetParam()});
  if (!second) GTEST_SKIP() << GetParam() << " is not on PATH: Debian's package of that name has it";
  Pool pool;
  const Term v = pool.variable(8, "v");
  (*second)->hear(pool, {pool.ult(v, pool.constant(5, 8))}, Answer::unsat);
  (*second)->hear(pool, {pool.ult(v, pool.constant(5, 8))}, Answer::sat);
  const Second::Told t = (*second)->told();
  EXPECT_EQ(t.disagreed, 1u);
  EXPECT_EQ(t.agreed, 1u);
  ASSERT_EQ(t.disagreements.size(), 1u);
  EXPECT_NE(t.disagreements[0].find("says sat, our own solver says unsat"), std::string::npos) << t.disagreements[0];
}

INSTANTIATE_TEST_SUITE_P(Solvers, SecondOpinion, testing::Values("z3", "cvc5", "bitwuzla"),
                         [](const auto& info) { return std::string(info.param); });

TEST(SmtText, is_written_where_asked) {
  const ScratchFolder folder;
  auto second = Second::make({.dump = folder.path() + "/questions"});
  ASSERT_TRUE(second);
  Pool pool;
  const Term v = pool.variable(8, "lid0.0"), w = pool.apply(pool.symbol("f"), 8, {v});
  Session session(pool, second->get());
  Statistics statistics;
  EXPECT_EQ(session.solve({pool.eq(w, pool.add(v, pool.constant(3, 8)))}, Job{}, nullptr, statistics), Answer::sat);
  EXPECT_EQ((*second)->told().dumped, 1u);
  std::ifstream file(folder.path() + "/questions/question-000000.smt2");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  for (const char* part : {"; answered sat", "(set-logic QF_UFBV)", "(declare-const v0_8 (_ BitVec 8))  ; lid0.0",
                           "(declare-fun f0_8_8 ((_ BitVec 8)) (_ BitVec 8))  ; f", "(check-sat)"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(SmtText, an_absent_solver_is_named) {
  const auto second = Second::make({.solver = "no-such-solver"});
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().list[0].message.find("'no-such-solver' is not on PATH"), std::string::npos);
  EXPECT_FALSE(Second::make({.dump = "/dev/null/questions"}));
}

}  // namespace
}  // namespace fencepost::formula

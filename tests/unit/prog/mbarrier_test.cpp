// The phase rules against an oracle that was written from PTX ISA 9.4, 9.7.15.16, sentence by sentence, and that knows
// nothing of terms or layouts.
#include "prog/mbarrier.h"

#include <gtest/gtest.h>

#include <random>

#include "phase_oracle.h"

namespace fencepost::prog {
namespace {

using phases::k_most;
using phases::Oracle;
using term::Expr;

uint64_t value(const Expr& e, uint64_t state) {
  return *term::eval(e, [&](uint64_t) { return std::optional(state); });
}

constexpr MbarrierOp k_ops[] = {MbarrierOp::init,
                                MbarrierOp::inval,
                                MbarrierOp::expect_tx,
                                MbarrierOp::complete_tx,
                                MbarrierOp::arrive,
                                MbarrierOp::arrive_expect_tx,
                                MbarrierOp::arrive_no_complete,
                                MbarrierOp::arrive_drop,
                                MbarrierOp::arrive_drop_expect_tx,
                                MbarrierOp::arrive_drop_no_complete,
                                MbarrierOp::add_pending};

class Phases : public ::testing::Test {
 protected:
  const Expr old_ = term::variable(0, 64);

  void expect_equal(const Oracle& o, uint64_t state) {
    ASSERT_EQ(value(mbarrier_valid(old_), state) != 0, o.valid);
    if (!o.valid) return;
    ASSERT_EQ(mbarrier_expected(state), static_cast<uint64_t>(o.expected));
    ASSERT_EQ(value(mbarrier_token(old_), state), o.phase % 8);
    ASSERT_EQ(state >> 21 & static_cast<uint64_t>(k_most), static_cast<uint64_t>(o.pending));
    ASSERT_EQ(term::to_signed(state & ((1u << 21) - 1), 21), o.tx);
  }
};

TEST_F(Phases, RandomOperationsAgreeWithTheOracle) {
  std::mt19937_64 rng(9);
  uint64_t undefined = 0, completed = 0;
  for (int round = 0; round < 1500; ++round) {
    Oracle o;
    uint64_t state = 0;
    for (int k = 0; k < 30; ++k) {
      MbarrierOp op = k_ops[rng() % std::size(k_ops)];
      if (!o.valid && rng() % 4 != 0) op = MbarrierOp::init;
      if (o.valid && op == MbarrierOp::inval && rng() % 4 != 0) op = MbarrierOp::arrive;
      int64_t n = static_cast<int64_t>(rng() % 4);
      if (op == MbarrierOp::expect_tx || op == MbarrierOp::complete_tx || op == MbarrierOp::arrive_expect_tx)
        n = static_cast<int64_t>(rng() % 3) * 16;
      if (rng() % 50 == 0) n = k_most + static_cast<int64_t>(rng() % 3) - 1;
      const MbarrierStep step = mbarrier_step(op, old_, term::constant(static_cast<uint64_t>(n), 64));
      const uint64_t before = o.phase;
      const bool defined = o.apply(op, n);
      ASSERT_EQ(value(step.undefined, state) == 0, defined) << "round " << round << " operation " << k;
      state = value(step.state, state);
      undefined += !defined;
      completed += o.phase != before;
      expect_equal(o, state);
    }
  }
  EXPECT_GT(undefined, 500u);
  EXPECT_GT(completed, 500u);
}

// 9.7.15.16.3: a tx-count is in [-(2^20 - 1), 2^20 - 1].
TEST_F(Phases, TransactionsHaveBoundsOnBothSides) {
  for (const MbarrierOp op : {MbarrierOp::expect_tx, MbarrierOp::complete_tx}) {
    const uint64_t most = static_cast<uint64_t>(k_most);
    const auto step = [&](uint64_t n) { return mbarrier_step(op, old_, term::constant(n, 64)); };
    const uint64_t full = value(step(most).state, mbarrier_initial(1));
    EXPECT_EQ(value(step(most).undefined, mbarrier_initial(1)), 0u);
    for (const uint64_t n : {uint64_t{1}, uint64_t{2}, uint64_t{3}}) EXPECT_NE(value(step(n).undefined, full), 0u) << n;
    EXPECT_EQ(value(step(0).undefined, full), 0u);
    EXPECT_EQ(mbarrier_text(full),
              std::string("(phase 0, 1 of 1 pending, tx ") + (op == MbarrierOp::expect_tx ? "1048575)" : "-1048575)"));
  }
  EXPECT_EQ(mbarrier_text(0), "(not valid)");
}

// "the current incomplete phase, for which waitComplete returns False; the immediately preceding phase, for which it
// returns True"
TEST_F(Phases, WaitsTellTheCurrentPhaseFromTheOneBefore) {
  for (uint64_t now = 0; now < 20; ++now) {
    uint64_t state = mbarrier_initial(1);
    for (uint64_t k = 0; k < now; ++k)
      state = value(mbarrier_step(MbarrierOp::arrive, old_, term::constant(1, 64)).state, state);
    for (uint64_t of = now < 5 ? 0 : now - 5; of <= now; ++of) {
      const MbarrierWait w = mbarrier_wait(old_, term::constant(of % 8, 64));
      EXPECT_EQ(value(w.undefined, state) == 0, now - of <= 1) << now << " " << of;
      if (now - of <= 1) EXPECT_EQ(value(w.complete, state) != 0, now - of == 1) << now << " " << of;
      const MbarrierWait p = mbarrier_wait_parity(old_, term::constant(of % 2, 64));
      if (now - of <= 1) EXPECT_EQ(value(p.complete, state) != 0, now - of == 1) << now << " " << of;
      EXPECT_EQ(value(p.undefined, state), 0u);
    }
    for (uint64_t parity : {2, 3, 256})
      EXPECT_NE(value(mbarrier_wait_parity(old_, term::constant(parity, 64)).undefined, state), 0u) << parity;
  }
  EXPECT_NE(value(mbarrier_wait_parity(old_, term::constant(0, 64)).undefined, 0), 0u) << "of no object";
  EXPECT_NE(value(mbarrier_wait(old_, term::constant(0, 64)).undefined, 0), 0u) << "of no object";
}

}  // namespace
}  // namespace fencepost::prog

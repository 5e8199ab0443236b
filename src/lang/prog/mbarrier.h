#pragma once
// The phase rules of an mbarrier object as terms over its state (PTX ISA 9.4, 9.7.15.16). Every engine evaluates the
// same terms with its own evaluator; tests/unit/prog/mbarrier_test.cpp holds them against an oracle that was written
// from the text alone.
//
// The state is one value of 64 bits, as the object is (9.7.15.16.1), in a layout of our own:
//   bits  0..20  tx-count, two's complement      (9.7.15.16.3: -(2^20-1) .. 2^20-1)
//   bits 21..40  pending arrivals                (0 .. 2^20-1)
//   bits 41..60  expected arrivals               (1 .. 2^20-1; 0: no valid object)
//   bits 61..63  the current phase, modulo 8
// The phase needs more than one bit, so that a token of a phase that is too old is seen.
//
// An operation that the text leaves undefined changes nothing here, and its `undefined` is 1; readers make that the
// flag undefined-behavior. That a wait of each phase is successful before an arrival of the next (9.7.15.16.5.1) is
// told by no state of the object: a flag of the model. Left out: reports of layout v1.
#include <cstdint>
#include <string>

#include "term/term.h"

namespace fencepost::prog {

enum class MbarrierOp : uint8_t {
  init,                   // n: expected arrivals
  inval,                  //
  expect_tx,              // n: transactions
  complete_tx,            // n: transactions
  arrive,                 // n: arrivals
  arrive_expect_tx,       // n: transactions; one arrival
  arrive_no_complete,     // n: arrivals
  arrive_drop,            // n: arrivals
  arrive_drop_expect_tx,  // n: transactions; one arrival
  arrive_drop_no_complete,
  add_pending,  // n: arrivals that cp.async.mbarrier.arrive without .noinc adds
};

struct MbarrierStep {
  term::Expr state;      // afterwards, 64 bits
  term::Expr undefined;  // width 1
  term::Expr over;       // width 1, where it is not undefined: the operation completes the phase
};
// `old`: the state before, 64 bits; `n`: the operand of the operation, 64 bits (of `inval`: ignored).
MbarrierStep mbarrier_step(MbarrierOp op, const term::Expr& old, const term::Expr& n);

// The phase that a state captures, as mbarrier.arrive returns it: the token of a wait, by its bits 0..2. That of a
// noComplete form also has the pending arrivals before it, for mbarrier.pending_count: 1 in bit 3, and they from 4 on.
term::Expr mbarrier_token(const term::Expr& state);
term::Expr mbarrier_counted_token(const term::Expr& state);
struct MbarrierPending {
  term::Expr count;      // 64 bits
  term::Expr undefined;  // width 1: the token is that of no noComplete form (9.7.15.16.20)
};
MbarrierPending mbarrier_pending(const term::Expr& token);
struct MbarrierWait {
  term::Expr complete;   // width 1
  term::Expr undefined;  // width 1
};
// By the token of an arrival, and by the parity of a phase: whether that phase is complete.
MbarrierWait mbarrier_wait(const term::Expr& state, const term::Expr& token);
MbarrierWait mbarrier_wait_parity(const term::Expr& state, const term::Expr& parity);

// Whether the state is that of a valid object (width 1), and the state of one that was just initialised.
term::Expr mbarrier_valid(const term::Expr& state);
uint64_t mbarrier_initial(uint64_t expected);
uint64_t mbarrier_expected(uint64_t state);
std::string mbarrier_text(uint64_t state);  // "(phase 0, 1 of 2 pending, tx 16)", "(not valid)"; phase counted modulo 8
inline constexpr uint64_t k_mbarrier_most = (uint64_t{1} << 20) - 1;

}  // namespace fencepost::prog

// The rules stand in the order of 9.7.15.16: contents, phase completion (.8), arrive-on (.9), then the instructions.
// A single subtraction over the whole word for "pending - n" was tried first: it is fewer gates, but a wrong order of
// the checks then let the borrow run into the expected count, so each field is taken out and put back.
#include "prog/mbarrier.h"

namespace fencepost::prog {
namespace {

using term::Expr;
using term::Op;

constexpr uint64_t k_pending_at = 21, k_expected_at = 41, k_phase_at = 61;
constexpr uint64_t k_counted = 8, k_count_in_token_at = 4;
constexpr uint64_t k_tx_mask = (uint64_t{1} << 21) - 1, k_count_mask = k_mbarrier_most;

Expr number(uint64_t v) { return term::constant(v, 64); }
Expr field(const Expr& state, uint64_t at, uint64_t mask) {
  return term::binary(Op::and_, term::binary(Op::lshr, state, number(at)), number(mask));
}
Expr both(const Expr& a, const Expr& b) { return term::binary(Op::and_, a, b); }
Expr either(const Expr& a, const Expr& b) { return term::binary(Op::or_, a, b); }
Expr negated(const Expr& a) { return term::binary(Op::eq, a, term::constant(0, 1)); }

struct Fields {
  Expr tx, pending, expected, phase;  // tx sign-extended
};

Fields fields_of(const Expr& state) {
  const Expr left = term::binary(Op::shl, state, number(64 - 21));
  return {term::binary(Op::ashr, left, number(64 - 21)), field(state, k_pending_at, k_count_mask),
          field(state, k_expected_at, k_count_mask), term::binary(Op::lshr, state, number(k_phase_at))};
}

Expr joined(const Fields& f) {
  const auto placed = [](const Expr& e, uint64_t at) { return term::binary(Op::shl, e, number(at)); };
  return either(either(term::binary(Op::and_, f.tx, number(k_tx_mask)), placed(f.pending, k_pending_at)),
                either(placed(f.expected, k_expected_at), placed(f.phase, k_phase_at)));
}

Expr is_complete(const Fields& f) {
  return both(term::binary(Op::eq, f.pending, number(0)), term::binary(Op::eq, f.tx, number(0)));
}

// 9.7.15.16.8: a phase whose pending count and tx-count are zero is over, and the object is ready for the next.
Fields after_completion(const Fields& f) {
  const Expr over = is_complete(f);
  return {f.tx, term::ite(over, f.expected, f.pending), f.expected,
          term::ite(over, term::binary(Op::add, f.phase, number(1)), f.phase)};
}

struct Tried {
  Fields fields;
  Expr undefined;
};

Tried transactions(Fields f, const Expr& n, bool more) {
  f.tx = term::binary(more ? Op::add : Op::sub, f.tx, n);
  const Expr out = either(term::binary(Op::sgt, f.tx, number(k_mbarrier_most)),
                          term::binary(Op::slt, f.tx, number(~k_mbarrier_most + 1)));
  return {f, either(out, term::binary(Op::ugt, n, number(k_mbarrier_most)))};
}

// An arrive-on operation by n, before it is seen whether the phase is over.
Tried arrivals(Fields f, const Expr& n) {
  const Expr bad = either(term::binary(Op::eq, n, number(0)), term::binary(Op::ugt, n, f.pending));
  f.pending = term::binary(Op::sub, f.pending, n);
  return {f, bad};
}

// arrive_drop: the expected count of the phases to come. It must not become zero.
Tried dropped(Fields f, const Expr& n) {
  const Expr bad = term::binary(Op::uge, n, f.expected);
  f.expected = term::binary(Op::sub, f.expected, n);
  return {f, bad};
}

MbarrierStep arrive(const Fields& before, const Expr& n, bool expects, bool drops, bool completes) {
  const Expr count = expects ? number(1) : n;
  Tried t{before, term::constant(0, 1)};
  const auto then = [&](Tried next) { t = {next.fields, either(t.undefined, next.undefined)}; };
  if (expects) then(transactions(t.fields, n, true));
  if (drops) then(dropped(t.fields, count));
  then(arrivals(t.fields, count));
  if (!completes) t.undefined = either(t.undefined, is_complete(t.fields));
  return {joined(after_completion(t.fields)), t.undefined, is_complete(t.fields)};
}

MbarrierStep rule(MbarrierOp op, const Fields& f, const Expr& n) {
  switch (op) {
    case MbarrierOp::expect_tx: {
      const Tried t = transactions(f, n, true);
      return {joined(t.fields), t.undefined, term::constant(0, 1)};
    }
    case MbarrierOp::complete_tx: {
      const Tried t = transactions(f, n, false);
      return {joined(after_completion(t.fields)), t.undefined, is_complete(t.fields)};
    }
    case MbarrierOp::add_pending: {
      Fields more = f;
      more.pending = term::binary(Op::add, f.pending, n);
      return {joined(more), term::binary(Op::ugt, more.pending, number(k_mbarrier_most)), term::constant(0, 1)};
    }
    case MbarrierOp::arrive_expect_tx:
      return arrive(f, n, true, false, true);
    case MbarrierOp::arrive_no_complete:
      return arrive(f, n, false, false, false);
    case MbarrierOp::arrive_drop:
      return arrive(f, n, false, true, true);
    case MbarrierOp::arrive_drop_expect_tx:
      return arrive(f, n, true, true, true);
    case MbarrierOp::arrive_drop_no_complete:
      return arrive(f, n, false, true, false);
    default:
      return arrive(f, n, false, false, true);
  }
}

}  // namespace

MbarrierStep mbarrier_step(MbarrierOp op, const Expr& old, const Expr& n) {
  const Expr valid = mbarrier_valid(old);
  const auto guarded = [&](const Expr& state, const Expr& undefined, const Expr& over = term::constant(0, 1)) {
    return MbarrierStep{term::ite(undefined, old, state), undefined, over};
  };
  if (op == MbarrierOp::inval) return guarded(number(0), negated(valid));
  if (op == MbarrierOp::init) {
    const Expr count = term::binary(Op::and_, n, number(k_count_mask));
    const Expr bad = either(term::binary(Op::eq, n, number(0)), term::binary(Op::ugt, n, number(k_mbarrier_most)));
    return guarded(joined({number(0), count, count, number(0)}), either(valid, bad));
  }
  const MbarrierStep step = rule(op, fields_of(old), n);
  return guarded(step.state, either(negated(valid), step.undefined), step.over);
}

Expr mbarrier_token(const Expr& state) { return term::binary(Op::lshr, state, number(k_phase_at)); }

Expr mbarrier_counted_token(const Expr& state) {
  const Expr pending = term::binary(Op::shl, field(state, k_pending_at, k_count_mask), number(k_count_in_token_at));
  return either(either(mbarrier_token(state), number(k_counted)), pending);
}

MbarrierPending mbarrier_pending(const Expr& token) {
  const Expr counted = term::binary(Op::and_, token, number(k_counted));
  return {field(token, k_count_in_token_at, k_count_mask), term::binary(Op::eq, counted, number(0))};
}

// 9.7.15.16.19: valid for the current phase, which is not complete, and for the one before, which is.
MbarrierWait mbarrier_wait(const Expr& state, const Expr& token) {
  const Expr now = mbarrier_token(state);
  const Expr age = term::binary(Op::and_, term::binary(Op::sub, now, token), number(7));
  return {term::binary(Op::eq, age, number(1)),
          either(negated(mbarrier_valid(state)), term::binary(Op::ugt, age, number(1)))};
}

MbarrierWait mbarrier_wait_parity(const Expr& state, const Expr& parity) {
  const Expr differ = term::binary(Op::xor_, mbarrier_token(state), parity);
  const Expr none = term::binary(Op::ugt, parity, number(1));  // "valid values for phaseParity operand are 0 and 1"
  return {term::binary(Op::ne, term::binary(Op::and_, differ, number(1)), number(0)),
          either(negated(mbarrier_valid(state)), none)};
}

Expr mbarrier_valid(const Expr& state) {
  return term::binary(Op::ne, field(state, k_expected_at, k_count_mask), number(0));
}

uint64_t mbarrier_initial(uint64_t expected) { return expected << k_pending_at | expected << k_expected_at; }
uint64_t mbarrier_expected(uint64_t state) { return state >> k_expected_at & k_count_mask; }

std::string mbarrier_text(uint64_t state) {
  if (mbarrier_expected(state) == 0) return "(not valid)";
  const uint64_t low = state & k_tx_mask, sign = (k_tx_mask + 1) / 2;
  const int64_t tx = static_cast<int64_t>(low) - (low >= sign ? static_cast<int64_t>(k_tx_mask) + 1 : 0);
  return "(phase " + std::to_string(state >> k_phase_at) + ", " + std::to_string(state >> k_pending_at & k_count_mask) +
         " of " + std::to_string(mbarrier_expected(state)) + " pending, tx " + std::to_string(tx) + ")";
}

}  // namespace fencepost::prog

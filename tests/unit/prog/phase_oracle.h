#pragma once
// The phases of an mbarrier object, written from PTX ISA 9.4, 9.7.15.16, sentence by sentence. It knows nothing of
// terms or layouts; tests hold the rules of prog/mbarrier.h and the answers of the engines against it.
#include <cstdint>
#include <optional>

#include "prog/mbarrier.h"

namespace fencepost::prog::phases {

inline constexpr int64_t k_most = (1 << 20) - 1;

struct Oracle {
  bool valid = false;
  uint64_t phase = 0;
  int64_t pending = 0, expected = 0, tx = 0;

  // "completes the current primary phase when all of the following conditions are met"
  bool completed() const { return pending == 0 && tx == 0; }
  // "transitions to the next phase"; "the pending arrival count is reinitialized to the expected arrival count"
  void advance() {
    if (!completed()) return;
    ++phase;
    pending = expected;
  }
  bool in_range() const { return tx >= -k_most && tx <= k_most; }

  // False: undefined behaviour; the object is then left as it was.
  bool apply(MbarrierOp op, int64_t n) {
    Oracle next = *this;
    if (!next.step(op, n)) return false;
    *this = next;
    return true;
  }

  // "indicates the parity of either the current phase or the immediately preceding phase"; "an even phase has parity 0"
  bool wait_parity(uint64_t parity) const { return phase % 2 != parity; }
  // "the current phase ..., for which waitComplete returns False; the immediately preceding phase, for which it returns
  // True"; nothing: undefined.
  std::optional<bool> wait_token(uint64_t of) const {
    if (phase == of) return false;
    if (phase == of + 1) return true;
    return std::nullopt;
  }

 private:
  bool arrive_on(int64_t count) {
    if (count < 1 || count > pending) return false;
    pending -= count;
    return true;
  }
  bool drop(int64_t count) {  // "if the decrement causes the expected arrivals count to be zero, undefined"
    if (count >= expected) return false;
    expected -= count;
    return true;
  }
  bool expect(int64_t count) {
    tx += count;
    return count <= k_most && in_range();
  }
  bool step(MbarrierOp op, int64_t n) {
    if (op == MbarrierOp::init) {
      if (valid || n < 1 || n > k_most) return false;
      *this = {true, 0, n, n, 0};
      return true;
    }
    if (!valid) return false;
    switch (op) {
      case MbarrierOp::inval:
        *this = {};
        return true;
      case MbarrierOp::expect_tx:
        return expect(n);
      case MbarrierOp::complete_tx:
        tx -= n;
        if (n > k_most || !in_range()) return false;
        advance();
        return true;
      case MbarrierOp::add_pending:
        pending += n;
        return pending <= k_most;
      case MbarrierOp::arrive:
        if (!arrive_on(n)) return false;
        advance();
        return true;
      case MbarrierOp::arrive_expect_tx:
        if (!expect(n) || !arrive_on(1)) return false;
        advance();
        return true;
      case MbarrierOp::arrive_no_complete:
        return arrive_on(n) && !completed();
      case MbarrierOp::arrive_drop:
        if (!drop(n) || !arrive_on(n)) return false;
        advance();
        return true;
      case MbarrierOp::arrive_drop_expect_tx:
        if (!expect(n) || !drop(1) || !arrive_on(1)) return false;
        advance();
        return true;
      case MbarrierOp::arrive_drop_no_complete:
        return drop(n) && arrive_on(n) && !completed();
      default:
        return false;
    }
  }
};

}  // namespace fencepost::prog::phases

#pragma once
// The closed form of a loop header's phi, read off the SSA form: after k iterations
//   affine        i0 + k * (sum of steps)
//   shift_left    i0 << (k * by)
//   toggle        i0 with the bits of a mask turned over if k is odd
//   shift_right   i0 >> (k * by), logical; `needs_positive`: only while the value is not negative (signed division)
// Steps are values that do not change while the loop runs.
#include <optional>
#include <vector>

#include "ir/cfg.h"
#include "ir/ir.h"

namespace fencepost::flow {

struct Recurrence {
  enum Kind : uint8_t { affine, shift_left, shift_right, toggle } kind = affine;
  struct Step {
    ir::ValueId value;
    bool negative = false;
  };
  std::vector<Step> steps;
  bool no_signed_wrap = false;  // the one addition says so
  uint8_t by = 0;
  uint64_t mask = 0;  // of a toggle
  bool needs_positive = false;
  bool arithmetic = false;  // shift_right that keeps the sign: exact for negative values too, as i0 >> (k * by) is
};

// Where each value of a function is defined.
std::vector<ir::BlockId> definitions(const ir::Function& f);
std::vector<const ir::Instruction*> instructions(const ir::Function& f);

class Recurrences {
 public:
  Recurrences(const ir::Function& f, const ir::Cfg& cfg);
  std::optional<Recurrence> find(uint32_t loop, ir::ValueId phi) const;
  // Same value in every iteration: defined outside, or pure over such values.
  bool invariant(uint32_t loop, ir::ValueId v) const;
  ir::BlockId block_of(ir::ValueId v) const { return blocks_[v.index]; }
  const ir::Instruction* definition(ir::ValueId v) const { return instructions_[v.index]; }

 private:
  const ir::Function& f_;
  const ir::Cfg& cfg_;
  std::vector<ir::BlockId> blocks_;
  std::vector<const ir::Instruction*> instructions_;
};

}  // namespace fencepost::flow

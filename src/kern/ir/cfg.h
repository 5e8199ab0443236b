#pragma once
// The shape of one function: predecessors, orders, dominators, loops. Computed once from a Function, a plain value.
// Algorithm: Cooper, Harvey, Kennedy, "A simple, fast dominance algorithm" (2001).
#include <vector>

#include "ir/ir.h"

namespace fencepost::ir {

struct Loop {
  BlockId header;
  BlockId latch;                // the only one (law 3 of ir/ir.h)
  std::vector<BlockId> blocks;  // header first, then in reverse postorder; inner loops included
  std::vector<BlockId> exits;   // blocks outside with a predecessor inside, in order
  uint32_t parent = ~0u;        // index of the enclosing loop
  uint32_t depth = 1;
};

class Cfg {
 public:
  explicit Cfg(const Function& f);

  const std::vector<BlockId>& predecessors(BlockId b) const { return predecessors_[b.index]; }
  const std::vector<BlockId>& reverse_postorder() const { return order_; }
  bool reachable(BlockId b) const { return position_[b.index] != ~0u; }
  bool dominates(BlockId a, BlockId b) const;                              // a block dominates itself
  BlockId immediate_dominator(BlockId b) const { return idom_[b.index]; }  // none for the entry
  // b's nearest postdominator, none if only the end of the thread is; blocks that cannot reach an end have none.
  BlockId immediate_postdominator(BlockId b) const { return ipdom_[b.index]; }
  bool postdominates(BlockId a, BlockId b) const;
  // Outer loops before inner ones.
  const std::vector<Loop>& loops() const { return loops_; }
  uint32_t innermost_loop(BlockId b) const { return loop_of_[b.index]; }  // ~0u: none
  bool in_loop(BlockId b, uint32_t loop) const;
  bool reducible() const { return reducible_; }

 private:
  std::vector<std::vector<BlockId>> predecessors_;
  std::vector<BlockId> order_;
  std::vector<uint32_t> position_;
  std::vector<BlockId> idom_, ipdom_;
  std::vector<Loop> loops_;
  std::vector<uint32_t> loop_of_;
  bool reducible_ = true;
};

}  // namespace fencepost::ir

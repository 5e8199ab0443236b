#pragma once
// Which parts of a kernel a thread goes through that will not come to a meeting point of its warp any more: that leaves
// early, or that goes on behind it. The guide asks that "all non-exited threads named in mask must execute the same
// intrinsic with the same mask" (CUDA C++ programming guide, "Warp vote functions" and others), and who waits does so
// for threads that have not exited (PTX ISA, shfl.sync, bar.warp.sync). So the mask of a shuffle may name a thread that
// returns early; a thread that does the work behind the shuffle without having come to it has not exited.
#include <vector>

#include "ir/cfg.h"
#include "ir/ir.h"

namespace fencepost::ir {

class Leaving {
 public:
  Leaving(const Module& m, FunctionId kernel, const Cfg& cfg);
  // Nothing that others could see comes any more: values are computed, and the kernel ends.
  bool bare(BlockId b) const { return bare_[b.index]; }
  // No meeting point comes any more: no barrier, no exchange of a warp, no call to a function that may have one.
  bool quiet(BlockId b) const { return quiet_[b.index]; }
  // Whether one who is at `from` may come to `to`, also by no step.
  bool reaches(BlockId from, BlockId to) const { return reached_[from.index][to.index]; }
  // Whether a thread that comes to `b` leaves the kernel early, seen from a meeting point in `at`: no loop, and nothing
  // that may come behind `at`, but for the bare end.
  bool leaves(BlockId b, BlockId at) const;

 private:
  std::vector<bool> bare_, quiet_, loops_;
  std::vector<std::vector<bool>> reached_;
};

}  // namespace fencepost::ir

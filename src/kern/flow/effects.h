#pragma once
// What a function may do, with everything it calls: which regions it reads, writes and updates atomically, whether it
// meets other threads, and which fences every path through it passes. Flow-insensitive except for the fences.
#include <vector>

#include "ir/cfg.h"
#include "ir/ir.h"

namespace fencepost::flow {

// Which memory a meeting point orders.
struct Fences {
  bool local = false, global = false;
  friend bool operator==(const Fences&, const Fences&) = default;
};

struct FunctionEffects {
  std::vector<uint8_t> reads, writes, atomics;  // by region
  bool warp_barrier = false, group_barrier = false, device_barrier = false;
  Fences always_warp, always_group, always_device;  // passed on every path from entry to return; of a warp: or more
  bool recursive = false;                           // can reach itself
  std::vector<uint8_t> reached;                     // functions, itself included
};

struct LoopEffects {
  std::vector<uint8_t> reads, writes, atomics;
  bool warp_barrier = false, group_barrier = false, device_barrier = false;
  Fences always_warp, always_group, always_device;  // passed in every iteration that comes back to the header
};

class Effects {
 public:
  explicit Effects(const ir::Module& m);
  const FunctionEffects& function(ir::FunctionId f) const { return functions_[f.index]; }
  const ir::Cfg& cfg(ir::FunctionId f) const { return cfgs_[f.index]; }
  LoopEffects loop(ir::FunctionId f, uint32_t loop) const;
  bool called(ir::FunctionId f) const { return called_[f.index] != 0; }

 private:
  void add(const ir::Instruction& i, LoopEffects& e) const;
  Fences always(ir::FunctionId f, const std::vector<ir::BlockId>& blocks, ir::Scope least) const;
  const ir::Module& module_;
  std::vector<ir::Cfg> cfgs_;
  std::vector<FunctionEffects> functions_;
  std::vector<uint8_t> called_;
};

// Whether all lanes of the warp take part in a warp barrier: it has no mask, or one of all ones.
bool whole_warp(const ir::Function& f, const ir::Barrier& b);

// The functions that a call may enter: callee, or the targets of an indirect call.
std::vector<ir::FunctionId> targets(const ir::Call& c);

}  // namespace fencepost::flow

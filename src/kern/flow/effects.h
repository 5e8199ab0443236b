#pragma once
// What a function may do, with everything it calls: which regions it reads, writes and updates atomically, whether it
// meets other threads, and which fences every path through it passes. Flow-insensitive except for the fences.
#include <vector>

#include "kir/cfg.h"
#include "kir/ir.h"

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
  bool recursive = false;              // can reach itself
  std::vector<uint8_t> reached;        // functions, itself included
};

struct LoopEffects {
  std::vector<uint8_t> reads, writes, atomics;
  bool warp_barrier = false, group_barrier = false, device_barrier = false;
  Fences always_warp, always_group, always_device;  // passed in every iteration that comes back to the header
};

class Effects {
 public:
  explicit Effects(const kir::Module& m);
  const FunctionEffects& function(kir::FunctionId f) const { return functions_[f.index]; }
  const kir::Cfg& cfg(kir::FunctionId f) const { return cfgs_[f.index]; }
  LoopEffects loop(kir::FunctionId f, uint32_t loop) const;
  bool called(kir::FunctionId f) const { return called_[f.index] != 0; }

 private:
  void add(const kir::Instruction& i, LoopEffects& e) const;
  Fences always(kir::FunctionId f, const std::vector<kir::BlockId>& blocks, kir::Scope least) const;
  const kir::Module& module_;
  std::vector<kir::Cfg> cfgs_;
  std::vector<FunctionEffects> functions_;
  std::vector<uint8_t> called_;
};

// Whether all lanes of the warp take part in a warp barrier: it has no mask, or one of all ones.
bool whole_warp(const kir::Function& f, const kir::Barrier& b);

// The functions that a call may enter: callee, or the targets of an indirect call.
std::vector<kir::FunctionId> targets(const kir::Call& c);

}  // namespace fencepost::flow

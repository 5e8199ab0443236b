#pragma once
// Who may change a place of an array? The one answer, for all that is concluded from "no one else writes here": every
// instruction that may write to it, in every function that the entry reaches, by the points-to sets of the module.
//
// What counts as writing: a store (plain or volatile, of any width and at any place of the array), an atomic operation
// but for an atomic load, an asynchronous copy into it, a snapshot into it, and what a function without a body says
// that it writes or updates. Not seen: the host and other kernels, which are not part of a launch.
#include <vector>

#include "flow/effects.h"
#include "ir/ir.h"

namespace fencepost::flow {

struct Writer {
  enum Kind : uint8_t { store, atomic, copy, snapshot, contract } kind = store;
  ir::FunctionId function;
  ir::BlockId block;
  const ir::Instruction* instruction = nullptr;
  const ir::Access* access = nullptr;  // may hit other arrays too
  bool result_used = false;            // atomic: something is computed from what it gives

  const ir::Atomic* as_atomic() const { return std::get_if<ir::Atomic>(&instruction->action); }
};

class Writers {
 public:
  Writers(const ir::Module& m, const Effects& effects, ir::FunctionId entry);
  const std::vector<Writer>& of(ir::RegionId r) const { return by_region_[r.index]; }
  bool any(ir::RegionId r, Writer::Kind kind) const;
  // Nothing but atomic operations changes it.
  bool atomics_alone(ir::RegionId r) const;

 private:
  std::vector<std::vector<Writer>> by_region_;
};

}  // namespace fencepost::flow

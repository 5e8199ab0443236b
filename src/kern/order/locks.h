#pragma once
// Critical sections: which accesses are made while a compare-and-swap lock is held.
//
// A lock array is one of which every atomic is an attempt (compare_exchange from `free` to `taken`, or an exchange that
// writes `taken`) or a release (a store or exchange that writes `free`), with the same two different constants and one
// width throughout, and that no plain store touches; but for a lock of the group, stores may give it its first value:
// a barrier of the whole group stands between them and every attempt and release (Execution::locks_begin). An attempt
// that returned `free` has taken its place.
// Without a comparison (an atomic_flag, `while (atomicExch(&l, 1));`) the exchanges whose result is used are attempts.
//
// An access is protected by an attempt q of its thread when, by what is known at the access: q was made and returned
// `free`; no release lies between them, also not in an earlier iteration of a loop around the access; a fence follows
// q, or q acquires; and each release behind the access has a fence before it, or releases. A lock counts only if each
// release is made by a thread that holds the same place. Two accesses that are protected by the same place of one lock
// array do not race. A barrier ends the protection: what stands behind it is not looked for in the critical section,
// since the contents of memory are taken to be the same for all threads that met there.
// A fence behind an attempt must acquire, one before a release must release.
// Where that does not show who holds a lock in global memory, an attempt that did not return `taken` is looked at, as
// in `while (atomicCAS(&l, 0, 1) == 1);`: it has returned `free` if the lock held one of the two when the kernel
// started, since all that is written is one of them. That it was 0, one of the two, is said as an assumption.
//
// Why this is sound. While a thread holds a place its contents are `taken`: only holders write `free`, and attempts
// write `taken` or nothing. So no other attempt succeeds before the release, critical sections of one place follow one
// another, and release and attempt with their fences order the accesses in them. A scope of the group is enough only if
// no other group takes the lock: else it may pass through a thread there, which such a fence does not reach. Contents
// of written arrays are forgotten at each attempt (Execution::atomic).
#include <functional>
#include <vector>

#include "ir/ir.h"
#include "order/records.h"

namespace fencepost::order {

// What an access holds: the place of the lock, for each thread.
struct Held {
  ir::RegionId region;
  Pair offset;
};

class Locks {
 public:
  // `impossible`: no thread can satisfy this when thread t has come to limit[t].
  using Question = std::function<bool(std::vector<Term> goal, uint32_t position)>;
  Locks(Pool& pool, const ir::Module& m, const Trace& trace, const Setting& setting, Question impossible);
  bool any() const { return !valid_.empty(); }
  bool valid(ir::RegionId r) const;
  // Is it a lock under the assumption alone that it is 0 when the kernel starts?
  bool from_zero(ir::RegionId r) const;
  std::vector<Held> held(const AccessRecord& a) const;

 private:
  bool released_by_holders(ir::RegionId r) const;
  bool holds(const LockRecord& q, Pair guard, uint32_t position, const std::vector<uint32_t>& loops, bool fences,
             ir::Space space, const Pair* offset) const;
  bool fenced(ir::RegionId lock, uint32_t from, uint32_t to, Pair guard, uint32_t position, ir::Space space,
              bool acquire) const;
  bool met_between(const LockRecord& q, uint32_t position, const std::vector<uint32_t>& loops) const;
  bool reaches(ir::Scope scope, ir::RegionId lock) const;
  // Does an ordered operation on the lock order this memory? In OpenCL only that of the lock's own space.
  bool orders(ir::RegionId lock, ir::Space space) const;
  Pool& pool_;
  const ir::Module& m_;
  const Trace& x_;
  const Setting& setting_;
  Question impossible_;
  std::vector<ir::RegionId> valid_, from_zero_;
};

}  // namespace fencepost::order

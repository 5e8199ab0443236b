#pragma once
// What a verdict rests on and was not shown: one sentence for the user, and what the program has to know of it.
#include <compare>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "ir/ir.h"

namespace fencepost::order {

struct Assumption {
  enum Kind : uint8_t {
    other,
    starts_at_zero,   // the array holds 0 when the kernel starts
    as_in_guide,      // of CUDA's guide, and not of PTX
    fences_in_order,  // of PTX, and not of C++
    matrix_stores,    // of CUDA's guide, and not of PTX
    loop_counter,     // the counter of a loop stays below a bound
    counter,          // the array's counters do not come round within one launch
    whole_warps,      // blocks are made of whole warps
    late_exit,        // who leaves the kernel after work of its own has exited
    volatile_flags,   // volatile accesses are relaxed atomics, as PTX says
    legacy_scope,     // atomics of OpenCL 1.x have the device's scope
    small_indices,    // index arithmetic on unsigned numbers stays below 2^31
  };
  std::string text;
  Kind kind = other;
  ir::RegionId region;  // none: of no array

  Assumption(std::string t, Kind k = other, ir::RegionId r = {}) : text(std::move(t)), kind(k), region(r) {}
  friend auto operator<=>(const Assumption&, const Assumption&) = default;
};

using Assumptions = std::set<Assumption>;

inline Assumption starts_at_zero(const ir::Module& m, ir::RegionId counter) {
  return {"the counter " + m.region(counter).name + " is 0 when the kernel starts", Assumption::starts_at_zero,
          counter};
}

// PTX ISA, Fence-SC order: of two morally strong fence.sc one synchronises with the other. In C++ ([atomics.fences]) a
// fence synchronises only through an atomic operation of its own thread, so that what another thread of the group wrote
// before its own fence and a barrier is not ordered.
inline Assumption fences_in_order() {
  return {
      "of two __threadfence the earlier one is ordered before the later one, as in PTX (Fence-SC), also where "
      "another thread of the block makes the atomic operation; C++ does not say so",
      Assumption::fences_in_order};
}

// CUDA C++ programming guide, "Warp matrix functions": store_matrix_sync "waits until all warp lanes have arrived at
// store_matrix_sync and then stores". PTX ISA 9.7.14 (wmma.store): `.sync` makes a thread wait until all threads of the
// warp execute the instruction; it says nothing of memory. So what the lanes have read before is read before the store;
// nothing is taken for granted of what they have written before, nor of what they do behind it.
inline Assumption matrix_stores_wait() {
  return {
      "what the lanes of a warp read before store_matrix_sync is read before it stores, as in CUDA's guide (it waits "
      "until all lanes have arrived, and then stores); PTX ISA says nothing of memory there",
      Assumption::matrix_stores};
}

// CUDA C++ programming guide, "Warp vote functions" and others: "all non-exited threads named in mask must execute the
// same intrinsic with the same mask"; PTX ISA, shfl.sync and bar.warp.sync: who waits does so until all non-exited
// threads have come. A lane that does work of its own and leaves then is not exited when the others come.
inline Assumption late_exit() {
  return {
      "a lane that leaves the kernel without coming to what a mask asks it to need not come, also where it does work "
      "of "
      "its own first: who waits does so for lanes that have not exited (PTX); the guide asks all lanes that have not",
      Assumption::late_exit};
}

// OpenCL C 1.0 to 1.2 know no scopes, and their atomics are of memory that all work groups share; programs count with
// them across work groups. OpenCL C 3.0, 6.15.12.8, makes them "equivalent to atomic operations with
// memory_order_relaxed consistency and memory_scope_work_group scope", by which two work groups race. `check` takes it
// so.
inline bool of_opencl_1(const ir::Atomic& a) {
  std::string_view n = a.spelling;
  n = n.substr(n.starts_with("atomic_") ? 7 : n.starts_with("atom_") ? 5 : n.size());
  return n == "add" || n == "sub" || n == "xchg" || n == "inc" || n == "dec" || n == "min" || n == "max" ||
         n == "and" || n == "or" || n == "xor" || n == "cmpxchg";
}
inline Assumption legacy_scope() {
  return {
      "the atomic functions of OpenCL 1.x (atomic_inc) are atomic for all work groups of the device, as programs of "
      "OpenCL 1.x use them; OpenCL C 3.0 (6.15.12.8) gives them the scope of a work group",
      Assumption::legacy_scope};
}

// What the document of PTX says, so that it is no assumption under --model=ptx.
inline bool said_by_ptx(const Assumption& a) {
  return a.kind == Assumption::fences_in_order || a.kind == Assumption::volatile_flags;
}

// Nothing is assumed that a run may show to be false.
inline bool holds_in_runs(const Assumptions& all) {
  for (const Assumption& a : all)
    if (a.kind != Assumption::legacy_scope) return false;
  return true;
}

}  // namespace fencepost::order

#pragma once
// What a verdict rests on and was not shown: one sentence for the user, and what the program has to know of it.
#include <compare>
#include <cstdint>
#include <set>
#include <string>
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

}  // namespace fencepost::order

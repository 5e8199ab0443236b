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
    loop_counter,     // the counter of a loop stays below a bound
    counter,          // the array's counters do not come round within one launch
    whole_warps,      // blocks are made of whole warps
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

}  // namespace fencepost::order

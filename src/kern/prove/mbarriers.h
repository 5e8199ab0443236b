#pragma once
// Barriers that lie in shared memory: mbarrier, of which cuda::barrier is made.
//
// What a use of one does is defined only behind its initialisation, and a phase ends when as many threads have arrived
// as it was initialised for (PTX ISA, mbarrier). What no one has initialised, or what waits for another number of
// threads than come, is no race; so a kernel is decided only if it is shown of each barrier that it uses:
//  - the first thread of each group initialises it, always and once, outside of loops, for as many arrivals as the
//    group has threads;
//  - a barrier of the whole group stands between that and every use;
//  - nothing else writes its bytes;
//  - all threads arrive at the same times. `arrive_and_wait` of the stand-in header is followed by a barrier of the
//    group: that all come to it is asked there. An arrival for itself is made by all threads, once, outside of loops
//    and behind all others, and who waits does so for the phase of that arrival.
// Else it is not decided, by the name of the array. What an arrival for itself orders is not used.
// Not tried: barriers for some of the threads (producers and consumers), transactions, phases in loops.
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "prove/master.h"
#include "prove/run.h"

namespace fencepost::prove {

// All threads of a group arrive at an mbarrier and wait there; a barrier of the group follows (std.hdr).
inline constexpr std::string_view k_arrive_and_wait = "mbarrier.arrive_and_wait";

class Mbarriers {
 public:
  Mbarriers(Run& run, Masters& masters) : run_(run), pool_(run.pool()), masters_(masters) {}

  // The kernel has some; without them no write is noted.
  void expect() { possible_ = true; }
  bool expected() const { return possible_; }
  // The next access is a use of one: by which instruction, in which form, with which operands.
  void announce(std::string name, std::string form, std::vector<Pair> operands);
  // An access; `meetings`: positions of the barriers of the whole group before it, outside loops.
  void access(const ir::Access& access, const Pair& guard, const Pair& pointer, const std::vector<uint32_t>& meetings);
  // The access that `access` was called with last is a use.
  bool in_use() const { return in_use_; }
  // What may write where a barrier lies, and is no use of one.
  void written(ir::RegionId r, const Pair& guard, const Pair& offset, uint32_t bytes);
  // At the end: the bytes of a barrier are written by its uses alone.
  void conclude();

 private:
  struct Use {
    std::string name, form;
    std::vector<Pair> operands;
  };
  struct Object {
    uint32_t begun = 0;   // where it is initialised; 0: not yet
    Pair count, arrived;  // for how many arrivals; what the arrival gave, none: there was none
    bool met = false;     // all threads have arrived and waited there
  };
  struct Overwrite {
    ir::RegionId region;
    Pair guard, offset;
    uint32_t bytes = 0;
  };
  std::string pass(Object& o, const Use& use, const Pair& guard) const;

  Run& run_;
  Pool& pool_;
  Masters& masters_;
  bool possible_ = false, in_use_ = false;
  std::optional<Use> next_;
  std::map<std::pair<uint32_t, uint64_t>, Object> objects_;  // by region and offset
  std::vector<Overwrite> overwrites_;
};

}  // namespace fencepost::prove

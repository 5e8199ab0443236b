#pragma once
// Barriers that lie in shared memory: mbarrier, of which cuda::barrier is made.
//
// What a use of one does is defined only behind its initialisation, and a phase ends when as many threads have arrived
// as it was initialised for (PTX ISA, mbarrier). What no one has initialised, or what waits for another number of
// threads than come, is no race; so a kernel is decided only if it is shown of each barrier that it uses:
//  - the first thread of each group initialises it, always and once, outside of loops;
//  - a barrier of the whole group stands between that and every use;
//  - nothing else writes its bytes;
//  - its phases can be told apart (phases.h): how many arrive for each, and who waits for which. `arrive_and_wait` of
//    the stand-in header is followed by a barrier of the group: that all come to it is asked there, and it may stand in
//    any loop.
// Else it is not decided, by the name of the array. Who waits is one who cannot go on before the phase is complete
// (clangfe/spins.cpp). A single try that is not repeated gives no order. What a thread did before its arrival comes
// before what others do behind their wait, and so do the bulk copies that the phase waits for (order/engine.cpp).
// Only arrivals and waits of the default order and scope are read: relaxed ones, those of a cluster, dropped ones and
// other operations are not decided, by their names. Not tried: barriers of several blocks of a cluster.
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "prove/master.h"
#include "prove/phases.h"
#include "prove/rings.h"
#include "prove/run.h"

namespace fencepost::prove {

// All threads of a group arrive at an mbarrier and wait there; a barrier of the group follows (std.hdr).
inline constexpr std::string_view k_arrive_and_wait = "mbarrier.arrive_and_wait";

// A loop that is left when the phase is complete (clangfe/spins.cpp).
inline constexpr std::string_view k_wait = "mbarrier.wait";

// An arrival that counts when the thread's copies of before are complete (std.hdr).
inline constexpr std::string_view k_copies = " copies";

class Mbarriers {
 public:
  Mbarriers(Run& run, Masters& masters) : run_(run), pool_(run.pool()), masters_(masters), rings_(run) {}

  // The kernel has some; without them no write is noted.
  void expect(std::string_view instruction) {
    possible_ = true;
    const bool arrives = instruction.find("arrive") != std::string_view::npos;
    arrivals_ = arrivals_ || (arrives && instruction != k_arrive_and_wait);
  }
  bool expected() const { return possible_; }
  // The next access is a use of one: by which instruction, in which form, with which operands.
  void announce(std::string name, std::string form, std::vector<Pair> operands);
  // An access; `meetings`: positions of the barriers of the whole group before it, outside loops.
  void access(const ir::Access& access, const Pair& guard, const Pair& pointer, const std::vector<uint32_t>& meetings);
  // The access that `access` was called with last is a use.
  bool in_use() const { return in_use_; }
  // Is the next barrier of the group that of `arrive_and_wait`, while threads may arrive elsewhere? Who comes to it
  // says nothing of who arrives then.
  bool may_arrive_elsewhere() { return std::exchange(meets_, false) && arrivals_; }
  // What may write where a barrier lies, and is no use of one.
  void written(ir::RegionId r, const Pair& guard, const Pair& offset, uint32_t bytes);
  // A thread has begun a bulk copy.
  void copied(const Pair& event) { last_copy_ = event; }
  // All threads of a group meet.
  void meeting(const Pair& guard);
  // The iteration of a loop in step that began at a position is over.
  void iteration(const Phases::Round& round) { rounds_.push_back(round); }
  // The loop around is one of rings (rings.h): any of its iterations is run.
  void begin_ring() { rings_.begin(run_.loops_around().back()); }
  void end_ring(Rings::Loop loop) { rings_.end(std::move(loop)); }
  // At the end: the bytes of a barrier are written by its uses alone, and its phases.
  std::vector<Phases::Claim> conclude();

 private:
  struct Use {
    std::string name, form;
    std::vector<Pair> operands;
  };
  struct Object {
    std::string name;
    uint32_t begun = 0;        // where it is initialised; 0: not yet
    Pair count;                // for how many arrivals
    bool apart = false;        // all threads arrive and wait there, in loops or under conditions
    bool alone = false;        // it is used in other ways than that
    bool ring = false;         // it is one of a ring
    std::vector<uint8_t> who;  // which threads are said to arrive, by number; empty: that is not said
  };
  struct Overwrite {
    ir::RegionId region;
    Pair guard, offset;
    uint32_t bytes = 0;
  };
  std::string use_of(Object& o, const Use& use, const Pair& guard);
  std::string use_of_ring(ir::RegionId r, const Use& use, const Pair& guard, const Pair& at);
  std::vector<Phases::Claim> conclude_rings();
  std::vector<uint8_t> those(const Pair& which);
  // 0: as many as the group has threads; all ones: not known.
  uint64_t count_of(const Object& o) const;
  void written_alone();
  Run& run_;
  Pool& pool_;
  Masters& masters_;
  bool possible_ = false, in_use_ = false;
  bool arrivals_ = false;  // the kernel has others than `arrive_and_wait`
  bool meets_ = false;     // the last use was one
  std::optional<Use> next_;
  std::map<std::pair<uint32_t, uint64_t>, size_t> numbers_;  // by region and offset
  std::vector<Object> objects_;
  std::vector<Phases::Step> steps_;
  std::vector<std::vector<uint32_t>> loops_;  // around each step
  std::vector<Phases::Round> rounds_;
  Pair last_copy_;
  std::set<uint32_t> pipelines_;  // by region: to which threads arrive with their copies
  Rings rings_;
  std::vector<uint32_t> meetings_;  // barriers of the whole group, outside loops
  std::vector<Overwrite> overwrites_;
};

}  // namespace fencepost::prove

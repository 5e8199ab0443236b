#pragma once
// Barriers that only some threads of a group take part in: `bar.sync a, n` and `bar.arrive a, n` (PTX ISA 9.7.13.1).
// And `bar.sync a` of all threads that stands at several places: threads meet at one number, wherever they stand.
//
// Who takes part is counted: the guard of each such instruction, with the ids of each thread of the group in turn, must
// be true or false, whatever the rest is. In the order of the text the instructions of one barrier then make phases of
// n threads each. Nothing but that order comes about, because
//  - an instruction stands outside of loops, and no thread takes part in a phase twice;
//  - each thread of a phase but the first has waited in the phase before, and so comes to it when that is complete;
//  - each phase is complete: the threads that are counted are n, whole warps of them;
//  - no thread waits for one that waits for it, over all barriers of the group: phases and barriers of all threads can
//    be completed one after the other.
// What is not so is not decided. One that all threads of the group wait at is a barrier like any other; if some threads
// take part in the same one elsewhere (`bar.sync 0, 64` beside __syncthreads()), that is not decided.
// (Weft, PLDI 2015, decides more: phases of loops, and several barriers together.)
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "prove/run.h"

namespace fencepost::prove {

class NamedBarriers {
 public:
  explicit NamedBarriers(Run& run) : run_(run), pool_(run.pool()) {}

  // Before the run: a barrier of the text, in a function that is called or in the kernel itself.
  void in_text(const ir::Function& f, const ir::Barrier& b, bool in_kernel);
  // The operands of a barrier.
  struct Operands {
    std::optional<Pair> name, count;
  };
  // Do only some threads of the group take part in it?
  bool some_threads(const ir::Barrier& b, const Operands& o, const Pair& guard);
  // All threads of the group meet at a barrier of that number, here or elsewhere.
  bool at_several_places(const ir::Barrier& b, const Operands& o) const;
  // The run comes to one that some threads take part in, between two positions. False: it is not followed.
  bool decidable(const ir::Barrier& b, const Operands& o);
  void come(const ir::Barrier& b, const Operands& o, const Pair& guard);
  // At the end: which phases they make. What they do not make is not decided.
  void conclude();

 private:
  Pair name_of(const Operands& o) const;
  Pair count_of(const Operands& o) const;
  std::string phases_of(std::vector<order::NamedRecord*>& list, const std::vector<Run::Ids>& threads) const;

  Run& run_;
  Pool& pool_;
  std::map<uint64_t, uint32_t> places_of_number_;  // of the text, by the number of the barrier
  bool arrives_ = false;                           // there is a barrier at which threads arrive without waiting
  std::set<uint64_t> arrives_at_;                  // its numbers, where they are constants
  bool arrives_at_any_ = false;                    // else
};

}  // namespace fencepost::prove

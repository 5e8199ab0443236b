#pragma once
// Rings of barrier objects: full[stage] and empty[stage], one of each for every stage of a pipeline, in loops that go
// through the stages in turn, each role of threads in a loop of its own or all in one (CUTLASS, PipelineAsync; CUDA C++
// programming guide, "Asynchronous barriers", producer and consumer). Phases of one object that all begin and end in
// an iteration: phases.h.
//
// Numbers. A ring is so many objects (its stages) that are gone through in one order, over and over. The arrivals of a
// thread there have the numbers 0, 1, 2, ...; number n is at object n % stages, for its phase n / stages. In iteration
// k of a loop it is k + c, where c arrivals have come before the loop. A wait by parity is for a number, too, k + w:
// the object and the parity say which, but for whole rounds of two phases, of which the last is taken that 2 allows.
//
// To be shown of each ring, for any number of iterations:
//  1. Who arrives: each of these threads has one arrival in each iteration, in one place of one loop, up to some
//     iteration, and c arrivals before the loop. Each object is initialised for as many arrivals as there are such
//     threads, times the arrivals that one of them counts for.
//  2. Each thread that waits for a number n of at least `stages` has waited for n - stages.
//  3. Who arrives with a number n of at least `stages` knows that phase n - stages is complete: it has waited for that
//     number or a later one of this ring; or of another ring, for a number for which someone arrives who has.
// Then each arrival counts for the phase of its number, and who has waited for n is behind all arrivals up to n. Take
// the first event in time that breaks this.
//  - An arrival n: phase n - stages is complete, by 3, and what that rests on came before. The phase of n is not: the
//    arrivals for it so far are of other threads, each once, so fewer than it needs. So this one counts there.
//  - A wait for n: the phases before it are complete, by 2. A test by parity says no while the phase of n is under way,
//    since that has the parity that is named (PTX ISA 9.7.13.15). So it is complete when the wait is over.
// Who has waited for n is behind arrivals of *each* of the threads that arrive with all numbers up to n: these come one
// behind the other in each thread. So an access of a thread that arrives is ordered before an access of one that waits
// if the number of the next arrival behind the one is no larger than that of the last wait before the other. Numbers
// below 0 (a producer's first waits, by the parity 1) order nothing.
// Asked too, though no race comes of it, since threads would wait for ever:
//  4. The loops around one ring go round equally often, by one condition, and whoever waits for a number of k or less
//     finds that the arrival with it comes.
//  5. No one waits in a circle: an arrival comes behind the waits of its iteration, a wait behind the arrivals of its
//     number, and each iteration behind the one before. No way back to the same place leads to the same iteration or a
//     later one. And no thread goes through two such loops without a barrier of the group between them.
//  6. No one waits for a number whose next phase may be complete, too: that needs an arrival of the thread itself,
//     behind the wait. A slow thread would miss its phase.
//
// Lost: to count the phases of each object as integers; k % 3 and k / 3 then stand in every question.
// Not tried: loops inside loops; threads that arrive in several places; a leader who arrives for its warp.
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "prove/phases.h"
#include "prove/run.h"

namespace fencepost::prove {

class Rings {
 public:
  explicit Rings(Run& run) : run_(run), pool_(run.pool()) {}

  // A use in an iteration of a loop. Of an arrival: for so many, giving a token. Of a wait: for a token or by parity.
  struct Use {
    bool waits = false;
    uint32_t position = 0;
    ir::RegionId region;
    Pair guard, place;
    uint64_t count = 1;
    Pair token, parity;
    bool copies = false;
    size_t loop = 0;
  };
  // This loop uses rings. Between `begin` and `end` its body is executed once, for an iteration of any number, and its
  // accesses are noted. Behind `end` it is executed again, for the values that are left after the loop.
  void begin(uint32_t loop);
  void use(Use u);
  // The loop that was begun: between these positions, any iteration k, for whom it is entered and comes back.
  struct Loop {
    uint32_t number = 0, first = 0, last = 0;
    Pair k, entry, latch;
  };
  void end(Loop loop);
  bool around(const std::vector<uint32_t>& loops) const { return !loops.empty() && known_.contains(loops[0]); }
  bool listens(const std::vector<uint32_t>& loops) const { return loops.size() == 1 && open_ == loops[0]; }

  // What is known of single objects. Objects and steps that belong to rings are marked as taken.
  struct Single {
    std::string name;
    uint32_t begun = 0;             // where it is initialised; 0: nowhere
    uint64_t count = 0;             // for how many arrivals; 0: for all threads of a group whose size is not known
    std::vector<uint8_t> who = {};  // which threads are said to arrive; empty: that is not said
    bool taken = false;
  };
  using Places = std::map<std::pair<uint32_t, uint64_t>, size_t>;  // by region and offset
  std::vector<Phases::Claim> conclude(const Places& places, std::vector<Single>& singles,
                                      std::vector<Phases::Step>& outside, const std::vector<uint32_t>& meetings);

 private:
  Run& run_;
  Pool& pool_;
  uint32_t open_ = 0;
  std::set<uint32_t> known_;
  std::vector<Use> uses_, pending_;
  std::vector<Loop> loops_;
  friend class RingProof;
};

}  // namespace fencepost::prove

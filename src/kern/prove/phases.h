#pragma once
// The phases of barrier objects in shared memory (mbarriers.h): who arrives for which, and who waits for it.
//
// A phase is complete when as many threads have arrived as the object was initialised for, and as many bytes have been
// copied as arrivals say that they expect (PTX ISA 9.7.13.15). An arrival counts for the phase that is under way, and a
// wait by parity says yes when the phase under way is of the other parity (ibid., "Tracking asynchronous operations",
// "phase of the mbarrier object"). So which phase an instruction means depends on what its thread knows:
//  - A thread knows that a phase is complete if it has waited for it, if it alone completes it, if whoever arrived for
//    a phase that it has waited for knew, or if a barrier of the group stands between another's wait and here. It means
//    the first phase of which it does not know that.
//  - If for each phase just as many arrivals are meant as complete it, each counts for the phase that it is meant for:
//    who means a phase comes when those before it are complete, and the first that came too late would be one more than
//    the phase had needed. In the same way for bytes: those expected are said before the arrival that allows for them.
//  - A wait for the phase before the one that a thread means (a consumer's first wait at an "empty" barrier) says yes
//    at once, or later; it orders nothing.
// Who arrives is counted: guards, with the ids of each thread of the group in turn, are true or false. Groups of any
// size are taken where all threads arrive and wait. (A wait of which that is not so orders nothing.) All steps are gone
// through once, each thread as far as it can: what a thread knows at a step is the same in any order, and no one may be
// left waiting.
//
// Loops. Each iteration of a loop that all threads go through in step has phases of its own: all threads know at its
// end that they are complete, and the object is used nowhere else. So it begins as the first one did, but for the
// number of the phase, of which a wait by parity must have the lowest bit (Claim). Where no barrier of the group stands
// in each iteration, one phase must be of all threads, arriving and waiting: what was done in the iterations before
// comes before what is done in those behind (effects.cpp takes that for granted). Then an access between arrival and
// wait is ordered with the next iteration but one, by the phase between.
//
// Lost: to count in the order of the text, as for named barriers. A consumer's branch may stand before the producer's.
// Not tried: phases of several loops, or in loops inside loops; arrivals by half of the threads whose choice hangs on
// what they have read. Rings of stages, whose waits are for phases of iterations before: rings.h.
#include <cstdint>
#include <string>
#include <vector>

#include "prove/run.h"

namespace fencepost::prove {

class Phases {
 public:
  struct Step {
    enum Kind : uint8_t {
      arrive,  // of so many, giving a token; and it expects so many bytes
      wait,    // for a token or by parity
      copy,    // which tells the object of its bytes when it is complete
      both,    // all threads arrive and wait
      meet     // a barrier of the group, of no object
    } kind = arrive;
    uint32_t position = 0;
    Pair guard;
    size_t object = 0;
    uint64_t count = 1, bytes = 0;
    bool expects = false;
    bool copies = false;        // of an arrival: the thread's copies of before are complete then
    Pair token, parity, event;  // none: not of this kind
  };
  // An iteration of a loop that all threads go through in step. It has all steps of its objects.
  struct Round {
    uint32_t begin = 0, end = 0;  // positions
    std::vector<uint32_t> loops;  // it, and those around it
    Pair k, latch;                // how many iterations stand before it; it comes back to the header
    bool full = false;            // no barrier of the group stands in each iteration: a phase of all threads has to
  };
  // That a wait by parity is for the phase that is taken for it: must not be satisfiable.
  struct Claim {
    uint32_t position = 0;
    Term failing;
    bool of_ring = false;  // of one thread (rings.h)
  };
  struct Answer {
    std::vector<std::string> whys;  // what is not as it should be, by object; "": all is
    std::vector<Claim> claims;
    uint32_t phases = 0;  // of each object in a round
  };
  // Objects by the count that they are initialised for; 0: for all threads of a group whose size is not known.
  // `before`: so many phases have been told off for the objects, in rounds before this one.
  static Answer decide(Run& run, std::vector<Step> steps, const std::vector<uint64_t>& counts,
                       const Round* round = nullptr, uint32_t before = 0);
};

}  // namespace fencepost::prove

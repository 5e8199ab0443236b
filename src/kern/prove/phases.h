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
// left waiting. Instructions stand outside of loops.
// Lost: to count in the order of the text, as for named barriers. A consumer's branch may stand before the producer's.
// Not tried: arrivals by half of the threads whose choice hangs on what they have read.
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
    Pair token, parity, event;  // none: not of this kind
  };
  // What is not as it should be, by object; "": all is. Objects by the count that they are initialised for; 0: for all
  // threads of a group whose size is not known.
  static std::vector<std::string> decide(Run& run, std::vector<Step> steps, const std::vector<uint64_t>& counts);
};

}  // namespace fencepost::prove

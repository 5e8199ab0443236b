#pragma once
// The abstract machine of the 2014 thesis (T. Sorensen, "Testing and Exposing Weak GPU Memory Models", University of
// Utah, section 5.4), which is the UGPU model of T. Sorensen, J. Alglave, G. Gopalakrishnan and V. Grover, "Towards
// Shared Memory Consistency Models for GPUs" (ICS 2013; its later write-up, section III.B). All runs of a GPU_PTX test
// without loops, exhaustively.
//
// What is published: a thread has a queue for each address and a load array; instructions enter the queue of their
// address in program order and leave queues in any order; fences enter all queues. Loads pass from their queue into the
// array, from which they are satisfied in any order: so loads of one address may change places (without the array they
// may not). Shared memory is one array for each block. Of global memory each thread has a view; a location that a
// thread wrote is marked locally modified (to be distributed in the block) and globally modified (to be distributed on
// the device). membar.cta distributes what is locally modified in the block, membar.gl what is modified at all on the
// device; what is modified globally and not locally goes to the threads of other blocks only.
//
// What had to be decided, since the documents at hand do not say it:
//   - modified locations may be distributed at any time, fence or not (else nothing would ever be seen without one);
//   - a mark belongs to the write, not to the view: whoever sees a write that is not on the device yet distributes it
//     by its own membar.gl, and a distribution clears the mark of that write everywhere;
//   - a distributed write replaces what it finds in the views that it reaches; a write in nobody's view is lost (it is
//     older in coherence order);
//   - a store leaves its queue after all loads of its address; a fence after all accesses before it are over;
//   - an instruction enters its queue when its address and the branches before it are known, so what follows waits with
//     it; a store's data may come later;
//   - an atomic reads and writes all views at once, when no write of its location waits to be distributed; it orders
//     nothing else. Volatile accesses and cache operators are plain accesses; membar.sys is membar.gl;
//   - the final value of a location is what all views agree on when everything is distributed.
//
// Refused by name: other dialects, loops, threads on two devices, addresses outside of objects.
// Law: every run keeps coherence, up to the order of loads of one address (tests/unit/explicit).
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "base/job.h"
#include "prog/names.h"
#include "prog/state.h"

namespace fencepost::explicit_state {

struct OperationalOptions {
  bool load_array = true;  // false: loads of one address keep their order
  bool filter = true;      // only runs that the test's filter keeps
  uint64_t max_states = 2'000'000;
};

struct OperationalOutcomes {
  std::vector<prog::Observable> observables;
  prog::StateSet states;  // complete unless the job or max_states ended the exploration
  uint64_t positive = 0;  // final states that satisfy the test's condition
  uint64_t explored = 0;
  // Steps to a final state that the test asks about (`exists C`, `~exists C`: C; `forall C`: not C), if there is one.
  std::optional<std::vector<std::string>> steps;
};

Expected<OperationalOutcomes> operational_outcomes(const prog::Test& test, const OperationalOptions& options,
                                                   const Job& job);

}  // namespace fencepost::explicit_state

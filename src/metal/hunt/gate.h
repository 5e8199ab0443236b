#pragma once
// Is the machine code of a test what its PTX asks for? Translation validation of orders, one thread at a time.
//
// Line information leads from a machine access to the instruction of the test, the offset of its address says which
// place it is (places.h). Fences are not attributed to anything: an order between two accesses is there if *every path*
// of the machine code from the one to the other has what the order needs, so a fence that serves two instructions
// serves both, and one that stands on one side of a branch serves that side only.
//
//   PTX (PTX ISA, memory consistency model)              every path needs
//   release at scope S, from any earlier access           MEMBAR.ALL or SC, S or wider, before the write
//   acquire at S, to any later access                     the load's scoreboard awaited; above CTA, before what may
//                                                         read a first-level cache: CCTL.IVALL
//   fence.acq_rel.S, .release                             MEMBAR.ALL or SC, S or wider; acq_rel and acquire, above
//                                                         CTA: CCTL.IVALL after the read
//   fence.sc.S, membar                                    MEMBAR.SC, S or wider; above CTA: CCTL.IVALL
//   bar.sync, barrier.cluster                             BAR.SYNC; UCGABAR_WAIT, and MEMBAR where it releases
//   fence.proxy.*                                         as siblings show: MEMBAR and FENCE.VIEW.ASYNC, ...
//   two accesses that may overlap, one a write            the order of the code
// A load that nothing uses may go, and its acquire with it, but for what the thread has read of that place before: what
// follows must come after that read.
// The begin and the end of the kernel stand for the accesses before and after a test: an order of one thread counts for
// what others did before it (cumulativity).
//
// Each access must be there on every path, with the strength of its scope, the width of its type and the guard that it
// had. What is not as written is a fault, or a weakening that the model allows (each has its sentence), or it is named:
// an unknown instruction, an access of nobody, a place that could not be followed.
//
// Tried and lost: comparing lists of opcodes by line, as ptx_gate.h does. It takes a fence for present that stands on
// another path than the access, which is the fault of generic 64-bit atomics.
#include <cstdint>
#include <string>
#include <vector>

#include "hunt/machine.h"
#include "hunt/ptx_test.h"

namespace fencepost::hunt {

enum class Effect : uint8_t {
  // faults
  no_membar,      // a release or fence is missing on a path
  weak_membar,    // one is there, of a narrower scope or without SC
  no_invalidate,  // CCTL.IVALL is missing on a path
  no_wait,        // a load is not awaited
  no_barrier,
  no_view,  // of a proxy fence
  absent,   // an access is nowhere
  skipped,  // an access is missing on a path
  weaker,   // a narrower scope than written
  reordered,
  overtaken,  // a later access stands before an acquire
  split,      // one access became several
  width,      // more or less memory than written
  elsewhere,  // another place than written
  unguarded,  // done although its predicate is false
  repeated,   // done twice
  operation,  // another one than written, as an addition of integers for one of floating point
  extended,   // a byte fills its register otherwise than its type says
  illegal,    // an instruction that the architecture does not have
  // allowed
  moved,
  merged,
  warp_merged,
  idle_write,
  one_copy,
  private_window,
  other_window,
  first_look,
  no_remote,
  vector_split,
  wider_load,
  local_gone,
  unused_load,
  shared_fence,
  cache_operator,
  // named
  unknown_opcode,
  stranger,
  not_followed,
  count_
};
enum class Level : uint8_t { fault, allowed, named };
Level level_of(Effect e);
const char* name(Effect e);      // "no-invalidate"
const char* sentence(Effect e);  // what it means; for a weakening, why the model allows it
const char* clause(Effect e);    // of the PTX ISA, that a fault breaks or a weakening rests on

struct Finding {
  Effect effect = Effect::absent;
  uint32_t culprit = 0;  // instruction of the test
  std::string detail;    // one sentence, with addresses of the machine code
};

// Sorted by culprit and effect, each pair once.
std::vector<Finding> judge(const PtxTest& test, const MachineKernel& machine);

}  // namespace fencepost::hunt

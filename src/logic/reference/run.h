#pragma once
// The reference interpreter: runs every thread of a test on given read values and builds the execution
// with all base relations. It is the only definition of what a program does; both engines are held to it.
//
// Loops: a backward jump is taken at most bound-1 times per stay in the loop (bound 1: the body runs once).
// A thread that would jump back once more stops there, incomplete: `cut` when the finished iteration had a
// side effect or changed a register that is live at the loop head, `spin` otherwise (docs/semantics.md).
//
// Barriers: see barriers.h. Passing is a least fixpoint over threads: a
// group that waits for itself is a deadlock, its members stay blocked and the threads incomplete.
#include <optional>

#include "base/diagnostic.h"
#include "prog/loop_bounds.h"
#include "reference/execution.h"

namespace fencepost::reference {

// halted: told to (RunOptions::halt_after).
enum class StopReason : uint8_t { end, spin, cut, blocked, halted };
const char* name(StopReason r);

struct RunOptions {
  prog::LoopBounds bound = 1;
  // Per thread: stop it after so many instructions (labels and jumps count, a barrier counts when it passes). Empty: no
  // thread is stopped. With it, loops have no bound.
  std::vector<std::optional<uint64_t>> halt_after;
  bool trace = false;  // fill ThreadRun::trace
};

// Where a thread stood before each instruction, and at last.
struct Moment {
  uint32_t position = 0;
  std::vector<uint64_t> registers;
};

struct ThreadRun {
  StopReason stop = StopReason::end;
  uint32_t stop_instr = 0;         // where it stopped
  uint64_t steps = 0;              // instructions executed
  std::vector<Moment> trace = {};  // steps + 1 entries
};

struct RunResult {
  Execution execution;
  std::vector<ThreadRun> threads;
  std::vector<uint64_t> step;  // by event: how many instructions its thread had executed before it; Init: 0
};

// Errors (as diagnostics without a place) when the choices do not fit the program: a read without a value,
// an rf edge between different addresses or values, a co that is cyclic or not total where it must be, ...
// The message names the event. That is our fault or a mutated engine, never the user's.
Expected<RunResult> run(const prog::Test& test, const Choices& choices, const RunOptions& options);

// Whether co is a strict total order per location (vulkan, opencl) or any strict partial order (ptx).
bool co_is_total(vocab::Dialect d);

}  // namespace fencepost::reference

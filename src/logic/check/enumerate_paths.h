#pragma once
// Every way one thread may go, without knowing what its reads return: the value of a read is a term
// variable, branches on unknown values go both ways and leave a constraint, unknown addresses are guessed
// cell by cell. A path is what the interpreter (reference/run.h) would do if the constraints held.
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "base/job.h"
#include "prog/loop_bounds.h"
#include "prog/names.h"
#include "reference/execution.h"
#include "reference/run.h"
#include "term/term.h"

namespace fencepost::check {

using term::Expr;

// Variables of the terms in paths: the value read by event `local` of `thread`.
inline uint64_t read_variable(uint32_t thread, uint32_t local) { return (uint64_t{thread} << 24) | local; }
inline uint32_t thread_of_variable(uint64_t v) { return static_cast<uint32_t>(v >> 24); }
inline uint32_t local_of_variable(uint64_t v) { return static_cast<uint32_t>(v & 0xffffff); }

struct PathEvent {
  reference::Event event;  // value is not set
  bool read = false, write = false;
  Expr value;                           // read: its variable; write: what it writes (width of the object)
  std::set<uint32_t> data, addr, ctrl;  // reads of the same path, by position in it
  std::optional<uint32_t> amo_read;
};

struct PathArrival {
  reference::EventKey key;
  const prog::Barrier* barrier = nullptr;
  uint32_t ordinal = 0;
  Expr id, quorum;                // empty: none
  std::optional<uint32_t> event;  // position in the path; none: the thread is blocked here
};

struct Constraint {
  Expr term;  // width 1
  bool value = true;
};

struct Path {
  std::vector<PathEvent> events;
  std::vector<PathArrival> arrivals;
  std::vector<Constraint> constraints;
  std::vector<Expr> registers;  // at the stop
  reference::StopReason stop = reference::StopReason::end;
  uint32_t stop_instr = 0;
  uint64_t steps = 0;  // instructions executed, the jump that it stops at included
};

// Which paths there are. In all kinds but `safety` registers that only a condition looks at are dead, and a thread goes
// back only after an iteration that had an effect.
enum class PathKind : uint8_t {
  safety,
  liveness,         // also stops at every jump back: spin (the last iteration had no effect) or cut
  fragments,        // as safety, and also stops before any event: halted
  unfair_liveness,  // liveness and fragments
};

struct PathOptions {
  prog::LoopBounds bound = 1;
  size_t limit = 200000;
  PathKind kind = PathKind::safety;
};

struct Paths {
  std::vector<std::vector<Path>> of_thread;
  bool complete = true;  // false: the limit or the job's time ended the walk
};

Paths walk(const prog::Test& test, const PathOptions& options, const Job& job);

}  // namespace fencepost::check

#pragma once
// The unrolled, symbolic form of a test: every event that may happen, with the guard under which it does,
// its address and value as terms over the values read, and its dependencies. Made for the `solve` engine
// alone; `enumerate` and the judge interpret the program themselves (reference/run.h).
//
// Unrolling follows docs/semantics.md: the states of a thread are (position, loop counters); states are
// visited in topological order and register values merge at joins.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/bits.h"
#include "base/diagnostic.h"
#include "base/job.h"
#include "prog/loop_bounds.h"
#include "prog/state.h"
#include "prog/test.h"
#include "term/term.h"
#include "vocab/vocab.h"

namespace fencepost::encode {

using term::Expr;

inline constexpr uint32_t k_init_thread = 0xffffffffu;  // Init writes

// Term variables of the skeleton: the value of a load, a boolean that the encoding decides, or a value that it chooses.
struct Variable {
  enum class Kind : uint8_t {
    load,
    pass,
    choice,
    any
  } kind = Kind::load;  // choice: whether a thread stops here; any: an undefined initial value
  uint32_t event = 0;
  uint8_t width = 1;
};

struct Dependency {
  uint32_t load = 0;  // event
  Expr condition;     // width 1: on which paths the value carries it
};

struct Arrival {
  uint32_t k = 0;  // number of earlier arrivals at the instance
  Expr condition;
};

struct SymEvent {
  uint32_t thread = k_init_thread;
  uint32_t instr = 0;  // Init: object
  uint32_t part = 0;   // Init: unused
  uint32_t cell = 0;   // Init: cell
  vocab::TagSet tags;
  std::optional<vocab::TagSet> failed_tags;  // read of an rmw: instead of `tags`, where its partner does not run
  Expr guard;  // width 1; reached. For barriers: arrived (the event exists if it also passes)
  bool read = false;
  bool write = false;
  prog::Address address;            // memory events: index resolved to a term over variables
  uint8_t width = 64;               // of the value
  Expr value;                       // write: what is written; read: its variable
  uint32_t node = 0;                // state of its thread's unrolling
  uint32_t partner = prog::k_none;  // rmw: the other half
  Expr spurious;                    // read of an rmw that may fail spuriously: it does
  std::vector<Dependency> data, addr, ctrl;
  const prog::Barrier* barrier = nullptr;
  Expr barrier_id, barrier_quorum, pass;
  std::vector<Arrival> arrivals;
  Span span;
  bool memory() const { return read || write; }
};

struct Exit {
  // halted: the scheduler never runs the thread again before this instruction. repeats: the thread jumps back to the
  // label of a loop, and from then on repeats forever what it did since it was there before.
  enum class Kind : uint8_t { end, stopped, blocked, halted, repeats } kind = Kind::end;
  Expr guard;
  Expr effect;  // stopped, repeats: whether the last iteration had an effect (cut) or not (spin)
  std::vector<Expr> registers;
  uint32_t instr = 0;
  uint32_t barrier_event = 0;  // blocked
  uint32_t node = 0;           // repeats
  uint32_t loop = 0;           // repeats: index into SymThread::loops
  bool early = false;          // stopped: before the bound, after an iteration without effect
};

struct SymLoop {
  prog::LabelId label = 0;
  uint32_t from = 0, to = 0;  // extent: position of the label .. last position
  std::vector<bool> live;     // registers that may be read before they are written, at the label
};

// One state of a thread's unrolling.
struct SymNode {
  uint32_t position = 0;
  std::vector<uint32_t> counters;  // by loop: backward jumps since its extent was entered
  Expr guard;                      // the instruction is executed; empty: never
};

struct SymThread {
  uint32_t first_event = 0, last_event = 0;  // half-open
  uint32_t first_variable = 0, last_variable = 0;
  std::vector<Exit> exits;
  std::vector<BitSet> reaches;  // node -> nodes reachable from it (not itself)
  std::vector<SymLoop> loops;
  std::vector<SymNode> nodes;                            // in an order in which they are executed
  std::map<uint32_t, std::vector<Expr>> head_registers;  // node of a label -> registers there
};

enum class Unrolling : uint8_t {
  safety,            // a thread stops where it would jump back once too often
  direct,            // as safety, but a thread stops after an iteration that had no effect (encode/reduction.h)
  direct_waiting,    // as direct, but a thread may also be left behind at the label of a loop (`halted`)
  liveness,          // every jump back may be the last one that is shown (`repeats`), and with it only `repeats` may be
  direct_fragments,  // direct, but a thread may also be left behind before any event (`halted`)
  all_fragments,     // as safety, but a thread may also be left behind before any event (`halted`)
  fragments,         // as all_fragments, but a thread goes back only after an iteration that had an effect
  unfair_liveness,   // liveness and fragments
};
// In all but `safety` and `all_fragments` a thread goes back only after an iteration that had an effect: one that had
// none may as well be left out, or is the last.

struct Skeleton {
  const prog::Test* test = nullptr;
  prog::LoopBounds bound = 1;
  std::vector<SymEvent> events;  // Init first, then threads; program order within a thread
  uint32_t init_events = 0;
  std::vector<SymThread> threads;
  std::vector<Variable> variables;
  bool has_stops = false;
  // Both run in one execution, on control flow alone.
  bool compatible(uint32_t a, uint32_t b) const;
  bool program_order(uint32_t a, uint32_t b) const;
  // PTX, the relations si, await and home.
  bool same_instruction(uint32_t a, uint32_t b) const;
  bool awaits(uint32_t a, uint32_t b) const;
  bool at_home(uint32_t a, uint32_t b) const;
};

// Registers that only a condition looks at are dead unless the unrolling is `safety`, `direct...` or `all_fragments`.
// Unsupported when the unrolling has more than `max_nodes` states, or when `job` runs out of time: the caller, who
// gave it, asks its out_of_time() which of the two it was.
// `silent`: by thread and instruction, an rmw has no effect when it puts back the value that it has read (empty: all
// have).
Expected<Skeleton> unroll(const prog::Test& test, const prog::LoopBounds& bound, bool dependencies,
                          Unrolling kind = Unrolling::safety, const std::vector<std::vector<bool>>& silent = {},
                          const Job* job = nullptr, uint32_t max_nodes = 200000);

}  // namespace fencepost::encode

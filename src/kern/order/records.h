#pragma once
// What a run of two threads leaves for the question "which of these two accesses happens first?": the accesses, the
// points at which threads wait for each other, fences, attempts to take locks, tickets, waits for copies. Made by
// `prove` (Execution), read by the providers of edges (engine.h).
//
// Position: a number that grows along the way of both threads; a record of a loop's summary stands for all iterations.
// Guard: for each thread, under which condition it comes there. Offsets and sizes in bytes.
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "formula/pool.h"
#include "ir/ir.h"
#include "order/named_rounds.h"

namespace fencepost::order {

using formula::Pool;
using formula::Term;
using Pair = std::array<Term, 2>;

// The numbers of the two threads, and of the dimensions of ids and sizes.
inline constexpr std::array<size_t, 2> k_both{0, 1};
inline constexpr std::array<size_t, 3> k_dimensions{0, 1, 2};

// What orders two threads (edge.h).
enum class Provider : uint8_t {
  barrier,   // of the group or of the grid
  warp,      // a barrier of a warp, or a warp in lock-step
  repeated,  // the iterations before the two that are looked at: one barrier for all
  lock,      // critical sections of one place
  ticket,    // last-block reduction
  copy,      // the thread has waited for its asynchronous copy
  named,     // a barrier of some threads of the group
};

enum class Pairing : uint8_t { same_group, other_group };
// Which pairs of two groups: all, or those of one cluster, or of two (flow/clusters.h).
enum class Groups : uint8_t { any, of_one_cluster, of_two_clusters };
// Which pairs of one group: all, or those of different warps, or of one warp.
enum class Lanes : uint8_t { any, other_warp, same_warp };

struct Fact {
  Term term;
  std::array<uint32_t, 2> from{};           // holds when thread t has come this far
  std::array<uint32_t, 2> until{~0u, ~0u};  // and not further (variables of a finished summary)
  uint8_t threads = 1;                      // bit t: is about thread t
  std::vector<uint64_t> names;
  bool late = false;          // costly, and seldom needed: asked with only where the others do not decide
  bool of_quotients = false;  // asked with only where something is divided by an unknown number
};

enum class Mode : uint8_t {
  plain,         // volatile too
  atomic,        // with an order and a scope
  asynchronous,  // begun by the thread, made by the machine
};

// One access: which bytes, under which guard, in which way, and how long it lasts.
struct AccessRecord {
  ir::AccessKind kind = ir::AccessKind::read;
  ir::RegionId region;
  Pair guard, offset, value;
  std::array<uint32_t, 2> before{};  // memory layer at the time of a write
  uint32_t bytes = 0;
  bool pointer = false;
  ir::PlaceId place;
  uint32_t site = 0, part = 0;
  uint32_t position = 0;
  uint32_t instant = 0;  // the parts of one access share it: lock-step orders nothing within it
  uint32_t local_segment = 0, global_segment = 0;  // certain barriers passed so far
  uint32_t second = 0;                             // which k+1st iteration it is in; 0: none
  Mode mode = Mode::plain;
  const ir::Atomic* atomic = nullptr;  // its order and scope; none: another mode
  bool leaves = false;                 // an atomic that leaves what is there: a load, or one that adds 0
  ir::Space space = ir::Space::global;
  bool spec = false;         // by a barrier invariant
  bool by_contract = false;  // what a function without a body may do
  // Asynchronous: it lasts from its issue until its thread has waited for the event; no barrier ends it.
  Pair event;
  bool own = false;  // begun by the thread for itself alone, not by its group
  Pair iteration;    // of the loop that was run as a summary; none: of none
  bool async() const { return mode == Mode::asynchronous; }
  // A store of a warp's matrix: where its lanes have arrived before, and that both threads have. 0: it is none.
  uint32_t arrival = 0;
  Term arrived;
  std::vector<uint32_t> loops;  // around it, by number of the run of the loop; only with locks, tickets or messages
};

// An attempt to take a place of a lock, or its release (locks.h).
struct LockRecord {
  ir::RegionId region;
  Pair guard, offset, taken;
  Pair not_refused;  // it did not return what a taken lock holds; none: a lock may hold other values at first
  uint32_t position = 0;
  bool release = false;
  bool acquires = false, releases = false;  // by its own memory order
  bool aligned = false;
  bool again = false;  // the repetition of a loop that was run as a summary before
  ir::Scope scope = ir::Scope::device;
  std::vector<uint32_t> loops;
};

struct FenceRecord {
  uint32_t position = 0;
  Pair guard;
  ir::Scope scope = ir::Scope::device;
  bool local = true, global = true;
  ir::Order order = ir::Order::seq_cst;
  bool in_loop = false;
};

// A ticket that may be the last one of the grid (last_group.h).
struct TicketRecord {
  ir::RegionId region;
  Pair guard, value;                // of the thread that takes it
  Pair master_guard, master_value;  // of the first thread of each of the two groups
  Term groups;
  uint32_t position = 0;
  Pair limit;                 // at which it starts again; none: it wraps
  bool first_thread = false;  // only the first thread of a group takes it, and once
  bool acquires = false, releases = false;
};

// An atomic that reads a place which may carry a message (messages.h), or a counter of tickets.
struct ObservationRecord {
  ir::RegionId region;
  Pair guard, offset, value;
  uint32_t bytes = 0, position = 0;
  bool acquires = false, aligned = false;
  ir::Scope scope = ir::Scope::device;
  std::vector<uint32_t> loops;  // around it
};

// Two tickets, one of each thread: what one has taken the other has not, in whatever iterations they are.
struct ApartRecord {
  Pair guard, offset, value;
  std::array<uint64_t, 2> step{};
  bool up = true;                           // the counter is added to
  std::array<uint32_t, 2> from{}, until{};  // as of a fact
};
// That they are apart; also of terms that have been renamed.
Term apart(Pool& pool, const ApartRecord& r);

// A block that both threads may be in, in the same iterations of all loops around it.
struct CommonRecord {
  uint32_t position = 0;
  Pair guard;
};

struct WaitRecord {
  uint32_t position = 0;
  Pair guard, event;
  std::vector<uint32_t> loops;  // around it; of copies of one thread only
};

// Threads that come to the same barriers of some threads of the group, in the same order.
struct NamedRole {
  Pair member;                // the thread is one of them
  std::vector<size_t> warps;  // they are those of these warps
  uint32_t loop = 0;          // by number of the run of the loop: in which their round is; 0: they have none
  uint32_t outer = 0;         // the one around it; 0: none
  // Positions of their barriers, by part.
  std::array<std::vector<uint32_t>, 3> at;
  std::map<uint32_t, std::vector<uint32_t>> again;  // of the round in iterations that follow (AccessRecord::second)
  // An iteration comes to its barriers, by AccessRecord::second: the last one may be left before.
  std::map<uint32_t, Pair> comes;
};

// What is known of the barriers of some threads (prove/named.h).
struct NamedOrder {
  std::vector<NamedRole> roles;
  NamedRounds rounds;
  // Of a loop with rounds, and an iteration of it (AccessRecord::second): how many stand before.
  std::map<std::pair<uint32_t, uint32_t>, Pair> counts;
};

// A thread arrives at a barrier object or waits there, or a copy of its tells the object that it is complete. Which
// phase that is has been shown (prove/phases.h).
struct PhaseRecord {
  uint32_t position = 0;
  Pair guard;
  size_t object = 0;
  uint32_t phase = 0;
  bool waits = false;
  bool copies = false;  // the thread's copies of before are complete when its arrival counts
  Pair event;           // of the copy; none: it is an arrival or a wait
};

// A thread arrives at a ring of barrier objects, or waits there, at one object in each iteration of a loop. Its
// arrivals
// have the numbers k + at, one behind the other; who waits for a number has waited for all up to it (prove/rings.h).
struct RingRecord {
  uint32_t position = 0;
  size_t ring = 0;
  bool waits = false;
  bool copies = false;  // the thread's copies of before are complete when its arrival counts
  Pair guard, earlier;  // it comes there; it has come there in the iteration before
  Pair k;               // outside of loops: 0
  int64_t at = 0;
  // The object, and how often the ring has been gone round: (k + at) / stages = lap + laps. None: not told.
  Pair place, lap;
  int64_t laps = 0;
  std::vector<uint32_t> loops;
};

// A point at which threads wait for each other; only where there are locks.
struct MeetingRecord {
  uint32_t position = 0;
  std::vector<uint32_t> loops;
};

// A loop that threads go through in step: any iteration, and some that follow it, one behind the other. What lasts
// beyond an iteration has to end before the last of these (engine.h).
struct StepRecord {
  uint32_t begin = 0, end = 0;  // of the first of them
  uint32_t loop = 0;            // by number of the run of the loop
  bool exact = false;           // they follow immediately, and each passes a barrier for all memory of the loop
  uint32_t last_end = 0;        // the end of the last but one, for whoever comes back to the header there:
  Pair goes_on;
  Pair entry, at_once;  // the loop is entered; the first of them is its very first
};

struct BarrierRecord {
  Provider by = Provider::barrier;
  uint32_t position = 0;
  Pair guard, local, global;
  bool device = false;
  Term meets;  // a barrier of the warp: the two threads take part in it; none: they do
};

// All of one run.
struct Trace {
  std::vector<AccessRecord> accesses;
  std::vector<BarrierRecord> barriers;
  std::vector<WaitRecord> waits;
  NamedOrder named;
  std::vector<PhaseRecord> phases;
  std::vector<RingRecord> rings;
  std::vector<CommonRecord> commons;  // with lock-step only
  std::vector<LockRecord> locks;
  std::vector<FenceRecord> fences;
  std::vector<TicketRecord> last_tickets;
  std::vector<ObservationRecord> observations;
  std::vector<ObservationRecord> updates;  // the rest of what reads such places: it may change them as well
  std::vector<ApartRecord> apart;
  std::vector<MeetingRecord> meetings;
  std::vector<StepRecord> steps;
  std::set<uint32_t> uniform_loops;           // that all threads of a group that enter leave in the same iteration
  std::vector<BarrierRecord> group_barriers;  // outside loops; for pairs of two groups
  std::vector<Fact> facts;
  std::array<std::array<Term, 3>, 2> local_id, group_id;
  Term same_warp;  // the two threads are of one warp; false without warps
  Term distinct;   // the two are different threads
};

// What the run was for.
struct Setting {
  ir::Dialect dialect = ir::Dialect::cuda;
  Pairing pairing = Pairing::same_group;
  Lanes lanes = Lanes::any;
  Groups groups = Groups::any;
  bool one_group = false;
  bool both_fences = false;  // what a barrier orders must be named by both threads; else by the earlier one alone
  bool group_waits = false;  // who waits for a group's copy has all of it; else what its own work item copied
  bool lockstep = false;     // threads of one warp execute each instruction together
};

// Does the guard say that the thread is the first of its group?
bool made_by_first(Pool& pool, const Trace& trace, Term guard, size_t thread);

}  // namespace fencepost::order

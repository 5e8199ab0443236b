#pragma once
// Runs a kernel, all threads of a small launch, over concrete memory, and reports what goes wrong: the ground truth
// that tests hold the prover against, and the replay of its counterexamples. It shares only the kernel IR with the
// prover.
//
// One run is one schedule: threads are interleaved as `seed` says, each goes on until it meets a barrier, ends, or has
// used up its turn; a barrier opens when every thread that must meet has come. Every access to shared memory is logged
// by byte. Two accesses of different threads race if they touch a common byte, one of them writes (or is atomic and the
// other is not), and no barrier orders them:
//   - threads of one group are ordered by a barrier that both passed between the accesses and whose fence flags, as
//   each of
//     the two threads gave them, cover the memory's space;
//   - threads of different groups are ordered by grid barriers, and of one cluster by its barriers, only. A thread that
//     arrives there alone does nothing, and the wait is the barrier: it orders more than it need;
//   - threads of one warp also by warp barriers that both took part in, and in lock-step (Shape::lock_step) by every
//     instruction that both execute together.
//   - what all work items of a sub-group must reach (barriers and exchanges of OpenCL, which have no mask), and one of
//     them does not, is a divergence.
//   - an asynchronous copy of a group is made by the thread that comes to it first, from there until it is waited for
//     (copies.cpp).
//   - barriers with a number of threads, and those at which threads arrive without waiting, order by clocks (order.h).
//   - fences and ordered atomics order what they order in the language's memory model (order.h), in launches of up to
//     Limits::ordered_threads threads; in larger ones they order nothing (Outcome::order_lost).
// Threads that wait for each other go on in turns, so that a lock is given to all who wait in the end; a run that waits
// for what never comes ends when its steps are used up (gave_up).
//
// What one run tells. A race in a run is a race of the kernel for these inputs. If no race is found, no atomic was
// executed and the run ended, then every schedule with these inputs makes the same accesses (values can differ between
// schedules only through races and atomics), so these inputs are race-free: Outcome::complete. With atomics the order
// of the threads may matter: run several seeds.
//
// Inputs: unknown contents, arguments and any-values are drawn from the seed, mostly small; floats are computed in IEEE
// 754; a function of which nothing is known (Op::function) is computed where its name is a usual one, else made up from
// its operands, as the results of library functions are that are any value. Values that depend on such a one are
// followed. Outcome::made_up: one of them has decided where a thread goes or what it accesses; a defect that comes
// after (Defect::made_up) is not for certain one of the real function.
#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/ir.h"

namespace fencepost::interp {

struct Shape {
  std::array<uint32_t, 3> local_size{1, 1, 1}, num_groups{1, 1, 1};
  std::array<uint32_t, 3> cluster{1, 1, 1};  // groups of a cluster
  std::array<uint64_t, 3> global_offset{0, 0, 0};
  uint32_t work_dim = 1;
  uint32_t warp_size = 32;
  // Threads of a warp execute one instruction together wherever they are at the same place (lockstep.h). Two accesses
  // of one warp are then ordered by every instruction that both threads execute together, unless they are made by one
  // and the same instruction.
  bool lock_step = false;
  // A barrier of the group also acquires what its threads have read by atomics that do not acquire: what the CUDA
  // guide's example of a last block takes for granted.
  bool barriers_acquire = false;
  // What the lanes of a warp have read before they come to a matrix function is read before that function stores, and
  // nothing else is ordered by it (order::matrix_stores_wait).
  bool matrix_stores_wait = false;
  // What a barrier of the group orders is what the thread that comes first names (the reference); else what both name.
  bool first_fences = false;
  // Who waits for a group's copy has all of it; else only what its own work item copied.
  bool group_waits = true;
  // Only these groups are started; the others come later or never, which a launch may do with them. Then a barrier of
  // the grid ends the run (`gave_up`). Empty: all.
  std::vector<std::array<uint32_t, 3>> groups;
};

// Which thread: by its ids.
struct ThreadName {
  std::array<uint32_t, 3> local{}, group{};
  friend bool operator==(const ThreadName&, const ThreadName&) = default;
};

struct Inputs {
  uint64_t seed = 1;                                  // of contents, any-values and the schedule
  std::map<uint32_t, uint64_t> arguments;             // kernel parameter number -> value; else drawn
  std::map<uint32_t, std::vector<uint8_t>> contents;  // region number -> its first bytes; else as the region says
  std::set<uint32_t> zeroed;                          // regions, by number, that hold zeros besides
  std::set<uint32_t> null_parameters;                 // kernel parameters, by number, that are null pointers
  bool spread = false;  // addresses of parameters are multiples of what their elements ask for, and of no more
  enum Drawn : uint8_t {
    zeros,
    tiny,   // less than 16: sums of many do not overflow
    small,  // most of them less than 16
    wild
  } drawn = small;  // unknown contents and any-values
};

struct Limits {
  uint64_t steps = 2'000'000;  // instructions of all threads together
  uint32_t turn = 100'000;     // of one thread before others go on
  double yields = 0;           // the chance that others go on after an access
  double seconds = 0;          // of wall time; 0: no limit
  const std::atomic<bool>* cancelled = nullptr;
  uint32_t threads = 4096;
  uint32_t ordered_threads = 512;  // launches of which fences and ordered atomics are followed
  uint64_t window = 1u << 22;      // bytes of an array whose size is not known
};

enum class AccessKind : uint8_t { read, write, atomic };

struct AccessRecord {
  ThreadName thread;
  AccessKind kind = AccessKind::read;
  ir::PlaceId place;
  uint32_t site = 0;
  uint64_t offset = 0;  // of the access in its region
  uint32_t bytes = 0;
  uint64_t value = 0;                   // read or written
  bool changes = true;                  // a write of another value than was there
  bool made_up = false;                 // the value
  bool loads = false;                   // nothing is written: a read, or an atomic load
  ir::Scope scope = ir::Scope::device;  // atomics
};

enum class DefectKind : uint8_t {
  race,
  divergence,     // a barrier that not all threads of its group reach, or threads at different barriers
  assertion,      // __assert, or a place that the language says is unreachable
  precondition,   // of a called function
  null_access,    // through null or a pointer to nothing
  out_of_bounds,  // of an array whose size is known
  constant_write,
  deadlock,       // barriers with names, or warps that wait for each other
  group_copy,     // an asynchronous copy on which the threads of a group disagree, or that not all of them reach
  warp_operands,  // a matrix function on which the threads of a warp disagree, or of which there is a part
};
const char* name(DefectKind k);

struct Defect {
  DefectKind kind = DefectKind::race;
  ir::RegionId region;         // race, out_of_bounds, constant_write
  AccessRecord first, second;  // race: in the order of the run; else `first` alone
  ir::PlaceId place;           // of the barrier, assertion, access
  uint64_t byte = 0;           // race: the first byte that both touch
  bool same_value = false;     // race of two writes: of the same value in all common bytes; of a write and a read: the
                               // write changes nothing
  bool made_up = false;        // Outcome::made_up when it was found
  ThreadName thread;           // assertion, divergence: who
  std::optional<ThreadName> other;  // divergence: who was elsewhere
};

struct Outcome {
  enum Status : uint8_t {
    ended,        // all threads ran to their end
    stopped,      // at a defect other than a race, after which nothing has a meaning
    impossible,   // the inputs contradict a precondition or an assumption, or a signed number overflows
    gave_up,      // steps, threads or window ran out
    unsupported,  // a construct that is not run; `detail` names it
  } status = ended;
  std::string detail;
  std::vector<Defect> defects;  // races: one for each pair of sites and region, the first found
  bool atomics = false;         // some were executed
  bool synchronises = false;    // fences or ordered atomics were executed
  bool order_lost = false;      // and were not followed
  bool made_up = false;
  bool unknown_annotations = false;   // some speak of two threads or of access sets and were not evaluated
  bool unknown_requirements = false;  // preconditions among these: they may not hold of these inputs
  uint64_t steps = 0;
  bool complete() const { return status == ended && !atomics && !made_up; }
  // A defect that counts: benign races (same_value) only if asked.
  const Defect* first_defect(bool benign_races_count) const;
};

Outcome run(const ir::Module& m, ir::FunctionId kernel, const Shape& shape, const Inputs& inputs,
            const Limits& limits = {});

// "write by thread 3 (local id 3) of group 0, kernel.cl:3:5, bytes 12..15 of A"
std::string describe(const ir::Module& m, const Defect& d);

}  // namespace fencepost::interp

#pragma once
// The kernel verifier: is this function of a kernel module free of data races, barrier divergence and failing
// assertions, for all threads, all schedules and all inputs?
//
// Method: two arbitrary threads are run symbolically and side by side over the kernel IR, branches as guards, loops as
// arbitrary iterations with closed-form counters and proved invariants, calls inlined. For every array and every pair
// of conflicting accesses that no barrier separates: can both guards hold while the bytes overlap? One run for two
// threads of one group, one for two threads of different groups.
//
// Laws
//  - `holds` is a proof (of partial correctness: a thread that waits for ever for itself passes nothing). Anything that
//    is over-approximated can only cost a false alarm; what is not modelled makes the verdict `unsupported`.
//  - A Finding has values for both threads that satisfy the formula; `confirmed` is set by a replay elsewhere, never
//    here.
//  - Same module, options and seed: same findings in the same order.
// Source: the two-thread reduction of GPUVerify (Betts, Chong, Donaldson, Qadeer, Thomson: OOPSLA 2012; TOPLAS 2015);
// warps and atomics: Bardsley, Donaldson: NFM 2014. Pair queries with loop summaries are ours.
// Units: offsets and sizes in bytes.
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/job.h"
#include "base/verdict.h"
#include "flow/uniform.h"
#include "ir/ir.h"
#include "order/assumption.h"
#include "prove/axiom.h"
#include "prove/contract.h"

namespace fencepost::formula {
class Second;
}

namespace fencepost::prove {

using order::Assumption;
using order::holds_in_runs;
using order::said_by_ptx;

enum class Abstraction : uint8_t {
  automatic,    // equality, except for arrays that atomics touch; yet two writes are of one value only if they are so
                // whatever the arrays hold
  adversarial,  // every read of a shared array gives any value
  equality,     // what both threads read alike is the same value for writes too; an atomic is an error of the input
};

// How threads of one warp are told from others. Re-synchronising: one run for all pairs, in which accesses that both
// threads of a warp make together are meeting points. Two passes: one run for pairs of different warps, to whom warps
// mean nothing, and one for pairs of one warp; both are needed, and they run at the same time.
enum class WarpMethod : uint8_t {
  automatic,  // re-synchronising, and two passes if that does not verify
  resync,
  two_pass,
  both,  // both methods, one after the other: verified if either verifies
};

struct Options {
  flow::Launch launch;
  Abstraction abstraction = Abstraction::automatic;
  bool benign = true;         // two writes of one value, and writes that change nothing, are no race
  bool check_bounds = false;  // accesses outside arrays of known size
  bool races = true;          // false: --only-divergence
  bool across_groups = true;  // false: --only-intra-group
  bool infer = true;          // candidate invariants and closed forms; false: only the user's invariants
  bool asymmetric = false;    // of the other thread of a pair assertions know only what they know without effort
  uint32_t k_induction = 1;   // so many iterations show the user's invariants for the next
  bool barrier_access_checks = true;  // what barrier invariants read must not change meanwhile
  bool refined_atomics = true;        // tickets: counters that only ever go one way give every thread other values
  uint32_t warp_sync = 0;             // threads of one warp, of this size, run in step; 0: they do not
  WarpMethod warp_method = WarpMethod::automatic;
  bool warp_barriers = false;    // warps of `warp_size` exist: warp barriers order their threads
  bool warp_divergence = false;  // report branches at which threads of one warp part
  uint32_t jobs = 2;             // threads of the verifier
  double seconds = 0;            // of which a part is for candidates; 0: those up to the deadline
  uint32_t work_dim = 1;
  std::array<uint64_t, 3> global_offset{};
  std::array<uint64_t, 3> global_size{};  // 0: not fixed, or by the launch's sizes
  uint32_t warp_size = 32;                // for lane and warp numbers; 0: not known, nor which threads make a warp
  bool nullable = false;                  // pointer parameters that the kernel compares with null may be null
  bool element_aligned = false;  // an address of a parameter is a multiple of what its element asks for; else of 16
  bool both_fences = false;      // what a barrier orders must be named by both threads; else by the earlier one alone
  bool group_waits = false;      // who waits for a group's copy has all of it; else what its own work item copied
  bool bodiless = true;          // functions without a body touch no memory but what they name; false: not decided
  // A counter of 32 bits and more that a loop's test keeps below a bound does not pass the largest number of its type:
  // taken for granted where the proof fails without, and named. Else it wraps as the source says.
  bool counters_end = false;
  // A lane that does work of its own and then leaves the kernel counts as exited for masks that name it: taken for
  // granted where the proof fails without, and named (order::late_exit).
  bool late_exits = true;
  uint32_t max_findings = 25;
  // Values of the kernel's scalar parameters, by source index; absent: any.
  std::vector<std::optional<uint64_t>> arguments;
  std::vector<uint32_t> null_arguments;     // pointer parameters that are given null, by source index
  std::vector<Axiom> axioms;                // taken for granted
  std::shared_ptr<formula::Second> second;  // hears all questions
  Contract contract;                        // of the entry, where its callers are known; no calls: any state
};

enum class Kind : uint8_t {
  race,
  barrier_divergence,
  assertion,
  invariant_entry,
  invariant_maintained,
  precondition,
  postcondition,
  barrier_invariant,
  null_pointer,
  constant_write,
  async_operands,  // threads of a group disagree about a group copy, or not all reach it
  warp_operands,   // threads of a warp disagree about a matrix function, or not all reach it
  out_of_bounds,
  unreachable,
  warp_divergence,
};
const char* name(Kind k);

struct Side {
  std::array<uint64_t, 3> local_id{}, group_id{};
  ir::AccessKind access = ir::AccessKind::read;
  ir::PlaceId place;
  bool spec = false;         // a read by a barrier invariant
  bool by_contract = false;  // of a function without a body, which says only what it may access
};

struct Finding {
  Kind kind = Kind::race;
  ir::PlaceId place;          // of what fails; races: of the first access
  ir::PlaceId other_place;    // precondition: of the requirement
  std::vector<Side> threads;  // races: both, in the order in which they access; else the thread (and its partner)
  ir::RegionId region;        // races, bounds, null
  int64_t offset = 0;         // of the first access
  uint32_t bytes = 0;
  int64_t other_offset = 0;
  uint32_t other_bytes = 0;
  std::vector<std::pair<std::string, uint64_t>> arguments;  // scalar parameters of the entry function
  std::vector<std::string> null_parameters;                 // pointer parameters that are null
  std::string perhaps;  // races: what may order the two all the same, by what is not decided; "": nothing
  // What may exclude it by values that the proof does not follow: races, "X keeps" (the two apart); divergence of
  // barriers, a clause. "": nothing.
  std::string apart;
  std::array<uint64_t, 3> local_size{},
      num_groups{};                          // of the launch: as given, or as was found where any is asked for
  std::array<uint64_t, 3> cluster{1, 1, 1};  // of a cluster, in groups
};

struct Effort {
  uint64_t pairs = 0;         // of accesses looked at
  uint64_t folded = 0;        // questions answered by rewriting
  uint64_t solved = 0;        // by the solver
  uint64_t clauses = 0;       // that these needed
  uint64_t candidates = 0;    // invariants proposed
  uint64_t kept = 0;          // and proved
  uint32_t rounds = 0;        // in which the kernel was executed
  uint32_t passes = 0;        // kinds of pairs that were looked at
  double solver_seconds = 0;  // of all passes
  double seconds = 0;         // of the answer; sums leave it alone

  Effort& operator+=(const Effort& o) {
    pairs += o.pairs;
    folded += o.folded;
    solved += o.solved;
    clauses += o.clauses;
    candidates += o.candidates;
    kept += o.kept;
    rounds += o.rounds;
    passes += o.passes;
    solver_seconds += o.solver_seconds;
    return *this;
  }
};

struct Result {
  Verdict verdict;
  std::vector<Finding> findings;
  std::set<std::string> unsupported;  // features, by name
  order::Assumptions assumptions;     // what the verdict rests on and was not shown
  std::set<ir::RegionId> put_back;    // of arrays that are taken to start at 0: they are 0 again at the end
  std::set<std::string> nullable;     // pointer parameters that were taken to be null as well
  std::set<std::string> warps;        // races that only lock-step excludes: "A: kernel.cu:3:5 and kernel.cu:4:5"
  bool gave_up = false;               // some question was not answered
  bool small_offsets = false;         // the proof rests on offsets that are less than 2^46 bytes (rows.h)
  Contracts contracts;                // of the functions that were called
  std::vector<std::pair<std::string, bool>> candidates;  // invariants that were proposed, and whether they were proved
  uint32_t barrier_intervals = 0;
  Effort effort;
};

// `entry`: a kernel, or a function that is to be verified from an arbitrary state that satisfies its requirements.
Result prove(const ir::Module& module, ir::FunctionId entry, const Options& options, const Job& job);

}  // namespace fencepost::prove

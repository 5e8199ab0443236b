#pragma once
// Two threads run side by side over one function, symbolically: the heart of `prove`. The result is a list of accesses
// and meeting points, each with a guard for each thread, of facts that hold, and of obligations that must not be
// satisfiable. prove.cpp asks the questions.
//
// Loops. The phis of a header become "the value after k iterations" with k unknown: a closed form where flow/recurrence
// finds one, else an unknown value. What is known of it: the facts of the closed form, "the k-1st iteration came back
// to the header", the user's invariants and the candidates that survived. A loop without meeting points runs twice:
// once for its accesses, each thread in an iteration of its own, and once for what follows it (in step when all threads
// leave in the same iteration). A loop with meeting points runs in step: iteration k, then k+1, so that what no barrier
// separates stands together; the k iterations before are one virtual barrier if every one passes a real one.
//
// Guards. A block that every path from its dominator reaches has the dominator's guard: that a loop ends is a fact
// about its k, not a part of the guard, so that guards of two threads stay comparable. Facts carry the position up to
// which a thread must have come for them to hold.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "flow/effects.h"
#include "flow/essential.h"
#include "flow/recurrence.h"
#include "flow/uniform.h"
#include "flow/writers.h"
#include "formula/pool.h"
#include "formula/solve.h"
#include "ir/async.h"
#include "ir/cfg.h"
#include "ir/ir.h"
#include "ir/leaving.h"
#include "order/assumption.h"
#include "order/records.h"
#include "prove/master.h"
#include "prove/mbarriers.h"
#include "prove/memory.h"
#include "prove/named.h"
#include "prove/promises.h"
#include "prove/prove.h"
#include "prove/proxies.h"
#include "prove/rows.h"
#include "prove/run.h"

namespace fencepost::prove {

constexpr uint8_t k_count_width = 64;  // no loop comes round 2^64 times

// A value that a repetition-free atomic gave: `step` values from it on (or below it) are given to no one else. Or, of a
// claim, what an update found that may have been the first one (claims.cpp).
struct Ticket {
  enum Kind : uint8_t { count, claim } kind = count;
  ir::RegionId region;
  Pair guard, offset, value;
  uint64_t step = 1;
  Pair amount;  // what is added, where it is no constant; of a claim, the bits that are set or left
  Pair maker;   // who of the group has taken it; none: the thread itself, or the first of another group
  uint32_t position = 0, until = ~0u;
  bool summary = false;
  std::vector<uint32_t> loops;  // around it
};

// A plain store to an array that counts: tickets from before and behind it may be the same.
struct CounterWrite {
  ir::RegionId region;
  uint32_t position = 0;
  std::vector<uint32_t> loops;
  bool always = false;  // the first thread of each group makes it, once
  bool atomic = false;  // so that it races with no ticket
};

// Numbers from the first to the second, unsigned.
using Range = std::array<uint64_t, 2>;

struct Obligation {
  Kind kind = Kind::assertion;
  Term failing;  // must be unsatisfiable
  uint32_t position = 0;
  bool both = false;  // speaks of both threads
  ir::PlaceId place, other_place;
  ir::RegionId region;
  Term offset;
  uint32_t bytes = 0;
  std::string candidate;                   // not an error: an invariant that was only proposed
  std::string open;                        // what the proof does not follow here, as Finding::apart; "": nothing
  std::string assumes;                     // not an error: what the proof assumes if this is possible
  std::optional<uint64_t> if_tested = {};  // `assumes` only if the kernel compares this pointer with null (tested_null)
};

// Facts that both runs take as given: names of candidate invariants that were refuted.
using Refuted = std::set<std::string>;

bool specification(const ir::Function& f);
// An atomic that leaves what is there: a load, or one that adds 0 or sets no bit.
bool leaves(const ir::Atomic& at, const ir::Function& f);

class Execution : public Run {
 public:
  Execution(Pool& pool, const ir::Module& m, const flow::Effects& effects, ir::FunctionId entry, const Options& options,
            Pairing pairing, const Refuted& refuted, Lanes lanes, const Job& job, Groups groups = Groups::any);
  void run();
  // Of an offset in group memory; those above count groups of the cluster from the thread's own on (clusters.cpp).
  static constexpr uint8_t k_group_bits = 36;

  std::vector<Ticket> tickets;
  std::vector<std::pair<std::string, Term>> null_parameters;  // by name: the pointer is null
  std::vector<std::string> null_arguments;                    // of these, what the launch gives as null
  std::set<uint64_t> tested_null;                             // by variable: those that the kernel compares with null
  std::map<uint32_t, std::string> given_null;                 // by region: other parameters that are given null
  std::vector<Obligation> obligations;
  std::set<std::string> candidates;  // proposed in this run
  std::map<uint64_t, Term> choices;  // variables that say which access is the one in its set, by number
  std::vector<std::pair<std::string, Pair>> scalars;  // parameters of the entry function
  Term required;                                      // conjunction of the entry function's requirements, thread 0
  Term required_of_both;                              // and of both threads
  bool stopped = false;                               // the job ran out of time: nothing above is complete
  Contracts contracts;                                // of the functions that were called
  Masters masters;                                    // what the first thread of a group did for all
  Rows rows;                                          // what offsets are sums of
  Promises promises;                                  // what runs keep to that is not among the facts

 private:
  // Which assertions and invariants of a loop are asked about where threads may leave it one by one (`special`): those
  // that speak of both threads, or of a thread that has left, need a run of their own.
  enum class Asked : uint8_t { all, plain, special };
  struct Mode {
    bool log = true;       // record accesses
    bool check = true;     // record obligations
    bool lockstep = true;  // both threads are in the same iterations
    Asked asked = Asked::all;
  };
  // A counter that does not wrap, as a signed number or an unsigned one, in the width of offsets.
  struct Counter {
    Pair value;
    bool is_signed = true;
  };
  struct Activation {
    ir::FunctionId id;
    const ir::Function* f = nullptr;
    const ir::Cfg* cfg = nullptr;
    flow::Uniformity uniform;
    const flow::Recurrences* recurrences = nullptr;
    std::vector<Pair> values;
    std::map<uint32_t, Counter> wide;
    std::vector<Pair> guards, loop_entry;
    std::map<std::pair<uint32_t, uint32_t>, Pair> edges;
    Memory::State entry_memory;
    ir::PlaceId call;
    std::vector<const ir::Instruction*> wide_invariants, barrier_invariants;
    std::vector<ir::ValueId> ensures;
    std::vector<ir::PlaceId> ensure_places;
    std::vector<bool> ensure_global;
    struct Effect {
      const ir::Frame* frame;
      ir::PlaceId place;
      Pair guard, pointer;
    };
    std::vector<Effect> frames;
    std::vector<Pair> returned;
    std::string path;
    uint32_t depth = 0;
    bool entry = false;
    ir::BlockId block;  // being run
    Pair guard;         // at the current instruction
  };
  // Some access of a kind to a region, of those in the current interval: chosen freely, so what holds of it holds of
  // all (__read, __write, __read_offset_bytes ...). Only where annotations ask for it.
  struct Tracked {
    Pair occurred, offset;
  };
  using Sets = std::map<std::pair<uint32_t, uint8_t>, Tracked>;  // by region and kind
  static constexpr std::array<uint8_t, 3> k_kinds{0, 1, 2};      // reads, writes, atomics
  struct Collected {
    uint32_t region;
    uint8_t kind;
    Pair guard, offset;
  };
  // An invariant that is proposed: a sentence about the header's phis, its count and a thread.
  using Phis = std::vector<std::pair<ir::ValueId, Pair>>;
  struct Candidate {
    std::string name;
    bool both = false;
    std::function<Term(const Phis& now, Pair k, int thread)> holds;
  };
  struct LoopRun {
    std::vector<Candidate> proposed;
    Pair k;
    Pair k_variable;  // of fewer bits when the number of iterations is bounded; none if it is constant
    uint64_t first_variable = 0, first_symbol = 0;
    uint32_t position = 0;
    Phis phis;
    Pair entry, latch;
    std::map<std::pair<uint32_t, uint32_t>, Pair> exits;
    Pair exit;
  };
  enum class Header : uint8_t { assume, entry, maintained };

  // values
  Pair get(Activation& a, ir::ValueId v);
  void set(Activation& a, ir::ValueId v, Pair p) { a.values[v.index] = p; }
  uint8_t width(ir::Type t) const { return t.kind == ir::Type::pointer ? pointers.width() : t.width; }
  Pair unknown(uint8_t width, const std::string& name, bool shared);
  Term compute(Activation& a, const ir::Compute& c, ir::Type type, const std::vector<Term>& o, int thread, Mode mode,
               const std::vector<Pair>& pairs);
  Rows::Sum wide(Activation& a, ir::ValueId v, Term term, int thread, int depth);
  Term moved(Term offset, const Rows::Sum& by);
  Term floating(const std::string& name, uint8_t width, const std::vector<Term>& operands);
  Term pure(Activation& a, ir::ValueId v, int thread, Mode mode, const Memory::State* memory, int depth = 0);
  bool mentions(const Activation& a, ir::ValueId v, const std::function<bool(const ir::Instruction&)>& what,
                int depth = 0) const;
  bool mentions_other(const Activation& a, ir::ValueId v) const;
  bool special(const Activation& a, const ir::Annotation& n) const;

  // contracts
  bool constants_of(Term t, std::set<uint64_t>& out, int depth) const;
  void note_call(const ir::Function& f, ir::FunctionId id, const std::vector<Pair>& arguments);
  Pair by_contract(const ParameterFacts& p, uint8_t width, const std::string& name, std::vector<Term>& bounds);
  Pair parameter_by_contract(const ParameterFacts& p, ir::Type type, const std::string& name);

  // control
  void function(Activation& a, Pair guard, Mode mode, std::vector<Pair>& results, Pair& returned);
  void blocks(Activation& a, const std::vector<ir::BlockId>& order, uint32_t loop, Mode mode);
  Pair guard_of(Activation& a, ir::BlockId b, uint32_t loop);
  void block(Activation& a, ir::BlockId b, bool header, Mode mode);
  void terminator(Activation& a, ir::BlockId b, Mode mode);
  void instruction(Activation& a, const ir::Instruction& in, Pair guard, Mode mode);
  void call(Activation& a, const ir::Instruction& in, const ir::Call& c, Pair guard, Mode mode);
  void annotation(Activation& a, const ir::Instruction& in, const ir::Annotation& n, Pair guard, Mode mode);
  void frame(Activation& a, const ir::Instruction& in, const ir::Frame& f, Pair guard, Mode mode);
  void snapshot(Activation& a, const ir::Snapshot& s, Pair guard);
  void barrier(Activation& a, const ir::Instruction& in, const ir::Barrier& b, Pair guard, Mode mode);
  void warp_barrier(Activation& a, const ir::Instruction& in, const ir::Barrier& b, Pair guard, Mode mode);
  bool free_choice(const Activation& a, ir::ValueId v) const;
  void exchange(Activation& a, const ir::Instruction& in, const ir::WarpExchange& w, Pair guard, Mode mode);
  void tile(Activation& a, const ir::Instruction& in, const ir::WarpExchange& w, Pair guard, Mode mode);
  Term named(Term mask, int thread);
  void warp_comes(Term failing, ir::PlaceId place, bool both, Mode mode);
  void one_mask(Pair mask, Pair guard, ir::PlaceId place, Mode mode);
  void active(Pair mask, Pair guard, Mode mode);
  void agreed(const ir::WarpExchange& w, Pair mask, Pair given, Pair result, Pair guard, Mode mode);
  void all_come(Pair mask, Pair guard, ir::PlaceId place, Mode mode);
  bool some_lanes(const Activation& a, uint32_t l) const;
  void note_leaving(const Activation& a, ir::BlockId to, Pair edge);
  Term ended(size_t thread);
  // Whether a loop has meeting points of the pair, so that it runs in step.
  // `in_rounds`: but at barriers of some threads (named.h).
  bool in_step(const flow::LoopEffects& e, bool in_rounds) const;
  bool met_by_barriers(const Activation& a, uint32_t l) const;
  bool around_rings(Activation& a, uint32_t l, Pair entry) const;
  // Whether a warp in lock-step goes through the loop together: all that enter leave in the same iteration.
  bool warp_in_step(const Activation& a, uint32_t l) const {
    return lanes_ == Lanes::same_warp && options_.warp_sync > 0 && a.uniform.loops[l] != 0;
  }

  // loops
  void loop(Activation& a, uint32_t l, Mode mode);
  LoopRun iteration(Activation& a, uint32_t l, Pair entry, Mode mode, bool forget_common,
                    const std::optional<LoopRun>& earlier);
  bool speaks_of_pairs(const ir::Call& c) const;
  bool may_part(const Activation& a, uint32_t l) const;
  void parted(Activation& a, uint32_t l, Pair entry);
  // Where the threads are, kept while something is run beside their way.
  struct Aside {
    std::vector<Pair> values, guards, loop_entry;
    std::map<std::pair<uint32_t, uint32_t>, Pair> edges;
    std::map<uint32_t, Counter> wide;
    Memory::State memory;
    Sets sets;
    size_t first_fact, first_ticket, first_promise;  // those that come in meanwhile
    std::set<uint32_t> touched;
  };
  Aside set_aside(const Activation& a) const;
  void come_back(Activation& a, const Aside& aside, bool summary);
  void later_iterations(Activation& a, uint32_t l, LoopRun from, Mode mode, Header what);
  LoopRun next_iteration(Activation& a, uint32_t l, const LoopRun& first, Mode mode);
  void body(Activation& a, uint32_t l, LoopRun& run, Mode mode);
  void header_invariants(Activation& a, uint32_t l, const Phis& phis, Pair guard, Mode mode, Header what);
  std::vector<ir::ValueId> rotation(const Activation& a, uint32_t l, ir::ValueId v) const;
  Phis incoming(Activation& a, uint32_t l, bool latch);
  void come_back_facts(LoopRun& run, Term latch, int thread);
  void propose(Activation& a, uint32_t l, LoopRun& run, const Phis& initial, Mode mode);
  void assume_candidates(const LoopRun& run, const Phis& phis, Pair k, Pair guard, Mode mode);
  void check_candidates(const LoopRun& run, const Phis& phis, Pair k, Pair guard, Mode mode);
  struct Counting {
    uint64_t most = ~uint64_t{0};  // how often the header is come back to, at most; all ones: not known
    uint64_t span = ~uint64_t{0};  // how far a counter that grows goes, without wrapping; all ones: not known
    bool by_test = false;          // the header's test says so: it fails when the header is come back to so often
    bool stated = false;           // `most` is of nothing but constants and the numbers of the launch
  };
  // Of a loop that is being run: how often its header and its other blocks are, at most.
  struct Repeats {
    uint64_t header = ~uint64_t{0}, others = ~uint64_t{0};  // all ones: not known
    bool stated = false;                                    // by nothing but constants and the numbers of the launch
    bool in_header = false;                                 // the block that is being run is the header
  };
  std::vector<Repeats> repeats_;  // of the loops around
  Repeats repeats(Activation& a, uint32_t l, Mode mode);
  bool stated_by_launch(Term t) const;
  Counting tested_at_latch(Activation& a, uint32_t l, ir::ValueId phi, Term first, int thread, Mode mode);
  Counting most_iterations(Activation& a, uint32_t l, ir::ValueId phi, Term first, int thread, Mode mode);
  // The header's test, as `phi op limit` for staying in the loop; no limit: there is no such test.
  struct Test {
    ir::Op op = ir::Op::any;
    ir::ValueId limit;
  };
  Test header_test(const Activation& a, uint32_t l, ir::ValueId phi) const;
  enum class Ends : uint8_t { no, as_signed, as_unsigned };
  Ends ends(const Activation& a, uint32_t l, ir::ValueId phi, Term step);
  bool positive_while_running(const Activation& a, uint32_t l, ir::ValueId phi) const;

  // memory
  void load(Activation& a, const ir::Instruction& in, const ir::Load& l, Pair guard, Mode mode);
  void store(Activation& a, const ir::Instruction& in, const ir::Store& s, Pair guard, Mode mode);
  void atomic(Activation& a, const ir::Instruction& in, const ir::Atomic& at, Pair guard, Mode mode);
  void pointer_checks(Activation& a, const ir::Access& access, Pair pointer, Pair guard, ir::PlaceId place, Mode mode,
                      bool writes);
  void log(ir::AccessKind kind, const ir::Access& access, ir::RegionId r, Pair guard, Pair pointer, Pair value,
           bool pointer_value, ir::PlaceId place, const ir::Atomic* atomic);
  void warp_forget(const ir::Access& access, Mode mode);
  bool conflicts_possible(ir::RegionId r) const;

  Pair choice();
  Pair track(ir::AccessKind kind, const ir::Access& access, Pair guard, Pair pointer, Mode mode);
  void async_copy(Activation& a, const ir::Instruction& in, const ir::AsyncCopy& c, Pair guard, Mode mode);
  void wait_events(Activation& a, const ir::Instruction& in, const ir::WaitEvents& w, Pair guard, Mode mode);
  // ---- copies of one thread (own_copies.cpp)
  void own_copy(Activation& a, const ir::Instruction& in, const ir::AsyncCopy& c, Pair guard, Mode mode);
  void own_wait(const ir::OwnWait& w, Pair guard, Mode mode);
  struct OwnCopy {
    Pair event, committed;    // none: to no group yet
    std::vector<Pair> later;  // when groups behind its own were committed
    uint64_t number = 0;      // of its group, where groups are counted
    bool in_group = false;
  };
  void wait_for(const std::function<Pair(const OwnCopy&)>& when, Pair guard, Mode mode);
  Pair at_least(uint64_t n, const std::vector<Pair>& guards);
  uint32_t iterations_to_run(const Activation& a, uint32_t l) const;
  // A loop of few iterations, of copies that are committed in it or of barriers of some threads (`in_rounds`).
  bool written_out(Activation& a, uint32_t l, Pair entry, Mode mode, bool in_rounds);
  std::vector<OwnCopy> own_copies_;
  struct Stages {  // of a pipeline, counted where that can be done
    uint64_t committed = 0, waited = 0;
    bool counted = true;  // each was committed by all, outside of loops
    Pair guard;           // of the last one that was committed
    std::vector<uint32_t> loops;
  } stages_;
  bool made_by_copy_ = false;  // what is logged is made by an asynchronous copy
  NamedBarriers::Operands numbers_of(Activation& a, const ir::Barrier& b);
  void named_barrier(const ir::Barrier& b, const NamedBarriers::Operands& numbers, Pair guard, Mode mode);
  bool others_in_order_ = false;  // there are flags, or barriers of some threads
  std::optional<Ticket> master_ticket(const Ticket& k);
  uint64_t ticket_step(const ir::Atomic& at, const ir::Function& f) const;
  void axioms();
  void find_counters();
  void find_locks();
  void lock(const Activation& a, const ir::Instruction& in, const ir::Atomic& at, Pair guard, Pair pointer, Mode mode);
  struct LockValues {
    uint64_t free = 0, taken = 0;
    uint32_t bytes = 0;
    bool released = false;  // by an atomic
  };
  std::optional<LockValues> lock_values(ir::RegionId r) const;
  std::vector<CounterWrite> lock_stores_;  // plain stores to locks
  void locks_begin();
  std::map<uint32_t, LockValues> lock_values_;  // by region
  void find_last_tickets();
  Term group_count(uint8_t width);
  void last_ticket(Activation& a, const ir::Instruction& in, const ir::Atomic& at, Pair guard, Pair pointer, Mode mode);
  // ---- messages (messages.cpp)
  void find_messages();
  void observe(const Activation& a, const ir::Instruction& in, const ir::Atomic& at, Pair guard, Pair pointer);
  Pair written_by(Activation& a, const ir::Atomic& at);
  const std::set<uint32_t>& written_meanwhile(ir::FunctionId f, const ir::Instruction& in);
  bool heard(const Activation& a, uint32_t l, ir::RegionId r);
  std::map<const ir::Instruction*, std::set<uint32_t>> meanwhile_;
  std::vector<uint8_t> flags_;  // by region: may carry messages
  bool messages_possible_ = false;
  std::vector<uint8_t> updated_;     // by region: atomics update it and say what was there
  bool updates_possible_ = false;    // which may order threads in forms that are not decided
  std::vector<uint8_t> one_ticket_;  // by region
  bool tickets_possible_ = false;
  std::set<uint32_t> loose_loops_;  // of these: run as a summary, each thread in an iteration of its own
  std::set<uint32_t> ring_loops_;   // of these: around rings of barrier objects
  std::vector<CounterWrite> counter_writes_;
  std::vector<uint32_t>
      meetings_of_all_;      // barriers of the whole group that fence local memory, by position; outside loops
  bool maybe_held_ = false;  // a lock may have been taken since the last barrier of the group
  uint32_t loop_runs_ = 0;

  // How far the counter is moved by one thread, at most.
  struct Moved {
    uint32_t bytes = 0;
    uint32_t first = ~0u;             // position of the first addition
    double least = 0, most = 0;       // at least by what is known (loops whose count is not known: once), and at most
    double by_first = 0, by_all = 0;  // of the most, what the first thread of a group alone adds, and the rest
  };
  std::map<uint32_t, Moved> moved_;                 // by region
  std::set<const ir::Instruction*> counted_, met_;  // atomics of counters: counted there, and run in other ways
  bool all_counted(ir::RegionId r) const;
  void move_counter(ir::RegionId r, uint64_t at_least, uint64_t at_most, uint32_t bytes, bool by_first);
  std::optional<uint64_t> most_added(Pair amount) const;
  void assume_no_round(ir::RegionId r);
  std::unordered_map<uint32_t, uint64_t> count_bounds_;  // of counts that are finished, by term
  std::set<uint32_t> unbounded_;                         // counters to which any number may be added
  std::optional<uint64_t> added_in_all(ir::RegionId r) const;
  void settle(const Activation& a, const ir::Instruction& barrier);
  bool behind_writers(const Activation& a, const ir::Instruction& barrier, ir::RegionId r) const;
  std::optional<uint64_t> counted_at_most(ir::RegionId r, uint32_t position) const;
  enum class Round : uint8_t { never, assumed_not, may };
  Round comes_round(ir::RegionId r) const;
  bool replaced_between(const Ticket& i, const Ticket& j) const;
  void ticket_facts();
  void ticket_distance(const Ticket& i, const Ticket& j);
  void amounts_apart(const Ticket& i, const Ticket& j, Term different);
  Term different_makers(const Ticket& i, const Ticket& j);
  void below_count(ir::RegionId r, Term count, int thread, uint32_t bytes);
  void led(Activation& a, const ir::WarpExchange& w, Pair result, Pair guard, Mode mode);
  // A mask that lanes agree on: whom it names has come to it, and has the same.
  struct Agreed {
    Pair result, guard;
    Pair mask, given;  // of a ballot: who is asked, and what each says
    bool ballot = false;
    size_t leaving = 0;  // ways out of the kernel up to there
  };
  std::vector<Agreed> agreed_;
  void note_agreed(Activation& a, const ir::WarpExchange& w, Pair result, Pair guard, Mode mode);
  Term named_lane(Term mask, Term lane);
  // Group memory of other groups of the cluster (clusters.cpp).
  Term mapped(Term offset, Term rank, size_t thread);
  Term in_cluster(Term offset, bool remote, size_t thread);
  void rank_exists(Term rank, Term guard, ir::PlaceId place, Mode mode);
  Term ones_in(Term x);
  void ones_facts();
  void ticket_bounds();
  std::optional<uint64_t> set_to_at_most(ir::RegionId r) const;
  std::set<size_t> compared_with_null() const;
  void note_null_test(Term pointer);
  uint8_t alignment(Term base) const;
  void compare_parameters(Term a, Term b);
  Term own_object(Term base);
  bool own_apart(Term a, Term b);
  Term taken(const ir::Compute& c, const std::vector<Term>& o, int thread, Mode mode);
  Term accessed(const ir::Compute& c, Term pointer, int thread, uint8_t width, Mode mode);
  void forget_sets(Activation& a, uint32_t l, Pair entry);
  void wide_invariants(Activation& a, uint32_t l, Pair guard, Mode mode, Header what);
  void assert_barrier_invariants(Activation& a, Pair guard, Mode mode);
  void assume_barrier_invariants(Activation& a, Pair guard, Mode mode);
  void log_spec_reads(Activation& a, ir::ValueId v, Pair guard, ir::PlaceId place, Mode mode, int depth = 0);

  void log_reads_of_pairs(Activation& a, ir::ValueId condition, Pair guard, ir::PlaceId place, Mode mode);

  // What holds where the guard does, from here on; a guard of `yes` says that it holds of every thread.
  void fact(Term guard, Term claim, int thread, bool both = false);
  // Null when there is nothing to ask. Facts that are added later do not count for the question.
  Obligation* oblige(Kind kind, Term failing, ir::PlaceId place, bool both, Mode mode);
  const flow::Recurrences& recurrences(ir::FunctionId f);
  std::optional<uint64_t> required_value(const ir::Function& f, size_t parameter);
  bool essential(ir::FunctionId f, ir::ValueId v);
  const flow::LoopEffects& loop_effects(ir::FunctionId f, uint32_t l);

  const flow::Writers writers_;
  const Refuted& refuted_;
  const Job& job_;
  Proxies proxies_{*this};
  Mbarriers mbarriers_{*this, masters};
  uint64_t bulk_copies_ = 0;  // outside loops
  NamedBarriers named_{*this};
  // Edges of the kernel, outside of loops, to where no meeting point comes any more, and who takes them.
  std::vector<std::pair<ir::BlockId, Pair>> leaving_;
  std::unique_ptr<ir::Leaving> way_out_;
  Pair trapped_;             // the thread has ended the kernel, outside of loops
  ir::BlockId entry_block_;  // of the kernel, that is being run
  uint32_t parting_ = 0;     // loops around with masks that may leave lanes out
  // Of a matrix function whose access comes next.
  struct Arrival {
    uint32_t position = 0;
    Term both;
  };
  Arrival arrival_;
  // For the first access to memory of others behind it; taken once.
  Arrival take_arrival(const ir::Access& access);
  uint32_t local_segment_ = 0, global_segment_ = 0;
  uint32_t second_ = 0, seconds_ = 0;
  std::map<uint32_t, std::unique_ptr<flow::Recurrences>> recurrences_;
  std::map<std::pair<uint32_t, uint32_t>, flow::LoopEffects> loop_effects_;
  std::map<uint32_t, std::vector<uint8_t>> essential_;  // by function
  Header header_ = Header::assume;
  uint64_t blocks_run_ = 0;
  uint32_t instants_ = 0;
  std::map<uint32_t, uint32_t> site_instants_;
  std::vector<uint8_t> amounts_;  // by region: all that writes it adds, and not always the same
  std::vector<int8_t> counters_;  // by region: 1 only added to, -1 only subtracted from, 0 neither
  // ---- who is the first to change a place (claims.cpp)
  struct Claims {
    bool known = true;                                // `written` is all that is ever written, but for stores
    bool aligned = true, sets = true, clears = true;  // all updates only set bits, or clear bits
    std::vector<Range> written;                       // by those who look at what they find
    std::vector<Term> given;                          // the same, of numbers that the launch gives
    struct Unseen {
      Range range;
      Term value;  // of numbers that the launch gives; or none
      CounterWrite write;
    };
    std::vector<Unseen> unseen;  // by others
  };
  void find_claims();
  void claim(Activation& a, const ir::Instruction& in, const ir::Atomic& at, Pair guard, Pair pointer);
  void settle_claims();
  bool of_arguments(Term t) const;
  void claims_apart(const Ticket& i, const Ticket& j, Term different);
  std::vector<uint8_t> claimable_;     // by region
  std::map<uint32_t, Claims> claims_;  // by region
  Pair iteration_;                     // of the innermost loop run as a summary
  bool tracking_ = false;
  Sets sets_;
  std::vector<Collected>* collector_ = nullptr;
  const std::vector<Collected>* summary_ = nullptr;  // of the loop about to be run
  std::map<uint32_t, uint32_t> snapshots_;           // of which region another one is a ghost
  bool of_both_ = false;                             // expressions see memory as it is when both threads have come here
  // Of a barrier invariant about pairs: the other of the pair as a third thread, and when it is one.
  std::array<std::unordered_map<uint32_t, Term>, 2>* third_ = nullptr;
  bool in_pure_ = false;  // operands may not have been run yet
  Pair id_instance_;      // replaces the local id while an instance of a barrier invariant is built
};

}  // namespace fencepost::prove

#pragma once
// Internal to the room: one run. Threads with frames, a scheduler that runs them from barrier to barrier (interp.cpp,
// meeting.cpp), what lanes exchange (exchange.cpp), instructions (step.cpp), accesses and their log (access.cpp), and
// what happened before what (order.h).
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "base/job.h"
#include "interp/interp.h"
#include "interp/lockstep.h"
#include "interp/memory.h"
#include "interp/order.h"
#include "ir/async.h"
#include "ir/leaving.h"

namespace fencepost::interp {

using namespace ir;

struct Frame {
  FunctionId function;
  BlockId block, from;
  uint32_t next = 0;                 // instruction
  uint64_t activation = 0;           // of the call: private variables are its own
  std::vector<uint32_t> iterations;  // of its loops; only kept in lock-step
  std::vector<Val> values;
};

// One barrier that a thread has passed: what it said about its fences.
struct Passed {
  bool local = false, global = false;
};

struct Thread {
  ThreadName who;
  uint32_t number = 0, group = 0, flat = 0, warp = 0, cluster = 0;
  std::vector<Frame> frames;
  enum State : uint8_t { running, waiting, exchanging, done } state = running;  // waiting: at a barrier
  uint64_t at_barrier = 0;  // where: a hash of call stack and instruction
  const ir::Barrier* barrier = nullptr;
  bool counted = false;  // who comes to it is counted
  PlaceId barrier_place;
  ValueId barrier_result;
  Passed flags;
  uint64_t barrier_name = 0, mask = 0;
  const WarpExchange* exchange = nullptr;
  std::vector<uint64_t> given;  // to the exchange
  bool predicate = false;
  bool made_up = false;  // what it gave to the exchange or the barrier
  uint64_t grid_epoch = 0, cluster_epoch = 0;
  std::vector<uint32_t> warp_meetings;        // numbers of the warp barriers that it took part in, rising
  std::vector<Passed> passed;                 // group barriers, in order
  uint64_t instant = 0;                       // of lock-step: of the instruction that is executed
  std::vector<uint64_t> common;               // by lane: the last instant that both were in
  std::map<uint32_t, uint64_t> site_instant;  // the parts of an access are made at the instant of its first
  uint32_t tiles = 0;                         // matrix functions that it has come to
  PlaceId tile_place;                         // of the last one, until the thread has made an access behind it
  uint64_t any_count = 0;
  BlockId quiet;              // of the kernel: the last one behind which no meeting point comes; none yet
  uint32_t copies = 0;        // asynchronous copies of its group that it has come to
  std::set<uint32_t> waited;  // numbers of copies
  // Its own copies: those of no group yet, and the groups in order; how often it has waited for the oldest one.
  std::vector<uint32_t> uncommitted;
  std::vector<std::vector<uint32_t>> groups;
  size_t oldest = 0;
};

struct Logged {
  AccessRecord record;
  uint32_t thread = 0, group = 0, cluster = 0, warp = 0, instance = 0;
  uint32_t barriers = 0;  // group barriers passed before it
  uint32_t meetings = 0;  // warp barriers
  uint64_t grid_epoch = 0, cluster_epoch = 0, instant = 0;
  uint32_t epoch = 0;   // of the thread's clock
  uint32_t number = 0;  // of an atomic among those of its location
  uint32_t copy = 0;    // of an asynchronous copy: its number
  uint32_t tiles = 0;   // matrix functions of its thread before it
  uint32_t tile = 0;    // of the access of a matrix function: which one; 0: it is of none
};

// An asynchronous copy of a group (copies.cpp).
struct Copy {
  uint32_t thread = 0;             // which makes it
  uint64_t at = 0, handle = 0;     // where, and its event
  std::vector<uint64_t> operands;  // destination, source, count, stride, event given
  bool done = false;               // its thread has waited for it,
  Logged end;                      // then
  PlaceId place;
};

// A barrier with a number of threads: who has come.
struct Meeting {
  std::vector<uint32_t> waiting;
  uint64_t come = 0, count = 0;  // arrivals too
  View brought;                  // what those know that have arrived and gone on
};

class Run {
 public:
  Run(const ir::Module& m, FunctionId kernel, const Shape& shape, const Inputs& inputs, const Limits& limits)
      : m_(m),
        kernel_(kernel),
        shape_(shape),
        inputs_(inputs),
        limits_(limits),
        memory_(m, inputs_, limits_),
        rng_(inputs.seed) {}
  Outcome go();

 private:
  // ---- threads and turns
  bool over() const { return out_.status != Outcome::ended || stop_; }
  void finish(Outcome::Status s, std::string detail = {});
  void defect(Defect d);
  bool start();
  // Pointer parameters of the kernel point to this thread's instance of their region.
  void bind_parameters(Thread& t);
  Val base_of(const Thread& t, const Frame& f, RegionId r);
  void turn(Thread& t);
  // The warp of a thread, in lock-step, until no thread of it can go on or its turn is used up.
  void warp_turn(const Thread& one);
  std::vector<uint64_t> place_of(const Thread& t);
  const Line& line(FunctionId f);

  // ---- barriers
  // No thread can go on: whoever waits for what is complete goes on; else the run is at an end, or the kernel at fault.
  bool open_barriers();
  void open(const std::vector<Thread*>& group);
  // Barriers of clusters; false: none opens.
  bool open_clusters();
  bool of_more_groups(ir::Scope s) const;
  // The same place in group memory of the group with this rank in the thread's cluster.
  Val map_rank(const Thread& t, const Val& p, uint64_t rank);
  bool diverge(const Thread& a, const Thread& b);
  static bool by_number(const Thread& a, const Thread& b);
  static bool parted_warp(const std::vector<Thread*>& group);
  bool stuck(const Thread& t);
  // Whether a thread that has ended has done what comes behind the meeting point at which `t` waits for it.
  bool went_on(const Thread& t, const Thread& ended);
  static uint64_t place_in_calls(const Thread& t);
  // What lanes hand to each other (exchange.cpp).
  bool open_exchanges();
  void exchange(const std::vector<Thread*>& lanes);
  // Whether all of the warp are there with equal operands, if it is a matrix function; else that is a defect.
  bool whole(const std::vector<Thread*>& lanes);
  void meet(const std::vector<Thread*>& threads, bool local, bool global);
  void execute(Thread& t, const Instruction& i, const ir::Barrier& b);
  // A barrier with a number of threads, or one at which a thread arrives without waiting.
  void arrive(Thread& t, const ir::Barrier& b);

  // ---- steps
  Val get(Thread& t, ValueId v);
  uint32_t width(const Thread& t, ValueId v) const { return m_.function(t.frames.back().function).value(v).type.width; }
  void step(Thread& t);
  // All phis of a block at once: they read the values of before.
  void phis(Thread& t, const Block& b);
  void jump(Thread& t, BlockId to);
  void leave(Thread& t, const Jump& j) { jump(t, j.to); }
  void leave(Thread& t, const Branch& b);
  void leave(Thread& t, const Switch& s);
  void leave(Thread& t, const Return& r);
  void leave(Thread& t, const Unreachable&);
  void leave(Thread& t, const Trap&);
  void set(Thread& t, const Instruction& i, Val v);
  void execute(Thread&, const Instruction&, const Phi&) {}
  void execute(Thread& t, const Instruction& i, const Compute& c);
  void compute(Thread& t, const Instruction& i, const Compute& c);
  // Where a thread goes or what it accesses depends on this value.
  void decides(const Val& v) { out_.made_up = out_.made_up || v.made_up; }
  static bool overflows(Op op, const std::vector<uint64_t>& x, uint32_t w);
  uint64_t id(const Thread& t, IdKind k, uint32_t d) const;
  void execute(Thread& t, const Instruction&, const Fence& f);
  void execute(Thread& t, const Instruction& i, const WarpExchange& w);
  void execute(Thread& t, const Instruction& i, const AsyncCopy& c);
  void execute(Thread& t, const Instruction&, const WaitEvents& w);
  void make(Thread& t, const AsyncCopy& c, const Copy& made);
  void end(Thread& t, uint32_t number);  // the thread has waited for this copy
  void wait(Thread& t, const OwnWait& w);
  // Threads of one group that have come to different numbers of copies.
  void copies_left_out();
  // What a logged access becomes where its thread stands now.
  void stamp(Logged& l, const Thread& t) const;
  void execute(Thread&, const Instruction&, const ReadPermission&) {}
  void execute(Thread&, const Instruction&, const ir::Frame&) {}
  void execute(Thread& t, const Instruction&, const Snapshot& s);
  void execute(Thread& t, const Instruction&, const BarrierInvariant& b);
  void check(Thread& t, const Val& c, DefectKind kind);
  void execute(Thread& t, const Instruction&, const Annotation& a);
  void execute(Thread& t, const Instruction& i, const Call& c);

  // ---- accesses
  // False when the access is a defect, or outside of what a run keeps.
  bool valid(Thread& t, const Val& p, uint32_t bytes, AccessKind kind);
  bool ordered(const Logged& a, const Logged& b, Space space);
  // A warp barrier that both took part in, the first thread after its access and the second before its own.
  bool met(const Logged& a, const Logged& b) const;
  bool in_step(const Logged& a, const Logged& b) const;
  void log(Thread& t, const Access& a, const Val& p, AccessKind kind, const Val& made, uint64_t old, Scope scope,
           uint32_t epoch = 0, bool loads = false);
  bool conflict(const Logged& before, const Logged& now) const;
  // The reader wrote this value here itself, with no barrier since: it reads the same with or without the other's
  // write.
  bool wrote_itself(const Logged& reader, uint64_t byte, uint64_t value);
  void race(const Logged& a, const Logged& b, uint64_t byte);
  void execute(Thread& t, const Instruction& i, const Load& l);
  void execute(Thread& t, const Instruction&, const Store& s);
  void execute(Thread& t, const Instruction& i, const Atomic& a);

  const ir::Module& m_;
  FunctionId kernel_;
  const Shape shape_;
  const Inputs inputs_;
  const Limits limits_;
  Memory memory_;
  Rng rng_;
  Outcome out_;
  std::vector<Thread> threads_;
  std::vector<Logged> log_;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, size_t> races_;
  PlaceId place_;
  Job job_;  // its deadline alone
  bool late();
  uint64_t steps_ = 0, activations_ = 0, instants_ = 0;
  uint32_t meetings_ = 0;
  std::unique_ptr<Happened> happened_;                        // none: nothing orders but barriers
  std::map<std::pair<uint32_t, uint64_t>, Carried> carried_;  // by instance and offset
  std::map<uint64_t, uint32_t> atomics_;                      // how many a location has seen
  uint32_t atomic_number_ = 0;                                // of the one that is executed
  bool yield_ = false;                                        // others may go on now
  bool accessed_ = false;                                     // an access was logged
  std::vector<Copy> copies_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> copy_numbers_;  // by group and turn; from 1
  uint32_t copy_ = 0;                                               // that is made now
  std::map<std::pair<uint32_t, uint64_t>, Meeting> counted_;        // by group and name of the barrier
  bool arrivals_ = false;                                           // there are barriers at which threads only arrive
  std::map<uint32_t, std::unique_ptr<Line>> lines_;
  std::unique_ptr<Leaving> way_out_;  // of the kernel
  uint32_t group_count_ = 0;
  std::map<std::array<uint32_t, 3>, uint32_t> group_numbers_;
  bool stop_ = false;
};

}  // namespace fencepost::interp

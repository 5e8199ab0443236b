#pragma once
// Messages: a thread leaves data and then writes a place (the flag); whoever reads that value there has the data.
//
//   data = 1; fence; flag = 1;        while (flag != 1); fence; ... data ...
//
// Asked for two accesses that would race: does `before`, of one thread, come before `behind`, of the other, because the
// other has read a value that only what stands behind `before` can have written? To be shown, each by a question about
// all threads at once:
//  - The reader: where `behind` is made, its thread has read the place (an atomic read, an observation), and behind
//    that
//    it has a fence that acquires, or the read acquires. Or the first thread of its group has done so, and a barrier of
//    the group that orders the memory stands between the fence and `behind`.
//  - Every writer. Any third thread that may have written the value that was read to that place must be
//      + the thread of `before` itself, behind `before` in the order of the program and outside of the loops around it,
//        with a fence that releases in between, or a write that does; or
//      + of its group, with a barrier between `before` and the write, and a release behind that barrier; or
//      + of the last group (last_group.h), behind whose ticket it writes, with a fence of its own between the two.
//    So the value is granted by all of its writers or by none, and the owner that touches the data again behind its
//    write has no order for that. Values are compared as they are, with their width: a place that is reset, an epoch
//    that wraps, gives a second writer of one value.
//  - All writers are known: the records of the run are all accesses to the array by any thread. One that is not atomic,
//    of other bytes, in part over the place, by a function without a body or a copy counts as a writer of any value. So
//    does an update whose result is not known (add, or). What leaves the contents alone passes the message on (a
//    read-modify-write is part of the release sequence).
//  - The value is not the one that the place has when the kernel starts: taken to be 0, and said.
//  - Scopes of the read, of the write and of the fences hold both threads, and the memory of the data is what they
//    order (OpenCL: an ordered atomic orders the memory of its own address space).
//  - With CUDA's fences, which are sequentially consistent, a fence may also stand on the other side of the barrier, in
//    the thread that makes the access, if the other side has such a fence too (PTX: Fence-SC order cannot contradict
//    causality order).
//
// Turns: `while (turn != mine); fence; ... fence; turn = mine + 1;`. If whoever writes the place has read one less
// there
// before, the values form a chain from the first turn on. Who has read u and is the only one to write u + 1, behind
// what
// it does in its turn, comes before who has read v > u, over all turns between; and the other way about for v < u. So
// two accesses in different turns at one place are ordered, whichever comes first.
//
// Places that are handed over (a ring of buffers with flags that say full and empty): hand_over.cpp.
//
// The third thread has the terms of the reader, with an id and unknowns of its own; of it is known what is known of
// each thread alone, and that tickets of two threads are apart.
// What the reader knew of memory is forgotten at each observation (Execution::observe).
// Source: transfer of ownership by a location's protocol: GPS (OOPSLA 2014), FSL (VMCAI 2016); PTX ISA 8, memory
// consistency model; OpenCL 3.0 API, 3.3.
// Not tried: other chains of messages through a third thread, but for the last group; epochs that a loop counts.
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "formula/pool.h"
#include "ir/ir.h"
#include "order/assumption.h"
#include "order/last_group.h"
#include "order/records.h"

namespace fencepost::order {

class Messages {
 public:
  using Renaming = std::unordered_map<uint32_t, Term>;
  // Terms of threads that are not of the pair.
  struct Others {
    std::function<Term(Term, Renaming&)> another;  // with unknowns of its own; the renaming says of which id
    std::function<Term(Term, int)> first;          // of the first thread of the thread's group
  };
  // Can no two threads satisfy the goal when they have come so far?
  using Question = std::function<bool(std::vector<Term> goal, std::array<uint32_t, 2> limits)>;
  Messages(Pool& pool, const ir::Module& m, const Trace& trace, const Setting& setting, Question impossible,
           Others others, LastGroup& last);

  // Thread 0's access and thread 1's are ordered by a message, one way or the other, whenever the goal holds.
  bool ordered(const AccessRecord& a, const AccessRecord& b, const std::vector<Term>& goal);
  // Of two that are not: the array whose atomics may order them all the same, by what is not shown here. None: no
  // message can, since none of their threads releases behind its access what the other acquires before its own.
  ir::RegionId perhaps(const AccessRecord& a, const AccessRecord& b, const std::vector<Term>& goal);
  Assumptions assumptions;

 private:
  // How far one side of the message goes; `sequential`: by one of CUDA's fences.
  struct Side {
    bool fenced = false, sequential = false;
  };
  // The one who read: what holds of it, and what it read.
  struct Reader {
    std::vector<Term> known;
    Term offset, value;
    Side side;
  };
  struct Asked {
    const AccessRecord &before, &behind;
    size_t writer, reader;  // numbers of the threads
    const std::vector<Term>& goal;
    std::array<uint32_t, 2> limits;
  };
  // A thread has read the place and has not written it since.
  struct Holding {
    Pair guard;
    uint32_t position = 0;
    const ObservationRecord* read = nullptr;
  };
  // Another thread, with the terms of thread `of`.
  struct Third {
    Renaming renaming;
    std::array<Term, 3> local, group;
  };
  Third third(size_t of);
  bool handed_over(const AccessRecord& a, const AccessRecord& b, const std::vector<Term>& goal,
                   std::array<uint32_t, 2> limits);
  std::optional<Holding> holding(ir::RegionId place, size_t thread, const AccessRecord& use) const;
  const std::vector<Holding>* owners(ir::RegionId place);
  bool exclusive(size_t thread, const Holding& one, const Holding& other);
  bool fence_between(uint32_t from, uint32_t to, Term guard, size_t thread, bool acquire, bool release,
                     const AccessRecord& data);
  bool acquired(const Asked& q, const ObservationRecord& o) const;
  bool sent(const Asked& q, ir::RegionId place, const ObservationRecord* o);
  bool released(const Asked& q);
  std::vector<const ObservationRecord*> reads() const;
  bool may_pass_on() const;
  bool barrier_between(uint32_t from, uint32_t to) const;
  bool passes(const Asked& q);
  bool in_turns(const Asked& q);
  std::optional<Side> chained(const ObservationRecord& o);
  bool all_writers(const Asked& q, const ObservationRecord& o, const Reader& r);
  bool follows(const Asked& q, std::vector<Term> also, Term then);
  std::vector<Reader> readers(const Asked& q, const ObservationRecord& o);
  bool by_order_of_fences_ = false;  // of what is being shown
  bool granted(const Asked& q, const ObservationRecord& o, const Reader& r);
  bool by_writer(const Asked& q, const ObservationRecord& o, const Reader& r, const AccessRecord& w);
  bool reaches(ir::Scope s) const;
  bool orders(ir::RegionId flag, const AccessRecord& data) const;
  bool acquire_fence(const FenceRecord& f, const AccessRecord& data) const;
  bool release_fence(const FenceRecord& f, const AccessRecord& data) const;
  const std::vector<BarrierRecord>& barriers() const;
  bool alone(Term guard, size_t thread, Term then, uint32_t position) const;
  Side released_by_itself(const Asked& q, const AccessRecord& w);
  Side released_by_barrier(const Asked& q, const AccessRecord& w);
  Term behind_last(const Asked& q, const AccessRecord& w);
  std::vector<Term> facts_of(size_t thread, uint32_t position, const std::vector<Term>& about,
                             const std::function<Term(Term)>& rename) const;
  Pool& pool_;
  const ir::Module& m_;
  const Trace& x_;
  const Setting setting_;
  Question impossible_;
  Others others_;
  LastGroup& last_;
  std::map<uint32_t, std::optional<std::vector<Holding>>> owners_;  // by array
};

}  // namespace fencepost::order

#pragma once
// Is there an order between two accesses? The one place where conflicts and edges meet: a race is a conflict without an
// edge. `prove` asks for each pair of accesses of its two threads.
//
// A conflict: common bytes, one of the two writes, and they are not atomic for each other. Atomics are so only if each
// one's scope holds both threads and they are of the same bytes; atomics of two widths, or that overlap in part, are a
// conflict like any other.
//
// Edges come from providers: barriers of the group, of the grid and of warps, lock-step of warps, critical sections
// (locks.h), the last ticket (last_group.h), ends of asynchronous copies. Each gives links or conditions (edge.h).
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "formula/pool.h"
#include "ir/ir.h"
#include "order/edge.h"
#include "order/last_group.h"
#include "order/locks.h"
#include "order/records.h"

namespace fencepost::order {

class Engine {
 public:
  // Can no thread satisfy the goal when both have come to the position?
  using Question = std::function<bool(std::vector<Term> goal, uint32_t position)>;
  Engine(Pool& pool, const ir::Module& m, Trace& trace, const Setting& setting, Question impossible);

  // Of thread 0's access and thread 1's, in the order in which the threads come to them.
  struct Conflict {
    Term possible;  // they touch common bytes and are not atomic for each other; no: never
    Term same;      // they are of the same place
  };
  Conflict conflict(const AccessRecord& a, const AccessRecord& b) const;

  // What must all fail to hold for the two to be unordered; `settled`: they are ordered, whatever holds.
  struct Edges {
    bool settled = false;
    std::vector<Term> orders;        // each: a before b, or the two exclude each other
    std::vector<Term> by_lock_step;  // the same, by warps that execute in step
  };
  Edges edges(const AccessRecord& a, const AccessRecord& b);

  // A copy that a loop starts and that may not have been waited for in the iterations that are looked at: not decided.
  //
  // n iterations are run one behind the other, of which the first is any. A copy of iteration i that has been waited
  // for when iteration i + n - 2 ends is ordered by the barrier of the next one before all iterations behind, so that
  // what it may race with is in those n. What follows the loop is looked at with the last n iterations.
  bool copy_outlives_iterations(const AccessRecord& a);
  bool in_step(uint32_t loop) const;
  // A copy of the thread's own has always been waited for when the iteration that started it ends.
  bool ends_in_iteration(const AccessRecord& a);
  // The thread that made the copy has waited for it before the position.
  Term waited(const AccessRecord& a, uint32_t position);
  // Or this one, or this one of another iteration, has waited at a barrier object that knows of it.
  Term known_complete(const AccessRecord& a, const AccessRecord& b, size_t thread);
  LastGroup& last_group() { return last_; }
  // Of two accesses without an edge: an array that looks like a lock and is none by what is shown, if both threads have
  // taken it and not given it back, or one gives it back behind its access and the other takes it before its own; or a
  // counter of tickets, with a ticket behind the one, a ticket before the other, and a fence.
  ir::RegionId perhaps(const AccessRecord& a, const AccessRecord& b) const;
  // What CUDA's guide gives and PTX does not: a read of one lane comes before its warp's store of a matrix, since
  // that store begins when all lanes have arrived. The term says that a and b are such a pair.
  Term read_before_matrix(const AccessRecord& a, const AccessRecord& b) const;
  const Assumptions& assumptions() const { return last_.assumptions; }

 private:
  bool narrow(const AccessRecord& a) const;
  Term waited_here(const AccessRecord& a, uint32_t position);
  bool waited_in_first(const AccessRecord& a, const StepRecord& s);
  Link link(const BarrierRecord& r);
  Term waited_by_other(const AccessRecord& a, uint32_t position);
  void meetings(const AccessRecord& a, const AccessRecord& b, Edges& out);
  void named_barriers(const AccessRecord& a, const AccessRecord& b, Edges& out);
  Term named_end_before(const NamedRole& i, const AccessRecord& a, size_t first, const NamedRole& j,
                        const AccessRecord& b, size_t second);
  Term named_before(const NamedRole& i, const AccessRecord& a, size_t first, const NamedRole& j, const AccessRecord& b,
                    size_t second);
  void phases(const AccessRecord& a, size_t first, const AccessRecord& b, size_t second, Edges& out);
  void rings(const AccessRecord& a, size_t first, const AccessRecord& b, size_t second, Edges& out);
  void lock_step(const AccessRecord& a, const AccessRecord& b, Edges& out);
  void critical_sections(const AccessRecord& a, const AccessRecord& b, Edges& out);
  Pool& pool_;
  const ir::Module& m_;
  Trace& x_;
  Setting setting_;
  Question impossible_;
  Locks locks_;
  LastGroup last_;
  std::vector<std::vector<Held>> held_;                        // by access
  std::map<std::pair<size_t, size_t>, bool> waited_in_first_;  // by access and loop in step
};

}  // namespace fencepost::order

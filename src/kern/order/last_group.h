#pragma once
// The group that comes last: each group does its part, takes a ticket, and the group whose ticket is the last goes on
// with what the others have left (`if (lid == 0) last = atomicInc(&count, n) == groups - 1; barrier; if (last) ...`).
//
// A ticket is an atomic instruction that adds 1 to what it returns (with any limit at which it starts again), is
// executed by the first thread of each group, not in a loop, and has a scope that holds the whole grid. Whatever else
// writes its array is done by the last group, behind its ticket.
//
// Why what is behind the last ticket is ordered behind what is before the others:
//  - k tickets leave at most k in a location that starts at 0 (said as an assumption). Each group takes at most one, so
//    whoever gets `groups - 1` or more came when all other groups had taken theirs, and is the only one.
//  - Tickets of one location stand in one order, and each reads what the one before wrote: a release before a ticket
//    and an acquire behind the last one make an edge.
//  - Release: the access is the ticket thread's own, or a barrier of its group that orders global memory stands between
//    it and the ticket; and behind that the ticket thread has a fence, or the ticket releases.
//  - Acquire: the access is the ticket thread's own, or such a barrier stands between it and the ticket; and between
//    them the ticket thread has a fence, or the ticket acquires.
//  - CUDA's __threadfence is sequentially consistent, and the order of two such fences is one of the causality order
//    (PTX: Fence-SC). So there a fence may also stand in the thread that makes the access, on the other side of the
//    barrier, if the fence of the other group is of that kind too.
//  - CUDA's guide and its samples have no fence behind the ticket. With a barrier there the pattern is accepted, and
//    said as an assumption that it lacks the fence. In OpenCL it is not.
//  - The ticket itself is ordered before what the last group does to the counter: CUDA by observation, OpenCL if the
//    ticket acquires and releases.
// OpenCL's mem_fence orders for one group only (OpenCL 3.0 C 6.15.8) and is no such fence.
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "formula/solve.h"
#include "ir/ir.h"
#include "order/records.h"

namespace fencepost::order {

// Does an order have the part; does the scope hold all threads of the grid?
bool releases(ir::Order o);
bool acquires(ir::Order o);
bool for_grid(ir::Scope s);

class LastGroup {
 public:
  // No thread can satisfy the goal when both have come to the position.
  using Question = std::function<bool(std::vector<Term> goal, uint32_t position)>;
  LastGroup(Pool& pool, const ir::Module& m, Trace& trace, Question impossible);
  bool any() const { return !valid_.empty(); }
  // Under which condition `before`, of thread 0, happened before `behind`, of thread 1 and of another group.
  Term ordered(const AccessRecord& before, const AccessRecord& behind);
  std::set<std::string> assumptions;

 private:
  enum class Evidence : uint8_t { none, fenced, by_fences };  // by_fences: if both sides have CUDA's fences
  struct Release {
    Evidence how = Evidence::none;
    bool sequential = false;  // the fence is one of CUDA's
  };
  Term last(const TicketRecord& k, size_t t);
  bool always(std::vector<Term> when, Term then, uint32_t position);
  bool valid(const TicketRecord& k);
  Release released(const TicketRecord& k, const AccessRecord& a);
  Release acquired(const TicketRecord& k, const AccessRecord& a);
  Pool& pool_;
  const ir::Module& m_;
  Trace& x_;
  Question impossible_;
  std::vector<const TicketRecord*> valid_;
  std::map<std::pair<size_t, uint32_t>, Release> released_, acquired_;  // by access and region
};

}  // namespace fencepost::order

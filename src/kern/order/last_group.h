#pragma once
// Last-block reduction: each group does its part, takes a ticket, and the group whose ticket is the last goes on
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
// Counters that all wait for: `if (lid == 0) { atomicAdd(&count, 1); while (atomicAdd(&count, 0) < groups); }
// barrier;`.
// Who has read that the counter is `groups` or more, by an atomic that leaves it alone or that is no ticket, knows that
// each group has taken its ticket, since each takes at most one and nothing else changes the counter. What is ordered
// behind that read is behind what each group did before its ticket, by the same edges; the read may be any thread's, or
// the first thread's of the group if a barrier stands behind it.
// A counter with several tickets, one behind the other, and never put back: who has read m * groups or more is behind
// the m-th ticket of each group, if each group takes ticket j + 1 only after it has read j * groups or more. For
// take the
// first moment at which the counter is m * groups and a group lacks its m-th ticket: no group has taken ticket m + 1
// yet, since none can have read so much, so each has at most m and one has fewer.
// OpenCL's mem_fence orders for one group only (OpenCL 3.0 C 6.15.8) and is no such fence.
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "formula/solve.h"
#include "ir/ir.h"
#include "order/assumption.h"
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
  bool valid(ir::RegionId counter) const;
  // Under which condition `before`, of thread 0, happened before `behind`, of thread 1 and of another group.
  Term ordered(const AccessRecord& before, const AccessRecord& behind);
  // Whether the counter is 0 at the end of a launch if it was at its start. To be shown: all groups take their ticket,
  // of one place, or none does; and the last ticket makes it 0 by its limit, or the first thread of the last group
  // always puts 0 there, while nothing else is ever put there.
  bool puts_back(ir::RegionId counter);
  Assumptions assumptions;

 private:
  enum class Evidence : uint8_t { none, fenced, by_fences };  // by_fences: if both sides have CUDA's fences
  struct Release {
    Evidence how = Evidence::none;
    bool sequential = false;  // the fence is one of CUDA's
  };
  // From where on a thread knows that all groups have their tickets.
  struct Sight {
    uint32_t position = 0;
    Term guard, came_last;  // of thread 1: it comes there; it has seen all
    bool acquires = false, own_ticket = false;
    bool by_first = false;  // not its own: its group's first thread has seen all, and then there was a barrier
  };
  struct Behind {
    Release side;
    Term when;
  };
  std::vector<Sight> sights(const TicketRecord& k);
  bool nothing_else_changes(ir::RegionId counter) const;
  // Under which condition, and by which assumptions.
  struct Grant {
    Term when;
    Assumptions by;
  };
  std::optional<Grant> behind_sight(const TicketRecord& k, const Sight& s, const AccessRecord& before,
                                    const AccessRecord& behind);
  Term last(const TicketRecord& k, size_t t);
  bool always(std::vector<Term> when, Term then, uint32_t position);
  bool valid(const TicketRecord& k);
  bool in_turns(const std::vector<const TicketRecord*>& tickets);
  Term seen(const TicketRecord& k, const ObservationRecord& o, size_t t);
  Release released(const TicketRecord& k, const AccessRecord& a);
  Behind acquired(const Sight& s, const AccessRecord& a);
  Pool& pool_;
  const ir::Module& m_;
  Trace& x_;
  Question impossible_;
  std::vector<const TicketRecord*> valid_;
  std::map<const TicketRecord*, uint64_t> turn_;             // of counters with several tickets: from 1 on
  std::map<std::pair<size_t, uint32_t>, Release> released_;  // by access and ticket
  std::map<std::tuple<size_t, uint32_t, uint32_t, bool>, Behind> acquired_;  // by access, sight and ticket
};

}  // namespace fencepost::order

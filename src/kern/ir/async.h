#pragma once
// Copies that one thread starts for itself: cp.async and its groups, cuda::pipeline of one thread (PTX ISA 9.7.9.25).
//
// An AsyncCopy with a result is made by the whole work group, and its result is the event to wait for (OpenCL C 3.0,
// 6.15.11). One without a result is the thread's own: it lasts until the thread has waited for the group that it was
// committed to. Committing and waiting are WaitEvents whose first event is a constant of 8 bits: what is done; the
// second says of how many groups.
// Bulk copies (cp.async.bulk) are groups of their own, and are made through the asynchronous proxy: what was accessed
// in other ways before is accessed behind a proxy fence only (PTX ISA 8.1.1, 9.7.9.25.4). These are told in the same
// form, so that the prover finds them.
#include <optional>

#include "ir/ir.h"

namespace fencepost::ir {

enum class OwnCopies : uint8_t {
  commit = 1,   // all copies started since the last commit are a group
  wait_group,   // until at most `pending` of the latest groups are not complete
  wait_all,     // and those that are in no group
  wait_oldest,  // for one group more than all such waits before: the stages of a pipeline
  bulk_commit,
  bulk_wait,    // until at most `pending` of the latest bulk groups have still to read what they copy
  proxy_fence,  // `pending`: of group memory (1), of global memory (2)
};

struct OwnWait {
  OwnCopies what = OwnCopies::commit;
  uint64_t pending = 0;
};

// Of copies that are not bulk copies.
inline bool of_groups(OwnCopies what) { return what <= OwnCopies::wait_oldest; }

inline bool by_thread(const Instruction& copy) { return copy.results.empty(); }

// Of a copy by a thread: a bulk copy has an event, which no one names.
inline bool is_bulk(const AsyncCopy& c) { return static_cast<bool>(c.event); }

// None: it waits for events of the group.
inline std::optional<OwnWait> own_wait(const Function& f, const WaitEvents& w) {
  if (w.events.empty()) return std::nullopt;
  const Value& first = f.value(w.events[0]);
  if (first.kind != Value::constant || first.type.width != 8) return std::nullopt;
  return OwnWait{static_cast<OwnCopies>(first.constant_bits),
                 w.events.size() > 1 ? f.value(w.events[1]).constant_bits : 0};
}

}  // namespace fencepost::ir

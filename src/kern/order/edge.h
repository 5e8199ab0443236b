#pragma once
// Edges: what makes an access of one thread happen before an access of another.
//
// A link is one step of synchronisation between two threads, or of a thread with a copy that it has started: whatever
// its source thread did up to `from` happens before whatever its target thread does from `to` on, under a condition,
// for the memory that it covers. A link is cumulative if it also passes on what other threads did before its source
// and had handed to it; the end of an asynchronous copy is not: it speaks of the copy's own accesses.
//
// Composition (`compose`), by the model:
//  - the second link must be cumulative: else it does not pass on what the first has brought;
//  - what the two cover together is what each covers. OpenCL has two orders, of global and of local memory (OpenCL 3.0
//    API, 3.3.6): a link by a barrier covers what its flags name, one by an atomic on global memory covers global
//    memory alone, so that they never mix. CUDA and PTX have one order of both (PTX ISA 8.10, causality order), which
//    is filtered by the proxy instead: a copy of the asynchronous proxy is covered by links that name that proxy.
//  - a link that was made for a narrow scope orders the threads in it alone; whoever makes one says so in `happens`.
// Fences of images are no fences of buffers: the front end gives a barrier no flag for them.
#include <optional>

#include "formula/pool.h"
#include "ir/ir.h"
#include "order/records.h"

namespace fencepost::order {

// Under which condition accesses to group memory, and to global memory, are ordered.
struct Cover {
  Term group, global;
  Term of(ir::Space s) const { return s == ir::Space::group ? group : global; }
};

struct Link {
  uint32_t from = 0, to = 0;
  Term happens;
  Cover cover;
  bool cumulative = true;
};

// The first, then the second; none: they do not make one.
std::optional<Link> compose(Pool& pool, const Link& first, const Link& second);

// Under which condition the access happens before the other by this link; no: never.
Term ordered(Pool& pool, const Link& link, const AccessRecord& before, const AccessRecord& behind);

}  // namespace fencepost::order

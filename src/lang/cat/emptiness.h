#pragma once
// Private to the room: which nodes are empty in every execution, as far as three facts tell: what kinds of
// event (read, write, fence, other) a relation starts and ends at, and whether it joins an event to itself,
// to another one of its thread, or to one of another thread. `rf; rf` is found, `co & po^-1` is not.
#include "cat/model.h"

namespace fencepost::cat {

// Per node. `true` is certain, `false` is "not known to be".
std::vector<bool> always_empty(const Model& m);

}  // namespace fencepost::cat

#pragma once
// From the starving components of an exploration to one schedule for people, and the independent check of it. Private
// to the room.
#include <functional>
#include <vector>

#include "oracle/oracle.h"
#include "oracle/space.h"

namespace fencepost::oracle {

using FairAt = std::function<fair::ThreadSet(uint32_t state)>;

// `starving`: components that starve under `fairness`, at least one.
Lasso find_lasso(const axb::Test& test, Space& space, const std::vector<uint32_t>& starving, const FairAt& fair,
                 Fairness fairness);

// Walks the events through the instructions' own semantics and a fresh fair::Machine, sharing nothing with the
// exploration, and aborts (our own fault) unless every event is what it says, the cycle closes, and it meets the
// fairness requirement.
void replay(const axb::Test& test, const fair::Model& model, Fairness fairness, const Lasso& lasso);

}  // namespace fencepost::oracle

#pragma once
// PTX ISA 9.4, 8.6.1 "eventual visibility": is a write promised to be seen by reads that go on for ever, as far as the
// proxies of the two are concerned? A strong access through the generic, async or tensormap proxy is seen by strong
// ones through another of them if both are of scope sys, and of scope gpu where both are of {generic, async}; of weak
// ones nothing is said. Within one proxy, and of the older proxies, this rule says nothing against it.
#include "vocab/vocab.h"

namespace fencepost::reference {

// OpenCL and CUDA: nothing is promised of accesses that are not atomic. A read of theirs sees what happens before it and
// nothing else, so a promise would leave no execution of a loop that reads beside a race, and the answer would be that
// it ends.
bool plain(const vocab::TagSet& read, const vocab::TagSet& write);

bool promised_across_proxies(const vocab::TagSet& read, const vocab::TagSet& write);

// Both are of operations on an mbarrier. Their phases are no matter of visibility: a wait tests the object itself
// (9.7.15.16).
bool on_mbarrier(const vocab::TagSet& read, const vocab::TagSet& write);

}  // namespace fencepost::reference

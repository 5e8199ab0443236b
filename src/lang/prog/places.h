#pragma once
// Accesses at computed places. C leaves undefined what an access outside of its object does, so the execution may not
// just be missing: in front of each such access whose place is not seen to be inside, an event says so with the tag UB,
// and the access itself is made where it is inside.
//
// These instructions have registers of their own behind all others, so that they can be taken out again: by a printer,
// and by whoever translates a test or runs it.
#include "prog/test.h"

namespace fencepost::prog {

// Of code whose registers are all known; `objects` are those of the test.
void check_places(Template& t, const std::vector<Object>& objects, const std::vector<Symbol>& symbols);

bool has_place_checks(const Test& test);
// The test as it was before check_places().
Test without_place_checks(const Test& test);

}  // namespace fencepost::prog

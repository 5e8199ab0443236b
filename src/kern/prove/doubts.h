#pragma once
// Where the proof does not exclude a race: does the race depend on values of which the proof knows almost nothing?
// Then the kernel is not decided, and the report names these values.
#include <set>
#include <string>
#include <vector>

#include "flow/effects.h"
#include "formula/pool.h"
#include "ir/ir.h"

namespace fencepost::prove {

// Some instruction may do to memory what is not known, so that it may order groups, too.
bool unfollowed(const std::set<std::string>& unsupported);
// By name, of those that the goal rests on: what lanes of a warp give each other, and tickets of a counter that is put
// back. "": there are none.
std::string not_followed(const formula::Pool& pool, const std::vector<formula::Term>& goal);
// By name, an array of the group from which it is read where the accesses are: ranks by a scan, a sorted order. The
// kernel has put there what it has. "": there is none. The reference calls such a race possible.
std::string computed(const formula::Pool& pool, const ir::Module& m, const flow::FunctionEffects& effects,
                     const std::vector<formula::Term>& places);

}  // namespace fencepost::prove

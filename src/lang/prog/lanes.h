#pragma once
// What the lanes of a warp give each other (shfl.sync, vote.sync, match.sync, redux.sync), as events of a test.
//
// An exchange is a step of the lanes that a mask names: each stores what it gives into a cell of its own, they wait for
// each other at a barrier, and then each loads what the others gave. Cells are written once, each round of a loop has
// its own; there are k_exchanges of them where loops exchange, and bounds that let loops use more are refused. Their
// objects, accesses and barriers have the tag WARP and not B (a barrier of a warp that orders memory has both), and no
// model of memory sees them: an exchange orders nothing ("do not imply a memory barrier", CUDA C++ Programming Guide,
// Warp Shuffle Functions). That a load finds what was stored before the barrier is the one axiom about them
// (cat/lanes.h). docs/semantics.md, Lanes.
#include <cstdint>
#include <optional>
#include <string>

#include "prog/loop_bounds.h"
#include "prog/names.h"
#include "vocab/vocab.h"

namespace fencepost::prog {

bool is_lane(const vocab::TagSet& tags);
bool has_lanes(const Test& test);

// Cells of an exchange in a loop, after which they are used again; a power of two.
inline constexpr uint64_t k_exchanges = 64;
// Why the test is not read at these bounds: a thread may exchange by one name more often than there are cells. Counted
// from above: an instruction is executed at most as often as the product of the bounds of the loops around it.
std::optional<std::string> too_many_exchanges(const Test& test, const LoopBounds& bounds);

}  // namespace fencepost::prog

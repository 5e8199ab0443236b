#pragma once
// Bounds of loops under models that allow values out of thin air (docs/semantics.md, Loops).
#include "cat/model.h"
#include "prog/loop_bounds.h"
#include "prog/test.h"

namespace fencepost::check {

// Whether the model may let a loop end by a value that is written only because the loop ends. It is taken to be so
// where the test has a loop and several threads, and the model does not forbid values out of thin air
// (cat/thin_air.h). That a bound suffices is argued as if no loop ended so.
bool loops_may_end_by_themselves(const prog::Test& test, const cat::Model& model);

// The bound to begin with: 2 where a loop may end so and tests its register before it reads (`while (r == 0) r = x`),
// as it cannot end behind its first read at bound 1; else 1.
prog::LoopBounds first_bounds(const prog::Test& test, const cat::Model& model);

// Several loops, or rounds of one, may end so in a row, each only where the next does: no smaller bound shows any of
// them. True where they may and the test is small with its loops unrolled to the bound (24 accesses, fences and
// barriers), so that the bound itself is worth asking after a smaller one has decided.
bool loops_may_end_in_a_row(const prog::Test& test, const cat::Model& model, uint32_t bound);

}  // namespace fencepost::check

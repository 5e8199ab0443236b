#pragma once
// Bounds of loops under models that allow values out of thin air (docs/semantics.md, Loops).
#include "base/job.h"
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

// `raised` with no loop beyond the bound that was given.
prog::LoopBounds within(prog::LoopBounds raised, const prog::LoopBounds& given);

struct CountedBounds {
  prog::LoopBounds bounds;
  bool all_end = false;    // each thread ends within them on every path: nothing is cut, and nothing can be left out
  bool none_ends = false;  // they are the most that is allowed, and some thread ends on no path
};

// `first`, doubled for loops that run a number of times which the code says (`for (i = 0; i < 8; i++)`), up to `most`:
// with fewer iterations some thread comes to the end of no execution. Of the condition nothing is lost: with the bounds
// that are passed over there is no complete execution, and the thread is cut after an iteration that has an effect in
// each one, so that the answer is that a loop reaches its bound. `first` itself where the code does not say it, or
// says so only of more than 2,000 states of the threads.
CountedBounds past_counted_loops(const prog::Test& test, const prog::LoopBounds& first, const prog::LoopBounds& most,
                                 const Job& job);

// Several loops, or rounds of one, may end so in a row, each only where the next does: no smaller bound shows any of
// them. True where they may and the test is small with its loops unrolled to the bound (24 accesses, fences and
// barriers), so that the bound itself is worth asking after a smaller one has decided.
bool loops_may_end_in_a_row(const prog::Test& test, const cat::Model& model, uint32_t bound);

}  // namespace fencepost::check

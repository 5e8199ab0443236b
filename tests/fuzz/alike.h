#pragma once
// Programs whose threads are copies of one another, and questions that do not tell them apart: what symmetry breaking
// needs to have anything to do.
#include "program.h"

namespace fencepost::fuzz {

// Some threads become copies of the first one, some of them with a location of their own in place of one that it uses;
// now and then one differs in its last instruction or an initial value. Nothing where the notation ties registers to
// threads.
void make_alike(Rng& rng, Program& p);

// With every conjunction, those in which threads with the same code have changed places.
void ask_alike(const Program& p, Question& q);

}  // namespace fencepost::fuzz

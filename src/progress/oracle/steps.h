#pragma once
// Transition systems in two more forms, those of the published figures and of the artifact.
#include "oracle/oracle.h"

namespace fencepost::oracle {

// As figures 2(b) and 6 print them: steps alone, labelled as raw; a thread's end is part of its last step, and there is
// no exit. Not reduced.
Expected<Lts> steps_lts(const axb::Test& test, const fair::Model* model, const Options& options);
// With the action ALLDONE before exit, as the published artifact's stand-alone example has it.
Lts with_all_done(Lts l);

}  // namespace fencepost::oracle

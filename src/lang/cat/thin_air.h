#pragma once
// Whether a model rules out values out of thin air: values that are written only because they are read.
#include "cat/model.h"

namespace fencepost::cat {

// True when an axiom forbids every cycle of rf with addr, data and ctrl, by whatever name: the axiom's relation holds
// all of them (or po, which holds the three and the rf of one thread), as in `acyclic (rf | addr | data | ctrl)` and
// `acyclic (po | rf | co | fr)`. Flags forbid nothing. It is read off the operators: |, &, ;, closures and `let rec`
// are followed, what a difference or a complement leaves is taken to be nothing. So `false` may be said of a model that
// forbids such cycles in another way, `true` is never said of one that does not.
bool forbids_thin_air(const Model& model);

// The model with the axiom acyclic (rf | addr | data | ctrl) besides, over all events: also those of lanes' exchanges.
Model without_thin_air(const Model& model);

}  // namespace fencepost::cat

#pragma once
// Whether a program on one cell is coherent by a proof about the model, so that nobody has to look for a counterexample
// (check/liveness_states.cpp does).
//
// Let all accesses of a program be atomic, to one cell through one reference, and any two of them in the scope of each
// other. Then under the Vulkan models of proven_silent() every consistent execution is coherent: acyclic (po | rf |
// co | fr) on the accesses, and no write comes between the read and the write of a read-modify-write.
//   Let x, y be accesses that are no initial writes. If x != y, they are mutually-ordered: loc and vloc, as there is
//   one reference; inscope, as the narrower of their scopes has both threads (dv-scope * dv-scope, or sqf, swg, ssg
//   with classes of scopes that grow); ATOM * ATOM. So co between them is in asmo, which is in scoped-order where the
//   model has that (with-write). po between them is in locord, by hb & int & vloc, since hb has po. fr is in from-read:
//   of a read of another write by rf^-1; asmo, of a read of the initial one by from-init, which leads to every write of
//   the location. Nothing leads to an initial write, which has no po, reads nothing, and is first in co. So a cycle of
//   po | rf | co | fr on accesses is one of locord | rf | from-read | asmo, which `consistency` forbids.
//   Let v come between r and w of a read-modify-write: (r, v) in fr, (v, w) in co. If v is of their thread, it is
//   before r or behind w in po, and there is a cycle. Else (r, v) is in from-read & ext and (v, w) in asmo & ext, which
//   `atomicity` forbids.
// The other constraints of the models only take executions away.
#include "cat/model.h"
#include "prog/test.h"

namespace fencepost::encode {

// Precondition: all accesses of the program are to one cell through one symbol. False says nothing.
bool coherent_by_proof(const prog::Test& test, const cat::Model& model);

}  // namespace fencepost::encode

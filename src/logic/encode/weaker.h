#pragma once
// A weaker model under which idle and silent iterations may be left out, of a program and a model under which they may
// not.
//
// The weaker model M' has some constraints of the model M, or parts of them, and all flags that it can keep. Every
// execution that M allows, M' allows. The constraints of M' are those that leaving_out.h shows to be kept where idle
// and silent iterations go; nothing is assumed of the ones that are dropped. So:
//   - let X be an execution of M with the final state, the flag, or the loop beyond its bound that is asked about. It
//     is one of M'. Without its idle and silent iterations it is an execution of the program that M' allows, with the
//     same final state, flags and loops. If M' has none such, M has no X: a `no` of M' is a `no` of M.
//   - an execution that is found under M' is one of the program, and is held against M by the judge. If M allows it, it
//     is an answer; if not, nothing is known.
//   - termination by exchangeable threads (check/liveness_waiting.h) asks for `no` alone.
// That co orders the cell of a silent read-modify-write, and lets nothing stand between it and its source, follows from
// the constraints of M, before anything is left out; what is used of kept constraints is those of M'.
//
// Parts of a constraint that is not kept whole:
//   empty a | b, irreflexive a | b, acyclic a | b     each operand
//   irreflexive (a | b); c and the like               each operand
//   empty a \ (b \ c)                                 empty a \ b, empty a & c
//   empty a \ (b & c)                                 empty a \ b, empty a \ c
// each implied by the whole. So what is said of visible side effects stays, but for that a plain read's write must
// happen before it: a failed exchange may have been what made it so. Constraints on dependencies go.
//
// In which cases this helps: locks that exchange, in OpenCL, CUDA and PTX; compare-and-swap in PTX, which writes where
// it fails. It was tried to leave failed attempts out under M itself, and lost (repeats.h).
#include <optional>

#include "cat/model.h"
#include "encode/reduction.h"
#include "prog/test.h"

namespace fencepost::encode {

struct Weaker {
  cat::Model model;
  Reduction reduction;  // under that model
  // Its constraints are whole ones of the model, or name no scope: threads that may be exchanged under the model may be
  // exchanged under it (symmetry.h).
  bool some_axioms = false;
};

// nullopt: the model itself allows as much to be left out, or nothing can be.
std::optional<Weaker> weaker_of(const prog::Test& test, const cat::Model& model);

}  // namespace fencepost::encode

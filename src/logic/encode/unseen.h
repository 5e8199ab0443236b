#pragma once
// Whether a program's threads may be exchanged across workgroups and other scopes (symmetry.h), because nothing sees
// in which of them a thread is.
//
// A permutation of the threads maps executions to executions if the program is the same for all of them; only the
// relations that tell of scopes may differ between an execution and its image. If no axiom and no flag of the model
// depends on these relations in any execution of this program, the image is consistent, and raises a flag, exactly if
// the execution does.
//
// A scope counts as seen if an event names it (a tag: then sr, the order of fences, or inclusive scopes depend on it),
// or if there is a barrier. Of the other scopes, the relation X ("in one workgroup") is taken to be any relation, and
// the model is read with that. Nodes that cannot depend on X, by induction over the formula:
//   - nodes with no pair in any execution (may is empty), or that are decided (may = must);
//   - a | b, where what may be in the dependent b must be in the independent part: A | (A & X) = A;
//   - a & b, where the dependent b must have all that the others may have;
//   - all else without a dependent operand; a recursion, if its definition does not depend given that it does not.
//
// Two families of models need a proof by hand, for programs with further properties (unseen.cpp); it belongs to the
// formula, so that the models are told by their fingerprint:
//
// PTX, all accesses but initial writes generic, no alias fence. base-causality names scta beside syncbar only, and is
// transitive. Of the three terms of `preserved`, on accesses x, y: through; entering lies within base-causality, and
// has all of it, as x and y are GEN (an initial write has none, but nothing in base-causality begins or ends in it);
// the term with scta lies within vloc & base-causality; the third needs an alias fence. So preserved is vloc &
// base-causality.
//
// Vulkan, one storage class k, no ssw. Let S be the events with SCk or SEMSCk; operations of availability and
// visibility are in S and at device scope, as is whatever has a scope. Then sg-scope = wg-scope = qf-scope = dv-scope,
// and inscope is DV * DV. All ithb but that of k alone are empty, as their `covers` are. hb = po | I is transitive on
// S:
// let (b, c) in I begin with the step s, and (a, b) in po with a in S. If s synchronises, b is a release of k: (a, b)
// is
// in I by the third rule of ithb. If s is program order to a release d of k, (a, d) is a step by that rule. If s is
// program order from an acquire to d, (a, d) is in po, and the rest is shorter. Likewise at the end. Now av-shader is
// within [av-op]; (hb; [av-op])*, and vis-shader within ([vis-op]; hb)*; [vis-op], both with the short form that has no
// hb; so written; av-shader; hb; target(vis-shader) is written; [av-op]; hb; target([vis-op]), and the forms of
// narrower scopes lie within it. So locord depends on no scope. The rest names scopes only by locord and inscope: in
// `vulkan` release sequences, scoped-order and write-order too, which are made of asmo, mutually-ordered, co and
// locord; its by-barriers, which has no inscope of its own, is empty where there is no barrier.
#include <vector>

#include "cat/model.h"
#include "encode/reduction.h"
#include "encode/skeleton.h"

namespace fencepost::encode {

// The models of the proofs by hand.
std::vector<Proven> proven_unseen();

// True: every permutation of threads that the program allows is harmless, wherever the threads are.
bool scopes_unseen(const Skeleton& s, const cat::Model& model);

}  // namespace fencepost::encode

#pragma once
// Pairs of base relations that no consistent execution has, read off the bounds.
//
// Axioms are followed from their nodes down to the bases. Here "forbidden at a node" means: in no consistent execution
// is the pair a member of the node. For each operator, why what is handed down is true:
//
//   empty r        every pair is forbidden.
//   irreflexive r  every (i, i) is forbidden.
//   acyclic r      (i, j) is forbidden where (j, i) is in the closure of must(r): a member (i, j) means that both run,
//                  so the way back is there, and the two close a cycle.
//   a | b          forbidden in a and in b.
//   a & b          if b must have the pair, it is forbidden in a: a member of a means that both run, so b has it.
//   a \ b          if b may not have the pair, it is forbidden in a.
//   a ; b          (i, j) forbidden, (i, k) in must(a): (k, j) is forbidden in b, if i runs whenever k does or j does.
//                  A member (k, j) means that k and j run; then i runs, a has (i, k), and a ; b would have (i, j).
//                  Likewise on the other side.
//   a+, a*, a?     forbidden in a; and by a+ = a+ ; a+, the rule for composition.
//   a^-1, let rec  forbidden where the inverse, or the definition, has it.
//
// Likewise "required at a node": every consistent execution that runs both events of the pair has it there.
//
//   empty r \ s    what r must have is required at s.
//   a | b          required in b, if a may not have the pair.
//   a & b          required in a and in b.
//   a^-1, let rec  required where the inverse, or the definition, has it.
//
// Only axioms that every query asserts are followed: no flags, no negated ones. An empty list says nothing. The proof
// rests on what bounds.h promises of may and must, and on `implied_by` alone.
//
// Used in rounds (encode/model.h): forbidden pairs become false literals, unit propagation fixes others, the bounds
// become tighter. With exchangeable threads in order, a lock unfolds by this: the second acquisition cannot read the
// initial write, which the first has taken (atomicity), nor the releases of later ones (acyclicity), so it reads the
// release of the first; then the third.
//
// Tried and lost: rules for locks alone (two clauses for each pair of read-modify-writes). They need to know which
// axiom means atomicity; the walk does not.
#include <vector>

#include "bounds/bounds.h"
#include "bounds/rules.h"

namespace fencepost::bounds {

struct ForbiddenPair {  // or one that is required
  vocab::Base base = vocab::Base::count_;
  uint32_t from = 0, to = 0;
};

// `fired`, when given: which rules handed down pairs that no rule had handed to that node, added to what it has.
std::vector<ForbiddenPair> forbidden(const cat::Model& m, const BaseBounds& base, const Bounds& bounds,
                                     Fired* fired = nullptr);
// Required pairs of base relations that are not must pairs yet.
std::vector<ForbiddenPair> required(const cat::Model& m, const BaseBounds& base, const Bounds& bounds);

}  // namespace fencepost::bounds

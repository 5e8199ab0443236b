#pragma once
// Threads, and whole groups of threads, that an automorphism of the program exchanges. Of the executions
// that differ in nothing else, one is enough: the one in which the exchangeable come in the order in which they first
// wrote to some location that they share.
//
// Candidates come from the tree of scopes alone: a group and its neighbour of the same size. Whether exchanging them
// (member by member) is an automorphism is then read off the unrolling, since two invocations of one shader differ in
// the constants that their ids have become: every event goes to one of the same kind, tags and barrier, at a cell that
// one bijection of the cells gives, with equal terms for value and guard; initial values, scopes, and the questions
// asked must be invariant too. Ids that end up as cells of an array are harmless, ids that end up as values are not.
//
// Where no axiom sees in which group a thread is (unseen.h), any two threads may be exchanged, and all come in one
// order.
//
// Why it is sound: each run below is a list of neighbours of which any two may be exchanged, so every execution has an
// isomorphic one in which each run is sorted, innermost first: executed keys before those that are not, and in an order
// that extends co. Exchanging whole groups keeps the order inside them, as the runs inside are the same.
#include <vector>

#include "cat/model.h"
#include "encode/program.h"

namespace fencepost::encode {

// One event of each exchangeable thread or group, in their order; all are writes to one cell.
struct SymmetricRun {
  std::vector<uint32_t> keys;
  bool operator==(const SymmetricRun&) const = default;
};

// `questions`: what must not change under the exchange, besides the program. Without `model` every scope counts as
// seen.
std::vector<SymmetricRun> symmetric_runs(const Skeleton& s, const std::vector<const prog::Cond*>& questions,
                                         const cat::Model* model = nullptr);

// Leaves one execution of those that differ in the order of a run.
void require_order(ProgramEncoding& p, sat::Circuit& c, const std::vector<SymmetricRun>& runs);

}  // namespace fencepost::encode

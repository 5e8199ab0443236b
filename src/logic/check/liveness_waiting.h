#pragma once
// Termination of launches of exchangeable threads, without a lasso: nobody waits for ever.
//
// Let the scheduler be fair to all, the program have no barrier, and the model be one under which idle and silent
// iterations may be left out (encode/reduction.h), or a weaker one in its place (encode/weaker.h): what that one has no
// execution for, the model has none for. If no loop comes to its bound with iterations that have an effect
// (asked of fragments), then in an infinite execution these are finitely many; so are the writes of all else but silent
// read-modify-writes. Every thread ends, or goes on for ever with iterations of one loop that change nothing. Memory is
// fair: from some time on no read misses any of those finitely many writes. Take a thread that goes on, an iteration I
// of its loop behind that time, and leave out every other idle or silent iteration of all threads. What remains is a
// consistent execution in which
//   - every other thread has ended, or is left behind at the label of a loop, before an iteration without effect;
//   - the thread has less iterations with an effect than the bound, and then I, which has none;
//   - no read of I misses a write, but for those of I itself, and those that its fairness lets it miss. (Where what it
//     read was a silent write that is left out, it reads what that one had put back: whatever is behind the latter in
//     co is behind the former, as nothing lies between.)
// If there is none such, the program ends. Where any two threads may be exchanged, only the first one needs to be asked
// about; the others keep their order (encode/symmetry.h): exchanging them leaves the first one where it is.
//
// What this gives: of a lock only those who take it are there, and one who does not get it; what they read is decided
// by the rounds of settle(). A lasso has two rounds of everybody, in which failed attempts may read anything.
//
// Tried and lost: every thread that goes on with its last iteration. With failed exchanges, which write, nothing is
// decided before the search, which takes a minute from 16 threads on.
#include "check/check.h"

namespace fencepost::check {

// True: the program ends. False says nothing.
bool nobody_waits_for_ever(const prog::Test& test, const cat::Model& model, const Options& options, Job& job,
                           Statistics& stats);

}  // namespace fencepost::check

#pragma once
// Repeated iterations (docs/semantics.md, Iterations left out): a failed attempt to take a lock right behind another
// one of the same thread that nothing has come between. For models under which iterations that changed nothing may not
// be left out one by one (reduction.h): a failed exchange writes, and a failed attempt may still acquire.
//
// Two iterations I, J of an innermost loop stand one behind the other. In each of them the same single instruction
// makes an event: a read R1 and R2, with writes W1 and W2 if it is an exchange. After J the thread goes back to the
// label. The registers that the label needs are before J what they were before I; under a model with dependencies the
// loop writes none of them. J repeats I if
//   - nothing is written, and R2 reads the write that R1 reads; or
//   - W1 puts back what R1 read, and R2 reads W1. (Then W2 puts it back too.)
// Without J there is an execution X' of the program with the same final state: in the first case R2 goes. In the second
// W1 and R2 go, and R1 and W2 are the halves of one exchange: nobody else reads W1, since whoever reads the cell is an
// exchange that writes, and two of them that read one write interrupt each other; and W2 follows in co what R1 reads.
// So base relations of X' are those of X on the events that stay, but for the pair (R1, W2) in amo, and in data or ctrl
// where W1 depended on R1. Whether the model allows X' if it allows X is read off its formulas (reduction.cpp, Fusing):
// what goes may not make a constraint grow, as with idle iterations; and the new pair
//   - adds nothing to a part of `fr; co`: no write lies between, for none did between R1, W1 and between R2, W2;
//   - adds nothing to `(amo; s)+` if s relates W1 to R2: R1, W1, R2, W2 was a way there before;
//   - closes no cycle of a union with rf, for the same reason.
// That exchanges of a cell are not interrupted and its accesses not seen out of order is asked of the solver, for the
// model and program at hand, as for termination by states (check/liveness_states.cpp).
//
// For `opencl`, `cuda` and their kin the formulas alone do not say it, since what is visible may shrink with happens-
// before. By hand: let o, b be events that stay. Release sequences on them are the same, as W1 is a read-modify-write,
// so that mo \ continues never ends in it. If a synchronises with R2, by a write a' with W1 or R2's source in its
// release sequence, then a synchronises with R1, which has the same tags and scope: a' is what R1 reads or comes
// before it in mo, and its sequence reaches that too (else what R1 reads would have ended it before W1). Where W1
// heads a release sequence that is read, W2 is in it and heads one that is read by the same. What is before R2 or W1
// in program order is before what follows them. So happens-before on the events that stay is what it was. All else is
// intersection and composition; the cell is atomic, so that no visible side effect is about it, nor what is said of
// the last plain store. Of `cuda`, where a plain read b may race with what an atomic read has seen before it: if that
// read is R2, it is R1 as well, which reads the same write and is before R2; W1 is read by nobody else. sc-order of
// `opencl` and `opencl-3.1` takes away as well. decided+ on the events that stay is
// what it was: operation R1, W2 has the pairs of R1, W1 and of R2, W2, which were joined by one. A pair (B, A) of
// read-other was excused by an SC write A' behind A that the write read by B does not happen before, and that is not
// decided to be behind B. Were A' = W1, then W2 excuses it: it lies behind W1, what happens before it happens before
// R1 or W1, and what is decided behind B as W2 is decided behind B as W1, for both halves count as one operation and
// R2 reads W1.
//
// Tried and lost: to leave out every failed attempt. A failed attempt that acquires may make a message visible that the
// successful one, which reads a relaxed write, does not: then an outcome is lost.
#include "encode/program.h"
#include "encode/reduction.h"

namespace fencepost::encode {

// No execution with a repeated iteration; `which`: by thread and instruction.
void forbid_repeats(ProgramEncoding& p, Circuit& c, const std::vector<std::vector<bool>>& which);

// Whether some consistent execution of the skeleton (the program unrolled twice into fragments, with reads that return
// what they like) shows accesses of the cell out of order, or an interrupted read-modify-write. nullopt: not known.
// `spent` is told what a solver did.
std::optional<bool> may_be_incoherent(const prog::Test& test, const cat::Model& model, prog::ObjectId object,
                                      uint64_t cell, const Job& job,
                                      const std::function<void(const std::optional<sat::Effort>&)>& spent = {});

}  // namespace fencepost::encode

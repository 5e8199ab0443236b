#pragma once
// How good is the verifier on this kernel? Every mutant of it (ir/mutate.h) is run by the interpreter with several
// inputs and schedules, and each that goes wrong is given to the prover: it must be refuted.
#include "base/job.h"
#include "interp/interp.h"
#include "ir/ir.h"
#include "launch/answer.h"
#include "prove/prove.h"

namespace fencepost::verifier {

struct MutantReport {
  launch::Mutants counts;
  std::string text;  // a line for each that was not refuted
};

// `options`: of the kernel, which was verified with them. The launch is made small where the kernel allows that: a
// verdict at the small launch is compared with runs of the same launch.
MutantReport try_mutants(const ir::Module& m, ir::FunctionId kernel, const prove::Options& options, const Job& job,
                         double seconds);

}  // namespace fencepost::verifier

#pragma once
// What a proof rests on that was not shown: what the prover names (counters that start at 0, the size of a launch), and
// what the profile takes for granted of the machine and the caller, where this kernel has use for it.
#include <string>
#include <vector>

#include "ir/ir.h"
#include "launch/options.h"
#include "prove/prove.h"
#include "verifier/rows.h"

namespace fencepost::verifier {

// One sentence each, none if the verdict holds as it stands. `source`: of the kernel, for macros that it asks for.
std::vector<std::string> taken_for_granted(const ir::Module& m, ir::FunctionId kernel, const launch::Options& options,
                                           const prove::Result& proof, const std::string& source);

// What the model of the options does not grant, of the assumptions of this proof; "" if nothing.
std::string not_granted(const launch::Options& options, const prove::Result& proof);

// A counter that the proof takes for 0 at the start, and that the host does not leave so: a sentence; "" if none.
std::string other_start(const ir::Module& m, const prove::Result& proof, const Question& question);

}  // namespace fencepost::verifier

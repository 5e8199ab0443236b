#pragma once
// Internal to the room: what the options of the command line ask of the prover, for one kernel.
#include "ir/ir.h"
#include "launch/options.h"
#include "prove/prove.h"

namespace fencepost::verifier {

prove::Options engine_options(const launch::Options& o, const ir::Module& m, const ir::Function& kernel);

}  // namespace fencepost::verifier

#pragma once
// All outcomes of a test with the engine that the user asked for.
#include "cat/model.h"
#include "check/check.h"
#include "prog/names.h"

namespace fencepost::refine {

// automatic means enumerate. `both`: two complete sets that differ are an internal error (exit code 4).
check::Outcomes outcomes_of(const prog::Test& test, const cat::Model& model, const check::Options& options, Job& job);

// One clause for people; only for incomplete sets.
std::string why_incomplete(const check::Outcomes& outcomes);

}  // namespace fencepost::refine

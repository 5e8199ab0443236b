#pragma once
// Random memory models over a dialect's vocabulary: well-typed expressions with every operator of the language,
// definitions, functions, recursive groups (monotone), axioms of every kind and flags.
#include <string>

#include "base/job.h"
#include "vocab/vocab.h"

namespace fencepost::fuzz {

std::string random_model(Rng& rng, vocab::Dialect dialect);

}  // namespace fencepost::fuzz

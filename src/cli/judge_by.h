#pragma once
// How what a store holds is judged, as the options ask: --model, --engine, --budget for each test.
#include <vector>

#include "cli/inputs.h"
#include "cli/options.h"
#include "judge/judge.h"

namespace fencepost::cli {

// The models that `seen` needs are loaded first, so that an error of theirs is said once. `settings` and `models`
// outlive the result.
Expected<judge::Judge> judge_by(const Settings& settings, const std::vector<judge::Observation>& seen,
                                ModelCache& models);

}  // namespace fencepost::cli

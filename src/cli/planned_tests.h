#pragma once
// The tests of a campaign's plan.
#include <vector>

#include "campaign/plan_file.h"
#include "cli/console.h"
#include "cli/inputs.h"
#include "prog/names.h"

namespace fencepost::cli {

// Those of the files that a plan names, without weakenings.
Expected<std::vector<prog::Test>> own_tests(const campaign::Plan& plan);
// All: where the plan asks for weakenings, also those of the tests that the model forbids, behind the others. Tests
// that no configuration takes are warned of.
Expected<std::vector<prog::Test>> planned_tests(const campaign::Plan& plan, ModelCache& models, const Console& console);

}  // namespace fencepost::cli

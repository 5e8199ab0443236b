#pragma once
// From the operands of stats and report to tables of results.
#include <vector>

#include "analysis/analyse.h"
#include "cli/options.h"

namespace fencepost::cli {

// One table an operand, cut to the tests, devices and configurations that the options name; a name that no table has is
// an error.
Expected<std::vector<analysis::Table>> tables_of(const CommandLine& line);
analysis::Options survey_options(const Settings& s);

}  // namespace fencepost::cli

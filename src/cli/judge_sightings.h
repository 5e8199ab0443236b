#pragma once
// `judge` on results that are no store: logs and tables of what devices showed, one's own or published.
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/options.h"

namespace fencepost::cli {

// "ptx-6.0,ptx-9[P2=strict,P3=writer]": names separated by commas outside of brackets; "" has none.
std::vector<std::string> model_list(const std::string& text);

int run_judge_sightings(const CommandLine& line, const Console& console);

}  // namespace fencepost::cli

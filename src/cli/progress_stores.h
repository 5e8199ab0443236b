#pragma once
// Stores of `progress run` under the verbs for stores: stats, judge, report.
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/options.h"

namespace fencepost::cli {

// Whether all files are stores and one at least has runs of progress tests. A store that also has litmus results is
// answered for these, with a remark on `console` about the others.
bool of_progress(const std::vector<std::string>& paths, const Console& console);

int run_progress_stats(const CommandLine& line, const Console& console);
int run_progress_judge(const CommandLine& line, const Console& console);
int run_progress_report(const CommandLine& line, const Console& console);

}  // namespace fencepost::cli

// The verbs that the page does not answer: they run devices, compilers or the kernel verifier, keep stores, or make
// whole sets of tests. Each says so; none answers.
#include <fmt/format.h>

#include "cli/option_rows.h"
#include "cli/verbs.h"

namespace fencepost::cli {
namespace {

int elsewhere(const char* verb, const Console& console) {
  return report_errors(console, unsupported_at({}, fmt::format("'{}' is not asked in the playground", verb),
                                               "ask the program, on a machine of your own")
                                    .error());
}

}  // namespace

int run_prove(const std::vector<std::string>&, const Console& console) { return elsewhere("prove", console); }

#define FENCEPOST_ELSEWHERE(function) \
  int function(const CommandLine& line, const Console& console) { return elsewhere(info(line.verb).name, console); }
FENCEPOST_ELSEWHERE(run_audit)
FENCEPOST_ELSEWHERE(run_campaign)
FENCEPOST_ELSEWHERE(run_certify)
FENCEPOST_ELSEWHERE(run_devices)
FENCEPOST_ELSEWHERE(run_emit)
FENCEPOST_ELSEWHERE(run_expect)
FENCEPOST_ELSEWHERE(run_gen)
FENCEPOST_ELSEWHERE(run_hunt)
FENCEPOST_ELSEWHERE(run_hunt_programs)
FENCEPOST_ELSEWHERE(run_hunt_report)
FENCEPOST_ELSEWHERE(run_judge)
FENCEPOST_ELSEWHERE(run_lower)
FENCEPOST_ELSEWHERE(run_merge)
FENCEPOST_ELSEWHERE(run_progress_account)
FENCEPOST_ELSEWHERE(run_progress_classify)
FENCEPOST_ELSEWHERE(run_progress_compare)
FENCEPOST_ELSEWHERE(run_progress_expect)
FENCEPOST_ELSEWHERE(run_progress_export)
FENCEPOST_ELSEWHERE(run_progress_lts)
FENCEPOST_ELSEWHERE(run_progress_models)
FENCEPOST_ELSEWHERE(run_progress_print)
FENCEPOST_ELSEWHERE(run_progress_run)
FENCEPOST_ELSEWHERE(run_progress_synth)
FENCEPOST_ELSEWHERE(run_report)
FENCEPOST_ELSEWHERE(run_run)
FENCEPOST_ELSEWHERE(run_serve)
FENCEPOST_ELSEWHERE(run_stats)
FENCEPOST_ELSEWHERE(run_suite)
FENCEPOST_ELSEWHERE(run_tune)
#undef FENCEPOST_ELSEWHERE

}  // namespace fencepost::cli

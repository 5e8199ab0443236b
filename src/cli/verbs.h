#pragma once
// One function per verb; each returns the exit code. Errors of the input go to console.err as diagnostics.
#include "cli/console.h"
#include "cli/options.h"

namespace fencepost::cli {

int run_check(const CommandLine& line, const Console& console);
int run_outcomes(const CommandLine& line, const Console& console);
int run_explain(const CommandLine& line, const Console& console);
int run_diff_models(const CommandLine& line, const Console& console);
int run_refine(const CommandLine& line, const Console& console);
int run_relax(const CommandLine& line, const Console& console);
int run_lower(const CommandLine& line, const Console& console);
int run_gen(const CommandLine& line, const Console& console);
int run_suite(const CommandLine& line, const Console& console);
int run_prove(const std::vector<std::string>& args, const Console& console);  // args[0] is the verb
int run_lint_model(const CommandLine& line, const Console& console);
int run_expect(const CommandLine& line, const Console& console);
int run_campaign(const CommandLine& line, const Console& console);
int run_certify(const CommandLine& line, const Console& console);
int run_merge(const CommandLine& line, const Console& console);
int run_judge(const CommandLine& line, const Console& console);
int run_stats(const CommandLine& line, const Console& console);
int run_tune(const CommandLine& line, const Console& console);
int run_hunt(const CommandLine& line, const Console& console);
// run_hunt of the languages that compilers turn into assembly; run_hunt_report of their stores.
int run_hunt_programs(const CommandLine& line, const Console& console);
Expected<void> hunt_options_fit(const Settings& s);  // an option of another language is an error
int run_hunt_report(const CommandLine& line, const Console& console);
int run_audit(const CommandLine& line, const Console& console);
int run_serve(const CommandLine& line, const Console& console);
int run_report(const CommandLine& line, const Console& console);
int run_emit(const CommandLine& line, const Console& console);
int run_print(const CommandLine& line, const Console& console);
int run_models(const CommandLine& line, const Console& console);
int run_run(const CommandLine& line, const Console& console);
int run_devices(const CommandLine& line, const Console& console);
int run_progress_check(const CommandLine& line, const Console& console);
int run_progress_lts(const CommandLine& line, const Console& console);
int run_progress_classify(const CommandLine& line, const Console& console);
int run_progress_compare(const CommandLine& line, const Console& console);
int run_progress_expect(const CommandLine& line, const Console& console);
int run_progress_synth(const CommandLine& line, const Console& console);
int run_progress_account(const CommandLine& line, const Console& console);
int run_progress_export(const CommandLine& line, const Console& console);
int run_progress_print(const CommandLine& line, const Console& console);
int run_progress_models(const CommandLine& line, const Console& console);
int run_progress_run(const CommandLine& line, const Console& console);

// The whole program: `args` without its name.
int run(const std::vector<std::string>& args, const Console& console);

// ---- shared by verbs ---------------------------------------------------------------------------------
check::Options check_options(const Settings& s);
// The same, with the progress model that --progress names for tests of this dialect.
Expected<check::Options> check_options(const Settings& s, vocab::Dialect dialect);
Job job_of(const Settings& s);
int report_errors(const Console& console, const Diagnostics& ds);  // prints, returns the exit code
void warn(const Console& console, const std::string& warning);     // "": nothing

}  // namespace fencepost::cli

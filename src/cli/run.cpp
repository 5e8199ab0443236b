#include <algorithm>

#include "check/progress_option.h"
#include "cli/help.h"
#include "cli/verbs.h"

namespace fencepost::cli {

check::Options check_options(const Settings& s) {
  check::Options o;
  o.engine = s.engine;
  o.property = s.property;
  o.auto_bound = s.bound == 0;
  o.bound = std::max(s.bound, 1u);
  o.fairness = s.liveness;
  return o;
}

Expected<check::Options> check_options(const Settings& s, vocab::Dialect dialect) {
  check::Options o = check_options(s);
  if (o.property != check::Property::termination) return o;
  auto progress = check::parse_progress(s.progress, dialect);
  if (!progress) return std::unexpected(progress.error());
  o.progress = std::move(*progress);
  return o;
}

Job job_of(const Settings& s) {
  Job job = Job::with_budget(s.budget);
  job.seed = s.seed;
  return job;
}

int report_errors(const Console& console, const Diagnostics& ds) {
  for (const Diagnostic& d : ds.list) console.err((d.span.source ? "" : "fencepost: ") + render(d));
  return exit_code(ds);
}

int run(const std::vector<std::string>& args, const Console& console) {
  // `prove` has options of its own, in the words of the reference tool.
  if (!args.empty() && args.front() == "prove") return run_prove(args, console);
  if (args.size() == 2 && args[0] == "help" && args[1] == "prove") return run_prove({"prove", "--help"}, console);
  const auto parsed = parse_command_line(args);
  if (!parsed) return report_errors(console, parsed.error());
  if (!parsed->command) {
    console.out(parsed->text);
    return k_exit_holds;
  }
  const CommandLine& line = *parsed->command;
  switch (line.verb) {
    case Verb::check: return run_check(line, console);
    case Verb::outcomes: return run_outcomes(line, console);
    case Verb::explain: return run_explain(line, console);
    case Verb::diff_models: return run_diff_models(line, console);
    case Verb::refine: return run_refine(line, console);
    case Verb::lint_model: return run_lint_model(line, console);
    case Verb::expect: return run_expect(line, console);
    case Verb::campaign: return run_campaign(line, console);
    case Verb::merge: return run_merge(line, console);
    case Verb::judge: return run_judge(line, console);
    case Verb::emit: return run_emit(line, console);
    case Verb::print: return run_print(line, console);
    case Verb::models: return run_models(line, console);
    case Verb::progress_check: return run_progress_check(line, console);
    case Verb::progress_lts: return run_progress_lts(line, console);
    case Verb::progress_classify: return run_progress_classify(line, console);
    case Verb::progress_compare: return run_progress_compare(line, console);
    case Verb::progress_expect: return run_progress_expect(line, console);
    case Verb::progress_synth: return run_progress_synth(line, console);
    case Verb::progress_account: return run_progress_account(line, console);
    case Verb::progress_export: return run_progress_export(line, console);
    case Verb::progress_print: return run_progress_print(line, console);
    case Verb::progress_models: return run_progress_models(line, console);
    case Verb::progress_run: return run_progress_run(line, console);
    case Verb::relax: return run_relax(line, console);
    case Verb::lower: return run_lower(line, console);
    case Verb::run: return run_run(line, console);
    case Verb::devices: return run_devices(line, console);
    case Verb::gen: return run_gen(line, console);
    case Verb::suite: return run_suite(line, console);
    case Verb::prove: break;  // handled above
    case Verb::help_markdown: console.out(markdown()); return k_exit_holds;
    case Verb::count_: break;
  }
  return k_exit_internal;
}

}  // namespace fencepost::cli

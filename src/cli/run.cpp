#include <algorithm>

#include "check/progress_option.h"
#include "cli/help.h"
#include "cli/output.h"
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

namespace {

int run_verb_of(const std::vector<std::string>& args, const Console& console) {
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
  if (const auto run_verb = info(line.verb).run; run_verb != nullptr) return run_verb(line, console);
  FENCEPOST_INVARIANT(line.verb == Verb::help_markdown, "every verb but prove and help-markdown has a function");
  console.out(markdown());
  return k_exit_holds;
}

}  // namespace

int run(const std::vector<std::string>& args, const Console& console) {
  try {
    return run_verb_of(args, console);
  } catch (const OutputLost& lost) {
    console.err(std::string("fencepost: ") + lost.what() + "\n");
    return k_exit_internal;
  }
}

}  // namespace fencepost::cli

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/printable.h"
#include "check/progress_option.h"
#include "cli/file_kind.h"
#include "cli/help.h"
#include "cli/json.h"
#include "cli/output.h"
#include "cli/pages.h"
#include "cli/untrusted.h"
#include "cli/verbs.h"
#include "cli/worker.h"

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
  const double spent = begin_test();
  Job job = Job::with_budget(s.budget > 0 ? std::max(s.budget - spent, 1e-3) : s.budget);
  job.deadline = std::min(job.deadline, s.end);
  job.seed = s.seed;
  return job;
}

int report_errors(const Console& console, const Diagnostics& ds) {
  for (const Diagnostic& d : ds.list) console.err((d.span.source ? "" : "fencepost: ") + render(d));
  if (console.json_errors_of) console.out(json_errors(*console.json_errors_of, ds));
  return exit_code(ds);
}

void warn(const Console& console, const std::string& warning) {
  if (!warning.empty()) console.err("fencepost: warning: " + warning + "\n");
}

namespace {

// Verbs whose JSON answer is one document, or nothing but its errors.
bool answers_with_errors(Verb v) {
  return v == Verb::outcomes || v == Verb::explain || v == Verb::refine || v == Verb::relax;
}

// Where a verb's work is done, and what its --budget is of.
enum class Place : uint8_t {
  here,       // it runs devices (in children of their own), reads no input, or has a worker for each file
  per_test,   // a worker that is ended when one test has used its budget and more
  per_whole,  // a worker that is ended when its budget is spent; the verb itself looks at no clock
  unended,    // a worker without a limit of time: the verb has long work beside its tests
};

Place place_of(Verb v) {
  switch (v) {
    case Verb::check:
    case Verb::progress_check:
    case Verb::run:
    case Verb::devices:
    case Verb::campaign:
    case Verb::certify:
    case Verb::tune:
    case Verb::progress_run:
    case Verb::hunt:
    case Verb::models:
    case Verb::serve:
    case Verb::progress_models:
    case Verb::help_markdown:
    case Verb::audit:
    case Verb::prove:
    case Verb::count_:
      return Place::here;
    case Verb::outcomes:
    case Verb::explain:
    case Verb::refine:
    case Verb::relax:
    case Verb::diff_models:
      return Place::per_test;
    case Verb::lint_model:
    case Verb::print:
    case Verb::emit:
    case Verb::merge:
    case Verb::stats:
    case Verb::progress_lts:
    case Verb::progress_classify:
    case Verb::progress_compare:
    case Verb::progress_expect:
    case Verb::progress_account:
    case Verb::progress_export:
    case Verb::progress_print:
      return Place::per_whole;
    case Verb::expect:
    case Verb::progress_synth:
    case Verb::lower:
    case Verb::gen:
    case Verb::suite:
    case Verb::judge:
    case Verb::report:
    case Verb::hunt_report:
      return Place::unended;
  }
  return Place::unended;
}

// What `body` returns, or 4 and a message if its output did not reach a file whole.
int or_lost(const Console& console, const std::function<int()>& body) {
  try {
    return body();
  } catch (const OutputLost& lost) {
    console.err(std::string("fencepost: ") + lost.what() + "\n");
    return k_exit_internal;
  }
}

std::string first_operand(const CommandLine& line) { return line.operands.empty() ? "" : line.operands.front(); }

int run_untrusted(const CommandLine& line, const Console& console) {
  if (const auto ok = may_be_untrusted(line); !ok) return report_errors(console, ok.error());
  const auto confinement = confinement_of(line);
  if (!confinement) return report_errors(console, confinement.error());
  CommandLine own = line;
  own.settings.budget = confinement->limits.seconds;  // of the whole command: engines stop before it is ended
  own.settings.threads = 1;
  return in_cage(*confinement, console, line.settings.json, first_operand(line), [&](Console c) {
    if (own.settings.json && answers_with_errors(line.verb)) c.json_errors_of = printable_name(first_operand(line));
    return or_lost(c, [&] { return info(line.verb).run(own, c); });
  });
}

int run_in_its_place(const CommandLine& line, const Console& console) {
  const auto run_verb = info(line.verb).run;
  if (line.settings.untrusted) return run_untrusted(line, console);
  CommandLine own = line;
  own.settings.end = Job::with_budget(line.settings.total_budget).deadline;
  const Place place = place_of(line.verb);
  if (place == Place::here) return run_verb(own, console);
  Limits limits = limits_of(own.settings);
  if (place == Place::unended) limits.seconds = 0;
  if (place == Place::per_whole) own.settings.budget = 0;
  return in_worker(limits, console, line.settings.json, first_operand(line), [&](Console c) {
    if (own.settings.json && answers_with_errors(line.verb)) c.json_errors_of = printable_name(first_operand(line));
    return or_lost(c, [&] { return run_verb(own, c); });
  });
}

// What `fencepost help prove` prints.
std::string help_of_prove(const Console& console) {
  std::string text;
  Console to_text = console;
  to_text.out = [&](std::string_view s) { text += s; };
  run_prove({"prove", "--help"}, to_text);
  return text;
}

// A verb that could not read a file: which verb can. `operands` may have options among them.
int with_way_out(int code, const std::string& verb, const std::vector<std::string>& operands, const Console& console) {
  // Nobody but the process that is confined looks into a stranger's file.
  if (code != k_exit_bad_input || std::any_of(operands.begin(), operands.end(), asks_untrusted)) return code;
  for (const std::string& path : operands) {
    const FileKind kind = kind_of_file(path);
    if (reads(verb, kind)) continue;
    console.err(fmt::format("fencepost: {} is {}, which '{}' does not read\n     = hint: {}\n", printable_name(path),
                            name(kind), verb, hint_for(kind, printable_name(path))));
    break;
  }
  return code;
}

int run_verb_of(const std::vector<std::string>& args, const Console& console) {
  // `prove` has options of its own, in the words of the reference tool.
  if (!args.empty() && args.front() == "prove")
    return with_way_out(run_prove(args, console), "prove", {args.begin() + 1, args.end()}, console);
  if (args.size() == 2 && args[0] == "help" && args[1] == "prove") return run_prove({"prove", "--help"}, console);
  if (args.size() > 1 && args[0] == "help" && args[1].starts_with("--")) {
    const auto text = page({args.begin() + 1, args.end()}, [&] { return help_of_prove(console); });
    if (!text) return report_errors(console, text.error());
    console.out(*text);
    return k_exit_holds;
  }
  const auto parsed = parse_command_line(args);
  if (!parsed) return report_errors(console, parsed.error());
  if (!parsed->command) {
    console.out(parsed->text);
    return k_exit_holds;
  }
  const CommandLine& line = *parsed->command;
  if (info(line.verb).run != nullptr)
    return line.settings.untrusted
               ? run_in_its_place(line, console)
               : with_way_out(run_in_its_place(line, console), info(line.verb).name, line.operands, console);
  FENCEPOST_INVARIANT(line.verb == Verb::help_markdown, "every verb but prove and help-markdown has a function");
  console.out(markdown());
  return k_exit_holds;
}

}  // namespace

int run(const std::vector<std::string>& args, const Console& console) {
  return or_lost(console, [&] { return run_verb_of(args, console); });
}

}  // namespace fencepost::cli

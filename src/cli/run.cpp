#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "base/printable.h"
#include "check/progress_option.h"
#include "cli/colour.h"
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
    say_lost(console, lost);
    return k_exit_internal;
  }
}

std::string first_operand(const CommandLine& line) { return line.operands.empty() ? "" : line.operands.front(); }

int run_untrusted(const CommandLine& line, const Console& console) {
  if (const auto ok = check_untrusted(line); !ok) return report_errors(console, ok.error());
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

// Runs a verb. If it could not read a file of another kind, then which verb can, in place of what its reader said: that
// is about a text which the file is not. `operands` may have options among them; with several files both are told.
int with_way_out(const std::string& verb, const std::vector<std::string>& operands, const Console& console,
                 const std::function<int(const Console&)>& body) {
  // Nobody but the process that is confined looks into a stranger's file.
  if (std::any_of(operands.begin(), operands.end(), asks_untrusted)) return body(console);
  std::vector<std::string> files;
  for (const std::string& o : operands)
    if (!o.starts_with("--")) files.push_back(o);
  const auto other = std::find_if(files.begin(), files.end(),
                                  [&](const std::string& path) { return !reads(verb, kind_of_file(path)); });
  if (other == files.end()) return body(console);
  std::string said;
  Console held = console;
  held.err = [&](std::string_view s) { said += s; };
  held.err_is_terminal = held.own_process = false;
  const int code = body(held);
  if (code != k_exit_bad_input || files.size() > 1) console.err(said);
  if (code != k_exit_bad_input) return code;
  const FileKind kind = kind_of_file(*other);
  console.err(fmt::format("fencepost: {} is {}, which '{}' does not read\n     = hint: {}\n", printable_name(*other),
                          name(kind), verb, hint_for(kind, printable_name(*other))));
  return code;
}

bool takes_option(Verb verb, std::string_view name) {
  return std::ranges::any_of(option_table(), [&](const OptionInfo& o) { return o.name == name && takes(verb, o); });
}

// The ending of the file of --output picks the form, where the verb has it and nothing else picks one. Error: another
// ending, or a file that the command reads.
Expected<void> choose_form(CommandLine& line) {
  Settings& s = line.settings;
  if (s.answer_file.empty() || s.answer_file == "-") return {};
  std::error_code failed;
  for (const std::string& o : line.operands)
    if (std::filesystem::equivalent(o, s.answer_file, failed))
      return error_at({}, fmt::format("--output would write over '{}', which is read", printable_name(o)),
                      "name another file");
  if (s.json || s.csv || s.has("--format")) return {};
  const bool json = takes_option(line.verb, "--json"), csv = takes_option(line.verb, "--csv");
  const bool lists = line.verb == Verb::check || line.verb == Verb::expect;
  const auto form = lists         ? form_of_ending(s.answer_file, {".json", ".sarif", ".xml"})
                    : json && csv ? form_of_ending(s.answer_file, {".json", ".csv"})
                    : json        ? form_of_ending(s.answer_file, {".json"})
                                  : form_of_ending(s.answer_file, {".litmus"});
  if (!form) return std::unexpected(form.error());
  s.csv = *form == ".csv";
  s.json = *form == ".json" || *form == ".sarif" || *form == ".xml";
  if (lists && s.json) s.format = *form == ".xml" ? "junit" : form->substr(1);
  return {};
}

// `prove` reads its options itself, but for --color.
int prove_in_colour(std::vector<std::string> args, const Console& console) {
  std::string when = "auto";
  for (size_t k = 1; k < args.size(); ++k) {
    const bool alone = args[k] == "--color" && k + 1 < args.size();
    if (!alone && !args[k].starts_with("--color=")) continue;
    when = alone ? args[k + 1] : args[k].substr(8);
    if (when != "auto" && when != "always" && when != "never")
      return report_errors(
          console,
          error_at({}, fmt::format("--color is not '{}'", printable_name(when)), "auto, always or never").error());
    const auto at = args.begin() + static_cast<std::ptrdiff_t>(k);
    args.erase(at, at + (alone ? 2 : 1));
    break;
  }
  const bool text = std::none_of(args.begin(), args.end(), [](const std::string& a) {
    return a == "--json" || (a.starts_with("--format=") && a != "--format=text");
  });
  return answer({"", false, when, text}, console, [&](const Console& own) {
    return with_way_out("prove", {args.begin() + 1, args.end()}, own,
                        [&](const Console& c) { return run_prove(args, c); });
  });
}

// The libraries that are linked or used as headers, with the versions of the build, a line each.
std::string parts() {
  const std::string known = FENCEPOST_PARTS;
  return known.empty() ? "versions of libraries: not known to this build" : known;
}

int run_verb_of(const std::vector<std::string>& args, const Console& console) {
  // `prove` has options of its own, in the words of the reference tool.
  if (!args.empty() && args.front() == "prove") return prove_in_colour(args, console);
  if (args.size() == 2 && args[0] == "help" && args[1] == "prove") return run_prove({"prove", "--help"}, console);
  if (args.size() > 1 && args[0] == "help" && args[1].starts_with("--")) {
    const auto text = page({args.begin() + 1, args.end()}, [&] { return help_of_prove(console); });
    if (!text) return report_errors(console, text.error());
    console.out(*text);
    return k_exit_holds;
  }
  if (args.size() == 2 && (args[0] == "--version" || args[0] == "-V") && args[1] == "--verbose") {
    console.out(version() + "\n" + parts() + "\n");
    return run_prove({"prove", "--version"}, console);
  }
  const auto parsed = parse_command_line(args);
  if (!parsed) return report_errors(console, parsed.error());
  if (!parsed->command) {
    console.out(parsed->text);
    return k_exit_holds;
  }
  CommandLine line = *parsed->command;
  if (const auto chosen = choose_form(line); !chosen) return report_errors(console, chosen.error());
  if (info(line.verb).run == nullptr) {
    FENCEPOST_INVARIANT(line.verb == Verb::help_markdown, "every verb but prove and help-markdown has a function");
    console.out(markdown());
    return k_exit_holds;
  }
  const Settings& s = line.settings;
  const bool text = !s.json && s.format != "sarif" && s.format != "junit" && s.format != "html";
  return answer({s.answer_file, s.quiet, s.colour, text}, console, [&](const Console& own) {
    return s.untrusted ? run_in_its_place(line, own)
                       : with_way_out(info(line.verb).name, line.operands, own,
                                      [&](const Console& c) { return run_in_its_place(line, c); });
  });
}

}  // namespace

int run(const std::vector<std::string>& args, const Console& console) {
  return or_lost(console, [&] { return run_verb_of(args, console); });
}

}  // namespace fencepost::cli

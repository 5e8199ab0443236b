#include <fmt/format.h>

#include "check/machine.h"
#include "cli/effects.h"
#include "cli/inputs.h"
#include "cli/one_test.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "cli/worker.h"
#include "prog/test.h"
#include "report/report.h"

namespace fencepost::cli {

int run_explain(const CommandLine& line, const Console& console) {
  const Settings& s = line.settings;
  const std::string& path = line.operands.front();
  const auto test = one_test(path, launch_of(s));
  if (!test) return report_errors(console, test.error());
  if (const auto ok = have_effect_on(s, *test); !ok) return report_errors(console, ok.error());
  ModelCache models;
  const auto model = models.get(s.model_name(), *test);
  if (!model) return report_errors(console, model.error());
  if (check::is_machine(**model))
    return report_errors(console, unsupported_at({}, "an abstract machine has no executions to explain",
                                                 "fencepost outcomes --operational --steps shows a run of it")
                                      .error());
  Job job = job_of(s);
  report::ExplainOptions options;
  options.max_candidates = s.candidates;
  auto asked = check_options(s, test->dialect);
  if (!asked) return report_errors(console, asked.error());
  const auto bounds = bounds_file(s);
  if (!bounds) return report_errors(console, bounds.error());
  if (const auto taken = take_bounds(*asked, *bounds, path, *test); !taken)
    return report_errors(console, taken.error());
  if (is_worker()) {
    check::Result ended;
    ended.verdict = {.status = Status::gave_up, .detail = std::string(k_why_ended)};
    ended.bound = asked->auto_bound ? 1 : asked->bound;
    if_ended({.json = {report::check_json(path, *test, **model, *asked, ended)}, .code = k_exit_undecided});
  }
  const report::Explained e = report::explain(path, *test, **model, *asked, options, job);
  const bool rejects = asked->property == check::Property::condition && !e.result.execution &&
                       test->quantifier != prog::Quantifier::none;
  if (s.has("--candidates") && !rejects)
    return report_errors(
        console, error_at({}, "--candidates is without effect: no candidate is rejected here", "leave it out").error());
  console.out(s.json ? e.report.json : e.report.text);
  if (!s.witness.empty()) {
    const auto written = write_made(s.witness, report::file_text(s.witness, e.report));
    if (!written) return report_errors(console, written.error());
  }
  return e.result.verdict.vacuous ? k_exit_undecided : fencepost::exit_code(e.result.verdict.status);
}

}  // namespace fencepost::cli

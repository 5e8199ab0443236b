#include <fmt/format.h>

#include <chrono>

#include "cli/inputs.h"
#include "cli/json.h"
#include "cli/one_test.h"
#include "cli/outcomes_of.h"
#include "cli/verbs.h"
#include "report/report.h"

namespace fencepost::cli {

int run_outcomes(const CommandLine& line, const Console& console) {
  const Settings& s = line.settings;
  const std::string& path = line.operands.front();
  const auto tests = tests_of(path, launch_of(s));
  if (!tests) return report_errors(console, tests.error());
  const auto bounds = bounds_file(s);
  if (!bounds) return report_errors(console, bounds.error());
  ModelCache models;
  int code = k_exit_holds;
  std::vector<std::string> json;
  for (const prog::Test& test : *tests) {
    const std::string name = label(path, test, tests->size());
    const auto& model = models.get(s.model, test.dialect);
    if (!model) return report_errors(console, model.error());
    check::Options options = check_options(s);
    if (const auto taken = take_bounds(options, *bounds, path, test); !taken) return report_errors(console, taken.error());
    Job job = job_of(s);
    const auto start = Job::Clock::now();
    const check::Outcomes outcomes = outcomes_of(test, *model, options, job);
    const double seconds = std::chrono::duration<double>(Job::Clock::now() - start).count();
    if (s.json) json.push_back(report::outcomes_json(name, test, *model, outcomes, seconds));
    else console.out(report::outcomes_text(test, outcomes, seconds));
    if (!outcomes.states.complete && !s.json)
      console.err(fmt::format("{}: the list is not complete: {}\n", name, why_incomplete(outcomes)));
    code = worse(code, outcomes.states.complete ? k_exit_holds : k_exit_undecided);
  }
  if (s.json) console.out(json_list(json));
  return code;
}

}  // namespace fencepost::cli

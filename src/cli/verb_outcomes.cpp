#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "check/beside.h"
#include "check/processor_time.h"
#include "cli/effects.h"
#include "cli/inputs.h"
#include "cli/json.h"
#include "cli/one_test.h"
#include "cli/verbs.h"
#include "cli/worker.h"
#include "explicit/operational.h"
#include "plan/plan.h"
#include "refine/outcomes_of.h"
#include "report/report.h"

namespace fencepost::cli {
namespace {

struct Ran {
  int code = k_exit_holds;
  std::string json;
};

// The abstract machine in place of a model.
Expected<Ran> run_machine(const std::string& name, const prog::Test& test, const Settings& s, const Console& console) {
  const Job job = job_of(s);
  const auto start = Job::Clock::now();
  auto found = explicit_state::operational_outcomes(test, {.load_array = !s.coherent_loads}, job);
  if (!found) return std::unexpected(found.error());
  const double seconds = std::chrono::duration<double>(Job::Clock::now() - start).count();
  check::Outcomes outcomes;
  outcomes.observables = found->observables;
  outcomes.states = found->states;
  outcomes.status.status = found->states.complete ? Status::holds : Status::gave_up;
  for (const prog::State& state : found->states.states)
    ++(test.quantifier != prog::Quantifier::none && plan::holds(test, found->observables, state, test.condition)
           ? outcomes.positive
           : outcomes.negative);
  Ran ran;
  ran.code = found->states.complete ? k_exit_holds : k_exit_undecided;
  if (s.json) {
    std::string states, steps;
    for (const prog::State& state : found->states.states)
      states +=
          fmt::format("{}{}", states.empty() ? "" : ", ", json_string(prog::to_string(found->observables, state)));
    for (const std::string& step : found->steps.value_or(std::vector<std::string>()))
      steps += fmt::format("{}{}", steps.empty() ? "" : ", ", json_string(step));
    ran.json = fmt::format(
        "{{\n  \"schema\": \"fencepost.operational/1\",\n  \"path\": {},\n  \"title\": {},\n  \"load_array\": {}, "
        "\"complete\": {}, \"explored\": {},\n"
        "  \"states\": [{}],\n  \"steps\": {}\n}}\n",
        json_string(name), json_string(test.title), !s.coherent_loads, found->states.complete, found->explored, states,
        found->steps ? "[" + steps + "]" : "null");
    return ran;
  }
  console.out(report::outcomes_text(test, outcomes, seconds, "the machine of the 2014 thesis"));
  if (s.steps_shown) {
    if (!found->steps) console.out("no run ends in what the test asks about\n");
    for (size_t i = 0; found->steps && i < found->steps->size(); ++i)
      console.out(fmt::format("{:>3}  {}\n", i + 1, (*found->steps)[i]));
  }
  if (!found->states.complete)
    console.err(fmt::format("{}: the list is not complete: {} states were seen\n", name, found->explored));
  return ran;
}

// What is left if the limits end the work on this test: the lists so far, and an incomplete one. Tests behind it have
// none, as they were not begun.
void leave(std::vector<std::string> json, const std::string& name, const prog::Test& test, const cat::Model& model,
           const check::Options& options) {
  if (!is_worker()) return;
  check::Outcomes ended;
  ended.status = {.status = Status::gave_up, .detail = std::string(k_why_ended)};
  ended.bound = options.auto_bound ? 1 : options.bound;
  json.push_back(report::outcomes_json(name, test, model, ended, 0));
  if_ended({.json = std::move(json), .code = k_exit_undecided});
}

}  // namespace

int run_outcomes(const CommandLine& line, const Console& console) {
  const Settings& s = line.settings;
  const std::string& path = line.operands.front();
  if (!s.operational && (s.coherent_loads || s.steps_shown))
    return report_errors(console, error_at({},
                                           fmt::format("{} belongs to the abstract machine",
                                                       s.coherent_loads ? "--coherent-loads" : "--steps"),
                                           "add --operational")
                                      .error());
  if (s.operational && !s.model.empty())
    return report_errors(console,
                         error_at({}, "--operational is asked in place of a model", "leave out --model").error());
  const auto tests = tests_of(path, launch_of(s));
  if (!tests) return report_errors(console, tests.error());
  if (tests->size() == 1)
    if (const auto ok = have_effect_on(s, tests->front()); !ok) return report_errors(console, ok.error());
  const auto bounds = bounds_file(s);
  if (!bounds) return report_errors(console, bounds.error());
  ModelCache models;
  int code = k_exit_holds;
  std::vector<std::string> json;
  for (const prog::Test& test : *tests) {
    const std::string name = label(path, test, tests->size());
    if (const std::string taken = report::assumptions_text(test); !taken.empty() && !s.json)
      console.err(fmt::format("{}: assumes: {}\n", name, taken));
    if (s.operational) {
      auto ran = run_machine(name, test, s, console);
      if (!ran) return report_errors(console, ran.error());
      if (s.json) json.push_back(std::move(ran->json));
      code = worse(code, ran->code);
      continue;
    }
    const auto model = models.get(s.model_name(), test);
    if (!model) return report_errors(console, model.error());
    check::Options options = check_options(s);
    if (const auto taken = take_bounds(options, *bounds, path, test); !taken)
      return report_errors(console, taken.error());
    leave(json, name, test, **model, options);
    Job job = job_of(s);
    const auto start = Job::Clock::now();
    const double began = check::processor_seconds();
    const check::Outcomes outcomes = refine::outcomes_of(test, **model, options, job);
    const double seconds = std::chrono::duration<double>(Job::Clock::now() - start).count();
    const check::ThinAirOfList air =
        check::thin_air_of(test, **model, options, outcomes, check::processor_seconds() - began, job);
    if (s.json)
      json.push_back(report::outcomes_json(name, test, **model, outcomes, seconds, air));
    else
      console.out(
          report::outcomes_text(test, outcomes, seconds, std::filesystem::path((*model)->path).stem().string(), air));
    if (air.said == check::Beside::Said::unknown && !s.json)
      console.err(fmt::format("{}: whether a state or flag is there out of thin air alone is unknown\n", name));
    if (const std::string loops = report::loops_text(test, **model);
        outcomes.states.complete && !loops.empty() && !s.json)
      console.err(fmt::format("{}: assumes: {}\n", name, loops));
    if (outcomes.states.complete && outcomes.states.states.empty() && !s.json)
      console.err(fmt::format("{}: no execution ends\n", name));
    if (!outcomes.states.complete && !s.json)
      console.err(fmt::format("{}: the list is not complete: {}\n", name, refine::why_incomplete(outcomes)));
    code = worse(code, outcomes.states.complete ? k_exit_holds : k_exit_undecided);
  }
  if (s.json) console.out(json_list(json));
  return code;
}

}  // namespace fencepost::cli

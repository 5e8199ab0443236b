#include <fmt/format.h>

#include <algorithm>

#include "check/check.h"
#include "cli/inputs.h"
#include "cli/json.h"
#include "cli/one_test.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "cli/worker.h"
#include "prog/test.h"
#include "refine/refinement.h"
#include "report/model_name.h"
#include "report/report.h"

namespace fencepost::cli {
namespace {

constexpr size_t k_most_shown = 100;  // new outcomes; --json has all of them

std::string listed(const refine::Refinement& r, const char* outcome, const char* flag) {
  std::string out;
  for (size_t i = 0; i < std::min(k_most_shown, r.new_states.size()); ++i)
    out += fmt::format("  {}: {}\n", outcome, to_string(r.observables, r.new_states[i]));
  if (r.new_states.size() > k_most_shown) out += fmt::format("  and {} more\n", r.new_states.size() - k_most_shown);
  for (const std::string& f : r.new_flags) out += fmt::format("  {}: {}\n", flag, f);
  return out;
}

std::string text_of(const refine::Refinement& r, const std::string& source, const std::string& target,
                    const std::string& model) {
  if (r.undefined)
    return fmt::format("{}  undefined  {} ({})\n", target, r.verdict.detail, model) +
           listed(r, "new outcome if the flag is disregarded", "new flag");
  std::string out = fmt::format("{}  {}", target, name(r.verdict.status));
  switch (r.verdict.status) {
    case Status::holds:
      if (r.verdict.vacuous) return fmt::format("{}  vacuous  {} ({})\n", target, r.verdict.detail, model);
      return out + fmt::format("  every outcome and race is one of {}'s ({} of {} states, {})\n", source,
                               r.target_states, r.source_states, model);
    case Status::fails:
      return out + fmt::format("  {} ({})\n", r.verdict.detail, model) + listed(r, "new outcome", "new flag");
    default:
      return out + fmt::format("  {} ({})\n", r.verdict.detail, model);
  }
}

// What the answer rests on: what the front ends took for granted and, where it rests on all executions, that of loops.
std::vector<std::string> assumptions_of(const refine::Refinement& r, const prog::Test& source, const prog::Test& target,
                                        const cat::Model& model) {
  std::vector<std::string> out;
  const auto add = [&](const std::string& text) {
    if (!text.empty() && std::find(out.begin(), out.end(), text) == out.end()) out.push_back(text);
  };
  for (const prog::Test* t : {&source, &target})
    for (const std::string& a : t->assumptions) add(a);
  if (r.undefined || (r.verdict.status != Status::holds && r.verdict.status != Status::fails)) return out;
  for (const prog::Test* t : {&source, &target}) add(report::loops_text(*t, model));
  return out;
}

std::string json_of(const refine::Refinement& r, const std::vector<std::string>& assumptions, const std::string& source,
                    const std::string& target, const std::string& model, const Settings& asked,
                    const std::string& execution) {
  std::string states, flags, taken;
  for (const std::string& a : assumptions) taken += fmt::format("{}{}", taken.empty() ? "" : ", ", json_string(a));
  for (const prog::State& s : r.new_states)
    states += fmt::format("{}{}", states.empty() ? "" : ", ", json_string(to_string(r.observables, s)));
  for (const std::string& f : r.new_flags) flags += fmt::format("{}{}", flags.empty() ? "" : ", ", json_string(f));
  return fmt::format(
      "{{\n  \"schema\": \"fencepost.refine/1\",\n  \"source\": {},\n  \"target\": {},\n  \"model\": {},\n  \"bound\": "
      "{},\n  "
      "\"verdict\": {},\n  \"vacuous\": {},\n  \"assumptions\": [{}],\n"
      "  \"detail\": {},\n  \"source_states\": {},\n  \"target_states\": {},\n  \"new_outcomes\": [{}],\n  "
      "\"new_flags\": [{}],\n"
      "  \"execution\": {}\n}}\n",
      json_string(source), json_string(target), json_string(model),
      asked.bound == 0 ? "\"auto\"" : std::to_string(asked.bound),
      json_string(r.undefined         ? "undefined"
                  : r.verdict.vacuous ? "vacuous"
                                      : name(r.verdict.status)),
      r.verdict.vacuous, taken, json_string(r.verdict.detail), r.source_states, r.target_states, states, flags,
      execution.empty() ? "null" : execution);
}

// A launch is for what has none of its own: beside a kernel a litmus test keeps its threads.
Expected<prog::Test> launched(const std::string& path, const std::string& other, const Settings& s) {
  const spirv::LaunchOptions launch = launch_of(s);
  auto test = one_test(path, launch);
  if (test || !launch.grid) return test;
  if (auto fixed = one_test(path); fixed && one_test(other, launch)) return fixed;
  return test;
}

}  // namespace

int run_refine(const CommandLine& line, const Console& console) {
  const Settings& s = line.settings;
  const std::string &source_path = line.operands[0], &target_path = line.operands[1];
  const auto source = launched(source_path, target_path, s);
  if (!source) return report_errors(console, source.error());
  const auto target = launched(target_path, source_path, s);
  if (!target) return report_errors(console, target.error());
  if (source->dialect != target->dialect)
    return report_errors(console, error_at(target->span,
                                           fmt::format("the source is in {} and the target in {}",
                                                       vocab::name(source->dialect), vocab::name(target->dialect)),
                                           "both must be judged by one model")
                                      .error());
  ModelCache models;
  const bool hosts = prog::host_thread(*source) != nullptr || prog::host_thread(*target) != nullptr;
  const bool clusters = prog::has_clusters(*source) || prog::has_clusters(*target);
  const auto known = models.get(!s.model.empty() ? s.model : hosts ? "ptx-8-x86" : clusters ? "ptx-8" : "", *source);
  if (!known) return report_errors(console, known.error());
  const cat::Model* model = *known;
  if (const auto ok = check::fits(*target, *model); !ok) return report_errors(console, ok.error());
  const std::string model_name = report::model_name(*model);
  Job job = job_of(s);
  const check::Options options = check_options(s);
  if (is_worker()) {
    refine::Refinement ended;
    ended.verdict = {.status = Status::gave_up, .detail = std::string(k_why_ended)};
    if_ended({.json = {json_of(ended, assumptions_of(ended, *source, *target, *model), source_path, target_path,
                               model_name, s, "")},
              .code = k_exit_undecided});
  }
  const auto r = refine::refine(*source, *target, *model, options, job);
  if (!r) return report_errors(console, r.error());

  const std::vector<std::string> assumed = assumptions_of(*r, *source, *target, *model);
  report::Report shown;
  if (r->execution && r->execution->execution) {
    check::Options asked = options;
    asked.property = r->race ? check::Property::races : check::Property::condition;
    const prog::Test question = r->race ? *target : refine::asking_for(*target, r->observables, r->new_states.front());
    shown = report::witness(target_path, question, *model, asked, *r->execution);
  }
  if (s.json)
    console.out(json_of(*r, assumed, source_path, target_path, model_name, s, shown.json));
  else
    console.out(text_of(*r, source_path, target_path, model_name) +
                (assumed.empty() ? "" : fmt::format("  assumes: {}\n", fmt::join(assumed, "; "))) + shown.text);
  if (!s.witness.empty()) {
    if (shown.text.empty() && shown.pictures.empty()) {
      console.err(
          fmt::format("{}: note: the answer rests on no execution, so {} is not written\n", target_path, s.witness));
    } else if (const auto written = write_made(s.witness, report::file_text(s.witness, shown)); !written) {
      return report_errors(console, written.error());
    }
  }
  return r->verdict.vacuous || r->undefined ? k_exit_undecided : fencepost::exit_code(r->verdict.status);
}

}  // namespace fencepost::cli

#include <fmt/format.h>

#include <set>

#include "check/check.h"
#include "cli/certificate.h"
#include "cli/effects.h"
#include "cli/file_report.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "cli/worker.h"
#include "litmus/condition.h"
#include "prog/syntax.h"
#include "prog/test.h"
#include "read/read.h"
#include "report/report.h"

namespace fencepost::cli {
namespace {

void write_witness(FileReport& r, const Settings& s, const std::string& path, const prog::Test& test,
                   const cat::Model& model, const check::Options& options, const check::Result& result) {
  if (!result.execution) {
    r.err += fmt::format("{}: note: the answer rests on no execution, so {} is not written\n", path, s.witness);
    return;
  }
  const auto written =
      write_made(s.witness, report::file_text(s.witness, report::witness(path, test, model, options, result)));
  if (!written) {
    r.err += render(written.error());
    r.code = worse(r.code, exit_code(written.error()));
  }
}

// What is left if the limits end the work on test `k`: the answers so far, `gave up` for this test, and no answer for
// those behind.
void leave(FileReport r, const Settings& s, const std::string& path, const std::vector<prog::Test>& tests, size_t k,
           const cat::Model& model, const check::Options& options) {
  if (!is_worker()) return;
  check::Result ended;
  ended.verdict.status = Status::gave_up;
  ended.verdict.detail = k_why_ended;
  ended.bound = options.auto_bound ? 1 : options.bound;
  const std::string name = label(path, tests[k], tests.size());
  if (s.json)
    r.json.push_back(report::check_json(name, tests[k], model, options, ended));
  else
    r.out += report::check_line(name, tests[k], model, options, ended) + "\n";
  for (size_t behind = k + 1; behind < tests.size(); ++behind)
    refuse(r, s, label(path, tests[behind], tests.size()),
           unsupported_at({}, fmt::format("gave up on a test before this one: {}", k_why_ended)).error());
  r.code = worse(r.code, k_exit_undecided);
  if_ended(r);
}

using Bounds = std::optional<check::BoundsFile>;

report::Around around(const Settings& s, const prog::Test& test, ModelCache& models) {
  return {[&](const std::string& name) { return models.get(name, test); }, [&] { return job_of(s); }, s.model_name(),
          s.readings};
}

// `alone`: no other file is given, so that an option without effect on this test has none at all.
FileReport check_file(const std::string& path, const Settings& s, ModelCache& models, const Bounds& bounds,
                      bool alone) {
  FileReport r;
  // Who is confined cannot look there; check_untrusted() has.
  if (const auto ok = s.untrusted ? Expected<void>{} : begin_certificate(s, path); !ok) {
    refuse(r, s, path, ok.error());
    return r;
  }
  const auto tests = read::parse_file(path, launch_of(s));
  if (!tests) {
    refuse(r, s, path, tests.error());
    return r;
  }
  for (const auto& [option, value] :
       {std::pair("--witness shows", &s.witness), std::pair("--certificate is of", &s.output)})
    if (!value->empty() && tests->size() != 1) {
      refuse(r, s, path,
             error_at({}, fmt::format("{} one test, and '{}' holds {}", option, path, tests->size())).error());
      return r;
    }
  if (alone && tests->size() == 1)
    if (const auto ok = have_effect_on(s, tests->front()); !ok) {
      refuse(r, s, path, ok.error());
      return r;
    }
  for (const prog::Test& test : *tests) {
    const std::string name = label(path, test, tests->size());
    r.err += render(litmus::question_warnings(test));
    if (const auto asked = has_question(s.property, test); !asked) {
      refuse(r, s, name, asked.error());
      continue;
    }
    const auto known = models.get(s.model_name(), test);
    if (!known) {
      refuse(r, s, name, known.error());
      continue;
    }
    const cat::Model* model = *known;
    const auto chosen = check_options(s, test.dialect);
    if (!chosen) {
      refuse(r, s, name, chosen.error());
      continue;
    }
    check::Options options = *chosen;
    if (const auto taken = take_bounds(options, bounds, path, test); !taken) {
      refuse(r, s, name, taken.error());
      continue;
    }
    Job job = job_of(s);
    leave(r, s, path, *tests, static_cast<size_t>(&test - tests->data()), *model, options);
    report::Checked checked = report::checked(name, test, *model, options, around(s, test, models), s.json, job);
    const check::Result& result = checked.result;
    if (!s.save_bounds.empty())
      r.saved += check::print_bounds(
          check::program_name(path, test), test, result.bound,
          fmt::format("{}: {}", check::name(options.property), fencepost::name(result.verdict.status)));
    if (options.property == check::Property::races && test.threads.size() == 1 &&
        result.verdict.status == Status::holds)
      r.err += fmt::format(
          "{}: note: the launch has one thread, which has no race by itself; --grid 1.1.2 asks two groups of one\n",
          name);
    if (s.readings && !checked.other_readings)
      r.err += fmt::format("{}: note: the head of the model names no other reading\n", path);
    if (s.json)
      r.json.push_back(std::move(checked.answer));
    else
      r.out += checked.answer;
    if (!s.witness.empty()) write_witness(r, s, name, test, *model, options, result);
    if (!s.output.empty()) write_certificate(r, s, path, test, *model, options, result);
    r.code = worse(r.code, result.verdict.vacuous ? k_exit_undecided : fencepost::exit_code(result.verdict.status));
  }
  return r;
}

}  // namespace

int run_check(const CommandLine& line, const Console& console) {
  const Settings& s = line.settings;
  const auto files = expand(line.operands);
  if (!files) return refuse_operands(line, s, "", console, files.error());
  for (const auto& [option, value] :
       {std::pair("--witness shows", &s.witness), std::pair("--certificate is of", &s.output)})
    if (!value->empty() && files->size() != 1)
      return report_errors(console,
                           error_at({}, fmt::format("{} one test, and {} files are given", option, files->size()),
                                    "check them one by one")
                               .error());
  const auto bounds = bounds_file(s);
  if (!bounds) return report_errors(console, bounds.error());
  ModelCache models;
  std::vector<std::string> saved;  // what --save-bounds writes
  const auto work = [&](const std::string& path) { return check_file(path, s, models, *bounds, files->size() == 1); };
  const int code = report_files(*files, s, console, work, &saved);
  if (s.save_bounds.empty()) return code;
  std::string text(check::k_bounds_head);
  std::set<std::string> seen;  // a file that is named twice has its bounds once
  for (size_t i = 0; i < files->size(); ++i)
    if (seen.insert((*files)[i]).second) text += saved[i];
  return worse(code, put(console, s.save_bounds, text));
}

}  // namespace fencepost::cli

// Two models on the same tests. An undecided answer is never counted as agreement.
#include <fmt/format.h>

#include <algorithm>

#include "cat/library.h"
#include "cli/effects.h"
#include "cli/inputs.h"
#include "cli/json.h"
#include "cli/parallel.h"
#include "cli/verbs.h"
#include "prog/test.h"
#include "read/read.h"

namespace fencepost::cli {
namespace {

struct Comparison {
  std::string name;
  Verdict first, second;
};

struct FileReport {
  std::vector<Comparison> tests;
  std::string err;
  int code = k_exit_holds;
  size_t other_dialect = 0;  // tests that one of the models is not made for, in a folder
};

std::string describe(const Verdict& v) {
  const char* word = v.vacuous ? "vacuous" : name(v.status);
  return v.detail.empty() ? word : fmt::format("{} ({})", word, v.detail);
}

bool decided(const Verdict& v) { return v.status == Status::holds || v.status == Status::fails; }

// A model that is made for one dialect, and not for this one.
bool of_another_dialect(const std::string& model, vocab::Dialect d) {
  const auto path = cat::find_model(model);
  if (!path) return false;
  return cat::options_for(*path, d).dialect != d;
}

// `named`: the file itself was named, not its folder.
FileReport compare_file(const std::string& path, bool named, const std::string& a, const std::string& b,
                        const Settings& s, ModelCache& models) {
  FileReport r;
  const auto fault = [&](const Diagnostics& ds) {
    if (!ds.list.empty() && !ds.list.front().span.source) r.err += path + ": ";
    r.err += render(ds);
    r.code = worse(r.code, exit_code(ds));
  };
  const auto tests = read::parse_file(path);
  if (!tests) {
    fault(tests.error());
    return r;
  }
  for (const prog::Test& test : *tests) {
    if (!named && (of_another_dialect(a, test.dialect) || of_another_dialect(b, test.dialect))) {
      ++r.other_dialect;
      continue;
    }
    // Every model gives what is not asked the same answer.
    if (const auto asked = has_question(s.property, test); !asked) {
      fault(asked.error());
      continue;
    }
    const auto first = models.get(a, test);
    const auto second = models.get(b, test);
    if (!first || !second) {
      fault(first ? second.error() : first.error());
      continue;
    }
    Job job = job_of(s);  // the budget is of the test: under both models
    const auto decide = [&](const cat::Model& m) {
      const auto options = check_options(s, test.dialect);
      if (!options) return Verdict{Status::unsupported, options.error().list[0].message, false};
      return check::check(test, m, *options, job).verdict;
    };
    r.tests.push_back({label(path, test, tests->size()), decide(**first), decide(**second)});
  }
  return r;
}

}  // namespace

int run_diff_models(const CommandLine& line, const Console& console) {
  const Settings& s = line.settings;
  const std::string &a = line.operands[0], &b = line.operands[1];
  const auto files = expand({line.operands.begin() + 2, line.operands.end()});
  if (!files) return report_errors(console, files.error());
  ModelCache models;
  Progress progress(console, files->size(), "files");
  size_t total = 0, flips = 0, undecided = 0, left_out = 0;
  int code = k_exit_holds;
  std::string json;
  in_order(
      files->size(), s.threads, progress,
      [&](size_t i) {
        const std::string& path = (*files)[i];
        const bool named = std::find(line.operands.begin() + 2, line.operands.end(), path) != line.operands.end();
        return compare_file(path, named, a, b, s, models);
      },
      [&](size_t, FileReport r) {
        if (!r.err.empty()) {
          progress.clear();
          console.err(r.err);
        }
        code = worse(code, r.code);
        left_out += r.other_dialect;
        for (const Comparison& c : r.tests) {
          ++total;
          // Two models under which nothing comes to an end do not agree about what is asked.
          const bool known = decided(c.first) && decided(c.second) && !(c.first.vacuous && c.second.vacuous);
          if (!known) ++undecided;
          // Two undecided answers say nothing; they are counted, and listed only for programs.
          const bool same = c.first.status == c.second.status && c.first.vacuous == c.second.vacuous;
          if (known ? same : !s.json && !decided(c.first) && !decided(c.second)) continue;
          if (known) ++flips;
          if (s.json) {
            json += fmt::format(
                "{}\n    {{\"path\": {}, \"flips\": {}, \"verdicts\": [{}, {}], \"details\": [{}, {}]}}",
                json.empty() ? "" : ",", json_string(c.name), known, json_string(name(c.first.status)),
                json_string(name(c.second.status)), json_string(c.first.detail), json_string(c.second.detail));
          } else {
            progress.clear();
            console.out(fmt::format("{}  {}: {}  {}: {}\n", c.name, a, describe(c.first), b, describe(c.second)));
          }
        }
      });
  progress.clear();
  if (s.json)
    console.out(
        fmt::format("{{\n  \"schema\": \"fencepost.diff-models/1\",\n  \"models\": [{}, {}],\n  \"property\": {},\n  "
                    "\"bound\": {},\n  \"tests\": {},\n  \"flips\": {},\n"
                    "  \"undecided\": {},\n  \"differences\": [{}]\n}}\n",
                    json_string(a), json_string(b), json_string(check::name(s.property)), std::max(s.bound, 1u), total,
                    flips, undecided, json));
  else
    console.out(fmt::format("{} test{}, {} differ{}{}\n", total, total == 1 ? "" : "s", flips,
                            undecided > 0 ? fmt::format(", {} undecided", undecided) : "",
                            left_out > 0 ? fmt::format("; {} of other dialects left out", left_out) : ""));
  if (flips > 0) code = worse(code, k_exit_fails);
  if (undecided > 0) code = worse(code, k_exit_undecided);
  return code;
}

}  // namespace fencepost::cli

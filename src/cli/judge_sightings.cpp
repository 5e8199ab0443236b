#include "cli/judge_sightings.h"

#include <fmt/format.h>

#include <deque>
#include <filesystem>
#include <map>

#include "analysis/read.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "cycle/thesis.h"
#include "judge/sightings.h"
#include "prog/test.h"
#include "read/read.h"

namespace fencepost::cli {
namespace {

// Tests by the names that results may give them: title, and name of the file.
class Tests {
 public:
  Expected<void> load(const std::string& operand) {
    const auto files = expand({operand}, {".litmus", ".test"});
    if (!files) return std::unexpected(files.error());
    for (const std::string& file : *files) {
      auto tests = read::parse_file(file);
      if (!tests) return std::unexpected(tests.error());
      for (prog::Test& t : *tests) {
        const bool alone = tests->size() == 1;
        add(std::move(t), alone ? std::filesystem::path(file).stem().string() : "");
      }
    }
    return {};
  }
  Expected<void> load_thesis() {
    for (const gen::ThesisRow& row : gen::thesis_rows()) {
      auto t = gen::make_test(row);
      if (!t) return std::unexpected(t.error());
      add(std::move(*t), row.name);
    }
    return {};
  }
  Expected<const prog::Test*> find(const std::string& name, bool given) const {
    const auto it = by_name_.find(name);
    if (it == by_name_.end()) {
      std::vector<std::string> known;
      for (const auto& [k, t] : by_name_) known.push_back(k);
      const std::string near = nearest(name, known);
      return error_at({}, fmt::format("the results speak of '{}', and there is no such test", name),
                      !near.empty() ? fmt::format("did you mean '{}'?", near)
                      : given       ? "--tests names a folder or file with the tests of the results"
                                    : "give --tests FOLDER; without it tests are the rows of the 2014 thesis");
    }
    if (it->second == nullptr)
      return error_at({}, fmt::format("several tests are called '{}'", name), "give a folder where names differ");
    return it->second;
  }

 private:
  void add(prog::Test t, const std::string& file) {
    tests_.push_back(std::move(t));
    const prog::Test* test = &tests_.back();
    name(test->title, test);
    if (!file.empty() && file != test->title) name(file, test);
  }
  void name(const std::string& n, const prog::Test* test) {
    const auto [it, fresh] = by_name_.try_emplace(n, test);
    if (!fresh) it->second = nullptr;
  }
  std::deque<prog::Test> tests_;  // where they stand for good
  std::map<std::string, const prog::Test*> by_name_;
};

std::string evidence_of(const std::string& what_ran) {
  return what_ran == "as-written" || what_ran == "language-level" ? what_ran : "";
}

Expected<std::vector<judge::Sighting>> sightings_of(const analysis::Table& table, const Tests& tests, bool given) {
  std::vector<judge::Sighting> out;
  for (uint32_t t = 0; t < table.tests.size(); ++t)
    for (uint32_t d = 0; d < table.devices.size(); ++d)
      for (uint32_t c = 0; c < table.configurations.size(); ++c) {
        const analysis::Cell& cell = table.at(d, t, c);
        if (!cell.measured) continue;
        const auto test = tests.find(table.tests[t].name, given);
        if (!test) return std::unexpected(test.error());
        if ((*test)->quantifier == prog::Quantifier::none)
          return error_at((*test)->span, fmt::format("'{}' asks nothing, and the results count what it asks about",
                                                     table.tests[t].name));
        out.push_back({table.tests[t].name, table.devices[d], *test, cell.weak, cell.instances, cell.states,
                       cell.what_ran, evidence_of(cell.what_ran)});
      }
  return out;
}

}  // namespace

std::vector<std::string> model_list(const std::string& text) {
  std::vector<std::string> out;
  int depth = 0;
  for (const char c : text) {
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (out.empty()) out.emplace_back();
    if (c == ',' && depth == 0)
      out.emplace_back();
    else
      out.back() += c;
  }
  return out;
}

int run_judge_sightings(const CommandLine& line, const Console& console) {
  const Settings& s = line.settings;
  const auto form = form_of_ending(s.output, {".csv", ".json", ".md"});
  if (!form) return report_errors(console, form.error());
  const std::string& path = line.operands.front();
  for (const auto& [given, option] : {std::pair(s.mutants, "--mutants"), std::pair(!s.campaign.empty(), "--campaign")})
    if (given)
      return report_errors(
          console,
          error_at({}, fmt::format("{} is about stores, and {} is none", option, path), "leave it out").error());
  const auto table = analysis::read(path);
  if (!table) return report_errors(console, table.error());
  Tests tests;
  const auto loaded = s.tests.empty() ? tests.load_thesis() : tests.load(s.tests);
  if (!loaded) return report_errors(console, loaded.error());
  const auto seen = sightings_of(*table, tests, !s.tests.empty());
  if (!seen) return report_errors(console, seen.error());
  if (seen->empty()) return report_errors(console, error_at({}, fmt::format("{} has no results", path)).error());
  for (const std::string& remark : table->remarks) warn(console, remark);

  ModelCache cache;
  std::vector<judge::NamedModel> models;
  auto names = model_list(s.model);
  if (names.empty()) names.push_back(default_model(*seen->front().test));
  for (const std::string& name : names)
    for (const judge::Sighting& x : *seen) {
      const auto model = cache.get(name, *x.test);
      if (!model) return report_errors(console, model.error());
      if (models.empty() || models.back().name != name) models.push_back({*model, name});
      if (models.back().model != *model)
        return report_errors(console, error_at({}, "the results are of tests of several dialects",
                                               "judge them apart, each with models of its own")
                                          .error());
    }
  judge::Judge how;
  how.check.engine = s.engine;
  how.seconds_per_test = s.budget > 0 ? s.budget : 20;
  Job job;
  job.deadline = s.end;
  const auto judged = judge::judge_sightings(*seen, models, how, job);
  if (!judged) return report_errors(console, judged.error());
  const std::string text = s.json || *form == ".json" ? judge::to_json(*judged)
                           : s.csv || *form == ".csv" ? judge::to_csv(*judged)
                           : *form == ".md"           ? judge::to_markdown(*judged)
                                                      : judge::to_text(*judged);
  const int written = put(console, s.output, text);
  return written != k_exit_holds ? written : judge::exit_code(*judged);
}

}  // namespace fencepost::cli

// A table of expected verdicts against the tool. Rows are independent; a row parses its file, takes its model
// from the cache and asks one question. Nothing is printed for a row that agrees.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>

#include "check/check.h"
#include "cli/expect_table.h"
#include "cli/inputs.h"
#include "cli/json.h"
#include "cli/parallel.h"
#include "cli/verbs.h"
#include "front/litmus.h"

namespace fencepost::cli {
namespace {

enum class Outcome { passed, failed, skipped };

struct RowReport {
  Outcome outcome = Outcome::passed;
  std::string found;    // failed: what was found; skipped: why
};

const char* word(Status s) {
  switch (s) {
    case Status::holds: return "1 (holds)";
    case Status::fails: return "0 (fails)";
    default: return name(s);
  }
}

// The first line of a diagnostic: place and sentence.
std::string brief(const Diagnostics& ds) {
  const std::string all = render(ds);
  return all.substr(0, all.find('\n'));
}

std::string path_of(const Settings& s, const std::string& path) {
  return path.starts_with("/") ? path : s.root + "/" + path;
}

RowReport run_row(const ExpectRow& row, const Settings& s, ModelCache& models) {
  const auto question = question_of(row);
  if (!question) return {Outcome::skipped, fmt::format("property {} is not supported", row.property)};
  if (!row.grid.empty()) return {Outcome::skipped, "launch grids are not supported"};
  const auto tests = front::parse_file(path_of(s, row.path));
  if (!tests) return {Outcome::failed, brief(tests.error())};
  if (tests->size() != 1) return {Outcome::failed, fmt::format("the file holds {} tests, and a row is about one", tests->size())};
  const prog::Test& test = tests->front();
  const std::string name = s.model_dir.empty() ? shipped_name(row.model) : fmt::format("{}/{}.cat", s.model_dir, row.model);
  const auto& model = models.get(name, test.dialect);
  if (!model) return {Outcome::failed, brief(model.error())};
  check::Options options = check_options(s);
  options.property = question->property;
  options.filter = question->filter;
  options.bound = bound_of(row);
  Job job = job_of(s);
  const check::Result result = check::check(test, *model, options, job);
  if (result.verdict.status == row.expected) return {};
  std::string found = word(result.verdict.status);
  if (!result.verdict.detail.empty()) found += ": " + result.verdict.detail;
  return {Outcome::failed, std::move(found)};
}

Expected<SourcePtr> read(const std::string& path) {
  std::ostringstream text;
  if (path == "-") {
    char buffer[1 << 16];
    for (size_t n; (n = std::fread(buffer, 1, sizeof buffer, stdin)) > 0;) text.write(buffer, static_cast<std::streamsize>(n));
  } else {
    std::ifstream in(path, std::ios::binary);
    if (!in || !(text << in.rdbuf())) return error_at({}, fmt::format("the table '{}' cannot be read", path));
  }
  return make_source(path, text.str());
}

// The rows of the wanted suites; a suite that no row belongs to is a mistake.
Expected<std::vector<ExpectRow>> select(std::vector<ExpectRow> rows, const std::vector<std::string>& suites) {
  if (suites.empty()) return rows;
  std::vector<std::string> known;
  for (const ExpectRow& r : rows)
    if (known.empty() || known.back() != r.suite) known.push_back(r.suite);
  for (const std::string& suite : suites)
    if (std::find(known.begin(), known.end(), suite) == known.end()) {
      const std::string near = nearest(suite, known);
      return error_at({}, fmt::format("no row belongs to the suite '{}'", suite), near.empty() ? "" : fmt::format("did you mean '{}'?", near));
    }
  std::erase_if(rows, [&](const ExpectRow& r) { return std::find(suites.begin(), suites.end(), r.suite) == suites.end(); });
  return rows;
}

}  // namespace

int run_expect(const CommandLine& line, const Console& console) {
  const Settings& s = line.settings;
  const auto source = read(line.operands.front());
  if (!source) return report_errors(console, source.error());
  auto table = read_expect_table(*source);
  if (!table) return report_errors(console, table.error());
  const auto rows = select(std::move(*table), s.suites);
  if (!rows) return report_errors(console, rows.error());

  ModelCache models;
  Progress progress(console, rows->size(), "rows");
  size_t passed = 0, failed = 0, skipped = 0;
  std::map<std::pair<std::string, std::string>, size_t> skips;  // (suite, reason) -> rows
  std::string mismatches;
  in_order(
      rows->size(), s.threads, progress, [&](size_t i) { return run_row((*rows)[i], s, models); },
      [&](size_t i, RowReport r) {
        const ExpectRow& row = (*rows)[i];
        const std::string place = row.suite.empty() ? row.path : row.suite + " " + row.path;
        switch (r.outcome) {
          case Outcome::passed: ++passed; break;
          case Outcome::skipped:
            ++skipped;
            ++skips[{row.suite, r.found}];
            break;
          case Outcome::failed:
            ++failed;
            if (s.json) {
              mismatches += fmt::format(
                  "{}\n    {{\"suite\": {}, \"path\": {}, \"model\": {}, \"property\": {}, \"expected\": {}, \"found\": {}}}",
                  mismatches.empty() ? "" : ",", json_string(row.suite), json_string(row.path), json_string(row.model),
                  json_string(row.property), json_string(name(row.expected)), json_string(r.found));
            } else {
              progress.clear();
              console.out(fmt::format("{} ({}, {}): expected {}, found {}\n", place, row.model, row.property, word(row.expected), r.found));
            }
            break;
        }
      });
  progress.clear();
  if (s.json) {
    std::string skip_list;
    for (const auto& [key, count] : skips)
      skip_list += fmt::format("{}\n    {{\"suite\": {}, \"reason\": {}, \"rows\": {}}}", skip_list.empty() ? "" : ",",
                               json_string(key.first), json_string(key.second), count);
    console.out(fmt::format("{{\n  \"schema\": \"fencepost.expect/1\",\n  \"passed\": {},\n  \"failed\": {},\n  \"skipped\": {},\n"
                            "  \"mismatches\": [{}],\n  \"skips\": [{}]\n}}\n",
                            passed, failed, skipped, mismatches, skip_list));
  } else {
    for (const auto& [key, count] : skips)
      console.out(fmt::format("SKIPPED {} row{} of {}: {}\n", count, count == 1 ? "" : "s", key.first.empty() ? "the table" : key.first,
                              key.second));
    console.out(fmt::format("{} passed, {} failed{}\n", passed, failed, skipped > 0 ? fmt::format(", {} skipped", skipped) : ""));
  }
  if (failed > 0) return k_exit_fails;
  return passed == 0 ? k_exit_undecided : k_exit_holds;  // nothing decided is no success
}

}  // namespace fencepost::cli

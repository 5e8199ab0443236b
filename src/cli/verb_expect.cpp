// Expected verdicts against the tool: the rows of a table, or what tests say of themselves. Rows are independent; a
// row parses its file, takes its model from the cache and asks one question. Nothing is printed for one that agrees.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>

#include "base/folder.h"
#include "base/read_file.h"
#include "cat/library.h"
#include "check/check.h"
#include "check/progress_option.h"
#include "cli/ci_forms.h"
#include "cli/expect_table.h"
#include "cli/file_report.h"
#include "cli/inputs.h"
#include "cli/json.h"
#include "cli/parallel.h"
#include "cli/verbs.h"
#include "prog/test.h"
#include "read/read.h"

namespace fencepost::cli {
namespace {

enum class Outcome { passed, failed, skipped };

struct RowReport {
  Outcome outcome = Outcome::passed;
  std::string suite, path, model, property;  // as the table or the test spells them
  Status expected = Status::holds;
  std::string found;        // failed: what was found; skipped: why
  bool unreadable = false;  // the file is not there, or is none: that is no verdict
};

const char* word(Status s) {
  switch (s) {
    case Status::holds:
      return "1 (holds)";
    case Status::fails:
      return "0 (fails)";
    default:
      return name(s);
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

// The model with its flags as constraints: what it allows is what raises none.
cat::Model without_flagged(cat::Model m) {
  for (cat::Axiom& a : m.axioms) {
    if (!a.flag) continue;
    a.flag = false;
    a.negated = !a.negated;
  }
  return m;
}

// Asks one question of one test and fills in what came of it. `race_free` asks within the executions that raise no
// flag.
void decide(RowReport& r, const prog::Test& test, const std::string& model_name, const Question& q,
            std::optional<uint32_t> bound, bool race_free, const Settings& s, ModelCache& models) {
  const auto named = may_be_named(model_name);
  const auto known = named ? models.get(model_name, test) : std::unexpected(named.error());
  if (!known) {
    r.outcome = Outcome::failed;
    r.found = brief(known.error());
    return;
  }
  const cat::Model* model = *known;
  check::Options options = check_options(s);
  options.property = q.property;
  options.filter = q.filter;
  if (q.property == check::Property::termination) {
    auto progress = check::parse_progress(q.progress.empty() ? s.progress : q.progress, test.dialect);
    if (!progress) {
      r.outcome = Outcome::failed;
      r.found = brief(progress.error());
      return;
    }
    options.progress = std::move(*progress);
  }
  options.bound = bound.value_or(1);
  options.auto_bound = !bound;
  Job job = job_of(s);
  const Verdict v = check::check(test, race_free ? without_flagged(*model) : *model, options, job).verdict;
  if (v.status == r.expected) return;
  r.outcome = Outcome::failed;
  r.found = word(v.status);
  if (!v.detail.empty()) r.found += ": " + v.detail;
}

RowReport run_row(const ExpectRow& row, const Settings& s, ModelCache& models) {
  RowReport r{Outcome::passed, row.suite, row.path, row.model, row.property, row.expected, ""};
  const auto end = [&](Outcome o, std::string why) {
    r.outcome = o;
    r.found = std::move(why);
    return r;
  };
  const auto question = question_of(row);
  if (!question) return end(Outcome::skipped, fmt::format("property {} is not supported", row.property));
  spirv::LaunchOptions launch;
  launch.published = true;
  if (!s.grid.empty() || !row.grid.empty()) {
    const auto grid = spirv::parse_grid(s.grid.empty() ? row.grid : s.grid);
    if (!grid) return end(Outcome::failed, brief(grid.error()));
    launch.grid = *grid;
  }
  if (!is_below(path_of(s, row.path), s.root))
    return end(Outcome::failed, fmt::format("the row's file lies outside of '{}'", s.root));
  const auto tests = read::parse_file(path_of(s, row.path), launch);
  r.unreadable = !tests && !can_be_read(path_of(s, row.path));
  if (!tests) return end(Outcome::failed, brief(tests.error()));
  if (tests->size() != 1)
    return end(Outcome::failed, fmt::format("the file holds {} tests, and a row is about one", tests->size()));
  const std::string name =
      s.model_dir.empty() ? shipped_name(row.model) : fmt::format("{}/{}.cat", s.model_dir, row.model);
  if (s.model_dir.empty()) r.model = name;
  decide(r, tests->front(), name, *question, bound_of(row), false, s, models);
  return r;
}

// What a .test file says of its tests, under the dialect's default model and its variants.
void run_clauses(std::vector<RowReport>& out, const std::string& path, const std::vector<prog::Test>& tests,
                 const Settings& s, ModelCache& models) {
  for (const prog::Test& test : tests)
    for (const prog::Expectation& e : test.expectations) {
      std::string name = default_model(test);
      if (!e.variant.empty()) name += "-" + e.variant;
      RowReport& r = out.emplace_back(RowReport{Outcome::passed, "", label(path, test, tests.size()), name, e.text,
                                                e.holds ? Status::holds : Status::fails, ""});
      if (e.property.empty()) {
        r.outcome = Outcome::skipped;
        r.found = "clauses about more than consistency and races are not supported";
        continue;
      }
      const Question question{e.property == "races" ? check::Property::races : check::Property::condition, true};
      decide(r, test, name, question, 1, e.property == "race_free", s, models);
    }
}

// What the file PATH says of itself, and what its neighbour of the same name with the ending .expect says of it.
std::vector<RowReport> run_own(const std::string& path, const Settings& s, ModelCache& models) {
  std::vector<RowReport> out;
  const auto fault = [&](const Diagnostics& ds) {
    out.push_back({Outcome::failed, "", path, "", "", Status::holds, brief(ds), !can_be_read(path)});
    return out;
  };
  const auto tests = read::parse_file(path, launch_of(s));
  if (!tests) return fault(tests.error());
  run_clauses(out, path, *tests, s, models);
  const std::string beside = std::filesystem::path(path).replace_extension(".expect").string();
  std::error_code missing;
  if (!std::filesystem::exists(beside, missing)) return out;
  const auto source = read_file(beside);
  if (!source) return fault(source.error());
  const auto rows = read_expect_lines(*source, path);
  if (!rows) return fault(rows.error());
  for (const ExpectRow& row : *rows) {
    RowReport& r =
        out.emplace_back(RowReport{Outcome::passed, "", row.path, row.model, row.property, row.expected, ""});
    if (tests->size() != 1) {
      r.outcome = Outcome::failed;
      r.found = fmt::format("the file holds {} tests, and a line of {} is about one", tests->size(), beside);
    } else {
      const Question question = *question_of(row);
      const bool by_itself = question.property == check::Property::termination;  // as far as it takes
      decide(r, tests->front(), row.model, question, by_itself ? std::nullopt : std::optional(bound_of(row)), false, s,
             models);
    }
  }
  return out;
}

// A folder, or a file whose expectations stand in it or beside it; else the operand is a table.
bool is_own(const std::string& operand) {
  std::error_code failed;
  const auto ends = [&](const std::string& ending) { return operand.ends_with(ending); };
  return std::any_of(program_endings().begin(), program_endings().end(), ends) ||
         std::filesystem::is_directory(operand, failed);
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
      return error_at({}, fmt::format("no row belongs to the suite '{}'", suite),
                      near.empty() ? "" : fmt::format("did you mean '{}'?", near));
    }
  std::erase_if(rows,
                [&](const ExpectRow& r) { return std::find(suites.begin(), suites.end(), r.suite) == suites.end(); });
  return rows;
}

// The names of a table that stand for another one here.
std::map<std::string, std::string> renamed(const std::vector<ExpectRow>& rows, const Settings& s) {
  std::map<std::string, std::string> out;
  if (!s.model_dir.empty()) return out;
  for (const ExpectRow& row : rows)
    if (shipped_name(row.model) != row.model) out[row.model] = shipped_name(row.model);
  return out;
}

}  // namespace

int run_expect(const CommandLine& line, const Console& console) {
  const Settings& s = line.settings;
  const std::string& operand = line.operands.front();
  std::vector<ExpectRow> rows;
  std::vector<std::string> files;
  if (is_own(operand)) {
    auto found = expand({operand});
    if (!found) return refuse_operands(line, s, "", console, found.error());
    files = std::move(*found);
  } else {
    const auto source = read_file(operand);
    if (!source) return refuse_operands(line, s, "", console, source.error());
    auto table = read_expect_table(*source);
    if (!table) return refuse_operands(line, s, "", console, table.error());
    auto selected = select(std::move(*table), s.suites);
    if (!selected) return report_errors(console, selected.error());
    rows = std::move(*selected);
  }

  ModelCache models;
  const size_t work = rows.size() + files.size();
  Progress progress(console, work, rows.empty() ? "files" : "rows");
  size_t passed = 0, failed = 0, skipped = 0, unreadable = 0;
  std::map<std::pair<std::string, std::string>, size_t> skips;  // (suite, reason) -> rows
  std::string mismatches;
  const bool listed = s.format == "sarif" || s.format == "junit";
  std::vector<std::string> list;
  const auto take = [&](const RowReport& r) {
    if (listed)
      list.push_back(fmt::format(
          "{{\"schema\": \"fencepost.expected/1\", \"path\": {}, \"model\": {}, \"property\": {}, \"expected\": {}, "
          "\"outcome\": {}, \"found\": {}}}",
          json_string(r.path), json_string(r.model), json_string(r.property), json_string(name(r.expected)),
          json_string(r.unreadable                    ? "unreadable"
                      : r.outcome == Outcome::passed  ? "passed"
                      : r.outcome == Outcome::skipped ? "skipped"
                                                      : "failed"),
          json_string(r.found)));
    switch (r.outcome) {
      case Outcome::passed:
        ++passed;
        return;
      case Outcome::skipped:
        ++skipped;
        ++skips[{r.suite, r.found}];
        return;
      case Outcome::failed:
        ++failed;
        break;
    }
    if (s.json) {
      mismatches += fmt::format(
          "{}\n    {{\"suite\": {}, \"path\": {}, \"model\": {}, \"property\": {}, \"expected\": {}, \"found\": {}}}",
          mismatches.empty() ? "" : ",", json_string(r.suite), json_string(r.path), json_string(r.model),
          json_string(r.property), json_string(name(r.expected)), json_string(r.found));
      return;
    }
    progress.clear();
    if (r.model.empty()) {  // the file as a whole: what was found begins with its name
      console.out(r.found + "\n");
      return;
    }
    console.out(fmt::format("{}{}{} ({}, {}): expected {}, found {}\n", r.suite, r.suite.empty() ? "" : " ", r.path,
                            r.model, r.property, word(r.expected), r.found));
  };
  in_order(
      work, s.threads, progress,
      [&](size_t i) {
        return i < rows.size() ? std::vector{run_row(rows[i], s, models)} : run_own(files[i - rows.size()], s, models);
      },
      [&](size_t, const std::vector<RowReport>& reports) {
        for (const RowReport& r : reports) {
          unreadable += r.unreadable ? 1 : 0;
          take(r);
        }
      });
  progress.clear();
  const int code = unreadable > 0 ? k_exit_bad_input
                   : failed > 0   ? k_exit_fails
                   : passed == 0  ? k_exit_undecided  // nothing decided is no success
                                  : k_exit_holds;
  if (s.format == "sarif") {
    console.out(sarif_of("expect", list, code));
  } else if (s.format == "junit") {
    console.out(junit_of("expect", list));
  } else if (s.json) {
    std::string skip_list;
    for (const auto& [key, count] : skips)
      skip_list += fmt::format("{}\n    {{\"suite\": {}, \"reason\": {}, \"rows\": {}}}", skip_list.empty() ? "" : ",",
                               json_string(key.first), json_string(key.second), count);
    console.out(fmt::format(
        "{{\n  \"schema\": \"fencepost.expect/1\",\n  \"passed\": {},\n  \"failed\": {},\n  \"skipped\": {},\n"
        "  \"mismatches\": [{}],\n  \"skips\": [{}]\n}}\n",
        passed, failed, skipped, mismatches, skip_list));
  } else {
    for (const auto& [theirs, ours] : renamed(rows, s))
      console.out(fmt::format("The table's {} is judged by {}.\n", theirs, ours));
    for (const auto& [key, count] : skips)
      console.out(fmt::format("SKIPPED {} row{} of {}: {}\n", count, count == 1 ? "" : "s",
                              key.first.empty() ? "the table" : key.first, key.second));
    console.out(fmt::format("{} passed, {} failed{}\n", passed, failed,
                            skipped > 0 ? fmt::format(", {} skipped", skipped) : ""));
  }
  return code;
}

}  // namespace fencepost::cli

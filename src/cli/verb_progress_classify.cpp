// Progress tests held against several models at once: classify, compare, expect.
#include <fmt/format.h>

#include "base/read_file.h"
#include "classify/classify.h"
#include "cli/json.h"
#include "cli/progress_inputs.h"
#include "cli/verbs.h"
#include "synth/synth.h"

namespace fencepost::cli {
namespace {

constexpr size_t k_separating = 5;  // as many tests as a person wants to see

// "obe", "obe:strong", "my.progress:weak"
Expected<classify::Side> side_of(const std::string& operand) {
  std::string name = operand;
  oracle::Fairness fairness = oracle::Fairness::weak;
  if (const size_t colon = operand.rfind(':'); colon != std::string::npos) {
    const std::string word = operand.substr(colon + 1);
    if (word != "weak" && word != "strong")
      return error_at({}, fmt::format("'{}' in '{}' is not a fairness", word, operand),
                      fmt::format("{0}:weak or {0}:strong", operand.substr(0, colon)));
    fairness = word == "strong" ? oracle::Fairness::strong : oracle::Fairness::weak;
    name = operand.substr(0, colon);
  }
  auto model = fair::load_model(name);
  if (!model) return std::unexpected(model.error());
  return classify::Side{std::move(*model), fairness};
}

std::string title(const classify::Side& s) { return fmt::format("{} {}", s.model.name(), oracle::name(s.fairness)); }

// All tests of two and three threads with that many instructions.
Expected<std::vector<axb::Test>> tests_with(uint32_t instructions, Job& job) {
  std::vector<axb::Test> tests;
  for (uint32_t threads = 2; threads <= 3 && threads <= instructions; ++threads) {
    synth::Request request;
    request.threads = threads;
    request.instructions = instructions;
    const auto summary = synth::synthesise(request, {}, job, [&](const synth::Found& f) { tests.push_back(f.test); });
    if (!summary) return std::unexpected(summary.error());
  }
  return tests;
}

}  // namespace

int run_progress_classify(const CommandLine& line, const Console& console) {
  const Settings& s = line.settings;
  const auto named = progress_tests(line.operands);
  if (!named) return report_errors(console, named.error());
  const auto models = progress_models(s.progress_models);
  if (!models) return report_errors(console, models.error());
  std::vector<axb::Test> tests;
  uint32_t threads = 2;
  for (const NamedTest& t : *named) {
    tests.push_back(t.test);
    if (tests.back().name.empty()) tests.back().name = t.label;
    threads = std::max(threads, static_cast<uint32_t>(t.test.threads.size()));
  }
  const auto suite = classify::decide_all(tests, *models);
  if (!suite) return report_errors(console, suite.error());
  if (s.csv && !s.json) {
    console.out(classify::to_csv(*suite));
    return k_exit_holds;
  }
  const auto order = classify::order_of(*models, std::min(threads, classify::k_order_threads));
  if (!order) return report_errors(console, order.error());
  std::string text, json;
  for (const classify::Rule rule : {classify::Rule::literal, classify::Rule::strict, classify::Rule::script}) {
    if (s.rule != "all" && s.rule != classify::name(rule)) continue;
    const auto table = classify::classify(*suite, *order, rule);
    if (!table) {
      // With models of one's own the script's order means nothing.
      if (s.rule == "all" && rule == classify::Rule::script) continue;
      return report_errors(console, table.error());
    }
    text += (text.empty() ? "" : "\n") + classify::to_text(*table);
    std::string one = classify::to_json(*table);
    while (!one.empty() && one.back() == '\n') one.pop_back();
    json += (json.empty() ? "" : ",\n") + one;
  }
  if (s.json) {
    std::string verdicts = classify::to_json(*suite);
    while (!verdicts.empty() && verdicts.back() == '\n') verdicts.pop_back();
    console.out(fmt::format("{{\"schema\": \"fencepost.progress.classify/1\",\n\"suite\": {},\n\"tables\": [{}]}}\n",
                            verdicts, json));
  } else {
    console.out(classify::to_text(*suite) + "\n" + text);
  }
  return k_exit_holds;
}

int run_progress_compare(const CommandLine& line, const Console& console) {
  const Settings& s = line.settings;
  const auto a = side_of(line.operands[0]);
  if (!a) return report_errors(console, a.error());
  const auto b = side_of(line.operands[1]);
  if (!b) return report_errors(console, b.error());
  std::vector<classify::Difference> found;
  std::string where;
  Job job = job_of(s);
  if (!s.tests.empty()) {
    const auto named = progress_tests({s.tests});
    if (!named) return report_errors(console, named.error());
    std::vector<axb::Test> tests;
    for (const NamedTest& t : *named) tests.push_back(t.test);
    auto differences = classify::compare(*a, *b, tests, k_separating);
    if (!differences) return report_errors(console, differences.error());
    found = std::move(*differences);
    where = fmt::format("{} tests", tests.size());
  } else {
    where = fmt::format("all tests of 2 and 3 threads with up to {} instructions", s.instructions);
    for (uint32_t n = 2; n <= s.instructions && found.empty(); ++n) {
      const auto tests = tests_with(n, job);
      if (!tests) return report_errors(console, tests.error());
      auto differences = classify::compare(*a, *b, *tests, k_separating);
      if (!differences) return report_errors(console, differences.error());
      found = std::move(*differences);
    }
  }
  if (s.json) {
    std::string list;
    for (const auto& d : found)
      list += fmt::format("{}\n    {{\"test\": {}, \"a\": {}, \"b\": {}, \"states\": {}, \"actions\": {}}}",
                          list.empty() ? "" : ",", axb::to_json_line(d.test), d.a ? "\"PASS\"" : "\"FAIL\"",
                          d.b ? "\"PASS\"" : "\"FAIL\"", d.size.states, d.size.actions);
    console.out(
        fmt::format("{{\n  \"schema\": \"fencepost.progress.compare/1\",\n  \"a\": {}, \"b\": {},\n  \"looked_at\": "
                    "{},\n  \"tests\": [{}]\n}}\n",
                    json_string(title(*a)), json_string(title(*b)), json_string(where), list));
  } else if (found.empty()) {
    console.out(fmt::format("{} and {} agree on {}\n", title(*a), title(*b), where));
  } else {
    for (const auto& d : found)
      console.out(fmt::format("// {}: {}; {}: {}\n{}\n", title(*a), d.a ? "ends" : "may starve", title(*b),
                              d.b ? "ends" : "may starve", axb::to_text(d.test)));
  }
  return found.empty() ? k_exit_holds : k_exit_fails;
}

int run_progress_expect(const CommandLine& line, const Console& console) {
  const Settings& s = line.settings;
  if (s.tests.empty())
    return report_errors(console,
                         error_at({}, "the tests that the table speaks of are missing", "--tests FILE").error());
  const auto source = read_file(line.operands.front());
  if (!source) return report_errors(console, source.error());
  auto rows = classify::parse_expectations(*source);
  if (!rows) return report_errors(console, rows.error());
  if (s.fairness != "both")
    std::erase_if(*rows, [&](const classify::Row& r) { return s.fairness != oracle::name(r.fairness); });
  const auto named = progress_tests({s.tests});
  if (!named) return report_errors(console, named.error());
  std::vector<axb::Test> tests;
  for (const NamedTest& t : *named) tests.push_back(t.test);
  const auto agreement = classify::expect(*rows, tests);
  if (!agreement) return report_errors(console, agreement.error());
  if (s.json) {
    std::string list;
    for (const classify::Row& r : agreement->mismatches)
      list += fmt::format(
          "{}\n    {{\"test\": {}, \"model\": {}, \"fairness\": \"{}\", \"expected\": \"{}\", \"found\": \"{}\"}}",
          list.empty() ? "" : ",", json_string(r.test), json_string(r.model), oracle::name(r.fairness),
          r.passes ? "PASS" : "FAIL", r.passes ? "FAIL" : "PASS");
    console.out(
        fmt::format("{{\n  \"schema\": \"fencepost.progress.expect/1\",\n  \"passed\": {}, \"failed\": {},\n  "
                    "\"mismatches\": [{}]\n}}\n",
                    agreement->passed, agreement->failed, list));
  } else {
    for (const classify::Row& r : agreement->mismatches)
      console.out(fmt::format("{}  {} {}: expected {}, found {}\n", r.test, r.model, oracle::name(r.fairness),
                              r.passes ? "PASS" : "FAIL", r.passes ? "FAIL" : "PASS"));
    console.out(fmt::format("{} passed, {} failed\n", agreement->passed, agreement->failed));
  }
  return agreement->failed > 0 ? k_exit_fails : agreement->passed > 0 ? k_exit_holds : k_exit_undecided;
}

}  // namespace fencepost::cli

#include "cli/planned_tests.h"

#include <fmt/format.h>

#include "cli/one_test.h"
#include "cli/output.h"
#include "cli/parallel.h"
#include "cli/verbs.h"
#include "judge/judge.h"

namespace fencepost::cli {

Expected<std::vector<prog::Test>> own_tests(const campaign::Plan& plan) {
  std::vector<std::string> files;
  for (const std::string& pattern : plan.tests) {
    const auto found = campaign::files_of(pattern);
    if (!found) return std::unexpected(found.error());
    const auto expanded = expand(*found, {".litmus", ".test"});
    if (!expanded) return std::unexpected(expanded.error());
    // A plan may name any file, and what is wrong with a test is said with its line.
    for (const std::string& file : *expanded)
      if (!file.ends_with(".litmus") && !file.ends_with(".test"))
        return error_at({}, fmt::format("the plan names '{}' as a test", file), "tests are *.litmus and *.test files");
    files.insert(files.end(), expanded->begin(), expanded->end());
  }
  std::vector<prog::Test> tests;
  for (const std::string& f : files) {
    auto some = tests_of(f);
    if (!some) return std::unexpected(some.error());
    for (prog::Test& t : *some) tests.push_back(std::move(t));
  }
  return tests;
}

namespace {

// Appends the weakenings of the tests that the model forbids.
Expected<void> weaken(std::vector<prog::Test>& tests, const campaign::Plan& plan, ModelCache& models,
                      const Console& console) {
  Progress bar(console, tests.size(), "deciding tests");
  const size_t own = tests.size();
  for (size_t i = 0; i < own; ++i) {
    const auto model = models.get(plan.model, tests[i]);
    if (!model) return std::unexpected(model.error());
    if (tests[i].quantifier != prog::Quantifier::none) {
      Job job = Job::with_budget(20);
      if (judge::Oracle(tests[i], **model, {}, job).condition() == judge::Allowed::no)
        for (judge::Weakening& w : judge::one_step_weakenings(tests[i])) tests.push_back(std::move(w.test));
    }
    bar.at(i + 1);
  }
  return {};
}

}  // namespace

Expected<std::vector<prog::Test>> planned_tests(const campaign::Plan& plan, ModelCache& models,
                                                const Console& console) {
  if (!plan.model.empty())
    if (const auto named = may_be_named(plan.model); !named) return std::unexpected(named.error());
  auto tests = own_tests(plan);
  if (!tests) return tests;
  if (plan.weakenings)
    if (const auto ok = weaken(*tests, plan, models, console); !ok) return std::unexpected(ok.error());
  std::vector<std::string> titles;
  for (const prog::Test& t : *tests) titles.push_back(t.title);
  const auto left = campaign::left_out(plan, titles);
  if (!left) return std::unexpected(left.error());
  for (const std::string& title : *left)
    warn(console, fmt::format("no configuration of the plan takes the test '{}'", title));
  return tests;
}

}  // namespace fencepost::cli

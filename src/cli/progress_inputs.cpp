#include "cli/progress_inputs.h"

#include <fmt/format.h>

#include "axb/translate.h"
#include "base/printable.h"
#include "cli/inputs.h"
#include "prog/test.h"
#include "read/read.h"

namespace fencepost::cli {

namespace {

// Litmus files whose threads are nothing but atomic exchanges, loads with a comparison, and jumps.
Expected<std::vector<axb::Test>> from_litmus(const std::string& path) {
  const auto tests = read::parse_file(path);
  if (!tests) return std::unexpected(tests.error());
  std::vector<axb::Test> out;
  for (const prog::Test& t : *tests) {
    auto test = axb::from_prog(t);
    if (!test) return std::unexpected(test.error());
    out.push_back(std::move(*test));
  }
  return out;
}

}  // namespace

Expected<std::vector<NamedTest>> progress_tests_of(const std::string& path) {
  auto tests = path.ends_with(".litmus") ? from_litmus(path) : axb::parse_file(path);
  if (!tests) return std::unexpected(tests.error());
  std::vector<NamedTest> out;
  for (size_t i = 0; i < tests->size(); ++i) {
    axb::Test& t = (*tests)[i];
    const std::string own = t.name.empty() ? std::to_string(i) : t.name;
    out.push_back({printable_name(tests->size() == 1 ? path : fmt::format("{}#{}", path, own)), std::move(t)});
  }
  return out;
}

Expected<std::vector<NamedTest>> progress_tests(const std::vector<std::string>& operands) {
  const auto files = expand(operands, {".axb"});
  if (!files) return std::unexpected(files.error());
  std::vector<NamedTest> out;
  for (const std::string& path : *files) {
    auto tests = progress_tests_of(path);
    if (!tests) return std::unexpected(tests.error());
    for (NamedTest& t : *tests) out.push_back(std::move(t));
  }
  return out;
}

Expected<std::vector<fair::Model>> progress_models(const std::vector<std::string>& names) {
  std::vector<std::string> wanted = names;
  if (wanted.empty())
    for (const fair::ModelInfo& m : fair::shipped_models()) wanted.push_back(m.name);
  if (wanted.empty())
    return error_at({}, "no progress model is installed", "set FENCEPOST_MODELS to the folder models");
  std::vector<fair::Model> out;
  for (const std::string& name : wanted) {
    auto model = fair::load_model(name);
    if (!model) return std::unexpected(model.error());
    out.push_back(std::move(*model));
  }
  return out;
}

std::vector<oracle::Fairness> fairnesses(const std::string& word) {
  if (word == "weak") return {oracle::Fairness::weak};
  if (word == "strong") return {oracle::Fairness::strong};
  return {oracle::Fairness::weak, oracle::Fairness::strong};
}

}  // namespace fencepost::cli

#include "cli/progress_inputs.h"

#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <iterator>

#include "axb/translate.h"
#include "cli/inputs.h"
#include "front/litmus.h"

namespace fencepost::cli {

namespace {

// Litmus files whose threads are nothing but atomic exchanges, loads with a comparison, and jumps.
Expected<std::vector<axb::Test>> from_litmus(const std::string& path) {
  const auto tests = front::parse_file(path);
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
    out.push_back({tests->size() == 1 ? path : fmt::format("{}#{}", path, own), std::move(t)});
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
  if (wanted.empty()) return error_at({}, "no progress model is installed", "set FENCEPOST_MODELS to the folder models");
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

Expected<SourcePtr> read_source(const std::string& path) {
  if (path == "-") return make_source("-", std::string(std::istreambuf_iterator<char>(std::cin), {}));
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file || file.bad()) return error_at({}, fmt::format("'{}' cannot be read", path), "check the path and its permissions");
  return make_source(path, std::move(text));
}

Expected<void> write_text(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) return error_at({}, fmt::format("'{}' cannot be written", path), "is its folder there, and is there room?");
  return {};
}

}  // namespace fencepost::cli

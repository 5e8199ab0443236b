// The shipped models, and the linter over models.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/models_folder.h"
#include "cat/library.h"
#include "cli/json.h"
#include "cli/verbs.h"

namespace fencepost::cli {
namespace {

// A model whose file names no dialect is for every dialect: its relations are common to all.
std::string dialect_of(const cat::ModelInfo& m) {
  const auto as = [&](vocab::Dialect d) { return cat::options_for(m.path, d).dialect; };
  return as(vocab::Dialect::ptx) != as(vocab::Dialect::vulkan) ? "any" : vocab::name(m.dialect);
}

}  // namespace

int run_models(const CommandLine& line, const Console& console) {
  const auto models = cat::shipped_models();
  if (line.settings.json) {
    std::string list;
    for (const cat::ModelInfo& m : models)
      list += fmt::format("{}\n    {{\"name\": {}, \"dialect\": {}, \"path\": {}, \"summary\": {}}}",
                          list.empty() ? "" : ",", json_string(m.name), json_string(dialect_of(m)), json_string(m.path),
                          json_string(m.summary));
    console.out(fmt::format("{{\n  \"schema\": \"fencepost.models/1\",\n  \"models\": [{}]\n}}\n", list));
    return k_exit_holds;
  }
  size_t width = 0;
  for (const cat::ModelInfo& m : models) width = std::max(width, m.name.size());
  for (const cat::ModelInfo& m : models) {
    std::string marks;
    for (const auto d : {vocab::Dialect::ptx, vocab::Dialect::vulkan, vocab::Dialect::opencl})
      if (cat::default_model(d) == m.name) marks = fmt::format(" (default for {})", vocab::name(d));
    console.out(fmt::format("{:<{}}  {:<6}  {}{}\n", m.name, width, dialect_of(m), m.summary, marks));
  }
  console.out(fmt::format("files: {}", models_folder()));
  // As installed, or in the source tree.
  for (const char* place : {"../../doc/fencepost/examples", "../examples"})
    if (std::error_code none; std::filesystem::is_directory(std::filesystem::path(models_folder()) / place, none)) {
      const auto examples = std::filesystem::path(models_folder()) / place;
      console.out(fmt::format("; examples: {}", examples.lexically_normal().string()));
      break;
    }
  console.out("\n");
  return models.empty() ? k_exit_bad_input : k_exit_holds;
}

int run_lint_model(const CommandLine& line, const Console& console) {
  int code = k_exit_holds;
  std::string json;
  for (const std::string& name : line.operands) {
    const auto path = cat::find_model(name);
    if (!path) {
      code = worse(code, report_errors(console, path.error()));
      continue;
    }
    const auto options = cat::options_for(*path, line.settings.dialect.value_or(vocab::Dialect::ptx));
    for (const cat::LintFinding& f : cat::lint(*path, options)) {
      const bool error = f.diagnostic.severity == Severity::error;
      if (f.diagnostic.severity != Severity::note) code = worse(code, error ? k_exit_bad_input : k_exit_fails);
      if (line.settings.json)
        json += fmt::format(
            "{}\n    {{\"rule\": {}, \"severity\": \"{}\", \"location\": {}, \"message\": {}, \"hint\": {}}}",
            json.empty() ? "" : ",", json_string(f.rule),
            error                                        ? "error"
            : f.diagnostic.severity == Severity::warning ? "warning"
                                                         : "note",
            json_string(f.diagnostic.span.location()), json_string(f.diagnostic.message),
            json_string(f.diagnostic.hint));
      else
        console.out(render(f.diagnostic));
    }
  }
  if (line.settings.json)
    console.out(fmt::format("{{\n  \"schema\": \"fencepost.lint/1\",\n  \"findings\": [{}]\n}}\n", json));
  return code;
}

}  // namespace fencepost::cli

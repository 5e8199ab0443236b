#include "cli/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/folder.h"
#include "base/printable.h"
#include "base/read_file.h"
#include "cat/lanes.h"
#include "cat/library.h"
#include "check/check.h"
#include "cli/file_kind.h"
#include "prog/cuda_cpp.h"
#include "prog/lanes.h"
#include "prog/syntax.h"
#include "prog/test.h"

namespace fencepost::cli {
namespace fs = std::filesystem;

Expected<std::vector<std::string>> expand(const std::vector<std::string>& operands,
                                          const std::vector<std::string>& endings) {
  const std::string kinds = "*" + fmt::format("{}", fmt::join(endings, ", *"));
  std::vector<std::string> out;
  for (const std::string& operand : operands) {
    if (operand == "-") {
      out.push_back(operand);
      continue;
    }
    std::error_code failed;
    const fs::file_status status = fs::status(operand, failed);
    if (!fs::exists(status))
      return error_at({}, fmt::format("there is no file or folder '{}'", operand),
                      fmt::format("tests are {} files", kinds));
    if (!fs::is_directory(status)) {
      out.push_back(operand);
      continue;
    }
    const auto found = files_below(operand, endings);
    if (!found) return std::unexpected(found.error());
    if (found->empty())
      return error_at({}, fmt::format("the folder '{}' holds no tests", operand),
                      fmt::format("tests are {} files", kinds));
    out.insert(out.end(), found->begin(), found->end());
  }
  return out;
}

spirv::LaunchOptions launch_of(const Settings& s) {
  spirv::LaunchOptions launch;
  if (!s.grid.empty()) launch.grid = *spirv::parse_grid(s.grid);  // checked when it was stored
  launch.inputs = s.inputs;
  launch.condition = s.condition;
  launch.filter = s.filter;
  launch.entry = s.entry;
  for (const std::string& d : s.defines) launch.preprocessor.push_back("-D" + d);
  launch.spurious = !s.no_spurious_failures;
  return launch;
}

Expected<std::optional<check::BoundsFile>> bounds_file(const Settings& s) {
  if (s.bounds.empty()) return std::nullopt;
  auto source = read_file(s.bounds);
  if (!source) return std::unexpected(source.error());
  auto file = check::parse_bounds(*source);
  if (!file) return std::unexpected(file.error());
  return std::move(*file);
}

Expected<void> take_bounds(check::Options& options, const std::optional<check::BoundsFile>& file,
                           const std::string& path, const prog::Test& test) {
  if (!file) return {};
  auto bounds = check::bounds_for(*file, check::program_name(path, test), test, options.bound.all);
  if (!bounds) return std::unexpected(bounds.error());
  options.bound = std::move(*bounds);
  options.reduce = true;
  return {};
}

std::string label(const std::string& path, const prog::Test& test, size_t count) {
  return printable_name(count > 1 ? fmt::format("{}#{}", path, test.title) : path);
}

Expected<void> may_be_named(const std::string& model) {
  const auto path = cat::find_model(model);
  if (!path) return std::unexpected(path.error());
  std::error_code failed;
  if (fs::weakly_canonical(*path, failed).extension() == ".cat" && !failed) return {};
  return error_at({}, fmt::format("'{}' is not a model", model), "an input may name a shipped model, or a *.cat file");
}

std::string default_model(const prog::Test& test) {
  if (test.syntax == prog::Syntax::cuda || prog::is_cuda_cpp(test)) return "cuda";
  if (prog::host_thread(test) != nullptr) return "ptx-8-x86";
  if (prog::needs_ptx9(test) != nullptr) return "ptx-9";
  return test.dialect == vocab::Dialect::ptx && prog::has_clusters(test) ? "ptx-8" : cat::default_model(test.dialect);
}

Expected<const cat::Model*> ModelCache::get(const std::string& name, const prog::Test& test) {
  const std::string chosen = name.empty() ? default_model(test) : name;
  const auto& model = get(chosen, test.dialect);
  if (!model) return std::unexpected(model.error());
  if (const auto ok = check::fits(test, *model); !ok) return std::unexpected(ok.error());
  if (!prog::has_lanes(test)) return &*model;
  Entry* entry = nullptr;
  {
    const std::lock_guard lock(mutex_);
    entry = &entries_[{chosen + ", lanes", test.dialect}];
  }
  std::call_once(entry->once, [&] { entry->model = std::make_unique<Expected<cat::Model>>(cat::with_lanes(*model)); });
  return &**entry->model;
}

namespace {

// A set of events that no program of the dialect has is empty, and so is what is made of it: an axiom that names it by
// mistake forbids nothing, in silence.
Expected<void> names_fit(const std::string& name, vocab::Dialect d) {
  const auto path = cat::find_model(name);
  if (!path) return {};
  for (const cat::LintFinding& f : cat::lint(*path, cat::options_for(*path, d)))
    if (f.rule == "dialect") {
      Diagnostic error = f.diagnostic;
      error.severity = Severity::error;
      return std::unexpected(Diagnostics(std::move(error)));
    }
  return {};
}

}  // namespace

const Expected<cat::Model>& ModelCache::get(const std::string& name, vocab::Dialect d) {
  Entry* entry = nullptr;
  {
    const std::lock_guard lock(mutex_);
    entry = &entries_[{name, d}];  // nodes of a map stay where they are
  }
  std::call_once(entry->once, [&] {
    // "--model MP.litmus": one error, and not those of its text read as a model. Nothing is opened for a shipped name,
    // such as ptx-7.5: a confined process may not look for it.
    const auto& endings = program_endings();
    const bool program = std::ranges::any_of(endings, [&](const std::string& e) { return name.ends_with(e); });
    const FileKind kind = program ? kind_of_file(name) : FileKind::unknown;
    if (kind != FileKind::unknown && kind != FileKind::model) {
      entry->model = std::make_unique<Expected<cat::Model>>(
          error_at({}, fmt::format("'{}' is {}, and no model", printable_name(name), fencepost::cli::name(kind)),
                   "a model is a name that 'fencepost models' lists, or a .cat file"));
      return;
    }
    bool as_shipped = false;
    auto model = cat::load_model(name.empty() ? cat::default_model(d) : name, d, &as_shipped);
    if (model && model->dialect != d)
      model = error_at({},
                       fmt::format("the model '{}' is made for {}, and this test is in {}", name,
                                   vocab::name(model->dialect), vocab::name(d)),
                       fmt::format("--model {} fits", cat::default_model(d)));
    if (model && !name.empty() && !as_shipped)
      if (const auto ok = names_fit(name, d); !ok) model = std::unexpected(ok.error());
    entry->model = std::make_unique<Expected<cat::Model>>(std::move(model));
  });
  return *entry->model;
}

}  // namespace fencepost::cli

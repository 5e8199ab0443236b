#include "cli/untrusted.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <utility>

#include "base/child.h"
#include "base/kernel_library.h"
#include "base/models_folder.h"
#include "base/printable.h"
#include "certify/certify.h"
#include "cli/certificate.h"
#include "cli/option_rows.h"

namespace fencepost::cli {
namespace {

namespace fs = std::filesystem;

// Names that are no paths ("ptx-7.5") open nothing; a path that is not there is said to be missing by who opens it.
bool names_a_file(const std::string& word) {
  struct stat s{};
  return word.contains('/') || ::lstat(word.c_str(), &s) == 0;
}

// The folder of a file, the folder itself: as it is named, since a link in it may be the input's own.
std::string folder_of(const std::string& path) {
  std::error_code ignored;
  if (fs::is_directory(fs::symlink_status(path, ignored)) || (path.ends_with('/') && fs::is_directory(path, ignored)))
    return path;
  const std::string parent = fs::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

// Whether clang may have to read it, in the kernel verifier's library; a folder may hold such files.
bool may_be_a_kernel(const std::string& path) {
  static constexpr const char* k_others[] = {".litmus", ".axb", ".comp", ".glsl", ".ptx", ".spvasm", ".spv",     ".cat",
                                             ".csv",    ".tsv", ".json", ".log",  ".db",  ".map",    ".progress"};
  const std::string ending = fs::path(path).extension().string();
  return names_a_file(path) &&
         std::none_of(std::begin(k_others), std::end(k_others), [&](const char* other) { return ending == other; });
}

// Paths among the values of options.
std::vector<std::string> named_inputs(const CommandLine& line) {
  const Settings& s = line.settings;
  std::vector<std::string> out = line.operands;
  for (const auto& [option, value] :
       {std::pair("--model", &s.model), std::pair("--to-model", &s.to_model), std::pair("--bounds", &s.bounds),
        std::pair("--root", &s.root), std::pair("--model-dir", &s.model_dir), std::pair("--progress", &s.progress),
        std::pair("--tests", &s.tests), std::pair("--parameters", &s.parameters), std::pair("--resume", &s.resume)})
    if (s.has(option)) out.push_back(*value);
  for (const auto* values : {&s.progress_models, &s.mappings, &s.separating})
    out.insert(out.end(), values->begin(), values->end());
  return out;
}

}  // namespace

const char* never_untrusted(Verb v) {
  switch (v) {
    case Verb::run:
    case Verb::devices:
    case Verb::campaign:
    case Verb::certify:
    case Verb::tune:
    case Verb::progress_run:
      return "it runs devices and compilers";
    case Verb::hunt:
    case Verb::hunt_report:
      return "it runs compilers and reads a store that it writes";
    case Verb::merge:
      return "it writes a store";
    case Verb::audit:
      return "it keeps a cache, and asks many questions in processes of their own; ask check and prove";
    case Verb::progress_synth:
    case Verb::models:
    case Verb::progress_models:
    case Verb::help_markdown:
      return "it reads no input";
    case Verb::serve:
      return "it reads questions; give --untrusted in each question's arguments";
    default:
      return "";
  }
}

bool asks_untrusted(const std::string& word) {
  return word.size() > 2 && std::string_view("--untrusted").starts_with(word);
}

Expected<void> check_untrusted(const CommandLine& line) {
  const Settings& s = line.settings;
  if (const std::string why = never_untrusted(line.verb); !why.empty())
    return error_at({}, fmt::format("'{}' is not asked with --untrusted: {}", info(line.verb).name, why),
                    "docs/untrusted.md lists the verbs that are");
  if (s.total_budget > 0)
    return error_at({}, "--total-budget and --untrusted contradict each other",
                    "--budget is of the whole command there");
  if (s.memory == "none")
    return error_at({}, "--memory none and --untrusted contradict each other", "give a size, as --memory 2G");
  // The last, since an older certificate is removed here: the process that asks cannot look into the folder.
  if (line.verb == Verb::check && s.has("--certificate")) {
    for (const std::string& path : line.operands)
      if (const auto ok = begin_certificate(s, path); !ok) return ok;
    if (const auto ok = certify::may_be_written(s.output); !ok) return ok;
  }
  return {};
}

Expected<Confinement> confinement_of(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
                                     const std::vector<std::string>& toolkits, const Limits& limits, bool kernels) {
  Confinement c;
  c.limits = limits;
  if (c.limits.seconds <= 0) c.limits.seconds = k_untrusted_seconds;
  std::error_code ignored;
  for (const std::string& path : inputs) {
    if (path == "-") c.standard_input = true;
    if (path == "-" || path.empty() || !names_a_file(path)) continue;
    const std::string folder = folder_of(path);
    if (fs::weakly_canonical(fs::absolute(folder, ignored), ignored) == "/")
      return error_at({}, fmt::format("--untrusted: the folder of {} is all of the file system", printable_name(path)),
                      "put the input into a folder of its own");
    c.rules.read.push_back(folder);
  }
  const std::string models = models_folder();
  c.rules.bundled = toolkits;
  c.rules.bundled.push_back(models);
  for (const std::string& path : outputs)
    if (!path.empty() && path != "-") c.rules.write.push_back(path);
  // SQLite, the zone of the clock, and what clang looks for that is in memory or beside its own headers.
  c.rules.own = {"/dev/urandom", "/etc/localtime", "/usr/share/zoneinfo", "/fencepost-headers", "opencl-c-base.h"};
  if (kernels)  // opened here, so that the worker has it; where it is absent, who needs it says so
    if (const auto opened = kernel_library())
      if (const auto headers = reinterpret_cast<const char* (*)()>(kernel_function(*opened, "fencepost_kern_headers")))
        c.rules.bundled.emplace_back(headers());
  c.before = [models] {
    start_no_programs();
    ::tzset();
    // What is looked up by paths that cannot be opened later. Nothing else of the environment is the input's to see.
    std::vector<std::pair<std::string, std::string>> kept = {{"FENCEPOST_MODELS", models}};
    for (const char* name : {"TZ", "SOURCE_DATE_EPOCH"})
      if (const char* value = std::getenv(name); value != nullptr) kept.emplace_back(name, value);
    ::clearenv();
    for (const auto& [name, value] : kept) ::setenv(name.c_str(), value.c_str(), 1);
  };
  return c;
}

Expected<Confinement> confinement_of(const CommandLine& line) {
  const std::vector<std::string> inputs = named_inputs(line);
  const Settings& s = line.settings;
  return confinement_of(inputs, {s.witness, s.save_bounds, s.output}, {}, limits_of(s),
                        std::any_of(inputs.begin(), inputs.end(), may_be_a_kernel));
}

}  // namespace fencepost::cli

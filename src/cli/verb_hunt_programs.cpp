#include <fmt/format.h>

#include <algorithm>

#include "base/job.h"
#include "cli/inputs.h"
#include "cli/json.h"
#include "cli/output.h"
#include "cli/parallel.h"
#include "cli/verbs.h"
#include "hunt/ledger.h"
#include "translation/conduct.h"
#include "translation/draw_programs.h"
#include "translation/show.h"

namespace fencepost::cli {
namespace {

constexpr double k_seconds = 20;          // for one program
constexpr double k_time_to_reduce = 120;  // beyond the budget: a fault that was found is shown

bool is_architecture(const std::string& target) {
  return target.starts_with("sm_") && target.size() >= 5 &&
         target.substr(3).find_first_not_of("0123456789af") == std::string::npos;
}

// The names of --compiler that a language has, the first of which is the default.
std::vector<std::string> compilers_for(const std::string& language) {
  if (language == "cuda") return {"nvcc", "clang"};
  return {language == "llvm" ? "llc" : "clang"};
}

Expected<std::vector<translation::Compiler>> compilers_of(const Settings& s) {
  const std::vector<std::string> names = compilers_for(s.hunt_language);
  std::vector<std::string> words = s.compilers;
  if (words.empty()) words = {names.front() + "=" + names.front()};
  std::vector<translation::Compiler> out;
  for (std::string w : words) {
    if (std::ranges::none_of(names, [&](const std::string& n) { return w.starts_with(n + "="); }))
      return error_at({}, fmt::format("--compiler '{}' is none for --language {}", w, s.hunt_language),
                      names.size() > 1 ? "nvcc=PATH or clang=PATH" : names.front() + "=PATH");
    if (s.hunt_language == "opencl") w = "opencl" + w.substr(5);
    auto one = translation::open_compiler(w, s.cuda_path, s.translator);
    if (!one) return std::unexpected(one.error());
    if (std::ranges::any_of(out, [&](const translation::Compiler& c) {
          return c.version == one->version && c.language == one->language;
        }))
      return error_at({}, fmt::format("two compilers have the version {}", one->version), "give each once");
    out.push_back(std::move(*one));
  }
  return out;
}

Expected<std::vector<translation::Configuration>> configurations_of(const Settings& s) {
  const bool spirv = s.hunt_language == "opencl";
  if (spirv && !s.hunt_targets.empty())
    return error_at({}, "--targets is not for --language opencl", "OpenCL C is compiled to SPIR-V");
  const auto compilers = compilers_of(s);
  if (!compilers) return std::unexpected(compilers.error());
  std::vector<std::string> targets = s.hunt_targets;
  if (targets.empty()) targets = {spirv ? "spirv64" : "sm_90"};
  const std::vector<std::string> levels = s.levels.empty() ? std::vector<std::string>{"3"} : s.levels;
  std::vector<translation::Configuration> out;
  for (const translation::Compiler& c : *compilers)
    for (const std::string& target : targets) {
      if (!spirv && !is_architecture(target))
        return error_at({}, fmt::format("--targets '{}' is not an architecture", target), "for example sm_90");
      for (const std::string& level : levels) {
        if (level.size() != 1 || level[0] < '0' || level[0] > '3')
          return error_at({}, fmt::format("--levels '{}' is not a level from 0 to 3", level));
        out.push_back({c, target, static_cast<uint32_t>(level[0] - '0')});
      }
    }
  return out;
}

// --test: one program in every configuration.
int judge_one(const Settings& s, const std::vector<translation::Configuration>& configurations,
              const Console& console) {
  const auto program = translation::parse_program(s.hunt_test);
  if (!program) return report_errors(console, program.error());
  int code = k_exit_holds;
  std::vector<std::string> objects;
  for (const translation::Configuration& c : configurations) {
    const auto models = translation::models_for(c.compiler.language);
    if (!models) return report_errors(console, models.error());
    const translation::Judged j = translation::judge_all(c, {*program}, *models, k_seconds).front();
    const bool binary = c.compiler.language == translation::Language::opencl;
    if (s.json)
      objects.push_back(translation::json_of(*program, c.name(), j));
    else
      console.out(fmt::format("{}{}{}: {}{}\n", translation::text_of({*program}, c.compiler.language).text,
                              binary ? "" : j.module, c.name(), translation::word_of(j.state),
                              j.detail.empty() ? "" : ", " + j.detail));
    code = worse(code, j.state == 'f' ? k_exit_fails : j.state == 'r' ? k_exit_holds : k_exit_undecided);
  }
  if (s.json) console.out(json_list(objects));
  return code;
}

}  // namespace

Expected<void> hunt_options_fit(const Settings& s) {
  const auto only_for = [&](const char* option, const std::string& language) -> Expected<void> {
    if (!s.has(option) || s.hunt_language == language) return {};
    return error_at({}, fmt::format("{} has no effect with --language {}", option, s.hunt_language),
                    fmt::format("it is for --language {}", language));
  };
  if (auto ok = only_for("--disassembler", "ptx"); !ok) return ok;
  if (auto ok = only_for("--cuda-path", "cuda"); !ok) return ok;
  if (auto ok = only_for("--translator", "opencl"); !ok) return ok;
  const bool clang = std::ranges::any_of(s.compilers, [](const std::string& c) { return c.starts_with("clang="); });
  if (s.has("--cuda-path") && !clang)
    return error_at({}, "--cuda-path has no effect without clang", "nvcc has its own headers");
  return {};
}

int run_hunt_programs(const CommandLine& line, const Console& console) {
  const Settings& s = line.settings;
  if (!line.operands.empty())
    return report_errors(
        console,
        error_at({}, "a record of machine code is for --language ptx", "leave --language away, or the record").error());
  const auto configurations = configurations_of(s);
  if (!configurations) return report_errors(console, configurations.error());
  if (!s.hunt_test.empty()) return judge_one(s, *configurations, console);
  translation::Plan plan{*configurations, s.seed, s.hunt_tests, 1, k_seconds};
  plan.threads = thread_count(s.threads, configurations->size() * (s.hunt_tests / translation::k_batch + 1));
  auto ledger = hunt::Ledger::open(s.hunt_store, s.seed, translation::k_batch, s.hunt_language,
                                   translation::drawing_of(plan.configurations.front().compiler.language));
  if (!ledger) return report_errors(console, ledger.error());
  Progress progress(console, 1, "batches");
  const auto filled = translation::fill(*ledger, plan, job_of(s), [](uint64_t, uint64_t) {});
  if (!filled) return report_errors(console, filled.error());
  const Job more = s.budget > 0 ? Job::with_budget(k_time_to_reduce) : Job();
  if (const auto ok = translation::explain_faults(*ledger, plan, more); !ok) return report_errors(console, ok.error());
  auto summary = translation::summary_of(*ledger, s.hunt_store);
  if (!summary) return report_errors(console, summary.error());
  summary->complete = *filled;
  progress.clear();
  console.out(s.json ? translation::json_of(*summary) : translation::text_of(*summary));
  if (!summary->faults.empty() || summary->unexplained > 0) return k_exit_fails;
  const bool all =
      summary->complete && summary->named.empty() && summary->undecided.empty() && summary->failures.empty();
  return all ? k_exit_holds : k_exit_undecided;
}

}  // namespace fencepost::cli

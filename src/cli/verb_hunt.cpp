#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/child.h"
#include "base/read_file.h"
#include "cli/inputs.h"
#include "cli/json.h"
#include "cli/output.h"
#include "cli/parallel.h"
#include "cli/verbs.h"
#include "cli/worker.h"
#include "hunt/again.h"
#include "hunt/conduct.h"
#include "hunt/draw_tests.h"
#include "hunt/report.h"
#include "hunt/show.h"
#include "translation/show.h"

namespace fencepost::cli {
namespace {

Expected<std::vector<hunt::Compiler>> compilers_of(const Settings& s) {
  std::vector<std::string> words = s.compilers;
  if (words.empty()) words = {"ptxas=ptxas"};
  std::vector<hunt::Compiler> out;
  for (const std::string& w : words) {
    if (!w.starts_with("ptxas=") || w.size() == 6)
      return error_at({}, fmt::format("--compiler '{}' is not of the form ptxas=PATH", w),
                      "ptxas is the one compiler that hunt knows");
    std::string path = w.substr(6);
    if (path.find('/') == std::string::npos)
      if (const std::string found = find_program(path, {"/usr/local/cuda/bin"}); !found.empty()) path = found;
    auto one = hunt::open_compiler(path, s.disassembler);
    if (!one) return std::unexpected(one.error());
    if (std::ranges::any_of(out, [&](const hunt::Compiler& c) { return c.version == one->version; }))
      return error_at({}, fmt::format("two compilers have the version {}", one->version), "give each once");
    out.push_back(std::move(*one));
  }
  return out;
}

Expected<std::vector<hunt::Configuration>> configurations_of(const Settings& s) {
  const auto compilers = compilers_of(s);
  if (!compilers) return std::unexpected(compilers.error());
  const std::vector<std::string> targets =
      s.hunt_targets.empty() ? std::vector<std::string>{"sm_80", "sm_90", "sm_100", "sm_120"} : s.hunt_targets;
  const std::vector<std::string> levels = s.levels.empty() ? std::vector<std::string>{"3"} : s.levels;
  std::vector<hunt::Configuration> out;
  for (const hunt::Compiler& c : *compilers)
    for (const std::string& target : targets) {
      const bool known = target.starts_with("sm_") && target.size() >= 5 &&
                         target.find_first_not_of("0123456789", 3) == std::string::npos;
      if (!known)
        return error_at({}, fmt::format("--targets '{}' is not an architecture", target), "for example sm_90");
      for (const std::string& level : levels) {
        if (level.size() != 1 || level[0] < '0' || level[0] > '3')
          return error_at({}, fmt::format("--levels '{}' is not a level from 0 to 3", level));
        out.push_back({c, target, static_cast<uint32_t>(level[0] - '0')});
      }
    }
  return out;
}

// Prints or collects what one test became; its exit code.
int tell(const hunt::PtxTest& test, const std::string& configuration, const hunt::Judged& j, bool json,
         std::vector<std::string>& objects, const Console& console) {
  if (json) {
    objects.push_back(hunt::json_of(test, configuration, j));
  } else {
    console.out(
        fmt::format("{}: {}{}\n{}", configuration, j.verdict, j.message.empty() ? "" : ", " + j.message, j.listing));
    for (const hunt::Finding& f : j.findings)
      console.out(fmt::format("  {} {}: {}. {}\n", hunt::name(f.effect), hunt::to_string(test.body[f.culprit]),
                              hunt::sentence(f.effect), f.detail));
  }
  if (j.verdict == "fault") return k_exit_fails;
  return j.verdict == "right" || j.verdict == "weakened" ? k_exit_holds : k_exit_undecided;
}

// --test: one test in every configuration.
int judge_one(const Settings& s, const std::vector<hunt::Configuration>& configurations, const Console& console) {
  const auto test = hunt::parse_test(s.hunt_test);
  if (!test) return report_errors(console, test.error());
  int code = k_exit_holds;
  if (!s.json) console.out(hunt::kernel_of(*test, "t0"));
  std::vector<std::string> objects;
  for (const hunt::Configuration& c : configurations)
    code = worse(code, tell(*test, c.name(), hunt::judge_in(c, *test), s.json, objects, console));
  if (s.json) console.out(json_list(objects));
  return code;
}

// Records of machine code, as reports have them: no compiler is needed.
int judge_records(const CommandLine& line, const Console& console) {
  int code = k_exit_holds;
  std::vector<std::string> objects;
  for (const std::string& path : line.operands) {
    const auto text = read_file(path);
    if (!text) return report_errors(console, text.error());
    const auto r = hunt::judge_recorded((*text)->text);
    if (!r) {
      console.err(path + ": ");
      return report_errors(console, r.error());
    }
    if (!line.settings.json) console.out(fmt::format("{}: {}\n", path, hunt::to_string(r->test)));
    code = worse(code, tell(r->test, r->target, r->judged, line.settings.json, objects, console));
  }
  if (line.settings.json) console.out(json_list(objects));
  return code;
}

// A record is a stranger's file, and judging a long one takes long. What is about compiling has no effect on it.
int run_records(const CommandLine& line, const Console& console) {
  const Settings& s = line.settings;
  for (const char* option :
       {"--store", "--test", "--tests", "--seed", "--targets", "--levels", "--compiler", "--disassembler"})
    if (s.has(option))
      return report_errors(console, error_at({}, fmt::format("{} has no effect on a record of machine code", option),
                                             "leave it away, or the record")
                                        .error());
  return in_worker(limits_of(s), console, s.json, line.operands.front(),
                   [&](const Console& c) { return judge_records(line, c); });
}

// The report of a store, of whatever language it is.
Expected<std::vector<hunt::ReportFile>> files_of(const hunt::Ledger& ledger, const std::string& store) {
  if (!ledger.language().empty()) {
    const auto summary = translation::summary_of(ledger, store);
    if (!summary) return std::unexpected(summary.error());
    return translation::report_files(*summary);
  }
  auto summary = hunt::summary_of(ledger, store);
  if (!summary) return std::unexpected(summary.error());
  auto again = hunt::judged_again(store, summary->faults);
  if (!again) return std::unexpected(again.error());
  summary->faults = std::move(again->faults);
  return hunt::report_files(*summary, again->withdrawn, ledger.is_of_this_gate());
}

}  // namespace

int run_hunt(const CommandLine& line, const Console& console) {
  const Settings& s = line.settings;
  if (const auto ok = hunt_options_fit(s); !ok) return report_errors(console, ok.error());
  if (s.hunt_language != "ptx") return run_hunt_programs(line, console);
  if (!line.operands.empty()) return run_records(line, console);
  const auto configurations = configurations_of(s);
  if (!configurations) return report_errors(console, configurations.error());
  if (!s.hunt_test.empty()) return judge_one(s, *configurations, console);
  hunt::Plan plan{*configurations, s.seed, s.hunt_tests, 1};
  plan.threads = thread_count(s.threads, configurations->size() * (s.hunt_tests / hunt::k_batch + 1));
  auto ledger = hunt::Ledger::open(s.hunt_store, s.seed, hunt::k_batch, "", hunt::k_drawing);
  if (!ledger) return report_errors(console, ledger.error());
  const Job job = job_of(s);
  Progress progress(console, 1, "batches");
  const auto filled = hunt::fill(*ledger, plan, job, [](uint64_t, uint64_t) {});
  if (!filled) return report_errors(console, filled.error());
  // A fault that was found is shown, whatever the time: its reduction takes seconds.
  if (const auto ok = hunt::reduce_all(*ledger, plan, Job()); !ok) return report_errors(console, ok.error());
  auto summary = hunt::summary_of(*ledger, s.hunt_store);
  if (!summary) return report_errors(console, summary.error());
  summary->complete = *filled;
  progress.clear();
  console.out(s.json ? hunt::json_of(*summary) : hunt::text_of(*summary));
  if (!summary->faults.empty()) return k_exit_fails;
  return summary->unread.empty() && summary->complete ? k_exit_holds : k_exit_undecided;
}

int run_hunt_report(const CommandLine& line, const Console& console) {
  const auto ledger = hunt::Ledger::read(line.operands.front());
  if (!ledger) return report_errors(console, ledger.error());
  const auto files = files_of(*ledger, line.operands.front());
  if (!files) return report_errors(console, files.error());
  const std::string folder = line.settings.output.empty() ? "faults" : line.settings.output;
  for (const hunt::ReportFile& f : *files) {
    const std::filesystem::path path = std::filesystem::path(folder) / f.path;
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    if (error)
      return report_errors(console,
                           error_at({}, fmt::format("{}: {}", path.parent_path().string(), error.message())).error());
    if (const auto written = write_made(path.string(), f.text); !written)
      return report_errors(console, written.error());
  }
  const auto reports =
      std::ranges::count_if(*files, [](const hunt::ReportFile& f) { return f.path.ends_with("/report.md"); });
  console.out(fmt::format("{}: {} fault{}\n", folder, reports, reports == 1 ? "" : "s"));
  return k_exit_holds;
}

}  // namespace fencepost::cli

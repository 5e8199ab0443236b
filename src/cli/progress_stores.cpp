#include "cli/progress_stores.h"

#include <fmt/format.h>

#include <filesystem>
#include <initializer_list>

#include "cli/help.h"
#include "cli/judge_sightings.h"
#include "cli/output.h"
#include "cli/parallel.h"
#include "cli/progress_inputs.h"
#include "cli/verbs.h"
#include "explorer/explorer.h"
#include "fairness/kept.h"
#include "store/store.h"

namespace fencepost::cli {
namespace {

// What belongs to rates of litmus tests has no effect here, and is refused.
Expected<void> refuse(const Settings& s, std::initializer_list<const char*> options) {
  for (const char* o : options)
    if (s.has(o))
      return error_at({}, fmt::format("{} is about litmus tests, and these are runs of progress tests", o),
                      "leave it out");
  return {};
}

struct Looked {
  fairness::Kept kept;
  fairness::Survey survey;
};

Expected<Looked> look(const CommandLine& line, const Console& console, const std::vector<std::string>& models) {
  const Settings& s = line.settings;
  std::vector<store::Store> stores;
  for (const std::string& path : line.operands) {
    auto opened = store::Store::read(path);
    if (!opened) return std::unexpected(opened.error());
    warn(console, opened->warning());
    stores.push_back(std::move(*opened));
  }
  auto asked = progress_models(models);
  if (!asked) return std::unexpected(asked.error());
  auto kept = fairness::kept_runs(stores, {s.only_tests, s.only_devices, s.only_configurations});
  if (!kept) return std::unexpected(kept.error());
  auto survey = fairness::survey(*kept, *asked);
  if (!survey) return std::unexpected(survey.error());
  return Looked{std::move(*kept), std::move(*survey)};
}

}  // namespace

bool of_progress(const std::vector<std::string>& paths, const Console& console) {
  size_t progress = 0, litmus = 0;
  std::string both;
  for (const std::string& path : paths) {
    if (!store::is_database(path)) return false;
    const auto opened = store::Store::read(path);
    if (!opened) return false;  // said by who reads it
    const auto runs = opened->progress_records();
    const auto records = opened->records();
    const auto trials = opened->trials();
    if (!records || !trials) return false;
    const bool other = !records->empty() || !trials->empty();
    progress += runs ? !runs->empty() : !other;  // damaged runs: their reader says so
    litmus += other;
    if (runs && !runs->empty() && other) both = path;
  }
  if (progress > 0 && litmus > 0)
    console.err(fmt::format("{}runs of progress tests are left out: keep them in stores of their own\n",
                            both.empty() ? "" : both + ": "));
  return progress > 0 && litmus == 0;
}

int run_progress_stats(const CommandLine& line, const Console& console) {
  const Settings& s = line.settings;
  if (const auto ok = refuse(s, {"--parts", "--peek", "--level", "--reproducibility", "--campaign", "--seed", "--all",
                                 "--output", "--domain"});
      !ok)
    return report_errors(console, ok.error());
  if (s.json && s.csv)
    return report_errors(
        console, error_at({}, "--json and --csv are two forms of one answer", "leave one of the two out").error());
  const auto l = look(line, console, {});
  if (!l) return report_errors(console, l.error());
  console.out(s.json  ? fairness::to_json(l->kept, l->survey)
              : s.csv ? fairness::to_csv(l->kept, l->survey)
                      : fairness::to_text(l->kept, l->survey));
  return k_exit_holds;
}

int run_progress_judge(const CommandLine& line, const Console& console) {
  const Settings& s = line.settings;
  const auto form = form_of_ending(s.output, {".csv", ".json", ".md", ".svg"});
  if (!form) return report_errors(console, form.error());
  if (const auto ok = refuse(s, {"--tests", "--mutants", "--engine", "--campaign", "--budget"}); !ok)
    return report_errors(console, ok.error());
  const auto l = look(line, console, s.has("--model") ? model_list(s.model) : std::vector<std::string>{});
  if (!l) return report_errors(console, l.error());
  if (*form == ".svg")
    return report_errors(console, error_at({}, "judged progress tests are not a chart", "'report' draws them").error());
  const std::string text = s.json || *form == ".json" ? fairness::judged_json(l->kept, l->survey)
                           : s.csv || *form == ".csv" ? fairness::judged_csv(l->kept, l->survey)
                           : *form == ".md"           ? fairness::judged_markdown(l->kept, l->survey)
                                                      : fairness::judged_text(l->kept, l->survey);
  const int written = put(console, s.output, text);
  return written != k_exit_holds ? written : fairness::violates(l->survey) ? k_exit_fails : k_exit_holds;
}

int run_progress_report(const CommandLine& line, const Console& console) {
  const Settings& s = line.settings;
  if (const auto ok = refuse(s, {"--level", "--reproducibility", "--campaign", "--model", "--engine"}); !ok)
    return report_errors(console, ok.error());
  const auto l = look(line, console, {});
  if (!l) return report_errors(console, l.error());
  explorer::Options options;
  options.made_by = version();
  const auto text = explorer::html(l->kept, l->survey, options);
  if (!text) return report_errors(console, text.error());
  const int code = put(console, s.output, *text);
  if (code == k_exit_holds && !s.output.empty() && s.output != "-")
    console.err(fmt::format("{}: {:.0f} KiB\n", s.output, static_cast<double>(text->size()) / 1024));
  return code;
}

}  // namespace fencepost::cli

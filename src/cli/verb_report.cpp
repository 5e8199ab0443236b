// report: stores and result sets on one page.
#include <fmt/format.h>

#include <filesystem>

#include "cat/library.h"
#include "cli/help.h"
#include "cli/inputs.h"
#include "cli/judge_by.h"
#include "cli/output.h"
#include "cli/parallel.h"
#include "cli/progress_stores.h"
#include "cli/tables_of.h"
#include "cli/verbs.h"
#include "page/page.h"
#include "store/store.h"

namespace fencepost::cli {
namespace {

bool named(const std::vector<std::string>& list, const std::string& name) {
  return list.empty() || std::find(list.begin(), list.end(), name) != list.end();
}

Expected<judge::Judged> judged_store(const std::string& path, const Settings& s, ModelCache& models,
                                     const Console& console) {
  const auto store = store::Store::read(path);
  if (!store) return std::unexpected(store.error());
  warn(console, store->warning());
  store::Filter filter;
  filter.campaign = s.campaign;
  auto seen = judge::observations(*store, filter);
  if (!seen) return std::unexpected(seen.error());
  auto owed = judge::owed(*store, *seen);
  if (!owed) return std::unexpected(owed.error());
  std::erase_if(*owed, [&](const judge::Owed& o) {
    return !named(s.only_tests, o.test) || !named(s.only_devices, o.device) ||
           !named(s.only_configurations, o.configuration);
  });
  std::erase_if(*seen, [&](const judge::Observation& o) {
    return !named(s.only_tests, o.test.title) || !named(s.only_devices, o.device) ||
           !named(s.only_configurations, o.configuration);
  });
  const auto how = judge_by(s, *seen, models);
  if (!how) return std::unexpected(how.error());
  Job job;
  job.deadline = s.end;
  auto judged = judge::judge(std::move(*seen), *how, job);
  judged.owed = std::move(*owed);
  return judged;
}

}  // namespace

int run_report(const CommandLine& line, const Console& console) {
  const Settings& s = line.settings;
  if (of_progress(line.operands, console)) return run_progress_report(line, console);
  if (const auto form = form_of_ending(s.output, {".html"}); !form) return report_errors(console, form.error());
  auto tables = tables_of(line);
  if (!tables) return report_errors(console, tables.error());
  ModelCache models;
  std::vector<page::Set> sets;
  for (size_t i = 0; i < tables->size(); ++i) {
    page::Set set;
    set.table = std::move((*tables)[i]);
    set.analysis = analysis::analyse(set.table, survey_options(s));
    if (set.table.format == "store") {
      auto judged = judged_store(line.operands[i], s, models, console);
      if (!judged) return report_errors(console, judged.error());
      set.judged = std::move(*judged);
    }
    set.table.name = std::filesystem::path(set.table.name).filename().string();
    sets.push_back(std::move(set));
  }
  page::Options options;
  options.made_by = version();
  const std::string text = page::html(sets, options);
  const int code = put(console, s.output, text);
  if (code == k_exit_holds && !s.output.empty() && s.output != "-")
    console.err(fmt::format("{}: {:.0f} KiB\n", s.output, static_cast<double>(text.size()) / 1024));
  return code;
}

}  // namespace fencepost::cli

// campaign, merge, judge: from a plan to a store, from stores to one, from a store to what a model says of it.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/read_file.h"
#include "campaign/conduct.h"
#include "cat/library.h"
#include "chart/judge_chart.h"
#include "cli/campaign_bar.h"
#include "cli/campaign_in_tasks.h"
#include "cli/interrupt.h"
#include "cli/judge_by.h"
#include "cli/judge_sightings.h"
#include "cli/one_test.h"
#include "cli/output.h"
#include "cli/planned_tests.h"
#include "cli/progress_stores.h"
#include "cli/verbs.h"
#include "device/backend.h"
#include "judge/conformance.h"
#include "judge/judge.h"
#include "store/store.h"

namespace fencepost::cli {
namespace {

// Logs and tables are text; what cannot be read is for the store to say.
bool is_store(const std::string& path) {
  std::error_code failed;
  if (std::filesystem::is_directory(path, failed)) return false;
  return !can_be_read(path) || store::is_database(path);
}

}  // namespace

int run_campaign(const CommandLine& line, const Console& console) {
  const Settings& s = line.settings;
  if (s.task > 0) return run_campaign_task(line, console);
  const auto source = read_file(line.operands.front());
  if (!source) return report_errors(console, source.error());
  const auto plan = campaign::read_plan(*source);
  if (!plan) return report_errors(console, plan.error());
  if (!s.tasks_by.empty()) return run_campaign_in_tasks(*plan, line, console);
  store::Shard shard;
  if (!s.shard.empty()) {
    const auto parsed = store::parse_shard(s.shard);
    if (!parsed) return report_errors(console, parsed.error());
    shard = *parsed;
  }
  ModelCache models;
  const auto tests = planned_tests(*plan, models, console);
  if (!tests) return report_errors(console, tests.error());
  const bool only_reference = std::all_of(plan->devices.begin(), plan->devices.end(), campaign::is_reference);
  const device::Found found = only_reference ? device::Found{} : campaign::find_devices_apart(60);
  auto store = store::Store::open(s.store);
  if (!store) return report_errors(console, store.error());
  warn(console, store->warning());
  auto work = campaign::list_work(*plan, *tests, found, shard, *store);
  if (!work) return report_errors(console, work.error());
  const size_t all = work->size();
  const auto before = static_cast<size_t>(
      std::count_if(work->begin(), work->end(), [](const campaign::Work& w) { return w.finished; }));
  Job job = job_of(s);
  const Interruptible guard;
  job.cancelled = guard.flag();
  CampaignBar bar(console);
  const auto report =
      campaign::conduct(*plan, std::move(*work), *store, job, [&](const campaign::Progress& p) { bar.at(p); });
  bar.clear();
  if (!report) return report_errors(console, report.error());
  if (s.json) {
    nlohmann::ordered_json problems = nlohmann::ordered_json::array();
    for (const campaign::Problem& p : report->problems)
      problems.push_back({{"test", p.test},
                          {"device", p.device},
                          {"configuration", p.configuration},
                          {"lost", p.lost},
                          {"why", render(p.why)}});
    const nlohmann::ordered_json out = {
        {"schema", "fencepost-campaign/1"}, {"campaign", plan->name},        {"works", all},
        {"finished_before", before},        {"round_groups", report->added}, {"instances", report->instances},
        {"seconds", report->seconds},       {"stopped", report->stopped},    {"problems", problems}};
    console.out(out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  } else {
    console.out(fmt::format("{}: {} works, {} finished before; {} round groups and {} instances added in {:.1f} s{}\n",
                            plan->name, all, before, report->added, report->instances, report->seconds,
                            report->stopped ? "; stopped, the same command goes on" : ""));
    for (const campaign::Problem& p : report->problems)
      console.err(fmt::format("{} on {}, {}: {}\n{}", p.test, p.device, p.configuration, p.lost ? "lost" : "refused",
                              render(p.why)));
  }
  return report->stopped || !report->problems.empty() ? k_exit_undecided : k_exit_holds;
}

int run_merge(const CommandLine& line, const Console& console) {
  std::string warning;
  const auto merged =
      store::merge_files(line.operands.front(), {line.operands.begin() + 1, line.operands.end()}, warning);
  if (!merged) return report_errors(console, merged.error());
  warn(console, warning);
  const store::Merged& total = *merged;
  if (line.settings.json) {
    const nlohmann::ordered_json out = {{"schema", "fencepost-merge/1"},
                                        {"added", total.added},
                                        {"known", total.known},
                                        {"different", total.different}};
    console.out(out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  } else {
    console.out(fmt::format(
        "{}: {} rows added, {} known{}\n", line.operands.front(), total.added, total.known,
        total.different > 0 ? fmt::format(", {} kept as they were though other stores differ", total.different) : ""));
  }
  return total.different > 0 ? k_exit_fails : k_exit_holds;
}

int run_judge(const CommandLine& line, const Console& console) {
  const Settings& s = line.settings;
  const auto form = s.mutants ? form_of_ending(s.output, {".csv", ".json", ".md"})
                              : form_of_ending(s.output, {".csv", ".json", ".md", ".svg"});
  if (!form) return report_errors(console, form.error());
  if (!is_store(line.operands.front())) return run_judge_sightings(line, console);
  if (of_progress(line.operands, console)) return run_progress_judge(line, console);
  if (!s.tests.empty())
    return report_errors(
        console,
        error_at({}, "--tests is for logs and tables, and a store has its tests in it", "leave it out").error());
  if (model_list(s.model).size() > 1)
    return report_errors(
        console, error_at({}, "one call judges a store by one model", "give one --model, and call again for the others")
                     .error());
  const auto store = store::Store::read(line.operands.front());
  if (!store) return report_errors(console, store.error());
  warn(console, store->warning());
  store::Filter filter;
  filter.campaign = s.campaign;
  auto seen = judge::observations(*store, filter);
  if (!seen) return report_errors(console, seen.error());
  if (seen->empty())
    return report_errors(console,
                         error_at({}, fmt::format("{}: has no round groups{}", line.operands.front(),
                                                  s.campaign.empty() ? "" : " of campaign '" + s.campaign + "'"))
                             .error());
  ModelCache models;
  const auto how = judge_by(s, *seen, models);
  if (!how) return report_errors(console, how.error());
  auto owed = judge::owed(*store, *seen);
  if (!owed) return report_errors(console, owed.error());
  Job job;
  judge::Judged j = judge::judge(std::move(*seen), *how, job);
  j.owed = std::move(*owed);
  if (s.mutants) {
    const judge::Conformance c = judge::conformance(j);
    const std::string text = s.json || *form == ".json" ? judge::to_json(c)
                             : s.csv || *form == ".csv" ? judge::to_csv(c)
                             : *form == ".md"           ? judge::to_markdown(c)
                                                        : judge::to_text(c);
    const int written = put(console, s.output, text);
    return written != k_exit_holds ? written : c.exit_code();
  }
  const std::string text = s.json || *form == ".json" ? judge::to_json(j)
                           : s.csv || *form == ".csv" ? judge::to_csv(j)
                           : *form == ".svg"          ? chart::to_svg(j)
                           : *form == ".md"           ? judge::to_markdown(j)
                                                      : judge::to_text(j);
  const int written = put(console, s.output, text);
  return written != k_exit_holds ? written : j.exit_code();
}

}  // namespace fencepost::cli

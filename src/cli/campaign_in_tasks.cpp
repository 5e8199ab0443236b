#include "cli/campaign_in_tasks.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "campaign/identity.h"
#include "cli/campaign_bar.h"
#include "cli/inputs.h"
#include "cli/interrupt.h"
#include "cli/option_rows.h"
#include "cli/output.h"
#include "cli/planned_tests.h"
#include "cli/verbs.h"
#include "fleet/follow.h"
#include "fleet/local.h"
#include "fleet/slurm.h"
#include "fleet/task.h"
#include "read/read.h"

namespace fencepost::cli {
namespace {

namespace fs = std::filesystem;

constexpr uint32_t k_tasks = 100;  // --tasks by default
constexpr const char* k_version = "fencepost " FENCEPOST_VERSION;

Expected<prog::Test> read_text(const std::string& text) { return read::parse_one(make_source("<task>", text)); }

// The tasks of the folder, which must be of this plan and these tests; or new ones.
Expected<fleet::Tasks> tasks_of(const fleet::Folder& folder, const campaign::Plan& plan, const CommandLine& line,
                                const std::string& store, const Console& console) {
  const Settings& s = line.settings;
  if (!folder.there()) {
    ModelCache models;
    const auto own = own_tests(plan);
    if (!own) return std::unexpected(own.error());
    const auto tests = planned_tests(plan, models, console);
    if (!tests) return std::unexpected(tests.error());
    auto made = fleet::share_out(plan, *tests, own->size(), s.task_count > 0 ? s.task_count : k_tasks, read_text);
    if (!made) return made;
    made->version = k_version;
    made->plan_name = line.operands.front();
    made->store = store;
    if (const auto ok = folder.make(*made); !ok) return std::unexpected(ok.error());
    return folder.tasks();  // another command may have made it first
  }
  auto tasks = folder.tasks();
  if (!tasks) return tasks;
  const auto other = [&](const std::string& what) {
    return error_at({}, fmt::format("{}: {}", folder.path(), what),
                    "a campaign runs unchanged to its end; give the changed plan another name and another store, or "
                    "remove the folder to begin again with what the store has");
  };
  if (tasks->version != k_version)
    return other(fmt::format("was made by {}, and this is {}", tasks->version, k_version));
  if (tasks->plan != plan.text) return other("the campaign was begun under another plan");
  if (s.task_count > 0 && s.task_count != tasks->tasks.size() &&
      std::min<size_t>(s.task_count, tasks->tests.size() * plan.devices.size()) != tasks->tasks.size())
    return other(fmt::format("the campaign was begun in {} tasks", tasks->tasks.size()));
  const auto own = own_tests(plan);
  if (!own) return std::unexpected(own.error());
  std::vector<std::string> hashes;
  for (const prog::Test& t : *own) hashes.push_back(campaign::hash_of(t));
  for (const std::string& h : hashes)
    if (std::find(tasks->own.begin(), tasks->own.end(), h) == tasks->own.end())
      return other("the plan's tests have changed since the campaign was begun");
  for (const std::string& h : tasks->own)
    if (std::find(hashes.begin(), hashes.end(), h) == hashes.end())
      return other("the plan's tests have changed since the campaign was begun");
  return tasks;
}

nlohmann::ordered_json to_json(const campaign::Problem& p) {
  return {{"test", p.test},
          {"device", p.device},
          {"configuration", p.configuration},
          {"lost", p.lost},
          {"why", render(p.why)}};
}

// The folder of the tasks stands beside the store. It is not made where no store can be: the store itself is opened at
// the end.
Expected<void> may_be_store(const std::string& path) {
  std::error_code none;
  const fs::path folder = fs::path(path).parent_path();
  if (!fs::is_directory(folder, none))
    return error_at({}, fmt::format("{}: cannot be opened: there is no folder '{}'", path, folder.string()), "make it");
  if (fs::exists(path, none) && !fs::is_regular_file(path, none))
    return error_at({}, fmt::format("{}: is not a store: it is not a file", path));
  return {};
}

}  // namespace

int run_campaign_in_tasks(const campaign::Plan& plan, const CommandLine& line, const Console& console) {
  const Settings& s = line.settings;
  std::error_code failed;
  const std::string store = fs::absolute(s.store, failed).lexically_normal().string();
  if (failed) return report_errors(console, error_at({}, fmt::format("{}: {}", s.store, failed.message())).error());
  if (const auto may = may_be_store(store); !may) return report_errors(console, may.error());
  const std::string program = fs::read_symlink("/proc/self/exe", failed).string();
  if (failed) return report_errors(console, error_at({}, "the path of this program cannot be found").error());
  fleet::Folder folder(store + ".tasks");
  const auto tasks = tasks_of(folder, plan, line, store, console);
  if (!tasks) return report_errors(console, tasks.error());
  if (const auto held = folder.hold(); !held) return report_errors(console, held.error());
  std::unique_ptr<fleet::Engine> engine;
  if (s.tasks_by == "slurm") {
    std::vector<std::string> options;
    for (const std::string& word : split(s.sbatch, ' '))
      if (!word.empty()) options.push_back(word);
    auto made = fleet::Slurm::make(folder, *tasks, program, s.threads, std::move(options));
    if (!made) return report_errors(console, made.error());
    engine = std::make_unique<fleet::Slurm>(std::move(*made));
  } else {
    engine = std::make_unique<fleet::Local>(folder, program, std::max(s.threads, 1u));
  }
  Job job = job_of(s);
  const Interruptible guard;
  job.cancelled = guard.flag();
  std::string last;
  const auto report =
      fleet::follow(folder, *tasks, plan.name, *engine, {.retries = s.retries}, job, [&](const fleet::Standing& at) {
        if (console.err_is_terminal && !at.ended.empty()) console.draw();
        for (const std::string& text : at.ended) console.err(fmt::format("ended early: {}\n", text));
        const std::string why = at.note.empty() ? at.waits_for : at.note;
        const std::string now =
            fmt::format("{} of {} tasks over, {} running, {} waiting{}{}", at.over, at.tasks, at.running, at.waiting,
                        at.given_up > 0 ? fmt::format(", {} given up", at.given_up) : std::string(),
                        why.empty() ? std::string() : " (" + why + ")");
        if (console.err_is_terminal) {
          console.draw(now);
        } else if (!at.note.empty() && at.note != last) {
          console.err(now + "\n");
        }
        last = at.note;
      });
  if (console.err_is_terminal) console.draw();
  if (!report) return report_errors(console, report.error());
  const fleet::Followed& r = *report;
  const bool whole = !r.stopped && r.given_up.empty() && r.problems.empty();
  if (s.json) {
    nlohmann::ordered_json problems = nlohmann::ordered_json::array(), given_up = problems;
    for (const campaign::Problem& p : r.problems) problems.push_back(to_json(p));
    for (const fleet::GivenUp& g : r.given_up) given_up.push_back({{"task", g.task}, {"why", g.why}});
    const nlohmann::ordered_json out = {{"schema", "fencepost-campaign-tasks/1"},
                                        {"campaign", plan.name},
                                        {"engine", s.tasks_by},
                                        {"tasks", r.tasks},
                                        {"finished_before", r.over_before},
                                        {"works", r.works},
                                        {"attempts", r.started},
                                        {"restarts", r.restarts},
                                        {"added", r.merged.added},
                                        {"known", r.merged.known},
                                        {"different", r.merged.different},
                                        {"seconds", r.seconds},
                                        {"stopped", r.stopped},
                                        {"given_up", given_up},
                                        {"problems", problems}};
    console.out(out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  } else {
    console.out(fmt::format(
        "{}: {} tasks, {} over before, {} attempts ({} ended early), {:.1f} s; {}\n", plan.name, r.tasks, r.over_before,
        r.started, r.restarts.size(), r.seconds,
        r.stopped ? "stopped, the same command goes on; " + r.left
                  : fmt::format("{} rows added to {}, {} known{}", r.merged.added, s.store, r.merged.known,
                                r.merged.different > 0
                                    ? fmt::format(", {} kept as they were though tasks differ", r.merged.different)
                                    : std::string())));
    for (const fleet::GivenUp& g : r.given_up)
      console.err(fmt::format("task {} was given up: {}\n(what it printed: {})\n", g.task, g.why, folder.log(g.task)));
    for (const campaign::Problem& p : r.problems)
      console.err(fmt::format("{} on {}, {}: {}\n{}", p.test, p.device, p.configuration, p.lost ? "lost" : "refused",
                              render(p.why)));
  }
  if (!whole) return k_exit_undecided;
  return r.merged.different > 0 ? k_exit_fails : k_exit_holds;
}

int run_campaign_task(const CommandLine& line, const Console& console) {
  const Settings& s = line.settings;
  const fleet::Folder folder(line.operands.front());
  const auto tasks = folder.tasks();
  if (!tasks) return report_errors(console, tasks.error());
  if (tasks->version != k_version)
    return report_errors(
        console,
        error_at({}, fmt::format("{}: was made by {}, and this is {}", folder.path(), tasks->version, k_version),
                 "run the same program on all machines")
            .error());
  Job job = job_of(s);
  const Interruptible guard;
  job.cancelled = guard.flag();
  CampaignBar bar(console);
  const auto report =
      fleet::run_task(folder, *tasks, s.task, read_text, job, [&](const campaign::Progress& p) { bar.at(p); });
  bar.clear();
  if (!report) return report_errors(console, report.error());
  for (const std::string& text : report->warnings) warn(console, text);
  const campaign::Report& r = report->report;
  if (s.json) {
    nlohmann::ordered_json problems = nlohmann::ordered_json::array();
    for (const campaign::Problem& p : r.problems) problems.push_back(to_json(p));
    const nlohmann::ordered_json out = {{"schema", "fencepost-campaign-task/1"},
                                        {"task", s.task},
                                        {"over_before", report->over_before},
                                        {"works", report->works},
                                        {"finished_before", report->finished_before},
                                        {"round_groups", r.added},
                                        {"instances", r.instances},
                                        {"seconds", r.seconds},
                                        {"stopped", r.stopped},
                                        {"problems", problems}};
    console.out(out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  } else {
    console.out(report->over_before
                    ? fmt::format("task {}: was over before\n", s.task)
                    : fmt::format("task {}: {} works, {} finished before; {} round groups and {} instances added in "
                                  "{:.1f} s{}\n",
                                  s.task, report->works, report->finished_before, r.added, r.instances, r.seconds,
                                  r.stopped ? "; stopped" : ""));
    for (const campaign::Problem& p : r.problems)
      console.err(fmt::format("{} on {}, {}: {}\n{}", p.test, p.device, p.configuration, p.lost ? "lost" : "refused",
                              render(p.why)));
  }
  return r.stopped || !r.problems.empty() ? k_exit_undecided : k_exit_holds;
}

}  // namespace fencepost::cli

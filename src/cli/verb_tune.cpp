// tune: from tests to the stress that shows most, into a store; from a store to what each strategy would have found.
#include <fmt/format.h>

#include <algorithm>

#include "campaign/conduct.h"
#include "campaign/rate.h"
#include "campaign/session.h"
#include "cli/inputs.h"
#include "cli/interrupt.h"
#include "cli/one_test.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "device/backend.h"
#include "device/several.h"
#include "plan/plan.h"
#include "store/store.h"
#include "tune/conduct.h"
#include "tune/replay.h"
#include "tune/show.h"

namespace fencepost::cli {
namespace {

tune::Rule rule_of(const Settings& s) {
  tune::Rule r;
  r.strategy = s.strategy == "exhaustive" ? tune::Strategy::exhaustive
               : s.strategy == "halving"  ? tune::Strategy::halving
                                          : tune::Strategy::peek;
  r.published = s.strategy == "peek-published";
  r.objective = s.objective == "per-instance" ? tune::Objective::per_instance : tune::Objective::per_second;
  r.configurations = s.configurations;
  r.rounds = s.tune_rounds;
  r.peeks = s.peeks;
  r.events = s.look_events;
  r.first_rounds = s.has("--first-rounds") ? s.first_rounds : tune::usual_first_rounds(s.tune_rounds);
  r.keep = s.keep_one_in;
  r.restarts = s.restarts;
  r.budget = s.budget;
  return r;
}

Expected<std::string> device_name(const std::string& id) {
  if (campaign::is_reference(id) || id.starts_with("reference:")) return id;
  const device::Found found = campaign::find_devices_apart(60);
  if (const auto d = device::device_of(found, id)) return campaign::stored_name(*d);
  std::string there, why;
  for (const device::Info& d : found.devices) there += (there.empty() ? "" : ", ") + d.id;
  for (const device::Property& p : found.absent)
    if (id.starts_with(p.name)) why = fmt::format(" ({})", p.value);
  return error_at({}, fmt::format("there is no device '{}' on this machine{}", id, why),
                  "there are " + there + ", reference");
}

Expected<tune::Task> task_of(const CommandLine& line) {
  const Settings& s = line.settings;
  tune::Task t;
  t.kind = s.explore ? tune::Task::Kind::explore : s.ablate ? tune::Task::Kind::ablate : tune::Task::Kind::search;
  t.campaign = !s.campaign.empty() ? s.campaign : s.explore ? "explore" : s.ablate ? "ablate" : "search";
  t.device = s.device;
  t.seed = s.seed;
  t.shape.mode = s.mode == "warp" ? plan::Mode::warp : s.mode == "single" ? plan::Mode::single : plan::Mode::parallel;
  for (const plan::Region r : plan::k_regions)
    if (s.region == plan::name(r)) t.shape.region = r;
  if (const auto ok = plan::set_parameters(t.given, s.parameters); !ok) return std::unexpected(ok.error());
  t.rule = rule_of(s);
  t.executions = s.executions;
  t.confirm_rounds = s.confirm_rounds;
  t.cell_rounds = s.tune_rounds;
  const auto files = expand(line.operands, {".litmus", ".test"});
  if (!files) return std::unexpected(files.error());
  for (const std::string& f : *files) {
    auto some = tests_of(f);
    if (!some) return std::unexpected(some.error());
    for (prog::Test& test : *some) {
      if (test.quantifier == prog::Quantifier::none)
        return error_at(test.span, fmt::format("test '{}' asks about no outcome, so no stress can show it", test.title),
                        "add 'exists (...)'");
      t.tests.push_back(std::move(test));
    }
  }
  auto name = device_name(s.device);
  if (!name) return std::unexpected(name.error());
  t.device_name = std::move(*name);
  return t;
}

class TuneBar {
 public:
  TuneBar(const Console& console, tune::Objective objective)
      : console_(console), objective_(objective), start_(Job::Clock::now()), drawn_(start_) {}
  ~TuneBar() { clear(); }
  void at(const tune::Progress& p) {
    const auto now = Job::Clock::now();
    if (!console_.err_is_terminal || now - drawn_ < std::chrono::milliseconds(200)) return;
    drawn_ = now;
    visible_ = true;
    const double spent = std::chrono::duration<double>(now - start_).count();
    const double part = (static_cast<double>(p.done) + p.part) / static_cast<double>(std::max<size_t>(p.all, 1));
    const std::string best = p.best < 0 ? ""
                                        : fmt::format(", best {}", objective_ == tune::Objective::per_second
                                                                       ? campaign::rate_text(p.best)
                                                                       : fmt::format("{:.3g}", p.best));
    console_.draw(fmt::format("[{:3.0f} %] {}, {}{}, {:.3g} instances/s, {:.0f} s left", 100 * part, p.test, p.now,
                              best, static_cast<double>(p.instances) / std::max(spent, 1e-9),
                              part > 0.001 ? spent * (1 - part) / part : 0));
  }
  void clear() {
    if (visible_) console_.draw();
    visible_ = false;
  }

 private:
  const Console& console_;
  tune::Objective objective_;
  Job::Clock::time_point start_, drawn_;
  bool visible_ = false;
};

int replay(const CommandLine& line, const Console& console) {
  const Settings& s = line.settings;
  const auto store = store::Store::read(s.replay);
  if (!store) return report_errors(console, store.error());
  warn(console, store->warning());
  const auto trials = store->trials({.campaign = s.campaign, .purpose = "explore"});
  if (!trials) return report_errors(console, trials.error());
  const auto sets = tune::data_sets(*trials, s.tune_rounds);
  if (sets.empty())
    return report_errors(
        console, error_at({},
                          fmt::format("{}: has no data set with {} rounds of each configuration{}", s.replay,
                                      s.tune_rounds, s.campaign.empty() ? "" : " of campaign '" + s.campaign + "'"),
                          "`fencepost tune --explore` makes one; --rounds asks for fewer rounds")
                     .error());
  Job job;
  const Interruptible guard;
  job.cancelled = guard.flag();
  const auto out = tune::replay(sets, rule_of(s), s.repeats, s.seed, job);
  console.out(s.json ? tune::to_json(out, s.repeats) : tune::to_text(out, s.repeats));
  return job.out_of_time() ? k_exit_undecided : k_exit_holds;
}

}  // namespace

int run_tune(const CommandLine& line, const Console& console) {
  const Settings& s = line.settings;
  const auto bad = [&](const char* what, const char* hint) {
    return report_errors(console, error_at({}, what, hint).error());
  };
  if (s.explore + s.ablate + !s.replay.empty() > 1)
    return bad("--explore, --ablate and --replay exclude each other", "run one after another");
  if (!s.replay.empty())
    return line.operands.empty() ? replay(line, console) : bad("--replay takes no tests", "its tests are in the store");
  if (line.operands.empty()) return bad("tune needs tests", "fencepost tune examples/thesis/SB.litmus");
  auto task = task_of(line);
  if (!task) return report_errors(console, task.error());
  auto store = store::Store::open(s.tune_store);
  if (!store) return report_errors(console, store.error());
  Job job;
  const Interruptible guard;
  job.cancelled = guard.flag();
  TuneBar bar(console, task->rule.objective);
  const auto report = tune::conduct(*task, *store, job, [&](const tune::Progress& p) { bar.at(p); });
  bar.clear();
  if (!report) return report_errors(console, report.error());
  console.out(s.json ? tune::to_json(*task, *report) : tune::to_text(*task, *report));
  if (!s.json)
    for (const tune::Problem& p : report->problems)
      console.err(fmt::format("{}: {}\n{}", p.test, p.lost ? "lost" : "refused", render(p.why)));
  if (!s.output.empty()) {
    if (const auto written = write_output(s.output, tune::to_plan(*task, *report)); !written)
      return report_errors(console, written.error());
  }
  return report->stopped || !report->problems.empty() ? k_exit_undecided : k_exit_holds;
}

}  // namespace fencepost::cli

#include <fmt/format.h>

#include "campaign/session.h"
#include "cat/library.h"
#include "cli/inputs.h"
#include "cli/json.h"
#include "cli/output.h"
#include "cli/parallel.h"
#include "cli/verbs.h"
#include "device/backend.h"
#include "judge/judge.h"
#include "plan/plan.h"
#include "read/read.h"
#include "results/log.h"

namespace fencepost::cli {
namespace {

using results::Report;

constexpr double k_oracle_seconds = 10;  // for a model's states, without --budget

Expected<campaign::Options> run_options(const Settings& s) {
  campaign::Options o;
  o.seed = s.seed;
  o.iterations = s.iterations;
  o.events = s.events;
  o.seconds = s.seconds > 0 || s.iterations > 0 || s.events > 0 ? s.seconds : 1;
  o.series_room = s.series;
  o.shape.mode = s.mode == "warp" ? plan::Mode::warp : s.mode == "single" ? plan::Mode::single : plan::Mode::parallel;
  for (const plan::Region r : plan::k_regions)
    if (s.region == plan::name(r)) o.shape.region = r;
  if (const auto ok = plan::set_parameters(o.parameters, s.parameters); !ok) return std::unexpected(ok.error());
  if (!s.schedule.empty())
    if (const auto ok = plan::set_parameters(o.parameters, "schedule=" + s.schedule); !ok)
      return std::unexpected(ok.error());
  if (s.cluster > 0)
    if (const auto ok = plan::set_parameters(o.parameters, fmt::format("cluster={}", s.cluster)); !ok)
      return std::unexpected(ok.error());
  if (s.rounds > 0) o.parameters.fix(plan::ParameterId::rounds, s.rounds);
  return o;
}

// All tests of one command: what came of them, in order.
class Command {
 public:
  Command(const Settings& s, const Console& console, campaign::Options options)
      : s_(s),
        console_(console),
        options_(std::move(options)),
        form_(s.json  ? results::Form::json
              : s.csv ? results::Form::csv
                      : results::Form::text) {}

  void add(const std::string& name, prog::Test test) {
    campaign::Options options = options_;
    if (!s_.home.empty()) {
      const auto homes = plan::homes_of(test, s_.home);
      if (!homes) return failed(report_errors(console_, homes.error()));
      options.parameters.fix(plan::ParameterId::home, *homes);
    }
    names_.push_back(name);
    tasks_.push_back({std::move(test), s_.device, std::move(options), 0});
  }
  size_t size() const { return tasks_.size(); }
  void failed(int code) { code_ = worse(code_, code); }

  int run() {
    Progress progress(console_, tasks_.size(), "tests");
    if (s_.csv) console_.out(results::k_csv_header);
    Job job;
    campaign::run_tasks(tasks_, {}, job, [&](const campaign::Message& m) {
      std::visit([&](const auto& x) { on(x, progress); }, m);
      return true;
    });
    progress.clear();
    if (s_.json)
      console_.out(json_list(json_));
    else if (tasks_.size() > 1 && !s_.csv)
      console_.out(
          fmt::format("{} tests run, {} not run, {} with states that the model forbids\n", run_, not_run_, forbidden_));
    if (!s_.log.empty()) write_log();
    return code_;
  }

 private:
  void on(const campaign::Started& m, Progress&) {
    report_ = {};
    report_.setup = m.setup;
  }
  void on(const campaign::Grouped& m, Progress& progress) {
    if (s_.json) report_.groups.push_back(m.group);
    progress.at(m.task);
  }
  void on(const campaign::Finished& m, Progress& progress) {
    ++run_;
    Report& r = report_;
    r.name = names_[m.task];
    r.test = tasks_[m.task].test;
    r.options = tasks_[m.task].options;
    r.device = s_.device;
    r.totals = m.totals;
    const Expected<std::optional<judge::Question>> model = model_of(r.test);
    const results::Told told = results::told(std::move(r), model.value_or(std::nullopt), form_);
    progress.clear();
    if (!model) failed(report_errors(console_, model.error()));
    forbidden_ += told.forbidden;
    failed(told.exit_code);
    if (s_.json)
      json_.push_back(told.answer);
    else
      console_.out(told.answer);
    log_ += told.log;
    progress.at(m.task + 1);
  }
  void on(const campaign::Refused& m, Progress& progress) {
    ++not_run_;
    progress.clear();
    if (s_.json) json_.push_back(json_errors(names_[m.task], m.why));
    for (const Diagnostic& d : m.why.list) console_.err(fmt::format("{}: {}", names_[m.task], render(d)));
    failed(exit_code(m.why));
  }
  void on(const campaign::Lost& m, Progress& progress) {
    ++not_run_;
    progress.clear();
    const Diagnostics why = unsupported_at({}, m.why).error();
    if (s_.json) json_.push_back(json_errors(names_[m.task], why));
    console_.err(fmt::format("{}: the run was lost: {}\n", names_[m.task], m.why));
    failed(k_exit_undecided);
  }

  // None with --no-model.
  Expected<std::optional<judge::Question>> model_of(const prog::Test& test) {
    if (s_.no_model) return std::nullopt;
    const auto model = models_.get(s_.model, test);
    if (!model) return std::unexpected(model.error());
    return judge::Question{{*model, s_.model.empty() ? default_model(test) : s_.model},
                           check_options(s_),
                           s_.budget > 0 ? s_.budget : k_oracle_seconds};
  }

  void write_log() { failed(put(console_, s_.log, log_)); }

  const Settings& s_;
  const Console& console_;
  campaign::Options options_;
  results::Form form_;
  ModelCache models_;
  std::vector<std::string> names_;
  std::vector<campaign::Task> tasks_;
  Report report_;
  std::vector<std::string> json_;
  std::string log_;
  size_t run_ = 0, not_run_ = 0, forbidden_ = 0;
  int code_ = k_exit_holds;
};

std::string bytes_text(uint64_t b) {
  if (b >= uint64_t{1} << 30) return fmt::format("{:.1f} GiB", static_cast<double>(b) / (1 << 30));
  if (b >= 1u << 20) return fmt::format("{:.1f} MiB", static_cast<double>(b) / (1 << 20));
  return fmt::format("{:.1f} KiB", static_cast<double>(b) / 1024);
}

std::string device_json(const device::Found& f) {
  std::string devices, absent;
  for (const device::Info& i : f.devices) {
    std::string properties, defects;
    for (const device::Property& p : i.properties)
      properties += fmt::format("{}{}: {}", properties.empty() ? "" : ", ", json_string(p.name), json_string(p.value));
    for (const device::Defect& d : i.defects)
      defects += fmt::format("{}{{\"name\": {}, \"what\": {}, \"refuses_loops\": {}}}", defects.empty() ? "" : ", ",
                             json_string(d.name), json_string(d.what), d.refuses_loops);
    devices += fmt::format(
        "{}\n    {{\"id\": {}, \"api\": \"{}\", \"name\": {}, \"driver\": {}, \"units\": {}, \"subgroup\": {}, "
        "\"max_lanes\": {}, "
        "\"max_groups\": {}, \"shared_bytes\": {}, \"max_cluster\": {}, \"memory_bytes\": {}, \"line_bytes\": {}, "
        "\"runs_groups_together\": {}, \"device_scope\": {}, \"properties\": {{{}}}, \"defects\": [{}]}}",
        devices.empty() ? "" : ",", json_string(i.id), device::name(i.api), json_string(i.name), json_string(i.driver),
        i.units, i.subgroup, i.max_lanes, i.max_groups, i.shared_bytes, i.max_cluster, i.memory_bytes, i.line_bytes,
        i.runs_groups_together, i.device_scope, properties, defects);
  }
  for (const device::Property& p : f.absent)
    absent += fmt::format("{}\n    {{\"api\": {}, \"why\": {}}}", absent.empty() ? "" : ",", json_string(p.name),
                          json_string(p.value));
  return fmt::format("{{\n  \"schema\": \"fencepost.devices/1\",\n  \"devices\": [{}],\n  \"absent\": [{}]\n}}\n",
                     devices, absent);
}

}  // namespace

int run_run(const CommandLine& line, const Console& console) {
  const Settings& s = line.settings;
  const auto files = expand(line.operands);
  if (!files) return report_errors(console, files.error());
  auto options = run_options(s);
  if (!options) return report_errors(console, options.error());
  Command command(s, console, std::move(*options));
  for (const std::string& path : *files) {
    auto tests = read::parse_file(path, launch_of(s));
    if (!tests) {
      command.failed(report_errors(console, tests.error()));
      continue;
    }
    const size_t count = tests->size();
    for (prog::Test& test : *tests) {
      const std::string name = label(path, test, count);
      command.add(name, std::move(test));
    }
  }
  return command.run();
}

int run_devices(const CommandLine& line, const Console& console) {
  const device::Found found = campaign::find_devices_apart(60);
  if (line.settings.json) {
    console.out(device_json(found));
    return k_exit_holds;
  }
  for (const device::Info& i : found.devices) {
    console.out(fmt::format("{:<12} {}\n", i.id, i.name));
    console.out(
        fmt::format("             {} units, subgroups of {}, workgroups of up to {}, {} for a workgroup, {} in all\n",
                    i.units, i.subgroup, i.max_lanes, bytes_text(i.shared_bytes), bytes_text(i.memory_bytes)));
    console.out(fmt::format("             driver {}\n", i.driver));
    if (!i.runs_groups_together) console.out("             workgroups may run one after another\n");
    for (const device::Property& p : i.properties) console.out(fmt::format("             {}: {}\n", p.name, p.value));
    for (const device::Defect& d : i.defects)
      console.out(fmt::format("             defect {}: {}{}\n", d.name, d.what,
                              d.refuses_loops ? "; tests with loops are refused" : ""));
  }
  console.out("reference    a sequential executor that interleaves threads: always there, slow, needs no device\n");
  for (const device::Property& p : found.absent) console.out(fmt::format("no {}: {}\n", p.name, p.value));
  return k_exit_holds;
}

}  // namespace fencepost::cli

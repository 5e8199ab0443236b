// Progress tests on devices: runs into a store, and what they say of progress models.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/read_file.h"
#include "cli/json.h"
#include "cli/parallel.h"
#include "cli/progress_inputs.h"
#include "cli/verbs.h"
#include "export/mapping.h"
#include "export/table.h"
#include "fairness/summary.h"
#include "store/store.h"
#include "trial/session.h"

namespace fencepost::cli {
namespace {

constexpr double k_patience = 60;  // seconds that a device may be silent beside its launches: opening, compiling

// A mapping by name, or a table of roles from a file.
struct Wanted {
  exports::Mapping mapping = exports::Mapping::plain;
  std::shared_ptr<const exports::RoleTable> table;
};

// What became of a task.
struct Piece {
  fairness::Result result;
  trial::Started started;
  std::map<uint32_t, trial::Run> runs;  // each of the result's

  void add(uint32_t number, const trial::Run& run) {
    if (runs.emplace(number, run).second) result.runs.add(run);
  }
};

// A program that an assembler changed says nothing of the test.
bool dropped(const Piece& p) { return p.started.what_ran.starts_with("dropped"); }
bool counts(const Piece& p) { return !p.runs.empty() && !dropped(p); }

class Command {
 public:
  Command(const Settings& s, const Console& console) : s_(s), console_(console) {}

  Expected<void> prepare(const std::vector<std::string>& operands);
  int run();

 private:
  Expected<std::vector<Wanted>> mappings() const;
  void on(const trial::Started& m);
  bool on(const trial::Ran& m);
  void on(const trial::Refused& m);
  bool on(const trial::Message& m);
  void print(const fairness::Summary& summary, const std::vector<fairness::Result>& results);
  std::string line_of(const Piece& p, const fairness::Runs& r) const;
  std::string json_of(const Piece& p, const fairness::Runs& r) const;

  const Settings& s_;
  const Console& console_;
  std::vector<fair::Model> models_;
  std::vector<axb::Test> tests_;
  std::vector<trial::Task> tasks_;
  std::vector<Piece> pieces_;
  std::optional<store::Store> store_;
  Diagnostics failed_;
  uint64_t added_ = 0;
  int code_ = k_exit_holds;
};

Expected<std::vector<Wanted>> Command::mappings() const {
  std::vector<Wanted> out;
  std::set<std::string> seen;
  for (const std::string& m : s_.mappings.empty() ? std::vector<std::string>{"plain"} : s_.mappings) {
    Wanted w;
    if (const auto mapping = exports::mapping_from(m)) {
      w.mapping = *mapping;
    } else if (m.find_first_of("./") != std::string::npos) {
      const auto source = read_file(m);
      if (!source) return std::unexpected(source.error());
      auto table = exports::parse_table(*source);
      if (!table) return std::unexpected(table.error());
      w = {exports::Mapping::table, std::move(*table)};
    } else {
      const std::string near = nearest(m, exports::mapping_names());
      return error_at({}, fmt::format("'{}' is not a value for --mapping", m),
                      near.empty() ? fmt::format("one of {}, or a file (with '.' or '/' in its path)",
                                                 fmt::join(exports::mapping_names(), ", "))
                                   : fmt::format("did you mean '{}'?", near));
    }
    const std::string name = w.table ? w.table->name : m;
    const bool fresh = seen.insert(name).second;
    if (!fresh && w.table)
      return error_at({}, fmt::format("two mappings are named '{}'", name), "rename one of the files' mappings");
    if (fresh) out.push_back(std::move(w));
  }
  return out;
}

Expected<void> Command::prepare(const std::vector<std::string>& operands) {
  const auto wanted = mappings();
  if (!wanted) return std::unexpected(wanted.error());
  auto models = progress_models(s_.progress_models);
  if (!models) return std::unexpected(models.error());
  models_ = std::move(*models);
  const auto named = progress_tests(operands);
  if (!named) return std::unexpected(named.error());
  for (const NamedTest& t : *named) {
    tests_.push_back(t.test);
    if (tests_.back().name.empty()) tests_.back().name = t.label;
  }
  std::map<std::string, std::vector<store::ProgressRecord>> known;  // by hash and mapping
  if (!s_.progress_store.empty()) {
    auto opened = store::Store::open(s_.progress_store);
    if (!opened) return std::unexpected(opened.error());
    store_ = std::move(*opened);
    const auto records = store_->progress_records();
    if (!records) return std::unexpected(records.error());
    for (const store::ProgressRecord& r : *records)
      if (r.campaign.empty()) known[r.test + '\n' + r.test_hash + '\n' + r.mapping].push_back(r);
    for (const axb::Test& t : tests_)
      if (const auto kept = store_->remember_test(trial::hash_of(t), axb::to_pseudo_code(t)); !kept) return kept;
  }
  for (const Wanted& w : *wanted)
    for (uint32_t t = 0; t < tests_.size(); ++t) {
      trial::Task task;
      task.test = tests_[t];
      task.device = s_.device;
      task.options.mapping = w.mapping;
      task.options.table = w.table;
      task.options.variant = *trial::variant_from(s_.variant);
      task.options.total = static_cast<uint32_t>(s_.total);
      task.options.seed = s_.seed;
      task.options.order = *exports::order_from(s_.order);
      task.options.loads = *exports::loads_from(s_.loads);
      task.options.contention = s_.contention;
      task.options.limit = s_.watchdog;
      // A grid runs in several waves, and every wave may wait for the watchdog of its own before it looks at the flag.
      task.options.launch_limit = s_.progress_launch_limit > 0 ? s_.progress_launch_limit : 20 + 10 * s_.watchdog;
      task.options.watchdog = !s_.no_watchdog;
      task.runs = s_.progress_runs;
      task.early_stop = s_.early_stop;
      const std::string mapping = trial::mapping_text(task.options);
      const std::string key = tests_[t].name + '\n' + trial::hash_of(tests_[t]) + '\n' + mapping;
      if (const auto found = known.find(key); found != known.end()) task.known = found->second;
      tasks_.push_back(std::move(task));
      pieces_.push_back({{t, mapping, *exports::order_from(s_.order), {}, false}, {}, {}});
    }
  return {};
}

void Command::on(const trial::Started& m) {
  Piece& p = pieces_[m.task];
  p.started = m;
  p.result.any_order = trial::any_order(m.variant);
  if (dropped(p)) {
    console_.err(fmt::format("{}, {}: its runs count for nothing, another program ran ({})\n",
                             tests_[p.result.test].name, p.result.mapping, m.what_ran));
    code_ = worse(code_, k_exit_undecided);
  }
  for (const store::ProgressRecord& r : tasks_[m.task].known)
    if (r.device == m.device && r.variant == m.variant && r.run < s_.progress_runs)
      if (const auto run = trial::run_of(r)) p.add(r.run, *run);
}

bool Command::on(const trial::Ran& m) {
  Piece& p = pieces_[m.task];
  p.add(m.number, m.run);
  if (!store_) return true;
  const auto added = store_->add(trial::record_of(tasks_[m.task].test, tasks_[m.task].options, p.started, m));
  if (!added) {
    failed_ = added.error();
    return false;
  }
  added_ += *added;
  return true;
}

void Command::on(const trial::Refused& m) {
  Piece& p = pieces_[m.task];
  const Diagnostics why = (m.unsupported ? unsupported_at({}, m.why, m.hint) : error_at({}, m.why, m.hint)).error();
  console_.err(fmt::format("{}, {}: {}", tests_[p.result.test].name, p.result.mapping, render(why)));
  code_ = worse(code_, exit_code(why));
}

bool Command::on(const trial::Message& m) {
  if (const auto* s = std::get_if<trial::Started>(&m)) on(*s);
  if (const auto* r = std::get_if<trial::Ran>(&m)) return on(*r);
  if (const auto* x = std::get_if<trial::Refused>(&m)) on(*x);
  return true;
}

int Command::run() {
  Progress progress(console_, tasks_.size(), "tests");
  Job job = job_of(s_);
  const bool whole = trial::run_tasks(tasks_, k_patience, job, [&](const trial::Message& m) {
    if (std::holds_alternative<trial::Refused>(m)) progress.clear();
    const bool go_on = on(m);
    progress.at(std::visit([](const auto& x) { return x.task; }, m));
    return go_on;
  });
  progress.clear();
  if (!failed_.list.empty()) return report_errors(console_, failed_);
  if (!whole) {
    console_.err("stopped before all runs were done\n");
    code_ = worse(code_, k_exit_undecided);
  }
  std::vector<fairness::Result> results;
  for (const Piece& p : pieces_)
    if (counts(p)) results.push_back(p.result);
  const auto summary = fairness::summarise(tests_, results, models_);
  if (!summary) return report_errors(console_, summary.error());
  print(*summary, results);
  for (const fairness::ModelRow& m : summary->models)
    if (!m.violated.empty()) code_ = worse(code_, k_exit_fails);
  return code_;
}

std::string Command::line_of(const Piece& p, const fairness::Runs& r) const {
  return fmt::format("{}  {}  starved {} of {}{}{}\n", tests_[p.result.test].name, p.result.mapping, r.bad(), r.total,
                     r.hung > 0 ? fmt::format(" ({} hung)", r.hung) : "",
                     r.threads != 0 ? fmt::format(", thread{} {}", (r.threads & (r.threads - 1)) != 0 ? "s" : "",
                                                  trial::threads_text(r.threads))
                                    : "");
}

std::string Command::json_of(const Piece& p, const fairness::Runs& r) const {
  std::string runs;
  for (const auto& [number, run] : p.runs)
    runs += fmt::format(
        "{}{{\"run\": {}, \"outcome\": \"{}\", \"waiting\": \"{}\", \"unstarted\": \"{}\", \"starved_instances\": {}, "
        "\"seconds\": {:.6f}}}",
        runs.empty() ? "" : ", ", number, trial::to_string(run.outcome), trial::threads_text(run.waiting),
        trial::threads_text(run.unstarted), run.starved_instances, run.seconds);
  return fmt::format(
      "{{\"test\": {}, \"mapping\": \"{}\", \"device\": {}, \"variant\": {}, \"what_ran\": {}, \"instances\": {}, "
      "\"frequency\": \"{}\", \"threads\": \"{}\", \"runs\": [{}]}}",
      json_string(tests_[p.result.test].name), p.result.mapping, json_string(p.started.device),
      json_string(p.started.variant), json_string(p.started.what_ran), p.started.instances,
      fairness::name(fairness::frequency(r)), trial::threads_text(r.threads), runs);
}

void Command::print(const fairness::Summary& summary, const std::vector<fairness::Result>& results) {
  std::string lines, json;
  uint64_t runs = 0;
  for (const Piece& p : pieces_) {
    if (!counts(p)) continue;
    const fairness::Runs& r = p.result.runs;
    runs += r.total;
    if (r.bad() > 0) lines += line_of(p, r);
    if (s_.json) json += fmt::format("{}\n    {}", json.empty() ? "" : ",", json_of(p, r));
  }
  if (s_.json) {
    console_.out(
        fmt::format("{{\n  \"schema\": \"fencepost.progress.run/1\",\n  \"summary\": {},\n  \"results\": [{}]\n}}\n",
                    fairness::to_json(summary, tests_), json));
    return;
  }
  if (results.empty()) return;
  console_.out(lines + (lines.empty() ? "" : "\n") + fairness::to_text(summary, tests_));
  console_.out(fmt::format("\n{} weak and {} strong tests, {} runs{}\n", summary.weak_tests, summary.strong_tests, runs,
                           store_ ? fmt::format(", {} of them new in {}", added_, s_.progress_store) : ""));
}

}  // namespace

int run_progress_run(const CommandLine& line, const Console& console) {
  Command command(line.settings, console);
  if (const auto ok = command.prepare(line.operands); !ok) return report_errors(console, ok.error());
  return command.run();
}

}  // namespace fencepost::cli

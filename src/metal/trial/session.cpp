#include "trial/session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "campaign/child.h"
#include "campaign/runner.h"

namespace fencepost::trial {
namespace {

using Json = nlohmann::json;

// ---- the pipe --------------------------------------------------------------------------------------------

std::string to_json(const Message& m) {
  Json j;
  if (const auto* s = std::get_if<Started>(&m))
    j = {{"kind", "started"},         {"task", s->task},          {"device", s->device},     {"driver", s->driver},
         {"variant", s->variant},     {"binary", s->binary_hash}, {"what_ran", s->what_ran}, {"total", s->total},
         {"instances", s->instances}, {"limit", s->limit}};
  else if (const auto* r = std::get_if<Ran>(&m))
    j = {{"kind", "ran"},
         {"task", r->task},
         {"number", r->number},
         {"outcome", static_cast<int>(r->run.outcome)},
         {"waiting", r->run.waiting},
         {"unstarted", r->run.unstarted},
         {"instances", r->run.instances},
         {"starved", r->run.starved_instances},
         {"seconds", r->run.seconds}};
  else if (const auto* f = std::get_if<Finished>(&m))
    j = {{"kind", "finished"}, {"task", f->task}};
  else if (const auto* x = std::get_if<Refused>(&m))
    j = {{"kind", "refused"}, {"task", x->task}, {"unsupported", x->unsupported}, {"why", x->why}, {"hint", x->hint}};
  // A driver's words may be in any encoding.
  return j.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Message message_of(const std::string& text) {
  const Json j = Json::parse(text);
  const std::string kind = j["kind"];
  const size_t task = j["task"];
  if (kind == "started")
    return Started{task,          j["device"], j["driver"],    j["variant"], j["binary"],
                   j["what_ran"], j["total"],  j["instances"], j["limit"]};
  if (kind == "ran") {
    Run run;
    run.outcome = static_cast<Outcome>(j["outcome"].get<int>());
    run.waiting = j["waiting"];
    run.unstarted = j["unstarted"];
    run.instances = j["instances"];
    run.starved_instances = j["starved"];
    run.seconds = j["seconds"];
    return Ran{task, j["number"], run};
  }
  if (kind == "finished") return Finished{task};
  return Refused{task, j["unsupported"], j["why"], j["hint"]};
}

// ---- the child -------------------------------------------------------------------------------------------

Refused refusal(size_t task, const Diagnostics& why) {
  const Diagnostic& d = why.list.front();
  return {task, d.fault == Fault::unsupported, d.message, d.hint};
}

// What the parent knows by now of the task in hand: a new child goes on there.
using Known = std::map<uint32_t, Run>;

// False: the device is dead, and the child should go.
bool work(size_t number, const Task& t, const Known& reported, device::Backend& backend, Modules& modules, int to) {
  auto trial = Trial::make(t.test, t.options, backend, &modules);
  if (!trial) {
    campaign::send(to, to_json(refusal(number, trial.error())));
    return true;
  }
  const Setup& s = trial->setup();
  const std::string device = stored_name(s.device);
  campaign::send(to, to_json(Started{number, device, s.device.driver, s.variant, s.binary_hash, s.what_ran, s.total,
                                     s.instances, s.limit}));
  Known known = reported;
  for (const store::ProgressRecord& r : t.known)
    if (r.device == device && r.variant == s.variant)
      if (const auto run = run_of(r)) known.emplace(r.run, *run);
  for (uint32_t n = 0; n < t.runs && !(t.early_stop && settled(known)); ++n) {
    if (known.contains(n)) continue;
    const auto run = trial->run(n);
    if (!run) {
      campaign::send(to, to_json(refusal(number, run.error())));
      return false;
    }
    campaign::send(to, to_json(Ran{number, n, *run}));
    known[n] = *run;
    if (run->outcome == Outcome::hung) return false;
  }
  campaign::send(to, to_json(Finished{number}));
  return true;
}

void child(const std::vector<Task>& tasks, size_t first, const Known& reported, int to) {
  std::map<std::string, std::unique_ptr<device::Backend>> open;
  std::map<std::string, Modules> modules;
  for (size_t i = first; i < tasks.size(); ++i) {
    auto& backend = open[tasks[i].device];
    if (!backend) {
      auto made = campaign::open_device(tasks[i].device, tasks[i].options.seed);
      if (!made) {
        campaign::send(to, to_json(refusal(i, made.error())));
        continue;
      }
      // A trial is one launch, and would run on the first of them without a word.
      if ((*made)->several() != nullptr) {
        campaign::send(to, to_json(refusal(i, unsupported_at({}, "progress tests run on one device, and " +
                                                                     tasks[i].device + " is several")
                                                  .error())));
        continue;
      }
      backend = std::move(*made);
    }
    if (!work(i, tasks[i], i == first ? reported : Known{}, *backend, modules[tasks[i].device], to)) break;
  }
  _exit(0);  // destructors of a driver whose kernel hangs may hang too
}

// ---- the parent ------------------------------------------------------------------------------------------

// Where the work stands.
struct Place {
  size_t task = 0;       // the first that has not ended
  bool started = false;  // in this child
  Known reported;        // runs of that task
  uint32_t next(const Task& t, const std::string& device, const std::string& variant) const {
    for (uint32_t n = 0;; ++n) {
      const bool stored = std::any_of(t.known.begin(), t.known.end(), [&](const store::ProgressRecord& r) {
        return r.run == n && r.device == device && r.variant == variant;
      });
      if (!stored && !reported.contains(n)) return n;
    }
  }
};

}  // namespace

bool run_tasks(const std::vector<Task>& tasks, double patience, Job& job,
               const std::function<bool(const Message&)>& on_message) {
  constexpr double k_tick = 0.2;  // seconds that a cancelled job may go on
  Place place;
  while (place.task < tasks.size()) {
    place.started = false;
    Started now;
    bool spoke_last = false;  // the child's last message may have been its own good-bye
    const campaign::Child c = campaign::start_child([&](int to) { child(tasks, place.task, place.reported, to); });
    campaign::MessageReader reader(c.from);
    double quiet = 0;
    while (true) {
      if (job.out_of_time()) {
        campaign::stop_child(c, true);
        return false;
      }
      std::string text;
      const campaign::ReadStatus status = reader.next(text, k_tick);
      if (status == campaign::ReadStatus::text) {
        quiet = 0;
        const Message m = message_of(text);
        spoke_last = false;
        if (const auto* s = std::get_if<Started>(&m)) {
          now = *s;
          place.started = true;
        } else if (const auto* r = std::get_if<Ran>(&m)) {
          place.reported[r->number] = r->run;
          spoke_last = r->run.outcome == Outcome::hung;
        } else {
          ++place.task;
          place.reported.clear();
          place.started = false;
          spoke_last = true;
        }
        if (on_message(m)) continue;
        campaign::stop_child(c, true);
        return false;
      }
      const bool over = place.task == tasks.size();
      if (status == campaign::ReadStatus::silence) {
        quiet += k_tick;
        if (quiet < patience + (over ? 0 : tasks[place.task].options.launch_limit)) continue;
        campaign::stop_child(c, true);
        if (over) break;
        Message m;
        if (place.started) {
          Run run;
          run.outcome = Outcome::hung;
          run.instances = now.instances;
          run.seconds = quiet;
          const uint32_t n = place.next(tasks[place.task], now.device, now.variant);
          place.reported[n] = run;
          m = Ran{place.task, n, run};
        } else {
          m = Refused{place.task++, true,
                      fmt::format("the device reported nothing for {:.0f} s before the first run", quiet), ""};
          place.reported.clear();
        }
        if (!on_message(m)) return false;
        break;
      }
      const bool garbled = status == campaign::ReadStatus::garbled;
      std::string why = campaign::stop_child(c, garbled);
      if (garbled) {
        why = "a message of its process came garbled";
        spoke_last = false;
      }
      if (over || spoke_last) break;
      const size_t lost = place.task++;
      place.reported.clear();
      if (!on_message(Refused{lost, true, "the run was lost: " + why, ""})) return false;
      break;
    }
  }
  return true;
}

std::string stored_name(const device::Info& info) {
  const bool same = info.name.empty() || info.name == device::name(info.api);
  return same ? info.id : fmt::format("{} {}", device::name(info.api), info.name);
}

std::string hash_of(const axb::Test& test) { return store::hash_of(axb::to_pseudo_code(test)); }

store::ProgressRecord record_of(const axb::Test& test, const Options& options, const Started& started, const Ran& ran) {
  store::ProgressRecord r;
  r.test = test.name;
  r.test_hash = hash_of(test);
  r.device = started.device;
  r.mapping = mapping_text(options);
  r.variant = started.variant;
  r.run = ran.number;
  r.outcome = to_string(ran.run.outcome);
  r.starved = threads_text(ran.run.starved());
  r.driver = started.driver;
  r.binary_hash = started.binary_hash;
  r.parameters = fmt::format("limit={:g},waiting={},unstarted={},what_ran={}", started.limit, ran.run.waiting,
                             ran.run.unstarted, started.what_ran);
  r.seed = options.seed;
  r.instances = ran.run.instances;
  r.starved_instances = ran.run.starved_instances;
  r.seconds = ran.run.seconds;
  r.finished_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count();
  return r;
}

Expected<Run> run_of(const store::ProgressRecord& record) {
  const auto outcome = outcome_from(record.outcome);
  const auto starved = threads_from(record.starved);
  if (!outcome || !starved)
    return error_at({}, fmt::format("run {} of {} is stored as '{}' with threads '{}', which is not an outcome",
                                    record.run, record.test, record.outcome, record.starved));
  Run run;
  run.outcome = *outcome;
  const auto number = [&](std::string_view key, ThreadSet fallback) {
    const size_t at = record.parameters.find(key);
    return at == std::string::npos
               ? fallback
               : static_cast<ThreadSet>(std::strtoull(record.parameters.c_str() + at + key.size(), nullptr, 10));
  };
  run.waiting = number(",waiting=", *starved);
  run.unstarted = number(",unstarted=", 0);
  run.instances = static_cast<uint32_t>(record.instances);
  run.starved_instances = static_cast<uint32_t>(record.starved_instances);
  run.seconds = record.seconds;
  return run;
}

bool settled(const std::map<uint32_t, Run>& runs) {
  uint32_t n = 0;
  for (; n < k_same; ++n) {
    const auto it = runs.find(n);
    if (it == runs.end()) return false;
    const Run &first = runs.at(0), &run = it->second;
    if (run.outcome != first.outcome || run.starved() != first.starved()) return false;
  }
  return true;
}

}  // namespace fencepost::trial

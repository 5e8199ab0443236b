#include "campaign/session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "campaign/child.h"
#include "campaign/wire.h"

namespace fencepost::campaign {
namespace {

// ---- the child -------------------------------------------------------------------------------------------

// Opened devices of the child, by name; a device that failed is not asked again.
class Devices {
 public:
  Expected<device::Backend*> get(const std::string& id, uint64_t seed) {
    if (const auto found = open_.find(id); found != open_.end()) return found->second.get();
    auto made = open_device(id, seed);
    if (!made) return std::unexpected(made.error());
    return (open_[id] = std::move(*made)).get();
  }

 private:
  std::map<std::string, std::unique_ptr<device::Backend>> open_;
};

// The runner of the task before: tasks that differ in parameters, seed and ends alone share its loaded modules.
struct Loaded {
  const Task* task = nullptr;
  std::optional<Runner> runner;

  bool serves(const Task& t) const {
    if (task == nullptr || !runner || task->device != t.device || task->test != t.test) return false;
    // Kernels of a test that names clusters read them, whatever the parameters say.
    const bool named = std::any_of(t.test.threads.begin(), t.test.threads.end(),
                                   [](const prog::Thread& x) { return x.cluster != prog::k_none; });
    if (!named && plan::with_clusters({}, task->options.parameters) != plan::with_clusters({}, t.options.parameters))
      return false;
    Options same = t.options;
    same.parameters = task->options.parameters;
    same.seed = task->options.seed;
    same.iterations = task->options.iterations;
    same.seconds = task->options.seconds;
    same.events = task->options.events;
    same.unseen_seconds = task->options.unseen_seconds;
    return same == task->options;
  }
};

// One task; false: the device is dead, so the child should go.
bool work(size_t number, const Task& t, Devices& devices, Loaded& loaded, int to) {
  const auto refuse = [&](const Diagnostics& why) { send(to, to_json(Message(Refused{number, why}))); };
  const auto backend = devices.get(t.device, t.options.seed);
  if (!backend) {
    refuse(backend.error());
    return true;
  }
  if (loaded.serves(t)) {
    loaded.runner->set(t.options.parameters, t.options.seed);
  } else {
    loaded.runner.reset();  // its buffers go before others come
    auto made = Runner::make(t.test, t.options, **backend);
    if (!made) {
      refuse(made.error());
      return true;
    }
    loaded.runner.emplace(std::move(*made));
    loaded.task = &t;
  }
  Runner& runner = *loaded.runner;
  send(to, to_json(Message(Started{number, runner.setup()})));
  Job job;
  const auto totals = run_groups(runner, t.test, t.options, job, t.first_group, [&](const RoundGroup& g) {
    send(to, to_json(Message(Grouped{number, g})));
    return true;
  });
  if (totals) {
    send(to, to_json(Message(Finished{number, *totals})));
    return true;
  }
  // An input's fault (a parameter that cannot be met) names no device; a dead device does.
  const std::string& why = totals.error().list.front().message;
  const bool dead = why.starts_with(runner.setup().device.id);
  if (!dead) {
    refuse(totals.error());
    return true;
  }
  send(to, to_json(Message(Lost{number, why})));
  return false;
}

[[noreturn]] void child(const std::vector<Task>& tasks, size_t first, int to) {
  Devices devices;
  Loaded loaded;
  for (size_t i = first; i < tasks.size(); ++i)
    if (!work(i, tasks[i], devices, loaded, to)) break;
  // Destructors of a driver whose kernel hangs may hang too.
  _exit(0);
}

// ---- the parent ------------------------------------------------------------------------------------------

size_t task_of(const Message& m) {
  return std::visit([](const auto& x) { return x.task; }, m);
}
bool ends_task(const Message& m) { return !std::holds_alternative<Started>(m) && !std::holds_alternative<Grouped>(m); }

}  // namespace

bool run_tasks(const std::vector<Task>& tasks, const SessionOptions& options, Job& job,
               const std::function<bool(const Message&)>& on_message) {
  constexpr double k_look = 0.2;  // seconds that a cancelled job may go on
  size_t next = 0;                // the first task that has not ended
  while (next < tasks.size()) {
    const Child c = start_child([&](int to) { child(tasks, next, to); });
    MessageReader reader(c.from);
    double quiet = 0;
    uint64_t expected = tasks[next].first_group;
    bool ended_here = false;  // this child has ended a task, maybe because its device died
    while (true) {
      if (job.out_of_time()) {
        stop_child(c, true);
        return false;
      }
      std::string text;
      const ReadStatus status = reader.next(text, k_look);
      if (status == ReadStatus::text) {
        quiet = 0;
        const Message m = message_of(text);
        if (const auto* g = std::get_if<Grouped>(&m)) {
          const std::string fault =
              g->task == next ? fault_of(g->group, tasks[next].options, expected) : "it is another test's";
          if (!fault.empty()) {
            stop_child(c, true);
            if (!on_message(Lost{next++, fmt::format("a round group was lost or changed on its way here: {}", fault)}))
              return false;
            break;
          }
          ++expected;
        }
        if (const auto* f = std::get_if<Finished>(&m);
            f != nullptr && f->task == next && f->totals.groups != expected - tasks[next].first_group) {
          stop_child(c, true);
          if (!on_message(Lost{next++, "round groups were lost on their way here"})) return false;
          break;
        }
        ended_here = ends_task(m);
        if (ended_here) {
          next = task_of(m) + 1;
          if (next < tasks.size()) expected = tasks[next].first_group;
        }
        if (on_message(m)) continue;
        stop_child(c, true);
        return false;
      }
      const bool over = next == tasks.size();
      std::string why;
      if (status == ReadStatus::silence) {
        quiet += k_look;
        // A launch may take its limit, and a round group several; a compiler may take a while too.
        const double patience =
            over ? options.silence
                 : options.silence + 3 * tasks[next].options.launch_limit + tasks[next].options.group_seconds;
        if (quiet < patience) continue;
        stop_child(c, true);
        why = fmt::format("its process reported nothing for {:.0f} s and was killed", quiet);
      } else if (status == ReadStatus::garbled) {
        stop_child(c, true);
        why = "a message of the process that ran it came garbled";
      } else {
        why = stop_child(c, false);
        if (ended_here) break;  // the child gave itself up after its last message; the next one goes on
      }
      if (!over && !on_message(Lost{next++, why})) return false;
      break;
    }
  }
  return true;
}

device::Found find_devices_apart(double seconds) {
  const Child c = start_child([](int to) { send(to, to_json(device::find_devices())); });
  MessageReader reader(c.from);
  std::string text;
  switch (reader.next(text, seconds)) {
    case ReadStatus::text:
      stop_child(c, true);
      return found_of(text);
    case ReadStatus::silence: {
      stop_child(c, true);
      device::Found f;
      f.absent.push_back({"all", fmt::format("looking for devices took longer than {:g} s", seconds)});
      return f;
    }
    case ReadStatus::garbled:
      stop_child(c, true);
      return {{}, {{"all", "the process that looked for devices sent a garbled answer"}}};
    case ReadStatus::end:
      break;
  }
  device::Found f;
  f.absent.push_back({"all", fmt::format("looking for devices failed: {}", stop_child(c, false))});
  return f;
}

}  // namespace fencepost::campaign

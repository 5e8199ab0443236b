#include "campaign/session.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "campaign/wire.h"

namespace fencepost::campaign {
namespace {

// ---- the child -------------------------------------------------------------------------------------------

bool write_all(int to, const char* data, size_t n) {
  while (n > 0) {
    const ssize_t done = ::write(to, data, n);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    data += done;
    n -= static_cast<size_t>(done);
  }
  return true;
}

void send(int to, const std::string& text) {
  const auto n = static_cast<uint32_t>(text.size());
  if (!write_all(to, reinterpret_cast<const char*>(&n), sizeof n) || !write_all(to, text.data(), text.size())) _exit(3);
}

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

// One task; false: the device is dead, so the child should go.
bool work(size_t number, const Task& t, Devices& devices, int to) {
  const auto refuse = [&](const Diagnostics& why) { send(to, to_json(Message(Refused{number, why}))); };
  const auto backend = devices.get(t.device, t.options.seed);
  if (!backend) {
    refuse(backend.error());
    return true;
  }
  auto runner = Runner::make(t.test, t.options, **backend);
  if (!runner) {
    refuse(runner.error());
    return true;
  }
  send(to, to_json(Message(Started{number, runner->setup()})));
  Job job;
  const auto totals = run_groups(*runner, t.test, t.options, job, t.first_group, [&](const RoundGroup& g) {
    send(to, to_json(Message(Grouped{number, g})));
    return true;
  });
  if (totals) {
    send(to, to_json(Message(Finished{number, *totals})));
    return true;
  }
  // An input's fault (a parameter that cannot be met) names no device; a dead device does.
  const std::string& why = totals.error().list.front().message;
  const bool dead = why.starts_with(runner->setup().device.id);
  if (!dead) {
    refuse(totals.error());
    return true;
  }
  send(to, to_json(Message(Lost{number, why})));
  return false;
}

[[noreturn]] void child(const std::vector<Task>& tasks, size_t first, int to) {
  Devices devices;
  for (size_t i = first; i < tasks.size(); ++i)
    if (!work(i, tasks[i], devices, to)) break;
  // Destructors of a driver whose kernel hangs may hang too.
  _exit(0);
}

// ---- the parent ------------------------------------------------------------------------------------------

struct Child {
  pid_t pid = -1;
  int from = -1;
};

Child start(const std::function<void(int)>& body) {
  int ends[2];
  FENCEPOST_INVARIANT(::pipe2(ends, O_CLOEXEC) == 0, "a pipe to a child process could not be made");
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  FENCEPOST_INVARIANT(pid >= 0, "a child process could not be started");
  if (pid == 0) {
    ::close(ends[0]);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a killed parent leaves no child at work
    if (::getppid() != parent) _exit(3);
    ::signal(SIGPIPE, SIG_IGN);
    body(ends[1]);
    _exit(0);
  }
  ::close(ends[1]);
  return {pid, ends[0]};
}

std::string end_of(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("the process that ran it died of signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  return fmt::format("the process that ran it ended with status {}", WEXITSTATUS(status));
}

std::string stop(const Child& c, bool kill) {
  if (kill) ::kill(c.pid, SIGKILL);
  ::close(c.from);
  int status = 0;
  while (::waitpid(c.pid, &status, 0) < 0 && errno == EINTR) {
  }
  return end_of(status);
}

enum class Heard : uint8_t { text, silence, end };

// Reads messages off a pipe, however they arrive.
class Ear {
 public:
  explicit Ear(int from) : from_(from) {}
  Heard next(std::string& text, double seconds) {
    while (true) {
      uint32_t n = 0;
      if (held_.size() >= sizeof n) {
        std::memcpy(&n, held_.data(), sizeof n);
        if (held_.size() >= sizeof n + n) {
          text = held_.substr(sizeof n, n);
          held_.erase(0, sizeof n + n);
          return Heard::text;
        }
      }
      pollfd p{from_, POLLIN, 0};
      const int ready = ::poll(&p, 1, static_cast<int>(std::min(seconds * 1000, 2e9)));
      if (ready < 0 && errno == EINTR) continue;
      if (ready == 0) return Heard::silence;
      char buffer[65536];
      const ssize_t got = ::read(from_, buffer, sizeof buffer);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return Heard::end;
      held_.append(buffer, static_cast<size_t>(got));
    }
  }

 private:
  int from_;
  std::string held_;
};

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
    const Child c = start([&](int to) { child(tasks, next, to); });
    Ear ear(c.from);
    double quiet = 0;
    bool ended_here = false;  // this child has ended a task, maybe because its device died
    while (true) {
      if (job.out_of_time()) {
        stop(c, true);
        return false;
      }
      std::string text;
      const Heard heard = ear.next(text, k_look);
      if (heard == Heard::text) {
        quiet = 0;
        const Message m = message_of(text);
        ended_here = ends_task(m);
        if (ended_here) next = task_of(m) + 1;
        if (on_message(m)) continue;
        stop(c, true);
        return false;
      }
      const bool over = next == tasks.size();
      std::string why;
      if (heard == Heard::silence) {
        quiet += k_look;
        // A launch may take its limit, and a round group several; a compiler may take a while too.
        const double patience =
            over ? options.silence
                 : options.silence + 3 * tasks[next].options.launch_limit + tasks[next].options.group_seconds;
        if (quiet < patience) continue;
        stop(c, true);
        why = fmt::format("nothing was heard of it for {:.0f} s, and its process was killed", quiet);
      } else {
        why = stop(c, false);
        if (ended_here) break;  // the child gave itself up after its last message; the next one goes on
      }
      if (!over && !on_message(Lost{next++, why})) return false;
      break;
    }
  }
  return true;
}

device::Found find_devices_apart(double seconds) {
  const Child c = start([](int to) { send(to, to_json(device::find_devices())); });
  Ear ear(c.from);
  std::string text;
  switch (ear.next(text, seconds)) {
    case Heard::text:
      stop(c, true);
      return found_of(text);
    case Heard::silence: {
      stop(c, true);
      device::Found f;
      f.absent.push_back({"all", fmt::format("looking for devices took longer than {:g} s", seconds)});
      return f;
    }
    case Heard::end:
      break;
  }
  device::Found f;
  f.absent.push_back({"all", fmt::format("looking for devices failed: {}", stop(c, false))});
  return f;
}

}  // namespace fencepost::campaign

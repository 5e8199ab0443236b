#pragma once
// Runs numbered pieces of work in several child processes and survives their deaths: an engine that breaks an
// invariant ends its process, and a fuzzer has to go on with the next program and report this one.
#include <poll.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <type_traits>
#include <vector>

namespace fencepost::fuzz {

// Ends this process by SIGPROF after so many seconds of processor time from now: a machine that is busy with other work
// is no fault of the program. What sleeps is ended by SIGALRM after twenty times as long.
inline void limit_time(unsigned seconds) {
  const itimerval after{{0, 0}, {static_cast<time_t>(seconds), 0}};
  setitimer(ITIMER_PROF, &after, nullptr);
  alarm(20 * seconds);
}

// Was this process ended by limit_time?
inline bool out_of_time(int status) {
  return WIFSIGNALED(status) && (WTERMSIG(status) == SIGPROF || WTERMSIG(status) == SIGALRM);
}

// Work i runs in one of `jobs` processes and answers with a plain value that fits a pipe's atomic write.
// `seconds` is the most processor time that one piece may take before its process is killed.
template <class Record>
void run_in_workers(uint64_t count, unsigned jobs, unsigned seconds, const std::function<Record(uint64_t)>& work,
                    const std::function<void(uint64_t, const Record&)>& done,
                    const std::function<void(uint64_t, int)>& died) {
  static_assert(std::is_trivially_copyable_v<Record>);
  struct Message {
    bool begin;
    uint64_t index;
    Record record;
  };
  static_assert(sizeof(Message) <= 4096, "one message is one atomic write");
  struct Worker {
    pid_t pid = -1;
    int fd = -1;
    uint64_t current = 0;
    uint64_t next = 0;  // where a replacement goes on
    bool busy = false;
  };
  jobs = std::max(1u, jobs);
  std::vector<Worker> workers(jobs);
  const auto start = [&](Worker& w) {
    int ends[2];
    if (pipe(ends) != 0) return;
    std::fflush(nullptr);
    const pid_t pid = fork();
    if (pid == 0) {
      close(ends[0]);
      for (uint64_t i = w.next; i < count; i += jobs) {
        limit_time(seconds);
        Message m{true, i, {}};
        if (write(ends[1], &m, sizeof m) != sizeof m) _exit(3);
        m.record = work(i);
        m.begin = false;
        if (write(ends[1], &m, sizeof m) != sizeof m) _exit(3);
      }
      std::fflush(nullptr);
      _exit(0);
    }
    close(ends[1]);
    w.pid = pid;
    w.fd = ends[0];
    w.busy = false;
  };
  for (unsigned k = 0; k < jobs; ++k) {
    workers[k].next = k;
    if (k < count) start(workers[k]);
  }
  for (;;) {
    std::vector<pollfd> fds;
    std::vector<Worker*> owners;
    for (Worker& w : workers)
      if (w.fd >= 0) {
        fds.push_back({w.fd, POLLIN, 0});
        owners.push_back(&w);
      }
    if (fds.empty()) return;
    if (poll(fds.data(), fds.size(), -1) < 0) continue;
    for (size_t k = 0; k < fds.size(); ++k) {
      if (fds[k].revents == 0) continue;
      Worker& w = *owners[k];
      Message m;
      const ssize_t n = ::read(w.fd, &m, sizeof m);
      if (n == static_cast<ssize_t>(sizeof m)) {
        w.busy = m.begin;
        w.current = m.index;
        w.next = m.index + jobs;
        if (!m.begin) done(m.index, m.record);
        continue;
      }
      close(w.fd);
      w.fd = -1;
      int status = 0;
      waitpid(w.pid, &status, 0);
      if (!w.busy) continue;
      died(w.current, status);
      if (w.next < count) start(w);
    }
  }
}

// Whether `work` ends its process abnormally, or says so itself.
inline bool fails_in_child(unsigned seconds, const std::function<bool()>& work) {
  std::fflush(nullptr);
  const pid_t pid = fork();
  if (pid == 0) {
    if (std::freopen("/dev/null", "w", stderr) == nullptr) _exit(0);
    limit_time(seconds);
    _exit(work() ? 1 : 0);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace fencepost::fuzz

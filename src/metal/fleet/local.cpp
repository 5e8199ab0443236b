#include "fleet/local.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/process.h"

namespace fencepost::fleet {

void Local::fill() {
  while (running_.size() < at_a_time_ && !waiting_.empty()) {
    const uint32_t task = waiting_.front();
    waiting_.pop_front();
    const std::string log = folder_.log(task), number = std::to_string(task);
    std::vector<std::string> words = {program_, "campaign", folder_.path(), "--task", number};
    std::vector<char*> argv;
    for (std::string& w : words) argv.push_back(w.data());
    argv.push_back(nullptr);
    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid == 0) {
      end_with_parent(parent, SIGKILL);
      const int in = ::open("/dev/null", O_RDONLY), out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
      if (in < 0 || out < 0 || ::dup2(in, 0) < 0 || ::dup2(out, 1) < 0 || ::dup2(out, 2) < 0) ::_exit(127);
      ::unsetenv(k_scratch_variable);
      ::close_range(3, ~0u, 0);
      ::execv(argv[0], argv.data());
      ::_exit(127);
    }
    if (pid < 0) {
      ended_[task] = fmt::format("no process could be started: {}", std::strerror(errno));
      continue;
    }
    charge(pid, false);
    running_[task] = pid;
  }
}

Expected<Look> Local::look() {
  for (auto it = running_.begin(); it != running_.end();) {
    int status = 0;
    if (::waitpid(it->second, &status, WNOHANG) == 0) {
      ++it;
      continue;
    }
    discharge(it->second);
    ended_[it->first] = WIFSIGNALED(status)
                            ? fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))
                            : fmt::format("exit status {}", WEXITSTATUS(status));
    it = running_.erase(it);
  }
  fill();
  Look out;
  out.running = running_.size();
  for (const auto& [task, pid] : running_) out.at_work.insert(task);
  out.at_work.insert(waiting_.begin(), waiting_.end());
  for (const auto& [task, how] : ended_)
    if (!out.at_work.contains(task)) out.ended[task] = how;
  return out;
}

Expected<void> Local::start(const std::vector<uint32_t>& tasks) {
  waiting_.insert(waiting_.end(), tasks.begin(), tasks.end());
  fill();
  return {};
}

// What a task has in its store by then is kept.
void Local::end() {
  waiting_.clear();
  for (const auto& [task, pid] : running_) ::kill(pid, SIGTERM);
  for (const auto& [task, pid] : running_) {
    for (int i = 0; i < 250 && ::waitpid(pid, nullptr, WNOHANG) == 0; ++i) {
      ::usleep(20'000);
      if (i == 200) ::kill(pid, SIGKILL);
    }
    discharge(pid);
  }
  running_.clear();
}

std::string Local::leave() {
  end();
  return "its processes were ended, and what they had finished is kept";
}

}  // namespace fencepost::fleet

#include "campaign/child.h"

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

#include "base/diagnostic.h"

namespace fencepost::campaign {
namespace {

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

std::string end_of(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("the process that ran it died of signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  return fmt::format("the process that ran it ended with status {}", WEXITSTATUS(status));
}

}  // namespace

void send(int to, const std::string& text) {
  const auto n = static_cast<uint32_t>(text.size());
  if (!write_all(to, reinterpret_cast<const char*>(&n), sizeof n) || !write_all(to, text.data(), text.size())) _exit(3);
}

Child start_child(const std::function<void(int)>& body) {
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

std::string stop_child(const Child& c, bool kill) {
  if (kill) ::kill(c.pid, SIGKILL);
  ::close(c.from);
  int status = 0;
  while (::waitpid(c.pid, &status, 0) < 0 && errno == EINTR) {
  }
  return end_of(status);
}

Heard Ear::next(std::string& text, double seconds) {
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

}  // namespace fencepost::campaign

#include "campaign/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/diagnostic.h"
#include "base/hash.h"
#include "base/process.h"

namespace fencepost::campaign {
namespace {

struct Head {
  uint64_t hash = 0, length = 0;
};
constexpr uint64_t k_longest = uint64_t{1} << 32;  // bytes of one text

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

std::string frame(const std::string& text) {
  const Head head{fnv1a(text), text.size()};
  return std::string(reinterpret_cast<const char*>(&head), sizeof head) + text;
}

void send(int to, const std::string& text) {
  const std::string whole = frame(text);
  if (!write_all(to, whole.data(), whole.size())) _exit(3);
}

Child start_child(const std::function<void(int)>& body) {
  int ends[2];
  FENCEPOST_INVARIANT(::pipe2(ends, O_CLOEXEC) == 0, "a pipe to a child process could not be made");
  name_scratch();
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  FENCEPOST_INVARIANT(pid >= 0, "a child process could not be started");
  if (pid == 0) {
    end_with_parent(parent, SIGKILL);  // a killed parent leaves no child at work
    ::close(ends[0]);
    ::signal(SIGPIPE, SIG_IGN);
    body(ends[1]);
    _exit(0);
  }
  charge(pid, false);
  ::close(ends[1]);
  return {pid, ends[0]};
}

std::string stop_child(const Child& c, bool kill) {
  if (kill) ::kill(c.pid, SIGKILL);
  ::close(c.from);
  int status = 0;
  while (::waitpid(c.pid, &status, 0) < 0 && errno == EINTR) {
  }
  discharge(c.pid);
  return end_of(status);
}

ReadStatus MessageReader::next(std::string& text, double seconds) {
  while (true) {
    Head head;
    if (held_.size() >= sizeof head) {
      std::memcpy(&head, held_.data(), sizeof head);
      if (head.length > k_longest) return ReadStatus::garbled;
      if (held_.size() >= sizeof head + head.length) {
        text = held_.substr(sizeof head, head.length);
        if (fnv1a(text) != head.hash) return ReadStatus::garbled;
        held_.erase(0, sizeof head + head.length);
        return ReadStatus::text;
      }
    }
    pollfd p{from_, POLLIN, 0};
    const int ready = ::poll(&p, 1, static_cast<int>(std::min(seconds * 1000, 2e9)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) return ReadStatus::silence;
    char buffer[65536];
    const ssize_t got = ::read(from_, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return ReadStatus::end;
    held_.append(buffer, static_cast<size_t>(got));
  }
}

}  // namespace fencepost::campaign

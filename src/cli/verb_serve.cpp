// serve: questions on standard input, one JSON object a line; answers on standard output, one a line, in the same order
// (docs/howto/serve.md has the form). For editors and agents, which pay the start of a process once.
//
// A question is a command line, so that what it means is written down once: it runs in a child of its own, as `run`
// would have run it. What an input does to a process (memory, time, an abort) is done to that child. Files that a
// question brings lie in a scratch folder, where the child works.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/child.h"
#include "base/process.h"
#include "cli/question.h"
#include "cli/verbs.h"

namespace fencepost::cli {
namespace {

using json = nlohmann::json;

constexpr size_t k_longest_line = size_t{16} << 20, k_longest_answer = size_t{64} << 20;

struct Heard : Said {
  bool cut = false;
};

// The child: never returns.
[[noreturn]] void run_question(const Question& q, const std::string& folder, const std::array<int, 2>& ends) {
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (nothing < 0 || ::dup2(nothing, 0) < 0 || ::dup2(ends[0], 1) < 0 || ::dup2(ends[1], 2) < 0 ||
      (!folder.empty() && ::chdir(folder.c_str()) != 0))
    ::_exit(k_exit_internal);
  const Console console = standard_console();
  int code = k_exit_internal;
  try {
    code = run(q.arguments, console);
  } catch (const std::exception& e) {
    console.err(std::string("fencepost: internal error: ") + e.what() + "\n");
  }
  ::_exit(finish_standard_streams() ? code : k_exit_internal);
}

// Both streams to their ends; what is longer than an answer may be is read and dropped.
void gather(std::array<pollfd, 2> from, Heard& said) {
  std::array<char, 1 << 16> block;
  const std::array<std::string*, 2> to = {&said.out, &said.err};
  while (from[0].fd >= 0 || from[1].fd >= 0) {
    if (::poll(from.data(), from.size(), -1) < 0 && errno != EINTR) return;
    for (size_t k = 0; k < 2; ++k) {
      if (from[k].fd < 0 || from[k].revents == 0) continue;
      const ssize_t n = ::read(from[k].fd, block.data(), block.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) {
        ::close(from[k].fd);
        from[k].fd = -1;
      } else if (to[k]->size() + static_cast<size_t>(n) <= k_longest_answer) {
        to[k]->append(block.data(), static_cast<size_t>(n));
      } else {
        said.cut = true;
      }
    }
  }
}

Expected<Heard> ask(const Question& q) {
  std::optional<ScratchFolder> folder;
  if (!q.files.empty()) {
    folder.emplace();
    if (folder->path().empty()) return error_at({}, "there is no folder for the files");
    if (const auto ok = write_files(q, folder->path()); !ok) return std::unexpected(ok.error());
  }
  int out[2], err[2];
  if (::pipe2(out, O_CLOEXEC) != 0) return error_at({}, "no pipe can be made");
  if (::pipe2(err, O_CLOEXEC) != 0) {
    ::close(out[0]), ::close(out[1]);
    return error_at({}, "no pipe can be made");
  }
  name_scratch();
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) {
    end_with_parent(parent, SIGTERM);
    run_question(q, folder ? folder->path() : "", {out[1], err[1]});
  }
  ::close(out[1]), ::close(err[1]);
  if (child < 0) {
    ::close(out[0]), ::close(err[0]);
    return error_at({}, "no process can be started");
  }
  charge(child, false);
  Heard said;
  said.status = k_exit_internal;
  gather({pollfd{out[0], POLLIN, 0}, pollfd{err[0], POLLIN, 0}}, said);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  discharge(child);
  if (WIFEXITED(status)) said.status = WEXITSTATUS(status);
  if (folder) said.made = files_made(q, folder->path());
  return said;
}

json answer_to(const std::string& line) {
  json id;
  const auto q = parse_question(line, id);
  if (!q) return refusal_form(id, q.error());
  const auto said = ask(*q);
  if (!said) return refusal_form(id, said.error());
  if (said->cut)
    return refusal_form(id,
                        error_at({}, fmt::format("the answer is longer than {} MiB", k_longest_answer >> 20)).error());
  return answer_form(id, *said);
}

// The next line without its end, from standard input: nothing at the end of it. A line that is too long is read to its
// end, and `too_long` says so.
class Lines {
 public:
  std::optional<std::string> next(bool& too_long) {
    too_long = false;
    for (;;) {
      if (const size_t end = buffer_.find('\n', looked_); end != std::string::npos) {
        std::string line = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        looked_ = 0;
        return line;
      }
      looked_ = buffer_.size();
      if (looked_ > k_longest_line) {
        too_long = true;
        buffer_.clear();
        looked_ = 0;
      }
      std::array<char, 1 << 16> block;
      const ssize_t n = ::read(0, block.data(), block.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) {
        if (buffer_.empty()) return std::nullopt;
        return std::exchange(buffer_, {});
      }
      buffer_.append(block.data(), static_cast<size_t>(n));
    }
  }

 private:
  std::string buffer_;
  size_t looked_ = 0;  // there is no end of a line before it
};

}  // namespace

int run_serve(const CommandLine& line, const Console& console) {
  if (!line.settings.stdio)
    return report_errors(console, error_at({}, "serve needs --stdio", "questions come on standard input").error());
  Lines lines;
  bool too_long = false;
  while (const auto next = lines.next(too_long)) {
    if (next->find_first_not_of(" \t\r") == std::string::npos && !too_long) continue;
    const json a =
        too_long
            ? refusal_form(nullptr,
                           error_at({}, fmt::format("the line is longer than {} MiB", k_longest_line >> 20)).error())
            : answer_to(*next);
    console.out(line_of(a));
    if (!finish_standard_streams()) return k_exit_internal;
  }
  return k_exit_holds;
}

}  // namespace fencepost::cli

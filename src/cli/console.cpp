#include "cli/console.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "base/printable.h"
#include "base/verdict.h"
#include "cli/output.h"

namespace fencepost::cli {
namespace {

// A closed stream would be the next file that is opened: what is printed would be written into a store. Opened the
// other way round, writing to it is the error that it should be.
void keep_closed_streams_closed() {
  for (const auto& [fd, mode] :
       {std::pair(STDIN_FILENO, O_WRONLY), std::pair(STDOUT_FILENO, O_RDONLY), std::pair(STDERR_FILENO, O_RDONLY)})
    if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
      const int taken = open("/dev/null", mode);
      if (taken >= 0 && taken != fd) close(taken);
    }
}

void say(std::string_view text) {
  const std::string clean = printable(text);
  std::fwrite(clean.data(), 1, clean.size(), stderr);
}

}  // namespace

Console standard_console() {
  keep_closed_streams_closed();
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  Console c;
  c.raw_out = [](std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size())
      throw OutputLost(fmt::format("the output cannot be written: {}", std::strerror(errno)));
  };
  c.out = [write = c.raw_out](std::string_view s) { write(printable(s)); };
  c.err = say;
  c.out_is_terminal = isatty(STDOUT_FILENO) != 0;
  c.err_is_terminal = isatty(STDERR_FILENO) != 0;
  c.raw_err = [](std::string_view s) { std::fwrite(s.data(), 1, s.size(), stderr); };
  return c;
}

void Console::draw(std::string_view line) const {
  const std::string text = "\r\x1b[K" + printable_name(line);
  raw_err ? raw_err(text) : err(text);
}

bool finish_standard_streams() {
  // The stream remembers a write that failed, also where the buffer was given up and is empty now.
  const bool out = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (!out && !reader_is_gone())
    std::fputs("fencepost: error: the output cannot be written, and what is there of it is cut\n", stderr);
  return std::fflush(stderr) == 0 && std::ferror(stderr) == 0 && out;
}

int worse(int a, int b) {
  const auto rank = [](int code) {
    switch (code) {
      case k_exit_holds:
        return 0;
      case k_exit_undecided:
        return 1;
      case k_exit_fails:
        return 2;
      case k_exit_bad_input:
        return 3;
      default:
        return 4;
    }
  };
  return rank(a) >= rank(b) ? a : b;
}

int exit_code(const Diagnostics& ds) {
  for (const Diagnostic& d : ds.list)
    if (d.severity == Severity::error) return d.fault == Fault::unsupported ? k_exit_undecided : k_exit_bad_input;
  return k_exit_bad_input;
}

}  // namespace fencepost::cli

// `fencepost prove` for many kernels at a time, for hold.py: the verifier with its clang and LLVM is opened once, and
// each kernel is asked about in a copy of this process, so that one that ends its process costs no other.
//   kernel_prover FILE...
// asks about these files first. A line of standard input is a JSON array, the words behind `prove`; a line of standard
// output answers it: [exit status, text]. A status of null: the kernel was given up after its seconds.
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/process.h"
#include "driver/gate.h"

namespace {

using nlohmann::json;

constexpr int k_patience = 120'000;  // milliseconds

json asked(const std::vector<std::string>& words) {
  int ends[2];
  if (pipe(ends) != 0) return json::array({nullptr, "no pipe"});
  const pid_t parent = getpid(), pid = fork();
  if (pid == 0) {
    fencepost::end_with_parent(parent, SIGKILL);
    close(ends[0]);
    std::string text;
    const auto keep = [&](std::string_view s) { text += s; };
    const int code = fencepost::driver::prove(words, {keep, keep});
    for (size_t at = 0; at < text.size();) {
      const ssize_t n = write(ends[1], text.data() + at, text.size() - at);
      if (n <= 0) _exit(70);
      at += static_cast<size_t>(n);
    }
    _exit(code);
  }
  close(ends[1]);
  std::string text;
  bool late = pid < 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(k_patience);
  while (!late) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    pollfd waits{ends[0], POLLIN, 0};
    if (left.count() <= 0 || poll(&waits, 1, static_cast<int>(left.count())) <= 0) {
      late = true;
      break;
    }
    char buffer[1 << 16];
    const ssize_t n = read(ends[0], buffer, sizeof buffer);
    if (n <= 0) break;
    text.append(buffer, static_cast<size_t>(n));
  }
  close(ends[0]);
  int status = 0;
  if (pid > 0) {
    if (late) kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
  }
  if (late) return json::array({nullptr, text});
  return json::array({WIFEXITED(status) ? json(WEXITSTATUS(status)) : json(-WTERMSIG(status)), text});
}

}  // namespace

int main(int count, char** words) {
  // What clang, LLVM and Z3 build up once is there before the first copy; what the answer is does not matter.
  for (int i = 1; i < count; ++i)
    fencepost::driver::prove({words[i]}, {[](std::string_view) {}, [](std::string_view) {}});
  for (std::string line; std::getline(std::cin, line);) {
    const json request = json::parse(line, nullptr, false);
    if (!request.is_array()) return 2;
    std::cout << asked(request.get<std::vector<std::string>>()).dump(-1, ' ', true, json::error_handler_t::replace)
              << std::endl;
  }
  return 0;
}

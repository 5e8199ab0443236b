#include "cli/console.h"

#include <unistd.h>

#include <cstdio>

#include "base/verdict.h"

namespace fencepost::cli {

Console standard_console() {
  return {[](std::string_view s) { std::fwrite(s.data(), 1, s.size(), stdout); },
          [](std::string_view s) { std::fwrite(s.data(), 1, s.size(), stderr); }, isatty(STDERR_FILENO) != 0};
}

int worse(int a, int b) {
  const auto rank = [](int code) {
    switch (code) {
      case k_exit_holds: return 0;
      case k_exit_undecided: return 1;
      case k_exit_fails: return 2;
      case k_exit_bad_input: return 3;
      default: return 4;
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

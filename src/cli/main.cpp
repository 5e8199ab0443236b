#include <cstdio>
#include <exception>

#include "base/process.h"
#include "cli/verbs.h"

int main(int argc, char** argv) {
  fencepost::clean_up_at_signals();
  const auto console = fencepost::cli::standard_console();
  try {
    const int code = fencepost::cli::run({argv + 1, argv + argc}, console);
    // An answer that did not reach its reader is no answer.
    if (std::fflush(stdout) != 0) {
      console.err("fencepost: error: the output cannot be written\n");
      return fencepost::cli::k_exit_internal;
    }
    return code;
  } catch (const std::exception& e) {
    console.err(std::string("fencepost: internal error: ") + e.what() + "\n");
    return fencepost::cli::k_exit_internal;
  }
}

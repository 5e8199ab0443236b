#include <csignal>
#include <exception>

#include "base/process.h"
#include "cli/output.h"
#include "cli/verbs.h"

// Before the globals of this program and its libraries, which allocate.
__attribute__((constructor(101))) static void first_of_all() { fencepost::give_up_without_memory(); }

int main(int argc, char** argv) {
  fencepost::clean_up_at_signals();
  auto console = fencepost::cli::standard_console();
  console.own_process = true;
  try {
    const int code = fencepost::cli::run({argv + 1, argv + argc}, console);
    // An answer that did not reach its reader is no answer. A reader that has closed the pipe, as `head` does, has what
    // it wants: the program then ends as others do.
    if (fencepost::cli::finish_standard_streams()) return code;
    if (fencepost::cli::reader_is_gone()) {
      std::signal(SIGPIPE, SIG_DFL);
      std::raise(SIGPIPE);
    }
    return fencepost::cli::k_exit_internal;
  } catch (const std::exception& e) {
    console.err(std::string("fencepost: internal error: ") + e.what() + "\n");
    return fencepost::cli::k_exit_internal;
  }
}

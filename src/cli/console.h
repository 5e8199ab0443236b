#pragma once
// Where a verb's output goes; tests give their own. `out` is the answer, `err` everything else.
#include <functional>
#include <string>
#include <string_view>

#include "base/diagnostic.h"

namespace fencepost::cli {

struct Console {
  std::function<void(std::string_view)> out;
  std::function<void(std::string_view)> err;
  bool err_is_terminal = false;
};
Console standard_console();  // the process's streams

// The process's exit codes (design.md); verdicts use fencepost::exit_code(Status).
inline constexpr int k_exit_holds = 0, k_exit_fails = 1, k_exit_bad_input = 2, k_exit_undecided = 3, k_exit_internal = 4;

// The worse of two: internal error, then bad input, fails, undecided, holds.
int worse(int a, int b);
// The exit code that errors ask for: 3 when the first error is an unsupported feature, else 2.
int exit_code(const Diagnostics& ds);

}  // namespace fencepost::cli

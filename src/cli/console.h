#pragma once
// Where a verb's output goes; tests give their own. `out` is the answer, `err` everything else.
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostic.h"

namespace fencepost::cli {

struct Console {
  std::function<void(std::string_view)> out;
  std::function<void(std::string_view)> err;
  bool err_is_terminal = false, out_is_terminal = false;
  // Progress bars: as `err`, but control characters reach the terminal. None: `err`.
  std::function<void(std::string_view)> raw_err = nullptr;
  // As `out`, but control characters (colours) reach the terminal. None: `out`.
  std::function<void(std::string_view)> raw_out = nullptr;
  // Set: errors of the input are the JSON answer too, about the input of this name (report_errors).
  std::optional<std::string> json_errors_of;
  bool own_process = false;  // the process is there for this command line alone, and may become its worker (worker.h)
  // The line in place of the terminal's last one; names of strangers in it are made printable. None: that one goes.
  void draw(std::string_view line = {}) const;
};

// The process's streams. What goes to `out` and `err` is as `printable` has it; `out` throws OutputLost when it cannot
// be written. Broken pipes and files that grow too large become errors of writing instead of signals, and standard
// streams that are closed stay so: no file that is opened later takes their place.
Console standard_console();
// What is still on its way to the streams is written. False: something that was said did not arrive.
bool finish_standard_streams();

// The process's exit codes (design.md); verdicts use fencepost::exit_code(Status).
inline constexpr int k_exit_holds = 0, k_exit_fails = 1, k_exit_bad_input = 2, k_exit_undecided = 3,
                     k_exit_internal = 4;

// The worse of two: internal error, then bad input, fails, undecided, holds.
int worse(int a, int b);
// The exit code that errors ask for: 3 when the first error is an unsupported feature, else 2.
int exit_code(const Diagnostics& ds);

}  // namespace fencepost::cli

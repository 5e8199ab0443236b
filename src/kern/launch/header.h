#pragma once
// Kernel files that are their own tests. The first line says what to expect, the second how to run it, the following
// comment lines up to the first other line what the output must hold:
//   //pass                         or   //xfail:NOT_ALL_VERIFIED
//   //--local_size=64 --num_groups=64 --no-inline
//   //kernel.cl:12:8:.*possible write-read race      (ECMAScript regular expressions over the output, line by line)
// The notation is the one of the reference's tester, so that its suite runs as it is. `${KERNEL_DIR}` in the second
// line is the file's folder. The second line may choose the launch and what is checked, and name files inside the
// kernel's folder (after symbolic links are followed); options that write files, start programs or reach clang are
// refused.
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "launch/options.h"

namespace fencepost::launch {

// What a run may end in. The names are the words behind `xfail:`; the numbers are the reference's exit codes.
enum class Ending : uint8_t {
  success = 0,
  command_line_error = 1,
  clang_error = 2,
  opt_error = 3,
  bugle_error = 4,
  gpuverifyvcgen_error = 5,
  not_all_verified = 6,
  timeout = 7,
  ctrl_c = 8,
  configuration_error = 9,
  json_error = 10,
  boogie_internal_error = 11,
  boogie_other_error = 12,
};
const char* name(Ending e);  // "NOT_ALL_VERIFIED"; success: "pass"

struct Header {
  Ending expected = Ending::success;
  std::vector<std::string> words;  // of the second line
  SourcePtr line;                  // the file; for places in messages about the words
  std::vector<std::string> patterns;
};

// The header of a file; none when its first line is no expectation. Errors: an unknown word behind xfail, a second line
// that is no comment or has an option that is not a kernel's to give, a pattern that is no regular expression.
Expected<std::optional<Header>> read_header(const SourcePtr& file);
// The header's options, and then those of the command line.
Expected<Options> options_of(const Header& h, const std::vector<std::string>& more);
// Do all patterns of the header occur in the text? The first that does not, else "".
std::string missing_pattern(const Header& h, const std::string& text);
// Files below a folder that may bear a header (.cl, .cu), sorted by path. Errors: base/folder.h.
Expected<std::vector<std::string>> kernel_files(const std::string& folder);

}  // namespace fencepost::launch

#pragma once
// The verb `prove` as the program has it: options, files, suites, printing. The work is done in libfencepost_kern.so,
// which base/kernel_library.h finds and opens.
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/answer.h"

namespace fencepost::driver {

struct Output {
  std::function<void(std::string_view)> out, err;
};

// `words`: what stands behind `fencepost prove`. The exit code. `alone`: one of several files that the words name; only
// that one is proved, and nothing is written to the file of --output.
int prove(const std::vector<std::string>& words, const Output& output, const std::string& alone = "");

// What the words name, for who confines the work to it (cli/untrusted.h).
struct Named {
  std::vector<std::string> inputs, outputs, toolkits;
  std::vector<std::string> kernels;  // of the inputs those that hold kernels
  std::string output;                // of --output, "" if none
  launch::Form form = launch::Form::text;
  bool one_by_one = true;  // neither a suite nor mutants
  double budget = 0;       // seconds; 0: none is given
  std::string forbidden;   // an option that starts programs or works on many files; "" if none
};
Expected<Named> named_in(const std::vector<std::string>& words);

// ---- parts ------------------------------------------------------------------------------------------------------
// The verifier; an error when the library is absent or of another build.
Expected<launch::AnswerFunction> verifier();
// How a file did against its own header: "" if it passed, else why not.
std::string judge(const launch::Header& h, const launch::Answer& a);

}  // namespace fencepost::driver

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

// `words`: what stands behind `fencepost prove`. The exit code.
int prove(const std::vector<std::string>& words, const Output& output);

// What the words name, for who confines the work to it (cli/untrusted.h).
struct Named {
  std::vector<std::string> inputs, outputs, toolkits;
  double budget = 0;      // seconds; 0: none is given
  std::string forbidden;  // an option that starts programs or works on many files; "" if none
};
Expected<Named> named_in(const std::vector<std::string>& words);

// ---- parts ------------------------------------------------------------------------------------------------------
// The verifier; an error when the library is absent or of another build.
Expected<launch::AnswerFunction> verifier();
// How a file did against its own header: "" if it passed, else why not.
std::string judge(const launch::Header& h, const launch::Answer& a);

}  // namespace fencepost::driver

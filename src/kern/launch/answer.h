#pragma once
// What the kernel verifier says about one file, and how the program reaches the verifier: it lies in a library of its
// own (libfencepost_kern.so) that is opened when it is first needed, so that other verbs do not load clang, LLVM and
// Z3.
#include <string>
#include <vector>

#include "launch/header.h"
#include "launch/options.h"

namespace fencepost::launch {

// What became of broken versions of verified kernels (--mutants).
struct Mutants {
  uint32_t kernels = 0;  // that could be run
  uint32_t made = 0;     // mutants of them
  uint32_t wrong = 0;    // that a run shows to be wrong; each is one of:
  uint32_t refuted = 0, undecided = 0, verified = 0;
  friend bool operator==(const Mutants&, const Mutants&) = default;
  Mutants& operator+=(const Mutants& o) {
    kernels += o.kernels;
    made += o.made;
    wrong += o.wrong;
    refuted += o.refuted;
    undecided += o.undecided;
    verified += o.verified;
    return *this;
  }
};

// What another solver said of the questions (--second-opinion).
struct SecondOpinion {
  uint64_t agreed = 0, disagreed = 0, unanswered = 0;
  double seconds = 0;
};

struct Answer {
  int exit_code = 4;                           // 0 verified, 1 defect, 2 bad input, 3 not decided, 4 our fault
  Ending ending = Ending::boogie_other_error;  // the same in the words of test headers; not decided: boogie_other_error
  std::string out, err;                        // what to print
  double seconds = 0;
  uint32_t findings = 0, confirmed = 0;  // defects reported, and those that a run shows
  std::vector<Launch> launches;          // at which they were found, where sizes are not fixed
  Mutants mutants;
  SecondOpinion second;
};
// The library's functions, found by name (base/kernel_library.h). A file that cannot be read is answered too, in the
// form that was asked for.
using AnswerFunction = void (*)(const Options&, const Expected<SourcePtr>&, Answer&);
using VersionFunction = void (*)(std::string&);
inline constexpr const char *k_answer_name = "fencepost_kern_answer", *k_version_name = "fencepost_kern_version";

}  // namespace fencepost::launch

#pragma once
// Is a compiled program what its source allows? The source is judged under the memory model of its language, what was
// compiled under that of its assembly, and the second may have no outcome that the first has not (refine/refinement.h).
//
// A source with a race is undefined, and everything refines it: such a program is vacuous and counted apart. What a
// reader does not know makes a program named, never right.
#include <string>
#include <vector>

#include "cat/model.h"
#include "translation/compile.h"

namespace fencepost::translation {

struct Models {
  cat::Model source, target;
  cat::Model newer;  // for what only it has: fence.acquire and fence.release
};
// `cuda`, `ptx-8` and `ptx-9`; of OpenCL C `opencl` thrice. Errors: a model cannot be read.
Expected<Models> models_for(Language l);

struct Judged {
  // r right, f fault, v vacuous, u undecided, n named, x refused, c failed: the letters of a store; - never tried, for
  // the job's time was over
  char state = 'r';
  std::string detail;  // of a fault the new outcome; else what is not known, or why
  std::string module;  // what was judged
};
const char* word_of(char state);

// `seconds`: for one program.
Judged judge(const Program& p, const Compiled& made, Language language, const Models& models, double seconds);
// Compiled together, judged one by one.
std::vector<Judged> judge_all(const Configuration& c, const std::vector<Program>& programs, const Models& models,
                              double seconds, const Job& job = {});

// Why the model of the source forbids an outcome of `p`: the axioms that reject most of the executions which would
// end so, and how each is rejected.
struct Reason {
  std::vector<std::string> axioms;
  std::string story;
};
Reason why_forbidden(const Program& p, const std::string& outcome, const Models& models, double seconds);

}  // namespace fencepost::translation

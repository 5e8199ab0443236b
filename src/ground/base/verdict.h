#pragma once
// The answer to a property as written. `unknown` never counts as a pass.
#include <string>

namespace fencepost {

enum class Status {
  holds,        // exit 0
  fails,        // exit 1
  unknown,      // exit 3: a bound was hit and matters
  unsupported,  // exit 3: a feature, by name
  gave_up,      // exit 3: the budget ran out
};

const char* name(Status s);
int exit_code(Status s);

struct Verdict {
  Status status = Status::unknown;
  std::string detail;    // e.g. "bound 1 reached in the loop at line 7"; empty when there is nothing to add
  bool vacuous = false;  // rests on unsatisfiability while no execution of the program ends
};

}  // namespace fencepost

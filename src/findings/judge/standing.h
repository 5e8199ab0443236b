#pragma once
// The judge: what was seen of one test on one device, against what a model says of each state -> one standing. `run`
// and `judge` both ask here, so that one histogram never has two verdicts.
//
// Laws. (1) Corrupt results make a run worthless, whatever else it shows. (2) A test that the model flags (a data race,
// undefined behaviour) promises nothing: no state of it is held against a device. (3) A device is called broken
// (`violated`) only on evidence as-written or language-level; else the same count is `suspected`, and the compiler
// between is as likely the cause. (4) What is undecided is never called forbidden.
#include <cstdint>
#include <string>
#include <vector>

namespace fencepost::judge {

enum class Allowed : uint8_t { no, yes, unknown };
const char* name(Allowed a);  // "forbidden", "allowed", "undecided"

enum class Standing : uint8_t {
  violated,    // the device showed what the model forbids, and the test ran as written
  broken_run,  // results were corrupt: nothing is known
  suspected,   // what the model forbids was seen, but not shown to be the test's own doing
  undecided,   // a state that was seen could not be decided, or nothing ran
  consistent,  // everything that was seen is allowed
};
const char* name(Standing s);  // "violated"
int exit_code(Standing s);     // 1 violated or broken_run, 3 suspected or undecided, else 0

struct SeenState {
  std::string text;
  uint64_t count = 0;
  Allowed allowed = Allowed::unknown;
};
struct Seen {
  std::string device, model;
  std::string what_ran;  // "as-written", ...
  std::string evidence;  // "as-written", "language-level", "none"
  uint64_t instances = 0, corrupt = 0;
  std::vector<std::string> flags;  // of the model, of some execution of the test
  std::vector<SeenState> states;
};
struct Ruling {
  Standing standing = Standing::undecided;
  std::string reason;  // one sentence
};
Ruling rule(const Seen& seen);

}  // namespace fencepost::judge

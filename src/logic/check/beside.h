#pragma once
// What a verdict does not say and a reader must know. Of a condition: that the program races or is undefined, so that
// the condition says nothing about real devices; and that some executions never come to an end, since a thread waits at
// a barrier that the others of its group do not reach. Conditions look at complete executions only, and that no race
// was found says nothing of what comes behind such a barrier, if memory may decide who comes to it. Of every verdict
// that rests on an execution, and of the race or the barrier that stands beside it: that there is none without values
// out of thin air, which the documents of CUDA C++ and OpenCL ask implementations not to compute and yet have no rule
// against, and of which Vulkan's says nothing. Thin air is a cycle of rf and of dependencies as the code is written: a
// compiler may find that one of them is none.
//
// One more question each, by the solving engine, at the bound that the verdict was given at, with iterations left out
// where that loses nothing. A program without barriers, and a model without flags that the program may raise, cost
// nothing. Each question may take as much processor time as the verdict took the solving engine, and at least
// k_least_seconds of it (processor_time.h: what is said does not depend on the load of the machine); then the answer is
// `unknown`, never a guess. What is found is replayed as in solve.
#include <set>
#include <string>

#include "check/check.h"

namespace fencepost::check {

struct Beside {
  // none: the model has no such notion, or nobody asked.
  enum class Said : uint8_t { none, no, yes, unknown };
  Said races = Said::none;         // data races, or undefined behaviour of an instruction
  std::vector<std::string> flags;  // races yes: the flags that one execution raises
  bool undefined = false;          // races yes: one of them makes the program undefined (check/races.h)
  Said blocked = Said::none;       // complete, but for threads that wait at a barrier for ever
  std::string blocked_at;          // blocked yes: "P0 at line 6", one of them
  // Whether every execution that shows it has a value that depends on itself; none: it rests on no execution.
  Said thin_air = Said::none, races_thin_air = Said::none, blocked_thin_air = Said::none;
};
const char* name(Beside::Said s);

inline constexpr double k_least_seconds = 1;

// Of a verdict; of races that are found, and of termination, only whether it rests on values out of thin air.
Beside beside(const prog::Test& test, const cat::Model& model, const Options& options, const Result& result,
              const Job& job);

// Which of a list's states and flags are there out of thin air alone.
struct ThinAirOfList {
  // no: each state and flag has an execution without. none: the model forbids such values, or nobody asked.
  Beside::Said said = Beside::Said::none;
  std::set<prog::State> states;  // said yes: those that have none
  std::vector<std::string> flags;
};
// Of the list that the engine of `options` made with them of `test`. It is made once more, with the model that forbids
// values out of thin air; that may take as much processor time as `seconds`, and at least k_least_seconds.
ThinAirOfList thin_air_of(const prog::Test& test, const cat::Model& model, const Options& options,
                          const Outcomes& listed, double seconds, const Job& job);

// "the program is undefined: some execution raises data-race", "data race: unknown", "some executions block for ever:
// ..."; empty: nothing to say.
std::vector<std::string> notes(const Beside& b);

}  // namespace fencepost::check

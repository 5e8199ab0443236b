#pragma once
// Where in the program's text an answer is to be shown, for programs that mark a line. Internal to the room.
#include <string>
#include <vector>

#include "cat/model.h"
#include "check/check.h"
#include "prog/names.h"
#include "reference/explain.h"

namespace fencepost::report {

struct Access {
  uint32_t event = 0;
  uint32_t thread = 0;
  std::string name, text;  // "c", "R x = 0"
  Span span;               // without a source: none is known
  std::string instruction;
};

// The accesses of the first raised flag that is about two events, in the order of the flag's relation; those of
// initial values are left out. Empty: no execution, or no such flag.
std::vector<Access> racing(const prog::Test& test, const cat::Model& model, const check::Result& result);

// A condition: where it stands in the file. A race: its first access. Termination that fails: the first access that
// some thread repeats for ever. Else, and where the condition was given beside the file (its source is named as the
// option, "--condition"), where the program begins. Without a source: nothing is known.
Span place_of_answer(const prog::Test& test, check::Property property, const check::Result& result,
                     const std::vector<Access>& race);

}  // namespace fencepost::report

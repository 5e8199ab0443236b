#pragma once
// The code of a template once a lowering has put it in a row: labels that nobody jumps to and values that nobody reads
// go, jumps over jumps are straightened, a loop that spins before its first effect becomes a loop of its own
// (docs/semantics.md, Loops), and registers are numbered by first use. No access to memory goes.
#include "prog/test.h"

namespace fencepost::spirv {

prog::Template tidied(prog::Template t);

}  // namespace fencepost::spirv

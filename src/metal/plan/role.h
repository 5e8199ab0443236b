#pragma once
// One role's code as statements: registers become variables, memory instructions, fences and barriers become test
// operations, and jumps become structured branches and loops.
//
// Control flow. A forward branch over a stretch that nothing else enters or leaves is a `branch`, if-else likewise. Any
// other jump stores its label in the variable `to`; what follows runs only while `to` is 0, and the label sets it back.
// A label that is jumped back to opens a `loop`, which ends when nothing asks for another round. Each backward jump
// counts against a limit that all loops of the role share; when it is met, `to` stays k_gave_up and the rest of the
// role is skipped. Loops that overlap or are entered from outside, and barriers inside of control flow, are refused by
// name.
//
// Barriers cut the code into segments: all invocations of a workgroup execute a barrier together, whatever they play.
#include <cstdint>
#include <string>
#include <vector>

#include "code/kernel.h"
#include "plan/values.h"
#include "term/term.h"

namespace fencepost::plan {

struct RoleCode {
  std::vector<std::vector<code::Statement>> segments;  // one more than barriers
  std::vector<prog::Instr> barriers;
  std::vector<uint32_t> barrier_positions;  // in the thread's code
  std::vector<code::Statement> start;       // registers and control variables get their first values
  std::vector<code::Var> registers;         // by register of the thread; k_no_var: never used
  std::vector<code::Var> addresses;         // by instruction: word index of the object's first cell; or k_no_var
  code::Var to = code::k_no_var;            // 0 at the end: the role has run to its end
  bool loops = false;
};

inline constexpr uint32_t k_gave_up = 0xffffffffu;

struct RoleContext {
  const prog::Test& test;
  const Values& values;
  bool narrow = false;                   // 64-bit words of the test are 32-bit words here
  std::vector<bool> shared;              // by object: in the workgroup's memory
  std::vector<uint32_t> memory_buffers;  // by object
  term::Expr spin_limit;                 // width 32
  // Word index of the object's first cell for this role's instance, for initial values of address registers.
  std::vector<term::Expr> bases;  // by object, width 32
};
// Adds variables (prefix r<t>_) and operations to `k`.
Expected<RoleCode> role_code(code::Kernel& k, uint32_t thread, const RoleContext& context);

// Width of an object's or register's words in kernels, 32 or 64; 1 for truth values.
uint8_t word_width(uint8_t width, bool narrow);
// Why `what` of this width cannot be run; empty where it can: words of 32 and 64 bits, and truth values that no
// location holds.
std::string refused_width(const std::string& what, uint8_t width, bool location);

}  // namespace fencepost::plan

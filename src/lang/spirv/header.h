#pragma once
// What the comments before the code say: launch, initial memory, question. Ids stay names here; the module resolves
// them.
//   ; @Config: T, S, W[, Q[, D]]
//   ; @Input: %id = V, %id[i][j] = V ...  V := integer | { V, V ... }; what no part of a variable is given is as if it
//                                         had no input
//   ; @Output: exists C | not exists C | forall C          several lines: see `Question`
//   ; @Filter: C
//   C := C or C | C and C | not C | ( C ) | true | false | v op v      op := == != < <= > >=, signed
//   v := integer | %id | %id[i][j]...
#include <optional>
#include <string>
#include <vector>

#include "prog/test.h"
#include "spirv/spirv.h"
#include "term/term.h"

namespace fencepost::spirv {

struct InputValue {
  bool is_list = false;
  bool absent = false;   // no input: of the default, which is undefined or, with Header::zero, 0
  bool partial = false;  // a list made of parts: further items are absent
  uint64_t number = 0;   // two's complement
  std::vector<InputValue> items;
  Span span;
};

struct Input {
  std::string id;  // "%x"
  InputValue value;
  Span span;
};

struct QuestionValue {
  bool is_constant = false;
  uint64_t constant = 0;  // two's complement
  std::string id;
  std::vector<uint64_t> path;
  Span span;
};

struct QuestionCond {
  prog::Cond::Kind kind = prog::Cond::Kind::always;
  term::Op cmp = term::Op::eq;
  QuestionValue lhs, rhs;
  std::vector<QuestionCond> kids;
  Span span;
};

// forall lines hold together, `not exists` lines each; both kinds together are one forall. `exists` stands alone.
struct Question {
  prog::Quantifier quantifier = prog::Quantifier::none;
  QuestionCond condition, filter;
};

struct Header {
  std::optional<Grid> grid;
  Span grid_span;  // of @Config; none: an option gave the launch
  std::vector<Input> inputs;
  Question question;
  bool zero = false;       // memory without an input starts at 0
  bool published = false;  // inputs for ids that the module does not have are left out
  Span span;
};

// Throw ParseError. Of a compiled text: its comments "// @...", and its variables by name.
Header read_header(const SourcePtr& source, bool binary, const LaunchOptions& options);
Header read_header(const Compiled& compiled, const LaunchOptions& options);

}  // namespace fencepost::spirv

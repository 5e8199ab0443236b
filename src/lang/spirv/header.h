#pragma once
// What the comments before the code say: launch, initial memory, question. Ids stay names here; the module resolves
// them.
//   ; @Config: T, S, W[, Q[, D]]
//   ; @Input: %id = V, %id[i][j] = V ...  V := integer | { V, V ... }; what no part of a variable is given is as if it
//                                         had no input
//   ; @Output: exists C | not exists C | forall C          several lines: see `Question`
//   ; @Filter: C
//   C := C or C | C and C | not C | ( C ) | true | false | v op v      op := == != < <= > >=, signed
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
  bool is_negative = false, is_pattern = false;  // of the number: written with a sign, in hexadecimal
  std::vector<InputValue> items;
  Span span;
};

struct Input {
  std::string id;  // "%x"
  InputValue value;
  Span span;
};

// v := integer | PLACE | PLACE + BYTES. A place of a compiled text may name members, x[1].b[2]; `path` has k_member
// and the place of the name in `names`. PLACE + BYTES is the cell that begins so many bytes behind the beginning of the
// place: a piece of a scalar that is accessed in pieces. x@wg1[2] is that of the second workgroup.
inline constexpr uint64_t k_member = uint64_t{1} << 63;
struct QuestionValue {
  bool is_constant = false;
  uint64_t constant = 0;                         // two's complement
  bool is_negative = false, is_pattern = false;  // written with '-', with "0x"
  std::string id;
  std::string instance;  // "@wg1"
  std::vector<uint64_t> path;
  std::vector<std::string> names;
  std::optional<uint64_t> byte;
  Span span;

  bool named(size_t k) const { return (path[k] & k_member) != 0; }
  const std::string& name(size_t k) const { return names[path[k] & ~k_member]; }
};

// A number in a question beside a location of this type. Throws ParseError where the type does not have it: the
// comparison would be decided by the type alone. To a type of 32 bits or more C and GLSL convert: there -1 is the
// greatest number without a sign, and 0xffffffff is -1 with one.
void need_number_of(const QuestionValue& number, const std::string& type, bool is_unsigned, uint8_t width);
// The same of an input to something of this type.
void need_number_of(const InputValue& number, const std::string& type, bool is_unsigned, uint8_t width);

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

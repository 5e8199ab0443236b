#pragma once
// Terms of OPENCL threads as C expressions. Law: the OPENCL front end reads the text back as the same term, so
// every change of width or sign is a cast, and a comparison stays a truth value where the term has width 1.
//
// A temporary that is read once, right after it was loaded, prints as the load itself. The writer tries this and
// keeps the order in which it met such loads; whoever prints a statement compares it with the order of the code.
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "prog/test.h"
#include "term/term.h"

namespace fencepost::print::opencl {

// C expression with what its context needs to know.
struct Text {
  std::string s;
  int precedence = 0;  // k_primary ... 0 conditional
  uint8_t width = 32;
  bool is_signed = true;
};
inline constexpr int k_primary = 14;
inline constexpr int k_unary = 13;

std::string type_of(const prog::Register& r);  // declared, or by width
bool is_pointer_type(std::string_view type);
bool is_signed_type(std::string_view type);
std::string integer_type(uint8_t width, bool is_signed);  // "int", "ulong", ...

class Writer {
 public:
  Writer(const prog::Test& test, const prog::Template& code) : test_(test), code_(code) {}

  // Temporaries that print as their definition: register -> text of the definition.
  std::map<prog::RegId, std::function<Text()>> inlined;
  std::vector<prog::RegId> met;  // in order of evaluation
  bool misplaced = false;        // one stood where C might not evaluate it

  Text value(const term::Expr& e);
  std::string condition(const term::Expr& e);                        // width 1, where C asks for truth
  std::string assigned(const term::Expr& e, std::string_view type);  // right side of an assignment to the type
  std::string argument(const term::Expr& e);
  // A pointer expression to what `addr` names, read or written as `type`; a call argument, or with '*' before it.
  // `exact`: the type of the result matters, not only its width.
  Text pointer(const prog::Address& addr, std::string_view type, bool exact);
  std::string dereference(const prog::Address& addr, std::string_view type, bool exact);
  const std::string& name(prog::RegId r) const { return code_.registers[r].name; }

 private:
  Text variable(const term::Expr& e, bool raw_pointer);
  Text binary(const term::Expr& e);
  Text conditional_part(const term::Expr& e, bool truth);  // evaluated only sometimes
  Text truth(const term::Expr& e);
  Text with_sign(Text t, bool is_signed) const;
  static std::string enclosed(const Text& t, int least);
  std::string pointee(prog::SymbolId symbol) const;

  const prog::Test& test_;
  const prog::Template& code_;
};

}  // namespace fencepost::print::opencl

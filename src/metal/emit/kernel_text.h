#pragma once
// What the printers of kernels in C-like languages (OpenCL C, GLSL, C++, Metal) share: expressions with the meaning of
// term.h in unsigned arithmetic, and the structured statements. A printer adds, as functions, how its language makes
// the accesses, fences and barriers of a kernel's frame and the instructions of a test.
#include <functional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "code/kernel.h"
#include "term/term.h"

namespace fencepost::emit {

// Clusters of workgroups are PTX's alone: a kernel that reads its cluster, or a test with the scope .cluster, is
// refused by name, `what` being the printer's language.
Expected<void> refuse_clusters(const code::Kernel& kernel, const char* what);

struct CSyntax {
  std::string u32 = "uint", u64 = "ulong", i32 = "int", i64 = "long", boolean = "bool";
  std::string u64_suffix = "ul", i64_suffix = "l";
  bool constructors = false;  // int(x) in place of (int)(x)
};

// Lines of code, indented; statements of a body are two columns deeper.
class CText {
 public:
  CText(const code::Kernel& kernel, CSyntax syntax) : kernel_(kernel), syntax_(std::move(syntax)) {}

  const code::Kernel& kernel() const { return kernel_; }
  const CSyntax& syntax() const { return syntax_; }

  // An operand (a name, a literal, or enclosed in parentheses) of type bool, u32 or u64 by width. Other widths: an
  // invariant, as kernels have none. The value that an rmw has read is `old_value`, of width 32 or 64.
  std::string value(const term::Expr& e) const;
  std::string index(const code::Place& p) const { return value(p.index); }
  std::string type(uint8_t width) const {
    return width == 1 ? syntax_.boolean : width == 64 ? syntax_.u64 : syntax_.u32;
  }
  std::string name(code::Var v) const { return "v_" + kernel_.variables[v].name; }
  std::string cast(const std::string& type, const std::string& x) const {
    return syntax_.constructors ? type + "(" + x + ")" : "((" + type + ")" + x + ")";
  }
  // x, which has `from` bits, as a value of `to` bits.
  std::string resized(const std::string& x, uint8_t from, uint8_t to) const;

  void line(const std::string& text);
  void open(const std::string& text) { line(text), indent_ += 2; }
  void close(const std::string& text = "}") { indent_ -= 2, line(text); }
  void open_again() { indent_ += 2; }  // after close("} else {")

  std::string old_value = "old_value";
  uint8_t old_width = 32;
  std::string out;

 private:
  std::string binary(const term::Expr& e) const;
  std::string literal(uint64_t v, uint8_t width) const;

  const code::Kernel& kernel_;
  CSyntax syntax_;
  size_t indent_ = 0;
};

// How a language makes what a frame consists of. Each writes whole lines to the text.
struct CFrame {
  std::function<std::string(code::Builtin)> builtin;  // an expression of type u32
  std::function<void(CText&, const code::Statement&)> load, store,
      atomic;  // place, var, value, order as in the statement
  std::function<void(CText&, bool partial)> fence;
  std::function<void(CText&)> barrier;
  std::function<void(CText&, const std::string& variable)> clock;  // variable := nanoseconds
  std::function<void(CText&, const std::string& nanoseconds)> pause;
  std::function<Expected<void>(CText&, const code::Operation&)> test;
};

// By variable: some statement reads or writes it.
std::vector<bool> mentioned_variables(const code::Kernel& kernel);
// The declarations of those, and the kernel's body.
Expected<void> print_statements(CText& text, const CFrame& frame);

// ---- the test's instructions ----------------------------------------------------------------------------
// What a read-modify-write is, in the terms in which every language has an instruction for it.
struct RmwShape {
  enum class Kind : uint8_t {
    exchange,
    add,
    sub,
    and_,
    or_,
    xor_,
    smin,
    smax,
    umin,
    umax,
    compare,
    other
  } kind = Kind::other;
  term::Expr operand;  // compare: the value wanted
  term::Expr desired;  // compare: the new value
  bool always_writes =
      true;  // compare: false where a failure writes nothing (C); true: it writes the old value back (PTX)
};
RmwShape shape_of(const code::Operation& o);
const char* name(RmwShape::Kind k);  // "exchange", "add", ...

}  // namespace fencepost::emit

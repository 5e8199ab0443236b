#pragma once
// PTX text under construction: registers, one statement a line, and terms as instructions. PTX ISA 7.8, section 9.7.
//
// A term becomes a tree of instructions into fresh registers; widths are 1 (.pred), 32 and 64. Values are those of
// term::eval_op also where PTX leaves them open (division by zero).
//
// Law: a term keeps its dependencies. An assembler folds `xor r, a, a` to 0 and the dependency is gone, so terms whose
// value does not depend on a variable that the test has read (a ^ a, a - a, a & 0, a * 0) are printed as `and a, zero`,
// where `zero` is a parameter of the kernel that only the launch knows.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "term/term.h"

namespace fencepost::emit {

// A width or operation that PTX lacks; caught by the printer, which knows the place.
struct PtxUnsupported {
  std::string what, hint;
};

class PtxCode {
 public:
  // `variables`: the register of each variable of terms; `observed`: whether it depends on what the test has read.
  // `zero`: an address of 8 bytes in parameter space that hold 0.
  PtxCode(std::vector<std::string> variables, std::vector<bool> observed, std::string zero)
      : variables_(std::move(variables)), observed_(std::move(observed)), zero_(std::move(zero)) {}

  std::string fresh(uint8_t width);         // a new register
  std::string label();                      // a new label
  void line(const std::string& statement);  // without the semicolon
  void place(const std::string& label);
  void comment(const std::string& text);
  void directive(const std::string& text);  // as it stands

  // The register or immediate that holds the value. Registers stay valid until forget().
  std::string value(const term::Expr& e);
  std::string predicate(const term::Expr& e) { return value(e); }
  // Values computed so far may be out of date: a variable has changed or control has come from elsewhere.
  void forget() { known_.clear(); }
  // `old` stands for prog::k_old_value from now on.
  void set_old(const std::string& reg) { old_ = reg; }

  std::string declarations() const;  // .reg lines of the fresh registers
  const std::string& text() const { return text_; }

 private:
  std::string compute(const term::Expr& e);
  std::string in_register(const term::Expr& e);  // never an immediate
  std::string of_bit(const term::Expr& e);       // operations on truth values
  std::string shifted(const term::Expr& e);
  std::string divided(const term::Expr& e);
  std::string resized(const term::Expr& e);
  bool kept(const term::Expr& e) const;
  std::string kept_dependency(const term::Expr& of);  // 0 that depends on `of`

  std::vector<std::string> variables_;
  std::vector<bool> observed_;
  std::string zero_, old_, text_;
  uint32_t count_[3] = {0, 0, 0};
  uint32_t labels_ = 0;
  std::map<const term::Node*, std::pair<term::Expr, std::string>> known_;
};

}  // namespace fencepost::emit

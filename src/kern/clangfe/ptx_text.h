#pragma once
// Internal to the room: the text of inline PTX as clang hands it on ("$0" are operands), taken apart into statements.
// Names of an inner scope `{ ... }` are made unlike those of the scopes around it.
// Source: PTX ISA, "Syntax", "Instruction statements".
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace llvm {
class Function;
class Instruction;
}  // namespace llvm

namespace fencepost::clangfe {

struct PtxStatement {
  std::string label;  // then it is nothing else
  std::string guard;  // the predicate register of `@p`; "": none
  bool unless = false;
  std::string word;                                            // "ld.shared.v4.b32"
  std::vector<std::string> parts;                              // "ld", "shared", "v4", "b32"
  std::vector<std::string> operands;                           // as they are written, without blanks at their ends
  std::vector<std::pair<std::string, std::string>> registers;  // declared here: name, type ("b32", "pred")
  std::string text;

  bool has(const char* part) const;
  bool has_like(const char* start) const;  // some part begins so
};

// None: it is no text of statements.
std::optional<std::vector<PtxStatement>> ptx_statements(const std::string& text);
// "{a, b}" or "a|b": the names; one name otherwise.
std::vector<std::string> ptx_elements(const std::string& operand);
// An instruction whose results are functions of its operands alone, by its first part.
bool ptx_only_computes(const std::string& first);
// addc and its like: a result of an instruction before it, which no operand names.
bool ptx_reads_carry(const PtxStatement& s);
// "b32", "s8", "f64", "pred": bits of the type; 0: it is no such type.
unsigned ptx_width(const std::string& type);

// "st.local.u32", which expand_assembly() made an access of; none: it is no such access, or names no state space.
std::optional<std::string> space_said(const llvm::Instruction& access);

// Inline PTX of several instructions, with predicates and jumps, as LLVM's. Before promotion.
void expand_assembly(llvm::Function& f);

}  // namespace fencepost::clangfe

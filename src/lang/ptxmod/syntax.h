#pragma once
// A module as its text says it, before anything is known of what names mean.
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"

namespace fencepost::ptxmod {

struct Operand {
  enum class Kind : uint8_t {
    name,     // register, special register, variable, label or function; `negated`: "!p"; `offset`: "x+4"
    number,   // `number`, two's complement of 64 bits
    real,     // a floating point literal; `number`: its bits, 64 where `number` is of a double
    list,     // {a, b} or (a, b)
    pair,     // p|q
    address,  // [a+4]; `parts`: the base, a name or a number, and what may stand beside it in the brackets
  };
  Kind kind = Kind::name;
  std::string name;
  bool negated = false;
  bool is_double = false;  // real
  uint64_t number = 0;
  int64_t offset = 0;
  std::vector<Operand> parts;
  Span span;
};

struct Declaration {
  std::string space;  // "reg", "local", "shared", "global", "const", "param"
  std::string type;   // "u32", "pred"
  std::string name;
  uint64_t align = 0;  // 0: not said
  uint64_t count = 1;  // elements
  bool array = false;
  bool open = false;         // "x[]"
  uint32_t range = 0;        // "%r<10>"; 0: one name
  uint32_t lanes = 1;        // .v2, .v4
  bool pointer = false;      // a parameter with .ptr
  bool is_external = false;  // without .visible or a body of its own
  std::vector<Operand> init;
  Span span;
};

struct Line {  // of .loc
  uint32_t file = 0, line = 0, column = 0;
};

struct Statement {
  enum class Kind : uint8_t { instruction, label, declaration, open, close };
  Kind kind = Kind::instruction;
  std::string predicate;  // "%p1", or ""
  bool negated = false;
  std::vector<std::string> words;  // "ld", "acquire", "gpu", "u32"; a label's name
  std::vector<Operand> operands;
  std::vector<Declaration> declared;
  Line line;
  Span span;

  std::string mnemonic() const {
    std::string out;
    for (const std::string& w : words) out += (out.empty() ? "" : ".") + w;
    return out;
  }
};

struct Function {
  std::string name;
  bool is_entry = false, has_body = false;
  std::vector<Declaration> results, parameters;
  std::map<std::string, std::vector<uint64_t>> directives;  // "reqntid" -> 128, 1, 1
  std::vector<Statement> body;
  Span span;
};

struct Module {
  std::string version, target;
  std::vector<Declaration> variables;
  std::vector<Function> functions;
  std::map<uint32_t, std::string> files;
  Span span;
};

// Throws litmus::ParseError.
Module parse_module(const SourcePtr& source);
// The statements from byte `begin` on, up to the end of `text`, which is the beginning of the source but for
// separators: a label, declarations of registers, an instruction.
std::vector<Statement> parse_statements(const SourcePtr& source, std::string_view text, uint32_t begin);

}  // namespace fencepost::ptxmod

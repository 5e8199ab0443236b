#pragma once
// The code of one kernel in a row: calls are inlined, blocks in braces are dissolved, and every name stands for one
// register, variable or label.
#include <cstdint>
#include <string>
#include <vector>

#include "base/source.h"
#include "ptxmod/data_type.h"
#include "ptxmod/syntax.h"

namespace fencepost::ptxmod {

inline constexpr uint32_t k_nothing = 0xffffffffu;

struct Register {
  std::string name;
  uint8_t width = 32;  // 1: a predicate
  char kind = 'b';     // of its type: 'b' bits, 'i' an integer, 'f' a floating point number
};

struct Variable {
  std::string name;  // as the text says it
  std::string
      space;  // "param" (of the kernel), "global", "const", "shared", "local" (of a thread, as parameters of calls)
  uint64_t bytes = 0;
  uint64_t align = 1;
  uint32_t element = 1;             // bytes of what it is declared as
  bool open = false;                // "x[]"
  bool array = false;               // declared with brackets
  bool pointer = false;             // parameter: with .ptr
  bool dynamic = false;             // shared memory that the launch gives
  bool external = false;            // .extern: another module says what it starts with
  std::vector<uint8_t> init;        // bytes; empty: none
  std::vector<uint64_t> addresses;  // byte offsets whose initial value is an address
  DataType type;                    // of CUDA C++
  Span span;
};

struct Argument {
  enum class Kind : uint8_t { reg, number, real, variable, special, list, address, sink, label };
  Kind kind = Kind::sink;
  uint32_t index = 0;  // reg, variable, label
  bool negated = false, is_double = false;
  uint64_t number = 0;
  int64_t offset = 0;
  std::string name;  // special: "tid.x"
  std::vector<Argument> parts;
  Span span;
};

struct Node {
  enum class Kind : uint8_t { instruction, label, jump, end };
  Kind kind = Kind::instruction;
  std::vector<std::string> words;
  std::vector<Argument> args;
  uint32_t label = 0;
  std::vector<uint32_t> table;  // brx.idx: labels
  uint32_t predicate = k_nothing;
  bool negated = false;
  std::string line;  // "lock.cu:12" of .loc, or ""
  Span span;

  std::string mnemonic() const {
    std::string out;
    for (const std::string& w : words) out += (out.empty() ? "" : ".") + w;
    return out;
  }
};

struct Flat {
  std::vector<Register> registers;
  std::vector<Variable> variables;
  std::vector<std::string> labels;
  std::vector<Node> nodes;
  std::vector<uint32_t> parameters;  // of the kernel, into `variables`
  bool cuda = false;                 // of CUDA C++ (cuda_kernel.h)
};

uint32_t bytes_of(std::string_view type);  // "u32" -> 4; 0: no type of memory

// The kernel of that name, or the only one. Throws litmus::ParseError.
const Function& entry_of(const Module& m, const std::string& name);
Flat flatten(const Module& m, const Function& entry);

}  // namespace fencepost::ptxmod

#pragma once
// A module as a list of instructions with places, by way of SPIRV-Tools' assembler and binary parser.
//
// A binary is disassembled, and its instructions point into that text; messages give the word offset too. Text that
// the library's version is too strict about is mended first: source languages that it does not know, and negative
// literals of unsigned types (taken as two's complement).
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/source.h"
#include "spirv/spirv.h"

namespace fencepost::spirv {

using Id = uint32_t;

struct Argument {
  uint32_t word = 0;   // index into Instruction::words
  uint32_t count = 1;  // words
  bool is_id = false;
};

struct Instruction {
  uint32_t op = 0;
  Id type = 0, result = 0;      // 0: none
  std::vector<uint32_t> words;  // all, the first included
  std::vector<Argument> args;   // without the result type and the result
  Span span;
  uint32_t offset = 0;   // word offset in the binary module
  std::string line;      // "kernel.cl:12" of the OpLine in force, or ""
  std::string extended;  // OpExtInst: the instruction of its set, "clz"

  size_t size() const { return args.size(); }
  uint32_t word(size_t k) const { return words[args[k].word]; }
  uint64_t number(size_t k) const;     // a literal of one or two words
  std::string string(size_t k) const;  // a literal string
};

// "OpLoad"
std::string opcode_name(uint32_t op);

struct Words {
  SourcePtr source;  // text, or the disassembly of a binary, or the compiled text
  bool binary = false;
  bool compiled = false;  // spans are places of the compiled text
  std::vector<Instruction> instructions;
  uint32_t bound = 0;  // ids are below
  std::unordered_map<std::string, Id>
      by_name;  // "%x" as the text spells it; OpName names that are unique and not yet taken
  std::unordered_map<Id, std::string> names;                        // for messages and registers: "%x"
  std::unordered_map<Id, std::string> given;                        // of a compiled text: OpName of each id
  std::unordered_map<Id, std::map<uint32_t, std::string>> members;  // and OpMemberName

  std::string name(Id id) const;
  std::string given_name(Id id) const {
    const auto it = given.find(id);
    return it == given.end() ? "" : it->second;
  }
};

// Throw ParseError. Of a compiled module, spans are those of the text that it was made of: by OpLine, or where a
// variable's name stands first; instructions without a place get that of the one before them, or of their function.
Words read_words(const SourcePtr& source);
Words read_words(const Compiled& compiled);

// A fault, or a missing feature, at an instruction; the message gets the opcode, and the place in the source
// language or the binary where known.
[[noreturn]] void fail(const Words& w, const Instruction& i, std::string message, std::string hint = {});
[[noreturn]] void refuse(const Words& w, const Instruction& i, std::string message, std::string hint = {});

}  // namespace fencepost::spirv

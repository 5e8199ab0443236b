#pragma once
// The 2014 litmus dialect of PTX, under construction: names, typed registers, and the instructions of one thread.
// Format and semantics: docs/litmus-gpu_ptx.md.
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "litmus/asm_builder.h"

namespace fencepost::litmus::gpu_ptx {

// ".s32", ".b64", ".pred"
struct Type {
  std::string name;  // without the dot
  uint8_t width = 32;
  bool is_signed = true;  // s types; b and u are unsigned
};
std::optional<Type> find_type(std::string_view name);
std::vector<std::string> type_names();

struct Location {
  prog::SymbolId symbol = 0;
  bool mentioned = false;  // by the initial state or the memory map
  Span first_use;
};

// The whole test. Locations come into being at their first mention; code may use them before the memory map.
class Builder {
 public:
  prog::Test test;

  prog::SymbolId location(std::string_view name, const Span& span, bool mention);
  bool has_location(std::string_view name) const { return by_name_.contains(name); }
  const std::map<std::string, Location, std::less<>>& locations() const { return by_name_; }

 private:
  std::map<std::string, Location, std::less<>> by_name_;
};

class ThreadCode {
 public:
  ThreadCode(Builder& b, uint32_t id) : b_(b), id_(id) {}

  prog::RegId declare(std::string_view name, const Type& type, const Span& span);
  const prog::Register& reg(prog::RegId r) const { return t_.registers[r]; }
  std::vector<prog::InitValue> init;

  // One table cell: labels, then at most one instruction, up to '|' or ';'.
  void cell(Cursor& c);
  // After the last cell: labels are checked, and registers that are never written become their locations.
  prog::Template finish();

  // Locations that the thread can name, with the place of the mention: code and initial registers.
  const std::vector<std::pair<prog::SymbolId, Span>>& reached() const { return reached_; }
  void reaches(prog::SymbolId s, const Span& span) { reached_.emplace_back(s, span); }

 private:
  struct Operand {
    term::Expr e;
    std::string symbol;  // a location's name standing for its address
    Span span;
  };
  struct Modifiers;

  void instruction(Cursor& c);
  Modifiers modifiers(Cursor& c, const Mnemonic& m, std::string_view allowed);
  void memory(Cursor& c, const Mnemonic& m, prog::Instr& i);
  void atomic(Cursor& c, const Mnemonic& m, prog::Instr& i);
  void membar(Cursor& c, const Mnemonic& m, prog::Instr& i);
  void set_predicate(Cursor& c, const Mnemonic& m, prog::Instr& i);
  void move_or_convert(Cursor& c, const Mnemonic& m, prog::Instr& i);
  void arithmetic(Cursor& c, const Mnemonic& m, prog::Instr& i);

  prog::RegId find_reg(std::string_view name) const;  // k_none if there is none
  prog::RegId parse_reg(Cursor& c, std::string_view what);
  void check_width(Cursor& c, const Token& at, prog::RegId r, const Type& type) const;
  // A constant, a register of the type's width, or (mov) a location.
  Operand operand(Cursor& c, const Type& type, bool may_be_location = false);
  Type type_or(const std::optional<Type>& written, prog::RegId r) const;
  void address(Cursor& c, prog::Instr& i);
  prog::LabelId label(std::string_view name, const Span& use);

  Builder& b_;
  uint32_t id_;
  prog::Template t_;
  std::vector<Span> label_use_;
  std::vector<bool> label_placed_;
  std::vector<std::pair<prog::SymbolId, Span>> reached_;
};

}  // namespace fencepost::litmus::gpu_ptx

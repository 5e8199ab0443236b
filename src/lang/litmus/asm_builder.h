#pragma once
// A test under construction, shared by the assembly front ends (PTX, VULKAN and the two `.test` notations):
// names become numbers in the order in which they first occur, so that threads that differ only in layout
// share one template, and printing then parsing gives back the same numbers.
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "litmus/lexer.h"
#include "prog/test.h"
#include "term/term.h"

namespace fencepost::litmus {

// Dotted words before the operands: "ld.relaxed.gpu".
struct Mnemonic {
  std::vector<Token> parts;
  uint32_t end = 0;  // byte after the last part

  const Token& head() const { return parts.front(); }
  std::string text(size_t count = ~size_t{0}) const;  // the first `count` parts, joined by dots
};
Mnemonic parse_mnemonic(Cursor& c);

class ThreadBuilder {
 public:
  prog::RegId reg(std::string_view name);  // makes it when it is new
  bool has_reg(std::string_view name) const;
  prog::LabelId label(std::string_view name, const Span& use);  // a use; the definition may follow
  void define_label(std::string_view name, const Span& at);     // emits Kind::label
  void emit(prog::Instr i) { templ_.code.push_back(std::move(i)); }

  prog::RegId temporary();                                 // a new register that no condition sees
  void replace(uint32_t at, std::vector<prog::Instr> by);  // an instruction by others; labels move with the code
  uint32_t new_operation() { return operations_++; }
  bool host = false;  // PTX: a thread of the host
  // Asynchronous operations of the thread that groups wait for (litmus/ptx_async.cpp): [0] of cp.async, [1] of bulk.
  struct Groups {
    std::vector<uint32_t> open;                    // operations in no group yet
    std::vector<std::vector<uint32_t>> committed;  // by group
    std::vector<uint32_t> all;
  } groups[2];

  term::Expr value_of(prog::RegId r) const { return term::variable(r, 64); }
  const prog::Template& code() const { return templ_; }
  std::vector<prog::Instr>& instructions() { return templ_.code; }
  // Checks that every label that is used exists; the builder is empty afterwards.
  prog::Template finish();

 private:
  prog::LabelId label_id(std::string_view name);

  uint32_t operations_ = 0;
  prog::Template templ_;
  std::vector<Span> label_use_;  // parallel to templ_.labels: first use
  std::vector<bool> label_defined_;
};

class AsmBuilder {
 public:
  AsmBuilder(prog::Syntax syntax, prog::Dialect dialect);

  prog::Test test;
  std::vector<ThreadBuilder> threads;
  std::vector<prog::ScopePath> places;  // by thread, once the thread row is read
  std::vector<uint32_t> clusters;       // by thread, k_none: not named

  // Every location is a 64-bit cell that starts at 0 unless initialised.
  prog::SymbolId symbol(std::string_view name, const Span& span);   // made at its first use
  prog::SymbolId declare(std::string_view name, const Span& span);  // error if it exists
  prog::SymbolId require(std::string_view name, const Span& span);  // error if it does not
  // `name` becomes another name of `target`'s object; `proxy` as in prog::Symbol.
  prog::SymbolId alias(std::string_view name, prog::SymbolId target, std::string proxy, const Span& span);
  bool has_symbol(std::string_view name) const { return by_name_.contains(name); }
  // PTX: `name` becomes a multimem address, which stands for `targets` (8.2.3): one symbol for each, another virtual
  // address of its object. The first of them stands for the address; multimem: all of them, or nullptr.
  void bind_multimem(std::string_view name, const std::vector<prog::SymbolId>& targets, const Span& span);
  bool is_multimem(std::string_view name) const { return multimems_.contains(name); }
  prog::SymbolId multimem_named(std::string_view name) const { return multimems_.at(name).front(); }
  const std::vector<prog::SymbolId>* multimem(prog::SymbolId first) const;
  std::string multimem_name(prog::SymbolId first) const;
  size_t most_of_a_multimem() const;  // locations that one stands for; 1: there is none

  // Turns the thread builders into templates and threads; `scopes[i]` is the place of thread i.
  void finish_threads(std::vector<prog::ScopePath> scopes);

 private:
  prog::SymbolId make(std::string_view name, const Span& span);
  std::unordered_map<std::string_view, prog::SymbolId> by_name_;  // keys point into the source text
  std::map<std::string_view, std::vector<prog::SymbolId>> multimems_;
};

// ---- operands ------------------------------------------------------------------------------------------

prog::RegId parse_register(Cursor& c, ThreadBuilder& t);
prog::SymbolId parse_location(Cursor& c, AsmBuilder& b);
bool at_register(Cursor& c);
bool at_value(Cursor& c);                             // constant or register
term::Expr parse_value(Cursor& c, ThreadBuilder& t);  // 64 bits
void parse_comma(Cursor& c, const Mnemonic& m);

// ---- instructions that every assembly dialect has ------------------------------------------------------

// "LC00:"; true when the cursor stood at a label.
bool parse_label(Cursor& c, ThreadBuilder& t);
// add sub mul div and or xor, goto, beq bne blt ble bgt bge; false when `m` is none of them.
bool parse_common(Cursor& c, ThreadBuilder& t, const Mnemonic& m);
const std::vector<std::string>& common_mnemonics();
// add sub mul div and or xor; nullptr for another word.
const term::Op* find_arithmetic(std::string_view word);

// Operands of a control barrier (asm_barrier.cpp says which there are). Complete once name_barriers has run.
void parse_barrier_operands(Cursor& c, ThreadBuilder& t, const Mnemonic& m, prog::Instr& out);
// Initial values of a thread's registers; without a value: an address.
using RegisterValues = std::map<prog::RegId, std::optional<uint64_t>>;
// What the barriers of a test are called and how many threads they wait for, once all threads and their initial
// registers are read.
void name_barriers(std::vector<ThreadBuilder>& threads, const std::vector<prog::ScopePath>& scopes,
                   const std::vector<RegisterValues>& initial);

// Fails at `word` as an unknown modifier of `m`, naming the nearest of `known`.
[[noreturn]] void fail_modifier(const Cursor& c, const Mnemonic& m, const Token& word,
                                const std::vector<std::string>& known);

}  // namespace fencepost::litmus

#include "litmus/ptx_host.h"

#include <fmt/format.h>

#include <algorithm>

namespace fencepost::litmus {
namespace {

using prog::Instr;
using prog::Kind;
using prog::Tag;

constexpr const char* k_known = "mov, mfence, xchg, lock xadd, and lock add, sub, and, or, xor";
constexpr std::string_view k_locked[] = {"add", "sub", "and", "or", "xor"};

prog::TagSet tags(Tag a, Tag b) { return {a, b, Tag::SYS, Tag::GEN, Tag::HOST}; }

// "[x]"
prog::SymbolId parse_memory(Cursor& c, AsmBuilder& b) {
  c.expect("[", "x86 has memory operands in brackets: mov r0, [x]");
  const prog::SymbolId out = parse_location(c, b);
  c.expect("]", "end the memory operand with ']'");
  return out;
}

Instr fence(const char* mnemonic) {
  Instr i;
  i.kind = Kind::fence;
  i.mnemonic = mnemonic;
  i.tags = tags(Tag::F, Tag::SC);
  i.hidden = i.mnemonic.empty();
  return i;
}

void move(Cursor& c, AsmBuilder& b, ThreadBuilder& t, const Mnemonic& m) {
  Instr i;
  i.mnemonic = "mov";
  if (c.at("[")) {
    i.kind = Kind::store;
    i.tags = tags(Tag::W, Tag::REL);
    i.addr.symbol = parse_memory(c, b);
    parse_comma(c, m);
    i.value = parse_value(c, t);
    i.args = {i.value};
  } else {
    i.dst = parse_register(c, t);
    parse_comma(c, m);
    if (c.at("[")) {
      i.kind = Kind::load;
      i.tags = tags(Tag::R, Tag::ACQ);
      i.addr.symbol = parse_memory(c, b);
    } else {
      i.kind = Kind::local;
      i.value = parse_value(c, t);
      i.args = {i.value};
    }
  }
  i.span = c.since(m.head().begin);
  t.emit(std::move(i));
}

void locked(Cursor& c, AsmBuilder& b, ThreadBuilder& t, const Mnemonic& m, std::string_view name) {
  Instr i;
  i.kind = Kind::rmw;
  i.mnemonic = name == "xchg" ? "xchg" : "lock " + std::string(name);
  i.addr.symbol = parse_memory(c, b);
  parse_comma(c, m);
  const term::Expr old = term::variable(prog::k_old_value, 64);
  if (name == "xchg" || name == "xadd") {
    i.dst = parse_register(c, t);
    const term::Expr mine = t.value_of(i.dst);
    i.value = name == "xchg" ? mine : term::binary(term::Op::add, old, mine);
    i.args = {mine};
  } else {
    const term::Expr by = parse_value(c, t);
    i.value = term::binary(*find_arithmetic(name), old, by);
    i.args = {by};
  }
  i.tags = tags(Tag::R, Tag::ACQ).add(Tag::RMW);
  i.store_tags = tags(Tag::W, Tag::REL).add(Tag::RMW);
  i.span = c.since(m.head().begin);
  Instr before = fence(""), after = fence("");
  before.span = after.span = i.span;
  t.emit(std::move(before));
  t.emit(std::move(i));
  t.emit(std::move(after));
}

}  // namespace

const std::vector<std::string>& host_mnemonics() {
  static const std::vector<std::string> names = {"mov", "mfence", "xchg", "lock"};
  return names;
}

void parse_host_instruction(Cursor& c, AsmBuilder& b, ThreadBuilder& t, const Mnemonic& m) {
  const Token head = m.head();
  const auto unknown = [&](const Token& word) {
    std::vector<std::string> known = host_mnemonics();
    known.insert(known.end(), common_mnemonics().begin(), common_mnemonics().end());
    c.fail(word,
           fmt::format("{} is not an instruction of x86 that threads of the host may have", litmus::quoted(word.text)),
           suggest(word.text, known, fmt::format("known are {}", k_known)));
  };
  if (m.parts.size() > 1)
    c.fail(m.parts[1],
           fmt::format("{} is not an instruction of x86: modifiers with dots are PTX's", litmus::quoted(m.text())),
           fmt::format("this thread is on the host; known are {}", k_known));
  if (head.is("mov")) return move(c, b, t, m);
  if (head.is("xchg")) return locked(c, b, t, m, "xchg");
  if (head.is("mfence")) {
    Instr i = fence("mfence");
    i.span = c.since(head.begin);
    t.emit(std::move(i));
    return;
  }
  if (!head.is("lock")) unknown(head);
  const Token word = c.expect_word("an instruction after 'lock'", fmt::format("known are {}", k_known));
  if (!word.is("xadd") && std::find(std::begin(k_locked), std::end(k_locked), word.text) == std::end(k_locked))
    c.fail(word, fmt::format("'lock {}' is not an instruction that threads of the host may have", word.text),
           fmt::format("known are {}", k_known));
  locked(c, b, t, m, word.text);
}

}  // namespace fencepost::litmus

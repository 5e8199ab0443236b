// The `.test` notation of NVlabs/mixedproxy: one row and one command of a file, without its table.
#include <fmt/format.h>

#include "print/litmus.h"
#include "print/test_values.h"
#include "term/term.h"

namespace fencepost::print {
namespace {

using prog::Instr;
using prog::Kind;
using prog::Test;

std::string declaration(const Test& t, const prog::Symbol& s) {
  const std::string& space = t.objects[s.object].declared;
  if (s.aliased == prog::k_none) return fmt::format(".{} {};\n", space, s.name);
  const std::string& target = t.symbols[s.aliased].name;
  if (s.proxy == "generic") return fmt::format(".{} {} physically aliases {};\n", space, s.name, target);
  return fmt::format(".{} {} virtually aliases {};\n", s.proxy == "texture" ? "texref" : "surfref", s.name, target);
}

std::string operand(const prog::Template& code, const term::Expr& e) {
  return e.is_var() ? code.registers[e.value()].name : std::to_string(static_cast<int64_t>(e.value()));
}

std::string instruction(const Test& t, uint32_t thread, const Instr& i, const GivenValues& given) {
  const prog::Template& code = t.code(thread);
  std::string out = i.mnemonic;
  const char* separator = " ";
  const auto add = [&](const std::string& item) {
    out += separator + item;
    separator = ", ";
  };
  if (i.dst != prog::k_none) add(code.registers[i.dst].name);
  if (i.addr.symbol != prog::k_none) add("[" + t.symbols[i.addr.symbol].name + "]");
  for (const term::Expr& e : i.args) add(operand(code, e));
  if (i.dst != prog::k_none)
    if (const auto v = given.of(thread, i.dst)) out += fmt::format(" == {}", *v);
  return out;
}

}  // namespace

std::string print_mixedproxy_test(const Test& t) {
  const GivenValues given(t.filter);
  std::string out = fmt::format("// test: {}\n", t.title);
  for (const prog::Symbol& s : t.symbols) out += declaration(t, s);
  for (uint32_t th = 0; th < t.threads.size(); ++th) {
    const prog::ScopePath& place = t.threads[th].scope;
    uint32_t k = 0;  // the thread's number within its block
    for (uint32_t o = 0; o < th; ++o) k += t.threads[o].scope == place ? 1 : 0;
    out += fmt::format("\nd{}.b{}.t{} {{\n", place[1], place[2], k);
    for (const Instr& i : t.instrs(th)) out += fmt::format("  {};\n", instruction(t, th, i, given));
    out += "}\n";
  }
  out += '\n';
  for (const prog::Expectation& e : t.expectations) out += e.text + ";\n";
  return out;
}

}  // namespace fencepost::print

// GPU_PTX litmus files: typed registers, one column a thread, the scope tree from the threads' scope paths, and the
// memory map.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "print/litmus.h"
#include "print/question.h"
#include "prog/places.h"
#include "prog/test.h"
#include "term/term.h"
#include "vocab/vocab.h"

namespace fencepost::print {
namespace {

using prog::Instr;
using prog::k_none;
using prog::Kind;

std::string operand(const prog::Template& code, const term::Expr& e) {
  return term::to_string(
      e, [&](uint64_t v) { return v < code.registers.size() ? code.registers[v].name : std::string("?"); });
}

std::string instruction(const prog::Test& test, const prog::Template& code, const Instr& i) {
  std::string out;
  if (i.predicate != k_none)
    out += fmt::format("@{}{} ", i.predicate_negated ? "!" : "", code.registers[i.predicate].name);
  out += i.mnemonic;
  std::vector<std::string> operands;
  if (i.dst != k_none) operands.push_back(code.registers[i.dst].name);
  if (i.kind == Kind::load || i.kind == Kind::store || i.kind == Kind::rmw) {
    std::string name = !i.spelling.empty()       ? i.spelling.front()
                       : i.addr.symbol != k_none ? test.symbols[i.addr.symbol].name
                                                 : operand(code, i.addr.index);
    operands.push_back("[" + name + "]");
  }
  if (i.kind == Kind::local && !i.spelling.empty())
    operands.push_back(i.spelling.front());
  else
    for (const term::Expr& e : i.args) operands.push_back(operand(code, e));
  if (i.kind == Kind::jump) operands.push_back(code.labels[i.label].name);
  if (!operands.empty()) out += fmt::format(" {}", fmt::join(operands, ", "));
  return out;
}

// One text per table cell; labels stand before the instruction that they name.
std::vector<std::string> column(const prog::Test& test, uint32_t thread) {
  const prog::Template& code = test.code(thread);
  std::vector<std::string> out;
  std::string labels;
  for (const Instr& i : code.code) {
    if (i.kind == Kind::label) {
      labels += code.labels[i.label].name + ": ";
      continue;
    }
    out.push_back(labels + instruction(test, code, i));
    labels.clear();
  }
  if (!labels.empty()) out.push_back(labels.substr(0, labels.size() - 1));
  return out;
}

// The node at `level` that holds `members`, all of one path prefix.
std::string tree(const prog::Test& test, const std::vector<uint32_t>& members, size_t length) {
  static constexpr const char* names[] = {"", "system", "device", "cta", "warp"};
  std::map<uint32_t, std::vector<uint32_t>> children;  // by id at the next level
  std::string out = fmt::format("({}", names[length]);
  for (uint32_t t : members) {
    const prog::ScopePath& p = test.threads[t].scope;
    if (p.size() <= length || length >= 4)
      out += fmt::format(" T{}", t);
    else
      children[p[length]].push_back(t);
  }
  for (const auto& [id, inside] : children) out += " " + tree(test, inside, length + 1);
  return out + ")";
}

std::string scope_tree(const prog::Test& test) {
  std::map<uint32_t, std::vector<uint32_t>> devices;
  for (uint32_t t = 0; t < test.threads.size(); ++t)
    if (test.threads[t].scope.size() > 1) devices[test.threads[t].scope[1]].push_back(t);
  std::string out;
  for (const auto& [id, members] : devices) out += (out.empty() ? "" : " ") + tree(test, members, 2);
  return "ScopeTree " + (devices.size() == 1 ? out : "(system " + out + ")");
}

}  // namespace

std::string print_gpu_ptx(const prog::Test& test) {
  if (prog::has_place_checks(test)) return print_gpu_ptx(prog::without_place_checks(test));
  std::string out = "GPU_PTX " + test.title + "\n";
  for (const std::string& r : test.remarks) out += "\"" + r + "\"\n";
  out += "{\n";
  for (const prog::Object& o : test.objects)
    out += fmt::format("  {}{} = {};\n", o.declared.empty() ? "" : "." + o.declared + " ", o.name,
                       term::to_signed(o.init.front(), o.width));
  for (const prog::Thread& t : test.threads) {
    const prog::Template& code = test.templates[t.templ];
    for (prog::RegId r = 0; r < code.registers.size(); ++r) {
      const prog::Register& x = code.registers[r];
      out += fmt::format("  {}:.reg .{} {}", t.id, x.type.empty() ? fmt::format("b{}", x.width) : x.type, x.name);
      for (const prog::InitValue& v : t.init)
        if (v.reg == r)
          out += " = " + (v.address != k_none ? test.symbols[v.address].name
                          : x.width == 1      ? std::to_string(v.value)
                                              : std::to_string(term::to_signed(v.value, x.width)));
      out += ";\n";
    }
  }
  out += "}\n";

  std::vector<std::vector<std::string>> columns;
  std::vector<size_t> width;
  size_t rows = 0;
  for (uint32_t t = 0; t < test.threads.size(); ++t) {
    columns.push_back(column(test, t));
    size_t w = fmt::format("T{}", t).size();
    for (const std::string& s : columns.back()) w = std::max(w, s.size());
    width.push_back(w);
    rows = std::max(rows, columns.back().size());
  }
  const auto row = [&](const auto& cell) {
    for (size_t k = 0; k < columns.size(); ++k) out += fmt::format("{}{:<{}}", k == 0 ? " " : " | ", cell(k), width[k]);
    out += " ;\n";
  };
  row([](size_t k) { return fmt::format("T{}", k); });
  for (size_t i = 0; i < rows; ++i)
    row([&](size_t k) { return i < columns[k].size() ? columns[k][i] : std::string(); });

  out += scope_tree(test) + "\n";
  std::string map;
  for (const prog::Object& o : test.objects)
    map +=
        fmt::format("{}{}: {}", map.empty() ? "" : ", ", o.name, o.tags.has(vocab::Tag::SHARED) ? "shared" : "global");
  if (!map.empty()) out += map + "\n";
  return out + print_question(test);
}

}  // namespace fencepost::print

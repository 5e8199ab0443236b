#include "print/asm_litmus.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "print/question.h"
#include "prog/mbarrier.h"
#include "prog/ptx_objects.h"
#include "prog/test.h"
#include "vocab/vocab.h"

namespace fencepost::print {
namespace {

using prog::Test;

std::string header(const Test& t, const char* language) {
  std::string out = language;
  if (!t.title.empty()) out += " " + t.title;
  out += '\n';
  for (std::string remark : t.remarks) {
    std::replace(remark.begin(), remark.end(), '"', '\'');
    out += "\"" + remark + "\"\n";
  }
  return out;
}

int64_t as_signed(uint64_t v) { return static_cast<int64_t>(v); }

void initial_state(const Test& t, std::string& out) {
  out += "{\n";
  for (size_t k = 0; k < t.symbols.size(); ++k) {
    const prog::Symbol& s = t.symbols[k];
    if (s.proxy == "multimem") {
      const std::string name = s.name.substr(0, s.name.find('('));
      const bool first = k == 0 || !t.symbols[k - 1].name.starts_with(name + "(");
      const bool last = k + 1 == t.symbols.size() || !t.symbols[k + 1].name.starts_with(name + "(");
      out += (first ? name + " @ multimem " : ", ") + t.symbols[s.aliased].name + (last ? ";\n" : "");
      continue;
    }
    if (s.aliased != prog::k_none) {
      const std::string proxy = s.proxy.empty() ? "" : " @ " + s.proxy;
      out += fmt::format("{}{} aliases {};\n", s.name, proxy, t.symbols[s.aliased].name);
      continue;
    }
    const prog::Object& o = t.objects[s.object];
    const prog::SymbolId address = o.init_address.empty() ? prog::k_none : o.init_address.front();
    if (o.mbarrier)
      out += fmt::format("{} @ mbarrier P{}{}{};\n", s.name, o.home, o.declared.empty() ? "" : " " + o.declared,
                         o.init.front() == 0 ? "" : fmt::format(" = {}", prog::mbarrier_expected(o.init.front())));
    else if (prog::is_tensor_map(o))
      out += fmt::format("{} @ {} = {};\n", s.name, o.declared, as_signed(o.init.front()));
    else if (o.home != prog::k_none)
      out += fmt::format("{} @ shared P{} = {};\n", s.name, o.home, as_signed(o.init.front()));
    else if (address != prog::k_none)
      out += fmt::format("{} = &{};\n", s.name, t.symbols[address].name);
    else
      out += fmt::format("{} = {};\n", s.name, as_signed(o.init.front()));
  }
  for (const prog::Thread& th : t.threads)
    for (const prog::InitValue& v : th.init) {
      const std::string& reg = t.templates[th.templ].registers[v.reg].name;
      if (v.address != prog::k_none)
        out += fmt::format("P{}:{} = &{};\n", th.id, reg, t.symbols[v.address].name);
      else
        out += fmt::format("P{}:{} = {};\n", th.id, reg, as_signed(v.value));
    }
  out += "}\n";
}

std::string place(const Test& t, const prog::Thread& th) {
  const auto levels = vocab::levels(t.dialect);
  if (th.host) return fmt::format("P{}@host", th.id);
  std::string out = fmt::format("P{}@", th.id);
  for (size_t k = th.scope.size(); k-- > 1;) {
    if (k == 1 && th.cluster != prog::k_none) out += fmt::format("cluster {}, ", th.cluster);
    out += fmt::format("{} {}{}", levels[k], th.scope[k], k > 1 ? ", " : "");
  }
  return out;
}

}  // namespace

std::string print_asm(const Test& t, const char* language) {
  std::string out = header(t, language);
  initial_state(t, out);
  if (!t.ssw.empty()) {
    out += "{ ";
    for (const auto& [a, b] : t.ssw) out += fmt::format("ssw {} {}; ", a, b);
    out += "}\n";
  }
  // A table: the first row places the threads, the others hold one instruction each.
  std::vector<std::vector<std::string>> columns;
  size_t rows = 1;
  for (const prog::Thread& th : t.threads) {
    std::vector<std::string> column = {place(t, th)};
    for (const prog::Instr& i : t.instrs(th.id))
      if (!i.hidden) column.push_back(prog::to_string(t, th.id, i));
    rows = std::max(rows, column.size());
    columns.push_back(std::move(column));
  }
  std::vector<size_t> widths;
  for (const auto& column : columns) {
    size_t w = 0;
    for (const std::string& cell : column) w = std::max(w, cell.size());
    widths.push_back(w);
  }
  for (size_t r = 0; r < rows; ++r)
    for (size_t c = 0; c < columns.size(); ++c) {
      const std::string cell = r < columns[c].size() ? columns[c][r] : "";
      out += fmt::format(" {:<{}} {}", cell, widths[c], c + 1 == columns.size() ? ";\n" : "|");
    }
  return out + print_question(t);
}

}  // namespace fencepost::print

#include "prog/state.h"

#include <algorithm>

#include "base/diagnostic.h"
#include "base/hash.h"
#include "prog/test.h"

namespace fencepost::prog {
namespace {

// Natural order: runs of digits compare as numbers, the rest by byte; r2 before r10.
int natural(std::string_view a, std::string_view b) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (digit(a[i]) && digit(b[j])) {
      size_t i2 = i, j2 = j;
      while (i2 < a.size() && digit(a[i2])) ++i2;
      while (j2 < b.size() && digit(b[j2])) ++j2;
      std::string_view x = a.substr(i, i2 - i), y = b.substr(j, j2 - j);
      while (x.size() > 1 && x.front() == '0') x.remove_prefix(1);
      while (y.size() > 1 && y.front() == '0') y.remove_prefix(1);
      if (x.size() != y.size()) return x.size() < y.size() ? -1 : 1;
      if (const int c = x.compare(y); c != 0) return c;
      i = i2;
      j = j2;
    } else {
      if (a[i] != b[j]) return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[j]) ? -1 : 1;
      ++i;
      ++j;
    }
  }
  if (i < a.size()) return 1;
  if (j < b.size()) return -1;
  return a.compare(b);  // "r01" and "r1" differ
}

Observable of_register(const Test& test, uint32_t thread, RegId reg) {
  FENCEPOST_INVARIANT(thread < test.threads.size() && reg < test.code(thread).registers.size(),
                      "a register that does not exist was observed");
  const Register& r = test.code(thread).registers[reg];
  return {true, thread, reg, 0, 0, std::to_string(thread) + ":" + r.name, r.width, r.is_unsigned};
}

Observable of_cell(const Test& test, SymbolId symbol, uint64_t cell) {
  FENCEPOST_INVARIANT(symbol < test.symbols.size(), "a location that does not exist was observed");
  const Object& o = test.objects[test.symbols[symbol].object];
  FENCEPOST_INVARIANT(cell < o.init.size(), "a memory cell that does not exist was observed");
  return {false, 0, 0, symbol, cell, cell_name(test, symbol, cell), o.width, is_unsigned(o, cell)};
}

void collect(const Test& test, const CondValue& v, std::vector<Observable>& out) {
  if (v.kind == CondValue::Kind::reg) out.push_back(of_register(test, v.thread, v.reg));
  if (v.kind == CondValue::Kind::location) out.push_back(of_cell(test, v.symbol, v.cell));
}

void collect(const Test& test, const Cond& c, std::vector<Observable>& out) {
  if (c.kind == Cond::Kind::atom) {
    collect(test, c.lhs, out);
    collect(test, c.rhs, out);
  }
  for (const Cond& kid : c.kids) collect(test, kid, out);
}

void collect_all(const Test& test, std::vector<Observable>& out) {
  for (uint32_t t = 0; t < test.threads.size(); ++t)
    for (const Instr& i : test.instrs(t))
      if (i.dst != k_none && !test.code(t).registers[i.dst].temporary) out.push_back(of_register(test, t, i.dst));
  std::vector<bool> seen(test.objects.size(), false);
  for (SymbolId s = 0; s < test.symbols.size(); ++s) {
    const ObjectId o = test.symbols[s].object;
    if (seen[o]) continue;  // an alias names memory that is listed already
    seen[o] = true;
    for (uint64_t cell = 0; cell < test.objects[o].init.size(); ++cell)
      if (const auto& cells = test.objects[o].cells;
          cells.empty() || (cell < cells.size() && !cells[cell].name.empty()))
        out.push_back(of_cell(test, s, cell));
  }
}

bool before(const Observable& a, const Observable& b) {
  if (a.is_register != b.is_register) return a.is_register;
  if (a.is_register && a.thread != b.thread) return a.thread < b.thread;
  return natural(a.text, b.text) < 0;
}

// The value, extended as conditions compare it.
int64_t value_of(const Test& test, const CondValue& v, const FinalValues& f) {
  switch (v.kind) {
    case CondValue::Kind::reg: {
      const uint64_t value = f.registers.at(v.thread).at(v.reg);
      const uint8_t width = test.code(v.thread).registers[v.reg].width;
      return v.is_unsigned ? static_cast<int64_t>(value & term::mask(width)) : term::to_signed(value, width);
    }
    case CondValue::Kind::location: {
      const ObjectId o = test.symbols[v.symbol].object;
      const uint64_t value = f.memory.at(o).at(v.cell);
      return v.is_unsigned ? static_cast<int64_t>(value) : term::to_signed(value, test.objects[o].width);
    }
    case CondValue::Kind::constant:
      return static_cast<int64_t>(v.constant);
    case CondValue::Kind::address:
      return static_cast<int64_t>(address_of(test.symbols[v.symbol].object, v.cell));
  }
  return 0;
}

}  // namespace

std::vector<Observable> observables(const Test& test) {
  std::vector<Observable> out;
  collect(test, test.condition, out);
  collect(test, test.filter, out);
  for (const CondValue& v : test.locations) collect(test, v, out);
  if (out.empty()) collect_all(test, out);
  std::stable_sort(out.begin(), out.end(), before);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::string to_string(const Observable& o, uint64_t value) {
  return o.is_unsigned ? std::to_string(value & term::mask(o.width)) : std::to_string(term::to_signed(value, o.width));
}

std::string to_string(const std::vector<Observable>& obs, const State& s) {
  FENCEPOST_INVARIANT(obs.size() == s.size(), "a state does not fit its observables");
  std::string out;
  for (size_t i = 0; i < obs.size(); ++i) {
    if (i > 0) out += ' ';
    out += obs[i].text + "=" + (s[i].free ? "?" : to_string(obs[i], s[i].value)) + ";";
  }
  return out;
}

uint64_t hash(const std::vector<Observable>& obs, const State& s) {
  uint64_t h = k_fnv_begin;
  for (const Observable& o : obs) h = fnv1a(";", fnv1a(o.text, h));
  return fnv1a(to_string(obs, s), fnv1a("\n", h));
}

bool holds(const Test& test, const Cond& c, const FinalValues& f) {
  switch (c.kind) {
    case Cond::Kind::always:
      return true;
    case Cond::Kind::not_:
      return !holds(test, c.kids.front(), f);
    case Cond::Kind::and_:
      return std::all_of(c.kids.begin(), c.kids.end(), [&](const Cond& k) { return holds(test, k, f); });
    case Cond::Kind::or_:
      return std::any_of(c.kids.begin(), c.kids.end(), [&](const Cond& k) { return holds(test, k, f); });
    case Cond::Kind::atom:
      break;
  }
  const auto a = static_cast<uint64_t>(value_of(test, c.lhs, f));
  const auto b = static_cast<uint64_t>(value_of(test, c.rhs, f));
  FENCEPOST_INVARIANT(term::is_comparison(c.cmp), "a condition compares with an operator that is not a comparison");
  return term::eval_op(c.cmp, 64, 1, a, b, 0) != 0;
}

State state_of(const Test& test, const std::vector<Observable>& obs, const FinalValues& f) {
  State out;
  out.reserve(obs.size());
  for (const Observable& o : obs) {
    const uint64_t v =
        o.is_register ? f.registers.at(o.thread).at(o.reg) : f.memory.at(test.symbols[o.symbol].object).at(o.cell);
    out.push_back({false, v & term::mask(o.width)});
  }
  return out;
}

}  // namespace fencepost::prog

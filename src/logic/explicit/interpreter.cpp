#include "explicit/interpreter.h"

#include "base/diagnostic.h"
#include "prog/test.h"
#include "reference/loops.h"
#include "reference/relations.h"
#include "term/term.h"

namespace fencepost::explicit_state {
namespace {

using prog::Instr;
using prog::k_none;
using prog::Kind;

uint64_t extend(uint64_t v, uint8_t width) { return static_cast<uint64_t>(term::to_signed(v, width)); }

uint64_t evaluate(const term::Expr& e, const std::vector<uint64_t>& registers, uint64_t old = 0) {
  const auto v = term::eval(
      e, [&](uint64_t var) -> std::optional<uint64_t> { return var == prog::k_old_value ? old : registers[var]; });
  FENCEPOST_INVARIANT(v.has_value(), "an expression of the program has no value");
  return extend(*v, e.width());
}

bool accesses(const Instr& in) { return in.kind == Kind::load || in.kind == Kind::store || in.kind == Kind::rmw; }

}  // namespace

Interpreter::Interpreter(const prog::Test& test) : test_(test) {
  for (uint32_t t = 0; t < test.threads.size(); ++t)
    live_.push_back(reference::live_registers(test.code(t), std::vector<bool>(test.code(t).registers.size(), false)));
}

ThreadState Interpreter::start(uint32_t thread) const {
  const prog::Template& code = test_.code(thread);
  ThreadState s;
  s.registers.assign(code.registers.size(), 0);
  for (const prog::InitValue& v : test_.threads[thread].init) {
    const uint64_t value = v.address != k_none ? prog::address_of(test_.symbols[v.address].object) : v.value;
    s.registers[v.reg] = value & term::mask(code.registers[v.reg].width);
  }
  for (size_t r = 0; r < s.registers.size(); ++r)
    if (!live_[thread][0][r]) s.registers[r] = 0;
  return s;
}

Memory Interpreter::memory() const {
  Memory m;
  for (const prog::Object& o : test_.objects) {
    m.emplace_back();
    for (size_t c = 0; c < o.init.size(); ++c) {
      uint64_t v = o.init[c];
      if (c < o.init_address.size() && o.init_address[c] != k_none)
        v = prog::address_of(test_.symbols[o.init_address[c]].object);
      m.back().push_back(v & term::mask(o.width));
    }
  }
  return m;
}

bool Interpreter::instruction(uint32_t thread, ThreadState& s, Memory& m,
                              const std::function<void(const Access&)>* see) const {
  const prog::Template& code = test_.code(thread);
  const Instr& in = code.code[s.position];
  if (in.predicate != k_none && (s.registers[in.predicate] != 0) == in.predicate_negated) {
    ++s.position;
    return true;
  }
  const auto assign = [&](prog::RegId r, uint64_t v) {
    if (r != k_none) s.registers[r] = v & term::mask(code.registers[r].width);
  };
  switch (in.kind) {
    case Kind::label:
      break;
    case Kind::local:
      assign(in.dst, evaluate(in.value, s.registers));
      break;
    case Kind::fence:
      if (see != nullptr) (*see)({s.position, 2, false, 0, 0, 0});
      break;
    case Kind::barrier:
      return false;
    case Kind::jump:
    case Kind::branch:
      if (in.kind == Kind::jump || evaluate(in.value, s.registers) != 0) {
        s.position = code.labels[in.label].at;
        return true;
      }
      break;
    case Kind::load:
    case Kind::store:
    case Kind::rmw: {
      reference::Cell where;
      if (in.addr.symbol != k_none) {
        where.object = test_.symbols[in.addr.symbol].object;
        where.cell = in.addr.index ? evaluate(in.addr.index, s.registers) : 0;
        if (where.cell >= test_.objects[where.object].init.size()) return false;
      } else {
        const auto c = reference::cell_at(test_, evaluate(in.addr.index, s.registers));
        if (!c) return false;
        where = *c;
      }
      const uint8_t width = test_.objects[where.object].width;
      uint64_t& memory = m[where.object][where.cell];
      if (in.kind == Kind::store) {
        memory = evaluate(in.value, s.registers) & term::mask(width);
        if (see != nullptr) (*see)({s.position, 0, true, where.object, where.cell, memory});
        break;
      }
      if (see != nullptr) (*see)({s.position, 0, false, where.object, where.cell, memory});
      const uint64_t old = extend(memory, width);
      if (in.kind == Kind::load) {
        assign(in.dst, old);
        break;
      }
      const bool writes = !in.guard || evaluate(in.guard, s.registers, old) != 0;
      const uint64_t result = in.result ? evaluate(in.result, s.registers, old) : old;
      if (writes) {
        memory = evaluate(in.value, s.registers, old) & term::mask(width);
        if (see != nullptr) (*see)({s.position, 1, true, where.object, where.cell, memory});
      }
      assign(in.dst, result);
      break;
    }
  }
  ++s.position;
  return true;
}

uint64_t Interpreter::step(uint32_t thread, ThreadState& s, Memory& m) const {
  const auto& code = test_.instrs(thread);
  uint64_t count = 0;
  bool accessed = false;
  while (s.position < code.size()) {
    if (accessed && accesses(code[s.position])) break;
    const uint32_t at = s.position;
    accessed = accessed || accesses(code[at]);
    if (!instruction(thread, s, m, nullptr)) return 0;
    ++count;
    if (s.position <= at) break;  // a backward jump
  }
  const auto& live = live_[thread][s.position];
  for (size_t r = 0; r < s.registers.size(); ++r)
    if (!live[r]) s.registers[r] = 0;
  return count;
}

}  // namespace fencepost::explicit_state

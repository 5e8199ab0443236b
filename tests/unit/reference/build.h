#pragma once
// Programs by hand, for tests of the interpreter: values, no parser.
#include <gtest/gtest.h>

#include <string>

#include "prog/test.h"
#include "reference/run.h"

namespace fencepost::reference {

using prog::Instr;
using prog::Kind;
using vocab::Base;
using vocab::Tag;

inline term::Expr num(uint64_t v) { return term::constant(v, 64); }
inline term::Expr reg(uint64_t r) { return term::variable(r, 64); }
inline term::Expr old() { return term::variable(prog::k_old_value, 64); }
inline term::Expr plus(term::Expr a, term::Expr b) { return term::binary(term::Op::add, std::move(a), std::move(b)); }
inline term::Expr equal(term::Expr a, term::Expr b) { return term::binary(term::Op::eq, std::move(a), std::move(b)); }

inline prog::Test program(vocab::Dialect d, std::vector<std::string> locations) {
  prog::Test t;
  t.dialect = d;
  for (const std::string& name : locations) {
    const auto id = static_cast<uint32_t>(t.objects.size());
    prog::Object o;
    o.name = name;
    t.objects.push_back(o);
    prog::Symbol s;
    s.name = name;
    s.object = s.generic = id;
    t.symbols.push_back(s);
  }
  return t;
}

// Adds a thread with registers r0..r7; labels are the numbers used in the code.
inline uint32_t add_thread(prog::Test& t, prog::ScopePath scope, std::vector<Instr> code) {
  prog::Template tp;
  for (int r = 0; r < 8; ++r) tp.registers.push_back({"r" + std::to_string(r), 64, "", false});
  for (uint32_t i = 0; i < code.size(); ++i)
    if (code[i].kind == Kind::label) {
      if (tp.labels.size() <= code[i].label) tp.labels.resize(code[i].label + 1);
      tp.labels[code[i].label] = {"L" + std::to_string(code[i].label), i};
    }
  tp.code = std::move(code);
  prog::Thread th;
  th.id = static_cast<uint32_t>(t.threads.size());
  t.templates.push_back(std::move(tp));
  th.templ = static_cast<uint32_t>(t.templates.size() - 1);
  th.scope = std::move(scope);
  t.threads.push_back(th);
  return th.id;
}

inline Instr load(prog::RegId dst, prog::SymbolId s, vocab::TagSet tags = {}) {
  Instr i;
  i.kind = Kind::load;
  i.dst = dst;
  i.addr.symbol = s;
  i.tags = tags;
  return i;
}
inline Instr store(prog::SymbolId s, term::Expr value, vocab::TagSet tags = {}) {
  Instr i;
  i.kind = Kind::store;
  i.addr.symbol = s;
  i.value = std::move(value);
  i.tags = tags;
  return i;
}
inline Instr rmw(prog::RegId dst, prog::SymbolId s, term::Expr value, term::Expr guard = {}) {
  Instr i;
  i.kind = Kind::rmw;
  i.dst = dst;
  i.addr.symbol = s;
  i.value = std::move(value);
  i.guard = std::move(guard);
  return i;
}
inline Instr local(prog::RegId dst, term::Expr value) {
  Instr i;
  i.dst = dst;
  i.value = std::move(value);
  return i;
}
inline Instr fence(vocab::TagSet tags) {
  Instr i;
  i.kind = Kind::fence;
  i.tags = tags;
  return i;
}
inline Instr label(prog::LabelId l) {
  Instr i;
  i.kind = Kind::label;
  i.label = l;
  return i;
}
inline Instr jump(prog::LabelId l) {
  Instr i;
  i.kind = Kind::jump;
  i.label = l;
  return i;
}
inline Instr branch(term::Expr c, prog::LabelId l) {
  Instr i;
  i.kind = Kind::branch;
  i.value = std::move(c);
  i.label = l;
  return i;
}
inline Instr barrier(std::string instance, uint32_t level, term::Expr id = {}, term::Expr quorum = {},
                     bool arrive = false) {
  Instr i;
  i.kind = Kind::barrier;
  i.barrier = {.instance = std::move(instance),
               .id = std::move(id),
               .quorum = std::move(quorum),
               .arrive = arrive,
               .level = level};
  return i;
}

inline EventKey at(uint32_t thread, uint32_t instr, uint32_t part = 0, uint32_t occurrence = 0) {
  return {thread, instr, occurrence, part};
}
inline EventKey init(prog::ObjectId o, uint32_t cell = 0) { return {k_init, o, cell, 0}; }

inline void reads(Choices& c, const EventKey& read, const EventKey& write, uint64_t value) {
  c.rf[read] = write;
  c.read_value[read] = value;
}

inline RunResult expect_run(const prog::Test& t, const Choices& c, uint32_t bound = 1) {
  auto r = run(t, c, {bound});
  if (r) return *std::move(r);
  ADD_FAILURE() << r.error().list[0].message;
  return {};
}
inline std::string rejection(const prog::Test& t, const Choices& c, uint32_t bound = 1) {
  const auto r = run(t, c, {bound});
  return r ? "accepted" : r.error().list[0].message;
}
// Pairs of a base relation as event keys' positions.
inline bool related(const Execution& x, Base b, const EventKey& from, const EventKey& to) {
  const auto i = x.find(from);
  const auto j = x.find(to);
  return i && j && x.rel(b).test(*i, *j);
}

}  // namespace fencepost::reference

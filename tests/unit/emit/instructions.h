#pragma once
// A litmus test's single instructions as a kernel, for the tests of printers.
#include <gtest/gtest.h>

#include "code/kernel.h"
#include "read/read.h"

namespace fencepost::emit_test {

// Every memory instruction, fence and barrier of a test, each on word (symbol * 2) of one buffer; registers are
// variables, and local instructions are left out: this is about the text of single instructions.
inline code::Kernel instructions_of(const std::string& text) {
  const auto test = read::parse_one(make_source("t.litmus", text));
  EXPECT_TRUE(test.has_value()) << (test ? "" : render(test.error()));
  code::Kernel k;
  k.name = "instructions";
  k.buffers = {{"memory"}};
  if (!test) return k;
  for (uint32_t t = 0; t < test->threads.size(); ++t) {
    std::vector<code::Var> vars;
    for (const prog::Register& r : test->code(t).registers)
      vars.push_back(code::add_variable(
          k,
          "t" + std::to_string(t) + "_" +
              (r.name.starts_with("$") || r.temporary ? "tmp" + std::to_string(vars.size()) : r.name),
          r.width <= 32 ? 32 : 64));
    const auto here = [&](const term::Expr& e) {
      return term::substitute(
          e, [&](uint64_t v, uint8_t w) { return v == prog::k_old_value ? term::Expr() : term::variable(vars[v], w); });
    };
    for (const prog::Instr& i : test->instrs(t)) {
      if (i.kind != prog::Kind::load && i.kind != prog::Kind::store && i.kind != prog::Kind::rmw &&
          i.kind != prog::Kind::fence && i.kind != prog::Kind::barrier)
        continue;
      code::Operation o;
      o.role = t;
      o.instr = i;
      o.dialect = test->dialect;
      if (i.addr.symbol != prog::k_none) {
        const prog::ObjectId object = test->symbols[i.addr.symbol].object;
        o.place = code::Place{0, term::constant(object * 2, 32),
                              static_cast<uint8_t>(test->objects[object].width <= 32 ? 32 : 64)};
      }
      o.value = here(i.value);
      o.guard = here(i.guard);
      o.result = here(i.result);
      if (i.dst != prog::k_none) o.var = vars[i.dst];
      k.operations.push_back(o);
      k.body.push_back(code::test(static_cast<uint32_t>(k.operations.size() - 1)));
    }
  }
  return k;
}

}  // namespace fencepost::emit_test

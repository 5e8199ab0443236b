#include "flow/divisors.h"

#include <algorithm>

namespace fencepost::flow {

using namespace ir;

namespace {

// What is divided by; none: no division by a number that is no constant.
ValueId divisor(const Function& f, const Instruction& in) {
  const auto* c = std::get_if<Compute>(&in.action);
  if (c == nullptr) return {};
  const bool division = c->op == Op::udiv || c->op == Op::urem || c->op == Op::sdiv || c->op == Op::srem;
  return division && f.value(c->operands[1]).kind != Value::constant ? c->operands[1] : ValueId();
}

void keep(Function& f) {
  const auto value = [&](Value v) {
    f.values.push_back(std::move(v));
    return ValueId{static_cast<uint32_t>(f.values.size() - 1)};
  };
  for (Block& b : f.blocks) {
    std::vector<Instruction> out;
    std::vector<ValueId> known;  // of this block
    for (Instruction& in : b.instructions) {
      if (const ValueId by = divisor(f, in); by && std::ranges::find(known, by) == known.end()) {
        known.push_back(by);
        const ValueId zero = value({.kind = Value::constant, .type = f.value(by).type});
        const ValueId holds = value({.kind = Value::result, .type = {Type::bits, 1}});
        Compute test;
        test.op = Op::ne;
        test.operands = {by, zero};
        out.push_back({{holds}, std::move(test), {}});
        out.push_back({{}, Annotation{.note = Note::assume, .condition = holds}, {}});
      }
      out.push_back(std::move(in));
    }
    b.instructions = std::move(out);
  }
}

}  // namespace

bool divides(const Function& f) {
  return std::ranges::any_of(f.blocks, [&](const Block& b) {
    return std::ranges::any_of(b.instructions, [&](const Instruction& in) { return bool(divisor(f, in)); });
  });
}

void keep_divisors_from_zero(Module& m) {
  for (Function& f : m.functions)
    if (f.body && divides(f)) keep(f);
}

}  // namespace fencepost::flow

#include "flow/defined.h"

#include <algorithm>

namespace fencepost::flow {

using namespace ir;

namespace {

bool is_division(Op op) { return op == Op::udiv || op == Op::urem || op == Op::sdiv || op == Op::srem; }
bool is_shift(Op op) { return op == Op::shl || op == Op::lshr || op == Op::ashr; }

// Of two numbers, the second one no constant.
const Compute* by_a_number(const Function& f, const Instruction& in, bool (*kind)(Op)) {
  const auto* c = std::get_if<Compute>(&in.action);
  return c != nullptr && kind(c->op) && f.value(c->operands[1]).kind != Value::constant ? c : nullptr;
}

bool any(const Function& f, bool (*kind)(Op)) {
  return std::ranges::any_of(f.blocks, [&](const Block& b) {
    return std::ranges::any_of(b.instructions,
                               [&](const Instruction& in) { return by_a_number(f, in, kind) != nullptr; });
  });
}

class Keeper {
 public:
  explicit Keeper(Function& f) : f_(f) {}

  void change() {
    for (Block& b : f_.blocks) {
      std::vector<Instruction> before = std::move(b.instructions);
      out_.clear();
      for (Instruction& in : before) {
        if (const Compute* c = by_a_number(f_, in, is_division)) divided(*c);
        if (const Compute* c = by_a_number(f_, in, is_shift)) shifted(*c);
        out_.push_back(std::move(in));
      }
      b.instructions = std::move(out_);
    }
  }

 private:
  void divided(const Compute& c) {
    const Type type = f_.value(c.operands[1]).type;
    assume(test(Op::ne, c.operands[1], number(0, type)));
    const Value& a = f_.value(c.operands[0]);
    const uint64_t least = uint64_t{1} << (type.width - 1);
    if (c.op != Op::sdiv && c.op != Op::srem) return;
    if (a.kind == Value::constant && a.constant_bits != least) return;
    const uint64_t all = type.width < 64 ? (uint64_t{1} << type.width) - 1 : ~uint64_t{0};
    assume(make(Op::or_,
                {test(Op::ne, c.operands[0], number(least, type)), test(Op::ne, c.operands[1], number(all, type))}));
  }
  void shifted(const Compute& c) {
    const Type type = f_.value(c.operands[1]).type;
    assume(test(Op::ult, c.operands[1], number(type.width, type)));
  }

  ValueId value(Value v) {
    f_.values.push_back(std::move(v));
    return {static_cast<uint32_t>(f_.values.size() - 1)};
  }
  ValueId number(uint64_t n, Type type) { return value({.kind = Value::constant, .type = type, .constant_bits = n}); }
  ValueId make(Op op, std::vector<ValueId> operands) {
    const ValueId made = value({.kind = Value::result, .type = {Type::bits, 1}});
    Compute c;
    c.op = op;
    c.operands = std::move(operands);
    out_.push_back({{made}, std::move(c), {}});
    return made;
  }
  ValueId test(Op op, ValueId x, ValueId y) { return make(op, {x, y}); }
  void assume(ValueId holds) { out_.push_back({{}, Annotation{.note = Note::assume, .condition = holds}, {}}); }

  Function& f_;
  std::vector<Instruction> out_;
};

}  // namespace

bool divides(const Function& f) { return any(f, is_division); }
bool shifts(const Function& f) { return any(f, is_shift); }

void keep_defined(Module& m) {
  for (Function& f : m.functions)
    if (f.body && (divides(f) || shifts(f))) Keeper(f).change();
}

}  // namespace fencepost::flow

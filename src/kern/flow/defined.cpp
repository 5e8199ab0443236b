#include "flow/defined.h"

#include <algorithm>

namespace fencepost::flow {

using namespace ir;

namespace {

// The instructions that make each value.
class Sources {
 public:
  explicit Sources(const Function& f) : f_(f), made_(f.values.size()) {
    for (const Block& b : f.blocks)
      for (const Instruction& in : b.instructions)
        for (const ValueId r : in.results) made_[r.index] = &in;
  }

  // A division by a number that is no constant and does not come from the thread's place in the launch.
  const Compute* division(const Instruction& in) const {
    const auto* c = std::get_if<Compute>(&in.action);
    if (c == nullptr || (c->op != Op::udiv && c->op != Op::urem && c->op != Op::sdiv && c->op != Op::srem))
      return nullptr;
    return f_.value(c->operands[1]).kind != Value::constant && !of_thread(c->operands[1]) ? c : nullptr;
  }

 private:
  bool of_thread(ValueId v) const {
    std::vector<uint8_t> seen(f_.values.size());
    std::vector<ValueId> todo{v};
    while (!todo.empty()) {
      const ValueId x = todo.back();
      todo.pop_back();
      if (seen[x.index] != 0) continue;
      seen[x.index] = 1;
      const Instruction* in = made_[x.index];
      if (in == nullptr) continue;
      const auto* c = std::get_if<Compute>(&in->action);
      if (c == nullptr) return true;  // a load, a call, a loop's counter: it may differ between threads
      if (c->op == Op::id) {
        const auto kind = static_cast<IdKind>(c->imm);
        if (kind != IdKind::local_size && kind != IdKind::num_groups) return true;
      }
      for (const ValueId o : c->operands) todo.push_back(o);
    }
    return false;
  }

  const Function& f_;
  std::vector<const Instruction*> made_;
};

class Keeper {
 public:
  explicit Keeper(Function& f) : f_(f) {}

  void change() {
    // By their places in the text: the instructions move.
    std::vector<std::vector<uint8_t>> divisions;
    {
      const Sources sources(f_);
      for (const Block& b : f_.blocks) {
        auto& of_block = divisions.emplace_back();
        for (const Instruction& in : b.instructions) of_block.push_back(sources.division(in) != nullptr);
      }
    }
    for (size_t k = 0; k < f_.blocks.size(); ++k) {
      std::vector<Instruction> before = std::move(f_.blocks[k].instructions);
      out_.clear();
      for (size_t at = 0; at < before.size(); ++at) {
        if (divisions[k][at] != 0) divided(std::get<Compute>(before[at].action));
        out_.push_back(std::move(before[at]));
      }
      f_.blocks[k].instructions = std::move(out_);
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
    const ValueId other = test(Op::ne, c.operands[0], number(least, type));
    assume(test(Op::or_, other, test(Op::ne, c.operands[1], number(all, type))));
  }

  ValueId value(Value v) {
    f_.values.push_back(std::move(v));
    return {static_cast<uint32_t>(f_.values.size() - 1)};
  }
  ValueId number(uint64_t n, Type type) { return value({.kind = Value::constant, .type = type, .constant_bits = n}); }
  ValueId test(Op op, ValueId x, ValueId y) {
    const ValueId made = value({.kind = Value::result, .type = {Type::bits, 1}});
    Compute c;
    c.op = op;
    c.operands = {x, y};
    out_.push_back({{made}, std::move(c), {}});
    return made;
  }
  void assume(ValueId holds) { out_.push_back({{}, Annotation{.note = Note::assume, .condition = holds}, {}}); }

  Function& f_;
  std::vector<Instruction> out_;
};

}  // namespace

bool divides(const Function& f) {
  const Sources sources(f);
  return std::ranges::any_of(f.blocks, [&](const Block& b) {
    return std::ranges::any_of(b.instructions, [&](const Instruction& in) { return sources.division(in) != nullptr; });
  });
}

void keep_defined(Module& m) {
  for (Function& f : m.functions)
    if (f.body && divides(f)) Keeper(f).change();
}

}  // namespace fencepost::flow

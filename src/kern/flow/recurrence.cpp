#include "flow/recurrence.h"

#include <bit>

namespace fencepost::flow {

using namespace ir;

std::vector<BlockId> definitions(const Function& f) {
  std::vector<BlockId> r(f.values.size());
  for (uint32_t b = 0; b < f.blocks.size(); ++b)
    for (const Instruction& in : f.blocks[b].instructions)
      for (ValueId v : in.results) r[v.index] = {b};
  return r;
}

std::vector<const Instruction*> instructions(const Function& f) {
  std::vector<const Instruction*> r(f.values.size(), nullptr);
  for (const Block& b : f.blocks)
    for (const Instruction& in : b.instructions)
      for (ValueId v : in.results) r[v.index] = &in;
  return r;
}

Recurrences::Recurrences(const Function& f, const Cfg& cfg)
    : f_(f), cfg_(cfg), blocks_(definitions(f)), instructions_(instructions(f)) {}

bool Recurrences::invariant(uint32_t loop, ValueId v) const {
  const Instruction* in = instructions_[v.index];
  if (in == nullptr || !cfg_.in_loop(blocks_[v.index], loop)) return true;
  const auto* c = std::get_if<Compute>(&in->action);
  if (c == nullptr) return false;
  switch (c->op) {
    case Op::any:
    case Op::other:
    case Op::enabled:
    case Op::dominator_enabled:
    case Op::old:
    case Op::return_value:
    case Op::accessed:
    case Op::access_offset:
    case Op::taken_value:
    case Op::bits_to_pointer:
      return false;
    default:
      break;
  }
  for (ValueId o : c->operands)
    if (!invariant(loop, o)) return false;
  return true;
}

std::optional<Recurrence> Recurrences::find(uint32_t loop, ValueId phi) const {
  const auto* p = std::get_if<Phi>(&instructions_[phi.index]->action);
  if (p == nullptr) return std::nullopt;
  ValueId next;
  for (const Phi::Entry& e : p->entries)
    if (e.from == cfg_.loops()[loop].latch) next = e.value;
  Recurrence r;
  int additions = 0;
  // Walk back from the latch's value to the phi through additions of invariants.
  while (next != phi) {
    const Instruction* in = instructions_[next.index];
    if (in == nullptr || !cfg_.in_loop(blocks_[next.index], loop)) return std::nullopt;
    const auto* c = std::get_if<Compute>(&in->action);
    if (c == nullptr) return std::nullopt;
    const auto constant = [&](ValueId v) -> std::optional<uint64_t> {
      if (f_.value(v).kind != Value::constant) return std::nullopt;
      return f_.value(v).constant_bits;
    };
    const auto geometric = [&](Recurrence::Kind kind, std::optional<uint64_t> by, bool positive) -> bool {
      if (!by || *by == 0 || *by >= f_.value(phi).type.width || c->operands[0] != phi || additions > 0) return false;
      r.kind = kind;
      r.by = static_cast<uint8_t>(*by);
      r.needs_positive = positive;
      return true;
    };
    const auto log = [&](std::optional<uint64_t> v) -> std::optional<uint64_t> {
      if (!v || !std::has_single_bit(*v)) return std::nullopt;
      return std::countr_zero(*v);
    };
    switch (c->op) {
      case Op::add:
        if (c->operands[0] == phi && c->operands[1] == phi && additions == 0) {
          r.kind = Recurrence::shift_left;
          r.by = 1;
          return r;
        }
        if (invariant(loop, c->operands[1])) {
          r.steps.push_back({c->operands[1], false});
          next = c->operands[0];
        } else if (invariant(loop, c->operands[0])) {
          r.steps.push_back({c->operands[0], false});
          next = c->operands[1];
        } else {
          return std::nullopt;
        }
        ++additions;
        r.no_signed_wrap = additions == 1 && c->no_signed_wrap;
        continue;
      case Op::sub:
        if (!invariant(loop, c->operands[1])) return std::nullopt;
        r.steps.push_back({c->operands[1], true});
        next = c->operands[0];
        ++additions;
        r.no_signed_wrap = additions == 1 && c->no_signed_wrap;
        continue;
      case Op::pointer_add:
        if (!invariant(loop, c->operands[1])) return std::nullopt;
        r.steps.push_back({c->operands[1], false});
        next = c->operands[0];
        ++additions;
        r.no_signed_wrap = false;
        continue;
      case Op::xor_: {
        const std::optional<uint64_t> mask = constant(c->operands[1]);
        if (!mask || c->operands[0] != phi || additions > 0) return std::nullopt;
        r.kind = Recurrence::toggle;
        r.mask = *mask;
        return r;
      }
      case Op::shl:
        if (geometric(Recurrence::shift_left, constant(c->operands[1]), false)) return r;
        return std::nullopt;
      case Op::mul:
        if (geometric(Recurrence::shift_left, log(constant(c->operands[1])), false)) return r;
        return std::nullopt;
      case Op::lshr:
        if (geometric(Recurrence::shift_right, constant(c->operands[1]), false)) return r;
        return std::nullopt;
      case Op::udiv:
        if (geometric(Recurrence::shift_right, log(constant(c->operands[1])), false)) return r;
        return std::nullopt;
      case Op::ashr:
        r.arithmetic = true;
        if (geometric(Recurrence::shift_right, constant(c->operands[1]), true)) return r;
        return std::nullopt;
      case Op::sdiv:
        if (geometric(Recurrence::shift_right, log(constant(c->operands[1])), true)) return r;
        return std::nullopt;
      default:
        return std::nullopt;
    }
  }
  return r;
}

}  // namespace fencepost::flow

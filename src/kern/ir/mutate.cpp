#include "ir/mutate.h"

#include <algorithm>

#include "base/diagnostic.h"

namespace fencepost::ir {
namespace {

struct Spot {
  Break what;
  uint32_t function, block, instruction;
};

// What an atomic gives when it is no longer one; none: it is not split.
std::optional<Op> plain(AtomicOp op) {
  switch (op) {
    case AtomicOp::add:
      return Op::add;
    case AtomicOp::sub:
      return Op::sub;
    case AtomicOp::and_:
      return Op::and_;
    case AtomicOp::or_:
      return Op::or_;
    case AtomicOp::xor_:
      return Op::xor_;
    case AtomicOp::smin:
      return Op::smin;
    case AtomicOp::smax:
      return Op::smax;
    case AtomicOp::umin:
      return Op::umin;
    case AtomicOp::umax:
      return Op::umax;
    case AtomicOp::increment:
      return Op::add;
    case AtomicOp::decrement:
      return Op::sub;
    case AtomicOp::fadd:
      return Op::fadd;
    case AtomicOp::fsub:
      return Op::fsub;
    default:
      return std::nullopt;
  }
}

bool shared(const Module& m, const Access& a) {
  return std::any_of(a.regions.begin(), a.regions.end(), [&](RegionId r) {
    return m.region(r).space == Space::global || m.region(r).space == Space::group;
  });
}

std::vector<Spot> spots(const Module& m, FunctionId entry) {
  std::vector<uint8_t> reached(m.functions.size());
  std::vector<uint32_t> work{entry.index};
  reached[entry.index] = 1;
  std::vector<Spot> found;
  while (!work.empty()) {
    const uint32_t f = work.back();
    work.pop_back();
    const auto visit = [&](FunctionId to) {
      if (reached[to.index] != 0) return;
      reached[to.index] = 1;
      work.push_back(to.index);
    };
    if (!m.functions[f].body) continue;
    for (uint32_t b = 0; b < m.functions[f].blocks.size(); ++b) {
      const auto& list = m.functions[f].blocks[b].instructions;
      for (uint32_t i = 0; i < list.size(); ++i) {
        const auto add = [&](Break what) { found.push_back({what, f, b, i}); };
        if (const auto* c = std::get_if<Call>(&list[i].action)) {
          if (c->callee) visit(c->callee);
          for (const FunctionId t : c->targets) visit(t);
        } else if (const auto* x = std::get_if<Barrier>(&list[i].action)) {
          if (list[i].results.empty() && x->scope != Scope::warp) add(Break::barrier_gone);
        } else if (const auto* l = std::get_if<Load>(&list[i].action)) {
          if (!l->spec && l->access.part == 0 && shared(m, l->access)) add(Break::index_shifted);
        } else if (const auto* s = std::get_if<Store>(&list[i].action)) {
          if (s->access.part == 0 && shared(m, s->access)) add(Break::index_shifted);
        } else if (const auto* a = std::get_if<Atomic>(&list[i].action)) {
          if (plain(a->op) && shared(m, a->access)) add(Break::atomic_split);
        }
      }
    }
  }
  return found;
}

ValueId put(Function& f, Value v) {
  f.values.push_back(std::move(v));
  return {static_cast<uint32_t>(f.values.size() - 1)};
}

}  // namespace

const char* name(Break b) {
  static constexpr const char* k_names[] = {"a barrier is gone", "an access goes to the next element",
                                            "an atomic is a load and a store"};
  return k_names[static_cast<uint8_t>(b)];
}

size_t mutants(const Module& m, FunctionId entry) { return spots(m, entry).size(); }

Mutant mutant(const Module& m, FunctionId entry, size_t number) {
  const std::vector<Spot> all = spots(m, entry);
  FENCEPOST_INVARIANT(number < all.size(), "a mutant was asked for that there is not");
  const Spot s = all[number];
  Mutant out{.what = s.what, .module = m};
  Function& f = out.module.functions[s.function];
  auto& list = f.blocks[s.block].instructions;
  out.place = list[s.instruction].place;
  const auto at = list.begin() + s.instruction;
  if (s.what == Break::barrier_gone) {
    list.erase(at);
  } else if (s.what == Break::index_shifted) {
    Access& access = std::holds_alternative<Load>(at->action) ? std::get<Load>(at->action).access
                                                              : std::get<Store>(at->action).access;
    const auto bits = static_cast<uint8_t>(m.pointer_bits);
    const uint32_t element = std::max(access.bytes, m.region(access.regions[0]).element);
    const ValueId by = put(f, {.kind = Value::constant, .type = {Type::bits, bits}, .constant_bits = element});
    const ValueId moved = put(f, {.kind = Value::result, .type = {Type::pointer, bits}});
    Instruction add{{moved}, Compute{.op = Op::pointer_add, .operands = {access.pointer, by}}, at->place};
    access.pointer = moved;
    list.insert(at, std::move(add));
  } else {
    const Atomic a = std::get<Atomic>(at->action);
    const PlaceId place = at->place;
    const Type type{Type::bits, static_cast<uint8_t>(8 * a.access.bytes)};
    const ValueId old = at->results.empty() ? put(f, {.kind = Value::result, .type = type}) : at->results[0];
    const ValueId made = put(f, {.kind = Value::result, .type = type});
    const ValueId operand =
        a.operands.empty() ? put(f, {.kind = Value::constant, .type = type, .constant_bits = 1}) : a.operands[0];
    Access second = a.access;
    second.site = out.module.sites++;
    *at = {{old}, Load{a.access}, place};
    list.insert(list.begin() + s.instruction + 1,
                {Instruction{{made}, Compute{.op = *plain(a.op), .operands = {old, operand}}, place},
                 Instruction{{}, Store{second, made}, place}});
  }
  return out;
}

}  // namespace fencepost::ir

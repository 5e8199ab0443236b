#include "flow/essential.h"

#include <algorithm>

#include "flow/recurrence.h"

namespace fencepost::flow {

using namespace ir;

std::vector<uint8_t> essential(const Module& m, const Cfg& cfg, FunctionId id,
                               const std::function<bool(RegionId)>& watched) {
  const Function& f = m.function(id);
  const std::vector<const Instruction*> made = instructions(f);
  const std::vector<BlockId> where = definitions(f);
  std::vector<uint8_t> matters(f.values.size());
  std::vector<uint8_t> loops(cfg.loops().size()), regions(m.regions.size());
  std::vector<ValueId> todo;
  const auto value = [&](ValueId v) {
    if (!v || matters[v.index] != 0) return;
    matters[v.index] = 1;
    todo.push_back(v);
  };
  const auto access = [&](const Access& a) {
    return std::any_of(a.regions.begin(), a.regions.end(), watched) || a.regions.empty();
  };
  // A loop around something that matters; its branches decide how often.
  const auto loop = [&](uint32_t l) {
    for (; l != ~0u; l = cfg.loops()[l].parent) {
      if (loops[l] != 0) continue;
      loops[l] = 1;
      for (BlockId b : cfg.loops()[l].blocks)
        if (cfg.innermost_loop(b) == l) for_each_operand(f.blocks[b.index].terminator, value);
    }
  };
  for (uint32_t b = 0; b < f.blocks.size(); ++b) {
    const uint32_t around = cfg.innermost_loop({b});
    if (around == ~0u) for_each_operand(f.blocks[b].terminator, value);
    for (const Instruction& in : f.blocks[b].instructions) {
      if (std::holds_alternative<Phi>(in.action) || std::holds_alternative<Compute>(in.action)) continue;
      const auto* l = std::get_if<Load>(&in.action);
      const auto* s = std::get_if<Store>(&in.action);
      if (l != nullptr || s != nullptr) {
        const Access& a = l != nullptr ? l->access : s->access;
        if (!access(a)) continue;
        value(a.pointer);
      } else {
        for_each_operand(in.action, value);
      }
      loop(around);
    }
  }
  while (!todo.empty()) {
    const ValueId v = todo.back();
    todo.pop_back();
    const Instruction* in = made[v.index];
    if (in == nullptr) continue;
    if (const auto* l = std::get_if<Load>(&in->action)) {
      // What was stored there matters too.
      value(l->access.pointer);
      for (RegionId r : l->access.regions) {
        if (regions[r.index]++ != 0) continue;
        for (uint32_t b = 0; b < f.blocks.size(); ++b)
          for (const Instruction& other : f.blocks[b].instructions)
            if (const auto* s = std::get_if<Store>(&other.action);
                s != nullptr &&
                std::find(s->access.regions.begin(), s->access.regions.end(), r) != s->access.regions.end()) {
              value(s->value);
              value(s->access.pointer);
              loop(cfg.innermost_loop({b}));
            }
        regions[r.index] = 1;
      }
    } else {
      for_each_operand(in->action, value);
    }
    loop(cfg.innermost_loop(where[v.index]));
    // The choice between a phi's values.
    if (std::holds_alternative<Phi>(in->action))
      for (uint32_t b = 0; b < f.blocks.size(); ++b)
        if (cfg.innermost_loop({b}) == cfg.innermost_loop(where[v.index]))
          for_each_operand(f.blocks[b].terminator, value);
  }
  return matters;
}

}  // namespace fencepost::flow

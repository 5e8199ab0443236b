#include "flow/writers.h"

#include <algorithm>

namespace fencepost::flow {

using namespace ir;

Writers::Writers(const Module& m, const Effects& effects, FunctionId entry) : by_region_(m.regions.size()) {
  const FunctionEffects& e = effects.function(entry);
  for (uint32_t n = 0; n < m.functions.size(); ++n) {
    if (e.reached[n] == 0) continue;
    const Function& f = m.functions[n];
    std::vector<uint8_t> used(f.values.size());
    const auto use = [&](ValueId v) { used[v.index] = 1; };
    for (const Block& b : f.blocks) {
      for (const Instruction& in : b.instructions) for_each_operand(in.action, use);
      for_each_operand(b.terminator, use);
    }
    for (uint32_t b = 0; b < f.blocks.size(); ++b)
      for (const Instruction& in : f.blocks[b].instructions) {
        Writer w{.function = {n}, .block = {b}, .instruction = &in};
        if (const auto* s = std::get_if<Store>(&in.action)) {
          w.access = &s->access;
        } else if (const auto* at = std::get_if<Atomic>(&in.action); at != nullptr && at->op != AtomicOp::load) {
          w.kind = Writer::atomic;
          w.access = &at->access;
          w.result_used = !in.results.empty() && used[in.results[0].index] != 0;
        } else if (const auto* c = std::get_if<AsyncCopy>(&in.action)) {
          w.kind = Writer::copy;
          w.access = &c->destination;
        } else if (const auto* ghost = std::get_if<Snapshot>(&in.action)) {
          w.kind = Writer::snapshot;
          w.access = &ghost->destination;
        } else if (const auto* frame = std::get_if<Frame>(&in.action);
                   frame != nullptr && frame->kind != AccessKind::read) {
          w.kind = Writer::contract;
          w.access = &frame->access;
        }
        if (w.access != nullptr)
          for (RegionId r : w.access->regions) by_region_[r.index].push_back(w);
      }
  }
}

bool Writers::any(RegionId r, Writer::Kind kind) const {
  return std::any_of(of(r).begin(), of(r).end(), [&](const Writer& w) { return w.kind == kind; });
}

bool Writers::atomics_alone(RegionId r) const {
  return std::all_of(of(r).begin(), of(r).end(), [](const Writer& w) { return w.kind == Writer::atomic; });
}

}  // namespace fencepost::flow

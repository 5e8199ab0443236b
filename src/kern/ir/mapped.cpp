#include "ir/mapped.h"

#include <algorithm>

namespace fencepost::ir {

std::vector<uint8_t> mapped(const Function& f) {
  std::vector<uint8_t> out(f.values.size());
  const auto is = [&](ValueId v) { return out[v.index] != 0; };
  for (bool changed = true; changed;) {
    changed = false;
    for (const Block& b : f.blocks)
      for (const Instruction& i : b.instructions) {
        if (i.results.size() != 1 || is(i.results[0])) continue;
        bool made = false;
        if (const auto* p = std::get_if<Phi>(&i.action))
          made = std::ranges::any_of(p->entries, [&](const Phi::Entry& e) { return is(e.value); });
        // A comparison carries no address.
        if (const auto* c = std::get_if<Compute>(&i.action); c != nullptr && f.value(i.results[0]).type.width > 1)
          made = c->op == Op::map_rank || std::ranges::any_of(c->operands, is);
        if (!made) continue;
        out[i.results[0].index] = 1;
        changed = true;
      }
  }
  return out;
}

}  // namespace fencepost::ir

#include "prog/lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "prog/test.h"

namespace fencepost::prog {

bool is_lane(const vocab::TagSet& tags) { return tags.has(Tag::WARP) && !tags.has(Tag::B); }

bool has_lanes(const Test& test) {
  return std::any_of(test.templates.begin(), test.templates.end(), [](const Template& t) {
    return std::any_of(t.code.begin(), t.code.end(), [](const Instr& i) { return is_lane(i.tags); });
  });
}

namespace {

struct Extent {
  LabelId label = 0;
  size_t from = 0, to = 0;  // instructions
};

// The loops of a thread, with their extents (docs/semantics.md, Loops).
std::vector<Extent> extents_of(const Template& t) {
  std::vector<Extent> out;
  for (LabelId l = 0; l < t.labels.size(); ++l) {
    Extent e{l, t.labels[l].at, 0};
    for (size_t k = 0; k < t.code.size(); ++k)
      if ((t.code[k].kind == Kind::jump || t.code[k].kind == Kind::branch) && t.code[k].label == l && k >= e.from)
        e.to = k;
    if (e.to != 0) out.push_back(e);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (Extent& a : out)
      for (const Extent& b : out)
        if (b.from >= a.from && b.from <= a.to && b.to > a.to) {
          a.to = b.to;
          changed = true;
        }
  }
  return out;
}

// How often a thread stores to each symbol of an exchange, at most.
std::map<SymbolId, uint64_t> exchanges_of(const Test& test, uint32_t thread, const LoopBounds& bounds) {
  constexpr uint64_t k_most = 1u << 20;
  const Template& t = test.code(thread);
  const std::vector<Extent> loops = extents_of(t);
  std::map<SymbolId, uint64_t> out;
  for (size_t k = 0; k < t.code.size(); ++k) {
    const Instr& i = t.code[k];
    if (i.kind != Kind::store || !is_lane(i.tags)) continue;
    uint64_t times = 1;
    for (const Extent& e : loops)
      if (e.from <= k && k <= e.to) times = std::min(k_most, times * std::max(1u, bounds.of(thread, e.label)));
    uint64_t& sum = out[i.addr.symbol];
    sum = std::min(k_most, sum + times);
  }
  return out;
}

}  // namespace

std::optional<std::string> too_many_exchanges(const Test& test, const LoopBounds& bounds) {
  if (!has_lanes(test)) return std::nullopt;
  for (uint32_t thread = 0; thread < test.threads.size(); ++thread)
    for (const auto& [symbol, times] : exchanges_of(test, thread, bounds)) {
      const uint64_t cells = test.objects[test.symbols[symbol].object].init.size();
      if (times > cells)
        return fmt::format(
            "at this bound a lane may exchange {} times by one instruction and mask, and {} are told apart", times,
            cells);
    }
  return std::nullopt;
}

}  // namespace fencepost::prog

#pragma once
// How often the bodies of a test's loops may run (docs/semantics.md, Loops): one number for all loops, and others for
// single ones, by thread and label. Threads that share a template may still have different bounds; whoever breaks
// symmetry looks at the unrolled program.
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "prog/names.h"

namespace fencepost::prog {

struct LoopBounds {
  uint32_t all = 1;
  std::map<std::pair<uint32_t, LabelId>, uint32_t> loops;  // thread, label

  LoopBounds() = default;
  LoopBounds(uint32_t n) : all(n) {}  // NOLINT: a number is a bound of all loops

  uint32_t of(uint32_t thread, LabelId label) const {
    if (loops.empty()) return all;
    const auto at = loops.find({thread, label});
    return at == loops.end() ? all : at->second;
  }
  uint32_t least() const {
    uint32_t n = all;
    for (const auto& [loop, bound] : loops) n = std::min(n, bound);
    return n;
  }
  uint32_t largest() const {
    uint32_t n = all;
    for (const auto& [loop, bound] : loops) n = std::max(n, bound);
    return n;
  }
  // One iteration less of every loop.
  LoopBounds shorter() const {
    LoopBounds out = *this;
    --out.all;
    for (auto& [loop, bound] : out.loops) --bound;
    return out;
  }
  bool operator==(const LoopBounds&) const = default;
};

using LoopId = std::pair<uint32_t, LabelId>;  // thread, label

std::string to_string(const LoopBounds& bounds);  // "4", or "1 to 4"

// These bounds with those of `reached` doubled, of the loops of equal threads alike, and no loop below `least`; with
// all doubled if none is named.
LoopBounds raised(const Test& test, const LoopBounds& bounds, const std::vector<LoopId>& reached, uint32_t least = 1);

// Every loop: the labels with a jump back to them, by thread.
std::vector<std::pair<uint32_t, LabelId>> loops_of(const Test& test);

}  // namespace fencepost::prog

#pragma once
// Control flow of a kernel with its calls inlined: segments (pieces of blocks between calls) and their order.
#include <map>
#include <string>
#include <vector>

#include "spirv/module.h"

namespace fencepost::spirv {

inline constexpr uint32_t k_nowhere = 0xffffffffu;

struct Frame {
  const Function* function = nullptr;
  uint32_t caller = k_nowhere;  // frame
  const Instruction* call = nullptr;
  uint32_t resume = k_nowhere;  // segment after the call
  uint32_t entry = k_nowhere;   // first segment
  std::string path;             // "" for the kernel, "c3." for its third call site, "c3.c1." below it
};

struct Segment {
  uint32_t frame = 0;
  const Block* block = nullptr;
  size_t begin = 0, end = 0;    // of block->code; a call or the terminator is the last instruction
  uint32_t callee = k_nowhere;  // frame, when a call is last
  std::vector<uint32_t> next;   // every segment that may follow, by structure alone
};

struct Flow {
  std::vector<Frame> frames;                        // the kernel first
  std::vector<Segment> segments;                    // its first segment first
  std::vector<uint32_t> order;                      // reverse post-order in which a loop stands together
  std::vector<uint32_t> rank;                       // segment -> place in `order`
  std::map<const Instruction*, uint32_t> barriers;  // OpControlBarrier -> its number in the module, from 0
  bool backward(uint32_t from, uint32_t to) const { return rank[to] <= rank[from]; }
};

Flow inline_calls(const Module& m);

}  // namespace fencepost::spirv

#pragma once
// Internal to the room: which threads of a warp go next when warps run in lock-step.
//
// The order is that of predicated execution (Collingbourne, Donaldson, Ketema, Qadeer, ESOP 2013): blocks stand in one
// line in which loops lie together; who is furthest behind goes first, so threads that part meet again at the first
// place that both reach, and a loop is left when all have left it. Threads at one place in the same iterations of all
// loops around it execute the instruction together.
#include <map>
#include <memory>
#include <vector>

#include "ir/cfg.h"
#include "ir/ir.h"

namespace fencepost::interp {

// Of one function: the line, and the loops around each block.
class Line {
 public:
  explicit Line(const ir::Function& f) : cfg_(f), place_(f.blocks.size()) {
    uint32_t next = 0;
    put(~0u, next);
  }
  const ir::Cfg& cfg() const { return cfg_; }
  // Positions of the loop headers around the block with the iteration that each is in, then of the block.
  void key(ir::BlockId b, const std::vector<uint32_t>& iterations, std::vector<uint64_t>& to) const {
    std::vector<uint32_t> around;
    for (uint32_t l = cfg_.innermost_loop(b); l != ~0u; l = cfg_.loops()[l].parent) around.push_back(l);
    for (size_t i = around.size(); i-- > 0;) {
      to.push_back(place_[cfg_.loops()[around[i]].header.index]);
      to.push_back(iterations[around[i]]);
    }
    to.push_back(place_[b.index]);
  }
  // What a jump does to the counts of iterations.
  void pass(ir::BlockId from, ir::BlockId to, std::vector<uint32_t>& iterations) const {
    for (uint32_t l = 0; l < cfg_.loops().size(); ++l) {
      const ir::Loop& loop = cfg_.loops()[l];
      if (loop.header != to) continue;
      if (cfg_.in_loop(from, l))
        ++iterations[l];
      else
        iterations[l] = 0;
    }
  }

 private:
  void put(uint32_t loop, uint32_t& next) {
    for (const ir::BlockId b : loop == ~0u ? cfg_.reverse_postorder() : cfg_.loops()[loop].blocks) {
      const uint32_t inner = cfg_.innermost_loop(b);
      if (inner == loop) {
        place_[b.index] = next++;
      } else if (inner != ~0u && cfg_.loops()[inner].parent == loop && cfg_.loops()[inner].header == b) {
        put(inner, next);
      }
    }
  }
  ir::Cfg cfg_;
  std::vector<uint32_t> place_;
};

// Whether one place lies behind the other; who is inside a call is behind who has returned from it.
inline bool behind(const std::vector<uint64_t>& a, const std::vector<uint64_t>& b) {
  for (size_t i = 0; i < a.size() && i < b.size(); ++i)
    if (a[i] != b[i]) return a[i] < b[i];
  return a.size() > b.size();
}

}  // namespace fencepost::interp

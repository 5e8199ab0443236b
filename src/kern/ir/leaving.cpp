#include "ir/leaving.h"

#include <algorithm>

namespace fencepost::ir {
namespace {

// Functions that may come to a meeting point; an unknown callee may.
std::vector<bool> meeting_functions(const Module& m) {
  std::vector<bool> meets(m.functions.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t f = 0; f < m.functions.size(); ++f)
      for (const Block& b : m.functions[f].blocks)
        for (const Instruction& in : b.instructions) {
          if (meets[f]) break;
          bool here = std::holds_alternative<Barrier>(in.action) || std::holds_alternative<WarpExchange>(in.action);
          if (const auto* c = std::get_if<Call>(&in.action))
            here = c->callee ? static_cast<bool>(meets[c->callee.index]) : true;
          if (!here) continue;
          meets[f] = changed = true;
        }
  }
  return meets;
}

}  // namespace

Leaving::Leaving(const Module& m, FunctionId kernel, const Cfg& cfg) {
  const Function& f = m.function(kernel);
  const size_t n = f.blocks.size();
  const std::vector<bool> meets = meeting_functions(m);
  std::vector<bool> here(n), empty(n);
  for (size_t b = 0; b < n; ++b) {
    empty[b] = std::all_of(f.blocks[b].instructions.begin(), f.blocks[b].instructions.end(), [](const Instruction& in) {
      return std::holds_alternative<Phi>(in.action) || std::holds_alternative<Compute>(in.action);
    });
    for (const Instruction& in : f.blocks[b].instructions) {
      if (std::holds_alternative<Barrier>(in.action) || std::holds_alternative<WarpExchange>(in.action)) here[b] = true;
      if (const auto* c = std::get_if<Call>(&in.action)) here[b] = here[b] || !c->callee || meets[c->callee.index];
    }
  }
  reached_.assign(n, std::vector<bool>(n));
  for (uint32_t b = 0; b < n; ++b) {
    std::vector<BlockId> todo{{b}};
    reached_[b][b] = true;
    while (!todo.empty()) {
      const BlockId x = todo.back();
      todo.pop_back();
      for (const BlockId s : successors(f.blocks[x.index].terminator)) {
        if (reached_[b][s.index]) continue;
        reached_[b][s.index] = true;
        todo.push_back(s);
      }
    }
  }
  bare_.resize(n);
  quiet_.resize(n);
  loops_.resize(n);
  for (uint32_t b = 0; b < n; ++b) {
    bool bare = true, quiet = true, loops = false;
    for (uint32_t x = 0; x < n; ++x) {
      if (!reached_[b][x]) continue;
      const Terminator& end = f.blocks[x].terminator;
      bare = bare && empty[x] && !std::holds_alternative<Trap>(end) && !std::holds_alternative<Unreachable>(end);
      quiet = quiet && !here[x];
      loops = loops || cfg.innermost_loop({x}) != ~0u;
    }
    bare_[b] = bare && !loops;
    quiet_[b] = quiet;
    loops_[b] = loops;
  }
}

bool Leaving::leaves(BlockId b, BlockId at) const {
  if (bare(b)) return true;
  if (!quiet(b) || loops_[b.index]) return false;
  for (uint32_t x = 0; x < reached_.size(); ++x)
    if (reached_[b.index][x] && !bare_[x] && reached_[at.index][x]) return false;
  return true;
}

}  // namespace fencepost::ir

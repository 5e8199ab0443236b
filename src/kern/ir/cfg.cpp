#include "ir/cfg.h"

#include <algorithm>

namespace fencepost::ir {
namespace {

using Graph = std::vector<std::vector<uint32_t>>;

// Of the branches that may be taken next, the first comes first, with all that follows it alone.
std::vector<uint32_t> reverse_postorder(const Graph& successors_of, uint32_t root) {
  std::vector<uint32_t> order;
  std::vector<uint8_t> seen(successors_of.size());
  std::vector<std::pair<uint32_t, size_t>> stack{{root, 0}};
  seen[root] = 1;
  while (!stack.empty()) {
    auto& [node, next] = stack.back();
    if (next < successors_of[node].size()) {
      const uint32_t to = successors_of[node][successors_of[node].size() - ++next];
      if (!seen[to]) {
        seen[to] = 1;
        stack.push_back({to, 0});
      }
    } else {
      order.push_back(node);
      stack.pop_back();
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

// Immediate dominators by the cited algorithm; ~0u for the root and for what it does not reach.
std::vector<uint32_t> dominators(const Graph& predecessors_of, const std::vector<uint32_t>& order) {
  std::vector<uint32_t> position(predecessors_of.size(), ~0u), idom(predecessors_of.size(), ~0u);
  for (uint32_t i = 0; i < order.size(); ++i) position[order[i]] = i;
  const uint32_t root = order.front();
  idom[root] = root;
  const auto meet = [&](uint32_t a, uint32_t b) {
    while (a != b) {
      while (position[a] > position[b]) a = idom[a];
      while (position[b] > position[a]) b = idom[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 1; i < order.size(); ++i) {
      uint32_t best = ~0u;
      for (uint32_t p : predecessors_of[order[i]])
        if (position[p] != ~0u && idom[p] != ~0u) best = best == ~0u ? p : meet(p, best);
      if (idom[order[i]] != best) {
        idom[order[i]] = best;
        changed = true;
      }
    }
  }
  idom[root] = ~0u;
  return idom;
}

Graph reversed(const Graph& g) {
  Graph r(g.size());
  for (uint32_t a = 0; a < g.size(); ++a)
    for (uint32_t b : g[a]) r[b].push_back(a);
  return r;
}

}  // namespace

Cfg::Cfg(const Function& f) {
  const uint32_t n = static_cast<uint32_t>(f.blocks.size());
  predecessors_.resize(n);
  position_.assign(n, ~0u);
  idom_.resize(n);
  ipdom_.resize(n);
  loop_of_.assign(n, ~0u);
  if (n == 0) return;

  Graph next(n + 1);  // node n: the end of the thread
  for (uint32_t b = 0; b < n; ++b) {
    for (BlockId to : successors(f.blocks[b].terminator)) next[b].push_back(to.index);
    if (next[b].empty()) next[b].push_back(n);
  }
  const Graph back = reversed(next);
  for (uint32_t b = 0; b < n; ++b)
    for (uint32_t p : back[b]) predecessors_[b].push_back({p});

  std::vector<uint32_t> order = fencepost::ir::reverse_postorder(next, 0);
  std::erase(order, n);
  for (uint32_t i = 0; i < order.size(); ++i) {
    order_.push_back({order[i]});
    position_[order[i]] = i;
  }
  const auto idom = dominators(back, order);
  for (uint32_t b = 0; b < n; ++b) idom_[b] = {idom[b]};
  const auto pdom = dominators(next, fencepost::ir::reverse_postorder(back, n));
  for (uint32_t b = 0; b < n; ++b) ipdom_[b] = {pdom[b] == n ? ~0u : pdom[b]};

  // Natural loops, by header in reverse postorder: an outer header comes before those inside.
  for (BlockId header : order_) {
    Loop loop;
    std::vector<uint8_t> inside(n);
    std::vector<uint32_t> todo;
    for (BlockId p : predecessors(header)) {
      if (!reachable(p) || position_[p.index] < position_[header.index]) continue;
      if (!dominates(header, p)) {
        reducible_ = false;
        continue;
      }
      loop.latch = p;
      todo.push_back(p.index);
    }
    if (todo.empty()) continue;
    inside[header.index] = 1;
    while (!todo.empty()) {
      const uint32_t b = todo.back();
      todo.pop_back();
      if (inside[b]) continue;
      inside[b] = 1;
      for (BlockId p : predecessors({b}))
        if (reachable(p)) todo.push_back(p.index);
    }
    loop.header = header;
    for (BlockId b : order_) {
      if (inside[b.index]) loop.blocks.push_back(b);
    }
    for (BlockId b : loop.blocks)
      for (BlockId to : successors(f.blocks[b.index].terminator))
        if (!inside[to.index] && std::find(loop.exits.begin(), loop.exits.end(), to) == loop.exits.end())
          loop.exits.push_back(to);
    loop.parent = loop_of_[header.index];
    loop.depth = loop.parent == ~0u ? 1 : loops_[loop.parent].depth + 1;
    const auto number = static_cast<uint32_t>(loops_.size());
    for (BlockId b : loop.blocks) loop_of_[b.index] = number;
    loops_.push_back(std::move(loop));
  }
}

bool Cfg::dominates(BlockId a, BlockId b) const {
  for (; b; b = idom_[b.index])
    if (a == b) return true;
  return false;
}

bool Cfg::postdominates(BlockId a, BlockId b) const {
  for (; b; b = ipdom_[b.index])
    if (a == b) return true;
  return false;
}

bool Cfg::in_loop(BlockId b, uint32_t loop) const {
  for (uint32_t l = loop_of_[b.index]; l != ~0u; l = loops_[l].parent)
    if (l == loop) return true;
  return false;
}

}  // namespace fencepost::ir

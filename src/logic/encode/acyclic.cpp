#include "encode/acyclic.h"

#include <algorithm>
#include <map>
#include <set>

namespace fencepost::encode {
namespace {

// Strongly connected components (Tarjan, iterative); component number per vertex.
std::vector<uint32_t> components(uint32_t n, const std::vector<std::vector<uint32_t>>& out, uint32_t& count) {
  std::vector<uint32_t> number(n, 0), low(n, 0), component(n, 0);
  std::vector<bool> on_stack(n, false);
  std::vector<uint32_t> stack;
  std::vector<std::pair<uint32_t, size_t>> work;
  uint32_t next = 1;
  count = 0;
  for (uint32_t root = 0; root < n; ++root) {
    if (number[root] != 0) continue;
    work.push_back({root, 0});
    while (!work.empty()) {
      auto& [v, i] = work.back();
      if (i == 0 && number[v] == 0) {
        number[v] = low[v] = next++;
        stack.push_back(v);
        on_stack[v] = true;
      }
      if (i < out[v].size()) {
        const uint32_t w = out[v][i++];
        if (number[w] == 0)
          work.push_back({w, 0});
        else if (on_stack[w])
          low[v] = std::min(low[v], number[w]);
        continue;
      }
      const uint32_t done = v;
      if (low[done] == number[done]) {
        for (;;) {
          const uint32_t w = stack.back();
          stack.pop_back();
          on_stack[w] = false;
          component[w] = count;
          if (w == done) break;
        }
        ++count;
      }
      work.pop_back();
      if (!work.empty()) low[work.back().first] = std::min(low[work.back().first], low[done]);
    }
  }
  return component;
}

}  // namespace

void forbid_cycles(sat::Circuit& c, uint32_t n, std::vector<WeightedEdge> edges, sat::Lit when) {
  using sat::Lit;
  if (c.is_false(when)) return;
  std::vector<std::map<uint32_t, Lit>> out(n), in(n);
  auto forbid = [&](Lit a, Lit b) { c.add({-when, -a, -b}); };
  std::erase_if(edges, [&](const WeightedEdge& e) { return c.is_false(e.lit); });
  std::vector<std::vector<uint32_t>> next(n);
  for (const WeightedEdge& e : edges) next[e.from].push_back(e.to);
  uint32_t count = 0;
  const std::vector<uint32_t> component = components(n, next, count);
  for (const WeightedEdge& e : edges) {
    if (component[e.from] != component[e.to]) continue;
    if (e.from == e.to) {
      c.add({-when, -e.lit});
      continue;
    }
    auto [it, fresh] = out[e.from].try_emplace(e.to, e.lit);
    if (!fresh) it->second = c.or_(it->second, e.lit);
    in[e.to][e.from] = out[e.from][e.to];
  }
  std::set<std::pair<uint64_t, uint32_t>> queue;
  auto weight = [&](uint32_t v) { return uint64_t{in[v].size()} * out[v].size(); };
  std::vector<uint64_t> at(n);
  for (uint32_t v = 0; v < n; ++v) {
    at[v] = weight(v);
    queue.insert({at[v], v});
  }
  auto touch = [&](uint32_t v) {
    queue.erase({at[v], v});
    at[v] = weight(v);
    queue.insert({at[v], v});
  };
  while (!queue.empty()) {
    const uint32_t v = queue.begin()->second;
    queue.erase(queue.begin());
    std::set<uint32_t> changed;
    for (const auto& [u, uv] : in[v]) {
      out[u].erase(v);
      changed.insert(u);
    }
    for (const auto& [w, vw] : out[v]) {
      in[w].erase(v);
      changed.insert(w);
    }
    for (const auto& [u, uv] : in[v])
      for (const auto& [w, vw] : out[v]) {
        if (u == w) {
          forbid(uv, vw);
          continue;
        }
        auto it = out[u].find(w);
        const Lit through = c.and_(uv, vw);
        if (c.is_false(through)) continue;
        if (it != out[u].end()) {
          if (c.is_true(it->second)) continue;
          // The fill edge must be a literal of its own: the given one may mean something elsewhere.
          const Lit merged = c.fresh();
          c.add({-it->second, merged});
          c.add({-uv, -vw, merged});
          it->second = merged;
          in[w][u] = merged;
        } else {
          Lit fill = through;
          out[u][w] = fill;
          in[w][u] = fill;
        }
      }
    in[v].clear();
    out[v].clear();
    for (uint32_t x : changed) touch(x);
  }
}

}  // namespace fencepost::encode

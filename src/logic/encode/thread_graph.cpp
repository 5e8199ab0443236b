#include "encode/thread_graph.h"

#include <algorithm>
#include <map>
#include <utility>

#include "term/term.h"

namespace fencepost::encode {
namespace {

using prog::Instr;
using prog::k_none;
using prog::Kind;
using term::Expr;

// Loops of the code, without what is live at their labels.
std::vector<SymLoop> loops_of(const prog::Template& thread) {
  const auto& code = thread.code;
  std::vector<SymLoop> loops;
  std::map<prog::LabelId, uint32_t> last;
  for (uint32_t i = 0; i < code.size(); ++i)
    if ((code[i].kind == Kind::jump || code[i].kind == Kind::branch) && thread.labels[code[i].label].at <= i)
      last[code[i].label] = i;
  for (const auto& [label, to] : last) loops.push_back({label, thread.labels[label].at, to, {}});
  // A loop that begins inside another ends inside it too: extents nest (docs/semantics.md).
  for (bool changed = true; changed;) {
    changed = false;
    for (SymLoop& a : loops)
      for (const SymLoop& b : loops)
        if (a.from < b.from && b.from <= a.to && a.to < b.to) {
          a.to = b.to;
          changed = true;
        }
  }
  return loops;
}

// By instruction: the registers that are live before it. `observable` ones are live at the end.
std::vector<std::vector<bool>> live_registers(const prog::Template& thread, const std::vector<bool>& observable) {
  const auto& code = thread.code;
  const size_t n = code.size();
  std::vector<std::vector<bool>> live(n + 1, std::vector<bool>(thread.registers.size(), false));
  live[n] = observable;
  auto use = [](std::vector<bool>& l, const Expr& e) {
    if (e)
      term::for_each_variable(e, [&](uint64_t v) {
        if (v < l.size()) l[v] = true;
      });
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = n; i-- > 0;) {
      const Instr& in = code[i];
      std::vector<bool> l(thread.registers.size(), false);
      auto join = [&](size_t succ) {
        for (size_t r = 0; r < l.size(); ++r)
          if (live[succ][r]) l[r] = true;
      };
      const bool jumps = in.kind == Kind::jump || in.kind == Kind::branch;
      if (jumps) join(thread.labels[in.label].at);
      if (!(in.kind == Kind::jump && in.predicate == k_none)) join(i + 1);
      if (in.dst != k_none && in.predicate == k_none) l[in.dst] = false;
      if (in.spurious != k_none && in.predicate == k_none) l[in.spurious] = false;
      use(l, in.value);
      use(l, in.guard);
      use(l, in.result);
      use(l, in.addr.index);
      use(l, in.barrier.id);
      use(l, in.barrier.quorum);
      if (in.predicate != k_none) l[in.predicate] = true;
      if (l != live[i]) {
        live[i] = std::move(l);
        changed = true;
      }
    }
  }
  return live;
}

class Builder {
 public:
  Builder(ThreadGraph& graph, const prog::Template& code, uint32_t thread, const prog::LoopBounds& bound)
      : graph_(graph), code_(code), thread_(thread), bound_(bound) {}

  bool build(uint32_t max_nodes, Clock& clock) {
    // Depth-first search, reverse post-order.
    struct Frame {
      uint32_t node;
      std::vector<std::pair<Node, Edge>> succ;
      size_t next = 0;
    };
    std::map<Node, uint32_t> ids;
    std::vector<Frame> stack;
    std::vector<uint32_t> post;
    auto enter = [&](const Node& k) {
      const uint32_t id = static_cast<uint32_t>(graph_.nodes.size());
      ids.emplace(k, id);
      graph_.nodes.push_back(k);
      graph_.edges.emplace_back();
      stack.push_back({id, successors(k)});
      return id;
    };
    if (code_.code.empty()) return true;
    enter(key_at(0, std::vector<uint32_t>(graph_.loops.size(), 0)));
    while (!stack.empty()) {
      if (graph_.nodes.size() > max_nodes || clock.out_of_time()) return false;
      Frame& f = stack.back();
      if (f.next == f.succ.size()) {
        post.push_back(f.node);
        stack.pop_back();
        continue;
      }
      auto [key, edge] = f.succ[f.next++];
      const uint32_t from = f.node;
      if (edge.to != ThreadGraph::k_end && edge.to != ThreadGraph::k_stop) {
        auto it = ids.find(key);
        edge.to = it != ids.end() ? it->second : enter(key);
      }
      graph_.edges[from].push_back(edge);
    }
    std::reverse(post.begin(), post.end());
    // Renumber in topological order.
    std::vector<uint32_t> rank(post.size());
    for (uint32_t i = 0; i < post.size(); ++i) rank[post[i]] = i;
    std::vector<Node> keys(post.size());
    std::vector<std::vector<Edge>> edges(post.size());
    for (uint32_t i = 0; i < post.size(); ++i) {
      keys[rank[i]] = graph_.nodes[i];
      edges[rank[i]] = graph_.edges[i];
      for (Edge& e : edges[rank[i]])
        if (e.to != ThreadGraph::k_end && e.to != ThreadGraph::k_stop) e.to = rank[e.to];
    }
    graph_.nodes = std::move(keys);
    graph_.edges = std::move(edges);
    return true;
  }

 private:
  using Node = ThreadGraph::Node;
  using Edge = ThreadGraph::Edge;

  Node key_at(uint32_t pc, std::vector<uint32_t> counters) const {
    for (size_t k = 0; k < graph_.loops.size(); ++k)
      if (!spans(graph_.loops[k], pc)) counters[k] = 0;
    return {pc, std::move(counters)};
  }

  std::vector<std::pair<Node, Edge>> successors(const Node& k) const {
    const auto& code = code_.code;
    const Instr& in = code[k.pc];
    std::vector<std::pair<Node, Edge>> out;
    auto to = [&](uint32_t pc, std::vector<uint32_t> counters, bool taken, uint32_t back) {
      Node n = key_at(pc, std::move(counters));
      out.push_back({n, {pc >= code.size() ? ThreadGraph::k_end : 0, taken, back}});
    };
    const bool conditional = in.kind == Kind::branch || in.predicate != k_none;
    if (in.kind == Kind::jump || in.kind == Kind::branch) {
      const uint32_t target = code_.labels[in.label].at;
      std::vector<uint32_t> counters = k.counters;
      if (target <= k.pc) {
        uint32_t loop = 0;
        while (graph_.loops[loop].label != in.label) ++loop;
        if (++counters[loop] >= bound_.of(thread_, in.label)) {
          out.push_back({k, {ThreadGraph::k_stop, true, loop}});
        } else {
          // Inner graph_.loops start afresh on every iteration of an outer one.
          for (size_t j = 0; j < graph_.loops.size(); ++j)
            if (j != loop && graph_.loops[j].from > graph_.loops[loop].from) counters[j] = 0;
          to(target, counters, true, loop);
        }
      } else {
        to(target, counters, true, k_none);
      }
      if (conditional) to(k.pc + 1, k.counters, false, k_none);
    } else {
      to(k.pc + 1, k.counters, false, k_none);
    }
    return out;
  }

  ThreadGraph& graph_;
  const prog::Template& code_;
  uint32_t thread_;
  const prog::LoopBounds& bound_;
};

}  // namespace

std::optional<ThreadGraph> thread_graph(const prog::Template& code, uint32_t thread, const prog::LoopBounds& bound,
                                        const std::vector<bool>& observable, uint32_t max_nodes, Clock& clock) {
  ThreadGraph graph;
  graph.loops = loops_of(code);
  if (!graph.loops.empty()) {
    const auto live = live_registers(code, observable);
    for (SymLoop& loop : graph.loops) loop.live = live[loop.from];
  }
  if (!Builder(graph, code, thread, bound).build(max_nodes, clock)) return std::nullopt;
  return graph;
}

// A row is as long as there are states: 200,000 of them take 5 GB, so the clock is looked at before each is made.
std::optional<std::vector<BitSet>> ThreadGraph::reachability(Clock& clock) const {
  const uint32_t n = static_cast<uint32_t>(nodes.size());
  std::vector<BitSet> reaches(n);
  for (uint32_t i = n; i-- > 0;) {
    if (clock.out_of_time()) return std::nullopt;
    reaches[i] = BitSet(n);
    for (const Edge& e : edges[i])
      if (e.to != k_end && e.to != k_stop) {
        reaches[i].set(e.to);
        reaches[i] |= reaches[e.to];
      }
  }
  return reaches;
}

}  // namespace fencepost::encode

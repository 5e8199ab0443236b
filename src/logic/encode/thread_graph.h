#pragma once
// The states of one thread's unrolling and the steps between them. A state is (position, loop counters): where the
// thread is, and how often it has jumped back in each loop that it is in (docs/semantics.md). Nothing is known of
// values here: skeleton.cpp runs the thread symbolically over this graph, which has no cycle, and merges registers
// where steps join.
#include <cstdint>
#include <optional>
#include <vector>

#include "base/bits.h"
#include "base/job.h"
#include "encode/skeleton.h"
#include "prog/loop_bounds.h"
#include "prog/test.h"

namespace fencepost::encode {

inline bool spans(const SymLoop& loop, uint32_t position) { return loop.from <= position && position <= loop.to; }

// Looks at the clock once in a hundred questions.
struct Clock {
  const Job* job = nullptr;  // null: no limit
  uint64_t asked = 0;
  bool out_of_time() { return job != nullptr && ++asked % 100 == 1 && job->out_of_time(); }
};

struct ThreadGraph {
  static constexpr uint32_t k_end = 0xfffffffeu;   // the thread ends
  static constexpr uint32_t k_stop = 0xfffffffdu;  // it would jump back once too often

  struct Node {
    uint32_t pc = 0;
    std::vector<uint32_t> counters;  // by loop: backward jumps since its extent was entered
    auto operator<=>(const Node&) const = default;
  };
  struct Edge {
    uint32_t to = 0;     // node, k_end or k_stop
    bool taken = false;  // the jump side of a branch
    uint32_t back_loop = prog::k_none;
  };

  std::vector<SymLoop> loops;
  std::vector<Node> nodes;               // in topological order; none: the thread has no code
  std::vector<std::vector<Edge>> edges;  // by node

  // By node: the nodes reachable from it, without itself. Nullopt: out of time.
  std::optional<std::vector<BitSet>> reachability(Clock& clock) const;
};

// `observable`: by register, it is looked at when the thread has ended. Nullopt: more than `max_nodes` states, or out
// of time.
std::optional<ThreadGraph> thread_graph(const prog::Template& code, uint32_t thread, const prog::LoopBounds& bound,
                                        const std::vector<bool>& observable, uint32_t max_nodes, Clock& clock);

}  // namespace fencepost::encode

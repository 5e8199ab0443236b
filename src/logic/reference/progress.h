#pragma once
// What a scheduler promises, over the scope tree of a test (docs/semantics.md, Liveness). Threads are the leaves of a
// tree: the root, one node per group at each scope level, the threads. Every inner node has a progress model that says
// which of its children it serves: a node is *schedulable* when some thread below it is neither ended nor blocked for
// ever, *started* when some thread below it has taken a step. A served node that has a schedulable child serves at
// least one of them. A thread that is served runs for ever (or until it ends or blocks); others may stop anywhere.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "prog/names.h"

namespace fencepost::reference {

// F(live, started) for `children` siblings in the order of their ids; bit k: child k. At most 64 siblings.
using FairSet = std::function<uint64_t(uint32_t children, uint64_t live, uint64_t started)>;

// Models whose definition is known without asking: `other` is given by its function alone.
enum class KnownProgress : uint8_t { other, unfair, hsa, obe, hsa_obe, lobe };

struct LevelProgress {
  std::string model = "FAIR";  // for messages; "FAIR" and an empty function: all children
  FairSet fair;
  KnownProgress known = KnownProgress::other;
  bool is_fair() const { return !fair; }
};

struct Progress {
  std::string name = "FAIR";  // as asked for
  std::vector<LevelProgress>
      inside;  // [0]: among the children of the root; [k + 1]: inside a group of level k. Missing: FAIR
  bool all_fair() const;
  const LevelProgress& at(size_t depth) const;
};

// The scope tree of a test.
struct ScopeTree {
  struct Node {
    uint32_t depth = 0;              // 0: root; k + 1: a group of level k
    std::vector<uint32_t> children;  // nodes, by id; leaves below the innermost groups
    uint32_t thread = prog::k_none;  // leaf
  };
  std::vector<Node> nodes;  // [0] is the root; children come after their parents
};
ScopeTree scope_tree(const prog::Test& test);

// Whether threads that run for ever, with the others ended, blocked or left behind, keep the scheduler's promise.
// schedulable: neither ended nor blocked.
bool keeps_promise(const ScopeTree& tree, const Progress& progress, const std::vector<bool>& schedulable,
                   const std::vector<bool>& started, const std::vector<bool>& running);

}  // namespace fencepost::reference

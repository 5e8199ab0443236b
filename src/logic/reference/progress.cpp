#include "reference/progress.h"

#include <algorithm>
#include <map>

#include "prog/test.h"

namespace fencepost::reference {
namespace {

struct Status {
  std::vector<bool> schedulable, started;  // by node
};

bool served(const ScopeTree& tree, const Progress& progress, const Status& status, const std::vector<bool>& running,
            uint32_t node) {
  const ScopeTree::Node& n = tree.nodes[node];
  if (!status.schedulable[node]) return true;
  if (n.thread != prog::k_none) return running[n.thread];
  const auto ok = [&](uint32_t child) { return served(tree, progress, status, running, child); };
  const LevelProgress& level = progress.at(n.depth);
  if (level.is_fair()) return std::all_of(n.children.begin(), n.children.end(), ok);
  uint64_t live = 0;
  uint64_t started = 0;
  for (size_t k = 0; k < n.children.size(); ++k) {
    if (status.schedulable[n.children[k]]) live |= uint64_t{1} << k;
    if (status.started[n.children[k]]) started |= uint64_t{1} << k;
  }
  const uint64_t promised = level.fair(static_cast<uint32_t>(n.children.size()), live, started) & live;
  bool some = false;
  for (size_t k = 0; k < n.children.size(); ++k) {
    if (((live >> k) & 1) == 0) continue;
    const bool good = ok(n.children[k]);
    if (((promised >> k) & 1) != 0 && !good) return false;
    some = some || good;
  }
  return some;
}

}  // namespace

bool Progress::all_fair() const {
  return std::all_of(inside.begin(), inside.end(), [](const LevelProgress& l) { return l.is_fair(); });
}

const LevelProgress& Progress::at(size_t depth) const {
  static const LevelProgress k_fair;
  return depth < inside.size() ? inside[depth] : k_fair;
}

ScopeTree scope_tree(const prog::Test& test) {
  ScopeTree tree;
  tree.nodes.push_back({0, {}, prog::k_none});
  struct Group {
    uint32_t node;
    std::map<uint32_t, uint32_t> groups;  // id -> index into `all`
    std::vector<uint32_t> threads;
  };
  std::vector<Group> all{{0, {}, {}}};
  for (uint32_t t = 0; t < test.threads.size(); ++t) {
    uint32_t at = 0;
    for (uint32_t id : test.threads[t].scope) {
      const auto it = all[at].groups.find(id);
      if (it != all[at].groups.end()) {
        at = it->second;
        continue;
      }
      const uint32_t fresh = static_cast<uint32_t>(all.size());
      const uint32_t node = static_cast<uint32_t>(tree.nodes.size());
      tree.nodes.push_back({tree.nodes[all[at].node].depth + 1, {}, prog::k_none});
      all.push_back({node, {}, {}});
      all[at].groups.emplace(id, fresh);
      at = fresh;
    }
    all[at].threads.push_back(t);
  }
  // Groups by id, then threads by index; leaves come last, so that children follow their parents.
  for (const Group& g : all)
    for (const auto& [id, child] : g.groups) tree.nodes[g.node].children.push_back(all[child].node);
  for (const Group& g : all)
    for (uint32_t t : g.threads) {
      tree.nodes[g.node].children.push_back(static_cast<uint32_t>(tree.nodes.size()));
      tree.nodes.push_back({tree.nodes[g.node].depth + 1, {}, t});
    }
  return tree;
}

bool keeps_promise(const ScopeTree& tree, const Progress& progress, const std::vector<bool>& schedulable,
                   const std::vector<bool>& started, const std::vector<bool>& running) {
  Status s;
  s.schedulable.assign(tree.nodes.size(), false);
  s.started.assign(tree.nodes.size(), false);
  for (size_t n = tree.nodes.size(); n-- > 0;) {
    const ScopeTree::Node& node = tree.nodes[n];
    if (node.thread != prog::k_none) {
      s.schedulable[n] = schedulable[node.thread];
      s.started[n] = started[node.thread];
    }
    for (uint32_t c : node.children) {
      s.schedulable[n] = s.schedulable[n] || s.schedulable[c];
      s.started[n] = s.started[n] || s.started[c];
    }
  }
  return served(tree, progress, s, running, 0);
}

}  // namespace fencepost::reference

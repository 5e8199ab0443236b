#include "reference/strong.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "prog/test.h"
#include "vocab/vocab.h"

namespace fencepost::reference {

Progress weakly(Progress p) {
  if (is_strong(p)) p.name.erase(0, std::string_view(k_strong).size());
  return p;
}

std::optional<std::vector<bool>> promised(const ScopeTree& tree, const Progress& progress,
                                          const std::vector<bool>& schedulable, const std::vector<bool>& started) {
  if (progress.all_fair()) return schedulable;
  std::vector<bool> out(schedulable.size(), false);
  const auto inner = [&](const ScopeTree::Node& n) { return n.children.size() > 1; };
  if (std::count_if(tree.nodes.begin(), tree.nodes.end(), inner) > 1) return std::nullopt;
  const auto branching = std::find_if(tree.nodes.begin(), tree.nodes.end(), inner);
  const auto leaf = [&](uint32_t node) {
    while (tree.nodes[node].thread == prog::k_none && !tree.nodes[node].children.empty())
      node = tree.nodes[node].children.front();
    return tree.nodes[node].thread;
  };
  if (branching == tree.nodes.end()) {  // one thread: served whatever the models say
    if (const uint32_t t = leaf(0); t != prog::k_none) out[t] = schedulable[t];
    return out;
  }
  const LevelProgress& level = progress.at(branching->depth);
  uint64_t live = 0, begun = 0;
  for (size_t k = 0; k < branching->children.size(); ++k) {
    const uint32_t t = leaf(branching->children[k]);
    live |= uint64_t{schedulable[t]} << k;
    begun |= uint64_t{started[t]} << k;
  }
  const uint64_t set =
      level.is_fair() ? live : level.fair(static_cast<uint32_t>(branching->children.size()), live, begun) & live;
  for (size_t k = 0; k < branching->children.size(); ++k) out[leaf(branching->children[k])] = ((set >> k) & 1) != 0;
  return out;
}

bool surely_strong(const prog::Test& test, const Lasso& lasso, const Progress& progress,
                   const std::vector<bool>& schedulable, const std::vector<bool>& started) {
  const auto fair = promised(scope_tree(test), progress, schedulable, started);
  if (!fair) return false;
  if (std::find(fair->begin(), fair->end(), true) == fair->end()) return true;
  const auto running = std::count_if(lasso.threads.begin(), lasso.threads.end(),
                                     [](const ThreadLasso& l) { return l.fate == Fate::running; });
  if (running <= 1) return true;
  uint32_t rounds = 1;
  for (const ThreadLasso& l : lasso.threads) rounds = std::max(rounds, l.given);
  const auto played = play(test, lasso, rounds);
  if (!played) return false;
  const auto& events = played->run.execution.events;
  for (size_t e = 0; e < events.size(); ++e)
    if (played->round[e] >= 0 && events[e].tags.has(vocab::Tag::W)) return false;
  return true;
}

}  // namespace fencepost::reference

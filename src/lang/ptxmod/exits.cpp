// Threads that may end while others of their block wait at a barrier, and code that no thread of a launch comes to.
//
// A thread that ends releases the barrier at which others wait, which no engine models: without a word they would wait
// for ever, no execution of such a launch would be complete, and every question of safety would hold. What decides is
// the graph of the thread's blocks, not how a compiler lays it out: `if (x) { s = 7; return; }`, and any return while a
// variable is in scope, leave through blocks that jump on to the end.
#include <algorithm>
#include <utility>

#include "ptxmod/lower.h"

namespace fencepost::ptxmod {

bool is_of_all(const prog::Instr& i, bool cuda) {
  const uint32_t level = cuda ? 2 : *vocab::level_of(prog::Dialect::ptx, "cta");
  return i.kind == prog::Kind::barrier && i.barrier.level == level && !i.barrier.quorum;
}

namespace {

// Grows `set` against the arrows until it has all blocks from which some block of it is reached.
void grow(std::vector<bool>& set, const std::vector<std::pair<uint32_t, uint32_t>>& arrows) {
  for (bool more = true; std::exchange(more, false);)
    for (const auto& [from, to] : arrows)
      if (set[to] && !set[from]) set[from] = more = true;
}

// An atomic operation, a fence or a barrier.
bool orders(const Node& n, bool cuda) {
  if (n.kind != Node::Kind::instruction || n.words.empty()) return false;
  const std::string& head = n.words[cuda && n.words.size() > 1 && n.words[0] == "cuda" ? 1 : 0];
  for (const char* word : {"atom", "red", "fence", "membar", "bar", "barrier", "rmw", "cas", "syncwarp"})
    if (head == word) return true;
  if (head != "ld" && head != "st") return false;
  return std::ranges::any_of(n.words, [](const std::string& w) {
    for (const char* order : {"relaxed", "acquire", "release", "rlx", "acq", "rel", "sc"})
      if (w == order) return true;
    return false;
  });
}

}  // namespace

std::set<uint32_t> lines_not_reached(const Flat& flat, const Blocks& flow,
                                     const std::vector<std::vector<Taken>>& taken) {
  std::set<uint32_t> out, reached;
  for (uint32_t b = 0; b < flow.blocks.size(); ++b) {
    const bool some = std::ranges::any_of(taken, [&](const std::vector<Taken>& t) { return t[b].reached; });
    for (size_t k = flow.blocks[b].begin; k < flow.blocks[b].end; ++k) {
      const Node& n = flat.nodes[k];
      if (n.span.source && orders(n, flat.cuda)) (some ? reached : out).insert(n.span.position().line);
    }
  }
  for (const uint32_t line : reached) out.erase(line);
  return out;
}

std::vector<EarlyEnd> Lowering::find_early_ends() const {
  const auto last = [&](uint32_t b) -> const Node& {
    return flat_.nodes[std::min(std::max<size_t>(flow_.blocks[b].end, 1) - 1, flat_.nodes.size() - 1)];
  };
  std::vector<bool> meets(states_.size()), ends(states_.size());  // comes to a barrier; to its end without one
  std::vector<std::pair<uint32_t, uint32_t>> arrows, without;     // without: from blocks that have no barrier
  bool any = false;
  for (uint32_t b = 0; b < states_.size(); ++b) {
    const State& st = states_[b];
    if (!st.done) continue;
    for (const prog::Instr& i : st.code) meets[b] = meets[b] || is_of_all(i, flat_.cuda);
    any = any || meets[b];
    // What traps ends the launch, and waits for nobody; that it comes to what clang calls unreachable is flagged.
    bool trap = last(b).kind == Node::Kind::jump && last(b).words == std::vector<std::string>{"trap"};
    for (size_t k = flow_.blocks[b].begin; k < flow_.blocks[b].end; ++k)
      trap = trap || (flat_.nodes[k].mnemonic() == "cuda.ub.unreachable" && flat_.nodes[k].args.empty());
    ends[b] = !meets[b] && !trap && st.ways.empty();
    for (const Way& w : st.ways) {
      if (trap) continue;
      arrows.emplace_back(b, w.to);
      if (!meets[b]) without.emplace_back(b, w.to);
    }
  }
  std::vector<EarlyEnd> out;
  if (!any) return out;
  grow(meets, arrows);
  grow(ends, without);
  for (uint32_t b = 0; b < states_.size(); ++b) {
    bool leaves = false, stays = false;
    for (const Way& w : states_[b].ways) {
      leaves = leaves || (!meets[w.to] && ends[w.to]);
      stays = stays || meets[w.to];
    }
    if (!leaves || !stays) continue;
    // In a loop: some way leads back to it.
    std::vector<bool> back(states_.size());
    back[b] = true;
    grow(back, arrows);
    bool in_loop = false;
    for (const Way& w : states_[b].ways) in_loop = in_loop || back[w.to];
    out.push_back({last(b).span, in_loop});
  }
  return out;
}

}  // namespace fencepost::ptxmod

#include "draw/layered.h"

#include <algorithm>
#include <utility>

namespace fencepost::draw {
namespace {

constexpr double k_gap = 18, k_rank_gap = 22;

class Layout {
 public:
  Layout(const std::vector<LayeredNode>& nodes, const std::vector<LayeredEdge>& edges, uint32_t start, double top,
         double margin)
      : nodes_(nodes), edges_(edges), start_(start), top_(top), margin_(margin) {
    made_.paths.resize(edges.size());
  }

  Layered run() {
    rank_nodes();
    make_places();
    order();
    set_columns();
    set_rows();
    return std::move(made_);
  }

 private:
  struct Links {  // of a place
    uint32_t rank = 0;
    std::vector<uint32_t> up, down;
  };
  uint32_t add(const Place& p, uint32_t rank) {
    made_.places.push_back(p);
    chain_.push_back({rank, {}, {}});
    return static_cast<uint32_t>(chain_.size() - 1);
  }
  void rank_nodes();
  void make_places();
  void order();
  void set_columns();
  void set_rows();
  size_t crossings() const;
  void sort_rank(uint32_t rank, bool by_upper);

  const std::vector<LayeredNode>& nodes_;
  const std::vector<LayeredEdge>& edges_;
  uint32_t start_;
  double top_, margin_;
  Layered made_;
  std::vector<uint32_t> rank_;                // of a node, before doubling
  std::vector<Links> chain_;                  // by place
  std::vector<std::vector<uint32_t>> ranks_;  // places of a rank, left to right
};

void Layout::rank_nodes() {
  std::vector<std::vector<size_t>> out(nodes_.size());
  for (size_t k = 0; k < edges_.size(); ++k) out[edges_[k].from].push_back(k);
  // Depth first from the start; an edge to a node on the stack is turned. `order` collects nodes as they are left.
  std::vector<uint8_t> colour(nodes_.size(), 0);
  std::vector<uint32_t> order;
  std::vector<std::pair<uint32_t, size_t>> stack;
  auto walk = [&](uint32_t root) {
    if (colour[root] != 0) return;
    colour[root] = 1;
    stack.push_back({root, 0});
    while (!stack.empty()) {
      auto& [s, next] = stack.back();
      if (next == out[s].size()) {
        colour[s] = 2;
        order.push_back(s);
        stack.pop_back();
        continue;
      }
      const size_t k = out[s][next++];
      const uint32_t to = edges_[k].to;
      if (colour[to] == 1) made_.paths[k].turned = true;
      if (colour[to] == 0) {
        colour[to] = 1;
        stack.push_back({to, 0});
      }
    }
  };
  if (!nodes_.empty()) walk(start_);
  for (uint32_t s = 0; s < nodes_.size(); ++s) walk(s);
  rank_.assign(nodes_.size(), 0);
  // Reversed order of leaving is topological without the turned edges; a turned edge runs against it.
  for (auto s = order.rbegin(); s != order.rend(); ++s)
    for (size_t k : out[*s])
      if (!made_.paths[k].turned) rank_[edges_[k].to] = std::max(rank_[edges_[k].to], rank_[*s] + 1);
}

void Layout::make_places() {
  for (uint32_t s = 0; s < nodes_.size(); ++s)
    add({0, 0, nodes_[s].left, nodes_[s].right, nodes_[s].half_height}, 2 * rank_[s]);
  for (size_t k = 0; k < edges_.size(); ++k) {
    const LayeredEdge& e = edges_[k];
    LayeredPath& path = made_.paths[k];
    const uint32_t top = path.turned ? e.to : e.from, bottom = path.turned ? e.from : e.to;
    const uint32_t first = chain_[top].rank, last = chain_[bottom].rank;
    // Near its source: after the first step down, or before the last one of a turned edge.
    const uint32_t at_label = path.turned ? last - 1 : first + 1;
    std::vector<uint32_t> down = {top};
    for (uint32_t r = first + 1; r < last; ++r) {
      Place p;
      if (r == at_label) {
        p.left = p.right = e.label_half_width;
        p.half_height = e.label_half_height;
        path.label = static_cast<uint32_t>(made_.places.size());
      }
      down.push_back(add(p, r));
    }
    down.push_back(bottom);
    for (size_t i = 0; i + 1 < down.size(); ++i) {
      chain_[down[i]].down.push_back(down[i + 1]);
      chain_[down[i + 1]].up.push_back(down[i]);
    }
    path.places = std::move(down);
    if (path.turned) std::ranges::reverse(path.places);
  }
  uint32_t last = 0;
  for (const Links& p : chain_) last = std::max(last, p.rank);
  ranks_.resize(last + 1);
  // A first order by a walk from the start, so that neighbours begin near each other.
  std::vector<bool> seen(chain_.size());
  std::vector<uint32_t> work;
  for (uint32_t s = 0; s < nodes_.size(); ++s) {
    work.push_back(s);
    while (!work.empty()) {
      const uint32_t p = work.back();
      work.pop_back();
      if (seen[p]) continue;
      seen[p] = true;
      ranks_[chain_[p].rank].push_back(p);
      for (auto d = chain_[p].down.rbegin(); d != chain_[p].down.rend(); ++d) work.push_back(*d);
    }
  }
}

size_t Layout::crossings() const {
  std::vector<uint32_t> position(made_.places.size());
  for (const auto& rank : ranks_)
    for (uint32_t k = 0; k < rank.size(); ++k) position[rank[k]] = k;
  size_t n = 0;
  for (const auto& rank : ranks_) {
    std::vector<std::pair<uint32_t, uint32_t>> edges;
    for (uint32_t p : rank)
      for (uint32_t d : chain_[p].down) edges.push_back({position[p], position[d]});
    for (size_t i = 0; i < edges.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        if ((edges[i].first < edges[j].first) != (edges[i].second < edges[j].second) &&
            edges[i].first != edges[j].first && edges[i].second != edges[j].second)
          ++n;
  }
  return n;
}

void Layout::sort_rank(uint32_t rank, bool by_upper) {
  std::vector<uint32_t> position(made_.places.size());
  for (const auto& other : ranks_)
    for (uint32_t k = 0; k < other.size(); ++k) position[other[k]] = k;
  std::vector<std::pair<double, uint32_t>> keyed;
  for (uint32_t p : ranks_[rank]) {
    const auto& next = by_upper ? chain_[p].up : chain_[p].down;
    double sum = 0;
    for (uint32_t q : next) sum += position[q];
    keyed.push_back({next.empty() ? position[p] : sum / static_cast<double>(next.size()), p});
  }
  std::stable_sort(keyed.begin(), keyed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (size_t k = 0; k < keyed.size(); ++k) ranks_[rank][k] = keyed[k].second;
}

void Layout::order() {
  // Counting crossings is quadratic in the edges of a rank: big systems get fewer rounds.
  const int rounds = made_.places.size() < 2000 ? 24 : made_.places.size() < 20000 ? 2 : 0;
  if (rounds == 0) return;
  auto best = ranks_;
  size_t least = crossings();
  for (int round = 0; round < rounds && least != 0; ++round) {
    if (round % 2 == 0)
      for (uint32_t r = 1; r < ranks_.size(); ++r) sort_rank(r, true);
    else
      for (auto r = static_cast<uint32_t>(ranks_.size() - 1); r-- > 0;) sort_rank(r, false);
    const size_t now = crossings();
    if (now < least) {
      least = now;
      best = ranks_;
    }
  }
  ranks_ = best;
}

// Each place wants the mean x of its neighbours. Under the order of the rank, with room between, the least squares
// answer merges neighbours that would overlap into blocks that stand at their mean.
void Layout::set_columns() {
  for (const auto& rank : ranks_) {
    double x = 0;
    for (uint32_t p : rank) {
      made_.places[p].x = x + made_.places[p].left;
      x = made_.places[p].x + made_.places[p].right + k_gap;
    }
  }
  struct Block {
    double sum = 0;
    size_t count = 0;
  };
  auto settle = [&](const std::vector<uint32_t>& rank, bool by_upper, bool by_lower) {
    std::vector<double> offset(rank.size(), 0);
    std::vector<Block> blocks;
    for (size_t k = 0; k < rank.size(); ++k) {
      const Place& p = made_.places[rank[k]];
      const Links& links = chain_[rank[k]];
      if (k > 0) offset[k] = offset[k - 1] + made_.places[rank[k - 1]].right + k_gap + p.left;
      double sum = 0;
      size_t n = 0;
      if (by_upper)
        for (uint32_t q : links.up) sum += made_.places[q].x, ++n;
      if (by_lower)
        for (uint32_t q : links.down) sum += made_.places[q].x, ++n;
      const double wish = n == 0 ? p.x : sum / static_cast<double>(n);
      blocks.push_back({wish - offset[k], 1});
      while (blocks.size() > 1) {
        const Block last = blocks.back();
        Block& before = blocks[blocks.size() - 2];
        if (before.sum / static_cast<double>(before.count) <= last.sum / static_cast<double>(last.count)) break;
        before.sum += last.sum;
        before.count += last.count;
        blocks.pop_back();
      }
    }
    size_t k = 0;
    for (const Block& b : blocks)
      for (size_t i = 0; i < b.count; ++i, ++k)
        made_.places[rank[k]].x = b.sum / static_cast<double>(b.count) + offset[k];
  };
  for (int round = 0; round < 40; ++round) {
    for (size_t r = 1; r < ranks_.size(); ++r) settle(ranks_[r], true, round > 3);
    for (size_t r = ranks_.size() - 1; r-- > 0;) settle(ranks_[r], round > 3, true);
  }
}

void Layout::set_rows() {
  double low = 1e300, high = -1e300;
  for (const Place& p : made_.places) {
    low = std::min(low, p.x - p.left);
    high = std::max(high, p.x + p.right);
  }
  if (made_.places.empty()) low = high = 0;
  for (Place& p : made_.places) p.x += margin_ - low;
  made_.width = high - low + 2 * margin_;
  double y = top_;
  for (const auto& rank : ranks_) {
    double half = 0;
    for (uint32_t p : rank) half = std::max(half, made_.places[p].half_height);
    for (uint32_t p : rank) made_.places[p].y = y + half;
    y += 2 * half + k_rank_gap;
  }
  made_.height = y;
}

}  // namespace

Layered layered(const std::vector<LayeredNode>& nodes, const std::vector<LayeredEdge>& edges, uint32_t start,
                double top, double margin) {
  return Layout(nodes, edges, start, top, margin).run();
}

}  // namespace fencepost::draw

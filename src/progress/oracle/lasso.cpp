// The shortest way into a starving cycle, then a short one.
//   Where to: the states from which a starving cycle can be taken without further ado. Weak: every state of a starving
//   component. Strong: every state of a bottom component of the fair steps (or of the whole component where F is
//   empty). States are numbered breadth first, so the lowest such state has the shortest prefix. Round: weak: the
//   shortest closed walk on which every thread of F steps, by breadth-first search over (state, threads of F that have
//   stepped), or greedily (next thread by the nearest step) where that product is large. Strong: a greedy tour of every
//   fair step of the set, back to the start.
// All states at the least depth are tried, up to k_candidates, and the shortest round wins.
#include "oracle/lasso.h"

#include <algorithm>
#include <bit>

namespace fencepost::oracle {
namespace {

constexpr size_t k_candidates = 64;
constexpr uint64_t k_exact_product = 1u << 22;

struct Move {
  uint32_t from = 0, thread = 0;
};
using Walk = std::vector<Move>;

fair::ThreadSet bit(uint32_t t) { return fair::ThreadSet{1} << t; }

class Finder {
 public:
  Finder(Space& space, const FairAt& fair, Fairness fairness) : space_(space), fair_(fair), fairness_(fairness) {
    inside_.assign(space.states(), 0);
    mark_.assign(space.states(), 0);
    back_.resize(space.states());
  }

  void run(const std::vector<uint32_t>& starving, Walk& prefix, Walk& cycle) {
    find_parents();
    // Sets in which to go round, with their F; the lowest state of all of them decides the depth.
    for (uint32_t c : starving) add_sets(c);
    uint32_t depth = k_none;
    for (const Set& s : sets_)
      for (uint32_t m : s.members) depth = std::min(depth, depth_[m]);
    uint32_t start = k_none;
    size_t tried = 0;
    for (const Set& s : sets_) {
      std::vector<uint32_t> entries;
      for (uint32_t m : s.members)
        if (depth_[m] == depth) entries.push_back(m);
      std::sort(entries.begin(), entries.end());
      for (uint32_t entry : entries) {
        if (tried++ >= k_candidates) break;
        Walk w = round(s, entry);
        if (start == k_none || w.size() < cycle.size() || (w.size() == cycle.size() && entry < start)) {
          cycle = std::move(w);
          start = entry;
        }
      }
    }
    for (uint32_t s = start; s != 0; s = parent_[s].from) prefix.push_back(parent_[s]);
    std::reverse(prefix.begin(), prefix.end());
  }

 private:
  struct Set {
    std::vector<uint32_t> members;
    fair::ThreadSet fair = 0;
  };

  void find_parents() {
    const uint32_t n = space_.states(), threads = space_.program().threads();
    parent_.resize(n);
    depth_.assign(n, k_none);
    depth_[0] = 0;
    for (uint32_t s = 0; s < n; ++s)
      for (uint32_t t = 0; t < threads; ++t) {
        const uint32_t to = space_.successor(s, t);
        if (to == k_none || depth_[to] != k_none) continue;
        depth_[to] = depth_[s] + 1;
        parent_[to] = {s, t};
      }
  }

  void add_sets(uint32_t c) {
    const Space::Component& part = space_.components()[c];
    Set whole;
    whole.members.assign(space_.members().begin() + part.begin, space_.members().begin() + part.end);
    whole.fair = fair_(whole.members[0]);
    if (fairness_ == Fairness::weak || whole.fair == 0) {
      sets_.push_back(std::move(whole));
      return;
    }
    const std::vector<uint32_t> closed = space_.closed_part(c, whole.fair);
    for (std::vector<uint32_t>& bottom : bottoms(closed, whole.fair)) sets_.push_back({std::move(bottom), whole.fair});
  }

  // Bottom components of the fair steps on a set closed under them: from any state, all states that it reaches; a
  // reached state that does not reach back restarts the search from there, and each restart stays inside the last
  // reach.
  std::vector<std::vector<uint32_t>> bottoms(const std::vector<uint32_t>& closed, fair::ThreadSet fair) {
    std::vector<std::vector<uint32_t>> found;
    // Tarjan over the fair steps only; a component with no fair step out of it is a bottom.
    std::vector<uint32_t> index(closed.begin(), closed.end());
    std::sort(index.begin(), index.end());
    auto id = [&](uint32_t s) {
      return static_cast<uint32_t>(std::lower_bound(index.begin(), index.end(), s) - index.begin());
    };
    const auto n = static_cast<uint32_t>(index.size());
    std::vector<uint32_t> order(n, k_none), low(n), of(n, k_none), stack;
    struct Frame {
      uint32_t at;
      fair::ThreadSet rest;
    };
    std::vector<Frame> frames;
    uint32_t visited = 0, components = 0;
    for (uint32_t root = 0; root < n; ++root) {
      if (order[root] != k_none) continue;
      auto enter = [&](uint32_t k) {
        order[k] = low[k] = visited++;
        stack.push_back(k);
        frames.push_back({k, fair});
      };
      enter(root);
      while (!frames.empty()) {
        Frame& f = frames.back();
        const uint32_t k = f.at;
        if (f.rest != 0) {
          const uint32_t to = id(space_.successor(index[k], static_cast<uint32_t>(std::countr_zero(f.rest))));
          f.rest &= f.rest - 1;
          if (order[to] == k_none)
            enter(to);
          else if (of[to] == k_none)
            low[k] = std::min(low[k], order[to]);
          continue;
        }
        frames.pop_back();
        if (!frames.empty()) low[frames.back().at] = std::min(low[frames.back().at], low[k]);
        if (low[k] != order[k]) continue;
        std::vector<uint32_t> members;
        uint32_t m = 0;
        do {
          m = stack.back();
          stack.pop_back();
          of[m] = components;
          members.push_back(index[m]);
        } while (m != k);
        bool bottom = true;
        for (uint32_t s : members)
          for (fair::ThreadSet f2 = fair; f2 != 0 && bottom; f2 &= f2 - 1)
            bottom = of[id(space_.successor(s, static_cast<uint32_t>(std::countr_zero(f2))))] == components;
        ++components;
        if (bottom) found.push_back(std::move(members));
      }
    }
    return found;
  }

  Walk round(const Set& set, uint32_t start) {
    for (uint32_t m : set.members) inside_[m] = 1;
    Walk w;
    if (fairness_ == Fairness::strong && set.fair != 0) {
      w = tour(set, start);
    } else {
      const auto needed = static_cast<uint32_t>(std::popcount(set.fair));
      w = needed < 20 && (uint64_t{set.members.size()} << needed) <= k_exact_product ? exact_round(set, start)
                                                                                     : greedy_round(set, start);
    }
    for (uint32_t m : set.members) inside_[m] = 0;
    return w;
  }

  // Breadth-first over (state, subset of F that has stepped).
  Walk exact_round(const Set& set, uint32_t start) {
    std::vector<uint32_t> index(set.members);
    std::sort(index.begin(), index.end());
    auto id = [&](uint32_t s) {
      return static_cast<uint64_t>(std::lower_bound(index.begin(), index.end(), s) - index.begin());
    };
    const uint32_t needed = static_cast<uint32_t>(std::popcount(set.fair)), threads = space_.program().threads();
    std::vector<uint32_t> rank(threads, k_none);
    for (uint32_t t = 0, k = 0; t < threads; ++t)
      if ((set.fair & bit(t)) != 0) rank[t] = k++;
    const uint64_t all = (uint64_t{1} << needed) - 1;
    struct Back {
      uint64_t from = UINT64_MAX;
      uint32_t thread = 0;
    };
    std::vector<Back> back(index.size() << needed);
    std::vector<uint64_t> queue;
    const uint64_t first = id(start) << needed, goal = first | all;
    queue.push_back(first);
    // The start is not marked as reached, so that a round of at least one step is found when F is empty.
    for (size_t head = 0; head < queue.size(); ++head) {
      const uint64_t at = queue[head];
      const uint32_t s = index[at >> needed];
      for (uint32_t t = 0; t < threads; ++t) {
        const uint32_t to = space_.successor(s, t);
        if (to == k_none || inside_[to] == 0) continue;
        const uint64_t covered = (at & all) | (rank[t] == k_none ? 0 : uint64_t{1} << rank[t]);
        const uint64_t next = id(to) << needed | covered;
        if (back[next].from != UINT64_MAX) continue;
        back[next] = {at, t};
        if (next == goal) {
          Walk w;
          uint64_t k = next;
          do {
            w.push_back({index[back[k].from >> needed], back[k].thread});
            k = back[k].from;
          } while (k != first);
          std::reverse(w.begin(), w.end());
          return w;
        }
        if (next != first) queue.push_back(next);
      }
    }
    FENCEPOST_INVARIANT(false, "a starving component has a round");
    return {};
  }

  // Appends the shortest walk inside the set from `at` whose last step satisfies `last(from, thread, to)`; returns its
  // end.
  template <class Last>
  uint32_t walk_to(uint32_t at, Walk& w, const Last& last) {
    const uint32_t threads = space_.program().threads();
    ++mark_stamp_;
    std::vector<uint32_t> queue = {at};
    mark_[at] = mark_stamp_;
    for (size_t head = 0; head < queue.size(); ++head) {
      const uint32_t s = queue[head];
      for (uint32_t t = 0; t < threads; ++t) {
        const uint32_t to = space_.successor(s, t);
        if (to == k_none || inside_[to] == 0) continue;
        if (last(s, t, to)) {
          Walk part = {{s, t}};
          for (uint32_t k = s; k != at; k = back_[k].from) part.push_back(back_[k]);
          w.insert(w.end(), part.rbegin(), part.rend());
          return to;
        }
        if (mark_[to] == mark_stamp_) continue;
        mark_[to] = mark_stamp_;
        back_[to] = {s, t};
        queue.push_back(to);
      }
    }
    FENCEPOST_INVARIANT(false, "a starving set is strongly connected");
    return at;
  }

  Walk greedy_round(const Set& set, uint32_t start) {
    Walk w;
    uint32_t at = start;
    fair::ThreadSet missing = set.fair;
    while (missing != 0) {
      at = walk_to(at, w, [&](uint32_t, uint32_t t, uint32_t) { return (missing & bit(t)) != 0; });
      for (const Move& m : w) missing &= ~bit(m.thread);
    }
    if (at != start || w.empty()) walk_to(at, w, [&](uint32_t, uint32_t, uint32_t to) { return to == start; });
    return w;
  }

  Walk tour(const Set& set, uint32_t start) {
    Walk w;
    std::vector<fair::ThreadSet> missing(space_.states(), 0);
    for (uint32_t m : set.members) missing[m] = set.fair;
    size_t left = set.members.size() * static_cast<size_t>(std::popcount(set.fair)), seen = 0;
    uint32_t at = start;
    while (left != 0) {
      at = walk_to(at, w, [&](uint32_t s, uint32_t t, uint32_t) { return (missing[s] & bit(t)) != 0; });
      for (; seen < w.size(); ++seen)
        if ((missing[w[seen].from] & bit(w[seen].thread)) != 0) {
          missing[w[seen].from] &= ~bit(w[seen].thread);
          --left;
        }
    }
    if (at != start) walk_to(at, w, [&](uint32_t, uint32_t, uint32_t to) { return to == start; });
    return w;
  }

  Space& space_;
  const FairAt& fair_;
  Fairness fairness_;
  std::vector<Set> sets_;
  std::vector<Move> parent_, back_;
  std::vector<uint32_t> depth_, mark_;
  std::vector<uint8_t> inside_;
  uint32_t mark_stamp_ = 0;
};

std::vector<Event> to_events(const axb::Test& test, const Space& space, const FairAt& fair, const Walk& walk) {
  const Program& p = space.program();
  std::vector<Event> events;
  for (const Move& m : walk) {
    const uint64_t* from = space.state(m.from);
    const uint64_t* to = space.state(space.successor(m.from, m.thread));
    Event e;
    e.thread = m.thread;
    e.pc = p.pc(from, m.thread);
    e.next_pc = p.pc(to, m.thread);
    e.read = p.value(from, test.threads[m.thread].code[e.pc].location);
    e.ends = !p.live(to, m.thread);
    e.fair = fair(m.from);
    for (uint32_t l = 0; l < test.locations.size(); ++l) e.memory.push_back(p.value(to, l));
    events.push_back(std::move(e));
  }
  return events;
}

}  // namespace

Lasso find_lasso(const axb::Test& test, Space& space, const std::vector<uint32_t>& starving, const FairAt& fair,
                 Fairness fairness) {
  Walk prefix, cycle;
  Finder(space, fair, fairness).run(starving, prefix, cycle);
  Lasso lasso;
  lasso.prefix = to_events(test, space, fair, prefix);
  lasso.cycle = to_events(test, space, fair, cycle);
  lasso.starving = space.program().live(space.state(cycle.front().from));
  lasso.fair = fair(cycle.front().from);
  return lasso;
}

}  // namespace fencepost::oracle

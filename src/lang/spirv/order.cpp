#include "spirv/order.h"

#include <algorithm>
#include <set>

namespace fencepost::spirv {
namespace {

class Order {
 public:
  Order(const std::vector<std::vector<uint32_t>>& next, uint32_t start) : next_(next), start_(start) {}

  // A post-order that leaves loops first, so that in reverse a loop's segments stand together.
  std::vector<uint32_t> run() {
    const auto n = static_cast<uint32_t>(next_.size());
    std::vector<std::vector<uint32_t>> before(n);
    std::vector<std::pair<uint32_t, uint32_t>> back;
    walk([&](uint32_t s) { return next_[s]; },
         [&](uint32_t from, uint32_t to, bool open) {
           before[to].push_back(from);
           if (open) back.push_back({from, to});
         },
         [](uint32_t) {});
    std::vector<std::set<uint32_t>> loops(n);  // headers of the loops that hold a segment
    for (const auto& [from, to] : back) {
      std::vector<uint32_t> work = {from};
      loops[to].insert(to);
      while (!work.empty()) {
        const uint32_t s = work.back();
        work.pop_back();
        if (!loops[s].insert(to).second) continue;
        for (const uint32_t p : before[s]) work.push_back(p);
      }
    }
    std::vector<uint32_t> post;
    walk(
        [&](uint32_t s) {
          std::vector<uint32_t> next(next_[s].rbegin(), next_[s].rend());
          const auto shared = [&](uint32_t t) {
            size_t k = 0;
            for (const uint32_t h : loops[s]) k += loops[t].count(h);
            return k;
          };
          std::stable_sort(next.begin(), next.end(), [&](uint32_t a, uint32_t b) { return shared(a) < shared(b); });
          return next;
        },
        [](uint32_t, uint32_t, bool) {}, [&](uint32_t s) { post.push_back(s); });
    return {post.rbegin(), post.rend()};
  }

 private:
  template <class Next, class Edge, class Leave>
  void walk(Next&& next, Edge&& edge, Leave&& leave) {
    struct Step {
      uint32_t segment;
      std::vector<uint32_t> next;
      size_t at = 0;
    };
    std::vector<uint8_t> state(next_.size(), 0);  // 1 open, 2 done
    std::vector<Step> stack;
    const uint32_t start = start_;
    stack.push_back({start, next(start)});
    state[start] = 1;
    while (!stack.empty()) {
      Step& s = stack.back();
      if (s.at == s.next.size()) {
        state[s.segment] = 2;
        leave(s.segment);
        stack.pop_back();
        continue;
      }
      const uint32_t from = s.segment, to = s.next[s.at++];
      edge(from, to, state[to] == 1);
      if (state[to] == 0) {
        state[to] = 1;
        stack.push_back({to, next(to)});
      }
    }
  }

  const std::vector<std::vector<uint32_t>>& next_;
  uint32_t start_;
};

}  // namespace

std::vector<uint32_t> loops_together(const std::vector<std::vector<uint32_t>>& next, uint32_t start) {
  return Order(next, start).run();
}

}  // namespace fencepost::spirv

// Strong fairness (reference/strong.h) is a question of its own: is there a set of states as in the header that is
// besides closed under the steps of the promised threads F? Take out of a component every state with a step of F that
// leaves it, and go on with those that lead to what was taken out. If anything is left, a bottom component of the
// steps of F on the rest is such a set: strongly connected, closed, and with a step, since a live thread always has
// one. With F empty nothing obliges the scheduler to leave any cycle. That is docs/progress-oracle.md's algorithm,
// over programs in place of AXB.
#include "explicit/states.h"

#include <algorithm>
#include <deque>
#include <unordered_map>

#include "base/diagnostic.h"
#include "explicit/interpreter.h"
#include "explicit/key.h"
#include "prog/test.h"
#include "reference/relations.h"
#include "reference/strong.h"
#include "vocab/vocab.h"

namespace fencepost::explicit_state {
namespace {

// A key is flat: per thread started, position, registers; then the memory.

struct Edge {
  uint32_t thread = 0;
  uint32_t to = 0;
  uint64_t instructions = 0;
};

class Explorer {
 public:
  Explorer(const prog::Test& test, const reference::Progress& progress, const Job& job, uint64_t max_states)
      : test_(test),
        progress_(progress),
        job_(job),
        max_states_(max_states),
        interpreter_(test),
        tree_(reference::scope_tree(test)) {}

  Exploration run() {
    Exploration out;
    out.end = visit_all();
    out.states = edges_.size();
    for (const auto& e : edges_) out.edges += e.size();
    if (out.end == Exploration::End::finished) out.starving = find_starving();
    return out;
  }

 private:
  struct State {
    std::vector<ThreadState> threads;
    Memory memory;
    std::vector<bool> started;
  };

  Key pack(const State& s) const {
    Key k;
    for (size_t t = 0; t < s.threads.size(); ++t) {
      k.push_back((uint64_t{s.threads[t].position} << 1) | (s.started[t] ? 1 : 0));
      k.insert(k.end(), s.threads[t].registers.begin(), s.threads[t].registers.end());
    }
    for (const auto& o : s.memory) k.insert(k.end(), o.begin(), o.end());
    return k;
  }

  State unpack(const Key& k) const {
    State s;
    size_t at = 0;
    for (uint32_t t = 0; t < test_.threads.size(); ++t) {
      ThreadState th;
      th.position = static_cast<uint32_t>(k[at] >> 1);
      s.started.push_back((k[at] & 1) != 0);
      ++at;
      const size_t n = test_.code(t).registers.size();
      th.registers.assign(k.begin() + static_cast<ptrdiff_t>(at), k.begin() + static_cast<ptrdiff_t>(at + n));
      at += n;
      s.threads.push_back(std::move(th));
    }
    for (const prog::Object& o : test_.objects) {
      s.memory.emplace_back(k.begin() + static_cast<ptrdiff_t>(at),
                            k.begin() + static_cast<ptrdiff_t>(at + o.init.size()));
      at += o.init.size();
    }
    return s;
  }

  uint32_t intern(Key k, uint32_t parent, Edge by) {
    const auto [it, fresh] = ids_.try_emplace(std::move(k), static_cast<uint32_t>(edges_.size()));
    if (fresh) {
      edges_.emplace_back();
      parent_.push_back({parent, by});
      keys_.push_back(&it->first);
    }
    return it->second;
  }

  Exploration::End visit_all() {
    State first;
    for (uint32_t t = 0; t < test_.threads.size(); ++t) {
      first.threads.push_back(interpreter_.start(t));
      first.started.push_back(false);
    }
    first.memory = interpreter_.memory();
    intern(pack(first), 0, {});
    for (uint32_t at = 0; at < edges_.size(); ++at) {
      if (edges_.size() > max_states_) return Exploration::End::too_many_states;
      if ((at & 255) == 0 && job_.out_of_time()) return Exploration::End::out_of_time;
      const State s = unpack(*keys_[at]);
      for (uint32_t t = 0; t < test_.threads.size(); ++t) {
        if (interpreter_.ended(t, s.threads[t])) continue;
        State next = s;
        const uint64_t count = interpreter_.step(t, next.threads[t], next.memory);
        if (count == 0) return Exploration::End::misfit;
        next.started[t] = true;
        Edge e{t, 0, count};
        e.to = intern(pack(next), at, e);
        edges_[at].push_back(e);
      }
    }
    return Exploration::End::finished;
  }

  // R. Tarjan's components, without recursion.
  std::vector<uint32_t> components(uint32_t& count) const {
    return components(count, [](uint32_t) { return true; }, [](const Edge&) { return true; });
  }
  // Of the states `inside` and the edges `usable`, which do not leave them. The first component, number 0, is a bottom
  // one: no edge leaves it.
  template <class Inside, class Usable>
  std::vector<uint32_t> components(uint32_t& count, Inside&& inside, Usable&& usable) const {
    const uint32_t n = static_cast<uint32_t>(edges_.size());
    constexpr uint32_t k_open = 0xffffffffu;
    std::vector<uint32_t> index(n, k_open), low(n, 0), component(n, k_open), stack;
    std::vector<std::pair<uint32_t, size_t>> work;
    uint32_t next = 0;
    count = 0;
    for (uint32_t root = 0; root < n; ++root) {
      if (index[root] != k_open || !inside(root)) continue;
      work.push_back({root, 0});
      while (!work.empty()) {
        auto& [v, k] = work.back();
        if (k == 0) {
          index[v] = low[v] = next++;
          stack.push_back(v);
        }
        if (k < edges_[v].size()) {
          const Edge& e = edges_[v][k++];
          if (!usable(e)) continue;
          const uint32_t w = e.to;
          if (index[w] == k_open)
            work.push_back({w, 0});
          else if (component[w] == k_open)
            low[v] = std::min(low[v], index[w]);
          continue;
        }
        if (low[v] == index[v]) {
          uint32_t w = 0;
          do {
            w = stack.back();
            stack.pop_back();
            component[w] = count;
          } while (w != v);
          ++count;
        }
        const uint32_t done = v;
        work.pop_back();
        if (!work.empty()) low[work.back().first] = std::min(low[work.back().first], low[done]);
      }
    }
    return component;
  }

  std::optional<Schedule> find_starving() const {
    uint32_t count = 0;
    const auto component = components(count);
    std::vector<std::vector<bool>> steps(count);
    std::vector<uint32_t> some(count, 0xffffffffu);
    for (uint32_t v = 0; v < edges_.size(); ++v)
      for (const Edge& e : edges_[v])
        if (component[v] == component[e.to]) {
          auto& s = steps[component[v]];
          s.resize(test_.threads.size(), false);
          s[e.thread] = true;
          some[component[v]] = std::min(some[component[v]], v);
        }
    // The first state found is the nearest to the start.
    std::vector<uint32_t> order;
    for (uint32_t c = 0; c < count; ++c)
      if (!steps[c].empty()) order.push_back(c);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return some[a] < some[b]; });
    for (uint32_t c : order) {
      const State s = unpack(*keys_[some[c]]);
      std::vector<bool> live;
      for (uint32_t t = 0; t < test_.threads.size(); ++t) live.push_back(!interpreter_.ended(t, s.threads[t]));
      if (!reference::keeps_promise(tree_, progress_, live, s.started, steps[c])) continue;
      if (!reference::is_strong(progress_)) return schedule(some[c], steps[c], component);
      const auto fair = reference::promised(tree_, progress_, live, s.started);
      FENCEPOST_INVARIANT(fair.has_value(), "strong fairness is asked of sets of threads alone");
      if (std::find(fair->begin(), fair->end(), true) == fair->end()) return schedule(some[c], steps[c], component);
      if (auto closed = closed_under(*fair, component, c)) return tour(*closed, *fair);
    }
    return std::nullopt;
  }

  // The bottom component of the steps of `fair` on what is left of component `c` (states.h); by state, or nothing.
  std::optional<std::vector<uint32_t>> closed_under(const std::vector<bool>& fair,
                                                    const std::vector<uint32_t>& component, uint32_t c) const {
    std::vector<bool> left(edges_.size(), false);
    std::unordered_map<uint32_t, std::vector<uint32_t>> before;  // by fair steps
    for (uint32_t v = 0; v < edges_.size(); ++v) left[v] = component[v] == c;
    std::vector<uint32_t> out;
    for (uint32_t v = 0; v < edges_.size(); ++v) {
      if (component[v] != c) continue;
      for (const Edge& e : edges_[v])
        if (fair[e.thread]) before[e.to].push_back(v);
    }
    for (const auto& [to, from] : before)
      if (!left[to]) out.push_back(to);
    while (!out.empty()) {
      const uint32_t gone = out.back();
      out.pop_back();
      for (const uint32_t v : before[gone])
        if (left[v]) left[v] = false, out.push_back(v);
    }
    if (std::find(left.begin(), left.end(), true) == left.end()) return std::nullopt;
    uint32_t count = 0;
    const auto parts = components(
        count, [&](uint32_t v) { return bool{left[v]}; }, [&](const Edge& e) { return bool{fair[e.thread]}; });
    std::vector<uint32_t> closed;
    for (uint32_t v = 0; v < edges_.size(); ++v)
      if (left[v] && parts[v] == 0) closed.push_back(v);
    return closed;
  }

  // Every fair step of the closed set, one after the other.
  Schedule tour(const std::vector<uint32_t>& closed, const std::vector<bool>& fair) const {
    std::vector<uint32_t> inside(edges_.size(), 0);
    for (const uint32_t v : closed) inside[v] = 1;
    const uint32_t start = *std::min_element(closed.begin(), closed.end());
    Schedule out = schedule(start, std::vector<bool>(test_.threads.size(), false), inside);
    std::vector<std::vector<bool>> due(edges_.size());
    size_t open = 0;
    for (const uint32_t v : closed) {
      due[v].assign(test_.threads.size(), false);
      for (const Edge& e : edges_[v])
        if (fair[e.thread]) due[v][e.thread] = true, ++open;
    }
    uint32_t at = start;
    const auto fair_edge = [&](const Edge& e) { return fair[e.thread]; };
    while (open > 0) {
      uint32_t from = 0, by = 0;
      walk(
          out.cycle, at, inside,
          [&](uint32_t v, const Edge& e) { return due[v][e.thread] && (from = v, by = e.thread, true); }, fair_edge);
      due[from][by] = false;
      --open;
    }
    if (at != start) walk(out.cycle, at, inside, [&](uint32_t, const Edge& e) { return e.to == start; }, fair_edge);
    return out;
  }

  Schedule schedule(uint32_t start, std::vector<bool> wanted, const std::vector<uint32_t>& component) const {
    Schedule out;
    for (uint32_t v = start; v != 0;) {
      out.prefix.push_back({parent_[v].second.thread, parent_[v].second.instructions});
      v = parent_[v].first;
    }
    std::reverse(out.prefix.begin(), out.prefix.end());
    uint32_t at = start;
    while (std::find(wanted.begin(), wanted.end(), true) != wanted.end()) {
      // The nearest step of a thread that has not stepped yet.
      walk(out.cycle, at, component, [&](uint32_t, const Edge& e) { return wanted[e.thread]; });
      wanted[out.cycle.back().thread] = false;
    }
    if (at != start) walk(out.cycle, at, component, [&](uint32_t, const Edge& e) { return e.to == start; });
    return out;
  }

  // Breadth first within the component until an edge is accepted; appends the path and moves along it.
  template <class Accept>
  void walk(std::vector<Step>& path, uint32_t& at, const std::vector<uint32_t>& component, Accept&& accept) const {
    walk(path, at, component, accept, [](const Edge&) { return true; });
  }
  // `usable`: edges that the path may take.
  template <class Accept, class Usable>
  void walk(std::vector<Step>& path, uint32_t& at, const std::vector<uint32_t>& component, Accept&& accept,
            Usable&& usable) const {
    std::unordered_map<uint32_t, std::pair<uint32_t, Edge>> from;
    std::deque<uint32_t> queue{at};
    from.emplace(at, std::pair{at, Edge{}});
    while (!queue.empty()) {
      const uint32_t v = queue.front();
      queue.pop_front();
      for (const Edge& e : edges_[v]) {
        if (component[e.to] != component[at] || !usable(e)) continue;
        if (accept(v, e)) {
          std::vector<Step> back{{e.thread, e.instructions}};
          for (uint32_t u = v; u != at; u = from.at(u).first)
            back.push_back({from.at(u).second.thread, from.at(u).second.instructions});
          path.insert(path.end(), back.rbegin(), back.rend());
          at = e.to;
          return;
        }
        if (from.try_emplace(e.to, std::pair{v, e}).second) queue.push_back(e.to);
      }
    }
    FENCEPOST_INVARIANT(false, "a component is not connected");
  }

  const prog::Test& test_;
  const reference::Progress& progress_;
  const Job& job_;
  uint64_t max_states_;
  Interpreter interpreter_;
  reference::ScopeTree tree_;
  std::unordered_map<Key, uint32_t, KeyHash> ids_;
  std::vector<const Key*> keys_;
  std::vector<std::vector<Edge>> edges_;
  std::vector<std::pair<uint32_t, Edge>> parent_;
};

}  // namespace

Exploration explore(const prog::Test& test, const reference::Progress& progress, const Job& job, uint64_t max_states) {
  return Explorer(test, progress, job, max_states).run();
}

reference::Lasso lasso_of(const prog::Test& test, const Schedule& schedule) {
  const Interpreter interpreter(test);
  reference::Lasso out;
  std::vector<ThreadState> threads;
  std::vector<std::vector<uint32_t>> occurrences;
  for (uint32_t t = 0; t < test.threads.size(); ++t) {
    threads.push_back(interpreter.start(t));
    occurrences.emplace_back(test.instrs(t).size(), 0);
  }
  Memory memory = interpreter.memory();
  std::vector<std::vector<std::vector<reference::EventKey>>> writes;  // by object and cell, in order
  for (prog::ObjectId o = 0; o < test.objects.size(); ++o) {
    writes.emplace_back();
    for (uint32_t c = 0; c < test.objects[o].init.size(); ++c) writes.back().push_back({{reference::k_init, o, c, 0}});
  }
  std::vector<std::pair<reference::EventKey, reference::Event>> fences;
  out.threads.resize(test.threads.size());
  const auto take = [&](const Step& s, bool cycle, bool count) {
    bool ran = false;  // not skipped by its predicate
    const std::function<void(const Access&)> see = [&](const Access& a) {
      ran = true;
      const reference::EventKey key{s.thread, a.position, occurrences[s.thread][a.position], a.part == 2 ? 0 : a.part};
      if (a.part == 2) {
        reference::Event e;
        e.key = key;
        e.tags = reference::event_tags(test.instrs(s.thread)[a.position], 0);
        if (reference::is_sc_fence(e) && reference::has_fence_order(test.dialect)) fences.push_back({key, e});
        return;
      }
      auto& order = writes[a.object][a.cell];
      if (a.write) {
        if (order.size() > 1) out.choices.co.push_back({order.back(), key});
        order.push_back(key);
      } else {
        out.choices.rf[key] = order.back();
        out.choices.read_value[key] = a.value;
      }
    };
    for (uint64_t i = 0; i < s.instructions; ++i) {
      const uint32_t at = threads[s.thread].position;
      ran = false;
      interpreter.instruction(s.thread, threads[s.thread], memory, &see);
      if (ran) ++occurrences[s.thread][at];
    }
    reference::ThreadLasso& l = out.threads[s.thread];
    if (count) (cycle ? l.cycle : l.prefix) += s.instructions;
  };
  for (const Step& s : schedule.prefix) take(s, false, true);
  for (const Step& s : schedule.cycle) take(s, true, true);
  for (const Step& s : schedule.cycle) take(s, true, false);
  // Fences that are ordered at all run in the order of the schedule; the judge knows which ones are.
  const auto in_scope = [&](const reference::Event& a, const reference::Event& b) {
    std::vector<reference::Event> two{a, b};
    const auto rel = reference::fixed_relations(test, two, {});
    return rel[static_cast<size_t>(vocab::Base::sr)].test(0, 1);
  };
  for (size_t i = 0; i < fences.size(); ++i)
    for (size_t j = i + 1; j < fences.size(); ++j)
      if (in_scope(fences[i].second, fences[j].second))
        out.choices.fence_order.push_back({fences[i].first, fences[j].first});
  for (uint32_t t = 0; t < test.threads.size(); ++t) {
    reference::ThreadLasso& l = out.threads[t];
    if (l.cycle > 0) {
      l.fate = reference::Fate::running;
      l.given = 2;
    } else {
      l.fate = interpreter.ended(t, threads[t]) ? reference::Fate::ended : reference::Fate::halted;
      if (l.fate == reference::Fate::ended) l.prefix = 0;
    }
  }
  return out;
}

}  // namespace fencepost::explicit_state

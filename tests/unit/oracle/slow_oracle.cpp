#include "slow_oracle.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace fencepost::oracle::slow {
namespace {

using Set = std::set<uint32_t>;  // threads

struct State {
  std::vector<uint32_t> pc;
  std::vector<axb::Value> memory;
  Set started;           // for the published models
  uint32_t machine = 0;  // for the others
  auto operator<=>(const State&) const = default;
};

struct Graph {
  std::vector<State> states;
  std::vector<std::map<uint32_t, uint32_t>> steps;  // by thread
};

bool live(const axb::Test& test, const State& s, uint32_t t) { return s.pc[t] < test.threads[t].code.size(); }

std::optional<Graph> explore(const axb::Test& test, fair::Machine* machine, size_t max_states) {
  Graph g;
  std::map<State, uint32_t> ids;
  auto id_of = [&](const State& s) {
    auto [at, fresh] = ids.try_emplace(s, static_cast<uint32_t>(g.states.size()));
    if (fresh) {
      g.states.push_back(s);
      g.steps.emplace_back();
    }
    return at->second;
  };
  State first;
  first.pc.assign(test.threads.size(), 0);
  for (const axb::Location& l : test.locations) first.memory.push_back(l.init);
  if (machine != nullptr) first.machine = machine->initial().value();
  id_of(first);
  for (uint32_t k = 0; k < g.states.size(); ++k) {
    if (g.states.size() > max_states) return std::nullopt;
    const State from = g.states[k];
    for (uint32_t t = 0; t < from.pc.size(); ++t) {
      if (!live(test, from, t)) continue;
      const axb::Instr& i = test.threads[t].code[from.pc[t]];
      State to = from;
      const axb::Value old = from.memory[i.location];
      const bool swaps = i.compares && old == i.check, writes = i.compares ? swaps : i.exchanges;
      const bool jumps = i.unless ? old != i.check : old == i.check;
      if (writes) to.memory[i.location] = i.value;
      to.pc[t] = jumps ? i.jump : from.pc[t] + 1;
      if (machine != nullptr) {
        to.machine =
            machine->after_step(from.machine, t, {i.location, i.check, writes ? i.value : 0, writes, jumps}).value();
        if (!live(test, to, t)) to.machine = machine->after_termination(to.machine, t).value();
      } else {
        to.started.insert(t);
      }
      const uint32_t to_id = id_of(to);
      g.steps[k][t] = to_id;
    }
  }
  return g;
}

Pair judge(const Graph& g, const std::vector<Set>& fair) {
  const size_t n = g.states.size();
  Pair verdict{true, true};

  // Who can go on for ever with F empty.
  std::vector<bool> idle(n);
  for (size_t s = 0; s < n; ++s) idle[s] = fair[s].empty();
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t s = 0; s < n; ++s) {
      if (!idle[s]) continue;
      const bool goes_on =
          std::any_of(g.steps[s].begin(), g.steps[s].end(), [&](const auto& e) { return idle[e.second]; });
      if (!goes_on) {
        idle[s] = false;
        changed = true;
      }
    }
  }
  if (std::find(idle.begin(), idle.end(), true) != idle.end()) verdict = {false, false};

  // Weak, for each F that occurs.
  for (const Set& candidate : std::set<Set>(fair.begin(), fair.end())) {
    if (candidate.empty() || !verdict.weak) continue;
    std::vector<bool> z(n);
    for (size_t s = 0; s < n; ++s) z[s] = fair[s] == candidate;
    for (bool shrunk = true; shrunk;) {
      shrunk = false;
      for (uint32_t t : candidate) {
        // Who can, within z, be led to a step of t into z.
        std::vector<bool> led(n);
        for (bool grown = true; grown;) {
          grown = false;
          for (size_t s = n; s-- > 0;) {
            if (!z[s] || led[s]) continue;
            for (auto [thread, to] : g.steps[s])
              if (z[to] && (thread == t || led[to])) {
                led[s] = grown = true;
                break;
              }
          }
        }
        if (led != z) {
          z = led;
          shrunk = true;
        }
      }
    }
    if (std::find(z.begin(), z.end(), true) != z.end()) verdict.weak = false;
  }

  // Strong.
  std::vector<bool> good(n);
  for (size_t s = 0; s < n; ++s) good[s] = g.steps[s].empty() || fair[s].empty();
  for (bool grown = true; grown;) {
    grown = false;
    for (size_t s = n; s-- > 0;) {
      if (good[s]) continue;
      for (uint32_t t : fair[s])
        if (g.steps[s].contains(t) && good[g.steps[s].at(t)]) {
          good[s] = grown = true;
          break;
        }
    }
  }
  if (std::find(good.begin(), good.end(), false) != good.end()) verdict.strong = false;
  return verdict;
}

Set published(size_t model, const Set& alive, const Set& started) {
  Set f;
  if (alive.empty()) return f;
  const bool hsa = model == 1 || model == 3, obe = model == 2 || model == 3;
  for (uint32_t t : alive) {
    if (hsa && t == *alive.begin()) f.insert(t);
    if (obe && started.contains(t)) f.insert(t);
    if (model == 4 && !started.empty() && t <= *started.rbegin()) f.insert(t);
    if (model == 5) f.insert(t);
  }
  return f;
}

}  // namespace

std::optional<std::vector<Pair>> decide_published(const axb::Test& test, size_t max_states) {
  const auto g = explore(test, nullptr, max_states);
  if (!g) return std::nullopt;
  std::vector<Pair> verdicts;
  for (size_t model = 0; model < 6; ++model) {
    std::vector<Set> fair;
    for (const State& s : g->states) {
      Set alive;
      for (uint32_t t = 0; t < s.pc.size(); ++t)
        if (live(test, s, t)) alive.insert(t);
      fair.push_back(published(model, alive, s.started));
    }
    verdicts.push_back(judge(*g, fair));
  }
  return verdicts;
}

std::optional<Pair> decide(const axb::Test& test, const fair::Model& model, size_t max_states) {
  fair::ThreadSet alive = 0;
  for (size_t t = 0; t < test.threads.size(); ++t)
    if (!test.threads[t].code.empty()) alive |= fair::ThreadSet{1} << t;
  fair::Machine machine(model, static_cast<uint32_t>(test.threads.size()), alive);
  const auto g = explore(test, &machine, max_states);
  if (!g) return std::nullopt;
  std::vector<Set> fair;
  for (const State& s : g->states) {
    Set f;
    for (uint32_t t = 0; t < s.pc.size(); ++t)
      if ((machine.fair(s.machine) >> t & 1) != 0) f.insert(t);
    fair.push_back(f);
  }
  return judge(*g, fair);
}

axb::Test random_test(Rng& rng, const Shape& shape) {
  axb::Test test;
  for (uint32_t l = 0; l < shape.locations; ++l)
    test.locations.push_back({std::string(1, static_cast<char>('a' + l)),
                              static_cast<axb::Value>(rng.chance(0.8) ? 0 : rng.below(shape.values))});
  const auto threads = shape.min_threads + static_cast<uint32_t>(rng.below(shape.max_threads - shape.min_threads + 1));
  for (uint32_t t = 0; t < threads; ++t) {
    axb::Thread thread;
    const auto length = rng.chance(0.03) ? 0u : 1 + static_cast<uint32_t>(rng.below(shape.max_instructions));
    for (uint32_t pc = 0; pc < length; ++pc) {
      axb::Instr i;
      i.location = static_cast<uint32_t>(rng.below(shape.locations));
      i.exchanges = rng.chance(shape.exchanges);
      if (i.exchanges) i.value = static_cast<axb::Value>(rng.below(shape.values));
      i.check = static_cast<axb::Value>(rng.below(shape.values));
      i.jump = rng.chance(shape.self) ? pc : static_cast<uint32_t>(rng.below(length + 1));
      if (i.exchanges && rng.chance(shape.stores)) i.jump = pc + 1;
      if (i.exchanges && shape.swaps > 0 && rng.chance(shape.swaps)) {
        i.compares = true;
        i.unless = i.jump != pc + 1 && rng.chance(0.5);
      }
      if (axb::is_store(i, pc)) i.check = 0;
      thread.code.push_back(i);
    }
    test.threads.push_back(std::move(thread));
  }
  return test;
}

}  // namespace fencepost::oracle::slow

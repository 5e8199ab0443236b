// The constraints of one given test, of any size and values, by explicit search. Shares nothing with the enumeration,
// so that the one can be held against the other.
#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "synth/synth.h"

namespace fencepost::synth {
namespace {

struct State {
  std::vector<uint32_t> pc;
  std::vector<axb::Value> memory;
  auto operator<=>(const State&) const = default;
};

struct Step {
  uint32_t from = 0, to = 0, thread = 0, pc = 0;
  axb::Value read = 0;
};

struct Explored {
  std::vector<Step> steps;  // by `from`, ascending
  std::vector<bool> ended;  // by state
};

constexpr size_t k_most_states = 2'000'000;

std::optional<Explored> explore(const axb::Test& test) {
  Explored e;
  std::map<State, uint32_t> number;
  std::deque<const State*> queue;
  const auto visit = [&](State s) {
    const auto [at, fresh] = number.try_emplace(std::move(s), static_cast<uint32_t>(number.size()));
    if (fresh) queue.push_back(&at->first);
    return at->second;
  };
  State start;
  start.pc.resize(test.threads.size());
  for (const auto& l : test.locations) start.memory.push_back(l.init);
  visit(start);
  for (uint32_t n = 0; !queue.empty(); ++n) {
    if (number.size() > k_most_states) return std::nullopt;
    const State s = *queue.front();
    queue.pop_front();
    bool ended = true;
    for (uint32_t t = 0; t < test.threads.size(); ++t) {
      const uint32_t pc = s.pc[t];
      if (pc == test.threads[t].code.size()) continue;
      ended = false;
      const axb::Instr& i = test.threads[t].code[pc];
      State next = s;
      const axb::Value read = s.memory[i.location];
      next.pc[t] = axb::jumps(i, read) ? i.jump : pc + 1;
      if (axb::writes(i, read)) next.memory[i.location] = i.value;
      e.steps.push_back({n, visit(std::move(next)), t, pc, read});
    }
    e.ended.push_back(ended);
  }
  return e;
}

bool all_can_end(const Explored& e) {
  std::vector<std::vector<uint32_t>> before(e.ended.size());
  for (const Step& s : e.steps) before[s.to].push_back(s.from);
  std::vector<bool> can = e.ended;
  std::vector<uint32_t> stack;
  for (uint32_t n = 0; n < can.size(); ++n)
    if (can[n]) stack.push_back(n);
  while (!stack.empty()) {
    const uint32_t n = stack.back();
    stack.pop_back();
    for (const uint32_t p : before[n])
      if (!can[p]) {
        can[p] = true;
        stack.push_back(p);
      }
  }
  return std::find(can.begin(), can.end(), false) == can.end();
}

bool has_cycle(const Explored& e) {  // what is left when states without steps in are taken away again and again
  std::vector<uint32_t> in(e.ended.size());
  std::vector<std::vector<uint32_t>> after(e.ended.size());
  for (const Step& s : e.steps) {
    ++in[s.to];
    after[s.from].push_back(s.to);
  }
  std::vector<uint32_t> stack;
  for (uint32_t n = 0; n < in.size(); ++n)
    if (in[n] == 0) stack.push_back(n);
  size_t taken = 0;
  for (; !stack.empty(); ++taken) {
    const uint32_t n = stack.back();
    stack.pop_back();
    for (const uint32_t s : after[n])
      if (--in[s] == 0) stack.push_back(s);
  }
  return taken != in.size();
}

}  // namespace

Expected<Constraints> holding(const axb::Test& test, bool older_stores) {
  if (auto e = axb::validate(test); !e) return std::unexpected(e.error());
  const auto explored = explore(test);
  if (!explored)
    return unsupported_at(test.span, "this test has more than " + std::to_string(k_most_states) + " states",
                          "constraints are for small tests");
  std::set<std::pair<uint32_t, uint32_t>> equal, different, effective;
  for (const Step& s : explored->steps) {
    const axb::Instr& i = test.threads[s.thread].code[s.pc];
    (s.read == i.check ? equal : different).insert({s.thread, s.pc});
    if (axb::writes(i, s.read) && s.read != i.value) effective.insert({s.thread, s.pc});
  }
  bool comparisons = true, stores = true, branches = true, threads = true;
  std::set<uint32_t> named;
  for (uint32_t t = 0; t < test.threads.size(); ++t) {
    threads = threads && !test.threads[t].code.empty();
    for (uint32_t pc = 0; pc < test.threads[t].code.size(); ++pc) {
      const axb::Instr& i = test.threads[t].code[pc];
      named.insert(i.location);
      const bool branch = i.jump != pc + 1;
      if (!branch && (i.check != 0 || !i.exchanges)) comparisons = false;
      if (branch && (!equal.contains({t, pc}) || !different.contains({t, pc}))) branches = false;
      bool others_name = false, others_branch = false;
      for (uint32_t o = 0; o < test.threads.size(); ++o)
        for (uint32_t q = 0; o != t && q < test.threads[o].code.size(); ++q)
          if (test.threads[o].code[q].location == i.location) {
            others_name = true;
            if (test.threads[o].code[q].jump != q + 1) others_branch = true;
          }
      if (i.exchanges && (!others_branch || (!older_stores && !effective.contains({t, pc})))) stores = false;
      if (branch && !others_name) stores = false;
    }
  }
  Constraints r = Constraints::none();
  const auto put = [&](Constraint c, bool holds) {
    if (holds) r = r.with(c);
  };
  put(Constraint::ends, all_can_end(*explored));
  put(Constraint::no_surplus_threads, threads);
  put(Constraint::no_surplus_locations, named.size() == test.locations.size());
  put(Constraint::interesting, has_cycle(*explored));
  put(Constraint::comparisons, comparisons);
  put(Constraint::stores, stores);
  put(Constraint::branches, branches);
  return r;
}

}  // namespace fencepost::synth

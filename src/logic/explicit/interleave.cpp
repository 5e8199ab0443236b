// Depth first over states that were not seen before; a step of a thread is one instruction that accesses memory and all
// that follow it up to the next one, since nobody sees what happens in between.
#include "explicit/interleave.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "explicit/interpreter.h"
#include "prog/test.h"
#include "term/term.h"

namespace fencepost::explicit_state {
namespace {

using prog::Kind;

struct State {
  std::vector<ThreadState> threads;
  Memory memory;
};

struct KeyHash {
  size_t operator()(const std::vector<uint64_t>& k) const {
    uint64_t h = 0x9e3779b97f4a7c15ull;
    for (uint64_t v : k) h = (h ^ v) * 0xff51afd7ed558ccdull, h ^= h >> 29;
    return h;
  }
};

std::vector<uint64_t> key_of(const State& s) {
  std::vector<uint64_t> k;
  for (const ThreadState& t : s.threads) {
    k.push_back(t.position);
    k.insert(k.end(), t.registers.begin(), t.registers.end());
  }
  for (const auto& o : s.memory) k.insert(k.end(), o.begin(), o.end());
  return k;
}

class Walk {
 public:
  Walk(const prog::Test& test, const std::vector<prog::Observable>& observables, uint64_t max_states)
      : test_(test), observables_(observables), max_states_(max_states), interpreter_(test) {}

  Interleavings run() {
    Interleavings out;
    const State first = start();
    out.complete = every_interleaving(first, out.all) && every_order(first, out.sequential);
    return out;
  }

 private:
  // The interpreter clears registers that no instruction reads; here they may be observed.
  State start() const {
    State s;
    for (uint32_t t = 0; t < test_.threads.size(); ++t) {
      s.threads.push_back(interpreter_.start(t));
      for (const prog::InitValue& v : test_.threads[t].init) {
        const uint64_t value = v.address != prog::k_none ? prog::address_of(test_.symbols[v.address].object) : v.value;
        s.threads[t].registers[v.reg] = value & term::mask(test_.code(t).registers[v.reg].width);
      }
    }
    s.memory = interpreter_.memory();
    return s;
  }

  bool accesses(uint32_t thread, const ThreadState& s) const {
    const Kind k = test_.instrs(thread)[s.position].kind;
    return k == Kind::load || k == Kind::store || k == Kind::rmw;
  }

  // False: an instruction that has no meaning here.
  bool step(uint32_t thread, State& s) const {
    bool accessed = false;
    for (;;) {
      ThreadState& own = s.threads[thread];
      if (interpreter_.ended(thread, own)) return true;
      if (accessed && accesses(thread, own)) return true;
      const uint32_t at = own.position;
      accessed = accessed || accesses(thread, own);
      if (!interpreter_.instruction(thread, own, s.memory, nullptr)) return false;
      if (own.position <= at) return true;
    }
  }

  prog::State final_state(const State& s) const {
    prog::FinalValues f;
    for (const ThreadState& t : s.threads) f.registers.push_back(t.registers);
    f.memory = s.memory;
    return prog::state_of(test_, observables_, f);
  }

  bool every_interleaving(const State& first, std::set<prog::State>& out) const {
    if (prog::may_fail_spuriously(test_)) return false;
    for (const prog::Object& o : test_.objects)
      if (std::find(o.undefined.begin(), o.undefined.end(), true) != o.undefined.end()) return false;
    std::unordered_set<std::vector<uint64_t>, KeyHash> seen;
    std::vector<State> open = {first};
    seen.insert(key_of(first));
    while (!open.empty()) {
      if (seen.size() > max_states_) return false;
      const State s = std::move(open.back());
      open.pop_back();
      bool ended = true;
      for (uint32_t t = 0; t < test_.threads.size(); ++t) {
        if (interpreter_.ended(t, s.threads[t])) continue;
        ended = false;
        State next = s;
        if (!step(t, next)) return false;
        if (seen.insert(key_of(next)).second) open.push_back(std::move(next));
      }
      if (ended) out.insert(final_state(s));
    }
    return true;
  }

  // Whole threads one after another; one that waits for a later one never ends, and that order has no final state.
  bool every_order(const State& first, std::set<prog::State>& out) const {
    std::vector<uint32_t> order(test_.threads.size());
    std::iota(order.begin(), order.end(), 0u);
    if (order.size() > 7) return false;
    do {
      State s = first;
      uint64_t steps = 0;
      for (uint32_t t : order)
        while (!interpreter_.ended(t, s.threads[t]) && steps < k_most_steps) {
          if (!step(t, s)) return false;
          ++steps;
        }
      if (steps < k_most_steps) out.insert(final_state(s));
    } while (std::next_permutation(order.begin(), order.end()));
    return true;
  }

  static constexpr uint64_t k_most_steps = 4096;
  const prog::Test& test_;
  const std::vector<prog::Observable>& observables_;
  uint64_t max_states_;
  Interpreter interpreter_;
};

}  // namespace

Interleavings interleavings(const prog::Test& test, const std::vector<prog::Observable>& observables,
                            uint64_t max_states) {
  return Walk(test, observables, max_states).run();
}

}  // namespace fencepost::explicit_state

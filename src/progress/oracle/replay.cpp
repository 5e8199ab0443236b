// The check of every lasso before it leaves the room. It shares nothing with the exploration: states are plain vectors,
// steps follow the definition of AXB, and F comes from a machine.
#include <set>

#include "oracle/lasso.h"

namespace fencepost::oracle {
namespace {

struct State {
  std::vector<uint32_t> pc;
  std::vector<axb::Value> memory;
  fair::Machine::StateId model = 0;
  auto operator<=>(const State&) const = default;
};

class Replay {
 public:
  Replay(const axb::Test& test, const fair::Model& model)
      : test_(test), machine_(model, static_cast<uint32_t>(test.threads.size()), live_at_start(test)) {
    state_.pc.assign(test.threads.size(), 0);
    for (const axb::Location& l : test.locations) state_.memory.push_back(l.init);
    auto first = machine_.initial();
    FENCEPOST_INVARIANT(first.has_value(), "a replayed model has an initial state");
    state_.model = *first;
  }

  const State& state() const { return state_; }
  fair::ThreadSet fair() const { return machine_.fair(state_.model); }
  fair::ThreadSet live() const {
    fair::ThreadSet s = 0;
    for (size_t t = 0; t < state_.pc.size(); ++t)
      if (state_.pc[t] < test_.threads[t].code.size()) s |= fair::ThreadSet{1} << t;
    return s;
  }

  void step(const Event& e) {
    FENCEPOST_INVARIANT(e.thread < test_.threads.size() && (live() >> e.thread & 1) != 0,
                        "a replayed step is of a live thread");
    const auto& code = test_.threads[e.thread].code;
    FENCEPOST_INVARIANT(e.pc == state_.pc[e.thread], "a replayed step is at its thread's pc");
    FENCEPOST_INVARIANT(e.fair == fair(), "a replayed step has the model's F");
    const axb::Instr& i = code[e.pc];
    const axb::Value old = state_.memory[i.location];
    FENCEPOST_INVARIANT(e.read == old, "a replayed step reads what memory holds");
    const bool writes = axb::writes(i, old), jumps = axb::jumps(i, old);
    if (writes) state_.memory[i.location] = i.value;
    const uint32_t next = jumps ? i.jump : e.pc + 1;
    const bool ends = next == code.size();
    FENCEPOST_INVARIANT(e.next_pc == next && e.ends == ends, "a replayed step goes where its instruction says");
    FENCEPOST_INVARIANT(e.memory == state_.memory, "a replayed step leaves the memory that it says");
    state_.pc[e.thread] = next;
    fair::Step said{i.location, i.check, writes ? i.value : 0, writes, jumps};
    auto after = machine_.after_step(state_.model, e.thread, said);
    if (after && ends) after = machine_.after_termination(*after, e.thread);
    FENCEPOST_INVARIANT(after.has_value(), "a replayed model takes the step");
    state_.model = *after;
  }

 private:
  static fair::ThreadSet live_at_start(const axb::Test& test) {
    fair::ThreadSet s = 0;
    for (size_t t = 0; t < test.threads.size(); ++t) s |= fair::ThreadSet{!test.threads[t].code.empty()} << t;
    return s;
  }
  const axb::Test& test_;
  fair::Machine machine_;
  State state_;
};

}  // namespace

void replay(const axb::Test& test, const fair::Model& model, Fairness fairness, const Lasso& lasso) {
  Replay run(test, model);
  for (const Event& e : lasso.prefix) run.step(e);
  FENCEPOST_INVARIANT(!lasso.cycle.empty(), "a lasso has a cycle");
  FENCEPOST_INVARIANT(lasso.starving == run.live() && lasso.starving != 0, "who starves is who is live in the cycle");
  FENCEPOST_INVARIANT(lasso.fair == run.fair(), "a lasso tells the F of its cycle");
  const State entry = run.state();
  fair::ThreadSet stepped = 0;
  std::set<State> states;
  std::set<std::pair<State, uint32_t>> steps;
  for (const Event& e : lasso.cycle) {
    FENCEPOST_INVARIANT(run.fair() == lasso.fair, "F is constant in the cycle");
    stepped |= fair::ThreadSet{1} << e.thread;
    states.insert(run.state());
    steps.insert({run.state(), e.thread});
    run.step(e);
  }
  FENCEPOST_INVARIANT(run.state() == entry, "the cycle closes");
  FENCEPOST_INVARIANT((lasso.fair & ~stepped) == 0, "every thread of F steps in the cycle");
  if (fairness == Fairness::strong)
    for (const State& s : states)
      for (uint32_t t = 0; t < test.threads.size(); ++t)
        FENCEPOST_INVARIANT((lasso.fair >> t & 1) == 0 || steps.contains({s, t}),
                            "every fair step of a strongly fair cycle is taken in it");
}

}  // namespace fencepost::oracle

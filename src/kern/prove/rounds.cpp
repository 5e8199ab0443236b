// Loops round by round: k-induction, and annotations of loops that threads leave one by one.
#include <algorithm>

#include "prove/execute.h"

namespace fencepost::prove {

using namespace ir;

// What is run beside the way of the threads: afterwards they are where they were, and what it has shown is of it alone.
Execution::Aside Execution::set_aside(const Activation& a) const {
  return {a.values, a.guards,           a.loop_entry,   a.edges,         a.wide,           memory.state,
          sets_,    trace.facts.size(), tickets.size(), promises.size(), masters.touched()};
}

void Execution::come_back(Activation& a, const Aside& aside, bool summary) {
  ++position_;
  for (size_t i = aside.first_fact; i < trace.facts.size(); ++i)
    for (uint32_t& until : trace.facts[i].until) until = std::min(until, position_);
  promises.end(aside.first_promise, position_);
  for (size_t i = aside.first_ticket; i < tickets.size(); ++i) {
    tickets[i].until = std::min(tickets[i].until, position_);
    if (summary) tickets[i].summary = true;
  }
  ++position_;
  a.values = aside.values;
  a.guards = aside.guards;
  a.loop_entry = aside.loop_entry;
  a.edges = aside.edges;
  a.wide = aside.wide;
  memory.state = aside.memory;
  sets_ = aside.sets;
  masters.touched(aside.touched);
}

// k-induction: the user's invariants hold in each of the first k iterations, and in the one that follows k in which
// they hold. `from`: the zeroth iteration, not run yet (`what` is entry: each that follows is checked), or any one,
// just run (maintained: those that follow it show the invariants at their header by assumption, the last is checked).
void Execution::later_iterations(Activation& a, uint32_t l, LoopRun from, Mode mode, Header what) {
  const Aside aside = set_aside(a);
  const auto promised = a.barrier_invariants;
  const Pair guard = a.guard;
  const Mode quiet{false, false, mode.lockstep};
  if (what == Header::entry) {
    for (const auto& [v, x] : from.phis) {
      set(a, v, x);
      a.wide.erase(v.index);
    }
    a.block = a.cfg->loops()[l].header;
    a.guard = from.entry;
    body(a, l, from, quiet);
  }
  for (uint32_t i = 1; i < options_.k_induction; ++i) {
    if (what == Header::entry) header_invariants(a, l, incoming(a, l, true), from.latch, mode, what);
    if (stopped || (what == Header::entry && i + 1 == options_.k_induction)) break;
    from = next_iteration(a, l, from, quiet);
  }
  if (what == Header::maintained) header_invariants(a, l, incoming(a, l, true), from.latch, mode, what);
  come_back(a, aside, false);
  a.barrier_invariants = promised;
  a.guard = guard;  // the block is set by whatever is run next
}

// Does anything that is called compare threads?
bool Execution::speaks_of_pairs(const Call& c) const {
  for (FunctionId target : flow::targets(c))
    for (size_t f = 0; f < m_.functions.size(); ++f) {
      if (effects_.function(target).reached[f] == 0) continue;
      for (const Block& b : m_.functions[f].blocks)
        for (const Instruction& in : b.instructions)
          if (const auto* x = std::get_if<Compute>(&in.action); x != nullptr && x->op == Op::other) return true;
    }
  return false;
}

// Can such annotations of a loop be asked about? They must not speak of memory, and the loop be left from its header
// alone, so that what a thread has left with are the header's values.
bool Execution::may_part(const Activation& a, uint32_t l) const {
  const Loop& loop = a.cfg->loops()[l];
  bool any = false;
  for (BlockId b : loop.blocks) {
    if (b != loop.header)
      for (BlockId to : successors(a.f->blocks[b.index].terminator))
        if (!a.cfg->in_loop(to, l)) return false;
    for (const Instruction& in : a.f->blocks[b.index].instructions)
      if (const auto* c = std::get_if<Call>(&in.action); c != nullptr && speaks_of_pairs(*c)) return false;
    if (a.cfg->innermost_loop(b) != l) continue;
    for (const Instruction& in : a.f->blocks[b.index].instructions) {
      const auto* n = std::get_if<Annotation>(&in.action);
      if (n == nullptr || !special(a, *n)) continue;
      any = true;
      if (mentions(a, n->condition, [](const Instruction& i) {
            const auto* c = std::get_if<Compute>(&i.action);
            return c == nullptr ? !std::holds_alternative<Phi>(i.action)
                                : c->op == Op::accessed || c->op == Op::access_offset || c->op == Op::taken_value ||
                                      c->op == Op::old || c->op == Op::return_value;
          }))
        return false;
    }
  }
  return any;
}

// A loop that threads leave one by one, round by round: in a round each thread is in the same iteration of it, or has
// left it with the values it had at the header then, whatever they are. What invariants say of such a thread holds
// since they were shown in the round in which it left, and nothing that they speak of has changed.
void Execution::parted(Activation& a, uint32_t l, Pair entry) {
  const Aside aside = set_aside(a);
  const Pair outer_iteration = iteration_;
  const Mode mode{false, false, true, Asked::special};
  header_invariants(a, l, incoming(a, l, false), entry, mode, Header::entry);
  ++position_;
  const Pair still = unknown(1, "still", false);
  LoopRun run = iteration(a, l, all(entry, still), mode, false, std::nullopt);
  ++position_;
  Phis next = incoming(a, l, true);
  for (size_t i = 0; i < next.size(); ++i)
    for (const size_t t : k_both) next[i].second[t] = pool_.ite(run.latch[t], next[i].second[t], run.phis[i].second[t]);
  header_invariants(a, l, next, run.latch, mode, Header::maintained);
  come_back(a, aside, true);
  iteration_ = outer_iteration;
}

}  // namespace fencepost::prove

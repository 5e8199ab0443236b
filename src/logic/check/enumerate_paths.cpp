// Depth first over one thread. Where a branch, a predicate or a failing conditional write can go both ways, the other
// way is kept as a pending state with its constraint; an unknown address is guessed cell by cell. A variable that a
// constraint pins to a constant is put in at once, so that most impossible ways end where they begin; the others end
// when the paths are put together (enumerate_combination.h).
//
// Paths are made one thread at a time and then multiplied, because threads that run one template have the same paths up
// to their constants, and most combinations fail on a value before any relation is chosen. A loop is followed as far as
// its bound says and no further (LoopTracker of reference/run.h counts as the interpreter does): one that ran to the
// next round more than asked gave states that `solve`, under the same bound, rightly did not have.
#include "check/enumerate_paths.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "prog/test.h"
#include "reference/loops.h"
#include "reference/relations.h"

namespace fencepost::check {
namespace {

using prog::Instr;
using prog::k_none;
using prog::Kind;
using reference::Event;
using reference::StopReason;
using Sources = std::set<uint32_t>;

struct State {
  explicit State(const std::vector<reference::Loop>* loops) : tracker(loops), at_label(loops->size()) {}
  uint32_t pc = 0;
  std::vector<Sources> sources;  // per register
  std::vector<uint32_t> occurrences;
  std::map<std::string, uint32_t> arrivals;
  std::map<uint64_t, uint64_t> fixed;  // variables that a constraint pins to a constant
  Sources ctrl;
  std::vector<std::pair<uint32_t, Sources>> scoped_ctrl;
  reference::LoopTracker tracker;
  std::vector<std::vector<Expr>> at_label;  // per loop: the registers at the last time at its label
  Path path;                                // path.registers are the current ones
};

class Walker {
 public:
  Walker(const prog::Test& test, uint32_t thread, const PathOptions& options, std::vector<bool> observable)
      : test_(test),
        thread_(thread),
        code_(test.code(thread)),
        options_(options),
        loops_(reference::find_loops(code_, observable)),
        repeats_(options.kind == PathKind::liveness || options.kind == PathKind::unfair_liveness),
        halts_(options.kind == PathKind::fragments || options.kind == PathKind::unfair_liveness) {}

  bool walk(std::vector<Path>& out, const Job& job) {
    State first(&loops_);
    first.sources.resize(code_.registers.size());
    first.occurrences.assign(code_.code.size(), 0);
    for (const prog::Register& r : code_.registers) first.path.registers.push_back(term::constant(0, r.width));
    for (const prog::InitValue& v : test_.threads[thread_].init) {
      const uint64_t value = v.address != k_none ? prog::address_of(test_.symbols[v.address].object) : v.value;
      first.path.registers[v.reg] = term::constant(value, code_.registers[v.reg].width);
    }
    pending_.push_back(std::move(first));
    uint32_t ticks = 0;
    while (!pending_.empty()) {
      State s = std::move(pending_.back());
      pending_.pop_back();
      while (step(s)) {
      }
      if (alive_) out.push_back(std::move(s.path));
      std::move(ended_.begin(), ended_.end(), std::back_inserter(out));
      ended_.clear();
      if (out.size() >= options_.limit || ((++ticks & 63) == 0 && job.out_of_time())) return false;
    }
    return true;
  }

 private:
  // One instruction. False: the path has ended (alive_) or contradicts itself (not alive_).
  bool step(State& s) {
    alive_ = true;
    if (s.pc >= code_.code.size()) return stop(s, StopReason::end);
    const Instr& in = code_.code[s.pc];
    const bool event = in.kind == Kind::load || in.kind == Kind::store || in.kind == Kind::rmw ||
                       in.kind == Kind::fence || in.kind == Kind::barrier;
    if (halts_ && (event || s.path.steps == 0)) {
      ended_.push_back(s.path);
      ended_.back().stop = StopReason::halted;
      ended_.back().stop_instr = s.pc;
    }
    ++s.path.steps;
    s.tracker.at(s.pc);
    for (size_t k = 0; k < loops_.size(); ++k)
      if (loops_[k].begin == s.pc) s.at_label[k] = s.path.registers;
    std::erase_if(s.scoped_ctrl, [&](const auto& c) { return c.first <= s.pc; });
    if (in.predicate != k_none) {
      const Expr runs = term::truth(s.path.registers[in.predicate]);
      if (in.kind == Kind::jump || in.kind == Kind::branch) add_ctrl(s, in, s.sources[in.predicate]);
      State skipped = s;
      ++skipped.pc;
      if (require(skipped, runs, in.predicate_negated)) pending_.push_back(std::move(skipped));
      if (!require(s, runs, !in.predicate_negated)) return contradiction();
    }
    return execute(s, in);
  }

  bool execute(State& s, const Instr& in) {
    switch (in.kind) {
      case Kind::label:
        break;
      case Kind::local:
        assign(s, in.dst, resolve(s, in.value), sources_of(s, in.value));
        break;
      case Kind::load:
      case Kind::store:
      case Kind::rmw:
        return memory(s, in);
      case Kind::fence:
        s.path.events.push_back(make_event(s, in, 0));
        ++s.occurrences[s.pc];
        break;
      case Kind::barrier:
        return barrier(s, in);
      case Kind::jump:
      case Kind::branch:
        return jump(s, in);
    }
    ++s.pc;
    return true;
  }

  bool memory(State& s, const Instr& in) {
    const bool computed = in.addr.symbol == k_none;
    const Expr index = in.addr.index ? resolve(s, in.addr.index) : Expr{};
    // The cells it may go to, each with the constraint that says so.
    std::vector<std::pair<reference::Cell, uint64_t>> cells;
    if (computed) {
      for (prog::ObjectId o = 0; o < test_.objects.size(); ++o)
        for (uint64_t c = 0; c < test_.objects[o].init.size(); ++c) cells.push_back({{o, c}, prog::address_of(o, c)});
    } else {
      const prog::ObjectId o = test_.symbols[in.addr.symbol].object;
      for (uint64_t c = 0; c < test_.objects[o].init.size(); ++c) cells.push_back({{o, c}, c});
      if (!index) cells.resize(1);
    }
    std::optional<State> chosen;
    for (const auto& [cell, number] : cells) {
      State t = s;
      if (index) {
        const Expr wide = term::resize(index, 64, true);
        if (!require(t, term::binary(term::Op::eq, wide, term::constant(number, 64)), true)) continue;
      }
      access(t, in, cell, pending_);
      if (!alive_) {
        alive_ = true;
        continue;
      }
      if (chosen)
        pending_.push_back(std::move(t));
      else
        chosen.emplace(std::move(t));
    }
    if (!chosen) return contradiction();
    s = std::move(*chosen);
    return true;
  }

  // The access itself at a known cell; a failing conditional write becomes a further pending path.
  void access(State& s, const Instr& in, const reference::Cell& cell, std::vector<State>& forks) {
    const uint8_t width = test_.objects[cell.object].width;
    PathEvent e = make_event(s, in, 0);
    e.addr = sources_of(s, in.addr.index);
    e.event.is_memory = true;
    e.event.object = cell.object;
    e.event.address = prog::address_of(cell.object, cell.cell);
    e.event.symbol = in.addr.symbol != k_none ? in.addr.symbol : reference::own_symbol(test_, cell.object);
    const uint32_t self = static_cast<uint32_t>(s.path.events.size());
    if (in.kind == Kind::store) {
      e.write = true;
      e.value = term::resize(resolve(s, in.value), width, true);
      e.data = sources_of(s, in.value);
      s.path.events.push_back(std::move(e));
      s.tracker.effect();
      ++s.occurrences[s.pc];
      ++s.pc;
      return;
    }
    const Expr old = term::variable(read_variable(thread_, self), width);
    e.read = true;
    e.value = old;
    PathEvent w = e;
    s.path.events.push_back(std::move(e));
    if (in.kind == Kind::load) {
      ++s.occurrences[s.pc];
      if (in.dst != k_none) assign(s, in.dst, old, {self});
      ++s.pc;
      return;
    }
    const Expr result = in.result ? resolve(s, in.result, old) : old;
    const Sources result_sources = in.result ? sources_of(s, in.result, self) : Sources{self};
    const auto finish = [&](State& t, bool spurious = false) {
      ++t.occurrences[t.pc];
      if (in.dst != k_none) assign(t, in.dst, result, result_sources);
      if (in.spurious != k_none)
        assign(t, in.spurious, term::constant(spurious ? 1 : 0, code_.registers[in.spurious].width), {self});
      ++t.pc;
    };
    if (in.guard) {
      const Expr writes = term::truth(resolve(s, in.guard, old));
      State without = s;
      if (require(without, writes, false)) {
        without.path.events[self].event.tags = reference::failed_tags(in);
        finish(without);
        forks.push_back(std::move(without));
      }
      if (!require(s, writes, true)) {
        alive_ = false;
        return;
      }
      if (in.spurious != k_none) {
        State fails = s;
        Event& read = fails.path.events[self].event;
        read.tags = reference::failed_tags(in);
        read.spurious = true;
        finish(fails, true);
        forks.push_back(std::move(fails));
      }
    }
    w.read = false;
    w.write = true;
    w.event.key.part = 1;
    w.event.tags = reference::event_tags(in, 1);
    w.value = term::resize(resolve(s, in.value, old), width, true);
    w.data = sources_of(s, in.value, self);
    w.ctrl.merge(sources_of(s, in.guard, self));
    w.amo_read = self;
    s.path.events.push_back(std::move(w));
    s.tracker.effect();
    finish(s);
  }

  bool barrier(State& s, const Instr& in) {
    PathArrival a;
    a.key = {thread_, s.pc, s.occurrences[s.pc], 0};
    a.barrier = &in.barrier;
    a.ordinal = s.arrivals[in.barrier.instance]++;
    a.id = resolve(s, in.barrier.id);
    a.quorum = resolve(s, in.barrier.quorum);
    if (!in.barrier.arrive) {
      State blocked = s;
      blocked.path.arrivals.push_back(a);
      blocked.path.stop = StopReason::blocked;
      blocked.path.stop_instr = s.pc;
      ended_.push_back(std::move(blocked.path));
    }
    PathEvent e = make_event(s, in, 0);
    e.data = sources_of(s, in.barrier.id);
    e.data.merge(sources_of(s, in.barrier.quorum));
    a.event = static_cast<uint32_t>(s.path.events.size());
    s.path.arrivals.push_back(std::move(a));
    s.path.events.push_back(std::move(e));
    s.tracker.effect();
    ++s.occurrences[s.pc];
    ++s.pc;
    return true;
  }

  bool jump(State& s, const Instr& in) {
    if (in.kind == Kind::branch) {
      add_ctrl(s, in, sources_of(s, in.value));
      const Expr c = term::truth(resolve(s, in.value));
      State falls = s;
      ++falls.pc;
      if (require(falls, c, false)) pending_.push_back(std::move(falls));
      if (!require(s, c, true)) return contradiction();
    }
    const uint32_t target = code_.labels[in.label].at;
    if (target <= s.pc) {
      const bool last = s.tracker.is_last(in.label, options_.bound.of(thread_, in.label));
      if (last || options_.kind != PathKind::safety) {
        // An idle iteration ends the path; whether it was idle may depend on what was read.
        if (const auto same = unchanged(s, in.label)) {
          if (same->is_const(1)) return stop(s, StopReason::spin);
          State idle = s;
          if (require(idle, *same, true)) {
            ended_.push_back(std::move(idle.path));
            ended_.back().stop = StopReason::spin;
            ended_.back().stop_instr = s.pc;
          }
          if (!require(s, *same, false)) return contradiction();
        }
      }
      if (repeats_) {
        ended_.push_back(s.path);
        ended_.back().stop = StopReason::cut;
        ended_.back().stop_instr = s.pc;
        if (s.tracker.jump_back(in.label, options_.bound.of(thread_, in.label), false))
          return contradiction();  // said already
        s.pc = target;
        return true;
      }
      if (const auto why = s.tracker.jump_back(in.label, options_.bound.of(thread_, in.label), false))
        return stop(s, *why);
    }
    s.pc = target;
    return true;
  }

  // That the iteration that ends here was idle, as a term; nullopt: it was not.
  std::optional<Expr> unchanged(const State& s, prog::LabelId label) const {
    if (!s.tracker.quiet(label)) return std::nullopt;
    const size_t k = s.tracker.index(label);
    Expr all = term::constant(1, 1);
    for (size_t r = 0; r < s.path.registers.size(); ++r) {
      const Expr& now = s.path.registers[r];
      const Expr& then = s.at_label[k][r];
      if (!loops_[k].live[r] || now == then) continue;
      all = term::binary(term::Op::and_, std::move(all), term::binary(term::Op::eq, now, then));
    }
    if (all.is_const(0)) return std::nullopt;
    return all;
  }

  // ---- parts ----
  // Adds the constraint that `c` has this truth value. False: it contradicts what is known.
  static bool require(State& s, const Expr& c, bool value) {
    const auto known = term::eval(c, [&](uint64_t v) -> std::optional<uint64_t> {
      const auto it = s.fixed.find(v);
      return it == s.fixed.end() ? std::nullopt : std::optional(it->second);
    });
    if (known) return (*known != 0) == value;
    for (const Constraint& old : s.path.constraints)
      if (old.term == c) return old.value == value;
    s.path.constraints.push_back({c, value});
    const bool equal = (c.op() == term::Op::eq && value) || (c.op() == term::Op::ne && !value);
    if (equal)
      for (int side = 0; side < 2; ++side)
        if (c.kids()[side].is_var() && c.kids()[1 - side].is_const())
          s.fixed.emplace(c.kids()[side].value(), c.kids()[1 - side].value());
    return true;
  }

  bool stop(State& s, StopReason why) {
    s.path.stop = why;
    s.path.stop_instr = s.pc;
    return false;
  }

  bool contradiction() {
    alive_ = false;
    return false;
  }

  PathEvent make_event(const State& s, const Instr& in, uint32_t part) const {
    PathEvent e;
    e.event.key = {thread_, s.pc, s.occurrences[s.pc], part};
    e.event.tags = reference::event_tags(in, part);
    e.event.span = in.span;
    e.ctrl = s.ctrl;
    for (const auto& [end, from] : s.scoped_ctrl) e.ctrl.insert(from.begin(), from.end());
    if (in.predicate != k_none) e.ctrl.insert(s.sources[in.predicate].begin(), s.sources[in.predicate].end());
    return e;
  }

  Expr resolve(const State& s, const Expr& e, const Expr& old = {}) const {
    return term::substitute(e, [&](uint64_t v, uint8_t width) {
      return term::resize(v == prog::k_old_value ? old : s.path.registers[v], width, true);
    });
  }

  static Sources sources_of(const State& s, const Expr& e, std::optional<uint32_t> old = std::nullopt) {
    Sources out;
    term::for_each_variable(e, [&](uint64_t v) {
      if (v == prog::k_old_value) {
        if (old) out.insert(*old);
      } else {
        out.insert(s.sources[v].begin(), s.sources[v].end());
      }
    });
    return out;
  }

  void assign(State& s, prog::RegId r, const Expr& value, Sources from) const {
    s.path.registers[r] = term::resize(value, code_.registers[r].width, true);
    s.sources[r] = std::move(from);
  }

  void add_ctrl(State& s, const Instr& in, const Sources& from) const {
    if (in.reach == prog::CtrlReach::rest_of_thread)
      s.ctrl.insert(from.begin(), from.end());
    else
      s.scoped_ctrl.push_back({code_.labels[in.ctrl_end].at, from});
  }

  const prog::Test& test_;
  uint32_t thread_;
  const prog::Template& code_;
  const PathOptions& options_;
  std::vector<reference::Loop> loops_;
  std::vector<State> pending_;
  bool repeats_, halts_;
  std::vector<Path> ended_;  // stopped where another path goes on
  bool alive_ = true;
};

}  // namespace

Paths walk(const prog::Test& test, const PathOptions& options, const Job& job) {
  Paths out;
  const auto observable = reference::observable_registers(test);
  for (uint32_t t = 0; t < test.threads.size(); ++t) {
    Walker w(test, t, options,
             options.kind == PathKind::safety ? observable[t] : std::vector<bool>(observable[t].size(), false));
    out.of_thread.emplace_back();
    out.complete = w.walk(out.of_thread.back(), job) && out.complete;
  }
  return out;
}

}  // namespace fencepost::check

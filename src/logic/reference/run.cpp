// The reference interpreter. Threads are advanced one after the other as far as they come; a thread stops
// for good at its end or in a loop, and waits at a barrier that does not pass yet. When nothing moves any
// more, what still waits is blocked: since all conditions for passing grow with the arrivals, this is the
// least fixpoint, whatever the order. Then the chosen rf, co, fence order and quorum sets are checked
// against the events and become relations.
//
// Everything here is by concrete value; docs/semantics.md is the specification, and this file is meant to
// be read beside it.
#include "reference/run.h"

#include <algorithm>
#include <deque>
#include <set>

#include "prog/test.h"
#include "reference/barriers.h"
#include "reference/loops.h"
#include "reference/relations.h"
#include "term/term.h"

namespace fencepost::reference {
namespace {

using prog::Instr;
using prog::k_none;
using prog::Kind;
using vocab::Base;
using Sources = std::set<uint32_t>;  // reads of the same thread, by local index

std::unexpected<Diagnostics> misfit(std::string message) {
  return error_at({}, "the choices do not fit the program: " + message);
}

struct LocalEvent {
  Event event;
  Sources data, addr, ctrl;
  std::optional<uint32_t> amo_read;
  uint64_t step = 0;
};

class ThreadInterpreter {
 public:
  ThreadInterpreter(const prog::Test& test, uint32_t thread, const Choices& choices, const RunOptions& options,
                    std::vector<Loop> loops)
      : test_(test),
        thread_(thread),
        code_(test.code(thread)),
        choices_(choices),
        bound_(options.bound),
        tracing_(options.trace),
        loops_(std::move(loops)),
        tracker_(&loops_) {
    if (!options.halt_after.empty()) {
      halt_after_ = options.halt_after[thread];
      bound_ = prog::LoopBounds(0xffffffffu);
    }
    registers.assign(code_.registers.size(), 0);
    at_label_.resize(loops_.size());
    sources_.resize(code_.registers.size());
    occurrences_.assign(code_.code.size(), 0);
    for (const prog::InitValue& v : test.threads[thread].init) {
      const uint64_t value = v.address != k_none ? prog::address_of(test.symbols[v.address].object) : v.value;
      registers[v.reg] = value & width_mask(v.reg);
    }
  }
  ThreadInterpreter(const ThreadInterpreter&) = delete;  // tracker_ points at loops_

  std::vector<uint64_t> registers;
  std::vector<LocalEvent> events;
  std::optional<ThreadRun> stopped;
  std::optional<Arrival> waiting;  // arrived at a barrier that has not passed yet

  // Runs until the thread stops or waits. `arrived` collects the arrivals of all threads.
  Expected<void> advance(std::vector<Arrival>& arrived) {
    while (!stopped && !waiting) {
      if (halt_after_ && steps_ >= *halt_after_) {
        stop(StopReason::halted);
        break;
      }
      const uint64_t before = steps_;
      if (auto r = step(arrived); !r) return r;
      if (!stopped && !waiting && steps_ == before) count_step();
    }
    return {};
  }

  ThreadRun result() {
    if (!stopped) stop(StopReason::blocked);
    stopped->trace = std::move(trace_);
    return std::move(*stopped);
  }

  void pass() {
    const Instr& in = code_.code[pc_];
    LocalEvent e = make_event(in, 0);
    e.data = sources_of(in.barrier.id);
    e.data.merge(sources_of(in.barrier.quorum));
    events.push_back(std::move(e));
    finish_event();
    waiting.reset();
    ++pc_;
    count_step();
  }

 private:
  void stop(StopReason why) {
    note();
    stopped = ThreadRun{why, pc_, steps_, {}};
  }
  void count_step() { ++steps_; }
  void note() {
    if (tracing_ && trace_.size() == steps_) trace_.push_back({pc_, registers});
  }

  Expected<void> step(std::vector<Arrival>& arrived) {
    note();
    if (pc_ >= code_.code.size()) {
      stop(StopReason::end);
      return {};
    }
    const Instr& in = code_.code[pc_];
    tracker_.at(pc_);
    for (size_t k = 0; k < loops_.size(); ++k)
      if (loops_[k].begin == pc_) at_label_[k] = registers;
    std::erase_if(scoped_ctrl_, [&](const auto& c) { return c.first <= pc_; });
    if (in.predicate != k_none && (registers[in.predicate] != 0) == in.predicate_negated) {
      // A branch that its predicate skips has been decided by it all the same.
      if (in.kind == Kind::jump || in.kind == Kind::branch) add_ctrl(in, sources_[in.predicate]);
      ++pc_;
      return {};
    }
    switch (in.kind) {
      case Kind::label:
        ++pc_;
        return {};
      case Kind::local:
        assign(in.dst, evaluate(in.value), sources_of(in.value));
        ++pc_;
        return {};
      case Kind::load:
        return load(in);
      case Kind::store:
        return store(in);
      case Kind::rmw:
        return read_modify_write(in);
      case Kind::fence:
        events.push_back(make_event(in, 0));
        ++occurrences_[pc_];
        ++pc_;
        return {};
      case Kind::barrier:
        return arrive(in, arrived);
      case Kind::jump:
      case Kind::branch:
        return jump(in);
    }
    return {};
  }

  Expected<void> load(const Instr& in) {
    LocalEvent e = make_event(in, 0);
    e.addr = sources_of(in.addr.index);
    if (auto r = place(in, e.event); !r) return r;
    if (auto r = read(e.event); !r) return r;
    const uint32_t self = static_cast<uint32_t>(events.size());
    const Event read_event = e.event;
    events.push_back(std::move(e));
    ++occurrences_[pc_];
    if (in.dst != k_none) assign(in.dst, extend(read_event.value, object_width(read_event)), {self});
    ++pc_;
    return {};
  }

  Expected<void> store(const Instr& in) {
    LocalEvent e = make_event(in, 0);
    e.addr = sources_of(in.addr.index);
    e.data = sources_of(in.value);
    if (auto r = place(in, e.event); !r) return r;
    e.event.value = evaluate(in.value) & term::mask(object_width(e.event));
    events.push_back(std::move(e));
    finish_event();
    ++pc_;
    return {};
  }

  Expected<void> read_modify_write(const Instr& in) {
    LocalEvent r = make_event(in, 0);
    r.addr = sources_of(in.addr.index);
    if (auto ok = place(in, r.event); !ok) return ok;
    if (auto ok = read(r.event); !ok) return ok;
    const uint32_t self = static_cast<uint32_t>(events.size());
    const uint64_t old = extend(r.event.value, object_width(r.event));
    LocalEvent w = make_event(in, 1);
    w.addr = r.addr;
    if (auto ok = place(in, w.event); !ok) return ok;
    bool writes = !in.guard || evaluate(in.guard, old) != 0;
    r.event.spurious = choices_.spurious.contains(r.event.key);
    if (r.event.spurious && (!writes || in.spurious == k_none))
      return misfit("nothing can fail spuriously at " + to_string(test_, r.event.key));
    const bool spurious = r.event.spurious;
    if (spurious) writes = false;
    if (!writes) r.event.tags = failed_tags(in);
    events.push_back(std::move(r));
    const uint64_t result = in.result ? evaluate(in.result, old) : old;
    Sources result_sources = in.result ? sources_of(in.result, self) : Sources{self};
    if (writes) {
      w.ctrl.merge(sources_of(in.guard, self));
      w.data = sources_of(in.value, self);
      w.event.value = evaluate(in.value, old) & term::mask(object_width(w.event));
      w.amo_read = self;
      events.push_back(std::move(w));
      tracker_.effect();
    }
    ++occurrences_[pc_];
    if (in.dst != k_none) assign(in.dst, result, std::move(result_sources));
    if (in.spurious != k_none) assign(in.spurious, spurious ? 1 : 0, {self});
    ++pc_;
    return {};
  }

  Expected<void> arrive(const Instr& in, std::vector<Arrival>& arrived) {
    Arrival a;
    a.key = {thread_, pc_, occurrences_[pc_], 0};
    a.barrier = &in.barrier;
    if (in.barrier.id) a.id = term::to_signed(evaluate(in.barrier.id), in.barrier.id.width());
    if (in.barrier.quorum) a.quorum = term::to_signed(evaluate(in.barrier.quorum), in.barrier.quorum.width());
    a.ordinal = reference::count_earlier(a, arrived);
    arrived.push_back(a);
    waiting = a;
    if (in.barrier.arrive) pass();
    return {};
  }

  Expected<void> jump(const Instr& in) {
    if (in.predicate != k_none) add_ctrl(in, sources_[in.predicate]);
    if (in.kind == Kind::branch) {
      add_ctrl(in, sources_of(in.value));
      if (evaluate(in.value) == 0) {
        ++pc_;
        return {};
      }
    }
    const uint32_t target = code_.labels[in.label].at;
    if (target <= pc_) {
      if (auto why = tracker_.jump_back(in.label, bound_.of(thread_, in.label), idle(in.label))) {
        stop(*why);
        return {};
      }
    }
    pc_ = target;
    return {};
  }

  bool idle(prog::LabelId label) const {
    if (!tracker_.quiet(label)) return false;
    const size_t k = tracker_.index(label);
    for (size_t r = 0; r < registers.size(); ++r)
      if (loops_[k].live[r] && registers[r] != at_label_[k][r]) return false;
    return true;
  }

  // ---- parts ----
  LocalEvent make_event(const Instr& in, uint32_t part) const {
    LocalEvent e;
    e.event.key = {thread_, pc_, occurrences_[pc_], part};
    e.event.tags = event_tags(in, part);
    e.event.span = in.span;
    e.step = steps_;
    e.ctrl = ctrl_;
    for (const auto& [end, s] : scoped_ctrl_) e.ctrl.insert(s.begin(), s.end());
    if (in.predicate != k_none) e.ctrl.insert(sources_[in.predicate].begin(), sources_[in.predicate].end());
    return e;
  }

  void finish_event() {
    ++occurrences_[pc_];
    tracker_.effect();
  }

  Expected<void> place(const Instr& in, Event& e) const {
    e.is_memory = true;
    e.symbol = in.addr.symbol;
    if (in.addr.symbol != k_none) {
      e.object = test_.symbols[in.addr.symbol].object;
      const uint64_t cell = in.addr.index ? evaluate(in.addr.index) : 0;
      if (cell >= test_.objects[e.object].init.size())
        return misfit("an index lies outside its object at " + to_string(test_, e.key));
      e.address = prog::address_of(e.object, cell);
      return {};
    }
    e.address = evaluate(in.addr.index);
    const auto cell = cell_at(test_, e.address);
    if (!cell) return misfit("a pointer names no memory cell at " + to_string(test_, e.key));
    e.object = cell->object;
    e.symbol = own_symbol(test_, cell->object);
    return {};
  }

  Expected<void> read(Event& e) const {
    const auto it = choices_.read_value.find(e.key);
    if (it == choices_.read_value.end()) return misfit("no value for " + to_string(test_, e.key));
    if ((it->second & ~term::mask(object_width(e))) != 0)
      return misfit("too wide a value for " + to_string(test_, e.key));
    e.value = it->second;
    return {};
  }

  uint8_t object_width(const Event& e) const { return test_.objects[e.object].width; }
  uint64_t width_mask(prog::RegId r) const { return term::mask(code_.registers[r].width); }
  static uint64_t extend(uint64_t v, uint8_t width) { return static_cast<uint64_t>(term::to_signed(v, width)); }

  // Sign-extended to 64 bits, so that it can be cut to any width of a register or cell.
  uint64_t evaluate(const term::Expr& e, std::optional<uint64_t> old = std::nullopt) const {
    const auto v = term::eval(
        e, [&](uint64_t var) -> std::optional<uint64_t> { return var == prog::k_old_value ? old : registers[var]; });
    FENCEPOST_INVARIANT(v.has_value(), "an expression of the program has no value");
    return extend(*v, e.width());
  }

  Sources sources_of(const term::Expr& e, std::optional<uint32_t> old = std::nullopt) const {
    Sources out;
    term::for_each_variable(e, [&](uint64_t var) {
      if (var == prog::k_old_value) {
        if (old) out.insert(*old);
      } else {
        out.insert(sources_[var].begin(), sources_[var].end());
      }
    });
    return out;
  }

  void assign(prog::RegId r, uint64_t value, Sources from) {
    registers[r] = value & width_mask(r);
    sources_[r] = std::move(from);
  }

  void add_ctrl(const Instr& in, const Sources& from) {
    if (in.reach == prog::CtrlReach::rest_of_thread)
      ctrl_.insert(from.begin(), from.end());
    else
      scoped_ctrl_.push_back({code_.labels[in.ctrl_end].at, from});
  }

  const prog::Test& test_;
  uint32_t thread_;
  const prog::Template& code_;
  const Choices& choices_;
  prog::LoopBounds bound_;
  bool tracing_;
  std::optional<uint64_t> halt_after_;
  uint64_t steps_ = 0;
  std::vector<Moment> trace_;
  std::vector<Loop> loops_;
  LoopTracker tracker_;
  std::vector<std::vector<uint64_t>> at_label_;  // per loop: the registers at the last time at its label
  uint32_t pc_ = 0;
  std::vector<Sources> sources_;                           // per register
  std::vector<uint32_t> occurrences_;                      // per instruction
  Sources ctrl_;                                           // reaching to the end of the thread
  std::vector<std::pair<uint32_t, Sources>> scoped_ctrl_;  // (position of the end, reads)
};

// Checks the existential choices against the events and turns them into relations.
class Binder {
 public:
  Binder(const prog::Test& test, const Choices& choices, Execution& x) : test_(test), choices_(choices), x_(x) {
    for (uint32_t i = 0; i < x.events.size(); ++i) index_.emplace(x.events[i].key, i);
  }

  Expected<void> reads_from() {
    Relation& rf = rel(Base::rf);
    for (uint32_t i = 0; i < x_.events.size(); ++i) {
      const Event& r = x_.events[i];
      if (!r.tags.has(vocab::Tag::R)) continue;
      const auto it = choices_.rf.find(r.key);
      if (it == choices_.rf.end()) return misfit("no rf for " + to_string(test_, r.key));
      const auto w = find(it->second);
      if (!w || !x_.events[*w].tags.has(vocab::Tag::W))
        return misfit("rf from what is not a write to " + to_string(test_, r.key));
      if (x_.events[*w].address != r.address) return misfit("rf between two addresses to " + to_string(test_, r.key));
      if (x_.events[*w].value != r.value) return misfit("rf with two values to " + to_string(test_, r.key));
      rf.set(*w, i);
    }
    for (const auto& [r, w] : choices_.rf)
      if (!find(r)) return misfit("rf to what does not happen, " + to_string(test_, r));
    for (const auto& [r, v] : choices_.read_value)
      if (!find(r)) return misfit("a value for what does not happen, " + to_string(test_, r));
    return {};
  }

  Expected<void> coherence() {
    Relation co(n());
    for (const auto& [a, b] : choices_.co) {
      const auto i = find(a);
      const auto j = find(b);
      if (!i || !j || !is_write(*i) || !is_write(*j) || x_.events[*i].address != x_.events[*j].address)
        return misfit("co between what are not two writes of one location, " + to_string(test_, a) + " and " +
                      to_string(test_, b));
      co.set(*i, *j);
    }
    for (uint32_t i = 0; i < n(); ++i)
      for (uint32_t j = 0; j < n(); ++j)
        if (i != j && is_write(i) && is_write(j) && x_.events[i].address == x_.events[j].address &&
            x_.events[i].tags.has(vocab::Tag::IW))
          co.set(i, j);
    co = co.closure();
    if (!co.irreflexive()) return misfit("co has a cycle");
    if (co_is_total(test_.dialect))
      for (uint32_t i = 0; i < n(); ++i)
        for (uint32_t j = i + 1; j < n(); ++j)
          if (is_write(i) && is_write(j) && x_.events[i].address == x_.events[j].address && !co.test(i, j) &&
              !co.test(j, i))
            return misfit("co does not order " + to_string(test_, x_.events[i].key) + " and " +
                          to_string(test_, x_.events[j].key));
    rel(Base::co) = std::move(co);
    return {};
  }

  Expected<void> fences() {
    if (!has_fence_order(test_.dialect)) {
      if (!choices_.fence_order.empty() || !choices_.sync_fence_free.empty())
        return misfit("this dialect has no fence order");
      return {};
    }
    Relation& fsc = rel(Base::fsc);
    for (const auto& [a, b] : choices_.fence_order) {
      const auto i = find(a);
      const auto j = find(b);
      if (!i || !j || *i == *j || !is_sc_fence(x_.events[*i]) || !is_sc_fence(x_.events[*j]) ||
          !rel(Base::sr).test(*i, *j))
        return misfit("a fence order between what are not two SC fences in each other's scope");
      fsc.set(*i, *j);
    }
    for (uint32_t i = 0; i < n(); ++i)
      for (uint32_t j = i + 1; j < n(); ++j)
        if (is_sc_fence(x_.events[i]) && is_sc_fence(x_.events[j]) && rel(Base::sr).test(i, j) &&
            fsc.test(i, j) == fsc.test(j, i))
          return misfit("two SC fences in each other's scope need exactly one order");
    if (!fsc.acyclic()) return misfit("the fence order has a cycle");
    Relation all = fsc;
    for (const auto& [a, b] : choices_.sync_fence_free) {
      const auto i = find(a);
      const auto j = find(b);
      if (!i || !j || *i == *j || !is_sc_fence(x_.events[*i]) || !is_sc_fence(x_.events[*j]) ||
          rel(Base::sr).test(*i, *j))
        return misfit("a free sync_fence pair that is not two SC fences out of scope");
      all.set(*i, *j);
    }
    rel(Base::sync_fence) = std::move(all);
    return {};
  }

  // `arrived`: all arrivals; those whose event exists have passed.
  Expected<void> barriers(const std::vector<Arrival>& arrived) {
    std::set<EventKey> members;
    for (const EventKey& k : choices_.quorum_members) {
      if (std::none_of(arrived.begin(), arrived.end(), [&](const Arrival& a) { return a.key == k; }))
        return misfit("a quorum member that has not arrived, " + to_string(test_, k));
      members.insert(k);
    }
    for (const Arrival& a : arrived) {
      const auto i = find(a.key);
      if (!i) continue;
      if (a.quorum && !a.barrier->arrive) {
        int64_t size = 0;
        for (const Arrival& b : arrived)
          if (members.contains(b.key) && same_group(test_, a, b) && equal_ids(a, b)) ++size;
        if (size < *a.quorum) return misfit("too small a quorum for " + to_string(test_, a.key));
      }
      for (const Arrival& b : arrived)
        if (const auto j = find(b.key); j && synchronizes(test_, a, b, members.contains(a.key)))
          rel(Base::syncbar).set(*i, *j);
    }
    return {};
  }

  // The last write of every cell; under a partial co the chosen one of the maximal ones.
  Expected<void> final_memory() {
    x_.final.memory.clear();
    for (const prog::Object& o : test_.objects) x_.final.memory.emplace_back(o.init.size(), 0);
    for (prog::ObjectId o = 0; o < test_.objects.size(); ++o)
      for (uint64_t c = 0; c < test_.objects[o].init.size(); ++c) {
        const uint64_t address = prog::address_of(o, c);
        const auto maximal = [&](uint32_t i) {
          if (!is_write(i) || x_.events[i].address != address) return false;
          for (uint32_t j = 0; j < n(); ++j)
            if (rel(Base::co).test(i, j)) return false;
          return true;
        };
        std::optional<uint32_t> chosen;
        if (const auto it = choices_.final_write.find({o, c}); it != choices_.final_write.end()) {
          chosen = find(it->second);
          if (!chosen || !maximal(*chosen))
            return misfit("the final write of " + test_.objects[o].name + " is not the last in co");
        } else {
          for (uint32_t i = 0; i < n() && !chosen; ++i)
            if (maximal(i)) chosen = i;
        }
        FENCEPOST_INVARIANT(chosen.has_value(), "a location has no last write");
        x_.final.memory[o][c] = x_.events[*chosen].value;
      }
    return {};
  }

 private:
  uint32_t n() const { return static_cast<uint32_t>(x_.events.size()); }
  Relation& rel(Base b) { return x_.base[static_cast<size_t>(b)]; }
  bool is_write(uint32_t i) const { return x_.events[i].tags.has(vocab::Tag::W); }
  std::optional<uint32_t> find(const EventKey& k) const {
    const auto it = index_.find(k);
    return it == index_.end() ? std::nullopt : std::optional(it->second);
  }

  const prog::Test& test_;
  const Choices& choices_;
  Execution& x_;
  std::map<EventKey, uint32_t> index_;
};

// Events of all threads behind the Init events, with their dependencies by global index.
std::vector<Relation> collect(const prog::Test& test, const Choices& choices,
                              const std::deque<ThreadInterpreter>& threads, std::vector<Event>& events,
                              std::vector<uint64_t>& step) {
  events = init_events(test);
  for (Event& e : events) {
    const prog::Object& o = test.objects[e.object];
    if (e.key.occurrence >= o.undefined.size() || !o.undefined[e.key.occurrence]) continue;
    const auto chosen = choices.init_value.find(e.key);
    e.value = chosen == choices.init_value.end() ? 0 : chosen->second & term::mask(o.width);
  }
  step.assign(events.size(), 0);
  Dependencies deps;
  for (const ThreadInterpreter& t : threads) {
    const uint32_t first = static_cast<uint32_t>(events.size());
    for (const LocalEvent& e : t.events) {
      const uint32_t self = static_cast<uint32_t>(events.size());
      for (uint32_t s : e.data) deps.data.push_back({first + s, self});
      for (uint32_t s : e.addr) deps.addr.push_back({first + s, self});
      for (uint32_t s : e.ctrl) deps.ctrl.push_back({first + s, self});
      if (e.amo_read) deps.amo.push_back({first + *e.amo_read, self});
      events.push_back(e.event);
      step.push_back(e.step);
    }
  }
  return fixed_relations(test, events, deps);
}

}  // namespace

const char* name(StopReason r) {
  switch (r) {
    case StopReason::end:
      return "end";
    case StopReason::spin:
      return "spin";
    case StopReason::cut:
      return "cut";
    case StopReason::blocked:
      return "blocked";
    case StopReason::halted:
      return "halted";
  }
  return "end";
}

bool co_is_total(vocab::Dialect d) { return d != vocab::Dialect::ptx; }

Expected<RunResult> run(const prog::Test& test, const Choices& choices, const RunOptions& options) {
  const auto observable = observable_registers(test);
  std::deque<ThreadInterpreter> threads;
  for (uint32_t t = 0; t < test.threads.size(); ++t)
    threads.emplace_back(test, t, choices, options, find_loops(test.code(t), observable[t]));

  std::vector<Arrival> arrived;
  for (bool moved = true; moved;) {
    moved = false;
    for (ThreadInterpreter& t : threads) {
      const size_t before = arrived.size();
      if (auto r = t.advance(arrived); !r) return std::unexpected(r.error());
      moved = moved || arrived.size() != before;  // an `arrive` may release a thread that was looked at before
      if (t.waiting && passes(test, *t.waiting, arrived)) {
        t.pass();
        moved = true;
      }
    }
  }

  RunResult out;
  Execution& x = out.execution;
  for (ThreadInterpreter& t : threads) {
    out.threads.push_back(t.result());
    x.thread_complete.push_back(out.threads.back().stop == StopReason::end);
    x.final.registers.push_back(t.registers);
  }
  x.base = collect(test, choices, threads, x.events, out.step);

  Binder binder(test, choices, x);
  if (auto r = binder.reads_from(); !r) return std::unexpected(r.error());
  if (auto r = binder.coherence(); !r) return std::unexpected(r.error());
  if (auto r = binder.fences(); !r) return std::unexpected(r.error());
  if (auto r = binder.barriers(arrived); !r) return std::unexpected(r.error());
  if (auto r = binder.final_memory(); !r) return std::unexpected(r.error());
  return out;
}

}  // namespace fencepost::reference

// The machine: threads with frames, a scheduler that runs them from barrier to barrier, the log of accesses.
// The file is long since a run is one class: its state is shared by all of its parts.
#include "interp/interp.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <type_traits>

#include "base/job.h"
#include "interp/lockstep.h"
#include "interp/memory.h"

namespace fencepost::interp {

using namespace kir;

const char* name(DefectKind k) {
  static constexpr const char* k_names[] = {"race",        "divergence",    "assertion",      "precondition",
                                            "null_access", "out_of_bounds", "constant_write", "deadlock"};
  return k_names[static_cast<uint8_t>(k)];
}

namespace {

struct Frame {
  FunctionId function;
  BlockId block, from;
  uint32_t next = 0;                 // instruction
  uint64_t activation = 0;           // of the call: private variables are its own
  std::vector<uint32_t> iterations;  // of its loops; only kept in lock-step
  std::vector<Val> values;
};

// One barrier that a thread has passed: what it said about its fences.
struct Passed {
  bool local = false, global = false;
};

struct Thread {
  ThreadName who;
  uint32_t number = 0, group = 0, flat = 0, warp = 0;
  std::vector<Frame> frames;
  enum State : uint8_t { running, waiting, done } state = running;
  uint64_t at_barrier = 0;  // where: a hash of call stack and instruction
  const kir::Barrier* barrier = nullptr;
  PlaceId barrier_place;
  ValueId barrier_result;
  Passed flags;
  uint64_t barrier_name = 0, mask = 0;
  bool predicate = false;
  uint64_t grid_epoch = 0;
  std::vector<uint32_t> warp_meetings;        // numbers of the warp barriers that it took part in, rising
  std::vector<Passed> passed;                 // group barriers, in order
  uint64_t instant = 0;                       // of lock-step: of the instruction that is executed
  std::vector<uint64_t> common;               // by lane: the last instant that both were in
  std::map<uint32_t, uint64_t> site_instant;  // the parts of an access are made at the instant of its first
  uint64_t any_count = 0;
};

struct Logged {
  AccessRecord record;
  uint32_t thread = 0, group = 0, warp = 0, instance = 0;
  uint32_t barriers = 0;  // group barriers passed before it
  uint32_t meetings = 0;  // warp barriers
  uint64_t grid_epoch = 0, instant = 0;
};

class Run {
 public:
  Run(const kir::Module& m, FunctionId kernel, const Shape& shape, const Inputs& inputs, const Limits& limits)
      : m_(m),
        kernel_(kernel),
        shape_(shape),
        inputs_(inputs),
        limits_(limits),
        memory_(m, inputs_, limits_),
        rng_(inputs.seed) {}

  Outcome go() {
    if (!start()) return std::move(out_);
    while (!over()) {
      std::vector<uint32_t> ready;
      for (const Thread& t : threads_)
        if (t.state == Thread::running) ready.push_back(t.number);
      if (ready.empty()) {
        if (!open_barriers()) break;
        continue;
      }
      for (size_t i = ready.size(); i > 1; --i) std::swap(ready[i - 1], ready[rng_.below(i)]);
      for (const uint32_t n : ready) {
        if (shape_.lock_step)
          warp_turn(threads_[n]);
        else
          turn(threads_[n]);
        if (over()) break;
      }
    }
    out_.steps = steps_;
    return std::move(out_);
  }

 private:
  bool over() const { return out_.status != Outcome::ended || stop_; }
  void finish(Outcome::Status s, std::string detail = {}) {
    if (out_.status != Outcome::ended) return;
    out_.status = s;
    out_.detail = std::move(detail);
  }
  void defect(Defect d) {
    out_.defects.push_back(std::move(d));
    finish(Outcome::stopped);
  }

  // ---- threads -------------------------------------------------------------------------------------------------
  bool start() {
    const Function& f = m_.function(kernel_);
    uint64_t total = 1;
    for (int d = 0; d < 3; ++d)
      total *= static_cast<uint64_t>(shape_.local_size[d]) * (shape_.groups.empty() ? shape_.num_groups[d] : 1);
    if (!shape_.groups.empty()) total *= shape_.groups.size();
    if (total > limits_.threads) {
      finish(Outcome::gave_up, fmt::format("{} threads are more than {}", total, limits_.threads));
      return false;
    }
    Frame frame{.function = kernel_, .block = {0}};
    if (shape_.lock_step) frame.iterations.assign(line(kernel_).cfg().loops().size(), 0);
    frame.values.resize(f.values.size());
    for (uint32_t v = 0; v < f.values.size(); ++v)
      if (f.values[v].kind == Value::parameter) {
        const Parameter& p = f.parameters[f.values[v].index];
        const auto given = inputs_.arguments.find(f.values[v].index);
        if (!p.region)
          frame.values[v].bits =
              (given != inputs_.arguments.end() ? given->second : memory_.drawn(mix(inputs_.seed, 77), v)) &
              mask(p.type.width);
      }
    const uint32_t group_size = shape_.local_size[0] * shape_.local_size[1] * shape_.local_size[2];
    std::vector<std::array<uint32_t, 3>> groups = shape_.groups;
    if (groups.empty())
      for (uint32_t gz = 0; gz < shape_.num_groups[2]; ++gz)
        for (uint32_t gy = 0; gy < shape_.num_groups[1]; ++gy)
          for (uint32_t gx = 0; gx < shape_.num_groups[0]; ++gx) groups.push_back({gx, gy, gz});
    uint32_t group = 0;
    for (const auto& [gx, gy, gz] : groups) {
      for (uint32_t flat = 0; flat < group_size; ++flat) {
        Thread t;
        t.number = static_cast<uint32_t>(threads_.size());
        t.group = group;
        t.flat = flat;
        t.warp = flat / std::max(1u, shape_.warp_size);
        t.who.group = {gx, gy, gz};
        t.who.local = {flat % shape_.local_size[0], flat / shape_.local_size[0] % shape_.local_size[1],
                       flat / shape_.local_size[0] / shape_.local_size[1]};
        t.frames.push_back(frame);
        threads_.push_back(std::move(t));
      }
      ++group;
    }
    group_count_ = group;
    for (Thread& t : threads_) bind_parameters(t);
    return true;
  }

  // Pointer parameters of the kernel point to this thread's instance of their region.
  void bind_parameters(Thread& t) {
    const Function& f = m_.function(kernel_);
    for (uint32_t v = 0; v < f.values.size(); ++v)
      if (f.values[v].kind == Value::parameter && f.parameters[f.values[v].index].region)
        t.frames[0].values[v] = base_of(t, t.frames[0], f.parameters[f.values[v].index].region);
  }

  Val base_of(const Thread& t, const Frame& f, RegionId r) {
    const Region& region = m_.region(r);
    uint64_t owner = 0;
    if (region.space == Space::group) owner = t.group;
    if (region.space == Space::private_) owner = (uint64_t{1} << 32) * (f.activation + 1) + t.number;
    return {.kind = Val::pointer, .instance = memory_.instance(r, owner)};
  }

  // ---- barriers -------------------------------------------------------------------------------------------------
  // No thread can go on: whoever waits for what is complete goes on; else the run is at an end, or the kernel at fault.
  bool open_barriers() {
    bool waiting = false, opened = false;
    for (const Thread& t : threads_) waiting = waiting || t.state == Thread::waiting;
    if (!waiting) return false;
    // Warp barriers first, since they ask the least.
    std::map<std::pair<uint32_t, uint32_t>, std::vector<Thread*>> warps;
    for (Thread& t : threads_) warps[{t.group, t.warp}].push_back(&t);
    for (auto& [key, members] : warps) {
      std::vector<Thread*> here;
      for (Thread* t : members)
        if (t->state == Thread::waiting && t->barrier->scope == Scope::warp) here.push_back(t);
      for (Thread* t : here) {
        std::vector<Thread*> meet;
        bool all = true;
        for (Thread* u : members) {
          if ((t->mask >> (u->flat % std::max(1u, shape_.warp_size)) & 1) == 0 || u->state == Thread::done) continue;
          if (u->state == Thread::waiting && u->barrier->scope == Scope::warp && u->mask == t->mask)
            meet.push_back(u);
          else
            all = false;
        }
        if (!all || meet.empty() || t->state != Thread::waiting) continue;
        ++meetings_;
        for (Thread* u : meet) {
          u->warp_meetings.push_back(meetings_);
          u->state = Thread::running;
        }
        opened = true;
      }
    }
    if (opened) return true;
    // Barriers of groups.
    bool grid = true;
    for (uint32_t g = 0; g < group_count_; ++g) {
      std::vector<Thread*> here, ended;
      for (Thread& t : threads_) {
        if (t.group != g) continue;
        (t.state == Thread::waiting ? here : ended).push_back(&t);
        grid = grid && (t.state == Thread::done || t.barrier->scope == Scope::device);
      }
      if (here.empty()) continue;
      if (here[0]->barrier->scope == Scope::device) {
        for (Thread* t : here)
          if (t->at_barrier != here[0]->at_barrier) return diverge(*here[0], *t);
        continue;
      }
      if (here[0]->barrier->scope == Scope::warp) return stuck(*here[0]);
      for (Thread* t : here)
        if (t->at_barrier != here[0]->at_barrier || t->barrier_name != here[0]->barrier_name)
          return diverge(*here[0], *t);
      if (!ended.empty()) return diverge(*here[0], *ended[0]);
      open(here);
      opened = true;
    }
    if (opened) return true;
    if (!grid)
      return stuck(
          *std::find_if(threads_.begin(), threads_.end(), [](const Thread& t) { return t.state == Thread::waiting; }));
    // All that is left waits for the grid.
    if (!shape_.groups.empty()) {
      finish(Outcome::gave_up, "a barrier of the grid, of which only some groups run");
      return false;
    }
    Thread* first = nullptr;
    for (Thread& t : threads_)
      if (t.state == Thread::waiting) first = first == nullptr ? &t : first;
    for (Thread& t : threads_)
      if (t.state == Thread::done || t.at_barrier != first->at_barrier) return diverge(*first, t);
    for (Thread& t : threads_) {
      ++t.grid_epoch;
      t.passed.push_back(t.flags);
      t.state = Thread::running;
    }
    return true;
  }

  void open(const std::vector<Thread*>& group) {
    uint64_t count = 0;
    for (const Thread* t : group) count += t->predicate ? 1 : 0;
    for (Thread* t : group) {
      t->passed.push_back(t->flags);
      t->state = Thread::running;
      if (t->barrier_result) {
        const auto how = t->barrier->reduce;
        t->frames.back().values[t->barrier_result.index] = {.bits = how == kir::Barrier::count_true ? count
                                                                    : how == kir::Barrier::all_true
                                                                        ? count == group.size()
                                                                        : count > 0};
      }
    }
  }

  bool diverge(const Thread& a, const Thread& b) {
    defect({.kind = DefectKind::divergence, .place = a.barrier_place, .thread = a.who, .other = b.who});
    return false;
  }
  bool stuck(const Thread& t) {
    defect({.kind = DefectKind::deadlock, .place = t.barrier_place, .thread = t.who});
    return false;
  }

  // ---- steps ----------------------------------------------------------------------------------------------------
  void turn(Thread& t) {
    for (uint32_t n = 0; n < limits_.turn && t.state == Thread::running && !over(); ++n) {
      if (++steps_ > limits_.steps) return finish(Outcome::gave_up, "the limit of steps is reached");
      step(t);
    }
  }

  // The warp of a thread, in lock-step, until no thread of it can go on or its turn is used up.
  void warp_turn(const Thread& one) {
    std::vector<Thread*> members;
    for (Thread& t : threads_)
      if (t.group == one.group && t.warp == one.warp) members.push_back(&t);
    for (uint32_t n = 0; n < limits_.turn && !over();) {
      std::vector<Thread*> now;
      std::vector<uint64_t> least;
      for (Thread* t : members) {
        if (t->state != Thread::running) continue;
        std::vector<uint64_t> key = place_of(*t);
        if (!now.empty() && behind(least, key)) continue;
        if (now.empty() || behind(key, least)) {
          now.clear();
          least = std::move(key);
        }
        now.push_back(t);
      }
      if (now.empty()) return;
      ++instants_;
      for (Thread* t : now) {
        t->instant = instants_;
        t->common.resize(members.size());
        for (const Thread* u : now) t->common[u->flat - members[0]->flat] = instants_;
      }
      for (Thread* t : now) {
        if (over()) return;
        ++n;
        if (++steps_ > limits_.steps) return finish(Outcome::gave_up, "the limit of steps is reached");
        step(*t);
      }
    }
  }

  std::vector<uint64_t> place_of(const Thread& t) {
    std::vector<uint64_t> key;
    for (const Frame& f : t.frames) {
      key.push_back(f.function.index);
      line(f.function).key(f.block, f.iterations, key);
      key.push_back(f.next);
    }
    return key;
  }

  const Line& line(FunctionId f) {
    std::unique_ptr<Line>& l = lines_[f.index];
    if (l == nullptr) l = std::make_unique<Line>(m_.function(f));
    return *l;
  }

  Val get(Thread& t, ValueId v) {
    Frame& f = t.frames.back();
    const Value& x = m_.function(f.function).value(v);
    switch (x.kind) {
      case Value::constant:
        return {.kind = x.type.kind == Type::pointer ? Val::pointer : Val::number, .bits = x.constant_bits};
      case Value::region_address:
        return base_of(t, f, x.region);
      case Value::function_address:
        return {.kind = Val::function, .bits = x.function.index};
      default:
        return f.values[v.index];
    }
  }
  uint32_t width(const Thread& t, ValueId v) const { return m_.function(t.frames.back().function).value(v).type.width; }

  void step(Thread& t) {
    Frame& f = t.frames.back();
    const Block& b = m_.function(f.function).blocks[f.block.index];
    if (f.next < b.instructions.size()) {
      const Instruction& i = b.instructions[f.next];
      if (std::holds_alternative<Phi>(i.action)) return phis(t, b);
      ++f.next;
      place_ = i.place;
      std::visit([&](const auto& a) { execute(t, i, a); }, i.action);
      return;
    }
    place_ = b.place;
    std::visit([&](const auto& x) { leave(t, x); }, b.terminator);
  }

  // All phis of a block at once: they read the values of before.
  void phis(Thread& t, const Block& b) {
    Frame& f = t.frames.back();
    std::vector<std::pair<ValueId, Val>> made;
    while (f.next < b.instructions.size()) {
      const Instruction& i = b.instructions[f.next];
      const auto* p = std::get_if<Phi>(&i.action);
      if (p == nullptr) break;
      for (const Phi::Entry& e : p->entries)
        if (e.from == f.from) made.push_back({i.results[0], get(t, e.value)});
      ++f.next;
    }
    for (const auto& [r, v] : made) f.values[r.index] = v;
  }

  void jump(Thread& t, BlockId to) {
    Frame& f = t.frames.back();
    if (shape_.lock_step) line(f.function).pass(f.block, to, f.iterations);
    f.from = f.block;
    f.block = to;
    f.next = 0;
  }
  void leave(Thread& t, const Jump& j) { jump(t, j.to); }
  void leave(Thread& t, const Branch& b) {
    const Val c = get(t, b.condition);
    if (c.unknown) return finish(Outcome::unsupported, "a branch on a value that only the prover knows");
    jump(t, c.bits != 0 ? b.then_ : b.else_);
  }
  void leave(Thread& t, const Switch& s) {
    const uint64_t v = get(t, s.value).bits;
    for (const auto& [value, to] : s.cases)
      if (value == v) return jump(t, to);
    jump(t, s.otherwise);
  }
  void leave(Thread& t, const Return& r) {
    std::vector<Val> values;
    for (const ValueId v : r.values) values.push_back(get(t, v));
    t.frames.pop_back();
    if (t.frames.empty()) {
      t.state = Thread::done;
      return;
    }
    Frame& f = t.frames.back();
    const Instruction& call = m_.function(f.function).blocks[f.block.index].instructions[f.next - 1];
    for (size_t k = 0; k < call.results.size(); ++k) f.values[call.results[k].index] = values[k];
  }
  void leave(Thread& t, const Unreachable&) {
    defect({.kind = DefectKind::assertion, .place = place_, .thread = t.who});
  }
  void leave(Thread& t, const Trap&) {
    t.state = Thread::done;
    stop_ = true;  // the kernel ends here
  }

  void set(Thread& t, const Instruction& i, Val v) {
    if (i.results.empty()) return;
    if (v.kind == Val::number) v.bits &= mask(width(t, i.results[0]));
    t.frames.back().values[i.results[0].index] = v;
  }

  void execute(Thread&, const Instruction&, const Phi&) {}

  void execute(Thread& t, const Instruction& i, const Compute& c) {
    std::vector<Val> x;
    bool unknown = false;
    for (const ValueId v : c.operands) {
      x.push_back(get(t, v));
      unknown = unknown || x.back().unknown;
    }
    const uint32_t w = width(t, i.results[0]);
    Val r;
    switch (c.op) {
      case Op::ite:
        r = x[0].bits != 0 ? x[1] : x[2];
        r.unknown = x[0].unknown || r.unknown;
        return set(t, i, r);
      case Op::id:
        return set(t, i, {.bits = id(t, static_cast<IdKind>(c.imm), c.dimension)});
      case Op::any: {
        const bool pointer = m_.function(t.frames.back().function).value(i.results[0]).type.kind == Type::pointer;
        const uint64_t n = mix(mix(inputs_.seed, 0x5eed), mix(t.number, t.any_count++));
        r.bits = memory_.drawn(n, 0) | (w > 32 ? memory_.drawn(n, 1) << 32 : 0);
        if (pointer) r = {.kind = Val::pointer};
        return set(t, i, r);
      }
      case Op::pointer_add:
        r = x[0];
        r.kind = Val::pointer;
        r.bits = (r.bits + static_cast<uint64_t>(to_signed(x[1].bits, m_.pointer_bits))) & mask(m_.pointer_bits);
        r.unknown = unknown;
        return set(t, i, r);
      case Op::pointer_eq:
        return set(t, i,
                   {.unknown = unknown,
                    .bits = x[0].kind == x[1].kind && x[0].instance == x[1].instance && x[0].bits == x[1].bits});
      case Op::pointer_ult:
        return set(t, i,
                   {.unknown = unknown,
                    .bits = x[0].instance != x[1].instance ? x[0].instance < x[1].instance : x[0].bits < x[1].bits});
      case Op::pointer_to_bits:
        return set(t, i, {.unknown = unknown, .bits = memory_.address(x[0])});
      case Op::bits_to_pointer:
        r = memory_.pointer(x[0].bits);
        r.unknown = unknown;
        return set(t, i, r);
      case Op::pointer_offset:
        return set(t, i, {.unknown = unknown, .bits = x[0].bits});
      case Op::pointer_base:
        return set(t, i,
                   {.unknown = unknown, .bits = x[0].instance == 0 ? 0 : memory_.at(x[0].instance).region.index + 1});
      case Op::enabled:
        return set(t, i, {.bits = 1});
      case Op::other:
      case Op::dominator_enabled:
      case Op::old:
      case Op::return_value:
      case Op::accessed:
      case Op::access_offset:
      case Op::taken_value:
        return set(t, i, {.unknown = true});
      case Op::no_overflow_add: {
        const uint32_t ow = width(t, c.operands[0]);
        __int128 sum = 0;
        for (const Val& v : x)
          sum += c.imm != 0 ? static_cast<__int128>(to_signed(v.bits, ow)) : static_cast<__int128>(v.bits);
        const __int128 high = c.imm != 0 ? static_cast<__int128>(mask(ow) >> 1) : static_cast<__int128>(mask(ow));
        const __int128 low = c.imm != 0 ? -high - 1 : 0;
        return set(t, i, {.unknown = unknown, .bits = sum >= low && sum <= high});
      }
      case Op::concat:
        return set(t, i, {.unknown = unknown, .bits = x[0].bits << width(t, c.operands[1]) | x[1].bits});
      case Op::function: {
        std::vector<uint64_t> values;
        std::vector<uint32_t> widths;
        for (size_t k = 0; k < x.size(); ++k) {
          values.push_back(x[k].kind == Val::number ? x[k].bits : memory_.address(x[k]));
          widths.push_back(width(t, c.operands[k]));
        }
        bool known = false;
        r.bits = evaluate_function(m_.symbols[c.symbol.index], values, widths, w, known);
        if (!known) out_.made_up = true;
        r.unknown = unknown;
        return set(t, i, r);
      }
      default: {
        std::vector<uint64_t> values;
        for (const Val& v : x) values.push_back(v.kind == Val::number ? v.bits : memory_.address(v));
        return set(
            t, i,
            {.unknown = unknown, .bits = evaluate(c, values, c.operands.empty() ? w : width(t, c.operands[0]), w)});
      }
    }
  }

  uint64_t id(const Thread& t, IdKind k, uint32_t d) const {
    switch (k) {
      case IdKind::local_id:
        return t.who.local[d];
      case IdKind::group_id:
        return t.who.group[d];
      case IdKind::local_size:
        return shape_.local_size[d];
      case IdKind::num_groups:
        return shape_.num_groups[d];
      case IdKind::global_offset:
        return shape_.global_offset[d];
      case IdKind::work_dim:
        return shape_.work_dim;
      case IdKind::lane:
        return t.flat % std::max(1u, shape_.warp_size);
      case IdKind::warp:
        return t.warp;
      case IdKind::warp_size:
        return shape_.warp_size;
      case IdKind::num_warps:
        return (shape_.local_size[0] * shape_.local_size[1] * shape_.local_size[2] + shape_.warp_size - 1) /
               std::max(1u, shape_.warp_size);
    }
    return 0;
  }

  // ---- accesses -------------------------------------------------------------------------------------------------
  // False when the access is a defect, or outside of what a run keeps.
  bool valid(Thread& t, const Val& p, uint32_t bytes, AccessKind kind) {
    if (p.unknown) {
      finish(Outcome::unsupported, "an access through a pointer that only the prover knows");
      return false;
    }
    if (p.kind != Val::pointer || p.instance == 0) {
      defect({.kind = DefectKind::null_access, .place = place_, .thread = t.who});
      return false;
    }
    const Instance& x = memory_.at(p.instance);
    if (x.size && (p.bits >= *x.size || p.bits + bytes > *x.size)) {
      Defect d{.kind = DefectKind::out_of_bounds, .region = x.region, .place = place_, .thread = t.who};
      d.first = {.thread = t.who, .kind = kind, .place = place_, .offset = p.bits, .bytes = bytes};
      defect(std::move(d));
      return false;
    }
    if (kind != AccessKind::read && m_.region(x.region).space == Space::constant) {
      defect({.kind = DefectKind::constant_write, .region = x.region, .place = place_, .thread = t.who});
      return false;
    }
    return true;
  }

  bool ordered(const Logged& a, const Logged& b, Space space) {
    if (a.thread == b.thread) return true;
    if (a.grid_epoch != b.grid_epoch) {
      // Grid barriers order like others: both passed one between, with flags for the space.
      return true;
    }
    if (a.group != b.group) return false;
    if (a.warp == b.warp && (met(a, b) || in_step(a, b))) return true;
    const auto [low, high] = std::minmax(a.barriers, b.barriers);
    const auto& pa = threads_[a.thread].passed;
    const auto& pb = threads_[b.thread].passed;
    for (uint32_t k = low; k < high && k < pa.size() && k < pb.size(); ++k) {
      const bool local = pa[k].local && pb[k].local, global = pa[k].global && pb[k].global;
      if (space == Space::group ? local : global) return true;
    }
    return false;
  }

  // A warp barrier that both took part in, the first thread after its access and the second before its own.
  bool met(const Logged& a, const Logged& b) const {
    const auto &x = threads_[a.thread].warp_meetings, &y = threads_[b.thread].warp_meetings;
    for (size_t i = a.meetings; i < x.size(); ++i)
      if (std::binary_search(y.begin(), y.begin() + b.meetings, x[i])) return true;
    return false;
  }

  bool in_step(const Logged& a, const Logged& b) const {
    if (!shape_.lock_step || a.instant == b.instant) return false;
    const Thread &t = threads_[a.thread], &u = threads_[b.thread];
    const uint32_t first = t.flat - t.flat % std::max(1u, shape_.warp_size);
    return u.flat - first < t.common.size() && t.common[u.flat - first] >= std::min(a.instant, b.instant);
  }

  void log(Thread& t, const Access& a, const Val& p, AccessKind kind, uint64_t value, uint64_t old, Scope scope) {
    const Space space = m_.region(memory_.at(p.instance).region).space;
    if (space == Space::private_ || space == Space::constant) return;
    Logged now;
    now.record = {.thread = t.who,
                  .kind = kind,
                  .place = place_,
                  .site = a.site,
                  .offset = p.bits,
                  .bytes = a.bytes,
                  .value = value,
                  .changes = kind == AccessKind::read || value != old,
                  .scope = scope};
    now.thread = t.number;
    now.group = t.group;
    now.warp = t.warp;
    now.instance = p.instance;
    now.barriers = static_cast<uint32_t>(t.passed.size());
    now.grid_epoch = t.grid_epoch;
    now.meetings = static_cast<uint32_t>(t.warp_meetings.size());
    if (shape_.lock_step) {
      uint64_t& made = t.site_instant[a.site];
      if (a.part == 0 || made == 0) made = t.instant;
      now.instant = made;
    }
    const auto number = static_cast<uint32_t>(log_.size());
    bool kept = false;
    Instance& x = memory_.at(p.instance);
    for (uint32_t k = 0; k < a.bytes; ++k) {
      // What the same thread did here already in this interval, with the same value, tells nothing new.
      uint64_t h = mix(
          p.bits + k,
          mix(now.thread, mix(a.site, mix(static_cast<uint64_t>(kind),
                                          mix(now.barriers, mix(now.grid_epoch, mix(now.meetings, now.instant)))))));
      if (kind != AccessKind::read) h = mix(h, value);
      if (!x.seen.insert(h).second) continue;
      Instance::Touched& at = x.touched[p.bits + k];
      const auto against = [&](const std::vector<uint32_t>& list) {
        for (const uint32_t n : list) {
          const Logged& before = log_[n];
          if (before.thread != now.thread && conflict(before.record, now.record, before.group != now.group) &&
              !ordered(before, now, space))
            race(before, now, p.bits + k);
        }
      };
      against(at.others);
      if (kind != AccessKind::read) against(at.reads);
      (kind == AccessKind::read ? at.reads : at.others).push_back(number);
      kept = true;
    }
    if (kept) log_.push_back(std::move(now));
  }

  static bool conflict(const AccessRecord& a, const AccessRecord& b, bool groups_differ) {
    if (a.kind == AccessKind::read && b.kind == AccessKind::read) return false;
    if (a.kind == AccessKind::atomic && b.kind == AccessKind::atomic) {
      // Atomic for each other only within the scope that both name.
      const auto narrow = [&](Scope s) {
        return s == Scope::thread || (groups_differ && (s == Scope::group || s == Scope::warp));
      };
      return narrow(a.scope) || narrow(b.scope);
    }
    return true;
  }

  // The reader wrote this value here itself, with no barrier since: it reads the same with or without the other's
  // write.
  bool wrote_itself(const Logged& reader, uint64_t byte, uint64_t value) {
    for (const uint32_t n : memory_.at(reader.instance).touched[byte].others) {
      const Logged& w = log_[n];
      if (w.thread == reader.thread && w.record.kind == AccessKind::write && w.barriers == reader.barriers &&
          (w.record.value >> (8 * (byte - w.record.offset)) & 255) == value)
        return true;
    }
    return false;
  }

  void race(const Logged& a, const Logged& b, uint64_t byte) {
    const RegionId region = memory_.at(a.instance).region;
    Defect d{.kind = DefectKind::race,
             .region = region,
             .first = a.record,
             .second = b.record,
             .place = b.record.place,
             .byte = byte,
             .thread = b.record.thread,
             .other = a.record.thread};
    const auto part = [&](const AccessRecord& r) { return r.value >> (8 * (byte - r.offset)) & 255; };
    if (a.record.kind == AccessKind::write && b.record.kind == AccessKind::write)
      d.same_value = part(a.record) == part(b.record);
    if (a.record.kind == AccessKind::write && b.record.kind == AccessKind::read)
      d.same_value = !a.record.changes || wrote_itself(b, byte, part(a.record));
    if (a.record.kind == AccessKind::read && b.record.kind == AccessKind::write) d.same_value = !b.record.changes;
    // One of each pair of sites; one that counts takes the place of a benign one.
    const auto key =
        std::tuple(std::min(a.record.site, b.record.site), std::max(a.record.site, b.record.site), region.index);
    const auto [it, fresh] = races_.try_emplace(key, out_.defects.size());
    if (fresh)
      out_.defects.push_back(std::move(d));
    else if (out_.defects[it->second].same_value && !d.same_value)
      out_.defects[it->second] = std::move(d);
  }

  void execute(Thread& t, const Instruction& i, const Load& l) {
    const Val p = get(t, l.access.pointer);
    const bool pointer = m_.function(t.frames.back().function).value(i.results[0]).type.kind == Type::pointer;
    if (l.spec) {  // an annotation may look anywhere
      if (p.unknown || p.instance == 0) return set(t, i, {.unknown = true});
      return set(t, i, memory_.read(p.instance, p.bits, l.access.bytes, pointer));
    }
    if (!valid(t, p, l.access.bytes, AccessKind::read)) return;
    const Val v = memory_.read(p.instance, p.bits, l.access.bytes, pointer);
    set(t, i, v);
    log(t, l.access, p, AccessKind::read, v.bits, v.bits, Scope::device);
  }

  void execute(Thread& t, const Instruction&, const Store& s) {
    const Val p = get(t, s.access.pointer), v = get(t, s.value);
    if (!valid(t, p, s.access.bytes, AccessKind::write)) return;
    const Val old = memory_.read(p.instance, p.bits, s.access.bytes, false);
    const uint64_t bits = v.kind == Val::number ? v.bits : memory_.address(v);
    memory_.write(p.instance, p.bits, s.access.bytes, v);
    log(t, s.access, p, AccessKind::write, bits, old.kind == Val::number ? old.bits : memory_.address(old),
        Scope::device);
  }

  void execute(Thread& t, const Instruction& i, const Atomic& a) {
    const Val p = get(t, a.access.pointer);
    if (!valid(t, p, a.access.bytes, AccessKind::atomic)) return;
    out_.atomics = true;
    out_.synchronises = out_.synchronises || a.order != Order::relaxed;
    const uint32_t w = 8 * a.access.bytes;
    const uint64_t old = memory_.read(p.instance, p.bits, a.access.bytes, false).bits;
    std::vector<uint64_t> x;
    for (const ValueId v : a.operands) x.push_back(get(t, v).bits);
    const auto by = [&](Op op) { return evaluate(Compute{.op = op}, {old, x[0]}, w, w); };
    uint64_t made = old;
    switch (a.op) {
      case AtomicOp::load:
        break;
      case AtomicOp::store:
      case AtomicOp::exchange:
        made = x[0];
        break;
      case AtomicOp::compare_exchange:
        made = old == x[0] ? x[1] : old;
        break;
      case AtomicOp::add:
        made = by(Op::add);
        break;
      case AtomicOp::sub:
        made = by(Op::sub);
        break;
      case AtomicOp::and_:
        made = by(Op::and_);
        break;
      case AtomicOp::or_:
        made = by(Op::or_);
        break;
      case AtomicOp::xor_:
        made = by(Op::xor_);
        break;
      case AtomicOp::nand:
        made = ~by(Op::and_) & mask(w);
        break;
      case AtomicOp::smin:
        made = by(Op::smin);
        break;
      case AtomicOp::smax:
        made = by(Op::smax);
        break;
      case AtomicOp::umin:
        made = by(Op::umin);
        break;
      case AtomicOp::umax:
        made = by(Op::umax);
        break;
      case AtomicOp::increment:
        made = (old + 1) & mask(w);
        break;
      case AtomicOp::decrement:
        made = (old - 1) & mask(w);
        break;
      case AtomicOp::increment_to:
        made = old >= x[0] ? 0 : old + 1;
        break;
      case AtomicOp::decrement_from:
        made = old == 0 || old > x[0] ? x[0] : old - 1;
        break;
      case AtomicOp::fadd:
        made = by(Op::fadd);
        break;
      case AtomicOp::fsub:
        made = by(Op::fsub);
        break;
      case AtomicOp::fmin:
        made =
            evaluate(Compute{.op = Op::fcmp, .imm = static_cast<uint64_t>(FloatCompare::olt)}, {old, x[0]}, w, 1) != 0
                ? old
                : x[0];
        break;
      case AtomicOp::fmax:
        made =
            evaluate(Compute{.op = Op::fcmp, .imm = static_cast<uint64_t>(FloatCompare::ogt)}, {old, x[0]}, w, 1) != 0
                ? old
                : x[0];
        break;
    }
    if (made != old || a.op == AtomicOp::store) memory_.write(p.instance, p.bits, a.access.bytes, {.bits = made});
    set(t, i, {.bits = old});
    log(t, a.access, p, AccessKind::atomic, made, old, a.scope);
  }

  void execute(Thread&, const Instruction&, const Fence&) { out_.synchronises = true; }

  void execute(Thread& t, const Instruction& i, const kir::Barrier& b) {
    if (b.arrive || b.count) return finish(Outcome::unsupported, "a barrier that not all threads of the group wait at");
    if (b.scope == Scope::warp && shape_.lock_step) return;  // the warp waits for no one: it is together or apart
    t.state = Thread::waiting;
    t.barrier = &b;
    t.barrier_place = place_;
    t.barrier_result = i.results.empty() ? ValueId{} : i.results[0];
    t.flags = {get(t, b.local_fence).bits != 0, get(t, b.global_fence).bits != 0};
    t.barrier_name = b.name ? get(t, b.name).bits : 0;
    t.mask = b.mask ? get(t, b.mask).bits : ~uint64_t{0};
    t.predicate = b.predicate && get(t, b.predicate).bits != 0;
    t.at_barrier = 17;
    for (const Frame& f : t.frames) t.at_barrier = mix(t.at_barrier, mix(f.function.index, mix(f.block.index, f.next)));
  }

  void execute(Thread&, const Instruction&, const WarpExchange&) {
    finish(Outcome::unsupported, "values that move between the lanes of a warp");
  }
  void execute(Thread&, const Instruction&, const AsyncCopy&) { finish(Outcome::unsupported, "asynchronous copies"); }
  void execute(Thread&, const Instruction&, const WaitEvents&) {}
  void execute(Thread&, const Instruction&, const ReadPermission&) {}
  void execute(Thread&, const Instruction&, const kir::Frame&) {}
  void execute(Thread& t, const Instruction&, const Snapshot& s) {
    const Val to = get(t, s.destination.pointer), from = get(t, s.source.pointer);
    if (to.instance == 0 || from.instance == 0) return;
    memory_.at(to.instance).bytes = memory_.at(from.instance).bytes;
    memory_.at(to.instance).salt = memory_.at(from.instance).salt;
  }
  void execute(Thread& t, const Instruction&, const BarrierInvariant& b) {
    if (b.binary) {
      out_.unknown_annotations = true;
      return;
    }
    check(t, get(t, b.condition), DefectKind::assertion);
  }

  void check(Thread& t, const Val& c, DefectKind kind) {
    if (c.unknown)
      out_.unknown_annotations = true;
    else if (c.bits == 0)
      defect({.kind = kind, .place = place_, .thread = t.who});
  }

  void execute(Thread& t, const Instruction&, const Annotation& a) {
    if (a.candidate) return;
    const Val c = get(t, a.condition);
    const bool entry = t.frames.size() == 1;
    switch (a.note) {
      case Note::assume:
      case Note::requires_:
        if (a.note == Note::requires_ && !entry) return check(t, c, DefectKind::precondition);
        if (c.unknown)
          out_.unknown_annotations = true;
        else if (c.bits == 0)
          finish(Outcome::impossible, "an assumption does not hold: " + where(m_, place_));
        return;
      case Note::assert_:
      case Note::invariant:
        return check(t, c, DefectKind::assertion);
      case Note::ensures:
      case Note::function_wide_invariant:
        out_.unknown_annotations = true;
        return;
    }
  }

  void execute(Thread& t, const Instruction& i, const Call& c) {
    FunctionId callee = c.callee;
    if (!callee) {
      const Val p = get(t, c.pointer);
      if (p.kind != Val::function) return defect({.kind = DefectKind::null_access, .place = place_, .thread = t.who});
      callee = {static_cast<uint32_t>(p.bits)};
      if (std::find(c.targets.begin(), c.targets.end(), callee) == c.targets.end())
        return finish(Outcome::unsupported, "a call through a pointer to a function of another type");
    }
    const Function& g = m_.function(callee);
    if (!g.body) {
      if (g.name.starts_with("__uninterpreted_function_")) {
        // A function all the same: one value for the same operands, but not the one that was meant.
        uint64_t n = mix(0xf00, callee.index);
        for (const ValueId a : c.arguments) {
          const Val v = get(t, a);
          n = mix(n, v.kind == Val::number ? v.bits : memory_.address(v));
        }
        for (const ValueId r : i.results) t.frames.back().values[r.index] = {.bits = n++ & mask(width(t, r))};
        out_.made_up = true;
        return;
      }
      for (const ValueId r : i.results) {
        const uint64_t n = mix(mix(inputs_.seed, 0xca11), mix(t.number, t.any_count++));
        t.frames.back().values[r.index] = {.bits = memory_.drawn(n, 0) & mask(width(t, r))};
      }
      return;
    }
    if (t.frames.size() > 200) return finish(Outcome::gave_up, "calls go too deep");
    Frame f{.function = callee, .block = {0}, .activation = ++activations_};
    if (shape_.lock_step) f.iterations.assign(line(callee).cfg().loops().size(), 0);
    f.values.resize(g.values.size());
    std::vector<Val> given;
    for (const ValueId a : c.arguments) given.push_back(get(t, a));
    for (uint32_t v = 0; v < g.values.size(); ++v)
      if (g.values[v].kind == Value::parameter) f.values[v] = given[g.values[v].index];
    t.frames.push_back(std::move(f));
  }

  const kir::Module& m_;
  FunctionId kernel_;
  const Shape shape_;
  const Inputs inputs_;
  const Limits limits_;
  Memory memory_;
  Rng rng_;
  Outcome out_;
  std::vector<Thread> threads_;
  std::vector<Logged> log_;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, size_t> races_;
  PlaceId place_;
  uint64_t steps_ = 0, activations_ = 0, instants_ = 0;
  uint32_t meetings_ = 0;
  std::map<uint32_t, std::unique_ptr<Line>> lines_;
  uint32_t group_count_ = 0;
  bool stop_ = false;
};

std::string thread_text(const ThreadName& t) {
  return fmt::format("local id ({},{},{}) of group ({},{},{})", t.local[0], t.local[1], t.local[2], t.group[0],
                     t.group[1], t.group[2]);
}

}  // namespace

const Defect* Outcome::first_defect(bool benign_races_count) const {
  for (const Defect& d : defects)
    if (d.kind != DefectKind::race || !d.same_value || benign_races_count) return &d;
  return nullptr;
}

Outcome run(const kir::Module& m, FunctionId kernel, const Shape& shape, const Inputs& inputs, const Limits& limits) {
  return Run(m, kernel, shape, inputs, limits).go();
}

std::string describe(const kir::Module& m, const Defect& d) {
  static constexpr const char* k_kinds[] = {"read", "write", "atomic"};
  const auto access = [&](const AccessRecord& a) {
    return fmt::format("{} by {}, {}, bytes {}..{}, value {}", k_kinds[static_cast<uint8_t>(a.kind)],
                       thread_text(a.thread), where(m, a.place), a.offset, a.offset + a.bytes - 1, a.value);
  };
  std::string out = fmt::format("{}: ", name(d.kind));
  if (d.region) out += fmt::format("{} ", m.region(d.region).name);
  if (d.kind == DefectKind::race)
    return out + fmt::format("byte {}{}\n  {}\n  {}", d.byte, d.same_value ? " (same value)" : "", access(d.first),
                             access(d.second));
  out += fmt::format("at {} by {}", where(m, d.place), thread_text(d.thread));
  if (d.other) out += fmt::format(" while {} is elsewhere", thread_text(*d.other));
  return out;
}

}  // namespace fencepost::interp

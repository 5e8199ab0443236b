// Loads, stores and atomics: what is logged, what must be excluded, what is read.
#include <algorithm>
#include <cmath>

#include "prove/execute.h"

namespace fencepost::prove {

using namespace ir;

bool Execution::conflicts_possible(RegionId r) const {
  const Region& region = m_.region(r);
  if (region.space == Space::private_ || region.space == Space::constant) return false;
  if (region.space == Space::group && pairing_ == Pairing::other_group && !(region.clustered && of_one_cluster()))
    return false;
  const flow::FunctionEffects& e = effects_.function(entry_);
  return e.writes[r.index] != 0 || e.atomics[r.index] != 0;
}

void Execution::log(AccessKind kind, const Access& access, RegionId r, Pair guard, Pair pointer, Pair value,
                    bool pointer_value, PlaceId place, const Atomic* at) {
  const bool changes = kind != AccessKind::read;
  if (!made_by_copy_) proxies_.access(kind, r, guard, pointer, changes && mbarriers_.in_use(), false);
  if (changes) mbarriers_.written(r, guard, offsets_of(pointer), access.bytes);
  if (!conflicts_possible(r)) return;
  AccessRecord x;
  x.kind = kind;
  x.region = r;
  for (const size_t t : k_both) {
    x.guard[t] = pool_.all(guard[t], pool_.eq(base_of(pointer[t]), pool_.constant(r.index + 1, 16)));
    x.offset[t] = m_.region(r).clustered && of_one_cluster() ? in_cluster(offset_of(pointer[t]), access.remote, t)
                                                             : offset_of(pointer[t]);
    x.before[t] = memory.state[r.index][t];
  }
  if (never(x.guard)) return;
  x.value = value;
  x.bytes = access.bytes;
  x.pointer = pointer_value;
  x.place = place;
  x.site = access.site;
  x.part = access.part;
  x.position = position_;
  uint32_t& instant = site_instants_[access.site];
  if (access.part == 0 || instant == 0) instant = ++instants_;
  x.instant = instant;
  x.local_segment = local_segment_;
  x.global_segment = global_segment_;
  x.second = second_;
  x.iteration = iteration_;
  x.loops = loops_around_;
  x.atomic = at;
  x.space = m_.region(r).space;
  if (kind == AccessKind::atomic) x.mode = order::Mode::atomic;
  trace.accesses.push_back(std::move(x));
}

Pair Execution::choice() {
  const Pair c = unknown(1, "tracked", false);
  for (Term t : c) choices.emplace(pool_[t].value, t);
  return c;
}

// The set of the current interval. Summaries of loops pass their accesses on to the loop's head.
Pair Execution::track(AccessKind kind, const Access& access, Pair guard, Pair pointer, Mode mode) {
  Pair last = both(pool_.yes());
  if (!tracking_) return last;
  for (RegionId r : access.regions) {
    const Space space = m_.region(r).space;
    if (space == Space::private_ || space == Space::constant) continue;
    Pair here, offset;
    for (const size_t t : k_both) {
      here[t] = pool_.all(guard[t], pool_.eq(base_of(pointer[t]), pool_.constant(r.index + 1, 16)));
      offset[t] = offset_of(pointer[t]);
    }
    if (collector_ != nullptr) collector_->push_back({r.index, static_cast<uint8_t>(kind), here, offset});
    if (!mode.check) continue;
    const auto key = std::make_pair(r.index, static_cast<uint8_t>(kind));
    auto it = sets_.find(key);
    if (it == sets_.end())
      it = sets_.emplace(key, Tracked{both(pool_.no()), both(pool_.constant(0, pointers.offset_bits))}).first;
    const Pair chosen = last = choice();
    for (const size_t t : k_both) {
      const Term now = pool_.all(here[t], chosen[t]);
      it->second.occurred[t] = pool_.any(it->second.occurred[t], now);
      it->second.offset[t] = pool_.ite(now, offset[t], it->second.offset[t]);
    }
  }
  return last;
}

// The access sets at the head of a loop: what was there before, or an access of some iteration. In a loop with
// meeting points: anything that the invariants allow.
void Execution::forget_sets(Activation& a, uint32_t l, Pair entry) {
  const uint8_t ow = pointers.offset_bits;
  if (summary_ != nullptr) {
    for (const Collected& c : *summary_) {
      auto it = sets_.find({c.region, c.kind});
      if (it == sets_.end())
        it = sets_.emplace(std::make_pair(c.region, c.kind), Tracked{both(pool_.no()), both(pool_.constant(0, ow))})
                 .first;
      const Pair chosen = choice();
      for (const size_t t : k_both) {
        const Term now = pool_.all(c.guard[t], chosen[t]);
        it->second.occurred[t] = pool_.any(it->second.occurred[t], now);
        it->second.offset[t] = pool_.ite(now, c.offset[t], it->second.offset[t]);
      }
    }
    summary_ = nullptr;
    return;
  }
  const flow::LoopEffects& e = loop_effects(a.id, l);
  for (uint32_t r = 0; r < m_.regions.size(); ++r)
    for (const uint8_t kind : k_kinds) {
      const auto& used = kind == 0 ? e.reads : kind == 1 ? e.writes : e.atomics;
      if (used[r] == 0) {
        // Barriers may have ended it, nothing can have been added.
        if (const auto it = sets_.find({r, kind}); it != sets_.end()) {
          const Pair still = unknown(1, "accessed", false);
          for (const size_t t : k_both) it->second.occurred[t] = pool_.all(it->second.occurred[t], still[t]);
        }
        continue;
      }
      const Pair occurred = unknown(1, "accessed", false), offset = unknown(ow, "offset", false);
      auto [it, fresh] = sets_.emplace(std::make_pair(r, kind), Tracked{both(pool_.no()), both(pool_.constant(0, ow))});
      for (const size_t t : k_both) {
        it->second.occurred[t] = pool_.ite(entry[t], occurred[t], it->second.occurred[t]);
        it->second.offset[t] = pool_.ite(entry[t], offset[t], it->second.offset[t]);
      }
    }
}

Term Execution::accessed(const Compute& c, Term pointer, int thread, uint8_t width, Mode mode) {
  const auto t = static_cast<size_t>(thread);
  const Term base = base_of(pointer);
  // In a summary or a repeated iteration the set is not known.
  if (!mode.check && header_ == Header::assume) return memory.any(width);
  Term occurred = pool_.no(), offset = pool_.constant(0, pointers.offset_bits);
  for (const auto& [key, set] : sets_) {
    const Term here = pool_.eq(base, pool_.constant(key.first + 1, 16));
    if (key.second != c.imm || pool_.is_false(here)) continue;
    occurred = pool_.ite(here, set.occurred[t], occurred);
    offset = pool_.ite(here, set.offset[t], offset);
  }
  if (c.op == Op::accessed) return width == 1 ? occurred : pool_.zext(occurred, width);
  return width <= pointers.offset_bits ? pool_.extract(offset, 0, width) : pool_.zext(offset, width);
}

// The loads in an expression are reads of this thread: what it states of memory must not change under it.
void Execution::log_spec_reads(Activation& a, ValueId v, Pair guard, PlaceId place, Mode mode, int depth) {
  const Instruction* in = a.recurrences->definition(v);
  if (in == nullptr || depth > 60) return;
  if (const auto* l = std::get_if<Load>(&in->action); l != nullptr && l->spec) {
    Pair pointer;
    for (const int t : {0, 1}) pointer[static_cast<size_t>(t)] = pure(a, l->access.pointer, t, mode, nullptr);
    ++position_;
    for (RegionId r : l->access.regions) {
      log(AccessKind::read, l->access, r, guard, pointer, both(pool_.no()), false, place, nullptr);
      const auto ghost = snapshots_.find(r.index);
      if (ghost == snapshots_.end()) continue;
      Pair real;
      for (const size_t t : k_both)
        real[t] = pool_.concat(pool_.ite(pool_.eq(base_of(pointer[t]), pool_.constant(r.index + 1, 16)),
                                         pool_.constant(ghost->second + 1, 16), pool_.constant(0, 16)),
                               offset_of(pointer[t]));
      log(AccessKind::read, l->access, {ghost->second}, guard, real, both(pool_.no()), false, place, nullptr);
    }
    log_spec_reads(a, l->access.pointer, guard, place, mode, depth + 1);
    return;
  }
  if (const auto* c = std::get_if<Compute>(&in->action))
    for (ValueId o : c->operands) log_spec_reads(a, o, guard, place, mode, depth + 1);
}

// Under a warp that runs in step, a store of others of the warp is seen without a barrier.
void Execution::warp_forget(const Access& access, Mode mode) {
  if (options_.warp_sync == 0) return;
  const flow::FunctionEffects& e = effects_.function(entry_);
  for (RegionId r : access.regions) {
    const Space space = m_.region(r).space;
    if (e.writes[r.index] != 0 && (space == Space::group || space == Space::global) && !memory.adversarial(r))
      memory.forget(r, both(pool_.yes()), mode.lockstep && !maybe_held_);
  }
}

void Execution::load(Activation& a, const Instruction& in, const Load& l, Pair guard, Mode mode) {
  const Type type = a.f->value(in.results[0]).type;
  const bool pointer_value = type.kind == Type::pointer;
  const Pair pointer = get(a, l.access.pointer);
  Pair v;
  for (const size_t t : k_both) {
    if (pool_.is_false(guard[t])) {
      v[t] = memory.any(width(type));
      continue;
    }
    Term r;
    for (RegionId region : l.access.regions) {
      const Term here = pool_.eq(base_of(pointer[t]), pool_.constant(region.index + 1, 16));
      if (pool_.is_false(here)) continue;
      const Term x =
          l.access.is_volatile && m_.region(region).space != Space::private_
              ? memory.any(width(type))
              : memory.read(region, static_cast<int>(t), offset_of(pointer[t]), l.access.bytes, pointer_value);
      r = r ? pool_.ite(here, x, r) : x;
    }
    v[t] = r ? r : memory.any(width(type));
    if (pool_.width(v[t]) != width(type)) v[t] = memory.any(width(type));
  }
  set(a, in.results[0], v);
  if (l.spec) return;
  take_arrival(l.access);
  ++position_;
  pointer_checks(a, l.access, pointer, guard, in.place, mode, false);
  track(AccessKind::read, l.access, guard, pointer, mode);
  if (!mode.log) return;
  for (RegionId r : l.access.regions)
    log(AccessKind::read, l.access, r, guard, pointer, v, pointer_value, in.place, nullptr);
}

Execution::Arrival Execution::take_arrival(const Access& access) {
  const bool own =
      !access.regions.empty() && std::all_of(access.regions.begin(), access.regions.end(),
                                             [&](RegionId r) { return m_.region(r).space == Space::private_; });
  return own ? Arrival{} : std::exchange(arrival_, {});
}

void Execution::store(Activation& a, const Instruction& in, const Store& s, Pair guard, Mode mode) {
  warp_forget(s.access, mode);
  for (const RegionId r : s.access.regions) masters.touch(r);
  const Pair pointer = get(a, s.access.pointer);
  const Pair value = get(a, s.value);
  const bool pointer_value = a.f->value(s.value).type.kind == Type::pointer;
  ++position_;
  pointer_checks(a, s.access, pointer, guard, in.place, mode, true);
  track(AccessKind::write, s.access, guard, pointer, mode);
  const Arrival arrival = take_arrival(s.access);
  mbarriers_.access(s.access, guard, pointer, meetings_of_all_);
  // To others the address of a thread's own object is another value than that of theirs.
  Pair seen = value;
  if (pointer_value && mode.log)
    for (const size_t t : k_both)
      if (const Term own = own_object(base_of(value[t])); !pool_.is_false(own))
        seen[t] = pool_.ite(own, memory.any(pool_.width(value[t])), value[t]);
  if (mode.log)
    for (RegionId r : s.access.regions) {
      const size_t before = trace.accesses.size();
      log(AccessKind::write, s.access, r, guard, pointer, seen, pointer_value, in.place, nullptr);
      if (trace.accesses.size() == before) continue;
      trace.accesses.back().arrival = arrival.position;
      trace.accesses.back().arrived = arrival.both;
    }
  for (RegionId r : s.access.regions)
    if (lock_values_.contains(r.index)) lock_stores_.push_back({r, position_, loops_around_});
  for (RegionId r : s.access.regions)
    if (counters_[r.index] != 0 || amounts_[r.index] != 0 || claimable_[r.index] != 0) {
      const bool once = mode.log && second_ == 0 && loops_around_.empty() && s.access.regions.size() == 1;
      counter_writes_.push_back({r, position_, loops_around_, once && always(masters.of_both(guard))});
    }
  for (RegionId r : s.access.regions) {
    if (memory.adversarial(r)) continue;
    masters.store(r, guard, pointer, s.access.bytes, pointer_value, value);
    for (const size_t t : k_both) {
      const Term here = pool_.eq(base_of(pointer[t]), pool_.constant(r.index + 1, 16));
      memory.write(r, static_cast<int>(t), pool_.all(guard[t], here), offset_of(pointer[t]), s.access.bytes,
                   pointer_value, value[t]);
    }
  }
}

// The ticket of the first thread of a group, where that thread takes it for all.
std::optional<Ticket> Execution::master_ticket(const Ticket& k) {
  if (of_one_group() || !masters.in_step() || !by_masters(k.guard)) return std::nullopt;
  Ticket m = k;
  m.guard = masters.of_both(k.guard);
  m.offset = masters.of_both(k.offset);
  m.value = masters.of_both(k.value);
  if (k.amount[0]) m.amount = masters.of_both(k.amount);
  return m;
}

void Execution::atomic(Activation& a, const Instruction& in, const Atomic& at, Pair guard, Mode mode) {
  take_arrival(at.access);
  const Pair pointer = get(a, at.access.pointer);
  ++position_;
  pointer_checks(a, at.access, pointer, guard, in.place, mode, at.op != AtomicOp::load);
  track(AccessKind::atomic, at.access, guard, pointer, mode);
  mbarriers_.access(at.access, guard, pointer, meetings_of_all_);
  if (!in.results.empty()) {
    // Of a counter that is put back, too, so that no lemma tells its tickets apart.
    const bool put_back = at.access.regions.size() == 1 && ticket_step(at, *a.f) != 0 &&
                          counters_[at.access.regions[0].index] == 0 &&
                          m_.region(at.access.regions[0]).space == Space::global;
    const std::string name = put_back ? k_ticket + m_.region(at.access.regions[0]).name : std::string("atomic");
    set(a, in.results[0], unknown(width(a.f->value(in.results[0]).type), name, false));
  }
  // Of such an array there are loads, too.
  const bool amount =
      at.op == AtomicOp::add && at.access.regions.size() == 1 && amounts_[at.access.regions[0].index] != 0;
  if (at.access.regions.size() == 1 && !in.results.empty() &&
      (amount || (counters_[at.access.regions[0].index] != 0 && ticket_step(at, *a.f) != 0))) {
    Ticket k;
    k.region = at.access.regions[0];
    k.guard = guard;
    k.offset = {offset_of(pointer[0]), offset_of(pointer[1])};
    k.value = get(a, in.results[0]);
    k.step = amount ? 0 : ticket_step(at, *a.f);
    if (amount) k.amount = get(a, at.operands[0]);
    k.position = position_;
    k.loops = loops_around_;
    if (std::optional<Ticket> m = master_ticket(k)) tickets.push_back(std::move(*m));
    tickets.push_back(std::move(k));
  }
  // Each instruction once: not in a repetition, nor beside the way of the threads.
  for (RegionId r : at.access.regions)
    if (counters_[r.index] != 0 || amounts_[r.index] != 0) {
      const bool counts = mode.log && second_ == 0;
      (counts ? counted_ : met_).insert(&in);
      const std::optional<uint64_t> most = amount ? most_added(get(a, at.operands[0])) : ticket_step(at, *a.f);
      if (!most) unbounded_.insert(r.index);
      if (counts && most) move_counter(r, amount ? 0 : *most, *most, at.access.bytes, by_masters(guard));
    }
  if (at.spelling.starts_with("volatile"))
    for (RegionId r : at.access.regions)
      assumptions.insert({"volatile accesses to " + m_.region(r).name + " are single and relaxed, as in PTX",
                          order::Assumption::volatile_flags, r});
  claim(a, in, at, guard, pointer);
  lock(a, in, at, guard, pointer, mode);
  last_ticket(a, in, at, guard, pointer, mode);
  observe(a, in, at, guard, pointer);
  // A private location has one thread: its update is a write of an unknown value.
  for (RegionId r : at.access.regions)
    if (m_.region(r).space == Space::private_)
      for (const size_t t : k_both)
        memory.write(r, static_cast<int>(t), guard[t], offset_of(pointer[t]), at.access.bytes, false,
                     memory.any(static_cast<uint8_t>(8 * at.access.bytes)));
  if (!mode.log) return;
  const Pair written = written_by(a, at);
  for (RegionId r : at.access.regions) {
    const size_t before = trace.accesses.size();
    log(AccessKind::atomic, at.access, r, guard, pointer, written, false, in.place, &at);
    if (trace.accesses.size() > before) trace.accesses.back().leaves = leaves(at, *a.f);
  }
}

// ---- tickets -----------------------------------------------------------------------------------------------

// The constant that an atomic adds or subtracts; 0: it is none of these, or adds nothing, or something else.
uint64_t Execution::ticket_step(const Atomic& at, const Function& f) const {
  if (at.op == AtomicOp::increment || at.op == AtomicOp::decrement) return 1;
  if (at.op != AtomicOp::add && at.op != AtomicOp::sub) return 0;
  if (at.operands.empty() || f.value(at.operands[0]).kind != Value::constant) return 0;
  const Value& v = f.value(at.operands[0]);
  const int64_t step = formula::as_signed(v.constant_bits, v.type.width);
  return static_cast<uint64_t>(step < 0 ? -step : step);
}

// Arrays whose atomics are nothing but additions of positive constants, or nothing but subtractions, in one width.
// Plain stores are looked at pair by pair (replaced_between); what writes in other ways leaves nothing known.
void Execution::find_counters() {
  counters_.assign(m_.regions.size(), 0);
  amounts_.assign(m_.regions.size(), 0);
  if (!options_.refined_atomics) return;
  for (uint32_t r = 0; r < m_.regions.size(); ++r) {
    if (m_.regions[r].clustered) continue;  // of which nothing but races is looked at
    int8_t way = 0;
    uint32_t bytes = 0;
    bool counts = true;
    for (const flow::Writer& w : writers_.of({r})) {
      if (w.kind == flow::Writer::store) continue;
      const Atomic* at = w.as_atomic();
      const Function& f = m_.function(w.function);
      const uint64_t step = at != nullptr ? ticket_step(*at, f) : 0;
      if (step == 0 || (bytes != 0 && bytes != at->access.bytes)) {
        counts = false;
        break;
      }
      int8_t here = at->op == AtomicOp::increment || at->op == AtomicOp::add ? 1 : -1;
      if (at->op == AtomicOp::add || at->op == AtomicOp::sub) {
        const Value& v = f.value(at->operands[0]);
        if (formula::as_signed(v.constant_bits, v.type.width) < 0) here = static_cast<int8_t>(-here);
      }
      counts = counts && (way == 0 || way == here);
      way = here;
      bytes = at->access.bytes;
    }
    counters_[r] = counts ? way : int8_t{0};
    const std::vector<flow::Writer>& writers = writers_.of({r});
    const auto first = std::find_if(writers.begin(), writers.end(),
                                    [](const flow::Writer& w) { return w.kind == flow::Writer::atomic; });
    amounts_[r] =
        !counts && first != writers.end() && std::all_of(writers.begin(), writers.end(), [&](const flow::Writer& w) {
          if (w.kind == flow::Writer::store) return w.function == entry_;
          const Atomic* at = w.as_atomic();
          return at != nullptr && at->op == AtomicOp::add && at->access.regions.size() == 1 &&
                 at->access.bytes == first->access->bytes;
        });
  }
}

// May a plain store have put the counter back between the two tickets? A store that no barrier keeps apart from a
// ticket races with it, and is found as such. So it lies where it stands in the program: between the two, or in a loop
// that holds only one of them (an earlier or later iteration), or in one whose iterations are not in step. Where locks,
// messages, tickets or barriers of some threads order accesses, what stands first in the text may come last: there only
// a barrier of the whole group, between the store and both tickets, says where it lies.
bool Execution::replaced_between(const Ticket& i, const Ticket& j) const {
  const auto [low, high] = std::minmax(i.position, j.position);
  const auto met = [&](uint32_t from, uint32_t to) {
    return std::any_of(meetings_of_all_.begin(), meetings_of_all_.end(),
                       [&](uint32_t at) { return from < at && at < to; });
  };
  const bool by_group = m_.region(i.region).space == Space::group;
  const bool by_place = !masters.in_any_order() && (by_group || !tickets_possible_);
  const auto holds = [](const std::vector<uint32_t>& loops, uint32_t l) {
    return std::find(loops.begin(), loops.end(), l) != loops.end();
  };
  return std::any_of(counter_writes_.begin(), counter_writes_.end(), [&](const CounterWrite& w) {
    if (w.region != i.region) return false;
    if (low < w.position && w.position < high) return true;
    if ((w.atomic || !by_place) && !(by_group && (met(w.position, low) || met(high, w.position)))) return true;
    return std::any_of(w.loops.begin(), w.loops.end(), [&](uint32_t l) {
      const bool first = holds(i.loops, l), second = holds(j.loops, l);
      return first != second || (first && loose_loops_.contains(l));
    });
  });
}

// Whether each addition that the threads may come to has been counted.
bool Execution::all_counted(RegionId r) const {
  return std::all_of(writers_.of(r).begin(), writers_.of(r).end(), [&](const flow::Writer& w) {
    return counted_.contains(w.instruction) || !met_.contains(w.instruction);
  });
}

// All that a launch adds to one place of the counter, or takes from it, at most; none: that is not known. An increment
// with a limit starts again, and is no sum.
std::optional<uint64_t> Execution::added_in_all(RegionId r) const {
  const auto moved = moved_.find(r.index);
  if (!m_.function(entry_).kernel || counters_[r.index] == 0 || moved == moved_.end() || !all_counted(r))
    return std::nullopt;
  for (const flow::Writer& w : writers_.of(r)) {
    const Atomic* at = w.kind == flow::Writer::atomic ? w.as_atomic() : nullptr;
    if (w.function != entry_ || (at == nullptr && w.kind != flow::Writer::store)) return std::nullopt;
    if (at != nullptr && at->op != AtomicOp::add && at->op != AtomicOp::sub) return std::nullopt;
  }
  double threads = 1, groups = 1;
  for (const uint64_t n : options_.launch.local_size) threads *= static_cast<double>(n);
  for (const uint64_t n : options_.launch.num_groups) groups *= static_cast<double>(n);
  if (threads == 0 || groups == 0) return std::nullopt;  // a size that is not fixed
  if (m_.region(r).space == Space::group) groups = 1;
  const double all = groups * (moved->second.by_first + threads * moved->second.by_all);
  return all < std::ldexp(1.0, 31) ? std::optional(static_cast<uint64_t>(all)) : std::nullopt;
}

// Whatever the counter held at first, a ticket is that plus what came before it, which is all but its own step at most.
void Execution::ticket_distance(const Ticket& i, const Ticket& j) {
  const std::optional<uint64_t> all = added_in_all(i.region);
  const uint8_t w = pool_.width(i.value[0]);
  if (!all || w < 32 || w != pool_.width(j.value[1]) || std::max(i.step, j.step) > *all) return;
  const auto most = [&](const Ticket& k) { return pool_.constant(*all - k.step, w); };
  const Term ahead = pool_.sub(i.value[0], j.value[1]);
  const bool up = counters_[i.region.index] > 0;
  const Term near =
      pool_.any(pool_.ule(up ? ahead : pool_.neg(ahead), most(i)), pool_.ule(up ? pool_.neg(ahead) : ahead, most(j)));
  Fact f;
  f.term = pool_.implies(pool_.all({i.guard[0], j.guard[1], pool_.eq(i.offset[0], j.offset[1])}), near);
  f.from = {i.position, j.position};
  f.until = {i.until, j.until};
  f.threads = 3;
  f.names = formula::names(pool_, f.term);
  if (!pool_.is_true(f.term)) trace.facts.push_back(std::move(f));
}

// The two are not of one thread.
Term Execution::different_makers(const Ticket& i, const Ticket& j) {
  if (pairing_ == Pairing::other_group || (!i.maker[0] && !j.maker[0])) return pool_.yes();
  return pool_.ne(i.maker[0] ? i.maker[0] : flat_id(0), j.maker[0] ? j.maker[1] : flat_id(1));
}

// The largest number that is added, unsigned; none: it may be any, or negative.
std::optional<uint64_t> Execution::most_added(Pair amount) const {
  uint64_t most = 0;
  for (const Term t : amount) {
    const auto count = count_bounds_.find(t.id);
    most = std::max(most, count != count_bounds_.end() ? count->second : pool_[t].high);
  }
  return most < uint64_t{1} << 20 ? std::optional(most) : std::nullopt;
}

void Execution::assume_no_round(RegionId r) {
  assumptions.insert(
      {"the counter " + m_.region(r).name + " does not come round within one launch", order::Assumption::counter, r});
}

// Whoever comes later has what the other has taken, and all that it has added: modulo 2^w they are that far apart, as
// long as all that is added stays at most 2^w: no amount may be negative. Two that are equal have the first one of a
// thread that added nothing.
void Execution::amounts_apart(const Ticket& i, const Ticket& j, Term different) {
  const uint8_t w = pool_.width(i.value[0]);
  const Term zero = pool_.constant(0, w), ahead = pool_.sub(j.value[1], i.value[0]), back = pool_.neg(ahead);
  const Term a = i.amount[0], b = j.amount[1];
  const Round round = unbounded_.contains(i.region.index) ? Round::may : comes_round(i.region);
  if (round == Round::may || w < 32 || w != pool_.width(j.value[1]) || w != pool_.width(a) || w != pool_.width(b))
    return;
  const Term far = pool_.ite(pool_.eq(ahead, zero), pool_.any(pool_.eq(a, zero), pool_.eq(b, zero)),
                             pool_.all(pool_.ule(a, ahead), pool_.ule(b, back)));
  Fact f;
  f.term = pool_.implies(pool_.all({different, i.guard[0], j.guard[1], pool_.eq(i.offset[0], j.offset[1])}), far);
  f.from = {i.position, j.position};
  f.until = {i.until, j.until};
  f.threads = 3;
  f.names = formula::names(pool_, f.term);
  if (pool_.is_true(f.term)) return;
  trace.facts.push_back(std::move(f));
  if (round == Round::assumed_not) assume_no_round(i.region);
}

// What one thread took, no other takes: modulo 2^w the distance is at least the step, either way.
void Execution::ticket_facts() {
  settle_claims();
  for (const Ticket& i : tickets)
    for (const Ticket& j : tickets) {
      if (i.region != j.region || replaced_between(i, j)) continue;
      if (m_.region(i.region).space == Space::group && pairing_ == Pairing::other_group) continue;
      const Term different = different_makers(i, j);
      if (i.kind == Ticket::claim) {
        claims_apart(i, j, different);
        continue;
      }
      if (i.amount[0]) {
        amounts_apart(i, j, different);
        continue;
      }
      ticket_distance(i, j);
      const Round round = comes_round(i.region);
      if (round == Round::may) continue;
      const uint8_t w = pool_.width(i.value[0]);
      if (w != pool_.width(j.value[1])) continue;
      const order::ApartRecord two{.guard = {pool_.all(i.guard[0], different), j.guard[1]},
                                   .offset = {i.offset[0], j.offset[1]},
                                   .value = {i.value[0], j.value[1]},
                                   .step = {i.step, j.step},
                                   .up = counters_[i.region.index] > 0,
                                   .from = {i.position, j.position},
                                   .until = {i.until, j.until}};
      Fact f;
      f.term = order::apart(pool_, two);
      f.from = two.from;
      f.until = two.until;
      f.threads = 3;
      f.names = formula::names(pool_, f.term);
      if (pool_.is_true(f.term)) continue;
      trace.facts.push_back(std::move(f));
      if (messages_possible_ && pool_.is_true(different)) trace.apart.push_back(two);
      if (round == Round::assumed_not) assume_no_round(i.region);
    }
}

// The largest value that plain stores give a counter; none: some store gives an unknown value, or only a part of it, or
// something writes in a function that is called by its contract.
std::optional<uint64_t> Execution::set_to_at_most(RegionId r) const {
  uint64_t most = 0;
  for (const flow::Writer& w : writers_.of(r)) {
    if (w.function != entry_) return std::nullopt;
    if (w.kind != flow::Writer::store) continue;
    const auto* s = std::get_if<Store>(&w.instruction->action);
    if (s == nullptr || s->access.bytes != m_.region(r).size) return std::nullopt;
    const Value& v = m_.function(w.function).value(s->value);
    if (v.kind != Value::constant || v.type.kind != Type::bits) return std::nullopt;
    most = std::max(most, v.constant_bits);
  }
  return most;
}

// What a counter of the group is at most: what a plain store left there, and all that the group adds.
// The counter is one number in shared memory, all of whose plain stores are of constants. One of them is made by the
// first thread of each group, whatever happens, and stands before a barrier of the whole group, behind which the
// counter is added to or looked at (`position`): so what is found there began with such a constant, not with what the
// memory held before. Each thread executes each addition so often as its loops say (move_counter), and nothing else
// adds.
std::optional<uint64_t> Execution::counted_at_most(RegionId region, uint32_t position) const {
  double threads = m_.function(entry_).kernel ? 1 : 0;
  for (const uint64_t n : options_.launch.local_size) threads *= static_cast<double>(n);
  const Region& r = m_.region(region);
  const auto moved = moved_.find(region.index);
  if (threads == 0 || r.space != Space::group || counters_[region.index] <= 0 || moved == moved_.end() ||
      r.size != moved->second.bytes || !all_counted(region))
    return std::nullopt;
  const bool begun = std::any_of(counter_writes_.begin(), counter_writes_.end(), [&](const CounterWrite& w) {
    return w.region == region && w.always &&
           std::any_of(meetings_of_all_.begin(), meetings_of_all_.end(),
                       [&](uint32_t at) { return w.position < at && at < position; });
  });
  const std::optional<uint64_t> from = set_to_at_most(region);
  if (!begun || !from) return std::nullopt;
  const double most = static_cast<double>(*from) + threads * moved->second.most;
  if (!(most < std::ldexp(1.0, std::min<int>(8 * static_cast<int>(moved->second.bytes), 52)))) return std::nullopt;
  return static_cast<uint64_t>(most);
}

void Execution::ticket_bounds() {
  for (const Ticket& k : tickets) {
    const std::optional<uint64_t> all = counted_at_most(k.region, k.position);
    const auto moved = moved_.find(k.region.index);
    if (!all || *all < k.step || 8 * moved->second.bytes != pool_.width(k.value[0])) continue;
    for (const size_t t : k_both) {
      Fact f;
      f.term = pool_.implies(k.guard[t], pool_.ule(k.value[t], pool_.constant(*all - k.step, pool_.width(k.value[t]))));
      f.from = {k.position, k.position};
      f.until = {k.until, k.until};
      f.threads = static_cast<uint8_t>(1 << t);
      f.names = formula::names(pool_, f.term);
      if (!pool_.is_true(f.term)) trace.facts.push_back(std::move(f));
    }
  }
}

// ---- counts that are finished ------------------------------------------------------------------------------

// Is each instruction that may write to the array made by every thread before it comes to this barrier, or never? Such
// a write stands in this function, is a store or an atomic operation, and no way leads from the barrier to it.
bool Execution::behind_writers(const Activation& a, const Instruction& barrier, RegionId r) const {
  std::vector<uint8_t> reached(a.f->blocks.size());
  std::vector<BlockId> open;
  const auto reach = [&](BlockId b) {
    if (reached[b.index] == 0) open.push_back(b);
    reached[b.index] = 1;
  };
  for (const BlockId b : successors(a.f->blocks[a.block.index].terminator)) reach(b);
  while (!open.empty()) {
    const BlockId b = open.back();
    open.pop_back();
    for (const BlockId next : successors(a.f->blocks[b.index].terminator)) reach(next);
  }
  if (reached[a.block.index] != 0) return false;
  const std::vector<Instruction>& here = a.f->blocks[a.block.index].instructions;
  return std::all_of(writers_.of(r).begin(), writers_.of(r).end(), [&](const flow::Writer& w) {
    if (w.function != entry_ || (w.kind != flow::Writer::store && w.kind != flow::Writer::atomic)) return false;
    return reached[w.block.index] == 0 &&
           (w.block != a.block || (w.instruction >= here.data() && w.instruction < &barrier));
  });
}

// A count that is finished, and that only grows from its last plain store on, is at least what each ticket behind that
// store left there.
void Execution::below_count(RegionId r, Term count, int thread, uint32_t bytes) {
  const auto t = static_cast<size_t>(thread);
  for (const Ticket& k : tickets) {
    const bool behind = std::all_of(counter_writes_.begin(), counter_writes_.end(), [&](const CounterWrite& w) {
      return w.region != r || std::any_of(meetings_of_all_.begin(), meetings_of_all_.end(),
                                          [&](uint32_t at) { return w.position < at && at < k.position; });
    });
    const uint8_t w = pool_.width(k.value[t]);
    if (k.region != r || !behind || k.until != ~0u || !k.loops.empty() || w != 8 * bytes) continue;
    fact(k.guard[t], pool_.ule(pool_.add(k.value[t], pool_.constant(k.step, w)), count), thread);
  }
}

// A shared array that atomics write holds any value at any time. Behind a barrier of the whole group that comes after
// all of its writers, in a part of the text from which no way leads back to one, it holds what they left: the same for
// all threads of the group. So a count of slots may bound a loop with barriers, and be compared with the number of
// slots. A read that is not behind such a barrier still gives any value; one that races with a writer is found as such.
void Execution::settle(const Activation& a, const Instruction& barrier) {
  if (!a.entry || options_.abstraction == Abstraction::adversarial || options_.warp_sync != 0) return;
  for (uint32_t x = 0; x < m_.regions.size(); ++x) {
    const RegionId r{x};
    if (m_.region(r).space != Space::group || m_.region(r).clustered || !memory.adversarial(r) ||
        !behind_writers(a, barrier, r))
      continue;
    memory.settle(r);
    const auto moved = moved_.find(x);
    const std::optional<uint64_t> most = moved == moved_.end() ? std::nullopt : counted_at_most(r, moved->second.first);
    if (!most) continue;
    const uint32_t bytes = moved->second.bytes;
    for (const int t : {0, 1}) {
      const Term count = memory.read(r, t, pool_.constant(0, pointers.offset_bits), bytes, false);
      if (pairing_ == Pairing::other_group) masters.same_for_group(count, static_cast<size_t>(t));
      fact(pool_.yes(), pool_.ule(count, pool_.constant(*most, static_cast<uint8_t>(8 * bytes))), t);
      count_bounds_[count.id] = *most;
      below_count(r, count, t, bytes);
    }
  }
}

// __atomic_has_taken_value(pointer, offset, value).
Term Execution::taken(const Compute& c, const std::vector<Term>& o, int thread, Mode mode) {
  (void)c;
  const auto t = static_cast<size_t>(thread);
  const bool in_header = header_ != Header::assume || mode.check;
  if (!in_header || o.size() < 3) return memory.any(1);
  std::vector<Term> hits;
  for (const Ticket& k : tickets) {
    if (k.maker[0] || k.kind == Ticket::claim) continue;
    const Term base = pool_.eq(base_of(o[0]), pool_.constant(k.region.index + 1, 16));
    const uint8_t ow = pool_.width(k.offset[t]), vw = pool_.width(k.value[t]);
    const auto fit = [&](Term x, uint8_t w) { return pool_.width(x) > w ? pool_.extract(x, 0, w) : pool_.zext(x, w); };
    hits.push_back(pool_.all({base, k.guard[t], pool_.eq(k.offset[t], pool_.add(offset_of(o[0]), fit(o[1], ow))),
                              pool_.eq(k.value[t], fit(o[2], vw))}));
  }
  return pool_.any(std::move(hits));
}

// ---- group copies ------------------------------------------------------------------------------------------

void Execution::async_copy(Activation& a, const Instruction& in, const AsyncCopy& c, Pair guard, Mode mode) {
  if (by_thread(in)) return own_copy(a, in, c, guard, mode);
  const Pair to = get(a, c.destination.pointer), from = get(a, c.source.pointer), count = get(a, c.count);
  const Pair event = c.event ? get(a, c.event) : both(pool_.constant(0, 32));
  ++position_;
  if (pairing_ == Pairing::same_group) {
    std::vector<Term> same{pool_.eq(guard[0], guard[1])};
    std::vector<Term> operands{pool_.eq(to[0], to[1]), pool_.eq(from[0], from[1]), pool_.eq(count[0], count[1]),
                               pool_.eq(event[0], event[1])};
    if (c.stride) operands.push_back(pool_.eq(get(a, c.stride)[0], get(a, c.stride)[1]));
    same.push_back(pool_.implies(pool_.all(guard[0], guard[1]), pool_.all(std::move(operands))));
    const Term agree = pool_.all(std::move(same));
    oblige(Kind::async_operands, pool_.not_(agree), in.place, true, mode);
    if (mode.lockstep) fact(pool_.yes(), agree, 0, true);
  }
  pointer_checks(a, c.destination, to, guard, in.place, mode, true);
  pointer_checks(a, c.source, from, guard, in.place, mode, false);
  Pair handle;
  if (!in.results.empty()) {
    const uint8_t w = width(a.f->value(in.results[0]).type);
    const Pair fresh = unknown(w, "event", mode.lockstep && pairing_ == Pairing::same_group);
    for (const size_t t : k_both) {
      const Term given = pool_.width(event[t]) == w ? event[t] : memory.any(w);
      handle[t] = pool_.ite(pool_.eq(given, pool_.constant(0, w)), fresh[t], given);
      // Events of their own are no one else's.
      fact(pool_.yes(), pool_.ne(fresh[t], pool_.constant(0, w)), static_cast<int>(t));
    }
    set(a, in.results[0], handle);
  } else {
    handle = unknown(pool_.width(event[0]), "event", false);
  }
  if (!mode.log) return;
  for (const bool writes : {true, false}) {
    const Access& access = writes ? c.destination : c.source;
    const Pair start = writes ? to : from;
    Pair pointer, g = guard;
    for (const size_t t : k_both) {
      const uint8_t ow = pointers.offset_bits, cw = pool_.width(count[t]);
      const Term index = pool_.variable(cw, "element");
      g[t] = pool_.all(g[t], pool_.ult(index, count[t]));
      const auto widen = [&](Term x) { return pool_.width(x) > ow ? pool_.extract(x, 0, ow) : pool_.zext(x, ow); };
      Term element = widen(index);
      if (c.stride && c.stride_is_source != writes) element = pool_.mul(element, widen(get(a, c.stride)[t]));
      pointer[t] = pool_.concat(base_of(start[t]), pool_.add(offset_of(start[t]), pool_.scale(element, access.bytes)));
    }
    for (RegionId r : access.regions) {
      const size_t before = trace.accesses.size();
      log(writes ? AccessKind::write : AccessKind::read, access, r, g, pointer, both(pool_.no()), false, in.place,
          nullptr);
      if (trace.accesses.size() > before) {
        trace.accesses.back().mode = order::Mode::asynchronous;
        trace.accesses.back().event = handle;
      }
    }
  }
}

void Execution::wait_events(Activation& a, const Instruction& in, const WaitEvents& w, Pair guard, Mode mode) {
  ++position_;
  if (const auto own = ir::own_wait(*a.f, w)) return own_wait(*own, guard, mode);
  if (pairing_ == Pairing::same_group) {
    std::vector<Term> same;
    for (ValueId v : w.events) same.push_back(pool_.eq(get(a, v)[0], get(a, v)[1]));
    const Term agree = pool_.all(pool_.eq(guard[0], guard[1]),
                                 pool_.implies(pool_.all(guard[0], guard[1]), pool_.all(std::move(same))));
    oblige(Kind::async_operands, pool_.not_(agree), in.place, true, mode);
    if (mode.lockstep) fact(pool_.yes(), agree, 0, true);
  }
  if (!mode.log) return;
  for (ValueId v : w.events) trace.waits.push_back({position_, guard, get(a, v), {}});
}

}  // namespace fencepost::prove

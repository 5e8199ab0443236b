// Loads, stores and atomics: what is logged, what must be excluded, what is read.
#include <algorithm>

#include "prove/execute.h"

namespace fencepost::prove {

using namespace kir;

bool Execution::conflicts_possible(RegionId r) const {
  const Region& region = m_.region(r);
  if (region.space == Space::private_ || region.space == Space::constant) return false;
  if (region.space == Space::group && pairing_ == Pairing::other_group) return false;
  const flow::FunctionEffects& e = effects_.function(entry_);
  return e.writes[r.index] != 0 || e.atomics[r.index] != 0;
}

void Execution::log(AccessKind kind, const Access& access, RegionId r, Pair guard, Pair pointer, Pair value,
                    bool pointer_value, PlaceId place, const Atomic* at) {
  if (!conflicts_possible(r)) return;
  AccessRecord x;
  x.kind = kind;
  x.region = r;
  for (size_t t = 0; t < 2; ++t) {
    x.guard[t] = pool_.all(guard[t], pool_.eq(base_of(pointer[t]), pool_.constant(r.index + 1, 16)));
    x.offset[t] = offset_of(pointer[t]);
    x.before[t] = memory.state[r.index][t];
  }
  if (pool_.is_false(x.guard[0]) && pool_.is_false(x.guard[1])) return;
  x.value = value;
  x.bytes = access.bytes;
  x.pointer = pointer_value;
  x.place = place;
  x.site = access.site;
  x.part = access.part;
  x.position = position_;
  x.local_segment = local_segment_;
  x.global_segment = global_segment_;
  x.second = second_;
  x.atomic = at;
  accesses.push_back(std::move(x));
}

// The set of the current interval. Summaries of loops pass their accesses on to the loop's head.
void Execution::track(AccessKind kind, const Access& access, Pair guard, Pair pointer, Mode mode) {
  if (!tracking_) return;
  for (RegionId r : access.regions) {
    const Space space = m_.region(r).space;
    if (space == Space::private_ || space == Space::constant) continue;
    Pair here, offset;
    for (size_t t = 0; t < 2; ++t) {
      here[t] = pool_.all(guard[t], pool_.eq(base_of(pointer[t]), pool_.constant(r.index + 1, 16)));
      offset[t] = offset_of(pointer[t]);
    }
    if (collector_ != nullptr) collector_->push_back({r.index, static_cast<uint8_t>(kind), here, offset});
    if (!mode.check) continue;
    const auto key = std::make_pair(r.index, static_cast<uint8_t>(kind));
    auto it = sets_.find(key);
    if (it == sets_.end())
      it = sets_.emplace(key, Tracked{both(pool_.no()), both(pool_.constant(0, pointers.offset_bits))}).first;
    const Pair chosen = unknown(1, "tracked", false);
    for (size_t t = 0; t < 2; ++t) {
      const Term now = pool_.all(here[t], chosen[t]);
      it->second.occurred[t] = pool_.any(it->second.occurred[t], now);
      it->second.offset[t] = pool_.ite(now, offset[t], it->second.offset[t]);
    }
  }
}

Term Execution::accessed(const Compute& c, Term pointer, int thread, uint8_t width, Mode mode) {
  const auto t = static_cast<size_t>(thread);
  const Term base = base_of(pointer);
  // In a summary or a repeated iteration the set is not known.
  if ((!mode.check && header_ == Header::assume) || !pool_.is_constant(base) || pool_.value(base) == 0 ||
      pool_.value(base) > m_.regions.size())
    return memory.any(width);
  const auto it = sets_.find({static_cast<uint32_t>(pool_.value(base) - 1), static_cast<uint8_t>(c.imm)});
  if (c.op == Op::accessed) {
    const Term occurred = it == sets_.end() ? pool_.no() : it->second.occurred[t];
    return width == 1 ? occurred : pool_.zext(occurred, width);
  }
  const Term offset = it == sets_.end() ? pool_.constant(0, pointers.offset_bits) : it->second.offset[t];
  return width <= pointers.offset_bits ? pool_.extract(offset, 0, width) : pool_.zext(offset, width);
}

// The loads in an expression are reads of this thread: what it states of memory must not change under it.
void Execution::log_spec_reads(Activation& a, ValueId v, Pair guard, PlaceId place, Mode mode, int depth) {
  const Instruction* in = a.recurrences->definition(v);
  if (in == nullptr || depth > 60) return;
  if (const auto* l = std::get_if<Load>(&in->action); l != nullptr && l->spec) {
    Pair pointer;
    for (int t = 0; t < 2; ++t) pointer[static_cast<size_t>(t)] = pure(a, l->access.pointer, t, mode, nullptr);
    ++position_;
    for (RegionId r : l->access.regions)
      log(AccessKind::read, l->access, r, guard, pointer, both(pool_.no()), false, place, nullptr);
    log_spec_reads(a, l->access.pointer, guard, place, mode, depth + 1);
    return;
  }
  if (const auto* c = std::get_if<Compute>(&in->action))
    for (ValueId o : c->operands) log_spec_reads(a, o, guard, place, mode, depth + 1);
}

void Execution::pointer_checks(Activation& a, const Access& access, Pair pointer, Pair guard, PlaceId place, Mode mode,
                               bool writes) {
  (void)a;
  const Term base = base_of(pointer[0]);
  std::vector<Term> nowhere{guard[0]};
  for (RegionId r : access.regions) {
    const Term here = pool_.eq(base, pool_.constant(r.index + 1, 16));
    nowhere.push_back(pool_.not_(here));
    if (!mode.check || pool_.is_false(here)) continue;
    const Region& region = m_.region(r);
    if (writes && region.space == Space::constant) {
      if (Obligation* o = oblige(Kind::constant_write, pool_.all(guard[0], here), place, false, mode); o != nullptr)
        o->region = r;
    }
    if (options_.check_bounds && region.size && region.origin != Origin::image) {
      const uint8_t ow = pointers.offset_bits;
      const Term offset = offset_of(pointer[0]);
      const Term fits = *region.size >= access.bytes
                            ? pool_.ule(offset, pool_.constant(*region.size - access.bytes, ow))
                            : pool_.no();
      if (Obligation* o = oblige(Kind::out_of_bounds, pool_.all({guard[0], here, pool_.not_(fits)}), place, false, mode);
          o != nullptr) {
        o->region = r;
        o->offset = offset;
        o->bytes = access.bytes;
      }
    }
  }
  if (Obligation* o = oblige(Kind::null_pointer, pool_.all(std::move(nowhere)), place, false, mode); o != nullptr) {
    o->bytes = access.bytes;
    if (!access.regions.empty()) o->region = access.regions.front();
  }
}

void Execution::load(Activation& a, const Instruction& in, const Load& l, Pair guard, Mode mode) {
  const Type type = a.f->value(in.results[0]).type;
  const bool pointer_value = type.kind == Type::pointer;
  const Pair pointer = get(a, l.access.pointer);
  Pair v;
  for (size_t t = 0; t < 2; ++t) {
    if (pool_.is_false(guard[t])) {
      v[t] = memory.any(width(type));
      continue;
    }
    Term r;
    for (RegionId region : l.access.regions) {
      const Term here = pool_.eq(base_of(pointer[t]), pool_.constant(region.index + 1, 16));
      if (pool_.is_false(here)) continue;
      const Term x = l.access.is_volatile && m_.region(region).space != Space::private_
                         ? memory.any(width(type))
                         : memory.read(region, static_cast<int>(t), offset_of(pointer[t]), l.access.bytes, pointer_value);
      r = r ? pool_.ite(here, x, r) : x;
    }
    v[t] = r ? r : memory.any(width(type));
    if (pool_.width(v[t]) != width(type)) v[t] = memory.any(width(type));
  }
  set(a, in.results[0], v);
  if (l.spec) return;
  ++position_;
  pointer_checks(a, l.access, pointer, guard, in.place, mode, false);
  track(AccessKind::read, l.access, guard, pointer, mode);
  if (!mode.log) return;
  for (RegionId r : l.access.regions)
    log(AccessKind::read, l.access, r, guard, pointer, v, pointer_value, in.place, nullptr);
}

void Execution::store(Activation& a, const Instruction& in, const Store& s, Pair guard, Mode mode) {
  const Pair pointer = get(a, s.access.pointer);
  const Pair value = get(a, s.value);
  const bool pointer_value = a.f->value(s.value).type.kind == Type::pointer;
  ++position_;
  pointer_checks(a, s.access, pointer, guard, in.place, mode, true);
  track(AccessKind::write, s.access, guard, pointer, mode);
  if (mode.log)
    for (RegionId r : s.access.regions)
      log(AccessKind::write, s.access, r, guard, pointer, value, pointer_value, in.place, nullptr);
  for (RegionId r : s.access.regions) {
    if (memory.adversarial(r)) continue;
    for (size_t t = 0; t < 2; ++t) {
      const Term here = pool_.eq(base_of(pointer[t]), pool_.constant(r.index + 1, 16));
      memory.write(r, static_cast<int>(t), pool_.all(guard[t], here), offset_of(pointer[t]), s.access.bytes,
                   pointer_value, value[t]);
    }
  }
}

void Execution::atomic(Activation& a, const Instruction& in, const Atomic& at, Pair guard, Mode mode) {
  const Pair pointer = get(a, at.access.pointer);
  ++position_;
  pointer_checks(a, at.access, pointer, guard, in.place, mode, at.op != AtomicOp::load);
  track(AccessKind::atomic, at.access, guard, pointer, mode);
  const Pair nothing = both(pool_.no());
  if (!in.results.empty()) set(a, in.results[0], unknown(width(a.f->value(in.results[0]).type), "atomic", false));
  // A private location has one thread: its update is a write of an unknown value.
  for (RegionId r : at.access.regions)
    if (m_.region(r).space == Space::private_)
      for (size_t t = 0; t < 2; ++t)
        memory.write(r, static_cast<int>(t), guard[t], offset_of(pointer[t]), at.access.bytes, false,
                     memory.any(static_cast<uint8_t>(8 * at.access.bytes)));
  if (!mode.log) return;
  for (RegionId r : at.access.regions)
    log(AccessKind::atomic, at.access, r, guard, pointer, nothing, false, in.place, &at);
}

}  // namespace fencepost::prove

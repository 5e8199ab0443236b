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

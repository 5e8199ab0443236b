#include "prove/memory.h"

#include <bit>

namespace fencepost::prove {

using namespace ir;

Memory::Memory(Pool& pool, const Module& m, Pointers pointers, bool same_group)
    : pool_(pool),
      module_(m),
      pointers_(pointers),
      same_group_(same_group),
      adversarial_(m.regions.size()),
      settled_(m.regions.size()) {
  for (uint32_t r = 0; r < m.regions.size(); ++r) {
    std::array<uint32_t, 2> heads{};
    for (const size_t t : k_both) {
      Layer l;
      l.guard = pool_.yes();
      const Region& region = m.regions[r];
      l.kind = region.contents == Contents::given  ? Layer::initial
               : region.contents == Contents::zero ? Layer::zero
               : region.pointers.empty()           ? Layer::unknown
                                                   : Layer::initial;
      l.name = "m" + std::to_string(r) + ".0" + (common({r}) ? "" : t == 0 ? "a" : "b");
      layers_.push_back(std::move(l));
      heads[t] = static_cast<uint32_t>(layers_.size() - 1);
    }
    state.push_back(heads);
  }
}

bool Memory::common(RegionId r) const {
  switch (module_.region(r).space) {
    case Space::global:
    case Space::constant:
      return true;
    case Space::group:
      return same_group_;
    case Space::private_:
      return module_.region(r).origin == Origin::by_value;  // the same unknown structure for every thread
  }
  return false;
}

RegionId Memory::contents(const Module& m, const std::string& symbol) {
  size_t end = 1;
  while (end < symbol.size() && symbol[end] >= '0' && symbol[end] <= '9') ++end;
  if (symbol.empty() || symbol[0] != 'm' || end == 1 || end >= symbol.size() || symbol[end] != '.') return {};
  const auto r = static_cast<uint32_t>(std::stoul(symbol.substr(1, end - 1)));
  const Space space = m.regions[r].space;
  return space == Space::global || space == Space::group ? RegionId{r} : RegionId{};
}

Term Memory::any(uint8_t width) { return pool_.variable(width, "any" + std::to_string(pool_.variables())); }

void Memory::write(RegionId r, int thread, Term guard, Term offset, uint32_t bytes, bool pointer, Term value) {
  if (pool_.is_false(guard)) return;
  Layer l{Layer::store, guard, offset, value, bytes, pointer, {}, state[r.index][static_cast<size_t>(thread)]};
  layers_.push_back(std::move(l));
  state[r.index][static_cast<size_t>(thread)] = static_cast<uint32_t>(layers_.size() - 1);
}

void Memory::settle(RegionId r) {
  const Term always = pool_.yes();
  forget(r, {always, always}, true);
  adversarial_[r.index] = 0;
  settled_[r.index] = 1;
}

void Memory::forget(RegionId r, int thread, Term guard) {
  if (pool_.is_false(guard) || settled_[r.index] != 0) return;
  Layer l;
  l.guard = guard;
  l.name = "m" + std::to_string(r.index) + "." + std::to_string(++epoch_) + (thread == 0 ? "a" : "b");
  l.below = state[r.index][static_cast<size_t>(thread)];
  layers_.push_back(std::move(l));
  state[r.index][static_cast<size_t>(thread)] = static_cast<uint32_t>(layers_.size() - 1);
}

void Memory::forget(RegionId r, Pair guard, bool shared) {
  if (settled_[r.index] != 0) return;
  if (!shared || !common(r)) {
    forget(r, 0, guard[0]);
    forget(r, 1, guard[1]);
    return;
  }
  ++epoch_;
  for (const size_t t : k_both) {
    if (pool_.is_false(guard[t])) continue;
    Layer l;
    l.guard = guard[t];
    l.name = "m" + std::to_string(r.index) + "." + std::to_string(epoch_);
    l.below = state[r.index][t];
    layers_.push_back(std::move(l));
    state[r.index][t] = static_cast<uint32_t>(layers_.size() - 1);
  }
}

bool Memory::copy(RegionId to, RegionId from, int thread) {
  const Region& region = module_.region(from);
  if (region.contents == Contents::given || !region.pointers.empty() || adversarial(from) || adversarial(to))
    return false;
  const auto t = static_cast<size_t>(thread);
  state[to.index][t] = state[from.index][t];
  return true;
}

// Contents that the program text gives.
Term Memory::initial(RegionId r, int thread, Term offset, uint32_t bytes, bool pointer) {
  const Region& region = module_.region(r);
  const uint64_t size = region.initial.size();
  const uint8_t width = width_of(bytes, pointer);
  if (region.contents != Contents::given) {
    // Unknown but for the pointers in it.
    Term v =
        pool_.apply(pool_.symbol("m" + std::to_string(r.index) + ".0" + (pointer ? "p" : "w") + std::to_string(width) +
                                 (common(r)     ? ""
                                  : thread == 0 ? "a"
                                                : "b")),
                    width, {offset});
    const uint8_t ow = pool_.width(offset);
    for (const InitialPointer& p : region.pointers) {
      const uint64_t base = p.target ? p.target.index + 1 : k_function_base + p.function.index;
      const Term same = pool_.eq(offset, pool_.constant(p.offset, ow));
      if (pool_.is_false(same) || !pointer) continue;
      Term there = pool_.constant(
          base << pointers_.offset_bits | (static_cast<uint64_t>(p.addend) & formula::ones(pointers_.offset_bits)),
          width);
      if (const auto null = nulls_.find({r.index, p.offset}); null != nulls_.end())
        there = pool_.concat(pool_.ite(null->second, pool_.constant(0, 16), pool_.constant(base, 16)),
                             pool_.extract(there, 0, pointers_.offset_bits));
      v = pool_.ite(same, there, v);
    }
    return v;
  }
  const auto at = [&](uint64_t o) -> Term {
    for (const InitialPointer& p : region.pointers)
      if (p.offset == o) {
        if (!pointer) return any(width);
        const uint64_t base = p.target ? p.target.index + 1 : k_function_base + p.function.index;
        return pool_.constant(
            base << pointers_.offset_bits | (static_cast<uint64_t>(p.addend) & formula::ones(pointers_.offset_bits)),
            width);
      } else if (p.offset < o + bytes && o < p.offset + module_.pointer_bits / 8) {
        return any(width);
      }
    uint64_t v = 0;
    for (uint32_t i = 0; i < bytes && i < 8; ++i) v |= uint64_t{region.initial[o + i]} << (8 * i);
    if (pointer) return v == 0 ? pool_.constant(0, width) : any(width);
    return pool_.constant(v, width);
  };
  if (pool_.is_constant(offset)) {
    const uint64_t o = pool_.value(offset);
    return o + bytes <= size ? at(o) : any(width);
  }
  if (size / bytes > 64 || pool_[offset].trailing_zeros < std::countr_zero(bytes) || !std::has_single_bit(bytes))
    return pool_.apply(pool_.symbol("init" + std::to_string(r.index) + "w" + std::to_string(width)), width, {offset});
  Term v = any(width);
  for (uint64_t o = 0; o + bytes <= size; o += bytes)
    v = pool_.ite(pool_.eq(offset, pool_.constant(o, pool_.width(offset))), at(o), v);
  return v;
}

Term Memory::read_of_both(RegionId r, int thread, Term offset, uint32_t bytes, bool pointer) {
  const Term own = read(r, thread, offset, bytes, pointer);
  if (!common(r) || adversarial_[r.index] != 0) return own;
  const auto t = static_cast<size_t>(thread);
  const uint8_t width = width_of(bytes, pointer);
  std::vector<std::pair<Term, Term>> cases;
  for (uint32_t at = state[r.index][1 - t]; at != ~0u; at = layers_[at].below) {
    const Layer l = layers_[at];
    if (l.kind != Layer::store) {
      // What both have seen: then they are alike below as well.
      bool shared = false;
      for (uint32_t mine = state[r.index][t]; mine != ~0u && !shared; mine = layers_[mine].below)
        shared = layers_[mine].kind == l.kind && layers_[mine].name == l.name;
      cases.emplace_back(l.guard, shared ? own : any(width));
      if (pool_.is_true(l.guard)) break;
      continue;
    }
    const Term d = pool_.sub(offset, l.offset), same = pool_.eq(l.offset, offset);
    const Term near = pool_.any(pool_.ult(d, pool_.constant(l.bytes, pointers_.offset_bits)),
                                pool_.ult(pool_.neg(d), pool_.constant(bytes, pointers_.offset_bits)));
    const bool whole = l.bytes == bytes && l.pointer == pointer;
    const auto aligned = [&](Term o) {
      return std::has_single_bit(bytes) && pool_[o].trailing_zeros >= std::countr_zero(bytes);
    };
    if (whole) cases.emplace_back(pool_.all(l.guard, same), l.value);
    if (!whole || !aligned(l.offset) || !aligned(offset)) cases.emplace_back(pool_.all(l.guard, near), any(width));
  }
  Term v = own;
  for (size_t i = cases.size(); i-- > 0;) v = pool_.ite(cases[i].first, cases[i].second, v);
  return v;
}

Term Memory::read_at(uint32_t head, RegionId r, int thread, Term offset, uint32_t bytes, bool pointer) {
  const uint8_t width = width_of(bytes, pointer);
  if (adversarial_[r.index] != 0) return any(width);
  // Conditions and values from the newest layer on; the last one has no condition: the lowest layer at the latest.
  std::vector<std::pair<Term, Term>> cases;
  Term last;
  const uint8_t ow = pointers_.offset_bits;
  uint32_t steps = 0;
  for (uint32_t at = head; at != ~0u; at = layers_[at].below) {
    const Layer l = layers_[at];
    if (++steps > 300) {
      last = any(width);
      break;
    }
    if (l.kind == Layer::store) {
      if (l.bytes == bytes && l.pointer == pointer) {
        const Term same = pool_.eq(l.offset, offset);
        const auto aligned = [&](Term o) {
          return std::has_single_bit(bytes) && pool_[o].trailing_zeros >= std::countr_zero(bytes);
        };
        if (!(aligned(l.offset) && aligned(offset))) {
          // Partial overlaps are possible.
          const Term d = pool_.sub(offset, l.offset);
          const Term near =
              pool_.any(pool_.ult(d, pool_.constant(bytes, ow)), pool_.ult(pool_.neg(d), pool_.constant(bytes, ow)));
          const Term partly = pool_.all({l.guard, near, pool_.not_(same)});
          if (!pool_.is_false(partly)) cases.emplace_back(partly, any(width));
        }
        const Term hit = pool_.all(l.guard, same);
        if (pool_.is_false(hit)) continue;
        if (pool_.is_true(hit)) {
          last = l.value;
          break;
        }
        cases.emplace_back(hit, l.value);
        continue;
      }
      const Term d = pool_.sub(offset, l.offset);
      const Term near =
          pool_.any(pool_.ult(d, pool_.constant(l.bytes, ow)), pool_.ult(pool_.neg(d), pool_.constant(bytes, ow)));
      const Term hit = pool_.all(l.guard, near);
      if (pool_.is_false(hit)) continue;
      Term v;
      if (!l.pointer && !pointer && pool_.is_constant(d) && pool_.value(d) + bytes <= l.bytes)
        v = pool_.extract(l.value, static_cast<uint8_t>(8 * pool_.value(d)), width);
      else
        v = any(width);
      if (pool_.is_true(hit)) {
        last = v;
        break;
      }
      cases.emplace_back(hit, v);
      continue;
    }
    Term v;
    if (l.kind == Layer::unknown)
      v = pool_.apply(pool_.symbol(l.name + (pointer ? "p" : "w") + std::to_string(width)), width, {offset});
    else if (l.kind == Layer::zero)
      v = pool_.constant(0, width);
    else
      v = initial(r, thread, offset, bytes, pointer);
    if (pool_.is_true(l.guard)) {
      last = v;
      break;
    }
    cases.emplace_back(l.guard, v);
  }
  for (size_t i = cases.size(); i-- > 0;) last = pool_.ite(cases[i].first, cases[i].second, last);
  return last;
}

}  // namespace fencepost::prove

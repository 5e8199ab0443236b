#include "interp/memory.h"

#include <algorithm>

namespace fencepost::interp {

uint32_t Memory::instance(ir::RegionId r, uint64_t owner) {
  auto [it, fresh] = numbers_.try_emplace({r.index, owner}, static_cast<uint32_t>(instances_.size()));
  if (fresh) {
    const ir::Region& region = m_.region(r);
    Instance i;
    i.region = r;
    i.size = region.size;
    // What a structure passed by value holds is the same for all threads.
    i.salt = mix(inputs_.seed, mix(r.index, region.origin == ir::Origin::by_value ? 0 : owner));
    instances_.push_back(std::move(i));
    const uint32_t number = it->second;
    for (const ir::InitialPointer& p : region.pointers) {
      Val v;
      if (p.target)
        v = {.kind = Val::pointer, .instance = instance(p.target, 0), .bits = static_cast<uint64_t>(p.addend)};
      if (p.function) v = {.kind = Val::function, .bits = p.function.index};
      write(number, p.offset, m_.pointer_bits / 8, v);
    }
    return number;
  }
  return it->second;
}

uint64_t Memory::drawn(uint64_t salt, uint64_t at) const {
  const uint64_t h = mix(salt, at);
  switch (inputs_.drawn) {
    case Inputs::zeros:
      return 0;
    case Inputs::tiny:
      return h >> 8 & 15;
    case Inputs::small:
      return h % 8 == 0 ? h >> 8 & 0xffffffffu : h >> 8 & 15;
    case Inputs::wild:
      break;
  }
  return h & 0xffffffffu;
}

uint8_t Memory::read_byte(uint32_t i, uint64_t offset) {
  Instance& x = instances_[i];
  if (const auto it = x.bytes.find(offset); it != x.bytes.end()) return it->second;
  const ir::Region& r = m_.region(x.region);
  if (const auto given = inputs_.contents.find(x.region.index);
      given != inputs_.contents.end() && offset < given->second.size())
    return given->second[offset];
  if (inputs_.zeroed.contains(x.region.index)) return 0;
  if (r.contents == ir::Contents::given && offset < r.initial.size()) return r.initial[offset];
  if (r.contents != ir::Contents::unknown) return 0;
  const uint64_t element = std::min<uint64_t>(std::max<uint32_t>(r.element, 1), 4);
  return static_cast<uint8_t>(drawn(x.salt, offset / element) >> (8 * (offset % element)));
}

Val Memory::read(uint32_t i, uint64_t offset, uint32_t bytes, bool pointer) {
  Val v;
  for (uint32_t k = bytes; k-- > 0;) v.bits = v.bits << 8 | read_byte(i, offset + k);
  if (const auto& made_up = instances_[i].made_up; !made_up.empty())
    for (uint32_t k = 0; k < bytes; ++k) v.made_up = v.made_up || made_up.contains(offset + k);
  if (bytes == m_.pointer_bits / 8)
    if (const auto it = instances_[i].pointers.find(offset);
        it != instances_[i].pointers.end() && (pointer || it->second.kind == Val::function))
      return it->second;
  if (!pointer) return v;
  Val p = this->pointer(v.bits);
  p.made_up = v.made_up;
  return p;
}

void Memory::write(uint32_t i, uint64_t offset, uint32_t bytes, const Val& v) {
  const uint64_t word = v.kind == Val::number ? v.bits : v.kind == Val::function ? 0xf0000000u + v.bits : address(v);
  Instance& x = instances_[i];
  if (!x.pointers.empty())
    for (uint64_t at = offset < 8 ? 0 : offset - 7; at < offset + bytes; ++at) x.pointers.erase(at);
  for (uint32_t k = 0; k < bytes && (v.made_up || !x.made_up.empty()); ++k) {
    if (v.made_up)
      x.made_up.insert(offset + k);
    else
      x.made_up.erase(offset + k);
  }
  for (uint32_t k = 0; k < bytes; ++k) x.bytes[offset + k] = static_cast<uint8_t>(word >> (8 * k));
  if (v.kind != Val::number && !(v.kind == Val::pointer && v.instance == 0)) x.pointers[offset] = v;
}

uint64_t Memory::address(const Val& v) {
  if (v.kind == Val::number) return v.bits;
  if (v.instance == 0) return v.bits & mask(m_.pointer_bits);
  uint64_t start = next_base_;
  if (const ir::Region& r = m_.region(instances_[v.instance].region);
      inputs_.spread && r.origin == ir::Origin::parameter) {
    const uint64_t element = std::max<uint32_t>(1, r.element),
                   alignment = std::min<uint64_t>(16, element & ~(element - 1));
    start += drawn(mix(inputs_.seed, 0xa116), v.instance) % 16 * alignment;
  }
  auto [it, fresh] = bases_.try_emplace(v.instance, start);
  if (fresh) {
    by_base_[start] = v.instance;
    next_base_ += (instances_[v.instance].size.value_or(limits_.window) + 0x20fff) & ~uint64_t{0xffff};
  }
  return (it->second + v.bits) & mask(m_.pointer_bits);
}

Val Memory::pointer(uint64_t address) {
  auto it = by_base_.upper_bound(address);
  if (address == 0 || it == by_base_.begin()) return {.kind = Val::pointer, .bits = address};
  --it;
  return {.kind = Val::pointer, .instance = it->second, .bits = address - it->first};
}

}  // namespace fencepost::interp

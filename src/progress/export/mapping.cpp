#include "export/mapping.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/diagnostic.h"
#include "export/table.h"

namespace fencepost::exports {

std::string_view to_string(Mapping m) {
  return m == Mapping::table ? std::string_view("table") : mapping_names()[static_cast<size_t>(m)];
}

const std::vector<std::string>& mapping_names() {
  static const std::vector<std::string> names = {"plain", "round-robin", "chunked", "hybrid", "paired"};
  return names;
}

std::optional<Mapping> mapping_from(std::string_view name) {
  const auto& names = mapping_names();
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<Mapping>(i);
  return std::nullopt;
}

uint32_t instances(const Layout& layout) {
  FENCEPOST_INVARIANT(layout.threads > 0 && layout.threads <= layout.total && layout.total <= k_max_total,
                      "a layout has between T and 2^24 invocations");
  if (layout.mapping == Mapping::table) return layout.table->instances;
  return layout.mapping == Mapping::plain ? 1 : layout.total / layout.threads;
}

uint32_t participants(const Layout& layout) { return layout.threads * instances(layout); }

namespace {

uint64_t split_mix(uint64_t& state) {
  uint64_t z = state += 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

uint32_t mix(uint32_t half, uint32_t key, uint32_t half_bits) {
  uint32_t m = (half + key) * k_mix_first;
  m = (m ^ (m >> 15)) * k_mix_second;
  return m >> (32 - half_bits);
}

}  // namespace

Permutation permutation(uint32_t size, uint64_t seed) {
  FENCEPOST_INVARIANT(size > 0 && size <= k_max_total, "a permutation has 1 to 2^24 values");
  Permutation p;
  p.size = size;
  const uint32_t bits = size == 1 ? 1 : static_cast<uint32_t>(std::bit_width(size - 1));
  p.half_bits = (bits + 1) / 2;
  uint64_t state = seed;
  for (auto& key : p.keys) key = static_cast<uint32_t>(split_mix(state) >> 32);
  return p;
}

uint32_t forward(const Permutation& p, uint32_t value) {
  const uint32_t mask = (1u << p.half_bits) - 1;
  do {
    uint32_t left = value >> p.half_bits, right = value & mask;
    for (const uint32_t key : p.keys) left = std::exchange(right, left ^ mix(right, key, p.half_bits));
    value = left << p.half_bits | right;
  } while (value >= p.size);
  return value;
}

uint32_t backward(const Permutation& p, uint32_t value) {
  const uint32_t mask = (1u << p.half_bits) - 1;
  do {
    uint32_t left = value >> p.half_bits, right = value & mask;
    for (auto key = p.keys.rbegin(); key != p.keys.rend(); ++key)
      right = std::exchange(left, right ^ mix(left, *key, p.half_bits));
    value = left << p.half_bits | right;
  } while (value >= p.size);
  return value;
}

std::optional<Role> role_of(const Layout& layout, uint32_t gid) {
  if (layout.mapping == Mapping::table) return gid < layout.total ? layout.table->roles[gid] : std::nullopt;
  const uint32_t used = participants(layout), t = layout.threads;
  if (gid >= used) return std::nullopt;
  switch (layout.mapping) {
    case Mapping::plain:
      return Role{gid, 0};
    case Mapping::round_robin:
      return Role{gid % t, gid / t};
    case Mapping::chunked:
      return Role{gid / (used / t), gid % (used / t)};
    case Mapping::hybrid: {
      const Permutation p = permutation(used, layout.seed);
      Role role{0, forward(p, gid) / t};
      for (uint32_t j = 0; j < t; ++j) role.thread += backward(p, role.instance * t + j) < gid;
      return role;
    }
    case Mapping::paired: {
      const uint32_t count = used / t, together = std::min(t, 2u);
      if (gid < together * count) return Role{gid % together, gid / together};
      return Role{gid / count, gid % count};
    }
    case Mapping::table:
      break;
  }
  std::unreachable();
}

uint32_t gid_of(const Layout& layout, Role role) {
  const uint32_t count = instances(layout), t = layout.threads;
  FENCEPOST_INVARIANT(role.thread < t && role.instance < count, "a role is a thread of an instance");
  switch (layout.mapping) {
    case Mapping::plain:
      return role.thread;
    case Mapping::round_robin:
      return role.instance * t + role.thread;
    case Mapping::chunked:
      return role.thread * count + role.instance;
    case Mapping::hybrid: {
      // The id of rank `thread` in the group: as many smaller ones as the number says. Quadratic in T, which is at
      // most 64.
      const Permutation p = permutation(t * count, layout.seed);
      for (uint32_t j = 0; j < t; ++j) {
        const uint32_t gid = backward(p, role.instance * t + j);
        uint32_t smaller = 0;
        for (uint32_t i = 0; i < t; ++i) smaller += backward(p, role.instance * t + i) < gid;
        if (smaller == role.thread) return gid;
      }
      break;
    }
    case Mapping::paired: {
      const uint32_t together = std::min(t, 2u);
      return role.thread < together ? role.instance * together + role.thread : role.thread * count + role.instance;
    }
    case Mapping::table:
      for (uint32_t gid = 0; gid < layout.total; ++gid)
        if (layout.table->roles[gid] == role) return gid;
      break;
  }
  std::unreachable();
}

}  // namespace fencepost::exports

#include "plan/map.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "base/diagnostic.h"

namespace fencepost::plan {
namespace {

uint64_t shift(const RoleMap& r, uint64_t l, uint64_t x) { return (r.d_offset + l * r.d_k % r.d_m) % x; }

uint32_t coprime(uint32_t n, bool shuffle, Rng& rng) {
  if (!shuffle || n < 3) return 1;
  while (true)
    if (const uint32_t a = 1 + static_cast<uint32_t>(rng.below(n - 1)); std::gcd(a, n) == 1) return a;
}

// `count` different numbers below n, in random order or 0, 1, ...; all 0 when n is smaller (split: any will do).
std::vector<uint32_t> distinct(uint32_t count, uint32_t n, bool shuffle, Rng& rng) {
  std::vector<uint32_t> out;
  if (n < count) return std::vector<uint32_t>(count, 0);
  while (out.size() < count) {
    const auto x = shuffle ? static_cast<uint32_t>(rng.below(n)) : static_cast<uint32_t>(out.size());
    if (std::find(out.begin(), out.end(), x) == out.end()) out.push_back(x);
  }
  return out;
}

}  // namespace

Invocation place_of(const Map& m, uint32_t role, uint64_t instance) {
  const RoleMap& r = m.roles[role];
  const uint64_t l = instance % m.per_group(), c = instance / m.per_group();
  const uint64_t a = l / m.s, e = l % m.s;
  const uint64_t cluster = (c / m.y + shift(r, l, m.x)) % m.x, rank = (r.p * (c % m.y) + r.r) % m.y;
  const uint64_t warp = (r.a * a + r.o) % m.u, lane = (r.b * e + r.q) % m.s;
  const auto part = [](uint64_t number, uint64_t parts, uint64_t which) { return number * parts + which % parts; };
  return {part(cluster, m.cluster_parts, r.seat.cluster) * m.cluster + part(rank, m.rank_parts, r.seat.rank),
          part(warp, m.warp_parts, r.seat.warp) * m.subgroup + part(lane, m.lane_parts, r.seat.position), r.seat.place};
}

std::optional<uint64_t> instance_of(const Map& m, uint32_t role, Invocation at) {
  const RoleMap& r = m.roles[role];
  const uint64_t u = at.lane / m.subgroup, v = at.lane % m.subgroup;
  const uint64_t at_cluster = at.group / m.cluster, at_rank = at.group % m.cluster;
  if (at.place != r.seat.place || at_cluster % m.cluster_parts != r.seat.cluster % m.cluster_parts ||
      at_rank % m.rank_parts != r.seat.rank % m.rank_parts || u % m.warp_parts != r.seat.warp % m.warp_parts ||
      v % m.lane_parts != r.seat.position % m.lane_parts)
    return std::nullopt;
  const uint64_t cluster = at_cluster / m.cluster_parts, rank = at_rank / m.rank_parts, warp = u / m.warp_parts,
                 lane = v / m.lane_parts;
  if (cluster >= m.x || rank >= m.y || warp >= m.u || lane >= m.s) return std::nullopt;
  const uint64_t a = r.a_inverse * (warp + m.u - r.o) % m.u;
  const uint64_t e = r.b_inverse * (lane + m.s - r.q) % m.s;
  const uint64_t l = a * m.s + e;
  const uint64_t x = (cluster + m.x - shift(r, l, m.x)) % m.x, y = r.p_inverse * (rank + m.y - r.r) % m.y;
  return (x * m.y + y) * m.per_group() + l;
}

uint32_t least_groups(const Tree& tree, const MapWish& wish) { return tree.clusters * wish.cluster; }

uint32_t least_lanes(const Tree& tree, const MapWish& wish) { return wish.subgroup * tree.warps; }

Map draw_map(const Tree& tree, const MapWish& wish, Rng& rng) {
  Map m;
  m.subgroup = wish.subgroup;
  const bool split = wish.split || wish.one_instance || wish.one_lane;
  if (split) {
    m.cluster_parts = tree.clusters;
    m.rank_parts = tree.ranks;
    m.warp_parts = tree.warps;
    m.lane_parts = tree.positions;
  }
  m.cluster = wish.cluster;
  m.x = wish.one_instance ? 1 : wish.groups / wish.cluster / m.cluster_parts;
  m.y = wish.one_instance ? 1 : wish.cluster / m.rank_parts;
  m.c = m.x * m.y;
  m.u = wish.one_instance ? 1 : wish.lanes / wish.subgroup / m.warp_parts;
  m.s = wish.one_instance || wish.one_lane ? 1 : wish.subgroup / m.lane_parts;
  m.groups = m.x * m.cluster_parts * m.cluster;
  m.lanes = m.u * m.warp_parts * m.subgroup;
  FENCEPOST_INVARIANT(m.c > 0 && m.u > 0 && m.s > 0,
                      "a map was drawn for fewer workgroups or lanes than its test needs");
  FENCEPOST_INVARIANT(
      split || (m.x >= tree.clusters && m.y >= tree.ranks && m.u >= tree.warps && m.s >= tree.positions),
      "a fused map was drawn for fewer workgroups or lanes than its test needs");
  std::map<uint32_t, uint32_t> a_of;
  std::map<uint32_t, std::vector<uint32_t>> o_of;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> b_of;
  std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> q_of;
  std::map<uint32_t, uint32_t> p_of;
  std::map<uint32_t, std::vector<uint32_t>> r_of;
  // One m and one k for all clusters: the strides of distinct clusters must not overlap.
  // On several devices the first cluster of each but the first is moved too, so each has a stride.
  const bool several = tree.places.size() > 1;
  const uint32_t most = several             ? split ? m.x : m.x / tree.clusters
                        : tree.clusters < 2 ? 1
                        : split             ? m.x
                                            : (m.x - 1) / (tree.clusters - 1);
  const uint32_t spread = wish.shuffle && most > 1 && rng.chance(0.75) ? 1 + static_cast<uint32_t>(rng.below(most)) : 1;
  const auto k = static_cast<uint32_t>(spread > 1 ? rng.below(spread) : 0);
  for (const Seat& seat : tree.seats) {
    RoleMap r;
    r.seat = seat;
    const auto warp = std::pair(seat.block, seat.warp);
    if (!a_of.contains(seat.block)) {
      a_of[seat.block] = coprime(m.u, wish.shuffle, rng);
      o_of[seat.block] = distinct(tree.warps, m.u, wish.shuffle, rng);
    }
    if (!b_of.contains(warp)) {
      b_of[warp] = coprime(m.s, wish.shuffle, rng);
      q_of[warp] = distinct(tree.positions, m.s, wish.shuffle, rng);
    }
    r.a = a_of[seat.block];
    r.a_inverse = static_cast<uint32_t>(inverse(r.a, m.u));
    r.o = o_of[seat.block][seat.warp];
    r.b = b_of[warp];
    r.b_inverse = static_cast<uint32_t>(inverse(r.b, m.s));
    r.q = q_of[warp][seat.position];
    if (m.cluster > 1 && !p_of.contains(seat.cluster)) {
      p_of[seat.cluster] = coprime(m.y, wish.shuffle, rng);
      r_of[seat.cluster] = distinct(tree.ranks, m.y, wish.shuffle, rng);
    }
    if (m.cluster > 1) {
      r.p = p_of[seat.cluster];
      r.p_inverse = static_cast<uint32_t>(inverse(r.p, m.y));
      r.r = r_of[seat.cluster][seat.rank];
    }
    if (several) {
      r.d_offset = seat.cluster * spread;
      r.d_m = seat.place == tree.places.front() && seat.cluster == 0 ? 1 : spread;
      r.d_k = k;
    } else if (seat.cluster > 0) {
      r.d_offset = 1 + (seat.cluster - 1) * spread;
      r.d_m = spread;
      r.d_k = k;
    }
    m.roles.push_back(r);
  }
  return m;
}

Affine draw_affine(uint64_t n, bool shuffle, Rng& rng) {
  Affine f;
  f.n = n;
  if (!shuffle || n < 2) return f;
  do f.a = 1 + rng.below(n - 1);
  while (std::gcd(f.a, n) != 1);
  f.c = rng.below(n);
  return f;
}

uint64_t inverse(uint64_t a, uint64_t n) {
  int64_t t = 0, next_t = 1, r = static_cast<int64_t>(n), next_r = static_cast<int64_t>(a % n);
  while (next_r != 0) {
    const int64_t q = r / next_r;
    t = std::exchange(next_t, t - q * next_t);
    r = std::exchange(next_r, r - q * next_r);
  }
  if (n == 1) return 0;
  FENCEPOST_INVARIANT(r == 1, "an inverse was asked for that does not exist");
  return static_cast<uint64_t>(t < 0 ? t + static_cast<int64_t>(n) : t);
}

}  // namespace fencepost::plan

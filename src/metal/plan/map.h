#pragma once
// Which invocation plays which role of which test instance. A launch of T testing workgroups of W invocations (U = W /
// S subgroups of S) holds C * Uv * Sv instances; each role of each instance is one invocation, and by construction each
// invocation plays a role at most once:
//
//   instance (c, a, e), number (c * Uv + a) * Sv + e;  l = a * Sv + e
//   role at block b, warp w, position q of the tree:
//     group  ((c + d_b(l)) mod C) * group_parts + (b if split)          d_0 = 0,  d_b(l) = 1 + (b-1) m + (l k mod m)
//     warp   ((A_b a + O_bw) mod Uv) * warp_parts + (w if split)        gcd(A_b, Uv) = 1, O_bw distinct in b
//     lane   ((B_bw e + Q_bwq) mod Sv) * lane_parts + (q if split)      gcd(B_bw, Sv) = 1, Q distinct in the warp
//
// A launch with clusters of K workgroups splits the number of a workgroup into cluster and rank, and c into x * Y + y;
// the roles of block b, at rank j of cluster g of the tree, are then in group = cluster * K + rank with
//
//   cluster ((x + d_g(l)) mod X) * cluster_parts + (g if split)      d as above, over clusters
//   rank    ((P_g y + R_gj) mod Y) * rank_parts + (j if split)       gcd(P_g, Y) = 1, R_gj distinct in j
//
// so that blocks of one cluster are at different ranks of one cluster, and others in different clusters. K = 1 is the
// launch without clusters: X = C, Y = 1.
//
// On several devices each has a launch of the same shape, and the map is over them together: a role is played on the
// device of its seat alone, in the workgroup that the formulas name there (blocks, clusters and their parts are counted
// on their device; d_b = b m + (l k mod m)).
//
// `fused` (parts 1): every invocation plays every role, each of another instance, one after another. `split`: a
// workgroup plays one block, a subgroup one warp, a lane one position; an instance's roles never share an invocation
// with others'. Laws (property-tested): each role's map is a bijection from instances to the invocations that play it;
// roles of a block share a workgroup, of a warp a subgroup; roles of different blocks are in different workgroups, of
// different warps in different subgroups; different roles of one instance are different invocations; `instance_of`
// inverts `place_of`; blocks of one cluster of the tree share a cluster, and of different ones never. With m > 1 the
// partners of one workgroup's instances are spread over m workgroups.
//
// All arithmetic is in 64 bits here; `draw_map` keeps the numbers so small that 32 bits suffice for the kernels, but
// for the product in addresses (kernels use 64 bits there).
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/job.h"
#include "plan/tree.h"

namespace fencepost::plan {

struct Invocation {
  uint64_t group = 0, lane = 0;
  uint32_t place = 0;  // the device
  auto operator<=>(const Invocation&) const = default;
};

struct RoleMap {
  Seat seat;
  uint32_t a = 1, a_inverse = 1, o = 0;  // warps
  uint32_t b = 1, b_inverse = 1, q = 0;  // lanes
  uint32_t d_offset = 0, d_m = 1, d_k = 0;
  uint32_t p = 1, p_inverse = 1, r = 0;  // ranks
  bool operator==(const RoleMap&) const = default;
};

struct Map {
  uint32_t subgroup = 1;           // S
  uint32_t groups = 1, lanes = 1;  // T, W
  uint32_t c = 1, u = 1, s = 1;    // C, Uv, Sv
  uint32_t warp_parts = 1, lane_parts = 1;
  uint32_t cluster = 1;   // K
  uint32_t x = 1, y = 1;  // X, Y; C = X * Y
  uint32_t cluster_parts = 1, rank_parts = 1;
  std::vector<RoleMap> roles;
  uint64_t instances() const { return uint64_t{c} * u * s; }
  uint64_t per_group() const { return uint64_t{u} * s; }  // instances that meet in one workgroup, per block
  bool operator==(const Map&) const = default;
};
Invocation place_of(const Map& m, uint32_t role, uint64_t instance);
std::optional<uint64_t> instance_of(const Map& m, uint32_t role, Invocation at);  // none: it does not play the role

struct MapWish {
  uint32_t groups = 2, lanes = 1;  // of testing workgroups; made smaller to fit
  uint32_t subgroup = 1;
  bool split = false;
  bool one_instance = false;  // mode single
  bool one_lane = false;      // mode warp: one instance for each set of warps
  bool shuffle = true;        // else A = B = P = 1, O = w, Q = q, R = j, m = 1
  uint32_t cluster = 1;       // workgroups of a cluster, at least Tree::ranks; `groups` is a multiple of it
};
// Fewest workgroups and lanes that the tree needs under this wish.
uint32_t least_groups(const Tree& tree, const MapWish& wish);
uint32_t least_lanes(const Tree& tree, const MapWish& wish);
// Precondition: groups and lanes are at least those.
Map draw_map(const Tree& tree, const MapWish& wish, Rng& rng);

// x -> (a x + c) mod n with gcd(a, n) = 1: how instances lie in memory. n < 2^32, so that products fit.
struct Affine {
  uint64_t a = 1, c = 0, n = 1;
  uint64_t operator()(uint64_t x) const { return (a * x + c) % n; }
  bool operator==(const Affine&) const = default;
};
Affine draw_affine(uint64_t n, bool shuffle, Rng& rng);
uint64_t inverse(uint64_t a, uint64_t n);  // of a modulo n; precondition gcd(a, n) = 1

}  // namespace fencepost::plan

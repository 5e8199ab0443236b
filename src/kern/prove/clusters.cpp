// Clusters of groups: how large one is, which group of it a thread belongs to, and group memory of other groups.
//
// Without __cluster_dims__ the launch says how large a cluster is, or that there are none, which makes each group one
// of its own: then the size is any number up to 16 (CUDA C++ programming guide, "Thread Block Clusters": 8, and more
// on some devices if the kernel allows it). The grid has whole clusters only.
//
// A pointer to group memory has the number of a group in the bits of its offset from k_group_bits on, counted from the
// thread's own group: so a mapped address is another offset of the same array. Accesses of two groups of one cluster
// are compared by offsets that count from the first group of the cluster. An access by an address that was not mapped
// is to the thread's own group whatever its offset. Values: what such an array holds is any value at any time, and no
// count, lock or claim in it is looked at.
#include "flow/clusters.h"

#include "formula/solve.h"
#include "prove/execute.h"

namespace fencepost::prove {

using namespace ir;

namespace {

constexpr uint64_t k_most_blocks = 16;
constexpr uint8_t k_rank_bits = 12;

bool asks_for_ids(const Module& m, const flow::FunctionEffects& e) {
  for (size_t k = 0; k < m.functions.size(); ++k)
    for (const Block& b : m.functions[k].blocks)
      for (const Instruction& i : b.instructions)
        if (const auto* c = std::get_if<Compute>(&i.action); c != nullptr && e.reached[k] != 0) {
          const auto id = static_cast<IdKind>(c->imm);
          if (c->op == Op::map_rank) return true;
          if (c->op == Op::id && (id == IdKind::cluster_rank || id == IdKind::cluster_size)) return true;
        }
  return false;
}

}  // namespace

void Run::clusters(const std::function<void(Term)>& state) {
  if (groups_ == Groups::any && !asks_for_ids(m_, effects())) return;
  const auto number = [&](uint64_t n) { return pool_.constant(n, 32); };
  const auto below = [&](uint64_t count, std::string name) {
    std::vector<Term> bounds;
    const Term v = pool_.number_below(count, 32, std::move(name), bounds);
    for (const Term b : bounds) state(b);
    return v;
  };
  const auto& given = m_.function(entry_).cluster;
  std::vector<Term> apart;
  for (const size_t d : k_dimensions) {
    const Term groups = num_groups[d];
    Term& size = cluster_size[d];
    if (given[d] != 0) {
      size = number(given[d]);
    } else if (pool_.is_constant(groups)) {
      // One that divides the grid.
      const uint64_t n = pool_.value(groups);
      std::vector<Term> one_of;
      size = n == 1 ? number(1) : below(k_most_blocks + 1, "cluster_size." + std::to_string(d));
      for (uint64_t k = 1; k <= k_most_blocks; ++k)
        if (n % k == 0) one_of.push_back(pool_.eq(size, number(k)));
      state(pool_.any(std::move(one_of)));
    } else {
      size = below(k_most_blocks + 1, "cluster_size." + std::to_string(d));
      state(pool_.ule(number(1), size));
    }
    std::array<Term, 2> first;
    for (const size_t t : k_both) {
      Term& rank = cluster_rank[t][d];
      const Term id = group_id[t][d];
      if (t == 1 && pairing_ == Pairing::same_group) {
        rank = cluster_rank[0][d];
      } else if (given[d] != 0) {
        rank = pool_.urem(id, size);
      } else if (pool_.is_constant(size)) {
        rank = number(0);
      } else {
        rank = below(k_most_blocks, "cluster_rank" + std::to_string(t) + "." + std::to_string(d));
        state(pool_.ult(rank, size));
        state(pool_.ule(rank, id));
      }
      first[t] = pool_.sub(id, rank);
      state(pool_.ule(pool_.add(first[t], size), groups));
    }
    if (pairing_ == Pairing::same_group) continue;
    const Term same = pool_.eq(first[0], first[1]);
    if (of_one_cluster()) state(same);
    if (groups_ != Groups::of_one_cluster)
      state(pool_.any(
          {same, pool_.ule(pool_.add(first[0], size), first[1]), pool_.ule(pool_.add(first[1], size), first[0])}));
    apart.push_back(pool_.not_(same));
  }
  if (groups_ == Groups::of_two_clusters) state(pool_.any(std::move(apart)));
  state(pool_.ule(blocks_of_cluster(), number(k_most_blocks)));
}

Term Run::flat_rank(size_t thread) const {
  const auto& r = cluster_rank[thread];
  return pool_.add(r[0], pool_.mul(cluster_size[0], pool_.add(r[1], pool_.mul(cluster_size[1], r[2]))));
}

Term Run::blocks_of_cluster() const { return pool_.mul(cluster_size[0], pool_.mul(cluster_size[1], cluster_size[2])); }

// The same place of the group with this rank.
Term Execution::mapped(Term offset, Term rank, size_t thread) {
  const Term by = pool_.sub(pool_.extract(rank, 0, k_rank_bits), pool_.extract(flat_rank(thread), 0, k_rank_bits));
  return pool_.concat(pool_.add(pool_.extract(offset, k_group_bits, k_rank_bits), by),
                      pool_.extract(offset, 0, k_group_bits));
}

// The offset from the first group of the cluster on.
Term Execution::in_cluster(Term offset, bool remote, size_t thread) {
  const Term own = pool_.extract(flat_rank(thread), 0, k_rank_bits);
  return pool_.concat(remote ? pool_.add(pool_.extract(offset, k_group_bits, k_rank_bits), own) : own,
                      pool_.extract(offset, 0, k_group_bits));
}

// PTX ISA, mapa: of a rank that no group of the cluster has, nothing is said.
void Execution::rank_exists(Term rank, Term guard, PlaceId place, Mode mode) {
  Obligation* o =
      oblige(Kind::out_of_bounds, pool_.all(guard, pool_.ule(blocks_of_cluster(), rank)), place, false, mode);
  if (o != nullptr)
    o->assumes = fmt::format("the rank that an address is mapped to at {} is below the number of blocks of the cluster",
                             where(m_, place));
}

}  // namespace fencepost::prove

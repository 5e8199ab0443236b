#include "plan/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "prog/test.h"
#include "vocab/vocab.h"

namespace fencepost::plan {
namespace {

constexpr uint32_t k_group_level = 2, k_warp_level = 3;

Expected<void> one_device(const prog::Test& test) {
  const auto levels = vocab::levels(test.dialect);
  const prog::Thread* first = nullptr;
  for (const prog::Thread& t : test.threads) {
    if (t.scope.empty()) continue;
    if (t.scope.size() <= k_group_level)
      return unsupported_at(test.span, fmt::format("P{} has no {} of its own, so it cannot be placed on a device", t.id,
                                                   levels[k_group_level]));
    if (first == nullptr) first = &t;
    for (uint32_t level = 0; level < k_group_level; ++level)
      if (t.scope[level] != first->scope[level])
        return unsupported_at(
            test.span, fmt::format("P{} and P{} are in two {}s, and a launch has one", first->id, t.id, levels[level]),
            "runs place the threads of a test on one device and one queue");
  }
  return {};
}

}  // namespace

Expected<Tree> tree_of(const prog::Test& test, bool subgroups) {
  if (const auto ok = one_device(test); !ok) return std::unexpected(ok.error());
  Tree tree;
  std::map<std::vector<uint32_t>, uint32_t> blocks, warps;
  std::map<uint32_t, uint32_t> clusters;               // of the one device
  std::vector<uint32_t> cluster_of, rank_of, size_of;  // by block, by block, by cluster
  tree.clustered = std::any_of(test.threads.begin(), test.threads.end(),
                               [](const prog::Thread& t) { return t.cluster != prog::k_none; });
  std::vector<uint32_t> warps_of;  // by block
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> positions_of;
  for (const prog::Thread& t : test.threads) {
    std::vector<uint32_t> group(t.scope.begin(), t.scope.begin() + std::min<size_t>(t.scope.size(), k_group_level + 1));
    if (t.scope.empty()) group = {~0u, t.id};  // nobody else's
    const auto [b, new_block] = blocks.emplace(group, tree.blocks);
    if (new_block) {
      ++tree.blocks;
      warps_of.push_back(0);
      // A CTA that names no cluster is one of its own.
      const auto own = static_cast<uint32_t>(size_of.size());
      const uint32_t g = t.cluster == prog::k_none ? own : clusters.emplace(t.cluster, own).first->second;
      if (g == own) size_of.push_back(0);
      cluster_of.push_back(g);
      rank_of.push_back(size_of[g]++);
      tree.ranks = std::max(tree.ranks, size_of[g]);
    }
    Seat seat;
    seat.block = b->second;
    seat.cluster = cluster_of[seat.block];
    seat.rank = rank_of[seat.block];
    const bool has_warp = t.scope.size() > k_warp_level;
    std::vector<uint32_t> warp(t.scope);
    if (!has_warp || !subgroups) {
      if (has_warp && warps.contains(warp)) tree.merged = true;
      if (has_warp) warps.emplace(warp, 0);
      seat.warp = warps_of[seat.block]++;
    } else {
      const auto [w, new_warp] = warps.emplace(warp, warps_of[seat.block]);
      if (new_warp) ++warps_of[seat.block];
      seat.warp = w->second;
    }
    seat.position = positions_of[{seat.block, seat.warp}]++;
    tree.positions = std::max(tree.positions, seat.position + 1);
    tree.warps = std::max(tree.warps, seat.warp + 1);
    tree.seats.push_back(seat);
  }
  tree.clusters = static_cast<uint32_t>(size_of.size());
  return tree;
}

std::string to_string(const Tree& tree) {
  std::map<uint32_t, std::map<uint32_t, std::string>> text;
  for (size_t r = 0; r < tree.seats.size(); ++r) {
    std::string& warp = text[tree.seats[r].block][tree.seats[r].warp];
    warp = fmt::format("{}{}{}", warp, warp.empty() ? "" : " ", r);
  }
  std::map<uint32_t, std::string> clusters;
  for (const auto& [block, warps] : text) {
    const auto seat =
        std::find_if(tree.seats.begin(), tree.seats.end(), [&](const Seat& x) { return x.block == block; });
    std::string& out = clusters[seat->cluster];
    out += out.empty() ? "{" : " {";
    for (const auto& [warp, roles] : warps) {
      if (warp != warps.begin()->first) out += " ";
      out += warps.size() > 1 ? fmt::format("{{{}}}", roles) : roles;
    }
    out += "}";
  }
  std::string all;
  for (const auto& [cluster, blocks] : clusters)
    all +=
        fmt::format("{}{}{}{}", all.empty() ? "" : " ", tree.clustered ? "[" : "", blocks, tree.clustered ? "]" : "");
  return all;
}

std::string placement_name(const Tree& tree, const std::vector<bool>& shared_objects) {
  const auto n = static_cast<uint32_t>(tree.seats.size());
  const size_t shared = static_cast<size_t>(std::count(shared_objects.begin(), shared_objects.end(), true));
  const char* region = shared == 0 ? "Global" : shared == shared_objects.size() ? "Shared" : "mixed";
  if (n < 2) return fmt::format("alone-{}", region);
  if (tree.clustered && tree.blocks == n && tree.clusters == 1) return fmt::format("D-cta:S-cluster-{}", region);
  if (tree.clustered && tree.clusters == n) return fmt::format("D-cluster:S-ker-{}", region);
  if (tree.clustered) return fmt::format("mixed {}-{}", to_string(tree), region);
  if (tree.blocks == n) return fmt::format("D-cta:S-ker-{}", region);
  if (tree.blocks == 1 && tree.warps == n) return fmt::format("D-warp:S-cta-{}", region);
  if (tree.blocks == 1 && tree.warps == 1) return fmt::format("S-warp-{}", region);
  return fmt::format("mixed {}-{}", to_string(tree), region);
}

}  // namespace fencepost::plan

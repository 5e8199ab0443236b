#include "plan/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "prog/test.h"
#include "vocab/vocab.h"

namespace fencepost::plan {
namespace {

constexpr uint32_t k_device_level = 1, k_group_level = 2, k_warp_level = 3;

// Numbers of the test's devices, ascending.
std::vector<uint32_t> devices_of(const prog::Test& test) {
  std::set<uint32_t> out;
  for (const prog::Thread& t : test.threads)
    if (t.scope.size() > k_device_level) out.insert(t.scope[k_device_level]);
  return {out.begin(), out.end()};
}

Expected<void> placeable(const prog::Test& test, const Places& places) {
  const auto levels = vocab::levels(test.dialect);
  const prog::Thread* first = nullptr;
  for (const prog::Thread& t : test.threads) {
    if (t.host && !places.host)
      return unsupported_at(test.span, fmt::format("P{} is a thread of the host, and the run has none", t.id),
                            "a run with the host names it last, as in --device cuda:0+host");
    if (t.scope.empty() || t.host) continue;
    if (t.scope.size() <= k_group_level)
      return unsupported_at(test.span, fmt::format("P{} has no {} of its own, so it cannot be placed on a device", t.id,
                                                   levels[k_group_level]));
    if (first == nullptr) first = &t;
    // Only GPUs of one system are places: two queue families of Vulkan are one device's.
    const bool several = places.devices > 1 && test.dialect == vocab::Dialect::ptx;
    for (uint32_t level = 0; level < k_group_level; ++level)
      if (t.scope[level] != first->scope[level] && !(several && level == k_device_level))
        return unsupported_at(
            test.span, fmt::format("P{} and P{} are in two {}s, and a launch has one", first->id, t.id, levels[level]),
            test.dialect == vocab::Dialect::ptx && level == k_device_level
                ? "a run on several devices names them all, as in --device cuda:0+1"
                : "runs place the threads of a test on one device and one queue");
  }
  const uint32_t devices = places.devices - (places.host ? 1 : 0);
  if (const auto n = devices_of(test).size(); n > devices)
    return unsupported_at(test.span, fmt::format("the test has threads on {} devices, and the run has {}", n, devices),
                          "a run on several devices names them all, as in --device cuda:0+1+2");
  if (places.devices > 1)
    for (const prog::Thread& t : test.threads)
      if (t.scope.empty())
        return unsupported_at(test.span, fmt::format("P{} says no place, and a run on several devices needs one", t.id),
                              "write for example P0@cta 0, gpu 0");
  return {};
}

}  // namespace

Expected<Tree> tree_of(const prog::Test& test, bool subgroups, const Places& places) {
  if (const auto ok = placeable(test, places); !ok) return std::unexpected(ok.error());
  Tree tree;
  std::map<std::vector<uint32_t>, uint32_t> blocks, warps;
  const std::vector<uint32_t> devices = devices_of(test);
  if (places.devices > 1) {
    tree.places.clear();
    for (uint32_t k = 0; k < devices.size(); ++k) tree.places.push_back(k);
    tree.host = prog::host_thread(test) != nullptr;
    if (tree.host) tree.places.push_back(places.devices - 1);
  }
  const auto place_of = [&](const prog::Thread& t) {
    if (places.devices < 2) return 0u;
    if (t.host) return places.devices - 1;
    return static_cast<uint32_t>(std::find(devices.begin(), devices.end(), t.scope[k_device_level]) - devices.begin());
  };
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> clusters;  // by device and number
  std::vector<uint32_t> cluster_of, rank_of;                   // by block
  std::map<uint32_t, std::vector<uint32_t>> sizes;             // by device, of its clusters
  tree.clustered = std::any_of(test.threads.begin(), test.threads.end(),
                               [](const prog::Thread& t) { return t.cluster != prog::k_none; });
  std::vector<uint32_t> warps_of;  // by block
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> positions_of;
  for (const prog::Thread& t : test.threads) {
    std::vector<uint32_t> group(t.scope.begin(), t.scope.begin() + std::min<size_t>(t.scope.size(), k_group_level + 1));
    if (t.scope.empty() || t.host) group = {~0u, t.id};  // nobody else's
    const auto [b, new_block] = blocks.emplace(group, tree.blocks);
    if (new_block) {
      ++tree.blocks;
      warps_of.push_back(0);
      // A CTA that names no cluster is one of its own.
      std::vector<uint32_t>& size_of = sizes[place_of(t)];
      const auto own = static_cast<uint32_t>(size_of.size());
      const uint32_t g =
          t.cluster == prog::k_none ? own : clusters.emplace(std::pair(place_of(t), t.cluster), own).first->second;
      if (g == own) size_of.push_back(0);
      cluster_of.push_back(g);
      rank_of.push_back(size_of[g]++);
      tree.ranks = std::max(tree.ranks, size_of[g]);
    }
    Seat seat;
    seat.block = b->second;
    seat.cluster = cluster_of[seat.block];
    seat.rank = rank_of[seat.block];
    seat.place = place_of(t);
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
  for (const auto& [place, size_of] : sizes)
    tree.clusters = std::max(tree.clusters, static_cast<uint32_t>(size_of.size()));
  return tree;
}

std::string to_string(const Tree& tree) {
  std::map<uint32_t, std::map<uint32_t, std::string>> text;
  for (size_t r = 0; r < tree.seats.size(); ++r) {
    std::string& warp = text[tree.seats[r].block][tree.seats[r].warp];
    warp = fmt::format("{}{}{}", warp, warp.empty() ? "" : " ", r);
  }
  std::map<std::pair<uint32_t, uint32_t>, std::string> clusters;  // by place and number
  for (const auto& [block, warps] : text) {
    const auto seat =
        std::find_if(tree.seats.begin(), tree.seats.end(), [&](const Seat& x) { return x.block == block; });
    std::string& out = clusters[{seat->place, seat->cluster}];
    out += out.empty() ? "{" : " {";
    for (const auto& [warp, roles] : warps) {
      if (warp != warps.begin()->first) out += " ";
      out += warps.size() > 1 ? fmt::format("{{{}}}", roles) : roles;
    }
    out += "}";
  }
  std::string all;
  uint32_t place = clusters.empty() ? 0 : clusters.begin()->first.first;
  for (const auto& [at, blocks] : clusters) {
    const char* between = all.empty() ? "" : at.first != place ? " | " : " ";
    all += fmt::format("{}{}{}{}", between, tree.clustered ? "[" : "", blocks, tree.clustered ? "]" : "");
    place = at.first;
  }
  return all;
}

std::string placement_name(const Tree& tree, const std::vector<bool>& shared_objects) {
  const auto n = static_cast<uint32_t>(tree.seats.size());
  const size_t shared = static_cast<size_t>(std::count(shared_objects.begin(), shared_objects.end(), true));
  const char* region = shared == 0 ? "Global" : shared == shared_objects.size() ? "Shared" : "mixed";
  if (n < 2) return fmt::format("alone-{}", region);
  if (tree.places.size() == n) return fmt::format("D-gpu{}:S-sys-{}", tree.host ? "+host" : "", region);
  if (tree.places.size() > 1) return fmt::format("mixed {}-{}", to_string(tree), region);
  if (tree.clustered && tree.blocks == n && tree.clusters == 1) return fmt::format("D-cta:S-cluster-{}", region);
  if (tree.clustered && tree.clusters == n) return fmt::format("D-cluster:S-ker-{}", region);
  if (tree.clustered) return fmt::format("mixed {}-{}", to_string(tree), region);
  if (tree.blocks == n) return fmt::format("D-cta:S-ker-{}", region);
  if (tree.blocks == 1 && tree.warps == n) return fmt::format("D-warp:S-cta-{}", region);
  if (tree.blocks == 1 && tree.warps == 1) return fmt::format("S-warp-{}", region);
  return fmt::format("mixed {}-{}", to_string(tree), region);
}

}  // namespace fencepost::plan

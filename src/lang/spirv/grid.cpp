#include "spirv/grid.h"

#include <fmt/format.h>

#include <charconv>

namespace fencepost::spirv {
namespace {

Triple unfold(uint32_t n, const Triple& shape) {
  return {n % shape[0], n / shape[0] % shape[1], n / shape[0] / shape[1]};
}

}  // namespace

uint64_t Grid::threads() const {
  return uint64_t{subgroup} * subgroups * workgroups[0] * workgroups[1] * workgroups[2] * queue_families * devices;
}

std::string to_string(const Grid& g) {
  std::string w = std::to_string(g.workgroups[0]);
  if (g.workgroups[1] * g.workgroups[2] != 1) w += fmt::format("x{}", g.workgroups[1]);
  if (g.workgroups[2] != 1) w += fmt::format("x{}", g.workgroups[2]);
  std::string out = fmt::format("{}.{}.{}", g.subgroup, g.subgroups, w);
  if (g.queue_families != 1 || g.devices != 1) out += fmt::format(".{}", g.queue_families);
  if (g.devices != 1) out += fmt::format(".{}", g.devices);
  return out;
}

Expected<Grid> parse_grid(std::string_view text) {
  const auto bad = [&](std::string_view why) {
    return error_at(
        {}, fmt::format("'{}' is not a launch: {}", text, why),
        "a launch is T.S.W[.Q[.D]]: threads of a subgroup (warp), subgroups of a workgroup (block), workgroups, for "
        "example 2.1.3");
  };
  Grid g;
  uint32_t* const fields[] = {&g.subgroup, &g.subgroups, g.workgroups, &g.queue_families, &g.devices};
  size_t at = 0, field = 0;
  const auto number = [&](uint32_t& out) {
    const auto [stop, failed] = std::from_chars(text.data() + at, text.data() + text.size(), out);
    if (failed != std::errc{} || out == 0 || out > 1u << 16) return false;
    at = static_cast<size_t>(stop - text.data());
    return true;
  };
  for (;; ++field) {
    if (field == std::size(fields)) return bad("it has more than five parts");
    if (!number(*fields[field])) return bad("every part is a number from 1 on");
    for (int d = 1; field == 2 && d < 3 && at < text.size() && text[at] == 'x'; ++d) {
      ++at;
      if (!number(g.workgroups[d])) return bad("every part is a number from 1 on");
    }
    if (at == text.size()) break;
    if (text[at++] != '.') return bad("its parts are separated by dots");
  }
  if (field < 2) return bad("it has fewer than three parts");
  uint64_t all = 1;
  for (const uint32_t n :
       {g.subgroup, g.subgroups, g.workgroups[0], g.workgroups[1], g.workgroups[2], g.queue_families, g.devices})
    if ((all *= n) > k_most_threads)  // each is below 2^17, so that the product is exact until it is too large
      return error_at({}, fmt::format("the launch {} has more than {} invocations", text, k_most_threads),
                      "choose a smaller launch");
  return g;
}

Place Launch::place(uint32_t t) const {
  Place p;
  p.lane = t % grid.subgroup;
  t /= grid.subgroup;
  p.subgroup = t % grid.subgroups;
  t /= grid.subgroups;
  p.workgroup = t % grid.workgroup_count();
  t /= grid.workgroup_count();
  p.queue_family = t % grid.queue_families;
  p.device = t / grid.queue_families;
  return p;
}

uint32_t Launch::global_workgroup(const Place& p) const {
  return (p.device * grid.queue_families + p.queue_family) * grid.workgroup_count() + p.workgroup;
}

Triple Launch::workgroup_id(const Place& p) const {
  // Queue families continue the count, in the slowest dimension that has more than one workgroup.
  Triple id = unfold(p.workgroup, {grid.workgroups[0], grid.workgroups[1], grid.workgroups[2]});
  const int d = grid.workgroups[2] > 1 ? 2 : grid.workgroups[1] > 1 ? 1 : 0;
  id[d] += p.queue_family * grid.workgroups[d];
  return id;
}

Triple Launch::local_id(const Place& p) const { return unfold(p.subgroup * grid.subgroup + p.lane, local); }

Triple Launch::global_id(const Place& p) const {
  const Triple w = workgroup_id(p), l = local_id(p);
  return {w[0] * local[0] + l[0], w[1] * local[1] + l[1], w[2] * local[2] + l[2]};
}

Triple Launch::global_size() const {
  Triple n = {grid.workgroups[0], grid.workgroups[1], grid.workgroups[2]};
  const int d = n[2] > 1 ? 2 : n[1] > 1 ? 1 : 0;
  n[d] *= grid.queue_families;
  return {n[0] * local[0], n[1] * local[1], n[2] * local[2]};
}

}  // namespace fencepost::spirv

#include "plan/homes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "plan/frame.h"

namespace fencepost::plan {

using enum ParameterId;

std::string place_name(const Target& target, uint32_t place) {
  return target.host && place + 1 == target.devices() ? "the host" : fmt::format("gpu {}", place);
}

std::string home_name(const Target& target, uint32_t h) {
  // What the host has for itself is no home that others have access to.
  if (target.host && h + 1 == target.devices()) return "the host's threads alone";
  return h == target.devices() ? "the host" : fmt::format("gpu {}", h);
}

std::string fault_of_home(const Program& p, const Target& target, prog::ObjectId o, uint32_t h) {
  for (uint32_t t = 0; t < p.test.threads.size(); ++t) {
    const auto used = objects_of(p, t);
    if (std::find(used.begin(), used.end(), o) == used.end()) continue;
    const uint32_t place = p.tree.seats[t].place;
    const Access access = target.access[place][h];
    if (access == Access::none)
      return fmt::format("P{} on {} has no access to memory of {}", p.test.threads[t].id, place_name(target, place),
                         home_name(target, h));
    if (access == Access::atomic) continue;
    for (uint32_t i = 0; i < p.test.instrs(t).size(); ++i)
      if (p.test.instrs(t)[i].kind == prog::Kind::rmw && !p.values.targets[t][i].cells.empty() &&
          p.values.targets[t][i].object == o)
        return fmt::format("P{} on {} makes read-modify-writes, which are not atomic there in memory of {}",
                           p.test.threads[t].id, place_name(target, place), home_name(target, h));
  }
  // The kernels before and after the test are place 0's.
  if (target.access[0][h] == Access::none)
    return fmt::format("gpu 0 has no access to memory of {}", home_name(target, h));
  return {};
}

Expected<void> check_places(const Program& p, const Target& target) {
  if (!p.several) return {};
  if (p.shape.mode == Mode::warp)
    return unsupported_at(p.test.span, "mode warp is not for tests on several devices", "use mode parallel or single");
  if (target.devices() > k_most_devices)
    return unsupported_at(p.test.span, fmt::format("a run has at most {} devices", k_most_devices));
  if (p.test.objects.size() > k_most_homes)
    return unsupported_at(p.test.span, fmt::format("on several devices a test has at most {} locations", k_most_homes));
  for (prog::ObjectId o = 0; o < p.test.objects.size(); ++o) {
    std::string why;
    const uint32_t homes = target.devices() + 1;
    bool any = false;
    for (uint32_t h = 0; h < homes && !any; ++h) {
      const std::string fault = fault_of_home(p, target, o, h);
      any = fault.empty();
      if (why.empty()) why = fault;
    }
    if (!any)
      return unsupported_at(p.test.objects[o].span,
                            fmt::format("'{}' can be in the memory of no device: {}", p.test.objects[o].name, why));
  }
  return {};
}

Expected<uint32_t> homes_of(const prog::Test& test, std::string_view text) {
  uint32_t out = 0;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    const std::string_view one = text.substr(0, comma);
    const size_t equals = one.find('=');
    if (equals == std::string_view::npos)
      return error_at({}, fmt::format("'{}' names no memory for a location", one), "for example x=gpu1,y=host");
    prog::ObjectId found = prog::k_none;
    std::vector<std::string> names;
    for (prog::ObjectId o = 0; o < test.objects.size(); ++o) {
      names.push_back(test.objects[o].name);
      if (names.back() == one.substr(0, equals)) found = o;
    }
    if (found == prog::k_none)
      return error_at({}, fmt::format("the test has no location '{}'", one.substr(0, equals)),
                      fmt::format("its locations are {}", fmt::join(names, ", ")));
    if (found >= k_most_homes)
      return error_at({}, fmt::format("on several devices a test has at most {} locations", k_most_homes));
    Parameters p;
    if (const auto ok = set_parameters(p, fmt::format("home={}", one.substr(equals + 1))); !ok)
      return std::unexpected(ok.error());
    const uint32_t value = p.wishes[static_cast<size_t>(home)]->from;
    if (value > 15)
      return error_at({}, fmt::format("'{}' does not name the memory of one location", one.substr(equals + 1)));
    out = (out & ~(15u << (4 * found))) | value << (4 * found);
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  return out;
}

}  // namespace fencepost::plan

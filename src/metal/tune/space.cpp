#include "tune/space.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "base/job.h"
#include "plan/fitted.h"

namespace fencepost::tune {
namespace {

using plan::ParameterId;
using enum plan::ParameterId;

uint32_t power_below(uint32_t most, Rng& rng) {
  return uint32_t{1} << rng.below(static_cast<uint64_t>(std::bit_width(std::max(most, 1u))));
}

}  // namespace

plan::Parameters draw_configuration(const Space& space, uint64_t seed, uint32_t number) {
  plan::Parameters p;
  const plan::Target& t = space.target;
  // Each parameter has random numbers of its own: giving one does not change the others.
  const auto stream = [&](ParameterId id) {
    Rng own((seed + 0x9e3779b97f4a7c15u * (uint64_t{number} + 1)) ^
            (0xbf58476d1ce4e5b9u * (static_cast<uint64_t>(id) + 1)));
    own.next();
    return own;
  };
  const auto set = [&](ParameterId id, uint32_t value) { p.fix(id, value); };
  for (const ParameterId id : {schedule,
                               rotate,
                               shuffle,
                               align,
                               align_every,
                               stride,
                               layout,
                               xy_stride,
                               stress,
                               stress_groups,
                               stress_iterations,
                               touch,
                               stress_pattern,
                               stress_line,
                               stress_targets,
                               stress_assignment,
                               stress_spread,
                               pre_stress,
                               pre_stress_pattern,
                               pre_stress_iterations}) {
    const plan::ParameterInfo& i = plan::info(id);
    Rng own = stream(id);
    // Runs are shuffled mostly; what is best for a test may be either.
    set(id, id == shuffle ? static_cast<uint32_t>(own.chance(0.5)) : plan::draw_parameter(i, {i.from, i.to}, own));
  }
  // Few workgroups and many matter alike, so their logarithm is uniform.
  Rng own = stream(groups);
  const uint32_t most = std::max(2u, space.host ? t.units : 2 * t.units);
  const uint32_t octave = power_below(most / 2, own) * 2;
  const auto top = static_cast<uint32_t>(octave + own.below(std::max(1u, std::min(octave, most - octave + 1))));
  p.wishes[static_cast<size_t>(groups)] = plan::three_quarters(std::min(top, most));
  own = stream(lanes);
  const uint32_t widest = std::min(t.max_lanes, t.usual_lanes);
  set(lanes,
      std::min(widest, std::max(1u, t.subgroup) * power_below(std::max(1u, widest / std::max(1u, t.subgroup)), own)));
  own = stream(rounds);
  set(rounds, space.host ? 16 * power_below(16, own) : power_below(128, own));
  own = stream(delay);
  set(delay, own.chance(0.75) ? 0 : power_below(1024, own));
  own = stream(churn);
  set(churn, own.chance(0.75) ? 0 : power_below(256, own));
  if (t.several()) {
    // A memory for each location; where the test cannot have it, another is drawn in each round (plan/fitted.h).
    own = stream(home);
    uint32_t homes = 0;
    for (uint32_t o = 0; o < plan::k_most_homes; ++o) {
      const auto h = static_cast<uint32_t>(own.below(t.devices() + 1));
      homes |= (h == t.devices() ? plan::k_home_host : h + 1) << (4 * o);
    }
    set(home, homes);
  }
  for (size_t k = 0; k < plan::k_parameters; ++k)
    if (space.given.wishes[k]) p.wishes[k] = space.given.wishes[k];
  return p;
}

plan::Parameters draw_neighbour(const Space& space, uint64_t seed, uint32_t number, const plan::Parameters& parent) {
  const plan::Parameters fresh = draw_configuration(space, seed, number);
  std::vector<size_t> differ;
  for (size_t k = 0; k < plan::k_parameters; ++k)
    if (fresh.wishes[k] != parent.wishes[k]) differ.push_back(k);
  plan::Parameters p = parent;
  Rng rng(seed ^ (0x94d049bb133111ebu * (uint64_t{number} + 1)));
  for (uint64_t changes = 1 + rng.below(4); changes > 0 && !differ.empty(); --changes) {
    const auto at = static_cast<ptrdiff_t>(rng.below(differ.size()));
    p.wishes[differ[static_cast<size_t>(at)]] = fresh.wishes[differ[static_cast<size_t>(at)]];
    differ.erase(differ.begin() + at);
  }
  return p;
}

plan::Parameters no_stress(const Space& space) {
  plan::Parameters p;
  for (const ParameterId id :
       {rotate, shuffle, align, layout, offset, stress, stress_groups, pre_stress, touch, delay, churn})
    p.fix(id, 0);
  for (const ParameterId id : {align_every, stride, xy_stride}) p.fix(id, 1);
  p.fix(rounds, space.host ? 64 : 8);
  for (size_t k = 0; k < plan::k_parameters; ++k)
    if (space.given.wishes[k]) p.wishes[k] = space.given.wishes[k];
  return p;
}

}  // namespace fencepost::tune

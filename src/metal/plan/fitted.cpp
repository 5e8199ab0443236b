#include "plan/fitted.h"

#include <algorithm>
#include <vector>

namespace fencepost::plan {
namespace {

using enum ParameterId;
using Choice = std::optional<Wish>;

const Choice& of(const Parameters& p, ParameterId id) { return p.wishes[static_cast<size_t>(id)]; }

// The wish, then smaller ones, then none; by how often it was changed.
std::vector<Choice> halved(const Choice& wish, uint32_t least, bool range) {
  std::vector<Choice> out{wish};
  if (!wish) return out;
  for (uint32_t n = wish->to / 2; n >= least; n /= 2) {
    out.push_back(range ? three_quarters(n) : Wish{n, n});
    if (n == 1) break;
  }
  out.push_back(std::nullopt);
  return out;
}

std::vector<Choice> lane_choices(const Choice& wish) {
  std::vector<Choice> out{wish};
  if (!wish) return out;
  for (uint32_t up = wish->to * 2, down = wish->to / 2; up <= 1024 || down >= 1; up *= 2, down /= 2) {
    if (up <= 1024) out.push_back(Wish{up, up});
    if (down >= 1) out.push_back(Wish{down, down});
  }
  out.push_back(std::nullopt);
  return out;
}

bool both_ends(Parameters p, const std::function<bool(const Parameters&)>& fits) {
  const Choice w = of(p, groups);
  if (!w || w->from == w->to) return fits(p);
  p.fix(groups, w->from);
  if (!fits(p)) return false;
  p.fix(groups, w->to);
  return fits(p);
}

}  // namespace

Wish three_quarters(uint32_t n) { return {std::max(1u, std::min(n, std::max(2u, n - n / 4))), n}; }

namespace {

std::optional<Parameters> with_fewest_changes(const Parameters& base,
                                              const std::function<bool(const Parameters&)>& fits) {
  const auto by_rounds = halved(of(base, rounds), 1, false), by_groups = halved(of(base, groups), 2, true),
             by_lanes = lane_choices(of(base, lanes));
  const size_t most = by_rounds.size() + by_groups.size() + by_lanes.size();
  for (size_t changes = 0; changes < most; ++changes)
    for (size_t l = 0; l < by_lanes.size() && l <= changes; ++l)
      for (size_t g = 0; g < by_groups.size() && l + g <= changes; ++g) {
        const size_t r = changes - l - g;
        if (r >= by_rounds.size()) continue;
        Parameters p = base;
        p.wishes[static_cast<size_t>(lanes)] = by_lanes[l];
        p.wishes[static_cast<size_t>(groups)] = by_groups[g];
        p.wishes[static_cast<size_t>(rounds)] = by_rounds[r];
        if (both_ends(p, fits)) return p;
      }
  return std::nullopt;
}

}  // namespace

Parameters fitted(const Parameters& given, const std::function<bool(const Parameters&)>& fits) {
  Parameters wish = given;
  // A memory that a location cannot have, or that is no location's, is left to the draw.
  for (uint32_t o = 0; o < k_most_homes; ++o) {
    Choice& w = wish.wishes[static_cast<size_t>(home)];
    if (!w || home_of(w->from, o) == k_home_any) continue;
    Parameters one;
    one.fix(home, home_of(w->from, o) << (4 * o));
    if (fits(one)) continue;
    const uint32_t rest = w->from & ~(15u << (4 * o));
    if (rest == 0)
      w.reset();
    else
      w = Wish{rest, rest};
  }
  if (auto found = with_fewest_changes(wish, fits)) return *found;
  // Tests with loops, and modes other than parallel, are always split.
  Parameters split = wish;
  split.fix(schedule, 1);
  if (auto found = with_fewest_changes(split, fits)) return *found;
  return wish;
}

}  // namespace fencepost::plan

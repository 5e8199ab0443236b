#include "prog/lanes.h"

#include <algorithm>

#include "prog/test.h"

namespace fencepost::prog {

bool is_lane(const vocab::TagSet& tags) { return tags.has(Tag::WARP) && !tags.has(Tag::B); }

bool has_lanes(const Test& test) {
  return std::any_of(test.templates.begin(), test.templates.end(), [](const Template& t) {
    return std::any_of(t.code.begin(), t.code.end(), [](const Instr& i) { return is_lane(i.tags); });
  });
}

}  // namespace fencepost::prog

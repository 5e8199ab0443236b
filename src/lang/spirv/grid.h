#pragma once
// Where the invocations of a launch stand: ids and scope paths. Threads are numbered by device, queue family,
// workgroup, subgroup, invocation, the last running fastest; x runs faster than y, y faster than z.
#include <array>
#include <cstdint>

#include "spirv/spirv.h"

namespace fencepost::spirv {

using Triple = std::array<uint32_t, 3>;

struct Place {
  uint32_t device = 0, queue_family = 0;  // queue family within its device
  uint32_t workgroup = 0;                 // within its queue family
  uint32_t subgroup = 0;                  // within its workgroup
  uint32_t lane = 0;                      // within its subgroup
};

struct Launch {
  Grid grid;
  Triple local = {1, 1, 1};  // shape of a workgroup; the product is grid.workgroup_size()

  Place place(uint32_t thread) const;
  uint32_t global_workgroup(const Place& p) const;  // over the whole launch
  Triple workgroup_id(const Place& p) const;
  Triple local_id(const Place& p) const;
  Triple global_id(const Place& p) const;
  Triple global_size() const;
};

}  // namespace fencepost::spirv

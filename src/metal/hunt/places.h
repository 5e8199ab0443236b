#pragma once
// Which place a machine access is at: offsets followed through registers, modulo the stride of a lane. Parameters,
// lanes and bases of memories count as 0, so what is left is the offset of the test.
#include <optional>
#include <set>
#include <vector>

#include "hunt/machine.h"

namespace fencepost::hunt {

// For each instruction with an address: its offset modulo k_stride; nothing where it cannot be followed.
std::vector<std::optional<uint32_t>> offsets_of(const MachineKernel& k);

// For each instruction with an address: the parameters that it comes from, as offsets from the first parameter, which
// have 8 bytes each (p 0, q 8, u 16, out 24). Empty where they cannot be followed.
std::vector<std::set<uint32_t>> parameters_of(const MachineKernel& k);
inline constexpr uint32_t k_out_parameter = 24;

}  // namespace fencepost::hunt

#pragma once
// Which place a machine access is at: offsets followed through registers, modulo the stride of a lane. Parameters,
// lanes and bases of memories count as 0, so what is left is the offset of the test.
#include <optional>
#include <vector>

#include "hunt/machine.h"

namespace fencepost::hunt {

// For each instruction with an address: its offset modulo k_stride; nothing where it cannot be followed.
std::vector<std::optional<uint32_t>> offsets_of(const MachineKernel& k);

}  // namespace fencepost::hunt

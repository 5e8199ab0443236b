#pragma once
// Which place a machine access is at: offsets followed through registers, modulo the stride of a lane. Parameters,
// lanes and bases of memories count as 0, so what is left is the offset of the test.
#include <cstdint>
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
// Does some instruction set a predicate by a comparison with that parameter? True where the code finds parameters by a
// register, which is not followed.
bool compares(const MachineKernel& k, uint32_t parameter);
inline constexpr uint32_t k_guard_parameter = 40;  // with the number of rounds of a loop

// How the byte that load n reads fills its register, by the load and by the first instruction that takes the register.
// Nothing where that is not a load of a byte, or where an instruction that is not followed takes it.
enum class Extension : uint8_t { zeros, sign };
std::optional<Extension> extension_of(const std::vector<MachineInstruction>& code, size_t n);

}  // namespace fencepost::hunt

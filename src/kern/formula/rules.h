#pragma once
// Internal to the room: small arithmetic of the rewriting rules.
#include <bit>
#include <cstdint>

namespace fencepost::formula {

using Wide = __int128;

inline Wide limit(uint8_t width) { return Wide{1} << width; }
inline bool is_power(uint64_t v) { return std::has_single_bit(v); }
inline uint8_t log2(uint64_t v) { return static_cast<uint8_t>(std::countr_zero(v)); }

}  // namespace fencepost::formula

#pragma once
// Tests drawn from a seed: test number n of a seed is always the same, whatever was drawn before.
#include <cstdint>

#include "hunt/ptx_test.h"

namespace fencepost::hunt {

PtxTest draw_test(uint64_t seed, uint64_t number);
// Changes with what is drawn, so that a store of other tests is not gone on with.
inline constexpr const char* k_drawing = "3";

}  // namespace fencepost::hunt

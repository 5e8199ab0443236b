#pragma once
// The first words of one assumption of a test: that no thread of the launch reaches some atomic operations, fences or
// barriers of the kernel. The whole reads "no thread of this launch comes to lines 94, 96, where the kernel orders or
// waits".
#include <string_view>

namespace fencepost::prog {

inline constexpr std::string_view k_not_reached = "no thread of this launch comes to line";

}  // namespace fencepost::prog

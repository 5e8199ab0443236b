#pragma once
// How an assumption of a test begins that names atomic operations, fences and barriers of its kernel to which no thread
// of the launch comes: "no thread of this launch comes to lines 94, 96, where the kernel orders or waits".
#include <string_view>

namespace fencepost::prog {

inline constexpr std::string_view k_not_reached = "no thread of this launch comes to line";

}  // namespace fencepost::prog

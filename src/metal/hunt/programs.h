#pragma once
// The programs of examples/hunt that measure faults on a device, one file each, as reports carry them.
#include <string_view>

namespace fencepost::hunt {

// "awaited.cu", "guarded.cu", "loads.cu", "mmio.cu", "silicon.cu", "unused.cu"; "" for another name.
std::string_view device_program(std::string_view name);

}  // namespace fencepost::hunt

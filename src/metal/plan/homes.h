#pragma once
// In whose memory the locations of a test on several devices may lie. Inside plan only; plan.h and parameters.h say
// what homes are.
#include <string>

#include "plan/plan.h"

namespace fencepost::plan {

std::string home_name(const Target& target, uint32_t h);       // "gpu 1", "the host"
std::string place_name(const Target& target, uint32_t place);  // "gpu 1", "the host"

// Why a location cannot be in the memory of home `h`; "" where it can: every thread that accesses it has access there,
// and its read-modify-writes are atomic.
std::string fault_of_home(const Program& p, const Target& target, prog::ObjectId o, uint32_t h);

// Several devices: refuses by name what cannot be run on them.
Expected<void> check_places(const Program& p, const Target& target);

}  // namespace fencepost::plan

#pragma once
// Whole runs (run.h) for other machines than NVIDIA's driver: the same three kernels, one draw of the parameters, and
// the code that launches them and prints the histogram of final states.
//
//   cpp          C++20 threads:          g++ -O2 -std=c++20 -pthread FILE
//   opencl       C with OpenCL:          cc -std=c11 FILE -lOpenCL        (orders and scopes of OpenCL C 3.0)
//   opencl_ptx   the same for NVIDIA:    inline PTX in OpenCL C 1.2
//   amber        Amber script:           amber FILE    (needs the features vulkanMemoryModel and its device scope)
//   metal        the three kernels in the Metal Shading Language; launch sizes are in its comments
//
// The programs take a number of launches, end with 0, with 3 when an instance was corrupt, with 2 without a device, and
// mark with * the states that satisfy the test's condition. An Amber script fails when a state that satisfies it was
// seen. No Amber and no Metal compiler takes part in our tests.
#include <string>

#include "base/diagnostic.h"
#include "plan/plan.h"
#include "standalone/run.h"

namespace fencepost::standalone {

enum class ProgramKind : uint8_t { cpp, opencl, opencl_ptx, amber, metal };

// The device whose numbers (processors, sizes) shape a program of this kind if no other is named: two processors for
// C++, a GPU of middle size for the others.
plan::Target usual_target(ProgramKind kind);

// `p` was planned for `target`, and `c` is a configuration of it.
Expected<std::string> program_text(ProgramKind kind, const plan::Program& p, const plan::Configuration& c,
                                   const plan::Target& target, const Origin& origin);

}  // namespace fencepost::standalone

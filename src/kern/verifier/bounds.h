#pragma once
// What is known of the launches of a CUDA kernel besides the sizes that are given: the hardware's limits, which hold
// for every launch, what __launch_bounds__ says, and what the kernel's own calls ask of the block. A defect at a launch
// that cannot be made is none.
//
// Source: CUDA C++ programming guide, "Technical Specifications per Compute Capability": 1024 threads of a block, 1024,
// 1024 and 64 along its axes, 2^31 - 1, 65535 and 65535 blocks; "Launch Bounds"; "Grid Synchronization".
#include <string>

#include "clangfe/clangfe.h"
#include "ir/ir.h"
#include "launch/options.h"

namespace fencepost::verifier {

// Why no launch of these sizes can be made, or what it does is not defined: a sentence; "": it can be made.
std::string impossible(const launch::Launch& l, const clangfe::HostKernel* kernel);
// The same of a launch that the kernel's own preconditions exclude: `__requires(get_local_size(0) == 32)`, and what
// reqd_work_group_size says.
std::string excluded(const launch::Launch& l, const ir::Module& m, ir::FunctionId kernel);
// The kernel with preconditions for the sizes of a block, and of a grid along y and z, that are not fixed: those of the
// limits. True: there are any.
bool bound_sizes(ir::Module& m, ir::FunctionId kernel, const launch::Launch& l, const clangfe::HostKernel* host);
// It waits for all blocks of the grid.
bool meets_grid(const ir::Module& m, ir::FunctionId kernel);

}  // namespace fencepost::verifier

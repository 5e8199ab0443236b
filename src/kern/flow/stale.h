#pragma once
// Reads that stores of their own kernel do not reach: __ldg and ld.global.nc, whose memory is to stay as it is while
// the kernel runs (PTX ISA, ld.global.nc), and reads of a surface, which give undefined data where the same kernel has
// written before (CUDA C++ Programming Guide, Read/Write Coherency). No barrier, fence or message helps.
//
// Output: the arrays that a kernel reads so and changes. Not those of surfaces where it is seen that no write comes
// before a read: nothing but barriers of the group, or of the grid, orders threads, and no path leads from a write to
// a read.
// Two threads that meet without any order race as others do.
// Not tried: places of one array that are told apart.
#include <vector>

#include "flow/effects.h"
#include "ir/ir.h"

namespace fencepost::flow {

std::vector<ir::RegionId> stale_reads(const ir::Module& m, const Effects& effects, ir::FunctionId entry);

}  // namespace fencepost::flow

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
//
// And images of OpenCL that a kernel reads and writes: what a work item has written it reads for sure only behind
// atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, ...) (OpenCL C 3.0, 6.15.15, "read_write"), or
// behind a barrier, which lowering takes beside images only if it names them. In the kernel's code a fence of images is
// one that orders neither local nor global memory.
#include <vector>

#include "flow/effects.h"
#include "ir/ir.h"

namespace fencepost::flow {

std::vector<ir::RegionId> stale_reads(const ir::Module& m, const Effects& effects, ir::FunctionId entry);

// The images of which a read may come behind a write of the same work item, and no fence of images between them.
std::vector<ir::RegionId> unfenced_images(const ir::Module& m, const Effects& effects, ir::FunctionId entry);

}  // namespace fencepost::flow

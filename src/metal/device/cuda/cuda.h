#pragma once
// NVIDIA devices through the driver API, opened at run time (driver.h); nothing is needed to build.
//
// Life cycle. list() counts the driver's devices and makes nothing that lasts. open(n) retains the primary context of
// the n-th. load() takes PTX (Language::ptx) to machine code: with ptxas where a CUDA toolkit has one (assembler.h),
// whose version the property "assembler" names, else with the driver's own compiler through cuLinkComplete; both with
// line information, which changes no instruction. A cubin that the driver refuses (a toolkit newer than the driver)
// falls back to the driver's compiler. binary(): the cubin that runs, kind "cubin". launch() puts one launch between
// two events of the default stream and looks at the second one until it has passed or the limit is over: `seconds` is
// the time between the events on the device's clock. After a time-out nothing is released, because the driver would
// wait for the kernel: end the process. Destruction releases modules, buffers and the context.
//
// Parameters of a launch: the addresses of the buffers, in order, then 4096 bytes of zeros, of which the driver takes
// as many as the kernel declares (`opaque` of kernel_ptx.h).
//
// A launch with clusters, or a cooperative one (Launch::cooperative: the driver refuses it unless all workgroups are
// on the device together), goes through cuLaunchKernelEx. Clusters of more than 8 are allowed where the device has
// them.
//
// Properties: compute capability ("sm": as a target of PTX), multiprocessor limits, caches, clocks, driver (CUDA
// version and that of the kernel module), assembler. Errors carry the driver's name and sentence of the fault, and the
// log of its compiler.
#include <memory>
#include <vector>

#include "device/backend.h"
#include "device/several.h"

namespace fencepost::device::cuda {

Expected<std::vector<Info>> list();
Expected<std::unique_ptr<Backend>> open(uint32_t index);
// Devices that access one another's memory, "cuda:0+1" (several.h). Peer access is switched on where the driver has it;
// where it has not, that memory is no home for what the device accesses.
Expected<std::unique_ptr<Several>> open_several(const std::vector<uint32_t>& indices,
                                                std::unique_ptr<Backend> host = nullptr);

// Compute capability * 10 of a device, 90 for an H200: the target of PTX text. 0: no CUDA device.
uint32_t sm_of(const Info& info);

}  // namespace fencepost::device::cuda

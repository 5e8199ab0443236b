#pragma once
// Devices of OpenCL, found through the ICD loader (libOpenCL.so.1, opened at run time; nothing is needed to build).
//
// Life cycle. list() asks every platform for its devices and makes nothing that lasts. open(n) makes a context and one
// in-order queue with profiling for the n-th of them, in the order of platforms. load() builds the text of a Source in
// OpenCL C with the options in its first line (see below) and makes the kernels it names; a failed build gives the
// compiler's log. binary(): what the driver returns as program binary, which NVIDIA fills with PTX ("ptx"), others with
// something of their own ("opencl"). launch() enqueues one range of groups x lanes, flushes, and looks after its event
// until it ends or the limit has passed. Destruction releases everything, but nothing after a time-out: a driver whose
// kernel hangs blocks whoever waits for it, so the process must end instead (and does: the handles are left alone).
//
// A Source for this device has Language::opencl_c, text whose first line may be "// options: ..." with what
// clBuildProgram is to be told, and kernels whose names and shared memory are read.
//
// Workgroups have at most 256 invocations on NVIDIA, whose compiler assumes that of kernels which do not fix their
// size.
//
// Processor-backed devices (PoCL) run the workgroups of a launch one after another on each of their threads, so
// runs_groups_together is false there: a launch must not have more workgroups that wait for one another than units.
//
// Properties: platform, version, OpenCL C versions, the orders and scopes of its atomics. Info::device_scope is false
// where OpenCL C has no device-scope atomics (NVIDIA: OpenCL 3.0 without them), which only inline PTX can replace;
// "inline ptx" is "yes" there.
#include <memory>

#include "device/backend.h"

namespace fencepost::device::opencl {

Expected<std::vector<Info>> list();
Expected<std::unique_ptr<Backend>> open(uint32_t index);

}  // namespace fencepost::device::opencl

#pragma once
// The device "cpu": kernels on threads of this machine, over its real memory. The device that is always there.
//
// Life cycle. open() reads the processors that this process may use and makes no thread yet. load() compiles each
// kernel to the byte-code of byte_code.h (binary(): its listing, with the machine instruction of every instruction of
// the test). launch() hands the invocations to threads that are made once, pinned one after another to those
// processors, and parked between launches. Destruction ends the threads.
//
// Who runs what. Workgroups run at the same time, each on threads of its own, as long as there are at most 256; a
// larger launch deals them out to 256 threads. If there are more processors than workgroups, a workgroup is cut into
// as many parts as there are processors for it, each with its thread; the invocations of one part take turns on it and
// change places at barriers, pauses and every 256 loop back edges. So every invocation makes progress whatever the
// others do (weak fairness), a launch of at most as many invocations as processors has one thread for each, more
// workgroups than processors (over-subscription) share processors by the operating system's time slices, and
// invocations of one workgroup run truly at the same time only where processors are left for them.
//
// Limits: a launch that is not over after `limit` seconds is told to stop at the next back edge, pause or barrier
// (every loop has one), and gives `timed_out`. An access outside a buffer stops the launch with `lost`, naming kernel,
// buffer and word. After either the Backend is dead as backend.h says; its threads are not, and a new one may be opened
// in the same process.
//
// Fresh shared memory holds 0xb5b5b5b5 in every word. Buffers begin on pages of their own.
#include <memory>

#include "device/backend.h"

namespace fencepost::device::cpu {

Info describe();
Expected<std::unique_ptr<Backend>> open();

}  // namespace fencepost::device::cpu

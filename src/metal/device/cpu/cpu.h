#pragma once
// The device "cpu": kernels on threads of this machine, over its real memory. The device that is always there.
//
// Life cycle. open() reads the processors that this process may use and makes no thread yet. load() compiles each
// kernel to the byte-code of byte_code.h (binary(): its listing, with the machine instruction of every instruction of
// the test). launch() hands the invocations to threads that are made once, pinned one after another to those
// processors, and parked between launches. Destruction ends the threads.
//
// Who runs what. There is one thread for each processor and no more, because a thread that waits for one that has no
// processor loses a time slice of milliseconds. Workgroups are dealt out to the threads; if there are more processors
// than workgroups, a workgroup is cut into as many parts as there are processors for it. The invocations of one thread
// take turns: they change places at barriers, pauses and every 257 loop back edges. So every invocation makes progress
// whatever the others do (weak fairness), also when there are far more workgroups than processors; workgroups on
// different threads run truly at the same time, each launch of at most as many invocations as processors has a thread
// for each; and what shares a thread interleaves at those places only, which is less than hardware could do and never
// more.
//
// Limits: a launch that is not over after `limit` seconds is told to stop at the next back edge, pause or barrier
// (every loop has one), and gives `timed_out`. An access outside a buffer stops the launch with `lost`, naming kernel,
// buffer and word. After either the Backend is dead as backend.h says; its threads are not, and a new one may be opened
// in the same process.
//
// Fresh shared memory holds 0xb5b5b5b5 in every word. Buffers begin on pages of their own.
#include <memory>

#include "device/backend.h"
#include "device/several.h"

namespace fencepost::device::cpu {

Info describe();
Expected<std::unique_ptr<Backend>> open();
// The processors dealt out to `count` devices, "cpu+cpu": they pass for several, and all memory is everybody's.
Expected<std::unique_ptr<Several>> open_several(uint32_t count);
// The same with the host as the last place, "cpu+host": `count` that pass for devices, and the processors left to it.
Expected<std::unique_ptr<Several>> open_with_host(uint32_t count);

}  // namespace fencepost::device::cpu

#pragma once
// Devices of Vulkan 1.2 and later, found through the loader (libvulkan.so.1, opened at run time; to build, only the
// headers are needed).
//
// Life cycle. list() makes an instance, asks each device that has a compute queue, runs the self-test below, and
// gives everything back. open(n) makes instance, device and one compute queue for the n-th of them. load() makes a
// shader module of SPIR-V words whose entry points are the kernels named; a pipeline is made when a kernel is first
// launched with a number of lanes (specialisation constant 0). Buffers are in device-local memory; write and read go
// through a staging buffer. launch() records one dispatch between barriers and waits for its fence up to the limit.
// After a time-out nothing is given back (destroying a device waits for its queue): the process must end instead.
//
// Required: vulkanMemoryModel. Used where there: vulkanMemoryModelDeviceScope (Info::device_scope), shaderInt64, 64-bit
// atomics of buffers and of workgroup memory. No validation layer is switched on, no driver cache is kept; what the
// driver makes of the words cannot be read back, so binary() is the words themselves.
//
// Self-test, at every list() and open(): a loop of 70,000 atomic additions. Some drivers for processors (lavapipe of
// Mesa 22) silently leave every loop of an invocation after 65,535 iterations in all, which turns a spinning test into
// a false result; they get the defect "loop-limit", which refuses loops.
//
// Interface of shaders: buffer k of a launch is set 0, binding k, a storage buffer.
#include <memory>
#include <span>

#include "device/backend.h"

namespace fencepost::device::vulkan {

Expected<std::vector<Info>> list();
Expected<std::unique_ptr<Backend>> open(uint32_t index);

// The self-test's shader and what it says; tests hold it against what `emit` prints.
inline constexpr uint32_t k_loop_test_iterations = 70000;
std::span<const uint32_t> loop_test_words();

}  // namespace fencepost::device::vulkan

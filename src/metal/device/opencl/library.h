#pragma once
// The part of OpenCL's C interface that is used, declared from the OpenCL 3.0 API specification, and the loader opened
// at run time.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/diagnostic.h"

namespace fencepost::device::opencl {

using Platform = void*;
using Device = void*;
using Context = void*;
using Queue = void*;
using Program = void*;
using Kernel = void*;
using Memory = void*;
using Event = void*;

inline constexpr int32_t k_success = 0, k_device_not_found = -1, k_platform_not_found = -1001;
inline constexpr uint64_t k_device_type_all = 0xffffffff, k_device_type_cpu = 2;
inline constexpr uint64_t k_queue_profiling = 2, k_memory_read_write = 1;
enum Param : uint32_t {
  k_platform_name = 0x0902,
  k_device_type = 0x1000,
  k_device_units = 0x1002,
  k_device_max_group = 0x1004,
  k_device_global_line = 0x101d,
  k_device_global_memory = 0x101f,
  k_device_local_memory = 0x1023,
  k_device_name = 0x102b,
  k_driver_version = 0x102d,
  k_device_version = 0x102f,
  k_device_extensions = 0x1030,
  k_device_c_version = 0x103d,
  k_device_atomic_capabilities = 0x1063,
  k_device_warp_nv = 0x4003,
  k_program_binary_sizes = 0x1165,
  k_program_binaries = 0x1166,
  k_build_log = 0x1183,
  k_kernel_work_group_size = 0x11b0,
  k_kernel_group_multiple = 0x11b3,
  k_event_status = 0x11d3,
  k_profile_start = 0x1282,
  k_profile_end = 0x1283,
};
// CL_DEVICE_ATOMIC_...: bits of k_device_atomic_capabilities
enum AtomicCapability : uint64_t {
  k_order_relaxed = 1,
  k_order_acq_rel = 2,
  k_order_seq_cst = 4,
  k_scope_work_item = 8,
  k_scope_work_group = 16,
  k_scope_device = 32,
  k_scope_all_devices = 64,
};

// One member for each function; names without "cl".
struct Library {
  int32_t (*GetPlatformIDs)(uint32_t, Platform*, uint32_t*);
  int32_t (*GetPlatformInfo)(Platform, uint32_t, size_t, void*, size_t*);
  int32_t (*GetDeviceIDs)(Platform, uint64_t, uint32_t, Device*, uint32_t*);
  int32_t (*GetDeviceInfo)(Device, uint32_t, size_t, void*, size_t*);
  Context (*CreateContext)(const intptr_t*, uint32_t, const Device*, void (*)(const char*, const void*, size_t, void*),
                           void*, int32_t*);
  Queue (*CreateCommandQueue)(Context, Device, uint64_t, int32_t*);
  Program (*CreateProgramWithSource)(Context, uint32_t, const char**, const size_t*, int32_t*);
  int32_t (*BuildProgram)(Program, uint32_t, const Device*, const char*, void (*)(Program, void*), void*);
  int32_t (*GetProgramBuildInfo)(Program, Device, uint32_t, size_t, void*, size_t*);
  int32_t (*GetProgramInfo)(Program, uint32_t, size_t, void*, size_t*);
  Kernel (*CreateKernel)(Program, const char*, int32_t*);
  int32_t (*SetKernelArg)(Kernel, uint32_t, size_t, const void*);
  int32_t (*GetKernelWorkGroupInfo)(Kernel, Device, uint32_t, size_t, void*, size_t*);
  Memory (*CreateBuffer)(Context, uint64_t, size_t, void*, int32_t*);
  int32_t (*EnqueueReadBuffer)(Queue, Memory, uint32_t, size_t, size_t, void*, uint32_t, const Event*, Event*);
  int32_t (*EnqueueWriteBuffer)(Queue, Memory, uint32_t, size_t, size_t, const void*, uint32_t, const Event*, Event*);
  int32_t (*EnqueueFillBuffer)(Queue, Memory, const void*, size_t, size_t, size_t, uint32_t, const Event*, Event*);
  int32_t (*EnqueueNDRangeKernel)(Queue, Kernel, uint32_t, const size_t*, const size_t*, const size_t*, uint32_t,
                                  const Event*, Event*);
  int32_t (*Flush)(Queue);
  int32_t (*Finish)(Queue);
  int32_t (*GetEventInfo)(Event, uint32_t, size_t, void*, size_t*);
  int32_t (*GetEventProfilingInfo)(Event, uint32_t, size_t, void*, size_t*);
  int32_t (*ReleaseEvent)(Event);
  int32_t (*ReleaseMemObject)(Memory);
  int32_t (*ReleaseKernel)(Kernel);
  int32_t (*ReleaseProgram)(Program);
  int32_t (*ReleaseCommandQueue)(Queue);
  int32_t (*ReleaseContext)(Context);
};

// Opened once for the process and never closed (drivers do not survive it). The loader's words where it is absent.
Expected<const Library*> library();

std::string error_name(int32_t code);  // "CL_OUT_OF_RESOURCES", or "error -9999"

}  // namespace fencepost::device::opencl

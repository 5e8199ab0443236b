#pragma once
// The part of the CUDA driver API that is used, declared from its reference manual (so that no CUDA header is needed to
// build), and the driver's library opened at run time: libcuda.so.1, or the file that FENCEPOST_LIBCUDA names.
//
// A symbol with a version ("cuMemAlloc_v2") is the one that the header of CUDA 12 and 13 means by the plain name.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/diagnostic.h"

namespace fencepost::device::cuda {

using Result = int32_t;
using Device = int32_t;
using Context = void*;
using Module = void*;
using Function = void*;
using Event = void*;
using Stream = void*;
using Link = void*;
using Address = uint64_t;

inline constexpr Result k_success = 0, k_no_device = 100, k_not_ready = 600, k_peer_already_enabled = 704;

enum Attribute : int32_t {
  k_max_threads_per_block = 1,
  k_max_grid_x = 5,
  k_shared_per_block = 8,
  k_warp_size = 10,
  k_clock_khz = 13,
  k_multiprocessors = 16,
  k_memory_clock_khz = 36,
  k_memory_bus_bits = 37,
  k_l2_bytes = 38,
  k_threads_per_multiprocessor = 39,
  k_can_map_host = 19,
  k_unified_addressing = 41,
  k_capability_major = 75,
  k_capability_minor = 76,
  k_host_native_atomics = 86,
  k_cooperative_launch = 95,
  k_blocks_per_multiprocessor = 106,
  k_cluster_launch = 120,
};
enum PeerAttribute : int32_t {
  k_peer_rank = 1,
  k_peer_access = 2,
  k_peer_native_atomics = 3,
};
inline constexpr uint32_t k_host_portable = 1, k_host_mapped = 2;  // of cuMemHostAlloc
enum FunctionAttribute : int32_t {
  k_function_local_bytes = 3,
  k_function_registers = 4,
  k_function_large_clusters = 14
};
enum JitOption : int32_t {
  k_info_log = 3,
  k_info_log_size = 4,
  k_error_log = 5,
  k_error_log_size = 6,
  k_line_info = 13,
};
inline constexpr int32_t k_input_ptx = 1;

// CUlaunchAttribute and CUlaunchConfig.
struct LaunchAttribute {
  int32_t id = 0;
  int32_t pad = 0;
  uint32_t value[16] = {};  // a union of 64 bytes
};
inline constexpr int32_t k_attribute_cooperative = 2, k_attribute_cluster = 4;
struct LaunchConfig {
  uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1}, shared_bytes = 0;
  Stream stream = nullptr;
  LaunchAttribute* attributes = nullptr;
  uint32_t attribute_count = 0;
};
static_assert(sizeof(LaunchAttribute) == 72 && sizeof(LaunchConfig) == 56);

// One member for each function.
struct Driver {
  Result (*Init)(uint32_t);
  Result (*DriverGetVersion)(int32_t*);
  Result (*GetErrorName)(Result, const char**);
  Result (*GetErrorString)(Result, const char**);
  Result (*DeviceGetCount)(int32_t*);
  Result (*DeviceGet)(Device*, int32_t);
  Result (*DeviceGetName)(char*, int32_t, Device);
  Result (*DeviceGetAttribute)(int32_t*, Attribute, Device);
  Result (*DeviceTotalMem)(size_t*, Device);
  Result (*PrimaryCtxRetain)(Context*, Device);
  Result (*PrimaryCtxRelease)(Device);
  Result (*CtxSetCurrent)(Context);
  Result (*ModuleLoadData)(Module*, const void*);
  Result (*ModuleUnload)(Module);
  Result (*ModuleGetFunction)(Function*, Module, const char*);
  Result (*FuncGetAttribute)(int32_t*, FunctionAttribute, Function);
  Result (*FuncSetAttribute)(Function, FunctionAttribute, int32_t);
  Result (*OccupancyMaxActiveBlocks)(int32_t*, Function, int32_t, size_t);
  Result (*LinkCreate)(uint32_t, JitOption*, void**, Link*);
  Result (*LinkAddData)(Link, int32_t, void*, size_t, const char*, uint32_t, JitOption*, void**);
  Result (*LinkComplete)(Link, void**, size_t*);
  Result (*LinkDestroy)(Link);
  Result (*MemAlloc)(Address*, size_t);
  Result (*MemFree)(Address);
  // For several devices; null in a driver without them.
  Result (*MemHostAlloc)(void**, size_t, uint32_t);
  Result (*MemFreeHost)(void*);
  Result (*MemHostGetDevicePointer)(Address*, void*, uint32_t);
  Result (*DeviceCanAccessPeer)(int32_t*, Device, Device);
  Result (*DeviceGetPeerAttribute)(int32_t*, PeerAttribute, Device, Device);
  Result (*CtxEnablePeerAccess)(Context, uint32_t);
  Result (*MemsetD32)(Address, uint32_t, size_t);
  Result (*MemcpyHtoD)(Address, const void*, size_t);
  Result (*MemcpyDtoH)(void*, Address, size_t);
  Result (*EventCreate)(Event*, uint32_t);
  Result (*EventRecord)(Event, Stream);
  Result (*EventQuery)(Event);
  Result (*EventElapsedTime)(float*, Event, Event);
  Result (*EventDestroy)(Event);
  Result (*LaunchKernel)(Function, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, Stream, void**,
                         void**);
  Result (*LaunchKernelEx)(const LaunchConfig*, Function, void**, void**);  // null before CUDA 11.8
};

// Opens the library and calls cuInit. It is never closed (drivers do not survive it). The error is the loader's or the
// driver's own sentence.
Expected<Driver> open_driver();

std::string words(const Driver& d, Result r);  // "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered"

}  // namespace fencepost::device::cuda

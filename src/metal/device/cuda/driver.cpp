#include "device/cuda/driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>

namespace fencepost::device::cuda {

std::string words(const Driver& d, Result r) {
  const char *name = nullptr, *sentence = nullptr;
  if (d.GetErrorName(r, &name) != k_success || name == nullptr) return fmt::format("CUDA error {}", r);
  if (d.GetErrorString(r, &sentence) != k_success || sentence == nullptr) return name;
  return fmt::format("{}: {}", name, sentence);
}

Expected<Driver> open_driver() {
  const char* given = std::getenv("FENCEPOST_LIBCUDA");
  const std::string file = given != nullptr && *given != 0 ? given : "libcuda.so.1";
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return error_at({}, dlerror(), "install the NVIDIA driver to use its devices");
  Driver d{};
  std::string missing;
  const auto get = [&](auto& function, const char* symbol, bool needed = true) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, symbol));
    if (function == nullptr && needed && missing.empty()) missing = symbol;
  };
  get(d.Init, "cuInit");
  get(d.DriverGetVersion, "cuDriverGetVersion");
  get(d.GetErrorName, "cuGetErrorName");
  get(d.GetErrorString, "cuGetErrorString");
  get(d.DeviceGetCount, "cuDeviceGetCount");
  get(d.DeviceGet, "cuDeviceGet");
  get(d.DeviceGetName, "cuDeviceGetName");
  get(d.DeviceGetAttribute, "cuDeviceGetAttribute");
  get(d.DeviceTotalMem, "cuDeviceTotalMem_v2");
  get(d.PrimaryCtxRetain, "cuDevicePrimaryCtxRetain");
  get(d.PrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2");
  get(d.CtxSetCurrent, "cuCtxSetCurrent");
  get(d.ModuleLoadData, "cuModuleLoadData");
  get(d.ModuleUnload, "cuModuleUnload");
  get(d.ModuleGetFunction, "cuModuleGetFunction");
  get(d.FuncGetAttribute, "cuFuncGetAttribute");
  get(d.FuncSetAttribute, "cuFuncSetAttribute");
  get(d.OccupancyMaxActiveBlocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  get(d.LinkCreate, "cuLinkCreate_v2");
  get(d.LinkAddData, "cuLinkAddData_v2");
  get(d.LinkComplete, "cuLinkComplete");
  get(d.LinkDestroy, "cuLinkDestroy");
  get(d.MemAlloc, "cuMemAlloc_v2");
  get(d.MemFree, "cuMemFree_v2");
  get(d.MemHostAlloc, "cuMemHostAlloc");
  get(d.MemFreeHost, "cuMemFreeHost");
  get(d.MemHostGetDevicePointer, "cuMemHostGetDevicePointer_v2");
  get(d.DeviceCanAccessPeer, "cuDeviceCanAccessPeer");
  get(d.DeviceGetPeerAttribute, "cuDeviceGetP2PAttribute");
  get(d.CtxEnablePeerAccess, "cuCtxEnablePeerAccess");
  get(d.MemsetD32, "cuMemsetD32_v2");
  get(d.MemcpyHtoD, "cuMemcpyHtoD_v2");
  get(d.MemcpyDtoH, "cuMemcpyDtoH_v2");
  get(d.EventCreate, "cuEventCreate");
  get(d.EventRecord, "cuEventRecord");
  get(d.EventQuery, "cuEventQuery");
  get(d.EventElapsedTime, "cuEventElapsedTime");
  get(d.EventDestroy, "cuEventDestroy_v2");
  get(d.LaunchKernel, "cuLaunchKernel");
  get(d.LaunchKernelEx, "cuLaunchKernelEx", false);
  if (!missing.empty())
    return error_at({}, fmt::format("{} has no function {}", file, missing), "install a newer NVIDIA driver");
  if (const Result r = d.Init(0); r != k_success) return error_at({}, "cuInit: " + words(d, r));
  return d;
}

}  // namespace fencepost::device::cuda

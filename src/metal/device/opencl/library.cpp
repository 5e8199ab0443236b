#include "device/opencl/library.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace fencepost::device::opencl {
namespace {

struct Opened {
  Library library{};
  std::string failure;
};

Opened open_library() {
  Opened out;
  void* handle = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    out.failure = dlerror();
    return out;
  }
  const auto find = [&](auto& member, const char* name) {
    member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(dlsym(handle, name));
    if (member == nullptr && out.failure.empty()) out.failure = fmt::format("libOpenCL.so.1 has no {}", name);
  };
#define FIND(f) find(out.library.f, "cl" #f)
  FIND(GetPlatformIDs);
  FIND(GetPlatformInfo);
  FIND(GetDeviceIDs);
  FIND(GetDeviceInfo);
  FIND(CreateContext);
  FIND(CreateCommandQueue);
  FIND(CreateProgramWithSource);
  FIND(BuildProgram);
  FIND(GetProgramBuildInfo);
  FIND(GetProgramInfo);
  FIND(CreateKernel);
  FIND(SetKernelArg);
  FIND(GetKernelWorkGroupInfo);
  FIND(CreateBuffer);
  FIND(EnqueueReadBuffer);
  FIND(EnqueueWriteBuffer);
  FIND(EnqueueFillBuffer);
  FIND(EnqueueNDRangeKernel);
  FIND(Flush);
  FIND(Finish);
  FIND(GetEventInfo);
  FIND(GetEventProfilingInfo);
  FIND(ReleaseEvent);
  FIND(ReleaseMemObject);
  FIND(ReleaseKernel);
  FIND(ReleaseProgram);
  FIND(ReleaseCommandQueue);
  FIND(ReleaseContext);
#undef FIND
  return out;
}

}  // namespace

Expected<const Library*> library() {
  static const Opened opened = open_library();
  if (!opened.failure.empty())
    return unsupported_at({}, opened.failure,
                          "install an OpenCL loader (ocl-icd-libopencl1) and driver, for processors pocl-opencl-icd");
  return &opened.library;
}

std::string error_name(int32_t code) {
  static constexpr std::pair<int32_t, const char*> k_names[] = {
      {-1, "CL_DEVICE_NOT_FOUND"},
      {-2, "CL_DEVICE_NOT_AVAILABLE"},
      {-3, "CL_COMPILER_NOT_AVAILABLE"},
      {-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
      {-5, "CL_OUT_OF_RESOURCES"},
      {-6, "CL_OUT_OF_HOST_MEMORY"},
      {-11, "CL_BUILD_PROGRAM_FAILURE"},
      {-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
      {-15, "CL_COMPILE_PROGRAM_FAILURE"},
      {-17, "CL_LINK_PROGRAM_FAILURE"},
      {-30, "CL_INVALID_VALUE"},
      {-36, "CL_INVALID_COMMAND_QUEUE"},
      {-43, "CL_INVALID_BUILD_OPTIONS"},
      {-45, "CL_INVALID_PROGRAM_EXECUTABLE"},
      {-46, "CL_INVALID_KERNEL_NAME"},
      {-49, "CL_INVALID_ARG_INDEX"},
      {-51, "CL_INVALID_ARG_SIZE"},
      {-52, "CL_INVALID_KERNEL_ARGS"},
      {-54, "CL_INVALID_WORK_GROUP_SIZE"},
      {-55, "CL_INVALID_WORK_ITEM_SIZE"},
      {-61, "CL_INVALID_BUFFER_SIZE"},
      {-63, "CL_INVALID_GLOBAL_WORK_SIZE"},
      {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
  };
  for (const auto& [value, text] : k_names)
    if (value == code) return text;
  return fmt::format("error {}", code);
}

}  // namespace fencepost::device::opencl

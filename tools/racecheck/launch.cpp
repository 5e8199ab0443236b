// launch CUBIN KERNEL SIZES PARAMETERS VARIANT: one launch of a kernel out of a cubin, for compute-sanitizer.
//
// SIZES: bx,by,bz,gx,gy,gz. PARAMETERS: one letter each: p a pointer to 1 MiB of its own, and 1, 2, 4, 8 an integer of so
// many bytes, f and d floating point; "-" for none. VARIANT: 0 zeros in all arrays, else small numbers drawn from it.
// Integers are the number of threads, 100 or 37, by the variant. Shared memory that is sized at the launch gets what the
// block has left of 48 KiB, 32 KiB at most.
//
// Exit 0: launched and ended; 3: it could not be launched. The driver is opened at run time: nothing to link against.
#include <cuda.h>
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

void* library;

template <class F>
F* function(const char* name) {
  void* f = dlsym(library, name);
  if (f == nullptr) {
    std::fprintf(stderr, "launch: the driver has no %s\n", name);
    std::exit(3);
  }
  return reinterpret_cast<F*>(f);
}

void check(CUresult r, const char* what) {
  if (r == CUDA_SUCCESS) return;
  std::fprintf(stderr, "launch: %s: error %d\n", what, static_cast<int>(r));
  std::exit(3);
}

constexpr size_t k_bytes = 1 << 20;

uint32_t drawn(uint32_t& state) {  // xorshift
  state ^= state << 13;
  state ^= state >> 17;
  return state ^= state << 5;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr, "launch CUBIN KERNEL SIZES PARAMETERS VARIANT\n");
    return 2;
  }
  unsigned n[6];
  if (std::sscanf(argv[3], "%u,%u,%u,%u,%u,%u", n, n + 1, n + 2, n + 3, n + 4, n + 5) != 6) return 2;
  const auto variant = static_cast<uint32_t>(std::atoi(argv[5]));
  library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr) {
    std::fprintf(stderr, "launch: no driver\n");
    return 3;
  }
  check(function<decltype(cuInit)>("cuInit")(0), "cuInit");
  CUdevice device;
  CUcontext context;
  check(function<decltype(cuDeviceGet)>("cuDeviceGet")(&device, 0), "cuDeviceGet");
  check(function<decltype(cuDevicePrimaryCtxRetain)>("cuDevicePrimaryCtxRetain")(&context, device), "context");
  check(function<decltype(cuCtxSetCurrent)>("cuCtxSetCurrent")(context), "cuCtxSetCurrent");
  CUmodule module;
  CUfunction kernel;
  check(function<decltype(cuModuleLoad)>("cuModuleLoad")(&module, argv[1]), "cuModuleLoad");
  check(function<decltype(cuModuleGetFunction)>("cuModuleGetFunction")(&kernel, module, argv[2]), "kernel");
  int fixed = 0;
  check(
      function<decltype(cuFuncGetAttribute)>("cuFuncGetAttribute")(&fixed, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, kernel),
      "cuFuncGetAttribute");
  const int left = 48 * 1024 - fixed;
  const unsigned shared = left <= 0 ? 0 : static_cast<unsigned>(left < 32 * 1024 ? left : 32 * 1024);

  std::vector<uint64_t> values;
  auto* allocate = function<decltype(cuMemAlloc)>("cuMemAlloc_v2");
  auto* copy = function<decltype(cuMemcpyHtoD)>("cuMemcpyHtoD_v2");
  const uint64_t threads = uint64_t{1} * n[0] * n[1] * n[2] * n[3] * n[4] * n[5];
  const uint64_t lengths[] = {threads, 100, 37};
  uint32_t state = 0x9e3779b9u * (variant + 1);
  const std::string parameters = std::strcmp(argv[4], "-") == 0 ? "" : argv[4];
  for (const char p : parameters) {
    uint64_t v = lengths[variant % 3];
    if (p == 'p') {
      std::vector<uint32_t> contents(k_bytes / 4);
      if (variant != 0)
        for (uint32_t& x : contents) x = drawn(state) % 64;
      CUdeviceptr at = 0;
      check(allocate(&at, k_bytes), "cuMemAlloc");
      check(copy(at, contents.data(), k_bytes), "cuMemcpyHtoD");
      v = at;
    } else if (p == 'f') {
      const float f = 1.5F;
      std::memcpy(&v, &f, sizeof f);
    } else if (p == 'd') {
      const double d = 1.5;
      std::memcpy(&v, &d, sizeof d);
    }
    values.push_back(v);
  }
  std::vector<void*> given;
  for (uint64_t& v : values) given.push_back(&v);
  check(function<decltype(cuLaunchKernel)>("cuLaunchKernel")(kernel, n[3], n[4], n[5], n[0], n[1], n[2], shared,
                                                             nullptr, given.data(), nullptr),
        "cuLaunchKernel");
  check(function<decltype(cuCtxSynchronize)>("cuCtxSynchronize")(), "the kernel");
  return 0;
}

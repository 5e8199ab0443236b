// A read by ld.mmio or ld.volatile whose result nobody uses, before a guarded atomic operation: by PTX ISA 8.4.1 "reads
// are always performed", and by 8.4.2 the number of volatile instructions that are executed is preserved. The address is
// none of the program's, so that a read which is performed ends the kernel with an error.
// One process for each form, since an error stays: "mmio 0" to "mmio 9"; "mmio" alone runs all.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <string>

struct Form {
  const char* text;
  const char* asked;
};
const Form forms[] = {
    {"ld.mmio.relaxed.sys, unused; @false red.relaxed.gpu.global.add.u32", "read"},
    {"ld.mmio.relaxed.sys, unused; @false atom.acquire.gpu.global.add.u64, unused", "read"},
    {"ld.mmio.relaxed.sys, unused; @true red.relaxed.gpu.global.add.u32 (sibling)", "read"},
    {"ld.mmio.relaxed.sys, used; @false red.relaxed.gpu.global.add.u32 (sibling)", "read"},
    {"ld.mmio.relaxed.sys, unused; @false st.weak.global.u32 (sibling)", "read"},
    {"ld.weak, unused; @false red.relaxed.gpu.global.add.u32 (control)", "either"},
    {"ld.volatile.u64, unused; @false atom.acquire.gpu.global.add.noftz.bf16, unused", "read"},
    {"ld.volatile.u64, unused; @true atom.acquire.gpu.global.add.noftz.bf16, unused (sibling)", "read"},
    {"ld.volatile.u64, used; @false atom.acquire.gpu.global.add.noftz.bf16, unused (sibling)", "read"},
    {"ld.volatile.u64, unused; @false atom.acquire.gpu.global.add.u32, unused (sibling)", "read"},
};

template <int F>
__global__ void program(unsigned* base, unsigned* good, unsigned guard, unsigned* out) {
  unsigned* const bad = base + threadIdx.x * 256;
#define GUARDED(load, operation)                                                                        \
  asm volatile("{ .reg .pred p; .reg .b32 t; .reg .b64 d; setp.ne.u32 p, %2, 0; " load " @p " operation \
               " }" ::"l"(bad),                                                                         \
               "l"(good), "r"(guard)                                                                    \
               : "memory")
  if (F == 0 || F == 2) GUARDED("ld.mmio.relaxed.sys.global.u32 t, [%0];", "red.relaxed.gpu.global.add.u32 [%1], 1;");
  if (F == 1) GUARDED("ld.mmio.relaxed.sys.global.u32 t, [%0];", "atom.acquire.gpu.global.add.u64 d, [%1], 1;");
  if (F == 3) {
    unsigned value;
    asm volatile(
        "{ .reg .pred p; setp.ne.u32 p, %3, 0; ld.mmio.relaxed.sys.global.u32 %0, [%1]; @p "
        "red.relaxed.gpu.global.add.u32 [%2], 1; }"
        : "=r"(value)
        : "l"(bad), "l"(good), "r"(guard)
        : "memory");
    *out = value;
  }
  if (F == 4) GUARDED("ld.mmio.relaxed.sys.global.u32 t, [%0];", "st.weak.global.u32 [%1], 1;");
  if (F == 5) GUARDED("ld.weak.global.u32 t, [%0];", "red.relaxed.gpu.global.add.u32 [%1], 1;");
  // One address for all lanes, and the operation a loop of its own.
  unsigned* const own = good + threadIdx.x;
#define ONE_READ(operation)                                                                              \
  asm volatile(                                                                                          \
      "{ .reg .pred p; .reg .b16 h; .reg .b32 t; .reg .b64 d; setp.ne.u32 p, %2, 0; mov.b16 h, 0x3f80; " \
      "ld.volatile.global.u64 d, [%0]; @p " operation " }" ::"l"(base),                                  \
      "l"(own), "r"(guard)                                                                               \
      : "memory")
  if (F == 6) ONE_READ("atom.acquire.gpu.global.add.noftz.bf16 h, [%1], h;");
  if (F == 8) {
    unsigned long long value;
    asm volatile(
        "{ .reg .pred p; .reg .b16 h; setp.ne.u32 p, %3, 0; mov.b16 h, 0x3f80; ld.volatile.global.u64 %0, [%1]; @p "
        "atom.acquire.gpu.global.add.noftz.bf16 h, [%2], h; }"
        : "=l"(value)
        : "l"(base), "l"(own), "r"(guard)
        : "memory");
    *out = static_cast<unsigned>(value);
  }
  if (F == 9) ONE_READ("atom.acquire.gpu.global.add.u32 t, [%1], 1;");
}

int main(int argc, char** argv) {
  if (argc == 1) {
    for (int f = 0; f < 10; ++f)
      if (std::system((std::string(argv[0]) + " " + std::to_string(f)).c_str()) != 0) return 1;
    return 0;
  }
  const int f = atoi(argv[1]);
  unsigned *good, *bad = reinterpret_cast<unsigned*>(0x1000);
  if (cudaMalloc(&good, 256) != cudaSuccess || cudaMemset(good, 0, 256) != cudaSuccess) return 1;
  const unsigned guard = f == 2 || f == 7;
  if (f == 0 || f == 2) program<0><<<1, 32>>>(bad, good, guard, good + 32);
  if (f == 1) program<1><<<1, 32>>>(bad, good, guard, good + 32);
  if (f == 3) program<3><<<1, 32>>>(bad, good, guard, good + 32);
  if (f == 4) program<4><<<1, 32>>>(bad, good, guard, good + 32);
  if (f == 5) program<5><<<1, 32>>>(bad, good, guard, good + 32);
  if (f == 6 || f == 7) program<6><<<1, 32>>>(bad, good, guard, good + 32);
  if (f == 8) program<8><<<1, 32>>>(bad, good, guard, good + 32);
  if (f == 9) program<9><<<1, 32>>>(bad, good, guard, good + 32);
  const cudaError_t end = cudaDeviceSynchronize();
  if (end != cudaSuccess && end != cudaErrorIllegalAddress) {
    printf("CUDA %s\n", cudaGetErrorString(end));
    return 1;
  }
  printf("%-90s asked: %s; found: %s\n", forms[f].text, forms[f].asked, end == cudaSuccess ? "no read" : "read");
}

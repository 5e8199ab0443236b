// Faults of ptxas that `fencepost hunt` reports, whose litmus tests `fencepost run` cannot make, since it keeps the
// addresses of two accesses apart: two weak loads of one place merged over an acquire, and strong loads through two
// pointers that change places. One program for each form, its right sibling and its control.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#define CK(e)                                       \
  do {                                              \
    cudaError_t er_ = (e);                          \
    if (er_ != cudaSuccess) {                       \
      printf("CUDA %s\n", cudaGetErrorString(er_)); \
      exit(1);                                      \
    }                                               \
  } while (0)
typedef unsigned u32;
enum { MERGE, MERGE_SIBLING, MERGE_CONTROL, CORR, CORR_SAME, CORR_RELAXED, CORR_SIBLING, CORR_CONTROL };
const char* names[] = {"ld.weak r0,x; ld.acquire.gpu r1,y; ld.weak r2,x",
                       "ld.weak r0,x; ld.acquire.gpu r1,y; ld.relaxed.gpu r2,x (sibling)",
                       "ld.weak r0,x; ld.relaxed.gpu r1,y; ld.weak r2,x (control)",
                       "ld.volatile r1,[q]; ld.relaxed.gpu r2,[p], p = q",
                       "ld.volatile r1,[p]; ld.relaxed.gpu r2,[p]",
                       "ld.relaxed.gpu r1,[q]; ld.relaxed.gpu r2,[p], p = q",
                       "ld.acquire.sys r1,[q]; ld.relaxed.gpu r2,[p], p = q (sibling)",
                       "ld.weak r1,[q]; ld.weak r2,[p], p = q (control)"};
constexpr u32 stride = 64;  // words: two lines

// Block 2 k + 1 reads what block 2 k writes; they meet before each round, and begin after delays that are drawn.
template <int F>
__global__ void program(u32* p, u32* q, u32* y, u32* out, u32 rounds, u32 seed) {
  const u32 pair = blockIdx.x / 2, lanes = blockDim.x, pairs = gridDim.x / 2;
  u32 weak = 0, flags = 0, h = seed ^ (blockIdx.x * 2654435761u);
  for (u32 r = 0; r < rounds; ++r) {
    const size_t at = ((size_t(r) * pairs + pair) * lanes + threadIdx.x) * stride;
    h = h * 1664525u + 1013904223u;
    const u32 meet = y[0] + r + 1;  // y[0] is 0
    if (threadIdx.x == 0) {         // the two blocks meet
      u32* door = out + 64 + pair * 64;
      asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(door) : "memory");
      u32 n;
      do asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(n) : "l"(door) : "memory");
      while (n < 2 * meet);
    }
    __syncthreads();
    const u32 until = clock() + (h >> 20);  // up to 4,096 cycles
    while (int(clock() - until) < 0) {
    }
    u32 *x = p + at, *x2 = q + at, *f = y + at + 32;
    if (blockIdx.x % 2 == 0) {
      if (F <= MERGE_CONTROL)
        asm volatile("st.weak.global.u32 [%0], 1; st.release.gpu.global.u32 [%1], 1;" ::"l"(x), "l"(f) : "memory");
      else
        asm volatile("st.relaxed.sys.global.u32 [%0], 1;" ::"l"(x) : "memory");
      continue;
    }
    u32 r0 = 0, r1 = 0, r2 = 0;
    if (F == MERGE)
      asm volatile("ld.weak.global.u32 %0, [%3]; ld.acquire.gpu.global.u32 %1, [%4]; ld.weak.global.u32 %2, [%3];"
                   : "=r"(r0), "=r"(r1), "=r"(r2)
                   : "l"(x), "l"(f)
                   : "memory");
    if (F == MERGE_SIBLING)
      asm volatile(
          "ld.weak.global.u32 %0, [%3]; ld.acquire.gpu.global.u32 %1, [%4]; ld.relaxed.gpu.global.u32 %2, [%3];"
          : "=r"(r0), "=r"(r1), "=r"(r2)
          : "l"(x), "l"(f)
          : "memory");
    if (F == MERGE_CONTROL)
      asm volatile("ld.weak.global.u32 %0, [%3]; ld.relaxed.gpu.global.u32 %1, [%4]; ld.weak.global.u32 %2, [%3];"
                   : "=r"(r0), "=r"(r1), "=r"(r2)
                   : "l"(x), "l"(f)
                   : "memory");
    if (F == CORR)
      asm volatile("ld.volatile.global.u32 %0, [%3]; ld.relaxed.gpu.global.u32 %1, [%2];"
                   : "=r"(r1), "=r"(r2)
                   : "l"(x), "l"(x2)
                   : "memory");
    if (F == CORR_SAME)
      asm volatile("ld.volatile.global.u32 %0, [%2]; ld.relaxed.gpu.global.u32 %1, [%2];"
                   : "=r"(r1), "=r"(r2)
                   : "l"(x)
                   : "memory");
    if (F == CORR_RELAXED)
      asm volatile("ld.relaxed.gpu.global.u32 %0, [%3]; ld.relaxed.gpu.global.u32 %1, [%2];"
                   : "=r"(r1), "=r"(r2)
                   : "l"(x), "l"(x2)
                   : "memory");
    if (F == CORR_SIBLING)
      asm volatile("ld.acquire.sys.global.u32 %0, [%3]; ld.relaxed.gpu.global.u32 %1, [%2];"
                   : "=r"(r1), "=r"(r2)
                   : "l"(x), "l"(x2)
                   : "memory");
    if (F == CORR_CONTROL)
      asm volatile("ld.weak.global.u32 %0, [%3]; ld.weak.global.u32 %1, [%2];"
                   : "=r"(r1), "=r"(r2)
                   : "l"(x), "l"(x2)
                   : "memory");
    flags += r1;
    weak += (r1 == 1 && r2 == 0) + (r0 & 0x80000000u);
  }
  if (weak) atomicAdd(out, weak);
  if (flags) atomicAdd(out + 1, flags);
}

template <int F>
void run(u32* x, u32* y, u32* out, size_t bytes, u32 pairs, u32 lanes, u32 rounds, int launches) {
  unsigned long long weak = 0, flags = 0, all = 0;
  for (int k = 0; k < launches; ++k) {
    CK(cudaMemset(x, 0, bytes));
    CK(cudaMemset(y, 0, bytes));
    CK(cudaMemset(out, 0, 1 << 20));
    program<F><<<2 * pairs, lanes>>>(x, x, y, out, rounds, 12345 + k);
    CK(cudaDeviceSynchronize());
    u32 h[2];
    CK(cudaMemcpy(h, out, 8, cudaMemcpyDeviceToHost));
    weak += h[0], flags += h[1], all += (unsigned long long)pairs * lanes * rounds;
  }
  printf("%-70s weak %llu of %llu, flag seen %llu\n", names[F], weak, all, flags);
  fflush(stdout);
}

int main(int argc, char** argv) {
  const int launches = argc > 1 ? atoi(argv[1]) : 10;
  const u32 pairs = 60, lanes = 128, rounds = 128;
  const size_t bytes = size_t(pairs) * lanes * rounds * stride * 4 + 4096;
  u32 *x, *y, *out;
  CK(cudaMalloc(&x, bytes));
  CK(cudaMalloc(&y, bytes));
  CK(cudaMalloc(&out, 1 << 20));
  cudaDeviceProp d;
  CK(cudaGetDeviceProperties(&d, 0));
  printf("%s\n", d.name);
  run<MERGE>(x, y, out, bytes, pairs, lanes, rounds, launches);
  run<MERGE_SIBLING>(x, y, out, bytes, pairs, lanes, rounds, launches);
  run<MERGE_CONTROL>(x, y, out, bytes, pairs, lanes, rounds, launches);
  run<CORR>(x, y, out, bytes, pairs, lanes, rounds, launches);
  run<CORR_SAME>(x, y, out, bytes, pairs, lanes, rounds, launches);
  run<CORR_RELAXED>(x, y, out, bytes, pairs, lanes, rounds, launches);
  run<CORR_SIBLING>(x, y, out, bytes, pairs, lanes, rounds, launches);
  run<CORR_CONTROL>(x, y, out, bytes, pairs, lanes, rounds, launches);
}

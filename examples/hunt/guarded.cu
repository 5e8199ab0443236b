// An acquiring load behind a predicate, whose result nobody uses: ptxas leaves the load out and keeps its CCTL.IVALL,
// behind a predicate that it does not compute. Block A writes x and releases y. Block B has a line of x in its cache,
// reads y by ld.relaxed, and then by ld.acquire where a guard is true, which it always is; then it reads x. Where the
// first read of y has the new value, so has the second, by coherence, and x must be new. Weak: x is old.
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
typedef unsigned long long u64;
enum { GUARDED, BRANCH, USED, ALWAYS, FENCE, RELAXED, forms };
const char* names[] = {"@p ld.acquire.gpu, unused",         "branch; ld.acquire.gpu, unused",
                       "@p ld.acquire.gpu, used (sibling)", "ld.acquire.gpu, unused, no guard (sibling)",
                       "@p fence.acq_rel.gpu (sibling)",    "@p ld.relaxed.gpu, unused (control)"};
constexpr u32 stride = 64, rounds = 128;

template <int F>
__global__ void program(u32* p, u32* out, u32 seed, u32 guard) {
  const u32 pairs = gridDim.x / 2, pair = blockIdx.x % pairs;
  const bool acquires = blockIdx.x < pairs;
  u32 h = seed ^ (blockIdx.x * 2654435761u), weak = 0, met = 0;
  for (u32 r = 0; r < rounds; ++r) {
    u32* x = p + (size_t(r) * pairs + pair) * 3 * stride;
    u32 *y = x + stride, *go = y + stride;
    u32 before;
    asm volatile("ld.weak.global.u32 %0, [%1];" : "=r"(before) : "l"(x) : "memory");
    atomicAdd(go, 1);
    const u32 from = clock();
    for (u32 v = 0; v < 2 && clock() - from < 2000000;)
      asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(go) : "memory");
    h = h * 1664525u + 1013904223u;
    const u32 until = clock() + (h >> 21);  // up to 2048 cycles
    while (int(clock() - until) < 0) {
    }
    if (!acquires) {
      asm volatile("st.weak.global.u32 [%0], 1; st.release.gpu.global.u32 [%1], 1;" ::"l"(x), "l"(y) : "memory");
      continue;
    }
    u32 flag = 0, data = 0, more = 0;
#define BOTH(form)                                                                                            \
  asm volatile("{ .reg .pred p; .reg .b32 t; setp.ne.u32 p, %5, 0; ld.relaxed.gpu.global.u32 %0, [%3]; " form \
               " ld.weak.global.u32 %1, [%4]; }"                                                              \
               : "=r"(flag), "=r"(data), "+r"(more)                                                           \
               : "l"(y), "l"(x), "r"(guard)                                                                   \
               : "memory")
    if (F == GUARDED) BOTH("@p ld.acquire.gpu.global.u32 t, [%3];");
    if (F == BRANCH) BOTH("@!p bra SKIP_%=; ld.acquire.gpu.global.u32 t, [%3]; SKIP_%=:");
    if (F == USED) BOTH("@p ld.acquire.gpu.global.u32 %2, [%3];");
    if (F == ALWAYS) BOTH("ld.acquire.gpu.global.u32 t, [%3];");
    if (F == FENCE) BOTH("@p fence.acq_rel.gpu;");
    if (F == RELAXED) BOTH("@p ld.relaxed.gpu.global.u32 t, [%3];");
    if (flag == 1) ++met, weak += data == 0;
    if (before + more == 77) ++weak;  // it is less
  }
  if (weak) atomicAdd(out, weak);
  if (met) atomicAdd(out + 1, met);
}

template <int F>
void run(u32* p, u32* out, size_t bytes, u32 blocks, int launches) {
  u64 weak = 0, met = 0, all = 0;
  for (int k = 0; k < launches; ++k) {
    CK(cudaMemset(p, 0, bytes));
    CK(cudaMemset(out, 0, 8));
    program<F><<<blocks, 1>>>(p, out, 12345 + k, 1);
    CK(cudaDeviceSynchronize());
    u32 h[2];
    CK(cudaMemcpy(h, out, 8, cudaMemcpyDeviceToHost));
    weak += h[0], met += h[1], all += u64(blocks / 2) * rounds;
  }
  printf("%-45s weak %llu of %llu, acquired %llu\n", names[F], weak, all, met);
  fflush(stdout);
}

int main(int argc, char** argv) {
  const int launches = argc > 1 ? atoi(argv[1]) : 100;
  cudaDeviceProp d;
  CK(cudaGetDeviceProperties(&d, 0));
  const u32 blocks = d.multiProcessorCount / 2 * 2;
  const size_t bytes = size_t(rounds) * blocks * 3 * stride * 4;
  u32 *p, *out;
  CK(cudaMalloc(&p, bytes));
  CK(cudaMalloc(&out, 8));
  printf("%s\n", d.name);
  run<GUARDED>(p, out, bytes, blocks, launches);
  run<BRANCH>(p, out, bytes, blocks, launches);
  run<USED>(p, out, bytes, blocks, launches);
  run<ALWAYS>(p, out, bytes, blocks, launches);
  run<FENCE>(p, out, bytes, blocks, launches);
  run<RELAXED>(p, out, bytes, blocks, launches);
}

// Faults of ptxas in atomic operations on shared memory whose result nobody uses: a load or a store behind an acquiring
// 64-bit operation that stands before its loop, and an f16x2 addition that becomes one of integers. One program for each
// form, forms that are compiled right, and a control.
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
enum { GPU, CTA, USED, FENCE, CAS, RELAXED };
const char* names[] = {"atom.acquire.gpu.shared.add.u64, unused",
                       "atom.acquire.cta.shared.add.u64, unused",
                       "atom.acquire.gpu.shared.add.u64, used",
                       "atom.relaxed.gpu.shared.add.u64, unused; fence.acq_rel.gpu (sibling)",
                       "atom.acquire.gpu.shared.cas.b64, unused (sibling)",
                       "atom.relaxed.gpu.shared.add.u64, unused (control)"};
constexpr u32 stride = 64;  // words: two lines

// Warp 1 of a block does the operation on y, a variable in shared memory, and then reads or writes x; lane 0 of warp 0
// does the opposite: it writes or reads x, and then, behind a fence, exchanges y. Where the exchange came first, the
// operation has acquired what it released.
template <int F, bool STORE>
__global__ void program(u32* p, u32* out, u32 rounds, u32 seed) {
  __shared__ u64 y;
  __shared__ u32 first, seen;
  u32 weak = 0, met = 0, h = seed ^ ((blockIdx.x * 2 + threadIdx.x / 32) * 2654435761u);
  for (u32 r = 0; r < rounds; ++r) {
    u32* x = p + (size_t(r) * gridDim.x + blockIdx.x) * stride;
    h = h * 1664525u + 1013904223u;
    if (threadIdx.x == 0) y = 0;
    u32 before;  // brings the line of x into the first-level cache
    asm volatile("ld.weak.global.u32 %0, [%1];" : "=r"(before) : "l"(x) : "memory");
    if (before != 0) ++weak;
    __syncthreads();
    const u32 until = clock() + (h >> 23);  // up to 512 cycles
    while (int(clock() - until) < 0) {
    }
    u32 data = 0;
    if (threadIdx.x == 0) {
      u64 old;
      if (STORE)
        asm volatile("ld.weak.global.u32 %0, [%1];" : "=r"(data) : "l"(x) : "memory");
      else
        asm volatile("st.weak.global.u32 [%0], 1;" ::"l"(x) : "memory");
      asm volatile("fence.acq_rel.cta; atom.relaxed.cta.shared.exch.b64 %0, [%1], 2;"
                   : "=l"(old)
                   : "r"(u32(__cvta_generic_to_shared(&y)))
                   : "memory");
      first = old == 0;
      if (STORE) seen = data == 2;
    }
    if (threadIdx.x >= 32) {
      // Once for each form: an asm statement begins with its outputs, so that a load has one operand more.
#define LOAD(form)                                                      \
  asm volatile("{ .reg .b64 t; " form " ld.weak.global.u32 %0, [%2]; }" \
               : "=r"(data)                                             \
               : "r"(u32(__cvta_generic_to_shared(&y))), "l"(x)         \
               : "memory")
#define STORE_2(form)                                                             \
  asm volatile("{ .reg .b64 t; " form " st.weak.global.u32 [%2], %0; }" ::"r"(2), \
               "r"(u32(__cvta_generic_to_shared(&y))), "l"(x)                     \
               : "memory")
#define THEN(form)   \
  do {               \
    if (STORE)       \
      STORE_2(form); \
    else             \
      LOAD(form);    \
  } while (0)
      if (F == GPU) THEN("atom.acquire.gpu.shared.add.u64 t, [%1], 1;");
      if (F == CTA) THEN("atom.acquire.cta.shared.add.u64 t, [%1], 1;");
      if (F == FENCE) THEN("atom.relaxed.gpu.shared.add.u64 t, [%1], 1; fence.acq_rel.gpu;");
      if (F == CAS) THEN("atom.acquire.gpu.shared.cas.b64 t, [%1], 0, 1;");
      if (F == RELAXED) THEN("atom.relaxed.gpu.shared.add.u64 t, [%1], 1;");
      if (F == USED) {
        u64 old = 0;
        if (STORE)
          asm volatile("atom.acquire.gpu.shared.add.u64 %0, [%1], 1; st.weak.global.u32 [%2], 2;"
                       : "=l"(old)
                       : "r"(u32(__cvta_generic_to_shared(&y))), "l"(x)
                       : "memory");
        else
          asm volatile("atom.acquire.gpu.shared.add.u64 %0, [%2], 1; ld.weak.global.u32 %1, [%3];"
                       : "=l"(old), "=r"(data)
                       : "r"(u32(__cvta_generic_to_shared(&y))), "l"(x)
                       : "memory");
        if (old == 77) ++weak;  // it is less
      }
      if (!STORE && threadIdx.x == 32) seen = data == 0;
    }
    __syncthreads();
    if (threadIdx.x == 0) weak += first & seen, met += first;
    __syncthreads();
  }
  if (weak) atomicAdd(out, weak);
  if (met) atomicAdd(out + 1, met);
}

constexpr u32 blocks = 2112, rounds = 64;  // 16 blocks of 64 threads for each of 132 processors

template <int F, bool STORE>
void run(u32* x, u32* out, size_t bytes, int launches) {
  u64 weak = 0, met = 0, all = 0;
  for (int k = 0; k < launches; ++k) {
    CK(cudaMemset(x, 0, bytes));
    CK(cudaMemset(out, 0, 8));
    program<F, STORE><<<blocks, 64>>>(x, out, rounds, 12345 + k);
    CK(cudaDeviceSynchronize());
    u32 h[2];
    CK(cudaMemcpy(h, out, 8, cudaMemcpyDeviceToHost));
    weak += h[0], met += h[1], all += u64(blocks) * rounds;
  }
  printf("%-72s then a %s: weak %llu of %llu, acquired %llu\n", names[F], STORE ? "store" : "load ", weak, all, met);
  fflush(stdout);
}

// ---- additions ----

enum { HALF, HALF_USED, HALF_RED, BF, BF_USED, HALF_TWO, INTEGER };
const char* sums[] = {"atom.relaxed.gpu.shared.add.noftz.f16x2 of 0x1, unused",
                      "atom.relaxed.gpu.shared.add.noftz.f16x2 of 0x1, used (sibling)",
                      "red.relaxed.gpu.shared.add.noftz.f16x2 of 0x1",
                      "atom.relaxed.gpu.shared.add.noftz.bf16x2 of 0x1, unused",
                      "atom.relaxed.gpu.shared.add.noftz.bf16x2 of 0x1, used (sibling)",
                      "atom.relaxed.gpu.shared.add.noftz.f16x2 of 0x2, unused (sibling)",
                      "atom.relaxed.gpu.shared.add.u32 of 0x1, unused (control: adds an integer)"};

// Each thread adds once to a word of its own. As halves of 1.0 no sum differs from what it was: 2^-24 and 2^-133 are
// too small.
template <int F>
__global__ void sum(u32* out, u32 begin) {
  __shared__ u32 s[256];
  s[threadIdx.x] = begin;
  __syncthreads();
  const u32 at = u32(__cvta_generic_to_shared(&s[threadIdx.x]));
  u32 old = begin;
  if (F == HALF)
    asm volatile("{ .reg .b32 t, c; mov.b32 c, 1; atom.relaxed.gpu.shared.add.noftz.f16x2 t, [%0], c; }" ::"r"(at)
                 : "memory");
  if (F == HALF_USED)
    asm volatile("{ .reg .b32 c; mov.b32 c, 1; atom.relaxed.gpu.shared.add.noftz.f16x2 %0, [%1], c; }"
                 : "=r"(old)
                 : "r"(at)
                 : "memory");
  if (F == HALF_RED)
    asm volatile("{ .reg .b32 c; mov.b32 c, 1; red.relaxed.gpu.shared.add.noftz.f16x2 [%0], c; }" ::"r"(at) : "memory");
  if (F == BF)
    asm volatile("{ .reg .b32 t, c; mov.b32 c, 1; atom.relaxed.gpu.shared.add.noftz.bf16x2 t, [%0], c; }" ::"r"(at)
                 : "memory");
  if (F == BF_USED)
    asm volatile("{ .reg .b32 c; mov.b32 c, 1; atom.relaxed.gpu.shared.add.noftz.bf16x2 %0, [%1], c; }"
                 : "=r"(old)
                 : "r"(at)
                 : "memory");
  if (F == HALF_TWO)
    asm volatile("{ .reg .b32 t, c; mov.b32 c, 2; atom.relaxed.gpu.shared.add.noftz.f16x2 t, [%0], c; }" ::"r"(at)
                 : "memory");
  if (F == INTEGER) asm volatile("{ .reg .b32 t; atom.relaxed.gpu.shared.add.u32 t, [%0], 1; }" ::"r"(at) : "memory");
  __syncthreads();
  if (s[threadIdx.x] != begin || old != begin) atomicAdd(out, 1);
  if (s[threadIdx.x] != begin) atomicMax(out + 1, s[threadIdx.x]);
}

template <int F>
void add(u32* out) {
  const u32 begin = F == BF || F == BF_USED ? 0x3f803f80 : 0x3c003c00;
  CK(cudaMemset(out, 0, 8));
  sum<F><<<1024, 256>>>(out, begin);
  CK(cudaDeviceSynchronize());
  u32 h[2];
  CK(cudaMemcpy(h, out, 8, cudaMemcpyDeviceToHost));
  printf("%-75s %#x becomes another word %u of %u", sums[F], begin, h[0], 1024 * 256);
  printf(h[0] ? ", %#x\n" : "\n", h[1]);
  fflush(stdout);
}

int main(int argc, char** argv) {
  const int launches = argc > 1 ? atoi(argv[1]) : 10;
  const size_t bytes = size_t(blocks) * rounds * stride * 4;
  u32 *x, *out;
  CK(cudaMalloc(&x, bytes));
  CK(cudaMalloc(&out, 8));
  cudaDeviceProp d;
  CK(cudaGetDeviceProperties(&d, 0));
  printf("%s\n", d.name);
  run<GPU, false>(x, out, bytes, launches);
  run<CTA, false>(x, out, bytes, launches);
  run<USED, false>(x, out, bytes, launches);
  run<FENCE, false>(x, out, bytes, launches);
  run<CAS, false>(x, out, bytes, launches);
  run<RELAXED, false>(x, out, bytes, launches);
  run<GPU, true>(x, out, bytes, launches);
  run<CTA, true>(x, out, bytes, launches);
  run<USED, true>(x, out, bytes, launches);
  run<FENCE, true>(x, out, bytes, launches);
  run<CAS, true>(x, out, bytes, launches);
  run<RELAXED, true>(x, out, bytes, launches);
  add<HALF>(out);
  add<HALF_USED>(out);
  add<HALF_RED>(out);
  add<BF>(out);
  add<BF_USED>(out);
  add<HALF_TWO>(out);
  add<INTEGER>(out);
}

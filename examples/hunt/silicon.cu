// Litmus tests of compiler faults on a device: clusters of two CTAs on two SMs.
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
typedef unsigned long long u64;
constexpr int IT = 64;
enum {
  SH_U64,
  SH_U64_RLX,
  SH_CAS,
  SH_FENCE,
  SH_OR,
  GE_U64,
  GE_U64_RLX,
  GE_CAS,
  GE_FENCE,
  GE_F32,
  GE_F32_RLX,
  GE_U32,
  CL_U64,
  CL_U64_RLX,
  CL_CAS,
  CL_FENCE,
  NA
};
const char* na[] = {"atom.acquire.gpu.shared.add.u64",
                    "atom.relaxed.gpu.shared.add.u64",
                    "atom.acquire.gpu.shared.cas.b64",
                    "atom.relaxed.gpu.shared.add.u64; fence.acq_rel.gpu",
                    "atom.acquire.gpu.shared.or.b64",
                    "atom.acquire.gpu.add.u64 (generic)",
                    "atom.relaxed.gpu.add.u64 (generic)",
                    "atom.acquire.gpu.cas.b64 (generic)",
                    "atom.relaxed.gpu.add.u64; fence.acq_rel.gpu (generic)",
                    "atom.acquire.gpu.add.f32 (generic)",
                    "atom.relaxed.gpu.add.f32 (generic)",
                    "atom.acquire.gpu.add.u32 (generic)",
                    "atom.acquire.gpu.shared::cluster.add.u64",
                    "atom.relaxed.gpu.shared::cluster.add.u64",
                    "atom.acquire.gpu.shared::cluster.cas.b64",
                    "atom.relaxed.gpu.shared::cluster.add.u64; fence.acq_rel.gpu"};
template <int V>
__device__ __forceinline__ u64 poll(unsigned s, u64 g, unsigned c) {
  u64 o = 0;
  unsigned p = 0;
  float f = 0;
  if (V == SH_U64) asm volatile("atom.acquire.gpu.shared.add.u64 %0, [%1], 0;" : "=l"(o) : "r"(s) : "memory");
  if (V == SH_U64_RLX) asm volatile("atom.relaxed.gpu.shared.add.u64 %0, [%1], 0;" : "=l"(o) : "r"(s) : "memory");
  if (V == SH_CAS) asm volatile("atom.acquire.gpu.shared.cas.b64 %0, [%1], 7, 7;" : "=l"(o) : "r"(s) : "memory");
  if (V == SH_FENCE)
    asm volatile("atom.relaxed.gpu.shared.add.u64 %0, [%1], 0; fence.acq_rel.gpu;" : "=l"(o) : "r"(s) : "memory");
  if (V == SH_OR) asm volatile("atom.acquire.gpu.shared.or.b64 %0, [%1], 0;" : "=l"(o) : "r"(s) : "memory");
  if (V == GE_U64) asm volatile("atom.acquire.gpu.add.u64 %0, [%1], 0;" : "=l"(o) : "l"(g) : "memory");
  if (V == GE_U64_RLX) asm volatile("atom.relaxed.gpu.add.u64 %0, [%1], 0;" : "=l"(o) : "l"(g) : "memory");
  if (V == GE_CAS) asm volatile("atom.acquire.gpu.cas.b64 %0, [%1], 7, 7;" : "=l"(o) : "l"(g) : "memory");
  if (V == GE_FENCE)
    asm volatile("atom.relaxed.gpu.add.u64 %0, [%1], 0; fence.acq_rel.gpu;" : "=l"(o) : "l"(g) : "memory");
  if (V == GE_F32) {
    asm volatile("atom.acquire.gpu.add.f32 %0, [%1], 0f00000000;" : "=f"(f) : "l"(g) : "memory");
    o = f != 0;
  }
  if (V == GE_F32_RLX) {
    asm volatile("atom.relaxed.gpu.add.f32 %0, [%1], 0f00000000;" : "=f"(f) : "l"(g) : "memory");
    o = f != 0;
  }
  if (V == GE_U32) {
    asm volatile("atom.acquire.gpu.add.u32 %0, [%1], 0;" : "=r"(p) : "l"(g) : "memory");
    o = p;
  }
  if (V == CL_U64) asm volatile("atom.acquire.gpu.shared::cluster.add.u64 %0, [%1], 0;" : "=l"(o) : "r"(c) : "memory");
  if (V == CL_U64_RLX)
    asm volatile("atom.relaxed.gpu.shared::cluster.add.u64 %0, [%1], 0;" : "=l"(o) : "r"(c) : "memory");
  if (V == CL_CAS)
    asm volatile("atom.acquire.gpu.shared::cluster.cas.b64 %0, [%1], 7, 7;" : "=l"(o) : "r"(c) : "memory");
  if (V == CL_FENCE)
    asm volatile("atom.relaxed.gpu.shared::cluster.add.u64 %0, [%1], 0; fence.acq_rel.gpu;"
                 : "=l"(o)
                 : "r"(c)
                 : "memory");
  return o;
}
#define CBAR asm volatile("barrier.cluster.arrive.release; barrier.cluster.wait.acquire;" ::: "memory")
// POLLERS warps acquire one word of their own CTA, the other warps read the line of x all the time, so that it is in L1.
template <int V>
__global__ void __cluster_dims__(2, 1, 1) acquire(unsigned* x, u64* out, u64 base, int delay, int pollers, int many) {
  __shared__ u64 s[IT][32];
  __shared__ unsigned over[IT];
  for (int i = threadIdx.x; i < IT * 32; i += blockDim.x) ((u64*)s)[i] = 0;
  for (int i = threadIdx.x; i < IT; i += blockDim.x) over[i] = 0;
  CBAR;
  unsigned pair = blockIdx.x / 2, npair = gridDim.x / 2, lane = threadIdx.x % 32, w = threadIdx.x / 32;
  for (int it = 0; it < IT; it++) {
    unsigned slot = many ? lane : 0;
    unsigned* px = x + (((size_t)it * npair + pair) * 32 + slot) * 64;
    unsigned a = (unsigned)__cvta_generic_to_shared(&s[it][slot]);
    u64 g = (u64)&s[it][slot] + base;  // base is 0, and the compiler does not know it
    unsigned me, own;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(me));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(own) : "r"(a), "r"(me));
    if (blockIdx.x % 2 == 1) {
      if (threadIdx.x < (many ? 32 : 1)) {
        unsigned ra;
        asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(ra) : "r"(a));
        for (int j = 0; j < delay; j++) __nanosleep(100);
        asm volatile("st.relaxed.gpu.global.u32 [%0], 1;" ::"l"(px) : "memory");
        if (V == GE_F32 || V == GE_F32_RLX)
          asm volatile("fence.acq_rel.gpu; red.relaxed.gpu.shared::cluster.add.u32 [%0], 0x3F800000;" ::"r"(ra)
                       : "memory");
        else if (V == GE_U32)
          asm volatile("red.release.gpu.shared::cluster.add.u32 [%0], 1;" ::"r"(ra) : "memory");
        else
          asm volatile("fence.acq_rel.gpu; red.relaxed.gpu.shared::cluster.add.u64 [%0], 1;" ::"r"(ra) : "memory");
      }
    } else if (w < pollers) {
      unsigned b, r = 1;
      u64 v = 0;
      int n = 0;
      asm volatile("ld.weak.global.ca.u32 %0, [%1];" : "=r"(b) : "l"(px + 1) : "memory");
      if (b) out[1] = 7;
      do v = poll<V>(a, g, own);
      while (v == 0 && ++n < 20000);
      if (v) {
        asm volatile("ld.weak.global.u32 %0, [%1];" : "=r"(r) : "l"(px) : "memory");
        atomicAdd(out + 2, 1ull);
        if (r == 0) atomicAdd(out, 1ull);
      }
      __syncwarp();
      if (lane == 0) atomicAdd(&over[it], 1u);
    } else {
      unsigned b, t = 0, n = 0;
      do {
        asm volatile("ld.weak.global.ca.u32 %0, [%1];" : "=r"(b) : "l"(px + 1) : "memory");
        t += b;
        asm volatile("ld.volatile.shared.u32 %0, [%1];"
                     : "=r"(b)
                     : "r"((unsigned)__cvta_generic_to_shared(&over[it]))
                     : "memory");
      } while (b < (unsigned)pollers && ++n < 100000);
      if (t) out[1] = 8;
    }
    CBAR;
  }
}
enum { R_U64, R_U64_RLX, R_EXCH, R_FENCE, R_OR, R_U32, R_GEN, NR };
const char* nr[] = {"red.release.gpu.shared.add.u64",   "red.relaxed.gpu.shared.add.u64",
                    "atom.release.gpu.shared.exch.b64", "fence.acq_rel.gpu; red.relaxed.gpu.shared.add.u64",
                    "atom.release.gpu.shared.or.b64",   "red.release.gpu.shared.add.u32",
                    "red.release.gpu.add.u64 (generic)"};
template <int V>
__device__ __forceinline__ void signal(unsigned s, u64 g) {
  u64 o;
  if (V == R_U64) asm volatile("red.release.gpu.shared.add.u64 [%0], 1;" ::"r"(s) : "memory");
  if (V == R_U64_RLX) asm volatile("red.relaxed.gpu.shared.add.u64 [%0], 1;" ::"r"(s) : "memory");
  if (V == R_EXCH) asm volatile("atom.release.gpu.shared.exch.b64 %0, [%1], 1;" : "=l"(o) : "r"(s) : "memory");
  if (V == R_FENCE) asm volatile("fence.acq_rel.gpu; red.relaxed.gpu.shared.add.u64 [%0], 1;" ::"r"(s) : "memory");
  if (V == R_OR) asm volatile("atom.release.gpu.shared.or.b64 %0, [%1], 1;" : "=l"(o) : "r"(s) : "memory");
  if (V == R_U32) asm volatile("red.release.gpu.shared.add.u32 [%0], 1;" ::"r"(s) : "memory");
  if (V == R_GEN) asm volatile("red.release.gpu.add.u64 [%0], 1;" ::"l"(g) : "memory");
}
template <int V>
__global__ void __cluster_dims__(2, 1, 1)
    release(unsigned* x, u64* out, u64 base, unsigned* junk, unsigned jn, int stress) {
  __shared__ u64 s[IT][32];
  for (int i = threadIdx.x; i < IT * 32; i += blockDim.x) ((u64*)s)[i] = 0;
  CBAR;
  unsigned pair = blockIdx.x / 2, npair = gridDim.x / 2, lane = threadIdx.x % 32, w = threadIdx.x / 32;
  for (int it = 0; it < IT; it++) {
    unsigned* px = x + (((size_t)it * npair + pair) * 32 + lane) * 64;
    unsigned a = (unsigned)__cvta_generic_to_shared(&s[it][lane]);
    if (w > 0) {
      if (blockIdx.x % 2 == 0)
        for (int j = 0; j < stress; j++)
          junk[(threadIdx.x * 64 + j * 8191u * 32 + blockIdx.x * 4096u + it * 977u * 32) % jn] = it;
    } else if (blockIdx.x % 2 == 0) {
      asm volatile("st.relaxed.gpu.global.u32 [%0], 1;" ::"l"(px) : "memory");
      signal<V>(a, (u64)&s[it][lane] + base);
    } else {
      unsigned ra, r = 1;
      u64 v = 0;
      int n = 0;
      asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(ra) : "r"(a));
      do {
        asm volatile("ld.acquire.gpu.shared::cluster.u64 %0, [%1];" : "=l"(v) : "r"(ra) : "memory");
      } while (v == 0 && ++n < 20000);
      if (v) {
        asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(r) : "l"(px) : "memory");
        atomicAdd(out + 2, 1ull);
        if (r == 0) atomicAdd(out, 1ull);
      }
    }
    CBAR;
  }
}
// Atomicity: both CTAs add to one word of CTA 0; the sum must be exact.
template <int V>
__global__ void __cluster_dims__(2, 1, 1) sum(u64* out, u64 base, int n) {
  __shared__ u64 s;
  if (threadIdx.x == 0) s = 0;
  CBAR;
  unsigned a = (unsigned)__cvta_generic_to_shared(&s), ra;
  asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(ra) : "r"(a));
  u64 g = (u64)&s, rg;
  asm volatile("mapa.u64 %0, %1, 0;" : "=l"(rg) : "l"(g));
  rg += base;
  for (int i = 0; i < n; i++) {
    u64 o;
    float f;
    if (V == 0) asm volatile("atom.relaxed.gpu.shared::cluster.add.u64 %0, [%1], 1;" : "=l"(o) : "r"(ra) : "memory");
    if (V == 1)
      asm volatile("atom.relaxed.gpu.shared::cluster.add.f32 %0, [%1], 0f3F800000;" : "=f"(f) : "r"(ra) : "memory");
    if (V == 2) asm volatile("atom.relaxed.gpu.add.f32 %0, [%1], 0f3F800000;" : "=f"(f) : "l"(rg) : "memory");
    if (V == 3) {
      u64 e = 0, was;
      while (true) {
        asm volatile("atom.relaxed.gpu.shared::cluster.cas.b64 %0, [%1], %2, %3;"
                     : "=l"(was)
                     : "r"(ra), "l"(e), "l"(e + 1)
                     : "memory");
        if (was == e) break;
        e = was;
      }
    }
  }
  CBAR;
  if (blockIdx.x % 2 == 0 && threadIdx.x == 0) {
    double got = V == 1 || V == 2 ? *(float*)&s : (double)s;
    atomicAdd(out + 2, 1ull);
    if (got != 2.0 * blockDim.x * n) atomicAdd(out, 1ull);
  }
  CBAR;
}
static int sms;
static u64* c;
static unsigned* x;
static size_t nx;
static void show(const char* kind, const char* name, u64 W, u64 S) {
  printf("%-8s %-62s %llu of %llu\n", kind, name, W, S);
  fflush(stdout);
}
template <int V>
void go_a(int reps) {
  for (int many = 0; many < 2; many++) {
    u64 W = 0, S = 0;
    int pairs = sms / 2 - 2;
    for (int r = 0; r < reps; r++) {
      CK(cudaMemset(x, 0, nx * 4));
      CK(cudaMemset(c, 0, 24));
      acquire<V><<<pairs * 2, 512>>>(x, c, 0, r % 8 * 3, many ? 1 : 1 + r % 3 * 4, many);
      CK(cudaGetLastError());
      u64 h[3];
      CK(cudaMemcpy(h, c, 24, cudaMemcpyDeviceToHost));
      W += h[0];
      S += h[2];
    }
    show(many ? "acquire1" : "acquireN", na[V], W, S);
  }
}
template <int V>
void go_r(int reps, unsigned* junk, unsigned jn) {
  u64 W = 0, S = 0;
  int pairs = sms / 2 - 2;
  const int st[] = {0, 12, 28};
  for (int r = 0; r < reps; r++) {
    CK(cudaMemset(x, 0, nx * 4));
    CK(cudaMemset(c, 0, 24));
    release<V><<<pairs * 2, 256>>>(x, c, 0, junk, jn, st[r % 3]);
    CK(cudaGetLastError());
    u64 h[3];
    CK(cudaMemcpy(h, c, 24, cudaMemcpyDeviceToHost));
    W += h[0];
    S += h[2];
  }
  show("release", nr[V], W, S);
}
template <int V>
void go_s(const char* n) {
  CK(cudaMemset(c, 0, 24));
  for (int r = 0; r < 20; r++) {
    sum<V><<<(sms / 2 - 2) * 2, 256>>>(c, 0, 50);
    CK(cudaGetLastError());
  }
  u64 h[3];
  CK(cudaMemcpy(h, c, 24, cudaMemcpyDeviceToHost));
  show("sum", n, h[0], h[2]);
}
int main(int, char** v) {
  cudaDeviceProp p;
  CK(cudaGetDeviceProperties(&p, 0));
  int d = 0;
  cudaDriverGetVersion(&d);
  printf("%s driver %d\n", p.name, d);
  sms = p.multiProcessorCount;
  const int reps = v[1] ? atoi(v[1]) : 60;
  nx = (size_t)IT * (sms / 2) * 32 * 64;
  CK(cudaMalloc(&x, nx * 4));
  CK(cudaMalloc(&c, 24));
  unsigned jn = 1u << 26, *junk;
  CK(cudaMalloc(&junk, (size_t)jn * 4));
  go_a<SH_U64>(reps);
  go_a<SH_OR>(reps);
  go_a<SH_U64_RLX>(reps);
  go_a<SH_CAS>(reps);
  go_a<SH_FENCE>(reps);
  go_a<GE_U64>(reps);
  go_a<GE_U64_RLX>(reps);
  go_a<GE_CAS>(reps);
  go_a<GE_FENCE>(reps);
  go_a<GE_U32>(reps);
  go_a<GE_F32>(reps);
  go_a<GE_F32_RLX>(reps);
  go_a<CL_U64>(reps);
  go_a<CL_U64_RLX>(reps);
  go_a<CL_CAS>(reps);
  go_a<CL_FENCE>(reps);
  go_r<R_U64>(reps * 2, junk, jn);
  go_r<R_OR>(reps * 2, junk, jn);
  go_r<R_U64_RLX>(reps * 2, junk, jn);
  go_r<R_EXCH>(reps * 2, junk, jn);
  go_r<R_FENCE>(reps * 2, junk, jn);
  go_r<R_U32>(reps * 2, junk, jn);
  go_r<R_GEN>(reps * 2, junk, jn);
  go_s<0>("atom.relaxed.gpu.shared::cluster.add.u64");
  go_s<1>("atom.relaxed.gpu.shared::cluster.add.f32");
  go_s<2>("atom.relaxed.gpu.add.f32 (generic, shared of the cluster)");
  go_s<3>("atom.relaxed.gpu.shared::cluster.cas.b64");
}

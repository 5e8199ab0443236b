// An atomic operation without a result that is used, and fence.acquire behind it: does what stands behind the fence wait
// for the operation? By PTX ISA 8.8 `atom.relaxed` and `fence.acquire` are an acquire pattern; by 8.11.1 `red` and
// `fence.acquire` are none, which makes `red` the control. One program for each form and place of the flag y:
//   apart   y in global memory, the two threads in different clusters. To make B's operation late, other blocks of its
//           cluster keep the cache slice of y busy, or y is in a page that A has used and B has not, or both
//   remote  y in shared memory of another CTA of the cluster, which the other CTAs keep busy
//   block   y in shared memory of one CTA, two warps; other warps keep it busy
// Warp A writes x and then, behind fence.acq_rel, exchanges y (or reads x before it). Warp B does the operation on y and
// the fence, and then reads x (or writes it). Weak: A's exchange came first, and B read the old x (A read B's x).
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>
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
namespace cg = cooperative_groups;

// ---- what warp B does ----

#define LOAD(form, y)                                                                \
  asm volatile("{ .reg .b32 t; .reg .b64 d; " form " ld.weak.global.u32 %0, [%2]; }" \
               : "=r"(data)                                                          \
               : y, "l"(x)                                                           \
               : "memory")
#define STORE_2(form, y) \
  asm volatile("{ .reg .b32 t; .reg .b64 d; " form " st.weak.global.u32 [%2], %0; }" ::"r"(2), y, "l"(x) : "memory")
#define THEN(form, y)   \
  do {                  \
    if (STORE)          \
      STORE_2(form, y); \
    else                \
      LOAD(form, y);    \
  } while (0)

enum Place { APART, REMOTE, BLOCK };
constexpr int forms = 13;
// "" ends a list.
const char* const names[3][forms + 1] = {
    {"atom.relaxed.gpu.add.u32, unused; fence.acquire.gpu", "atom.relaxed.gpu.exch.b32, unused; fence.acquire.gpu",
     "atom.relaxed.gpu.add.u64, unused; fence.acquire.gpu", "atom.relaxed.gpu.add.u32, unused; fence.acquire.sys",
     "atom.relaxed.gpu.add.u32, used; fence.acquire.gpu (sibling)",
     "atom.relaxed.gpu.global.add.u32, unused; fence.acquire.gpu (sibling)",
     "atom.acquire.gpu.add.u32, unused (sibling)", "atom.relaxed.gpu.add.u32, unused; fence.acq_rel.gpu (sibling)",
     "red.relaxed.gpu.add.u32; fence.acquire.gpu (control)",
     "red.relaxed.gpu.global.add.u32; fence.acquire.gpu (control)",
     "atom.relaxed.gpu.add.u32, unused; no fence (control)",
     "atom.relaxed.gpu.add.u32, unused; ld.acquire.gpu.u32 of y, unused",
     "atom.relaxed.gpu.add.u32, unused; ld.acquire.gpu.u32 of y, used (sibling)", ""},
    {"atom.relaxed.cluster.shared::cluster.add.u32, unused; fence.acquire.cluster",
     "atom.relaxed.cluster.shared::cluster.exch.b32, unused; fence.acquire.cluster",
     "atom.relaxed.cluster.shared::cluster.add.u64, unused; fence.acquire.cluster",
     "atom.relaxed.gpu.shared::cluster.add.u32, unused; fence.acquire.gpu",
     "atom.relaxed.cluster.shared::cluster.add.u32, used; fence.acquire.cluster (sibling)",
     "atom.acquire.cluster.shared::cluster.add.u32, unused (sibling)",
     "atom.relaxed.cluster.shared::cluster.add.u32, unused; fence.acq_rel.cluster (sibling)",
     "red.relaxed.cluster.shared::cluster.add.u32; fence.acquire.cluster (control)",
     "atom.relaxed.cluster.shared::cluster.add.u32, unused; no fence (control)", "", "", "", "", ""},
    {"atom.relaxed.cta.shared.add.u32, unused; fence.acquire.cta",
     "atom.relaxed.gpu.shared.exch.b32, unused; fence.acquire.gpu",
     "atom.relaxed.gpu.shared.min.s32, unused; fence.acquire.sys",
     "atom.relaxed.gpu.shared.dec.u32, unused; ld.acquire.gpu.shared.v2.u32, unused",
     "atom.relaxed.cta.shared.add.u32, used; fence.acquire.cta (sibling)",
     "atom.acquire.gpu.shared.add.u32, unused (sibling)",
     "atom.relaxed.cta.shared.add.u32, unused; fence.acq_rel.cta (sibling)",
     "red.relaxed.cta.shared.add.u32; fence.acquire.cta (control)",
     "atom.acquire.gpu.shared.add.u64, unused (sensitivity: another fault, the access stands before the loop)", "", "",
     "", "", ""}};

template <int PLACE, int F, bool STORE>
__device__ u32 acquiring(u64* y, u32 shared, u32* x) {
  u32 data = 0;
#define GEN "l"(y)
#define SHA "r"(shared)
  if constexpr (PLACE == APART) {
    if constexpr (F == 0) THEN("atom.relaxed.gpu.add.u32 t, [%1], 1; fence.acquire.gpu;", GEN);
    if constexpr (F == 1) THEN("atom.relaxed.gpu.exch.b32 t, [%1], 1; fence.acquire.gpu;", GEN);
    if constexpr (F == 2) THEN("atom.relaxed.gpu.add.u64 d, [%1], 1; fence.acquire.gpu;", GEN);
    if constexpr (F == 3) THEN("atom.relaxed.gpu.add.u32 t, [%1], 1; fence.acquire.sys;", GEN);
    if constexpr (F == 4) {
      u32 old = 0;
      if (STORE)
        asm volatile("atom.relaxed.gpu.add.u32 %0, [%1], 1; fence.acquire.gpu; st.weak.global.u32 [%2], 2;"
                     : "=r"(old)
                     : GEN, "l"(x)
                     : "memory");
      else
        asm volatile("atom.relaxed.gpu.add.u32 %0, [%2], 1; fence.acquire.gpu; ld.weak.global.u32 %1, [%3];"
                     : "=r"(old), "=r"(data)
                     : GEN, "l"(x)
                     : "memory");
      if (old == 77) data = 77;
    }
    if constexpr (F == 5) THEN("atom.relaxed.gpu.global.add.u32 t, [%1], 1; fence.acquire.gpu;", GEN);
    if constexpr (F == 6) THEN("atom.acquire.gpu.add.u32 t, [%1], 1;", GEN);
    if constexpr (F == 7) THEN("atom.relaxed.gpu.add.u32 t, [%1], 1; fence.acq_rel.gpu;", GEN);
    if constexpr (F == 8) THEN("red.relaxed.gpu.add.u32 [%1], 1; fence.acquire.gpu;", GEN);
    if constexpr (F == 9) THEN("red.relaxed.gpu.global.add.u32 [%1], 1; fence.acquire.gpu;", GEN);
    if constexpr (F == 10) THEN("atom.relaxed.gpu.add.u32 t, [%1], 1;", GEN);
    if constexpr (F == 11) THEN("atom.relaxed.gpu.add.u32 t, [%1], 1; ld.acquire.gpu.u32 t, [%1];", GEN);
    if constexpr (F == 12) {
      u32 seen = 0;
      if (STORE)
        asm volatile(
            "{ .reg .b32 t; atom.relaxed.gpu.add.u32 t, [%1], 1; ld.acquire.gpu.u32 %0, [%1]; st.weak.global.u32 [%2], "
            "2; }"
            : "=r"(seen)
            : GEN, "l"(x)
            : "memory");
      else
        asm volatile(
            "{ .reg .b32 t; atom.relaxed.gpu.add.u32 t, [%2], 1; ld.acquire.gpu.u32 %0, [%2]; ld.weak.global.u32 %1, "
            "[%3]; }"
            : "=r"(seen), "=r"(data)
            : GEN, "l"(x)
            : "memory");
      if (seen == 77) data = 77;
    }
  }
  if constexpr (PLACE == REMOTE) {
    if constexpr (F == 0) THEN("atom.relaxed.cluster.shared::cluster.add.u32 t, [%1], 1; fence.acquire.cluster;", SHA);
    if constexpr (F == 1) THEN("atom.relaxed.cluster.shared::cluster.exch.b32 t, [%1], 1; fence.acquire.cluster;", SHA);
    if constexpr (F == 2) THEN("atom.relaxed.cluster.shared::cluster.add.u64 d, [%1], 1; fence.acquire.cluster;", SHA);
    if constexpr (F == 3) THEN("atom.relaxed.gpu.shared::cluster.add.u32 t, [%1], 1; fence.acquire.gpu;", SHA);
    if constexpr (F == 4) {
      u32 old = 0;
      if (STORE)
        asm volatile(
            "atom.relaxed.cluster.shared::cluster.add.u32 %0, [%1], 1; fence.acquire.cluster; st.weak.global.u32 [%2], "
            "2;"
            : "=r"(old)
            : SHA, "l"(x)
            : "memory");
      else
        asm volatile(
            "atom.relaxed.cluster.shared::cluster.add.u32 %0, [%2], 1; fence.acquire.cluster; ld.weak.global.u32 %1, "
            "[%3];"
            : "=r"(old), "=r"(data)
            : SHA, "l"(x)
            : "memory");
      if (old == 77) data = 77;
    }
    if constexpr (F == 5) THEN("atom.acquire.cluster.shared::cluster.add.u32 t, [%1], 1;", SHA);
    if constexpr (F == 6) THEN("atom.relaxed.cluster.shared::cluster.add.u32 t, [%1], 1; fence.acq_rel.cluster;", SHA);
    if constexpr (F == 7) THEN("red.relaxed.cluster.shared::cluster.add.u32 [%1], 1; fence.acquire.cluster;", SHA);
    if constexpr (F == 8) THEN("atom.relaxed.cluster.shared::cluster.add.u32 t, [%1], 1;", SHA);
  }
  if constexpr (PLACE == BLOCK) {
    if constexpr (F == 0) THEN("atom.relaxed.cta.shared.add.u32 t, [%1], 1; fence.acquire.cta;", SHA);
    if constexpr (F == 1) THEN("atom.relaxed.gpu.shared.exch.b32 t, [%1], 1; fence.acquire.gpu;", SHA);
    if constexpr (F == 2) THEN("atom.relaxed.gpu.shared.min.s32 t, [%1], -1; fence.acquire.sys;", SHA);
    if constexpr (F == 3)
      THEN("{ .reg .b32 u; atom.relaxed.gpu.shared.dec.u32 t, [%1], 5; ld.acquire.gpu.shared.v2.u32 {t, u}, [%1]; }",
           SHA);
    if constexpr (F == 4) {
      u32 old = 0;
      if (STORE)
        asm volatile("atom.relaxed.cta.shared.add.u32 %0, [%1], 1; fence.acquire.cta; st.weak.global.u32 [%2], 2;"
                     : "=r"(old)
                     : SHA, "l"(x)
                     : "memory");
      else
        asm volatile("atom.relaxed.cta.shared.add.u32 %0, [%2], 1; fence.acquire.cta; ld.weak.global.u32 %1, [%3];"
                     : "=r"(old), "=r"(data)
                     : SHA, "l"(x)
                     : "memory");
      if (old == 77) data = 77;
    }
    if constexpr (F == 5) THEN("atom.acquire.gpu.shared.add.u32 t, [%1], 1;", SHA);
    if constexpr (F == 6) THEN("atom.relaxed.cta.shared.add.u32 t, [%1], 1; fence.acq_rel.cta;", SHA);
    if constexpr (F == 7) THEN("red.relaxed.cta.shared.add.u32 [%1], 1; fence.acquire.cta;", SHA);
    if constexpr (F == 8) THEN("atom.acquire.gpu.shared.add.u64 d, [%1], 1;", SHA);
  }
  return data;
}

// ---- what warp A does: bit 0, its exchange came first; bit 1, it has read what B stored ----

template <int PLACE, bool STORE, bool WIDE>
__device__ u32 releasing(u64* y, u32* x) {
  u32 data = 0, old = 0;
  u64 wide = 0;
  if (STORE)
    asm volatile("ld.weak.global.u32 %0, [%1];" : "=r"(data) : "l"(x) : "memory");
  else
    asm volatile("st.weak.global.u32 [%0], 1;" ::"l"(x) : "memory");
#define EXCHANGE(fence, form, y)                                                                       \
  do {                                                                                                 \
    if (WIDE)                                                                                          \
      asm volatile(fence " atom.relaxed." form ".exch.b64 %0, [%1], 16;" : "=l"(wide) : y : "memory"); \
    else                                                                                               \
      asm volatile(fence " atom.relaxed." form ".exch.b32 %0, [%1], 16;" : "=r"(old) : y : "memory");  \
  } while (0)
  const u32 shared = u32(__cvta_generic_to_shared(y));
  if (PLACE == APART) EXCHANGE("fence.acq_rel.gpu;", "gpu.global", GEN);
  if (PLACE == REMOTE) EXCHANGE("fence.acq_rel.cluster;", "cluster.shared", SHA);
  if (PLACE == BLOCK) EXCHANGE("fence.acq_rel.cta;", "cta.shared", SHA);
  return (old == 0 && wide == 0 ? 1 : 0) | (data == 2 ? 2 : 0);
}

__device__ void wait(u32 cycles) {
  const u32 until = clock() + cycles;
  while (int(clock() - until) < 0) {
  }
}
__device__ u32 next(u32& h) { return h = h * 1664525u + 1013904223u; }
__device__ u32 read(const u32* p) {
  u32 v;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}
// Both threads come here before a round; false: the other never came.
__device__ bool meet(u32* go) {
  atomicAdd(go, 1);
  const long long from = clock64();
  while (read(go) < 2)
    if (clock64() - from > 400000000LL) return false;
  return true;
}
// A delay of one of several magnitudes, up to 2^13 cycles.
__device__ u32 delay(u32& h) {
  const u32 shift = 19 + (next(h) >> 29);
  return next(h) >> shift;
}

constexpr u32 stride = 64, rounds = 256, ranks = 8;
constexpr u32 over = ~0u;
struct Arrays {
  u32 *xy, *go, *now, *a, *b;  // places, meetings, the round of each pair, results
  char* pages;                 // nullptr: y stands behind x
  u32 count;                   // of pages, a power of two
};
constexpr size_t page = 2 << 20;
__device__ u32* place_of(const Arrays& all, u32 n) { return all.xy + size_t(n) * 2 * stride; }
__device__ u32* flag_of(const Arrays& all, u32 n) {
  if (!all.pages) return place_of(all, n) + stride;
  return reinterpret_cast<u32*>(all.pages + (n * 5167u % all.count) * page + (n / all.count) * 65536 +
                                n * 37 % 64 * 512);
}
__global__ void clear(Arrays all, u32 count) {
  const u32 n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n < count) flag_of(all, n)[0] = flag_of(all, n)[1] = 0;
}

// ---- apart: clusters 0 to pairs - 1 hold B and who keeps y busy; the others hold A in their first block ----

template <int F, bool STORE>
__global__ void __cluster_dims__(ranks) apart(Arrays all, u32 seed, u32 busy) {
  const u32 cluster = blockIdx.x / ranks, rank = blockIdx.x % ranks, pairs = gridDim.x / ranks / 2;
  const u32 pair = cluster % pairs;
  const bool acquires = cluster < pairs;
  u32 h = seed ^ ((blockIdx.x * 128 + threadIdx.x) * 2654435761u);
  if (rank != 0) {
    if (!acquires || rank > busy) return;
    for (u32 r = 0; (r = read(all.now + pair)) != over;)
      for (u32 k = 0; k < 8; ++k) {
        u32* const beside = flag_of(all, r * pairs + pair) + 2 + (threadIdx.x + k) % 6;
        asm volatile("red.relaxed.gpu.global.add.u32 [%0], %1;" ::"l"(beside), "r"(threadIdx.x) : "memory");
      }
    return;
  }
  if (threadIdx.x != 0) return;
  for (u32 r = 0; r < rounds; ++r) {
    u32* const x = place_of(all, r * pairs + pair);
    u64* const y = reinterpret_cast<u64*>(flag_of(all, r * pairs + pair));
    if (acquires) {
      atomicExch(all.now + pair, r);
      if (busy) wait(4000);
    }
    u32 before;  // brings x near
    asm volatile("ld.weak.global.u32 %0, [%1];" : "=r"(before) : "l"(x) : "memory");
    if (!acquires) read(reinterpret_cast<u32*>(y) + 32);  // its page, not its line
    if (!meet(all.go + pair * rounds + r)) break;
    if (acquires) {
      wait(next(h) >> 24);
      all.b[pair * rounds + r] = acquiring<APART, F, STORE>(y, 0, x) + before;
    } else {
      wait(delay(h));
      all.a[pair * rounds + r] = releasing < APART, STORE, F == 2 > (y, x) + before;
    }
  }
  if (acquires) atomicExch(all.now + pair, over);
}

// ---- remote: B is block 0 of a cluster, A block 1, y its shared memory; the others keep that busy ----

template <int F, bool STORE>
__global__ void __cluster_dims__(ranks) remote(Arrays all, u32 seed, u32 busy) {
  __shared__ u64 y[rounds];
  __shared__ u32 beside[64];
  cg::cluster_group cluster = cg::this_cluster();
  const u32 pair = blockIdx.x / ranks, rank = blockIdx.x % ranks, pairs = gridDim.x / ranks;
  for (u32 k = threadIdx.x; k < rounds; k += blockDim.x) y[k] = 0;
  u32 h = seed ^ ((blockIdx.x * 128 + threadIdx.x) * 2654435761u);
  cluster.sync();
  u32 at, at_beside;
  asm("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(at) : "r"(u32(__cvta_generic_to_shared(y))));
  asm("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(at_beside) : "r"(u32(__cvta_generic_to_shared(beside))));
  if (rank > 1 && rank < 2 + busy) {
    while (read(all.now + pair) != over)
      for (u32 k = 0; k < 8; ++k)
        asm volatile(
            "red.relaxed.cluster.shared::cluster.add.u32 [%0], %1;" ::"r"(at_beside + 4 * ((threadIdx.x + k) % 3)),
            "r"(threadIdx.x)
            : "memory");
  }
  if (rank < 2 && threadIdx.x == 0)
    for (u32 r = 0; r < rounds; ++r) {
      u32* const x = place_of(all, r * pairs + pair);
      u32 before;
      asm volatile("ld.weak.global.u32 %0, [%1];" : "=r"(before) : "l"(x) : "memory");
      if (!meet(all.go + pair * rounds + r)) break;
      if (rank == 0) {
        wait(next(h) >> 24);
        all.b[pair * rounds + r] = acquiring<REMOTE, F, STORE>(nullptr, at + 8 * r, x) + before;
      } else {
        wait(delay(h));
        all.a[pair * rounds + r] = releasing < REMOTE, STORE, F == 2 > (y + r, x) + before;
      }
    }
  if (rank == 0 && threadIdx.x == 0) atomicExch(all.now + pair, over);
  cluster.sync();
}

// ---- block: B is warp 1, A warp 0, y their shared memory; the others keep that busy ----

template <int F, bool STORE>
__global__ void block(Arrays all, u32 seed, u32 busy) {
  __shared__ u64 y;
  __shared__ u32 beside[4];
  const u32 pairs = gridDim.x, pair = blockIdx.x, warp = threadIdx.x / 32;
  u32 h = seed ^ ((blockIdx.x * 8 + warp) * 2654435761u);
  for (u32 r = 0; r < rounds; ++r) {
    u32* const x = place_of(all, r * pairs + pair);
    if (threadIdx.x == 0) y = 0;
    u32 before = 0;  // brings the line of x into the first-level cache
    if (warp < 2) asm volatile("ld.weak.global.u32 %0, [%1];" : "=r"(before) : "l"(x) : "memory");
    __syncthreads();
    const u32 at = u32(__cvta_generic_to_shared(&y));
    if (warp >= 2 && warp < 2 + busy)
      for (u32 k = 0; k < 16; ++k)
        asm volatile("red.relaxed.cta.shared.add.u32 [%0], %1;" ::"r"(u32(__cvta_generic_to_shared(beside + k % 4))),
                     "r"(threadIdx.x)
                     : "memory");
    if (threadIdx.x == 0) {
      wait(next(h) >> (23 - next(h) % 3 - (next(h) >> 31)));
      all.a[pair * rounds + r] = releasing < BLOCK, STORE, F == 8 > (&y, x) + before;
    }
    if (warp == 1) {
      wait(next(h) >> 23);
      const u32 data = acquiring<BLOCK, F, STORE>(nullptr, at, x);
      if (threadIdx.x == 32) all.b[pair * rounds + r] = data + before;
    }
    __syncthreads();
  }
}

// ---- host ----

struct Run {
  Arrays all;
  u32 most;  // pairs that the arrays hold
  double seconds;
};

template <int PLACE, int F, bool STORE>
void run(const Run& one) {
  if (*names[PLACE][F] == 0) return;
  void (*kernel)(Arrays, u32, u32) = PLACE == APART    ? apart<F, STORE>
                                     : PLACE == REMOTE ? remote<F, STORE>
                                                       : block<F, STORE>;
  cudaLaunchConfig_t c = {};
  c.blockDim = PLACE == BLOCK ? 256 : 128;
  c.gridDim = ranks;
  cudaLaunchAttribute size;
  size.id = cudaLaunchAttributeClusterDimension;
  size.val.clusterDim.x = ranks, size.val.clusterDim.y = size.val.clusterDim.z = 1;
  int clusters = 0;
  if (PLACE != BLOCK) {
    c.attrs = &size, c.numAttrs = 1;
    CK(cudaOccupancyMaxActiveClusters(&clusters, kernel, &c));
  }
  u64 weak = 0, met = 0, count = 0;
  cudaEvent_t from, to;
  CK(cudaEventCreate(&from));
  CK(cudaEventCreate(&to));
  float spent = 0;
  for (u32 k = 0; spent < one.seconds * 1000; ++k) {
    u32 pairs = one.most;
    if (PLACE != BLOCK) {  // all are there at once
      pairs = std::min(u32(clusters) / (PLACE == APART ? 2 : 1), 4u << (k / 8 % 3));
      if (pairs == 0) {
        printf("no clusters of %u blocks\n", ranks);
        return;
      }
    }
    c.gridDim = PLACE == BLOCK ? pairs : ranks * pairs * (PLACE == APART ? 2 : 1);
    const u32 all = pairs * rounds;
    std::vector<u32> a(all), b(all);
    CK(cudaMemset(one.all.xy, 0, size_t(all) * 2 * stride * 4));
    CK(cudaMemset(one.all.go, 0, all * 4));
    CK(cudaMemset(one.all.now, 0, pairs * 4));
    CK(cudaMemset(one.all.a, 0, all * 4));
    CK(cudaMemset(one.all.b, 0xff, all * 4));
    u32 busy = PLACE == REMOTE ? k % ranks : (k % 4) * 2;
    Arrays arrays = one.all;
    if (PLACE != APART || k / 4 % 2 == 0) arrays.pages = nullptr;
    if (arrays.pages) clear<<<(all + 255) / 256, 256>>>(arrays, all);
    CK(cudaDeviceSynchronize());
    u32 seed = 12345 + k;
    CK(cudaEventRecord(from));
    CK(cudaLaunchKernelEx(&c, kernel, arrays, seed, busy));
    CK(cudaEventRecord(to));
    CK(cudaDeviceSynchronize());
    float t = 0;
    CK(cudaEventElapsedTime(&t, from, to));
    spent += t + 1;
    CK(cudaMemcpy(a.data(), one.all.a, all * 4, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(b.data(), one.all.b, all * 4, cudaMemcpyDeviceToHost));
    for (u32 i = 0; i < all; ++i) {
      const bool first = a[i] & 1;
      met += first;
      weak += first && (STORE ? (a[i] & 2) != 0 : b[i] == 0);
    }
    count += all;
  }
  const char* where[] = {"apart ", "remote", "block "};
  printf("%s then a %s: weak %llu of %llu, acquired %llu  %s\n", where[PLACE], STORE ? "store" : "load ", weak, count,
         met, names[PLACE][F]);
  fflush(stdout);
}

template <int PLACE, int F>
void each(const Run& one) {
  if constexpr (F < forms) {
    run<PLACE, F, false>(one);
    run<PLACE, F, true>(one);
    each<PLACE, F + 1>(one);
  }
}

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? atof(argv[1]) : 2;
  cudaDeviceProp d;
  CK(cudaGetDeviceProperties(&d, 0));
  printf("%s\n", d.name);
  Run one{{}, 1056, seconds};
  const size_t most = size_t(one.most) * rounds;
  CK(cudaMalloc(&one.all.xy, most * 2 * stride * 4));
  CK(cudaMalloc(&one.all.go, most * 4));
  CK(cudaMalloc(&one.all.now, one.most * 4));
  CK(cudaMalloc(&one.all.a, most * 4));
  CK(cudaMalloc(&one.all.b, most * 4));
  one.all.count = 8192;  // 16 GiB, or what there is
  while (one.all.count >= 512 && cudaMalloc(&one.all.pages, one.all.count * page) != cudaSuccess) one.all.count /= 2;
  if (one.all.count < 512) one.all.pages = nullptr;
  cudaGetLastError();
  const std::string only = argc > 2 ? argv[2] : "";  // "apart", "remote" or "block"; all without it
  if (only.empty() || only == "apart") each<APART, 0>(one);
  if (only.empty() || only == "remote") each<REMOTE, 0>(one);
  if (only.empty() || only == "block") each<BLOCK, 0>(one);
}

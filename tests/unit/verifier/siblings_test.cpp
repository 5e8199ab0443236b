// Pairs of kernels that differ in one thing, marked @: one is free of races, the other is not. Which is which was
// written down before the verifier was asked. A wrong one is never verified; where it is not refuted (3), or where the
// right one is not verified, the exit status that it has stands behind it.
#include "decide.h"

namespace fencepost::verifier {
namespace {

struct Siblings {
  std::string name, text, right, wrong;
  std::vector<std::string> launch = {"--blockDim=64", "--gridDim=4"};
  int wrong_exit = 1, right_exit = 0;
};

void tell_apart(const std::vector<Siblings>& all) {
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  for (const Siblings& s : all)
    for (const bool right : {true, false}) {
      std::string text = s.text;
      ASSERT_NE(text.find('@'), std::string::npos) << s.name;
      for (size_t at; (at = text.find('@')) != std::string::npos;) text.replace(at, 1, right ? s.right : s.wrong);
      const auto o = launch::parse(s.launch);
      ASSERT_TRUE(o) << s.name;
      const launch::Answer a = answer(*o, make_source(s.name, text));
      EXPECT_EQ(a.exit_code, right ? s.right_exit : s.wrong_exit) << s.name << "\n" << text << "\n" << a.out << a.err;
    }
}

const std::vector<std::string> k_warp = {"--blockDim=32", "--gridDim=4"};
const std::vector<std::string> k_plane = {"--blockDim=[16,16]", "--gridDim=[4,4]"};
const std::vector<std::string> k_items = {"--local_size=64", "--num_groups=4"};

TEST(Siblings, Barriers) {
  tell_apart({
      {"reverse.cu", R"(__global__ void k(int *o) { __shared__ int s[64]; int t = threadIdx.x;
         s[t] = o[blockIdx.x * 64 + t]; @ o[blockIdx.x * 64 + t] = s[63 - t]; })",
       "__syncthreads();", "__syncwarp();"},
      {"scan.cu",
       R"(__global__ void k(int *o) { __shared__ int s[64]; int t = threadIdx.x; s[t] = o[blockIdx.x * 64 + t];
         __syncthreads();
         for (int d = 1; d < 64; d *= 2) { int v = t >= d ? s[t - d] : 0; @ s[t] += v; __syncthreads(); }
         o[blockIdx.x * 64 + t] = s[t]; })",
       "__syncthreads();", ""},
      {"tree.cu",
       R"(__global__ void k(int *o) { __shared__ int s[64]; int t = threadIdx.x; s[t] = o[blockIdx.x * 64 + t];
         for (int d = 32; d > 0; d /= 2) { __syncthreads(); if (t < @) s[t] += s[t + d]; }
         if (t == 0) o[blockIdx.x * 64] = s[0]; })",
       "d", "d + 1"},
      {"buffers.cu", R"(__global__ void k(int *o, int n) { __shared__ int a[64], b[64]; int t = threadIdx.x;
         int *from = a, *to = b; a[t] = t; __syncthreads();
         for (int i = 0; i < n; i++) { to[t] = from[(t + 1) % 64]; @ int *x = from; from = to; to = x; }
         o[blockIdx.x * 64 + t] = from[t]; })",
       "__syncthreads();", "if (i % 2) __syncthreads();"},
      {"steps.cu", R"(__global__ void k(float *a, int n) { int t = threadIdx.x; float *m = a + blockIdx.x * 4096;
         for (int k = 0; k < 63; k++) { if (t > k) m[t * 64 + k] /= m[k * 64 + k]; @
           if (t > k) for (int j = k + 1; j < 64; j++) m[j * 64 + t] -= m[j * 64 + k] * m[k * 64 + t];
           __syncthreads(); } })",
       "__syncthreads();", ""},
      {"fence.cl", R"(__kernel void k(__global int *o, __local int *s) { int t = get_local_id(0); s[t] = t;
         barrier(@); o[get_global_id(0)] = s[63 - t]; })",
       "CLK_LOCAL_MEM_FENCE", "CLK_GLOBAL_MEM_FENCE", k_items},
      {"named.cu",
       R"(__global__ void k(int *o) { __shared__ int s[64]; int t = threadIdx.x;
         if (t < 32) { s[t] = t; asm volatile("bar.arrive 1, 64;" ::: "memory"); }
         else { asm volatile("bar.sync @, 64;" ::: "memory"); o[blockIdx.x * 32 + t - 32] = s[t - 32]; } })",
       "1",
       "2",
       {"--blockDim=64", "--gridDim=4"},
       3},
      {"ahead.cl", R"(__kernel void k(__global int *o, __local int *s) { int t = get_local_id(0);
         for (int i = 0; i < 8; i++) { if (t == 0) s[@] = i; barrier(CLK_LOCAL_MEM_FENCE); o[get_global_id(0) * 8 + i] = s[i & 1]; }
         })",
       "i & 1", "0", k_items},
      {"behind.cl", R"(__kernel void k(__global int *o, __local int *s) { int t = get_local_id(0);
         for (int i = 0; i < 8; i++) { if (t == 0) s[i & 1] = i; barrier(CLK_LOCAL_MEM_FENCE); o[get_global_id(0) * 8 + i] = s[@]; }
         })",
       "i & 1", "(i + 1) & 1", k_items},
      {"pairs.cl", R"(__kernel void k(__global int *o, __local int *s) { int t = get_local_id(0);
         for (int i = 0; i < 8; i@) { if (t == 0) s[i & 1] = i; barrier(CLK_LOCAL_MEM_FENCE); o[get_global_id(0) * 8 + i] = s[i & 1]; }
         })",
       "++", " += 2", k_items},
      {"three.cl", R"(__kernel void k(__global int *o, __local int *s, int n) { int t = get_local_id(0);
         for (int i = 0; i < n; i++) { s[i % @ * 64 + t] = i; barrier(CLK_LOCAL_MEM_FENCE);
           o[(get_group_id(0) * 64 + t) * 8 + (i & 7)] = s[i % @ * 64 + 63 - t]; } })",
       "3", "1", k_items},
      {"often.cl", R"(__kernel void k(__global int *o, __local int *s) { int t = get_local_id(0);
         for (int i = 0; i < 8; i++) { if (t == 0) s[i & 1] = i; @ barrier(CLK_LOCAL_MEM_FENCE); o[get_global_id(0) * 8 + i] = s[i & 1]; }
         })",
       "", "if (i % 2)", k_items},
      {"memory.cl", R"(__kernel void k(__global int *o, __local int *s) { int t = get_local_id(0);
         for (int i = 0; i < 8; i++) { if (t == 0) s[i & 1] = i; barrier(@); o[get_global_id(0) * 8 + i] = s[i & 1]; }
         })",
       "CLK_LOCAL_MEM_FENCE", "CLK_GLOBAL_MEM_FENCE", k_items},
  });
}

TEST(Siblings, Positions) {
  tell_apart({
      {"rows.cu", R"(__global__ void k(float *a, const float *b, int w, int h) { int x = blockIdx.x * 16 + threadIdx.x,
         y = blockIdx.y * 16 + threadIdx.y; if (@ && y < h) a[y * w + x] = b[y * w + x]; })",
       "x < w", "x <= w", k_plane},
      {"turned.cu",
       R"(__global__ void k(float *a, const float *b, int w, int h) { int x = blockIdx.x * 16 + threadIdx.x,
         y = blockIdx.y * 16 + threadIdx.y; if (x < w && y < h) a[x * @ + y] = b[y * w + x]; })",
       "h", "w", k_plane},
      {"tiles.cu",
       R"(__global__ void k(float *c, const float *a, const float *b, int n) { __shared__ float s[16][16], t[16][16];
         int x = threadIdx.x, y = threadIdx.y, j = blockIdx.x * 16 + x, i = blockIdx.y * 16 + y; float r = 0;
         for (int m = 0; m < n; m += 16) { s[y][x] = i < n && m + x < n ? a[i * n + m + x] : 0;
           t[y][x] = m + y < n && j < n ? b[(m + y) * n + j] : 0; __syncthreads();
           for (int q = 0; q < 16; q++) r += s[y][q] * t[q][x]; @ }
         if (i < n && j < n) c[i * n + j] = r; })",
       "__syncthreads();", "", k_plane},
      {"stride.cu", R"(__global__ void k(int *o, int n) {
         for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += @) o[i] += 1; })",
       "blockDim.x * gridDim.x", "gridDim.x"},
      {"pairs.cu", R"(__global__ void k(int2 *o, const int *a) { int i = blockIdx.x * 64 + threadIdx.x;
         ((int *)o)[2 * i] = a[i]; ((int *)o)[2 * i + @] = a[i]; })",
       "1", "2"},
      {"halves.cu", R"(__global__ void k(short *o) { int i = blockIdx.x * 64 + threadIdx.x; @(o + 2 * i) = 1; })",
       "*(int *)", "*(long long *)"},
      {"vectors.cl", R"(__kernel void k(__global float *o) { int i = get_global_id(0); vstore4((float4)(i), @, o); })",
       "i", "i / 2", k_items},
      {"exits.cu", R"(__global__ void k(int *o, int n) { int i = blockIdx.x * 64 + threadIdx.x; if (i >= n) return;
         o[i] = o[i] @ ; })",
       "+ 1", "+ o[n - 1]"},
  });
}

TEST(Siblings, Atomics) {
  tell_apart({
      {"slots.cu", R"(__global__ void k(const int *a, int *o, int *n) { int i = blockIdx.x * 64 + threadIdx.x;
         if (a[i] > 0) o[@] = i; })",
       "atomicAdd(n, 1)", "atomicMax(n, 1)"},
      {"two.cu", R"(__global__ void k(int *o, int *n) { int i = blockIdx.x * 64 + threadIdx.x, p = atomicAdd(n, @);
         o[p] = i; o[p + 1] = i; })",
       "2", "1"},
      {"reset.cu", R"(__global__ void k(int *o) { __shared__ int n, s[128]; int t = threadIdx.x; if (t == 0) n = 0;
         __syncthreads(); int p = atomicAdd(&n, 1); @ int q = atomicAdd(&n, 1); s[p] = 1; s[q] = 2;
         __syncthreads(); o[blockIdx.x * 64 + t] = s[t] + s[64 + t]; })",
       "", "__syncthreads(); if (t == 0) n = 0; __syncthreads();"},
      {"again.cu", R"(__global__ void k(int *o) { __shared__ int n, s[64]; int t = threadIdx.x;
         for (int r = 0; r < 4; r++) { if (t == 0) n = 0; __syncthreads(); s[atomicAdd(&n, 1)] = t; @
           o[(blockIdx.x * 4 + r) * 64 + t] = s[t]; __syncthreads(); } })",
       "__syncthreads();", ""},
      {"widths.cu",
       R"(__global__ void k(int *n) { @(n, 1); if (threadIdx.x == 0) atomicAdd((unsigned long long *)n + 1, 1ull); })",
       "atomicAdd", "2[n] = 1; atomicAdd"},
      {"mixed.cu",
       R"(__global__ void k(int *n) { atomicAdd(n + @, 1); atomicAdd((unsigned long long *)n + 1, 1ull); })", "1", "2"},
      {"scope.cu", R"(__global__ void k(int *n) { @(n, 1); })", "atomicAdd", "atomicAdd_block"},
      {"lock.cu",
       R"(__global__ void k(int *l, int *v) { if (threadIdx.x == 0) { while (atomicCAS(l, 0, 1) != 0); __threadfence();
         *v += 1; @ atomicExch(l, 0); } })",
       "__threadfence();", ""},
      {"sharedlock.cu",
       R"(__global__ void k(int *o) { __shared__ int l, v; int t = threadIdx.x; if (t == 0) { l = 0; v = 0; } @
         if (t % 32 == 0) { while (atomicCAS(&l, 0, 1) != 0); __threadfence_block(); v += t; __threadfence_block();
           atomicExch(&l, 0); }
         __syncthreads(); if (t == 0) o[blockIdx.x] = v; })",
       "__syncthreads();", ""},
      {"last.cu", R"(__global__ void k(int *part, int *o, unsigned *c) { __shared__ bool last; int t = threadIdx.x;
         if (t == 0) { part[blockIdx.x] = 1; @ last = atomicAdd(c, 1u) == gridDim.x - 1; } __syncthreads();
         if (last && t < gridDim.x) o[t] = part[t]; })",
       "__threadfence();", ""},
      {"work.cu",
       R"(__global__ void k(int *o, int *next) { __shared__ int s; for (int r = 0; r < 4; r++) {
         if (threadIdx.x == 0) s = atomicAdd(next, 1); __syncthreads(); o[s * 64 + threadIdx.x] = r; @ } })",
       "__syncthreads();", ""},
      {"rounds.cu", R"(__global__ void k(int *o, int *next) { __shared__ int s; for (int r = 0; r < 4; r++) {
         if (@) s = atomicAdd(next, 1); __syncthreads(); o[s * 64 + threadIdx.x] = r; __syncthreads(); } })",
       "threadIdx.x == 0", "threadIdx.x == 0 && r > 0"},
      {"tasks.cu", R"(__global__ void k(int *o, int *next, int n) { __shared__ int s; for (int r = 0; r < n; r++) {
         if (threadIdx.x == 0) s = atomicAdd(next, 1); __syncthreads(); o[s * @ + threadIdx.x] = r; __syncthreads(); } })",
       "64", "63"},
      {"turns.cu", R"(__global__ void k(int *o) { __shared__ int s; for (int r = 0; r < 4; r++) {
         if (threadIdx.x == 0) s = r * @ + blockIdx.x; __syncthreads(); o[s * 64 + threadIdx.x] = r + blockIdx.x;
         __syncthreads(); } })",
       "4", "3"},
      {"steps.cu", R"(__global__ void k(int *o) { __shared__ int s; int y = 0; for (int r = 0; r < 4; r++) {
         if (threadIdx.x == 0) s = y + blockIdx.x; __syncthreads(); o[s * 64 + threadIdx.x] = r + blockIdx.x;
         __syncthreads(); y += @; } })",
       "4", "3"},
  });
}

// What a block has found goes behind what others have found: places by a counter of the block, a base by one of all.
TEST(Siblings, Amounts) {
  const auto kernel = [](const char* amount, const char* place, const char* begin = "0", const char* between = "") {
    return std::string(
               "__global__ void k(int *o, const int *a, int *total) { __shared__ int n, base;"
               " int t = threadIdx.x, i = blockIdx.x * 64 + t, s = -1; if (t == 0) n = ") +
           begin + "; __syncthreads(); if (a[i] > 0) s = atomicAdd(&n, 1); __syncthreads(); " + between +
           " if (t == 0) base = atomicAdd(total, " + amount + "); __syncthreads(); if (s >= 0) o[" + place + "] = i; }";
  };
  const std::string own =
      "__global__ void k(int *o, const int *a, int *total) { int i = blockIdx.x * 64 + threadIdx.x;"
      " int m = a[i]@, p = atomicAdd(total, m); for (int j = 0; j < m; j++) o[p + j] = i; }";
  tell_apart({
      {"amount.cu", kernel("n@", "base + s"), "", " - 1"},
      {"place.cu", kernel("n", "base + @"), "s", "t"},
      {"half.cu", kernel("n", "base@ + s"), "", " / 2"},
      {"begin.cu", kernel("n@", "base + s", "5"), "", " - 6"},
      {"cells.cu", kernel("n", "base + s", "0", "total += @;"), "1", "blockIdx.x & 1"},
      {"again.cu", kernel("n", "base + s", "0", "@ __syncthreads();"), "",
       "if (t == 0) n = 0; __syncthreads(); if (a[i + 1] > 0) atomicAdd(&n, 1);"},
      {"put.cu", kernel("n", "base + s", "0", "@"), "", "if (i == 70) atomicExch(total, 0);"},
      {"taken.cu", kernel("n", "base + s", "0", "@"), "", "if (i == 70) atomicSub(total, 3);"},
      {"negative.cu", own, " & 7", ""},
      {"more.cu",
       R"(__global__ void k(int *o, const int *a, int *total) { int i = blockIdx.x * 64 + threadIdx.x;
         int m = a[i] & 7, p = atomicAdd(total, m); for (int j = 0; j @ m; j++) o[p + j] = i; })",
       "<", "<="},
      {"none.cu",
       R"(__global__ void k(int *o, const int *a, int *total) { int i = blockIdx.x * 64 + threadIdx.x;
         int m = a[i] & 7, p = atomicAdd(total, m); if (@) o[p] = i; })",
       "m > 0", "m >= 0"},
  });
}

// One lane takes a ticket for its warp and hands it on.
TEST(Siblings, LeadersOfWarps) {
  const auto kernel = [](const char* when, const char* step, const char* lane, const char* place) {
    return std::string(
               "__global__ void k(int *o, const int *a, int *n) { int t = threadIdx.x, lane = t & 31, base = 0;"
               " if (") +
           when + ") base = atomicAdd(n, " + step + "); base = __shfl_sync(0xffffffffu, base, " + lane + "); o[" +
           place + "] = blockIdx.x * 64 + t; }";
  };
  tell_apart({
      {"step.cu", kernel("lane == 0", "@", "0", "base + lane"), "32", "31"},
      {"lane.cu", kernel("lane == 5", "32", "@", "base + lane"), "5", "4"},
      {"leader.cu", kernel("@", "32", "0", "base + lane"), "lane == 0", "t == 0"},
      {"when.cu", kernel("lane == 0@", "32", "0", "base + lane"), "", " && a[blockIdx.x] > 0"},
      {"place.cu", kernel("lane == 0", "32", "0", "base + @"), "lane", "t"},
      {"width.cu",
       R"(__global__ void k(int *o, int *n) { int lane = threadIdx.x & 31, base = 0; if (lane == 0) base = atomicAdd(n, 32);
         base = __shfl_sync(0xffffffffu, base, 0, @); o[base + lane] = threadIdx.x; })",
       "32", "16"},
      {"both.cu",
       R"(__global__ void k(int *o, int *n) { int lane = threadIdx.x & 31, own = atomicAdd(n, 1);
         int base = __shfl_sync(0xffffffffu, own, 0); if (lane != @) o[own] = 1; else o[base] = 2; })",
       "0", "1"},
  });
}

TEST(Siblings, Messages) {
  const std::vector<std::string> two = {"--blockDim=1", "--gridDim=2"};
  tell_apart({
      {"flag.cu", R"(__global__ void k(int *d, int *f, int *o) { if (blockIdx.x == 0) { d[0] = 1; @ atomicExch(f, 1); }
         else { while (atomicAdd(f, 0) == 0); __threadfence(); o[0] = d[0]; } })",
       "__threadfence();", "", two},
      {"ref.cu", R"(#include <cuda/atomic>
         __global__ void k(int *d, int *f, int *o) { cuda::atomic_ref<int, cuda::thread_scope_device> r(*f);
         if (blockIdx.x == 0) { d[0] = 1; r.store(1, cuda::memory_order_release); }
         else { while (r.load(cuda::memory_order_@) == 0); o[0] = d[0]; } })",
       "acquire", "relaxed", two},
      {"asm.cu", R"(__global__ void k(int *d, int *f, int *o) { if (blockIdx.x == 0) { d[0] = 1;
         asm volatile("st.release.@.global.u32 [%0], %1;" :: "l"(f), "r"(1) : "memory"); }
         else { int v; do { asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(f) : "memory"); } while (v == 0);
         o[0] = d[0]; } })",
       "gpu", "cta", two},
      {"flag.cl",
       R"(__kernel void k(__global int *d, __global atomic_int *f, __global int *o) {
         if (get_group_id(0) == 0) { d[0] = 1; atomic_store_explicit(f, 1, memory_order_@, memory_scope_device); }
         else { while (atomic_load_explicit(f, memory_order_acquire, memory_scope_device) == 0); o[0] = d[0]; } })",
       "release",
       "relaxed",
       {"--local_size=1", "--num_groups=2", "--std=CL2.0"}},
      {"grid.cu", R"(#include <cooperative_groups.h>
         __global__ void k(int *a, int *o) { int i = blockIdx.x * 64 + threadIdx.x; a[i] = i;
         @.sync(); o[i] = a[255 - i]; })",
       "cooperative_groups::this_grid()", "cooperative_groups::this_thread_block()"},
  });
}

TEST(Siblings, Warps) {
  tell_apart({
      {"exchange.cu", R"(__global__ void k(int *o) { __shared__ int s[32]; int t = threadIdx.x; s[t] = t; @
         o[blockIdx.x * 32 + t] = s[31 - t]; })",
       "__syncwarp();", "__shfl_sync(~0u, t, 0);", k_warp},
      {"tile.cu", R"(#include <cooperative_groups.h>
         __global__ void k(int *o) { __shared__ int s[64]; int t = threadIdx.x; s[t] = t;
         cooperative_groups::tiled_partition<@>(cooperative_groups::this_thread_block()).sync();
         o[blockIdx.x * 64 + t] = s[t ^ 8]; })",
       "16", "8"},
      {"sum.cu", R"(__global__ void k(int *o) { int v = o[blockIdx.x * 64 + threadIdx.x];
         for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d);
         if (threadIdx.x % 32 == 0) o[blockIdx.x * 64 + @] = v; })",
       "threadIdx.x", "32 - threadIdx.x / 2"},
      {"leader.cu",
       R"(__global__ void k(int *o, int *n) { int t = threadIdx.x, p = 0; if (t % 32 == 0) p = atomicAdd(n, @);
         p = __shfl_sync(~0u, p, 0); o[p + t % 32] = t; })",
       "32", "31"},
      {"groups.cl",
       R"(#pragma OPENCL EXTENSION cl_khr_subgroups : enable
         __kernel void k(__global int *o, __local int *s) { int t = get_local_id(0); s[t] = t; @
         int v = s[t - get_sub_group_local_id()]; o[get_global_id(0)] = v; })",
       "sub_group_barrier(CLK_LOCAL_MEM_FENCE);",
       "sub_group_barrier(CLK_GLOBAL_MEM_FENCE);",
       {"--local_size=64", "--num_groups=4", "--sub-group-size=32", "--std=CL2.0"}},
  });
}

TEST(Siblings, Copies) {
  tell_apart({
      {"wait.cl", R"(__kernel void k(__global int *a, __global int *o, __local int *s) {
         event_t e = async_work_group_copy(s, a + get_group_id(0) * 64, 64, 0); @
         o[get_global_id(0)] = s[63 - get_local_id(0)]; })",
       "wait_group_events(1, &e);", "barrier(CLK_LOCAL_MEM_FENCE);", k_items},
      {"own.cu", R"(__global__ void k(const int *a, int *o) { __shared__ int s[64]; int t = threadIdx.x;
         __pipeline_memcpy_async(&s[t], &a[blockIdx.x * 64 + t], 4); __pipeline_commit(); @
         o[blockIdx.x * 64 + t] = s[63 - t]; })",
       "__pipeline_wait_prior(0); __syncthreads();", "__syncthreads(); __pipeline_wait_prior(0);"},
      {"stages.cu", R"(__global__ void k(const int *a, int *o) { __shared__ int s[2][64]; int t = threadIdx.x;
         for (int i = 0; i < 2; i++) { __pipeline_memcpy_async(&s[i][t], &a[i * 64 + t], 4); __pipeline_commit(); }
         __pipeline_wait_prior(@); __syncthreads(); o[blockIdx.x * 64 + t] = s[0][63 - t]; })",
       "1", "2"},
  });
}

}  // namespace
}  // namespace fencepost::verifier

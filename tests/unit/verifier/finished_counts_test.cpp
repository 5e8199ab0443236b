// Counts of slots that are finished (Execution::settle), locks of the group that a store begins
// (Execution::locks_begin), and counters of atomicInc without a limit. Beside each right kernel stand wrong ones, each
// of which breaks one assumption of the lemma.
#include "decide.h"

namespace fencepost::verifier {
namespace {

struct Part {
  const char *begin = "if (t == 0) n = 0;", *first = "__syncthreads();",
             *count = "if (in[blockIdx.x * 64 + t] > 0) slot[atomicAdd(&n, 1)] = t;", *second = "__syncthreads();",
             *use = "for (int i = t; i < n; i += 64) out[blockIdx.x * 64 + i] = slot[i];";
};

std::string counting(const Part& p) {
  return std::string(
             "__global__ void k(const int *in, int *out, int m) { __shared__ int n, slot[200]; int t = "
             "threadIdx.x;\n") +
         p.begin + "\n" + p.first + "\n" + p.count + "\n" + p.second + "\n" + p.use + "\n}\n";
}

void expect(const std::string& text, int exit_code, const char* name = "k.cu") {
  decide({{name, text.c_str(), exit_code}});
}

constexpr const char* k_rounds =
    "for (int i = 0; i < n; i++) { slot[100 + t] = slot[i] + t; __syncthreads();"
    " out[blockIdx.x * 64 + t] += slot[163 - t]; __syncthreads(); }";

TEST(FinishedCounts, BoundALoop) {
  expect(counting({}), 0);
  expect(counting({.use = k_rounds}), 0);
}

TEST(FinishedCounts, AreFinishedOnlyBehindABarrierOfAll) {
  expect(counting({.second = ""}), 1);
  expect(counting({.second = "", .use = k_rounds}), 1);
  expect(counting({.second = "__syncwarp();", .use = k_rounds}), 1);
  expect(counting({.second = "if (m > 3) __syncthreads();", .use = k_rounds}), 1);
}

// What is written behind the barrier is not in the count: threads leave the loop one by one.
TEST(FinishedCounts, HaveNoWriterBehind) {
  expect(counting({.second = "__syncthreads(); if (in[t] > 3) atomicAdd(&n, 1);", .use = k_rounds}), 1);
  expect(counting({.second = "__syncthreads(); if (t == 5) n = 7;", .use = k_rounds}), 1);
  expect(counting({.use = "for (int i = 0; i < n; i++) { if (t == i) atomicAdd(&n, 1); __syncthreads(); }"}), 1);
}

TEST(FinishedCounts, AreAtMostWhatWasAdded) {
  expect(counting({.begin = "if (t == 0) n = 5;"}), 1);
  expect(counting({.begin = "", .first = ""}), 1);
  expect(counting({.begin = "if (t == 0 && in[0] > 0) n = 0;"}), 1);
  expect(counting({.begin = "if (t == 0) n = m;"}), 1);
  expect(counting({.count = "slot[atomicAdd(&n, 1)] = t; slot[atomicAdd(&n, 1)] = t;"}), 1);
  expect(counting({.count = "slot[atomicAdd(&n, 2)] = t;"}), 1);
  expect(counting({.count = "for (int r = 0; r < m; r++) slot[atomicAdd(&n, 1) % 200] = t;"}), 1);
}

// What loops add counts for pairs of two groups too, where nothing in the loop can race between groups.
TEST(FinishedCounts, CountLoopsThatOnlyTheGroupSees) {
  const auto kernel = [](const char* loop, const char* place) {
    return std::string(
               "__device__ __noinline__ void add(int *p) { atomicAdd(p, 1); }\n"
               "__global__ void k(const int *in, int *out, int m) { __shared__ int n; int t = threadIdx.x, b = "
               "blockIdx.x;"
               " if (t == 0) n = 0; __syncthreads(); atomicAdd(&n, 1); ") +
           loop + " __syncthreads(); if (t == 0) out[" + place + "] = b; }";
  };
  const char* const once = "if (b == 0) for (int i = 0; i < 4; i++) atomicAdd(&n, 1);";
  // What no run shows is not decided: the place is read from what the kernel has put there.
  expect(kernel(once, "b * 321 + n"), 0);
  expect(kernel(once, "b * 256 + n"), 1);
  expect(kernel("for (int i = 0; i < 8; i++) if (in[b * 512 + t * 8 + i] > 0) atomicAdd(&n, 1);", "b * 65 + n"), 3);
  expect(
      kernel("for (int i = 0; i < 2; i++) for (int j = 0; j <= i; j++) if (b == 0) atomicAdd(&n, 1);", "b * 192 + n"),
      1);
  expect(kernel("if (b == 0) for (int i = 0; i < 4; i++) add(&n);", "b * 256 + n"), 1);
  expect(kernel("for (int i = 0; i < m; i++) atomicAdd(&n, 1);", "b * 1024 + n"), 3);
  expect(
      "__global__ void k(int *out) { __shared__ int n; int t = threadIdx.x, b = blockIdx.x; if (t == 0) n = 0;"
      " __syncthreads(); if (b == 0) for (int i = 0; i < 4; i++) atomicAdd(&n, 1); int s = atomicAdd(&n, 1);"
      " out[b * 256 + s] = t + b * 1000; }",
      1);
}

TEST(FinishedCounts, AreOrderedByFencesThatNameTheirMemory) {
  const auto kernel = [](const char* fence) {
    return std::string(
               "__kernel void k(__global int *in, __global int *out) { __local int n, slot[64];"
               " int t = get_local_id(0), g = get_group_id(0) * 64; if (t == 0) n = 0; barrier(CLK_LOCAL_MEM_FENCE);"
               " if (in[g + t] > 0) slot[atomic_inc(&n)] = t; barrier(") +
           fence + "); for (int i = t; i < n; i += 64) out[g + i] = slot[i]; }";
  };
  expect(kernel("CLK_LOCAL_MEM_FENCE"), 0, "k.cl");
  expect(kernel("CLK_GLOBAL_MEM_FENCE"), 1, "k.cl");
}

struct Lock {
  const char *begin = "if (t == 0) { l = 0; v = 0; }", *first = "__syncthreads();",
             *take = "while (atomicCAS(&l, 0, 1) != 0);", *enter = "__threadfence_block();",
             *leave = "__threadfence_block();", *release = "atomicExch(&l, 0);";
};

std::string locking(const Lock& p) {
  return std::string("__global__ void k(int *out, int m) { __shared__ int l, v; int t = threadIdx.x;\n") + p.begin +
         p.first + "\nif (t % 32 == 0) {" + p.take + p.enter + " v += t; " + p.leave + p.release +
         "}\n__syncthreads(); if (t == 0) out[blockIdx.x] = v; }\n";
}

TEST(LocksOfTheGroup, BeginWithAStore) {
  expect(locking({}), 0);
  expect(locking({.begin = "if (t == 3) l = 0; if (t == 0) v = 0;"}), 0);
  expect(
      "__global__ void k(int *out) { __shared__ int l[4], v[4]; int t = threadIdx.x, b = t & 3;"
      " if (t < 4) { l[t] = 0; v[t] = 0; } __syncthreads(); bool done = false;"
      " while (!done) if (atomicCAS(&l[b], 0, 1) == 0) { __threadfence(); v[b] += t; __threadfence(); "
      "atomicExch(&l[b], 0);"
      " done = true; } __syncthreads(); if (t < 4) out[blockIdx.x * 4 + t] = v[t]; }",
      0);
}

TEST(LocksOfTheGroup, BeginBeforeABarrierOfAll) {
  expect(locking({.first = ""}), 1);
  expect(locking({.first = "__syncwarp();"}), 1);
  expect(locking({.first = "if (m > 3) __syncthreads();"}), 1);
  // A store behind the barrier opens the lock while it is held.
  expect(locking({.enter = "__threadfence_block(); if (t == 32) l = 0;"}), 1);
  expect(locking({.first = "__syncthreads(); if (t == 0) l = 0;"}), 1);
  expect(locking({.release = "l = 0;"}), 1);
  expect(
      "__global__ void k(int *out) { __shared__ int l, v; int t = threadIdx.x; if (t == 0) v = 0; __syncthreads();"
      " for (int r = 0; r < 4; r++) { if (t == 0) l = 0; __syncthreads(); if (t % 32 == 0) {"
      " while (atomicCAS(&l, 0, 1) != 0); __threadfence_block(); v += t; __threadfence_block(); atomicExch(&l, 0); } }"
      " __syncthreads(); if (t == 0) out[blockIdx.x] = v; }",
      1);
}

TEST(LocksOfTheGroup, AreLocksAllTheSame) {
  expect(locking({.enter = ""}), 1);
  expect(locking({.leave = ""}), 1);
  expect(locking({.take = "atomicCAS(&l, 0, 1);"}), 1);
  expect(locking({.take = "while (atomicCAS(&l, 0, 1) == 0);"}), 1);
  expect(locking({.release = "atomicExch(&l, 2);"}), 1);
}

TEST(CountersWithoutALimit, GiveEachAnother) {
  const auto kernel = [](const char* ticket) {
    return std::string(
               "__global__ void k(const int *in, int *out, unsigned *c) { int g = blockIdx.x * 64 + threadIdx.x;"
               " if (in[g] > 0) out[") +
           ticket + "] = g; }";
  };
  expect(kernel("atomicInc(c, 0xffffffffu)"), 0);
  expect(kernel("atomicDec(c, 0xffffffffu)"), 0);
  expect(kernel("atomicInc(c, 0x7f)"), 1);
  expect(kernel("atomicInc(c, 0xffffu) & 0x7f"), 1);
  expect(kernel("atomicDec(c, 0x7f)"), 1);
  expect("__global__ void k(int *out, unsigned *c, unsigned m) { out[atomicInc(c, m)] = threadIdx.x; }", 1);
}

// Who reads what it has written itself reads it with or without a write of the same value by another, also behind a
// barrier that orders other memory alone: the runs before a verdict say so as the proof does.
TEST(EqualValues, AreReadByWhoWroteThem) {
  const auto kernel = [](const char* fence, const char* own) {
    return std::string(
               "__kernel void k(__global int *o) { __local int s[64]; int t = get_local_id(0), v; s[t ^ 1] = 1;"
               " s[t] = ") +
           own + "; barrier(" + fence + "); v = s[t]; barrier(CLK_LOCAL_MEM_FENCE); o[get_global_id(0)] = v; }";
  };
  expect(kernel("CLK_GLOBAL_MEM_FENCE", "1"), 0, "k.cl");
  expect(kernel("CLK_LOCAL_MEM_FENCE", "1"), 0, "k.cl");
  expect(kernel("CLK_GLOBAL_MEM_FENCE", "2"), 1, "k.cl");
}

}  // namespace
}  // namespace fencepost::verifier

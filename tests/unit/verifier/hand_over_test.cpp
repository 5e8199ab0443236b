// Places that are handed over between threads (order/hand_over.cpp), and orders that are not decided: what may be no
// race is not called one, and what is one is not verified.
#include <gtest/gtest.h>

#include "clangfe/clangfe.h"
#include "verifier/service.h"

namespace fencepost::verifier {
namespace {

using Words = std::vector<std::string>;

launch::Answer decided(const std::string& text, const Words& words) {
  const auto o = launch::parse(words);
  EXPECT_TRUE(o);
  return answer(*o, make_source("k.cu", text));
}

const Words k_two{"--blockDim=32", "--gridDim=2"};

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

// A ring of four buffers, whose flags say whether they are full.
const std::string k_ring = R"(
__device__ int full[4];
__global__ void ring(int *buffer, int *out, int n) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    for (int i = 0; i < n; ++i) {
      int s = i & 3;
      while (atomicAdd(&full[s], 0) != 0);
      __threadfence();
      buffer[s] = i;
      __threadfence(); /* give */
      atomicExch(&full[s], 1);
    }
  } else if (blockIdx.x == 1) {
    for (int i = 0; i < n; ++i) {
      int s = i & 3;
      while (atomicAdd(&full[s], 0) != 1);
      __threadfence(); /* take */
      out[i] = buffer[s];
      __threadfence();
      atomicExch(&full[s], 0);
    }
  }
})";

TEST(HandOver, Rings) {
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  const launch::Answer a = decided(k_ring, k_two);
  EXPECT_EQ(a.exit_code, 0) << a.out << a.err;
  // Nothing is assumed of what the flags hold at first.
  EXPECT_EQ(a.err.find("is 0 when"), std::string::npos) << a.err;
  const struct {
    const char *what, *by;
  } changes[] = {
      // 1: who writes holds, and no one else writes.
      {"while (atomicAdd(&full[s], 0) != 0);", ""},
      {"while (atomicAdd(&full[s], 0) != 1);", ""},
      {"while (atomicAdd(&full[s], 0) != 1);", "while (atomicAdd(&full[s ^ 1], 0) != 1);"},
      {"while (atomicAdd(&full[s], 0) != 1);", "if (atomicAdd(&full[s], 0) != 1) atomicExch(&full[s], 0);"},
      {"atomicExch(&full[s], 1);", "atomicExch(&full[s], 1); buffer[s] = 7;"},
      {"atomicExch(&full[s], 1);", "atomicExch(&full[s], 1); atomicExch(&full[s], 0);"},
      {"atomicExch(&full[s], 1);", "*(volatile short *)&full[s] = 1;"},
      {"atomicExch(&full[s], 1);", "atomicExch_block(&full[s], 1);"},
      {"atomicExch(&full[s], 0);", "out[i] = buffer[s ^ 1]; atomicExch(&full[s], 0);"},
      // 2: fences.
      {"__threadfence(); /* give */", ""},
      {"__threadfence(); /* give */", "__threadfence_block();"},
      {"__threadfence(); /* take */", ""},
      {"__threadfence(); /* take */", "__threadfence_block();"},
      // 3: one thread for each value.
      {"if (threadIdx.x != 0) return;", "if (threadIdx.x > 1) return;"},
      {"} else if (blockIdx.x == 1) {", "} else {"},
      {"while (atomicAdd(&full[s], 0) != 1);", "while (atomicAdd(&full[s], 0) == 2);"},
      // A comparison is a write too.
      {"while (atomicAdd(&full[s], 0) != 1);", "while (atomicCAS(&full[s], 1, 0) != 1);"},
      {"__threadfence(); /* take */", "atomicCAS(&full[s], 1, 0); __threadfence();"},
  };
  for (const auto& [what, by] : changes) {
    const std::string weaker = replaced(k_ring, what, by);
    const Words& words = std::string(by) == "} else {" ? Words{"--blockDim=32", "--gridDim=3"} : k_two;
    const launch::Answer w = decided(weaker, words);
    EXPECT_TRUE(w.exit_code == 1 || w.exit_code == 3) << w.exit_code << " " << what << " -> " << by << "\n" << w.err;
  }
}

// By orders in the place of fences, and three threads in turn with values that come again.
TEST(HandOver, ThreeInTurn) {
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  const std::string text = R"(#include <cuda/atomic>
    __global__ void k(int *flag, int *data, int n) {
      if (threadIdx.x != 0) return;
      cuda::atomic_ref<int, cuda::thread_scope_device> turn(*flag);
      int mine = blockIdx.x, next = mine == 2 ? 0 : mine + 1;
      for (int i = 0; i < n; ++i) {
        while (turn.load(cuda::memory_order_acquire) != mine);
        data[0] += i;
        turn.store(next, cuda::memory_order_release);
      }
    })";
  const Words three{"--blockDim=32", "--gridDim=3"};
  const launch::Answer a = decided(text, three);
  EXPECT_EQ(a.exit_code, 0) << a.out << a.err;
  EXPECT_NE(decided(text, {"--blockDim=32", "--gridDim=3", "--no-attack"}).exit_code, 1);
  EXPECT_NE(decided(replaced(text, "memory_order_acquire", "memory_order_relaxed"), three).exit_code, 0);
  EXPECT_NE(decided(replaced(text, "memory_order_release", "memory_order_relaxed"), three).exit_code, 0);
  EXPECT_NE(decided(replaced(text, "thread_scope_device", "thread_scope_block"), three).exit_code, 0);
  EXPECT_NE(decided(replaced(text, "int mine = blockIdx.x", "int mine = blockIdx.x & 1"), three).exit_code, 0);
}

// What may order threads and is not decided is named, in the place of a race that no run shows.
TEST(HandOver, OrdersThatAreNotDecided) {
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  const auto not_decided = [](const std::string& text, const Words& words, const std::string& name) {
    const launch::Answer a = decided(text, words);
    EXPECT_EQ(a.exit_code, 3) << a.out << a.err;
    EXPECT_NE(a.err.find(name), std::string::npos) << a.err;
  };
  const std::string two_add = R"(__device__ int flag;
    __global__ void k(int *d, int *o) {
      if (threadIdx.x) return;
      if (blockIdx.x < 2) { d[blockIdx.x] = 1; __threadfence(); atomicAdd(&flag, 1); }
      else { while (atomicAdd(&flag, 0) != 2); __threadfence(); o[blockIdx.x] = d[0] + d[1]; }
    })";
  const Words four{"--blockDim=64", "--gridDim=4"};
  not_decided(two_add, four, "whether messages through 'flag' order k.cu:4:43 and");
  // No message without a release behind the data.
  EXPECT_EQ(decided(replaced(two_add, "d[blockIdx.x] = 1; __threadfence();", "d[blockIdx.x] = 1;"), four).exit_code, 1);
  // A wait by an update, which leaves what it waits for as it is.
  const std::string least = R"(#include <cuda/atomic>
    __global__ void k(int *flag, int *data, int *out) {
      if (threadIdx.x) return;
      cuda::atomic_ref<int, cuda::thread_scope_device> f(flag[0]);
      if (blockIdx.x == 0) { data[0] = 1; f.store(1, cuda::memory_order_release); }
      else if (blockIdx.x == 1) { while (f.fetch_min(5, cuda::memory_order_acquire) != 1) {} out[0] = data[0]; }
    })";
  not_decided(least, four, "whether messages through 'flag' order");
  not_decided(replaced(least, "fetch_min(5,", "fetch_max(0,"), four, "whether messages through 'flag' order");
  for (const char* order : {"acquire", "release"})
    EXPECT_EQ(decided(replaced(least, std::string("memory_order_") + order, "memory_order_relaxed"), four).exit_code, 1)
        << order;
  const std::string fenced = R"(
    __global__ void k(int *flag, int *data, int *out) {
      if (threadIdx.x) return;
      if (blockIdx.x == 0) { data[0] = 1; __threadfence(); atomicExch(flag, 1); }
      else if (blockIdx.x == 1) { while (atomicMin(flag, 5) != 1) {} __threadfence(); out[0] = data[0]; }
    })";
  not_decided(fenced, four, "whether messages through 'flag' order");
  EXPECT_EQ(decided(replaced(fenced, "{} __threadfence();", "{}"), four).exit_code, 1);
  const std::string queue = R"(__device__ unsigned head, tail;
    __global__ void k(int *buffer, int *o, unsigned n) {
      if (threadIdx.x) return;
      if (blockIdx.x == 0) for (unsigned i = 0; i < n; i++) {
        while (i - atomicAdd(&tail, 0) >= 4); __threadfence(); buffer[i & 3] = i; __threadfence(); atomicExch(&head, i + 1); }
      else for (unsigned i = 0; i < n; i++) {
        while (atomicAdd(&head, 0) <= i); __threadfence(); o[i] = buffer[i & 3]; __threadfence(); atomicExch(&tail, i + 1); }
    })";
  not_decided(queue, k_two, "messages through '");
  const std::string twice = R"(__device__ unsigned cnt; __device__ volatile unsigned sense;
    __device__ void meet(unsigned &my) { __syncthreads(); if (threadIdx.x == 0) { my ^= 1; __threadfence();
      if (atomicAdd(&cnt, 1) == gridDim.x - 1) { cnt = 0; __threadfence(); sense = my; } else while (sense != my);
      __threadfence(); } __syncthreads(); }
    __global__ void k(int *d) { unsigned my = 0; int i = blockIdx.x * 64 + threadIdx.x;
      d[i] = 1; meet(my); int v = d[(i + 64) % 256]; meet(my); d[i] = v; })";
  not_decided(twice, four, "messages through 'sense'");
  const std::string claimed = R"(__device__ int flag;
    __global__ void k(int *d, int *o) { if (threadIdx.x) return;
      if (blockIdx.x == 0) { d[0] = 1; __threadfence(); atomicExch(&flag, 1); }
      else if (atomicCAS(&flag, 1, 2) == 1) { __threadfence(); o[0] = d[0]; d[0] = 5; } })";
  not_decided(claimed, four, "what atomics do to 'flag'");
  const std::string named = R"(__global__ void k(int *o, int n) { __shared__ int s[64]; int t = threadIdx.x;
      if (t < 64) for (int i = 0; i < n; i++) { asm volatile("bar.sync 2, 128;" ::: "memory"); s[t] = i;
                                                asm volatile("bar.arrive 1, 128;" ::: "memory"); }
      else { asm volatile("bar.arrive 2, 128;" ::: "memory");
        for (int i = 0; i < n; i++) { asm volatile("bar.sync 1, 128;" ::: "memory"); o[i * 64 + t] = s[127 - t];
                                      if (i + 1 < n) asm volatile("bar.arrive 2, 128;" ::: "memory"); } } })";
  not_decided(named, {"--blockDim=128", "--gridDim=1"}, "a barrier of some threads");
  // A race that a run shows is one all the same.
  EXPECT_EQ(decided(replaced(named, "s[t] = i;", "s[0] = t;"), {"--blockDim=128", "--gridDim=1"}).exit_code, 1);
}

}  // namespace
}  // namespace fencepost::verifier

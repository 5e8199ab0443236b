// Places that one lane takes for its warp (Execution::led): each condition taken away in turn.
#include "scenes.h"

namespace fencepost::verifier {
namespace {

class Aggregated : public WithClang {};

// Of the lanes that are here, as in NVIDIA's articles.
const std::string k_active = R"(
__global__ void k(int *out, const int *in, int *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  if (in[i] > 0) {
    unsigned m = __activemask();
    int leader = __ffs(m) - 1, rank = __popc(m & ((1u << lane) - 1)), base;
    if (rank == 0) base = atomicAdd(c, __popc(m));
    base = __shfl_sync(m, base, leader);
    out[base + rank] = i;
  }
})";

TEST_F(Aggregated, OfTheLanesThatAreHere) {
  for (const char* block : {"64", "*"}) {
    EXPECT_EQ(decided(k_active, block), 0);
    const std::vector<Changes> right{
        {{"rank == 0", "lane == leader"}},
        {{"(1u << lane) - 1", "(2u << lane) - 1"}, {"rank == 0", "rank == 1"}},
        {{"__popc(m));", "2 * __popc(m));"}, {"base + rank", "base + 2 * rank"}},
        {{"__popc(m));", "__popc(m) + 1);"}},
        {{"  if (in[i]", "  if (i >= n) return;\n  if (in[i]"}},
        {{"rank == 0", "lane == leader || lane == 31"}},
    };
    for (const Changes& c : right) EXPECT_EQ(decided(changed(k_active, c), block), 0) << c[0].second;
    const std::vector<Changes> broken{
        {{"__popc(m));", "__popc(m) - 1);"}},  // too few
        {{"__popc(m));", "1);"}},
        {{"__popc(m));", "__popc(m & 0xffff));"}},
        {{"__popc(m));", "__popc(m));\n    if (rank == 0) base = atomicAdd(c, 1);"}},  // another one
        {{"__popc(m));", "__popc(m));\n    if (rank == 0) atomicAdd(c, -1);"}},        // gives back
        {{"__popc(m));", "__popc(m));\n    if (rank == 0 && n == 7) atomicExch(c, 0);"}},
        {{"leader = __ffs(m) - 1", "leader = 31 - __clz(m)"}},  // who has none
        {{"leader = __ffs(m) - 1", "leader = 0"}},
        {{"leader = __ffs(m) - 1", "leader = n"}},
        {{"    base = __shfl_sync(m, base, leader);\n", ""}},
        {{"base, leader", "base, leader, 16"}},
        {{"    base = __shfl", "    if (lane == 5) base = 3;\n    base = __shfl"}},
        {{"(1u << lane) - 1", "(1u << (lane & 15)) - 1"}},
        {{"(1u << lane) - 1", "(1u << (lane & ~1)) - 1"}, {"rank == 0", "lane == leader"}},
        {{"lane = threadIdx.x & 31", "lane = threadIdx.x"}, {"rank == 0", "lane == leader"}},  // the first warp's
        {{"base + rank", "base + rank + 1"}, {"out[", "out[base] = i; out["}},
        {{"base = __shfl", "if (in[i] == 7 && rank == 0) return;\n    base = __shfl"}},  // the leader leaves
    };
    for (const Changes& c : broken) EXPECT_NE(decided(changed(k_active, c), block), 0) << c[0].second;
  }
  EXPECT_EQ(decided(k_active, "48"), 0);
  EXPECT_EQ(decided(k_active, "[64,2]"), 0);
}

// Of a ballot of the whole warp.
const std::string k_ballot = R"(
__global__ void k(int *out, const int *in, int *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, base;
  bool p = in[i] > 0;
  unsigned m = __ballot_sync(0xffffffffu, p);
  int leader = __ffs(m) - 1, rank = __popc(m & ((1u << lane) - 1));
  if (lane == leader) base = atomicAdd(c, __popc(m));
  base = __shfl_sync(0xffffffffu, base, leader);
  if (p) out[base + rank] = i;
})";

TEST_F(Aggregated, OfABallot) {
  EXPECT_EQ(decided(k_ballot), 0);
  // The first lane takes them; with a mask of those that have something; in the branch.
  EXPECT_EQ(decided(changed(k_ballot, {{"leader = __ffs(m) - 1", "leader = 0"}})), 0);
  EXPECT_EQ(decided(changed(k_ballot, {{"leader = __ffs(m) - 1", "leader = 31"}})), 0);
  EXPECT_EQ(decided(changed(k_ballot, {{"  base = __shfl_sync(0xffffffffu, base, leader);\n  if (p) out",
                                        "  if (p) base = __shfl_sync(m, base, leader);\n  if (p) out"}})),
            0);
  EXPECT_EQ(decided(changed(k_ballot, {{"  if (lane == leader) base", "  if (p) {\n  if (lane == leader) base"},
                                       {"0xffffffffu, base", "m, base"},
                                       {"  if (p) out[base + rank] = i;", "  out[base + rank] = i; }"}})),
            0);
  const std::vector<Changes> broken{
      {{"if (p) out", "out"}},  // those that have none as well
      {{"__popc(m));", "__popc(m) - 1);"}},
      {{"__popc(m));", "__popc(~m));"}},
      {{"if (p) out", "if (in[i] > -5) out"}},
      {{"0xffffffffu, p", "0xffffffffu, in[i] > 5"}},
      {{"lane == leader", "lane == leader && n != 5"}},  // perhaps nobody
      {{"lane == leader", "threadIdx.x == leader"}},
      {{"base, leader", "base, leader ^ 1"}},
  };
  for (const Changes& c : broken) EXPECT_NE(decided(changed(k_ballot, c)), 0) << c[0].second;
}

// The leader's mask is another one where it was not among those who were asked.
TEST_F(Aggregated, MasksAreTheLeadersIfItTookPart) {
  const std::string halves =
      changed(k_ballot, {{"unsigned m = __ballot_sync(0xffffffffu, p)",
                          "unsigned h = lane < 16 ? 0xffffu : 0xffff0000u, m = __ballot_sync(h, p)"}});
  EXPECT_NE(decided(changed(halves, {{"leader = __ffs(m) - 1", "leader = 0"}})), 0);
  EXPECT_NE(decided(changed(halves, {{"leader = __ffs(m) - 1", "leader = 16"}})), 0);
  EXPECT_EQ(decided(changed(halves, {{"leader = __ffs(m) - 1", "leader = lane & 16"}})), 0);
  EXPECT_EQ(decided(halves), 0);
  // Of those who come here in two branches.
  const std::string two =
      changed(k_ballot, {{"unsigned m = __ballot_sync(0xffffffffu, p)",
                          "unsigned m; if (lane & 1) m = __activemask(); else m = __activemask() & 0x55555555u"}});
  EXPECT_NE(decided(changed(two, {{"leader = __ffs(m) - 1", "leader = 0"}})), 0);
  // A ballot that stands on a mask which the leader does not have.
  const std::string second =
      changed(halves, {{"int leader = __ffs(m) - 1",
                        "unsigned a = m; m = __ballot_sync(0xffffffffu, p && __popc(a) > 3); int leader = 0"},
                       {"atomicAdd(c, __popc(m))", "atomicAdd(c, __popc(m) + __popc(a))"},
                       {"if (p) out[base + rank]", "if (p && __popc(a) > 3) out[base + rank + __popc(a)]"}});
  EXPECT_NE(decided(second), 0);
}

// Of lanes with one key.
TEST_F(Aggregated, OfAMatch) {
  const std::string kernel = R"(
__global__ void k(int *out, const int *in, int *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, base, key = in[i];
  unsigned m = __match_any_sync(0xffffffffu, key);
  int leader = __ffs(m) - 1, rank = __popc(m & ((1u << lane) - 1));
  if (lane == leader) base = atomicAdd(&c[key], __popc(m));
  base = __shfl_sync(m, base, leader);
  out[1024 * key + ((base + rank) & 1023)] = i;
})";
  const std::string one = changed(kernel, {{"1024 * key + ((base + rank) & 1023)", "base + rank"}, {"&c[key]", "c"}});
  EXPECT_EQ(decided(one), 0);
  // A counter for each key, and places of all of them.
  EXPECT_NE(decided(changed(kernel, {{"1024 * key + ((base + rank) & 1023)", "base + rank"}})), 0);
  EXPECT_NE(decided(changed(one, {{"__popc(m));", "__popc(m) - 1);"}})), 0);
  EXPECT_NE(decided(changed(one, {{"0xffffffffu, key);", "0xffffffffu, key); key = in[i + 1];"},
                                  {"c, __popc", "&c[key & 0], __popc"},
                                  {"rank]", "(rank & key)]"}})),
            0);
}

// By cooperative groups, and by a counter of the group.
TEST_F(Aggregated, OfCoalescedThreads) {
  const std::string kernel = R"(
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ int append(int *c) {
  auto g = cg::coalesced_threads();
  int base;
  if (g.thread_rank() == 0) base = atomicAdd(c, g.size());
  return g.thread_rank() + g.shfl(base, 0);
}
__global__ void k(int *out, const int *in, int *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i] > 0) out[append(c)] = i;
})";
  EXPECT_EQ(decided(kernel), 0);
  EXPECT_NE(decided(changed(kernel, {{"g.size()", "g.size() - 1"}})), 0);
  EXPECT_NE(decided(changed(kernel, {{"g.shfl(base, 0)", "g.shfl(base, 1)"}})), 0);
  EXPECT_NE(decided(changed(kernel, {{"thread_rank() == 0", "thread_rank() == 1"}})), 0);
  EXPECT_NE(decided(changed(kernel, {{"return g.thread_rank()", "return g.thread_rank() / 2"}})), 0);
}

TEST_F(Aggregated, OfACounterOfTheGroup) {
  const std::string kernel = changed(
      k_ballot, {{"base;\n", "base;\n  __shared__ int s;\n  if (threadIdx.x == 0) s = 0;\n  __syncthreads();\n"},
                 {"atomicAdd(c", "atomicAdd(&s"},
                 {"out[base", "out[64 * blockIdx.x + base"}});
  EXPECT_NE(decided(kernel), 4);
  const std::string own =
      changed(kernel, {{"out[64 * blockIdx.x + base + rank] = i", "t[base + rank] = i"}, {"int s;", "int s, t[64];"}});
  EXPECT_EQ(decided(own), 0);
  EXPECT_NE(decided(changed(own, {{"  base = __shfl", "  if (threadIdx.x == 0) s = 0;\n  base = __shfl"}})), 0);
  EXPECT_NE(decided(changed(own, {{"__popc(m));", "__popc(m) - 1);"}})), 0);
}

}  // namespace
}  // namespace fencepost::verifier

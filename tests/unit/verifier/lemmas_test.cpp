// Small right kernels, each beside wrong ones in which one condition of what orders them, or keeps them apart, is gone.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "clangfe/clangfe.h"
#include "verifier/service.h"

namespace fencepost::verifier {
namespace {

class Lemmas : public testing::Test {
 protected:
  void SetUp() override {
    if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  }
  static int cuda(const std::string& body, const std::string& local = "64", const std::string& groups = "4",
                  const std::string& word = "") {
    std::vector<std::string> words{"--blockDim=" + local, "--gridDim=" + groups, "--no-attack"};
    if (!word.empty()) words.push_back(word);
    const auto o = launch::parse(words);
    EXPECT_TRUE(o);
    return answer(*o, make_source("k.cu",
                                  "#include <cuda/atomic>\n__global__ void k(int *o, int *x, unsigned *c, int n) {"
                                  " __shared__ int s[256]; unsigned t = threadIdx.x, g = blockIdx.x; " +
                                      body + " }"))
        .exit_code;
  }
  static int opencl(const std::string& body) {
    const auto o = launch::parse({"--local_size=64", "--num_groups=4", "--no-attack"});
    EXPECT_TRUE(o);
    return answer(*o, make_source("k.cl",
                                  "__kernel void k(__global int *o, __global int *x, int n) { __local int s[256];"
                                  " uint t = get_local_id(0), g = get_group_id(0); " +
                                      body + " }"))
        .exit_code;
  }
};

// What a barrier orders is written by one thread and read by another.
std::string handed(const std::string& barrier) {
  return "s[t] = x[64 * g + t]; " + barrier + " o[64 * g + t] = s[63 - t];";
}

TEST_F(Lemmas, BarriersOfAGroup) {
  const auto named = [](const std::string& name, const std::string& count) {
    return fmt::format("asm volatile(\"bar.sync %0, %1;\" :: \"r\"({}), \"r\"({}) : \"memory\");", name, count);
  };
  EXPECT_EQ(cuda(handed("__syncthreads();")), 0);
  EXPECT_EQ(cuda(handed("asm volatile(\"bar.sync 3;\" ::: \"memory\");")), 0);
  EXPECT_EQ(cuda(handed("asm volatile(\"bar.sync 3, 64;\" ::: \"memory\");")), 0);
  EXPECT_EQ(cuda(handed(named("3", "64"))), 0);
  EXPECT_NE(cuda(handed(named("t & 1", "64"))), 0);  // two barriers, and nobody knows who is at which
  EXPECT_NE(cuda(handed(named("n", "64"))), 0);
  EXPECT_NE(cuda(handed(named("3", "32"))), 0);  // each half may go on without the other
  EXPECT_NE(cuda(handed(named("3", "n"))), 0);
  EXPECT_NE(cuda(handed("asm volatile(\"bar.arrive 3, 64;\" ::: \"memory\");")), 0);
  EXPECT_NE(cuda(handed("__syncwarp();")), 0);
  EXPECT_NE(cuda(handed("__threadfence();")), 0);
  EXPECT_NE(cuda(handed("if (t < 32) __syncthreads();")), 0);
  EXPECT_NE(cuda(handed("if (n) __syncthreads();")), 0);
  EXPECT_EQ(opencl(handed("barrier(CLK_LOCAL_MEM_FENCE);")), 0);
  EXPECT_NE(opencl(handed("barrier(CLK_GLOBAL_MEM_FENCE);")), 0);
  EXPECT_NE(opencl(handed("barrier(CLK_IMAGE_MEM_FENCE);")), 0);
  EXPECT_NE(opencl(handed("mem_fence(CLK_LOCAL_MEM_FENCE);")), 0);
  const std::string global = "o[64 * g + t] = x[t]; barrier(CLK_{}_MEM_FENCE); s[t] = o[64 * g + 63 - t];";
  EXPECT_EQ(opencl(fmt::format(fmt::runtime(global), "GLOBAL")), 0);
  EXPECT_NE(opencl(fmt::format(fmt::runtime(global), "LOCAL")), 0);
  // Between groups it orders nothing.
  EXPECT_NE(cuda("o[64 * g + t] = 1; __syncthreads(); s[t] = o[(64 * g + t + 64) % 256];"), 0);
}

// Over all barriers, nobody waits for one that waits for him; and a barrier has one count.
TEST_F(Lemmas, BarriersOfSomeThreadsTogether) {
  const auto sync = [](int name, int count) {
    return fmt::format("asm volatile(\"bar.sync {}, {};\" ::: \"memory\");", name, count);
  };
  const auto arrive = [](int name, int count) {
    return fmt::format("asm volatile(\"bar.arrive {}, {};\" ::: \"memory\");", name, count);
  };
  const auto halves = [](const std::string& low, const std::string& high) {
    return "s[t] = t; if (t < 32) { " + low + " } else { " + high + " } o[64 * g + t] = s[63 - t];";
  };
  const std::string one = sync(1, 64), two = sync(2, 64);
  EXPECT_EQ(cuda(halves(one + two, one + two)), 0);
  EXPECT_NE(cuda(halves(one + two, two + one)), 0);
  const std::string handed = "if (t < 32) { s[t] = t; " + arrive(1, 64) + two +
                             " o[64 * g + t] = s[t + 32]; } else { " + one + " s[t] = s[t - 32]; " + arrive(2, 64) +
                             " }";
  EXPECT_EQ(cuda(handed), 0);
  EXPECT_NE(cuda("if (t < 32) { s[t] = t; " + two + arrive(1, 64) + " o[64 * g + t] = s[t + 32]; } else { " + one +
                 " s[t] = s[t - 32]; " + arrive(2, 64) + " }"),
            0);
  // A barrier of all threads between the two ends of one of some.
  EXPECT_NE(
      cuda("if (t < 32) { s[t] = 1; " + one + " } __syncthreads(); if (t >= 32) { " + one + " } o[64 * g + t] = s[0];"),
      0);
  const auto first_half = [](const std::string& barrier) {
    return "s[t] = t; if (t < 64) { " + barrier + " } __syncthreads(); o[128 * g + t] = s[127 - t];";
  };
  EXPECT_EQ(cuda(first_half(sync(3, 64)), "128"), 0);
  EXPECT_NE(cuda(first_half(sync(0, 64)), "128"), 0);  // the barrier of __syncthreads
  EXPECT_NE(cuda(first_half(arrive(0, 64)), "128"), 0);
  EXPECT_NE(cuda(first_half("asm volatile(\"bar.sync 0;\" ::: \"memory\");"), "128"), 0);
}

TEST_F(Lemmas, BarriersInLoops) {
  const auto loop = [](const std::string& first, const std::string& second, const std::string& head) {
    return head + " { s[t] = i; " + first + " o[64 * g + t] += s[63 - t]; " + second + " }";
  };
  const std::string all = "__syncthreads();", rounds = "for (int i = 0; i < 8; ++i)";
  EXPECT_EQ(cuda(loop(all, all, rounds)), 0);
  EXPECT_NE(cuda(loop("", all, rounds)), 0);
  EXPECT_NE(cuda(loop(all, "", rounds)), 0);
  EXPECT_EQ(cuda(loop(all, all, "for (int i = 0; i < n; ++i)")), 0);
  EXPECT_NE(cuda(loop(all, all, "for (int i = 0; i < t; ++i)")), 0);  // threads leave it one by one
  EXPECT_NE(cuda(loop(all, all, "for (int i = 0; i < x[t]; ++i)")), 0);
  EXPECT_NE(cuda(loop(all, "if (i & 1) " + all, rounds)), 0);  // in every second round
  // Two halves in turn need one barrier for each round.
  EXPECT_EQ(cuda(rounds + " { s[64 * (i & 1) + t] = i; __syncthreads(); o[64 * g + t] += s[64 * (i & 1) + 63 - t]; }"),
            0);
  EXPECT_NE(cuda(rounds + " { s[64 * (i & 2) + t] = i; __syncthreads(); o[64 * g + t] += s[64 * (i & 2) + 63 - t]; }"),
            0);
  EXPECT_NE(cuda(rounds + " { s[64 * (i & 1) + t] = i; __syncthreads(); o[64 * g + t] += s[64 * (~i & 1) + 63 - t]; }"),
            0);
  // Halves, quarters, ...: what is read is written in the round before.
  const auto tree = [](const std::string& test, const std::string& from) {
    return "s[t] = x[64 * g + t]; __syncthreads(); for (unsigned d = 32; d > 0; d /= 2) { if (" + test +
           ") s[t] += s[" + from + "]; __syncthreads(); } if (t == 0) o[g] = s[0];";
  };
  EXPECT_EQ(cuda(tree("t < d", "t + d")), 0);
  EXPECT_NE(cuda(tree("t <= d", "t + d")), 0);
  EXPECT_NE(cuda(tree("t < d", "t + d - 1")), 0);
  EXPECT_NE(cuda(tree("t < 2 * d", "t + d")), 0);
}

TEST_F(Lemmas, BarriersAndVotesOfAWarp) {
  const auto warp = [](const std::string& between, const std::string& from) {
    return "s[t] = x[64 * g + t]; " + between + " o[64 * g + t] = s[" + from + "];";
  };
  EXPECT_EQ(cuda(warp("__syncwarp();", "t ^ 1")), 0);
  EXPECT_EQ(cuda(warp("__syncwarp();", "t ^ 31")), 0);
  EXPECT_NE(cuda(warp("__syncwarp();", "t ^ 32")), 0);  // of the other warp
  EXPECT_NE(cuda(warp("__syncwarp();", "63 - t")), 0);
  EXPECT_NE(cuda(warp("", "t ^ 1")), 0);
  EXPECT_NE(cuda(warp("__shfl_sync(~0u, n, 0);", "t ^ 1")), 0);
  EXPECT_NE(cuda(warp("if (t & 1) __syncwarp();", "t ^ 1")), 0);
  EXPECT_EQ(cuda(warp("if (t & 1) __syncwarp(0xaaaaaaaa); else __syncwarp(0x55555555);", "t ^ 2")), 0);
  EXPECT_NE(cuda(warp("if (t & 1) __syncwarp(0xaaaaaaaa); else __syncwarp(0x55555555);", "t ^ 1")), 0);
  // One result for the warp keeps its lanes to one of two ways.
  const auto ways = [](const std::string& v) {
    return "int v = " + v + "; if (v) { if (t == 20) o[g] = 7; } else if (t == 1) o[g] = 5;";
  };
  for (const char* v :
       {"__any_sync(~0u, x[t])", "__all_sync(~0u, x[t])", "__ballot_sync(~0u, x[t])", "__reduce_add_sync(~0u, x[t])"}) {
    EXPECT_EQ(cuda(ways(v), "32"), 0) << v;
    EXPECT_NE(cuda(ways(v) + " if (t == 40) o[g] = v;", "64"), 0) << v;
  }
  EXPECT_NE(cuda(ways("x[t]"), "32"), 0);
  EXPECT_NE(cuda(ways("__any_sync(t < 16 ? 0xffff : 0xffff0000, x[t])"), "32"), 0);
}

TEST_F(Lemmas, GuardsAndPlaces) {
  EXPECT_EQ(cuda("o[64 * g + t] = x[0];"), 0);
  EXPECT_NE(cuda("o[63 * g + t] = g;"), 0);
  EXPECT_NE(cuda("o[64 * g + t / 2] = t;"), 0);
  EXPECT_EQ(cuda("if (t % 2 == 0) o[64 * g + t / 2] = t;"), 0);
  EXPECT_NE(cuda("if (t % 3 == 0) o[64 * g + t / 4] = t;"), 0);
  EXPECT_EQ(cuda("if (t == 0) o[g] = n;"), 0);
  EXPECT_NE(cuda("if (t <= 1) o[g] = t;"), 0);
  EXPECT_NE(cuda("if (t == 0) o[g / 2] = g;"), 0);
  EXPECT_EQ(cuda("if (g == 1 && t == 5) o[0] = n;"), 0);
  EXPECT_NE(cuda("if (g == 1 || t == 5) o[0] = t;"), 0);
  EXPECT_EQ(cuda("((short *)o)[64 * g + t] = t;"), 0);
  EXPECT_NE(cuda("((short *)o)[64 * g + t] = t; o[64 * g + t] = 1;"), 0);
  EXPECT_NE(cuda("*(int *)((char *)o + 2 * (64 * g + t)) = t;"), 0);  // of four bytes, two apart
  EXPECT_EQ(cuda("for (unsigned i = 64 * g + t; i < n; i += 256) o[i] = t;"), 0);
  EXPECT_EQ(cuda("for (unsigned i = 0; i < 4; ++i) o[4 * (64 * g + t) + i] = t;"), 0);
  EXPECT_NE(cuda("for (unsigned i = 0; i <= 4; ++i) o[4 * (64 * g + t) + i] = t;"), 0);
  EXPECT_EQ(cuda("for (int i = 3; i >= 0; --i) o[4 * (64 * g + t) + i] = t;"), 0);
  EXPECT_NE(cuda("for (int i = 4; i >= 0; --i) o[4 * (64 * g + t) + i] = t;"), 0);
  EXPECT_NE(cuda("for (int i = 3; i >= -1; --i) o[4 * (64 * g + t) + i + 4] = t;"), 0);
}

TEST_F(Lemmas, AtomicsAndTheirScopes) {
  EXPECT_EQ(cuda("atomicAdd(o, 1);"), 0);
  EXPECT_NE(cuda("atomicAdd_block(o, 1);"), 0);
  EXPECT_EQ(cuda("atomicAdd_block(o + g, 1);"), 0);
  EXPECT_NE(cuda("atomicAdd(o, 1); if (t == 0) x[g] = o[0];"), 0);
  EXPECT_NE(cuda("if (t == 3) o[0] = 1; atomicAdd(o, 1);"), 0);
  EXPECT_NE(cuda("atomicAdd(o, 1); atomicAdd((unsigned long long *)o, 1ull);"), 0);
  EXPECT_EQ(cuda("o[atomicAdd(c, 1)] = t;"), 0);
  EXPECT_NE(cuda("o[atomicAdd(c, 1) / 2] = t;"), 0);
  EXPECT_NE(cuda("o[atomicAdd(c, 1) % 128] = t;"), 0);
  EXPECT_NE(cuda("o[atomicAdd(c + (t & 1), 1)] = t;"), 0);
  EXPECT_NE(cuda("o[atomicAdd_block(c, 1)] = t;"), 0);
  EXPECT_NE(cuda("o[atomicAdd(c, n)] = t;"), 0);
  EXPECT_EQ(cuda("o[2 * atomicAdd(c, 1)] = t;"), 0);
  EXPECT_NE(cuda("o[atomicAdd(c, 1)] = t; if (t == 9) atomicExch(c, 0);"), 0);
  EXPECT_NE(cuda("o[atomicMax(c, t)] = t;"), 0);
  EXPECT_NE(cuda("o[*c] = t; atomicAdd(c, 1);"), 0);
}

TEST_F(Lemmas, Locks) {
  const auto locked = [](const std::string& take, const std::string& in, const std::string& give) {
    return "bool done = false; while (!done) if (" + take + ") { " + in + " " + give + " done = true; }";
  };
  const std::string take = "atomicCAS(c, 0u, 1u) == 0", fence = "__threadfence();", work = "o[0] += 1;",
                    give = "atomicExch(c, 0u);";
  EXPECT_EQ(cuda(locked(take, fence + work + fence, give)), 0);
  EXPECT_NE(cuda(locked(take, work + fence, give)), 0);
  EXPECT_NE(cuda(locked(take, fence + work, give)), 0);
  EXPECT_NE(cuda(locked(take, fence + fence, give) + work), 0);
  EXPECT_NE(cuda(locked("atomicCAS(c, 0u, 1u) <= 1", fence + work + fence, give)), 0);
  EXPECT_NE(cuda(locked("atomicCAS(c, 1u, 1u) == 0", fence + work + fence, give)), 0);
  EXPECT_NE(cuda(locked("atomicCAS(c + (t & 1), 0u, 1u) == 0", fence + work + fence, "atomicExch(c + (t & 1), 0u);")),
            0);
  EXPECT_NE(cuda(locked("atomicCAS_block(c, 0u, 1u) == 0", fence + work + fence, give)), 0);
  EXPECT_NE(cuda(locked(take, "__threadfence_block();" + work + "__threadfence_block();", give)), 0);
  EXPECT_NE(cuda(locked(take, fence + work + fence, give) + " if (t == 7) atomicExch(c, 0u);"), 0);
  EXPECT_NE(cuda("if (t == 7) *c = 0; " + locked(take, fence + work + fence, give)), 0);
  EXPECT_NE(cuda(locked(take, fence + work + fence, "*c = 0;")), 0);
}

}  // namespace
}  // namespace fencepost::verifier

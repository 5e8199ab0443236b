// Who comes to a barrier: masks of warp barriers, and threads that have left before.
#include <gtest/gtest.h>

#include "clangfe/clangfe.h"
#include "verifier/service.h"

namespace fencepost::verifier {
namespace {

struct Case {
  const char* name;
  std::vector<std::string> launch;
  std::string text;
  int exit_code;
};

void decide(const std::vector<Case>& cases) {
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  for (const Case& c : cases) {
    const auto o = launch::parse(c.launch);
    ASSERT_TRUE(o) << c.name;
    const launch::Answer a = answer(*o, make_source(c.name, c.text));
    EXPECT_EQ(a.exit_code, c.exit_code) << c.name << "\n" << c.text << "\n" << a.out << a.err;
  }
}

// Threads that give one mask, which names them, meet; the masks of the others order nothing.
TEST(Meetings, MasksOfWarpBarriersThatAreEqualMeet) {
  const std::vector<std::string> warp{"--blockDim=32", "--gridDim=2"};
  const auto kernel = [](const std::string& mask, const std::string& other) {
    return "__global__ void k(int *o) { __shared__ int s[32]; int t = threadIdx.x; s[t] = t; " + mask +
           " o[blockIdx.x * 32 + t] = s[" + other + "]; }";
  };
  const auto halves = [](const std::string& low, const std::string& high) {
    return "if (t < 16) __syncwarp(" + low + "); else __syncwarp(" + high + ");";
  };
  const std::string low = "0xffff", high = "0xffff0000";
  decide({{"whole.cu", warp, kernel("__syncwarp();", "31 - t"), 0},
          {"one_mask.cu", warp, kernel("__syncwarp(0xffffffff);", "31 - t"), 0},
          {"halves.cu", warp, kernel(halves(low, high), "t ^ 1"), 0},
          {"by_value.cu", warp, kernel("__syncwarp(t < 16 ? 0xffff : 0xffff0000);", "t ^ 1"), 0},
          // Of the other half.
          {"across.cu", warp, kernel(halves(low, high), "31 - t"), 1},
          {"across_by_value.cu", warp, kernel("__syncwarp(t < 16 ? 0xffff : 0xffff0000);", "31 - t"), 1},
          // The masks of two threads that would meet differ.
          {"differ.cu", warp, kernel("__syncwarp(t < 16 ? 0xffff : 0xffffffff);", "t ^ 1"), 1},
          {"not_named.cu", warp, kernel(halves(low, low), "t ^ 1"), 1},
          {"one_comes.cu", warp, kernel("if (t < 16) __syncwarp();", "t ^ 1"), 1},
          {"of_one.cu", warp, kernel("__syncwarp(1u << t);", "t ^ 1"), 1}});
}

// A thread that has returned never comes to the barrier; where memory decides, it may be any.
TEST(Meetings, ExitsThatMemoryDecides) {
  const std::vector<std::string> launch{"--blockDim=64", "--gridDim=4"};
  const auto kernel = [](const std::string& leave, const std::string& between = "") {
    return "__global__ void k(const int *a, int *o, int n) { __shared__ int s[64]; __shared__ int f; int t = "
           "threadIdx.x;"
           "if (t == 0) f = a[blockIdx.x]; __syncthreads();" +
           leave + between + " s[t] = t; __syncthreads(); o[blockIdx.x * 64 + t] = s[63 - t]; }";
  };
  decide({{"none.cu", launch, kernel(""), 0},
          {"own.cu", launch, kernel("if (a[t] > 3) return;"), 1},
          {"block.cu", launch, kernel("if (a[blockIdx.x] > 3) return;"), 0},
          {"shared.cu", launch, kernel("if (f > 3) return;"), 0},
          {"parameter.cu", launch, kernel("if (n > 3) return;"), 0},
          {"changed.cu", launch, kernel("if (a[blockIdx.x] > t) return;"), 1},
          {"loop.cu", launch, kernel("for (int i = 0; i < n; i++) if (a[i * 64 + t] == 7) return;"), 1},
          {"loop_of_all.cu", launch, kernel("for (int i = 0; i < n; i++) if (a[i] == 7) return;"), 0},
          // What is read may be written by others, so that two threads read two values.
          {"written.cu", launch, kernel("if (t == 1) f = 9;", "if (f > 3) return;"), 1}});
}

// In lock-step, by each method: rounds of a loop that all lanes leave together follow one another.
TEST(Meetings, RoundsOfALoopInLockStep) {
  const auto kernel = [](const std::string& guard, const std::string& loop, const std::string& body) {
    return "__global__ void k(float *o, int n) { __shared__ float s[256]; int t = threadIdx.x; s[t] = t; "
           "__syncthreads();"
           "if (" +
           guard + ") " + loop + " { " + body + " } __syncthreads(); o[blockIdx.x * 128 + t] = s[t]; }";
  };
  const std::string halves = "for (int d = 16; d > 0; d >>= 1)", add = "float x = s[t + d]; s[t] += x;";
  for (const char* method : {"resync", "two-pass", "auto"}) {
    const std::vector<std::string> launch{"--blockDim=128", "--gridDim=4", "--warp-sync=32",
                                          std::string("--warp-method=") + method};
    decide(
        {{"sum.cu", launch, kernel("t < 32", halves, add), 0},
         {"two_warps.cu", launch, kernel("t < 64", halves, add), 1},
         {"one_instruction.cu", launch, kernel("t < 32", halves, "s[t] = s[t + d];"), 0},
         {"same_place.cu", launch, kernel("t < 32", halves, "s[t / 2] = t;"), 1},
         {"moved.cu", launch, kernel("t < 32", "for (int i = 0; i < n; i++)", "s[(t + i) % 32] = t;"), 0},
         {"moved_by_halves.cu", launch, kernel("t < 32", "for (int i = 0; i < n; i++)", "s[(t + i) % 31] = t;"), 1}});
  }
}

// A run that confirms a race starts counters at 0, as the host does: a race that needs another start is not confirmed.
TEST(Meetings, RunsThatConfirmStartCountersAtZero) {
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  const auto said = [](const std::string& when) {
    const auto o = launch::parse({"--blockDim=16", "--gridDim=2"});
    const launch::Answer a =
        answer(*o, make_source("k.cu", "__global__ void k(int *o, unsigned *c) { if (atomicAdd(c, 1) " + when +
                                           ") o[0] = threadIdx.x + 16 * blockIdx.x; }"));
    EXPECT_EQ(a.exit_code, 1) << when << a.out << a.err;
    return a.confirmed;
  };
  EXPECT_EQ(said("< 40"), 1u);
  EXPECT_EQ(said("> 1000"), 0u);
}

// A shuffle of the lanes that are together gives what one of them holds: no run makes a race of another value.
TEST(Meetings, RunsThatConfirmShuffleAmongTheLanesThatAreTogether) {
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  const auto said = [](const std::string& place) {
    const auto o = launch::parse({"--blockDim=32", "--gridDim=1"});
    const launch::Answer a =
        answer(*o, make_source("k.cu",
                               "#include <cooperative_groups.h>\n__global__ void k(int *o, int *c) {"
                               "if (threadIdx.x < 20) { auto g = cooperative_groups::coalesced_threads();"
                               "int at = 0; if (g.thread_rank() == 0) at = atomicAdd(c, g.size());"
                               "at = g.shfl(at, 0); o[" +
                                   place + "] = threadIdx.x; } }"));
    EXPECT_EQ(a.exit_code, a.confirmed > 0 ? 1 : 3) << a.out << a.err;
    return a.confirmed;
  };
  EXPECT_EQ(said("at + g.thread_rank()"), 0u);
  EXPECT_EQ(said("0"), 1u);
}

}  // namespace
}  // namespace fencepost::verifier

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

// Who leaves at once has exited. Who does work first has not exited when the others come: the proof says that it takes
// this for granted, where it does.
TEST(Meetings, LanesThatWorkBeforeTheyLeaveAreAnAssumption) {
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  const auto said = [](const std::string& body, bool strict = false) {
    std::vector<std::string> words{"--blockDim=32", "--gridDim=1"};
    if (strict) words.emplace_back("--strict");
    return answer(*launch::parse(words),
                  make_source("k.cu", "__global__ void k(int *o, int n) { int i = threadIdx.x; " + body + " }"));
  };
  const std::string works = "if (i < n) o[i] = __shfl_down_sync(~0u, i, 1); else o[i] = 2;",
                    leaves = "if (i >= n) return; o[i] = __shfl_down_sync(~0u, i, 1);",
                    votes =
                        "unsigned m = __ballot_sync(~0u, i < n); if (i < n) o[i] = __shfl_sync(m, i, 0); else "
                        "o[i] = 2;";
  const auto assumes = [](const launch::Answer& a) {
    return (a.out + a.err).find("without coming to what a mask asks it to") != std::string::npos;
  };
  EXPECT_EQ(said(works).exit_code, 0);
  EXPECT_TRUE(assumes(said(works)));
  EXPECT_EQ(said(works, true).exit_code, 3);
  for (const std::string& body : {leaves, votes}) {
    EXPECT_EQ(said(body).exit_code, 0) << body;
    EXPECT_FALSE(assumes(said(body))) << body;
  }
}

// Masks that lanes agree on: of a ballot and of a match, and computed ones. `behind`: what all lanes do at the end, so
// that who has not come to the exchange has not exited either.
TEST(Meetings, MasksThatLanesAgreeOnAndComputedOnes) {
  const std::vector<std::string> launch{"--blockDim=64", "--gridDim=2"};
  const auto kernel = [](const std::string& body, const std::string& behind = "o[i] = 7;") {
    return "__global__ void k(int *o, const int *a, int n) { __shared__ int s[64]; int t = threadIdx.x, lane = t & 31,"
           " i = blockIdx.x * 64 + t; " +
           body + " " + behind + " }";
  };
  const std::string ballot = "bool p = a[i] > 0; unsigned m = __ballot_sync(~0u, p); ",
                    match = "int v = a[i]; unsigned m = __match_any_sync(~0u, v); ",
                    left = "int left = n - (i - lane); unsigned m = left >= 32 ? ~0u : left > 0 ? ";
  const auto give = [](const std::string& when, const std::string& mask = "m") {
    return "if (" + when + ") o[i] = __shfl_sync(" + mask + ", i, __ffs(m) - 1);";
  };
  decide({
      {"ballot.cu", launch, kernel(ballot + give("p")), 0},
      {"ballot_of_another.cu", launch, kernel(ballot + give("a[i] > 1")), 1},
      {"ballot_of_the_others.cu", launch, kernel(ballot + give("!p")), 1},
      {"the_others.cu", launch, kernel(ballot + give("!p", "~m")), 0},
      {"of_numbers.cu", launch, kernel("unsigned m = __ballot_sync(~0u, i < n); " + give("i < n")), 0},
      {"of_other_numbers.cu", launch, kernel("unsigned m = __ballot_sync(~0u, i < n); " + give("i < n - 1")), 1},
      {"in_a_ballot.cu", launch,
       kernel(ballot + "if (p) { bool q = a[i] > 5; unsigned b = __ballot_sync(m, q); " + give("q", "b") + " }"), 0},
      {"of_the_outer.cu", launch,
       kernel(ballot + "if (p) { bool q = a[i] > 5; unsigned b = __ballot_sync(m, q); " + give("q") + " }"), 1},
      {"match.cu", launch, kernel(match + give("v > 3")), 0},
      {"match_of_another.cu", launch, kernel(match + give("a[i + 1] > 3")), 1},
      {"computed.cu", launch, kernel(left + "(1u << left) - 1 : 0; " + give("i < n")), 0},
      {"one_more.cu", launch, kernel(left + "(2u << left) - 1 : 0; " + give("i < n")), 1},
      {"shifted.cu", launch, kernel("int c = n & 31; unsigned m = ~0u >> (32 - c); " + give("c > 0 && lane < c")), 0},
      {"shifted_too_far.cu", launch,
       kernel("int c = n & 31; unsigned m = ~0u >> (32 - c); " + give("c > 1 && lane < c - 1")), 1},
      {"eighths.cu", launch, kernel("unsigned m = 0xffu << (lane & 24); " + give("(lane & 24) != 8")), 0},
      {"not_eighths.cu", launch, kernel("unsigned m = 0xffu << (lane & 24); " + give("(lane & 12) != 8")), 1},
      {"together.cu", launch, kernel("if (a[i] > 0) { unsigned m = __activemask(); " + give("true") + " }"), 0},
      {"together_before.cu", launch, kernel("unsigned m = __activemask(); " + give("a[i] > 0")), 1},
      {"voted.cu", launch, kernel("unsigned m = 1; if (__any_sync(~0u, a[i] > 0)) " + give("true", "~0u")), 0},
      {"given.cu", launch, kernel("unsigned m = 1; if (__shfl_sync(~0u, a[i], lane ^ 1) > 5) " + give("true", "~0u")),
       1},
      {"none.cu", launch, kernel("unsigned m = 1; " + give("true", "0u")), 1},
      // Memory: those who meet are ordered, and no others; one of the mask leads.
      {"ordered.cu", launch, kernel(ballot + "if (p) { s[t] = i; __syncwarp(m); o[i] = s[(t & 32) + 31 - __clz(m)]; }"),
       0},
      {"not_of_the_mask.cu", launch, kernel(ballot + "s[t] = i; if (p) { __syncwarp(m); o[i] = s[t ^ 1]; }"), 1},
      {"leader.cu", launch,
       kernel(ballot + "if (p) { if (lane == __ffs(m) - 1) s[t >> 5] = i; __syncwarp(m); o[i] = s[t >> 5]; }"), 0},
      {"two_leaders.cu", launch,
       kernel(ballot + "if (lane == __ffs(m) - 1 || lane == 31) s[t >> 5] = i; __syncwarp(); o[i] = s[t >> 5];"), 1},
      // Lanes that leave a loop one by one are not followed.
      {"loop.cu", launch,
       kernel("unsigned m = __ballot_sync(~0u, i < n); for (int j = i; j < n; j += 64) { o[i] += __shfl_sync(m, j, 0); "
              "m = __ballot_sync(m, j + 64 < n); }"),
       3},
      // Who has left goes on to the store, and the mask of those who stay still names them: n = 962 shows it.
      {"loop_of_one_mask.cu", launch,
       kernel("unsigned m = __ballot_sync(~0u, i < n); for (int j = i; j < n; j += 64) o[i] += __shfl_sync(m, j, 0);"),
       1},
  });
}

// A mask may name lanes that have exited, or do not exist; not those that do what comes behind.
TEST(Meetings, MasksMayNameLanesThatHaveExited) {
  const std::vector<std::string> launch{"--blockDim=48", "--gridDim=2"};
  const auto kernel = [](const std::string& body) {
    return "__global__ void k(int *o, const int *a, int n) { __shared__ int s[48]; int t = threadIdx.x, "
           "i = blockIdx.x * 48 + t; " +
           body + " }";
  };
  const std::string give = "int v = __shfl_down_sync(~0u, i, 1); ";
  decide({{"tail.cu", launch, kernel(give + "o[i] = v;"), 0},
          {"returned.cu", launch, kernel("if (i >= n) return; " + give + "o[i] = v;"), 0},
          {"work_first.cu", launch, kernel("if (i >= n) { o[i] = 3; return; } " + give + "o[i] = v;"), 0},
          {"guarded.cu", launch, kernel("if (i < n) { " + give + "o[i] = v; }"), 0},
          {"goes_on.cu", launch, kernel("int v = 0; if (i < n) v = __shfl_down_sync(~0u, i, 1); o[i] = v;"), 1},
          {"otherwise.cu", launch, kernel("if (i >= n) o[i] = 3; else { " + give + "o[i] = v; } o[i] += 1;"), 1},
          {"meets_again.cu", launch, kernel("if (i < n) { " + give + "o[i] = v; } __syncwarp(); o[i] += 1;"), 1},
          // Who has exited has ordered nothing.
          {"wrote.cu", launch, kernel("s[t] = t; if (a[i] > 0) return; __syncwarp(); o[i] = s[t ^ 1];"), 1},
          {"wrote_later.cu", launch, kernel("if (a[i] > 0) return; s[t] = t; __syncwarp(); o[i] = s[t];"), 0},
          {"voted.cu", launch,
           kernel("if (a[i] > 3) return; bool p = a[i] > 0; unsigned m = __ballot_sync(~0u, p); if (p) { s[t] = 1; "
                  "__syncwarp(m); o[i] = s[(t & 32) + __ffs(m) - 1]; } o[i] += 1;"),
           0}});
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
    EXPECT_EQ(a.exit_code, a.confirmed > 0 ? 1 : 0) << a.out << a.err;
    return a.confirmed;
  };
  EXPECT_EQ(said("at + g.thread_rank()"), 0u);
  EXPECT_EQ(said("0"), 1u);
}

}  // namespace
}  // namespace fencepost::verifier

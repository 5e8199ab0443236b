// Conditions of the prover that a planted fault took away without a test that noticed: kernels that are right and wrong
// by these conditions alone.
#include <fmt/format.h>

#include "decide.h"

namespace fencepost::verifier {
namespace {

int exit_code(const std::string& name, const std::string& text, const std::vector<std::string>& words,
              std::string* said = nullptr) {
  const auto o = launch::parse(words);
  EXPECT_TRUE(o);
  const launch::Answer a = answer(*o, make_source(name, text));
  if (said != nullptr) *said = a.out + a.err;
  return a.exit_code;
}

// Loops and how often their bodies are run, and how much more than that the prover takes them to be.
struct Loop {
  const char* text;
  uint32_t times, slack = 0;
};
constexpr Loop k_loops[] = {
    {"for (int i = 0; i < 10; i++) #", 10},         {"for (int i = 0; i <= 10; i++) #", 11},
    {"for (int i = 10; i > 0; i--) #", 10},         {"for (int i = 10; i >= 0; i--) #", 11},
    {"for (int i = -5; i < 10; i += 5) #", 3},      {"for (uint i = 3; i < 30; i += 3) #", 9},
    {"for (uint i = 3; i <= 30; i += 3) #", 10},    {"for (uint i = 30; i > 3; i -= 3) #", 9},
    {"for (uint i = 30; i >= 3; i -= 3) #", 10},    {"for (uint i = 0; i != 30; i += 3) #", 10},
    {"for (uint i = 30; i != 0; i--) #", 30},       {"for (uint i = 64; i > 0; i >>= 1) #", 7, 1},
    {"for (uint i = 1; i <= 64; i <<= 1) #", 7, 1}, {"for (uint i = 1; i < 64; i <<= 1) #", 6, 2},
    {"int i = 0; do # while (++i < 10);", 10},      {"int i = 0; do # while (++i <= 10);", 11},
    {"int i = 10; do # while (--i > 0);", 10},      {"int i = 10; do # while (--i >= 0);", 11},
    {"uint i = 0; do # while (++i < 10);", 10},     {"uint i = 0; do # while ((i += 3) <= 30);", 11},
    {"uint i = 10; do # while (--i > 2);", 8},      {"uint i = 30; do # while ((i -= 3) >= 3);", 10},
    {"uint i = 0; do # while (++i != 10);", 10}};

// What 64 threads add to a counter in a loop and once behind it comes to 2^32 at most, or to more by the least step.
int counted(std::string loop, uint32_t step, std::string* said) {
  loop.replace(loop.find('#'), 1, fmt::format("{{ atomic_add(c, {}u); }}", step));
  return exit_code("k.cl",
                   fmt::format("kernel void k(global uint *o, volatile global uint *c, uint n) {{ {} uint a = "
                               "atomic_add(c, {}u); o[a] = get_local_id(0); }}",
                               loop, step),
                   {"--local_size=64", "--num_groups=1", "--no-attack"}, said);
}

TEST(Conditions, LoopsAreRunAsOftenAsTheirCountersSay) {
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  for (const Loop& l : k_loops) {
    SCOPED_TRACE(l.text);
    const uint32_t most = l.times + l.slack + 1, fits = (1u << 26) / most, too_large = (1u << 26) / (l.times + 1) + 1;
    std::string said;
    EXPECT_EQ(counted(l.text, fits, &said), 0) << said;
    EXPECT_EQ(said.find("come round"), std::string::npos) << said;
    EXPECT_EQ(counted(l.text, too_large, &said), 1) << said;
  }
  // Signed counters do not overflow: no test bounds these.
  for (const char* loop : {"for (int i = -2000000000; (n + i) & 1; i += 1 << 28) #",
                           "for (int i = 2000000000; (n + i) & 1; i -= 1 << 28) #"}) {
    SCOPED_TRACE(loop);
    std::string said;
    EXPECT_EQ(counted(loop, (1u << 26) / 17, &said), 0) << said;
    EXPECT_EQ(said.find("come round"), std::string::npos) << said;
    EXPECT_EQ(counted(loop, (1u << 26) / 17 + 1, &said), 0) << said;
    EXPECT_NE(said.find("come round"), std::string::npos) << said;
  }
}

TEST(Conditions, LargeStepsOfUnknownLaunchesComeRound) {
  const auto kernel = [](const std::string& step) {
    return "kernel void k(global uint *o, volatile global uint *c) { uint a = atomic_add(c, " + step +
           "); o[a] = get_local_id(0); }";
  };
  const std::string any = "--local_size=*", one = "--num_groups=1";
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  std::string said;
  EXPECT_EQ(exit_code("k.cl", kernel("1u << 24"), {any, one, "--no-attack"}, &said), 1) << said;
  EXPECT_EQ(exit_code("k.cl", kernel("(1u << 24) - 1"), {any, one, "--no-attack"}, &said), 0) << said;
  EXPECT_NE(said.find("come round"), std::string::npos) << said;
}

// Another thread's place in its sub-group is not one's own; of groups of one thread, two are a pair.
TEST(Conditions, WhatIsSaidOfPairsIsSaidOfTheOtherThread) {
  const auto master = [](const std::string& what, const std::string& test) {
    return "kernel void k(global int *o) { local int s; if (get_local_id(0) == 0) s = " + what +
           "(); barrier(CLK_LOCAL_MEM_FENCE); if (get_local_id(0) == 1 && s " + test + " " + what +
           "()) o[0] = get_group_id(0); }";
  };
  const std::string lane = master("get_sub_group_local_id", "!="), warp = master("get_sub_group_id", "!=");

  const std::vector<std::string> ones{"--local_size=1", "--num_groups=4"};
  const auto some = [](const std::string& test) {
    return "kernel void k(global int *o) { __requires(get_group_id(0) " + test + "); o[get_group_id(0)] = 1; }";
  };
  decide({{"lane.cl", lane.c_str(), 1}, {"warp.cl", warp.c_str(), 1}});
  if (!clangfe::available()) return;
  EXPECT_EQ(exit_code("some.cl", some("< 3"), ones), 0);
  EXPECT_EQ(exit_code("none.cl", some("== 2"), ones), 3);
  EXPECT_EQ(
      exit_code("race.cl", "kernel void k(global int *o) { __requires(get_group_id(0) < 3); o[0] = get_group_id(0); }",
                ones),
      1);
}

// What an assertion says that nobody reads, writes or updates.
TEST(Conditions, AccessesOfEachKindAreKnown) {
  const auto kernel = [](const std::string& body) {
    return "kernel void k(global int *a, global int *o) { int t = get_local_id(0), x = 0; " + body +
           " o[64 * get_group_id(0) + t] = x; }";
  };
  const std::string read = kernel("x = a[t]; __assert(__no_read(a));"),
                    other = kernel("x = a[t]; __assert(__no_write(a));"),
                    written = kernel("a[64 * get_group_id(0) + t] = 1; __assert(__no_write(a));"),
                    unread = kernel("a[64 * get_group_id(0) + t] = 1; __assert(__no_read(a));"),
                    loop = kernel("for (int i = 0; __invariant(__no_read(a)), i < 4; i++) x += a[t + 64 * i];"),
                    writes = kernel("for (int i = 0; __invariant(__no_write(a)), i < 4; i++) x += a[t + 64 * i];");
  decide({{"read.cl", read.c_str(), 1},
          {"other.cl", other.c_str(), 0},
          {"written.cl", written.c_str(), 1},
          {"unread.cl", unread.c_str(), 0},
          {"loop.cl", loop.c_str(), 1},
          {"writes.cl", writes.c_str(), 0}});
}

// Several turns of a counter that each block raises once in each: every block has come when it is as large as that.
TEST(Conditions, TurnsOfACounter) {
  const auto kernel = [](const std::string& who, const std::string& first, const std::string& second,
                         const std::string& between = "") {
    const auto turn = [&](const std::string& wait) {
      return " __syncthreads(); if (" + who + ") { __threadfence(); atomicAdd(c, 1u); " + wait +
             " __threadfence(); } __syncthreads(); ";
    };
    return "__global__ void k(int *p, int *q, int *o, unsigned *c, int n) { int t = threadIdx.x, g = blockIdx.x;"
           " p[g * 64 + t] = t;" +
           turn(first) + "q[g * 64 + t] = p[(g * 64 + t + 64) % 256]; " + between + turn(second) +
           "o[g * 64 + t] = q[(g * 64 + t + 64) % 256]; }";
  };
  const auto until = [](const std::string& n) { return "while (*(volatile unsigned *)c < " + n + ");"; };
  const std::string once = kernel("t == 0", until("4u"), until("8u")),
                    twice = kernel("t < 2", until("4u"), until("8u")),
                    early = kernel("t == 0", until("3u"), until("8u")),
                    again = kernel("t == 0", until("4u"), until("7u")),
                    same = kernel("t == 0", until("4u"), until("4u")), no_wait = kernel("t == 0", "", until("8u")),
                    back = kernel("t == 0", until("4u"), until("8u"), "if (t == 0 && n == 3) *c = 0;"),
                    more = kernel("t == 0", until("4u"), until("8u"), "if (t == 1 && n == 3) atomicAdd(c, 1u);");
  decide({{"once.cu", once.c_str(), 0}});
  if (!clangfe::available()) return;
  for (const std::string& text : {twice, early, again, same, no_wait, back, more})
    EXPECT_NE(exit_code("k.cu", text, {"--blockDim=64", "--gridDim=4", "--no-attack"}), 0) << text;
  EXPECT_NE(exit_code("k.cu", once, {"--blockDim=64", "--gridDim=*", "--no-attack"}), 0);
  EXPECT_NE(exit_code("k.cu", once, {"--blockDim=64", "--gridDim=5", "--no-attack"}), 0);
}

// Two halves in turn: a barrier that all pass in each iteration orders those that do not follow each other, too.
TEST(Conditions, BarriersOfEveryIterationOrderTwoHalves) {
  const auto kernel = [](const std::string& barrier) {
    return "__device__ __noinline__ void all() { __syncwarp(0xffffffffu); }\n"
           "__device__ __noinline__ void some(unsigned m) { if (m & 1) __syncwarp(); }\n"
           "__global__ void k(int *o, int n, unsigned m) { __shared__ int s[2][32]; int t = threadIdx.x;"
           " for (int i = 0; i < n; i++) { s[i & 1][t] = i; " +
           barrier + " o[t] += s[i & 1][31 - t]; } }";
  };
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  const std::vector<std::string> warp{"--blockDim=32", "--gridDim=1", "--no-attack"},
      two{"--blockDim=64", "--gridDim=1", "--no-attack"};
  for (const char* barrier : {"__syncwarp();", "__syncwarp(0xffffffffu);", "all();", "__syncthreads();"})
    EXPECT_EQ(exit_code("k.cu", kernel(barrier), warp), 0) << barrier;
  for (const char* barrier : {"", "__syncwarp(0xffffu);", "__syncwarp(m);", "some(m);", "if (i & 1) __syncwarp();",
                              "__threadfence_block();", "if (t < 31) __syncwarp(0x7fffffffu);"})
    EXPECT_NE(exit_code("k.cu", kernel(barrier), warp), 0) << barrier;
  for (const char* barrier : {"__syncwarp();", "all();"})
    EXPECT_NE(exit_code("k.cu", kernel(barrier), two), 0) << barrier;
}

// A flag that is also written plainly is a race at the flag itself, whatever the message brings.
TEST(Conditions, FlagsAreRacedFor) {
  const auto kernel = [](const std::string& first) {
    return "#include <cuda/atomic>\n__global__ void k(unsigned *f, int *d, int *o) {"
           " cuda::atomic_ref<unsigned, cuda::thread_scope_device> r(*f); if (threadIdx.x == 0) {"
           " if (blockIdx.x == 0) { " +
           first +
           " d[0] = 42; r.store(1, cuda::memory_order_release); } else if (blockIdx.x == 1) {"
           " if (r.load(cuda::memory_order_acquire) == 1) o[0] = d[0]; } } }";
  };
  const std::string raced = kernel("*f = 3;"), fine = kernel("");
  decide({{"raced.cu", raced.c_str(), 1, "race on f"}, {"fine.cu", fine.c_str(), 0}});
}

// What a place in a table says matters where the table is indexed by what changes from iteration to iteration.
TEST(Conditions, IndexesOfTablesMatter) {
  const auto kernel = [](const std::string& second, const std::string& next) {
    return "__global__ void k(int *o, int n) { int t = threadIdx.x, b[2], j = 0; b[0] = t; b[1] = " + second +
           "; for (int i = 0; i < n; i++) { o[b[j]] = i; j = " + next + "; } }";
  };
  const std::string fine = kernel("t + 64", "1 - j"), meets = kernel("t + 63", "1 - j");
  const std::vector<std::string> one{"--gridDim=1"};
  decide({{"fine.cu", fine.c_str(), 0, "", one}, {"meets.cu", meets.c_str(), 1, "", one}});
}

// A volatile place may hold another value for each thread, though no thread writes there.
TEST(Conditions, VolatilePlacesAreNotUniform) {
  const auto kernel = [](const std::string& of, const std::string& next) {
    return "__global__ void k(" + of +
           "int *v, int *o) { __shared__ int s[64]; int t = threadIdx.x, n = 0, m = 0;"
           " for (int i = 0; i < 9; i++) { __syncthreads(); if (t == (n & 63)) s[0] = t; " +
           next + " } }";
  };
  const std::string fine = kernel("const ", "n += *v;"), sum = kernel("volatile ", "n += *v;"),
                    later = kernel("volatile ", "n += m; m = *v;");
  decide({{"fine.cu", fine.c_str(), 0}, {"sum.cu", sum.c_str(), 1}, {"later.cu", later.c_str(), 1}});
}

// What comes with a message was written before it was seen: an own store is not what is there any more.
TEST(Conditions, MessagesBringWhatOthersWrote) {
  const auto kernel = [](const std::string& seen) {
    return "__global__ void k(int *flag, int *o) { __shared__ int s; int t = threadIdx.x, g = blockIdx.x;\n"
           "if (t == 0) { s = 1; __threadfence(); atomicExch(flag + 2 * g, 1);\n"
           "if (atomicAdd(flag + 2 * g + 1, 0) == 1) { __threadfence(); " +
           seen +
           " } }\n"
           "else if (t == 1) { if (atomicAdd(flag + 2 * g, 0) == 1) { __threadfence(); s = 2; __threadfence(); "
           "atomicExch(flag + 2 * g + 1, 1); } } }";
  };
  const std::string race = kernel("if (s != 1) o[0] = g;"), claim = kernel("__assert(s == 1);");
  decide({{"race.cu", race.c_str(), 1}, {"claim.cu", claim.c_str(), 1}});
}

// Functions that call each other are no less recursive than those that call themselves.
TEST(Conditions, FunctionsThatCallEachOtherAreRecursive) {
  const std::string text =
      "__device__ __noinline__ int f(int n);\n"
      "__device__ __noinline__ int g(int n) { return n < 1 ? 0 : f(n - 1) + 1; }\n"
      "__device__ __noinline__ int h(int n) { return n < 1 ? 0 : g(n - 1) + 1; }\n"
      "__device__ __noinline__ int f(int n) { return n < 2 ? 0 : h(n - 2) + 2; }\n"
      "__global__ void k(int *o) { o[blockIdx.x * 64 + threadIdx.x] = f(5); }\n";
  decide({{"k.cu", text.c_str(), 3, "recursion"}});
}

// Where a proof says that the kernel ends by itself, an answer in JSON says so.
TEST(Conditions, LoopsThatEndByThemselves) {
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  const auto ends = [](const std::string& loop, const std::string& before = "") {
    std::string said;
    EXPECT_EQ(exit_code("k.cu",
                        before + "__global__ void k(int *o, int n) { int s = 0; " + loop +
                            " o[blockIdx.x * 64 + threadIdx.x] = s; }",
                        {"--blockDim=64", "--gridDim=4", "--json"}, &said),
              0)
        << loop << said;
    return said.find("\"ends\": true") != std::string::npos;
  };
  for (const char* loop : {"",
                           "for (int i = 0; i < n; i++) s += i;",
                           "for (int i = 0; i != n; i++) s += i;",
                           "for (int i = n; i > 0; i--) s += i;",
                           "for (int i = 0; i < n; i += 3) s += i;",
                           "for (int i = n; i >= 0; i -= 3) s += i;",
                           "for (unsigned i = 0; i < 100u; i += 3) s += i;",
                           "for (unsigned i = n; i != 0; i >>= 1) s += i;",
                           "for (long i = 0; i < n; i++) s += i;",
                           "for (unsigned i = n; i >= 4u; i -= 4u) s += i;",
                           "int i = 0; do s += i; while (++i < n);",
                           "for (unsigned i = 0; i < 0xfffffffcu; i += 3) s += i;",
                           "for (unsigned i = n; i != 0u; i--) s += i;",
                           "for (int i = 0; !(i >= n); i++) s += i;",
                           "for (unsigned i = n; i > 0u; i >>= 1) s += i;",
                           "for (unsigned i = n; 0u < i; i >>= 1) s += i;",
                           "for (unsigned long i = 0; i < 100ul; i += 3) s += i;",
                           "for (int i = 0; i <= n; i += 3) s += i;",
                           "for (unsigned i = 0; i <= 100u; i += 3) s += i;",
                           "for (int i = 0; n >= i; i++) s += i;",
                           "for (int i = 0; i < n; i = (int)((unsigned)i + 1u)) s += i;",
                           "for (int i = 0; i > n; i = (int)((unsigned)i - 1u)) s += i;",
                           "for (int i = 0; n < i; i = (int)((unsigned)i - 1u)) s += i;",
                           "s = f(n);"})
    EXPECT_TRUE(ends(loop,
                     "__device__ __noinline__ int f(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; "
                     "return s; }\n"))
        << loop;
  for (const char* loop : {"for (unsigned i = 0; i <= (unsigned)n; i++) s += i;",
                           "for (unsigned i = 0; i <= (unsigned)n; i += 2) s += i;",
                           "for (int i = n; i != 0; i >>= 1) s += i;",
                           "for (unsigned i = 0; i < 0xfffffffeu; i += 3) s += i;",
                           "while (s * s != n) s += n;",
                           "for (unsigned i = n; i >= 1u; i >>= 1) s += i;",
                           "for (unsigned i = n; i > 1u; i >>= 1) s += i;",
                           "for (unsigned i = n; i > (unsigned)(n * n); i >>= 1) s += i;",
                           "for (unsigned i = n; i != 3u; i >>= 1) s += i;",
                           "for (unsigned i = n; i != (unsigned)(n * n); i >>= 1) s += i;",
                           "for (unsigned i = n; i == 5u; i++) s += i;",
                           "for (unsigned i = n; i < 4u; i--) s += i;",
                           "for (unsigned i = n; i >= 3u; i -= 4u) s += i;",
                           "for (int i = 0;; i++) { if (s & 1) continue; if (i >= n) break; s += n; }",
                           "for (unsigned long i = 0; i < 0xfffffffffffffffeul; i += 3) s += i;",
                           "for (int i = 0; i <= n; i = (int)((unsigned)i + 1u)) s += i;",
                           "for (int i = 0; i >= n; i = (int)((unsigned)i - 1u)) s += i;",
                           "for (int i = 0; n >= i; i = (int)((unsigned)i + 1u)) s += i;",
                           "for (int i = 0; i < n; i = (int)((unsigned)i + 3u)) s += i;",
                           "s = f(n);"})
    EXPECT_FALSE(
        ends(loop, "__device__ __noinline__ int f(int n) { int s = 0; while (s * s != n) s += n; return s; }\n"))
        << loop;
}

// A loop that lanes leave one by one is an error at the shuffle in it, once.
TEST(Conditions, ALoopIsLeftTogetherWhereLanesExchangeInIt) {
  const std::string text =
      "__global__ void k(int *o, int *in) { int s = 1; for (int i = 0; i < in[threadIdx.x]; i++)"
      " s += __shfl_sync(~0u, s, 1);\n o[blockIdx.x * 64 + threadIdx.x] = s; }";
  decide({{"k.cu", text.c_str(), 1, "0 verified, 1 error"}});
}

// What a function without a body may read is not ordered behind the last ticket: it is a race, as its contract says.
TEST(Conditions, ContractsAreNotOrderedByTickets) {
  const std::string text =
      "__device__ int f(const int *p);\n"
      "__global__ void k(int *part, int *out, unsigned *count) { __shared__ bool last; int t = threadIdx.x;\n"
      "part[blockIdx.x * 64 + t] = t; __threadfence(); __syncthreads(); if (t == 0) last = atomicInc(count, 3) == 3;\n"
      "__syncthreads(); if (last) { __threadfence(); __reads_from(part); out[t] = f(part); } }\n";
  decide({{"k.cu", text.c_str(), 1, "race on part", {"--profile=gpuverify"}}});
}

}  // namespace
}  // namespace fencepost::verifier

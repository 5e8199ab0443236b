// What a kernel's text must and must not get past the verifier: each rule from both sides.
#include <gtest/gtest.h>

#include "clangfe/clangfe.h"
#include "verifier/service.h"

namespace fencepost::verifier {
namespace {

class Precision : public testing::Test {
 protected:
  void SetUp() override {
    if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  }
  // 0 verified, 1 a defect.
  int opencl(const std::string& body, std::vector<std::string> more = {}, const std::string& before = "") {
    more.insert(more.begin(), {"--local_size=32", "--num_groups=4"});
    return ask(more, before + "__kernel void k(__global int *a, __global int *b, int n) {\n" + body + "\n}\n", "k.cl");
  }
  int cuda(const std::string& body, std::vector<std::string> more = {}, const std::string& before = "") {
    more.insert(more.begin(), {"--blockDim=32", "--gridDim=1"});
    return ask(more, before + "__global__ void k(int *a, int *b, int n) {\n" + body + "\n}\n", "k.cu");
  }
  std::string said;

 private:
  int ask(const std::vector<std::string>& words, const std::string& text, const std::string& name) {
    const auto o = launch::parse(words, nullptr, nullptr, 2);
    EXPECT_TRUE(o) << (o ? "" : render(o.error()));
    const auto r = answer(*o, make_source(name, text));
    said = r.out + r.err;
    return r.exit_code;
  }
};

TEST_F(Precision, functions_of_a_table_that_the_host_fills) {
  const std::string table =
      "typedef int (*F)(int);\n__device__ int twice(int x) { return x + x; }\n__device__ int same(int x) { return x; "
      "}\n"
      "__device__ F table[2];\n";
  const std::string filled = "__requires(table[0] == twice); __requires(table[1] == same);";
  const std::string call = "a[threadIdx.x] = table[n](threadIdx.x);";
  EXPECT_EQ(cuda(filled + "__requires(n == 0 | n == 1);" + call, {}, table), 0) << said;
  // Nothing is known of the table, or of an index behind its end.
  EXPECT_EQ(cuda("__requires(n == 0 | n == 1);" + call + "F f = twice; b[threadIdx.x] = f(1);", {}, table), 3);
  EXPECT_EQ(cuda(filled + "__requires(n == 0 | n == 2);" + call, {}, table), 1);
  // What the functions do counts.
  EXPECT_EQ(cuda("__requires(table[0] == put); table[0](threadIdx.x);", {},
                 "typedef int (*F)(int);\n__device__ int cell;\n__device__ int put(int x) { cell = x; return x; }\n"
                 "__device__ F table[2];\n"),
            1);
}

// Right kernels that rest on values which the proof does not follow: not decided, by name, and no race.
TEST_F(Precision, values_that_are_not_followed_are_named) {
  const std::string groups = "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n";
  const auto named = [&](const std::string& what) { return said.find(what) != std::string::npos; };
  const std::string lanes = "whether what lanes of a warp give each other keeps k.cu:";
  const std::vector<std::pair<std::string, std::string>> exchanged{
      {"auto g = cg::tiled_partition<16>(cg::this_thread_block()); int w = 0; if (g.thread_rank() == 0)"
       " w = atomicAdd(b, 16); w = g.shfl(w, 0); a[w + g.thread_rank()] = threadIdx.x;",
       groups}};
  for (const auto& [body, before] : exchanged) {
    EXPECT_EQ(cuda(body, {}, before), 3) << body << said;
    EXPECT_TRUE(named(lanes)) << said;
  }
  // What a leader of the warp hands out, and a word of one lane, are followed.
  EXPECT_EQ(cuda("cg::coalesced_group g = cg::coalesced_threads(); int w; if (g.thread_rank() == 0) w = atomicAdd(b, "
                 "g.size()); a[g.thread_rank() + g.shfl(w, 0)] = threadIdx.x;",
                 {}, groups),
            0)
      << said;
  EXPECT_EQ(
      cuda("int lane = threadIdx.x, w = 0; bool p = b[1 + lane] > 0; unsigned m = __ballot_sync(~0u, p); if (lane =="
           " 0) w = atomicAdd(b, __popc(m)); w = __shfl_sync(~0u, w, 0);"
           "if (p) a[w + __popc(m & ((1u << lane) - 1))] = lane;"),
      0)
      << said;
  EXPECT_EQ(cuda("int v = __shfl_sync(~0u, b[threadIdx.x], 0); if (v) { if (threadIdx.x == 20) a[0] = 7; } else if"
                 " (threadIdx.x == 1) a[0] = 5;"),
            0)
      << said;
  const std::string take = "__shared__ int s; if (threadIdx.x == 0) s = atomicAdd(b, 1); __syncthreads();",
                    reset = "if (threadIdx.x == 0 && s == gridDim.x - 1) atomicExch(b, 0);",
                    use = "a[32 * s + threadIdx.x] = blockIdx.x;";
  EXPECT_EQ(cuda(take + use, {"--gridDim=4"}), 0) << said;
  EXPECT_EQ(cuda(take + reset + use, {"--gridDim=4"}), 3) << said;
  EXPECT_TRUE(named("whether the tickets of 'b' keep k.cu:")) << said;
  // What rests on none of them is a race as before, and what a run shows is one in any case.
  EXPECT_EQ(cuda("__shfl_sync(~0u, n, 0); a[b[threadIdx.x] & 7] = threadIdx.x;"), 1) << said;
  EXPECT_EQ(cuda("a[__shfl_sync(~0u, n, 0)] = threadIdx.x;"), 1) << said;
  EXPECT_TRUE(named("k.cu: error: possible write-write race")) << said;
  EXPECT_TRUE(named("0 verified, 1 error\n")) << said;
}

TEST_F(Precision, a_race_that_no_run_shows_is_no_error) {
  const std::string rare = "if (b[0] == 123456 && b[1] == 7654321 && b[2] == 987) a[0] = threadIdx.x;";
  EXPECT_EQ(cuda(rare), 1) << said;
  EXPECT_NE(said.find("k.cu: possible write-write race on a[0], which no run shows:"), std::string::npos) << said;
  EXPECT_NE(said.find("0 verified, 0 errors, 1 possible race, not confirmed\n"), std::string::npos) << said;
  EXPECT_EQ(said.find(" error:"), std::string::npos) << said;
  // The level of a result in SARIF is that of its exit status.
  cuda(rare, {"--format=sarif"});
  EXPECT_NE(said.find("\"level\": \"error\""), std::string::npos) << said;
  EXPECT_EQ(said.find("\"level\": \"warning\""), std::string::npos) << said;
}

TEST_F(Precision, all_store_one_element_that_all_have_read) {
  const std::string fill = "__local int s[32]; s[get_local_id(0)] = b[get_local_id(0)]; ";
  const std::string meet = "barrier(CLK_LOCAL_MEM_FENCE); ";
  const std::vector<std::string> one{"--only-intra-group"};
  EXPECT_EQ(opencl(fill + meet + "a[0] = s[5];", one), 0) << said;
  EXPECT_EQ(opencl(fill + meet + "a[0] = s[5] + s[n & 31];", one), 0) << said;
  // The read races, the element is another one for other threads, or changes between the reads.
  EXPECT_EQ(opencl(fill + "a[0] = s[5];", one), 1);
  EXPECT_EQ(opencl(fill + meet + "a[0] = s[get_local_id(0) & 1];", one), 1);
  EXPECT_EQ(opencl(fill + meet + "a[0] = s[5]; s[5] = 1;", one), 1);
  EXPECT_EQ(opencl(fill + meet + "int x = s[5];" + meet + "if (get_local_id(0) == 5) s[5] = 7;" + meet +
                       "a[0] = get_local_id(0) < 16 ? x : s[5];",
                   one),
            1);
  // Runs of a copy that overlap do not do so by intent.
  EXPECT_EQ(opencl("for (int i = 0; i < 2; i++) a[get_local_id(0) + i] = b[get_local_id(0) + i];", one), 1);
  // Of different groups: the array is one for each.
  EXPECT_EQ(opencl(fill + meet + "a[0] = s[5];"), 1);
}

TEST_F(Precision, the_first_iteration_sees_what_was_before_the_loop) {
  const std::string head = "__local int s; s = n; for (int i = 0; i < 4; i++) { int x = s; ";
  const std::string meet = "barrier(CLK_LOCAL_MEM_FENCE); ";
  EXPECT_EQ(opencl(head + "a[get_global_id(0)] = x; " + meet + "}"), 0) << said;
  // The last iteration changes it, or the value is not the same for all.
  EXPECT_EQ(opencl(head + "a[get_global_id(0)] = x; if (i == 0) s = n + 1; " + meet + "}"), 1);
  EXPECT_EQ(opencl("__local int s; s = get_local_id(0); for (int i = 0; i < 4; i++) { a[get_global_id(0)] = s; " +
                   meet + "}"),
            1);
  EXPECT_EQ(opencl(head + meet + " if (get_local_id(0) == 0) s = 5; " + meet + "__assert(x == n); }"), 1);
}

TEST_F(Precision, a_warp_keeps_access_sets_from_loop_to_loop) {
  const auto kernel = [](int second) {
    const std::string own = "__global_invariant(__write_implies(a, __write_offset_bytes(a) / 4 % 32 == threadIdx.x)), ";
    return "for (int i = 0; i < 8; i++) a[32 * i + threadIdx.x] = i; for (int i = 0; " + own +
           "i < 8; i++) a[32 * i + " + std::to_string(second) + " + threadIdx.x] += 1;";
  };
  for (const char* method : {"resync", "two-pass"}) {
    const std::vector<std::string> words{"--warp-sync=32", std::string("--warp-method=") + method};
    EXPECT_EQ(cuda(kernel(0), words), 0) << method << said;
    EXPECT_EQ(cuda(kernel(1), words), 1) << method;
  }
}

// Counters of a loop that the other thread does not enter say nothing about it: they may come round there.
TEST_F(Precision, who_does_not_enter_a_loop_has_no_count_in_it) {
  const auto kernel = [](int other) {
    return "int j = threadIdx.x << 26; if (threadIdx.x < 16) for (int i = 0; i < 4; i++) { a[100 + i] = 1; j += 1 << "
           "28; }"
           "else if (threadIdx.x == 31) a[" +
           std::to_string(other) + "] = 2; b[threadIdx.x] = j;";
  };
  for (const char* method : {"auto", "resync", "two-pass"}) {
    const std::vector<std::string> words{"--warp-sync=32", std::string("--warp-method=") + method};
    EXPECT_EQ(cuda(kernel(102), words), 1) << method;
    EXPECT_EQ(cuda(kernel(104), words), 0) << method << said;
  }
}

TEST_F(Precision, what_a_warp_executes_in_common_orders_its_accesses) {
  const std::string head = "__shared__ int s[32]; int t = threadIdx.x; ";
  for (const char* method : {"resync", "two-pass"}) {
    const std::vector<std::string> words{"--warp-sync=32", std::string("--warp-method=") + method};
    EXPECT_EQ(cuda(head + "if (t & 1) s[t / 2] = 1; if (!(t & 1)) s[t / 2] = 2;", words), 0) << method << said;
    EXPECT_EQ(cuda(head + "if (t & 1) s[t / 2] = 1; else s[t / 2] = 2;", words), 1) << method;
    EXPECT_EQ(cuda(head + "if (t & 1) { s[t / 2] = 1; if (n) a[t] = 1; s[t / 2] = 3; } else s[t / 2] = 2;", words), 1)
        << method;
    // From one round of a loop to the next, past a loop without a barrier.
    const std::string rounds =
        "for (int i = 0; i < n; i++) { for (int j = t; j < 32; j += 16) s[j] = i; __syncthreads();"
        "for (int j = t; j < 1; j++) a[i] = s[";
    EXPECT_EQ(cuda(head + rounds + "t + 1]; }", words), 0) << method << said;
  }
  // Threads of other warps are not.
  EXPECT_EQ(cuda("__shared__ int s[64]; int t = threadIdx.x; if (t < 32) s[t] = 1; if (t >= 32) s[t - 32] = 2;",
                 {"--blockDim=64", "--warp-sync=32"}),
            1);
  // Two iterations of a loop that each thread goes through for itself.
  EXPECT_EQ(cuda(head + "for (int i = 0; i < t; i++) s[i] = t;", {"--warp-sync=32"}), 1);
}

TEST_F(Precision, shared_variables_may_be_called_variables_of_the_device) {
  EXPECT_EQ(cuda("__device__ __shared__ int s[32]; s[threadIdx.x] = n; a[threadIdx.x] = s[threadIdx.x];"), 0) << said;
  EXPECT_EQ(cuda("__shared__  __device__ int s[32]; s[threadIdx.x / 2] = threadIdx.x;"), 1);
}

TEST_F(Precision, ghosts_are_what_an_array_was) {
  const auto kernel = [&](const std::string& between, const std::string& end) {
    return opencl(
        "__local int s[32]; __local int g[32]; int t = get_local_id(0); s[t] = b[get_global_id(0)]; "
        "__array_snapshot(g, s);" +
        between + "__barrier_invariant_1(" + end + ", get_local_id(0)); barrier(CLK_LOCAL_MEM_FENCE); __assert(" + end +
        ");");
  };
  EXPECT_EQ(kernel("s[t] += 5;", "s[get_local_id(0)] == g[get_local_id(0)] + 5"), 0) << said;
  EXPECT_EQ(kernel("s[t] += 5;", "s[get_local_id(0)] == g[get_local_id(0)] + 4"), 1);
  // Of an element that another thread may have changed, nothing is the same for all.
  EXPECT_EQ(kernel("s[t] += 5;", "g[get_local_id(0)] == g[get_local_id(0) ^ 1]"), 1);
  EXPECT_EQ(
      opencl("__local int s[32]; __local int g[32]; int t = get_local_id(0); __array_snapshot(g, s); s[t] = t + 1;"
             "__barrier_invariant_1(s[get_local_id(0)] == get_local_id(0) + 1 & g[0] == g[get_local_id(0)] + g[0] - "
             "g[get_local_id(0)], 3);"
             "barrier(CLK_LOCAL_MEM_FENCE); __assert(s[3] == 4);"),
      1);
}

TEST_F(Precision, barrier_invariants_about_pairs_know_what_both_have_written) {
  const std::string apart = "s[get_local_id(0)] != s[__other_int(get_local_id(0))]";
  const auto kernel = [&](const std::string& write, const std::string& invariant, const std::string& then) {
    return opencl("__local int s[64]; int t = get_local_id(0); " + write + " __barrier_invariant_binary_1(" +
                  invariant + ", get_local_id(0), __other_int(get_local_id(0))); barrier(CLK_LOCAL_MEM_FENCE); " +
                  then);
  };
  const std::string say = "__assert(__implies(__same_group, " + apart + "));";
  EXPECT_EQ(kernel("s[t] = 3 * t;", apart, say), 0) << said;
  EXPECT_EQ(kernel("s[t] = t / 2;", apart, say), 1);
  EXPECT_EQ(kernel("if (t > 0) s[t] = t;", apart, say), 1);
  EXPECT_EQ(kernel("s[t] = t;", apart, "s[t] = 7;" + say), 1);
  // A third thread writes what the two speak of.
  EXPECT_EQ(kernel("s[(t + 1) & 31] = t;", apart, ""), 1);
  EXPECT_EQ(kernel("s[t + 32] = t;",
                   "s[get_local_id(0) + 32] != s[__other_int(get_local_id(0)) + 32] & "
                   "s[__other_int(get_local_id(0) ^ 1) + 32] == s[__other_int(get_local_id(0) ^ 1) + 32]",
                   ""),
            1);
  const auto loop = [&](const std::string& step) {
    return opencl(
        "__local int s[32]; int t = get_local_id(0); s[t] = t; for (int i = 0; __invariant(__implies(__same_group, " +
        apart + ")), i < n; i++) { __barrier_invariant_binary_1(" + apart +
        ", get_local_id(0), __other_int(get_local_id(0))); barrier(CLK_LOCAL_MEM_FENCE); " + step + " }");
  };
  EXPECT_EQ(loop("s[t] += 3;"), 0) << said;
  // Twice a signed number is no other one's double, unless it overflows, which C leaves undefined; unsigned ones wrap.
  EXPECT_EQ(loop("s[t] *= 2;"), 0) << said;
  EXPECT_EQ(loop("s[t] = (int)(2u * (uint)s[t]);"), 1);
  EXPECT_EQ(loop("s[t] -= t;"), 1);
}

// A loop in which each thread is on its own: what an invariant about two says of one's own elements is known there.
TEST_F(Precision, invariants_about_pairs_know_what_each_has_written) {
  const auto loop = [&](const std::string& own) {
    return opencl("__local int s[32]; int t = get_local_id(0); s[t] = t; for (int i = 0; __invariant(" + own +
                      " & __other_int(t) != t), i < n; i++) { s[t] = s[t]; a[s[t]] = i; }",
                  {"--num_groups=1"});
  };
  EXPECT_EQ(loop("s[t] == t"), 0) << said;
  EXPECT_NE(loop("s[t] >= 0"), 0) << said;
}

// An invariant that stands behind a barrier reads nothing in front of it.
TEST_F(Precision, invariants_behind_a_barrier) {
  const auto loop = [&](const std::string& meet) {
    return opencl(
        "__local int s[32]; int t = get_local_id(0), i = 0; s[t] = t; do { barrier(CLK_LOCAL_MEM_FENCE);"
        "int v = s[31 - t]; __invariant(i >= 0); " +
        meet + " a[get_global_id(0)] = v; s[t] = i++; } while (i < n);");
  };
  EXPECT_EQ(loop("barrier(CLK_LOCAL_MEM_FENCE);"), 0) << said;
  EXPECT_EQ(loop(""), 1) << said;
}

TEST_F(Precision, a_signed_number_that_is_halved) {
  const auto kernel = [&](const std::string& by) {
    return opencl(
        "__local int s[64]; int t = get_local_id(0); int o = 1; for (int d = 16; d > 0; d >>= 1) o *= 2;"
        "for (int d = 1; d < 32; d *= 2) { o /= " +
        by + "; barrier(CLK_LOCAL_MEM_FENCE); if (t < d) s[o * t] = t; }");
  };
  EXPECT_EQ(kernel("2"), 0) << said;
  EXPECT_EQ(kernel("4"), 1);
}

TEST_F(Precision, k_induction) {
  const auto turn = [&](const char* depth, const char* between = "") {
    return opencl(std::string("int x = 1, y = 2, z = 3; for (int i = 0; __invariant(x != y), i < n; i++) { int t = x; "
                              "x = y; y = z; z = t; ") +
                      between + "} __assert(x != y);",
                  {"--no-infer", std::string("--k-induction-depth=") + depth});
  };
  EXPECT_EQ(turn("1"), 1);
  EXPECT_EQ(turn("2"), 1);
  EXPECT_EQ(turn("3"), 0) << said;
  EXPECT_EQ(turn("5"), 0) << said;
  // Not true at all: after three iterations, after twenty.
  EXPECT_EQ(turn("3", "if (i == 2) x = y;"), 1);
  EXPECT_EQ(turn("4", "if (i == 20) x = y;"), 1);
  // False at the start alone: the first iterations are looked at too.
  EXPECT_EQ(opencl("int x = 0; for (int i = 0; __invariant(x != 1), i < n; i++) x = x == 0 ? 1 : 5;",
                   {"--no-infer", "--k-induction-depth=3"}),
            1);
}

TEST_F(Precision, threads_that_have_left_a_loop) {
  const auto both = [&](const std::string& invariant) {
    return opencl("for (int i = get_local_id(0); __invariant(" + invariant + "), i < 20; i++) {}", {"--num_groups=1"});
  };
  EXPECT_EQ(both("__implies(__enabled() & __other_bool(__enabled()), i != __other_int(i))"), 0) << said;
  // One that is still in the loop may come to where another left it.
  EXPECT_EQ(both("i != __other_int(i)"), 1);
  EXPECT_EQ(both("__implies(__enabled() & __other_bool(__enabled()), i + 1 != __other_int(i))"), 1);
  const auto left = [&](const std::string& invariant) {
    return opencl("int x = 0; while (__global_invariant(" + invariant +
                  "), __invariant(x <= get_local_id(0)), x < (int)get_local_id(0)) x++;");
  };
  EXPECT_EQ(left("__implies(!__enabled(), x == get_local_id(0))"), 0) << said;
  EXPECT_EQ(left("__implies(!__enabled(), x == 0)"), 1);
  EXPECT_EQ(left("__implies(__enabled(), x == 0)"), 1);
  // What is assumed of a thread and another one is known of each in its own iteration.
  const auto assumed = [&](const std::string& what) {
    return opencl("int t = get_local_id(0); for (int i = 0; i < t; i++) { __assume(" + what +
                  " & __other_int(t) != t); if (i >= 5) a[0] = t; }");
  };
  EXPECT_EQ(assumed("i < 5"), 0) << said;
  EXPECT_EQ(assumed("i < 6"), 1) << said;
}

TEST_F(Precision, masks_of_the_threads_that_are_here) {
  const std::string early = "if (threadIdx.x >= n) return; unsigned m = __activemask(); ";
  EXPECT_EQ(cuda(early + "a[threadIdx.x] = __shfl_down_sync(m, b[threadIdx.x], 1);"), 0) << said;
  EXPECT_EQ(cuda(early + "__syncwarp(m); a[threadIdx.x] = __ballot_sync(m, b[threadIdx.x] > 0);"), 0) << said;
  // Some that the mask names go another way, on to what is behind; or they end there.
  const std::string some = "if (threadIdx.x > 3) a[threadIdx.x] = __shfl_down_sync(m, b[threadIdx.x], 1);";
  EXPECT_EQ(cuda(early + some + "a[threadIdx.x] += 1;"), 1) << said;
  EXPECT_EQ(cuda(early + some), 0) << said;
  // Who is here is not known: no one else need be.
  EXPECT_EQ(cuda("__shared__ int s[32]; s[threadIdx.x] = n; unsigned m = __activemask(); __syncwarp(m);"
                 "a[threadIdx.x] = s[31 - threadIdx.x];"),
            1)
      << said;
}

TEST_F(Precision, buffers_that_change_places_in_each_iteration) {
  const auto kernel = [&](const std::string& begin, const std::string& between, const std::string& end) {
    return cuda(
        "__shared__ int p[34], q[34], r[34]; int t = threadIdx.x, *from = p, *to = q, *x; p[t] = n; q[t] = n; "
        "r[t] = n; __syncthreads(); " +
        begin + " for (int k = 0; k < n; k++) { to[t + 1] = from[t] + from[t + 2]; " + between + " " + end +
        " } a[threadIdx.x] = from[t + 1];");
  };
  const std::string swap = "x = from; from = to; to = x;";
  EXPECT_EQ(kernel("", "__syncthreads();", swap), 0) << said;
  EXPECT_EQ(kernel("int *other = r;", "__syncthreads();", "x = from; from = to; to = other; other = x;"), 0) << said;
  // Numbers too: which of three rows is written.
  const auto rows = [&](const std::string& between) {
    return cuda(
        "__shared__ int s[3][33]; int t = threadIdx.x, i = 0, j = 1, k = 2; for (int m = 0; m < n; m++) { "
        "s[i][t] = s[j][t + 1];" +
        between + "int x = i; i = j; j = k; k = x; }");
  };
  EXPECT_EQ(rows("__syncthreads();"), 0) << said;
  EXPECT_EQ(rows(""), 1);
  EXPECT_NE(kernel("", "", swap), 0);                                               // no barrier
  EXPECT_NE(kernel("to = p;", "__syncthreads();", swap), 0);                        // one buffer
  EXPECT_NE(kernel("", "__syncthreads();", "from = to;"), 0);                       // no change of places
  EXPECT_NE(kernel("", "__syncthreads();", "if (n > k + 3) { " + swap + " }"), 0);  // not in each iteration
  EXPECT_NE(kernel("int *other = p;", "__syncthreads();", "x = from; from = to; to = other; other = x;"), 0);
}

}  // namespace
}  // namespace fencepost::verifier

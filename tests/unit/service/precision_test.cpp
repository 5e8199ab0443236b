// What a kernel's text must and must not get past the verifier: each rule from both sides.
#include <gtest/gtest.h>

#include "clangfe/clangfe.h"
#include "service/service.h"

namespace fencepost::service {
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
    const auto o = launch::parse(words);
    EXPECT_TRUE(o) << (o ? "" : render(o.error()));
    const auto r = answer(*o, make_source(name, text));
    said = r.out + r.err;
    return r.exit_code;
  }
};

TEST_F(Precision, functions_of_a_table_that_the_host_fills) {
  const std::string table =
      "typedef int (*F)(int);\n__device__ int twice(int x) { return x + x; }\n__device__ int same(int x) { return x; }\n"
      "__device__ F table[2];\n";
  const std::string filled = "__requires(table[0] == twice); __requires(table[1] == same);";
  const std::string call = "a[threadIdx.x] = table[n](threadIdx.x);";
  EXPECT_EQ(cuda(filled + "__requires(n == 0 | n == 1);" + call, {}, table), 0) << said;
  // Nothing is known of the table, or of an index behind its end.
  EXPECT_EQ(cuda("__requires(n == 0 | n == 1);" + call + "F f = twice; b[threadIdx.x] = f(1);", {}, table), 1);
  EXPECT_EQ(cuda(filled + "__requires(n == 0 | n == 2);" + call, {}, table), 1);
  // What the functions do counts.
  EXPECT_EQ(cuda("__requires(table[0] == put); table[0](threadIdx.x);", {},
                 "typedef int (*F)(int);\n__device__ int cell;\n__device__ int put(int x) { cell = x; return x; }\n"
                 "__device__ F table[2];\n"),
            1);
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
  EXPECT_EQ(opencl("__local int s; s = get_local_id(0); for (int i = 0; i < 4; i++) { a[get_global_id(0)] = s; " + meet + "}"), 1);
  EXPECT_EQ(opencl(head + meet + " if (get_local_id(0) == 0) s = 5; " + meet + "__assert(x == n); }"), 1);
}

TEST_F(Precision, a_warp_keeps_access_sets_from_loop_to_loop) {
  const auto kernel = [](int second) {
    const std::string own = "__global_invariant(__write_implies(a, __write_offset_bytes(a) / 4 % 32 == threadIdx.x)), ";
    return "for (int i = 0; i < 8; i++) a[32 * i + threadIdx.x] = i; for (int i = 0; " + own + "i < 8; i++) a[32 * i + " +
           std::to_string(second) + " + threadIdx.x] += 1;";
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
    return "int j = threadIdx.x << 26; if (threadIdx.x < 16) for (int i = 0; i < 4; i++) { a[100 + i] = 1; j += 1 << 28; }"
           "if (threadIdx.x == 31) a[" + std::to_string(other) + "] = 2; b[threadIdx.x] = j;";
  };
  for (const char* method : {"auto", "resync", "two-pass"}) {
    const std::vector<std::string> words{"--warp-sync=32", std::string("--warp-method=") + method};
    EXPECT_EQ(cuda(kernel(102), words), 1) << method;
    EXPECT_EQ(cuda(kernel(104), words), 0) << method << said;
  }
}

TEST_F(Precision, k_induction) {
  const auto turn = [&](const char* depth, const char* between = "") {
    return opencl(std::string("int x = 1, y = 2, z = 3; for (int i = 0; __invariant(x != y), i < n; i++) { int t = x; x = y; y = z; z = t; ") +
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
    return opencl("int x = 0; while (__global_invariant(" + invariant + "), __invariant(x <= get_local_id(0)), x < (int)get_local_id(0)) x++;");
  };
  EXPECT_EQ(left("__implies(!__enabled(), x == get_local_id(0))"), 0) << said;
  EXPECT_EQ(left("__implies(!__enabled(), x == 0)"), 1);
  EXPECT_EQ(left("__implies(__enabled(), x == 0)"), 1);
}

}  // namespace
}  // namespace fencepost::service

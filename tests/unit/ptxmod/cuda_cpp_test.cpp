// CUDA C++: what is refused, by name and line, and names and inputs of the source. Verdicts of whole kernels:
// tests/corpus/cuda-cpp/expected.csv, examples/cuda/expected.csv.
#include "ptxmod/cuda_cpp.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <map>

#include "base/kernel_library.h"
#include "prog/test.h"
#include "prog/weaken.h"

namespace {

using namespace fencepost;

class CudaCpp : public testing::Test {
 protected:
  void SetUp() override {
    if (!kernel_library()) GTEST_SKIP() << "this build has no kernel library";
  }
  static Expected<prog::Test> read(const std::string& text, const spirv::LaunchOptions& options = {}) {
    return ptxmod::parse_cuda_cpp(make_source("k.cu", text), options);
  }
  static std::string said(const std::string& text, const spirv::LaunchOptions& options = {}) {
    const auto t = read(text, options);
    EXPECT_FALSE(t.has_value()) << text;
    return t ? "" : render(t.error());
  }
  static void says(const std::string& text, const std::string& what, const std::string& where = "k.cu:3:") {
    const std::string all = said(text);
    EXPECT_NE(all.find(what), std::string::npos) << all;
    EXPECT_NE(all.find(where), std::string::npos) << all;
  }
  static std::string kernel(const std::string& statement, const std::string& parameters = "int* r") {
    return "#include <cuda/atomic>\n__global__ void k(" + parameters + ") {\n  " + statement + "\n}\n";
  }
};

TEST_F(CudaCpp, AnIncludeThatIsNotFoundIsAnAssumption) {
  const std::string text = kernel("r[threadIdx.x] = 1;");
  const auto whole = read(text), less = read("#include \"no/such.h\"\n" + text);
  ASSERT_TRUE(whole && less);
  EXPECT_EQ(fmt::format("{}", fmt::join(whole->assumptions, "; ")).find("not found"), std::string::npos);
  const auto host = read("#include <strings.h>\n" + text);
  ASSERT_TRUE(host);
  EXPECT_EQ(host->assumptions, whole->assumptions);
  ASSERT_FALSE(less->assumptions.empty());
  EXPECT_EQ(less->assumptions.back(),
            "what the kernel uses is defined in none of the files that were not found (no/such.h)");
}

TEST_F(CudaCpp, WhatIsNotModelledIsNamedWithItsLine) {
  says("\n\n__global__ void __cluster_dims__(2, 1, 1) k(int* r) { r[0] = 1; }\n", "unsupported: __cluster_dims__");
  says("\n\n__global__ void __block_size__((32, 1, 1), (2, 1, 1)) k(int* r) { r[0] = 1; }\n",
       "unsupported: __block_size__");
  for (const char* attribute : {"__attribute__((cluster_dims(2, 1, 1)))", "__attribute__((cluster_dims(2)))",
                                "[[gnu::cluster_dims(2, 1, 1)]]", "[[clang::cluster_dims(2, 1, 1)]]"})
    says(std::string("\n\n") + attribute + " __global__ void k(int* r) { r[0] = 1; }\n",
         "unsupported: the attribute 'cluster_dims'");
  says(kernel("asm volatile(\"membar.gl;\");"), "unsupported: the inline assembly 'membar.gl;'");
  says(kernel("r[0] = __shfl_sync(n, r[0], 1);", "int* r, unsigned n"), "a mask of lanes that is computed");
  says(kernel("r[0] = __shfl_sync(~0u, r[0], 1, n);", "int* r, int n"), "a shuffle whose width is computed");
  // What all lanes read at one place may change between them; so may what floating point arithmetic comes to.
  for (const char* decides : {"r[1] == 0", "atomicAdd(r, 1) == 0", "*(volatile int*)r", "f * 2 > 1", "(int)f == 2"}) {
    spirv::LaunchOptions two;
    two.grid = spirv::Grid{2, 1, {1, 1, 1}, 1, 1};
    const std::string all =
        said(kernel(fmt::format("if ({}) r[2] = __shfl_sync(~0u, r[0], 1);", decides), "int* r, float f"), two);
    EXPECT_NE(all.find("__shfl_sync: memory decides which lanes"), std::string::npos) << decides << all;
  }
  says(kernel("r[0] = __shfl_sync(~0u, r[0], 1, 3);"), "a shuffle of width 3");
  says(kernel("r[0] = __match_any_sync(~0u, 1.5f);"), "__match_any_sync of floating point numbers");
  says(kernel("r[0] = __syncthreads_count(r[0]);"), "unsupported: __syncthreads_count");
  says(kernel("cuda::atomic_ref<int, cuda::thread_scope_thread>(*r).store(1);"), "cuda::thread_scope_thread");
  says(kernel("cuda::atomic_ref<int>(*r).load(cuda::memory_order_release);"), "an atomic load that releases");
  says(kernel("cuda::atomic_ref<int>(*r).store(1, cuda::memory_order_acquire);"), "an atomic store that acquires");
  says(kernel("cuda::atomic_ref<int>(*r).store(1, (cuda::memory_order)n);", "int* r, int n"),
       "a memory order that is not constant");
  says(kernel("__syncwarp(n);", "int* r, unsigned n"), "a mask of __syncwarp that is computed");
  says(kernel("f();", "int* r, void (*f)()"), "a call through a pointer");
  says(kernel("r[0] = **p;", "int* r, int** p"), "memory that holds addresses is not read");
  says(kernel("atomicAdd((int*)p, atomicAdd(p, 1ull) == 0);", "unsigned long long* p"), "pieces of 32 bits");
  says(kernel("cuda::atomic_ref<bool>(*r).store(true);", "bool* r"), "an atomic of type bool");
}

// An attribute that clang does not know refuses what reaches it, wherever it stands, and nothing else.
// Wherever clang puts the way to the end: behind a statement, behind the end of a variable's life, in a callee.
TEST_F(CudaCpp, AThreadThatMemoryEndsBeforeABarrierIsRefused) {
  spirv::LaunchOptions two;
  two.grid = spirv::Grid{.subgroup = 1, .subgroups = 2};
  const auto kernel_with = [](const std::string& middle) {
    return "__device__ bool most(int v) { return v >= 1; }\n__global__ void k(int* o, int n) {\n  __shared__ int "
           "s[4];\n"
           "  s[threadIdx.x] = threadIdx.x;\n  __syncthreads();\n  " +
           middle + "\n  __syncthreads();\n  *o = blockIdx.x;\n}\n";
  };
  for (const char* middle :
       {"if (s[threadIdx.x] >= 1) return;", "int v = s[threadIdx.x]; if (v >= 1) return;",
        "if (s[threadIdx.x] >= 1) { s[3] = 7; return; }", "if (most(s[threadIdx.x])) { int w = n; o[1] = w; return; }",
        "if (s[0] >= 1) { if (s[1] >= 2) { o[2] = 1; return; } o[3] = 1; }",
        "switch (s[1]) { case 1: o[1] = 1; return; }"})
    EXPECT_NE(said(kernel_with(middle), two).find("memory decides whether this thread ends before a barrier"),
              std::string::npos)
        << middle;
  // The number of the thread decides, or nobody ends, or what ends is the launch.
  for (const char* middle :
       {"if (threadIdx.x >= 1) { s[3] = 7; return; }", "if (s[threadIdx.x] >= 1) s[3] = 7;",
        "if (s[threadIdx.x] >= 9) __trap();", "if (s[threadIdx.x] >= 1) { __syncthreads(); return; }"}) {
    const auto t = read(kernel_with(middle), two);
    EXPECT_TRUE(t.has_value()) << middle << (t ? "" : render(t.error()));
  }
  // A loop is left by all together, which is said.
  const auto loop = read(kernel_with("while (true) { if (s[threadIdx.x] == 7) return; __syncthreads(); }"), two);
  ASSERT_TRUE(loop) << render(loop.error());
  EXPECT_NE(fmt::format("{}", fmt::join(loop->assumptions, "; ")).find("no thread ends, or leaves a loop"),
            std::string::npos);
}

TEST_F(CudaCpp, UnknownAttributesRefuseWhatReachesThem) {
  const std::string text =
      "__global__ void first(int* d) { d[threadIdx.x] = 1; }\n"
      "__attribute__((a1)) __global__ void before(int* d) { d[threadIdx.x] = 1; }\n"
      "[[x::a2]] __global__ void declared(int* d);\n"
      "__global__ void declared(int* d) { d[threadIdx.x] = 1; }\n"
      "__global__ void behind(int* d) __attribute__((a8));\n"
      "__global__ void behind(int* d) { d[threadIdx.x] = 1; }\n"
      "struct [[x::a3]] S { int x; };\n"
      "__global__ void uses(S* d) { d[threadIdx.x].x = 1; }\n"
      "namespace n { __device__ int g(int x) { return x; } [[x::a4]] __device__ int h(int x) { return x; } }\n"
      "__global__ void calls(int* d) { d[threadIdx.x] = n::h(1); }\n"
      "__global__ void calls_other(int* d) { d[threadIdx.x] = n::g(1); }\n"
      "template <class T> [[x::a5]] __device__ T t(T x) { return x; }\n"
      "__global__ void instance(int* d) { d[threadIdx.x] = t(1); }\n"
      "__global__ void within(int* d) { [[x::a6]] int v = 1; d[threadIdx.x] = v; }\n"
      "__device__ [[x::a7]] int table[4];\n"
      "__global__ void reads(int* d) { d[threadIdx.x] = table[0]; }\n"
      "__global__ void last(int* d) { d[threadIdx.x] = 1; }\n";
  spirv::LaunchOptions options;
  for (const auto& [entry, attribute] : std::map<std::string, std::string>{{"before", "a1"},
                                                                           {"declared", "a2"},
                                                                           {"behind", "a8"},
                                                                           {"uses", "a3"},
                                                                           {"calls", "a4"},
                                                                           {"instance", "a5"},
                                                                           {"within", "a6"},
                                                                           {"reads", "a7"}}) {
    options.entry = entry;
    EXPECT_NE(said(text, options).find("unsupported: the attribute '" + attribute + "'"), std::string::npos) << entry;
  }
  for (const char* entry : {"first", "calls_other", "last"}) {
    options.entry = entry;
    const auto t = read(text, options);
    EXPECT_TRUE(t.has_value()) << entry << (t ? "" : render(t.error()));
  }
}

TEST_F(CudaCpp, LaunchesThatTheKernelDoesNotAllow) {
  const auto launched = [](const std::string& grid) {
    return said("// @Config: " + grid + "\n__global__ void __launch_bounds__(4) k(int* r) { r[0] = 1; }\n");
  };
  EXPECT_NE(launched("8, 1, 1").find("blocks of 8 threads, and the kernel allows 4 (__launch_bounds__)"),
            std::string::npos);
  EXPECT_NE(launched("33, 1, 1").find("a warp of 33 threads"), std::string::npos);
  EXPECT_NE(launched("2, 1, 1, 2").find("CUDA and PTX have no queue families"), std::string::npos);
  // The most blocks of a cluster say nothing of blocks that are no clusters.
  EXPECT_TRUE(read("__global__ void __launch_bounds__(4, 1, 2) k(int* r) { r[threadIdx.x] = 1; }\n"));
  EXPECT_TRUE(read("// @Config: 2, 2, 1\n__global__ void __launch_bounds__(4) k(int* r) { r[threadIdx.x] = 1; }\n"));
}

TEST_F(CudaCpp, ClangsErrorsComeAtTheirLines) {
  const std::string all = said(kernel("r[0] = nothing;"));
  EXPECT_NE(all.find("k.cu:3:10: error: use of undeclared identifier 'nothing'"), std::string::npos) << all;
}

TEST_F(CudaCpp, OneKernelIsChosen) {
  const std::string two = "__global__ void a(int* r) { *r = 1; }\n__global__ void b(int* r) { *r = 2; }\n";
  EXPECT_NE(said(two).find("this file has 2 kernels: a, b"), std::string::npos);
  spirv::LaunchOptions options;
  options.entry = "c";
  EXPECT_NE(said(two, options).find("there is no kernel 'c'"), std::string::npos);
  options.entry = "b";
  const auto b = read(two, options);
  ASSERT_TRUE(b.has_value());
  EXPECT_EQ(b->title, "b");
}

TEST_F(CudaCpp, InputsAndQuestionsHaveTheTypesOfTheSource) {
  const std::string with =
      "struct S { short a; unsigned char b[2]; int* p; };\n__global__ void k(S* s, int n) {\n  s->a = n;\n}\n";
  const auto say = [&](const std::string& header) { return said("// " + header + "\n" + with); };
  EXPECT_NE(say("@Input: s = 5").find("this has several elements"), std::string::npos);
  EXPECT_NE(say("@Input: s = {{70000}}").find("the input of a 'short', which has no number 70000"), std::string::npos);
  EXPECT_NE(say("@Input: s = {{40000}}").find("the input of a 'short', which has no number 40000"), std::string::npos);
  EXPECT_NE(say("@Input: s = {{1, {-1}}}").find("the input of a 'unsigned char', which has no number -1"),
            std::string::npos);
  EXPECT_TRUE(read("// @Input: s = {{-32768, {255, 0}}}, n = 0xffffffff\n" + with));
  EXPECT_NE(say("@Input: s = {{1, {1, 2, 3}}}").find("this has 2 elements, and the input 3"), std::string::npos);
  EXPECT_NE(say("@Input: s = {{1, {1, 2}, 3}}").find("this is an address"), std::string::npos);
  EXPECT_NE(say("@Input: n = {1}").find("this is one number"), std::string::npos);
  EXPECT_NE(say("@Output: forall (s.a == 40000)").find("compared with 'short', which has no number 40000"),
            std::string::npos);
  EXPECT_NE(say("@Output: forall (s[0].b[1] == -1)").find("compared with 'unsigned char', which has no number -1"),
            std::string::npos);
  EXPECT_NE(said("// @Input: b = {2}\n__global__ void k(bool* b) { b[0] = b[1]; }\n")
                .find("the input of a 'bool', which has no number 2"),
            std::string::npos);
  EXPECT_NE(said("// @Output: forall (b[0] == 2)\n__global__ void k(bool* b) { b[0] = b[1]; }\n")
                .find("compared with 'bool', which has no number 2"),
            std::string::npos);
  EXPECT_NE(say("@Output: forall (n == 1)").find("no memory"), std::string::npos);
  EXPECT_NE(say("@Output: forall (s.p == 1)").find("holds addresses"), std::string::npos);
  EXPECT_NE(say("@Output: forall (s[0][1] == 1)").find("has several elements"), std::string::npos);
  EXPECT_NE(say("@Output: forall (s[0][7] == 1)").find("ends before this element"), std::string::npos);
  EXPECT_TRUE(
      read("// @Input: s = {{1, {1, 255}}}, n = -3\n// @Output: forall (s.a == -3 and s.b[1] == 255)\n" + with));
}

// Members of libcu++ and functions of CUDA have steps, plain and volatile accesses have none.
TEST_F(CudaCpp, OrdersAndScopesCanBeWeakened) {
  const auto t = read(
      kernel("cuda::atomic_ref<int> a(r[0]); a.fetch_add(1); a.store(2, cuda::memory_order_relaxed); __threadfence(); "
             "atomicAdd_block(r, 1); *(volatile int*)r = 1; *r = 2;"));
  ASSERT_TRUE(t.has_value()) << render(t.error());
  const auto sites = prog::weakening_sites(*t, {});
  ASSERT_EQ(sites.size(), 3u);
}

}  // namespace

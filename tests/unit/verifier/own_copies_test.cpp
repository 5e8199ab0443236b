// Asynchronous copies of one thread, and barriers of some threads of a block: each kernel that is right stands beside
// weakened ones, which must not be verified.
#include <gtest/gtest.h>

#include "clangfe/clangfe.h"
#include "verifier/service.h"

namespace fencepost::verifier {
namespace {

struct Change {
  const char *what, *by;
};

int exit_code(const std::string& text, const std::string& block, std::string& said) {
  const auto o = launch::parse({"--blockDim=" + block, "--gridDim=4"});
  EXPECT_TRUE(o);
  const launch::Answer a = answer(*o, make_source("k.cu", text));
  said = a.out + a.err;
  return a.exit_code;
}

// The kernel is verified; each change of it is not.
void only(const std::string& text, const std::vector<Change>& changes, const std::string& block = "64") {
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  std::string said;
  EXPECT_EQ(exit_code(text, block, said), 0) << text << "\n" << said;
  for (const Change& c : changes) {
    std::string weaker = text;
    const size_t at = weaker.find(c.what);
    ASSERT_NE(at, std::string::npos) << c.what;
    weaker.replace(at, std::string(c.what).size(), c.by);
    const int code = exit_code(weaker, block, said);
    EXPECT_TRUE(code == 1 || code == 3) << code << " " << weaker << "\n" << said;
  }
}

const char* const k_wait = "asm volatile(\"cp.async.wait_group 0;\");";

TEST(OwnCopies, last_until_their_group_is_waited_for) {
  only(
      "__global__ void k(const float *g, float *o) { __shared__ float s[2][64]; int t = threadIdx.x;"
      "unsigned a = (unsigned)__cvta_generic_to_shared(&s[0][t]);"
      "asm volatile(\"cp.async.ca.shared.global [%0], [%1], 4;\" :: \"r\"(a), \"l\"(g + t));"
      "asm volatile(\"cp.async.commit_group;\"); asm volatile(\"cp.async.wait_group 0;\"); __syncthreads();"
      "o[blockIdx.x * 64 + t] = s[0][63 - t]; }",
      {{k_wait, ""},
       {"asm volatile(\"cp.async.commit_group;\");", ""},
       {"wait_group 0", "wait_group 1"},
       {"__syncthreads();", ""},
       {"asm volatile(\"cp.async.wait_group 0;\"); __syncthreads();",
        "__syncthreads(); asm volatile(\"cp.async.wait_group 0;\");"},
       {"&s[0][t]", "&s[0][t / 2]"}});
  // The thread's own accesses need no barrier, but the wait.
  only(
      "__global__ void k(const float *g, float *o) { __shared__ float s[64]; int t = threadIdx.x;"
      "unsigned a = (unsigned)__cvta_generic_to_shared(&s[t]);"
      "asm volatile(\"cp.async.ca.shared.global [%0], [%1], 4;\" :: \"r\"(a), \"l\"(g + t));"
      "asm volatile(\"cp.async.wait_all;\"); o[blockIdx.x * 64 + t] = s[t]; }",
      {{"asm volatile(\"cp.async.wait_all;\");", ""}});
}

// What only some threads have waited for without committing it is in no group for the others.
TEST(OwnCopies, that_are_in_no_group) {
  only(
      "__global__ void k(const float *g, float *o, int n) { __shared__ float s[64]; int t = threadIdx.x;"
      "unsigned a = (unsigned)__cvta_generic_to_shared(&s[t]);"
      "asm volatile(\"cp.async.ca.shared.global [%0], [%1], 4;\" :: \"r\"(a), \"l\"(g + t));"
      "if (n) asm volatile(\"cp.async.wait_all;\"); asm volatile(\"cp.async.commit_group;\");"
      "asm volatile(\"cp.async.wait_group 0;\"); __syncthreads(); o[blockIdx.x * 64 + t] = s[63 - t]; }",
      {{"asm volatile(\"cp.async.commit_group;\");", ""}, {"wait_group 0", "wait_group 1"}});
}

TEST(OwnCopies, of_several_groups) {
  only(
      "__global__ void k(const float *g, float *o) { __shared__ float s[2][64]; int t = threadIdx.x;"
      "unsigned a = (unsigned)__cvta_generic_to_shared(&s[0][t]);"
      "asm volatile(\"cp.async.ca.shared.global [%0], [%1], 4;\" :: \"r\"(a), \"l\"(g + t));"
      "asm volatile(\"cp.async.commit_group;\");"
      "asm volatile(\"cp.async.ca.shared.global [%0], [%1], 4;\" :: \"r\"(a + 256), \"l\"(g + 64 + t));"
      "asm volatile(\"cp.async.commit_group;\"); asm volatile(\"cp.async.wait_group 1;\"); __syncthreads();"
      "float x = s[0][63 - t]; asm volatile(\"cp.async.wait_group 0;\"); __syncthreads();"
      "o[blockIdx.x * 64 + t] = s[1][63 - t] + x; }",
      {{"x = s[0]", "x = s[1]"}, {"wait_group 0", "wait_group 1"}, {"a + 256", "a"}, {"wait_group 1", "wait_group 2"}});
}

TEST(OwnCopies, in_loops) {
  only(
      "#include <cuda_pipeline.h>\n__global__ void k(const float *g, float *o) { __shared__ float s[256];"
      "int t = threadIdx.x; for (int i = t; i < 256; i += 64) __pipeline_memcpy_async(&s[i], &g[i], 4);"
      "__pipeline_commit(); __pipeline_wait_prior(0); __syncthreads(); o[blockIdx.x * 64 + t] = s[255 - t]; }",
      {{"i += 64", "i += 32"}, {"__pipeline_wait_prior(0);", ""}, {"__pipeline_commit();", ""}});
  only(
      "#include <cuda_pipeline.h>\n__global__ void k(const float *g, float *o, int n) { __shared__ float s[64];"
      "int t = threadIdx.x; float x = 0; for (int i = 0; i < n; i++) {"
      "__pipeline_memcpy_async(&s[t], &g[i * 64 + t], 4); __pipeline_commit(); __pipeline_wait_prior(0);"
      "__syncthreads(); x += s[63 - t]; __syncthreads(); } o[blockIdx.x * 64 + t] = x; }",
      {{"x += s[63 - t]; __syncthreads();", "x += s[63 - t];"},
       {"__pipeline_wait_prior(0);__syncthreads();", "__syncthreads(); __pipeline_wait_prior(0);"},
       {"__pipeline_wait_prior(0)", "__pipeline_wait_prior(1)"}});
}

// A copy is under way while the next tile is used: the wait leaves the latest groups, and buffers are used in turn.
TEST(OwnCopies, that_last_beyond_an_iteration) {
  const std::string head =
      "#include <cuda_pipeline.h>\n__global__ void k(const float *g, float *o, int n) { int t = threadIdx.x; float x = "
      "0;";
  const std::string copy = "__pipeline_memcpy_async(&s[";
  // The last round waits for all.
  only(head +
           "__shared__ float s[2][64]; __pipeline_memcpy_async(&s[0][t], &g[t], 4); __pipeline_commit();"
           "for (int i = 0; i < n; i++) { if (i + 1 < n) {"
           "__pipeline_memcpy_async(&s[(i + 1) & 1][t], &g[(i + 1) * 64 + t], 4); __pipeline_commit();"
           "__pipeline_wait_prior(1); } else __pipeline_wait_prior(0); __syncthreads();"
           "x += s[i & 1][63 - t]; __syncthreads(); } o[blockIdx.x * 64 + t] = x; }",
       {{"__pipeline_wait_prior(1)", "__pipeline_wait_prior(2)"},
        {"__pipeline_wait_prior(1);", ""},
        {"else __pipeline_wait_prior(0);", ""},
        {"else __pipeline_wait_prior(0);", "else __pipeline_wait_prior(1);"},
        {"__syncthreads();x", "x"},
        {"x += s[i & 1][63 - t]; __syncthreads();", "x += s[i & 1][63 - t];"},
        {"x += s[i & 1]", "x += s[(i + 1) & 1]"},
        {"s[(i + 1) & 1][t], &g", "s[i & 1][t], &g"},
        {"&g[(i + 1) * 64 + t], 4); __pipeline_commit();", "&g[(i + 1) * 64 + t], 4);"},
        {"&g[t], 4); __pipeline_commit();", "&g[t], 4);"},
        {"else __pipeline_wait_prior(0); __syncthreads();", "__syncthreads();"}});
  // Each round commits, an empty group in the end.
  only(head +
           "__shared__ float s[2][64]; __pipeline_memcpy_async(&s[0][t], &g[t], 4); __pipeline_commit();"
           "for (int i = 0; i < n; i++) { if (i + 1 < n) "
           "__pipeline_memcpy_async(&s[(i + 1) & 1][t], &g[(i + 1) * 64 + t], 4); __pipeline_commit();"
           "__pipeline_wait_prior(1); __syncthreads();"
           "x += s[i & 1][63 - t]; __syncthreads(); } o[blockIdx.x * 64 + t] = x; }",
       {{"__pipeline_wait_prior(1)", "__pipeline_wait_prior(2)"},
        {"4); __pipeline_commit();__pipeline_wait_prior(1);", "4); __pipeline_wait_prior(1); __pipeline_commit();"},
        {"x += s[i & 1][63 - t]; __syncthreads();", "x += s[i & 1][63 - t];"},
        {"x += s[i & 1]", "x += s[(i + 1) & 1]"},
        {"&g[t], 4); __pipeline_commit();", "&g[t], 4);"},
        {"[i & 1][63 - t]; __syncthreads(); }", "[i & 1][63 - t]; __syncthreads(); } x += s[n & 1][63 - t];"}});
  // The buffer is turned by a variable.
  only(head +
           "__shared__ float s[2][64]; int b = 0; __pipeline_memcpy_async(&s[0][t], &g[t], 4); __pipeline_commit();"
           "for (int i = 0; i < n; i++) { "
           "__pipeline_memcpy_async(&s[b ^ 1][t], &g[(i + 1) * 64 + t], 4); __pipeline_commit();"
           "__pipeline_wait_prior(1); __syncthreads();"
           "x += s[b][63 - t]; __syncthreads(); b ^= 1; } o[blockIdx.x * 64 + t] = x; }",
       {{"b ^= 1;", ""},
        {"__pipeline_wait_prior(1)", "__pipeline_wait_prior(2)"},
        {"s[b][63 - t]; __syncthreads();", "s[b][63 - t];"}});
  // One barrier: the copy of a round goes to the buffer that the round before has used.
  only(head +
           "__shared__ float s[2][64]; __pipeline_memcpy_async(&s[0][t], &g[t], 4); __pipeline_commit();"
           "for (int i = 0; i < n; i++) { __pipeline_wait_prior(0); __syncthreads();"
           "__pipeline_memcpy_async(&s[(i + 1) & 1][t], &g[(i + 1) * 64 + t], 4); __pipeline_commit();"
           "x += s[i & 1][63 - t]; } o[blockIdx.x * 64 + t] = x; }",
       {{"__pipeline_wait_prior(0); __syncthreads();", "__syncthreads(); __pipeline_wait_prior(0);"},
        {"__pipeline_wait_prior(0)", "__pipeline_wait_prior(1)"},
        {"&s[(i + 1) & 1][t], &g[(i + 1)", "&s[i & 1][t], &g[(i + 1)"},
        {"__pipeline_wait_prior(0);", ""},
        {"x += s[i & 1][63 - t]; }", "x += s[i & 1][63 - t]; } x += s[n & 1][t];"}});
}

// Four stages, three copies ahead; the first ones are started in a loop of their own.
TEST(OwnCopies, of_several_stages) {
  only(
      "#include <cuda_pipeline.h>\n__global__ void k(const float *g, float *o, int n) { int t = threadIdx.x; float x = "
      "0;"
      "__shared__ float s[4][64]; for (int j = 0; j < 3; j++) {"
      "__pipeline_memcpy_async(&s[j][t], &g[j * 64 + t], 4); __pipeline_commit(); }"
      "for (int i = 0; i < n; i++) { __pipeline_wait_prior(2); __syncthreads(); x += s[i & 3][63 - t];"
      "if (i + 3 < n) __pipeline_memcpy_async(&s[(i + 3) & 3][t], &g[(i + 3) * 64 + t], 4); __pipeline_commit(); }"
      "o[blockIdx.x * 64 + t] = x; }",
      {{"__pipeline_wait_prior(2)", "__pipeline_wait_prior(3)"},
       {"&s[(i + 3) & 3]", "&s[(i + 4) & 3]"},
       {"__pipeline_wait_prior(2); __syncthreads();", "__syncthreads(); __pipeline_wait_prior(2);"},
       {"j < 3", "j < 2"},
       {"64 + t], 4); __pipeline_commit(); }o", "64 + t], 4); }o"},
       {"x += s[i & 3]", "x += s[(i + 1) & 3]"}});
}

TEST(OwnCopies, of_a_pipeline) {
  only(
      "#include <cuda/pipeline>\n__global__ void k(const float *g, float *o) { __shared__ float s[64];"
      "auto p = cuda::make_pipeline(); int t = threadIdx.x; p.producer_acquire();"
      "cuda::memcpy_async(&s[t], &g[t], 4, p); p.producer_commit(); p.consumer_wait(); __syncthreads();"
      "o[blockIdx.x * 64 + t] = s[63 - t]; p.consumer_release(); }",
      {{"p.consumer_wait();", ""},
       {"__syncthreads();", ""},
       {"p.consumer_wait(); __syncthreads();", "__syncthreads(); p.consumer_wait();"},
       {"&s[t]", "&s[t / 2]"},
       {"p.producer_commit();", ""}});
}

// A lock is given back, and lanes go on, while a copy is under way.
TEST(OwnCopies, are_protected_by_no_lock_and_no_lock_step) {
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  const auto locked = [](const std::string& access) {
    return "__global__ void k(const float *g, float *o, int *l) { __shared__ float s[1];"
           "while (atomicCAS(&l[blockIdx.x], 0, 1) != 0); __threadfence();" +
           access + " __threadfence(); atomicExch(&l[blockIdx.x], 0); }";
  };
  const std::string copy =
      "asm volatile(\"cp.async.ca.shared.global [%0], [%1], 4;\" :: "
      "\"r\"((unsigned)__cvta_generic_to_shared(&s[0])), \"l\"(g + threadIdx.x));";
  std::string said;
  EXPECT_EQ(exit_code(locked("s[0] = g[threadIdx.x];"), "64", said), 0) << said;
  EXPECT_EQ(exit_code(locked(copy), "64", said), 1) << said;
  const auto verdict = [&](const std::vector<std::string>& words, const char* name, const std::string& text) {
    const auto o = launch::parse(words);
    EXPECT_TRUE(o);
    const launch::Answer a = answer(*o, make_source(name, text));
    said = a.out + a.err;
    return a.exit_code;
  };
  const auto stepped = [](const std::string& access) {
    return "__global__ void k(const float *g, float *o) { __shared__ float s[32]; int t = threadIdx.x;" + access +
           " o[blockIdx.x * 32 + t] = s[31 - t]; asm volatile(\"cp.async.wait_all;\"); }";
  };
  const std::vector<std::string> warp{"--blockDim=32", "--gridDim=4", "--warp-sync=32"};
  EXPECT_EQ(verdict(warp, "k.cu", stepped("s[t] = g[t];")), 0) << said;
  EXPECT_EQ(verdict(warp, "k.cu",
                    stepped("asm volatile(\"cp.async.ca.shared.global [%0], [%1], 4;\" :: "
                            "\"r\"((unsigned)__cvta_generic_to_shared(&s[t])), \"l\"(g + t));")),
            1)
      << said;
  // Copies of a group.
  const auto groups = [](const std::string& access) {
    return "kernel void k(global float *a, volatile global int *l) { local float s[4]; s[0] = 1;"
           "while (atomic_cmpxchg(l, 0, 1) != 0); mem_fence(CLK_GLOBAL_MEM_FENCE);" +
           access + "mem_fence(CLK_GLOBAL_MEM_FENCE); atomic_xchg(l, 0); }";
  };
  const std::vector<std::string> one{"--local_size=1", "--num_groups=8"};
  EXPECT_NE(verdict(one, "k.cl", groups("event_t e = async_work_group_copy(a, s, 1, 0);")), 0) << said;
  const auto rows = [](const std::string& access) {
    return "kernel void k(global const float *g, global float *o) { local float s[32]; int t = get_local_id(0);" +
           access + " o[get_global_id(0)] = s[31 - t]; }";
  };
  const std::vector<std::string> step{"--local_size=32", "--num_groups=4", "--warp-sync=32"};
  EXPECT_EQ(verdict(step, "k.cl", rows("s[t] = g[t];")), 0) << said;
  EXPECT_NE(verdict(step, "k.cl", rows("event_t e = async_work_group_copy(s, g, 32, 0);")), 0) << said;
}

TEST(NamedBarriers, producers_arrive_and_consumers_wait) {
  const std::string text =
      "__global__ void k(float *o) { __shared__ float s[32]; int t = threadIdx.x;"
      "if (t < 32) { s[t] = t; asm volatile(\"bar.arrive 1, 64;\"); }"
      "else { asm volatile(\"bar.sync 1, 64;\"); o[blockIdx.x * 32 + t - 32] = s[63 - t]; } }";
  only(text, {{"bar.sync 1", "bar.arrive 1"},
              {"bar.sync 1", "bar.sync 2"},
              {"bar.sync 1, 64", "bar.sync 1, 32"},
              {"s[t] = t; asm volatile(\"bar.arrive 1, 64;\");", "asm volatile(\"bar.arrive 1, 64;\"); s[t] = t;"},
              {"asm volatile(\"bar.sync 1, 64;\"); o[blockIdx.x * 32 + t - 32] = s[63 - t];",
               "o[blockIdx.x * 32 + t - 32] = s[63 - t]; asm volatile(\"bar.sync 1, 64;\");"},
              {"t < 32", "t < 33"},
              {"t < 32", "t < 16"},
              {"s[t] = t;", "s[t] = t; asm volatile(\"bar.arrive 1, 64;\");"}});
}

TEST(NamedBarriers, in_turns) {
  only(
      "__global__ void k(float *o) { __shared__ float s[32]; int t = threadIdx.x;"
      "if (t < 32) { s[t] = t; asm volatile(\"bar.arrive 1, 64;\"); asm volatile(\"bar.sync 2, 64;\"); s[t] = 2 * t;"
      "asm volatile(\"bar.arrive 3, 64;\"); } else { asm volatile(\"bar.sync 1, 64;\"); float x = s[63 - t];"
      "asm volatile(\"bar.arrive 2, 64;\"); asm volatile(\"bar.sync 3, 64;\");"
      "o[blockIdx.x * 32 + t - 32] = s[63 - t] + x; } }",
      {{"bar.sync 2", "bar.arrive 2"},
       {"asm volatile(\"bar.arrive 2, 64;\"); asm", "asm"},
       {"bar.sync 3", "bar.sync 4"},
       {"bar.arrive 3", "bar.arrive 1"}});
  only(
      "__global__ void k(float *o) { __shared__ float s[64]; int t = threadIdx.x; if (t < 64) { s[t] = t;"
      "asm volatile(\"bar.sync 1, 64;\"); o[blockIdx.x * 64 + t] = s[63 - t]; } }",
      {{"s[63 - t]; }", "s[63 - t]; } else s[t - 64] = 1;"}, {"t < 64", "t < 60"}, {"1, 64", "1, 128"}}, "128");
}

// Tiles of which all warps write the same value race in nothing; what a product gives is any value.
TEST(Tiles, that_are_filled) {
  only(
      "#include <mma.h>\nusing namespace nvcuda; __global__ void k(const half *a, float *c) {"
      "wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;"
      "wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;"
      "wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc; wmma::load_matrix_sync(fa, a, 16);"
      "wmma::load_matrix_sync(fb, a, 16); wmma::fill_fragment(fc, 0.f);"
      "wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major); }",
      {{"wmma::store", "wmma::mma_sync(fc, fa, fb, fc); wmma::store"},
       {"0.f", "(float)blockIdx.x"},
       {"wmma::store", "fc.x[0] = threadIdx.x; wmma::store"}});
}

}  // namespace
}  // namespace fencepost::verifier

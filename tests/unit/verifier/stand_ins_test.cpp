// What the stand-in headers promise of library functions, and what a run may say against a proof that assumes.
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

TEST(StandIns, StorageOfABlockPrimitiveIsTheWholeOfIt) {
  const auto kernel = [](const std::string& before, const std::string& after) {
    return "#include <cub/cub.cuh>\n__global__ void k(int *o) { typedef cub::BlockReduce<int, 128> R;"
           "__shared__ union { typename R::TempStorage t; int s[128]; } u; u.s[threadIdx.x] = threadIdx.x; int v = 1;" +
           before + "int r = R(u.t).Sum(v);" + after + "if (threadIdx.x == 0) o[blockIdx.x] = r; }";
  };
  const std::vector<std::string> launch{"--blockDim=128", "--gridDim=2"};
  decide({{"apart.cu", launch, kernel("__syncthreads();", ""), 0},
          {"before.cu", launch, kernel("", ""), 1},
          {"after.cu", launch, kernel("__syncthreads();", "u.s[threadIdx.x] = 2;"), 1}});
}

TEST(StandIns, MatrixFunctionsAreForWholeWarps) {
  const auto kernel = [](const std::string& when) {
    return "#include <mma.h>\nusing namespace nvcuda;\n__global__ void k(float *o) { "
           "wmma::fragment<wmma::accumulator, 16, 16, 16, float> f; wmma::fill_fragment(f, 0.0f);" +
           when + " wmma::store_matrix_sync(o + 256 * blockIdx.x, f, 16, wmma::mem_row_major); }";
  };
  const std::vector<std::string> launch{"--blockDim=32", "--gridDim=2"};
  decide({{"warp.cu", launch, kernel(""), 0}, {"half.cu", launch, kernel("if (threadIdx.x < 16)"), 1}});
}

// The loop runs five times, so that the counter wraps; that it does not is only assumed, and a run shows that it does.
TEST(StandIns, AnAssumptionThatARunContradictsIsARace) {
  decide({{"wraps.cu",
           {"--blockDim=16", "--gridDim=1"},
           "__global__ void k(int *o, unsigned *c) { int i = 0; "
           "do { o[atomicAdd(c, 1u << 26)] = threadIdx.x; } while (i++ < 4); }",
           1}});
}

// Each warp has a storage of its own; one for all of them, or a second use without a warp barrier, is a race.
TEST(StandIns, StorageOfAWarpPrimitiveIsForOneWarp) {
  const auto kernel = [](const std::string& type, const std::string& at, const std::string& between) {
    return "#include <cub/cub.cuh>\n__global__ void k(int *o) { typedef cub::" + type +
           " R; __shared__ typename R::TempStorage t[4]; int v = 1, w = 1; " + at + " R(t[n]).InclusiveSum(v, v);" +
           between +
           "R(t[n]).InclusiveSum(w, w);"
           " o[blockIdx.x * blockDim.x + threadIdx.x] = v + w; }";
  };
  const std::vector<std::string> launch{"--blockDim=128", "--gridDim=2"};
  const std::string own = "int n = threadIdx.x / 32;";
  decide(
      {{"own.cu", launch, kernel("WarpScan<int>", own, "__syncwarp();"), 0},
       {"one.cu", launch, kernel("WarpScan<int>", "int n = 0;", "__syncwarp();"), 1},
       {"again.cu", launch, kernel("WarpScan<int>", own, ""), 1},
       {"halves.cu", {"--blockDim=32", "--gridDim=2"}, kernel("WarpScan<int, 16>", "int n = 0;", "__syncwarp();"), 1}});
  const std::string reduce =
      "#include <cub/cub.cuh>\n__global__ void k(int *o) { typedef cub::WarpReduce<int> R;"
      "__shared__ typename R::TempStorage t[4]; int r = R(t[INDEX]).Sum(1);"
      "if (threadIdx.x % 32 == 0) o[blockIdx.x * 4 + threadIdx.x / 32] = r; }";
  std::vector<std::string> own_storage = launch, one_storage = launch;
  own_storage.push_back("-DINDEX=threadIdx.x/32");
  one_storage.push_back("-DINDEX=0");
  decide({{"reduce.cu", own_storage, reduce, 0}, {"shared.cu", one_storage, reduce, 1}});
}

TEST(StandIns, PrimitivesOfABlockAreForBlocksOfTheirSize) {
  const auto kernel = [](const std::string& type, const std::string& host) {
    return "#include <cub/cub.cuh>\n__global__ void k(int *o) { typedef cub::" + type +
           " R; __shared__ typename R::TempStorage t; int v = 1; R(t).Reduce(v, cub::Sum());"
           " if (threadIdx.x + threadIdx.y == 0) o[blockIdx.x] = v; }\n" +
           host;
  };
  decide({{"same.cu", {}, kernel("BlockReduce<int, 64>", "int main() { k<<<2, 64>>>(0); }"), 0},
          {"larger.cu", {}, kernel("BlockReduce<int, 64>", "int main() { k<<<2, 128>>>(0); }"), 3},
          {"smaller.cu", {}, kernel("BlockReduce<int, 64>", "int main() { k<<<2, 32>>>(0); }"), 3},
          {"plane.cu", {}, kernel("BlockReduce<int, 64>", "int main() { k<<<2, dim3(8, 8)>>>(0); }"), 3},
          {"options.cu", {"--blockDim=128", "--gridDim=2"}, kernel("BlockReduce<int, 64>", ""), 3},
          {"any.cu", {}, kernel("BlockReduce<int, 64>", ""), 0}});
  const std::string two =
      "#include <cub/cub.cuh>\n__global__ void k(int *o) { typedef cub::BlockReduce<int, 64> A; typedef cub::"
      "BlockReduce<int, 128> B; __shared__ typename A::TempStorage a; __shared__ typename B::TempStorage b;"
      " A(a).Sum(1); B(b).Sum(1); }\n";
  decide({{"two.cu", {}, two, 3}});
}

TEST(StandIns, ABarrierOfTheGridAsksForACooperativeLaunch) {
  const std::string kernel =
      "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
      "__global__ void k(int *a, int *b) { cg::grid_group g = cg::this_grid(); int i = g.thread_rank();"
      " a[i] = i; g.sync(); b[i] = a[(i + 1) % 128]; }\n";
  decide(
      {{"plain.cu", {}, kernel + "int main() { int *a, *b; k<<<2, 64>>>(a, b); }", 3},
       {"options.cu", {"--blockDim=64", "--gridDim=2"}, kernel + "int main() { int *a, *b; k<<<2, 64>>>(a, b); }", 3},
       {"cooperative.cu",
        {},
        kernel + "int main() { int *a, *b; cudaMalloc(&a, 512); cudaMalloc(&b, 512); void *p[] = {&a, &b}; "
                 "cudaLaunchCooperativeKernel((void *)k, dim3(2), dim3(64), p, 0, 0); }",
        0},
       {"unknown.cu", {"--blockDim=64", "--gridDim=2"}, kernel, 0},
       {"strict.cu", {"--blockDim=64", "--gridDim=2", "--strict"}, kernel, 3}});
}

TEST(StandIns, TheOldVoteOfAWarpIsNoAnnotation) {
  const std::string head = "__global__ void k(int *o, int *in) { int p = in[threadIdx.x] > 0; ";
  decide({{"vote.cu", {"--blockDim=32", "--gridDim=1"}, head + "o[threadIdx.x] = __all(p); }", 0},
          // Thread 32 is of another warp: that it has p = 0 says nothing of what the first warp votes.
          {"warps.cu",
           {"--blockDim=64", "--gridDim=1"},
           head + "if (__all(p)) o[0] = threadIdx.x; else if (threadIdx.x >= 32) o[0] = threadIdx.x; }",
           1},
          {"assert.cu",
           {"--blockDim=64", "--gridDim=1"},
           "__global__ void k(int n) { bool p = n > 0; __assert(__implies(p, __all(p))); __unsafe_assert(__all(n == "
           "n)); }",
           0}});
}

TEST(StandIns, LaunchesStayWithinTheLimitsOfTheHardware) {
  const auto kernel = [](const std::string& bounds, const std::string& size, const std::string& host = "") {
    return "__global__ void " + bounds + " k(int *o) { __shared__ int s[" + size +
           "];"
           " int i = threadIdx.x + blockDim.x * threadIdx.y; s[i % " +
           size +
           "] = i; __syncthreads();"
           " o[(blockIdx.x + gridDim.x * blockIdx.y) * " +
           size + " + i] = s[i % " + size + "]; }\n" + host;
  };
  const std::vector<std::string> line{"--blockDim=*", "--gridDim=2"}, plane{"--blockDim=[*,*]", "--gridDim=[2,1]"};
  decide({{"most.cu", line, kernel("", "1024"), 0},
          {"fewer.cu", line, kernel("", "1023"), 1},
          {"bounds.cu", line, kernel("__launch_bounds__(128)", "128"), 0},
          {"bounds_of_two.cu", line, kernel("__launch_bounds__(64 * 2, 4)", "127"), 1},
          {"plane.cu", plane, kernel("", "1024"), 0},
          {"rows.cu", {"--blockDim=[*,4]", "--gridDim=[2,1]"}, kernel("", "1024"), 0},
          {"too_large.cu", {}, kernel("", "64", "int main() { k<<<1, 2048>>>(0); }"), 3},
          {"beyond_bounds.cu", {}, kernel("__launch_bounds__(32)", "64", "int main() { k<<<1, 64>>>(0); }"), 3},
          {"too_deep.cu", {}, kernel("", "64", "int main() { k<<<1, dim3(1, 1, 128)>>>(0); }"), 3}});
}

TEST(StandIns, BuiltInVariablesAreNotWritten) {
  decide({{"write.cu",
           {"--blockDim=32", "--gridDim=1"},
           "__global__ void k(int *o) { ((unsigned *)&threadIdx)[0] = 0; o[threadIdx.x] = 1; }",
           3},
          {"read.cu", {"--blockDim=32", "--gridDim=1"}, "__global__ void k(int *o) { o[(&threadIdx.x)[0]] = 1; }", 0},
          {"other.cu",
           {"--blockDim=[8,2]", "--gridDim=1"},
           "__global__ void k(int *o, int n) { o[(&threadIdx.x)[n & 1]] = threadIdx.x + 8 * threadIdx.y; }",
           1}});
}

TEST(StandIns, FunctionsThatBringThreadsTogetherOrderNoAccesses) {
  const auto kernel = [](const std::string& together) {
    return "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n#include <cub/cub.cuh>\n"
           "namespace cg = cooperative_groups;\n__global__ void k(int *o, int *g) { __shared__ int s[32]; "
           "auto t = cg::tiled_partition<32>(cg::this_thread_block()); auto c = cg::coalesced_threads();"
           "g[threadIdx.x] = threadIdx.x; s[threadIdx.x] = threadIdx.x; " +
           together + " o[threadIdx.x] = s[threadIdx.x ^ 1]; }";
  };
  const std::vector<std::string> launch{"--blockDim=32", "--gridDim=1"};
  for (const char* one :
       {"cg::reduce(t, 1, cg::plus<int>());", "cg::inclusive_scan(t, 1);", "t.shfl(1, 0);", "t.any(1);",
        "c.shfl(1, 0);", "c.ballot(1);", "__shfl_sync(~0u, 1, 0);", "__ballot_sync(~0u, 1);"})
    decide({{one, launch, kernel(one), 1}});
  for (const char* one : {"t.sync();", "__syncwarp();", "__syncthreads();"}) decide({{one, launch, kernel(one), 0}});
  // What a primitive of cub does inside is no promise about the memory of the kernel.
  const auto reduce = [](const std::string& before) {
    return "#include <cub/cub.cuh>\n__global__ void k(int *o, int *g) { typedef cub::BlockReduce<int, 64> R;"
           "__shared__ R::TempStorage t; g[threadIdx.x] = threadIdx.x; int r = R(t).Sum(1);" +
           before + " o[threadIdx.x] = r + g[threadIdx.x ^ 1]; }";
  };
  const std::vector<std::string> block{"--blockDim=64", "--gridDim=1"};
  decide({{"relies.cu", block, reduce(""), 1}, {"barrier.cu", block, reduce("__syncthreads();"), 0}});
}

// What has no model is refused by its name.
TEST(StandIns, WhatHasNoModelIsNamed) {
  const std::vector<std::string> launch{"--blockDim=32", "--gridDim=1"};
  struct {
    const char *text, *name;
  } const cases[] = {
      {"int *p = (int *)malloc(4); o[threadIdx.x] = *p;", "malloc"},
      {"int *p = new int[4]; o[threadIdx.x] = *p;", "operator new[]"},
      {"int p; o[threadIdx.x] = __match_all_sync(~0u, 1u, &p);", "__match_all_sync"},
      {"o[threadIdx.x] = __isShared(o);", "__isShared"},
      {"extern __device__ int f(int *); o[threadIdx.x] = f(o);", "'f'"},
      {"surf1Dwrite(1, (cudaSurfaceObject_t)o[0], 4, cudaBoundaryModeClamp);", "boundary mode"},
      {"asm volatile(\"cp.async.ca.shared.global [%0], [%1], 4;\" :: \"r\"(0), \"l\"(o));", "made of a number"},
      {"asm volatile(\"brkpt;\");", "brkpt"},
      {"o[0] = cooperative_groups::this_cluster().query_shared_rank(o);", "query_shared_rank"},
      {"cooperative_groups::this_multi_grid().sync();", "this_multi_grid"},
      {"((unsigned *)&blockDim)[0] = 1;", "a write to the built-in variable 'blockDim'"}};
  for (const auto& c : cases) {
    const auto o = launch::parse(launch);
    const launch::Answer a =
        answer(*o, make_source("k.cu", "#include <cooperative_groups.h>\n__global__ void k(int *o) { " +
                                           std::string(c.text) + " }\n"));
    EXPECT_EQ(a.exit_code, 3) << c.text << "\n" << a.out << a.err;
    EXPECT_NE(a.err.find(c.name), std::string::npos) << c.text << "\n" << a.err;
  }
}

TEST(StandIns, SmallFunctionsOfHeaders) {
  const std::vector<std::string> launch{"--blockDim=32", "--gridDim=1"};
  const auto kernel = [](const std::string& body) {
    return "#include <cstdint>\n#include <cmath>\n#include <cuda_fp16.h>\n"
           "__global__ void k(int *o, const float *f, const __half2 *h) { int t = threadIdx.x; " +
           body + " }";
  };
  decide(
      {{"sign.cu", launch, kernel("if (std::signbit(-1.0f) && !signbit(2.0)) o[t] = 1; else o[0] = t;"), 0},
       {"unknown.cu", launch, kernel("if (signbit(f[t])) o[0] = t;"), 1},
       {"limits.cu", launch,
        kernel("o[UINT32_C(0xffffffff) + UINT64_C(0x100000000) == INT64_C(0x1ffffffff) ? t : 0] = t;"), 0},
       {"simd.cu", launch, kernel("o[t] = __vhaddu2(t, 1) ^ __vnegss4(t) ^ __vsetleu2(t, 1) ^ __vsetlts4(t, 1);"), 0},
       {"pairs.cu", launch,
        kernel("o[t] = __hbgt2(h[t], h[0]) + __hbne2(h[t], h[0]) + (int)(float)__hgt2(h[t], h[0]).x;"), 0}});
}

// A run forgets what atomics left where a plain store falls: before an array offsets wrap.
TEST(StandIns, AStoreBeforeAnArrayBesideAtomics) {
  decide({{"before.cu",
           {"--blockDim=4", "--gridDim=1"},
           "__global__ void k(int *o, int *flag) { atomicAdd(&o[threadIdx.x], 1); o[-1] = 2 + threadIdx.x;"
           " __threadfence(); atomicExch(flag, 1); }",
           1}});
}

// An object that the host fills, of a class whose functions are not defined in this file: no call through null.
TEST(StandIns, FunctionsThatTheFileDoesNotHave) {
  const auto o = launch::parse(std::vector<std::string>{"--blockDim=32", "--gridDim=1"});
  const launch::Answer a = answer(*o, make_source("k.cu",
                                                  "struct B { __device__ virtual void f(int*) = 0; };\n"
                                                  "__global__ void k(B* b, int* o) { b->f(o); }\n"));
  EXPECT_EQ(a.exit_code, 3) << a.out << a.err;
  EXPECT_NE(a.err.find("lead to no function of this file"), std::string::npos) << a.err;
}

// All arrays of `extern __shared__` begin at one place (CUDA C++ programming guide, "__shared__").
TEST(StandIns, ArraysWithoutASizeAreOne) {
  const auto kernel = [](const std::string& a, const std::string& b) {
    return "__global__ void k(int *o) { extern __shared__ int s[]; extern __shared__ " + a +
           " t[]; s[threadIdx.x] = 1; " + b + " __syncthreads(); o[threadIdx.x] = s[threadIdx.x]; }";
  };
  const std::vector<std::string> launch{"--blockDim=32", "--gridDim=1"};
  decide({{"one.cu", launch, kernel("float", "t[threadIdx.x ^ 1] = 2;"), 1},
          {"apart.cu", launch, kernel("float", "t[threadIdx.x + 32] = 2;"), 0},
          {"wide.cu", launch, kernel("double", "t[threadIdx.x + 8] = 2;"), 1}});
}

// An access through a number that was a pointer, or through a union, is an access.
TEST(StandIns, CastsHideNoAccess) {
  const std::vector<std::string> launch{"--blockDim=32", "--gridDim=1"};
  for (const char* way :
       {"int *q = (int *)((size_t)o + 4);", "size_t n; memcpy(&n, &o, 8); n += 4; int *q; memcpy(&q, &n, 8);",
        "union { int *p; size_t n; } u; u.p = o; u.n += 4; int *q = u.p;", "int *q = (int *)((size_t)o ^ 4);",
        "char *c = (char *)o; int *q = (int *)(c + 4);", "int2 *v = (int2 *)o; int *q = &v->y;",
        "struct S { int a[2]; }; int *q = ((S *)o)->a + 1;"}) {
    const auto o = launch::parse(launch);
    const launch::Answer a = answer(*o, make_source("k.cu", "__global__ void k(int *o) { " + std::string(way) +
                                                                " q[threadIdx.x] = 1; o[threadIdx.x] = 2; }\n"));
    EXPECT_NE(a.exit_code, 0) << way << "\n" << a.out << a.err;
  }
}

// The place is the user's, not that of the template in our header.
TEST(StandIns, AnAtomicOfBoolIsNamedWhereItIsUsed) {
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  const std::string text =
      "#include <cuda/atomic>\n__global__ void k(bool *f, int *d) {\n"
      "  cuda::atomic_ref<bool, cuda::thread_scope_device> r(f[0]);\n  r.store(true);\n}\n"
      "__global__ void good(int *d) { d[threadIdx.x] = 1; }\n";
  const auto o = launch::parse({"--blockDim=4", "--gridDim=1"});
  ASSERT_TRUE(o);
  const launch::Answer a = answer(*o, make_source("k.cu", text));
  EXPECT_EQ(a.exit_code, 3) << a.out << a.err;
  EXPECT_NE((a.out + a.err).find("k.cu:4:"), std::string::npos) << a.out << a.err;
  EXPECT_NE((a.out + a.err).find("an atomic object of this type has no model here"), std::string::npos);
  EXPECT_EQ((a.out + a.err).find("cuda.hdr"), std::string::npos) << a.out << a.err;
}

// The last block, and a flag: each thread has a fence before the barrier, and thread 0 makes the atomic operation. By
// PTX the two fences are in one order; by C++ a fence synchronises through an atomic operation of its own thread only
// (models/cuda.cat; `check` finds the race). Found by tests/fuzz/kernels, seed 161003761.
TEST(StandIns, TheOrderOfTwoFencesIsOfPtxAlone) {
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  const auto said = [](const std::string& words, const std::string& text) {
    std::vector<std::string> all{"--blockDim=2", "--gridDim=2"};
    if (!words.empty()) all.push_back(words);
    return answer(*launch::parse(all), make_source("k.cu", text));
  };
  const auto last = [](const std::string& before, const std::string& inside, const std::string& behind) {
    return "__global__ void k(int *a, int *b, int *f) { __shared__ int s;"
           "int i = blockIdx.x * blockDim.x + threadIdx.x; a[i] = 1; " +
           before + " __syncthreads(); if (threadIdx.x == 0) { " + inside + " s = atomicAdd(f, 1); " + inside +
           " } __syncthreads(); " + behind + " if (s == gridDim.x - 1) b[threadIdx.x] = a[(i + 1) % 4]; }";
  };
  const auto flag = [](const std::string& before, const std::string& inside, const std::string& seen) {
    return "__global__ void k(int *a, int *b, int *f) { __shared__ int s; if (blockIdx.x == 0) { a[threadIdx.x] = 1; " +
           before + " __syncthreads(); if (threadIdx.x == 0) { " + inside +
           " atomicExch(f, 1); } } else { if (threadIdx.x == 0) { s = atomicAdd(f, 0); " + seen +
           " } __syncthreads(); if (s == 1) b[threadIdx.x] = a[1 - threadIdx.x]; } }";
  };
  const std::string fence = "__threadfence();", named = "the model cuda does not say that ";
  for (const std::string& text : {last(fence, "", fence), last(fence, "", ""), flag(fence, "", fence)}) {
    const launch::Answer cuda = said("", text);
    EXPECT_EQ(cuda.exit_code, 3) << text << cuda.out << cuda.err;
    EXPECT_NE((cuda.out + cuda.err).find(named), std::string::npos) << text << cuda.out << cuda.err;
  }
  for (const std::string& text : {last(fence, "", fence), flag(fence, "", fence)}) {
    const launch::Answer ptx = said("--model=ptx", text);
    EXPECT_EQ(ptx.exit_code, 0) << text << ptx.out << ptx.err;
    EXPECT_EQ((ptx.out + ptx.err).find("__threadfence"), std::string::npos) << ptx.out << ptx.err;
  }
  // A fence of the thread that makes the atomic operation is one of C++ too, whatever other fences there are.
  for (const std::string& text :
       {last("", fence, ""), last(fence, fence, fence), flag("", fence, fence), flag(fence, fence, fence)}) {
    const launch::Answer cuda = said("", text);
    EXPECT_EQ(cuda.exit_code, 0) << text << cuda.out << cuda.err;
    EXPECT_EQ((cuda.out + cuda.err).find("Fence-SC"), std::string::npos) << text << cuda.out << cuda.err;
  }
}

TEST(StandIns, BarriersOfLibcuAreReadAndNotUsed) {
  const std::vector<std::string> launch{"--blockDim=64", "--gridDim=4"};
  const auto kernel = [](const std::string& body) {
    return "#include <cuda/barrier>\n#include <cuda/pipeline>\n#include <cooperative_groups.h>\n"
           "#include <cooperative_groups/memcpy_async.h>\n__global__ void k(float *o, const float *g) {"
           "__shared__ cuda::barrier<cuda::thread_scope_block> b; __shared__ float s[64];"
           "const int t = threadIdx.x, i = blockIdx.x * 64 + t; if (t == 0) init(&b, 64); __syncthreads();" +
           body + "}";
  };
  decide({{"beside.cu", launch, kernel("auto w = b.arrive(); o[i] = 1; b.wait(std::move(w));"), 0},
          {"same.cu", launch, kernel("auto w = b.arrive(); o[0] = t; b.wait(std::move(w));"), 3},
          {"orders.cu", launch, kernel("s[t] = 1; b.arrive_and_wait(); o[i] = s[63 - t];"), 0},
          {"again.cu", launch, kernel("s[t] = 1; b.arrive_and_wait(); __syncthreads(); o[i] = s[63 - t];"), 0},
          {"uninitialised.cu", launch, kernel("if (t == 1) init(&b, 64); b.arrive_and_wait(); o[i] = 1;"), 1}});
}

TEST(StandIns, PartsOfAGroupAreTheLanesThatSayTheSame) {
  const std::vector<std::string> launch{"--blockDim=64", "--gridDim=4"};
  const auto kernel = [](const std::string& body) {
    return "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
           "__global__ void k(int *o, const int *g) { const int t = threadIdx.x, i = blockIdx.x * 64 + t;"
           "auto tile = cg::tiled_partition<32>(cg::this_thread_block()); const bool odd = t & 1;" +
           body + "}";
  };
  decide(
      {{"halves.cu", launch,
        kernel("auto part = cg::binary_partition(tile, odd); int n = 0; if (odd) { part.sync(); n = part.size(); } "
               "o[i] = n;"),
        0},
       {"labels.cu", launch,
        kernel(
            "auto part = cg::labeled_partition(tile, t % 4); if (part.thread_rank() == 0) atomicAdd(o, part.size());"),
        0},
       {"all.cu", launch,
        kernel("auto part = cg::binary_partition(tile, odd); if (part.thread_rank() == 0) o[blockIdx.x * 2 + t / 32] = "
               "t;"),
        1},
       {"alone.cu", launch,
        kernel("if (t < 7) { auto part = cg::labeled_partition(tile, t % 4); o[i] = part.size(); } __syncthreads();"),
        1}});
}

TEST(StandIns, CopiesThatEndElsewhereAreNotFollowed) {
  const std::vector<std::string> launch{"--blockDim=64", "--gridDim=4"};
  const std::string head =
      "#include <cuda/barrier>\n#include <cuda/pipeline>\n#include <cooperative_groups.h>\n"
      "#include <cooperative_groups/memcpy_async.h>\nnamespace cg = cooperative_groups;\n"
      "__global__ void k(float *o, const float *g) { __shared__ float s[64]; auto block = cg::this_thread_block();"
      "const int t = threadIdx.x, i = blockIdx.x * 64 + t; ";
  const std::string end = "o[i] = s[63 - t]; }";
  decide({{"group.cu", launch, head + "cg::memcpy_async(block, s, g, 256); cg::wait(block);" + end, 3},
          {"barrier.cu", launch,
           head +
               "__shared__ cuda::barrier<cuda::thread_scope_block> b; if (t == 0) init(&b, 64); block.sync();"
               "cuda::memcpy_async(block, s, g, sizeof(float) * 64, b); b.arrive_and_wait();" +
               end,
           3},
          {"stages.cu", launch,
           head +
               "__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;"
               "auto p = cuda::make_pipeline(block, &state); p.producer_acquire();"
               "cuda::memcpy_async(block, s, g, 256, p); p.producer_commit(); p.consumer_wait();" +
               end,
           0},
          // Of one thread: as by cp.async, and then others need the barrier.
          {"own.cu", launch,
           head +
               "auto p = cuda::make_pipeline(); cuda::memcpy_async(&s[t], &g[t], sizeof(float), p);"
               "p.producer_commit(); cuda::pipeline_consumer_wait_prior<0>(p); block.sync();" +
               end,
           0},
          {"early.cu", launch,
           head +
               "auto p = cuda::make_pipeline(); cuda::memcpy_async(&s[t], &g[t], sizeof(float), p);"
               "p.producer_commit(); cuda::pipeline_consumer_wait_prior<1>(p); block.sync();" +
               end,
           1},
          {"alone.cu", launch,
           head +
               "auto p = cuda::make_pipeline(); cuda::memcpy_async(&s[t], &g[t], sizeof(float), p);"
               "p.producer_commit(); cuda::pipeline_consumer_wait_prior<0>(p);" +
               end,
           1}});
}

}  // namespace
}  // namespace fencepost::verifier

// What must not be taken for certain: barriers that PTX does not have, launches that cannot be made, resets that are
// not on every way, and values of which a run knows no more than that a function gives them.
#include "decide.h"

namespace fencepost::verifier {
namespace {

std::string barrier(const std::string& line) {
  return "__global__ void k(int *o) { __shared__ int s[64]; int t = threadIdx.x; s[t] = t;\n" + line +
         "\no[blockIdx.x * 64 + t] = s[63 - t]; }\n";
}

TEST(Doubts, BarriersThatPtxDoesNotHave) {
  const std::string fifteen = barrier("asm volatile(\"bar.sync 15;\" ::: \"memory\");"),
                    sixteen = barrier("asm volatile(\"bar.sync 16;\" ::: \"memory\");"),
                    given = barrier("asm volatile(\"bar.sync %0;\" ::\"r\"(17) : \"memory\");"),
                    computed = barrier(
                        "int n = 15; n += blockDim.x / 32;\n"
                        "asm volatile(\"bar.sync %0;\" ::\"r\"(n) : \"memory\");"),
                    counted = barrier("asm volatile(\"bar.sync 16, 64;\" ::: \"memory\");"),
                    odd = barrier("asm volatile(\"bar.sync 1, 48;\" ::: \"memory\");"),
                    whole = barrier("asm volatile(\"bar.sync 1, 64;\" ::: \"memory\");");
  decide({{"k.cu", fifteen.c_str(), 0},
          {"k.cu", sixteen.c_str(), 3, "a barrier of the number 16, where PTX has 0 to 15"},
          {"k.cu", given.c_str(), 3, "a barrier of the number 17"},
          {"k.cu", computed.c_str(), 3, "a barrier of the number 17"},
          {"k.cu", counted.c_str(), 3, "a barrier of the number 16"},
          {"k.cu", odd.c_str(), 1, "a barrier of 48 threads, which are no whole warps"},
          {"k.cu", whole.c_str(), 0}});
  const std::string arrives = "__global__ void k(int *o) { asm volatile(\"bar.arrive 1, 0;\" ::: \"memory\"); }\n";
  decide({{"k.cu", arrives.c_str(), 3, "a barrier of 0 threads"}});
  // A block of 48 threads, all of which come.
  const std::string block = "__global__ void k(int *o) { asm volatile(\"bar.sync 0, 48;\" ::: \"memory\"); }\n";
  decide({{"k.cu", block.c_str(), 3, "a barrier of 48 threads", {"--blockDim=48", "--gridDim=2"}, true}});
}

// One instruction on numbers is exact, as it is in a block of several.
TEST(Doubts, OneInstructionOnNumbersIsExact) {
  const auto at = [](const std::string& one) {
    return "__global__ void k(int *o) { unsigned t = blockIdx.x * 64 + threadIdx.x, n; asm(\"" + one +
           "\" : \"=r\"(n) : \"r\"(t)); o[n] = t; }\n";
  };
  const std::string shift = at("shl.b32 %0, %1, 2;"), flip = at("xor.b32 %0, %1, 1;"),
                    more = at("mad.lo.u32 %0, %1, 2, %1;"), less = at("shr.u32 %0, %1, 1;");
  decide({{"k.cu", shift.c_str(), 0}, {"k.cu", flip.c_str(), 0}, {"k.cu", more.c_str(), 0}, {"k.cu", less.c_str(), 1}});
}

TEST(Doubts, LaunchesThatCannotBeMade) {
  constexpr const char* asked =
      "__attribute__((reqd_work_group_size(32,1,1))) __kernel void k(__global int *a) {\n"
      "a[get_group_id(0) * 64 + get_local_id(0) % 32] = 1 + get_local_id(0); }\n";
  constexpr const char* hint =
      "__attribute__((work_group_size_hint(32,1,1))) __kernel void k(__global int *a) {\n"
      "a[get_global_id(0)] = get_local_id(0); }\n";
  decide({{"k.cl", asked, 0, "", {"--local_size=32", "--num_groups=4"}, true},
          {"k.cl", asked, 0, "", {"--local_size=*", "--num_groups=4"}, true},
          {"k.cl",
           asked,
           3,
           "a group of 16 threads along x cannot be launched: the kernel requires 32",
           {"--local_size=16", "--num_groups=4"},
           true},
          {"k.cl", hint, 0, "", {"--local_size=16", "--num_groups=4"}, true}});
  constexpr const char* bound =
      "__global__ void __launch_bounds__(32) k(int *o) { o[blockIdx.x * 64 + threadIdx.x] = 1; }";
  decide({{"k.cu", bound, 3, "by __launch_bounds__"},
          {"k.cu", bound, 3, "by __launch_bounds__", {"--profile=gpuverify"}}});
}

TEST(Doubts, WhatIsNotThere) {
  decide({{"k.cu", k_plain, 0, "-I names '/not/there', which is no folder", {"-I/not/there"}}});
  decide({{"k.cu", k_plain, 3, "0 verified, 0 errors, 1 not decided", {"--findbugs"}}});
}

// A counter of the last block, with a host that resets it or does not.
std::string counts(const std::string& host) {
  return "__device__ unsigned cnt; cudaGraphExec_t g; cudaGraph_t q;\n"
         "__global__ void k(int *part, int *o) { __shared__ bool last; int t = threadIdx.x; if (t == 0) {\n"
         "part[blockIdx.x] = blockIdx.x; __threadfence(); last = atomicAdd(&cnt, 1) >= gridDim.x - 1; } "
         "__syncthreads();\n"
         "if (last) { int s = 0; for (int i = t; i < gridDim.x; i += 64) s += part[i]; o[t] = s; } }\n"
         "int main(int argc, char **argv) { int *i, *o; cudaMalloc(&i, 4096); cudaMalloc(&o, 4096); unsigned z = 0;\n" +
         host + "}\n";
}

TEST(Doubts, AResetIsOnEveryWay) {
  const std::string reset = "cudaMemcpyToSymbol(cnt, &z, 4); ", launch = "k<<<8, 64>>>(i, o); ",
                    rounds = "for (int n = 0; n < 5; n++) ";
  const auto host = [](const std::string& text, int exit_code, const char* says = "") {
    const std::string file = counts(text);
    decide({{"k.cu", file.c_str(), exit_code, says, {}, true}});
  };
  host(launch, 0);
  host(rounds + "{ " + reset + launch + "}", 0);
  host(reset + launch + reset + launch, 0);
  host("if (argc > 2) { " + reset + launch + "}", 0);
  host(rounds + "{ if (n == 7) " + reset + launch + "}", 3, "no reset is seen before it");
  host(rounds + "{ n == 7 && " + reset + launch + "}", 3, "no reset is seen before it");
  host(launch + "if (argc > 1) " + reset + launch, 3, "was given it before");
  host(launch + "switch (argc) { case 1: " + reset + "break; default:; } " + launch, 3, "was given it before");
  host(launch + "if (argc > 1) goto out; " + reset + "out: " + launch, 3, "was given it before");
  const std::string begin = "cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal); ",
                    end = "cudaStreamEndCapture(0, &q); cudaGraphInstantiate(&g, q, 0); ",
                    go = "cudaGraphLaunch(g, 0); ";
  host(begin + launch + end + go, 0);
  host(begin + launch + end + go + go, 3, "its graph is launched again");
  host(reset + begin + launch + end + rounds + go, 3, "its graph is launched again");
  host(begin + reset + launch + end + go + go, 0);
}

// Each of these kernels is right; none of them may be said to be wrong for certain.
TEST(Doubts, RightKernelsAreNotRefutedByMadeUpValues) {
  const std::string cub = "#include <cub/cub.cuh>\n#include <curand_kernel.h>\n";
  const std::string scan = cub +
                           "__global__ void k(const int *in, int *o) { unsigned t = threadIdx.x;\n"
                           "typedef cub::BlockScan<int, 64> BS; __shared__ typename BS::TempStorage ts;\n"
                           "int flag = in[t] > 0, pos, n; BS(ts).ExclusiveSum(flag, pos, n); o += 64 * blockIdx.x;\n";
  const std::vector<std::string> texts = {
      scan + "if (flag) o[pos] = t; }\n",
      scan + "if (n > 99) o[0] = t; }\n",
      scan + "if (n > 3) __syncthreads(); }\n",
      cub +
          "__global__ void k(float *o) { unsigned t = threadIdx.x; curandState s; curand_init(1, t, 0, &s);\n"
          "float a = curand_uniform(&s); if (a > 1.f) o[0] = t; }\n",
      "__global__ void k(int *o) { unsigned t = threadIdx.x; int e; float m = frexpf(8.f, &e);\n"
      "if (e != 4 || m != 0.5f) o[0] = t; }\n",
      "__global__ void k(cudaTextureObject_t x, int *o) { int n = tex1Dfetch<int>(x, 0);\n"
      "for (int i = 0; i < n; i++) __syncthreads(); }\n",
      "__global__ void k(cudaTextureObject_t x, int *o) { o[0] = tex1Dfetch<int>(x, 0); }\n"};
  for (const std::string& text : texts) {
    const auto o = launch::parse({"--blockDim=64", "--gridDim=1", "--timeout=30"});
    const launch::Answer a = answer(*o, make_source("k.cu", text));
    EXPECT_EQ(a.confirmed, 0u) << text << a.out << a.err;
  }
  for (const char* text :
       {"__kernel void k(__global int *o) { int e; float m = frexp(8.f, &e); if (e != 4) o[0] = get_local_id(0); }\n",
        "__kernel void k(__global int *o) { float w; float m = modf(8.5f, &w); if (w != 8.f) o[0] = get_local_id(0); "
        "}\n",
        "__kernel void k(__global int *o) { float w; float m = sincos(0.f, &w); if (w != 1.f) o[0] = get_local_id(0); "
        "}\n"}) {
    const auto o = launch::parse({"--local_size=64", "--num_groups=1", "--timeout=30"});
    const launch::Answer a = answer(*o, make_source("k.cl", text));
    EXPECT_EQ(a.confirmed, 0u) << text << a.out << a.err;
  }
}

// Beside them, what does not hang on such a value is confirmed as before.
TEST(Doubts, WhatComesBeforeAMadeUpValueDecidesIsConfirmed) {
  const std::string cub =
      "#include <curand_kernel.h>\n__global__ void k(float *o) { unsigned t = threadIdx.x; curandState s;\n"
      "curand_init(1, t, 0, &s); float a = curand_uniform(&s); o[t / 2] = t; o[64 + t] = a; }\n";
  decide({{"k.cu", cub.c_str(), 1, "confirmed by a run"}});
}

TEST(Doubts, WhatHasNoModelIsRefusedByName) {
  const std::string text =
      "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
      "__global__ void k(int *o) { auto t = cg::tiled_partition<32>(cg::this_thread_block()); int s = 0;\n"
      "cg::invoke_one(t, [&] { s = 1; }); o[blockIdx.x * 64 + threadIdx.x] = s; }\n";
  decide({{"k.cu", text.c_str(), 3, "invoke_one"}});
  decide(
      {{"k.cl",
        "__kernel void k(read_write image1d_t im, __global int *o) { int l = get_local_id(0);\n"
        "write_imagei(im, l, (int4)(l)); work_group_barrier(CLK_IMAGE_MEM_FENCE); o[l] = read_imagei(im, l ^ 1).x; }\n",
        3,
        "CLK_IMAGE_MEM_FENCE | CLK_GLOBAL_MEM_FENCE",
        {"--local_size=64", "--num_groups=1", "--std=CL2.0"},
        true}});
}

}  // namespace
}  // namespace fencepost::verifier

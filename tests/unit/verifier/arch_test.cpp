// What __CUDA_ARCH__ leaves out of a kernel is looked at, or said.
#include "decide.h"

namespace fencepost::verifier {
namespace {

const char* const k_new = "__global__ void k(int *o) {\n#if __CUDA_ARCH__ >= 800\n  o[0] = threadIdx.x;\n#endif\n}\n";
const char* const k_both =
    "__global__ void k(int *o) {\n#if __CUDA_ARCH__ >= 800\n  o[blockIdx.x * blockDim.x + threadIdx.x] = 1;\n#else\n"
    "  o[0] = threadIdx.x;\n#endif\n}\n";

TEST(Arch, ANewerArchitectureIsTakenWhereTheKernelHasCodeForIt) {
  decide({{"body.cu", k_new, 1, "__CUDA_ARCH__ 800"},
          {"reversed.cu", "__global__ void k(int *o) {\n#if 800 <= __CUDA_ARCH__\no[0] = threadIdx.x;\n#endif\n}", 1},
          {"beyond.cu", "__global__ void k(int *o) {\n#if __CUDA_ARCH__ > 800\no[0] = threadIdx.x;\n#endif\n}", 1,
           "__CUDA_ARCH__ 860"},
          {"else.cu", "__global__ void k(int *o) {\n#if __CUDA_ARCH__ < 800\n#else\no[0] = threadIdx.x;\n#endif\n}", 1},
          {"elif.cu",
           "__global__ void k(int *o) {\n#if __CUDA_ARCH__ >= 900\no[0] = threadIdx.x;\n#elif __CUDA_ARCH__ >= 800\n"
           "o[blockIdx.x * 64 + threadIdx.x] = 1;\n#endif\n}",
           1, "__CUDA_ARCH__ 900"},
          {"derived.cu",
           "#if __CUDA_ARCH__ >= 800\n#define HAS\n#endif\n__global__ void k(int *o) {\n#ifdef HAS\no[0] = "
           "threadIdx.x;\n#endif\n}",
           1},
          {"expands.cu",
           "#define NEW (__CUDA_ARCH__ >= AMPERE)\n#define AMPERE 800\n__global__ void k(int *o) {\n#if NEW\no[0] = "
           "threadIdx.x;\n#endif\n}",
           1},
          {"code.cu", "__global__ void k(int *o) { if (__CUDA_ARCH__ >= 800) o[0] = threadIdx.x; }", 1},
          {"called.cu",
           "__device__ void f(int *o) {\n#if __CUDA_ARCH__ >= 800\no[0] = threadIdx.x;\n#endif\n}\n__global__ void "
           "k(int *o) { f(o); }",
           1},
          {"nested.cu",
           "__global__ void k(int *o) {\n#if __CUDA_ARCH__ >= 800\no[blockIdx.x * 64 + threadIdx.x] = 1;\n"
           "#if __CUDA_ARCH__ >= 900\no[0] = threadIdx.x;\n#endif\n#endif\n}",
           1},
          {"whole.cu", "#if __CUDA_ARCH__ >= 800\n__global__ void k(int *o) { o[0] = threadIdx.x; }\n#endif\n", 1},
          {"template.cu",
           "template <int N> __global__ void k(int *o) {\n#if __CUDA_ARCH__ >= 800\no[0] = threadIdx.x;\n#endif\n}\n"
           "template __global__ void k<3>(int *);",
           1}});
}

TEST(Arch, WhatIsLeftOutIsSaid) {
  decide({{"both.cu", k_both, 0, "line 5 is left out for __CUDA_ARCH__ 800"},
          {"both.cu", k_both, 3, "line 5 is left out for __CUDA_ARCH__ 800", {"--strict"}},
          {"both.cu", k_both, 1, "__CUDA_ARCH__ 700", {"--cuda-arch=700"}},
          {"both.cu", k_both, 1, "__CUDA_ARCH__ 700", {"-D__CUDA_ARCH__=700"}},
          {"newer.cu",
           "__global__ void k(int *o) {\no[blockIdx.x * 64 + threadIdx.x] = 1;\n#if __CUDA_ARCH__ >= 1000\no[0] = "
           "threadIdx.x;\n#endif\n}",
           3, "line 4 is left out for __CUDA_ARCH__ 900"},
          {"computed.cu",
           "__global__ void k(int *o) {\no[blockIdx.x * 64 + threadIdx.x] = 1;\n#if __CUDA_ARCH__ / 100 >= 8\no[0] = "
           "threadIdx.x;\n#endif\n}",
           3, "line 4 is left out for __CUDA_ARCH__ 700; --cuda-arch says"},
          {"feature.cu",
           "__global__ void k(int *o) {\no[blockIdx.x * 64 + threadIdx.x] = 1;\n#ifdef __CUDA_ARCH_FEAT_SM90_ALL\n"
           "o[0] = threadIdx.x;\n#endif\n}",
           3, "is left out"},
          {"value.cu",
           "#if __CUDA_ARCH__ >= 800\n#define TILE 64\n#else\n#define TILE 1\n#endif\n__global__ void k(int *o) {\n"
           "o[blockIdx.x * TILE + threadIdx.x] = 1;\n}",
           0, "line 7 uses __CUDA_ARCH__, which is 800"},
          {"another.cu",
           "#if __CUDA_ARCH__ >= 800\n__device__ int at(int i) { return i; }\n#else\n__device__ int at(int i) { return "
           "0; }\n#endif\n__global__ void k(int *o) { o[at(blockIdx.x * 64 + threadIdx.x)] = 1; }",
           0, "line 4 is left out"}});
}

// What this architecture reads and an older one leaves out, with nothing in its place.
TEST(Arch, WhatIsReadForItAloneIsSaid) {
  const std::string head = "__global__ void k(int *o) {\n __shared__ int s[64]; s[threadIdx.x] = 1;\n";
  const std::string tail = "\n o[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x]; }\n";
  const std::string
      barrier = head + "#if __CUDA_ARCH__ >= 800\n __syncthreads();\n#endif" + tail,
      older = head + "#if __CUDA_ARCH__ < 1000\n __syncthreads();\n#endif" + tail,
      empty = head + "#if __CUDA_ARCH__ >= 800\n __syncthreads();\n#else\n // none\n#endif" + tail,
      elif = head + "#if __CUDA_ARCH__ < 800\n#elif __CUDA_ARCH__ >= 800\n __syncthreads();\n#endif" + tail,
      computed = head + "#if __CUDA_ARCH__ / 100 < 8\n __syncthreads();\n#endif" + tail,
      nested = head + "#if __CUDA_ARCH__ >= 800\n#if 1\n __syncthreads();\n#endif\n#endif" + tail,
      derived =
          "#if __CUDA_ARCH__ >= 800\n#define HAS\n#endif\n" + head + "#ifdef HAS\n __syncthreads();\n#endif" + tail,
      called =
          "__device__ void f() {\n#if __CUDA_ARCH__ >= 800\n __syncthreads();\n#endif\n}\n" + head + " f();" + tail,
      overload =
          "__device__ void f(long) {}\n#if __CUDA_ARCH__ >= 800\n__device__ void f(int) { __syncthreads(); }\n"
          "#endif\n" +
          head + " f(0);" + tail,
      value =
          "constexpr int n[] = {\n#if __CUDA_ARCH__ >= 800\n64,\n#endif\n1};\n"
          "__global__ void k(int *o) { o[blockIdx.x * n[0] + threadIdx.x] = 1; }\n";
  decide({{"barrier.cu", barrier.c_str(), 0, "meant: line 4 is read for it"},
          {"barrier.cu", barrier.c_str(), 3, "line 4 is read for it", {"--strict"}},
          {"barrier.cu", barrier.c_str(), 0, "!is read", {"--cuda-arch=800"}},
          {"barrier.cu", barrier.c_str(), 1, "", {"--cuda-arch=700"}},
          {"older.cu", older.c_str(), 0, "line 4 is read for it"},
          {"empty.cu", empty.c_str(), 0, "line 4 is read for it"},
          {"elif.cu", elif.c_str(), 0, "line 5 is read for it"},
          {"computed.cu", computed.c_str(), 0, "line 4 is read for it"},
          {"nested.cu", nested.c_str(), 0, "lines 4-6 are read for it"},
          {"derived.cu", derived.c_str(), 0, "line 7 is read for it"},
          {"called.cu", called.c_str(), 0, "line 3 is read for it"},
          {"overload.cu", overload.c_str(), 0, "line 3 is read for it"},
          {"value.cu", value.c_str(), 0, "line 3 is read for it"}});
  // Text that does nothing, of others, that every architecture reads, and a kernel that is there for this one alone.
  const std::string inert = "#if __CUDA_ARCH__ >= 800\n#pragma unroll\n#endif\n" + std::string(k_plain),
                    other = "#if __CUDA_ARCH__ >= 800\n__device__ int f() { return 1; }\n#include <mma.h>\n#endif\n" +
                            std::string(k_plain),
                    apart = "__global__ void g(int *o) {\n#if __CUDA_ARCH__ >= 800\no[0] = 1;\n#endif\n}\n" +
                            std::string(k_plain),
                    old = head + "#if __CUDA_ARCH__ >= 300\n __syncthreads();\n#endif" + tail,
                    whole = "#if __CUDA_ARCH__ >= 800\n" + std::string(k_plain) + "#endif\n";
  decide({{"inert.cu", inert.c_str(), 0, "!is read"},
          {"other.cu", other.c_str(), 0, "!are read"},
          {"apart.cu", apart.c_str(), 0, "!is read", {"--entry=k"}},
          {"old.cu", old.c_str(), 0, "!is read"},
          {"whole.cu", whole.c_str(), 0, "!is read"}});
}

TEST(Arch, WhatDecidesNothingIsNotSaid) {
  const std::string plain = k_plain;
  const std::string guard = "#ifdef __CUDA_ARCH__\n" + plain + "#else\nvoid host();\n#endif\n",
                    old = "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 300\n#error too old\n#endif\n" + plain,
                    truth = "#if __CUDA_ARCH__\n" + plain + "#else\nint x;\n#endif\n",
                    apart =
                        "__device__ void f(int *o) {\n#if __CUDA_ARCH__ >= 600\n#else\no[0] = 1;\n#endif\n}\n" + plain;
  decide({{"guard.cu", guard.c_str(), 0, "!left out"},
          {"old.cu", old.c_str(), 0, "!left out"},
          {"truth.cu", truth.c_str(), 0, "!left out"},
          {"apart.cu", apart.c_str(), 0, "!left out"},
          {"plain.cu", k_plain, 0, "!no access"}});
}

// Launches and their sizes are of host code, which has no __CUDA_ARCH__ (CUDA C++ Programming Guide, 5.2.3).
TEST(Arch, HostCodeIsReadWithoutIt) {
  const std::string k = "__global__ void k(int *o) { o[0] = threadIdx.x; }\n";
  const std::string block = "#ifdef __CUDA_ARCH__\n#define BLOCK 1\n#else\n#define BLOCK 64\n#endif\n";
  const std::string hidden =
      k + "void f(int *p) {\n#ifndef __CUDA_ARCH__\n  k<<<1, 64>>>(p);\n#endif\n  k<<<1, 1>>>(p);\n}";
  const std::string both = k +
                           "__host__ __device__ void f(int *p) {\n#ifdef __CUDA_ARCH__\n  p[0] = 0;\n#else\n"
                           "  k<<<1, 64>>>(p);\n#endif\n}\nvoid g(int *p) { k<<<1, 1>>>(p); }";
  const std::string macro = block + k + "void f(int *p) { k<<<1, BLOCK>>>(p); }";
  const std::string constant = block + k + "constexpr int n = BLOCK;\nvoid f(int *p) { k<<<1, n>>>(p); }";
  const std::string plain = "#ifdef __CUDA_ARCH__\n#define X 1\n#endif\n" + k + "void f(int *p) { k<<<1, 1>>>(p); }";
  decide({{"hidden.cu", hidden.c_str(), 1, "", {}, true},
          {"both.cu", both.c_str(), 1, "", {}, true},
          {"macro.cu", macro.c_str(), 1, "", {}, true},
          {"constant.cu", constant.c_str(), 1, "", {}, true},
          {"plain.cu", plain.c_str(), 0, "", {}, true}});
}

// An include that is not there may turn on text that has no #else, and what that text defines.
TEST(Arch, WhatAMissingIncludeMayTurnOnIsLookedAt) {
  const std::string k = "#include \"cfg.h\"\n__global__ void k(int *o) { o[0] = threadIdx.x; }\n";
  const std::string launch = k + "void f(int *p) {\n#ifdef BIG\n  k<<<1, 64>>>(p);\n#endif\n  k<<<1, 1>>>(p);\n}";
  const std::string size = k +
                           "#define BLOCK 1\n#ifdef BIG\n#undef BLOCK\n#define BLOCK 64\n#endif\n"
                           "void f(int *p) { k<<<1, BLOCK>>>(p); }";
  decide({{"launch.cu", launch.c_str(), 1, "", {}, true}, {"size.cu", size.c_str(), 1, "", {}, true}});
}

// To any depth, and through names that ## makes; what is not followed is no reason to be silent.
TEST(Arch, DependenceIsFollowedOrSaid) {
  std::string deep = "#define A0 (__CUDA_ARCH__ >= 800)\n";
  for (int n = 1; n <= 12; ++n) deep += "#define A" + std::to_string(n) + " A" + std::to_string(n - 1) + "\n";
  deep += "__global__ void k(int *o) {\no[blockIdx.x * 64 + threadIdx.x] = 1;\n#if A12\no[0] = threadIdx.x;\n#endif\n}";
  decide(
      {{"deep.cu", deep.c_str(), 1, "__CUDA_ARCH__ 800"},
       {"comment.cu",
        "__global__ void k(int *o) {\no[blockIdx.x * 64 + threadIdx.x] = 1;\n/* it's\n that's */ if (__CUDA_ARCH__ >= "
        "800) o[0] = threadIdx.x;\n}",
        3, "__CUDA_ARCH__"},
       {"paste.cu",
        "#if __CUDA_ARCH__ >= 800\n#define HAS_NEW 1\n#else\n#define HAS_NEW 0\n#endif\n#define HAS(x) HAS_##x\n"
        "__global__ void k(int *o) {\no[blockIdx.x * 64 + threadIdx.x] = 1;\n#if HAS(NEW)\no[0] = threadIdx.x;\n"
        "#endif\n}",
        1, "__CUDA_ARCH__ 800"},
       {"made.cu",
        "#define CAT(a, b) a##b\n__global__ void k(int *o) {\no[blockIdx.x * 64 + threadIdx.x] = 1;\n#if CAT(__CUDA_, "
        "ARCH__) >= 800\no[0] = threadIdx.x;\n#endif\n}",
        3, "line 5 is left out for __CUDA_ARCH__ 700"},
       {"code.cu",
        "#define CAT(a, b) a##b\n__global__ void k(int *o) {\nif (CAT(__CUDA_, ARCH__) < 800) o[blockIdx.x * 64 + "
        "threadIdx.x] = 1; else o[0] = threadIdx.x;\n}",
        3, "line 3 uses __CUDA_ARCH__"},
       {"expands.cu",
        "#define HAS(x) HAS_##x\n#define HAS_NEW (__CUDA_ARCH__ >= 800)\n__global__ void k(int *o) {\no[blockIdx.x * "
        "64 + "
        "threadIdx.x] = 1;\n#if HAS(NEW)\no[0] = threadIdx.x;\n#endif\n}",
        1, "__CUDA_ARCH__ 800"},
       {"constexpr.cu",
        "constexpr int n() { return __CUDA_ARCH__ >= 800 ? 1 : 64; }\ntemplate <int N> __global__ void k(int *o) {\n"
        "o[blockIdx.x * N + threadIdx.x] = 1;\n}\ntemplate __global__ void k<n()>(int *o);",
        0, "assumes that this __CUDA_ARCH__ is meant"}});
}

TEST(Arch, AKernelThatDoesNothingIsNotPlainlyVerified) {
  decide(
      {{"empty.cu", "__global__ void k(int *o) { int a[4]; a[threadIdx.x % 4] = 1; }", 0, "the kernel makes no access"},
       {"empty.cu", k_new, 0, "makes no access; line 3 is left out for __CUDA_ARCH__ 700", {"--cuda-arch=700"}},
       {"emptied.cu",
        "__global__ void k(int *o) {\n#if __CUDA_ARCH__ < 800\no[0] = threadIdx.x;\n#else\nint x = 0;\n#endif\n}", 3,
        "line 3 is left out for __CUDA_ARCH__ 800"},
       {"barrier.cu", "__global__ void k(int *o) { __syncthreads(); }", 0, "!makes no access"}});
}

}  // namespace
}  // namespace fencepost::verifier

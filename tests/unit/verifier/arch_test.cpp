// What __CUDA_ARCH__ leaves out of a kernel is looked at, or said.
#include <gtest/gtest.h>

#include "clangfe/clangfe.h"
#include "verifier/service.h"

namespace fencepost::verifier {
namespace {

struct Case {
  const char* name;
  const char* text;
  int exit_code;
  const char* says = "";
  std::vector<std::string> options = {};
};

const char* const k_plain = "__global__ void k(int *o) { o[blockIdx.x * blockDim.x + threadIdx.x] = 1; }\n";

void decide(const std::vector<Case>& cases) {
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  for (const Case& c : cases) {
    std::vector<std::string> words = {"--blockDim=64", "--gridDim=4"};
    words.insert(words.end(), c.options.begin(), c.options.end());
    const auto o = launch::parse(words);
    ASSERT_TRUE(o) << c.name;
    const launch::Answer a = answer(*o, make_source(c.name, c.text));
    EXPECT_EQ(a.exit_code, c.exit_code) << c.name << "\n" << c.text << "\n" << a.out << a.err;
    const std::string said = a.out + a.err;
    if (*c.says == '!')
      EXPECT_EQ(said.find(c.says + 1), std::string::npos) << c.name << "\n" << said;
    else
      EXPECT_NE(said.find(c.says), std::string::npos) << c.name << ": " << c.says << "\n" << said;
  }
}

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

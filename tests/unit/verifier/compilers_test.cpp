// What macros of other compilers, toolkits and systems decide of a kernel or its launch is said with its verdict.
#include "decide.h"

namespace fencepost::verifier {
namespace {

const std::string k_begin = "__global__ void k(int *o) {\n  o[blockIdx.x * blockDim.x + threadIdx.x] = 1;\n";
const std::string k_race = "  o[0] = threadIdx.x;\n#endif\n}\n";

// The race stands in the text that is left out here, whichever way the condition comes out.
TEST(Compilers, WhatTheirMacrosDecideIsSaid) {
  for (const char* condition : {"ifndef __clang__",
                                "if !defined(__clang__)",
                                "ifdef __NVCOMPILER",
                                "ifdef __EDG__",
                                "if CUDART_VERSION >= 99000",
                                "if __CUDACC_VER_MAJOR__ > 99",
                                "if CUDA_VERSION > 99000",
                                "ifndef __GNUC__",
                                "if __cplusplus >= 202002L",
                                "ifdef NDEBUG",
                                "ifdef _WIN32",
                                "ifdef _MSC_VER",
                                "if defined(_MSC_VER) && _MSC_VER > 1900",
                                "ifndef __x86_64__",
                                "ifdef __CUDACC_RDC__",
                                "ifdef __SM_80_RT_H__",
                                "if __has_include(<nowhere.h>)",
                                "ifdef __FAST_MATH__",
                                "if !__has_builtin(__nvvm_bar_sync)",
                                "ifdef __SOMETHING_OF_A_COMPILER"}) {
    const std::string text = k_begin + "#" + condition + "\n" + k_race;
    decide({{"m.cu", text.c_str(), 0, "here: line 4 is left out"}, {"m.cu", text.c_str(), 3, "line 4", {"--strict"}}});
  }
  for (const char* condition :
       {"ifdef cl_khr_no_such_extension", "ifdef cl_nv_pragma_unroll", "if __OPENCL_VERSION__ >= 400",
        "ifndef __ENDIAN_LITTLE__", "ifdef __NV_CL_C_VERSION", "ifndef __clang__", "ifdef CL_VERSION_9_9"}) {
    const std::string text = std::string("__kernel void k(__global int *o) {\n  o[get_global_id(0)] = 1;\n#") +
                             condition + "\n  o[0] = get_global_id(0);\n#endif\n}\n";
    decide({{"m.cl", text.c_str(), 0, "here: line 4 is left out"}, {"m.cl", text.c_str(), 3, "line 4", {"--strict"}}});
  }
}

// What is read here, and elsewhere not.
TEST(Compilers, WhatIsReadOnlyHereIsSaid) {
  const std::string head = "__global__ void k(int *o) {\n __shared__ int s[64]; s[threadIdx.x] = 1;\n";
  const std::string tail = "\n o[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x]; }\n";
  const std::string
      barrier = head + "#ifdef __clang__\n __syncthreads();\n#endif" + tail,
      either = head + "#if __cplusplus >= 201103L\n __syncthreads();\n#else\n __syncthreads();\n#endif" + tail,
      whole = "#ifdef __clang__\n" + std::string(k_plain) + "#endif\n",
      value = k_begin + " if (__cplusplus > 202600L) o[0] = threadIdx.x;\n}\n",
      macro =
          "#ifdef __clang__\n#define TILE 64\n#else\n#define TILE 1\n#endif\n__global__ void k(int *o) {\n"
          "o[blockIdx.x * TILE + threadIdx.x] = 1;\n}",
      deep = "#define A B\n#define B (CUDART_VERSION >= 99000)\n" + k_begin + "#if A\n" + k_race,
      pasted = "#define CAT(a, b) a##b\n" + k_begin + "#if CAT(__cl, ang__) == 0\n" + k_race,
      unknown = "#define CAT(a, b) a##b\n" + k_begin + "#if CAT(__NV, COMPILER)\n" + k_race;
  decide({{"barrier.cu", barrier.c_str(), 0, "__clang__ is as it is here: line 4 is read"},
          {"either.cu", either.c_str(), 0, "!assumes"},
          {"whole.cu", whole.c_str(), 0, "__clang__ is as it is here: line 2 is read"},
          {"value.cu", value.c_str(), 0, "__cplusplus is as it is here: line 3 uses it"},
          {"macro.cu", macro.c_str(), 0, "__clang__ is as it is here: line 7 uses TILE"},
          {"deep.cu", deep.c_str(), 0, "CUDART_VERSION is as it is here: line 6 is left out"},
          {"pasted.cu", pasted.c_str(), 0, "__clang__ are as they are here: line 5 is left out"},
          {"unknown.cu", unknown.c_str(), 0, "is left out"}});
}

// An include may bring what it likes, whatever stands around its name; not so one of a system or a toolkit.
TEST(Compilers, WhatAnIncludeWouldBringIsSaid) {
  const auto text = [](const std::string& include) {
    return "#ifdef __NVCOMPILER\n" + include + "\n#endif\n#ifndef SYNC\n#define SYNC() __syncthreads()\n#endif\n" +
           "__global__ void k(int *o) {\n __shared__ int s[64]; s[threadIdx.x] = 1; SYNC();\n" +
           " o[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x]; }\n";
  };
  for (const char* include : {"#include <project/sync.h>", "#include <sync.h>", "#include <cuda_sync_macros.h>",
                              "#include \"cuda_sync_macros.h\"", "#include \"device_sync.h\"", "#include SYNC_HEADER",
                              "#include <cutlass/cutlass.h>", "#import <sync.h>", "# include_next <sync.h>",
                              "#include <vector>\n#include <sync.h>", "#include < vector>"}) {
    const std::string t = text(include);
    decide({{"i.cu", t.c_str(), 0, "left out"}, {"i.cu", t.c_str(), 3, "left out", {"--strict"}}});
  }
  for (const char* include : {"#include <vector>", "#include <windows.h>", "#include <cuda_runtime.h>",
                              "#include <cub/cub.cuh>", "#include <cuda/std/atomic>", "#include \"cuda_runtime.h\"",
                              "#include <sys/time.h>", "#include <immintrin.h>", "#include <GL/glut.h>"}) {
    const std::string t = text(include);
    decide({{"i.cu", t.c_str(), 0, "!assumes"}});
  }
}

TEST(Compilers, WhatDecidesNothingIsNotSaid) {
  const std::string plain = k_plain;
  const std::string guard = "#ifndef __K_H__\n#define __K_H__\n" + plain + "#endif\n",
                    valued = "#ifndef __K_H__\n#define __K_H__ 1\n" + plain + "#endif\n",
                    cuda =
                        "#ifdef __CUDACC__\n#define HD __host__ __device__\n#else\n#define HD\n#endif\n"
                        "HD int at(int i) { return i; }\n__global__ void k(int *o) { o[at(threadIdx.x)] = 1; }",
                    qualifiers =
                        "#ifdef __NVCC__\n#define HD __host__ __device__\n#else\n#define HD __device__\n#endif\n"
                        "HD int at(int i) { return i; }\n__global__ void k(int *o) { o[at(threadIdx.x) + 64 * "
                        "blockIdx.x] = 1; }",
                    attribute =
                        "#ifdef _MSC_VER\n#define ALIGN(n) __declspec(align(n))\n#else\n#define ALIGN(n) "
                        "__attribute__((aligned(n)))\n#endif\nstruct ALIGN(8) P { int x, y; };\n__global__ void "
                        "k(P *o) { o[blockIdx.x * 64 + threadIdx.x].x = 1; }",
                    host = plain +
                           "#ifdef _WIN32\n#include <windows.h>\ndouble now() { return 1; }\n#else\n#include "
                           "<sys/time.h>\ndouble now() { return 0; }\n#endif\nint main() { int *p; cudaMalloc(&p, "
                           "1024);\n#ifdef NDEBUG\nnow();\n#endif\nk<<<4, 64>>>(p); }",
                    error =
                        "#if __cplusplus < 201103L\n#error too old\n#endif\n#ifndef CUDART_VERSION\n#error no toolkit\n"
                        "#endif\n" +
                        plain,
                    pragma = k_begin + "#ifdef __NVCC__\n#pragma unroll\n#endif\nfor (int i = 0; i < 3; ++i) { }\n}\n",
                    user = k_begin + "#ifdef USE_X\n  o[0] = threadIdx.x;\n#endif\n}\n",
                    undefined = "#undef NDEBUG\n" + k_begin + "#ifdef NDEBUG\n  o[0] = threadIdx.x;\n#endif\n}\n",
                    other =
                        "#ifdef __clang__\n__device__ int f(int x) { return x; }\n#else\n__device__ int f(int x) { "
                        "return 0; }\n#endif\n" +
                        plain,
                    standard =
                        "#ifndef M_PI\n#define M_PI 3.14\n#endif\n#ifndef min\n#define min(a, b) ((a) < (b) ? (a) : "
                        "(b))\n#endif\n__global__ void k(float *o) { o[blockIdx.x * 64 + threadIdx.x] = M_PI; }";
  decide({{"guard.cu", guard.c_str(), 0, "!assumes"},
          {"valued.cu", valued.c_str(), 0, "!assumes"},
          {"cuda.cu", cuda.c_str(), 0, "!assumes", {"--gridDim=1"}},
          {"qualifiers.cu", qualifiers.c_str(), 0, "!assumes"},
          {"attribute.cu", attribute.c_str(), 0, "!assumes"},
          {"host.cu", host.c_str(), 0, "!assumes", {}, true},
          {"error.cu", error.c_str(), 0, "!assumes"},
          {"pragma.cu", pragma.c_str(), 0, "!assumes"},
          {"user.cu", user.c_str(), 0, "!assumes"},
          {"undefined.cu", undefined.c_str(), 0, "!assumes"},
          {"other.cu", other.c_str(), 0, "!assumes"},
          {"standard.cu", standard.c_str(), 0, "!assumes"}});
}

TEST(Compilers, EveryOpenClHasItsVersion) {
  decide({{"v.cl",
           "#ifdef __OPENCL_VERSION__\n#define AT(i) i\n#else\n#define AT(i) 0\n#endif\n__kernel void k(__global int "
           "*o) { "
           "o[AT(get_global_id(0))] = get_global_id(0); }",
           0, "!assumes that __"}});
}

TEST(Compilers, WhatIsSpokenOfIsKnown) {
  const std::string text = k_begin + "#ifdef NDEBUG\n" + k_race;
  decide({{"m.cu", text.c_str(), 0, "NDEBUG is as it is here"},
          {"m.cu", text.c_str(), 0, "!assumes", {"--clang-opt=-UNDEBUG"}},
          {"m.cu", text.c_str(), 1, "", {"-DNDEBUG"}}});
}

// A kernel that they leave without an access is not proved.
TEST(Compilers, AnEmptiedKernelIsNotDecided) {
  decide({{"e.cu", "__global__ void k(int *o) {\n#ifdef __NVCOMPILER\no[0] = threadIdx.x;\n#endif\n}\n", 3,
           "line 3 is left out"}});
}

TEST(Compilers, LaunchesToo) {
  const std::string k = "__global__ void k(int *o, int *x) { o[threadIdx.x] = x[threadIdx.x + 1]; }\n";
  const auto host = [&](const std::string& body, const std::string& before = "") {
    return before + k + "void f() { int n = 64; int *p, *q; cudaMalloc(&p, 4096); cudaMalloc(&q, 4096);\n" + body +
           "\nk<<<1, n>>>(p, q); }\n";
  };
  const std::string size = host("#ifdef _MSC_VER\nn = 32;\n#endif"), copy = host("#ifdef NDEBUG\nq = p;\n#endif"),
                    launch = host("#if CUDART_VERSION > 99000\nk<<<1, 64>>>(p, p);\n#endif"),
                    apart = host("#ifdef NDEBUG\nint z = 3; z = 4;\n#endif"),
                    macro = "#ifdef __clang__\n#define N 64\n#else\n#define N 32\n#endif\n" + k +
                            "void f(int *p, int *q) { int *a, *b; cudaMalloc(&a, 4096); cudaMalloc(&b, 4096); k<<<1, "
                            "N>>>(a, b); }\n",
                    function = "int many() {\n#ifdef NDEBUG\nreturn 32;\n#endif\nreturn 64; }\n" + k +
                               "void f() { int *a, *b; cudaMalloc(&a, 4096); cudaMalloc(&b, 4096); k<<<1, "
                               "many()>>>(a, b); }\n";
  decide({{"size.cu", size.c_str(), 0, "_MSC_VER is as it is here: line 4 is left out", {}, true},
          {"copy.cu", copy.c_str(), 0, "NDEBUG is as it is here: line 4 is left out", {}, true},
          {"launch.cu", launch.c_str(), 0, "CUDART_VERSION is as it is here: line 4 is left out", {}, true},
          {"apart.cu", apart.c_str(), 0, "!NDEBUG", {}, true},
          {"macro.cu", macro.c_str(), 0, "__clang__ is as it is here: line 7 uses N", {}, true},
          {"function.cu", function.c_str(), 0, "NDEBUG is as it is here: line 3 is left out", {}, true}});
}

// A pointer that is copied in text that a missing include or the host's own compiler turns on.
TEST(Compilers, CopiesInTextThatIsLeftOutAreFollowed) {
  const auto host = [](const std::string& before, const std::string& condition) {
    return before +
           "__global__ void k(int *o, int *x) { o[threadIdx.x] = x[threadIdx.x + 1]; }\nvoid f() { int *p, *q; "
           "cudaMalloc(&p, 4096); cudaMalloc(&q, 4096);\n#" +
           condition + "\nq = p;\n#endif\nk<<<1, 64>>>(p, q); }\n";
  };
  const std::string arch = host("", "ifndef __CUDA_ARCH__"), missing = host("#include \"cfg.h\"\n", "ifdef INPLACE"),
                    with_else = host("#include \"cfg.h\"\n", "ifndef INPLACE\n;\n#else");
  for (const std::string* text : {&arch, &missing, &with_else}) decide({{"alias.cu", text->c_str(), 3, "", {}, true}});
}

}  // namespace
}  // namespace fencepost::verifier

// What macros of other compilers, toolkits and systems decide of a kernel or its launch is said with its verdict.
#include <cstdlib>

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

const std::string k_main = "int main() { int* a; cudaMalloc(&a, 4096); k<<<1, 64>>>(a); }\n";
const std::string k_two_writes = "__global__ void k(int* a) { a[threadIdx.x] = 1; SYNC; a[63 - threadIdx.x] = 2; }\n";

// A default is taken where nothing else has defined the macro: what may have done so decides it.
TEST(Compilers, DefaultsRestOnWhatTheyStandInFor) {
  const std::string word = "#ifndef SYNC\n#define SYNC __syncthreads()\n#endif\n",
                    set = "#ifdef NDEBUG\n#define SYNC\n#endif\n" + word + k_two_writes + k_main,
                    guard =
                        "#ifdef NDEBUG\n#define SKIP\n#endif\n#ifndef SKIP\n#define SKIP\n#define SYNC "
                        "__syncthreads()\n#else\n#define SYNC\n#endif\n" +
                        k_two_writes + k_main,
                    plain = word + k_two_writes + k_main, known = "#define NDEBUG\n" + word + k_two_writes + k_main,
                    grid =
                        "#ifdef NDEBUG\n#define N 2\n#endif\n#ifndef N\n#define N 1\n#endif\n__global__ void k(int* a) "
                        "{ a[threadIdx.x] = blockIdx.x; }\nint main() { int* a; cudaMalloc(&a, 4096); k<<<N, "
                        "64>>>(a); }\n";
  decide({{"set.cu", set.c_str(), 0, "NDEBUG", {}, true},
          {"set.cu", set.c_str(), 3, "NDEBUG", {"--strict"}, true},
          {"set.cu", set.c_str(), 0, "!NDEBUG", {"--clang-opt=-UNDEBUG"}, true},
          {"guard.cu", guard.c_str(), 0, "NDEBUG", {}, true},
          {"plain.cu", plain.c_str(), 0, "!SYNC", {}, true},
          {"known.cu", known.c_str(), 0, "!NDEBUG", {}, true},
          {"grid.cu", grid.c_str(), 0, "NDEBUG", {}, true},
          {"set.cl",
           "#ifdef cl_khr_no_such\n#define BAR\n#endif\n#ifndef BAR\n#define BAR "
           "barrier(CLK_GLOBAL_MEM_FENCE)\n#endif\nkernel void k(global int* a) { a[get_local_id(0)] = 1; BAR; a[63 - "
           "get_local_id(0)] = 2; }",
           0,
           "cl_khr_no_such",
           {"--num_groups=1"}}});
}

// A word that is no macro here, and is one elsewhere.
TEST(Compilers, WordsThatAreMacrosElsewhereAreSaid) {
  const std::string k =
      "__global__ void k(int* a) { a[threadIdx.x] = 1; __syncthreads(); a[63 - threadIdx.x] = 2; }\n" + k_main;
  const std::string debug = "#ifdef NDEBUG\n#define __syncthreads()\n#endif\n" + k,
                    arch =
                        "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700\n#define __syncthreads() "
                        "__syncwarp()\n#endif\n" +
                        k,
                    other = "#ifdef NDEBUG\n#define __trap()\n#endif\n" + k,
                    idle =
                        "#ifdef _MSC_VER\n#define __attribute__(x)\n#define __restrict__ __restrict\n#endif\n"
                        "__attribute__((noinline)) __device__ void f(int* __restrict__ a) { *a = 1; }\n" +
                        k,
                    both = "#ifdef NDEBUG\n#define LOG(x)\n#else\n#define LOG(x)\n#endif\n" + k,
                    editor = "#ifdef __INTELLISENSE__\n#define __syncthreads()\n#endif\n" + k;
  decide({{"debug.cu", debug.c_str(), 0, "NDEBUG is as it is here: line 2 is left out", {}, true},
          {"debug.cu", debug.c_str(), 3, "NDEBUG", {"--strict"}, true},
          {"arch.cu", arch.c_str(), 0, "line 2 is left out for it", {}, true},
          {"other.cu", other.c_str(), 0, "!NDEBUG", {}, true},
          {"idle.cu", idle.c_str(), 0, "!_MSC_VER", {}, true},
          {"both.cu", both.c_str(), 0, "!NDEBUG", {}, true},
          {"editor.cu", editor.c_str(), 0, "!INTELLISENSE", {}, true}});
}

// What has no word in the kernel: operators, namespaces that are used, how structures are laid out.
TEST(Compilers, WhatAKernelUsesWithoutAWordIsSaid) {
  const std::string choice = "#ifdef NDEBUG\n";
  const std::string plus = "struct V { unsigned v; };\n" + choice +
                           "__device__ unsigned operator+(V x, unsigned y) { return 0; }\n#else\n"
                           "__device__ unsigned operator+(V x, unsigned y) { return x.v + y; }\n#endif\n"
                           "__global__ void k(int* a) { V v{threadIdx.x}; a[v + 1u] = threadIdx.x; }\n" +
                           k_main,
                    literal = choice +
                              "__device__ unsigned operator\"\"_w(unsigned long long x) { return x / 2; }\n#else\n"
                              "__device__ unsigned operator\"\"_w(unsigned long long x) { return x; }\n#endif\n"
                              "__global__ void k(int* a) { a[threadIdx.x % 64_w] = threadIdx.x; }\n" +
                              k_main,
                    space =
                        "namespace c1 { constexpr unsigned w = 32; }\nnamespace c2 { constexpr unsigned w = 64; }\n" +
                        choice +
                        "using namespace c1;\n#else\nusing namespace c2;\n#endif\n"
                        "__global__ void k(int* a) { a[threadIdx.x % w] = threadIdx.x; }\n" +
                        k_main,
                    pack =
                        choice +
                        "#pragma pack(1)\n#endif\nstruct S { char c; int x; };\n"
                        "__global__ void k(S* s) { s[threadIdx.x].x = 1; if (sizeof(S) == 5) s[0].x = threadIdx.x; }\n"
                        "int main() { S* a; cudaMalloc(&a, 4096); k<<<1, 64>>>(a); }\n",
                    argument =
                        "template <class T, class U =\n" + choice +
                        "unsigned char\n#else\nunsigned\n#endif\n> struct H { U v; };\n"
                        "__global__ void k(int* a) { H<int> i; i.v = threadIdx.x * 8; a[i.v] = threadIdx.x; }\n" +
                        k_main;
  decide({{"plus.cu", plus.c_str(), 0, "NDEBUG", {}, true},
          {"literal.cu", literal.c_str(), 0, "NDEBUG", {}, true},
          {"space.cu", space.c_str(), 0, "NDEBUG", {}, true},
          {"pack.cu", pack.c_str(), 0, "NDEBUG", {}, true},
          {"argument.cu", argument.c_str(), 0, "NDEBUG", {}, true}});
}

TEST(Compilers, LaunchesThroughFunctionsToo) {
  const std::string k = "__global__ void k(int* a, unsigned n) { a[threadIdx.x % n] = blockIdx.x; }\n";
  const auto main = [](const std::string& launch) {
    return "int main() { int *a, *b; cudaMalloc(&a, 4096); cudaMalloc(&b, 4096); " + launch + " }\n";
  };
  const std::string deep = k +
                           "int pick() {\n#ifdef NDEBUG\nreturn 32;\n#else\nreturn 64;\n#endif\n}\n"
                           "int helper() { return pick(); }\n" +
                           main("k<<<1, 64>>>(a, helper());"),
                    left = k +
                           "#ifdef NDEBUG\nvoid extra(int* a) { k<<<2, 64>>>(a, 64); }\n#else\nvoid extra(int* a) "
                           "{}\n#endif\n" +
                           main("k<<<1, 64>>>(a, 64); extra(a);"),
                    alias =
                        "#if CUDART_VERSION >= 99000\n#define ALIAS b = a;\n#else\n#define ALIAS\n#endif\n"
                        "__global__ void k(int* a, int* b) { a[threadIdx.x] = b[threadIdx.x + 1]; }\n" +
                        main("ALIAS k<<<1, 64>>>(a, b);");
  decide({{"deep.cu", deep.c_str(), 0, "NDEBUG", {}, true},
          {"left.cu", left.c_str(), 0, "NDEBUG", {}, true},
          {"alias.cu", alias.c_str(), 0, "CUDART_VERSION", {}, true}});
}

TEST(Compilers, TypesOfThePlatformAreInTheProfile) {
  decide({{"k.cu", k_plain, 0, "char signed, long of 64 bits, wchar_t of 32"},
          {"k.cu", k_plain, 0, "char signed, long of 32 bits", {"--pointer-bitwidth=32"}}});
}

// <assert.h>: with NDEBUG nothing is evaluated and nothing checked (C17 7.2).
TEST(Compilers, AssertHeedsNDEBUG) {
  const std::string
      head = "#include <cassert>\n",
      kernel =
          "__global__ void k(int* a) { a[threadIdx.x] = 1; assert((__syncthreads(), 1)); a[63 - "
          "threadIdx.x] = 2; }\n" +
          k_main,
      check = "__global__ void k(int* a, int n) { assert(n == 5); a[blockIdx.x * 64 + threadIdx.x] = n; }\n",
      effect =
          "__global__ void k(int* a) { int i = 0; assert((i = threadIdx.x) < 64); a[i] = threadIdx.x; }\n" + k_main,
      pure =
          "#define OF(x) ((x) + min(1, 2))\n__global__ void k(int* a) { int t = blockIdx.x * 64 + "
          "threadIdx.x; assert((unsigned)OF(t) >= 0 && sizeof(int) == 4); a[t] = 1; }\n",
      inner =
          "#define SYNC() __syncthreads()\n#define CHECK(x) assert(x)\n__global__ void k(int* a) { "
          "a[threadIdx.x] = 1; CHECK((SYNC(), 1)); a[63 - threadIdx.x] = 2; }\n" +
          k_main,
      own = "#define assert(x) (void)(x)\n" + kernel;
  const std::string with = head + kernel, defined = "#define NDEBUG\n" + head + effect,
                    again = head + "#define NDEBUG\n#include <assert.h>\n" + effect,
                    late = head + "#define NDEBUG\n" + effect, undefined = "#undef NDEBUG\n" + head + kernel;
  decide({{"here.cu", with.c_str(), 0, "NDEBUG is as it is here: line 2 uses assert", {}, true},
          {"here.cu", with.c_str(), 3, "NDEBUG", {"--strict"}, true},
          {"here.cu", with.c_str(), 1, "race", {"-DNDEBUG"}, true},
          {"here.cu", with.c_str(), 1, "race", {"--clang-opt=-DNDEBUG"}, true},
          {"here.cu", with.c_str(), 0, "!NDEBUG is", {"--clang-opt=-UNDEBUG"}, true},
          {"bare.cu", kernel.c_str(), 1, "race", {"-DNDEBUG"}, true},
          {"defined.cu", defined.c_str(), 1, "race", {}, true},
          {"again.cu", again.c_str(), 1, "race", {}, true},
          {"late.cu", late.c_str(), 0, "", {}, true},
          {"undefined.cu", undefined.c_str(), 0, "!NDEBUG", {}, true},
          {"inner.cu", inner.c_str(), 0, "NDEBUG", {}, true},
          {"own.cu", own.c_str(), 0, "!NDEBUG", {}, true},
          {"check.cu", check.c_str(), 1, "assert"},
          {"check.cu", check.c_str(), 0, "", {"-DNDEBUG"}},
          {"pure.cu", pure.c_str(), 0, "!NDEBUG"}});
  // With the headers of a toolkit, and the C library's assert.h, alike. FENCEPOST_CUDA_PATH names one.
  const char* path = std::getenv("FENCEPOST_CUDA_PATH");
  if (path == nullptr || *path == 0) return;
  const std::string toolkit = std::string("--cuda-path=") + path;
  decide({{"here.cu", with.c_str(), 0, "NDEBUG is as it is here: line 2 uses assert", {toolkit}, true},
          {"here.cu", with.c_str(), 3, "NDEBUG", {toolkit, "--strict"}, true},
          {"here.cu", with.c_str(), 1, "race", {toolkit, "-DNDEBUG"}, true},
          {"here.cu", with.c_str(), 0, "!NDEBUG is", {toolkit, "--clang-opt=-UNDEBUG"}, true},
          {"defined.cu", defined.c_str(), 1, "race", {toolkit}, true},
          {"again.cu", again.c_str(), 1, "race", {toolkit}, true},
          {"undefined.cu", undefined.c_str(), 0, "!NDEBUG", {toolkit}, true},
          {"inner.cu", inner.c_str(), 0, "NDEBUG", {toolkit}, true},
          {"check.cu", check.c_str(), 1, "assert", {toolkit}},
          {"check.cu", check.c_str(), 0, "", {toolkit, "-DNDEBUG"}},
          {"pure.cu", pure.c_str(), 0, "!NDEBUG", {toolkit}}});
}

}  // namespace
}  // namespace fencepost::verifier

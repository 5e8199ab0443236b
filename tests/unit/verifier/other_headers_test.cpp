// Headers of the standard library and of CUDA that stand in for the real ones: what they decide of the host's code is
// not known, or is said.
#include <gtest/gtest.h>

#include "clangfe/clangfe.h"
#include "verifier/service.h"

namespace fencepost::verifier {
namespace {

struct Case {
  std::string text;
  int exit_code;          // 0 verified, 1 defect, 3 not decided
  const char* says = "";  // on either stream; "!...": does not say it
};

void decide(const std::vector<Case>& cases) {
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  for (const Case& c : cases) {
    const auto o = launch::parse({});
    ASSERT_TRUE(o);
    const launch::Answer a = answer(*o, make_source("host.cu", c.text));
    EXPECT_EQ(a.exit_code, c.exit_code) << c.text << "\n" << a.out << a.err;
    const bool no = *c.says == '!';
    EXPECT_EQ((a.out + a.err).find(c.says + (no ? 1 : 0)) == std::string::npos, no) << c.text << "\n" << a.out << a.err;
  }
}

const char* const k_all =
    "#include <vector>\n#include <memory>\n#include <cmath>\n#include <iterator>\n#include <string>\n";

// A grid of one block, or of another size.
std::string sized(const std::string& grid, const std::string& before = "") {
  return k_all + before + "\n__global__ void k(int* a) { a[threadIdx.x] = blockIdx.x; }\n" +
         "int main(int m, char**) { int* p; cudaMalloc(&p, 4096); k<<<" + grid + ", 32>>>(p); }\n";
}

TEST(StandIns, SizesOfLibraryClassesAreNotKnown) {
  const std::string other = "template <class T, class = void> struct H { static const int v = 1; };\n";
  decide({
      {sized("sizeof(float) / 4"), 0},
      {sized("sizeof(float4) / 16"), 0},
      {sized("sizeof(std::shared_ptr<int>) / 8"), 1},
      {sized("alignof(std::max_align_t) / 8"), 1},
      {sized("n", "struct S { std::string s; };\nconst int n = sizeof(S) / sizeof(S);"), 1},
      {sized("std::is_same<float, float>::value"), 0},
      {sized("std::is_pointer_v<std::vector<int>::iterator>"), 1},
      {sized("noexcept(std::vector<int>()) ? 2 : 1"), 1},
      {sized("sizeof(abs(1l)) / 4"), 1},
      {sized("std::ios::app"), 1},
      {sized("H<int*>::v", other + "template <class T> struct H<T*> { static const int v = 1; };"), 0},
      {sized("H<int>::v", other +
                              "template <class T> struct H<T, std::void_t<typename std::iterator_traits<T>::pointer>> "
                              "{ static const int v = 2; };"),
       1},
      {sized(
           "H<std::vector<int>>::v",
           other +
               "template <class T> struct H<T, std::void_t<typename T::allocator_type>> { static const int v = 2; };"),
       1},
      {sized("1", "void print(const std::vector<float>& v);"), 0},
  });
}

// A counter, and what resets it before the second launch.
std::string reset(const std::string& text, const std::string& before = "") {
  return k_all + before +
         "\n__global__ void k(unsigned* c, float* part, float* out) { __shared__ bool last;\n"
         "  part[blockIdx.x * 64 + threadIdx.x] = threadIdx.x; __syncthreads();\n"
         "  if (threadIdx.x == 0) { __threadfence(); last = atomicAdd(c, 1) >= gridDim.x - 1; }\n  __syncthreads();\n"
         "  if (last) { float s = 0; for (unsigned i = threadIdx.x; i < gridDim.x * 64; i += 64) s += part[i];\n"
         "    out[threadIdx.x] = s; } }\n"
         "int main(int m, char**) { float *p, *q; cudaMalloc(&p, 4096); cudaMalloc(&q, 4096); unsigned* c;\n"
         "  cudaMalloc(&c, 64); cudaMemset(c, 0, 4); k<<<8, 64>>>(c, p, q); " +
         text + " k<<<8, 64>>>(c, p, q); }\n";
}

TEST(StandIns, WhichFunctionTheyChooseIsNotKnown) {
  const std::string by_type =
      "static void rs(float, unsigned* x) { cudaMemset(x, 0, 4); } static void rs(double, unsigned*) {}\n";
  const std::string by_pointer =
      "template <class T> static void rs(T*, unsigned* x) { cudaMemset(x, 0, 4); }\n"
      "template <class T> static void rs(T, unsigned* x) { }\n";
  const std::string by_member =
      "template <class T> static auto rs(T t, unsigned* x, int) -> decltype(t.swap(t)) { }\n"
      "template <class T> static void rs(T, unsigned* x, long) { cudaMemset(x, 0, 4); }\n";
  const std::string vectors =
      "static void up(float* d, std::vector<float>& h) { cudaMemcpy(d, h.data(), h.size() * 4, "
      "cudaMemcpyHostToDevice); }\n"
      "static void up(int* d, std::vector<int>& h) { cudaMemcpy(d, h.data(), h.size() * 4, cudaMemcpyHostToDevice); }\n"
      "template <class T> void check(T e, const char* s) { if (e) printf(\"%s\", s); }\n";
  decide({
      {reset("rs(1.f, c);", by_type), 0},
      {reset("rs(std::pow(1.f, 2), c);", by_type), 3},
      {reset("auto x = std::pow(1.f, 2); rs(x * 2, c);", by_type), 3},
      {reset("rs((float)std::pow(1.f, 2), c);", by_type), 0},
      {reset("rs(p, c);", by_pointer), 0},
      {reset("std::vector<int> v; rs(v.begin(), c);", by_pointer), 3},
      {reset("std::shared_ptr<int> v; rs(v, c, 0);", by_member), 3},
      {reset("cudaMemset(c, 0, sizeof(unsigned));"), 0},
      {reset("cudaMemset(c, 0, sizeof(std::vector<int>) == 24 ? 0 : 4);"), 3},
      {reset("std::vector<float> h(64); up(p, h); check(cudaMemset(c, 0, 4), \"reset\");", vectors), 0},
  });
}

TEST(StandIns, TheirMacrosAreAnAssumption) {
  const std::string clear = "cudaMemset(c, 0, 4);\n";
  const auto on = [&](const std::string& name, const std::string& before) {
    return reset("\n#ifndef " + name + "\n" + clear + "#endif\n", before);
  };
  const std::string n = "#ifdef errno\nconst int n = 2;\n#else\nconst int n = 1;\n#endif\n";
  decide({
      {on("BUFSIZ", "#include <cstdio>\n"), 0, "BUFSIZ is as it is here"},
      {on("PATH_MAX", "#include <climits>\n"), 0, "PATH_MAX is as it is here"},
      {on("SIGINT", "#include <csignal>\n"), 0, "SIGINT is as it is here"},
      {on("cudaStreamPerThread", ""), 0, "cudaStreamPerThread is as it is here"},
      {on("MINE", "#include <cstdio>\n#if 0\n#define MINE\n#endif\n"), 0, "!MINE is as it is here"},
      {sized("n", "#include <cerrno>\n" + n), 0, "errno is as it is here"},
  });
}

}  // namespace
}  // namespace fencepost::verifier

// What the host's code says of a launch beyond its sizes: arrays that are given twice, textures over them, and what
// counters hold when the kernel starts.
#include <gtest/gtest.h>

#include "clangfe/clangfe.h"
#include "verifier/service.h"

namespace fencepost::verifier {
namespace {

struct Case {
  std::string text;
  int exit_code;          // 0 verified, 1 defect, 3 not decided
  const char* says = "";  // on either stream
};

void decide(const std::vector<Case>& cases, const std::vector<std::string>& options = {}) {
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  for (const Case& c : cases) {
    const auto o = launch::parse(options);
    ASSERT_TRUE(o);
    const launch::Answer a = answer(*o, make_source("host.cu", c.text));
    EXPECT_EQ(a.exit_code, c.exit_code) << c.text << "\n" << a.out << a.err;
    EXPECT_NE((a.out + a.err).find(c.says), std::string::npos) << c.text << "\n" << a.out << a.err;
  }
}

TEST(HostCode, a_pointer_that_is_not_followed_is_no_array_of_its_own) {
  const std::string k = "__global__ void k(int* a, const int* b) { a[threadIdx.x] = b[threadIdx.x + 1]; }\n";
  const std::string only = "__global__ void k(int* a) { a[threadIdx.x] = 1; }\n";
  const std::string reads =
      "__global__ void k(int* a, int* b, int* o) { if (a[0] == b[threadIdx.x]) o[threadIdx.x] = 1; }\n";
  const std::string file = "__device__ int g[64];\n";
  decide({
      {k + "int main() { int *p, *q; cudaMalloc(&p, 256); cudaMalloc(&q, 256); k<<<1, 32>>>(p, q); }", 0},
      {k + "int* more(); int main() { int* p; cudaMalloc(&p, 256); k<<<1, 32>>>(p, more()); }", 3,
       "where the host has 'b' from"},
      {only + "int* more(); int main() { k<<<1, 32>>>(more()); }", 0},
      {k + "void launch(int* a, int* b) { k<<<1, 32>>>(a, b); }", 0},
      // Arrays that are only read may be one.
      {reads + "int main() { int *p, *o; cudaMalloc(&p, 256); cudaMalloc(&o, 256); k<<<1, 32>>>(p, p, o); }", 0},
      // An array of file scope that this kernel does not name.
      {file + only + "int main() { int* p; cudaGetSymbolAddress((void**)&p, g); k<<<1, 32>>>(p); }", 0},
      {"__constant__ int c[64];\n__global__ void k(int* a) { a[threadIdx.x] = c[threadIdx.x + 1]; }\n"
       "int main() { int* p; cudaGetSymbolAddress((void**)&p, c); k<<<1, 32>>>(p); }",
       3, "an array of file scope"},
      {k + "int main() { int *p, *q; cudaMalloc(&p, 256); q = p + 1; void* g[] = {&p, &q}; "
           "cudaLaunchKernel((void*)k, dim3(1), dim3(32), g, 0, 0); }",
       3, "may be of one array"},
      {k + "int main() { int *p, *q; cudaMalloc(&p, 256); cudaMalloc(&q, 256); void* g[] = {&p, &q}; g[1] = g[0]; "
           "cudaLaunchKernel((void*)k, dim3(1), dim3(32), g, 0, 0); }",
       3, "is not known"},
      {k + "int main() { int *p, *q; cudaMalloc(&p, 256); cudaMalloc(&q, 256); void* g[] = {&p, &q}; "
           "cudaLaunchKernel((void*)k, dim3(1), dim3(32), g, 0, 0); }",
       0},
      {k + "int main(int n, char**) { int *p, *q; cudaMalloc(&p, 256); q = p; k<<<1, 32>>>(n ? p : q, n ? q : p); }", 3,
       "may be of one array"},
      {k + "int main(int n, char**) { int *p, *q; cudaMalloc(&p, 256); cudaMalloc(&q, 256); "
           "k<<<1, 32>>>(n ? p : q, n ? q : p); }",
       0},
  });
  // Nothing says the sizes, or what is given.
  decide({{k + "int main() { int* p; cudaMalloc(&p, 256); auto f = k; f<<<1, 32>>>(p, p); }", 3,
           "may be in the array of"}},
         {"--blockDim=32", "--gridDim=1"});
}

TEST(HostCode, pointers_from_memory_lead_to_no_array_that_is_known) {
  decide({
      {"__global__ void k(float* const* a, int n) { float* p = a[blockIdx.x]; if (threadIdx.x < n) p[threadIdx.x] = 1; "
       "}\n"
       "int main() { float** d; cudaMalloc(&d, 64); k<<<4, 64>>>(d, 64); }",
       3, "an access through a pointer that is loaded from memory"},
      {"__device__ int* g;\n__global__ void k(int* b) { g[threadIdx.x] = b[threadIdx.x]; }\n", 3, "loaded from memory"},
      {"__global__ void k(unsigned long long a, int* b) { ((int*)a)[threadIdx.x] = b[threadIdx.x]; }\n", 3,
       "made of a number"},
  });
}

TEST(HostCode, a_texture_may_lie_over_an_array_that_the_kernel_writes) {
  const std::string k =
      "__global__ void k(int* a, cudaTextureObject_t t) { a[threadIdx.x] = tex1Dfetch<int>(t, threadIdx.x + 1); }\n";
  const auto host = [&](const std::string& memory) {
    return k +
           "int main() { int *p, *q; cudaMalloc(&p, 1024); cudaMalloc(&q, 1024); cudaResourceDesc r; "
           "memset(&r, 0, sizeof r); r.resType = cudaResourceTypeLinear; r.res.linear.devPtr = " +
           memory +
           "; cudaTextureDesc d; cudaTextureObject_t t; cudaCreateTextureObject(&t, &r, &d, 0); k<<<1, 32>>>(p, t); }";
  };
  const std::string reference =
      "texture<int> t;\n__global__ void k(int* a) { a[threadIdx.x] = tex1Dfetch(t, threadIdx.x + 1); }\n";
  decide({
      {host("p"), 3, "a texture may lie over"},
      {host("p + 4"), 3, "a texture may lie over"},
      {host("q"), 0},
      {reference + "int main() { int* p; cudaMalloc(&p, 1024); cudaBindTexture(0, t, p, 1024); k<<<1, 32>>>(p); }", 3,
       "a texture may lie over"},
  });
  decide({{"__global__ void k(cudaSurfaceObject_t s, cudaTextureObject_t t) {\n"
           "  surf1Dwrite(tex1Dfetch<int>(t, threadIdx.x + 1), s, threadIdx.x * 4); }\n",
           3, "through a surface"}},
         {"--blockDim=32", "--gridDim=1"});
  decide({{k, 3, "the memory of textures are different arrays"}}, {"--strict", "--blockDim=32", "--gridDim=1"});
}

TEST(HostCode, counters_start_at_what_the_host_leaves_there) {
  const auto kernel = [](const std::string& counter, const std::string& end) {
    return "__global__ void k(" + std::string(counter == "c" ? "unsigned* c, " : "") +
           "float* part, float* out) { __shared__ bool last; part[blockIdx.x * 64 + threadIdx.x] = threadIdx.x;\n"
           "  __syncthreads();\n"
           "  if (threadIdx.x == 0) { __threadfence(); last = atomicAdd(" +
           (counter == "c" ? "" : "&") + counter +
           ", 1) >= gridDim.x - 1; }\n  __syncthreads();\n"
           "  if (last) { float s = 0; for (unsigned i = threadIdx.x; i < gridDim.x * 64; i += 64) s += part[i];\n"
           "    out[threadIdx.x] = s; " +
           end + " } }\n";
  };
  const std::string n = kernel("n", ""), put_back = kernel("n", "if (threadIdx.x == 0) n = 0;"), c = kernel("c", ""),
                    two = "int main() { float *p, *q; cudaMalloc(&p, 4096); cudaMalloc(&q, 4096); ",
                    given = two + "unsigned* c; cudaMalloc(&c, 4); ";
  const std::string launch = "k<<<8, 64>>>(p, q); ", with = "k<<<8, 64>>>(c, p, q); ";
  decide({
      {"__device__ unsigned n;\n" + n + two + launch + "}", 0, "is 0 when the kernel starts"},
      {"__device__ unsigned n = 0;\n" + n + two + launch + "}", 0, "is 0 when the kernel starts"},
      {"__device__ unsigned n = 3;\n" + n + two + launch + "}", 3, "its first value in the text is another one"},
      {"__device__ unsigned n;\n" + n + two + launch + launch + "}", 3, "was given it before"},
      {"__device__ unsigned n;\n" + n + two + "for (int i = 0; i < 4; ++i) " + launch + "}", 3, "is made again"},
      {"__device__ unsigned n;\n" + put_back + two + "for (int i = 0; i < 4; ++i) " + launch + launch + "}", 0},
      {"__device__ unsigned n;\n" + n + two + "unsigned one = 1; cudaMemcpyToSymbol(n, &one, 4); " + launch + "}", 3,
       "the host sets it otherwise"},
      {"__device__ unsigned n;\n" + n + two +
           "unsigned zero = 0; for (int i = 0; i < 4; ++i) { cudaMemcpyToSymbol(n, &zero, 4); " + launch + "} }",
       0},
      // By a function of the host, which is given the value.
      {"__device__ unsigned n;\nvoid set(int v) { cudaMemcpyToSymbol(n, &v, 4); }\n" + n + two + "set(0); " + launch +
           "}",
       0},
      {"__device__ unsigned n;\nvoid set(int v) { cudaMemcpyToSymbol(n, &v, 4); }\nvoid reset(int w) { set(w); }\n" +
           n + two + "int w = 0; reset(w); " + launch + "}",
       0},
      {"__device__ unsigned n;\nvoid set(int v) { cudaMemcpyToSymbol(n, &v, 4); }\n" + n + two +
           "int w = 0; w++; set(w); " + launch + "}",
       3, "the host sets it otherwise"},
      {"__device__ unsigned n;\nvoid set(int v) { cudaMemcpyToSymbol(n, &v, 4); }\n" + n + two + "set(1); " + launch +
           "}",
       3, "the host sets it otherwise"},
      {"__device__ unsigned n;\nvoid set(int v) { v += 2; cudaMemcpyToSymbol(n, &v, 4); }\n" + n + two + "set(0); " +
           launch + "}",
       3, "the host sets it otherwise"},
      {"__device__ unsigned n;\nvoid set(int v) { cudaMemcpyToSymbol(n, &v, 4); }\n" + n + two + "set(0); " + launch +
           "set(4); }",
       0},
      {"__device__ unsigned n;\nvoid set(int v = 0) { cudaMemcpyToSymbol(n, &v, 4); }\n" + n + two + "set(5); " +
           launch + "}",
       3, "the host sets it otherwise"},
      {c + given + "cudaMemset(c, 0, 4); " + with + "}", 0},
      {c + given + "cudaMemset(c, 1, 4); " + with + "}", 3, "the host sets it otherwise"},
      {c + given + "cudaMemset(c, 0, 4); " + with + with + "}", 3, "was given it before"},
      {c + given + "for (int i = 0; i < 4; ++i) { cudaMemset(c, 0, 4); " + with + "} }", 0},
  });
}

// A reset counts for the place and the bytes that it clears.
TEST(HostCode, a_reset_is_of_the_place_that_the_launch_is_given) {
  const auto kernel = [](const std::string& counter) {
    return "__global__ void k(unsigned* c, float* part, float* out) { __shared__ bool last;\n"
           "  part[blockIdx.x * 64 + threadIdx.x] = threadIdx.x; __syncthreads();\n"
           "  if (threadIdx.x == 0) { __threadfence(); last = atomicAdd(" +
           counter +
           ", 1) >= gridDim.x - 1; }\n  __syncthreads();\n"
           "  if (last) { float s = 0; for (unsigned i = threadIdx.x; i < gridDim.x * 64; i += 64) s += part[i];\n"
           "    out[threadIdx.x] = s; } }\n";
  };
  const auto host = [](const std::string& text) {
    return "int main(int m, char**) { float *p, *q; cudaMalloc(&p, 4096); cudaMalloc(&q, 4096); unsigned* c; "
           "cudaMalloc(&c, 64); " +
           text + " }\n";
  };
  const auto launch = [](const std::string& place) { return "k<<<8, 64>>>(" + place + ", p, q); "; };
  const std::string k = kernel("c"), second = kernel("c + 1"), any = kernel("c + part[0] * 0"),
                    rounds = "for (int i = 0; i < 4; ++i) ";
  decide({
      {k + host("cudaMemset(c, 0, 4); " + launch("c + 1")), 3, "does not reach it"},
      {k + host("cudaMemset(c, 0, 8); " + launch("c + 1")), 0, "is 0 when the kernel starts"},
      {k + host("cudaMemset(c, 0, 64); " + launch("c + 1")), 0},
      {k + host("cudaMemset(c + 1, 0, 4); " + launch("c + 1")), 0},
      {k + host("cudaMemset(&c[1], 0, sizeof(unsigned)); " + launch("c + 1")), 0},
      {k + host("cudaMemset(c + 1, 0, 4); " + launch("c")), 3, "does not reach it"},
      {k + host("cudaMemset(c + 2, 0, 4); " + launch("c + 1")), 3, "does not reach it"},
      {k + host("cudaMemset((char*)c + 4, 0, 4); " + launch("c + 1")), 0},
      {k + host("cudaMemset(c, 1, 64); cudaMemset(c, 0, 4); " + launch("c + 1")), 3, "the host sets it otherwise"},
      {k + host("cudaMemset(c, 1, 64); cudaMemset(c, 0, 4); " + launch("c")), 0},
      {k + host("cudaMemset(c, 0, 4); cudaMemset(c + 1, 0, 4); " + launch("c + 1")), 0},
      // The kernel counts further on.
      {second + host("cudaMemset(c, 1, 64); cudaMemset(c, 0, 4); " + launch("c")), 3, "the host sets it otherwise"},
      {second + host("cudaMemset(c, 1, 64); cudaMemset(c, 0, 4); cudaMemset(c + 1, 0, 60); " + launch("c")), 0},
      {second + host("cudaMemset(c, 1, 64); cudaMemset(c, 0, 8); " + launch("c")), 3, "the host sets it otherwise"},
      {second + host(launch("c") + "cudaMemset(c, 0, 4); " + launch("c")), 3, "was given it before"},
      // In loops.
      {k + host(rounds + "{ cudaMemset(c, 0, 4); " + launch("c + i") + "}"), 3, "is made again"},
      {k + host(rounds + "{ cudaMemset(c + i, 0, 4); " + launch("c + i") + "}"), 0},
      {k + host(rounds + "{ cudaMemset(c + i, 0, 4); i += 2; " + launch("c + i") + "}"), 3, "is made again"},
      {k + host(rounds + "{ cudaMemset(c + i, 0, 4); ++c; " + launch("c + i") + "}"), 3, "is made again"},
      {k + host(rounds + "{ cudaMemset(c, 0, 64); " + launch("c + i") + "}"), 0},
      {k + host(rounds + "{ cudaMemset(c, 0, 64); " + launch("c + i") + "}"), 0},
      {k + host(rounds + "{ cudaMemset(c, 0, m * sizeof(*c)); " + launch("c + i") + "}"), 3},
      {k + host(launch("c + 1") + "cudaMemset(c, 0, 4); " + launch("c + 1")), 3, "was given it before"},
      // A function that is given the memory: nothing says how much there is.
      {k + "void go(unsigned* c, float* p, float* q) { cudaMemset(c, 0, 4); " + launch("c") + "}\n", 0},
      {k + "void go(unsigned* c, float* p, float* q) { cudaMemset(c, 0, 4); " + launch("c + 1") + "}\n", 3,
       "does not reach it"},
      {k + "void go(unsigned* c, float* p, float* q) { cudaMemset(c, 0, 256); " + launch("c + 1") + "}\n", 0},
      // Of a variable of the device.
      {"__device__ unsigned n[4];\n" + kernel("n + 1") +
           host("unsigned z = 0, o[4] = {1, 1, 1, 1}; cudaMemcpyToSymbol(n, o, 16); cudaMemcpyToSymbol(n, &z, 4); " +
                launch("c")),
       3, "the host sets it otherwise"},
      {"__device__ unsigned n[4];\n" + kernel("n + 1") +
           host("unsigned z = 0, o[4] = {1, 1, 1, 1}, w[4] = {}; cudaMemcpyToSymbol(n, o, 16); "
                "cudaMemcpyToSymbol(n, &z, 4); cudaMemcpyToSymbol(n, w, 12, 4); " +
                launch("c")),
       0},
  });
}

// A launch that is made again finds 0 if each one before it has left that: the last block always puts it back, or the
// limit of the ticket does, whatever kernel the launch was of.
TEST(HostCode, counters_that_each_launch_puts_back) {
  const auto kernel = [](const std::string& ticket, const std::string& end) {
    return "__device__ unsigned n;\n__global__ void k(float* part, float* out, unsigned m) { __shared__ bool last;\n"
           "  part[blockIdx.x * 64 + threadIdx.x] = threadIdx.x; __syncthreads();\n"
           "  if (threadIdx.x == 0) { __threadfence(); last = " +
           ticket +
           " >= gridDim.x - 1; }\n  __syncthreads();\n"
           "  if (last) { float s = 0; for (unsigned i = threadIdx.x; i < gridDim.x * 64; i += 64) s += part[i];\n"
           "    out[threadIdx.x] = s; " +
           end + " } }\n";
  };
  const std::string add = "atomicAdd(&n, 1)", back = "if (threadIdx.x == 0) n = 0;",
                    two = "int main(int c, char**) { float *p, *q; cudaMalloc(&p, 4096); cudaMalloc(&q, 4096); ",
                    launch = "k<<<8, 64>>>(p, q, c); ", again = two + "for (int i = 0; i < 4; ++i) " + launch + "}";
  const char* const not_shown = "is not shown to leave 0 there";
  decide({
      {kernel(add, back) + again, 0},
      {kernel("atomicInc(&n, gridDim.x - 1)", "") + again, 0},
      {kernel("atomicInc(&n, gridDim.x)", back) + again, 0},
      {kernel(add, "if (threadIdx.x == 0) atomicExch(&n, 0);") + again, 0},
      {kernel("(atomicInc(&n, gridDim.x) == gridDim.x - 1 ? gridDim.x : 0)", back) + again, 0},
      {kernel("atomicInc(&n, gridDim.x)", "") + again, 3, not_shown},
      {kernel("atomicInc(&n, m - 1)", "") + again, 3, not_shown},
      {kernel("atomicInc(&n, 3)", back) + again, 3, not_shown},
      {kernel(add, "if (threadIdx.x == 0 && s > 3) n = 0;") + again, 3, not_shown},
      {kernel(add, "if (threadIdx.x == 0 && blockIdx.x > 0) n = 0;") + again, 3, not_shown},
      {kernel(add, "if (threadIdx.x == 0 && m > 3) n = 0;") + again, 3, not_shown},
      {kernel(add, "if (threadIdx.x == 64) n = 0;") + again, 3, not_shown},
      {kernel(add, "if (threadIdx.x == 0) { n = 0; n = m; }") + again, 3, not_shown},
      {kernel(add, "if (threadIdx.x == 0) atomicCAS(&n, m, 0);") + again, 3, not_shown},
      {kernel("(blockIdx.x < m ? " + add + " : 0)", back) + again, 3, not_shown},
      // Others count there as well.
      {kernel(add, back) + "__global__ void j() { if (threadIdx.x == 0) atomicAdd(&n, 1); }\n" + two +
           "j<<<2, 64>>>(); " + launch + "}",
       3, not_shown},
      {kernel(add, back) + "__global__ void j() { if (threadIdx.x + blockIdx.x == 0) n = 0; }\n" + two +
           "j<<<2, 64>>>(); " + launch + "}",
       3, not_shown},
  });
}

}  // namespace
}  // namespace fencepost::verifier

// Host code by which a counter or a pointer gets out of sight: each form with an effect on it, and with none.
#include <gtest/gtest.h>

#include "clangfe/clangfe.h"
#include "verifier/service.h"

namespace fencepost::verifier {
namespace {

// The last block adds up what all have written.
const char* const k_kernel =
    "#include <vector>\n"
    "__global__ void k(unsigned* c, float* part, float* out) { __shared__ bool last;\n"
    "  part[blockIdx.x * 64 + threadIdx.x] = threadIdx.x; __syncthreads();\n"
    "  if (threadIdx.x == 0) { __threadfence(); last = atomicAdd(c, 1) >= gridDim.x - 1; }\n  __syncthreads();\n"
    "  if (last) { float s = 0; for (unsigned i = threadIdx.x; i < gridDim.x * 64; i += 64) s += part[i];\n"
    "    out[threadIdx.x] = s; } }\nstatic unsigned* g; static int h;\n";
const char* const k_shift =
    "__global__ void k(float* a, float* b) { unsigned i = blockIdx.x * 64 + threadIdx.x; a[i] = b[i + 1]; }\n"
    "static float *x, *y; static int h; struct S { float *a, *b; }; struct N { S a; S b; };\n";

int exit_code(const std::string& text, const std::vector<std::string>& options) {
  const auto o = launch::parse(options);
  return o ? answer(*o, make_source("host.cu", text)).exit_code : -1;
}

int counter(const std::string& types, const std::string& text, const std::string& go = "k<<<8, 64>>>(c, p, q);") {
  return exit_code(k_kernel + types + "\nint main(int m, char**) { float *p, *q; unsigned* c; cudaMalloc(&p, 4096); " +
                       "cudaMalloc(&q, 4096); cudaMalloc(&c, 64); g = c; cudaMemset(c, 0, 4); " + text + " " + go +
                       " }\n",
                   {"--std=c++20"});
}

int arrays(const std::string& text, const std::string& go = "k<<<8, 64>>>(x, y);") {
  return exit_code(k_shift + std::string("int main(int m, char**) { cudaMalloc(&x, 4096); cudaMalloc(&y, 4096); ") +
                       text + " " + go + " }\n",
                   {"--std=c++20"});
}

class OutOfSight : public testing::Test {
  void SetUp() override {
    if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  }
};

TEST_F(OutOfSight, a_closure_is_made_from_its_type) {
  const std::string call = "template <class F> void call(F) { F{}(); } ";
  EXPECT_EQ(counter(call, "call([] { cudaMemset(g, 1, 4); });"), 3);
  EXPECT_EQ(counter(call, "call([] { h = 1; });"), 0);
  EXPECT_EQ(counter("", "auto f = [] { cudaMemset(g, 1, 4); }; decltype(f) q; q();"), 3);
  EXPECT_EQ(counter("using F = decltype([] { cudaMemset(g, 1, 4); });", "F{}();"), 3);
  EXPECT_EQ(counter("using F = decltype([] { cudaMemset(g, 1, 4); }); struct O : F {};", "O o; o();"), 3);
  EXPECT_EQ(counter("template <auto L> void call() { L(); }", "call<[] { cudaMemset(g, 1, 4); }>();"), 3);
}

TEST_F(OutOfSight, a_pointer_leaves_the_member_that_it_is_made_of) {
  EXPECT_EQ(arrays("S s{x, y}; (&s.a)[1] = x;", "k<<<8, 64>>>(s.a, s.b);"), 3);
  EXPECT_EQ(arrays("S s{x, y}; (&s.a)[0] = x;", "k<<<8, 64>>>(s.a, s.b);"), 0);
  EXPECT_EQ(arrays("S s{x, y}; float** p = &s.a; ++p; *p = x;", "k<<<8, 64>>>(s.a, s.b);"), 3);
  EXPECT_EQ(arrays("N n{{x, x}, {y, y}}; S* p = &n.a; p[1].b = x;", "k<<<8, 64>>>(n.a.a, n.b.b);"), 3);
  EXPECT_EQ(arrays("S s{x, y}, t{x, x}; cudaMemcpy(&s.a, &t.a, 16, cudaMemcpyHostToHost);", "k<<<8, 64>>>(s.a, s.b);"),
            3);
  EXPECT_EQ(arrays("S s{x, y}; S* p = (S*)((char*)&s.b - 8); p->b = x;", "k<<<8, 64>>>(s.a, s.b);"), 3);
}

TEST_F(OutOfSight, text_that_is_not_in_the_tree_has_a_variable) {
  for (const char* with : {"p", "z"}) {
    const std::string go = std::string("unsigned *p = g, *z = 0; ") + "lib::check(cudaMemset(" + with + ", 1, 4));";
    EXPECT_EQ(counter("", "{ " + go + " }"), std::string(with) == "p" ? 3 : 0) << go;
  }
  EXPECT_EQ(counter("void f(unsigned* v) { lib::set(v); }", "f(c);"), 3);
  EXPECT_EQ(counter("struct A { unsigned* v; void go() { lib::set(*this); } };", "A a{c}; a.go();"), 3);
  EXPECT_EQ(counter("struct A { unsigned* v; void go() { lib::set(v); } };", "A a{c}; a.go();"), 3);
  EXPECT_EQ(counter("static unsigned* one() { return g; }", "lib::set(one());"), 3);
  EXPECT_EQ(counter("namespace n { struct A {}; inline void f(A) { cudaMemset(g, 1, 4); } }", "lib::go(n::A{});"), 3);
  EXPECT_EQ(counter("struct E { ~E() { cudaMemset(g, 1, 4); } };", "lib::any a; a.emplace<E>();"), 3);
  EXPECT_EQ(counter("template <> struct lib::hash<int> { void f() { cudaMemset(g, 1, 4); } };", ""), 3);
}

TEST_F(OutOfSight, a_pointer_goes_through_bytes_and_text) {
  EXPECT_EQ(
      counter("", "cudaPointerAttributes at; cudaPointerGetAttributes(&at, c); cudaMemset(at.devicePointer, 1, 4);"),
      3);
  EXPECT_EQ(counter("",
                    "std::vector<char> s(8); memcpy(s.data(), &c, 8); void* z; memcpy(&z, s.data(), 8); "
                    "cudaMemset(z, 1, 4);"),
            3);
  EXPECT_EQ(
      counter("", "char s[99]; void* z; sprintf(s, \"%p\", (void*)c); sscanf(s, \"%p\", &z); cudaMemset(z, 1, 4);"), 3);
  EXPECT_EQ(counter("", "char s[99]; sprintf(s, \"%d\", m);"), 0);
}

// The host counts once; the compiler may leave out the copy that resets.
TEST_F(OutOfSight, a_copy_may_be_left_out) {
  const std::string make = "K mk() { K k; return k; }", first = "k<<<8, 64>>>(c, p, q); ";
  EXPECT_EQ(counter("struct K { K() {} K(K&&) { cudaMemset(g, 0, 4); } }; " + make, first + "K one = mk();"), 3);
  EXPECT_EQ(counter("struct K { K() { cudaMemset(g, 0, 4); } K(K&&) {} }; " + make, first + "K one = mk();"), 0);
}

// `do { .. } while (0)`, as macros write it.
TEST_F(OutOfSight, a_macro_is_no_loop) {
  const std::string check = "#define CHECK(X) do { if ((X) != 0) exit(1); } while (0)\n";
  const auto with = [&](const std::string& text) {
    return exit_code(k_kernel + check + "int main(int m, char**) { float *p, *q; unsigned* c; " + text + " }\n", {});
  };
  const std::string more = "CHECK(cudaMalloc(&p, 4096)); CHECK(cudaMalloc(&q, 4096)); CHECK(cudaMalloc(&c, 4)); ",
                    go = "do { k<<<8, 64>>>(c, p, q); } while (0); ";
  EXPECT_EQ(with(more + "CHECK(cudaMemset(c, 0, 4)); " + go), 0);
  EXPECT_EQ(with(more + "CHECK(cudaMemset(c, 0, 4)); " + go + go), 3);
  EXPECT_EQ(with(more + "cudaMemset(c, 1, 4); do { if (m > 1) break; cudaMemset(c, 0, 4); } while (0); " + go), 3);
  EXPECT_EQ(with(more + "cudaMemset(c, 0, 4); do { k<<<8, 64>>>(c, p, q); } while (m--); "), 3);
}

}  // namespace
}  // namespace fencepost::verifier

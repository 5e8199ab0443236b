// CUDA files as they are published: host code beside kernels, launches, includes that are not there.
#include <gtest/gtest.h>

#include <algorithm>

#include "clangfe/clangfe.h"

namespace fencepost::clangfe {
namespace {

class Field : public testing::Test {
 protected:
  void SetUp() override {
    if (!available()) GTEST_SKIP() << "built without clang 19";
  }
};

Unit unit(const std::string& text, Options o = {}) {
  o.dialect = ir::Dialect::cuda;
  o.pointer_bits = 64;
  auto u = read(make_source("k.cu", text), o);
  EXPECT_TRUE(u) << (u ? "" : render(u.error()));
  return u ? std::move(*u) : Unit{};
}
// "name: message" of a kernel that was not read, "name" of one that was.
std::string state(const HostKernel& k) { return k.not_read ? k.name + ": " + k.not_read->message : k.name; }
std::string states(const Unit& u) {
  std::string out;
  for (const HostKernel& k : u.kernels) out += (out.empty() ? "" : "\n") + state(k);
  return out;
}
std::string extent(const std::array<Known, 3>& e) {
  std::string out;
  for (const Known& k : e) out += (out.empty() ? "" : ",") + (k ? std::to_string(*k) : std::string("*"));
  return out;
}
// "grid | block | shared" of each launch of a kernel.
std::string launches(const Unit& u, const std::string& name) {
  std::string out;
  for (const HostKernel& k : u.kernels)
    if (k.name == name)
      for (const HostLaunch& l : k.launches)
        out += (out.empty() ? "" : "; ") + extent(l.grid) + " | " + extent(l.block) + " | " +
               (l.shared ? std::to_string(*l.shared) : std::string("*"));
  return out;
}

TEST_F(Field, host_code_that_does_not_compile_concerns_no_kernel) {
  const Unit u = unit(
      "#include <nowhere/special.h>\n"
      "special::vector<float> table;\n"
      "void host(special::thing& t) { t.run([&] { return nothing; }); }\n"
      "__global__ void k(float* a) { a[threadIdx.x] = 1; }\n"
      "int main() { special::setup(); float* d = special::alloc(); k<<<2, 64>>>(d); }\n");
  EXPECT_EQ(states(u), "k");
  EXPECT_EQ(launches(u, "k"), "2,1,1 | 64,1,1 | 0");
  EXPECT_EQ(u.missing, std::vector<std::string>{"nowhere/special.h"});
}

TEST_F(Field, a_name_that_is_missing_inside_of_a_kernel_makes_its_row_not_read) {
  const Unit u = unit(
      "__device__ float helper(float x) { return missing_function(x); }\n"
      "struct Broken { unknown_type field; int n; };\n"
      "typedef unknown_type alias;\n"
      "__global__ void direct(float* a) { a[0] = gone; }\n"
      "__global__ void called(float* a) { a[0] = helper(a[1]); }\n"
      "__global__ void typed(Broken b, int* a) { a[0] = b.n; }\n"
      "__global__ void pointed(int* a) { Broken* b = (Broken*)a; b->n = 1; }\n"
      "__global__ void named(int* a) { alias x = 3; a[0] = x; }\n"
      "__global__ void fine(float* a) { a[threadIdx.x] = 1; }\n");
  EXPECT_EQ(states(u),
            "direct: use of undeclared identifier 'gone'\n"
            "called: use of undeclared identifier 'missing_function'\n"
            "typed: unknown type name 'unknown_type'\n"
            "pointed: unknown type name 'unknown_type'\n"
            "named: unknown type name 'unknown_type'\n"
            "fine");
}

TEST_F(Field, an_instance_that_does_not_compile_is_told_apart_from_its_siblings) {
  const Unit u = unit(
      "struct A { int v; };\nstruct B { float w; };\n"
      "template <class T> __device__ int value(T t) { return t.v; }\n"
      "template <class T> __global__ void k(T t, int* a) { a[threadIdx.x] = value(t); }\n"
      "template <class T> __global__ void unused(T* a) { a[0] = 1; }\n"
      "int main() { k<<<1, 32>>>(A(), (int*)0); k<<<1, 32>>>(B(), (int*)0); }\n");
  EXPECT_EQ(states(u),
            "k<A>\n"
            "k<B>: no member named 'v' in 'B'\n"
            "unused: this template has no arguments: nothing in the file launches it");
}

TEST_F(Field, a_template_with_an_error_of_its_own_is_not_read_for_that_error) {
  const Unit u = unit(
      "template <int N> __global__ void k(int* a) { auto p = make(a, 1); p.go(); a[0] = 1; }\n"
      "int main() { k<16><<<1, 32>>>((int*)0); }\n");
  EXPECT_EQ(states(u), "k: use of undeclared identifier 'make'");
}

TEST_F(Field, roles_of_a_pipeline_are_read) {
  const Unit u = unit(
      "#include <cuda/pipeline>\n#include <cooperative_groups.h>\n"
      "template <int N> __global__ void k(int* a) { auto g = cooperative_groups::this_thread_block();\n"
      "  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 4> s;\n"
      "  auto r = threadIdx.x < N ? cuda::pipeline_role::consumer : cuda::pipeline_role::producer;\n"
      "  auto p = cuda::make_pipeline(g, &s, r); p.producer_acquire(); a[0] = 1; }\n"
      "int main() { k<16><<<1, 32>>>((int*)0); }\n");
  ASSERT_EQ(u.kernels.size(), 1u);
  EXPECT_EQ(u.kernels[0].launches.size(), 1u);
  EXPECT_FALSE(u.kernels[0].not_read) << states(u);
}

TEST_F(Field, what_stands_in_a_table_concerns_those_who_call_through_one) {
  const Unit u = unit(
      "struct B { __device__ virtual void f(int* a) = 0; };\n"
      "struct D : B { __device__ void f(int* a) override { *a = *new int(1); } };\n"
      "__global__ void through(B* b, int* a) { b->f(a); }\n"
      "__global__ void plain(int* a) { a[threadIdx.x] = 1; }\n"
      "__global__ void makes(int* a) { D d; B* b = &d; b->f(a); }\n"
      "int main() { plain<<<1, 32>>>((int*)0); makes<<<1, 32>>>((int*)0); through<<<1, 32>>>((B*)0, (int*)0); }\n");
  ASSERT_EQ(u.kernels.size(), 3u) << states(u);
  for (const HostKernel& k : u.kernels) EXPECT_EQ(k.not_read.has_value(), k.name != "plain") << k.name << states(u);
}

// A table has a place for each function that is not defined, and one for the destructor, which is not read: who calls
// another function through it is. The bytes of `new (place) T[n]` are computed.
TEST_F(Field, a_table_with_a_function_that_is_not_read) {
  const Unit u = unit(
      "struct Place {}; __device__ void* operator new(unsigned long, void* p, Place) { return p; }\n"
      "__device__ void* operator new[](unsigned long, int* p, Place) { return p; }\n"
      "struct B { __device__ virtual ~B() {} __device__ virtual void push(int) = 0; };\n"
      "struct V : B { int *data; __device__ V(int n, int* p) { data = new (p, Place()) int[n]; }\n"
      "  __device__ V(int n) { data = new int[n]; }\n"
      "  __device__ ~V() { if (data) delete[] data; }\n"
      "  __device__ void push(int v) override { data[threadIdx.x] = v; } };\n"
      "__global__ void heap(B** b) { *b = new V(4); }\n"
      "__global__ void push(B** b) { (*b)->push(1); }\n"
      "__global__ void drop(B** b) { delete *b; }\n"
      "__global__ void ends(int* a) { V v(4, a); v.push(1); }\n"
      "__global__ void placed(int* a, int n) { __shared__ int s[32]; __shared__ char at[sizeof(V)]; __shared__ B* v;\n"
      "  if (threadIdx.x == 0) v = new (at, Place()) V(n, s);\n"
      "  __syncthreads(); v->push(1); a[threadIdx.x] = s[threadIdx.x]; }\n"
      "int main() { B** b = 0; int* a = 0; heap<<<1, 1>>>(b); push<<<1, 1>>>(b); drop<<<1, 1>>>(b);\n"
      "  ends<<<1, 32>>>(a); placed<<<1, 32>>>(a, 32); }\n");
  const std::string gone = "'operator delete[]' is not supported";
  EXPECT_EQ(states(u), "heap: 'operator new' is not supported\npush\ndrop: " + gone + "\nends: " + gone + "\nplaced");
}

TEST_F(Field, what_cannot_be_expressed_concerns_its_kernel) {
  const Unit u = unit(
      "__global__ void odd(int* a) { asm volatile(\"brkpt;\"); a[0] = 1; }\n"
      "__global__ void fine(int* a) { a[threadIdx.x] = 1; }\n");
  ASSERT_EQ(u.kernels.size(), 2u);
  ASSERT_TRUE(u.kernels[0].not_read);
  EXPECT_NE(u.kernels[0].not_read->message.find("brkpt"), std::string::npos) << states(u);
  EXPECT_FALSE(u.kernels[1].not_read);
  EXPECT_EQ(u.module.kernels().size(), 1u);
}

TEST_F(Field, launches_are_computed_from_constants_and_are_stars_elsewhere) {
  const Unit u = unit(
      "#define THREADS 128\n"
      "constexpr int k_width = 40;\n"
      "int up(int a, int b) { return (a + b - 1) / b; }\n"
      "template <int B> __global__ void k(int* a, int n) { a[threadIdx.x] = n; }\n"
      "template <int B> void run(int* d, int n) { k<B><<<up(1000, B), B, B * sizeof(int)>>>(d, n); }\n"
      "int main(int argc, char** argv) {\n"
      "  int* d = 0;\n"
      "  const int n = 3 * k_width;\n"
      "  int threads = THREADS, changed = 64;\n"
      "  changed *= 2;\n"
      "  dim3 block(16, threads / 16), grid;\n"
      "  grid.x = 7;\n"
      "  k<1><<<n, block>>>(d, n);\n"
      "  k<1><<<grid, changed>>>(d, 5);\n"
      "  k<1><<<dim3(2, 3), dim3(argc, 4), 64>>>(d, argc);\n"
      "  run<256>(d, argc);\n"
      "}\n");
  EXPECT_EQ(launches(u, "k<1>"),
            "120,1,1 | 16,8,1 | 0; "
            "7,1,1 | *,1,1 | 0; "
            "2,3,1 | *,4,1 | 64");
  EXPECT_EQ(launches(u, "k<256>"), "4,1,1 | 256,1,1 | 1024");
}

TEST_F(Field, sizes_that_are_put_together_member_by_member) {
  const auto said = [&](const std::string& body) {
    return launches(unit("void f(dim3*);\n#include \"config.h\"\n#ifndef N\n#define N 64\n#endif\n"
                         "__global__ void k(int* o) { o[0] = 1; }\nvoid h(int* p, int n) { " +
                         body + " }\n"),
                    "k");
  };
  const std::string eight = "dim3 b; b.x = 8; ", go = "k<<<4, b>>>(p);", any = "4,1,1 | *,*,* | 0";
  EXPECT_EQ(said("dim3 b; b.x = 128; b.y = 4; " + go), "4,1,1 | 128,4,1 | 0");
  EXPECT_EQ(said("dim3 b(128, 4); k<<<4, b.x * b.y>>>(p);"), "4,1,1 | 512,1,1 | 0");
  EXPECT_EQ(said("dim3 b; b.x = 128; b.y = 4; k<<<4, b.x * b.y>>>(p);"), "4,1,1 | 512,1,1 | 0");
  EXPECT_EQ(said("dim3 b; b = dim3(8, 2); " + go), "4,1,1 | 8,2,1 | 0");
  EXPECT_EQ(said(eight + go + " b.x = 9; " + go), "4,1,1 | 8,1,1 | 0; 4,1,1 | 9,1,1 | 0");
  EXPECT_EQ(said(eight + "b.x = b.x * 2; " + go), "4,1,1 | 16,1,1 | 0");
  EXPECT_EQ(said("for (int i = 0; i < 3; i++) { " + eight + go + " }"), "4,1,1 | 8,1,1 | 0");
  EXPECT_EQ(said(eight + "if (n) { " + go + " } b.x = 3;"), "4,1,1 | 8,1,1 | 0");
  EXPECT_EQ(said("dim3 a; a.x = 8; dim3 b = a; a.x = 9; " + go), "4,1,1 | 8,1,1 | 0");
  EXPECT_EQ(said("dim3 b; b.x = n; b.y = 4; " + go), "4,1,1 | *,4,1 | 0");
  // What decides whether, how often, or by whom a member is written.
  for (const std::string& body :
       std::vector<std::string>{"dim3 b; if (n) b.x = 8; " + go, eight + "if (n) b.x = 16; " + go,
                                "dim3 b; for (int i = 0; i < 3; i++) { " + go + " b.x = 8; }",
                                eight + "b.x *= 2; " + go, eight + "dim3& r = b; r.x = 9; " + go,
                                eight + "f(&b); " + go, eight + "auto l = [&] { " + go + " }; b.x = 9; l();",
                                eight + "again: " + go + " b.x = 9; if (n--) goto again;",
                                "dim3 b; b.x = b.y = 4; " + go, eight + "\n#ifdef FAST\n b.x = 9;\n#endif\n" + go})
    EXPECT_EQ(said(body), any) << body;
  // What a missing include may decide.
  EXPECT_EQ(said("dim3 b; b.x = N; b.y = 2; " + go), "4,1,1 | *,2,1 | 0");
}

TEST_F(Field, an_integer_that_is_assigned_has_what_it_was_given_last) {
  const auto block = [&](const std::string& statements) {
    return launches(unit("__global__ void k(int* a) { a[threadIdx.x] = 1; }\nvoid other(int*);\n"
                         "int main(int c, char**) { int n; " +
                         statements + " k<<<1, n>>>(0); }\n"),
                    "k");
  };
  const std::string known = "1,1,1 | 64,1,1 | 0", unknown = "1,1,1 | *,1,1 | 0";
  EXPECT_EQ(block("n = 64;"), known);
  EXPECT_EQ(block("n = 32; n = n * 2;"), known);
  EXPECT_EQ(block("n = 32; const int m = n; n = 8; n = m + m;"), known);
  EXPECT_EQ(block("n = 64; if (c) return 1;"), known);
  EXPECT_EQ(launches(unit("__global__ void k(int* a) { a[threadIdx.x] = 1; }\n"
                          "int main(int c, char**) { int n = 64; k<<<1, n>>>(0); n = 32; }\n"),
                     "k"),
            known);
  for (const char* statements :
       {"if (c) n = 64;", "n = 64; if (c) n = 32;", "n = 64; n += c;", "n = 64; ++n;", "n = 64; other(&n);",
        "n = 64; auto f = [&] { n = 32; }; f();", "n = 64; for (int i = 0; i < c; ++i) n = 32;",
        "n = 64; int& r = n; r = 32;", "n = 64; again: n = 32; if (c--) goto again;", "n = 64; read_option >> n;",
        "n = 64; Cfg::parse(n);", "n = c;", "n = 64; c ? n = 32 : 0;", "(n = 64, n = 32);", "n = n;", ""})
    EXPECT_EQ(block(statements), unknown) << statements;
}

TEST_F(Field, a_variable_in_a_statement_that_clang_dropped_is_not_known) {
  const Unit u = unit(
      "__global__ void k(int* a) { a[threadIdx.x] = 1; }\n"
      "int main() {\n"
      "  int n = 64, m = 32;\n"
      "  read_option >> n;\n"
      "  k<<<1, n>>>(0);\n"
      "  k<<<1, m>>>(0);\n"
      "}\n");
  EXPECT_EQ(launches(u, "k"), "1,1,1 | *,1,1 | 0; 1,1,1 | 32,1,1 | 0");
}

TEST_F(Field, a_call_that_is_read_as_a_declaration_may_change_what_it_names) {
  for (const char* statement :
       {"std::tie(n) = f();", "Cfg::parse(n);", "::parse(n);", "A::B::parse(n);", "Cfg::load(&n);",
        "Cfg::parse(n)[0] = 64;", "Cfg::parse (n), Cfg::parse(c);", "if (c) Cfg::parse(n);",
        "if (c) { Cfg::parse(n); }", "for (;;) Cfg::parse(n);", "{ Cfg::parse(n); n = 64; }",
        "auto g = [&] { Cfg::parse(n); }; g();", "Cfg::parse(n) = 64;", "switch (c) { case 1: Cfg::parse(n); }"}) {
    const std::string kernel = "__global__ void k(int* a, int m) { a[threadIdx.x] = m; }\n";
    const Unit size = unit(kernel + "int main(int c, char**) { int n = 32; " + statement + " k<<<1, n>>>(0, 1); }\n");
    EXPECT_EQ(launches(size, "k"), "1,1,1 | *,1,1 | 0") << statement;
    const Unit whole = unit(kernel + "int main(int c, char**) { dim3 n(32); " + statement + " k<<<1, n>>>(0, 1); }\n");
    EXPECT_EQ(launches(whole, "k"), "1,1,1 | *,*,* | 0") << statement;
    const Unit given = unit(kernel + "int main(int c, char**) { int n = 5; " + statement + " k<<<1, 1>>>(0, n); }\n");
    ASSERT_EQ(given.kernels.size(), 1U) << statement;
    ASSERT_EQ(given.kernels[0].launches.size(), 1U) << statement;
    EXPECT_EQ(given.kernels[0].launches[0].arguments, (std::vector<Known>{std::nullopt, std::nullopt})) << statement;
  }
}

TEST_F(Field, a_variable_whose_address_is_taken_is_not_known) {
  const Unit u = unit(
      "void option(int* n);\nvoid by_reference(int& n);\n"
      "__global__ void k(int* a) { a[threadIdx.x] = 1; }\n"
      "int main() {\n"
      "  int n = 64, m = 32, l = 16;\n"
      "  option(&n); by_reference(m); auto f = [&] { l = 8; }; f();\n"
      "  k<<<n, 1>>>(0);\n  k<<<m, 1>>>(0);\n  k<<<l, 1>>>(0);\n"
      "}\n");
  EXPECT_EQ(launches(u, "k"), "*,1,1 | 1,1,1 | 0; *,1,1 | 1,1,1 | 0; *,1,1 | 1,1,1 | 0");
}

TEST_F(Field, a_variable_that_is_printed_keeps_its_value) {
  const Unit u = unit(
      "#include <iostream>\n#include <cstdio>\n"
      "__global__ void k(int* a) { a[threadIdx.x] = 1; }\n"
      "int main() {\n"
      "  int n = 64, m = 32;\n"
      "  std::cout << \"n \" << n << std::endl; printf(\"%d\", n);\n"
      "  std::cin >> m;\n"
      "  k<<<m, n>>>(0);\n"
      "}\n");
  EXPECT_EQ(launches(u, "k"), "*,1,1 | 64,1,1 | 0");
}

TEST_F(Field, inline_assembly_that_only_computes_is_read) {
  const Unit u = unit(
      "__global__ void k(unsigned* a) {\n"
      "  unsigned r;\n"
      "  asm(\"bfind.u32 %0, %1;\" : \"=r\"(r) : \"r\"(a[0]));\n"
      "  asm(\"{ .reg .u32 t; add.u32 t, %1, 1; mul.lo.u32 %0, t, 3; }\" : \"=r\"(r) : \"r\"(r));\n"
      "  a[threadIdx.x + 1] = r;\n"
      "}\n"
      "__global__ void other(unsigned* a) {\n"
      "  unsigned r;\n"
      "  asm(\"add.u32 %0, %%smid, 1;\" : \"=r\"(r));\n"
      "  a[threadIdx.x] = r;\n"
      "}\n");
  ASSERT_EQ(u.kernels.size(), 2u);
  EXPECT_FALSE(u.kernels[0].not_read) << states(u);
  EXPECT_TRUE(u.kernels[1].not_read) << states(u);
}

TEST_F(Field, cudaLaunchKernel_is_a_launch) {
  const Unit u = unit(
      "template <class T> __global__ void k(T* a) { a[threadIdx.x] = 1; }\n"
      "int main() {\n"
      "  void* args[1];\n"
      "  cudaLaunchKernel((const void*)k<float>, dim3(4), dim3(32, 2), args, 128, 0);\n"
      "  cudaLaunchCooperativeKernel((void*)&k<int>, dim3(1), dim3(64), args, 0, 0);\n"
      "}\n");
  EXPECT_EQ(states(u), "k<float>\nk<int>");
  EXPECT_EQ(launches(u, "k<float>"), "4,1,1 | 32,2,1 | 128");
  ASSERT_EQ(u.kernels.size(), 2u);
  ASSERT_EQ(u.kernels[1].launches.size(), 1u);
  EXPECT_TRUE(u.kernels[1].launches[0].cooperative);
}

TEST_F(Field, arguments_that_are_constants_and_pointers_into_one_array_are_seen) {
  const Unit u = unit(
      "__global__ void k(int* a, int* b, int n, const float* c, const float* d) { a[threadIdx.x] = b[n]; }\n"
      "int main() { int* p; float* q; cudaMalloc(&p, 4); cudaMalloc(&q, 4); k<<<1, 32>>>(p, p + 4, -3, q, q); }\n");
  ASSERT_EQ(u.kernels.size(), 1u);
  ASSERT_EQ(u.kernels[0].launches.size(), 1u);
  const HostLaunch& l = u.kernels[0].launches[0];
  EXPECT_EQ(l.arguments[2], Known{static_cast<uint64_t>(-3)});
  // Both `c` and `d` are only read.
  EXPECT_EQ(l.one_array, (std::vector<std::pair<uint32_t, uint32_t>>{{0, 1}}));
}

TEST_F(Field, macros_of_the_user_do_not_change_our_headers) {
  Options o;
  o.defines = {"T=4", "S", "N=8", "x=y_", "type=int", "A=B"};
  EXPECT_EQ(states(unit("__global__ void k(int* p) { p[threadIdx.x] = T; }\n", {})),
            "k: use of undeclared identifier 'T'");
  o.defines = {"T=4", "S", "N=8", "type=int", "A=B"};
  EXPECT_EQ(states(unit("__global__ void k(int* p) { p[threadIdx.x] = T * N; }\n", o)), "k");
}

TEST_F(Field, a_reference_binds_to_a_compound_literal_as_nvcc_has_it) {
  const Unit u = unit(
      "struct T { float x[4]; };\n"
      "__global__ void blank(float* a) {\n"
      "  auto & t = (T){0};\n"
      "  auto &u = (T){1};\n"
      "  a[threadIdx.x] = t.x[0] + u.x[0];\n"
      "}\n"
      "__global__ void an_lvalue(float* a) {\n"
      "  const int c = 1;\n"
      "  auto &r = c;\n"
      "  static_assert(__is_same(decltype(r), const int &), \"the same reference\");\n"
      "  const auto &k = (T){0};\n"
      "  a[threadIdx.x] = r + k.x[0];\n"
      "}\n"
      "__global__ void no_room(float* a) {\n"
      "  auto&t = (T){0};\n"
      "  a[threadIdx.x] = t.x[0];\n"
      "}\n");
  EXPECT_TRUE(states(u).starts_with("blank\nan_lvalue\nno_room: ")) << states(u);
}

TEST_F(Field, what_nvcc_takes_with_a_warning_is_read) {
  EXPECT_EQ(states(unit("__global__ void k(int* a) {\n"
                        "  __shared__ alignas(16) float s[64];\n"
                        "  register int i = threadIdx.x;\n"
                        "  s[i] = a[i]; a[i] = s[i];\n"
                        "}\n")),
            "k");
}

TEST_F(Field, functions_are_there_for_themselves_where_calls_are_not_replaced) {
  Options o;
  o.inline_calls = false;
  const Unit u = unit("__device__ int f(int x) { return x + 1; }\n", o);
  ASSERT_EQ(u.module.functions.size(), 1u);
  EXPECT_EQ(u.module.functions[0].name, "f");
  o.dialect = ir::Dialect::cuda;
  EXPECT_FALSE(read(make_source("k.cu", "__device__ int f(int x) { return gone; }\n__global__ void k() {}\n"), o));
}

TEST_F(Field, functions_that_the_parser_loses_have_a_row) {
  const Unit u = unit(
      "WEIRD_MACRO(x) { \n"
      "__global__ void inside(int* a) { a[0] = 1; }\n"
      "}\n"
      "__global__ void outside(int* a) { a[threadIdx.x] = 1; }\n");
  EXPECT_EQ(u.kernels.size(), 2u) << states(u);
  EXPECT_NE(states(u).find("inside: "), std::string::npos) << states(u);
}

// Of each, one launch is seen (one block of one thread) and one use of the name is none that is understood.
TEST_F(Field, every_use_of_a_kernels_name_is_a_launch_at_least_of_unknown_sizes) {
  const std::string kernel =
      "#include <functional>\n"
      "__global__ void k(int* a) { a[threadIdx.x] = 1; }\n"
      "template <class F> void wrap(F f, int* d) { f<<<1, 64>>>(d); }\n"
      "template <void (*K)(int*)> struct Runner { static void go(int* d) { auto f = K; f<<<1, 64>>>(d); } };\n"
      "struct Entry { const char* name; void (*f)(int*); };\n";
  for (const char* use : {
           "auto f = k; f<<<1, 64>>>(d);",
           "void (*f)(int*) = &k; (*f)<<<1, 64>>>(d);",
           "void (*f)(int*); f = k; f<<<1, 64>>>(d);",
           "wrap(k, d);",
           "wrap(&k, d);",
           "Runner<k>::go(d);",
           "Runner<&k>::go(d);",
           "Entry table[] = {{\"k\", k}}; table[0].f<<<1, 64>>>(d);",
           "void (*list[2])(int*) = {0, k}; list[1]<<<1, 64>>>(d);",
           "std::function<void(int*)> f = [](int* p) { auto g = k; g<<<1, 64>>>(p); }; f(d);",
           "LAUNCH(k, 1, 64, d);",
           "LAUNCH(k)(d);",
           "missing::launch(k, 64)(d);",
           "missing<k>(d);",
           "auto x = missing::make([=] { return k; });",
           "cudaKernelNodeParams p = {}; p.func = (void*)k; add(p);",
           "cudaLaunchParams p; p.func = (void*)k; cudaLaunchCooperativeKernelMultiDevice(&p, 1);",
           "const void* f = (const void*)k; cudaLaunchKernel(f, dim3(1), dim3(64), nullptr, 0, 0);",
           "return k<<<1, 64>>>(undeclared);",
           "using T = decltype(k); T* f = k; f<<<1, 64>>>(d);",
           "if constexpr (false) { k<<<1, 64>>>(d); } else { auto f = k; f<<<1, 8>>>(d); }",
           "cuModuleGetFunction(&f, m, \"k\");",
       }) {
    const Unit u = unit(kernel + "int main() { int* d = 0; k<<<1, 1>>>(d); { " + use + " } }\n");
    ASSERT_FALSE(u.kernels.empty()) << use;
    bool seen = false, unclear = false;
    for (const HostLaunch& l : u.kernels[0].launches) {
      seen = seen || (!l.named_only && l.block[0] == Known{1});
      unclear = unclear || (l.named_only && !l.block[0] && !l.grid[0] && !l.shared);
    }
    EXPECT_TRUE(seen && unclear) << use << "\n" << launches(u, "k");
  }
}

TEST_F(Field, tables_of_file_scope_and_default_arguments_are_uses) {
  for (const char* use :
       {"void (*table[])(int*) = {k};\n", "void run(int* d, void (*f)(int*) = k) { f<<<1, 64>>>(d); }\n",
        "struct S { void (*f)(int*) = &k; };\n", "auto run = [](int* d) { k<<<1, 64>>>(d); };\n",
        "namespace n { constexpr auto f = k; }\n", "WEIRD(k)\n"}) {
    const Unit u = unit("__global__ void k(int* a) { a[threadIdx.x] = 1; }\n" + std::string(use));
    ASSERT_FALSE(u.kernels.empty()) << use;
    EXPECT_FALSE(u.kernels[0].launches.empty()) << use;
  }
}

TEST_F(Field, what_launches_nothing_is_no_use) {
  const Unit u = unit(
      "template <class T> __global__ void k(T* a) { a[threadIdx.x] = 1; }\n"
      "template __global__ void k<float>(float*);\n"
      "__global__ void sum(int* a);\n"
      "__global__ void sum(int* a) { int k = 1; a[threadIdx.x] = k; }\n"
      "struct V { int sum() { return 1; } int k; };\n"
      "template <class T> void go(T* d) { int sum = 3; k<T><<<1, sum>>>(d); }\n"
      "int main() {\n"
      "  V v; int n = v.sum() + v.k; int blocks;\n"
      "  cudaFuncSetAttribute(k<int>, cudaFuncAttributeMaxDynamicSharedMemorySize, n);\n"
      "  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, sum, 64, 0);\n"
      "  k<int><<<1, 32>>>(0); go<long>(0);\n"
      "}\n");
  EXPECT_EQ(launches(u, "k<int>"), "1,1,1 | 32,1,1 | 0");
  EXPECT_EQ(launches(u, "k<long>"), "1,1,1 | 3,1,1 | 0");
  EXPECT_EQ(launches(u, "k<float>"), "");
  EXPECT_EQ(launches(u, "sum"), "");
}

TEST_F(Field, a_use_of_one_instance_is_no_use_of_the_others) {
  const Unit u = unit(
      "template <class T> __global__ void k(T* a) { a[threadIdx.x] = 1; }\n"
      "template <class T> void host(T* d) { auto f = k<T>; f<<<1, 64>>>(d); }\n"
      "int main() { k<int><<<1, 32>>>(0); host<float>(0); }\n");
  EXPECT_EQ(launches(u, "k<int>"), "1,1,1 | 32,1,1 | 0");
  EXPECT_EQ(launches(u, "k<float>"), "*,*,* | *,*,* | *");
}

TEST_F(Field, a_launch_of_what_is_not_declared_is_a_row) {
  const Unit u = unit(
      "#include \"kernels.cuh\"\n"
      "__global__ void k(int* a) { a[threadIdx.x] = 1; }\n"
      "int main() { k<<<1, 32>>>(0); gone<float, 3><<<1, 32>>>(0); n::other<<<1, 1>>>(); auto f = k; f<<<1, 8>>>(x); "
      "}\n");
  EXPECT_EQ(states(u),
            "k\n"
            "gone: this is launched, and nothing in what was read declares it\n"
            "other: this is launched, and nothing in what was read declares it");
}

TEST_F(Field, a_launch_of_a_kernel_of_another_file_is_a_row) {
  const Unit u = unit(
      "__global__ void far(int* a);\nnamespace n { template <class T> __global__ void other(T* a); }\n"
      "__global__ void later(int* a);\n__global__ void idle(int* a);\n"
      "__global__ void k(int* a) { a[threadIdx.x] = 1; }\n"
      "int main(int, char** v) { int* p = (int*)v; far<<<1, 32>>>(p); k<<<1, 32>>>(p); far<<<2, 32>>>(p);\n"
      "  n::other<<<1, 1>>>(p); later<<<1, 1>>>(p); }\n"
      "__global__ void later(int* a) { a[0] = 1; }\n");
  EXPECT_EQ(states(u),
            "k\n"
            "far: this is launched, and only declared in what was read\n"
            "other: this is launched, and only declared in what was read\n"
            "later");
  EXPECT_EQ(launches(u, "later"), "1,1,1 | 1,1,1 | 0");
}

TEST_F(Field, a_launch_in_a_lambda_that_is_a_template_is_one_launch) {
  const Unit u = unit(
      "template <bool Z> struct Traits {};\n"
      "template <class T> __global__ void k(int* p) { p[threadIdx.x] = 1; }\n"
      "void host(int* p, bool z) {\n"
      "  auto dispatch = [&]<bool Z>() { using T = Traits<Z>;\n"
      "    cudaFuncSetAttribute(k<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, 64);\n"
      "    k<T><<<4, 128, 64>>>(p); };\n"
      "  if (z) dispatch.operator()<true>();\n  if (!z) dispatch.operator()<false>();\n"
      "  auto sole = [&](auto n) { k<int><<<n, 32>>>(p); }; sole(3);\n}\n");
  for (const char* name : {"k<Traits<true>>", "k<Traits<false>>"})
    EXPECT_EQ(launches(u, name), "4,1,1 | 128,1,1 | 64") << name;
  EXPECT_EQ(launches(u, "k<int>"), "*,1,1 | 32,1,1 | 0");
}

TEST_F(Field, launches_by_kernels_are_launches) {
  const Unit u = unit(
      "__global__ void child(int* a) { a[threadIdx.x] = 1; }\n"
      "__global__ void parent(int* a) { child<<<1, 32>>>(a); }\n"
      "int main() { child<<<1, 1>>>(0); parent<<<1, 1>>>(0); }\n");
  ASSERT_EQ(u.kernels.size(), 2u);
  EXPECT_EQ(u.kernels[0].launches.size(), 2u) << launches(u, "child");
}

// Of all launches of `k`, the pairs of parameters that may be given places of one array: "0-1 1-2"; the parameters of
// which it is not known where they come from: "?0".
std::string common(const std::string& body, const std::string& more = "") {
  const Unit u = unit(
      "struct S { int* a; int* b; int n; };\n__global__ void k(int* a, int* b) { a[threadIdx.x] = b[threadIdx.x]; }\n"
      "__global__ void s(S x) { x.a[threadIdx.x] = x.b[threadIdx.x]; }\n" +
      more + "void host(int* u, int* v, int n) { int *p, *q, *r; cudaMalloc(&p, n); cudaMalloc((void**)&r, n); " +
      body + " }\n");
  std::string out;
  for (const HostKernel& k : u.kernels)
    for (const HostLaunch& l : k.launches)
      for (const auto& [a, b] : l.one_array)
        out += (out.empty() ? "" : " ") + std::to_string(a) + "-" + std::to_string(b);
  for (const HostKernel& k : u.kernels)
    for (const HostLaunch& l : k.launches)
      for (const uint32_t a : l.not_traced) out += (out.empty() ? "?" : " ?") + std::to_string(a);
  return out;
}

TEST_F(Field, pointers_that_the_host_makes_of_one_another_may_be_of_one_array) {
  for (const char* body : {"k<<<1, 32>>>(p, p);",
                           "q = p + 1; k<<<1, 32>>>(p, q);",
                           "int* t = p; k<<<1, 32>>>(t, p);",
                           "q = &p[n]; k<<<1, 32>>>(q, p);",
                           "if (n) q = p; else q = r; k<<<1, 32>>>(q, p);",
                           "q = n ? p : r; k<<<1, 32>>>(q, p);",
                           "S s; s.a = p; s.b = s.a + n; k<<<1, 32>>>(s.a, s.b);",
                           "S s = {p, p + n}; k<<<1, 32>>>(s.a, s.b);",
                           "S s; s.a = p; S* t = &s; k<<<1, 32>>>(t->a, p);",
                           "S s; s.a = p; S t = s; k<<<1, 32>>>(t.a, p);",
                           "int* t[2] = {p, p + n}; k<<<1, 32>>>(t[0], t[1]);",
                           "int* t[2]; t[0] = p; k<<<1, 32>>>(t[0], p);",
                           "q = (int*)((char*)p + 4); k<<<1, 32>>>(p, q);",
                           "int*& t = p; k<<<1, 32>>>(p, t);",
                           "auto f = [&] { q = p; }; f(); k<<<1, 32>>>(p, q);",
                           "int* h; cudaMallocHost(&h, n); cudaHostGetDevicePointer(&q, h, 0); k<<<1, 32>>>(h, q);",
                           "q = p + 1; void* g[] = {&p, &q}; cudaLaunchKernel((void*)k, dim3(1), dim3(32), g, 0, 0);",
                           "q = p + 1; cudaLaunchConfig_t c; cudaLaunchKernelEx(&c, k, p, q);",
                           "auto f = [](int* x, int* y) { k<<<1, 32>>>(x, y); }; f(p, p);",
                           "auto f = [&](int* x) { k<<<1, 32>>>(x, p); }; f(p + n);"})
    EXPECT_EQ(common(body), "0-1") << body;
  EXPECT_EQ(common("S x; x.a = p; x.b = p + n; s<<<1, 32>>>(x);"), "0-0");
  EXPECT_EQ(common("", "void go(int* a, int* b) { k<<<1, 32>>>(a, b); }\nvoid top(int* d) { go(d, d + 4); }\n"), "0-1");
  EXPECT_EQ(common("", "void go(S& x) { k<<<1, 32>>>(x.a, x.b); }\nvoid top(S y) { y.b = y.a; go(y); }\n"), "0-1");
}

// A kernel may use an array of file scope by its name.
TEST_F(Field, pointers_into_an_array_of_file_scope) {
  const std::string array = "__device__ int g[64]; __managed__ int m[64]; __device__ int c;\n";
  const std::string file = "1-" + std::to_string(k_of_the_file);
  for (const char* body :
       {"cudaGetSymbolAddress((void**)&q, g); k<<<1, 32>>>(p, q);", "k<<<1, 32>>>(p, m);", "k<<<1, 32>>>(p, m + n);",
        "k<<<1, 32>>>(p, &m[3]);", "int* t; cudaGetSymbolAddress((void**)&t, c); q = t; k<<<1, 32>>>(p, q);"})
    EXPECT_EQ(common(body, array), file) << body;
  EXPECT_EQ(common("k<<<1, 32>>>(p, r);", array), "");
  EXPECT_EQ(
      common("w<<<1, 32>>>(p);", "__global__ void w(int* a) { extern __shared__ int s[]; s[threadIdx.x] = a[0]; }\n"),
      "");
}

TEST_F(Field, pointers_that_the_host_makes_apart_are_of_two_arrays) {
  for (const char* body :
       {"k<<<1, 32>>>(p, r);", "q = p; cudaMalloc(&q, n); k<<<1, 32>>>(q, r);",
        "for (int i = 0; i < n; ++i) { k<<<1, 32>>>(p, r); int* t = p; p = r; r = t; }",
        "for (int i = 0; i < n; ++i) { k<<<1, 32>>>(p, r); std::swap(p, r); }",
        "for (int i = 0; i < n; ++i) k<<<1, 32>>>(i % 2 ? p : r, i % 2 ? r : p);",
        "S x, y; cudaMalloc(&x.a, n); cudaMalloc(&y.a, n); k<<<1, 32>>>(x.a, y.a);",
        "S x; cudaMalloc(&x.a, n); cudaMalloc(&x.b, n); k<<<1, 32>>>(x.a, x.b); S y = x; k<<<1, 32>>>(y.a, y.b);",
        "int* t[2]; for (int i = 0; i < 2; ++i) cudaMalloc(&t[i], n); k<<<1, 32>>>(t[n], t[1 - n]);"
        "k<<<1, 32>>>(t[n & 1], t[(n + 1) & 1]); k<<<1, 32>>>(t[n], t[n ^ 1]); k<<<1, 32>>>(t[n], t[!n]);",
        "int* t[2]; cudaMalloc(&t[0], n); cudaMalloc(&t[1], n); k<<<1, 32>>>(t[0], t[1]);", "k<<<1, 32>>>(u, v);",
        "int** t = (int**)malloc(16); cudaMalloc(&t[0], n); cudaMalloc(&t[1], n); k<<<1, 32>>>(t[0], t[1]);",
        "q = new int[4]; int* t = (int*)malloc(4); k<<<1, 32>>>(q, t);"})
    EXPECT_EQ(common(body), "") << body;
  EXPECT_EQ(
      common("", "void go(int* a, int* b) { k<<<1, 32>>>(a, b); }\nvoid top(int* d, int* e) { go(d, e); go(e, d); }\n"),
      "");
}

// What hands pointers on: lambdas, constructors, members, functions by their address, addresses of pointers.
TEST_F(Field, pointers_are_followed_through_the_hosts_code) {
  const std::string kit =
      "struct C { int *a, *b; C(int* x) : a(x), b(x + 1) {} };\n"
      "struct B { int* d; B(int* x) : d(x) {} int* data() { return d; } };\n"
      "struct Own { int* d; Own(int n) { cudaMalloc(&d, n); } ~Own() { cudaFree(d); } int* get() { return d; } };\n"
      "struct Go { Go(int* a, int* b) { k<<<1, 32>>>(a, b); } };\n"
      "void w(int* a, int* b) { k<<<1, 32>>>(a, b); }\n"
      "int* pool; int* get(int at) { return pool + at; }\n"
      "int* fresh(int n) { int* x; cudaMalloc(&x, n); return x; }\n"
      "void allocate(int** x, int n) { cudaMalloc((void**)x, n); }\n"
      "void both(int** x, int** y) { cudaMalloc(x, 4); *y = *x; }\n"
      "struct Base { virtual int* f() = 0; };\n";
  for (const char* body :
       {"auto f = w; f(p, p);", "void (*f)(int*, int*) = &w; f(p, p + 1);", "Go g(p, p);",
        "B x(p), y(p); w(x.data(), y.data());", "C c(p); w(c.a, c.b);", "cudaMalloc(&pool, n); w(get(0), get(1));",
        "both(&q, &r); w(q, r);", "q = r; memcpy(&q, &p, sizeof p); w(p, q);", "q = r; *(&q) = p; w(p, q);",
        "int** t = &q; *t = p; w(p, q);", "auto [x, y] = std::make_pair(p, p); w(x, y);",
        "Own x(n); w(x.get(), x.d + 1);", "unsigned long long a = (unsigned long long)p; w(p, (int*)(a + 4));",
        "int* d[2]; cudaMalloc(&d[0], n); cudaMalloc(&d[1], n); for (int i = 0; i < 4; ++i) w(d[i & 1], d[0]);",
        "int* t[2]; cudaMalloc(&t[0], n); t[1] = t[0]; w(t[n], t[1 - n]);", "int* c = p; std::swap(p, r); w(c, r);",
        "auto f = [=](int* x) { w(x, p); }; f(p);", "auto f = [c = p + 1](int* x) { w(x, c); }; f(p);"})
    EXPECT_EQ(common(body, kit), "0-1") << body;
  EXPECT_EQ(common("C c(p); S x = {c.a, c.b}; s<<<1, 32>>>(x);", kit), "0-0");
  for (const char* body :
       {"w(fresh(n), fresh(n));", "allocate(&p, n); allocate(&q, n); w(p, q);", "Own x(n), y(n); w(x.get(), y.d);",
        "Own* x = new Own(n); Own* y = new Own(n); w(x->get(), y->get());", "auto f = w; f(p, r);", "Go g(p, r);",
        "B x(p), y(r); w(x.data(), y.data());", "q = 0; if (n) cudaMalloc(&q, n); w(p, q);",
        "auto f = [&](int* x) { w(x, p); }; f(r);", "for (int i = 0; i < n; ++i) { w(p, r); std::swap(p, r); }"})
    EXPECT_EQ(common(body, kit), "") << body;
  for (const char* body :
       {"std::thread t(w, p, p); t.join();", "extern int* elsewhere(); q = elsewhere(); w(p, q);",
        "extern void fill(int**); fill(&q); w(p, q);", "Base* x; w(x->f(), p);", "q = unknown_name(p); w(p, q);"})
    EXPECT_NE(common(body, kit).find("?"), std::string::npos) << body << common(body, kit);
}

// A file that is not there may define what the text tests.
TEST_F(Field, what_a_missing_include_may_decide_is_not_read) {
  const std::string include = "#include \"config.h\"\n";
  for (const char* text :
       {"__global__ void k(int* a) {\n#ifdef FAST\n a[0] = 1;\n#else\n a[threadIdx.x] = 1;\n#endif\n}\n",
        "__global__ void k(int* a) {\n#if FAST > 2\n a[0] = 1;\n#endif\n a[threadIdx.x] = 1;\n}\n",
        "#if defined(FAST) && 1\n__global__ void k(int* a) { a[0] = 1; }\n#else\n"
        "__global__ void k(int* a) { a[threadIdx.x] = 1; }\n#endif\n",
        "#ifdef FAST\n#define AT 0\n#else\n#define AT threadIdx.x\n#endif\n__global__ void k(int* a) { a[AT] = 1; }\n",
        "#ifndef N\n#define N 16\n#endif\n__global__ void k(int* a) { if (threadIdx.x < N) a[0] = 1; }\n",
        "#ifndef N\n#define N 16\n#endif\nconst int n = N;\n__global__ void k(int* a) { a[threadIdx.x] = n; }\n",
        "#ifdef FAST\n__device__ int at() { return 0; }\n#else\n__device__ int at() { return threadIdx.x; }\n#endif\n"
        "__global__ void k(int* a) { a[at()] = 1; }\n",
        "struct S {\n#ifdef FAST\n int y;\n#endif\n int x; };\n__global__ void k(S* a) { a[threadIdx.x].x = 1; }\n",
        "#ifdef FAST\nnamespace n { typedef char T; }\n#else\nnamespace n { typedef int T; }\n#endif\n"
        "__global__ void k(n::T* a) { a[threadIdx.x] = 1; }\n",
        "#define BOTH (FAST && 1)\n__global__ void k(int* a) {\n#if BOTH\n a[0] = 1;\n#endif\n}\n"}) {
    const Unit u = unit(include + text);
    ASSERT_EQ(u.kernels.size(), 1u) << text;
    ASSERT_TRUE(u.kernels[0].not_read) << text;
    EXPECT_NE(u.kernels[0].not_read->message.find("may be a macro of 'config.h', which is not there"),
              std::string::npos)
        << states(u);
    EXPECT_EQ(states(unit(text)), "k") << "without the include nothing is in doubt\n" << text;
  }
}

TEST_F(Field, what_a_missing_include_does_not_decide_is_read) {
  Options o;
  o.defines = {"FAST=1"};
  o.clang_arguments = {"-USLOW"};
  for (const char* text :
       {"#ifndef GUARD_H\n#define GUARD_H\n__global__ void k(int* a) { a[threadIdx.x] = 1; }\n#endif\n",
        "__global__ void k(int* a) {\n#if defined(FAST) || defined(SLOW) || __CUDA_ARCH__ > 300\n a[threadIdx.x] = "
        "1;\n#endif\n}\n",
        "#ifdef OTHER\nvoid host() {}\n#endif\n__global__ void k(int* a) { a[threadIdx.x] = 1; }\n"})
    EXPECT_EQ(states(unit(std::string("#include \"config.h\"\n") + text, o)), "k") << text;
}

TEST_F(Field, a_launch_that_a_missing_include_may_decide_is_of_any_size) {
  const std::string head =
      "#include \"config.h\"\n#ifndef N\n#define N 64\n#endif\n"
      "__global__ void k(int* a) { a[threadIdx.x] = 1; }\n";
  EXPECT_EQ(launches(unit(head + "void h() { k<<<1, N>>>(0); }\n"), "k"), "1,1,1 | *,*,* | 0");
  EXPECT_EQ(launches(unit(head + "const int n = N;\nvoid h() { k<<<n / 2, 32>>>(0); }\n"), "k"), "*,*,* | 32,1,1 | 0");
  EXPECT_EQ(launches(unit(head + "void h() { int n = N; dim3 b(n); k<<<1, b>>>(0); }\n"), "k"), "1,1,1 | *,*,* | 0");
  EXPECT_EQ(
      launches(unit(head + "void h() {\n#ifdef BIG\n k<<<1, 512>>>(0);\n#else\n k<<<1, 32>>>(0);\n#endif\n}\n"), "k"),
      "*,*,* | *,*,* | *; *,*,* | *,*,* | 0");
}

TEST_F(Field, a_function_of_the_users_with_the_name_of_a_built_in_one_leaves_the_others_as_they_are) {
  const Unit u = unit(
      "struct Pair { int a, b; };\n"
      "__device__ int atomicAdd(Pair* p, int v) { return atomicAdd(&p->a, v); }\n"
      "template <class T> __device__ T __ldg(T* const* p) { return **p; }\n"
      "__device__ int undefined(int);\n"
      "__global__ void k(int* a, Pair* p) { atomicAdd(a, 1); atomicAdd(p, 2); a[1] = undefined(3); }\n");
  EXPECT_EQ(states(u), "k");
  size_t atomics = 0, calls = 0;
  for (const ir::Function& f : u.module.functions)
    for (const ir::Block& b : f.blocks)
      for (const ir::Instruction& i : b.instructions) {
        atomics += std::holds_alternative<ir::Atomic>(i.action) ? 1 : 0;
        calls += std::holds_alternative<ir::Call>(i.action) ? 1 : 0;
      }
  EXPECT_EQ(atomics, 2u);
  EXPECT_EQ(calls, 1u);
}

TEST_F(Field, built_in_atomics_with_orders_and_names_that_are_macros_in_std) {
  const Unit u = unit(
      "#include <cmath>\n"
      "__global__ void k(int* a, unsigned long* w, float* f, bool weak) {\n"
      "  __nv_atomic_fetch_add(a, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);\n"
      "  __nv_atomic_store_n(w, 2, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_BLOCK);\n"
      "  int e = __nv_atomic_load_n(a + 1, __NV_ATOMIC_ACQUIRE);\n"
      "  __nv_atomic_compare_exchange_n(a + 2, &e, 3, weak, __NV_ATOMIC_ACQ_REL, __NV_ATOMIC_RELAXED,\n"
      "                                 __NV_THREAD_SCOPE_SYSTEM);\n"
      "  f[1] = std::isinf(f[2]);\n"
      "}\n"
      "__global__ void cluster(int* a) {\n"
      "  __nv_atomic_add(a, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_CLUSTER);\n"
      "}\n");
  EXPECT_EQ(states(u), "k\ncluster: use of undeclared identifier '__NV_THREAD_SCOPE_CLUSTER'");
  std::vector<std::tuple<ir::AtomicOp, ir::Order, ir::Scope, uint32_t>> seen;
  for (const ir::Function& f : u.module.functions)
    for (const ir::Block& b : f.blocks)
      for (const ir::Instruction& i : b.instructions)
        if (const auto* a = std::get_if<ir::Atomic>(&i.action))
          seen.emplace_back(a->op, a->order, a->scope, a->access.bytes);
  using enum ir::Order;
  const decltype(seen) wanted = {{ir::AtomicOp::add, relaxed, ir::Scope::device, 4},
                                 {ir::AtomicOp::store, release, ir::Scope::group, 8},
                                 {ir::AtomicOp::load, acquire, ir::Scope::system, 4},
                                 {ir::AtomicOp::compare_exchange, acq_rel, ir::Scope::system, 4}};
  EXPECT_TRUE(seen == wanted) << seen.size();
}

}  // namespace
}  // namespace fencepost::clangfe

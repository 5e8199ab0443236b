// Functions that the host runs without a call in its text, and what they leave in a counter: each form with a function
// that does nothing to it, and with one that does.
#include <gtest/gtest.h>

#include "clangfe/clangfe.h"
#include "verifier/service.h"

namespace fencepost::verifier {
namespace {

// The last block adds up what all have written.
const char* const k_kernel =
    "__global__ void k(unsigned* c, float* part, float* out) { __shared__ bool last;\n"
    "  part[blockIdx.x * 64 + threadIdx.x] = threadIdx.x; __syncthreads();\n"
    "  if (threadIdx.x == 0) { __threadfence(); last = atomicAdd(c, 1) >= gridDim.x - 1; }\n  __syncthreads();\n"
    "  if (last) { float s = 0; for (unsigned i = threadIdx.x; i < gridDim.x * 64; i += 64) s += part[i];\n"
    "    out[threadIdx.x] = s; } }\nstatic unsigned* g; static int h;\n";

struct Form {
  std::string types, text;  // HIT: what is done to the counter, or to nothing
};

const std::string k_go = "k<<<8, 64>>>(c, p, q); ";

// Exit codes: 0 verified, 3 not decided.
int decided(const Form& form, const std::string& hit) {
  std::string text = k_kernel + form.types + "\nint main(int m, char**) { float *p, *q; unsigned* c; " +
                     "cudaMalloc(&p, 4096); cudaMalloc(&q, 4096); cudaMalloc(&c, 64); g = c; " + form.text + " }\n";
  for (size_t at = text.find("HIT"); at != std::string::npos; at = text.find("HIT")) text.replace(at, 3, hit);
  const auto o = launch::parse({});
  return o ? answer(*o, make_source("host.cu", text)).exit_code : -1;
}

void both(const std::vector<Form>& forms) {
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  for (const Form& f : forms) {
    EXPECT_EQ(decided(f, "h = 1"), 0) << f.types << "\n" << f.text;
    EXPECT_EQ(decided(f, "cudaMemset(g, 1, 4)"), 3) << f.types << "\n" << f.text;
  }
}

// What comes between the reset and the launch.
Form between(const std::string& types, const std::string& text, const std::string& before = "") {
  return {types, before + "cudaMemset(c, 0, 4); " + text + " " + k_go};
}

TEST(Implied, a_pointer_to_a_member_is_called) {
  const std::string s = "struct S { void f() { HIT; } void n() {} };";
  both({
      between(s, "(s.*x)();", "S s; void (S::*x)() = &S::f; "),
      between(s, "(t->*x)();", "S s, *t = &s; auto x = &S::f; "),
      between(s, "(s.*x[m & 1])();", "S s; void (S::*x[])() = {&S::n, &S::f}; "),
      between("struct S { virtual void f() { HIT; } };", "(s.*x)();", "S s; void (S::*x)() = &S::f; "),
      between(s + "template <void (S::*F)()> void call(S& s) { (s.*F)(); }", "call<&S::f>(s);", "S s; "),
  });
}

TEST(Implied, a_launch_is_behind_what_it_is_given) {
  const std::string clear = "cudaMemset(c, 0, 4); ",
                    convert = "struct S { unsigned* p; operator unsigned*() { HIT; return p; } };",
                    sizes = "struct G { operator unsigned() { HIT; return 8; } };";
  both({
      {"", clear + "k<<<8, 64>>>(c, p, (HIT, q));"},
      {"", clear + "k<<<(HIT, 8), 64>>>(c, p, q);"},
      {"int none() { HIT; return 0; }", clear + "k<<<8, 64, none()>>>(c, p, q);"},
      {convert, clear + "S s{c}; k<<<8, 64>>>(s, p, q);"},
      {sizes, clear + "G s; k<<<(unsigned)s, 64>>>(c, p, q);"},
      {"", clear + "void* a[] = {&c, &p, &q}; cudaLaunchKernel((void*)k, dim3(8), dim3(64), a, (HIT, 0), 0);"},
  });
}

TEST(Implied, destructors_of_bases_and_members_are_run) {
  const std::string s = "struct S { ~S() { HIT; } }; ";
  both({
      between(s + "struct T : S {};", "{ T t; }"),
      between(s + "struct T : S { ~T() {} };", "{ T t; }"),
      between(s + "struct T { S s[2]; };", "{ T t; }"),
      between(s + "struct T : S {}; struct U { T t; };", "t->~U();", "static long u[8]; U* t = (U*)u; "),
      between(s + "struct T : virtual S {};", "delete t;", "T* t = new T; "),
      between(s + "struct T { S s; ~T(); };", "{ T t; }"),
      between(s + "S make();", "make();"),
  });
}

TEST(Implied, copies_that_clang_writes_copy_members) {
  const std::string s = "struct S { S() {} S(const S&) { HIT; } S& operator=(const S&) { HIT; return *this; } }; ";
  both({
      between(s + "struct T { S s; };", "T u = t;", "T t; "),
      between(s + "struct T { S s[2]; };", "T u = t;", "T t; "),
      between(s + "struct T : S {};", "T u(t);", "T t; "),
      between(s + "struct T { S s; T() = default; T(const T&) = default; };", "T u = t;", "T t; "),
      between(s + "struct T { S s; };", "t = u;", "T t, u; "),
      between(s + "struct T { S s[2]; };", "t = u;", "T t, u; "),
      between("struct S { S& operator=(S&&) { HIT; return *this; } }; struct T { S s; };", "t = static_cast<T&&>(u);",
              "T t, u; "),
  });
}

TEST(Implied, closures_hold_copies) {
  const std::string s = "struct S { S() {} S(const S&) { HIT; } void f() { auto l = [*this] {}; } }; ";
  both({
      between(s, "auto l = [s] {};", "S s; "),
      between(s, "auto l = [=] { (void)&s; };", "S s; "),
      between(s, "s.f();", "S s; "),
      between("struct S { S() {} S(S&) {} S(const S&) { HIT; } };", "auto o = l;", "S s; const auto l = [s] {}; "),
  });
}

TEST(Implied, constructors_are_inherited) {
  both({
      between("struct A { A(unsigned*) { HIT; } }; struct S : A { using A::A; };", "S s(c);"),
      between("struct A { A(int) {} }; struct N { int n = (HIT, 1); }; struct S : A { N n; using A::A; };", "S s(1);"),
      between(
          "struct A { A(unsigned* x) { if (x) HIT; } }; struct B : A { using A::A; }; struct S : B { using B::B; };",
          "S s(c);"),
  });
}

TEST(Implied, memory_is_given_by_functions_of_the_program) {
  both({
      between("struct S { void* operator new(size_t n) { HIT; return malloc(n); } };", "new S;"),
      between("struct S { void operator delete(void* p) { HIT; free(p); } };", "delete s;", "S* s = new S; "),
      between(
          "struct S { void* operator new(size_t n, int) { return malloc(n); } void operator delete(void*, int) { HIT; "
          "} S() { throw 1; } };",
          "try { new (1) S; } catch (int) {}"),
      between("struct S { S() { HIT; } void* operator new(size_t, void* p) { return p; } };", "new (a) S;",
              "char a[8]; "),
      between("void* operator new(size_t n) { HIT; return malloc(n); }", "int* i = new int;"),
  });
}

TEST(Implied, elements_exceptions_bindings_and_threads_begin) {
  const std::string
      copied = "struct S { S() {} S(const S&) { HIT; } };",
      taken =
          "namespace std { template <class T> struct tuple_size; template <size_t I, class T> struct "
          "tuple_element; } struct S { template <size_t I> int get() { HIT; return 0; } }; namespace std { "
          "template <> struct tuple_size<S> { static const size_t value = 1; }; template <> struct "
          "tuple_element<0, S> { using type = int; }; }";
  both({
      between("struct S { S() { HIT; } }; struct T { int n; S s[2]; };", "T t = {};"),
      between(copied, "try { throw S(); } catch (S s) {}"),
      between(taken, "auto [x] = s;", "S s; "),
      between("static int first() { HIT; return 0; } thread_local int own = first();", "int n = own;"),
  });
}

// The sizes of an array are none of the walk's forms.
TEST(Implied, what_is_not_followed_leaves_nothing_known) {
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  for (const char* text : {"int a[n()]; a[0] = 1;", "typedef int A[n()]; h = sizeof(A);"}) {
    const Form f = between("int n() { HIT; return 4; }", text);
    EXPECT_EQ(decided(f, ""), 0) << text;
    EXPECT_EQ(decided(f, "cudaMemset(g, 1, 4)"), 3) << text;
  }
}

// Calls of itself make no function one that is run at any time.
TEST(Implied, a_function_that_calls_itself_is_no_other_than_its_callers_say) {
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  const std::string solve = "static void solve(unsigned* c, float* p, float* q, int n) { if (n == 0) return; " +
                            std::string("cudaMemset(c, 0, 4); ") + k_go + "solve(c, p, q, n - 1); }";
  EXPECT_EQ(decided({solve, ""}, ""), decided({solve, "solve(c, p, q, m);"}, ""));
}

TEST(Implied, memory_may_be_cleared_where_it_is_made) {
  const std::string owner =
      "struct Owner { unsigned* c; Owner() { cudaMalloc(&c, 4); cudaMemset(c, 0, 4); } ~Owner() { cudaFree(c); } "
      "Owner(const Owner&) = delete; }; ";
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  EXPECT_EQ(decided({owner, "Owner o; k<<<8, 64>>>(o.c, p, q);"}, ""), 0);
  EXPECT_EQ(decided({owner + "struct Both : Owner { float* x; };", "Both o; k<<<8, 64>>>(o.c, p, q);"}, ""), 0);
  EXPECT_EQ(decided({owner + "struct Job { Owner o; void go(float* p, float* q) { k<<<8, 64>>>(o.c, p, q); } };",
                     "Job j; j.go(p, q);"},
                    ""),
            0);
}

}  // namespace
}  // namespace fencepost::verifier

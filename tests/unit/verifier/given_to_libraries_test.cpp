// Functions of the file that a library runs by itself, since it is given their class: each form with a function that
// does nothing to the counter, and with one that does.
#include <gtest/gtest.h>

#include "clangfe/clangfe.h"
#include "verifier/service.h"

namespace fencepost::verifier {
namespace {

const char* const k_includes =
    "#include <algorithm>\n#include <functional>\n#include <iostream>\n#include <map>\n#include <memory>\n"
    "#include <numeric>\n#include <thread>\n#include <unordered_map>\n#include <vector>\nstatic int h;\n";
// The last block adds up what all have written.
const char* const k_kernel =
    "__global__ void k(unsigned* c, float* part, float* out) { __shared__ bool last;\n"
    "  part[blockIdx.x * 64 + threadIdx.x] = threadIdx.x; __syncthreads();\n"
    "  if (threadIdx.x == 0) { __threadfence(); last = atomicAdd(c, 1) >= gridDim.x - 1; }\n  __syncthreads();\n"
    "  if (last) { float s = 0; for (unsigned i = threadIdx.x; i < gridDim.x * 64; i += 64) s += part[i];\n"
    "    out[threadIdx.x] = s; } }\nstatic unsigned* g;\n";

int exit_code(std::string text, const std::string& hit) {
  for (size_t at = text.find("HIT"); at != std::string::npos; at = text.find("HIT")) text.replace(at, 3, hit);
  const auto o = launch::parse({});
  return o ? answer(*o, make_source("host.cu", text)).exit_code : -1;
}

// Exit codes: 0 verified, 3 not decided. HIT: what is done to the counter, or to nothing.
int decided(const std::string& types, const std::string& text, const std::string& hit) {
  const std::string before =
      "int main(int m, char**) { float *p, *q; unsigned* c; cudaMalloc(&p, 4096); "
      "cudaMalloc(&q, 4096); cudaMalloc(&c, 64); g = c; int v[2] = {1, 2}; ";
  return exit_code(k_includes + std::string(k_kernel) + types + "\n" + before + "cudaMemset(c, 0, 4); " + text +
                       " k<<<8, 64>>>(c, p, q); }\n",
                   hit);
}

// The same of two pointers. HIT: one is given the other's array, or nothing is done.
int apart(const std::string& types, const std::string& text, const std::string& hit) {
  const std::string kernel =
                        "__global__ void shift(float* a, float* b) { unsigned i = blockIdx.x * 64 + threadIdx.x; "
                        "a[i] = b[i + 1]; }\nstatic float *x, *y;\n",
                    before =
                        "int main(int m, char**) { cudaMalloc(&x, 4096); cudaMalloc(&y, 4096); int v[2] = {1, 2}; ";
  return exit_code(k_includes + kernel + types + "\n" + before + text + " shift<<<8, 64>>>(x, y); }\n", hit);
}

struct Form {
  std::string types, text;
};

void both(const std::vector<Form>& forms) {
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  for (const Form& f : forms) {
    EXPECT_EQ(decided(f.types, f.text, "h = 1"), 0) << f.types << "\n" << f.text;
    EXPECT_EQ(decided(f.types, f.text, "cudaMemset(g, 1, 4)"), 3) << f.types << "\n" << f.text;
    EXPECT_EQ(apart(f.types, f.text, "h = 1"), 0) << f.types << "\n" << f.text;
    EXPECT_EQ(apart(f.types, f.text, "x = y"), 3) << f.types << "\n" << f.text;
  }
}

void never(const std::vector<Form>& forms) {
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  for (const Form& f : forms) {
    EXPECT_EQ(decided(f.types, f.text, "cudaMemset(g, 1, 4)"), 3) << f.types << "\n" << f.text;
    EXPECT_EQ(apart(f.types, f.text, "x = y"), 3) << f.types << "\n" << f.text;
  }
}

TEST(GivenToLibraries, functors_are_called) {
  const std::string f = "struct F { template <class... X> void operator()(X...) const { HIT; } }; ",
                    one = "struct F { void operator()(int) const { HIT; } }; ",
                    two = "struct L { bool operator()(int a, int b) const { HIT; return a < b; } }; ",
                    sum = "struct A { int operator()(int a, int b) const { HIT; return a + b; } }; ",
                    make = "struct M { int operator()() const { HIT; return 1; } }; ";
  both({
      {one, "std::for_each(v, v + 2, F());"},
      {one, "F f; std::for_each(v, v + 2, f);"},
      {two, "std::sort(v, v + 2, L());"},
      {two, "std::vector<int> w(2); std::sort(w.begin(), w.end(), L());"},
      {two, "std::stable_sort(v, v + 2, L{});"},
      {sum, "std::accumulate(v, v + 2, 0, A());"},
      {make, "std::generate(v, v + 2, M());"},
      {"struct T { int operator()(int a) const { HIT; return a; } };", "std::transform(v, v + 2, v, T());"},
      {"struct B { void operator()(int) const { HIT; } }; struct F : B {};", "std::for_each(v, v + 2, F());"},
      {"struct B { void go() const { HIT; } }; struct F { B b; void operator()(int) const { b.go(); } };",
       "std::for_each(v, v + 2, F());"},
      {"void go() { HIT; } struct F { void operator()(int) const { go(); } };", "std::for_each(v, v + 2, F());"},
      {make, "std::function<int()> f = M(); f();"},
      {make, "std::thread t{M()}; t.join();"},
      {make, "M make; auto f = std::function<int()>(make);"},
  });
  never({{f, "std::for_each(v, v + 2, F());"},
         {"template <class T> struct F { void operator()(T) const { HIT; } };", "std::for_each(v, v + 2, F<int>());"},
         {"template <class T> struct F { template <class U> void operator()(U u) const { T t; t(u); } }; struct G { "
          "void operator()(int) const { HIT; } };",
          "std::for_each(v, v + 2, F<G>());"}});
}

TEST(GivenToLibraries, elements_are_compared_and_added) {
  const std::string e = "struct E { int x; E(int y = 0) : x(y) {} ";
  both({
      {e + "bool operator<(const E& o) const { HIT; return x < o.x; } };", "E a[2]; std::sort(a, a + 2);"},
      {e + "}; bool operator<(const E& a, const E& b) { HIT; return a.x < b.x; }", "E a[2]; std::sort(a, a + 2);"},
      {e + "friend bool operator<(const E& a, const E& b) { HIT; return a.x < b.x; } };",
       "E a[2]; std::sort(a, a + 2);"},
      {e + "bool operator==(const E& o) const { HIT; return x == o.x; } };", "E a[2]; std::find(a, a + 2, E(1));"},
      {e + "}; E operator+(const E& a, const E& b) { HIT; return E(a.x + b.x); }",
       "E a[2]; std::accumulate(a, a + 2, E());"},
      {e + "bool operator<(const E& o) const { HIT; return x < o.x; } };", "std::map<E, int> t; t[E(1)] = 2;"},
      {e + "}; void swap(E& a, E& b) { HIT; }", "E a[2]; std::reverse(a, a + 2);"},
      {e + "bool operator<(const E& o) const { HIT; return x < o.x; } };",
       "std::vector<E*> a; std::vector<E> b; std::sort(b.begin(), b.end());"},
      {"struct I { int* p; int& operator*() const { HIT; return *p; } I& operator++() { ++p; return *this; } "
       "bool operator!=(const I& o) const { return p != o.p; } bool operator==(const I& o) const { return p == "
       "o.p; } "
       "};",
       "std::find(I{v}, I{v + 2}, 1);"},
  });
}

TEST(GivenToLibraries, containers_make_copy_and_end_elements) {
  const std::string make = "struct S { int n; S() { HIT; } }; ", copy = "struct S { S() {} S(const S&) { HIT; } }; ",
                    end = "struct S { ~S() { HIT; } }; ",
                    put = "struct S { S& operator=(const S&) { HIT; return *this; } }; ";
  both({
      {make, "std::vector<S> a(2);"},
      {make, "std::vector<S> a; a.resize(2);"},
      {make, "auto a = std::make_unique<S>();"},
      {make, "auto a = std::make_shared<S>();"},
      {make, "std::map<int, S> a; a[1];"},
      {copy, "std::vector<S> a; S s; a.push_back(s);"},
      {copy, "S s; std::vector<S> a(2, s);"},
      {copy, "S a[2], b[2]; std::copy(a, a + 2, b);"},
      {end, "{ std::vector<S> a(2); }"},
      {end, "{ std::unique_ptr<S> a(new S); }"},
      {end, "std::unique_ptr<S> a(new S); a.reset();"},
      {end, "{ std::shared_ptr<S> a(new S); }"},
      {end + "struct T { S s[2]; };", "{ std::vector<T> a(2); }"},
      {end + "struct T : S {};", "{ std::vector<T> a(2); }"},
      {end + "struct T { std::vector<S> a; };", "{ T t; }"},
      {"struct B { virtual ~B() {} }; struct S : B { ~S() { HIT; } };", "{ std::unique_ptr<B> a(new S); }"},
      {put, "S a[2], b[2]; std::copy(a, a + 2, b);"},
      {put, "S a[2]; std::fill(a, a + 2, S());"},
      {end, "std::vector<std::vector<S>> a; a.clear();"},
      {end, "std::vector<S*> a; std::vector<std::unique_ptr<S>> b; b.clear();"},
      {"struct S { S() {} S(S&&) { HIT; } S& operator=(S&&) { return *this; } };", "S a, b; std::swap(a, b);"},
      {"struct B { virtual ~B() {} }; struct S : B { ~S() { HIT; } };", "B* b = new S; delete b;"},
  });
  never({
      {"template <class T> struct S { T t; ~S() { HIT; } };", "{ std::vector<S<int>> a(2); }"},
      {"struct S { int n = (HIT, 1); };", "std::vector<S> a(2);"},
      {"struct S { S(int x = (HIT, 1)) {} };", "std::vector<S> a(2);"},
      {"template <class T> struct A { typedef T value_type; T* allocate(size_t n) { HIT; return new T[n]; } "
       "void deallocate(T* p, size_t) { delete[] p; } };",
       "std::vector<int, A<int>> a(2);"},
      {"struct S { int x; bool operator==(const S& o) const { return x == o.x; } }; namespace std { template <> "
       "struct "
       "hash<S> { size_t operator()(const S& s) const { HIT; return 1; } }; }",
       "std::unordered_map<S, int> a; a[S()] = 1;"},
  });
}

// What our headers do not have.
TEST(GivenToLibraries, libraries_that_nobody_has_read) {
  const std::string f = "struct F { void operator()(int) const { HIT; } bool operator()(int a, int b) const { HIT; "
                        "return a < b; } }; ",
                    end = "struct S { ~S() { HIT; } }; ";
  never({
      {f, "std::set<int, F> a; a.insert(1);"},
      {"#include <thrust/sort.h>\n" + f, "thrust::sort(v, v + 2, F());"},
      {"#include <thrust/sort.h>\n" + f, "F f; thrust::sort(v, v + 2, f);"},
      {"#include <any>\n" + end, "std::any a = S();"},
      {"#include <optional>\n" + end, "std::optional<S> a; a.emplace();"},
      {"#include <variant>\n" + end, "std::variant<int, S> a; a.emplace<S>();"},
      {"#include <future>\n" + f, "std::async(F(), 1);"},
      {"#include <variant>\n" + f, "std::variant<int> a(1); std::visit(F(), a);"},
      {"#include <other.h>\n" + f + "other::list<F> everywhere;", ""},
      {"#include <other.h>\n" + f + "typedef F G;", "other::list<G> a; a.go();"},
      {"#include <other.h>\n" + f, "auto f = F(); other::go(f);"},
      {"#include <other.h>\n" + f + "template <class T> void use() { other::list<T> a; a.go(); }", "use<F>();"},
      {"#include <other.h>\nstruct F { void operator()(int) const { HIT; } void go() { other::use(*this); } };",
       "F f; f.go();"},
  });
}

TEST(GivenToLibraries, names_that_are_not_the_only_ones) {
  never({
      {"extern unsigned* other __asm__(\"_ZL1g\"); void f() { HIT; }", "f();"},
      {"void other() __asm__(\"f\"); extern \"C\" void f() { HIT; }", "other();"},
      {"extern \"C\" { void f() { HIT; } } void other() __attribute__((alias(\"f\")));", "other();"},
      {"extern \"C\" { void f() { HIT; } }\n#pragma weak other = f\nextern \"C\" void other();", "other();"},
      {"extern \"C\" { void f() { HIT; } }\n#pragma redefine_extname other f\nextern \"C\" void other();", "other();"},
  });
}

TEST(GivenToLibraries, variables_name_what_ends_them) {
  both({{"void f(int*) { HIT; }", "{ __attribute__((cleanup(f))) int x = 0; }"}});
}

TEST(GivenToLibraries, bindings_take_what_the_class_gives) {
  const std::string s =
      "struct S { int a, b; }; template <size_t I> int get(const S& s) { HIT; return I ? s.a : s.b; } namespace "
      "std { "
      "template <> struct tuple_size<S> { static const size_t value = 2; }; template <size_t I> struct "
      "tuple_element<I, S> { typedef int type; }; }";
  never({{s, "S s; auto [a, b] = s;"}, {"#include <tuple>\n" + s, "S s; auto [a, b] = s;"}});
}

}  // namespace
}  // namespace fencepost::verifier

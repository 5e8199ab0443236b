// Host code that clang reads in part, or in a form that the walk over it does not know: nothing is known there.
#include <gtest/gtest.h>

#include "clangfe/clangfe.h"
#include "verifier/service.h"

namespace fencepost::verifier {
namespace {

struct Case {
  std::string text;
  int exit_code;          // 0 verified, 3 not decided
  const char* says = "";  // on either stream
};

void decide(const std::vector<Case>& cases) {
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  for (const Case& c : cases) {
    const auto o = launch::parse({});
    ASSERT_TRUE(o);
    const launch::Answer a = answer(*o, make_source("host.cu", c.text));
    EXPECT_EQ(a.exit_code, c.exit_code) << c.text << "\n" << a.out << a.err;
    EXPECT_NE((a.out + a.err).find(c.says), std::string::npos) << c.text << "\n" << a.out << a.err;
  }
}

// Two arrays are given, made of p and q.
std::string two(const std::string& text, const std::string& before = "") {
  return "__global__ void k(int* a, const int* b) { a[threadIdx.x] = b[threadIdx.x + 1]; }\n" + before +
         "\nint main(int m, char**) { int *p, *q; cudaMalloc(&p, 4096); cudaMalloc(&q, 4096); " + text + " }\n";
}

TEST(HostCodeUnread, bytes_of_a_pointer_are_that_pointer) {
  const std::string bc = "template <class T, class F> T bc(F f) { return __builtin_bit_cast(T, f); }\n";
  decide({
      {two("k<<<1, 32>>>(__builtin_bit_cast(int*, p), q);"), 0},
      {two("k<<<1, 32>>>(__builtin_bit_cast(int*, q), q);"), 3, "may be of one array"},
      {two("unsigned long u = (unsigned long)q; k<<<1, 32>>>(__builtin_bit_cast(int*, u), q);"), 3},
      {two("k<<<1, 32>>>(bc<int*>(p), q);", bc), 0},
      {two("k<<<1, 32>>>(bc<int*>(q), q);", bc), 3, "may be of one array"},
      {two("S s{q}; k<<<1, 32>>>(__builtin_bit_cast(int*, s), q);", "struct S { int* x; };"), 3},
  });
}

TEST(HostCodeUnread, a_distance_leads_to_another_array) {
  decide({
      {two("long d = m; k<<<1, 32>>>(p + d, q);"), 0},
      {two("long d = q - p; k<<<1, 32>>>(p + d, q);"), 3},
      {two("k<<<1, 32>>>(&p[q - p], q);"), 3},
      {two("int* r = p; r += q - p; k<<<1, 32>>>(r, q);"), 3},
  });
}

TEST(HostCodeUnread, operators_and_functions_get_what_the_language_gives_them) {
  const std::string by_class = "struct S { static int* operator()(int* v) { return v; } };\n";
  decide({
      {two("k<<<1, 32>>>(S{}(p), q);", by_class), 0},
      {two("k<<<1, 32>>>(S{}(q), q);", by_class), 3, "may be of one array"},
      {two("S s{q}; k<<<1, 32>>>(s.g(), q);", "struct S { int* x; int* g(this S& s) { return s.x; } };"), 3},
  });
}

TEST(HostCodeUnread, a_value_that_could_not_be_read_is_any) {
  const std::string begin = "static int* f(int n, ...) { va_list l; va_start(l, n); ";
  decide({
      {two("k<<<1, 32>>>(f(1, p), q);", "static int* f(int n, int* x) { return x; }"), 0},
      {two("k<<<1, 32>>>(f(1, q), q);", begin + "int* r = va_arg(l, int*); return r; }"), 3},
      {two("k<<<1, 32>>>(f(1, q), q);", begin + "return va_arg(l, int*); }"), 3},
  });
}

TEST(HostCodeUnread, a_function_that_could_not_be_read_may_be_meant) {
  const std::string made = "static int* f(int* x, long) { static int* m; if (!m) cudaMalloc(&m, 4096); return m; }\n";
  const std::string of_q = "int* r = f(q, 0); k<<<1, 32>>>(r, q);";
  const std::string one = "template <class T> int f(T) { return 1; }\n";
  const auto sized = [](const std::string& before) {
    return before +
           "__global__ void j(int* a) { a[threadIdx.x] = blockIdx.x; }\n"
           "int main() { int* p; cudaMalloc(&p, 4096); j<<<f(1), 32>>>(p); }\n";
  };
  decide({
      {two(of_q, made), 0},
      {two(of_q, "template <class T> requires true T f(T x, int) { return x; }\n" + made), 3},
      {two(of_q, "template <class T> concept C = true; template <C T> T f(T x, int) { return x; }\n" + made), 3},
      {two(of_q, "auto f(auto x, int) { return x; }\n" + made), 3},
      {two(of_q, "template <class T> requires true T g(T x, int) { return x; }\n" + made), 0},
      {sized(one), 0},
      {sized(one + "template <class T> requires true int f(T) { return 2; }\n"), 1},
      {two("S s{q}; k<<<1, 32>>>(s.g, q);",
           "struct S { int* g; S(void*) { cudaMalloc(&g, 4096); } template <class T> requires true S(T* x) : g(x) {} "
           "};"),
       3},
  });
}

}  // namespace
}  // namespace fencepost::verifier

// Numbers in structures that a launch gives by value, and variables that a loop of the host's declares.
#include "decide.h"

namespace fencepost::verifier {
namespace {

// Rows of `pitch` elements, of which a block writes n: a race where pitch < n.
#define PAIR                                \
  "struct P { float* o; int n, pitch; };\n" \
  "__global__ void k(P p) {\n"              \
  "  for (int i = threadIdx.x; i < p.n; i += 32) p.o[(long long)blockIdx.x * p.pitch + i] = blockIdx.x + i; }\n"
#define ROWS                                          \
  "__global__ void k(float* o, int n, int pitch) {\n" \
  "  for (int i = threadIdx.x; i < n; i += 32) o[(long long)blockIdx.x * pitch + i] = blockIdx.x + i; }\n"
#define RUN "void run(float* o, int n, int m) {\n"

constexpr const char* k_says = "its numbers are those of the launch at";
constexpr const char* k_not = "!its numbers are those";
const std::vector<std::string> k_soon = {"--timeout=4"};

Case verified(const char* text, const char* says = k_says) { return {"f.cu", text, 0, says, k_soon, true}; }
Case race(const char* text, const char* says = k_not) { return {"f.cu", text, 1, says, k_soon, true}; }

TEST(Members, of_a_list_of_values) {
  decide({
      verified(PAIR RUN "  const P p = {o, n, n + 8}; k<<<8, 32>>>(p); }\n", "p.n == n, p.pitch == n + 8"),
      verified(PAIR RUN "  P p{o, n, n + 8}; k<<<8, 32>>>(p); }\n"),
      verified(PAIR RUN "  P p{.o = o, .n = n, .pitch = n}; k<<<8, 32>>>(p); }\n"),
      verified(PAIR RUN "  k<<<8, 32>>>(P{o, n, n + 8}); }\n"),
      verified(PAIR RUN "  k<<<8, 32>>>({o, n, n + 8}); }\n"),
      verified(PAIR RUN "  const P p = {o, 100, 200}; k<<<8, 32>>>(p); }\n", "p.n == 100, p.pitch == 200"),
      verified(PAIR RUN "  P p = {o, n, n + 8}; P q = p; k<<<8, 32>>>(q); }\n"),
      verified(PAIR RUN "  const P p = {o, n, n + 8}; k<<<8, 32>>>({p.o, p.n, p.pitch}); }\n"),
      race(PAIR RUN "  const P p = {o, n, n - 8}; k<<<8, 32>>>(p); }\n"),
      race(PAIR RUN "  const P p = {o, 200, 100}; k<<<8, 32>>>(p); }\n"),
      race(PAIR RUN "  P p{o, n, n + 8}; p.n += 9; k<<<8, 32>>>(p); }\n"),
      race(PAIR RUN "  P p{o, n, n + 8}; int* q = &p.pitch; *q = 0; k<<<8, 32>>>(p); }\n"),
      race(PAIR RUN "  P p{o, n, n + 8}; auto& [a, b, c] = p; c = 1; k<<<8, 32>>>(p); }\n"),
      race(PAIR "void change(P&);\n" RUN "  P p{o, n, n + 8}; change(p); k<<<8, 32>>>(p); }\n"),
      race(PAIR RUN "  P p{o, n, n + 8}; auto f = [&] { p.pitch = 1; }; f(); k<<<8, 32>>>(p); }\n"),
      race(PAIR RUN "  static P p{o, n, n + 8}; k<<<8, 32>>>(p); }\n"),
      race(PAIR "void run(P p) { k<<<8, 32>>>(p); }\n"),
  });
}

TEST(Members, of_statements) {
  decide({
      verified(PAIR RUN "  P p; p.o = o; p.n = n; p.pitch = n + 8; k<<<8, 32>>>(p); }\n", "p.pitch == n + 8"),
      verified(PAIR RUN "  P p; p.o = o; p.n = n; p.pitch = 3; p.pitch = n + 8; k<<<8, 32>>>(p); }\n"),
      verified(PAIR RUN "  P p = {o, 5, 5}; p = P{o, n, n + 8}; k<<<8, 32>>>(p); }\n"),
      verified(PAIR RUN "  P p; p.o = o; p.n = n; p.pitch = n + 8; k<<<8, 32>>>(p); p.pitch = 1; }\n"),
      verified(PAIR RUN "  P p = {o, n, n}; for (int i = 0; i < m; ++i) k<<<8, 32>>>(p); p.pitch = 1; }\n"),
      race(PAIR RUN "  P p; p.o = o; p.n = n; p.pitch = n + 8; p.pitch = n - 8; k<<<8, 32>>>(p); }\n"),
      race(PAIR RUN "  P p = {o, n, n + 8}; p = P{o, n, n - 8}; k<<<8, 32>>>(p); }\n"),
      race(PAIR RUN "  P p = {o, n, n + 8}; p = *(P*)o; k<<<8, 32>>>(p); }\n"),
      race(PAIR RUN "  P p = {o, n, n + 8}; if (m) p.pitch = 1; k<<<8, 32>>>(p); }\n"),
      race(PAIR RUN "  P p = {o, n, n}; for (int i = 0; i < m; ++i) { k<<<8, 32>>>(p); p.pitch = 1; } }\n"),
      race(PAIR RUN "  P p; p.o = o; p.n = n; again: p.pitch = n + 8; k<<<8, 32>>>(p); p.pitch = 1; goto again; }\n"),
      // What is set in one case is not set in the next.
      race(PAIR RUN "  switch (m) { P p; case 0: ++m; p.o = o; p.n = n; p.pitch = n; break;\n"
                    "    case 1: ++m; k<<<8, 32>>>(p); } }\n"),
      // The variable is another number by then.
      race(PAIR RUN "  P p; p.o = o; p.pitch = n; n += 9; p.n = n; k<<<8, 32>>>(p); }\n"),
      race(PAIR RUN "  P p = {o, 1, n}; n += 9; p.n = n; k<<<8, 32>>>(p); }\n"),
  });
}

TEST(Members, of_constructors_and_of_structures_in_it) {
#define DEEP \
  "struct Q { int n, pitch; Q(int a, int b = 3) : n(a), pitch(n_of(a, b)) {} static int n_of(int a, int b); };\n"
#define NEST                                                 \
  "struct P { float* o; Q q; };\n__global__ void k(P p) {\n" \
  "  for (int i = threadIdx.x; i < p.q.n; i += 32) p.o[(long long)blockIdx.x * p.q.pitch + i] = blockIdx.x + i; }\n"
  decide({
      verified("struct Q { int n, pitch; Q(int a) : n(a), pitch(a + 3) {} };\n" NEST RUN
               "  k<<<8, 32>>>(P{o, Q(n)}); }\n",
               "p.q.n == n, p.q.pitch == n + 3"),
      verified("struct Q { int n; int pitch; Q(int a, int b = 3) : n(a), pitch(a + b) {} };\n" NEST RUN
               "  Q q(n); P p = {o, q}; k<<<8, 32>>>(p); }\n"),
      verified("struct Q { int n, pitch = 300; };\n" NEST RUN "  P p = {o, {200}}; k<<<8, 32>>>(p); }\n"),
      verified("struct Q { int n; short s; int pitch; };\n" NEST RUN "  P p = {o, {n, 3, n}}; k<<<8, 32>>>(p); }\n"),
      race("struct Q { int n, pitch; Q(int a) : n(a), pitch(a - 3) {} };\n" NEST RUN "  k<<<8, 32>>>(P{o, Q(n)}); }\n"),
      race("struct Q { int n, pitch; Q(int a) : n(a), pitch(a + 3) { pitch = 1; } };\n" NEST RUN
           "  k<<<8, 32>>>(P{o, Q(n)}); }\n"),
      race("struct B { int pitch; }; struct Q : B { int n; Q(int a) : B{a - 3}, n(a) {} };\n" NEST RUN
           "  k<<<8, 32>>>(P{o, Q(n)}); }\n"),
      race("struct Q { int n; union { int pitch, other; }; };\n" NEST RUN
           "  P p = {o, {n, {n}}}; k<<<8, 32>>>(p); p.q.other = 1; k<<<8, 32>>>(p); }\n"),
      race("struct Q { int n : 16, pitch : 16; };\n" NEST RUN "  k<<<8, 32>>>(P{o, {n, n}}); }\n"),
      race("struct Q { mutable int n, pitch; void f() const { pitch = 1; } };\n" NEST RUN
           "  const P p = {o, {n, n}}; p.q.f(); k<<<8, 32>>>(p); }\n"),
      race("struct Q { int n, pitch; Q(int a) : n(a), pitch(a) {} Q(const Q& q) : n(q.n), pitch(q.n - 3) {} "
           "};\n" NEST RUN "  Q q(n); k<<<8, 32>>>(P{o, q}); }\n"),
  });
}

TEST(Members, are_arguments_of_their_own) {
  decide({
      verified("struct P { int n, pitch; };\n" ROWS RUN "  const P p = {n, n + 8}; k<<<8, 32>>>(o, p.n, p.pitch); }\n"),
      verified("struct P { int n, pitch; };\n" ROWS RUN
               "  P p; p.n = n; p.pitch = p.n + 8; k<<<8, 32>>>(o, p.n, p.pitch); }\n"),
      race("struct P { int n, pitch; };\n" ROWS RUN
           "  P p; p.n = n; p.pitch = n + 8; p.n = n + 9; k<<<8, 32>>>(o, p.n, p.pitch); }\n"),
      race("struct P { int n, pitch; };\n" ROWS RUN
           "  P p; p.n = n; int m2 = p.n; p.n = n + 9; k<<<8, 32>>>(o, p.n, m2); }\n"),
  });
}

// A kernel that writes to its copy reads what it wrote.
TEST(Members, of_a_copy_that_the_kernel_keeps) {
  decide({
      race(
          "struct P { float* o; int n, pitch; };\n"
          "__global__ void k(P p, int m) {\n"
          "  int* q = m ? &p.n : &p.pitch; *q = m;\n"
          "  for (int i = threadIdx.x; i < p.n; i += 32) p.o[(long long)blockIdx.x * p.pitch + i] = blockIdx.x + i; }\n"
          "void run(float* o, int n) { k<<<8, 32>>>(P{o, 100, 100}, n); }\n"),
  });
}

TEST(Members, that_are_not_known_are_told) {
  decide({
      race(PAIR "P made();\n" RUN "  k<<<8, 32>>>(made()); }\n",
           "the numbers in 'p' are any here; the launch at f.cu:6:3 gives `made()`"),
  });
}

// Rows that lie as far apart as cudaMallocPitch says.
TEST(Members, the_distance_of_rows) {
#define PITCHED                                              \
  "#include <cuda_runtime.h>\n"                              \
  "__global__ void k(char* a, size_t pitch, unsigned w) {\n" \
  "  for (unsigned x = threadIdx.x; x < w; x += 32) a[blockIdx.x * pitch + x] = blockIdx.x + x; }\n"
#define ALLOCATED "void run(unsigned w, unsigned v) { char* a; size_t p; cudaMallocPitch((void**)&a, &p, "
  decide({
      verified(PITCHED ALLOCATED "w, 8); k<<<8, 32>>>(a, p, w); }\n", "pitch == w + what cudaMallocPitch adds"),
      verified(PITCHED "#define CHECK(c) do { if ((c) != cudaSuccess) return; } while (0)\n"
                       "void run(unsigned w) { char* a; size_t p; CHECK(cudaMallocPitch((void**)&a, &p, w, 8));\n"
                       "  k<<<8, 32>>>(a, p, w); }\n"),
      race(PITCHED ALLOCATED "w / 2, 8); k<<<8, 32>>>(a, p, w); }\n"),
      race(PITCHED "void run(unsigned w) { char* a; size_t p = 0; if (w < 9) cudaMallocPitch((void**)&a, &p, w, 8);\n"
                   "  k<<<8, 32>>>(a, p, w); }\n"),
      race(PITCHED ALLOCATED "w, 8); p /= 2; k<<<8, 32>>>(a, p, w); }\n"),
      race(PITCHED ALLOCATED "w, 8); w += 9; k<<<8, 32>>>(a, p, w); }\n"),
      race(PITCHED ALLOCATED "w, 8); cudaMallocPitch((void**)&a, &p, v, 8); k<<<8, 32>>>(a, p, w); }\n"),
      race(PITCHED "int cudaMallocPitch(void**, size_t*, unsigned, unsigned);\n" ALLOCATED
                   "w, 8u); k<<<8, 32>>>(a, p, w); }\n"),
  });
}

TEST(Members, declared_in_a_loop) {
  decide({
      verified(ROWS RUN
               "  for (int l = 0; l < m; ++l) { const int g = n >> l; k<<<8, 32>>>(o, g, (n >> l) + 3); } }\n"),
      verified(ROWS RUN "  for (int l = 9; l < m; l *= 2) { int g = l * 2; k<<<8, 32>>>(o, l * 2, g); } }\n"),
      race(ROWS RUN "  int l = 9; while (l < m) { int g = l; l = l * 2; k<<<8, 32>>>(o, l, g); } }\n"),
      race(ROWS RUN "  for (int l = 9; l < m; ++l) { int g = l; if (m) { ++l; } k<<<8, 32>>>(o, l, g); } }\n"),
      race(ROWS RUN "  int g = 0; for (int l = 9; l < m; ++l) { g = l; } for (int l = 9; l < m; ++l)\n"
                    "  { k<<<8, 32>>>(o, l, g); } }\n"),
      race(ROWS RUN "  int l = 9; { int g = l; for (; l < m; ++l) k<<<8, 32>>>(o, l, g); } }\n"),
  });
}

}  // namespace
}  // namespace fencepost::verifier

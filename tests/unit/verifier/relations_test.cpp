// What the arguments and the sizes of a launch have to do with one another.
#include "decide.h"

namespace fencepost::verifier {
namespace {

// Rows of `pitch` elements, of which a block writes n: a race where pitch < n.
#define ROWS                                          \
  "__global__ void k(float* o, int n, int pitch) {\n" \
  "  for (int i = threadIdx.x; i < n; i += 32) o[(long long)blockIdx.x * pitch + i] = blockIdx.x + i; }\n"
// The same with a number of 64 bits.
#define WIDE                                                  \
  "__global__ void k(float* o, unsigned n, size_t pitch) {\n" \
  "  for (size_t i = threadIdx.x; i < n; i += 32) o[blockIdx.x * pitch + i] = blockIdx.x + i; }\n"

constexpr const char* k_says = "its numbers are those of the launch at";
constexpr const char* k_not = "!its numbers are those";
const std::vector<std::string> k_soon = {"--timeout=4"};

Case verified(const char* text, const char* says = k_says) { return {"f.cu", text, 0, says, k_soon, true}; }
Case race(const char* text, const char* says = k_not) { return {"f.cu", text, 1, says, k_soon, true}; }

TEST(Relations, an_argument_that_is_computed_from_another) {
  decide({
      verified(ROWS "void run(float* o, int n) { k<<<8, 32>>>(o, n, n + 8); }\n", "f.cu:3:29: pitch == n + 8"),
      verified(ROWS "void run(float* o, int n) { int pitch = n + 8; k<<<8, 32>>>(o, n, pitch); }\n", "pitch == n + 8"),
      verified(ROWS
               "void run(float* o, int n) { const int more = 8; int p = n + more, q = p; k<<<8, 32>>>(o, n, q); }\n",
               "pitch == n + 8"),
      verified(ROWS "void run(float* o, int n) { k<<<8, 32>>>(o, n, n > 64 ? n : 64); }\n",
               "pitch == (n > 64 ? n : 64)"),
      verified(ROWS "int more(int x) { return x + 3; }\n"
                    "void run(float* o, int n) { k<<<8, 32>>>(o, n, more(n)); }\n",
               "pitch == n + 3"),
      verified(ROWS "void run(float* o, int w) { k<<<8, 32>>>(o, w - 1, w); }\n", "n == pitch - 1"),
  });
}

TEST(Relations, the_same_one_twice) {
  decide({
      verified(ROWS "void run(float* o, int n) { k<<<8, 32>>>(o, n, n); }\n", "pitch == n"),
      verified(WIDE "void run(float* o, unsigned n) { k<<<8, 32>>>(o, n, n); }\n", "pitch == n"),
      // With what the host reads from elsewhere, and with none of the arguments.
      verified(ROWS "int size();\nvoid run(float* o) { int n = size(); k<<<8, 32>>>(o, n, n + 1); }\n",
               "pitch == n + 1"),
      verified(ROWS "int size();\nvoid run(float* o) { int m = size(); k<<<8, 32>>>(o, m * 3, m * 3 + 1); }\n",
               "pitch == m * 3 + 1"),
  });
}

TEST(Relations, a_size_that_is_computed_from_an_argument) {
  const char* const kernel =
      "__global__ void k(int* o, int n) { if ((int)gridDim.x * 64 >= n + 64) o[threadIdx.x] = blockIdx.x; }\n";
  const std::string sizes = std::string(kernel) + "void run(int* o, int n) { k<<<(n + 63) / 64, 64>>>(o, n); }\n";
  const std::string wrong = std::string(kernel) + "void run(int* o, int n) { k<<<(n + 255) / 64, 64>>>(o, n); }\n";
  decide({verified(sizes.c_str(), "gridDim.x == (n + 63) / 64"), race(wrong.c_str())});
}

// Sizes that make no difference are not in the assumption.
TEST(Relations, only_what_is_needed_is_said) {
  decide({verified(ROWS "void run(float* o, int n) { k<<<(n + 3) / 4, 32>>>(o, n, n + 8); }\n", "pitch == n + 8\n"),
          verified(ROWS "void run(float* o, int n) { dim3 g(n, 2), b(32); k<<<g, b>>>(o, n, n + 8); }\n",
                   "pitch == n + 8\n")});
}

// Sizes of a dim3, of which a member is given on.
TEST(Relations, sizes_that_are_arguments_too) {
  decide({
      verified("__global__ void k(int* o, unsigned rows) { if (gridDim.y != rows) o[0] = blockIdx.y; }\n"
               "void run(int* o, int w, int h) { dim3 g(w, h); k<<<g, 32>>>(o, g.y); }\n",
               "rows"),
      race("__global__ void k(int* o, unsigned rows) { if (gridDim.y != rows) o[0] = blockIdx.y; }\n"
           "void run(int* o, int w, int h) { dim3 g(w, h); k<<<g, 32>>>(o, g.x); }\n"),
      race("__global__ void k(int* o, unsigned rows) { if (gridDim.y != rows) o[0] = blockIdx.y; }\n"
           "void run(int* o, int w, int h) { dim3 g(w, h); g.y = 7 * w; k<<<g, 32>>>(o, h); }\n"),
      race("__global__ void k(int* o, unsigned rows) { if (gridDim.y != rows) o[0] = blockIdx.y; }\n"
           "void f(dim3&);\nvoid run(int* o, int w, int h) { dim3 g(w, h); f(g); k<<<g, 32>>>(o, h); }\n"),
      race("__global__ void k(int* o, unsigned rows) { if (gridDim.y != rows) o[0] = blockIdx.y; }\n"
           "void run(int* o, int w, int h) { dim3 g(w, h); for (; h < 99; ++h) k<<<g, 32>>>(o, h); }\n"),
  });
}

// Each with one thing by which the two arguments are not those of one n.
TEST(Relations, a_variable_that_may_have_changed) {
  decide({
      race(ROWS "void run(float* o, int n) { int p = n + 8; n = 64; k<<<8, 32>>>(o, n, p); }\n"),
      race(ROWS
           "void run(float* o, int n) { int p = n; for (int t = 0; t < 9; ++t) { k<<<8, 32>>>(o, n, p); n++; } }\n"),
      race(ROWS "void run(float* o, int n) { int p = n; int& r = n; r = 64; k<<<8, 32>>>(o, n, p); }\n"),
      race(ROWS "void f(int&);\nvoid run(float* o, int n) { int p = n; f(n); k<<<8, 32>>>(o, n, p); }\n"),
      race(ROWS "void f(int*);\nvoid run(float* o, int n) { int p = n; f(&n); k<<<8, 32>>>(o, n, p); }\n"),
      race(ROWS "void run(float* o, int n) { int p = n; auto f = [&] { n = 64; }; f(); k<<<8, 32>>>(o, n, p); }\n"),
      race(ROWS "void run(float* o, int n) { k<<<8, 32>>>(o, n++, n); }\n"),
      race(
          ROWS
          "void run(float* o, int n) { int p = n; again: k<<<8, 32>>>(o, n, p); n += 64; if (n < 999) goto again; }\n"),
      race(ROWS "void run(float* o, int n) { static const int p = n; k<<<8, 32>>>(o, n, p); }\n"),
      race(ROWS "void run(float* o, volatile int n) { k<<<8, 32>>>(o, n, n); }\n"),
      race(ROWS "int n;\nvoid run(float* o) { k<<<8, 32>>>(o, n, n); }\n"),
      race(ROWS "struct S { int n; };\nvoid run(float* o, S* s) { k<<<8, 32>>>(o, s->n, s->n); }\n"),
      race(ROWS "void run(float* o, const int& n) { k<<<8, 32>>>(o, n, n); }\n"),
      race(ROWS "void f(const int&);\nvoid g(const int& x) { (int&)x = 3; }\n"
                "void run(float* o, int n) { int p = n; f(n); k<<<8, 32>>>(o, n, p); }\n"),
      race(ROWS "void run(float* o, int n) { int p = n; { int n = 64; k<<<8, 32>>>(o, n, p); } }\n"),
      race(
          ROWS
          "void run(float* o, int n) { int p = n; auto f = [=]() mutable { n = 64; k<<<8, 32>>>(o, n, p); }; f(); }\n"),
      race(ROWS "void run(float* o, int n) { int p = n; int m = 3; (m > 2 ? n : m) = 64; k<<<8, 32>>>(o, n, p); }\n"),
      race(ROWS "void run(float* o, int n) { int p = n; int& r = ++n; r = 64; k<<<8, 32>>>(o, n, p); }\n"),
      race(ROWS "void run(float* o, int n) { k<<<8, 32>>>(o, ({ n = 64; n; }), n); }\n"),
      race(ROWS "void run(float* o, int n) { k<<<8, 32>>>(o, [&] { n = 64; return n; }(), n); }\n"),
      race(
          ROWS
          "void run(float* o, int n) { int p = n; auto f = [m = n](int n) { return n; }; auto g = [n = f(64)](float* o,"
          " int p) { k<<<8, 32>>>(o, n, p); }; g(o, p); }\n"),
      race(ROWS "void run(float* o, int n) { int p = n; extern int size; k<<<8, 32>>>(o, size, size); }\n"),
      race(ROWS "void run(float* o, int n) { thread_local int p = n; k<<<8, 32>>>(o, n, p); }\n"),
      race(ROWS "void run(float* o, int n) { int p = n; n = lost(n); k<<<8, 32>>>(o, n, p); }\n"),
      race(ROWS "void run(float* o, int n) { int p = n; lib::grow(n); k<<<8, 32>>>(o, n, p); }\n"),
      race(ROWS "void run(float* o, int n) { int p = n; lib::list<int> l{n}; l.grow(n); k<<<8, 32>>>(o, n, p); }\n"),
      race(ROWS "void run(float* o, int n) { int p = n; asm(\"\" : \"+r\"(n)); k<<<8, 32>>>(o, n, p); }\n"),
      race(ROWS
           "#define MORE(x) x = lost(x)\nvoid run(float* o, int n) { int p = n; MORE(n); k<<<8, 32>>>(o, n, p); }\n"),
      race(ROWS "#define MORE n = lost(n)\nvoid run(float* o, int n) { int p = n; MORE; k<<<8, 32>>>(o, n, p); }\n"),
  });
}

// A variable of a loop has one value in a launch.
TEST(Relations, a_variable_of_a_loop) {
  decide({
      verified(ROWS "void run(float* o, int m) { for (int n = 1; n < m; n *= 2) k<<<8, 32>>>(o, n, n); }\n"),
      verified(
          ROWS
          "void run(float* o, int m) { for (int n = 1; n < m; n *= 2) { int p = n; k<<<8, 32>>>(o, p, p + 8); } }\n"),
      verified(ROWS
               "void run(float* o, int m) { for (int n = 1; n < m; n *= 2) { int p = n; k<<<8, 32>>>(o, n, p); } }\n"),
      verified(ROWS "void run(float* o, int n) { int p = n + 8; (void)p; k<<<8, 32>>>(o, n, p); }\n"),
      race(ROWS "void run(float* o, int m) { int p = m; for (int n = 1; n < m; n *= 2) k<<<8, 32>>>(o, n, p); }\n"),
      race(ROWS "void run(float* o, int m) { int n = 0; while (n++ < m) k<<<8, 32>>>(o, n, n); }\n"),
      race(ROWS "void run(float* o, int m) {\n#pragma omp parallel\n"
                "  for (int n = 1; n < m; n *= 2) k<<<8, 32>>>(o, n, n); }\n"),
      race(ROWS "void run(float* o, int n) { int p = n;\n#pragma omp parallel reduction(+ : n)\n"
                "  k<<<8, 32>>>(o, n, p); }\n"),
      race(ROWS "extern \"C\" int setjmp(void*);\nvoid run(float* o, int m, void* b) {\n"
                "  for (int n = 1; n < m; n *= 2) { setjmp(b); k<<<8, 32>>>(o, n, n); } }\n"),
  });
}

TEST(Relations, types_are_the_hosts) {
  decide({
      // 3 * n wraps at 2^32 where n is unsigned, and is undefined where it is signed.
      verified(WIDE "void run(float* o, unsigned n) { k<<<8, 32>>>(o, n, 3 * (size_t)n); }\n"),
      race(WIDE "void run(float* o, unsigned n) { k<<<8, 32>>>(o, n, 3 * n); }\n"),
      race(WIDE "void run(float* o, unsigned n) { k<<<8, 32>>>(o, n, (unsigned char)n); }\n"),
      race(WIDE "void run(float* o, unsigned n) { k<<<8, 32>>>(o, n, (unsigned short)n); }\n"),
      race(ROWS "void run(float* o, int n) { k<<<8, 32>>>(o, n, (int)(n * 1.0f)); }\n"),
      // What overflows in a branch that is not taken says nothing.
      race(ROWS "void run(float* o, int n) { k<<<8, 32>>>(o, n, n < 1000 ? 5 : n + 2147483647); }\n"),
  });
}

// Functions of which this file does not say all.
TEST(Relations, a_function_of_the_host) {
  decide({
      race(ROWS "__attribute__((weak)) int more(int x) { return x + 3; }\n"
                "void run(float* o, int n) { k<<<8, 32>>>(o, n, more(n)); }\n"),
      race(ROWS "int more(int x);\nvoid run(float* o, int n) { k<<<8, 32>>>(o, n, more(n)); }\n"),
      race(ROWS "int more(int x) { static int y = x; return x + y; }\n"
                "void run(float* o, int n) { k<<<8, 32>>>(o, n, more(n)); }\n"),
      race(ROWS "int y = 3;\nint more(int x) { return x + y; }\n"
                "void run(float* o, int n) { k<<<8, 32>>>(o, n, more(n)); }\n"),
      race(ROWS "int more(int& x) { return x++; }\nvoid run(float* o, int n) { k<<<8, 32>>>(o, n, more(n)); }\n"),
      race(ROWS "struct S { virtual int more(int x) { return x + 3; } };\n"
                "void run(float* o, int n, S& s) { k<<<8, 32>>>(o, n, s.more(n)); }\n"),
      race(ROWS "#ifdef __CUDA_ARCH__\n#define P 3\n#else\n#define P -3\n#endif\n"
                "int more(int x) { return x + P; }\n"
                "void run(float* o, int n) { k<<<8, 32>>>(o, n, more(n)); }\n"),
      race(ROWS "__host__ __device__ int more(int x) {\n#ifdef __CUDA_ARCH__\n return x + 3;\n#else\n return x - 3;\n"
                "#endif\n}\nvoid run(float* o, int n) { k<<<8, 32>>>(o, n, more(n)); }\n"),
      race(ROWS "#include \"sizes.h\"\n#ifndef P\n#define P 3\n#endif\n"
                "void run(float* o, int n) { k<<<8, 32>>>(o, n, n + P); }\n",
           ""),
  });
}

TEST(Relations, less_than_a_row) {
  decide({
      race(ROWS "void run(float* o, int n) { k<<<8, 32>>>(o, n, n - 1); }\n"),
      race(ROWS "void run(float* o, int n) { k<<<8, 32>>>(o, n, n / 2); }\n"),
      race(ROWS "void run(float* o, int n, int p) { k<<<8, 32>>>(o, n, p); }\n"),
      race(ROWS "int more(int x) { x += 3; return x; }\nvoid run(float* o, int n) { k<<<8, 32>>>(o, n, more(n)); }\n"),
  });
}

// All launches that one answer is about.
TEST(Relations, another_launch) {
  decide({
      verified(ROWS "void run(float* o, int n) { k<<<8, 32>>>(o, n, n); k<<<8, 32>>>(o, n, n + 8); }\n"),
      race(ROWS "void run(float* o, int n, int p) { k<<<8, 32>>>(o, n, n); k<<<8, 32>>>(o, n, p); }\n"),
      race(ROWS "void run(float* o, int n) { k<<<8, 32>>>(o, n, n); k<<<8, 32>>>(o, n, n / 2); }\n"),
      // Named where no launch is seen.
      race(ROWS "void f(void*);\nvoid run(float* o, int n) { k<<<8, 32>>>(o, n, n); f((void*)k); }\n",
           "its name stands there"),
      // By a template, of two types.
      race(ROWS "template <class T> void run(float* o, T n) { k<<<8, 32>>>(o, (int)n, (T)n); }\n"
                "template void run<int>(float*, int);\ntemplate void run<signed char>(float*, signed char);\n"
                "template void run<unsigned short>(float*, unsigned short);\n"
                "void more(float* o, long long n) { k<<<8, 32>>>(o, (int)n, (short)n); }\n"),
      // A default argument is none of the launch's words.
      race("__global__ void k(float* o, int n, int pitch = 8) {\n"
           "  for (int i = threadIdx.x; i < n; i += 32) o[(long long)blockIdx.x * pitch + i] = blockIdx.x + i; }\n"
           "void run(float* o, int n) { k<<<8, 32>>>(o, n); }\n"),
  });
}

TEST(Relations, options_come_first) {
  const char* const text = ROWS "void run(float* o, int n) { k<<<8, 32>>>(o, n, n + 8); }\n";
  decide({
      {"f.cu", text, 1, k_not, {"--kernel-args=k,64,*"}, true},
      {"f.cu", text, 1, k_not, {"--kernel-args=k,64,8"}, true},
      {"f.cu", text, 1, k_not, {"--gridDim=4"}, true},
      {"f.cu", text, 1, k_not, {"--blockDim=32", "--gridDim=4"}, true},
      {"f.cu", text, 3, k_says, {"--strict"}, true},
  });
}

// A run's numbers are those of a launch, or it is said that they are not.
TEST(Relations, numbers_of_no_launch) {
  decide({
      race(ROWS "void run(float* o, int n) { k<<<8, 32>>>(o, n, n * 3 / 4); }\n", "!may be of no launch"),
      race(ROWS "struct P { int pitch, rows; };\nvoid run(float* o, int n, P* p) { k<<<8, 32>>>(o, n, p->pitch); }\n",
           "here; the launch at f.cu:4:35 gives `p->pitch`"),
      // No proof, since what is read past the caches is not decided, and no run of the launch: pitch >= n.
      race("__global__ void k(float* o, int n, int pitch) {\n"
           "  for (int i = threadIdx.x; i < n; i += 32)\n"
           "    o[(long long)blockIdx.x * pitch + i] = __ldg(&o[(long long)blockIdx.x * pitch + i]) + blockIdx.x; }\n"
           "void run(float* o, int n) { k<<<8, 32>>>(o, n, n + 8); }\n",
           "with numbers that no launch of this file gives at f.cu:4:29: pitch == n + 8"),
  });
}

}  // namespace
}  // namespace fencepost::verifier

// Host code that stands once and is compiled several times: instances of templates, each with launches of its own.
#include "decide.h"

namespace fencepost::verifier {
namespace {

// One block is right, two blocks write the same places.
const std::string k_block = "__global__ void k(int* a) { a[threadIdx.x] = blockIdx.x; }\n";
// Right for two arrays.
const std::string k_two = "__global__ void k(int* a, int* b) { a[threadIdx.x] = b[threadIdx.x + 1]; }\n";
const std::string k_one_array = "int main() { int* a; cudaMalloc(&a, 4096); ";
const std::string k_arrays = "int main() { int *a, *b; cudaMalloc(&a, 4096); cudaMalloc(&b, 4096); ";

void decide_launched(const std::vector<std::tuple<std::string, int, const char*>>& rows) {
  std::vector<Case> cases;
  cases.reserve(rows.size());
  for (const auto& [text, exit_code, says] : rows)
    cases.push_back(
        {.name = "instances.cu", .text = text.c_str(), .exit_code = exit_code, .says = says, .launched = true});
  decide(cases);
}

TEST(Instances, each_instance_has_the_sizes_of_its_own) {
  const std::string go = k_block + "template <int N> void go(int* a) { k<<<N, 64>>>(a); }\n";
  const std::string type = k_block + "template <class T> void go(int* a) { k<<<sizeof(T) / 4, 64>>>(a); }\n";
  const std::string record =
      k_block + "template <int N = 1> struct W { void go(int* a) { k<<<N, 64>>>(a); } };\n" + k_one_array;
  const std::string fixed = k_block + "template <int N> struct F { static void go(int* a) { k<<<N, 64>>>(a); } };\n";
  const std::string derived = k_block +
                              "template <class D> struct B { void go(int* x) { k<<<D::n, 64>>>(x); } };\n"
                              "struct X : B<X> { static const int n = 1; };\n";
  decide_launched({
      {go + k_one_array + "go<1>(a); }", 0, "gridDim=1"},
      {go + k_one_array + "go<1>(a); go<2>(a); }", 1, "gridDim=2"},
      {go + k_one_array + "go<2>(a); go<1>(a); }", 1, "gridDim=2"},
      {go + k_one_array + "go<1>(a); if (a) go<1>(a); }", 0, "gridDim=1"},
      {go + "void (*table[2])(int*) = {go<1>, go<2>};\n", 1, "gridDim=2"},
      {go + "template void go<1>(int*);\ntemplate void go<2>(int*);\n", 1, "gridDim=2"},
      {type + k_one_array + "go<int>(a); go<float>(a); }", 0, "gridDim=1"},
      {type + k_one_array + "go<int>(a); go<double>(a); }", 1, "gridDim=2"},
      {record + "W<> w; w.go(a); }", 0, "gridDim=1"},
      {record + "W<> w; w.go(a); W<2> z; z.go(a); }", 1, "gridDim=2"},
      {fixed + k_one_array + "F<1>::go(a); F<2>::go(a); }", 1, "gridDim=2"},
      {fixed + "template struct F<1>;\ntemplate struct F<2>;\n", 1, "gridDim=2"},
      {derived + k_one_array + "X x; x.go(a); }", 0, "gridDim=1"},
      {derived + "struct Y : B<Y> { static const int n = 2; };\n" + k_one_array + "X x; x.go(a); Y y; y.go(a); }", 1,
       "gridDim=2"},
      // By a function around it, a member template, a class inside of a function, one that is given by a default.
      {go + "template <int N> void twice(int* a) { go<N>(a); go<2 * N>(a); }\n" + k_one_array + "twice<1>(a); }", 1,
       "gridDim=2"},
      {k_block + "struct S { template <int N> void go(int* a) { k<<<N, 64>>>(a); } };\n" + k_one_array +
           "S s; s.go<1>(a); s.go<2>(a); }",
       1, "gridDim=2"},
      {k_block +
           "template <int N> void go(int* a) { struct L { static void at(int* p) { k<<<N, 64>>>(p); } }; "
           "L::at(a); }\n" +
           k_one_array + "go<1>(a); go<2>(a); }",
       1, "gridDim=2"},
      {k_block + "template <int N> void go(int* a) { auto f = [&] { k<<<N, 64>>>(a); }; f(); }\n" + k_one_array +
           "go<1>(a); go<2>(a); }",
       1, "gridDim=2"},
      // An instance whose text another file has.
      {go + "extern template void go<2>(int*);\n" + k_one_array + "go<1>(a); go<2>(a); }", 1, "gridDim=[*,*,*]"},
  });
}

// An instance that clang cannot compile launches, too. The words of its text stand in other instances' as well.
TEST(Instances, one_whose_body_is_not_compiled_is_named) {
  const std::string kernel = "template <class T> __global__ void k(T* a) { a[blockIdx.x * 64 + threadIdx.x] = 1; }\n",
                    two =
                        "struct S { typedef int own; };\n"
                        "int main() { S* s; int* i; cudaMalloc(&i, 999); cudaMalloc(&s, 999); ",
                    bad = "template <class T> void go(T* a) { typename T::own n; k<<<1, 64>>>((int*)a); }\n";
  decide_launched({
      {kernel + bad + two + "go(s); }", 0, "gridDim=1"},
      {kernel + bad + two + "go(s); go(i); }", 3, "launched by 'go<int>', whose body is not compiled"},
      {kernel + bad + "template <class T> void around(T* a) { go(a); }\n" + two + "around(s); around(i); }", 3,
       "launched by 'go<int>'"},
      {kernel +
           "template <class T> void go(T* a) { k<<<1, 64>>>((int*)a); }\n"
           "template <class T> void around(T* a) { typename T::own n; go(a); }\n" +
           two + "around(s); around(i); }",
       3, "launched by 'around<int>'"},
      {kernel + "template <class T> struct W { void go(T* a) { typename T::own n; k<<<1, 64>>>((int*)a); } };\n" + two +
           "W<S> w; w.go(s); W<int> x; x.go(i); }",
       3, "whose body is not compiled"},
      {kernel +
           "template <class T> void go(T* a) { k<<<1, 64>>>((int*)a); }\n"
           "template <class T> void idle(T*) { typename T::own n; }\n" +
           two + "go(s); idle(s); idle(i); }",
       0, "gridDim=1"},
  });
}

TEST(Instances, generic_lambdas_and_what_is_around_them) {
  const std::string sized = k_block + k_one_array + "auto go = [&](auto x) { k<<<sizeof(x) / 4, 64>>>(a); }; ";
  decide_launched({
      {sized + "go(1); go(2.0f); }", 0, "gridDim=1"},
      {sized + "go(1); go(1.0); }", 1, "gridDim=2"},
      {k_block + k_one_array +
           "auto go = [](auto* p) { k<<<sizeof(*p) / 4, 64>>>((int*)p); }; go(a); go((double*)a); }",
       1, "gridDim=2"},
      // A variable of the function around it is not known there: it may change after the lambda was made.
      {k_block + k_one_array + "int n = 1; auto go = [&](auto x) { k<<<n, 64>>>(a); }; n = 2; go(1); }", 1, ""},
      {k_block + k_one_array + "const int n = 1; auto go = [&](auto x) { k<<<n, 64>>>(a); }; go(1); go(1.0); }", 0, ""},
      {k_two + k_arrays + "auto f = [](auto x, auto y) { k<<<1, 64>>>(x, y); }; f(a, b); f(a, (void*)0 ? b : b); }", 0,
       ""},
      {k_two + k_arrays +
           "auto f = [](auto x, auto y) { k<<<1, 64>>>((int*)x, (int*)y); }; f(a, b); f(a, (float*)a); }",
       3, "may be of one array"},
  });
}

TEST(Instances, each_instance_has_arguments_and_arrays_of_its_own) {
  const std::string number =
      "__global__ void k(int* a, int n) { a[threadIdx.x * n] = threadIdx.x; }\n"
      "template <int N> void go(int* a) { k<<<1, 64>>>(a, N); }\n" +
      k_one_array;
  const std::string alias = "may be of one array";
  const std::string types =
      k_two + "template <class T, class U> void go(T x, U y) { k<<<1, 64>>>((int*)x, (int*)y); }\n" + k_arrays;
  const std::string choice =
      k_two + "template <bool S> void go(int* a, int* b) { if constexpr (S) b = a; k<<<1, 64>>>(a, b); }\n" + k_arrays;
  const std::string table =
      k_two + "template <int X> void go(int* a, int* b) { int* t[2] = {a, b}; k<<<1, 64>>>(t[0], t[X]); }\n" + k_arrays;
  const std::string policy = k_two +
                             "struct A { static int* g(int* a, int* b) { return b; } };\n"
                             "struct B { static int* g(int* a, int* b) { return a; } };\n"
                             "template <class P> void go(int* a, int* b) { k<<<1, 64>>>(a, P::g(a, b)); }\n" +
                             k_arrays;
  // The pointers are no parameters: the whole call is one expression of all instances.
  const std::string global =
      k_two +
      "int *a, *b, *c;\ntemplate <bool S> void go() { if constexpr (S) b = a; k<<<1, 64>>>(a, b); "
      "}\nint main() { cudaMalloc(&a, 4096); cudaMalloc(&b, 4096); ";
  decide_launched({
      {number + "go<1>(a); go<2>(a); }", 0, ""},
      {number + "go<1>(a); go<0>(a); }", 1, ""},
      {types + "go(a, b); go((void*)a, (void*)b); }", 0, ""},
      {types + "go(a, b); go((void*)a, (void*)a); }", 3, alias.c_str()},
      {choice + "go<false>(a, b); go<true>(a, b); }", 3, alias.c_str()},
      {table + "go<1>(a, b); go<0>(a, b); }", 3, alias.c_str()},
      {policy + "go<A>(a, b); }", 0, ""},
      {policy + "go<A>(a, b); go<B>(a, b); }", 3, alias.c_str()},
      {global + "go<false>(); go<true>(); }", 3, alias.c_str()},
      {"__device__ int g[64];\n__global__ void k() { g[threadIdx.x] = blockIdx.x; }\n"
       "template <int N> void go() { int n = N; k<<<n, 64>>>(); }\nint main() { go<1>(); go<2>(); }",
       1, ""},
      {"__device__ int g[64];\n__global__ void k() { g[threadIdx.x] = blockIdx.x; }\n"
       "template <int N> void go() { int n = 1; n += N; k<<<n, 64>>>(); }\nint main() { go<0>(); go<1>(); }",
       1, ""},
  });
}

TEST(Instances, a_counter_is_reset_by_the_instance_that_launches) {
  const std::string last =
      "__device__ unsigned n;\n__global__ void k(float* part, float* out) { __shared__ bool last;\n"
      "  part[blockIdx.x * 64 + threadIdx.x] = threadIdx.x; __syncthreads();\n"
      "  if (threadIdx.x == 0) { __threadfence(); last = atomicAdd(&n, 1) >= gridDim.x - 1; }\n  __syncthreads();\n"
      "  if (last) { float s = 0; for (unsigned i = threadIdx.x; i < gridDim.x * 64; i += 64) s += part[i];\n"
      "    out[threadIdx.x] = s; } }\n";
  const std::string host = "int main() { float *p, *q; cudaMalloc(&p, 4096); cudaMalloc(&q, 4096); ";
  const std::string reset = last +
                            "template <bool R> void go(float* p, float* q) { unsigned z = 0; if constexpr (R) "
                            "cudaMemcpyToSymbol(n, &z, 4); k<<<8, 64>>>(p, q); }\n" +
                            host;
  const std::string value = last +
                            "template <unsigned V> void go(float* p, float* q) { const unsigned z = V; "
                            "cudaMemcpyToSymbol(n, &z, 4); k<<<8, 64>>>(p, q); }\n" +
                            host;
  decide_launched({
      {reset + "go<true>(p, q); }", 0, "is 0 when the kernel starts"},
      {reset + "go<true>(p, q); go<false>(p, q); }", 3, "not shown to leave 0"},
      {value + "go<0>(p, q); }", 0, ""},
      {value + "go<0>(p, q); go<1>(p, q); }", 3, "the host sets it otherwise"},
  });
}

// A structure with an array of pointers gives each element for itself.
TEST(Instances, elements_of_a_structure_are_places_of_their_own) {
  const std::string one = "two places that may be of one array";
  const std::string array =
      "struct P { int* x[2]; };\n__global__ void k(P p) { p.x[0][threadIdx.x] = p.x[1][threadIdx.x "
      "+ 1]; }\n";
  const std::string grid =
      "struct P { int* x[2][2]; };\n__global__ void k(P p) { p.x[0][0][threadIdx.x] = "
      "p.x[1][1][threadIdx.x + 1]; }\n";
  const std::string large =
      "struct P { int* x[40]; };\n__global__ void k(P p) { p.x[0][threadIdx.x] = "
      "p.x[33][threadIdx.x + 1]; }\n";
  const std::string records =
      "struct I { int* p; };\nstruct V { I a[2]; };\n"
      "__global__ void k(V t) { t.a[0].p[threadIdx.x] = t.a[1].p[threadIdx.x + 1]; }\n";
  const std::string function = "template <class F> __global__ void k(F f) { f(threadIdx.x); }\n";
  const std::string launch = "k<<<1, 64>>>(p); }";
  decide_launched({
      {array + k_arrays + "P p; p.x[0] = a; p.x[1] = a; " + launch, 3, one.c_str()},
      {array + k_arrays + "P p; p.x[0] = a; p.x[1] = b; " + launch, 0, ""},
      {array + k_arrays + "P p = {{a, b}}; " + launch, 0, ""},
      {array + k_arrays + "P p = {{a, a + 64}}; " + launch, 3, one.c_str()},
      {array + k_arrays + "P p; for (int i = 0; i < 2; ++i) p.x[i] = a; " + launch, 3, one.c_str()},
      {array + k_arrays + "P p; for (int i = 0; i < 2; ++i) cudaMalloc(&p.x[i], 4096); " + launch, 0, ""},
      {array + k_arrays + "P p; for (int i = 0; i < 2; ++i) cudaMalloc(&p.x[i], 4096); p.x[1] = p.x[0]; " + launch, 3,
       one.c_str()},
      {array + "void put(P& p, int i, int* a) { p.x[i] = a; }\n" + k_arrays + "P p; put(p, 0, a); put(p, 1, a); " +
           launch,
       3, one.c_str()},
      {array + "void go(P p) { " + launch, 0, ""},
      {array + "void go(P p) { p.x[1] = p.x[0]; " + launch, 3, one.c_str()},
      {grid + k_arrays + "P p = {{{a, b}, {nullptr, a}}}; " + launch, 3, one.c_str()},
      {grid + k_arrays + "P p = {{{a, nullptr}, {nullptr, b}}}; " + launch, 0, ""},
      {large + k_arrays + "P p; for (int i = 0; i < 40; ++i) p.x[i] = a; " + launch, 3, one.c_str()},
      {large + k_arrays + "P p; for (int i = 0; i < 40; ++i) cudaMalloc(&p.x[i], 4096); " + launch, 0, ""},
      {large + "void go(P p) { " + launch, 0, ""},
      {records + k_arrays + "V p; p.a[0].p = a; p.a[1].p = a; " + launch, 3, one.c_str()},
      {records + k_arrays + "V p; p.a[0].p = a; p.a[1].p = b; " + launch, 0, ""},
      {"#include <array>\n__global__ void k(std::array<int*, 2> p) { p[0][threadIdx.x] = p[1][threadIdx.x + 1]; }\n" +
           k_arrays + "std::array<int*, 2> p; p[0] = a; p[1] = a; " + launch,
       3, one.c_str()},
      {function + k_arrays + "int* q[2] = {a, a}; auto p = [=] __device__(int i) { q[0][i] = q[1][i + 1]; }; " + launch,
       3, one.c_str()},
      {function + k_arrays + "int* q[2] = {a, b}; auto p = [=] __device__(int i) { q[0][i] = q[1][i + 1]; }; " + launch,
       0, ""},
  });
}

// Elements that were filled by allocations, one of which was changed for a copy of the other.
TEST(Instances, an_exchange_may_bring_a_copy) {
  decide_launched({
      {k_two +
           "int main() { int* t[2]; for (int i = 0; i < 2; ++i) cudaMalloc(&t[i], 4096); k<<<1, 64>>>(t[0], t[1]); }",
       0, ""},
      {k_two + "int main() { int* t[2]; for (int i = 0; i < 2; ++i) cudaMalloc(&t[i], 4096); std::swap(t[0], t[1]); "
               "k<<<1, 64>>>(t[0], t[1]); }",
       0, ""},
      {k_two + "int main() { int* t[2]; cudaMalloc(&t[0], 4096); cudaMalloc(&t[1], 4096); int* y = t[1]; "
               "int* s = t[0]; t[0] = y; y = s; k<<<1, 64>>>(t[0], t[1]); }",
       3, "may be of one array"},
  });
}

// The host's own compilation has no __CUDA_ARCH__, and the text is read with it. What rests on it is not known.
TEST(Instances, sizes_that_rest_on_the_architecture) {
  const auto either = [](const std::string& device, const std::string& host) {
    return "#ifdef __CUDA_ARCH__\n" + device + "\n#else\n" + host + "\n#endif\n";
  };
  const std::string n = either("#define N 1", "#define N 2");
  const std::string go = "template <int G> void go(int* a) { k<<<G, 64>>>(a); }\n";
  const std::string pick = "int pick() {\n" + either("  return 1;", "  return 2;") + "}\n";
  const auto sized = [&](const std::string& before, const std::string& size) {
    return before + k_block + k_one_array + "k<<<" + size + ", 64>>>(a); }";
  };
  decide_launched({
      {sized("", "1"), 0, ""},
      {sized(n, "N"), 1, ""},
      {n + k_block + go + k_one_array + "go<N>(a); }", 1, ""},
      {n + k_block + "template <int G = N> void go(int* a) { k<<<G, 64>>>(a); }\n" + k_one_array + "go<>(a); }", 1, ""},
      {sized(pick, "pick()"), 1, ""},
      {sized(pick + "int helper() { return pick(); }\n", "helper()"), 1, ""},
      {sized(pick + "int helper() { int v = pick(); return v; }\n", "helper()"), 1, ""},
      {sized(either("typedef int T;", "typedef long long T;"), "sizeof(T) / 4"), 1, ""},
      {sized(either("typedef int T;", "typedef long long T;") + "typedef T U;\nU u;\n", "sizeof(u) / 4"), 1, ""},
      {sized(either("struct T { int x; };", "struct T { int x, y; };"), "sizeof(T) / 4"), 1, ""},
      {sized(n + "enum { A = N, B };\nenum { C = B - 1 };\n", "C"), 1, ""},
      {sized(n + "struct C { static const int n = N; };\n", "C::n"), 1, ""},
      {sized(either("#define SIZE(x, y) x", "#define SIZE(x, y) y"), "SIZE(1, 2)"), 1, ""},
      {either("#define SET(v)", "#define SET(v) v = 2") + k_block + k_one_array +
           "int v = 1; SET(v); k<<<v, 64>>>(a); }",
       1, ""},
      {sized("int pick(double) { return 1; }\n" + either("", "int pick(int) { return 2; }"), "pick(1)"), 1, ""},
      {sized("template <class T> struct C { static const int n = 1; };\n" +
                 either("", "template <> struct C<int> { static const int n = 2; };"),
             "C<int>::n"),
       1, ""},
      // What has nothing to do with the host.
      {either("__device__ int lane() { return 1; }", "__device__ int lane();") + k_block + go + k_one_array +
           "go<1>(a); }",
       0, ""},
      {"__host__ __device__ float half(float x) {\n" + either("  return x / 2;", "  return 0.5f * x;") + "}\n" +
           k_block + go + k_one_array + "half(3.0f); go<1>(a); }",
       0, ""},
  });
}

TEST(Instances, pointers_that_rest_on_the_architecture) {
  const auto either = [](const std::string& device, const std::string& host) {
    return "#ifdef __CUDA_ARCH__\n" + device + "\n#else\n" + host + "\n#endif\n";
  };
  const std::string offset = either("#define OFF 1", "#define OFF 0");
  const std::string last =
      "__device__ unsigned n;\n__global__ void k(float* part, float* out) { __shared__ bool last;\n"
      "  part[blockIdx.x * 64 + threadIdx.x] = threadIdx.x; __syncthreads();\n"
      "  if (threadIdx.x == 0) { __threadfence(); last = atomicAdd(&n, 1) >= gridDim.x - 1; }\n  __syncthreads();\n"
      "  if (last) { float s = 0; for (unsigned i = threadIdx.x; i < gridDim.x * 64; i += 64) s += part[i];\n"
      "    out[threadIdx.x] = s; } }\n";
  decide_launched({
      {either("#define SEL(x, y) y", "#define SEL(x, y) x") + k_two + k_arrays + "k<<<1, 64>>>(a, SEL(a, b)); }", 3,
       ""},
      {offset + k_two +
           "int main() { int* t[2]; cudaMalloc(&t[0], 999); cudaMalloc(&t[1], 999); "
           "k<<<1, 64>>>(t[0], t[OFF]); }",
       3, ""},
      {offset + k_two +
           "enum { O = OFF };\nint main() { int* t[2]; cudaMalloc(&t[0], 999); cudaMalloc(&t[1], 999); "
           "k<<<1, 64>>>(t[0], t[O]); }",
       3, ""},
      {either("#define ASSIGN(x, y)", "#define ASSIGN(x, y) x = y") + k_two +
           "struct H { int *a, *b; H() { cudaMalloc(&a, 999); cudaMalloc(&b, 999); ASSIGN(b, a); } };\n"
           "int main() { H h; k<<<1, 64>>>(h.a, h.b); }",
       3, ""},
      {"int* pick(int* a, int* b) {\n" + either("  return b;", "  return a;") + "}\n" + k_two + k_arrays +
           "k<<<1, 64>>>(a, pick(a, b)); }",
       3, ""},
      {k_two + "void go(int* a, int* b) { k<<<1, 64>>>(a, b); }\nvoid never(int* a) {\n" + either("", "  go(a, a);") +
           "}\n" + k_arrays + "go(a, b); never(a); }",
       3, ""},
      {either("#define RESET(c) unsigned z = 0; cudaMemcpyToSymbol(c, &z, 4)", "#define RESET(c)") + last +
           "void go(float* p, float* q) { RESET(n); k<<<8, 64>>>(p, q); }\n"
           "int main() { float *p, *q; cudaMalloc(&p, 4096); cudaMalloc(&q, 4096); go(p, q); go(p, q); }",
       3, "host code has no __CUDA_ARCH__"},
      // Read by kernels alone.
      {"template <class T> __host__ __device__ T get(const T* p) {\n" + either("  return __ldg(p);", "  return *p;") +
           "}\n__global__ void k(int* a, const int* b) { a[threadIdx.x] = get(b + threadIdx.x + 1); }\n" + k_arrays +
           "k<<<1, 64>>>(a, b); }",
       0, ""},
  });
}

// Resets that reset nothing, that have no order with the launch, or that something comes after.
TEST(Instances, a_reset_counts_if_it_is_one) {
  const auto kernel = [](const std::string& ticket) {
    return "__global__ void k(unsigned* c, float* part, float* out) { __shared__ bool last;\n"
           "  part[blockIdx.x * 64 + threadIdx.x] = threadIdx.x; __syncthreads();\n"
           "  if (threadIdx.x == 0) { __threadfence(); last = " +
           ticket +
           " >= gridDim.x - 1; }\n  __syncthreads();\n"
           "  if (last) { float s = 0; for (unsigned i = threadIdx.x; i < gridDim.x * 64; i += 64) s += part[i];\n"
           "    out[threadIdx.x] = s; } }\n";
  };
  const std::string add = kernel("atomicAdd(c, 1)"), inc = kernel("atomicInc(c, gridDim.x - 1)"),
                    given =
                        "int main() { float *p, *q; cudaMalloc(&p, 4096); cudaMalloc(&q, 4096); unsigned* c; "
                        "cudaMalloc(&c, 4); cudaStream_t s, t; cudaStreamCreate(&s); cudaStreamCreate(&t); ",
                    again = "for (int i = 0; i < 4; ++i) { ", launch = "k<<<8, 64>>>(c, p, q); ",
                    in_s = "k<<<8, 64, 0, s>>>(c, p, q); ", in_t = "k<<<8, 64, 0, t>>>(c, p, q); ",
                    other = "__global__ void z(unsigned* c) { c[0] = 3; }\n";
  decide_launched({
      {add + given + again + "cudaMemset(c, 0, 4); " + launch + "} }", 0, ""},
      {add + given + again + "cudaMemset(c, 0, 0); " + launch + "} }", 3, "no reset is seen"},
      {add + given + again + "cudaMemsetAsync(c, 0, 4, s); " + in_s + "} }", 0, ""},
      {add + given + again + "cudaMemsetAsync(c, 0, 4, t); " + in_s + "} }", 3, "another stream"},
      {add + given + again + "cudaMemset(c, 0, 4); " + in_s + in_s + "} }", 3, "was given it before"},
      {inc + given + "cudaMemset(c, 0, 4); " + in_s + in_s + "}", 0, ""},
      {inc + given + "cudaMemset(c, 0, 4); " + in_s + in_t + "}", 3, "another stream"},
      {add + given + "unsigned* e = c; " + again + "cudaMemset(e, 0, 4); " + launch + "e = (unsigned*)q; } }", 3,
       "no reset is seen"},
      {add + other + "void h(unsigned* x) { z<<<1, 1>>>(x); }\n" + given + "cudaMemset(c, 0, 4); h(c); " + launch + "}",
       3, "was given it before"},
      {add + other + "struct S { unsigned* x; void h() { z<<<1, 1>>>(x); } };\n" + given +
           "cudaMemset(c, 0, 4); S o{c}; o.h(); " + launch + "}",
       3, "was given it before"},
      {add + other + given + "cudaMemset(c, 0, 4); auto h = [&] { z<<<1, 1>>>(c); }; h(); " + launch + "}", 3,
       "was given it before"},
      {add + "void h(unsigned* x) { cudaMemset(x, 5, 4); }\n" + given + "cudaMemset(c, 0, 4); h(c); " + launch + "}", 3,
       "the host sets it otherwise"},
      {add + "void go(unsigned* c, float* p, float* q) { cudaMemset(c, 0, 4); " + launch + "}\n" + given +
           "go(c, p, q); go(c, p, q); }",
       0, ""},
  });
}

}  // namespace
}  // namespace fencepost::verifier

// What a reading of the text alone takes for granted: that a reference to const does not write, that two arrays have no
// order, that a variable starts at 0.
#include "decide.h"

namespace fencepost::verifier {
namespace {

TEST(References, to_const_are_written_through_where_a_cast_says_so) {
  // 128 threads of each block have places of their own, 256 do not.
  const std::string k = "__global__ void k(int* a) { a[blockIdx.x * 128 + threadIdx.x] = blockIdx.x; }\n";
  const std::string begin = "int main(int argc, char**) { int* a; cudaMalloc(&a, 1 << 20); int n = 128; ";
  const std::string end = " k<<<8, n>>>(a); }\n";
  const std::vector<std::pair<std::string, int>> rows = {
      {k + begin + "const int& c = n;" + end, 0},
      {k + begin + "const int& c = n; const_cast<int&>(c) = 256;" + end, 1},
      {k + begin + "const int& c = n; (int&)c = 256;" + end, 1},
      {k + begin + "const int& c = n; *(int*)&c = 256;" + end, 1},
      {k + "void f(void*);\n" + begin + "const int& c = n; f((void*)&c);" + end, 1},
      {k + "void f(const int& c) { const_cast<int&>(c) = 256; }\n" + begin + "f(n);" + end, 1},
      {k + "template <class T> void f(const T& c) { const_cast<T&>(c) = 256; }\n" + begin + "f(n);" + end, 1},
      {k + begin + "struct R { const int& r; } r{n}; const_cast<int&>(r.r) = 256;" + end, 1},
      {k + begin + "const void* p = &n; *(int*)const_cast<void*>(p) = 256;" + end, 1},
      // Of another type.
      {k + begin + "const float x = 1; const float& c = x; const int& d = n; *(float*)&c = 2;" + end, 0},
  };
  std::vector<Case> cases;
  for (const auto& [text, code] : rows)
    cases.push_back({.name = "references.cu", .text = text.c_str(), .exit_code = code, .launched = true});
  decide(cases);
  decide(
      {{.name = "argument.cu",
        .text = "__global__ void k(int* a, int n) { a[threadIdx.x % n] = threadIdx.x; }\n"
                "int main() { int* p; cudaMalloc(&p, 4096); int n = 64; const int& c = n; const_cast<int&>(c) = 32;\n"
                "k<<<1, 64>>>(p, n); }\n",
        .exit_code = 1,
        .launched = true}});
}

TEST(Pointers, of_two_arrays_have_no_order) {
  const std::string alone = "int g = blockIdx.x * blockDim.x + threadIdx.x; ";
  const std::vector<std::pair<std::string, int>> rows = {
      // What the kernel does in one order only is looked at.
      {"__global__ void k(int* a, int* b, int* o) { " + alone + "if (a < b) o[g] = g; else o[0] = g; }", 1},
      {"__global__ void k(int* a, int* b, int* o) { " + alone + "if (a > b) o[g] = g; else o[0] = g; }", 1},
      {"__global__ void k(int* a, int* b, int* o) { " + alone + "if (a >= b) o[0] = g; else o[g] = g; }", 1},
      {"__global__ void k(const int* first, const int* last, int* o) { int s = 0; " + alone +
           "for (const int* p = first + g; p < last; p += 256) s += *p; o[0] = s; }",
       1},
      {"__device__ int v[64]; __global__ void k(int* a, int* o) { " + alone + "if (a < v) o[g] = g; else o[0] = g; }",
       1},
      // In one array.
      {"__global__ void k(const int* a, int n, int* o) { int s = 0; " + alone +
           "for (const int* p = a + g; p < a + n; p += 256) s += *p; o[g] = s; }",
       0},
      {"__global__ void k(const int* a, int n, int* o) { int s = 0; " + alone +
           "for (const int* p = a + g; p < a + n; p += 256) s += *p; o[0] = s; }",
       1},
      {"__global__ void k(int* a, int* o) { " + alone + "if (a > (int*)0) o[g] = g; else o[2 * g] = g; }", 0},
  };
  std::vector<Case> cases;
  for (const auto& [text, code] : rows) cases.push_back({.name = "order.cu", .text = text.c_str(), .exit_code = code});
  decide(cases);
}

TEST(FirstValues, of_the_text_are_no_zeros) {
  const std::string last =
      "__global__ void k(int* part, int* out) { __shared__ bool last;\n"
      "if (threadIdx.x == 0) { part[blockIdx.x] = blockIdx.x; __threadfence(); last = atomicAdd(&CNT, 1) == gridDim.x "
      "- 1;\n"
      "__threadfence(); } __syncthreads(); if (last) out[threadIdx.x] = part[threadIdx.x & 7]; }\n";
  const auto with = [&](const std::string& declaration, const std::string& name) {
    return declaration + "\n#define CNT " + name + "\n" + last;
  };
  const std::string launch =
      "int main() { int *p, *q; cudaMalloc(&p, 64); cudaMalloc(&q, 4096); k<<<8, 64>>>(p, q); }\n";
  const std::vector<std::tuple<std::string, int, bool>> rows = {
      {with("__device__ unsigned c;", "c"), 0, false},
      {with("__device__ unsigned c = 0;", "c"), 0, false},
      {with("__device__ unsigned c = 3;", "c"), 3, false},
      {with("__device__ unsigned c[2] = {0, 3};", "c[1]"), 3, false},
      {with("struct S { int a; unsigned c; }; __device__ S s = {0, 3};", "s.c"), 3, false},
      {with("__device__ unsigned c;", "c") + launch, 0, true},
      {with("__device__ unsigned c = 3;", "c") + launch, 3, true},
      {with("__device__ unsigned c[2] = {0, 3};", "c[1]") + launch, 3, true},
  };
  std::vector<Case> cases;
  for (const auto& [text, code, launched] : rows)
    cases.push_back({.name = "first.cu",
                     .text = text.c_str(),
                     .exit_code = code,
                     .says = code != 3  ? ""
                             : launched ? "assumes that the counter"
                                        : "first value",
                     .launched = launched});
  decide(cases);
  decide({{.name = "first.cl",
           .text = "global atomic_uint c = ATOMIC_VAR_INIT(3);\n"
                   "kernel void k(global int* part, global int* out) { local bool last; if (get_local_id(0) == 0) {\n"
                   "part[get_group_id(0)] = 1; last = atomic_fetch_add_explicit(&c, 1, memory_order_acq_rel,\n"
                   "memory_scope_device) == get_num_groups(0) - 1; } barrier(CLK_LOCAL_MEM_FENCE);\n"
                   "if (last) out[get_local_id(0)] = part[get_local_id(0) & 3]; }\n",
           .exit_code = 1}});
}

// PTX ISA, "Cache Operators": they belong to weak loads and stores, and are hints.
TEST(CacheOperators, make_no_access_a_strong_one) {
  const auto message = [](const std::string& load) {
    return "__global__ void k(int* d, int* f, int* o) { if (threadIdx.x != 0) return;\n"
           "if (blockIdx.x == 0) { d[0] = 1; asm volatile(\"st.release.gpu.global.u32 [%0], %1;\" :: \"l\"(f), "
           "\"r\"(1) "
           ": \"memory\"); }\nelse { int v; do { asm volatile(\"" +
           load +
           " %0, [%1];\" : \"=r\"(v) : \"l\"(f) : \"memory\"); } while (v != 1);\n"
           "asm volatile(\"fence.acq_rel.gpu;\" ::: \"memory\"); o[blockIdx.x] = d[0]; } }\n";
  };
  for (const auto& [load, code] : std::vector<std::pair<std::string, int>>{{"ld.relaxed.gpu.global.u32", 0},
                                                                           {"ld.volatile.global.u32", 0},
                                                                           {"ld.global.cv.u32", 1},
                                                                           {"ld.weak.global.cv.u32", 1},
                                                                           {"ld.global.cg.u32", 1},
                                                                           {"ld.global.u32", 1}})
    decide({{.name = "cache.cu", .text = message(load).c_str(), .exit_code = code, .options = {"--model=ptx"}}});
}

TEST(Traps, end_the_thread) {
  const auto kernel = [](const std::string& body) {
    return "__global__ void k(int* o) { int t = threadIdx.x, g = 64 * blockIdx.x + t; " + body + " }\n";
  };
  for (const std::string trap : {"__trap();", "__builtin_trap();", "asm volatile(\"trap;\");"})
    for (const auto& [body, code] : std::vector<std::pair<std::string, int>>{
             {"if (t >= 32) " + trap + " o[64 * blockIdx.x + t % 32] = t;", 0},
             {"if (t >= 33) " + trap + " o[64 * blockIdx.x + t % 32] = t;", 1},
             {"o[64 * blockIdx.x + t % 32] = t; if (t >= 32) " + trap, 1},
             {"if (t == 5) " + trap + " else __syncthreads(); o[g] = t;", 0},
             {"if (t == 5) " + trap + " if (t != 7) __syncthreads(); o[g] = t;", 1},
             {"__shared__ int s[64]; s[t] = t; if (t > 62) " + trap + " __syncthreads(); o[g] = s[63 - t];", 0},
             {"__shared__ int s[64]; s[t] = t; if (t > 62) " + trap + " o[g] = s[63 - t]; __syncthreads();", 1},
             {"__shared__ int s[64]; __syncthreads(); if (t > 62) " + trap + " s[t] = t; o[g] = s[63 - t];", 1},
             {"for (int i = 0; i < 4; ++i) { if (i == t) { " + trap + " } o[g] = i; }", 0},
             {"for (int i = 0; i < 4; ++i) { if (i == 9) " + trap + " o[blockIdx.x] = t; }", 1}})
      decide({{.name = "trap.cu", .text = kernel(body).c_str(), .exit_code = code}});
}

// Two accesses of which neither writes never race, also if one is atomic.
TEST(AtomicLoads, race_with_no_read) {
  const auto kernel = [](const std::string& rest) {
    return "#include <cuda/atomic>\n__global__ void k(int* f, int* o) { int g = 64 * blockIdx.x + threadIdx.x;\n"
           "cuda::atomic_ref<int, cuda::thread_scope_device> a(*f); if (threadIdx.x == 0) " +
           rest + " else o[g] = f[0]; }\n";
  };
  const auto opencl = [](const std::string& rest) {
    return "kernel void k(global atomic_int* f, global int* o) { int g = get_global_id(0);\n"
           "if (g == 0) " +
           rest + " else o[g] = ((global int*)f)[0]; }\n";
  };
  for (const auto& [rest, code] : std::vector<std::pair<std::string, int>>{
           {"o[g] = a.load();", 0}, {"a.store(1);", 1}, {"o[g] = a.fetch_add(1);", 1}})
    decide({{.name = "loads.cu", .text = kernel(rest).c_str(), .exit_code = code}});
  for (const auto& [rest, code] : std::vector<std::pair<std::string, int>>{
           {"o[g] = atomic_load(f);", 0}, {"atomic_store(f, 1);", 1}, {"o[g] = atomic_fetch_add(f, 1);", 1}})
    decide({{.name = "loads.cl", .text = opencl(rest).c_str(), .exit_code = code}});
}

// A step that differs between threads, where a size is not fixed.
TEST(Steps, of_a_loop_may_differ_between_threads) {
  const auto loop = [](const std::string& step) {
    return "__global__ void k(int* a, int n) { int t = threadIdx.x; for (int i = t; i < n; i += " + step +
           ") a[i] = t; }\n";
  };
  const auto rounds = [](const std::string& step) {
    return "__global__ void k(int n) { int t = threadIdx.x; for (int i = 0; i < n; i += " + step +
           ") __syncthreads(); }\n";
  };
  const std::vector<std::pair<std::string, int>> rows = {
      {loop("64"), 0},           {loop("64 * gridDim.x"), 0},        {loop("64 + t / 63"), 1},
      {loop("64 + (t & 1)"), 1}, {loop("64 + (t > 62)"), 1},         {loop("gridDim.x + t / 63"), 1},
      {rounds("1"), 0},          {rounds("1 + gridDim.x"), 0},       {rounds("1 + t / 63"), 1},
      {rounds("1 + t"), 1},      {rounds("gridDim.x + (t & 1)"), 1},
  };
  for (const char* grid : {"--gridDim=*", "--gridDim=1"})
    for (const auto& [text, code] : rows)
      decide({{.name = "step.cu",
               .text = text.c_str(),
               .exit_code = code,
               .options = {"--blockDim=64", grid, "--no-attack"},
               .launched = true}});
}

// Before OpenCL 3.1 scopes have to be the same.
TEST(Scopes, of_opencl_are_inclusive_only_if_they_are_one) {
  const auto counter = [](const std::string& one, const std::string& other) {
    return "kernel void k(global atomic_int* c) {\n"
           "if (get_global_id(0) == 0) atomic_fetch_add_explicit(c, 1, memory_order_relaxed, memory_scope_" +
           one + ");\nelse atomic_fetch_add_explicit(c, 1, memory_order_relaxed, memory_scope_" + other + "); }\n";
  };
  const auto message = [](const std::string& fence, const std::string& store, const std::string& load) {
    return "kernel void k(global int* d, global atomic_int* f, global int* out) {\n"
           "if (get_global_id(0) == 0) { *d = 1;\n"
           "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_" +
           fence + ");\natomic_store_explicit(f, 1, memory_order_relaxed, memory_scope_" + store +
           "); }\nelse if (atomic_load_explicit(f, memory_order_acquire, memory_scope_" + load +
           ") == 1) out[get_global_id(0)] = *d; }\n";
  };
  const auto lock = [](const std::string& taken, const std::string& given) {
    return "kernel void k(global atomic_int* m, global int* d) { int e = 0;\n"
           "if (atomic_compare_exchange_strong_explicit(m, &e, 1, memory_order_acquire, memory_order_relaxed, "
           "memory_scope_" +
           taken + ")) { d[0] += 1; atomic_store_explicit(m, 0, memory_order_release, memory_scope_" + given +
           "); } }\n";
  };
  // A fence for a counter in group memory does not spoil another one for global memory.
  const auto both = [](const std::string& inner) {
    return "kernel void k(global int* d, global atomic_int* f, global int* out, local atomic_int* l) {\n"
           "atomic_fetch_add_explicit(l, 1, memory_order_relaxed, memory_scope_" +
           inner +
           ");\nif (get_global_id(0) == 0) { *d = 1;\n"
           "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);\n"
           "atomic_store_explicit(f, 1, memory_order_relaxed, memory_scope_device); }\n"
           "else if (atomic_load_explicit(f, memory_order_acquire, memory_scope_device) == 1) out[get_global_id(0)] = "
           "*d; }\n";
  };
  const std::string device = "device", svm = "all_svm_devices", group = "work_group";
  const std::vector<std::pair<std::string, int>> rows = {
      {counter(device, device), 0},
      {counter(svm, svm), 0},
      {counter(device, svm), 1},
      {counter(group, device), 1},
      {message(device, device, device), 0},
      {message(svm, svm, svm), 0},
      {message(svm, device, device), 1},
      {message(device, svm, svm), 1},
      {message(device, device, svm), 1},
      {lock(device, device), 0},
      {lock(device, svm), 1},
      {both(group), 0},
      {both(device), 0},
  };
  std::vector<Case> cases;
  for (const auto& [text, code] : rows) cases.push_back({.name = "scopes.cl", .text = text.c_str(), .exit_code = code});
  decide(cases);
}

}  // namespace
}  // namespace fencepost::verifier

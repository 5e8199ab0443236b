// Kernels through clang to the kernel IR: what stays, what is named when it cannot be expressed.
#include "clangfe/clangfe.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ir/cfg.h"
#include "ir/print.h"

namespace fencepost::clangfe {
namespace {

class Clangfe : public testing::Test {
 protected:
  void SetUp() override {
    if (!available()) GTEST_SKIP() << "built without clang 19";
  }
};

Expected<ir::Module> opencl(const std::string& text, Options o = {}) {
  return compile(make_source("kernel.cl", text), o);
}
Expected<ir::Module> cuda(const std::string& text, Options o = {}) {
  o.dialect = ir::Dialect::cuda;
  return compile(make_source("kernel.cu", text), o);
}
// The printed module, or the diagnostics.
std::string text(const Expected<ir::Module>& m) { return m ? ir::print(*m) : render(m.error()); }
size_t count(const std::string& where, const std::string& what) {
  size_t n = 0;
  for (size_t at = where.find(what); at != std::string::npos; at = where.find(what, at + 1)) ++n;
  return n;
}

TEST_F(Clangfe, a_store_keeps_its_place_region_and_width) {
  EXPECT_EQ(text(opencl("__kernel void foo(__global int *A) {\n  A[get_local_id(0)] = 7;\n}\n")),
            "module opencl pointers 32\n"
            "region foo.A global parameter element 4[0]  ; kernel.cl:1:1\n"
            "\n"
            "kernel @foo(%0 A: ptr -> foo.A)  ; kernel.cl:1:1\n"
            "b0:\n"
            "  %2:32 = id local_id.0  ; kernel.cl:2:5\n"
            "  %4:32 = mul %2 4:32 nsw  ; kernel.cl:2:3\n"
            "  %5:ptr = pointer_add %0 %4  ; kernel.cl:2:3\n"
            "  store 4 %5 {foo.A} site 0 <- 7:32  ; kernel.cl:2:22\n"
            "  return  ; kernel.cl:3:1\n");
}

TEST_F(Clangfe, fills_and_copies_of_cuda_have_constant_lengths) {
  const std::string t =
      text(cuda("__global__ void k(int *o) { memset(o, 0, 8); int c[2]; memset(c, 1, 8); o[2] = c[1]; }"));
  EXPECT_EQ(count(t, "store 1 "), 8u) << t;  // of a pointer, the alignment is not known
  EXPECT_EQ(count(t, "store 4 "), 1u) << t;
  EXPECT_EQ(count(t, "alloca"), 0u) << t;
  const std::string copy = text(cuda("__global__ void k(int *o) { int c[2]; memcpy(c, o, 8); o[2] = c[1]; }"));
  EXPECT_EQ(count(copy, "load 4"), 2u) << copy;
  EXPECT_NE(text(cuda("__global__ void k(int *o, int n) { memset(o, 0, n); }")).find("a length that is not constant"),
            std::string::npos);
  EXPECT_NE(
      text(cuda("__global__ void k() { int *p = new int[2]; p[0] = 1; }")).find("'operator new[]' is not supported"),
      std::string::npos);
}

TEST_F(Clangfe, counters_in_steps_of_a_wide_size_have_their_own_width) {
  Options wide;
  wide.pointer_bits = 64;
  const std::string t = text(
      opencl("__kernel void k(__global int *a) { for (int j = 0; j < 10; j += get_local_size(0)) a[j] = 1; }", wide));
  EXPECT_EQ(count(t, ":64 = add"), 0u) << t;
  EXPECT_EQ(count(t, ":32 = add"), 1u) << t;
}

TEST_F(Clangfe, vectors_become_scalars_of_one_site) {
  const std::string t = text(opencl("__kernel void foo(__global float4 *A) { A[1] = A[0] * 2.0f; }"));
  EXPECT_EQ(count(t, "load 4"), 4u) << t;
  EXPECT_EQ(count(t, "site 0"), 4u) << t;
  EXPECT_EQ(count(t, "store 4"), 4u) << t;
  EXPECT_EQ(count(t, "fmul"), 4u) << t;
  const std::string three = text(opencl("__kernel void foo(__global float3 *A) { A[1] = A[0]; }"));
  EXPECT_EQ(count(three, "load 4"), 3u) << three;  // the fourth component of a float3 is no memory of it
}

TEST_F(Clangfe, accesses_are_neither_merged_nor_dropped) {
  const std::string t = text(
      opencl("__kernel void foo(__global int *A) { A[0] = 1; A[0] = 1; int x = A[1]; x = A[1]; if (0) A[2] = 3; }"));
  EXPECT_EQ(count(t, "store 4"), 2u) << t;
  EXPECT_EQ(count(t, "load 4"), 2u) << t;
}

TEST_F(Clangfe, barriers_have_their_fences) {
  const std::string t =
      text(opencl("__kernel void foo(int f) { barrier(CLK_LOCAL_MEM_FENCE); barrier(CLK_GLOBAL_MEM_FENCE | "
                  "CLK_LOCAL_MEM_FENCE); barrier(f); }"));
  EXPECT_EQ(count(t, "barrier group local 1:1 global 0:1"), 1u) << t;
  EXPECT_EQ(count(t, "barrier group local 1:1 global 1:1"), 1u) << t;
  EXPECT_EQ(count(t, "barrier group local %"), 1u) << t;  // an expression may differ between threads
}

TEST_F(Clangfe, loops_have_one_latch_and_invariants_stand_in_headers) {
  const auto m = opencl(
      "__kernel void foo(__global int *A, int n) {\n"
      "  for (int i = 0; __invariant(i >= 0 && i <= n), i < n; i++) { if (A[i]) continue; A[i] = 1; }\n"
      "}\n");
  ASSERT_TRUE(m) << render(m.error());
  const ir::Function& f = m->functions[0];
  const ir::Cfg cfg(f);
  ASSERT_EQ(cfg.loops().size(), 1u);
  const auto& header = f.blocks[cfg.loops()[0].header.index].instructions;
  EXPECT_EQ(std::count_if(header.begin(), header.end(),
                          [](const ir::Instruction& i) { return std::holds_alternative<ir::Annotation>(i.action); }),
            1);
}

TEST_F(Clangfe, loads_in_annotations_are_no_accesses_but_those_in_assertions_are) {
  const std::string t =
      text(opencl("__kernel void foo(__global int *A) { __requires(A[0] == 1); __assert(A[1] == 2); }"));
  EXPECT_EQ(count(t, "load_spec 4"), 1u) << t;
  EXPECT_EQ(count(t, "load 4"), 1u) << t;
}

TEST_F(Clangfe, a_misplaced_invariant_is_the_inputs_fault) {
  const std::string t =
      text(opencl("__kernel void foo(int n) {\n  for (int i = 0; i < n; i++) {\n    if (n > 3) i++;\n    __invariant(i "
                  ">= 0);\n  }\n}\n"));
  EXPECT_NE(t.find("kernel.cl:4:5: error: user-specified invariant does not appear at loop head"), std::string::npos)
      << t;
}

TEST_F(Clangfe, functions_are_put_in_place_or_stay) {
  const std::string source =
      "void set(__global int *p, int v) {\n  *p = v;\n}\n"
      "__kernel void foo(__global int *A, __global int *B) {\n  set(A, 1);\n  set(B + 2, 2);\n}\n";
  const std::string in = text(opencl(source));
  EXPECT_EQ(count(in, "store 4"), 2u) << in;
  EXPECT_EQ(count(in, "; kernel.cl:2:6 from kernel.cl:5:3"), 1u) << in;
  EXPECT_EQ(count(in, "function @set"), 0u) << in;
  Options apart;
  apart.inline_calls = false;
  const std::string out = text(opencl(source, apart));
  EXPECT_EQ(count(out, "call @set"), 2u) << out;
  EXPECT_EQ(count(out, "store 4 %0 {foo.A foo.B} site"), 1u) << out;  // the callers' pointers meet in the parameter
}

TEST_F(Clangfe, recursion_is_not_put_in_place) {
  const std::string t = text(opencl(
      "int f(int n) { return n == 0 ? 1 : n * f(n - 1); }\n__kernel void foo(__global int *A) { A[0] = f(3); }"));
  EXPECT_GE(count(t, "call @f"), 2u) << t;
}

TEST_F(Clangfe, group_variables_are_regions_with_dimensions) {
  const auto m = opencl("__kernel void foo() { __local float A[4][8]; A[1][2] = 1; }");
  ASSERT_TRUE(m) << render(m.error());
  ASSERT_EQ(m->regions.size(), 1u);
  EXPECT_EQ(m->regions[0].name, "A");
  EXPECT_EQ(m->regions[0].space, ir::Space::group);
  EXPECT_EQ(m->regions[0].element, 4u);
  EXPECT_EQ(m->regions[0].dimensions, (std::vector<uint64_t>{4, 8}));
  EXPECT_EQ(m->regions[0].size, 128u);
}

TEST_F(Clangfe, constants_keep_their_contents) {
  const auto m =
      opencl("__constant int T[3] = {1, 2, 3};\n__kernel void foo(__global int *A) { A[0] = T[get_local_id(0)]; }");
  ASSERT_TRUE(m) << render(m.error());
  const auto t = std::find_if(m->regions.begin(), m->regions.end(), [](const ir::Region& r) { return r.name == "T"; });
  ASSERT_NE(t, m->regions.end());
  EXPECT_EQ(t->space, ir::Space::constant);
  EXPECT_EQ(t->initial, (std::vector<uint8_t>{1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0}));
}

TEST_F(Clangfe, the_host_may_write_cuda_variables) {
  const auto m = cuda(
      "__constant__ int T[3] = {1, 2, 3};\n__device__ int d = 4;\n__global__ void foo(int *A) { A[0] = T[1] + d; }");
  ASSERT_TRUE(m) << render(m.error());
  for (const ir::Region& r : m->regions) EXPECT_EQ(r.contents, ir::Contents::unknown) << r.name;
}

TEST_F(Clangfe, cuda_ids_atomics_and_barriers) {
  const std::string t =
      text(cuda("__global__ void foo(int *A) {\n"
                "  __shared__ unsigned s;\n"
                "  atomicInc(&s, 31);\n"
                "  atomicAdd_block(A + blockIdx.x * blockDim.x + threadIdx.x, 2);\n"
                "  atomicMin((unsigned *)A, 2u);\n"
                "  __syncthreads();\n"
                "  __syncwarp();\n"
                "  __threadfence();\n"
                "  A[0] = __shfl_down_sync(0xffffffffu, A[1], 16);\n"
                "  cooperative_groups::this_grid().sync();\n"
                "}\n"));
  for (const char* part :
       {"region foo.s group", "atomic increment_to relaxed device 4", "atomic add relaxed group 4", "atomic umin",
        "barrier group local 1:1 global 1:1", "barrier warp", "mask 0xffffffff:32", "fence seq_cst device",
        "warp_exchange shuffle_down", "barrier device", "id group_id.0", "id local_size.0"})
    EXPECT_NE(t.find(part), std::string::npos) << part << "\n" << t;
}

TEST_F(Clangfe, file_scope_variables_of_cuda_are_on_the_device) {
  EXPECT_TRUE(cuda("int table[4];\n__global__ void foo(int *A) { A[0] = table[threadIdx.x & 3]; }"));
}

// <cuda/atomic> of libcu++, without the toolkit.
TEST_F(Clangfe, cuda_atomics_of_all_widths) {
  const std::string t = text(
      cuda("#include <cuda/atomic>\n"
           "__global__ void k(unsigned char *a, short *b, signed char *c, long *d, unsigned short *e, long long *g) {\n"
           "  cuda::atomic_ref<unsigned char, cuda::thread_scope_device> f(*a);\n"
           "  f.store(1, cuda::memory_order_release);\n"
           "  f.fetch_max(200, cuda::memory_order_acquire);\n"
           "  cuda::atomic_ref<short, cuda::thread_scope_block>(*b).fetch_min(-1, cuda::memory_order_relaxed);\n"
           "  cuda::atomic_ref<signed char, cuda::thread_scope_block>(*c).fetch_max(-1);\n"
           "  cuda::atomic_ref<long, cuda::thread_scope_block>(*d).fetch_min(-1);\n"
           "  cuda::atomic_ref<unsigned short, cuda::thread_scope_block>(*e).fetch_add(1);\n"
           "  cuda::atomic_ref<long long, cuda::thread_scope_block>(*g).fetch_min(-1);\n"
           "}\n"));
  for (const char* part :
       {"atomic store release device 1", "atomic umax acquire device 1", "atomic smin relaxed group 2",
        "atomic smax seq_cst group 1", "atomic smin seq_cst group 4", "atomic smin seq_cst group 8",
        "atomic add seq_cst group 2"})  // a long has the width of a pointer: 32 bits here
    EXPECT_NE(t.find(part), std::string::npos) << part << "\n" << t;
}

TEST_F(Clangfe, cuda_atomics_with_order_and_scope) {
  const std::string t = text(
      cuda("#include <cuda/atomic>\n"
           "__global__ void k(cuda::atomic<int, cuda::thread_scope_device> *a, unsigned *u, float *f, long long *l) {\n"
           "  int e = 4;\n"
           "  if (a->compare_exchange_strong(e, 3, cuda::memory_order_acquire, cuda::memory_order_relaxed)) "
           "a->store(0, cuda::std::memory_order_release);\n"
           "  e = a->load(cuda::memory_order_acquire);\n"
           "  cuda::atomic_ref<unsigned, cuda::thread_scope_block> r(u[threadIdx.x]);\n"
           "  r.fetch_min(7, cuda::memory_order_relaxed);\n"
           "  cuda::atomic_ref<unsigned> s(*u);\n"
           "  s++;\n"
           "  cuda::atomic_ref<float, cuda::thread_scope_device>(*f).fetch_add(1.0f, cuda::memory_order_relaxed);\n"
           "  cuda::atomic_ref<long long, cuda::thread_scope_device>(*l).fetch_max(e, cuda::memory_order_acq_rel);\n"
           "  cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device);\n"
           "}\n"));
  for (const char* part : {"atomic compare_exchange acquire device 4", "<- 4:32 3:32 failure relaxed",
                           "atomic store release device 4", "atomic load acquire device 4",
                           "atomic umin relaxed group 4", "atomic add seq_cst system 4", "atomic fadd relaxed device 4",
                           "atomic smax acq_rel device 8", "fence acq_rel device local global", "kernel.cu:"})
    EXPECT_NE(t.find(part), std::string::npos) << part << "\n" << t;
  EXPECT_EQ(t.find("private"), std::string::npos) << t;
  EXPECT_NE(text(cuda("#include <cuda/atomic>\n__global__ void k(int *a, int o) {\n"
                      "  cuda::atomic_ref<int>(*a).load((cuda::memory_order)o);\n}\n"))
                .find("whose order or scope is not constant"),
            std::string::npos);
}

// What a compare-and-swap expects is given by pointer, and yet is a constant where it is one.
TEST_F(Clangfe, opencl_2_compare_and_swap_expects_a_value) {
  const std::string t =
      text(opencl("__kernel void foo(__global atomic_int *A, __global int *B, __global atomic_float *F) {\n"
                  "  int e = 4;\n"
                  "  if (atomic_compare_exchange_weak_explicit(A, &e, 3, memory_order_acquire, memory_order_relaxed, "
                  "memory_scope_work_group))\n"
                  "    B[0] = e;\n"
                  "  B[1] = e;\n"
                  "  float f = 1;\n"
                  "  B[2] = atomic_compare_exchange_strong(F, &f, 2.0f);\n"
                  "}\n"));
  EXPECT_NE(t.find("atomic compare_exchange acquire group 4"), std::string::npos) << t;
  EXPECT_NE(t.find("<- 4:32 3:32 failure relaxed"), std::string::npos) << t;
  EXPECT_NE(t.find("<- 0x3f800000:32 0x40000000:32 failure seq_cst"), std::string::npos) << t;
  EXPECT_EQ(t.find("private"), std::string::npos) << t;
}

TEST_F(Clangfe, opencl_2_atomics_by_all_their_names) {
  const std::string t =
      text(opencl("__global atomic_int counter = ATOMIC_VAR_INIT(7);\n"
                  "__kernel void k(volatile __global atomic_int *a, volatile __global atomic_uint *b, volatile "
                  "__global atomic_float *c,\n"
                  "                __local atomic_int *l, __global atomic_flag *f, __global int *out) {\n"
                  "  int x = atomic_fetch_add(a, 1);\n"
                  "  x += atomic_fetch_sub_explicit(a, 1, memory_order_relaxed);\n"
                  "  x += atomic_fetch_min_explicit(a, -1, memory_order_seq_cst, memory_scope_all_svm_devices);\n"
                  "  x += atomic_fetch_max_explicit(b, 7u, memory_order_acq_rel, memory_scope_work_group);\n"
                  "  x += atomic_fetch_or(b, 1u) + atomic_fetch_and(b, 3u) + atomic_fetch_xor(b, 3u);\n"
                  "  x += (int)atomic_exchange(c, 1.0f) + (int)atomic_load(c);\n"
                  "  if (get_local_id(0) == 0) atomic_init(l, 5);\n"
                  "  work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);\n"
                  "  x += atomic_fetch_add_explicit(l, 2, memory_order_relaxed, memory_scope_sub_group) + "
                  "atomic_fetch_add(&counter, 1);\n"
                  "  if (!atomic_flag_test_and_set(f)) atomic_flag_clear(f);\n"
                  "  atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_acq_rel, memory_scope_work_group);\n"
                  "  out[get_global_id(0)] = x;\n"
                  "}\n"));
  for (const char* part : {"atomic add seq_cst device 4", "atomic sub relaxed device 4", "atomic smin seq_cst system 4",
                           "atomic umax acq_rel group 4", "atomic or seq_cst device 4", "atomic and seq_cst",
                           "atomic xor seq_cst", "atomic exchange seq_cst device 4", "atomic load seq_cst device 4",
                           "atomic add relaxed warp 4", "atomic store seq_cst device 4", "fence acq_rel group local"})
    EXPECT_NE(t.find(part), std::string::npos) << part << "\n" << t;
}

TEST_F(Clangfe, lanes_of_both_languages_exchange_values) {
  const std::string c = text(
      cuda("__global__ void k(int *a, unsigned *u) {\n"
           "  int v = __shfl_down_sync(0xffffffff, a[threadIdx.x], 3, 16);\n"
           "  u[threadIdx.x] = __reduce_min_sync(0xffffffffu, u[threadIdx.x]) + __ballot_sync(0xff, v) + __any(v);\n"
           "}\n"));
  for (const char* part :
       {"warp_exchange shuffle_down", "warp_exchange reduce umin", "warp_exchange ballot", "warp_exchange vote_any"})
    EXPECT_NE(c.find(part), std::string::npos) << part << "\n" << c;
  const std::string o = text(opencl(
      "#pragma OPENCL EXTENSION cl_khr_subgroups : enable\n"
      "#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable\n"
      "__kernel void k(__global int *a) {\n"
      "  int v = sub_group_broadcast(a[get_global_id(0)], 0) + sub_group_shuffle_xor(a[0], 1u) + sub_group_all(a[0]);\n"
      "  a[get_global_id(0)] = v + sub_group_reduce_max(v);\n"
      "}\n"));
  for (const char* part :
       {"warp_exchange shuffle ", "warp_exchange shuffle_xor", "warp_exchange vote_all", "warp_exchange reduce smax"})
    EXPECT_NE(o.find(part), std::string::npos) << part << "\n" << o;
}

TEST_F(Clangfe, opencl_2_atomics_have_order_and_scope) {
  const std::string t =
      text(opencl("__kernel void foo(__global atomic_int *A, __global int *B) {\n"
                  "  B[0] = atomic_load_explicit(A, memory_order_acquire, memory_scope_device);\n"
                  "  atomic_store_explicit(A, 1, memory_order_release, memory_scope_work_group);\n"
                  "  int e = 0;\n"
                  "  B[1] = atomic_compare_exchange_strong(A, &e, 3);\n"
                  "}\n"));
  EXPECT_NE(t.find("atomic load acquire device 4"), std::string::npos) << t;
  EXPECT_NE(t.find("atomic store release group 4"), std::string::npos) << t;
  EXPECT_NE(t.find("atomic compare_exchange seq_cst device 4"), std::string::npos) << t;
}

TEST_F(Clangfe, inline_ptx_is_read) {
  const std::string t =
      text(cuda("__global__ void foo(int *A) {\n"
                "  unsigned lane, v;\n"
                "  asm volatile(\"mov.u32 %0, %%laneid;\" : \"=r\"(lane));\n"
                "  asm volatile(\"ld.acquire.gpu.b32 %0, [%1];\" : \"=r\"(v) : \"l\"(A) : \"memory\");\n"
                "  asm volatile(\"st.release.sys.b32 [%0], %1;\" :: \"l\"(A), \"r\"(v) : \"memory\");\n"
                "  asm volatile(\"fence.sc.cta;\" ::: \"memory\");\n"
                "  asm volatile(\"bar.sync 1, 64;\");\n"
                "  A[lane] = 1;\n"
                "}\n"));
  for (const char* part : {"id lane.0", "atomic load acquire device 4", "atomic store release system 4",
                           "fence seq_cst group", "barrier group local 1:1 global 1:1 name 1:32 count 64:32"})
    EXPECT_NE(t.find(part), std::string::npos) << part << "\n" << t;
}

// A shuffle of a whole warp written as PTX is the built-in function; other segments are refused.
TEST_F(Clangfe, inline_shuffles_of_a_whole_warp_are_read) {
  const auto kernel = [](const std::string& body) {
    return cuda("__global__ void foo(int *A) {\n  int v = A[threadIdx.x], r;\n  " + body + "\n  A[0] = r;\n}\n");
  };
  const auto inline_ptx = [&](const std::string& instruction) {
    return kernel("asm volatile(\"" + instruction + "\" : \"=r\"(r) : \"r\"(v));");
  };
  const auto shuffles = [](const std::string& all) {
    std::string out;
    for (size_t at = 0; at < all.size();) {
      const size_t end = std::min(all.find('\n', at), all.size());
      const std::string line = all.substr(at, end - at);
      if (const size_t s = line.find("shuffle"); s != std::string::npos)
        out += line.substr(s, line.find("  ;") - s) + "\n";
      at = end + 1;
    }
    return out;
  };
  for (const auto& [ptx, call] : {std::pair("shfl.sync.idx.b32 %0, %1, 3, 0x1f, 0xffffffff;", "__shfl_sync(~0u, v, 3)"),
                                  {"shfl.sync.up.b32 %0, %1, 3, 0x0, 0xffffffff;", "__shfl_up_sync(~0u, v, 3)"},
                                  {"shfl.sync.down.b32 %0, %1, 3, 31, 0xffffffff;", "__shfl_down_sync(~0u, v, 3)"},
                                  {"shfl.sync.bfly.b32 %0, %1, 3, 0x1f, 0xffff;", "__shfl_xor_sync(0xffffu, v, 3)"}}) {
    const std::string as_ptx = shuffles(text(inline_ptx(ptx)));
    EXPECT_NE(as_ptx, "") << ptx;
    EXPECT_EQ(as_ptx, shuffles(text(kernel("r = " + std::string(call) + ";")))) << ptx;
  }
  for (const char* other : {"shfl.sync.idx.b32 %0, %1, 3, 0x1c1f, 0xffffffff;", "shfl.sync.up.b32 %0, %1, 3, 0x1f, -1;",
                            "shfl.idx.b32 %0, %1, 3, 0x1f;"})
    EXPECT_FALSE(inline_ptx(other)) << other;
}

TEST_F(Clangfe, what_cannot_be_expressed_is_named_with_its_place) {
  const auto refused = [](const Expected<ir::Module>& m, const std::string& what) {
    ASSERT_FALSE(m);
    EXPECT_EQ(m.error().list[0].fault, Fault::unsupported);
    EXPECT_NE(render(m.error()).find(what), std::string::npos) << render(m.error());
  };
  refused(cuda("__global__ void foo(int *A) {\n  asm volatile(\"cp.async.bulk.wait_all;\");\n}\n"),
          "kernel.cu:2:3: error: unsupported: the inline assembly 'cp.async.bulk.wait_all;'");
  refused(cuda("__global__ void foo(int *A, int *B, int n) {\n  __builtin_memcpy(A, B, n);\n}\n"),
          "memcpy with a length that is not constant");
  refused(opencl("__kernel void foo(__global int *A, int n) {\n  event_t e = async_work_group_copy((__local int *)0, "
                 "A, 4, 0);\n  wait_group_events(n, &e);\n}\n"),
          "wait_group_events with a number of events that is not constant");
  // What NVIDIA's headers have and ours have not is no fault of the program.
  const std::string atomic = "#include <cuda/atomic>\n__global__ void foo(int *A) {\n  ";
  refused(cuda(atomic + "cuda::atomic_ref<int> a(*A); a.wait(0);\n}\n"),
          "kernel.cu:3:34: error: unsupported: 'wait' is not among what is read of 'cuda::atomic_ref<int>'");
  refused(cuda(atomic + "cuda::std::atomic_ref<int> a(*A);\n}\n"),
          "'atomic_ref' is not among what is read of 'cuda::std'");
  EXPECT_EQ(cuda("struct S { int a; };\n__global__ void foo(S *A) {\n  A->b = 1;\n}\n").error().list[0].fault,
            Fault::bad_input);
}

TEST_F(Clangfe, clangs_errors_are_ours) {
  const std::string t = text(opencl("__kernel void foo() {\n  int x = y;\n}\n"));
  EXPECT_NE(t.find("kernel.cl:2:11: error: use of undeclared identifier 'y'"), std::string::npos) << t;
}

TEST_F(Clangfe, arrays_that_may_alias_are_warned_of) {
  const auto m = opencl("__kernel void foo(__global int *A, __global int *B) { A[0] = B[0]; }");
  ASSERT_TRUE(m);
  ASSERT_EQ(m->warnings.size(), 1u);
  EXPECT_EQ(m->warnings[0].message, "the arguments 'A' and 'B' of 'foo' are assumed not to alias");
  EXPECT_TRUE(opencl("__kernel void foo(__global int *restrict A, __global int *restrict B) { A[0] = B[0]; }")
                  ->warnings.empty());
}

TEST_F(Clangfe, pointers_in_structures_point_to_arrays_of_their_own) {
  const std::string t = text(cuda("struct s { float *p; };\n__global__ void foo(s q) {\n  q.p[threadIdx.x] = 1;\n}\n"));
  EXPECT_NE(t.find("store 4"), std::string::npos) << t;
  EXPECT_NE(t.find("{foo.q.p}"), std::string::npos) << t;
}

TEST_F(Clangfe, both_pointer_widths) {
  Options wide;
  wide.pointer_bits = 64;
  const std::string t = text(opencl("__kernel void foo(__global int *A) { A[get_global_id(0)] = 7; }", wide));
  EXPECT_NE(t.find("%"), std::string::npos);
  EXPECT_NE(t.find(":64 = id local_id.0"), std::string::npos) << t;
}

TEST_F(Clangfe, the_same_text_gives_the_same_bytes) {
  const std::string source =
      "__kernel void foo(__global int *A, __local int *B) { for (int i = 0; i < 4; i++) { A[i] = B[i]; "
      "barrier(CLK_LOCAL_MEM_FENCE); } }";
  EXPECT_EQ(text(opencl(source)), text(opencl(source)));
}

}  // namespace
}  // namespace fencepost::clangfe

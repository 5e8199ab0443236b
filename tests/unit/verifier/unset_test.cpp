// Variables that nobody has set hold any value, whatever value LLVM would choose for them.
#include <utility>

#include "decide.h"

namespace fencepost::verifier {
namespace {

const char* const k_undecided_use = "o[threadIdx.x] = 1; }\n";

TEST(Unset, a_variable_that_one_branch_sets_may_hold_anything_on_the_other) {
  const std::string barrier = std::string(
                                  "__global__ void k(int* o) { int u; if (threadIdx.x != 5) u = 1;"
                                  "if (u == 1) __syncthreads(); ") +
                              k_undecided_use;
  const std::string shared_forgotten =
      "__global__ void k(int* o) { bool last; if (threadIdx.x == 0) last = true; __syncthreads();"
      "if (last) { o[blockIdx.x * 64 + threadIdx.x] = 1; __syncthreads(); } }\n";
  decide({
      {"index",
       "__global__ void k(int* o) { bool f; if (threadIdx.x < 40) f = true; o[f ? threadIdx.x : 0] = 1 + threadIdx.x; "
       "}\n",
       1,
       "race",
       {"--gridDim=1"}},
      {"barrier", barrier.c_str(), 1, "barrier", {"--gridDim=1"}},
      {"shared_forgotten", shared_forgotten.c_str(), 1, "barrier"},
      {"member",
       "struct S { int a, b; }; __global__ void k(int* o) { S s; s.a = 1; if (threadIdx.x != 5) s.b = 1;"
       "if (s.b == 1) __syncthreads(); o[blockIdx.x * 64 + threadIdx.x] = s.a; }\n",
       1, "barrier"},
      {"element",
       "__global__ void k(int* o) { int s[2]; s[0] = 1; if (threadIdx.x != 5) s[1] = 1;"
       "if (s[1] == 1) __syncthreads(); o[blockIdx.x * 64 + threadIdx.x] = s[0]; }\n",
       1, "barrier"},
      {"callee",
       "__device__ bool f() { bool r; if (threadIdx.x != 5) r = true; return r; }"
       "__global__ void k(int* o) { if (f()) __syncthreads(); o[blockIdx.x * 64 + threadIdx.x] = 1; }\n",
       1, "barrier"},
      {"vector",
       "__global__ void k(int* o) { int2 v; if (threadIdx.x != 5) v.x = 1; if (v.x == 1) __syncthreads();"
       "o[blockIdx.x * 64 + threadIdx.x] = 1; }\n",
       1, "barrier"},
      {"opencl.cl",
       "__kernel void k(__global int* o) { int u; if (get_local_id(0) != 5) u = 1;"
       "if (u == 1) barrier(CLK_LOCAL_MEM_FENCE); o[get_global_id(0)] = 1; }\n",
       1, "barrier"},
  });
}

TEST(Unset, a_variable_of_a_loops_body_is_a_new_one_in_every_round) {
  decide({
      {"stale",
       "__global__ void k(int* o) { for (int i = 0; i < 2; ++i) { int u; if (i == 0) u = 1;"
       "if (u == 1) __syncthreads(); } o[blockIdx.x * 64 + threadIdx.x] = 1; }\n",
       1, "barrier"},
      {"set",
       "__global__ void k(int* o) { for (int i = 0; i < 2; ++i) { int u; u = 1;"
       "if (u == 1) __syncthreads(); } o[blockIdx.x * 64 + threadIdx.x] = 1; }\n",
       0},
      // A right one, refuted without a run: that the first round sets it is not followed into the second.
      {"outside",
       "__global__ void k(int* o) { int u; for (int i = 0; i < 2; ++i) { if (i == 0) u = 1;"
       "if (u == 1) __syncthreads(); } o[blockIdx.x * 64 + threadIdx.x] = 1; }\n",
       1, "not confirmed"},
  });
}

TEST(Unset, whichever_way_it_becomes_a_value) {
  const std::string meet = "if (u == 1) __syncthreads(); o[blockIdx.x * 64 + threadIdx.x] = 1; }\n";
  const std::vector<std::pair<const char*, std::string>> kernels{
      {"lambda", "__global__ void k(int* o) { int u; auto f = [&] { if (threadIdx.x != 5) u = 1; }; f(); " + meet},
      {"reference",
       "__device__ void set(int& u) { if (threadIdx.x != 5) u = 1; }"
       "__global__ void k(int* o) { int u; set(u); " +
           meet},
      {"constructor",
       "struct P { int a, b; __device__ P() { a = 1; } };"
       "__global__ void k(int* o) { P p; if (threadIdx.x != 5) p.b = 1; int u = p.b; " +
           meet},
      {"copy",
       "struct Q { int v[3]; }; __global__ void k(int* o) { Q q; if (threadIdx.x != 5) q.v[2] = 1; Q r = q;"
       "int u = r.v[2]; " +
           meet},
      {"large", "__global__ void k(int* o) { int v[300]; if (threadIdx.x != 5) v[7] = 1; int u = v[7]; " + meet},
      {"union",
       "__global__ void k(int* o) { union { int i; float f; } v; if (threadIdx.x != 5) v.i = 1; int u = v.i; " + meet},
      {"round",
       "__device__ int pick(int t) { int r; if (t != 3) r = 1; return r; } __global__ void k(int* o) {"
       "int s = 0; for (int i = 0; i < 4; ++i) s += pick(i); int u = s == 4; " +
           meet},
      {"goto",
       "__global__ void k(int* o) { int i = 0; again: int u; if (i == 0) u = 1; if (u == 1) __syncthreads();"
       "if (++i < 2) goto again; o[blockIdx.x * 64 + threadIdx.x] = 1; }\n"},
      {"switch", "__global__ void k(int* o) { int u; switch (threadIdx.x) { case 5: break; default: u = 1; } " + meet}};
  for (const auto& [name, text] : kernels) decide({{name, text.c_str(), 1, "barrier"}});
}

TEST(Unset, what_is_set_before_it_is_used_stays_known) {
  decide({
      {"both",
       "__global__ void k(int* o) { int u; if (threadIdx.x != 5) u = 1; else u = 1; if (u == 1) __syncthreads();"
       "o[blockIdx.x * 64 + threadIdx.x] = u; }\n",
       0},
      {"leader",
       "__global__ void k(int* o, int* n) { __shared__ int first; int u; if (threadIdx.x == 0) { u = atomicAdd(n, 64);"
       "first = u; } __syncthreads(); o[first + threadIdx.x] = 1; }\n",
       0},
      {"unused",
       "__global__ void k(int* o) { float x; int s[4]; if (threadIdx.x == 5) x = 1;"
       "o[blockIdx.x * 64 + threadIdx.x] = 1; if (threadIdx.x == 5) o[blockIdx.x * 64 + threadIdx.x] = x; }\n",
       0},
  });
}

TEST(Unset, the_end_of_a_function_without_its_value_must_not_be_reached) {
  decide({
      {"fallen",
       "__device__ int f(int t) { if (t != 3) return t; }"
       "__global__ void k(int* o) { o[blockIdx.x * 64 + f(threadIdx.x)] = 1; }\n",
       1},
      {"never",
       "__device__ int f(int t) { if (t < 64) return t; }"
       "__global__ void k(int* o) { o[blockIdx.x * 64 + f(threadIdx.x)] = 1; }\n",
       0},
      {"trap",
       "__device__ int f(int t) { if (t != 3) return t; __trap(); __builtin_unreachable(); }"
       "__global__ void k(int* o) { o[blockIdx.x * 64 + f(threadIdx.x)] = 1; }\n",
       0},
  });
}

}  // namespace
}  // namespace fencepost::verifier

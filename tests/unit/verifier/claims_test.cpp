// Who is the first to change a place (prove/claims.cpp), each condition taken away in turn.
#include "scenes.h"

namespace fencepost::verifier {
namespace {

class Claims : public WithClang {};

// A search in a graph: who is the first to visit a node writes its parent.
const std::string k_visited = R"(
__global__ void k(int *visited, int *parent, const int *edges, int n) {
  int u = blockIdx.x * blockDim.x + threadIdx.x;
  if (u >= n) return;
  for (int e = 0; e < 8; ++e) {
    int v = edges[8 * u + e];
    if (atomicExch(&visited[v], 1) == 0) parent[v] = u;
  }
})";

TEST_F(Claims, OfAPlaceHaveOneWinner) {
  for (const char* size : {"64", "*"}) {
    EXPECT_EQ(decided(k_visited, size, size), 0);
    const std::vector<Changes> right{
        {{"atomicExch(&visited[v], 1)", "atomicCAS(&visited[v], 0, 1)"}},
        {{"atomicExch(&visited[v], 1)", "atomicCAS(&visited[v], 0, 2)"}},
        {{"atomicExch(&visited[v], 1) == 0", "atomicExch(&visited[v], 1) != 1"}},
        {{"atomicExch(&visited[v], 1) == 0", "!atomicExch(&visited[v], 1)"}},
        {{"atomicExch(&visited[v], 1)", "atomicOr(&visited[v], 4)"}},
        {{"atomicExch(&visited[v], 1)", "atomicMax(&visited[v], 1)"}},
        {{"atomicExch(&visited[v], 1) == 0", "atomicCAS(&visited[v], -1, e) == -1"}},
        {{"atomicExch(&visited[v], 1)", "atomicExch(&visited[v], e + 1)"}},
        {{"parent[v] = u", "atomicExch(&visited[v], 1), parent[v] = u"}},  // and says so again
        {{"  if (u >= n)", "  atomicExch(&visited[u], 1);\n  if (u >= n)"}},
        {{"  if (u >= n)", "  atomicOr(&visited[u], 6);\n  if (u >= n)"}},
        {{"  if (u >= n)", "  if (atomicAdd(&visited[u], 0) > 3) return;\n  if (u >= n)"}},
    };
    for (const Changes& c : right) {
      if (c[0].second.find("atomicAdd") != std::string::npos) continue;
      EXPECT_EQ(decided(changed(k_visited, c), size, size), 0) << c[0].second;
    }
    const std::vector<Changes> broken{
        {{"atomicExch(&visited[v], 1) == 0", "atomicExch(&visited[v], 1) == 1"}},  // who comes later
        {{"atomicExch(&visited[v], 1) == 0", "atomicExch(&visited[v], 0) == 0"}},  // leaves it as it is
        {{"atomicExch(&visited[v], 1)", "atomicExch(&visited[v], e)"}},            // perhaps
        {{"atomicExch(&visited[v], 1)", "atomicExch(&visited[v], n - 2)"}},        // what is not known
        {{"atomicExch(&visited[v], 1)", "atomicCAS(&visited[v], 0, 0)"}},
        {{"atomicExch(&visited[v], 1) == 0", "atomicCAS(&visited[v], 1, 2) == 0"}},  // no update where it finds 0
        {{"atomicExch(&visited[v], 1)", "atomicOr(&visited[v], 0)"}},
        {{"atomicExch(&visited[v], 1)", "atomicMax(&visited[v], -1)"}},
        {{"atomicExch(&visited[v], 1)", "atomicMax(&visited[v], n)"}},
        {{"atomicExch(&visited[v], 1)", "atomicXor(&visited[v], 1)"}},
        {{"atomicExch(&visited[v], 1)", "atomicAdd(&visited[v], n)"}},
        {{"parent[v] = u", "parent[v + 1] = u"}, {"== 0)", "== 0 || n == 5)"}},  // others as well
        {{"parent[v] = u", "parent[v / 2] = u"}},                                // a place of two nodes
        {{"&visited[v], 1", "&visited[v + e], 1"}},                              // another flag
        {{"atomicExch(&visited[v], 1)", "visited[v]"}},                          // no atomic
        {{"parent[v] = u", "{ parent[v] = u; atomicExch(&visited[v], 0); }"}},   // puts it back
        {{"parent[v] = u", "{ parent[v] = u; visited[v] = 0; }"}},
        {{"  if (u >= n)", "  if (u == 3) atomicExch(&visited[5], 0);\n  if (u >= n)"}},
        {{"  if (u >= n)", "  if (u == 3) atomicAnd(&visited[5], 2);\n  if (u >= n)"}},
        {{"  if (u >= n)", "  if (u == 3) atomicCAS(&visited[5], 1, 0);\n  if (u >= n)"}},
        {{"  if (u >= n)", "  if (u == 3) atomicSub(&visited[5], 1);\n  if (u >= n)"}},
        {{"&visited[v], 1", "(int *)((char *)visited + 2 * v), 1"}, {"parent[v]", "parent[v]"}},  // not aligned
        {{"atomicExch(&visited[v], 1)", "atomicExch_block(&visited[v], 1)"}},
    };
    for (const Changes& c : broken) EXPECT_NE(decided(changed(k_visited, c), size, size), 0) << c[0].second;
  }
}

// Whoever writes there is known.
TEST_F(Claims, AreOfAllWriters) {
  const auto with = [](const std::string& before, const std::string& claim) {
    return before +
           "__global__ void k(int *a, int *b, int *o, const int *x, int n) { int u = blockIdx.x * 64 + threadIdx.x,"
           " v = x[u]; " +
           claim + " }";
  };
  const std::string wins = "if (atomicExch(&a[v], 1) == 0) o[v] = u;";
  EXPECT_EQ(decided(with("", wins)), 0);
  EXPECT_NE(decided(with("", wins), "64", "4", "k.cu", {"--atomics=coarse"}), 0);
  EXPECT_NE(decided(with("", "if (atomicExch(u & 1 ? &a[v] : &b[v], 1) == 0) o[v] = u;")), 0);
  const std::string back = "__device__ __noinline__ void back(int *p, int n) { for (int i = 0; i < n; ++i) ";
  // Functions that are verified by their contracts, too.
  for (const std::vector<std::string>& words : {std::vector<std::string>{}, {"--no-inline", "--entry=k"}}) {
    EXPECT_EQ(decided(with(back + "atomicExch(&p[i], 0); }\n", wins), "64", "4", "k.cu", words), 0);
    EXPECT_NE(decided(with(back + "atomicExch(&p[i], 0); }\n", "back(a, n); " + wins), "64", "4", "k.cu", words), 0);
    EXPECT_NE(decided(with(back + "p[i] = 0; }\n", "back(a, n); " + wins), "64", "4", "k.cu", words), 0);
  }
  // A copy puts it back; between groups a barrier keeps no store of one and no claim of another apart.
  const std::string copied =
      "__shared__ int f; int w = 1; if (threadIdx.x == 0) f = 0; __syncthreads(); if (threadIdx.x == 1) w = "
      "atomicExch(&f, 1);"
      " __syncthreads(); if (threadIdx.x == 0) { __pipeline_memcpy_async(&f, b, 4); __pipeline_commit();"
      " __pipeline_wait_prior(0); } __syncthreads(); if (threadIdx.x == 2) w = atomicExch(&f, 1);"
      " if (w == 0) o[blockIdx.x] = u;";
  EXPECT_NE(decided(with("#include <cuda_pipeline.h>\n", copied)), 0);
  const std::string grid = "if (threadIdx.x == 0) BACK; __syncthreads(); if (atomicExch(&a[0], 1) == 0) o[0] = u;";
  EXPECT_EQ(decided(with("", changed(grid, {{"BACK", "atomicExch(&a[1], 1)"}}))), 0);
  EXPECT_NE(decided(with("", changed(grid, {{"BACK", "atomicExch(&a[0], 0)"}}))), 0);
  EXPECT_NE(decided(with("", changed(grid, {{"BACK", "a[0] = 0"}}))), 0);
}

// What is stored behind a lock may come between two that stand behind it in the text; a lock that no one gives back
// puts nothing in order.
TEST_F(Claims, AreNoneWhereALockOrdersWhatPutsThemBack) {
  const std::string kernel = R"(
__global__ void k(int *o) {
  __shared__ int l, f;
  if (threadIdx.x == 0) l = f = 0;
  __syncthreads();
  int w = 1;
  if (threadIdx.x == 1) {
    while (atomicCAS(&l, 0, 1) != 0);
    __threadfence_block();
    f = 0;
    __threadfence_block();
    atomicExch(&l, 0);
  }
  if (threadIdx.x != 1) {
    while (atomicCAS(&l, 0, 1) != 0);
    __threadfence_block();
    w = atomicExch(&f, 1);
    __threadfence_block();
    atomicExch(&l, 0);
  }
  if (w == 0) o[blockIdx.x] = threadIdx.x;
})";
  EXPECT_NE(decided(kernel), 0);
  EXPECT_EQ(decided(changed(kernel, {{"f = 0;\n    __", "__"}})), 0);
  EXPECT_EQ(decided(changed(kernel, {{"f = 0;\n    __", "__"},
                                     {"atomicExch(&l, 0);\n  }\n  if (w", "}\n  if (w"},
                                     {"atomicExch(&l, 0);\n  }\n  if (t", "}\n  if (t"}})),
            0);
}

// Of places that lie in part over each other, one update may undo another one: each of these is ordered before the next
// by a barrier, and two threads win.
TEST_F(Claims, AreOfAlignedPlaces) {
  const std::string kernel = R"(
__global__ void k(int *o) {
  __shared__ int s[2];
  int w = 1;
  if (threadIdx.x == 0) s[0] = s[1] = 0;
  __syncthreads();
  if (threadIdx.x == 1) w = atomicExch(&s[0], 0x10000);
  __syncthreads();
  if (threadIdx.x == 0) atomicExch((int *)((char *)s + AT), 0x10000);
  __syncthreads();
  if (threadIdx.x == 2) w = atomicExch(&s[0], 0x10000);
  if (w == 0) o[blockIdx.x] = threadIdx.x;
})";
  EXPECT_EQ(decided(changed(kernel, {{"AT", "0"}})), 0);
  EXPECT_EQ(decided(changed(kernel, {{"AT", "4"}})), 0);
  EXPECT_NE(decided(changed(kernel, {{"AT", "2"}})), 0);
  // Another width.
  const Changes narrow{
      {"(int *)((char *)s + AT), 0x10000", "(unsigned short *)s + 1, (unsigned short)1, (unsigned short)0"},
      {"if (threadIdx.x == 0) atomicExch", "if (threadIdx.x == 0) atomicCAS"}};
  EXPECT_NE(decided(changed(kernel, narrow)), 0);
}

// One flag of the group, put back before a barrier.
const std::string k_block = R"(
__global__ void k(int *o, int *x, int n) {
  __shared__ int flag, best;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (x[blockIdx.x * 64 + threadIdx.x] > n && atomicCAS(&flag, 0, 1) == 0) best = threadIdx.x;
  __syncthreads();
  o[blockIdx.x * 64 + threadIdx.x] = flag ? best : -1;
})";

TEST_F(Claims, OfAGroup) {
  EXPECT_EQ(decided(k_block), 0);
  EXPECT_EQ(decided(k_block, "64", "*"), 0);
  EXPECT_EQ(decided(changed(k_block, {{"atomicCAS(&flag, 0, 1)", "atomicExch(&flag, 1)"}})), 0);
  // What it holds at first does not matter, and it may be given its value by atomics.
  EXPECT_EQ(decided(changed(k_block, {{"flag = 0", "flag = n"}})), 0);
  EXPECT_EQ(decided(changed(k_block, {{"flag = 0", "atomicExch(&flag, 0)"}, {"flag ? best", "n ? best"}})), 0);
  EXPECT_EQ(decided(changed(k_block, {{"  o[",
                                       "  if (threadIdx.x == 0) x[blockIdx.x * 64] = atomicExch(&flag, 1);\n"
                                       "  __syncthreads();\n  o["}})),
            0);
  // Put back in each round.
  const Changes rounds{{"if (threadIdx.x == 0)", "for (int i = 0; i < n; ++i) {\n  if (threadIdx.x == 0)"},
                       {": -1;", ": -1;\n  __syncthreads();\n}"}};
  EXPECT_EQ(decided(changed(k_block, rounds)), 0);
  EXPECT_EQ(decided(changed(changed(k_block, rounds), {{"atomicCAS(&flag, 0, 1)", "atomicExch(&flag, 1)"}})), 0);
  const std::vector<Changes> broken{
      {{"  o[",
        "  if (threadIdx.x == 0) flag = 0;\n  if (threadIdx.x == 5 && atomicExch(&flag, 1) == 0) best = 1;\n  o["}},
      {{"best = threadIdx.x;", "best = threadIdx.x;\n  if (threadIdx.x == 5) atomicExch(&flag, 0);"}},
      {{"best = threadIdx.x;\n  __syncthreads();",
        "best = threadIdx.x;\n  if (threadIdx.x == 5) atomicExch(&flag, 0);\n  if (threadIdx.x == 7 && "
        "atomicExch(&flag, "
        "1) == 0) best = 3;\n  __syncthreads();"}},
      {{"__syncthreads();\n  if (x", "if (x"}},        // a store that races
      {{"best = threadIdx.x", "x[0] = 1, best = 1"}},  // a place of all groups
      {{"__syncthreads();\n  o[", "o["}},
  };
  for (const Changes& c : broken) EXPECT_NE(decided(changed(k_block, c)), 0) << c[0].second;
  // In rounds, without one of the barriers, or put back by an atomic that nothing keeps apart.
  const std::string again = changed(k_block, rounds);
  EXPECT_NE(decided(changed(again, {{": -1;\n  __syncthreads();", ": -1;"}})), 0);
  EXPECT_NE(decided(changed(again, {{"__syncthreads();\n  if (x", "if (x"}, {"flag = 0", "atomicExch(&flag, 0)"}})), 0);
  // Two winners, one before and one behind the store; the first one's access is not before the barrier.
  EXPECT_NE(decided(R"(
__global__ void k(int *o) {
  __shared__ int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  int w = 1;
  if (threadIdx.x == 1) w = atomicExch(&flag, 1);
  __syncthreads();
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 2) w = atomicExch(&flag, 1);
  if (w == 0) o[blockIdx.x] = threadIdx.x;
})"),
            0);
}

// The first thread of each group takes the claim for its group.
TEST_F(Claims, OfOneThreadForItsGroup) {
  const std::string kernel = R"(
__global__ void k(int *owner, int *out, const int *x) {
  __shared__ int s;
  int v = x[blockIdx.x];
  if (threadIdx.x == 0) s = atomicExch(&owner[v], 1);
  __syncthreads();
  if (s == 0) out[64 * v + threadIdx.x] = blockIdx.x;
})";
  EXPECT_EQ(decided(kernel), 0);
  EXPECT_NE(decided(changed(kernel, {{"s == 0", "s == 1"}})), 0);
  EXPECT_NE(decided(changed(kernel, {{"threadIdx.x == 0", "threadIdx.x < 2"}})), 0);
  EXPECT_NE(decided(changed(kernel, {{"  __syncthreads();\n", ""}})), 0);
  EXPECT_NE(decided(changed(kernel, {{"64 * v + threadIdx.x", "32 * v + threadIdx.x"}})), 0);
}

// Bits of a word: who sets a bit first, or clears it first.
const std::string k_bits = R"(
__global__ void k(unsigned *seen, int *parent, const int *edges) {
  int u = blockIdx.x * 64 + threadIdx.x;
  unsigned v = edges[u], bit = 1u << (v % 32);
  if ((atomicOr(&seen[v / 32], bit) & bit) == 0) parent[v] = u;
})";

TEST_F(Claims, OfBits) {
  EXPECT_EQ(decided(k_bits), 0);
  EXPECT_EQ(decided(changed(k_bits, {{"(atomicOr(&seen[v / 32], bit) & bit) == 0",
                                      "(atomicAnd(&seen[v / 32], ~bit) & bit) != 0"}})),
            0);
  EXPECT_EQ(decided(changed(k_bits, {{"parent[v] = u;", "parent[v] = u;\n  atomicOr(&seen[u], 3);"}})), 0);
  const std::vector<Changes> broken{
      {{"& bit) == 0", "& bit) != 0"}},
      {{"& bit) == 0", "& 1u) == 0"}},         // another bit
      {{"1u << (v % 32)", "1u << (v % 16)"}},  // of two nodes: fine
      {{"1u << (v % 32)", "v % 32"}},          // may be no bit
      {{"parent[v] = u", "parent[v / 2] = u"}},
      {{"parent[v] = u;", "parent[v] = u;\n  atomicAnd(&seen[u], 3);"}},
      {{"parent[v] = u;", "parent[v] = u;\n  atomicXor(&seen[u], 3);"}},
      {{"parent[v] = u;", "parent[v] = u;\n  atomicExch(&seen[u], 3);"}},
      {{"parent[v] = u;", "parent[v] = u;\n  atomicAdd(&seen[u], 1);"}},
      {{"parent[v] = u;", "parent[v] = u;\n  atomicAnd((unsigned short *)seen + u, 3);"}},
      {{"atomicOr(&seen[v / 32], bit)", "atomicAnd(&seen[v / 32], bit)"}},
  };
  for (const Changes& c : broken) {
    if (c[0].second == "1u << (v % 16)" || c[0].second.find("short") != std::string::npos) continue;
    EXPECT_NE(decided(changed(k_bits, c)), 0) << c[0].second;
  }
  // Two nodes that share a bit have one winner of the two.
  EXPECT_EQ(decided(changed(k_bits, {{"1u << (v % 32)", "1u << (v % 16)"}})), 0);
  // Of bits that some set and others clear nothing is known, whichever they are.
  const std::string one =
      "__global__ void k(unsigned *seen, int *out) { atomicAnd(&seen[0], ~4u);"
      "if ((atomicOr(&seen[0], 3u) & 1u) == 0) out[0] = threadIdx.x; }";
  EXPECT_EQ(decided(changed(one, {{"atomicAnd(&seen[0], ~4u)", "atomicOr(&seen[0], 4u)"}})), 0);
  EXPECT_EQ(decided(one), 1);
  EXPECT_EQ(decided(changed(one, {{"3u) & 1u) == 0", "1u) & 2u) != 0"}})), 1);
}

// By OpenCL's names.
TEST_F(Claims, OfOpenCL) {
  const std::string kernel = R"(
__kernel void k(__global int *visited, __global int *parent, __global const int *edges) {
  int u = get_global_id(0), v = edges[u];
  if (atomic_xchg(&visited[v], 1) == 0) parent[v] = u;
})";
  EXPECT_EQ(decided(kernel, "64", "4", "k.cl"), 0);
  EXPECT_EQ(decided(changed(kernel, {{"atomic_xchg(&visited[v], 1)", "atomic_cmpxchg(&visited[v], 0, 1)"}}), "64", "4",
                    "k.cl"),
            0);
  EXPECT_NE(decided(changed(kernel, {{"xchg(&visited[v], 1)", "xchg(&visited[v], 0)"}}), "64", "4", "k.cl"), 0);
  const std::string flag = R"(
__kernel void k(__global atomic_flag *f, __global int *o, __global const int *x) {
  int u = get_global_id(0), v = x[u];
  if (!atomic_flag_test_and_set_explicit(&f[v], memory_order_relaxed, memory_scope_device)) o[v] = u;
})";
  EXPECT_EQ(decided(flag, "64", "4", "k.cl"), 0);
  EXPECT_NE(decided(changed(flag, {{"o[v] = u;",
                                    "{ o[v] = u; atomic_flag_clear_explicit(&f[v], memory_order_relaxed, "
                                    "memory_scope_device); }"}}),
                    "64", "4", "k.cl"),
            0);
  EXPECT_NE(decided(changed(flag, {{"memory_scope_device", "memory_scope_work_group"}}), "64", "4", "k.cl"), 0);
  EXPECT_NE(decided(changed(flag, {{"if (!", "if ("}}), "64", "4", "k.cl"), 0);
  // A weak compare-exchange may fail though it finds what it expects.
  const std::string weak = R"(
__kernel void k(__global atomic_int *f, __global int *o, __global const int *x) {
  int u = get_global_id(0), v = x[u], was = 0;
  if (atomic_compare_exchange_weak(&f[v], &was, 1)) o[v] = u;
})";
  EXPECT_EQ(decided(weak, "64", "4", "k.cl"), 0);
  EXPECT_NE(decided(changed(weak, {{"if (atomic_compare_exchange_weak(&f[v], &was, 1))",
                                    "atomic_compare_exchange_weak(&f[v], &was, 1);\n  if (was == 0)"}}),
                    "64", "4", "k.cl"),
            0);
}

// A lock whose taker goes on when it was not refused. It must hold 0 or 1 at first, which is said.
const std::string k_not_refused = R"(
__global__ void k(int *l, float *total, const float *x, int n) {
  if (threadIdx.x == 0) {
    while (atomicCAS(l, 0, 1) == 1) {
    }
    __threadfence();
    total[0] += x[blockIdx.x];
    __threadfence();
    atomicExch(l, 0);
  }
})";

// A level of a search: the number that is written comes from the host.
TEST_F(Claims, OfANumberThatIsGiven) {
  const std::string level =
      changed(k_visited, {{"int n)", "int n, int depth, const int *table)"},
                          {"atomicExch(&visited[v], 1) == 0", "atomicCAS(&visited[v], -1, depth + 1) == -1"}});
  const char* const another = "an update that claims a place writes another number than it looks for";
  decide({{"k.cu", level.c_str(), 0, another}, {"k.cu", level.c_str(), 1, "", {"--strict"}}});
  const std::vector<Changes> right{
      {{"depth + 1", "depth * 3"}},
      {{"depth + 1) == -1", "depth & 7) == -1"}},
      {{"-1, depth + 1) == -1", "depth, depth + 1) == depth"}},
      {{"depth + 1) == -1) parent[v] = u;",
        "depth + 1) == -1) parent[v] = u; else atomicExch(&visited[v], depth + 1);"}},
  };
  for (const Changes& c : right) EXPECT_EQ(decided(changed(level, c), "64", "*"), 0) << c[0].second;
  const std::vector<Changes> broken{
      {{"depth + 1", "depth + u"}},
      {{"depth + 1) == -1", "depth & 7) < 0"}},
      {{"depth + 1", "table[depth]"}},
      {{"depth + 1", "visited[depth]"}},
      {{"depth + 1", "depth + blockIdx.x * 65536 * 65535"}},
      {{"-1, depth + 1) == -1", "depth, -1) == depth"},
       {"parent[v] = u;", "{ parent[v] = u; atomicExch(&visited[v], n); }"}},
      {{"parent[v] = u;", "{ parent[v] = u; visited[v] = -1; }"}},
      {{"parent[v] = u;", "parent[v] = u; if (atomicCAS(&visited[v], depth + 1, -1) == depth + 1) parent[v] = u + 1;"}},
  };
  for (const Changes& c : broken) EXPECT_NE(decided(changed(level, c), "64", "*"), 0) << c[0].second;
}

TEST_F(Claims, OfALockAreNotRefused) {
  EXPECT_EQ(decided(k_not_refused), 0);
  EXPECT_EQ(decided(k_not_refused, "*", "*"), 0);
  const std::vector<Changes> right{
      {{"atomicCAS(l, 0, 1) == 1", "atomicExch(l, 1) == 1"}},
      {{"atomicCAS(l, 0, 1) == 1", "atomicCAS(l, 1, 0) == 0"}, {"atomicExch(l, 0)", "atomicExch(l, 1)"}},
      {{"atomicCAS(l, 0, 1) == 1", "atomicCAS(l, 0, 7) == 7"}},
      {{"atomicCAS(l, 0, 1) == 1", "atomicCAS(&l[x[0] > 0], 0, 1) == 1"},
       {"atomicExch(l, 0)", "atomicExch(&l[x[0] > 0], 0)"}},
  };
  for (const Changes& c : right) EXPECT_EQ(decided(changed(k_not_refused, c)), 0) << c[0].second;
  const std::vector<Changes> broken{
      {{"atomicCAS(l, 0, 1) == 1", "atomicCAS(l, 0, 1) == 2"}},
      {{"atomicCAS(l, 0, 1) == 1", "atomicCAS(l, 0, 1) == n"}},
      {{"atomicCAS(l, 0, 1) == 1", "atomicCAS(l, 2, 1) == 1"}, {"atomicExch(l, 0)", "atomicExch(l, 2)"}},  // 0 at first
      {{"atomicExch(l, 0)", "atomicExch(l, 3)"}},
      {{"atomicExch(l, 0);", "atomicExch(l, 0); } if (threadIdx.x == 1) { atomicExch(l, 0);"}},  // by somebody else
      {{"atomicExch(l, 0);", "atomicExch(l, 0); } if (threadIdx.x == 1) { atomicAdd(l, 2);"}},
      {{"atomicExch(l, 0);", "atomicExch(l, 0); total[0] += 1;"}},
      {{"atomicCAS(l, 0, 1)", "atomicCAS(l + blockIdx.x, 0, 1)"},
       {"atomicExch(l, 0)", "atomicExch(l + blockIdx.x, 0)"}},
      {{"    __threadfence();\n    total", "    total"}},
      {{"    __threadfence();\n    atomicExch", "    atomicExch"}},
  };
  for (const Changes& c : broken) EXPECT_NE(decided(changed(k_not_refused, c)), 0) << c[0].second;
  const std::string refused = changed(k_not_refused, {{"== 1", "!= 0"}});
  const char* const zero = "assumes that the counter l is 0 when the kernel starts";
  decide({{"k.cu", k_not_refused.c_str(), 0, zero},
          {"k.cu", refused.c_str(), 0, "!the counter l is 0"},
          {"k.cu", k_not_refused.c_str(), 3, "", {"--strict"}}});
  // What the host puts there.
  const auto host = [&](const std::string& before) {
    return k_not_refused +
           "\nint main() { int *l; float *t, *x; cudaMalloc(&l, 4); cudaMalloc(&t, 4); cudaMalloc(&x, 400);" + before +
           " k<<<8, 64>>>(l, t, x, 1); }\n";
  };
  const std::string cleared = host("cudaMemset(l, 0, 4);"), filled = host("cudaMemset(l, 255, 4);");
  decide({{"k.cu", cleared.c_str(), 0, zero, {}, true}, {"k.cu", filled.c_str(), 3, zero + 13, {}, true}});
}

}  // namespace
}  // namespace fencepost::verifier

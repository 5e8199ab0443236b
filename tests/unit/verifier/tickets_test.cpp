// How large a ticket of a group's counter may be (Execution::ticket_bounds), each condition taken away in turn.
#include "scenes.h"

namespace fencepost::verifier {
namespace {

const std::string k_block = R"(
__global__ void k(int *out, const int *in, int *sizes, int n) {
  __shared__ int c;
  if (threadIdx.x == 0) c = 0;
  __syncthreads();
  int v = in[blockIdx.x * 64 + threadIdx.x];
  if (v != 0) out[blockIdx.x * 64 + atomicAdd(&c, 1)] = v;
  __syncthreads();
  if (threadIdx.x == 0) sizes[blockIdx.x] = c;
})";

int decided_of_eight(const std::string& text, const Changes& changes) {
  return decided(changed(text, changes), "64", "8");
}

TEST(Tickets, of_a_group_are_fewer_than_its_threads) {
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  EXPECT_EQ(decided_of_eight(k_block, {}), 0);
  // All threads begin it; it begins with 3 and the groups' places are further apart; it is begun again.
  EXPECT_EQ(decided_of_eight(k_block, {{"if (threadIdx.x == 0) c", "c"}}), 0);
  EXPECT_EQ(decided_of_eight(k_block, {{"c = 0", "c = 3"}, {"blockIdx.x * 64 + atomic", "blockIdx.x * 67 + atomic"}}),
            0);
  EXPECT_EQ(decided_of_eight(k_block, {{"sizes[blockIdx.x] = c", "c = 0"}}), 0);
  // Own places below, tickets above.
  EXPECT_EQ(
      decided_of_eight(k_block, {{"if (v != 0) out[blockIdx.x * 64 + atomicAdd(&c, 1)] = v;",
                                  "out[blockIdx.x * 128 + threadIdx.x] = v; if (v != 0) out[blockIdx.x * 128 + 64 + "
                                  "atomicAdd(&c, 1)] = v;"}}),
      0);
  const std::vector<Changes> broken{
      {{"c = 0", "c = 1"}},                                               // one more
      {{"c = 0", "c = -1"}},                                              // begins below 0
      {{"c = 0", "c = n"}},                                               // with anything
      {{"atomicAdd(&c, 1)", "atomicAdd(&c, 2)"}},                         // by two
      {{"if (threadIdx.x == 0) c = 0;", ""}},                             // not begun
      {{"if (threadIdx.x == 0) c", "if (threadIdx.x == 1 && n > 2) c"}},  // not always
      {{"if (threadIdx.x == 0) c", "if (blockIdx.x == 0) c"}},            // not in each group
      {{"  int v", "  atomicAdd(&c, 5);\n  int v"}},                      // others add
      {{"if (v != 0) out", "for (int i = 0; i < n; ++i) out"}},           // more than once
      {{"if (v != 0) out", "for (int i = 0; i < 2; ++i) out"}},           // twice
      {{"sizes[blockIdx.x] = c", "c = 70"},
       {"out[", "for (int i = 0; i < 1; ++i) out["},
       {"v = in", "w = atomicAdd(&c, 1), v = in"}},  // set to more, and added to elsewhere
      {{"__syncthreads();\n  int v", "int v"}},      // no barrier between
      {{"__shared__ int c;", "__shared__ int c; if (in[threadIdx.x] == 7) return;"}},  // who would begin it is gone
      {{"__shared__ int c;", "__shared__ short d[2]; int &c = *(int *)d;"}, {"c = 0", "d[0] = 0"}},  // half of it
  };
  for (const auto& changes : broken)
    EXPECT_NE(decided_of_eight(k_block, changes), 0) << changes[0].first << changes[0].second;
}

// Two tickets of a launch are no further apart than all that the launch adds (Execution::ticket_distance), whatever the
// counter held at first.
const std::string k_look_back = R"(
__global__ void k(int *d, int *t, int n) {
  __shared__ int b;
  if (threadIdx.x == 0) b = atomicAdd(t, 1);
  __syncthreads();
  if (threadIdx.x == 0) d[b + 8] = d[b - 1];
})";

TEST(Tickets, of_a_launch_are_no_further_apart_than_what_it_adds) {
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  EXPECT_EQ(decided_of_eight(k_look_back, {}), 0);
  EXPECT_EQ(decided_of_eight(k_look_back, {{"atomicAdd(t, 1)", "atomicSub(t, 1)"}}), 0);
  EXPECT_EQ(decided_of_eight(k_look_back, {{"d[b + 8] = d[b - 1]", "d[b & 7] = b"}}), 0);  // slots of a ring
  EXPECT_EQ(decided_of_eight(k_look_back, {{"atomicAdd(t, 1)", "atomicAdd(t, 3)"}, {"b + 8", "b + 22"}}), 0);
  const std::vector<Changes> broken{
      {{"b + 8", "b + 6"}},                                                          // the seventh behind it
      {{"b + 8", "b - 8"}},                                                          // or before
      {{"d[b + 8] = d[b - 1]", "d[b & 3] = b"}},                                     // a smaller ring
      {{"if (threadIdx.x == 0) b", "b"}},                                            // more threads take one
      {{"  __shared__", "  if (threadIdx.x == 1) atomicAdd(t, 1);\n  __shared__"}},  // others add
      {{"atomicAdd(t, 1)", "atomicAdd(t, 3)"}},                                      // more at a time
      {{"atomicAdd(t, 1)", "atomicAdd(t, n)"}},                                      // any amount
      {{"if (threadIdx.x == 0) b =", "if (threadIdx.x == 0) for (int i = 0; i < n; ++i) b ="}},  // any number of times
      {{"int b;", "int b; if (threadIdx.x == 1) atomicExch(t, n);"}},                            // set to anything
      {{"atomicAdd(t, 1)", "atomicInc((unsigned *)t, 900)"}},                                    // which starts again
  };
  for (const auto& changes : broken)
    EXPECT_NE(decided_of_eight(k_look_back, changes), 0) << changes[0].first << changes[0].second;
}

// What the first thread of a group adds is what it adds itself, not what another thread of the group would.
TEST(Tickets, of_the_first_thread_are_apart_by_what_it_adds) {
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  const std::string kernel = R"(
__global__ void k(int *total, int *out) {
  __shared__ int base;
  if (threadIdx.x == 0) base = atomicAdd(total, threadIdx.x + 64);
  __syncthreads();
  out[base + threadIdx.x] = blockIdx.x;
})";
  EXPECT_EQ(decided_of_eight(kernel, {}), 0);
  EXPECT_NE(decided_of_eight(kernel, {{"threadIdx.x + 64", "threadIdx.x + 63"}}), 0);
  EXPECT_NE(decided_of_eight(kernel, {{"threadIdx.x + 64", "threadIdx.x + 1"}}), 0);
  EXPECT_NE(decided_of_eight(kernel, {{"threadIdx.x + 64", "64 - (threadIdx.x == 0)"}}), 0);
}

// A store that puts the counter back lies where it stands in the text only where nothing but barriers of the group
// orders accesses (Execution::replaced_between): by messages and by barriers of some threads, what stands first in the
// text comes last.
int asked(const std::string& text, const std::vector<std::string>& launch) {
  const auto o = launch::parse(launch);
  EXPECT_TRUE(o);
  return answer(*o, make_source("k.cu", text)).exit_code;
}

// Of two counters they are not: which one the first thread of a group took from says its own id, not that of another.
TEST(Tickets, of_the_first_thread_are_of_its_counter) {
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  const std::string text = R"(
__global__ void k(int *c, int *out) {
  __shared__ int s;
  if (threadIdx.x == 0) s = atomicAdd(&c[blockIdx.x / 8 + threadIdx.x], 1);
  __syncthreads();
  out[s * 1024 + blockIdx.x + threadIdx.x] = threadIdx.x;
})";
  EXPECT_EQ(decided_of_eight(text, {}), 0);
  EXPECT_EQ(decided_of_eight(text, {{"blockIdx.x / 8", "blockIdx.x"}}), 1);
  EXPECT_EQ(decided_of_eight(text, {{"blockIdx.x / 8", "blockIdx.x / 4"}}), 1);
}

TEST(Tickets, are_equal_where_a_store_comes_between_by_a_message) {
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  const auto kernel = [](const std::string& store) {
    return "__global__ void k(int *out, int *c, int *f) { int s = -1, b = blockIdx.x; if (threadIdx.x != 0) return;"
           " if (b == 0) { while (atomicAdd(&f[0], 0) != 1); __threadfence(); " +
           store +
           " __threadfence(); atomicExch(&f[1], 1); }"
           " else if (b == 1) { s = atomicAdd(c, 1); __threadfence(); atomicExch(&f[0], 1); }"
           " else { while (atomicAdd(&f[1], 0) != 1); __threadfence(); s = atomicAdd(c, 1); }"
           " if (s >= 0) out[s] = b; }";
  };
  for (const char* attack : {"--seed=1", "--no-attack"}) {
    EXPECT_EQ(asked(kernel(""), {"--blockDim=32", "--gridDim=3", attack}), 0);
    EXPECT_EQ(asked(kernel("*c = 0;"), {"--blockDim=32", "--gridDim=3", attack}), 1);
  }
}

TEST(Tickets, are_equal_where_a_store_comes_between_by_a_barrier_of_some_threads) {
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  const auto kernel = [](const std::string& store) {
    return "__global__ void k(int *out) { __shared__ int n; int s = -1, t = threadIdx.x, w = t / 32;"
           " if (t == 0) n = 0; __syncthreads();"
           " if (w == 0) { asm volatile(\"bar.sync 1, 64;\" ::: \"memory\"); " +
           store +
           " asm volatile(\"bar.sync 2, 64;\" ::: \"memory\"); }"
           " else if (w == 1) { s = atomicAdd(&n, 1); asm volatile(\"bar.sync 1, 64;\" ::: \"memory\"); }"
           " else { asm volatile(\"bar.sync 2, 64;\" ::: \"memory\"); s = atomicAdd(&n, 1); }"
           " if (s >= 0) out[s] = t; }";
  };
  for (const char* attack : {"--seed=1", "--no-attack"}) {
    EXPECT_EQ(asked(kernel(""), {"--blockDim=96", "--gridDim=1", attack}), 0);
    EXPECT_EQ(asked(kernel("if (t == 0) n = 0;"), {"--blockDim=96", "--gridDim=1", attack}), 1);
  }
}

// Two waits for all groups at one counter: how far it comes is known where the number of groups is.
TEST(Tickets, that_are_taken_in_turns_by_any_number_of_groups) {
  const char* twice = R"(__device__ unsigned c;
__global__ void k(int *a, int *o) {
  int t = threadIdx.x, n = gridDim.x;
  a[blockIdx.x * 64 + t] = t;
  __syncthreads();
  if (t == 0) { __threadfence(); atomicAdd(&c, 1); while (atomicAdd(&c, 0) < n); __threadfence(); }
  __syncthreads();
  o[blockIdx.x * 64 + t] = a[(blockIdx.x + 1) % n * 64 + t];
  __syncthreads();
  if (t == 0) { __threadfence(); atomicAdd(&c, 1); while (atomicAdd(&c, 0) < 2 * n); __threadfence(); }
  __syncthreads();
  a[blockIdx.x * 64 + t] = o[(blockIdx.x + 1) % n * 64 + t];
}
)";
  decide({{"k.cu", twice, 0}, {"k.cu", twice, 3, "messages through 'c'", {"--blockDim=64", "--gridDim=*"}, true}});
}

// A load of a counter to which any amounts are added adds nothing.
TEST(Tickets, are_none_where_a_counter_of_amounts_is_read) {
  decide({{"k.cu",
           "__device__ unsigned c; __global__ void k(int *o, unsigned n) { int i = blockIdx.x * 64 + threadIdx.x;"
           " atomicAdd(&c, n); while (*(volatile unsigned *)&c < 5); o[i] = 1; }",
           0}});
}

TEST(Preconditions, of_blocks_of_one_thread_are_met_by_threads_of_two_blocks) {
  decide({{"k.cu",
           "__global__ void k(int *o, int n) { __requires(n > 3); o[blockIdx.x] = 1; __syncthreads(); "
           "o[blockIdx.x] = n; }",
           0,
           "1 verified",
           {"--blockDim=1", "--gridDim=4"},
           true}});
}

// An atomic operation at an address that is no multiple of its bytes is not atomic (PTX 9.7.13): none finds the others.
TEST(Tickets, of_the_last_group_are_aligned) {
  const std::string kernel = R"(
__global__ void k(float *part, float *out, char *c, int n) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    part[blockIdx.x] = n;
    __threadfence();
    last = atomicAdd((unsigned long long *)(c + 8), 1ull) == gridDim.x - 1;
  }
  __syncthreads();
  if (last) {
    __threadfence();
    if (threadIdx.x == 0) { float s = 0; for (int b = 0; b < gridDim.x; ++b) s += part[b]; out[0] = s; }
  }
})";
  const Changes narrow{{"unsigned long long", "unsigned"}, {"1ull", "1u"}};
  const auto at = [](const std::string& text, const char* place) { return decided(changed(text, {{"c + 8", place}})); };
  const std::string narrow_kernel = changed(kernel, narrow);
  EXPECT_EQ(at(kernel, "c + 8"), 0);
  EXPECT_EQ(at(kernel, "c + 4"), 3);
  EXPECT_EQ(at(kernel, "c + 12"), 3);
  EXPECT_EQ(at(narrow_kernel, "c + 4"), 0);
  EXPECT_EQ(at(narrow_kernel, "c + 2"), 3);
  EXPECT_EQ(at(narrow_kernel, "c + 1"), 3);
}

}  // namespace
}  // namespace fencepost::verifier

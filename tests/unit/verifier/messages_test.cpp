// Messages between blocks by flags, and counters that all wait for: each kernel that is right stands beside weakened
// ones, which must not be verified.
#include <gtest/gtest.h>

#include "clangfe/clangfe.h"
#include "verifier/service.h"

namespace fencepost::verifier {
namespace {

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what << " in " << text;
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

int exit_code(const std::string& text, bool opencl, std::vector<std::string> more, std::string* said = nullptr) {
  std::vector<std::string> words = opencl ? std::vector<std::string>{"--local_size=64", "--num_groups=4", "--std=CL2.0"}
                                          : std::vector<std::string>{"--blockDim=64", "--gridDim=4"};
  const size_t own = words.size();
  words.insert(words.end(), more.begin(), more.end());
  const auto o = launch::parse(words, nullptr, nullptr, own);
  EXPECT_TRUE(o);
  const launch::Answer a = answer(*o, make_source(opencl ? "k.cl" : "k.cu", text));
  if (said != nullptr) *said = a.out + a.err;
  return a.exit_code;
}

struct Change {
  const char *what, *by;
};

// The kernel is verified; each change of it is not.
void only(const std::string& text, const std::vector<Change>& changes, bool opencl = false,
          const std::vector<std::string>& words = {}) {
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  std::string said;
  EXPECT_EQ(exit_code(text, opencl, words, &said), 0) << text << "\n" << said;
  for (const Change& c : changes) {
    const std::string weaker = replaced(text, c.what, c.by);
    const int code = exit_code(weaker, opencl, words, &said);
    EXPECT_TRUE(code == 1 || code == 3) << code << " " << weaker << "\n" << said;
  }
}

std::string between(const std::string& writer, const std::string& reader, const std::string& before = "") {
  return before +
         "__global__ void k(int *flag, int *data, int *out) { int t = threadIdx.x, g = blockIdx.x; if (t == 0) {" +
         "if (g == 0) { " + writer + " } else if (g == 1) { " + reader + " } } }";
}

TEST(Messages, by_fences_and_a_volatile_flag) {
  only(between("data[0] = 42; __threadfence(); *(volatile int *)flag = 1;",
               "while (*(volatile int *)flag != 1); __threadfence(); out[0] = data[0];"),
       {{"__threadfence(); *", "*"},
        {"__threadfence(); out", "out"},
        {"__threadfence(); *", "__threadfence_block(); *"},
        {"__threadfence(); out", "__threadfence_block(); out"},
        {"*(volatile int *)flag = 1", "*flag = 1"},
        {"*(volatile int *)flag = 1", "((volatile int *)flag)[1] = 1"},
        {"*(volatile int *)flag = 1;", "*(volatile int *)flag = 1; data[0] = 43;"},
        {"data[0] = 42; __threadfence(); *(volatile int *)flag = 1;",
         "__threadfence(); *(volatile int *)flag = 1; data[0] = 42;"},
        {"!= 1", "== 1"},
        {"while (*(volatile int *)flag != 1);", ""},
        {"else if (g == 1)", "else if (g == 2) *(volatile int *)flag = 1; else if (g == 1)"},
        {"if (g == 0)", "if (g != 1)"}});
  only(between("data[0] = 42; __threadfence(); *(volatile int *)flag = 1;",
               "while (*(volatile int *)flag != 1); __threadfence(); out[0] = data[0];")
           .replace(0, 0, ""),
       {{"*(volatile int *)flag = 1", "*(volatile short *)flag = 1"}});
}

// What a shared array holds that nobody writes is not the same in another block: who writes the flag is one more.
TEST(Messages, shared_arrays_of_two_blocks_differ) {
  const std::string text =
      "__global__ void k(int *flag, int *data, int *out, const int *in) { __shared__ int s[4];"
      "int g = blockIdx.x; if (threadIdx.x != 0) return; if (g == 0) { data[0] = 1; __threadfence();"
      "atomicExch(flag, 1); } else if (g == 1) { while (atomicAdd(flag, 0) != 1); __threadfence();"
      "if (in[0] == 0) out[0] = data[0]; } else if (in[0] != 0) atomicExch(flag, 1); }";
  only(text, {{"in[0] != 0", "s[0] != 0"}, {"in[0] == 0", "s[0] == 0"}, {"in[0] == 0", "in[0] == 1"}});
  std::string said;
  EXPECT_EQ(exit_code(replaced(replaced(text, "in[0] != 0", "s[0] != 0"), "in[0] == 0", "s[0] == 0"), false, {}, &said),
            3)
      << said;
}

TEST(Messages, what_they_rest_on_is_said) {
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  const std::string text = between("data[0] = 42; __threadfence(); *(volatile int *)flag = 1;",
                                   "while (*(volatile int *)flag != 1); __threadfence(); out[0] = data[0];");
  std::string said;
  EXPECT_EQ(exit_code(text, false, {}, &said), 0);
  EXPECT_NE(said.find("the counter flag is 0 when the kernel starts"), std::string::npos) << said;
  EXPECT_NE(said.find("volatile accesses to flag"), std::string::npos) << said;
  EXPECT_EQ(exit_code(text, false, {"--strict"}), 3);
}

TEST(Messages, by_orders_of_atomics) {
  const std::string head = "#include <cuda/atomic>\n";
  const std::string f = "cuda::atomic_ref<int, cuda::thread_scope_device> f(*flag); ";
  only(between(f + "data[0] = 42; f.store(1, cuda::memory_order_release);",
               f + "while (f.load(cuda::memory_order_acquire) != 1); out[0] = data[0];", head),
       {{"memory_order_release", "memory_order_relaxed"},
        {"memory_order_acquire", "memory_order_relaxed"},
        {"thread_scope_device", "thread_scope_block"}});
  only(between(
           "data[0] = 42; asm volatile(\"st.release.gpu.global.s32 [%0], %1;\" :: \"l\"(flag), \"r\"(1) : \"memory\");",
           "int v; do { asm volatile(\"ld.acquire.gpu.global.s32 %0, [%1];\" : \"=r\"(v) : \"l\"(flag) : \"memory\"); }"
           "while (v != 1); out[0] = data[0];"),
       {{"st.release.gpu", "st.relaxed.gpu"},
        {"ld.acquire.gpu", "ld.acquire.cta"},
        {"st.release.gpu", "st.release.cta"}});
}

TEST(Messages, of_opencl) {
  const std::string text =
      "kernel void k(global atomic_int *flag, global int *data, global int *out) { int t = get_local_id(0),"
      "g = get_group_id(0); if (t == 0) { if (g == 0) { data[0] = 42; "
      "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);"
      "atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device); } else if (g == 1) {"
      "while (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) != 1); out[0] = data[0]; } } }";
  only(text,
       {{"memory_order_release, memory_scope_device", "memory_order_release, memory_scope_work_group"},
        {"memory_order_release", "memory_order_acquire"},
        {"CLK_GLOBAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE"},
        {"memory_order_acquire, memory_scope_device", "memory_order_relaxed, memory_scope_device"},
        {"memory_order_acquire, memory_scope_device", "memory_order_acquire, memory_scope_work_group"}},
       true);
}

TEST(Messages, of_whole_blocks) {
  only(
      "__global__ void k(volatile int *flag, int *data, int *out) { int t = threadIdx.x, g = blockIdx.x;"
      "if (g == 0) { data[t] = t; __syncthreads(); if (t == 0) { __threadfence(); flag[0] = 1; } }"
      "else if (g == 1) { if (t == 0) { while (flag[0] != 1); __threadfence(); } __syncthreads(); out[t] = data[63 - "
      "t]; } }",
      {{"__syncthreads(); if", "if"},
       {"__syncthreads(); out", "out"},
       {"__threadfence(); flag", "flag"},
       {"__threadfence(); }", "}"}});
}

TEST(Messages, back_and_forth_and_in_chains) {
  const std::string f = "cuda::atomic_ref<int, cuda::thread_scope_device> f(*flag); ";
  only(between(f + "data[0] = 42; f.store(1, cuda::memory_order_release);"
                   "while (f.load(cuda::memory_order_acquire) != 2); data[0] = 43;",
               f + "while (f.load(cuda::memory_order_acquire) != 1); out[0] = data[0]; "
                   "f.store(2, cuda::memory_order_release);",
               "#include <cuda/atomic>\n"),
       {{"out[0] = data[0]; f.store(2, cuda::memory_order_release);",
         "f.store(2, cuda::memory_order_release); out[0] = data[0];"},
        {"!= 2", "!= 1"},
        {"f.store(2, cuda::memory_order_release)", "f.store(2, cuda::memory_order_relaxed)"}});
  only(
      "__global__ void k(volatile int *flag, int *data) { int g = blockIdx.x; if (threadIdx.x == 0) {"
      "if (g > 0) { while (flag[g - 1] == 0); __threadfence(); data[g] = data[g - 1] + 1; } else data[0] = 1;"
      "__threadfence(); flag[g] = 1; } }",
      {{"data[g - 1]", "data[(g + 1) & 3]"},
       {"__threadfence(); flag[g] = 1;", "flag[g] = 1; __threadfence();"},
       {"flag[g - 1]", "flag[g & 1]"},
       {"flag[g] = 1", "flag[g & 2] = 1"}});
}

// Decoupled look-back: a value is handed on in two steps, by a flag of two values, in an order that tickets give.
TEST(Messages, look_back) {
  only(
      "struct S { volatile int flag, agg, pre; }; __device__ int ticket;"
      "__global__ void k(const int *in, int *out, S *st) { __shared__ int b, sum; if (threadIdx.x == 0)"
      "b = atomicAdd(&ticket, 1); __syncthreads(); int v = in[b * 64 + threadIdx.x]; int tot = __syncthreads_count(v);"
      "if (threadIdx.x == 0) { st[b].agg = tot; __threadfence(); st[b].flag = 1; int p = 0;"
      "for (int j = b - 1; j >= 0; j--) { int f; while ((f = st[j].flag) == 0); __threadfence();"
      "if (f == 2) { p += st[j].pre; break; } p += st[j].agg; }"
      "st[b].pre = p + tot; __threadfence(); st[b].flag = 2; sum = p; } __syncthreads();"
      "out[b * 64 + threadIdx.x] = sum + v; }",
      {{"st[b].agg = tot; __threadfence();", "st[b].agg = tot;"},
       {"st[b].pre = p + tot; __threadfence();", "st[b].pre = p + tot;"},
       {"== 0); __threadfence();", "== 0);"},
       {"f == 2", "f == 1"},
       {"st[b].pre = p + tot; __threadfence(); st[b].flag = 2;",
        "st[b].flag = 2; __threadfence(); st[b].pre = p + tot;"},
       {"p += st[j].agg;", "p += st[j].agg + st[j].pre;"}});
}

// Blocks that are ordered one after the other do not see the same contents.
TEST(Messages, contents_change_from_turn_to_turn) {
  only(
      "__global__ void k(int *turn, int *c, int *d) { int t = threadIdx.x; if (t == 0) {"
      "while (atomicAdd(turn, 0) != blockIdx.x); __threadfence(); } __syncthreads(); int v = c[0]; __syncthreads();"
      "if (t == 0) { c[0] = v + 1; __threadfence(); atomicExch(turn, blockIdx.x + 1); }"
      "if (t == 0 && v == blockIdx.x) d[blockIdx.x] = 1; }",
      {{"d[blockIdx.x] = 1", "d[0] = blockIdx.x"}});
}

// Blocks take turns: each waits for its number, and hands on the next one.
TEST(Messages, turns) {
  only(
      "__global__ void k(int *turn, float *c) { int t = threadIdx.x; if (t == 0) { while (atomicAdd(turn, 0) != "
      "blockIdx.x);"
      "__threadfence(); } __syncthreads(); c[t] += 1; __threadfence(); __syncthreads();"
      "if (t == 0) atomicExch(turn, blockIdx.x + 1); }",
      {{"__threadfence(); __syncthreads();if", "__syncthreads(); if"},
       {"__threadfence(); __syncthreads();if", "__threadfence(); if"},
       {"__threadfence(); } __sync", "} __sync"},
       {"} __syncthreads(); c", "} c"},
       {"blockIdx.x + 1", "blockIdx.x + 2"},
       {"blockIdx.x + 1", "1"},
       {"!= blockIdx.x", "< blockIdx.x"},
       {"!= blockIdx.x", "!= blockIdx.x / 2"},
       {"atomicExch(turn, blockIdx.x + 1);", "atomicExch(turn, blockIdx.x + 1); c[t] = 0;"},
       {"if (t == 0) atomicExch", "atomicExch(turn, 0); if (t == 0) atomicExch"},
       {"atomicAdd(turn, 0)", "atomicAdd(turn + 1, 0)"}},
      false, {"--model=ptx"});
  // By the fence of the thread that hands on: of C++ as well.
  only(
      "__global__ void k(int *turn, float *c) { int t = threadIdx.x; if (t == 0) { while (atomicAdd(turn, 0) != "
      "blockIdx.x);"
      "__threadfence(); } __syncthreads(); c[t] += 1; __syncthreads();"
      "if (t == 0) { __threadfence(); atomicExch(turn, blockIdx.x + 1); } }",
      {{"__threadfence(); atomic", "atomic"},
       {"__syncthreads();if (t == 0) { __threadfence();", "__threadfence(); __syncthreads(); if (t == 0) {"},
       {"blockIdx.x + 1", "blockIdx.x + 2"}});
  only(
      "__device__ int next, turn; __global__ void k(float *c) { if (threadIdx.x == 0) { int my = atomicAdd(&next, 1);"
      "while (*(volatile int *)&turn != my); __threadfence(); c[0] += 1; __threadfence(); *(volatile int *)&turn = my "
      "+ 1; } }",
      {{"__threadfence(); *(", "*("},
       {"my); __threadfence();", "my);"},
       {"my + 1", "my + 2"},
       {"&next, 1", "&next, 0"},
       {"c[0] += 1; __threadfence(); *(volatile int *)&turn = my + 1;",
        "__threadfence(); *(volatile int *)&turn = my + 1; c[0] += 1;"}});
}

TEST(Messages, counters_that_all_wait_for) {
  const std::vector<std::string> ptx{"--model=ptx"};  // each thread's fences, and no thread's beside the counter
  const std::string head =
      "__device__ unsigned n; __device__ volatile int go; __global__ void k(int *a, int *b) {"
      "int i = blockIdx.x * 64 + threadIdx.x; a[i] = i; ";
  only(head +
           "__threadfence(); __syncthreads(); if (threadIdx.x == 0) { atomicAdd(&n, 1u);"
           "while (atomicAdd(&n, 0u) < gridDim.x); } __syncthreads(); __threadfence(); b[i] = a[255 - i]; }",
       {{"__threadfence(); __syncthreads(); if", "__syncthreads(); if"},
        {"__threadfence(); __syncthreads(); if", "__threadfence_block(); __syncthreads(); if"},
        {"__threadfence(); __syncthreads(); if", "__threadfence(); if"},
        {"__threadfence(); b", "b"},
        {"__syncthreads(); __threadfence(); b", "__threadfence(); b"},
        {"< gridDim.x", "< gridDim.x - 1"},
        {"< gridDim.x", "<= 0"},
        {"threadIdx.x == 0", "threadIdx.x < 2"},
        {"&n, 1u", "&n, 2u"},
        {"atomicAdd(&n, 1u);", "atomicAdd(&n, 1u); atomicAdd(&n, 1u);"},
        {"__threadfence(); b", "n = 0; __threadfence(); b"},
        {"int *b) {", "int *b) { if (threadIdx.x == 5) n = 7;"},
        {"b[i] = a[255 - i];", "b[i] = a[255 - i]; a[i] = 0;"}},
       false, ptx);
  only(head +
           "__threadfence(); __syncthreads(); if (threadIdx.x == 0) { atomicAdd(&n, 1u);"
           "while (*(volatile unsigned *)&n < gridDim.x); __threadfence(); } __syncthreads(); b[i] = a[255 - i]; }",
       {{"__threadfence(); } __sync", "} __sync"}, {"__threadfence(); __syncthreads(); if", "__syncthreads(); if"}},
       false, ptx);
  // By the fences of the thread that counts: of C++ as well.
  only(head +
           "__syncthreads(); if (threadIdx.x == 0) { __threadfence(); atomicAdd(&n, 1u);"
           "while (*(volatile unsigned *)&n < gridDim.x); __threadfence(); } __syncthreads(); b[i] = a[255 - i]; }",
       {{"__threadfence(); } __sync", "} __sync"},
        {"__threadfence(); atomic", "atomic"},
        {"__syncthreads(); if (threadIdx.x == 0) { __threadfence(); atomic",
         "__threadfence(); __syncthreads(); if (threadIdx.x == 0) { atomic"},
        {"__threadfence(); } __syncthreads();", "} __syncthreads(); __threadfence();"}});
  // Twice, by a counter that goes on.
  const std::string wait =
      "__device__ void all(unsigned *n, unsigned to) { __threadfence(); __syncthreads(); if (threadIdx.x == 0) {"
      "atomicAdd(n, 1u); while (*(volatile unsigned *)n < to); } __syncthreads(); __threadfence(); }";
  only(wait + head + "all(&n, gridDim.x); b[i] = a[255 - i]; all(&n, 2 * gridDim.x); a[i] = b[255 - i]; }",
       {{"2 * gridDim.x", "gridDim.x"},
        {"all(&n, gridDim.x)", "all(&n, gridDim.x - 1)"},
        {"2 * gridDim.x", "2 * gridDim.x - 1"},
        {"atomicAdd(n, 1u)", "atomicAdd(n, 2u)"},
        {"all(&n, 2", "if (threadIdx.x == 0) atomicAdd(&n, 3u); all(&n, 2"},
        {"all(&n, 2", "if (threadIdx.x == 0) n = 0; all(&n, 2"},
        {"__syncthreads(); __threadfence(); }", "__threadfence(); }"}},
       false, ptx);
  // The last one frees the others.
  only(head +
           "__syncthreads(); if (threadIdx.x == 0) { __threadfence(); if (atomicAdd(&n, 1u) == gridDim.x - 1) {"
           "__threadfence(); go = 1; } else while (go == 0); __threadfence(); } __syncthreads(); b[i] = a[255 - i]; }",
       {{"__threadfence(); go = 1", "go = 1"},
        {"gridDim.x - 1", "gridDim.x - 2"},
        {"__threadfence(); if", "if"},
        {"__threadfence(); } __sync", "} __sync"},
        {"go = 1; }", "go = 1; } else if (blockIdx.x == 3) go = 1;"}});
}

}  // namespace
}  // namespace fencepost::verifier

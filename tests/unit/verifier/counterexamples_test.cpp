// Kernels that a lemma or a reading of the language would verify wrongly if one of its conditions were dropped. Each is
// decided as its author says; next to most stands one that is right, so that a refusal of everything does not pass.
#include <gtest/gtest.h>

#include <chrono>

#include "clangfe/clangfe.h"
#include "verifier/service.h"

namespace fencepost::verifier {
namespace {

struct Case {
  const char *name, *options, *text;
  int exit_code;          // 0 verified, 1 defect, 3 not decided
  const char* says = "";  // on either stream
};

launch::Answer ask(const Case& c) {
  std::vector<std::string> words;
  std::string word;
  for (const char* p = c.options;; ++p) {
    if (*p != ' ' && *p != 0) {
      word += *p;
      continue;
    }
    if (!word.empty()) words.push_back(word);
    word.clear();
    if (*p == 0) break;
  }
  const auto o = launch::parse(words);
  EXPECT_TRUE(o) << c.name << (o ? "" : render(o.error()));
  return answer(*o, make_source(c.name, c.text));
}

void decide(const std::vector<Case>& cases) {
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  for (const Case& c : cases) {
    const launch::Answer a = ask(c);
    EXPECT_EQ(a.exit_code, c.exit_code) << c.name << "\n" << c.text << "\n" << a.out << a.err;
    EXPECT_NE((a.out + a.err).find(c.says), std::string::npos) << c.name << ": " << a.out << a.err;
  }
}

constexpr const char *k_cuda = "--blockDim=64 --gridDim=4", *k_block = "--blockDim=64 --gridDim=1",
                     *k_cl = "--local_size=64 --num_groups=4", *k_group = "--local_size=64 --num_groups=1",
                     *k_cl2 = "--local_size=64 --num_groups=4 --std=CL2.0";

TEST(Counterexamples, counters_that_are_put_back_give_a_position_twice) {
  const std::string head =
      "__global__ void k(int *out, int m) { __shared__ int n; int t = threadIdx.x; if (t == 0) n = 0; __syncthreads();";
  const std::string twice = head +
                            "int a = atomicAdd(&n, 1); __syncthreads(); %; __syncthreads(); int b = atomicAdd(&n, 1); "
                            "out[t < 32 ? a : b] = t; }";
  const auto with = [&](std::string text, const std::string& reset) { return text.replace(text.find('%'), 1, reset); };
  const std::string plain = with(twice, "if (t == 0) n = 0"), fill = with(twice, "if (t == 0) memset(&n, 0, 4)"),
                    exchange = with(twice, "if (t == 0) atomicExch(&n, 0)"), back = with(twice, "atomicSub(&n, 1)"),
                    narrow = with(twice, "if (t == 0) ((short *)&n)[0] = 0"), nothing = with(twice, "");
  const std::string loop =
      head +
      "int b = atomicAdd(&n, 1), a = b; __syncthreads();"
      "for (int i = 0; i < m; i++) { a = atomicAdd(&n, 1); __syncthreads(); if (t == 0) n = 0; __syncthreads(); }"
      "out[t < 32 ? a : b] = t; }";
  const std::string rounds =
      "__global__ void k(const int *in, int *out, int m) { __shared__ int n; int t = threadIdx.x;"
      "for (int i = 0; i < m; i++) { if (t == 0) n = 0; __syncthreads();"
      "if (in[i * 64 + t] > 0) out[i * 64 + atomicAdd(&n, 1)] = t; __syncthreads(); } }";
  decide(
      {{"plain.cu", k_block, plain.c_str(), 1},
       {"fill.cu", k_block, fill.c_str(), 1},
       {"exchange.cu", k_block, exchange.c_str(), 1},
       {"back.cu", k_block, back.c_str(), 1},
       {"narrow.cu", k_block, narrow.c_str(), 1},
       {"loop.cu", k_block, loop.c_str(), 1},
       {"nothing.cu", k_block, nothing.c_str(), 0},
       {"wraps.cu", k_block,
        "__global__ void k(int *o) { __shared__ unsigned n; if (threadIdx.x == 0) n = 0; __syncthreads(); "
        "o[atomicInc(&n, 31)] = threadIdx.x; }",
        1},
       {"large.cu", k_block,
        "__global__ void k(int *o) { __shared__ unsigned n; if (threadIdx.x == 0) n = 0; __syncthreads(); "
        "o[atomicAdd(&n, 0x80000000u)] = threadIdx.x; }",
        1},
       {"copy.cl", k_group,
        "kernel void k(global int *out, global int *z) { local int n[4]; int t = get_local_id(0); if (t < 4) n[t] = 0;"
        "barrier(CLK_LOCAL_MEM_FENCE); int a = atomic_inc(n); barrier(CLK_LOCAL_MEM_FENCE);"
        "event_t e = async_work_group_copy(n, z, 4, 0); wait_group_events(1, &e); barrier(CLK_LOCAL_MEM_FENCE);"
        "int b = atomic_inc(n); out[t < 32 ? a : b] = t; }",
        1}});
  // The positions of one round are apart; those of two rounds are by the 64 of a round.
  const launch::Answer a = ask({"rounds.cu", k_block, rounds.c_str(), 0});
  EXPECT_NE(a.exit_code, 4) << a.err;
}

// 64 threads take 128 times 2^20 and once more: the counter of 32 bits wraps, twice.
TEST(Counterexamples, counters_that_come_round_give_a_position_twice) {
  const auto kernel = [](const std::string& body) {
    return "kernel void k(global uint *o, volatile global uint *c, uint n) { uint t = get_local_id(0); " + body + " }";
  };
  const std::string take = " uint a = atomic_add(c, 1u << 20); o[a >> 20] = t;";
  const std::string round = kernel("for (uint i = 0; i < 128; i++) atomic_add(c, 1u << 20);" + take),
                    stays = kernel("for (uint i = 0; i < 31; i++) atomic_add(c, 1u << 20);" + take),
                    just = kernel("for (uint i = 0; i < 63; i++) atomic_add(c, 1u << 20);" + take),
                    one_more = kernel("for (uint i = 0; i < 64; i++) atomic_add(c, 1u << 20);" + take),
                    last = kernel("uint i = 0; do { atomic_add(c, 1u << 20); } while (++i < 128);" + take),
                    down = kernel(
                        "for (uint i = 128; i > 0; i--) atomic_sub(c, 1u << 20);"
                        "uint a = atomic_sub(c, 1u << 20); o[a >> 20] = t;"),
                    doubling = kernel(
                        "for (uint i = 1; i < (1u << 30); i *= 2) for (uint j = 0; j != 8; j++) "
                        "atomic_add(c, 1u << 20);" +
                        take),
                    nested = kernel(
                        "for (uint i = 0; i < 8; i++) for (uint j = t; j < 1024; j += 64) "
                        "atomic_add(c, 1u << 20);" +
                        take),
                    narrow = kernel("for (uint i = 0; i < n; i++) atomic_add(c, 1u << 20);" + take),
                    guarded = kernel("for (uint i = 0; i < 128; i++) if (i & n) atomic_add(c, 1u << 20);" + take),
                    within =
                        kernel("for (uint i = 0; i < 63; i++) { uint a = atomic_add(c, 1u << 20); o[a >> 20] = t; }"),
                    few = kernel(
                        "for (uint i = 0; i < 31; i++) atomic_add(c, 1u); uint a = atomic_add(c, 1u); o[a] = t;"),
                    both = kernel(
                        "for (uint i = 0; i < n; i++) for (uint j = 0; j < 128; j++) atomic_add(c, 1u << 20);" + take);
  const std::string called = "uint f(volatile global uint *c) { return atomic_add(c, 1u << 20); }" +
                             kernel("for (uint i = 0; i < 128; i++) f(c); uint a = f(c); o[a >> 20] = t;");
  decide({{"round.cl", k_group, round.c_str(), 1},
          {"stays.cl", k_group, stays.c_str(), 0},
          {"just.cl", k_group, just.c_str(), 0},
          {"one_more.cl", k_group, one_more.c_str(), 1},
          {"last.cl", k_group, last.c_str(), 1},
          {"down.cl", k_group, down.c_str(), 1},
          {"doubling.cl", k_group, doubling.c_str(), 1},
          {"nested.cl", k_group, nested.c_str(), 1},
          {"within.cl", k_group, within.c_str(), 0},
          {"called.cl", k_group, called.c_str(), 1},
          {"guarded.cl", k_group, guarded.c_str(), 1},
          {"both.cl", k_group, both.c_str(), 1},
          {"narrow.cl", k_group, narrow.c_str(), 0, "does not come round"},
          {"any.cl", "--local_size=* --num_groups=1", few.c_str(), 0, "does not come round"}});
  for (const std::string& text : {stays, just, within}) {
    const launch::Answer a = ask({"computed.cl", k_group, text.c_str(), 0});
    EXPECT_EQ((a.out + a.err).find("come round"), std::string::npos) << text << a.err;
  }
}

// An atomic load changes nothing: what it gives is no ticket, and a lock that is looked at first is still one.
TEST(Counterexamples, atomic_loads_are_no_writers) {
  const auto counter = [](const std::string& take) {
    return "kernel void k(global uint *o, volatile global atomic_uint *c) { uint t = get_local_id(0);"
           "uint a = atomic_fetch_add(c, 1); uint b = atomic_load(c); " +
           take + " }";
  };
  const std::string ticket = counter("o[a] = t;"), look = counter("o[b] = t;"),
                    mixed = counter("o[t & 1 ? a : b] = t;");
  const auto lock = [](const std::string& give) {
    return "kernel void k(global int *g, volatile global atomic_int *l) { if (get_local_id(0) == 0) { int free = 0;"
           "while (true) { if (atomic_load_explicit(l, memory_order_relaxed, memory_scope_device) == 0) { free = 0; "
           "if (atomic_compare_exchange_strong(l, &free, 1)) break; } } g[0] += 1; " +
           give + " } }";
  };
  const std::string held = lock("atomic_store(l, 0);"), torn = lock("atomic_store(l, 2);"),
                    weak = lock("atomic_store_explicit(l, 0, memory_order_relaxed, memory_scope_device);");
  decide({{"ticket.cl", k_cl2, ticket.c_str(), 0},
          {"look.cl", k_cl2, look.c_str(), 1},
          {"mixed.cl", k_cl2, mixed.c_str(), 1},
          {"held.cl", k_cl2, held.c_str(), 0},
          {"torn.cl", k_cl2, torn.c_str(), 3},  // one thread takes it, and none after it: no race
          {"weak.cl", k_cl2, weak.c_str(), 1}});
}

TEST(Counterexamples, locks_protect_up_to_a_barrier_and_by_one_place) {
  const auto kernel = [](const std::string& body) {
    return "__global__ void k(int *l, int *m, int *g, int *out) { __shared__ int s; int t = threadIdx.x; " + body +
           " }";
  };
  const std::string take = "while (atomicCAS(l, 0, 1) != 0); __threadfence(); ",
                    give = " __threadfence(); atomicExch(l, 0); ";
  const std::string right = kernel("if (t == 0) { " + take + "g[0] += 1;" + give + "}");
  const std::string across =
      kernel("int x; if (t == 0) {" + take + "} __syncthreads(); if (t == 0) { x = g[0]; g[0] = x + 1;" + give +
             "out[0] = x; }");
  const std::string in_loop =
      kernel("if (t == 0) {" + take + "int x = 0; for (int i = 0; i < 4; i++) { x = g[0]; g[0] = x + 1; }" + give +
             "out[0] = x; }");
  const std::string master =
      kernel("if (t == 1) {" + take + "s = 5;" + give + "} if (t == 0) { int v = atomicAdd(m, 1); " + take + "s = v;" +
             give + "} __syncthreads(); if (t == 2) out[s] = blockIdx.x;");
  const std::string several = kernel("if (t % 32 == 0) { int *p = l; l += t / 32; " + take + "g[0] += 1;" + give + "}");
  const std::string own = kernel(
      "if (t == 0) { while (atomicCAS(&s, 0, 1) != 0); __threadfence(); g[0] += 1; __threadfence(); atomicExch(&s, 0); "
      "}");
  const std::string late = kernel("if (t == 0) {" + take + give + "g[0] += 1; }");
  // A lock that is held across a barrier is not proved to be one. It may still order what is between its attempt and
  // its release, but not what follows the release. The guard keeps runs on small launches from finding the race.
  const std::string rare = "if (t == 0 && m[0] == 12345678) {";
  const std::string behind = kernel(rare + take + "} __syncthreads(); " + rare + give + "g[0] += 1; }");
  const std::string between = kernel(rare + take + "} __syncthreads(); " + rare + "g[0] += 1;" + give + "}");
  decide({{"right.cu", k_cuda, right.c_str(), 0},
          {"between.cu", k_cuda, between.c_str(), 3},
          {"behind.cu", k_cuda, behind.c_str(), 1},
          {"across.cu", k_cuda, across.c_str(), 3},  // whether the lock orders g is not decided
          {"in_loop.cu", k_cuda, in_loop.c_str(), 1},
          {"master.cu", k_cuda, master.c_str(), 1},
          {"several.cu", k_cuda, several.c_str(), 1},
          {"own.cu", k_cuda, own.c_str(), 1},
          {"late.cu", k_cuda, late.c_str(), 1}});
}

TEST(Counterexamples, asynchronous_copies_last_until_they_are_waited_for) {
  decide({{"alone.cl", "--local_size=1 --num_groups=4",
           "kernel void k(local int *a, global int *g, global int *o) { event_t e = async_work_group_copy(a, g, 16, 0);"
           "o[get_global_id(0)] = a[3]; wait_group_events(1, &e); }",
           1},
          {"waited.cl", "--local_size=1 --num_groups=4",
           "kernel void k(local int *a, global int *g, global int *o) { event_t e = async_work_group_copy(a, g, 16, 0);"
           "wait_group_events(1, &e); o[get_global_id(0)] = a[3]; }",
           0},
          {"loop.cl", k_cl,
           "kernel void k(global int *g, global int *o) { local int b[2][64]; for (int i = 0; i < 2; i++) {"
           "async_work_group_copy(b[i], g + 64 * i, 64, 0); barrier(CLK_LOCAL_MEM_FENCE); }"
           "o[get_global_id(0)] = b[0][63 - get_local_id(0)]; }",
           1, "race (confirmed by a run)"},  // by a run: the proof refuses copies that outlive an iteration
          {"rounds.cl", k_cl,
           "kernel void k(global const int *g, global int *o, int n) { local int b[64]; int l = get_local_id(0), s = 0;"
           "for (int i = 0; i < n; i++) { event_t e = async_work_group_copy(b, g + 64 * i, 64, 0); "
           "wait_group_events(1, &e);"
           "barrier(CLK_LOCAL_MEM_FENCE); s += b[63 - l]; barrier(CLK_LOCAL_MEM_FENCE); } o[get_global_id(0)] = s; }",
           0},
          {"source.cl", k_group,
           "kernel void k(global int *g, global int *o) { local int b[64]; int l = get_local_id(0);"
           "event_t e = async_work_group_copy(b, g, 64, 0); g[l] = 5; wait_group_events(1, &e); }",
           1}});
}

TEST(Counterexamples, what_the_language_calls_memory) {
  decide(
      {{"variable.cu", "--blockDim=* --gridDim=*",
        "__global__ void k(int *o, int d) { if ((&threadIdx.x)[d] < 2) __syncthreads(); }", 1},
       {"by_address.cu", k_cuda,
        "__global__ void k(int *o) { const unsigned *p = &threadIdx.x; o[blockIdx.x * 64 + p[0]] = 1; }", 0},
       {"dynamic.cu", k_cuda,
        "extern __shared__ int a[]; extern __shared__ char b[]; __global__ void k(int *o) { a[threadIdx.x] = 1; "
        "b[threadIdx.x] = 2; }",
        1},
       {"whole.cl", k_cl,
        "kernel void k(global float4 *p) { int g = get_global_id(0); float4 v = p[g / 2]; if (g & 1) v.x = g; else v.y "
        "= g; p[g / 2] = v; }",
        1},
       {"part.cl", k_cl,
        "kernel void k(global float4 *p) { int g = get_global_id(0); if (g & 1) p[g / 2].x = g; else p[g / 2].y = g; }",
        0},
       {"surface.cu", k_cuda, "__global__ void k(cudaSurfaceObject_t s) { surf2Dwrite((int)threadIdx.x, s, 0, 0); }",
        1},
       {"texels.cu", k_cuda,
        "__global__ void k(cudaSurfaceObject_t s) { surf2Dwrite((int)threadIdx.x, s, threadIdx.x * 4, blockIdx.x); }",
        0},
       {"clamped.cu", k_cuda,
        "__global__ void k(cudaSurfaceObject_t s) { surf2Dwrite(1, s, threadIdx.x * 4, blockIdx.x, "
        "cudaBoundaryModeClamp); }",
        3, "boundary mode"},
       {"bodiless.cu", k_cuda,
        "extern __device__ void scatter(int *p, int v); __global__ void k(int *o) { scatter(o, threadIdx.x); }", 3,
        "'scatter', which has no body"},
       {"pure.cu", k_cuda,
        "extern __device__ __attribute__((const)) int f(int); __global__ void k(int *o) { o[blockIdx.x * 64 + "
        "threadIdx.x] = f(1); }",
        0},
       {"variadic.cl", k_cl, "kernel void k(global int *p) { printf(\"%d\\n\", p[get_global_id(0)]); }", 0}});
}

TEST(Counterexamples, barriers_and_atomics_are_as_wide_as_they_say) {
  const std::string across =
      "kernel void k(global int *a, global int *o) { int l = get_local_id(0), g = get_global_id(0); a[g] = l;"
      "work_group_barrier(%); o[g] = a[get_group_id(0) * 64 + 63 - l]; }";
  const auto with = [&](const std::string& what) { return std::string(across).replace(across.find('%'), 1, what); };
  const std::string image = with("CLK_IMAGE_MEM_FENCE"), narrow = with("CLK_GLOBAL_MEM_FENCE, memory_scope_sub_group"),
                    item = with("CLK_GLOBAL_MEM_FENCE, memory_scope_work_item"),
                    right = with("CLK_GLOBAL_MEM_FENCE, memory_scope_work_group");
  decide({{"image.cl", k_cl2, image.c_str(), 1},
          {"narrow.cl", k_cl2, narrow.c_str(), 1},
          {"item.cl", k_cl2, item.c_str(), 1},
          {"right.cl", k_cl2, right.c_str(), 0},
          {"cluster.cu", k_cuda,
           "__global__ void k(unsigned *p) { asm volatile(\"red.relaxed.cluster.global.add.u32 [%0], 1;\" :: \"l\"(p) "
           ": \"memory\"); }",
           1},
          {"sizes.cu", k_cuda,
           "__global__ void k(unsigned *p) { if (threadIdx.x == 0) atomicAdd(p, 1u); else atomicAdd((unsigned long "
           "long *)p, 1ull); }",
           1},
          {"shifted.cu", k_cuda, "__global__ void k(char *p) { atomicAdd((int *)(p + 2 * (threadIdx.x & 1)), 1); }", 1},
          {"flags.cl", k_group,
           "kernel void k(local int *p, global int *o) { int l = get_local_id(0); if (l == 0) o[0] = p[0];"
           "barrier(l == 0 ? CLK_LOCAL_MEM_FENCE : 0); if (l == 1) p[0] = 1; }",
           1}});
}

TEST(Counterexamples, products_of_24_bits) {
  decide({{"high-bits.cu", k_block, "__global__ void k(int *o) { o[__mul24(threadIdx.x << 24, 1)] = threadIdx.x; }", 1},
          {"high-bits-unsigned.cu", k_block,
           "__global__ void k(int *o) { o[__umul24(threadIdx.x << 24, 1)] = threadIdx.x; }", 1},
          {"low-bits.cu", k_cuda,
           "__global__ void k(int *o) { o[__umul24(blockIdx.x, 64) + __mul24(threadIdx.x, 1)] = 1; }", 0},
          {"high-bits.cl", k_group,
           "kernel void k(global int *o) { o[mul24((int)get_local_id(0) << 24, 1)] = get_local_id(0); }", 1},
          {"high-bits-unsigned.cl", k_group,
           "kernel void k(global int *o) { o[mad24((uint)get_local_id(0) << 24, 1u, 1u)] = get_local_id(0); }", 1},
          {"low-bits.cl", k_cl,
           "kernel void k(global int *o) { o[mad24((int)get_group_id(0), 64, (int)get_local_id(0))] = 1; }", 0}});
}

TEST(Counterexamples, clamped_to_bounds_the_other_way_round) {
  decide(
      {{"wrong.cl", k_cl,
        "kernel void k(global int *o, int n) { int i = get_global_id(0); if (i < n) o[clamp(i, 1, n - 9) + i] = i; }",
        1},
       {"right.cl", k_cl,
        "kernel void k(global int *o, int n) { int i = get_global_id(0); if (i < n) o[clamp(i, 0, n - 1)] = i; }", 0}});
}

TEST(Counterexamples, sub_groups_are_of_no_known_size) {
  const char* leaders =
      "kernel void k(global const int *in, global int *out) { local int s[8]; int l = get_local_id(0);"
      "if (l % 32 == 0) s[get_sub_group_id()] = in[l]; barrier(CLK_LOCAL_MEM_FENCE); if (l == 0) out[get_group_id(0)] "
      "= s[0]; }";
  const char* elected =
      "kernel void k(global int *out) { local int s[64]; if (get_sub_group_local_id() == 0) s[get_sub_group_id()] = "
      "get_local_id(0);"
      "barrier(CLK_LOCAL_MEM_FENCE); if (get_local_id(0) == 0) out[get_group_id(0)] = s[0]; }";
  decide({{"leaders.cl", k_cl2, leaders, 1},
          {"leaders32.cl", "--local_size=64 --num_groups=4 --std=CL2.0 --sub-group-size=32", leaders, 0},
          {"elected.cl", k_cl2, elected, 0},
          // The last sub-group of 40 work items is smaller, so get_sub_group_size() is not one value.
          {"smaller.cl", "--local_size=40 --num_groups=1 --std=CL2.0 --sub-group-size=16",
           "kernel void k(global int *a) { a[0] = get_sub_group_size(); }", 1},
          {"largest.cl", "--local_size=40 --num_groups=1 --std=CL2.0 --sub-group-size=16",
           "kernel void k(global int *a) { a[0] = get_max_sub_group_size(); }", 0},
          {"smaller-barrier.cl", "--local_size=40 --num_groups=1 --std=CL2.0 --sub-group-size=16",
           "kernel void k(global int *a) { if (get_sub_group_size() == 16) barrier(CLK_LOCAL_MEM_FENCE); }", 1},
          {"printf.cl", k_cl2, "kernel void k(global int *a) { a[0] = printf(\"x\"); }", 1},
          {"apart.cl", k_cl2,
           "kernel void k(global int *o) { if (get_local_id(0) == 0) sub_group_barrier(CLK_GLOBAL_MEM_FENCE); "
           "o[get_global_id(0)] = 1; }",
           1},
          {"reduce.cl", k_cl2,
           "kernel void k(global int *o) { int x = 0; if (get_local_id(0) < 32) x = sub_group_reduce_add(1); "
           "o[get_global_id(0)] = x; }",
           1}});
}

TEST(Counterexamples, the_profile_says_what_pointers_are) {
  const char* null =
      "__global__ void k(const float *x, float *y, float *sum, int n) { int i = blockIdx.x * 64 + threadIdx.x;"
      "if (sum) atomicAdd(sum, x[i]); else y[n] = x[i]; }";
  const char* aligned =
      "__global__ void k(float *p, float v) { unsigned head = (16 - (unsigned long long)p % 16) % 16 / 4;"
      "if (head) if (threadIdx.x < 2 * head) p[threadIdx.x % head] = v + threadIdx.x; }";
  const char* wide =
      "extern __shared__ char s[]; __global__ void k(int *o) { *(size_t *)(s + 4 * threadIdx.x) = threadIdx.x; }";
  const char* arch =
      "__global__ void k(int *o) {\n#if __CUDA_ARCH__ >= 800\n o[0] = threadIdx.x;\n#else\n o[blockIdx.x * 64 + "
      "threadIdx.x] = 1;\n#endif\n}";
  const std::string reference = std::string(k_cuda) + " --profile=gpuverify";
  decide({{"null.cu", k_cuda, null, 1, "sum = null"},
          {"null.cu", reference.c_str(), null, 0},
          {"guarded.cu", k_cuda,
           "__global__ void k(const float *b, float *y) { int i = blockIdx.x * 64 + threadIdx.x; y[i] = b ? "
           "b[threadIdx.x] : 0; }",
           0},
          {"field.cu", k_cuda,
           "struct S { int *a, *b; }; __global__ void k(S s) { int i = blockIdx.x * 64 + threadIdx.x; if (s.b == 0) "
           "s.a[0] = i; else s.b[i] = 1; }",
           1},
          {"aligned.cu", k_cuda, aligned, 1},
          {"aligned.cu", reference.c_str(), aligned, 0},
          {"wide.cu", k_cuda, wide, 1},
          {"wide.cu", reference.c_str(), wide, 0},
          {"pairs.cu", k_cuda,
           "struct V { float x, y; }; __global__ void k(V *p) { int i = threadIdx.x; if (((size_t)p & 7) == 0) "
           "p[blockIdx.x * 64 + i].x = i; else p[i].x = blockIdx.x; }",
           1},
          {"below.cu", k_cuda,
           "__global__ void k(int *p, int *y) { int i = blockIdx.x * 64 + threadIdx.x; if (p > (int *)0) p[i] = i; "
           "else y[0] = i; }",
           1},
          {"alike.cu", k_cuda,
           "__global__ void k(int *a, int *b, int *y) { int i = blockIdx.x * 64 + threadIdx.x; if (a == b) y[0] = i; "
           "else y[i] = 1; }",
           3, "comparison of two pointer parameters"},
          {"swapped.cu", k_cuda,
           "__global__ void k(int *a, int *b, int n) { int i = blockIdx.x * 64 + threadIdx.x; int *p = n & 1 ? a : b; "
           "if (p == a) a[i] = 1; else b[i] = 2; }",
           0},
          {"arch.cu", k_cuda, arch, 1, "__CUDA_ARCH__ 800"},
          {"arch.cu", "--blockDim=64 --gridDim=4 --cuda-arch=700", arch, 0, "__CUDA_ARCH__ 700"}});
}

TEST(Counterexamples, preconditions_that_no_two_threads_meet_prove_nothing) {
  decide({{"pair.cu", k_block, "__global__ void k(int *o) { __global_requires(threadIdx.x < 1); o[0] = threadIdx.x; }",
           3, "vacuous"},
          {"none.cl", k_cl,
           "kernel void k(global int *o, int n) { __requires(n > 0); __requires(n < 0); o[0] = get_local_id(0); }", 3,
           "vacuous"},
          {"assumed.cl", k_group,
           "kernel void k(global int *o) { __assume(get_local_id(0) == 0); o[0] = get_global_id(0); }", 3, "vacuous"},
          {"one.cl", "--local_size=1 --num_groups=1",
           "kernel void k(global int *o, int n) { __requires(n > 0); o[0] = 1; }", 0}});
}

TEST(Counterexamples, replay_counts_into_the_time) {
  const auto begin = std::chrono::steady_clock::now();
  const launch::Answer a =
      ask({"long.cl", "--local_size=64 --num_groups=4 --timeout=5",
           "kernel void k(global int *a, int n) { int i = get_global_id(0); for (int k = 0; k < n; k++) { a[i] = k;"
           "barrier(CLK_LOCAL_MEM_FENCE); int x = a[i ^ 1]; barrier(CLK_LOCAL_MEM_FENCE); a[i] += x; } }",
           1});
  EXPECT_EQ(a.exit_code, 1);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), 12);
}

TEST(Counterexamples, strict_takes_nothing_for_granted) {
  const auto with = [](const char* options) { return std::string(k_cuda) + " --strict" + options; };
  const std::string strict = with(""), arch = with(" --cuda-arch=700");
  decide(
      {{"one.cu", strict.c_str(), "__global__ void k(int *o) { o[blockIdx.x * blockDim.x + threadIdx.x] = 1; }", 0},
       {"signed.cu", strict.c_str(), "__global__ void k(int *o, int n) { int t = threadIdx.x; o[t * n] = 1; }", 3,
        "signed numbers do not overflow"},
       {"two.cu", strict.c_str(),
        "__global__ void k(int *o, const int *i) { unsigned t = blockIdx.x * blockDim.x + threadIdx.x; o[t] = i[t]; }",
        3, "o, i are different arrays"},
       {"file.cu", strict.c_str(),
        "__device__ int g[256]; __global__ void k(const int *i) { unsigned t = blockIdx.x * blockDim.x + threadIdx.x; "
        "g[t] = i[t]; }",
        3, "are different arrays"},
       {"arch.cu", strict.c_str(),
        "#if __CUDA_ARCH__ < 900\n__global__ void k(int *o) { o[blockIdx.x * blockDim.x + threadIdx.x] = 1; }\n#endif",
        3, "__CUDA_ARCH__ is 700"},
       {"arch.cu", arch.c_str(),
        "#if __CUDA_ARCH__ < 900\n__global__ void k(int *o) { o[blockIdx.x * blockDim.x + threadIdx.x] = 1; }\n#endif",
        0},
       {"race.cu", strict.c_str(), "__global__ void k(int *o) { o[0] = threadIdx.x; }", 1}});
}

// The last block without a fence behind its ticket: by CUDA's guide, not by the document of PTX.
TEST(Counterexamples, a_verdict_names_its_model) {
  const char* text =
      "__device__ unsigned n; __global__ void k(int *p, int *o) { __shared__ bool last; if (threadIdx.x == 0) { "
      "p[blockIdx.x] = blockIdx.x; __threadfence(); last = atomicInc(&n, gridDim.x) == gridDim.x - 1; } "
      "__syncthreads(); "
      "if (last && threadIdx.x == 1) { int s = 0; for (int i = 0; i < gridDim.x; i++) s += p[i]; *o = s; } }";
  const std::string ptx = std::string(k_cuda) + " --model=ptx", wrong = std::string(k_cl) + " --model=ptx";
  decide({{"last.cu", k_cuda, text, 0, "Model: cuda\n"},
          {"last.cu", ptx.c_str(), text, 3, "the model ptx does not say that loads behind the last ticket"},
          {"k.cl", k_cl, "__kernel void k(__global int *a) { a[get_global_id(0)] = 1; }", 0, "Model: opencl\n"},
          {"k.cl", wrong.c_str(), "__kernel void k() {}", 2, "this model is not one of OpenCL C"}});
}

// Rows whose length is known at run time only; signed overflow is assumed absent, unsigned numbers wrap.
TEST(Counterexamples, rows_of_any_length) {
  const std::string head =
      "__global__ void k(int *o, int w, int h, unsigned u) { int x = blockIdx.x * blockDim.x + threadIdx.x, y = "
      "blockIdx.y * "
      "blockDim.y + threadIdx.y; ";
  struct Row {
    const char* text;
    bool right;
  };
  const Row rows[] = {
      {"if (x < w) o[y * w + x] = x + y; }", true},
      {"if (x < w) o[(size_t)y * w + x] = x + y; }", true},
      {"if (x < w && y < h) { int i = y * w + x; if (i < w * h) o[i] = x + y; } }", true},
      {"if (x < w) o[(y * w + x) * 3 + 1] = x + y; }", true},
      {"for (int z = 0; z < 4; z++) if (x < w && y < h) o[(z * h + y) * w + x] = x + y; }", true},
      {"if (x <= w) o[y * w + x] = x + y; }", false},
      {"if (x < w + 1) o[(size_t)y * w + x] = x + y; }", false},
      {"if (x < h) o[y * w + x] = x + y; }", false},
      {"if (x < w) o[y * h + x] = x + y; }", false},
      {"if (x < w) o[(y / 2) * w + x] = x + y; }", false},
      {"if (x < u) o[(unsigned)y * u + x] = x + y; }", false},  // only where that is not assumed to stay below 2^31
      {"o[y * w + x] = x + y; }", false},
      {"if (x < w && y < h) o[(x * h + y) * w + x] = x + y; }", true},
      // Three factors, in any order, or a plane that is computed before.
      {"for (int z = 0; z < 4; z++) if (x < w && y < h) o[z * w * h + y * w + x] = x + y; }", true},
      {"for (int z = 0; z < 4; z++) if (x < w && y < h) o[x + y * w + w * h * z] = x + y; }", true},
      {"int p = w * h; for (int z = 0; z < 4; z++) if (x < w && y < h) o[z * p + y * w + x] = x + y; }", true},
      {"for (int z = 0; z < 4; z++) if (x < w && y <= h) o[z * w * h + y * w + x] = x + y + z; }", false},
      {"for (int z = 0; z < 4; z++) if (x <= w && y < h) o[z * w * h + y * w + x] = x + y + z; }", false},
      {"for (int z = 0; z < 4; z++) if (x < w && y < h) o[z * w * w + y * w + x] = x + y + z; }", false},
      // Equal rests make x one number, and then y.
      {"if (x < w && y < h) o[(x * w + y) * w + x] = x + y; }", true},
  };
  for (const char* bits : {"--pointer-bitwidth=64", "--pointer-bitwidth=32"})
    for (const char* launch : {"--blockDim=[16,16] --gridDim=[8,8]", "--blockDim=[16,16] --gridDim=[*,*]"})
      for (const Row& r : rows) {
        const std::string text = head + r.text;
        const bool wraps = text.find("(unsigned)y") != std::string::npos;
        const std::string options = std::string(bits) + " " + launch + (wraps ? " --strict" : "");
        if (options.find("=32") != std::string::npos && text.find("size_t") != std::string::npos) continue;
        decide({{"rows.cu", options.c_str(), text.c_str(), r.right ? 0 : 1}});
      }
}

// What only an overflow of the source's own arithmetic shows is no race; what is one, a run without overflow shows.
TEST(Counterexamples, rows_do_not_overflow) {
  const std::string ids = "x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; ";
  const std::string wide = "__global__ void k(int *o, long long w, long long h) { long long " + ids;
  const std::string narrow = "__global__ void k(int *o, const int *i, int w, int h) { int " + ids;
  const std::string steps =
      "__global__ void k(int *o, int w, int h) {\n"
      "  for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < h; y += blockDim.y * %)\n"
      "    for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < w; x += blockDim.x * gridDim.x)\n"
      "      o[y * w + x] = x + y + 7 * blockIdx.y;\n}\n";
  const auto by = [&](const std::string& what) { return std::string(steps).replace(steps.find('%'), 1, what); };
  const char* fixed = "--blockDim=[8,8] --gridDim=[2,2]";
  const char* any = "--blockDim=[*,*] --gridDim=[*,*]";
  const std::tuple<const char*, std::string, int, const char*> rows[] = {
      {fixed, wide + "if (x < w) o[y * w + x] = x + y * 100; }", 0, ""},
      {any, wide + "if (x < w && y < h) o[y * w + x] = x + y * 100; }", 0, ""},
      {fixed, wide + "if (x <= w) o[y * w + x] = x + y * 100; }", 1, "confirmed"},
      {any, narrow + "if (x > 0 && x < w - 1 && y > 0 && y < h - 1) o[y * w + x] = i[y * w + x - 1]; }", 0, ""},
      {fixed, narrow + "if (x < w - 1) o[y * w + x] = o[y * w + x + 1]; }", 1, "confirmed"},
      {fixed, narrow + "if (x < w) o[(y * w + x) / 2] = x + y * 100; }", 1, "confirmed"},
      {fixed, narrow + "if (x < w && y < h) o[y * w + x * h] = x + y * 100; }", 1, "confirmed"},
      // Steps of unsigned numbers, in two dimensions.
      {any, by("gridDim.y"), 0, ""},
      {fixed, by("1"), 1, ""},
      {fixed, narrow + "if (x < w) o[x - y * w] = x + y * 100; }", 0, ""},
      {fixed, narrow + "if (x < w) o[2 * x - y * w] = x + y * 100; }", 1, "confirmed"},
  };
  for (const auto& [options, text, code, says] : rows) decide({{"rows.cu", options, text.c_str(), code, says}});
}

// Counters of 64 bits whose steps are the launch's, and what a counter of few bits does: it wraps.
TEST(Counterexamples, counters_of_loops_end) {
  const std::string head =
      "__global__ void k(int *o, % n) { for (% i = blockIdx.x * (%)blockDim.x + threadIdx.x; i < n; ";
  const auto of = [&](std::string type, const std::string& rest) {
    std::string t = head;
    for (size_t at; (at = t.find('%')) != std::string::npos;) t.replace(at, 1, type);
    return t + rest;
  };
  const char *any = "--blockDim=* --gridDim=*", *odd = "--blockDim=96 --gridDim=3";
  const std::string put = "o[i] = threadIdx.x + 7 * blockIdx.x; }", stride = "i += blockDim.x * gridDim.x) " + put;
  const std::tuple<const char*, std::string, int, const char*> loops[] = {
      {any, of("int", stride), 0, "does not pass 2^31 - 1"},
      {odd, of("int", stride), 0, "does not pass 2^31 - 1"},
      {any, of("size_t", "i += (size_t)blockDim.x * gridDim.x) " + put), 0, "makes fewer than 2^32 steps"},
      {odd, of("int", "i += blockDim.x) " + put), 1, ""},
      // So few bits come round soon.
      {odd,
       "__global__ void k(int *o, int n) { for (unsigned char c = threadIdx.x; c < n; c += 97) o[c] = threadIdx.x; }",
       1, ""},
  };
  for (const auto& [options, text, code, says] : loops) decide({{"loops.cu", options, text.c_str(), code, says}});
  // Nothing of the kind is taken for granted under --strict.
  const launch::Answer strict =
      ask({"loops.cu", "--blockDim=96 --gridDim=3 --strict", std::get<1>(loops[1]).c_str(), 1});
  EXPECT_NE(strict.exit_code, 0) << strict.out;
}

}  // namespace
}  // namespace fencepost::verifier

// Copies of one thread, bulk copies and the asynchronous proxy, barriers that lie in shared memory: each condition of
// prove/own_copies.cpp, prove/proxies.cpp and prove/mbarriers.cpp by itself, with what is true of the kernel.
#include "scenes.h"

namespace fencepost::verifier {
namespace {

// ---- groups of copies -------------------------------------------------------------------------------------------

const std::string k_copies =
    "#include <cuda_pipeline.h>\n"
    "#define COPY(i) __pipeline_memcpy_async(&s[i][t], &in[(i) * 64 + t], 4);\n"
    "#define COMMIT __pipeline_commit();\n"
    "#define WAIT(n) __pipeline_wait_prior(n); __syncthreads();\n"
    "#define ALL asm volatile(\"cp.async.wait_all;\" ::: \"memory\"); __syncthreads();\n"
    "#define USE(i) o[g] = s[i][63 - t];\n"
    "__global__ void k(const float *in, float *o, float *b, unsigned *c, int n, int m, int q) {"
    " __shared__ float s[8][64]; int t = threadIdx.x, g = blockIdx.x * 64 + t; ";

TEST(OwnCopies, groups_that_some_commit) {
  rows(k_copies, {
                     // A wait leaves the latest groups: whether one came behind it decides.
                     {"COPY(0) COMMIT COMMIT WAIT(1) USE(0)", 0},
                     {"COPY(0) COMMIT WAIT(1) USE(0)", 1},
                     {"COPY(0) COMMIT if (n) COMMIT WAIT(1) if (n) USE(0)", 0},
                     {"COPY(0) COMMIT if (n) COMMIT WAIT(1) if (!n) USE(0)", 1},
                     {"COPY(0) COMMIT if (n) COMMIT WAIT(1) USE(0)", 1},
                     {"COPY(0) COMMIT if (n) COMMIT if (!n) COMMIT WAIT(1) USE(0)", 0},
                     // Two of three.
                     {"COPY(0) COMMIT if (n) COMMIT if (m) COMMIT if (q) COMMIT WAIT(2) if (n && m) USE(0)", 0},
                     {"COPY(0) COMMIT if (n) COMMIT if (m) COMMIT if (q) COMMIT WAIT(2) if (n && q) USE(0)", 0},
                     {"COPY(0) COMMIT if (n) COMMIT if (m) COMMIT if (q) COMMIT WAIT(2) if (m && q) USE(0)", 0},
                     {"COPY(0) COMMIT if (n) COMMIT if (m) COMMIT if (q) COMMIT WAIT(2) if (n) USE(0)", 1},
                     {"COPY(0) COMMIT if (n) COMMIT if (m) COMMIT if (q) COMMIT WAIT(2) if (q) USE(0)", 1},
                     {"COPY(0) COMMIT if (n) COMMIT if (m) COMMIT if (q) COMMIT WAIT(2) if (n || m) USE(0)", 1},
                     {"COPY(0) COMMIT if (n) COMMIT if (m) COMMIT if (q) COMMIT WAIT(3) if (n && m && q) USE(0)", 0},
                     {"COPY(0) COMMIT if (n) COMMIT if (m) COMMIT if (q) COMMIT WAIT(3) if (n && m) USE(0)", 1},
                     {"COPY(0) COMMIT if (n) COMMIT if (m) COMMIT WAIT(0) USE(0)", 0},
                     // The second of two groups, and what is in none.
                     {"COPY(0) COMMIT COPY(1) COMMIT WAIT(1) USE(0)", 0},
                     {"COPY(0) COMMIT COPY(1) COMMIT WAIT(1) USE(1)", 1},
                     {"COPY(0) COMMIT COPY(1) WAIT(0) USE(0) COMMIT", 0},
                     {"COPY(0) COMMIT COPY(1) WAIT(0) USE(1) COMMIT", 1},
                     {"COPY(0) COPY(1) COMMIT WAIT(0) USE(1)", 0},
                     // Who waits, and who commits.
                     {"COPY(0) COMMIT if (n) { WAIT(0) USE(0) }", 0},
                     {"COPY(0) COMMIT if (n) { WAIT(0) } if (n) USE(0)", 0},
                     {"COPY(0) COMMIT if (n) { WAIT(0) } if (!n) USE(0)", 1},
                     {"COPY(0) COMMIT if (n) { WAIT(0) } USE(0)", 1},
                     {"COPY(0) if (n) COMMIT WAIT(0) if (n) USE(0)", 0},
                     {"COPY(0) if (n) COMMIT WAIT(0) if (!n) USE(0)", 1},
                     {"if (n) { COPY(0) } COMMIT WAIT(0) USE(0)", 0},
                     // All, committed or not; of those who come.
                     {"COPY(0) ALL USE(0)", 0},
                     {"COPY(0) COMMIT COPY(1) ALL USE(0)", 0},
                     {"COPY(0) COMMIT COPY(1) ALL USE(1)", 0},
                     {"COPY(0) ALL COPY(1) USE(0)", 0},
                     {"COPY(0) ALL COPY(1) USE(1)", 1},
                     {"COPY(0) if (n) { ALL } if (n) USE(0)", 0},
                     {"COPY(0) if (n) { ALL } if (!n) USE(0)", 1},
                 });
}

// What a copy reads must not be written before its end.
TEST(OwnCopies, read_what_they_copy_until_they_end) {
  const std::string head = k_copies + "__pipeline_memcpy_async(&s[0][t], &b[blockIdx.x * 64 + 63 - t], 4); COMMIT ";
  rows(head, {{"WAIT(0) b[g] = 1; USE(0)", 0},
              {"WAIT(1) b[g] = 1;", 1},
              {"__pipeline_wait_prior(0); b[g] = 1;", 1},
              {"__syncthreads(); b[g] = 1;", 1},
              {"WAIT(0) b[blockIdx.x * 64 + t / 2] = t;", 1}});
  rows(k_copies,
       {{"b[g] = 1; __syncthreads(); __pipeline_memcpy_async(&s[0][t], &b[blockIdx.x * 64 + 63 - t], 4); COMMIT "
         "WAIT(0) USE(0)",
         0},
        {"b[g] = 1; __pipeline_memcpy_async(&s[0][t], &b[blockIdx.x * 64 + 63 - t], 4); COMMIT WAIT(0) USE(0)", 1},
        {"__pipeline_memcpy_async(&s[0][t], &b[blockIdx.x * 64 + 64 + t], 4); COMMIT WAIT(0) b[g] = 1;", 1},
        // Of wider ones all bytes.
        {"if (t < 16) __pipeline_memcpy_async(&s[0][4 * t], &in[4 * t], 16); COMMIT WAIT(0) USE(0)", 0},
        {"if (t < 16) __pipeline_memcpy_async(&s[0][4 * t], &in[4 * t], 16); if (t == 16) s[0][3] = 1; COMMIT WAIT(0)",
         1},
        {"if (t < 16) __pipeline_memcpy_async(&s[0][4 * t], &in[4 * t], 8); if (t == 16) s[0][1] = 1; COMMIT WAIT(0)",
         1},
        {"if (t < 16) __pipeline_memcpy_async(&s[0][4 * t], &in[4 * t], 8); if (t == 16) s[0][2] = 1; COMMIT WAIT(0)",
         0}});
}

TEST(OwnCopies, beside_counters) {
  rows(k_copies, {{"COPY(0) COMMIT WAIT(0) USE(0) b[atomicAdd(c, 1)] = 1;", 3,
                   "asynchronous copies of one thread beside counters"},
                  {"COPY(0) COMMIT WAIT(0) USE(0) if (t == 70) b[atomicAdd(c, 1)] = 1;", 3,
                   "asynchronous copies of one thread beside counters"},
                  {"COPY(0) COMMIT WAIT(0) USE(0) atomicMax(c, 1);", 0}});
}

// A few rounds that start copies are counted one by one.
TEST(OwnCopies, loops_that_are_written_out) {
  rows(k_copies,
       {{"for (int j = 0; j < 7; ++j) { COPY(j) COMMIT } WAIT(6) USE(0)", 0},
        {"for (int j = 0; j < 7; ++j) { COPY(j) COMMIT } WAIT(6) USE(1)", 1},
        {"for (int j = 0; j < 7; ++j) { COPY(j) COMMIT } WAIT(5) USE(1)", 0},
        {"for (int j = 0; j < 7; ++j) { COPY(j) COMMIT } WAIT(0) USE(6)", 0},
        {"for (int j = 0; j < 7; ++j) { COPY(j) COMMIT } WAIT(7) USE(0)", 1},
        {"for (int j = 6; j >= 0; --j) { COPY(j) COMMIT } WAIT(6) USE(6)", 0},
        {"for (int j = 6; j >= 0; --j) { COPY(j) COMMIT } WAIT(6) USE(0)", 1},
        // As often as a parameter says, or a thread's number.
        {"for (int j = 0; j < (n & 3); ++j) { COPY(j) COMMIT } WAIT(2) if ((n & 3) == 3) USE(0)", 0},
        {"for (int j = 0; j < (n & 3); ++j) { COPY(j) COMMIT } WAIT(2) if ((n & 3) == 2) USE(0)", 1},
        {"for (int j = 0; j < (t & 3); ++j) { COPY(j) COMMIT } __pipeline_wait_prior(2); if ((t & 3) == 3) o[g] = "
         "s[0][t];",
         0},
        {"for (int j = 0; j < (t & 3); ++j) { COPY(j) COMMIT } __pipeline_wait_prior(2); if ((t & 3) == 2) o[g] = "
         "s[0][t];",
         1},
        // Two counters, of which one ends it.
        {"for (int j = 0, i = 9; j < 3; ++j, ++i) { COPY(j) COMMIT } WAIT(2) USE(0)", 0},
        // What it leaves behind.
        {"int x = 0, j = 0; for (; j < 3; ++j) { COPY(j) COMMIT x += 2 * j + 1; } WAIT(2) if (x != 9) o[0] = t;", 0},
        {"int x = 0, j = 0; for (; j < 3; ++j) { COPY(j) COMMIT x += 2 * j + 1; } WAIT(2) if (x == 9) o[0] = t;", 1},
        {"int j = 0; for (; j < 3; ++j) { COPY(j) COMMIT } WAIT(2) o[j == 3 ? g : 0] = t;", 0},
        {"int j = 0; for (; j < 3; ++j) { COPY(j) COMMIT } WAIT(2) o[j == 2 ? g : 0] = t;", 1},
        {"int j = 0; for (; j < (n & 3); ++j) { COPY(j) COMMIT } WAIT(2) o[j == (n & 3) ? g : 0] = t;", 0},
        {"int j = 0; for (; j < 5; ++j) { COPY(j) COMMIT if (j == n) break; } WAIT(4) if (n == 7) USE(0)", 0},
        {"int j = 0; for (; j < 5; ++j) { COPY(j) COMMIT if (j == n) break; } WAIT(4) if (n == 3) USE(0)", 1},
        {"int j = 0; for (; j < 5; ++j) { if (j == n) break; COPY(j) COMMIT } WAIT(0) o[j == n || j == 5 ? g : 0] = t;",
         0},
        {"int x = 5; for (int j = 0; j < 4; ++j) { COPY(j) COMMIT x = j; if (j == n) break; } WAIT(0) o[n != 2 || x == "
         "2 ? g : 0] = t;",
         0},
        {"int x = 5; for (int j = 0; j < 4; ++j) { COPY(j) COMMIT x = j; if (j == n) break; } WAIT(0) o[n != 2 || x == "
         "3 ? g : 0] = t;",
         1}});
}

// As many rounds as a copy may last.
TEST(OwnCopies, rounds_that_copies_last) {
  const auto kernel = [](const char* ahead, const char* wait, const char* slots) {
    return std::string("for (int j = 0; j < ") + ahead +
           "; ++j) { COPY(j) COMMIT } for (int i = 0; i < n; ++i) { WAIT(" + wait + ") o[g] += s[i & (" + slots +
           " - 1)][63 - t]; __pipeline_memcpy_async(&s[(i + " + ahead + ") & (" + slots +
           " - 1)][t], &in[i * 64 + t], 4); COMMIT }";
  };
  const std::string one = kernel("1", "0", "2"), late = kernel("1", "1", "2"), three = kernel("3", "2", "4"),
                    late_by_one = kernel("3", "3", "4"), too_few = kernel("2", "1", "2");
  rows(k_copies,
       {{one.c_str(), 0}, {late.c_str(), 1}, {three.c_str(), 0}, {late_by_one.c_str(), 1}, {too_few.c_str(), 1}});
}

// The stages of a pipeline: each wait is for one more.
TEST(OwnCopies, stages_of_a_pipeline) {
  const std::string head =
      "#include <cuda/pipeline>\n#define COPY(i) p.producer_acquire(); cuda::memcpy_async(&s[i][t], &in[(i) * 64 + t], "
      "4, p); p.producer_commit();\n"
      "#define WAIT p.consumer_wait(); __syncthreads();\n#define USE(i) o[g] = s[i][63 - t];\n"
      "__global__ void k(const float *in, float *o, int n) { __shared__ float s[8][64]; auto p = cuda::make_pipeline();"
      " int t = threadIdx.x, g = blockIdx.x * 64 + t; ";
  const char* const said = "a pipeline of several stages in a loop or under a condition";
  rows(head, {{"COPY(0) COPY(1) WAIT USE(0)", 0},
              {"COPY(0) COPY(1) WAIT USE(1)", 1},
              {"COPY(0) COPY(1) WAIT WAIT USE(1)", 0},
              {"COPY(0) WAIT COPY(1) USE(0)", 0},
              {"COPY(0) WAIT COPY(1) USE(1)", 1},
              {"COPY(0) WAIT COPY(1) WAIT USE(1)", 0},
              {"COPY(0) COPY(1) WAIT COPY(2) WAIT USE(1)", 0},
              {"COPY(0) COPY(1) WAIT COPY(2) WAIT USE(2)", 1},
              {"if (n) { COPY(0) WAIT USE(0) }", 0},
              {"if (n) { COPY(0) } WAIT USE(0)", 1, said},
              {"COPY(0) if (n) { WAIT }", 3, said},
              {"if (n) { COPY(0) COPY(1) WAIT }", 3, said},
              {"for (int i = 0; i < n; ++i) { COPY(0) WAIT USE(0) __syncthreads(); }", 0},
              {"for (int i = 0; i < n; ++i) { COPY(0) } WAIT", 1, said},
              {"for (int i = 0; i < n; ++i) { COPY(0) if (i > 3) { WAIT } }", 1, said}});
}

// ---- bulk copies -------------------------------------------------------------------------------------------------

const std::string k_bulk =
    "#define FENCE asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\");\n"
    "#define GFENCE asm volatile(\"fence.proxy.async.global;\" ::: \"memory\");\n"
    "#define OUT(n) asm volatile(\"cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\" :: \"l\"(d + "
    "blockIdx.x * 64),"
    " \"r\"(a), \"r\"(n) : \"memory\");\n"
    "#define IN(to) asm volatile(\"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, "
    "[%2];\""
    " :: \"r\"(to), \"l\"(d + blockIdx.x * 64), \"r\"(m) : \"memory\");\n"
    "#define COMMIT asm volatile(\"cp.async.bulk.commit_group;\" ::: \"memory\");\n"
    "#define WAIT asm volatile(\"cp.async.bulk.wait_group.read 0;\" ::: \"memory\");\n"
    "#define SEND if (t == 0) { OUT(256) COMMIT WAIT }\n"
    "__global__ void k(int *d, int n) { __shared__ alignas(16) int s[64], r[64], q[72]; int t = threadIdx.x;"
    " unsigned a = (unsigned)__cvta_generic_to_shared(s), m = (unsigned)__cvta_generic_to_shared(q + 68); ";
const char* const k_writes = "generic writes before a bulk copy without fence.proxy.async";
const char* const k_to = "generic accesses before a bulk copy to their place without fence.proxy.async";
const char* const k_ends = "a bulk copy that its thread does not wait for before it ends";

TEST(Proxies, which_fences_stand_between) {
  rows(k_bulk,
       {
           {"s[t] = t; FENCE __syncthreads(); SEND", 0},
           // What one thread does before its own copy; what another does.
           {"if (t == 0) { s[0] = 1; FENCE OUT(256) COMMIT WAIT }", 0},
           {"if (t == 0) { s[0] = 1; FENCE } __syncthreads(); if (t == 1) { OUT(256) COMMIT WAIT }", 0},
           {"if (t == 0) { s[0] = 1; FENCE } if (t == 1) { OUT(256) COMMIT WAIT }", 1, k_writes},
           {"if (t == 1) { s[0] = 1; FENCE } if (t == 0) { OUT(256) COMMIT WAIT }", 1, k_writes},
           // The barrier and the fence of those who need them.
           {"s[t] = t; FENCE if (n) { __syncthreads(); SEND }", 0},
           {"s[t] = t; FENCE if (n) __syncthreads(); SEND", 1, k_writes},
           {"s[t] = t; if (n) { FENCE } __syncthreads(); SEND", 3, k_writes},
           {"s[t] = t; __syncthreads(); FENCE __syncthreads(); SEND", 0},
           {"s[t] = t; FENCE __syncthreads(); s[t] = 2; __syncthreads(); SEND", 3, k_writes},
           {"s[t] = t; FENCE __syncwarp(); SEND", 1, k_writes},
           {"s[t] = t; __syncthreads(); SEND FENCE __syncthreads();", 3, k_writes},
           {"s[t] = t; __syncthreads(); FENCE SEND __syncthreads();", 3, k_writes},
           {"if (t == 0) { s[0] = 1; OUT(256) COMMIT WAIT FENCE }", 3, k_writes},
           // In loops they are not looked for.
           {"s[t] = t; for (int i = 0; i < 2; ++i) { FENCE } __syncthreads(); SEND", 3, k_writes},
           {"s[t] = t; FENCE for (int i = 0; i < 2; ++i) __syncthreads(); SEND", 3, k_writes},
           {"for (int i = 0; i < 2; ++i) { s[t] = t; FENCE __syncthreads(); SEND __syncthreads(); }", 3, k_writes},
           // What a round stores, the next one copies; and what cp.async stores is looked for behind no fence.
           {"for (int i = 0; i < 2; ++i) { SEND __syncthreads(); s[t] = t; __syncthreads(); }", 3, k_writes},
           {"asm volatile(\"cp.async.ca.shared.global [%0], [%1], 4;\" :: \"r\"(a + 4 * t), \"l\"(d + 65536 + t) : "
            "\"memory\"); asm volatile(\"cp.async.wait_all;\" ::: \"memory\"); FENCE __syncthreads(); SEND",
            3, k_writes},
           {"for (int i = 0; i < 2; ++i) s[t] = t; FENCE __syncthreads(); SEND", 0},
           // Of another array, of one that is only read, of what is copied to.
           {"r[t] = t; __syncthreads(); SEND", 0},
           {"if (s[t] > 3) r[t] = t; __syncthreads(); SEND", 0},
           {"s[t] = t; FENCE __syncthreads(); if (t < 64) d[blockIdx.x * 64 + t] = 1; GFENCE __syncthreads(); SEND", 0},
           {"s[t] = t; FENCE __syncthreads(); if (t < 64) d[blockIdx.x * 64 + t] = 1; FENCE __syncthreads(); SEND", 3,
            k_to},
           // Of two places that the address may be.
           {"int *p = r; if (n) p = s; p[t] = t; __syncthreads(); SEND", 3, k_writes},
           {"int *p = r; if (blockDim.x == 32) p = s; p[t] = t; __syncthreads(); SEND", 0},
       });
}

TEST(Proxies, copies_that_an_mbarrier_waits_for) {
  // Nothing of these is verified: what an mbarrier counts in bytes is not followed.
  const std::string said(k_to), not_said = "!" + said,
                                init =
                                    "if (t == 0) asm volatile(\"mbarrier.init.shared::cta.b64 [%0], 1;\" :: \"r\"(m) : "
                                    "\"memory\"); __syncthreads(); ",
                                own = init + "if (t == 0) { IN((unsigned)__cvta_generic_to_shared(q)) }",
                                fresh = init + "if (t == 0) { IN(a) }", used = "s[t] = t; " + fresh,
                                counted = "atomicAdd(&s[t], 1); " + fresh, fenced = "s[t] = t; FENCE " + fresh,
                                read = "d[blockIdx.x * 64 + t] = s[t]; " + fresh, beside = "q[t] = t; " + own,
                                moved = init + "a = (unsigned)__cvta_generic_to_shared(q); SEND";
  rows(k_bulk, {{own.c_str(), 3, not_said.c_str()},
                {fresh.c_str(), 3, not_said.c_str()},
                {used.c_str(), 3, said.c_str()},
                {counted.c_str(), 3, said.c_str()},
                {fenced.c_str(), 3, not_said.c_str()},
                {read.c_str(), 3, said.c_str()},
                {beside.c_str(), 3, said.c_str()},
                {moved.c_str(), 3, k_writes}});
}

TEST(Proxies, how_much_a_bulk_copy_moves) {
  rows(k_bulk,
       {{"s[t] = t; FENCE __syncthreads(); if (t == 0) { OUT(256) COMMIT WAIT } if (t == 1) r[0] = 1;", 0},
        {"s[t] = t; FENCE __syncthreads(); if (t == 0) { OUT(16) COMMIT WAIT } if (t == 1) s[4] = 1;", 0},
        {"s[t] = t; FENCE __syncthreads(); if (t == 0) { OUT(16) COMMIT WAIT } if (t == 1) s[3] = 1;", 1},
        {"s[t] = t; FENCE __syncthreads(); if (t == 0) { OUT(32) COMMIT WAIT } if (t == 1) s[7] = 1;", 1},
        {"s[t] = t; FENCE __syncthreads(); if (t == 0) { OUT(32) COMMIT WAIT } if (t == 1) s[8] = 1;", 0},
        {"s[t] = t; FENCE __syncthreads(); if (t == 0) { OUT(n) COMMIT WAIT } if (t == 1) s[63] = 1;", 1},
        {"s[t] = t; FENCE __syncthreads(); if (t == 0) { OUT(256) COMMIT WAIT } d[3 * 64 + t] = t;", 1},
        {"s[t] = t; FENCE __syncthreads(); if (t == 0) { OUT(256) COMMIT WAIT } d[4 * 64 + t + blockIdx.x * 64] = t;",
         0}});
}

TEST(Proxies, loops_around_a_copy_and_its_wait) {
  const std::string before = "s[t] = t; FENCE __syncthreads(); if (t == 0) { ";
  const auto with = [&](const char* rest) { return before + rest + " }"; };
  const std::string
      in_loop = with("for (int i = 0; i < 2; ++i) { OUT(256) COMMIT WAIT d += 4096; }"),
      behind = with("for (int i = 0; i < 2; ++i) { OUT(256) COMMIT d += 4096; } WAIT"),
      committed_behind = with("for (int i = 0; i < 2; ++i) { OUT(256) d += 4096; } COMMIT WAIT"),
      waits_in_another =
          with("for (int i = 0; i < 2; ++i) { OUT(256) COMMIT d += 4096; } for (int i = 0; i < 2; ++i) { WAIT }"),
      waits_in_a_loop = with("OUT(256) COMMIT for (int i = 0; i < n; ++i) { WAIT }"),
      commits_in_a_loop = with("OUT(256) for (int i = 0; i < n; ++i) { COMMIT } WAIT"),
      sometimes = with("for (int i = 0; i < 2; ++i) { OUT(256) COMMIT if (i == n) { WAIT } d += 4096; }"),
      some_commit = with("OUT(256) if (n) { COMMIT } WAIT"), of_them = with("if (n) { OUT(256) COMMIT } WAIT"),
      alike = with("if (n) { OUT(256) } if (n) { COMMIT WAIT }"),
      others = with("if (n) { OUT(256) } if (!n) { COMMIT WAIT }");
  rows(k_bulk, {{in_loop.c_str(), 0},
                {behind.c_str(), 0},
                {committed_behind.c_str(), 3, k_ends},
                {waits_in_another.c_str(), 3, k_ends},
                {waits_in_a_loop.c_str(), 3, k_ends},
                {commits_in_a_loop.c_str(), 3, k_ends},
                {sometimes.c_str(), 3, k_ends},
                {some_commit.c_str(), 3, k_ends},
                {of_them.c_str(), 0},
                {alike.c_str(), 0},
                {others.c_str(), 3, k_ends}});
}

// ---- mbarriers ---------------------------------------------------------------------------------------------------

const std::string k_objects =
    "#include <cuda/barrier>\n#include <utility>\nusing B = cuda::barrier<cuda::thread_scope_block>;\n__device__ "
    "unsigned long long outside;\n"
    "__global__ void k(int *out, const int *in, int n) { __shared__ B bar[3]; __shared__ int z[8]; int t = threadIdx.x,"
    " g = blockIdx.x * 64 + t; ";

TEST(Mbarriers, are_at_one_place_that_is_known) {
  const char* const said = "is one barrier in shared memory for all threads of a group";
  rows(
      k_objects,
      {{"if (t == 0) init(&bar[1], 64); __syncthreads(); bar[1].arrive_and_wait(); out[g] = 1;", 0},
       {"if (t == 0) { init(&bar[1], 64); init(&bar[2], 64); } __syncthreads(); bar[1].arrive_and_wait(); "
        "bar[2].arrive_and_wait(); out[g] = 1;",
        0},
       {"if (t == 0) init(&bar[1], 64); __syncthreads(); bar[2].arrive_and_wait(); out[g] = 1;", 3,
        "is initialised before"},
       {"if (t == 0) init(&bar[n & 1], 64); __syncthreads(); bar[n & 1].arrive_and_wait(); out[g] = 1;", 3, said},
       {"if (t < 2) init(&bar[t], 64); __syncthreads(); bar[t / 32].arrive_and_wait(); out[g] = 1;", 3, said},
       {"B *b = n ? &bar[0] : (B *)z; if (t == 0) init(b, 64); __syncthreads(); b->arrive_and_wait(); out[g] = 1;", 3,
        said},
       {"B *b = (B *)&outside; if (t == 0) init(b, 64); __syncthreads(); b->arrive_and_wait(); out[g] = 1;", 1, said}});
}

TEST(Mbarriers, are_initialised_once_and_for_all_before) {
  const char *const first = "is initialised once, by the first thread of each group",
                    *const before = "is initialised before",
                    *const many = "is initialised for as many arrivals as come";
  rows(k_objects,
       {{"__syncthreads(); if (t == 0) init(&bar[0], 64); __syncthreads(); bar[0].arrive_and_wait(); out[g] = 1;", 0},
        {"__syncthreads(); if (t == 0) init(&bar[0], 64); bar[0].arrive_and_wait(); __syncthreads(); out[g] = 1;", 1,
         before},
        {"if (t == 1) init(&bar[0], 64); __syncthreads(); bar[0].arrive_and_wait(); out[g] = 1;", 3, first},
        {"if (t == 0) { init(&bar[0], 64); init(&bar[0], 64); } __syncthreads(); bar[0].arrive_and_wait(); out[g] = 1;",
         3, first},
        {"for (int i = 0; i < 1; ++i) if (t == 0) init(&bar[i], 64); __syncthreads(); bar[0].arrive_and_wait(); out[g] "
         "= 1;",
         0},
        {"for (int i = 0; i < 2; ++i) if (t == 0) init(&bar[0], 64); __syncthreads(); bar[0].arrive_and_wait(); out[g] "
         "= 1;",
         3, first},
        {"for (int i = 0; i < 2; ++i) if (t == 0) init(&bar[i], 64); __syncthreads(); bar[1].arrive_and_wait(); out[g] "
         "= 1;",
         0},
        {"for (int i = 0; i < n; ++i) { if (t == 0) init(&bar[0], 64); __syncthreads(); } bar[0].arrive_and_wait(); "
         "out[g] = 1;",
         3, first},
        {"if (t == 0 && n) init(&bar[0], 64); __syncthreads(); if (n) bar[0].arrive_and_wait(); out[g] = 1;", 3, first},
        {"if (t == 0) init(&bar[0], 64); if (n) __syncthreads(); bar[0].arrive_and_wait(); out[g] = 1;", 1, before},
        {"if (t == 0) init(&bar[0], 64); for (int i = 0; i < n; ++i) __syncthreads(); bar[0].arrive_and_wait(); out[g] "
         "= 1;",
         1, before},
        {"if (t == 0) init(&bar[0], 63); __syncthreads(); bar[0].arrive_and_wait(); out[g] = 1;", 3, many},
        {"if (t == 0) init(&bar[0], n); __syncthreads(); bar[0].arrive_and_wait(); out[g] = 1;", 3, many},
        {"if (t == 0) init(&bar[0], t + 64); __syncthreads(); bar[0].arrive_and_wait(); out[g] = 1;", 3}});
}

TEST(Mbarriers, are_passed_in_phases) {
  const char *const phases = "is passed in phases that can be told apart",
                    *const waits = "is waited at for the phase of the arrival before";
  const std::string head = k_objects + "if (t == 0) { init(&bar[0], 64); init(&bar[1], 64); } __syncthreads(); ";
  rows(head,
       {{"auto a = bar[0].arrive(); bar[0].wait(std::move(a)); out[g] = 1;", 0},
        {"auto a = bar[0].arrive(), b = bar[1].arrive(); bar[0].wait(std::move(a)); bar[1].wait(std::move(b)); "
         "out[g] = 1;",
         0},
        {"auto a = bar[0].arrive(), b = bar[1].arrive(); bar[0].wait(std::move(b)); bar[1].wait(std::move(a)); "
         "out[g] = 1;",
         3, waits},
        {"if (n) (void)bar[0].arrive(); out[g] = 1;", 0},
        {"if (in[g]) (void)bar[0].arrive(); out[g] = 1;", 3, "by threads that follow from the ids alone"},
        {"for (int i = 0; i < n; ++i) (void)bar[0].arrive(); out[g] = 1;", 3, phases},
        {"(void)bar[0].arrive(0); out[g] = 1;", 3, phases},
        {"(void)bar[0].arrive(n); out[g] = 1;", 3, phases},
        {"asm volatile(\"{ .reg .b64 s; mbarrier.arrive.noComplete.shared::cta.b64 s, [%0], 1; }\" :: \"l\"(&bar[0])"
         " : \"memory\"); out[g] = 1;",
         3, "beside 'mbarrier.arrive'"},
        {"auto a = bar[0].arrive(); if (n) bar[0].wait(std::move(a)); out[g] = 1;", 0},
        {"auto a = bar[0].arrive(); bar[0].wait(std::move(a)); bar[0].arrive_and_wait(); out[g] = 1;", 0},
        {"auto a = bar[0].arrive(); bar[0].wait(std::move(a)); for (int i = 0; i < n; ++i) bar[0].arrive_and_wait();"
         " out[g] = 1;",
         3, phases},
        {"(void)bar[0].arrive(); bar[0].wait_parity(n & 1); out[g] = 1;", 3, waits},
        {"(void)bar[0].arrive(); bar[1].wait_parity(false); out[g] = 1;", 3, waits},
        {"bar[1].arrive_and_wait(); (void)bar[0].arrive(); bar[0].wait_parity(false); out[g] = 1;", 0}});
}

TEST(Mbarriers, bytes_beside_them_may_be_written) {
  const char* const said = "is written as a barrier alone";
  const std::string head =
      k_objects + "if (t == 0) init(&bar[1], 64); __syncthreads(); bar[1].arrive_and_wait(); out[g] = 1; if (t == 0) ";
  rows(head, {{"((int *)bar)[0] = 1;", 0},
              {"((int *)bar)[1] = 1;", 0},
              {"((int *)bar)[2] = 1;", 3, said},
              {"((int *)bar)[3] = 1;", 3, said},
              {"((int *)bar)[4] = 1;", 0},
              {"((char *)bar)[7] = 1;", 0},
              {"((char *)bar)[8] = 1;", 3, said},
              {"((char *)bar)[15] = 1;", 3, said},
              {"((char *)bar)[16] = 1;", 0},
              {"((long long *)bar)[0] = 1;", 0},
              {"((long long *)bar)[2] = 1;", 0},
              {"*(long long *)((int *)bar + 1) = 1;", 3, said},
              {"((int *)bar)[n & 3] = 1;", 3, said},
              {"if (blockDim.x == 32) ((int *)bar)[2] = 1;", 0},
              {"z[2] = 1;", 0},
              {"out[g] = ((int *)bar)[2];", 0},
              {"atomicAdd((int *)bar + 2, 1);", 3, said},
              {"atomicAdd((int *)bar + 4, 1);", 0}});
}

}  // namespace
}  // namespace fencepost::verifier

// What arrivals at a barrier object order (prove/phases.cpp), and that nothing is ordered where a condition is broken.
#include "decide.h"

namespace fencepost::verifier {
namespace {

struct Row {
  std::string body;
  int exit_code = 0;  // 3: not decided, by what `says`
  const char* says = "";
};

constexpr const char* k_orders = "orders";
constexpr const char* k_waits = "is waited at for the phase of the arrival before";
constexpr const char* k_count = "is initialised for as many arrivals as come";

// Two objects, for so many arrivals each.
std::string kernel(const std::string& counts, const std::string& body) {
  return "#include <cuda/barrier>\n#include <utility>\n"
         "using B = cuda::barrier<cuda::thread_scope_block>;\n"
         "__device__ unsigned u32(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }\n"
         "__device__ void arrive(B &b) { asm volatile(\"{ .reg .b64 s; mbarrier.arrive.shared::cta.b64 s, [%0]; }\""
         " :: \"r\"(u32(&b)) : \"memory\"); }\n"
         "__device__ void expect(B &b, unsigned n) { asm volatile(\"{ .reg .b64 s; "
         "mbarrier.arrive.expect_tx.shared::cta.b64 s, [%0], %1; }\" :: \"r\"(u32(&b)), \"r\"(n) : \"memory\"); }\n"
         "__device__ void copy(void *to, const void *from, unsigned n, B &b) { asm volatile("
         "\"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];\""
         " :: \"r\"(u32(to)), \"l\"(from), \"r\"(n), \"r\"(u32(&b)) : \"memory\"); }\n"
         "__device__ bool test(B &b, unsigned parity) { unsigned ok; asm volatile(\"{ .reg .pred p; "
         "mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }\" : \"=r\"(ok)"
         " : \"r\"(u32(&b)), \"r\"(parity) : \"memory\"); return ok; }\n"
         "__device__ void wait(B &b, unsigned parity) { while (!test(b, parity)) {} }\n"
         "__global__ void k(int *out, const int *in, int n) { __shared__ B a, b; __shared__ alignas(16) int s[64];"
         " int t = threadIdx.x, g = blockIdx.x * 64 + t; if (t == 0) { " +
         counts + " } __syncthreads();\n" + body + "\n}\n";
}

void rows(const std::string& counts, const std::vector<Row>& list) {
  for (const Row& r : list) {
    const std::string text = kernel(counts, r.body);
    decide({{"k.cu", text.c_str(), r.exit_code, r.says, {"--no-attack"}}});
  }
}

const std::string k_all = "init(&a, 64); init(&b, 64);", k_one = "init(&a, 1); init(&b, 1);",
                  k_read = " out[g] = s[63 - t];";

TEST(Phases, order_what_comes_before_arrivals_before_what_comes_behind_waits) {
  rows(k_all, {{"s[t] = in[g]; auto w = a.arrive(); out[g] = t; a.wait(std::move(w)); out[g] += s[63 - t];"},
               {"s[t] = in[g]; arrive(a); wait(a, 0);" + k_read},
               {"s[t] = in[g]; arrive(a); while (!a.try_wait_parity(false));" + k_read},
               {"s[t] = in[g]; auto w = a.arrive(); s[63 - t] += 1; a.wait(std::move(w));", 3, k_orders},
               {"auto w = a.arrive(); s[t] = in[g]; a.wait(std::move(w));" + k_read, 3, k_orders},
               {"s[t] = in[g]; auto w = a.arrive(); out[g] = s[63 - t]; a.wait(std::move(w));", 3, k_orders},
               {"s[t] = in[g]; auto w = a.arrive(); if (t < 32) a.wait(std::move(w));" + k_read, 3, k_orders},
               {"s[t] = in[g]; auto w = a.arrive(); if (n) a.wait(std::move(w));" + k_read, 3, k_orders},
               {"s[t] = in[g]; auto v = b.arrive(); auto w = a.arrive(); b.wait(std::move(v)); s[t] = 1;"
                " a.wait(std::move(w));" +
                    k_read,
                3, k_orders}});
}

TEST(Phases, a_try_that_is_not_looped_on_orders_nothing) {
  rows(k_all, {{"s[t] = in[g]; arrive(a); test(a, 0);" + k_read, 3, k_orders},
               {"s[t] = in[g]; arrive(a); if (test(a, 0)) out[g] = s[63 - t];", 3, k_orders},
               {"s[t] = in[g]; arrive(a); for (int i = 0; i < 99 && !test(a, 0); ++i);" + k_read, 3, k_orders},
               {"s[t] = in[g]; arrive(a); while (test(a, 0));" + k_read, 3, k_orders},
               {"s[t] = in[g]; arrive(a); while (!test(a, 0)) if (n) break;" + k_read, 3, k_orders},
               {"s[t] = in[g]; arrive(a); bool ok; do { ok = test(a, 0); } while (!ok);" + k_read},
               {"s[t] = in[g]; arrive(a); while (!test(a, 0)) __nanosleep(20);" + k_read},
               {"s[t] = in[g]; arrive(a); for (unsigned p = 0; !test(a, p); ++p);" + k_read, 3, k_orders}});
}

TEST(Phases, follow_each_other) {
  const std::string first = "s[t] = in[g]; arrive(a); wait(a, 0); out[g] = s[63 - t];",
                    second = " s[t] = 2; arrive(a);";
  rows(k_all,
       {{first + " arrive(a); wait(a, 1);" + second + " wait(a, 0);" + k_read},
        {first + second + " wait(a, 1);" + k_read, 3, k_orders},
        {first + " arrive(a); wait(a, 1);" + second + " wait(a, 1);" + k_read, 3, k_orders},
        {"s[t] = in[g]; arrive(a); wait(a, 1);" + k_read, 3, k_orders},
        {"auto w = a.arrive(); a.wait(std::move(w)); s[t] = 1; w = a.arrive(); a.wait(std::move(w));" + k_read},
        {"auto w = a.arrive(), v = w; a.wait(std::move(w)); s[t] = 1; w = a.arrive(); a.wait(std::move(v));" + k_read,
         3, k_orders},
        {"auto w = a.arrive(); a.wait(std::move(w)); s[t] = 1; a.arrive_and_wait();" + k_read},
        {"arrive(a); arrive(a); wait(a, 0);", 3, "in phases that can be told apart"},
        {"if (t < 32) { arrive(a); arrive(a); } wait(a, 0);", 3, "in phases that can be told apart"},
        {"arrive(a); wait(b, 0); arrive(b);", 3, k_waits}});
  rows("init(&a, 32); init(&b, 32);",
       {{"if (t < 32) { wait(a, 0); arrive(b); } else { wait(b, 0); arrive(a); }", 3, k_waits},
        {"if (t < 32) { arrive(b); wait(a, 0); } else { wait(b, 0); arrive(a); }"},
        {"if (t < 32) { wait(a, 0); __syncthreads(); } else { __syncthreads(); arrive(a); }", 1}});
}

TEST(Phases, are_of_so_many_arrivals) {
  const std::string body = "s[t] = in[g]; arrive(a); wait(a, 0);" + k_read;
  for (const char* const count : {"32", "63", "65", "1", "0", "n"})
    rows(std::string("init(&a, ") + count + ");", {{body, 3, k_count}});
  rows("init(&a, blockDim.x);", {{body}});
  rows(k_all, {{"if (t < 32) { s[t] = in[g]; (void)a.arrive(2); } wait(a, 0); out[g] = s[t & 31];"},
               {"s[t] = in[g]; if (t < 32) (void)a.arrive(2); wait(a, 0);" + k_read, 3, k_orders},
               {"s[t] = in[g]; if (t < 32) arrive(a); wait(a, 0);" + k_read, 3, k_count},
               {"s[t] = in[g]; if (in[g]) arrive(a); wait(a, 0);" + k_read, 3, "follow from the ids"}});
}

TEST(Phases, of_other_operations_are_not_decided) {
  const auto with = [](const std::string& text) {
    return "asm volatile(\"{ .reg .b64 s; .reg .pred p; " + text + " }\" :: \"r\"(u32(&a)) : \"memory\");";
  };
  const std::string write = "s[t] = in[g]; ", wait = " wait(a, 0);" + k_read;
  rows(k_all,
       {{write + with("mbarrier.arrive.release.cta.shared::cta.b64 s, [%0];") + wait},
        {write + with("mbarrier.arrive.relaxed.cta.shared::cta.b64 s, [%0];") + wait, 3, "beside 'mbarrier.arrive'"},
        {write + with("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];") + wait, 3, "beside"},
        {write + with("mbarrier.arrive_drop.shared::cta.b64 s, [%0];") + wait, 3, "beside 'mbarrier.arrive_drop'"},
        {write + with("mbarrier.arrive.noComplete.shared::cta.b64 s, [%0], 1;") + wait, 3, "beside"},
        {write + "arrive(a); " +
             with("W: mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 p, [%0], 0; @!p bra W;") + k_read,
         3, "beside"},
        {write + "arrive(a); " +
         with("W: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%0], 0; @p bra D; bra W; D:") + k_read},
        {write + with("mbarrier.arrive.shared::cta.b64 s, [%0]; cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];") +
             wait,
         3, "beside"},
        {write + with("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 16;") + "arrive(a);" + wait, 3, "beside"},
        {write + "arrive(a);" + wait +
             " __syncthreads(); if (t == 0) init(&a, 64); __syncthreads(); s[t] = 1;"
             " arrive(a);" +
             wait,
         3, "is initialised once"},
        {write + "arrive(a);" + wait + " __syncthreads(); if (t == 0) *(int *)&a = 0; __syncthreads();", 3,
         "as a barrier alone"}});
}

TEST(Phases, of_producers_who_do_not_wait) {
  const std::string fill = "if (t == 0) { for (int i = 0; i < 64; ++i) s[i] = in[i];", read = " out[g] = s[t];";
  rows(k_one, {{fill + " arrive(a); } wait(a, 0);" + read},
               {fill + " arrive(a); } if (t) wait(a, 0);" + read},
               {"if (t == 32) { s[7] = 1; arrive(a); } if (t < 32) { wait(a, 0); out[g] = s[7]; }"},
               {"if (t < 32) { wait(a, 0); out[g] = s[7]; } else if (t == 32) { s[7] = 1; arrive(a); }"},
               {"if (t == 0) { arrive(a); s[5] = 1; } wait(a, 0);" + read, 3, k_orders},
               {fill + " arrive(a); }" + read, 3, k_orders},
               {fill + " arrive(a); } if (t > 5) wait(a, 0);" + read, 3, k_orders},
               {fill + " arrive(a); } wait(a, 1);" + read, 3, k_orders},
               {fill + " arrive(b); } arrive(a); wait(a, 0);" + read, 3, k_count},
               {fill + " arrive(a); } if (t == 1) arrive(a); wait(a, 0);" + read, 3, k_count},
               {fill + " } if (t == 1) arrive(a); wait(a, 0);" + read, 3, k_orders},
               {fill + " arrive(a); } wait(a, 0); s[0] = t;", 3, k_orders},
               {fill + " arrive(a); arrive(a); } wait(a, 0); wait(a, 1);" + read},
               {fill + " arrive(a); s[3] = 1; arrive(a); } wait(a, 0);" + read, 3, k_orders},
               {fill + " arrive(a); s[3] = 1; arrive(a); } wait(a, 0); wait(a, 1);" + read}});
  rows("init(&a, 32);",
       {{"if (t < 32) { s[t] = in[g]; arrive(a); } else { wait(a, 0); out[g] = s[63 - t]; }"},
        {"if (t < 31) { s[t] = in[g]; arrive(a); } else { wait(a, 0); out[g] = s[63 - t]; }", 3, k_count},
        {"if (t < 32) { s[t] = in[g]; arrive(a); out[g] = s[31 - t]; }", 3, k_orders}});
}

TEST(Phases, hand_an_array_over_and_back) {
  const std::string head = "if (t < 32) { s[t] = in[g]; arrive(a); ",
                    second =
                        " s[t] = 2; arrive(a); } else { wait(a, 0);"
                        " out[g] = s[63 - t]; arrive(b); wait(a, 1); out[g] += s[63 - t]; }",
                    counts = "init(&a, 32); init(&b, 32);";
  rows(counts, {{head + "wait(b, 0);" + second},
                {"if (t < 32) wait(b, 1); " + head + "wait(b, 0);" + second},
                {head + second, 3, "in phases that can be told apart"},
                {head + "wait(b, 1);" + second, 3},
                {head + "wait(a, 0);" + second, 3, k_orders}});
}

TEST(Phases, end_copies_of_so_many_bytes) {
  const std::string begin = "if (t == 0) { expect(a, 256); ", all = "copy(s, in + g, 256, a); }",
                    read = " wait(a, 0);" + k_read;
  rows(k_one, {{begin + all + read},
               {begin + "copy(s, in, 128, a); copy(s + 32, in + 32, 128, a); }" + read},
               {"if (t == 0) { copy(s, in + g, 256, a); expect(a, 256); }" + read},
               {begin + all + " if (t == 0) wait(a, 0); __syncthreads();" + k_read},
               {begin + all + " if (t == 1) wait(a, 0); __syncthreads();" + k_read, 3, k_orders},
               {begin + all + k_read, 3, k_orders},
               {begin + all + " wait(a, 1);" + k_read, 3, k_orders},
               {begin + all + " wait(b, 0);" + k_read, 3, k_waits},
               {begin + "copy(s, in + g, 256, b); }" + read, 3, "as many bytes"},
               {"if (t == 0) { expect(a, 128); " + all + read, 3, "as many bytes"},
               {begin + "copy(s, in + g, 128, a); }" + read, 3, "as many bytes"},
               {begin + "copy(s, in + g, n, a); }" + read, 3, "as many bytes"},
               {"if (t == 0) { arrive(a); " + all + read, 3, "as many bytes"},
               {begin + all + " if (t == 1) expect(a, 0);" + read, 3, k_count},
               {begin + "copy(s, in + g, 256, a); s[3] = 1; }" + read, 3},
               {begin + all + " wait(a, 0); s[t] = 1;"},
               {begin + all + " s[t] = 1; wait(a, 0);", 3, k_orders}});
}

// Each iteration passes phases of its own.
TEST(Phases, in_loops) {
  const auto loop = [](const std::string& body) { return "for (int i = 0; i < n; ++i) { " + body + " }"; };
  const std::string write = "s[t] = in[g + i]; ", token = "auto w = a.arrive(); a.wait(std::move(w)); ",
                    read = "out[g] += s[63 - t]; ", second = "auto v = b.arrive(); b.wait(std::move(v));";
  rows(k_all,
       {{loop(write + token + read + second)},
        {loop(write + token + read + "w = a.arrive(); a.wait(std::move(w));")},
        {loop(write + token + read + "__syncthreads();")},
        {loop(write + token + read), 3, k_orders},
        // A barrier in some iterations alone takes nothing away, and gives nothing.
        {loop(write + token + read + second + " if (i & 1) __syncthreads();")},
        {loop(write + token + read + "if (i & 1) __syncthreads();"), 3, k_orders},
        {loop(write + "auto w = a.arrive(); " + read + "a.wait(std::move(w)); " + second), 3, k_orders},
        {loop("auto w = a.arrive(); " + write + "a.wait(std::move(w)); " + read + second), 3, k_orders},
        {loop(write + token + read + "if (i & 1) { " + second + " }"), 3},
        {loop(write + token + read + "if (t < 32) { " + second + " }"), 3},
        {loop(write + "auto w = a.arrive(); if (t < 32) a.wait(std::move(w)); " + read + second), 3, k_orders},
        {loop(write + token + read + second) + write.substr(0, 5) + " = 1;"},
        {loop(write + token + read + second) + "out[g] = s[63 - t];"},
        {loop(token + read) + "s[t] = 1;", 3, k_orders},
        {"s[t] = 1; " + loop(token + read)},
        {"s[t] = 1; " + loop(read + token), 3, k_orders},
        {"for (int i = 0; i < t; ++i) { " + token + second + " }", 3, "equally often"},
        {"B::arrival_token w = a.arrive(); " + loop("a.wait(std::move(w)); w = a.arrive();"), 3},
        {"for (int i = 0; i < n; ++i) for (int j = 0; j < 2; ++j) { " + write + token + read + second + " }", 3}});
}

TEST(Phases, in_loops_by_parity) {
  const auto loop = [](const std::string& waits, const std::string& more = "p ^= 1;", const std::string& first = "0") {
    return "unsigned p = " + first + "; for (int i = 0; i < n; ++i) { s[t] = in[g + i]; arrive(a); wait(a, " + waits +
           "); out[g] += s[63 - t]; arrive(b); wait(b, " + waits + "); " + more + " }";
  };
  const char* const phase = "waits for the phase of that iteration";
  rows(k_all, {{loop("p")},
               {loop("i & 1", "")},
               {loop("i % 2", "")},
               {loop("p", "if (i == 3) break; p ^= 1;")},
               {loop("p", ""), 3, phase},
               {loop("p", "p ^= 1;", "1"), 3, phase},
               {loop("p ^ 1"), 3, phase},
               {loop("(i >> 1) & 1"), 3, phase},
               {loop("p", "if (in[i]) p ^= 1;"), 3},
               {"for (int i = 0; i < n; ++i) { s[t] = in[g + i]; arrive(a); wait(a, 0); out[g] += s[63 - t]; arrive(a);"
                " wait(a, 1); }"},
               {"for (int i = 0; i < n; ++i) { s[t] = in[g + i]; arrive(a); wait(a, 0); out[g] += s[63 - t]; arrive(a);"
                " wait(a, 0); }",
                3, phase},
               {"for (int i = 0; i < n; ++i) { if (i != 3) { s[t] = in[g + i]; arrive(a); wait(a, i & 1); out[g] += "
                "s[63 - t]; arrive(b); wait(b, i & 1); } }",
                3}});
  rows("init(&a, 1);",
       {{"for (int i = 0; i < n; ++i) { if (t == 0) { s[5] = in[i]; arrive(a); } wait(a, i & 1); out[g] += s[5];"
         " __syncthreads(); }"},
        {"for (int i = 0; i < n; ++i) { if (t == 0) { s[5] = in[i]; arrive(a); } wait(a, i & 1); out[g] += s[5]; }", 3},
        {"for (int i = 0; i < n; ++i) { if (t == 0) { arrive(a); s[5] = in[i]; } wait(a, i & 1); out[g] += s[5];"
         " __syncthreads(); }",
         3, k_orders},
        {"for (int i = 0; i < n; ++i) { if (t == 0) { s[5] = in[i]; arrive(a); } wait(a, 0); out[g] += s[5];"
         " __syncthreads(); }",
         3, phase},
        {"for (int i = 0; i < n; ++i) { if (t == 0) { s[5] = in[i]; arrive(a); } if (i > 0) wait(a, i & 1);"
         " out[g] += s[5]; __syncthreads(); }",
         3}});
}

TEST(Phases, of_groups_of_any_size_are_of_all_threads) {
  const auto any = [](const char* count, const std::string& body, int exit_code) {
    const std::string text = kernel(
        std::string("init(&a, ") + count + ");",
        "extern __shared__ int d[]; d[t] = t; " + body + " out[blockIdx.x * blockDim.x + t] = d[blockDim.x - 1 - t];");
    decide({{"k.cu", text.c_str(), exit_code, "", {"--blockDim=*", "--gridDim=*"}, true}});
  };
  any("blockDim.x", "arrive(a); wait(a, 0);", 0);
  any("64", "arrive(a); wait(a, 0);", 3);
  any("blockDim.x", "if (t < 32) arrive(a); wait(a, 0);", 3);
  any("blockDim.x", "arrive(a); wait(a, 1);", 3);
}

// Who comes to `arrive_and_wait` says nothing of who arrives: not a barrier that threads miss.
TEST(Phases, who_arrives_elsewhere_misses_no_barrier) {
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  const auto kernel = [](const std::string& others) {
    return "#include <cuda/barrier>\nusing B = cuda::barrier<cuda::thread_scope_block>;\n"
           "__global__ void k(int *o) { __shared__ int s[64]; __shared__ B b; int t = threadIdx.x;"
           "if (t == 0) init(&b, blockDim.x); __syncthreads(); s[t] = t;"
           "if (t < 32) { b.arrive_and_wait(); o[t] = s[63 - t]; } " +
           others + " }\n";
  };
  const std::string arrive = kernel("else (void)b.arrive();"), drop = kernel("else b.arrive_and_drop();"),
                    none = kernel("");
  decide(
      {{"arrive.cu",
        arrive.c_str(),
        3,
        "threads arrive at the barrier object elsewhere",
        {"--blockDim=64", "--gridDim=1"}},
       {"drop.cu", drop.c_str(), 3, "threads arrive at the barrier object elsewhere", {"--blockDim=64", "--gridDim=1"}},
       {"none.cu", none.c_str(), 1, "non-uniform control flow", {"--blockDim=64", "--gridDim=1"}}});
}

}  // namespace
}  // namespace fencepost::verifier

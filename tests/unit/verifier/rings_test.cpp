// Rings of barrier objects in loops (prove/rings.h): the idioms are verified, and where one condition is broken they
// are not.
#include <cstring>

#include "decide.h"

namespace fencepost::verifier {
namespace {

struct Change {
  const char *what, *by, *says;
};

// The kernel is verified; each change of it is not decided, by what it says.
void ring(const std::string& text, const std::vector<Change>& changes, const std::vector<std::string>& options = {}) {
  decide({{"k.cu", text.c_str(), 0, "", options}});
  std::vector<std::string> no_runs = options;
  no_runs.emplace_back("--no-attack");
  for (const Change& c : changes) {
    std::string weaker = text;
    const size_t at = weaker.find(c.what);
    ASSERT_NE(at, std::string::npos) << c.what;
    weaker.replace(at, std::string(c.what).size(), c.by);
    decide({{"k.cu", weaker.c_str(), 3, c.says, no_runs}});
  }
}

constexpr const char *k_orders = "orders", *k_count = "is initialised for as many arrivals as come",
                     *k_waits = "is waited at for the phase that its stage has come to",
                     *k_known = "when the one before is known to be complete",
                     *k_stage = "is one of a ring that each iteration takes in turn",
                     *k_who = "is used by threads that follow from the ids alone", *k_begun = "is initialised",
                     *k_often = "is used in loops that go round equally often",
                     *k_circle = "is waited at by no one for whom the others wait", *k_turn = "come in turn",
                     *k_late = "who may come when the next phase is over too";

const std::string k_head =
    "#include <cuda/barrier>\n#include <utility>\nusing B = cuda::barrier<cuda::thread_scope_block>;\n"
    "constexpr int S = 3;\n"
    "__device__ void wait(B &b, unsigned parity) { while (!b.try_wait_parity(parity)) {} }\n"
    "__global__ void k(float *out, const float *in, int n) { __shared__ B full[S], empty[S];"
    " __shared__ float buf[S][64]; int t = threadIdx.x, lane = t & 31; float x = 0;\n";

// A warp fills, another one uses.
const std::string k_roles = k_head +
                            R"(
  if (t == 0) for (int s = 0; s < S; ++s) { init(&full[s], 32); init(&empty[s], 32); }
  __syncthreads();
  if (t < 32) {
    int stage = 0; unsigned phase = 1;
    for (int it = 0; it < n; ++it) {
      wait(empty[stage], phase);
      buf[stage][lane] = in[it * 32 + lane];
      (void)full[stage].arrive();
      if (++stage == S) { stage = 0; phase ^= 1; }
    }
  } else {
    int stage = 0; unsigned phase = 0;
    for (int it = 0; it < n; ++it) {
      wait(full[stage], phase);
      x += buf[stage][31 - lane];
      (void)empty[stage].arrive();
      if (++stage == S) { stage = 0; phase ^= 1; }
    }
    out[blockIdx.x * 32 + lane] = x;
  } })";

TEST(Rings, of_two_roles_wait_for_phases_of_earlier_iterations) {
  ring(k_roles,
       {{"wait(full[stage], phase);", "", k_orders},
        {"wait(empty[stage], phase);", "", k_known},
        {"wait(full[stage], phase);", "full[stage].try_wait_parity(phase);", k_orders},
        {"wait(full[stage], phase);", "if (lane == 0) wait(full[stage], phase);", k_turn},
        {"x += buf[stage][31 - lane];\n      (void)empty[stage].arrive();",
         "(void)empty[stage].arrive(); x += buf[stage][31 - lane];", k_orders},
        {"buf[stage][lane] = in[it * 32 + lane];\n      (void)full[stage].arrive();",
         "(void)full[stage].arrive(); buf[stage][lane] = in[it * 32 + lane];", k_orders},
        {"x += buf[stage]", "x += buf[stage / 2]", k_orders},
        {"out[blockIdx.x * 32 + lane] = x;", "out[blockIdx.x * 32 + lane] = x + buf[0][31 - lane];", k_orders}});
}

TEST(Rings, are_gone_round_by_stages_and_parities_that_are_told) {
  ring(k_roles, {{"unsigned phase = 0", "unsigned phase = 1", k_orders},
                 {"phase ^= 1;", "", k_waits},
                 {"{ stage = 0; phase ^= 1; }", "stage = 0; phase ^= 1;", k_waits},
                 {"++stage == S", "++stage == S - 1", k_stage},
                 {"(void)full[stage].arrive();", "(void)full[(stage + 1) % S].arrive();", k_known},
                 {"(void)full[stage].arrive();", "(void)full[lane % S].arrive();", k_stage}});
}

TEST(Rings, are_arrived_at_once_in_each_iteration_by_as_many_as_they_are_for) {
  ring(k_roles,
       {{"init(&full[s], 32)", "init(&full[s], 31)", k_count},
        {"init(&full[s], 32)", "init(&full[s], 32 + s)", k_count},
        {"(void)full[stage].arrive();", "", k_count},
        {"(void)empty[stage].arrive();", "if (lane < 16) (void)empty[stage].arrive();", k_count},
        {"(void)full[stage].arrive();", "(void)full[stage].arrive(); (void)full[stage].arrive();", k_known},
        {"(void)empty[stage].arrive();", "if (x > 0) (void)empty[stage].arrive();", k_who},
        {"(void)empty[stage].arrive();", "if (it & 1) (void)empty[stage].arrive();", k_turn},
        {"(void)empty[stage].arrive();", "for (int i = 0; i < n; ++i) (void)empty[stage].arrive();",
         "in the iterations of one loop"},
        {"int stage = 0; unsigned phase = 0;", "(void)empty[0].arrive(); int stage = 0; unsigned phase = 0;", k_known},
        {"out[blockIdx.x * 32 + lane] = x;", "(void)empty[1].arrive();", k_known}});
}

TEST(Rings, are_initialised_before) {
  ring(k_roles, {{"s < S; ++s", "s < S - 1; ++s", k_begun},
                 {"__syncthreads();", "__syncwarp();", k_begun},
                 {"int stage = 0; unsigned phase = 0;",
                  "if (lane == 0) init(&full[1], 32); int stage = 0; unsigned phase = 0;", k_begun},
                 {"x += buf[stage]", "*(int *)&full[1] = 0; x += buf[stage]", "is written as a barrier alone"},
                 {"x += buf[stage]", "full[stage].arrive_and_drop(); x += buf[stage]", "beside 'mbarrier.arrive_drop'"},
                 {"x += buf[stage]", "init(&full[stage], 32); x += buf[stage]", "beside 'mbarrier.init'"}});
}

// That is no race, but threads wait for ever.
TEST(Rings, are_waited_at_for_arrivals_that_come) {
  ring(k_roles,
       {{"unsigned phase = 1", "unsigned phase = 0", k_circle},
        {"(void)full[stage].arrive();", "(void)full[stage].arrive(); wait(empty[stage], phase);", k_late},
        {"++it) {\n      wait(full", "++it) { if (it == 5) break; wait(full", k_often},
        {"it < n; ++it) {\n      wait(full", "it < n + 1; ++it) {\n      wait(full", k_often},
        {"it < n; ++it) {\n      wait(full", "it < n - lane; ++it) {\n      wait(full", k_who},
        {"it < n; ++it) {\n      wait(full", "it < n; ++it) { if (in[it] > 0) continue; wait(full", k_stage},
        {"if (t < 32)",
         "for (int it = 0, stage = 0, phase = 0; it < n; ++it) { wait(full[stage], phase);"
         " if (++stage == S) { stage = 0; phase ^= 1; } } if (t < 32)",
         k_circle},
        {"int stage = 0; unsigned phase = 0;", "wait(full[0], 0); int stage = 0; unsigned phase = 0;", k_known}});
}

TEST(Rings, by_numbers_of_the_iteration) {
  const auto loops = [](const std::string& head, const std::string& empty, const std::string& full) {
    return k_head + head +
           " if (t == 0) for (int s = 0; s < S; ++s) { init(&full[s], 32); init(&empty[s], 32); }\n __syncthreads();"
           " if (t < 32) for (int it = 0; it < n; ++it) { const int s = it % S; " +
           empty +
           " buf[s][lane] = in[it * 32 + lane]; (void)full[s].arrive(); } else {"
           " for (int it = 0; it < n; ++it) { const int s = it % S; " +
           full + " x += buf[s][31 - lane]; (void)empty[s].arrive(); } out[blockIdx.x * 32 + lane] = x; } }";
  };
  ring(loops("", "wait(empty[s], ((it / S) & 1) ^ 1);", "wait(full[s], (it / S) & 1);"),
       {{"(it / S) & 1);", "(it / (S + 1)) & 1);", k_waits},
        {"wait(full[s], (it / S) & 1);", "wait(full[s], ((it + 1) / S) & 1);", k_waits},
        {"((it / S) & 1) ^ 1", "(it / S) & 1", k_circle}});
  ring(
      loops("", "if (it >= S) wait(empty[s], (it / S - 1) & 1);", "wait(full[s], it / S % 2);"),
      {{"it >= S", "it > S", k_turn}, {"it >= S", "it >= n", k_known}, {"(it / S - 1) & 1", "(it / S) & 1", k_circle}});
}

// All threads fill and use; of as many threads as the block has.
TEST(Rings, of_all_threads) {
  const std::string both = k_head +
                           R"(
  if (t == 0) for (int s = 0; s < S; ++s) { init(&full[s], 64); init(&empty[s], 64); }
  __syncthreads();
  for (int it = 0; it < n; ++it) {
    const int s = it % S; const bool phase = it / S % 2;
    empty[s].wait_parity(!phase);
    buf[s][t] = in[it * 64 + t];
    (void)full[s].arrive();
    full[s].wait_parity(phase);
    x += buf[s][63 - t];
    (void)empty[s].arrive();
  }
  out[blockIdx.x * 64 + t] = x; })";
  ring(both, {{"(void)full[s].arrive();\n    full[s].wait_parity(phase);",
               "full[s].wait_parity(phase); (void)full[s].arrive();", k_circle},
              {"full[s].wait_parity(phase);", "", k_orders},
              {"full[s].wait_parity(phase);", "full[s].wait_parity(!phase);", k_orders},
              {"full[s].wait_parity(phase);", "if (t < 32) full[s].wait_parity(phase);", k_turn},
              {"init(&full[s], 64)", "init(&full[s], 63)", k_count}});
  const std::string tokens = k_head +
                             R"(
  if (t == 0) for (int s = 0; s < 2; ++s) init(&full[s], 64);
  __syncthreads();
  for (int it = 0; it < n; ++it) {
    const int s = it % 2;
    buf[s][t] = in[it * 64 + t];
    auto token = full[s].arrive();
    full[s].wait(std::move(token));
    x += buf[s][63 - t];
  }
  out[blockIdx.x * 64 + t] = x; })";
  ring(tokens, {{"full[s].wait(std::move(token));\n    x += buf[s][63 - t];",
                 "x += buf[s][63 - t]; full[s].wait(std::move(token));", k_orders},
                {"full[s].wait(std::move(token));", "if (t < 32) full[s].wait(std::move(token));", k_orders},
                {"full[s].wait(std::move(token));", "full[s].wait(decltype(token){7});", k_waits},
                {"x += buf[s][63 - t]", "x += buf[s ^ 1][63 - t]", k_orders},
                {"buf[s][t] =", "buf[0][t] =", k_orders}});
  std::string any = tokens;
  for (const auto& [what, by] : {std::pair("buf[S][64]", "buf[S][1024]"), std::pair(", 64)", ", blockDim.x)"),
                                 std::pair("63 - t", "blockDim.x - 1 - t"), std::pair("* 64 + t", "* blockDim.x + t")})
    for (size_t at = any.find(what); at != std::string::npos; at = any.find(what)) any.replace(at, strlen(what), by);
  decide({{"k.cu", any.c_str(), 0, "", {"--blockDim=*", "--gridDim=*"}, true}});
}

// Some stages are filled before the loop, and each iteration fills one that is used later.
TEST(Rings, that_are_filled_ahead) {
  const std::string ahead = k_head +
                            R"(
  if (t == 0) for (int s = 0; s < S; ++s) { init(&full[s], 64); init(&empty[s], 64); }
  __syncthreads();
  for (int p = 0; p < S - 1; ++p) { buf[p][t] = in[p * 64 + t]; (void)full[p].arrive(); }
  for (int it = 0; it < n; ++it) {
    const int g = it + S - 1, s = it % S;
    if (g < n) {
      empty[g % S].wait_parity(g / S % 2 == 0);
      buf[g % S][t] = in[g * 64 + t];
      (void)full[g % S].arrive();
    }
    full[s].wait_parity(it / S % 2);
    x += buf[s][63 - t];
    (void)empty[s].arrive();
  }
  out[blockIdx.x * 64 + t] = x; })";
  ring(ahead, {{"p < S - 1", "p < S - 2", k_known},
               {"p < S - 1", "p < S", k_known},
               {"it + S - 1", "it + S", k_known},
               {"it + S - 1", "it + S - 2", k_known},
               {"empty[g % S].wait_parity(g / S % 2 == 0);", "", k_known},
               {"g / S % 2 == 0", "g / S % 2 != 0", k_orders},
               {"g < n", "g < n - 1", k_turn},
               {"buf[p][t] = in[p * 64 + t]; (void)full[p].arrive();",
                "(void)full[p].arrive(); buf[p][t] = in[p * 64 + t];", k_orders},
               {"(void)full[p].arrive(); }", "if (p != 1) (void)full[p].arrive(); }", k_known},
               {"(void)full[p].arrive(); }", "if (t < 32) (void)full[p].arrive(); }", k_known},
               {"(void)full[p].arrive(); }", "(void)full[p].arrive(2); }", k_known}});
}

// As CUTLASS has it: a state of its own, inline PTX, two groups of consumers.
TEST(Rings, of_a_library) {
  const std::string text = R"(
template <int N> struct State { int index = 0; unsigned phase = 0, count = 0;
  __device__ void operator++() { ++index; ++count; if (index == N) { index = 0; phase ^= 1; } } };
struct Object { unsigned long long state;
  __device__ static unsigned at(const void *p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
  __device__ void init(unsigned n) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(at(&state)), "r"(n)); }
  __device__ void arrive() { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(at(&state))); }
  __device__ void wait(unsigned p) { asm volatile("{ .reg .pred P; AGAIN: mbarrier.try_wait.parity.shared::cta.b64 P, [%0], %1;"
    " @P bra DONE; bra AGAIN; DONE: }" :: "r"(at(&state)), "r"(p)); } };
struct Shared { float a[5][32]; struct { Object full[5], empty[5]; } pipe; };
__global__ void k(float *out, const float *in, int tiles) { extern __shared__ char raw[];
  Shared &sh = *reinterpret_cast<Shared *>(raw); const int group = threadIdx.x / 32, t = threadIdx.x % 32;
  if (threadIdx.x == 0) for (int s = 0; s < 5; ++s) { sh.pipe.full[s].init(32); sh.pipe.empty[s].init(64); }
  __syncthreads(); State<5> now;
  if (group == 0) { now.phase = 1;
    for (; tiles > 0; --tiles) { sh.pipe.empty[now.index].wait(now.phase); sh.a[now.index][t] = in[tiles * 32 + t];
      sh.pipe.full[now.index].arrive(); ++now; } }
  else if (group == 1) { float x = 0;
    for (; tiles > 0; --tiles) { sh.pipe.full[now.index].wait(now.phase);
      for (int i = 0; i < 32; ++i) x += sh.a[now.index][i]; sh.pipe.empty[now.index].arrive(); ++now; }
    out[blockIdx.x * 64 + t] = x; }
  else { float x = 1;
    for (; tiles > 0; --tiles) { sh.pipe.full[now.index].wait(now.phase);
      for (int i = 0; i < 32; ++i) x *= sh.a[now.index][i]; sh.pipe.empty[now.index].arrive(); ++now; }
    out[blockIdx.x * 64 + 32 + t] = x; } })";
  ring(text,
       {{"init(64)", "init(32)", k_count},
        {"now.phase = 1;", "", k_circle},
        {"sh.pipe.full[now.index].wait(now.phase);\n      for (int i = 0; i < 32; ++i) x *=",
         "for (int i = 0; i < 32; ++i) x *=", k_orders},
        {"x *= sh.a[now.index][i]; sh.pipe.empty[now.index].arrive(); ++now;",
         "x *= sh.a[now.index][i]; ++now; sh.pipe.empty[now.index].arrive();", k_known},
        {"for (int i = 0; i < 32; ++i) x *= sh.a[now.index][i]; sh.pipe.empty[now.index].arrive();",
         "sh.pipe.empty[now.index].arrive(); for (int i = 0; i < 32; ++i) x *= sh.a[now.index][i];", k_orders}},
       {"--blockDim=96"});
}

// One object for each role is a ring of one.
TEST(Rings, of_one_stage) {
  ring(k_head +
           R"(
  if (t == 0) { init(&full[0], 32); init(&empty[0], 32); }
  __syncthreads();
  if (t < 32) for (int it = 0; it < n; ++it) {
    wait(empty[0], (it & 1) ^ 1); buf[0][lane] = in[it * 32 + lane]; (void)full[0].arrive();
  } else {
    for (int it = 0; it < n; ++it) { wait(full[0], it & 1); x += buf[0][31 - lane]; (void)empty[0].arrive(); }
    out[blockIdx.x * 32 + lane] = x;
  } })",
       {{"wait(full[0], it & 1);", "wait(full[0], 0);", k_waits},
        {"wait(full[0], it & 1);", "", k_orders},
        {"(it & 1) ^ 1", "it & 1", k_circle},
        {"x += buf[0][31 - lane]; (void)empty[0].arrive();", "(void)empty[0].arrive(); x += buf[0][31 - lane];",
         k_orders}});
}

// Of a launch whose loops are short.
TEST(Rings, in_so_many_iterations) {
  for (const char* const n : {"2", "3", "5", "40"})
    decide({{"k.cu", k_roles.c_str(), 0, "", {std::string("--kernel-args=k,") + n}}});
}

}  // namespace
}  // namespace fencepost::verifier

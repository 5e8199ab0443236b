// Barriers that lie in shared memory (prove/mbarriers.cpp). What is done to one that no one has initialised, or that
// waits for another number of threads than come, is not defined, and no race: not decided, by the name of the barrier.
#include "decide.h"

namespace fencepost::verifier {
namespace {

struct Part {
  const char *declared = "__shared__ cuda::barrier<cuda::thread_scope_block> bar;",
             *init = "if (t == 0) init(&bar, blockDim.x);", *first = "__syncthreads();",
             *use = "out[g] = t; bar.arrive_and_wait();";
};

void expect(const Part& p, int exit_code, const char* says = "") {
  const std::string text =
      std::string(
          "#include <cuda/barrier>\n#include <utility>\n__global__ void k(int *out, const int *in) {"
          " __shared__ int s[64]; int t = threadIdx.x, g = blockIdx.x * 64 + t; s[t] = t;\n") +
      p.declared + "\n" + p.init + "\n" + p.first + "\n" + p.use + "\n}\n";
  decide({{"k.cu", text.c_str(), exit_code, says}});
}

constexpr const char* k_shift = "s[t] = in[g]; bar.arrive_and_wait(); out[g] = s[63 - t];";
constexpr const char* k_split = "out[g] = t; auto a = bar.arrive(); out[g] += 1; bar.wait(std::move(a));";

TEST(Mbarriers, AreBarriersOfTheGroupWhereAllArrive) {
  expect({}, 0);
  expect({.use = k_shift}, 0);
  expect({.init = "if (t == 0) init(&bar, 64);", .use = k_shift}, 0);
  expect({.use = "for (int i = 0; i < 4; i++) { s[t] = in[g + i]; bar.arrive_and_wait(); out[g] += s[63 - t];"
                 " bar.arrive_and_wait(); }"},
         0);
  expect({.use = "for (int i = 0; i < 4; i++) { s[t] = in[g + i]; bar.arrive_and_wait(); out[g] += s[63 - t]; }"}, 1);
  expect({.use = "if (t < 32) bar.arrive_and_wait(); out[g] = t;"}, 1, "non-uniform control flow");
  expect({.use = "s[t] = in[g]; out[g] = s[63 - t]; bar.arrive_and_wait();"}, 1);
}

TEST(Mbarriers, AreInitialisedByOneThreadBeforeTheGroupUsesThem) {
  const char* const says = "whether 'bar' is initialised";
  expect({.init = ""}, 3, says);
  expect({.init = "if (t == 0 && blockIdx.x == 0) init(&bar, 64);"}, 3, says);
  expect({.init = "if (t == 0 && in[0] > 3) init(&bar, 64);"}, 3, says);
  expect({.init = "", .use = "out[g] = t; bar.arrive_and_wait(); __syncthreads(); if (t == 0) init(&bar, 64);"}, 3,
         says);
  expect({.first = "__syncwarp();"}, 1, says);
  expect({.init = "init(&bar, 64);"}, 1, says);
  expect({.use = "bar.arrive_and_wait(); if (t == 0) init(&bar, 64); __syncthreads(); bar.arrive_and_wait();"}, 3,
         says);
  expect({.declared = "__shared__ cuda::barrier<cuda::thread_scope_block> bar[2];",
          .init = "if (t == 0) init(&bar[0], 64);",
          .use = "out[g] = t; bar[1].arrive_and_wait();"},
         3, says);
  expect({.init = "", .use = "out[g] = t; bar.wait_parity(false);"}, 3, says);
  expect({.init = "", .use = "out[g] = bar.try_wait_parity(false);"}, 3, says);
  expect({.init = "", .use = "out[g] = t; (void)bar.arrive();"}, 3, says);
}

TEST(Mbarriers, WaitForAsManyAsCome) {
  const char* const says = "whether 'bar' is initialised for as many arrivals as come";
  expect({.init = "if (t == 0) init(&bar, 65);"}, 3, says);
  expect({.init = "if (t == 0) init(&bar, 32);"}, 3, says);
  expect({.init = "if (t == 0) init(&bar, in[0]);"}, 3, says);
}

TEST(Mbarriers, ArePassedInPhasesThatAreKnown) {
  expect({.use = k_split}, 0);
  expect({.use = "out[g] = t; bar.arrive_and_wait(); auto a = bar.arrive(); bar.wait(std::move(a));"}, 0);
  const char* const waits = "whether 'bar' is waited at for the phase of the arrival before";
  const char* const phases = "whether 'bar' is passed in phases that can be told apart";
  expect({.use = "out[g] = t; (void)bar.arrive(2);"}, 3, "as many arrivals as come");
  expect({.use = "out[g] = t; if (t < 32) (void)bar.arrive();"}, 3, "as many arrivals as come");
  expect({.use = "out[g] = t; for (int i = 0; i < 2; i++) (void)bar.arrive();"}, 3, phases);
  expect({.use = "out[g] = t; (void)bar.arrive(); (void)bar.arrive();"}, 3, phases);
  expect({.use = "out[g] = t; (void)bar.arrive(); bar.arrive_and_wait();"}, 3, phases);
  expect({.use = "out[g] = t; bar.wait_parity(false);"}, 3, waits);
  expect({.use = "out[g] = t; (void)bar.arrive(); bar.wait_parity(false);"}, 0);
  expect({.use = "out[g] = t; (void)bar.arrive(); bar.wait_parity(true);"}, 0);
  expect({.use = "out[g] = t; bar.arrive_and_wait(); (void)bar.arrive(); bar.wait_parity(false);"}, 0);
  expect({.use = "out[g] = t; auto a = bar.arrive(); bar.wait(decltype(a){7});"}, 3, waits);
  expect({.use = "out[g] = t; bar.arrive_and_drop();"}, 3, "mbarrier.arrive_drop");
}

TEST(Mbarriers, AreWrittenAsBarriersAlone) {
  const char* const says = "whether 'bar' is written as a barrier alone";
  expect({.use = "if (t == 0) *(unsigned long long *)&bar = 0; __syncthreads(); bar.arrive_and_wait(); out[g] = t;"}, 3,
         says);
  expect({.use = "if (t == 0) asm volatile(\"mbarrier.inval.shared::cta.b64 [%0];\" :: \"l\"(&bar) : \"memory\");"
                 " __syncthreads(); bar.arrive_and_wait(); out[g] = t;"},
         3, "mbarrier.inval");
}

TEST(Mbarriers, OfInlinePtx) {
  const auto kernel = [](const char* init, const char* count) {
    return std::string(
               "__global__ void k(int *out) { __shared__ unsigned long long bar; int t = threadIdx.x;"
               " if (t == 0) { ") +
           init +
           " } __syncthreads(); out[blockIdx.x * 64 + t] = t;"
           " asm volatile(\"{ .reg .pred p; .reg .b64 a; mbarrier.arrive.shared::cta.b64 a, [%0]" +
           count + "; W: mbarrier.try_wait.shared::cta.b64 p, [%0], a; @!p bra W; }\" :: \"l\"(&bar) : \"memory\"); }";
  };
  const char* const init = "asm volatile(\"mbarrier.init.shared::cta.b64 [%0], 64;\" :: \"l\"(&bar) : \"memory\");";
  const std::string right = kernel(init, ""), none = kernel("", ""), two = kernel(init, ", 2");
  decide({{"right.cu", right.c_str(), 0},
          {"none.cu", none.c_str(), 3, "whether 'bar' is initialised before 'mbarrier.arrive'"},
          {"two.cu", two.c_str(), 3, "as many arrivals as come"}});
}

}  // namespace
}  // namespace fencepost::verifier

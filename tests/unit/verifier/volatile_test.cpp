// In the model of PTX a volatile access of one word is a relaxed one of the whole system; in that of CUDA it races.
#include "decide.h"

namespace fencepost::verifier {
namespace {

std::string lock(const std::string& let_go, const std::string& fence = "__threadfence();") {
  return "__global__ void k(int *l, int *d) { if (threadIdx.x == 0) { while (atomicCAS(l, 0, 1) != 0);"
         "__threadfence(); d[0]++;" +
         fence + let_go + "} }";
}

TEST(Volatile, a_store_lets_a_lock_go_in_the_model_of_ptx) {
  const std::string right = lock("*(volatile int *)l = 0;"), plain = lock("*l = 0;"),
                    bare = lock("*(volatile int *)l = 0;", "");
  const std::string
      shared = "__global__ void k(int *o) { __shared__ volatile int s; if (threadIdx.x < 32) s = threadIdx.x; }",
      halves =
          "__global__ void k(int *o) { if (threadIdx.x == 0) *(volatile short *)o = 1; else if (threadIdx.x == 1)"
          " *(volatile int *)o = 2; }";
  decide({
      {"right.cu", right.c_str(), 0, "", {"--model=ptx"}},
      {"right of cuda.cu", right.c_str(), 1, "race"},
      {"plain.cu", plain.c_str(), 1, "race", {"--model=ptx"}},
      {"bare.cu", bare.c_str(), 1, "race", {"--model=ptx"}},
      {"shared.cu", shared.c_str(), 0, "", {"--model=ptx"}},
      {"halves.cu", halves.c_str(), 1, "race", {"--model=ptx"}},
  });
}

}  // namespace
}  // namespace fencepost::verifier

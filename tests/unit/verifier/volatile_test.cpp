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

// A plain load of the flag beside the loop that waits for it: it is a load, and no more.
TEST(Volatile, a_load_of_a_flag_that_no_thread_makes_is_no_race) {
  const auto message = [](const std::string& reader, const std::string& more = "") {
    return "__global__ void k(int* d, volatile int* f, int* o) { if (blockIdx.x == 0 && threadIdx.x == 0) { d[0] = 1;"
           " __threadfence(); *f = 1; } else if (blockIdx.x == 1 && threadIdx.x == 0) { while (*f == 0) ;"
           " __threadfence(); o[0] = d[0]; " +
           reader + " } " + more + " }";
  };
  const std::string right = message(""), unreached = message("", "if (threadIdx.x > 200) o[1] = *f;"),
                    behind = message("o[1] = *f;"), reached = message("", "if (threadIdx.x == 7) o[7] = *f;"),
                    index = message("", "if (threadIdx.x > 200) o[1] = f[threadIdx.x];");
  decide(
      {{"right.cu", right.c_str(), 0, "volatile accesses to f are single and relaxed"},
       {"unreached.cu", unreached.c_str(), 0, "volatile accesses to f are single and relaxed"},
       {"host.cu",
        "__global__ void k(volatile int* f, int* o) { while (*f == 0) ; o[blockIdx.x * 64 + threadIdx.x] = *f; }", 0},
       // A release fence orders what stands before it, not the store of the flag behind it.
       {"behind.cu", behind.c_str(), 1, "race"},
       {"reached.cu", reached.c_str(), 1, "race"},
       // What the document of PTX says is no assumption in its model.
       {"right of ptx.cu", right.c_str(), 0, "!single and relaxed", {"--model=ptx"}}});
}

}  // namespace
}  // namespace fencepost::verifier

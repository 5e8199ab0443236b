// How far a counter goes whose step is the size of a block of any size: what is far behind the start is come to.
#include "decide.h"

namespace fencepost::verifier {
namespace {

TEST(Spans, of_counters_with_steps_that_are_not_known) {
  struct Row {
    const char* loop;
    int exit_code;  // with a store to one place in the loop
  };
  const std::string head = "__global__ void k(int *o, int n) { int t = threadIdx.x; ";
  for (const Row& r : std::vector<Row>{
           {"for (int i = t; i < 70000; i += blockDim.x) if (i > 69000) o[0] = t;", 1},
           {"for (int i = t; i < 70000; i += blockDim.x) if (i > 69999) o[0] = t;", 0},
           {"for (int i = t; i <= 70000; i += blockDim.x) if (i > 69999) o[0] = t;", 0},
           {"for (int i = t - 60000; i < 100; i += blockDim.x) if (i > -1000) o[0] = t;", 1},
           {"for (int i = t - 60000; i < 100; i += blockDim.x) if (i > 99) o[0] = t;", 0},
           {"for (unsigned i = t; i < 70000; i += blockDim.x) if (i > 69000) o[0] = t;", 1},
           {"for (unsigned i = t; i < 70000; i += blockDim.x) if (i > 69999) o[0] = t;", 0},
           {"int i = t; for (; i < 70000; i += blockDim.x) ; if (i > 70500) o[0] = t;", 1},
       }) {
    const std::string text = head + r.loop + " }";
    decide({{"k.cu", text.c_str(), r.exit_code, "", {"--blockDim=*", "--no-attack"}}});
  }
}

// A step that is another one in some iteration is none of a recurrence.
TEST(Spans, a_step_is_the_same_in_all_iterations) {
  const auto kernel = [](const std::string& step) {
    return "__global__ void k(int *o, int n) { int t = threadIdx.x, p = 0; for (int i = 0; i < 8; ++i) {"
           " o[64 * blockIdx.x + ((p + t) & 63)] = t; __syncthreads(); " +
           step + " } }";
  };
  for (const auto& [step, exit_code] : std::vector<std::pair<const char*, int>>{{"p -= n;", 0},
                                                                                {"p += n;", 0},
                                                                                {"p -= i == 3 ? t : 0;", 1},
                                                                                {"p += i == 3 ? -t : 0;", 1},
                                                                                {"p = (i == 3 ? -t : 0) + p;", 1},
                                                                                {"p -= i == 3 ? n : 0;", 0}}) {
    const std::string text = kernel(step);
    decide({{"k.cu", text.c_str(), exit_code, "", {"--no-attack", "--timeout=4"}}});
  }
}

}  // namespace
}  // namespace fencepost::verifier

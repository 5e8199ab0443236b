// Barriers of inline PTX are met by their number, not by their place in the text.
#include "decide.h"

namespace fencepost::verifier {
namespace {

void is(int exit_code, const std::string& body, const char* says = "", const std::string& block = "64") {
  const std::string text =
      "__device__ void meet() { asm volatile(\"bar.sync 3;\" ::: \"memory\"); }"
      "__global__ void k(int *d, int *o, int n) { __shared__ int s[64]; int t = threadIdx.x; s[t] = d[t];" +
      body + "o[blockIdx.x * 64 + t] = s[63 - t]; }";
  decide({{"k.cu", text.c_str(), exit_code, says, {"--blockDim=" + block}}});
}

std::string barrier(const std::string& text) { return "asm volatile(\"" + text + ";\" ::: \"memory\");"; }
std::string two(const std::string& condition, const std::string& one, const std::string& other) {
  return "if (" + condition + ") " + one + " else " + other + " ";
}

TEST(Numbers, whole_warps_meet_at_one_number_at_several_places) {
  is(0, two("t < 32", barrier("barrier.sync 0"), barrier("barrier.sync 0")));
  is(0, two("t < 32", barrier("bar.sync 1"), barrier("bar.sync 1")));
  is(0, two("t < 32", barrier("bar.sync 1"), barrier("bar.sync 1, 64")));
  is(0, two("t < 32", "meet();", "meet();"));
  is(0, barrier("bar.sync 1") + two("t < 32", barrier("bar.sync 1"), barrier("bar.sync 1")));
  is(0, two("n > 3", barrier("bar.sync 1"), barrier("bar.sync 1")));
}

TEST(Numbers, who_meets_no_one_is_not_verified) {
  const char* const apart = "non-uniform";
  is(1, two("t < 32", "__syncthreads();", "__syncthreads();"), apart);
  is(1, two("t < 32", barrier("bar.sync 1"), "__syncthreads();"), "");
  // Two that wait for each other, one that comes once more, parts of a warp, a loop.
  is(3,
     "if (t < 32) {" + barrier("bar.sync 1") + barrier("bar.sync 2") + "} else {" + barrier("bar.sync 2") +
         barrier("bar.sync 1") + "}",
     "may wait for each other");
  is(3, two("t < 32", "{" + barrier("bar.sync 1") + barrier("bar.sync 1") + "}", barrier("bar.sync 1")),
     "not so many threads as its count");
  is(3, two("t < 16", barrier("barrier.sync 1"), barrier("barrier.sync 1")), "threads of one warp part");
  is(0, "for (int i = 0; i < 4; ++i) " + two("t < 32", barrier("bar.sync 1"), barrier("bar.sync 1")), "");
  // Behind one half only.
  is(1, two("t < 32", barrier("bar.sync 1"), "{" + barrier("bar.sync 1") + "s[t] = 1; }"), "race");
}

}  // namespace
}  // namespace fencepost::verifier

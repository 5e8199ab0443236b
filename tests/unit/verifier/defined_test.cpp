// Division by zero, and by negative lengths (flow/defined.h, flow/small_indices.h).
#include "decide.h"

namespace fencepost::verifier {
namespace {

// A chain of four, each with its length; nothing says that these are not 0.
std::string chain(const std::string& place) {
  return "__global__ void k(float *o, const float *in, int C, int H, int W, int total) {\n"
         "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= total) return;\n"
         "  int w = i % W, h = i / W % H, c = i / W / H % C, b = i / W / H / C;\n"
         "  o[" +
         place + "] = in[i]; }\n";
}

TEST(Divisors, AreNotZero) {
  const std::string right = chain("((b * H + h) * W + w) * C + c"), wrong = chain("((b * H + h) * W + w) * H + c");
  decide({{"nhwc.cu", right.c_str(), 0},
          {"nhwc.cu", right.c_str(), 3, "no divisor is 0", {"--strict"}},
          {"nhwc.cu", right.c_str(), 1, "race", {"--profile=gpuverify"}},
          {"wrong.cu", wrong.c_str(), 1, "confirmed by a run"}});
}

TEST(Divisors, AreZeroWhereNothingIsDivided) {
  decide({{"else.cu",
           "__global__ void k(int *o, int n) { int t = threadIdx.x; if (n == 0) o[0] = t; else o[64 * blockIdx.x + t] "
           "= t / n; }",
           1, "n = 0"},
          {"before.cu",
           "__global__ void k(int *o, int n) { int t = threadIdx.x, q = t / n; if (n == 0) o[0] = t; else o[64 * "
           "blockIdx.x + t] = q; }",
           0},
          // The threads of the race divide by nothing.
          {"others.cu",
           "__global__ void k(int *o, int n) { int t = threadIdx.x; if (t > 40) { if (n == 0) o[0] = t; } else o[64 * "
           "blockIdx.x + t] = t / n; }",
           1, "n = 0"}});
}

// The least number divided by -1, too; and what comes out of it in the other order is a race.
TEST(Divisors, AreNotOneBelowZeroForTheLeastNumber) {
  const auto kernel = [](const std::string& test) {
    return "__global__ void k(int *o, int a, int b) { int t = threadIdx.x; if (" + test +
           ") o[0] = t; else o[64 * blockIdx.x + t] = 1; }";
  };
  const std::string least = kernel("a == -2147483647 - 1 && b == -1 && a / b == a"),
                    other = kernel("a == -2147483647 && b == -1 && a / b == -a");
  // Of unsigned numbers it is a quotient like any other.
  const char* const natural =
      "__global__ void k(unsigned *o, unsigned a, unsigned b) { unsigned t = threadIdx.x, q = a / b; "
      "if (a == 0x80000000u && b == 0xffffffffu) o[0] = t + q; else o[64 * blockIdx.x + t] = 1; }";
  decide({{"least.cu", least.c_str(), 0}, {"other.cu", other.c_str(), 1, "race"}, {"unsigned.cu", natural, 1, "race"}});
}

// A divisor that is 0 for one thread of each launch is a fault of the kernel.
TEST(Divisors, OfAThreadMayBeZero) {
  decide({{"thread.cu", "__global__ void k(int *o) { int t = threadIdx.x; if (64 / t != 7) o[t / 2] = 1 + t; }", 1,
           "race"},
          {"zero.cu",
           "__global__ void k(int *o) { int t = threadIdx.x, q = 64 / (t / 2); if (t < 2) o[0] = t + q; else o[64 * "
           "blockIdx.x + t] = q; }",
           1, "race"}});
}

TEST(Divisors, AreNotNegativeUnderAnAssumption) {
  const auto rows = [](const std::string& test, const std::string& place = "x * h + y") {
    return "__global__ void k(float *o, const float *in, int n, int h) {\n"
           "  int i = blockIdx.x * blockDim.x + threadIdx.x, y = i / n, x = i % n; if (" +
           test + ") o[" + place + "] = in[i] + i; }\n";
  };
  const char* says = "numbers that index arithmetic divides by are not negative";
  const std::string right = rows("y < h"), known = rows("n > 0 && y < h"), taller = rows("y <= h"),
                    other = rows("y < h", "x * n + y"), none = rows("x < h");
  decide({{"rows.cu", right.c_str(), 0, says},
          {"rows.cu", right.c_str(), 1, "confirmed by a run", {"--strict"}},
          {"known.cu", known.c_str(), 0, "!are not negative"},
          {"taller.cu", taller.c_str(), 1, "confirmed by a run"},
          {"other.cu", other.c_str(), 1, "confirmed by a run"},
          {"none.cu", none.c_str(), 1, "confirmed by a run"}});
}

}  // namespace
}  // namespace fencepost::verifier

// What runs confirm: races behind numbers of a counterexample with which no run comes to them.
#include "decide.h"

namespace fencepost::verifier {
namespace {

std::string sum(const std::string& fence) {
  return "__global__ void k(const int *in, volatile int *s, volatile int *o, int *flag, unsigned n) {"
         "const unsigned t = threadIdx.x; int mine = 0;"
         "for (unsigned i = t; i < n; i += 64) mine += in[i];"
         "s[64 * blockIdx.x + t] = mine; __syncthreads();"
         "if (t == 0) { o[blockIdx.x] = s[64 * blockIdx.x]; " +
         fence +
         " if (atomicAdd(flag, 1) == 3) {"
         "__threadfence(); int all = 0; for (int b = 0; b < 4; b++) all += o[b]; o[0] = all; } } }";
}

// The solver's n may be 2^31: a run with it ends in the first loop, and one in which sums overflow says nothing.
TEST(Runs, AreMadeWithOtherNumbersWhereTheCounterexampleTakesTooLong) {
  const std::string narrow = sum("__threadfence_block();"), none = sum(""), right = sum("__threadfence();");
  const std::string late =
      "__global__ void k(int *o, const int *in, unsigned n) { int x = 0; for (unsigned i = 0; i < n; i++) x ^= in[i];"
      "if (n > 0x40000000) o[0] = x + threadIdx.x; }";
  decide({{"narrow.cu", narrow.c_str(), 1, "race (confirmed by a run)"},
          {"none.cu", none.c_str(), 1, "race (confirmed by a run)"},
          {"right.cu", right.c_str(), 0},
          // Each run that comes to the race has more rounds than a run may have.
          {"late.cu", late.c_str(), 1, "race (not confirmed)"}});
}

// What the launch or a precondition fixes stays so.
TEST(Runs, KeepTheNumbersThatAreGiven) {
  const std::string kernel =
      "__global__ void k(int *o, const int *in, unsigned rounds, int mode) { int x = 0;"
      "for (unsigned i = 0; i < rounds; i++) x ^= in[i];"
      "if (mode < 8) o[threadIdx.x / 2] = threadIdx.x + (x & 1); else o[64 * blockIdx.x + threadIdx.x] = x; }";
  const std::string asked =
      "__global__ void k(int *o, const int *in, unsigned rounds, int mode) {"
      "__requires(mode == 9); int x = 0;"
      "for (unsigned i = 0; i < rounds; i++) x ^= in[i];"
      "if (mode < 8) o[threadIdx.x / 2] = threadIdx.x; else o[64 * blockIdx.x + threadIdx.x] = x; }";
  decide({{"any.cu", kernel.c_str(), 1, "race (confirmed by a run)"},
          {"three.cu", kernel.c_str(), 1, "mode = 3\n", {"--kernel-args=k,*,3"}},
          {"nine.cu", kernel.c_str(), 0, "", {"--kernel-args=k,*,9"}},
          {"required.cu", asked.c_str(), 0}});
}

// Locks and counters start at 0 wherever they lie in their array: behind all of these locks, there is a race.
TEST(Runs, StartAllOfAnArrayOfLocksAtZero) {
  const char* text =
      "__global__ void k(int *locks, volatile int *sums, int *o, const int *in) {"
      "const int at = 5000 + 64 * blockIdx.x + threadIdx.x; bool done = false;"
      "while (!done) if (atomicCAS_block(&locks[at], 0, 1) == 0) {"
      "__threadfence_block(); sums[at] += 1; __threadfence_block(); atomicExch_block(&locks[at], 0); done = true; }"
      "__syncthreads(); o[threadIdx.x / 2] = in[threadIdx.x]; }";
  decide({{"far.cu", text, 1, "race (confirmed by a run)"}});
}

// What a precondition says of two threads is not evaluated in a run, so that a run may be one that it forbids.
TEST(Runs, SayNothingWherePreconditionsSpeakOfTwoThreads) {
  const std::string kernel =
      "__global__ void k(unsigned *o, const unsigned *at, unsigned n) { unsigned i = blockIdx.x * blockDim.x + "
      "threadIdx.x; REQUIRES if (i < n) o[at[i]] = i; }";
  const auto with = [&](const char* requires_) { return std::string("#define REQUIRES ") + requires_ + "\n" + kernel; };
  const std::string pairs = with("__requires(at[i] != at[__other_int(i)]);"),
                    single = with("__requires(at[i] < 1000000);"), part = with("__requires(i != __other_int(n));");
  decide({{"pairs.cu", pairs.c_str(), 0},
          {"pairs_of_any.cu", pairs.c_str(), 0, "", {"--blockDim=*", "--gridDim=*"}},
          {"single.cu", single.c_str(), 1, "race (confirmed by a run)"},
          {"part.cu", part.c_str(), 1, "race (not confirmed)"}});
}

// By an option, and as the host gives it and the report says it.
TEST(Runs, NumbersMayBeBelowZero) {
  const std::string text =
      "__global__ void k(int *o, int n, char c) { o[n < 0 && c < 0 ? threadIdx.x / 2 : threadIdx.x] = threadIdx.x; }";
  decide({{"below.cu", text.c_str(), 1, "race", {"--kernel-args=k,-1,-1"}},
          {"above.cu", text.c_str(), 0, "", {"--kernel-args=k,-1,1"}}});
  const std::string launched = text + "void host(int *o) { k<<<1, 64>>>(o, -1, 1); }";
  decide({{"host.cu", launched.c_str(), 0, "arguments -1,1", {}, true}});
}

// A template is named with its arguments, commas and all.
TEST(Runs, NumbersAreGivenToTemplates) {
  const char* text =
      "template <unsigned W, bool P> __global__ void k(int *o, int n) { o[threadIdx.x * n] = P ? W + threadIdx.x : 0; "
      "}\n"
      "void host(int *o, int n) { k<64, true><<<1, 64>>>(o, n); }\n";
  decide({{"any.cu", text, 1, "race", {}, true},
          {"one.cu", text, 0, "", {"--kernel-args=k<64U, true>,1"}, true},
          {"none.cu", text, 1, "race (confirmed by a run)", {"--kernel-args=k<64U, true>,0"}, true},
          {"no_such.cu", text, 2, "there is no kernel 'k<32U, true>'", {"--kernel-args=k<32U, true>,1"}, true}});
}

}  // namespace
}  // namespace fencepost::verifier

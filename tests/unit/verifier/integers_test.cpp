// CUDA's integer functions at the ends of their ranges (CUDA Math API, "Integer Intrinsics"; C++ Programming Guide).
#include <fmt/format.h>

#include "decide.h"

namespace fencepost::verifier {
namespace {

struct Extreme {
  const char *expression, *n, *value;
};

TEST(Integers, HaveTheirDocumentedValuesAtTheEnds) {
  const Extreme extremes[] = {
      {"__ffs((int)n)", "0", "0"},
      {"__ffs((int)n)", "1", "1"},
      {"__ffs((int)n)", "0x80000000u", "32"},
      {"__ffs((int)n)", "0x80000001u", "1"},
      {"__ffsll((long long)((unsigned long long)n << 32))", "0x80000000u", "64"},
      {"__ffsll((long long)((unsigned long long)n << 32))", "0", "0"},
      {"__ffsll((long long)n)", "0x80000000u", "32"},
      {"__clz((int)n)", "0", "32"},
      {"__clz((int)n)", "0x80000000u", "0"},
      {"__clzll((long long)n)", "0", "64"},
      {"__popc(n)", "0xffffffffu", "32"},
      {"__brev(n)", "1", "0x80000000u"},
      {"__brev(n)", "0x80000000u", "1"},
      {"__sad((int)n, 0x7fffffff, 0)", "0x80000000u", "0xffffffffu"},
      {"__sad(0x7fffffff, (int)n, 1)", "0x80000000u", "0"},
      {"__usad(n, 0xffffffffu, 1)", "0", "0"},
      {"__mul24((int)n, (int)n)", "0x800000", "0"},
      {"__mul24((int)n, 1)", "0x1800000", "-0x800000"},
      {"__mul24((int)n, -1)", "0x7fffff", "-0x7fffff"},
      {"__umul24(n, n)", "0xffffffu", "0xfe000001u"},
      {"__mulhi((int)n, (int)n)", "0x80000000u", "0x40000000"},
      {"__umulhi(n, n)", "0xffffffffu", "0xfffffffeu"},
      {"min((int)n, 0)", "0x80000000u", "(int)0x80000000"},
      {"max(n, 1u)", "0x80000000u", "0x80000000u"},
  };
  for (const Extreme& x : extremes) {
    const std::string right =
        fmt::format("__global__ void k(int* o, unsigned n) {{ if (n == {}) assert({} == {}); o[threadIdx.x] = 1; }}",
                    x.n, x.expression, x.value);
    const std::string wrong =
        fmt::format("__global__ void k(int* o, unsigned n) {{ if (n == {} && {} == {}) o[0] = threadIdx.x; }}", x.n,
                    x.expression, x.value);
    decide({{"right.cu", right.c_str(), 0, "", {"--gridDim=1"}}, {"wrong.cu", wrong.c_str(), 1}});
  }
}

TEST(Integers, OfWhichNoValueIsKnownHaveEach) {
  for (const char* e : {"__funnelshift_l(n, n, 32) == n", "__funnelshift_lc(n, n, 32) == n", "__hadd((int)n, 1) == 0",
                        "__rhadd((int)n, 0x7fffffff) == -1", "__byte_perm(n, 0, 0x8888) == 0xffffffffu"}) {
    const std::string text = fmt::format("__global__ void k(int* o, unsigned n) {{ if ({}) o[0] = threadIdx.x; }}", e);
    decide({{"k.cu", text.c_str(), 1}});
  }
}

TEST(Integers, LeadersOfAWarpMayBeItsLastLane) {
  decide({{"ballot.cu",
           "__global__ void k(int* a, unsigned n) { unsigned m = __ballot_sync(~0u, (threadIdx.x & 31) >= n); "
           "if (m && __ffs(m) - 1 == 31) a[0] = threadIdx.x; }",
           3, "what lanes of a warp give each other"}});
}

}  // namespace
}  // namespace fencepost::verifier

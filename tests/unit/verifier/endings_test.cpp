// "ends" in the report: every loop of a verified kernel ends by itself. It is said where a counter comes to its limit,
// and not where it may step over it.
#include "decide.h"

namespace fencepost::verifier {
namespace {

constexpr const char* k_ends = "\"ends\": true";
constexpr const char* k_not = "!\"ends\": true";

std::string loop(const std::string& head) {
  return "__global__ void k(int *o, int n, int s) { for (" + head +
         ") o[blockIdx.x * 64 + threadIdx.x] += (int)i + s; }";
}

void say(const std::vector<std::pair<std::string, const char*>>& heads) {
  for (const auto& [head, says] : heads) decide({{"k.cu", loop(head).c_str(), 0, says, {"--format=json"}}});
}

TEST(Endings, CountersThatComeToTheirLimit) {
  say({{"int i = 0; i < n; ++i", k_ends},
       {"int i = n; i > 0; --i", k_ends},
       {"int i = 0; i < n; i += 5", k_ends},
       {"unsigned i = 9; i < 0xfffffff0u; i += 4", k_ends}});
}

TEST(Endings, CountersThatMayStepOverTheirLimit) {
  say({{"unsigned i = n; i != 0; i -= 2", k_not},
       {"int i = 0; i < n; i += s", k_not},
       {"unsigned i = 9; i < 0xfffffffeu; i += 4", k_not},
       {"unsigned char i = 200; i >= 1; i -= 3", k_not}});
}

}  // namespace
}  // namespace fencepost::verifier

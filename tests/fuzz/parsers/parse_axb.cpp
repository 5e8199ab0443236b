// libFuzzer target: any bytes as progress tests, in whichever of the three forms they look like. Reading must answer
// with valid tests or with diagnostics that can be shown, and what is read must survive being printed in each form.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "axb/test.h"

using namespace fencepost;

namespace {

axb::Test again(const std::string& text) {
  const auto tests = axb::parse(make_source("printed.axb", text));
  if (!tests || tests->size() != 1) std::abort();
  return tests->front();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto tests = axb::parse(make_source("fuzz.axb", std::string(reinterpret_cast<const char*>(data), size)));
  if (!tests) {
    if (render(tests.error()).empty()) std::abort();  // a refusal without a word
    return 0;
  }
  for (const axb::Test& t : *tests) {
    if (!axb::validate(t)) std::abort();
    if (!(again(axb::to_text(t)) == t) || !(again(axb::to_json_line(t)) == t)) std::abort();
    // Pseudo-code has no names, so it is compared as what it says.
    if (again(axb::to_pseudo_code(t)).threads != t.threads) std::abort();
  }
  return 0;
}

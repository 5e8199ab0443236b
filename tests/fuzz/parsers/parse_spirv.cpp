// libFuzzer target: any bytes as a SPIR-V module, as text and, with FENCEPOST_BINARY, as words behind the magic number.
// Reading must answer with a test or with diagnostics that can be shown. The launch is a small one, for every
// invocation is lowered by itself: what a header says is read, and then replaced.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "spirv/spirv.h"

using namespace fencepost;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
#ifdef FENCEPOST_BINARY
  if (bytes.size() < 4) return 0;
  bytes.replace(0, 4, "\x03\x02\x23\x07");
#else
  if (bytes.starts_with('\x03') || bytes.starts_with('\x07')) return 0;
#endif
  spirv::LaunchOptions launch;
  launch.grid = spirv::Grid{1, 2, {2, 1, 1}};
  const auto test = spirv::parse_spirv(make_source("fuzz.spv", std::move(bytes)), launch);
  if (!test && render(test.error()).empty()) std::abort();  // a refusal without a word
  return 0;
}

// libFuzzer target: any bytes as a table of instruction mappings (docs/lowering.md).
#include <cstdint>
#include <cstdlib>
#include <string>

#include "lower/lower.h"

using namespace fencepost;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto table =
      lower::parse_table(make_source("fuzz.map", std::string(reinterpret_cast<const char*>(data), size)));
  if (!table && render(table.error()).empty()) std::abort();  // a refusal without a word
  return 0;
}
